//! What a record does to the state: the one place.
//!
//! It runs when a crawl has appended a record, and again for every record when the crawl is started,
//! checked or explained. It never asks what ought to happen, only what the record says did.

use archive::{
    AgainRecord, BodyRef, ElsewhereRecord, Event, PageRecord, Record, RetryRecord, RobotsRecord,
    SeedRecord, SitemapRecord, VisitRecord,
};
use frontier::{
    CanonicalUrl, Frontier, FrontierError, FrontierUrl, HostKey, LinkTarget, Origin, UrlError,
};
use outcome::{LinkFate, Outcome, SitemapKind};

use crate::context::{self, UrlContext, decode};
use crate::focus_view::Lent;
use crate::kept::KeptChange;
use crate::recorded;
use crate::retry;
use crate::robots_book;
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
        if let Some(fetch) = fetch {
            self.pasts.on_answer(host, Origin::of(url), fetch);
        }
    }

    fn apply_seed(
        &mut self,
        seed: &SeedRecord,
        stored: Stored,
    ) -> Result<Option<String>, StoreError> {
        if !stored.views
            && let Err(error) = self.learn_seed(seed)
        {
            return Ok(Some(format!("seed {}: {error}", seed.url)));
        }
        let Ok(url) = CanonicalUrl::parse(&seed.url) else {
            return Ok(None);
        };
        let context = match seed.sitemap {
            true => UrlContext::sitemap(),
            false => UrlContext::page(),
        };
        if seed.fate.is_none() && !stored.frontier {
            self.queue.lock().frontier.replay_admitted(FrontierUrl {
                url,
                depth: 0,
                seed: seed.seed,
                via: None,
                priority: seed.priority,
                context: context.to_bytes(),
            })?;
        }
        Ok(None)
    }

    fn learn_seed(&mut self, seed: &SeedRecord) -> Result<(), UrlError> {
        self.reach.apply_seed(seed)?;
        if let Some(on_topic) = seed.example {
            self.examples.add(&seed.url, on_topic);
        }
        let mut queue = self.queue.lock();
        queue.gate.on_seed(&seed.url);
        queue.frontier.set_seed_budget(seed.seed, seed.pages);
        Ok(())
    }

    fn apply_robots(&mut self, robots: &RobotsRecord, stored: Stored) -> Result<(), StoreError> {
        let host = HostKey::from_record(&robots.host);
        if !stored.views {
            let mut queue = self.queue.lock();
            let queue = &mut *queue;
            let news = queue.robots.apply(robots);
            let frontier = &mut queue.frontier;
            let url = robots.origin.as_deref().and_then(robots_book::url_of);
            let origin = url.map(|url| url.origin()).unwrap_or_default();
            frontier.robots_known(&host, origin, news.crawl_delay, news.wait);
            queue.robots.make_room(|host| frontier.is_waiting(host));
        }
        let Some(seed) = self.reach.seed_of_host(&host) else {
            return Ok(());
        };
        let priority = self.reach.priority_of_seed(seed);
        let urls = robots.queued.as_ref().unwrap_or(&robots.sitemaps);
        for url in urls.iter().filter_map(|url| CanonicalUrl::parse(url).ok()) {
            if robots.queued.is_none() && !self.was_offered(&url, seed) {
                continue;
            }
            if !stored.views {
                self.reach.count_sitemap(&url);
            }
            if !stored.frontier {
                self.queue.lock().frontier.replay_admitted(FrontierUrl {
                    url,
                    depth: 0,
                    seed,
                    via: None,
                    priority,
                    context: UrlContext::sitemap().to_bytes(),
                })?;
            }
        }
        Ok(())
    }

    /// Whether a sitemap that robots.txt names was offered to the frontier. Records of earlier
    /// versions do not say: it was if it was in scope and within its host's bound.
    fn was_offered(&self, url: &CanonicalUrl, seed: u32) -> bool {
        self.policy.sitemaps
            && self.reach.sitemaps_of_host(&url.host()) < self.policy.sitemaps_per_host
            && self.reach.check(url, 0, seed).is_ok()
    }

    fn apply_sitemap(&mut self, sitemap: &SitemapRecord, stored: Stored) -> Result<(), StoreError> {
        let is_index = sitemap.kind == SitemapKind::Index;
        let of_seed = self.reach.priority_of_seed(sitemap.seed);
        let mut admitted = Vec::with_capacity(sitemap.urls.len());
        for url in &sitemap.urls {
            let Ok(url) = CanonicalUrl::parse(url) else {
                continue;
            };
            if !stored.views {
                self.reach.note_host(&url.host(), sitemap.seed);
            }
            let (mut context, mut priority) = (UrlContext::page(), of_seed);
            if is_index {
                if !stored.views {
                    self.reach.count_sitemap(&url);
                }
                context = UrlContext::sitemap();
            } else if let Some(focus) = &mut self.focus {
                (context.features, priority) = focus.promise_of_url(&url);
            }
            admitted.push(FrontierUrl {
                url,
                depth: u32::from(!is_index),
                seed: sitemap.seed,
                via: None,
                priority,
                context: context.to_bytes(),
            });
        }
        if stored.frontier {
            return Ok(());
        }
        let frontier = &mut self.queue.lock().frontier;
        for url in admitted {
            frontier.replay_admitted(url)?;
        }
        if let Ok(url) = CanonicalUrl::parse(&sitemap.url) {
            frontier.replay_finished(&url)?;
        }
        Ok(())
    }

    /// URLs of a round wait again. They are fetched whatever the learnt rules say: they were read before.
    fn apply_again(&mut self, again: &AgainRecord, stored: Stored) -> Result<(), StoreError> {
        let mut queue = self.queue.lock();
        for due in &again.urls {
            if !stored.views {
                queue.gate.on_again(&due.url);
            }
            let Ok(url) = CanonicalUrl::parse(&due.url) else {
                continue;
            };
            if !stored.views && !queue.walls.is_empty() {
                // A host that answered with walls is asked once more.
                queue.walls.reopen(url.host().as_str());
            }
            if !stored.frontier {
                queue.frontier.reopen(waiting_again(url, due))?;
            }
        }
        Ok(())
    }

    /// A URL was visited again: links that are new come in, and the page as it is now takes the place of
    /// the one before among the kept pages. What the crawl has learnt from the page stays as it is.
    fn apply_visit(
        &mut self,
        seq: u64,
        visit: &VisitRecord,
        stored: Stored,
    ) -> Result<KeptChange, StoreError> {
        if !stored.views {
            self.reach.apply_visit(visit);
        }
        if let Ok(url) = CanonicalUrl::parse(&visit.url) {
            let mut queue = self.queue.lock();
            // What a kept page has moved to may be that page.
            let is_move = visit.is_moved_for_good() && visit.was.is_indexed();
            let succeeds = is_move.then_some(visit.of);
            for new in visit
                .page
                .iter()
                .flat_map(|page| new_urls(seq, page, succeeds, true))
            {
                if !stored.views {
                    self.reach.note_host(&new.url.host(), new.seed);
                    if visit.source && context::is_sitemap(&new.context) {
                        self.reach.count_sitemap(&new.url);
                    }
                }
                if !stored.frontier {
                    queue.frontier.replay_admitted(new)?;
                }
            }
            if !stored.frontier {
                queue.frontier.replay_finished(&url)?;
            }
            let rests = (!stored.views)
                .then(|| queue.walls.on_visit(visit))
                .flatten();
            if let Some((since_ms, rest)) = rests {
                queue.frontier.rest_host(&url.host(), since_ms, rest);
            }
        }
        Ok(self.kept.apply_visit(seq, visit, stored)?)
    }

    fn apply_page(
        &mut self,
        seq: u64,
        page: &PageRecord,
        stored: Stored,
        lent: Lent<'_>,
        text: impl FnOnce() -> Option<String>,
        applied: &mut Applied,
    ) -> Result<(), StoreError> {
        if stored.views {
            self.apply_to_stores(seq, page, stored)?;
            applied.kept = self.kept.apply(seq, page, stored)?;
            return Ok(());
        }
        applied.example_lost = self.examples.loss(page);
        if self.policy.host_templates {
            self.templates.apply(page);
        }
        self.reach.apply_page(page);
        if let Some(back) = &page.returns {
            let origin = retry::return_origin(page, back);
            self.returns.insert(back.url.clone(), origin);
        }
        self.examples.follow(page);
        if let Some(focus) = &mut self.focus {
            focus.apply(seq, page, &self.examples, lent, text);
            self.examples.note_read(page);
        }
        self.apply_to_queue(seq, page, stored)?;
        applied.kept = self.kept.apply(seq, page, stored)?;
        Ok(())
    }

    /// What a finished URL does to the frontier's store, where all else was saved with it taken in.
    fn apply_to_stores(
        &mut self,
        seq: u64,
        page: &PageRecord,
        stored: Stored,
    ) -> Result<(), StoreError> {
        let Ok(url) = CanonicalUrl::parse(&page.url) else {
            return Ok(());
        };
        let mut queue = self.queue.lock();
        if !stored.frontier {
            for new in new_urls(seq, page, None, page.after_visit) {
                queue.frontier.replay_admitted(new)?;
            }
            finish(&mut queue.frontier, page, url, !self.is_live)?;
        }
        if let Some(focus) = self.focus.as_mut().filter(|_| !stored.links) {
            focus.amend_waiting(seq, page, &mut queue.frontier)?;
        }
        Ok(())
    }

    /// What a finished URL does to the queue: the trap rules and the fetch gate learn from it, its
    /// links come in, and it is finished.
    fn apply_to_queue(
        &mut self,
        seq: u64,
        page: &PageRecord,
        stored: Stored,
    ) -> Result<(), StoreError> {
        let Ok(url) = CanonicalUrl::parse(&page.url) else {
            return Ok(());
        };
        let mut queue = self.queue.lock();
        let queue = &mut *queue;
        // The frontier's store does not have what the trap rules have learnt: they see each record that
        // the saved memory does not hold.
        if page.page.is_some()
            && let Some(worth) = recorded::page_worth(page)
        {
            let original = recorded::original_of(page);
            queue.frontier.observe(&url, seq, worth, original.as_ref());
        }
        let linked = page.links.iter().filter(|link| link.url.contains('?'));
        let linked: Vec<_> = linked
            .filter_map(|link| CanonicalUrl::parse(&link.url).ok())
            .collect();
        queue.frontier.observe_links(&url, linked.iter());
        let asks_for_seen = queue.frontier.asks_for_seen_links(seq);
        let mut new_urls = new_urls(seq, page, None, page.after_visit);
        for link in &page.links {
            if link.fate == LinkFate::Seen && asks_for_seen {
                if let Ok(url) = CanonicalUrl::parse(&link.url) {
                    queue.frontier.observe_seen_link(&url, Some(seq));
                }
            } else if link.fate == LinkFate::New
                && let Some(new) = new_urls.next()
            {
                self.reach.note_host(&new.url.host(), page.seed);
                queue.frontier.observe_link(&new.url, new.via);
                if !stored.frontier {
                    queue.frontier.replay_admitted(new)?;
                }
            }
        }
        // Where its lease is out, in a running crawl, it is finished when that is settled.
        if !stored.frontier {
            finish(&mut queue.frontier, page, url.clone(), !self.is_live)?;
        }
        if let Some(focus) = &mut self.focus {
            focus.learn_links(seq, page);
            if !stored.links {
                focus.amend_waiting(seq, page, &mut queue.frontier)?;
            }
        }
        queue
            .gate
            .on_page(seq, page, &queue.frontier.url_normalizer());
        if let Some((since_ms, rest)) = queue.walls.on_page(page) {
            queue.frontier.rest_host(&url.host(), since_ms, rest);
        }
        if let Some(refusal) = page.outcome.refusal() {
            queue.note_refused(refusal);
        }
        if let Some(focus) = &self.focus {
            let why = focus.stop_host(&page.host);
            queue.gate.set_stopped(&page.host, why);
        }
        Ok(())
    }
}

/// A URL of a round, as the frontier takes it.
fn waiting_again(url: CanonicalUrl, due: &archive::DueRecord) -> FrontierUrl {
    let like = match due.source {
        true => UrlContext::sitemap(),
        false => UrlContext::page(),
    };
    let context = UrlContext {
        hops: due.hops,
        features: decode(due.context.as_deref().unwrap_or_default()),
        ..like
    };
    FrontierUrl {
        url,
        depth: due.depth,
        seed: due.seed,
        via: due.via,
        priority: due.priority,
        context: context.to_bytes_with(Some(due)),
    }
}

/// Finishes a URL. Where a journal is read, the record that admitted it may be lost: it would come in a second
/// time, and be a duplicate of itself. Of many machines another one may have admitted it.
fn finish(
    frontier: &mut Frontier,
    page: &PageRecord,
    url: CanonicalUrl,
    may_be_unknown: bool,
) -> Result<(), FrontierError> {
    let may_be_lost = may_be_unknown && !frontier.has_share();
    if may_be_lost && frontier.link_target(&url) == LinkTarget::New {
        frontier.replay_admitted(FrontierUrl {
            url: url.clone(),
            depth: page.depth,
            seed: page.seed,
            via: page.via,
            priority: page.priority,
            context: UrlContext::page().to_bytes(),
        })?;
    }
    frontier.replay_finished(&url)
}

/// The URLs that a page brought in, as the frontier takes them, and of which kept page they take the place
/// if they are copies of it; whether redirects led to them `after_visit`.
fn new_urls(
    seq: u64,
    page: &PageRecord,
    succeeds: Option<u64>,
    after_visit: bool,
) -> impl Iterator<Item = FrontierUrl> + '_ {
    let is_redirect = page.outcome == Outcome::Redirected;
    let links = page.links.iter();
    let new = links.filter(|link| link.fate == LinkFate::New);
    new.filter_map(move |link| {
        // Where a URL redirects is what its own links led to.
        let (features, hops) = match is_redirect {
            true => (page.context.as_deref().unwrap_or_default(), page.hops + 1),
            false => (link.context.as_str(), 0),
        };
        let began = page.began.as_ref().unwrap_or(&page.url);
        // A sitemap of sitemaps names them.
        let is_source = page.names_source(link);
        let like = match is_source {
            true => UrlContext::sitemap(),
            false => UrlContext::page(),
        };
        let context = UrlContext {
            hops,
            began: is_redirect.then(|| began.clone()),
            succeeds,
            after_visit: is_redirect && after_visit,
            features: decode(features),
            ..like
        };
        Some(FrontierUrl {
            url: CanonicalUrl::parse(&link.url).ok()?,
            depth: page.depth + u32::from(!is_redirect && !is_source),
            seed: page.seed,
            via: if is_redirect { page.via } else { Some(seq) },
            priority: link.promise,
            context: context.to_bytes(),
        })
    })
}

#[cfg(test)]
mod tests {
    use archive::AttemptRecord;
    use frontier::FrontierConfig;

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
