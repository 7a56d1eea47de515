//! Names before an office, as by-lines in Korean and Japanese have them: `김하늘 기자`, `[신문 김하늘 기자]`, `（田中記者）`.
//!
//! The office is the last word: 기자 (reporter) alone or behind a word for the kind of reporter (객원기자), or one of a few others.
//! A name may be written together with it: `김하늘기자`. What is no name before it is a paper, a department or a kind of reporter.

use crate::char_counts::is_cjk;

use super::labelled::is_edge;
use super::{name, surnames};

const REPORTER: &str = "기자";
const JAPANESE_REPORTER: &str = "記者";

/// Other offices, as words of their own.
const OFFICES: [&str; 4] = ["특파원", "논설위원", "앵커", "아나운서"];

/// What reporters are for: papers, departments, and kinds of reporters, which are no names. 阿部, 渡部 and 長谷部 are.
fn is_kind(word: &str) -> bool {
    const KINDS: [&str; 22] = [
        "担当", "取材", "専門", "同行", "女性", "新人", "地方", "外国", "遊軍", "従軍", "事件",
        "論説", "編集", "専任", "嘱託", "契約", "各社", "本紙", "本社", "番", "元", "先輩",
    ];
    const ENDS: [&str; 7] = ["紙", "社", "局", "新聞", "班", "誌", "課"];
    let is_department = word.ends_with('部')
        && word.chars().nth(2).is_some()
        && !word.ends_with("谷部")
        && !word.ends_with("下部");
    let is_korean = word.ends_with(surnames::is_hangul) && !surnames::is_korean_name(word);
    is_department
        || is_korean
        || KINDS.contains(&word)
        || ENDS.iter().any(|end| word.ends_with(end))
}

/// Whether a text ends with an office and names nobody before it: 담당 기자, 経済部記者.
pub(super) fn is_alone(text: &str) -> bool {
    let mut reporters = [REPORTER, JAPANESE_REPORTER].into_iter();
    let before = reporters.find_map(|office| text.strip_suffix(office));
    before.is_some_and(|before| {
        without_office(text).is_none()
            && before
                .trim_end()
                .rsplit([' ', '・'])
                .next()
                .is_some_and(is_kind)
    })
}

/// A name without the office behind it; `None` where there is none, or no name before it.
pub(super) fn without_office(text: &str) -> Option<&str> {
    let head = |office: &str| {
        let before = text.strip_suffix(office)?;
        before.ends_with(' ').then_some(before.trim_end())
    };
    let named = match text.strip_suffix(REPORTER) {
        Some(before) => {
            // A name may be written together with the office, and so may the kind of reporter.
            let last = before.trim_end().rsplit(' ').next().unwrap_or("");
            match is_kind(last) {
                false => Some(before.trim_end()),
                true => before.trim_end().strip_suffix(last).map(str::trim_end),
            }
        }
        None => OFFICES
            .iter()
            .find_map(|office| head(office))
            .or_else(|| head(JAPANESE_REPORTER)),
    };
    let last = |name: &str| name.rsplit([' ', '・']).next().is_some_and(is_kind);
    named.filter(|name| !name.is_empty() && !last(name))
}

/// The name before an office that a short line ends with, or a bracket, or "=" before the text.
pub(super) fn named(line: &str) -> Option<String> {
    const CHARS_MAX: usize = 60;
    let plain = name::without_addresses(&line.replace(is_edge, " "));
    let is_short = plain.chars().count() <= CHARS_MAX;
    let offices = OFFICES.iter().chain([&REPORTER, &JAPANESE_REPORTER]);
    let ends = offices.flat_map(|office| {
        plain
            .match_indices(office)
            .map(move |(at, _)| at + office.len())
    });
    ends.min_by_key(|&end| (!is_end(&plain[end..], is_short), end))
        .filter(|&end| is_end(&plain[end..], is_short))
        .and_then(|end| person(&plain, end))
}

/// Whether a by-line ends where this follows: nothing but a mark, a date or, in a line of any length, the text behind "=".
fn is_end(behind: &str, is_short: bool) -> bool {
    let behind = behind.trim_start();
    let is_mark = |c: char| {
        matches!(c, ']' | ')' | '）' | '】' | '|' | '/' | '·' | '(' | '[') || c.is_ascii_digit()
    };
    behind.starts_with(['=', '＝'])
        || is_short && (behind.is_empty() || behind.starts_with(is_mark))
}

/// The names at the end of what stands before an office, behind a bracket or another mark.
fn person(line: &str, end: usize) -> Option<String> {
    let is_open = |c: char| {
        matches!(
            c,
            '[' | '(' | '（' | '【' | ']' | ')' | '）' | '】' | '=' | '＝' | '|' | '/' | '／'
        )
    };
    let from = line[..end].rfind(is_open).map_or(0, |at| {
        at + line[at..].chars().next().map_or(0, char::len_utf8)
    });
    let segment = line[from..end].trim();
    let is_in_brackets = line[..from].ends_with(['（', '(', '【', '[']);
    let glued = segment
        .strip_suffix(JAPANESE_REPORTER)
        .filter(|_| is_in_brackets);
    let text = without_office(segment).or(glued)?.trim();
    let mut words = text.rsplit(' ');
    let mut named = words.next()?.to_owned();
    for word in words {
        let goes_on = word.ends_with([',', '、', '·', '・'])
            || named.chars().count() == 1
            || segment.ends_with(JAPANESE_REPORTER) && word.chars().all(is_cjk);
        if !goes_on {
            break;
        }
        named = format!("{word} {named}");
    }
    // （文化部・田中記者）
    while let Some((_, rest)) = named
        .split_once(['・', '·'])
        .filter(|(kind, _)| is_kind(kind))
    {
        named = rest.to_owned();
    }
    let is_name = |name: &str| {
        let name = name.trim();
        !is_kind(name)
            && (2..=7).contains(&name.chars().count())
            && name.chars().all(|c| is_cjk(c) || c == ' ' || c == '々')
    };
    named
        .split([',', '、', '·', '・'])
        .all(is_name)
        .then_some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_before_an_office_is_a_name() {
        for (line, name) in [
            ("김하늘 기자", Some("김하늘")),
            ("김하늘기자", Some("김하늘")),
            ("2021.03.05 김하늘 기자", Some("김하늘")),
            ("[신문 김하늘 기자]", Some("김하늘")),
            ("[신문=김하늘 기자]", Some("김하늘")),
            (
                "(서울=통신) 김하늘 기자 = 강물이 다시 불어나 오래된 돌다리를 쓸어 갔다.",
                Some("김하늘"),
            ),
            ("김하늘 객원기자 sky@h.example", Some("김하늘")),
            ("글·사진 김하늘, 남궁민수 기자", Some("김하늘, 남궁민수")),
            ("김하늘 특파원", Some("김하늘")),
            ("（田中記者）", Some("田中")),
            ("佐々木 健 記者", Some("佐々木 健")),
            ("斎藤 真理子 記者", Some("斎藤 真理子")),
            ("기자회견 안내", None),
            ("기자", None),
            ("그날 기자 회견이 열렸다", None),
            ("新聞記者", None),
            ("（経済部記者）", None),
            ("（本紙記者）", None),
            ("（元新聞記者）", None),
            ("（同行記者）", None),
            ("（文化部・田中記者）", Some("田中")),
            ("（阿部記者）", Some("阿部")),
            ("담당 기자", None),
            ("[취재 기자]", None),
            ("정치부 기자", None),
            ("시민기자", None),
            ("김하늘 여행전문 기자", Some("김하늘")),
            ("문화부 김하늘 기자", Some("김하늘")),
        ] {
            assert_eq!(named(line).as_deref(), name, "{line}");
        }
        assert_eq!(without_office("김하늘 선임기자"), Some("김하늘"));
        assert_eq!(without_office("기자"), None);
        for (text, is_nobody) in [
            ("담당 기자", true),
            ("経済部記者", true),
            ("김하늘 기자", false),
            ("田中記者", false),
        ] {
            assert_eq!(is_alone(text), is_nobody, "{text}");
        }
    }
}
