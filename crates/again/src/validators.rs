//! Whether a host's validators are worth sending: does 304 mean that nothing changed, and does it ever
//! come?
//!
//! Some hosts give each answer an `ETag` or a `Last-Modified` of its own, so that no conditional request
//! is ever answered by 304; some give the same one to a page that has changed, so that 304 hides the
//! change. Both are counted for each host. That 304 lies can be seen only by asking without a condition,
//! which is done for each URL in one round of 24, and for a host that has lied always.

use serde::{Deserialize, Serialize};

/// Answers with another validator and the same text before a host's validators are dropped.
const USELESS_MAX: u32 = 5;

/// In one of so many rounds a URL is asked for without a condition.
const PROBE_EVERY: u64 = 24;

/// What the validators of a host have been worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Validators {
    /// The same validator and the same text, or 304.
    honest: u32,
    /// Another validator and the same text, one after another.
    useless: u32,
    /// The same validator and another text.
    lies: u32,
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

    /// Whether a URL, by a hash of it, is asked for without a condition in this round.
    pub fn is_probe(url: u64, round: u32) -> bool {
        url.wrapping_add(u64::from(round))
            .is_multiple_of(PROBE_EVERY)
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
    fn each_url_is_asked_for_without_a_condition_in_one_round_of_24() {
        for url in [0, 7, u64::MAX] {
            let probes = (1..=48).filter(|round| Validators::is_probe(url, *round));
            assert_eq!(probes.count(), 2, "{url}");
        }
    }
}
