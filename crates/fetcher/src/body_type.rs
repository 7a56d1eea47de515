//! The type by which a body is read: that of a browser, but for six things that a browser leaves open.
//!
//! - A browser shows a PDF that its server calls `text/html` as a page of strange letters, and nobody
//!   stays to read them. A crawler would: it splits them into words, finds a language and keeps them. So
//!   what is called a page or a text is looked at as any file is, see [`binary_type`](crate::binary_type).
//! - One control character makes no binary file of a text: mail, logs of chats, manual pages and files of DOS have some.
//! - What is called a page or a text and is JSON, and what is called a page and is a style sheet or a script, is
//!   that: see [`data`](crate::data).
//! - A feed or a sitemap that is called a text is none to read: plain hosts know no other type for it.
//! - A text may be another form's: a saved page ([`web_archive`](crate::web_archive)), Rich Text, PostScript, or nothing
//!   but a file in letters ([`encoded`](crate::encoded)).
//! - To a browser a document of XML is one, whatever it holds. A crawler reads pages, and XHTML is often
//!   sent as `text/xml`, or without a type: where the root element is `html`, it is a page.

use crate::binary::binary_type;
use crate::data;
use crate::encoded::encoded_file_type;
use crate::sniff::{root_of, sniff_content_type};
use crate::text_form::{TextForm, is_text_name};
use crate::web_archive::archive_type;

/// The type by which a body is read: lower-case `type/subtype` without parameters. `header` is the
/// Content-Type as sent, `bytes` the body with its content codings undone.
///
/// ```
/// use fetcher::body_type;
/// assert_eq!(body_type(Some("text/html"), b"%PDF-1.4"), "application/pdf");
/// assert_eq!(body_type(Some("text/html"), b"{\"error\": 5}"), "application/json");
/// assert_eq!(body_type(None, b"<?xml version='1.0'?><html>"), "application/xhtml+xml");
/// ```
pub fn body_type(header: Option<&str>, bytes: &[u8]) -> String {
    let found = type_by_beginning(header, bytes);
    // A saved page is often called one, too.
    let is_text = matches!(TextForm::of_type(&found), Some(form) if form != TextForm::Archive);
    if is_text && let Some(archive) = archive_type(bytes) {
        return archive.to_owned();
    }
    let by_content = match found.as_str() {
        "text/html" | "application/xhtml+xml" => {
            data::json_type(bytes).or_else(|| data::code_type(bytes))
        }
        text if TextForm::of_type(text).is_some() => list_type(bytes)
            .or_else(|| data::json_type(bytes))
            .or_else(|| encoded_file_type(bytes)),
        _ => None,
    };
    by_content.map_or(found, str::to_owned)
}

/// The same by what a body begins with.
fn type_by_beginning(header: Option<&str>, bytes: &[u8]) -> String {
    let sniffed = sniff_content_type(header, bytes);
    let is_declared = || {
        let named = header.and_then(|header| header.trim_start().get(..sniffed.len()));
        named.is_some_and(|named| named.eq_ignore_ascii_case(&sniffed))
    };
    match sniffed.as_str() {
        // To the standard one control character is enough.
        "application/octet-stream" if !is_declared() => {
            binary_type(bytes).unwrap_or_else(|| "text/plain".to_owned())
        }
        "text/plain" if is_rich(bytes) => "text/rtf".to_owned(),
        // Text in UTF-16 is full of zero bytes, and not all of it can be told from a binary file.
        text if TextForm::of_type(text).is_some() && !is_utf16(header) => {
            binary_type(bytes).unwrap_or(sniffed)
        }
        xml if is_xml(xml) && root_of(bytes).is_some_and(is_html) => {
            "application/xhtml+xml".to_owned()
        }
        _ => sniffed,
    }
}

/// Whether a text is in Rich Text Format. A text about it goes on in words where the form goes on in commands.
fn is_rich(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(TYPE_BYTES)];
    let Some(version) = head.trim_ascii_start().strip_prefix(b"{\\rtf") else {
        return false;
    };
    let digits = version.iter().take_while(|byte| byte.is_ascii_digit());
    let behind = version[digits.count()..].trim_ascii_start();
    let commands = [&b"\\ansi"[..], b"\\fonttbl", b"\\par", b"\\mac", b"\\pc"];
    let has = |command: &&[u8]| memchr::memmem::find(behind, command).is_some();
    behind.starts_with(b"\\") && commands.iter().any(has) || behind.starts_with(b"{\\fonttbl")
}

fn is_xml(found: &str) -> bool {
    found.ends_with("/xml") || found.ends_with("+xml")
}

/// Types that servers give to files of which they know nothing.
const UNKNOWN: [&str; 2] = ["application/octet-stream", "binary/octet-stream"];

/// Types that servers give to files of which they know nothing, and to those that make a page. A page that is called
/// a text is one as well: version control and old servers call all that they serve so.
const DISGUISES: [&str; 6] = [
    UNKNOWN[0],
    UNKNOWN[1],
    "application/x-httpd-php",
    "httpd/unix-directory",
    "text/htm",
    "text/plain",
];

/// Whether a body of this type says by its root element that it is a page.
pub(crate) fn is_page_in_disguise(found: &str, bytes: &[u8]) -> bool {
    DISGUISES.contains(&found) && root_of(bytes).is_some_and(is_html)
}

/// The Content-Type by which a body is looked at. That which servers give to files of which they know nothing says
/// nothing, so what is a text by its name (`path`) is taken for one, unless it is to be saved.
pub(crate) fn declared_type(
    content_type: Option<&str>,
    path: &str,
    is_attachment: bool,
) -> Option<String> {
    let is_unknown = |declared: &str| {
        let essence = declared.split(';').next().unwrap_or_default().trim();
        UNKNOWN
            .iter()
            .any(|name| essence.eq_ignore_ascii_case(name))
    };
    match content_type {
        Some(declared) if !is_attachment && is_unknown(declared) && is_text_name(path) => {
            Some("text/plain".to_owned())
        }
        declared => declared.map(str::to_owned),
    }
}

/// Whether a Content-Disposition means that the body is to be saved as a file.
pub(crate) fn is_attachment(disposition: &str) -> bool {
    let kind = disposition.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("attachment")
}

/// The type of a JSON Feed.
pub const JSON_FEED: &str = "application/feed+json";

/// The type of a body that is called a text, where its root element is that of a feed or a sitemap.
fn list_type(bytes: &[u8]) -> Option<&'static str> {
    let root = root_of(bytes)?;
    let ends_name = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
    let length = root.iter().position(ends_name)?;
    match &root[..length] {
        b"rss" | b"rdf:RDF" => Some("application/rss+xml"),
        b"feed" => Some("application/atom+xml"),
        b"urlset" | b"sitemapindex" => Some("application/xml"),
        _ => None,
    }
}

/// The first bytes of a body by which its type is known, whatever follows; of XML the root may come later.
pub(crate) const TYPE_BYTES: usize = 4096;

/// Whether a body is no page, no text and no XML, by its Content-Type and its first [`TYPE_BYTES`]. Of a
/// body with content codings, whose bytes say nothing as they are sent, the Content-Type alone says it.
pub(crate) fn is_file(header: Option<&str>, is_coded: bool, bytes: &[u8]) -> bool {
    let head = match is_coded {
        true => &[],
        false => &bytes[..bytes.len().min(TYPE_BYTES)],
    };
    let found = type_by_beginning(header, head);
    let is_list = is_xml(&found) || found == JSON_FEED;
    let is_read = TextForm::of_type(&found).is_some() || is_page_in_disguise(&found, head);
    let is_read = is_read || is_list || is_json_feed(head);
    !is_read || found.starts_with("image/")
}

/// Whether the beginning of a body is that of a JSON Feed, which is often sent as `application/json`.
fn is_json_feed(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    // PHP writes each slash with a backslash.
    let names = [&b"jsonfeed.org/version"[..], br"jsonfeed.org\/version"];
    let is_named = |name: &[u8]| text.windows(name.len()).any(|bytes| bytes == name);
    text.trim_ascii_start().starts_with(b"{") && names.into_iter().any(is_named)
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
    fn a_text_with_a_control_character_is_a_text() {
        let log = "10:02 <carol> \u{2}hello\u{2} there, did the parcel come?\n".repeat(9);
        let manual = "N\u{8}NA\u{8}AM\u{8}ME\u{8}E\n     c\u{8}cu\u{8}ut\u{8}t _\u{8}b_\u{8}r_\u{8}e_\u{8}a_\u{8}d into slices\n".repeat(20);
        for text in [log.as_str(), &manual, "The end of a file.\r\n\u{1a}"] {
            for header in ["", "text/plain", "text/plain; charset=UTF-8"] {
                check(header, text.as_bytes(), "text/plain");
            }
        }
        let utf16: Vec<u8> = "A sentence in two bytes a letter."
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        check("text/plain", &utf16, "text/plain");
        check(
            "text/plain",
            b"\x7fELF\x02\x01\x01\0\0\0",
            "application/octet-stream",
        );
        check(
            "application/octet-stream",
            b"a text",
            "application/octet-stream",
        );
    }

    #[test]
    fn what_a_server_knows_nothing_of_is_known_by_its_name() {
        let octets = Some("application/octet-stream");
        let text = Some("text/plain".to_owned());
        assert_eq!(declared_type(octets, "/a/guide.md", false), text);
        assert_eq!(
            declared_type(Some("Binary/Octet-Stream"), "/README", false),
            text
        );
        assert_eq!(
            declared_type(octets, "/a/guide.md", true).as_deref(),
            octets
        );
        assert_eq!(
            declared_type(octets, "/a/guide.iso", false).as_deref(),
            octets
        );
        assert_eq!(
            declared_type(Some("text/css"), "/a.txt", false).as_deref(),
            Some("text/css")
        );
        assert_eq!(declared_type(None, "/a.txt", false), None);
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
    fn data_and_code_are_no_pages_and_what_a_text_shows_is() {
        let (json, css) = (&b"[{\"id\": 1}]"[..], b"a{b:c}\nd{e:f}\ng{h:i}");
        check("text/html; charset=utf-8", json, "application/json");
        check("text/plain", json, "application/json");
        check("text/html", css, "text/css");
        // A text may be about it; and a body of which the end is missing may be a page.
        check("text/plain", css, "text/plain");
        assert!(!is_file(Some("text/html"), false, css));
    }

    #[test]
    fn a_feed_that_is_called_a_text_is_a_feed() {
        // Its XML was kept as a page, and its links were not followed.
        let rss = b"<?xml version=\"1.0\"?>\n<!-- made by hand --><rss version=\"2.0\"><channel>";
        check("text/plain", rss, "application/rss+xml");
        check(
            "text/plain; charset=utf-8",
            b"<feed xmlns=\"a\">",
            "application/atom+xml",
        );
        check("text/plain", b"<urlset><url>", "application/xml");
        check("text/plain", b"<rssi>", "text/plain");
        check("text/plain", b"A feed begins with <rss>.", "text/plain");
    }

    #[test]
    fn a_text_that_is_another_form_is_told_and_one_about_it_is_a_text() {
        let rich = b"{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}}\\f0 Eels swim.\\par}";
        check("text/plain", rich, "text/rtf");
        check("", rich, "text/rtf");
        check("application/rtf", rich, "application/rtf");
        let page = b"<p>Eels swim far.</p>";
        let saved = [
            &b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n"[..],
            page,
            b"\n--b--\n",
        ]
        .concat();
        for header in ["text/plain", "text/html", ""] {
            check(header, &saved, "multipart/related");
        }
        for (program, is) in [
            (&b"%!PS\n/x 5 def\nshowpage"[..], "application/postscript"),
            (
                b"%!\n%%Creator: x\n/x 5 def\n72 72 moveto\nshowpage\n",
                "application/postscript",
            ),
            (
                b"\x04%!PS-Adobe-3.0\n%%Pages: 2\n",
                "application/postscript",
            ),
            (
                b"%! begins a program in PostScript, which a text may say.",
                "text/plain",
            ),
            (
                b"%!\n% begins a program: the sign and the mark alone on a line.\n",
                "text/plain",
            ),
            (
                b"{\\rtf1 begins a text in Rich Text Format, as \\par ends a line.",
                "text/plain",
            ),
            (b"{\\rtf is its mark.", "text/plain"),
        ] {
            check("text/plain", program, is);
        }
        for header in [
            "multipart/related; boundary=b",
            "application/rtf",
            "text/plain",
        ] {
            assert!(!is_file(Some(header), false, &saved), "{header}");
        }
    }

    #[test]
    fn a_file_is_known_by_its_type_and_its_first_bytes() {
        let file = |header: &str, is_coded, bytes: &[u8]| {
            is_file(
                Some(header).filter(|header| !header.is_empty()),
                is_coded,
                bytes,
            )
        };
        for (header, bytes) in [
            ("image/jpeg", &b"\xff\xd8\xff\xe0"[..]),
            ("image/svg+xml", b"<svg>"),
            ("application/pdf", b"%PDF-1.4"),
            ("application/zip", b"PK\x03\x04"),
            ("text/css", b"a { color: red }"),
            ("application/octet-stream", b"\0\x01\x02"),
            ("text/html; charset=utf-8", b"%PDF-1.4"),
            ("", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ] {
            assert!(file(header, false, bytes), "{header}");
        }
        for (header, bytes) in [
            ("text/html", &b"<p>a page"[..]),
            ("text/plain", b"a text"),
            ("", b"<!doctype html>"),
            ("application/xml", b"<!-- the root comes later -->"),
            ("application/rss+xml", b"<rss>"),
        ] {
            assert!(!file(header, false, bytes), "{header}");
        }
        // A compressed page looks like a file as it is sent.
        let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
        assert!(!file("text/html", true, gzip) && !file("", true, gzip));
        assert!(file("text/css", true, gzip) && file("text/html", false, gzip));
    }

    #[test]
    fn a_json_feed_is_no_file_whatever_its_type() {
        // It was cut at the bytes that are read of a file, and a half is no JSON.
        let item = r#"{"id": "1", "url": "http://a.example/1", "content_text": "news"},"#;
        let items = item.repeat(20_000 / item.len() + 1);
        let json = Some("application/json; charset=utf-8");
        for version in [
            "https://jsonfeed.org/version/1.1",
            r"https:\/\/jsonfeed.org\/version\/1",
        ] {
            let feed = format!(
                "\u{feff}\n{{\"version\": \"{version}\", \"items\": [{}]}}",
                items.trim_end_matches(',')
            );
            assert!(feed.len() > 20_000 && !is_file(json, false, feed.as_bytes()));
            // Nothing is known of the bytes of a coded one.
            assert!(is_file(json, true, feed.as_bytes()));
        }
        let other = format!("{{\"items\": [{items}]}}");
        assert!(is_file(json, false, other.as_bytes()));
        assert!(is_file(
            json,
            false,
            b"[\"https://jsonfeed.org/version/1\"]"
        ));
    }

    #[test]
    fn xml_whose_root_is_html_is_a_page_and_other_xml_is_not() {
        let xhtml = b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- by hand -->\n<!DOCTYPE html>\n<html xmlns='x'>";
        for header in [
            "application/xml",
            "text/xml; charset=utf-8",
            "application/xhtml+xml",
            "application/vnd.wap.xhtml+xml",
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
        check("application/rss+xml", b"<html>", "application/xhtml+xml");
        check("application/rss+xml", b"<rss>", "application/rss+xml");
    }
}
