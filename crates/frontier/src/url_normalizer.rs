//! URLs without what was found to change nothing: session ids, tracking, print versions. It is called a
//! parameter here, though it may also stand in the path (see `path_ids`).
//!
//! Which parameters these are is learnt by host from pages that were read (see `parameters`). A
//! [`UrlNormalizer`] is a handle on what has been learnt so far: clones share it, so whoever
//! compares URLs keeps one and needs no access to the frontier.
//!
//! The order of a URL's parameters is one more such thing, by the name of [`ORDER`]: where it changes
//! nothing, a URL is written with its parameters sorted by name. Those of one name (`a[]=1&a[]=2`) keep
//! their order in any case.

use std::sync::{Arc, PoisonError, RwLock};

use xxhash_rust::xxh3::xxh3_64;

use crate::host::HostKey;
use crate::url::CanonicalUrl;

/// What the order of a URL's parameters is called beside the names of parameters; none has a blank in it.
pub const ORDER: &str = "the order of parameters";

/// Knows which parameters change nothing on which host.
#[derive(Debug, Clone, Default)]
pub struct UrlNormalizer {
    /// Keys of host and parameter, each with whether its values are opaque.
    ignored: Arc<RwLock<hashbrown::HashMap<u64, bool>>>,
}

impl UrlNormalizer {
    /// The URL without the parameters that change nothing on its host; sorted, if their order changes
    /// nothing.
    pub fn normalized(&self, url: &CanonicalUrl) -> String {
        let host = url.host();
        self.less(url, &host, |name| self.ignores(&host, name))
    }

    /// The URL without the opaque ones among them, of one that has any or may be written in another order
    /// that changes nothing.
    pub fn without_opaque(&self, url: &CanonicalUrl) -> Option<String> {
        let host = url.host();
        let is_opaque = |name: &str| self.is_opaque(&host, name);
        let has_any = url.variables().any(|(name, _)| is_opaque(name))
            || self.ignores(&host, ORDER) && has_orders(url);
        has_any.then(|| self.less(url, &host, is_opaque))
    }

    fn less(
        &self,
        url: &CanonicalUrl,
        host: &HostKey,
        is_left_out: impl Fn(&str) -> bool,
    ) -> String {
        let in_order = match self.ignores(host, ORDER) {
            true => url.in_order().and_then(|url| CanonicalUrl::trusted(&url)),
            false => None,
        };
        in_order.as_ref().unwrap_or(url).without(is_left_out)
    }

    /// Whether a parameter changes nothing on a host.
    pub fn ignores(&self, host: &HostKey, parameter: &str) -> bool {
        self.opaque(host, parameter).is_some()
    }

    /// The parameters of a URL that change nothing, and [`ORDER`] where the others are not sorted though
    /// their order changes nothing.
    pub fn ignored_in<'u>(&self, url: &'u CanonicalUrl) -> Vec<&'u str> {
        let host = url.host();
        let is_ignored = |name: &str| self.ignores(&host, name);
        let names = url.variables().map(|(name, _)| name);
        let mut ignored: Vec<&str> = names.filter(|name| is_ignored(name)).collect();
        if is_ignored(ORDER) && url.without(is_ignored) != self.normalized(url) {
            ignored.push(ORDER);
        }
        ignored
    }

    /// Whether a parameter changes nothing and its values are opaque: ids that are made for the
    /// reader and not for the page, so that one value stands for any other.
    pub fn is_opaque(&self, host: &HostKey, parameter: &str) -> bool {
        self.opaque(host, parameter) == Some(true)
    }

    pub(crate) fn opaque(&self, host: &HostKey, parameter: &str) -> Option<bool> {
        let ignored = self.ignored.read().unwrap_or_else(PoisonError::into_inner);
        ignored.get(&parameter_key(host, parameter)).copied()
    }

    /// Notes what is known of a parameter, by [`parameter_key`]: none when it may change something,
    /// else whether its values are opaque.
    pub(crate) fn set(&self, parameter: u64, changes_nothing: Option<bool>) {
        let mut ignored = self.ignored.write().unwrap_or_else(PoisonError::into_inner);
        match changes_nothing {
            Some(is_opaque) => ignored.insert(parameter, is_opaque),
            None => ignored.remove(&parameter),
        };
    }
}

/// Whether a URL has parameters of two names, which may stand in another order.
pub(crate) fn has_orders(url: &CanonicalUrl) -> bool {
    let mut names = url.parameters().map(|(name, _)| name);
    let first = names.next();
    names.any(|name| Some(name) != first)
}

/// Names a host's parameter.
pub(crate) fn parameter_key(host: &HostKey, name: &str) -> u64 {
    xxh3_64([host.as_str(), "?", name].concat().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_nothing_on_a_host_is_left_out_there_and_only_there() {
        let normalizer = UrlNormalizer::default();
        let shared = normalizer.clone();
        let url = |text: &str| CanonicalUrl::parse(text).expect(text);
        let host = url("http://a.example/").host();
        normalizer.set(parameter_key(&host, "sid"), Some(true));
        assert!(shared.is_opaque(&host, "sid"));
        #[track_caller]
        fn check(normalizer: &UrlNormalizer, text: &str, expected: &str) {
            let url = CanonicalUrl::parse(text).expect(text);
            assert_eq!(normalizer.normalized(&url), expected);
        }
        check(&shared, "http://a.example/x?sid=7", "http://a.example/x");
        check(
            &shared,
            "http://a.example/x?id=1&sid=7&p=2",
            "http://a.example/x?id=1&p=2",
        );
        check(
            &shared,
            "http://b.example/x?sid=7",
            "http://b.example/x?sid=7",
        );
        normalizer.set(parameter_key(&host, ";sid"), Some(true));
        normalizer.set(parameter_key(&host, "(S(…))"), Some(true));
        check(
            &shared,
            "http://a.example/(S(1))/x;sid=7;v=1?p=2",
            "http://a.example/x;v=1?p=2",
        );
        normalizer.set(parameter_key(&host, "sid"), None);
        assert!(!shared.ignores(&host, "sid"));
    }

    #[test]
    fn where_order_changes_nothing_parameters_are_sorted_by_name_and_those_of_one_name_left_alone()
    {
        let normalizer = UrlNormalizer::default();
        let url = |text: &str| CanonicalUrl::parse(text).expect(text);
        let (mixed, sorted) = (
            url("http://a.example/?b=2&a[]=2&sid=7&a[]=1"),
            url("http://a.example/?a[]=2&a[]=1&b=2"),
        );
        assert_eq!(normalizer.normalized(&mixed), mixed.as_str());
        normalizer.set(parameter_key(&mixed.host(), ORDER), Some(true));
        normalizer.set(parameter_key(&mixed.host(), "sid"), Some(false));
        assert_eq!(normalizer.normalized(&mixed), sorted.as_str());
        assert_eq!(normalizer.ignored_in(&mixed), ["sid", ORDER]);
        assert!(normalizer.ignored_in(&sorted).is_empty());
        // Order is opaque, `sid` lets the reader choose.
        assert_eq!(
            normalizer.without_opaque(&mixed).as_deref(),
            Some("http://a.example/?a[]=2&a[]=1&b=2&sid=7")
        );
        let elsewhere = url("http://b.example/?b=2&a=1");
        assert_eq!(normalizer.normalized(&elsewhere), elsewhere.as_str());
        assert_eq!(
            normalizer.without_opaque(&url("http://a.example/?a=1&a=2")),
            None
        );
    }
}
