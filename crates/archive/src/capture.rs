//! What other programs ask of an archived response without its body, and texts written for them.
//!
//! An index of captures (CDXJ) names each response with its type, status and digest; a file of texts
//! (WET) has a `conversion` record for each page. Both are made from the archive one record at a time.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use crate::ArchiveError;
use crate::body::{broken, member, parse, split_http};
use crate::http;
use crate::layout::Kind;
use crate::member::{Packer, Packing};
use crate::record::BodyRef;
use crate::response::{base32, payload_sha1};
use crate::warc::{END, HeadWriter};

impl BodyRef {
    /// The name of its file in the archive: `00001.warc.gz`.
    pub fn file_name(&self) -> String {
        Kind::Bodies.file_name(self.file)
    }
}

/// An archived response without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// The record's id: `<urn:uuid:…>`.
    pub record_id: String,
    /// When it was asked for: `2026-11-21T10:25:03.120Z`.
    pub date: String,
    /// The body stands with another record that has the same.
    pub is_revisit: bool,
    /// SHA-1 of the payload in base32, as WARC tools compare it.
    pub digest: String,
    /// `Content-Type` without parameters; empty where there was none.
    pub content_type: String,
    /// HTTP status; 0 where the answer cannot be read.
    pub status: u16,
}

/// Reads what is said of an archived response.
///
/// # Errors
/// When it is not there or damaged.
pub fn read_capture(dir: &Path, place: &BodyRef) -> Result<Capture, ArchiveError> {
    let record = member(dir, place)?;
    let parsed = parse(dir, place, &record)?;
    let field = |name| parsed.field(name).unwrap_or_default().to_owned();
    let is_revisit = parsed.warc_type() == "revisit";
    if !is_revisit && parsed.warc_type() != "response" {
        return Err(broken(dir, place, "it is not a response"));
    }
    let (head, _) = split_http(parsed.block);
    let status = head.split(|&byte| byte == b' ').nth(1);
    let status = status.and_then(|digits| std::str::from_utf8(digits).ok());
    let mut fields = http::fields(head);
    let content_type = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let content_type = content_type.map(|(_, value)| String::from_utf8_lossy(value).into_owned());
    let essence = content_type
        .as_deref()
        .unwrap_or_default()
        .split(';')
        .next();
    let digest = field("WARC-Payload-Digest");
    Ok(Capture {
        record_id: field("WARC-Record-ID"),
        date: field("WARC-Date"),
        is_revisit,
        digest: digest.strip_prefix("sha1:").unwrap_or(&digest).to_owned(),
        content_type: essence.unwrap_or_default().trim().to_ascii_lowercase(),
        status: status
            .and_then(|digits| digits.trim().parse().ok())
            .unwrap_or(0),
    })
}

/// A page's text for a file of texts.
#[derive(Debug, Clone, Copy)]
pub struct TextOfPage<'t> {
    /// The page.
    pub url: &'t str,
    /// When it was asked for, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The id of the response that it was made from, where that is archived.
    pub response: Option<&'t str>,
    /// Its language; empty where that is unknown.
    pub lang: &'t str,
    /// The text.
    pub text: &'t str,
}

/// Writes texts as `conversion` records of a WARC file (WET), each a gzip member.
#[derive(Debug)]
pub struct WetWriter {
    packer: Packer,
    head: HeadWriter,
    member: Vec<u8>,
}

impl Default for WetWriter {
    fn default() -> WetWriter {
        WetWriter {
            packer: Packer::new(),
            head: HeadWriter::default(),
            member: Vec::new(),
        }
    }
}

impl WetWriter {
    /// The record that begins a file: who wrote it, and when.
    pub fn begin(&mut self, software: &str, at_ms: u64) -> &[u8] {
        let fields = format!("software: {software}\r\nformat: WARC File Format 1.1\r\n");
        let id = xxh3_128(format!("warcinfo {at_ms} {software}").as_bytes());
        let head = self.head.begin("warcinfo", id, at_ms);
        head.field("Content-Type", "application/warc-fields");
        self.pack(fields.as_bytes())
    }

    /// The record of a page's text.
    pub fn text(&mut self, page: &TextOfPage<'_>) -> &[u8] {
        let bytes = page.text.as_bytes();
        let digest = base32(&payload_sha1(bytes));
        let id = xxh3_128(format!("{} {} {digest}", page.at_ms, page.url).as_bytes());
        let head = self.head.begin("conversion", id, page.at_ms);
        head.field("WARC-Target-URI", page.url);
        if let Some(response) = page.response.filter(|id| !id.is_empty()) {
            head.field("WARC-Refers-To", response);
        }
        head.show("WARC-Block-Digest", format_args!("sha1:{digest}"));
        if !page.lang.is_empty() {
            head.field("WARC-Identified-Content-Language", page.lang);
        }
        head.field("Content-Type", "text/plain; charset=utf-8");
        self.pack(bytes)
    }

    fn pack(&mut self, block: &[u8]) -> &[u8] {
        self.member.clear();
        let head = self.head.end(block.len());
        let parts = [head, block, END];
        self.packer.pack(Packing::Fast, &parts, &mut self.member);
        &self.member
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WarcReader;

    #[test]
    fn texts_are_read_back_as_conversion_records() {
        let mut writer = WetWriter::default();
        let mut file = writer.begin("tamis", 1_700_000_000_000).to_vec();
        let long = "数据库 ".repeat(1_000);
        for text in ["", "one line", &long] {
            let page = TextOfPage {
                url: "http://a.example/\r\nx",
                at_ms: 1_700_000_000_120,
                response: Some("<urn:uuid:1>"),
                lang: "zh",
                text,
            };
            file.extend_from_slice(writer.text(&page));
        }
        let unpacked = flate2::read::MultiGzDecoder::new(&file[..]);
        let mut reader = WarcReader::new(std::io::BufReader::new(unpacked));
        let mut seen = Vec::new();
        while let Some(record) = reader.record(|_| true).expect("a WARC file") {
            seen.push(record);
        }
        let types: Vec<&str> = seen.iter().map(|record| record.head.warc_type()).collect();
        assert_eq!(
            types,
            ["warcinfo", "conversion", "conversion", "conversion"]
        );
        assert_eq!(seen[3].block.as_deref(), Some(long.as_bytes()));
        assert_eq!(seen[3].head.target_uri(), Some("http://a.example/x"));
        let ids = seen
            .iter()
            .map(|record| record.head.field("warc-record-id"));
        assert_eq!(ids.collect::<std::collections::BTreeSet<_>>().len(), 4);
    }
}
