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
use std::path::Path;
use std::str::FromStr;

use archive::{BodyRef, Event, Record, TextOfPage, WetWriter};
use outcome::LinkFate;

mod amendments;
mod broken;
mod cdxj;
mod changes;
mod clusters;
mod columns;
#[cfg(feature = "parquet")]
mod dataset;
mod fetches;
mod filter;
mod folder;
mod hosts;
mod links;
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod request;
mod sink;
mod sorted;
mod values;

use amendments::Amendments;
use clusters::Clusters;
use fetches::Fetches;
use filter::Facets;
use folder::Folder;
use links::LinkRow;
use pages::{JunkRow, PageRow};
use sink::Sink;
use sorted::Sorted;

pub use broken::{BROKEN_ROWS_MAX, BrokenFigures, BrokenLink, BrokenRow, BrokenUrls, KnownLinks};
pub use columns::{Column, Kind, Table};
pub use filter::{Facet, Filter, Meaningless, instant_of};
pub(crate) use pages::repeated;
pub use request::{BadRequest, Format, Reads, Request, TextsOnly};

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
    /// Links that lead nowhere.
    Broken,
    /// Hosts.
    Hosts,
    /// Pages that are not what they were.
    Changes,
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
    pub const ALL: [What; 9] = [
        What::Fetches,
        What::Pages,
        What::Indexed,
        What::Junk,
        What::Clusters,
        What::Links,
        What::Broken,
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
            What::Broken => &broken::BROKEN,
            What::Hosts => &hosts::HOSTS,
            What::Changes => &changes::CHANGES,
        }
    }

    /// What a filter may ask of its rows.
    pub fn facets(self) -> &'static [Facet] {
        use Facet::{Host, Lang, Relevance, Since, Type};
        match self {
            What::Pages | What::Indexed | What::Junk => &[Host, Type, Lang, Since, Relevance],
            What::Fetches | What::Links | What::Broken | What::Changes => &[Host, Since],
            What::Clusters | What::Hosts => &[Host],
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

fn unknown(name: &str, known: impl IntoIterator<Item = &'static str>) -> UnknownName {
    UnknownName {
        name: name.to_owned(),
        known: known.into_iter().collect(),
    }
}

/// A time as a page wrote it, in the form of all times of rows; none where it is none.
pub(crate) fn published(text: &str) -> Option<String> {
    values::moment(text).as_str().map(str::to_owned)
}

/// What each export holds, in Markdown: `docs/exports.md`.
pub fn documentation() -> String {
    columns::documentation(&What::ALL)
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

/// Writes all rows of a kind and says how many there were; as [`export_with`].
///
/// # Errors
/// When `out` cannot be written, or the form is a folder.
pub fn export<I: Iterator<Item = Record>>(
    what: What,
    format: Format,
    records: impl FnMut() -> I,
    text: &dyn Fn(&BodyRef) -> Option<String>,
    out: &mut dyn Write,
) -> io::Result<u64> {
    export_with(&Request::all(what, format), records, &TextsOnly(text), out)
}

/// Writes the rows that are asked for and says how many there were.
///
/// `records` gives the journal from its beginning each time it is called: it is called twice, and
/// records that the second pass has more of than the first are left for the next export.
///
/// # Errors
/// When `out` cannot be written, or the request is one that [`Request::check`] refuses.
pub fn export_with<I: Iterator<Item = Record>>(
    request: &Request,
    mut records: impl FnMut() -> I,
    reads: &dyn Reads,
    out: &mut dyn Write,
) -> io::Result<u64> {
    request.check().map_err(io::Error::other)?;
    match request.format {
        Format::Wet => return wet(request, records, reads, out),
        Format::Cdxj => return captures(request, records, reads, out),
        Format::Markdown => return Err(io::Error::other("Markdown is written to a folder")),
        Format::Jsonl | Format::Csv | Format::Parquet => {}
    }
    let mut sink = Sink::begin(request, out)?;
    if request.what == What::Broken {
        broken_links(request, records, &mut sink)?;
        return sink.end();
    }
    let amendments = Amendments::of(records());
    let known = records().take_while(|record| record.seq <= amendments.last_seq);
    match request.what {
        What::Pages | What::Indexed | What::Junk => {
            each_page(request, known, &amendments, reads, &mut |row| {
                sink.rows(page_row(request.what, row))
            })?;
        }
        What::Clusters | What::Links => of_pages(request, known, &amendments, &mut sink)?,
        What::Fetches | What::Changes | What::Hosts | What::Broken => {
            of_events(request, known, reads, &mut sink)?;
        }
    }
    sink.end()
}

/// Writes kept pages as Markdown files below a folder and says how many there were.
///
/// # Errors
/// When a file cannot be written, or the request is one that [`Request::check`] refuses.
pub fn export_folder<I: Iterator<Item = Record>>(
    request: &Request,
    mut records: impl FnMut() -> I,
    reads: &dyn Reads,
    root: &Path,
) -> io::Result<u64> {
    request.check().map_err(io::Error::other)?;
    let mut folder = Folder::create(root)?;
    let amendments = Amendments::of(records());
    let mut written = 0;
    each_page(request, records(), &amendments, reads, &mut |row| {
        written += u64::from(folder.add(&row, reads)?);
        Ok(())
    })?;
    Ok(written)
}

/// Writes kept pages as a data set below a folder and says how many there were.
///
/// # Errors
/// When a file cannot be written.
#[cfg(feature = "parquet")]
pub fn export_dataset<I: Iterator<Item = Record>>(
    filter: &Filter,
    mut records: impl FnMut() -> I,
    reads: &dyn Reads,
    root: &Path,
) -> io::Result<u64> {
    let request = Request {
        filter: filter.clone(),
        ..Request::all(What::Indexed, Format::Parquet)
    };
    let mut dataset = dataset::Dataset::create(root)?;
    let mut crawl = dataset::Crawl::default();
    let noted = records().inspect(|record| crawl.add(record));
    let amendments = Amendments::of(noted);
    each_page(
        &request,
        records(),
        &amendments,
        reads,
        &mut |row| match &row.record.page {
            Some(summary) => dataset.add(pages::indexed(&row), &row.record.host, summary),
            None => Ok(()),
        },
    )?;
    let report = crawl.report();
    dataset.end(&crawl, &report)
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

/// The rows of clusters and links.
fn of_pages(
    request: &Request,
    known: impl Iterator<Item = Record>,
    amendments: &Amendments,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let mut clusters = Clusters::default();
    for record in known.map(as_it_is_now) {
        if request.what == What::Clusters {
            clusters.add(&record, amendments);
            continue;
        }
        let Event::Page(page) = &record.event else {
            continue;
        };
        let asked = page.fetch.as_ref().map_or(0, |fetch| fetch.started_ms);
        let facets = Facets {
            host: weburl::host_of(&page.url),
            at_ms: if asked == 0 { record.at_ms } else { asked },
            ..Facets::default()
        };
        if request.filter.wants(&facets) {
            let from = page.url.as_str();
            let rows = page.links.iter().map(|link| LinkRow { from, link });
            sink.rows(rows.map(|row| links::link(&row)))?;
        }
    }
    sink.rows(clusters.rows(&request.filter))
}

/// The rows of fetches, changes and hosts.
fn of_events(
    request: &Request,
    known: impl Iterator<Item = Record>,
    reads: &dyn Reads,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let filter = &request.filter;
    match request.what {
        What::Fetches => {
            let wanted = |rows: Vec<fetches::FetchRow>| {
                let wanted = rows.into_iter().filter(|row| filter.wants(&row.facets()));
                wanted.map(|row| fetches::fetch(&row)).collect::<Vec<_>>()
            };
            let mut fetches = Fetches::default();
            for record in known {
                sink.rows(wanted(fetches.add(&record)))?;
            }
            sink.rows(wanted(fetches.rest()))
        }
        What::Changes => {
            let mut found = Changes::since(Some(0));
            known.for_each(|record| found.add(&record));
            let text = |at: &BodyRef| reads.text(at);
            let rows = found.rows(&text);
            let wanted = rows.filter(|row| filter.wants(&changes::facets(row)));
            sink.rows(wanted.map(|row| changes::change(&row)))
        }
        What::Hosts => {
            let mut tally = crate::Tally::new();
            known.for_each(|record| tally.add(&record));
            let facets = |host| Facets {
                host,
                ..Facets::default()
            };
            let rows = tally.report("").hosts;
            let wanted = rows
                .iter()
                .filter(|row| filter.wants(&facets(row.host.as_str())));
            sink.rows(wanted.map(hosts::host))
        }
        What::Pages | What::Indexed | What::Junk | What::Clusters | What::Links | What::Broken => {
            Ok(())
        }
    }
}

/// The rows of broken links.
fn broken_links<I: Iterator<Item = Record>>(
    request: &Request,
    mut records: impl FnMut() -> I,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let mut urls = BrokenUrls::default();
    records().for_each(|record| urls.add(&record));
    for record in records().map(as_it_is_now) {
        let Event::Page(page) = &record.event else {
            continue;
        };
        let found = urls.links(&record, page);
        let wanted = found.iter().filter(|link| {
            request.filter.wants(&Facets {
                host: weburl::host_of(link.page),
                at_ms: link.first_ms,
                ..Facets::default()
            })
        });
        sink.rows(wanted.map(broken::broken))?;
    }
    Ok(())
}

/// Gives each wanted page as it stands at the end.
fn each_page(
    request: &Request,
    records: impl Iterator<Item = Record>,
    amendments: &Amendments,
    reads: &dyn Reads,
    give: &mut dyn FnMut(PageRow<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut names = HashMap::new();
    let known = records.take_while(|record| record.seq <= amendments.last_seq);
    for record in known.map(as_it_is_now) {
        let Event::Page(page) = &record.event else {
            continue;
        };
        let is_named = request.what == What::Pages && request.format != Format::Cdxj;
        if is_named && page.links.iter().any(|link| link.fate == LinkFate::New) {
            names.insert(record.seq, page.url.clone());
        }
        let Some(page) = amendments.page(record.seq, page) else {
            continue;
        };
        let row = PageRow {
            seq: record.seq,
            at_ms: record.at_ms,
            record: &page,
            dup_of: repeated(&page).map(|nearest| amendments.dup_of(nearest)),
            names: &names,
            reads,
        };
        let is_of_kind = match request.what {
            What::Indexed => row.is_kept(),
            What::Junk => row.is_junk(),
            What::Pages
            | What::Fetches
            | What::Clusters
            | What::Links
            | What::Broken
            | What::Hosts
            | What::Changes => true,
        };
        if is_of_kind && request.filter.wants(&row.facets()) {
            give(row)?;
        }
    }
    Ok(())
}

fn page_row(what: What, row: PageRow<'_>) -> Option<columns::Row> {
    match what {
        What::Junk => JunkRow::of(row).map(|row| pages::junk(&row)),
        What::Indexed => Some(pages::indexed(&row)),
        What::Pages
        | What::Fetches
        | What::Clusters
        | What::Links
        | What::Broken
        | What::Hosts
        | What::Changes => Some(pages::page(&row)),
    }
}

/// The texts of kept pages as records of a WARC file.
fn wet<I: Iterator<Item = Record>>(
    request: &Request,
    mut records: impl FnMut() -> I,
    reads: &dyn Reads,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let amendments = Amendments::of(records());
    let mut writer = WetWriter::default();
    let software = concat!("tamis/", env!("CARGO_PKG_VERSION"));
    out.write_all(writer.begin(software, amendments.last_ms))?;
    let mut written = 0;
    each_page(request, records(), &amendments, reads, &mut |row| {
        let page = row.record;
        let Some(text) = page.text.as_ref().and_then(|at| reads.text(at)) else {
            return Ok(());
        };
        let capture = page.body.as_ref().and_then(|at| reads.capture(at));
        written += 1;
        out.write_all(writer.text(&TextOfPage {
            url: &page.url,
            at_ms: row.facets().at_ms,
            response: capture.as_ref().map(|capture| capture.record_id.as_str()),
            lang: row.facets().lang,
            text: &text,
        }))
    })?;
    out.flush()?;
    Ok(written)
}

/// The archive's captures of pages, in the order in which replay tools search them.
fn captures<I: Iterator<Item = Record>>(
    request: &Request,
    mut records: impl FnMut() -> I,
    reads: &dyn Reads,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let amendments = Amendments::of(records());
    let mut lines = Sorted::default();
    each_page(request, records(), &amendments, reads, &mut |row| {
        let body = row.record.body.as_ref();
        match body.and_then(|at| Some((at, reads.capture(at)?))) {
            Some((at, capture)) => lines.add(cdxj::line(&row.record.url, &capture, at)),
            None => Ok(()),
        }
    })?;
    let written = lines.write(out)?;
    out.flush()?;
    Ok(written)
}

#[cfg(test)]
mod tests;
