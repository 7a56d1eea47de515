//! Dates in other forms of year than the Western one in four ASCII digits: Chinese numerals (二〇二三年五月一日), full-width
//! digits, the years of the Republic (民國112年), of the emperors of Japan (令和5年) and of the Buddha (2566, in Thai).
//!
//! A year is taken for one of an era only where the era's name stands before it, and for a Buddhist one where
//! the month is named in Thai or the number is no Western year of any page. An era ends: there is no 平成32年.

/// A date, and where it begins in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Day {
    pub at: usize,
    pub year: i32,
    pub month: u8,
    pub day: u8,
}

/// The leftmost date in a text in lower case.
pub(super) fn first(text: &str) -> Option<Day> {
    let found = [by_characters(text), in_thai(text), buddhist_numbers(text)];
    found.into_iter().flatten().min_by_key(|day| day.at)
}

/// Whether a text may hold such a date.
pub(super) fn may_stand_in(text: &str) -> bool {
    text.contains('年') || text.contains("25") || text.chars().any(is_thai)
}

/// An era of a calendar: how it is written, the Western year of its first, and its first and last day.
struct Era {
    name: &'static str,
    first_year: i32,
    first_day: (i32, u8, u8),
    last_day: (i32, u8, u8),
}

/// The present one has no end.
const OPEN: (i32, u8, u8) = (i32::MAX, 12, 31);

const fn era(name: &'static str, first_day: (i32, u8, u8), last_day: (i32, u8, u8)) -> Era {
    Era {
        name,
        first_year: first_day.0,
        first_day,
        last_day,
    }
}

const ERAS: [Era; 5] = [
    era("民國", (1912, 1, 1), OPEN),
    era("民国", (1912, 1, 1), OPEN),
    era("令和", (2019, 5, 1), OPEN),
    era("平成", (1989, 1, 8), (2019, 4, 30)),
    era("昭和", (1926, 12, 25), (1989, 1, 7)),
];

/// "二〇二三年五月一日", "２０２３年５月１日", "令和5年5月1日".
fn by_characters(text: &str) -> Option<Day> {
    text.match_indices('年').find_map(|(at, year)| {
        let before = text[..at].trim_end();
        let begin = before.trim_end_matches(is_number).len();
        let number = &before[begin..];
        let (month, rest) = number_before(&text[at + year.len()..], &['月'])?;
        let (day, _) = number_before(rest, &['日', '号', '號'])?;
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        let named = before[..begin].trim_end();
        let era = ERAS.iter().find(|era| named.ends_with(era.name));
        let Some(era) = era else {
            let is_whole = number.chars().count() == 4;
            let year = value(number).filter(|_| is_whole)?;
            return Some(Day {
                at: begin,
                year: i32::try_from(year).ok()?,
                month,
                day,
            });
        };
        let year = i32::try_from(value(number)?)
            .ok()?
            .checked_add(era.first_year - 1)?;
        let is_within = (era.first_day..=era.last_day).contains(&(year, month, day));
        // An older one hides none behind it: no page was published before.
        (is_within && year >= super::FIRST_YEAR).then_some(Day {
            at: named.len() - era.name.len(),
            year,
            month,
            day,
        })
    })
}

/// The number that a text begins with, before one of some characters, and what follows that.
fn number_before<'t>(text: &'t str, ends: &[char]) -> Option<(u32, &'t str)> {
    let text = text.trim_start();
    let rest = text.trim_start_matches(is_number);
    let number = value(&text[..text.len() - rest.len()])?;
    Some((number, rest.trim_start().strip_prefix(ends)?))
}

fn is_number(c: char) -> bool {
    digit(c).is_some() || matches!(c, '十' | '廿' | '卅' | '元')
}

fn digit(c: char) -> Option<u32> {
    const HAN: &str = "〇一二三四五六七八九";
    match c {
        '零' | '○' => Some(0),
        '０'..='９' => Some(c as u32 - '０' as u32),
        '๐'..='๙' => Some(c as u32 - '๐' as u32),
        c => c
            .to_digit(10)
            .or_else(|| HAN.chars().position(|han| han == c).map(|at| at as u32)),
    }
}

/// The value of a number in digits of any of these scripts, or of a Chinese one below a hundred: 二〇二三, 三十一.
fn value(number: &str) -> Option<u32> {
    const DIGITS_MAX: usize = 4;
    if number == "元" {
        return Some(1);
    }
    if number.is_empty() || number.chars().count() > DIGITS_MAX {
        return None;
    }
    let digits = |text: &str| {
        let mut digits = text.chars().map(digit);
        digits.try_fold(0, |value, digit| Some(value * 10 + digit?))
    };
    let Some((at, ten)) = number
        .char_indices()
        .find(|(_, c)| matches!(c, '十' | '廿' | '卅'))
    else {
        return digits(number);
    };
    let (tens, ones) = (&number[..at], &number[at + ten.len_utf8()..]);
    let tens = match (ten, tens) {
        ('十', "") => 1,
        ('十', tens) => digits(tens).filter(|tens| (1..=9).contains(tens))?,
        ('廿', "") => 2,
        ('卅', "") => 3,
        _ => return None,
    };
    let ones = digits(ones).filter(|&ones| ones <= 9)?;
    Some(tens * 10 + ones)
}

/// How much Buddhist years are ahead.
const BUDDHIST: i32 = 543;
/// A year from which on no page counts as Westerners do.
const BUDDHIST_MIN: i32 = 2400;

const THAI_MONTHS: [(&str, &str); 12] = [
    ("มกราคม", "ม.ค."),
    ("กุมภาพันธ์", "ก.พ."),
    ("มีนาคม", "มี.ค."),
    ("เมษายน", "เม.ย."),
    ("พฤษภาคม", "พ.ค."),
    ("มิถุนายน", "มิ.ย."),
    ("กรกฎาคม", "ก.ค."),
    ("สิงหาคม", "ส.ค."),
    ("กันยายน", "ก.ย."),
    ("ตุลาคม", "ต.ค."),
    ("พฤศจิกายน", "พ.ย."),
    ("ธันวาคม", "ธ.ค."),
];

fn is_thai(c: char) -> bool {
    ('\u{e00}'..='\u{e7f}').contains(&c)
}

/// "1 พฤษภาคม 2566", "๑ พ.ค. พ.ศ. ๒๕๖๖"; a Western year may stand there as well.
fn in_thai(text: &str) -> Option<Day> {
    if !text.chars().any(is_thai) {
        return None;
    }
    let months = THAI_MONTHS.iter().zip(1..);
    let found = months.flat_map(|((full, short), month)| {
        [full, short].into_iter().flat_map(move |name| {
            let places = text.match_indices(name);
            places.filter_map(move |(at, name)| {
                let before = text[..at].trim_end();
                let begin = before.trim_end_matches(|c| digit(c).is_some()).len();
                let day = u8::try_from(value(&before[begin..])?).ok()?;
                let rest = text[at + name.len()..].trim_start();
                let rest = rest.strip_prefix("พ.ศ.").unwrap_or(rest).trim_start();
                let end = rest.trim_start_matches(|c| digit(c).is_some()).len();
                let year = &rest[..rest.len() - end];
                let is_whole = year.chars().count() == 4;
                let year = i32::try_from(value(year).filter(|_| is_whole)?).ok()?;
                Some(Day {
                    at: begin,
                    year: western(year),
                    month,
                    day,
                })
            })
        })
    });
    found.min_by_key(|day| day.at)
}

/// "1/5/2566", day first as in Thailand.
fn buddhist_numbers(text: &str) -> Option<Day> {
    // "1-2-2560" is a number of something where nothing is in Thai.
    let is_in_thai = text.chars().any(is_thai);
    let is_digit = |c: char| c.is_ascii_digit();
    text.match_indices("25").find_map(|(at, _)| {
        let year = text.get(at..at + 4)?;
        let is_whole =
            year.bytes().all(|byte| byte.is_ascii_digit()) && !text[at + 4..].starts_with(is_digit);
        let before = &text[..at];
        let separator = before
            .chars()
            .next_back()
            .filter(|&c| c == '/' || (c == '-' && is_in_thai))?;
        let before = &before[..at - 1];
        let month = before.trim_end_matches(is_digit).len();
        let (before, month) = before.split_at(month);
        let before = before.strip_suffix(separator)?;
        let begin = before.trim_end_matches(is_digit).len();
        let (before, day) = before.split_at(begin);
        let stands_alone = !before.ends_with([separator, '.']);
        let parts = [day, month].map(|part| part.parse::<u8>().ok().filter(|_| part.len() <= 2));
        let [Some(day), Some(month)] = parts else {
            return None;
        };
        let year = western(year.parse().ok()?);
        (is_whole && stands_alone).then_some(Day {
            at: begin,
            year,
            month,
            day,
        })
    })
}

fn western(year: i32) -> i32 {
    match year {
        BUDDHIST_MIN.. => year - BUDDHIST,
        _ => year,
    }
}
