//! The long tables: hosts and seeds.

use std::fmt::Write as _;

use super::{escape, link, section};
use crate::figures::CrawlReport;
use crate::hosts::HostRow;
use crate::words::{bytes, count, duration, plural};

/// Hosts shown at once; further ones are folded away.
const OPEN_MAX: usize = 15;

/// Rows in the file at most, folded ones included.
const ROWS_MAX: usize = 500;

/// Hosts, those with most URLs first.
pub(super) fn hosts(out: &mut String, report: &CrawlReport) {
    if report.hosts.is_empty() {
        return;
    }
    let rows: Vec<String> = report.hosts.iter().take(ROWS_MAX).map(host_row).collect();
    let head = "<th scope=\"col\">host</th><th scope=\"col\" class=\"n\">finished</th>\
                <th scope=\"col\" class=\"n\">pending</th><th scope=\"col\" class=\"n\">kept</th>\
                <th scope=\"col\" class=\"n\">duplicates</th><th scope=\"col\" class=\"n\">off topic</th>\
                <th scope=\"col\" class=\"n\">errors</th><th scope=\"col\" class=\"n\">received</th>\
                <th scope=\"col\" class=\"n\">mean</th><th scope=\"col\" class=\"n\">delay</th>\
                <th scope=\"col\">state</th>";
    let mut body = folded(head, &rows, "hosts");
    left_out(&mut body, report.hosts.len(), "host", "hosts");
    let title = plural(report.hosts.len() as u64, "host", "hosts");
    out.push_str(&section("hosts", &title, &body));
}

fn host_row(host: &HostRow) -> String {
    let counts = &host.counts;
    let numbers = [
        count(counts.finished),
        count(counts.pending),
        count(counts.indexed),
        count(host.duplicates),
        count(host.off_topic),
        count(host.errors),
        bytes(host.bytes),
        duration(host.avg_ms / 1000.0),
        duration(host.delay_s),
    ];
    let cells = numbers.iter().map(|n| format!("<td class=\"n\">{n}</td>"));
    format!(
        "<tr><th scope=\"row\" class=\"u\">{}</th>{}<td>{}</td></tr>\n",
        escape(&host.host),
        cells.collect::<String>(),
        escape(&host.state),
    )
}

/// Seeds in the order given.
pub(super) fn seeds(out: &mut String, report: &CrawlReport) {
    if report.seeds.is_empty() {
        return;
    }
    let rows: Vec<String> = report
        .seeds
        .iter()
        .take(ROWS_MAX)
        .map(|seed| {
            let fate = escape(&seed.fate_in_words());
            let counts = &seed.counts;
            format!(
                "<tr><td class=\"u\">{}<br><span class=\"soft\">{}</span></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"u\">{fate}</td></tr>\n",
                link(&seed.url),
                escape(&seed.source),
                count(counts.admitted),
                count(counts.finished),
                count(counts.indexed),
            )
        })
        .collect();
    let head = "<th scope=\"col\">seed</th><th scope=\"col\" class=\"n\">admitted</th>\
                <th scope=\"col\" class=\"n\">finished</th><th scope=\"col\" class=\"n\">kept</th>\
                <th scope=\"col\">its own page</th>";
    let mut body = folded(head, &rows, "seeds");
    left_out(&mut body, report.seeds.len(), "seed", "seeds");
    let title = plural(report.seeds.len() as u64, "seed", "seeds");
    out.push_str(&section("seeds", &title, &body));
}

fn folded(head: &str, rows: &[String], what: &str) -> String {
    let table = |rows: &[String]| {
        format!(
            "<div class=\"scroll\"><table><thead><tr>{head}</tr></thead><tbody>{}</tbody></table></div>\n",
            rows.concat()
        )
    };
    let (open, closed) = rows.split_at(rows.len().min(OPEN_MAX));
    let mut body = table(open);
    if !closed.is_empty() {
        let more = count(closed.len() as u64);
        let _ = write!(
            body,
            "<details><summary>{more} more {what}</summary>\n{}</details>\n",
            table(closed)
        );
    }
    body
}

fn left_out(body: &mut String, all: usize, one: &str, many: &str) {
    if all > ROWS_MAX {
        let rest = plural((all - ROWS_MAX) as u64, one, many);
        let _ = writeln!(
            body,
            "<p class=\"soft\">… and {rest} in the JSON report.</p>"
        );
    }
}
