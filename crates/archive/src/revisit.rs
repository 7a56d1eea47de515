//! Payloads that are in the archive already, so that byte-equal ones are stored once.
//!
//! Two generations of a map: when the young one is full it becomes the old one, and the old one
//! is forgotten. So memory is bounded, and what was met again lately stays.
//!
//! The key is a 128-bit hash with a seed that differs in every process, so a server that would
//! like another page's payload to stand for its own cannot prepare a collision.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::record::BodyRef;

#[derive(Debug)]
pub(crate) struct Payloads {
    young: HashMap<u128, Place>,
    old: HashMap<u128, Place>,
    generation_max: usize,
    seed: u64,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    file: u32,
    len: u32,
    offset: u64,
}

impl Payloads {
    pub(crate) fn new(payloads_max: usize, seed: u64) -> Payloads {
        Payloads {
            young: HashMap::new(),
            old: HashMap::new(),
            generation_max: payloads_max / 2,
            seed,
        }
    }

    pub(crate) fn key(&self, payload: &[u8]) -> u128 {
        xxh3_128_with_seed(payload, self.seed)
    }

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
        let mut payloads = Payloads::new(100, 7);
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
