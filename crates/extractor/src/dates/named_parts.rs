//! Dates in which the month has a word of its own before it, as in Vietnamese ("ngày 12 tháng 3 năm 2024") and Khmer
//! ("ថ្ងៃទី12 ខែមីនា ឆ្នាំ2024"). Khmer has no spaces between words.

use super::forms::Written;
use super::months;

/// What stands before a month, and before the year behind it.
const WORDS: [(&str, &str); 2] = [("tháng", "năm"), ("ខែ", "ឆ្នាំ")];

/// The leftmost date of this form in a text in lower case with ASCII digits.
pub(super) fn first(text: &str) -> Option<Written<'_>> {
    let found = WORDS.iter().flat_map(|&(of_month, of_year)| {
        let places = text.match_indices(of_month);
        places.filter_map(move |(at, _)| around(text, at, at + of_month.len(), of_year))
    });
    found.min_by_key(|found| found.at)
}

/// The date whose word for the month stands there.
fn around<'t>(text: &'t str, at: usize, end: usize, of_year: &str) -> Option<Written<'t>> {
    let before = text[..at].trim_end();
    let begin = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let day = &before[begin..];
    let rest = text[end..].trim_start();
    let month_end = rest.find([' ', ',', '\u{a0}', '\u{200b}'])?;
    let (month, rest) = rest.split_at(month_end);
    let month = match month.bytes().all(|byte| byte.is_ascii_digit()) {
        true => month,
        false => months::number(month)?,
    };
    let rest = rest.trim_start_matches([' ', ',', '\u{a0}', '\u{200b}']);
    let rest = rest.strip_prefix(of_year).unwrap_or(rest).trim_start();
    let year_end = rest.find(|c: char| !c.is_ascii_digit());
    let year = &rest[..year_end.unwrap_or(rest.len())];
    let is_year = year.len() == 4 && (year.starts_with("19") || year.starts_with("20"));
    let is_whole = is_year && (1..=2).contains(&day.len()) && (1..=2).contains(&month.len());
    is_whole.then_some(Written {
        at: begin,
        year,
        month,
        day,
    })
}
