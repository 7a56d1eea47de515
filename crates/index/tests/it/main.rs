//! The index as its users see it: find, write, kill, damage.

mod damage;
mod find;
mod phrases;
mod reached;

use std::path::Path;

use index::{Document, Filters, Hit, PageIndex};

/// A page with what a search looks at.
fn page<'a>(url: &'a str, title: &'a str, text: &'a str) -> Document<'a> {
    let host = url
        .split_once("://")
        .map_or("", |(_, rest)| rest.split('/').next().unwrap_or(rest));
    Document {
        seq: 1,
        url,
        host,
        title,
        text,
        lang: if text.is_ascii() { "en" } else { "zh" },
        fetched_at_ms: 1_700_000_000_000,
        ..Document::default()
    }
}

/// An index of these pages.
fn written(dir: &Path, pages: &[Document<'_>]) -> PageIndex {
    let (mut index, _) = PageIndex::open(dir).unwrap();
    for page in pages {
        index.add(page).unwrap();
    }
    index.commit(7).unwrap();
    index
}

fn search(dir: &Path, query: &str) -> Vec<Hit> {
    index::search(dir, query, 10, &Filters::default()).expect(query)
}

fn urls(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.url.as_str()).collect()
}
