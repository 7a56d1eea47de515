//! One page's markup to a [`Page`]: the steps of the crate in order, on one DOM.

use std::collections::HashSet;

use html5ever::local_name;
use scraper::Html;
use url::Url;

use crate::assemble::assemble;
use crate::carried::{self, Carried, Facts};
use crate::class_hints::Hint;
use crate::classifier::{self, Classification, Classified};
use crate::closings;
use crate::directives;
use crate::dom::{self, BoundedDom};
use crate::features;
use crate::flat_dom::{FlatDom, Traits};
use crate::host_templates;
use crate::layout;
use crate::line_markers::Marker;
use crate::links;
use crate::metadata::title_ends::{self, letters};
use crate::metadata::{self, Metadata};
use crate::own_text::Surroundings;
use crate::page::{Page, PageContext, PageType, TextSource, WallDoubt};
use crate::parse_limits::DomLimits;
use crate::prefix_sums::share;
use crate::stated_url;
use crate::structured::Structured;
use crate::survey::Survey;
use crate::walls;

/// Reads a page: main content, fields, links and directives, from one DOM.
///
/// Never fails and never panics: broken markup makes a poor page. The cost is linear in the length
/// of `html` within [`PageContext::limits`]; the limits that were met are in [`Page::limits_hit`].
///
/// ```
/// use extractor::{PageContext, extract};
/// let url = url::Url::parse("https://example.org/a").unwrap();
/// let page = extract("<title>T</title><p>A first sentence, long enough.", &PageContext::new(&url));
/// assert_eq!(page.title.as_deref(), Some("T"));
/// ```
pub fn extract(html: &str, context: &PageContext<'_>) -> Page {
    let dom = dom::parse_as(context.syntax(), html, context.limits);
    let without_frames = without_frames(&dom.html);
    let mut page = extract_dom(dom, context);
    if let Some(html) = without_frames {
        let beside = extract_dom(dom::parse(&html, context.limits), context);
        add_without_frames(&mut page, beside);
    }
    page
}

/// Reads markup whose whole text is content.
pub(crate) fn extract_whole(html: &str, context: &PageContext<'_>) -> Page {
    extract_content(dom::parse(html, context.limits), context, Content::Whole)
}

/// Which text of a page is its content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// What the classifier chooses.
    Chosen,
    /// All that a reader sees.
    Whole,
}

/// What a page of frames says to a browser that has none: markup that the parser leaves as it is.
fn without_frames(html: &Html) -> Option<String> {
    let mut elements = html.tree.nodes().filter(|node| {
        let element = node.value().as_element();
        element.is_some_and(|element| element.name.local == local_name!("noframes"))
    });
    let text = elements.next()?.first_child()?.value().as_text()?;
    (!text.trim().is_empty()).then(|| text.to_string())
}

/// Adds the links of what stands there, and its text where the page has none: a set of frames is but a frame.
fn add_without_frames(page: &mut Page, beside: Page) {
    let known: HashSet<Url> = page.links.iter().map(|link| link.url.clone()).collect();
    let others = beside.links.into_iter();
    page.links
        .extend(others.filter(|link| !known.contains(&link.url)));
    if page.text.is_empty() && !beside.text.is_empty() {
        page.text = beside.text;
        page.blocks = beside.blocks;
        page.formulas = beside.formulas;
        page.source = TextSource::Noframes;
        page.lang = page.lang.take().or(beside.lang);
        page.title = page.title.take().or(beside.title);
    }
}

fn extract_dom(dom: BoundedDom, context: &PageContext<'_>) -> Page {
    extract_content(dom, context, Content::Chosen)
}

fn extract_content(dom: BoundedDom, context: &PageContext<'_>, content: Content) -> Page {
    let flat = FlatDom::of(&dom.html);
    let survey = Survey::of(&flat);
    let structured = Structured::read(&flat.json_ld);
    let stated = stated_url::of_unknown(context.url, &flat);
    let context = &PageContext {
        url: stated.as_ref().unwrap_or(context.url),
        ..*context
    };
    let (classification, paths) = classification(&flat, &survey, &structured, context.url, content);
    let main = &classification.main;
    let mut made = assemble(&dom.html, &flat, &survey.texts, main);
    let found = links::links(&dom.html, context);
    let classified = Classified {
        html: &dom.html,
        flat: &flat,
        survey: &survey,
        structured: &structured,
        page_type: &classification.page_type,
        leads_on: classification.leads_on,
        main,
    };
    let mut fields = metadata::read(&classified, &found.base, context);
    let mut limits_hit = dom.limits_hit;
    limits_hit.extend(found.limits_hit.into_iter().chain(flat.cut));
    let mut links = found.links;
    mark_main(&flat, main, &found.nodes, &mut links);
    let (visible_text_chars, link_density) = visible(&flat);
    let (wall, doubt) = wall(&classified, visible_text_chars, context, content).unzip();
    // What a wall carries is no text of the page.
    let carried = match (&wall, content) {
        (None, Content::Chosen) => carried::add(&classified, &mut made),
        (Some(_), _) | (_, Content::Whole) => Carried::default(),
    };
    add_facts(&mut fields, &carried.facts, &flat.title);
    leave_out_closings(&classified, content, &carried, &mut made.blocks);
    Page {
        text: crate::blocks::plain(&made.blocks),
        blocks: made.blocks,
        formulas: made.formulas,
        source: carried.source,
        added: carried.added,
        needs_scripts: carried.needs_scripts,
        comments: comments(&flat, &survey, main),
        page_type: match wall {
            Some(_) => PageType::Wall,
            None => type_with(&classification.page_type, &carried.facts),
        },
        doubt: doubt.flatten(),
        wall,
        layout: layout::of(&flat),
        title: fields.title,
        author: fields.author,
        published: fields.published,
        modified: fields.modified,
        site_name: fields.site_name,
        lang: fields.lang,
        description: fields.description,
        image: fields.image,
        licence: fields.licence,
        canonical: found.canonical,
        base: found.base,
        refresh: found.refresh,
        directives: directives::directives(&dom.html, context),
        links,
        resources: found.resources,
        visible_text_chars,
        link_density,
        limits_hit,
        left_out: host_templates::left_out(&survey.texts, main),
        surroundings: Surroundings::of(&flat, &survey.texts, &paths, main),
    }
}

/// Leaves out what a running text of the page's own ends with and that is none of it.
fn leave_out_closings(
    page: &Classified<'_, '_>,
    content: Content,
    carried: &Carried,
    blocks: &mut Vec<crate::blocks::Block>,
) {
    let is_text = classifier::is_running_text(page.page_type) && carried.added.is_empty();
    if content == Content::Chosen && is_text {
        closings::leave_out(blocks);
    }
}

/// Adds what is said of the text where it is from. A title is added only where there is none, or where `<title>` says
/// it at one of its ends: not the site's, not in place of one that it is a part of, unless it is most of that and set
/// apart, nor of one at the other end that is more than twice as long, since names of sites and sections are short.
fn add_facts(fields: &mut Metadata, facts: &Facts, page_title: &str) {
    let says = |title: &str| title_ends::repeats(page_title, title);
    let site = fields.site_name.as_deref().map(letters);
    let is_better = |title: &str, found: &str| {
        let (of_title, of_found) = (letters(title), letters(found));
        let is_most = of_title.len() * 2 >= of_found.len();
        let is_part = of_found.contains(&of_title);
        says(title)
            && site.as_ref() != Some(&of_title)
            && of_title != of_found
            && (!is_part || is_most && title_ends::repeats(found, title))
            && (is_most || !says(found))
    };
    if let Some(title) = &facts.title {
        let found = fields.title.as_deref();
        if found.is_none_or(|found| is_better(title, found)) {
            fields.title = Some(title.clone());
        }
    }
    let add = |field: &mut Option<String>, fact: &Option<String>| {
        *field = field.take().or_else(|| fact.clone());
    };
    add(&mut fields.author, &facts.author);
    add(&mut fields.published, &facts.published);
    add(&mut fields.modified, &facts.modified);
}

/// The type of a page whose text has these facts: what was shown of it says nothing.
fn type_with(shown: &PageType, facts: &Facts) -> PageType {
    match shown {
        PageType::Other if facts.are_of_an_article() => PageType::Article,
        shown => shown.clone(),
    }
}

/// The wall that stands in the page's place, if one does, and what may be said against its being one.
fn wall(
    page: &Classified<'_, '_>,
    visible: usize,
    context: &PageContext<'_>,
    content: Content,
) -> Option<(outcome::Wall, Option<WallDoubt>)> {
    let Content::Chosen = content else {
        return None;
    };
    let texts = (page.survey.texts.as_slice(), page.main);
    let (wall, said_in) = walls::find(page.html, page.flat, texts, visible, context)?;
    let doubt = said_in.map(|lines| WallDoubt {
        lines,
        page_type: page.page_type.clone(),
    });
    Some((wall, doubt))
}

/// Which runs are content, and what kind of page it is; and the path of each run.
fn classification(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    url: &Url,
    content: Content,
) -> (Classification, Vec<u64>) {
    let features = features::compute(flat, survey, structured, url);
    let chosen = classifier::classify(flat, survey, &features, structured, url);
    let chosen = match content {
        Content::Chosen => chosen,
        Content::Whole => Classification {
            main: shown_runs(flat),
            ..chosen
        },
    };
    (chosen, features.paths)
}

/// Sets `in_main` of the links whose text is in a chosen run.
fn mark_main(
    flat: &FlatDom<'_>,
    main: &[bool],
    nodes: &[Option<ego_tree::NodeId>],
    links: &mut [crate::page::Link],
) {
    let mut in_main: HashSet<ego_tree::NodeId> = HashSet::new();
    for (index, run) in flat.runs.iter().enumerate() {
        if !main[index] || run.link_weight == 0 {
            continue;
        }
        for piece in &flat.pieces[run.pieces.start as usize..run.pieces.end as usize] {
            let link = flat
                .ancestors(piece.element)
                .find(|&at| flat.elements[at as usize].traits.has(Traits::LINK));
            if let Some(at) = link {
                in_main.insert(flat.elements[at as usize].id);
            }
        }
    }
    for (link, node) in links.iter_mut().zip(nodes) {
        link.in_main = node.is_some_and(|node| in_main.contains(&node));
    }
}

/// The number of visible characters, and the share of the visible text that is in links.
fn visible(flat: &FlatDom<'_>) -> (usize, f32) {
    let (mut chars, mut weight, mut links) = (0usize, 0u32, 0u32);
    for (run, is_shown) in flat.runs.iter().zip(shown_runs(flat)) {
        if is_shown {
            chars += run.counts.chars as usize;
            weight += run.counts.weight;
            links += run.link_weight;
        }
    }
    (chars, share(links, weight, 1.0))
}

/// For each run, whether a reader sees it.
fn shown_runs(flat: &FlatDom<'_>) -> Vec<bool> {
    let mut hidden_until = 0;
    let mut hidden = vec![false; flat.elements.len()];
    for (index, element) in flat.elements.iter().enumerate() {
        if element.traits.has(Traits::HIDDEN) {
            hidden_until = hidden_until.max(element.end as usize);
        }
        hidden[index] = index < hidden_until;
    }
    let runs = flat.runs.iter();
    runs.map(|run| !hidden[run.owner as usize]).collect()
}

/// All text of a page, main content or not: a line for each that a reader sees, or would see but for
/// scripts and styles.
///
/// ```
/// let html = "<nav><a href=/>Home</a></nav><p>A first <b>sentence</b>.";
/// assert_eq!(extractor::all_text(html, &Default::default()), "Home\nA first sentence.\n");
/// ```
pub fn all_text(html: &str, limits: &DomLimits) -> String {
    let dom = dom::parse(html, limits);
    let flat = FlatDom::of(&dom.html);
    let (mut out, mut line) = (String::new(), String::new());
    for run in &flat.runs {
        flat.run_text_into(run, &mut line);
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// The comments of readers: runs inside an element named after comments that are not content, but
/// for buttons and labels.
fn comments(flat: &FlatDom<'_>, survey: &Survey, main: &[bool]) -> String {
    let page = survey.sums.page().weight;
    let mut out = String::new();
    for (index, run) in flat.runs.iter().enumerate() {
        let markers = survey.markers[index];
        if main[index]
            || run.counts.words < 3
            || run.link_weight * 2 > run.counts.weight
            || (run.counts.weight < 80
                && (markers.has(Marker::Date)
                    || markers.has(Marker::More)
                    || markers.has(Marker::Comment)
                    || markers.has(Marker::Share)
                    || markers.has(Marker::Wall)))
        {
            continue;
        }
        let in_comments = flat.ancestors(run.owner).any(|at| {
            let element = &flat.elements[at as usize];
            element.hints.has(Hint::Comment) && element.counts.weight < page
        });
        if in_comments {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&survey.texts[index]);
        }
    }
    out
}
