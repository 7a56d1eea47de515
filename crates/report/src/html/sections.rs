//! The report's sections below the waterfall. An empty section is left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{charts, escape, link, samples, section};
use crate::figures::CrawlReport;
use crate::harvest::{Harvest, Point};
use crate::lines::{
    beside_breadth, breadth_lines, duplicate_line, example_lines, foreseen_line, foreseen_rules,
    harvest_lines, network_lines, part_of,
};
use crate::words::{count, duration, name, plural, share};

/// The largest first.
pub(super) fn sorted(counts: &BTreeMap<String, u64>) -> Vec<(&String, u64)> {
    let mut sorted: Vec<(&String, u64)> = counts.iter().map(|(name, n)| (name, *n)).collect();
    sorted.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    sorted
}

/// A table of counts with bars.
fn counts(what: &str, rows: &BTreeMap<String, u64>, class: &str) -> String {
    let total: u64 = rows.values().sum();
    let rows = sorted(rows).into_iter().take(12).map(|(label, n)| {
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"bar\">{}</td></tr>\n",
            escape(&name(label)),
            count(n),
            share(n, total),
            charts::bar(class, 0, n, total),
        )
    });
    format!(
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">{}</th><th scope=\"col\" class=\"n\">count</th><th scope=\"col\" class=\"n\">share</th><td class=\"bar\"></td></tr></thead><tbody>{}</tbody></table></div>\n",
        escape(what),
        rows.collect::<String>()
    )
}

fn paragraphs(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| format!("<p>{}</p>\n", escape(line)))
        .collect()
}

/// What was wanted, over the pages read.
pub(super) fn harvest(report: &CrawlReport) -> String {
    let harvest = &report.harvest;
    if harvest.pages == 0 {
        return String::new();
    }
    let lines = [harvest_lines(report), example_lines(report)];
    let lines = lines.iter().filter(|lines| !lines.is_empty());
    let lines = lines.map(|lines| format!("<p class=\"soft\">{}</p>\n", escape(&lines.join("; "))));
    let body = format!(
        "{}{}{}",
        charts::harvest(harvest),
        charts::harvest_legend(harvest),
        lines.collect::<String>(),
    );
    section("harvest", "Harvest", &body)
}

/// The curves of the harvest as a table, beside breadth-first.
pub(super) fn against_breadth(report: &CrawlReport) -> String {
    let lines: String = breadth_lines(&report.harvest)
        .iter()
        .map(|line| format!("<p class=\"soft\">{}.</p>\n", escape(line)))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let body = format!("{}{lines}", breadth_table(&report.harvest));
    section("breadth", "Harvest against breadth-first", &body)
}

fn breadth_table(harvest: &Harvest) -> String {
    let rows = beside_breadth(harvest);
    if rows.is_empty() {
        return String::new();
    }
    let rows = rows.into_iter().map(|row| {
        let cell =
            |point: Option<Point>, part| format!("<td class=\"n\">{}</td>", part_of(point, part));
        let relevant = |point| cell(point, |point| point.relevant);
        let new = |point| cell(point, |point| point.relevant_and_new);
        format!(
            "<tr><th scope=\"row\" class=\"n\">{}</th>{}{}{}{}{}</tr>\n",
            count(row.crawl.pages),
            relevant(Some(row.crawl)),
            new(Some(row.crawl)),
            relevant(row.mild),
            new(row.mild),
            new(row.harsh),
        )
    });
    let number = |text| format!("<th scope=\"col\" class=\"n\">{text}</th>");
    format!(
        "<div class=\"scroll\"><table><thead><tr>{}{}{}{}{}{}</tr></thead><tbody>{}</tbody></table></div>\n",
        number("pages"),
        number("relevant"),
        number("relevant and new"),
        number("breadth-first: relevant"),
        number("relevant and new"),
        number("the same with those not read"),
        rows.collect::<String>(),
    )
}

/// Response times and sizes.
pub(super) fn network(report: &CrawlReport) -> String {
    if report.fetches.pages == 0 {
        return String::new();
    }
    let label = |ms: u64| match ms {
        0..=999 => format!("{ms} ms"),
        ms => format!("{:.0} s", ms as f64 / 1000.0),
    };
    let body = format!(
        "{}{}",
        charts::steps(
            "Fetches by response time, up to the time under each bar",
            &report.response_times.steps,
            label
        ),
        paragraphs(&network_lines(report)),
    );
    section("network", "Response times", &body)
}

/// Body sizes.
pub(super) fn sizes(report: &CrawlReport) -> String {
    if report.sizes.max == 0 {
        return String::new();
    }
    let size = |bytes: u64| match bytes {
        0..=999 => format!("{bytes} B"),
        1_000..=999_999 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.0} MB", bytes as f64 / 1e6),
    };
    let title = "Fetches by body size, up to the size under each bar";
    let body = charts::steps(title, &report.sizes.steps, size);
    section("sizes", "Body sizes", &body)
}

/// Duplicates, with samples side by side.
pub(super) fn duplicates(
    out: &mut String,
    report: &CrawlReport,
    texts: &dyn Fn(u64) -> Option<String>,
) {
    let duplicates = &report.duplicates;
    if duplicates.count == 0 {
        return;
    }
    let far = duplicates
        .by_distance
        .keys()
        .max()
        .copied()
        .unwrap_or(0)
        .min(64);
    let bars: Vec<(String, u64)> = (0..=far.max(7))
        .map(|d| {
            (
                d.to_string(),
                duplicates.by_distance.get(&d).copied().unwrap_or(0),
            )
        })
        .collect();
    let largest = duplicates.largest.iter().take(8).map(|cluster| {
        let (url, members) = (link(&cluster.representative), count(cluster.members));
        format!("<tr><td class=\"u\">{url}</td><td class=\"n\">{members}</td></tr>\n")
    });
    let largest: String = largest.collect();
    let largest = match largest.is_empty() {
        true => String::new(),
        false => format!(
            "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">most repeated pages</th><th scope=\"col\" class=\"n\">duplicates</th></tr></thead><tbody>{largest}</tbody></table></div>\n"
        ),
    };
    let mut foreseen: String = foreseen_line(report)
        .map(|line| format!("<p>{}</p>\n", escape(&line)))
        .unwrap_or_default();
    let rules = foreseen_rules(report);
    if !rules.is_empty() {
        let rules = rules
            .iter()
            .map(|rule| format!("<li>{}</li>", escape(rule)));
        let _ = writeln!(
            foreseen,
            "<ul class=\"plain\">{}</ul>",
            rules.collect::<String>()
        );
    }
    let body = format!(
        "<p>{}</p>\n{}<div class=\"two\"><div><h3>By distance in bits</h3>{}</div><div>{}{largest}</div></div>\n\
         <h3>Side by side</h3>\n<p class=\"soft\">Marked is what stands on one side only.</p>\n{}",
        escape(&duplicate_line(report)),
        foreseen,
        charts::columns("Duplicates by Hamming distance of the fingerprints", &bars),
        counts("kind", &duplicates.by_kind, "junk"),
        samples::samples(&duplicates.samples, texts),
    );
    out.push_str(&section("duplicates", "Duplicates", &body));
}

/// Statuses and content types.
pub(super) fn responses(report: &CrawlReport) -> String {
    if report.statuses.is_empty() {
        return String::new();
    }
    let mut body = counts("status (0: no answer)", &report.statuses, "plain");
    if !report.content_types.is_empty() {
        body.push_str(&counts("content type", &report.content_types, "plain"));
    }
    section("responses", "Responses", &body)
}

/// Languages of the judged pages.
pub(super) fn languages(report: &CrawlReport) -> String {
    if report.languages.is_empty() {
        return String::new();
    }
    let pages = report
        .languages
        .iter()
        .map(|(lang, n)| (lang.clone(), n.pages))
        .collect();
    section(
        "languages",
        "Languages",
        &counts("language of the text", &pages, "plain"),
    )
}

/// What went wrong.
pub(super) fn errors(report: &CrawlReport) -> String {
    if report.errors.is_empty() {
        return String::new();
    }
    let rows = report.errors.iter().take(15).map(|group| {
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"u\">{}<br><span class=\"soft\">{}</span></td></tr>\n",
            escape(&name(&group.name)),
            count(group.count),
            count(group.given_up),
            count(group.hosts),
            link(&group.url),
            escape(&group.text),
        )
    });
    let body = format!(
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">error</th><th scope=\"col\" class=\"n\">fetches</th><th scope=\"col\" class=\"n\">given up</th><th scope=\"col\" class=\"n\">hosts</th><th scope=\"col\">for example</th></tr></thead><tbody>{}</tbody></table></div>\n",
        rows.collect::<String>()
    );
    section("errors", "Errors", &body)
}

/// What the crawl waited for.
pub(super) fn waiting(report: &CrawlReport) -> String {
    if report.why_slow.is_empty() {
        return String::new();
    }
    let items = report
        .why_slow
        .iter()
        .map(|wait| format!("<li>{}</li>\n", escape(&wait.text)));
    let body = format!("<ul class=\"plain\">{}</ul>\n", items.collect::<String>());
    section("waiting", "What the crawl waited for", &body)
}

/// Links and traps.
pub(super) fn links(report: &CrawlReport) -> String {
    let links = &report.links;
    if links.found == 0 {
        return String::new();
    }
    let left_out: u64 = links.refused.values().sum();
    let mut body = format!(
        "<p>{} found: {} new, {} seen before, {} left out; sitemaps brought {} more.</p>\n",
        plural(links.found, "link", "links"),
        count(links.new),
        count(links.seen),
        count(left_out),
        plural(links.in_sitemaps, "URL", "URLs"),
    );
    if left_out > 0 {
        body.push_str(&counts("left out for", &links.refused, "refused"));
    }
    if report.traps.count > 0 {
        let samples = report.traps.samples.iter().take(5);
        let samples: String = samples
            .map(|url| format!("<li>{}</li>\n", escape(url)))
            .collect();
        let left = plural(report.traps.count, "URL of a trap", "URLs of traps");
        let _ = writeln!(
            body,
            "<h3>Traps</h3><p>{left} left alone.</p><ul class=\"plain\">{samples}</ul>"
        );
    }
    section("links", "Links", &body)
}

/// How robots.txt was answered.
pub(super) fn robots(report: &CrawlReport) -> String {
    let robots = &report.robots;
    if robots.hosts == 0 {
        return String::new();
    }
    let mut body = format!(
        "<p>{} asked; {} refused.</p>\n{}",
        plural(robots.hosts, "host", "hosts"),
        plural(robots.refused, "URL", "URLs"),
        counts("answer of robots.txt", &robots.rules, "plain"),
    );
    for (title, items) in [
        (
            "Asked for a delay",
            robots
                .crawl_delays
                .iter()
                .take(10)
                .map(|delay| format!("{}: {}", delay.host, duration(delay.delay_s)))
                .collect::<Vec<_>>(),
        ),
        (
            "Closed to us",
            robots.closed.iter().take(10).cloned().collect(),
        ),
    ] {
        if !items.is_empty() {
            let items: String = items
                .iter()
                .map(|item| format!("<li>{}</li>", escape(item)))
                .collect();
            let _ = writeln!(body, "<h3>{title}</h3><ul class=\"plain\">{items}</ul>");
        }
    }
    section("robots", "robots.txt", &body)
}
