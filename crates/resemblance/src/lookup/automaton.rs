//! Look-up by automata: the list is a minimal automaton over its bytes, and it is intersected with a
//! second automaton that counts the bits in which a path differs from the query.
//!
//! A path that differs in too many bits is left at once. So a common prefix is compared once for all
//! fingerprints that share it. This needs no choice of blocks and works for any distance.

use std::cell::Cell;

use fst::{IntoStreamer, Set, Streamer};

use super::NearSearch;

/// The list's automaton.
pub struct Automaton {
    set: Set<Vec<u8>>,
    distance: u32,
}

impl Automaton {
    pub fn new(mut list: Vec<u64>, distance: u8) -> Automaton {
        list.sort_unstable();
        let keys = list.iter().map(|fingerprint| fingerprint.to_be_bytes());
        Automaton {
            set: Set::from_iter(keys).expect("the keys are sorted"),
            distance: u32::from(distance),
        }
    }
}

impl NearSearch for Automaton {
    fn near(&self, query: u64) -> (Vec<u64>, u64) {
        let walked = Cell::new(0);
        let within = Within {
            query: query.to_be_bytes(),
            distance: self.distance,
            walked: &walked,
        };
        let mut found = self.set.search(within).into_stream();
        let mut near = Vec::new();
        while let Some(key) = found.next() {
            let bytes = key.try_into().expect("every key has eight bytes");
            near.push(u64::from_be_bytes(bytes));
        }
        (near, walked.get())
    }
}

/// Accepts eight bytes within `distance` bits of the query's.
struct Within<'w> {
    query: [u8; 8],
    distance: u32,
    walked: &'w Cell<u64>,
}

/// The bytes read, and the bits in which they differ.
#[derive(Clone, Copy)]
struct State {
    read: usize,
    differ: u32,
}

impl fst::Automaton for Within<'_> {
    type State = State;

    fn start(&self) -> State {
        State { read: 0, differ: 0 }
    }

    fn is_match(&self, state: &State) -> bool {
        state.read == 8 && state.differ <= self.distance
    }

    fn can_match(&self, state: &State) -> bool {
        state.differ <= self.distance
    }

    fn accept(&self, state: &State, byte: u8) -> State {
        self.walked.set(self.walked.get() + 1);
        let differ = self.query.get(state.read).map_or(0, |query| query ^ byte);
        State {
            read: state.read + 1,
            differ: state.differ + differ.count_ones(),
        }
    }
}
