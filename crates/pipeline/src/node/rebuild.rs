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
//! had finished wait, and so do seeds that it had begun with and links that others came upon later; those
//! that it alone had come upon are found again or not.
//!
//! Costs: memory of some 80 bytes for each URL finished, and the state of one crawl, node after node.

use std::collections::HashSet;
use std::time::Instant;

use archive::{Event, Position, Replayed};
use frontier::{CanonicalUrl, Frontier, FrontierUrl};
use ledger::postgres::rebuild::{Rebuild, RebuiltNode};
use ledger::{Fact, Fence, Finish, KeptRow, LedgerError, Offer, own_page};
use outcome::LinkFate;
use serde::Serialize;
use simhash::TableIndex;
use state::{Lent, State, Stored};

use super::{Identity, lessons, read_identity, rows, scheme};
use crate::config::{CrawlConfig, file};
use crate::dir::{CrawlDir, CrawlLock};
use crate::error::CrawlError;
use crate::setup;
use crate::views::index_config;
use crate::write::new_share;

mod order;

use order::{Order, Outline, Seen};

/// Rows that are given to the store at once.
const ROWS_MAX: usize = 4_096;

/// URLs that are remembered to have been asked about: some 40 MB.
const ASKED_MAX: usize = 1 << 20;

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
    let mut rebuilt = Rebuilt::default();
    let mut order = Order::default();
    let mut outlines = Vec::new();
    for source in &sources {
        outlines.push(Outline::read(source, &mut order)?);
    }
    let cuts = order.settle(&outlines)?;
    rebuilt.lost = order.missing(&sources, lost)?;
    // Until here nothing is written, not even empty tables.
    let mut anew = begin(&sources[0].config)?;
    let first = (&sources[0].identity, &outlines[0].common);
    let (mut members, mut lessons) = (Vec::new(), Lessons::default());
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
        let mut write = (&mut anew, &mut lessons);
        let (told, cut) = write_node(source, cut, outline.starts, &order, &mut write)?;
        members.push((told, cut));
    }
    for (told, _) in &mut members {
        told.admitted += order.put_back_by(told.fence.node, &mut anew)?;
    }
    let mut found = 0;
    for source in sources.iter().filter(|_| !rebuilt.lost.is_empty()) {
        let cut = cuts.get(&source.identity.number);
        found += admit_known(source, cut, rebuilt.lost[0], &mut anew)?;
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
    lessons.put_back(&mut anew)?;
    anew.count_seeds(&order.with_budget)?;
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

/// What nodes have told of example pages.
#[derive(Default)]
struct Lessons {
    /// When, and which node.
    own: Vec<(u64, u16, Fact)>,
    /// What they heard, for those whose teller is lost.
    heard: Vec<(u16, Fact)>,
}

impl Lessons {
    fn put_back(mut self, anew: &mut Rebuild) -> Result<(), LedgerError> {
        self.own.sort_by_key(|(at_ms, ..)| *at_ms);
        let own = self.own.into_iter().map(|(_, node, fact)| (node, fact));
        let mut once = HashSet::new();
        for (node, fact) in own.chain(self.heard) {
            if once.insert((fact.kind.clone(), fact.data.clone())) {
                anew.tell(node, &fact)?;
            }
        }
        Ok(())
    }
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

/// Applies a journal once more, and writes the rows that its records gave; gives the node, and how many
/// records are cut.
fn write_node(
    source: &Source,
    cut: Option<Position>,
    starts: u64,
    order: &Order,
    (anew, lessons): &mut (&mut Rebuild, &mut Lessons),
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
    let texts = source.dir.texts();
    for replayed in archive::replay(&source.dir.archive(), Position::START)? {
        let Replayed::Record { record, position } = replayed? else {
            continue;
        };
        let is_cut = cut.is_some_and(|cut| position > cut);
        if is_cut {
            unread += 1;
            continue;
        }
        let read = |at: &archive::BodyRef| texts.text(at);
        let facts = lessons::facts_of(&state, &record, |page| read(page.text.as_ref()?));
        let own = facts.into_iter().map(|fact| (record.at_ms, node, fact));
        lessons.own.extend(own);
        let heard = lessons::facts_heard(&record).into_iter();
        lessons.heard.extend(heard.map(|fact| (node, fact)));
        state.apply(&record, STORED, Lent::default(), read)?;
        texts.all_there().map_err(CrawlError::Texts)?;
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

/// What this node finished, was given or came upon, and no journal admits, was found by a lost node first,
/// for whom it is admitted: else a seed that the lost node had begun with would not be read again, and a
/// crawl, which is at its end when as many URLs are finished as were admitted, would never be. Gives how
/// many URLs.
fn admit_known(
    source: &Source,
    cut: Option<&Position>,
    lost: u16,
    anew: &mut Rebuild,
) -> Result<u64, CrawlError> {
    let (mut offers, mut count) = (Vec::new(), 0);
    // Most links are seen again and again: the store need not be asked each time.
    let mut asked = HashSet::new();
    for replayed in archive::replay(&source.dir.archive(), Position::START)? {
        let Replayed::Record { record, position } = replayed? else {
            continue;
        };
        if cut.is_some_and(|cut| position > *cut) {
            break;
        }
        for url in known_of(&record.event) {
            let offer = rows::offer(&url, lost);
            if asked.insert((offer.part, offer.key)) {
                offers.push(offer);
            }
        }
        if asked.len() >= ASKED_MAX {
            asked.clear();
        }
        if offers.len() >= ROWS_MAX {
            count += anew.admit(&std::mem::take(&mut offers))?;
        }
    }
    Ok(count + anew.admit(&offers)?)
}

/// URLs that a record tells of as admitted, by whichever node.
fn known_of(event: &Event) -> Vec<FrontierUrl> {
    let mut known: Vec<(&str, u32, u32)> = Vec::new();
    match event {
        Event::Page(page) => {
            known.push((&page.url, page.depth, page.seed));
            let seen = page.links.iter().filter(|link| link.fate == LinkFate::Seen);
            known.extend(seen.map(|link| (link.url.as_str(), page.depth + 1, page.seed)));
        }
        Event::Sitemap(sitemap) => known.push((&sitemap.url, 0, sitemap.seed)),
        Event::Seed(seed) if !seed.sitemap && seed.fate == Some(LinkFate::Seen) => {
            known.push((&seed.url, 0, seed.seed));
        }
        Event::Seed(_)
        | Event::Start(_)
        | Event::Robots(_)
        | Event::Attempt(_)
        | Event::Retry(_)
        | Event::Again(_)
        | Event::Elsewhere(_)
        | Event::Visit(_)
        | Event::Stop(_) => {}
    }
    let url = |(url, depth, seed): (&str, u32, u32)| {
        Some(FrontierUrl {
            url: CanonicalUrl::parse(url).ok()?,
            depth,
            seed,
            via: None,
            priority: 0.0,
            context: Vec::new(),
        })
    };
    known.into_iter().filter_map(url).collect()
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
    frontier.set_share(new_share());
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
