//! Parts of a page that are made anew each time: a quote of the day, teasers below an article, a counter.
//!
//! What stands in such a part says nothing, and nobody can know at the first look. So a part is watched from the
//! visit on that finds other lines in its place. A *turn* is a visit that finds another text in it than the visit
//! before, a *stay* one that finds the same:
//!
//! ```text
//!   visit     1     2     3     4     5     6     7
//!   text   A  B     C     D     D     D     E     E     a part that was made anew thrice, and then was left
//!             turn  turn  turn  stay  stay  turn  stay
//!   told      yes   –     –     yes   –     yes   –
//! ```
//!
//! The first turn is a change. Further ones are none, as long as the part turns more often than it stays. What
//! stays is told after all, once it has stayed longer than ever before a turn; from then on the part is a text like
//! any other. So a text that is edited at two visits and then left is a change again, and quotes that come back by
//! chance are told at one visit in ten at most. And as no copy is to be old for ever, the fourth, eighth, sixteenth turn is
//! told as well.
//!
//! Lines are such a part where they have little in common with those in whose place they stand, and are less than
//! half of the page. Of lines that differ in figures alone the figures are.

use xxhash_rust::xxh3::xxh3_64;

use super::words::{Line, is_number};
use super::{Difference, PHRASE_WORDS, similarity};

/// Lines that have less of their words in common with those in whose place they stand are others.
const OTHERS_SIMILARITY: f64 = 0.5;

/// Parts of a page that are watched.
const PARTS_MAX: usize = 16;

/// A part that has stayed so many visits in a row is a text like any other.
const STAYS_MAX: u32 = 32;

/// From this turn on one is told whenever there are twice as many.
const TURNS_TOLD: u32 = 4;

/// A part of a page that was another one at a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Hash of the lines around it.
    place: u32,
    /// Hash of its text at the visit before; 0 for the text that other visits are compared with.
    text: u32,
    /// Visits that found another text than the visit before, since it was left alone last.
    turns: u32,
    /// Visits that found the same.
    stays: u32,
    /// How many of them came since the last turn.
    run: u32,
    /// The longest row of them that a turn has ended.
    longest: u32,
}

impl Part {
    /// As numbers, to be written down.
    pub fn to_numbers(self) -> [u32; 6] {
        let Self {
            place,
            text,
            turns,
            stays,
            run,
            longest,
        } = self;
        [place, text, turns, stays, run, longest]
    }

    /// From those numbers.
    pub fn from_numbers([place, text, turns, stays, run, longest]: [u32; 6]) -> Self {
        Self {
            place,
            text,
            turns,
            stays,
            run,
            longest,
        }
    }

    /// The page was as at the visit before.
    pub fn stay(&mut self) {
        self.stays = self.stays.saturating_add(1);
        self.run = self.run.saturating_add(1);
    }

    /// The page as it is now is what further visits are compared with.
    pub fn settle(&mut self) {
        self.text = 0;
    }

    /// A visit found this text in the place, 0 for that which it is compared with; whether it is to be told.
    fn see(&mut self, text: u32) -> bool {
        if self.text == text {
            self.stay();
            let is_left = text != 0 && self.run > self.longest;
            if is_left {
                (self.turns, self.stays) = (0, 0);
            }
            return is_left;
        }
        let was_quiet = self.stays >= self.turns;
        self.text = text;
        self.turns = self.turns.saturating_add(1);
        self.longest = self.longest.max(self.run);
        self.run = 0;
        let is_due = self.turns >= TURNS_TOLD && self.turns.is_power_of_two();
        text != 0 && (was_quiet || is_due)
    }
}

/// What is known of parts after a visit that found the page as that which it is compared with.
pub fn after_version(known: &[Part]) -> Vec<Part> {
    Watched::new(known).end()
}

/// A part in which a visit found other lines than there were.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    place: u32,
    text: u32,
}

/// The parts of a page over one visit.
#[derive(Debug)]
pub(super) struct Watched {
    parts: Vec<Part>,
    /// How many of them were known before, and which of these were found to differ.
    known: usize,
    differ: Vec<u32>,
}

impl Watched {
    pub(super) fn new(known: &[Part]) -> Self {
        Self {
            parts: known.to_vec(),
            known: known.len(),
            differ: Vec::new(),
        }
    }

    /// Whether what differs in a part is to be told.
    pub(super) fn tells(&mut self, mut found: Found) -> bool {
        // Of several in places that look alike each is one of its own.
        while self.differ.contains(&found.place) {
            found.place = found.place.wrapping_add(1);
        }
        self.differ.push(found.place);
        let known = self.parts.iter_mut().find(|part| part.place == found.place);
        if let Some(part) = known {
            return part.see(found.text);
        }
        let mut part = Part {
            place: found.place,
            ..Part::from_numbers([0; 6])
        };
        let is_told = part.see(found.text);
        self.parts.push(part);
        is_told
    }

    /// What is known of the parts after the visit.
    pub(super) fn end(mut self) -> Vec<Part> {
        for part in &mut self.parts[..self.known] {
            if !self.differ.contains(&part.place) {
                part.see(0);
            }
        }
        self.parts.retain(|part| part.run < STAYS_MAX);
        let more = self.parts.len().saturating_sub(PARTS_MAX);
        self.parts.drain(..more);
        self.parts
    }
}

/// Differences in a row with no more words between them than they have themselves, as ranges: of a list of teasers
/// some are the same by chance.
pub(super) fn regions(
    differences: &[Difference<'_, '_>],
    old: &[Line<'_>],
) -> Vec<std::ops::Range<usize>> {
    let mut regions: Vec<std::ops::Range<usize>> = Vec::new();
    let mut words = 0.0;
    for (at, this) in differences.iter().enumerate() {
        let own = weigh(&this.removed) + weigh(&this.added);
        let begun = regions.last_mut().filter(|_| at > 0);
        match begun {
            Some(region)
                if {
                    let between = &old[differences[at - 1].was.end..this.was.start];
                    between.iter().map(Line::weight).sum::<f64>() <= words + own
                } =>
            {
                region.end = at + 1;
                words += own;
            }
            Some(_) | None => {
                regions.push(at..at + 1);
                words = own;
            }
        }
    }
    regions
}

/// The part that differences in a row are, if they are one that may be made anew each time: they have little in
/// common with what stood there, and there is more on the page than them.
pub(super) fn of_lines(
    differences: &[Difference<'_, '_>],
    all_words: f64,
    (old_keys, new_keys): (&[String], &[String]),
) -> Option<Found> {
    let (first, last) = (differences.first()?, differences.last()?);
    let removed: Vec<&Line> = differences
        .iter()
        .flat_map(|one| one.removed.iter().copied())
        .collect();
    let added: Vec<&Line> = differences
        .iter()
        .flat_map(|one| one.added.iter().copied())
        .collect();
    let (was, is) = (weigh(&removed), weigh(&added));
    let is_part = was.min(is) >= PHRASE_WORDS && 2.0 * was.max(is) < all_words;
    if !is_part || similarity(&removed, &added) >= OTHERS_SIMILARITY {
        return None;
    }
    let before = first.was.start.checked_sub(1).map(|at| &old_keys[at]);
    let after = old_keys.get(last.was.end);
    (before.is_some() || after.is_some()).then(|| Found {
        place: hash(&format!("{before:?}\n{after:?}")),
        text: hash(&new_keys[first.is.start..last.is.end].join("\n")),
    })
}

/// The part that a difference is where figures differ alone.
pub(super) fn of_figures(difference: &Difference<'_, '_>) -> Option<Found> {
    let without = |lines: &[&Line<'_>]| -> Vec<String> {
        let words = lines.iter().flat_map(|line| &line.words);
        let words = words.filter(|word| !is_number(&word.text));
        words.map(|word| word.text.clone()).collect()
    };
    let (was, is) = (without(&difference.removed), without(&difference.added));
    (was == is && !is.is_empty()).then(|| Found {
        place: hash(&format!("figures of {is:?}")),
        text: hash(&joined_keys(&difference.added)),
    })
}

fn joined_keys(lines: &[&Line<'_>]) -> String {
    let keys: Vec<String> = lines.iter().map(|line| line.key()).collect();
    keys.join("\n")
}

fn weigh(lines: &[&Line<'_>]) -> f64 {
    lines.iter().map(|line| line.weight()).sum()
}

/// A hash that is not 0.
fn hash(text: &str) -> u32 {
    (xxh3_64(text.as_bytes()) as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of these texts of a part are told, by the number of their visit; each is compared with the one that was
    /// told last.
    fn told(texts: &[u32]) -> Vec<usize> {
        let mut part = Part::from_numbers([1, 0, 0, 0, 0, 0]);
        let mut version = texts[0];
        let mut told = Vec::new();
        for (visit, text) in texts.iter().enumerate().skip(1) {
            let seen = if *text == version { 0 } else { *text };
            if part.turns == 0 && seen == 0 {
                continue;
            }
            if part.see(seen) {
                (version, part.text) = (*text, 0);
                told.push(visit);
            }
        }
        told
    }

    #[test]
    fn a_text_that_stays_after_two_edits_is_told() {
        // It was `touched` at its second edit, and then for ever.
        assert_eq!(told(&[1, 2, 3, 3, 3, 3]), [1, 3]);
        assert_eq!(told(&[1, 2, 3, 4, 4, 4, 5, 5, 5]), [1, 4, 6]);
    }

    #[test]
    fn an_edit_now_and_then_is_told_at_once() {
        assert_eq!(told(&[1, 1, 2, 2, 3, 3, 4, 4, 5, 5]), [2, 4, 6, 8]);
        assert_eq!(told(&[1, 2, 2, 2, 2, 3, 3, 3, 3, 4]), [1, 5, 9]);
    }

    #[test]
    fn what_is_another_each_time_is_told_ever_more_rarely() {
        let texts: Vec<u32> = (1..=101).collect();
        assert_eq!(told(&texts), [1, 4, 8, 16, 32, 64]);
    }

    #[test]
    fn quotes_that_come_back_by_chance_are_told_at_one_visit_in_ten_at_most() {
        for quotes in [3, 5, 12] {
            let mut random = crate::random::Random::new(quotes as u64);
            let texts: Vec<u32> = (0..200).map(|_| 1 + random.below(quotes) as u32).collect();
            let told = told(&texts);
            assert!(told.len() <= 20, "{quotes} quotes: {told:?}");
        }
    }

    #[test]
    fn numbers_hold_all_that_is_known_of_a_part() {
        let numbers = [1, 2, 3, 4, 5, 6];
        assert_eq!(Part::from_numbers(numbers).to_numbers(), numbers);
    }

    #[test]
    fn a_part_that_stays_long_is_watched_no_more() {
        let mut known = vec![Part::from_numbers([7, 0, 3, 0, 0, 1])];
        for _ in 0..STAYS_MAX {
            assert_eq!(known.len(), 1);
            known = Watched::new(&known).end();
        }
        assert!(known.is_empty());
    }
}
