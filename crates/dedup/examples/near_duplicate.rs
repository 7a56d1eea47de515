//! A page through the library: main content, fingerprint, and its nearest neighbour in an index.

use extractor::{PageContext, extract};
use segment::Segmenter;
use simhash::{Decision, IndexConfig, TableIndex};
use url::Url;

const PAGE: &str = "<title>Flood takes bridge</title><nav><a href=/>Home</a></nav><article>\
    <p>The river rose again on Thursday night, and took the old stone bridge, which had stood for \
    two hundred years. Nobody was hurt. The ferry will run until a new bridge is built, said the \
    mayor, who hopes that work can begin before the winter comes and the water rises once more.\
    </article>";

/// The places of pages that repeat an earlier one, each with the place of that one.
fn duplicates(pages: &[(Url, String)]) -> Result<Vec<(usize, u64)>, simhash::IndexError> {
    let mut index = TableIndex::in_memory(&IndexConfig::default())?;
    let mut found = Vec::new();
    for (at, (url, html)) in pages.iter().enumerate() {
        let page = extract(html, &PageContext::new(url));
        let print = simhash::print(&Segmenter::shared().words(&page.text));
        match index.nearest(&print)? {
            Some(near) if near.decision == Decision::Duplicate => found.push((at, near.page)),
            Some(_) | None => index.insert(at as u64, &print)?,
        }
    }
    Ok(found)
}

/// Reads a page, the same page with other words and another menu, and a page about something else.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let copy = PAGE.replace("Home", "Start").replace("hurt", "injured");
    let other = "<title>Bread</title><p>Flour, water, salt and time are all that it needs.";
    let url = Url::parse("https://news.example/")?;
    let pages = [PAGE, &copy, other].map(|html| (url.clone(), html.to_owned()));
    let found = duplicates(&pages)?;
    assert_eq!(found, [(1, 0)]);
    println!("page {} repeats page {}", found[0].0, found[0].1);
    Ok(())
}
