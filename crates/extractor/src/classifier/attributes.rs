//! The attributes of a product, or of what else a page is about, in a list or in rows of boxes: "Brand: Northwind".
//!
//! Shops write them as often so as in tables (see [`data_tables`](super::data_tables)), and to the forests
//! each is a label as well. A group of rows that are alike, each a short name and its value, is kept as a
//! whole where a table would be. On other pages so is one beside the text; and however long the text is, one between it
//! and the title, in whatever boxes: an entry's facts, a job's pay, a book's publisher.

use std::ops::Range;

use crate::flat_dom::{ElementIndex, FlatDom};
use crate::line_markers::{Marker, Markers};
use crate::metadata::{element_text, letters};
use crate::prefix_sums::{is_prose, share};
use crate::survey::Survey;
use crate::tag::Tag;

use super::data_tables::{LINKS_MAX, is_in_other_part};
use super::fact_boxes::{is_beside_text, is_boxed, is_elsewhere};
use super::standfirst;

/// Fewer rows are no group,
const ROWS_MIN: usize = 3;
/// more are the parts of a page.
const ROWS_MAX: usize = 200;
/// A text that is so many times as long stands for itself.
const TEXT_TIMES_MAX: u32 = 16;
/// Of the lines of a group below the title at most one in so many tells something in sentences.
const TOLD_MIN: usize = 4;
/// The most weight of a name,
const NAME_WEIGHT_MAX: u32 = 45;
/// and of a row. A longer one is a text.
const ROW_WEIGHT_MAX: u32 = 250;

/// Keeps the runs of a product's attributes, except those that a rule has dropped.
pub(super) fn keep(flat: &FlatDom<'_>, survey: &Survey, probability: &[f32], main: &mut [bool]) {
    keep_groups(flat, survey, probability, main, |at, _, _| {
        !is_table(flat, at) && !is_in_other_part(flat, at)
    });
}

/// Keeps the attributes of what another page is about: an event's place and hour, a certificate's number. They stand
/// beside its text, and each value is short; with a long text they say little that it does not. `below_title` are the runs
/// between the title and the text.
pub(super) fn keep_beside_text(
    flat: &FlatDom<'_>,
    survey: &Survey,
    below_title: &Range<usize>,
    probability: &[f32],
    main: &mut [bool],
) {
    let kept = |main: &[bool]| -> u32 {
        let runs = flat.runs.iter().zip(main).filter(|(_, kept)| **kept);
        runs.map(|(run, _)| run.counts.weight).sum()
    };
    let text = kept(main);
    let groups = keep_groups(flat, survey, probability, main, |at, names, main| {
        let group = &flat.elements[at as usize];
        let runs = group.first_run as usize..group.end_run as usize;
        let told = runs.clone().filter(|&run| tells(&survey.texts[run]));
        let told = told.count();
        // A box of facts may be headed with the title again.
        let begins = match is_boxed(flat, at) {
            true => runs.end.saturating_sub(1),
            false => runs.start,
        };
        let is_below_title = below_title.start <= begins && runs.end <= below_title.end;
        let is_of_title =
            is_below_title && told * TOLD_MIN <= runs.len() && !is_elsewhere(flat, at, main);
        let is_of_text = || {
            told == 0
                && !is_table(flat, at)
                && group.counts.weight * TEXT_TIMES_MAX >= text
                && is_beside_text(flat, at, main)
        };
        (is_of_title || is_of_text()) && !is_of_the_page(flat, survey, at, names)
    });
    let is_below_title = |runs: &Range<usize>| runs.end <= below_title.end;
    let last = groups.into_iter().rfind(is_below_title);
    let told = below_title.start..last.map_or(0, |runs| runs.start);
    standfirst::keep(flat, survey, told, probability, main);
}

fn is_table(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    flat.elements[at as usize].tag == Tag::Table
}

/// The runs between the heading that is the page's title and the first kept prose. Where no heading is all of it, the
/// longest that shares its words.
pub(super) fn below_title(
    flat: &FlatDom<'_>,
    survey: &Survey,
    title: Option<&str>,
    main: &[bool],
) -> Range<usize> {
    let text = (0..main.len()).find(|&run| main[run] && is_prose(&flat.runs[run]));
    let (title, text) = (title.map(letters).unwrap_or_default(), text.unwrap_or(0));
    let headings = flat.elements.iter().enumerate().filter(|(_, element)| {
        let is_above = element.counts.chars > 0 && element.end_run as usize <= text;
        is_above && element.tag.heading_level().is_some()
    });
    let likeness = |at: usize| {
        let heading = letters(&element_text(flat, survey, at as ElementIndex));
        let is_part = title.contains(&heading) || heading.contains(&title);
        let is_like = !heading.is_empty() && !title.is_empty() && is_part;
        is_like.then_some((heading == title, heading.len()))
    };
    let alike = headings.filter_map(|(at, heading)| Some((likeness(at)?, heading.end_run)));
    match alike.max() {
        Some((_, end)) => end as usize..text,
        None => 0..0,
    }
}

/// Whether a line has the end of a sentence: a point in a number or in a name is none.
fn tells(line: &str) -> bool {
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        let ends = match char {
            '.' | '!' | '?' => chars.peek().is_none_or(|next| next.is_whitespace()),
            _ => matches!(char, '。' | '！' | '？' | '…' | '．' | '｡'),
        };
        if ends {
            return true;
        }
    }
    false
}

fn keep_groups(
    flat: &FlatDom<'_>,
    survey: &Survey,
    probability: &[f32],
    main: &mut [bool],
    is_wanted: impl Fn(ElementIndex, &[String], &[bool]) -> bool,
) -> Vec<Range<usize>> {
    let (mut at, mut figures, mut kept) = (0, None, Vec::new());
    while let Some(element) = flat.elements.get(at) {
        let index = at as ElementIndex;
        let names = names_of_group(flat, survey, index, &mut figures);
        if !names.is_some_and(|names| is_wanted(index, &names, main)) {
            at += 1;
            continue;
        }
        let runs = element.first_run as usize..(element.end_run as usize).min(main.len());
        kept.push(runs.clone());
        for run in runs {
            // Names in a form that asks for nothing are labels, as buttons are.
            let is_label = flat.elements[flat.runs[run].owner as usize].tag == Tag::Label;
            main[run] |= probability[run] > 0.0 || is_label;
        }
        at = element.end as usize;
    }
    kept
}

/// Whether half of the rows of a group are about the page itself: who wrote it, when, how many read it, where to share
/// it.
fn is_of_the_page(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex, names: &[String]) -> bool {
    const OF_PAGE: [Marker; 4] = [Marker::Byline, Marker::Credit, Marker::Date, Marker::Share];
    const NAMES: [&str; 22] = [
        "来源", "时间", "日期", "浏览", "阅读", "点击", "评论", "回复", "栏目", "分类", "标签",
        "date", "source", "views", "reads", "comments", "replies", "posts", "joined", "tags",
        "categor", "language",
    ];
    let lines = lines(flat, survey, at);
    let is_of_page = |line: &&Markers| OF_PAGE.iter().any(|&marker| line.has(marker));
    let is_name_of_page = |name: &&String| {
        let name = name.to_lowercase();
        NAMES.iter().any(|known| name.starts_with(known))
    };
    let by_lines = lines.iter().filter(is_of_page).count();
    let by_names = names.iter().filter(is_name_of_page).count();
    by_lines.max(by_names) * 2 >= names.len()
}

/// The names in an element that is a group of attributes.
fn names_of_group(
    flat: &FlatDom<'_>,
    survey: &Survey,
    at: ElementIndex,
    figures: &mut Option<(Range<u32>, bool)>,
) -> Option<Vec<String>> {
    let element = &flat.elements[at as usize];
    let runs = element.end_run.saturating_sub(element.first_run);
    // The lines of a paragraph are one run.
    let is_large =
        element.counts.weight > ROW_WEIGHT_MAX * ROWS_MAX as u32 || runs > 2 * ROWS_MAX as u32;
    if element.counts.weight == 0 || is_large {
        return None;
    }
    let names = match element.tag {
        Tag::P => names_of_lines(flat, survey, at),
        Tag::Div if holds_lines(flat, at) => names_of_lines(flat, survey, at),
        Tag::Dl => names_of_terms(flat, at).or_else(|| names_of_rows(flat, survey, at)),
        Tag::Table => names_of_cells(flat, at),
        _ => names_of_rows(flat, survey, at),
    };
    let names = names.filter(|names| are_distinct(names))?;
    let is_group = share(element.link_weight, element.counts.weight, 1.0) <= LINKS_MAX
        && !are_of_figures(flat, survey, at, figures);
    is_group.then_some(names)
}

/// As [`is_of_figures`], which is asked once for all elements in the same runs: thousands may stand in one.
fn are_of_figures(
    flat: &FlatDom<'_>,
    survey: &Survey,
    at: ElementIndex,
    last: &mut Option<(Range<u32>, bool)>,
) -> bool {
    let element = &flat.elements[at as usize];
    let runs = element.first_run..element.end_run;
    match last {
        Some((of, answer)) if *of == runs => *answer,
        _ => {
            let answer = is_of_figures(flat, survey, at);
            *last = Some((runs, answer));
            answer
        }
    }
}

/// Whether most lines of a group have a price or a time: the currencies of a shop, or its hours.
fn is_of_figures(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> bool {
    let lines = lines(flat, survey, at);
    let is_figure = |line: &&Markers| line.has(Marker::Price) || line.has(Marker::Date);
    lines.iter().filter(is_figure).count() * 2 > lines.len()
}

/// The markers of the lines in an element.
fn lines(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> Vec<Markers> {
    let element = &flat.elements[at as usize];
    let mut lower = String::new();
    let mut lines = Vec::new();
    for run in element.first_run as usize..(element.end_run as usize).min(survey.texts.len()) {
        match survey.texts[run].contains('\n') {
            true => lines.extend(
                survey.texts[run]
                    .lines()
                    .map(|line| Markers::of(line, &mut lower)),
            ),
            false => lines.push(survey.markers[run]),
        }
    }
    lines
}

/// Attributes have each their own name; ratings and prices repeat one.
fn are_distinct(names: &[String]) -> bool {
    let count = names.len();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    count >= ROWS_MIN && names.len() * 10 >= count * 9
}

/// The child elements that hold text.
fn rows<'f>(
    flat: &'f FlatDom<'_>,
    at: ElementIndex,
) -> impl Iterator<Item = ElementIndex> + use<'f> {
    let children = flat.children(at);
    children.filter(|&child| flat.elements[child as usize].counts.chars > 0)
}

/// The names in rows that are alike, four of five of them or more a name with its value.
fn names_of_rows(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> Option<Vec<String>> {
    let (mut count, mut weight, mut names) = (0, 0, Vec::new());
    let mut shapes: Option<(u32, u32)> = None;
    let is_boxed = is_boxed(flat, at);
    for row in rows(flat, at) {
        let element = &flat.elements[row as usize];
        weight += element.counts.weight;
        // What a box of facts is headed with, and its picture.
        if is_boxed && (element.tag.heading_level().is_some() || element.tag == Tag::Figure) {
            continue;
        }
        count += 1;
        if count > ROWS_MAX || !matches!(element.tag, Tag::Li | Tag::Div | Tag::P | Tag::Dl) {
            return None;
        }
        if let Some((name, shape)) = name_of_row(flat, survey, row, is_boxed) {
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
fn name_of_row(
    flat: &FlatDom<'_>,
    survey: &Survey,
    row: ElementIndex,
    is_boxed: bool,
) -> Option<(String, u32)> {
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
    let may_name = is_boxed || part.tag.heading_level().is_none();
    let is_name = part.counts.weight <= NAME_WEIGHT_MAX && may_name;
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

/// The names in a table whose rows are a name and a value each, or two of them. Rows of one cell are titles and pictures.
fn names_of_cells(flat: &FlatDom<'_>, at: ElementIndex) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let is_body = |at: &ElementIndex| flat.elements[*at as usize].tag == Tag::Tbody;
    let parts = rows(flat, at).flat_map(|part| match is_body(&part) {
        true => rows(flat, part).collect(),
        false => vec![part],
    });
    for row in parts {
        let cells: Vec<ElementIndex> = rows(flat, row).take(5).collect();
        if flat.elements[row as usize].tag != Tag::Tr || cells.len() > 4 {
            return None;
        }
        for pair in cells.chunks(2).filter(|_| cells.len() > 1) {
            let [name, value] = pair
                .iter()
                .map(|&cell| &flat.elements[cell as usize])
                .collect::<Vec<_>>()[..]
            else {
                return None;
            };
            let is_pair = name.counts.weight <= NAME_WEIGHT_MAX
                && value.counts.weight <= ROW_WEIGHT_MAX
                && name.end_run == name.first_run + 1
                && matches!(name.tag, Tag::Th | Tag::Td);
            let run = flat.runs.get(name.first_run as usize)?;
            names.push(is_pair.then(|| flat.run_text(run))?);
        }
    }
    Some(names)
}

/// Whether all text of an element is in lines of its own.
fn holds_lines(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let element = &flat.elements[at as usize];
    (element.first_run..element.end_run).all(|run| {
        let run = flat.runs.get(run as usize);
        run.is_some_and(|run| run.owner == at)
    })
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

    #[track_caller]
    fn check_beside_text(page: &str, is_kept: bool) {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        let mut main: Vec<bool> = flat.runs.iter().map(is_prose).collect();
        let before = main.iter().filter(|&&kept| kept).count();
        let probability = vec![0.1; main.len()];
        let title = Some(flat.title.as_str());
        let survey = Survey::of(&flat);
        let below = below_title(&flat, &survey, title, &main);
        keep_beside_text(&flat, &survey, &below, &probability, &mut main);
        let added = main.iter().filter(|&&kept| kept).count() - before;
        assert_eq!(added > 0, is_kept, "{page} {main:?}");
        let from = usize::from(page.contains("<h1>"));
        assert!(
            !is_kept || main[from..].iter().all(|&kept| kept),
            "{page} {main:?}"
        );
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
        let titled = |box_: &str, text: &str| {
            format!(
                "<title>The hall - Town</title><main><h1>The hall</h1>{box_}<div>{text}</div></main>"
            )
        };
        let table = "<table><tr><th colspan=2>Hall</th></tr><tr><th>Seats</th><td>600.5</td></tr><tr><th>Built</th>\
            <td>brick</td></tr><tr><th>Keeper</th><td>Anna Weaver</td></tr></table>";
        let lines = "<div><span>Seats</span>: 600.5<br><span>Entry</span>: $4<br><span>Built</span>: brick</div>";
        let dated_lines = "<div>Source: Post<br>Date: May 3, 2021<br>Views: 31</div>";
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
            (
                titled(&format!("<div><div>{rows}</div></div>"), &long),
                true,
            ),
            (
                titled(&format!("<div><div>{dated}</div></div>"), &long),
                false,
            ),
            (
                titled(&format!("<aside><div>{rows}</div></aside>"), &long),
                false,
            ),
            (titled(table, &long), true),
            (titled(lines, &long), true),
            (titled(dated_lines, &long), false),
            (titled(&table.replace("<tr>", "<tr><td>7"), &long), false),
            (format!("<main>{long}{table}</main>"), false),
        ] {
            check_beside_text(&page, is_kept);
        }
    }

    #[test]
    fn what_stands_below_the_title_begins_at_the_heading_that_is_the_title() {
        let prose = "<p>The hall was built of brick, on the bank of the river, and rebuilt after the great flood.";
        let below = |body: &str, title: Option<&str>| {
            let html = format!("<title>The town hall - Town</title>{body}{prose}");
            let html = scraper::Html::parse_document(&html);
            let flat = FlatDom::of(&html);
            let main: Vec<bool> = flat.runs.iter().map(is_prose).collect();
            below_title(&flat, &Survey::of(&flat), title, &main)
        };
        let title = Some("The town hall");
        // A heading that <title> has somewhere hid what stands above it.
        let section = "<h1>The town hall</h1><p>600 seats</p><h2>Town</h2>";
        assert_eq!(below(section, title), 1..3);
        let site = "<h1>Town</h1><p>Menu</p><h1>The <i>town</i> hall</h1><p>600 seats</p>";
        assert_eq!(below(site, title), 3..4);
        // Where it is a part of the title, or the other way round.
        assert_eq!(below(section, Some("The town hall of Marsh")), 1..3);
        assert_eq!(below(section, Some("town hall")), 1..3);
        assert_eq!(below(section, Some("The mill")), 0..0);
        assert_eq!(below(section, None), 0..0);
    }
}
