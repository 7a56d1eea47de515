//! Content type sniffing: the type of a body by its declared type and its first bytes.
//!
//! Servers send HTML without a type, PDF as text, and text as `application/octet-stream`. WHATWG's MIME
//! Sniffing Standard defines when the header counts and how to examine the bytes otherwise; section
//! numbers below are the standard's. Bodies are sniffed as a browser does for a page that is navigated
//! to: markup is recognised, and declared HTML is HTML or a feed.
//!
//! Source: <https://mimesniff.spec.whatwg.org/>

/// The bytes that are examined (§5.2).
const RESOURCE_HEADER_BYTES: usize = 1445;

/// The type of a resource: lower-case `type/subtype` without parameters.
///
/// `header` is the Content-Type as sent, `bytes` the body with its content codings undone.
///
/// ```
/// use fetcher::sniff_content_type;
/// assert_eq!(sniff_content_type(None, b" <!doctype html>"), "text/html");
/// assert_eq!(sniff_content_type(Some("text/html; charset=gbk"), b"%PDF-1.4"), "text/html");
/// ```
pub fn sniff_content_type(header: Option<&str>, bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(RESOURCE_HEADER_BYTES)];
    let declared = header.and_then(essence);
    let Some(declared) = declared.filter(|d| !is_no_type(d)) else {
        return unknown(bytes).to_owned();
    };
    if header.is_some_and(is_apache_bug) {
        return text_or_binary(bytes).to_owned();
    }
    if is_xml(&declared) {
        return declared;
    }
    if declared == "text/html" {
        return feed_or_html(bytes).to_owned();
    }
    let better = if declared.starts_with("image/") {
        image(bytes)
    } else if declared.starts_with("audio/")
        || declared.starts_with("video/")
        || declared == "application/ogg"
    {
        audio_or_video(bytes)
    } else {
        None
    };
    better.map_or(declared, str::to_owned)
}

/// The `type/subtype` of a Content-Type value, in lower case; `None` when it is not one.
fn essence(header: &str) -> Option<String> {
    let essence = header.split(';').next()?.trim();
    let (kind, subtype) = essence.split_once('/')?;
    let is_token = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
    };
    (is_token(kind) && is_token(subtype)).then(|| essence.to_ascii_lowercase())
}

/// Whether a declared type is to be ignored (§7 step 2).
fn is_no_type(essence: &str) -> bool {
    matches!(essence, "unknown/unknown" | "application/unknown" | "*/*")
}

/// Whether a header is one that old Apache servers send for all files of unknown type (§5.1).
fn is_apache_bug(header: &str) -> bool {
    matches!(
        header,
        "text/plain"
            | "text/plain; charset=ISO-8859-1"
            | "text/plain; charset=iso-8859-1"
            | "text/plain; charset=UTF-8"
    )
}

fn is_xml(essence: &str) -> bool {
    essence.ends_with("+xml") || matches!(essence, "text/xml" | "application/xml")
}

/// The type of a resource without a declared one (§7.1).
fn unknown(bytes: &[u8]) -> &'static str {
    let start = trim_start(bytes);
    if is_html(start) {
        return "text/html";
    }
    if start.starts_with(b"<?xml") {
        return "text/xml";
    }
    if start.starts_with(b"%PDF-") && bytes.starts_with(b"%PDF-") {
        return "application/pdf";
    }
    if bytes.starts_with(b"%!PS-Adobe-") {
        return "application/postscript";
    }
    if has_bom(bytes) {
        return "text/plain";
    }
    if let Some(found) = image(bytes)
        .or_else(|| audio_or_video(bytes))
        .or_else(|| archive(bytes))
    {
        return found;
    }
    if bytes.iter().any(|b| is_binary(*b)) {
        "application/octet-stream"
    } else {
        "text/plain"
    }
}

/// The type of a resource that an old Apache declared as text (§7.2).
fn text_or_binary(bytes: &[u8]) -> &'static str {
    if has_bom(bytes) || !bytes.iter().any(|b| is_binary(*b)) {
        "text/plain"
    } else {
        "application/octet-stream"
    }
}

/// The type of a resource declared as HTML, which may be a feed (§7.3).
fn feed_or_html(bytes: &[u8]) -> &'static str {
    let Some(tag) = root_of(bytes) else {
        return "text/html";
    };
    if tag.starts_with(b"rss") {
        "application/rss+xml"
    } else if tag.starts_with(b"feed") {
        "application/atom+xml"
    } else if tag.starts_with(b"rdf:RDF")
        && contains(tag, b"http://purl.org/rss/1.0/")
        && contains(tag, b"http://www.w3.org/1999/02/22-rdf-syntax-ns#")
    {
        "application/rss+xml"
    } else {
        "text/html"
    }
}

/// What follows the `<` of the first element, after comments, declarations and instructions; `None`
/// where something else stands before it.
pub(crate) fn root_of(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    loop {
        let tag = trim_start(rest).strip_prefix(b"<")?;
        rest = if let Some(comment) = tag.strip_prefix(b"!--") {
            after(comment, b"-->")?
        } else if tag.starts_with(b"!") {
            after(tag, b">")?
        } else if tag.starts_with(b"?") {
            after(tag, b"?>")?
        } else {
            return Some(tag);
        };
    }
}

/// The tags at the beginning of a resource that make it HTML (§7.1), each followed by a blank or `>`.
const HTML_STARTS: &[&[u8]] = &[
    b"<!DOCTYPE HTML",
    b"<HTML",
    b"<HEAD",
    b"<SCRIPT",
    b"<IFRAME",
    b"<H1",
    b"<DIV",
    b"<FONT",
    b"<TABLE",
    b"<A",
    b"<STYLE",
    b"<TITLE",
    b"<B",
    b"<BODY",
    b"<BR",
    b"<P",
];

fn is_html(start: &[u8]) -> bool {
    start.starts_with(b"<!--")
        || HTML_STARTS.iter().any(|tag| {
            let end = start.get(tag.len());
            matches!(end, Some(b' ' | b'>')) && start[..tag.len()].eq_ignore_ascii_case(tag)
        })
}

fn has_bom(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFE, 0xFF])
        || bytes.starts_with(&[0xFF, 0xFE])
        || bytes.starts_with(&[0xEF, 0xBB, 0xBF])
}

/// An image, by its signature (§6.1).
fn image(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"RIFF") && bytes.get(8..14) == Some(b"WEBPVP") {
        return Some("image/webp");
    }
    const SIGNATURES: &[(&[u8], &str)] = &[
        (&[0, 0, 1, 0], "image/x-icon"),
        (&[0, 0, 2, 0], "image/x-icon"),
        (b"BM", "image/bmp"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (&[0xFF, 0xD8, 0xFF], "image/jpeg"),
    ];
    by_signature(bytes, SIGNATURES)
}

/// Audio or video, by its signature (§6.2).
fn audio_or_video(bytes: &[u8]) -> Option<&'static str> {
    const SIGNATURES: &[(&[u8], &str)] = &[
        (b"ID3", "audio/mpeg"),
        (b"OggS\0", "application/ogg"),
        (b"MThd\0\0\0\x06", "audio/midi"),
    ];
    let form = bytes.get(8..12);
    if bytes.starts_with(b"FORM") && form == Some(b"AIFF") {
        return Some("audio/aiff");
    }
    if bytes.starts_with(b"RIFF") && form == Some(b"AVI ") {
        return Some("video/avi");
    }
    if bytes.starts_with(b"RIFF") && form == Some(b"WAVE") {
        return Some("audio/wave");
    }
    by_signature(bytes, SIGNATURES)
        .or_else(|| is_mp4(bytes).then_some("video/mp4"))
        .or_else(|| is_webm(bytes).then_some("video/webm"))
}

/// Whether the bytes are MP4: an `ftyp` box with an mp4 brand (§6.2.1).
fn is_mp4(bytes: &[u8]) -> bool {
    let Some(&[a, b, c, d]) = bytes.first_chunk::<4>() else {
        return false;
    };
    let size = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    if size % 4 != 0 || bytes.len() < size || bytes.get(4..8) != Some(b"ftyp") {
        return false;
    }
    let brands = std::iter::once(8).chain((16..size).step_by(4));
    brands
        .into_iter()
        .any(|at| bytes.get(at..at + 3) == Some(b"mp4"))
}

/// Whether the bytes are WebM: an EBML header with the document type webm near its start (§6.2.2).
fn is_webm(bytes: &[u8]) -> bool {
    if !bytes.starts_with(&[0x1A, 0x45, 0xDF, 0xA3]) {
        return false;
    }
    let head = &bytes[..bytes.len().min(64)];
    match head.windows(2).position(|w| w == [0x42, 0x82]) {
        Some(at) => contains(&head[at + 2..], b"webm"),
        None => false,
    }
}

/// An archive, by its signature (§6.4).
fn archive(bytes: &[u8]) -> Option<&'static str> {
    const SIGNATURES: &[(&[u8], &str)] = &[
        (&[0x1F, 0x8B, 0x08], "application/x-gzip"),
        (b"PK\x03\x04", "application/zip"),
        (b"Rar \x1a\x07\0", "application/x-rar-compressed"),
        (b"Rar!\x1a\x07\0", "application/x-rar-compressed"),
    ];
    by_signature(bytes, SIGNATURES)
}

fn by_signature(bytes: &[u8], signatures: &[(&[u8], &'static str)]) -> Option<&'static str> {
    signatures
        .iter()
        .find(|(signature, _)| bytes.starts_with(signature))
        .map(|(_, name)| *name)
}

/// Whether a byte is in no text (§3).
pub(crate) fn is_binary(byte: u8) -> bool {
    matches!(byte, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)
}

fn trim_start(bytes: &[u8]) -> &[u8] {
    let is_space = |b: &u8| matches!(b, b'\t' | b'\n' | 0x0C | b'\r' | b' ');
    let start = bytes.iter().position(|b| !is_space(b));
    &bytes[start.unwrap_or(bytes.len())..]
}

fn after<'b>(bytes: &'b [u8], end: &[u8]) -> Option<&'b [u8]> {
    let at = bytes.windows(end.len()).position(|w| w == end)?;
    Some(&bytes[at + end.len()..])
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|w| w == part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_panic(
            header in proptest::option::of("\\PC{0,20}"),
            bytes in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            sniff_content_type(header.as_deref(), &bytes);
        }
    }

    #[track_caller]
    fn check(header: Option<&str>, bytes: &[u8], expected: &str) {
        assert_eq!(sniff_content_type(header, bytes), expected, "{header:?}");
    }

    #[test]
    fn without_a_type_the_first_bytes_decide() {
        check(None, b" \n\t <!doctype HTML><p>", "text/html");
        check(None, b"<!-- x --><p>x", "text/html");
        check(None, b"<p>x", "text/html");
        check(None, b"<phrase>x", "text/plain");
        check(None, b"<?xml version='1.0'?>", "text/xml");
        check(None, b"%PDF-1.4", "application/pdf");
        check(None, b"%!PS-Adobe-3.0", "application/postscript");
        check(None, b"\x89PNG\r\n\x1a\n", "image/png");
        check(None, b"GIF89a", "image/gif");
        check(None, b"\xff\xd8\xff\xe0", "image/jpeg");
        check(None, b"RIFF\0\0\0\0WEBPVP8 ", "image/webp");
        check(None, b"PK\x03\x04", "application/zip");
        check(None, b"\x1f\x8b\x08", "application/x-gzip");
        check(None, b"\0\0\0\x14ftypisom\0\0\0\0mp42", "video/mp4");
        check(None, b"\x1a\x45\xdf\xa3\x01\x42\x82\x84webm", "video/webm");
        check(None, b"plain text", "text/plain");
        check(None, b"", "text/plain");
        check(None, b"\xff\xfep\0", "text/plain");
        check(None, b"a\0b", "application/octet-stream");
        check(Some("*/*"), b"<html>", "text/html");
        check(Some("nonsense"), b"<html>", "text/html");
    }

    #[test]
    fn a_declared_type_is_believed_but_for_the_known_mistakes() {
        check(
            Some("Text/HTML; charset=x"),
            b"\x89PNG\r\n\x1a\n",
            "text/html",
        );
        check(Some("application/json"), b"<html>", "application/json");
        check(Some("text/plain"), b"<html>", "text/plain");
        check(Some("text/plain"), b"a\0b", "application/octet-stream");
        check(Some("text/plain; charset=gbk"), b"a\0b", "text/plain");
        check(Some("image/png"), b"GIF87a", "image/gif");
        check(
            Some("application/xhtml+xml"),
            b"<html>",
            "application/xhtml+xml",
        );
        check(
            Some("application/octet-stream"),
            b"<html>",
            "application/octet-stream",
        );
    }

    #[test]
    fn a_feed_that_is_called_html_is_a_feed() {
        let html = Some("text/html");
        check(
            html,
            b"\xef\xbb\xbf<?xml ?> <!-- --> <rss>",
            "application/rss+xml",
        );
        check(html, b"<!DOCTYPE x><feed>", "application/atom+xml");
        check(
            html,
            b"<rdf:RDF xmlns='http://purl.org/rss/1.0/' \
              xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>",
            "application/rss+xml",
        );
        check(html, b"<!-- <rss>", "text/html");
        check(html, b"<html><rss>", "text/html");
    }
}
