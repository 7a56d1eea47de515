//! What a crawl found and does, at one look.

use maud::{Markup, html};
use outcome::StopReason;
use report::words::{bytes, count, duration, readable};

use super::layout::relevance;
use super::words::Words;
use crate::answers::{CrawlList, Pages};
use crate::live::Status;

/// Reasons in the list.
const REASONS_MAX: usize = 8;

/// The chart's size in units of its own.
const CHART: (f64, f64) = (640.0, 180.0);

/// The list of crawls.
pub(super) fn crawls(words: &Words, list: &CrawlList) -> Markup {
    html! {
        h1 { (words.crawls) }
        ul class="crawls" {
            @for crawl in &list.crawls {
                li class="card" {
                    h2 { a href={ "/c/" (crawl.id) } { bdi { (crawl.directory) } } }
                    p { span class="chip" data-state=(crawl.state) { (words.state(&crawl.state)) } }
                    p { b { (count(crawl.kept)) } " " (words.kept) " · " (count(crawl.dropped)) " " (words.dropped)
                        " · " (count(crawl.pending)) " " (words.waiting) }
                }
            }
        }
    }
}

/// The overview of one crawl; what carries `data-live` is kept up to date by the script.
pub(super) fn overview(words: &Words, id: &str, status: &Status, best: &Pages) -> Markup {
    html! {
        (lead(words, id, status))
        div class="grid" {
            div class="column wide" {
                section class="card" aria-labelledby="h-best" {
                    h2 id="h-best" { @if has_topic(best) { (words.found_first) } @else { (words.kept_pages) } }
                    div id="best" { (finds(words, id, best)) }
                }
                section class="card" aria-labelledby="h-curve" {
                    h2 id="h-curve" { (words.progress) }
                    (chart(words, status))
                }
            }
            div class="column" {
                section class="card" aria-labelledby="h-last" {
                    h2 id="h-last" { (words.found_last) }
                    ol class="latest" id="latest" {
                        @for page in &status.latest {
                            li { a href={ "/c/" (id) "/pages/" (page.page) } { bdi { (page.title) } } " "
                                span class="soft" { (page.host) } }
                        }
                        @if status.latest.is_empty() { li class="soft" { (words.nothing_yet) } }
                    }
                }
                section class="card" aria-labelledby="h-why" {
                    h2 id="h-why" { (words.reasons) }
                    div id="reasons" data-most=(REASONS_MAX) { (reasons(words, id, status)) }
                }
            }
            section class="card full" aria-labelledby="h-hosts" {
                h2 id="h-hosts" { (words.hosts) }
                (hosts(words, status))
            }
        }
    }
}

fn lead(words: &Words, id: &str, status: &Status) -> Markup {
    let cards = [
        (words.dropped, "dropped", count(status.dropped)),
        (
            words.duplicates_count,
            "duplicates",
            count(status.duplicates),
        ),
        (words.waiting, "pending", count(status.pending)),
        (words.failed, "failed", count(status.failed)),
        (
            words.broken,
            "broken_links",
            status
                .broken
                .map_or_else(|| "–".to_owned(), |broken| count(broken.links)),
        ),
        (
            words.per_second,
            "pages_per_second",
            format!("{:.1}", status.pages_per_second),
        ),
        (
            words.received,
            "received_bytes",
            bytes(status.received_bytes),
        ),
        (
            words.time,
            "duration_seconds",
            duration(status.duration_seconds),
        ),
    ];
    html! {
        div class="lead" data-first-state=(status.state) {
            h1 {
                span class="big" data-live="kept" { (count(status.kept)) } " "
                span { (words.kept_of) " " span data-live="pages_read" { (count(status.kept + status.dropped)) } " " (words.read) }
            }
            p class="soft" id="why-stopped" role="status" hidden[status.stop_reason.is_none()] { (why_stopped(words, status)) }
            @if status.refused > 0 {
                p class="soft" { a href={ "/c/" (id) "/report#sieve" } { b data-live="refused" { (count(status.refused)) } } " " (words.refused) }
            }
            @if let Some(problem) = &status.problem { p role="alert" { (words.problem_of(problem)) } }
            details id="steer" hidden {
                summary { (words.steer) }
                form id="add-seeds" {
                    label { (words.seed_lines) textarea name="lines" rows="4" required spellcheck="false" {} }
                    div class="acts" {
                        button type="submit" { (words.add_seeds) }
                        button type="button" data-do="reload" hidden { (words.reload) }
                    }
                }
            }
            @if status.failed > 0 { p { button type="button" data-do="retry" { (words.retry) " (" (count(status.failed)) ")" } } }
        }
        dl class="figures" {
            @for (label, key, value) in cards {
                div { dt { (label) }
                    @match rows_of(key) {
                        Some(rows) => { dd { a href={ "/c/" (id) (rows) } data-live=(key) { (value) } } }
                        None => { dd data-live=(key) { (value) } }
                    } }
            }
        }
    }
}

/// Where the rows behind a figure are.
fn rows_of(figure: &str) -> Option<&'static str> {
    match figure {
        "dropped" => Some("/pages?verdict=dropped"),
        "failed" => Some("/pages?verdict=failed"),
        "duplicates" => Some("/clusters"),
        "broken_links" => Some("/report#broken"),
        _ => None,
    }
}

/// Why the crawl stopped, in a sentence.
fn why_stopped(words: &Words, status: &Status) -> String {
    let reason = status.stop_reason.as_deref().map(StopReason::from);
    reason.map_or_else(String::new, |reason| {
        let detail = status.stop_detail.as_deref();
        let why = report::why_stopped(&reason, detail, status.pending);
        words.tongue().say(&why)
    })
}

/// Whether pages are sorted by what they say of a topic.
fn has_topic(best: &Pages) -> bool {
    best.pages.iter().any(|page| page.relevance.is_some())
}

fn finds(words: &Words, id: &str, best: &Pages) -> Markup {
    html! {
        @if best.pages.is_empty() { p class="soft" { (words.nothing_yet) } }
        @else {
            ol class="finds" {
                @for page in &best.pages {
                    li {
                        a href={ "/c/" (id) "/pages/" (page.page) } {
                            bdi { @if page.title.is_empty() { (readable(&page.url)) } @else { (page.title) } }
                        }
                        span class="soft" { (page.host) @if !page.published.is_empty() { " · " (page.published.get(..10).unwrap_or(&page.published)) } }
                        @if page.relevance.is_some() { (relevance(page.relevance)) }
                    }
                }
            }
            p { a class="more" href={ "/c/" (id) "/pages?verdict=kept" } { (words.pages) " →" } }
        }
    }
}

fn reasons(words: &Words, id: &str, status: &Status) -> Markup {
    let mut reasons: Vec<_> = status
        .dropped_by_reason
        .iter()
        .filter(|(_, n)| **n > 0)
        .collect();
    reasons.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let most = reasons.first().map_or(1, |(_, n)| **n).max(1);
    html! {
        @if reasons.is_empty() { p class="soft" { (words.nothing_yet) } }
        ul class="reasons" {
            @for (reason, n) in reasons.into_iter().take(REASONS_MAX) {
                li {
                    a href={ "/c/" (id) "/pages?verdict=dropped&reason=" (reason) } { (words.reason(reason)) }
                    span class="n" { (count(*n)) }
                    svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
                        rect class="track" width="100" height="6" {}
                        rect class="fill-drop" width=(format!("{:.1}", 100.0 * *n as f64 / most as f64)) height="6" {}
                    }
                }
            }
        }
    }
}

fn hosts(words: &Words, status: &Status) -> Markup {
    html! {
        div class="scroll" tabindex="0" {
            table id="hosts" {
                thead { tr {
                    th scope="col" { (words.host) }
                    th scope="col" class="n" { (words.waiting) }
                    th scope="col" { (words.why) }
                    th scope="col" class="n" { (words.goes_on) }
                } }
                tbody {
                    @for host in &status.hosts {
                        tr {
                            th scope="row" { (host.host) }
                            td class="n" { (count(host.pending)) }
                            td { (words.waits(&host.why)) }
                            td class="n" {
                                @if host.next_in_seconds > 0.0 { (words.in_time) " " (format!("{:.1} s", host.next_in_seconds)) }
                            }
                        }
                    }
                    @if status.hosts.is_empty() { tr { td colspan="4" class="soft" { (words.no_hosts) } } }
                }
            }
        }
    }
}

/// Pages kept over pages read. The script draws the same path anew.
fn chart(words: &Words, status: &Status) -> Markup {
    let (width, height) = CHART;
    let last = status.curve.last().copied().unwrap_or_default();
    let most = last.pages.max(1) as f64;
    let top = last.kept.max(1) as f64;
    let mut path = String::new();
    for (at, point) in status.curve.iter().enumerate() {
        let x = point.pages as f64 / most * width;
        let y = height - point.kept as f64 / top * (height - 14.0);
        path.push_str(&format!("{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" }));
    }
    let area = match path.is_empty() {
        true => String::new(),
        false => format!("{path}L{width:.1} {height:.1}L0 {height:.1}Z"),
    };
    html! {
        figure class="curve" {
            svg viewBox={ "0 0 " (width) " " (height) } preserveAspectRatio="none" role="img" aria-labelledby="curve-words" {
                path class="area" id="curve-area" d=(area) {}
                path class="line" id="curve-line" d=(path) vector-effect="non-scaling-stroke" {}
            }
            figcaption id="curve-words" {
                span { "0" }
                span { b data-live="kept" { (count(status.kept)) } " " (words.kept) (words.comma)
                    span data-live="pages_read" { (count(status.kept + status.dropped)) } " " (words.pages_read) }
            }
        }
    }
}
