//! Whole methods to find near-duplicates in a stream: I-Match, shingles, SpotSigs.
//!
//! A text's signature depends on the text alone, so it can be made on any thread. It is then compared
//! with the signatures of the texts that were kept.

use segment::Words;

use crate::imatch::{self, IMatch};
use crate::overlapping::OverlappingSets;
use crate::shingles::{MinHashes, Sampled, Shingles};
use crate::spotsigs::SpotSigs;

/// A method with its settings.
#[derive(Clone, Debug)]
pub enum Detector {
    /// One hash of the words of middling frequency.
    IMatch(IMatch),
    /// The share of word n-grams in common, estimated.
    Shingles(Shingles),
    /// The share of word chains after stop words in common.
    SpotSigs(SpotSigs),
}

/// What a method keeps of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(pub(crate) Vec<u64>);

impl Detector {
    /// The signature of a text.
    pub fn sign(&self, words: &Words) -> Signature {
        Signature(match self {
            Detector::IMatch(imatch) => vec![imatch.hash(words.hashes())],
            Detector::Shingles(shingles) => shingles.sign(words.hashes()),
            Detector::SpotSigs(spotsigs) => spotsigs.sign(words),
        })
    }

    /// No kept texts yet.
    pub fn kept(&self) -> KeptSignatures {
        KeptSignatures(match self {
            Detector::IMatch(_) => Kept::Hashes(imatch::Hashes::default()),
            Detector::Shingles(shingles) => match shingles.sampled {
                Sampled::MinHash => Kept::MinHashes(MinHashes::new(shingles.overlap)),
                Sampled::Modulo(_) => Kept::Sets(OverlappingSets::new(shingles.overlap)),
            },
            Detector::SpotSigs(spotsigs) => Kept::Sets(OverlappingSets::new(spotsigs.overlap)),
        })
    }
}

/// The signatures of the kept texts, in the order in which they were kept.
#[derive(Clone, Debug)]
pub struct KeptSignatures(Kept);

#[derive(Clone, Debug)]
enum Kept {
    Hashes(imatch::Hashes),
    MinHashes(MinHashes),
    Sets(OverlappingSets),
}

impl KeptSignatures {
    /// The number of the kept text that a text repeats, counted from 0.
    pub fn repeated(&self, signature: &Signature) -> Option<usize> {
        let signature = &signature.0;
        match &self.0 {
            Kept::Hashes(hashes) => hashes.find(signature.first().copied()?),
            Kept::MinHashes(kept) => kept.nearest(signature).map(|(at, _)| at),
            Kept::Sets(sets) => sets.nearest(signature).map(|(at, _)| at),
        }
    }

    /// Keeps a text.
    pub fn insert(&mut self, signature: Signature) {
        let signature = signature.0;
        match &mut self.0 {
            Kept::Hashes(hashes) => hashes.insert(signature.first().copied().unwrap_or(0)),
            Kept::MinHashes(kept) => kept.insert(signature),
            Kept::Sets(sets) => sets.insert(signature),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::Lexicon;
    use segment::Segmenter;

    /// A text of 300 words with one word in fifty replaced, and one of other words.
    fn texts() -> [String; 3] {
        let stop = ["the", "of", "a", "is", "to"];
        let text = |from: u64, other: u64| -> String {
            let words = (0..300u64).map(|at| {
                let rare = simhash::hash::mix(from + at / 2 + if at % 50 == 7 { other } else { 0 });
                let stop = stop[(simhash::hash::mix(at) % 5) as usize];
                format!("{stop} w{}", rare % 10_000)
            });
            words.collect::<Vec<_>>().join(" ")
        };
        [text(0, 0), text(0, 1_000), text(50_000, 0)]
    }

    #[test]
    fn every_method_finds_a_copy_and_no_stranger() {
        let [a, edited, other] = texts().map(|text| Segmenter::shared().words(&text));
        let lexicon = Lexicon::of([a.hashes(), other.hashes()]);
        let shingles = Shingles::default();
        for (detector, finds_edits) in [
            (Detector::IMatch(IMatch::new(lexicon)), false),
            (Detector::Shingles(shingles), true),
            (
                Detector::Shingles(Shingles {
                    sampled: Sampled::Modulo(4),
                    ..shingles
                }),
                true,
            ),
            (Detector::SpotSigs(SpotSigs::default()), true),
        ] {
            let mut kept = detector.kept();
            assert_eq!(kept.repeated(&detector.sign(&other)), None);
            kept.insert(detector.sign(&other));
            kept.insert(detector.sign(&a));
            assert_eq!(kept.repeated(&detector.sign(&a)), Some(1), "{detector:?}");
            assert_eq!(kept.repeated(&detector.sign(&other)), Some(0));
            let found = kept.repeated(&detector.sign(&edited));
            assert_eq!(found == Some(1), finds_edits, "{detector:?}");
        }
    }

    #[test]
    fn texts_without_words_repeat_nothing() {
        let empty = Segmenter::shared().words("...");
        for detector in [
            Detector::IMatch(IMatch::new(Lexicon::default())),
            Detector::Shingles(Shingles::default()),
            Detector::SpotSigs(SpotSigs::default()),
        ] {
            let mut kept = detector.kept();
            kept.insert(detector.sign(&empty));
            let text = Segmenter::shared().words("one river and a stone");
            assert_eq!(kept.repeated(&detector.sign(&text)), None);
        }
    }
}
