//! A host that is known to limit: how long it rests, and until when that is believed.
//!
//! Each answer by which it limits makes it rest for as long as helped before, and one that comes after such a rest, no
//! page between them, for twice as long. A page that is asked for again and comes slows the host down, as a 429 does.
//! What does not come twice is a dead link, but for what ended so in a row of several, which is asked for once more when a
//! page comes: the limit may have lasted for longer. Where those outnumber what came by four to one, or as many URLs are
//! answered so in a row as a run is asked for again, the host limits no more.

use std::collections::BTreeSet;
use std::time::Duration;

use archive::FetchRecord;
use frontier::{ClockMove, Limit, Sign};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::host::{Run, Stage};
use super::owed::bounded;
use super::{URLS_MAX, tries};
use crate::retry::Candidate;
use crate::saved::json;

/// So many URLs may be asked for again in vain for each that came.
const IN_VAIN_MAX: u32 = 4;

/// After so many URLs that were asked for again all of them count half.
const AGAIN_MAX: u32 = 64;

/// No rest is longer.
pub(super) const REST_MAX: Duration = Duration::from_secs(60);

/// How a host limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    /// As the frontier has it: with the rest after the next such answer.
    pub(super) limit: Limit,
    /// The rest that helped.
    helped: Duration,
    /// The URLs of such answers since its last page, and those that are asked for again, hashed.
    row: BTreeSet<u64>,
    waiting: BTreeSet<u64>,
    /// Until when the last one makes it rest, milliseconds since the Unix epoch.
    rests_until_ms: u64,
    /// URLs that ended so since its last page, and those that were asked for once more for that, hashed.
    #[serde(with = "json")]
    ended: Vec<Candidate>,
    again: BTreeSet<u64>,
    /// URLs that were asked for again, with a page and without.
    came: u32,
    in_vain: u32,
}

/// What a finished URL says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    /// Nothing new.
    Nothing,
    /// It gives pages again.
    Limits,
    /// It has given a page that it had not given before: it was asked too often.
    Slows,
    /// The page is not there.
    Dead,
    /// It limits no more, or has never done so.
    LimitsNoMore,
}

impl Known {
    pub(super) fn new(sign: Sign, rest: Duration) -> Self {
        Self {
            limit: Limit { sign, rest },
            helped: rest,
            row: BTreeSet::new(),
            waiting: BTreeSet::new(),
            rests_until_ms: 0,
            ended: Vec::new(),
            again: BTreeSet::new(),
            came: 1,
            in_vain: 0,
        }
    }

    /// Whether a URL is to be asked for again that was answered so: twice, and once more for each other one that is.
    pub(super) fn goes_on(&self, attempt: u32) -> bool {
        attempt as usize <= 1 + self.row.len().max(1) && !self.is_disproved()
    }

    fn is_disproved(&self) -> bool {
        self.row.len() >= usize::from(tries(&self.limit.sign))
    }

    /// It has limited by an answer, after which it rests so long.
    pub(super) fn on_limited(&mut self, url: &str, answer: &FetchRecord, rest: Duration) {
        let url = xxh3_64(url.as_bytes());
        self.waiting.insert(url);
        // What was under way then tells nothing new.
        if answer.started_ms >= self.rests_until_ms {
            self.row.insert(url);
            self.limit.rest = (rest * 2).clamp(self.helped, REST_MAX.max(self.helped));
        }
        let ended_ms = answer.started_ms.saturating_add(answer.ms);
        self.rests_until_ms = ended_ms.saturating_add(rest.as_millis() as u64);
    }

    /// A URL of it is finished.
    pub(super) fn on_end(&mut self, url: &str, sign: Option<&Sign>, is_page: bool) -> Reply {
        if self.came + self.in_vain >= AGAIN_MAX {
            (self.came, self.in_vain) = (self.came / 2, self.in_vain / 2);
        }
        let was_asked_again = self.waiting.remove(&xxh3_64(url.as_bytes()));
        if is_page {
            // One alone is a dead link.
            if self.row.len() < 2 {
                self.ended = Vec::new();
            }
            let gives_again = !std::mem::take(&mut self.row).is_empty();
            if was_asked_again {
                // That is doubled by now.
                self.helped = (self.limit.rest / 2).max(self.helped);
            }
            self.came += u32::from(was_asked_again);
            self.limit.rest = self.helped;
            return match (was_asked_again, gives_again) {
                (true, _) => Reply::Slows,
                (false, true) => Reply::Limits,
                (false, false) => Reply::Nothing,
            };
        }
        if sign != Some(&self.limit.sign) || !was_asked_again {
            return Reply::Nothing;
        }
        self.in_vain += 1;
        match self.is_disproved() || self.in_vain / IN_VAIN_MAX > self.came {
            true => Reply::LimitsNoMore,
            false => Reply::Dead,
        }
    }

    /// A URL of it is finished without a request.
    pub(super) fn on_unasked(&mut self, url: &str) {
        self.waiting.remove(&xxh3_64(url.as_bytes()));
    }

    /// Remembers a URL that ended so. Where it was one of several in a row, it is asked for once more when a page comes.
    pub(super) fn remember(&mut self, url: Option<Candidate>) {
        let is_new = |(url, _): &Candidate| !self.again.contains(&xxh3_64(url.as_bytes()));
        if let Some(url) = url.filter(is_new)
            && self.ended.len() < URLS_MAX
        {
            self.ended.push(url);
        }
    }

    /// What is to be asked for once more, since a page came.
    pub(super) fn take_back(&mut self) -> Vec<Candidate> {
        let back = std::mem::take(&mut self.ended);
        if self.again.len() + back.len() > URLS_MAX {
            self.again.clear();
        }
        self.again
            .extend(back.iter().map(|(url, _)| xxh3_64(url.as_bytes())));
        back
    }

    /// The URLs that ended so.
    pub(super) fn candidates(&mut self) -> impl Iterator<Item = &mut Candidate> {
        self.ended.iter_mut()
    }

    /// Lets the URLs go that it remembers, but for what still waits.
    pub(super) fn forget_urls(&mut self) {
        self.ended = Vec::new();
        self.again = BTreeSet::new();
    }

    /// The same by another clock, and within the bounds that hold here.
    pub(super) fn by_clock(&mut self, clocks: ClockMove) {
        self.rests_until_ms = clocks.moved(self.rests_until_ms);
        bounded(&mut self.limit.rest);
        bounded(&mut self.helped);
        self.came = self.came.min(AGAIN_MAX);
        self.in_vain = self.in_vain.min(AGAIN_MAX);
        self.ended.truncate(URLS_MAX);
    }

    /// It limits no more, or has never done so: what ended so is a run of the host's own.
    pub(super) fn into_run(self) -> Run {
        Run {
            answers: u32::try_from(self.row.len()).unwrap_or(u32::MAX),
            since_ms: 0,
            sign: self.limit.sign,
            urls: self.ended,
            stage: Stage::Own,
        }
    }
}
