//! A text without markup to a [`Page`]: what it says, what it is called by (its first line that says something), and
//! what its headers say, which are the only place for a text to forbid its indexing.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::extract::extract;
use crate::page::{Page, PageContext};

/// Characters of a title.
const TITLE_CHARS_MAX: usize = 120;

/// Reads a text as it is; `is_marked` where its title is marked, see [`title_of_marked_text`]. Its directives, licence and
/// canonical URL are those of its headers.
///
/// ```
/// use extractor::{PageContext, extract_text};
/// let url = url::Url::parse("https://example.org/a.txt").unwrap();
/// let page = extract_text("N\u{8}NA\u{8}AME\n".to_owned(), false, &PageContext::new(&url));
/// assert_eq!(page.text, "NAME\n");
/// ```
pub fn extract_text(text: String, is_marked: bool, context: &PageContext<'_>) -> Page {
    let text = match without_controls(&text) {
        Cow::Owned(shown) => shown,
        Cow::Borrowed(_) => text,
    };
    let of_headers = extract("", context);
    let title = match is_marked {
        true => title_of_marked_text(&text),
        false => title_of_text(&text),
    };
    Page {
        title,
        visible_text_chars: text.chars().count(),
        text,
        link_density: 0.0,
        directives: of_headers.directives,
        canonical: of_headers.canonical,
        licence: of_headers.licence,
        ..Page::empty(context.url)
    }
}

/// Colours and styles of terminals (ECMA-48) and of chats (mIRC).
static STYLES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b\[[0-9;]{0,20}[A-Za-z]|\x03(?:\d{1,2}(?:,\d{1,2})?)?|[\x02\x0f\x16\x1d\x1f]")
        .expect("the regex is valid")
});

/// The text as a terminal or a printer shows it: without styles, and of what was struck over the last character,
/// as manual pages write bold (`X`, backspace, `X`) and underlined ones (`_`, backspace, `X`).
fn without_controls(text: &str) -> Cow<'_, str> {
    let text = STYLES.replace_all(text, "");
    if !text.contains('\u{8}') {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    // What was gone back over, the first character last.
    let mut under: Vec<char> = Vec::new();
    for char in text.chars() {
        match char {
            '\u{8}' if shown.ends_with('\n') => {}
            '\u{8}' => under.extend(shown.pop()),
            '\n' => {
                shown.extend(under.drain(..).rev());
                shown.push(char);
            }
            _ => shown.push(match under.pop() {
                Some(struck) if char == '_' => struck,
                _ => char,
            }),
        }
    }
    shown.extend(under.drain(..).rev());
    Cow::Owned(shown)
}

/// The title of a plain text: its first line that is not empty. Lines may end in a carriage return alone, and
/// pages in a form feed.
pub fn title_of_text(text: &str) -> Option<String> {
    lines(text).next().map(cut)
}

/// The title of a text in reStructuredText, AsciiDoc or Org: its first line that has a letter or a digit and is
/// none for machines (`.. name:`, `:name: value`, `// note`, `#+NAME:`), without its marks.
///
/// ```
/// let text = "====\nEels\n====\n\nThey swim.";
/// assert_eq!(extractor::title_of_marked_text(text).as_deref(), Some("Eels"));
/// ```
pub fn title_of_marked_text(text: &str) -> Option<String> {
    let named = lines(text).find_map(|line| {
        let name = line.get(.."#+title:".len())?;
        let is_title = name.eq_ignore_ascii_case("#+title:");
        is_title.then(|| line[name.len()..].trim())
    });
    let said = lines(text).find(|line| {
        let is_for_machines = ["..", ":", "//", "#+", "# "];
        line.contains(char::is_alphanumeric)
            && !is_for_machines.iter().any(|mark| line.starts_with(mark))
    });
    let title = named.filter(|title| !title.is_empty()).or(said)?;
    Some(cut(title.trim_start_matches(['=', '*']).trim()))
}

/// The lines of a text that are not empty.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split(['\n', '\r', '\x0c']).map(str::trim);
    lines.filter(|line| !line.is_empty())
}

fn cut(line: &str) -> String {
    line.chars().take(TITLE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_printer_strikes_over_is_shown_once() {
        for (text, shown) in [
            ("N\u{8}NA\u{8}AM\u{8}ME\u{8}E", "NAME"),
            ("_\u{8}f_\u{8}i_\u{8}l_\u{8}e x", "file x"),
            ("f\u{8}_i\u{8}_", "fi"),
            ("b\u{8}b\u{8}bold", "bold"),
            ("old\u{8}\u{8}\u{8}new", "new"),
            ("\u{8}\u{8}a\n\u{8}b\u{8}", "a\nb"),
            ("\u{1b}[1;33mwarm\u{1b}[0m tea", "warm tea"),
            ("\u{3}04,1red\u{3} \u{2}bold\u{2}", "red bold"),
            ("a\tb\u{c}c\n", "a\tb\u{c}c\n"),
        ] {
            assert_eq!(without_controls(text), shown, "{text:?}");
        }
    }

    #[test]
    fn a_text_is_asked_for_by_its_headers() {
        let url = url::Url::parse("https://a.example/t.txt").unwrap();
        let header = |name: &str, value: &str| (name.to_owned(), value.as_bytes().to_vec());
        let headers = [
            header("x-robots-tag", "noindex"),
            header("link", "</t.html>; rel=\"canonical\""),
        ];
        let context = PageContext {
            headers: &headers,
            ..PageContext::new(&url)
        };
        let page = extract_text("A text.\n".to_owned(), false, &context);
        assert!(!page.directives.index);
        let canonical = page.canonical.unwrap();
        assert_eq!(canonical.as_str(), "https://a.example/t.html");
        assert_eq!(
            (page.title.as_deref(), page.text.as_str()),
            (Some("A text."), "A text.\n")
        );
        assert!(page.needs_scripts.is_empty() && page.links.is_empty());
    }

    #[test]
    fn a_text_is_called_by_its_first_line() {
        // Of a text with the line ends of old Macs the title was its first 500 characters.
        for end in ["\n", "\r\n", "\r", "\x0c"] {
            let text = format!("{end} A report {end}{end}Its text.{end}");
            assert_eq!(title_of_text(&text).as_deref(), Some("A report"), "{end:?}");
        }
        assert_eq!(title_of_text(" \n"), None);
    }

    #[test]
    fn a_marked_text_is_called_by_its_first_line_for_people() {
        for (text, title) in [
            (".. _eels:\n\nEels\n----\n", Some("Eels")),
            ("// a note\n= Eels & more\n:toc:\n", Some("Eels & more")),
            ("# -*- mode: org -*-\n* Top\n#+TITLE: Eels\n", Some("Eels")),
            ("#+title:\n* Top\n", Some("Top")),
            ("====\n", None),
        ] {
            assert_eq!(title_of_marked_text(text).as_deref(), title, "{text:?}");
        }
    }
}
