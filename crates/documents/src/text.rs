//! A text from bytes: the main content of a page, or a plain text as it is.

use archive::{BodyRef, PageRecord, Payload, Texts};
use fetcher::{FetchLimits, TextForm};
use segment::{Segmenter, Words};
use url::Url;

/// Bytes that are looked at to tell a page from a text.
const SNIFFED_BYTES: usize = 4096;

/// Byte order marks.
const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe"];

const HTML: &str = "text/html";
const MARKDOWN: &str = "text/markdown";

/// A document's text, read as a crawl reads it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Text {
    /// What the bytes are: `text/html`, `text/markdown` or `text/plain`.
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

impl Text {
    /// Reads bytes that are a page or Markdown by their type, their look or the name in their URL; anything else
    /// is taken for plain text.
    pub fn of_bytes(bytes: &[u8], content_type: Option<&str>, url: Option<&Url>) -> Text {
        if let Some((page, form)) = page_of(bytes, content_type, url) {
            return Text::of_page(page, form);
        }
        let found = fetcher::body_type(content_type, bytes);
        let decoded = match TextForm::of(&found, "") {
            Some(TextForm::Rich) => extractor::decode_rich(bytes),
            _ => {
                let text = fetcher::without_encoded_files(bytes);
                extractor::decode(&text, content_type, None)
            }
        };
        Text {
            form: "text/plain",
            text: decoded.text,
            ..Text::default()
        }
    }

    /// Reads markup.
    pub fn of_html(html: &str, url: Option<&Url>) -> Text {
        let nowhere = nowhere();
        let context = extractor::PageContext::new(url.unwrap_or(&nowhere));
        Text::of_page(extractor::extract(html, &context), HTML)
    }

    /// Reads a response from an archive.
    pub fn of_archived(payload: &Payload, url: Option<&Url>) -> Text {
        let field = |name| {
            let value = payload.header(name);
            value.and_then(|value| std::str::from_utf8(value).ok())
        };
        let codings = field("content-encoding").into_iter();
        let decoding = fetcher::decode_content(&payload.body, codings, &FetchLimits::default());
        Text::of_bytes(&decoding.bytes, field("content-type"), url)
    }

    fn of_page(page: extractor::Page, form: &'static str) -> Text {
        Text {
            form,
            source: extractor::attribution(&page).map(String::from),
            title: page.title,
            text: page.text,
            layout: page.layout,
            published: page.published,
            canonical: page.canonical.map(String::from),
        }
    }

    /// The words of the text, as every stage counts them.
    pub fn words(&self) -> Words {
        Segmenter::shared().words(&self.text)
    }
}

/// The main text of a crawled page, from the crawl's archive: as archived, or else read again from the
/// archived body, since without a topic the texts of dropped pages are not archived. `None` where
/// neither is there.
pub fn page_text(texts: &Texts, page: &PageRecord) -> Option<String> {
    let text = page.text.as_ref();
    let text = text.and_then(|at| texts.text(at));
    text.or_else(|| {
        let body = page.body.as_ref().filter(|_| page.page.is_some())?;
        body_text(texts, &page.url, body)
    })
}

/// The main text of an archived body, read again.
pub fn body_text(texts: &Texts, url: &str, at: &BodyRef) -> Option<String> {
    let payload = texts.body(at)?;
    let url = Url::parse(url).ok();
    Some(Text::of_archived(&payload, url.as_ref()).text)
}

/// The main content of an archived page as Markdown, read again from its body; `None` where that is
/// not there, or no page.
pub fn body_markdown(texts: &Texts, url: &str, at: &BodyRef) -> Option<String> {
    let payload = texts.body(at)?;
    let field = |name| {
        let value = payload.header(name);
        value.and_then(|value| std::str::from_utf8(value).ok())
    };
    let codings = field("content-encoding").into_iter();
    let decoding = fetcher::decode_content(&payload.body, codings, &FetchLimits::default());
    let url = Url::parse(url).ok();
    let page = page_of(&decoding.bytes, field("content-type"), url.as_ref());
    page.map(|(page, _)| page.markdown())
}

/// A body that is HTML or Markdown as a page, and which of both it is.
fn page_of(
    bytes: &[u8],
    content_type: Option<&str>,
    url: Option<&Url>,
) -> Option<(extractor::Page, &'static str)> {
    let nowhere = nowhere();
    let path = url.map_or("", Url::path);
    let url = url.unwrap_or(&nowhere);
    if is_page(content_type, bytes) {
        return Some((extractor::page_of_bytes(bytes, content_type, url), HTML));
    }
    let found = fetcher::body_type(content_type, bytes);
    let form = TextForm::of(&found, path);
    if form == Some(TextForm::Archive) {
        let page = fetcher::archived_page(content_type, bytes)?;
        let kind = Some(page.content_type.as_str());
        return Some((extractor::page_of_bytes(&page.bytes, kind, url), HTML));
    }
    let is_markdown = form == Some(TextForm::Markdown);
    is_markdown.then(|| {
        let decoded = extractor::decode(bytes, content_type, None);
        let context = extractor::PageContext::new(url);
        (
            extractor::extract_markdown(&decoded.text, &context),
            MARKDOWN,
        )
    })
}

/// A text's bytes without the mark of UTF-8, which some editors put in front of it.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARKS[0]).unwrap_or(bytes)
}

/// Whether a file's bytes are HTML by its content type, or without one by their beginning. Behind a
/// byte order mark browsers sniff plain text; but they ask servers, and a file has no header.
pub fn is_page(content_type: Option<&str>, bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(SNIFFED_BYTES)];
    let sniffed = match MARKS.iter().any(|mark| head.starts_with(mark)) {
        true => {
            let text = extractor::decode(head, None, None).text;
            fetcher::body_type(content_type, text.as_bytes())
        }
        false => fetcher::body_type(content_type, head),
    };
    matches!(sniffed.as_str(), "text/html" | "application/xhtml+xml")
}

/// A content type without its parameters, in lower case.
pub(crate) fn essence(content_type: &str) -> String {
    let essence = content_type.split(';').next().unwrap_or("");
    essence.trim().to_ascii_lowercase()
}

/// An address for documents that have none.
pub fn nowhere() -> Url {
    Url::parse("about:blank").expect("it is a URL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_with_a_byte_order_mark_is_a_page() {
        let html = "\u{feff}<!doctype html><title>索引</title><p>A sentence of the page.";
        let utf16: Vec<u8> = html.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [html.as_bytes(), &utf16] {
            let page = Text::of_bytes(bytes, None, None);
            assert_eq!(
                (page.form, page.title.as_deref()),
                ("text/html", Some("索引"))
            );
        }
        let text = "\u{feff}A plain text.".as_bytes();
        assert_eq!(Text::of_bytes(text, None, None).form, "text/plain");
    }

    #[test]
    fn a_page_is_read_by_its_content_and_a_text_as_it_is() {
        let sentence = "The index keeps one copy of each page that it has seen before. ".repeat(6);
        let html = format!(
            "<!doctype html><title>T</title><nav><a href=/>Home</a></nav><article><p>{sentence}</p></article>"
        );
        let page = Text::of_bytes(html.as_bytes(), None, None);
        assert_eq!(page.form, "text/html");
        assert!(!page.text.contains("Home"), "{}", page.text);
        let plain = Text::of_bytes(sentence.as_bytes(), None, None);
        assert_eq!((plain.form, plain.layout), ("text/plain", 0));
        assert_eq!(plain.text, sentence);
    }

    #[test]
    fn an_archived_page_is_read_through_its_content_coding() {
        use std::io::Write;
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(b"<title>T</title><p>two words").unwrap();
        let payload = Payload {
            http_head:
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
                    .to_vec(),
            body: gz.finish().unwrap(),
        };
        let read = Text::of_archived(&payload, None);
        assert_eq!((read.title.as_deref(), read.words().len()), (Some("T"), 2));
    }

    #[test]
    fn markdown_is_known_by_its_type_or_its_name() {
        let text = b"# Eels\n\n*Two* words.\n";
        let url = Url::parse("https://a.example/notes/eels.md").unwrap();
        for (content_type, url) in [
            (Some("text/markdown"), None),
            (Some("text/plain; charset=utf-8"), Some(&url)),
        ] {
            let read = Text::of_bytes(text, content_type, url);
            assert_eq!((read.form, read.title.as_deref()), (MARKDOWN, Some("Eels")));
            assert_eq!(read.text, "Eels\nTwo words.");
        }
        assert_eq!(
            Text::of_bytes(text, Some("text/plain"), None).form,
            "text/plain"
        );
    }
}
