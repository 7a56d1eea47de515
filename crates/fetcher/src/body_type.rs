//! The type by which a body is read: that of a browser, but for two things that a browser leaves open.
//!
//! - A browser shows a PDF that its server calls `text/html` as a page of strange letters, and nobody
//!   stays to read them. A crawler would: it splits them into words, finds a language and keeps them. So
//!   what is called a page or a text is looked at as any file is, see [`binary_type`](crate::binary_type).
//! - To a browser a document of XML is one, whatever it holds. A crawler reads pages, and XHTML is often
//!   sent as `text/xml`, or without a type: where the root element is `html`, it is a page.

use crate::binary::binary_type;
use crate::sniff::{root_of, sniff_content_type};

/// The type by which a body is read: lower-case `type/subtype` without parameters. `header` is the
/// Content-Type as sent, `bytes` the body with its content codings undone.
///
/// ```
/// use fetcher::body_type;
/// assert_eq!(body_type(Some("text/html"), b"%PDF-1.4"), "application/pdf");
/// assert_eq!(body_type(None, b"<?xml version='1.0'?><html>"), "application/xhtml+xml");
/// ```
pub fn body_type(header: Option<&str>, bytes: &[u8]) -> String {
    let sniffed = sniff_content_type(header, bytes);
    match sniffed.as_str() {
        // Text in UTF-16 is full of zero bytes, and not all of it can be told from a binary file.
        "text/html" | "application/xhtml+xml" | "text/plain" if !is_utf16(header) => {
            binary_type(bytes).unwrap_or(sniffed)
        }
        "text/xml" | "application/xml" if root_of(bytes).is_some_and(is_html) => {
            "application/xhtml+xml".to_owned()
        }
        _ => sniffed,
    }
}

/// Whether a Content-Type says that its text is in UTF-16.
fn is_utf16(header: Option<&str>) -> bool {
    header.is_some_and(|header| header.to_ascii_lowercase().contains("utf-16"))
}

/// Whether a tag, after its `<`, is that of the element `html`.
fn is_html(tag: &[u8]) -> bool {
    let ends_name = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    let is_named = tag
        .get(..4)
        .is_some_and(|name| name.eq_ignore_ascii_case(b"html"));
    is_named && tag.get(4).is_none_or(ends_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, bytes: &[u8], expected: &str) {
        let header = Some(header).filter(|header| !header.is_empty());
        let shown = String::from_utf8_lossy(bytes);
        assert_eq!(body_type(header, bytes), expected, "{header:?} {shown}");
    }

    #[test]
    fn a_binary_file_is_no_page_whatever_its_server_calls_it() {
        // PDF, PNG, ZIP, gzip and JPEG as `text/html` were split into words and kept.
        for (bytes, is) in [
            (&b"%PDF-1.4\n1 0 obj"[..], "application/pdf"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
            (b"PK\x03\x04\x14\0\0\0", "application/zip"),
            (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "application/x-gzip"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "image/jpeg"),
        ] {
            check("text/html", bytes, is);
            check("text/html; charset=utf-8", bytes, is);
            check("text/plain; charset=utf-8", bytes, is);
            check("application/xhtml+xml", bytes, is);
        }
    }

    #[test]
    fn pages_and_texts_in_any_encoding_stay_what_they_are() {
        let utf16 =
            |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        let marked = utf16("\u{feff}<p>\u{e2a}\u{e27}\u{e31}\u{e2a}\u{e14}\u{e35}");
        check("text/html", &marked, "text/html");
        // Thai without a byte order mark; the header says what it is.
        let thai = utf16("<p>\u{e2a}\u{e27}\u{e31}\u{e2a}\u{e14}\u{e35}");
        check("text/html; charset=\"UTF-16LE\"", &thai, "text/html");
        check("text/html", b"<p>\xc4\xbf\xc2\xbc", "text/html");
        check("text/plain", b"BMW builds cars.", "text/plain");
        check("text/html", b"", "text/html");
    }

    #[test]
    fn xml_whose_root_is_html_is_a_page_and_other_xml_is_not() {
        let xhtml = b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- by hand -->\n<!DOCTYPE html>\n<html xmlns='x'>";
        for header in [
            "application/xml",
            "text/xml; charset=utf-8",
            "application/xhtml+xml",
        ] {
            check(header, xhtml, "application/xhtml+xml");
        }
        check("", b"<?xml version='1.0'?><html>", "application/xhtml+xml");
        for other in [
            "<rss>",
            "<urlset>",
            "<htmlish>",
            "<!-- <html> -->",
            "html",
            "<",
        ] {
            check("text/xml", other.as_bytes(), "text/xml");
        }
        check("application/rss+xml", b"<html>", "application/rss+xml");
    }
}
