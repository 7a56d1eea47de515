//! The source that a reprint names.
//!
//! Reprints often name their source in a line of its own: 转载自, 原文链接, "originally published
//! at". Only a source with a URL counts: a link that follows such words in the main content, or a
//! URL written out behind them. A name alone (来源：新华网) does not identify a page.

use std::sync::LazyLock;

use regex::Regex;
use url::Url;

use crate::Page;

/// Words before the URL of a source. The word boundary is ASCII's: with Unicode's boundary the
/// regex engine falls back to a slow path for every text that is not ASCII.
static MARKERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)转载自|转自|文章来源|来源\s*[:：]|原文链接|原文地址|原文出处|原文\s*[:：]|出处\s*[:：]|originally (?:published|posted|appeared) (?:at|on|in)|first (?:published|appeared) (?:at|on)|(?:re|cross-?)posted from|republished from|original (?:article|post) (?:at|:)|(?-u:\b)source\s*:",
    )
    .expect("the pattern is well formed")
});

/// A URL written out behind a marker, in the same line.
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^[^\n]{0,40}?(https?://[^\s<>"'，。）)]{4,300})"#)
        .expect("the pattern is well formed")
});

/// The most bytes between a marker and the text of its link.
const BETWEEN_MAX: usize = 60;
/// The most links of the main content that are compared.
const LINKS_MAX: usize = 200;
/// The most markers that are examined: a page with more is a list of sources.
const MARKERS_MAX: usize = 20;

/// The URL that a page names as the source of its text; `None` where it names none, or itself.
pub fn attribution(page: &Page) -> Option<Url> {
    let own = |url: &Url| {
        let names = |own: &Url| own.host_str() == url.host_str() && own.path() == url.path();
        names(&page.base) || page.canonical.as_ref().is_some_and(names)
    };
    let markers = MARKERS.find_iter(&page.text).take(MARKERS_MAX);
    let mut sources = markers.filter_map(|marker| {
        let written = || Url::parse(&WRITTEN.captures(&page.text[marker.end()..])?[1]).ok();
        linked(page, marker.start(), marker.len()).or_else(written)
    });
    sources.find(|url| matches!(url.scheme(), "http" | "https") && !own(url))
}

/// The target of the link whose text stands just behind a marker or contains it.
fn linked(page: &Page, marker: usize, length: usize) -> Option<Url> {
    let line = page.text[marker..].lines().next()?;
    let mut links = page
        .links
        .iter()
        .filter(|link| link.in_main)
        .take(LINKS_MAX);
    let link = links.find(|link| {
        let words = link.anchor.trim();
        let at = (!words.is_empty()).then(|| line.find(words)).flatten();
        at.is_some_and(|at| at <= length + BETWEEN_MAX)
    })?;
    Some(link.url.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PageContext, extract};

    #[track_caller]
    fn check(line: &str, source: Option<&str>) {
        let text = "The index keeps one copy of each page that it has seen before. ".repeat(8);
        let more =
            "A river of other words runs through this second paragraph, on and on. ".repeat(5);
        let html = format!(
            "<!doctype html><title>T</title><article><h1>T</h1><p>{text}</p><p>{more} {line}</p></article>"
        );
        let url = Url::parse("http://copy.example/page").unwrap();
        let page = extract(&html, &PageContext::new(&url));
        let found = attribution(&page).map(String::from);
        assert_eq!(found.as_deref(), source, "{line}\n{}", page.text);
    }

    #[test]
    fn a_line_that_names_the_source_gives_its_address() {
        let source = Some("http://first.example/a");
        check(
            "This was originally published at <a href=http://first.example/a>First</a>.",
            source,
        );
        check(
            "本文转载自：<a href=http://first.example/a>第一博客</a>，作者保留所有权利。",
            source,
        );
        check("原文链接：http://first.example/a 转载请注明", source);
    }

    #[test]
    fn other_links_and_the_page_itself_are_no_source() {
        check(
            "Read more at <a href=http://first.example/a>First</a>.",
            None,
        );
        check("来源：新华网", None);
        check(
            "原文链接：<a href=http://copy.example/page>http://copy.example/page</a>",
            None,
        );
    }
}
