//! Batches of pages as JSON lines, the format of `tamis extract --jsonl`.
//!
//! Each line is answered by itself, so a caller may process lines in parallel. This crate opens no
//! file: the caller reads pages that are given by their path.

use outcome::{PageType, Wall};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::blocks::Block;
use crate::page::{AddedText, Link, Page, PageContext, TextSource};
use crate::{decode, extract, extract_markdown, stated_url::placeholder_url};

/// One line of input: a page to read.
#[derive(Deserialize)]
struct JsonRequest {
    /// The page's name in the output.
    id: serde_json::Value,
    /// The file that holds its bytes.
    #[serde(default)]
    path: Option<String>,
    /// The markup itself, instead of a path.
    #[serde(default)]
    html: Option<String>,
    /// The page's URL.
    #[serde(default)]
    url: Option<String>,
    /// The Content-Type header it came with.
    #[serde(default)]
    content_type: Option<String>,
    /// The form in which the main content is wanted beside the blocks.
    #[serde(default)]
    format: Option<ContentFormat>,
}

/// A form of the main content.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ContentFormat {
    Markdown,
    Html,
    Text,
    Json,
}

/// One line of output.
#[derive(Serialize)]
struct JsonPage<'a> {
    id: &'a serde_json::Value,
    url: Option<&'a str>,
    title: Option<&'a str>,
    author: Option<&'a str>,
    published: Option<&'a str>,
    /// The day of `published`, or of `modified` on a page that names no other, for tools that compare days.
    date: Option<&'a str>,
    modified: Option<&'a str>,
    lang: Option<&'a str>,
    site_name: Option<&'a str>,
    description: Option<&'a str>,
    licence: Option<&'a str>,
    image: Option<&'a str>,
    text: &'a str,
    source: TextSource,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    added: &'a [AddedText],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    needs_scripts: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    comments: &'a str,
    blocks: &'a [Block],
    links: &'a [Link],
    page_type: &'a PageType,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall: Option<&'a Wall>,
    layout: String,
    limits_hit: &'a [&'static str],
}

/// Extracts the page of one JSON line, `{id, path or html, url?, content_type?, format?}`, and returns
/// the page as one JSON line, without its line feed. With `"format": "markdown"` or `"html"` the page
/// has its main content in that form as well, under this name.
///
/// `read` returns the bytes of a file by its path. Errors are returned as a line `{id, error}`.
///
/// ```
/// let no_files = |_: &str| Err(std::io::ErrorKind::NotFound.into());
/// let line = extractor::extract_json_line(r#"{"id": 1, "html": "<title>T</title>"}"#, &no_files);
/// assert!(line.starts_with(r#"{"id":1,"#) && line.contains(r#""title":"T""#));
/// ```
pub fn extract_json_line(line: &str, read: &dyn Fn(&str) -> std::io::Result<Vec<u8>>) -> String {
    // Some tools write a byte order mark before the first line.
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let request: JsonRequest = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(error) => return failure(&serde_json::Value::Null, &format!("read the line: {error}")),
    };
    let url = match request.url.as_deref().map(Url::parse) {
        None => placeholder_url(),
        Some(Ok(url)) => url,
        Some(Err(error)) => {
            let url = request.url.as_deref().unwrap_or_default();
            return failure(&request.id, &format!("parse url {url:?}: {error}"));
        }
    };
    let page = match (&request.html, &request.path) {
        (Some(html), _) => {
            let headers = headers(request.content_type.as_deref());
            let context = PageContext {
                headers: &headers,
                ..PageContext::new(&url)
            };
            extract(html, &context)
        }
        (None, Some(path)) => match read(path) {
            Ok(bytes) => page_of_bytes(&bytes, request.content_type.as_deref(), &url),
            Err(error) => return failure(&request.id, &format!("read {path:?}: {error}")),
        },
        (None, None) => return failure(&request.id, "the line has neither path nor html"),
    };
    let written = serde_json::to_string(&JsonPage {
        id: &request.id,
        url: request.url.as_deref(),
        title: page.title.as_deref(),
        author: page.author.as_deref(),
        published: page.published.as_deref(),
        date: page
            .published
            .as_deref()
            .or(page.modified.as_deref())
            .and_then(|date| date.get(..10)),
        modified: page.modified.as_deref(),
        lang: page.lang.as_deref(),
        site_name: page.site_name.as_deref(),
        description: page.description.as_deref(),
        licence: page.licence.as_deref(),
        image: page.image.as_deref(),
        text: &page.text,
        source: page.source,
        added: &page.added,
        needs_scripts: &page.needs_scripts,
        markdown: (request.format == Some(ContentFormat::Markdown)).then(|| page.markdown()),
        html: (request.format == Some(ContentFormat::Html)).then(|| page.html()),
        comments: &page.comments,
        blocks: &page.blocks,
        links: &page.links,
        page_type: &page.page_type,
        wall: page.wall.as_ref(),
        layout: format!("{:016x}", page.layout),
        limits_hit: &page.limits_hit,
    });
    written.unwrap_or_else(|error| failure(&request.id, &format!("write the page: {error}")))
}

/// Decodes and reads a page: [`decode`](crate::decode()) and then [`extract`](crate::extract()), or for
/// `text/markdown` [`extract_markdown`].
pub fn page_of_bytes(bytes: &[u8], content_type: Option<&str>, url: &Url) -> Page {
    let tld = url.host_str().and_then(|host| host.rsplit('.').next());
    let decoded = decode(bytes, content_type, tld);
    let headers = headers(content_type);
    let context = PageContext {
        encoding: decoded.encoding,
        headers: &headers,
        ..PageContext::new(url)
    };
    let is_markdown = content_type.is_some_and(|declared| {
        let essence = declared.split(';').next().unwrap_or_default();
        essence.trim().eq_ignore_ascii_case("text/markdown")
    });
    match is_markdown {
        true => extract_markdown(&decoded.text, &context),
        false => extract(&decoded.text, &context),
    }
}

/// The headers of a page of which the content type alone is known.
fn headers(content_type: Option<&str>) -> Vec<(String, Vec<u8>)> {
    let declared = content_type.into_iter();
    declared
        .map(|declared| ("content-type".to_owned(), declared.as_bytes().to_vec()))
        .collect()
}

fn failure(id: &serde_json::Value, error: &str) -> String {
    serde_json::json!({"id": id, "error": error}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_files(_: &str) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    #[test]
    fn every_line_gives_a_page_or_an_error() {
        for (line, expected) in [
            (r#"{"id":1,"html":"<title>T</title>"}"#, r#""title":"T""#),
            (
                "\u{feff}{\"id\":1,\"html\":\"<title>T</title>\"}",
                r#""title":"T""#,
            ),
            (r#"{"id":"a","path":"gone"}"#, r#""error":"read \"gone\""#),
            (r#"{"id":2}"#, "neither path nor html"),
            (r#"{"id":3,"html":"","url":"::"}"#, "parse url"),
            (
                r#"{"id":4,"html":"<p>One sentence, long enough to be read.","format":"markdown"}"#,
                r#""markdown":"One sentence"#,
            ),
            (
                r#"{"id":5,"html":"<p>One sentence, long enough to be read.","format":"html"}"#,
                r#""html":"<p>One sentence"#,
            ),
            (r#"{"id":6,"html":"","format":"pdf"}"#, "unknown variant"),
            ("{", "read the line"),
        ] {
            let written = extract_json_line(line, &no_files);
            assert!(written.contains(expected), "{line} gave {written}");
        }
    }
}
