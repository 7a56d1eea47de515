//! The report as one HTML file that opens without network: styles, charts and one small script, by
//! which tables are sorted and filtered, are inside. Without the script everything is there to read.
//! Light and dark follow the reader's system, and a policy in the file forbids it to load anything.
//!
//! Markup is written with `maud`: it is checked when the crate is compiled, and every text in it
//! is escaped. The strings that are taken as they are are the styles and the script.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::figures::CrawlReport;
use crate::lines::{guard_line, opening_line};
use crate::look::Tongue;
use crate::story::story;
use crate::words::{bytes, count, duration, name, share};

mod charts;
mod comparison;
mod found;
mod headline;
mod samples;
mod sections;
mod tables;

pub use comparison::render as render_comparison;
use found::{broken, dropped, kept, rights, settings};
use sections::{
    against_breadth, audit, dead_forms, duplicates, errors, languages, learnt, links, network,
    responses, robots, rounds, sizes, sorted, waiting, walls,
};
use tables::{Head, hosts, seeds, table};

const STYLE: &str = include_str!("html/style.css");

const SCRIPT: &str = include_str!("html/script.js");

/// The whole file. `texts` gives the archived text of a page by its record number, for the
/// duplicates that are shown side by side: see [`CrawlReport::sample_pages`].
pub fn render(report: &CrawlReport, texts: &dyn Fn(u64) -> Option<String>) -> String {
    // The last part of the directory: the whole one is a line by itself on a phone.
    let mut parts = report.name.rsplit(['/', '\\']);
    let name = parts.find(|part| !part.is_empty());
    let title = format!("Crawl report: {}", name.unwrap_or(&report.name));
    let sections = html! {
        (shown(headline::section_of(report)))
        (shown(kept(report)))
        (shown(dropped(report)))
        (sieve(report))
        (shown(duplicates(report, texts)))
        (shown(hosts(report)))
        (shown(broken(report)))
        (shown(rights(report)))
        (shown(rounds(report)))
        (shown(walls(report)))
        (shown(learnt(report)))
        (shown(against_breadth(report)))
        (shown(seeds(report)))
        (side_by_side([responses(report), errors(report)]))
        (shown(dead_forms(report)))
        (side_by_side([languages(report), sizes(report)]))
        (side_by_side([waiting(report), robots(report)]))
        (side_by_side([network(report), links(report)]))
        (shown(audit(report)))
        (shown(settings(report)))
    };
    let sections = html! { (opening(report, &sections)) (sections) };
    let note = html! {
        "Every number here is also in " code { "tamis report --format json" } ". "
        "Admitted = pending + finished; finished = the sum of its parts."
    };
    file(
        &title,
        &heading(&title, &[opening_line(report)]),
        &sections,
        &note,
    )
}

/// The same in another language.
pub fn render_in(
    tongue: Tongue,
    report: &CrawlReport,
    texts: &dyn Fn(u64) -> Option<String>,
) -> String {
    let page = render(report, texts);
    match tongue {
        Tongue::English => page,
        Tongue::Chinese => crate::chinese::page(&page),
    }
}

/// What the file may load: nothing but its own styles and its own script.
fn policy() -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let (style, script) = (hash(STYLE), hash(SCRIPT));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; \
         base-uri 'none'; form-action 'none'"
    )
}

/// A whole file.
fn file(title: &str, heading: &Markup, contents: &Markup, note: &Markup) -> String {
    let markup = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="referrer" content="no-referrer";
                meta name="generator" content="Tamis";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                div class="page" {
                    (heading) "\n"
                    main { (contents) }
                    footer { (note) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
        "\n"
    };
    without_controls(markup.into_string())
}

/// The mark and the heading; `lines` stand below it.
fn heading(title: &str, lines: &[String]) -> Markup {
    html! {
        header class="top" {
            (mark())
            div {
                h1 { (title) }
                p class="soft" {
                    @for (at, line) in lines.iter().enumerate() {
                        @if at > 0 { br; }
                        (line)
                    }
                }
            }
        }
    }
}

/// A drum sieve, seen from above.
fn mark() -> Markup {
    html! {
        svg viewBox="0 0 48 48" fill="none" stroke="currentColor" aria-hidden="true" {
            circle cx="24" cy="24" r="21" stroke-width="3.5" {}
            path stroke-width="1.2" d="M12 9.5V38.5M18 6.5V41.5M24 5V43M30 6.5V41.5M36 9.5V38.5M9.5 12H38.5M6.5 18H41.5M5 24H43M6.5 30H41.5M9.5 36H38.5" {}
        }
    }
}

/// Control characters, which HTML does not allow, and marks that turn the direction of what follows
/// them, become spaces.
fn without_controls(html: String) -> String {
    let is_bad = |c: char| crate::words::acts_on_others(c) && !matches!(c, '\n' | '\t');
    match html.contains(is_bad) {
        true => html.replace(is_bad, " "),
        false => html,
    }
}

/// A link to a page of the web; other schemes stay text.
fn link(url: &str) -> Markup {
    match url.starts_with("http://") || url.starts_with("https://") {
        true => html! { a href=(url) rel="noreferrer noopener" { (crate::words::readable(url)) } },
        false => html! { (url) },
    }
}

/// A section, or nothing for one that is empty.
fn shown(section: Option<Markup>) -> Markup {
    section.unwrap_or_default()
}

/// Two sections in one row, where both are there.
fn side_by_side(sections: [Option<Markup>; 2]) -> Markup {
    match sections {
        [Some(left), Some(right)] => html! { div class="two" { (left) (right) } "\n" },
        [left, right] => shown(left.or(right)),
    }
}

fn section(id: &str, title: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (title) }
            "\n" (body)
        }
        "\n"
    }
}

/// The crawl in some sentences and eight numbers, each of which leads to its rows among `sections`, if there are any.
fn opening(report: &CrawlReport, sections: &Markup) -> Markup {
    let totals = &report.totals;
    let cards = [
        ("kept", count(totals.indexed), "kept"),
        ("dropped", count(totals.junk), "dropped"),
        ("duplicates", count(report.duplicates.count), "duplicates"),
        ("failed", count(totals.failed), "errors"),
        ("pending", count(totals.pending), "sieve"),
        ("hosts", count(report.hosts.len() as u64), "hosts"),
        ("received", bytes(report.fetches.bytes), "sizes"),
        ("time", duration(report.duration_s), "network"),
    ];
    let is_there = |id: &str| sections.0.contains(&format!("<section id=\"{id}\""));
    html! {
        p class="lead" {
            @for sentence in story(report) { span { (sentence) } " " }
        }
        "\n"
        dl class="cards" {
            @for (name, value, to) in cards {
                div {
                    dt { (name) }
                    dd { @if is_there(to) { a href={ "#" (to) } { (value) } } @else { (value) } }
                }
            }
        }
        "\n"
    }
}

/// A row of the waterfall.
struct Step {
    label: String,
    /// The reason, where dropped pages are listed by it.
    filter: Option<String>,
    class: &'static str,
    count: u64,
    /// Where its bar begins.
    from: u64,
}

/// The waterfall: all admitted URLs, what fell through and why, what stayed in the sieve.
fn sieve(report: &CrawlReport) -> Markup {
    let admitted = report.totals.admitted;
    let heads = [
        Head::Text("URLs"),
        Head::Number("count"),
        Head::Number("share"),
        Head::Bar,
    ];
    let row = |step: &Step, class: Option<&str>| {
        let bar = charts::bar(step.class, step.from, step.from + step.count, admitted);
        html! {
            tr class=[class] {
                th scope="row" { (step.label) }
                td class="n" {
                    @match &step.filter {
                        Some(reason) => a href="#dropped" data-filter=(reason) { (count(step.count)) },
                        None => (count(step.count)),
                    }
                }
                td class="n" { (share(step.count, admitted)) }
                td class="bar" { (bar) }
            }
            "\n"
        }
    };
    let whole = |label: &str, class, count| Step {
        label: label.to_owned(),
        filter: None,
        class,
        count,
        from: 0,
    };
    let rows = html! {
        (row(&whole("admitted", "admitted", admitted), None))
        @for step in losses(report) { (row(&step, None)) }
        (row(&whole("kept", "indexed", report.totals.indexed), Some("sum")))
    };
    let caption = html! {
        caption { "Every admitted URL once: what fell through, and why; what stayed." }
    };
    let body = html! {
        (table(&caption, &heads, &rows))
        @if let Some(line) = guard_line(report) { p class="soft" { (line) "." } "\n" }
    };
    section("sieve", "Through the sieve", &body)
}

/// What fell through the sieve, each below what was left before it.
fn losses(report: &CrawlReport) -> Vec<Step> {
    let totals = &report.totals;
    let mut lost = vec![
        ("still pending".to_owned(), "pending", totals.pending),
        ("redirected".to_owned(), "redirected", totals.redirected),
        (
            "not modified".to_owned(),
            "not_modified",
            totals.not_modified,
        ),
    ];
    let groups: [(&str, &BTreeMap<String, u64>); 3] = [
        ("refused", &report.reasons.refused),
        ("failed", &report.reasons.failed),
        ("junk", &report.reasons.junk),
    ];
    for (group, reasons) in groups {
        for (reason, count) in sorted(reasons) {
            let label = match group {
                "junk" => name(reason),
                group => format!("{group}: {}", name(reason)),
            };
            lost.push((label, group, count));
        }
    }
    let mut left = totals.admitted;
    let lost = lost.into_iter().filter(|(_, _, count)| *count > 0);
    lost.map(|(label, class, count)| {
        left -= count.min(left);
        Step {
            filter: (class == "junk").then(|| label.clone()),
            label,
            class,
            count,
            from: left,
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_web_cannot_become_markup() {
        let evil = "\"><script>'&\u{1b}";
        let page = html! { p title=(evil) { (evil) (link(&format!("http://a/{evil}"))) } };
        let page = without_controls(page.into_string());
        assert!(
            !page.contains("<script>") && !page.contains('\u{1b}'),
            "{page}"
        );
        assert_eq!(page.matches('"').count(), 6, "{page}");
        assert!(!link("javascript:x").into_string().contains("href"));
    }

    /// What is not escaped by the template engine stands in one place.
    #[test]
    fn nothing_but_styles_and_script_is_taken_as_it_is() {
        let sources = [
            include_str!("html.rs"),
            include_str!("html/charts.rs"),
            include_str!("html/comparison.rs"),
            include_str!("html/found.rs"),
            include_str!("html/headline.rs"),
            include_str!("html/samples.rs"),
            include_str!("html/sections.rs"),
            include_str!("html/tables.rs"),
        ];
        let raw = concat!("PreEscaped", "(");
        let found: Vec<&str> = sources
            .iter()
            .flat_map(|source| source.lines())
            .filter(|line| line.contains(raw))
            .collect();
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(
            found[0].contains("STYLE") && found[1].contains("SCRIPT"),
            "{found:#?}"
        );
        assert!(!SCRIPT.contains("</") && !STYLE.contains("</"));
    }
}
