//! Which pages were read, under whichever of their URLs.
//!
//! That a parameter changes nothing is found out long after the first pages that carry it were
//! read. So a page is noted under its plain URL and, with their names, without each of its
//! parameters; when it is asked for, those count that have been found to change nothing since. A
//! page that was never read does not pass for read: `list?page=2` does not stand for `list` unless
//! `page` changes nothing. So it is with the order of its parameters.

use std::collections::HashSet;

use frontier::{CanonicalUrl, HostKey, ORDER, UrlNormalizer};
use recent::{RecentMap, RecentSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// URLs that are noted. Of more, those read longest ago are forgotten, and do not pass for read.
const FORMS_MAX: usize = 4_000_000;
/// Parameters of one URL that are left out in turn.
const PARAMETERS_MAX: usize = 4;
/// Hosts whose parameters are known by name; of more, those read longest ago are forgotten.
const HOSTS_MAX: usize = 100_000;
/// Names of parameters of one host.
const NAMES_MAX: usize = 16;

/// The pages that were read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReadUrls {
    /// Hashes of URLs and of their shorter forms, each with the names of what it leaves out added.
    forms: RecentSet<u64>,
    /// Parameters that some form of a URL of a host leaves out.
    names: RecentMap<HostKey, Vec<String>>,
}

impl Default for ReadUrls {
    fn default() -> Self {
        Self::with_max(FORMS_MAX, HOSTS_MAX)
    }
}

impl ReadUrls {
    fn with_max(forms_max: usize, hosts_max: usize) -> Self {
        Self {
            forms: RecentSet::with_max(forms_max),
            names: RecentMap::with_max(hosts_max),
        }
    }

    /// Notes a page that was read.
    pub(crate) fn note(&mut self, url: &CanonicalUrl, normalizer: &UrlNormalizer) {
        let Ok(plain) = CanonicalUrl::parse(&normalizer.normalized(url)) else {
            return;
        };
        let optional: Vec<&str> = plain.variables().map(|(name, _)| name).collect();
        let optional = &optional[..optional.len().min(PARAMETERS_MAX)];
        for chosen in 0..1u32 << optional.len() {
            let is_left_out = |at: usize| at < optional.len() && chosen >> at & 1 == 1;
            self.forms.insert(hash_without(&plain, is_left_out));
            if let Some(hash) = hash_in_order(&plain, is_left_out) {
                self.forms.insert(add_name(hash, ORDER));
            }
        }
        // Its plain URL was not read itself: it is found by what it leaves out.
        let mut idle = normalizer.ignored_in(url);
        let mut known = HashSet::new();
        idle.retain(|name| known.insert(*name));
        if !idle.is_empty() {
            let hash = hash_without(&plain, |_| false);
            let hash = idle.iter().fold(hash, |hash, name| add_name(hash, name));
            self.forms.insert(hash);
        }
        if optional.is_empty() && idle.is_empty() {
            return;
        }
        let names = self.names.entry(plain.host(), |_, _| {});
        let idle = idle.iter().filter(|name| **name != ORDER);
        for name in optional.iter().chain(idle) {
            if names.len() < NAMES_MAX && names.iter().all(|known| known != name) {
                names.push((*name).to_owned());
            }
        }
    }

    /// Whether pages were forgotten: one that is not found may have been read.
    pub(crate) fn forgot(&self) -> bool {
        self.forms.forgot()
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
        let idle = names.filter(|name| normalizer.ignores(&plain, name));
        let idle = idle.take(PARAMETERS_MAX).map(String::as_str);
        let order = normalizer.ignores_on(&host, ORDER).then_some(ORDER);
        for name in idle.chain(order) {
            let with = ways.iter().map(|(hash, names): &(u64, Vec<&str>)| {
                let names = names.iter().copied().chain([name]);
                (add_name(*hash, name), names.collect())
            });
            let with: Vec<_> = with.collect();
            ways.extend(with);
        }
        let mut ways = ways.into_iter().rev();
        let found = ways.find(|(hash, _)| self.forms.contains(hash));
        found.map(|(_, names)| names)
    }
}

/// A hash of the URL without some of its variables, and of the names of these.
fn hash_without(url: &CanonicalUrl, is_left_out: impl Fn(usize) -> bool) -> u64 {
    let kept = url.variables().enumerate();
    let kept = kept.filter(|(at, _)| !is_left_out(*at));
    let kept: Vec<_> = kept.map(|(_, variable)| variable).collect();
    hash_of(url, &kept, is_left_out)
}

/// The same with the others sorted by name; `None` where they are.
fn hash_in_order(url: &CanonicalUrl, is_left_out: impl Fn(usize) -> bool) -> Option<u64> {
    let count = url.parameters().count();
    let kept = url.variables().enumerate();
    let kept = kept.filter(|(at, _)| !is_left_out(*at));
    let mut kept: Vec<_> = kept.collect();
    // What stands in the path has its place.
    let in_query = kept.partition_point(|(at, _)| *at < count);
    let in_query = &mut kept[..in_query];
    if in_query.is_sorted_by_key(|(_, (name, _))| *name) {
        return None;
    }
    in_query.sort_by_key(|(_, (name, _))| *name);
    let kept: Vec<_> = kept.into_iter().map(|(_, variable)| variable).collect();
    Some(hash_of(url, &kept, is_left_out))
}

fn hash_of(url: &CanonicalUrl, kept: &[(&str, &str)], is_left_out: impl Fn(usize) -> bool) -> u64 {
    let path = url.path_and_query();
    let origin = url.as_str().strip_suffix(path).unwrap_or_default();
    let mut text = [origin, &url.bare_path()].concat();
    for (name, value) in kept {
        text.extend(["&", name, "=", value]);
    }
    let left_out = url.variables().enumerate();
    let left_out = left_out.filter(|(at, _)| is_left_out(*at));
    left_out.fold(xxh3_64(text.as_bytes()), |hash, (_, (name, _))| {
        add_name(hash, name)
    })
}

/// A sum, so that the order of names is nothing, but the same name twice is not nothing.
fn add_name(hash: u64, name: &str) -> u64 {
    hash.wrapping_add(xxh3_64(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_does_not_pass_for_read_in_another_order_where_order_may_matter() {
        let mut read = ReadUrls::default();
        let normalizer = UrlNormalizer::default();
        let page = CanonicalUrl::parse("http://a.example/?b=1&a=2&c=3").unwrap();
        read.note(&page, &normalizer);
        assert!(read.contains(page.as_str(), &normalizer));
        assert!(!read.contains("http://a.example/?a=2&b=1&c=3", &normalizer));
    }

    #[test]
    fn at_the_bound_the_pages_read_longest_ago_are_forgotten_and_new_ones_are_noted() {
        let mut read = ReadUrls::with_max(64, 4);
        let normalizer = UrlNormalizer::default();
        let url = |number: u32| format!("http://h{}.example/{number}?sid={number}", number % 10);
        for number in 0..200 {
            assert!(!read.forgot() || number > 10);
            let page = CanonicalUrl::parse(&url(number)).unwrap();
            read.note(&page, &normalizer);
            assert!(read.contains(&url(number), &normalizer), "{number}");
        }
        assert!(read.forgot() && !read.contains(&url(0), &normalizer));
        assert!(read.forms.len() <= 64 && read.names.len() <= 4);
    }
}
