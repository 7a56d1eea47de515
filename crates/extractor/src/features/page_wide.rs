//! Features of the page as a whole, the same for all its runs: its kind decides what evidence about
//! a run is worth.

use url::Url;

use super::table::{Row, log};
use crate::flat_dom::{FlatDom, NO_ELEMENT};
use crate::line_markers::Marker;
use crate::prefix_sums::{RunTotals, is_prose, share};
use crate::structured::{Kinds, Structured};
use crate::survey::Survey;

/// Facts about the page that are the same for all its runs.
pub(super) struct PageFacts {
    /// Totals over all runs.
    pub(super) page: RunTotals,
    /// The share of the text's weight in Chinese, Japanese and Korean characters.
    cjk: f32,
    kinds: Kinds,
    og_article: bool,
    og_product: bool,
    url_segments: u32,
    /// The last segment of the path has four digits or more.
    url_digits: bool,
    /// Words in the last segment of the path.
    url_words: u32,
    /// The share of the runs with a price.
    prices: f32,
    /// The share of the runs with a date.
    dates: f32,
    /// The share of the text in the largest group of repeated units.
    unit_share: f32,
    /// The weight of the longest run of prose.
    longest: u32,
}

/// What kind of page this is.
pub(super) fn put_page(row: &mut Row<'_>, survey: &Survey, facts: &PageFacts) {
    row.put("page_weight", log(facts.page.weight));
    row.put("page_runs", log(facts.page.runs));
    row.put("page_links", facts.page.link_density());
    row.put("page_prose", facts.page.prose_share());
    row.put("page_mean", log(facts.page.weight / facts.page.runs.max(1)));
    row.put("page_words", log(facts.page.words));
    row.put("page_cjk", facts.cjk);
    row.put("page_headings", log(facts.page.headings));
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

/// Gathers the facts.
pub(super) fn page_facts(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    url: &Url,
) -> PageFacts {
    let page = survey.sums.page();
    let share_with = |marker: Marker| {
        let hits = survey
            .markers
            .iter()
            .filter(|markers| markers.has(marker))
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
        cjk: share(cjk, page.weight, 0.0),
        kinds: structured.kinds,
        og_article: og.contains("article"),
        og_product: og.contains("product"),
        url_segments: segments.len() as u32,
        url_digits: last.bytes().filter(u8::is_ascii_digit).count() >= 4,
        url_words: last.split(['-', '_']).count() as u32,
        prices: share_with(Marker::Price),
        dates: share_with(Marker::Date),
        unit_share: survey
            .units
            .iter()
            .map(|unit| share(unit.weight, page.weight, 0.0))
            .fold(0.0, f32::max),
        longest: flat
            .runs
            .iter()
            .filter(|run| is_prose(run))
            .map(|run| run.counts.weight)
            .max()
            .unwrap_or(0),
    }
}
