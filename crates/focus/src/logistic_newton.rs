//! Bayesian logistic regression for some dozens of inputs, solved by Newton's method.
//!
//! Each weight has a normal prior. The result is the most probable weights given the priors and the
//! rows (maximum a posteriori). With so few inputs one Newton step is a small Cholesky factorisation:
//! exact, and without a learning rate.

use crate::logistic::probability;

/// The precision of each prior, which is one over its variance: a prior counts as much as so many
/// rows whose input is 1.
const PRIOR_PRECISION: f64 = 1.5;
/// Newton steps; each training starts from the last weights, so a few are enough.
const STEPS: usize = 3;
/// The largest change of a weight in one step.
const STEP_MAX: f64 = 2.0;
/// The largest weight.
const WEIGHT_MAX: f64 = 12.0;
/// The least curvature that a row adds: one whose outcome is nearly certain must not make a step
/// unbounded.
const CURVATURE_MIN: f64 = 0.02;

/// The weighted sum of inputs: the log-odds of the outcome.
pub(crate) fn weighted_sum<const N: usize>(inputs: &[f32; N], weights: &[f32; N]) -> f32 {
    inputs
        .iter()
        .zip(weights)
        .map(|(input, weight)| input * weight)
        .sum()
}

/// The most probable weights given priors and rows of inputs with outcomes, 0.0 to 1.0. The search
/// starts at `start`.
pub(crate) fn fit<'r, const N: usize>(
    prior: &[f32; N],
    start: &[f32; N],
    rows: impl Iterator<Item = (&'r [f32; N], f32)> + Clone,
) -> [f32; N] {
    let mut weights = *start;
    for _ in 0..STEPS {
        let mut gradient = [0.0f64; N];
        let mut curvature = [[0.0f64; N]; N];
        for at in 0..N {
            gradient[at] = PRIOR_PRECISION * f64::from(prior[at] - weights[at]);
            curvature[at][at] = PRIOR_PRECISION;
        }
        for (inputs, outcome) in rows.clone() {
            let expected = f64::from(probability(weighted_sum(inputs, &weights)));
            let error = f64::from(outcome) - expected;
            let variance = (expected * (1.0 - expected)).max(CURVATURE_MIN);
            let inputs = inputs.map(f64::from);
            for (i, &input) in inputs.iter().enumerate() {
                if input == 0.0 {
                    continue;
                }
                gradient[i] += error * input;
                let weighted = variance * input;
                for (sum, other) in curvature[i][..=i].iter_mut().zip(&inputs) {
                    *sum += weighted * other;
                }
            }
        }
        let Some(step) = solve(&mut curvature, &gradient) else {
            break;
        };
        for (weight, step) in weights.iter_mut().zip(step) {
            let moved = f64::from(*weight) + step.clamp(-STEP_MAX, STEP_MAX);
            *weight = moved.clamp(-WEIGHT_MAX, WEIGHT_MAX) as f32;
        }
    }
    weights
}

/// Solves `matrix * x = right` by Cholesky factorisation; only the lower triangle is read. `None`
/// when the matrix is not positive definite, which only rounding could cause.
fn solve<const N: usize>(matrix: &mut [[f64; N]; N], right: &[f64; N]) -> Option<[f64; N]> {
    for i in 0..N {
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
    for i in 0..N {
        for k in 0..i {
            x[i] -= matrix[i][k] * x[k];
        }
        x[i] /= matrix[i][i];
    }
    for i in (0..N).rev() {
        for k in i + 1..N {
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

    const PRIOR: [f32; 5] = [-2.2, 0.5, 0.8, 0.8, -0.3];

    #[test]
    fn without_rows_the_priors_stand() {
        assert_eq!(fit(&PRIOR, &PRIOR, std::iter::empty()), PRIOR);
    }

    #[test]
    fn an_input_that_tells_the_outcome_gains_weight() {
        let mut rows = Vec::new();
        for number in 0..200 {
            let mut inputs = [0.0; 5];
            inputs[0] = 1.0;
            inputs[3] = f32::from(u8::from(number % 2 == 0));
            rows.push((inputs, inputs[3]));
        }
        let rows = rows.iter().map(|(inputs, outcome)| (inputs, *outcome));
        let weights = fit(&PRIOR, &PRIOR, rows);
        assert!(weights[3] > 3.0, "{weights:?}");
        assert!(weights[0] < PRIOR[0]);
    }

    proptest! {
        #[test]
        fn weights_are_finite_and_bounded(
            rows in prop::collection::vec((prop::array::uniform5(-4.0f32..4.0), 0.0f32..1.0), 0..60),
        ) {
            let rows = rows.iter().map(|(inputs, outcome)| (inputs, *outcome));
            let weights = fit(&PRIOR, &PRIOR, rows);
            prop_assert!(weights.iter().all(|weight| weight.is_finite() && weight.abs() <= 12.0));
        }
    }
}
