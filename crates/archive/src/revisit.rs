//! The payloads that are in the archive already, so that byte-equal ones are stored once.
//!
//! They are remembered in a map of two generations. When the young one is full it becomes the old one,
//! and the old one is dropped; an entry that is found again moves into the young one. So memory is
//! bounded, and payloads that were met lately stay.
//!
//! The key is a 128-bit hash whose seed differs from process to process. So nobody can prepare a
//! collision that would make another page's payload stand for theirs.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::record::BodyRef;

/// Where the first copy of each payload is.
#[derive(Debug)]
pub(crate) struct KnownPayloads {
    young: HashMap<u128, Place>,
    old: HashMap<u128, Place>,
    generation_max: usize,
    seed: u64,
}

/// A [`BodyRef`] in 16 bytes.
#[derive(Debug, Clone, Copy)]
struct Place {
    file: u32,
    len: u32,
    offset: u64,
}

impl KnownPayloads {
    pub(crate) fn new(payloads_max: usize, seed: u64) -> KnownPayloads {
        KnownPayloads {
            young: HashMap::new(),
            old: HashMap::new(),
            generation_max: payloads_max / 2,
            seed,
        }
    }

    pub(crate) fn key(&self, payload: &[u8]) -> u128 {
        xxh3_128_with_seed(payload, self.seed)
    }

    /// The record that holds the payload, if it is remembered.
    pub(crate) fn get(&mut self, key: u128) -> Option<BodyRef> {
        let place = match self.young.get(&key) {
            Some(&place) => place,
            None => {
                let place = *self.old.get(&key)?;
                self.put(key, place);
                place
            }
        };
        Some(BodyRef {
            file: place.file,
            offset: place.offset,
            len: u64::from(place.len),
        })
    }

    pub(crate) fn insert(&mut self, key: u128, body: &BodyRef) {
        if let Ok(len) = u32::try_from(body.len) {
            self.put(
                key,
                Place {
                    file: body.file,
                    len,
                    offset: body.offset,
                },
            );
        }
    }

    fn put(&mut self, key: u128, place: Place) {
        if self.generation_max == 0 {
            return;
        }
        if self.young.len() >= self.generation_max {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_recent_payloads_stay() {
        let mut payloads = KnownPayloads::new(100, 7);
        let place = |offset| BodyRef {
            file: 1,
            offset,
            len: 3,
        };
        for at in 0..1000u64 {
            let key = payloads.key(&at.to_le_bytes());
            payloads.insert(key, &place(at));
            assert!(payloads.young.len() + payloads.old.len() <= 100);
            assert_eq!(
                payloads.get(payloads.key(&at.to_le_bytes())),
                Some(place(at))
            );
            let always = payloads.key(&0u64.to_le_bytes());
            assert_eq!(payloads.get(always), Some(place(0)));
        }
        assert_eq!(payloads.get(payloads.key(&1u64.to_le_bytes())), None);
    }
}
