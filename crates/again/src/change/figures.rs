//! A figure in a sentence: another one says something else.
//!
//! Numbers change on pages that stay the same: dates, counters, versions, the numbers of headings and
//! comments. A figure that stands by itself in a sentence of some length, with no word of dates or counters
//! beside it, is none of these.

use super::CALENDAR;
use super::words::{Word, is_han, weight};

/// A sentence weighs so many words at least.
const SENTENCE_WORDS: f64 = 8.0;

/// Words of dates and counters are looked for so many words away.
const BESIDE: usize = 2;

/// Whether the word at a place of a line is a figure of a sentence.
pub(super) fn is_told(line: &[Word], at: usize) -> bool {
    let own = &line[at];
    let is_year = own.text.len() == 4 && (own.text.starts_with("19") || own.text.starts_with("20"));
    // The number of a heading or an item stands first.
    if !own.is_figure || is_year || at == 0 {
        return false;
    }
    let beside = &line[at.saturating_sub(BESIDE)..(at + 1 + BESIDE).min(line.len())];
    let words: f64 = line.iter().map(|word| weight(&word.text)).sum();
    let is_counted = || beside.iter().any(|word| is_of_counters(&word.text));
    words >= SENTENCE_WORDS && (is_duration(line, at) || !is_counted())
}

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

const COUNTERS_HAN: &str = "年月日号時时分秒前阅读浏览次赞评论访点击第页章节版";

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
