//! The attributes of a product, or of what else a page is about, in a list or in rows of boxes: "Brand: Northwind".
//!
//! Shops write them as often so as in tables (see [`data_tables`](super::data_tables)), and to the forests
//! each is a label as well. A group of rows that are alike, each a short name and its value, is kept as a
//! whole where a table would be. On other pages so is one beside the text.

use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, NO_ELEMENT, Traits};
use crate::line_markers::{Marker, Markers};
use crate::prefix_sums::{is_prose, share};
use crate::survey::Survey;
use crate::tag::Tag;

use super::data_tables::{LINKS_MAX, is_in_other_part};
use super::listings::OTHER_PARTS;

/// Fewer rows are no group,
const ROWS_MIN: usize = 3;
/// more are the parts of a page.
const ROWS_MAX: usize = 200;
/// A text that is so many times as long stands for itself.
const TEXT_TIMES_MAX: u32 = 16;
/// The most weight of a name,
const NAME_WEIGHT_MAX: u32 = 45;
/// and of a row. A longer one is a text.
const ROW_WEIGHT_MAX: u32 = 250;

/// Keeps the runs of a product's attributes, except those that a rule has dropped.
pub(super) fn keep(flat: &FlatDom<'_>, survey: &Survey, probability: &[f32], main: &mut [bool]) {
    keep_groups(flat, survey, probability, main, |at, _| {
        !is_in_other_part(flat, at)
    });
}

/// Keeps the attributes of what another page is about: an event's place and hour, a certificate's number. They stand
/// beside its text, and each value is short; with a long text they say little that it does not.
pub(super) fn keep_beside_text(
    flat: &FlatDom<'_>,
    survey: &Survey,
    probability: &[f32],
    main: &mut [bool],
) {
    let kept = |main: &[bool]| -> u32 {
        let runs = flat.runs.iter().zip(main).filter(|(_, kept)| **kept);
        runs.map(|(run, _)| run.counts.weight).sum()
    };
    let text = kept(main);
    keep_groups(flat, survey, probability, main, |at, main| {
        let group = &flat.elements[at as usize];
        group.counts.weight * TEXT_TIMES_MAX >= text
            && group.counts.sentence_ends == 0
            && is_beside_text(flat, at, main)
            && !is_of_the_page(flat, survey, at)
    });
}

fn keep_groups(
    flat: &FlatDom<'_>,
    survey: &Survey,
    probability: &[f32],
    main: &mut [bool],
    is_wanted: impl Fn(ElementIndex, &[bool]) -> bool,
) {
    let mut at = 0;
    while let Some(element) = flat.elements.get(at) {
        let index = at as ElementIndex;
        if !is_group(flat, survey, index) || !is_wanted(index, main) {
            at += 1;
            continue;
        }
        for run in element.first_run as usize..(element.end_run as usize).min(main.len()) {
            // Names in a form that asks for nothing are labels, as buttons are.
            let is_label = flat.elements[flat.runs[run].owner as usize].tag == Tag::Label;
            main[run] |= probability[run] > 0.0 || is_label;
        }
        at = element.end as usize;
    }
}

/// Whether a group stands with kept text in the element around it or the next: directly where a form without a
/// field to fill in, or an aside, holds the group.
fn is_beside_text(flat: &FlatDom<'_>, at: ElementIndex, main: &[bool]) -> bool {
    let is_text = |run: usize| main.get(run) == Some(&true) && is_prose(&flat.runs[run]);
    let holds = |around: ElementIndex| {
        let element = &flat.elements[around as usize];
        (element.first_run..element.end_run).any(|run| is_text(run as usize))
    };
    let own_text = |around: ElementIndex| {
        let element = &flat.elements[around as usize];
        let mut runs = element.first_run as usize..element.end_run as usize;
        runs.any(|run| {
            is_text(run) && flat.elements[flat.runs[run].owner as usize].parent == around
        })
    };
    let is_other = |around: ElementIndex| {
        let element = &flat.elements[around as usize];
        matches!(element.tag, Tag::Aside | Tag::Form)
            || OTHER_PARTS.iter().any(|&hint| element.hints.has(hint))
    };
    let other = flat.ancestors(at).take(2).find(|&part| is_other(part));
    match other {
        Some(part) => {
            let FlatElement {
                parent: around,
                traits,
                ..
            } = flat.elements[part as usize];
            around != NO_ELEMENT
                && !traits.has(Traits::ASKS)
                && own_text(around)
                && !is_in_other_part(flat, around)
        }
        None => {
            let mut around = flat.ancestors(at).skip(1).take(2);
            around.any(holds) && !is_in_other_part(flat, at)
        }
    }
}

/// Whether half of the rows of a group are about the page itself: who wrote it, when, where to share it.
fn is_of_the_page(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> bool {
    const OF_PAGE: [Marker; 4] = [Marker::Byline, Marker::Credit, Marker::Date, Marker::Share];
    let element = &flat.elements[at as usize];
    let runs = element.first_run as usize..element.end_run as usize;
    let lines = survey.markers.get(runs).unwrap_or_default();
    let is_of_page = |line: &&Markers| OF_PAGE.iter().any(|&marker| line.has(marker));
    lines.iter().filter(is_of_page).count() * 2 >= lines.len()
}

/// Whether an element is a group of attributes.
fn is_group(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> bool {
    let element = &flat.elements[at as usize];
    let runs = element.end_run.saturating_sub(element.first_run);
    // The lines of a paragraph are one run.
    let is_large =
        element.counts.weight > ROW_WEIGHT_MAX * ROWS_MAX as u32 || runs > 2 * ROWS_MAX as u32;
    if element.counts.weight == 0 || is_large || element.tag == Tag::Table {
        return false;
    }
    let names = match element.tag {
        Tag::P => names_of_lines(flat, survey, at),
        Tag::Dl => names_of_terms(flat, at).or_else(|| names_of_rows(flat, survey, at)),
        _ => names_of_rows(flat, survey, at),
    };
    names.is_some_and(are_distinct)
        && share(element.link_weight, element.counts.weight, 1.0) <= LINKS_MAX
        && !is_of_figures(flat, survey, at)
}

/// Whether most lines of a group have a price or a time: the currencies of a shop, or its hours.
fn is_of_figures(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> bool {
    let element = &flat.elements[at as usize];
    let runs = element.first_run as usize..element.end_run as usize;
    let lines = survey.markers.get(runs).unwrap_or_default();
    let is_figure = |line: &&Markers| line.has(Marker::Price) || line.has(Marker::Date);
    lines.iter().filter(is_figure).count() * 2 > lines.len()
}

/// Attributes have each their own name; ratings and prices repeat one.
fn are_distinct(mut names: Vec<String>) -> bool {
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    count >= ROWS_MIN && names.len() * 10 >= count * 9
}

/// The child elements that hold text.
fn rows<'f>(
    flat: &'f FlatDom<'_>,
    at: ElementIndex,
) -> impl Iterator<Item = ElementIndex> + use<'f> {
    let end = flat.elements[at as usize].end;
    let mut next = at + 1;
    let children = std::iter::from_fn(move || {
        let child = (next < end).then_some(next)?;
        next = flat.elements[child as usize].end;
        Some(child)
    });
    children.filter(|&child| flat.elements[child as usize].counts.chars > 0)
}

/// The names in rows that are alike, four of five of them or more a name with its value.
fn names_of_rows(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> Option<Vec<String>> {
    let (mut count, mut weight, mut names) = (0, 0, Vec::new());
    let mut shapes: Option<(u32, u32)> = None;
    for row in rows(flat, at) {
        let element = &flat.elements[row as usize];
        count += 1;
        weight += element.counts.weight;
        if count > ROWS_MAX || !matches!(element.tag, Tag::Li | Tag::Div | Tag::P | Tag::Dl) {
            return None;
        }
        if let Some((name, shape)) = name_of_row(flat, survey, row) {
            let alike = *shapes.get_or_insert((element.shape, shape));
            if alike.1 == shape && flat.elements[row as usize].tag != Tag::Table {
                names.push(name);
            }
        }
    }
    let is_all = weight == flat.elements[at as usize].counts.weight;
    (is_all && names.len() * 5 >= count * 4).then_some(names)
}

/// The name in a row of two parts, with the first part's shape; or the one before a colon.
fn name_of_row(flat: &FlatDom<'_>, survey: &Survey, row: ElementIndex) -> Option<(String, u32)> {
    let element = &flat.elements[row as usize];
    if element.counts.weight > ROW_WEIGHT_MAX {
        return None;
    }
    let runs = element.first_run as usize..element.end_run as usize;
    let texts = survey.texts.get(runs.clone())?;
    if let [line] = texts
        && let Some(name) = name_before_colon(line)
    {
        return Some((name.to_owned(), 0));
    }
    let mut inner = row;
    let first = loop {
        let mut parts = rows(flat, inner);
        let first = parts.next()?;
        // A box around all of the row.
        if flat.elements[first as usize].counts.weight < element.counts.weight {
            break first;
        }
        inner = first;
    };
    let part = &flat.elements[first as usize];
    let name = text_in(flat, first, runs);
    let is_first = texts.first()?.starts_with(name.split('\n').next()?);
    let is_name = part.counts.weight <= NAME_WEIGHT_MAX && part.tag.heading_level().is_none();
    (is_first && is_name && part.counts.sentence_ends == 0 && !name.is_empty())
        .then_some((name, part.shape))
}

/// The text of an element, its runs and parts of them.
fn text_in(flat: &FlatDom<'_>, at: ElementIndex, runs: std::ops::Range<usize>) -> String {
    let mut text = String::new();
    for run in &flat.runs[runs] {
        for piece in &flat.pieces[run.pieces.start as usize..run.pieces.end as usize] {
            if flat.contains(at, piece.element) {
                crate::whitespace::push_collapsed(&mut text, piece.text);
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// The terms of a list, each with one short description behind it.
fn names_of_terms(flat: &FlatDom<'_>, at: ElementIndex) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut children = rows(flat, at);
    while let Some(term) = children.next() {
        let (term, value) = (&flat.elements[term as usize], children.next()?);
        let value = &flat.elements[value as usize];
        let is_pair = (term.tag, value.tag) == (Tag::Dt, Tag::Dd)
            && term.counts.weight <= NAME_WEIGHT_MAX
            && value.counts.weight <= ROW_WEIGHT_MAX;
        let run = flat.runs.get(term.first_run as usize)?;
        names.push(is_pair.then(|| flat.run_text(run))?);
    }
    Some(names)
}

/// The names in the lines of a paragraph that are all names with values.
fn names_of_lines(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> Option<Vec<String>> {
    let element = &flat.elements[at as usize];
    let runs = element.first_run as usize..element.end_run as usize;
    let lines = survey.texts.get(runs)?.iter().flat_map(|text| text.lines());
    lines
        .map(|line| name_before_colon(line).map(str::to_owned))
        .collect()
}

/// The short name before a colon with a value behind it.
fn name_before_colon(line: &str) -> Option<&str> {
    const NAME_CHARS_MAX: usize = 30;
    let colon = line
        .char_indices()
        .take(NAME_CHARS_MAX + 1)
        .find(|(_, c)| matches!(c, ':' | '：'));
    let (name, value) = line.split_at(colon?.0);
    let value = value.trim_start_matches([':', '：']).trim_start();
    let is_name =
        name.chars().any(char::is_alphabetic) && !name.contains(['.', '。', '!', '?', ',', '，']);
    // "https://", and a value that is a text.
    (is_name && !value.is_empty() && !value.starts_with('/') && value.chars().count() <= 200)
        .then(|| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each run of a page is kept, of which the forests chose none.
    fn kept(page: &str) -> Vec<bool> {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        let mut main = vec![false; flat.runs.len()];
        let probability = vec![0.1; main.len()];
        keep(&flat, &Survey::of(&flat), &probability, &mut main);
        main
    }

    const ATTRIBUTES: [(&str, &str); 4] = [
        ("品牌", "山野家"),
        ("Material", "steel 304"),
        ("容量", "1.5L"),
        ("Made in", "Jinhua"),
    ];

    fn written(form: impl Fn(&str, &str) -> String) -> String {
        let rows = ATTRIBUTES.map(|(name, value)| form(name, value));
        rows.concat()
    }

    #[test]
    fn attributes_are_kept_in_each_form_that_shops_write_them() {
        for group in [
            format!(
                "<ul>{}</ul>",
                written(|name, value| format!("<li>{name}: {value}"))
            ),
            format!(
                "<ul>{}</ul>",
                written(|name, value| format!("<li>{name}：{value}"))
            ),
            format!(
                "<ul>{}</ul>",
                written(|name, value| format!("<li><span>{name}</span><em>{value}</em>"))
            ),
            format!(
                "<dl>{}</dl>",
                written(|name, value| format!("<dt>{name}<dd>{value}"))
            ),
            format!(
                "<div>{}</div>",
                written(|name, value| format!(
                    "<div class=row><div class=k>{name}</div><div>{value}</div></div>"
                ))
            ),
            format!(
                "<p>{}</p>",
                written(|name, value| format!("{name}: {value}<br>"))
            ),
        ] {
            let main = kept(&format!("<body><h1>Flask</h1><div>{group}</div><p>After"));
            let inner = &main[1..main.len() - 1];
            assert!(!main[0] && !main[main.len() - 1], "{group}");
            assert!(inner.iter().all(|&kept| kept), "{group} {main:?}");
        }
    }

    #[test]
    fn other_lists_are_no_attributes() {
        let rows = "<li>Brand: A<li>Model: B<li>Size: C";
        for group in [
            "<ul><li>Free returns<li>Ships today<li>Two years</ul>".to_owned(),
            "<ul><li>Rating: 3<li>Rating: 4<li>Rating: 5</ul>".to_owned(),
            "<ul><li>GBP: £3<li>USD: $4<li>EUR: €5</ul>".to_owned(),
            "<ul><li>Mon: 10:30<li>Tue: 10:30<li>Wed: 9:30</ul>".to_owned(),
            "<ul><li>Brand: A<li>Model: B</ul>".to_owned(),
            "<ul><li><a href=/a>Brand: A</a><li><a href=/b>Model: B</a><li>Size: C</ul>".to_owned(),
            format!("<footer><ul>{rows}</ul></footer>"),
            format!("<div class=related><ul>{rows}</ul></div>"),
            format!(
                "<ul>{rows}<li>{}</ul>",
                "A long text of the maker. ".repeat(20)
            ),
        ] {
            assert!(!kept(&group).contains(&true), "{group}");
        }
        assert!(kept(&format!("<ul>{rows}</ul>")).iter().all(|&kept| kept));
    }

    #[test]
    fn what_a_page_is_about_has_attributes_beside_its_text() {
        let text = "<p>The hall was built by the guild of weavers, when the town had grown rich, and it holds six \
            hundred people on two floors. Its organ came from another church, whose tower had burnt down in the \
            war.</p>";
        let row = |name: &str, value: &str| {
            format!("<div class=form-group><label>{name}</label> <span>{value}</span></div>")
        };
        let rows = [
            ("Seats", "600"),
            ("Built", "brick"),
            ("Keeper", "Anna Weaver"),
        ]
        .map(|(name, value)| row(name, value))
        .concat();
        let dated = [
            ("Author", "Beth Lane"),
            ("Posted on", "3 May 2021"),
            ("Updated at", "4 May 2021"),
        ]
        .map(|(name, value)| row(name, value))
        .concat();
        let long = text.repeat(20);
        for (page, is_kept) in [
            (format!("<main>{text}<div>{rows}</div></main>"), true),
            (format!("<main>{text}<form>{rows}</form></main>"), true),
            (format!("<main>{text}<aside>{rows}</aside></main>"), true),
            (
                format!("<main>{text}<form>{rows}<input></form></main>"),
                false,
            ),
            (
                format!("<main><div>{text}</div><aside>{rows}</aside></main>"),
                false,
            ),
            (format!("<main>{text}</main><aside>{rows}</aside>"), false),
            (
                format!("<main>{text}</main><div><div><div>{rows}</div></div></div>"),
                false,
            ),
            (format!("<main>{text}<div>{dated}</div></main>"), false),
            (format!("<main>{long}<div>{rows}</div></main>"), false),
        ] {
            let html = scraper::Html::parse_document(&page);
            let flat = FlatDom::of(&html);
            let mut main: Vec<bool> = flat.runs.iter().map(is_prose).collect();
            let before = main.iter().filter(|&&kept| kept).count();
            let probability = vec![0.1; main.len()];
            keep_beside_text(&flat, &Survey::of(&flat), &probability, &mut main);
            let added = main.iter().filter(|&&kept| kept).count() - before;
            assert_eq!(added > 0, is_kept, "{page} {main:?}");
            assert!(!is_kept || main.iter().all(|&kept| kept), "{page} {main:?}");
        }
    }
}
