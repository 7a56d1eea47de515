//! What was found: the tables of kept and of dropped pages, broken links, and rights.

use maud::{Markup, html};

use super::sections::counts;
use super::tables::{Head, table};
use super::{link, section};
use crate::figures::CrawlReport;
use crate::found::FoundRow;
use crate::words::{count, name, plural, readable};

/// Kept pages.
pub(super) fn kept(report: &CrawlReport) -> Option<Markup> {
    let rows = &report.found.kept;
    if rows.is_empty() {
        return None;
    }
    let has_topic = rows.iter().any(|row| row.relevance.is_some());
    let mut heads = vec![("title", false), ("host", false), ("date", false)];
    if has_topic {
        heads.push(("relevance", true));
    }
    let body = html! {
        (rows_table("kept", &heads, rows, |row| kept_row(row, has_topic)))
        (rest(rows.len(), report.totals.indexed, "indexed"))
    };
    Some(section(
        "kept",
        &format!("{} kept", plural(report.totals.indexed, "page", "pages")),
        &body,
    ))
}

fn kept_row(row: &FoundRow, has_topic: bool) -> Markup {
    html! {
        tr {
            td class="u" { (titled(row)) }
            td class="h" { bdi { (row.host) } }
            td class="d" { (day(&row.published)) }
            @if has_topic {
                td class="n" { (row.relevance.map_or(String::new(), |r| format!("{r:.2}"))) }
            }
        }
        "\n"
    }
}

/// Dropped pages, with the reason.
pub(super) fn dropped(report: &CrawlReport) -> Option<Markup> {
    let rows = &report.found.dropped;
    if rows.is_empty() {
        return None;
    }
    let heads = [
        ("title", false),
        ("host", false),
        ("reason", false),
        ("because", false),
    ];
    let body = html! {
        (rows_table("dropped", &heads, rows, dropped_row))
        (rest(rows.len(), report.totals.junk, "junk"))
    };
    let title = format!(
        "{} read and dropped",
        plural(report.totals.junk, "page", "pages")
    );
    Some(section("dropped", &title, &body))
}

fn dropped_row(row: &FoundRow) -> Markup {
    html! {
        tr {
            td class="u" { (titled(row)) }
            td class="h" { bdi { (row.host) } }
            td { (name(&row.reason)) }
            td class="u" {
                @if row.because.starts_with("http") { "of " (link(&row.because)) }
                @else { span class="soft" { (row.because) } }
            }
        }
        "\n"
    }
}

/// A page's title as a link to it; its URL where it has none.
fn titled(row: &FoundRow) -> Markup {
    let title = match row.title.trim() {
        "" => readable(&row.url),
        title => title.into(),
    };
    let is_whole = !row.url.ends_with('…');
    html! {
        @if is_whole && (row.url.starts_with("http://") || row.url.starts_with("https://")) {
            a href=(row.url) rel="noreferrer noopener" { bdi { (title) } }
        } @else { bdi { (title) } }
    }
}

fn day(published: &str) -> &str {
    match published {
        "" => "–",
        at => at.get(..10).unwrap_or(at),
    }
}

/// A table of `kept` or `dropped` pages whose rows the reader can sort and filter.
fn rows_table(
    verdict: &str,
    heads: &[(&str, bool)],
    rows: &[FoundRow],
    row: impl Fn(&FoundRow) -> Markup,
) -> Markup {
    let id = &format!("{verdict}-rows");
    let label = match verdict {
        "kept" => "Kept pages",
        _ => "Dropped pages",
    };
    html! {
        p class="filter" {
            label for={ (id) "-filter" } { "Filter" }
            input id={ (id) "-filter" } data-for=(id) type="search" autocomplete="off" aria-label={ "Filter the " (verdict) " pages" };
            span id={ (id) "-count" } class="soft" aria-live="polite" {}
        }
        div class="scroll tall" tabindex="0" role="region" aria-label=(label) {
            table class="rows" id=(id) {
                thead {
                    tr {
                        @for (head, is_number) in heads {
                            th scope="col" class=[is_number.then_some("n")] {
                                button type="button" { (head) }
                            }
                        }
                    }
                }
                tbody { @for item in rows { (row(item)) } }
            }
        }
        "\n"
    }
}

/// Where the rest of the rows is.
fn rest(shown: usize, all: u64, what: &str) -> Markup {
    let shown = shown as u64;
    html! {
        p class="soft" {
            @if shown < all { (count(shown)) " of " (count(all)) " are listed. " }
            "All of them: " code { "tamis export DIR " (what) }
        }
        "\n"
    }
}

/// Links that lead nowhere.
pub(super) fn broken(report: &CrawlReport) -> Option<Markup> {
    let broken = report.broken.as_ref().filter(|broken| broken.links > 0)?;
    let heads = ["link", "text", "page", "status", "first seen"].map(Head::Text);
    let rows = html! {
        @for row in &broken.rows {
            tr {
                td class="u" { (link(&row.link)) }
                td { bdi { (row.anchor) } }
                td class="u" { (link(&row.page)) }
                td { (row.status) }
                td class="d" { (day(&row.first_seen)) }
            }
            "\n"
        }
    };
    let body = html! {
        p { (broken.line()) }
        details open[broken.rows.len() <= 12] {
            summary { "The links" }
            (table(&Markup::default(), &heads, &rows))
        }
        (rest(broken.rows.len(), broken.links, "broken"))
    };
    Some(section("broken", "Broken links", &body))
}

/// What pages say of the use of their texts.
pub(super) fn rights(report: &CrawlReport) -> Option<Markup> {
    let rights = &report.rights;
    if rights.is_silent() {
        return None;
    }
    let body = html! {
        ul class="plain" {
            @for fact in rights.facts() { li { (fact) } }
        }
        @if !rights.usage.is_empty() { (counts("preference of use", &rights.usage, "plain")) }
        @if !rights.host_usage.is_empty() { (counts("preference of use in robots.txt", &rights.host_usage, "plain")) }
        @if !rights.licences.is_empty() { (counts("licence", &rights.licences, "plain")) }
    };
    Some(section("rights", "What the pages allow", &body))
}

/// The topic's words and the other settings, folded away.
pub(super) fn settings(report: &CrawlReport) -> Option<Markup> {
    let settings = report
        .settings
        .as_object()
        .filter(|sections| !sections.is_empty())?;
    let topic = settings
        .get("topic")
        .and_then(|topic| topic.get("keywords"));
    let words = topic.and_then(|words| words.as_array());
    let body = html! {
        @if let Some(words) = words.filter(|words| !words.is_empty()) {
            details {
                summary { "Words of the topic" }
                p { bdi { (words.iter().filter_map(|w| w.as_str()).take(500).collect::<Vec<_>>().join(", ")) } }
            }
        }
        details {
            summary { "All settings" }
            pre tabindex="0" { (serde_json::to_string_pretty(settings).unwrap_or_default()) }
        }
    };
    Some(section("settings", "Settings", &body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_and_tables_have_names_for_people_in_both_languages() {
        let table = |verdict| rows_table(verdict, &[("title", false)], &[], |_| Markup::default());
        for (verdict, names, chinese) in [
            (
                "kept",
                ["Filter the kept pages", "Kept pages"],
                ["筛选保留的页面", "保留的页面"],
            ),
            (
                "dropped",
                ["Filter the dropped pages", "Dropped pages"],
                ["筛选丢弃的页面", "丢弃的页面"],
            ),
        ] {
            let html = table(verdict).into_string();
            let translated = crate::chinese::page(&html);
            for (page, names) in [(&html, names), (&translated, chinese)] {
                for name in names {
                    assert!(
                        page.contains(&format!("aria-label=\"{name}\"")),
                        "{name}: {page}"
                    );
                }
                assert!(!page.contains("aria-label=\"kept-rows"), "{page}");
            }
        }
    }
}
