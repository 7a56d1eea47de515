//! Lines that the page states to be its content.
//!
//! A recipe tells search engines what it takes and how it is made, a manual its steps, a list of frequent
//! questions its answers: in JSON-LD, or in microdata. To the forests the items of such a list look like
//! boilerplate: they are short, and they may be links, or the labels of checkboxes. What is stated *and*
//! shown is content.
//!
//! A stated line is found as a bag of words in up to [`WINDOW_MAX`] runs in a row, since amount and name
//! often stand apart; a long one by its shingles, since the page may cut it elsewhere. One line alone may
//! stand anywhere ("Salt" is a tag, too), so a list is where most of it is: in the innermost element with
//! nearly as many of its words as any other, and only if these are half of the list or more. Comments and
//! related pages are no such places. What stands among the lines and is like them belongs to the list, and
//! so do headings there and right above.
//!
//! On 1,385 marked pages nine tenths of the frequent questions that are stated and shown are in the text
//! that people marked.
//!
//! Cost: nothing on a page that states no list; else its words, and a few hundred windows for each line.

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::flat_dom::{ElementIndex, FlatDom, Traits};
use crate::line_markers::Marker;
use crate::microdata::{self, OwnParts};
use crate::shingles::{RunShingles, ShingleSet, hash_words};
use crate::structured::Structured;
use crate::survey::Survey;
use crate::tag::Tag;
use crate::titles;

use super::boilerplate_rules::in_comments;

/// The most runs that one line is shown in.
const WINDOW_MAX: usize = 6;
/// The least share of common words, of all words of a line and of the runs that show it.
const LIKENESS_MIN: f32 = 0.75;
/// The least share of a run's shingles that are stated.
const SHINGLES_MIN: f32 = 0.8;
/// The least words of a run that is found by its shingles.
const SHINGLE_WORDS_MIN: usize = 5;
/// Words of a line, the rarest ones, at whose places it is sought, and the most places of each.
const ANCHORS_MAX: usize = 2;
const PLACES_MAX: usize = 32;
/// The most words of a line that is sought by its words; a longer one has shingles enough.
const LINE_WORDS_MAX: usize = 60;
/// The most places of all lines of a list.
const HITS_MAX: usize = 4_000;
/// The most runs between lines of a list, and between it and its heading.
const GAP_MAX: usize = 6;
/// The most weight of a line between a list and its heading, and of one that is a heading by its place.
const LEADING_WEIGHT_MAX: u32 = 100;
const LABEL_WEIGHT_MAX: u32 = 30;

/// Keeps the lists that the page states and shows, with their headings.
pub(super) fn keep(
    flat: &FlatDom<'_>,
    survey: &Survey,
    paths: &[u64],
    structured: &Structured,
    probability: &[f32],
    main: &mut [bool],
) {
    let chooser = Chooser {
        flat,
        survey,
        paths,
        probability,
    };
    if !structured.lists.is_empty() {
        let page = PageWords::of(flat, survey);
        for lines in &structured.lists {
            let runs = page.shown(flat, lines, main);
            chooser.choose(&runs, main);
        }
    }
    for mut runs in microdata::lists(flat, survey) {
        // The buttons beside the steps stand in the element that is marked, too.
        let is_related = |run: usize| {
            let is_label = flat.runs[run].counts.weight <= LABEL_WEIGHT_MAX;
            is_label && survey.markers[run].has(Marker::Related)
        };
        runs.retain(|&run| probability[run] > 0.0 && !is_related(run) || is_label(flat, run));
        chooser.choose(&runs, main);
    }
}

/// Whether a run is the label of a checkbox, as the items of a list may be.
fn is_label(flat: &FlatDom<'_>, run: usize) -> bool {
    flat.elements[flat.runs[run].owner as usize].tag == Tag::Label
}

/// What a list is completed by.
struct Chooser<'c, 'd> {
    flat: &'c FlatDom<'d>,
    survey: &'c Survey,
    /// For each run, the hash of its path of tags and classes.
    paths: &'c [u64],
    probability: &'c [f32],
}

impl Chooser<'_, '_> {
    /// Chooses the runs of a list, which are in order, those among them that are alike, and headings.
    fn choose(&self, list: &[usize], main: &mut [bool]) {
        let alike: FxHashSet<u64> = list.iter().map(|&run| self.paths[run]).collect();
        for &run in list {
            main[run] |= self.says(run);
        }
        for pair in list.windows(2).filter(|pair| pair[1] - pair[0] <= GAP_MAX) {
            let between = pair[0] + 1..pair[1];
            for (run, kept) in between.clone().zip(&mut main[between]) {
                let is_heading = self.is_heading(run) && self.probability[run] > 0.0;
                *kept |= is_heading || alike.contains(&self.paths[run]) && self.says(run);
            }
        }
        if let (Some(&first), Some(&last)) = (list.first(), list.last()) {
            self.choose_heading(first, last, main);
        }
    }

    /// Chooses the heading above a list with the lines between.
    fn choose_heading(&self, first: usize, last: usize, main: &mut [bool]) {
        let from = first.saturating_sub(GAP_MAX);
        let from = (from..first)
            .rfind(|&run| main[run])
            .map_or(from, |run| run + 1);
        let is_near = |run: usize| self.is_near(first, last, run) && self.probability[run] > 0.0;
        let heading = (from..first).rfind(|&run| self.is_heading(run));
        if let Some(heading) = heading.filter(|&run| is_near(run) && !self.is_title(run)) {
            main[heading] = true;
            let between = heading + 1..first;
            for (run, kept) in between.clone().zip(&mut main[between]) {
                *kept |= self.is_line(run, LEADING_WEIGHT_MAX) && is_near(run);
            }
        } else if from < first
            && heading.is_none()
            && self.is_line(first - 1, LABEL_WEIGHT_MAX)
            && is_near(first - 1)
            && !self.is_title(first - 1)
        {
            main[first - 1] = true;
        }
    }

    fn is_heading(&self, run: usize) -> bool {
        titles::heading_around(self.flat, run).is_some()
    }

    /// Whether a run has words: boxes to tick (`▢`) stand beside the items of lists.
    fn says(&self, run: usize) -> bool {
        self.survey.texts[run].contains(char::is_alphanumeric)
    }

    fn is_line(&self, run: usize, weight_max: u32) -> bool {
        let run = &self.flat.runs[run];
        run.counts.weight <= weight_max && run.link_weight * 2 < run.counts.weight
    }

    /// Whether a run repeats the title or a part of it.
    fn is_title(&self, run: usize) -> bool {
        titles::has(self.flat, &self.survey.texts[run])
    }

    /// Whether a run before a list stands with it in an element that is not far out.
    fn is_near(&self, first: usize, last: usize, run: usize) -> bool {
        const LEVELS: usize = 4;
        let owner = |run: usize| self.flat.runs[run].owner;
        let around = self.flat.ancestors(owner(first));
        let around = around.skip_while(|&at| !self.flat.contains(at, owner(last)));
        let mut near = around.take(LEVELS);
        near.any(|at| self.flat.contains(at, owner(run)))
    }
}

/// The words of a page.
struct PageWords {
    shingles: RunShingles,
    words: Vec<u64>,
    /// For each run, where its words end.
    ends: Vec<usize>,
    /// The runs that have a word.
    places: FxHashMap<u64, Vec<usize>>,
    /// For each run, whether it stands where the page's own lists may be.
    is_own: Vec<bool>,
}

/// A line of a list where the page shows it.
struct Hit {
    runs: Range<usize>,
    /// Tells lines from each other.
    line: u64,
    words: usize,
}

impl PageWords {
    fn of(flat: &FlatDom<'_>, survey: &Survey) -> PageWords {
        let texts: Vec<String> = survey
            .texts
            .iter()
            .map(|text| segment::fold(text))
            .collect();
        let (mut words, mut ends) = (Vec::new(), Vec::new());
        let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (run, text) in texts.iter().enumerate() {
            let from = words.len();
            hash_words(text, &mut words);
            ends.push(words.len());
            for &word in &words[from..] {
                let places = places.entry(word).or_default();
                if places.last() != Some(&run) {
                    places.push(run);
                }
            }
        }
        let own = OwnParts::of(flat, survey);
        let is_own = |run: usize| !in_comments(flat, run) && own.have(flat.runs[run].owner);
        PageWords {
            shingles: RunShingles::of(&texts),
            words,
            ends,
            places,
            is_own: (0..texts.len()).map(is_own).collect(),
        }
    }

    fn words(&self, runs: Range<usize>) -> &[u64] {
        let end = |run: usize| run.checked_sub(1).map_or(0, |run| self.ends[run]);
        &self.words[end(runs.start)..end(runs.end)]
    }

    /// The runs in which the page shows a list, if it does.
    fn shown(&self, flat: &FlatDom<'_>, lines: &[String], main: &[bool]) -> Vec<usize> {
        let (hits, word_count) = self.hits(lines);
        // Words of the list inside each element; a line that stands there twice counts once.
        let mut inside: FxHashMap<ElementIndex, usize> = FxHashMap::default();
        let mut seen: FxHashSet<(ElementIndex, u64)> = FxHashSet::default();
        for hit in &hits {
            for at in around(flat, &hit.runs) {
                if seen.insert((at, hit.line)) {
                    *inside.entry(at).or_default() += hit.words;
                }
            }
        }
        // A run that is found by its shingles may hold lines that stand elsewhere by themselves, too.
        let most = inside.values().copied().max().unwrap_or(0).min(word_count);
        if most == 0 || most * 2 < word_count {
            return Vec::new();
        }
        let mut full: Vec<ElementIndex> = inside
            .into_iter()
            .filter(|&(_, words)| words * 10 >= most * 9)
            .map(|(at, _)| at)
            .collect();
        full.sort_unstable();
        // In document order an element is right before the first one inside it.
        let innermost = full.iter().enumerate().filter(|&(number, &at)| {
            let next = full.get(number + 1);
            next.is_none_or(|&next| !flat.contains(at, next))
        });
        let runs_in = |place: ElementIndex| {
            let here = hits.iter().filter(move |hit| {
                flat.contains(place, flat.runs[hit.runs.start].owner)
                    && flat.contains(place, flat.runs[hit.runs.end - 1].owner)
            });
            here.flat_map(|hit| hit.runs.clone())
        };
        // Pages hold a list twice, for wide and narrow screens. One copy is enough.
        let best = innermost.max_by_key(|&(_, &place)| {
            let kept = runs_in(place).filter(|&run| main[run]).count();
            (kept, !is_hidden(flat, place), Reverse(place))
        });
        let mut runs: Vec<usize> = best.map_or(Vec::new(), |(_, &place)| runs_in(place).collect());
        runs.sort_unstable();
        runs.dedup();
        runs
    }

    /// Where the page shows lines of a list, and how many words all have.
    fn hits(&self, lines: &[String]) -> (Vec<Hit>, usize) {
        let mut hits = Vec::new();
        let mut stated = ShingleSet::default();
        let mut word_count = 0;
        let lines: Vec<String> = lines.iter().map(|line| segment::fold(line)).collect();
        for (number, line) in lines.iter().enumerate() {
            let mut words = Vec::new();
            hash_words(line, &mut words);
            words.sort_unstable();
            word_count += words.len();
            if words.len() > LINE_WORDS_MAX || hits.len() >= HITS_MAX {
                continue;
            }
            let found = self.places_of(&words);
            hits.extend(found.into_iter().map(|runs| Hit {
                runs,
                line: number as u64,
                words: words.len(),
            }));
        }
        stated.add(&lines.join("\n"));
        let known: FxHashSet<usize> = hits.iter().flat_map(|hit| hit.runs.clone()).collect();
        for run in 0..self.ends.len() {
            if hits.len() >= HITS_MAX {
                break;
            }
            let words = self.words(run..run + 1);
            let is_stated = words.len() >= SHINGLE_WORDS_MIN
                && self.is_own[run]
                && !known.contains(&run)
                && stated.share(self.shingles.at(run)) >= SHINGLES_MIN;
            if is_stated {
                let line = words.iter().fold(u64::MAX, |hash, word| {
                    hash.rotate_left(9) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
                });
                hits.push(Hit {
                    runs: run..run + 1,
                    line,
                    words: words.len(),
                });
            }
        }
        (hits, word_count)
    }

    /// The runs that show a line, of which these are the words in order of their hashes.
    fn places_of(&self, line: &[u64]) -> Vec<Range<usize>> {
        let mut words = line.to_vec();
        words.dedup();
        let mut anchors: Vec<&Vec<usize>> = words
            .iter()
            .filter_map(|word| self.places.get(word))
            .collect();
        anchors.sort_by_key(|places| places.len());
        let anchors = anchors.into_iter().take(ANCHORS_MAX);
        let places = anchors.flat_map(|places| places.iter().take(PLACES_MAX));
        let mut found: Vec<Range<usize>> =
            places.filter_map(|&run| self.window(line, run)).collect();
        found.sort_by_key(|runs| (runs.start, runs.end));
        found.dedup();
        found
    }

    /// The runs around one that are most like a line, and like enough; the fewest of those.
    fn window(&self, line: &[u64], run: usize) -> Option<Range<usize>> {
        let mut best: Option<(f32, Range<usize>)> = None;
        for length in 1..=WINDOW_MAX.min(self.ends.len()) {
            let first = (run + 1).saturating_sub(length);
            for from in first..=run.min(self.ends.len() - length) {
                let runs = from..from + length;
                let is_better = |likeness: f32| match &best {
                    None => likeness >= LIKENESS_MIN,
                    Some((most, _)) => likeness > *most,
                };
                let likeness = likeness(line, self.words(runs.clone()));
                if is_better(likeness) && runs.clone().all(|run| self.is_own[run]) {
                    best = Some((likeness, runs));
                }
            }
        }
        best.map(|(_, runs)| runs)
    }
}

/// The share of common words in all words, each as often as it occurs; `line` is sorted.
fn likeness(line: &[u64], other: &[u64]) -> f32 {
    let (short, long) = (line.len().min(other.len()), line.len().max(other.len()));
    if short == 0 || (short as f32) < LIKENESS_MIN * long as f32 {
        return 0.0;
    }
    let mut other = other.to_vec();
    other.sort_unstable();
    let (mut at, mut common) = (0, 0);
    for word in line {
        while at < other.len() && other[at] < *word {
            at += 1;
        }
        if other.get(at) == Some(word) {
            common += 1;
            at += 1;
        }
    }
    common as f32 / (line.len() + other.len() - common) as f32
}

/// The elements around some runs, the innermost first.
fn around<'f>(
    flat: &'f FlatDom<'_>,
    runs: &Range<usize>,
) -> impl Iterator<Item = ElementIndex> + use<'f> {
    let last = flat.runs[runs.end - 1].owner;
    let around = flat.ancestors(flat.runs[runs.start].owner);
    around.skip_while(move |&at| !flat.contains(at, last))
}

fn is_hidden(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let mut around = flat.ancestors(at);
    around.any(|at| flat.elements[at as usize].traits.has(Traits::HIDDEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept of a page that states these lists, with nothing chosen but the last line.
    fn kept(lists: &[&[&str]], page: &str) -> Vec<String> {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let paths: Vec<u64> = flat.runs.iter().map(|run| run.owner.into()).collect();
        let owned = |lines: &&[&str]| lines.iter().map(|&line| line.to_owned()).collect();
        let structured = Structured {
            lists: lists.iter().map(owned).collect(),
            ..Structured::default()
        };
        let mut main = vec![false; flat.runs.len()];
        *main.last_mut().unwrap() = true;
        let probability = vec![0.1; main.len()];
        keep(&flat, &survey, &paths, &structured, &probability, &mut main);
        let texts = survey.texts.into_iter().zip(main);
        texts
            .filter_map(|(text, kept)| kept.then_some(text))
            .collect()
    }

    const TAKES: &[&str] = &["200 g flour", "½ tsp salt", "basil"];
    const END: &str = "<p>Mix it all, and bake it.";
    const HEAD: &str = "<p><a href=/>Salt</a><p><a href=/b>Basil</a><p>A tart with basil.";

    #[test]
    fn a_stated_list_is_kept_however_it_is_written() {
        for (list, lines) in [
            (
                "<ul><li>200 g <a href=/f>flour</a><li>1/2 tsp salt<li><a href=/b>Basil</a></ul>",
                &["200 g flour", "1/2 tsp salt", "Basil"][..],
            ),
            (
                "<ul><li><label><input type=checkbox><span>200 g flour</span></label><li><label>½ tsp salt\
                 </label><li><label>basil</label></ul>",
                &["200 g flour", "½ tsp salt", "basil"],
            ),
            (
                "<dl><dt>flour<dd>200 g<dt>salt<dd>½ tsp<dt>basil</dl>",
                &["flour", "200 g", "salt", "½ tsp", "basil"],
            ),
            (
                "<div><p>200<div>g flour</div><p>½<div>tsp salt</div><div>basil</div></div>",
                &["200", "g flour", "½", "tsp salt", "basil"],
            ),
            (
                "<div>200 g flour<br>½ tsp salt<br>basil</div>",
                &["200 g flour\n½ tsp salt\nbasil"],
            ),
        ] {
            let page = format!("{HEAD}<div><h2>Ingredients</h2>{list}</div>{END}");
            let all = [&["Ingredients"], lines, &["Mix it all, and bake it."]].concat();
            assert_eq!(kept(&[TAKES], &page), all, "{page}");
        }
    }

    #[test]
    fn what_the_page_does_not_show_is_not_kept() {
        // "Salt" and "Basil" in the menu are one line of three; the page shows another recipe's list.
        assert_eq!(
            kept(&[TAKES], &format!("{HEAD}{END}")),
            ["Mix it all, and bake it."]
        );
        let list = "<ul><li>200 g flour<li>½ tsp salt<li>basil</ul>";
        for others in [
            format!("<div class=related-posts>{list}</div>"),
            format!("<div id=comments class=comments><p>I took:</p>{list}</div>"),
        ] {
            let page = format!("<body>{others}{END}");
            assert_eq!(
                kept(&[TAKES], &page),
                ["Mix it all, and bake it."],
                "{page}"
            );
        }
    }

    #[test]
    fn one_copy_is_enough_and_what_stands_among_the_lines_belongs_to_them() {
        let list = "<div><p>For 4</p><ul><li>200 g flour<li>▢<h4>For the top</h4><li>½ tsp \
                    salt<li>basil</ul></div>";
        let page = format!("<h3>You need</h3>{list}<section>{list}</section>{END}");
        assert_eq!(
            kept(&[TAKES], &page),
            [
                "You need",
                "For 4",
                "200 g flour",
                "For the top",
                "½ tsp salt",
                "basil",
                "Mix it all, and bake it."
            ]
        );
    }
}
