//! Two crawls side by side, as a file of the report's kind.

use maud::{Markup, html};

use super::tables::{self, Head};
use super::{file, heading, link, section};
use crate::compare::{Comparison, PageList};
use crate::difference::Piece;
use crate::look::Tongue;
use crate::words::count;

/// The whole file. Figures that are zero in both crawls are left out.
pub fn render(tongue: Tongue, comparison: &Comparison) -> String {
    let page = whole(tongue, comparison);
    match tongue {
        Tongue::English => page,
        Tongue::Chinese => crate::chinese::page(&page),
    }
}

fn whole(tongue: Tongue, comparison: &Comparison) -> String {
    let (first, second) = (&comparison.first, &comparison.second);
    let title = comparison.title(tongue);
    let note = "What changes from the first crawl to the second.".to_owned();
    let figures = table(
        ["figure", first, second, "change", ""],
        comparison.shown().map(|delta| delta.cells()),
    );
    let hosts = table(
        ["host", "finished", "then", "kept", "then"],
        comparison.hosts.iter().map(|host| host.cells()),
    );
    let sections = html! {
        (section("figures", "Figures", &figures))
        @if !comparison.hosts.is_empty() {
            (section("hosts", "Hosts that differ", &hosts))
        }
        @if let Some(pages) = &comparison.pages {
            (section("pages", "Pages", &html! { p { (pages.line()) } }))
            @for (name, list) in pages.lists() {
                @if list.total > 0 {
                    (section(&name.to_lowercase().replace([' ', ','], "-"),
                        &format!("{name} ({})", count(list.total)), &page_list(list)))
                }
            }
        }
    };
    let footer = html! {
        code { "tamis report --compare --format json" } " has every number as well."
    };
    let heading = heading(&title, &[note]);
    file(
        &format!("Crawls compared: {title}"),
        &heading,
        &sections,
        &footer,
    )
}

/// Pages of one kind, each with why, and with what is not in both marked.
fn page_list(list: &PageList) -> Markup {
    let left = list.total - list.pages.len() as u64;
    html! {
        ul {
            @for page in &list.pages {
                li {
                    (link(&page.url))
                    @for why in [&page.before, &page.after] {
                        @if !why.is_empty() { " " span class="soft" { (why) } }
                    }
                    @if !page.difference.is_empty() {
                        div class="text" role="region" aria-label="what differs" tabindex="0" {
                            @for piece in &page.difference {
                                @match piece {
                                    Piece::Same(text) => { bdi { (text) } }
                                    Piece::Removed(text) => { del { (text) } }
                                    Piece::Added(text) => { ins { (text) } }
                                    Piece::Skipped(length) => {
                                        span class="gap" { "… " (count(*length as u64)) " characters alike …" }
                                    }
                                }
                            }
                        }
                    }
                }
                "\n"
            }
        }
        @if left > 0 { p class="soft" { (count(left)) " more are not listed." } }
    }
}

/// A table whose first column names the row; the others hold numbers.
fn table(heads: [&str; 5], rows: impl Iterator<Item = [String; 5]>) -> Markup {
    let [name, numbers @ ..] = heads;
    let numbers = numbers.map(|head| match head {
        "" => Head::Empty,
        head => Head::Number(head),
    });
    let heads: Vec<Head> = std::iter::once(Head::Text(name)).chain(numbers).collect();
    let rows = html! {
        @for [name, numbers @ ..] in rows {
            tr {
                th scope="row" class="u" { (name) }
                @for number in &numbers { td class="n" { (number) } }
            }
            "\n"
        }
    };
    tables::table(&Markup::default(), &heads, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{PageComparison, PageDifference};
    use crate::figures::CrawlReport;

    #[test]
    fn a_comparison_is_a_whole_file_and_names_are_text() {
        let report = |name: &str, admitted| {
            let mut report = CrawlReport {
                name: name.into(),
                ..CrawlReport::default()
            };
            report.totals.admitted = admitted;
            report
        };
        let both = Comparison::of(&report("a<b>", 1000), &report("c", 1500));
        let page = render(Tongue::English, &both);
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert!(
            page.contains("a&lt;b&gt;") && !page.contains("a<b>"),
            "{page}"
        );
        for cell in ["1,000", "1,500", "+500", "+50.0 %"] {
            assert!(
                page.contains(&format!("<td class=\"n\">{cell}</td>")),
                "{page}"
            );
        }
        assert!(!page.contains("totals › pending"), "zero in both: {page}");
        let list = PageList {
            total: 3,
            pages: vec![PageDifference {
                url: "http://a.example/1".into(),
                difference: vec![Piece::Removed("<old>".into()), Piece::Added("new".into())],
                ..PageDifference::default()
            }],
        };
        let pages = PageComparison {
            changed: list,
            ..PageComparison::default()
        };
        let page = render(Tongue::English, &both.with_pages(pages));
        for part in [
            "Changed (3)",
            "<del>&lt;old&gt;</del><ins>new</ins>",
            "2 more are not listed",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("Gone ("), "{page}");
    }
}
