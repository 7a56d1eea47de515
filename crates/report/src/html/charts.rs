//! Charts as inline SVG, drawn by hand: no script, no font, no file beside the report.

use std::fmt::Write as _;

use crate::breadth::BreadthFirst;
use crate::harvest::{Harvest, Point};
use crate::histogram::Step;
use crate::words::count;

/// A horizontal bar for a table cell, from `from` to `to` of `whole`.
pub(super) fn bar(class: &str, from: u64, to: u64, whole: u64) -> String {
    let scale = |n: u64| 1000.0 * n as f64 / whole.max(1) as f64;
    // A count that is not zero is seen.
    let wide = (scale(to) - scale(from)).max(if to > from { 4.0 } else { 0.0 });
    let start = scale(from).min(1000.0 - wide);
    format!(
        "<svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"track\" width=\"1000\" height=\"10\"/>\
         <rect class=\"f-{class}\" x=\"{start:.1}\" width=\"{wide:.1}\" height=\"10\"/></svg>"
    )
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;

/// The harvest curve: pages read to the right, pages wanted upwards; what breadth-first would have
/// found is broken lines, and a band down to where pages that were not read count as useless.
pub(super) fn harvest(harvest: &Harvest) -> String {
    let last = harvest.curve.last().copied().unwrap_or_default();
    let most = last.pages.max(1) as f64;
    let x = |pages: f64| LEFT + (WIDTH - LEFT - RIGHT) * pages / most;
    // Where little is relevant the line of all pages leaves the chart, so that the others are seen.
    let wanted = last.relevant.max(last.indexed);
    let high = match harvest.threshold {
        Some(_) => last.pages.min((wanted + wanted / 8).max(10)),
        None => last.pages,
    };
    let most_up = high.max(1) as f64;
    let y = |n: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * n / most_up;
    let breadth = shown_breadth(harvest);
    let beside = breadth.and_then(|breadth| breadth.curve.last());
    let beside = beside.map(|end| {
        format!(
            "; breadth-first over the same web: of {}, {} relevant, {} relevant and new",
            count(end.pages),
            count(end.relevant),
            count(end.relevant_and_new)
        )
    });
    let mut svg = opening(&format!(
        "Harvest: of {} pages read, {} were relevant, {} relevant and new, {} kept{}",
        count(harvest.pages),
        count(harvest.relevant),
        count(harvest.relevant_and_new),
        count(harvest.indexed),
        beside.unwrap_or_default(),
    ));
    for tick in ticks(high) {
        let (at, label) = (y(tick as f64), count(tick));
        let _ = write!(
            svg,
            "<path class=\"axis\" d=\"M{LEFT} {at:.1}H{:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0,
        );
    }
    for tick in ticks(last.pages) {
        let (at, label) = (x(tick as f64), count(tick));
        let _ = write!(
            svg,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            HEIGHT - BOTTOM + 18.0,
        );
    }
    let path = |curve: &mut dyn Iterator<Item = &Point>, value: fn(&Point) -> u64| {
        let points = curve
            .map(|point| format!("{:.1} {:.1}", x(point.pages as f64), y(value(point) as f64)));
        points.collect::<Vec<_>>().join("L")
    };
    let new: fn(&Point) -> u64 = |point| point.relevant_and_new;
    if let Some(breadth) = breadth.filter(|breadth| breadth.unread > 0) {
        let (mild, harsh) = (&breadth.curve, &breadth.harsh_curve);
        let there = path(&mut mild.iter(), new);
        let back = path(&mut harsh.iter().rev(), new);
        let _ = write!(svg, "<path class=\"f-breadth\" d=\"M{there}L{back}Z\"/>");
    }
    let mut line = |class: &str, curve: &[Point], value: fn(&Point) -> u64| {
        let path = path(&mut curve.iter(), value);
        let _ = write!(svg, "<path class=\"curve l-{class}\" d=\"M{path}\"/>");
    };
    let curve = &harvest.curve;
    let corner = |pages| Point {
        pages,
        ..Point::default()
    };
    line("all", &[corner(0), corner(high)], |point| point.pages);
    if let Some(breadth) = breadth {
        line("relevant beside", &breadth.curve, |point| point.relevant);
        line("new beside", &breadth.curve, new);
    }
    if harvest.threshold.is_some() {
        line("relevant", curve, |point| point.relevant);
        line("new", curve, new);
    }
    line("indexed", curve, |point| point.indexed);
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">pages read</text></svg>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 4.0,
    );
    svg
}

/// What the lines of the harvest curve are.
pub(super) fn harvest_legend(harvest: &Harvest) -> String {
    let counted = |label: &str, n: u64| format!("{label}: {}", count(n));
    let mut items = vec![("all", counted("read", harvest.pages))];
    if harvest.threshold.is_some() {
        items.push(("relevant", counted("relevant", harvest.relevant)));
        items.push(("new", counted("relevant and new", harvest.relevant_and_new)));
    }
    items.push(("indexed", counted("kept", harvest.indexed)));
    if shown_breadth(harvest).is_some() {
        items.push(("relevant beside", "relevant, breadth-first".to_owned()));
        items.push(("new beside", "relevant and new, breadth-first".to_owned()));
    }
    let mut legend: String = items
        .into_iter()
        .map(|(class, label)| {
            let line = format!("<path class=\"curve l-{class}\" d=\"M0 8H28\"/>");
            key(&line, &label)
        })
        .collect();
    if shown_breadth(harvest).is_some_and(|breadth| breadth.unread > 0) {
        let band = "<path class=\"f-breadth\" d=\"M0 2H28V14H0Z\"/>";
        legend.push_str(&key(band, "down to: pages not read counted as useless"));
    }
    format!("<ul class=\"legend\">{legend}</ul>")
}

fn key(sign: &str, label: &str) -> String {
    format!("<li><svg viewBox=\"0 0 28 14\" aria-hidden=\"true\">{sign}</svg>{label}</li>")
}

/// Breadth-first, where there is a curve of it.
fn shown_breadth(harvest: &Harvest) -> Option<&BreadthFirst> {
    let breadth = harvest.breadth_first.as_ref();
    breadth.filter(|breadth| breadth.left_out.is_none() && !breadth.curve.is_empty())
}

/// Counts over steps that double, as upright bars; `label` names a step's upper end.
pub(super) fn steps(title: &str, steps: &[Step], label: impl Fn(u64) -> String) -> String {
    let bars: Vec<(String, u64)> = steps.iter().map(|s| (label(s.to), s.count)).collect();
    columns(title, &bars)
}

/// Upright bars with a label under each and its count above.
pub(super) fn columns(title: &str, bars: &[(String, u64)]) -> String {
    const HIGH: f64 = 190.0;
    let most = bars.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1) as f64;
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HIGH}\" role=\"img\" aria-label=\"{}\"><title>{}</title>",
        super::escape(title),
        super::escape(title),
    );
    let step = WIDTH / bars.len().max(1) as f64;
    // Labels that would run into each other are left out, evenly.
    let every = (52.0 / step).ceil().max(1.0) as usize;
    for (at, (label, n)) in bars.iter().enumerate() {
        let high = (HIGH - 48.0) * *n as f64 / most;
        let high = if *n > 0 { high.max(2.0) } else { 0.0 };
        let left = at as f64 * step;
        let middle = left + step / 2.0;
        let _ = write!(
            svg,
            "<rect class=\"f-plain\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" rx=\"2\"><title>{}: {}</title></rect>",
            left + step * 0.12,
            HIGH - 24.0 - high,
            step * 0.76,
            super::escape(label),
            count(*n),
        );
        if *n > 0 && (every == 1 || step > 30.0) {
            let _ = write!(
                svg,
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                HIGH - 30.0 - high,
                count(*n),
            );
        }
        if at % every == 0 {
            let _ = write!(
                svg,
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                HIGH - 6.0,
                super::escape(label),
            );
        }
    }
    let _ = write!(
        svg,
        "<path class=\"axis\" d=\"M0 {:.1}H{WIDTH}\"/></svg>",
        HIGH - 24.0
    );
    svg
}

fn opening(title: &str) -> String {
    let title = super::escape(title);
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HIGH}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>",
        HIGH = HEIGHT,
    )
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
        assert!(harvest(&Harvest::default()).ends_with("</svg>"));
        assert!(columns("nothing", &[]).ends_with("</svg>"));
        assert!(bar("junk", 0, 0, 0).contains("width=\"0.0\""));
    }
}
