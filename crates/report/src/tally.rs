//! The fold: one record after the other, in journal order.
//!
//! A URL is admitted by a seed, by a link whose fate is `new`, or by a sitemap that names it, and
//! at the latest by the record that tells of its fetch; it is finished by its page record, pending
//! again when it is put back. What a record says is never weighed here: verdicts, reasons
//! and fates of links are counted as they were written.

mod glance;
mod report;
mod seeds;

use std::collections::{BTreeMap, HashMap, HashSet};

use archive::{
    AttemptRecord, ElsewhereRecord, Event, FetchRecord, LinkRecord, PageRecord, PageSummary,
    Record, RetryRecord, RobotsRecord, SitemapRecord, StartRecord, VisitRecord,
};
use config::CrawlConfig;
use outcome::{
    JunkReason, LinkFate, NeighbourDecision, Outcome, Refusal, RobotsAnswer, SitemapKind, Trap,
    Verdict,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::breadth;
use crate::breadth::Worth;
use crate::changes::{Rounds, error_pages};
use crate::clock::Clock;
use crate::clusters::Clusters;
use crate::dead_forms::DeadForms;
use crate::delays::Delays;
use crate::errors::{Errors, error_name};
use crate::fates::{Counts, Fates, SlotId, State};
use crate::figures::{Fetches, Links, Traps};
use crate::found::FoundTally;
use crate::harvest::Harvester;
use crate::histogram::Histogram;
use crate::hosts::{Hosts, SeedRow};
use crate::languages::Languages;
use crate::learnt::Learnt;
use crate::reasons::{Reason, ReasonCounts, ReasonId, step};
use crate::rights::Rights;
use crate::walls::WallTally;
pub use glance::Glance;

/// Names of a kind that are counted apart; what comes later is `(others)`.
const NAMES_MAX: usize = 200;

/// Everything counted so far. See the module's text.
#[derive(Debug, Default)]
pub struct Tally {
    fates: Fates,
    totals: Counts,
    reasons: ReasonCounts,
    hosts: Hosts,
    seeds: Vec<SeedRow>,
    /// Rows of seeds that point out of their scope by their last visit.
    gone_seeds: Vec<usize>,
    fetches: Fetches,
    statuses: BTreeMap<u16, u64>,
    content_types: BTreeMap<String, u64>,
    sizes: Histogram,
    ms: Histogram,
    languages: Languages,
    clusters: Clusters,
    harvest: Harvester,
    links: Links,
    traps: Traps,
    walls: WallTally,
    learnt: Learnt,
    errors: Errors,
    dead_forms: DeadForms,
    retried: u64,
    /// Error pages that wait to be asked for once more, by hashes of their URLs.
    put_back: HashSet<u64>,
    /// Whether the page that is counted was one.
    is_put_back: bool,
    rounds: Rounds,
    clock: Clock,
    delays: Delays,
    found: FoundTally,
    rights: Rights,
    /// What hosts said last in robots.txt of the use of their texts, where they do.
    host_usage: BTreeMap<String, Vec<String>>,
    settings: serde_json::Value,
    threshold: f64,
    topic: bool,
    /// Rows of the seeds that are examples, by the URL of the page.
    examples: HashMap<String, u16>,
    /// What breadth-first could follow, in a crawl that has a topic.
    followed: Option<breadth::Links>,
}

impl Tally {
    /// A tally of nothing.
    pub fn new() -> Tally {
        Tally::default()
    }

    /// Counts the next record.
    pub fn add(&mut self, record: &Record) {
        self.clock.add(record);
        self.rounds.add(record);
        match &record.event {
            Event::Start(start) => self.configure(start),
            Event::Stop(_) => {}
            Event::Seed(seed) => self.seed(seed),
            Event::Robots(robots) => self.robots(robots),
            Event::Sitemap(sitemap) => self.sitemap(sitemap),
            Event::Attempt(attempt) => self.attempt(attempt),
            Event::Page(page) => self.page(record.seq, record.at_ms, page),
            Event::Retry(retry) => self.retry(retry),
            Event::Again(_) => {}
            Event::Elsewhere(elsewhere) => self.elsewhere(elsewhere),
            Event::Visit(visit) => self.visit(record.seq, visit),
        }
    }

    /// The totals so far.
    pub fn totals(&self) -> Counts {
        self.totals
    }

    fn configure(&mut self, start: &StartRecord) {
        self.settings.clone_from(&start.config);
        let config = CrawlConfig::recorded(&start.config).config;
        self.delays = Delays::of_config(&config);
        let is_focused = config.topic.is_some();
        self.threshold = f64::from(config.topic.unwrap_or_default().threshold);
        if is_focused && self.followed.is_none() {
            let mut links = breadth::Links::default();
            if self.harvest.pages() > 0 {
                links.give_up("the crawl was given its topic when it had read pages already");
            }
            self.followed = Some(links);
        }
    }

    fn admit(&mut self, url: &str, host: &str, seed: u32) -> SlotId {
        if let Some(slot) = self.fates.find(url) {
            return slot;
        }
        let host = self.hosts.index(host);
        let seed = self.seed_index(seed);
        let (slot, _) = self.fates.admit(url, host, seed);
        self.totals.admit();
        self.hosts.row(host).counts.admit();
        self.seeds[usize::from(seed)].counts.admit();
        slot
    }

    /// Moves a URL to a state, with its reason, everywhere it is counted.
    fn shift(&mut self, slot: SlotId, state: State, reason: Reason) {
        let reason = self.reasons.id(reason);
        let old = *self.fates.slot(slot);
        let new = self.fates.slot(slot);
        (new.state, new.reason) = (state, reason);
        self.totals.shift(old.state, state);
        self.seeds[usize::from(old.seed)]
            .counts
            .shift(old.state, state);
        self.hosts.row(old.host).counts.shift(old.state, state);
        self.count_reason(old.host, old.state, old.reason, false);
        self.count_reason(old.host, state, reason, true);
    }

    fn count_reason(&mut self, host: u16, state: State, reason: ReasonId, more: bool) {
        self.reasons.count(state, reason, more);
        let row = self.hosts.row(host);
        let reason = self.reasons.get(reason);
        if state == State::Refused && reason.is_host_gone {
            step(&mut row.gone, more);
        }
        if state != State::Junk {
            return;
        }
        if reason.is_duplicate {
            step(&mut row.duplicates, more);
        }
        if reason.is_off_topic {
            step(&mut row.off_topic, more);
        }
    }

    fn robots(&mut self, robots: &RobotsRecord) {
        self.fetches.robots += 1;
        self.fetches.bytes += robots.fetch.bytes;
        match robots.usage.is_empty() {
            true => self.host_usage.remove(&robots.host),
            false => self
                .host_usage
                .insert(robots.host.clone(), robots.usage.clone()),
        };
        let at = self.hosts.index(&robots.host);
        let row = self.hosts.row(at);
        row.bytes += robots.fetch.bytes;
        row.robots.clone_from(&robots.rules);
        row.crawl_delay_s = robots.crawl_delay_s.filter(|s| s.is_finite() && *s > 0.0);
        if let Some(name) =
            error_name(&robots.fetch).filter(|_| robots.rules != RobotsAnswer::AllowAll)
        {
            let text = robots.fetch.error_text.as_deref().unwrap_or_default();
            self.hosts.row(at).errors += 1;
            let origin = robots.origin.as_ref().unwrap_or(&robots.host);
            let url = format!("{origin}/robots.txt");
            self.errors.add(&name, &url, &robots.host, text);
        }
    }

    fn sitemap(&mut self, sitemap: &SitemapRecord) {
        if sitemap.fetch.was_asked() {
            self.source(&sitemap.host, &sitemap.fetch);
            if let Some(name) = error_name(&sitemap.fetch) {
                let text = sitemap.fetch.error_text.as_deref().unwrap_or_default();
                self.errors.add(&name, &sitemap.url, &sitemap.host, text);
            }
        }
        if let Some(row) = self.seeds.get_mut(sitemap.seed as usize)
            && row.sitemap
            && row.url == sitemap.url
        {
            row.no_sitemap = sitemap.why_nothing().map(str::to_owned);
        }
        if sitemap.kind == SitemapKind::Index {
            return;
        }
        self.links.in_sitemaps += sitemap.urls.len() as u64;
        for url in &sitemap.urls {
            let slot = self.admit(url, weburl::host_of(url), sitemap.seed);
            if let Some(links) = &mut self.followed {
                links.listed(slot);
            }
        }
    }

    fn attempt(&mut self, attempt: &AttemptRecord) {
        if attempt.sitemap {
            self.source(&attempt.host, &attempt.fetch);
            return;
        }
        self.fetches.attempts_repeated += 1;
        self.admit(&attempt.url, &attempt.host, 0);
        self.fetch(&attempt.url, &attempt.host, &attempt.fetch);
    }

    /// Counts the fetch of a sitemap or feed, which is none of a page.
    fn source(&mut self, host: &str, fetch: &FetchRecord) {
        self.fetches.sitemaps += 1;
        self.fetches.bytes += fetch.bytes;
        let at = self.hosts.index(host);
        self.hosts.row(at).bytes += fetch.bytes;
    }

    fn fetch(&mut self, url: &str, host: &str, fetch: &FetchRecord) {
        self.fetches.pages += 1;
        self.fetches.bytes += fetch.bytes;
        if let Some(cut) = &fetch.truncated {
            count_name(&mut self.fetches.truncated, cut.name());
        }
        *self.statuses.entry(fetch.status).or_default() += 1;
        self.sizes.add(fetch.bytes);
        self.ms.add(fetch.ms);
        let at = self.hosts.index(host);
        let row = self.hosts.row(at);
        row.bytes += fetch.bytes;
        row.ms.add(fetch.ms);
        row.retry_after_s += fetch
            .retry_after_s
            .filter(|s| s.is_finite())
            .unwrap_or(0.0)
            .max(0.0);
        if let Some(name) = error_name(fetch) {
            row.errors += 1;
            let text = fetch.error_text.as_deref().unwrap_or_default();
            self.errors.add(&name, url, host, text);
        }
    }

    fn page(&mut self, seq: u64, at_ms: u64, page: &PageRecord) {
        // The harvest is that of first reads; an error page was one.
        self.is_put_back = self.put_back.remove(&xxh3_64(page.url.as_bytes()));
        let slot = self.admit(&page.url, &page.host, page.seed);
        self.found.finished(self.fates.get(slot).host, at_ms);
        let state = State::of(&page.outcome);
        if let Some(fetch) = &page.fetch {
            self.fetch(&page.url, &page.host, fetch);
            if state != State::Failed && !fetch.content_type.is_empty() {
                count_name(&mut self.content_types, &fetch.content_type);
            }
        }
        self.errors.end(slot, page);
        self.shift(slot, state, Reason::of(&page.outcome));
        if matches!(state, State::Indexed | State::Junk) {
            self.fates.name_page(seq, slot);
            self.found.judged(slot, seq, page);
            let worth = self.judged((seq, slot), page, state);
            if let Some(links) = &mut self.followed {
                links.page(slot, worth);
            }
        }
        let leads_on = matches!(state, State::Indexed | State::Junk | State::Redirected);
        if let Some(links) = self
            .followed
            .as_mut()
            .filter(|_| state == State::Redirected)
        {
            links.redirect(slot);
        }
        // The page that gave way is another URL: a page does not take its own place.
        if let Some(old) = page.replaces
            && self.fates.page(old).is_some_and(|old| old != slot)
        {
            self.replace(old, seq, &page.url);
        }
        if let Some(refusal) = page.outcome.refusal() {
            self.refusal(refusal, &page.url);
        }
        self.walls.page(page);
        if !self.is_put_back {
            self.dead_forms.page(page);
        }
        self.learnt.page(page);
        if page.foreseen.is_some()
            && let Some(is_unique) = page.is_probe_unique()
        {
            let foreseen = &mut self.clusters.foreseen;
            foreseen.probes += 1;
            foreseen.probe_errors += u64::from(is_unique);
        }
        self.seed_fate(page);
        self.example(page);
        for link in &page.links {
            let to = self.link(link, page.seed);
            if let (true, Some(links), Some(to)) = (leads_on, &mut self.followed, to) {
                links.link(to);
            }
        }
    }

    /// A URL was visited again: the URLs that are new came in, and it may have another fate now.
    fn visit(&mut self, seq: u64, visit: &VisitRecord) {
        let page = visit.page.as_deref();
        if let Some(page) = page {
            // The sources that a source names are no URLs of the sum.
            for link in page.links.iter().filter(|link| !page.names_source(link)) {
                self.link(link, page.seed);
            }
        }
        // Feeds and sitemaps are read for their links.
        if visit.source {
            return;
        }
        self.seed_visit(visit);
        let slot = self.admit(&visit.url, &visit.host, page.map_or(0, |page| page.seed));
        if let Some(outcome) = visit.outcome() {
            self.errors.reopen(slot);
            self.shift(slot, State::of(&outcome), Reason::of(&outcome));
            self.clusters.drop_member(visit.of);
        }
        if let Some(page) = visit.version() {
            self.fates.name_page(seq, slot);
            self.clusters.follow(visit.of, seq, &visit.url);
            if page.outcome.is_duplicate() {
                self.clusters.add(seq, page);
            }
            let lang = page.page.as_ref().map_or("", |summary| &summary.lang);
            let is_kept = page.outcome.is_indexed();
            self.languages.judged(slot, lang, is_kept);
        } else if visit.gives_way {
            self.languages.moved(slot);
        } else if visit.is_gone() {
            self.languages.gone(slot);
        }
        if let Some(page) = visit.as_page() {
            self.found.judged(slot, seq, &page);
        }
        if let Some(old) = page.and_then(|page| page.replaces)
            && self.fates.page(old).is_some_and(|old| old != slot)
        {
            self.replace(old, seq, &visit.url);
        }
    }

    /// Another node kept better copies: the pages here whose place they take give way.
    fn elsewhere(&mut self, elsewhere: &ElsewhereRecord) {
        for page in &elsewhere.kept {
            if let Some(old) = page.replaces {
                self.replace(old, page.page, &page.url);
            }
        }
    }

    fn refusal(&mut self, refusal: &Refusal, url: &str) {
        match refusal {
            Refusal::Trap(trap) => self.trap(trap, url),
            Refusal::PredictedDuplicate(prediction) => {
                let foreseen = &mut self.clusters.foreseen;
                foreseen.saved += 1;
                count_name(&mut foreseen.rules, &prediction.cause());
            }
            Refusal::Robots(_)
            | Refusal::Guard(_)
            | Refusal::LowYield(_)
            | Refusal::LeftOut(_)
            | Refusal::HostGone(_)
            | Refusal::Walled(_)
            | Refusal::Unknown(_) => {}
        }
    }

    fn judged(&mut self, (seq, slot): (u64, SlotId), page: &PageRecord, state: State) -> Worth {
        let nothing = PageSummary::default();
        let summary = page.page.as_ref().unwrap_or(&nothing);
        let duplicate = page.outcome.is_duplicate();
        if duplicate {
            self.clusters.add(seq, page);
        } else if page
            .nearest
            .as_ref()
            .is_some_and(|n| n.decision == NeighbourDecision::Refuted)
        {
            self.clusters.refuted += 1;
        }
        // A file that is no page says nothing.
        page.page.iter().for_each(|said| self.rights.add(said));
        let indexed = state == State::Indexed;
        self.topic |= summary.relevance.is_some();
        let relevance = summary.relevance.map(f64::from);
        // What cannot be read has no relevance, and is none of what a topic asks for.
        let relevant = relevance.map_or(!self.topic, |p| p >= self.threshold);
        let new = if relevance.is_some() {
            !duplicate && page.replaces.is_none()
        } else {
            indexed
        };
        if !self.is_put_back {
            self.harvest.add(relevant, new, indexed);
        }
        self.languages.judged(slot, &summary.lang, indexed);
        let repeats = page.nearest.as_ref().map(|nearest| nearest.page);
        let repeats = repeats.filter(|_| duplicate).or(page.replaces);
        Worth {
            relevant,
            indexed,
            repeats: repeats.and_then(|page| self.fates.page(page)),
        }
    }

    /// Counts a link; gives its URL's slot where a crawl may follow it.
    fn link(&mut self, link: &LinkRecord, seed: u32) -> Option<SlotId> {
        self.links.found += 1;
        match &link.fate {
            LinkFate::New => {
                self.links.new += 1;
                Some(self.admit(&link.url, weburl::host_of(&link.url), seed))
            }
            LinkFate::Seen => {
                self.links.seen += 1;
                self.followed.as_ref()?;
                self.fates.find(&link.url)
            }
            fate => {
                let name = if fate.is_none() {
                    "unnamed"
                } else {
                    fate.name()
                };
                count_name(&mut self.links.refused, name);
                if let LinkFate::Trap(trap) = fate {
                    self.trap(trap, &link.url);
                }
                None
            }
        }
    }

    fn trap(&mut self, trap: &Trap, url: &str) {
        self.traps.count += 1;
        count_name(&mut self.traps.kinds, trap.name());
        count_name(&mut self.traps.hosts, weburl::host_of(url));
        let samples = &self.traps.samples;
        if samples.len() < 10 && !samples.iter().any(|known| known == url) {
            self.traps.samples.push(url.to_owned());
        }
    }

    fn retry(&mut self, retry: &RetryRecord) {
        self.put_back.extend(error_pages(retry));
        for (at, url) in retry.urls.iter().enumerate() {
            let seed = retry.origins.get(at).map_or(0, |origin| origin.seed);
            let slot = self.admit(url, weburl::host_of(url), seed);
            if self.fates.slot(slot).state != State::Pending {
                self.errors.reopen(slot);
                self.learnt.put_back(retry, at);
                match &retry.wrong_rule {
                    Some(rule) => self.clusters.foreseen.put_back(rule),
                    None => self.retried += 1,
                }
                self.shift(slot, State::Pending, Reason::none());
            }
        }
    }

    /// A kept page leaves the index for another.
    fn replace(&mut self, page: u64, by: u64, by_url: &str) {
        let Some(page_slot) = self.fates.page(page) else {
            return;
        };
        self.clusters.replace(page, by, by_url);
        if self.fates.slot(page_slot).state == State::Indexed {
            let near = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
            self.shift(page_slot, State::Junk, Reason::of(&near));
        }
    }
}

/// Counts a name that comes from the web, with a bound on how many there are.
fn count_name(counts: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(count) = counts.get_mut(name) {
        *count += 1;
        return;
    }
    let name = if counts.len() < NAMES_MAX {
        name
    } else {
        "(others)"
    };
    *counts.entry(name.to_owned()).or_default() += 1;
}
