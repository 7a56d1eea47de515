//! All near pairs of a list, and the list itself as a text.
//!
//! K flipped bits cannot touch all of K + 1 blocks, so two fingerprints within K bits
//! have a block in common (Manku, Jain, Das Sarma, WWW 2007, section 3).

use std::str::FromStr;

use simhash::Fingerprint;

/// A line of a list that is no fingerprint.
#[derive(Debug, thiserror::Error)]
#[error("{source}; write one fingerprint per line")]
pub struct ListError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    source: <Fingerprint as FromStr>::Err,
}

/// The fingerprints of a text, one per line; empty lines and comments (`#`) are skipped.
///
/// # Errors
/// The first line that is none.
pub fn parse_list(text: &[u8]) -> Result<Vec<Fingerprint>, ListError> {
    let text = String::from_utf8_lossy(text);
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(line, text)| text.parse().map_err(|source| ListError { line, source }))
        .collect()
}

/// From this K on, blocks are so short that most pairs share one; then all pairs are compared.
const BLOCKS_K_MAX: u32 = 15;

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
    fn a_list_is_read_and_a_bad_line_is_told_with_its_number() {
        let list = parse_list(b"# two\n\n84adfe0ad03e12cb\n 84ad7e0ad13e128b \n").unwrap();
        assert_eq!(list[0].distance(list[1]), 3);
        let error = parse_list(b"\n84adfe0ad03e12cb\nnone\n").unwrap_err();
        assert_eq!(error.line, 3);
        assert!(error.to_string().contains("one fingerprint per line"));
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
    fn blocks_are_the_whole_without_overlap() {
        for count in 1..=64 {
            let blocks = blocks(count);
            assert_eq!(blocks.iter().fold(0, |all, block| all ^ block), u64::MAX);
            assert!(blocks.iter().all(|&block| block != 0));
        }
    }
}
