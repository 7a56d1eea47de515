//! The report's sections below the waterfall. An empty section is left out.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::tables::{Head, table};
use super::{charts, link, samples, section};
use crate::figures::CrawlReport;
use crate::harvest::{Harvest, Point};
use crate::lines::{
    DEAD_COLUMNS, LEARNT_COLUMNS, ROUND_COLUMNS, beside_breadth, breadth_lines, dead_cells,
    duplicate_line, foreseen_line, foreseen_rules, learnt_lines, learnt_rows, network_lines,
    part_of, round_rows, wall_lines,
};
use crate::words::{count, duration, name, plural, share};

/// The largest first.
pub(super) fn sorted(counts: &BTreeMap<String, u64>) -> Vec<(&String, u64)> {
    let mut sorted: Vec<(&String, u64)> = counts.iter().map(|(name, n)| (name, *n)).collect();
    sorted.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    sorted
}

/// Rows of a table of counts.
const COUNTS_MAX: usize = 12;

/// Rounds that are shown, the last ones.
const ROUNDS_MAX: usize = 100;

/// Learnt rules that are shown.
const LEARNT_MAX: usize = 50;

/// A table of counts with bars.
pub(super) fn counts(what: &str, rows: &BTreeMap<String, u64>, class: &str) -> Markup {
    let total: u64 = rows.values().sum();
    let heads = [
        Head::Text(what),
        Head::Number("count"),
        Head::Number("share"),
        Head::Bar,
    ];
    let rows = html! {
        @for (label, n) in sorted(rows).into_iter().take(COUNTS_MAX) {
            tr {
                th scope="row" { (name(label)) }
                td class="n" { (count(n)) }
                td class="n" { (share(n, total)) }
                td class="bar" { (charts::bar(class, 0, n, total)) }
            }
            "\n"
        }
    };
    table(&Markup::default(), &heads, &rows)
}

/// A list without points.
fn list(items: impl IntoIterator<Item = impl AsRef<str>>) -> Markup {
    html! {
        ul class="plain" { @for item in items { li { (item.as_ref()) } "\n" } }
    }
}

/// The curves of the harvest as a table, beside breadth-first.
pub(super) fn against_breadth(report: &CrawlReport) -> Option<Markup> {
    let lines = breadth_lines(&report.harvest);
    if lines.is_empty() {
        return None;
    }
    let body = html! {
        (breadth_table(&report.harvest))
        @for line in &lines {
            p class="soft" { (line) "." }
            "\n"
        }
    };
    Some(section("breadth", "Harvest against breadth-first", &body))
}

fn breadth_table(harvest: &Harvest) -> Markup {
    let rows = beside_breadth(harvest);
    if rows.is_empty() {
        return Markup::default();
    }
    let heads = [
        "pages",
        "relevant",
        "relevant and new",
        "breadth-first: relevant",
        "relevant and new",
        "the same with those not read",
    ];
    let cell = |point: Option<Point>, part: fn(Point) -> u64| {
        html! { td class="n" { (part_of(point, part)) } }
    };
    let relevant: fn(Point) -> u64 = |point| point.relevant;
    let new: fn(Point) -> u64 = |point| point.relevant_and_new;
    let rows = html! {
        @for row in rows {
            tr {
                th scope="row" class="n" { (count(row.crawl.pages)) }
                (cell(Some(row.crawl), relevant))
                (cell(Some(row.crawl), new))
                (cell(row.mild, relevant))
                (cell(row.mild, new))
                (cell(row.harsh, new))
            }
            "\n"
        }
    };
    table(&Markup::default(), &heads.map(Head::Number), &rows)
}

/// Response times and sizes.
pub(super) fn network(report: &CrawlReport) -> Option<Markup> {
    if report.fetches.pages == 0 {
        return None;
    }
    let label = |ms: u64| match ms {
        0..=999 => format!("{ms} ms"),
        ms => format!("{:.0} s", ms as f64 / 1000.0),
    };
    let title = "Fetches by response time, up to the time under each bar";
    let body = html! {
        (charts::steps(title, &report.response_times.steps, label))
        @for line in network_lines(report) {
            p { (line) }
            "\n"
        }
    };
    Some(section("network", "Response times", &body))
}

/// Body sizes.
pub(super) fn sizes(report: &CrawlReport) -> Option<Markup> {
    if report.sizes.max == 0 {
        return None;
    }
    let size = |bytes: u64| match bytes {
        0..=999 => format!("{bytes} B"),
        1_000..=999_999 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.0} MB", bytes as f64 / 1e6),
    };
    let title = "Fetches by body size, up to the size under each bar";
    let body = charts::steps(title, &report.sizes.steps, size);
    Some(section("sizes", "Body sizes", &body))
}

/// Duplicates, with samples side by side.
pub(super) fn duplicates(
    report: &CrawlReport,
    texts: &dyn Fn(u64) -> Option<String>,
) -> Option<Markup> {
    let duplicates = &report.duplicates;
    if duplicates.count == 0 {
        return None;
    }
    let farthest = duplicates.by_distance.keys().max().copied().unwrap_or(0);
    let bars: Vec<(String, u64)> = (0..=farthest.clamp(7, 64))
        .map(|distance| {
            let count = duplicates.by_distance.get(&distance).copied();
            (distance.to_string(), count.unwrap_or(0))
        })
        .collect();
    let title = "Duplicates by Hamming distance of the fingerprints";
    let rules = foreseen_rules(report);
    let body = html! {
        p { (duplicate_line(report)) }
        "\n"
        @if let Some(line) = foreseen_line(report) {
            p { (line) }
            "\n"
        }
        @if !rules.is_empty() { (list(rules)) }
        div class="two" {
            div { h3 { "By distance in bits" } (charts::columns(title, &bars)) }
            div { (counts("kind", &duplicates.by_kind, "junk")) (most_repeated(report)) }
        }
        h3 { "Side by side" }
        "\n"
        p class="soft" { "Marked is what stands on one side only." }
        "\n"
        (samples::samples(&duplicates.samples, texts))
    };
    Some(section("duplicates", "Duplicates", &body))
}

fn most_repeated(report: &CrawlReport) -> Markup {
    let largest = &report.duplicates.largest;
    if largest.is_empty() {
        return Markup::default();
    }
    let heads = [
        Head::Text("most repeated pages"),
        Head::Number("duplicates"),
    ];
    let rows = html! {
        @for cluster in largest.iter().take(8) {
            tr {
                td class="u" { (link(&cluster.representative)) }
                td class="n" { (count(cluster.members)) }
            }
            "\n"
        }
    };
    table(&Markup::default(), &heads, &rows)
}

/// Statuses and content types.
pub(super) fn responses(report: &CrawlReport) -> Option<Markup> {
    if report.statuses.is_empty() {
        return None;
    }
    let body = html! {
        (counts("status (0: no answer)", &report.statuses, "plain"))
        @if !report.content_types.is_empty() {
            (counts("content type", &report.content_types, "plain"))
        }
    };
    Some(section("responses", "Responses", &body))
}

/// Languages of the judged pages.
pub(super) fn languages(report: &CrawlReport) -> Option<Markup> {
    if report.languages.is_empty() {
        return None;
    }
    let pages = report.languages.iter();
    let pages = pages.map(|(lang, n)| (lang.clone(), n.pages)).collect();
    let body = counts("language of the text", &pages, "plain");
    Some(section("languages", "Languages", &body))
}

/// What people said of decisions.
pub(super) fn audit(report: &CrawlReport) -> Option<Markup> {
    let audit = report.audit.as_ref()?;
    let heads = ["marked wrong", "decision"].map(Head::Text);
    let rows = html! {
        @for wrong in &audit.wrong {
            tr { td class="u" { (link(&wrong.url)) } td { (wrong.decision()) } }
            "\n"
        }
    };
    let body = html! {
        @for line in audit.lines() { p { (line) } }
        @if !audit.wrong.is_empty() { (table(&Markup::default(), &heads, &rows)) }
    };
    Some(section("audit", "Audit", &body))
}

/// What went wrong.
pub(super) fn errors(report: &CrawlReport) -> Option<Markup> {
    if report.errors.is_empty() {
        return None;
    }
    let heads = [
        Head::Text("error"),
        Head::Number("fetches"),
        Head::Number("given up"),
        Head::Number("hosts"),
        Head::Text("for example"),
    ];
    let rows = html! {
        @for group in report.errors.iter().take(15) {
            tr {
                th scope="row" { (name(&group.name)) }
                td class="n" { (count(group.count)) }
                td class="n" { (count(group.given_up)) }
                td class="n" { (count(group.hosts)) }
                td class="u" { (link(&group.url)) br; span class="soft" { (group.text) } }
            }
            "\n"
        }
    };
    let body = table(&Markup::default(), &heads, &rows);
    Some(section("errors", "Errors", &body))
}

/// Forms of URLs of which most led to no page.
pub(super) fn dead_forms(report: &CrawlReport) -> Option<Markup> {
    if report.dead_forms.is_empty() {
        return None;
    }
    let [form, asked, dead, example] = DEAD_COLUMNS;
    let heads = [
        Head::Text(form),
        Head::Number(asked),
        Head::Number(dead),
        Head::Text(example),
    ];
    let rows = html! {
        @for row in &report.dead_forms {
            @let [form, asked, dead] = dead_cells(row);
            tr {
                th scope="row" class="u" { bdi { (form) } }
                td class="n" { (asked) }
                td class="n" { (dead) }
                td class="u" { (link(&row.example)) }
            }
            "\n"
        }
    };
    let body = table(&Markup::default(), &heads, &rows);
    Some(section("dead", "Forms of URLs that are mostly dead", &body))
}

/// What the crawl waited for.
pub(super) fn waiting(report: &CrawlReport) -> Option<Markup> {
    if report.why_slow.is_empty() {
        return None;
    }
    let body = list(report.why_slow.iter().map(|wait| &wait.text));
    Some(section("waiting", "What the crawl waited for", &body))
}

/// Walls in the place of pages, and what to do about them.
pub(super) fn walls(report: &CrawlReport) -> Option<Markup> {
    let lines = wall_lines(report);
    if lines.is_empty() {
        return None;
    }
    Some(section("walls", "Walls", &list(&lines)))
}

/// Rounds of visits to what was read.
pub(super) fn rounds(report: &CrawlReport) -> Option<Markup> {
    if report.rounds.is_empty() {
        return None;
    }
    let [round, began, numbers @ ..] = ROUND_COLUMNS;
    let heads: Vec<Head> = [Head::Text(round), Head::Text(began)]
        .into_iter()
        .chain(numbers.map(Head::Number))
        .collect();
    let rows = html! {
        @for [round, began, numbers @ ..] in round_rows(report).take(ROUNDS_MAX) {
            tr {
                th scope="row" { (round) }
                td class="d" { (began) }
                @for number in numbers { td class="n" { (number) } }
            }
            "\n"
        }
    };
    let table = table(&Markup::default(), &heads, &rows);
    Some(section("rounds", "Rounds", &table))
}

/// What learnt rules refused unread, and what that may have lost.
pub(super) fn learnt(report: &CrawlReport) -> Option<Markup> {
    let lines = learnt_lines(report);
    if lines.is_empty() {
        return None;
    }
    let [rule, numbers @ ..] = LEARNT_COLUMNS;
    let heads: Vec<Head> = std::iter::once(Head::Text(rule))
        .chain(numbers.map(Head::Number))
        .collect();
    let rows = html! {
        @for [rule, numbers @ ..] in learnt_rows(report).take(LEARNT_MAX) {
            tr {
                th scope="row" { (rule) }
                @for number in numbers { td class="n" { (number) } }
            }
            "\n"
        }
    };
    let body = html! {
        @for line in &lines { p { (line) "." } "\n" }
        (table(&Markup::default(), &heads, &rows))
    };
    Some(section("learnt", "Learnt rules", &body))
}

/// Links and traps.
pub(super) fn links(report: &CrawlReport) -> Option<Markup> {
    let (links, traps) = (&report.links, &report.traps);
    if links.found == 0 {
        return None;
    }
    let left_out: u64 = links.refused.values().sum();
    let body = html! {
        p {
            (plural(links.found, "link", "links")) " found: " (count(links.new)) " new, "
            (count(links.seen)) " seen before, " (count(left_out)) " left out; sitemaps brought "
            (plural(links.in_sitemaps, "URL", "URLs")) " more."
        }
        "\n"
        @if left_out > 0 { (counts("left out for", &links.refused, "refused")) }
        @if traps.count > 0 {
            h3 { "Traps" }
            p { (plural(traps.count, "URL of a trap", "URLs of traps")) " left alone." }
            (list(traps.samples.iter().take(5)))
        }
    };
    Some(section("links", "Links", &body))
}

/// How robots.txt was answered.
pub(super) fn robots(report: &CrawlReport) -> Option<Markup> {
    let robots = &report.robots;
    if robots.hosts == 0 {
        return None;
    }
    let delays = robots.crawl_delays.iter().take(10);
    let delays = delays.map(|delay| format!("{}: {}", delay.host, duration(delay.delay_s)));
    let closed = robots.closed.iter().take(10).cloned();
    let lists: [(&str, Vec<String>); 2] = [
        ("Asked for a delay", delays.collect()),
        ("Closed to us", closed.collect()),
    ];
    let body = html! {
        p {
            (plural(robots.hosts, "host", "hosts")) " asked; "
            (plural(robots.refused, "URL", "URLs")) " refused."
        }
        "\n"
        (counts("answer of robots.txt", &robots.rules, "plain"))
        @for (title, items) in lists.iter().filter(|(_, items)| !items.is_empty()) {
            h3 { (title) }
            (list(items))
        }
    };
    Some(section("robots", "robots.txt", &body))
}
