//! A document from bytes: the main content of a page, or a plain text as it is.

use std::path::Path;

use segment::{Segmenter, Words};
use url::Url;

pub use pipeline::setup::is_page;

use super::text::read;
use crate::exit::usage;

/// Pages whose layouts differ in at most this many bits are of one layout, as in a crawl.
pub const LAYOUT_BITS_MAX: u32 = 6;

/// A document's text, read as a crawl reads it.
#[derive(Debug)]
pub struct Text {
    /// What the bytes are: `text/html` or `text/plain`.
    pub form: &'static str,
    /// The title, of a page.
    pub title: Option<String>,
    /// The text whose words count.
    pub text: String,
    /// The layout of a page, 0 for a text.
    pub layout: u64,
    /// Published date of a page, ISO 8601.
    pub published: Option<String>,
    /// The URL that a page names as canonical.
    pub canonical: Option<String>,
    /// The page that a page names as the source of its text.
    pub source: Option<String>,
}

/// The bytes of a file that is a page or a text; `-` is standard input.
///
/// # Errors
/// Wrong use: the file cannot be read, or is no text in any encoding.
pub fn read_page(file: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = read(file)?;
    match fetcher::binary_type(&bytes) {
        Some(found) => Err(usage(format!(
            "cannot read {}: {}",
            file.display(),
            no_text(&found)
        ))),
        None => Ok(bytes),
    }
}

/// What to say of a file that is no text.
pub fn no_text(found: &str) -> String {
    format!("it is no page and no text, but {found}")
}

/// The words of a text, as every stage counts them.
pub fn words(text: &str) -> Words {
    Segmenter::shared().words(text)
}

/// An address for documents that have none.
pub fn nowhere() -> Url {
    Url::parse("about:blank").expect("it is a URL")
}

/// Reads bytes that are a page by their type or their look; anything else is taken for plain text.
pub fn text_of_bytes(bytes: &[u8], content_type: Option<&str>, url: Option<&Url>) -> Text {
    if is_page(content_type, bytes) {
        let nowhere = nowhere();
        return of_page(extractor::page_of_bytes(
            bytes,
            content_type,
            url.unwrap_or(&nowhere),
        ));
    }
    Text {
        form: "text/plain",
        title: None,
        text: extractor::decode(bytes, content_type, None).text,
        layout: 0,
        published: None,
        canonical: None,
        source: None,
    }
}

/// Reads markup.
pub fn text_of_html(html: &str, url: Option<&Url>) -> Text {
    let nowhere = nowhere();
    let context = extractor::PageContext::new(url.unwrap_or(&nowhere));
    of_page(extractor::extract(html, &context))
}

fn of_page(page: extractor::Page) -> Text {
    Text {
        form: "text/html",
        source: extractor::attribution(&page).map(String::from),
        title: page.title,
        text: page.text,
        layout: page.layout,
        published: page.published,
        canonical: page.canonical.map(String::from),
    }
}

/// A content type without its parameters.
pub fn essence(content_type: &str) -> String {
    let essence = content_type.split(';').next().unwrap_or("");
    essence.trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_with_a_byte_order_mark_is_a_page() {
        let html = "\u{feff}<!doctype html><title>索引</title><p>A sentence of the page.";
        let utf16: Vec<u8> = html.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [html.as_bytes(), &utf16] {
            let page = text_of_bytes(bytes, None, None);
            assert_eq!(
                (page.form, page.title.as_deref()),
                ("text/html", Some("索引"))
            );
        }
        let text = "\u{feff}A plain text.".as_bytes();
        assert_eq!(text_of_bytes(text, None, None).form, "text/plain");
    }

    #[test]
    fn a_page_is_read_by_its_content_and_a_text_as_it_is() {
        let sentence = "The index keeps one copy of each page that it has seen before. ".repeat(6);
        let html = format!(
            "<!doctype html><title>T</title><nav><a href=/>Home</a></nav><article><p>{sentence}</p></article>"
        );
        let page = text_of_bytes(html.as_bytes(), None, None);
        assert_eq!(page.form, "text/html");
        assert!(!page.text.contains("Home"), "{}", page.text);
        let plain = text_of_bytes(sentence.as_bytes(), None, None);
        assert_eq!((plain.form, plain.layout), ("text/plain", 0));
        assert_eq!(plain.text, sentence);
    }
}
