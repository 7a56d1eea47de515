//! How a replay is told: as JSON, and as a table of all curves.

use ::report::table::{Align, Table};
use ::report::words::{count, plural, share};
use serde_json::json;
use simulate::curve::SCORED_MAX;
use simulate::{CrawlGraph, Curve, Simulation};

use crate::output::Output;

/// A strategy's curve with its scores.
pub(super) fn json(
    curve: &Curve,
    run: &Simulation,
    graph: &CrawlGraph,
    threshold: f32,
) -> serde_json::Value {
    let marks = curve.marks().filter_map(|mark| {
        let found = curve.at(mark)?;
        let new = found.relevant_and_new;
        Some(json!({
            "pages": mark, "relevant": found.relevant, "relevant_new": new,
            "harvest": new as f64 / mark as f64,
            "recall": new as f64 / run.all.relevant_and_new.max(1) as f64,
            "oracle_relevant_new": run.oracle.at(mark).map(|found| found.relevant_and_new),
        }))
    });
    let marks: Vec<_> = marks.collect();
    let last = curve.found.len();
    json!({
        "strategy": curve.name,
        "pages": last,
        "archived": run.pages,
        "not_archived": graph.not_archived,
        "without_text": graph.without_text,
        "threshold": threshold,
        "relevant": run.all.relevant,
        "relevant_new": run.all.relevant_and_new,
        "mean_harvest": curve.mean_harvest(last),
        "mean_harvest_1000": curve.mean_harvest(SCORED_MAX),
        "oracle_mean_harvest_1000": run.oracle.mean_harvest(SCORED_MAX),
        "of_oracle": curve.of_oracle(&run.oracle),
        "curve": marks,
    })
}

/// All curves side by side.
pub(super) fn show(run: &Simulation, threshold: f32, output: &Output) -> anyhow::Result<()> {
    output.line(format!(
        "{} of the crawl, {} relevant to the topic at {threshold} and above, {} of them new",
        plural(run.pages as u64, "page", "pages"),
        count(run.all.relevant as u64),
        count(run.all.relevant_and_new as u64),
    ))?;
    let reached = run.oracle.found.len();
    if reached < run.pages {
        output.line(format!(
            "{} replayed; the others are beyond --max-pages, or no archived link leads to them",
            plural(reached as u64, "page", "pages"),
        ))?;
    }
    for line in table(run, reached).lines(output.width) {
        output.line(line)?;
    }
    Ok(())
}

fn table(run: &Simulation, reached: usize) -> Table {
    let all: Vec<&Curve> = run.curves.iter().chain([&run.oracle]).collect();
    let heads = all.iter().map(|curve| (curve.name, Align::Right));
    let heads: Vec<_> = [("relevant and new after", Align::Left)]
        .into_iter()
        .chain(heads)
        .collect();
    let mut table = Table::new(&heads);
    let mut row = |name: String, cell: &dyn Fn(&Curve) -> String| {
        let cells = all.iter().map(|curve| cell(curve));
        table.row([name].into_iter().chain(cells));
    };
    for mark in run.oracle.marks() {
        row(plural(mark as u64, "page", "pages"), &|curve| {
            let Some(found) = curve.at(mark) else {
                return "–".to_owned();
            };
            let new = found.relevant_and_new as u64;
            format!("{} ({})", count(new), share(new, mark as u64))
        });
    }
    let scored = SCORED_MAX.min(reached);
    let mean = format!("mean harvest to {}", count(scored as u64));
    row(mean, &|curve| {
        format!("{:.3}", curve.mean_harvest(SCORED_MAX))
    });
    row("of the oracle's".to_owned(), &|curve| {
        format!("{:.3}", curve.of_oracle(&run.oracle))
    });
    for mark in [250, SCORED_MAX].into_iter().filter(|&mark| mark < reached) {
        let name = format!("found of all by {}", count(mark as u64));
        row(name, &|curve| {
            let found = curve.at(mark).map_or(0, |found| found.relevant_and_new);
            share(found as u64, run.all.relevant_and_new as u64)
        });
    }
    table
}
