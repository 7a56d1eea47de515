//! Parsing dates as pages write them, to ISO 8601.
//!
//! Machine-readable forms keep their time and zone; written-out forms give a day. Relative forms ("3
//! hours ago") are not read, since they need a clock and extraction has none.

mod ago;
mod calendars;
mod digits;
mod forms;
mod jalali;
mod months;
mod named_parts;
pub(crate) mod names;
mod order;
mod role;
mod role_words;
mod usage;

use crate::bounded::byte_prefix;
use crate::char_counts::is_cjk;
pub(crate) use ago::is_ago;
pub(crate) use forms::is_of_word;
pub(crate) use months::number_in;
pub use months::{is_month, month_number};
pub(crate) use order::MonthFirst;
use role::WEEKDAYS;
pub(crate) use role::{Role, role_of};
pub(crate) use usage::Usage;

/// Bytes of a line that are searched for a date.
const LINE_BYTES_MAX: usize = 400;

/// Parses a value that should be a date (an attribute, a field of JSON-LD).
///
/// Gives "2021-03-05" or "2021-03-05T08:00:00+08:00"; `None` where it is no plausible date.
pub(crate) fn machine(value: &str) -> Option<String> {
    machine_in(value, true)
}

/// As [`machine`]; `usage` tells whether "3/4/2020" is March 4 on this page.
pub(crate) fn machine_in(value: &str, usage: impl Into<Usage>) -> Option<String> {
    let value = value.trim();
    if let Some(found) = forms::iso(value) {
        let day = checked(found.year, found.month, found.day)?;
        let Some(time) = found.time else {
            return Some(day);
        };
        let (hour, minute) = (time.hour, time.minute);
        let second = time.second.unwrap_or("00");
        let is_at_most =
            |digits: &str, most: u8| digits.parse().is_ok_and(|number: u8| number <= most);
        if !(is_at_most(hour, 23)
            && is_at_most(minute, 59)
            && is_at_most(second, 60)
            && time.zone.is_none_or(is_zone))
        {
            return Some(day);
        }
        let zone = time.zone.map_or(String::new(), |zone| {
            if zone.len() == 5 {
                format!("{}:{}", &zone[..3], &zone[3..])
            } else {
                zone.to_ascii_uppercase()
            }
        });
        return Some(format!("{day}T{hour:0>2}:{minute}:{second}{zone}"));
    }
    if value.len() == 8 && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return checked(&value[..4], &value[4..6], &value[6..]);
    }
    // Seconds or milliseconds since 1970.
    if (value.len() == 10 || value.len() == 13) && value.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds: i64 = value[..10].parse().ok()?;
        let when = time::OffsetDateTime::from_unix_timestamp(seconds).ok()?;
        return checked(
            &when.year().to_string(),
            &u8::from(when.month()).to_string(),
            &when.day().to_string(),
        );
    }
    written(value, usage)
}

/// Whether what a time has behind it is an offset that some place may have: `Z`, `+08:00`, `-0330`.
fn is_zone(zone: &str) -> bool {
    let digits = zone.trim_start_matches(['+', '-']);
    let hours = digits.get(..2).and_then(|hours| hours.parse().ok());
    let minutes = digits.get(digits.len().saturating_sub(2)..);
    let minutes = minutes.and_then(|minutes| minutes.parse().ok());
    match (hours, minutes) {
        (Some(hours), Some(minutes)) => {
            (0..=14).contains::<i32>(&hours) && (0..60).contains::<i32>(&minutes)
        }
        (_, None) | (None, _) => zone.eq_ignore_ascii_case("z"),
    }
}

/// Whether two dates (of either form) are one day apart.
pub(crate) fn are_neighbours(one: &str, other: &str) -> bool {
    days_from(one, other).is_some_and(|days| days.abs() == 1)
}

/// The days from one date (of either form) to another.
pub(crate) fn days_from(one: &str, other: &str) -> Option<i32> {
    let julian = |date: &str| -> Option<i32> {
        let year = date.get(..4)?.parse().ok()?;
        let month: u8 = date.get(5..7)?.parse().ok()?;
        let day = date.get(8..10)?.parse().ok()?;
        let month = time::Month::try_from(month).ok()?;
        let day = time::Date::from_calendar_date(year, month, day).ok()?;
        Some(day.to_julian_day())
    };
    Some(julian(other)? - julian(one)?)
}

/// Bytes of a date, at least.
const DATE_BYTES_MIN: usize = 8;

/// The first date in a line that may be the text's own: one that is announced as such, or that stands for
/// itself. A date amid a sentence is what the sentence is about.
pub(crate) fn published_in(text: &str, usage: impl Into<Usage>) -> Option<String> {
    let is_free = |role: Role, is_free: bool| match role {
        Role::Published => true,
        Role::Unsaid => is_free,
        Role::Modified | Role::Other => false,
    };
    let usage = usage.into();
    // "As of 5 May | Published 3 March": the words go before the place.
    said_published_in(text, usage).or_else(|| find(text, usage, &is_free))
}

/// The first date in a line of which a word says that the text was published then.
pub(crate) fn said_published_in(text: &str, usage: impl Into<Usage>) -> Option<String> {
    find(text, usage.into(), &|role, _| role == Role::Published)
}

/// The first date in a line that tells when the text was changed.
pub(crate) fn modified_in(text: &str, usage: impl Into<Usage>) -> Option<String> {
    find(text, usage.into(), &|role, _| role == Role::Modified)
}

/// The first date that `fits` by its role and by whether it stands outside a sentence.
fn find(text: &str, usage: Usage, fits: &dyn Fn(Role, bool) -> bool) -> Option<String> {
    let is_sentence = ends_sentence(text);
    let usage = usage.on_line(byte_prefix(text, LINE_BYTES_MAX));
    let mut rest = text.to_owned();
    // What of the line stands before the rest.
    let mut read = String::new();
    loop {
        let (at, date, lower) = first(&rest, usage)?;
        let before = format!("{read}{}", &lower[..at]);
        let from = lower.ceil_char_boundary(at + DATE_BYTES_MIN);
        let is_free =
            !is_sentence || !before.contains(char::is_alphanumeric) || is_dateline(&lower[from..]);
        if fits(role_of(&before, is_sentence, usage), is_free) {
            return Some(date);
        }
        // A later date of the line may be the text's.
        read = format!("{before}|");
        rest = lower[from..].to_owned();
    }
}

fn ends_sentence(text: &str) -> bool {
    const WORDS_MAX: usize = 3;
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || "\"'”’」）)".contains(c));
    // "10 a.m.", and "year" or "day" in Slavic languages, Lithuanian and Latvian behind one.
    let ends = [".m.", " г.", " р.", " r.", " g.", " d."];
    let is_short_word = ends.iter().any(|end| text.ends_with(end));
    // "Megjelent: 2024. május 3.", "Београд, 5. мај 2024.": the dot is one of the number.
    let before = text.strip_suffix('.').unwrap_or("");
    let words = before.split(|c: char| !is_of_word(c));
    let words = words.filter(|word| word.starts_with(char::is_alphabetic));
    let is_short_word = is_short_word
        || before.ends_with(|c: char| c.is_ascii_digit()) && words.count() <= WORDS_MAX;
    text.ends_with(['.', '。', '!', '！', '?', '？', '…']) && !is_short_word
}

/// Whether a dash follows the date: "London, 5 March 2021 – The council ...".
fn is_dateline(after: &str) -> bool {
    const CHARS_MAX: usize = 14;
    let dash = after
        .char_indices()
        .take(CHARS_MAX)
        .find(|(_, c)| matches!(c, '–' | '—' | '-' | '－'));
    dash.is_some_and(|(at, _)| {
        let date = after[..at].trim_end();
        date.is_empty() || date.ends_with(|c: char| c.is_ascii_digit() || c == '日')
    })
}

/// The first date in a line of text.
pub(crate) fn written(text: &str, usage: impl Into<Usage>) -> Option<String> {
    let usage = usage.into().on_line(byte_prefix(text, LINE_BYTES_MAX));
    first(text, usage).map(|(_, date, _)| date)
}

/// The first date in a line of text, with where it stands in the line in lower case, and that line.
fn first(text: &str, usage: Usage) -> Option<(usize, String, String)> {
    let text = &*digits::in_ascii(byte_prefix(text, LINE_BYTES_MAX));
    let may_be_elsewhere = calendars::may_stand_in(text);
    let may_be_short = text.contains(is_cjk) && forms::short_year_first(text).is_some();
    let may_be_jalali = jalali::may_stand_in(text, usage.is_solar);
    if !forms::has_year(text) && !may_be_elsewhere && !may_be_short && !may_be_jalali {
        return None;
    }
    let text = text.to_lowercase();
    let mut best: Option<(usize, String)> = None;
    let mut keep = |at: usize, date: Option<String>| {
        if let Some(date) = date
            && best.as_ref().is_none_or(|(first, _)| at < *first)
        {
            best = Some((at, date));
        }
    };
    if let Some(found) = forms::year_first(&text) {
        keep(found.at, checked(found.year, found.month, found.day));
    }
    if let Some(found) = forms::short_year_first(&text).filter(|_| may_be_short)
        && role::announces_year(&text[..found.at], text[found.at + 2..].starts_with('.'))
    {
        keep(
            found.at,
            checked(&full_year(found.year), found.month, found.day),
        );
    }
    if let Some(found) = forms::year_last(&text) {
        let (first, second) = (found.first, found.second);
        let first_number: u8 = first.parse().unwrap_or(0);
        let second_number: u8 = second.parse().unwrap_or(0);
        // "3/14/2020" has the month first, "14.3.2020" and "14/3/2020" have not; for "3/4/2020" it
        // depends on the page.
        let month_first =
            second_number > 12 || (usage.month_first.with(found.separator) && first_number <= 12);
        let date = if month_first {
            checked(found.year, first, second)
        } else {
            checked(found.year, second, first)
        };
        keep(found.at, date);
    }
    let is_name = |name: &str| months::number_in(name, usage).is_some();
    for found in [
        forms::month_day(&text),
        forms::day_month(&text),
        forms::month_day_time(&text),
        forms::year_and_name(&text, is_name),
    ] {
        if let Some(found) = found
            && let Some(month) = months::number_in(found.month, usage)
        {
            keep(found.at, checked(found.year, month, found.day));
        }
    }
    if let Some(found) = named_parts::first(&text) {
        keep(found.at, checked(found.year, found.month, found.day));
    }
    if let Some(found) = jalali::first(&text, usage.is_solar).filter(|_| may_be_jalali) {
        keep(found.at, day(found.year, found.month, found.day));
    }
    if let Some(found) = calendars::first(&text).filter(|_| may_be_elsewhere) {
        keep(found.at, day(found.year, found.month, found.day));
    }
    let (at, date) = best?;
    Some((at, date, text))
}

/// A year of two digits in four: no page is older than the web.
fn full_year(year: &str) -> String {
    let century = if year < "90" { "20" } else { "19" };
    format!("{century}{year}")
}

/// Where the first date of a line begins.
pub(crate) fn place(text: &str) -> Option<usize> {
    let usage = Usage::from(true).on_line(byte_prefix(text, LINE_BYTES_MAX));
    let (at, _, lower) = first(text, usage)?;
    // Digits of other scripts and letters in lower case may have fewer bytes, but as many characters.
    let before = lower[..at].chars().count();
    let mut places = text.char_indices().map(|(at, _)| at);
    Some(places.nth(before).unwrap_or(text.len()))
}

/// Whether a line begins with a date.
pub(crate) fn begins(text: &str) -> bool {
    place(text) == Some(0)
}

/// Whether a date may stand in a line, by the digits of a year or the signs of a calendar: what no date can be read from is told at
/// little cost.
pub(crate) fn may_stand_in(text: &str, usage: Usage) -> bool {
    let text = byte_prefix(text, LINE_BYTES_MAX);
    let is_solar = usage.on_line(text).is_solar;
    let text = &*digits::in_ascii(text);
    forms::has_year(text)
        || calendars::may_stand_in(text)
        || jalali::may_stand_in(text, is_solar)
        || text.contains('년')
        || text.contains(is_cjk) && forms::short_year_first(text).is_some()
}

/// Whether a date stands in a line, whatever its language and its role.
pub(crate) fn stands_in(text: &str) -> bool {
    may_stand_in(text, true.into()) && written(text, true).is_some()
}

/// A date in a URL's path: "/2021/03/05/", "/20210305/", "/2021-03-05-".
pub(crate) fn in_path(path: &str) -> Option<String> {
    let found = forms::in_path(path)?;
    checked(found.year, found.month, found.day)
}

/// Pages say nothing of a day on which they were published before.
const FIRST_YEAR: i32 = 1990;

/// The ISO form of a day between 1990 and 2100; `None` if there is no such day.
fn checked(year: &str, month: &str, day: &str) -> Option<String> {
    let year: i32 = year.trim().parse().ok()?;
    let month: u8 = month.trim().parse().ok()?;
    let number: u8 = day.trim().parse().ok()?;
    self::day(year, month, number)
}

/// The same for a day in numbers.
fn day(year: i32, month: u8, day: u8) -> Option<String> {
    if !(FIRST_YEAR..=2100).contains(&year) {
        return None;
    }
    let month_name = time::Month::try_from(month).ok()?;
    time::Date::from_calendar_date(year, month_name, day).ok()?;
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// Whether a word in lower case is a day of the week.
pub fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(written(text, true).as_deref(), expected, "{text}");
    }

    #[test]
    fn written_dates_are_read_in_many_forms() {
        check("发布时间：2021年3月5日 10:22", Some("2021-03-05"));
        check("2021-03-05 来源：新华社", Some("2021-03-05"));
        check("Published March 5, 2021 at noon", Some("2021-03-05"));
        check("5 de marzo de 2021", Some("2021-03-05"));
        check("Freitag, 5. März 2021", Some("2021-03-05"));
        check("05.03.2021", Some("2021-03-05"));
        check("le 14 juillet 2020", Some("2020-07-14"));
        check("3/14/2020", Some("2020-03-14"));
        check("14/3/2020", Some("2020-03-14"));
        check("5 марта 2021 г.", Some("2021-03-05"));
        check("입력 : 2021년 3월 5일 금요일 10:22", Some("2021-03-05"));
        check("Fri Mar  5 10:11:12 UTC 2021", Some("2021-03-05"));
        check("Fri Mar 5 10:11:12 2021", Some("2021-03-05"));
        check("Fri Mar  5 10:11:12 AM UTC 2021", Some("2021-03-05"));
    }

    #[test]
    fn years_of_other_calendars_are_read_within_their_bounds() {
        for text in [
            "二〇二三年五月一日",
            "成文日期：二○二三年五月一日",
            "二零二三 年 五 月 一 日",
            "２０２３年５月１日",
            "中華民國112年5月1日",
            "民國一百",
            "令和5年5月1日",
            "令和５年５月１日（月）",
            "1 พฤษภาคม 2566",
            "วันที่ ๑ พ.ค. พ.ศ. ๒๕๖๖",
            "1 พฤษภาคม 2023",
            "01/05/2566",
        ] {
            let expected = (text != "民國一百").then_some("2023-05-01");
            check(text, expected);
            assert_eq!(published_in(text, true).as_deref(), expected, "{text}");
        }
        check("平成31年4月30日", Some("2019-04-30"));
        check("平成元年十一月二十日", None);
        check("平成二年十一月廿日", Some("1990-11-20"));
        check("令和元年12月31日", Some("2019-12-31"));
        for text in [
            "平成32年1月1日",
            "令和元年4月30日",
            "昭和64年1月1日",
            "5年5月1日",
            "二三年五月一日",
            "二〇二三年五月三十二日",
            "二〇二三年十三月一日",
            "農曆五月一日",
            "version 1.5.2566, 3/25/25, 31/2/2566",
            "2566",
        ] {
            check(text, None);
        }
        assert_eq!(
            published_in("截止日期：二〇三〇年五月一日", true),
            None,
            "a term"
        );
        assert_eq!(
            modified_in("更新：令和5年5月1日", true).as_deref(),
            Some("2023-05-01")
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_a_calendar_fail(text in "[0-9二〇十廿元年月日民國令和พ.ค/ -]{0,24}") {
            written(&text, true);
        }
    }

    #[test]
    fn when_something_else_was_is_no_date_of_the_text() {
        for line in [
            "Printed on 5 November 2026",
            "Retrieved: 2026-11-05",
            "打印时间：2026年11月5日",
            "本页下载于 2026-11-05",
            "Valid until 31 December 2031.",
            "Valid until 31 December 2031",
            "The deadline is January 5, 2030.",
            "Version 2.1 was released on May 3, 2019.",
            "The concert is on May 6, 2030.",
            "截止日期：2030年1月1日。",
            "本合同有效期至2031年12月31日。",
            "Joined: Mon Mar 01, 2010 3:05 pm",
            "Last updated on May 3, 2019",
            "更新时间：2024-01-02",
            "This page was last edited on 3 May 2019, at 10:02.",
            "某某县人民政府[引用日期2019-05-02]",
            "最新推荐文章于 2024-01-05 17:20:33 发布",
            "编辑于 2020-05-10 08:01",
            "本帖最后由 小陈 于 2020-05-10 08:01 编辑",
        ] {
            assert!(written(line, true).is_some(), "{line}");
            assert_eq!(published_in(line, true), None, "{line}");
        }
        for line in [
            "Published 5 March 2024, printed on 5 November 2026",
            "2024-03-05 打印本页",
            "发表于2024年3月5日",
            "打印本页 发布时间：2024-03-05",
            "下载PDF 发布时间：2024-03-05",
            "First printed in The Times, 5 March 2024",
            "Reprinted 5 March 2024",
            "Retrieved 2026-11-05 | Published 2024-03-05",
            "Posted on March 5, 2024 by A. Smith Jr.",
            "This article was published on March 5, 2024.",
            "Ann Smith, Mar 5, 2024 at 10:00 a.m.",
            "London, 5 March 2024 – The council has met.",
            "Freitag, 5. März 2024",
            "更新时间：2026-01-02　发布时间：2024-03-05",
            "编辑于 2026-01-02 发布于 2024-03-05",
            "수정 2026.01.02 11:00 입력 2024.03.05 10:00",
            "2024-03-05 来源：新华社",
        ] {
            assert_eq!(
                published_in(line, true).as_deref(),
                Some("2024-03-05"),
                "{line}"
            );
        }
    }

    #[test]
    fn when_a_text_was_changed_is_told_apart() {
        for line in [
            "Last updated on March 5, 2024",
            "Last updated by Ann on Mar 5, 2024",
            "This page was last edited on 5 March 2024, at 10:02.",
            "更新时间：2024-03-05　发布时间：2023-05-06",
            "发布于2023年5月6日，更新于2024年3月5日",
            "最后修改时间：2024-03-05",
            "编辑于 2024-03-05",
            "修改于 2024-03-05",
            "최종수정 2024.03.05 10:00",
        ] {
            assert_eq!(
                modified_in(line, true).as_deref(),
                Some("2024-03-05"),
                "{line}"
            );
        }
        for line in ["Published 5 March 2024", "2024-03-05", "Not edited."] {
            assert_eq!(modified_in(line, true), None, "{line}");
        }
    }

    #[test]
    fn behind_a_label_of_dates_a_year_may_have_two_digits() {
        for line in [
            "작성일 21-03-05 14:05",
            "등록일 : 21-03-05",
            "发表于 21-03-05",
            "发布时间：21/3/5",
            "发表 21-3-5 a.b",
            "投稿日：21.03.05",
            "发布：21.03.05",
            "본문 | 입력 21.03.05 14:05",
            "관리자 작성일 21.03.05",
        ] {
            check(line, Some("2021-03-05"));
            assert_eq!(
                published_in(line, true).as_deref(),
                Some("2021-03-05"),
                "{line}"
            );
        }
        check("发表于 99-03-05", Some("1999-03-05"));
        assert_eq!(
            modified_in("更新于 21-03-05", true).as_deref(),
            Some("2021-03-05")
        );
        for line in [
            "21-03-05",
            "比分 21-03-05",
            "发布会 21-03-05",
            "有效期至 21-03-05",
            "Posted 21-03-05",
            "发布 21-13-05",
            "发布 21-03-05-7",
            // Versions were dates.
            "苹果今日发布 15.4.1",
            "苹果今日发布 15.04.01",
            "系统更新 15.4.1",
            "系统更新 15.04.11",
            "版本更新：12.3.1",
            "版本更新：12.10.11",
            "发布 20.04.6",
            "发布 20.4.06",
            "更新 10.12.11.13",
            "更新：12.10.11章",
            "发布 12-10-11版",
            "更新 20.04.05-1",
        ] {
            check(line, None);
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        check("31/31/2020", None);
        check("3 hours ago", None);
        check("call 2021-555", None);
        check("room 12 in 2021", None);
    }

    #[test]
    fn machine_forms_keep_time_and_zone() {
        assert_eq!(
            machine("2021-03-05T08:01:02.5+0800").as_deref(),
            Some("2021-03-05T08:01:02+08:00")
        );
        assert_eq!(machine("20210305").as_deref(), Some("2021-03-05"));
        assert_eq!(
            machine("2021-03-05 08:01").as_deref(),
            Some("2021-03-05T08:01:00")
        );
        assert_eq!(
            machine("Fri, 05 Mar 2021 08:00:00 GMT").as_deref(),
            Some("2021-03-05")
        );
        assert_eq!(machine("1614902400").as_deref(), Some("2021-03-05"));
        // No time of day: the day alone.
        for out in [
            "25:00",
            "08:61",
            "08:00:99",
            "08:00:00+99:99",
            "08:00:00+05:75",
        ] {
            let day = machine(&format!("2021-03-05T{out}"));
            assert_eq!(day.as_deref(), Some("2021-03-05"), "{out}");
        }
    }

    #[test]
    fn a_path_may_hold_the_day() {
        assert_eq!(
            in_path("/news/2021/03/05/title").as_deref(),
            Some("2021-03-05")
        );
        assert_eq!(
            in_path("/a/t20210305_1234.html").as_deref(),
            Some("2021-03-05")
        );
        assert_eq!(
            in_path("/2006/12/04/hit-parade").as_deref(),
            Some("2006-12-04"),
            "a month is not cut in two"
        );
        assert_eq!(in_path("/2021/0305/c1.html").as_deref(), Some("2021-03-05"));
        assert_eq!(in_path("/2021/03/title"), None);
        assert_eq!(in_path("/2021/12-days-of-code"), None);
    }
}
