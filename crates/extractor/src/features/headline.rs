//! Features of the headline: does a run belong to the piece that the page's title names?
//!
//! A page may hold several texts; the one it is about stands with its title. What comes after
//! another heading of the title's kind, or in another branch of the page, or speaks of other
//! things than the page's prose, is another text.

use super::{PageFacts, Row, log};
use crate::features::Survey;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::line_markers::Marker;
use crate::prefix_sums::{is_prose, share};
use crate::shingles::hash_words;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the headline is, and what was passed since.
pub(super) struct Headline {
    /// The run that says the title best.
    run: Option<usize>,
    element: ElementIndex,
    level: u8,
    /// How well it says it.
    score: f32,
    words: FxHashSet<u64>,
    /// For each long word of the page's prose, the first run with it and whether another has it.
    vocabulary: FxHashMap<u64, (u32, bool)>,
    /// Headings of the title's level, by-lines and dates since.
    same_level: u32,
    labels: u32,
}

impl Headline {
    pub(super) fn of(flat: &FlatDom<'_>, survey: &Survey) -> Headline {
        const WEIGHT_MAX: u32 = 300;
        const LEAST: f32 = 0.35;
        let mut title = Vec::new();
        hash_words(&flat.title, &mut title);
        let words: FxHashSet<u64> = title.iter().copied().collect();
        let mut best = (LEAST, None);
        for (index, run) in flat.runs.iter().enumerate() {
            if run.counts.weight > WEIGHT_MAX || words.is_empty() {
                continue;
            }
            let own = survey.shingles.words(index);
            let common = own.iter().filter(|word| words.contains(word)).count();
            if common == 0 {
                continue;
            }
            let level = heading_level(flat, index);
            let linked = run.link_weight * 2 > run.counts.weight;
            let score = 2.0 * common as f32 / (own.len() + title.len()) as f32
                + match level {
                    1 => 0.3,
                    2 => 0.15,
                    3..=6 => 0.1,
                    _ => 0.0,
                }
                - if linked { 0.2 } else { 0.0 };
            if score > best.0 {
                best = (score, Some(index));
            }
        }
        let (score, run) = match best {
            (score, Some(index)) => (score, Some(index)),
            (_, None) => (
                0.0,
                Some(survey.semantic.h1)
                    .filter(|&h1| h1 != NO_ELEMENT)
                    .map(|h1| flat.elements[h1 as usize].first_run as usize)
                    .filter(|&run| run < flat.runs.len()),
            ),
        };
        let prose = (0..flat.runs.len()).filter(|&run| is_prose(&flat.runs[run]));
        let words_of_prose: usize = prose.map(|run| survey.shingles.words(run).len()).sum();
        let mut vocabulary: FxHashMap<u64, (u32, bool)> = FxHashMap::default();
        vocabulary.reserve(words_of_prose / 2);
        for (index, run) in flat.runs.iter().enumerate() {
            if !is_prose(run) {
                continue;
            }
            for &word in survey.shingles.words(index) {
                let entry = vocabulary.entry(word).or_insert((index as u32, false));
                entry.1 |= entry.0 != index as u32;
            }
        }
        Headline {
            run,
            element: run.map_or(NO_ELEMENT, |run| flat.runs[run].owner),
            level: run.map_or(0, |run| heading_level(flat, run)),
            score,
            words,
            vocabulary,
            same_level: 0,
            labels: 0,
        }
    }

    pub(super) fn put(
        &mut self,
        row: &mut Row<'_>,
        flat: &FlatDom<'_>,
        survey: &Survey,
        facts: &PageFacts,
        place: ElementIndex,
        index: usize,
    ) {
        let run = &flat.runs[index];
        let signed = match self.run {
            Some(title) => {
                let distance = index as f32 - title as f32;
                distance.signum() * (1.0 + distance.abs()).ln()
            }
            None => 20.0,
        };
        row.put("from_title", signed);
        row.put("title_score", self.score);
        let meet = match self.element {
            NO_ELEMENT => None,
            title => flat
                .ancestors(title)
                .enumerate()
                .find(|&(_, at)| flat.contains(at, run.owner)),
        };
        match meet {
            Some((steps, at)) => {
                let sum = survey.sums.under(flat, at);
                row.put("title_steps", steps as f32);
                row.put("title_share", share(sum.weight, facts.page.weight, 0.0));
                row.put("title_prose", share(sum.prose, facts.page.prose, 0.0));
                row.put("title_depth", f32::from(flat.elements[at as usize].depth));
                let down = f32::from(flat.elements[place as usize].depth)
                    - f32::from(flat.elements[at as usize].depth);
                row.put("title_down", down);
                // The branch below the meeting point that the run stands in.
                let branch = flat
                    .ancestors(place)
                    .take_while(|&branch| branch != at)
                    .last()
                    .unwrap_or(place);
                let sum = survey.sums.under(flat, branch);
                row.put("branch_share", share(sum.weight, facts.page.weight, 0.0));
                row.put("branch_prose", share(sum.prose, facts.page.prose, 0.0));
                row.put("branch_links", sum.link_density());
                let first = flat.elements[branch as usize].first_run as usize;
                row.put("branch_from", first as f32 - self.run.unwrap_or(0) as f32);
                row.put("branch_headings", log(sum.headings));
            }
            None => {
                for name in [
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
                ] {
                    row.put(name, -1.0);
                }
            }
        }
        let after = self.run.is_some_and(|title| index > title);
        let level = heading_level(flat, index);
        if after {
            self.same_level += u32::from(self.level > 0 && level > 0 && level <= self.level);
        }
        row.put("same_level", log(self.same_level));
        row.put("labels", log(self.labels));
        let markers = survey.markers[index];
        if after
            && run.counts.weight < 100
            && (markers.has(Marker::Date) || markers.has(Marker::Byline))
        {
            self.labels += 1;
        }
        let own = survey.shingles.words(index);
        let common = own.iter().filter(|word| self.words.contains(word)).count();
        row.put(
            "title_words",
            share(common as u32, self.words.len() as u32, 0.0),
        );
        let known = own
            .iter()
            .filter(|word| {
                self.vocabulary
                    .get(word)
                    .is_some_and(|&(first, many)| many || first != index as u32)
            })
            .count();
        row.put("vocabulary", share(known as u32, own.len() as u32, -1.0));
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
    use crate::features::{Survey, compute};
    use crate::flat_dom::FlatDom;

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
