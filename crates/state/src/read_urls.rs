//! Which pages were read, under whichever of their URLs.
//!
//! That a parameter changes nothing is found out long after the first pages that carry it were
//! read. So a page is noted under its plain URL and, with their names, without each of its
//! parameters; when it is asked for, those count that have been found to change nothing since. A
//! page that was never read does not pass for read: `list?page=2` does not stand for `list` unless
//! `page` changes nothing.

use std::collections::{HashMap, HashSet};

use frontier::{CanonicalUrl, HostKey, UrlNormalizer};
use xxhash_rust::xxh3::xxh3_64;

/// URLs that are noted; of more pages, none passes for read.
const FORMS_MAX: usize = 4_000_000;
/// Parameters of one URL that are left out in turn.
const PARAMETERS_MAX: usize = 4;
/// Hosts whose parameters are known by name.
const HOSTS_MAX: usize = 100_000;
/// Names of parameters of one host.
const NAMES_MAX: usize = 16;

/// The pages that were read.
#[derive(Debug, Default)]
pub(crate) struct ReadUrls {
    /// Hashes of URLs and of their shorter forms, each with the names of what it leaves out added.
    forms: HashSet<u64>,
    /// Parameters that some form of a URL of a host leaves out.
    names: HashMap<HostKey, Vec<String>>,
}

impl ReadUrls {
    /// Notes a page that was read.
    pub(crate) fn note(&mut self, url: &CanonicalUrl, normalizer: &UrlNormalizer) {
        if self.is_full() {
            return;
        }
        let Ok(plain) = CanonicalUrl::parse(&normalizer.normalized(url)) else {
            return;
        };
        let optional: Vec<&str> = plain.parameters().map(|(name, _)| name).collect();
        let optional = &optional[..optional.len().min(PARAMETERS_MAX)];
        for chosen in 0..1u32 << optional.len() {
            let is_left_out = |at: usize| at < optional.len() && chosen >> at & 1 == 1;
            self.forms.insert(hash_without(&plain, is_left_out));
        }
        if optional.is_empty() || self.names.len() >= HOSTS_MAX {
            return;
        }
        let names = self.names.entry(plain.host()).or_default();
        for name in optional {
            if names.len() < NAMES_MAX && names.iter().all(|known| known != name) {
                names.push((*name).to_owned());
            }
        }
    }

    /// Whether further pages are not noted.
    pub(crate) fn is_full(&self) -> bool {
        self.forms.len() >= FORMS_MAX
    }

    /// Whether a page was read under this URL, or under one that differs from it in parameters that
    /// change nothing.
    pub(crate) fn contains(&self, url: &str, normalizer: &UrlNormalizer) -> bool {
        self.find(url, normalizer).is_some()
    }

    /// The parameters that the page which was read has, and this URL has not; none when no page was
    /// read that differs from it in such parameters alone.
    pub(crate) fn find(&self, url: &str, normalizer: &UrlNormalizer) -> Option<Vec<&str>> {
        let plain = CanonicalUrl::parse(url).ok()?;
        let plain = CanonicalUrl::parse(&normalizer.normalized(&plain)).ok()?;
        let host = plain.host();
        let mut ways = vec![(hash_without(&plain, |_| false), Vec::new())];
        let names = self.names.get(&host).into_iter().flatten();
        let idle = names.filter(|name| normalizer.ignores(&host, name));
        for name in idle.take(PARAMETERS_MAX) {
            let with = ways.iter().map(|(hash, names): &(u64, Vec<&str>)| {
                let names = names.iter().copied().chain([name.as_str()]);
                (add_name(*hash, name), names.collect())
            });
            let with: Vec<_> = with.collect();
            ways.extend(with);
        }
        let found = ways.into_iter().find(|(hash, _)| self.forms.contains(hash));
        found.map(|(_, names)| names)
    }
}

/// A hash of the URL without some of its parameters, and of the names of these.
fn hash_without(url: &CanonicalUrl, is_left_out: impl Fn(usize) -> bool) -> u64 {
    let before = url.as_str().split('?').next().unwrap_or_default();
    let kept = url.parameters().enumerate();
    let kept = kept.filter(|(at, _)| !is_left_out(*at));
    let text = kept.fold(before.to_owned(), |mut text, (_, (name, value))| {
        text.extend(["&", name, "=", value]);
        text
    });
    let left_out = url.parameters().enumerate();
    let left_out = left_out.filter(|(at, _)| is_left_out(*at));
    left_out.fold(xxh3_64(text.as_bytes()), |hash, (_, (name, _))| {
        add_name(hash, name)
    })
}

/// A sum, so that the order of names is nothing, but the same name twice is not nothing.
fn add_name(hash: u64, name: &str) -> u64 {
    hash.wrapping_add(xxh3_64(name.as_bytes()))
}
