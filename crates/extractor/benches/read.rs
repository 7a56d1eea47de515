//! Pages per second on one core, beside a Readability port on the same markup.
//!
//! `cargo bench -p extractor`. The inputs are generated: an article, a thread and a grid of about
//! 30 KB each. With `EXTRACT_PAGES=DIR` the pages `DIR/*.html.gz` are timed too, in CPU time and by
//! both readers in turns; this is the figure to compare.

use std::hint::black_box;
use std::io::Read;
use std::time::Instant;

use extractor::{PageContext, extract};

fn main() {
    if let Some(directory) = std::env::var_os("EXTRACT_PAGES") {
        whole_directory(std::path::Path::new(&directory));
    }
    divan::main();
}

fn url() -> url::Url {
    url::Url::parse("https://www.example.org/2021/03/a-page").expect("a URL")
}

fn furniture() -> String {
    let links: String = (0..60)
        .map(|n| format!("<li class='menu-item'><a href='/section/{n}'>Section {n}</a></li>"))
        .collect();
    format!("<header><nav><ul class=menu>{links}</ul></nav></header>")
}

fn article() -> String {
    let paragraphs: String = (0..60)
        .map(|n| {
            format!(
                "<p>The {n}th paragraph tells, with a <a href='/l/{n}'>link</a> in it, how the \
                 river rose again, took the bridge, and left the town on its two banks; nobody \
                 was hurt, the mayor said, but the market will be held elsewhere for a while, \
                 and the ferry sails every hour until further notice.</p>"
            )
        })
        .collect();
    format!(
        "<!doctype html><html lang=en><head><title>Flood takes the bridge | Daily</title></head>\
         <body>{0}<main><article><h1>Flood takes the bridge</h1>{paragraphs}</article></main>\
         <aside class=related><h2>Related</h2>{0}</aside></body></html>",
        furniture()
    )
}

fn thread() -> String {
    let posts: String = (0..60)
        .map(|n| {
            format!(
                "<div class='post'><div class='user'>member{n}</div><span class=date>March {}, \
                 2021</span><div class='post-body'><p>Answer {n}: I had the same trouble, and \
                 after a day of trying I found that the cable was not plugged in. Check that \
                 first, then the fuse.</p></div><a href='#r{n}'>Reply</a></div>",
                n % 28 + 1
            )
        })
        .collect();
    format!(
        "<html><title>No power - Forum</title><body>{}<div class=thread>{posts}</div>",
        furniture()
    )
}

fn grid() -> String {
    let cards: String = (0..120)
        .map(|n| {
            format!(
                "<div class='product-card'><a href='/p/{n}'><img src='/i/{n}.jpg' alt=''>\
                 <h3>Lamp number {n}</h3></a><span class=price>$ {n}.95</span>\
                 <button>Add to cart</button></div>"
            )
        })
        .collect();
    format!(
        "<html><title>Lamps | Shop</title><body>{}<div class=grid>{cards}</div>",
        furniture()
    )
}

#[divan::bench(args = ["article", "thread", "grid"])]
fn extractor_reads(bencher: divan::Bencher<'_, '_>, name: &str) {
    let (html, url) = (page(name), url());
    let answer = extract(&html, &PageContext::new(&url)).text;
    assert!(!answer.is_empty(), "a reader that finds nothing is fast");
    bencher
        .counter(divan::counter::BytesCount::of_str(&html))
        .bench(|| extract(black_box(&html), &PageContext::new(&url)));
}

#[divan::bench(args = ["article", "thread", "grid"])]
fn dom_smoothie_reads(bencher: divan::Bencher<'_, '_>, name: &str) {
    let html = page(name);
    bencher
        .counter(divan::counter::BytesCount::of_str(&html))
        .bench(|| smoothie(black_box(&html)));
}

fn page(name: &str) -> String {
    match name {
        "article" => article(),
        "thread" => thread(),
        _ => grid(),
    }
}

fn smoothie(html: &str) -> Option<String> {
    let mut reader = dom_smoothie::Readability::new(html, None, None).ok()?;
    Some(reader.parse().ok()?.text_content.to_string())
}

fn whole_directory(directory: &std::path::Path) {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        let mut plain = Vec::new();
        if flate2::read::GzDecoder::new(bytes.as_slice())
            .read_to_end(&mut plain)
            .is_ok()
        {
            pages.push(extractor::decode(&plain, None, None).text);
        }
    }
    let url = url();
    let read = |html: &str| drop(black_box(extract(html, &PageContext::new(&url))));
    let peer = |html: &str| drop(black_box(smoothie(html)));
    // Lazily built tables are built before the timing.
    pages.iter().take(1).for_each(|html| read(html));
    let (mut ours, mut theirs, mut slowest) = (0.0, 0.0, 0.0f64);
    for _ in 0..ROUNDS {
        // Both readers take turns, so that other load slows both alike. A page comes again only after all
        // others, so that no cache still holds it.
        for pages in pages.chunks(CHUNK) {
            ours += cpu_ms(|| {
                for html in pages {
                    let start = Instant::now();
                    read(html);
                    slowest = slowest.max(start.elapsed().as_secs_f64() * 1e3);
                }
            });
            theirs += cpu_ms(|| pages.iter().for_each(|html| peer(html)));
        }
    }
    let count = pages.len() as f64;
    let (ours, theirs) = (ours / count / ROUNDS as f64, theirs / count / ROUNDS as f64);
    println!(
        "{count} pages: extractor {ours:.2} ms of CPU a page, dom_smoothie {theirs:.2} ms, \
         ratio {:.2}; extractor's slowest page {slowest:.0} ms",
        ours / theirs
    );
}

/// Pages timed in one go: few enough that the machine's state is the same for both readers.
const CHUNK: usize = 25;
/// How often all pages are timed.
const ROUNDS: usize = 3;

/// Milliseconds of CPU time that a piece of work takes; of wall time on systems other than Linux.
fn cpu_ms(work: impl FnOnce()) -> f64 {
    let on_cpu = || -> Option<f64> {
        let state = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(state.split(' ').next()?.parse::<f64>().ok()? / 1e6)
    };
    let (start, before) = (Instant::now(), on_cpu());
    work();
    match (before, on_cpu()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed().as_secs_f64() * 1e3,
    }
}
