//! Rows of facts: a line with the words of a label that stands among lines of its own form.
//!
//! "Source: the parish register" below a text says where that comes from. Between "Place: …" and "Year: …" it
//! is one fact of three. So is the link "Order of Malta" no button between the links "Knights Templar" and "Teutonic
//! Knights". What a line is shows in the lines around it: where those before and after it have its form
//! and are content, it is content with them.
//!
//! Cost: one look at each run.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::survey::Survey;
use crate::tag::Tag;

/// The most characters of a label before its colon.
const LABEL_CHARS_MAX: usize = 30;

/// The form of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A label, a colon and a value.
    Labelled,
    /// An item that is a link.
    Linked,
}

/// A run that is one of its element's children by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Row {
    form: Form,
    parent: ElementIndex,
    tag: Tag,
}

impl Row {
    fn of(flat: &FlatDom<'_>, survey: &Survey, run: usize) -> Option<Row> {
        // The outermost element that holds this run alone.
        let is_alone = |&at: &ElementIndex| {
            let element = &flat.elements[at as usize];
            element.first_run as usize == run && element.end_run as usize == run + 1
        };
        let alone = flat.ancestors(flat.runs[run].owner).take_while(is_alone);
        let own = &flat.elements[alone.last()? as usize];
        let links = flat.runs[run].link_weight * 10 >= flat.runs[run].counts.weight * 6;
        let form = match is_labelled(&survey.texts[run]) {
            true => Form::Labelled,
            false if links && own.tag == Tag::Li => Form::Linked,
            false => return None,
        };
        let has_parent = own.parent != NO_ELEMENT && own.tag.heading_level().is_none();
        has_parent.then_some(Row {
            form,
            parent: own.parent,
            tag: own.tag,
        })
    }
}

/// Whether a line is a label, a colon and a value.
fn is_labelled(line: &str) -> bool {
    let mut chars = line.char_indices().take(LABEL_CHARS_MAX + 1);
    let Some((colon, sign)) = chars.find(|(_, char)| matches!(char, ':' | '：')) else {
        return false;
    };
    let (label, value) = (&line[..colon], &line[colon + sign.len_utf8()..]);
    let is_told = label.contains(['.', '!', '?', ',', ';', '。', '，', '；']);
    let is_digit = |char: char| char.is_ascii_digit();
    let is_address = value.starts_with('/');
    let is_hour = label.ends_with(is_digit) && value.starts_with(is_digit);
    let is_other = is_told || is_address || is_hour;
    !is_other && label.starts_with(char::is_alphabetic) && value.contains(char::is_alphanumeric)
}

/// The `doubted` lines that stand among kept ones of their form, and the least probability of the two nearest.
///
/// The first of the rows, and in a list the last, have rows on one side only: there it takes two, and all are to be
/// kept. What stands last below a text is a credit.
pub(super) fn among_kept(
    flat: &FlatDom<'_>,
    survey: &Survey,
    kept: &[bool],
    doubted: &[bool],
    probability: &[f32],
) -> FxHashMap<usize, f32> {
    let mut spared = FxHashMap::default();
    let mut run = 0;
    while run < doubted.len() {
        // Groups are sought only where a line is doubted; each is passed over once.
        let Some(row) = doubted[run].then(|| Row::of(flat, survey, run)).flatten() else {
            run += 1;
            continue;
        };
        let alike = |&at: &usize| Row::of(flat, survey, at) == Some(row);
        let after = (run + 1..doubted.len()).take_while(alike).count();
        let before = (0..run).rev().take_while(alike).count();
        spare(
            &flat.elements[row.parent as usize].tag,
            run - before..run + after + 1,
            (kept, doubted, probability),
            &mut spared,
        );
        run += after + 1;
    }
    spared
}

fn spare(
    parent: &Tag,
    group: Range<usize>,
    (kept, doubted, probability): (&[bool], &[bool], &[f32]),
    spared: &mut FxHashMap<usize, f32>,
) {
    let rows: Vec<usize> = group.clone().filter(|&run| !doubted[run]).collect();
    let is_list = matches!(parent, Tag::Ul | Tag::Ol | Tag::Dl);
    let all_kept = rows.len() >= 2 && rows.iter().all(|&run| kept[run]);
    let mut next: usize = 0;
    for run in group {
        if !doubted[run] {
            next += 1;
            continue;
        }
        let before = next.checked_sub(1).map(|at| rows[at]);
        let after = rows.get(next).copied();
        let of_rows = match (before, after) {
            (Some(before), Some(after)) if kept[before] && kept[after] => {
                probability[before].min(probability[after])
            }
            (None, Some(after)) if all_kept => probability[after],
            (Some(before), None) if all_kept && is_list => probability[before],
            _ => continue,
        };
        spared.insert(run, of_rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_labelled_line_has_a_short_label_and_a_value() {
        for line in [
            "Source: register",
            "作者：王小山",
            "Built in: 1874",
            "Räume:12",
        ] {
            assert!(is_labelled(line), "{line}");
        }
        for line in [
            "",
            "Source:",
            ": register",
            "https://mill.example/",
            "at 10:30",
            "It was late, he said: go home",
            "A sentence that is longer than any label of a fact: no",
        ] {
            assert!(!is_labelled(line), "{line}");
        }
    }

    /// The doubted lines of a page that are spared, when all but those with `?` are kept.
    fn spared(page: &str, doubted: &[&str]) -> Vec<String> {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let texts = &survey.texts;
        let kept: Vec<bool> = texts.iter().map(|text| !text.contains('?')).collect();
        let begins = |text: &String| doubted.iter().any(|doubt| text.starts_with(doubt));
        let doubted: Vec<bool> = texts.iter().map(begins).collect();
        let probability: Vec<f32> = kept
            .iter()
            .map(|&kept| if kept { 0.8 } else { 0.1 })
            .collect();
        let spared = among_kept(&flat, &survey, &kept, &doubted, &probability);
        let mut runs: Vec<usize> = spared.into_keys().collect();
        runs.sort_unstable();
        runs.into_iter().map(|run| texts[run].clone()).collect()
    }

    #[test]
    fn a_fact_among_facts_is_spared_and_a_credit_is_not() {
        let rows = |tag: &str, lines: &[&str]| -> String {
            let row = |line: &&str| format!("<{tag}>{line}</{tag}>");
            lines.iter().map(row).collect()
        };
        let facts = [
            "Built: 1874",
            "Source: register",
            "Photo: one",
            "Rooms: ten",
        ];
        let both = ["Source: register", "Photo: one"];
        let doubted = ["Source", "Photo", "Order"];
        assert_eq!(spared(&rows("p", &facts), &doubted), both);
        assert_eq!(
            spared(&format!("<ul>{}</ul>", rows("li", &facts)), &doubted),
            both
        );
        let bold = facts.map(|line| format!("<b>{}</b>", line.replace(": ", ":</b> <b>")));
        let bold = bold
            .iter()
            .map(|line| format!("<li>{line}"))
            .collect::<String>();
        assert_eq!(spared(&format!("<ul>{bold}</ul>"), &doubted), both);
        // At an end.
        let ends = ["Source: a", "Built: 1874", "Rooms: ten", "Photo: b"];
        assert_eq!(
            spared(&format!("<ul>{}</ul>", rows("li", &ends)), &doubted).len(),
            2
        );
        assert_eq!(spared(&rows("p", &ends), &doubted), ["Source: a"]);
        // What stands around it is dropped, has another form, or stands elsewhere.
        for page in [
            rows("p", &["Built: ?", "Source: a", "Rooms: ten"]),
            rows(
                "p",
                &[
                    "The mill was built in 1874.",
                    "Source: a",
                    "It has ten rooms.",
                ],
            ),
            format!(
                "<div>{}</div><p>Source: a</p><p>Rooms: ten</p>",
                rows("p", &facts[..1])
            ),
            rows("p", &["Source: a", "Photo: b"]),
            "<h2>Built: 1</h2><h2>Source: a</h2><h2>Rooms: 2</h2>".to_owned(),
        ] {
            assert!(spared(&page, &doubted).is_empty(), "{page}");
        }
    }

    #[test]
    fn a_link_among_links_of_its_list_is_spared() {
        let item = |name: &str| format!("<li><a href=/x>{name}</a></li>");
        let list = |names: [&str; 3]| format!("<ul>{}</ul>", names.map(item).concat());
        let doubted = ["Order"];
        let spared_of = |names| spared(&list(names), &doubted);
        assert_eq!(
            spared_of(["Knights", "Order of Malta", "Abbeys"]),
            ["Order of Malta"]
        );
        assert!(spared_of(["Knights?", "Order now", "Abbeys"]).is_empty());
        assert!(
            spared(
                "<p><a href=/>Knights</a><p><a href=/>Order now</a><p><a href=/>Abbeys</a>",
                &doubted
            )
            .is_empty()
        );
    }
}
