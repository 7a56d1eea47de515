//! A text among many of its kind.
//!
//! A pair of texts is judged by estimates. In a series, the reports of one form or the pages of one template, a new
//! text is compared with all of its siblings, and one estimate of a hundred that errs would drop it. So what else was
//! found counts as well. Where two siblings are reports of the same form with other numbers, a copy must have (nearly)
//! the same numbers as its original. And where eight siblings or more fall just short, a copy must stand out among
//! them: the largest of `n` estimates with standard error `s` lies some `s sqrt(2 ln n)` above what they
//! estimate, so the text asked for is that much and two standard errors more alike than the siblings are.

use crate::neighbour::{Decision, Neighbour, Reason};
use crate::rule;

/// Share of numbers in common below which a text is no copy of one report of a form whose others differ.
const NUMBERS_SHARE_MIN: f32 = 0.85;
/// One report with other numbers may be a copy whose numbers are told wrong.
const REPORTS_MIN: usize = 2;
/// Fewer siblings that fall short are no series.
const SHORT_MIN: usize = 8;
/// How far below a duplicate's overlap a sibling's may be to be of one kind with it, in standard errors.
const WINDOW_ERRORS: f32 = 6.0;

/// The candidates of one text, as they are judged.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// The best that is no duplicate.
    other: Option<Neighbour>,
    /// Duplicates, with the share of numbers in common; `None` where the texts have too few.
    duplicates: Vec<(Neighbour, Option<f32>)>,
    /// Overlaps of those that fall short.
    short: Vec<f32>,
    /// Reports of the same form with other numbers.
    reports: usize,
    /// Pages that the candidates were chosen from, where these are not all that there are.
    chosen_from: usize,
}

impl Candidates {
    /// Candidates that were chosen from so many pages, the likeliest and the newest.
    pub(crate) fn chosen_from(pages: usize) -> Candidates {
        Candidates {
            chosen_from: pages,
            ..Candidates::default()
        }
    }

    /// Adds a candidate with the share of its numbers that the text has, too. What overlaps by less than `least`
    /// is no sibling.
    pub(crate) fn add(
        &mut self,
        neighbour: Neighbour,
        numbers: impl FnOnce() -> Option<f32>,
        least: f32,
    ) {
        if neighbour.decision == Decision::Duplicate {
            let share = if neighbour.exact { None } else { numbers() };
            self.duplicates.push((neighbour, share));
            return;
        }
        match neighbour.reason {
            Reason::NumbersDiffer => self.reports += 1,
            Reason::OverlapLow if neighbour.overlap >= least => self.short.push(neighbour.overlap),
            _ => {}
        }
        if self
            .other
            .is_none_or(|best| neighbour.preference(&best).is_lt())
        {
            self.other = Some(neighbour);
        }
    }

    /// The overlap below which no further candidate can be the answer; `None` before there was one.
    pub(crate) fn overlap(&self, least: f32) -> Option<f32> {
        if !self.duplicates.is_empty() {
            return Some(least);
        }
        self.other.map(|best| least.min(best.overlap))
    }

    /// The best duplicate, or else the nearest candidate.
    pub(crate) fn best(mut self) -> Option<Neighbour> {
        self.duplicates.sort_by(|(a, _), (b, _)| a.preference(b));
        let copy = self
            .duplicates
            .iter()
            .find(|(near, share)| !self.is_report(near, *share));
        if let Some((copy, _)) = copy
            && self.stands_out(copy)
        {
            return Some(*copy);
        }
        let doubted = self.duplicates.first().map(|(near, share)| Neighbour {
            decision: Decision::Refuted,
            reason: match self.is_report(near, *share) {
                true => Reason::NumbersDiffer,
                false => Reason::OverlapLow,
            },
            ..*near
        });
        doubted
            .into_iter()
            .chain(self.other)
            .min_by(Neighbour::preference)
    }

    /// Whether a duplicate by the rule has other numbers, where reports of its form do.
    fn is_report(&self, near: &Neighbour, share: Option<f32>) -> bool {
        !near.exact
            && self.reports >= REPORTS_MIN
            && share.is_some_and(|share| share < NUMBERS_SHARE_MIN)
    }

    /// Whether a duplicate is more alike than siblings by the luck of one estimate may be.
    fn stands_out(&self, near: &Neighbour) -> bool {
        let error = rule::overlap_error(near.overlap);
        let window = near.overlap - WINDOW_ERRORS * error..near.overlap;
        let short = self
            .short
            .iter()
            .filter(|overlap| window.contains(*overlap));
        let (count, sum) = short.fold((0, 0.0), |(count, sum), overlap| (count + 1, sum + overlap));
        // Where most of a kind are copies by the rule, so is this one.
        // Where candidates had to be chosen there are siblings enough.
        let short_min = if self.chosen_from > 0 { 1 } else { SHORT_MIN };
        if near.exact || count < short_min.max(self.duplicates.len()) {
            return true;
        }
        let mean = sum / count as f32;
        // What is found by rare word pairs is the most alike of all siblings, compared or not.
        let count = count.max(self.chosen_from) as f32;
        near.overlap >= mean + ((2.0 * count.ln()).sqrt() + 2.0) * error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fingerprint;

    const LEAST: f32 = 0.6;

    fn near(page: u64, overlap: f32, decision: Decision, reason: Reason) -> Neighbour {
        Neighbour {
            page,
            fingerprint: Fingerprint(0),
            distance: 2,
            overlap,
            containment: None,
            table: 0,
            word_count: 300,
            exact: false,
            decision,
            reason,
        }
    }

    fn duplicate(page: u64, overlap: f32) -> Neighbour {
        near(page, overlap, Decision::Duplicate, Reason::OverlapEnough)
    }

    fn best(candidates: &[(Neighbour, Option<f32>)]) -> Neighbour {
        let mut all = Candidates::default();
        for &(neighbour, share) in candidates {
            all.add(neighbour, || share, LEAST);
        }
        all.best().unwrap()
    }

    #[test]
    fn among_reports_of_one_form_a_copy_has_the_same_numbers() {
        let report = |page| {
            (
                near(page, 0.9, Decision::Refuted, Reason::NumbersDiffer),
                None,
            )
        };
        let (one, two) = (report(1), report(5));
        let (alike, other) = (
            (duplicate(2, 0.92), Some(1.0)),
            (duplicate(3, 0.95), Some(0.6)),
        );
        assert_eq!(best(&[other]).decision, Decision::Duplicate, "alone");
        assert_eq!(
            best(&[one, other]).decision,
            Decision::Duplicate,
            "one may err"
        );
        let doubted = best(&[one, two, other]);
        assert_eq!(doubted.decision, Decision::Refuted);
        assert_eq!((doubted.page, doubted.reason), (3, Reason::NumbersDiffer));
        // The copy is found behind it, and one without numbers is not doubted.
        assert_eq!(best(&[one, two, other, alike]).page, 2);
        let plain = best(&[one, two, (duplicate(4, 0.7), None)]);
        assert_eq!(plain.decision, Decision::Duplicate);
    }

    #[test]
    fn a_copy_stands_out_among_the_siblings_that_fall_short() {
        let short = |page: u64| {
            let overlap = 0.8 + (page % 40) as f32 * 0.001;
            (
                near(page, overlap, Decision::Refuted, Reason::OverlapLow),
                None,
            )
        };
        let siblings: Vec<_> = (0..100).map(short).collect();
        let with = |overlap: f32, count: usize| {
            let mut all = siblings[..count].to_vec();
            all.push((duplicate(1_000, overlap), None));
            best(&all).decision
        };
        assert_eq!(with(0.86, 100), Decision::Refuted);
        assert_eq!(with(0.9, 100), Decision::Duplicate);
        let mut chosen = Candidates::chosen_from(1_000_000);
        for (neighbour, share) in siblings.iter().chain([&(duplicate(1_000, 0.9), None)]) {
            chosen.add(*neighbour, || *share, LEAST);
        }
        let doubted = chosen.best().unwrap();
        assert_eq!(doubted.decision, Decision::Refuted, "of a million");
        let mut chosen = Candidates::chosen_from(1_000);
        for (neighbour, share) in siblings[..3]
            .iter()
            .chain([&(duplicate(1_000, 0.86), None)])
        {
            chosen.add(*neighbour, || *share, LEAST);
        }
        let doubted = chosen.best().unwrap();
        assert_eq!(doubted.decision, Decision::Refuted, "three of many");
        assert_eq!(with(0.93, 100), Decision::Duplicate);
        assert_eq!(with(0.86, 7), Decision::Duplicate, "seven are no series");
        assert_eq!(with(1.0, 100), Decision::Duplicate);
        let mut exact = duplicate(1_000, 1.0);
        (exact.exact, exact.reason) = (true, Reason::SameText);
        let mut all = siblings.clone();
        all.push((exact, None));
        assert_eq!(best(&all).decision, Decision::Duplicate);
        // Where most are copies by the rule, one that falls short says nothing.
        let mut many: Vec<_> = (0..50).map(|at| (duplicate(at, 0.87), None)).collect();
        many.extend_from_slice(&siblings[..30]);
        assert_eq!(best(&many).decision, Decision::Duplicate);
    }
}
