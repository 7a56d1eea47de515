//! Reading a tag's attributes, from the end of its name to its `>`.
//!
//! Source: WHATWG HTML, §13.2.5.32 to §13.2.5.40.

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, ns};

use super::Tokenizer;
use super::char_references::ReferenceContext;

/// A tag's attributes, and where it ends.
pub(super) struct TagAttributes {
    pub attributes: Vec<Attribute>,
    pub had_duplicates: bool,
    pub is_self_closing: bool,
    /// One past its `>`, if it has one.
    pub end: Option<usize>,
}

impl Tokenizer<'_> {
    /// Reads the attributes of a start tag from the end of its name; keeps at most so many.
    pub(super) fn attributes(&mut self, name_end: usize, attributes_max: usize) -> TagAttributes {
        let mut kept = std::mem::take(&mut self.attributes);
        let mut had_duplicates = false;
        let mut count = 0;
        let mut scanner = AttributeScanner::from(self.html, name_end);
        while let Some((name, value)) = scanner.attribute() {
            count += 1;
            if count > attributes_max {
                continue;
            }
            let name = self.names.atom(&self.html[name.0..name.1]);
            if kept
                .iter()
                .any(|other: &Attribute| other.name.local == name)
            {
                had_duplicates = true;
                continue;
            }
            let value = match value {
                Some((start, end)) => self.resolved(start, end, ReferenceContext::Attribute),
                None => StrTendril::new(),
            };
            kept.push(Attribute {
                name: QualName::new(None, ns!(), name),
                value,
            });
        }
        self.note_attributes(count, attributes_max);
        // The tree keeps a vector of exact size; the larger one is reused.
        let mut attributes = Vec::with_capacity(kept.len());
        attributes.append(&mut kept);
        self.attributes = kept;
        TagAttributes {
            attributes,
            had_duplicates,
            is_self_closing: scanner.slash_before_end,
            end: scanner.end(),
        }
    }

    /// Where an end tag ends. Its attributes are ignored.
    pub(super) fn end_tag_end(&self, name_end: usize) -> Option<usize> {
        let mut scanner = AttributeScanner::from(self.html, name_end);
        while scanner.attribute().is_some() {}
        scanner.end()
    }
}

/// Scans the attributes of a tag one by one.
struct AttributeScanner<'h> {
    bytes: &'h [u8],
    at: usize,
    /// Whether the last byte scanned is a slash outside of a value.
    slash_before_end: bool,
}

/// The byte range of a name or value.
type Extent = (usize, usize);

impl<'h> AttributeScanner<'h> {
    fn from(html: &'h str, at: usize) -> AttributeScanner<'h> {
        AttributeScanner {
            bytes: html.as_bytes(),
            at,
            slash_before_end: false,
        }
    }

    /// The next attribute's name, and its value if it has one; `None` at the tag's end.
    fn attribute(&mut self) -> Option<(Extent, Option<Extent>)> {
        let before = self.at;
        self.skip(|byte| is_space(byte) || byte == b'/');
        self.slash_before_end = self.at > before && self.bytes[self.at - 1] == b'/';
        if self.bytes.get(self.at).is_none_or(|&byte| byte == b'>') {
            return None;
        }
        let start = self.at;
        // An equals sign at the start is part of the name.
        self.at += 1;
        self.skip(|byte| !ends_name(byte) && byte != b'=');
        let name = (start, self.at);
        self.skip(is_space);
        if self.bytes.get(self.at) != Some(&b'=') {
            return Some((name, None));
        }
        self.at += 1;
        self.skip(is_space);
        let value = match self.bytes.get(self.at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let start = self.at + 1;
                let rest = &self.bytes[start..];
                let length = memchr::memchr(quote, rest);
                self.at = start + length.map_or(rest.len(), |length| length + 1);
                (start, start + length.unwrap_or(rest.len()))
            }
            _ => {
                let start = self.at;
                self.skip(|byte| !is_space(byte) && byte != b'>');
                (start, self.at)
            }
        };
        Some((name, Some(value)))
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| !wanted(byte));
        self.at += length.unwrap_or(rest.len());
    }

    /// One past the `>` that the scan has reached; `None` where the page ends within the tag.
    fn end(&self) -> Option<usize> {
        (self.at < self.bytes.len()).then_some(self.at + 1)
    }
}

pub(super) fn ends_name(byte: u8) -> bool {
    is_space(byte) || byte == b'/' || byte == b'>'
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b' ')
}
