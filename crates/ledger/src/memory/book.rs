//! What a ledger in memory holds.

use std::collections::{BTreeMap, HashSet};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::bounds::{NODE_MAX, PART_COUNT};
use crate::keys::{Fence, Part, UrlKey};
use crate::ledger::LedgerError;
use crate::memory::Group;
use crate::messages::{
    Admitted, Closed, Closing, Finish, KeptRow, NodeCard, NodePulse, NodeState, Offer, Overview,
    Told, WaitingUrl,
};

#[derive(Debug)]
pub(super) struct Book {
    /// Scheme and configuration, as the first node brought them.
    pub(super) terms: Option<(String, Vec<u8>)>,
    pub(super) facts: Vec<Told>,
    pub(super) nodes: BTreeMap<u16, NodeRow>,
    pub(super) parts: Vec<PartRow>,
    pub(super) admitted: BTreeMap<(Part, UrlKey), AdmittedRow>,
    pub(super) finished: BTreeMap<(Part, UrlKey, u16), Finish>,
    /// How often a URL was put back, and the context that it has since.
    pub(super) reopened: BTreeMap<(Part, UrlKey), (u16, Vec<u8>)>,
    pub(super) kept: Vec<KeptRow>,
    /// What hosts of parts are owed: who said it, when, how often it was said, and what.
    pub(super) manners: BTreeMap<Part, (u16, Instant, u64, Vec<u8>)>,
    /// URLs that count for the budget of their seed.
    pub(super) spent: BTreeMap<u32, u64>,
    pub(super) addresses: BTreeMap<(IpAddr, u16), u16>,
    pub(super) pages_max: Option<u64>,
    pub(super) ttl: Option<Duration>,
    pub(super) granted: u64,
    pub(super) next_transaction: u64,
    pub(super) group_open: bool,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PartRow {
    pub(super) node: Option<u16>,
    pub(super) wanted_by: Option<u16>,
}

#[derive(Debug)]
pub(super) struct AdmittedRow {
    /// The transaction, if the part was not the admitting node's own.
    pub(super) transaction: Option<u64>,
    pub(super) url: WaitingUrl,
}

#[derive(Debug)]
pub(super) struct NodeRow {
    pub(super) name: String,
    pub(super) epoch: u64,
    pub(super) beat: u64,
    pub(super) state: NodeState,
    pub(super) admitted: u64,
    pub(super) finished: u64,
    pub(super) pages: u64,
    pub(super) kept: u64,
    pub(super) granted: u64,
    pub(super) seen: u64,
    pub(super) journal: u64,
    pub(super) note: Vec<u8>,
}

impl NodeRow {
    pub(super) fn new(name: &str) -> NodeRow {
        NodeRow {
            name: name.to_owned(),
            epoch: 0,
            beat: 0,
            state: NodeState::Live,
            admitted: 0,
            finished: 0,
            pages: 0,
            kept: 0,
            granted: 0,
            seen: 0,
            journal: 0,
            note: Vec::new(),
        }
    }
}

impl Book {
    pub(super) fn new(pages_max: Option<u64>) -> Book {
        Book {
            terms: None,
            facts: Vec::new(),
            nodes: BTreeMap::new(),
            parts: vec![PartRow::default(); PART_COUNT.into()],
            admitted: BTreeMap::new(),
            finished: BTreeMap::new(),
            reopened: BTreeMap::new(),
            kept: Vec::new(),
            manners: BTreeMap::new(),
            spent: BTreeMap::new(),
            addresses: BTreeMap::new(),
            pages_max,
            ttl: None,
            granted: 0,
            next_transaction: 1,
            group_open: false,
        }
    }

    /// Agrees on what a node that has joined says of lease and budget: gives the lease, and the budget before.
    pub(super) fn agree(&mut self, number: u16, card: &NodeCard) -> (Duration, Option<u64>) {
        let is_other =
            |(&other, node): (&u16, &NodeRow)| other != number && node.state == NodeState::Live;
        let is_alone = !self.nodes.iter().any(is_other);
        let ttl = self.ttl.filter(|_| !is_alone).unwrap_or(card.ttl);
        self.ttl = Some(ttl);
        let before = self.pages_max;
        self.pages_max = before.map(|pages| pages.max(card.pages_max.unwrap_or(0)));
        (ttl, before)
    }

    /// How many URLs count for the budget of a seed.
    pub(super) fn spent_of(&self, seed: u32) -> u64 {
        self.spent.get(&seed).copied().unwrap_or(0)
    }

    /// The number of a node with this name, or the next one; none if all are taken.
    pub(super) fn number_of(&self, name: &str) -> Option<u16> {
        let known = self.nodes.iter().find(|(_, node)| node.name == name);
        let next = self.nodes.keys().last().copied().unwrap_or(0) + 1;
        match known {
            Some((&number, _)) => Some(number),
            None => (next <= NODE_MAX).then_some(next),
        }
    }

    /// Whether a node may still write.
    pub(super) fn check(&self, me: Fence) -> Result<(), LedgerError> {
        let node = self.nodes.get(&me.node);
        match node.is_some_and(|node| node.epoch == me.epoch && node.state == NodeState::Live) {
            true => Ok(()),
            false => Err(LedgerError::Fenced),
        }
    }

    pub(super) fn parts_of(&self, node: u16) -> Vec<Part> {
        self.parts_where(|part| part.node == Some(node))
    }

    pub(super) fn parts_where(&self, is_one: impl Fn(&PartRow) -> bool) -> Vec<Part> {
        (0..PART_COUNT)
            .filter(|&number| is_one(&self.parts[usize::from(number)]))
            .filter_map(Part::new)
            .collect()
    }

    /// The number of a URL's next end.
    pub(super) fn generation(&self, part: Part, key: UrlKey) -> u16 {
        self.reopened.get(&(part, key)).map_or(0, |back| back.0)
    }

    /// A URL as it was admitted.
    pub(super) fn admitted((part, key): (Part, UrlKey), row: &AdmittedRow) -> Admitted {
        Admitted {
            part,
            key,
            url: row.url.clone(),
            put_back: false,
        }
    }

    /// A URL as it waits now.
    pub(super) fn waiting(&self, key: (Part, UrlKey), row: &AdmittedRow) -> Admitted {
        let mut url = Book::admitted(key, row);
        if let Some((_, context)) = self.reopened.get(&key) {
            url.put_back = true;
            url.url.context.clone_from(context);
        }
        url
    }

    /// Writes a group that nothing stands in the way of.
    pub(super) fn commit(
        &mut self,
        closing: &Closing,
        Group {
            added,
            reopened,
            spent,
        }: Group,
        position: u64,
    ) -> Result<Closed, LedgerError> {
        let mut here = HashSet::new();
        let back = |finish: &Finish| {
            let is_it = |offer: &&Offer| (offer.part, offer.key) == (finish.part, finish.key);
            reopened.iter().filter(is_it).count() as u16
        };
        let mut ends = Vec::new();
        for finish in &closing.finished {
            let generation = self.generation(finish.part, finish.key) + back(finish);
            let generation = generation.max(finish.generation);
            let key = (finish.part, finish.key, generation);
            ends.push((key, finish));
            if self.finished.contains_key(&key) || !here.insert(key) {
                return Err(LedgerError::FinishedTwice);
            }
        }
        let limited = self.pages_max.is_some();
        let number = closing.me.node;
        let node = self.nodes.get_mut(&number).expect("the fence was checked");
        if closing.journal <= node.journal {
            return Err(LedgerError::StaleJournal);
        }
        if limited && node.pages + u64::from(closing.pages) > node.granted {
            return Err(LedgerError::NotGranted);
        }
        node.admitted += (added.len() + reopened.len()) as u64;
        node.finished += closing.finished.len() as u64;
        node.pages += u64::from(closing.pages);
        node.kept += closing.kept.len() as u64;
        node.journal = closing.journal;
        node.seen = position + closing.kept.len() as u64;
        let transaction = self.next_transaction;
        self.next_transaction += 1;
        for (seed, urls) in spent {
            *self.spent.entry(seed).or_default() += urls;
        }
        for offer in added {
            let owner = self.parts[usize::from(offer.part.number())].node;
            let row = AdmittedRow {
                transaction: (owner != Some(number)).then_some(transaction),
                url: offer.url,
            };
            self.admitted.insert((offer.part, offer.key), row);
        }
        for offer in reopened {
            let back = self.reopened.entry((offer.part, offer.key)).or_default();
            *back = (back.0 + 1, offer.url.context);
        }
        for (key, finish) in ends {
            self.finished.insert(key, finish.clone());
        }
        for row in &closing.kept {
            let position = self.kept.len() as u64 + 1;
            self.kept.push(KeptRow {
                position,
                ..row.clone()
            });
        }
        Ok(Closed::Committed {
            first: position + 1,
        })
    }

    pub(super) fn overview(&self) -> Overview {
        Overview {
            nodes: self.pulses(),
            parts_free: self.parts_where(|part| part.node.is_none()).len() as u16,
            position: self.kept.len() as u64,
            facts: self.facts.len() as u64,
            pages_max: self.pages_max,
            granted: self.granted,
            ttl: self.ttl,
        }
    }

    pub(super) fn pulses(&self) -> Vec<NodePulse> {
        let pulse = |(&number, node): (&u16, &NodeRow)| NodePulse {
            fence: Fence {
                node: number,
                epoch: node.epoch,
            },
            name: node.name.clone(),
            beat: node.beat,
            state: node.state,
            admitted: node.admitted,
            finished: node.finished,
            pages: node.pages,
            kept: node.kept,
            seen: node.seen,
            journal: node.journal,
            parts: self.parts_of(number).len() as u16,
            note: node.note.clone(),
        };
        self.nodes.iter().map(pulse).collect()
    }
}
