//! Features of the headline: does a run belong to the text that the page's title names?
//!
//! A page may hold several texts. The one the page is about stands below the headline, the run that
//! repeats the title. A run is likely part of another text if a heading of the same level stands
//! between it and the headline, if it stands in another branch of the tree, or if it shares no words
//! with the page's prose.

use rustc_hash::{FxHashMap, FxHashSet};

use super::PageInputs;
use super::table::{Row, log, signed_log_distance};
use super::text_overlap::first_heading_run;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::line_markers::Marker;
use crate::prefix_sums::{is_prose, share};
use crate::shingles::hash_words;
use crate::survey::Survey;

/// Where the headline is, and what was passed since.
///
/// It counts run by run, so the runs must be taken in order.
pub(super) struct Headline {
    /// The run that repeats the title best.
    run: Option<usize>,
    element: ElementIndex,
    level: u8,
    /// How well that run repeats the title.
    score: f32,
    title: FxHashSet<u64>,
    vocabulary: Vocabulary,
    /// Headings of the headline's level or above that were passed since.
    same_level: u32,
    /// By-lines and dates that were passed since.
    labels: u32,
}

impl Headline {
    pub(super) fn of(flat: &FlatDom<'_>, survey: &Survey) -> Headline {
        let mut title = Vec::new();
        hash_words(&flat.title, &mut title);
        let (score, run) = match best_match(flat, survey, &title) {
            Some((score, run)) => (score, Some(run)),
            None => {
                let first = first_heading_run(flat, survey);
                (0.0, first.filter(|&run| run < flat.runs.len()))
            }
        };
        Headline {
            run,
            element: run.map_or(NO_ELEMENT, |run| flat.runs[run].owner),
            level: run.map_or(0, |run| heading_level(flat, run)),
            score,
            title: title.into_iter().collect(),
            vocabulary: Vocabulary::of(flat, survey),
            same_level: 0,
            labels: 0,
        }
    }

    pub(super) fn put(&mut self, row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
        row.put("from_title", signed_log_distance(index, self.run));
        row.put("title_score", self.score);
        self.put_branch(row, page, index);
        self.put_passed(row, page, index);
        let words = page.survey.shingles.words(index);
        let common = words.iter().filter(|word| self.title.contains(word));
        let common = common.count() as u32;
        row.put("title_words", share(common, self.title.len() as u32, 0.0));
        let known = self.vocabulary.known(words, index);
        row.put("vocabulary", share(known, words.len() as u32, -1.0));
    }

    /// The smallest element that holds both headline and run, and the branch below it that the run
    /// stands in. A second article on the page stands in a branch of its own.
    fn put_branch(&self, row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
        let (flat, total) = (page.flat, page.facts.page);
        let owner = flat.runs[index].owner;
        let meeting = match self.element {
            NO_ELEMENT => None,
            headline => flat
                .ancestors(headline)
                .enumerate()
                .find(|&(_, at)| flat.contains(at, owner)),
        };
        let Some((steps, at)) = meeting else {
            for name in BRANCH_FEATURES {
                row.put(name, -1.0);
            }
            return;
        };
        let place = page.places[index];
        let depth = |at: ElementIndex| f32::from(flat.elements[at as usize].depth);
        let branch = flat
            .ancestors(place)
            .take_while(|&branch| branch != at)
            .last()
            .unwrap_or(place);
        let around = page.survey.sums.under(flat, at);
        let within = page.survey.sums.under(flat, branch);
        let first = flat.elements[branch as usize].first_run as usize;
        let values = [
            steps as f32,
            share(around.weight, total.weight, 0.0),
            share(around.prose, total.prose, 0.0),
            depth(at),
            depth(place) - depth(at),
            share(within.weight, total.weight, 0.0),
            share(within.prose, total.prose, 0.0),
            within.link_density(),
            first as f32 - self.run.unwrap_or(0) as f32,
            log(within.headings),
        ];
        for (name, value) in BRANCH_FEATURES.into_iter().zip(values) {
            row.put(name, value);
        }
    }

    /// How many headings of the headline's kind, by-lines and dates stand between it and the run:
    /// each may begin another text.
    fn put_passed(&mut self, row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
        let run = &page.flat.runs[index];
        let is_after = self.run.is_some_and(|headline| index > headline);
        let level = heading_level(page.flat, index);
        if is_after {
            self.same_level += u32::from(self.level > 0 && level > 0 && level <= self.level);
        }
        row.put("same_level", log(self.same_level));
        row.put("labels", log(self.labels));
        let markers = page.survey.markers[index];
        let is_label = markers.has(Marker::Date) || markers.has(Marker::Byline);
        if is_after && run.counts.weight < 100 && is_label {
            self.labels += 1;
        }
    }
}

/// The features of [`Headline::put_branch`], in order.
const BRANCH_FEATURES: [&str; 10] = [
    "title_steps",
    "title_share",
    "title_prose",
    "title_depth",
    "title_down",
    "branch_share",
    "branch_prose",
    "branch_links",
    "branch_from",
    "branch_headings",
];

/// The run that shares most words with the title (Dice's coefficient), headings first and links
/// last; none below a score of 0.35.
fn best_match(flat: &FlatDom<'_>, survey: &Survey, title: &[u64]) -> Option<(f32, usize)> {
    const WEIGHT_MAX: u32 = 300;
    const SCORE_MIN: f32 = 0.35;
    let distinct: FxHashSet<u64> = title.iter().copied().collect();
    let mut best = (SCORE_MIN, None);
    for (index, run) in flat.runs.iter().enumerate() {
        if run.counts.weight > WEIGHT_MAX || distinct.is_empty() {
            continue;
        }
        let own = survey.shingles.words(index);
        let common = own.iter().filter(|word| distinct.contains(word)).count();
        if common == 0 {
            continue;
        }
        let is_link = run.link_weight * 2 > run.counts.weight;
        let score = 2.0 * common as f32 / (own.len() + title.len()) as f32
            + match heading_level(flat, index) {
                1 => 0.3,
                2 => 0.15,
                3..=6 => 0.1,
                _ => 0.0,
            }
            - if is_link { 0.2 } else { 0.0 };
        if score > best.0 {
            best = (score, Some(index));
        }
    }
    best.1.map(|run| (best.0, run))
}

/// The words of the page's prose.
struct Vocabulary {
    /// For each word, the first run with it and whether another run has it.
    words: FxHashMap<u64, (u32, bool)>,
}

impl Vocabulary {
    fn of(flat: &FlatDom<'_>, survey: &Survey) -> Vocabulary {
        let prose = (0..flat.runs.len()).filter(|&run| is_prose(&flat.runs[run]));
        let count: usize = prose
            .clone()
            .map(|run| survey.shingles.words(run).len())
            .sum();
        let mut words: FxHashMap<u64, (u32, bool)> = FxHashMap::default();
        words.reserve(count / 2);
        for run in prose {
            for &word in survey.shingles.words(run) {
                let entry = words.entry(word).or_insert((run as u32, false));
                entry.1 |= entry.0 != run as u32;
            }
        }
        Vocabulary { words }
    }

    /// How many of a run's words stand in the prose of other runs.
    fn known(&self, words: &[u64], run: usize) -> u32 {
        let is_elsewhere = |word: &&u64| {
            self.words
                .get(*word)
                .is_some_and(|&(first, many)| many || first != run as u32)
        };
        words.iter().filter(is_elsewhere).count() as u32
    }
}

/// The level of the heading that a run is, 0 for none.
fn heading_level(flat: &FlatDom<'_>, index: usize) -> u8 {
    flat.ancestors(flat.runs[index].owner)
        .take(3)
        .find_map(|at| flat.elements[at as usize].tag.heading_level())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use crate::features::compute;
    use crate::flat_dom::FlatDom;
    use crate::survey::Survey;

    #[test]
    fn a_second_article_is_known_by_its_branch() {
        let html = scraper::Html::parse_document(
            "<title>Flood takes bridge</title>\
             <div><h2>Flood takes bridge</h2><p>The river rose.</div>\
             <div><h2><a href=/2>Mayor resigns</a></h2><p>She had enough.</div>",
        );
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let url = url::Url::parse("http://a.example/1").unwrap();
        let table = compute(&flat, &survey, &Default::default(), &url).table;
        let column = |name: &str| {
            let at = table.names.iter().position(|&other| other == name).unwrap();
            (0..4).map(|run| table.row(run)[at]).collect::<Vec<_>>()
        };
        assert_eq!(column("title_steps"), [0.0, 1.0, 2.0, 2.0]);
        assert_eq!(column("branch_from"), [0.0, 1.0, 2.0, 2.0]);
        assert_eq!(column("same_level"), [0.0, 0.0, 2f32.ln(), 2f32.ln()]);
        assert_eq!(column("link_kind"), [0.0, 0.0, 3.0, 0.0]);
    }
}
