//! Whether a page is dated: a text with the day on which it was written is an article.
//!
//! Most name the day near the title. Some templates do so below the text, in the part of the page that
//! holds title and text. There it counts if it is the only one and marked as a date: a list of other
//! articles has several, and stands in an element named so.

use crate::class_hints::{Hint, Hints, OTHER_PARTS};
use crate::dates;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, Traits};
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;
use crate::titles;

/// Lines after the last of the text in which its date may stand.
const TAIL_MAX: usize = 6;
/// The most weight of a line that is little but a date.
const WEIGHT_MAX: u32 = 60;

/// Parts below a text with dates of their own. The date of a text may stand in its footer, and all of it in a form.
const OTHERS: Hints = OTHER_PARTS.without(&[Hint::Footer, Hint::Form]);

/// Whether a short line with a date stands just before the content or at its beginning.
pub(super) fn near_title(flat: &FlatDom<'_>, survey: &Survey, main: &[bool]) -> bool {
    let first = main.iter().position(|&kept| kept).unwrap_or(0);
    (first.saturating_sub(8)..(first + 4).min(flat.runs.len()))
        .any(|index| flat.runs[index].counts.weight < 200 && has_date(flat, survey, index))
}

/// Whether a line tells a day: in the words of any language that dates are read in, or by a `<time>` for programs.
fn has_date(flat: &FlatDom<'_>, survey: &Survey, run: usize) -> bool {
    survey.has_date(run) || has_time_of_programs(flat, run)
}

/// Whether a piece at the beginning of a line stands in a `<time>` whose `datetime` is a date.
fn has_time_of_programs(flat: &FlatDom<'_>, run: usize) -> bool {
    const PIECES: usize = 8;
    const LEVELS: usize = 2;
    let pieces =
        &flat.pieces[flat.runs[run].pieces.start as usize..flat.runs[run].pieces.end as usize];
    let mut around = pieces
        .iter()
        .take(PIECES)
        .flat_map(|piece| flat.ancestors(piece.element).take(LEVELS));
    around.any(|at| {
        let element = &flat.elements[at as usize];
        let time = element
            .element
            .attr("datetime")
            .filter(|_| element.tag == Tag::Time);
        time.and_then(dates::machine).is_some()
    })
}

/// Whether the only date of the part that holds title and text stands right below the text.
pub(super) fn below(flat: &FlatDom<'_>, survey: &Survey, main: &[bool]) -> bool {
    let prose = |run: &usize| main[*run] && is_prose(&flat.runs[*run]);
    let Some(last) = (0..main.len()).rfind(prose) else {
        return false;
    };
    let Some(part) = part(flat, survey, last) else {
        return false;
    };
    let runs = flat.elements[part as usize].first_run as usize
        ..flat.elements[part as usize].end_run as usize;
    let mut dates = runs.filter(|&run| is_date(flat, survey, part, run));
    let only = dates.next().filter(|_| dates.next().is_none());
    only.is_some_and(|run| (last + 1..=last + TAIL_MAX).contains(&run))
}

/// The innermost `<main>` or `<article>` around a run that holds, above it, a heading with words of the title: not
/// the site's name in the page's header.
fn part(flat: &FlatDom<'_>, survey: &Survey, text: usize) -> Option<ElementIndex> {
    let says_title = |&run: &usize| titles::heading(flat, survey, run).is_some();
    let titles: Vec<usize> = (0..text).filter(says_title).collect();
    let is_part = |element: &FlatElement<'_>| {
        matches!(element.tag, Tag::Main | Tag::Article) || element.traits.has(Traits::CONTENT_ROLE)
    };
    let has_title = |element: &FlatElement<'_>| {
        let next = titles.partition_point(|&title| title < element.first_run as usize);
        titles
            .get(next)
            .is_some_and(|&title| title < element.end_run as usize)
    };
    let mut around = flat.ancestors(flat.runs[text].owner);
    around.find(|&at| {
        let element = &flat.elements[at as usize];
        is_part(element) && has_title(element)
    })
}

/// Whether a line is little but a date that is marked as one, in no part of its own.
fn is_date(flat: &FlatDom<'_>, survey: &Survey, part: ElementIndex, run: usize) -> bool {
    const LEVELS: usize = 3;
    let line = &flat.runs[run];
    // When a page was changed is told by wikis and manuals.
    let is_change = || dates::modified_in(&survey.texts[run], true).is_some();
    if line.counts.weight > WEIGHT_MAX || !has_date(flat, survey, run) || is_change() {
        return false;
    }
    let piece = &flat.pieces[line.pieces.start as usize];
    let within = || {
        let around = flat.ancestors(piece.element);
        let around = around.take_while(|&at| at != part);
        around.map(|at| &flat.elements[at as usize])
    };
    let is_marked = |element: &FlatElement<'_>| {
        element.hints.has(Hint::Byline)
            || element.tag == Tag::Time && element.element.attr("datetime").is_some()
    };
    within().take(LEVELS).any(is_marked) && !within().any(|element| element.hints.has_any(OTHERS))
}

#[cfg(test)]
mod tests {
    use crate::page::{Page, PageContext, PageType};

    fn read(below: &str) -> Page {
        let prose = "<p>The river rose again on Thursday night, and took the old stone bridge with it, which \
            had stood there for two hundred years.</p>";
        let html = format!(
            "<html lang=en><title>The lock - Notes</title><header><h1>Notes</h1></header><main><h1>The lock\
             </h1><div>{}</div>{below}</main><footer>Powered by a program",
            prose.repeat(4)
        );
        let url = url::Url::parse("https://canal.example/lock").unwrap();
        crate::extract(&html, &PageContext::new(&url))
    }

    const LINE: &str = "<div class=post-date><time datetime=2021-05-04>May 4, 2021</time></div>";

    #[test]
    fn a_short_text_with_its_date_and_author_below_it_is_an_article() {
        // It was of no type, and of such pages nothing below the text is read.
        let author = "<div class=post-author><p class=post-author__name>Bo Reed</p></div>";
        let page = read(&format!("<div>{LINE}{author}</div>"));
        assert_eq!(page.page_type, PageType::Article);
        assert_eq!(page.published.as_deref(), Some("2021-05-04"));
        assert_eq!(page.author.as_deref(), Some("Bo Reed"));
    }

    #[test]
    fn a_date_makes_an_article_in_any_language() {
        for line in [
            "<div class=post-date>12 มีนาคม 2567</div>",
            "<div class=post-date>12 марта 2024 г.</div>",
            "<div><time datetime=2024-03-12T08:00:00+00:00>yn ddiweddar</time></div>",
        ] {
            assert_eq!(read(line).page_type, PageType::Article, "{line}");
        }
    }

    #[test]
    fn dates_of_other_things_below_a_text_make_no_article() {
        let plain = read("").page_type;
        assert_ne!(plain, PageType::Article);
        for below in [
            "<p>Open until May 4, 2021".to_owned(),
            "<div class=docInfo>lock.txt · Last modified: 2025/03/01 00:00 by hank</div>"
                .to_owned(),
            format!("<div class=comments>{LINE}<p>Fine, thank you.</div>"),
            format!("<div class=related><a href=/x>The bridge of the town</a>{LINE}</div>"),
            format!("<a href=/x>The bridge</a>{LINE}<a href=/y>The mill</a>{LINE}"),
            format!("</main><div>{LINE}</div>"),
        ] {
            assert_eq!(read(&below).page_type, plain, "{below}");
        }
    }
}
