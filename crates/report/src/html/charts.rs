//! Charts as inline SVG, drawn by hand: no script, no font, no file beside the report.

use maud::{Markup, Render, html};

use crate::breadth::BreadthFirst;
use crate::harvest::{Harvest, Point};
use crate::histogram::Step;
use crate::words::count;

/// A coordinate with one digit after the point.
struct At(f64);

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
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;

/// The scales of the harvest curve.
struct Axes {
    /// The most pages, at the right end.
    pages: u64,
    /// The highest count, at the top.
    high: u64,
}

impl Axes {
    fn of(harvest: &Harvest) -> Axes {
        let last = harvest.curve.last().copied().unwrap_or_default();
        // Where little is relevant the line of all pages leaves the chart, so that the others are
        // seen.
        let wanted = last.relevant.max(last.indexed);
        Axes {
            pages: last.pages,
            high: match harvest.threshold {
                Some(_) => last.pages.min((wanted + wanted / 8).max(10)),
                None => last.pages,
            },
        }
    }

    fn x(&self, pages: u64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * pages as f64 / self.pages.max(1) as f64
    }

    fn y(&self, count: u64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * count as f64 / self.high.max(1) as f64
    }

    /// A curve as the points of a path.
    fn path<'p>(&self, points: impl Iterator<Item = &'p Point>, value: Value) -> String {
        let points = points.map(|point| {
            let (x, y) = (self.x(point.pages), self.y(value(point)));
            format!("{x:.1} {y:.1}")
        });
        points.collect::<Vec<_>>().join("L")
    }

    /// A curve as a line.
    fn line(&self, class: &str, curve: &[Point], value: Value) -> Markup {
        let path = self.path(curve.iter(), value);
        html! { path class={ "curve l-" (class) } d={ "M" (path) } {} }
    }

    /// Lines and numbers at round counts and at round numbers of pages.
    fn ticks(&self) -> Markup {
        html! {
            @for tick in ticks(self.high) {
                @let at = self.y(tick);
                path class="axis" d={ "M" (LEFT) " " (At(at)) "H" (At(WIDTH - RIGHT)) } {}
                text x=(At(LEFT - 6.0)) y=(At(at + 4.0)) text-anchor="end" { (count(tick)) }
            }
            @for tick in ticks(self.pages) {
                text x=(At(self.x(tick))) y=(At(HEIGHT - BOTTOM + 18.0)) text-anchor="middle" {
                    (count(tick))
                }
            }
        }
    }
}

/// What of a point is drawn.
type Value = fn(&Point) -> u64;

/// The harvest curve: pages read to the right, pages wanted upwards; what breadth-first would have
/// found is broken lines, and a band down to where pages that were not read count as useless.
pub(super) fn harvest(harvest: &Harvest) -> Markup {
    let axes = Axes::of(harvest);
    let (relevant, new): (Value, Value) = (|at| at.relevant, |at| at.relevant_and_new);
    let corner = |pages| Point {
        pages,
        ..Point::default()
    };
    let diagonal = [corner(0), corner(axes.high)];
    let breadth = shown_breadth(harvest);
    let curve = &harvest.curve;
    let lines = html! {
        (axes.ticks())
        @if let Some(breadth) = breadth.filter(|breadth| breadth.unread > 0) {
            @let there = axes.path(breadth.curve.iter(), new);
            @let back = axes.path(breadth.harsh_curve.iter().rev(), new);
            path class="f-breadth" d={ "M" (there) "L" (back) "Z" } {}
        }
        (axes.line("all", &diagonal, |at| at.pages))
        @if let Some(breadth) = breadth {
            (axes.line("relevant beside", &breadth.curve, relevant))
            (axes.line("new beside", &breadth.curve, new))
        }
        @if harvest.threshold.is_some() {
            (axes.line("relevant", curve, relevant))
            (axes.line("new", curve, new))
        }
        (axes.line("indexed", curve, |at| at.indexed))
        text x=(At((LEFT + WIDTH - RIGHT) / 2.0)) y=(At(HEIGHT - 4.0)) text-anchor="middle" {
            "pages read"
        }
    };
    chart(&in_words(harvest), HEIGHT, &lines)
}

/// What the chart shows, for those who do not see it.
fn in_words(harvest: &Harvest) -> String {
    let beside = shown_breadth(harvest).and_then(|breadth| breadth.curve.last());
    let beside = beside.map(|end| {
        format!(
            "; breadth-first over the same web: of {}, {} relevant, {} relevant and new",
            count(end.pages),
            count(end.relevant),
            count(end.relevant_and_new)
        )
    });
    format!(
        "Harvest: of {} pages read, {} were relevant, {} relevant and new, {} kept{}",
        count(harvest.pages),
        count(harvest.relevant),
        count(harvest.relevant_and_new),
        count(harvest.indexed),
        beside.unwrap_or_default(),
    )
}

/// What the lines of the harvest curve are.
pub(super) fn harvest_legend(harvest: &Harvest) -> Markup {
    let counted = |label: &str, n: u64| format!("{label}: {}", count(n));
    let mut items = vec![("all", counted("read", harvest.pages))];
    if harvest.threshold.is_some() {
        items.push(("relevant", counted("relevant", harvest.relevant)));
        items.push(("new", counted("relevant and new", harvest.relevant_and_new)));
    }
    items.push(("indexed", counted("kept", harvest.indexed)));
    let breadth = shown_breadth(harvest);
    if breadth.is_some() {
        items.push(("relevant beside", "relevant, breadth-first".to_owned()));
        items.push(("new beside", "relevant and new, breadth-first".to_owned()));
    }
    html! {
        ul class="legend" {
            @for (class, label) in &items {
                (key("M0 8H28", &format!("curve l-{class}"), label))
            }
            @if breadth.is_some_and(|breadth| breadth.unread > 0) {
                (key("M0 2H28V14H0Z", "f-breadth", "down to: pages not read counted as useless"))
            }
        }
    }
}

/// A line of a legend: a sign, and what it means.
fn key(path: &str, class: &str, label: &str) -> Markup {
    html! {
        li {
            svg viewBox="0 0 28 14" aria-hidden="true" { path class=(class) d=(path) {} }
            (label)
        }
    }
}

/// Breadth-first, where there is a curve of it.
fn shown_breadth(harvest: &Harvest) -> Option<&BreadthFirst> {
    let breadth = harvest.breadth_first.as_ref();
    breadth.filter(|breadth| breadth.left_out.is_none() && !breadth.curve.is_empty())
}

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
fn ticks(most: u64) -> Vec<u64> {
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
        assert!(ends(harvest(&Harvest::default())) && ends(columns("nothing", &[])));
        assert!(bar("junk", 0, 0, 0).into_string().contains("width=\"0.0\""));
    }
}
