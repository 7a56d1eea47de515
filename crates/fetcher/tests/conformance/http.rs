//! HTTP vectors, against a server on loopback.

use std::time::SystemTime;

use fetcher::{
    FetchLimits, FetchRequest, Followed, HttpConfig, HttpFetcher, follow, sniff_content_type,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

use crate::server::Server;

#[test]
fn http_vectors_hold() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    crate::run("http", |vector| judge(&runtime, vector));
}

/// What `tamis fetch` would print.
struct Printed {
    error: bool,
    status: Option<u16>,
    final_url: String,
    body: Vec<u8>,
    content_type: String,
    truncated: bool,
    retry_after: Option<u64>,
}

fn judge(runtime: &tokio::runtime::Runtime, vector: &Value) -> bool {
    let sniff = vector["kind"] == "sniff";
    let (routes, start) = if sniff {
        let headers = match vector["content_type"].as_str() {
            Some(value) => json!([["Content-Type", value]]),
            None => json!([]),
        };
        let route = json!({"status": 200, "headers": headers, "body_b64": vector["body_b64"]});
        (json!({"/a": route}), "/a")
    } else {
        let start = vector["start"].as_str().expect("start");
        (vector["routes"].clone(), start)
    };
    let server = Server::start(&routes);
    let mut limits = FetchLimits::default();
    if let Some(bytes) = vector["max_body_option"].as_u64() {
        limits.body_bytes_max = bytes;
        limits.decoded_bytes_max = bytes;
    }
    let url = Url::parse(&format!("{}{start}", server.origin)).expect("a URL");
    let printed = printed(runtime, url, &limits);
    if sniff {
        return same_type(
            &printed.content_type,
            vector["expected"]["type"].as_str().expect("type"),
        );
    }
    holds(&vector["expected"], &printed, &server)
}

fn printed(runtime: &tokio::runtime::Runtime, url: Url, limits: &FetchLimits) -> Printed {
    let fetcher = HttpFetcher::new(HttpConfig {
        limits: limits.clone(),
        allow_private: true,
        ..HttpConfig::default()
    })
    .expect("a fetcher");
    let request = FetchRequest::page(url.clone());
    let followed: Followed = runtime.block_on(follow(&fetcher, request, limits.redirects_max));
    let final_url = followed.final_url(&url).to_string();
    let Ok(fetched) = &followed.result else {
        return Printed {
            error: true,
            status: None,
            final_url,
            body: Vec::new(),
            content_type: String::new(),
            truncated: false,
            retry_after: None,
        };
    };
    let decoding = fetched.decoded(limits);
    let declared = fetched.content_type();
    #[expect(
        clippy::disallowed_methods,
        reason = "a date in an answer is compared with today's"
    )]
    let now = SystemTime::now();
    Printed {
        error: followed.stopped.is_some(),
        status: Some(fetched.status),
        final_url,
        content_type: sniff_content_type(declared.as_deref(), &decoding.bytes),
        truncated: fetched.truncated.is_some() || decoding.stopped.is_some(),
        retry_after: fetched.retry_after(now).map(|wait| wait.as_secs()),
        body: decoding.bytes,
    }
}

fn same_type(got: &str, wanted: &str) -> bool {
    let alike = [
        ["text/xml", "application/xml"],
        ["application/x-gzip", "application/gzip"],
    ];
    got == wanted
        || alike
            .iter()
            .any(|a| a.contains(&got) && a.contains(&wanted))
}

fn holds(expected: &Value, printed: &Printed, server: &Server) -> bool {
    let sha: String = Sha256::digest(&printed.body)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let status = printed.status.map(u64::from);
    let keys = expected.as_object().expect("expected");
    keys.iter().all(|(key, value)| match key.as_str() {
        "no_hang" => true,
        "error" => printed.error,
        "error_or_status" => printed.error || status == value.as_u64(),
        "error_or_sha" => printed.error || value == &sha,
        "status" => status == value.as_u64(),
        "final_path" => {
            let path = value.as_str().expect("path");
            printed.final_url.split('#').next() == Some(&format!("{}{path}", server.origin))
        }
        "body_sha256" => value == &sha,
        "not_sha" => value != &sha,
        "flag" => printed.error || printed.truncated,
        "max_body" => printed.error || (printed.body.len() as u64) < value.as_u64().expect("bytes"),
        "requests" => value == &json!(server.requests()),
        "max_requests" => server.requests().len() as u64 <= value.as_u64().expect("count"),
        "retry_after" => printed.retry_after == value.as_u64(),
        "retry_after_present" => printed.retry_after.is_some_and(|seconds| seconds > 0),
        other => panic!("expectation {other}"),
    })
}
