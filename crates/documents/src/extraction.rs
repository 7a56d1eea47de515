//! Many pages to JSON lines: what `extractor` answers line by line, over all cores.
//!
//! A request is a line `{"id", "path" or "html", "url"?, "content_type"?, "format"?}`, and its answer is one
//! line of JSON: the page, or `{"error", "id"}`.

use std::io::{self, BufRead, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::file::{FileError, read_unpacked};
use crate::source::BYTES_MAX;
use crate::text::without_mark;
use crate::workers::Workers;

/// Requests in a batch at most.
pub const BATCH_MAX: usize = 256;
/// Bytes of requests from which a batch is full.
const BATCH_BYTES: usize = 8 << 20;

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// The line of JSON, without its end.
    pub line: String,
    /// The page's title and main text, or why there is none.
    pub page: Result<Extracted, ExtractionError>,
}

/// What people read of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Its title.
    pub title: Option<String>,
    /// Its main text; as Markdown or HTML where the request asks for that.
    pub text: String,
}

/// Why a page has no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractionError {
    /// The request is wrong, or its page cannot be had.
    #[error("{0}")]
    Failed(String),
    /// A fault of ours.
    #[error("reading the page failed in an unexpected way")]
    Panicked,
}

/// The keys of an answer that are looked at here.
#[derive(Deserialize)]
struct Answer {
    error: Option<String>,
    title: Option<String>,
    #[serde(default)]
    text: String,
    markdown: Option<String>,
    html: Option<String>,
}

/// Answers requests, in their order.
pub fn extract(workers: &Workers, requests: &[String]) -> Vec<Extraction> {
    let answers = workers.map(requests, |line| answer(line));
    let answers = requests.iter().zip(answers);
    answers
        .map(|(request, answer)| answer.unwrap_or_else(|| panicked(request)))
        .collect()
}

fn answer(request: &str) -> Extraction {
    let read = |path: &str| read_unpacked(Path::new(path)).map_err(FileError::into);
    let line = extractor::extract_json_line(request, &read);
    let page = match serde_json::from_str::<Answer>(&line) {
        Ok(Answer {
            error: Some(error), ..
        }) => Err(ExtractionError::Failed(error)),
        Ok(Answer {
            title,
            text,
            markdown,
            html,
            ..
        }) => Ok(Extracted {
            title,
            text: markdown.or(html).unwrap_or(text),
        }),
        Err(error) => Err(ExtractionError::Failed(error.to_string())),
    };
    Extraction { line, page }
}

fn panicked(request: &str) -> Extraction {
    let request = serde_json::from_str::<Value>(request).ok();
    let id = request.and_then(|request| request.get("id").cloned());
    let error = ExtractionError::Panicked;
    Extraction {
        line: json!({ "id": id, "error": error.to_string() }).to_string(),
        page: Err(error),
    }
}

/// The next requests, as many as a batch holds, without empty lines; empty at the end.
///
/// # Errors
/// The input cannot be read, or a line is longer than [`BYTES_MAX`].
pub fn next_requests(input: &mut impl BufRead) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut bytes = 0;
    while lines.len() < BATCH_MAX && bytes < BATCH_BYTES {
        let mut line = Vec::new();
        let mut bounded = input.by_ref().take(BYTES_MAX);
        bounded.read_until(b'\n', &mut line)?;
        if line.is_empty() {
            break;
        }
        if line.len() as u64 == BYTES_MAX && !line.ends_with(b"\n") {
            let told = format!("a line is longer than {} MB", BYTES_MAX >> 20);
            return Err(io::Error::other(told));
        }
        bytes += line.len();
        // Malformed UTF-8 inside a JSON string is text like other text.
        let line = String::from_utf8_lossy(without_mark(&line).trim_ascii());
        if !line.is_empty() {
            lines.push(line.into_owned());
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_bounded_and_empty_lines_are_none() {
        let text = "{\"id\":1}\n\n".repeat(BATCH_MAX + 3);
        let mut input = text.as_bytes();
        assert_eq!(next_requests(&mut input).unwrap().len(), BATCH_MAX);
        assert_eq!(next_requests(&mut input).unwrap().len(), 3);
        assert!(next_requests(&mut input).unwrap().is_empty());
        let marked = next_requests(&mut "\u{feff}{\"id\":1}\n".as_bytes());
        assert_eq!(marked.unwrap(), ["{\"id\":1}"]);
    }

    #[test]
    fn a_page_is_answered_with_its_text_and_a_failure_with_its_reason() {
        let workers = Workers::new().unwrap();
        let requests = [
            r#"{"id":1,"html":"<title>T</title><p>One sentence of a page."}"#,
            r#"{"id":2}"#,
            r#"{"id":3,"path":"/nonexistent"}"#,
        ];
        let answers = extract(&workers, &requests.map(String::from));
        let first = answers[0].page.as_ref().unwrap();
        assert_eq!(first.title.as_deref(), Some("T"));
        assert!(answers[0].line.contains("\"id\":1"));
        for (answer, told) in answers[1..].iter().zip(["neither path", "/nonexistent"]) {
            let error = answer.page.as_ref().unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
            assert!(answer.line.contains("\"error\":"), "{}", answer.line);
        }
    }

    #[test]
    fn a_file_that_is_no_text_is_told_by_its_name_and_format() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        std::fs::write(&path, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
        let answer = answer(&json!({"id": 1, "path": path}).to_string());
        let error = answer.page.unwrap_err().to_string();
        assert!(
            error.contains("a.png") && error.contains("image/png"),
            "{error}"
        );
    }

    #[test]
    fn a_panic_is_an_answer_with_its_id() {
        let answer = panicked("{\"id\":\"x\"}");
        assert_eq!(answer.page, Err(ExtractionError::Panicked));
        assert!(answer.line.contains("\"x\"") && answer.line.contains("unexpected"));
    }
}
