//! SimHash: 64 bits that change little when the words change little.
//!
//! Every word votes with its 64 hash bits, once for each time it stands in the text; a bit of the
//! fingerprint is set where the votes for 1 outnumber the votes for 0. Replacing a share of the
//! words moves the sums a little, and only bits whose sum was near zero turn over.
//!
//! Plain counts, no idf: on labelled pairs, idf weights lose a tenth of the true duplicates at
//! any distance, and what plain counts let in too much the sketch refutes. With plain counts the
//! sum of a bit is a population count over a column of hashes, so it is counted in *vertical*
//! counters: 64 carry-save adders side by side in machine words, one addition per hash amortised.
//!
//! Source: Charikar, *Similarity estimation techniques from rounding algorithms*, STOC 2002;
//! Manku, Jain, Das Sarma, *Detecting Near-Duplicates for Web Crawling*, WWW 2007.

use std::fmt;
use std::str::FromStr;

/// A text's fingerprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of a text by its words' hashes. A text without words has 0.
    pub fn of(hashes: &[u64]) -> Fingerprint {
        let mut votes = Votes::default();
        for &hash in hashes {
            votes.add(hash);
        }
        Fingerprint(votes.majority())
    }

    /// The number of bits in which two fingerprints differ, 0 to 64.
    #[inline]
    pub fn distance(self, other: Fingerprint) -> u32 {
        (self.0 ^ other.0).count_ones()
    }
}

impl fmt::Display for Fingerprint {
    /// Sixteen lower-case hex digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A text that is not a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a fingerprint of 16 hex digits: {0:?}")]
pub struct NotAFingerprint(String);

impl FromStr for Fingerprint {
    type Err = NotAFingerprint;

    fn from_str(text: &str) -> Result<Fingerprint, NotAFingerprint> {
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u64::from_str_radix(text, 16) {
            Ok(bits) if digits => Ok(Fingerprint(bits)),
            Ok(_) | Err(_) => Err(NotAFingerprint(text.chars().take(40).collect())),
        }
    }
}

/// 64 counters, stored by binary digit: bit b of `digits[d]` is digit d of counter b.
#[derive(Default)]
struct Votes {
    digits: [u64; 32],
    voters: u64,
}

impl Votes {
    #[inline]
    fn add(&mut self, hash: u64) {
        self.voters += 1;
        let mut carry = hash;
        for digit in &mut self.digits {
            let sum = *digit ^ carry;
            carry &= *digit;
            *digit = sum;
            if carry == 0 {
                break;
            }
        }
    }

    /// The bits for which more than half of the voters have a 1.
    fn majority(&self) -> u64 {
        let half = self.voters / 2;
        let mut bits = 0;
        for bit in 0..64 {
            let count = (0..32).fold(0u64, |count, d| count | ((self.digits[d] >> bit) & 1) << d);
            if count > half {
                bits |= 1 << bit;
            }
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hex_digits_go_there_and_back() {
        let fingerprint = Fingerprint(0x00ab_cdef_0123_4567);
        assert_eq!(fingerprint.to_string(), "00abcdef01234567");
        assert_eq!("00abcdef01234567".parse(), Ok(fingerprint));
        for wrong in ["", "0", "+0abcdef01234567", "00abcdef012345678", "zz"] {
            assert!(wrong.parse::<Fingerprint>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_tie_is_no_majority() {
        assert_eq!(Fingerprint::of(&[0b11, 0b01]), Fingerprint(0b01));
        assert_eq!(Fingerprint::of(&[]), Fingerprint(0));
    }

    proptest! {
        #[test]
        fn vertical_counters_give_the_textbook_fingerprint(hashes in prop::collection::vec(any::<u64>(), 0..300)) {
            let mut sums = [0i64; 64];
            for hash in &hashes {
                for (bit, sum) in sums.iter_mut().enumerate() {
                    *sum += if hash >> bit & 1 == 1 { 1 } else { -1 };
                }
            }
            let expected = sums.iter().enumerate().fold(0, |bits, (bit, &sum)| bits | u64::from(sum > 0) << bit);
            prop_assert_eq!(Fingerprint::of(&hashes), Fingerprint(expected));
        }
    }
}
