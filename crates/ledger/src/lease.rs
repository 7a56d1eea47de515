//! Who is alive, without comparing clocks.
//!
//! A node raises its counter in the ledger every fifth of a lease. Everyone sees everyone's
//! counters and notes, by a monotonic clock of their own, when each moved last. One that stood
//! still for a lease and a fifth is taken for dead. The node itself asks nothing new from four
//! fifths of a lease after it *sent* its last answered beat, and closes its sockets at the end of
//! it. So it has stopped before others begin, whatever anybody's wall clock says.
//!
//! ```text
//! sent    answered                      4/5       1             1 1/5
//!  ├────────┼────────────────────────────┼─────────┼──────────────┤
//!  the node's own lease                  no more   sockets        others may
//!                                        requests  closed         take over
//! ```
//!
//! Time is an argument: a duration since any moment of the caller's monotonic clock.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::messages::{NodePulse, NodeState, Silent};

/// A node's own lease.
#[derive(Debug, Clone)]
pub struct Lease {
    ttl: Duration,
    sent: Option<Duration>,
}

impl Lease {
    /// No lease yet.
    pub fn new(ttl: Duration) -> Lease {
        Lease { ttl, sent: None }
    }

    /// A beat was answered that was sent then.
    pub fn renewed(&mut self, sent: Duration) {
        self.sent = self.sent.max(Some(sent));
    }

    /// Requests may begin.
    pub fn may_begin(&self, now: Duration) -> bool {
        self.is_within(now, self.ttl - self.ttl / 5)
    }

    /// Requests that began may go on; if not, their sockets are closed.
    pub fn may_go_on(&self, now: Duration) -> bool {
        self.is_within(now, self.ttl)
    }

    fn is_within(&self, now: Duration, time: Duration) -> bool {
        self.sent.is_some_and(|sent| now < sent + time)
    }

    /// When the next beat is due.
    pub fn beats_every(&self) -> Duration {
        self.ttl / 5
    }
}

/// Other nodes' counters.
#[derive(Debug, Clone)]
pub struct Watch {
    ttl: Duration,
    /// Epoch and beat of each node, and when they moved last.
    seen: BTreeMap<u16, (u64, u64, Duration)>,
    looked: Option<Duration>,
}

impl Watch {
    /// Nothing was seen yet.
    pub fn new(ttl: Duration) -> Watch {
        Watch {
            ttl,
            seen: BTreeMap::new(),
            looked: None,
        }
    }

    /// Takes in what a beat brought; gives the nodes that were silent for too long. After a gap
    /// in its own beats the watch begins anew: when the store was away, nobody could beat.
    pub fn look(&mut self, now: Duration, me: u16, nodes: &[NodePulse]) -> Vec<Silent> {
        let gap = self
            .looked
            .is_none_or(|last| now > last + 2 * (self.ttl / 5));
        self.looked = Some(now);
        if gap {
            self.seen.clear();
        }
        let mut silent = Vec::new();
        for node in nodes.iter().filter(|node| node.fence.node != me) {
            if node.state != NodeState::Live {
                self.seen.remove(&node.fence.node);
                continue;
            }
            let moved = (node.fence.epoch, node.beat, now);
            let seen = self.seen.entry(node.fence.node).or_insert(moved);
            if (seen.0, seen.1) != (moved.0, moved.1) {
                *seen = moved;
            } else if now >= seen.2 + self.ttl + self.ttl / 5 {
                silent.push(Silent {
                    fence: node.fence,
                    beat: node.beat,
                });
            }
        }
        silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Fence;

    const TTL: Duration = Duration::from_secs(15);

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn node(number: u16, beat: u64) -> NodePulse {
        NodePulse {
            fence: Fence {
                node: number,
                epoch: 1,
            },
            name: format!("n{number}"),
            beat,
            state: NodeState::Live,
            admitted: 0,
            finished: 0,
            pages: 0,
            kept: 0,
            seen: 0,
            journal: 0,
            parts: 0,
            note: Vec::new(),
        }
    }

    #[test]
    fn a_node_stops_before_others_may_begin() {
        let mut lease = Lease::new(TTL);
        assert!(!lease.may_begin(seconds(0)));
        lease.renewed(seconds(100));
        assert!(lease.may_begin(seconds(111)));
        assert!(!lease.may_begin(seconds(112)));
        assert!(lease.may_go_on(seconds(114)));
        assert!(!lease.may_go_on(seconds(115)));
        // An older answer that comes late does not shorten it.
        lease.renewed(seconds(90));
        assert!(lease.may_begin(seconds(111)));
    }

    #[test]
    fn a_counter_that_stood_still_for_a_lease_and_a_fifth_is_silent() {
        let mut watch = Watch::new(TTL);
        let mut silent = Vec::new();
        for now in (0..=18).step_by(3) {
            silent = watch.look(seconds(now), 1, &[node(1, 7), node(2, 7), node(3, now)]);
            assert!(now == 18 || silent.is_empty(), "at {now} s");
        }
        let two = Silent {
            fence: node(2, 7).fence,
            beat: 7,
        };
        assert_eq!(silent, [two]);
    }

    #[test]
    fn after_a_gap_of_ones_own_nobody_is_silent() {
        let mut watch = Watch::new(TTL);
        watch.look(seconds(0), 1, &[node(2, 7)]);
        assert!(watch.look(seconds(60), 1, &[node(2, 7)]).is_empty());
        for now in (63..78).step_by(3) {
            assert!(watch.look(seconds(now), 1, &[node(2, 7)]).is_empty());
        }
        assert_eq!(watch.look(seconds(78), 1, &[node(2, 7)]).len(), 1);
    }

    #[test]
    fn others_can_begin_only_after_the_node_itself_has_stopped() {
        // The last beat is sent at 0 and seen no earlier than it was sent.
        for seen in 0..3 {
            let mut lease = Lease::new(TTL);
            lease.renewed(seconds(0));
            let mut watch = Watch::new(TTL);
            let first = (0..60)
                .filter(|now| now % 3 == seen)
                .find(|&now| !watch.look(seconds(now), 1, &[node(2, 7)]).is_empty());
            let first = first.expect("a node that is silent for ever is found");
            assert!(!lease.may_go_on(seconds(first)));
        }
    }
}
