//! Finds the fingerprints of a list that are within k bits of a query.
//!
//! All methods give the same answer. They differ in what they store and in what a query looks at.
//!
//! | method | stores, for n fingerprints | looks at, for a query |
//! |---|---|---|
//! | [`Method::Linear`] | n | n |
//! | [`Method::Probing`] | n, sorted | all C(64, 0..=k) values near the query: 43,745 at k = 3 |
//! | [`Method::Expanded`] | n times 43,745 at k = 3 | one |
//! | [`Method::FourTables`] and the other tables | n in each table | those that share a key |
//! | [`Method::Automaton`] | the list as a minimal automaton | the states within k bits |
//!
//! Sources: Manku, Jain, Das Sarma, *Detecting Near-Duplicates for Web Crawling*, WWW 2007, §3;
//! Perl, Itai, Avni, *Interpolation search*, CACM 1978; Schulz, Mihov, *Fast string correction
//! with Levenshtein automata*, 2002 (the same idea for Hamming distance).

mod automaton;
mod expanded;
mod linear;
mod masks;
mod pairs;
mod probing;
mod tables;

use simhash::{Fingerprint, IndexError, Layout, Tables};

pub use masks::count;
pub use pairs::{ListError, pairs, parse_list};
pub use tables::Search;

/// A method of look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Compare with every one.
    Linear,
    /// Search a sorted list for every value within k bits of the query.
    Probing,
    /// Store every value within k bits of each fingerprint, and search for the query alone.
    Expanded,
    /// Four tables of 16 bits, to distance 11 with some bits of the key flipped.
    FourTables(Search),
    /// Ten tables of 25 or 26 bits, to distance 3.
    TenTables(Search),
    /// Sixteen tables of 28 bits (16 and 12), to distance 3.
    SixteenTables(Search),
    /// The layout that fits the distance and the number of fingerprints, to distance 63.
    FittingTables(Search),
    /// An automaton that accepts the list, walked as far as k bits differ.
    Automaton,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Each near fingerprint once, in ascending order.
    pub matches: Vec<Fingerprint>,
    /// Fingerprints compared, values searched for, or states visited.
    pub looked_at: u64,
}

/// Why a list cannot be searched by a method.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// The tables cannot answer the distance.
    #[error(transparent)]
    Reach(#[from] IndexError),
    /// There are more values near the query than can be searched for.
    #[error(
        "ask for all {values} values within {distance} bits of a fingerprint: more than {max}; use tables, or the automaton"
    )]
    Probes {
        /// The distance asked for.
        distance: u8,
        /// The values within it.
        values: u128,
        /// The most that are searched for.
        max: u128,
    },
    /// The expanded list would be too long.
    #[error(
        "store all {values} values within {distance} bits of {fingerprints} fingerprints: more than {max}; use tables, or the automaton"
    )]
    Expanded {
        /// The distance asked for.
        distance: u8,
        /// The length of the list.
        fingerprints: usize,
        /// The values near them.
        values: u128,
        /// The most that are stored.
        max: u128,
    },
}

/// A list that is prepared for one method and distance.
pub struct Lookup {
    /// The tables, if the method has any.
    pub layout: Option<Layout>,
    prepared: Box<dyn NearSearch>,
}

/// A list that is prepared for look-ups at one distance.
trait NearSearch {
    /// The fingerprints within the distance, in any order and perhaps repeated; and how much was looked
    /// at.
    fn near(&self, query: u64) -> (Vec<u64>, u64);
}

impl Lookup {
    /// Prepares a list for look-ups at `distance`.
    ///
    /// # Errors
    /// The method cannot be complete at this distance, or would need too much memory or time.
    pub fn new(method: Method, list: &[Fingerprint], distance: u8) -> Result<Lookup, LookupError> {
        let bits: Vec<u64> = list.iter().map(|fingerprint| fingerprint.0).collect();
        let fixed = |tables: Tables, search: Search| {
            Layout::check(tables, distance)?;
            Ok((Layout::of(tables), search))
        };
        let (layout, search) = match method {
            Method::Linear => return Ok(without_tables(linear::Linear::new(bits, distance))),
            Method::Probing => return Ok(without_tables(probing::Probing::new(bits, distance)?)),
            Method::Expanded => {
                return Ok(without_tables(expanded::Expanded::new(&bits, distance)?));
            }
            Method::Automaton => {
                return Ok(without_tables(automaton::Automaton::new(bits, distance)));
            }
            Method::FourTables(search) => fixed(Tables::Four, search),
            Method::TenTables(search) => fixed(Tables::Ten, search),
            Method::SixteenTables(search) => fixed(Tables::Sixteen, search),
            // No table is complete to 64: every fingerprint is near.
            Method::FittingTables(_) if distance > 63 => {
                return Ok(without_tables(linear::Linear::new(bits, distance)));
            }
            Method::FittingTables(search) => {
                let pages = bits.len() as u64;
                Ok((Layout::choose(pages, distance, CANDIDATES_MAX), search))
            }
        }
        .map_err(LookupError::Reach)?;
        let prepared = tables::SortedTables::new(layout.clone(), &bits, distance, search);
        Ok(Lookup {
            layout: Some(layout),
            prepared: Box::new(prepared),
        })
    }

    /// The fingerprints near `query`.
    pub fn near(&self, query: Fingerprint) -> Found {
        let (mut near, looked_at) = self.prepared.near(query.0);
        near.sort_unstable();
        near.dedup();
        Found {
            matches: near.into_iter().map(Fingerprint).collect(),
            looked_at,
        }
    }
}

/// Fingerprints that share a key with the query without being near it, that a look-up in fitting tables
/// should meet at most: comparing them takes about as long as a look-up in one more table.
const CANDIDATES_MAX: f64 = 256.0;

fn without_tables(prepared: impl NearSearch + 'static) -> Lookup {
    Lookup {
        layout: None,
        prepared: Box::new(prepared),
    }
}
