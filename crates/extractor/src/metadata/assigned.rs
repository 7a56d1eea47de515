//! The date that a script of a page assigns to a variable named after it, `var createTime = '2021-03-05'`.
//!
//! It is read only where the page says nothing else: some programs write the date into the page by script.

use crate::dates;
use crate::flat_dom::FlatDom;

/// Variables that scripts assign the time of publication to.
const ASSIGNED: [&str; 10] = [
    "createTime",
    "create_time",
    "publishTime",
    "publish_time",
    "publishDate",
    "publish_date",
    "pubDate",
    "pubTime",
    "oriCreateTime",
    // WeChat's articles, in seconds since 1970.
    "var ct",
];

/// The text in quotes that is assigned to a variable whose name stands before: ` = '2020-02-01'`.
fn assigned_value(behind: &str) -> Option<&str> {
    const VALUE_BYTES_MAX: usize = 40;
    let value = behind.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let value = &value[quote.len_utf8()..];
    let end = value.find(quote).filter(|&end| end <= VALUE_BYTES_MAX)?;
    Some(&value[..end])
}

/// The first date that a script assigns.
pub(super) fn date(flat: &FlatDom<'_>) -> Option<String> {
    const SCRIPTS_MAX: usize = 64;
    let scripts = flat.scripts.iter().take(SCRIPTS_MAX);
    scripts
        .flat_map(|script| {
            ASSIGNED.iter().flat_map(|name| {
                let found = script.match_indices(name);
                found.map(|(at, _)| &script[at + name.len()..])
            })
        })
        .filter_map(assigned_value)
        .find_map(dates::machine)
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
