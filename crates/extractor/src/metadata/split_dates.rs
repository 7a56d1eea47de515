//! Dates in pieces: a box with the day in one element and the year and the month in another.
//!
//! ```text
//!   <b>05</b><i>2021.03</i>      <span>2021</span> <em>03</em>/<em>05</em>      <i>Mar</i> <i>05</i> <i>Fri</i> <i>2021</i>
//! ```
//!
//! The pieces of one small element are read together. It has nothing in it but a year, a month, a day, and at most the
//! day of the week, the time, and a label before all of them.

use std::collections::BTreeMap;

use crate::dates::{self, Usage};
use crate::flat_dom::FlatDom;

use super::byline_zone::BylineZone;

/// The texts of the boxes near the title, as a line with the day as programs write it, by the run that each begins with.
pub(super) fn near_title(
    flat: &FlatDom<'_>,
    zone: &BylineZone<'_, '_>,
    usage: Usage,
) -> BTreeMap<usize, String> {
    const CHARS_MIN: u32 = 6;
    const CHARS_MAX: u32 = 40;
    const ELEMENTS_MAX: usize = 400;
    let near = flat.elements.iter().enumerate().filter(|(_, element)| {
        let at = element.first_run as usize;
        zone.range.contains(&at) && (CHARS_MIN..=CHARS_MAX).contains(&element.counts.chars)
    });
    let near = near.take(ELEMENTS_MAX);
    let held = near.filter(|(_, element)| zone.may_hold(element.first_run as usize));
    // Elsewhere such a box may be that of an item.
    let own = held.filter(|(index, _)| !zone.is_in_item(*index as u32));
    let read = own.filter_map(|(index, element)| {
        let pieces = pieces(flat, index as u32)?;
        Some((element.first_run as usize, line_of(&pieces, usage)?))
    });
    let mut boxes = BTreeMap::new();
    for (run, line) in read {
        // The outer box comes first, and has the label.
        boxes.entry(run).or_insert(line);
    }
    boxes
}

/// The texts of an element's pieces, if there are several and none is long.
fn pieces<'d>(flat: &FlatDom<'d>, at: u32) -> Option<Vec<&'d str>> {
    const PIECES_MAX: usize = 12;
    const RUNS_MAX: usize = 6;
    let element = &flat.elements[at as usize];
    let runs = flat
        .runs
        .get(element.first_run as usize..)?
        .iter()
        .take(RUNS_MAX);
    let all = runs.flat_map(|run| &flat.pieces[run.pieces.start as usize..run.pieces.end as usize]);
    let own = all.filter(|piece| flat.contains(at, piece.element));
    let texts: Vec<&str> = own
        .map(|piece| piece.text.trim())
        .filter(|text| !text.is_empty())
        .take(PIECES_MAX + 1)
        .collect();
    (2..=PIECES_MAX).contains(&texts.len()).then_some(texts)
}

/// What a part of a date may be.
#[derive(Clone, Copy)]
enum Kind {
    /// Four digits.
    Year,
    /// One digit or two.
    Short,
    /// A month by its name.
    Month,
}

struct Part {
    kind: Kind,
    value: u32,
    /// The piece that it stands in.
    piece: usize,
}

/// The label before a box and the day that some pieces are.
fn line_of(pieces: &[&str], usage: Usage) -> Option<String> {
    let (mut parts, mut label) = (Vec::new(), String::new());
    let is_dotted = pieces.iter().any(|piece| piece.contains('.'));
    for (at, piece) in pieces.iter().enumerate() {
        for word in without_signs(piece).split(|c: char| !dates::is_of_word(c) && c != ':') {
            match part(word, at, usage) {
                Some(Some(part)) => parts.push(part),
                Some(None) => {}
                None if parts.is_empty() => {
                    label.push_str(word);
                    label.push(' ');
                }
                None => return None,
            }
        }
    }
    let (year, month, day) = day_of(&parts, usage, is_dotted)?;
    let day = dates::machine(&format!("{year:04}-{month:02}-{day:02}"))?;
    Some(format!("{label}{day}"))
}

/// A piece with a blank for the sign behind each number, in Chinese, Japanese and Korean: 2024年3月.
fn without_signs(piece: &str) -> String {
    const SIGNS: [char; 7] = ['年', '月', '日', '號', '년', '월', '일'];
    let mut before = ' ';
    let chars = piece.chars().map(|c| {
        let is_sign = before.is_ascii_digit() && SIGNS.contains(&c);
        before = c;
        if is_sign { ' ' } else { c }
    });
    chars.collect()
}

/// The year, the month and the day that some parts are.
fn day_of(parts: &[Part], usage: Usage, is_dotted: bool) -> Option<(u32, u32, u32)> {
    use Kind::{Month, Short, Year};
    let [one, other, last] = parts else {
        return None;
    };
    let [first, second, third] = [one.value, other.value, last.value];
    // "05" over "03/2021": what stands with the year is the month.
    let is_with_year = other.piece == last.piece && one.piece != other.piece;
    let is_day_first =
        || is_with_year || first > 12 || second <= 12 && usage.is_day_first(is_dotted);
    match [one.kind, other.kind, last.kind] {
        [Year, Short | Month, Short] => Some((first, second, third)),
        [Short, Year, Short] => Some((second, third, first)),
        [Short, Short, Year] if is_day_first() => Some((third, second, first)),
        [Short, Short, Year] | [Month, Short, Year] => Some((third, first, second)),
        [Short, Month, Year] => Some((third, second, first)),
        _ => None,
    }
}

/// What a word of a date is: `None` for another word, `Some(None)` for a time, a day of the week or nothing.
fn part(word: &str, piece: usize, usage: Usage) -> Option<Option<Part>> {
    // "de" stands between day, month and year.
    const JOINTS: [&str; 5] = ["am", "pm", "de", "del", "of"];
    let lower = word.to_lowercase();
    if lower.is_empty() || dates::is_weekday(&lower) || JOINTS.contains(&lower.as_str()) {
        return Some(None);
    }
    let digits = lower.trim_end_matches(char::is_alphabetic);
    let is_ordinal = matches!(&lower[digits.len()..], "" | "st" | "nd" | "rd" | "th");
    if is_ordinal && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let kind = match digits.len() {
            1..=2 => Kind::Short,
            4 => Kind::Year,
            _ => return None,
        };
        let value = digits.parse().ok()?;
        return Some(Some(Part { kind, value, piece }));
    }
    let is_time = lower.contains(':') && lower.chars().all(|c| c.is_ascii_digit() || c == ':');
    if is_time {
        return Some(None);
    }
    let value = dates::number_in(&lower, usage)?.parse().ok()?;
    let kind = Kind::Month;
    Some(Some(Part { kind, value, piece }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_box_are_a_date() {
        let read = |pieces: &[&str]| line_of(pieces, Usage::from(true));
        for pieces in [
            &["05", "2021-03"] as &[&str],
            &["05", "2021.03"],
            &["05", "2021/3"],
            &["05", "03/2021"],
            &["05.", "03.", "2021"],
            &["2021", "03", "/", "05", "10:11:12"],
            &["Mar", "05", "Fri", "2021", "10:11"],
            &["5", "March", "2021"],
            &["5", "märz", "2021"],
            &["5", "MÄR", "2021"],
            &["05", "Mars 2021"],
            &["5", "de marzo", "de", "2021"],
            &["2021년", "3월", "5일"],
            &["2021.", "március", "5."],
            &["03", "05", "2021"],
            &["5th", "March", "2021"],
        ] {
            assert_eq!(read(pieces).as_deref(), Some("2021-03-05"), "{pieces:?}");
        }
        let day_first = line_of(&["05", "03", "2021"], Usage::from(false));
        assert_eq!(day_first.as_deref(), Some("2021-03-05"));
        let labelled = read(&["Published", "5", "Mar", "2021"]);
        assert_eq!(labelled.as_deref(), Some("Published 2021-03-05"));
        for pieces in [
            &["05", "03"] as &[&str],
            &["05", "2021-03", "阅读"],
            &["12", "2021-13"],
            &["2021", "03", "05", "12"],
            &["1", "2021"],
            &["12", "14", "March", "2021"],
        ] {
            assert_eq!(read(pieces), None, "{pieces:?}");
        }
    }
}
