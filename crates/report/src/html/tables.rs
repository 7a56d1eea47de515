//! Tables: their frame, and the long ones of hosts and seeds.

use maud::{Markup, html};

use super::charts::timeline;
use super::{link, section};
use crate::figures::CrawlReport;
use crate::hosts::{HostRow, SeedRow};
use crate::words::{bytes, count, duration, plural};

/// Hosts shown at once; further ones are folded away.
const OPEN_MAX: usize = 15;

/// Rows in the file at most, folded ones included.
const ROWS_MAX: usize = 500;

/// The heading of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head<'h> {
    /// Of words.
    Text(&'h str),
    /// Of numbers.
    Number(&'h str),
    /// Of bars, which need none.
    Bar,
    /// None.
    Empty,
}

/// A table; `caption` may be empty.
pub(super) fn table(caption: &Markup, heads: &[Head], rows: &Markup) -> Markup {
    html! {
        div class="scroll" tabindex="0" {
            table {
                (caption)
                thead {
                    tr {
                        @for head in heads {
                            @match head {
                                Head::Text(name) => th scope="col" { (name) },
                                Head::Number(name) => th scope="col" class="n" { (name) },
                                Head::Bar => td class="bar" {},
                                Head::Empty => td {},
                            }
                        }
                    }
                }
                tbody { (rows) }
            }
        }
        "\n"
    }
}

/// Hosts, those with most URLs first.
pub(super) fn hosts(report: &CrawlReport) -> Option<Markup> {
    let heads = [
        Head::Text("host"),
        Head::Number("finished"),
        Head::Number("pending"),
        Head::Number("kept"),
        Head::Number("duplicates"),
        Head::Number("off topic"),
        Head::Number("errors"),
        Head::Number("received"),
        Head::Number("mean"),
        Head::Number("delay"),
        Head::Text("state"),
        Head::Text("over time"),
    ];
    let timelines = &report.found.timelines;
    let row = |host: &HostRow| host_row(host, timelines.get(&host.host).map(|spans| &spans[..]));
    long("hosts", ["host", "hosts"], &heads, &report.hosts, row)
}

fn host_row(host: &HostRow, spans: Option<&[u32]>) -> Markup {
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
    html! {
        tr {
            th scope="row" class="u" { bdi { (host.host) } }
            @for number in numbers { td class="n" { (number) } }
            td { (host.state_in_words()) }
            td class="spark" { @if let Some(spans) = spans { (timeline(spans)) } }
        }
        "\n"
    }
}

/// Seeds in the order given.
pub(super) fn seeds(report: &CrawlReport) -> Option<Markup> {
    let heads = [
        Head::Text("seed"),
        Head::Number("admitted"),
        Head::Number("finished"),
        Head::Number("kept"),
        Head::Text("its own page"),
    ];
    long("seeds", ["seed", "seeds"], &heads, &report.seeds, seed_row)
}

fn seed_row(seed: &SeedRow) -> Markup {
    let counts = &seed.counts;
    html! {
        tr {
            td class="u" { (link(&seed.url)) br; span class="soft" { (seed.source) } }
            td class="n" { (count(counts.admitted)) }
            td class="n" { (count(counts.finished)) }
            td class="n" { (count(counts.indexed)) }
            td class="u" { (seed.fate_in_words()) }
        }
        "\n"
    }
}

/// A section with a table that may be long: its end is folded away, or left to the JSON report.
fn long<T>(
    id: &str,
    [one, many]: [&str; 2],
    heads: &[Head],
    items: &[T],
    row: impl Fn(&T) -> Markup,
) -> Option<Markup> {
    if items.is_empty() {
        return None;
    }
    let (listed, left_out) = items.split_at(items.len().min(ROWS_MAX));
    let (open, folded) = listed.split_at(listed.len().min(OPEN_MAX));
    let table = |items: &[T]| {
        let rows = html! { @for item in items { (row(item)) } };
        table(&Markup::default(), heads, &rows)
    };
    let body = html! {
        (table(open))
        @if !folded.is_empty() {
            details {
                summary { (count(folded.len() as u64)) " more " (many) }
                (table(folded))
            }
            "\n"
        }
        @if !left_out.is_empty() {
            p class="soft" {
                "… and " (plural(left_out.len() as u64, one, many)) " in the JSON report."
            }
            "\n"
        }
    };
    let title = plural(items.len() as u64, one, many);
    Some(section(id, &title, &body))
}
