//! All that the candidates say of a page, computed once and read by features, classifier, page
//! type and metadata.

use std::ops::Range;

use crate::candidates::container::{self, Container};
use crate::candidates::max_subsequence;
use crate::candidates::repeated_units::{self, Unit};
use crate::candidates::semantic_elements::{self, SemanticElements};
use crate::dates;
use crate::flat_dom::FlatDom;
use crate::line_markers::{Marker, Markers};
use crate::prefix_sums::PrefixSums;
use crate::shingles::RunShingles;

/// The candidates' answers for one page, with the texts of its runs.
pub(crate) struct Survey {
    pub sums: PrefixSums,
    /// The text of each run, whitespace collapsed.
    pub texts: Vec<String>,
    pub shingles: RunShingles,
    /// The markers of each run's text.
    pub markers: Vec<Markers>,
    pub semantic: SemanticElements,
    pub container: Container,
    /// The range of runs with the largest sum of scores.
    pub max_subsequence: Range<usize>,
    /// For each run, the repeated unit with the most text around it.
    pub units: Vec<Unit>,
    /// For each run, the innermost repeated unit around it.
    pub inner_units: Vec<Unit>,
}

impl Survey {
    pub(crate) fn of(flat: &FlatDom<'_>) -> Survey {
        let sums = PrefixSums::of(flat);
        let mut lower = String::new();
        let texts: Vec<String> = flat.runs.iter().map(|run| flat.run_text(run)).collect();
        let markers = texts
            .iter()
            .map(|text| Markers::of(text, &mut lower))
            .collect();
        let (units, inner_units) = repeated_units::find(flat);
        Survey {
            semantic: semantic_elements::find(flat, &sums),
            container: container::find(flat, &sums),
            max_subsequence: max_subsequence::find(flat),
            units,
            inner_units,
            sums,
            shingles: RunShingles::of(&texts),
            texts,
            markers,
        }
    }

    /// Whether a line tells a day, in the words of any language that dates are read in, or how long ago something was.
    pub(crate) fn has_date(&self, run: usize) -> bool {
        let is_marked = |markers: &Markers| markers.has(Marker::Date);
        let is_written = |text: &String| dates::stands_in(text) || dates::is_ago(text);
        self.markers.get(run).is_some_and(is_marked) || self.texts.get(run).is_some_and(is_written)
    }
}
