//! Text of an article that stands in the controls of a form: questions that unfold, answers to choose from.
//!
//! The label of a button is boilerplate, so it is dropped whatever the forests say. But the heads of an
//! accordion are buttons too (Bootstrap 5, the WAI-ARIA pattern), and what a quiz asks for stands in labels:
//! without them answers stand without questions, and the pages of a quiz are copies of each other.
//!
//! A button or the label of a checkbox is a head where chosen text follows right behind it and it says that
//! it unfolds something, or stands in a heading, or is one of three or more buttons alike that have each other
//! words and a text behind them. Labels of radio buttons and checkboxes are content where
//! several stand amid the chosen text with nothing but their legends and buttons between, or under a legend
//! that was chosen. Forms for searching, filtering, signing in and subscribing stand beside the text or
//! have fields of other kinds.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::class_hints::{Hint, Hints, OTHER_PARTS};
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, Traits};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::survey::Survey;
use crate::tag::Tag;

use super::listings::is_running_text;

/// The most weight of a question or an answer.
const WEIGHT_MAX: u32 = 400;
/// Levels from a line to the control that it stands in, and from there to a heading.
const LEVELS: usize = 4;
/// The least words of a head that does not stand in a heading: "Read more" and "Show all" are none.
const HEAD_WORDS_MIN: u32 = 3;
/// The most lines of a form between two chosen ones.
const FORM_RUNS_MAX: usize = 60;

/// Names of elements in which a control is not the article's. Choices stand in forms.
const OTHERS: Hints = OTHER_PARTS.without(&[Hint::Form]);

/// Keeps heads of what unfolds, and choices.
pub(super) fn keep(flat: &FlatDom<'_>, survey: &Survey, page_type: &PageType, main: &mut [bool]) {
    let is_control = |element: &FlatElement<'_>| matches!(element.tag, Tag::Button | Tag::Label);
    let may_ask = is_running_text(page_type) || *page_type == PageType::Forum;
    if !may_ask || !flat.elements.iter().any(is_control) {
        return;
    }
    let mut at = 0;
    while at < main.len() {
        if main[at] {
            at += 1;
            continue;
        }
        let end = (at..main.len())
            .find(|&run| main[run])
            .unwrap_or(main.len());
        if let Some(form) = form(flat, main, at..end) {
            keep_choices(flat, survey, form, main);
        }
        at = end;
    }
    let heads: Vec<Head> = (0..main.len().saturating_sub(1))
        .filter(|&run| !main[run] && main[run + 1])
        .filter_map(|run| head(flat, survey, run))
        .collect();
    let alike = Alike::of(flat, survey, &heads);
    for head in &heads {
        main[head.run] |= head.is_told || alike.are_many(flat, head);
    }
}

/// A line that may be the head of the text behind it.
struct Head {
    run: usize,
    control: ElementIndex,
    /// It says so itself.
    is_told: bool,
}

impl Head {
    fn is_button(&self, flat: &FlatDom<'_>) -> bool {
        flat.elements[self.control as usize].tag == Tag::Button
    }
}

/// The shapes of an element and of those around it.
type Shapes = [Option<u32>; 3];

fn shapes(flat: &FlatDom<'_>, at: ElementIndex) -> Shapes {
    let mut around = flat
        .ancestors(at)
        .map(|at| flat.elements[at as usize].shape);
    std::array::from_fn(|_| around.next())
}

/// The buttons among the heads, each with those that are alike and at the same place in elements that are
/// alike: their different words.
struct Alike<'s>(FxHashMap<Shapes, FxHashSet<&'s str>>);

impl<'s> Alike<'s> {
    fn of(flat: &FlatDom<'_>, survey: &'s Survey, heads: &[Head]) -> Self {
        let mut alike: FxHashMap<Shapes, FxHashSet<&str>> = FxHashMap::default();
        for head in heads.iter().filter(|head| head.is_button(flat)) {
            let texts = alike.entry(shapes(flat, head.control)).or_default();
            texts.insert(&survey.texts[head.run]);
        }
        Alike(alike)
    }

    /// Whether a button is one of a list of heads, each with other words.
    fn are_many(&self, flat: &FlatDom<'_>, head: &Head) -> bool {
        const COUNT_MIN: usize = 3;
        let has_words = flat.runs[head.run].counts.words >= HEAD_WORDS_MIN;
        has_words && head.is_button(flat) && {
            let texts = self.0.get(&shapes(flat, head.control));
            texts.is_some_and(|texts| texts.len() >= COUNT_MIN)
        }
    }
}

/// The head of the text behind a line, if it stands in a control beside that text.
fn head(flat: &FlatDom<'_>, survey: &Survey, run: usize) -> Option<Head> {
    let counts = &flat.runs[run].counts;
    let control = control(flat, run)?;
    if counts.weight > WEIGHT_MAX || is_label(survey, run) || is_elsewhere(flat, control) {
        return None;
    }
    let element = &flat.elements[control as usize];
    let is_heading = |at: ElementIndex| {
        let tag = flat.elements[at as usize].tag;
        tag.heading_level().is_some() || matches!(tag, Tag::Dt | Tag::Summary)
    };
    let stands_in_heading = flat.ancestors(element.parent).take(LEVELS).any(is_heading);
    let unfolds = match element.tag {
        Tag::Label => element.traits.has(Traits::CHOICE),
        _ => says_that_it_unfolds(element),
    };
    // The text behind stands beside the head, not within it and not in another part of the page; a
    // checkbox that unfolds it stands right beside it, since style sheets reach no further.
    let levels = match element.tag {
        Tag::Label => 1,
        _ => LEVELS,
    };
    let text = flat.runs[run + 1].owner;
    let is_beside = !flat.contains(control, text)
        && flat
            .ancestors(element.parent)
            .take(levels)
            .any(|at| flat.contains(at, text));
    is_beside.then_some(Head {
        run,
        control,
        is_told: stands_in_heading || unfolds && counts.words >= HEAD_WORDS_MIN,
    })
}

/// The button or label that a line stands in.
fn control(flat: &FlatDom<'_>, run: usize) -> Option<ElementIndex> {
    let mut around = flat.ancestors(flat.runs[run].owner).take(LEVELS);
    around.find(|&at| matches!(flat.elements[at as usize].tag, Tag::Button | Tag::Label))
}

/// Whether a button says that it shows and hides a text.
fn says_that_it_unfolds(button: &FlatElement<'_>) -> bool {
    button.element.attrs().any(|(name, value)| match name {
        "aria-expanded" | "aria-controls" => true,
        "data-toggle" | "data-bs-toggle" => value.eq_ignore_ascii_case("collapse"),
        "class" => ["accordion", "collaps"]
            .iter()
            .any(|word| value.contains(word)),
        _ => false,
    })
}

/// Whether a line is a label of the kind that no article has for a head.
fn is_label(survey: &Survey, run: usize) -> bool {
    let labels = [
        Marker::More,
        Marker::Share,
        Marker::Wall,
        Marker::Comment,
        Marker::Advert,
    ];
    labels.iter().any(|&marker| survey.markers[run].has(marker))
}

/// Whether an element stands in another part of the page than its text.
fn is_elsewhere(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    flat.ancestors(at).any(|at| {
        let element = &flat.elements[at as usize];
        let is_part = matches!(
            element.tag,
            Tag::Nav | Tag::Aside | Tag::Footer | Tag::Header
        );
        let is_named = element.hints.has_any(OTHERS) || element.traits.has(Traits::LANDMARK_ROLE);
        (is_part || is_named) && !flat.is_frame(at)
    })
}

/// Of a stretch of lines that were not chosen, those of a form with choices: all of them between two chosen
/// lines; after the last chosen line those of the fieldset that it stands in.
fn form(flat: &FlatDom<'_>, main: &[bool], gap: Range<usize>) -> Option<Range<usize>> {
    let before = gap.start.checked_sub(1)?;
    let end = match gap.end < main.len() {
        true => gap.end,
        false => {
            let mut around = flat.ancestors(flat.runs[before].owner);
            let fieldset = around.find(|&at| flat.elements[at as usize].tag == Tag::Fieldset)?;
            flat.elements[fieldset as usize].end_run as usize
        }
    };
    (gap.start < end && end - gap.start <= FORM_RUNS_MAX).then_some(gap.start..end)
}

/// Keeps the choices of a form and the lines that lead to them, if it has nothing else but buttons.
fn keep_choices(flat: &FlatDom<'_>, survey: &Survey, form: Range<usize>, main: &mut [bool]) {
    let is_choice = |&run: &usize| {
        control(flat, run).is_some_and(|at| {
            flat.elements[at as usize].traits.has(Traits::CHOICE) && !is_elsewhere(flat, at)
        }) && flat.runs[run].counts.weight <= WEIGHT_MAX
            && !is_label(survey, run)
    };
    let is_legend = |&run: &usize| {
        let owner = &flat.elements[flat.runs[run].owner as usize];
        owner.element.name() == "legend"
    };
    let is_button = |&run: &usize| {
        control(flat, run).is_some_and(|at| flat.elements[at as usize].tag == Tag::Button)
    };
    let choices = form.clone().filter(is_choice).count();
    let is_of_form = |run: usize| is_choice(&run) || is_legend(&run) || is_button(&run);
    if choices < 2 || !form.clone().all(is_of_form) {
        return;
    }
    for run in form {
        main[run] = is_choice(&run) || is_legend(&run);
    }
}

#[cfg(test)]
mod tests {
    use super::super::kept_texts::kept_texts;
    use super::*;

    /// The texts that are kept where the paragraphs were chosen.
    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        let is_chosen = |flat: &FlatDom<'_>, _: &Survey, run: usize| {
            flat.elements[flat.runs[run].owner as usize].tag == Tag::P
        };
        let kept = kept_texts(page, is_chosen, |flat, survey, _, main| {
            keep(flat, survey, &PageType::Article, main);
        });
        assert_eq!(kept, expected, "{page}");
    }

    const QUESTION: &str = "How long does it take?";

    #[test]
    fn a_button_that_unfolds_text_is_its_head() {
        // As in Bootstrap 5, in the pattern of WAI-ARIA, at w3schools, in a list, and without scripts.
        for head in [
            "<h2><button data-bs-toggle=collapse>How long does it take?</button></h2>",
            "<h3><button aria-expanded=false><span>How long does it take?</span></button></h3>",
            "<button class=accordion>How long does it take?</button>",
            "<dl><dt><button>How long does it take?</button></dt><dd>",
            "<input type=checkbox id=q><label for=q>How long does it take?</label>",
        ] {
            let item = format!("<div>{head}<div><p>Three days.</div></div>");
            check(&item, &[QUESTION, "Three days."]);
        }
    }

    #[test]
    fn buttons_alike_with_a_text_behind_each_are_heads_whatever_they_say_of_themselves() {
        // Was: without an attribute of its own a button was a label, and answers stood without questions.
        let item = |question: &str| {
            format!(
                "<div class=i><button class=q><span>{question}</span></button><div><p>Three days.</div></div>"
            )
        };
        let questions = [
            "How long does it take?",
            "How far is it?",
            "Can I bring my dog?",
        ];
        let all: String = questions.map(item).concat();
        let answered: Vec<&str> = questions
            .iter()
            .flat_map(|&one| [one, "Three days."])
            .collect();
        check(&all, &answered);
        check(
            &questions.map(|_| item("Read it to me")).concat(),
            &["Three days."; 3],
        );
        check(
            &["Edit", "Quote", "Reply"].map(item).concat(),
            &["Three days."; 3],
        );
        // Those at another place are not counted with them.
        let elsewhere = format!(
            "<section>{}</section>",
            item(questions[2]).replace("=i", "=j")
        );
        let apart = questions[..2]
            .iter()
            .map(|one| item(one))
            .collect::<String>()
            + &elsewhere;
        check(&apart, &["Three days."; 3]);
    }

    #[test]
    fn other_buttons_are_no_heads() {
        for button in [
            "<button>How long does it take?</button>",
            "<button aria-expanded=false>Show all</button>",
            "<h2><button>Read more</button></h2>",
            "<nav><h2><button aria-expanded=false>How long does it take?</button></h2></nav>",
            "<label for=mail>How can we reach you?</label><input id=mail>",
        ] {
            check(
                &format!("<div>{button}<p>Three days.</div>"),
                &["Three days."],
            );
        }
        check(
            "<p>Three days.</p><h2><button>Menu of the shop</button></h2><ul><li>Boats</ul>",
            &["Three days."],
        );
    }

    const CHOICES: &str = "<label><input type=radio> Of wood</label><input type=radio id=b>\
                           <label for=b>Of steel</label>";

    #[test]
    fn choices_amid_the_text_are_content() {
        let quiz = format!(
            "<p>Choose one.</p><form><fieldset><legend>What is a gate made of?</legend>{CHOICES}\
             </fieldset><button>Check</button></form><p>Well done.</p>"
        );
        let expected = [
            "Choose one.",
            "What is a gate made of?",
            "Of wood",
            "Of steel",
            "Well done.",
        ];
        check(&quiz, &expected);
        let last = format!(
            "<fieldset><legend><p>What is it?</p></legend>{CHOICES}</fieldset><div>Imprint</div>"
        );
        check(&last, &["What is it?", "Of wood", "Of steel"]);
    }

    #[test]
    fn choices_of_other_forms_are_none() {
        for form in [
            // Beside the text.
            format!("<form>{CHOICES}</form>"),
            // With fields of other kinds.
            format!("<form>{CHOICES}<label>Your name <input></label></form><p>Well done.</p>"),
            "<form><label><input type=checkbox> I agree to the terms</label></form><p>Well done.</p>".into(),
            format!("<form role=search>{CHOICES}</form><p>Well done.</p>"),
            format!("<aside><form>{CHOICES}</form></aside><p>Well done.</p>"),
        ] {
            let rest: &[&str] = match form.contains("Well done") {
                true => &["Choose one.", "Well done."],
                false => &["Choose one."],
            };
            check(&format!("<p>Choose one.</p>{form}"), rest);
        }
    }
}
