//! Mutated pages: parts cut, doubled, moved and mixed with hostile pieces. Each gives a page, and none
//! takes a second.
//!
//! `MUTATED=100000 cargo test --release -p extractor --test mutated -- --nocapture` reads as many;
//! with `MUTATED_FROM` the pages before that number are passed by.

#![allow(
    clippy::disallowed_methods,
    reason = "the test measures how long pages take"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use extractor::{PageContext, extract};
use url::Url;

const PIECES: [&str; 28] = [
    "<table><tr><td rowspan=99999 colspan=99999>",
    "</table>",
    "<thead><tr><th>",
    "<pre><code class='language-",
    "<div class=line>",
    "<math><mfrac><msup>",
    "<annotation encoding='application/x-tex'>{\\displaystyle ",
    "</math>",
    "<span class=katex>",
    "<ol><li><ul><li>",
    "</ul>",
    "<script id=__NEXT_DATA__ type=application/json>{\"a\":[[[\"",
    "<script>window.__NUXT__=(function(){return {content:\"\\u12",
    "<script>window.__INITIAL_STATE__=JSON.parse(\"{\\",
    "</script>",
    "<script type='application/ld+json'>{\"@type\":\"Product\",\"description\":\"",
    "<template><p>",
    "<noscript>You need to enable JavaScript. ",
    "<div id=root></div>",
    "<meta itemprop=articleBody content='",
    "<title>Just a moment...",
    "<iframe src='/_Incapsula_Resource?CWUDNSAI=",
    "请完成安全验证",
    "<figure><img src='x' alt=']('><figcaption>",
    "\u{0}\u{200b}\u{feff}",
    "<!--",
    "&#x110000;&amp",
    "<svg><foreignObject>",
];

/// Numbers that differ, without a clock.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

fn at_char(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

fn mutate(page: &mut String, numbers: &mut Numbers) {
    let from = at_char(page, numbers.below(page.len() + 1));
    let to = at_char(page, from + numbers.below(400)).max(from);
    match numbers.below(5) {
        0 => page.replace_range(from..to, ""),
        1 => {
            let part = page[from..to].repeat(1 + numbers.below(20));
            page.insert_str(from, &part);
        }
        2 => {
            let part = page[from..to].to_owned();
            let at = at_char(page, numbers.below(page.len() + 1));
            page.insert_str(at, &part);
        }
        3 => page.insert_str(
            from,
            &PIECES[numbers.below(PIECES.len())].repeat(1 + numbers.below(30)),
        ),
        _ => page.insert_str(from, PIECES[numbers.below(PIECES.len())]),
    }
}

/// A page takes ten times as long without optimisation, and on a busy machine.
fn longest_allowed() -> Duration {
    Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 })
}

#[test]
fn pages_of_one_mark_alone_are_read_in_time() {
    let times = |time: &str| format!("<p>{}</p>", time.repeat(20_000));
    let words: Vec<String> = (0..60_000).map(|at| format!("w{at}")).collect();
    let lines: Vec<String> = words.chunks(5).map(|line| line.join(" ")).collect();
    let stated = serde_json::json!({"@type": "Recipe", "recipeIngredient": [words.join(" ")]});
    let shown = format!(
        "<script type=application/ld+json>{stated}</script>{}<p>{}",
        "<div>".repeat(400),
        lines.join("<p>")
    );
    for marks in [
        // What stood before each of them was read for each: half a minute for 20,000.
        times("<time datetime=2021-03-04>x</time> "),
        times("<time>x</time> "),
        times("<span itemprop=datePublished>2021</span> "),
        "<b typeof=Product></b>".repeat(40_000),
        shown,
    ] {
        let page = format!("<title>Of marks</title>{marks}");
        let url = Url::parse("https://www.example.com/a").expect("a URL");
        let began = Instant::now();
        let read = extract(&page, &PageContext::new(&url));
        let took = began.elapsed();
        assert!(took < longest_allowed(), "{}: {took:?}", &marks[..30]);
        assert_eq!(read.title.as_deref(), Some("Of marks"));
    }
}

#[test]
fn mutated_pages_are_read_in_time() {
    let count = std::env::var("MUTATED")
        .ok()
        .and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(1_000);
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = std::fs::read_dir(directory).expect("golden pages");
    let mut pages: Vec<String> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "html"))
        .map(|path| std::fs::read_to_string(path).expect("a page"))
        .collect();
    pages.sort();
    pages.push(PIECES.concat());
    let url = Url::parse("https://www.example.com/a").expect("a URL");
    let from = std::env::var("MUTATED_FROM")
        .ok()
        .and_then(|from| from.parse().ok());
    let from: usize = from.unwrap_or(0);
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let mut longest = (Duration::ZERO, 0);
    for number in 0..count {
        let mut page = pages[number % pages.len()].clone();
        for _ in 0..1 + numbers.below(12) {
            mutate(&mut page, &mut numbers);
        }
        if number < from {
            continue;
        }
        let context = PageContext::new(&url);
        let time = || {
            let began = Instant::now();
            let read = extract(&page, &context);
            (began.elapsed(), read)
        };
        let (mut took, read) = time();
        // A page that takes long is read again: on a busy machine it may have waited.
        for _ in 0..4 {
            if took > Duration::from_millis(500) {
                took = took.min(time().0);
            }
        }
        assert_eq!(read.text, extractor::blocks::plain(&read.blocks));
        read.markdown();
        read.html();
        longest = longest.max((took, number));
        assert!(took < longest_allowed(), "page {number}: {took:?}");
    }
    println!(
        "{count} mutated pages; the longest took {:?} (page {})",
        longest.0, longest.1
    );
}
