//! What the journal tells of all visits. Which URLs follow from it, is in `choose`.

mod absent;
mod choose;
mod dues;
mod saved;
mod sources;
mod versions;
mod visits;

use std::collections::{BTreeMap, HashMap, HashSet};

use again::{Evidence, Quiet, Signals, Validators};
use archive::{
    AgainRecord, BodyRef, DueRecord, Event, PageRecord, Position, Record, RetryRecord, RobotsRecord,
};
use outcome::{LinkFate, RobotsAnswer};
use serde::{Deserialize, Serialize};

use super::known::{Known, Leads, Source, Was, Yield, due_of, hash_of, host_of, print_of};
use super::unread::{Fate, Unread};
use absent::Absences;
pub(super) use choose::Choice;
use dues::Dues;

/// Of which pages it is held what their visits are compared with.
#[derive(Debug, PartialEq, Default)]
enum Holds {
    #[default]
    Nothing,
    /// Of all, as long as there are no more than [`DUES_MAX`].
    All,
    These(HashSet<u64>),
}

/// Pages of which it is held at once what their visits are compared with.
pub(super) const DUES_MAX: usize = 50_000;

/// Seeds in a row whose records may be missing.
const SEEDS_LOST_MAX: usize = 1 << 20;

/// What a seed of no priority counts all the same.
const PRIORITY_MIN: f64 = 0.05;

/// Where a page points for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Pointer {
    /// Hash of the URL.
    to: u64,
    /// The lower half of a hash of its host: enough to tell a few hosts apart.
    host: u32,
    /// Visits in a row that found it there; 0 for what stands between a page and one that it leads to.
    visits: u32,
}

impl Pointer {
    fn new(to: &str, visits: u32) -> Self {
        Self {
            to: hash_of(to),
            host: hash_of(&host_of(to)) as u32,
            visits,
        }
    }
}

/// What the journal tells of all visits. How it is saved is in `saved`.
#[derive(Debug, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct History {
    pub(super) round: u32,
    /// Pages by the hash of their URL, as places among `known`.
    #[serde(skip)]
    urls: HashMap<u64, u32>,
    /// Pages in the order in which they were read first.
    #[serde(skip)]
    known: Vec<Known>,
    #[serde(skip)]
    holds: Holds,
    #[serde(skip)]
    dues: Dues,
    /// Archived first answers of those, whose validators are sent at the first visit.
    #[serde(with = "state::saved::pairs")]
    bodies: HashMap<u64, BodyRef>,
    #[serde(skip)]
    host_numbers: HashMap<String, u32>,
    host_names: Vec<String>,
    /// Priorities of seeds by their numbers.
    seeds: Vec<f32>,
    sources: BTreeMap<String, Source>,
    /// What sources have led to that redirect now, by the URL to which they do.
    #[serde(with = "state::saved::pairs")]
    heirs: HashMap<String, Leads>,
    /// Pages that point elsewhere for good, and what stands between them and where they lead to; by hashes.
    #[serde(with = "state::saved::pairs")]
    moved: HashMap<u64, Pointer>,
    /// Hosts to which pages of a host have moved, each under its own name, as hashes, by the number of their
    /// host. A shop or a forum may go elsewhere than the rest.
    #[serde(with = "state::saved::pairs")]
    sites_at: HashMap<u32, Vec<u64>>,
    /// Lists, by the hashes of their URLs: what they have answered since they came with a body.
    #[serde(with = "state::saved::pairs")]
    lists: HashMap<u64, Quiet>,
    absent: Absences,
    /// URLs that have shown no page, by hashes.
    #[serde(skip)]
    unread: HashMap<u64, Unread>,
    /// What robots.txt says, by the number of its origin: a hash of it, and the record since which it is so.
    #[serde(with = "state::saved::pairs")]
    robots: HashMap<u32, (u64, u64)>,
    /// URLs without a page that this round has asked for.
    asked_anew: u64,
    /// URLs that were answered and are no pages, as hashes.
    #[serde(with = "state::saved::hashes")]
    no_pages: HashSet<u64>,
    /// URLs that sitemaps brought in and that were not read yet, as hashes.
    #[serde(with = "state::saved::hashes")]
    listed: HashSet<u64>,
    /// Pages that are no longer as they were read first, by the record of their version.
    #[serde(with = "state::saved::pairs")]
    versions: HashMap<u64, u32>,
    /// Where a page is now that was kept by this record.
    #[serde(with = "state::saved::pairs")]
    followed_by: HashMap<u64, u64>,
    /// Records of kept pages whose text is no longer what it was.
    #[serde(with = "state::saved::hashes")]
    lost: HashSet<u64>,
    #[serde(with = "state::saved::hashes")]
    waiting: HashSet<u64>,
    /// The text of a kept page is there no longer, and its copies were not looked for since.
    pub(super) copies_wait: bool,
    /// URLs were put back since the crawl stopped.
    pub(super) put_back: bool,
    reads: Yield,
    hosts: BTreeMap<String, Validators>,
    signals: BTreeMap<String, Signals>,
    /// What the visits to the pages of a host showed, all together.
    changes: BTreeMap<String, Evidence>,
    /// URLs that the last round was to visit so far, and whether its pages, or some of them, are still to
    /// be planned.
    planned: (u64, bool),
    /// When a plan of pages began that was broken off.
    broken_off_ms: Option<u64>,
}

impl History {
    /// A history that holds what visits are compared with, of all pages while there are few.
    pub(super) fn with_dues() -> Self {
        Self {
            holds: Holds::All,
            ..Self::default()
        }
    }

    /// A history of which nothing is wanted but what the visits of these pages are compared with.
    pub(super) fn of_these(urls: HashSet<u64>) -> Self {
        Self {
            holds: Holds::These(urls),
            ..Self::default()
        }
    }

    /// Lets go of what visits are compared with.
    pub(super) fn drop_dues(&mut self) {
        self.holds = Holds::Nothing;
        (self.dues, self.bodies) = (Dues::default(), HashMap::new());
    }

    /// Whether it is held what these visits are compared with.
    pub(super) fn has_dues(&self) -> bool {
        !matches!(self.holds, Holds::Nothing)
    }

    fn known_mut(&mut self, url: &str) -> Option<&mut Known> {
        let at = *self.urls.get(&hash_of(url))?;
        self.known.get_mut(at as usize)
    }

    /// The page that was kept by a record, if it still is.
    fn kept_by(&mut self, record: u64) -> Option<&mut Known> {
        let at = match self.versions.get(&record) {
            Some(at) => *at as usize,
            None => self
                .known
                .binary_search_by_key(&record, |known| known.first)
                .ok()?,
        };
        let known = self.known.get_mut(at)?;
        (known.was == Was::Kept && !known.is_void).then_some(known)
    }

    fn host_number(&mut self, host: &str) -> u32 {
        if let Some(number) = self.host_numbers.get(host) {
            return *number;
        }
        let number = self.host_names.len() as u32;
        self.host_names.push(host.to_owned());
        self.host_numbers.insert(host.to_owned(), number);
        number
    }

    fn host_of(&self, known: &Known) -> &str {
        let name = self.host_names.get(known.place.host as usize);
        name.map_or("", String::as_str)
    }

    /// Adds a page that was read.
    fn add_known(&mut self, known: Known) {
        let url = known.url;
        if self.known.len() == self.known.capacity() {
            // Doubling would hold as much again for nothing.
            self.known.reserve_exact(self.known.len() / 16 + 1_024);
        }
        // No crawl has 2^32 pages.
        let at = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        if let Some(before) = self.urls.insert(url, at) {
            self.known[before as usize].is_void = true;
        }
        self.known.push(known);
    }

    /// Notes what the next visit of a page is compared with, where that is wanted.
    fn hold(&mut self, url: u64, due: impl FnOnce() -> Option<DueRecord>) {
        let is_wanted = match &self.holds {
            Holds::Nothing => false,
            Holds::All => true,
            Holds::These(urls) => urls.contains(&url),
        };
        if let Some(due) = is_wanted.then(due).flatten() {
            self.dues.insert(url, due);
        }
        if matches!(self.holds, Holds::All) && self.dues.len() > DUES_MAX {
            self.drop_dues();
        }
    }

    /// Takes in the next record, which is read from `place`.
    pub(super) fn add(&mut self, record: &Record, place: Position) {
        match &record.event {
            Event::Page(page) => {
                self.page(record, page);
                self.note_unread(record, page, place);
            }
            Event::Sitemap(sitemap) => self.sitemap(record, sitemap),
            Event::Again(again) => self.again(record, again),
            Event::Visit(visit) if visit.source => self.source_visit(record, visit),
            Event::Visit(visit) => self.visit(record, visit),
            Event::Retry(retry) => {
                self.put_back = true;
                if retry.filter == RetryRecord::COMES_BACK {
                    self.asked_anew += retry.urls.len() as u64;
                }
                for url in &retry.urls {
                    let url = hash_of(url);
                    if let Some(unread) = self.unread.get_mut(&url) {
                        unread.is_waiting = true;
                    }
                    self.dues.remove(url);
                    if let Some(at) = self.urls.remove(&url) {
                        self.known[at as usize].is_void = true;
                    }
                }
            }
            Event::Stop(_) => self.put_back = false,
            Event::Seed(seed) => {
                let at = seed.seed as usize;
                // Seeds are numbered one after the other; a damaged journal may have lost some.
                if at < self.seeds.len() + SEEDS_LOST_MAX {
                    self.seeds.resize(self.seeds.len().max(at + 1), 1.0);
                    self.seeds[at] = seed.priority;
                }
            }
            Event::Robots(robots) => self.robots(record, robots),
            Event::Start(_) | Event::Attempt(_) | Event::Elsewhere(_) => {}
        }
    }

    fn again(&mut self, record: &Record, again: &AgainRecord) {
        let urls = again.urls.len() as u64;
        let is_open = again.sources || again.more;
        self.planned = match again.round > self.round {
            true => {
                self.asked_anew = 0;
                (urls, is_open)
            }
            false => (self.planned.0 + urls, is_open),
        };
        self.broken_off_ms = match again.more {
            true => self.broken_off_ms.or(Some(record.at_ms)),
            false => None,
        };
        // A round that no page was due for is none: the next one has its number.
        if self.planned.0 > 0 {
            self.round = self.round.max(again.round);
        }
        self.copies_wait &= !again.rejudges;
        for due in &again.urls {
            let (url, print) = (hash_of(&due.url), print_of(&due.etag, &due.last_modified));
            self.waiting.insert(url);
            self.absent.plan(url, due);
            let before = self.known_mut(&due.url);
            let before = before.map(|known| std::mem::replace(&mut known.validators, print));
            // What is held has them already, most often.
            if before != Some(print) {
                self.dues.amend(url, |held| {
                    (held.etag, held.last_modified) = (due.etag.clone(), due.last_modified.clone());
                });
            }
        }
    }

    fn page(&mut self, record: &Record, page: &PageRecord) {
        self.give_place(record.seq, page);
        self.reads.see(page);
        let url = hash_of(&page.url);
        self.absent.read(url, page, record.at_ms);
        if page.page.is_none() && (200..300).contains(&page.status()) {
            self.no_pages.insert(url);
        }
        if let Some(source) = Source::of_feed(record, page) {
            self.add_source(source);
            self.list(record, page);
        }
        let host = self.host_number(&page.host);
        if let Some(mut known) = Known::of(record, page, host) {
            known.told.is_listed = self.listed.remove(&url);
            if known.is_list() {
                self.lists.insert(url, Quiet::of_body(record.at_ms));
            }
            self.add_known(known);
            self.count_links(record.seq, page, url);
            self.hold(url, || due_of(record, page));
            if let (Some(body), true) = (&page.body, self.dues.contains(url)) {
                self.bodies.insert(url, body.clone());
            }
        }
    }

    /// Links of a page to what was asked for before it.
    fn count_links(&mut self, seq: u64, page: &PageRecord, own: u64) {
        let is_followed = |fate: &LinkFate| matches!(fate, LinkFate::New | LinkFate::Seen);
        for link in page.links.iter().filter(|link| is_followed(&link.fate)) {
            let url = hash_of(&link.url);
            if let Some(at) = self.urls.get(&url).filter(|_| url != own) {
                self.known[*at as usize].link();
            } else {
                self.note_link(seq, url);
            }
        }
    }

    /// A page's record has a link to a URL.
    fn note_link(&mut self, seq: u64, url: u64) {
        let Some(unread) = self.unread.get_mut(&url) else {
            return;
        };
        let (known, versions) = (&self.known, &self.versions);
        unread.link(seq, |by| is_version(known, versions, by));
    }

    /// A URL was asked for: it has shown a page, or none.
    fn note_unread(&mut self, record: &Record, page: &PageRecord, place: Position) {
        let url = hash_of(&page.url);
        // One step of several.
        match page.links.first() {
            Some(target) if page.hops > 0 && Fate::of(page) == Some(Fate::ForGood) => {
                self.moved.insert(url, Pointer::new(&target.url, 0));
            }
            Some(_) | None => drop(self.moved.remove(&url)),
        }
        let before = self.unread.remove(&url);
        let Some(fate) = Fate::of(page) else { return };
        let mut unread = Unread::of(record, page, fate, place);
        if let Some(before) = before {
            unread = unread.after(&before);
        }
        if let Some(by) = self.absent.leads_to(url) {
            unread.link(by, |by| is_version(&self.known, &self.versions, by));
        }
        unread.is_listed |= self.listed.contains(&url);
        unread.origin = self.host_number(weburl::origin_of(&page.url));
        self.unread.insert(url, unread);
    }

    fn robots(&mut self, record: &Record, robots: &RobotsRecord) {
        let says = match &robots.rules {
            // What was read before holds.
            RobotsAnswer::Outage | RobotsAnswer::Unknown(_) => return,
            RobotsAnswer::Parsed | RobotsAnswer::AllowAll => hash_of(&robots.lines.join("\n")),
            RobotsAnswer::DisallowAll => 0,
        };
        let Some(origin) = &robots.origin else { return };
        let origin = self.host_number(origin);
        let known = self.robots.entry(origin).or_insert((says, record.seq));
        if known.0 != says {
            *known = (says, record.seq);
        }
    }

    /// The priority of a page's seed.
    fn priority_of(&self, known: &Known) -> f64 {
        self.priority_of_seed(known.seed)
    }

    fn priority_of_seed(&self, seed: u32) -> f64 {
        let priority = self.seeds.get(seed as usize).copied();
        f64::from(priority.unwrap_or(1.0)).max(PRIORITY_MIN)
    }

    /// URLs that can be visited again.
    pub(super) fn known(&self) -> usize {
        self.urls.len() + self.sources.len()
    }

    /// What it takes up in memory, in pages: of URLs that are none a hash is held each.
    pub(super) fn size(&self) -> usize {
        let hashes = self.listed.len() + self.no_pages.len() + self.absent.len();
        self.known() + hashes / 8 + self.unread.len() / 3
    }

    /// Visits that are still to be made.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

/// Whether a record is of the version of a page that was recorded last, of one that is there.
fn is_version(known: &[Known], versions: &HashMap<u64, u32>, record: u64) -> bool {
    let found = match versions.get(&record) {
        Some(at) => known.get(*at as usize),
        None => {
            let first = known.binary_search_by_key(&record, |known| known.first);
            let first = first.ok().and_then(|at| known.get(at));
            first.filter(|known| !known.is_amended)
        }
    };
    found.is_some_and(|known| !known.is_void && !known.is_gone)
}

#[cfg(test)]
mod tests;
