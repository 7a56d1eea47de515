//! Finding the end of comments, scripts and other raw text.
//!
//! Source: WHATWG HTML, §13.2.5.9 to §13.2.5.31 and §13.2.5.43 to §13.2.5.52.

use super::attributes::ends_name;

/// For a comment whose text begins at `start`: where the text ends, and where the comment ends. `None` for one
/// that goes on to the end of the page.
pub(super) fn comment_end(html: &str, start: usize) -> Option<(usize, usize)> {
    let text = &html[start..];
    if text.starts_with('>') {
        return Some((start, start + 1));
    }
    if text.starts_with("->") {
        return Some((start, start + 2));
    }
    for at in memchr::memmem::find_iter(text.as_bytes(), b"--") {
        // In "--->" the first dash is text.
        for at in [at, at + 1] {
            let after = &text.as_bytes()[at..];
            if after.starts_with(b"-->") {
                return Some((start + at, start + at + 3));
            }
            if after.starts_with(b"--!>") {
                return Some((start + at, start + at + 4));
            }
        }
    }
    None
}

/// Where the text of a comment that goes on to the end of the page ends: an unfinished end is no text.
pub(super) fn open_comment_end(text: &str) -> usize {
    let end = ["--!", "--", "-"]
        .iter()
        .find_map(|begun| text.strip_suffix(begun));
    end.unwrap_or(text).len()
}

/// Where the end tag of the raw text element `name` begins.
pub(super) fn raw_text_end(html: &str, start: usize, name: &str) -> usize {
    let bytes = html.as_bytes();
    let mut at = start;
    while let Some(offset) = memchr::memmem::find(&bytes[at..], b"</") {
        at += offset;
        if closes(&bytes[at..], name.as_bytes()) {
            return at;
        }
        at += 2;
    }
    html.len()
}

/// Where a script's end tag begins. Within `<!--` a nested `<script>` and its end tag are text.
pub(super) fn script_end(bytes: &[u8], start: usize) -> usize {
    #[derive(Clone, Copy, PartialEq)]
    enum Escape {
        None,
        Comment,
        ScriptInComment,
    }
    let mut escape = Escape::None;
    let mut dashes = 0;
    let mut at = start;
    while at < bytes.len() {
        if escape == Escape::None {
            match memchr::memchr(b'<', &bytes[at..]) {
                Some(offset) => at += offset,
                None => break,
            }
        }
        let rest = &bytes[at..];
        match rest[0] {
            b'<' if escape == Escape::None && rest.starts_with(b"<!--") => {
                escape = Escape::Comment;
                dashes = 2;
                at += 4;
                continue;
            }
            b'<' if closes(rest, b"script") => {
                if escape != Escape::ScriptInComment {
                    return at;
                }
                escape = Escape::Comment;
                dashes = 0;
                at += b"</script>".len();
                continue;
            }
            b'<' if escape == Escape::Comment && opens_script(rest) => {
                escape = Escape::ScriptInComment;
                dashes = 0;
                at += b"<script>".len();
                continue;
            }
            b'>' if dashes >= 2 => {
                escape = Escape::None;
                dashes = 0;
            }
            b'-' if escape != Escape::None => dashes += 1,
            _ => dashes = 0,
        }
        at += 1;
    }
    bytes.len()
}

fn opens_script(rest: &[u8]) -> bool {
    rest.len() > 7 && rest[1..7].eq_ignore_ascii_case(b"script") && ends_name(rest[7])
}

fn closes(rest: &[u8], name: &[u8]) -> bool {
    rest.len() > name.len() + 2
        && rest[1] == b'/'
        && rest[2..name.len() + 2].eq_ignore_ascii_case(name)
        && ends_name(rest[name.len() + 2])
}
