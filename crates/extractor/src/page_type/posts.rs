//! Pages that consist of posts, each headed by a link to its own page: the pages of a blog's index, of
//! a tag, of an archive, with whole posts or their beginnings.
//!
//! Such a page reads like an article, as it is made of articles. What gives it away are its headings:
//!
//! ```text
//!   heading, a link to /2020/07/09/switchover     ┐ a post: up to the next such heading
//!   text, perhaps "read more" to the same page    ┘
//!   heading, a link to /2020/07/05/nfs-ports      ┐ the last post: up to the end of what stands
//!   text                                          ┘ around it and not around the others
//! ```
//!
//! Two posts make a list, or one at a list's path (`/tag/ships/`). They hold nearly all of the content, none
//! holds nearly all of it by itself, and most of them have a date of their own or are linked once more behind
//! their text: before and below an article there may be headings of others, and an article may have sections
//! that are headed by links.

use std::ops::Range;

use html5ever::local_name;
use rustc_hash::FxHashSet;
use url::Url;
use weburl::resolve;

use crate::class_hints::Hint;
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, Traits};
use crate::line_markers::Marker;
use crate::stated_url::stated_url;
use crate::survey::Survey;

/// The least share of the content that all posts hold, and the greatest that one of several holds, in
/// percent.
const SHARE_MIN: u64 = 90;
const SHARE_OF_ONE_MAX: u64 = 85;
/// The most headings that are looked at.
const HEADS_MAX: usize = 500;

/// A heading that leads to another page of the site.
struct Head {
    heading: ElementIndex,
    level: u8,
    target: String,
}

/// Whether the content, the runs of `main`, is made of posts that have pages of their own.
pub(super) fn make_up(
    flat: &FlatDom<'_>,
    survey: &Survey,
    main: &[bool],
    url: &Url,
    is_list_path: bool,
) -> bool {
    let heads = heads(flat, url);
    (1..=6).any(|level| {
        let posts: Vec<&Head> = heads.iter().filter(|head| head.level == level).collect();
        let targets: FxHashSet<&str> = posts.iter().map(|post| post.target.as_str()).collect();
        let end = match posts.as_slice() {
            [] => return false,
            [_] if is_list_path => flat.runs.len(),
            [.., before, last] if targets.len() > 1 => end_of_last(flat, before, last),
            _ => return false,
        };
        let runs = runs_of(flat, &posts, end);
        hold_content(flat, main, &runs) && have_marks(flat, survey, &posts, &runs, url)
    })
}

/// The runs of each post.
fn runs_of(flat: &FlatDom<'_>, posts: &[&Head], end: usize) -> Vec<Range<usize>> {
    let begin = |post: &&Head| flat.elements[post.heading as usize].first_run as usize;
    let begins: Vec<usize> = posts.iter().map(begin).collect();
    let ends = begins[1..].iter().copied().chain([end]);
    begins.iter().zip(ends).map(|(&at, end)| at..end).collect()
}

fn heads(flat: &FlatDom<'_>, url: &Url) -> Vec<Head> {
    let stated = stated_url(flat);
    let mut bare = url.clone();
    bare.set_query(None);
    let own: Vec<String> = [Some(url), Some(&bare), stated.as_ref()]
        .into_iter()
        .flatten()
        .map(key)
        .collect();
    let mut heads: Vec<Head> = Vec::new();
    for (at, element) in flat.elements.iter().enumerate() {
        let Some(level) = element.tag.heading_level() else {
            continue;
        };
        // Who wrote a post may be its first heading.
        let around = flat.ancestors(at as ElementIndex).take(2);
        if around
            .into_iter()
            .any(|at| flat.elements[at as usize].hints.has(Hint::User))
        {
            continue;
        }
        // The link is all of the heading, in it or around it.
        if element.counts.weight == 0 || element.link_weight * 5 <= element.counts.weight * 4 {
            continue;
        }
        let inside = (at..element.end as usize).map(|inner| inner as ElementIndex);
        let mut links = inside
            .chain(flat.ancestors(at as ElementIndex))
            .filter_map(|link| target(flat, link, url, false));
        let Some(target) = links.next() else {
            continue;
        };
        let leads_up = own.iter().any(|own| own.starts_with(&target));
        if !leads_up && heads.len() < HEADS_MAX {
            heads.push(Head {
                heading: at as ElementIndex,
                level,
                target,
            });
        }
    }
    heads
}

/// The page of the same site that a link leads to; of a place on a page only where it `may_be_place`, as
/// "read more" leads to where the beginning ends.
fn target(flat: &FlatDom<'_>, link: ElementIndex, url: &Url, may_be_place: bool) -> Option<String> {
    let link = &flat.elements[link as usize];
    if !link.traits.has(Traits::LINK) {
        return None;
    }
    let href = link.element.attribute(&local_name!("href"))?;
    let to = resolve(url, href.trim())?;
    let fits = may_be_place || to.fragment().is_none();
    (fits && bare_host(&to) == bare_host(url)).then(|| key(&to))
}

fn bare_host(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// Path and query, in one spelling whether or not the path ends as a folder's.
fn key(url: &Url) -> String {
    let path = url.path().trim_end_matches('/');
    match url.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    }
}

/// One past the last run of the last post: the end of what stands around its heading and not around the
/// one before; of the page, where nothing but the heading does.
fn end_of_last(flat: &FlatDom<'_>, before: &Head, last: &Head) -> usize {
    let around = flat.ancestors(last.heading);
    let own = around.take_while(|&at| !flat.contains(at, before.heading));
    let heading = &flat.elements[last.heading as usize];
    let outermost = own.last().map(|at| &flat.elements[at as usize]);
    match outermost {
        Some(post) if post.counts.weight > heading.counts.weight => post.end_run as usize,
        _ => flat.runs.len(),
    }
}

fn hold_content(flat: &FlatDom<'_>, main: &[bool], posts: &[Range<usize>]) -> bool {
    let weight = |runs: Range<usize>| -> u64 {
        let kept = runs.filter(|&run| main[run]);
        kept.map(|run| u64::from(flat.runs[run].counts.weight))
            .sum()
    };
    let all = weight(0..flat.runs.len());
    let each: Vec<u64> = posts.iter().map(|runs| weight(runs.clone())).collect();
    let most = each.iter().copied().max().unwrap_or(0);
    all > 0
        && each.iter().sum::<u64>() * 100 >= all * SHARE_MIN
        && (each.len() == 1 || most * 100 <= all * SHARE_OF_ONE_MAX)
}

/// Whether most posts have a date in a short line, or a link to their page behind the heading.
fn have_marks(
    flat: &FlatDom<'_>,
    survey: &Survey,
    posts: &[&Head],
    runs: &[Range<usize>],
    url: &Url,
) -> bool {
    const DATE_WEIGHT_MAX: u32 = 200;
    let is_dated = |runs: &Range<usize>| {
        runs.clone().any(|run| {
            survey.markers[run].has(Marker::Date) && flat.runs[run].counts.weight < DATE_WEIGHT_MAX
        })
    };
    let ends = posts[1..].iter().map(|post| post.heading);
    let ends = ends.chain([flat.elements.len() as ElementIndex]);
    let marked = posts
        .iter()
        .zip(ends)
        .zip(runs)
        .filter(|((post, end), runs)| {
            let mut behind = flat.elements[post.heading as usize].end..*end;
            let is_linked =
                behind.any(|at| target(flat, at, url, true).as_ref() == Some(&post.target));
            is_linked || (posts.len() > 1 && is_dated(runs))
        });
    marked.count() * 3 >= posts.len() * 2
}
