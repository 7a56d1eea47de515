//! All that near-duplicate detection remembers of a text.

use segment::Words;
use xxhash_rust::xxh3::Xxh3;

use crate::sketch::SHORT_WORDS;
use crate::{Fingerprint, Sketch};

/// The number of this way to make prints. It changes when the print of any text could change;
/// prints of different schemes must not be compared.
pub const FINGERPRINT_SCHEME: u32 = segment::SEGMENT_SCHEME * 100 + 1;

/// A text's print: enough to find its copies and to confirm or refute them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TextPrint {
    /// Proposes candidates.
    pub fingerprint: Fingerprint,
    /// Decides between them.
    pub sketch: Sketch,
    /// The number of words in the text.
    pub word_count: u32,
    /// xxh3_64 over the words' hashes in order: equal for texts with the same words in the same
    /// order, whatever their spelling, spaces and punctuation.
    pub digest: u64,
}

impl TextPrint {
    /// Whether the text is short: found by its bands too, and judged by the rule for short texts.
    pub fn is_short(&self) -> bool {
        self.word_count < SHORT_WORDS
    }
}

/// The print of a text.
pub fn print(words: &Words) -> TextPrint {
    let numbers: Vec<u64> = words.hashes_with_digits().collect();
    let mut print = print_hashes(words.hashes(), &numbers);
    print.sketch.is_of_characters = words.are_pairs_of_characters();
    print
}

/// The print of a text given by its words' hashes in order and those of its numbers.
pub fn print_hashes(hashes: &[u64], numbers: &[u64]) -> TextPrint {
    let mut digest = Xxh3::new();
    for chunk in hashes.chunks(128) {
        let mut bytes = [0; 1024];
        for (eight, hash) in bytes.chunks_exact_mut(8).zip(chunk) {
            eight.copy_from_slice(&hash.to_le_bytes());
        }
        digest.update(&bytes[..chunk.len() * 8]);
    }
    TextPrint {
        fingerprint: Fingerprint::of(hashes),
        sketch: Sketch::of(hashes, numbers),
        word_count: u32::try_from(hashes.len()).unwrap_or(u32::MAX),
        digest: digest.digest(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use segment::Segmenter;

    fn of(text: &str) -> TextPrint {
        print(&Segmenter::shared().words(text))
    }

    #[test]
    fn spelling_spaces_and_punctuation_do_not_change_a_print() {
        assert_eq!(of("The quick, brown FOX."), of("the  quick brown\nfox"));
        assert_eq!(of("開放中國的網頁"), of("开放中国的网页"));
        assert_ne!(
            of("the quick brown fox").digest,
            of("quick the brown fox").digest
        );
    }

    #[test]
    fn a_text_without_words_has_the_empty_print() {
        let empty = of("... !!!");
        assert_eq!((empty.word_count, empty.fingerprint), (0, Fingerprint(0)));
    }

    #[test]
    fn reports_in_thai_differ_by_their_numbers_as_those_of_other_scripts_do() {
        const FORM: [&str; 8] = [
            "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
            "ต่างมีเหตุผลและมโนธรรม",
            "และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
            "ทุกคนย่อมมีสิทธิและอิสรภาพบรรดาที่กำหนดไว้ในปฏิญญานี้",
            "โดยปราศจากความแตกต่างไม่ว่าชนิดใดๆ",
            "คนทุกคนมีสิทธิในการดำรงชีวิต",
            "เสรีภาพและความมั่นคงแห่งตัวตน",
            "บุคคลใดๆจะถูกยึดเป็นทาสหรือต้องภาระจำยอมไม่ได้",
        ];
        let report = |day: u32, zero: char| {
            let digit =
                |digit: char| char::from_u32(digit as u32 - '0' as u32 + zero as u32).unwrap();
            let number = |at: u32| -> String {
                let number = (1_000 + day * 97 + at * 311).to_string();
                number.chars().map(digit).collect()
            };
            let parts = FORM
                .iter()
                .zip(0..)
                .map(|(part, at)| [*part, &number(at)].join(" "));
            let month = ["มกราคม", "กุมภาพันธ์", "มีนาคม"][day as usize % 3];
            [month, &number(9), &parts.collect::<Vec<_>>().join(" ")].join(" ")
        };
        let is_near = |a: &str, b: &str| {
            let (a, b) = (of(a), of(b));
            crate::rule::judge(&crate::IndexConfig::default(), &a, 1, &b, 0).decision
                == crate::Decision::Duplicate
        };
        for zero in ['0', '๐'] {
            let first = report(1, zero);
            for day in 2..9 {
                assert!(!is_near(&report(day, zero), &first), "{zero} {day}");
            }
            let copy = first.replace("ภราดรภาพ", "มิตรภาพ");
            assert!(copy != first && is_near(&copy, &first));
        }
        // One report in the digits of both scripts.
        assert_eq!(of(&report(1, '0')), of(&report(1, '๐')));
    }

    #[test]
    fn the_print_of_a_known_text_never_changes() {
        // A change here means a new FINGERPRINT_SCHEME.
        let print =
            of("Tamis drops near-duplicates before they are indexed, in 12 of 100 cases. 网页去重");
        assert_eq!(print.fingerprint.to_string(), "a744c518b6869c90");
        assert_eq!(format!("{:016x}", print.digest), "8cab16edaca353f5");
        assert_eq!(print.sketch.number_count(), 2);
    }
}
