//! What went wrong, grouped by its name and by where it happened.

use std::collections::{BTreeSet, HashMap};

use archive::{FetchRecord, PageRecord};
use outcome::{FailureKind, Outcome};
use serde::{Deserialize, Serialize};

use crate::fates::SlotId;

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
    /// URLs that ended so by their last record, also those that were not asked for since robots.txt of their host could
    /// not be had.
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
    groups: Vec<(ErrorGroup, BTreeSet<String>)>,
    by_name: HashMap<String, u8>,
    /// In which group URLs are that ended with an error.
    ended: HashMap<SlotId, u8>,
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

/// The name of what a URL ended with; `None` where nothing went wrong.
fn end_name(page: &PageRecord) -> Option<String> {
    match (&page.fetch, &page.outcome) {
        (Some(fetch), _) => error_name(fetch),
        (None, Outcome::Failed(FailureKind::Http(status))) => Some(format!("http {status}")),
        (None, Outcome::Failed(kind)) => Some(kind.to_string()),
        (
            None,
            Outcome::Judged(_)
            | Outcome::Redirected
            | Outcome::NotModified
            | Outcome::Refused(_)
            | Outcome::Unknown(_),
        ) => None,
    }
}

impl Errors {
    /// Counts a fetch that went wrong.
    pub(crate) fn add(&mut self, name: &str, url: &str, host: &str, text: &str) {
        let (group, hosts) = self.group(name, url, text);
        group.count += 1;
        if hosts.len() < HOSTS_MAX && !hosts.contains(host) {
            hosts.insert(host.to_owned());
        }
    }

    /// Notes how a URL ended; what it ended with before counts no longer.
    pub(crate) fn end(&mut self, url: SlotId, page: &PageRecord) {
        self.reopen(url);
        if let Some(name) = end_name(page) {
            let text = page.detail.as_deref().unwrap_or_default();
            let (group, _) = self.group(&name, &page.url, text);
            group.given_up += 1;
            let at = self.at(&name).expect("the group was just made");
            self.ended.insert(url, at);
        }
    }

    /// A URL is to be asked for again, or another visit has told of it.
    pub(crate) fn reopen(&mut self, url: SlotId) {
        if let Some(at) = self.ended.remove(&url) {
            self.groups[usize::from(at)].0.given_up -= 1;
        }
    }

    /// The number of a name's group; once there are enough, of `other` for further names.
    fn at(&self, name: &str) -> Option<u8> {
        let full = self.groups.len() >= GROUPS_MAX;
        let other = || self.by_name.get("other").filter(|_| full);
        self.by_name.get(name).or_else(other).copied()
    }

    fn group(&mut self, name: &str, url: &str, text: &str) -> &mut (ErrorGroup, BTreeSet<String>) {
        let at = self.at(name).unwrap_or_else(|| {
            let full = self.groups.len() >= GROUPS_MAX;
            let name = if full { "other" } else { name };
            let at = u8::try_from(self.groups.len()).expect("there are few groups");
            let group = ErrorGroup {
                name: name.to_owned(),
                url: url.to_owned(),
                text: text.to_owned(),
                ..ErrorGroup::default()
            };
            self.groups.push((group, BTreeSet::new()));
            self.by_name.insert(name.to_owned(), at);
            at
        });
        &mut self.groups[usize::from(at)]
    }

    /// The groups, the most frequent first; none of an error that no fetch met and no URL ended with.
    pub(crate) fn report(&self) -> Vec<ErrorGroup> {
        let met = self
            .groups
            .iter()
            .filter(|(group, _)| group.count + group.given_up > 0);
        let mut groups: Vec<ErrorGroup> = met
            .map(|(group, hosts)| ErrorGroup {
                hosts: hosts.len() as u64,
                ..group.clone()
            })
            .collect();
        groups.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        groups
    }
}

#[cfg(test)]
mod tests {
    use archive::{Event, Record, RetryRecord, RobotsRecord};
    use outcome::RobotsAnswer;

    use super::*;
    use crate::Tally;
    use crate::journal::{Journal, fetch, judged, unread};

    fn groups(records: &[Record]) -> Vec<(String, u64, u64)> {
        let mut tally = Tally::new();
        records.iter().for_each(|record| tally.add(record));
        let groups = tally.report("x").errors.into_iter();
        groups
            .map(|group| (group.name, group.count, group.given_up))
            .collect()
    }

    #[test]
    fn a_url_that_ends_twice_is_given_up_once_and_one_that_ends_well_not_at_all() {
        // 14 URLs were given up where 12 had ended so.
        let mut journal = Journal::default();
        let gone = |path: &str| {
            let mut page = judged(
                &format!("http://a.test/{path}"),
                "t",
                "en",
                0.1,
                "error_page",
            );
            page.fetch = Some(fetch(404, 10, 5));
            page
        };
        journal.page(gone("1"));
        journal.page(gone("2"));
        let expected = |count, given_up| vec![("http 404".to_owned(), count, given_up)];
        assert_eq!(groups(&journal.records), expected(2, 2));
        let urls = ["1", "2"].map(|path| format!("http://a.test/{path}"));
        journal.event(Event::Retry(RetryRecord {
            urls: urls.into(),
            ..RetryRecord::default()
        }));
        assert_eq!(groups(&journal.records), expected(2, 0));
        journal.page(gone("1"));
        journal.page(judged("http://a.test/2", "t", "en", 0.9, ""));
        assert_eq!(groups(&journal.records), expected(3, 1));
        // Asked for again without a record that says so.
        journal.page(gone("1"));
        assert_eq!(groups(&journal.records), expected(4, 1));
    }

    #[test]
    fn urls_that_were_not_asked_for_since_robots_txt_failed_are_given_up() {
        // 8 fetches of robots.txt failed, and "0 given up" stood beside two URLs that had failed by it.
        let mut journal = Journal::default();
        let mut robots = fetch(0, 0, 5);
        robots.error = Some(FailureKind::Connect);
        journal.event(Event::Robots(RobotsRecord {
            host: "a.test".into(),
            fetch: robots,
            rules: RobotsAnswer::Outage,
            ..RobotsRecord::default()
        }));
        for path in ["1", "2"] {
            journal.page(unread(
                &format!("http://a.test/{path}"),
                "failed",
                "connect",
                None,
            ));
        }
        journal.page(unread("http://a.test/3", "failed", "http_503", None));
        let expected = [("connect", 1, 2), ("http 503", 0, 1)];
        let expected = expected.map(|(name, count, given_up)| (name.to_owned(), count, given_up));
        assert_eq!(groups(&journal.records), expected);
    }

    #[test]
    fn errors_beyond_the_bound_are_of_one_group() {
        let mut errors = Errors::default();
        for number in 0..300 {
            errors.add(&format!("e{number}"), "u", "h", "");
        }
        let groups = errors.report();
        assert_eq!(groups.len(), GROUPS_MAX + 1);
        let other = groups.iter().find(|group| group.name == "other");
        assert_eq!(other.map(|group| group.count), Some(200));
    }
}
