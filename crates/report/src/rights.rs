//! What pages say of the use of their texts: robots directives, preferences, licences.

use std::collections::BTreeMap;

use archive::PageSummary;
use serde::{Deserialize, Serialize};

use crate::words::plural;

/// Names that are counted apart.
const NAMES_MAX: usize = 100;

/// What pages say of the use of their texts; of each page as often as it was judged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rights {
    /// Pages that ask not to be indexed.
    pub noindex: u64,
    /// Pages that ask not to follow their links.
    pub nofollow: u64,
    /// Pages that say what their text may be used for.
    pub with_usage: u64,
    /// What they say, in their own words.
    pub usage: BTreeMap<String, u64>,
    /// Hosts whose robots.txt says what their texts may be used for.
    pub hosts_with_usage: u64,
    /// What these say, in their own words; of each host by its last answer.
    pub host_usage: BTreeMap<String, u64>,
    /// Pages that link to a licence.
    pub with_licence: u64,
    /// The licences.
    pub licences: BTreeMap<String, u64>,
}

impl Rights {
    pub(crate) fn add(&mut self, page: &PageSummary) {
        self.noindex += u64::from(!page.may_index);
        self.nofollow += u64::from(!page.may_follow);
        self.with_usage += u64::from(!page.usage.is_empty());
        self.with_licence += u64::from(page.licence.is_some());
        page.usage
            .iter()
            .for_each(|said| count(&mut self.usage, said));
        page.licence
            .iter()
            .for_each(|url| count(&mut self.licences, url));
    }

    /// Takes in what hosts say in their robots.txt.
    pub(crate) fn with_hosts<'h>(mut self, said: impl Iterator<Item = &'h Vec<String>>) -> Self {
        for said in said.filter(|said| !said.is_empty()) {
            self.hosts_with_usage += 1;
            said.iter()
                .for_each(|said| count(&mut self.host_usage, said));
        }
        self
    }

    /// What was met, each with how many and its words; nothing that was not.
    pub fn facts(&self) -> Vec<String> {
        let pages = |n, one, many| (n, plural(n, "page", "pages"), [one, many]);
        let facts = [
            pages(
                self.noindex,
                "asked not to be indexed, and was not",
                "asked not to be indexed, and were not",
            ),
            pages(
                self.nofollow,
                "asked not to follow its links",
                "asked not to follow their links",
            ),
            pages(
                self.with_usage,
                "says what its text may be used for",
                "say what their texts may be used for",
            ),
            pages(self.with_licence, "links to a licence", "link to a licence"),
            (
                self.hosts_with_usage,
                plural(self.hosts_with_usage, "host", "hosts"),
                [
                    "says in robots.txt what its texts may be used for",
                    "say in robots.txt what their texts may be used for",
                ],
            ),
        ];
        let met = facts.into_iter().filter(|(n, _, _)| *n > 0);
        met.map(|(n, who, [one, many])| format!("{who} {}", if n == 1 { one } else { many }))
            .collect()
    }

    /// Whether no page said anything.
    pub fn is_silent(&self) -> bool {
        *self == Rights::default()
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    let is_known = counts.contains_key(name) || counts.len() < NAMES_MAX;
    *counts
        .entry(if is_known { name } else { "(others)" }.to_owned())
        .or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_say_is_counted_and_bounded() {
        let mut rights = Rights::default();
        assert!(rights.is_silent());
        for n in 0..300 {
            rights.add(&PageSummary {
                may_index: n % 2 == 0,
                may_follow: true,
                usage: vec!["noai".into(), format!("content-usage: x{n}")],
                licence: (n < 5).then(|| "https://creativecommons.org/licenses/by/4.0/".into()),
                ..PageSummary::default()
            });
        }
        assert_eq!(
            (rights.noindex, rights.nofollow, rights.with_usage),
            (150, 0, 300)
        );
        assert_eq!((rights.with_licence, rights.licences.len()), (5, 1));
        assert_eq!(rights.usage["noai"], 300);
        assert!(rights.usage.len() <= NAMES_MAX + 1 && rights.usage.values().sum::<u64>() == 600);
    }

    #[test]
    fn hosts_are_counted_apart_from_pages_and_every_fact_is_told_once() {
        let said = |said: &[&str]| said.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let hosts = [
            said(&["content-usage: train-ai=n"]),
            said(&["content-usage: train-ai=n", "content-signal: search=yes"]),
            said(&[]),
        ];
        let rights = Rights {
            noindex: 1,
            with_usage: 2,
            ..Rights::default()
        };
        let rights = rights.with_hosts(hosts.iter());
        assert_eq!(rights.hosts_with_usage, 2);
        assert_eq!(rights.host_usage["content-usage: train-ai=n"], 2);
        assert_eq!(
            rights.facts(),
            [
                "1 page asked not to be indexed, and was not",
                "2 pages say what their texts may be used for",
                "2 hosts say in robots.txt what their texts may be used for",
            ]
        );
    }
}
