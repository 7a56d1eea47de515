//! What groups of URLs yield: a group is the URLs of one form on one host.

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::rule::url_host;
use crate::hashing::{NumberMap, split_mix};
use crate::saved::pairs;
use crate::url_parts::{UrlParts, url_form};

/// Groups that are remembered.
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
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct GroupYields {
    #[serde(with = "pairs")]
    groups: NumberMap<u64, GroupYield>,
}

impl GroupYields {
    /// Counts a fetched URL, and whether it was worth the fetch.
    pub(super) fn observe(&mut self, url: &Url, was_worth_it: bool) {
        let key = group_key(url);
        if self.groups.len() < GROUPS_MAX || self.groups.contains_key(&key) {
            let group = self.groups.entry(key).or_default();
            if group.pages >= PAGES_MAX {
                group.pages /= 2;
                group.worthless /= 2;
            }
            group.pages += 1;
            group.worthless += u32::from(!was_worth_it);
        }
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
