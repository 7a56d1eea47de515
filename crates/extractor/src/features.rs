//! Features of every text run: the numbers that the classifier decides by.
//!
//! They come from eight kinds of evidence, a module each: the run's own text, the runs that share
//! its text or path, other texts it overlaps with, reading order, the elements around it, the
//! candidates' opinions, the headline, and the links; and the page as a whole. All lengths are
//! script-aware weights on a log scale, so one classifier serves every script.
//!
//! The order of the features is that of the trained forests: a test compares the names.

mod ancestors;
mod candidate_opinions;
mod headline;
mod link_targets;
mod page_wide;
mod run_text;
mod same_runs;
mod sequence;
mod table;
mod text_overlap;

use url::Url;

use crate::flat_dom::{ElementIndex, FlatDom, Run};
use crate::structured::Structured;
use crate::survey::Survey;
use crate::tag::Tag;

use ancestors::{
    ENCLOSING, Kinds, count_before, enclosing_elements, put_ancestors, put_enclosing, put_pictures,
};
use candidate_opinions::{put_inner_unit, put_opinions};
use headline::Headline;
use link_targets::put_links;
use page_wide::{PageFacts, page_facts, put_page};
use run_text::put_run;
use same_runs::SameRuns;
use sequence::{Landmarks, PassedLines, put_neighbours};
use text_overlap::{TextOverlap, first_heading_run};

pub(crate) use table::Table;

/// Numbers reserved for a run: a few more than there are features.
const WIDTH: usize = 230;

/// The features of a page's runs.
pub(crate) struct Features {
    pub table: Table,
    /// For each run, a hash of its path of tags and first classes.
    pub paths: Vec<u64>,
}

/// What the features of all runs are computed from, gathered once a page.
struct PageInputs<'p> {
    flat: &'p FlatDom<'p>,
    survey: &'p Survey,
    facts: PageFacts,
    url: &'p Url,
    /// For each run, the smallest element around all of its text.
    places: Vec<ElementIndex>,
    /// For each element, what runs inside it stand in.
    kinds: Vec<Kinds>,
    /// For each run, the elements around it that each hold more runs, and its section.
    enclosing: Vec<[ElementIndex; ENCLOSING + 1]>,
    /// For each element, how many images stand before it.
    images_before: Vec<u32>,
}

impl<'p> PageInputs<'p> {
    fn of(
        flat: &'p FlatDom<'p>,
        survey: &'p Survey,
        structured: &Structured,
        url: &'p Url,
    ) -> PageInputs<'p> {
        let places: Vec<ElementIndex> = flat.runs.iter().map(|run| place(flat, run)).collect();
        let enclosing = places.iter();
        let enclosing = enclosing.map(|&place| enclosing_elements(flat, &survey.sums, place));
        PageInputs {
            flat,
            survey,
            facts: page_facts(flat, survey, structured, url),
            url,
            kinds: Kinds::of(flat),
            enclosing: enclosing.collect(),
            images_before: count_before(flat, |element| element.tag == Tag::Img),
            places,
        }
    }
}

/// Computes the features of every run.
pub(crate) fn compute(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    url: &Url,
) -> Features {
    let page = PageInputs::of(flat, survey, structured, url);
    let same_runs = SameRuns::of(flat, survey, &page.places);
    let overlap = TextOverlap::of(flat, survey, structured);
    let landmarks = Landmarks::of(flat, first_heading_run(flat, survey));
    let mut passed = PassedLines::default();
    let mut headline = Headline::of(flat, survey);
    let mut table = Table::with_capacity(flat.runs.len() * WIDTH);
    let mut page_columns = 0..0;
    for index in 0..flat.runs.len() {
        let mut row = table.begin_row(index);
        put_run(&mut row, &page, index);
        same_runs.put(&mut row, page.facts.page.weight, index);
        overlap.put(&mut row, survey, index);
        put_neighbours(&mut row, &page, index);
        passed.put(&mut row, &page, index);
        landmarks.put(&mut row, &page, index);
        put_ancestors(&mut row, &page, index);
        put_enclosing(&mut row, &page, index);
        put_pictures(&mut row, &page, index);
        put_opinions(&mut row, &page, index);
        // The features of the page are computed for its first run and copied for the others.
        let at = row.table.values.len();
        if row.first {
            put_page(&mut row, survey, &page.facts);
            page_columns = at..row.table.values.len();
        } else {
            row.table.values.extend_from_within(page_columns.clone());
        }
        headline.put(&mut row, &page, index);
        put_links(&mut row, &page, index);
        put_inner_unit(&mut row, &page, index);
    }
    Features {
        table,
        paths: same_runs.paths,
    }
}

/// The smallest element around all of a run's text.
fn place(flat: &FlatDom<'_>, run: &Run) -> ElementIndex {
    let pieces = &flat.pieces[run.pieces.start as usize..run.pieces.end as usize];
    let mut text = pieces
        .iter()
        .filter(|piece| !piece.text.trim_start().is_empty());
    let Some(first) = text.next() else {
        return run.owner;
    };
    let last = text.next_back().unwrap_or(first);
    flat.ancestors(first.element)
        .find(|&index| flat.contains(index, last.element))
        .unwrap_or(run.owner)
}
