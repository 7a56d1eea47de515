//! Names of authors as they stand in by-lines and metadata, freed of what stands around them.

use crate::dates;

use super::{byline, nobody, numbers, office, reporter, short, uncased, unescaped};

/// A name without a prefix such as "by" and without what follows it; `None` if it is no name.
pub(super) fn clean(text: &str) -> Option<String> {
    freed(text, numbers::first)
}

/// A name that a program declares: of numbers it has only a date beside it.
pub(super) fn declared(text: &str) -> Option<String> {
    freed(text, dates::place)
}

/// A name without what stands around it; `cut` finds where something else begins.
fn freed(text: &str, cut: fn(&str) -> Option<usize>) -> Option<String> {
    let text = short(&unescaped(text));
    if let Some(reporter) = reporter::in_row(&text) {
        return Some(reporter);
    }
    let text = without_addresses(without_prefix(behind_phrase(&text)));
    text.split(['|', '｜']).find_map(|part| {
        let part = before_deed(without_prefix(part));
        let (head, tail) = match cut(part) {
            Some(at) => parts_around(part, at),
            None => (part, ""),
        };
        [head, tail].into_iter().find_map(plausible)
    })
}

/// A name before what somebody did: 阿芬 發表在 某站.
fn before_deed(text: &str) -> &str {
    let deeds = [" 发布", " 發布", " 发表", " 發表"];
    let at = deeds.iter().filter_map(|deed| text.find(deed)).min();
    at.map_or(text, |at| &text[..at])
}

/// What of a line stands before the first number that is no part of a name.
pub(super) fn before_number(text: &str) -> &str {
    numbers::first(text).map_or(text, |at| parts_around(text, at).0)
}

/// The name behind "View all posts by" or "See more from": words without a capital but the first that such a word ends. What others did
/// ("Reviewed by") is no phrase about the author's texts.
fn behind_phrase(text: &str) -> &str {
    let behind = |joint| text.split_once(joint);
    let Some((phrase, name)) = behind(" by ").or_else(|| behind(" from ")) else {
        return text;
    };
    let mut words = phrase.split(' ');
    let is_phrase = words.clone().count() > 1
        && words
            .clone()
            .skip(1)
            .all(|word| word.chars().all(char::is_lowercase))
        && words.next_back().is_some_and(|last| !last.ends_with("ed"));
    match is_phrase && name.starts_with(char::is_uppercase) {
        true => name,
        false => text,
    }
}

/// A text without the e-mail addresses between its words; one that is an address alone names who wrote.
pub(super) fn without_addresses(text: &str) -> String {
    let is_address = |word: &&str| {
        word.trim_matches(['<', '>'])
            .split_once('@')
            .is_some_and(|(name, _)| !name.is_empty())
    };
    let words: Vec<&str> = text.split(' ').filter(|word| !is_address(word)).collect();
    match words.is_empty() {
        true => text.to_owned(),
        false => words.join(" "),
    }
}

/// What announces a name.
const PREFIXES: [&str; 29] = [
    "by ",
    "by:",
    "written by",
    "posted by",
    "published by",
    "submitted by",
    "contributed by",
    "reported by",
    "authored by",
    "words by",
    "story by",
    "von ",
    "por ",
    "作者：",
    "作者:",
    "作者|",
    "作者 ",
    "本文作者：",
    "本文作者:",
    "原作者：",
    "작성자:",
    "작성자 :",
    "글쓴이:",
    "글·사진 ",
    "投稿者：",
    "author:",
    "author ",
    "autor:",
    "auteur:",
];

fn without_prefix(text: &str) -> &str {
    let mut text = text.trim();
    for prefix in PREFIXES {
        if let Some(head) = text.get(..prefix.len())
            && head.to_lowercase() == prefix
        {
            text = text[prefix.len()..].trim_start_matches([' ', ':']);
        }
    }
    let behind = byline::behind_label(text).or_else(|| uncased::behind_writing(text));
    behind.map_or(text, str::trim_start)
}

/// What stands before a date or a count that begins at a place, and what stands behind the last.
fn parts_around(text: &str, at: usize) -> (&str, &str) {
    // "3 March": what stands before the number is no month of its own.
    let behind = text[at..].trim_start_matches(|c: char| c.is_ascii_digit() || is_mark(c));
    let is_dated = behind
        .split(' ')
        .next()
        .is_some_and(|word| dates::is_month(&word.to_lowercase()));
    let head = match is_dated {
        true => without_words(&text[..at], |word| is_of_date(word) && !is_in_names(word)),
        false => without_date(numbers::without_counted(
            text[..at].trim_end_matches(is_mark),
        )),
    };
    let behind = &text[numbers::last_end(text).unwrap_or(at).max(at)..];
    let mut tail = numbers::behind_units(behind).unwrap_or(behind);
    tail = tail.trim_start_matches(is_mark);
    while let Some((word, rest)) = tail
        .split_once(' ')
        .or((!tail.is_empty()).then_some((tail, "")))
        && is_of_date(word.trim_matches(is_mark))
    {
        tail = rest.trim_start_matches(is_mark);
    }
    (head, without_prefix(tail))
}

/// A text before a number without the words at its end that belong to the number's date.
pub(super) fn without_date(text: &str) -> &str {
    without_words(text, is_of_date)
}

fn without_words(text: &str, is_left_out: impl Fn(&str) -> bool) -> &str {
    let mut head = text.trim_end_matches(is_mark);
    while let Some(word) = head.split(' ').next_back()
        && !word.is_empty()
        && is_left_out(word.trim_matches(is_mark))
    {
        head = head[..head.len() - word.len()].trim_end_matches(is_mark);
    }
    head
}

/// Whether a word of dates is also a name: Theresa May, Nguyen Van Le.
fn is_in_names(word: &str) -> bool {
    let word = word.to_lowercase();
    matches!(word.as_str(), "le" | "el" | "sun" | "am") || dates::is_month(&word)
}

pub(super) fn is_mark(c: char) -> bool {
    matches!(
        c,
        ' ' | ','
            | '.'
            | '|'
            | '｜'
            | '('
            | '-'
            | '–'
            | '—'
            | '·'
            | ':'
            | '：'
            | '/'
            | '•'
            | '→'
            | '»'
    )
}

/// Whether a word before a number belongs to a date: a month, a day of the week, what was done on it.
pub(super) fn is_of_date(word: &str) -> bool {
    const WORDS: [&str; 19] = [
        "于",
        "於",
        "on",
        "at",
        "am",
        "le",
        "el",
        "posted",
        "published",
        "updated",
        "joined",
        "created",
        "written",
        "since",
        "tues",
        "thurs",
        "发布于",
        "发表于",
        "更新于",
    ];
    let word = word.to_lowercase();
    WORDS.contains(&word.as_str()) || dates::is_weekday(&word) || dates::is_month(&word)
}

/// What joins a further name that was cut off, and what follows a name.
const ENDS: [&str; 13] = [
    " and",
    " und",
    " et",
    " y",
    " &",
    " 等",
    "翻译",
    " 译",
    " 著",
    "整理",
    "出版日期",
    " Offline",
    " Online",
];

/// A name, if it can be one.
fn plausible(name: &str) -> Option<String> {
    let mut name = name.trim_matches(is_open_end);
    for end in ENDS {
        name = name
            .strip_suffix(end)
            .unwrap_or(name)
            .trim_matches(is_open_end);
    }
    name = office::without_office(name).unwrap_or(name);
    let lower = name.to_lowercase();
    let is_path = lower.contains("://") || (!lower.contains(' ') && lower.matches('.').count() > 2);
    let is_name = (2..=200).contains(&name.chars().count())
        && !nobody::is(&lower)
        && !office::is_alone(name)
        && !is_path
        // "Email to Author", "For Authors".
        && !lower.split(' ').any(|word| matches!(word, "author" | "authors"))
        // Another label's: 责任编辑：某某.
        && !name.contains('：')
        && !is_phrase(name)
        && !lower.starts_with('@')
        && name.chars().any(char::is_alphabetic);
    is_name.then(|| name.to_owned())
}

/// Whether most words begin in lower case, as in "Learn about our policies" and not in "Ludwig van der Rohe".
fn is_phrase(name: &str) -> bool {
    let words = name
        .split(' ')
        .filter(|word| word.starts_with(char::is_alphabetic));
    let (low, high): (Vec<&str>, Vec<&str>) =
        words.partition(|word| word.starts_with(char::is_lowercase));
    low.len() + high.len() > 3 && low.len() > high.len()
}

/// Marks at the ends of a name that are no part of it; a dot ends an initial.
fn is_open_end(c: char) -> bool {
    c != '.' && is_mark(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_freed_of_what_stands_around_them() {
        for (text, name) in [
            ("By Lois Lane", Some("Lois Lane")),
            ("作者：张三", Some("张三")),
            ("Authored by: Dr. Ann Lane", Some("Dr. Ann Lane")),
            ("Lois Lane | March 3, 2021", Some("Lois Lane")),
            ("Lois Lane Sat 3 March 2021", Some("Lois Lane")),
            ("Dec. 19, 2025 · Lois Lane", Some("Lois Lane")),
            ("Lois &amp; Clark", Some("Lois & Clark")),
            ("Hooded Horse and", Some("Hooded Horse")),
            ("slowpoke99", Some("slowpoke99")),
            ("Geekwolf DevOps | Docker | k8s", Some("Geekwolf DevOps")),
            ("Josip Rodin <joy@debian.example>", Some("Josip Rodin")),
            ("joy@debian.example", Some("joy@debian.example")),
            ("@joy", None),
            ("本文作者： francs", Some("francs")),
            ("石井達夫 翻译", Some("石井達夫")),
            ("4zap", Some("4zap")),
            ("张三 2021年3月5日", Some("张三")),
            ("李四2021年3月5日", Some("李四")),
            ("Lois Lane 2021-03-05T10:00", Some("Lois Lane")),
            ("Theresa May 3 March 2021", Some("Theresa May")),
            ("Nguyen Van Le 3 March 2021", Some("Nguyen Van Le")),
            ("April May", Some("April May")),
            ("Martin Luther King, Jr.", Some("Martin Luther King, Jr.")),
            ("张三 发布于 2021-03-05", Some("张三")),
            ("Sat, 3 Dec 2021", None),
            ("Posted 3 March", None),
            ("View all posts by Lois Lane", Some("Lois Lane")),
            ("Submitted by Lois Lane", Some("Lois Lane")),
            ("Autor: Lois Lane", Some("Lois Lane")),
            ("责任编辑：张三", None),
            ("9 articles", None),
            ("page.head.extra.author", None),
            ("admin", None),
            ("Full Bio", None),
            ("See more from Lois Lane", Some("Lois Lane")),
            ("Email to Author", None),
            ("For Authors", None),
            ("RSS", None),
            ("Learn about our editorial policies", None),
            ("Ludwig Mies van der Rohe", Some("Ludwig Mies van der Rohe")),
            ("https://a.example/u/1", None),
            ("老张2015", Some("老张2015")),
            ("90后妈妈 2021-03-05", Some("90后妈妈")),
            ("2021年3月5日 旅行者2号", Some("旅行者2号")),
            ("张三2021-03-05", Some("张三")),
            ("张三 阅读 88", Some("张三")),
            ("阿芬 發表在 某站 留言", Some("阿芬")),
            ("김하늘 기자", Some("김하늘")),
            ("本站原创", None),
            ("游客12", None),
            ("Guest 12", None),
            ("담당 기자", None),
            ("", None),
        ] {
            assert_eq!(clean(text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn a_declared_name_loses_a_date_alone() {
        for (text, name) in [
            ("第 9 区", Some("第 9 区")),
            ("夜航船 2023", Some("夜航船 2023")),
            ("老张2015", Some("老张2015")),
            ("张三 2021-03-05", Some("张三")),
            ("张三2021年3月5日", Some("张三")),
            ("Lois Lane March 3, 2021", Some("Lois Lane")),
            ("name, a@b.example", None),
            ("글·사진 김하늘 기자", Some("김하늘")),
        ] {
            assert_eq!(declared(text).as_deref(), name, "{text}");
        }
    }
}
