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
        out.push_str(tag);
        rest = &tail[end..];
    }
    out.push_str(rest);
    out.replacen("<html lang=\"en\">", "<html lang=\"zh-CN\">", 1)
}

/// A text of a page, whose marks of markup are escaped in both languages alike.
fn text_node(text: &str) -> String {
    match text.contains("&quot;") || text.contains("&amp;") {
        true => text.to_owned(),
        false => chinese(text),
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
