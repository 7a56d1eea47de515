//! Data and code that their server calls a page.
//!
//! To a browser a body that is called `text/html` is a page, whatever stands in it. A crawler would split the JSON of
//! an interface, a style sheet or a script into words and keep them. A page has markup; what has none, and is
//! nothing but data or statements, is none. Prose without markup stays a page, with the code in it as well.

use serde::de::IgnoredAny;

/// Bytes by which code is known; what follows them is more of it.
const CODE_BYTES: usize = 64 * 1024;

/// Fewer are a text with a snippet in it, or an example.
const RULES_MIN: usize = 3;

/// What stands before the braces of a rule.
const SELECTOR_BYTES_MAX: usize = 400;

/// What stands behind the last rule: one that is cut.
const REST_BYTES_MAX: usize = 400;

/// A tag in so many bytes at most: scripts write some.
const BYTES_FOR_TAG: usize = 200;

/// The share of a script's characters that are brackets, and ends and parts of statements.
const SIGNS_SHARE: f64 = 0.08;

/// The type of a body that is called a page or a text, where it is JSON.
pub(crate) fn json_type(bytes: &[u8]) -> Option<&'static str> {
    let body = trimmed(bytes);
    let begins = matches!(body, [b'{', .., b'}'] | [b'[', .., b']']);
    let is_json = begins && serde_json::from_slice::<IgnoredAny>(body).is_ok();
    is_json.then_some("application/json")
}

/// The type of a body that is called a page, where it is a style sheet or a script.
pub(crate) fn code_type(bytes: &[u8]) -> Option<&'static str> {
    let body = trimmed(bytes);
    // Nearly all pages end here.
    if body.first().is_none_or(|first| *first == b'<') {
        return None;
    }
    // The end of what a page forgot to begin.
    let ends_element = |end: &str| body.windows(end.len()).any(|part| part == end.as_bytes());
    if tags(body) * BYTES_FOR_TAG > body.len()
        || ends_element("</style")
        || ends_element("</script")
    {
        return None;
    }
    let code = &body[..body.len().min(CODE_BYTES)];
    let text = String::from_utf8_lossy(code);
    let text = without_comments(&text);
    match () {
        () if is_style_sheet(&text) => Some("text/css"),
        () if is_script(&text) => Some("text/javascript"),
        () => None,
    }
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let marked = bytes.strip_prefix("\u{feff}".as_bytes());
    marked.unwrap_or(bytes).trim_ascii()
}

/// How many tags a text has. `i<n` is none, as scripts have it.
fn tags(code: &[u8]) -> usize {
    let is_tag = |after: &[u8]| {
        let name = after.strip_prefix(b"/").unwrap_or(after);
        let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric());
        let length = length.count();
        match name.get(length) {
            Some(b'>') => length > 0,
            Some(b' ' | b'\n' | b'\t' | b'/') => length > 1,
            Some(_) | None => false,
        }
    };
    let parts = code.split(|byte| *byte == b'<').skip(1);
    parts.filter(|after| is_tag(after)).count()
}

/// A text without `/* … */`.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// Whether a text is rules, `selector { property: value; }`, and next to nothing else.
fn is_style_sheet(text: &str) -> bool {
    let is_rule = |block: &str| {
        let Some((selector, inside)) = block.rsplit_once('{') else {
            return false;
        };
        let mut lines = inside
            .split(';')
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .peekable();
        let is_short = selector.len() <= SELECTOR_BYTES_MAX && lines.peek().is_some();
        is_short
            && lines.all(|line| {
                let name = line.split_once(':').map_or("", |(name, _)| name.trim_end());
                let is_of_name =
                    |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*');
                !name.is_empty() && name.chars().all(is_of_name)
            })
    };
    // What is behind the last rule is its end, or the one that is cut.
    let Some((rules, rest)) = text.rsplit_once('}') else {
        return false;
    };
    if rest.len() > REST_BYTES_MAX {
        return false;
    }
    // A brace closes its group of rules, too.
    let blocks = rules
        .split('}')
        .map(str::trim)
        .filter(|block| !block.is_empty());
    let (mut right, mut wrong, mut inside) = (0, 0, 0);
    for block in blocks {
        match is_rule(block) {
            true => {
                right += 1;
                inside += block.rsplit('{').next().map_or(0, str::len);
            }
            false => wrong += 1,
        }
    }
    right >= RULES_MIN && wrong * 10 <= right && inside * 4 >= text.len()
}

/// Whether a text is statements and next to nothing else.
fn is_script(text: &str) -> bool {
    let count = |sign: char| text.matches(sign).count();
    let (open, closed) = (count('{') + count('('), count('}') + count(')'));
    let signs = open + closed + count(';') + count('=') + count('[') + count(']');
    let characters = text.chars().filter(|c| !c.is_whitespace()).count();
    let has_statements = ["function", "=>", "var ", "const ", "return"]
        .iter()
        .any(|word| text.contains(word));
    has_statements
        && open >= RULES_MIN
        && open.abs_diff(closed) * 10 <= open
        && signs as f64 >= SIGNS_SHARE * characters as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_json_is_known_and_nothing_else() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        for json in ["{\"a\": [1, \"words\"]}", " [1, 2]\n", "\u{feff}{}", &deep] {
            assert_eq!(
                json_type(json.as_bytes()),
                Some("application/json"),
                "{json}"
            );
        }
        for other in [
            "",
            "{",
            "{\"a\": 1",
            "[edited] A text [1]",
            "{a: 1}",
            "42",
            "\"x\"",
        ] {
            assert_eq!(json_type(other.as_bytes()), None, "{other:.40}");
        }
    }

    #[test]
    fn a_style_sheet_or_a_script_is_no_page() {
        let css = "@charset \"utf-8\";\n/* a { b } */ body { margin: 0; font: 12px/1.5 serif }\n.a > .b:hover{color:#fff}\n\
                   @media print { nav { display: none } p { --x: 1 } }";
        assert_eq!(code_type(css.as_bytes()), Some("text/css"));
        let script = "!function(e,t){var a=e.b(t);for(var i=0;i<t;i++){a[i]=c(i)}return a}(this,function(){});\n\
                      window.x = (a) => { return a + 1; };";
        assert_eq!(code_type(script.as_bytes()), Some("text/javascript"));
        let cut = format!("{script}\nx.y(\"<p>\");{script}\n").repeat(1_000);
        assert_eq!(code_type(cut.as_bytes()), Some("text/javascript"));
    }

    #[test]
    fn a_page_or_a_text_with_code_in_it_is_a_page() {
        let prose = "A function in this language has a name and (mostly) arguments. To make one, write:\n\n\
                     function f(a) { return a; }\n\nand call it: f(1). What it returns is what stands behind the word \
                     return; without it, nothing comes back. That is all there is to say about functions here.";
        for page in [
            prose,
            "<html><script>var a = function() { return 1; };</script>",
            "var x = 1; <p>Words <b>and</b> <i>markup</i></p>",
            "a{b:c}\nd{e:f}\ng{h:i}\n</style><p>A page",
            "Prose {} with empty braces {} in it {} and words behind them.",
            &format!("a{{b:c}}\nd{{e:f}}\ng{{h:i}}\n{prose}"),
            &format!("{prose} {{ note: one }} {prose} {{ note: two }} {prose} {{ note: three }}"),
            "Hello, world { not a rule } and more of it",
            "",
            "{",
            "}}}}",
        ] {
            assert_eq!(code_type(page.as_bytes()), None, "{page:.40}");
        }
    }
}
