//! Records of WARC and WET files to documents: the responses and the converted texts.
//!
//! Unlike our own archive these may come from anywhere, so bodies may still be chunked, and what
//! is no page (requests, metadata, images, error answers) is passed over and counted.

use archive::{HttpAnswer, WarcHead, WarcRecord};
use fetcher::{FetchLimits, Fetched};
use url::Url;

use crate::document::{Document, Entry, Form, PageFacts};
use crate::source::BYTES_MAX;
use crate::text::{essence, is_page, nowhere};

/// Whether a record may be a document.
pub(crate) fn is_wanted(head: &WarcHead) -> bool {
    matches!(head.warc_type(), "response" | "conversion") && head.block_bytes <= BYTES_MAX
}

/// The records of one file, in their order.
#[derive(Default)]
pub(crate) struct Records {
    /// The id of the last response that is a document.
    page: Option<String>,
}

impl Records {
    /// What the next record holds. Archives of a crawl have a page's text behind its response, which is
    /// the same document once more.
    pub(crate) fn entry(&mut self, record: WarcRecord) -> Entry {
        let head = &record.head;
        let of_page = head.field("warc-refers-to");
        if head.warc_type() == "conversion" && of_page.is_some() && of_page == self.page.as_deref()
        {
            return Entry::Other;
        }
        let is_response = head.warc_type() == "response";
        let id = head.field("warc-record-id").map(str::to_owned);
        let entry = entry(record);
        if is_response {
            self.page = id.filter(|_| matches!(entry, Entry::Document(_)));
        }
        entry
    }
}

/// What a record holds.
fn entry(record: WarcRecord) -> Entry {
    let head = &record.head;
    let uri = head.target_uri();
    let url = uri.and_then(|uri| Url::parse(uri).ok());
    let content_type = head.field("content-type");
    let form = record.block.and_then(|block| match head.warc_type() {
        // A crawl reads it, and never as a page.
        "response" if url.as_ref().is_some_and(|url| url.path() == "/robots.txt") => None,
        "response" => response(&block, content_type, url.as_ref()),
        _ => conversion(block, content_type),
    });
    let id = uri.or(head.field("warc-record-id")).unwrap_or("").into();
    match form {
        Some(form) => Entry::Document(Document {
            id,
            url,
            form,
            facts: PageFacts::default(),
        }),
        None => Entry::Other,
    }
}

/// A converted text, as WET files hold.
fn conversion(block: Vec<u8>, content_type: Option<&str>) -> Option<Form> {
    let is_text = content_type.is_none_or(|declared| essence(declared) == "text/plain");
    is_text.then(|| Form::Text(String::from_utf8_lossy(&block).into_owned()))
}

/// The page or text in an HTTP answer that tells of success.
fn response(block: &[u8], content_type: Option<&str>, url: Option<&Url>) -> Option<Form> {
    if content_type.is_some_and(|declared| essence(declared) != "application/http") {
        return None;
    }
    let answer = HttpAnswer::parse(block).filter(|answer| (200..300).contains(&answer.status))?;
    let headers = answer
        .fields()
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_vec()))
        .collect();
    let url = url.cloned().unwrap_or_else(nowhere);
    let fetched = Fetched::new(url, answer.status, headers, answer.unchunked().into_owned());
    let content_type = fetched.content_type();
    let encoded = fetched.header("content-encoding").is_some();
    let mut bytes = fetched.decoded(&FetchLimits::default()).bytes;
    // Many archives hold the body without its content coding and leave the field.
    if encoded && bytes.is_empty() && is_page(content_type.as_deref(), &fetched.body) {
        bytes = fetched.body.to_vec();
    }
    let sniffed = fetcher::body_type(content_type.as_deref(), &bytes);
    fetcher::TextForm::of(&sniffed, "").map(|_| Form::Bytes {
        bytes,
        content_type: Some(content_type.unwrap_or(sniffed)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use archive::WarcReader;

    const HTTP: &str = "application/http; msgtype=response";

    fn record(kind: &str, content_type: &str, block: &str) -> String {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <http://a.example/{kind}>\r\n\
             Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    }

    fn read(kind: &str, content_type: &str, block: &str) -> Entry {
        let file = record(kind, content_type, block);
        let mut reader = WarcReader::new(file.as_bytes());
        entry(reader.record(is_wanted).unwrap().unwrap())
    }

    #[test]
    fn responses_and_conversions_are_documents() {
        let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one";
        let Entry::Document(page) = read("response", HTTP, page) else {
            panic!("it is a page");
        };
        assert_eq!(page.id, "http://a.example/response");
        assert!(matches!(page.form, Form::Bytes { bytes, .. } if bytes == b"<p>one"));
        let Entry::Document(text) = read("conversion", "text/plain", "two words") else {
            panic!("it is a text");
        };
        assert_eq!(text.form, Form::Text("two words".into()));
    }

    #[test]
    fn the_text_of_a_page_in_the_same_file_is_no_further_document() {
        let page =
            |status: &str| format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n<p>one");
        let with =
            |record: String, field: &str| record.replacen("\r\n", &format!("\r\n{field}\r\n"), 1);
        let response = |id: &str, status: &str| {
            with(
                record("response", HTTP, &page(status)),
                &format!("WARC-Record-ID: <urn:uuid:{id}>"),
            )
        };
        let text = |of: &str| {
            with(
                record("conversion", "text/plain", "one"),
                &format!("WARC-Refers-To: <urn:uuid:{of}>"),
            )
        };
        let file = [
            response("a", "200 OK"),
            record("request", "application/http", "GET / HTTP/1.1\r\n\r\n"),
            text("a"),
            // Of a page that is elsewhere, and of an answer that is no document.
            text("b"),
            response("c", "206 Part"),
            response("d", "404 Gone"),
            text("d"),
        ]
        .concat();
        let mut reader = WarcReader::new(file.as_bytes());
        let mut records = Records::default();
        let mut found = Vec::new();
        while let Some(record) = reader.record(is_wanted).unwrap() {
            found.push(matches!(records.entry(record), Entry::Document(_)));
        }
        assert_eq!(found, [true, false, false, true, true, false, true]);
    }

    #[test]
    fn the_rest_is_passed_over() {
        let html = "Content-Type: text/html\r\n\r\n";
        for (kind, content_type, block) in [
            (
                "warcinfo",
                "application/warc-fields",
                "software: x".to_owned(),
            ),
            (
                "request",
                "application/http; msgtype=request",
                "GET / HTTP/1.1\r\n\r\n".to_owned(),
            ),
            (
                "response",
                HTTP,
                format!("HTTP/1.1 404 Gone\r\n{html}<p>no"),
            ),
            (
                "response",
                HTTP,
                "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x01".to_owned(),
            ),
            (
                "response",
                "text/dns",
                format!("HTTP/1.1 200 OK\r\n{html}<p>no"),
            ),
            ("conversion", "application/pdf", "%PDF".to_owned()),
        ] {
            assert_eq!(
                read(kind, content_type, &block),
                Entry::Other,
                "{kind}: {block}"
            );
        }
    }

    #[test]
    fn a_robots_txt_is_no_page() {
        let file = record(
            "response",
            HTTP,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *",
        );
        let file = file.replace("a.example/response", "a.example/robots.txt");
        let record = WarcReader::new(file.as_bytes()).record(is_wanted);
        assert_eq!(entry(record.unwrap().unwrap()), Entry::Other);
    }

    #[test]
    fn a_coding_that_was_undone_before_is_not_missed() {
        let block =
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br\r\n\r\n<p>one";
        let Entry::Document(page) = read("response", HTTP, block) else {
            panic!("it is a page");
        };
        assert!(matches!(page.form, Form::Bytes { bytes, .. } if bytes == b"<p>one"));
    }
}
