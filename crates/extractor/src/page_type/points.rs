//! The points of each page type.
//!
//! The numbers were set by hand on labelled pages; a type needs [`super::POINTS_MIN`] of them. Words
//! of paths, hosts and generators are matched as substrings, but for those of lists, which are common
//! ones: "new" and "list" begin "news", "New York" and "listen".
//!
//! Whatever its path says and however little prose it has, a page is a list only where its links make
//! it one, or for a list of goods their prices: a table, a poem and a text in a script without commas
//! have no prose either.

use super::evidence::{ContentEvidence, Evidence};
use crate::page::PageType;
use crate::structured::Kinds;

/// The points of each type. Of two types with equally many the one that stands first wins.
pub(super) fn of_each_type(e: &Evidence<'_>) -> [(PageType, f32); 8] {
    [
        (PageType::Forum, forum(e)),
        (PageType::Product, product(e)),
        (PageType::Documentation, documentation(e)),
        (PageType::Article, article(e)),
        (PageType::Collection, collection(e)),
        (PageType::Listing, listing(e)),
        (PageType::Service, service(e)),
        (PageType::FrontPage, front_page(e)),
    ]
}

fn when(is_so: bool, points: f32) -> f32 {
    if is_so { points } else { 0.0 }
}

impl Evidence<'_> {
    fn path_has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.path.contains(word))
    }

    /// Whether a segment of the path is one of these words, aside from digits and an ending: "list",
    /// "list_2.html".
    fn has_segment(&self, words: &[&str]) -> bool {
        let path = self.path.split('?').next().unwrap_or("");
        path.split('/').any(|segment| {
            let stem = segment.split('.').next().unwrap_or("");
            let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '_');
            words.contains(&stem.trim_end_matches(is_number))
        })
    }

    /// Whether the content leads to other pages: in many lines that are links, or with most of its text.
    fn is_links(&self) -> bool {
        let ContentEvidence {
            links, link_lines, ..
        } = self.content;
        links >= 0.6 || (links >= 0.1 && link_lines >= 5)
    }

    /// Whether links outweigh the content, wherever on the page they stand.
    fn is_outweighed(&self) -> bool {
        self.link_weight > 2 * self.content.weight
    }

    /// Whether this is the URL of a front page and its links make it one: the one page of a small site
    /// is a text like any other.
    fn is_entrance(&self) -> bool {
        self.is_root && (self.is_links() || self.is_outweighed())
    }

    fn host_starts(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.host.starts_with(word))
    }

    fn made_by(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.generator.contains(name))
    }
}

fn article(e: &Evidence<'_>) -> f32 {
    let length = (e.content.words as f32 / 250.0).min(2.0);
    // Shops and services write long texts too, but they neither date nor declare them.
    let is_declared = e.kinds.has(Kinds::ARTICLE) || e.og.contains("article");
    when(e.kinds.has(Kinds::ARTICLE), 3.0) - when(!is_declared && !e.is_dated, 1.2)
        + when(e.og.contains("article"), 1.5)
        + when(e.is_dated, 0.7)
        + when(e.article_count == 1, 0.5)
        + 2.0 * e.content.prose
        + when(e.content.paragraphs >= 4, 0.8)
        + length * 0.5
        - when(e.is_entrance(), 2.0)
        - 2.0 * e.content.links
}

/// Points for what is declared and for words of the URL and of the software.
fn forum_place(e: &Evidence<'_>) -> f32 {
    const PATHS: [&str; 13] = [
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
    ];
    const HOSTS: [&str; 6] = ["forum", "community", "discuss", "boards", "bbs", "answers"];
    const GENERATORS: [&str; 8] = [
        "discourse",
        "vbulletin",
        "phpbb",
        "xenforo",
        "discuz",
        "invision",
        "flarum",
        "vanilla",
    ];
    when(e.kinds.has(Kinds::FORUM), 4.0)
        + when(e.path_has(&PATHS), 2.5)
        + when(e.host_starts(&HOSTS), 2.0)
        + when(e.made_by(&GENERATORS), 3.0)
}

/// Whether a forum's software or its URL speaks for a thread, whose posts may have pages of their own.
pub(super) fn is_in_forum(e: &Evidence<'_>) -> bool {
    forum_place(e) > 0.0
}

/// Posts that are signed are worth more than what speaks for an article in the posts themselves: their prose, their
/// length and their dates. Sections that are named after questions and answers make no thread where nobody signs
/// them: they are a list of frequent questions.
fn forum(e: &Evidence<'_>) -> f32 {
    const SIGNED_POSTS: f32 = 6.0;
    let is_for_sale = e.has_buy_button || e.kinds.has(Kinds::PRODUCT);
    let is_thread = e.thread.is_some() && !is_for_sale;
    let place = forum_place(e) + when(is_thread, SIGNED_POSTS);
    if place == 0.0 && !e.has_users {
        return 0.0;
    }
    place + when(e.content.posts >= 3, 1.0) + 1.5 * e.content.in_post_names
        - when(is_list_of_threads(e), 3.0)
}

/// Whether a page of this type is a list by its content.
pub(super) fn leads_on(e: &Evidence<'_>, page_type: &PageType) -> bool {
    (page_type.is_link_list() && (e.is_links() || e.goods >= GOODS_MIN)) || is_list_of_threads(e)
}

/// Whether the content of a forum's page leads to its threads.
fn is_list_of_threads(e: &Evidence<'_>) -> bool {
    e.thread.is_none() && is_in_forum(e) && e.is_links() && e.content.prose < 0.2
}

fn product(e: &Evidence<'_>) -> f32 {
    const PATHS: [&str; 6] = [
        "/product/",
        "/p/",
        "/dp/",
        "/item/",
        "/products/",
        "/shop/p/",
    ];
    const COLLECTION_PATHS: [&str; 3] = ["/collections/", "/category/", "/c/"];
    let is_collection = e.path_has(&COLLECTION_PATHS) && !e.path_has(&["/products/"]);
    when(e.kinds.has(Kinds::PRODUCT), 3.5)
        + when(e.og.contains("product"), 3.0)
        + when(e.has_buy_button, 1.5)
        + when(e.is_offer || (1..12).contains(&e.prices), 0.7)
        + when(e.path_has(&PATHS), 1.5)
        - when(e.kinds.has(Kinds::COLLECTION), 1.0)
        - when(is_collection, 1.5)
}

/// The least goods of a shop's list.
const GOODS_MIN: u32 = 6;

fn collection(e: &Evidence<'_>) -> f32 {
    const SEGMENTS: [&str; 12] = [
        "collections",
        "category",
        "c",
        "cat",
        "shop",
        "genre",
        "categories",
        "departments",
        "collection",
        "browse",
        "best-sellers",
        "bestsellers",
    ];
    let is_declared = e.kinds.has(Kinds::COLLECTION);
    // Goods below what the page itself offers are what a shop recommends.
    let has_goods = e.goods >= GOODS_MIN && !e.is_offer;
    if !is_declared && !e.is_links() && !has_goods {
        return 0.0;
    }
    when(is_declared, 1.5)
        + when(e.has_segment(&SEGMENTS), 1.7)
        + when(has_goods, 1.5)
        + when(has_goods && e.prices >= 12, 0.8)
        + when(e.content.posts == 0 && e.content.prose < 0.5, 0.4)
}

/// Whether the path is one of lists.
pub(super) fn has_list_path(e: &Evidence<'_>) -> bool {
    const SEGMENTS: [&str; 16] = [
        "tag", "tags", "topic", "topics", "category", "archive", "archives", "search", "list",
        "lists", "page", "author", "issues", "latest", "new", "newest",
    ];
    e.has_segment(&SEGMENTS)
}

fn listing(e: &Evidence<'_>) -> f32 {
    const QUERIES: [&str; 2] = ["?s=", "?q="];
    let is_declared = e.kinds.has(Kinds::COLLECTION);
    if !is_declared && !e.is_links() {
        return 0.0;
    }
    when(is_declared, 1.2)
        + when(e.is_links(), 0.5)
        + when(has_list_path(e) || e.path_has(&QUERIES), 1.5)
        + when(is_list_of_threads(e), 1.5)
        + when(e.linked_headings >= 5, 1.5)
        + when(e.article_count >= 5, 1.0)
        + 1.5 * e.content.links
        + when(e.content.prose < 0.3, 0.6)
        - when(e.kinds.has(Kinds::ARTICLE), 1.0)
}

fn documentation(e: &Evidence<'_>) -> f32 {
    const HOSTS: [&str; 8] = [
        "docs.",
        "doc.",
        "developer",
        "wiki.",
        "learn.",
        "man.",
        "help.",
        "api.",
    ];
    const PATHS: [&str; 13] = [
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
    ];
    const GENERATORS: [&str; 13] = [
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
    ];
    when(e.kinds.has(Kinds::DOCUMENTATION), 3.0)
        + when(e.host_starts(&HOSTS), 2.5)
        + when(e.path_has(&PATHS), 2.5)
        + when(e.code_blocks >= 1, 0.8)
        + when(e.code_blocks >= 4, 1.0)
        + when(e.made_by(&GENERATORS), 3.0)
}

fn service(e: &Evidence<'_>) -> f32 {
    const PATHS: [&str; 12] = [
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
    ];
    let content = &e.content;
    let has_short_texts = content.words > 80 && content.prose > 0.25 && content.links < 0.35;
    when(e.kinds.has(Kinds::ORGANISATION), 0.8)
        + when(e.path_has(&PATHS), 2.0)
        // What stands at the root and is no list tells what the site is for.
        + when(e.is_root && !e.is_entrance(), 0.8)
        + when(e.og.contains("website"), 0.5)
        + when(!e.is_dated && !e.kinds.has(Kinds::ARTICLE), 0.6)
        + when(has_short_texts, 0.7)
        + when(content.paragraphs < 12 && content.links < 0.4, 0.3)
}

fn front_page(e: &Evidence<'_>) -> f32 {
    if !e.is_entrance() {
        return 0.0;
    }
    2.3 + when(e.linked_headings >= 4, 1.5) + when(e.content.links > 0.4, 1.5)
}
