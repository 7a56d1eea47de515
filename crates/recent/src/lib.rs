//! Tables with a bound, that forget what was not used for longest.
//!
//! A table that learns while a crawl runs must not grow without end, and one that is full must not
//! stop learning. [`RecentMap`] and [`RecentSet`] have two generations. What is used is in the young
//! one. When that has half of the entries that the table may have, it becomes the old one, and what
//! was in the old one is forgotten. So the last half of the entries used is always there, and up to as
//! many more; an entry costs nothing beside itself.
//!
//! Only [`RecentMap::entry`] and [`RecentSet::insert`] use an entry: a lookup changes nothing. So what is
//! forgotten follows from the order of the changes alone, and a replay forgets the same.
//!
//! ```
//! let mut table = recent::RecentMap::with_max(4);
//! for key in 0..6 {
//!     *table.entry(key, |_, _| {}) += key;
//!     table.entry(0, |_, _| {});
//! }
//! assert_eq!((table.get(&0), table.get(&1), table.get(&5)), (Some(&0), None, Some(&5)));
//! ```

use std::hash::Hash;

use hashbrown::{Equivalent, HashMap};
use serde::de::{Deserialize, Deserializer};
use serde::{Serialize, Serializer};

type Generation<K, V> = HashMap<K, V>;

/// A map of at most so many entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentMap<K: Hash + Eq, V> {
    max: usize,
    young: Generation<K, V>,
    old: Generation<K, V>,
    forgot: bool,
}

impl<K: Hash + Eq, V: Default> RecentMap<K, V> {
    /// An empty map of at most `max` entries, two at least.
    pub fn with_max(max: usize) -> Self {
        Self {
            max: max.max(2),
            young: Generation::default(),
            old: Generation::default(),
            forgot: false,
        }
    }

    /// The value of a key.
    pub fn get<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<&V> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    /// The value of a key, to be changed. That alone is no use.
    pub fn get_mut<Q: Hash + Equivalent<K> + ?Sized>(&mut self, key: &Q) -> Option<&mut V> {
        match self.young.get_mut(key) {
            Some(value) => Some(value),
            None => self.old.get_mut(key),
        }
    }

    /// Whether a key has a value.
    pub fn contains_key<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> bool {
        self.get(key).is_some()
    }

    /// The value of a key that is used: a new one where there was none. `forgotten` is told of each
    /// entry that leaves for it.
    pub fn entry(&mut self, key: K, mut forgotten: impl FnMut(K, V)) -> &mut V {
        if !self.young.contains_key(&key) {
            let known = self.old.remove(&key);
            if self.young.len() >= self.max / 2 {
                self.forgot |= !self.old.is_empty();
                let gone = std::mem::take(&mut self.old);
                self.old = std::mem::take(&mut self.young);
                gone.into_iter()
                    .for_each(|(key, value)| forgotten(key, value));
            }
            return self.young.entry(key).or_insert(known.unwrap_or_default());
        }
        self.young.entry(key).or_default()
    }

    /// Takes an entry out.
    pub fn remove<Q: Hash + Equivalent<K> + ?Sized>(&mut self, key: &Q) -> Option<V> {
        let known = self.young.remove(key);
        known.or_else(|| self.old.remove(key))
    }

    /// All entries, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.young.iter().chain(&self.old)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an entry was ever forgotten: what is not here may have been.
    pub fn forgot(&self) -> bool {
        self.forgot
    }
}

/// A set of at most so many keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentSet<K: Hash + Eq>(RecentMap<K, ()>);

impl<K: Hash + Eq> RecentSet<K> {
    /// An empty set of at most `max` keys, two at least.
    pub fn with_max(max: usize) -> Self {
        Self(RecentMap::with_max(max))
    }

    /// Whether a key is there.
    pub fn contains(&self, key: &K) -> bool {
        self.0.contains_key(key)
    }

    /// Notes a key that is used; whether it is new.
    pub fn insert(&mut self, key: K) -> bool {
        let is_new = !self.0.contains_key(&key);
        self.0.entry(key, |_, ()| {});
        is_new
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a key was ever forgotten: what is not here may have been.
    pub fn forgot(&self) -> bool {
        self.0.forgot()
    }
}

fn sorted<K: Ord, V>(generation: &Generation<K, V>) -> Vec<(&K, &V)> {
    let mut entries: Vec<(&K, &V)> = generation.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}

/// The generations, each in the order of its keys: the same entries give the same bytes. The bound is
/// written with them; it holds for what is read.
impl<K: Hash + Ord + Serialize, V: Serialize> Serialize for RecentMap<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (
            self.max,
            self.forgot,
            sorted(&self.young),
            sorted(&self.old),
        )
            .serialize(to)
    }
}

impl<'de, K, V> Deserialize<'de> for RecentMap<K, V>
where
    K: Hash + Eq + Deserialize<'de>,
    V: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (max, forgot, young, old) =
            <(usize, bool, Vec<(K, V)>, Vec<(K, V)>)>::deserialize(from)?;
        Ok(Self {
            max: max.max(2),
            young: young.into_iter().collect(),
            old: old.into_iter().collect(),
            forgot,
        })
    }
}

/// Hashes, eight bytes each.
impl Serialize for RecentSet<u64> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bytes = |generation: &Generation<u64, ()>| {
            let mut keys: Vec<u64> = generation.keys().copied().collect();
            keys.sort_unstable();
            Bytes(keys.into_iter().flat_map(u64::to_le_bytes).collect())
        };
        let map = &self.0;
        (map.max, map.forgot, bytes(&map.young), bytes(&map.old)).serialize(to)
    }
}

impl<'de> Deserialize<'de> for RecentSet<u64> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (max, forgot, young, old) = <(usize, bool, Bytes, Bytes)>::deserialize(from)?;
        let keys = |bytes: Bytes| {
            let (keys, _) = bytes.0.as_chunks();
            keys.iter()
                .map(|key| (u64::from_le_bytes(*key), ()))
                .collect()
        };
        Ok(Self(RecentMap {
            max: max.max(2),
            young: keys(young),
            old: keys(old),
            forgot,
        }))
    }
}

/// Bytes in one piece.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Take;

        impl<'de> serde::de::Visitor<'de> for Take {
            type Value = Bytes;

            fn expecting(&self, words: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                words.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_seq<A>(self, mut seq: A) -> Result<Bytes, A::Error>
            where
                A: serde::de::SeqAccess<'de>,
            {
                let mut bytes = Vec::new();
                while let Some(byte) = seq.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }

        from.deserialize_bytes(Take)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_last_half_of_what_was_used_is_there_and_never_more_than_the_bound(
            max in 2usize..12, keys in proptest::collection::vec(0u64..20, 0..200),
        ) {
            let mut table = RecentMap::<u64, u64>::with_max(max);
            let mut forgotten = Vec::new();
            for (at, key) in keys.iter().enumerate() {
                *table.entry(*key, |key, _| forgotten.push(key)) += 1;
                prop_assert!(table.len() <= max);
                let mut last = Vec::new();
                for key in keys[..=at].iter().rev() {
                    if !last.contains(key) {
                        last.push(*key);
                    }
                }
                for key in last.iter().take(max / 2) {
                    prop_assert!(table.contains_key(key));
                }
                // Whatever was used is there, or its leaving was told.
                for key in last {
                    prop_assert!(table.contains_key(&key) || forgotten.contains(&key));
                }
                prop_assert_eq!(table.forgot(), !forgotten.is_empty());
            }
            let saved = serde_json::to_string(&table).unwrap();
            let again: RecentMap<u64, u64> = serde_json::from_str(&saved).unwrap();
            prop_assert_eq!(again, table);
        }
    }

    #[test]
    fn a_lookup_is_no_use() {
        let mut set = RecentSet::with_max(4);
        for key in 0..4u64 {
            assert!(set.insert(key));
            assert!(set.contains(&0));
        }
        assert!(!set.forgot());
        set.insert(4);
        assert!(set.forgot() && !set.contains(&0) && set.contains(&2));
        let saved = serde_json::to_string(&set).unwrap();
        let again: RecentSet<u64> = serde_json::from_str(&saved).unwrap();
        assert_eq!(again, set);
    }
}
