//! A bucket, reached by what the environment says.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use url::{Host, Url};

use crate::place::PlaceError;

/// For one answer of the store; a part is 8 MB.
const ANSWER_MAX: Duration = Duration::from_secs(120);
/// For a connection.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// The bucket that a URL names.
pub(crate) fn bucket(url: &Url, text: &str) -> Result<Arc<dyn ObjectStore>, PlaceError> {
    // An error means that there is a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = AmazonS3Builder::from_env().with_bucket_name(url.host_str().unwrap_or_default());
    let given = |key| builder.get_config_value(&key);
    let has_key = given(AmazonS3ConfigKey::AccessKeyId).is_some()
        && given(AmazonS3ConfigKey::SecretAccessKey).is_some();
    // Without a key the client would ask the network for one.
    if !has_key {
        return Err(PlaceError::NoCredentials(text.to_owned()));
    }
    // The client takes them for headers, and ends by a panic where they cannot be.
    let is_odd = |key| {
        let value = given(key);
        value.is_some_and(|value| !value.bytes().all(|byte| byte.is_ascii_graphic()))
    };
    let parts = [
        (AmazonS3ConfigKey::AccessKeyId, "AWS_ACCESS_KEY_ID"),
        (AmazonS3ConfigKey::SecretAccessKey, "AWS_SECRET_ACCESS_KEY"),
        (AmazonS3ConfigKey::Token, "AWS_SESSION_TOKEN"),
        (AmazonS3ConfigKey::Region, "AWS_REGION"),
    ];
    if let Some((_, name)) = parts.into_iter().find(|(key, _)| is_odd(*key)) {
        return Err(PlaceError::OddCredentials(name));
    }
    let endpoint = given(AmazonS3ConfigKey::Endpoint).and_then(|url| Url::parse(&url).ok());
    let is_here = endpoint.is_some_and(|url| match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    });
    let mut options = ClientOptions::new()
        .with_timeout(ANSWER_MAX)
        .with_connect_timeout(CONNECT_MAX);
    if is_here {
        options = options.with_allow_http(true);
    }
    // What fails is tried again by the thread, which tells of it.
    let retry = RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    };
    let builder = builder.with_client_options(options).with_retry(retry);
    let built = builder.build();
    let built = built.map_err(|error| PlaceError::Store {
        place: text.to_owned(),
        why: error.to_string(),
    })?;
    Ok(Arc::new(built))
}
