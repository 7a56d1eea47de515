//! Parsing dates as pages write them, to ISO 8601.
//!
//! Machine-readable forms keep their time and zone; written-out forms give a day. Relative forms ("3
//! hours ago") are not read, since they need a clock and extraction has none.

mod forms;

use crate::bounded::byte_prefix;

/// Bytes of a line that are searched for a date.
const LINE_BYTES_MAX: usize = 400;

/// Parses a value that should be a date (an attribute, a field of JSON-LD).
///
/// Gives "2021-03-05" or "2021-03-05T08:00:00+08:00"; `None` where it is no plausible date.
pub(crate) fn machine(value: &str) -> Option<String> {
    machine_in(value, true)
}

/// As [`machine`]; `month_first` tells whether "3/4/2020" is March 4 on this page.
pub(crate) fn machine_in(value: &str, month_first: bool) -> Option<String> {
    let value = value.trim();
    if let Some(found) = forms::iso(value) {
        let day = checked(found.year, found.month, found.day)?;
        let Some(time) = found.time else {
            return Some(day);
        };
        let (hour, minute) = (time.hour, time.minute);
        if hour.parse::<u8>().ok()? > 23 || minute.parse::<u8>().ok()? > 59 {
            return Some(day);
        }
        let second = time.second.unwrap_or("00");
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
    written(value, month_first)
}

/// Whether two dates (of either form) are one day apart.
pub(crate) fn are_neighbours(one: &str, other: &str) -> bool {
    let julian = |date: &str| -> Option<i32> {
        let year = date.get(..4)?.parse().ok()?;
        let month: u8 = date.get(5..7)?.parse().ok()?;
        let day = date.get(8..10)?.parse().ok()?;
        let month = time::Month::try_from(month).ok()?;
        Some(
            time::Date::from_calendar_date(year, month, day)
                .ok()?
                .to_julian_day(),
        )
    };
    match (julian(one), julian(other)) {
        (Some(one), Some(other)) => one.abs_diff(other) == 1,
        _ => false,
    }
}

/// Words before a date that tell of a copy's making, not of the text's: when it was printed, fetched or looked
/// up.
const OF_COPIES: [&str; 18] = [
    "printed",
    "print date",
    "retrieved",
    "accessed",
    "downloaded",
    "mirrored",
    "crawled",
    "fetched",
    "archived",
    "打印",
    "列印",
    "印刷",
    "下载",
    "下載",
    "抓取",
    "访问",
    "訪問",
    "镜像",
];

/// What may stand between such a word and its date.
const OF_COPIES_JOINTS: [&str; 9] = ["on", "at", "date", "于", "於", "时间", "時間", "日期", "时"];

/// Bytes of a date, at least.
const DATE_BYTES_MIN: usize = 8;

/// As [`written`], but for dates that tell when a copy was made.
pub(crate) fn written_of_text(text: &str, month_first: bool) -> Option<String> {
    let mut rest = text.to_owned();
    loop {
        let (at, date, lower) = first(&rest, month_first)?;
        if !tells_of_copy(&lower[..at]) {
            return Some(date);
        }
        // A later date of the line may be the text's.
        let mut from = (at + DATE_BYTES_MIN).min(lower.len());
        while !lower.is_char_boundary(from) {
            from += 1;
        }
        rest = lower[from..].to_owned();
    }
}

/// Whether what stands before a date ends with a word that tells of a copy's making.
fn tells_of_copy(mut before: &str) -> bool {
    loop {
        before = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        let joint = OF_COPIES_JOINTS
            .iter()
            .find_map(|joint| before.strip_suffix(joint));
        match joint {
            Some(shorter) if !OF_COPIES.iter().any(|word| before.ends_with(word)) => {
                before = shorter
            }
            Some(_) | None => break,
        }
    }
    OF_COPIES.iter().any(|word| {
        let rest = before.strip_suffix(word);
        // "reprinted" is another word.
        rest.is_some_and(|rest| !word.is_ascii() || !rest.ends_with(char::is_alphabetic))
    })
}

/// The first date in a line of text; `month_first` tells whether "3/4/2020" is March 4.
pub(crate) fn written(text: &str, month_first: bool) -> Option<String> {
    first(text, month_first).map(|(_, date, _)| date)
}

/// The first date in a line of text, with where it stands in the line in lower case, and that line.
fn first(text: &str, month_first: bool) -> Option<(usize, String, String)> {
    let text = byte_prefix(text, LINE_BYTES_MAX);
    if !forms::has_year(text) {
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
    if let Some(found) = forms::year_last(&text) {
        let (first, second) = (found.first, found.second);
        let first_number: u8 = first.parse().unwrap_or(0);
        let second_number: u8 = second.parse().unwrap_or(0);
        // "3/14/2020" has the month first, "14.3.2020" and "14/3/2020" have not; for "3/4/2020" it
        // depends on the page.
        let month_first =
            second_number > 12 || (month_first && found.separator == '/' && first_number <= 12);
        let date = if month_first {
            checked(found.year, first, second)
        } else {
            checked(found.year, second, first)
        };
        keep(found.at, date);
    }
    for found in [forms::month_day(&text), forms::day_month(&text)] {
        if let Some(found) = found
            && let Some(month) = month(found.month)
        {
            keep(found.at, checked(found.year, month, found.day));
        }
    }
    let (at, date) = best?;
    Some((at, date, text))
}

/// A date in a URL's path: "/2021/03/05/", "/20210305/", "/2021-03-05-".
pub(crate) fn in_path(path: &str) -> Option<String> {
    let found = forms::in_path(path)?;
    checked(found.year, found.month, found.day)
}

/// The ISO form of a day between 1990 and 2100; `None` if there is no such day.
fn checked(year: &str, month: &str, day: &str) -> Option<String> {
    let year: i32 = year.trim().parse().ok()?;
    let month: u8 = month.trim().parse().ok()?;
    let day: u8 = day.trim().parse().ok()?;
    if !(1990..=2100).contains(&year) {
        return None;
    }
    let month_name = time::Month::try_from(month).ok()?;
    time::Date::from_calendar_date(year, month_name, day).ok()?;
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// The number of a month by the first letters of its name, in the most frequent languages.
fn month(name: &str) -> Option<&'static str> {
    const MONTHS: [(&str, &[&str]); 12] = [
        ("1", &["jan", "ene", "gen", "янв", "sty", "led", "ocak"]),
        ("2", &["feb", "fév", "fev", "фев", "lut", "şub"]),
        ("3", &["mar", "mär", "mrt", "мар", "břez"]),
        ("4", &["apr", "abr", "avr", "апр", "kwi", "nis"]),
        ("5", &["may", "mai", "mag", "maj", "мая", "май", "mei"]),
        ("6", &["jun", "juin", "giu", "июн", "cze", "haz"]),
        ("7", &["jul", "juil", "lug", "июл", "lip", "tem"]),
        ("8", &["aug", "aoû", "aou", "ago", "авг", "sie", "ağu"]),
        ("9", &["sep", "set", "сен", "wrz", "eyl"]),
        ("10", &["oct", "okt", "ott", "out", "окт", "paź", "eki"]),
        ("11", &["nov", "ноя", "lis", "kas"]),
        ("12", &["dec", "dez", "déc", "dic", "дек", "gru", "ara"]),
    ];
    // "juillet" begins like the names of June in other languages.
    if name.starts_with("juil") {
        return Some("7");
    }
    MONTHS
        .iter()
        .find(|(_, heads)| heads.iter().any(|head| name.starts_with(head)))
        .map(|(number, _)| *number)
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
    }

    #[test]
    fn when_a_copy_was_made_is_no_date_of_the_text() {
        for line in [
            "Printed on 5 November 2026",
            "Retrieved: 2026-11-05",
            "打印时间：2026年11月5日",
            "本页下载于 2026-11-05",
        ] {
            assert!(written(line, true).is_some(), "{line}");
            assert_eq!(written_of_text(line, true), None, "{line}");
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
        ] {
            assert_eq!(
                written_of_text(line, true).as_deref(),
                Some("2024-03-05"),
                "{line}"
            );
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
