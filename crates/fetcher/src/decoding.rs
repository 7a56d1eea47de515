//! Removing a body's content codings, within limits.
//!
//! A few kilobytes of gzip, brotli or zstd can decompress to gigabytes, and the ratios of several
//! codings multiply. So the output is counted while it is written: each coding may give at most
//! [`FetchLimits::decoded_bytes_max`] bytes, and beyond a mebibyte no more than
//! [`FetchLimits::ratio_max`] times its input. A decompression bomb costs no more memory and time than
//! these limits.
//!
//! Broken streams are common (a server that stops early, a missing checksum), and their beginning is
//! good text. The decoded part is kept with the reason why it is incomplete.
//!
//! Lenient as browsers are: `x-gzip`, names in any case or in quotes, raw deflate in place of zlib's format, padding
//! after a gzip stream. And the bytes have the last word: a body that is plain text is taken as it is whatever its
//! header says, one that bears another coding's mark is undone by that, and what is gzip within gzip once more.

use std::cell::Cell;
use std::io::{self, Read};

use crate::limits::FetchLimits;

/// The ratio is not checked below this much output: small files of blanks are no bombs.
const RATIO_FREE_BYTES: u64 = 1024 * 1024;
/// The largest zstd window that is accepted, as a power of two: 8 MiB, the limit of RFC 9659 for HTTP.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// How a zstd stream begins (RFC 8878 §3.1.1).
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The most members of one gzip stream. Normal streams have one. Each takes the set-up of a decoder,
/// and an empty member has only 20 bytes.
const GZIP_MEMBERS_MAX: u32 = 1_000;

/// A decoded body, as far as it went.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decoding {
    /// What could be decoded.
    pub bytes: Vec<u8>,
    /// Why it ended early: `bomb: …`, `corrupt …`, `truncated …`, `unknown content coding …`.
    /// `None` when it is whole.
    pub stopped: Option<String>,
    /// Whether it ended early since its stream was cut: asked once more, the server may send the rest.
    pub is_cut: bool,
}

/// A content coding that can be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// Removes the codings that the values of Content-Encoding name, the last one first.
pub fn decode<'v>(
    body: &[u8],
    content_encoding: impl Iterator<Item = &'v str>,
    limits: &FetchLimits,
) -> Decoding {
    let whole = |bytes: &[u8], stopped| Decoding {
        bytes: bytes.to_vec(),
        stopped,
        is_cut: false,
    };
    let mut codings = Vec::new();
    for name in content_encoding.flat_map(|value| value.split(',')) {
        let name = name.split(';').next().unwrap_or_default();
        let name = name.trim_matches(|c: char| c.is_ascii_whitespace() || c == '"');
        match name.to_ascii_lowercase().as_str() {
            // Some servers name a coding though there is none, or put the charset here.
            "" | "identity" | "none" | "binary" | "utf-8" | "utf8" | "iso-8859-1" => {}
            // What programs sent a file in when they stored it; it is sent without.
            "aws-chunked" => {}
            "gzip" | "x-gzip" => codings.push(Coding::Gzip),
            "deflate" => codings.push(Coding::Deflate),
            "br" => codings.push(Coding::Brotli),
            "zstd" => codings.push(Coding::Zstd),
            other => {
                let shown: String = other.chars().take(40).collect();
                let why = format!("unknown content coding {shown:?}");
                return whole(body, Some(why));
            }
        }
        if codings.len() > limits.codings_max {
            let why = format!("more than {} content codings", limits.codings_max);
            return whole(body, Some(why));
        }
    }
    let mut decoded: Option<Decoding> = None;
    let mut left = limits.codings_max;
    loop {
        let input = decoded.as_ref().map_or(body, |d| d.bytes.as_slice());
        let coding = match codings.pop() {
            Some(coding) => coding,
            // One header for two codings.
            None if decoded.is_some() && is_gzip(input) && left > 0 => Coding::Gzip,
            None => break,
        };
        left = left.saturating_sub(1);
        let next = undo(coding, input, limits);
        // The first failure is the cause of later ones.
        let first = decoded.filter(|earlier| earlier.stopped.is_some());
        decoded = Some(match first {
            Some(first) => Decoding {
                bytes: next.bytes,
                ..first
            },
            None => next,
        });
    }
    decoded.unwrap_or_else(|| whole(body, None))
}

/// Decompresses a gzip file (`sitemap.xml.gz`) to at most so many bytes, within the usual ratio.
pub(crate) fn gunzip(bytes: &[u8], bytes_max: u64) -> Decoding {
    let limits = FetchLimits {
        decoded_bytes_max: bytes_max,
        ..FetchLimits::default()
    };
    undo(Coding::Gzip, bytes, &limits)
}

/// Whether bytes begin as a gzip stream does (RFC 1952 §2.3.1).
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b, 8])
}

/// Whether bytes begin as zlib's format does (RFC 1950 §2.2).
fn is_zlib(bytes: &[u8]) -> bool {
    match bytes {
        [first, second, ..] => {
            first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0
        }
        _ => false,
    }
}

/// Whether a body is plain text: no stream has no control character for so long but by a chance of one in 10¹¹.
fn is_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: std::ops::RangeInclusive<usize> = 24..=256;
    let head = &bytes[..bytes.len().min(*LOOKED_AT.end())];
    let is_control = |byte: &u8| *byte < b' ' && !b"\t\n\x0c\r\x1b".contains(byte);
    let is_long_enough =
        head.len() >= *LOOKED_AT.start() && head.is_ascii() || head.len() == *LOOKED_AT.end();
    is_long_enough && !head.iter().any(is_control)
}

/// The coding that a body is in, by its bytes where they tell, else by what it is called; `None` for none.
fn coding_of(input: &[u8], called: Coding) -> Option<Coding> {
    match called {
        _ if is_gzip(input) => Some(Coding::Gzip),
        _ if input.starts_with(&ZSTD_MAGIC) => Some(Coding::Zstd),
        _ if is_text(input) => None,
        // Raw deflate has no mark, and brotli none either.
        Coding::Deflate | Coding::Brotli => Some(called),
        Coding::Gzip | Coding::Zstd if is_zlib(input) => Some(Coding::Deflate),
        Coding::Gzip => Some(Coding::Brotli),
        Coding::Zstd => Some(Coding::Zstd),
    }
}

fn undo(called: Coding, input: &[u8], limits: &FetchLimits) -> Decoding {
    let as_it_is = || Decoding {
        bytes: input.to_vec(),
        ..Decoding::default()
    };
    // An answer to HEAD or a 304 carries the header and no stream.
    let Some(coding) = coding_of(input, called).filter(|_| !input.is_empty()) else {
        return as_it_is();
    };
    let undone = undo_as(coding, input, limits);
    // Many a noise is brotli, too: as a guess it must give text.
    match coding == Coding::Brotli && coding != called && !is_text(&undone.bytes) {
        true => as_it_is(),
        false => undone,
    }
}

fn undo_as(coding: Coding, input: &[u8], limits: &FetchLimits) -> Decoding {
    let by_ratio = (input.len() as u64)
        .saturating_mul(u64::from(limits.ratio_max))
        .max(RATIO_FREE_BYTES);
    let (cap, why) = if by_ratio < limits.decoded_bytes_max {
        (by_ratio, "compression ratio")
    } else {
        (limits.decoded_bytes_max, "decoded size")
    };
    let mut sink = Sink::new(coding, cap, why);
    match coding {
        Coding::Gzip => gzip_into(&mut sink, input),
        Coding::Deflate => deflate_into(&mut sink, input),
        Coding::Brotli => brotli_into(&mut sink, input),
        Coding::Zstd => zstd_into(&mut sink, input),
    }
    sink.finish()
}

/// Collects and counts decoded bytes.
struct Sink {
    coding: Coding,
    bytes: Vec<u8>,
    cap: u64,
    cap_name: &'static str,
    stopped: Option<String>,
    is_cut: bool,
}

impl Sink {
    fn new(coding: Coding, cap: u64, cap_name: &'static str) -> Self {
        Self {
            coding,
            bytes: Vec::new(),
            cap,
            cap_name,
            stopped: None,
            is_cut: false,
        }
    }

    /// Reads a decoder to its end, to the cap, or to its first error.
    fn fill(&mut self, mut decoder: impl Read) {
        let mut chunk = [0_u8; 16 * 1024];
        loop {
            match decoder.read(&mut chunk) {
                Ok(0) => return,
                Ok(n) => {
                    let room = self.cap.saturating_sub(self.bytes.len() as u64);
                    let take = n.min(usize::try_from(room).unwrap_or(usize::MAX));
                    self.bytes.extend_from_slice(&chunk[..take]);
                    if take < n {
                        self.stopped = Some(format!(
                            "bomb: {} over the bound of {} ({} bytes)",
                            self.coding.name(),
                            self.cap_name,
                            self.cap
                        ));
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.fail(&error);
                    return;
                }
            }
        }
    }

    fn is_full(&self) -> bool {
        self.bytes.len() as u64 >= self.cap
    }

    fn fail(&mut self, error: &io::Error) {
        self.is_cut = error.kind() == io::ErrorKind::UnexpectedEof;
        let kind = if self.is_cut { "truncated" } else { "corrupt" };
        self.stopped = Some(format!("{kind} {}: {error}", self.coding.name()));
    }

    fn finish(self) -> Decoding {
        Decoding {
            bytes: self.bytes,
            stopped: self.stopped,
            is_cut: self.is_cut,
        }
    }
}

/// Decompresses gzip member by member (RFC 1952 §2.2). Bytes after the last member are ignored.
fn gzip_into(sink: &mut Sink, input: &[u8]) {
    if !is_gzip(input) {
        sink.fill(input);
        return;
    }
    let mut rest = input;
    let mut members = 0;
    while is_gzip(rest) && sink.stopped.is_none() {
        members += 1;
        if members > GZIP_MEMBERS_MAX {
            sink.stopped = Some(format!("more than {GZIP_MEMBERS_MAX} gzip members"));
            return;
        }
        let mut member = flate2::bufread::GzDecoder::new(rest);
        sink.fill(&mut member);
        rest = member.into_inner();
    }
}

/// Decompresses deflate: zlib's format (RFC 9110 §8.4.1.2), or the raw stream that some servers send.
fn deflate_into(sink: &mut Sink, input: &[u8]) {
    if is_zlib(input) {
        sink.fill(flate2::bufread::ZlibDecoder::new(input));
        if sink.stopped.is_none() || sink.is_cut || !sink.bytes.is_empty() {
            return;
        }
        sink.stopped = None;
    }
    sink.fill(flate2::bufread::DeflateDecoder::new(input));
}

/// Decompresses brotli. Its decoder calls a cut stream invalid, so the end of the input is looked at: a
/// broken stream fails before the decoder asks for more than there is.
fn brotli_into(sink: &mut Sink, input: &[u8]) {
    struct Input<'b> {
        rest: &'b [u8],
        is_over: &'b Cell<bool>,
    }
    impl Read for Input<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.rest.read(buffer)?;
            self.is_over.set(read == 0);
            Ok(read)
        }
    }
    let is_over = Cell::new(false);
    let rest = Input {
        rest: input,
        is_over: &is_over,
    };
    sink.fill(brotli_decompressor::Decompressor::new(rest, 4096));
    let has_failed = sink.stopped.is_some() && !sink.is_full();
    if has_failed && is_over.get() {
        sink.fail(&io::ErrorKind::UnexpectedEof.into());
    }
}

fn zstd_into(sink: &mut Sink, input: &[u8]) {
    let decoder = zstd::stream::read::Decoder::with_buffer(input).and_then(|mut decoder| {
        decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
        Ok(decoder)
    });
    match decoder {
        Ok(decoder) => sink.fill(decoder),
        Err(error) => sink.fail(&error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    const TEXT: &[u8] = b"<p>hello crawler, hello page</p>";
    /// `TEXT` and 64 MiB of zeros in brotli; we have no encoder, so the reference tool made them.
    const TEXT_BR: &[u8] = &[
        0x1b, 0x1f, 0x00, 0xf8, 0xc5, 0x6d, 0x6c, 0x5d, 0xf9, 0x8d, 0x19, 0xad, 0x1f, 0x21, 0x34,
        0x84, 0xa2, 0x53, 0x09, 0x42, 0x51, 0x0a, 0xb0, 0x44, 0x32, 0xe1, 0x1b, 0x4d, 0x69, 0x50,
        0x97, 0x2f, 0x9e, 0x81, 0x4c, 0x00,
    ];
    const ZEROS_BR: &[u8] = &[
        0xcb, 0xff, 0xff, 0x3f, 0xf8, 0x27, 0x00, 0xe2, 0xb1, 0x40, 0x20, 0xf7, 0xfe, 0x8f, 0xff,
        0xff, 0x7f, 0xf0, 0x4f, 0x00, 0xc4, 0x61, 0x11, 0x80, 0xee, 0xfd, 0x1f, 0xff, 0xff, 0xff,
        0xe0, 0x9f, 0x00, 0x88, 0xc3, 0x02, 0x00, 0xdd, 0xfb, 0x3f, 0xfe, 0xff, 0xff, 0xc1, 0x3f,
        0x01, 0x10, 0x87, 0x05, 0x00, 0xba, 0xf7, 0x7f, 0xfc, 0xff, 0xff, 0x83, 0x7f, 0x02, 0x20,
        0x0e, 0x0b, 0x00, 0x74, 0xef, 0xff, 0xf8, 0xff, 0xff, 0x07, 0xff, 0x04, 0x40, 0x1c, 0x16,
        0x00, 0xe8, 0xde, 0xff, 0xf1, 0xff, 0xff, 0x0f, 0xfe, 0x09, 0x80, 0x38, 0x2c, 0x00, 0xd0,
        0xbd, 0xff, 0xe3, 0xff, 0xff, 0x1f, 0xfc, 0x13, 0x00, 0x71, 0x58, 0x00, 0xa0, 0x7b, 0xff,
        0x37,
    ];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
        let level = flate2::Compression::best();
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 3).unwrap()
    }

    fn undone(body: &[u8], header: &str) -> Decoding {
        decode(body, std::iter::once(header), &FetchLimits::default())
    }

    #[track_caller]
    fn check(body: &[u8], header: &str) {
        let decoding = undone(body, header);
        assert_eq!(decoding.bytes, TEXT, "{header}: {:?}", decoding.stopped);
        assert_eq!(decoding.stopped, None, "{header}");
    }

    #[test]
    fn each_coding_is_undone() {
        check(&gzip(TEXT), "gzip");
        check(&gzip(TEXT), "X-GZIP");
        check(&zlib(TEXT), "deflate");
        check(&raw_deflate(TEXT), "deflate");
        check(TEXT_BR, "br");
        check(&zstd(TEXT), "zstd");
        check(TEXT, "identity");
        check(TEXT, "");
    }

    #[test]
    fn stacked_codings_are_undone_from_the_last() {
        check(&gzip(&zlib(TEXT)), "deflate, gzip");
        check(&zstd(&gzip(&zlib(TEXT))), "deflate, gzip, zstd");
        let four = undone(&gzip(&gzip(&gzip(&gzip(TEXT)))), "gzip, gzip, gzip, gzip");
        assert_eq!(four.stopped.as_deref(), Some("more than 3 content codings"));
    }

    #[test]
    fn several_gzip_members_are_one_text_and_filling_after_them_is_ignored() {
        let mut body = gzip(&TEXT[..10]);
        body.extend(gzip(&TEXT[10..]));
        check(&body, "gzip");
        body.extend([0; 20]);
        check(&body, "gzip");
    }

    #[test]
    fn a_stream_of_empty_members_costs_its_bound() {
        let decoding = undone(&gzip(b"").repeat(100_000), "gzip");
        assert_eq!(
            decoding.stopped.as_deref(),
            Some("more than 1000 gzip members")
        );
    }

    #[test]
    fn the_bytes_have_the_last_word() {
        for called in ["gzip", "deflate", "br", "zstd"] {
            check(TEXT, called);
            check(&gzip(TEXT), called);
            check(&zstd(TEXT), called);
            let chinese = "<p>采集网页</p>".repeat(30).into_bytes();
            assert_eq!(undone(&chinese, called).bytes, chinese, "{called}");
        }
        check(&zlib(TEXT), "gzip");
        check(TEXT_BR, "gzip");
        check(&gzip(&gzip(TEXT)), "gzip");
        check(&gzip(TEXT), "\"gzip\"");
        check(&gzip(TEXT), "gzip;q=1.0");
    }

    #[test]
    fn a_cut_stream_gives_what_was_read_and_says_so() {
        let text: Vec<u8> = (0..200_000_u32)
            .flat_map(|n| n.wrapping_mul(n).to_le_bytes())
            .collect();
        for (body, header) in [
            (gzip(&text), "gzip"),
            (zlib(&text), "deflate"),
            (raw_deflate(&text), "deflate"),
            (zstd(&text), "zstd"),
        ] {
            let decoding = undone(&body[..body.len() / 2], header);
            assert!(decoding.bytes.len() > 10_000, "{header}");
            assert!(decoding.is_cut, "{header}");
            assert!(text.starts_with(&decoding.bytes), "{header}");
            assert!(
                decoding.stopped.unwrap().starts_with("truncated"),
                "{header}"
            );
        }
    }

    #[test]
    fn a_stream_cut_anywhere_is_cut_and_a_broken_one_is_not() {
        // Brotli called a cut stream corrupt, and so did zlib in the first bytes.
        for (body, header) in [
            (gzip(TEXT), "gzip"),
            (zlib(TEXT), "deflate"),
            (TEXT_BR.to_vec(), "br"),
            (zstd(TEXT), "zstd"),
        ] {
            assert!(!undone(&body, header).is_cut, "{header}");
            for length in 4..body.len() {
                let cut = undone(&body[..length], header);
                assert!(TEXT.starts_with(&cut.bytes), "{header} {length}");
                assert!(cut.is_cut, "{header} {length}: {:?}", cut.stopped);
            }
        }
        let stacked = zstd(&gzip(TEXT));
        assert!(undone(&stacked[..stacked.len() - 5], "gzip, zstd").is_cut);
        let mut broken = TEXT_BR.to_vec();
        broken[0] ^= 0xff;
        let broken = undone(&broken, "br");
        assert!(broken.stopped.is_some() && !broken.is_cut, "{broken:?}");
    }

    #[test]
    fn a_wrong_checksum_keeps_the_text_and_says_so() {
        let mut body = gzip(TEXT);
        let at = body.len() - 6;
        body[at] ^= 1;
        let decoding = undone(&body, "gzip");
        assert_eq!(decoding.bytes, TEXT);
        assert!(!decoding.is_cut);
        assert!(decoding.stopped.unwrap().starts_with("corrupt gzip"));
    }

    #[test]
    fn a_bomb_costs_its_bound() {
        let zeros = vec![0_u8; 64 * 1024 * 1024];
        let limits = FetchLimits::default();
        for (body, header) in [
            (gzip(&zeros), "gzip"),
            (zlib(&zeros), "deflate"),
            (ZEROS_BR.to_vec(), "br"),
            (zstd(&zeros), "zstd"),
            (gzip(&gzip(&zeros)), "gzip, gzip"),
        ] {
            let decoding = decode(&body, std::iter::once(header), &limits);
            let cap = (body.len() as u64 * u64::from(limits.ratio_max)).max(RATIO_FREE_BYTES);
            let cap = cap.min(limits.decoded_bytes_max);
            if header == "gzip, gzip" {
                assert!(decoding.bytes.len() as u64 <= limits.decoded_bytes_max);
            } else {
                assert_eq!(decoding.bytes.len() as u64, cap, "{header}");
            }
            assert!(decoding.stopped.unwrap().starts_with("bomb"), "{header}");
        }
    }

    #[test]
    fn an_unknown_coding_is_named_and_its_bytes_kept() {
        let decoding = undone(TEXT, "compress");
        assert_eq!(decoding.bytes, TEXT);
        assert_eq!(
            decoding.stopped.as_deref(),
            Some("unknown content coding \"compress\"")
        );
    }

    proptest! {
        #[test]
        fn no_stream_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            for header in ["gzip", "deflate", "br", "zstd", "br, gzip"] {
                undone(&bytes, header);
            }
        }
    }
}
