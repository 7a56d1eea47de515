//! Makes the HTML report of a made-up crawl: `cargo run --release -p report --example many_pages
//! -- 100000 > report.html`. For looking at it, and for measuring what a large one costs.

use std::io::Write as _;

#[path = "../tests/journal/mod.rs"]
mod journal;

fn main() -> std::io::Result<()> {
    let pages = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000);
    let mut tally = report::Tally::new();
    for record in journal::large(pages) {
        tally.add(&record);
    }
    let report = tally.report("made-up crawl");
    let html = report::html::render(&report, &|page| Some(text(page)));
    std::io::stdout().write_all(html.as_bytes())
}

/// Texts that differ a little from page to page.
fn text(page: u64) -> String {
    let date = page % 28 + 1;
    let place = ["Tallinn", "Porto", "Tainan", "Ghent"][(page % 4) as usize];
    format!(
        "Storage engineers meet in {place}\n\n{date} May 2024. About four hundred engineers met in \
         {place} this week to talk about what happens below the query language. The programme had \
         three themes: storage engines on fast flash, search over mixed languages, and the cost of \
         keeping copies. The talk with the longest queue was given by a team that replaced its page \
         cache with direct reads and a cache of its own.\n\n书后面的索引按词排列,每个词后面跟着页码。\
         全文检索做的是同一件事,只不过“书”换成了几百万篇文档。一个词对应的文档列表叫做倒排{}。\
         查询两个词的时候,引擎取出两张倒排表,像拉拉链一样同时往前走,哪一边的文档编号小就推进哪一边。\
         因为列表按编号排序,走{}遍就够了。",
        ["表", "列表", "清单"][(page % 3) as usize],
        ["一", "两"][(page % 2) as usize],
    )
}
