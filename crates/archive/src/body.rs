//! Reads bodies and texts by their place in the archive.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::ArchiveError;
use crate::http;
use crate::layout::Kind;
use crate::member::{Broken, MEMBER_BYTES_MAX, Unpacker};
use crate::record::BodyRef;
use crate::warc::{HEAD_END, Parsed, find};

/// Our field in a revisit record: `file:offset:len` of the record that holds the payload.
pub(crate) const PAYLOAD_FIELD: &str = "Tamis-Payload";

/// Bytes that are read and unpacked at first for a record's head, of which a head of ours has some 700, and
/// for the longest: URLs are bounded, and there are at most two.
const HEAD_BYTES: [usize; 2] = [1024, 32 * 1024];

/// The same for a record's head and an answer's: with a longer one the whole record is read.
const ANSWER_HEAD_BYTES: [usize; 2] = [2048, 32 * 1024];

/// A response from the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// Status line and fields, with the empty line that ends them.
    pub http_head: Vec<u8>,
    /// The body as received, still content-encoded.
    pub body: Vec<u8>,
}

impl Payload {
    /// The value of a field of the head, the first if there are several.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers()
            .find_map(|(field, value)| field.eq_ignore_ascii_case(name).then_some(value))
    }

    /// The fields of the head in order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        http::fields(&self.http_head)
    }
}

/// Reads an archived response, also one whose body is stored with another page's record.
///
/// # Errors
/// When it is not there or damaged.
pub fn read_body(dir: &Path, place: &BodyRef) -> Result<Payload, ArchiveError> {
    let record = member(dir, place)?;
    let parsed = parse(dir, place, &record)?;
    let (http_head, body) = split_http(parsed.block);
    let mut payload = Payload {
        http_head: http_head.to_vec(),
        body: body.to_vec(),
    };
    if let Some(original) = parsed.field(PAYLOAD_FIELD) {
        let original = parse_reference(original)
            .ok_or_else(|| broken(dir, place, "it refers to a payload in no known way"))?;
        let record = member(dir, &original)?;
        payload.body = split_http(self::parse(dir, &original, &record)?.block)
            .1
            .to_vec();
    }
    Ok(payload)
}

/// Reads an archived main text.
///
/// # Errors
/// When it is not there or damaged.
pub fn read_text(dir: &Path, place: &BodyRef) -> Result<String, ArchiveError> {
    let record = member(dir, place)?;
    let parsed = parse(dir, place, &record)?;
    if parsed.warc_type() != "conversion" {
        return Err(broken(dir, place, "it is not a text"));
    }
    String::from_utf8(parsed.block.to_vec())
        .map_err(|_| broken(dir, place, "the text is not UTF-8"))
}

/// Reads the record at a place of the body files.
pub(crate) fn member(dir: &Path, place: &BodyRef) -> Result<Vec<u8>, ArchiveError> {
    let path = Kind::Bodies.path(dir, place.file);
    let length = usize::try_from(place.len)
        .ok()
        .filter(|&length| length <= MEMBER_BYTES_MAX)
        .ok_or_else(|| broken(dir, place, "its length is larger than any record"))?;
    let mut file = File::open(&path).map_err(ArchiveError::read(&path))?;
    file.seek(SeekFrom::Start(place.offset))
        .map_err(ArchiveError::read(&path))?;
    let mut bytes = Vec::new();
    file.take(length as u64)
        .read_to_end(&mut bytes)
        .map_err(ArchiveError::read(&path))?;
    let mut record = Vec::new();
    match Unpacker::new().unpack(&bytes, &mut record) {
        Ok(_) => Ok(record),
        Err(Broken::Incomplete) => Err(broken(dir, place, "the record is not whole")),
        Err(Broken::Corrupt(why)) => Err(broken(dir, place, why)),
    }
}

/// Reads heads of body records. The file from which it read last stays open, for they come in numbers.
#[derive(Debug)]
pub struct HeadReader {
    file: Option<(u32, File)>,
    unpacker: Unpacker,
    packed: Vec<u8>,
}

impl Default for HeadReader {
    fn default() -> HeadReader {
        HeadReader {
            file: None,
            unpacker: Unpacker::new(),
            packed: Vec::new(),
        }
    }
}

impl HeadReader {
    /// Reads an archived response without its body: of a large one a small part is read and unpacked. What
    /// the body is may be damaged, and nothing tells.
    ///
    /// # Errors
    /// When it is not there, or its beginning is damaged.
    pub fn read_answer(&mut self, dir: &Path, place: &BodyRef) -> Result<Payload, ArchiveError> {
        let is_enough = |beginning: &[u8]| http_head(beginning).is_some();
        let beginning = self.read_beginning(dir, place, ANSWER_HEAD_BYTES, is_enough)?;
        let http_head = match http_head(&beginning) {
            Some(head) => head.to_vec(),
            None => read_body(dir, place)?.http_head,
        };
        Ok(Payload {
            http_head,
            body: Vec::new(),
        })
    }

    /// Reads the beginning of the record at a place of the body files, which has its head.
    pub(crate) fn read(&mut self, dir: &Path, place: &BodyRef) -> Result<Vec<u8>, ArchiveError> {
        let is_enough = |beginning: &[u8]| find(beginning, HEAD_END).is_some();
        self.read_beginning(dir, place, HEAD_BYTES, is_enough)
    }

    fn read_beginning(
        &mut self,
        dir: &Path,
        place: &BodyRef,
        bytes: [usize; 2],
        is_enough: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<u8>, ArchiveError> {
        let path = Kind::Bodies.path(dir, place.file);
        let file = match &mut self.file {
            Some((number, file)) if *number == place.file => file,
            other => {
                let file = File::open(&path).map_err(ArchiveError::read(&path))?;
                &mut other.insert((place.file, file)).1
            }
        };
        let mut record = Vec::new();
        for wanted in bytes {
            file.seek(SeekFrom::Start(place.offset))
                .map_err(ArchiveError::read(&path))?;
            self.packed.clear();
            file.take(place.len.min(wanted as u64))
                .read_to_end(&mut self.packed)
                .map_err(ArchiveError::read(&path))?;
            let unpacked = self
                .unpacker
                .unpack_beginning(&self.packed, wanted, &mut record);
            match unpacked {
                Ok(()) if is_enough(&record) => break,
                Ok(()) | Err(Broken::Incomplete) => {}
                Err(Broken::Corrupt(why)) => return Err(broken(dir, place, why)),
            }
        }
        Ok(record)
    }
}

/// The head of the HTTP message in a record of which only the beginning is there.
fn http_head(beginning: &[u8]) -> Option<&[u8]> {
    Parsed::head(beginning)?;
    let block = beginning.get(find(beginning, HEAD_END)? + HEAD_END.len()..)?;
    block.get(..http::head_bytes(block)?)
}

pub(crate) fn parse<'r>(
    dir: &Path,
    place: &BodyRef,
    record: &'r [u8],
) -> Result<Parsed<'r>, ArchiveError> {
    Parsed::new(record).ok_or_else(|| broken(dir, place, "the member holds no WARC record"))
}

pub(crate) fn broken(dir: &Path, place: &BodyRef, why: &str) -> ArchiveError {
    ArchiveError::Body {
        path: Kind::Bodies.path(dir, place.file),
        offset: place.offset,
        why: why.to_owned(),
    }
}

/// The head and the body of an HTTP message.
pub(crate) fn split_http(block: &[u8]) -> (&[u8], &[u8]) {
    block.split_at(http::head_bytes(block).unwrap_or(block.len()))
}

/// The place in the value of [`PAYLOAD_FIELD`].
fn parse_reference(text: &str) -> Option<BodyRef> {
    let mut parts = text.split(':');
    let place = BodyRef {
        file: parts.next()?.parse().ok()?,
        offset: parts.next()?.parse().ok()?,
        len: parts.next()?.parse().ok()?,
    };
    parts.next().is_none().then_some(place)
}
