//! A figure in a sentence: another one says something else.
//!
//! Numbers change on pages that stay the same: dates, counters, versions, the numbers of headings and
//! comments. A figure that stands by itself in a sentence, with no word of dates or counters beside it, is
//! none of these. Where a sign or a unit says what is measured (`148 €`, `5 mg`), or a label whose value it is
//! (`Rooms: 148`), fewer words do.

use std::ops::Range;

use super::tells::CALENDAR;
use super::words::{Gap, Line, Word, is_han, is_number, weight};

/// A sentence weighs so many words at least.
const SENTENCE_WORDS: f64 = 4.0;

/// A label weighs so many words at most, and so does its value.
const LABEL_WORDS_MAX: f64 = 4.0;

/// Words of dates and counters are looked for so many words away.
const BESIDE: usize = 2;

/// Whether the word at a place of a line is a figure of a sentence.
pub(super) fn is_told(line: &[Word], at: usize) -> bool {
    let own = &line[at];
    let is_year = own.text.len() == 4 && (own.text.starts_with("19") || own.text.starts_with("20"));
    let is_share = own.is_signed || is_share(line, at);
    let is_measure = is_share || is_measured(line, at);
    // The number of a heading or an item stands first.
    if !own.is_figure || is_year || at == 0 && !is_measure {
        return false;
    }
    let beside = &line[at.saturating_sub(BESIDE)..(at + 1 + BESIDE).min(line.len())];
    let is_counted = || beside.iter().any(|word| is_of_counters(&word.text));
    let is_told = is_measure || is_value(line, at) || weigh(line) >= SENTENCE_WORDS;
    is_told && (is_share || is_duration(line, at) || !is_counted())
}

fn weigh(words: &[Word]) -> f64 {
    words.iter().map(|word| weight(&word.text)).sum()
}

/// Whether a unit that nothing is counted in stands behind a figure.
fn is_measured(line: &[Word], at: usize) -> bool {
    let behind = &line[at + 1..];
    behind
        .first()
        .is_some_and(|word| MEASURES.contains(&word.text.as_str()))
}

/// Whether a figure is a share in words: `per cent`, `百分之`.
fn is_share(line: &[Word], at: usize) -> bool {
    let is = |words: &[Word], text: [&str; 2]| words.iter().map(|word| &word.text).eq(text);
    let before = &line[at.saturating_sub(2)..at];
    is(before, ["分", "之"])
        || line
            .get(at + 1..at + 3)
            .is_some_and(|behind| is(behind, ["per", "cent"]))
}

/// Whether a figure is the value of a label, `Rooms: 148`, or stands in the row of a table behind a name.
fn is_value(line: &[Word], at: usize) -> bool {
    let begins = |word: &Word| word.is_value || word.gap == Gap::Bar;
    let Some(begin) = line[..=at].iter().rposition(begins) else {
        return false;
    };
    let (label, value) = line.split_at(begin);
    let label_text: String = label.iter().map(|word| word.text.as_str()).collect();
    if COUNTED_HAN
        .iter()
        .any(|counted| label_text.contains(counted))
    {
        return false;
    }
    let label_weight = weigh(label);
    label_weight > 0.0 && label_weight <= LABEL_WORDS_MAX && weigh(value) <= LABEL_WORDS_MAX
}

/// Whether lines in each other's place are figures alone, behind a line that names what they are: the two cells of
/// a table's row. Further cells with numbers are more often of lists that count.
pub(super) fn are_cells(
    was: &Line<'_>,
    is: &Line<'_>,
    lines: &[Line<'_>],
    at: Range<usize>,
) -> bool {
    let is_figure = |line: &Line<'_>| matches!(line.words.as_slice(), [word] if word.is_figure);
    let Some(label) = at.start.checked_sub(1).map(|before| &lines[before]) else {
        return false;
    };
    let is_last = lines.get(at.end).is_none_or(|next| !is_figure(next));
    let is_label = (1.0..=LABEL_WORDS_MAX).contains(&label.weight());
    let names = |word: &Word| !is_number(&word.text) && !is_of_counters(&word.text);
    is_figure(was) && is_figure(is) && is_label && is_last && label.words.iter().all(names)
}

/// Labels of counters that are longer than a character.
const COUNTED_HAN: &[&str] = &["人气", "热度", "收藏", "粉丝", "关注", "积分"];

/// Units of money and of what is measured, as they stand behind a figure.
const MEASURES: &[&str] = &[
    "euro",
    "euros",
    "eur",
    "dollar",
    "dollars",
    "usd",
    "pound",
    "pounds",
    "gbp",
    "yen",
    "yuan",
    "rmb",
    "cny",
    "franc",
    "francs",
    "chf",
    "rupees",
    "cents",
    "percent",
    "mg",
    "g",
    "kg",
    "ml",
    "l",
    "cl",
    "km",
    "cm",
    "mm",
    "metres",
    "meters",
    "kilometres",
    "kilometers",
    "miles",
    "feet",
    "inches",
    "tonnes",
    "tons",
    "litres",
    "liters",
    "grams",
    "degrees",
    "mph",
    "kwh",
    "kw",
    "mw",
    "watts",
    "volts",
    "元",
    "美",
    "欧",
    "镑",
    "克",
    "升",
    "米",
    "吨",
    "斤",
    "公",
    "毫",
    "千",
    "度",
];

/// Whether a Chinese unit of time stands behind a figure, and not as the end of a time of day or of how long ago
/// something was.
fn is_duration(line: &[Word], at: usize) -> bool {
    let behind: String = line[at + 1..]
        .iter()
        .take(UNIT_CHARS_MAX)
        .map(|word| word.text.as_str())
        .collect();
    let unit = UNITS.iter().find(|unit| behind.starts_with(**unit));
    let is_ago = |unit: &&str| {
        let rest = &behind[unit.len()..];
        rest.starts_with('前') || rest.starts_with("以前") || rest.starts_with("之前")
    };
    let is_of_day = at > 0 && ["时", "時", "点", "分"].contains(&line[at - 1].text.as_str());
    unit.is_some_and(|unit| !is_ago(unit)) && !is_of_day
}

/// Units of time that no date has, and characters that are looked at for them and for what follows.
const UNITS: &[&str] = &["毫秒", "微秒", "纳秒", "秒", "分钟", "小时", "分鐘", "小時"];
const UNIT_CHARS_MAX: usize = 5;

/// Whether a word stands beside the numbers of dates and counters, and seldom beside others.
fn is_of_counters(word: &str) -> bool {
    let is_han = word.chars().next().is_some_and(is_han);
    CALENDAR.contains(&word) || COUNTERS.contains(&word) || is_han && COUNTERS_HAN.contains(word)
}

const COUNTERS: &[&str] = &[
    "ago",
    "view",
    "views",
    "viewed",
    "read",
    "reads",
    "comment",
    "comments",
    "reply",
    "replies",
    "like",
    "likes",
    "reviews",
    "ratings",
    "members",
    "users",
    "online",
    "shares",
    "posts",
    "topics",
    "threads",
    "answers",
    "hits",
    "visits",
    "visitors",
    "followers",
    "downloads",
    "votes",
    "points",
    "page",
    "pages",
    "chapter",
    "section",
    "figure",
    "version",
];

const COUNTERS_HAN: &str = "年月日号時时分秒前阅读浏览次赞评论访点击藏粉播转第页章节版";

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn told(line: &str) -> Vec<String> {
        let line = words(line);
        let at = (0..line.len()).filter(|at| is_told(&line, *at));
        at.map(|at| line[at].text.clone()).collect()
    }

    #[test]
    fn a_figure_of_a_sentence_is_told_from_dates_counters_and_numbers_of_headings() {
        assert_eq!(
            told(
                "It lowered temperatures by 3.5 degrees for 6 years, and killed 40 % of all people there."
            ),
            ["3.5", "6", "40"]
        );
        assert_eq!(
            told("这座城市的地铁一共有12条线路，每天运送乘客300万人左右"),
            ["12", "300"]
        );
        assert_eq!(
            told("后台进程每隔300秒检查一次所有的表并写一行日志"),
            ["300"]
        );
        assert_eq!(told("连接空闲超过15分钟之后就会被服务器关闭掉"), ["15"]);
        for line in [
            "这篇关于数据库的文章在15分钟前由编辑更新过一次",
            "这场关于数据库的讲座将于下午3点30分在图书馆举行",
            "4 The planner and how it chooses among the many plans for one query",
            "Posted 12 May in the section on databases by one of our own editors",
            "This article was viewed 312 times by readers of the site since it came out",
            "In the year 2013 the number of readers of this site was as large as ever",
            "312 views",
            "使用 ubuntu:18.04 镜像来运行这个容器并且查看它的输出内容",
        ] {
            assert!(told(line).is_empty(), "{line}");
        }
    }
}
