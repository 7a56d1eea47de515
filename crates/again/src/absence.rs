//! When a page is gone: after two answers without it, a day apart, that count, at the next one. Such an answer is
//! 404 or 410, a page that reads like an error page, one by which a kept page would be dropped, and a redirect.
//!
//! Whether it counts is not to be seen at it alone: a host that has an outage answers so at all of its URLs.
//! So who plans visits says which answers count, by what the other pages of the host have answered, and an
//! [`Absence`] is resumed from what counted.
//!
//! A time-out, a server error, a refusal, a robots.txt that cannot be had or a page that a round did not
//! visit says nothing about the page: what is believed of it stays as it was. An answer with the page says that
//! it is there, and the counting begins anew.

use serde::{Deserialize, Serialize};

use crate::clock::{DAY_MS, passed_ms};

/// How many answers it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoneRule {
    /// Answers without the page that count, and none with it between them.
    pub answers: u32,
    /// Milliseconds between those that count.
    pub apart_ms: u64,
}

impl Default for GoneRule {
    fn default() -> Self {
        Self {
            answers: 2,
            apart_ms: DAY_MS,
        }
    }
}

/// What an answer says of whether a page is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The page, changed or not.
    There,
    /// An answer without it.
    Missing,
    /// Anything else.
    Nothing,
}

impl Sign {
    /// What a status says: 0 where there was no answer.
    pub fn of_status(status: u16) -> Sign {
        match status {
            200..=203 | 206 | 300..=399 => Sign::There,
            404 | 410 => Sign::Missing,
            _ => Sign::Nothing,
        }
    }
}

/// What the answers of a URL say of its absence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Absence {
    /// Answers that counted.
    answers: u32,
    /// When the last of them was given.
    last_ms: u64,
    /// It was found gone and has not come back.
    is_gone: bool,
}

/// What an answer changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// As before.
    Same,
    /// Missing, but not for long enough to be gone.
    Missing,
    /// Missing for long enough, if this answer counts: the next one makes it gone then.
    Awaits,
    /// It is gone by this answer.
    Gone,
    /// It was gone and is there again.
    Back,
}

impl Absence {
    /// What was noted of a URL.
    pub fn resume(answers: u32, last_ms: u64, is_gone: bool) -> Self {
        Self {
            answers,
            last_ms,
            is_gone,
        }
    }

    /// Answers that counted, and one that may.
    pub fn answers(&self) -> u32 {
        self.answers
    }

    /// When the last of them was given, milliseconds since the Unix epoch.
    pub fn last_ms(&self) -> u64 {
        self.last_ms
    }

    /// Whether the page is gone.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Whether the next answer without the page makes it gone.
    pub fn is_settled(&self, rule: GoneRule) -> bool {
        !self.is_gone && self.answers >= rule.answers.max(1)
    }

    /// Takes an answer in; those that were noted before count.
    pub fn see(&mut self, sign: Sign, at_ms: u64, rule: GoneRule) -> Presence {
        match sign {
            Sign::Nothing => Presence::Same,
            Sign::There => {
                let was_gone = std::mem::take(self).is_gone;
                if was_gone {
                    Presence::Back
                } else {
                    Presence::Same
                }
            }
            Sign::Missing if self.is_gone => Presence::Same,
            Sign::Missing if self.is_settled(rule) => {
                self.is_gone = true;
                Presence::Gone
            }
            Sign::Missing => {
                match passed_ms(self.last_ms, at_ms) {
                    Some(passed) if self.answers > 0 && passed < rule.apart_ms => {}
                    // The last one is from a time that is still to come: the next counts from here on.
                    None if self.answers > 0 => self.last_ms = at_ms,
                    Some(_) | None => {
                        self.answers += 1;
                        self.last_ms = at_ms;
                    }
                }
                match self.is_settled(rule) {
                    true => Presence::Awaits,
                    false => Presence::Missing,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn see(answers: &[(u64, u16)]) -> Vec<Presence> {
        let mut absence = Absence::default();
        let rule = GoneRule::default();
        let hours = |(hours, status): &(u64, u16)| (hours * 3_600_000, *status);
        let answers = answers.iter().map(hours);
        answers
            .map(|(at, status)| absence.see(Sign::of_status(status), at, rule))
            .collect()
    }

    #[test]
    fn after_two_answers_a_day_apart_the_next_makes_a_page_gone_and_a_page_brings_it_back() {
        use Presence::*;
        assert_eq!(
            see(&[(0, 404), (24, 410), (25, 404), (48, 404), (72, 200)]),
            [Missing, Awaits, Gone, Same, Back]
        );
        assert_eq!(
            see(&[(0, 404), (1, 404), (23, 404), (25, 404)]),
            [Missing, Missing, Missing, Awaits]
        );
        assert_eq!(see(&[(0, 404), (30, 200), (60, 404)])[2], Missing);
    }

    #[test]
    fn an_answer_from_a_time_that_is_still_to_come_does_not_put_the_next_one_off() {
        use Presence::*;
        let year = 8_760;
        assert_eq!(
            see(&[(year, 404), (0, 404), (12, 404), (24, 404)]),
            [Missing, Missing, Missing, Awaits]
        );
    }

    proptest! {
        #[test]
        fn no_other_answer_makes_a_page_gone(
            answers in proptest::collection::vec((0u64..2_000, prop_oneof![
                Just(0u16), Just(200), Just(301), Just(304), Just(401), Just(403), Just(429), 500u16..600
            ]), 0..40),
            missing in proptest::option::of(0usize..40),
        ) {
            let mut answers = answers;
            answers.sort();
            // One answer of 404 among them is not enough.
            if let Some(at) = missing.filter(|at| *at < answers.len()) {
                answers[at].1 = 404;
            }
            let gone = |presence: &Presence| matches!(presence, Presence::Gone | Presence::Back);
            prop_assert!(!see(&answers).iter().any(gone));
        }
    }
}
