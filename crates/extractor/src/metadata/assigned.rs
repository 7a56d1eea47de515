//! The date that a script of a page assigns to a variable named after it, `var createTime = '2021-03-05'`.
//!
//! It is read only where the page says nothing else: some programs write the date into the page by script.

use crate::bounded::{byte_prefix, byte_suffix};
use crate::dates;
use crate::dates::names::{self, Place};
use crate::flat_dom::FlatDom;

/// Bytes of a name, and of a value.
const NAME_BYTES_MAX: usize = 40;
const VALUE_BYTES_MAX: usize = 40;

/// The text in quotes that stands first: ` '2020-02-01'`.
fn assigned_value(behind: &str) -> Option<&str> {
    let value = behind.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let value = byte_prefix(&value[quote.len_utf8()..], VALUE_BYTES_MAX + 1);
    value.split_once(quote).map(|(value, _)| value)
}

/// How far the name that a text ends with is trusted. A time of a message, `msg_create_time`, has a name before its own;
/// a short name is one where it is declared, `var ct`. One that is whole is trusted more than any end: of `last_publish_time`
/// the beginning tells that it is another time.
fn rank(before: &str) -> Option<(bool, usize)> {
    let before = byte_suffix(before.trim_end(), NAME_BYTES_MAX);
    let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$');
    let name = before.trim_end_matches(is_part);
    let (before, name) = before.split_at(name.len());
    let is_declared = before.trim_end() != before && before.trim_end().ends_with("var");
    let declared = is_declared.then(|| format!("var{name}"));
    let declared = declared.and_then(|name| names::published(&name, Place::Script));
    let whole = declared.or_else(|| names::published(name, Place::Script));
    let mut ends = name.match_indices('_').map(|(at, _)| &name[at + 1..]);
    let mut of_end = || ends.find_map(|name| names::published(name, Place::Script));
    match whole {
        Some(rank) => Some((false, rank)),
        None => Some((true, of_end()?)),
    }
}

/// The date that the first script with one assigns, under the name that is trusted most; of names that are ends, where no
/// script has a whole one.
pub(super) fn date(flat: &FlatDom<'_>) -> Option<String> {
    const SCRIPTS_MAX: usize = 64;
    let of_script = |script: &&str| {
        let assigned = memchr::memchr_iter(b'=', script.as_bytes());
        let dates = assigned.filter_map(|at| {
            let value = assigned_value(&script[at + 1..])?;
            Some((rank(&script[..at])?, dates::machine(value)?))
        });
        dates.min_by_key(|(rank, _)| *rank)
    };
    let of_scripts = flat.scripts.iter().take(SCRIPTS_MAX).filter_map(of_script);
    let best = of_scripts.min_by_key(|((is_end, _), _)| *is_end);
    best.map(|(_, date)| date)
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(lines: &str, published: Option<&str>) {
        let text =
            "<p>The river rose again on Thursday night, and took the old stone bridge with it.</p>";
        let html = format!(
            "<html lang=en><article><h1>The lock</h1>{lines}{}",
            text.repeat(4)
        );
        let url = url::Url::parse("https://canal.example/lock").unwrap();
        let page = crate::extract(&html, &crate::PageContext::new(&url));
        assert_eq!(page.published.as_deref(), published, "{lines}");
    }

    #[test]
    fn a_date_that_a_script_writes_is_read_where_the_page_has_none() {
        let script = "<script>var biz = 'x'; var createTime = '2021-03-05 12:00';</script>";
        check(script, Some("2021-03-05T12:00:00"));
        check(&format!("<p>5 May 2020</p>{script}"), Some("2020-05-05"));
        check("<script>f(createTime, '2021-03-05')</script>", None);
    }

    #[test]
    fn a_name_is_the_end_of_a_longer_one_and_of_two_dates_the_publications_counts() {
        check(
            "<script>a.msg_create_time = \"2021-03-05\";</script>",
            Some("2021-03-05"),
        );
        check(
            "<script>createTime='2021-03-05';publishTime='2021-03-06'</script>",
            Some("2021-03-06"),
        );
        for scripts in [
            "<script>last_publish_time='2026-01-01';createTime='2021-03-05'</script>",
            "<script>cfg_publish_date='2026-01-01'</script><script>createTime='2021-03-05'</script>",
        ] {
            check(scripts, Some("2021-03-05"));
        }
        check("<script>recreateTime = '2021-03-05'</script>", None);
        check("<script>createTime == '2021-03-05'</script>", None);
        let long = "x".repeat(40);
        check(&format!("<script>createTime='2021-03-05{long}'"), None);
    }

    #[test]
    fn seconds_since_1970_are_read() {
        check(
            "<script>var ct = \"1614902400\";</script>",
            Some("2021-03-05"),
        );
        check(
            "<script>var ct=\"1614902400\";var ctx='x'</script>",
            Some("2021-03-05"),
        );
        check(
            "<script>var product = \"1614902400\"; var ct = 1;</script>",
            None,
        );
    }
}
