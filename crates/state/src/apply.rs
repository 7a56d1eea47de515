//! What a record does to the state: the one place.
//!
//! It runs when a crawl has appended a record, and again for every record when the crawl is started,
//! checked or explained. It never asks what ought to happen, only what the record says did.

mod page;
mod sources;
mod visit;

use std::time::Duration;

use archive::{BodyRef, ElsewhereRecord, Event, Record, RetryRecord};
use frontier::{CanonicalUrl, HostKey, Origin};

use crate::focus_view::Lent;
use crate::kept::KeptChange;
use crate::retry;
use crate::state::{State, StoreError};

/// Which of the stored parts hold a record already. In a running crawl, and for a part that is
/// rebuilt, none does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// The frontier's URLs.
    pub frontier: bool,
    /// What links said of URLs that waited already.
    pub links: bool,
    /// The prints of kept pages.
    pub prints: bool,
    /// All that is in memory alone, which was saved: see `snapshot`.
    pub views: bool,
}

/// What a record changed that others must hear of.
#[derive(Debug, Default)]
pub struct Applied {
    /// What became of the index of kept pages.
    pub kept: KeptChange,
    /// Hosts of which URLs were put back: their robots.txt is to be asked for again.
    pub reopened: Vec<HostKey>,
    /// An example of the topic that turned out to be none.
    pub example_lost: Option<String>,
    /// What is wrong with the record.
    pub problem: Option<String>,
}

impl State {
    /// Takes a record in. What is not `lent` is computed from the record and from the archived
    /// text, which `text` reads.
    ///
    /// # Errors
    /// When a store cannot be read or written.
    pub fn apply(
        &mut self,
        record: &Record,
        stored: Stored,
        lent: Lent<'_>,
        text: impl FnOnce(&BodyRef) -> Option<String>,
    ) -> Result<Applied, StoreError> {
        if !stored.views {
            self.seq = self.seq.max(record.seq);
            self.counts.apply(record);
            self.apply_answer(&record.event);
        }
        let mut applied = Applied::default();
        match &record.event {
            Event::Start(_) | Event::Stop(_) => {}
            Event::Seed(seed) => applied.problem = self.apply_seed(seed, stored)?,
            Event::Robots(robots) => self.apply_robots(robots, stored)?,
            Event::Sitemap(sitemap) => self.apply_sitemap(sitemap, stored)?,
            Event::Attempt(attempt) => {
                if !stored.frontier
                    && let Ok(url) = CanonicalUrl::parse(&attempt.url)
                {
                    let frontier = &mut self.queue.lock().frontier;
                    frontier.replay_attempt(&url, attempt.attempt, attempt.retry_at_ms)?;
                }
            }
            Event::Page(page) => {
                let text = || text(page.text.as_ref()?);
                self.apply_page(record.seq, page, stored, lent, text, &mut applied)?;
            }
            Event::Retry(retry) => {
                if !stored.views {
                    self.learn_put_back(retry);
                }
                let mut queue = self.queue.lock();
                for (url, left_out) in retry::queued(retry) {
                    if left_out && !stored.views {
                        self.reach.note_host(&url.url.host(), url.seed);
                    }
                    if !left_out {
                        applied.reopened.push(url.url.host());
                    }
                    match (stored.frontier, left_out) {
                        (true, _) => {}
                        (false, true) => queue.frontier.replay_admitted(url)?,
                        (false, false) => drop(queue.frontier.reopen(url)?),
                    }
                }
            }
            Event::Again(again) => self.apply_again(again, stored)?,
            Event::Visit(visit) => applied.kept = self.apply_visit(record.seq, visit, stored)?,
            Event::Elsewhere(elsewhere) => {
                if !stored.views {
                    self.learn_examples(elsewhere);
                    elsewhere
                        .manners
                        .iter()
                        .for_each(|said| self.hear_manners(said));
                }
                applied.kept = self.kept.apply_elsewhere(record.seq, elsewhere, stored)?;
            }
        }
        Ok(applied)
    }

    fn learn_put_back(&mut self, retry: &RetryRecord) {
        let mut queue = self.queue.lock();
        queue.gate.on_put_back(retry);
        let left_out = |at: usize| retry.origins.get(at).is_some_and(|origin| origin.left_out);
        let back = retry.urls.iter().enumerate();
        for (_, url) in back.filter(|(at, _)| !left_out(*at)) {
            self.returns.remove(url);
            queue.robots.reopen(url);
            if retry.wrong_rule.is_none()
                && retry.filter != RetryRecord::LIMITED
                && let Ok(url) = CanonicalUrl::parse(url)
            {
                queue.walls.reopen(url.host().as_str());
            }
        }
    }

    /// Example pages that other nodes have read, and where their redirects lead to.
    fn learn_examples(&mut self, elsewhere: &ElsewhereRecord) {
        for target in &elsewhere.led_to {
            self.examples.add(&target.url, target.on_topic);
        }
        for example in &elsewhere.examples {
            if let Some(focus) = &mut self.focus
                && self.examples.note_elsewhere(&example.url)
            {
                focus.learn_from_elsewhere(example);
            }
        }
    }

    /// What an answer says of its host.
    fn apply_answer(&mut self, event: &Event) {
        let (host, url, fetch) = match event {
            Event::Page(page) => (&page.host, page.url.as_str(), page.fetch.as_ref()),
            Event::Attempt(attempt) => (&attempt.host, &*attempt.url, Some(&attempt.fetch)),
            Event::Sitemap(sitemap) => (&sitemap.host, &*sitemap.url, Some(&sitemap.fetch)),
            Event::Robots(robots) => {
                let host = robots.answered_by.as_ref().unwrap_or(&robots.host);
                let origin = robots.answered_at.as_ref().or(robots.origin.as_ref());
                let origin = origin.map_or("", String::as_str);
                (host, origin, Some(&robots.fetch))
            }
            Event::Visit(visit) => (&visit.host, &*visit.url, visit.fetch.as_ref()),
            Event::Start(_)
            | Event::Seed(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => return,
        };
        let Some(fetch) = fetch else {
            self.apply_limit(event, host, (0, 0));
            return;
        };
        self.pasts.on_answer(host, Origin::of(url), fetch);
        let times = (fetch.started_ms, fetch.started_ms.saturating_add(fetch.ms));
        self.apply_limit(event, host, times);
    }

    /// What an answer says of how its host limits, where it does so by answers that do not say so.
    fn apply_limit(&mut self, event: &Event, host: &str, times: (u64, u64)) {
        let mut rest = None;
        if let Event::Attempt(attempt) = event
            && let Some(limited) = &attempt.limited
        {
            rest = Duration::try_from_secs_f64(limited.rest_s).ok();
            self.pasts.hold(host, times.1, rest.unwrap_or_default());
        }
        let step = self.pasts.runs.note(host, event);
        if step.slows {
            self.pasts.slow(host, times);
        }
        self.returns.extend(step.back);
        let says_nothing = rest.is_none() && step.limit.is_none() && step.first.is_none();
        if !self.is_live || says_nothing && !step.ends_look {
            return;
        }
        let host = HostKey::from_record(host);
        let mut queue = self.queue.lock();
        if let Some(look) = step.look
            && let Ok(url) = CanonicalUrl::parse(&look.url)
        {
            queue.look_into(&url, (&look.sign, look.is_sure), times.1);
        }
        let frontier = &mut queue.frontier;
        if let Some(url) = step.first.and_then(|url| CanonicalUrl::parse(&url).ok()) {
            frontier.ask_first(&url);
        }
        if step.ends_look {
            frontier.end_looks(&host);
        }
        if let Some(limit) = step.limit {
            frontier.set_limit(&host, limit);
        }
        if step.slows {
            frontier.slow_host(&host, times);
        }
        if let Some(rest) = rest {
            frontier.hold_host(&host, times.1, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use archive::{AttemptRecord, PageRecord, RobotsRecord};
    use frontier::FrontierConfig;
    use outcome::Outcome;

    use super::*;
    use crate::testing::{NOW_MS, apply, lease, policy, state};

    const SEED: &str = "http://a.example/";

    fn new_state() -> State {
        state(policy(), FrontierConfig::default(), SEED)
    }

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example/{path}")).unwrap()
    }

    fn robots(queued: Option<Vec<String>>) -> Event {
        Event::Robots(RobotsRecord {
            host: "a.example".into(),
            sitemaps: ["1", "2", "3"]
                .map(|name| url(&format!("{name}.xml")).to_string())
                .into(),
            queued,
            ..RobotsRecord::default()
        })
    }

    fn waiting(state: &State) -> u64 {
        state.queue().lock().frontier.counts().pending
    }

    #[test]
    fn a_robots_record_queues_what_it_says_and_an_older_one_what_the_bound_allows() {
        let mut state = new_state();
        let record = state.record(robots(Some(vec![url("3.xml").to_string()])), NOW_MS);
        apply(&mut state, &record);
        assert_eq!(waiting(&state), 2);
        let mut state = new_state();
        let record = state.record(robots(None), NOW_MS);
        apply(&mut state, &record);
        // Two sitemaps a host, beside the seed.
        assert_eq!(waiting(&state), 3);
    }

    #[test]
    fn a_url_under_way_is_finished_by_its_lease_and_any_other_by_its_record() {
        let page = |state: &State| {
            let page = PageRecord {
                url: SEED.into(),
                host: "a.example".into(),
                outcome: Outcome::NotModified,
                ..PageRecord::default()
            };
            state.record(Event::Page(Box::new(page)), NOW_MS)
        };
        let is_finished = |state: &State| {
            let frontier = &state.queue().lock().frontier;
            frontier.is_finished(&url("")).unwrap()
        };
        let mut live = new_state();
        let lease = lease(&live, 0);
        let record = page(&live);
        apply(&mut live, &record);
        assert!(!is_finished(&live));
        let settled = crate::Decided::settled(lease, &record);
        live.queue().lock().frontier.settle(settled).unwrap();
        assert!(is_finished(&live));
        let mut replayed = new_state();
        apply(&mut replayed, &record);
        assert!(is_finished(&replayed));
    }

    #[test]
    fn what_a_store_holds_already_is_left_alone() {
        let mut state = new_state();
        let attempt = AttemptRecord {
            url: SEED.into(),
            attempt: 1,
            retry_at_ms: u64::MAX / 2,
            ..AttemptRecord::default()
        };
        let record = state.record(Event::Attempt(attempt), NOW_MS);
        let stored = Stored {
            frontier: true,
            links: true,
            prints: true,
            views: false,
        };
        let applied = state.apply(&record, stored, Lent::default(), |_| None);
        applied.unwrap();
        assert_eq!(state.counts().attempts, 1);
        // It still waits for its first try.
        assert_eq!(lease(&state, 0).attempt(), 1);
    }
}
