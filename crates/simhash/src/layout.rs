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
//! to distance 11, at no more space. Three tables of 22, 21 and 21 bits are complete to distance 8
//! with two flipped: more keys, each shared by fewer pages, and a quarter less space. More and
//! longer keys than these need no such probing and meet fewer strangers, but they are complete to
//! distance 3 only.
//!
//! A stranger has a table's key with probability 2^-bits, so a lookup among n pages meets
//! n / 2^bits of them in each table, for each key that it asks for.
//!
//! Manku's general form (any distance, any number of levels of blocks) is [`Layout::general`];
//! [`Layout::choose`] takes from it what fits a number of pages.
//!
//! Sources: Manku, Jain, Das Sarma, WWW 2007, §3 (tables, p_i and pi_i); Norouzi, Punjani,
//! Fleet, *Fast search in Hamming space with multi-index hashing*, CVPR 2012 (probing).

use std::cmp::Ordering;

use crate::{IndexError, Tables};

/// Bits of one part of a key: less than a machine word, so that it can be shifted out.
const PART_BITS_MAX: u32 = 32;
/// Tables of a chosen layout: each costs 8 bytes a page or more.
const TABLES_MAX: u64 = 64;

/// One table: the permutation `pi`, written as the ranges of bits it brings to the front, and the
/// number `p` of those bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// (lowest bit, number of bits) of each part of the key, the first part highest in the key.
    pub parts: Vec<(u32, u32)>,
}

impl Table {
    /// The table whose key is these bits, the highest bit of the key first.
    fn of(bits: &[u32]) -> Table {
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for &bit in bits {
            match parts.last_mut() {
                Some((low, length)) if *low == bit + 1 && *length < PART_BITS_MAX => {
                    (*low, *length) = (bit, *length + 1);
                }
                _ => parts.push((bit, 1)),
            }
        }
        Table { parts }
    }

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
            Tables::Three => Layout {
                complete: 8,
                ..Layout::general(2, &[3])
            },
            Tables::Four => Layout {
                complete: 11,
                ..Layout::general(3, &[4])
            },
            Tables::Ten => Layout::general(3, &[5]),
            Tables::Sixteen => Layout::general(3, &[4, 4]),
        }
    }

    /// The general form: cut the bits into `levels[0]` blocks, and for every choice of all but
    /// `distance` of them make a table whose key begins with those. The bits that are left are
    /// cut into `levels[1]` blocks in the same way, and so on. At each level `distance` flips
    /// leave some choice whole, so one look-up in each table is complete.
    ///
    /// A level has more than `distance` blocks; one with fewer adds nothing to the keys.
    pub fn general(distance: u8, levels: &[u32]) -> Layout {
        let mut keys = vec![(Vec::new(), (0..64).rev().collect::<Vec<u32>>())];
        for &count in levels {
            keys = keys
                .iter()
                .flat_map(|(key, rest)| longer_keys(key, rest, count, distance))
                .collect();
        }
        Layout {
            tables: keys.iter().map(|(key, _)| Table::of(key)).collect(),
            exact: distance,
            complete: distance,
        }
    }

    /// The layout of the general form for `distance` (0 to 63) with the fewest tables that meets
    /// at most `candidates_max` strangers in a lookup among `pages` pages; of layouts with equally
    /// many the one that meets fewer. When none does, the one that meets the fewest of all, with
    /// at most 64 tables.
    pub fn choose(pages: u64, distance: u8, candidates_max: f64) -> Layout {
        let strangers = |layout: &Layout| layout.expected_candidates(pages, distance);
        let fewest = u32::from(distance).max(1) + 1;
        let counts = fewest..=(fewest + 5).min(64);
        let levels = counts.clone().flat_map(|first| {
            let two = counts.clone().map(move |second| vec![first, second]);
            std::iter::once(vec![first]).chain(two)
        });
        let tables = |levels: &[u32]| -> u64 {
            let each = levels
                .iter()
                .map(|&count| choose(count, u32::from(distance)));
            each.fold(1, u64::saturating_mul)
        };
        let layouts = levels
            .filter(|levels| tables(levels) <= TABLES_MAX)
            .map(|levels| Layout::general(distance, &levels));
        layouts
            .min_by(|a, b| {
                let (few, more) = (strangers(a), strangers(b));
                let both_fit = few.max(more) <= candidates_max;
                let tables = a.tables.len().cmp(&b.tables.len());
                let tables = if both_fit { tables } else { Ordering::Equal };
                tables.then(few.total_cmp(&more))
            })
            .expect("one level of distance + 1 blocks is always among them")
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

    /// How many bits of its key may be flipped in table number `at`, so that all tables together
    /// are complete to `distance`; none when the table need not be asked at all.
    pub fn flips(&self, at: usize, distance: u8) -> Option<u32> {
        if self.complete == self.exact {
            return (distance <= self.exact).then_some(0);
        }
        radius(self.tables.len(), at, distance)
    }

    /// How many keys a lookup at `distance` asks of table number `at`.
    pub fn probes(&self, at: usize, distance: u8) -> u64 {
        let bits = self.tables[at].bits();
        self.flips(at, distance)
            .map_or(0, |flips| (0..=flips).map(|f| choose(bits, f)).sum())
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

/// How many bits may be flipped in table number `at` of `blocks`, one for each block, so that all
/// of them together are complete to `distance`; none when the table need not be asked at all.
///
/// With q = distance / blocks and a = distance mod blocks: were the flips above q in tables 0 to a
/// and above q - 1 in the rest, there would be (a + 1)(q + 1) + (blocks - a - 1) q = distance + 1.
fn radius(blocks: usize, at: usize, distance: u8) -> Option<u32> {
    let (flips, rest) = (
        usize::from(distance) / blocks,
        usize::from(distance) % blocks,
    );
    let flips = if at <= rest {
        Some(flips)
    } else {
        flips.checked_sub(1)
    };
    flips.map(|flips| flips as u32)
}

/// All masks of `bits` bits (at most 32) with at most `flips` of them set, those with fewer first.
pub(crate) fn masks(bits: u32, flips: u32) -> Vec<u32> {
    let mut masks = vec![0u32];
    let mut shorter = 0..1;
    for _ in 0..flips {
        for at in shorter.clone() {
            let (mask, above) = (masks[at], u32::BITS - masks[at].leading_zeros());
            masks.extend((above..bits).map(|bit| mask | 1 << bit));
        }
        shorter = shorter.end..masks.len();
    }
    masks
}

/// The keys that go on from `key` by all but `distance` of `count` blocks of `rest`, each with the
/// bits that are left.
fn longer_keys(key: &[u32], rest: &[u32], count: u32, distance: u8) -> Vec<(Vec<u32>, Vec<u32>)> {
    let blocks = blocks(rest, count as usize);
    let chosen = blocks.len().saturating_sub(usize::from(distance));
    choices(blocks.len(), chosen)
        .into_iter()
        .map(|choice| {
            let (mut longer, mut left) = (key.to_vec(), Vec::new());
            for (at, block) in blocks.iter().enumerate() {
                let to = if choice.contains(&at) {
                    &mut longer
                } else {
                    &mut left
                };
                to.extend_from_slice(block);
            }
            (longer, left)
        })
        .collect()
}

/// `count` blocks that share the bits evenly, the longer ones first.
fn blocks(bits: &[u32], count: usize) -> Vec<&[u32]> {
    let mut rest = bits;
    (0..count)
        .map(|at| {
            let length = bits.len() / count + usize::from(at < bits.len() % count);
            let (block, after) = rest.split_at(length);
            rest = after;
            block
        })
        .collect()
}

/// All choices of `k` of the numbers below `n`, in the order of the dictionary.
fn choices(n: usize, k: usize) -> Vec<Vec<usize>> {
    let mut choices = vec![Vec::new()];
    for taken in 0..k {
        choices = choices
            .iter()
            .flat_map(|choice: &Vec<usize>| {
                let from = choice.last().map_or(0, |last| last + 1);
                (from..=n - (k - taken)).map(move |next| {
                    let mut longer = choice.clone();
                    longer.push(next);
                    longer
                })
            })
            .collect();
    }
    choices
}

/// n over k; a number beyond 64 bits is the largest of 64 bits.
fn choose(n: u32, k: u32) -> u64 {
    let (n, k) = (u128::from(n), u128::from(k.min(n.saturating_sub(k))));
    let choices = (0..k).fold(1, |product: u128, i| {
        product.saturating_mul(n - i) / (i + 1)
    });
    u64::try_from(choices).unwrap_or(u64::MAX)
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
        assert_eq!(sizes(Tables::Three), (3, 21, 22));
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
        let chosen = |pages, distance| {
            let layout = Layout::choose(pages, distance, 1_000.0);
            let bits = layout.tables.iter().map(Table::bits).min().unwrap();
            (layout.tables.len(), bits)
        };
        assert_eq!(chosen(1_000_000, 3), (4, 16));
        assert_eq!(chosen(100_000_000, 3), (10, 25));
        assert_eq!(chosen(8_000_000_000, 3), (16, 28));
        assert_eq!(chosen(1_000_000, 0), (1, 64));
        assert_eq!(chosen(1_000_000, 63), (64, 1));
        // None meets so few: the one that meets the fewest is taken.
        let (tables, bits) = chosen(1 << 50, 5);
        assert!(tables <= 64 && bits >= 20, "{tables} {bits}");
    }

    #[test]
    fn masks_are_all_choices_of_few_bits_each_once() {
        for (bits, flips) in [(0, 2), (1, 2), (5, 0), (9, 3), (16, 2)] {
            let mut found = masks(bits, flips);
            assert!(found.is_sorted_by_key(|mask| mask.count_ones()));
            found.sort_unstable();
            let all = (0..1u32 << bits).filter(|mask| mask.count_ones() <= flips);
            assert_eq!(found, all.collect::<Vec<u32>>(), "{bits} {flips}");
        }
    }

    #[test]
    fn every_key_of_a_layout_has_each_bit_at_most_once() {
        for layout in [Layout::general(2, &[3, 4, 5]), Layout::general(0, &[2])] {
            for table in &layout.tables {
                let bits = (0..64)
                    .map(|bit| table.key(1 << bit))
                    .fold(0u64, |all, key| {
                        assert_eq!(all & key, 0);
                        all | key
                    });
                assert_eq!(bits.count_ones(), table.bits());
            }
        }
    }

    #[test]
    fn a_reach_beyond_the_layout_is_an_error() {
        assert!(Layout::check(Tables::Four, 11).is_ok());
        assert!(
            Layout::check(Tables::Three, 8).is_ok() && Layout::check(Tables::Three, 9).is_err()
        );
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
            for tables in Tables::ALL {
                let layout = Layout::of(tables);
                if distance <= layout.exact {
                    prop_assert!(layout.tables.iter().any(|t| t.key(fingerprint) == t.key(other)));
                }
            }
            let layout = Layout::choose(1 << 20, distance, 64.0);
            prop_assert!(layout.tables.iter().any(|t| t.key(fingerprint) == t.key(other)));
            for layout in [Layout::of(Tables::Three), Layout::of(Tables::Four)] {
                let near = |at: usize| {
                    let flipped = layout.tables[at].key(fingerprint ^ other).count_ones();
                    layout.flips(at, distance).is_some_and(|flips| flipped <= flips)
                };
                prop_assert!((0..layout.tables.len()).any(near));
            }
        }
    }
}
