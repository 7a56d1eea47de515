//! What is said to the ledger and what it answers: plain data.

use std::net::IpAddr;
use std::time::Duration;

use crate::keys::{Fence, Part, UrlKey};

/// A node that wants to take part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeCard {
    /// Its name, one for each directory; the same name is the same node, started again.
    pub name: String,
    /// The schemes whose values are compared between nodes: fingerprints, words.
    pub scheme: String,
    /// The part of the configuration that is the same for all nodes, as text.
    pub config: Vec<u8>,
    /// Its lease. Where no other node lives it is the crawl's from then on.
    pub ttl: Duration,
    /// Pages that the crawl may fetch: a budget that is smaller is raised to it. None changes nothing.
    pub pages_max: Option<u64>,
}

/// A node's place in the crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// Its number and epoch.
    pub fence: Fence,
    /// The crawl's own number, at random.
    pub crawl: [u8; 16],
    /// How far its journal was acknowledged; what stands behind that is cut.
    pub journal: u64,
    /// Parts that it still has from before.
    pub parts: Vec<Part>,
    /// Admissions before this mark are in [`Ledger::pending`](crate::Ledger::pending).
    pub admitted: u64,
    /// The crawl's lease, which all nodes go by: they take each other for dead by it.
    pub ttl: Duration,
    /// Pages that the crawl may fetch, before and after the node joined.
    pub pages_max: (Option<u64>, Option<u64>),
}

/// How far a node has read the logs; all zero at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// The last fact's number.
    pub facts: u64,
    /// The last kept text's position.
    pub kept: u64,
    /// The transaction from which admissions are read on.
    pub admitted: u64,
}

/// What happened since some marks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct News {
    /// Facts in order.
    pub facts: Vec<Told>,
    /// URLs that others admitted into the parts that were asked for.
    pub admitted: Vec<Admitted>,
    /// Kept texts in order, the node's own among them.
    pub kept: Vec<KeptRow>,
    /// Where to read on.
    pub marks: Marks,
}

/// A fact: a seed, an extension of the scope, pause, stop, a new configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What kind, in plain ASCII.
    pub kind: String,
    /// What it says, in the words of its kind.
    pub data: Vec<u8>,
}

/// A fact in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// From 1, without gaps.
    pub number: u64,
    /// The node that told it.
    pub node: u16,
    /// The fact.
    pub fact: Fact,
}

/// A URL that waits, with what its turn needs.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingUrl {
    /// The page that named it, over all nodes; 0 for a seed.
    pub page: u64,
    /// Links from a seed.
    pub depth: u32,
    /// The seed it descends from.
    pub seed: u32,
    /// 0 for a page, which counts for the budget of its seed; other numbers are the caller's.
    pub kind: u8,
    /// How promising.
    pub priority: f32,
    /// The canonical URL.
    pub url: String,
    /// Whatever else its turn needs.
    pub context: Vec<u8>,
}

/// Equal by bits: a priority that is no number is itself.
impl Eq for WaitingUrl {}

/// A URL that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The part of its domain.
    pub part: Part,
    /// Its key.
    pub key: UrlKey,
    /// The URL.
    pub url: WaitingUrl,
}

/// A URL that was admitted, once for the whole crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// The part of its domain.
    pub part: Part,
    /// Its key.
    pub key: UrlKey,
    /// The URL.
    pub url: WaitingUrl,
    /// It was finished before and put back.
    pub put_back: bool,
}

/// A group with the order for itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Begun {
    /// The texts kept since the node looked last, in order, its own among them.
    pub kept: Vec<KeptRow>,
    /// For each URL that was asked about, whether it is admitted.
    pub known: Vec<bool>,
    /// For each seed that was asked about, how many URLs count for its budget.
    pub spent: Vec<u64>,
}

/// How many URLs a seed may bring in, over all nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeedBudget {
    /// The seed.
    pub seed: u32,
    /// URLs at most.
    pub urls_max: u64,
}

/// How many pages of a host have met their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedOfHost {
    /// The host's [number](crate::keys::host_number).
    pub host: u32,
    /// Pages that ended, each once however often it was put back.
    pub urls: u64,
}

/// What stands in parts of the web that come to a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// URLs that are no links from anywhere, by part and key.
    pub roots: Vec<Admitted>,
    /// URLs that wait, by part and key.
    pub waiting: Vec<Admitted>,
    /// Hosts of which URLs have met their end, by part and number.
    pub ended: Vec<(Part, EndedOfHost)>,
    /// What was said of the parts when they were given back, by part.
    pub manners: Vec<Manners>,
}

/// What the hosts of a part are owed by whoever asks them next, as a node said that gave the part back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manners {
    /// The part.
    pub part: Part,
    /// From 1: how often that was said of the part. The same number is the same saying.
    pub number: u64,
    /// The node that said it.
    pub node: u16,
    /// How long ago, by the store's clock.
    pub age: Duration,
    /// In the caller's words; empty where there is nothing to say.
    pub data: Vec<u8>,
}

/// A URL's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    /// The part of its domain.
    pub part: Part,
    /// Its key.
    pub key: UrlKey,
    /// How often it was put back before; 0 at first. The ledger counts itself what was put back by
    /// [`Ledger::reopen`](crate::Ledger::reopen).
    pub generation: u16,
    /// The page's number over all nodes.
    pub page: u64,
    /// The page it repeats, if it was dropped for that.
    pub duplicate_of: Option<u64>,
    /// What became of it, in the caller's numbers; 0 for what was no page, which counts for no budget.
    pub outcome: u8,
}

/// What an entry of the kept log does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptOp {
    /// A text is kept from here on.
    Keep,
    /// A text that was kept is not any more.
    Withdraw,
}

/// An entry of the kept log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRow {
    /// Its position, from 1; given by the ledger, 0 before.
    pub position: u64,
    /// What it does.
    pub op: KeptOp,
    /// The page's number over all nodes.
    pub page: u64,
    /// The page whose place it takes.
    pub replaces: Option<u64>,
    /// The text's fingerprint.
    pub fingerprint: u64,
    /// The bands of a short text.
    pub bands: Vec<u32>,
    /// Fingerprint and sketch in full, in the caller's form.
    pub print: Vec<u8>,
    /// The fingerprint of its layout.
    pub layout: u64,
    /// Canonical URL.
    pub url: String,
    /// Published date.
    pub published: Option<String>,
    /// The URL it names as canonical.
    pub canonical: Option<String>,
}

/// The end of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// Who closes.
    pub me: Fence,
    /// URLs that end.
    pub finished: Vec<Finish>,
    /// The position up to which kept texts were in sight when the group was judged.
    pub seen: u64,
    /// The distance within which two fingerprints may be of one text.
    pub radius: u8,
    /// All fingerprints that the kept texts were judged by: of the text, and of the text before
    /// its host's template was cut.
    pub asked: Vec<u64>,
    /// All bands that they were judged by.
    pub asked_bands: Vec<u32>,
    /// Texts that are kept now.
    pub kept: Vec<KeptRow>,
    /// Pages that dropped ones repeat: their verdicts fall if one of these is withdrawn.
    pub cites: Vec<u64>,
    /// Pages among `finished` that count for the crawl's budget.
    pub pages: u32,
    /// How far the node's journal goes with this group.
    pub journal: u64,
}

/// How a group ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// It is committed. Its kept texts have the positions from `first` on.
    Committed {
        /// The position of the first kept text, or of the next one to come.
        first: u64,
    },
    /// One of the texts appended since `seen` may be one of the group's. Here are all of them.
    /// The group is still open and nobody else can append until it is closed again, with the
    /// position of the last of these as `seen`.
    Near(Vec<KeptRow>),
    /// The answer to the commit was lost. The next beat says how far the journal was
    /// acknowledged.
    Unknown,
}

/// What a node says of itself every fifth of a lease, and what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulse {
    /// Who.
    pub me: Fence,
    /// The position of the last kept text that it has.
    pub seen: u64,
    /// For people, and for whoever adds up all nodes.
    pub note: Vec<u8>,
    /// It wants its share of the parts.
    pub wants_parts: bool,
    /// Parts it gives back: nothing of them is in flight.
    pub release: Vec<Part>,
    /// Pages it asks to be granted.
    pub pages: u32,
    /// Granted pages that it gives back: nothing under way counts on them.
    pub unused: u32,
    /// Connections it asks for, by address. 0 gives them back.
    pub addresses: Vec<AddressWish>,
    /// Nodes that it saw silent for a lease and more.
    pub silent: Vec<Silent>,
    /// It leaves for good: all that it has is given back.
    pub leaves: bool,
}

impl Pulse {
    /// A sign of life, and nothing else.
    pub fn of(me: Fence) -> Pulse {
        Pulse {
            me,
            seen: 0,
            note: Vec::new(),
            wants_parts: false,
            release: Vec::new(),
            pages: 0,
            unused: 0,
            addresses: Vec::new(),
            silent: Vec::new(),
            leaves: false,
        }
    }
}

/// Connections to one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressWish {
    /// The address.
    pub address: IpAddr,
    /// How many this node wants.
    pub slots: u16,
    /// How many all nodes together may have.
    pub slots_max: u16,
}

/// A node whose counter stood still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silent {
    /// The node in the epoch that was seen.
    pub fence: Fence,
    /// Its counter as it was seen.
    pub beat: u64,
}

/// The answer to a beat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tidings {
    /// How far the node's journal is acknowledged.
    pub journal: u64,
    /// The parts that it has now.
    pub parts: Vec<Part>,
    /// Those of them that another node waits for.
    pub wanted: Vec<Part>,
    /// Pages granted to it so far; none if the crawl has no such budget.
    pub granted: Option<u64>,
    /// Connections that it has, by address.
    pub slots: Vec<(IpAddr, u16)>,
    /// All nodes, by number.
    pub nodes: Vec<NodePulse>,
}

/// Whether a node takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// It does.
    Live,
    /// It was silent for too long.
    Dead,
    /// It left in order.
    Left,
}

impl NodeState {
    /// Its name in the store.
    pub fn name(self) -> &'static str {
        match self {
            NodeState::Live => "live",
            NodeState::Dead => "dead",
            NodeState::Left => "left",
        }
    }

    /// The state of a name.
    pub fn of(name: &str) -> Option<NodeState> {
        [NodeState::Live, NodeState::Dead, NodeState::Left]
            .into_iter()
            .find(|state| state.name() == name)
    }
}

/// A node as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodePulse {
    /// Number and epoch.
    pub fence: Fence,
    /// Its name.
    pub name: String,
    /// Its counter.
    pub beat: u64,
    /// Whether it takes part.
    pub state: NodeState,
    /// URLs that it admitted.
    pub admitted: u64,
    /// URLs that it finished.
    pub finished: u64,
    /// Pages that count for the budget.
    pub pages: u64,
    /// Texts that it kept.
    pub kept: u64,
    /// The position of the last kept text that it has.
    pub seen: u64,
    /// How far its journal is acknowledged.
    pub journal: u64,
    /// Parts that it has.
    pub parts: u16,
    /// What it says of itself.
    pub note: Vec<u8>,
}

/// The whole crawl at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// All nodes that ever took part, by number.
    pub nodes: Vec<NodePulse>,
    /// Parts that nobody has.
    pub parts_free: u16,
    /// The last kept text's position.
    pub position: u64,
    /// The last fact's number.
    pub facts: u64,
    /// Pages that the crawl may fetch.
    pub pages_max: Option<u64>,
    /// Of these, how many are granted.
    pub granted: u64,
    /// The lease that its nodes go by; none where no node has joined.
    pub ttl: Option<Duration>,
}

impl Overview {
    /// URLs admitted and not finished; exact, since each node counts its own.
    pub fn pending(&self) -> u64 {
        let sum = |count: fn(&NodePulse) -> u64| self.nodes.iter().map(count).sum::<u64>();
        sum(|node| node.admitted).saturating_sub(sum(|node| node.finished))
    }
}
