//! Charts as inline SVG, drawn by hand: no script, no font, no file beside the report.

use maud::{Markup, Render, html};

use crate::histogram::Step;
use crate::words::count;

/// A coordinate with one digit after the point.
pub(super) struct At(pub(super) f64);

impl Render for At {
    fn render_to(&self, out: &mut String) {
        format_args!("{:.1}", self.0).render_to(out);
    }
}

/// A horizontal bar for a table cell, from `from` to `to` of `whole`.
pub(super) fn bar(class: &str, from: u64, to: u64, whole: u64) -> Markup {
    let scale = |n: u64| 1000.0 * n as f64 / whole.max(1) as f64;
    // A count that is not zero is seen.
    let wide = (scale(to) - scale(from)).max(if to > from { 4.0 } else { 0.0 });
    let start = scale(from).min(1000.0 - wide);
    html! {
        svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
            rect class="track" width="1000" height="10" {}
            rect class={ "f-" (class) } x=(At(start)) width=(At(wide)) height="10" {}
        }
    }
}

const WIDTH: f64 = 520.0;

/// Counts over steps that double, as upright bars; `label` names a step's upper end.
pub(super) fn steps(title: &str, steps: &[Step], label: impl Fn(u64) -> String) -> Markup {
    let bars: Vec<(String, u64)> = steps.iter().map(|s| (label(s.to), s.count)).collect();
    columns(title, &bars)
}

/// Upright bars with a label under each and its count above.
pub(super) fn columns(title: &str, bars: &[(String, u64)]) -> Markup {
    const HIGH: f64 = 190.0;
    let most = bars.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1) as f64;
    let step = WIDTH / bars.len().max(1) as f64;
    // Labels that would run into each other are left out, evenly.
    let every = (52.0 / step).ceil().max(1.0) as usize;
    let bottom = HIGH - 24.0;
    let height = |n: u64| match n {
        0 => 0.0,
        n => ((HIGH - 48.0) * n as f64 / most).max(2.0),
    };
    let bars = html! {
        @for (at, (label, n)) in bars.iter().enumerate() {
            @let (high, left) = (height(*n), at as f64 * step);
            @let middle = left + step / 2.0;
            rect class="f-plain" x=(At(left + step * 0.12)) y=(At(bottom - high))
                width=(At(step * 0.76)) height=(At(high)) rx="2" {
                title { (label) ": " (count(*n)) }
            }
            @if *n > 0 && (every == 1 || step > 30.0) {
                text x=(At(middle)) y=(At(HIGH - 30.0 - high)) text-anchor="middle" { (count(*n)) }
            }
            @if at % every == 0 {
                text x=(At(middle)) y=(At(HIGH - 6.0)) text-anchor="middle" { (label) }
            }
        }
        path class="axis" d={ "M0 " (At(bottom)) "H" (WIDTH) } {}
    };
    chart(title, HIGH, &bars)
}

/// A host's pages over the time of the crawl, as small bars.
pub(super) fn timeline(spans: &[u32]) -> Markup {
    let most = f64::from(spans.iter().copied().max().unwrap_or(0).max(1));
    html! {
        svg class="spark" viewBox={ "0 0 " (spans.len() * 4) " 16" } preserveAspectRatio="none"
            role="img" aria-label="pages over time" {
            @for (at, n) in spans.iter().enumerate().filter(|(_, n)| **n > 0) {
                @let high = (16.0 * f64::from(*n) / most).max(1.0);
                rect class="f-plain" x=(at * 4) y=(At(16.0 - high)) width="3" height=(At(high)) {}
            }
        }
    }
}

/// A chart with its title.
fn chart(title: &str, height: f64, contents: &Markup) -> Markup {
    html! {
        svg class="chart" viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label=(title) {
            title { (title) }
            (contents)
        }
    }
}

/// Round numbers from 0 to `most`, some five of them.
pub(super) fn ticks(most: u64) -> Vec<u64> {
    let mut step: u64 = 1;
    while most / step > 5 {
        let power = 10u64.pow(step.ilog10());
        step = match step / power {
            1 => 2 * power,
            2 => 5 * power,
            _ => power.saturating_mul(10),
        };
    }
    (0..=most / step).map(|n| n * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0), [0]);
        assert_eq!(ticks(4), [0, 1, 2, 3, 4]);
        assert_eq!(ticks(12), [0, 5, 10]);
        assert_eq!(ticks(198), [0, 50, 100, 150]);
        for most in [1, 9, 77, 1_000, 123_456, u64::MAX / 2] {
            assert!(
                (1..=6).contains(&ticks(most).len()),
                "{most}: {:?}",
                ticks(most)
            );
        }
    }

    #[test]
    fn charts_of_nothing_are_drawn_all_the_same() {
        let ends = |chart: Markup| chart.into_string().ends_with("</svg>");
        assert!(ends(columns("nothing", &[])));
        assert!(bar("junk", 0, 0, 0).into_string().contains("width=\"0.0\""));
    }
}
