//! How a body that is text is to be read: as markup, as Markdown, as it is, or by what is in it.
//!
//! Servers have many names for texts that people write in marked lines (reStructuredText, AsciiDoc, Org). Their marks
//! stay in the text; only their titles are known by them.

use crate::web_archive::is_archive_type;

/// How a text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// HTML or XHTML.
    Html,
    /// Markdown (RFC 7763).
    Markdown,
    /// A text with marked titles.
    Marked,
    /// A text as it is.
    Plain,
    /// Rich Text Format.
    Rich,
    /// A page with all that belongs to it: see [`archived_page`](crate::archived_page()).
    Archive,
}

impl TextForm {
    /// The form of a body by its [`body_type`](crate::body_type()) and the path of its URL; `None` where it is no
    /// text that is read. What is called plain and whose name ends as that of Markdown is Markdown, and so on: that is
    /// how forges send the files of a repository.
    pub fn of(body_type: &str, path: &str) -> Option<TextForm> {
        match body_type {
            "text/plain" if is_markdown_name(path) => Some(TextForm::Markdown),
            "text/plain" if ends_in(path, &MARKED_ENDINGS) => Some(TextForm::Marked),
            body_type => TextForm::of_type(body_type),
        }
    }

    /// The form that a type names by itself.
    pub(crate) fn of_type(body_type: &str) -> Option<TextForm> {
        match body_type {
            "text/html" | "application/xhtml+xml" => Some(TextForm::Html),
            "text/markdown" | "text/x-markdown" | "text/x-web-markdown" => Some(TextForm::Markdown),
            "text/x-rst"
            | "text/prs.fallenstein.rst"
            | "text/asciidoc"
            | "text/x-asciidoc"
            | "text/org"
            | "text/x-org" => Some(TextForm::Marked),
            "text/plain" => Some(TextForm::Plain),
            "text/rtf" | "application/rtf" | "application/x-rtf" => Some(TextForm::Rich),
            archive if is_archive_type(archive) => Some(TextForm::Archive),
            _ => None,
        }
    }
}

/// How the names of texts end that mark their titles.
const MARKED_ENDINGS: [&str; 4] = ["rst", "adoc", "asciidoc", "org"];

/// Whether a file of this name is Markdown.
pub fn is_markdown_name(path: &str) -> bool {
    ends_in(path, &["md", "markdown", "mkd"])
}

/// Whether a file of this name is a text by custom: by its ending, or without one by capital letters (`README`,
/// `INSTALL`). Servers often have no type for these.
pub(crate) fn is_text_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_readme = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase());
    is_readme
        || is_markdown_name(name)
        || ends_in(name, &MARKED_ENDINGS)
        || ends_in(name, &["txt", "text"])
}

fn ends_in(path: &str, endings: &[&str]) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_it = |known: &&str| ending.eq_ignore_ascii_case(known);
    endings.iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_by_its_type_and_a_plain_one_by_its_name() {
        let of = TextForm::of;
        assert_eq!(of("text/markdown", "/a"), Some(TextForm::Markdown));
        assert_eq!(of("text/plain", "/README.MD"), Some(TextForm::Markdown));
        assert_eq!(of("text/plain", "/a.md/b"), Some(TextForm::Plain));
        assert_eq!(of("text/html", "/a.md"), Some(TextForm::Html));
        assert_eq!(of("text/x-rst", "/a"), Some(TextForm::Marked));
        assert_eq!(of("text/plain", "/a.adoc"), Some(TextForm::Marked));
        assert_eq!(of("text/css", "/a.md"), None);
    }

    #[test]
    fn a_text_is_known_by_its_name_where_its_server_knows_no_type() {
        for path in ["/a.MD", "/a/b.rst", "/notes.txt", "/p/README", "/a.adoc"] {
            assert!(is_text_name(path), "{path}");
        }
        for path in [
            "/",
            "/README/",
            "/a",
            "/Makefile",
            "/a.txt.gz",
            "/a.csv",
            "/READ-1",
        ] {
            assert!(!is_text_name(path), "{path}");
        }
    }
}
