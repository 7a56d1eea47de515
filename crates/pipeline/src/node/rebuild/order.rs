//! The one order of the nodes' journals: who has which place in it, how often each URL ended, and what
//! was never acknowledged.

use std::collections::{BTreeSet, HashMap, HashSet};

use archive::{Event, Position, Record, Replayed, RetryRecord};
use frontier::{CanonicalUrl, FrontierUrl};
use ledger::postgres::rebuild::{PutBack, Rebuild};
use ledger::{Finish, KeptOp, KeptRow, Part, UrlKey, own_page};
use outcome::LinkFate;
use state::retry;

use super::{ROWS_MAX, Source};
use crate::error::CrawlError;
use crate::node::common::common_of;
use crate::node::rows;

/// A URL's end, as far as it may contradict another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    at_ms: u64,
    page: u64,
}

/// What all journals together say of order and number.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The first end of each URL that was met, and further ones.
    ends: HashMap<UrlKey, End>,
    more_ends: HashMap<UrlKey, Vec<End>>,
    /// When and by whom a URL was put back.
    put_back: HashMap<UrlKey, (Part, Vec<Back>)>,
    /// The texts that claim a place, and when.
    places: HashMap<u64, Vec<(u64, u64)>>,
    /// The last place that a node has seen of others.
    last_seen: u64,
    /// Texts that another node has seen.
    witnessed: HashSet<u64>,
    /// Seeds that may bring in so many URLs and no more.
    pub(super) with_budget: BTreeSet<u32>,
    /// Which seed first led to a host, and when.
    pub(super) hosts: HashMap<String, (u64, FrontierUrl)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Back {
    at_ms: u64,
    node: u16,
    /// What its turn needs; none where a node was lost, which may be told more than once.
    context: Option<Vec<u8>>,
}

/// What is to be known of one journal before its rows are written.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// The configuration that all nodes have in common.
    pub(super) common: Vec<u8>,
    pub(super) starts: u64,
    /// What it did since it last looked at the others: it may never have been acknowledged.
    tail: Tail,
}

#[derive(Debug, Default)]
struct Tail {
    /// Page, and where the record begins.
    records: HashMap<u64, Position>,
}

/// Where a node is in the order as its journal is read.
#[derive(Debug, Default)]
pub(super) struct Seen(pub(super) u64);

impl Seen {
    /// The position of a kept text, if a record is one.
    pub(super) fn next(&mut self, record: &Record) -> Option<u64> {
        if let Event::Elsewhere(elsewhere) = &record.event {
            self.0 = elsewhere.seen;
        }
        let Event::Page(page) = &record.event else {
            return None;
        };
        let is_kept = page.outcome.is_indexed() && page.page.is_some();
        is_kept.then(|| {
            self.0 += 1;
            self.0
        })
    }
}

impl Outline {
    pub(super) fn read(source: &Source, order: &mut Order) -> Result<Outline, CrawlError> {
        let node = source.identity.number;
        let (mut outline, mut seen) = (Outline::default(), Seen::default());
        let mut begins = Position::START;
        for replayed in archive::replay(&source.dir.archive(), Position::START)? {
            let (record, position) = match replayed? {
                Replayed::Record { record, position } => (record, position),
                Replayed::Damage(found) => {
                    return Err(CrawlError::Setup(format!(
                        "{}: {found}; what stood there nobody knows, so its place in the order is open: leave \
                         the directory out, and name the node with --lost {node}",
                        source.dir.root().display()
                    )));
                }
            };
            if let Event::Start(start) = &record.event {
                outline.common = common_of(start.config.clone(), &source.identity.seeds);
                outline.starts += 1;
            }
            if let Event::Seed(seed) = &record.event
                && seed.pages.is_some()
            {
                order.with_budget.insert(seed.seed);
            }
            // Whoever joins, or learns of others, has had all before it acknowledged.
            if matches!(record.event, Event::Start(_) | Event::Elsewhere(_)) {
                outline.tail.records.clear();
            }
            let end = rows::finish(&record, node);
            let place = seen.next(&record);
            if let Some(page) = end.as_ref().map(|end| end.page) {
                outline.tail.records.insert(page, begins);
                if let Some(place) = place {
                    let claims = order.places.entry(place).or_default();
                    claims.push((page, record.at_ms));
                }
            }
            order.add(&record, node, end);
            begins = position;
        }
        Ok(outline)
    }
}

impl Order {
    fn add(&mut self, record: &Record, node: u16, end: Option<Finish>) {
        let at_ms = record.at_ms;
        if let Some(Finish { key, page, .. }) = end {
            let end = End { at_ms, page };
            match self.ends.contains_key(&key) {
                true => self.more_ends.entry(key).or_default().push(end),
                false => drop(self.ends.insert(key, end)),
            }
        }
        match &record.event {
            Event::Seed(seed) => self.note_host(at_ms, &seed.url, seed.seed),
            Event::Sitemap(sitemap) => {
                for url in &sitemap.urls {
                    self.note_host(at_ms, url, sitemap.seed);
                }
            }
            Event::Page(page) => {
                for link in page.links.iter().filter(|link| link.fate == LinkFate::New) {
                    self.note_host(at_ms, &link.url, page.seed);
                }
            }
            Event::Elsewhere(elsewhere) => {
                self.last_seen = self.last_seen.max(elsewhere.seen);
                (self.witnessed).extend(elsewhere.kept.iter().map(|page| page.page));
            }
            Event::Retry(retry) => self.add_put_back(at_ms, retry, node),
            Event::Start(_)
            | Event::Robots(_)
            | Event::Attempt(_)
            | Event::Again(_)
            | Event::Visit(_)
            | Event::Stop(_) => {}
        }
    }

    fn add_put_back(&mut self, at_ms: u64, retry: &RetryRecord, node: u16) {
        let mut add = |url: &CanonicalUrl, context: Option<Vec<u8>>| {
            let (part, key) = rows::name_of(url);
            let (_, backs) = self.put_back.entry(key).or_insert((part, Vec::new()));
            backs.push(Back {
                at_ms,
                node,
                context,
            });
        };
        match retry.origins.is_empty() {
            true => {
                let urls = retry.urls.iter();
                for url in urls.filter_map(|url| CanonicalUrl::parse(url).ok()) {
                    add(&url, None);
                }
            }
            false => {
                for (url, _) in retry::queued(retry) {
                    let context = rows::offer(&url, node).url.context;
                    add(&url.url, Some(context));
                }
            }
        }
    }

    /// A host that a URL was admitted of.
    fn note_host(&mut self, at_ms: u64, url: &str, seed: u32) {
        let Ok(url) = CanonicalUrl::parse(url) else {
            return;
        };
        let host = url.host();
        let found = (self.hosts.get(host.as_str())).is_some_and(|(before, _)| *before <= at_ms);
        if !found {
            let first = FrontierUrl {
                url,
                depth: 1,
                seed,
                via: None,
                priority: 0.0,
                context: Vec::new(),
            };
            self.hosts.insert(host.as_str().to_owned(), (at_ms, first));
        }
    }

    /// All ends of a URL in order of time.
    fn ends_of(&self, key: &UrlKey) -> Vec<End> {
        let more = self.more_ends.get(key).into_iter().flatten();
        let mut ends: Vec<End> = self
            .ends
            .get(key)
            .into_iter()
            .chain(more)
            .copied()
            .collect();
        ends.sort_unstable_by_key(|end| end.at_ms);
        ends
    }

    /// Finds what was never acknowledged: where each journal that has such a tail is cut.
    pub(super) fn settle(
        &mut self,
        outlines: &[Outline],
    ) -> Result<HashMap<u16, Position>, CrawlError> {
        let mut cuts: HashMap<u16, Position> = HashMap::new();
        let witnessed = &self.witnessed;
        let mut give_way = |page: u64| -> bool {
            let mut tails = outlines.iter().filter_map(|it| it.tail.records.get(&page));
            let Some(begins) = tails.next().filter(|_| !witnessed.contains(&page)) else {
                return false;
            };
            let cut = cuts.entry(own_page(page).0).or_insert(*begins);
            *cut = (*cut).min(*begins);
            true
        };
        // Clocks of machines differ, so they decide only between two that could both give way.
        let stays = |page: &u64| {
            let in_tail = outlines.iter().any(|it| it.tail.records.contains_key(page));
            witnessed.contains(page) || !in_tail
        };
        for (place, claims) in self.places.iter().filter(|(_, claims)| claims.len() > 1) {
            let mut claims = claims.clone();
            claims.sort_unstable_by_key(|(page, at_ms)| (stays(page), *at_ms));
            claims.pop();
            if let Some((page, _)) = claims.iter().find(|(page, _)| !give_way(*page)) {
                return Err(contradiction(&format!(
                    "two texts stand in place {place} of the order, one of them {}",
                    in_words(*page)
                )));
            }
        }
        for key in self.more_ends.keys() {
            let ends = self.ends_of(key);
            let backs = self.put_back.get(key).map_or(0, |(_, backs)| backs.len());
            let too_many = ends.len().saturating_sub(1 + backs);
            let gave_way = ends.iter().filter(|end| give_way(end.page)).take(too_many);
            if gave_way.count() < too_many {
                return Err(contradiction(&format!(
                    "a URL ended {} times and was put back {backs} times, the last time as {}",
                    ends.len(),
                    in_words(ends[ends.len() - 1].page)
                )));
            }
        }
        self.drop_cut(outlines, &cuts);
        Ok(cuts)
    }

    /// What stands behind a cut claims nothing.
    fn drop_cut(&mut self, outlines: &[Outline], cuts: &HashMap<u16, Position>) {
        let is_cut = |page: u64| {
            let cut = cuts.get(&own_page(page).0);
            let begins = outlines.iter().find_map(|it| it.tail.records.get(&page));
            cut.zip(begins).is_some_and(|(cut, begins)| begins >= cut)
        };
        for claims in self.places.values_mut() {
            claims.retain(|(page, _)| !is_cut(*page));
        }
        self.places.retain(|_, claims| !claims.is_empty());
        for ends in self.more_ends.values_mut() {
            ends.retain(|end| !is_cut(end.page));
        }
        let more_ends = &mut self.more_ends;
        self.ends.retain(|key, end| {
            if is_cut(end.page) {
                match more_ends.get_mut(key).and_then(Vec::pop) {
                    Some(other) => *end = other,
                    None => return false,
                }
            }
            true
        });
    }

    /// The last place of the order.
    fn last(&self) -> u64 {
        let own = self.places.keys().copied().max().unwrap_or(0);
        own.max(self.last_seen)
    }

    /// Nodes of which texts were seen, or whose numbers are taken, and that have no directory here.
    pub(super) fn missing(&self, sources: &[Source], lost: &[u16]) -> Result<Vec<u16>, CrawlError> {
        let given = |node: u16| sources.iter().any(|source| source.identity.number == node);
        if let Some(node) = lost.iter().find(|node| given(**node)) {
            return Err(CrawlError::Setup(format!(
                "node {node} is called lost, and its directory is given: leave out one of the two"
            )));
        }
        let own: HashSet<u64> = (self.places.values().flatten())
            .map(|(page, _)| *page)
            .collect();
        let short = self.witnessed.iter().filter(|page| !own.contains(page));
        if let Some(page) = short.clone().find(|page| given(own_page(**page).0)) {
            return Err(CrawlError::Setup(format!(
                "other nodes have seen {}, which its journal does not have: part of the directory is lost; \
                 give the whole one, or none and --lost {}",
                in_words(*page),
                own_page(*page).0
            )));
        }
        let numbers = sources.iter().map(|source| source.identity.number);
        let most = numbers.chain(lost.iter().copied()).max().unwrap_or(0);
        let seen = short.map(|page| own_page(*page).0);
        let mut missing: Vec<u16> = (1..=most)
            .filter(|node| !given(*node))
            .chain(seen)
            .collect();
        missing.sort_unstable();
        missing.dedup();
        let unnamed: Vec<String> = (missing.iter())
            .filter(|node| !lost.contains(node))
            .map(u16::to_string)
            .collect();
        match unnamed.is_empty() {
            true => Ok(missing),
            false => Err(CrawlError::Setup(format!(
                "the directory of node {} is not given: give it, or, if its disk is lost too, --lost {}; what \
                 it kept is withdrawn then, and what it finished waits again",
                unnamed.join(", "),
                unnamed.join(",")
            ))),
        }
    }

    /// An end with its number among those of its URL.
    pub(super) fn numbered(&self, end: Finish) -> Finish {
        if !self.more_ends.contains_key(&end.key) {
            return end;
        }
        let ends = self.ends_of(&end.key);
        let place = ends.iter().position(|other| other.page == end.page);
        Finish {
            generation: place.unwrap_or_default() as u16,
            ..end
        }
    }

    /// What puts a URL back once more, in order: as often as it ended again, and once if it was put
    /// back after its last end.
    fn puts<'b>(&self, key: &UrlKey, backs: &'b [Back]) -> Vec<&'b Back> {
        let ends = self.ends_of(key);
        let Some(last) = ends.last() else {
            return Vec::new();
        };
        let mut backs: Vec<&Back> = backs.iter().collect();
        backs.sort_by_key(|back| back.at_ms);
        let waits = backs.last().is_some_and(|back| back.at_ms >= last.at_ms);
        let wanted = ends.len() - 1 + usize::from(waits);
        let surplus = backs.len().saturating_sub(wanted);
        backs.split_off(surplus)
    }

    /// Writes down what a node has put back; gives how many URLs.
    pub(super) fn put_back_by(&self, node: u16, anew: &mut Rebuild) -> Result<u64, CrawlError> {
        let (mut rows, mut count) = (Vec::new(), 0);
        for (key, (part, backs)) in &self.put_back {
            for (generation, back) in (1..).zip(self.puts(key, backs)) {
                if back.node == node {
                    rows.push(PutBack {
                        part: *part,
                        key: *key,
                        generation,
                        context: back.context.clone(),
                    });
                }
            }
            if rows.len() >= ROWS_MAX {
                count += anew.put_back(&std::mem::take(&mut rows))?;
            }
        }
        Ok(count + anew.put_back(&rows)?)
    }

    /// Entries for places whose texts no journal has, and behind them for texts that others have seen.
    pub(super) fn withdrawals(&self, lost: &[u16]) -> Result<Vec<KeptRow>, CrawlError> {
        let last = self.last();
        let mut gaps = (1..=last)
            .filter(|place| !self.places.contains_key(place))
            .peekable();
        let Some(node) = lost.first() else {
            return match gaps.peek() {
                Some(place) => Err(contradiction(&format!(
                    "the text in place {place} of the order stands in none of them"
                ))),
                None => Ok(Vec::new()),
            };
        };
        let entry = |(position, page)| KeptRow {
            position,
            op: KeptOp::Withdraw,
            page,
            replaces: None,
            fingerprint: 0,
            bands: Vec::new(),
            print: Vec::new(),
            layout: 0,
            url: String::new(),
            published: None,
            canonical: None,
        };
        let mut gone: Vec<u64> = (self.witnessed.iter().copied())
            .filter(|page| lost.contains(&own_page(*page).0))
            .collect();
        gone.sort_unstable();
        // A place that others are past tells them nothing any more.
        let of_nobody = ledger::global_page(*node, 0);
        let gaps = gaps.map(|place| (place, of_nobody));
        let more = (last + 1..).zip(gone);
        Ok(gaps.chain(more).map(entry).collect())
    }
}

fn contradiction(what: &str) -> CrawlError {
    CrawlError::Setup(format!(
        "the journals contradict each other: {what}; are all directories of one crawl, and of one time?"
    ))
}

fn in_words(page: u64) -> String {
    let (node, own) = own_page(page);
    format!("record {own} of node {node}")
}

#[cfg(test)]
mod tests;
