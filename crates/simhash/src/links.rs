//! Chains of nodes by key: the hash tables behind long keys, bands, texts and numbers.
//!
//! `heads` by the key's hash, and by node the one before and the one after. A node is linked in front, so a chain
//! begins with the newest. Chains are walked for a bounded part, and a node is taken out without a walk: pages of one
//! form, kept by the hundred thousand, share chains.
//!
//! Cost: 8 bytes a node and 2 to 8 for its head, one cache miss for each key and for each node on its chain.

use crate::hash::mix;

/// The end of a chain.
const END: u32 = u32::MAX;
/// So many of the newest entries under one key are looked at. Siblings beyond are found by what they share besides: rarer
/// word pairs, their numbers, their very text.
pub(crate) const CHAIN_MAX: usize = 256;

/// Chains over nodes that somebody numbers from 0.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// The newest node of each chain; their number is a power of two.
    heads: Vec<u32>,
    /// The node linked before, by node.
    next: Vec<u32>,
    /// The node linked after, by node; `END` for the newest.
    newer: Vec<u32>,
}

impl Links {
    pub(crate) fn new() -> Links {
        Links {
            heads: vec![END; 1 << 8],
            next: Vec::new(),
            newer: Vec::new(),
        }
    }

    /// Links a node that is not linked; `key` gives the key of it and of all that are.
    pub(crate) fn link(&mut self, node: u32, key: impl Fn(u32) -> u64) {
        if node as usize >= self.next.len() {
            self.next.resize(node as usize + 1, END);
            self.newer.resize(node as usize + 1, END);
        }
        if self.next.len() > self.heads.len() * 2 {
            self.grow(&key);
        }
        self.put(node, key(node));
    }

    /// Takes a node out that is linked under `key`.
    pub(crate) fn unlink(&mut self, node: u32, key: u64) {
        let (next, newer) = (self.next[node as usize], self.newer[node as usize]);
        match newer {
            END => {
                let place = self.place(key);
                self.heads[place] = next;
            }
            newer => self.next[newer as usize] = next,
        }
        if next != END {
            self.newer[next as usize] = newer;
        }
    }

    /// The newest nodes under `key`, and a few others.
    pub(crate) fn newest(&self, key: u64) -> impl Iterator<Item = u32> + '_ {
        self.chain(self.heads[self.place(key)]).take(CHAIN_MAX)
    }

    fn chain(&self, head: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |node: u32| (node != END).then_some(node);
        std::iter::successors(some(head), move |&node| some(self.next[node as usize]))
    }

    fn place(&self, key: u64) -> usize {
        mix(key) as usize & (self.heads.len() - 1)
    }

    fn put(&mut self, node: u32, key: u64) {
        let place = self.place(key);
        let next = std::mem::replace(&mut self.heads[place], node);
        self.next[node as usize] = next;
        self.newer[node as usize] = END;
        if next != END {
            self.newer[next as usize] = node;
        }
    }

    /// Four times as many chains; the oldest node of each is linked first again.
    fn grow(&mut self, key: impl Fn(u32) -> u64) {
        let linked = self.heads.iter().flat_map(|&head| self.chain(head));
        let linked: Vec<u32> = linked.collect();
        self.heads = vec![END; self.heads.len() * 4];
        for node in linked.into_iter().rev() {
            self.put(node, key(node));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_chain_is_its_nodes_newest_first_whatever_was_taken_out(
            steps in prop::collection::vec((0u32..2_000, any::<bool>()), 0..400),
        ) {
            let key = |node: u32| u64::from(node % 3);
            let (mut links, mut model) = (Links::new(), Vec::new());
            for (node, is_in) in steps {
                if let Some(at) = model.iter().position(|&linked| linked == node) {
                    model.remove(at);
                    links.unlink(node, key(node));
                }
                if is_in {
                    model.push(node);
                    links.link(node, key);
                }
            }
            for asked in 0..3 {
                let found: Vec<u32> = links.newest(asked).filter(|&node| key(node) == asked).collect();
                let newest = model.iter().rev().copied().filter(|&node| key(node) == asked);
                prop_assert_eq!(found, newest.take(CHAIN_MAX).collect::<Vec<u32>>());
            }
        }
    }

    #[test]
    fn of_a_long_chain_the_newest_part_is_walked() {
        let mut links = Links::new();
        for node in 0..5_000 {
            links.link(node, |_| 7);
        }
        let newest: Vec<u32> = links.newest(7).collect();
        assert_eq!(newest, (4_744..5_000).rev().collect::<Vec<u32>>());
        links.unlink(0, 7);
        links.unlink(4_999, 7);
        assert_eq!(links.newest(7).next(), Some(4_998));
    }
}
