//! What followed the versions of kept pages, so that a copy is known for an orphan once its original is gone.
//!
//! A page that changes at each visit has a new version at each. Only those that a copy may name are held: the first
//! and the last of each page and those that copies repeat, each with the version that stands for it now.

use std::collections::{HashMap, HashSet};

use super::{History, Was};

/// Steps of the chains beyond five for each page that are looked through together.
const STEPS_BEYOND: usize = 1_024;

impl History {
    /// The text of a kept record goes on in a later one.
    pub(super) fn goes_on(&mut self, record: u64, in_record: u64) {
        self.followed_by.insert(record, in_record);
        self.shorten_chains();
    }

    /// The text of a kept record is there no longer.
    pub(super) fn is_lost(&mut self, record: u64) {
        self.lost.insert(record);
        self.shorten_chains();
    }

    /// The record of the page that stands for a kept one now.
    pub(super) fn stands_for(&self, record: u64) -> u64 {
        end_of(&self.followed_by, record)
    }

    /// Drops the versions that nobody names once there are more of them than of others. It depends on nothing but the
    /// records that were read, so that a history which was saved meanwhile is equal to one that was not.
    fn shorten_chains(&mut self) {
        if self.followed_by.len() + self.lost.len() <= 6 * self.known.len() + STEPS_BEYOND {
            return;
        }
        let copies = self
            .known
            .iter()
            .filter(|known| known.was == Was::Copy && known.repeats != 0);
        let named: HashSet<u64> = copies.map(|known| known.repeats).collect();
        let is_named = |record: &u64| {
            named.contains(record)
                || self.versions.contains_key(record)
                || self
                    .known
                    .binary_search_by_key(record, |known| known.first)
                    .is_ok()
        };
        // Each step goes to a later record, so that from the last one on the end of each is that of its next.
        let mut steps: Vec<(u64, u64)> = self
            .followed_by
            .iter()
            .map(|(from, to)| (*from, *to))
            .collect();
        steps.sort_unstable_by_key(|(from, _)| std::cmp::Reverse(*from));
        let mut ends: HashMap<u64, u64> = HashMap::with_capacity(steps.len());
        let mut shortened: HashMap<u64, u64> = HashMap::new();
        for (from, to) in steps {
            let end = ends.get(&to).copied().unwrap_or(to);
            ends.insert(from, end);
            if to == end || is_named(&from) {
                shortened.insert(from, end);
            }
        }
        let ends: HashSet<u64> = shortened.values().copied().collect();
        let lost = self.lost.iter().copied();
        let lost = lost.filter(|record| ends.contains(record) || is_named(record));
        (self.lost, self.followed_by) = (lost.collect(), shortened);
    }
}

fn end_of(followed_by: &HashMap<u64, u64>, record: u64) -> u64 {
    let mut end = record;
    // A chain has no circle: each record follows an earlier one.
    while let Some(next) = followed_by.get(&end) {
        end = *next;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use archive::{Event, FetchRecord, PageRecord, PageSummary, Position, Record};
    use outcome::{Outcome, Verdict};

    /// A history of pages that were read first by records 1, 2, 3...
    fn history(pages: u64) -> History {
        let mut history = History::default();
        for seq in 1..=pages {
            let page = PageRecord {
                url: format!("http://a.example/{seq}"),
                host: "a.example".into(),
                outcome: Outcome::Judged(Verdict::Index),
                fetch: Some(FetchRecord {
                    status: 200,
                    ..FetchRecord::default()
                }),
                page: Some(PageSummary::default()),
                ..PageRecord::default()
            };
            let event = Event::Page(Box::new(page));
            let record = Record {
                seq,
                at_ms: seq,
                event,
            };
            history.add(&record, Position::START);
        }
        assert_eq!(history.known.len() as u64, pages);
        history
    }

    #[test]
    fn versions_that_nobody_names_are_forgotten_and_what_stands_for_the_others_is_known() {
        let mut history = history(3);
        // A copy of the eleventh version of the first page.
        (history.known[2].was, history.known[2].repeats) = (Was::Copy, 110);
        let mut last = 1;
        for version in (10..).map(|number| number * 10).take(20_000) {
            history.goes_on(last, version);
            last = version;
        }
        assert!(history.followed_by.len() < 2_000);
        for named in [1, 110, last] {
            assert_eq!(history.stands_for(named), last, "{named}");
        }
        history.is_lost(last);
        for version in (1_000_000..).take(20_000) {
            history.is_lost(version);
        }
        assert!(history.lost.len() < 2_000);
        assert!(history.lost.contains(&history.stands_for(110)));
    }
}
