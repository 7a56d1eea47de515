//! Fingerprints as a crawl has them: 70 % unrelated, 25 % copies of an earlier one with up to six
//! bits flipped, 5 % with their first block out of 64 that the templates of large sites share,
//! some far more than others.

use simhash::hash::{GOLDEN, mix};
use simhash::{Fingerprint, Sketch, TextPrint, print_hashes};

/// SplitMix64: the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// `fingerprint` with `flips` bits turned over, some perhaps twice.
    pub fn flipped(&mut self, fingerprint: u64, flips: u64) -> u64 {
        (0..flips).fold(fingerprint, |bits, _| bits ^ (1 << self.below(64)))
    }
}

/// `count` fingerprints.
pub fn fingerprints(count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random(seed);
    let mut made: Vec<u64> = Vec::with_capacity(count);
    for at in 0..count {
        let bits = match random.below(100) {
            0..70 => random.next(),
            _ if at == 0 => random.next(),
            70..95 => {
                let (copied, flips) = (random.below(at as u64), random.below(7));
                random.flipped(made[copied as usize], flips)
            }
            _ => {
                let template = 64 / (1 + random.below(64));
                (mix(template) & 0xFFFF << 48) | (random.next() >> 16)
            }
        };
        made.push(bits);
    }
    made
}

/// A print with this fingerprint; its sketch is that of one of a few texts, its digest its own.
pub fn print(texts: &[TextPrint], bits: u64) -> TextPrint {
    let text = &texts[(bits % texts.len() as u64) as usize];
    TextPrint {
        fingerprint: Fingerprint(bits),
        digest: mix(bits),
        ..*text
    }
}

/// Some texts of 400 words with a few numbers.
pub fn texts() -> Vec<TextPrint> {
    let text = |number: u64| {
        let hashes: Vec<u64> = (0..400).map(|word| mix(number * 1_000 + word)).collect();
        print_hashes(&hashes, &hashes[..5])
    };
    let texts: Vec<TextPrint> = (0..16).map(text).collect();
    assert!(texts[0].sketch != Sketch::default());
    texts
}
