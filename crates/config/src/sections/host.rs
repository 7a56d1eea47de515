//! `[host."example.org"]`: overrides for one host.

use std::time::Duration;

use frontier::{HostLimits, typed_host};

use super::scope::host_alone;
use crate::crawl_config::CrawlConfig;
use crate::rule::{any, at_least, if_set};
use crate::section::{Section, keys};
use crate::units::Span;

keys! {
    /// Overrides for one host, named as in its URLs, with its port if that is not the usual one.
    pub struct HostSection {
        /// Between requests to this host.
        delay: Option<Span> = None, any();

        /// Requests to this host at once.
        connections: Option<usize> = None, if_set(at_least(1).unit("connections"));

        /// Finished pages of this host.
        max_pages: Option<u64> = None, any().unit("pages");
    }
}

impl Section for HostSection {
    fn check_name(name: &str) -> Result<(), (String, String)> {
        if name.contains('*') {
            return Err((
                "is more than one host".into(),
                "write a table for each host, by its whole name".into(),
            ));
        }
        host_alone(name)?;
        match name.strip_suffix(":443") {
            Some(bare) => Err((
                "names the usual port of https, which no URL is known by".into(),
                format!("write the host alone: {bare:?}"),
            )),
            None => Ok(()),
        }
    }

    fn meant_by(name: &str) -> String {
        typed_host(name)
    }
}

impl CrawlConfig {
    /// What holds for single hosts, by the names under which the frontier knows them.
    pub(crate) fn limits_by_host(&self) -> impl Iterator<Item = (String, HostLimits)> {
        self.host.iter().map(|(host, own)| {
            let limits = HostLimits {
                delay: own.delay.map(|delay| delay.0),
                connections: own.connections,
                pages: own.max_pages,
            };
            (typed_host(host), limits)
        })
    }

    /// `max_pages` of one host, by the name under which the frontier knows it.
    pub fn max_pages_of(&self, host: &str) -> Option<u64> {
        let mut limits = self.limits_by_host();
        limits.find_map(|(name, limits)| limits.pages.filter(|_| name == host))
    }

    /// The hosts of which something is said, by the same names.
    pub fn named_hosts(&self) -> impl Iterator<Item = String> {
        self.limits_by_host().map(|(host, _)| host)
    }

    /// The delays of hosts that have their own.
    pub fn delays_by_host(&self) -> impl Iterator<Item = (String, Duration)> {
        let limits = self.limits_by_host();
        limits.filter_map(|(host, limits)| Some((host, limits.delay?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_for_one_host_in_any_spelling() {
        for good in ["a.example", "A.example:8080", "bücher.example", "192.0.2.1"] {
            assert_eq!(HostSection::check_name(good), Ok(()), "{good}");
        }
        for bad in [
            "*.a.example",
            "https://a.example/",
            "a.example/x",
            "",
            "a b",
            "a.example:443",
        ] {
            assert!(HostSection::check_name(bad).is_err(), "{bad}");
        }
        let (_, mend) = HostSection::check_name("https://a.example/").expect_err("is a URL");
        assert_eq!(mend, "write the host alone: \"a.example\"");
    }

    #[test]
    fn a_table_holds_for_its_host_in_any_spelling() {
        // `max_pages` was looked up as it was written.
        let mut config = CrawlConfig::default();
        config.host.entry("A.Example".into()).or_default().max_pages = Some(3);
        assert_eq!(config.max_pages_of("a.example"), Some(3));
        assert_eq!(config.max_pages_of("b.example"), None);
    }
}
