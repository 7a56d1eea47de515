//! Features of the page: what the candidates say of a run, and what is the same for all runs.

use url::Url;

use super::{Row, log};
use crate::features::Survey;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::line_markers::Marker;
use crate::prefix_sums::{RunTotals, is_prose, share};
use crate::structured::{Kinds, Structured};

/// Facts about the page that are the same for all its runs.
pub(super) struct PageFacts {
    pub(super) page: RunTotals,
    pub(super) words: u32,
    pub(super) cjk: f32,
    pub(super) kinds: Kinds,
    pub(super) og_article: bool,
    pub(super) og_product: bool,
    pub(super) url_segments: u32,
    pub(super) url_digits: bool,
    pub(super) url_words: u32,
    pub(super) prices: f32,
    pub(super) dates: f32,
    pub(super) unit_share: f32,
    pub(super) headings: u32,
    pub(super) longest: u32,
}

/// What the candidates say.
pub(super) fn opinions(
    row: &mut Row<'_>,
    flat: &FlatDom<'_>,
    survey: &Survey,
    facts: &PageFacts,
    index: usize,
) {
    let run = &flat.runs[index];
    let within = |element: ElementIndex| -> f32 {
        if element == NO_ELEMENT {
            return -1.0;
        }
        let outer = &flat.elements[element as usize];
        if flat.contains(element, run.owner) {
            return 1.0;
        }
        if run.owner < element && index < outer.first_run as usize {
            0.0
        } else {
            0.5
        }
    };
    row.put("container", within(survey.container.element));
    row.put("container_prose", survey.container.prose_share);
    // How far the run is from the container: steps up from the container to what holds both.
    let steps = match survey.container.element {
        NO_ELEMENT => 20.0,
        container => flat
            .ancestors(container)
            .position(|at| flat.contains(at, run.owner))
            .map_or(20.0, |steps| steps as f32),
    };
    row.put("container_steps", steps);
    let levels_in = match survey.container.element {
        NO_ELEMENT => -1.0,
        container if flat.contains(container, run.owner) => {
            f32::from(flat.elements[run.owner as usize].depth)
                - f32::from(flat.elements[container as usize].depth)
        }
        _ => -1.0,
    };
    row.put("container_levels", levels_in);
    for (element, name, share_name) in [
        (survey.semantic.main, "mark_main", "mark_main_share"),
        (
            survey.semantic.article,
            "mark_article",
            "mark_article_share",
        ),
        (survey.semantic.body, "mark_body", "mark_body_share"),
        (survey.semantic.named, "mark_named", "mark_named_share"),
    ] {
        row.put(name, within(element));
        row.put(
            share_name,
            match element {
                NO_ELEMENT => -1.0,
                element => share(
                    survey.sums.under(flat, element).prose,
                    facts.page.prose,
                    0.0,
                ),
            },
        );
    }
    row.put("article_count", log(survey.semantic.article_count));
    let dense = &survey.max_subsequence;
    row.put(
        "densest",
        if dense.contains(&index) {
            1.0
        } else if index < dense.start {
            -log((dense.start - index) as u32)
        } else {
            -log((index + 1 - dense.end) as u32) - 10.0
        },
    );
    let unit = survey.units[index];
    row.put("unit_count", log(unit.count));
    row.put("unit_share", share(unit.weight, facts.page.weight, 0.0));
    row.put("unit_mean", log(unit.weight / unit.count.max(1)));
    row.put("unit_links", share(unit.link_weight, unit.weight, -1.0));
    row.put("unit_number", log(unit.number));
    let (unit_at, unit_prose) = match unit.element {
        NO_ELEMENT => (-1.0, -1.0),
        element => {
            let first = flat.elements[element as usize].first_run as usize;
            let sum = survey.sums.under(flat, element);
            ((index.saturating_sub(first)) as f32, sum.prose_share())
        }
    };
    row.put("unit_at", unit_at);
    row.put("unit_prose", unit_prose);
}

/// The innermost unit that repeats around the run.
pub(super) fn inner_unit(row: &mut Row<'_>, flat: &FlatDom<'_>, survey: &Survey, index: usize) {
    let unit = survey.inner_units[index];
    row.put("inner_count", log(unit.count));
    row.put("inner_mean", log(unit.weight / unit.count.max(1)));
    row.put("inner_links", share(unit.link_weight, unit.weight, -1.0));
    row.put("inner_number", log(unit.number));
    let (at, prose, runs) = match unit.element {
        NO_ELEMENT => (-1.0, -1.0, -1.0),
        element => {
            let first = flat.elements[element as usize].first_run as usize;
            let sum = survey.sums.under(flat, element);
            (
                index.saturating_sub(first) as f32,
                sum.prose_share(),
                log(sum.runs),
            )
        }
    };
    row.put("inner_at", at);
    row.put("inner_prose", prose);
    row.put("inner_runs", runs);
}

/// What kind of page this is.
pub(super) fn page_wide(row: &mut Row<'_>, survey: &Survey, facts: &PageFacts) {
    row.put("page_weight", log(facts.page.weight));
    row.put("page_runs", log(facts.page.runs));
    row.put("page_links", facts.page.link_density());
    row.put("page_prose", facts.page.prose_share());
    row.put("page_mean", log(facts.page.weight / facts.page.runs.max(1)));
    row.put("page_words", log(facts.words));
    row.put("page_cjk", facts.cjk);
    row.put("page_headings", log(facts.headings));
    row.put("page_longest", log(facts.longest));
    row.put("page_prices", facts.prices);
    row.put("page_dates", facts.dates);
    row.put("page_units", facts.unit_share);
    row.flag("ld_article", facts.kinds.has(Kinds::ARTICLE));
    row.flag("ld_forum", facts.kinds.has(Kinds::FORUM));
    row.flag("ld_product", facts.kinds.has(Kinds::PRODUCT));
    row.flag("ld_collection", facts.kinds.has(Kinds::COLLECTION));
    row.flag("og_article", facts.og_article);
    row.flag("og_product", facts.og_product);
    row.put("url_segments", facts.url_segments as f32);
    row.flag("url_digits", facts.url_digits);
    row.put("url_words", facts.url_words as f32);
    row.flag("has_main", survey.semantic.main != NO_ELEMENT);
}

pub(super) fn page_facts(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    url: &Url,
) -> PageFacts {
    let page = survey.sums.page();
    let count = |sign: Marker| {
        let hits = survey
            .markers
            .iter()
            .filter(|markers| markers.has(sign))
            .count();
        hits as f32 / flat.runs.len().max(1) as f32
    };
    let og = flat
        .metas
        .iter()
        .find(|(name, _)| *name == "og:type")
        .map_or("", |(_, content)| content);
    let segments: Vec<&str> = url
        .path()
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    let last = segments.last().copied().unwrap_or("");
    let cjk: u32 = flat.runs.iter().map(|run| run.counts.cjk * 3).sum();
    PageFacts {
        page,
        words: page.words,
        cjk: share(cjk, page.weight, 0.0),
        kinds: structured.kinds,
        og_article: og.contains("article"),
        og_product: og.contains("product"),
        url_segments: segments.len() as u32,
        url_digits: last.bytes().filter(u8::is_ascii_digit).count() >= 4,
        url_words: last.split(['-', '_']).count() as u32,
        prices: count(Marker::Price),
        dates: count(Marker::Date),
        unit_share: survey
            .units
            .iter()
            .map(|unit| share(unit.weight, page.weight, 0.0))
            .fold(0.0, f32::max),
        headings: page.headings,
        longest: flat
            .runs
            .iter()
            .filter(|run| is_prose(run))
            .map(|run| run.counts.weight)
            .max()
            .unwrap_or(0),
    }
}
