//! The classifier: which runs are the main content.
//!
//! How far a feature can be trusted depends on the page: a container with all the prose is the
//! content of an article, but not of a forum. So the weights are learnt. A forest of shallow decision
//! trees, trained on pages with content marked by people, turns the features of a run into a
//! probability. Site names, words of the text and the URL itself are no features, so the forest cannot memorise
//! sites.
//!
//! Rules for boilerplate and for repeated text follow ([`boilerplate_rules`]). A second forest that saw
//! the first one's answers for the runs around a run was dropped: on pages of unseen sites it was worth
//! nothing.
//!
//! Runs are kept above a threshold that is chosen for each page: the one with the largest *expected*
//! score ([`Aim`]). With clear probabilities it is near one half. On a page where all probabilities
//! are low it is lower, since keeping nothing is surely wrong.
//!
//! Cost: some 2,000 comparisons for each run, sixteen runs at a time, and two looks at each of the 5,000
//! splits for each page.
//!
//! Sources: gradient boosting as in Friedman, *Greedy function approximation*, 2001; expected F
//! measure as in Ye et al., *Optimizing F-measure*, ICML 2012.

mod addresses;
mod attachments;
mod attributes;
mod beside_list;
mod beside_thread;
mod boilerplate_rules;
mod data_tables;
mod endings;
mod fact_boxes;
mod forest;
#[cfg(test)]
mod kept_texts;
mod label_headings;
mod last_lines;
mod listings;
mod questions;
mod references;
mod rows;
mod sections;
mod standfirst;
mod stated;
mod tab_labels;
mod thread_posts;
mod titled_sections;
mod told_by_words;
mod unfolded;
mod verses;

use scraper::Html;
use url::Url;

use crate::features::Features;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::metadata;
use crate::page::PageType;
use crate::page_type::{self, Guess};
use crate::shingles;
use crate::structured::Structured;
use crate::survey::Survey;
pub(crate) use boilerplate_rules::in_comments;
pub(crate) use listings::is_running_text;
use rustc_hash::{FxHashMap, FxHashSet};

/// No run with a lower probability is kept, even if the page is empty without it.
const KEEP_MIN: f32 = 0.05;
/// Every run with a higher probability is kept.
const KEEP_SURE: f32 = 0.7;
/// What the threshold of a page makes largest, in expectation.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Aim {
    /// The weighted mean of precision and recall. Averaged over many pages recall is the higher of the
    /// two, so precision adds a little more to the F1 of their means.
    Mean,
    /// Twice the words that are right, by the words kept and the words of the content.
    F1,
}

/// The weight of precision in [`Aim::Mean`]; that of recall is one minus this.
const PRECISION_WEIGHT: f32 = 0.53;

impl Aim {
    /// In a thread or a list each of many small parts is doubtful, and a threshold at either end makes
    /// the mean of precision and recall large. Word F1 on pages of unseen sites: 68 threads .874 with the
    /// mean and .886 with F1, 50 listings .805 and .813. Pages of other types lose by F1.
    fn of(page_type: &PageType) -> Aim {
        match page_type {
            PageType::Forum | PageType::Listing => Aim::F1,
            PageType::Article
            | PageType::Product
            | PageType::Collection
            | PageType::Documentation
            | PageType::Service
            | PageType::FrontPage
            | PageType::Other
            | PageType::Wall
            | PageType::Unknown(_) => Aim::Mean,
        }
    }

    /// The expected score of keeping so many words, of which so many are right.
    fn expected(self, right: f32, kept: f32, content: f32) -> f32 {
        match self {
            Aim::Mean => {
                let (precision, recall) = (right / (kept + 1e-9), right / (content + 1e-9));
                PRECISION_WEIGHT * precision + (1.0 - PRECISION_WEIGHT) * recall
            }
            Aim::F1 => 2.0 * right / (kept + content + 1e-9),
        }
    }
}

/// The result for a page.
pub(crate) struct Classification {
    /// For each run, whether it is content.
    pub main: Vec<bool>,
    /// What kind of page it is.
    pub page_type: PageType,
    /// Whether its content leads to pages of their own, as that of lists does.
    pub leads_on: bool,
}

/// A page whose runs are classified.
pub(crate) struct Classified<'c, 'd> {
    pub html: &'c Html,
    pub flat: &'c FlatDom<'d>,
    pub survey: &'c Survey,
    pub structured: &'c Structured,
    pub page_type: &'c PageType,
    /// Whether its content leads to pages of their own, as that of lists does.
    pub leads_on: bool,
    /// Which runs are content.
    pub main: &'c [bool],
}

/// Classifies the runs of a page.
pub(crate) fn classify(
    flat: &FlatDom<'_>,
    survey: &Survey,
    features: &Features,
    structured: &Structured,
    url: &Url,
) -> Classification {
    let table = &features.table;
    let count = table.values.len() / table.names.len().max(1);
    let rows: Vec<&[f32]> = (0..count).map(|run| table.row(run)).collect();
    let odds = forest::trained().log_odds(&rows);
    classify_by_odds(flat, survey, features, structured, url, &odds)
}

/// The result for given log odds of each run.
pub(crate) fn classify_by_odds(
    flat: &FlatDom<'_>,
    survey: &Survey,
    features: &Features,
    structured: &Structured,
    url: &Url,
    odds: &[f32],
) -> Classification {
    let mut probability = probabilities(odds);
    // The page type depends on the content, and some rules for the content depend on the page type.
    // The content without these rules is good enough to guess the type.
    let first = cut(flat, &probability, Aim::Mean);
    let guess = page_type::guess(flat, survey, structured, &first, url);
    let Guess {
        page_type,
        leads_on,
        thread,
    } = guess;
    if matches!(page_type, PageType::Forum | PageType::Service) {
        probability = probabilities(&pulled_towards_same_path(flat, &features.paths, odds));
    }
    let kind = (&page_type, thread.as_ref());
    boilerplate_rules::apply(flat, survey, kind, &first, &mut probability);
    let mut main = cut(flat, &probability, Aim::of(&page_type));
    match page_type {
        PageType::Product => {
            data_tables::keep(flat, &probability, &mut main);
            attributes::keep(flat, survey, &probability, &mut main);
        }
        PageType::Article | PageType::Service | PageType::Documentation | PageType::Other => {
            let title = metadata::title_of(flat, survey, structured, &main, url);
            let below = attributes::below_title(flat, survey, title.as_deref(), &main);
            attributes::keep_beside_text(flat, survey, &below, &probability, &mut main);
            let paths = &features.paths;
            let heading = below.start.checked_sub(1);
            verses::keep(flat, survey, paths, below, &probability, &mut main);
            titled_sections::keep(flat, survey, &page_type, heading, &probability, &mut main);
        }
        _ => {}
    }
    thread_posts::keep(
        flat,
        survey,
        &page_type,
        thread.as_ref(),
        &probability,
        &mut main,
    );
    listings::keep(flat, survey, &page_type, &mut main);
    stated::keep(
        flat,
        survey,
        &features.paths,
        structured,
        &probability,
        &mut main,
    );
    sections::keep(flat, survey, &page_type, &probability, &mut main);
    endings::keep(
        flat,
        survey,
        &features.paths,
        &page_type,
        &probability,
        &mut main,
    );
    last_lines::keep(flat, survey, &page_type, &probability, &mut main);
    attachments::keep(flat, survey, &page_type, &probability, &mut main);
    references::keep(flat, survey, &page_type, &mut main);
    addresses::keep(flat, survey, &page_type, &probability, &mut main);
    questions::keep(flat, survey, &page_type, &mut main);
    tab_labels::keep(flat, &page_type, &mut main);
    titled_sections::keep_listed(flat, survey, &page_type, &probability, &mut main);
    beside_list::drop(flat, &page_type, &mut main);
    drop_repeats(flat, survey, &page_type, &mut main);
    Classification {
        main,
        page_type,
        leads_on,
    }
}

/// Drops what a page says a second time.
fn drop_repeats(flat: &FlatDom<'_>, survey: &Survey, page_type: &PageType, main: &mut [bool]) {
    let words_min = match page_type {
        PageType::Article => 30,
        _ => 14,
    };
    drop_duplicate_runs(flat, survey, words_min, main);
    drop_repeated_text(flat, survey, main);
    if matches!(page_type, PageType::Collection | PageType::Listing) {
        drop_repeated_titles(flat, survey, main);
    }
}

fn probabilities(odds: &[f32]) -> Vec<f32> {
    let probability = |odds: &f32| 1.0 / (1.0 + (-odds).exp());
    odds.iter().map(probability).collect()
}

/// Log odds, each averaged with the mean of the runs on its path of tags and classes. Runs that one
/// template made (the posts of a thread, the features of an offer) are content or not as a whole,
/// but a short post alone looks like boilerplate.
fn pulled_towards_same_path(flat: &FlatDom<'_>, paths: &[u64], odds: &[f32]) -> Vec<f32> {
    const SHARE: f32 = 0.5;
    const WORDS_MAX: u32 = 60;
    let weight = |run: usize| flat.runs[run].counts.words.min(WORDS_MAX) as f32 + 0.5;
    let mut same_path: FxHashMap<u64, (f32, f32)> = FxHashMap::default();
    for (run, &path) in paths.iter().enumerate() {
        let sum = same_path.entry(path).or_default();
        sum.0 += weight(run) * odds[run];
        sum.1 += weight(run);
    }
    let drawn = |(run, path): (usize, &u64)| {
        let (sum, weight) = same_path[path];
        (1.0 - SHARE) * odds[run] + SHARE * sum / weight
    };
    paths.iter().enumerate().map(drawn).collect()
}

/// Keeps the runs above the page's threshold.
fn cut(flat: &FlatDom<'_>, probability: &[f32], aim: Aim) -> Vec<bool> {
    let least = threshold(flat, probability, aim);
    probability.iter().map(|&p| p >= least).collect()
}

/// The threshold with the largest expected score, by words.
fn threshold(flat: &FlatDom<'_>, probability: &[f32], aim: Aim) -> f32 {
    let words = |run: usize| flat.runs[run].counts.words as f32;
    let mut order: Vec<usize> = (0..probability.len()).collect();
    order.sort_by(|&a, &b| probability[b].total_cmp(&probability[a]).then(a.cmp(&b)));
    let content: f32 = order.iter().map(|&run| probability[run] * words(run)).sum();
    let (mut right, mut kept) = (0.0, 0.0);
    let mut best = (0.0, 1.0);
    for run in order {
        right += probability[run] * words(run);
        kept += words(run);
        let expected = aim.expected(right, kept, content);
        if expected > best.0 {
            best = (expected, probability[run]);
        }
    }
    best.1.clamp(KEEP_MIN, KEEP_SURE)
}

/// Drops a run of so many words or more whose text was kept before: pages hold the same part twice for
/// wide and narrow screens, or folded and unfolded. Short runs stay, since they are often repeated on
/// purpose (a dish on two days; the refrain of a song in an article), and so does a paragraph that
/// stands in the same element as the one it repeats: the two were written into one text.
fn drop_duplicate_runs(flat: &FlatDom<'_>, survey: &Survey, words_min: u32, main: &mut [bool]) {
    let mut seen: FxHashMap<&str, ElementIndex> = FxHashMap::default();
    for (index, kept) in main.iter_mut().enumerate() {
        let run = &flat.runs[index];
        if *kept && run.counts.words >= words_min {
            let around = flat.elements[run.owner as usize].parent;
            let first = *seen.entry(survey.texts[index].as_str()).or_insert(around);
            *kept = first == around;
        }
    }
}

/// Drops a very long run whose shingles were kept before: some pages hold their whole text a second
/// time, in one piece, for programs. Shorter repeats are often on purpose (the terms below each
/// offer).
fn drop_repeated_text(flat: &FlatDom<'_>, survey: &Survey, main: &mut [bool]) {
    const WORDS_MIN: u32 = 100;
    let mut seen = shingles::ShingleSet::default();
    if !flat
        .runs
        .iter()
        .zip(main.iter())
        .any(|(run, &kept)| kept && run.counts.words >= WORDS_MIN)
    {
        return;
    }
    for (index, run) in flat.runs.iter().enumerate() {
        if !main[index] || run.counts.words < 5 {
            continue;
        }
        if run.counts.words >= WORDS_MIN && seen.share(survey.shingles.at(index)) > 0.8 {
            main[index] = false;
        } else {
            seen.add_text(&survey.shingles, index, &survey.texts[index]);
        }
    }
}

/// Drops a line of a unit that the same unit has already: cards hold their title twice, one for the layer that is
/// seen where the pointer is.
fn drop_repeated_titles(flat: &FlatDom<'_>, survey: &Survey, main: &mut [bool]) {
    let mut seen: FxHashSet<(ElementIndex, &str)> = FxHashSet::default();
    for (index, kept) in main.iter_mut().enumerate() {
        let unit = survey.inner_units[index].element;
        let is_linked = flat.runs[index].link_weight * 5 > flat.runs[index].counts.weight * 4;
        if *kept && is_linked && unit != NO_ELEMENT {
            *kept = seen.insert((unit, survey.texts[index].as_str()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(html: &str, probability: &[f32]) -> Vec<bool> {
        let html = scraper::Html::parse_document(html);
        cut(&FlatDom::of(&html), probability, Aim::F1)
    }

    #[test]
    fn a_doubtful_page_keeps_more_than_a_clear_one() {
        let page = "<p>One two three<p>One two three<p>One two three<p>One two three";
        assert_eq!(
            kept(page, &[0.99, 0.98, 0.3, 0.01]),
            [true, true, false, false]
        );
        assert_eq!(
            kept(page, &[0.35, 0.3, 0.3, 0.01]),
            [true, true, true, false]
        );
    }

    #[test]
    fn a_short_post_follows_the_long_ones_of_its_thread() {
        let long = "I had the same trouble until I found that the plug was loose.";
        let page = format!("<div class=p>{long}</div><div class=p>Thanks!</div><b>Thanks!</b>");
        let html = scraper::Html::parse_document(&page);
        let flat = FlatDom::of(&html);
        let drawn = pulled_towards_same_path(&flat, &[1, 1, 2], &[4.0, -2.0, -2.0]);
        assert!(drawn[1] > 0.0 && drawn[0] < 4.0);
        assert_eq!(drawn[2], -2.0, "no other run is on its path");
    }

    #[test]
    fn a_long_line_that_was_kept_before_is_taken_out() {
        let long = "one two three four five six seven eight nine ten eleven twelve thirteen more";
        let page = format!("<p>{long}<p>short<div><p>{long}</div><p>short<p>{long} end");
        let html = scraper::Html::parse_document(&page);
        let flat = FlatDom::of(&html);
        let mut main = vec![true; 5];
        drop_duplicate_runs(&flat, &Survey::of(&flat), 14, &mut main);
        assert_eq!(main, [true, true, false, true, true]);
    }

    #[test]
    fn a_card_says_its_title_once() {
        let card = |at: u32| {
            let title = format!("<h3><a href=/{at}>The kettle</a></h3>");
            format!("<li>{title}<p>Sale</p>{title}<p>Sale</p>")
        };
        let html = scraper::Html::parse_document(&[card(1), card(2), card(3)].concat());
        let flat = FlatDom::of(&html);
        let mut main = vec![true; 12];
        drop_repeated_titles(&flat, &Survey::of(&flat), &mut main);
        assert_eq!(main, [true, true, false, true].repeat(3));
    }

    #[test]
    fn a_paragraph_that_its_own_text_repeats_stays() {
        // It was taken for the copy that a page holds for narrow screens.
        let long = "one two three four five six seven eight nine ten eleven twelve thirteen more";
        let page = format!("<div><p>{long}<p>short<p>{long}</div><div><p>{long}</div>");
        let html = scraper::Html::parse_document(&page);
        let flat = FlatDom::of(&html);
        let mut main = vec![true; 4];
        drop_duplicate_runs(&flat, &Survey::of(&flat), 14, &mut main);
        assert_eq!(main, [true, true, true, false]);
    }

    #[test]
    fn the_forest_was_trained_on_these_features() {
        let html = scraper::Html::parse_document("<p>One run is enough.");
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let url = url::Url::parse("http://a.example/").unwrap();
        let features = crate::features::compute(&flat, &survey, &Default::default(), &url);
        assert_eq!(features.table.names, forest::trained().names);
        assert_eq!(features.table.values.len(), features.table.names.len());
    }
}
