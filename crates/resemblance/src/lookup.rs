//! Which fingerprints of a list are within k bits of one?
//!
//! All methods give the same answer; they differ in what they hold and in what they look at.
//!
//! | method | holds, for n fingerprints | looks at, for a query |
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
mod masks;
mod plain;
mod tables;

use simhash::{Fingerprint, IndexError, Layout, Tables};

pub use masks::count;
pub use tables::Search;

/// How near fingerprints are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Compare with every one.
    Linear,
    /// Ask a sorted list for every value within k bits of the query.
    Probing,
    /// Store every value within k bits of each fingerprint, and ask for the query.
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
    /// Fingerprints compared, values asked for, or states walked through.
    pub looked_at: u64,
}

/// Why a list cannot be searched in this way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// The tables cannot answer the distance.
    #[error(transparent)]
    Reach(#[from] IndexError),
    /// There are more values near the query than can be asked for.
    #[error(
        "ask for all {values} values within {distance} bits of a fingerprint: more than {max}; use tables, or the automaton"
    )]
    Probes {
        /// The distance asked for.
        distance: u8,
        /// The values within it.
        values: u128,
        /// The most that are asked for.
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

/// A list made ready for one method and distance.
pub struct Lookup {
    /// The tables, if the method has any.
    pub layout: Option<Layout>,
    searched: Box<dyn Searched>,
}

/// A list that can be searched at the distance it was made for.
trait Searched {
    /// All within the distance, in any order, perhaps repeated; and what was looked at.
    fn near(&self, query: u64) -> (Vec<u64>, u64);
}

impl Lookup {
    /// Makes a list ready for look-ups at `distance`.
    ///
    /// # Errors
    /// The method cannot be complete at this distance, or would need too much for it.
    pub fn new(method: Method, list: &[Fingerprint], distance: u8) -> Result<Lookup, LookupError> {
        let bits: Vec<u64> = list.iter().map(|fingerprint| fingerprint.0).collect();
        let fixed = |tables: Tables, search: Search| {
            Layout::check(tables, distance)?;
            Ok((Layout::of(tables), search))
        };
        let (layout, search) = match method {
            Method::Linear => return Ok(plain(plain::Linear::new(bits, distance))),
            Method::Probing => return Ok(plain(plain::Probing::new(bits, distance)?)),
            Method::Expanded => return Ok(plain(expanded::Expanded::new(&bits, distance)?)),
            Method::Automaton => return Ok(plain(automaton::Automaton::new(bits, distance))),
            Method::FourTables(search) => fixed(Tables::Four, search),
            Method::TenTables(search) => fixed(Tables::Ten, search),
            Method::SixteenTables(search) => fixed(Tables::Sixteen, search),
            // No table is complete to 64: every fingerprint is near.
            Method::FittingTables(_) if distance > 63 => {
                return Ok(plain(plain::Linear::new(bits, distance)));
            }
            Method::FittingTables(search) => {
                let pages = bits.len() as u64;
                Ok((Layout::choose(pages, distance, CANDIDATES_MAX), search))
            }
        }
        .map_err(LookupError::Reach)?;
        let searched = tables::SortedTables::new(layout.clone(), &bits, distance, search);
        Ok(Lookup {
            layout: Some(layout),
            searched: Box::new(searched),
        })
    }

    /// The fingerprints near `query`.
    pub fn near(&self, query: Fingerprint) -> Found {
        let (mut near, looked_at) = self.searched.near(query.0);
        near.sort_unstable();
        near.dedup();
        Found {
            matches: near.into_iter().map(Fingerprint).collect(),
            looked_at,
        }
    }
}

/// Strangers that a look-up in fitting tables should meet at most: comparing them costs about as
/// much as one more table's look-up.
const CANDIDATES_MAX: f64 = 256.0;

fn plain(searched: impl Searched + 'static) -> Lookup {
    Lookup {
        layout: None,
        searched: Box::new(searched),
    }
}
