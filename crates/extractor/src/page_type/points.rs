//! The points of each page type.
//!
//! The numbers were set by hand on labelled pages; a type needs [`super::POINTS_MIN`] of them. Words
//! of paths, hosts and generators are matched as substrings.

use super::evidence::Evidence;
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
    when(e.kinds.has(Kinds::ARTICLE), 3.0) - when(!is_declared && !e.has_date_near_title, 1.2)
        + when(e.og.contains("article"), 1.5)
        + when(e.has_date_near_title, 0.7)
        + when(e.article_count == 1, 0.5)
        + 2.0 * e.content.prose
        + when(e.content.paragraphs >= 4, 0.8)
        + length * 0.5
        - when(e.is_root, 2.0)
        - 2.0 * e.content.links
}

fn forum(e: &Evidence<'_>) -> f32 {
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
        + when(e.content.posts >= 3, 1.0)
        + 1.5 * e.content.in_post_names
        + when(e.made_by(&GENERATORS), 3.0)
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
        + when(e.prices >= 1 && e.prices < 12, 0.7)
        + when(e.path_has(&PATHS), 1.5)
        - when(e.kinds.has(Kinds::COLLECTION), 1.0)
        - when(is_collection, 1.5)
}

fn collection(e: &Evidence<'_>) -> f32 {
    const PATHS: [&str; 12] = [
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
    ];
    when(e.kinds.has(Kinds::COLLECTION), 1.5)
        + when(e.path_has(&PATHS), 1.7)
        + when(e.prices >= 6, 1.5)
        + when(e.prices >= 12, 0.8)
        + when(e.content.posts == 0 && e.content.prose < 0.5, 0.4)
}

fn listing(e: &Evidence<'_>) -> f32 {
    const PATHS: [&str; 15] = [
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
    ];
    when(e.kinds.has(Kinds::COLLECTION), 1.2)
        + when(e.path_has(&PATHS), 1.5)
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
        + when(e.og.contains("website"), 0.5)
        + when(!e.has_date_near_title && !e.kinds.has(Kinds::ARTICLE), 0.6)
        + when(has_short_texts, 0.7)
        + when(content.paragraphs < 12 && content.links < 0.4, 0.3)
}

fn front_page(e: &Evidence<'_>) -> f32 {
    when(e.is_root, 2.3)
        + when(e.is_root && e.linked_headings >= 4, 1.5)
        + when(e.is_root && e.content.links > 0.4, 1.5)
}
