//! Two dozen signals, and the most probable weights for them.
//!
//! Logistic regression with a normal belief about each weight, solved by Newton's method. With
//! this few signals a step is a small Cholesky factorisation, exact and without a learning rate.

/// The number of signals of a link.
pub(crate) const SIGNAL_COUNT: usize = 23;

/// The signals of a link, or a weight for each.
pub(crate) type Signals = [f32; SIGNAL_COUNT];

/// Names of the signals, for people.
pub(crate) const SIGNAL_NAMES: [&str; SIGNAL_COUNT] = [
    "any link",
    "keywords in the anchor",
    "keywords in the URL",
    "keywords around it",
    "anchor words learnt",
    "anchor like the examples",
    "URL words learnt",
    "words around it learnt",
    "words around it like the examples",
    "relevance of the pages with it",
    "the most relevant page with it",
    "relevant pages with it",
    "pages with it",
    "other links of these pages",
    "its neighbours in the same place",
    "its host",
    "URLs of its form",
    "links in the same place of the site",
    "in the main text",
    "links since a relevant page",
    "keywords on the page with it",
    "outcomes of links with these words",
    "share of relevant pages with it",
];

/// What a crawl that has seen nothing believes about relevance.
pub(crate) const RELEVANT_BELIEFS: Signals = [
    -2.2, 2.5, 0.8, 0.8, 0.6, 0.6, 0.3, 0.2, 0.2, 1.5, 0.5, 0.6, -0.3, 0.4, 0.1, 0.1, 0.4, 0.1,
    0.2, -0.5, 0.7, 0.5, 0.3,
];

/// What a crawl that has seen nothing believes about pages that lead to relevant ones.
pub(crate) const HUB_BELIEFS: Signals = [
    -1.5, 1.5, 0.6, 0.3, 0.3, 0.3, 0.2, 0.1, 0.1, 0.8, 0.3, 0.3, -0.1, 0.2, 0.2, 0.1, 0.3, 0.2,
    0.0, -0.3, 0.4, 0.3, 0.2,
];

/// How firm the beliefs are: worth this many observations of a signal of 1.
const FIRMNESS: f64 = 1.5;

const STEPS: usize = 3;

pub(crate) fn sum(signals: &Signals, weights: &Signals) -> f32 {
    signals
        .iter()
        .zip(weights)
        .map(|(signal, weight)| signal * weight)
        .sum()
}

/// The most probable weights given beliefs and outcomes, started from `from`.
pub(crate) fn fit<'r>(
    beliefs: &Signals,
    from: &Signals,
    rows: impl Iterator<Item = (&'r Signals, f32)> + Clone,
) -> Signals {
    let mut weights = *from;
    for _ in 0..STEPS {
        let mut gradient = [0.0f64; SIGNAL_COUNT];
        let mut curvature = [[0.0f64; SIGNAL_COUNT]; SIGNAL_COUNT];
        for at in 0..SIGNAL_COUNT {
            gradient[at] = FIRMNESS * f64::from(beliefs[at] - weights[at]);
            curvature[at][at] = FIRMNESS;
        }
        for (signals, wanted) in rows.clone() {
            let expected = f64::from(crate::relevance::probability(sum(signals, &weights)));
            let error = f64::from(wanted) - expected;
            let weight = (expected * (1.0 - expected)).max(0.02);
            let signals = signals.map(f64::from);
            for (i, &signal) in signals.iter().enumerate() {
                if signal == 0.0 {
                    continue;
                }
                gradient[i] += error * signal;
                let weighted = weight * signal;
                for (sum, other) in curvature[i][..=i].iter_mut().zip(&signals) {
                    *sum += weighted * other;
                }
            }
        }
        let Some(step) = solve(&mut curvature, &gradient) else {
            break;
        };
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight = (f64::from(*weight) + step.clamp(-2.0, 2.0)).clamp(-12.0, 12.0) as f32;
        }
    }
    weights
}

/// Solves `matrix * x = right` by Cholesky; only the lower triangle is read. `None` when the
/// matrix is not positive definite, which rounding alone could cause.
fn solve(
    matrix: &mut [[f64; SIGNAL_COUNT]; SIGNAL_COUNT],
    right: &[f64; SIGNAL_COUNT],
) -> Option<[f64; SIGNAL_COUNT]> {
    for i in 0..SIGNAL_COUNT {
        for j in 0..=i {
            let mut value = matrix[i][j];
            value -= (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum::<f64>();
            if i == j {
                if value <= 1e-9 {
                    return None;
                }
                matrix[i][i] = value.sqrt();
            } else {
                matrix[i][j] = value / matrix[j][j];
            }
        }
    }
    let mut x = *right;
    for i in 0..SIGNAL_COUNT {
        for k in 0..i {
            x[i] -= matrix[i][k] * x[k];
        }
        x[i] /= matrix[i][i];
    }
    for i in (0..SIGNAL_COUNT).rev() {
        for k in i + 1..SIGNAL_COUNT {
            x[i] -= matrix[k][i] * x[k];
        }
        x[i] /= matrix[i][i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_outcomes_the_beliefs_stand() {
        let weights = fit(&RELEVANT_BELIEFS, &RELEVANT_BELIEFS, std::iter::empty());
        assert_eq!(weights, RELEVANT_BELIEFS);
    }

    #[test]
    fn a_signal_that_tells_gains_weight() {
        let mut rows = Vec::new();
        for number in 0..200 {
            let mut signals = [0.0; SIGNAL_COUNT];
            signals[0] = 1.0;
            signals[3] = f32::from(u8::from(number % 2 == 0));
            rows.push((signals, signals[3]));
        }
        let rows = rows.iter().map(|(signals, reward)| (signals, *reward));
        let weights = fit(&RELEVANT_BELIEFS, &RELEVANT_BELIEFS, rows);
        assert!(weights[3] > 3.0, "{weights:?}");
        assert!(weights[0] < RELEVANT_BELIEFS[0]);
    }

    proptest! {
        #[test]
        fn weights_are_finite_and_bounded(
            rows in prop::collection::vec((prop::collection::vec(-4.0f32..4.0, SIGNAL_COUNT), 0.0f32..1.0), 0..60),
        ) {
            let rows: Vec<(Signals, f32)> = rows
                .into_iter()
                .map(|(signals, reward)| (signals.try_into().expect("as many signals"), reward))
                .collect();
            let rows = rows.iter().map(|(signals, reward)| (signals, *reward));
            let weights = fit(&RELEVANT_BELIEFS, &RELEVANT_BELIEFS, rows);
            prop_assert!(weights.iter().all(|weight| weight.is_finite() && weight.abs() <= 12.0));
        }
    }
}
