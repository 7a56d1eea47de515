//! Which bits of a fingerprint are a table's key, and which keys a lookup must ask for.
//!
//! Cut 64 bits into blocks. Few flipped bits cannot touch every block (pigeonhole), so two near
//! fingerprints agree on some choice of blocks: sort the fingerprints by that choice and they lie
//! together.
//!
//! ```text
//!   63        48 47        32 31        16 15         0
//!  ┌────────────┬────────────┬────────────┬────────────┐   4 tables: one block each
//!  │   table 0  │   table 1  │   table 2  │   table 3  │   16 tables: one block, then 12 of the
//!  └────────────┴────────────┴────────────┴────────────┘   other 48 bits; 10: two of five blocks
//! ```
//!
//! With four tables, three flips leave one block whole, so four exact look-ups are complete to
//! distance 3. A block may also be asked for with one bit flipped: seven flips put at most one
//! into some block, so 4 x 17 look-ups are complete to distance 7, and with two flipped, 4 x 137
//! to distance 11, at no more space. More and longer keys need no such probing and meet fewer
//! strangers, but they are complete to distance 3 only.
//!
//! A stranger has a table's key with probability 2^-bits, so a lookup among n pages meets
//! n / 2^bits of them in each table, for each key that it asks for.
//!
//! Sources: Manku, Jain, Das Sarma, WWW 2007, §3 (tables, p_i and pi_i); Norouzi, Punjani,
//! Fleet, *Fast search in Hamming space with multi-index hashing*, CVPR 2012 (probing).

use crate::{IndexError, Tables};

/// Bits of a block of four.
pub(crate) const BLOCK_BITS: u32 = 16;
/// Blocks, and tables, of the layout of four.
pub(crate) const BLOCKS: usize = 4;

/// One table: the permutation `pi`, written as the ranges of bits it brings to the front, and the
/// number `p` of those bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// (lowest bit, number of bits) of each part of the key, the first part highest in the key.
    pub parts: Vec<(u32, u32)>,
}

impl Table {
    /// The length of the key in bits: Manku's p.
    pub fn bits(&self) -> u32 {
        self.parts.iter().map(|&(_, bits)| bits).sum()
    }

    /// The key of a fingerprint in this table.
    #[inline]
    pub fn key(&self, fingerprint: u64) -> u64 {
        self.parts.iter().fold(0, |key, &(low, bits)| {
            (key << bits) | ((fingerprint >> low) & ((1 << bits) - 1))
        })
    }
}

/// A choice of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The tables.
    pub tables: Vec<Table>,
    /// The distance to which exact look-ups are complete.
    pub exact: u8,
    /// The largest distance to which look-ups with flipped bits are offered.
    pub complete: u8,
}

impl Layout {
    /// The layout of `tables`.
    pub fn of(tables: Tables) -> Layout {
        match tables {
            Tables::Four => Layout {
                tables: blocks(4, 64)
                    .into_iter()
                    .map(|block| Table { parts: vec![block] })
                    .collect(),
                exact: 3,
                complete: 11,
            },
            Tables::Ten => Layout {
                tables: choices_of_two(&blocks(5, 64)),
                exact: 3,
                complete: 3,
            },
            Tables::Sixteen => Layout {
                tables: sixteen(),
                exact: 3,
                complete: 3,
            },
        }
    }

    /// The layout with the fewest tables that meets at most `candidates_max` strangers in a
    /// lookup at distance 3 among `pages` pages; sixteen tables when none does.
    pub fn choose(pages: u64, candidates_max: f64) -> Tables {
        [Tables::Four, Tables::Ten, Tables::Sixteen]
            .into_iter()
            .find(|&tables| Layout::of(tables).expected_candidates(pages, 3) <= candidates_max)
            .unwrap_or(Tables::Sixteen)
    }

    /// How many strangers a lookup at `distance` meets among `pages` pages of uniform bits.
    pub fn expected_candidates(&self, pages: u64, distance: u8) -> f64 {
        self.tables
            .iter()
            .enumerate()
            .map(|(at, table)| {
                self.probes(at, distance) as f64 * pages as f64 / 2f64.powi(table.bits() as i32)
            })
            .sum()
    }

    /// How many keys a lookup at `distance` asks of table number `at`.
    pub fn probes(&self, at: usize, distance: u8) -> u64 {
        if distance <= self.exact && self.complete == self.exact {
            return 1;
        }
        radius(at, distance).map_or(0, |flips| (0..=flips).map(|f| choose(BLOCK_BITS, f)).sum())
    }

    /// Checks that a lookup at `distance` can be complete.
    ///
    /// # Errors
    /// [`IndexError::Reach`] when it cannot.
    pub fn check(tables: Tables, distance: u8) -> Result<(), IndexError> {
        let complete = Layout::of(tables).complete;
        if distance > complete {
            return Err(IndexError::Reach {
                reach: distance,
                tables,
                complete,
            });
        }
        Ok(())
    }
}

/// How many bits may be flipped in table number `at` of four so that all four together are
/// complete to `distance`; none when the table need not be asked at all.
///
/// With q = distance / 4 and a = distance mod 4: were the flips above q in tables 0 to a and above
/// q - 1 in the rest, there would be (a + 1)(q + 1) + (3 - a) q = distance + 1 of them.
pub(crate) fn radius(at: usize, distance: u8) -> Option<u32> {
    let (flips, rest) = (
        u32::from(distance) / BLOCKS as u32,
        usize::from(distance) % BLOCKS,
    );
    if at <= rest {
        Some(flips)
    } else {
        flips.checked_sub(1)
    }
}

/// The block number `at` of four, the highest first.
#[inline]
pub(crate) fn block(fingerprint: u64, at: usize) -> u16 {
    (fingerprint >> (48 - BLOCK_BITS * at as u32)) as u16
}

/// All 16-bit masks with at most `flips` bits, those with fewer bits first.
pub(crate) fn masks(flips: u32) -> Vec<u16> {
    let mut masks: Vec<u16> = (0..=u16::MAX)
        .filter(|mask| mask.count_ones() <= flips)
        .collect();
    masks.sort_by_key(|mask| mask.count_ones());
    masks
}

/// `count` blocks that share `bits` bits evenly, the longer ones first, from the highest bit.
fn blocks(count: u32, bits: u32) -> Vec<(u32, u32)> {
    let mut high = bits;
    (0..count)
        .map(|at| {
            let length = bits / count + u32::from(at < bits % count);
            high -= length;
            (high, length)
        })
        .collect()
}

fn choices_of_two(blocks: &[(u32, u32)]) -> Vec<Table> {
    let mut tables = Vec::new();
    for (at, &first) in blocks.iter().enumerate() {
        for &second in &blocks[at + 1..] {
            tables.push(Table {
                parts: vec![first, second],
            });
        }
    }
    tables
}

/// A block of 16, then a quarter of the other 48 bits. A quarter lies across two blocks where it
/// must: it is written as its runs of neighbouring bits.
fn sixteen() -> Vec<Table> {
    let mut tables = Vec::new();
    for first in blocks(4, 64) {
        let others: Vec<u32> = (0..64)
            .filter(|bit| !(first.0..first.0 + first.1).contains(bit))
            .collect();
        for quarter in others.chunks(12) {
            let mut parts = vec![first];
            for &bit in quarter {
                match parts.last_mut() {
                    Some((low, bits)) if parts_run(first, *low, *bits, bit) => *bits += 1,
                    _ => parts.push((bit, 1)),
                }
            }
            tables.push(Table { parts });
        }
    }
    tables
}

/// Whether `bit` goes on with the last part, which is not the first block itself.
fn parts_run(first: (u32, u32), low: u32, bits: u32, bit: u32) -> bool {
    (low, bits) != first && low + bits == bit
}

fn choose(n: u32, k: u32) -> u64 {
    (0..u64::from(k)).fold(1, |product, i| product * (u64::from(n) - i) / (i + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_layouts_have_their_published_sizes() {
        let sizes = |tables| {
            let layout = Layout::of(tables);
            let bits: Vec<u32> = layout.tables.iter().map(Table::bits).collect();
            (
                bits.len(),
                *bits.iter().min().unwrap(),
                *bits.iter().max().unwrap(),
            )
        };
        assert_eq!(sizes(Tables::Four), (4, 16, 16));
        assert_eq!(sizes(Tables::Ten), (10, 25, 26));
        assert_eq!(sizes(Tables::Sixteen), (16, 28, 28));
    }

    #[test]
    fn a_lookup_among_eight_billion_pages_meets_the_published_number_of_strangers() {
        // Manku et al.: 2^34 pages, 16 tables, 28 bits: 2^(34-28) = 64 in each.
        assert_eq!(
            Layout::of(Tables::Sixteen).expected_candidates(1 << 34, 3),
            16.0 * 64.0
        );
        assert_eq!(
            Layout::of(Tables::Four).expected_candidates(1 << 34, 3),
            4.0 * 262_144.0
        );
        assert_eq!(
            Layout::of(Tables::Four).expected_candidates(1 << 16, 7),
            4.0 * 17.0
        );
    }

    #[test]
    fn the_layout_is_chosen_by_the_strangers_it_meets() {
        assert_eq!(Layout::choose(1_000_000, 1_000.0), Tables::Four);
        assert_eq!(Layout::choose(100_000_000, 1_000.0), Tables::Ten);
        assert_eq!(Layout::choose(10_000_000_000, 1_000.0), Tables::Sixteen);
    }

    #[test]
    fn a_reach_beyond_the_layout_is_an_error() {
        assert!(Layout::check(Tables::Four, 11).is_ok());
        let error = Layout::check(Tables::Sixteen, 4).unwrap_err().to_string();
        assert!(error.contains("complete to 3"), "{error}");
    }

    proptest! {
        #[test]
        fn k_flips_leave_a_table_in_which_the_key_is_found(
            fingerprint: u64,
            flips in prop::collection::btree_set(0u32..64, 0..=11),
        ) {
            let other = flips.iter().fold(fingerprint, |bits, bit| bits ^ (1 << bit));
            let distance = flips.len() as u8;
            for tables in [Tables::Four, Tables::Ten, Tables::Sixteen] {
                let layout = Layout::of(tables);
                if distance <= layout.exact {
                    prop_assert!(layout.tables.iter().any(|t| t.key(fingerprint) == t.key(other)));
                }
            }
            let near = |at| radius(at, distance).is_some_and(|r| (block(fingerprint, at) ^ block(other, at)).count_ones() <= r);
            prop_assert!((0..BLOCKS).any(near));
        }
    }
}
