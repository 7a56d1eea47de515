//! What a script holds for another one: JSON that it is or assigns, as it is, percent-encoded or inside a string.

use serde_json::Value;

/// Values that begin like JSON and are none: after so many of one script it is a program.
const FAILURES_MAX: usize = 4;
/// Strings in strings that are opened.
const DEPTH_MAX: usize = 3;

/// The objects and lists that a script is or assigns.
pub(super) fn values(script: &str) -> Vec<Value> {
    let script = script.trim();
    if let Some((value, _)) = value(script, 0) {
        return vec![value];
    }
    let (mut found, mut failures, mut from) = (Vec::new(), 0, 0);
    while let Some(at) = after_assignment(script, from) {
        from = at;
        if !may_begin(&script[at..]) {
            continue;
        }
        match value(&script[at..], 0) {
            Some((value, length)) => {
                found.push(value);
                from += length;
            }
            None if failures == FAILURES_MAX => break,
            None => failures += 1,
        }
    }
    found
}

/// Where the next assigned value begins.
fn after_assignment(script: &str, from: usize) -> Option<usize> {
    let bytes = script.as_bytes();
    let mut from = from;
    loop {
        let at = from + memchr::memchr(b'=', bytes.get(from..)?)?;
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let is_compared = matches!(bytes.get(at + 1), Some(b'=' | b'>'))
            || matches!(before, Some(b'=' | b'!' | b'<' | b'>'));
        from = at + 1;
        if !is_compared {
            let value = &script[from..];
            return Some(from + value.len() - value.trim_start().len());
        }
    }
}

/// Whether a value may be JSON by its first characters: an object of a program has names without quotes.
fn may_begin(text: &str) -> bool {
    let mut chars = text.chars().filter(|char| !char.is_whitespace());
    match (chars.next(), chars.next()) {
        (Some('{'), next) => matches!(next, Some('"' | '}')),
        (Some('['), next) => next.is_some_and(|next| !next.is_alphabetic()),
        (Some('"' | '\''), next) => matches!(next, Some('{' | '[' | '%')),
        (Some('%'), _) => true,
        _ => CALLS.iter().any(|call| text.starts_with(call)),
    }
}

/// Calls that give what a string holds.
const CALLS: [&str; 4] = [
    "JSON.parse(",
    "decodeURIComponent(",
    "decodeURI(",
    "unescape(",
];

/// The object or list that a text begins with, and its length in bytes.
fn value(text: &str, depth: usize) -> Option<(Value, usize)> {
    if depth == DEPTH_MAX {
        return None;
    }
    let inner = |text: &str| value(text.trim(), depth + 1).map(|(value, _)| value);
    match text.as_bytes().first()? {
        b'{' | b'[' => json(text).or_else(|| {
            let is_mended = text.contains(":undefined");
            let mended = is_mended.then(|| json(&text.replace(":undefined", ":null")))??;
            Some((mended.0, text.len()))
        }),
        b'%' => Some((inner(&percent_decoded(text)?)?, text.len())),
        b'"' | b'\'' => {
            let end = end_of_literal(text.as_bytes(), 0)?;
            let held = text.get(1..end)?;
            let is_held = held.trim_start().starts_with(['{', '[', '%', '\\']);
            Some((is_held.then(|| inner(&unescaped(held)))??, end + 1))
        }
        _ => {
            let held = CALLS.iter().find_map(|call| text.strip_prefix(call))?;
            let held = held.trim_start();
            let before = text.len() - held.len();
            let (value, length) = value(held, depth)?;
            Some((value, before + length))
        }
    }
}

fn json(text: &str) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let is_large = value.is_object() || value.is_array();
    is_large.then(|| (value, values.byte_offset()))
}

/// A text without its percent-encoding, up to what is not of it.
fn percent_decoded(text: &str) -> Option<String> {
    let end = text.find(|char: char| char.is_whitespace() || matches!(char, '"' | '<' | ';'));
    let text = &text[..end.unwrap_or(text.len())];
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let of_two = digit(bytes.get(at + 1)).zip(digit(bytes.get(at + 2)));
        match of_two.filter(|_| byte == b'%') {
            Some((high, low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

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

    #[track_caller]
    fn check(script: &str, count: usize) {
        let found = values(script);
        assert_eq!(found.len(), count, "{script}");
        assert!(found.iter().all(|value| value["a"] == "b é;"), "{script}");
    }

    #[test]
    fn a_value_is_json_an_assignment_or_json_in_a_string() {
        for script in [
            r#"{"a":"b é;"}"#,
            r#" %7B%22a%22%3A%22b%20%C3%A9%3B%22%7D "#,
            r#""{\"a\":\"b é;\"}""#,
            r#"window.X = {"a":"b é;"};(function(){})()"#,
            r#"window["X"]={"a":"b é;","c":undefined};"#,
            r#"if (a == 1 && b >= 2) { var articleData = {"a":"b é;"} }"#,
            r#"var X=0,Y="z", data = JSON.parse("{\"a\":\"b é;\"}")"#,
            r#"X = JSON.parse( decodeURIComponent('%7B%22a%22%3A%22b%20%C3%A9%3B%22%7D'));"#,
            r#"X = "%7B%22a%22%3A%22b%20%C3%A9%3B%22%7D";"#,
        ] {
            check(script, 1);
        }
        check(r#"A={"a":"b é;"}; B = {"a":"b é;"}"#, 2);
        for script in [
            "window.__NUXT__=(function(a){return {}}(1))",
            "var a = {b: 1}, c = [d, e]; f = \"g\";",
            "a = 1",
            "=",
            "\"{",
            "%",
            "JSON.parse(",
            "x = '%FF%'",
            "",
        ] {
            check(script, 0);
        }
    }

    #[test]
    fn a_program_is_given_up_after_some_failures() {
        let script = "a = [\"x\"; ".repeat(FAILURES_MAX + 1) + r#"b = {"a":"b é;"}"#;
        check(&script, 0);
        check(&script["a = [\"x\"; ".len()..], 1);
    }

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
