//! What hosts' robots.txt say, as the journal has it: the rules, how old they are, and what holds
//! while they cannot be had.
//!
//! Each scheme and authority has a robots.txt of its own (RFC 9309 §2.3): `http://a.example` and
//! `https://a.example` are two. Of each the rules for our agent alone are kept.
//!
//! - A copy holds for a day (§2.4). Then it is asked for again.
//! - An outage is an answer of 5xx or 429, no answer, or a body that broke off. During an outage a
//!   copy that was read earlier stays in use, also when it is older than a day (§2.4 allows that while
//!   the file is unreachable); without one the host waits. Either way the file is asked for again,
//!   after `politeness.retry_delay`, doubled each time, to [`OUTAGE_WAIT_MAX`], and after what
//!   `Retry-After` says, to `politeness.max_retry_after`; where no answer comes at all, as its failures
//!   in a row have it. URLs of the host's other origins do not wait with it, but for a `Retry-After`,
//!   which holds for the whole host.
//! - Where rules or a delay were read before, an answer of 4xx is an outage as well, until it has been seen for ten minutes: to
//!   §2.3.1.3 everything may be fetched then, but a host that limits how often it is asked answers so to all URLs, and
//!   its rules hold all the same.
//! - An outage that is seen to last longer than `politeness.max_robots_outage` closes the host, copy or no copy
//!   (§2.3.1.4): its URLs are refused. A time in which nobody asked is no part of it, as between two starts, or
//!   where a clock was set: between two tries at most [`SEEN_BETWEEN_MAX`] counts. So does at once what does not
//!   pass by itself, such as a certificate that cannot be trusted. After a day the file of a closed host is asked
//!   for again.
//! - A file that breaks off twice after the same number of bytes is as long as that: its announced
//!   length is wrong. Its whole lines count.
//!
//! Memory is bounded by bytes. Hosts for which no URL waits are forgotten first, so that a host in
//! turn with many thousands of others is asked once.

use std::collections::HashMap;
use std::time::Duration;

use archive::{FetchRecord, RobotsRecord};
use fetcher::Robots;
use frontier::{CanonicalUrl, HostKey, OriginPast, Permission, Refused};
use outcome::{FailureKind, Refusal, RobotsAnswer, RobotsRefusal, Truncation};
use serde::{Deserialize, Serialize};
use weburl::origin_of;

use crate::saved::pairs;

/// robots.txt is asked for again after this time (RFC 9309 §2.4).
const AGE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// The longest wait before a robots.txt that could not be had is asked for again.
const OUTAGE_WAIT_MAX: Duration = Duration::from_secs(600);

/// Between two tries so much of an outage is seen, at most: twice the longest wait.
const SEEN_BETWEEN_MAX: Duration = Duration::from_secs(2 * OUTAGE_WAIT_MAX.as_secs());

/// An outage of so many tries, spread over so long, closes the host however little of it was seen.
const FOREVER: Duration = Duration::from_secs(30 * 24 * 3_600);
const FOREVER_TRIES: u32 = 30;

/// Tries of a robots.txt before its outage closes the host, at least.
const OUTAGE_TRIES_MIN: u32 = 4;

/// Rules that were read are gone once robots.txt has been answered as missing for so long. Hosts that limit how often
/// they are asked by 403 or 404 answer it so as well, and few for longer.
const GONE_AFTER: Duration = OUTAGE_WAIT_MAX;

/// Bytes of rules in memory, as counted by [`Known::bytes`].
const BYTES_MAX: usize = 64 << 20;

/// What an entry takes beside its rules.
const ENTRY_BYTES: usize = 400;

/// How robots.txt is obeyed.
#[derive(Debug, Clone)]
pub(crate) struct RobotsPolicy {
    /// Whether it is.
    pub(crate) obey: bool,
    /// The first wait before one that could not be had is asked for again; doubled each time.
    pub(crate) retry_delay: Duration,
    /// The longest wait that a server may ask for.
    pub(crate) retry_after_max: Duration,
    /// The outage after which a host counts as closed.
    pub(crate) outage_max: Duration,
}

/// A copy of the rules for our agent.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Copy {
    #[serde(with = "lines")]
    rules: Robots,
    at_ms: u64,
    crawl_delay: Option<Duration>,
    /// What the rules take in memory.
    bytes: usize,
}

/// Rules as the journal has them.
mod lines {
    use fetcher::Robots;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(rules: &Robots, to: S) -> Result<S::Ok, S::Error> {
        rules.lines_for("*").serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Robots, D::Error> {
        Ok(Robots::of_lines(&Vec::<String>::deserialize(from)?))
    }
}

/// A time in which robots.txt cannot be had.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Outage {
    since_ms: u64,
    last_ms: u64,
    tries: u32,
    /// How long it was seen to last, milliseconds.
    seen_ms: u64,
    /// After how many bytes the last answer broke off, if it did.
    cut_at: Option<u64>,
    /// Why URLs are refused, once the host is closed.
    closed: Option<Closed>,
}

/// Why a host is closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Closed {
    /// Its address is none that may be asked.
    Guard(String),
    /// Its robots.txt cannot be had, in these words.
    Unavailable(String),
    /// Its first answer never came.
    Unreachable(FailureKind, String),
}

impl Closed {
    /// How its URLs are refused.
    fn refused(&self) -> Refused {
        match self {
            Self::Guard(words) => Refused::Refusal(Refusal::Guard(words.clone())),
            Self::Unavailable(answered) => {
                let answered = answered.clone();
                Refused::Refusal(Refusal::Robots(RobotsRefusal::Unavailable { answered }))
            }
            Self::Unreachable(failure, detail) => Refused::Unreachable {
                failure: failure.clone(),
                detail: detail.clone(),
            },
        }
    }
}

impl Outage {
    /// From the last try to the next; `first` is the first wait.
    fn wait(&self, first: Duration) -> Duration {
        let doublings = self.tries.saturating_sub(1).min(16);
        first.saturating_mul(1 << doublings).min(OUTAGE_WAIT_MAX)
    }

    /// How long it was seen to last, if it lasts at a time.
    fn seen(&self, now_ms: u64) -> Duration {
        let since_try = between(now_ms, self.last_ms).min(SEEN_BETWEEN_MAX);
        Duration::from_millis(self.seen_ms) + since_try
    }

    /// Whether it lasts for so long that nobody need believe in the file any more (RFC 9309 §2.3.1.4).
    fn is_forever(&self, now_ms: u64) -> bool {
        self.tries >= FOREVER_TRIES && between(now_ms, self.since_ms) >= FOREVER
    }
}

/// What is known of one robots.txt.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Known {
    copy: Option<Copy>,
    outage: Option<Outage>,
}

impl Known {
    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.copy.as_ref().map_or(0, |copy| copy.bytes)
    }

    fn last_ms(&self) -> u64 {
        let copy = self.copy.as_ref().map(|copy| copy.at_ms);
        copy.max(self.outage.as_ref().map(|outage| outage.last_ms))
            .unwrap_or(0)
    }
}

/// What a record of a robots.txt means for its host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RobotsNews {
    /// The delay that it asks for.
    pub(crate) crawl_delay: Option<Duration>,
    /// It could not be had, there is no copy, and it is asked for again after this time.
    pub(crate) wait: Option<Duration>,
}

/// The robots.txt of all hosts.
#[derive(Debug)]
pub(crate) struct RobotsBook {
    policy: RobotsPolicy,
    known: All,
    bytes: usize,
}

/// What is known, by origin.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct All(#[serde(with = "pairs")] HashMap<Box<str>, Known>);

/// The first URL of an origin.
pub(crate) fn url_of(origin: &str) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(&format!("{origin}/")).ok()
}

/// The time between two points of a wall clock that may have been set in between. Forward or back, it
/// is time in which anything may have changed.
fn between(now_ms: u64, then_ms: u64) -> Duration {
    Duration::from_millis(now_ms.abs_diff(then_ms))
}

impl RobotsBook {
    pub(crate) fn new(policy: RobotsPolicy) -> Self {
        Self {
            policy,
            known: All::default(),
            bytes: 0,
        }
    }

    /// What is known.
    pub(crate) fn known(&self) -> &All {
        &self.known
    }

    /// Goes on with what was known before.
    pub(crate) fn resume(&mut self, known: All) {
        self.bytes = known.0.values().map(Known::bytes).sum();
        self.known = known;
    }

    /// May this URL be fetched? Unknown where robots.txt is to be asked for first.
    pub(crate) fn check(&self, url: &CanonicalUrl, now_ms: u64) -> Permission {
        if !self.policy.obey {
            return Permission::Allowed;
        }
        let Some(known) = self.known.0.get(origin_of(url.as_str())) else {
            return Permission::Unknown;
        };
        let first = self.policy.retry_delay;
        if let Some(outage) = &known.outage {
            let since_try = between(now_ms, outage.last_ms);
            return match (&outage.closed, &known.copy) {
                (Some(closed), _) if since_try <= AGE_MAX => Permission::Refused(closed.refused()),
                (None, Some(copy)) if since_try <= outage.wait(first) => by_rules(&copy.rules, url),
                (Some(_), _) | (None, Some(_) | None) => Permission::Unknown,
            };
        }
        match &known.copy {
            Some(copy) if between(now_ms, copy.at_ms) <= AGE_MAX => by_rules(&copy.rules, url),
            Some(_) | None => Permission::Unknown,
        }
    }

    /// What follows from an answer to robots.txt; `said` is what it says by itself.
    pub(crate) fn decide(
        &self,
        origin: &str,
        said: &RobotsAnswer,
        fetch: &FetchRecord,
        now_ms: u64,
    ) -> RobotsAnswer {
        let known = self.known.0.get(origin);
        let outage = known.and_then(|known| known.outage.as_ref());
        let has_copy = known.is_some_and(|known| known.copy.is_some());
        let has_rules = known
            .and_then(|known| known.copy.as_ref())
            .is_some_and(|copy| copy.bytes > 0 || copy.crawl_delay.is_some());
        let is_told_long = outage.is_some_and(|outage| {
            outage.tries + 1 >= OUTAGE_TRIES_MIN && outage.seen(now_ms) >= GONE_AFTER
        });
        let is_too_long = outage.is_some_and(|outage| {
            let is_seen = outage.seen(now_ms) >= self.policy.outage_max;
            outage.tries + 1 >= OUTAGE_TRIES_MIN && is_seen || outage.is_forever(now_ms)
        });
        let last_cut = outage.and_then(|outage| outage.cut_at);
        match said {
            RobotsAnswer::Outage if last_cut.is_some() && last_cut == cut_at(fetch) => {
                RobotsAnswer::Parsed
            }
            RobotsAnswer::Outage | RobotsAnswer::DisallowAll if is_too_long => {
                RobotsAnswer::DisallowAll
            }
            RobotsAnswer::DisallowAll if has_copy => RobotsAnswer::Outage,
            RobotsAnswer::AllowAll if has_rules && !is_told_long => RobotsAnswer::Outage,
            RobotsAnswer::Parsed
            | RobotsAnswer::AllowAll
            | RobotsAnswer::DisallowAll
            | RobotsAnswer::Outage
            | RobotsAnswer::Unknown(_) => said.clone(),
        }
    }

    /// Takes a record in. Those of earlier versions do not say whose robots.txt they are, and nothing
    /// follows from them.
    pub(crate) fn apply(&mut self, record: &RobotsRecord) -> RobotsNews {
        let crawl_delay = record.crawl_delay_s;
        let crawl_delay = crawl_delay.and_then(|s| Duration::try_from_secs_f64(s).ok());
        let mut news = RobotsNews {
            crawl_delay,
            wait: None,
        };
        let Some(origin) = record.origin.as_deref() else {
            return news;
        };
        let known = self.known.0.entry(origin.into()).or_insert_with(|| {
            self.bytes += ENTRY_BYTES;
            Known::default()
        });
        let before = known.bytes();
        let at_ms = record.fetch.started_ms.saturating_add(record.fetch.ms);
        match &record.rules {
            RobotsAnswer::Parsed | RobotsAnswer::AllowAll => {
                known.outage = None;
                known.copy = Some(Copy {
                    rules: Robots::of_lines(&record.lines),
                    at_ms,
                    crawl_delay,
                    // The text, and the text ready to be matched.
                    bytes: record.lines.iter().map(|line| 3 * line.len() + 100).sum(),
                });
            }
            RobotsAnswer::DisallowAll | RobotsAnswer::Outage | RobotsAnswer::Unknown(_) => {
                let outage = known.outage.get_or_insert(Outage {
                    since_ms: at_ms,
                    last_ms: at_ms,
                    tries: 0,
                    seen_ms: 0,
                    cut_at: None,
                    closed: None,
                });
                outage.seen_ms = outage.seen(at_ms).as_millis() as u64;
                outage.tries = outage.tries.saturating_add(1);
                outage.last_ms = at_ms;
                outage.cut_at = cut_at(&record.fetch);
                let is_closed = record.rules == RobotsAnswer::DisallowAll;
                outage.closed = is_closed.then(|| closed(&record.fetch, outage));
                let asked = record.fetch.retry_after_s;
                let asked = asked.and_then(|s| Duration::try_from_secs_f64(s).ok());
                let asked = asked.unwrap_or_default().min(self.policy.retry_after_max);
                let waits = !is_closed && known.copy.is_none();
                // A host that gives no answer at all is left alone by its failures in a row.
                let wait = match record.fetch.status {
                    0 => Duration::ZERO,
                    _ => outage.wait(self.policy.retry_delay),
                };
                news.wait = waits.then(|| wait.max(asked));
                news.crawl_delay = known.copy.as_ref().and_then(|copy| copy.crawl_delay);
            }
        }
        self.bytes = self.bytes + known.bytes() - before;
        news
    }

    /// URLs of a host were put back: where it was closed it is asked again.
    pub(crate) fn reopen(&mut self, url: &str) {
        if let Some(known) = self.known.0.get_mut(origin_of(url))
            && let Some(outage) = &known.outage
            && outage.closed.is_some()
        {
            known.outage = None;
        }
    }

    /// Forgets what is beyond the bound of memory: first what no URL waits for, the oldest first.
    pub(crate) fn make_room(&mut self, is_waiting: impl Fn(&HostKey) -> bool) {
        if self.bytes <= BYTES_MAX {
            return;
        }
        let mut all: Vec<(bool, u64, Box<str>)> = self
            .known
            .0
            .iter()
            .map(|(origin, known)| {
                let waits = url_of(origin).is_some_and(|url| is_waiting(&url.host()));
                (waits, known.last_ms(), origin.clone())
            })
            .collect();
        all.sort_unstable();
        for (_, _, origin) in all {
            if self.bytes <= BYTES_MAX / 4 * 3 {
                break;
            }
            if let Some(known) = self.known.0.remove(&origin) {
                self.bytes -= known.bytes();
            }
        }
    }

    /// Those of them that ask for a delay, or are not to be asked for again yet.
    pub(crate) fn owed(&self) -> impl Iterator<Item = (HostKey, OriginPast)> + '_ {
        let is_owed = |known: &Known| {
            let asks = |copy: &Copy| copy.crawl_delay.is_some();
            known.outage.is_some() || known.copy.as_ref().is_some_and(asks)
        };
        let owed = self.known.0.iter().filter(move |(_, known)| is_owed(known));
        let owed = owed.filter_map(|(origin, known)| self.past_of(origin, known));
        owed.filter(|(_, past)| past.crawl_delay.is_some() || past.robots_outage.is_some())
    }

    /// What a new process must know of each host before it asks it for anything: the delay that each of
    /// its origins asks for, and until when its robots.txt is not to be asked for again.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = (HostKey, OriginPast)> + '_ {
        let known = self.known.0.iter();
        known.filter_map(|(origin, known)| self.past_of(origin, known))
    }

    fn past_of(&self, origin: &str, known: &Known) -> Option<(HostKey, OriginPast)> {
        let crawl_delay = known.copy.as_ref().and_then(|copy| copy.crawl_delay);
        let waits = |outage: &&Outage| outage.closed.is_none() && known.copy.is_none();
        let outage = known.outage.as_ref().filter(waits);
        let wait = outage.map(|outage| (outage.last_ms, outage.wait(self.policy.retry_delay)));
        let url = url_of(origin)?;
        let past = OriginPast {
            origin: url.origin(),
            crawl_delay,
            robots_outage: wait,
            ..OriginPast::default()
        };
        Some((url.host(), past))
    }

    /// All of it, in order, for comparison.
    #[cfg(test)]
    pub(crate) fn tell(&self) -> std::collections::BTreeMap<&str, String> {
        let all = self.known.0.iter();
        all.map(|(origin, known)| (&**origin, format!("{known:?}")))
            .collect()
    }
}

fn by_rules(rules: &Robots, url: &CanonicalUrl) -> Permission {
    let answer = rules.check("*", &url.to_url());
    if answer.allowed {
        return Permission::Allowed;
    }
    let rule = RobotsRefusal::Rule {
        rule: answer.rule.unwrap_or_default(),
        line: answer.line.unwrap_or(0),
    };
    Permission::Refused(Refused::Refusal(Refusal::Robots(rule)))
}

/// After how many bytes an answer broke off, if it did.
fn cut_at(fetch: &FetchRecord) -> Option<u64> {
    let broke_off = fetch.truncated == Some(Truncation::Disconnect);
    broke_off.then_some(fetch.bytes)
}

/// Why a host is closed after an answer.
fn closed(fetch: &FetchRecord, outage: &Outage) -> Closed {
    // It was asked for now and then: what it did between is not known.
    let tries = match outage.tries {
        0 | 1 => String::new(),
        tries => {
            let lasted = lasting(between(outage.last_ms, outage.since_ms).as_secs());
            format!(", at {tries} tries within {lasted}")
        }
    };
    let words = fetch.error_text.clone().unwrap_or_default();
    match (&fetch.error, fetch.status) {
        (Some(FailureKind::Guard), _) => Closed::Guard(words),
        (Some(failure), _) if outage.tries <= 1 => Closed::Unreachable(failure.clone(), words),
        (Some(_), _) => Closed::Unavailable(format!("{words}{tries}")),
        (None, status @ 200..300) => {
            Closed::Unavailable(format!("the answer ({status}) broke off{tries}"))
        }
        (None, status) => Closed::Unavailable(format!("the server answered {status}{tries}")),
    }
}

/// So many seconds, in their largest unit.
fn lasting(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600.. => format!("{} h", seconds / 3_600),
    }
}

#[cfg(test)]
mod tests;
