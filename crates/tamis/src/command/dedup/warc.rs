//! WARC and WET files, record by record (ISO 28500:2017): the responses and the converted texts.
//!
//! Unlike our own archive these may come from anywhere, so bodies may still be chunked, and what
//! is no page (requests, metadata, images, error answers) is passed over and counted.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use fetcher::{FetchLimits, Fetched};
use url::Url;

use super::source::{BYTES_MAX, Document, Form, Page};
use crate::command::document::{essence, is_page};

/// Longest head line that is read.
const LINE_BYTES_MAX: u64 = 64 << 10;
/// Most head lines of a record or an answer.
const LINES_MAX: usize = 1_000;

/// One record.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every record is a document"
)]
#[derive(Debug)]
pub enum Record {
    /// A page or a text.
    Document(Document),
    /// Something else.
    Other,
}

/// Reads the next record; none at the end of the file.
///
/// # Errors
/// What stands there is no record, or the file ends inside of one.
pub fn next(reader: &mut impl BufRead) -> io::Result<Option<Record>> {
    let Some(head) = head(reader)? else {
        return Ok(None);
    };
    let field = |name: &str| {
        let found = head.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    };
    let length: u64 = field("content-length")
        .and_then(|length| length.parse().ok())
        .ok_or_else(|| damaged("a record without a Content-Length"))?;
    let kind = field("warc-type").unwrap_or("");
    let wanted = matches!(kind, "response" | "conversion") && length <= BYTES_MAX;
    if !wanted {
        skip(reader, length)?;
        return Ok(Some(Record::Other));
    }
    let mut block = Vec::new();
    reader.by_ref().take(length).read_to_end(&mut block)?;
    if (block.len() as u64) < length {
        return Err(damaged("the file ends inside a record"));
    }
    // Some writers put the URL between angle brackets.
    let uri = field("warc-target-uri").map(|uri| uri.trim_matches(['<', '>']));
    let id = uri.or(field("warc-record-id")).unwrap_or("").to_owned();
    let url = uri.and_then(|uri| Url::parse(uri).ok());
    let form = match kind {
        // A crawl reads it, and never as a page.
        "response" if url.as_ref().is_some_and(|url| url.path() == "/robots.txt") => None,
        "response" => response(&block, field("content-type"), url.as_ref()),
        _ => conversion(block, field("content-type")),
    };
    Ok(Some(match form {
        Some(form) => Record::Document(Document {
            id: id.into(),
            url,
            form,
            page: Page::default(),
        }),
        None => Record::Other,
    }))
}

/// The fields of a record's head, names in lower case; none at the end of the file.
fn head(reader: &mut impl BufRead) -> io::Result<Option<Vec<(String, String)>>> {
    // Two line ends close the record before; some writers leave more, or fewer.
    let version = loop {
        match line(reader)? {
            None => return Ok(None),
            Some(line) if line.is_empty() => {}
            Some(line) => break line,
        }
    };
    if !version.starts_with("WARC/") {
        return Err(damaged("no WARC record where one should begin"));
    }
    let mut fields = Vec::new();
    loop {
        let line = line(reader)?.ok_or_else(|| damaged("the file ends inside a record"))?;
        if line.is_empty() {
            return Ok(Some(fields));
        }
        if fields.len() == LINES_MAX {
            return Err(damaged("a record's head does not end"));
        }
        if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

fn line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    reader
        .by_ref()
        .take(LINE_BYTES_MAX)
        .read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 == LINE_BYTES_MAX {
        return Err(damaged("a head line without end"));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_end().to_owned()))
}

fn skip(reader: &mut impl BufRead, length: u64) -> io::Result<()> {
    let skipped = io::copy(&mut reader.by_ref().take(length), &mut io::sink())?;
    if skipped < length {
        return Err(damaged("the file ends inside a record"));
    }
    Ok(())
}

fn damaged(told: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, told)
}

/// A converted text, as WET files hold.
fn conversion(block: Vec<u8>, content_type: Option<&str>) -> Option<Form> {
    let is_text = content_type.is_none_or(|declared| essence(declared) == "text/plain");
    is_text.then(|| Form::Text(String::from_utf8_lossy(&block).into_owned()))
}

/// The page or text in an HTTP answer that tells of success.
fn response(block: &[u8], content_type: Option<&str>, url: Option<&Url>) -> Option<Form> {
    if content_type.is_some_and(|declared| essence(declared) != "application/http") {
        return None;
    }
    let (status, headers, body) = answer(block)?;
    if !(200..300).contains(&status) {
        return None;
    }
    let chunked = headers.iter().any(|(name, value)| {
        name == "transfer-encoding" && value.to_ascii_lowercase().ends_with(b"chunked")
    });
    // Many archives hold the body without its chunks and leave the header.
    let body = match chunked.then(|| unchunked(body)).flatten() {
        Some(whole) => whole,
        None => body.to_vec(),
    };
    let fetched = Fetched {
        url: url
            .cloned()
            .unwrap_or_else(crate::command::document::nowhere),
        status,
        http_version: "HTTP/1.1",
        headers,
        body: body.into(),
        via: fetcher::Via::Wire,
        remote: None,
        truncated: None,
        first_byte: Duration::ZERO,
        total: Duration::ZERO,
    };
    let content_type = fetched.content_type();
    let encoded = fetched.header("content-encoding").is_some();
    let mut bytes = fetched.decoded(&FetchLimits::default()).bytes;
    // The same goes for content encodings.
    if encoded && bytes.is_empty() && is_page(content_type.as_deref(), &fetched.body) {
        bytes = fetched.body.to_vec();
    }
    let sniffed = fetcher::sniff_content_type(content_type.as_deref(), &bytes);
    match essence(&sniffed).as_str() {
        "text/html" | "application/xhtml+xml" | "text/plain" => {
            let content_type = Some(content_type.unwrap_or(sniffed));
            Some(Form::Bytes {
                bytes,
                content_type,
            })
        }
        _ => None,
    }
}

/// Status, headers and body of an HTTP answer.
#[expect(
    clippy::type_complexity,
    reason = "three parts, named where they are taken"
)]
fn answer(block: &[u8]) -> Option<(u16, Vec<(String, Vec<u8>)>, &[u8])> {
    let mut rest = block;
    let status_line = line(&mut rest).ok()??;
    let status = status_line
        .strip_prefix("HTTP/")?
        .split_ascii_whitespace()
        .nth(1)?
        .parse()
        .ok()?;
    let mut headers = Vec::new();
    for _ in 0..LINES_MAX {
        let line = line(&mut rest).ok()??;
        if line.is_empty() {
            return Some((status, headers, rest));
        }
        if let Some((name, value)) = line.split_once(':') {
            let name = name.trim().to_ascii_lowercase();
            headers.push((name, value.trim().as_bytes().to_vec()));
        }
    }
    None
}

/// A body without its chunks (RFC 9112, section 7.1); none where it is not chunked.
fn unchunked(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::with_capacity(body.len());
    loop {
        let end = body.iter().take(64).position(|&byte| byte == b'\n')?;
        let size = std::str::from_utf8(&body[..end]).ok()?;
        let size = size.split(';').next().unwrap_or("").trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        body = &body[end + 1..];
        if size == 0 {
            return Some(whole);
        }
        let chunk = body.get(..size)?;
        whole.extend_from_slice(chunk);
        let after = &body[size..];
        body = after.strip_prefix(b"\r\n").or(after.strip_prefix(b"\n"))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &str, content_type: &str, block: &str) -> String {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.example/{kind}\r\n\
             Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    }

    fn all(text: &str) -> io::Result<Vec<Record>> {
        let mut reader = text.as_bytes();
        std::iter::from_fn(|| next(&mut reader).transpose()).collect()
    }

    #[test]
    fn responses_and_conversions_are_documents_and_the_rest_is_passed_over() {
        let http = "application/http; msgtype=response";
        let file = [
            record("warcinfo", "application/warc-fields", "software: x"),
            record(
                "request",
                "application/http; msgtype=request",
                "GET / HTTP/1.1\r\n\r\n",
            ),
            record(
                "response",
                http,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one",
            ),
            record(
                "response",
                http,
                "HTTP/1.1 404 Gone\r\nContent-Type: text/html\r\n\r\n<p>no",
            ),
            record(
                "response",
                http,
                "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x01",
            ),
            record("conversion", "text/plain", "two words"),
        ];
        let records = all(&file.concat()).unwrap();
        let documents: Vec<&Document> = records
            .iter()
            .filter_map(|record| match record {
                Record::Document(document) => Some(document),
                Record::Other => None,
            })
            .collect();
        assert_eq!((records.len(), documents.len()), (6, 2));
        assert_eq!(documents[0].id, "http://a.example/response");
        assert!(matches!(&documents[0].form, Form::Bytes { bytes, .. } if bytes == b"<p>one"));
        assert!(matches!(&documents[1].form, Form::Text(text) if text == "two words"));
    }

    #[test]
    fn chunks_are_joined_where_there_are_any() {
        assert_eq!(
            unchunked(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n").unwrap(),
            b"abcde"
        );
        for not_chunked in [&b"<html>\n"[..], b"", b"5\r\nab", b"2\r\nabc\r\n"] {
            assert_eq!(unchunked(not_chunked), None);
        }
    }

    #[test]
    fn a_file_that_ends_inside_a_record_is_damaged() {
        let whole = record("conversion", "text/plain", "two words");
        assert!(all(&whole[..whole.len() - 6]).is_err());
        assert!(all("no record\n").is_err());
    }
}
