//! Ids in the path of a URL, made for the reader and not for the page.
//!
//! Some servers write the session into the path where cookies are off, so that each answer has links
//! that were never seen. There are three forms, and each has a name that is the same on all pages:
//!
//! ```text
//! form                              example                     name
//! parameter of a segment            /a;jsessionid=1A2B/b        ;jsessionid
//! ASP.NET's cookieless segment      /(X(1)S(f2a0))/a            (S(…))
//! segment that looks like an id     /s/4f9c2e77b01d9a3e/a       /s/
//! ```
//!
//! The last is named after the segment before it. Nothing here says that such an id may be left out: it
//! is treated like a parameter of the query, and whether it changes anything is learnt (`parameters`).
//! Only where session ids are dropped without asking (`url.drop_sessions`) the first two forms go at once.

use std::ops::Range;

/// Bytes of a segment that looks like an id; shorter ones are words and numbers.
const ID_BYTES: Range<usize> = 16..129;
/// Places in it where a letter stands beside a digit. Names of pages have hyphens there.
const ID_MIXED_MIN: usize = 2;
/// The name of ASP.NET's form.
pub(crate) const COOKIELESS: &str = "(S(…))";

/// An id in a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathId<'p> {
    /// What it is called on all pages.
    pub name: &'p str,
    pub value: &'p str,
    /// What is cut from the path to leave it out.
    pub range: Range<usize>,
}

/// The ids in a path, in their order.
pub(crate) fn path_ids(path: &str) -> Vec<PathId<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    for segment in path.split('/') {
        let begin = at;
        at += segment.len() + 1;
        // The slash before it goes with a segment that is left out.
        let whole = begin.saturating_sub(1)..begin + segment.len();
        if is_cookieless(segment) {
            found.push(PathId {
                name: COOKIELESS,
                value: segment,
                range: whole,
            });
        } else if is_id(segment) && begin > 0 {
            let before = path[..begin - 1].rfind('/').unwrap_or(begin - 1);
            found.push(PathId {
                name: &path[before..begin],
                value: segment,
                range: whole,
            });
        } else if segment.contains(';') {
            parameters(segment, begin, &mut found);
        }
    }
    found
}

/// A path without some of its ids.
pub(crate) fn without(path: &str, is_left_out: impl Fn(&PathId<'_>) -> bool) -> String {
    let mut kept = String::with_capacity(path.len());
    let mut at = 0;
    for id in path_ids(path).into_iter().filter(|id| is_left_out(id)) {
        kept.push_str(&path[at..id.range.start]);
        at = id.range.end;
    }
    kept.push_str(&path[at..]);
    if kept.is_empty() {
        kept.push('/');
    }
    kept
}

/// The parameters of a segment that begins at `begin`: all that have a value.
fn parameters<'p>(segment: &'p str, begin: usize, found: &mut Vec<PathId<'p>>) {
    let mut next = segment.find(';');
    while let Some(at) = next {
        let rest = &segment[at + 1..];
        next = rest.find(';').map(|more| at + 1 + more);
        let end = next.unwrap_or(segment.len());
        let parameter = &segment[at..end];
        if let Some((name, value)) = parameter.split_once('=') {
            found.push(PathId {
                name,
                value,
                range: begin + at..begin + end,
            });
        }
    }
}

/// Whether a segment is of the form `(X(…)S(…))`, with the letters that ASP.NET gives to what it would
/// have put into cookies.
fn is_cookieless(segment: &str) -> bool {
    let inside = segment.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
    let Some(mut rest) = inside.filter(|inside| !inside.is_empty()) else {
        return false;
    };
    let mut names_reader = false;
    while !rest.is_empty() {
        let Some((kind, value)) = rest.split_once('(') else {
            return false;
        };
        let Some((value, more)) = value.split_once(')') else {
            return false;
        };
        if !matches!(kind, "A" | "F" | "S" | "X") || value.is_empty() {
            return false;
        }
        names_reader |= kind != "X";
        rest = more;
    }
    names_reader
}

/// Whether a segment looks like an id: long, of letters and digits in disorder.
fn is_id(segment: &str) -> bool {
    let is_of_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !ID_BYTES.contains(&segment.len()) || !segment.bytes().all(is_of_id) {
        return false;
    }
    let is_mixed = |pair: &&[u8]| match pair {
        [one, other] => {
            one.is_ascii_digit() && other.is_ascii_alphabetic()
                || one.is_ascii_alphabetic() && other.is_ascii_digit()
        }
        _ => false,
    };
    let mixed = segment.as_bytes().windows(2).filter(is_mixed);
    mixed.take(ID_MIXED_MIN).count() == ID_MIXED_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names and values of a path's ids, and the path without them.
    #[track_caller]
    fn check(path: &str, ids: &[(&str, &str)], plain: &str) {
        let found: Vec<_> = path_ids(path)
            .iter()
            .map(|id| (id.name, id.value))
            .collect();
        assert_eq!(found, ids, "{path}");
        assert_eq!(without(path, |_| true), plain);
        assert_eq!(without(path, |_| false), path);
    }

    #[test]
    fn ids_of_each_form_are_found_by_a_name_that_stays_the_same() {
        check(
            "/a;jsessionid=1A.x/b;v=2",
            &[(";jsessionid", "1A.x"), (";v", "2")],
            "/a/b",
        );
        check("/(S(ab1))/p", &[("(S(…))", "(S(ab1))")], "/p");
        check("/app/(X(1)S(q))/", &[("(S(…))", "(X(1)S(q))")], "/app/");
        check("/(S(ab1))", &[("(S(…))", "(S(ab1))")], "/");
        let id = "4f9c2e77b01d9a3e";
        check(&format!("/s/{id}/a"), &[("/s/", id)], "/s/a");
        check(&format!("/{id}/a"), &[("/", id)], "/a");
        check(&format!("/{id}"), &[("/", id)], "/");
    }

    #[test]
    fn words_dates_and_numbers_are_no_ids() {
        for path in [
            "/",
            "/windows-10-review-of-2026",
            "/2026/11/30/20261130123456789",
            "/wiki/Rust_(programming_language)",
            "/(X(1))/a",
            "/(S())/a",
            "/a;b/c",
            "/a(S(b))",
        ] {
            check(path, &[], path);
        }
    }
}
