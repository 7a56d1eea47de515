//! Which runs are the main content.
//!
//! The candidates and the page's own marks are evidence of different worth, and their worth
//! depends on the page: a container that holds all prose is the answer on an article and a trap
//! in a forum. So the weighing is learnt: a small forest of shallow decision trees, trained on
//! pages whose content people marked, turns a run's features into a probability. Site names, words
//! of the text and addresses are no features, so there is nothing to learn by heart.
//!
//! The page is then cut where the *expected* F1 is largest. With clear evidence that is near one
//! half; on a page where all is doubtful it keeps more, since an empty answer is surely wrong.
//!
//! Cost: about 1,000 comparisons a run.
//!
//! Sources: gradient boosting as in Friedman, *Greedy function approximation*, 2001; expected F
//! measure as in Ye et al., *Optimizing F-measure*, ICML 2012.

mod forest;

use crate::candidates::agreement;
use crate::features::{Features, Survey};
use crate::flat::Flat;

/// No run below this is kept, however empty the page would be.
const KEEP_MIN: f32 = 0.15;
/// Every run above this is kept.
const KEEP_SURE: f32 = 0.5;

/// For each run of a page, whether it is content.
pub(crate) fn judge(flat: &Flat<'_>, survey: &Survey, features: &Features) -> Vec<bool> {
    let forest = forest::shared();
    let probability: Vec<f32> = (0..flat.runs.len())
        .map(|run| forest.probability(features.row(run)))
        .collect();
    let least = threshold(flat, &probability);
    let mut chosen: Vec<bool> = probability.iter().map(|&p| p >= least).collect();
    drop_repeats(survey, &mut chosen);
    chosen
}

/// The probability from which runs are kept: where expected F1 by words is largest.
fn threshold(flat: &Flat<'_>, probability: &[f32]) -> f32 {
    let words = |run: usize| flat.runs[run].tally.words as f32;
    let mut order: Vec<usize> = (0..probability.len()).collect();
    order.sort_by(|&a, &b| probability[b].total_cmp(&probability[a]).then(a.cmp(&b)));
    let total: f32 = order.iter().map(|&run| probability[run] * words(run)).sum();
    let mut right = 0.0;
    let mut kept = 0.0;
    let mut best = (0.0, 1.0);
    for run in order {
        right += probability[run] * words(run);
        kept += words(run);
        let expected = 2.0 * right / (kept + total + 1e-9);
        if expected > best.0 {
            best = (expected, probability[run]);
        }
    }
    best.1.clamp(KEEP_MIN, KEEP_SURE)
}

/// Takes out long runs whose words were kept before: pages carry a text once for wide screens and
/// once for narrow ones, or a summary that the text begins with.
fn drop_repeats(survey: &Survey, chosen: &mut [bool]) {
    let mut seen = agreement::Grams::default();
    for (text, chosen) in survey.texts.iter().zip(chosen.iter_mut()) {
        if !*chosen || text.len() < 60 {
            continue;
        }
        if seen.share(text) > 0.8 {
            *chosen = false;
        } else {
            seen.add(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forest_was_trained_on_these_features() {
        let html = scraper::Html::parse_document("<p>One run is enough.");
        let flat = Flat::of(&html);
        let survey = Survey::of(&flat);
        let url = url::Url::parse("http://a.example/").unwrap();
        let features = crate::features::compute(&flat, &survey, &Default::default(), &url);
        assert_eq!(features.names, forest::shared().names);
        assert_eq!(features.values.len(), features.names.len());
    }
}
