//! What the writer remembers of kept pages and of hosts, beside the fingerprints.
//!
//! A view like the others: rebuilt by replay. Some 200 bytes a kept page.

use std::collections::{HashMap, HashSet};

use archive::PageSummary;
use frontier::{CanonicalUrl, HostKey};

/// Hosts remembered at most; a crawl that meets more reads no sitemaps of the rest.
const HOSTS_MAX: usize = 1_000_000;

/// A kept page, as far as verdicts on later pages need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPage {
    /// Canonical URL.
    pub url: Box<str>,
    /// SimHash of its tag paths.
    pub layout: u64,
    /// Words of its main text.
    pub words: u32,
    /// Published date, ISO 8601.
    pub published: Option<String>,
    /// The URL it names as canonical.
    pub canonical: Option<String>,
}

impl KeptPage {
    /// Whether it is a page of this host.
    pub fn is_on(&self, host: &str) -> bool {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        rest.strip_prefix(host)
            .is_some_and(|path| path.starts_with('/'))
    }

    /// What is remembered of a recorded page.
    pub fn of(url: &str, page: &PageSummary) -> Self {
        Self {
            url: url.into(),
            layout: u64::from_str_radix(&page.layout, 16).unwrap_or(0),
            words: page.words,
            published: page.published.clone(),
            // Most pages name themselves: not worth the memory.
            canonical: page.canonical.clone().filter(|canonical| canonical != url),
        }
    }
}

/// Kept pages by record number, and hosts by key.
#[derive(Debug, Default)]
pub struct KeptPages {
    pages: HashMap<u64, KeptPage>,
    seeds_of_hosts: HashMap<HostKey, u32>,
    sitemaps_of_hosts: HashMap<HostKey, usize>,
    /// The sitemaps that were counted.
    sitemaps: HashSet<u128>,
}

impl KeptPages {
    /// A kept page.
    pub fn get(&self, seq: u64) -> Option<&KeptPage> {
        self.pages.get(&seq)
    }

    /// Remembers a kept page.
    pub fn insert(&mut self, seq: u64, page: KeptPage) {
        self.pages.insert(seq, page);
    }

    /// Forgets a page that left the index.
    pub fn remove(&mut self, seq: u64) -> Option<KeptPage> {
        self.pages.remove(&seq)
    }

    /// Pages kept now.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether no page is kept.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// All kept pages, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &KeptPage)> {
        self.pages.iter().map(|(&seq, page)| (seq, page))
    }

    /// Remembers which seed first led to a host.
    pub fn note_host(&mut self, host: &HostKey, seed: u32) {
        if self.seeds_of_hosts.len() < HOSTS_MAX && !self.seeds_of_hosts.contains_key(host) {
            self.seeds_of_hosts.insert(host.clone(), seed);
        }
    }

    /// The seed that first led to a host.
    pub fn seed_of_host(&self, host: &HostKey) -> Option<u32> {
        self.seeds_of_hosts.get(host).copied()
    }

    /// Sitemaps counted for a host; as many as can be for one more host than are remembered.
    pub fn sitemaps_of_host(&self, host: &HostKey) -> usize {
        match self.sitemaps_of_hosts.get(host) {
            Some(&count) => count,
            None if self.sitemaps_of_hosts.len() >= HOSTS_MAX => usize::MAX,
            None => 0,
        }
    }

    /// Counts a sitemap for its host, once: each start and each day asks for robots.txt anew, and
    /// it names the same ones again.
    pub fn count_sitemap(&mut self, url: &CanonicalUrl) {
        let host = url.host();
        if self.sitemaps_of_host(&host) < usize::MAX && self.sitemaps.insert(url.key()) {
            *self.sitemaps_of_hosts.entry(host).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sitemap_that_is_named_again_counts_once() {
        // A few restarts used up the bound of a host whose robots.txt names many sitemaps.
        let mut kept = KeptPages::default();
        let url = |path| CanonicalUrl::parse(&format!("http://a.example/{path}")).expect("a URL");
        for _ in 0..3 {
            kept.count_sitemap(&url("one.xml"));
            kept.count_sitemap(&url("two.xml"));
        }
        assert_eq!(kept.sitemaps_of_host(&url("").host()), 2);
    }
}
