//! Finding to record: every decision of a crawl, and nothing that it changes.
//!
//! Whatever becomes of a URL, of its page and of each of its links stands in the record. What later
//! decisions follow from is changed by [`State::apply`] alone, once the record is appended. A
//! decision is made on the state as it is before its record; where the record itself matters, that
//! is spelled out: the links of a page use up budgets one after the other
//! ([`frontier::Offers`]), are scored with their page in mind ([`focus::PageAhead`]), and an example
//! page is judged by a copy of the model that has learnt from it.
//!
//! In this file what every URL has in common, and what has no page; `redirect` is what points
//! elsewhere, `visit` a URL that was read before, `hearing` what speaks for a page that looks like none, `page` is a page, `links` what
//! becomes of its links, `sitemaps` what robots.txt and sitemaps bring, `sources` what feeds do, and both
//! when they are visited again, `seeds` what a user gives.

use std::time::Duration;

use archive::{AttemptRecord, Event, FetchRecord, LimitedRecord, PageRecord, Record};
use frontier::{HostKey, Lease, Sign};
use outcome::{FailureKind, Outcome};
use sieve::{Content, Evidence};

use crate::context::{Kind, UrlContext, encode, is_listed, kind_in};
use crate::decided::Decided;
use crate::finding::{Finding, Reading, UrlFinding};
use crate::host_runs::{Unread, sign_of_success};
use crate::recorded;
use crate::state::{State, StoreError};

mod hearing;
mod links;
mod page;
mod redirect;
mod seeds;
mod sitemaps;
mod sources;
mod visit;

pub use seeds::SeedError;
pub use sources::is_feed;

/// A page answered with 429 by a host that only limits how often it is asked is tried so many times as often as
/// others, one answered with 503 half as many times.
const ATTEMPTS_TIMES: u32 = 4;

/// A host only limits how often it is asked that answered one of its last so many requests well. From a
/// delay of a second on, twelve failures in a row are over seven minutes, longer than the windows that
/// limits are counted by.
const LIMITED_MAX: u32 = 12;

impl State {
    /// Makes the record of a finding; `now_ms` is the time since the Unix epoch. Nothing is changed
    /// but caches: the tables and the focus model are asked through `&mut` for those.
    ///
    /// # Errors
    /// When a store cannot be read.
    pub fn decide(&mut self, finding: Finding, now_ms: u64) -> Result<Decided, StoreError> {
        match finding {
            Finding::Robots(found) => {
                let event = Event::Robots(self.robots_record(&found, now_ms)?);
                Ok(Decided::of(self.record(event, now_ms)))
            }
            Finding::Url(found) => self.decide_url(*found, now_ms),
        }
    }

    /// The next record.
    pub fn record(&self, event: Event, now_ms: u64) -> Record {
        Record {
            seq: self.seq + 1,
            at_ms: now_ms,
            event,
        }
    }

    fn decide_url(&mut self, found: UrlFinding, now_ms: u64) -> Result<Decided, StoreError> {
        let UrlFinding {
            lease,
            mut reading,
            answer,
            content_type,
            before,
        } = found;
        let mut fetch = answer
            .as_ref()
            .map(|answer| recorded::fetch_record(answer, &content_type, now_ms));
        let mut read = None;
        let mut context = UrlContext::from_bytes(&lease.url().context);
        let due = context.due.take();
        self.hear(&lease, due.as_deref(), &mut reading);
        let before_it = due.as_ref().filter(|due| !due.body_is_older);
        let before_it = before_it.and_then(|due| due.body.clone());
        // The record of a visit has them beside the fetch.
        if let (Some(fetch), Some(answer), None, true) =
            (&mut fetch, &answer, &due, self.policy.comes_back)
        {
            (fetch.etag, fetch.last_modified) = recorded::validators(answer);
        }
        let limited = self.limited(&lease, &reading, fetch.as_ref());
        let event = if limited.is_some() || self.is_tried_again(&lease, &reading) {
            let fetch = fetch.unwrap_or_default();
            Event::Attempt(self.attempt_record(&lease, fetch, limited, now_ms))
        } else if let Some(due) = due.as_ref().filter(|due| due.source) {
            let head = self.head_of_visit(&lease, context, fetch);
            let answer = answer.as_ref();
            let visit = self.decide_source_visit(&lease, due, head, reading, answer, now_ms)?;
            Event::Visit(Box::new(visit))
        } else if context.kind == Kind::Sitemap && !self.is_page_after_all(&lease, &reading) {
            Event::Sitemap(self.sitemap_record(&lease, fetch.unwrap_or_default(), reading)?)
        } else if let Some(due) = due {
            let head = self.head_of_visit(&lease, context, fetch);
            let found = (reading, before);
            let visit = self.decide_visit(&lease, &due, head, found, answer.as_ref(), now_ms)?;
            read = visit.1;
            Event::Visit(Box::new(visit.0))
        } else {
            let named_sitemap = context.kind == Kind::Sitemap;
            let mut head = self.head(&lease, context, fetch);
            if named_sitemap {
                // As far from the seed as if a sitemap had named it as what it is.
                (head.named_sitemap, head.depth, head.hops) = (true, 1, 0);
            }
            let record = match reading {
                Reading::Page(reading) => {
                    let (record, text) = self.decide_page(&lease, head, *reading, now_ms)?;
                    read = Some(text);
                    record
                }
                Reading::Redirect(Ok(target)) => {
                    let answer = answer.as_ref();
                    let answer = answer.and_then(|answer| answer.fetched.as_ref().ok());
                    // A seed is the user's word, and so is where it leads at its first read.
                    let opens = head.depth == 0 && !head.after_visit;
                    self.decide_redirect(&lease, head, &target, answer, opens)?
                }
                Reading::Sitemap(feed) => self.decide_feed(&lease, head, &feed, &content_type)?,
                other => self.decide_other(head, other, &content_type),
            };
            Event::Page(Box::new(record))
        };
        Ok(Decided {
            record: self.record(event, now_ms),
            answer,
            lease: Some(lease),
            page: read,
            before: before_it,
        })
    }

    /// Whether what an index of sitemaps named is a page that belongs to the crawl.
    fn is_page_after_all(&self, lease: &Lease, reading: &Reading) -> bool {
        let url = lease.url();
        matches!(reading, Reading::Page(_))
            && is_listed(url)
            && self.reach.check(&url.url, 1, url.seed).is_ok()
    }

    fn is_tried_again(&self, lease: &Lease, reading: &Reading) -> bool {
        let Reading::Failed {
            transient: true,
            kind,
            ..
        } = reading
        else {
            return false;
        };
        let attempts = match kind {
            FailureKind::Http(status @ (429 | 503))
                if self.only_limits_us(&lease.url().url.host()) =>
            {
                match self.policy.attempts_max {
                    // Whoever wants one try gets one.
                    one @ ..=1 => one,
                    // 503 may also be the page's own, for good.
                    more if *status == 503 => more.saturating_mul(ATTEMPTS_TIMES / 2),
                    more => more.saturating_mul(ATTEMPTS_TIMES),
                }
            }
            _ => self.policy.attempts_max,
        };
        lease.attempt() < attempts
    }

    /// Whether a host that says that it is asked too often has answered otherwise of late: then it does not
    /// mean the page, and is asked more slowly by now.
    fn only_limits_us(&self, host: &HostKey) -> bool {
        self.pasts.of(host.as_str()).failures < LIMITED_MAX
    }

    /// Whether an answer without a page is asked for again, since its host limits by such answers, or to find out
    /// whether it does.
    fn limited(
        &self,
        lease: &Lease,
        reading: &Reading,
        fetch: Option<&FetchRecord>,
    ) -> Option<LimitedRecord> {
        let (url, fetch) = (&lease.url().url, fetch?);
        let host = url.host();
        let sign = self.sign_of(lease, reading, fetch)?;
        let attempts = self.policy.attempts_max;
        if attempts <= 1 {
            return None;
        }
        // A redirect means what it leads to, and no time at all, which some caches write, means nothing.
        let is_redirect = (300..400).contains(&fetch.status);
        let asked = fetch.retry_after_s;
        let asked = asked.filter(|seconds| *seconds > 0.0 && !is_redirect);
        let answer = Unread {
            host: host.as_str(),
            url: url.as_str(),
            sign: &sign,
            asked: asked.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            attempt: lease.attempt(),
            good_pages: self.queue.lock().frontier.good_pages(&host, &sign),
        };
        let may_look = kind_in(&lease.url().context) == Kind::Page;
        let limited = self.pasts.runs.limited_by(&answer, may_look)?;
        let has_tries = lease.attempt() < attempts.saturating_mul(ATTEMPTS_TIMES);
        (has_tries || limited.is_sure).then_some(limited)
    }

    /// What an answer without a page is like, as `host_runs` has it of its record.
    fn sign_of(&self, lease: &Lease, reading: &Reading, fetch: &FetchRecord) -> Option<Sign> {
        let is_success = (200..300).contains(&fetch.status);
        let rules = &self.policy.rules;
        match reading {
            Reading::Redirect(Ok(target)) => {
                (*target != lease.url().url).then(|| Sign::elsewhere(target.as_str()))
            }
            Reading::Page(page) if page.page.wall.is_some() && !rules.keep_walls => None,
            Reading::Page(_) | Reading::NoPage { .. } if !is_success => Sign::error(fetch.status),
            Reading::Page(page) => {
                let words = page.words.len() as u32;
                let says_nothing = page.soft_404 || words < rules.words_min;
                let payload = recorded::payload(page.payload);
                says_nothing.then(|| sign_of_success(fetch.retry_after_s, words, &payload))
            }
            Reading::NoPage { .. }
            | Reading::Sitemap(_)
            | Reading::Redirect(Err(_))
            | Reading::NotModified
            | Reading::Refused(_)
            | Reading::Failed { .. } => None,
        }
    }

    /// A fetch that will be repeated.
    fn attempt_record(
        &self,
        lease: &Lease,
        fetch: FetchRecord,
        limited: Option<LimitedRecord>,
        now_ms: u64,
    ) -> AttemptRecord {
        let doublings = lease.attempt().min(self.policy.attempts_max);
        let doublings = doublings.saturating_sub(1).min(16);
        let back_off_ms = self.policy.retry_delay.as_millis() as u64 * (1 << doublings);
        let asked_ms = (fetch.retry_after_s.unwrap_or(0.0) * 1_000.0)
            .min(self.policy.retry_after_max.as_millis() as f64) as u64;
        let retry_at_ms = match &limited {
            // As soon as its host may be asked.
            Some(limited) => fetch.started_ms + fetch.ms + (limited.rest_s * 1_000.0) as u64,
            None => now_ms + back_off_ms.max(asked_ms),
        };
        AttemptRecord {
            url: lease.url().url.as_str().into(),
            host: lease.url().url.host().to_string(),
            fetch,
            attempt: lease.attempt(),
            retry_at_ms,
            sitemap: kind_in(&lease.url().context) == Kind::Sitemap,
            limited,
        }
    }

    /// What the record of a finished URL has whatever became of it.
    fn head(&self, lease: &Lease, context: UrlContext, fetch: Option<FetchRecord>) -> PageRecord {
        let url = &lease.url().url;
        let foreseen = fetch
            .as_ref()
            .map(|_| self.queue.lock().foreseen_by(url))
            .unwrap_or_default();
        PageRecord {
            foreseen: foreseen.original,
            foreseen_by: foreseen.rules,
            foreseen_compared: foreseen.compared,
            foreseen_nothing: foreseen.nothing,
            ..self.head_of_any(lease, context, fetch)
        }
    }

    fn head_of_any(
        &self,
        lease: &Lease,
        context: UrlContext,
        fetch: Option<FetchRecord>,
    ) -> PageRecord {
        let url = lease.url();
        PageRecord {
            url: url.url.as_str().into(),
            host: url.url.host().to_string(),
            depth: url.depth,
            seed: url.seed,
            hops: context.hops,
            via: url.via,
            priority: url.priority,
            attempt: fetch.as_ref().map_or(0, |_| lease.attempt()),
            fetch,
            context: self.focus.as_ref().map(|_| encode(&context.features)),
            began: context.began,
            after_visit: context.after_visit,
            ..PageRecord::default()
        }
    }

    /// The same for a URL that is visited again. What it leads to is worth what its seed is, not what the
    /// visit was; and as its page is compared with its own earlier version, nothing is foreseen.
    fn head_of_visit(
        &self,
        lease: &Lease,
        context: UrlContext,
        fetch: Option<FetchRecord>,
    ) -> PageRecord {
        PageRecord {
            priority: self.reach.priority_of_seed(lease.url().seed),
            ..self.head_of_any(lease, context, fetch)
        }
    }

    /// A URL without a page.
    fn decide_other(
        &self,
        mut record: PageRecord,
        reading: Reading,
        content_type: &str,
    ) -> PageRecord {
        match reading {
            Reading::Redirect(Err(error)) => {
                record.outcome = Outcome::Failed(FailureKind::BadRedirect);
                record.detail = Some(error);
            }
            Reading::NotModified => record.outcome = Outcome::NotModified,
            Reading::Refused(refusal) => {
                record.detail = refusal.detail();
                record.outcome = Outcome::Refused(refusal);
            }
            Reading::Failed { kind, detail, .. } => {
                record.detail = Some(detail);
                record.outcome = Outcome::Failed(kind);
            }
            Reading::NoPage { .. }
            | Reading::Page(_)
            | Reading::Sitemap(_)
            | Reading::Redirect(Ok(_)) => {
                let evidence = no_page(record.status());
                let verdict = sieve::judge(&evidence, &self.policy.rules);
                record.detail =
                    recorded::detail(&evidence, &self.policy.rules, &verdict, content_type);
                record.outcome = Outcome::Judged(verdict);
            }
        }
        record
    }
}

/// What is known of an answer without a page.
fn no_page(status: u16) -> Evidence {
    Evidence {
        status,
        content: Content::Other,
        is_wall: false,
        words: 0,
        may_index: true,
        soft_404: false,
        listing: false,
        language: None,
        relevance: None,
        neighbour: None,
        same_layout: false,
    }
}

#[cfg(test)]
mod tests {
    use frontier::FrontierConfig;

    use super::*;
    use crate::testing::{NOW_MS, found, lease, policy, state};

    fn decide(reading: Reading, status: u16) -> Event {
        let seed = "http://a.example/";
        let mut state = state(policy(), FrontierConfig::default(), seed);
        let lease = lease(&state, 0);
        let decided = state.decide(found(lease, reading, status), NOW_MS).unwrap();
        assert_eq!(decided.record.seq, 2);
        decided.record.event
    }

    fn page(event: Event) -> PageRecord {
        match event {
            Event::Page(page) => *page,
            other => panic!("{other:?}"),
        }
    }

    fn busy() -> Reading {
        Reading::Failed {
            kind: FailureKind::Http(503),
            detail: "the server answered 503".into(),
            transient: true,
        }
    }

    #[test]
    fn a_transient_failure_is_tried_again_after_a_delay_until_the_attempts_are_used_up() {
        let Event::Attempt(attempt) = decide(busy(), 503) else {
            panic!("it is tried again");
        };
        assert_eq!(attempt.retry_at_ms, NOW_MS + 1_000);
        let one_attempt = crate::Policy {
            attempts_max: 1,
            ..policy()
        };
        let seed = "http://a.example/";
        let mut state = state(one_attempt, FrontierConfig::default(), seed);
        let lease = lease(&state, 0);
        let decided = state.decide(found(lease, busy(), 503), NOW_MS).unwrap();
        let record = page(decided.record.event);
        assert_eq!(record.outcome, Outcome::Failed(FailureKind::Http(503)));
    }

    #[test]
    fn a_page_is_not_given_up_soon_for_429_or_503_while_its_host_answers_others() {
        // A host with a limit of one request in three seconds lost one page in four.
        let tries = |before: u32, status: u16| {
            let seed = "http://a.example/";
            let mut state = state(policy(), FrontierConfig::default(), seed);
            let answer = |status| archive::FetchRecord {
                status,
                started_ms: 1,
                ..archive::FetchRecord::default()
            };
            state
                .pasts
                .on_answer("a.example", frontier::Origin::default(), &answer(200));
            for _ in 0..before {
                state
                    .pasts
                    .on_answer("a.example", frontier::Origin::default(), &answer(status));
            }
            (0..20)
                .take_while(|turn| {
                    let busy = Reading::Failed {
                        kind: FailureKind::Http(status),
                        detail: format!("the server answered {status}"),
                        transient: true,
                    };
                    let lease = lease(&state, *turn);
                    let found = found(lease, busy, status);
                    let lease = match &found {
                        Finding::Url(found) => found.lease.attempt(),
                        Finding::Robots(_) => unreachable!("a URL was found"),
                    };
                    assert_eq!(u64::from(lease), turn + 1);
                    let mut decided = state.decide(found, NOW_MS).unwrap();
                    let Event::Attempt(attempt) = &decided.record.event else {
                        return false;
                    };
                    let waits = if *turn == 0 { 1_000 } else { 2_000 };
                    assert_eq!(attempt.retry_at_ms, NOW_MS + waits);
                    crate::testing::apply(&mut state, &decided.record);
                    let lease = decided.lease.take().unwrap();
                    let mut queue = state.queue().lock();
                    queue.frontier.settle(lease.retry_at(0)).unwrap();
                    true
                })
                .count()
        };
        assert_eq!([429, 503, 500].map(|status| tries(0, status)), [7, 3, 1]);
        // It answers nobody.
        assert_eq!(
            [429, 503, 500].map(|status| tries(LIMITED_MAX, status)),
            [1, 1, 1]
        );
    }

    #[test]
    fn an_answer_without_a_page_that_says_when_to_come_back_is_asked_for_again() {
        // Limits that answered with 404, 202 or an empty page lost most of their host.
        let retry_at = |html: Option<&str>, status: u16, after: Option<&str>| {
            let mut state = state(policy(), FrontierConfig::default(), "http://a.example/");
            let lease = lease(&state, 0);
            let url = lease.url().url.to_url();
            let reading = match html {
                Some(html) => Reading::Page(Box::new(crate::testing::read(html, &url))),
                None => Reading::NoPage { payload: 0 },
            };
            let mut found = found(lease, reading, status);
            if let Finding::Url(found) = &mut found
                && let Some(answer) = &mut found.answer
                && let Ok(fetched) = &mut answer.fetched
                && let Some(after) = after
            {
                let field = ("retry-after".to_owned(), after.as_bytes().to_vec());
                fetched.headers.push(field);
            }
            match state.decide(found, NOW_MS).unwrap().record.event {
                Event::Attempt(attempt) => Some(attempt.retry_at_ms - NOW_MS),
                _ => None,
            }
        };
        let busy = Some("<p>Server busy.");
        let page = Some("<p>The ship came late, and left again with the tide of the third day.");
        for (html, status) in [
            (busy, 200),
            (Some(""), 202),
            (busy, 403),
            (page, 404),
            (None, 418),
        ] {
            // No longer than a host rests that may limit.
            assert_eq!(retry_at(html, status, Some("30")), Some(1_000), "{status}");
            for none in [None, Some("0")] {
                assert_eq!(retry_at(html, status, none), None, "{html:?} {status}");
            }
        }
        // A page may say when it changes next, and so may a file.
        assert_eq!(retry_at(page, 200, Some("30")), None);
        assert_eq!(retry_at(None, 200, Some("30")), None);
    }

    #[test]
    fn an_answer_without_a_page_is_judged_by_its_status_and_type() {
        let record = page(decide(Reading::NoPage { payload: 0 }, 200));
        assert_eq!(record.junk(), Some(&outcome::JunkReason::UnsupportedType));
        let words = "content type \"text/html\"";
        assert_eq!(record.detail.as_deref(), Some(words));
        let record = page(decide(Reading::NoPage { payload: 0 }, 404));
        assert_eq!(record.junk(), Some(&outcome::JunkReason::ErrorPage));
        assert_eq!(record.detail.as_deref(), Some("status 404"));
    }
}
