//! What is asked for: kind of row, form, and which rows.

use std::fmt;
use std::str::FromStr;

use archive::{BodyRef, Capture};

use super::filter::{Filter, Meaningless};
use super::{UnknownName, What, unknown};

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object a line.
    Jsonl,
    /// RFC 4180, with a line of headings; nested values as JSON.
    Csv,
    /// Parquet with zstd; nested values as JSON.
    Parquet,
    /// A folder with a Markdown file for each kept page.
    Markdown,
    /// WARC conversion records with the texts of kept pages.
    Wet,
    /// The archive's captures as replay tools look them up.
    Cdxj,
}

impl Format {
    /// All forms, in the order of the documentation.
    pub const ALL: [Format; 6] = [
        Format::Jsonl,
        Format::Csv,
        Format::Parquet,
        Format::Markdown,
        Format::Wet,
        Format::Cdxj,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Markdown => "markdown",
            Format::Wet => "wet",
            Format::Cdxj => "cdxj",
        }
    }

    /// The kinds of row that it can hold.
    pub fn holds(self) -> &'static [What] {
        match self {
            Format::Jsonl | Format::Csv | Format::Parquet => &What::ALL,
            Format::Markdown | Format::Wet => &[What::Indexed],
            Format::Cdxj => &[What::Pages, What::Indexed, What::Junk],
        }
    }

    /// Whether it is written as one stream; else it is a folder.
    pub fn is_stream(self) -> bool {
        self != Format::Markdown
    }
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Format, UnknownName> {
        // As its files end.
        let name = if name == "md" { "markdown" } else { name };
        let found = Format::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| unknown(name, Format::ALL.map(Format::name)))
    }
}

/// What is to be exported.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The kind of row.
    pub what: What,
    /// The form.
    pub format: Format,
    /// Which rows.
    pub filter: Filter,
    /// CSV begins with a byte order mark, by which spreadsheets know UTF-8.
    pub bom: bool,
}

impl Request {
    /// All rows of a kind.
    pub fn all(what: What, format: Format) -> Request {
        Request {
            what,
            format,
            filter: Filter::default(),
            bom: false,
        }
    }

    /// Checks that the request makes sense.
    ///
    /// # Errors
    /// Says what does not.
    pub fn check(&self) -> Result<(), BadRequest> {
        if !self.format.holds().contains(&self.what) {
            return Err(BadRequest::Form(self.format, self.what));
        }
        if self.format == Format::Parquet && !cfg!(feature = "parquet") {
            return Err(BadRequest::NotBuilt);
        }
        if self.bom && self.format != Format::Csv {
            return Err(BadRequest::Mark(self.format));
        }
        self.filter.check(self.what).map_err(BadRequest::Filter)
    }
}

/// A request that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadRequest {
    /// The form does not hold such rows.
    Form(Format, What),
    /// This program was built without Parquet.
    NotBuilt,
    /// A byte order mark is for CSV.
    Mark(Format),
    /// The rows have not what is asked of them.
    Filter(Meaningless),
}

impl fmt::Display for BadRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRequest::Form(format, what) => {
                let names: Vec<_> = format
                    .holds()
                    .iter()
                    .map(|what| what.table().name)
                    .collect();
                let (format, what) = (format.name(), what.table().name);
                write!(f, "{format} is made of {}, not of {what}", names.join(", "))
            }
            BadRequest::NotBuilt => f.write_str(
                "this program was built without Parquet: build it with the feature `parquet`",
            ),
            BadRequest::Mark(format) => {
                write!(
                    f,
                    "--bom is for csv: {} is UTF-8 without a mark",
                    format.name()
                )
            }
            BadRequest::Filter(meaningless) => meaningless.fmt(f),
        }
    }
}

impl std::error::Error for BadRequest {}

/// Reads what stands in the archive.
pub trait Reads {
    /// An archived text.
    fn text(&self, at: &BodyRef) -> Option<String>;
    /// The main content of an archived page as Markdown, read again from its body.
    fn markdown(&self, url: &str, at: &BodyRef) -> Option<String>;
    /// What is said of an archived response.
    fn capture(&self, at: &BodyRef) -> Option<Capture>;
    /// Whether the column `markdown` is to be filled, which costs reading each page again.
    fn fills_markdown(&self) -> bool {
        false
    }
}

/// Reads texts alone.
pub struct TextsOnly<'t>(pub &'t dyn Fn(&BodyRef) -> Option<String>);

impl Reads for TextsOnly<'_> {
    fn text(&self, at: &BodyRef) -> Option<String> {
        (self.0)(at)
    }

    fn markdown(&self, _: &str, _: &BodyRef) -> Option<String> {
        None
    }

    fn capture(&self, _: &BodyRef) -> Option<Capture> {
        None
    }
}
