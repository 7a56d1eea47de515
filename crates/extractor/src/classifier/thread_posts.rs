//! The rest of a thread: short posts like the long ones that are chosen, and what is asked above them.
//!
//! A post of a few words has the features of a label, and the question that a page of answers begins with those
//! of a standfirst. But the lines of one template are content or not as a whole: of lines in elements that are
//! alike, two thirds of whose text are chosen, the others are chosen as well. Where lines sign the posts, the kind of
//! line that holds the most text between them is the posts' own, even if none is chosen. And sentences right
//! below a title that asks, in the element around it, say what is asked.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::page_type::Thread;
use crate::survey::Survey;
use crate::tag::Tag;
use crate::titles;

/// The least weight of a text that asks something: shorter lines are labels.
const TEXT_WEIGHT_MIN: u32 = 20;
/// Levels from the title to the element around it and the question.
const LEVELS: usize = 4;

/// Markers of lines that no post has.
const LABELS: [Marker; 6] = [
    Marker::Share,
    Marker::Related,
    Marker::Date,
    Marker::More,
    Marker::Count,
    Marker::Advert,
];

/// Chooses the rest of a thread, except what a rule has dropped.
pub(super) fn keep(
    flat: &FlatDom<'_>,
    survey: &Survey,
    page_type: &PageType,
    thread: Option<&Thread>,
    probability: &[f32],
    main: &mut [bool],
) {
    if *page_type == PageType::Forum {
        for signatures in thread.iter().flat_map(|thread| &thread.signatures) {
            keep_signed(flat, survey, signatures, probability, main);
        }
        keep_alike(flat, survey, probability, main);
    }
    let may_ask = matches!(page_type, PageType::Forum | PageType::Other);
    if may_ask && flat.title.contains(['?', '？']) {
        keep_question(flat, survey, probability, main);
    }
}

/// Chooses the texts of signed posts: the lines of the kind that has the most weight between the signatures, with
/// what stands beside them in an element that holds no signature.
fn keep_signed(
    flat: &FlatDom<'_>,
    survey: &Survey,
    signatures: &[usize],
    probability: &[f32],
    main: &mut [bool],
) {
    let may_be_text = |run: usize| {
        probability[run] > 0.0
            && !is_label(survey, run)
            && !is_linked(flat, run)
            && !is_beside_post(flat, signatures, flat.runs[run].owner)
    };
    let Some(text) = shapes_of_texts(flat, signatures, may_be_text) else {
        return;
    };
    let mut from = 0;
    for run in 0..main.len() {
        if run < from || shapes(flat, run) != text || !may_be_text(run) {
            continue;
        }
        main[run] = true;
        let owner = flat.runs[run].owner;
        let element = &flat.elements[owner as usize];
        let around = flat.elements.get(element.parent as usize);
        let body = around.filter(|around| element.tag == Tag::P && !holds(around, signatures));
        let Some(body) = body else { continue };
        for beside in body.first_run as usize..(body.end_run as usize).min(main.len()) {
            main[beside] |= may_be_text(beside);
        }
        from = body.end_run as usize;
    }
}

/// The kind of line that has the most weight between signatures, if it stands between half of them or more and its
/// lines are no labels by their length.
fn shapes_of_texts(
    flat: &FlatDom<'_>,
    signatures: &[usize],
    may_be_text: impl Fn(usize) -> bool,
) -> Option<[u32; 3]> {
    #[derive(Default)]
    struct Lines {
        weight: u32,
        count: u32,
        gaps: usize,
        last_gap: Option<usize>,
        first: usize,
    }
    let mut kinds: FxHashMap<[u32; 3], Lines> = FxHashMap::default();
    for (gap, ends) in signatures.windows(2).enumerate() {
        for run in (ends[0] + 1..ends[1]).filter(|&run| may_be_text(run)) {
            let lines = kinds.entry(shapes(flat, run)).or_default();
            if lines.count == 0 {
                lines.first = run;
            }
            lines.weight += flat.runs[run].counts.weight;
            lines.count += 1;
            lines.gaps += usize::from(lines.last_gap.replace(gap) != Some(gap));
        }
    }
    let heaviest = |lines: &Lines| (lines.weight, Reverse(lines.first));
    let (kind, lines) = kinds.into_iter().max_by_key(|(_, lines)| heaviest(lines))?;
    let are_texts =
        lines.gaps * 2 >= signatures.len() - 1 && lines.weight >= TEXT_WEIGHT_MIN * lines.count;
    are_texts.then_some(kind)
}

/// Whether a signature stands in an element.
fn holds(element: &FlatElement<'_>, signatures: &[usize]) -> bool {
    count(element, signatures) > 0
}

/// The signatures in an element.
fn count(element: &FlatElement<'_>, signatures: &[usize]) -> usize {
    let before = |end: u32| signatures.partition_point(|&run| run < end as usize);
    before(element.end_run).saturating_sub(before(element.first_run))
}

/// As [`is_elsewhere`]; what an element with one signature is named says nothing, since each post has its own.
fn is_beside_post(flat: &FlatDom<'_>, signatures: &[usize], at: ElementIndex) -> bool {
    let mut within = flat
        .ancestors(at)
        .map(|at| &flat.elements[at as usize])
        .take_while(|element| !matches!(element.tag, Tag::Body | Tag::Html));
    within.any(|element| is_part(element) && count(element, signatures) != 1)
}

/// The kinds of a line's element and of the two around it: replies to replies are nested, so whole paths differ.
fn shapes(flat: &FlatDom<'_>, run: usize) -> [u32; 3] {
    let mut around = flat.ancestors(flat.runs[run].owner);
    std::array::from_fn(|_| {
        let at = around.next();
        at.map_or(0, |at| flat.elements[at as usize].shape)
    })
}

fn keep_alike(flat: &FlatDom<'_>, survey: &Survey, probability: &[f32], main: &mut [bool]) {
    let may_be_text =
        |run: usize| !is_label(survey, run) && !is_linked(flat, run) && probability[run] > 0.0;
    let mut weights: FxHashMap<[u32; 3], (u32, u32)> = FxHashMap::default();
    for run in (0..main.len()).filter(|&run| may_be_text(run)) {
        let (chosen, all) = weights.entry(shapes(flat, run)).or_default();
        let weight = flat.runs[run].counts.weight;
        *chosen += if main[run] { weight } else { 0 };
        *all += weight;
    }
    for run in 0..main.len() {
        if !main[run] && may_be_text(run) && !is_elsewhere(flat, flat.runs[run].owner) {
            let (chosen, all) = weights[&shapes(flat, run)];
            main[run] = chosen * 3 >= all * 2;
        }
    }
}

/// Chooses the texts between the title and the first chosen line in the element around the title.
fn keep_question(flat: &FlatDom<'_>, survey: &Survey, probability: &[f32], main: &mut [bool]) {
    let Some(first) = main.iter().position(|&kept| kept) else {
        return;
    };
    let title = |run: usize| {
        let heading = titles::heading(flat, survey, run)?;
        (flat.elements[heading as usize].tag == Tag::H1).then_some((run, heading))
    };
    let Some((title, heading)) = (0..=first).rev().find_map(title) else {
        return;
    };
    for run in title + 1..first {
        let owner = flat.runs[run].owner;
        let mut around = flat.ancestors(heading).skip(1).take(LEVELS);
        let line = &flat.runs[run];
        main[run] |= probability[run] > 0.0
            && line.counts.weight >= TEXT_WEIGHT_MIN
            && line.counts.sentence_ends > 0
            && line.link_weight == 0
            && !titles::has(flat, &survey.texts[run])
            && !is_label(survey, run)
            && !is_elsewhere(flat, owner)
            && around.any(|at| flat.contains(at, owner));
    }
}

fn is_label(survey: &Survey, run: usize) -> bool {
    let markers = survey.markers[run];
    LABELS.iter().any(|&label| markers.has(label))
}

fn is_linked(flat: &FlatDom<'_>, run: usize) -> bool {
    let run = &flat.runs[run];
    run.link_weight * 2 >= run.counts.weight
}

/// Whether an element stands beside a post's text.
fn is_elsewhere(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let within = flat.ancestors(at).map(|at| &flat.elements[at as usize]);
    within
        .take_while(|element| !matches!(element.tag, Tag::Body | Tag::Html))
        .any(is_part)
}

fn is_part(element: &FlatElement<'_>) -> bool {
    const PARTS: [Hint; 10] = [
        Hint::Nav,
        Hint::Crumbs,
        Hint::Footer,
        Hint::Side,
        Hint::Share,
        Hint::Related,
        Hint::Advert,
        Hint::Tags,
        Hint::User,
        Hint::Control,
    ];
    let is_frame = matches!(
        element.tag,
        Tag::Nav | Tag::Aside | Tag::Footer | Tag::Button | Tag::Label
    );
    is_frame || PARTS.iter().any(|&hint| element.hints.has(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts that are kept where those with a comma were chosen.
    #[track_caller]
    fn check(page_type: &PageType, page: &str, expected: &[&str]) {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let texts = || survey.texts.iter();
        let mut main: Vec<bool> = texts().map(|text| text.contains(',')).collect();
        let probability = vec![0.1; main.len()];
        let dated = (0..main.len()).filter(|&run| survey.markers[run].has(Marker::Date));
        let thread = Thread {
            signatures: vec![dated.collect()],
        };
        keep(
            &flat,
            &survey,
            page_type,
            Some(&thread),
            &probability,
            &mut main,
        );
        let kept: Vec<&str> = texts()
            .zip(&main)
            .filter_map(|(text, &kept)| kept.then_some(text.as_str()))
            .collect();
        assert_eq!(kept, expected, "{page}");
    }

    const LONG: &str = "I had the same trouble with it, until I found that the plug was loose";

    #[test]
    fn a_short_post_is_kept_where_the_long_ones_like_it_are() {
        let post = |text: &str| {
            format!("<div class=post><i class=user>hank42</i><div class=text>{text}</div></div>")
        };
        let thread = [post(LONG), post("Thanks a lot"), post(LONG)].concat();
        check(&PageType::Forum, &thread, &[LONG, "Thanks a lot", LONG]);
        check(&PageType::Article, &thread, &[LONG, LONG]);
        let few = [post(LONG), post(&"Thanks a lot ".repeat(9))].concat();
        check(&PageType::Forum, &few, &[LONG]);
    }

    #[test]
    fn posts_between_signatures_are_kept_where_the_first_one_alone_was_chosen() {
        // What a post's own element is named says nothing: here "right".
        let reply = |at: u32, text: &str| {
            format!(
                "<div class=right><div class=by>hank{at} 2020-05-0{at} 12:30</div><div class=user>Member</div>\
                 <div class=text>{text}</div><div class=bar>Likes {at}</div></div>"
            )
        };
        let short = "It was the plug of the pump in mine";
        let page = format!(
            "<div class=first><p>{LONG}</div>{}{}{}<div class=nav><div class=text>All threads</div></div>",
            reply(1, short),
            reply(2, short),
            reply(3, "Thanks")
        );
        check(&PageType::Forum, &page, &[LONG, short, short, "Thanks"]);
        check(&PageType::Article, &page, &[LONG]);
        // Labels between signatures are no posts.
        let labels = page.replace(short, "Junior");
        check(&PageType::Forum, &labels, &[LONG]);
    }

    #[test]
    fn what_is_asked_below_the_title_belongs_to_the_answers() {
        let page = format!(
            "<title>Why does it leak? - Ask</title><div><nav>All of the questions here</nav><h1>Why does it leak?</h1>\
             <div><button>Follow this question.</button>It leaks at the valve of the pump.</div></div>\
             <div>Asked by hank42</div><p>{LONG}"
        );
        for page_type in [PageType::Forum, PageType::Other] {
            check(
                &page_type,
                &page,
                &["It leaks at the valve of the pump.", LONG],
            );
        }
        check(&PageType::Article, &page, &[LONG]);
    }
}
