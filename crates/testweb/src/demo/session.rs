//! A host with session ids in its links: each page has as many URLs as there are sessions.
//!
//! A request without an id begins a session, and its id is in every link from there on. The id follows
//! from the path of that request, so the web is the same in every crawl.

use super::article::{TEA, read};
use super::template::{Content, Layout, PageLanguage, SiteDesign, escape, teasers, text};
use crate::faults::hash;
use crate::message::{Request, Response};
use crate::web::TestWeb;

/// The tea merchants' pages.
pub(super) fn tea(web: TestWeb) -> TestWeb {
    web.host("tea.test", answer)
}

fn answer(request: &Request) -> Response {
    let design = SiteDesign {
        host: "tea.test",
        name: "Leaf and Kettle 叶与壶",
        motto: "Tea, slowly",
        language: PageLanguage::English,
        layout: Layout::Modern,
        meta_charset: "utf-8",
        nav: &[],
    };
    let sid = match request.parameter("sid") {
        Some(sid) => sid
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(32)
            .collect(),
        None => format!("{:012x}", hash(request.path.as_bytes()) >> 16),
    };
    let articles = read(TEA);
    let path = |slug: &str| format!("/{slug}.html?sid={sid}");
    let nav = format!(
        "<p><a href=\"/?sid={sid}\">Home</a> <a href=\"/cart.php?sid={sid}\">Cart</a></p>\n"
    );
    let others: String = articles
        .iter()
        .map(|a| {
            format!(
                "<p><a href=\"{}\">{}</a></p>\n",
                path(a.slug),
                escape(a.title)
            )
        })
        .collect();
    let mut content = Content {
        aside: format!("{nav}{others}"),
        ..Content::default()
    };
    let slug = request
        .path
        .trim_start_matches('/')
        .trim_end_matches(".html");
    if request.path == "/" {
        content.title = "Welcome".into();
        let all: Vec<_> = articles.iter().collect();
        content.body = teasers(&all, |article| path(article.slug));
    } else if request.path == "/cart.php" {
        content.title = "Your cart".into();
        content.body = "<p>Your cart is empty.</p>\n".into();
    } else if let Some(article) = articles.iter().find(|article| article.slug == slug) {
        content.title = article.title.into();
        content.byline = design.byline(article.date, article.author);
        let link = format!("<p>Permalink: <a href=\"/{slug}.html\">tea.test/{slug}</a></p>\n");
        content.body = format!("{}{link}", text(article));
    } else {
        return Response::not_found();
    }
    Response::html(design.page(&request.path, &content))
}
