//! Whether a host's validators are worth sending: does 304 mean that nothing changed, and does it ever
//! come?
//!
//! Some hosts give each answer an `ETag` or a `Last-Modified` of its own, so that no conditional request
//! is ever answered by 304; some give the same one to a page that has changed, so that 304 hides the
//! change. Both are counted for each host.
//!
//! A 304 that lies is seen only by asking without a condition, which costs a body. So that is done where
//! there is a reason to doubt a host: no conditional request to it ever showed a change, though three
//! changes were to be expected of its pages by now (of hosts that tell the truth, one in twenty gets there),
//! or though its own lists told of three. Each of its URLs is then asked for without a condition in one round
//! of four, until that has shown as many 304s to be true; a host that has lied is asked so for ever.

use serde::{Deserialize, Serialize};

/// Answers with another validator and the same text before a host's validators are dropped.
const USELESS_MAX: u32 = 5;

/// In one of so many rounds a URL of a host in doubt is asked for without a condition.
const PROBE_EVERY: u64 = 4;

/// Changes that were to be expected of pages that were answered by 304, from which on a host is in doubt.
const EXPECTED_MAX: f64 = 3.0;

/// The same of changes that the host's lists told of.
const TOLD_MAX: u32 = 3;

/// What the validators of a host have been worth.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Validators {
    /// The same validator and the same text, or 304.
    honest: u32,
    /// Another validator and the same text, one after another.
    useless: u32,
    /// The same validator and another text.
    lies: u32,
    /// Changes that came as an answer to a conditional request.
    shown: u32,
    /// Changes that were to be expected in the place of 304, and those told of.
    expected: f64,
    told: u32,
}

/// What a visit showed of a validator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// 304: it cannot be known here whether that is true.
    NotModified,
    /// A page with the validator of the visit before, or another; and the same text, or another.
    Page {
        /// The validator is that of the visit before.
        same_validator: bool,
        /// So is the text.
        same_text: bool,
    },
}

impl Validators {
    /// Whether requests to this host are to carry the validators of their URLs.
    pub fn are_sent(&self) -> bool {
        self.lies == 0 && self.useless < USELESS_MAX
    }

    /// Whether a URL, by a hash of it, is asked for without a condition in this round, since the host's 304
    /// is in doubt.
    pub fn is_probe(&self, url: u64, round: u32) -> bool {
        self.are_doubted()
            && url
                .wrapping_add(u64::from(round))
                .is_multiple_of(PROBE_EVERY)
    }

    fn are_doubted(&self) -> bool {
        self.shown == 0 && (self.expected >= EXPECTED_MAX || self.told >= TOLD_MAX)
    }

    /// Takes in that a page was answered by 304: how likely it was that it had changed, and whether a list
    /// of its host's said so.
    pub fn not_modified(&mut self, likely: f64, told: bool) {
        self.expected += likely.clamp(0.0, 1.0);
        self.told += u32::from(told);
    }

    /// Takes in that a conditional request brought a change.
    pub fn change_shown(&mut self) {
        self.shown = self.shown.saturating_add(1);
    }

    /// Whether validators say when nothing changed.
    pub fn are_honest(&self) -> bool {
        self.lies == 0 && self.honest > 0
    }

    /// Takes a visit in to a URL whose validators were known.
    pub fn see(&mut self, shown: Shown) {
        match shown {
            Shown::NotModified => {
                self.honest += 1;
                self.useless = 0;
            }
            Shown::Page {
                same_validator: true,
                same_text: true,
            } => {
                self.honest += 1;
                self.useless = 0;
                // What was in doubt was true of this page.
                self.expected = (self.expected - 1.0).max(0.0);
                self.told = self.told.saturating_sub(1);
            }
            Shown::Page {
                same_validator: true,
                same_text: false,
            } => self.lies += 1,
            Shown::Page {
                same_validator: false,
                same_text: true,
            } => self.useless += 1,
            Shown::Page {
                same_validator: false,
                same_text: false,
            } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn page(same_validator: bool, same_text: bool) -> Shown {
        Shown::Page {
            same_validator,
            same_text,
        }
    }

    #[test]
    fn validators_that_always_differ_are_dropped() {
        let mut host = Validators::default();
        for _ in 0..USELESS_MAX {
            assert!(host.are_sent());
            host.see(page(false, true));
        }
        assert!(!host.are_sent());
    }

    #[test]
    fn a_validator_that_differs_with_the_text_is_right() {
        let mut host = Validators::default();
        for _ in 0..9 {
            host.see(page(false, false));
            host.see(Shown::NotModified);
        }
        assert!(host.are_sent() && host.are_honest());
    }

    #[test]
    fn a_host_that_lied_once_is_asked_without_conditions() {
        let mut host = Validators::default();
        host.see(page(true, false));
        assert!(!host.are_sent() && !host.are_honest());
    }

    #[test]
    fn no_url_is_asked_for_without_a_condition_where_there_is_no_doubt() {
        let mut host = Validators::default();
        for _ in 0..1_000 {
            host.not_modified(0.002, false);
        }
        host.not_modified(1.0, true);
        let probes =
            |host: &Validators, url: u64| (1..=8).filter(|r| host.is_probe(url, *r)).count();
        // Three changes were to be expected, and none came.
        assert_eq!(probes(&host, 7), 2);
        host.change_shown();
        assert_eq!(probes(&host, 7), 0);
    }

    #[test]
    fn a_host_that_answers_304_where_its_lists_tell_of_changes_is_in_doubt_until_it_is_found_true()
    {
        let mut host = Validators::default();
        for told in 0..TOLD_MAX {
            assert!(!host.are_doubted(), "{told}");
            host.not_modified(0.0, true);
        }
        assert!(host.are_doubted());
        host.see(page(true, true));
        assert!(!host.are_doubted());
    }
}
