//! What an order found, page by page, and how that is told.

use ::report::table::{Align, Table};
use ::report::words::{count, plural, share};
use serde_json::json;

use super::graph::Graph;
use crate::output::Output;

/// Where the curve is told.
const MARKS: [usize; 10] = [
    50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000,
];

/// The strategies' score is taken over so many pages at most: later, all have found all.
const SCORED_MAX: usize = 1_000;

/// What is counted.
pub(super) struct Measure<'g> {
    clusters: &'g [usize],
    is_relevant: Vec<bool>,
    threshold: f32,
    not_archived: u64,
    without_text: u64,
    /// Relevant pages, and relevant and new ones.
    all: (usize, usize),
}

impl<'g> Measure<'g> {
    pub fn new(graph: &'g Graph, relevance: &[f32], threshold: f32) -> Measure<'g> {
        let mut measure = Measure {
            clusters: &graph.clusters,
            is_relevant: relevance
                .iter()
                .map(|&chance| chance >= threshold)
                .collect(),
            threshold,
            not_archived: graph.not_archived,
            without_text: graph.without_text,
            all: (0, 0),
        };
        let everything: Vec<usize> = (0..graph.pages.len()).collect();
        measure.all = measure
            .count(&everything)
            .last()
            .copied()
            .unwrap_or_default();
        measure
    }

    /// Relevant pages, and relevant and new ones, after each page.
    fn count(&self, fetched: &[usize]) -> Vec<(usize, usize)> {
        let mut known = vec![false; self.clusters.len()];
        let mut so_far = (0, 0);
        let counts = fetched.iter().map(|&at| {
            if self.is_relevant[at] {
                so_far.0 += 1;
                let is_known = std::mem::replace(&mut known[self.clusters[at]], true);
                so_far.1 += usize::from(!is_known);
            }
            so_far
        });
        counts.collect()
    }
}

/// What an order found.
pub(super) struct Curve {
    name: &'static str,
    /// Relevant pages, and relevant and new ones, after each page.
    found: Vec<(usize, usize)>,
}

impl Curve {
    pub fn of(measure: &Measure<'_>, name: &'static str, fetched: &[usize]) -> Curve {
        Curve {
            name,
            found: measure.count(fetched),
        }
    }

    /// The mean over the first pages of the share of relevant and new ones so far.
    fn mean_harvest(&self, pages: usize) -> f64 {
        let shares = self.found.iter().take(pages).enumerate();
        let sum: f64 = shares
            .map(|(at, found)| found.1 as f64 / (at + 1) as f64)
            .sum();
        sum / pages.min(self.found.len()).max(1) as f64
    }

    fn of_oracle(&self, oracle: &Curve) -> f64 {
        let best = oracle.mean_harvest(SCORED_MAX);
        if best > 0.0 {
            self.mean_harvest(SCORED_MAX) / best
        } else {
            0.0
        }
    }

    fn marks(&self) -> impl Iterator<Item = usize> {
        let last = self.found.len();
        let marks = MARKS.into_iter().filter(move |&mark| mark < last);
        marks.chain((last > 0).then_some(last))
    }

    pub fn json(&self, measure: &Measure<'_>, oracle: &Curve) -> serde_json::Value {
        let curve: Vec<_> = self
            .marks()
            .map(|mark| {
                let (relevant, new) = self.found[mark - 1];
                json!({
                    "pages": mark, "relevant": relevant, "relevant_new": new,
                    "harvest": new as f64 / mark as f64,
                    "recall": new as f64 / measure.all.1.max(1) as f64,
                    "oracle_relevant_new": oracle.found.get(mark - 1).map(|found| found.1),
                })
            })
            .collect();
        let last = self.found.len();
        json!({
            "strategy": self.name,
            "pages": last,
            "archived": measure.clusters.len(),
            "not_archived": measure.not_archived,
            "without_text": measure.without_text,
            "threshold": measure.threshold,
            "relevant": measure.all.0,
            "relevant_new": measure.all.1,
            "mean_harvest": self.mean_harvest(last),
            "mean_harvest_1000": self.mean_harvest(SCORED_MAX),
            "oracle_mean_harvest_1000": oracle.mean_harvest(SCORED_MAX),
            "of_oracle": self.of_oracle(oracle),
            "curve": curve,
        })
    }
}

/// All curves side by side.
pub(super) fn show(
    measure: &Measure<'_>,
    curves: &[Curve],
    oracle: &Curve,
    output: &Output,
) -> anyhow::Result<()> {
    output.line(format!(
        "{} of the crawl, {} relevant to the topic at {} and above, {} of them new",
        plural(measure.clusters.len() as u64, "page", "pages"),
        count(measure.all.0 as u64),
        measure.threshold,
        count(measure.all.1 as u64),
    ))?;
    let reached = oracle.found.len();
    if reached < measure.clusters.len() {
        output.line(format!(
            "{} replayed; the others are beyond --max-pages, or no archived link leads to them",
            plural(reached as u64, "page", "pages"),
        ))?;
    }
    let all: Vec<&Curve> = curves.iter().chain([oracle]).collect();
    let heads = all.iter().map(|curve| (curve.name, Align::Right));
    let heads: Vec<_> = [("relevant and new after", Align::Left)]
        .into_iter()
        .chain(heads)
        .collect();
    let mut table = Table::new(&heads);
    for mark in oracle.marks() {
        let cells = all.iter().map(|curve| match curve.found.get(mark - 1) {
            Some(found) => {
                let new = found.1 as u64;
                format!("{} ({})", count(new), share(new, mark as u64))
            }
            None => "–".to_owned(),
        });
        table.row(
            [plural(mark as u64, "page", "pages")]
                .into_iter()
                .chain(cells),
        );
    }
    let scored = SCORED_MAX.min(reached);
    let mean = format!("mean harvest to {}", count(scored as u64));
    let means = all
        .iter()
        .map(|curve| format!("{:.3}", curve.mean_harvest(SCORED_MAX)));
    table.row([mean].into_iter().chain(means));
    let ratios = all
        .iter()
        .map(|curve| format!("{:.3}", curve.of_oracle(oracle)));
    table.row(["of the oracle's".to_owned()].into_iter().chain(ratios));
    for mark in [250, SCORED_MAX].into_iter().filter(|&mark| mark < reached) {
        let recall = all.iter().map(|curve| {
            let found = curve.found.get(mark - 1).map_or(0, |found| found.1);
            share(found as u64, measure.all.1 as u64)
        });
        let name = format!("found of all by {}", count(mark as u64));
        table.row([name].into_iter().chain(recall));
    }
    for line in table.lines(output.width) {
        output.line(line)?;
    }
    Ok(())
}
