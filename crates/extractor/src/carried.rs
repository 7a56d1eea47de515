//! Texts that a page carries outside its visible text, used where the visible text is lacking.
//!
//! Pages that a script builds arrive empty, with their text in the script's state; shops fill in a
//! product's description later and state it in JSON-LD. Where the main content is hardly there, the
//! best of these texts takes its place; to a product its stated description is added where the page
//! does not show it. No text is taken that the page has already, so nothing is told twice.
//!
//! Sources, the most trusted first: `articleBody` and the like in JSON-LD, microdata in `content`
//! attributes, the state that a page holds for its scripts ([`state`]), `<template>`, and the description that a page
//! gives of itself. What `<noscript>` holds is visible text to a reader without scripts, so it is among
//! the runs from the beginning.
//!
//! Cost: nothing on pages with content; else one walk over the tree and over the state, within bounds.

mod needs_scripts;
mod state;

use ego_tree::NodeRef;
use html5ever::local_name;
use outcome::PageType;
use scraper::{ElementRef, Html, Node};

use crate::assemble::{Assembled, assemble};
use crate::blocks::{self, Block};
use crate::bounded::byte_prefix;
use crate::char_counts::CharCounts;
use crate::classifier::Classified;
use crate::dom::{self, Attributes};
use crate::flat_dom::{FlatDom, Traits};
use crate::page::{AddedText, TextSource};
use crate::parse_limits::DomLimits;
use crate::shingles::{RunShingles, ShingleSet};
use crate::structured::Structured;
use crate::survey::Survey;
use crate::tag::Tag;
pub(crate) use state::Facts;

/// A main content of less weight (letters, Chinese characters counted three times) is as good as none.
const EMPTY_BELOW: u32 = 240;
/// A text that takes its place has at least this weight, and is so much longer.
const BODY_MIN: u32 = 160;
const LONGER: u32 = 2;
/// A description is shorter: it is added from this weight on.
const DESCRIPTION_MIN: u32 = 60;
/// With a larger share of its shingles on the page a text is there already.
const SHARE_MAX: f32 = 0.4;
/// Texts that are looked at, the longest.
const TEXTS_MAX: usize = 8;
/// Bytes of one text that are read.
const TEXT_BYTES_MAX: usize = 256 << 10;

/// A text found outside the visible text.
#[derive(Debug)]
struct Found {
    source: TextSource,
    /// As it stands there, with markup or without.
    text: String,
    /// What is said of it beside it.
    facts: Facts,
}

impl Found {
    fn new(source: TextSource, text: impl Into<String>) -> Found {
        Found {
            source,
            text: text.into(),
            facts: Facts::default(),
        }
    }
}

/// What a page carries beside its visible text, as far as it was taken.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// Where the main content is from.
    pub source: TextSource,
    /// What was added to it.
    pub added: Vec<AddedText>,
    /// What says that the page is empty without its scripts.
    pub needs_scripts: Vec<String>,
    /// What is said of the text where it is from.
    pub facts: Facts,
}

/// Adds to the blocks of a page what it carries outside its visible text, where they lack it.
pub(crate) fn add(page: &Classified<'_, '_>, content: &mut Assembled) -> Carried {
    let needs_scripts = needs_scripts::evidence(page.html, page.flat);
    let mut shown: u32 = chosen(page.flat, page.main)
        .map(|run| run.counts.weight)
        .sum();
    let mut carried = Carried {
        source: source_of_runs(page.flat, page.main),
        added: Vec::new(),
        needs_scripts,
        facts: Facts::default(),
    };
    if shown < EMPTY_BELOW {
        if carried.source == TextSource::Noscript && !carried.needs_scripts.is_empty() {
            // The request to turn scripts on is no content.
            content.blocks.clear();
            (shown, carried.source) = (0, TextSource::Page);
        }
        if let Some((found, made)) = body(page, shown) {
            // What little was chosen is a title or a notice; it stays first.
            if shown * LONGER < weight_of(&blocks::plain(&made.blocks)) {
                carried.source = found.source;
            }
            carried.added.push(AddedText::of(found.source, &made));
            carried.facts = found.facts;
            content.extend(made);
            return carried;
        }
    }
    if *page.page_type == PageType::Product
        && let Some(description) = &page.structured.product_description
        && weight_of(description) >= DESCRIPTION_MIN
        && Known::of(page.survey).share(description) < SHARE_MAX
    {
        let made = blocks_of(description);
        carried.added.push(AddedText::of(TextSource::JsonLd, &made));
        content.extend(made);
    }
    carried
}

/// The text that takes the place of a content that is not there.
fn body(page: &Classified<'_, '_>, shown: u32) -> Option<(Found, Assembled)> {
    let Classified {
        html,
        flat,
        structured,
        ..
    } = *page;
    let known = &Known::of(page.survey);
    let of_json_ld = structured.bodies.first();
    let of_json_ld = of_json_ld.map(|text| Found::new(TextSource::JsonLd, text));
    let bodies = of_json_ld
        .into_iter()
        .chain(in_markup(html, &flat.title))
        .filter_map(|found| usable(found, known, BODY_MIN.max(shown * LONGER)));
    // Of the bodies the longest: a state may hold the article whose beginning JSON-LD has.
    let longest = bodies.max_by_key(|(_, made)| blocks::plain(&made.blocks).len());
    longest.or_else(|| {
        let described = descriptions(flat, structured).into_iter();
        let mut described =
            described.filter_map(|found| usable(found, known, DESCRIPTION_MIN.max(shown * LONGER)));
        described.next()
    })
}

fn usable(found: Found, known: &Known, weight_min: u32) -> Option<(Found, Assembled)> {
    let made = blocks_of(&found.text);
    let text = blocks::plain(&made.blocks);
    let is_new = weight_of(&text) >= weight_min && known.share(&text) < SHARE_MAX;
    is_new.then_some((found, made))
}

/// What the page says of itself in a sentence or two.
fn descriptions(flat: &FlatDom<'_>, structured: &Structured) -> Vec<Found> {
    let of_product = structured.product_description.iter();
    let stated = of_product
        .chain(&structured.descriptions)
        .map(|text| Found::new(TextSource::JsonLd, text));
    let graph = flat.meta(&["og:description", "twitter:description", "description"]);
    let graph = graph.map(|text| Found::new(TextSource::OpenGraph, text));
    stated.chain(graph).collect()
}

/// Templates that are looked at.
const TEMPLATES_MAX: usize = 64;

/// Microdata, states of frameworks and templates.
fn in_markup(html: &Html, title: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut states = state::States::of_page(title);
    let mut templates = 0;
    for node in html.tree.nodes() {
        let Node::Element(element) = node.value() else {
            continue;
        };
        match element.name.local {
            local_name!("script") => states.script(node, element),
            local_name!("textarea") => states.field(node),
            local_name!("template") => {
                // What is in a template is in its parent as well, and would be read once for each level.
                templates += 1;
                let is_template = |around: NodeRef<'_, Node>| {
                    let around = around.value().as_element();
                    around.is_some_and(|around| around.name.local == local_name!("template"))
                };
                if templates > TEMPLATES_MAX || node.ancestors().any(is_template) {
                    continue;
                }
                let inner = ElementRef::wrap(node).map(|template| template.inner_html());
                let inner = inner.filter(|inner| inner.len() <= TEXT_BYTES_MAX);
                found.extend(inner.map(|text| Found::new(TextSource::Template, text)));
            }
            _ => {
                let is_text = matches!(
                    element.attribute(&local_name!("itemprop")),
                    Some("articleBody" | "text" | "description" | "reviewBody")
                );
                let content = element.attribute(&local_name!("content"));
                found.extend(content.filter(|_| is_text).map(|text| {
                    let text = byte_prefix(text, TEXT_BYTES_MAX);
                    Found::new(TextSource::Microdata, text)
                }));
                states.attributes(element);
            }
        }
        if found.len() >= 64 {
            break;
        }
    }
    found.extend(states.texts());
    // A page may have thousands of templates.
    found.sort_by_key(|found| std::cmp::Reverse(found.text.len()));
    found.truncate(TEXTS_MAX);
    found
}

/// What the page has as text.
struct Known(ShingleSet);

impl Known {
    fn of(survey: &Survey) -> Known {
        let mut set = ShingleSet::default();
        for (index, text) in survey.texts.iter().enumerate() {
            set.add_text(&survey.shingles, index, text);
        }
        Known(set)
    }

    /// The share of a text that the page has.
    fn share(&self, text: &str) -> f32 {
        let text = [byte_prefix(text, TEXT_BYTES_MAX).to_owned()];
        self.0.share(RunShingles::of(&text).at(0))
    }
}

fn weight_of(text: &str) -> u32 {
    CharCounts::of(text).weight
}

fn chosen<'f>(
    flat: &'f FlatDom<'_>,
    main: &'f [bool],
) -> impl Iterator<Item = &'f crate::flat_dom::Run> {
    let runs = flat.runs.iter().zip(main);
    runs.filter_map(|(run, chosen)| chosen.then_some(run))
}

/// Where the chosen runs stand: in `<noscript>`, if most of their text does.
fn source_of_runs(flat: &FlatDom<'_>, main: &[bool]) -> TextSource {
    let (mut all, mut without_scripts) = (0, 0);
    let has_noscript = flat
        .elements
        .iter()
        .any(|element| element.tag == Tag::Noscript);
    if !has_noscript {
        return TextSource::Page;
    }
    for run in chosen(flat, main) {
        all += run.counts.weight;
        let mut ancestors = flat.ancestors(run.owner);
        if ancestors.any(|at| flat.elements[at as usize].tag == Tag::Noscript) {
            without_scripts += run.counts.weight;
        }
    }
    match without_scripts * 2 > all {
        true => TextSource::Noscript,
        false => TextSource::Page,
    }
}

/// A text as blocks: its markup is read if it has any, else its lines are paragraphs.
fn blocks_of(text: &str) -> Assembled {
    let text = byte_prefix(text, TEXT_BYTES_MAX);
    if !["</", "<p", "<br", "<img"]
        .iter()
        .any(|tag| text.contains(tag))
    {
        let lines = text.lines().map(crate::whitespace::collapsed);
        let lines = lines.filter(|line| !line.is_empty());
        return Assembled {
            blocks: lines.map(|text| Block::Paragraph { text }).collect(),
            formulas: Vec::new(),
        };
    }
    let dom = dom::parse(text, &DomLimits::DEFAULT);
    let flat = FlatDom::of(&dom.html);
    let texts: Vec<String> = flat.runs.iter().map(|run| flat.run_text(run)).collect();
    let is_shown = |run: &crate::flat_dom::Run| {
        !flat
            .ancestors(run.owner)
            .any(|at| flat.elements[at as usize].traits.has(Traits::HIDDEN))
    };
    let shown: Vec<bool> = flat.runs.iter().map(is_shown).collect();
    assemble(&dom.html, &flat, &texts, &shown)
}

impl AddedText {
    fn of(source: TextSource, made: &Assembled) -> AddedText {
        AddedText {
            source,
            blocks: made.blocks.len(),
            chars: blocks::plain(&made.blocks).chars().count(),
        }
    }
}
