//! Files to documents: JSON lines, WARC or WET, plain or gzipped, told by their first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use segment::Words;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::warc;
use crate::command::document::{text_of_bytes, text_of_html, words};

/// Bytes of a line or record that are read; what is longer is no document.
pub const BYTES_MAX: u64 = 64 << 20;
/// Bytes read at a time.
const BUFFER_BYTES: usize = 256 << 10;

/// A document before it is read.
#[derive(Debug)]
pub struct Document {
    /// Its name in the answer.
    pub id: Value,
    /// Where it is from.
    pub url: Option<Url>,
    /// What it is.
    pub form: Form,
    /// What was said of it beside its text.
    pub page: Page,
}

/// What a document is.
#[derive(Debug)]
pub enum Form {
    /// A text.
    Text(String),
    /// Markup.
    Html(String),
    /// The body of an answer.
    Bytes {
        /// The body.
        bytes: Vec<u8>,
        /// Its type as declared.
        content_type: Option<String>,
    },
}

/// What a page says beside its text.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The layout, 0 for a text.
    pub layout: u64,
    /// Published date, ISO 8601.
    pub published: Option<String>,
    /// The URL that it names as canonical.
    pub canonical: Option<String>,
    /// The page that it names as the source of its text.
    pub source: Option<String>,
}

impl Document {
    /// Reads it: its words, and what else its page says.
    pub fn words(&self) -> (Words, Page) {
        let url = self.url.as_ref();
        let page = match &self.form {
            Form::Text(text) => return (words(text), self.page.clone()),
            Form::Html(html) => text_of_html(html, url),
            Form::Bytes {
                bytes,
                content_type,
            } => text_of_bytes(bytes, content_type.as_deref(), url),
        };
        let said = Page {
            layout: page.layout,
            published: self.page.published.clone().or(page.published),
            canonical: self.page.canonical.clone().or(page.canonical),
            source: page.source,
        };
        (words(&page.text), said)
    }

    /// About how many bytes it holds.
    pub fn size(&self) -> usize {
        match &self.form {
            Form::Text(text) | Form::Html(text) => text.len(),
            Form::Bytes { bytes, .. } => bytes.len(),
        }
    }
}

/// What stands next in a file.
#[derive(Debug)]
pub enum Item {
    /// A document.
    Document(Document),
    /// A line that is none, with its id if it has one.
    Bad(Option<Value>, String),
    /// A record that is no page.
    Other,
}

/// An open file.
pub struct Source {
    name: String,
    reader: BufReader<Box<dyn Read>>,
    is_pipe: bool,
    is_warc: bool,
    line: u64,
    ended: bool,
}

impl Source {
    /// Opens a file, or standard input for `-`, and looks what it is.
    ///
    /// # Errors
    /// It cannot be read, or is compressed in a way that is not read here.
    pub fn open(path: &Path) -> io::Result<Source> {
        let name = path.display().to_string();
        let is_pipe = path == Path::new("-");
        let file: Box<dyn Read> = if is_pipe {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path)?)
        };
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
        let first = reader.fill_buf()?;
        for (magic, tool) in [(&b"\xfd7zXZ"[..], "xz"), (b"\x28\xb5\x2f\xfd", "zstd")] {
            if first.starts_with(magic) {
                return Err(io::Error::other(format!(
                    "it is compressed by {tool}; run: {tool} -dc {name} | tamis dedup -"
                )));
            }
        }
        if first.starts_with(b"\x1f\x8b") {
            let plain: Box<dyn Read> = Box::new(MultiGzDecoder::new(reader));
            reader = BufReader::with_capacity(BUFFER_BYTES, plain);
        }
        // A torn gzip file is told when it is read.
        let is_warc = reader
            .fill_buf()
            .is_ok_and(|first| first.starts_with(b"WARC/"));
        Ok(Source {
            name,
            reader,
            is_pipe,
            is_warc,
            line: 0,
            ended: false,
        })
    }

    /// Whether to read on before what was read is answered: not where that could mean to wait for
    /// a writer at the other end of a pipe.
    pub fn is_ready(&self) -> bool {
        !self.is_pipe || self.reader.buffer().contains(&b'\n')
    }

    /// What comes next; none at the end. What cannot be read ends the file, and is told.
    pub fn next(&mut self) -> Option<Item> {
        if self.ended {
            return None;
        }
        let next = if self.is_warc {
            warc::next(&mut self.reader).map(|record| {
                record.map(|record| match record {
                    warc::Record::Document(document) => Item::Document(document),
                    warc::Record::Other => Item::Other,
                })
            })
        } else {
            self.next_line()
        };
        next.unwrap_or_else(|error| {
            self.ended = true;
            Some(Item::Bad(
                None,
                format!("{}: not read further: {error}", self.name),
            ))
        })
    }

    fn next_line(&mut self) -> io::Result<Option<Item>> {
        loop {
            let mut bytes = Vec::new();
            let reader = &mut self.reader;
            reader.take(BYTES_MAX).read_until(b'\n', &mut bytes)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            self.line += 1;
            if bytes.len() as u64 == BYTES_MAX && !bytes.ends_with(b"\n") {
                skip_line(&mut self.reader)?;
                let told = format!("longer than {} MB", BYTES_MAX >> 20);
                return Ok(Some(Item::Bad(None, self.told(&told))));
            }
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            return Ok(Some(match document(&bytes) {
                Ok(document) => Item::Document(document),
                Err((id, told)) => Item::Bad(id, self.told(&told)),
            }));
        }
    }

    fn told(&self, told: &str) -> String {
        format!("{}:{}: {told}", self.name, self.line)
    }
}

fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let (length, done) = match end {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(length);
        if done {
            return Ok(());
        }
    }
}

/// A line's keys; others are ignored.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Value,
    text: Option<String>,
    html: Option<String>,
    url: Option<String>,
    published: Option<String>,
    canonical: Option<String>,
}

fn document(line: &[u8]) -> Result<Document, (Option<Value>, String)> {
    let line: Line = serde_json::from_slice(line).map_err(|error| {
        // A line with a value of the wrong type may still have an id.
        let id = serde_json::from_slice::<Value>(line)
            .ok()
            .and_then(|line| line.get("id").cloned());
        (id, format!("no document: {error}"))
    })?;
    let id = match (&line.id, &line.url) {
        (Value::Null, Some(url)) => Value::from(url.as_str()),
        (Value::Null, None) => {
            return Err((
                None,
                "the line has no \"id\"; write {\"id\": …, \"text\": …}".into(),
            ));
        }
        (Value::String(_) | Value::Number(_), _) => line.id,
        (Value::Bool(_) | Value::Array(_) | Value::Object(_), _) => {
            return Err((None, "\"id\" is neither a string nor a number".into()));
        }
    };
    // The address only helps to read a page; one that is no URL is none.
    let url = line.url.as_deref().and_then(|url| Url::parse(url).ok());
    let form = match (line.text, line.html) {
        (Some(text), _) => Form::Text(text),
        (None, Some(html)) => Form::Html(html),
        (None, None) => {
            return Err((
                Some(id),
                "the line has neither \"text\" nor \"html\"".into(),
            ));
        }
    };
    let page = Page {
        layout: 0,
        published: line.published,
        canonical: line.canonical,
        source: None,
    };
    Ok(Document {
        id,
        url,
        form,
        page,
    })
}

/// Opens each file once, so that one that cannot be read is told before anything is done.
///
/// # Errors
/// The first file that cannot be opened.
pub fn check(files: &[PathBuf]) -> Result<(), (PathBuf, io::Error)> {
    for file in files {
        if file != Path::new("-") {
            let mut first = [0];
            let read = File::open(file).and_then(|mut file| file.read(&mut first));
            read.map_err(|error| (file.clone(), error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn items(bytes: &[u8]) -> Vec<Item> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let mut source = Source::open(file.path()).unwrap();
        std::iter::from_fn(|| source.next()).collect()
    }

    #[test]
    fn a_bad_line_is_told_and_the_next_is_read() {
        let lines = "{\"id\":1,\"text\":\"a\"}\n\n{\n{\"id\":\"x\"}\n{\"text\":\"a\"}\n{\"id\":7,\"text\":3}\n\
            {\"html\":\"<p>\",\"url\":\"http://a.example/\"}";
        let items = items(lines.as_bytes());
        let told: Vec<String> = items
            .iter()
            .map(|item| match item {
                Item::Document(document) => document.id.to_string(),
                Item::Bad(id, told) => format!("{id:?} {told}"),
                Item::Other => "other".into(),
            })
            .collect();
        assert_eq!(told.len(), 6, "{told:#?}");
        assert_eq!(told[0], "1");
        assert!(told[1].contains(":3: no document"), "{}", told[1]);
        assert!(told[2].contains("neither \"text\" nor"), "{}", told[2]);
        assert!(told[3].contains("no \"id\""), "{}", told[3]);
        assert!(told[4].contains("Some(Number(7))"), "{}", told[4]);
        assert_eq!(told[5], "\"http://a.example/\"");
    }

    #[test]
    fn a_torn_gzip_file_gives_what_it_holds_and_then_an_error() {
        let line = "{\"id\":1,\"text\":\"a\"}\n";
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for _ in 0..50_000 {
            gz.write_all(line.as_bytes()).unwrap();
        }
        let whole = gz.finish().unwrap();
        assert_eq!(items(&whole).len(), 50_000);
        let torn = items(&whole[..whole.len() / 2]);
        assert!(torn.len() > 1 && torn.len() < 50_000);
        assert!(matches!(torn.last(), Some(Item::Bad(None, _))));
    }
}
