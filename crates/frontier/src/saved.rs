//! How tables are written and read again (`serde`): in the order of their keys, so that the same
//! knowledge gives the same bytes.

use std::hash::Hash;

use hashbrown::{HashMap, HashSet};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

/// A map.
pub(crate) mod pairs {
    use super::{Deserialize, Deserializer, Hash, HashMap, Serialize, Serializer};

    pub(crate) fn serialize<K: Ord + Serialize, V: Serialize, S: Serializer>(
        map: &HashMap<K, V>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let mut pairs: Vec<(&K, &V)> = map.iter().collect();
        pairs.sort_unstable_by_key(|(key, _)| *key);
        to.collect_seq(pairs)
    }

    pub(crate) fn deserialize<'de, K, V, D>(from: D) -> Result<HashMap<K, V>, D::Error>
    where
        K: Eq + Hash + Deserialize<'de>,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
    }
}

/// A set of hashes, eight bytes each.
pub(crate) mod hashes {
    use super::{Deserializer, Error, HashSet, Serializer, Visitor};

    pub(crate) fn serialize<S: Serializer>(set: &HashSet<u64>, to: S) -> Result<S::Ok, S::Error> {
        let mut hashes: Vec<u64> = set.iter().copied().collect();
        hashes.sort_unstable();
        let bytes: Vec<u8> = hashes.into_iter().flat_map(u64::to_le_bytes).collect();
        to.serialize_bytes(&bytes)
    }

    pub(crate) fn deserialize<'de, D>(from: D) -> Result<HashSet<u64>, D::Error>
    where
        D: Deserializer<'de>,
    {
        from.deserialize_bytes(Hashes)
    }

    struct Hashes;

    impl Visitor<'_> for Hashes {
        type Value = HashSet<u64>;

        fn expecting(&self, words: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            words.write_str("hashes of eight bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<HashSet<u64>, E> {
            let (hashes, rest) = bytes.as_chunks();
            match rest {
                [] => Ok(hashes
                    .iter()
                    .map(|hash| u64::from_le_bytes(*hash))
                    .collect()),
                _ => Err(E::invalid_length(bytes.len(), &self)),
            }
        }
    }
}
