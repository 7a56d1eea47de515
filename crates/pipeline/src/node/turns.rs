//! Which node's links go first in a crawl with a topic.
//!
//! One machine takes the best of all links that it knows. Nodes have hosts of their own, and each would
//! spend its share of the pages on them, whatever the others have. So each tells with its signs of life what
//! its next page promises, and one whose next page promises much less than another's waits, by the law by
//! which a host waits for a better one on one machine (`frontier`'s schedule): for `topic.patience`, then one
//! link goes all the same. Pages that were granted to it go back, but for a few.
//!
//! What was told is as old as a sign of life. Nobody waits for a node that may be gone, or that asks for
//! nothing: it has no pages left, is paused, or ends.

use std::collections::BTreeMap;
use std::time::Duration;

use ledger::{NodePulse, NodeState};

use crate::node::note::NodeNote;

/// Pages asked for at once, and fewer than these are left when more are asked for.
const PAGES_ASKED: u32 = 64;
const PAGES_LEFT: u64 = 48;

/// The same of a node that lets others go first, for whom the rest is.
const FEW_PAGES_ASKED: u32 = 4;
const FEW_PAGES_LEFT: u64 = 2;

/// Others hear before the next regular sign of life of a next page that promises so much more or less than
/// they know, once so many pages were read since.
const PROMISE_MOVES: f32 = 0.1;
const PAGES_BETWEEN_PROMISES: u64 = 8;

/// What the next page promises here and on other nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns {
    next: Option<f32>,
    gives_way: bool,
    /// What was told of it last, and how many pages were read by then.
    told: (Option<f32>, u64),
    others: BTreeMap<u16, Other>,
}

/// What another node has told.
#[derive(Debug, Clone, Copy)]
struct Other {
    /// Its counter, and since when that stands still.
    beat: u64,
    since: Duration,
    next: Option<f32>,
}

impl Turns {
    /// What the next page promises here, and whether even that waits for other nodes.
    pub(crate) fn show(&mut self, next: Option<f32>, gives_way: bool) {
        (self.next, self.gives_way) = (next, gives_way);
    }

    /// Whether others go first.
    pub(crate) fn gives_way(&self) -> bool {
        self.gives_way
    }

    /// What the sign of life says after so many pages.
    pub(crate) fn tell(&mut self, pages: u64) -> Option<f32> {
        self.told = (self.next, pages);
        self.next
    }

    /// Takes in what the other nodes say.
    pub(crate) fn hear(&mut self, me: u16, now: Duration, nodes: &[NodePulse]) {
        let others = nodes.iter().filter(|node| node.state == NodeState::Live);
        let others = others.filter(|node| node.fence.node != me);
        self.others = others
            .map(|node| {
                let before = self.others.get(&node.fence.node);
                let still = before.filter(|before| before.beat == node.beat);
                let other = Other {
                    beat: node.beat,
                    since: still.map_or(now, |before| before.since),
                    next: NodeNote::read(&node.note).next,
                };
                (node.fence.node, other)
            })
            .collect();
    }

    /// What the best next page of the others promises; a node counts that was heard of within half a lease.
    pub(crate) fn elsewhere(&self, now: Duration, ttl: Duration) -> Option<f32> {
        let others = self.others.values();
        let fresh = others.filter(|other| now.saturating_sub(other.since) < ttl / 2);
        fresh.filter_map(|other| other.next).max_by(f32::total_cmp)
    }

    /// Pages asked for at once, and fewer than how many are left when more are asked for.
    pub(crate) fn stock(&self) -> (u32, u64) {
        match self.gives_way {
            true => (FEW_PAGES_ASKED, FEW_PAGES_LEFT),
            false => (PAGES_ASKED, PAGES_LEFT),
        }
    }

    /// Granted pages that a node keeps while others go first.
    pub(crate) fn kept(&self) -> u64 {
        u64::from(FEW_PAGES_ASKED) + FEW_PAGES_LEFT
    }

    /// Whether the others should hear before the next regular sign of life.
    pub(crate) fn is_news(&self, pages: u64) -> bool {
        let (told, at) = self.told;
        let moved = (told.unwrap_or(0.0) - self.next.unwrap_or(0.0)).abs();
        moved > PROMISE_MOVES && pages >= at + PAGES_BETWEEN_PROMISES
    }
}

#[cfg(test)]
mod tests {
    use ledger::Fence;

    use super::*;

    const TTL: Duration = Duration::from_secs(10);

    fn pulse(node: u16, beat: u64, state: NodeState, next: Option<f32>) -> NodePulse {
        let note = NodeNote {
            next,
            ..NodeNote::default()
        };
        NodePulse {
            fence: Fence { node, epoch: 1 },
            name: format!("node-{node}"),
            beat,
            state,
            admitted: 0,
            finished: 0,
            pages: 0,
            kept: 0,
            seen: 0,
            journal: 0,
            parts: 0,
            note: note.to_bytes(),
        }
    }

    #[test]
    fn the_best_promise_of_the_others_counts_while_they_are_heard_of() {
        let mut turns = Turns::default();
        assert_eq!(turns.elsewhere(Duration::ZERO, TTL), None);
        let nodes = |beat| {
            [
                pulse(1, beat, NodeState::Live, Some(0.9)),
                pulse(2, 7, NodeState::Live, Some(0.6)),
                pulse(3, beat, NodeState::Live, Some(0.4)),
                pulse(4, beat, NodeState::Left, Some(0.8)),
                pulse(5, beat, NodeState::Live, None),
            ]
        };
        let at = Duration::from_secs;
        // Node 1 itself, one that has left and one that asks for nothing do not count.
        turns.hear(1, at(1), &nodes(1));
        assert_eq!(turns.elsewhere(at(1), TTL), Some(0.6));
        // Node 2 is not heard of any more.
        turns.hear(1, at(4), &nodes(2));
        assert_eq!(turns.elsewhere(at(4), TTL), Some(0.6));
        turns.hear(1, at(6), &nodes(3));
        assert_eq!(turns.elsewhere(at(6), TTL), Some(0.4));
        assert_eq!(turns.elsewhere(at(11), TTL), None);
    }

    #[test]
    fn a_promise_that_moved_is_told_early_and_not_with_each_page() {
        let mut turns = Turns::default();
        turns.show(Some(0.5), false);
        assert!(!turns.is_news(0) && turns.is_news(PAGES_BETWEEN_PROMISES));
        assert_eq!(turns.tell(10), Some(0.5));
        turns.show(Some(0.45), false);
        assert!(!turns.is_news(100));
        turns.show(None, true);
        assert!(!turns.is_news(17) && turns.is_news(18));
        assert!(turns.stock().0 < PAGES_ASKED && turns.stock().1 < PAGES_LEFT);
    }
}
