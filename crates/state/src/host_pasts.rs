//! What hosts answered last, so that a restart keeps the manners owed to them.
//!
//! The frontier backs off by the answers of the running process. This is the same, as far as it
//! follows from the journal: failures in a row (of an origin, where no answer came at all), a Retry-After
//! that may still hold, and how much slower than its delay a host is asked. Only hosts of which there is
//! something to tell are kept; of the others, 8 bytes say that they have answered.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use archive::FetchRecord;
use frontier::{HostPast, Origin, OriginPast};
use outcome::FailureKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::host_runs::HostRuns;
use crate::saved::hashes;

/// What is known of the hosts' last answers.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct HostPasts {
    troubled: BTreeMap<Box<str>, HostPast>,
    #[serde(with = "hashes")]
    answered: BTreeSet<u64>,
    /// Which of them limit by answers without a page.
    pub(crate) runs: HostRuns,
    /// On many machines, the number of what was said last of a part that came.
    pub(crate) heard: BTreeMap<u16, u64>,
}

impl HostPasts {
    /// Takes in how a host answered a request to one of its origins.
    pub(crate) fn on_answer(&mut self, host: &str, origin: Origin, fetch: &FetchRecord) {
        if fetch.started_ms == 0 {
            // No request was made.
            return;
        }
        if fetch.status > 0 {
            self.answered.insert(xxh3_64(host.as_bytes()));
        }
        let ended_ms = fetch.started_ms.saturating_add(fetch.ms);
        let asks = FetchRecord::may_ask_for_time(fetch.status);
        let asked = fetch.retry_after_s.filter(|_| asks);
        let asked = asked.and_then(|s| Duration::try_from_secs_f64(s).ok());
        let has_failed = is_failure(fetch);
        if asked.is_none() && !has_failed && !self.troubled.contains_key(host) {
            return;
        }
        let past = self.troubled.entry(host.into()).or_default();
        note_failures(past, origin, ended_ms, fetch);
        let (began_ms, says_when) = (fetch.started_ms, asked.is_some());
        past.pace.note(fetch.status, says_when, began_ms, ended_ms);
        note_wait(past, ended_ms, asked);
        let has_failures = past.failures > 0 || !past.origins.is_empty();
        if !has_failures && past.retry_after.is_none() && past.pace.is_full() {
            self.troubled.remove(host);
        }
    }

    /// A host rests after an answer, since it seems to limit how often it is asked.
    pub(crate) fn hold(&mut self, host: &str, ended_ms: u64, rest: Duration) {
        note_wait(
            self.troubled.entry(host.into()).or_default(),
            ended_ms,
            Some(rest),
        );
    }

    /// It is asked more slowly.
    pub(crate) fn slow(&mut self, host: &str, (began_ms, ended_ms): (u64, u64)) {
        let past = self.troubled.entry(host.into()).or_default();
        past.pace.note(429, false, began_ms, ended_ms);
    }

    /// Whether any host has ever answered.
    pub(crate) fn any_answered(&self) -> bool {
        !self.answered.is_empty()
    }

    /// The past of a host.
    pub(crate) fn of(&self, host: &str) -> HostPast {
        HostPast {
            has_answered: self.answered.contains(&xxh3_64(host.as_bytes())),
            limit: self.runs.limit_of(host),
            refuses_all: self.runs.refuses_all(host),
            ..self.troubled.get(host).cloned().unwrap_or_default()
        }
    }

    /// Whether a host has answered, and what more there is to tell of its last answers.
    pub(crate) fn owed(&self, host: &str) -> (bool, Option<HostPast>) {
        let has_answered = self.answered.contains(&xxh3_64(host.as_bytes()));
        (has_answered, self.troubled.get(host).cloned())
    }

    /// Goes on with what another node knew of a host's last answers, who had it last.
    pub(crate) fn take(&mut self, host: &str, (has_answered, past): (bool, Option<HostPast>)) {
        if has_answered {
            self.answered.insert(xxh3_64(host.as_bytes()));
        }
        match past {
            Some(past) => self.troubled.insert(host.into(), past),
            None => self.troubled.remove(host),
        };
    }

    /// The hosts of which there is more to tell than that they have answered.
    pub(crate) fn troubled(&self) -> impl Iterator<Item = &str> {
        let troubled = self.troubled.keys().map(|host| &**host);
        troubled.chain(self.runs.limited())
    }
}

/// The longest wait holds, until it has passed.
fn note_wait(past: &mut HostPast, ended_ms: u64, asked: Option<Duration>) {
    let until = |(from_ms, wait): &(u64, Duration)| {
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        from_ms.saturating_add(wait_ms)
    };
    let asked = asked.map(|asked| (ended_ms, asked));
    let longer = past.retry_after.into_iter().chain(asked).max_by_key(until);
    past.retry_after = longer.filter(|asked| until(asked) > ended_ms);
}

/// Counts failures in a row as the frontier does: those by status are the host's, those without an answer
/// the origin's, and each row begins where the other one is.
fn note_failures(past: &mut HostPast, origin: Origin, ended_ms: u64, fetch: &FetchRecord) {
    let own = past.origins.iter().position(|own| own.origin == origin);
    let own = own.map(|at| past.origins.swap_remove(at));
    let in_a_row = own.map_or(0, |own| own.failures).max(past.failures);
    if fetch.status == 0 && is_failure(fetch) {
        past.origins.push(OriginPast {
            origin,
            failures: in_a_row.saturating_add(1),
            ended_ms,
            ..OriginPast::default()
        });
        return;
    }
    past.ended_ms = ended_ms;
    past.failures = match is_failure(fetch) {
        true => in_a_row.saturating_add(1),
        false => 0,
    };
}

/// Whether the frontier backs off after such an answer.
fn is_failure(fetch: &FetchRecord) -> bool {
    match &fetch.error {
        None => fetch.status == 429 || fetch.status >= 500,
        Some(kind) => matches!(
            kind,
            FailureKind::Dns
                | FailureKind::Connect
                | FailureKind::Timeout
                | FailureKind::Reset
                | FailureKind::Proxy
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, retry_after_s: Option<f64>, started_ms: u64) -> FetchRecord {
        FetchRecord {
            status,
            retry_after_s,
            started_ms,
            ms: 10,
            ..FetchRecord::default()
        }
    }

    #[test]
    fn what_a_host_asked_for_is_remembered_until_it_has_passed() {
        let mut pasts = HostPasts::default();
        pasts.on_answer(
            "a.example",
            Origin::default(),
            &answer(429, Some(120.0), 1_000),
        );
        let past = pasts.of("a.example");
        let asked = Some((1_010, Duration::from_secs(120)));
        assert_eq!((past.failures, past.retry_after), (1, asked));
        assert!(past.has_answered && !pasts.of("b.example").has_answered);
        // A good answer that was under way ends the failures, and not what was asked for.
        pasts.on_answer("a.example", Origin::default(), &answer(200, None, 2_000));
        let past = pasts.of("a.example");
        assert_eq!((past.failures, past.retry_after), (0, asked));
        pasts.on_answer("a.example", Origin::default(), &answer(200, None, 200_000));
        assert_eq!(pasts.of("a.example").retry_after, None);
        // That it was asked too often is remembered for some answers more.
        let good = (200..).step_by(10).map(|s| answer(200, None, 1_000 * s));
        let more = good.take_while(|answer| {
            pasts.on_answer("a.example", Origin::default(), answer);
            pasts.troubled().count() > 0
        });
        assert_eq!(more.count(), 13);
        // A page may say when it changes next.
        pasts.on_answer(
            "a.example",
            Origin::default(),
            &answer(200, Some(9.0), 300_000),
        );
        assert_eq!(pasts.of("a.example").retry_after, None);
    }

    #[test]
    fn failures_in_a_row_are_counted_as_the_frontier_counts_them() {
        let mut pasts = HostPasts::default();
        let lost = FetchRecord {
            error: Some(FailureKind::Timeout),
            ..answer(0, None, 1_000)
        };
        pasts.on_answer("a.example", Origin::default(), &lost);
        pasts.on_answer("a.example", Origin::default(), &answer(503, None, 2_000));
        let past = pasts.of("a.example");
        assert_eq!((past.failures, past.ended_ms), (2, 2_010));
        let refused = FetchRecord {
            error: Some(FailureKind::Tls),
            ..answer(0, None, 3_000)
        };
        pasts.on_answer("a.example", Origin::default(), &refused);
        assert_eq!(pasts.of("a.example").failures, 0);
        // Nothing was asked.
        pasts.on_answer("b.example", Origin::default(), &FetchRecord::default());
        assert!(!pasts.of("b.example").has_answered);
    }

    #[test]
    fn a_request_without_an_answer_is_its_origins_failure_alone() {
        let https = Origin::of("https://a.example/");
        let lost = |started_ms| FetchRecord {
            error: Some(FailureKind::Connect),
            ..answer(0, None, started_ms)
        };
        let mut pasts = HostPasts::default();
        pasts.on_answer("a.example", https, &lost(1_000));
        pasts.on_answer("a.example", https, &lost(2_000));
        pasts.on_answer("a.example", Origin::default(), &answer(200, None, 3_000));
        let past = pasts.of("a.example");
        let of_https = OriginPast {
            origin: https,
            failures: 2,
            ended_ms: 2_010,
            ..OriginPast::default()
        };
        assert_eq!((past.failures, &*past.origins), (0, [of_https].as_slice()));
        pasts.on_answer("a.example", https, &answer(200, None, 4_000));
        assert_eq!(pasts.troubled().count(), 0);
    }
}
