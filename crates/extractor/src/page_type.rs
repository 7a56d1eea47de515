//! What kind of page it is, by evidence from several sides.
//!
//! What the publisher declares counts most, then what the page looks like, then its address. No
//! one sign decides: each adds points to a type, and the type with the most points wins if it has
//! enough of them.

use url::Url;

use crate::class_hints::Hint;
use crate::features::Survey;
use crate::flat_dom::{FlatDom, NO_ELEMENT};
use crate::line_markers::Marker;
use crate::metadata::meta;
use crate::page::PageType;
use crate::prefix_sums::share;
use crate::structured::{Kinds, Structured};
use crate::tag::Tag;

/// Points below which a page is [`PageType::Other`].
const POINTS_MIN: f32 = 2.0;

/// What the points are made of.
struct Evidence<'e> {
    kinds: Kinds,
    og: &'e str,
    generator: String,
    /// Path and query in lower case.
    path: String,
    host: &'e str,
    is_root: bool,
    /// Words of the main content.
    words: u32,
    /// The share of the main content's weight in prose runs.
    prose: f32,
    /// The share of the main content's weight in links.
    links: f32,
    /// Paragraphs of prose in the main content.
    paragraphs: u32,
    /// Headings that are links, on the whole page.
    linked_headings: u32,
    /// Lines with prices, on the whole page.
    prices: u32,
    /// "Add to cart" and its kin.
    buys: bool,
    /// Units that repeat in the main content and hold prose.
    posts: u32,
    /// Names of posts, threads, answers around the main content.
    post_names: f32,
    code: u32,
    dates_near_title: bool,
    article_count: u32,
    single_article: bool,
}

/// Guesses the type of a page; `main` tells which runs are its content.
pub(crate) fn guess(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    main: &[bool],
    url: &Url,
) -> PageType {
    let evidence = gather(flat, survey, structured, main, url);
    let mut best = (POINTS_MIN, PageType::Other);
    for (page_type, points) in points(&evidence) {
        if points > best.0 {
            best = (points, page_type);
        }
    }
    best.1
}

fn points(e: &Evidence<'_>) -> [(PageType, f32); 8] {
    let flag = |is: bool, points: f32| if is { points } else { 0.0 };
    let path_has = |words: &[&str]| words.iter().any(|word| e.path.contains(word));
    let host_starts = |words: &[&str]| words.iter().any(|word| e.host.starts_with(word));
    let long = (e.words as f32 / 250.0).min(2.0);
    // Shops and services write whole texts too, but they neither date nor declare them.
    let is_declared = e.kinds.has(Kinds::ARTICLE) || e.og.contains("article");
    let article = flag(e.kinds.has(Kinds::ARTICLE), 3.0)
        - flag(!is_declared && !e.dates_near_title, 1.2)
        + flag(e.og.contains("article"), 1.5)
        + flag(e.dates_near_title, 0.7)
        + flag(e.single_article, 0.5)
        + 2.0 * e.prose
        + flag(e.paragraphs >= 4, 0.8)
        + long * 0.5
        - flag(e.is_root, 2.0)
        - 2.0 * e.links;
    let forum = flag(e.kinds.has(Kinds::FORUM), 4.0)
        + flag(
            path_has(&[
                "/forum",
                "/thread",
                "/topic",
                "/t/",
                "viewtopic",
                "showthread",
                "/questions/",
                "/discussion",
                "/community",
                "/boards",
                "/tieba",
                "/comments/",
                "thread-",
            ]),
            2.5,
        )
        + flag(
            host_starts(&["forum", "community", "discuss", "boards", "bbs", "answers"]),
            2.0,
        )
        + flag(e.posts >= 3, 1.0)
        + 1.5 * e.post_names
        + flag(
            [
                "discourse",
                "vbulletin",
                "phpbb",
                "xenforo",
                "discuz",
                "invision",
                "flarum",
                "vanilla",
            ]
            .iter()
            .any(|name| e.generator.contains(name)),
            3.0,
        );
    let product = flag(e.kinds.has(Kinds::PRODUCT), 3.5)
        + flag(e.og.contains("product"), 3.0)
        + flag(e.buys, 1.5)
        + flag(e.prices >= 1 && e.prices < 12, 0.7)
        + flag(
            path_has(&[
                "/product/",
                "/p/",
                "/dp/",
                "/item/",
                "/products/",
                "/shop/p/",
            ]),
            1.5,
        )
        - flag(e.kinds.has(Kinds::COLLECTION), 1.0)
        - flag(
            path_has(&["/collections/", "/category/", "/c/"]) && !path_has(&["/products/"]),
            1.5,
        );
    let collection = flag(e.kinds.has(Kinds::COLLECTION), 1.5)
        + flag(
            path_has(&[
                "/collections/",
                "/category/",
                "/c/",
                "/cat/",
                "/shop/",
                "/genre/",
                "/categories/",
                "/departments/",
                "/collection/",
                "/browse/",
                "/best-sellers",
                "/bestsellers",
            ]),
            1.7,
        )
        + flag(e.prices >= 6, 1.5)
        + flag(e.prices >= 12, 0.8)
        + flag(e.posts == 0 && e.prose < 0.5, 0.4);
    let listing = flag(e.kinds.has(Kinds::COLLECTION), 1.2)
        + flag(
            path_has(&[
                "/tag/",
                "/tags/",
                "/topic/",
                "/topics/",
                "/category/",
                "/archive",
                "/search",
                "?s=",
                "?q=",
                "/list",
                "/page/",
                "/author/",
                "/issues",
                "/latest",
                "/new",
            ]),
            1.5,
        )
        + flag(e.linked_headings >= 5, 1.5)
        + flag(e.article_count >= 5, 1.0)
        + 1.5 * e.links
        + flag(e.prose < 0.3, 0.6)
        - flag(e.kinds.has(Kinds::ARTICLE), 1.0);
    let documentation = flag(e.kinds.has(Kinds::DOCUMENTATION), 3.0)
        + flag(
            host_starts(&[
                "docs.",
                "doc.",
                "developer",
                "wiki.",
                "learn.",
                "man.",
                "help.",
                "api.",
            ]),
            2.5,
        )
        + flag(
            path_has(&[
                "/docs",
                "/doc/",
                "/documentation",
                "/reference",
                "/manual",
                "/api/",
                "/guide",
                "/handbook",
                "/man/",
                "/learn/",
                "/tutorial",
                "/get-started",
                "/getting-started",
            ]),
            2.5,
        )
        + flag(e.code >= 1, 0.8)
        + flag(e.code >= 4, 1.0)
        + flag(
            [
                "sphinx",
                "docusaurus",
                "mkdocs",
                "gitbook",
                "rustdoc",
                "javadoc",
                "hugo-docs",
                "vuepress",
                "vitepress",
                "doxygen",
                "asciidoctor",
                "antora",
                "jekyll-docs",
            ]
            .iter()
            .any(|name| e.generator.contains(name)),
            3.0,
        );
    let service = flag(e.kinds.has(Kinds::ORGANISATION), 0.8)
        + flag(
            path_has(&[
                "/service",
                "/solution",
                "/pricing",
                "/features",
                "/about",
                "/tools",
                "/platform",
                "/programs",
                "/certificates/",
                "/plans",
                "/local/",
                "/insurance",
            ]),
            2.0,
        )
        + flag(e.og.contains("website"), 0.5)
        + flag(!e.dates_near_title && !e.kinds.has(Kinds::ARTICLE), 0.6)
        + flag(e.words > 80 && e.prose > 0.25 && e.links < 0.35, 0.7)
        + flag(e.paragraphs < 12 && e.links < 0.4, 0.3);
    let front_page = flag(e.is_root, 2.3)
        + flag(e.is_root && e.linked_headings >= 4, 1.5)
        + flag(e.is_root && e.links > 0.4, 1.5);
    [
        (PageType::Forum, forum),
        (PageType::Product, product),
        (PageType::Documentation, documentation),
        (PageType::Article, article),
        (PageType::Collection, collection),
        (PageType::Listing, listing),
        (PageType::Service, service),
        (PageType::FrontPage, front_page),
    ]
}

fn gather<'e>(
    flat: &'e FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    main: &[bool],
    url: &'e Url,
) -> Evidence<'e> {
    let mut words = 0;
    let (mut weight, mut prose, mut links) = (0, 0, 0);
    let mut paragraphs = 0;
    let mut posts = 0;
    let mut in_posts = 0;
    let mut seen_unit = NO_ELEMENT;
    for (index, run) in flat.runs.iter().enumerate() {
        if !main[index] {
            continue;
        }
        words += run.counts.words;
        weight += run.counts.weight;
        links += run.link_weight;
        let is_prose = crate::prefix_sums::is_prose(run);
        if is_prose {
            prose += run.counts.weight;
            paragraphs += 1;
        }
        let unit = survey.units[index];
        if is_prose && unit.element != NO_ELEMENT && unit.element != seen_unit && unit.count >= 2 {
            seen_unit = unit.element;
            posts += 1;
        }
        let named = flat
            .ancestors(run.owner)
            .take(6)
            .any(|at| flat.elements[at as usize].hints.has(Hint::Post));
        in_posts += if named { run.counts.weight } else { 0 };
    }
    let heading = |index: usize| flat.elements[flat.runs[index].owner as usize].tag;
    let linked_headings = flat
        .runs
        .iter()
        .enumerate()
        .filter(|(index, run)| {
            heading(*index).heading_level().is_some() && run.link_weight * 5 > run.counts.weight * 4
        })
        .count() as u32;
    let count = |sign: Marker| {
        survey
            .markers
            .iter()
            .filter(|markers| markers.has(sign))
            .count() as u32
    };
    let buys = survey
        .texts
        .iter()
        .zip(&survey.markers)
        .any(|(text, markers)| {
            text.len() < 40 && markers.has(Marker::More) && {
                let text = text.to_lowercase();
                [
                    "add to cart",
                    "add to bag",
                    "add to basket",
                    "buy now",
                    "in den warenkorb",
                    "ajouter au panier",
                    "añadir al carrito",
                    "加入购物车",
                    "立即购买",
                    "カートに入れる",
                ]
                .iter()
                .any(|words| text.contains(words))
            }
        });
    let first = main.iter().position(|&kept| kept).unwrap_or(0);
    let dates_near_title =
        (first.saturating_sub(8)..(first + 4).min(flat.runs.len())).any(|index| {
            survey.markers[index].has(Marker::Date) && flat.runs[index].counts.weight < 200
        });
    let mut path = url.path().to_ascii_lowercase();
    if let Some(query) = url.query() {
        path.push('?');
        path.push_str(&query.to_ascii_lowercase());
    }
    path.push('/');
    let is_root = url.query().is_none()
        && matches!(
            url.path().trim_matches('/'),
            "" | "index.html" | "index.htm" | "index.php" | "en" | "zh" | "home"
        );
    Evidence {
        kinds: structured.kinds,
        og: meta(flat, &["og:type"]).unwrap_or(""),
        generator: meta(flat, &["generator"])
            .unwrap_or("")
            .to_ascii_lowercase(),
        path,
        host: url.host_str().unwrap_or("").trim_start_matches("www."),
        is_root,
        words,
        prose: share(prose, weight, 0.0),
        links: share(links, weight, 0.0),
        paragraphs,
        linked_headings,
        prices: count(Marker::Price),
        buys,
        posts,
        post_names: share(in_posts, weight, 0.0),
        code: flat
            .elements
            .iter()
            .filter(|element| element.tag == Tag::Pre && element.counts.chars > 0)
            .count() as u32,
        dates_near_title,
        article_count: survey.semantic.article_count,
        single_article: survey.semantic.article_count == 1,
    }
}
