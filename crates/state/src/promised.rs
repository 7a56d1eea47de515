//! What a link calls the page that it leads to.
//!
//! The server that answers with a wall or an error knows nothing of the link that was followed: "Access denied"
//! stands below any of them. A page that bears the very title that its link promised is the page that was asked
//! for, whatever words it has. A waiting URL carries the digest of that promise, four bytes.

use extractor::{Block, Page};
use xxhash_rust::xxh3::xxh3_64;

/// The digest of what a link calls its page; none of a link without letters. Case, signs and blanks do not count.
pub(crate) fn digest(anchor: &str) -> Option<u32> {
    let folded = segment::fold(anchor);
    let letters: String = folded.chars().filter(|c| c.is_alphanumeric()).collect();
    let has_letter = letters.contains(char::is_alphabetic);
    has_letter.then(|| xxh3_64(letters.as_bytes()) as u32)
}

/// The title or first heading of a page, where that is what the link to it promised.
pub(crate) fn title_kept(promised: Option<u32>, page: &Page) -> Option<&str> {
    let promised = promised?;
    let heading = page.blocks.iter().find_map(|block| match block {
        Block::Heading { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let mut titles = page.title.as_deref().into_iter().chain(heading);
    titles.find(|title| digest(title) == Some(promised))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_what_its_link_promised_whatever_its_case_and_signs() {
        let url = url::Url::parse("http://a.example/").unwrap();
        let read = |html| extractor::extract(html, &extractor::PageContext::new(&url));
        let page = read(
            "<title>Access denied: the film - Films</title><h1>Access denied: the film</h1><p>One.",
        );
        let kept = |anchor: &str| title_kept(digest(anchor), &page);
        assert_eq!(
            kept("ACCESS DENIED – the film"),
            Some("Access denied: the film")
        );
        assert_eq!(kept("Access denied"), None);
        assert_eq!(kept("»"), None);
        assert_eq!(title_kept(None, &page), None);
    }
}
