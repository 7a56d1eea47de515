//! The trait: what a node may ask of the crawl's shared order.

use crate::keys::{Fence, Part, UrlKey};
use crate::messages::{
    Admitted, Begun, Closed, Closing, EndedOfHost, Fact, Joined, Manners, Marks, News, NodeCard,
    Offer, Overview, Pulse, SeedBudget, Standing, Tidings,
};

/// The crawl's shared order. Calls block. Each connection has one caller: the writer opens and
/// closes groups on its own, the thread that beats has another.
pub trait Ledger: Send {
    /// Takes part in the crawl. A node that joins again under its name has a new epoch: whatever
    /// still runs under the old one is refused.
    ///
    /// # Errors
    /// [`LedgerError::Refused`] when the node does not fit the crawl.
    fn join(&mut self, card: &NodeCard) -> Result<Joined, LedgerError>;

    /// What happened since some marks: facts, URLs that others admitted into these parts, kept
    /// texts. A bounded piece at a time: to be asked again while the marks move. An admission
    /// comes once all older transactions have ended, so that none is missed; it may come again.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    fn follow(&mut self, marks: &Marks, parts: &[Part]) -> Result<News, LedgerError>;

    /// What stands in parts that come to this node: roots, URLs that wait, ends, and manners, as the four messages
    /// below have them of one part. None if that is more than one answer holds: ask for fewer parts, and of
    /// one by those four.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    fn standing(&mut self, parts: &[Part]) -> Result<Option<Standing>, LedgerError>;

    /// URLs of a part that wait, in the order of their keys, behind `after`; empty at the end.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    fn pending(&mut self, part: Part, after: Option<UrlKey>) -> Result<Vec<Admitted>, LedgerError>;

    /// URLs of a part that are no links from anywhere: seeds, and where those redirect. What belongs to
    /// a crawl follows from them.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    fn roots(&mut self, part: Part) -> Result<Vec<Admitted>, LedgerError>;

    /// How many URLs of each host of a part have met their end, in the order of the hosts' numbers: who
    /// takes the part counts on from there.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    fn ended(&mut self, part: Part) -> Result<Vec<EndedOfHost>, LedgerError>;

    /// What the hosts of a part are owed, as whoever gave it back last has said.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    fn manners(&mut self, part: Part) -> Result<Option<Manners>, LedgerError>;

    /// Says what the hosts of this node's parts are owed by whoever has them next, in the caller's words; to be
    /// said before the parts are given back. It stands until it is said anew. Of parts that are another node's
    /// nothing is said.
    ///
    /// # Errors
    /// [`LedgerError::Fenced`] when this node was taken for dead.
    fn hand_over(&mut self, me: Fence, owed: &[(Part, Vec<u8>)]) -> Result<(), LedgerError>;

    /// Ends the open group, if there is one, without a trace.
    fn abandon(&mut self);

    /// Begins a group with the order for itself: until it is closed nobody else admits a URL or
    /// appends a text by way of `begin`, so what is judged from here on is judged with all that
    /// stands before it in sight. Gives the texts kept since `seen`, which of the URLs are
    /// admitted already, and how many URLs count for the budget of each of these seeds.
    ///
    /// # Errors
    /// [`LedgerError::Behind`] when there are more texts than one answer holds: follow first.
    /// [`LedgerError::Fenced`] when this node was taken for dead. After any error no group is
    /// open.
    fn begin(
        &mut self,
        me: Fence,
        seen: u64,
        urls: &[(Part, UrlKey)],
        seeds: &[u32],
    ) -> Result<Begun, LedgerError>;

    /// Offers URLs to the group that was begun, or begins one without the order: says which are
    /// new. They are admitted when the group is closed. Those of a seed with a budget count for it
    /// from then on; a budget is given with all offers of its seed, in every group.
    ///
    /// # Errors
    /// [`LedgerError::Fenced`] when this node was taken for dead, [`LedgerError::OverBudget`] when a
    /// seed would bring in more URLs than it may. After any error no group is open.
    fn open(
        &mut self,
        me: Fence,
        offers: &[Offer],
        budgets: &[SeedBudget],
    ) -> Result<Vec<bool>, LedgerError>;

    /// Puts finished URLs of the open group's node back: each waits again until it is finished
    /// once more.
    ///
    /// # Errors
    /// [`LedgerError::NoGroup`] when none is open. After any error none is.
    fn reopen(&mut self, me: Fence, urls: &[Offer]) -> Result<(), LedgerError>;

    /// Ends the group: finishes URLs, appends kept texts, moves the counters and the position of
    /// the journal. All of it or nothing.
    ///
    /// # Errors
    /// After an error nothing of the group is committed, and no group is open.
    fn close(&mut self, closing: &Closing) -> Result<Closed, LedgerError>;

    /// A sign of life. Asks for and gives back parts, addresses and pages.
    ///
    /// # Errors
    /// [`LedgerError::Fenced`] when this node was taken for dead.
    fn beat(&mut self, pulse: &Pulse) -> Result<Tidings, LedgerError>;

    /// Tells the whole crawl; gives the fact's number.
    ///
    /// # Errors
    /// [`LedgerError::Fenced`] when this node was taken for dead.
    fn tell(&mut self, me: Fence, fact: &Fact) -> Result<u64, LedgerError>;

    /// The whole crawl at one moment, for people.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    fn overview(&mut self) -> Result<Overview, LedgerError>;
}

/// Why a node may not take part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The crawl runs under another configuration.
    #[error("the crawl runs under another configuration than this node's")]
    OtherConfig {
        /// That of the crawl.
        theirs: Vec<u8>,
    },
    /// Its fingerprints cannot be compared with the crawl's.
    #[error("the crawl's fingerprints are made by another scheme ({theirs}) than this node's")]
    OtherScheme {
        /// That of the crawl.
        theirs: String,
    },
    /// The tables are of another version of the program.
    #[error("the ledger's tables are of version {theirs}, this program works with {ours}")]
    OtherTables {
        /// Of the tables.
        theirs: u32,
        /// The newest one that this program knows.
        ours: u32,
    },
    /// All numbers are taken.
    #[error("the crawl has no number left for another node")]
    Full,
}

/// Why the ledger did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// This node was taken for dead, or another process joined under its name. It must stop what
    /// it does and join again.
    #[error("this node's lease has ended: it was taken for dead, or its name is used elsewhere")]
    Fenced,
    /// The node does not fit the crawl.
    #[error("join the crawl: {0}")]
    Refused(#[from] Refused),
    /// Too many texts were kept since the group was judged. Follow, judge, and open again.
    #[error("this node is {by} kept texts behind: it must follow first")]
    Behind {
        /// How many.
        by: u64,
    },
    /// This node has seen more than the ledger holds: the store was put back to an older state.
    #[error("the ledger ends at text {position}, but this node has seen text {seen}")]
    Ahead {
        /// The ledger's last position.
        position: u64,
        /// The node's.
        seen: u64,
    },
    /// A group must move the journal's position: by it a commit is recognised whose answer was
    /// lost.
    #[error("the group does not move the journal's position")]
    StaleJournal,
    /// A node that nobody knows cannot be forgotten.
    #[error("the crawl has no node of this name")]
    NoSuchNode,
    /// A node that takes part cannot be forgotten.
    #[error("the node is alive: stop it first, or wait until it is taken for dead")]
    Alive,
    /// A crawl is made anew only where there is none.
    #[error(
        "the store holds this crawl already, with {nodes} nodes and {urls} URLs: nothing was changed"
    )]
    NotEmpty {
        /// Its nodes.
        nodes: u64,
        /// URLs that it has admitted.
        urls: u64,
    },
    /// More pages than were granted.
    #[error("the group has more pages than were granted")]
    NotGranted,
    /// A seed would bring in more URLs than it may.
    #[error("the group brings in more URLs of a seed than its budget has left")]
    OverBudget,
    /// A URL ended twice.
    #[error("a URL of the group has ended before")]
    FinishedTwice,
    /// A group is closed that was never opened, or was lost with its connection.
    #[error("no group is open")]
    NoGroup,
    /// A value is longer than its bound.
    #[error("{what} has {size} bytes or rows, and may have {max}")]
    Bound {
        /// Which value.
        what: &'static str,
        /// Its size.
        size: usize,
        /// Its bound.
        max: usize,
    },
    /// A value has characters that it may not have.
    #[error("{what} is not plain ASCII")]
    NotPlain {
        /// Which value.
        what: &'static str,
    },
    /// The store does not answer. Nothing was committed; try again later.
    #[error("the ledger does not answer: {0}")]
    Away(String),
    /// The store's role has not the right.
    #[error("the role may not: {0}")]
    NoRight(String),
    /// The role does not see the crawl's tables: they are gone, or it may not use their schema any more.
    #[error("the role does not see the tables of the crawl: {0}")]
    Unseen(String),
    /// The store answers something that does not fit. Trying again will not help.
    #[error("the ledger does not work: {0}")]
    Broken(String),
}
