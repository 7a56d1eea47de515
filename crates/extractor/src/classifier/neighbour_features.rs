//! Features of the runs around a run, for the second forest: the first forest's answers for them.
//!
//! Whether a short line is content depends on whether its neighbours are: amid likely content it is,
//! among doubtful teasers it is not. The features of the second forest are the first forest's log odds
//! and probabilities of the runs before and after a run, in the elements around it, on its path of
//! tags, and on the whole page. It was trained on the first forest's answers for pages that the first
//! forest had not seen.
//!
//! Cost: a few dozen operations for each run, thanks to prefix sums.
//!
//! Source: stacking, as in Cohen and Carvalho, *Stacked sequential learning*, IJCAI 2005.

use crate::features::{Features, Row, Table};
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::survey::Survey;
use rustc_hash::FxHashMap;

/// Words of a run that count for its weight; further ones do not.
const WORDS_MAX: u32 = 60;
/// The least probability of a run that counts as likely content.
const LIKELY: f32 = 0.5;
/// The log odds of a neighbour beyond the ends of the page.
const BEYOND: f32 = -6.0;

/// Features of the run itself that the second forest has, too. Features of the page are left out:
/// with a few hundred pages to train on, they made it overfit.
const OWN: [&str; 7] = [
    "weight",
    "links",
    "tag",
    "heading",
    "sign_related",
    "since_heading",
    "unit_count",
];

/// The weight of a run in sums: its words, up to a bound.
fn weight(flat: &FlatDom<'_>, run: usize) -> f32 {
    flat.runs[run].counts.words.min(WORDS_MAX) as f32 + 0.5
}

/// The first forest's answers, with prefix sums.
struct FirstAnswers<'o> {
    log_odds: &'o [f32],
    probability: Vec<f32>,
    weights: Vec<f32>,
    /// The expected weight of content before each run: the sum of probability times weight.
    expected: Vec<f32>,
    /// The weight of all runs before each run.
    total: Vec<f32>,
}

impl FirstAnswers<'_> {
    fn of<'o>(flat: &FlatDom<'_>, log_odds: &'o [f32]) -> FirstAnswers<'o> {
        let probability: Vec<f32> = log_odds
            .iter()
            .map(|odds| 1.0 / (1.0 + (-odds).exp()))
            .collect();
        let weights: Vec<f32> = (0..log_odds.len()).map(|run| weight(flat, run)).collect();
        let mut expected = vec![0.0; log_odds.len() + 1];
        let mut total = vec![0.0; log_odds.len() + 1];
        for run in 0..log_odds.len() {
            expected[run + 1] = expected[run] + probability[run] * weights[run];
            total[run + 1] = total[run] + weights[run];
        }
        FirstAnswers {
            log_odds,
            probability,
            weights,
            expected,
            total,
        }
    }

    /// The expected weight of content and the weight of all text in a range of runs.
    fn sum(&self, from: usize, to: usize) -> (f32, f32) {
        (
            self.expected[to] - self.expected[from],
            self.total[to] - self.total[from],
        )
    }

    fn all(&self) -> (f32, f32) {
        self.sum(0, self.log_odds.len())
    }

    fn at_offset(&self, run: usize, step: isize) -> f32 {
        run.checked_add_signed(step)
            .and_then(|near| self.log_odds.get(near))
            .copied()
            .unwrap_or(BEYOND)
    }

    /// The log odds of the runs just before and after a run, and the expected share of content in
    /// the stretches there.
    fn put_neighbours(&self, row: &mut Row<'_>, run: usize) {
        row.put("odds", self.log_odds[run]);
        for (step, before, after) in [(1, "p1", "n1"), (2, "p2", "n2"), (3, "p3", "n3")] {
            row.put(before, self.at_offset(run, -step));
            row.put(after, self.at_offset(run, step));
        }
        for (span, before, after) in [(3, "b3", "a3"), (8, "b8", "a8"), (20, "b20", "a20")] {
            let mean = |(content, total): (f32, f32)| content / (total + 0.1);
            row.put(before, mean(self.sum(run.saturating_sub(span), run)));
            let to = (run + 1 + span).min(self.log_odds.len());
            row.put(after, mean(self.sum(run + 1, to)));
        }
    }

    /// For each element around a run: the expected share of content in it, with and without the run,
    /// and its share of the page's expected content.
    fn put_enclosing(
        &self,
        row: &mut Row<'_>,
        flat: &FlatDom<'_>,
        enclosing: impl Iterator<Item = ElementIndex>,
        run: usize,
    ) {
        let weight = self.weights[run];
        let mine = self.probability[run] * weight;
        for (at, [mean, others, part]) in enclosing.zip(ENCLOSING_FEATURES) {
            let values = match range(flat, at) {
                Some((from, to)) => {
                    let (content, total) = self.sum(from, to);
                    [
                        content / (total + 1e-9),
                        (content - mine) / (total - weight + 0.5),
                        content / (self.all().0 + 1e-9),
                    ]
                }
                None => [-1.0; 3],
            };
            row.put(mean, values[0]);
            row.put(others, values[1]);
            row.put(part, values[2]);
        }
    }
}

/// The features of every run; `log_odds` are the first forest's.
pub(crate) fn rows(
    flat: &FlatDom<'_>,
    survey: &Survey,
    features: &Features,
    log_odds: &[f32],
) -> Table {
    let odds: Vec<f32> = log_odds.iter().map(|odds| odds.clamp(-9.2, 9.2)).collect();
    let first = FirstAnswers::of(flat, &odds);
    let count = odds.len();
    let all_expected = first.all().0;
    let mut same_path: FxHashMap<u64, (f32, f32, f32)> = FxHashMap::default();
    for run in 0..count {
        let sum = same_path.entry(features.paths[run]).or_default();
        sum.0 += first.probability[run] * first.weights[run];
        sum.1 += first.weights[run];
        sum.2 = sum.2.max(first.probability[run]);
    }
    let (rank, expected) = ranks(&first);
    let is_likely = |probability: &f32| *probability > LIKELY;
    let first_likely = first.probability.iter().position(is_likely);
    let last_likely = first.probability.iter().rposition(is_likely);
    let next_likely = next_likely(&first.probability);
    let own: Vec<usize> = OWN
        .iter()
        .filter_map(|name| features.table.names.iter().position(|other| other == name))
        .collect();
    let mut previous_likely: Option<usize> = None;
    let mut table = Table::with_capacity(count * 60);
    for run in 0..count {
        let mut row = table.begin_row(run);
        first.put_neighbours(&mut row, run);
        let units = [survey.units[run].element, survey.inner_units[run].element];
        let enclosing = features.enclosing[run].iter().copied().chain(units);
        first.put_enclosing(&mut row, flat, enclosing, run);
        let (content, total, most) = same_path[&features.paths[run]];
        let weight = first.weights[run];
        let mine = first.probability[run] * weight;
        row.put("path", content / total);
        row.put("path_others", (content - mine) / (total - weight + 0.5));
        row.put("path_most", most);
        row.put("before", first.expected[run] / (all_expected + 1e-9));
        row.put("after", first.sum(run + 1, count).0 / (all_expected + 1e-9));
        row.put("from_first", signed(run, first_likely));
        row.put("from_last", signed(run, last_likely));
        row.put(
            "gap_before",
            gap(previous_likely.map(|previous| run - previous)),
        );
        row.put(
            "gap_after",
            gap(next_likely[run + 1].map(|next| next as usize - run)),
        );
        row.put("rank", rank[run]);
        row.put("expected", expected[run]);
        for &feature in &own {
            row.put(
                features.table.names[feature],
                features.table.row(run)[feature],
            );
        }
        if is_likely(&first.probability[run]) {
            previous_likely = Some(run);
        }
    }
    table
}

const ENCLOSING_FEATURES: [[&str; 3]; 8] = [
    ["r0", "ro0", "rs0"],
    ["r1", "ro1", "rs1"],
    ["r2", "ro2", "rs2"],
    ["r3", "ro3", "rs3"],
    ["r4", "ro4", "rs4"],
    ["r5", "ro5", "rs5"],
    ["r6", "ro6", "rs6"],
    ["r7", "ro7", "rs7"],
];

fn range(flat: &FlatDom<'_>, at: ElementIndex) -> Option<(usize, usize)> {
    if at == NO_ELEMENT {
        return None;
    }
    let element = &flat.elements[at as usize];
    let (from, to) = (element.first_run as usize, element.end_run as usize);
    (from < to).then_some((from, to))
}

/// For each run, when runs are taken in the order of their probability: the share of the expected
/// content up to this run, and the expected F1 of keeping the runs up to this one.
fn ranks(first: &FirstAnswers<'_>) -> (Vec<f32>, Vec<f32>) {
    let (probability, weights, all_expected) = (&first.probability, &first.weights, first.all().0);
    let mut order: Vec<u32> = (0..probability.len() as u32).collect();
    order.sort_by(|&a, &b| {
        probability[b as usize]
            .total_cmp(&probability[a as usize])
            .then(a.cmp(&b))
    });
    let (mut rank, mut expected) = (vec![0.0; order.len()], vec![0.0; order.len()]);
    let (mut right, mut kept) = (0.0, 0.0);
    for run in order {
        let run = run as usize;
        right += probability[run] * weights[run];
        kept += weights[run];
        rank[run] = right / (all_expected + 1e-9);
        expected[run] = 2.0 * right / (kept + all_expected + 1e-9);
    }
    (rank, expected)
}

/// For each run, and for the end of the page, the first run of likely content at or after it.
fn next_likely(probability: &[f32]) -> Vec<Option<u32>> {
    let mut next = vec![None; probability.len() + 1];
    for run in (0..probability.len()).rev() {
        next[run] = if probability[run] > LIKELY {
            Some(run as u32)
        } else {
            next[run + 1]
        };
    }
    next
}

fn signed(run: usize, other: Option<usize>) -> f32 {
    let distance = run as f32 - other.map_or(-1.0, |other| other as f32);
    distance.signum() * distance.abs().ln_1p()
}

fn gap(distance: Option<usize>) -> f32 {
    (distance.map_or(60, |distance| distance.min(60)) as f32).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_the_first_answers_of_the_neighbours() {
        let html = scraper::Html::parse_document("<p>One.<p>Two.<h2>Three</h2><p>Four.");
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let url = url::Url::parse("http://a.example/").unwrap();
        let features = crate::features::compute(&flat, &survey, &Default::default(), &url);
        let table = rows(&flat, &survey, &features, &[3.0, 0.0, -3.0, 3.0]);
        let value = |run: usize, name: &str| {
            let column = table.names.iter().position(|&other| other == name);
            table.row(run)[column.unwrap()]
        };
        assert_eq!(value(1, "p1"), 3.0);
        assert_eq!(value(1, "n1"), -3.0);
        assert_eq!(value(0, "p1"), BEYOND);
        assert!(
            value(1, "path_others") > 0.8,
            "the other paragraphs are on its path"
        );
        assert_eq!(value(2, "gap_before"), 2f32.ln_1p());
        assert_eq!(value(2, "gap_after"), 1f32.ln_1p());
        assert_eq!(value(0, "before"), 0.0);
        assert_eq!(table.values.len(), 4 * table.names.len());
    }
}
