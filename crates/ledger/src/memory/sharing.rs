//! A beat in memory: what is silent is retired, what is asked for is shared out.

use crate::bounds::{GRANT_MAX, PART_COUNT};
use crate::keys::Part;
use crate::memory::book::Book;
use crate::messages::{AddressWish, NodeState, Pulse, Tidings};

impl Book {
    pub(super) fn beat(&mut self, pulse: &Pulse) -> Tidings {
        let me = pulse.me.node;
        let node = self.nodes.get_mut(&me).expect("the fence was checked");
        node.beat += 1;
        node.seen = node.seen.max(pulse.seen);
        node.note = pulse.note.clone();
        for silent in &pulse.silent {
            let other = self.nodes.get(&silent.fence.node);
            let is_silent = other.is_some_and(|other| {
                other.epoch == silent.fence.epoch
                    && other.beat == silent.beat
                    && other.state == NodeState::Live
            });
            if is_silent && silent.fence.node != me {
                self.retire(silent.fence.node, NodeState::Dead);
            }
        }
        if pulse.leaves {
            self.retire(me, NodeState::Left);
        } else {
            for part in &pulse.release {
                let row = &mut self.parts[usize::from(part.number())];
                row.node = row.node.filter(|&node| node != me);
            }
            if pulse.wants_parts {
                self.take_parts(me);
                self.want_parts(me);
            } else {
                self.unmark(me);
            }
            self.grant(me, pulse.pages);
            self.give_back(me, pulse.unused);
            for wish in &pulse.addresses {
                self.share_address(me, wish);
            }
        }
        self.tidings(me)
    }

    fn tidings(&self, me: u16) -> Tidings {
        let node = &self.nodes[&me];
        Tidings {
            journal: node.journal,
            parts: self.parts_of(me),
            wanted: self.parts_where(|part| part.node == Some(me) && part.wanted_by.is_some()),
            granted: self.pages_max.map(|_| node.granted),
            slots: (self.addresses.iter())
                .filter(|((_, owner), _)| *owner == me)
                .map(|(&(address, _), &slots)| (address, slots))
                .collect(),
            nodes: self.pulses(),
        }
    }

    /// All that a node has is given back.
    fn retire(&mut self, number: u16, state: NodeState) {
        let node = self.nodes.get_mut(&number).expect("a node that takes part");
        if self.pages_max.is_some() {
            self.granted -= node.granted - node.pages;
        }
        node.granted = node.pages;
        node.state = state;
        node.epoch += 1;
        for part in &mut self.parts {
            if part.node == Some(number) {
                (part.node, part.wanted_by) = (None, None);
            }
            part.wanted_by = part.wanted_by.filter(|&by| by != number);
        }
        self.addresses.retain(|(_, owner), _| *owner != number);
    }

    fn live(&self) -> usize {
        let live = |node: &&super::NodeRow| node.state == NodeState::Live;
        self.nodes.values().filter(live).count()
    }

    /// What a node that wants no more parts once asked for is for others.
    fn unmark(&mut self, me: u16) {
        for row in &mut self.parts {
            if row.wanted_by == Some(me) {
                row.wanted_by = None;
            }
        }
    }

    /// Takes free parts up to a fair share: first those that were given back for this node.
    fn take_parts(&mut self, me: u16) {
        let share = usize::from(PART_COUNT).div_ceil(self.live());
        let missing = share.saturating_sub(self.parts_of(me).len());
        let for_me = self.parts_where(|part| part.node.is_none() && part.wanted_by == Some(me));
        let for_all = self.parts_where(|part| part.node.is_none() && part.wanted_by.is_none());
        for part in for_me.into_iter().chain(for_all).take(missing) {
            let row = &mut self.parts[usize::from(part.number())];
            (row.node, row.wanted_by) = (Some(me), None);
        }
    }

    /// Marks parts of those that have more than the least share.
    fn want_parts(&mut self, me: u16) {
        let least = usize::from(PART_COUNT) / self.live();
        let mine = self.parts_of(me).len();
        if mine >= least {
            // What it waited for beyond its share is for others: there are more nodes by now.
            for part in &mut self.parts {
                part.wanted_by = part.wanted_by.filter(|&by| by != me);
            }
        }
        if mine + 2 > least {
            return;
        }
        let wanted = self.parts_where(|part| part.wanted_by == Some(me)).len();
        let mut spare: Vec<Part> = Vec::new();
        for &owner in self.nodes.keys().filter(|&&owner| owner != me) {
            let parts = self.parts_of(owner);
            let surplus = parts.len().saturating_sub(least);
            spare.extend(&parts[parts.len() - surplus..]);
        }
        spare.sort();
        spare.retain(|part| self.parts[usize::from(part.number())].wanted_by.is_none());
        for part in spare.into_iter().take(least.saturating_sub(mine + wanted)) {
            self.parts[usize::from(part.number())].wanted_by = Some(me);
        }
    }

    fn grant(&mut self, me: u16, pages: u32) {
        let Some(pages_max) = self.pages_max else {
            return;
        };
        let more = u64::from(pages.min(GRANT_MAX)).min(pages_max - self.granted);
        self.granted += more;
        let node = self.nodes.get_mut(&me).expect("the fence was checked");
        node.granted += more;
    }

    fn give_back(&mut self, me: u16, pages: u32) {
        if self.pages_max.is_none() {
            return;
        }
        let node = self.nodes.get_mut(&me).expect("the fence was checked");
        let less = u64::from(pages).min(node.granted - node.pages);
        node.granted -= less;
        self.granted -= less;
    }

    fn share_address(&mut self, me: u16, wish: &AddressWish) {
        let others: u16 = (self.addresses.iter())
            .filter(|((address, owner), _)| *address == wish.address && *owner != me)
            .map(|(_, slots)| slots)
            .sum();
        let mine = wish.slots.min(wish.slots_max.saturating_sub(others));
        match mine {
            0 => self.addresses.remove(&(wish.address, me)),
            mine => self.addresses.insert((wish.address, me), mine),
        };
    }
}
