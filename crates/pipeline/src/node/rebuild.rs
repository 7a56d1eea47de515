//! A ledger made anew from the nodes' journals, after the database was lost or went back in time.
//!
//! ```text
//! journal of node 1 ──┐  first reading: who has which place in the order, which URL ended how often
//! journal of node 2 ──┼─► second reading: each record is applied as it was, and gives the rows that
//! journal of node 3 ──┘  it gave then: admitted, finished, kept
//! ```
//!
//! **Order between nodes.** A group that learns of other nodes' texts begins with a record that says
//! up to which position they were in sight, and nobody else keeps a text until the group is closed. So
//! a node's own texts have the positions that follow, and the journals together give the one order.
//!
//! **What was never acknowledged** stands at the end of a journal, behind its last look at the others.
//! Where two nodes finish one URL, or keep a text in one place, the one that did it first died over it:
//! whoever came later would have seen it. Its journal counts up to there, and its next start cuts the
//! rest. What contradicts nobody counts as if it had been acknowledged.
//!
//! **What no journal has** is given up, as with [`ledger::postgres::forget`]: texts of a node that is
//! lost are withdrawn, and what others dropped for repeating them waits again. URLs that such a node
//! had finished wait; those that it alone had found are found again or not.
//!
//! Costs: memory of some 80 bytes for each URL finished, and the state of one crawl, node after node.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use archive::{Event, Position, Record, Replayed, RetryRecord};
use frontier::{CanonicalUrl, Frontier, FrontierUrl, Share};
use ledger::postgres::rebuild::{PutBack, Rebuild, RebuiltNode};
use ledger::{Fence, Finish, KeptOp, KeptRow, LedgerError, Offer, Part, UrlKey, own_page};
use outcome::LinkFate;
use serde::Serialize;
use simhash::TableIndex;
use state::{Lent, State, Stored, retry};

use super::{Identity, common_of, read_identity, rows, scheme};
use crate::config::{CrawlConfig, file};
use crate::dir::{CrawlDir, CrawlLock};
use crate::error::CrawlError;
use crate::setup;
use crate::views::index_config;

/// Rows that are given to the store at once.
const ROWS_MAX: usize = 4_096;

/// A node as it is in the ledger now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Member {
    /// Its number.
    pub node: u16,
    /// Its name.
    pub name: String,
    /// Its directory.
    pub dir: String,
    /// URLs that it admitted.
    pub admitted: u64,
    /// URLs that it finished.
    pub finished: u64,
    /// Texts that it kept.
    pub kept: u64,
    /// Records at the end of its journal that contradict another node: the next start cuts them.
    pub cut: u64,
}

/// What became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// The nodes whose directories were read.
    pub nodes: Vec<Member>,
    /// Nodes that are lost.
    pub lost: Vec<u16>,
    /// Texts that were kept by those and are withdrawn.
    pub withdrawn: u64,
    /// URLs that wait again since they repeat such texts.
    pub copies: u64,
}

/// Makes the ledger of a crawl anew from the directories of its nodes, of which none runs. `lost`:
/// numbers of nodes whose directories are lost too. `begin` opens the empty ledger.
///
/// # Errors
/// [`CrawlError::Setup`] when the directories are not those of one crawl, one is missing, or they
/// contradict each other; [`CrawlError::InUse`] when a node runs; when a journal cannot be read, or
/// the store does not answer. Nothing is written then.
pub fn rebuild(
    dirs: &[CrawlDir],
    lost: &[u16],
    begin: impl FnOnce(&CrawlConfig) -> Result<Rebuild, LedgerError>,
) -> Result<Rebuilt, CrawlError> {
    let sources: Vec<Source> = sources(dirs)?;
    let mut anew = begin(&sources[0].config)?;
    let mut rebuilt = Rebuilt::default();
    let mut order = Order::default();
    let mut outlines = Vec::new();
    for source in &sources {
        outlines.push(Outline::read(source, &mut order)?);
    }
    let cuts = order.settle(&outlines)?;
    rebuilt.lost = order.missing(&sources, lost)?;
    let first = (&sources[0].identity, &outlines[0].common);
    let mut members = Vec::new();
    anew.name(crawl_number(first.0)?, &scheme(), first.1)?;
    for (source, outline) in sources.iter().zip(&outlines) {
        if outline.common != *first.1 {
            return Err(CrawlError::Setup(format!(
                "{} ran under another configuration, or with other seeds, than {}",
                source.dir.root().display(),
                sources[0].dir.root().display()
            )));
        }
        let cut = cuts.get(&source.identity.number).copied();
        let (told, cut) = write_node(source, cut, outline.starts, &order, &mut anew)?;
        members.push((told, cut));
    }
    for (told, _) in &mut members {
        told.admitted += order.put_back_by(told.fence.node, &mut anew)?;
    }
    let mut found = 0;
    for source in sources.iter().filter(|_| !rebuilt.lost.is_empty()) {
        let cut = cuts.get(&source.identity.number);
        found += admit_finished(source, cut, rebuilt.lost[0], &mut anew)?;
    }
    give_up(&order, &mut rebuilt, &mut anew)?;
    if let Some(&lost) = rebuilt.lost.first() {
        anew.credit(lost, found)?;
    }
    for ((told, cut), source) in members.into_iter().zip(&sources) {
        anew.node(&told)?;
        rebuilt.nodes.push(Member {
            node: told.fence.node,
            name: told.name,
            dir: source.dir.root().display().to_string(),
            admitted: told.admitted,
            finished: told.finished,
            kept: told.kept,
            cut,
        });
    }
    anew.end()?;
    Ok(rebuilt)
}

/// What lost nodes kept is withdrawn, and waits again where others dropped it for repeating theirs.
fn give_up(order: &Order, rebuilt: &mut Rebuilt, anew: &mut Rebuild) -> Result<(), CrawlError> {
    let withdrawn = order.withdrawals(&rebuilt.lost)?;
    let is_real = |row: &&KeptRow| own_page(row.page).1 > 0;
    rebuilt.withdrawn = withdrawn.iter().filter(is_real).count() as u64;
    anew.keep(withdrawn)?;
    for &node in &rebuilt.lost {
        let copies = anew.put_back_copies(node)?;
        rebuilt.copies += copies;
        anew.node(&RebuiltNode {
            fence: Fence { node, epoch: 1 },
            name: format!("(lost {node})"),
            admitted: copies,
            finished: 0,
            pages: 0,
            kept: 0,
            seen: 0,
            journal: 0,
        })?;
    }
    Ok(())
}

/// A node's directory.
struct Source {
    dir: CrawlDir,
    identity: Identity,
    config: CrawlConfig,
    _lock: CrawlLock,
}

fn sources(dirs: &[CrawlDir]) -> Result<Vec<Source>, CrawlError> {
    let mut sources: Vec<Source> = Vec::new();
    for dir in dirs {
        let root = dir.root().display();
        let identity = read_identity(dir)?.ok_or_else(|| {
            CrawlError::Setup(format!("{root} is a crawl of one machine, and no node's"))
        })?;
        if let Some(first) = sources.first()
            && first.identity.crawl != identity.crawl
        {
            return Err(CrawlError::Setup(format!(
                "{root} and {} are nodes of different crawls: name directories of one crawl",
                first.dir.root().display()
            )));
        }
        let is_same = |other: &&Source| other.identity.number == identity.number;
        if let Some(other) = sources.iter().find(is_same) {
            return Err(CrawlError::Setup(format!(
                "{root} and {} are both node {}: name each node once",
                other.dir.root().display(),
                identity.number
            )));
        }
        sources.push(Source {
            config: file::kept(&dir.config())
                .map_err(|problem| CrawlError::Setup(problem.to_string()))?,
            _lock: dir.lock()?,
            dir: dir.clone(),
            identity,
        });
    }
    match sources.is_empty() {
        true => Err(CrawlError::Setup("no directory is named".into())),
        false => Ok(sources),
    }
}

fn crawl_number(identity: &Identity) -> Result<[u8; 16], CrawlError> {
    let number = u128::from_str_radix(&identity.crawl, 16);
    let number = number.map_err(|_| {
        let crawl = &identity.crawl;
        CrawlError::Setup(format!("node.json names no crawl: {crawl:?}"))
    })?;
    Ok(number.to_be_bytes())
}

/// A URL's end, as far as it may contradict another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    at_ms: u64,
    page: u64,
}

/// What all journals together say of order and number.
#[derive(Debug, Default)]
struct Order {
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
    /// Which seed first led to a host, and when.
    hosts: HashMap<String, (u64, FrontierUrl)>,
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
struct Outline {
    /// The configuration that all nodes have in common.
    common: Vec<u8>,
    starts: u64,
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
struct Seen(u64);

impl Seen {
    /// The position of a kept text, if a record is one.
    fn next(&mut self, record: &Record) -> Option<u64> {
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
    fn read(source: &Source, order: &mut Order) -> Result<Outline, CrawlError> {
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
                for url in retry::queued(retry) {
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
    fn settle(&mut self, outlines: &[Outline]) -> Result<HashMap<u16, Position>, CrawlError> {
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
    fn missing(&self, sources: &[Source], lost: &[u16]) -> Result<Vec<u16>, CrawlError> {
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
    fn numbered(&self, end: Finish) -> Finish {
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
    fn put_back_by(&self, node: u16, anew: &mut Rebuild) -> Result<u64, CrawlError> {
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
    fn withdrawals(&self, lost: &[u16]) -> Result<Vec<KeptRow>, CrawlError> {
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

/// Applies a journal once more, and writes the rows that its records gave; gives the node, and how many
/// records are cut.
fn write_node(
    source: &Source,
    cut: Option<Position>,
    starts: u64,
    order: &Order,
    anew: &mut Rebuild,
) -> Result<(RebuiltNode, u64), CrawlError> {
    let node = source.identity.number;
    let mut state = empty_state(&source.config)?;
    for (_, first) in order.hosts.values() {
        state.note_taken(first);
    }
    let mut told = RebuiltNode {
        // Each start joined once.
        fence: Fence {
            node,
            epoch: starts,
        },
        name: source.identity.name.clone(),
        admitted: 0,
        finished: 0,
        pages: 0,
        kept: 0,
        seen: 0,
        journal: 0,
    };
    let (mut seen, mut written, mut unread) = (Seen::default(), Rows::default(), 0);
    let archive = source.dir.archive();
    for replayed in archive::replay(&archive, Position::START)? {
        let Replayed::Record { record, position } = replayed? else {
            continue;
        };
        let is_cut = cut.is_some_and(|cut| position > cut);
        if is_cut {
            unread += 1;
            continue;
        }
        let read = |at: &archive::BodyRef| archive::read_text(&archive, at).ok();
        state.apply(&record, STORED, Lent::default(), read)?;
        let (offered, _) = state.queue().lock().frontier.take_offered();
        (written.offers).extend(offered.iter().map(|url| rows::offer(url, node)));
        told.pages += rows::requests(&record);
        if let Some(end) = rows::finish(&record, node) {
            told.finished += 1;
            written.finished.push(order.numbered(end));
        }
        let place = seen.next(&record);
        if let Some(row) = place.and_then(|position| {
            let row = rows::kept(&record, node)?;
            Some(KeptRow { position, ..row })
        }) {
            told.kept += 1;
            written.kept.push(row);
        }
        told.journal = position.0;
        if written.len() >= ROWS_MAX {
            told.admitted += written.give(anew)?;
        }
    }
    told.admitted += written.give(anew)?;
    told.seen = seen.0;
    Ok((told, unread))
}

/// What this node finished and no journal admits was found by a lost node, for whom it is admitted: a
/// crawl is at its end when as many URLs are finished as were admitted. Gives how many URLs.
fn admit_finished(
    source: &Source,
    cut: Option<&Position>,
    lost: u16,
    anew: &mut Rebuild,
) -> Result<u64, CrawlError> {
    let (mut offers, mut count) = (Vec::new(), 0);
    for replayed in archive::replay(&source.dir.archive(), Position::START)? {
        let Replayed::Record { record, position } = replayed? else {
            continue;
        };
        if cut.is_some_and(|cut| position > *cut) {
            break;
        }
        let (url, depth, seed) = match &record.event {
            Event::Page(page) => (&page.url, page.depth, page.seed),
            Event::Sitemap(sitemap) => (&sitemap.url, 0, sitemap.seed),
            _ => continue,
        };
        let Ok(url) = CanonicalUrl::parse(url) else {
            continue;
        };
        let url = FrontierUrl {
            url,
            depth,
            seed,
            via: None,
            priority: 0.0,
            context: Vec::new(),
        };
        offers.push(rows::offer(&url, lost));
        if offers.len() >= ROWS_MAX {
            count += anew.admit(&std::mem::take(&mut offers))?;
        }
    }
    Ok(count + anew.admit(&offers)?)
}

/// The prints are not asked for; of the frontier only what it is offered.
const STORED: Stored = Stored {
    frontier: false,
    links: true,
    prints: true,
    views: false,
};

fn empty_state(config: &CrawlConfig) -> Result<State, CrawlError> {
    let mut frontier = Frontier::in_memory(setup::frontier_config(config), Instant::now());
    frontier.set_share(Share::new(|domain| Part::of_domain(domain).number()));
    let prints = TableIndex::in_memory(&index_config(config))?;
    let state = State::new(setup::policy(config)?, frontier, prints);
    state.map_err(|error| CrawlError::Setup(error.to_string()))
}

/// Rows that wait to be written.
#[derive(Default)]
struct Rows {
    offers: Vec<Offer>,
    finished: Vec<Finish>,
    kept: Vec<KeptRow>,
}

impl Rows {
    fn len(&self) -> usize {
        self.offers.len() + self.finished.len() + self.kept.len()
    }

    /// Gives how many URLs were new.
    fn give(&mut self, anew: &mut Rebuild) -> Result<u64, CrawlError> {
        let rows = std::mem::take(self);
        anew.finish(rows.finished)?;
        anew.keep(rows.kept)?;
        Ok(anew.admit(&rows.offers)?)
    }
}

#[cfg(test)]
mod tests {
    use ledger::global_page;

    use super::*;

    const KEY: UrlKey = UrlKey([7; 16]);

    fn outline(tail: &[(u64, u64)]) -> Outline {
        let records = tail.iter().map(|(page, begins)| (*page, Position(*begins)));
        Outline {
            tail: Tail {
                records: records.collect(),
            },
            ..Outline::default()
        }
    }

    fn ended(order: &mut Order, ends: &[(u64, u64)]) {
        let ends = ends.iter().map(|&(at_ms, page)| End { at_ms, page });
        let mut ends = ends.collect::<Vec<End>>().into_iter();
        order.ends.extend(ends.next().map(|end| (KEY, end)));
        order.more_ends.insert(KEY, ends.collect());
    }

    fn back(at_ms: u64, context: Option<Vec<u8>>) -> Back {
        Back {
            at_ms,
            node: 1,
            context,
        }
    }

    #[test]
    fn of_two_texts_in_one_place_the_earlier_was_never_acknowledged() {
        let (dead, next) = (global_page(1, 9), global_page(2, 4));
        let mut order = Order::default();
        order.places.insert(5, vec![(dead, 100), (next, 200)]);
        let outlines = [
            outline(&[(dead, 77), (global_page(1, 8), 60)]),
            outline(&[]),
        ];
        let cuts = order.settle(&outlines).expect("it is settled");
        assert_eq!(cuts, [(1, Position(77))].into());
        assert_eq!(order.places[&5], [(next, 200)]);
    }

    #[test]
    fn what_was_acknowledged_stands_whatever_the_clock_of_the_dead_said() {
        let (dead, next) = (global_page(1, 9), global_page(2, 4));
        let mut order = Order::default();
        order.places.insert(5, vec![(dead, 900), (next, 200)]);
        let outlines = [outline(&[(dead, 77)]), outline(&[])];
        let cuts = order.settle(&outlines).expect("it is settled");
        assert_eq!(cuts, [(1, Position(77))].into());
        assert_eq!(order.places[&5], [(next, 200)]);
    }

    #[test]
    fn a_text_that_others_have_seen_was_acknowledged() {
        let (seen, other) = (global_page(1, 9), global_page(2, 4));
        let mut order = Order::default();
        order.places.insert(5, vec![(seen, 100), (other, 200)]);
        order.witnessed.insert(seen);
        let outlines = [outline(&[(seen, 77)]), outline(&[(other, 30)])];
        let cuts = order.settle(&outlines).expect("it is settled");
        assert_eq!(cuts, [(2, Position(30))].into());
        assert_eq!(order.places[&5], [(seen, 100)]);
    }

    #[test]
    fn what_stands_before_a_look_at_the_others_gives_way_to_nobody() {
        let (one, other) = (global_page(1, 9), global_page(2, 4));
        let mut order = Order::default();
        order.places.insert(5, vec![(one, 100), (other, 200)]);
        let refused = order.settle(&[outline(&[]), outline(&[])]);
        let said = refused.expect_err("a contradiction").to_string();
        assert!(said.contains("place 5"), "{said}");
    }

    #[test]
    fn a_url_that_two_nodes_finished_ended_with_the_later() {
        let (dead, next) = (global_page(1, 9), global_page(2, 4));
        let mut order = Order::default();
        ended(&mut order, &[(100, dead), (200, next)]);
        order.places.insert(1, vec![(global_page(1, 10), 110)]);
        let tail = [(dead, 77), (global_page(1, 10), 90)];
        let cuts = order.settle(&[outline(&tail), outline(&[])]);
        assert_eq!(cuts.expect("it is settled"), [(1, Position(77))].into());
        let ends: Vec<u64> = order.ends_of(&KEY).iter().map(|end| end.page).collect();
        assert_eq!(ends, [next]);
        assert_eq!(order.last(), 0, "what stands behind the cut claims nothing");
    }

    #[test]
    fn a_url_that_was_put_back_may_end_again() {
        let (first, again) = (global_page(1, 9), global_page(2, 4));
        let mut order = Order::default();
        ended(&mut order, &[(100, first), (200, again)]);
        let part = Part::new(3).expect("a part");
        let backs = vec![back(150, Some(vec![1]))];
        order.put_back.insert(KEY, (part, backs.clone()));
        let cuts = order.settle(&[outline(&[(first, 5)]), outline(&[(again, 5)])]);
        assert_eq!(cuts.expect("it is settled"), HashMap::new());
        assert_eq!(order.puts(&KEY, &backs), [&backs[0]]);
    }

    #[test]
    fn that_a_node_was_lost_may_be_told_often_and_puts_back_once() {
        let mut order = Order::default();
        ended(&mut order, &[(100, global_page(1, 9))]);
        let told = [back(150, None), back(160, None), back(170, None)];
        assert_eq!(order.puts(&KEY, &told).len(), 1, "it waits");
        let early = [back(50, None), back(60, None)];
        assert_eq!(order.puts(&KEY, &early).len(), 0, "it ended since");
    }

    #[test]
    fn a_place_that_nobody_claims_belongs_to_a_lost_node() {
        let mut order = Order::default();
        order.places.insert(1, vec![(global_page(1, 3), 10)]);
        order.places.insert(3, vec![(global_page(1, 7), 30)]);
        order.witnessed.insert(global_page(2, 8));
        let said = order.withdrawals(&[]).expect_err("a gap").to_string();
        assert!(said.contains("place 2"), "{said}");
        let entries = order.withdrawals(&[2]).expect("entries");
        let entries: Vec<(u64, u64)> = (entries.iter())
            .map(|row| (row.position, row.page))
            .collect();
        assert_eq!(entries, [(2, global_page(2, 0)), (4, global_page(2, 8))]);
    }
}
