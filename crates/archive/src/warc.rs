//! WARC 1.1 record heads, written and read.
//!
//! We write the named fields of ISO 28500:2017, and two of our own that other readers ignore. Both
//! stand in journal records. With them the next start can repair the end of the files after a crash:
//!
//! * `Tamis-Synced`: everything before this journal position was on the disk when this record was
//!   written. An unreadable stretch before it is damage; one after it may be a torn write.
//! * `Tamis-Bodies`: where the body files ended when this record was written. What lies beyond the value
//!   of the last record belongs to no record.

use std::fmt::Write;
use std::ops::Range;

use time::OffsetDateTime;

use crate::Position;

/// The end of a WARC record, after its block.
pub(crate) const END: &[u8] = b"\r\n\r\n";

/// Writes the head of one record. Control characters are left out of values: a WARC field cannot hold
/// them, and a hostile server may send them.
#[derive(Debug, Default)]
pub(crate) struct HeadWriter {
    text: String,
}

impl HeadWriter {
    /// Begins a record of this type.
    pub(crate) fn begin(&mut self, warc_type: &str, id: u128, at_ms: u64) -> &mut HeadWriter {
        self.text.clear();
        self.text.push_str("WARC/1.1\r\nWARC-Type: ");
        self.text.push_str(warc_type);
        self.text.push_str("\r\nWARC-Record-ID: ");
        push_id(&mut self.text, id);
        self.text.push_str("\r\nWARC-Date: ");
        push_date(&mut self.text, at_ms);
        self.text.push_str("\r\n");
        self
    }

    /// Adds a field.
    pub(crate) fn field(&mut self, name: &str, value: &str) -> &mut HeadWriter {
        self.text.push_str(name);
        self.text.push_str(": ");
        if value.bytes().any(|byte| byte.is_ascii_control()) {
            let clean = value.chars().filter(|character| !character.is_control());
            self.text.extend(clean);
        } else {
            self.text.push_str(value);
        }
        self.text.push_str("\r\n");
        self
    }

    /// Adds a field that names another record.
    pub(crate) fn id(&mut self, name: &str, id: u128) -> &mut HeadWriter {
        self.text.push_str(name);
        self.text.push_str(": ");
        push_id(&mut self.text, id);
        self.text.push_str("\r\n");
        self
    }

    /// Adds a field whose value has no control characters when it is displayed.
    pub(crate) fn show(&mut self, name: &str, value: impl std::fmt::Display) -> &mut HeadWriter {
        write!(self.text, "{name}: {value}\r\n").expect("a String takes any text");
        self
    }

    /// Ends the head; the block follows it.
    pub(crate) fn end(&mut self, content_length: usize) -> &[u8] {
        write!(self.text, "Content-Length: {content_length}\r\n\r\n")
            .expect("a String takes any text");
        self.text.as_bytes()
    }
}

fn push_id(text: &mut String, id: u128) {
    // A version 8 UUID (RFC 9562 §5.8): our own bits, apart from version and variant.
    let id = id & !(0xf << 76) | (8 << 76);
    let id = id & !(0x3 << 62) | (2 << 62);
    let (a, b, c, d, e) = (
        (id >> 96) as u32,
        (id >> 80) as u16,
        (id >> 64) as u16,
        (id >> 48) as u16,
        id as u64 & 0xffff_ffff_ffff,
    );
    write!(text, "<urn:uuid:{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}>")
        .expect("a String takes any text");
}

/// WARC-Date: milliseconds are kept where there are any (WARC 1.1 allows fractions).
fn push_date(text: &mut String, at_ms: u64) {
    let seconds = i64::try_from(at_ms / 1000).unwrap_or(i64::MAX);
    let date = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    write!(
        text,
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        date.year(),
        u8::from(date.month()),
        date.day(),
        date.hour(),
        date.minute(),
        date.second()
    )
    .expect("a String takes any text");
    let milliseconds = at_ms % 1000;
    if milliseconds != 0 {
        write!(text, ".{milliseconds:03}").expect("a String takes any text");
    }
    text.push('Z');
}

/// A record in its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parsed<'r> {
    head: &'r str,
    /// The block.
    pub(crate) block: &'r [u8],
}

impl<'r> Parsed<'r> {
    /// Parses a record; `None` when it is no WARC record or its length is wrong.
    pub(crate) fn new(record: &'r [u8]) -> Option<Parsed<'r>> {
        if !record.starts_with(b"WARC/1.") {
            return None;
        }
        let head_bytes = find(record, HEAD_END)?;
        let head = std::str::from_utf8(&record[..head_bytes]).ok()?;
        let block = record.get(head_bytes + 4..)?.strip_suffix(END)?;
        let parsed = Parsed { head, block };
        let length: usize = parsed.field("Content-Length")?.parse().ok()?;
        (length == block.len()).then_some(parsed)
    }

    /// Parses the head of a record of which only the beginning is there; its block is empty.
    pub(crate) fn head(beginning: &'r [u8]) -> Option<Parsed<'r>> {
        if !beginning.starts_with(b"WARC/1.") {
            return None;
        }
        let head_bytes = find(beginning, HEAD_END)?;
        let head = std::str::from_utf8(&beginning[..head_bytes]).ok()?;
        Some(Parsed { head, block: &[] })
    }

    /// Where the block stands in the record, of which this was made.
    pub(crate) fn block_in(&self, record: &[u8]) -> Range<usize> {
        let end = record.len() - END.len();
        end - self.block.len()..end
    }

    /// The value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<&'r str> {
        // One byte is found faster than two; what stands before it is trimmed.
        let mut fields = self.head.split('\n').skip(1).filter_map(field_of);
        fields.find_map(|(field, value)| field.eq_ignore_ascii_case(name).then_some(value))
    }

    /// The value of `WARC-Type`.
    pub(crate) fn warc_type(&self) -> &'r str {
        self.field("WARC-Type").unwrap_or_default()
    }

    /// The value of a field that holds a journal position.
    pub(crate) fn position(&self, name: &str) -> Option<Position> {
        self.field(name)?.parse().ok()
    }
}

/// Name and value of a head's line, trimmed; `None` for a line that is no field.
pub(crate) fn field_of(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    Some((name.trim(), value.trim()))
}

/// What ends the head of a record.
pub(crate) const HEAD_END: &[u8] = b"\r\n\r\n";

/// Where `needle` first stands in `bytes`.
pub(crate) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_written_and_read() {
        let mut head = HeadWriter::default();
        let mut record = head
            .begin("metadata", u128::MAX, 1_700_000_000_123)
            .field("WARC-Target-URI", "http://a.example/\r\nX: injected")
            .show("Tamis-Synced", Position::new(2, 3))
            .end(2)
            .to_vec();
        record.extend_from_slice(b"{}");
        record.extend_from_slice(END);
        let parsed = Parsed::new(&record).unwrap();
        assert_eq!(parsed.block, b"{}");
        assert_eq!(parsed.warc_type(), "metadata");
        assert_eq!(parsed.field("warc-date"), Some("2023-11-14T22:13:20.123Z"));
        assert_eq!(parsed.field("X"), None);
        assert_eq!(parsed.position("Tamis-Synced"), Some(Position::new(2, 3)));
        assert_eq!(
            parsed.field("WARC-Record-ID"),
            Some("<urn:uuid:ffffffff-ffff-8fff-bfff-ffffffffffff>")
        );
    }

    #[test]
    fn a_record_of_a_wrong_length_is_none() {
        let mut record = HeadWriter::default()
            .begin("metadata", 1, 0)
            .end(3)
            .to_vec();
        record.extend_from_slice(b"{}\r\n\r\n");
        assert_eq!(Parsed::new(&record), None);
        assert_eq!(Parsed::new(b"WARC/1.1\r\n"), None);
        assert_eq!(Parsed::new(b""), None);
    }
}
