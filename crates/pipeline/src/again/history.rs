//! What the journal tells of all visits, and which URLs follow from it.

use std::collections::{BTreeMap, HashMap, HashSet};

use again::validators::Shown;
use again::{Candidate, Evidence, Priors, Rates, RoundLimits, Signals, Validators};
use archive::{AgainRecord, DueRecord, Event, PageRecord, Record, SitemapRecord, VisitRecord};
use outcome::{Change, JunkReason, LinkFate, Outcome, Verdict};
use xxhash_rust::xxh3::xxh3_64;

use super::known::{Known, Source, new_links};
use super::{DAY_MS, Staleness, Wanted};
use crate::config::AgainSection;
use crate::dir::CrawlDir;

/// What is chosen of a plan.
pub(super) struct Choice {
    /// The URLs, the most valuable first.
    pub(super) due: Vec<DueRecord>,
    /// All that are to be judged anew are among them.
    pub(super) rejudges: bool,
}

/// What the journal tells of all visits.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) round: u32,
    urls: HashMap<String, Known>,
    sources: BTreeMap<String, Source>,
    /// URLs that sitemaps brought in, as hashes: the rest is listed where a source dates it.
    listed: HashSet<u64>,
    /// URLs of kept pages by their record.
    kept: HashMap<u64, String>,
    /// Where a page is now that was kept by this record.
    followed_by: HashMap<u64, u64>,
    /// Records of kept pages whose text is no longer what it was.
    lost: HashSet<u64>,
    waiting: HashSet<String>,
    /// The text of a kept page is there no longer, and its copies were not looked for since.
    pub(super) copies_wait: bool,
    hosts: BTreeMap<String, Validators>,
    signals: BTreeMap<String, Signals>,
    /// What the visits to the pages of a host showed, all together.
    changes: BTreeMap<String, Evidence>,
    /// URLs that the last round was to visit so far, and whether those are its sources.
    planned: (u64, bool),
}

impl History {
    /// Takes in the next record.
    pub(super) fn add(&mut self, record: &Record) {
        match &record.event {
            Event::Page(page) => self.page(record, page),
            Event::Sitemap(sitemap) => self.sitemap(record, sitemap),
            Event::Again(again) => self.again(again),
            Event::Visit(visit) if visit.source => self.source_visit(record, visit),
            Event::Visit(visit) => self.visit(record, visit),
            Event::Retry(retry) => {
                for url in &retry.urls {
                    self.urls.remove(url);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Attempt(_)
            | Event::Stop(_) => {}
        }
    }

    fn again(&mut self, again: &AgainRecord) {
        let urls = again.urls.len() as u64;
        self.planned = match again.round > self.round {
            true => (urls, again.sources),
            false => (self.planned.0 + urls, again.sources),
        };
        self.round = self.round.max(again.round);
        self.copies_wait &= !again.rejudges;
        for due in &again.urls {
            self.waiting.insert(due.url.clone());
            if let Some(known) = self.urls.get_mut(&due.url) {
                (known.due.etag, known.due.last_modified) =
                    (due.etag.clone(), due.last_modified.clone());
            }
        }
    }

    fn page(&mut self, record: &Record, page: &PageRecord) {
        self.give_place(record.seq, page);
        if let Some(source) = Source::of_feed(record, page) {
            self.sources.insert(page.url.clone(), source);
            self.list(page);
        }
        if let Some(known) = Known::of(record, page) {
            if page.outcome.is_indexed() {
                self.kept.insert(record.seq, page.url.clone());
            }
            self.urls.insert(page.url.clone(), known);
        }
    }

    fn sitemap(&mut self, record: &Record, sitemap: &SitemapRecord) {
        self.waiting.remove(&sitemap.url);
        if let Some(source) = Source::of_sitemap(record, sitemap) {
            self.sources.insert(sitemap.url.clone(), source);
            let urls = sitemap.urls.iter();
            self.listed.extend(urls.map(|url| xxh3_64(url.as_bytes())));
        }
    }

    /// The links of a source: what it brought in is in its list, and of what it dates it tells.
    fn list(&mut self, page: &PageRecord) {
        for link in &page.links {
            if link.fate == LinkFate::New {
                self.listed.insert(xxh3_64(link.url.as_bytes()));
            } else if link.told_ms == 0 {
                continue;
            } else if let Some(known) = self.urls.get_mut(&link.url) {
                known.told.tell(link.told_ms, known.last_ms);
            } else if let Some(source) = self.sources.get_mut(&link.url) {
                source.told.tell(link.told_ms, source.due.seen_ms);
            }
        }
    }

    fn source_visit(&mut self, record: &Record, visit: &VisitRecord) {
        self.waiting.remove(&visit.url);
        if let Some(source) = self.sources.get_mut(&visit.url) {
            source.asked_ms = record.at_ms;
            if visit.change == Change::Unchanged {
                let days = record.at_ms.saturating_sub(source.due.seen_ms) as f64 / DAY_MS;
                let found = visit.page.as_ref().map_or(0, |page| new_links(page));
                source.leads.see(found, days);
                source.told.forget();
                source.failures = 0;
                source.due.seen_ms = record.at_ms;
                (source.due.etag, source.due.last_modified) =
                    (visit.etag.clone(), visit.last_modified.clone());
            } else {
                source.failures = source.failures.saturating_add(1);
            }
        }
        if let Some(page) = &visit.page {
            self.list(page);
        }
    }

    /// The page whose place another one takes is its duplicate from here on.
    fn give_place(&mut self, seq: u64, page: &PageRecord) {
        let Some(old) = page.replaces else { return };
        let url = self.kept.remove(&old);
        if let Some(known) = url.and_then(|url| self.urls.get_mut(&url)) {
            known.due.was = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
            known.repeats = Some(seq);
            self.followed_by.insert(old, seq);
        }
    }

    fn visit(&mut self, record: &Record, visit: &VisitRecord) {
        self.waiting.remove(&visit.url);
        self.copies_wait |= visit.frees_copies();
        self.see_validators(visit);
        if let Some(page) = visit.version() {
            self.give_place(record.seq, page);
        }
        self.see_change(record, visit);
        let Some(known) = self.urls.get_mut(&visit.url) else {
            return;
        };
        known.asked_ms = record.at_ms;
        known.due.absence = visit.absence;
        if !visit.ends_version() {
            return;
        }
        if visit.was.is_indexed() {
            self.kept.remove(&visit.of);
            match visit.change {
                Change::Changed | Change::Gone => {
                    self.lost.insert(visit.of);
                }
                _ => {
                    self.followed_by.insert(visit.of, record.seq);
                }
            }
        }
        if let Some(outcome) = visit.outcome() {
            known.due.was = outcome;
        }
        let Some(page) = visit.version() else { return };
        if page.outcome.is_indexed() {
            self.kept.insert(record.seq, visit.url.clone());
        }
        if let Some(now) = Known::of(record, page) {
            known.become_version(now, visit);
        }
    }

    /// What a visit says of how often the page changes, of what it leads to, and of what its site told.
    fn see_change(&mut self, record: &Record, visit: &VisitRecord) {
        let Some(known) = self.urls.get_mut(&visit.url) else {
            return;
        };
        let has_changed = match &visit.change {
            Change::Unchanged | Change::Touched => false,
            Change::Changed | Change::Back => true,
            Change::New | Change::Moved | Change::Gone | Change::Unclear | Change::Unknown(_) => {
                return;
            }
        };
        known.told.is_listed |= self.listed.contains(&xxh3_64(visit.url.as_bytes()));
        let since = known.told.since(known.last_ms, record.at_ms);
        let signals = self.signals.entry(visit.host.clone()).or_default();
        let of_host = self.changes.entry(visit.host.clone()).or_default();
        let rates = known.evidence.rates(&like_those(of_host));
        match has_changed {
            true => of_host.changed(since.days),
            false => of_host.unchanged(since.days),
        }
        signals.see(&rates, since, has_changed);
        signals.note(&mut known.evidence, since, has_changed);
        let found = visit.page.as_ref().map_or(0, |page| new_links(page));
        known.leads.see(found, since.days);
        known.told.forget();
        known.last_ms = record.at_ms;
        if !has_changed && brought_another_body(visit, &known.due) {
            // A later 304 is of that body, which is not archived.
            known.due.body = None;
        }
        (known.due.etag, known.due.last_modified) =
            (visit.etag.clone(), visit.last_modified.clone());
        known.body = None;
    }

    fn see_validators(&mut self, visit: &VisitRecord) {
        let Some(known) = self.urls.get(&visit.url) else {
            return;
        };
        let before = (&known.due.etag, &known.due.last_modified);
        let is_known = before.0.is_some() || before.1.is_some();
        let status = visit.fetch.as_ref().map_or(0, |fetch| fetch.status);
        let same_text = visit.change == Change::Unchanged;
        let shown = match status {
            304 => Shown::NotModified,
            200 if is_known && visit.change != Change::Unclear => Shown::Page {
                same_validator: before == (&visit.etag, &visit.last_modified),
                same_text,
            },
            _ => return,
        };
        let host = self.hosts.entry(visit.host.clone()).or_default();
        host.see(shown);
    }

    /// Whether the text that a page repeated is there no longer.
    fn is_orphan(&self, known: &Known) -> bool {
        let Some(mut of) = known.repeats.filter(|_| known.due.was.is_duplicate()) else {
            return false;
        };
        // A chain has no circle: each record follows an earlier one.
        while let Some(next) = self.followed_by.get(&of) {
            of = *next;
        }
        self.lost.contains(&of)
    }

    /// URLs that can be visited again.
    pub(super) fn known(&self) -> usize {
        self.urls.len() + self.sources.len()
    }

    /// Visits that are still to be made.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The round that a plan is of: what follows its sources belongs to the same round.
    pub(super) fn round_of(&self, wanted: Wanted) -> u32 {
        match wanted {
            Wanted::Orphans => self.round,
            Wanted::Round if self.planned.1 => self.round,
            Wanted::Sources | Wanted::Round | Wanted::All => self.round + 1,
        }
    }

    pub(super) fn staleness(&self, now_ms: u64) -> Staleness {
        let known = || self.urls.values();
        let priors = Priors::learn(known().map(|known| (&known.place, &known.evidence)));
        let kept = known().filter(|known| known.due.was.is_indexed());
        let mut staleness = Staleness {
            rounds: self.round,
            due: self.waiting.len() as u64,
            ..Staleness::default()
        };
        for known in kept {
            let rates = known.evidence.rates(&priors.of(&known.place));
            let since = self.listed_since(known, now_ms);
            let signals = self.signals_of(known);
            staleness.kept += 1;
            staleness.expected_changed += 1.0 - signals.fresh(&rates, since);
        }
        staleness
    }

    fn signals_of(&self, known: &Known) -> Signals {
        let signals = self.signals.get(&known.place.host);
        signals.copied().unwrap_or_default()
    }

    fn listed_since(&self, known: &Known, now_ms: u64) -> again::signals::Since {
        let mut told = known.told;
        told.is_listed |= self.listed.contains(&xxh3_64(known.due.url.as_bytes()));
        told.since(known.last_ms, now_ms)
    }

    /// Whether the last plan was of feeds and sitemaps, and the round's pages are to follow.
    pub(super) fn sources_were_planned(&self) -> bool {
        self.planned.1
    }

    /// Chooses the URLs of a plan.
    pub(super) fn choose(
        &self,
        settings: &AgainSection,
        wanted: Wanted,
        round: u32,
        now_ms: u64,
    ) -> Choice {
        let budget = match (
            usize::try_from(settings.budget).unwrap_or(usize::MAX),
            wanted,
        ) {
            (0, _) | (_, Wanted::Orphans) => usize::MAX,
            (budget, Wanted::Sources) => budget.div_ceil(2),
            (budget, Wanted::Round) if self.planned.1 => {
                budget.saturating_sub(usize::try_from(self.planned.0).unwrap_or(usize::MAX))
            }
            (budget, Wanted::Round | Wanted::All) => budget,
        };
        let sources = match wanted {
            Wanted::Sources | Wanted::All => self.choose_sources(settings, budget, round, now_ms),
            Wanted::Round | Wanted::Orphans => Vec::new(),
        };
        if wanted == Wanted::Sources {
            return Choice {
                due: sources,
                rejudges: false,
            };
        }
        let left = budget.saturating_sub(sources.len());
        let mut choice = self.choose_pages(settings, (wanted, left), round, now_ms);
        choice.due.splice(0..0, sources);
        choice
    }

    fn choose_sources(
        &self,
        settings: &AgainSection,
        budget: usize,
        round: u32,
        now_ms: u64,
    ) -> Vec<DueRecord> {
        let all: Vec<&Source> = self.sources.values().collect();
        let candidates: Vec<Candidate<'_>> = all
            .iter()
            .map(|source| Candidate {
                host: &source.host,
                value: source.value(settings, now_ms),
            })
            .collect();
        let chosen = chosen(&candidates, budget);
        let due = |at: usize| DueRecord {
            round,
            // Before all pages.
            priority: 1.0,
            ..all[at].due.clone()
        };
        chosen.into_iter().map(due).collect()
    }

    fn choose_pages(
        &self,
        settings: &AgainSection,
        (wanted, budget): (Wanted, usize),
        round: u32,
        now_ms: u64,
    ) -> Choice {
        let mut all: Vec<&Known> = self.urls.values().collect();
        all.sort_by(|a, b| a.due.url.cmp(&b.due.url));
        let priors = Priors::learn(all.iter().map(|known| (&known.place, &known.evidence)));
        let orphans: Vec<bool> = all.iter().map(|known| self.is_orphan(known)).collect();
        let value = |(known, is_orphan): (&&Known, &bool)| match (is_orphan, wanted) {
            // One that did not answer is left alone for as long as any other page.
            (true, _) if known.is_unanswered() && !known.may_be_asked(settings, now_ms) => 0.0,
            (true, _) => f64::MAX,
            (false, Wanted::Orphans) => 0.0,
            (false, Wanted::Sources | Wanted::Round | Wanted::All) => {
                let mut listed = (*known).clone();
                listed.told.is_listed |= self.listed.contains(&xxh3_64(known.due.url.as_bytes()));
                listed.value(&priors, &self.signals_of(known), settings, now_ms)
            }
        };
        let values = all.iter().zip(&orphans).map(value);
        let candidates: Vec<Candidate<'_>> = all
            .iter()
            .zip(values)
            .map(|(known, value)| Candidate {
                host: &known.place.host,
                value,
            })
            .collect();
        let chosen = chosen(&candidates, budget);
        let count = chosen.len().max(1) as f32;
        let due = |(rank, at): (usize, &usize)| DueRecord {
            round,
            rejudge: orphans[*at],
            // Before URLs that are new, the most valuable first.
            priority: 1.0 - 0.1 * rank as f32 / count,
            ..all[*at].due.clone()
        };
        let due: Vec<DueRecord> = chosen.iter().enumerate().map(due).collect();
        let rejudged = due.iter().filter(|due| due.rejudge).count();
        Choice {
            rejudges: rejudged == orphans.iter().filter(|is_orphan| **is_orphan).count(),
            due,
        }
    }

    /// Gives each URL the validators to be sent with its request.
    pub(super) fn add_validators(&self, dir: &CrawlDir, due: &mut [DueRecord]) {
        for due in due {
            let Some(known) = self.urls.get(&due.url) else {
                continue;
            };
            let is_probe = Validators::is_probe(xxh3_64(due.url.as_bytes()), due.round);
            let host = self.hosts.get(&known.place.host);
            let are_sent = host.is_none_or(Validators::are_sent);
            due.unconditional = due.rejudge || due.absence.gone || is_probe || !are_sent;
            if due.etag.is_none()
                && due.last_modified.is_none()
                && let Some(body) = &known.body
                && let Ok(payload) = archive::read_body(&dir.archive(), body)
            {
                let field = |name: &str| {
                    let value = payload.header(name)?;
                    String::from_utf8(value.to_vec()).ok()
                };
                (due.etag, due.last_modified) = (field("etag"), field("last-modified"));
            }
        }
    }
}

/// What is expected of a page of a host as long as little is known of it: half of what its pages did
/// lately, half of what pages do anywhere.
fn like_those(of_host: &Evidence) -> Rates {
    let web = Rates::of_the_web();
    let lately = of_host.rates(&web);
    let shares = web.shares().zip(lately.shares());
    let shares: Vec<f64> = shares.map(|(one, other)| one + other).collect();
    Rates::normal(shares.into_iter())
}

fn chosen(candidates: &[Candidate<'_>], budget: usize) -> Vec<usize> {
    let limits = RoundLimits {
        requests: budget,
        per_host: usize::MAX,
    };
    again::choose(candidates, limits)
}

/// Whether a visit's answer had another body than the one before, as far as its validators tell.
fn brought_another_body(visit: &VisitRecord, due: &DueRecord) -> bool {
    let is_whole = visit
        .fetch
        .as_ref()
        .is_some_and(|fetch| fetch.status == 200);
    is_whole && (visit.conditional || due.etag.is_some() && visit.etag != due.etag)
}

#[cfg(test)]
mod tests;
