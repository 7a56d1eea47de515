//! When is a text a duplicate of a kept page?
//!
//! Two witnesses are heard. The fingerprints' distance says how alike the texts' word counts
//! are; the sketches' overlap says how many word pairs they share. Neither is enough: templates
//! with different contents come within a few bits, and a text and a version of it with a quarter
//! rewritten share as many pairs as two copies with scattered edits. So the overlap that is asked
//! for grows with the distance. It grows too where the same overlap means less: in a shorter
//! text, and between texts of different lengths.
//!
//! ```text
//! asked = overlap + 0.012 (distance - 3) + 0.1 (1 - shorter / longer) + 0.012 ln(400 / words)
//! ```
//!
//! The coefficients are those of a logistic regression over labelled pairs of documents that
//! share half of their word pairs or more (documentation, its versions and edited copies, news),
//! rounded. Against one fixed overlap they win 0.6 points of recall at the same precision.
//!
//! Three refusals stand beside it. A text less than 0.6 times as long as the other is a part, not
//! a copy. Two texts of one length, alike in their words and not in their numbers, are two market
//! reports of one form; where they are alike in nearly all, they are so only if many numbers differ
//! and nothing else does, since a date and a counter differ between copies, too; how many are many grows from one
//! to five between the length of a short text and twice that. And a short text has
//! a rule of its own: its fingerprint is too noisy to be a witness, so only the overlap counts, and
//! the numbers must agree. Where words are pairs of characters (Thai), numbers are weighed against the words that
//! these would be: four of them say what a word does.

use crate::neighbour::{Decision, Neighbour, Reason};
use crate::sketch::SHORT_WORDS;
use crate::{IndexConfig, TextPrint};

/// The distance at which `overlap` itself is asked for.
const DISTANCE_USUAL: f32 = 3.0;
/// Overlap asked for more, per bit of distance.
const OVERLAP_PER_BIT: f32 = 0.012;
/// Overlap asked for more between texts of different lengths, times the missing share.
const OVERLAP_PER_LENGTH: f32 = 0.1;
/// Overlap asked for more in a shorter text, per factor e of length.
const OVERLAP_PER_E: f32 = 0.012;
/// The length at which `overlap` itself is asked for, in words.
const WORDS_USUAL: f32 = 400.0;
/// Longer texts than this many words are judged as if they had as many.
const WORDS_LONG: f32 = 3_000.0;
/// Between short texts this much less than `overlap` is enough: one word of ten replaced leaves
/// an overlap of 0.64.
const OVERLAP_LESS_SHORT: f32 = 0.03;
/// Shorter text over longer text, in words: below it one is a part of the other.
const LENGTH_RATIO_MIN: f32 = 0.6;
/// Numbers are compared between long texts that have this many.
const NUMBERS_MIN: u8 = 3;
/// Fewer of one text's numbers for each of the other's: not the same form.
const NUMBERS_RATIO_MIN: f32 = 0.6;
/// Texts of one form are of about one length.
const NUMBERS_LENGTH_RATIO_MIN: f32 = 0.9;
/// From this overlap on, a date, a page counter and the like may differ between copies.
const NUMBERS_OVERLAP_MAX: f32 = 0.8;
/// Share of numbers in common (Jaccard) below which the numbers differ.
const NUMBERS_SHARE_MIN: f32 = 0.5;
/// So many numbers of a text are more than a date and a counter.
const NUMBERS_OTHER_MIN: f32 = 5.0;
/// Share of numbers in common below which few are.
const NUMBERS_SHARE_MIN_ALIKE: f32 = 0.35;
/// How far an overlap may lie below that of texts that differ in their numbers alone: this, and three
/// times the standard error of an overlap that is told by so many bits.
const NUMBERS_OVERLAP_ERROR: f32 = 0.01;
const OVERLAP_BITS: f32 = 960.0;
/// Pairs of characters that say what one word of a script with blanks does. A number counts as such a word.
const CHARACTERS_PER_WORD: f32 = 4.0;
/// The same for short texts, where one number is often the message.
const NUMBERS_SHARE_MIN_SHORT: f32 = 0.75;

/// Whether two prints are near enough for their sketches to be looked at: fingerprints within
/// reach, or two short texts with a band in common. A text without words is near nothing.
pub fn is_candidate(config: &IndexConfig, print: &TextPrint, kept: &TextPrint) -> bool {
    let distance = print.fingerprint.distance(kept.fingerprint);
    print.word_count > 0
        && kept.word_count > 0
        && (distance <= u32::from(config.radius()) || print.sketch.share_a_band(&kept.sketch))
}

/// Judges a text against one kept page that was found by `table`.
pub fn judge(
    config: &IndexConfig,
    print: &TextPrint,
    page: u64,
    kept: &TextPrint,
    table: u8,
) -> Neighbour {
    let distance = print.fingerprint.distance(kept.fingerprint) as u8;
    let exact = print.digest == kept.digest && print.word_count == kept.word_count;
    let overlap = if exact {
        1.0
    } else {
        print.sketch.overlap(&kept.sketch)
    };
    let lengths = Lengths::between(print, kept);
    let reason = reason(config, print, kept, distance, overlap, exact, &lengths);
    let decision = match reason {
        Reason::SameText | Reason::OverlapEnough => Decision::Duplicate,
        Reason::OverlapLow | Reason::PartialCopy | Reason::NumbersDiffer
            if distance <= config.k =>
        {
            Decision::Refuted
        }
        Reason::OverlapLow | Reason::PartialCopy | Reason::NumbersDiffer => Decision::Unconfirmed,
    };
    Neighbour {
        page,
        fingerprint: kept.fingerprint,
        distance,
        overlap,
        containment: lengths.containment(overlap),
        table,
        word_count: kept.word_count,
        exact,
        decision,
        reason,
    }
}

fn reason(
    config: &IndexConfig,
    print: &TextPrint,
    kept: &TextPrint,
    distance: u8,
    overlap: f32,
    exact: bool,
    lengths: &Lengths,
) -> Reason {
    let short = lengths.shorter < SHORT_WORDS as f32;
    if exact {
        Reason::SameText
    } else if overlap < asked(config, distance, lengths, short) {
        let part = lengths.ratio() < LENGTH_RATIO_MIN && lengths.containment(overlap) > Some(0.9);
        if part {
            Reason::PartialCopy
        } else {
            Reason::OverlapLow
        }
    } else if lengths.ratio() < LENGTH_RATIO_MIN {
        Reason::PartialCopy
    } else if numbers_differ(print, kept, overlap, lengths) {
        Reason::NumbersDiffer
    } else {
        Reason::OverlapEnough
    }
}

/// The least overlap of a duplicate.
fn asked(config: &IndexConfig, distance: u8, lengths: &Lengths, short: bool) -> f32 {
    if short {
        return config.overlap - OVERLAP_LESS_SHORT;
    }
    config.overlap
        + OVERLAP_PER_BIT * (f32::from(distance) - DISTANCE_USUAL)
        + OVERLAP_PER_LENGTH * (1.0 - lengths.ratio())
        + OVERLAP_PER_E * (WORDS_USUAL / lengths.shorter.min(WORDS_LONG)).ln()
}

/// An overlap below which no text but the very same one is a duplicate, at whatever distance and length.
pub(crate) fn least_overlap(config: &IndexConfig) -> f32 {
    let long = Lengths {
        shorter: WORDS_LONG,
        longer: WORDS_LONG,
        per_word: 1.0,
    };
    asked(config, 0, &long, false).min(asked(config, 0, &long, true))
}

fn numbers_differ(print: &TextPrint, kept: &TextPrint, overlap: f32, lengths: &Lengths) -> bool {
    let (a, b) = (print.sketch.number_count(), kept.sketch.number_count());
    let share = print.sketch.number_overlap(&kept.sketch);
    if lengths.said() < SHORT_WORDS as f32 {
        return a.min(b) > 0 && share < NUMBERS_SHARE_MIN_SHORT;
    }
    let is_alike = overlap >= NUMBERS_OVERLAP_MAX;
    let least = if is_alike {
        lengths.numbers_min()
    } else {
        NUMBERS_MIN
    };
    a.min(b) >= least
        && f32::from(a.min(b)) >= NUMBERS_RATIO_MIN * f32::from(a.max(b))
        && lengths.ratio() >= NUMBERS_LENGTH_RATIO_MIN
        && if !is_alike {
            share < NUMBERS_SHARE_MIN
        } else {
            let short = lengths.shortness();
            let share_min = NUMBERS_SHARE_MIN_ALIKE
                + short * (NUMBERS_SHARE_MIN_SHORT - NUMBERS_SHARE_MIN_ALIKE);
            share < share_min && only_numbers_differ(a, b, share, overlap, lengths)
        }
}

/// Whether texts that are alike otherwise differ in many numbers, and in hardly anything else: each
/// number that is another changes two word pairs. How many do is told by the sketch of the numbers, and
/// by what the overlap lacks; either may err by two.
fn only_numbers_differ(a: u8, b: u8, share: f32, overlap: f32, lengths: &Lengths) -> bool {
    let common = share / (1.0 + share) * (f32::from(a) + f32::from(b));
    let others = f32::from(a.min(b)) - common;
    let changed = (2.0 * others / lengths.shorter).min(1.0);
    let expected = (1.0 - changed) / (1.0 + changed);
    let pairs_changed = 0.5 * (1.0 - overlap) / (1.0 + overlap) * lengths.shorter;
    let error = 3.0 * overlap_error(overlap) + NUMBERS_OVERLAP_ERROR * lengths.per_word;
    let others_min = NUMBERS_OTHER_MIN - lengths.shortness() * (NUMBERS_OTHER_MIN - 1.0);
    0.5 * (others + pairs_changed) >= others_min && overlap > expected - error
}

/// The standard error of an overlap.
pub(crate) fn overlap_error(overlap: f32) -> f32 {
    let agree = 0.5 * (1.0 + overlap.clamp(0.0, 1.0));
    2.0 * (agree * (1.0 - agree) / OVERLAP_BITS).sqrt()
}

/// The share of numbers in common of two texts that have enough of them to be told apart by them.
pub(crate) fn numbers_in_common(print: &TextPrint, kept: &TextPrint) -> Option<f32> {
    let (a, b) = (print.sketch.number_count(), kept.sketch.number_count());
    let least = Lengths::between(print, kept).numbers_min();
    (a.min(b) >= least).then(|| print.sketch.number_overlap(&kept.sketch))
}

/// The lengths of two texts in words, at least 1.
struct Lengths {
    shorter: f32,
    longer: f32,
    /// So many of the words say what a word of a script with blanks does.
    per_word: f32,
}

impl Lengths {
    fn of(a: u32, b: u32) -> Lengths {
        Lengths {
            shorter: a.min(b).max(1) as f32,
            longer: a.max(b).max(1) as f32,
            per_word: 1.0,
        }
    }

    fn between(print: &TextPrint, kept: &TextPrint) -> Lengths {
        Lengths {
            per_word: match print.sketch.is_of_characters {
                true => CHARACTERS_PER_WORD,
                false => 1.0,
            },
            ..Lengths::of(print.word_count, kept.word_count)
        }
    }

    /// The words that the shorter text would have in a script with blanks: numbers are compared with these.
    fn said(&self) -> f32 {
        self.shorter / self.per_word
    }

    fn ratio(&self) -> f32 {
        self.shorter / self.longer
    }

    /// Numbers by which texts that are alike otherwise are told apart: one in a short text, [`NUMBERS_MIN`] in a long
    /// one.
    fn numbers_min(&self) -> u8 {
        NUMBERS_MIN - (self.shortness() * f32::from(NUMBERS_MIN - 1)).round() as u8
    }

    /// From 1 where a short text ends to 0 at twice that length: in between one number becomes less and less of
    /// the message.
    fn shortness(&self) -> f32 {
        (2.0 - self.said() / SHORT_WORDS as f32).clamp(0.0, 1.0)
    }

    /// The share of the shorter text that the longer one holds; none where the overlap's error
    /// is larger than the overlap.
    fn containment(&self, overlap: f32) -> Option<f32> {
        let shared = overlap / (1.0 + overlap) * (self.shorter + self.longer);
        (overlap >= 0.1).then(|| (shared / self.shorter).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use crate::print_hashes;

    fn text(words: impl Iterator<Item = u64>) -> TextPrint {
        let hashes: Vec<u64> = words.map(mix).collect();
        print_hashes(&hashes, &[])
    }

    #[track_caller]
    fn check(a: &TextPrint, b: &TextPrint, reason: Reason) {
        let neighbour = judge(&IndexConfig::default(), a, 1, b, 0);
        assert_eq!(neighbour.reason, reason, "{neighbour:?}");
    }

    #[test]
    fn equal_texts_and_slightly_edited_ones_are_duplicates() {
        let page = text(0..600);
        check(&page, &page, Reason::SameText);
        check(&text(10..600), &page, Reason::OverlapEnough);
        check(
            &text((0..600).map(|word| if word % 40 == 0 { word + 5_000 } else { word })),
            &page,
            Reason::OverlapEnough,
        );
    }

    #[test]
    fn no_overlap_is_asked_for_that_is_less_than_the_least() {
        let config = IndexConfig::default();
        let least = least_overlap(&config);
        for words in [1, 20, 63, 64, 400, 2_999, 3_000, 3_001, 1_000_000] {
            for longer in [words, words + words / 3] {
                let lengths = Lengths::of(words, longer);
                for distance in 0..64 {
                    let short = words < SHORT_WORDS;
                    assert!(asked(&config, distance, &lengths, short) >= least);
                }
            }
        }
    }

    #[test]
    fn half_a_text_is_a_partial_copy() {
        check(&text(0..290), &text(0..600), Reason::PartialCopy);
    }

    #[test]
    fn other_texts_share_too_little() {
        check(&text(0..600), &text(300..900), Reason::OverlapLow);
    }

    #[test]
    fn a_report_with_other_numbers_is_another_report() {
        for words in [120, 250, 400, 700] {
            let report = |numbers| report(words, numbers, 0);
            check(&report(0..8), &report(20..28), Reason::NumbersDiffer);
            check(&report(0..8), &report(0..8), Reason::SameText);
        }
    }

    #[test]
    fn in_a_text_that_is_hardly_long_two_numbers_are_the_message() {
        let certificate = |numbers| report(75, numbers, 0);
        check(
            &certificate(0..2),
            &certificate(20..22),
            Reason::NumbersDiffer,
        );
        check(&certificate(0..2), &certificate(0..2), Reason::SameText);
        check(
            &report(128, 0..2, 0),
            &report(128, 20..22, 0),
            Reason::OverlapEnough,
        );
    }

    #[test]
    fn a_copy_with_another_date_and_counter_is_a_copy() {
        for words in [250, 700] {
            let page = report(words, 0..3, 0);
            check(&report(words, 10..13, 0), &page, Reason::OverlapEnough);
            // Eight numbers of the text are the same, four beside it are not.
            let of_twelve = report(words, 0..12, 0);
            check(&report(words, 4..16, 0), &of_twelve, Reason::OverlapEnough);
        }
    }

    #[test]
    fn a_copy_with_other_articles_and_their_dates_below_is_a_copy() {
        let page = report(1_500, 0..12, 0);
        check(&report(1_500, 20..32, 60), &page, Reason::OverlapEnough);
    }

    /// A form of so many words with numbers in it, the last `others` words of which are not the form's.
    fn report(words: u64, numbers: std::ops::Range<u64>, others: u64) -> TextPrint {
        let mut form: Vec<u64> = (0..words).map(mix).collect();
        for at in words - others..words {
            form[at as usize] = mix(at + 7_000 + numbers.start);
        }
        let numbers: Vec<u64> = numbers.map(|n| mix(n + 9_000)).collect();
        for (at, number) in numbers.iter().enumerate() {
            form[at * 9 + 5] = *number;
        }
        print_hashes(&form, &numbers)
    }

    #[test]
    fn within_k_a_low_overlap_refutes_and_beyond_it_does_not_confirm() {
        let (a, mut b) = (text(0..600), text(1_000..1_600));
        for (bits, decision) in [(0b111, Decision::Refuted), (0b1111, Decision::Unconfirmed)] {
            b.fingerprint.0 = a.fingerprint.0 ^ bits;
            assert_eq!(
                judge(&IndexConfig::default(), &a, 1, &b, 0).decision,
                decision
            );
        }
    }
}
