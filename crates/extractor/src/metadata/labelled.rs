//! By-lines in Chinese, Japanese and Korean: a label and a name, and very often further labels behind it: "作者：张三 来源：某报".
//!
//! Nothing in a name tells it from a label: both are two to four characters. What stands around them does. The
//! word directly before a colon is a label. A line's end and an element's end are the end of a name. A word that
//! goes on in more characters, a number or a slash is no further name.

use crate::char_counts::is_cjk;
use crate::dates;

use super::byline::{Named, is_han, taken};
use super::{name, reporter, surnames};

/// Stands in a line where an element begins, and [`CLOSE`] where one ends.
pub(super) const OPEN: char = '\u{1}';
pub(super) const CLOSE: char = '\u{2}';

pub(super) fn is_edge(c: char) -> bool {
    matches!(c, OPEN | CLOSE)
}

/// Labels that a colon follows, or another mark.
const LABELS: [&str; 47] = [
    "作者",
    "采写",
    "投稿人",
    "发表人",
    "供稿人",
    "文字",
    "文/图",
    "发布",
    "撰文",
    "图文",
    "文",
    "记者",
    "编译",
    "通讯员",
    "供稿",
    "投稿",
    "撰稿",
    "撰稿人",
    "发布者",
    "发布人",
    "楼主",
    "記者",
    "投稿者",
    "著者",
    "執筆",
    "執筆者",
    "筆者",
    "ライター",
    "文責",
    "書いた人",
    "取材・文",
    "構成・文",
    "文・写真",
    "写真・文",
    "文・撮影",
    "작성자",
    "글쓴이",
    "기자",
    "저자",
    "지은이",
    "필자",
    "등록자",
    "게시자",
    "글",
    "글·사진",
    "사진·글",
    "취재",
];

/// Those of them behind which also stand sizes, days and offices: 文字：大 中 小.
const OF_MORE: [&str; 3] = ["文字", "文/图", "发布"];

/// Those of them that need no mark at the beginning of a line.
const ANNOUNCING: [&str; 4] = ["작성자", "글쓴이", "등록자", "投稿者"];

/// What other labels end in. They matter only where nothing parts a name from the label behind it.
const OF_LABELS: [&str; 26] = [
    "来源",
    "时间",
    "日期",
    "编辑",
    "责任",
    "责编",
    "次数",
    "浏览",
    "点击",
    "阅读",
    "评论",
    "审核",
    "校对",
    "摄影",
    "记者",
    "通讯员",
    "单位",
    "部门",
    "发布",
    "更新",
    "录入",
    "字号",
    "字体",
    "分类",
    "图",
    "量",
];

/// What stands behind a name in one character.
const OF_ONE_CHARACTER: [&str; 13] = [
    "摄", "攝", "文", "图", "圖", "编", "編", "译", "譯", "訳", "著", "绘", "撰",
];

/// What people did for a text, behind their names: 张三 摄影报道.
const DEEDS: [&str; 8] = ["报道", "報導", "报导", "摄影", "摄", "综合", "整理", "电"];

/// The name behind a label with a colon: "作者：张三 李四".
pub(super) fn labelled(line: &str) -> Option<Named<'_>> {
    let is_colon = |c| matches!(c, ':' | '：' | '/' | '／' | '丨' | '|' | '｜' | '=' | '＝');
    let mut colons = line.match_indices(is_colon);
    colons.find_map(|(at, colon)| {
        let label = label_of(&line[..at])?;
        let rest = &line[at + colon.len()..];
        let rest = own(rest.trim_start_matches(is_gap), rest);
        let field = before_next_label(rest, colon)?;
        let skipped = reporter::skipped(field);
        let (rest, field) = (&rest[skipped..], &field[skipped..]);
        let first = first_name(field).filter(|first| !is_other(first))?;
        // One program of blogs says 发布 of the writer, and the section behind.
        let is_of_more = OF_MORE.contains(&label) && !(label == "发布" && line.contains("分类"));
        if is_of_more && !surnames::is_chinese_name(first) {
            return None;
        }
        let is_field =
            matches!(colon, ":" | "：") || field.len() < rest.len() || names_person(label, first);
        if !is_field {
            return None;
        }
        let further = further_names(&field[first.len()..], 4, |c| is_cjk(c) || c == '·');
        Some(Named::first(rest, first.len() + further))
    })
}

/// Whether a word behind a label and a sign that also parts two words, as in 图文/视频, is a name: the label is no word for
/// texts and pictures, or what begins the word is a surname. 文/小丸子: 文 alone is a word with no other of three.
fn names_person(label: &str, word: &str) -> bool {
    const OF_THINGS: [&str; 6] = ["图文", "编译", "投稿", "文", "글", "취재"];
    let is_apart = || label == "文" && word.chars().nth(2).is_some();
    !OF_THINGS.contains(&label) || surnames::may_be_name(word) || is_apart()
}

/// The name that a text begins with: a word with the numbers in it, or a surname and a name of one character behind
/// a blank, or words of Latin with capitals.
fn first_name(text: &str) -> Option<&str> {
    const CHARS_MAX: usize = 24;
    const SURNAME_MAX: usize = 3;
    const LATIN_WORDS_MAX: usize = 3;
    let word = taken(text, CHARS_MAX, in_name);
    let word = match word.is_ascii() {
        true => word,
        false => &word[..name::before_number(text).len().min(word.len())],
    };
    let next = |end: usize| {
        let behind = text[end..].strip_prefix(' ')?;
        let next = taken(behind, CHARS_MAX, in_name);
        let after = &behind[next.len()..];
        (!next.is_empty() && !goes_on(after)).then_some(next)
    };
    let mut end = word.len();
    let count = word.chars().count();
    if word.chars().all(is_han)
        && (1..=SURNAME_MAX).contains(&count)
        && let Some(given) = next(end)
        && given.chars().all(is_han)
        && given.chars().count() <= if count == 1 { 2 } else { 1 }
        && !OF_ONE_CHARACTER.contains(&given)
    {
        end += 1 + given.len();
    }
    let is_latin = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word
                .chars()
                .all(|c| c.is_alphabetic() && !is_cjk(c) || c == '.')
    };
    for _ in 1..LATIN_WORDS_MAX {
        let Some(further) = next(end).filter(|further| is_latin(word) && is_latin(further)) else {
            break;
        };
        end += 1 + further.len();
    }
    let name = &text[..end];
    // One character is no name, nor is a number.
    (name.chars().nth(1).is_some() && name.contains(char::is_alphabetic)).then_some(name)
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '·' | '．' | '.' | '_' | '々')
}

/// The name behind 记者 or 通讯员 at the beginning of a line, with the agency's name before it or not.
pub(super) fn reported_by(line: &str) -> Option<Named<'_>> {
    let skipped = |text: &'_ str| -> usize { text.len() - text.trim_start_matches(is_gap).len() };
    let rest = &line[skipped(line)..];
    let rest = rest.strip_prefix(['（', '(', '【']).unwrap_or(rest);
    let rest = &rest[skipped(rest)..];
    let mut agencies = ["本报", "本网", "新华社", "中新社"].iter();
    let agency = agencies.find_map(|name| rest.strip_prefix(name));
    let rest = agency.unwrap_or(rest);
    let mut reporters = ["记者", "通讯员"].iter();
    let Some(rest) = reporters.find_map(|name| rest.strip_prefix(name)) else {
        return announced(rest).or_else(|| korean(rest));
    };
    // 记者会, 记者站, 记者节: what is for reporters.
    if rest.starts_with(['会', '會', '站', '节', '節', '证', '證']) {
        return None;
    }
    let rest = &rest[skipped(rest)..];
    let first = match mixed_name(rest) {
        Some(name) => name,
        None => taken(rest, 4, is_han),
    };
    first.chars().nth(1).filter(|_| !is_other(first))?;
    let further = further_names(&rest[first.len()..], 3, is_han);
    let named = Named::first(rest, first.len() + further);
    (!tells_more(named.behind)).then_some(named)
}

/// Whether a word behind 记者 goes on as a sentence does: 记者了解到，…
fn tells_more(behind: &str) -> bool {
    const CHARS_MAX: usize = 40;
    let after = behind.trim_start_matches(is_gap);
    let is_closed = after.starts_with([')', '）', '】', ']']);
    let is_long = behind.contains('。') || behind.chars().nth(CHARS_MAX).is_some();
    behind.starts_with(is_han) || !is_closed && is_long
}

/// A name with letters or numbers among Chinese characters, up to the end of a line, an element or a bracket.
fn mixed_name(text: &str) -> Option<&str> {
    let name = first_name(text)?;
    let after = text[name.len()..].trim_start_matches(is_gap);
    let is_mixed = !name.chars().all(is_han) || name.contains(' ');
    (is_mixed && (after.is_empty() || after.starts_with([')', '）', '】', ']']))).then_some(name)
}

/// The name behind a label of no mark at the beginning of a line.
fn announced(line: &str) -> Option<Named<'_>> {
    let rest = ANNOUNCING
        .iter()
        .find_map(|label| line.strip_prefix(label))?;
    let behind = rest.trim_start_matches(is_gap);
    let name = first_name(behind).filter(|_| behind.len() < rest.len())?;
    let after = &behind[name.len()..];
    let ends = match after.strip_prefix(' ') {
        Some(further) => further.starts_with(|c: char| c.is_ascii_digit()),
        None => after.is_empty() || after.starts_with(|c: char| is_edge(c) || name::is_mark(c)),
    };
    ends.then(|| Named::first(behind, name.len()))
}

/// The name behind what somebody did or is in Korean, with a blank between: 글 김하늘, 글·사진 김하늘, 취재기자 김하늘. Such words
/// begin many lines, so what stands behind must be a Korean's name, and the end of the line or of what it says of it.
fn korean(line: &str) -> Option<Named<'_>> {
    const DEEDS: [&str; 3] = ["글", "사진", "그림"];
    const MARKS: [char; 5] = ['·', '/', ',', '・', 'ㆍ'];
    let is_deed = |text: &str| text.split(MARKS).all(|word| DEEDS.contains(&word.trim()));
    let rest = line.match_indices(' ').take(3).find_map(|(at, _)| {
        let before = line[..at].trim_matches(is_gap);
        let is_of_texts = before.contains("글") && is_deed(before);
        let is_reporter = before.ends_with("기자") && before.split(' ').count() <= 2;
        (is_of_texts || is_reporter).then(|| line[at..].trim_start_matches(is_gap))
    })?;
    let name = taken(rest, 5, surnames::is_hangul);
    let behind = &rest[name.len()..];
    let after = behind.trim_start_matches(is_gap);
    let next = after.split(is_gap).next().unwrap_or("");
    let ends = DEEDS.contains(&next) || !after.starts_with(char::is_alphabetic);
    let is_word = !behind.starts_with(char::is_alphanumeric);
    // "글 최신순" is how a list is sorted. Two deeds, a reporter, and what follows the name tell more than a blank does.
    let is_told = line[..line.len() - rest.len()].trim_matches(is_gap) != "글" || !after.is_empty();
    let is_name = surnames::is_korean_name(name) && (is_told || !surnames::is_korean_word(name));
    (is_word && ends && is_name).then(|| Named::first(rest, name.len()))
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || is_edge(c)
}

/// The label that a text ends with, whose characters may stand apart: 作　者.
fn label_of(before: &str) -> Option<&'static str> {
    let mut labels = LABELS.iter().copied();
    labels.find(|label| {
        let mut at = before.chars().rev().filter(|&c| !is_gap(c));
        let ends = label.chars().rev().all(|c| at.next() == Some(c));
        // 文 and 글 end many words: 原文, 英文, 댓글.
        ends && (label.chars().nth(1).is_some()
            || !before
                .trim_end_matches(is_gap)
                .strip_suffix(label)
                .is_some_and(|head| head.ends_with(is_cjk)))
    })
}

/// The part of a text that belongs to a label: its line, up to the end of the element in which it begins or of
/// one around that. `behind` is the text as it stands behind the colon, with what was skipped.
fn own<'t>(text: &'t str, behind: &str) -> &'t str {
    let skipped = &behind[..behind.len() - text.len()];
    let last = skipped.rfind(CLOSE).map_or(0, |at| at + CLOSE.len_utf8());
    let mut depth = skipped[last..].matches(OPEN).count();
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return &text[..at],
            OPEN => depth += 1,
            CLOSE if depth == 0 => return &text[..at],
            CLOSE => depth -= 1,
            _ => {}
        }
    }
    text
}

/// What stands before the next label of a line; `None` where that is nothing. A label ends in the colon of the
/// first label or in a real one.
fn before_next_label<'t>(text: &'t str, colon: &str) -> Option<&'t str> {
    let is_colon = |c: char| matches!(c, ':' | '：') || colon.starts_with(c);
    let Some(at) = text.find(is_colon) else {
        return Some(text);
    };
    let head = text[..at].trim_end_matches(is_gap);
    let word = head
        .rfind(|c: char| !c.is_alphabetic())
        .map_or(head, |last| {
            let last_length = head[last..].chars().next().map_or(0, char::len_utf8);
            &head[last + last_length..]
        });
    let before = &head[..head.len() - word.len()];
    if word.is_empty() || !before.is_empty() {
        return Some(without_apart(before, word));
    }
    // Nothing parts the name from the label.
    let mut name = word;
    while let Some(shorter) = OF_LABELS.iter().find_map(|end| name.strip_suffix(end)) {
        name = shorter;
    }
    (name.len() < word.len()).then_some(name)
}

/// What stands before a label whose characters stand apart, 来 源, of which the last is known.
fn without_apart<'t>(before: &'t str, last: &str) -> &'t str {
    let head = before.trim_end();
    let first = head.chars().next_back().filter(|&c| is_han(c));
    let (Some(first), None) = (first, last.chars().nth(1)) else {
        return before;
    };
    let rest = &head[..head.len() - first.len_utf8()];
    let is_apart = rest.ends_with(char::is_whitespace) && head.len() < before.len();
    if is_apart { rest } else { before }
}

/// The bytes of at most `most` further Chinese names, each of two to four characters behind a comma or
/// blank.
fn further_names(text: &str, most: usize, is_name: impl Fn(char) -> bool) -> usize {
    let mut at = 0;
    for _ in 0..most {
        let rest = &text[at..];
        // Only a comma leads from one element to the next.
        let inside = rest.trim_start_matches(is_edge);
        let is_comma = |c: &char| matches!(c, '、' | '，' | ',');
        let Some(separator) = inside
            .chars()
            .next()
            .filter(|c| is_comma(c) || (*c == ' ' && inside.len() == rest.len()))
        else {
            break;
        };
        let behind = &inside[separator.len_utf8()..];
        let behind = match is_comma(&separator) {
            true => behind.trim_start_matches(is_edge),
            false => behind,
        };
        let name = taken(behind, 4, &is_name);
        // A blank parts names in Chinese, and words in other scripts.
        if separator == ' ' && !name.chars().all(is_han) {
            break;
        }
        let after = &behind[name.len()..];
        if name.chars().nth(1).is_none() || is_other(name) || goes_on(after) {
            break;
        }
        at = text.len() - after.len();
    }
    at
}

/// Whether a word is a label or a deed, and no name.
fn is_other(word: &str) -> bool {
    LABELS.contains(&word)
        || ["사진", "그림"].contains(&word)
        || DEEDS.iter().any(|deed| word.ends_with(deed))
}

/// Whether what stands behind a word makes it something else than a name: it is longer, a label, or the name of
/// a count.
fn goes_on(after: &str) -> bool {
    let next = after.chars().next();
    if next.is_some_and(|c| c.is_alphanumeric() || matches!(c, ':' | '：' | '/' | '／')) {
        return true;
    }
    let counted = after.trim_start_matches(is_gap);
    counted.starts_with(|c: char| c.is_ascii_digit()) && dates::written(counted, true).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, name: Option<&str>) {
        let found = labelled(line).or_else(|| reported_by(line));
        assert_eq!(found.map(|named| named.name.trim()), name, "{line:?}");
    }

    #[test]
    fn the_word_before_a_colon_is_a_label() {
        for label in ["来源", "责任编辑", "点击", "文号", "来 源"] {
            check(&format!("作者：陈思远 {label}：某报"), Some("陈思远"));
            check(&format!("作者:陈思远 {label}:某报"), Some("陈思远"));
        }
        check("文/陈思远 编辑/周敏", Some("陈思远"));
        check("作者：陈思远 李静 来源：某报", Some("陈思远 李静"));
        check("作者：陈思远来源：某报", Some("陈思远"));
        check("作者：陈思远发布时间：3月", Some("陈思远"));
        check("作者： 来源：某报", None);
    }

    #[test]
    fn a_line_and_an_element_end_a_name() {
        check("作者：何志\n本文版权归作者", Some("何志"));
        check("\u{1}作者：刘军涛\u{2}\u{1}时间", Some("刘军涛"));
        check("\u{1}作者：\u{2}刘军涛 \u{1}关注\u{2}", Some("刘军涛"));
        check("\u{1}作者：刘军涛\u{2} 关注", Some("刘军涛"));
        check(
            "作者：\u{1}张三\u{2}、\u{1}李四\u{2}",
            Some("张三\u{2}、\u{1}李四"),
        );
    }

    #[test]
    fn a_word_that_goes_on_is_no_further_name() {
        check("作者：何志 本文版权归作者", Some("何志"));
        check("作者：何志 阅读 33", Some("何志"));
        check("作者：何志 阅读33", Some("何志"));
        check("作者：何志 李静 2020-03-05", Some("何志 李静"));
        check("作者：何志，李静（某大学）", Some("何志，李静"));
    }

    #[test]
    fn deeds_and_offices_are_no_names() {
        check("（通讯员 何强静 报道）", Some("何强静"));
        check("记者 陈思远 通讯员 刘芳", Some("陈思远"));
        check("本报记者 陈思远 摄影报道", Some("陈思远"));
        check("记者 陈思远、刘芳", Some("陈思远、刘芳"));
        check("（记者陈思远）昨天，河水又涨了。", Some("陈思远"));
        check("记者了解到，河水昨天又涨了，冲走了老桥。", None);
        check("记者通过电子邮件采访了他", None);
        check("（记者会现场）昨天，河水又涨了。", None);
    }

    #[test]
    fn numbers_letters_and_blanks_are_part_of_names() {
        for name in [
            "老张2015",
            "旅行者2号",
            "90后妈妈",
            "wang88",
            "Alice_李",
            "诸葛 亮",
            "李 娜",
            "Tom Lee",
            "大刘_2020",
        ] {
            for line in [
                "作者：@",
                "文/@",
                "作者：@ 来源：某报",
                "作者：@ 阅读 33",
                "作者：@ 2021-03-05",
                "（记者 @）",
            ] {
                check(&line.replace('@', name), Some(name));
            }
        }
        check("作者：张三2021-03-05", Some("张三"));
        check("作者：张三2021年3月5日", Some("张三"));
        check("作者：张三阅读33", Some("张三"));
        check("作者：张三 摄", Some("张三"));
        check("作者：2021-03-05", None);
    }

    #[test]
    fn labels_in_japanese_and_korean_announce_names() {
        for (line, name) in [
            ("投稿者：田中一郎", Some("田中一郎")),
            ("著者: 佐々木 健", Some("佐々木 健")),
            ("文＝鈴木イチロウ", Some("鈴木イチロウ")),
            ("文・写真：田中一郎", Some("田中一郎")),
            ("ライター：ミカ　公開日：2021年3月5日", Some("ミカ")),
            ("작성자: 김하늘", Some("김하늘")),
            ("글쓴이 : 김하늘 조회 33", Some("김하늘")),
            ("글 = 김하늘", Some("김하늘")),
            ("작성자 \u{1}김하늘\u{2}", Some("김하늘")),
            ("글 김하늘 사진 최민호", Some("김하늘")),
            ("글·사진 남궁민수", Some("남궁민수")),
            ("글/사진 김하늘", Some("김하늘")),
            ("글, 그림 김하늘", Some("김하늘")),
            ("기자 김하늘", Some("김하늘")),
            ("취재 기자 김하늘 | 2021.03.05", Some("김하늘")),
            ("시민기자 \u{1}김하늘\u{2}", Some("김하늘")),
            ("글 김하늘", Some("김하늘")),
            ("글 이준기", Some("이준기")),
            ("글 최신순", None),
            ("글 주제별", None),
            ("글 이전글", None),
            ("글 지우기", None),
            ("취재 기자 이야기", None),
            ("글/그림", None),
            ("글 목록", None),
            ("글 전체보기", None),
            ("기자 회견", None),
            ("기자 간담회", None),
            ("기자 김하늘 씨는 강가에 산다", None),
            ("댓글: 김하늘", None),
            ("全文：田中", None),
            ("작성자 없음을 알립니다", None),
        ] {
            check(line, name);
        }
    }

    #[test]
    fn a_sign_that_parts_two_words_needs_a_name_behind_it() {
        for line in [
            "图文/视频",
            "图文/直播 视频",
            "图文=图片",
            "编译=链接 运行",
            "图文 | 音频",
            "投稿／動画",
            "文/理科 分数线",
        ] {
            check(line, None);
        }
        check("图文/张三", Some("张三"));
        check("图文｜欧阳雪", Some("欧阳雪"));
        check("编译/陈思远", Some("陈思远"));
        check("图文/木木 编辑/周敏", Some("木木"));
        check("文/小丸子", Some("小丸子"));
        check("作者/木木", Some("木木"));
        check("图文：木木", Some("木木"));
    }

    #[test]
    fn a_label_is_a_word() {
        check("英文：某某", None);
        check("图文：某某", Some("某某"));
        check("作　者：某某", Some("某某"));
        check("发布者：何志 发布时间：3月", Some("何志"));
        check("撰稿：何志 摄影：李静 审核：某某", Some("何志"));
    }
}
