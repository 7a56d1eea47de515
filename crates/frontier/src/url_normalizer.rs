//! URLs without what was found to change nothing: session ids, tracking, print versions. It is called a
//! parameter here, though it may also stand in the path (see `path_ids`).
//!
//! Which parameters these are is learnt by host, and by form of URLs (`url_form`), from pages that
//! were read (see `parameters`). What changes nothing on a host changes nothing in any form. A
//! [`UrlNormalizer`] is a handle on what has been learnt so far: clones share it, so whoever
//! compares URLs keeps one and needs no access to the frontier.
//!
//! The order of a URL's parameters is one more such thing, by the name of [`ORDER`]: where it changes
//! nothing, a URL is written with its parameters sorted by name. Those of one name (`a[]=1&a[]=2`) keep
//! their order in any case.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use xxhash_rust::xxh3::xxh3_64;

use crate::host::HostKey;
use crate::url::CanonicalUrl;
use crate::url_form;

/// What the order of a URL's parameters is called beside the names of parameters; none has a blank in it.
pub const ORDER: &str = "the order of parameters";

/// Knows which parameters change nothing, on which host or in which form of URLs.
#[derive(Debug, Clone, Default)]
pub struct UrlNormalizer {
    ignored: Arc<RwLock<Ignored>>,
}

#[derive(Debug, Default)]
struct Ignored {
    /// Keys of host and parameter, each with whether its values are opaque.
    on_hosts: hashbrown::HashMap<u64, bool>,
    /// Keys of form and parameter, each with whether so many pages say it that it holds though the parameter changes others of the
    /// host.
    in_forms: hashbrown::HashMap<u64, bool>,
    /// What is known of host and parameter, so that most names are known to be none without their form.
    by_name: hashbrown::HashMap<u64, ByName>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ByName {
    /// Forms in which it changes nothing.
    forms: u32,
    /// It changes some page of the host.
    matters: bool,
}

impl UrlNormalizer {
    /// The URL without the parameters that change nothing on its host; sorted, if their order changes
    /// nothing.
    pub fn normalized(&self, url: &CanonicalUrl) -> String {
        self.less(url, &url.host(), |name| self.ignores(url, name))
    }

    /// The URL without the opaque ones among them, of one that has any or may be written in another order
    /// that changes nothing.
    pub fn without_opaque(&self, url: &CanonicalUrl) -> Option<String> {
        let host = url.host();
        let is_opaque = |name: &str| self.is_opaque(&host, name);
        let has_any = url.variables().any(|(name, _)| is_opaque(name))
            || self.ignores_on(&host, ORDER) && has_orders(url);
        has_any.then(|| self.less(url, &host, is_opaque))
    }

    fn less(
        &self,
        url: &CanonicalUrl,
        host: &HostKey,
        is_left_out: impl Fn(&str) -> bool,
    ) -> String {
        let in_order = match self.ignores_on(host, ORDER) {
            true => url.in_order().and_then(|url| CanonicalUrl::trusted(&url)),
            false => None,
        };
        in_order.as_ref().unwrap_or(url).without(is_left_out)
    }

    /// Whether a parameter changes nothing in a URL: on its host, or in its form.
    pub fn ignores(&self, url: &CanonicalUrl, parameter: &str) -> bool {
        let host = url.host();
        self.ignores_on(&host, parameter) || self.ignores_in_form(url, parameter)
    }

    /// Whether a parameter, or [`ORDER`], changes nothing on a host.
    pub fn ignores_on(&self, host: &HostKey, parameter: &str) -> bool {
        self.opaque(host, parameter).is_some()
    }

    fn ignores_in_form(&self, url: &CanonicalUrl, parameter: &str) -> bool {
        let by_name = parameter_key(&url.host(), parameter);
        if !self.read().by_name.contains_key(&by_name) {
            return false;
        }
        let key = form_key(&self.form(url, parameter), parameter);
        self.read().in_forms.contains_key(&key)
    }

    /// Whether a parameter that changes nothing in a URL may do so all the same: it changes other pages of the host, and
    /// few of the URL's form were compared.
    pub fn is_doubtful(&self, url: &CanonicalUrl, parameter: &str) -> bool {
        let host = url.host();
        if self.ignores_on(&host, parameter) {
            return false;
        }
        let by_name = self
            .read()
            .by_name
            .get(&parameter_key(&host, parameter))
            .copied();
        if !by_name.is_some_and(|by_name| by_name.matters) {
            return false;
        }
        let key = form_key(&self.form(url, parameter), parameter);
        let in_form = self.read().in_forms.get(&key).copied();
        in_form == Some(false)
    }

    /// The form of a URL that a parameter stands in, in words.
    pub(crate) fn form(&self, url: &CanonicalUrl, parameter: &str) -> String {
        let host = url.host();
        url_form::of_parameter(url, parameter, |name| self.ignores_on(&host, name))
    }

    /// Where a parameter is known to change nothing that does so in a URL: its host, or its form.
    pub fn place(&self, url: &CanonicalUrl, parameter: &str) -> String {
        let host = url.host();
        match self.ignores_on(&host, parameter) || !self.ignores_in_form(url, parameter) {
            true => host.to_string(),
            false => self.form(url, parameter),
        }
    }

    /// The parameters of a URL that change nothing, and [`ORDER`] where the others are not sorted though
    /// their order changes nothing.
    pub fn ignored_in<'u>(&self, url: &'u CanonicalUrl) -> Vec<&'u str> {
        let is_ignored = |name: &str| self.ignores(url, name);
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
        let key = parameter_key(host, parameter);
        self.read().on_hosts.get(&key).copied()
    }

    /// Notes what is known of a parameter, by [`parameter_key`]: none when it may change something,
    /// else whether its values are opaque.
    pub(crate) fn set(&self, parameter: u64, changes_nothing: Option<bool>) {
        let mut ignored = self.ignored.write().unwrap_or_else(PoisonError::into_inner);
        match changes_nothing {
            Some(is_opaque) => ignored.on_hosts.insert(parameter, is_opaque),
            None => ignored.on_hosts.remove(&parameter),
        };
    }

    /// The same of a parameter in a form, by [`form_key`] and [`parameter_key`]: none when it may change something, else whether
    /// that is sure.
    pub(crate) fn set_in_form(&self, form: u64, parameter: u64, changes_nothing: Option<bool>) {
        let mut ignored = self.ignored.write().unwrap_or_else(PoisonError::into_inner);
        let Ignored {
            in_forms, by_name, ..
        } = &mut *ignored;
        match changes_nothing {
            Some(is_sure) if in_forms.insert(form, is_sure).is_none() => {
                by_name.entry(parameter).or_default().forms += 1;
            }
            None if in_forms.remove(&form).is_some() => {
                let by = by_name.entry(parameter).or_default();
                by.forms = by.forms.saturating_sub(1);
                if by.forms == 0 {
                    by_name.remove(&parameter);
                }
            }
            Some(_) | None => {}
        }
    }

    /// Notes whether a parameter changes some page of its host, where there are forms in which it changes nothing.
    pub(crate) fn set_matters(&self, parameter: u64, matters: bool) {
        let mut ignored = self.ignored.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(by_name) = ignored.by_name.get_mut(&parameter) {
            by_name.matters = matters;
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Ignored> {
        self.ignored.read().unwrap_or_else(PoisonError::into_inner)
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

/// Names a parameter of a form.
pub(crate) fn form_key(form: &str, name: &str) -> u64 {
    xxh3_64([form, " ", name].concat().as_bytes())
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
        assert!(!shared.ignores_on(&host, "sid"));
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
