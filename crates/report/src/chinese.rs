//! The report in Chinese: all its words in tables, its own and those of the records.
//!
//! The report is written in English, by code that knows its numbers; then each of its texts is looked
//! up here. A row of a table is a text, or a sentence with holes, `{}`, for what differs from crawl to
//! crawl; what stands in a hole is looked up in turn, so that `3 pages` within a sentence is Chinese,
//! too. What the web says is never looked up: in HTML it stands in links, `bdi` and code. A text that
//! is in no table stays English.

/// What records say in words.
mod details;
/// What is said of a crawl that runs, or has stopped.
mod status;
/// The report's own texts.
mod table;

use details::{DETAILS, PARTS};
use outcome::WallKind;
use status::STATUS;
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
    let sentences = || DETAILS.iter().chain(TABLE).chain(STATUS).copied();
    let walls = WallKind::KNOWN.iter();
    let walls = walls.map(|kind| (kind.english(), kind.chinese()));
    let mut all = sentences().chain(PARTS.iter().copied()).chain(walls);
    let exact = all.find(|(english, _)| *english == text);
    exact
        .map(|(_, chinese)| chinese.to_owned())
        // In a hole stand several of the same kind, such as rules; a whole text may be a sentence with a
        // semicolon.
        .or_else(|| list(text, "; ", "；", depth).filter(|_| depth > 0))
        // A sentence that begins with a hole fits also what stands behind another one's beginning.
        .or_else(|| sentence(sentences(), false, text, depth))
        .or_else(|| list(text, "; ", "；", depth))
        .or_else(|| sentence(sentences(), true, text, depth))
        .or_else(|| list(text, ", ", "，", depth))
        .or_else(|| sentence(PARTS.iter().copied(), true, text, depth))
        .or_else(|| sentence(PARTS.iter().copied(), false, text, depth))
}

/// The first sentence that fits, its holes looked up in turn: of those that begin with a hole, or of those
/// that begin with words.
fn sentence(
    rows: impl Iterator<Item = (&'static str, &'static str)>,
    with_hole: bool,
    text: &str,
    depth: usize,
) -> Option<String> {
    let mut rows = rows.filter(|(english, _)| english.starts_with("{}") == with_hole);
    rows.find_map(|(english, chinese)| {
        let holes = holes(english, text)?;
        let filled = holes
            .iter()
            .map(|hole| look_up(hole.trim(), depth + 1).unwrap_or_else(|| (*hole).to_owned()));
        Some(fill(chinese, &filled.collect::<Vec<_>>()))
    })
}

/// A list of texts that are all known.
fn list(text: &str, separator: &str, chinese: &str, depth: usize) -> Option<String> {
    let items = text.contains(separator).then(|| text.split(separator))?;
    let items: Option<Vec<String>> = items.map(|item| look_up(item, depth + 1)).collect();
    items.map(|items| items.join(chinese))
}

/// What stands in the holes of a sentence; none where the text is another sentence, or there are none.
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
    (rest.is_empty() && !found.is_empty()).then_some(found)
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
            ("1 word, at least 50 wanted", "1 个词，至少要 50 个"),
            (
                "It redirects to http://a.test/x.",
                "重定向到 http://a.test/x。",
            ),
            (
                "Not fetched: robots, by Disallow: /x (robots.txt line 2).",
                "未抓取：robots.txt 不允许，依据 Disallow: /x（robots.txt 第 2 行）。",
            ),
            ("the server answered 503", "服务器返回 503"),
            (
                "It stopped because little more was to be found (little is left to find: about 51 (10 to 236) \
                 relevant pages are left among 900 URLs that wait, beside 700 found; the next 100 fetches would bring \
                 about 5 (1 to 9); half as many pages again as were read would bring 51 at most, under 15 % of those found).",
                "停止原因：已没有多少值得再找的（值得再找的不多：等待的 900 个网址中约有 51（10 至 236） 个相关页面，已找到 700 个；\
                 接下来 100 次抓取约能带来 5（1 至 9） 个；再读已读页数的一半最多带来 51 个，不到已找到的 15 %）。",
            ),
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
    fn walls_refusals_and_their_mends_are_chinese() {
        let is_english = |text: &str| {
            let mut phrases = text.split(|c: char| !c.is_ascii_alphabetic() && c != ' ');
            phrases.any(|phrase| phrase.split_whitespace().count() > 2)
        };
        let mut told: Vec<String> = Vec::new();
        for kind in WallKind::KNOWN {
            told.push(kind.mend().to_owned());
            for vendor in [None, Some("cloudflare".to_owned())] {
                for because in [Vec::new(), vec!["captcha".to_owned()]] {
                    let (kind, sureness, vendor) = (kind.clone(), 0.9, vendor.clone());
                    told.push(
                        outcome::Wall {
                            kind,
                            sureness,
                            vendor,
                            because,
                        }
                        .to_string(),
                    );
                }
            }
        }
        let walled = outcome::Walled {
            walls: 8,
            answers: 9,
        };
        let gone = outcome::HostGone {
            failures: 5,
            seconds: 90,
        };
        told.extend([walled.to_string(), gone.to_string()]);
        for rule in [
            "a.test mirrors b.test",
            "\"/print\" is the same as \"\" on a.test",
            "ref changes nothing on a.test",
            "http://a.test/…?p=1 names http://a.test/… without p as canonical",
            "a.test yields next to nothing",
            "some forms of URLs on a.test yield next to nothing",
        ] {
            let twice = format!("http://a.test/1, since {rule}; {rule} (sure to 86 %)");
            told.extend([
                rule.to_owned(),
                format!("Not fetched: duplicate foreseen, by {twice}."),
            ]);
        }
        let why = "harvest over the last 50 pages is 0.00 %, under 1.00 %".to_owned();
        let host = "a.test".to_owned();
        let barren = outcome::LowYield::Host { host, why };
        told.push(format!("Not fetched: barren, by {barren}."));
        for trap in outcome::Trap::KNOWN {
            let kind = trap.name().trim_start_matches("trap_").replace('_', " ");
            told.push(format!("{kind}: 3"));
        }
        for reason in outcome::StopReason::KNOWN {
            for detail in [None, Some("x")] {
                told.push(crate::why_stopped(reason, detail, 0));
            }
        }
        for text in told {
            assert!(!is_english(&chinese(&text)), "{text}: {}", chinese(&text));
        }
    }

    #[test]
    fn a_refusal_is_told_with_its_rules_and_not_eaten_by_one_of_them() {
        for (english, expected) in [
            (
                "Not fetched: duplicate foreseen, by http://a.test/1, since \"/print\" is the same as \"\" on a.test \
                 (sure to 86 %).",
                "未抓取：预计重复，依据 http://a.test/1，因为a.test 上 \"/print\" 与 \"\" 相同（把握 86 %）。",
            ),
            (
                "Not fetched: guard, by connect to 127.0.0.1: refused by the address guard: loopback.",
                "未抓取：安全规则，依据 地址防护不允许连接 127.0.0.1：环回地址。",
            ),
            (
                "ref changes nothing on a.test; a.test mirrors b.test",
                "a.test 上参数 ref 无关紧要；a.test 是 b.test 的镜像",
            ),
            (
                "the order of parameters changes nothing on a.test; ref changes nothing on a.test",
                "a.test 上参数 的顺序 无关紧要；a.test 上参数 ref 无关紧要",
            ),
            (
                "Not fetched: left out, by budget host.",
                "未抓取：不取，依据 主机的页数已用完。",
            ),
        ] {
            assert_eq!(chinese(english), expected);
        }
    }

    #[test]
    fn every_row_can_be_found_and_has_the_same_holes() {
        let rows = || DETAILS.iter().chain(TABLE).chain(STATUS).chain(PARTS);
        for (english, chinese) in rows() {
            let holes = english.matches("{}").count();
            assert!(
                (0..holes).all(|at| chinese.contains(&format!("{{{at}}}"))),
                "{english}"
            );
            assert!(!chinese.contains(&format!("{{{holes}}}")), "{english}");
            let same = rows().filter(|(other, _)| other == english).count();
            assert_eq!(same, 1, "{english}");
        }
    }
}
