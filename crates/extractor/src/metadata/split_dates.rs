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

/// A number with its digits and the piece it stands in, or a month by its name.
#[derive(Debug)]
enum Part {
    Number {
        value: u32,
        digits: usize,
        piece: usize,
    },
    Month(u32),
}

/// The label before a box and the day that some pieces are.
fn line_of(pieces: &[&str], usage: Usage) -> Option<String> {
    let (mut parts, mut label) = (Vec::new(), String::new());
    let is_dotted = pieces.iter().any(|piece| piece.contains('.'));
    for (at, piece) in pieces.iter().enumerate() {
        for word in piece.split(|c: char| !dates::is_of_word(c) && c != ':') {
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

/// The year, the month and the day that some parts are.
fn day_of(parts: &[Part], usage: Usage, is_dotted: bool) -> Option<(u32, u32, u32)> {
    use Part::{Month, Number};
    let is_short = |digits: usize| (1..=2).contains(&digits);
    match *parts {
        [
            Number {
                value: year,
                digits: 4,
                ..
            },
            Number {
                value: month,
                digits: one,
                ..
            },
            Number {
                value: day,
                digits: other,
                ..
            },
        ] if is_short(one) && is_short(other) => Some((year, month, day)),
        [
            Number {
                value: day, digits, ..
            },
            Number {
                value: year,
                digits: 4,
                ..
            },
            Number {
                value: month,
                digits: other,
                ..
            },
        ] if is_short(digits) && is_short(other) => Some((year, month, day)),
        [
            Number {
                value: first,
                digits,
                piece: at_first,
            },
            Number {
                value: second,
                digits: other,
                piece: at_second,
            },
            Number {
                value: year,
                digits: 4,
                piece: at_year,
            },
        ] if is_short(digits) && is_short(other) => {
            // "05" over "03/2021": what stands with the year is the month.
            let is_with_year = at_second == at_year && at_first != at_second;
            let is_day_first =
                is_with_year || first > 12 || second <= 12 && usage.is_day_first(is_dotted);
            Some(match is_day_first {
                true => (year, second, first),
                false => (year, first, second),
            })
        }
        [
            Month(month),
            Number {
                value: day, digits, ..
            },
            Number {
                value: year,
                digits: 4,
                ..
            },
        ]
        | [
            Number {
                value: day, digits, ..
            },
            Month(month),
            Number {
                value: year,
                digits: 4,
                ..
            },
        ]
        | [
            Number {
                value: year,
                digits: 4,
                ..
            },
            Month(month),
            Number {
                value: day, digits, ..
            },
        ] if is_short(digits) => Some((year, month, day)),
        _ => None,
    }
}

/// What a word of a date is: `None` for another word, `Some(None)` for a time, a day of the week or nothing.
fn part(word: &str, piece: usize, usage: Usage) -> Option<Option<Part>> {
    const SIGNS: [char; 7] = ['年', '月', '日', '號', '년', '월', '일'];
    let lower = word.trim_end_matches(SIGNS).to_lowercase();
    if lower.is_empty() || dates::is_weekday(&lower) || matches!(lower.as_str(), "am" | "pm") {
        return Some(None);
    }
    if lower.chars().all(|c| c.is_ascii_digit()) {
        let (value, digits) = (lower.parse().ok()?, lower.len());
        return Some(Some(Part::Number {
            value,
            digits,
            piece,
        }));
    }
    let is_time = lower.contains(':') && lower.chars().all(|c| c.is_ascii_digit() || c == ':');
    if is_time {
        return Some(None);
    }
    let ordinal = lower.trim_end_matches(|c: char| c.is_alphabetic());
    if !ordinal.is_empty() && matches!(&lower[ordinal.len()..], "st" | "nd" | "rd" | "th") {
        let (value, digits) = (ordinal.parse().ok()?, ordinal.len());
        return Some(Some(Part::Number {
            value,
            digits,
            piece,
        }));
    }
    // "de" between day, month and year.
    if matches!(lower.as_str(), "de" | "del" | "of") {
        return Some(None);
    }
    let month = dates::number_in(&lower, usage)?.parse().ok()?;
    Some(Some(Part::Month(month)))
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
