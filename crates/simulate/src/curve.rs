//! What an order found, page by page.

/// Marks at which curves are told.
const MARKS: [usize; 10] = [
    50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000,
];

/// Pages over which strategies are scored at most: later, all have found all.
pub const SCORED_MAX: usize = 1_000;

/// Relevant pages so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// All of them.
    pub relevant: usize,
    /// Those that repeat none found before.
    pub relevant_and_new: usize,
}

/// What is counted.
#[derive(Debug, Clone)]
pub struct Measure {
    clusters: Vec<usize>,
    is_relevant: Vec<bool>,
}

impl Measure {
    /// Counts pages of at least this relevance, once for each cluster; both lists are in the order of
    /// the pages.
    pub fn new(clusters: &[usize], relevance: &[f32], threshold: f32) -> Measure {
        let relevance = relevance.iter();
        Measure {
            clusters: clusters.to_vec(),
            is_relevant: relevance.map(|&chance| chance >= threshold).collect(),
        }
    }

    /// What there is to find.
    pub fn all(&self) -> Found {
        let everything: Vec<usize> = (0..self.clusters.len()).collect();
        let found = self.curve("", &everything).found;
        found.last().copied().unwrap_or_default()
    }

    /// What an order finds.
    pub fn curve(&self, name: &'static str, fetched: &[usize]) -> Curve {
        let mut known = vec![false; self.clusters.len()];
        let mut so_far = Found::default();
        let found = fetched.iter().map(|&at| {
            if self.is_relevant[at] {
                so_far.relevant += 1;
                let is_known = std::mem::replace(&mut known[self.clusters[at]], true);
                so_far.relevant_and_new += usize::from(!is_known);
            }
            so_far
        });
        Curve {
            name,
            found: found.collect(),
        }
    }
}

/// What an order found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    /// The name of the order.
    pub name: &'static str,
    /// What was found after each page.
    pub found: Vec<Found>,
}

impl Curve {
    /// What was found after so many pages; `None` beyond the last.
    pub fn at(&self, pages: usize) -> Option<Found> {
        self.found.get(pages.checked_sub(1)?).copied()
    }

    /// The mean over the first pages of the share of relevant and new ones so far.
    pub fn mean_harvest(&self, pages: usize) -> f64 {
        let shares = self.found.iter().take(pages).enumerate();
        let sum: f64 = shares
            .map(|(at, found)| found.relevant_and_new as f64 / (at + 1) as f64)
            .sum();
        sum / pages.min(self.found.len()).max(1) as f64
    }

    /// The mean harvest over the scored pages as a share of the oracle's; 0 where there is nothing to
    /// find.
    pub fn of_oracle(&self, oracle: &Curve) -> f64 {
        let best = oracle.mean_harvest(SCORED_MAX);
        if best > 0.0 {
            self.mean_harvest(SCORED_MAX) / best
        } else {
            0.0
        }
    }

    /// Numbers of pages at which the curve is told; the last is its end.
    pub fn marks(&self) -> impl Iterator<Item = usize> {
        let last = self.found.len();
        let marks = MARKS.into_iter().filter(move |&mark| mark < last);
        marks.chain((last > 0).then_some(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_that_repeats_a_found_one_is_relevant_and_not_new() {
        let measure = Measure::new(&[0, 0, 2, 3], &[0.9, 0.8, 0.1, 0.5], 0.5);
        let found = |relevant, relevant_and_new| Found {
            relevant,
            relevant_and_new,
        };
        assert_eq!(measure.all(), found(3, 2));
        let curve = measure.curve("x", &[2, 1, 0, 3]);
        assert_eq!(
            curve.found,
            [found(0, 0), found(1, 1), found(2, 1), found(3, 2)]
        );
        assert_eq!(
            (curve.at(0), curve.at(2), curve.at(5)),
            (None, Some(found(1, 1)), None)
        );
        let expected = (0.0 + 1.0 / 2.0 + 1.0 / 3.0 + 2.0 / 4.0) / 4.0;
        assert!((curve.mean_harvest(9) - expected).abs() < 1e-12);
        assert_eq!(curve.mean_harvest(1), 0.0);
    }

    #[test]
    fn nothing_to_find_is_no_score() {
        let measure = Measure::new(&[0], &[0.0], 0.5);
        let curve = measure.curve("x", &[0]);
        assert_eq!(curve.of_oracle(&curve), 0.0);
        assert_eq!(measure.curve("x", &[]).marks().count(), 0);
    }

    proptest! {
        /// A curve rises by at most one a page, ends with all there is in whatever order, and its
        /// marks rise to its end.
        #[test]
        fn a_curve_of_all_pages_finds_all(
            (order, clusters, relevance) in (1usize..400).prop_flat_map(|pages| (
                Just((0..pages).collect::<Vec<_>>()).prop_shuffle(),
                prop::collection::vec(0..pages, pages),
                prop::collection::vec(0f32..1.0, pages),
            )),
        ) {
            let measure = Measure::new(&clusters, &relevance, 0.5);
            let curve = measure.curve("x", &order);
            prop_assert_eq!(curve.found.last().copied().unwrap(), measure.all());
            for pair in curve.found.windows(2) {
                prop_assert!(pair[1].relevant - pair[0].relevant <= 1);
                prop_assert!(pair[1].relevant_and_new - pair[0].relevant_and_new <= 1);
            }
            prop_assert!(curve.found.iter().all(|f| f.relevant_and_new <= f.relevant));
            let marks: Vec<usize> = curve.marks().collect();
            prop_assert!(marks.is_sorted() && marks.last() == Some(&order.len()));
            prop_assert!((0.0..=1.0).contains(&curve.mean_harvest(SCORED_MAX)));
        }
    }
}
