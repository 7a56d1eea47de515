//! What groups of URLs yield: a group is the URLs of one form on one host. A page that is not kept, such as a list,
//! is worth its fetch once a page that it led to was.
//!
//! Facets combine: a shop's lists by colour, size and price have as many forms as these have subsets. So each
//! parameter is a group as well, whatever stands beside it, and a form yields at first what the least of its
//! parameters does: the prior of its own pages (partial pooling; Gelman and Hill 2007). What is done to a page
//! may as well end its path, `/wiki/a/edit`: URLs yield no more than those that end so do.

use recent::RecentMap;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::rule::url_host;
use crate::hashing::split_mix;
use crate::url_parts::{UrlParts, ending_form, parameter_forms, url_form};

/// Groups that are remembered. Of more, those of which no page was fetched for longest are forgotten.
const GROUPS_MAX: usize = 1 << 17;
/// When a group has so many pages, its counts are halved: what it yielded long ago counts less.
const PAGES_MAX: u32 = 10_000;
/// Pages added to those of a group that were worth their fetch, and to all of them: a group sinks only
/// as fast as its pages become known.
const OPTIMISM: f32 = 1.5;
/// Pages of a form from which on it may be known as a good one.
const KNOWN_MIN: u32 = 3;
/// A form yields little where it yields less than this share of what its host does.
const OF_HOST_MIN: f32 = 0.25;

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct GroupYield {
    pages: u32,
    /// Duplicates, thin pages, traps.
    worthless: u32,
}

/// The yields of the groups.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct GroupYields {
    groups: RecentMap<u64, GroupYield>,
}

impl Default for GroupYields {
    fn default() -> Self {
        Self {
            groups: RecentMap::with_max(GROUPS_MAX),
        }
    }
}

impl GroupYields {
    /// Counts a fetched URL, and whether it was worth the fetch.
    pub(super) fn observe(&mut self, url: &Url, was_worth_it: bool) {
        let (own, ending, parameters) = group_keys(url);
        let host = host_key(url);
        for key in parameters.chain([own, host]).chain(ending) {
            let group = self.groups.entry(key, |_, _| {});
            if group.pages >= PAGES_MAX {
                group.pages /= 2;
                group.worthless /= 2;
            }
            group.pages += 1;
            group.worthless += u32::from(!was_worth_it);
        }
    }

    /// Takes back that a URL was not worth its fetch: it led to one that was.
    pub(super) fn redeem(&mut self, url: &Url) {
        let (own, ending, parameters) = group_keys(url);
        for key in parameters.chain([own, host_key(url)]).chain(ending) {
            if let Some(group) = self.groups.get_mut(&key) {
                group.worthless = group.worthless.saturating_sub(1);
            }
        }
    }

    /// The share of a URL's group that was worth the fetch, 1.0 for one of which nothing is known.
    pub(super) fn optimistic_yield(&self, url: &Url) -> f32 {
        let (own, ending, parameters) = group_keys(url);
        let prior = parameters.map(|key| self.share(key, 1.0));
        let of_own = self.share(own, prior.fold(1.0, f32::min));
        ending.map_or(of_own, |key| self.share(key, 1.0).min(of_own))
    }

    /// Whether a URL's group yields much less than its host does: other URLs go first where all are fetched
    /// in the end.
    pub(super) fn is_below_host(&self, url: &Url) -> bool {
        self.optimistic_yield(url) < OF_HOST_MIN * self.share(host_key(url), 1.0)
    }

    /// Whether a URL's group is known to yield what its host does, or more.
    pub(super) fn is_good(&self, url: &Url) -> bool {
        let (own, ..) = group_keys(url);
        let is_known = (self.groups.get(&own)).is_some_and(|group| group.pages >= KNOWN_MIN);
        is_known && self.optimistic_yield(url) >= self.share(host_key(url), 1.0)
    }

    fn share(&self, key: u64, prior: f32) -> f32 {
        let Some(group) = self.groups.get(&key) else {
            return prior;
        };
        let (pages, good) = (
            group.pages as f32,
            group.pages.saturating_sub(group.worthless) as f32,
        );
        ((good + OPTIMISM * prior) / (pages + OPTIMISM)).min(1.0)
    }
}

fn host_key(url: &Url) -> u64 {
    xxh3_64(url_host(url).as_bytes())
}

/// The keys of a URL's form, of its ending, and of its parameters.
fn group_keys(url: &Url) -> (u64, Option<u64>, impl Iterator<Item = u64>) {
    let host = host_key(url);
    let parts = UrlParts::of(url.as_str());
    let key = move |form: u64| split_mix(host ^ form);
    let ending = ending_form(&parts).map(key);
    (
        key(url_form(&parts)),
        ending,
        parameter_forms(parts).map(key),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect(text)
    }

    #[test]
    fn a_combination_of_parameters_that_yield_nothing_is_not_asked_for_news_of_its_own() {
        let mut yields = GroupYields::default();
        for value in 0..60 {
            for name in ["color", "size", "brand"] {
                yields.observe(
                    &url(&format!("http://a.example/shoes?{name}={value}")),
                    false,
                );
            }
            yields.observe(&url(&format!("http://a.example/shoes?page={value}")), true);
        }
        let of = |yields: &GroupYields, query: &str| {
            yields.optimistic_yield(&url(&format!("http://a.example/shoes?{query}")))
        };
        assert!(of(&yields, "brand=1&color=2&size=3") < 0.03);
        assert!(of(&yields, "color=2&page=3") < 0.03);
        assert!(of(&yields, "page=61") > 0.9);
        assert_eq!(of(&yields, "lang=de"), 1.0);
        assert_eq!(
            yields.optimistic_yield(&url("http://b.example/shoes?color=1")),
            1.0
        );
        // What the form itself yields counts for more than its parameters.
        for value in 0..3 {
            yields.observe(
                &url(&format!("http://a.example/shoes?color={value}&page=1")),
                true,
            );
        }
        assert!(of(&yields, "color=2&page=3") > 0.5);
    }

    #[test]
    fn what_is_done_to_pages_yields_nothing_below_any_of_them() {
        let mut yields = GroupYields::default();
        for page in ["ab", "cd", "ef", "gh", "ij", "kl"].iter().cycle().take(60) {
            yields.observe(&url(&format!("http://a.example/wiki/{page}/edit")), false);
            yields.observe(&url(&format!("http://a.example/wiki/{page}/page-2")), true);
        }
        let of = |path: &str| yields.optimistic_yield(&url(&format!("http://a.example/{path}")));
        assert!(of("wiki/new/edit") < 0.03);
        assert!(of("wiki/ab/edit") < 0.03);
        assert!(of("wiki/new/page-3") > 0.9);
        assert!(of("wiki/ab/page-3") > 0.4);
        assert_eq!(of("edit"), 1.0);
        assert_eq!(of("blog/new/edit"), 1.0);
    }

    #[test]
    fn at_the_bound_groups_not_fetched_for_longest_are_forgotten_and_new_ones_are_learnt() {
        let mut yields = GroupYields {
            groups: RecentMap::with_max(4),
        };
        let url = |host: u32| url(&format!("http://h{host}.example/1"));
        for host in 0..20 {
            for _ in 0..30 {
                yields.observe(&url(host), false);
            }
            assert!(yields.optimistic_yield(&url(host)) < 0.1);
        }
        assert_eq!(yields.optimistic_yield(&url(0)), 1.0);
        assert!(yields.groups.len() <= 4);
    }
}
