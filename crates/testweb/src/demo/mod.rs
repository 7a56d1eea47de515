//! The web that `tamis demo` crawls: eleven hosts with articles in English and Chinese, and with the
//! usual difficulties of the real web.
//!
//! | host | what it shows |
//! |---|---|
//! | `example.test` | an apex that redirects to `www` |
//! | `www.example.test` | a portal: wire copies of articles with other ads, dates and navigation, thin pages, dead links answered 200 (soft 404), an endless calendar |
//! | `db.example.test` | an English database blog: lists, tags, print versions, a sitemap, a `noindex` page, a 404 |
//! | `mirror.example.test` | the same blog on another host |
//! | `shuju.test` | a Chinese database blog, UTF-8 |
//! | `laozhan.test` | an old Chinese site in GBK, with reposts of `shuju.test` (转载自 …) |
//! | `ziliaoku.test` | a site in traditional characters, Big5 |
//! | `tea.test` | off topic, with a session id in every link |
//! | `recipes.test` | off topic, `Crawl-delay: 1` and a `Disallow` |
//! | `slow.test` | on topic and slow, with a 503 now and then |
//! | `gone.test` | answers 410 to everything |
//!
//! The articles are data files in `demo/`, written for this web. The pages are made from them here. Each
//! host has its own markup, navigation, advertisements and footer.

mod article;
mod session;
mod sites;
mod template;

use std::time::Duration;

use crate::faults::{Faults, Strike};
use crate::message::Response;
use crate::web::TestWeb;

/// The demo's seed list, in the form of a seed file.
pub const SEED_LIST: &str = include_str!("../../../../seeds/demo.txt");

/// The demo web, ready to be served or fetched from in process.
pub fn demo() -> TestWeb {
    let web = TestWeb::new();
    let web = sites::db(web);
    let web = sites::portal(web);
    let web = sites::chinese(web);
    let web = session::tea(web);
    let web = sites::recipes(web);
    let web = sites::slow(web);
    web.host("example.test", |request| {
        let to = format!("http://www.example.test{}", request.target());
        Response::redirect(301, &to)
    })
    .host("gone.test", |_| Response::error(410))
    .faults(
        "slow.test",
        Faults {
            latency: Duration::from_millis(900),
            latency_spread: Duration::from_millis(600),
            error_503: Some(Strike::new(0.3, 1).retry_after(1)),
            ..Faults::default()
        },
    )
}

/// The seed URLs of [`SEED_LIST`], without their options.
pub fn seeds() -> Vec<&'static str> {
    let lines = SEED_LIST.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

/// What the demo crawl is about: databases and full-text search, in both languages.
pub fn topic_keywords() -> Vec<&'static str> {
    vec![
        "database",
        "index",
        "full-text search",
        "transaction",
        "write-ahead log",
        "near-duplicate",
        "storage engine",
        "数据库",
        "索引",
        "全文检索",
        "分词",
        "事务",
        "近似重复",
    ]
}
