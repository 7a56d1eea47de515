//! A node of a crawl on many machines: how the writer shares its groups with the others.
//!
//! ```text
//!            ┌──────── the ledger: URLs, ends and kept texts in one order ────────┐
//!            │                                                                     │
//!   begin ◄──┘  the order is ours: what others kept, which URLs are known          │
//!   decide ─► append ─► apply     for each finding, all of that in sight           │
//!   sync                                                                           │
//!   close  ───────────────────────────────────────────────────────────────────────┘
//!   settle ─► store ─► publish ─► tell
//! ```
//!
//! The order is taken *before* the group is judged, so a verdict is made once and never taken back:
//! nobody can keep a text between a verdict and its commit. A verdict is committed when `close` is;
//! what a crash leaves in the journal behind that is cut at the next join. Whatever goes wrong with
//! the ledger has one remedy: the node drops what was not acknowledged, joins again and goes on.
//!
//! Of this file: how a node joins, and what the writer asks. [`keeper`] is the thread that keeps the
//! lease and brings parts and pages; `shares` says how many connections to one address
//! are its own, `turns` which node's links go first, `lessons` what nodes learn from each other's example pages; `rows` goes from records to the ledger's rows and back; [`note`] is what
//! a node says of itself; [`audit`]
//! compares journals with the ledger, [`rebuild`] makes a ledger of them, [`journals`] reads them as one.

pub mod audit;
mod common;
mod identity;
pub mod journals;
pub(crate) mod keeper;
pub(crate) mod lessons;
pub mod note;
pub mod rebuild;
mod rows;
mod shares;
mod turns;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use archive::{ElsewhereManners, ElsewhereRecord, Event, NodeRecord, Position, Record};
use frontier::{CanonicalUrl, FrontierUrl, SeedUrl};
use ledger::{
    Admitted, Begun, Closed, Closing, Fact, Fence, Finish, KeptRow, Ledger, LedgerError, Manners,
    Marks, Meter, NodeCard, Offer, Part, SeedBudget, Standing,
};

use crate::config::CrawlConfig;
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::node::keeper::Shared;
pub use crate::node::keeper::drain_of;
use crate::node::lessons::{Lessons, Untold};
use common::{common_config, hash_of, other_terms, refusal, scheme};
use identity::{
    Identity, check_identity, check_namesake, hexadecimal, read_identity, write_identity,
};
pub use identity::{NodeName, is_node, name_copy, node_name, unname_copy};

/// Between two tries to reach a ledger that does not answer.
const TRY_AGAIN: Duration = Duration::from_millis(500);

/// Bytes of what hosts are owed that are said with one message, and some more.
const SAID_AT_ONCE: usize = 4 << 20;

/// Makes a connection to the ledger, of which all messages are counted in [`Cluster::meter`].
pub type Connect = Arc<dyn Fn() -> Result<Box<dyn Ledger>, LedgerError> + Send + Sync>;

/// How a node reaches the crawl that it takes part in.
#[derive(Clone)]
pub struct Cluster {
    /// Makes a connection.
    pub connect: Connect,
    /// The node's name: the same name is the same node, started again.
    pub name: String,
    /// Where the ledger is, for messages.
    pub store: String,
    /// A node that is silent for so long is taken for dead, where no other one has joined before.
    pub ttl: Duration,
    /// Counts what is said to the ledger, over all connections.
    pub meter: Meter,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "node {:?} at {}", self.name, self.store)
    }
}

/// A node that takes part.
pub(crate) struct Node {
    ledger: Box<dyn Ledger>,
    me: Fence,
    /// The last kept text in sight.
    seen: u64,
    shared: Arc<Shared>,
    /// Admissions by others are followed from here on.
    pub(crate) admitted: u64,
    /// The seeds given are those that the node was begun with; others would have other numbers on
    /// other nodes.
    pub(crate) takes_seeds: bool,
    /// The lease that all nodes go by.
    pub(crate) ttl: Duration,
    identity: Identity,
    /// Parts of whose hosts the ledger says what they are owed.
    said: HashSet<Part>,
    /// What the others were not told yet of example pages.
    untold: VecDeque<Fact>,
}

/// What a node hears when it begins a group.
#[derive(Debug)]
pub(crate) struct Beginning {
    /// What others kept, for the journal.
    pub(crate) events: Vec<Event>,
    /// For each URL that was asked about, whether it is admitted.
    pub(crate) known: Vec<bool>,
    /// How many URLs each seed that was asked about has brought in.
    pub(crate) spent: Vec<(u32, u64)>,
}

/// A part that comes to this node.
#[derive(Debug)]
pub(crate) struct Coming {
    pub(crate) part: Part,
    /// Seeds and where they lead.
    pub(crate) roots: Vec<(FrontierUrl, bool)>,
    /// The URLs that wait, and whether each was finished before.
    pub(crate) waiting: Vec<(FrontierUrl, bool)>,
    /// How many URLs of each host have met their end, by the host's number.
    pub(crate) ended: Vec<(u32, u64)>,
    /// What its hosts are owed, as its last node has said.
    pub(crate) manners: Option<Manners>,
}

/// What a group has for the ledger.
#[derive(Debug, Default)]
pub(crate) struct Account {
    finished: Vec<Finish>,
    kept: Vec<KeptRow>,
    /// Requests for pages.
    pages: u64,
}

impl Node {
    /// Joins the crawl, and cuts the directory's journal back to what the ledger has.
    ///
    /// # Errors
    /// [`CrawlError::Ledger`] when the ledger does not answer or refuses; [`CrawlError::Setup`] when
    /// the directory is not this node's.
    pub(crate) fn join(
        cluster: &Cluster,
        dir: &CrawlDir,
        (config, seeds): (&CrawlConfig, &[SeedUrl]),
        notes: &mut Vec<String>,
    ) -> Result<Node, CrawlError> {
        let known = read_identity(dir)?;
        let end = archive::end(&dir.archive())?;
        if known.is_none() && end > Position::START {
            return Err(CrawlError::Setup(format!(
                "{} holds a crawl of one machine, which cannot become a node: choose a new --dir",
                dir.root().display()
            )));
        }
        let mut ledger = (cluster.connect)()?;
        let overview = ledger.overview()?;
        let namesake = overview.nodes.iter().find(|node| node.name == cluster.name);
        if let Some(known) = &known
            && known.name != cluster.name
            && overview
                .nodes
                .iter()
                .any(|node| node.fence.node == known.number)
        {
            return Err(CrawlError::Setup(format!(
                "{} is the directory of node {:?}, and this one would be {:?}: a node is named after its host and \
                 directory, and one of them has changed; set cluster.node = {:?} to go on",
                dir.root().display(),
                known.name,
                cluster.name,
                known.name
            )));
        }
        check_namesake(known.as_ref(), namesake, end, dir)?;
        let (seen, pages) = namesake.map_or((0, 0), |node| (node.seen, node.pages));
        let given = hash_of(seeds);
        let was_begun_with = known.as_ref().map(|known| known.seeds.clone());
        let seeds = was_begun_with.unwrap_or_else(|| given.clone());
        let takes_seeds = given == seeds;
        let common = common_config(config, &seeds);
        let joined = ledger.join(&NodeCard {
            name: cluster.name.clone(),
            scheme: scheme(),
            config: common.clone(),
            ttl: cluster.ttl,
            pages_max: Some(config.crawl.max_pages).filter(|&pages| pages > 0),
        });
        let joined = joined.map_err(|error| refusal(error, &common))?;
        let identity = Identity {
            crawl: hexadecimal(&joined.crawl),
            number: joined.fence.node,
            name: cluster.name.clone(),
            seeds,
        };
        check_identity(known.as_ref(), &identity, dir)?;
        notes.extend(other_terms(cluster.ttl, config.crawl.max_pages, &joined));
        if known.is_none() {
            write_identity(dir, &identity)?;
        }
        let cut = archive::cut_to(&dir.archive(), Position(joined.journal))?;
        notes.extend(cut.iter().map(|cut| format!("archive: {cut}")));
        Ok(Node {
            ledger,
            me: joined.fence,
            seen,
            shared: Arc::new(Shared::new(joined.ttl, pages)),
            ttl: joined.ttl,
            admitted: joined.admitted,
            takes_seeds,
            identity,
            said: HashSet::new(),
            untold: VecDeque::new(),
        })
    }

    /// What the dispatcher and the keeper share with the writer.
    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    pub(crate) fn fence(&self) -> Fence {
        self.me
    }

    /// For the journal's first record.
    pub(crate) fn record(&self) -> NodeRecord {
        NodeRecord {
            crawl: self.identity.crawl.clone(),
            number: self.identity.number,
        }
    }

    /// How long the writer gathers findings for one group, by the number of nodes: the order is free
    /// most of the time however many there are.
    pub(crate) fn pace(&self) -> Duration {
        let by_nodes = Duration::from_millis(8) * self.shared.live() as u32;
        by_nodes.max(Duration::from_millis(100))
    }

    /// Begins a group: gives what others kept, for the journal, which of the URLs are known, and how
    /// many URLs each of the seeds has brought in. Waits as long as the ledger does not answer and the
    /// lease holds.
    ///
    /// # Errors
    /// When the lease has ended, or the ledger refuses.
    pub(crate) fn begin(
        &mut self,
        urls: &[CanonicalUrl],
        seeds: &[u32],
    ) -> Result<Beginning, CrawlError> {
        let asked: Vec<_> = urls.iter().map(rows::name_of).collect();
        let mut events = Vec::new();
        loop {
            match self.ledger.begin(self.me, self.seen, &asked, seeds) {
                Ok(Begun { kept, known, spent }) => {
                    events.extend(self.elsewhere(&kept)?);
                    let spent = seeds.iter().copied().zip(spent).collect();
                    return Ok(Beginning {
                        events,
                        known,
                        spent,
                    });
                }
                Err(LedgerError::Behind { .. }) => {
                    let marks = Marks {
                        facts: i64::MAX as u64,
                        kept: self.seen,
                        admitted: 0,
                    };
                    let news = self.ledger.follow(&marks, &[])?;
                    events.extend(self.elsewhere(&news.kept)?);
                }
                Err(LedgerError::Away(why)) if self.shared.may_go_on() => {
                    self.shared.note_away(&why);
                    self.shared.wait_for_answer(TRY_AGAIN);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// What others kept, as a record; none if all is this node's own.
    fn elsewhere(&mut self, kept: &[KeptRow]) -> Result<Option<Event>, CrawlError> {
        let Some(last) = kept.last() else {
            return Ok(None);
        };
        self.seen = last.position;
        let record = rows::elsewhere(kept, self.me.node)?;
        let is_empty = record.kept.is_empty() && record.withdrawn.is_empty();
        Ok((!is_empty).then_some(Event::Elsewhere(record)))
    }

    /// Takes a record of the group in.
    pub(crate) fn count(&self, record: &Record, account: &mut Account) {
        account.pages += rows::requests(record);
        account.finished.extend(rows::finish(record, self.me.node));
        account.kept.extend(rows::kept(record, self.me.node));
    }

    /// Commits a group of which the journal is synced.
    ///
    /// # Errors
    /// When it is not committed, or nobody knows.
    pub(crate) fn close(
        &mut self,
        account: Account,
        (offered, reopened): (Vec<FrontierUrl>, Vec<FrontierUrl>),
        budgets: &[SeedBudget],
        journal: Position,
    ) -> Result<(), CrawlError> {
        let node = self.me.node;
        let offers: Vec<Offer> = offered.iter().map(|url| rows::offer(url, node)).collect();
        let back: Vec<Offer> = reopened.iter().map(|url| rows::offer(url, node)).collect();
        if !offers.is_empty() {
            let news = self.ledger.open(self.me, &offers, budgets)?;
            if let Some((offer, _)) = offers.iter().zip(news).find(|(_, is_new)| !is_new) {
                self.ledger.abandon();
                tracing::warn!(url = offer.url.url, "a URL was admitted that others have");
                return Err(LedgerError::FinishedTwice.into());
            }
        }
        if !back.is_empty() {
            self.ledger.reopen(self.me, &back)?;
        }
        let kept = account.kept.len() as u64;
        let closed = self.ledger.close(&Closing {
            me: self.me,
            finished: account.finished,
            seen: self.seen,
            radius: 0,
            asked: Vec::new(),
            asked_bands: Vec::new(),
            kept: account.kept,
            cites: Vec::new(),
            pages: u32::try_from(account.pages).unwrap_or(u32::MAX),
            journal: journal.0,
        })?;
        match closed {
            Closed::Committed { first } => {
                self.seen = self.seen.max(first.saturating_sub(1) + kept);
                self.shared.note_answer();
                self.shared.closed(self.seen, account.pages);
                Ok(())
            }
            // Nobody else could append since the group was begun.
            Closed::Near(_) => Err(LedgerError::Broken(
                "a text was kept while the order was this node's".into(),
            )
            .into()),
            Closed::Unknown => {
                Err(LedgerError::Away("the answer to a commit was lost".into()).into())
            }
        }
    }

    /// Tells the others what was learnt from examples, once its group is committed. What cannot be told now is
    /// told after the next group.
    pub(crate) fn tell(&mut self, lessons: Vec<Fact>) {
        self.untold.extend(lessons);
        while let Some(lesson) = self.untold.front() {
            if let Err(error) = self.ledger.tell(self.me, lesson) {
                tracing::debug!("other nodes hear of an example later: {error}");
                return;
            }
            self.untold.pop_front();
        }
    }

    /// Leaves of this node's lessons those of which the whole crawl was not told: the node ended, or lost
    /// touch, between the commit of a page and that. Not within a group.
    ///
    /// # Errors
    /// When the ledger does not answer.
    pub(crate) fn strike_told(&mut self, lessons: &mut Untold) -> Result<(), CrawlError> {
        let mut marks = Marks {
            facts: 0,
            kept: i64::MAX as u64,
            admitted: self.admitted,
        };
        while !lessons.is_empty() {
            let news = self.ledger.follow(&marks, &[])?;
            if news.facts.is_empty() {
                break;
            }
            lessons.strike(&news.facts);
            marks.facts = news.marks.facts;
        }
        Ok(())
    }

    /// Says what hosts of parts are owed by whoever has them next. Not within a group.
    ///
    /// # Errors
    /// When the ledger does not answer.
    pub(crate) fn hand_over(&mut self, owed: Vec<(Part, Vec<u8>)>) -> Result<(), LedgerError> {
        let (mut some, mut bytes) = (Vec::new(), 0);
        // Where nothing is said, nothing is taken back.
        let said = &mut self.said;
        let owed = owed
            .into_iter()
            .filter(|(part, data)| match data.is_empty() {
                true => said.remove(part),
                false => {
                    said.insert(*part);
                    true
                }
            });
        for (part, data) in owed.collect::<Vec<_>>() {
            bytes += data.len();
            some.push((part, data));
            if bytes > SAID_AT_ONCE {
                self.ledger.hand_over(self.me, &std::mem::take(&mut some))?;
                bytes = 0;
            }
        }
        match some.is_empty() {
            true => Ok(()),
            false => self.ledger.hand_over(self.me, &some),
        }
    }

    /// For the journal, what hosts are owed of parts that have come.
    pub(crate) fn owes(&self, manners: Vec<ElsewhereManners>) -> Event {
        Event::Elsewhere(ElsewhereRecord {
            seen: self.seen,
            manners,
            ..ElsewhereRecord::default()
        })
    }

    /// For the journal, what the topic learns from examples of others.
    pub(crate) fn learns(&self, lessons: Lessons) -> Event {
        Event::Elsewhere(ElsewhereRecord {
            seen: self.seen,
            examples: lessons.pages,
            led_to: lessons.led_to,
            ..ElsewhereRecord::default()
        })
    }

    /// Ends a group that has come to nothing.
    pub(crate) fn abandon(&mut self) {
        self.ledger.abandon();
    }

    /// What stands in parts that come here; none where it is too much for one answer: of fewer parts it is less,
    /// and of one it is asked for in pieces. Not within a group.
    ///
    /// # Errors
    /// When the ledger does not answer.
    pub(crate) fn standing(&mut self, parts: &[Part]) -> Result<Option<Vec<Coming>>, CrawlError> {
        let standing = match parts {
            &[part] => self.standing_in_pieces(part)?,
            _ => match self.ledger.standing(parts)? {
                Some(standing) => standing,
                None => return Ok(None),
            },
        };
        for said in standing.manners.iter().filter(|said| !said.data.is_empty()) {
            self.said.insert(said.part);
        }
        let node = self.me.node;
        let of = |rows: &[Admitted], part: Part| {
            let rows = rows.iter().filter(|url| url.part == part);
            rows::all_waiting(rows.cloned().collect(), node)
        };
        let coming = parts.iter().map(|&part| Coming {
            part,
            roots: of(&standing.roots, part),
            waiting: of(&standing.waiting, part),
            ended: (standing.ended.iter())
                .filter(|(at, _)| *at == part)
                .map(|(_, of)| (of.host, of.urls))
                .collect(),
            manners: (standing.manners.iter())
                .find(|said| said.part == part)
                .cloned(),
        });
        Ok(Some(coming.collect()))
    }

    fn standing_in_pieces(&mut self, part: Part) -> Result<Standing, CrawlError> {
        let roots = self.ledger.roots(part)?;
        let (mut waiting, mut is_last) = (Vec::new(), false);
        while !is_last {
            let after = waiting.last().map(|last: &Admitted| last.key);
            let mut more = self.ledger.pending(part, after)?;
            is_last = more.len() < ledger::ANSWER_MAX;
            waiting.append(&mut more);
        }
        let ended = self.ledger.ended(part)?.into_iter();
        Ok(Standing {
            roots,
            waiting,
            ended: ended.map(|of| (part, of)).collect(),
            manners: self.ledger.manners(part)?.into_iter().collect(),
        })
    }
}

/// Whether an error of the ledger is mended by joining again: what was not acknowledged is dropped
/// then, and done anew.
pub(crate) fn may_join_again(error: &LedgerError) -> bool {
    match error {
        LedgerError::Fenced
        | LedgerError::Away(_)
        | LedgerError::Behind { .. }
        | LedgerError::FinishedTwice
        | LedgerError::NoGroup
        | LedgerError::NotGranted
        | LedgerError::OverBudget
        | LedgerError::StaleJournal => true,
        LedgerError::Refused(_)
        | LedgerError::Ahead { .. }
        | LedgerError::Bound { .. }
        | LedgerError::NotPlain { .. }
        | LedgerError::NoSuchNode
        | LedgerError::Alive
        | LedgerError::NotEmpty { .. }
        | LedgerError::NoRight(_)
        | LedgerError::Unseen(_)
        | LedgerError::Broken(_) => false,
    }
}

/// Joins again once the ledger answers; none where the crawl is stopped before.
pub(crate) fn joined_again(
    cluster: &Cluster,
    is_stopped: impl Fn() -> bool,
    mut join: impl FnMut() -> Result<Node, CrawlError>,
) -> Result<Option<Node>, CrawlError> {
    let began = Instant::now();
    let mut told = false;
    loop {
        if is_stopped() {
            return Ok(None);
        }
        match join() {
            Err(CrawlError::Ledger(LedgerError::Away(why))) => {
                if !told {
                    tracing::warn!(
                        "paused: the ledger at {} does not answer ({why}); nothing is lost, the crawl \
                         goes on by itself when it does",
                        cluster.store
                    );
                    told = true;
                }
                std::thread::park_timeout(TRY_AGAIN);
            }
            Ok(node) => {
                let seconds = began.elapsed().as_secs();
                tracing::info!(seconds, node = node.me.node, "joined the crawl");
                return Ok(Some(node));
            }
            Err(error) => return Err(error),
        }
    }
}
