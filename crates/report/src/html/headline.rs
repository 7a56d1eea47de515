//! The headline chart: what was found over the pages read, beside what breadth-first would have found.
//! Two lines, each with its name and number where it ends.

use maud::{Markup, html};

use super::charts::{At, ticks};
use super::section;
use crate::figures::CrawlReport;
use crate::harvest::{Harvest, Point};
use crate::lines::{example_lines, harvest_lines};
use crate::words::count;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 175.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 42.0;

/// Two labels are at least as far apart.
const APART: f64 = 38.0;

/// A line of the chart.
struct Line<'p> {
    class: &'static str,
    name: &'static str,
    points: &'p [Point],
    value: fn(&Point) -> u64,
}

impl Line<'_> {
    fn last(&self) -> u64 {
        self.points.last().map_or(0, self.value)
    }
}

/// The scales.
struct Axes {
    pages: u64,
    high: u64,
}

impl Axes {
    fn x(&self, pages: u64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * pages as f64 / self.pages.max(1) as f64
    }

    fn y(&self, n: u64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * n as f64 / self.high.max(1) as f64
    }

    fn path(&self, line: &Line) -> String {
        let points = line.points.iter();
        let points = points.map(|at| {
            format!(
                "{:.1} {:.1}",
                self.x(at.pages),
                self.y((line.value)(at).min(self.high))
            )
        });
        points.collect::<Vec<_>>().join("L")
    }
}

/// The section of the chart; none where nothing was read.
pub(super) fn section_of(report: &CrawlReport) -> Option<Markup> {
    let harvest = &report.harvest;
    if harvest.pages == 0 {
        return None;
    }
    let groups = [harvest_lines(report), example_lines(report)];
    let body = html! {
        div class="headline" {
            (chart(harvest))
            @for lines in groups.iter().filter(|lines| !lines.is_empty()) {
                ul class="said" { @for line in lines { li { (line) } } }
                "\n"
            }
        }
    };
    let heading = match report.rounds.is_empty() {
        true => "What was found, page by page",
        false => "What was found, page by page, when each was read first",
    };
    Some(section("harvest", heading, &body))
}

fn chart(harvest: &Harvest) -> Markup {
    let lines = lines(harvest);
    let pages = lines
        .iter()
        .filter_map(|line| line.points.last())
        .map(|at| at.pages);
    let axes = Axes {
        pages: pages.max().unwrap_or(0),
        high: lines.iter().map(Line::last).max().unwrap_or(0).max(1),
    };
    let said: Vec<String> = lines
        .iter()
        .map(|line| format!("{}: {}", line.name, count(line.last())))
        .collect();
    let title = format!(
        "Of {} pages read: {}",
        count(harvest.pages),
        said.join("; ")
    );
    html! {
        svg class="chart ends" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(title) {
            title { (title) }
            (grid(&axes))
            @if let Some(first) = lines.first() {
                @let end = first.points.last().map_or(0, |at| at.pages);
                @let floor = At(axes.y(0));
                path class="f-area" d={ "M" (At(axes.x(0))) " " (floor) "L" (axes.path(first))
                    "L" (At(axes.x(end))) " " (floor) "Z" } {}
            }
            @for line in &lines {
                path class={ "curve " (line.class) } d={ "M" (axes.path(line)) } {}
            }
            (ends(&axes, &lines))
        }
    }
}

/// The crawl's line, and the one that it is measured by.
fn lines(harvest: &Harvest) -> Vec<Line<'_>> {
    let new: fn(&Point) -> u64 = |at| at.relevant_and_new;
    let (name, value): (_, fn(&Point) -> u64) = match harvest.threshold {
        Some(_) => ("relevant and new", new),
        None => ("kept", |at| at.indexed),
    };
    let mut lines = vec![Line {
        class: "l-indexed",
        name,
        points: &harvest.curve,
        value,
    }];
    let breadth = harvest.breadth_first.as_ref();
    let breadth = breadth.filter(|b| b.left_out.is_none() && !b.curve.is_empty());
    lines.push(match breadth {
        Some(breadth) => Line {
            class: "l-all beside",
            name: "breadth-first",
            points: &breadth.curve,
            value: new,
        },
        None => Line {
            class: "l-all beside",
            name: "read",
            points: &harvest.curve,
            value: |at| at.pages,
        },
    });
    lines
}

fn grid(axes: &Axes) -> Markup {
    html! {
        @for tick in ticks(axes.high) {
            @let at = axes.y(tick);
            path class="axis" d={ "M" (LEFT) " " (At(at)) "H" (At(WIDTH - RIGHT)) } {}
            text x=(At(LEFT - 6.0)) y=(At(at + 4.0)) text-anchor="end" { (count(tick)) }
        }
        @for tick in ticks(axes.pages) {
            text x=(At(axes.x(tick))) y=(At(HEIGHT - BOTTOM + 18.0)) text-anchor="middle" { (count(tick)) }
        }
        text x=(At((LEFT + WIDTH - RIGHT) / 2.0)) y=(At(HEIGHT - 4.0)) text-anchor="middle" { "pages read" }
    }
}

/// The names at the lines' ends, moved apart where they would meet.
fn ends(axes: &Axes, lines: &[Line<'_>]) -> Markup {
    let mut places: Vec<(f64, f64, &Line<'_>)> = lines
        .iter()
        .map(|line| {
            let end = line.points.last().map_or(0, |at| at.pages);
            (axes.x(end), axes.y(line.last().min(axes.high)), line)
        })
        .collect();
    places.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut above = f64::NEG_INFINITY;
    html! {
        @for (x, y, line) in &places {
            @let at = label_at(*y, &mut above);
            circle class={ "dot " (line.class) } cx=(At(*x)) cy=(At(*y)) r="3.5" {}
            text x=(At(*x + 10.0)) y=(At(at)) {
                tspan class="strong" { (count(line.last())) }
                tspan { " " (line.name) }
            }
        }
    }
}

/// Where a label stands: beside its line's end, but below the label above.
fn label_at(y: f64, above: &mut f64) -> f64 {
    let at = (y + 4.0).max(*above + APART / 2.0);
    *above = at;
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_rounds_it_says_that_pages_are_counted_as_they_were_read_first() {
        // "1,417 pages read, 1,106 kept" stood below "Of 1,211 pages read, 949 are kept".
        let mut report = CrawlReport::default();
        (report.totals.indexed, report.totals.junk) = (949, 262);
        (report.harvest.pages, report.harvest.indexed) = (1_417, 1_106);
        let drawn = |report: &CrawlReport| section_of(report).expect("a chart").into_string();
        assert!(!drawn(&report).contains("first"));
        report.rounds.push(crate::changes::RoundCounts::default());
        let words = "counted as each page was read first; as they are now, 949 of 1,211 are kept";
        assert!(drawn(&report).contains(words));
        assert!(drawn(&report).contains("when each was read first"));
    }

    #[test]
    fn lines_end_with_their_names_and_numbers() {
        let point = |pages, relevant_and_new| Point {
            pages,
            relevant: relevant_and_new,
            relevant_and_new,
            indexed: relevant_and_new,
        };
        let mut harvest = Harvest {
            pages: 1_000,
            threshold: Some(0.5),
            curve: vec![point(0, 0), point(1_000, 600)],
            ..Harvest::default()
        };
        let drawn = chart(&harvest).into_string();
        assert!(
            drawn.contains(">600</tspan><tspan> relevant and new<"),
            "{drawn}"
        );
        harvest.breadth_first = Some(crate::breadth::BreadthFirst {
            curve: vec![point(0, 0), point(1_000, 590)],
            ..Default::default()
        });
        let drawn = chart(&harvest).into_string();
        assert!(
            drawn.contains(">590</tspan><tspan> breadth-first<"),
            "{drawn}"
        );
        assert!(chart(&Harvest::default()).into_string().ends_with("</svg>"));
    }
}
