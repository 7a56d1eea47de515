//! Rules for boilerplate: runs that are dropped whatever the forests say.
//!
//! Each rule is for something that people who marked content left out on nearly every page: the label
//! of a button, "Also read: ...", a photographer's credit. A rule is here because it raises the score
//! on sites that were not used to set its constants. Rules for copyright lines, dates, share bars,
//! bare links, comments and related articles did not, and were removed.

use std::collections::HashMap;

use html5ever::local_name;

use crate::class_hints::Hint;
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, Run, Traits};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::page_type::Thread;
use crate::prefix_sums::{is_prose, share};
use crate::survey::Survey;
use crate::tag::Tag;

use super::KEEP_MIN;
use super::beside_thread::BesideThread;
use super::told_by_words::{counts_up, names_maker, tells_of_payment};
use super::unfolded::Unfolded;
use super::{label_headings, rows};

/// What has to be left of a page's likely content for a part to be dropped.
#[derive(Clone, Copy)]
struct Left {
    words: u32,
    share: f32,
    /// The least probability of likely content.
    likely: f32,
}

impl Left {
    /// A "review" that holds nearly all text is the content.
    const MUCH: Left = Left {
        words: 50,
        share: 0.2,
        likely: LIKELY,
    };
    /// What is surely no text of the author goes however much it is, if there is such a text.
    const A_TEXT: Left = Left {
        words: 50,
        share: 0.0,
        likely: LIKELY,
    };
    /// What nobody sees, and what stands beside signed posts, goes also from a page of one line, which beside it may look like a label.
    const A_LINE: Left = Left {
        words: 5,
        share: 0.0,
        likely: KEEP_MIN,
    };
}

/// The least probability of likely content.
const LIKELY: f32 = 0.4;

/// Sets the probability of boilerplate to 0. `kept` is what is content without these rules.
pub(super) fn apply(
    flat: &FlatDom<'_>,
    survey: &Survey,
    (page_type, thread): (&PageType, Option<&Thread>),
    kept: &[bool],
    probability: &mut [f32],
) {
    // The hidden tabs of a product's page hold its description.
    let drops_hidden = matches!(page_type, PageType::Article | PageType::Other);
    let is_article = *page_type == PageType::Article;
    if *page_type == PageType::Forum {
        drop_repeated_labels(flat, survey, probability);
    }
    drop_labels(flat, survey, kept, probability);
    for (index, probability) in probability.iter_mut().enumerate() {
        if is_boilerplate(flat, survey, index, is_article) {
            *probability = 0.0;
        }
    }
    label_headings::drop(flat, survey, kept, probability);
    if drops_hidden {
        label_headings::drop_lists(flat, survey, probability);
    }
    if is_article {
        drop_title(flat, survey, probability);
    }
    drop_part(flat, probability, Left::A_LINE, &|run| in_dialog(flat, run));
    if *page_type == PageType::Forum {
        drop_part(flat, probability, Left::A_TEXT, &|run| {
            in_signature(flat, survey, run)
        });
        if let Some(beside) = thread.and_then(|thread| BesideThread::of(flat, survey, thread)) {
            drop_part(flat, probability, Left::A_LINE, &|run| {
                beside.has(flat, run)
            });
        }
    }
    if is_article {
        drop_part(flat, probability, Left::A_TEXT, &|run| {
            in_comments(flat, run)
        });
    }
    if *page_type == PageType::Product {
        drop_part(flat, probability, Left::MUCH, &|run| {
            in_reviews(flat, survey, run)
        });
    }
    if drops_hidden {
        let unfolded = Unfolded::of(flat, survey);
        drop_part(flat, probability, Left::MUCH, &|run| {
            unfolded.is_hidden(flat, survey, run)
        });
    }
}

/// Drops the title of an article where it is the first line of its content, after labels of up to three
/// words: the title is a field of its own. On 48 Chinese pages of unseen sites F1 rises from .976 to .982.
fn drop_title(flat: &FlatDom<'_>, survey: &Survey, probability: &mut [f32]) {
    const WORDS_MAX: u32 = 40;
    let title = flat.title.as_str();
    for (index, run) in flat.runs.iter().enumerate() {
        if probability[index] < LIKELY {
            continue;
        }
        let text = survey.texts[index].as_str();
        let is_title = run.counts.words <= WORDS_MAX
            && title
                .strip_prefix(text)
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        if is_title {
            probability[index] = 0.0;
        }
        if run.counts.words > 3 {
            return;
        }
    }
}

/// Drops the labels that every post of a thread repeats: "Reply", "Member". On pages of other types
/// repeated lines are as often content: sizes, prices, the days of a week.
fn drop_repeated_labels(flat: &FlatDom<'_>, survey: &Survey, probability: &mut [f32]) {
    const WORDS_MAX: u32 = 3;
    const COUNT_MIN: u32 = 3;
    let mut counts: HashMap<&str, u32> = HashMap::new();
    let short = |index: usize| flat.runs[index].counts.words <= WORDS_MAX;
    for (index, text) in survey.texts.iter().enumerate() {
        if short(index) {
            *counts.entry(text.as_str()).or_default() += 1;
        }
    }
    for (index, probability) in probability.iter_mut().enumerate() {
        if short(index) && counts[survey.texts[index].as_str()] >= COUNT_MIN {
            *probability = 0.0;
        }
    }
}

/// Drops lines that are labels by what they begin with, unless they are rows of kept facts.
fn drop_labels(flat: &FlatDom<'_>, survey: &Survey, kept: &[bool], probability: &mut [f32]) {
    let labels: Vec<bool> = (0..flat.runs.len())
        .map(|index| is_label(flat, survey, index))
        .collect();
    let spared = rows::among_kept(flat, survey, kept, &labels, probability);
    for (index, probability) in probability.iter_mut().enumerate() {
        if labels[index] {
            *probability = match spared.get(&index) {
                Some(&of_rows) => probability.max(of_rows),
                None => 0.0,
            };
        }
    }
}

/// Whether a line is a credit, or a link to what else can be read or done.
fn is_label(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> bool {
    let weight = flat.runs[index].counts.weight;
    let markers = survey.markers[index];
    let also_read = markers.has(Marker::Related) && weight < 250;
    let more = markers.has(Marker::More) && weight < 30;
    let credit = markers.has(Marker::Credit) && weight < 80;
    credit || (also_read || more) && is_linked(&flat.runs[index])
}

pub(super) fn is_linked(run: &Run) -> bool {
    run.link_weight * 10 >= run.counts.weight * 6
}

/// Whether a run is boilerplate by its own words or tag.
fn is_boilerplate(flat: &FlatDom<'_>, survey: &Survey, index: usize, is_article: bool) -> bool {
    let run = &flat.runs[index];
    let markers = survey.markers[index];
    let weight = run.counts.weight;
    let tag = flat.elements[run.owner as usize].tag;
    let advert = markers.has(Marker::Advert) && weight < 60 && tag.heading_level().is_none();
    let button = matches!(tag, Tag::Button | Tag::Label);
    // The caption of a picture is not part of an article's text.
    let caption = is_article && in_caption(flat, index);
    let maker = is_article && weight < 80 && names_maker(&survey.texts[index]);
    let count = markers.has(Marker::Count) && counts_up(&survey.texts[index]);
    let paid = is_article && weight < 250 && tells_of_payment(&survey.texts[index]);
    advert || button || caption || maker || count || paid
}

/// Whether a run stands in the caption of a picture. That of a table, a listing or a quotation is text as they are.
pub(super) fn in_caption(flat: &FlatDom<'_>, index: usize) -> bool {
    let mut around = flat.ancestors(flat.runs[index].owner);
    let mut next = |tag| around.find(|&at| flat.elements[at as usize].tag == tag);
    let is_caption = next(Tag::Figcaption).is_some();
    is_caption
        && next(Tag::Figure).is_none_or(|figure| {
            let figure = &flat.elements[figure as usize];
            !figure.traits.has(Traits::HOLDS_EXHIBIT)
        })
}

/// Whether a run stands in the reviews of a product: an element named so that does not hold most of
/// the page.
fn in_reviews(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> bool {
    let page = survey.sums.page();
    flat.ancestors(flat.runs[index].owner).any(|at| {
        let element = &flat.elements[at as usize];
        element.hints.has(Hint::Review)
            && element.tag != Tag::Body
            && share(element.counts.weight, page.weight, 0.0) < 0.8
    })
}

/// Whether a run stands in what a member of a forum puts under each of his posts. Programs name it alike in all
/// languages; on 20 marked threads none of 200 is content. That of a function stands above what is said of it.
fn in_signature(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> bool {
    // The line that some of them draw above it.
    const RULE: &str = "__________";
    let is_named = |at: ElementIndex| {
        let element = &flat.elements[at as usize];
        let role = element.element.attr("data-role");
        let mut names = classes(element).chain(role);
        names.any(|name| name.contains("ignature") || name == "sign")
            && !flat.is_frame(at)
            && ends_a_post(flat, at)
    };
    let mut around = flat.ancestors(flat.runs[index].owner);
    survey.texts[index].starts_with(RULE) || around.any(is_named)
}

/// Whether an element stands below a text, in the element that holds both, with no prose behind it.
fn ends_a_post(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    // So many runs are looked at on either side.
    const RUNS: usize = 8;
    let runs_of = |at: ElementIndex| {
        let element = &flat.elements[at as usize];
        element.first_run as usize..(element.end_run as usize).min(flat.runs.len())
    };
    let own = runs_of(at);
    let is_wider = |around: &ElementIndex| runs_of(*around) != own;
    let Some(post) = flat.ancestors(at).find(is_wider).map(runs_of) else {
        return false;
    };
    let is_heading = |run: usize| {
        let owner = &flat.elements[flat.runs[run].owner as usize];
        owner.tag.heading_level().is_some()
    };
    let mut before = (post.start..own.start).rev().take(RUNS);
    let mut behind = (own.end..post.end).take(RUNS);
    before.any(|run| !is_heading(run)) && !behind.any(|run| is_prose(&flat.runs[run]))
}

/// Whether a run stands among readers' comments, in an element with one of the names that programs give
/// to all of them together.
pub(crate) fn in_comments(flat: &FlatDom<'_>, index: usize) -> bool {
    const IDS: [&str; 5] = [
        "comments",
        "comment-list",
        "commentlist",
        "comments-list",
        "disqus_thread",
    ];
    const CLASSES: [&str; 6] = [
        "comments-area",
        "comment-list",
        "commentlist",
        "comments-list",
        "comment-thread",
        "wp-block-comments",
    ];
    const FORUMS: [&str; 3] = ["discussion", "forum", "topic"];
    let mut around = flat.ancestors(flat.runs[index].owner);
    around.any(|at| {
        let element = &flat.elements[at as usize];
        let id = element.element.attribute(&local_name!("id"));
        // In a forum the answers are called so.
        let is_forum = |class: &str| FORUMS.iter().any(|name| class.contains(name));
        let is_named = || {
            classes(element).any(|class| CLASSES.contains(&class))
                || id.is_some_and(|id| IDS.contains(&id))
                    && !classes(element).any(|class| is_forum(&class.to_ascii_lowercase()))
        };
        element.hints.has(Hint::Comment) && element.tag != Tag::Body && is_named()
    })
}

/// Whether a run stands in a dialog that is not open, such as the one that asks for consent.
fn in_dialog(flat: &FlatDom<'_>, index: usize) -> bool {
    let mut around = flat.ancestors(flat.runs[index].owner);
    around.any(|at| is_closed_dialog(&flat.elements[at as usize]))
}

fn is_closed_dialog(element: &FlatElement<'_>) -> bool {
    let attribute = |name| element.element.attribute(&name);
    if element.tag == Tag::Dialog {
        return attribute(local_name!("open")).is_none();
    }
    let may_be = element.hints.has(Hint::Consent) || element.traits.has(Traits::LANDMARK_ROLE);
    if !may_be || element.tag == Tag::Body {
        return false;
    }
    let is_dialog = || {
        matches!(
            attribute(local_name!("role")),
            Some("dialog" | "alertdialog")
        ) || classes(element)
            .any(|class| matches!(class, "modal" | "popup" | "dialog" | "lightbox"))
    };
    let is_hidden = || {
        element.traits.has(Traits::HIDDEN)
            || element.hints.has(Hint::Hidden)
            // Bootstrap's dialogs are hidden by its style sheet.
            || classes(element).any(|class| class == "modal")
                && classes(element).any(|class| class == "fade")
    };
    let id = attribute(local_name!("id")).unwrap_or("");
    id.starts_with("onetrust-") || is_dialog() && is_hidden()
}

fn classes<'e>(element: &FlatElement<'e>) -> impl Iterator<Item = &'e str> + use<'e> {
    let classes = element.element.attribute(&local_name!("class"));
    classes.unwrap_or("").split_ascii_whitespace()
}

/// Drops a part of the page, if enough likely content is left without it.
fn drop_part(
    flat: &FlatDom<'_>,
    probability: &mut [f32],
    least: Left,
    is_part: &dyn Fn(usize) -> bool,
) {
    let part: Vec<bool> = (0..probability.len()).map(is_part).collect();
    let (mut all, mut left) = (0, 0);
    for (index, &probability) in probability.iter().enumerate() {
        if probability >= least.likely {
            let words = flat.runs[index].counts.words;
            all += words;
            left += if part[index] { 0 } else { words };
        }
    }
    if left < least.words || share(left, all, 0.0) < least.share {
        return;
    }
    for (index, probability) in probability.iter_mut().enumerate() {
        if part[index] {
            *probability = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the runs of a page stay that are all thought content.
    fn stay(page: &str, page_type: &PageType) -> Vec<bool> {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let mut probability = vec![0.9; flat.runs.len()];
        let kept = vec![true; probability.len()];
        apply(&flat, &survey, (page_type, None), &kept, &mut probability);
        probability.iter().map(|&of_run| of_run > 0.0).collect()
    }

    #[test]
    fn a_signature_stands_below_the_text_of_its_post_and_that_of_a_function_above_what_it_does() {
        let prose =
            "The mill, which stood at the harbour, was taken down and built again by its owners. "
                .repeat(20);
        for (page, expected) in [
            (
                format!(
                    "<td><p>{prose}</p><div class=signature><p>Ann, from Leeds</div><p>Reply</td>"
                ),
                [true, false, true],
            ),
            (
                format!(
                    "<td><p class=func_signature>abs ( numeric )</p><p>{prose}</p><p>abs(-17)</td>"
                ),
                [true; 3],
            ),
            (
                format!(
                    "<p>{prose}</p><section><h3>abs</h3><div class=member-signature>int abs(int)</div></section>"
                ),
                [true; 3],
            ),
        ] {
            let page = format!("<table>{page}</table>");
            assert_eq!(stay(&page, &PageType::Forum), expected, "{page}");
        }
    }

    #[test]
    fn the_caption_of_a_picture_is_no_text_and_that_of_a_table_is() {
        // All captions were dropped, and tables with them.
        for (figure, expected) in [
            ("<img src=a>CAPTION", vec![false]),
            (
                "<img src=a><figcaption><blockquote>The mill</blockquote></figcaption>",
                vec![false],
            ),
            ("<table><tr><td><img src=a></table>CAPTION", vec![false]),
            ("<table><tr><td>1742</table>CAPTION", vec![true, true]),
            ("CAPTION<pre>let a = 1;</pre>", vec![true, true]),
            (
                "<blockquote><p>It turns.</blockquote>CAPTION",
                vec![true, true],
            ),
        ] {
            let figure = figure.replace("CAPTION", "<figcaption>The mill</figcaption>");
            let page = format!("<main><figure>{figure}</figure></main>");
            assert_eq!(stay(&page, &PageType::Article), expected, "{page}");
        }
    }

    #[test]
    fn what_a_member_puts_under_each_post_is_no_text_of_a_thread() {
        let post = |number: u32| {
            format!(
                "<div><p>I had the same trouble with pump {number} until I found that the plug was loose, which \
                 took me a whole day to see.</p>SIGNATURE</div>"
            )
        };
        let posts: String = (0..4).map(post).collect();
        for signature in [
            "<div class='signature restore'>The mills that turn</div>",
            "<aside class=message-signature>The mills that turn</aside>",
            "<div data-role=memberSignature>The mills that turn</div>",
            "<div>__________________<br>The mills that turn</div>",
            // Discuz.
            "<div class=sign>The mills that turn</div>",
        ] {
            let page = posts.replace("SIGNATURE", signature);
            assert!(!stay(&page, &PageType::Forum)[1], "{signature}");
            assert_eq!(stay(&page, &PageType::Article), [true; 8]);
        }
    }

    #[test]
    fn readers_comments_are_no_text_of_an_article_however_long_they_are() {
        let comment = "<li class=comment><div class=comment-body><p>I have tried this with the flour that my \
            neighbour gave me, and it was as good as the bread that we had in the old days, though it took two \
            hours more than you say.</p></div>";
        let all = comment.repeat(30);
        for after in [
            format!("<div id=comments class=comments-area><ol class=comment-list>{all}</ol></div>"),
            format!("<section><h3>Comments</h3><ol class=commentlist>{all}</ol></section>"),
        ] {
            let (text, comments) = text_with("", &after);
            assert!(
                text.contains("The old mill") && !text.contains("neighbour"),
                "{text}"
            );
            assert!(comments.contains("neighbour"), "{after}");
        }
    }

    #[test]
    fn a_dialog_that_is_not_open_is_no_text() {
        let consent = "<h2>Privacy Preference Center</h2><p>When you visit any website, it may store or retrieve \
            information on your browser, mostly in the form of cookies. This information might be about you, \
            your preferences or your device.</p>"
            .repeat(4);
        for dialog in [
            format!("<div id=onetrust-pc-sdk class=ot-hide role=dialog>{consent}</div>"),
            format!("<div class=modal style='display: none'>{consent}</div>"),
            format!("<div class='modal fade'>{consent}</div>"),
            format!("<dialog>{consent}</dialog>"),
            format!("<div role=dialog hidden>{consent}</div>"),
        ] {
            for (before, after) in [(dialog.as_str(), ""), ("", dialog.as_str())] {
                let (text, _) = text_with(before, after);
                assert!(
                    text.contains("The old mill") && !text.contains("cookies"),
                    "{dialog}"
                );
            }
        }
        let page = format!(
            "<div id=onetrust-pc-sdk class=ot-hide role=dialog>{consent}</div><main><h1>The lock</h1><p>The lock \
             keeper has left his house by the river, and nobody knows where he went.</p></main>"
        );
        let url = url::Url::parse("https://canal.example/lock").unwrap();
        let text = crate::extract(&page, &crate::PageContext::new(&url)).text;
        assert!(
            text.contains("nobody knows") && !text.contains("cookies"),
            "{text}"
        );
        // One that is open may be the page.
        assert!(!is_closed(&format!("<dialog open>{consent}</dialog>")));
        assert!(!is_closed(&format!("<div class=notice>{consent}</div>")));
    }

    fn is_closed(page: &str) -> bool {
        let html = scraper::Html::parse_document(page);
        in_dialog(&FlatDom::of(&html), 0)
    }

    /// The text of a page with an article of two paragraphs.
    fn text_with(before: &str, after: &str) -> (String, String) {
        let page = format!(
            "<title>Bread without yeast</title><body>{before}<main><article class=post><h1>Bread without yeast\
             </h1><p>The old mill by the river ground its last flour in the spring of that year, and since \
             then the bakers of the valley have had to buy theirs in the city.</p><p>They soon found out that \
             the new flour did not rise as the old one had, and each of them had another explanation for \
             it, which they told whoever asked.</p></article>{after}</main>"
        );
        let url = url::Url::parse("https://kitchen.example/2015/03/bread/").unwrap();
        let page = crate::extract(&page, &crate::PageContext::new(&url));
        (page.text, page.comments)
    }
}
