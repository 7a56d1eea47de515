//! Prefix sums over the runs: totals of any range of runs in constant time.
//!
//! Candidates and features ask for the links, prose and headings of many overlapping subtrees. With
//! prefix sums each answer takes one subtraction.

use crate::flat_dom::{ElementIndex, FlatDom, Run};
use crate::tag::Tag;

/// The totals of a range of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct RunTotals {
    pub runs: u32,
    pub weight: u32,
    pub words: u32,
    pub link_weight: u32,
    /// Weight of the runs of prose; see [`is_prose`].
    pub prose: u32,
    /// Number of the runs of prose.
    pub prose_runs: u32,
    pub sentence_ends: u32,
    pub commas: u32,
    pub headings: u32,
}

impl RunTotals {
    fn plus(self, other: RunTotals) -> RunTotals {
        RunTotals {
            runs: self.runs + other.runs,
            weight: self.weight + other.weight,
            words: self.words + other.words,
            link_weight: self.link_weight + other.link_weight,
            prose: self.prose + other.prose,
            prose_runs: self.prose_runs + other.prose_runs,
            sentence_ends: self.sentence_ends + other.sentence_ends,
            commas: self.commas + other.commas,
            headings: self.headings + other.headings,
        }
    }

    fn minus(self, other: RunTotals) -> RunTotals {
        RunTotals {
            runs: self.runs - other.runs,
            weight: self.weight - other.weight,
            words: self.words - other.words,
            link_weight: self.link_weight - other.link_weight,
            prose: self.prose - other.prose,
            prose_runs: self.prose_runs - other.prose_runs,
            sentence_ends: self.sentence_ends - other.sentence_ends,
            commas: self.commas - other.commas,
            headings: self.headings - other.headings,
        }
    }

    /// The share of the weight that is in links; 1.0 for no text.
    pub(crate) fn link_density(self) -> f32 {
        share(self.link_weight, self.weight, 1.0)
    }

    /// The share of the weight in runs of prose.
    pub(crate) fn prose_share(self) -> f32 {
        share(self.prose, self.weight, 0.0)
    }
}

/// `part / whole`, or `empty` if `whole` is zero.
pub(crate) fn share(part: u32, whole: u32, empty: f32) -> f32 {
    if whole == 0 {
        empty
    } else {
        part as f32 / whole as f32
    }
}

/// Whether a run is prose: at least one sentence long, few links, with punctuation.
pub(crate) fn is_prose(run: &Run) -> bool {
    run.counts.weight >= 70
        && run.link_weight * 3 < run.counts.weight
        && run.counts.sentence_ends + run.counts.commas > 0
}

/// Prefix sums over a page's runs.
pub(crate) struct PrefixSums {
    prefix: Vec<RunTotals>,
}

impl PrefixSums {
    pub(crate) fn of(flat: &FlatDom<'_>) -> PrefixSums {
        let mut prefix = Vec::with_capacity(flat.runs.len() + 1);
        let mut total = RunTotals::default();
        prefix.push(total);
        for run in &flat.runs {
            let prose = is_prose(run);
            let owner: Tag = flat.elements[run.owner as usize].tag;
            total = total.plus(RunTotals {
                runs: 1,
                weight: run.counts.weight,
                words: run.counts.words,
                link_weight: run.link_weight,
                prose: if prose { run.counts.weight } else { 0 },
                prose_runs: u32::from(prose),
                sentence_ends: run.counts.sentence_ends,
                commas: run.counts.commas,
                headings: u32::from(owner.heading_level().is_some()),
            });
            prefix.push(total);
        }
        PrefixSums { prefix }
    }

    /// The totals of the runs `from..to`; a range beyond the last run is cut.
    pub(crate) fn range(&self, from: usize, to: usize) -> RunTotals {
        let last = self.prefix.len() - 1;
        let to = to.min(last);
        let from = from.min(to);
        self.prefix[to].minus(self.prefix[from])
    }

    /// The totals of the runs inside an element.
    pub(crate) fn under(&self, flat: &FlatDom<'_>, index: ElementIndex) -> RunTotals {
        let element = &flat.elements[index as usize];
        self.range(element.first_run as usize, element.end_run as usize)
    }

    /// The totals of the whole page.
    pub(crate) fn page(&self) -> RunTotals {
        self.range(0, self.prefix.len() - 1)
    }
}
