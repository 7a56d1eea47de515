//! Dates in pieces: a box with the day in one element and the year and the month in another.
//!
//! ```text
//!   <b>05</b><i>2021.03</i>      <span>2021</span> <em>03</em>/<em>05</em>      <i>Mar</i> <i>05</i> <i>Fri</i> <i>2021</i>
//! ```
//!
//! The pieces of one small element are read together. It has nothing in it but a year, a month, a day, and at most the
//! day of the week and the time.

use crate::dates;
use crate::flat_dom::FlatDom;

use super::byline_zone::BylineZone;

/// The date of the first such element near the title.
pub(super) fn find(flat: &FlatDom<'_>, zone: &BylineZone<'_, '_>) -> Option<String> {
    const CHARS_MIN: u32 = 6;
    const CHARS_MAX: u32 = 40;
    const ELEMENTS_MAX: usize = 400;
    // Elsewhere such a box may be that of an item.
    if !zone.is_of_article() {
        return None;
    }
    let near = flat.elements.iter().enumerate().filter(|(_, element)| {
        let at = element.first_run as usize;
        zone.range.contains(&at) && (CHARS_MIN..=CHARS_MAX).contains(&element.counts.chars)
    });
    let near = near.take(ELEMENTS_MAX);
    let held = near.filter(|(_, element)| zone.may_hold(element.first_run as usize));
    let own = held.filter(|(index, _)| !zone.is_in_item(*index as u32));
    let mut boxes = own.filter_map(|(index, _)| pieces(flat, index as u32));
    boxes.find_map(|pieces| read(&pieces))
}

/// The texts of an element's pieces, if there are several and none is long.
fn pieces<'d>(flat: &FlatDom<'d>, at: u32) -> Option<Vec<&'d str>> {
    const PIECES_MAX: usize = 12;
    const RUNS_MAX: usize = 5;
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

/// A number and how many digits it has, or a month by its name.
enum Part {
    Number(u32, usize),
    Month(u32),
}

/// The date that some pieces are.
fn read(pieces: &[&str]) -> Option<String> {
    let mut parts = Vec::new();
    for piece in pieces {
        for word in piece.split(|c: char| !c.is_alphanumeric() && c != ':') {
            match part(word)? {
                Some(part) => parts.push(part),
                None => continue,
            }
        }
    }
    let (year, month, day) = match parts.as_slice() {
        [
            Part::Number(year, 4),
            Part::Number(month, 1..=2),
            Part::Number(day, 1..=2),
        ]
        | [
            Part::Number(day, 1..=2),
            Part::Number(year, 4),
            Part::Number(month, 1..=2),
        ]
        | [
            Part::Month(month),
            Part::Number(day, 1..=2),
            Part::Number(year, 4),
        ]
        | [
            Part::Number(day, 1..=2),
            Part::Month(month),
            Part::Number(year, 4),
        ] => (year, month, day),
        _ => return None,
    };
    dates::machine(&format!("{year:04}-{month:02}-{day:02}"))
}

/// What a word of a date is: `None` for another word, `Some(None)` for a time, a day of the week or nothing.
fn part(word: &str) -> Option<Option<Part>> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let lower = word.trim_end_matches(['年', '月', '日']).to_lowercase();
    if lower.is_empty() || dates::is_weekday(&lower) {
        return Some(None);
    }
    if lower.chars().all(|c| c.is_ascii_digit()) {
        let number = lower.parse().ok()?;
        return Some(Some(Part::Number(number, lower.len())));
    }
    let is_time = lower.contains(':') && lower.chars().all(|c| c.is_ascii_digit() || c == ':');
    if is_time {
        return Some(None);
    }
    let month = MONTHS.iter().position(|month| lower.starts_with(month))?;
    dates::is_month(&lower).then_some(Some(Part::Month(month as u32 + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_box_are_a_date() {
        for pieces in [
            &["05", "2021-03"] as &[&str],
            &["05", "2021.03"],
            &["05", "2021/3"],
            &["2021", "03", "/", "05", "10:11:12"],
            &["Mar", "05", "Fri", "2021", "10:11"],
            &["5", "March", "2021"],
        ] {
            assert_eq!(read(pieces).as_deref(), Some("2021-03-05"), "{pieces:?}");
        }
        for pieces in [
            &["05", "03"] as &[&str],
            &["05", "2021-03", "阅读"],
            &["12", "2021-13"],
            &["2021", "03", "05", "12"],
            &["1", "2021"],
        ] {
            assert_eq!(read(pieces), None, "{pieces:?}");
        }
    }
}
