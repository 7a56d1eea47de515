//! Maps over numbers that are hashes already.
//!
//! The standard map hashes its keys against chosen collisions. Ours are hashes of page text,
//! mixed once more here with an odd constant; a page that collides with itself on purpose slows
//! only its own reading, and its number of runs is bounded.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map from hashes.
pub(crate) type Map<V> = HashMap<u64, V, BuildHasherDefault<Mix>>;
/// A set of hashes.
pub(crate) type Set = HashSet<u64, BuildHasherDefault<Mix>>;

/// Mixes one number.
#[derive(Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
