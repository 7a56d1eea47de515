//! The last lines of a text that are made otherwise than its paragraphs: who signs it and when, whom to ask.
//!
//! To the forests a short line is content by what it is like and what stands around it. A notice ends with its office
//! and its day, set to the right or in a plain element where the paragraphs have one of their own, and behind them is
//! nothing:
//!
//! ```text
//!   <div>
//!     <p><span> a paragraph      chosen
//!     <p><span> a paragraph      chosen
//!     <p> Office of Roads        last lines
//!     <p> 4 May 2020
//!   </div>
//! ```
//!
//! So lines without links and without the marks of boilerplate that follow the last chosen one in the text's own
//! element belong to it, if nothing stands behind them there but labels and other parts of the page: behind a list of
//! links they may be anything. That element is the innermost around the last chosen paragraph that has half of the
//! chosen prose or more. A heading with nothing below it ends no text, nor does a line that ends in a colon.
//!
//! Programs put lines there as well: how often a page was read, how many like it. They stand in an element with a name
//! that no paragraph has, where those of a writer have none, and are set to the right or tell a day or whom to call
//! where they have one. A line that does neither is kept only with one of those behind it. A number with a word or two
//! counts something, if it is none to call.

use std::collections::HashSet;
use std::ops::Range;

use html5ever::local_name;

use crate::char_counts::is_cjk;
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;

use super::attachments;
use super::endings::is_named_otherwise;
use super::listings::{NO_LEAD, is_running_text};

/// Marks of lines that are no text of the page, beside those of what leads to no text.
const NO_TEXT: [Marker; 2] = [Marker::More, Marker::Count];

/// Keeps the last lines of a text. Runs that a rule has dropped stay so.
pub(super) fn keep(
    flat: &FlatDom<'_>,
    survey: &Survey,
    page_type: &PageType,
    probability: &[f32],
    main: &mut [bool],
) {
    if !is_running_text(page_type) {
        return;
    }
    let Some(text) = own_element(flat, main) else {
        return;
    };
    let runs = runs_of(&flat.elements[text as usize], main.len());
    let Some(last) = runs.clone().rfind(|&run| main[run]) else {
        return;
    };
    let page = Page {
        flat,
        survey,
        probability,
        text,
    };
    let begin = last + 1;
    let mut end = begin
        + (begin..runs.end)
            .take_while(|&run| page.is_line(run))
            .count();
    if !(end..runs.end).all(|run| page.is_beside(run)) {
        return;
    }
    let names = page.names_of_paragraphs(main, begin);
    while end > begin && (page.leads(end - 1) || !page.is_written(end - 1, &names)) {
        end -= 1;
    }
    let weight: u32 = flat.runs[begin..end]
        .iter()
        .map(|line| line.counts.weight)
        .sum();
    if weight < chosen_prose(flat, main, runs) {
        main[begin..end].fill(true);
    }
}

/// A page with the element of its text.
struct Page<'p, 'd> {
    flat: &'p FlatDom<'d>,
    survey: &'p Survey,
    probability: &'p [f32],
    text: ElementIndex,
}

impl Page<'_, '_> {
    /// Whether a run may be a line of the text: words that are no link but to a file, nor an address written out.
    fn is_line(&self, run: usize) -> bool {
        let text = self.survey.texts[run].as_str();
        let is_linked = self.flat.runs[run].link_weight > 0;
        self.has_words(run)
            && !self.is_marked(run)
            && !self.is_in_other_part(run)
            && !text.starts_with("http")
            && (!is_linked || attachments::is_of_files(self.flat, run))
    }

    /// Whether a run is a label, or stands in another part of the page.
    fn is_beside(&self, run: usize) -> bool {
        !self.has_words(run) || self.is_marked(run) || self.is_in_other_part(run)
    }

    fn has_words(&self, run: usize) -> bool {
        self.probability[run] > 0.0 && self.survey.texts[run].contains(char::is_alphanumeric)
    }

    fn is_marked(&self, run: usize) -> bool {
        let markers = self.survey.markers[run];
        let mut marks = NO_LEAD.iter().chain(&NO_TEXT);
        marks.any(|&mark| markers.has(mark))
    }

    fn is_in_other_part(&self, run: usize) -> bool {
        let is_other =
            |element: &FlatElement<'_>| element.tag == Tag::Pre || is_named_otherwise(element);
        self.within(run).any(is_other)
    }

    /// The classes of the chosen paragraphs, and of what stands around them in the text's element.
    fn names_of_paragraphs(&self, main: &[bool], end: usize) -> HashSet<&str> {
        let first = self.flat.elements[self.text as usize].first_run as usize;
        let chosen = (first..end).filter(|&run| main[run]);
        let elements = chosen.flat_map(|run| self.within(run));
        elements.filter_map(class_of).collect()
    }

    /// Whether a writer has put a line below the text, and no program.
    fn is_written(&self, run: usize, names: &HashSet<&str>) -> bool {
        let is_program = |element: &FlatElement<'_>| {
            let is_known = |class: &str| names.contains(class);
            let is_named = element.element.attribute(&local_name!("id")).is_some()
                || class_of(element).is_some_and(|class| !is_known(class));
            is_named && element.tag != Tag::P
        };
        let text = &self.survey.texts[run];
        let is_of_contact = names_contact(text);
        (is_of_contact || !is_count(text))
            && (!self.within(run).any(is_program)
                || is_of_contact
                || self.survey.has_date(run)
                || self.within(run).any(is_set_right))
    }

    /// The elements around a run in the text's one.
    fn within(&self, run: usize) -> impl Iterator<Item = &FlatElement<'_>> {
        let around = self.flat.ancestors(self.flat.runs[run].owner);
        let within = around.take_while(|&at| at != self.text);
        within.map(|at| &self.flat.elements[at as usize])
    }

    /// Whether a line is nothing without one behind it.
    fn leads(&self, run: usize) -> bool {
        let owner = &self.flat.elements[self.flat.runs[run].owner as usize];
        owner.tag.heading_level().is_some() || self.survey.texts[run].ends_with([':', '：'])
    }
}

fn class_of<'e>(element: &FlatElement<'e>) -> Option<&'e str> {
    let class = element.element.attribute(&local_name!("class"))?;
    Some(class.trim()).filter(|class| !class.is_empty())
}

/// Whether an element is set to the right, as a signature is.
fn is_set_right(element: &FlatElement<'_>) -> bool {
    let is_right = |value: &str| {
        let mut words = value.split(|char: char| !char.is_ascii_alphabetic());
        words.any(|word| word.eq_ignore_ascii_case("right") || word.eq_ignore_ascii_case("end"))
    };
    let align = element.element.attribute(&local_name!("align"));
    let style = element.element.attribute(&local_name!("style"));
    let mut rules = style.unwrap_or_default().split(';');
    align.is_some_and(is_right) || rules.any(|rule| rule.contains("text-align") && is_right(rule))
}

/// Whether a line tells how to reach somebody: a mail address, or a word for the telephone.
fn names_contact(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "tel",
        "phone",
        "fax",
        "mobile",
        "hotline",
        "téléphone",
        "тел",
        "факс",
        "电话",
        "電話",
        "传真",
        "手机",
        "邮编",
        "전화",
    ];
    let lower = text.to_lowercase();
    let starts = |word: &&str| {
        let mut places = lower.match_indices(*word);
        places.any(|(at, _)| {
            !lower[..at].ends_with(|char: char| char.is_alphabetic() && !is_cjk(char))
        })
    };
    text.contains('@') || text.contains(char::is_numeric) && WORDS.iter().any(starts)
}

/// Whether a line counts something: one number below a million, with a word or two.
fn is_count(text: &str) -> bool {
    const DIGITS_MAX: usize = 6;
    let is_of_number = |char: char| char.is_numeric() || matches!(char, ',' | '.' | '/' | ' ');
    let mut numbers = text
        .split(|char: char| !char.is_numeric() && !matches!(char, ',' | '.'))
        .filter(|part| part.contains(char::is_numeric));
    let (Some(number), None) = (numbers.next(), numbers.next()) else {
        return false;
    };
    if text.ends_with(['.', '。', '!', '?', '！', '？']) {
        return false;
    }
    let words = text
        .split(is_of_number)
        .filter(|word| word.contains(char::is_alphabetic));
    let (mut others, mut wide) = (0, 0);
    for word in words {
        others += 1;
        wide += word.chars().filter(|&char| is_cjk(char)).count();
    }
    number.chars().filter(|char| char.is_numeric()).count() <= DIGITS_MAX
        && others <= 2
        && wide <= 6
}

/// The innermost element around the last chosen paragraph that has half of the chosen prose.
pub(super) fn own_element(flat: &FlatDom<'_>, main: &[bool]) -> Option<ElementIndex> {
    let is_chosen = |&run: &usize| main[run] && is_prose(&flat.runs[run]);
    let last = (0..main.len()).rfind(is_chosen)?;
    let all = chosen_prose(flat, main, 0..main.len());
    let owner = flat.runs[last].owner;
    let FlatElement { parent, .. } = flat.elements[owner as usize];
    let is_paragraph = runs_of(&flat.elements[owner as usize], main.len()).len() == 1;
    let mut around = flat.ancestors(if is_paragraph { parent } else { owner });
    around.find(|&at| {
        let runs = runs_of(&flat.elements[at as usize], main.len());
        chosen_prose(flat, main, runs) * 2 >= all
    })
}

fn chosen_prose(flat: &FlatDom<'_>, main: &[bool], runs: Range<usize>) -> u32 {
    let chosen = runs.filter(|&run| main[run] && is_prose(&flat.runs[run]));
    chosen.map(|run| flat.runs[run].counts.weight).sum()
}

fn runs_of(element: &FlatElement<'_>, end: usize) -> Range<usize> {
    element.first_run as usize..(element.end_run as usize).min(end)
}

#[cfg(test)]
mod tests {
    use super::super::kept_texts::kept_texts;
    use super::*;

    /// The texts that are kept where those with a comma were chosen.
    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        let is_chosen =
            |_: &FlatDom<'_>, survey: &Survey, run: usize| survey.texts[run].contains(',');
        let kept = kept_texts(page, is_chosen, |flat, survey, probability, main| {
            keep(flat, survey, &PageType::Article, probability, main);
        });
        assert_eq!(kept, expected, "{page}");
    }

    const TEXT: &str = "The mill, which stood at the harbour, was taken down and built again by its owners, who grind rye in it.";
    const SIGNED: [&str; 3] = [TEXT, "Office of Roads", "4 May 2020"];

    #[test]
    fn lines_that_are_made_otherwise_than_the_paragraphs_end_a_text() {
        for lines in [
            "<p class=c2>Office of Roads</p><p class=c2>4 May 2020</p>",
            "<div>Office of Roads</div><div>4 May 2020</div>",
            "<section>Office of Roads<section>4 May 2020</section></section>",
            "<div class=sign>Office of Roads</div><div class=sign>4 May 2020</div>",
            "<section class=s1 style='text-align: right'><p>Office of Roads</p><p>4 May 2020</p></section>",
            "<p>Office of Roads</p>4 May 2020<p>责任编辑：李四</p><div class=share>微信 <a href=/w>Send</a></div>",
        ] {
            for text in [
                format!("<p><span>{TEXT}</span></p>"),
                format!("{TEXT}<br><br>"),
            ] {
                check(
                    &format!("<h1>Mill</h1><div>{text}{lines}</div><p>Behind it"),
                    &SIGNED,
                );
            }
        }
    }

    #[test]
    fn other_lines_do_not_end_a_text() {
        for lines in [
            "<p><a href=/x>Office of Roads</a></p>",
            "<p>Office of Roads</p><ul><li><a href=/x>The lock of the harbour</a></ul>",
            "<p>Share this page</p><p>Office of Roads</p>",
            "<div class=author>Office of Roads</div>",
            "<h3>Useful resources</h3>",
            "<p>Stay with us:</p>",
            "<p>https://a.example/mill</p>",
            "<p>***</p>",
            "<pre>mill = 1</pre>",
            "<div class=post-views>Office of Roads</div>",
            "<div class=tail><p class=x><span id=hits>Office</span> of Roads</p></div>",
            "<p>Hits: 1234</p>",
            "<p>字数：1234</p>",
        ] {
            check(&format!("<div><p>{TEXT}</p>{lines}</div>"), &[TEXT]);
        }
        check(
            &format!("<div><div><p>{TEXT}</p></div><p>Behind it</div>"),
            &[TEXT],
        );
    }

    #[test]
    fn whom_to_call_is_told_from_what_is_counted() {
        for line in [
            "Phone 8246",
            "电话：872199",
            "Tel. 0532 81234",
            "ann@a.example",
        ] {
            assert!(names_contact(line), "{line}");
        }
        for line in ["Hits: 1234", "Hotel 12", "Write to us by phone"] {
            assert!(!names_contact(line), "{line}");
        }
        for line in ["Hits: 1,234", "1234 reads", "字数：1234"] {
            assert!(is_count(line), "{line}");
        }
        for line in [
            "4 May 2020",
            "Office of Roads",
            "It turned 3 times.",
            "电话：053281234567",
        ] {
            assert!(!is_count(line), "{line}");
        }
    }
}
