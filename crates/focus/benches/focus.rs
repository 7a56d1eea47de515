//! What a page costs: its terms, its verdict, and the features and scores of its hundred links.
//!
//! The claim held here: topic and links together take around a tenth of what reading the page takes.
//! Each bench asserts its own answer first: fast and wrong is not fast.

use divan::Bencher;
use focus::{
    ExampleText, Focus, FocusConfig, LinkContext, LinkFeatures, PageFate, PageOutcome, PageTerms,
    PageView, TopicConfig,
};
use segment::Segmenter;
use url::Url;

fn main() {
    divan::main();
}

/// A text of `words` words, about a third of them from `own`.
fn text(seed: u64, words: usize, own: &[&str]) -> String {
    let mut state = seed;
    let mut text = String::new();
    for _ in 0..words {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let die = (state >> 33) as usize;
        if die.is_multiple_of(3) && !own.is_empty() {
            text.push_str(own[die / 3 % own.len()]);
        } else {
            text.push_str(&format!("word{}", die % 3_000));
        }
        text.push(' ');
    }
    text
}

const ON: [&str; 6] = [
    "railway",
    "locomotive",
    "steam",
    "track",
    "station",
    "train",
];
const OFF: [&str; 6] = ["flour", "oven", "butter", "recipe", "sugar", "yeast"];

fn url(number: u64) -> Url {
    Url::parse(&format!("http://a.example/posts/{number}/a-page.html")).expect("a URL")
}

fn terms(focus: &Focus, number: u64, own: &[&str]) -> PageTerms {
    let words = Segmenter::shared().words(&text(number, 800, own));
    focus.topic().read(&PageView {
        title: own[0],
        words: &words,
        url: &url(number),
        lang: Some("en"),
        links: &[],
        labels: &[],
        listing: false,
    })
}

fn link(focus: &Focus, parent: u32, number: u64, anchor: &str) -> LinkFeatures {
    focus.topic().features(&LinkContext {
        parent: Some(parent),
        url: url(number).as_str(),
        anchor,
        context: "some words around the link and a few more of them, as they stand on a page",
        tag_path: "html>body>div.main>ul>li>a",
        in_main: true,
    })
}

/// A model that has seen 400 pages.
fn trained() -> (Focus, Vec<LinkFeatures>) {
    let config = FocusConfig {
        topic: TopicConfig {
            keywords: vec!["railway".into()],
            examples: vec![ExampleText {
                text: text(7, 800, &ON),
                ..ExampleText::default()
            }],
            ..TopicConfig::default()
        },
        ..FocusConfig::default()
    };
    let mut focus = Focus::new(&config).expect("a topic");
    let mut links = Vec::new();
    for page in 0..400u32 {
        let own = if page % 3 == 0 { &ON } else { &OFF };
        let terms = terms(&focus, u64::from(page), own);
        let came_by = link(&focus, page / 2, u64::from(page), own[1]);
        let relevance = focus.judge(&terms, Some(&came_by)).probability;
        focus.on_page(&PageOutcome {
            page,
            url: url(u64::from(page)).as_str(),
            terms: Some(&terms),
            relevance,
            fate: PageFate::New,
            link: Some(&came_by),
        });
        for number in 0..3 {
            links.push(link(
                &focus,
                page,
                10_000 + u64::from(page) * 3 + number,
                own[2],
            ));
        }
    }
    (focus, links)
}

#[divan::bench]
fn terms_of_a_page_of_800_words(bencher: Bencher<'_, '_>) {
    let (focus, _) = trained();
    let words = Segmenter::shared().words(&text(1, 800, &ON));
    let view = PageView {
        title: "railway",
        words: &words,
        url: &url(1),
        lang: None,
        links: &[],
        labels: &[],
        listing: false,
    };
    assert!(focus.topic().read(&view).len() > 100);
    bencher.bench_local(|| focus.topic().read(divan::black_box(&view)));
}

#[divan::bench]
fn verdict_on_a_page(bencher: Bencher<'_, '_>) {
    let (focus, _) = trained();
    let (on, off) = (terms(&focus, 9_001, &ON), terms(&focus, 9_002, &OFF));
    assert!(focus.judge(&on, None).probability > focus.judge(&off, None).probability);
    bencher.bench_local(|| focus.judge(divan::black_box(&on), None));
}

#[divan::bench]
fn features_of_100_links(bencher: Bencher<'_, '_>) {
    let (focus, _) = trained();
    assert!(link(&focus, 1, 1, "steam railway").to_bytes().len() <= 200);
    bencher.bench_local(|| {
        (0..100)
            .map(|number| link(&focus, 1, number, divan::black_box("steam railway")))
            .collect::<Vec<_>>()
    });
}

/// The same links page after page, as a site's menu has them.
#[divan::bench]
fn features_of_100_links_met_before(bencher: Bencher<'_, '_>) {
    let (mut focus, _) = trained();
    let urls: Vec<Url> = (0..100).map(url).collect();
    let mut read = move || {
        let features = urls.iter().map(|url| {
            focus.features(&LinkContext {
                parent: Some(1),
                url: url.as_str(),
                anchor: divan::black_box("steam railway"),
                context: "some words around the link and a few more of them",
                tag_path: "html>body>div.main>ul>li>a",
                in_main: true,
            })
        });
        features.collect::<Vec<_>>()
    };
    assert_eq!(read(), read());
    bencher.bench_local(read);
}

#[divan::bench]
fn scores_of_100_links(bencher: Bencher<'_, '_>) {
    let (focus, links) = trained();
    let (on, off) = (
        link(&focus, 0, 1, "steam railway"),
        link(&focus, 1, 2, "butter"),
    );
    assert!(focus.score(&on) > focus.score(&off));
    bencher.bench_local(|| {
        links
            .iter()
            .take(100)
            .map(|link| focus.score(divan::black_box(link)))
            .sum::<f32>()
    });
}
