//! URLs that were asked for and have shown no page yet: when each is asked for once more.
//!
//! What went wrong with a first read may have passed: an error page, a redirect to a login, a robots.txt that
//! forbids. Of the chance that it has, the times between the asks are the law: a URL that was found without a
//! page for so long is asked for again after as long a time again, and no sooner than its fate's first pause
//! ([`Fate::pause`]). So a URL that stays dead for a year costs eight requests in that year where its pause
//! is three days, and one more each time the years double.
//!
//! It is asked for only as long as something leads to it: a seed, a sitemap or feed that answers, or a page
//! whose version as it was recorded last has the link. Of a URL two such pages are held, the one that brought
//! it in and the one that was recorded last, in some 60 bytes in all; where its record is in the journal
//! stands there as well, and what the queue must know of it is read from that.
//!
//! What robots.txt refused is put back when the rules are other ones than then, and is judged by them
//! without a request. While they are the same, one URL of the host goes ahead of all: it has robots.txt
//! asked for where that is older than a day.

use again::clock::passed_ms;
use archive::{PageRecord, Position, Record};
use outcome::{FailureKind, Outcome, Refusal};
use serde::{Deserialize, Serialize};

use crate::config::AgainSection;

/// The first pause after an answer that says that there is no page, or none for us, or that it is elsewhere
/// for now. It is what the interval begins with and is doubled from: at half of it a URL that stays dead costs one
/// request more in all, at double one less.
const MISSING_PAUSE_S: u64 = 3 * 86_400;

/// The same after an answer that says that this is for good (410, 301, 308), and for what is a file.
const FOR_GOOD_PAUSE_S: u64 = 9 * 86_400;

/// Before its time a URL is asked for by no more than this.
const EARLY_MAX_S: u64 = 3_600;

/// What became of a URL that has shown no page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Fate {
    /// What passes by itself: no answer, 5xx, a host that was given up.
    Passing,
    /// robots.txt forbade it, or could not be had.
    Robots,
    /// 404, 403 and the like, or elsewhere for now.
    Missing,
    /// 410, elsewhere for good, or a file that is no page.
    ForGood,
}

impl Fate {
    /// The fate of a URL by its record; none where it has shown a page or a feed, or where nothing that time
    /// does would change it: a budget, the scope, a learnt rule, the address guard.
    pub(super) fn of(page: &PageRecord) -> Option<Self> {
        match &page.outcome {
            Outcome::Failed(kind) => Self::of_failure(kind),
            Outcome::Refused(refusal) => match refusal {
                Refusal::Robots(_) => Some(Self::Robots),
                Refusal::HostGone(_) | Refusal::Walled(_) => Some(Self::Passing),
                Refusal::Guard(_)
                | Refusal::Trap(_)
                | Refusal::PredictedDuplicate(_)
                | Refusal::LowYield(_)
                | Refusal::LeftOut(_)
                | Refusal::Unknown(_) => None,
            },
            // It is asked for once more at once.
            Outcome::Redirected if page.returns.is_some() => None,
            Outcome::Redirected if matches!(page.status(), 301 | 308) => Some(Self::ForGood),
            Outcome::Redirected => Some(Self::Missing),
            Outcome::NotModified => Some(Self::Passing),
            Outcome::Judged(_) if (200..300).contains(&page.status()) => {
                (page.page.is_none() && !state::is_feed(page)).then_some(Self::ForGood)
            }
            Outcome::Judged(_) if page.status() == 410 => Some(Self::ForGood),
            Outcome::Judged(_) => Some(Self::Missing),
            Outcome::Unknown(_) => None,
        }
    }

    fn of_failure(kind: &FailureKind) -> Option<Self> {
        match kind {
            FailureKind::Dns
            | FailureKind::Connect
            | FailureKind::Tls
            | FailureKind::Timeout
            | FailureKind::Reset
            | FailureKind::Protocol
            | FailureKind::Proxy
            | FailureKind::Truncated
            | FailureKind::Http(_) => Some(Self::Passing),
            FailureKind::Encoding
            | FailureKind::Unreadable
            | FailureKind::BadRedirect
            | FailureKind::RedirectLoop
            | FailureKind::TooManyRedirects => Some(Self::Missing),
            FailureKind::TooLarge => Some(Self::ForGood),
            FailureKind::BadUrl | FailureKind::Guard | FailureKind::Unknown(_) => None,
        }
    }

    /// How long it is left alone after it was asked for first, in seconds.
    fn pause(self, settings: &AgainSection) -> u64 {
        let least = settings.min.max(settings.every.min(settings.max));
        let least = least.0.as_secs();
        match self {
            Self::Passing | Self::Robots => least,
            Self::Missing => least.max(MISSING_PAUSE_S),
            Self::ForGood => least.max(FOR_GOOD_PAUSE_S),
        }
    }
}

/// A URL that has shown no page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Unread {
    /// Where its last record is read from.
    pub(super) place: Position,
    /// Records of two pages that link to it; 0 for none.
    by: [u64; 2],
    /// Number of its last record.
    pub(super) record: u64,
    /// Number of its host and scheme among those of robots.txt.
    pub(super) origin: u32,
    /// When it was asked for first and last, seconds since the Unix epoch.
    first_s: u32,
    asked_s: u32,
    pub(super) seed: u32,
    pub(super) fate: Fate,
    /// It is a seed, or what one redirects to.
    is_seed: bool,
    /// A source brought it in.
    pub(super) is_listed: bool,
    /// A source has dated it since it was asked for last.
    is_told: bool,
    /// It waits in the queue.
    pub(super) is_waiting: bool,
}

impl Unread {
    /// A URL that ended so, by its record, which is read from `place`.
    pub(super) fn of(record: &Record, page: &PageRecord, fate: Fate, place: Position) -> Self {
        let at_s = seconds(record.at_ms);
        Self {
            place,
            by: [page.via.unwrap_or(0), 0],
            record: record.seq,
            origin: 0,
            first_s: at_s,
            asked_s: at_s,
            seed: page.seed,
            fate,
            is_seed: page.depth == 0 && page.via.is_none(),
            is_listed: false,
            is_told: false,
            is_waiting: false,
        }
    }

    /// The same of a URL that has shown no page before either.
    pub(super) fn after(self, before: &Self) -> Self {
        let by = match before.by {
            [0, last] => [self.by[0], last],
            by => by,
        };
        Self {
            by,
            // What was refused unread was not seen to be without a page.
            first_s: match before.fate == Fate::Robots && self.fate != Fate::Robots {
                true => self.first_s,
                false => before.first_s,
            },
            is_listed: self.is_listed || before.is_listed,
            ..self
        }
    }

    /// A page that is recorded links to it; of the two that did before the one whose link is there no longer
    /// makes room.
    pub(super) fn link(&mut self, by: u64, is_there: impl Fn(u64) -> bool) {
        let at = usize::from(is_there(self.by[0]));
        self.by[at] = by;
    }

    /// A source dates it.
    pub(super) fn tell(&mut self, date_ms: u64) {
        self.is_listed = true;
        self.is_told |= seconds(date_ms) > self.asked_s;
    }

    /// Whether anything leads to it: `is_there` says so of a page's record, `answers` of the sources of its
    /// host.
    pub(super) fn is_linked(&self, is_there: impl Fn(u64) -> bool, answers: bool) -> bool {
        self.is_seed || self.is_listed && answers || self.by.into_iter().any(is_there)
    }

    /// The chance that it is there by now, as far as the time tells; 0 before its turn.
    pub(super) fn chance(&self, settings: &AgainSection, now_ms: u64) -> f64 {
        let asked = passed_ms(u64::from(self.asked_s) * 1_000, now_ms);
        let known = u64::from(self.asked_s.saturating_sub(self.first_s));
        let least = settings.min.0.as_secs();
        let pause = self.fate.pause(settings).max(known);
        // One from a time that is still to come has waited long enough.
        let asked = asked.map_or(pause, |ms| ms / 1_000);
        // Rounds that are made each day are some seconds apart from that.
        let early = (pause / 100).min(EARLY_MAX_S);
        match self.is_told {
            true if asked >= least => 1.0,
            _ if asked + early < pause => 0.0,
            // Laplace's rule of succession in time: dead for so long, and not looked at for so long.
            _ => ((asked + 1) as f64) / ((asked + pause + 1) as f64),
        }
    }

    /// When its turn is.
    pub(super) fn due_ms(&self, settings: &AgainSection) -> u64 {
        let known = u64::from(self.asked_s.saturating_sub(self.first_s));
        let pause = self.fate.pause(settings).max(known);
        (u64::from(self.asked_s) + pause).saturating_mul(1_000)
    }
}

/// A time in milliseconds since the Unix epoch, in seconds.
fn seconds(at_ms: u64) -> u32 {
    u32::try_from(at_ms / 1_000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use outcome::{JunkReason, RobotsRefusal, Verdict};

    use super::*;

    fn page(outcome: Outcome, status: u16) -> PageRecord {
        PageRecord {
            outcome,
            fetch: Some(archive::FetchRecord {
                status,
                ..archive::FetchRecord::default()
            }),
            ..PageRecord::default()
        }
    }

    #[track_caller]
    fn check(outcome: Outcome, status: u16, fate: Option<Fate>) {
        assert_eq!(Fate::of(&page(outcome, status)), fate);
    }

    #[test]
    fn what_may_pass_has_a_fate_and_what_the_crawl_itself_left_out_has_none() {
        let error = || Outcome::Judged(Verdict::Junk(JunkReason::ErrorPage));
        let file = Outcome::Judged(Verdict::Junk(JunkReason::UnsupportedType));
        let rule = RobotsRefusal::Rule {
            rule: "Disallow: /".into(),
            line: 1,
        };
        check(error(), 404, Some(Fate::Missing));
        check(error(), 403, Some(Fate::Missing));
        check(error(), 410, Some(Fate::ForGood));
        check(file, 200, Some(Fate::ForGood));
        check(Outcome::Redirected, 302, Some(Fate::Missing));
        check(Outcome::Redirected, 301, Some(Fate::ForGood));
        let busy = Outcome::Failed(FailureKind::Http(503));
        check(busy, 503, Some(Fate::Passing));
        let refused = Outcome::Refused(Refusal::Robots(rule));
        check(refused, 0, Some(Fate::Robots));
        let guarded = Outcome::Refused(Refusal::Guard(String::new()));
        check(guarded, 0, None);
    }

    /// The days on which a URL with this fate is asked for that stays dead, with a round each day.
    fn asks(fate: Fate, days: u64) -> Vec<u64> {
        let record = |day: u64| Record {
            seq: day + 1,
            at_ms: day * 86_400_000,
            event: archive::Event::Page(Box::default()),
        };
        let of = |day| Unread::of(&record(day), &PageRecord::default(), fate, Position::START);
        let mut unread = of(0);
        let settings = AgainSection::default();
        let mut asks = Vec::new();
        for day in 1..=days {
            if unread.chance(&settings, day * 86_400_000) > 0.0 {
                unread = of(day).after(&unread);
                asks.push(day);
            }
        }
        asks
    }

    #[test]
    fn a_dead_url_is_asked_for_more_rarely_each_time() {
        assert_eq!(asks(Fate::Passing, 20), [1, 2, 4, 8, 16]);
        assert_eq!(asks(Fate::Missing, 400), [3, 6, 12, 24, 48, 96, 192, 384]);
        assert_eq!(asks(Fate::ForGood, 400), [9, 18, 36, 72, 144, 288]);
    }

    #[test]
    fn of_two_pages_that_link_to_it_the_one_that_does_no_longer_makes_room() {
        let via = PageRecord {
            via: Some(3),
            ..PageRecord::default()
        };
        let record = Record {
            seq: 9,
            at_ms: 0,
            event: archive::Event::Page(Box::default()),
        };
        let mut unread = Unread::of(&record, &via, Fate::Missing, Position::START);
        assert!(unread.is_linked(|page| page == 3, false));
        assert!(!unread.is_linked(|_| false, true));
        unread.link(11, |page| page == 3);
        unread.link(12, |page| page == 3);
        assert!(unread.is_linked(|page| page == 12, false));
        unread.link(13, |_| false);
        assert!(unread.is_linked(|page| page == 13, false));
        assert!(!unread.is_linked(|page| page == 3, false));
    }

    #[test]
    fn a_url_without_a_page_is_held_in_few_bytes() {
        assert!(size_of::<Unread>() <= 64, "{}", size_of::<Unread>());
    }
}
