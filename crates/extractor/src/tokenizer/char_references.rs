//! Resolving character references: `&amp;`, `&nbsp`, `&#8212;`.
//!
//! Source: WHATWG HTML, §13.2.5.72 to §13.2.5.84.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// Where a text stands. In attributes a name without a semicolon is no reference if `=` or a letter
/// follows, since URLs contain `&copy=1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceContext {
    Text,
    Attribute,
}

/// Appends `text` to `out` with its references resolved.
pub(super) fn resolve(text: &str, place: ReferenceContext, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let length = match rest.strip_prefix('#') {
            Some(number) => numeric(number, out).map(|length| length + 1),
            None => named(rest, place, out),
        };
        match length {
            Some(length) => rest = &rest[length..],
            None => out.push('&'),
        }
    }
    out.push_str(rest);
}

/// Resolves the number after `&#`; returns its length, or `None` for no number.
fn numeric(text: &str, out: &mut String) -> Option<usize> {
    let (digits, base) = match text.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let count = digits
        .bytes()
        .take_while(|&byte| char::from(byte).is_digit(base));
    let count = count.count();
    if count == 0 {
        return None;
    }
    let number = digits[..count].bytes().fold(0u32, |number, byte| {
        let digit = char::from(byte).to_digit(base).unwrap_or(0);
        // Capped above the last character, so that it cannot overflow.
        (number * base + digit).min(0x0100_0000)
    });
    let replaced = match number {
        0x80..=0x9f => C1_REPLACEMENTS[number as usize - 0x80],
        0 => None,
        _ => char::from_u32(number),
    };
    out.push(match (replaced, number) {
        (Some(c), _) => c,
        (None, 0x80..=0x9f) => char::from_u32(number).unwrap_or('\u{fffd}'),
        (None, _) => '\u{fffd}',
    });
    let end = text.len() - digits.len() + count;
    Some(end + usize::from(text[end..].starts_with(';')))
}

/// Resolves the longest name that `text` begins with; returns its length, or `None` for no name.
fn named(text: &str, place: ReferenceContext, out: &mut String) -> Option<usize> {
    let (length, characters) = match with_semicolon(text) {
        Some(found) => found,
        None => longest(text)?,
    };
    if place == ReferenceContext::Attribute && !text[..length].ends_with(';') {
        let next = text.as_bytes().get(length);
        if next.is_some_and(|&next| next == b'=' || next.is_ascii_alphanumeric()) {
            return None;
        }
    }
    let (first, second) = characters;
    out.extend(char::from_u32(first));
    out.extend(char::from_u32(second).filter(|&c| c != '\0'));
    Some(length)
}

/// A name that ends with a semicolon, as most do: one look-up instead of one for each letter.
fn with_semicolon(text: &str) -> Option<(usize, (u32, u32))> {
    let letters = text.bytes().take(LONGEST_NAME);
    let length = letters.take_while(u8::is_ascii_alphanumeric).count();
    if text.as_bytes().get(length) != Some(&b';') {
        return None;
    }
    let &characters = NAMED_ENTITIES.get(&text[..=length])?;
    (characters.0 != 0).then_some((length + 1, characters))
}

/// More than the letters of the longest name, `CounterClockwiseContourIntegral;`.
const LONGEST_NAME: usize = 40;

/// The longest name that `text` begins with, letter by letter. The table also holds the prefixes of
/// names, with the value 0.
fn longest(text: &str) -> Option<(usize, (u32, u32))> {
    let mut found = None;
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    for end in ends.take(LONGEST_NAME) {
        match NAMED_ENTITIES.get(&text[..end]) {
            Some(&(0, _)) => {}
            Some(&characters) => found = Some((end, characters)),
            None => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, in_text: &str, in_attribute: &str) {
        for (place, expected) in [
            (ReferenceContext::Text, in_text),
            (ReferenceContext::Attribute, in_attribute),
        ] {
            let mut out = String::new();
            resolve(text, place, &mut out);
            assert_eq!(out, expected, "{text:?} in {place:?}");
        }
    }

    #[test]
    fn references_are_resolved_as_the_standard_says() {
        check(
            "a&amp;b&#39;&#x27;&#X2014",
            "a&b''\u{2014}",
            "a&b''\u{2014}",
        );
        check("&notit; &notin; &copy", "¬it; ∉ ©", "&notit; ∉ ©");
        check("?a=1&copy=2&lt1&gt", "?a=1©=2<1>", "?a=1&copy=2&lt1>");
        check(
            "&#0;&#xD800;&#99999999999;&#128;&#129;",
            "���€\u{81}",
            "���€\u{81}",
        );
        check(
            "&;&#;&#x;&#xg;& &nosuch;&&amp",
            "&;&#;&#x;&#xg;& &nosuch;&&",
            "&;&#;&#x;&#xg;& &nosuch;&&",
        );
        check(
            "&NotEqualTilde;网&",
            "\u{2242}\u{338}网&",
            "\u{2242}\u{338}网&",
        );
    }
}
