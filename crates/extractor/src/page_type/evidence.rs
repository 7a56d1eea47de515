//! The evidence for a page's type, gathered from declarations, content and URL.

use url::Url;

use crate::class_hints::Hint;
use crate::flat_dom::{FlatDom, FlatElement, NO_ELEMENT, Run, Traits};
use crate::line_markers::{Marker, Markers};
use crate::microdata;
use crate::prefix_sums::{is_prose, share};
use crate::stated_url;
use crate::structured::{Kinds, Structured};
use crate::survey::Survey;
use crate::tag::Tag;

use super::threads::{self, Thread};
use super::{dated, offers, points};

/// What the points are computed from.
pub(super) struct Evidence<'e> {
    /// The types that JSON-LD declares, and the product that the markup does.
    pub kinds: Kinds,
    /// The type that Open Graph declares.
    pub og: &'e str,
    /// The software that made the page, in lower case.
    pub generator: String,
    /// Path and query in lower case.
    pub path: String,
    pub host: &'e str,
    /// The URL is that of the site's front page.
    pub is_root: bool,
    pub content: ContentEvidence,
    /// Headings that are links, on the whole page.
    pub linked_headings: u32,
    /// Lines with prices, on the whole page.
    pub prices: u32,
    /// Goods of a shop's list, on the whole page: lines with prices, none of them prose, in repeated
    /// units with a link.
    pub goods: u32,
    /// It offers one thing, before any goods of a list.
    pub is_offer: bool,
    /// The weight of links, on the whole page.
    pub link_weight: u32,
    /// A button to buy: "Add to cart" or the like.
    pub has_buy_button: bool,
    /// Preformatted blocks, on the whole page.
    pub code_blocks: u32,
    /// A date stands near the title, or alone below the text.
    pub is_dated: bool,
    pub article_count: u32,
    /// The posts that it consists of, signed each.
    pub thread: Option<Thread>,
    /// Elements named after users stand in several named after posts.
    pub has_users: bool,
}

/// Measures of the runs chosen as content.
#[derive(Default)]
pub(super) struct ContentEvidence {
    pub words: u32,
    pub weight: u32,
    /// The share of the weight in runs of prose.
    pub prose: f32,
    /// The share of the weight in links.
    pub links: f32,
    /// Runs that are little but links to other pages.
    pub link_lines: u32,
    /// Runs of prose.
    pub paragraphs: u32,
    /// Repeated units that hold prose.
    pub posts: u32,
    /// The share of the weight inside elements named after posts, threads or answers.
    pub in_post_names: f32,
}

impl<'e> Evidence<'e> {
    pub(super) fn gather(
        flat: &'e FlatDom<'_>,
        survey: &Survey,
        structured: &Structured,
        main: &[bool],
        url: &'e Url,
    ) -> Evidence<'e> {
        let is_price = |markers: &&Markers| markers.has(Marker::Price);
        let is_code =
            |element: &&FlatElement<'_>| element.tag == Tag::Pre && element.counts.chars > 0;
        let count = |is_so: &dyn Fn(usize) -> bool| {
            (0..flat.runs.len()).filter(|&run| is_so(run)).count() as u32
        };
        let generator = flat.meta(&["generator"]).unwrap_or("");
        let mut kinds = structured.kinds;
        if microdata::is_product(flat, survey) {
            kinds.add(Kinds::PRODUCT);
        }
        let mut found = Evidence {
            kinds,
            og: flat.meta(&["og:type"]).unwrap_or(""),
            generator: generator.to_ascii_lowercase(),
            path: path_and_query(url),
            host: url.host_str().unwrap_or("").trim_start_matches("www."),
            is_root: is_front_page(url),
            content: ContentEvidence::gather(flat, survey, main),
            linked_headings: linked_headings(flat),
            prices: survey.markers.iter().filter(is_price).count() as u32,
            goods: count(&|run| offers::is_good(flat, survey, run)),
            is_offer: offers::is_of_one(flat, survey),
            link_weight: survey.sums.page().link_weight,
            has_buy_button: count(&|run| offers::is_buy_button(survey, run)) > 0,
            code_blocks: flat.elements.iter().filter(is_code).count() as u32,
            is_dated: dated::near_title(flat, survey, main) || dated::below(flat, survey, main),
            article_count: survey.semantic.article_count,
            thread: None,
            has_users: has_users(flat),
        };
        found.thread = threads::find(flat, survey, points::is_in_forum(&found));
        found
    }
}

impl ContentEvidence {
    fn gather(flat: &FlatDom<'_>, survey: &Survey, main: &[bool]) -> ContentEvidence {
        let mut found = ContentEvidence::default();
        let (mut prose, mut links, mut in_posts) = (0, 0, 0);
        let mut last_unit = NO_ELEMENT;
        for (index, run) in flat
            .runs
            .iter()
            .enumerate()
            .filter(|(index, _)| main[*index])
        {
            found.words += run.counts.words;
            found.weight += run.counts.weight;
            links += run.link_weight;
            found.link_lines += u32::from(is_link(run) && leads_on(flat, run));
            if is_prose(run) {
                prose += run.counts.weight;
                found.paragraphs += 1;
                let unit = survey.units[index];
                let is_new = unit.element != NO_ELEMENT && unit.element != last_unit;
                if is_new && unit.count >= 2 {
                    last_unit = unit.element;
                    found.posts += 1;
                }
            }
            let is_named = flat
                .ancestors(run.owner)
                .take(6)
                .any(|at| flat.elements[at as usize].hints.has(Hint::Post));
            in_posts += if is_named { run.counts.weight } else { 0 };
        }
        found.prose = share(prose, found.weight, 0.0);
        found.links = share(links, found.weight, 0.0);
        found.in_post_names = share(in_posts, found.weight, 0.0);
        found
    }
}

fn linked_headings(flat: &FlatDom<'_>) -> u32 {
    let is_linked_heading = |run: &&Run| {
        let owner = &flat.elements[run.owner as usize];
        owner.tag.heading_level().is_some() && is_link(run)
    };
    flat.runs.iter().filter(is_linked_heading).count() as u32
}

/// Whether more than four fifths of a run are in links.
fn is_link(run: &Run) -> bool {
    run.link_weight * 5 > run.counts.weight * 4
}

/// Whether the first link of a run leads to another page: not to a place on this one, as the heads of
/// an accordion and the anchors of headings do.
fn leads_on(flat: &FlatDom<'_>, run: &Run) -> bool {
    let mut pieces = flat.pieces[run.pieces.start as usize..run.pieces.end as usize].iter();
    let link = pieces.find_map(|piece| {
        let mut around = flat.ancestors(piece.element);
        around.find(|&at| flat.elements[at as usize].traits.has(Traits::LINK))
    });
    let href = link.and_then(|at| flat.elements[at as usize].element.attr("href"));
    href.is_some_and(|href| !href.trim_start().starts_with('#'))
}

fn has_users(flat: &FlatDom<'_>) -> bool {
    const LEVELS: usize = 6;
    let is_user = |(at, element): &(usize, &FlatElement<'_>)| {
        let mut around = flat.ancestors(*at as u32).take(LEVELS);
        element.hints.has(Hint::User)
            && element.counts.chars > 0
            && around.any(|at| flat.elements[at as usize].hints.has(Hint::Post))
    };
    flat.elements.iter().enumerate().filter(is_user).count() >= 2
}

fn path_and_query(url: &Url) -> String {
    let mut path = url.path().to_ascii_lowercase();
    if let Some(query) = url.query() {
        path.push('?');
        path.push_str(&query.to_ascii_lowercase());
    }
    path.push('/');
    path
}

/// A URL that stands for one that is not known is nobody's front page.
fn is_front_page(url: &Url) -> bool {
    !stated_url::is_placeholder(url)
        && url.query().is_none()
        && matches!(
            url.path().trim_matches('/'),
            "" | "index.html" | "index.htm" | "index.php" | "en" | "zh" | "home"
        )
}
