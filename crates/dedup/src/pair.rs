//! Two documents side by side: what a crawl would decide about them, and how alike they are in full.
//!
//! An index estimates the overlap of two texts from their sketches, and that is what the decision
//! rests on; the exact measures stand beside it, so that a person can see how good the estimate is.

use documents::Text;
use outcome::DuplicateKind;
use resemblance::measures::{Measures, Relation};
use segment::Words;
use simhash::{Decision, IndexConfig, Neighbour, TextPrint, rule};

use crate::decide::{Verdict, duplicate_kind};

/// One of the two.
#[derive(Debug)]
pub struct Side {
    /// Its text.
    pub text: Text,
    /// The words of its text.
    pub words: Words,
    /// Its print.
    pub print: TextPrint,
}

impl From<Text> for Side {
    fn from(text: Text) -> Side {
        let words = text.words();
        let print = simhash::print(&words);
        Side { text, words, print }
    }
}

/// What two documents are to each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The first as the neighbour of the second, with the evidence of the decision.
    pub near: Neighbour,
    /// Whether an index would find the first when it is asked about the second.
    pub is_found: bool,
    /// What kind of duplicate the second is; `None` where a crawl would keep both.
    pub kind: Option<DuplicateKind>,
    /// Standard error of the estimated overlap.
    pub overlap_error: f32,
    /// How alike the texts are in full.
    pub measures: Measures,
    /// What follows from the measures.
    pub relation: Relation,
}

impl Pair {
    /// Compares a kept document and one that is judged.
    pub fn of(config: &IndexConfig, kept: &Side, judged: &Side) -> Pair {
        let near = rule::judge(config, &judged.print, 0, &kept.print, u8::MAX);
        let is_found = rule::is_candidate(config, &judged.print, &kept.print);
        let is_duplicate = is_found && near.decision == Decision::Duplicate;
        let kind = || duplicate_kind(&near, kept.text.layout, judged.text.layout);
        let measures = Measures::of(kept.words.hashes(), judged.words.hashes());
        Pair {
            near,
            is_found,
            kind: is_duplicate.then(kind),
            overlap_error: config.sketch.overlap_error(near.overlap),
            measures,
            relation: measures.relation(),
        }
    }

    /// What a crawl would make of the second.
    pub fn verdict(&self) -> Verdict {
        match (&self.kind, self.near.exact) {
            (None, _) => Verdict::Kept,
            (Some(_), true) => Verdict::ExactDuplicate,
            (Some(_), false) => Verdict::NearDuplicate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(text: &str) -> Side {
        Side::from(Text::of_bytes(text.as_bytes(), Some("text/plain"), None))
    }

    fn pair(a: &str, b: &str) -> Pair {
        Pair::of(&IndexConfig::default(), &side(a), &side(b))
    }

    /// A hundred words of which none is in the text of another number.
    fn text(number: u32) -> String {
        let words = (0..100).map(|at| {
            let digits = (number * 100 + at + 7_919).to_string();
            digits.bytes().map(|digit| char::from(digit + 50)).collect()
        });
        words.collect::<Vec<String>>().join(" ")
    }

    #[test]
    fn a_text_is_an_exact_duplicate_of_itself() {
        let same = pair(&text(1), &text(1));
        assert_eq!(same.verdict(), Verdict::ExactDuplicate);
        assert_eq!(
            (same.relation, same.measures.edit_distance),
            (Relation::Same, Some(0))
        );
        assert_eq!(same.kind, Some(DuplicateKind::FullLayout));
    }

    #[test]
    fn a_text_with_edits_is_a_near_duplicate_and_another_text_is_none() {
        let edited = text(1).replacen(' ', " added ", 1);
        assert_eq!(pair(&text(1), &edited).verdict(), Verdict::NearDuplicate);
        let other = pair(&text(1), &text(2));
        assert_eq!(other.verdict(), Verdict::Kept);
        assert!(other.kind.is_none());
        assert_eq!(other.relation, Relation::Different);
    }
}
