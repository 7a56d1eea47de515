//! Threads: posts that have each a writer and a time of their own.
//!
//! Forums, questions with answers and lists of bugs come with markup of any kind and under any URL. What all
//! of them have is a short line that says who wrote this and when, again and again, with a text between each
//! and the next:
//!
//! ```text
//!   marta_k · 3 May 2020      ┐ a signature: a line with a time, and a name that is marked as a user's beside it
//!   text                      ┘
//!   old_salt · 4 May 2020     ┐ another one in an element of the same kind, by somebody else
//!   text                      ┘
//! ```
//!
//! Where nothing marks the name, the lines count the posts ("1楼", "2 ："), one after the other. A time is no such
//! number ("9：00"), nor is a floor with a name behind it ("1楼展厅").
//!
//! Comments below an article and reviews of a product are signed as well. But there the text stands before
//! the first signature, and programs name their element. A forum has no articles: where its software or its URL
//! tells of one, the first post may be longer than all answers. Articles on the page of a list are signed, too, and
//! have each a link to a page of their own.

use std::cmp::Reverse;

use html5ever::local_name;
use rustc_hash::FxHashMap;

use crate::class_hints::{Hint, Hints, OTHER_PARTS};
use crate::classifier::in_comments;
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, NO_ELEMENT, Traits};
use crate::line_markers::{Marker, Markers};
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;

use super::post_numbers::number_of_post;

/// The most weight of a line that says when a post was written.
const DATE_WEIGHT_MAX: u32 = 200;
/// A name stands at most so many lines before the time, or so many behind it.
const LINES_BEFORE: usize = 16;
const LINES_BEHIND: usize = 4;
/// Levels from a name to the element that is marked as a user's.
const LEVELS: usize = 4;
/// The most weight of a name.
const NAME_WEIGHT_MAX: usize = 60;
/// The least weight of a post's text: shorter lines are labels.
const TEXT_WEIGHT_MIN: u32 = 20;
/// The least words of a link that leads to a page of the post's own.
const TITLE_WORDS_MIN: u32 = 3;
/// The most signatures that are looked at.
const SIGNATURES_MAX: usize = 400;
/// The most kinds of lines with a time that are looked at, those with the most lines: each is compared with
/// the whole page.
const GROUPS_MAX: usize = 16;

/// Parts of a page beside its content, and what is signed without being a post. Programs name posts comments, and put them
/// into forms.
const OTHERS: Hints = OTHER_PARTS.without(&[Hint::Comment, Hint::Form]);
/// Those of them that are no place on the page.
const NO_PLACES: Hints = OTHERS.without(&[Hint::Nav, Hint::Footer, Hint::Side]);

/// A page made of posts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Thread {
    /// The lines that sign its posts, those of each kind in the order of the page.
    pub signatures: Vec<Vec<usize>>,
}

/// The thread that a page is: it is made of signed posts, or declares in its markup that it is one question with its
/// answers. In a forum (`is_in_forum`) a first post that is longer than all answers is no article.
pub(super) fn find(flat: &FlatDom<'_>, survey: &Survey, is_in_forum: bool) -> Option<Thread> {
    let mut prose = None;
    let mut is_most = |first: usize, begin: usize| {
        let prose = prose.get_or_insert_with(|| prose_before(flat, survey));
        !in_comments(flat, first) && (is_in_forum || is_most_of_page(flat, prose, first, begin))
    };
    let is_declared =
        is_question(flat) || best_answer(flat, survey).is_some_and(|at| is_most(at, at));
    let signatures = signatures(flat, survey);
    let is_signed = |group: &Vec<usize>| is_most(group[0], begin_of_first(flat, group));
    (signatures.iter().any(is_signed) || is_declared).then_some(Thread { signatures })
}

/// The groups of lines that sign posts.
fn signatures(flat: &FlatDom<'_>, survey: &Survey) -> Vec<Vec<usize>> {
    let mut groups: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
    for (run, markers) in survey.markers.iter().enumerate() {
        let line = &flat.runs[run];
        if markers.has(Marker::Date) && line.counts.weight < DATE_WEIGHT_MAX && !is_prose(line) {
            let group = groups.entry(shape(flat, line.owner)).or_default();
            if group.len() < SIGNATURES_MAX {
                group.push(run);
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = groups
        .into_values()
        .filter(|group| group.len() >= 2)
        .collect();
    for group in &mut groups {
        *group = (0..group.len())
            .filter(|&at| !is_signed_elsewhere(flat, group, at))
            .map(|at| group[at])
            .collect();
    }
    groups.retain(|group| group.len() >= 2);
    groups.sort_unstable_by_key(|group| (Reverse(group.len()), group[0]));
    groups.truncate(GROUPS_MAX);
    groups.retain(|group| are_signatures(flat, survey, group));
    groups
}

/// The run that the first of some posts begins with, in the largest element around its signature that has not the next
/// one: some programs sign a post below its text.
fn begin_of_first(flat: &FlatDom<'_>, lines: &[usize]) -> usize {
    let owner = |at: usize| flat.runs[lines[at]].owner;
    let around = flat.ancestors(owner(0));
    let post = around.take_while(|&at| !flat.contains(at, owner(1))).last();
    post.map_or(lines[0], |at| {
        lines[0].min(flat.elements[at as usize].first_run as usize)
    })
}

/// A list of frequent questions has several.
fn is_question(flat: &FlatDom<'_>) -> bool {
    let count = |kind: &str| {
        let types = flat.elements.iter();
        let types = types.filter_map(|element| element.element.attr("itemtype"));
        types.filter(|type_| type_.ends_with(kind)).count()
    };
    count("schema.org/Question") == 1 && count("schema.org/Answer") > 0
}

/// The line that heads the best answer to a question, where another one heads the other answers.
fn best_answer(flat: &FlatDom<'_>, survey: &Survey) -> Option<usize> {
    const BEST: [&str; 6] = [
        "最佳答案",
        "最佳回答",
        "推荐答案",
        "满意答案",
        "满意回答",
        "ベストアンサー",
    ];
    const OTHERS: [&str; 6] = [
        "其他回答",
        "其它回答",
        "其他答案",
        "更多回答",
        "全部回答",
        "その他の回答",
    ];
    const WEIGHT_MAX: u32 = 60;
    let head = |labels: &[&str]| {
        let mut runs = 0..flat.runs.len();
        runs.find(|&run| {
            let line = &flat.runs[run];
            line.counts.weight <= WEIGHT_MAX
                && line.link_weight == 0
                && labels
                    .iter()
                    .any(|label| survey.texts[run].starts_with(label))
                && !is_elsewhere(flat, line.owner)
        })
    };
    head(&OTHERS).and_then(|_| head(&BEST))
}

/// The kind of an element, with that of the one around it: replies to replies are nested, so the whole path
/// differs.
fn shape(flat: &FlatDom<'_>, at: ElementIndex) -> (u32, u32) {
    let element = &flat.elements[at as usize];
    let parent = flat.elements.get(element.parent as usize);
    (element.shape, parent.map_or(0, |parent| parent.shape))
}

fn is_elsewhere(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let mut around = flat.ancestors(at).map(|at| &flat.elements[at as usize]);
    around.any(|element| is_frame(element) || is_named_otherwise(element))
}

fn is_frame(element: &FlatElement<'_>) -> bool {
    matches!(element.tag, Tag::Nav | Tag::Aside | Tag::Footer)
}

fn is_named_otherwise(element: &FlatElement<'_>) -> bool {
    element.hints.has_any(OTHERS) && !matches!(element.tag, Tag::Body | Tag::Html)
}

/// Whether the line at a place of a group stands in another part of the page. What place an element around each line of
/// its own is named after says nothing: in a table of posts the text stands "right".
fn is_signed_elsewhere(flat: &FlatDom<'_>, lines: &[usize], at: usize) -> bool {
    let owner = |at: usize| flat.runs[lines[at]].owner;
    let beside = if at == 0 { 1 } else { at - 1 };
    let mut others = flat.ancestors(owner(beside));
    flat.ancestors(owner(at)).any(|around| {
        let element = &flat.elements[around as usize];
        let other = others
            .next()
            .map(|other| flat.elements[other as usize].shape);
        let is_of_unit = || {
            !element.hints.has_any(NO_PLACES)
                && holds_one(element, lines, at)
                && other == Some(element.shape)
        };
        is_frame(element) || is_named_otherwise(element) && !is_of_unit()
    })
}

/// Whether an element around the line at a place of a group has no other line of it.
fn holds_one(element: &FlatElement<'_>, lines: &[usize], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| lines[at]);
    let behind = lines.get(at + 1);
    before.is_none_or(|run| run < element.first_run as usize)
        && behind.is_none_or(|&run| run >= element.end_run as usize)
}

/// Whether lines with a time, two or more, are those of posts.
fn are_signatures(flat: &FlatDom<'_>, survey: &Survey, lines: &[usize]) -> bool {
    let names: Vec<&str> = (0..lines.len())
        .filter_map(|at| writer(flat, lines, at))
        .collect();
    let is_of_two = names.windows(2).any(|names| names[0] != names[1]);
    let are_named = is_of_two && names.len() * 3 >= lines.len() * 2;
    if !are_named && !count_posts(survey, lines) {
        return false;
    }
    let gaps = || lines.windows(2).map(|lines| lines[0] + 1..lines[1]);
    let count = |has: &dyn Fn(usize) -> bool| gaps().filter(|gap| gap.clone().any(has)).count();
    let texts = count(&|run| is_text(flat, survey, run));
    let titles = count(&|run| is_title(flat, run));
    let in_lines = lines.iter().filter(|&&run| has_title(flat, run)).count();
    let between = lines.len() - 1;
    texts * 3 >= between * 2 && titles * 2 < between && in_lines * 2 < lines.len()
}

/// Whether lines with a time count the posts, each with a higher number than the one before, and most with the next one:
/// some posts are deleted.
fn count_posts(survey: &Survey, lines: &[usize]) -> bool {
    let numbers: Option<Vec<u32>> = lines
        .iter()
        .map(|&line| number_of_post(&survey.texts[line]))
        .collect();
    numbers.is_some_and(|numbers| {
        let steps = || numbers.windows(2).map(|two| (two[0], two[1]));
        let next = steps().filter(|(one, other)| one.checked_add(1) == Some(*other));
        steps().all(|(one, other)| one < other) && next.count() * 4 >= steps().count() * 3
    })
}

/// The name beside a time that is marked as a user's.
fn writer<'d>(flat: &FlatDom<'d>, lines: &[usize], at: usize) -> Option<&'d str> {
    let line = lines[at];
    let from = at.checked_sub(1).map_or(0, |before| lines[before] + 1);
    let end = lines.get(at + 1).copied().unwrap_or(flat.runs.len());
    let before = (from.max(line.saturating_sub(LINES_BEFORE))..line).rev();
    let behind = line + 1..end.min(line + 1 + LINES_BEHIND);
    [line]
        .into_iter()
        .chain(before)
        .chain(behind)
        .find_map(|run| name_in(flat, run))
}

/// The name in a line: what links to a user, else what is marked as a user's. A label beside the link may be marked so as
/// well: "Post by".
fn name_in<'d>(flat: &FlatDom<'d>, run: usize) -> Option<&'d str> {
    let pieces = &flat.runs[run].pieces;
    let pieces = &flat.pieces[pieces.start as usize..pieces.end as usize];
    let mut lower = String::new();
    let mut named = |is_link: bool| {
        let name = pieces.iter().find(|piece| {
            let text = piece.text.trim();
            let is_name = text.len() <= NAME_WEIGHT_MAX && text.contains(char::is_alphabetic);
            let is_marked = |at: ElementIndex| {
                let may_mark = !is_link || flat.elements[at as usize].traits.has(Traits::LINK);
                may_mark && is_of_user(flat, at)
            };
            is_name
                && flat.ancestors(piece.element).take(LEVELS).any(is_marked)
                && !Markers::of(text, &mut lower).has(Marker::Date)
        })?;
        Some(name.text.trim())
    };
    named(true).or_else(|| named(false))
}

/// Whether an element is marked as a user's by its own name or by the address that it leads to.
fn is_of_user(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let element = &flat.elements[at as usize];
    let leads_to_user = || {
        let href = element.element.attribute(&local_name!("href"));
        is_address_of_user(href.unwrap_or_default())
    };
    element.hints.has(Hint::User) || element.traits.has(Traits::LINK) && leads_to_user()
}

/// Whether the path of an address has a word for users, or leads to one of them in another known form: "/people/7/",
/// "/u/marta", "?uid=7". Behind "people" may stand a text as well, whose words are parted by dashes.
fn is_address_of_user(href: &str) -> bool {
    let path = match href.split_once("//") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => href,
    };
    let mut hints = Hints::default();
    hints.read(path);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    let is_name = |segment: &str| segment.matches('-').count() < 2;
    let is_one = match (segments.next(), segments.next(), segments.next()) {
        (Some("people" | "u"), Some(name), None) => is_name(name),
        _ => false,
    };
    let has_number = || query.split('&').any(|part| part.starts_with("uid="));
    hints.has(Hint::User) || is_one || has_number()
}

/// Whether a line is part of a post's text.
fn is_text(flat: &FlatDom<'_>, survey: &Survey, run: usize) -> bool {
    let line = &flat.runs[run];
    line.counts.weight >= TEXT_WEIGHT_MIN
        && line.link_weight * 2 < line.counts.weight
        && !survey.markers[run].has(Marker::Date)
}

/// Whether a line is a link to another page than a user's.
fn is_title(flat: &FlatDom<'_>, run: usize) -> bool {
    let line = &flat.runs[run];
    line.link_weight * 5 > line.counts.weight * 4
        && line.counts.words >= TITLE_WORDS_MIN
        && leads_on(flat, flat.pieces[line.pieces.start as usize].element)
}

/// Whether a link to another page than a user's stands in a line with a time.
fn has_title(flat: &FlatDom<'_>, run: usize) -> bool {
    let pieces = &flat.runs[run].pieces;
    let mut lower = String::new();
    flat.pieces[pieces.start as usize..pieces.end as usize]
        .iter()
        .any(|piece| {
            piece.text.split_whitespace().count() >= TITLE_WORDS_MIN as usize
                && leads_on(flat, piece.element)
                && !Markers::of(piece.text.trim(), &mut lower).has(Marker::Date)
        })
}

/// Whether an element stands in a link to another page than a user's.
fn leads_on(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let mut around = flat.ancestors(at);
    let link = around.find(|&at| flat.elements[at as usize].traits.has(Traits::LINK));
    link.is_some_and(|at| {
        let href = flat.elements[at as usize].element.attr("href");
        let is_place = href.is_none_or(|href| href.contains('#'));
        !is_place && !is_of_user(flat, at)
    })
}

/// The weight of the page's prose before each of its lines, and that of all of it at the end. What asks to log in
/// is no text: over a thread of short posts it outweighed them.
fn prose_before(flat: &FlatDom<'_>, survey: &Survey) -> Vec<u32> {
    let mut prose = vec![0];
    let mut all = 0;
    for (run, line) in flat.runs.iter().enumerate() {
        let is_notice = survey.markers[run].has(Marker::Wall);
        if is_prose(line)
            && !is_notice
            && !is_elsewhere(flat, line.owner)
            && !in_comments(flat, run)
        {
            all += line.counts.weight;
        }
        prose.push(all);
    }
    prose
}

/// Whether posts from a run on outweigh what stands before: half of the page's prose, and three quarters where the
/// element around the first signature is named comment.
fn is_most_of_page(flat: &FlatDom<'_>, prose: &[u32], first: usize, begin: usize) -> bool {
    let (before, all) = (prose[begin], prose[flat.runs.len()]);
    let is_comment = flat.ancestors(flat.runs[first].owner).any(|at| {
        let element = &flat.elements[at as usize];
        element.hints.has(Hint::Comment) && element.parent != NO_ELEMENT && element.tag != Tag::Body
    });
    before * if is_comment { 4 } else { 2 } <= all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, is_thread: bool) {
        check_in(false, body, is_thread);
    }

    #[track_caller]
    fn check_in(is_in_forum: bool, body: &str, is_thread: bool) {
        let html = scraper::Html::parse_document(body);
        let flat = FlatDom::of(&html);
        let found = find(&flat, &Survey::of(&flat), is_in_forum);
        assert_eq!(found.is_some(), is_thread, "{body}");
    }

    const TEXT: &str = "I had the same trouble with the pump until I found that the plug was loose, so look there.";

    fn posts(post: impl Fn(&str, u32) -> String) -> String {
        let users = ["marta_k", "old_salt", "hank42"];
        (1..=3).map(|at| post(users[at as usize - 1], at)).collect()
    }

    #[test]
    fn posts_with_a_writer_and_a_time_each_are_a_thread_in_any_markup() {
        check(
            &posts(|user, at| {
                format!(
                    "<div class=cell><a href=/member/{user}>{user}</a> {at} hours ago<p>{TEXT}</div>"
                )
            }),
            true,
        );
        check(
            &posts(|user, at| {
                format!(
                    "<div><h4 class=poster><a href=/x>{user}</a></h4><ul><li>Full Member<li>Posts: {at}</ul><div class=when>on: May {at}, 2020</div><div>{TEXT}</div></div>"
                )
            }),
            true,
        );
        check(
            &posts(|user, at| {
                format!(
                    "<table><tr><td><a href='user?id={user}'>{user}</a> <span>{at} days ago</span><tr><td>{TEXT}</table>"
                )
            }),
            true,
        );
        // Replies to replies.
        let nested = |inner: String| {
            format!(
                "<div class=thing><p class=line><a class=author href=/x>hank{}</a> 2 days ago<div>{TEXT}</div>{inner}</div>",
                inner.len()
            )
        };
        check(&nested(nested(nested(String::new()))), true);
    }

    #[test]
    fn posts_that_are_counted_and_answers_under_their_heads_are_a_thread() {
        let floor =
            |user: &str, at: u32| format!("<dt>{at}楼 {user} 2020-05-0{at} 12:30<dd>{TEXT}");
        check(&format!("<dl>{}</dl>", posts(floor)), true);
        let wide =
            |user: &str, at: u32| format!("<dt>{at} ：{user}：2020/05/0{at} 12:30<dd>{TEXT}");
        check(&format!("<dl>{}</dl>", posts(wide)), true);
        let not = |user: &str, at: u32| format!("<dt>高楼 {user} 2020-05-0{at} 12:30<dd>{TEXT}");
        check(&format!("<dl>{}</dl>", posts(not)), false);
        // Floors of comments below an article.
        let comments = format!("<p>{}</p><dl>{}</dl>", TEXT.repeat(4), posts(floor));
        check(&comments, false);
        let answers =
            |other: &str| format!("<p>{TEXT}<h3>最佳答案</h3><p>{TEXT}<h3>{other}</h3><p>{TEXT}");
        check(&answers("其他回答（2）"), true);
        check(&answers("相关问题"), false);
        // Below a text to read they are those of an exam.
        check(
            &format!("<p>{}{}", TEXT.repeat(3), answers("其他答案")),
            false,
        );
    }

    #[test]
    fn times_and_floors_of_a_house_count_no_posts() {
        let rows = |heads: &[&str]| -> String {
            let row = |head: &&str| format!("<dt>{head}<dd>{TEXT}");
            heads.iter().map(row).collect()
        };
        let day = "2021年5月4日";
        for (heads, is_thread) in [
            (["9：00", "10：30", "14：00"], false),
            (["9 ： 00", "10 ： 00", "11 ： 00"], false),
            (["9：开幕式", "11：报告", "14：讨论"], false),
            (["1楼展厅", "2楼展厅", "3楼展厅"], false),
            (["1楼", "3楼", "7楼"], false),
            (["1楼发表于", "2楼发表于", "3楼发表于"], true),
            (["[1楼]", "[2楼]", "[3楼]"], true),
            (["#1楼", "#2楼", "#3楼"], true),
            (["11：hank42", "12：marta_k", "13：old_salt"], true),
        ] {
            let lines = heads.map(|head| format!("{head} {day} 开幕"));
            check(&rows(&lines.each_ref().map(String::as_str)), is_thread);
        }
        // Right before a day, and with a post that was deleted.
        let floors = [1, 2, 3, 5, 6].map(|at| format!("{at}楼2020-05-01 12:30"));
        check(&rows(&floors.each_ref().map(String::as_str)), true);
    }

    #[test]
    fn what_asks_to_log_in_over_short_posts_is_no_text_before_them() {
        let notice = "<p>Log in or sign up now, and be part of the biggest community of keepers, with many members.</p>";
        let post = |user: &str, at: u32| {
            format!(
                "<div class=cell><a href=/member/{user}>{user}</a> {at} hours ago<p>The plug of {user} was loose</div>"
            )
        };
        check(&format!("{notice}{}", posts(post)), true);
        let text = notice.replace("Log in or sign up now", "The lock was built in May");
        check(&format!("{text}{}", posts(post)), false);
    }

    #[test]
    fn posts_are_found_among_as_many_other_kinds_of_dates() {
        let post = |user: &str, at: u32| {
            format!(
                "<div class=cell><a href=/member/{user}>{user}</a> {at} hours ago<p>{TEXT}</div>"
            )
        };
        let other = |at: usize| format!("<div class=k{at}>May 3, 2020</div>").repeat(2);
        let others: String = (0..GROUPS_MAX * 4).map(other).collect();
        check(&(others.clone() + &posts(post)), true);
        check(&others, false);
    }

    #[test]
    fn comments_below_an_article_and_posts_with_pages_of_their_own_are_none() {
        let comments = posts(|user, at| {
            format!(
                "<div class=comment><a class=author href=/x>{user}</a> {at} days ago<p>{TEXT}</div>"
            )
        });
        check(&comments, true);
        check(&format!("<p>{}</p>{comments}", TEXT.repeat(3)), false);
        check(&format!("<div id=comments>{comments}</div>"), false);
        check(
            &posts(|user, at| {
                format!(
                    "<div><a href=/{at}>The pump of the harbour</a><p><a class=author href=/x>{user}</a> {at} days ago<p>{TEXT}</div>"
                )
            }),
            false,
        );
        check(
            &posts(|user, at| {
                format!(
                    "<p><a href=/{at}>The pump of the harbour</a>, May {at}, 2020 <b class=author>{user}</b><p>{TEXT}"
                )
            }),
            false,
        );
    }

    #[test]
    fn the_first_post_of_a_forum_may_be_longer_than_all_answers() {
        let answers = posts(|user, at| {
            format!("<div><a class=user href=/x>{user}</a> {at} days ago<p>{TEXT}</div>")
        });
        let page = format!("<p>{}</p>{answers}", TEXT.repeat(9));
        check_in(true, &page, true);
        check_in(false, &page, false);
        check_in(true, &format!("<div id=comments>{page}</div>"), false);
    }

    #[test]
    fn a_post_may_be_signed_below_its_text() {
        let signed = |text: &str| {
            posts(|user, at| {
                format!("<div class=p><p>{text}</p><i class=user>{user}</i> {at} days ago</div>")
            })
        };
        check(&signed(TEXT), true);
        check(&format!("<p>{}</p>{}", TEXT.repeat(9), signed(TEXT)), false);
    }

    #[test]
    fn what_the_own_element_of_each_post_is_named_says_nothing() {
        let right = |user: &str, at: u32| {
            format!("<td class=right><a class=user href=/x>{user}</a> {at} days ago<p>{TEXT}")
        };
        let rows = posts(|user, at| format!("<tr>{}", right(user, at)));
        check(&format!("<table>{rows}</table>"), true);
        check(&format!("<table class=right>{rows}</table>"), false);
    }

    #[test]
    fn an_address_of_a_user_is_known_by_its_form() {
        for (href, is_one) in [
            ("https://a.example/people/7/", true),
            ("/u/marta", true),
            ("space.php?x=1&uid=7", true),
            ("/people/the-pump-of-the-harbour", false),
            ("/people/2020/pump", false),
        ] {
            assert_eq!(is_address_of_user(href), is_one, "{href}");
        }
    }

    #[test]
    fn one_question_with_answers_is_a_thread_and_several_are_a_list_of_them() {
        let one = "<div itemscope itemtype=https://schema.org/Question><h1>Why?</h1><div itemscope itemtype=https://schema.org/Answer><p>So.</div></div>";
        check(one, true);
        check(&one.repeat(3), false);
    }

    #[test]
    fn sections_of_one_writer_or_without_any_are_none() {
        check(
            &posts(|_, at| {
                format!("<div><a class=author href=/x>marta_k</a> {at} days ago<p>{TEXT}</div>")
            }),
            false,
        );
        check(
            &posts(|user, at| {
                format!(
                    "<div><a href=//user.a.example/{at}>{user}</a> {at} days ago<p>{TEXT}</div>"
                )
            }),
            false,
        );
        check(
            &posts(|user, at| format!("<div><b>{user}</b> {at} days ago<p>{TEXT}</div>")),
            false,
        );
        check(
            &posts(|user, _| format!("<div class=answer><b class=user>{user}</b><p>{TEXT}</div>")),
            false,
        );
        check(
            &posts(|user, at| {
                format!("<div class=review><b class=user>{user}</b> {at} days ago<p>{TEXT}</div>")
            }),
            false,
        );
    }
}
