//! Where a script leads a reader, as far as one statement says it: `location.href = '/x'`,
//! `location.replace("/x")`, `window.open('/x')`. Nothing is run: a place that is put together of parts, or that a
//! function or a condition decides about, is none.

/// Bytes of a script that are looked at, in an attribute or alone on a page.
const SCRIPT_BYTES_MAX: usize = 2_000;

/// What stands in a script that does not do the same at each visit.
const DECIDES: [&str; 8] = ["function", "=>", "if", "?", "for", "while", "try", "switch"];

/// The place that a handler (`onclick`, `javascript:`) leads to.
pub(super) fn target(script: &str) -> Option<String> {
    if script.len() > SCRIPT_BYTES_MAX {
        return None;
    }
    let places = script.match_indices("location").map(|(at, word)| {
        let rest = script[at + word.len()..].trim_start();
        (
            at,
            assigned(rest).or_else(|| called(rest, &[".assign", ".replace"])),
        )
    });
    let opened = script
        .match_indices("window.open")
        .map(|(at, word)| (at, called(script[at + word.len()..].trim_start(), &[""])));
    let begins_a_word = |at: usize| {
        let before = script[..at].chars().next_back();
        before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
    };
    places
        .chain(opened)
        .filter(|(at, _)| begins_a_word(*at))
        .find_map(|(_, place)| place)
}

/// The same of a script that stands on a page by itself: it is run as the page is opened, so nothing in it may
/// decide or wait.
pub(super) fn forwards(script: &str) -> Option<String> {
    let place = target(script)?;
    // The place itself may have such words: `/information`.
    let rest = script.replacen(&place, "", 1);
    let decides = DECIDES.iter().any(|word| rest.contains(word));
    (!decides).then_some(place)
}

/// The text after `= ` or `.href = `.
fn assigned(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix(".href").unwrap_or(rest).trim_start();
    text(rest.strip_prefix('=')?)
}

/// The first argument of a call by one of these names.
fn called(rest: &str, names: &[&str]) -> Option<String> {
    let rest = names.iter().find_map(|name| rest.strip_prefix(name))?;
    text(rest.trim_start().strip_prefix('(')?)
}

/// A text in quotes that is not joined to another one.
fn text(rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    let quote = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let (text, after) = rest[1..].split_once(quote)?;
    let text = text.replace("\\/", "/");
    let is_plain = !text.is_empty() && !text.contains(['\\', '$', '{', '<']);
    let ends = after.trim_start().chars().next();
    let is_whole =
        ends.is_none_or(|c| matches!(c, ';' | ')' | ',' | '}')) || after.starts_with(['\n', '\r']);
    (is_plain && is_whole).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(script: &str, place: Option<&str>) {
        assert_eq!(target(script).as_deref(), place, "{script}");
    }

    #[test]
    fn a_place_in_quotes_is_found_and_one_that_is_put_together_is_none() {
        check("location.href='/a'", Some("/a"));
        check("javascript:window.location = \"b.html\";", Some("b.html"));
        check(
            "top.location.replace( 'http:\\/\\/a.test\\/' )",
            Some("http://a.test/"),
        );
        check("document.location.assign(`c`)", Some("c"));
        check("return !window.open('/d', '_blank')", Some("/d"));
        check("location.href='/a?id='+id", None);
        check("if (location.href == '/a') hide()", None);
        check("location.href = next", None);
        check("mylocation='/a'", None);
        check("location.hash='top'", None);
        check("location.reload()", None);
    }

    #[test]
    fn a_script_that_decides_does_not_forward() {
        assert_eq!(
            forwards("window.location.href=\"/home\"").as_deref(),
            Some("/home")
        );
        assert_eq!(
            forwards("location = '/information'").as_deref(),
            Some("/information")
        );
        assert_eq!(forwards("if (top != self) location.href='/home'"), None);
        assert_eq!(forwards("function go() { location.href='/home' }"), None);
    }

    proptest! {
        #[test]
        fn any_script_has_a_place_or_none(script in ".{0,200}") {
            let _ = forwards(&script);
            let _ = target(&format!("location.href={script}"));
        }
    }
}
