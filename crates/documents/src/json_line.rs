//! A JSON line to a document.

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::document::{Document, DocumentProblem, Form, PageFacts};
use crate::text::without_mark;

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

/// Reads a line. One that is no document may have an id all the same.
pub(crate) fn document(line: &[u8]) -> Result<Document, (Option<Value>, DocumentProblem)> {
    let line = without_mark(line);
    let line: Line = serde_json::from_slice(line).map_err(|error| {
        // A line with a value of the wrong type may still have an id.
        let id = serde_json::from_slice::<Value>(line)
            .ok()
            .and_then(|line| line.get("id").cloned());
        (id, DocumentProblem::Json(error))
    })?;
    let id = match (&line.id, &line.url) {
        (Value::Null, Some(url)) => Value::from(url.as_str()),
        (Value::Null, None) => return Err((None, DocumentProblem::NoId)),
        (Value::String(_) | Value::Number(_), _) => line.id,
        (Value::Bool(_) | Value::Array(_) | Value::Object(_), _) => {
            return Err((None, DocumentProblem::WrongId));
        }
    };
    let form = match (line.text, line.html) {
        (Some(text), _) => Form::Text(text),
        (None, Some(html)) => Form::Html(html),
        (None, None) => return Err((Some(id), DocumentProblem::NoText)),
    };
    Ok(Document {
        id,
        // The address only helps to read a page; one that is no URL is none.
        url: line.url.as_deref().and_then(|url| Url::parse(url).ok()),
        form,
        facts: PageFacts {
            published: line.published,
            canonical: line.canonical,
            ..PageFacts::default()
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn fails(line: &str, id: Option<Value>, problem: &str) {
        let (found, told) = document(line.as_bytes()).unwrap_err();
        assert_eq!(found, id, "{line}");
        assert!(told.to_string().contains(problem), "{line}: {told}");
    }

    #[test]
    fn a_line_that_is_no_document_is_told_with_the_id_it_has() {
        fails("{", None, "no document: EOF");
        fails("{\"id\":\"x\"}", Some("x".into()), "neither \"text\" nor");
        fails("{\"text\":\"a\"}", None, "no \"id\"");
        fails("{\"id\":[],\"text\":\"a\"}", None, "neither a string nor");
        fails("{\"id\":7,\"text\":3}", Some(7.into()), "invalid type");
    }

    #[test]
    fn a_line_with_a_byte_order_mark_is_read() {
        // It was no document: "expected value at line 1 column 1".
        let found = document("\u{feff}{\"id\":1,\"text\":\"a\"}".as_bytes());
        assert_eq!(found.unwrap().id, 1);
    }

    #[test]
    fn a_document_without_an_id_is_named_by_its_url() {
        let found =
            document(b"{\"html\":\"<p>\",\"url\":\"http://a.example/\",\"more\":1}").unwrap();
        assert_eq!(found.id, "http://a.example/");
        assert_eq!(found.form, Form::Html("<p>".into()));
        let marked = b"\xef\xbb\xbf{\"id\":1,\"text\":\"a\"}";
        assert_eq!(document(marked).unwrap().id, 1);
        let found = document(b"{\"text\":\"a\",\"url\":\"no url\"}").unwrap();
        assert_eq!((found.id, found.url), ("no url".into(), None));
    }
}
