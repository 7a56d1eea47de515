//! What keeps a node in the crawl: its signs of life, its looks at what others admitted, and how parts of the
//! web come to it and go, step by step as the crawl's own keeper takes them.
//!
//! ```text
//!  join ─► beat: takes what is free ─► and once more, soon: how the connections to an address are divided
//!            │ too little is free: marks what others have too much of
//!            ▼
//!          their next beat: hears of it ─► gives it back ─► their beat behind that ─► one's own takes it
//! ```
//!
//! Nobody's parts are told apart here: how many each node has is enough.

use super::flow::{FOLLOW_S, PARTS};
use super::plan::Plan;

/// Parts of which what stands in them is asked for by one message, at first and at most, as in the crawl.
const PARTS_AT_FIRST: f64 = 8.0;
const PARTS_AT_ONCE: f64 = 64.0;
/// Messages for a part that comes alone.
const MESSAGES_OF_ONE: f64 = 3.0;
/// The least time between two looks.
const NAP_LEAST_S: f64 = 0.05;

/// What all keepers have sent and received.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Sent {
    /// Signs of life, each with a look at the whole crawl, and farewells, which have none.
    pub(super) beats: f64,
    pub(super) farewells: f64,
    /// Looks at what others admitted.
    pub(super) follows: f64,
    /// Messages that ask what stands in parts that come.
    pub(super) standings: f64,
    /// Nodes of which the answers to signs of life tell.
    pub(super) nodes_told: f64,
    /// Parts that these messages name.
    pub(super) parts_named: f64,
    /// Parts that came when all was done, from nodes that had left: how many URLs of each host have ended comes
    /// with them.
    pub(super) came_late: f64,
}

/// How long things take, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Times {
    /// Between two signs of life.
    pub(super) between_s: f64,
    /// A sign of life.
    pub(super) beats_s: f64,
    /// A message that waits for nothing.
    pub(super) message_s: f64,
}

impl Times {
    pub(super) fn of(plan: &Plan) -> Times {
        Times {
            between_s: plan.crawl.ttl_s / 5.0,
            beats_s: plan.costs.beat_ms / 1_000.0,
            message_s: plan.costs.message_ms / 1_000.0,
        }
    }
}

/// One node's standing.
#[derive(Debug, Clone, Default)]
struct One {
    is_live: bool,
    parts: f64,
    /// Parts that it marked, by whose they are.
    wants: Vec<f64>,
    /// Parts that others have given back for it.
    free_for_it: f64,
    /// Parts that it gives back with its next beat behind that time, and for whom.
    going: Vec<(f64, f64, usize)>,
    /// By how much it divides the connections to an address; what it said; how many live.
    divides_by: Option<u32>,
    told: u32,
    lives: u32,
    due: f64,
    soonest: f64,
}

impl One {
    fn is_moving(&self) -> bool {
        self.divides_by != Some(self.lives) || self.told != self.lives
    }

    fn tell(&mut self) -> u32 {
        self.told = match self.divides_by {
            None => self.lives,
            Some(by) => by.min(self.lives),
        };
        self.told
    }

    fn hear(&mut self, lives: u32, all_fit: bool) {
        self.lives = lives;
        let was_told = self.told > 0 && self.told >= lives && all_fit;
        match self.divides_by {
            Some(by) if by < lives => self.divides_by = Some(lives),
            Some(by) if self.told < by && was_told => self.divides_by = Some(self.told),
            None if was_told => self.divides_by = Some(self.told),
            Some(_) | None => {}
        }
    }
}

/// All keepers.
#[derive(Debug)]
pub(super) struct Keeping {
    nodes: Vec<One>,
    free: f64,
    times: Times,
    /// From the news of a part to the writer's doing about it.
    pace_s: f64,
    pub(super) sent: Sent,
}

impl Keeping {
    pub(super) fn new(count: usize, times: Times, pace_s: f64) -> Keeping {
        let one = One {
            wants: vec![0.0; count],
            ..One::default()
        };
        Keeping {
            nodes: vec![one; count],
            free: PARTS,
            times,
            pace_s,
            sent: Sent::default(),
        }
    }

    pub(super) fn join(&mut self, node: usize, now: f64) {
        self.nodes[node].is_live = true;
        self.nodes[node].due = now;
    }

    /// It says farewell: what it has is free.
    pub(super) fn leave(&mut self, node: usize) {
        self.sent.farewells += 1.0;
        let one = &mut self.nodes[node];
        one.is_live = false;
        self.free += std::mem::take(&mut one.parts) + std::mem::take(&mut one.free_for_it);
        one.wants.fill(0.0);
        one.going.clear();
        for other in &mut self.nodes {
            other.wants[node] = 0.0;
        }
    }

    /// What it does at one time; gives the time of the next, and whether it has beaten.
    pub(super) fn step(&mut self, node: usize, now: f64, is_drained: bool) -> (f64, bool) {
        let mut at = now;
        let one = &self.nodes[node];
        let beats = now >= one.due || now >= one.soonest && one.is_moving();
        if beats {
            self.beat(node, now, is_drained);
            at += self.times.beats_s;
            let one = &mut self.nodes[node];
            one.due = at + self.times.between_s;
            one.soonest = at + FOLLOW_S;
        }
        if self.nodes[node].parts > 0.0 {
            self.sent.follows += 1.0;
            self.sent.parts_named += self.nodes[node].parts;
            at += self.times.message_s;
        }
        let until = self.nodes[node].due.min(at + FOLLOW_S);
        (until.max(at + NAP_LEAST_S), beats)
    }

    fn beat(&mut self, node: usize, now: f64, is_drained: bool) {
        let lives = self.nodes.iter().filter(|one| one.is_live).count() as u32;
        self.sent.beats += 1.0;
        self.sent.nodes_told += self
            .nodes
            .iter()
            .filter(|one| one.told > 0 || one.is_live)
            .count() as f64;
        self.give_back(node, now);
        let before = self.nodes[node].parts;
        self.take(node, f64::from(lives));
        self.want(node, f64::from(lives));
        let came = self.nodes[node].parts - before;
        self.sent.standings += standings(came);
        self.sent.parts_named += self.nodes[node].parts + came;
        self.sent.came_late += if is_drained { came } else { 0.0 };
        // What others have marked is given back once the writer knows.
        for by in 0..self.nodes.len() {
            let wanted = std::mem::take(&mut self.nodes[by].wants[node]);
            if wanted > 0.0 {
                let when = now + self.pace_s + self.times.message_s;
                self.nodes[node].going.push((when, wanted, by));
            }
        }
        self.nodes[node].tell();
        let fits = |(at, one): (usize, &One)| {
            at == node || !one.is_live || one.told == 0 || one.told >= lives
        };
        let all_fit = self.nodes.iter().enumerate().all(fits);
        self.nodes[node].hear(lives, all_fit);
    }

    fn give_back(&mut self, node: usize, now: f64) {
        let going = std::mem::take(&mut self.nodes[node].going);
        for (when, parts, by) in going {
            if when > now {
                self.nodes[node].going.push((when, parts, by));
                continue;
            }
            let parts = parts.min(self.nodes[node].parts);
            self.nodes[node].parts -= parts;
            self.sent.parts_named += parts;
            match self.nodes[by].is_live {
                true => self.nodes[by].free_for_it += parts,
                false => self.free += parts,
            }
        }
    }

    /// Takes free parts up to a fair share: first those that were given back for this node.
    fn take(&mut self, node: usize, lives: f64) {
        let one = &mut self.nodes[node];
        let missing = ((PARTS / lives).ceil() - one.parts).max(0.0);
        let for_it = one.free_for_it.min(missing);
        let for_all = self.free.min(missing - for_it);
        one.free_for_it -= for_it;
        one.parts += for_it + for_all;
        self.free -= for_all;
    }

    /// Marks parts of those that have more than the least share.
    fn want(&mut self, node: usize, lives: f64) {
        let least = (PARTS / lives).floor();
        let one = &mut self.nodes[node];
        if one.parts >= least {
            one.wants.fill(0.0);
            self.free += std::mem::take(&mut one.free_for_it);
        }
        if one.parts + 2.0 > least {
            return;
        }
        let comes = |other: &One| {
            let going = other.going.iter().filter(|(_, _, by)| *by == node);
            going.map(|(_, parts, _)| parts).sum::<f64>()
        };
        let marked: f64 = one.wants.iter().sum::<f64>() + one.free_for_it;
        let marked = marked + self.nodes.iter().map(comes).sum::<f64>();
        let mut missing = (least - self.nodes[node].parts - marked).max(0.0);
        for owner in (0..self.nodes.len()).filter(|&owner| owner != node) {
            let theirs = &self.nodes[owner];
            let by_others: f64 = self.nodes.iter().map(|one| one.wants[owner]).sum();
            let going: f64 = theirs.going.iter().map(|(_, parts, _)| parts).sum();
            let surplus = (theirs.parts - least - by_others - going).max(0.0);
            let marks = surplus.min(missing);
            self.nodes[node].wants[owner] += marks;
            missing -= marks;
        }
    }
}

/// Messages that ask what stands in so many parts, each for twice as many as the one before.
pub(super) fn standings(parts: f64) -> f64 {
    let (mut left, mut at_once, mut messages) = (parts.round(), PARTS_AT_FIRST, 0.0);
    while left > 0.0 {
        messages += if left == 1.0 || at_once == 1.0 {
            MESSAGES_OF_ONE
        } else {
            1.0
        };
        left -= at_once;
        at_once = (2.0 * at_once).min(PARTS_AT_ONCE);
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets so many nodes join with gaps between them; gives what they have then.
    fn joined(count: usize, gap_s: f64) -> Keeping {
        let times = Times {
            between_s: 1.0,
            beats_s: 0.004,
            message_s: 0.002,
        };
        let mut keeping = Keeping::new(count, times, 0.1);
        let mut next: Vec<f64> = (0..count).map(|node| node as f64 * gap_s).collect();
        for (node, &at) in next.clone().iter().enumerate() {
            keeping.nodes[node].due = at;
        }
        loop {
            let node = (0..count).min_by(|a, b| next[*a].total_cmp(&next[*b]));
            let node = node.expect("there are nodes");
            let now = next[node];
            if now > count as f64 * gap_s + 20.0 {
                return keeping;
            }
            if !keeping.nodes[node].is_live {
                keeping.join(node, now);
            }
            next[node] = keeping.step(node, now, false).0;
        }
    }

    #[test]
    fn each_node_comes_to_its_share_however_they_join() {
        for count in [1, 2, 3, 8] {
            for gap_s in [0.0, 0.3, 5.0] {
                let keeping = joined(count, gap_s);
                let parts: f64 = keeping.nodes.iter().map(|one| one.parts).sum();
                assert!((parts - PARTS).abs() < 1e-9, "{count} {gap_s}: {keeping:?}");
                let least = (PARTS / count as f64).floor();
                let has_share = |one: &One| (one.parts - least).abs() <= 1.0;
                assert!(keeping.nodes.iter().all(has_share), "{keeping:?}");
                let divides = |one: &One| one.divides_by == Some(count as u32);
                assert!(keeping.nodes.iter().all(divides), "{keeping:?}");
            }
        }
    }

    #[test]
    fn who_is_there_alone_beats_and_looks_at_even_times() {
        let keeping = joined(1, 0.0);
        // A second each and two messages, after a first one that was followed by another soon.
        assert!((keeping.sent.beats - 22.0).abs() <= 1.0, "{keeping:?}");
        let looks = keeping.sent.follows / keeping.sent.beats;
        assert!((3.5..=4.0).contains(&looks), "{keeping:?}");
        // 8, 16, 32, and the rest of 1,024 by 64.
        assert!((keeping.sent.standings - 19.0).abs() < 1e-9);
    }

    #[test]
    fn the_parts_of_who_leaves_are_with_the_others_at_their_next_beat() {
        let mut keeping = joined(4, 0.1);
        keeping.leave(2);
        for node in [0, 1, 3] {
            keeping.nodes[node].due = 0.0;
            keeping.step(node, 1e3, false);
        }
        let parts: f64 = keeping.nodes.iter().map(|one| one.parts).sum();
        assert!((parts - PARTS).abs() < 1e-9, "{keeping:?}");
        assert!((keeping.sent.farewells - 1.0).abs() < 1e-9);
    }
}
