//! The charset parameter of a `Content-Type` header, read as browsers read it.
//!
//! Source: WHATWG MIME Sniffing, "parse a MIME type".

use encoding_rs::Encoding;

/// The encoding that a header names; `None` when it is no MIME type, has no `charset`, or has one
/// that is no encoding label. The first `charset` counts, even if only a second one is a label.
pub(super) fn charset(header: &str) -> Option<&'static Encoding> {
    let header = header.trim_matches(is_http_whitespace);
    let (essence, parameters) = header.split_once(';').unwrap_or((header, ""));
    let (kind, subtype) = essence.split_once('/')?;
    if !is_token(kind) || !is_token(subtype.trim_end_matches(is_http_whitespace)) {
        return None;
    }
    let label = parameter(parameters, "charset")?;
    Encoding::for_label(label.as_bytes())
}

/// The value of the first well-formed parameter of that name.
fn parameter(mut rest: &str, wanted: &str) -> Option<String> {
    while !rest.is_empty() {
        rest = rest.trim_start_matches(is_http_whitespace);
        let name_end = rest.find([';', '=']).unwrap_or(rest.len());
        let name = &rest[..name_end];
        rest = &rest[name_end..];
        let Some(after_equals) = rest.strip_prefix('=') else {
            rest = rest.strip_prefix(';').unwrap_or("");
            continue;
        };
        let value;
        if let Some(quoted) = after_equals.strip_prefix('"') {
            let (unquoted, tail) = quoted_string(quoted);
            value = unquoted;
            rest = after_semicolon(tail);
        } else {
            let end = after_equals.find(';').unwrap_or(after_equals.len());
            value = after_equals[..end]
                .trim_end_matches(is_http_whitespace)
                .to_owned();
            rest = after_semicolon(after_equals);
            if value.is_empty() {
                continue;
            }
        }
        if is_token(name) && name.eq_ignore_ascii_case(wanted) && value.chars().all(is_quotable) {
            return Some(value);
        }
    }
    None
}

/// A quoted string's content, and what follows its closing quote.
fn quoted_string(input: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = input.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (value, &input[at + 1..]),
            '\\' => value.push(chars.next().map_or('\\', |(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

fn after_semicolon(input: &str) -> &str {
    input.split_once(';').map_or("", |(_, rest)| rest)
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// HTTP quoted-string token code points. Header bytes above 0x7F arrive as U+0080 and above; all of
/// these are accepted, since no encoding label contains any.
fn is_quotable(char: char) -> bool {
    char == '\t' || (' '..='~').contains(&char) || char >= '\u{80}'
}

fn is_http_whitespace(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: Option<&str>) {
        assert_eq!(charset(header).map(Encoding::name), expected, "{header:?}");
    }

    #[test]
    fn a_charset_is_found_among_other_parameters() {
        check("text/html;charset=gbk", Some("GBK"));
        check("TEXT/HTML ; x=y ; ;CHARSET=\"utf-8\"; z", Some("UTF-8"));
        check("text/html; x=\"a;charset=big5\"; charset=gbk", Some("GBK"));
        check("text/html;\";charset=gbk", Some("GBK"));
        check("text/html;charset=\" gbk\"", Some("GBK"));
        check("text/html;charset=\"g\\bk", Some("GBK"));
        check("text/html;charset=;charset=gbk", Some("GBK"));
    }

    #[test]
    fn what_is_not_a_charset_parameter_is_none() {
        check("text/html", None);
        check("", None);
        check("text;charset=gbk", None);
        check("/html;charset=gbk", None);
        check("text/html;charset =gbk", None);
        check("text/html;charset='gbk'", None);
        check("text/html;charset=gbk\"", None);
        check("text/html; xcharset=gbk", None);
        check("text/html;x=\"y;charset=gbk", None);
    }

    #[test]
    fn the_first_charset_counts_even_when_it_is_unknown() {
        check("text/html;charset=nonsense;charset=gbk", None);
    }
}
