//! Parsing `Refresh: 5; url=/next`, from a header or a `<meta>`.
//!
//! Source: HTML standard, "shared declarative refresh steps". Unlike there the fraction of the delay is
//! kept.

/// The delay in seconds and the URL as written, which is `None` when the page reloads itself.
pub(super) fn parse(value: &str) -> Option<(f64, Option<&str>)> {
    let value = value.trim_start_matches(is_space);
    let time_length = value
        .find(|char: char| !char.is_ascii_digit() && char != '.')
        .unwrap_or(value.len());
    let delay = delay(&value[..time_length])?;
    let rest = &value[time_length..];
    if rest.is_empty() {
        return Some((delay, None));
    }
    if !rest.starts_with(|char| matches!(char, ';' | ',') || is_space(char)) {
        return None;
    }
    let rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
    let rest = rest.trim_start_matches(is_space);
    if rest.is_empty() {
        return Some((delay, None));
    }
    Some((delay, Some(address(rest))))
}

fn delay(time: &str) -> Option<f64> {
    if time.is_empty() {
        return None;
    }
    // "1.5.2" is 1.5: what follows a second dot is skipped.
    let end = time
        .match_indices('.')
        .nth(1)
        .map_or(time.len(), |(at, _)| at);
    let seconds: f64 = format!("0{}", &time[..end]).parse().ok()?;
    // Four hundred digits parse as infinity, which JSON cannot represent.
    Some(seconds.min(1e9))
}

/// The URL after `url=`, without quotes; the whole text if there is no `url=`.
fn address(rest: &str) -> &str {
    let named = rest
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("url"))
        .and_then(|_| rest[3..].trim_start_matches(is_space).strip_prefix('='))
        .map(|value| value.trim_start_matches(is_space));
    // "url" without "=" is the beginning of a URL. By the standard a text that begins with "u" but has
    // no "url=" is taken with its quotes.
    let value = match named {
        Some(value) => value,
        None if rest.starts_with(['u', 'U']) => return rest,
        None => rest,
    };
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = &value[1..];
            &inner[..inner.find(quote).unwrap_or(inner.len())]
        }
        _ => value,
    }
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\n' | '\x0C' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, expected: Option<(f64, Option<&str>)>) {
        assert_eq!(parse(value), expected, "{value:?}");
    }

    #[test]
    fn delay_and_address_are_read_in_all_spellings() {
        check("0;url=/x", Some((0.0, Some("/x"))));
        check(" 5 ; URL = '/x' y", Some((5.0, Some("/x"))));
        check("5,url=\"/x", Some((5.0, Some("/x"))));
        check("0 url=/x", Some((0.0, Some("/x"))));
        check("0; /x", Some((0.0, Some("/x"))));
        check("0;'/x'", Some((0.0, Some("/x"))));
        check("0;url /x", Some((0.0, Some("url /x"))));
        check("0;up.html", Some((0.0, Some("up.html"))));
        check(".5;url=/x", Some((0.5, Some("/x"))));
        check("1.5.2;url=/x", Some((1.5, Some("/x"))));
        check("3;url=网", Some((3.0, Some("网"))));
        check("3;网页", Some((3.0, Some("网页"))));
    }

    #[test]
    fn a_refresh_without_an_address_reloads() {
        check("5", Some((5.0, None)));
        check("5; ", Some((5.0, None)));
    }

    #[test]
    fn what_is_no_refresh_is_none() {
        check("", None);
        check("url=/x", None);
        check("-1;url=/x", None);
        check("5x;url=/x", None);
    }

    #[test]
    fn an_endless_delay_is_finite() {
        let (delay, _) = parse(&"9".repeat(400)).unwrap();
        assert!(delay.is_finite());
    }
}
