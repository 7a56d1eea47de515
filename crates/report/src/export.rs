//! Rows for other programs: what happened, page by page, as JSON lines or CSV.
//!
//! Rows are written as the records are read, so an export of any size takes little memory and
//! also works on the journal of a crawl that runs. Some facts about a page come after its record:
//! it was put back into the queue, or lost its place in the index to a better copy. These
//! are rare, and known from a first pass over the records (`amendments.rs`).
//!
//! A kind of row has a file with its columns, each declared once: see `columns.rs`.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use archive::{BodyRef, Event, Record};
use outcome::LinkFate;

mod amendments;
mod changes;
mod clusters;
mod columns;
mod fetches;
mod hosts;
mod links;
mod pages;
mod sink;
mod values;

use amendments::Amendments;
use clusters::Clusters;
use fetches::Fetches;
use links::LinkRow;
use pages::{JunkRow, PageRow};
use sink::Sink;

pub use columns::{Column, Table};

use crate::changes::Changes;
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
    /// Pages that are not what they were.
    Changes,
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
    known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is none of {}", self.name, self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

impl What {
    /// All kinds, in the order of the documentation.
    pub const ALL: [What; 8] = [
        What::Fetches,
        What::Pages,
        What::Indexed,
        What::Junk,
        What::Clusters,
        What::Links,
        What::Hosts,
        What::Changes,
    ];

    /// The names of all kinds, in the same order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        What::ALL.into_iter().map(|what| what.table().name)
    }

    /// The columns of its rows.
    pub fn table(self) -> &'static Table {
        match self {
            What::Fetches => &fetches::FETCHES,
            What::Pages => &pages::PAGES,
            What::Indexed => &pages::INDEXED,
            What::Junk => &pages::JUNK,
            What::Clusters => &clusters::CLUSTERS,
            What::Links => &links::LINKS,
            What::Hosts => &hosts::HOSTS,
            What::Changes => &changes::CHANGES,
        }
    }
}

impl FromStr for What {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<What, UnknownName> {
        let found = What::ALL.into_iter().find(|what| what.table().name == name);
        found.ok_or_else(|| unknown(name, What::names()))
    }
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Format, UnknownName> {
        match name {
            "jsonl" => Ok(Format::Jsonl),
            "csv" => Ok(Format::Csv),
            _ => Err(unknown(name, ["jsonl", "csv"])),
        }
    }
}

fn unknown(name: &str, known: impl IntoIterator<Item = &'static str>) -> UnknownName {
    UnknownName {
        name: name.to_owned(),
        known: known.into_iter().collect(),
    }
}

/// What each export holds, in Markdown: `docs/exports.md`.
pub fn documentation() -> String {
    columns::documentation(&What::ALL.map(What::table))
}

/// The guess at the source of the cluster that a page belongs to, kept or dropped, by its record
/// number; none for a page without duplicates. `records` is called twice, as by [`export`].
pub fn original_of<I: Iterator<Item = Record>>(
    mut records: impl FnMut() -> I,
    page: u64,
) -> Option<Original> {
    let amendments = Amendments::of(records());
    let mut clusters = Clusters::default();
    let known = records().take_while(|record| record.seq <= amendments.last_seq);
    known.for_each(|record| clusters.add(&record, &amendments));
    clusters.original(amendments.representative(page))
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
    let amendments = Amendments::of(records());
    let mut sink = Sink::begin(what.table(), format, out)?;
    let known = records().take_while(|record| record.seq <= amendments.last_seq);
    match what {
        What::Clusters | What::Links | What::Pages | What::Indexed | What::Junk => {
            rows_of_pages(what, known.map(as_it_is_now), &amendments, text, &mut sink)?;
        }
        What::Fetches => {
            let mut fetches = Fetches::default();
            for record in known {
                sink.rows(fetches.add(&record))?;
            }
            sink.rows(fetches.rest())?;
        }
        What::Changes => {
            let mut found = Changes::since(Some(0));
            known.for_each(|record| found.add(&record));
            sink.rows(found.rows(text).map(|row| changes::change(&row)))?;
        }
        What::Hosts => {
            let mut tally = crate::Tally::new();
            known.for_each(|record| tally.add(&record));
            sink.rows(tally.report("").hosts.iter().map(hosts::host))?;
        }
    }
    sink.end()
}

/// A visit that gave a page another version, as the record of that version.
fn as_it_is_now(record: Record) -> Record {
    match record.event {
        Event::Visit(ref visit) => match visit.as_page() {
            Some(page) => Record {
                event: Event::Page(Box::new(page)),
                ..record
            },
            None => record,
        },
        _ => record,
    }
}

fn rows_of_pages(
    what: What,
    known: impl Iterator<Item = Record>,
    amendments: &Amendments,
    text: &dyn Fn(&BodyRef) -> Option<String>,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    match what {
        What::Clusters => {
            let mut clusters = Clusters::default();
            known.for_each(|record| clusters.add(&record, amendments));
            sink.rows(clusters.rows())
        }
        What::Links => {
            for record in known {
                if let Event::Page(page) = &record.event {
                    let from = page.url.as_str();
                    let rows = page.links.iter().map(|link| LinkRow { from, link });
                    sink.rows(rows.map(|row| links::link(&row)))?;
                }
            }
            Ok(())
        }
        What::Pages | What::Indexed | What::Junk | What::Fetches | What::Hosts | What::Changes => {
            pages(what, known, amendments, text, sink)
        }
    }
}

/// Writes the rows about finished URLs.
fn pages(
    what: What,
    records: impl Iterator<Item = Record>,
    amendments: &Amendments,
    text: &dyn Fn(&BodyRef) -> Option<String>,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let mut names = HashMap::new();
    for record in records {
        let Event::Page(page) = &record.event else {
            continue;
        };
        if what == What::Pages && page.links.iter().any(|link| link.fate == LinkFate::New) {
            names.insert(record.seq, page.url.clone());
        }
        let Some(page) = amendments.page(record.seq, page) else {
            continue;
        };
        let row = PageRow {
            seq: record.seq,
            at_ms: record.at_ms,
            record: &page,
            names: &names,
            text,
        };
        sink.rows(match what {
            What::Junk => JunkRow::of(row).map(|row| pages::junk(&row)),
            What::Indexed => row.is_kept().then(|| pages::indexed(&row)),
            What::Pages
            | What::Fetches
            | What::Clusters
            | What::Links
            | What::Hosts
            | What::Changes => Some(pages::page(&row)),
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
