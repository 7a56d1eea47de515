//! How what a state knows is written and read again (`serde`), beside what the derived forms do: maps
//! in the order of their keys, so that the same knowledge gives the same bytes; hashes in eight bytes
//! each; the journal's own types as the journal has them.

use std::collections::HashMap;
use std::hash::Hash;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

/// A map.
pub mod pairs {
    use super::{Deserialize, Deserializer, Hash, HashMap, Serialize, Serializer};

    /// Writes them.
    ///
    /// # Errors
    /// When `to` cannot take it.
    pub fn serialize<K: Ord + Serialize, V: Serialize, S: Serializer>(
        map: &HashMap<K, V>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let mut pairs: Vec<(&K, &V)> = map.iter().collect();
        pairs.sort_unstable_by_key(|(key, _)| *key);
        to.collect_seq(pairs)
    }

    /// Reads them.
    ///
    /// # Errors
    /// When `from` has something else there.
    pub fn deserialize<'de, K, V, D>(from: D) -> Result<HashMap<K, V>, D::Error>
    where
        K: Eq + Hash + Deserialize<'de>,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
    }
}

/// Hashes, eight bytes each.
pub mod hashes {
    use super::{Deserializer, Error, Serializer, Visitor};

    /// Writes them.
    ///
    /// # Errors
    /// When `to` cannot take it.
    pub fn serialize<'s, I, S>(set: I, to: S) -> Result<S::Ok, S::Error>
    where
        I: IntoIterator<Item = &'s u64>,
        S: Serializer,
    {
        let mut hashes: Vec<u64> = set.into_iter().copied().collect();
        hashes.sort_unstable();
        let bytes: Vec<u8> = hashes.into_iter().flat_map(u64::to_le_bytes).collect();
        to.serialize_bytes(&bytes)
    }

    /// Reads them.
    ///
    /// # Errors
    /// When `from` has something else there.
    pub fn deserialize<'de, C, D>(from: D) -> Result<C, D::Error>
    where
        C: FromIterator<u64>,
        D: Deserializer<'de>,
    {
        let hashes = from.deserialize_bytes(Hashes)?;
        Ok(hashes.into_iter().collect())
    }

    struct Hashes;

    impl Visitor<'_> for Hashes {
        type Value = Vec<u64>;

        fn expecting(&self, words: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            words.write_str("hashes of eight bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u64>, E> {
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

/// A type of the journal, as JSON: its form there may leave fields out.
pub mod json {
    use super::{Deserialize, DeserializeOwned, Deserializer, Error, Serialize, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// When `to` cannot take it.
    pub fn serialize<T: Serialize, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(value).map_err(serde::ser::Error::custom)?;
        to.serialize_str(&text)
    }

    /// Reads it.
    ///
    /// # Errors
    /// When `from` has something else there.
    pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: DeserializeOwned,
        D: Deserializer<'de>,
    {
        let text = String::deserialize(from)?;
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}
