//! What groups of URLs yield: a group is the URLs of one form on one host.

use recent::RecentMap;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::rule::url_host;
use crate::hashing::split_mix;
use crate::url_parts::{UrlParts, url_form};

/// Groups that are remembered. Of more, those of which no page was fetched for longest are forgotten.
const GROUPS_MAX: usize = 1 << 17;
/// When a group has so many pages, its counts are halved: what it yielded long ago counts less.
const PAGES_MAX: u32 = 10_000;
/// Pages added to those of a group that were worth their fetch, and to all of them: a group sinks only
/// as fast as its pages become known.
const OPTIMISM: f32 = 1.5;

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
        let key = group_key(url);
        let group = self.groups.entry(key, |_, _| {});
        if group.pages >= PAGES_MAX {
            group.pages /= 2;
            group.worthless /= 2;
        }
        group.pages += 1;
        group.worthless += u32::from(!was_worth_it);
    }

    /// The share of a URL's group that was worth the fetch, 1.0 for one that is not known.
    pub(super) fn optimistic_yield(&self, url: &Url) -> f32 {
        let Some(group) = self.groups.get(&group_key(url)) else {
            return 1.0;
        };
        let (pages, good) = (
            group.pages as f32,
            group.pages.saturating_sub(group.worthless) as f32,
        );
        ((good + OPTIMISM) / (pages + OPTIMISM)).min(1.0)
    }
}

fn group_key(url: &Url) -> u64 {
    split_mix(xxh3_64(url_host(url).as_bytes()) ^ url_form(&UrlParts::of(url.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_bound_groups_not_fetched_for_longest_are_forgotten_and_new_ones_are_learnt() {
        let mut yields = GroupYields {
            groups: RecentMap::with_max(4),
        };
        let url = |host: u32| Url::parse(&format!("http://h{host}.example/1")).unwrap();
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
