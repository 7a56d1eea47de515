//! The path pattern of a rule: `*` matches any characters, a final `$` the end.
//!
//! Pattern and URL are normalised first (RFC 9309 §2.2.2), so that bytes can be compared: escapes of
//! unreserved characters are decoded, all other escapes are written in upper case, and everything outside
//! printable ASCII is escaped. A literal `$` or `*` becomes `%24` or `%2A` in both (§2.2.3); every `*` that
//! is left in a pattern is a wildcard.
//!
//! Matching needs no backtracking: each piece between wildcards is matched at its first occurrence after
//! the piece before, which leaves the longest rest. `memmem::find` takes linear time (two-way search), so a
//! match takes time linear in URL and pattern, whatever the pattern is.

use memchr::memmem;

/// A path pattern, ready to match.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    /// The normalised pattern without a final `$`; never two `*` in a row.
    text: Box<str>,
    /// Whether it must match to the end.
    anchored: bool,
    /// The length in octets, by which "the most specific match" is chosen.
    octets: u32,
}

impl Pattern {
    /// Parses a pattern as written in the file.
    pub(super) fn parse(raw: &[u8]) -> Self {
        let (body, anchored) = match raw.strip_suffix(b"$") {
            Some(body) => (body, true),
            None => (raw, false),
        };
        let mut text = String::with_capacity(body.len());
        normalize_into(&mut text, body, Side::Pattern);
        let octets = text.len() + usize::from(anchored);
        Self {
            text: text.into(),
            anchored,
            octets: u32::try_from(octets).unwrap_or(u32::MAX),
        }
    }

    /// How specific the pattern is: its length in octets.
    pub(super) fn octets(&self) -> u32 {
        self.octets
    }

    /// The normalised pattern without a final `$`.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it must match to the end.
    pub(super) fn is_anchored(&self) -> bool {
        self.anchored
    }

    /// Whether it has a `*`.
    pub(super) fn has_wildcard(&self) -> bool {
        self.text.contains('*')
    }

    /// What stands between its wildcards.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &str> {
        self.text.split('*')
    }

    /// Whether it matches a path from [`normalize_path`].
    pub(super) fn matches(&self, path: &str) -> bool {
        let mut pieces = self.pieces();
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = path.strip_prefix(first) else {
            return false;
        };
        let mut wildcard_seen = false;
        let mut next = pieces.next();
        while let Some(piece) = next {
            wildcard_seen = true;
            next = pieces.next();
            if next.is_none() && self.anchored {
                return rest.ends_with(piece);
            }
            match memmem::find(rest.as_bytes(), piece.as_bytes()) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        !self.anchored || wildcard_seen || rest.is_empty()
    }
}

/// Normalises a URL's path and query for comparison with patterns.
pub(super) fn normalize_path(path_and_query: &str) -> String {
    let mut text = String::with_capacity(path_and_query.len() + 8);
    normalize_into(&mut text, path_and_query.as_bytes(), Side::Url);
    text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Pattern,
    Url,
}

fn normalize_into(out: &mut String, bytes: &[u8], side: Side) {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'%' => match bytes.get(at..at + 2).and_then(hex_pair) {
                Some(value) => {
                    at += 2;
                    if is_unreserved(value) {
                        out.push(char::from(value));
                    } else {
                        push_escape(out, value);
                    }
                }
                None => out.push('%'),
            },
            b'*' if side == Side::Pattern => {
                if !out.ends_with('*') {
                    out.push('*');
                }
            }
            // The URL parser escapes the apostrophe in queries but not in paths; here both are escaped.
            b'*' | b'$' | b'\'' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
                push_escape(out, byte);
            }
            0x21..=0x7e => out.push(char::from(byte)),
            _ => push_escape(out, byte),
        }
    }
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let value = digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?;
    u8::try_from(value).ok()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn push_escape(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(pattern: &str, path: &str, matches: bool) {
        let got = Pattern::parse(pattern.as_bytes()).matches(&normalize_path(path));
        assert_eq!(got, matches, "{pattern} on {path}");
    }

    #[test]
    fn a_pattern_matches_from_the_start() {
        check("/fish", "/fish.html", true);
        check("/fish", "/Fish", false);
        check("/fish", "/catfish", false);
        check("fish", "/fish", false);
    }

    #[test]
    fn a_star_is_any_run_and_a_final_dollar_the_end() {
        check("/*.php$", "/a/b.php", true);
        check("/*.php$", "/a/b.php?x", false);
        check("/*.php", "/a/b.php?x", true);
        check("/a*b*c$", "/aXbXcXc", true);
        check("/*$", "/anything", true);
        check("/x$", "/x", true);
        check("/x$", "/xy", false);
        check("*", "/", true);
        check("/a*a$", "/a", false);
    }

    #[test]
    fn a_dollar_inside_and_escaped_signs_are_literal() {
        check("/a$b", "/a$b", true);
        check("/a%24", "/a$", true);
        check("/a%2A", "/a*b", true);
        check("/a%2a", "/axb", false);
    }

    #[test]
    fn escapes_compare_by_what_they_stand_for() {
        check(
            "/foo/bar?baz=http://foo.bar",
            "/foo/bar?baz=http://foo.bar",
            true,
        );
        check("/foo/bar/ツ", "/foo/bar/%E3%83%84", true);
        check("/foo/bar/%e3%83%84", "/foo/bar/ツ", true);
        check("/%62%61%7A", "/baz", true);
        check("/a%2fb", "/a/b", false);
        check("/a<b", "/a%3Cb", true);
        check("/it's", "/it%27s", true);
    }

    /// The definition, by trying every split: exponential, for short inputs only.
    fn plain(pattern: &[u8], path: &[u8]) -> bool {
        match pattern {
            [] => true,
            [b'$'] => path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|i| plain(rest, &path[i..])),
            [byte, rest @ ..] => path.first() == Some(byte) && plain(rest, &path[1..]),
        }
    }

    proptest! {
        #[test]
        fn matching_agrees_with_the_definition(
            pattern in "/[ab*]{0,8}\\$?",
            path in "/[ab]{0,10}",
        ) {
            let got = Pattern::parse(pattern.as_bytes()).matches(&path);
            prop_assert_eq!(got, plain(pattern.as_bytes(), path.as_bytes()));
        }

        #[test]
        fn one_form_is_reached_at_once(path in "\\PC{0,40}") {
            let once = normalize_path(&path);
            prop_assert_eq!(normalize_path(&once), once);
        }
    }
}
