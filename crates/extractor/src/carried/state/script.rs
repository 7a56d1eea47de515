//! What a script holds for another one: JSON that it is or assigns, as it is, percent-encoded or inside a string.

use serde_json::Value;

use super::literal::{end_of_literal, unescaped};
use crate::json;

/// What begins like a value and is none may be read so many times in all, at the script's length: a program has
/// thousands of such that end at once, and some that seem to go on to its end.
const FAILED_TIMES_MAX: usize = 4;
/// Strings in strings that are opened.
const DEPTH_MAX: usize = 3;
/// Calls around a string, each around the next.
const CALLS_MAX: usize = 4;

/// The objects and lists that a script is or assigns; of `left` lists and objects those that they have are taken off.
pub(super) fn values(script: &str, left: &mut usize) -> Vec<Value> {
    let script = script.trim();
    if *left == 0 {
        return Vec::new();
    }
    let mut failed = match value(script, 0, left) {
        Ok((value, _)) => return vec![value],
        Err(read) => read,
    };
    let failed_max = script.len() * FAILED_TIMES_MAX;
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = after_assignment(script, from) {
        from = at;
        if !may_begin(&script[at..]) {
            continue;
        }
        match value(&script[at..], 0, left) {
            Ok((value, length)) => {
                found.push(value);
                from += length;
            }
            Err(read) => failed += read,
        }
        if failed > failed_max || *left == 0 {
            break;
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
///
/// # Errors
/// How many bytes were read in vain.
fn value(text: &str, depth: usize, left: &mut usize) -> Result<(Value, usize), usize> {
    let held = behind_calls(text);
    let before = text.len() - held.len();
    let (value, length) = match held.as_bytes().first() {
        Some(b'{' | b'[') => large(held, left),
        Some(b'%') if depth < DEPTH_MAX => {
            let (end, decoded) = percent_decoded(held);
            let value = decoded.map(|text| self::value(text.trim(), depth + 1, left));
            of_inner(value, end)
        }
        Some(b'"' | b'\'') if depth < DEPTH_MAX => match end_of_literal(held.as_bytes(), 0) {
            Some(end) => {
                let literal = held.get(1..end);
                let literal =
                    literal.filter(|held| held.trim_start().starts_with(['{', '[', '%', '\\']));
                let value =
                    literal.map(|held| self::value(unescaped(held).trim(), depth + 1, left));
                of_inner(value, end + 1)
            }
            None => Err(held.len()),
        },
        _ => Err(0),
    }?;
    Ok((value, before + length))
}

/// The value inside another text of this length, or what it cost to find none.
fn of_inner(
    inner: Option<Result<(Value, usize), usize>>,
    length: usize,
) -> Result<(Value, usize), usize> {
    match inner {
        Some(Ok((value, _))) => Ok((value, length)),
        Some(Err(read)) => Err(length + read),
        None => Err(length),
    }
}

/// The text behind the calls that a text begins with.
fn behind_calls(text: &str) -> &str {
    let mut text = text;
    for _ in 0..CALLS_MAX {
        match CALLS.iter().find_map(|call| text.strip_prefix(call)) {
            Some(inner) => text = inner.trim_start(),
            None => break,
        }
    }
    text
}

/// The object or list that a text begins with, be it JSON or a program's.
fn large(text: &str, left: &mut usize) -> Result<(Value, usize), usize> {
    let read = match json::value(text, left) {
        Ok(found) => return Ok(found),
        Err(read) => read,
    };
    let is_mended = NO_JSON.iter().any(|(word, _)| {
        let at = text.as_bytes().get(read..);
        at.is_some_and(|at| at.starts_with(word.as_bytes()))
    });
    if !is_mended {
        return Err(read);
    }
    let mended = mended(text).map_err(|end| read + end)?;
    json::value(&mended, left).map_err(|again| read + mended.len() + again)
}

/// Values that programs have and JSON has not, none of them a text; and what stands for them, of the same length, so
/// that what follows stays where it is.
const NO_JSON: [(&str, &str); 5] = [
    ("undefined", "null     "),
    ("void 0", "null  "),
    ("NaN", "0  "),
    ("!0", "1 "),
    ("!1", "0 "),
];

/// The object or list that a text begins with, with JSON's values for those of programs.
///
/// # Errors
/// Where it was found to be neither.
fn mended(text: &str) -> Result<String, usize> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut copied, mut depth) = (0, 0, 0_usize);
    loop {
        match bytes.get(at).ok_or(at)? {
            b'"' => at = end_of_string(bytes, at).ok_or(bytes.len())?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => {
                out.push_str(&text[copied..=at]);
                return Ok(out);
            }
            b'}' | b']' => depth -= 1,
            b'u' | b'v' | b'N' | b'!' => {
                let word = |(word, _): &&(&str, &str)| bytes[at..].starts_with(word.as_bytes());
                let (word, stands_for) = NO_JSON.iter().find(word).ok_or(at)?;
                out.push_str(&text[copied..at]);
                out.push_str(stands_for);
                copied = at + word.len();
                at = copied - 1;
            }
            b't' if bytes[at..].starts_with(b"true") => at += 3,
            b'f' if bytes[at..].starts_with(b"false") => at += 4,
            b'n' if bytes[at..].starts_with(b"null") => at += 3,
            b',' | b':' | b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E' => {}
            blank if blank.is_ascii_whitespace() => {}
            _ => return Err(at),
        }
        at += 1;
    }
}

/// The quote that ends the string of JSON that begins at `open`.
fn end_of_string(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'"' => return Some(at),
            _ => at += 2,
        }
    }
}

/// What a text that is percent-encoded ends before, and the text, if it is one.
fn percent_decoded(text: &str) -> (usize, Option<String>) {
    let end = text.find(|char: char| char.is_whitespace() || matches!(char, '"' | '<' | ';'));
    let end = end.unwrap_or(text.len());
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let bytes = &text.as_bytes()[..end];
    let (mut out, mut at) = (Vec::with_capacity(end), 0);
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
    (end, String::from_utf8(out).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, count: usize) {
        let found = values(script, &mut 1_000);
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
    fn a_program_is_given_up_for_what_was_read_in_vain() {
        let state = r#"b = {"a":"b é;"}"#;
        // Each of these is read up to the semicolon.
        let script = |times: usize| format!("{};{state}", "a=%".repeat(times));
        check(&script(4), 1);
        check(&script(400), 0);
        // A fifth value like those of any program hid the state behind it.
        for of_program in ["a=[\"x\"; ", "a={\"a\":!2},", "a='{', ", "a=\"%\";", "a=%;"] {
            check(&format!("{};{state}", of_program.repeat(400)), 1);
        }
    }

    #[test]
    fn calls_around_a_text_are_opened_up_to_a_bound() {
        // Each call was a step of a recursion: it ended the process.
        for call in CALLS {
            check(&format!("a={};", call.repeat(100_000)), 0);
        }
        let held = "decodeURI('%7B%22a%22%3A%22b%20%C3%A9%3B%22%7D')";
        check(&format!("a={}{held}", "unescape(".repeat(CALLS_MAX - 1)), 1);
        check(&format!("a={}{held}", "unescape(".repeat(CALLS_MAX)), 0);
        check(&format!("a={}", "'\\'".repeat(100_000)), 0);
    }

    #[test]
    fn values_that_json_has_not_are_read_and_what_follows_them() {
        for value in ["undefined", "void 0", "!0", "!1", "NaN"] {
            for blank in ["", " ", "\n\t"] {
                let first = format!("{{\"u\":{blank}{value},\"a\":\"b é;\"}}");
                check(&format!("x={first}"), 1);
                check(&format!("x={first}; y={{\"a\":\"b é;\"}}"), 2);
                check(&format!("x={first}; y={first},z={first}"), 3);
            }
        }
        // In texts they stay as they are.
        let script =
            r#"x={"a":"is:undefined, \"!0\" [undefined","b":[undefined,undefined],"c":!1}"#;
        let found = values(script, &mut 1_000);
        assert_eq!(found[0]["a"], "is:undefined, \"!0\" [undefined");
        assert_eq!(found[0]["b"], serde_json::json!([null, null]));
        for program in [
            "x={\"a\":undefined",
            "x={\"a\":undefined,b}",
            "x={\"a\":undefinedly}",
            "x={\"a\":!0,\"b",
            "x=[!0}]",
            "x={\"a\":!x}",
        ] {
            check(program, 0);
        }
    }

    #[test]
    fn values_are_bounded_however_many_a_script_assigns() {
        let mut left = 10;
        let found = values(&"a={\"b\":[]};".repeat(100), &mut left);
        assert_eq!((found.len(), left), (5, 0));
        // What fails takes nothing off.
        let mut left = 10;
        let script = format!("{}b={{\"c\":1}}", "a=[[[[!x]]]];".repeat(100));
        assert_eq!(values(&script, &mut left).len(), 1);
        assert_eq!(left, 9);
    }
}
