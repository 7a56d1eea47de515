//! The report as one HTML file that opens without network: styles and charts are inside, scripts
//! there are none. Light and dark follow the reader's system.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::figures::CrawlReport;
use crate::lines::{opening_line, stop_line};
use crate::words::{bytes, count, duration, name, plural, share};

mod charts;
mod comparison;
mod samples;
mod sections;
mod tables;

pub use comparison::render as render_comparison;
use sections::{
    against_breadth, duplicates, errors, harvest, languages, links, network, responses, robots,
    sizes, sorted, waiting,
};
use tables::{hosts, seeds};

const STYLE: &str = include_str!("html/style.css");

/// A drum sieve, seen from above.
const MARK: &str = "<svg viewBox=\"0 0 48 48\" fill=\"none\" stroke=\"currentColor\" aria-hidden=\"true\">\
    <circle cx=\"24\" cy=\"24\" r=\"21\" stroke-width=\"3.5\"/>\
    <path stroke-width=\"1.2\" d=\"M12 9.5V38.5M18 6.5V41.5M24 5V43M30 6.5V41.5M36 9.5V38.5M9.5 12H38.5M6.5 18H41.5M5 24H43M6.5 30H41.5M9.5 36H38.5\"/></svg>";

/// The whole file. `texts` gives the archived text of a page by its record number, for the
/// duplicates that are shown side by side: see [`CrawlReport::sample_pages`].
pub fn render(report: &CrawlReport, texts: &dyn Fn(u64) -> Option<String>) -> String {
    let title = format!("Crawl report: {}", report.name);
    let mut out = begun(&title);
    opening(&mut out, report, &title);
    sieve(&mut out, report);
    two(&mut out, [harvest(report), network(report)]);
    out.push_str(&against_breadth(report));
    duplicates(&mut out, report, texts);
    hosts(&mut out, report);
    seeds(&mut out, report);
    two(&mut out, [responses(report), errors(report)]);
    two(&mut out, [languages(report), sizes(report)]);
    two(&mut out, [waiting(report), robots(report)]);
    out.push_str(&links(report));
    ended(
        &mut out,
        "Every number here is also in <code>tamis report --format json</code>. \
         Admitted = pending + finished; finished = the sum of its parts.",
    );
    out
}

/// A file up to where its contents begin.
fn begun(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"Tamis\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<div class=\"page\">\n",
        escape(title)
    )
}

/// The mark and the heading; `lines` are text that stands below it.
fn heading(out: &mut String, title: &str, lines: &[String]) {
    let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    let _ = write!(
        out,
        "<header class=\"top\">{MARK}<div><h1>{}</h1><p class=\"soft\">{}</p></div></header>\n<main>\n",
        escape(title),
        lines.join("<br>"),
    );
}

/// The end of a file that `begun` began; `note` is markup.
fn ended(out: &mut String, note: &str) {
    let _ = write!(
        out,
        "</main>\n<footer>{note}</footer>\n</div>\n</body>\n</html>\n"
    );
}

/// Text for HTML, in elements and in quoted attributes. Control characters, which HTML does not
/// allow, become spaces.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A link to a page of the web; other schemes stay text.
pub(crate) fn link(url: &str) -> String {
    let text = escape(url);
    match url.starts_with("http://") || url.starts_with("https://") {
        true => format!("<a href=\"{text}\" rel=\"noreferrer noopener\">{text}</a>"),
        false => text,
    }
}

fn two<const N: usize>(out: &mut String, sections: [String; N]) {
    let full: Vec<&String> = sections
        .iter()
        .filter(|section| !section.is_empty())
        .collect();
    match full.as_slice() {
        [] => {}
        [one] => out.push_str(one),
        more => {
            out.push_str("<div class=\"two\">\n");
            more.iter().for_each(|section| out.push_str(section));
            out.push_str("</div>\n");
        }
    }
}

fn section(id: &str, title: &str, body: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{}</h2>\n{body}</section>\n",
        escape(title)
    )
}

fn opening(out: &mut String, report: &CrawlReport, title: &str) {
    let totals = &report.totals;
    heading(out, title, &[opening_line(report), stop_line(report)]);
    let _ = writeln!(
        out,
        "<p class=\"lead\">Of {} found, {} were finished: <b>{} kept</b> and {} read and dropped, among them {}.</p>",
        plural(totals.admitted, "URL", "URLs"),
        count(totals.finished),
        count(totals.indexed),
        count(totals.junk),
        plural(report.duplicates.count, "duplicate", "duplicates"),
    );
    let cards = [
        ("kept", count(totals.indexed)),
        ("dropped", count(totals.junk)),
        ("duplicates", count(report.duplicates.count)),
        ("failed", count(totals.failed)),
        ("pending", count(totals.pending)),
        ("hosts", count(report.hosts.len() as u64)),
        ("received", bytes(report.fetches.bytes)),
        ("time", duration(report.duration_s)),
    ];
    let cards = cards
        .iter()
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>"));
    let _ = writeln!(
        out,
        "<dl class=\"cards\">{}</dl>",
        cards.collect::<String>()
    );
}

/// The waterfall: all admitted URLs, what fell through and why, what stayed in the sieve.
fn sieve(out: &mut String, report: &CrawlReport) {
    let totals = &report.totals;
    let mut rows = String::new();
    let mut left = totals.admitted;
    let mut row = |label: &str, class: &str, n: u64, from: u64, sum: bool| {
        let kind = if sum { " class=\"sum\"" } else { "" };
        let _ = writeln!(
            rows,
            "<tr{kind}><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"bar\">{}</td></tr>",
            escape(label),
            count(n),
            share(n, totals.admitted),
            charts::bar(class, from, from + n, totals.admitted),
        );
    };
    row("admitted", "admitted", totals.admitted, 0, false);
    let groups: [(&str, &BTreeMap<String, u64>, u64); 3] = [
        ("refused", &report.reasons.refused, totals.refused),
        ("failed", &report.reasons.failed, totals.failed),
        ("junk", &report.reasons.junk, totals.junk),
    ];
    let mut lose = |label: &str, class: &str, n: u64| {
        if n > 0 {
            left -= n.min(left);
            row(label, class, n, left, false);
        }
    };
    lose("still pending", "pending", totals.pending);
    lose("redirected", "redirected", totals.redirected);
    lose("not modified", "not_modified", totals.not_modified);
    for (group, reasons, _) in groups {
        for (reason, n) in sorted(reasons) {
            let label = match group {
                "junk" => name(reason),
                group => format!("{group}: {}", name(reason)),
            };
            lose(&label, group, n);
        }
    }
    row("kept", "indexed", totals.indexed, 0, true);
    let body = format!(
        "<div class=\"scroll\"><table><caption>Every admitted URL once: what fell through, and why; what stayed.</caption>\
         <thead><tr><th scope=\"col\">URLs</th><th scope=\"col\" class=\"n\">count</th><th scope=\"col\" class=\"n\">share</th><td class=\"bar\"></td></tr></thead>\
         <tbody>{rows}</tbody></table></div>\n"
    );
    out.push_str(&section("sieve", "Through the sieve", &body));
}
