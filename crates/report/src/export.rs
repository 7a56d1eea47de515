//! Rows for other programs: what happened, page by page, as JSON lines or CSV.
//!
//! Rows are written as the records are read, so an export of any size takes little memory and
//! also works on the journal of a crawl that runs. Some facts about a page come after its record:
//! it was put back into the queue, or lost its place in the index to a better copy. These
//! are rare, and known from a first pass over the records (`later.rs`).

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use archive::{BodyRef, Event, Record};
use outcome::LinkFate;
use serde_json::{Map, Value};

mod fetches;
mod later;
mod rows;

use fetches::Fetches;
use later::Later;

use crate::original::Original;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Fetches of pages, in the order made.
    Fetches,
    /// Finished URLs.
    Pages,
    /// Kept pages, with their texts.
    Indexed,
    /// Dropped pages.
    Junk,
    /// Kept pages that have duplicates, with these.
    Clusters,
    /// Links as found.
    Links,
    /// Hosts.
    Hosts,
}

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object a line.
    Jsonl,
    /// RFC 4180, with a line of headings; nested values as JSON.
    Csv,
}

/// A name that stands for no kind of row or no format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    name: String,
    known: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is none of {}", self.name, self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

impl What {
    /// All kinds, by name, in the order of the documentation.
    pub const NAMES: &[&str] = &[
        "fetches", "pages", "indexed", "junk", "clusters", "links", "hosts",
    ];

    /// The keys of a row, in order.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            What::Fetches => &[
                "seq",
                "url",
                "at",
                "status",
                "bytes",
                "ms",
                "attempt",
                "error",
                "redirect_to",
                "record",
            ],
            What::Pages => &[
                "url",
                "outcome",
                "status",
                "verdict",
                "reason",
                "depth",
                "via",
                "relevance",
                "fingerprint",
                "lang",
                "charset",
                "title",
                "words",
                "links",
                "fetched_at",
                "page",
            ],
            What::Indexed => &[
                "url",
                "title",
                "text",
                "lang",
                "author",
                "published",
                "fingerprint",
                "relevance",
                "fetched_at",
                "page",
            ],
            What::Junk => &[
                "url",
                "reason",
                "dup_of",
                "distance",
                "overlap",
                "kind",
                "relevance",
                "words",
                "fetched_at",
                "page",
            ],
            What::Clusters => &["representative", "members", "original", "original_because"],
            What::Links => &["from", "to", "anchor", "rel", "promise", "fate"],
            What::Hosts => &[
                "host",
                "pages",
                "indexed",
                "duplicates",
                "off_topic",
                "errors",
                "bytes",
                "robots",
                "delay_s",
                "avg_ms",
                "state",
                "pending",
                "admitted",
            ],
        }
    }
}

impl FromStr for What {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<What, UnknownName> {
        Ok(match name {
            "fetches" => What::Fetches,
            "pages" => What::Pages,
            "indexed" => What::Indexed,
            "junk" => What::Junk,
            "clusters" => What::Clusters,
            "links" => What::Links,
            "hosts" => What::Hosts,
            _ => return Err(unknown(name, What::NAMES)),
        })
    }
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Format, UnknownName> {
        match name {
            "jsonl" => Ok(Format::Jsonl),
            "csv" => Ok(Format::Csv),
            _ => Err(unknown(name, &["jsonl", "csv"])),
        }
    }
}

fn unknown(name: &str, known: &'static [&'static str]) -> UnknownName {
    UnknownName {
        name: name.to_owned(),
        known,
    }
}

/// The guess at the source of the cluster that a page belongs to, kept or dropped, by its record
/// number; none for a page without duplicates. `records` is called twice, as by [`export`].
pub fn original_of<I: Iterator<Item = Record>>(
    mut records: impl FnMut() -> I,
    page: u64,
) -> Option<Original> {
    let later = Later::of(records());
    let mut clusters = rows::Clusters::default();
    let known = records().take_while(|record| record.seq <= later.last_seq);
    known.for_each(|record| clusters.add(&record, &later));
    clusters.original(later.representative(page))
}

/// Writes the rows and says how many there were.
///
/// `records` gives the journal from its beginning each time it is called: it is called twice, and
/// records that the second pass has more of than the first are left for the next export. `text`
/// reads an archived text.
///
/// # Errors
/// When `out` cannot be written.
pub fn export<I: Iterator<Item = Record>>(
    what: What,
    format: Format,
    mut records: impl FnMut() -> I,
    text: &dyn Fn(&BodyRef) -> Option<String>,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let later = Later::of(records());
    let mut sink = Sink::begin(what, format, out)?;
    let known = records().take_while(|record| record.seq <= later.last_seq);
    match what {
        What::Fetches => {
            let mut fetches = Fetches::default();
            for record in known {
                for row in fetches.add(&record) {
                    sink.row(row)?;
                }
            }
            for row in fetches.rest() {
                sink.row(row)?;
            }
        }
        What::Hosts => {
            let mut tally = crate::Tally::new();
            known.for_each(|record| tally.add(&record));
            for host in &tally.report("").hosts {
                sink.row(rows::host_row(host))?;
            }
        }
        What::Clusters => {
            let mut clusters = rows::Clusters::default();
            known.for_each(|record| clusters.add(&record, &later));
            for row in clusters.rows() {
                sink.row(row)?;
            }
        }
        What::Pages | What::Indexed | What::Junk | What::Links => {
            let mut names = HashMap::new();
            for record in known {
                let Event::Page(page) = &record.event else {
                    continue;
                };
                if what == What::Links {
                    for link in &page.links {
                        sink.row(rows::link(&page.url, link))?;
                    }
                    continue;
                }
                if what == What::Pages && page.links.iter().any(|link| link.fate == LinkFate::New) {
                    names.insert(record.seq, page.url.clone());
                }
                let Some(page) = later.page(record.seq, page) else {
                    continue;
                };
                let (seq, at) = (record.seq, record.at_ms);
                let row = match what {
                    What::Pages => Some(rows::page(seq, at, &page, &names)),
                    What::Indexed => rows::indexed(seq, at, &page, text),
                    _ => rows::junk(seq, at, &page),
                };
                if let Some(row) = row {
                    sink.row(row)?;
                }
            }
        }
    }
    sink.end()
}

/// A row before it is written: values in the order of [`What::keys`].
type Row = Vec<Value>;

struct Sink<'o> {
    keys: &'static [&'static str],
    format: Format,
    out: &'o mut dyn Write,
    rows: u64,
}

impl<'o> Sink<'o> {
    fn begin(what: What, format: Format, out: &'o mut dyn Write) -> io::Result<Sink<'o>> {
        let keys = what.keys();
        if format == Format::Csv {
            out.write_all(keys.join(",").as_bytes())?;
            out.write_all(b"\r\n")?;
        }
        Ok(Sink {
            keys,
            format,
            out,
            rows: 0,
        })
    }

    fn row(&mut self, row: Row) -> io::Result<()> {
        debug_assert_eq!(row.len(), self.keys.len());
        self.rows += 1;
        match self.format {
            Format::Jsonl => {
                let keys = self.keys.iter().map(|key| (*key).to_owned());
                let object: Map<String, Value> = keys.zip(row).collect();
                serde_json::to_writer(&mut *self.out, &object)?;
                self.out.write_all(b"\n")
            }
            Format::Csv => {
                let cells: Vec<String> = row.iter().map(csv_cell).collect();
                self.out.write_all(cells.join(",").as_bytes())?;
                self.out.write_all(b"\r\n")
            }
        }
    }

    fn end(self) -> io::Result<u64> {
        self.out.flush()?;
        Ok(self.rows)
    }
}

/// RFC 4180 §2: quoted where it must be, quotes doubled. A text of the web may be made to be a
/// formula where a spreadsheet opens it, so one that begins like a formula gets a `'` before it;
/// control characters other than line ends and tabs become spaces. JSONL has every text as it is.
fn csv_cell(value: &Value) -> String {
    let text = match value {
        Value::Null => return String::new(),
        Value::String(text) => {
            let harmless = |c: char| {
                if c.is_control() && !matches!(c, '\n' | '\t') {
                    ' '
                } else {
                    c
                }
            };
            let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
            let lead = if formula { "'" } else { "" };
            lead.chars().chain(text.chars().map(harmless)).collect()
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    };
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests;
