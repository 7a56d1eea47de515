//! Collapsing whitespace as a browser does when it lays out text.

/// Appends `text` to `out` with every stretch of whitespace as one blank, and none at the start of a
/// line. Invisible characters are dropped.
pub(crate) fn push_collapsed(out: &mut String, text: &str) {
    if push_if_collapsed(out, text) {
        return;
    }
    out.reserve(text.len().min(1 << 16));
    // The start of what is not yet copied: words are copied whole.
    let mut start = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let byte = bytes[at];
        if byte > b' ' && byte < 0x7f {
            at += 1;
            continue;
        }
        let Some(c) = text[at..].chars().next() else {
            break;
        };
        let next = at + c.len_utf8();
        let dropped = matches!(c, '\u{200b}' | '\u{feff}' | '\u{ad}' | '\0');
        if dropped || c.is_whitespace() {
            out.push_str(&text[start..at]);
            start = next;
            if !dropped && !out.is_empty() && !out.ends_with([' ', '\n']) {
                out.push(' ');
            }
        }
        at = next;
    }
    out.push_str(&text[start..]);
}

/// The fast path of [`push_collapsed`] for ASCII text with single blanks, as most text is. For any
/// other text it does nothing and returns false.
pub(crate) fn push_if_collapsed(out: &mut String, text: &str) -> bool {
    let bytes = text.as_bytes();
    let after = bytes.get(1..).unwrap_or_default();
    // Folds and not searches, so that the compiler can vectorize them.
    let is_odd = |odd, &byte: &u8| odd | !(b' '..0x7f).contains(&byte);
    let is_double = |double, (&one, &next): (&u8, &u8)| double | ((one == b' ') & (next == b' '));
    if bytes.iter().fold(false, is_odd) || bytes.iter().zip(after).fold(false, is_double) {
        return false;
    }
    let begins_line = out.is_empty() || out.ends_with([' ', '\n']);
    let blanks = usize::from(begins_line && bytes.first() == Some(&b' '));
    out.push_str(&text[blanks..]);
    true
}

/// `text` with every stretch of whitespace as one blank and none at its ends.
pub(crate) fn collapsed(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(256));
    push_collapsed(&mut out, text);
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_dropped_within_words() {
        assert_eq!(
            collapsed("a\u{200b}网\0 \u{ad} \u{feff}b\u{3000}é"),
            "a网 b é"
        );
    }

    #[test]
    fn blanks_are_collapsed_to_one() {
        assert_eq!(collapsed("  a \n\t b\u{a0}c "), "a b c");
        for (before, text, expected) in [
            ("", " a b ", "a b "),
            ("x", " a b", "x a b"),
            ("x ", " a", "x a"),
            ("x\n", " a", "x\na"),
            ("x", "", "x"),
            ("x", "  ", "x "),
        ] {
            let mut out = before.to_owned();
            push_collapsed(&mut out, text);
            assert_eq!(out, expected, "{before:?} {text:?}");
        }
    }
}
