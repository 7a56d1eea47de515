//! What went wrong, grouped by its name and by where it happened.

use std::collections::{BTreeMap, BTreeSet};

use archive::FetchRecord;
use serde::{Deserialize, Serialize};

/// Groups at most; further ones are counted under `other`.
const GROUPS_MAX: usize = 100;

/// Hosts remembered per group; beyond, the number is "at least".
const HOSTS_MAX: usize = 1_000;

/// One kind of trouble.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ErrorGroup {
    /// `dns`, `timeout`, ... or `http 503`.
    pub name: String,
    /// Fetches that ended so, repeated ones included.
    pub count: u64,
    /// Of these, last attempts: the URL was not asked for again.
    pub given_up: u64,
    /// Hosts on which it happened (counted to 1,000).
    pub hosts: u64,
    /// The first URL.
    pub url: String,
    /// The first error in words.
    pub text: String,
}

#[derive(Debug, Default)]
pub(crate) struct Errors {
    groups: BTreeMap<String, (ErrorGroup, BTreeSet<String>)>,
}

/// The name of what went wrong in a fetch; `None` where nothing did.
pub(crate) fn error_name(fetch: &FetchRecord) -> Option<String> {
    match (&fetch.error, fetch.status) {
        (Some(error), _) => Some(error.to_string()),
        (None, 0) => Some("no_answer".to_owned()),
        (None, status @ 400..) => Some(format!("http {status}")),
        (None, _) => None,
    }
}

impl Errors {
    /// Counts a fetch that went wrong.
    pub(crate) fn add(&mut self, name: &str, url: &str, host: &str, text: &str, given_up: bool) {
        let full = self.groups.len() >= GROUPS_MAX && !self.groups.contains_key(name);
        let name = if full { "other" } else { name };
        let (group, hosts) = self.groups.entry(name.to_owned()).or_insert_with(|| {
            let group = ErrorGroup {
                name: name.to_owned(),
                url: url.to_owned(),
                text: text.to_owned(),
                ..ErrorGroup::default()
            };
            (group, BTreeSet::new())
        });
        group.count += 1;
        group.given_up += u64::from(given_up);
        if hosts.len() < HOSTS_MAX && !hosts.contains(host) {
            hosts.insert(host.to_owned());
        }
    }

    /// The groups, the most frequent first.
    pub(crate) fn report(&self) -> Vec<ErrorGroup> {
        let mut groups: Vec<ErrorGroup> = self
            .groups
            .values()
            .map(|(group, hosts)| ErrorGroup {
                hosts: hosts.len() as u64,
                ..group.clone()
            })
            .collect();
        groups.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        groups
    }
}
