//! A page that was saved with all that belongs to it: MHTML, a message of several parts (RFC 2557).
//!
//! ```text
//!   From: <Saved by Blink>
//!   MIME-Version: 1.0
//!   Content-Type: multipart/related; type="text/html"; boundary="----b"
//!
//!   ------b
//!   Content-Type: text/html; charset=utf-8       ─► the page
//!   Content-Transfer-Encoding: quoted-printable
//!
//!   <html>…
//!   ------b
//!   Content-Type: image/png                      its pictures, which are not read
//! ```
//!
//! Servers have many names for it, `text/plain` among them. Read as a text it would be its codes and its pictures'
//! letters. The page is the first part that is HTML. A message that is no such archive is none.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Types of archives. A text, or what a server knows nothing of, may be one as well.
const TYPES: [&str; 3] = [
    "multipart/related",
    "message/rfc822",
    "application/x-mimearchive",
];

/// The header of a message and those of its parts are shorter.
const HEADER_BYTES_MAX: usize = 64 * 1024;

/// Parts that are looked through.
const PARTS_MAX: usize = 10_000;

/// Messages in messages.
const DEPTH_MAX: usize = 4;

/// A page out of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedPage {
    /// Its bytes, without the codes of mail.
    pub bytes: Vec<u8>,
    /// Its own type, with its charset.
    pub content_type: String,
}

/// Whether a type is that of an archive.
pub(crate) fn is_archive_type(found: &str) -> bool {
    TYPES.contains(&found)
}

/// The type of a body that is called a text and is an archive with a page in it.
pub(crate) fn archive_type(bytes: &[u8]) -> Option<&'static str> {
    page_part(None, bytes).map(|_| TYPES[0])
}

/// The page in an archive. `content_type` is the type with which it was sent, which may say how its parts are told
/// apart.
pub fn archived_page(content_type: Option<&str>, bytes: &[u8]) -> Option<ArchivedPage> {
    let part = page_part(content_type, bytes)?;
    Some(ArchivedPage {
        bytes: match part.field("content-transfer-encoding") {
            Some(coding) if coding.eq_ignore_ascii_case("base64") => base64(part.body),
            Some(coding) if coding.eq_ignore_ascii_case("quoted-printable") => {
                quoted_printable(part.body)
            }
            Some(_) | None => part.body.to_vec(),
        },
        content_type: part.field("content-type")?,
    })
}

/// A message, or a part of one.
struct Part<'b> {
    header: String,
    body: &'b [u8],
}

impl<'b> Part<'b> {
    /// Parts a header from what follows it.
    fn of(bytes: &'b [u8]) -> Option<Part<'b>> {
        let head = &bytes[..bytes.len().min(HEADER_BYTES_MAX)];
        let mut at = 0;
        while at < head.len() {
            let end = memchr::memchr(b'\n', &head[at..]).map(|end| at + end)?;
            let line = head[at..end].trim_ascii_end();
            if line.is_empty() {
                break;
            }
            let is_more = matches!(line[0], b' ' | b'\t');
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
            let is_name = name.len() < line.len() && name.iter().all(|b| b.is_ascii_graphic());
            if !is_more && !is_name {
                return None;
            }
            at = end + 1;
        }
        let body = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
        Some(Part {
            header: String::from_utf8_lossy(&head[..at]).into_owned(),
            body: &bytes[body..],
        })
    }

    /// A field's value, its lines joined.
    fn field(&self, name: &str) -> Option<String> {
        let mut lines = self.header.lines().peekable();
        while let Some(line) = lines.next() {
            let (field, value) = line.split_once(':').unwrap_or(("", ""));
            if !field.eq_ignore_ascii_case(name) {
                continue;
            }
            let mut value = value.trim().to_owned();
            while let Some(more) = lines.next_if(|line| line.starts_with([' ', '\t'])) {
                value.push(' ');
                value.push_str(more.trim());
            }
            return Some(value);
        }
        None
    }
}

fn page_part<'b>(content_type: Option<&str>, bytes: &'b [u8]) -> Option<Part<'b>> {
    let mut bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes = bytes.trim_ascii_start();
    let declared = content_type.filter(|declared| is(declared, "multipart/related"));
    if let Some(boundary) = declared.and_then(boundary_of)
        && let Some(page) = page_among(&boundary, bytes, 0)
    {
        return Some(page);
    }
    let message = Part::of(bytes)?;
    message.field("mime-version")?;
    let kind = message.field("content-type")?;
    let boundary = Some(kind.as_str()).filter(|kind| is(kind, "multipart/related"));
    page_among(&boundary.and_then(boundary_of)?, message.body, 0)
}

/// The first part that is HTML.
fn page_among<'b>(boundary: &str, body: &'b [u8], depth: usize) -> Option<Part<'b>> {
    let mark = format!("--{boundary}");
    let mut marks = memchr::memmem::find_iter(body, mark.as_bytes())
        .filter(|&at| at == 0 || body[at - 1] == b'\n')
        .peekable();
    let mut count = 0;
    while let Some(at) = marks.next() {
        let begin = at + mark.len();
        count += 1;
        if body[begin..].starts_with(b"--") || count > PARTS_MAX {
            break;
        }
        let begin = memchr::memchr(b'\n', &body[begin..]).map(|end| begin + end + 1)?;
        let end = marks.peek().copied().unwrap_or(body.len());
        let part = Part::of(body.get(begin..end)?);
        let Some((part, kind)) = part.and_then(|part| {
            let kind = part.field("content-type")?;
            Some((part, kind))
        }) else {
            continue;
        };
        if is(&kind, "text/html") || is(&kind, "application/xhtml+xml") {
            return Some(part);
        }
        let inner = boundary_of(&kind).filter(|_| depth < DEPTH_MAX && kind.starts_with("multi"));
        if let Some(page) = inner.and_then(|inner| page_among(&inner, part.body, depth + 1)) {
            return Some(page);
        }
    }
    None
}

/// Whether a Content-Type is this one, whatever its parameters.
fn is(content_type: &str, essence: &str) -> bool {
    let found = content_type.split(';').next().unwrap_or_default();
    found.trim().eq_ignore_ascii_case(essence)
}

/// What stands between the parts.
fn boundary_of(content_type: &str) -> Option<String> {
    const NAME: &str = "boundary=";
    let lower = content_type.to_ascii_lowercase();
    let value = content_type[lower.find(NAME)? + NAME.len()..].trim_start();
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([';', ' ']).next(),
    };
    value
        .filter(|value| (1..=200).contains(&value.len()))
        .map(str::to_owned)
}

/// What stands in letters of base64, up to where that is broken.
fn base64(body: &[u8]) -> Vec<u8> {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let letters: Vec<u8> = body
        .iter()
        .copied()
        .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        .collect();
    // One letter over is half a byte.
    let whole = letters.len() - usize::from(letters.len() % 4 == 1);
    let engine = GeneralPurpose::new(&STANDARD, lenient);
    engine.decode(&letters[..whole]).unwrap_or_default()
}

/// Quoted-printable undone (RFC 2045, 6.7): `=3D` is a byte, and a line that ends in `=` goes on.
fn quoted_printable(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = memchr::memchr(b'=', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let hex = |at: usize| {
            let digit = char::from(*rest.get(at)?);
            digit.to_digit(16).map(|digit| digit as u8)
        };
        if let (Some(high), Some(low)) = (hex(0), hex(1)) {
            out.push(high << 4 | low);
            rest = &rest[2..];
            continue;
        }
        let blanks = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
            .count();
        match rest.get(blanks) {
            Some(b'\n') => rest = &rest[blanks + 1..],
            None => rest = &[],
            Some(_) => out.push(b'='),
        }
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<html><title>Eels</title><p class=3D\"a\">They swim =\r\nfar, =E2=80=94 and back.</p></html>";
    const SHOWN: &str =
        "<html><title>Eels</title><p class=\"a\">They swim far, \u{2014} and back.</p></html>";

    fn archive(part: &str) -> String {
        format!(
            "From: <Saved by Blink>\r\nSubject: Eels\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\
             \ttype=\"text/html\";\r\n\tboundary=\"----b--\"\r\n\r\n\r\n------b--\r\n{part}\r\n------b--\r\n\
             Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n------b------\r\n"
        )
    }

    #[track_caller]
    fn check(declared: Option<&str>, body: &str, page: Option<&str>) {
        let found = archived_page(declared, body.as_bytes());
        let found = found.map(|page| String::from_utf8_lossy(&page.bytes).into_owned());
        let found = found.as_deref().map(str::trim_end);
        assert_eq!(found, page);
    }

    #[test]
    fn the_page_of_an_archive_is_its_first_part_in_html() {
        let quoted = archive(&format!(
            "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{PAGE}"
        ));
        check(None, &quoted, Some(SHOWN));
        check(Some("text/plain"), &quoted, Some(SHOWN));
        assert_eq!(archive_type(quoted.as_bytes()), Some("multipart/related"));
        let kind = archived_page(None, quoted.as_bytes()).map(|page| page.content_type);
        assert_eq!(kind.as_deref(), Some("text/html; charset=utf-8"));
        let letters = base64::engine::general_purpose::STANDARD.encode(SHOWN);
        let coded = archive(&format!(
            "Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n{}",
            &letters[..60],
            &letters[60..]
        ));
        check(None, &coded, Some(SHOWN));
        let plain = archive(&format!("Content-Type: text/html\r\n\r\n{SHOWN}"));
        check(None, &plain.replace("\r\n", "\n"), Some(SHOWN));
        let inner = archive(&format!(
            "Content-Type: multipart/alternative; boundary=in\r\n\r\n--in\r\nContent-Type: text/plain\r\n\r\nEels\r\n\
             --in\r\nContent-Type: text/html\r\n\r\n{SHOWN}\r\n--in--"
        ));
        check(None, &inner, Some(SHOWN));
        // Sent as what it is, the header may be that of the answer alone.
        let bare = format!("--x\r\nContent-Type: text/html\r\n\r\n{SHOWN}\r\n--x--\r\n");
        check(Some("multipart/related; boundary=x"), &bare, Some(SHOWN));
        check(Some("text/plain"), &bare, None);
    }

    #[test]
    fn a_text_about_archives_and_a_message_are_none() {
        let quoted = archive(&format!("Content-Type: text/html\r\n\r\n{SHOWN}"));
        let article = format!("This is what a saved page begins with:\n\n{quoted}");
        let mail = quoted.replace("multipart/related", "multipart/mixed");
        let pictures = archive("Content-Type: image/gif\r\n\r\nGIF89a");
        for text in [
            article.as_str(),
            &mail,
            &pictures,
            "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\nis how it begins.",
            "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=\"",
            "Subject: eels",
            "",
            "\n",
        ] {
            check(None, text, None);
            assert_eq!(archive_type(text.as_bytes()), None);
        }
    }

    #[test]
    fn archives_that_are_cut_or_broken_give_what_there_is() {
        let whole = archive(&format!(
            "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{PAGE}"
        ));
        for end in 0..whole.len() {
            let found = archived_page(None, &whole.as_bytes()[..end]);
            // What is left of the mark behind it may stand at its end.
            let longest = SHOWN.len() + "\r\n------b--".len();
            assert!(found.is_none_or(|page| page.bytes.len() <= longest));
        }
        let broken = quoted_printable(b"a=b =4 =\r= \r\nc=");
        assert_eq!(broken, b"a=b =4 =\rc");
        assert_eq!(base64(b"QUJD\nR*"), b"ABC");
    }
}
