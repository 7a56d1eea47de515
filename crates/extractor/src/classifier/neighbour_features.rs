//! A second look at each run, by what the first said of the runs around it.
//!
//! The first forest sees one run and its surroundings' looks. Whether a short line is content
//! depends on whether its neighbours are: in a stretch of sure content it is, among doubtful
//! teasers it is not. So a second, smaller forest weighs the first one's probabilities before and
//! after a run, in the elements around it, along its path of tags, and on the page as a whole.
//! It was trained on probabilities for pages that the first forest had not seen.
//!
//! Cost: prefix sums, so a few dozen operations a run.
//!
//! Source: stacking, as in Cohen and Carvalho, *Stacked sequential learning*, IJCAI 2005.

use crate::features::{Features, Row, Table};
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::survey::Survey;
use rustc_hash::FxHashMap;

/// Words of a run beyond this count no more.
const WORDS_MAX: u32 = 60;
/// A probability from which a run is a landmark.
const SURE: f32 = 0.5;
/// Log odds where there is no run.
const NOWHERE: f32 = -6.0;

/// Features of a run's own that the second forest sees, too. None of the page's: with a few hundred
/// pages to learn from, those were learnt by heart.
const OWN: [&str; 7] = [
    "weight",
    "links",
    "tag",
    "heading",
    "sign_related",
    "since_heading",
    "unit_count",
];

/// How much a run counts: by its words, up to a bound.
fn weight(flat: &FlatDom<'_>, run: usize) -> f32 {
    flat.runs[run].counts.words.min(WORDS_MAX) as f32 + 0.5
}

/// The first look's odds with the sums that the features ask for.
struct First<'o> {
    odds: &'o [f32],
    probability: Vec<f32>,
    weights: Vec<f32>,
    /// Likely content and all text before each run, by weight.
    likely: Vec<f32>,
    whole: Vec<f32>,
}

impl First<'_> {
    fn of<'o>(flat: &FlatDom<'_>, odds: &'o [f32]) -> First<'o> {
        let probability: Vec<f32> = odds
            .iter()
            .map(|odds| 1.0 / (1.0 + (-odds).exp()))
            .collect();
        let weights: Vec<f32> = (0..odds.len()).map(|run| weight(flat, run)).collect();
        let mut likely = vec![0.0; odds.len() + 1];
        let mut whole = vec![0.0; odds.len() + 1];
        for run in 0..odds.len() {
            likely[run + 1] = likely[run] + probability[run] * weights[run];
            whole[run + 1] = whole[run] + weights[run];
        }
        First {
            odds,
            probability,
            weights,
            likely,
            whole,
        }
    }

    /// Likely content and all text in a range.
    fn sum(&self, from: usize, to: usize) -> (f32, f32) {
        (
            self.likely[to] - self.likely[from],
            self.whole[to] - self.whole[from],
        )
    }

    fn all(&self) -> (f32, f32) {
        self.sum(0, self.odds.len())
    }

    fn near(&self, run: usize, step: isize) -> f32 {
        run.checked_add_signed(step)
            .and_then(|near| self.odds.get(near))
            .copied()
            .unwrap_or(NOWHERE)
    }

    /// The odds just before and after a run, and the likely share of the stretches there.
    fn put_neighbours(&self, row: &mut Row<'_>, run: usize) {
        row.put("odds", self.odds[run]);
        for (step, before, after) in [(1, "p1", "n1"), (2, "p2", "n2"), (3, "p3", "n3")] {
            row.put(before, self.near(run, -step));
            row.put(after, self.near(run, step));
        }
        for (span, before, after) in [(3, "b3", "a3"), (8, "b8", "a8"), (20, "b20", "a20")] {
            let mean = |(held, size): (f32, f32)| held / (size + 0.1);
            row.put(before, mean(self.sum(run.saturating_sub(span), run)));
            let to = (run + 1 + span).min(self.odds.len());
            row.put(after, mean(self.sum(run + 1, to)));
        }
    }

    /// The likely share of the elements around a run, with and without it, and their share of the
    /// page's likely content.
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
                    let (held, size) = self.sum(from, to);
                    [
                        held / (size + 1e-9),
                        (held - mine) / (size - weight + 0.5),
                        held / (self.all().0 + 1e-9),
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

/// The features of every run's neighbours; `odds` are the first look's.
pub(crate) fn rows(
    flat: &FlatDom<'_>,
    survey: &Survey,
    features: &Features,
    odds: &[f32],
) -> Table {
    let odds: Vec<f32> = odds.iter().map(|odds| odds.clamp(-9.2, 9.2)).collect();
    let first = First::of(flat, &odds);
    let count = odds.len();
    let all_likely = first.all().0;
    let mut same_path: FxHashMap<u64, (f32, f32, f32)> = FxHashMap::default();
    for run in 0..count {
        let sum = same_path.entry(features.paths[run]).or_default();
        sum.0 += first.probability[run] * first.weights[run];
        sum.1 += first.weights[run];
        sum.2 = sum.2.max(first.probability[run]);
    }
    let (rank, expected) = ranks(&first);
    let is_sure = |probability: &f32| *probability > SURE;
    let first_sure = first.probability.iter().position(is_sure);
    let last_sure = first.probability.iter().rposition(is_sure);
    let next_sure = next_sure(&first.probability);
    let own: Vec<usize> = OWN
        .iter()
        .filter_map(|name| features.table.names.iter().position(|other| other == name))
        .collect();
    let mut previous_sure: Option<usize> = None;
    let mut table = Table::with_capacity(count * 60);
    for run in 0..count {
        let mut row = table.begin_row(run);
        first.put_neighbours(&mut row, run);
        let units = [survey.units[run].element, survey.inner_units[run].element];
        let enclosing = features.enclosing[run].iter().copied().chain(units);
        first.put_enclosing(&mut row, flat, enclosing, run);
        let (held, size, most) = same_path[&features.paths[run]];
        let weight = first.weights[run];
        let mine = first.probability[run] * weight;
        row.put("path", held / size);
        row.put("path_others", (held - mine) / (size - weight + 0.5));
        row.put("path_most", most);
        row.put("before", first.likely[run] / (all_likely + 1e-9));
        row.put("after", first.sum(run + 1, count).0 / (all_likely + 1e-9));
        row.put("from_first", signed(run, first_sure));
        row.put("from_last", signed(run, last_sure));
        row.put(
            "gap_before",
            gap(previous_sure.map(|previous| run - previous)),
        );
        row.put(
            "gap_after",
            gap(next_sure[run + 1].map(|next| next as usize - run)),
        );
        row.put("rank", rank[run]);
        row.put("expected", expected[run]);
        for &feature in &own {
            row.put(
                features.table.names[feature],
                features.table.row(run)[feature],
            );
        }
        if is_sure(&first.probability[run]) {
            previous_sure = Some(run);
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

/// For each run, the likely content up to and with it when runs are taken by their probability,
/// and the expected F1 of taking so many.
fn ranks(first: &First<'_>) -> (Vec<f32>, Vec<f32>) {
    let (probability, weights, all_likely) = (&first.probability, &first.weights, first.all().0);
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
        rank[run] = right / (all_likely + 1e-9);
        expected[run] = 2.0 * right / (kept + all_likely + 1e-9);
    }
    (rank, expected)
}

/// For each place, the first sure run at or after it.
fn next_sure(probability: &[f32]) -> Vec<Option<u32>> {
    let mut next = vec![None; probability.len() + 1];
    for run in (0..probability.len()).rev() {
        next[run] = if probability[run] > SURE {
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
    fn a_run_sees_what_was_said_of_its_neighbours() {
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
        assert_eq!(value(0, "p1"), NOWHERE);
        assert!(
            value(1, "path_others") > 0.8,
            "its kin are the other paragraphs"
        );
        assert_eq!(value(2, "gap_before"), 2f32.ln_1p());
        assert_eq!(value(2, "gap_after"), 1f32.ln_1p());
        assert_eq!(value(0, "before"), 0.0);
        assert_eq!(table.values.len(), 4 * table.names.len());
    }
}
