//! Near fingerprints in a list, in the three ways the literature compares: reading all of it,
//! asking for every near value, and tables over blocks of bits.
//!
//! Blocks: K flipped bits cannot touch all of K + 1 blocks, so two fingerprints within K bits
//! have a block in common (Manku, Jain, Das Sarma, WWW 2007, section 3).

use std::collections::{BTreeSet, HashSet};

use simhash::Fingerprint;

/// From this K on, blocks are so short that most pairs share one; then all pairs are compared.
const BLOCKS_K_MAX: u32 = 15;

/// What a search found.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// Each near fingerprint once, in ascending order.
    pub matches: Vec<Fingerprint>,
    /// Fingerprints compared, or keys asked for.
    pub looked_at: usize,
}

/// Compares with every fingerprint.
pub fn linear(list: &[Fingerprint], query: Fingerprint, k: u32) -> Found {
    let near = list.iter().filter(|other| other.distance(query) <= k);
    let matches: BTreeSet<Fingerprint> = near.copied().collect();
    Found {
        matches: matches.into_iter().collect(),
        looked_at: list.len(),
    }
}

/// Asks for every value within `k` bits of the query.
pub fn probing(list: &[Fingerprint], query: Fingerprint, k: u32) -> Found {
    let known: HashSet<u64> = list.iter().map(|fingerprint| fingerprint.0).collect();
    let mut matches = Vec::new();
    let mut looked_at = 0;
    for flips in 0..=k.min(64) {
        let mut mask = if flips == 64 {
            u64::MAX
        } else {
            (1 << flips) - 1
        };
        loop {
            looked_at += 1;
            let probe = query.0 ^ mask;
            if known.contains(&probe) {
                matches.push(Fingerprint(probe));
            }
            match next_with_as_many_bits(mask) {
                Some(next) => mask = next,
                None => break,
            }
        }
    }
    matches.sort_unstable();
    Found { matches, looked_at }
}

/// The next larger number with as many bits set (Gosper); none after the largest.
fn next_with_as_many_bits(mask: u64) -> Option<u64> {
    if mask == 0 {
        return None;
    }
    let lowest = mask & mask.wrapping_neg();
    let ripple = mask.checked_add(lowest)?;
    Some(ripple | (((mask ^ ripple) >> 2) / lowest))
}

/// Compares with those that have one of `k + 1` blocks in common with the query.
pub fn tables(list: &[Fingerprint], query: Fingerprint, k: u32) -> Found {
    if k >= 64 {
        return linear(list, query, k);
    }
    let blocks = blocks(k + 1);
    let mut matches = BTreeSet::new();
    let mut looked_at = 0;
    for fingerprint in list {
        let differing = fingerprint.0 ^ query.0;
        if blocks.iter().any(|block| differing & block == 0) {
            looked_at += 1;
            if fingerprint.distance(query) <= k {
                matches.insert(*fingerprint);
            }
        }
    }
    Found {
        matches: matches.into_iter().collect(),
        looked_at,
    }
}

/// All pairs within `k` bits, each once, the smaller first, in ascending order.
pub fn pairs(list: &[Fingerprint], k: u32) -> Vec<(Fingerprint, Fingerprint)> {
    let mut list = list.to_vec();
    list.sort_unstable();
    list.dedup();
    let mut pairs = Vec::new();
    if k > BLOCKS_K_MAX {
        in_group(&list, k, &[], &mut pairs);
    } else {
        let blocks = blocks(k + 1);
        for (at, &block) in blocks.iter().enumerate() {
            list.sort_unstable_by_key(|fingerprint| fingerprint.0 & block);
            for group in list.chunk_by(|a, b| (a.0 ^ b.0) & block == 0) {
                in_group(group, k, &blocks[..at], &mut pairs);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The near pairs of a group, but for those with an earlier block in common: they were found there.
fn in_group(
    group: &[Fingerprint],
    k: u32,
    earlier: &[u64],
    pairs: &mut Vec<(Fingerprint, Fingerprint)>,
) {
    for (at, &a) in group.iter().enumerate() {
        for &b in &group[at + 1..] {
            let known = || earlier.iter().any(|block| (a.0 ^ b.0) & block == 0);
            if a.distance(b) <= k && !known() {
                pairs.push((a.min(b), a.max(b)));
            }
        }
    }
}

/// Masks of `count` (1 to 64) blocks that make up 64 bits.
fn blocks(count: u32) -> Vec<u64> {
    let below = |bits: u32| u64::MAX.checked_shl(bits).map_or(u64::MAX, |high| !high);
    (0..count)
        .map(|at| below(64 * (at + 1) / count) & !below(64 * at / count))
        .collect()
}

/// How many fingerprints are exactly `k` bits from any one, or with `cumulative` at most `k`.
pub fn probes(k: u32, cumulative: bool) -> u128 {
    let mut of = 1u128;
    let mut sum = of;
    for n in 1..=k.min(64) {
        of = of * u128::from(65 - n) / u128::from(n);
        sum += of;
    }
    if cumulative { sum } else { of }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list with many near pairs: a few centres with bits flipped.
    fn list() -> Vec<Fingerprint> {
        let mut state = 1u64;
        let mut next = || {
            state = simhash::hash::mix(state.wrapping_add(simhash::hash::GOLDEN));
            state
        };
        let centres: Vec<u64> = (0..4).map(|_| next()).collect();
        (0..200)
            .map(|n| {
                let flips = (0..n % 7).fold(0, |flips, _| flips ^ 1 << (next() % 64));
                Fingerprint(centres[n % 4] ^ flips)
            })
            .collect()
    }

    #[test]
    fn all_methods_find_the_same() {
        let list = list();
        for k in 0..=4 {
            let expected = linear(&list, list[3], k);
            assert_eq!(probing(&list, list[3], k).matches, expected.matches);
            let tables = tables(&list, list[3], k);
            assert_eq!(tables.matches, expected.matches);
            assert!(tables.looked_at < expected.looked_at);
        }
        assert_eq!(
            tables(&list, list[0], 63).matches,
            linear(&list, list[0], 63).matches
        );
    }

    #[test]
    fn every_near_pair_is_found_once() {
        let mut list = list();
        list.sort_unstable();
        list.dedup();
        for k in [0, 1, 3, 7, 15, 16, 40, 64] {
            let mut expected = Vec::new();
            in_group(&list, k, &[], &mut expected);
            expected.sort_unstable();
            assert_eq!(pairs(&list, k), expected, "k = {k}");
        }
    }

    #[test]
    fn probes_are_binomials() {
        assert_eq!(probes(0, true), 1);
        assert_eq!(probes(3, false), 41_664);
        assert_eq!(probes(3, true), 43_745);
        assert_eq!(probes(64, false), 1);
        assert_eq!(probes(64, true), 1 << 64);
        for k in 0..=3 {
            let asked = probing(&[], Fingerprint(5), k).looked_at;
            assert_eq!(asked as u128, probes(k, true));
        }
    }

    #[test]
    fn blocks_are_the_whole_without_overlap() {
        for count in 1..=64 {
            let blocks = blocks(count);
            assert_eq!(blocks.iter().fold(0, |all, block| all ^ block), u64::MAX);
            assert!(blocks.iter().all(|&block| block != 0));
        }
    }
}
