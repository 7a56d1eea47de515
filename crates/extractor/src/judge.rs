//! Which runs are the main content.
//!
//! The candidates and the page's own marks are evidence of different worth, and their worth
//! depends on the page: a container that holds all prose is the answer on an article and a trap
//! in a forum. So the weighing is learnt: a small forest of shallow decision trees, trained on
//! pages whose content people marked, turns a run's features into a probability. Site names, words
//! of the text and addresses are no features, so there is nothing to learn by heart.
//!
//! A second forest looks again at each run by what the first said of those around it ([`company`]);
//! the mean of both counts. The page is then cut where the *expected* F1 is largest. With clear evidence that is near one
//! half; on a page where all is doubtful it keeps more, since an empty answer is surely wrong.
//!
//! Cost: about 1,000 comparisons a run.
//!
//! Sources: gradient boosting as in Friedman, *Greedy function approximation*, 2001; expected F
//! measure as in Ye et al., *Optimizing F-measure*, ICML 2012.

pub(crate) mod company;
mod data_table;
mod forest;
mod veto;

use url::Url;

use crate::candidates::agreement;
use crate::features::{Features, Survey, Table};
use crate::flat::Flat;
use crate::page::PageType;
use crate::page_type;
use crate::quick::Map;
use crate::signs::{Sign, Signs};
use crate::structured::Structured;

/// No run below this is kept, however empty the page would be.
const KEEP_MIN: f32 = 0.15;
/// Every run above this is kept.
const KEEP_SURE: f32 = 0.5;

/// The verdict on a page.
pub(crate) struct Verdict {
    /// For each run, whether it is content.
    pub main: Vec<bool>,
    /// What kind of page it is.
    pub page_type: PageType,
}

/// Judges a page.
pub(crate) fn judge(
    flat: &Flat<'_>,
    survey: &Survey,
    features: &Features,
    structured: &Structured,
    url: &Url,
) -> Verdict {
    let first = odds(forest::first(), &features.table);
    let company = company::rows(flat, survey, features, &first);
    let second = odds(forest::second(), &company);
    // The second forest spreads what the first is sure of, at times too far: both are heard.
    let mean: Vec<f32> = first
        .iter()
        .zip(second)
        .map(|(first, second)| (first + second) / 2.0)
        .collect();
    decide(flat, survey, features, structured, url, &mean)
}

fn odds(forest: &forest::Forest, table: &Table) -> Vec<f32> {
    let count = table.values.len() / table.names.len().max(1);
    let rows: Vec<&[f32]> = (0..count).map(|run| table.row(run)).collect();
    forest.log_odds(&rows)
}

/// The verdict by the odds that each run is content.
pub(crate) fn decide(
    flat: &Flat<'_>,
    survey: &Survey,
    features: &Features,
    structured: &Structured,
    url: &Url,
    odds: &[f32],
) -> Verdict {
    let mut probability: Vec<f32> = odds
        .iter()
        .map(|odds| 1.0 / (1.0 + (-odds).exp()))
        .collect();
    // The type depends on the content and some rules for content on the type: a first guess at
    // the one is good enough for the other.
    let first = cut(flat, &probability);
    let page_type = page_type::guess(flat, survey, structured, &first, url);
    veto::apply(flat, survey, page_type, &mut probability);
    let mut main = cut(flat, &probability);
    bridge(&survey.signs, &probability, &mut main);
    follow_kin(flat, features, &probability, &mut main);
    if page_type == PageType::Product {
        data_table::keep(flat, &probability, &mut main);
    }
    drop_repeats(flat, survey, &mut main);
    Verdict { main, page_type }
}

/// Keeps what stands between two kept runs, unless it is unlikely or a date or by-line: a short
/// line between two paragraphs belongs to them more often than its looks alone say.
fn bridge(signs: &[Signs], probability: &[f32], main: &mut [bool]) {
    const RUNS_MAX: usize = 2;
    const LEAST: f32 = 0.3;
    let is_label = |signs: Signs| signs.has(Sign::Date) || signs.has(Sign::Byline);
    let mut last: Option<usize> = None;
    for index in 0..main.len() {
        if !main[index] {
            continue;
        }
        if let Some(last) = last
            && index - last <= RUNS_MAX + 1
        {
            for between in last + 1..index {
                main[between] = probability[between] > LEAST && !is_label(signs[between]);
            }
        }
        last = Some(index);
    }
}

/// Keeps the rest of what one template made where most of it is kept: the last, short post of a
/// thread, the one card of a grid without a price.
fn follow_kin(flat: &Flat<'_>, features: &Features, probability: &[f32], main: &mut [bool]) {
    const SHARE_MIN: f32 = 0.7;
    const KEPT_MIN: u32 = 3;
    const LEAST: f32 = 0.03;
    let mut kin: Map<(f32, f32, u32)> = Map::default();
    for (run, &path) in features.paths.iter().enumerate() {
        let weight = kin_weight(flat, run);
        let sum = kin.entry(path).or_default();
        sum.0 += if main[run] { weight } else { 0.0 };
        sum.1 += weight;
        sum.2 += u32::from(main[run]);
    }
    for (run, path) in features.paths.iter().enumerate() {
        let (kept, all, count) = kin[path];
        main[run] |= count >= KEPT_MIN && kept >= SHARE_MIN * all && probability[run] > LEAST;
    }
}

/// How much a run counts among its kin: by its words, up to a bound.
fn kin_weight(flat: &Flat<'_>, run: usize) -> f32 {
    const WORDS_MAX: u32 = 60;
    flat.runs[run].tally.words.min(WORDS_MAX) as f32 + 0.5
}

/// Keeps the runs above the page's threshold.
fn cut(flat: &Flat<'_>, probability: &[f32]) -> Vec<bool> {
    let least = threshold(flat, probability);
    probability.iter().map(|&p| p >= least).collect()
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

/// Takes out very long runs whose words were kept before: some pages carry their whole text a
/// second time, in one piece, for programs. Shorter repeats are often meant (terms under each
/// offer, a dish on two days).
fn drop_repeats(flat: &Flat<'_>, survey: &Survey, main: &mut [bool]) {
    const WORDS_MIN: u32 = 100;
    let mut seen = agreement::Grams::default();
    if !flat
        .runs
        .iter()
        .zip(main.iter())
        .any(|(run, &kept)| kept && run.tally.words >= WORDS_MIN)
    {
        return;
    }
    for (index, run) in flat.runs.iter().enumerate() {
        if !main[index] || run.tally.words < 5 {
            continue;
        }
        if run.tally.words >= WORDS_MIN && seen.share(survey.grams.at(index)) > 0.8 {
            main[index] = false;
        } else {
            seen.add_text(&survey.grams, index, &survey.texts[index]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_gap_between_kept_runs_is_bridged_unless_it_is_furniture() {
        let probability = [0.9, 0.4, 0.0, 0.9, 0.4, 0.4, 0.4, 0.9, 0.4];
        let mut main = probability.map(|p| p > 0.5);
        bridge(&[Signs::default(); 9], &probability, &mut main);
        let kept = [true, true, false, true, false, false, false, true, false];
        assert_eq!(main, kept);
    }

    #[test]
    fn the_forests_were_trained_on_these_features() {
        let html = scraper::Html::parse_document("<p>One run is enough.");
        let flat = Flat::of(&html);
        let survey = Survey::of(&flat);
        let url = url::Url::parse("http://a.example/").unwrap();
        let features = crate::features::compute(&flat, &survey, &Default::default(), &url);
        assert_eq!(features.table.names, forest::first().names);
        assert_eq!(features.table.values.len(), features.table.names.len());
        let company = company::rows(&flat, &survey, &features, &[0.0]);
        assert_eq!(company.names, forest::second().names);
        assert_eq!(company.values.len(), company.names.len());
    }
}
