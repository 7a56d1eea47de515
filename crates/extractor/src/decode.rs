//! Bytes to text: finding the encoding that a page was written in.
//!
//! The sources are asked in the order of the HTML standard, and the first answer counts: a byte
//! order mark, the charset of the `Content-Type` header, a `<meta>` in the first 1,024 bytes. After
//! that browsers differ; we take a later `<meta>`, then UTF-16 where the zero bytes stand as in that, then
//! UTF-8 if nearly all of the body is valid UTF-8, then a detector, and windows-1252 for a body of plain
//! ASCII. A declaration counts even where it is
//! wrong, since the site's authors see the page in browsers that follow it, too; but not where the bytes
//! rule it out, or read as a text in another encoding alone, for then nobody can read the page: see `overruling`.
//!
//! Malformed bytes become U+FFFD and are never an error. Cost: one pass over the bytes; a second one
//! where UTF-8 is not declared; and detection over at most 256 KB where nothing is declared and the body
//! is not UTF-8, or what is declared does not fit.
//!
//! Source: HTML standard, "Determining the character encoding"; WHATWG Encoding; MIME Sniffing.

mod content_type;
mod detect;
mod iso2022;
mod likely;
mod plausible;
mod prescan;
mod prices;
mod rtf;
mod utf16;

use encoding_rs::{DecoderResult, Encoding, ISO_2022_JP, UTF_8, WINDOWS_1252};
pub use rtf::decode_rich;
use serde::Serialize;

/// The bytes that the prescan of the HTML standard reads.
const PRESCAN_BYTES: usize = 1024;

/// The bytes that are searched for a later `<meta>`. Beyond them is content, where a declaration is
/// more likely quoted markup than the page's own.
const LATER_META_BYTES_MAX: usize = 1 << 18;

/// Wide characters that are no coincidence where all of a body is valid UTF-8: in an encoding of single
/// bytes letters beyond ASCII never come in just the pairs that are valid.
const SURE_VALID_MIN: usize = 10;

/// Wide characters that are no coincidence where a few places of a body are malformed.
const SURE_CHARACTERS_MIN: usize = 256;

/// Malformed sequences that are no slip: fewer overrule no declaration.
const SURE_MALFORMED_MIN: usize = 10;

/// The same in a body that is declared UTF-8 and has no valid wide character at all.
const SURE_MALFORMED_ALONE_MIN: usize = 3;

/// Text decoded from bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without its byte order mark.
    pub text: String,
    /// The WHATWG name of the encoding, "UTF-8", "GBK", "windows-1252".
    pub encoding: &'static str,
    /// How the encoding was found.
    pub source: EncodingSource,
    /// How many malformed sequences became U+FFFD. U+FFFD in the source itself is not counted.
    pub replaced: usize,
    /// The declared encoding that the bytes ruled out.
    pub overruled: Option<&'static str>,
}

/// How an encoding was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EncodingSource {
    /// A byte order mark.
    Bom,
    /// The Content-Type header.
    Http,
    /// A `<meta>` element, or an XML declaration where no `<meta>` says anything.
    Meta,
    /// Detected from the bytes.
    Detected,
    /// The default for plain ASCII without a declaration.
    Default,
}

impl EncodingSource {
    /// The name used in records and output.
    pub fn as_str(self) -> &'static str {
        match self {
            EncodingSource::Bom => "bom",
            EncodingSource::Http => "http",
            EncodingSource::Meta => "meta",
            EncodingSource::Detected => "detected",
            EncodingSource::Default => "default",
        }
    }
}

/// Decodes a page's bytes.
///
/// `content_type` is the header's value as sent. `tld` is the last label of the host, such as "jp"
/// or "xn--p1ai"; it is a hint for the detector, which is asked only where nothing is declared.
///
/// ```
/// use extractor::{EncodingSource, decode};
///
/// let decoded = decode(b"<meta charset=gbk>\xc4\xbf\xc2\xbc", None, None);
/// assert_eq!(decoded.text, "<meta charset=gbk>目录");
/// assert_eq!((decoded.encoding, decoded.source), ("GBK", EncodingSource::Meta));
/// ```
pub fn decode(bytes: &[u8], content_type: Option<&str>, tld: Option<&str>) -> Decoded {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return Decoded::of(encoding, EncodingSource::Bom, &bytes[length..]);
    }
    let Some((declared, source)) = declared(bytes, content_type) else {
        let (encoding, source) = undeclared(bytes, tld);
        return Decoded::of(encoding, source, bytes);
    };
    let decoded = Decoded::of(declared, source, bytes);
    let utf16 = utf16::detect(bytes).map(|found| (found, EncodingSource::Detected));
    let utf16 = utf16.filter(|_| !decoded.encoding.starts_with("UTF-16"));
    let iso2022 = || {
        let is_other = declared != ISO_2022_JP && iso2022::is_text(bytes);
        is_other.then_some((ISO_2022_JP, EncodingSource::Detected))
    };
    let other = utf16.or_else(iso2022);
    match other.or_else(|| overruling(&decoded, bytes, tld)) {
        Some((encoding, source)) => Decoded {
            overruled: Some(declared.name()),
            ..Decoded::of(encoding, source, bytes)
        },
        None => decoded,
    }
}

impl Decoded {
    fn of(encoding: &'static Encoding, source: EncodingSource, bytes: &[u8]) -> Decoded {
        let (text, replaced) = decode_as(encoding, bytes);
        Decoded {
            text,
            encoding: encoding.name(),
            source,
            replaced,
            overruled: None,
        }
    }
}

/// The encoding that a body is in, where that is surely not the declared one, and how it was found: UTF-8;
/// the one that the markup declares where the header's does not fit; or a detected one.
///
/// Of 57 pages in Chinese and Japanese, 70 to 94 % of what is not ASCII is malformed when their legacy
/// bytes are read as UTF-8; so half is the bound there, and pages that mix encodings keep their own word.
/// Of bodies in Latin script and single bytes nearly all is malformed; who reads them as UTF-8 loses each letter
/// with an accent, so there whatever the detector takes them for is better, with one valid character in ten at most.
/// The legacy encodings fail at far less of each other's text, but hardly ever at their own. Encodings of
/// single bytes fail at nothing, and some of East Asia at little of each other's text, so what a text reads as
/// proves its encoding, too: see [`likely`]. Beyond that a detected one proves something only for a text whose letters nearly
/// all lie beyond ASCII; and windows-1252, which servers declare without a look at the page, is doubted
/// where the text is such a one, or where the markup says otherwise.
fn overruling(
    decoded: &Decoded,
    bytes: &[u8],
    tld: Option<&str>,
) -> Option<(&'static Encoding, EncodingSource)> {
    let is_utf8 = decoded.encoding == UTF_8.name();
    let is_malformed = decoded.replaced >= SURE_MALFORMED_MIN;
    if is_utf8 && decoded.replaced < SURE_MALFORMED_ALONE_MIN {
        return None;
    }
    let utf8 = Utf8Share::of(bytes);
    if is_utf8 && !is_malformed && utf8.wide > 0 {
        return None;
    }
    let other = (decoded.source == EncodingSource::Http)
        .then(|| declared_in_markup(bytes))
        .flatten()
        .filter(|encoding| encoding.name() != decoded.encoding);
    if !is_utf8 && is_surely_utf8(utf8, decoded, other, bytes) {
        return Some((UTF_8, EncodingSource::Detected));
    }
    if !is_utf8 && let Some(proved) = proved(decoded, utf8, other, bytes) {
        return Some(proved);
    }
    let is_default = decoded.encoding == WINDOWS_1252.name();
    let is_foreign = plausible::is_foreign(bytes);
    let is_doubted = match (is_utf8, is_default) {
        (true, _) => utf8.malformed > utf8.wide,
        (_, true) => is_foreign || other.is_some(),
        (false, false) => is_malformed,
    };
    // What is valid UTF-8 throughout is in no third encoding.
    let is_valid_utf8 = utf8.malformed == 0 && utf8.wide >= SURE_VALID_MIN;
    if !is_doubted || is_valid_utf8 {
        return None;
    }
    let failures_max = match is_default {
        true => bytes.iter().filter(|byte| !byte.is_ascii()).count() / 20,
        false => decoded.replaced / 10,
    };
    let detected = detected(bytes, tld);
    let fits = |encoding: &'static Encoding| {
        encoding.name() != decoded.encoding && decode_as(encoding, bytes).1 <= failures_max
    };
    // A text that reads as what is declared outweighs a stale element.
    let is_disproved = !is_default || is_foreign || detected.name() != decoded.encoding;
    if let Some(other) = other.filter(|other| is_disproved && fits(other)) {
        return Some((other, EncodingSource::Meta));
    }
    let is_no_utf8 = is_utf8 && utf8.wide * 10 <= utf8.malformed;
    let is_proof = is_foreign || is_no_utf8 || !is_default && !detected.is_single_byte();
    (is_proof && fits(detected)).then_some((detected, EncodingSource::Detected))
}

/// The encoding in which alone a body reads as a text: the one that the markup declares, where it reads the same in both.
fn proved(
    decoded: &Decoded,
    utf8: Utf8Share,
    other: Option<&'static Encoding>,
    bytes: &[u8],
) -> Option<(&'static Encoding, EncodingSource)> {
    let declared = Encoding::for_label(decoded.encoding.as_bytes())?;
    let may_be_utf8 = utf8.wide > 0 && utf8.malformed == 0;
    let proved = likely::proved(declared, bytes, may_be_utf8)?;
    let of_markup = other.filter(|other| decode_as(other, bytes) == decode_as(proved, bytes));
    Some(match of_markup {
        Some(other) => (other, EncodingSource::Meta),
        None => (proved, EncodingSource::Detected),
    })
}

/// Whether a body is UTF-8 though another encoding is declared.
fn is_surely_utf8(
    utf8: Utf8Share,
    decoded: &Decoded,
    other: Option<&'static Encoding>,
    bytes: &[u8],
) -> bool {
    if utf8.wide >= SURE_CHARACTERS_MIN && utf8.is_most() {
        return true;
    }
    if utf8.malformed > 0 || wide_in_text(bytes) < SURE_VALID_MIN {
        return utf8.malformed == 0 && utf8.wide > 0 && other == Some(UTF_8);
    }
    // Pairs of bytes of these are valid UTF-8 more often, but then make no text in it.
    let declared = Encoding::for_label(decoded.encoding.as_bytes());
    declared.is_some_and(Encoding::is_single_byte)
        || decoded.replaced > 0
        || plausible::is_of_one_script(bytes)
}

/// Characters beyond ASCII that a reader sees, if this is UTF-8: outside of tags and comments. What else there is
/// garbles no page in a browser, so it proves nothing against the author.
fn wide_in_text(bytes: &[u8]) -> usize {
    let (mut wide, mut rest) = (0, bytes);
    while !rest.is_empty() {
        let text = rest
            .iter()
            .position(|&byte| byte == b'<')
            .unwrap_or(rest.len());
        wide += rest[..text].iter().filter(|&&byte| byte >= 0xC2).count();
        rest = &rest[text..];
        let end: &[u8] = if rest.starts_with(b"<!--") {
            b"-->"
        } else {
            b">"
        };
        let markup = memchr::memmem::find(rest, end).map_or(rest.len(), |at| at + end.len());
        rest = &rest[markup..];
    }
    wide
}

fn declared(
    bytes: &[u8],
    content_type: Option<&str>,
) -> Option<(&'static Encoding, EncodingSource)> {
    if let Some(encoding) = content_type.and_then(content_type::charset) {
        return Some((encoding, EncodingSource::Http));
    }
    Some((declared_in_markup(bytes)?, EncodingSource::Meta))
}

fn undeclared(bytes: &[u8], tld: Option<&str>) -> (&'static Encoding, EncodingSource) {
    if let Some(encoding) = utf16::detect(bytes) {
        return (encoding, EncodingSource::Detected);
    }
    if iso2022::is_text(bytes) {
        return (ISO_2022_JP, EncodingSource::Detected);
    }
    if bytes.is_ascii() && !bytes.contains(&0x1B) {
        return (WINDOWS_1252, EncodingSource::Default);
    }
    if Utf8Share::of(bytes).is_most() {
        return (UTF_8, EncodingSource::Detected);
    }
    (detected(bytes, tld), EncodingSource::Detected)
}

/// What a body is in that is not UTF-8.
fn detected(bytes: &[u8], tld: Option<&str>) -> &'static Encoding {
    let detected = detect::detect(bytes, tld);
    likely::corrected(detected, bytes).unwrap_or(detected)
}

fn declared_in_markup(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN_BYTES)];
    if let Some(encoding) = prescan::prescan(head, prescan::Reach::Head) {
        return Some(encoding);
    }
    let more = &bytes[..bytes.len().min(LATER_META_BYTES_MAX)];
    if more.len() > head.len() {
        return prescan::prescan(more, prescan::Reach::Later);
    }
    None
}

/// How much of a body is UTF-8.
#[derive(Debug, Clone, Copy, Default)]
struct Utf8Share {
    /// Characters of two to four bytes.
    wide: usize,
    /// Malformed sequences, but for an incomplete character at the very end, of a truncated body.
    malformed: usize,
}

impl Utf8Share {
    fn of(bytes: &[u8]) -> Utf8Share {
        let mut share = Utf8Share::default();
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            // The first bytes of wide characters.
            share.wide += chunk.valid().bytes().filter(|&byte| byte >= 0xC0).count();
            let broken = chunk.invalid();
            let is_cut = chunks.peek().is_none()
                && std::str::from_utf8(broken).is_err_and(|error| error.error_len().is_none());
            share.malformed += usize::from(!broken.is_empty() && !is_cut);
        }
        share
    }

    /// Whether nearly all that is not ASCII is valid. One bad character, or a few, are a slip of a
    /// program in a page that is UTF-8. In the legacy encodings of Chinese and Japanese at most 3 of 10
    /// sequences are valid by chance, in those of Europe hardly any.
    fn is_most(self) -> bool {
        self.wide > 0 && self.malformed * 10 <= self.wide
    }
}

/// The text, and how many malformed sequences were replaced.
fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> (String, usize) {
    // The common case: one validation and one copy.
    if encoding == UTF_8
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return (text.to_owned(), 0);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 2 + 16);
    // Decoded part by part: what is appended to is looked at as a whole each time.
    let mut part = [0_u8; 4096];
    let mut rest = bytes;
    let mut replaced = 0;
    loop {
        let (result, read, written) =
            decoder.decode_to_utf8_without_replacement(rest, &mut part, true);
        rest = &rest[read..];
        text.push_str(&String::from_utf8_lossy(&part[..written]));
        match result {
            DecoderResult::InputEmpty => return (text, replaced),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => {
                replaced += 1;
                text.push('\u{FFFD}');
            }
        }
    }
}

#[cfg(test)]
mod tests;
