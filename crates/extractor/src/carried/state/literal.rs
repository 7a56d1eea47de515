//! The string literals of a program.

/// The end of a string literal that begins at `open`.
pub(super) fn end_of_literal(bytes: &[u8], open: usize) -> Option<usize> {
    let quote = *bytes.get(open)?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let mut at = open + 1;
    loop {
        at += memchr::memchr3(quote, b'\\', b'\n', bytes.get(at..)?)?;
        match bytes[at] {
            b'\\' => at += 2,
            // A literal ends on its line; what looked like one was an apostrophe.
            _ => return Some(at),
        }
    }
}

/// The text of a string literal.
pub(super) fn unescaped(literal: &str) -> String {
    let mut out = String::with_capacity(literal.len());
    let mut chars = literal.chars();
    let mut high: Option<u32> = None;
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r' | 'b' | 'f') => {}
            Some('t') => out.push(' '),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let unit = u32::from_str_radix(&digits, 16).unwrap_or(0xFFFD);
                match (high.take(), unit) {
                    (_, 0xD800..0xDC00) => high = Some(unit),
                    (Some(high), 0xDC00..0xE000) => {
                        let code = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
                        out.extend(char::from_u32(code));
                    }
                    (_, unit) => out.extend(char::from_u32(unit)),
                }
            }
            Some('x') => {
                let digits: String = chars.by_ref().take(2).collect();
                out.extend(
                    u32::from_str_radix(&digits, 16)
                        .ok()
                        .and_then(char::from_u32),
                );
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// The name of the field whose value begins where this text ends.
pub(super) fn key_before(text: &str) -> &str {
    let Some(text) = text.trim_end().strip_suffix(':') else {
        return "";
    };
    let text = text.trim_end().trim_end_matches(['"', '\'']);
    let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$');
    let start = text
        .rfind(|char: char| !is_part(char))
        .map_or(0, |at| at + 1);
    text.get(start..).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_read_with_its_escapes_and_its_key() {
        let script = r#"window.x={a:1,"content" : "one \u4e2d\ud83d\ude00 \"two\"\n\x41"}"#;
        let open = script.find("\"one").expect("it is there");
        let end = end_of_literal(script.as_bytes(), open).expect("it ends");
        assert_eq!(unescaped(&script[open + 1..end]), "one 中😀 \"two\"\nA");
        assert_eq!(key_before(&script[..open]), "content");
        assert_eq!(end_of_literal(b"\"never", 0), None);
        assert_eq!(unescaped("\\ud83d\\u"), "\u{FFFD}");
    }
}
