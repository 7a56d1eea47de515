//! Writers whom a row with the date names without a label: "posted @ 2021-03-05 10:11 张三 阅读(12)", "张三 发表于 2021-03-05",
//! "2021-03-05 by 张三", "2021-03-05 · 3 分钟 · 张三".
//!
//! Sections stand in such rows as well, so each form asks for something more than the place: the words of one program, a
//! name that begins with a surname, or a part of `<title>` that is such a name.

use crate::dates;

use super::labelled::is_edge;
use super::surnames::is_chinese_name;
use super::title::letters;

/// The name in a line with a date; `title` is the page's whole `<title>`.
pub(super) fn writer(line: &str, title: &str) -> Option<String> {
    const LINE_CHARS_MAX: usize = 100;
    if line.chars().nth(LINE_CHARS_MAX).is_some() || !line.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let name = posted(line)
        .or_else(|| before_deed(line))
        .or_else(|| behind_date(line))
        .or_else(|| in_title(line, title))?;
    Some(name.to_owned())
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || is_edge(c)
}

/// What a text says before the next blank or edge.
fn word(text: &str) -> &str {
    text.split(is_gap).next().unwrap_or("")
}

/// The name behind the date in the rows of one program of blogs, which also count who read and who answered.
pub(super) fn posted(line: &str) -> Option<&str> {
    let plain = line.trim_start_matches(is_gap);
    let rest = plain
        .strip_prefix("posted @")
        .or_else(|| plain.strip_prefix("posted on"))?;
    let is_of_date = |c: char| is_gap(c) || c.is_ascii_digit() || matches!(c, '-' | ':' | '/');
    let behind = rest.trim_start_matches(is_of_date);
    let name = word(behind);
    let is_counted = behind[name.len()..].contains("阅读") || behind.contains("评论(");
    (behind.len() < rest.len() && is_counted && !name.starts_with("阅读") && !name.contains('('))
        .then_some(name)
}

/// The name before what somebody did on a day: 张三 发表于 2021-03-05, 由 老张2015 发表于 2021-03-05.
fn before_deed(line: &str) -> Option<&str> {
    const DEEDS: [&str; 8] = [
        "发表于",
        "發表於",
        "发布于",
        "發布於",
        "發佈於",
        "于",
        "於",
        "在",
    ];
    const DONE: [&str; 4] = ["发布", "发表", "發布", "發表"];
    DEEDS.iter().find_map(|deed| {
        let at = line.find(deed)?;
        let behind = line[at + deed.len()..].trim_start_matches(is_gap);
        let is_done = deed.chars().count() > 1 || DONE.iter().any(|done| behind.contains(done));
        if !behind.starts_with(|c: char| c.is_ascii_digit()) || !is_done {
            return None;
        }
        let head = line[..at].trim_end_matches(is_gap);
        let from = head.rfind(is_gap).map_or(0, |last| {
            last + head[last..].chars().next().map_or(0, char::len_utf8)
        });
        let name = &head[from..];
        let is_by = head[..from].trim_end_matches(is_gap).ends_with('由');
        (is_chinese_name(name) || is_by).then_some(name)
    })
}

/// The name behind a date and "by".
fn behind_date(line: &str) -> Option<&str> {
    const DATE_BYTES_MAX: usize = 60;
    let (before, behind) = line.split_once("by")?;
    let is_apart = before.ends_with(is_gap) && behind.starts_with(is_gap);
    let name = word(behind.trim_start_matches(is_gap));
    let is_dated = before.len() <= DATE_BYTES_MAX && dates::stands_in(before);
    (is_apart && is_dated && is_chinese_name(name)).then_some(name)
}

/// A part of a row that is the last part of `<title>`, a blog's, and a name. Before that `<title>` has sections, which may
/// read as names do.
fn in_title<'t>(line: &'t str, title: &str) -> Option<&'t str> {
    let is_mark =
        |c: char| matches!(c, '·' | '|' | '｜' | '•' | '/' | '-' | '–' | '_') || is_edge(c);
    let parts = |text: &'_ str| -> Vec<String> { text.split(is_mark).map(letters).collect() };
    let known = parts(title);
    if known.len() < 2 || !dates::stands_in(line) {
        return None;
    }
    let is_last = |part: &str| known.last() == Some(&letters(part));
    let mut words = line
        .split(is_mark)
        .flat_map(|part| part.split(char::is_whitespace));
    let person = words.find(|part| is_chinese_name(part) && is_last(part));
    // Behind the minutes of reading a theme of blogs has the writer, whose blog it is.
    let timed = || {
        let (_, behind) = line.split_once("分钟")?;
        let last = behind
            .split(is_mark)
            .map(str::trim)
            .rfind(|part| !part.is_empty())?;
        let is_sites = last.ends_with(['网', '报', '社', '站', '司', '心', '院']);
        (is_last(last) && !is_sites).then_some(last)
    };
    person.or_else(timed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_with_the_date_names_the_writer() {
        for (line, name) in [
            (
                "posted @ \u{1}2021-03-05 10:11\u{2} \u{1}livid\u{2} 阅读(12) 评论(1)",
                Some("livid"),
            ),
            (
                "posted on 2021-03-05 10:11 老张 阅读(12) 评论(0)",
                Some("老张"),
            ),
            ("posted on 2021-03-05 in News", None),
            ("\u{1}张小三\u{2} 发表于 2021-03-05", Some("张小三")),
            ("由 \u{1}老王的猫\u{2} 发表于 2021-03-05", Some("老王的猫")),
            ("张小三 于 2021-03-05 发布在 随笔", Some("张小三")),
            ("本文 发表于 2021-03-05", None),
            ("杂谈 发布于 2021-03-05", None),
            ("2021-03-05 by 张小三", Some("张小三")),
            ("Posted on 2021-03-05 by \u{1}张小三\u{2}", Some("张小三")),
            ("\u{1}2021-03-05\u{2} · 3 分钟 · 张小三", Some("张小三")),
            ("\u{1}2021-03-05\u{2} · 3 分钟 · 高山", None),
            ("2021-03-05 · 河边网", None),
            ("2021-03-05 · 3 分钟 · 河边网", None),
        ] {
            assert_eq!(
                writer(line, "老石桥没有了 | 张小三").as_deref(),
                name,
                "{line}"
            );
        }
    }
}
