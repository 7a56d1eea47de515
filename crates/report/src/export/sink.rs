//! Rows as they are written: JSON lines, CSV or Parquet.

use std::io::{self, Write};

use csv::{Terminator, WriterBuilder};
use serde_json::{Map, Value};

use super::columns::Row;
use super::request::{Format, Request};

/// The mark by which spreadsheets know UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Where rows go.
pub(super) struct Sink<'o> {
    writer: Writer<'o>,
    rows: u64,
}

enum Writer<'o> {
    Jsonl(&'o mut dyn Write),
    Csv(Box<csv::Writer<&'o mut dyn Write>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::ParquetSink<&'o mut dyn Write>>),
}

impl<'o> Sink<'o> {
    /// Begins a file: in CSV with a line of headings, and with line ends as RFC 4180 has them.
    pub(super) fn begin(request: &Request, out: &'o mut dyn Write) -> io::Result<Sink<'o>> {
        let table = request.what.table();
        let writer = match request.format {
            Format::Jsonl => Writer::Jsonl(out),
            Format::Csv => {
                if request.bom {
                    out.write_all(MARK)?;
                }
                let mut builder = WriterBuilder::new();
                let mut csv = builder.terminator(Terminator::CRLF).from_writer(out);
                csv.write_record(table.columns.iter().map(|column| column.name))
                    .map_err(of_output)?;
                Writer::Csv(Box::new(csv))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                Writer::Parquet(Box::new(super::parquet::ParquetSink::begin(table, out)?))
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(io::Error::other("it was built without Parquet")),
            Format::Markdown | Format::Wet | Format::Cdxj => {
                return Err(io::Error::other("this form has no rows"));
            }
        };
        Ok(Sink { writer, rows: 0 })
    }

    /// Writes rows.
    pub(super) fn rows(&mut self, rows: impl IntoIterator<Item = Row>) -> io::Result<()> {
        rows.into_iter().try_for_each(|row| self.row(row))
    }

    fn row(&mut self, row: Row) -> io::Result<()> {
        self.rows += 1;
        match &mut self.writer {
            Writer::Jsonl(out) => {
                let entries = row.entries().map(|(name, value)| (name.to_owned(), value));
                let object: Map<String, Value> = entries.collect();
                serde_json::to_writer(&mut *out, &object)?;
                out.write_all(b"\n")
            }
            Writer::Csv(csv) => csv
                .write_record(row.values().iter().map(cell))
                .map_err(of_output),
            #[cfg(feature = "parquet")]
            Writer::Parquet(parquet) => parquet.row(row),
        }
    }

    /// Ends the file; gives the number of rows.
    pub(super) fn end(self) -> io::Result<u64> {
        match self.writer {
            Writer::Jsonl(out) => out.flush()?,
            Writer::Csv(mut csv) => csv.flush()?,
            #[cfg(feature = "parquet")]
            Writer::Parquet(parquet) => drop(parquet.end()?),
        }
        Ok(self.rows)
    }
}

/// A value as a cell. A text of the web may be made to be a formula where a spreadsheet opens it, so
/// one that begins like a formula gets a `'` before it; control characters other than line ends and
/// tabs become spaces. JSON lines have every text as it is.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => {
            let harmless = |c: char| match c {
                '\n' | '\t' => c,
                c if c.is_control() => ' ',
                c => c,
            };
            let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
            let lead = if formula { "'" } else { "" };
            lead.chars().chain(text.chars().map(harmless)).collect()
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// The error of what is written to, as it is: a reader that has hung up is none of ours.
fn of_output(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_a_formula_to_a_spreadsheet_is_a_text() {
        for text in ["=1+1", "+1", "-1", "@x", "\t=1"] {
            assert!(cell(&text.into()).starts_with('\''), "{text:?}");
        }
        assert_eq!(cell(&"a\u{1b}b\nc".into()), "a b\nc");
        assert_eq!(cell(&Value::from(-1)), "-1");
        assert_eq!(cell(&Value::Null), "");
    }
}
