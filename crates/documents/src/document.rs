//! A document of a list or an archive, before and after it is read.

use segment::{Segmenter, Words};
use serde_json::Value;
use url::Url;

use crate::text::Text;

/// A document before it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Its name in the answer: a string or a number.
    pub id: Value,
    /// Where it is from.
    pub url: Option<Url>,
    /// What it is.
    pub form: Form,
    /// What was said of it beside its text.
    pub facts: PageFacts,
}

/// What a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// A text.
    Text(String),
    /// Markup.
    Html(String),
    /// The body of an answer.
    Bytes {
        /// The body, its codings undone.
        bytes: Vec<u8>,
        /// Its type as declared, or else by its look.
        content_type: Option<String>,
    },
}

/// What a page says beside its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageFacts {
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
    /// Reads it: its words, and what else its page says. What the list said of it comes before
    /// what its page says.
    pub fn read(&self) -> (Words, PageFacts) {
        let url = self.url.as_ref();
        let page = match &self.form {
            Form::Text(text) => return (Segmenter::shared().words(text), self.facts.clone()),
            Form::Html(html) => Text::of_html(html, url),
            Form::Bytes {
                bytes,
                content_type,
            } => Text::of_bytes(bytes, content_type.as_deref(), url),
        };
        let words = page.words();
        let facts = PageFacts {
            layout: page.layout,
            published: self.facts.published.clone().or(page.published),
            canonical: self.facts.canonical.clone().or(page.canonical),
            source: page.source,
        };
        (words, facts)
    }

    /// About how many bytes it holds.
    pub fn bytes(&self) -> usize {
        match &self.form {
            Form::Text(text) | Form::Html(text) => text.len(),
            Form::Bytes { bytes, .. } => bytes.len(),
        }
    }
}

/// What stands next in a file.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every entry is a document"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A document.
    Document(Document),
    /// A record that is no page.
    Other,
}

/// A place in a file that holds no document.
#[derive(Debug)]
pub struct DocumentError {
    /// The file as it was named.
    pub file: String,
    /// The line, counted from 1; none in an archive, or where the file ended early.
    pub line: Option<u64>,
    /// The id that it has all the same.
    pub id: Option<Value>,
    /// What is wrong.
    pub problem: DocumentProblem,
}

impl std::fmt::Display for DocumentError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DocumentError { file, problem, .. } = self;
        match self.line {
            Some(line) => write!(f, "{file}:{line}: {problem}"),
            None => write!(f, "{file}: {problem}"),
        }
    }
}

impl std::error::Error for DocumentError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.problem.source()
    }
}

/// What is wrong with a line, or with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentProblem {
    /// The line is not JSON, or a value is of the wrong type.
    #[error("no document: {0}")]
    Json(#[source] serde_json::Error),
    /// Nobody could tell which answer is the document's.
    #[error("the line has no \"id\"; write {{\"id\": …, \"text\": …}}")]
    NoId,
    /// The id is true, a list or an object.
    #[error("\"id\" is neither a string nor a number")]
    WrongId,
    /// There is nothing to read.
    #[error("the line has neither \"text\" nor \"html\"")]
    NoText,
    /// The line is longer than [`BYTES_MAX`](crate::source::BYTES_MAX).
    #[error("longer than {} MB", crate::source::BYTES_MAX >> 20)]
    TooLong,
    /// The rest of the file cannot be read.
    #[error("not read further: {0}")]
    Unreadable(#[source] archive::WarcError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_list_says_comes_before_what_the_page_says() {
        let html = "<link rel=canonical href=http://a.example/page><p>One sentence of a page.";
        let mut document = Document {
            id: 1.into(),
            url: Url::parse("http://a.example/").ok(),
            form: Form::Html(html.into()),
            facts: PageFacts::default(),
        };
        let canonical = |document: &Document| document.read().1.canonical.unwrap();
        assert_eq!(canonical(&document), "http://a.example/page");
        document.facts.canonical = Some("http://a.example/list".into());
        assert_eq!(canonical(&document), "http://a.example/list");
    }
}
