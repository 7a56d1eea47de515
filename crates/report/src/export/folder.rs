//! Kept pages as a folder of Markdown files, one for each page, below a folder for each host.
//!
//! A file begins with front matter in YAML, whose values are quoted as JSON is, which YAML reads; so
//! no title of a hostile page can end it early. Names are made of the URL's last part and the number
//! of the record: they are unique, short, and hold no character that a file system minds.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::pages::PageRow;
use super::request::Reads;

/// Characters of the URL in a file's name.
const SLUG_CHARS_MAX: usize = 60;

/// A folder that is being filled.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    made: HashSet<String>,
}

/// Files of an earlier export would pass for rows of this one.
///
/// # Errors
/// When there is something in the folder, or it cannot be read.
pub(super) fn must_be_empty(root: &Path) -> io::Result<()> {
    match fs::read_dir(root) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "the folder is not empty: remove it, or name another one",
            )),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

impl Folder {
    pub(super) fn create(root: &Path) -> io::Result<Folder> {
        must_be_empty(root)?;
        fs::create_dir_all(root)?;
        Ok(Folder {
            root: root.to_owned(),
            made: HashSet::new(),
        })
    }

    /// Writes a page; false where the archive has neither its body nor its text.
    pub(super) fn add(&mut self, row: &PageRow<'_>, reads: &dyn Reads) -> io::Result<bool> {
        let page = row.record;
        let markdown = page
            .body
            .as_ref()
            .and_then(|at| reads.markdown(&page.url, at));
        let text = || page.text.as_ref().and_then(|at| reads.text(at));
        let Some(content) = markdown.filter(|text| !text.is_empty()).or_else(text) else {
            return Ok(false);
        };
        let host = safe(weburl::host_of(&page.url), SLUG_CHARS_MAX);
        let dir = self.root.join(&host);
        // A host's folder is made once; the names that are remembered are bounded.
        if !self.made.contains(&host) {
            fs::create_dir_all(&dir)?;
            if self.made.len() < 10_000 {
                self.made.insert(host);
            }
        }
        let name = format!("{}-{}.md", slug(&page.url), row.seq);
        fs::write(dir.join(name), format!("{}{content}\n", front_matter(row)))?;
        Ok(true)
    }
}

fn front_matter(row: &PageRow<'_>) -> String {
    let summary = row.record.page.as_ref();
    let text = |value: Option<&str>| value.map_or(Value::Null, |text| json!(text));
    let published = summary.and_then(|page| page.published.as_deref());
    let fields = [
        ("url", json!(row.record.url)),
        ("title", text(summary.map(|page| page.title.as_str()))),
        ("lang", text(summary.map(|page| page.lang.as_str()))),
        (
            "author",
            text(summary.and_then(|page| page.author.as_deref())),
        ),
        (
            "published",
            published.map_or(Value::Null, super::values::moment),
        ),
        (
            "licence",
            text(summary.and_then(|page| page.licence.as_deref())),
        ),
        ("fetched_at", row.fetched_at()),
        ("relevance", row.relevance()),
        ("record", json!(row.seq)),
    ];
    let told = fields
        .iter()
        .filter(|(_, value)| !value.is_null() && value != &json!(""));
    let lines: String = told
        .map(|(name, value)| format!("{name}: {}\n", yaml(value)))
        .collect();
    format!("---\n{lines}---\n\n")
}

/// A value as YAML: JSON, with escapes for what JSON takes as it is and YAML does not (1.2.2, §5.1), or
/// takes for the end of a line.
fn yaml(value: &Value) -> String {
    let json = value.to_string();
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => out.push_str(&format!("\\u{:04x}", character as u32)),
            character => out.push(character),
        }
    }
    out
}

/// The last part of a URL's path, as a part of a file's name.
fn slug(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let (_, path) = weburl::without_scheme(path)
        .split_once('/')
        .unwrap_or(("", ""));
    let last = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let last = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    match safe(last, SLUG_CHARS_MAX).as_str() {
        "" => "index".to_owned(),
        slug => slug.to_owned(),
    }
}

/// The text with nothing in it but letters, digits, `-`, `_` and inner points.
fn safe(text: &str, chars_max: usize) -> String {
    let clean = text.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() => c,
        '-' | '_' | '.' => c,
        _ => '-',
    });
    let clean: String = clean.take(chars_max).collect();
    clean.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_holds_no_character_that_yaml_forbids() {
        // A title with C1 controls made a file that YAML readers refused as a whole.
        let title = json!("a\u{85}b\u{9b}c\u{2028}d\u{7f} \"索引\" \u{1b}\u{feff}");
        let written = yaml(&title);
        assert!(
            written
                .chars()
                .all(|c| !c.is_control() && c != '\u{2028}' && c != '\u{feff}'),
            "{written:?}"
        );
        let read: Value = serde_json::from_str(&written).expect("JSON is YAML");
        assert_eq!(read, title);
    }

    #[test]
    fn names_are_harmless_on_every_file_system() {
        for (url, name) in [
            ("http://a.example/", "index"),
            ("http://a.example/x/notes.html?y=/../z", "notes"),
            ("http://a.example/..", "index"),
            ("http://a.example/%2e%2e%2fetc", "2e-2e-2fetc"),
            ("http://a.example", "index"),
        ] {
            assert_eq!(slug(url), name);
        }
        assert_eq!(safe("a.example:8080", 60), "a.example-8080");
        assert_eq!(safe(&"x".repeat(300), 60).len(), 60);
    }
}
