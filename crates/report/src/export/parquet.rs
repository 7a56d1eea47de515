//! Rows as a Parquet file: a column chunk for each column, compressed with zstd.
//!
//! Rows wait until there are enough for a row group, which is then written and forgotten, so memory
//! is bounded whatever the file's length. Within a group rows stand by host, so that statistics and
//! compression find what belongs together. Lists are JSON texts: every reader has functions for
//! these, and not every one reads nested columns.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use serde_json::Value;

use super::columns::{Column, Kind, Row, Table};
use super::filter::instant_of;

/// Rows of a group at most.
const GROUP_ROWS: usize = 65_536;

/// Bytes of text in a group, about.
const GROUP_BYTES: usize = 32 << 20;

/// zstd's level: 3 is its own default.
const LEVEL: i32 = 3;

/// What the file's writer has written and nobody has taken yet.
#[derive(Debug, Clone, Default)]
struct Pipe(Arc<Mutex<Vec<u8>>>);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pipe {
    fn drain(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(&bytes)?;
        bytes.clear();
        Ok(())
    }
}

/// A file that is being written.
pub(super) struct ParquetSink<O: Write> {
    table: &'static Table,
    writer: SerializedFileWriter<Pipe>,
    pipe: Pipe,
    out: O,
    group: Vec<Row>,
    bytes: usize,
}

impl<O: Write> ParquetSink<O> {
    pub(super) fn begin(table: &'static Table, out: O) -> io::Result<ParquetSink<O>> {
        let fields = table
            .columns
            .iter()
            .map(|column| field(column).map(Arc::new));
        let fields = fields
            .collect::<Result<Vec<_>, _>>()
            .map_err(io::Error::other)?;
        let schema = Type::group_type_builder(table.name)
            .with_fields(fields)
            .build();
        let level = ZstdLevel::try_new(LEVEL).map_err(io::Error::other)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(format!("tamis {}", env!("CARGO_PKG_VERSION")))
            .build();
        let pipe = Pipe::default();
        let schema = Arc::new(schema.map_err(io::Error::other)?);
        let writer = SerializedFileWriter::new(pipe.clone(), schema, Arc::new(properties));
        Ok(ParquetSink {
            table,
            writer: writer.map_err(io::Error::other)?,
            pipe,
            out,
            group: Vec::new(),
            bytes: 0,
        })
    }

    pub(super) fn row(&mut self, row: Row) -> io::Result<()> {
        let texts = row
            .values()
            .iter()
            .map(|value| value.as_str().map_or(8, str::len));
        self.bytes += texts.sum::<usize>();
        self.group.push(row);
        match self.group.len() >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            true => self.write_group(),
            false => Ok(()),
        }
    }

    fn write_group(&mut self) -> io::Result<()> {
        self.group.sort_by(|a, b| a.host().cmp(b.host()));
        let written = write_group(&mut self.writer, self.table, &self.group);
        written.map_err(io::Error::other)?;
        self.group.clear();
        self.bytes = 0;
        self.pipe.drain(&mut self.out)
    }

    /// Writes what is left, and the file's end.
    pub(super) fn end(mut self) -> io::Result<O> {
        if !self.group.is_empty() {
            self.write_group()?;
        }
        self.writer.close().map_err(io::Error::other)?;
        self.pipe.drain(&mut self.out)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// The field of a column; any may be null.
fn field(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.kind {
        Kind::Text | Kind::List => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Int => (Physical::INT64, None),
        Kind::Float => (Physical::DOUBLE, None),
        Kind::Bool => (Physical::BOOLEAN, None),
        Kind::Time => (
            Physical::INT64,
            Some(LogicalType::timestamp(true, TimeUnit::MILLIS)),
        ),
    };
    Type::primitive_type_builder(column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

fn write_group(
    writer: &mut SerializedFileWriter<Pipe>,
    table: &Table,
    rows: &[Row],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    let mut at = 0;
    while let Some(mut column) = group.next_column()? {
        let values = rows.iter().map(|row| &row.values()[at]);
        write_column(&mut column, table.columns[at].kind, values)?;
        column.close()?;
        at += 1;
    }
    group.close()?;
    Ok(())
}

fn write_column<'r>(
    column: &mut SerializedColumnWriter<'_>,
    kind: Kind,
    values: impl Iterator<Item = &'r Value>,
) -> Result<(), ParquetError> {
    match kind {
        Kind::Text | Kind::List => {
            let (levels, values) = split(values, |value| match value {
                Value::Null => None,
                Value::String(text) => Some(ByteArray::from(text.as_str())),
                other => Some(ByteArray::from(other.to_string().as_str())),
            });
            column
                .typed::<ByteArrayType>()
                .write_batch(&values, Some(&levels), None)?;
        }
        Kind::Int => {
            let (levels, values) = split(values, |value| {
                let number = value.as_u64();
                number.map(|number| i64::try_from(number).unwrap_or(i64::MAX))
            });
            column
                .typed::<Int64Type>()
                .write_batch(&values, Some(&levels), None)?;
        }
        Kind::Float => {
            let (levels, values) = split(values, Value::as_f64);
            column
                .typed::<DoubleType>()
                .write_batch(&values, Some(&levels), None)?;
        }
        Kind::Bool => {
            let (levels, values) = split(values, Value::as_bool);
            column
                .typed::<BoolType>()
                .write_batch(&values, Some(&levels), None)?;
        }
        Kind::Time => {
            let (levels, values) = split(values, |value| {
                let ms = instant_of(value.as_str()?).ok()?;
                i64::try_from(ms).ok()
            });
            column
                .typed::<Int64Type>()
                .write_batch(&values, Some(&levels), None)?;
        }
    }
    Ok(())
}

/// The values that are there, and which rows have one.
fn split<'r, T>(
    values: impl Iterator<Item = &'r Value>,
    read: impl Fn(&Value) -> Option<T>,
) -> (Vec<i16>, Vec<T>) {
    let mut levels = Vec::new();
    let mut there = Vec::new();
    for value in values {
        let value = read(value);
        levels.push(i16::from(value.is_some()));
        there.extend(value);
    }
    (levels, there)
}
