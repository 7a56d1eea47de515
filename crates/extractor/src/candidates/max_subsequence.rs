//! Maximum subsequence segmentation: the range of runs with the largest sum of scores.
//!
//! Every run has a score: positive by its length if it is prose, negative if it is short or consists
//! of links. The range with the largest sum is the densest text of the page. The method uses neither
//! class names nor containers, so it works on pages of `<table>` and `<font>` as on pages of `<div>`.
//!
//! Source: Pasternack and Roth, *Extracting Article Text from the Web with Maximum Subsequence
//! Segmentation*, WWW 2009.

use std::ops::Range;

use crate::flat_dom::FlatDom;

/// Finds the range of runs with the largest sum of scores.
pub(crate) fn find(flat: &FlatDom<'_>) -> Range<usize> {
    let values = flat.runs.iter().map(|run| {
        let weight = run.counts.weight as f32;
        let links = run.link_weight as f32;
        let punctuated = if run.counts.sentence_ends + run.counts.commas > 0 {
            1.0
        } else {
            0.4
        };
        // A short line or a link costs about as much as a short sentence is worth.
        (weight - 2.0 * links).min(600.0) * punctuated - 30.0
    });
    best_range(values)
}

/// The range with the largest sum (Kadane); empty where every value is negative.
pub(crate) fn best_range(values: impl Iterator<Item = f32>) -> Range<usize> {
    let mut best = (0.0, 0..0);
    let mut sum = 0.0;
    let mut start = 0;
    for (index, value) in values.enumerate() {
        if sum <= 0.0 {
            sum = 0.0;
            start = index;
        }
        sum += value;
        if sum > best.0 {
            best = (sum, start..index + 1);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_range_bridges_a_small_loss() {
        let values = [-5.0, 3.0, -1.0, 4.0, -9.0, 2.0];
        assert_eq!(best_range(values.into_iter()), 1..4);
        assert_eq!(best_range([-1.0].into_iter()), 0..0);
    }
}
