//! The report in Chinese: all its words in one table.
//!
//! The report is written in English, by code that knows its numbers; then each of its texts is looked
//! up here. A row of the table is a text, or a sentence with holes, `{}`, for what differs from crawl to
//! crawl; what stands in a hole is looked up in turn, so that `3 pages` within a sentence is Chinese,
//! too. What the web says is never looked up: in HTML it stands in links, `bdi` and code. A text that
//! is not in the table stays English.

/// English and Chinese.
mod table;

use table::TABLE;

/// How often a hole may hold a sentence with holes.
const DEPTH_MAX: usize = 4;

/// Longer texts are not of the report.
const BYTES_MAX: usize = 2_000;

/// A text of the report in Chinese, as it is where the table does not know it. Space around it stays.
pub(crate) fn chinese(text: &str) -> String {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.len() > BYTES_MAX {
        return text.to_owned();
    }
    let (before, after) = text.split_at(text.len() - text.trim_start().len());
    let after = &after[trimmed.len()..];
    match look_up(trimmed, 0) {
        Some(found) => format!("{before}{found}{after}"),
        None => text.to_owned(),
    }
}

fn look_up(text: &str, depth: usize) -> Option<String> {
    if depth > DEPTH_MAX || !text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let exact = TABLE.iter().find(|(english, _)| *english == text);
    if let Some((_, chinese)) = exact {
        return Some((*chinese).to_owned());
    }
    TABLE
        .iter()
        .filter(|(english, _)| english.contains("{}"))
        .find_map(|(english, chinese)| {
            let holes = holes(english, text)?;
            let filled = holes
                .iter()
                .map(|hole| look_up(hole.trim(), depth + 1).unwrap_or_else(|| (*hole).to_owned()));
            Some(fill(chinese, &filled.collect::<Vec<_>>()))
        })
}

/// What stands in the holes of a sentence; none where the text is another sentence.
fn holes<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut parts = pattern.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let at = match (part, parts.peek()) {
            ("", None) => rest.len(),
            (part, None) => rest.strip_suffix(part)?.len(),
            (part, Some(_)) => rest.find(part)?,
        };
        if at == 0 {
            return None;
        }
        found.push(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    rest.is_empty().then_some(found)
}

/// The Chinese sentence with its holes filled: `{0}` is the first.
fn fill(pattern: &str, holes: &[String]) -> String {
    let mut out = pattern.to_owned();
    for (at, hole) in holes.iter().enumerate() {
        out = out.replacen(&format!("{{{at}}}"), hole, 1);
    }
    out
}

/// Elements whose text is not the report's own.
const FOREIGN: [&str; 8] = ["a", "bdi", "code", "pre", "style", "script", "del", "ins"];

/// A page of the report in Chinese: its texts are looked up one by one, its markup stays.
pub(crate) fn page(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut foreign: Option<&str> = None;
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        let (text, tail) = rest.split_at(open);
        out.push_str(&match foreign {
            None => text_node(text),
            Some(_) => text.to_owned(),
        });
        let end = tail.find('>').map_or(tail.len(), |end| end + 1);
        let tag = &tail[..end];
        let name = tag.trim_start_matches(['<', '/']);
        let name = name.split([' ', '>', '/']).next().unwrap_or_default();
        match foreign {
            Some(inside) if tag.starts_with("</") && inside == name => foreign = None,
            None if !tag.starts_with("</") => {
                foreign = FOREIGN.iter().find(|known| **known == name).copied();
            }
            Some(_) | None => {}
        }
        out.push_str(&labelled(tag));
        rest = &tail[end..];
    }
    out.push_str(rest);
    out.replacen("<html lang=\"en\">", "<html lang=\"zh-CN\">", 1)
}

/// A text of a page. What it has escaped stays escaped: it stands in holes, which are copied.
fn text_node(text: &str) -> String {
    chinese(text)
}

/// A tag with its label for those who do not see it, as of a chart, in Chinese.
fn labelled(tag: &str) -> String {
    const LABEL: &str = "aria-label=\"";
    let label = tag.split_once(LABEL);
    match label.and_then(|(before, rest)| Some((before, rest.split_once('"')?))) {
        Some((before, (label, after))) => {
            format!("{before}{LABEL}{}\"{after}", text_node(label))
        }
        None => tag.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_with_holes_are_filled_also_with_sentences() {
        assert_eq!(chinese("kept"), "保留");
        assert_eq!(chinese("  12 pages "), "  12 个页面 ");
        assert_eq!(
            chinese("Of 6 pages read, 3 are kept (50.0 %), 2 repeat others."),
            "读了 6 个页面：保留 3 个（50.0 %），2 个与其他页面重复。"
        );
        assert_eq!(chinese("What nobody wrote"), "What nobody wrote");
        assert_eq!(chinese("12,345"), "12,345");
    }

    #[test]
    fn what_the_web_says_stays_as_it_is() {
        let html =
            "<html lang=\"en\"><td>kept</td><td><a href=x><bdi>kept</bdi></a></td><bdi>kept</bdi>";
        assert_eq!(
            page(html),
            "<html lang=\"zh-CN\"><td>保留</td><td><a href=x><bdi>kept</bdi></a></td><bdi>kept</bdi>"
        );
    }

    #[test]
    fn numbers_behind_verdicts_charts_and_audit_are_chinese() {
        for (english, expected) in [
            ("23 words, at least 50 wanted", "23 个词，至少要 50 个"),
            (
                "relevance 0.12, at least 0.50 wanted",
                "相关度 0.12，至少要 0.50",
            ),
            ("language de, wanted zh, en", "语言是 de，要的是 zh, en"),
            ("status 404", "状态码 404"),
            (
                "Of 900 pages read: relevant and new: 600; breadth-first: 590",
                "读了 900 个页面：相关且新 600；广度优先 590",
            ),
            ("Of 7 pages read: kept: 5", "读了 7 个页面：保留 5"),
            (
                "Of 20 dropped pages drawn at random 19 were rightly dropped: 95.0 %, with a \
                 confidence of 95 % between 76.4 and 99.1 %.",
                "随机抽查 20 个丢弃的页面，19 个丢弃得对：95.0 %，置信度 95 % 的区间为 76.4 至 99.1 %。",
            ),
            ("3 URLs were", "3 个网址"),
            (
                "round 2: 7 visits (3 without a body): 4 unchanged, 0 touched, 1 changed, 0 moved, 1 gone, 0 back, \
                 1 unclear; 3 new pages, 2 of them kept",
                "第 2 轮：访问 7 次（3 次没有正文）：未变 4，微调 0，已变 1，已搬走 0，已消失 1，又出现 0，不明 1；\
                 3 个新页面，其中保留 2 个",
            ),
        ] {
            assert_eq!(chinese(english), expected);
        }
        assert_eq!(
            page("<td>content type &quot;a&amp;b&quot;</td><svg aria-label=\"pages over time\">"),
            "<td>内容类型 &quot;a&amp;b&quot;</td><svg aria-label=\"页面随时间的分布\">"
        );
    }

    #[test]
    fn every_row_can_be_found_and_has_the_same_holes() {
        for (english, chinese) in TABLE {
            let holes = english.matches("{}").count();
            assert!(
                (0..holes).all(|at| chinese.contains(&format!("{{{at}}}"))),
                "{english}"
            );
            assert!(!chinese.contains(&format!("{{{holes}}}")), "{english}");
            let same = TABLE.iter().filter(|(other, _)| other == english).count();
            assert_eq!(same, 1, "{english}");
        }
    }
}
