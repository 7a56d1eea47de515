//! How what was learnt is written and read again, so that a crawl goes on with it.
//!
//! All of it is plain data (`serde`). The same knowledge gives the same bytes: tables are written in
//! the order of their keys, and of a long table only what differs from its beginning. What is read
//! may be anything: a number that would lead beyond a table is an error.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashMap;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde::{Serialize, Serializer};

/// A map, in the order of its keys.
pub(crate) mod pairs {
    use super::{BuildHasher, Deserialize, Deserializer, Hash, HashMap, Serialize, Serializer};

    pub(crate) fn serialize<K: Ord + Serialize, V: Serialize, H, S: Serializer>(
        map: &HashMap<K, V, H>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let mut pairs: Vec<(&K, &V)> = map.iter().collect();
        pairs.sort_unstable_by_key(|(key, _)| *key);
        to.collect_seq(pairs)
    }

    pub(crate) fn deserialize<'de, K, V, H, D>(from: D) -> Result<HashMap<K, V, H>, D::Error>
    where
        K: Eq + Hash + Deserialize<'de>,
        V: Deserialize<'de>,
        H: BuildHasher + Default,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
    }
}

/// A table of `N` entries, most of which are as they were at the beginning.
pub(crate) struct Table<const N: usize>;

impl<const N: usize> Table<N> {
    pub(crate) fn serialize<T, S>(table: &[T], to: S) -> Result<S::Ok, S::Error>
    where
        T: Default + PartialEq + Serialize,
        S: Serializer,
    {
        let first = T::default();
        let entries = table.iter().enumerate();
        let changed: Vec<(usize, &T)> = entries.filter(|(_, entry)| **entry != first).collect();
        to.collect_seq(changed)
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
    where
        T: Default + Clone + DeserializeOwned,
        D: Deserializer<'de>,
    {
        let mut table = vec![T::default(); N];
        for (at, entry) in Vec::<(usize, T)>::deserialize(from)? {
            let place = table.get_mut(at);
            *place.ok_or_else(|| D::Error::custom("an entry beyond its table"))? = entry;
        }
        Ok(table)
    }
}
