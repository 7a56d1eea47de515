//! One number over all that the models give on a generated web.
//!
//! The models are deterministic, so code that only moves keeps every number to the last bit. This
//! test prints the numbers; run it before and after such a change:
//!
//! ```text
//! cargo test -p focus --test digest -- --nocapture
//! ```
//!
//! The digests are not pinned here, because the logarithms of the system's mathematics library
//! differ in their last bit from platform to platform.

use std::sync::Arc;

use focus::simulate::{
    Roots, SimulatedLink, SimulatedPage, Strategy, prequential_relevance, simulate,
};
use focus::{
    ExampleText, Focus, FocusConfig, LinkContext, LinkFeatures, LinkModelConfig, PageFate,
    PageOutcome, PageTerms, PageView, TermSource, TopicConfig, UrlDedupConfig, UrlDedupRules,
};
use segment::Segmenter;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Hashes what it is shown, in order.
#[derive(Debug, Default, PartialEq, Eq)]
struct Digest(u64);

impl Digest {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn text(&mut self, value: &impl std::fmt::Debug) {
        self.bytes(format!("{value:?}").as_bytes());
    }

    fn number(&mut self, value: f32) {
        self.bytes(&value.to_bits().to_le_bytes());
    }
}

const TOPICS: [&[&str]; 4] = [
    &[
        "railway",
        "locomotive",
        "steam",
        "track",
        "station",
        "signal",
        "carriage",
        "boiler",
    ],
    &[
        "canal", "lock", "barge", "station", "bridge", "timber", "signal", "harbour",
    ],
    &[
        "flour", "butter", "oven", "recipe", "dough", "yeast", "kitchen", "sugar",
    ],
    &[
        "数据库",
        "索引",
        "事务",
        "日志",
        "查询",
        "车站",
        "铁路",
        "服务器",
    ],
];

/// A page of the generated web; everything about it follows from its number.
#[derive(Clone, Copy)]
struct Page(u32);

impl Page {
    fn dice(self, salt: u64) -> u64 {
        xxh3_64_with_seed(&self.0.to_le_bytes(), salt)
    }

    fn topic(self) -> usize {
        [0, 0, 1, 1, 2, 2, 2, 3][self.dice(1) as usize % 8]
    }

    fn host(self) -> String {
        let number = (self.topic() + self.dice(2) as usize % 2) % 4;
        format!("h{number}.example")
    }

    fn url(self) -> Url {
        let (host, number) = (self.host(), self.0);
        let path = match self.dice(3) % 5 {
            0 => format!("posts/2014/{number}/a-page.html"),
            1 => format!("tags/{}", TOPICS[self.topic()][number as usize % 8]),
            2 => format!("show?id={number}&lang=en"),
            3 => format!("archive/{number}/"),
            _ => format!("%E9%93%81%E8%B7%AF_{number}/index.php?page={number}"),
        };
        Url::parse(&format!("http://{host}/{path}#{number}")).expect("a URL")
    }

    fn title(self) -> String {
        let words = TOPICS[self.topic()];
        format!(
            "{} and {}",
            words[self.dice(4) as usize % 8],
            words[self.dice(5) as usize % 8]
        )
    }

    fn text(self) -> String {
        let own = TOPICS[self.topic()];
        let count = 20 + self.dice(6) % 300;
        let word = |at: u64| {
            let die = self.dice(1_000 + at);
            match die % 5 {
                0 => own[(die >> 8) as usize % 8].to_owned(),
                1 => "the".to_owned(),
                _ => format!("word{}", (die >> 8) % 900),
            }
        };
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    }

    fn is_listing(self) -> bool {
        self.dice(7).is_multiple_of(9)
    }

    fn labels(self) -> Vec<&'static str> {
        let count = self.dice(8) as usize % 3;
        TOPICS[self.topic()][..count].to_vec()
    }

    fn lang(self) -> Option<&'static str> {
        [Some("en"), Some("zh"), None, Some("en")][self.dice(9) as usize % 4]
    }

    fn fate(self) -> PageFate {
        match self.dice(10) % 20 {
            0 => PageFate::Dead,
            1 | 2 => PageFate::Duplicate,
            3 => PageFate::Thin,
            _ => PageFate::New,
        }
    }

    fn links(self, count: u32) -> Vec<Page> {
        let near = (0..6).map(|at| (self.0 + 1 + self.dice(20 + at) as u32 % 40) % count);
        let far = (0..4).map(|at| self.dice(40 + at) as u32 % count);
        near.chain(far).map(Page).collect()
    }

    fn anchor(self) -> &'static str {
        TOPICS[self.topic()][self.dice(11) as usize % 8]
    }

    fn example(self) -> ExampleText {
        ExampleText {
            title: self.title(),
            text: self.text(),
            url: Some(self.url().into()),
            links: Vec::new(),
            labels: self.labels().into_iter().map(str::to_owned).collect(),
            listing: self.is_listing(),
            lang: None,
        }
    }

    fn terms(self, focus: &Focus, count: u32) -> PageTerms {
        let urls: Vec<String> = self
            .links(count)
            .into_iter()
            .map(|to| to.url().into())
            .collect();
        let links: Vec<&str> = urls.iter().map(String::as_str).collect();
        let words = Segmenter::shared().words(&self.text());
        focus.topic().read(&PageView {
            title: &self.title(),
            words: &words,
            url: &self.url(),
            lang: self.lang(),
            links: &links,
            labels: &self.labels(),
            listing: self.is_listing(),
        })
    }
}

struct Waiting {
    page: Page,
    features: LinkFeatures,
    score: f32,
}

/// A crawl of the generated web in order of priority.
struct Crawl {
    focus: Focus,
    count: u32,
    waiting: Vec<Waiting>,
    seen: Vec<bool>,
    digest: Digest,
}

impl Crawl {
    fn new(config: &FocusConfig, count: u32) -> Crawl {
        Crawl {
            focus: Focus::new(config).expect("a topic"),
            count,
            waiting: Vec::new(),
            seen: vec![false; count as usize],
            digest: Digest::default(),
        }
    }

    fn run(mut self) -> u64 {
        let mut next = Some((Page(0), None));
        while let Some((page, link)) = next.take() {
            self.fetch(page, link.as_ref());
            next = self.pop();
        }
        for term in self.focus.topic().terms() {
            let is_keyword = term.source == TermSource::Keyword;
            self.digest.text(&(term.text, term.weight, is_keyword));
        }
        self.digest.0
    }

    fn pop(&mut self) -> Option<(Page, Option<LinkFeatures>)> {
        let best = |a: &Waiting, b: &Waiting| {
            let by_score = a.score.total_cmp(&b.score);
            by_score.then(b.page.0.cmp(&a.page.0))
        };
        let waiting = self.waiting.iter().enumerate();
        let (at, _) = waiting.max_by(|(_, a), (_, b)| best(a, b))?;
        let waiting = self.waiting.swap_remove(at);
        Some((waiting.page, Some(waiting.features)))
    }

    fn fetch(&mut self, page: Page, link: Option<&LinkFeatures>) {
        self.seen[page.0 as usize] = true;
        if page.0 % 97 == 96 {
            self.focus
                .add_example(&page.example(), page.0.is_multiple_of(2));
        }
        let terms = Some(page.terms(&self.focus, self.count));
        let terms = terms.filter(|_| page.fate() != PageFate::Dead);
        let judged = terms.as_ref().map(|terms| self.focus.judge(terms, link));
        if let Some(judged) = &judged {
            self.digest.text(&(judged.probability, &judged.why));
        }
        if let Some(terms) = &terms {
            for found in self.focus.topic().keyword_places(terms) {
                let counts = [found.title, found.text, found.url, found.labels];
                self.digest.text(&(found.keyword, counts));
            }
        }
        let url = page.url();
        let outcome = PageOutcome {
            page: page.0,
            url: url.as_str(),
            terms: terms.as_ref(),
            relevance: judged.map_or(0.0, |judged| judged.probability),
            fate: page.fate(),
            link,
        };
        self.digest.number(self.focus.reward(&outcome));
        self.focus.on_page(&outcome);
        if terms.is_some() {
            self.follow(page);
        }
        self.rescore();
        let stop = self.focus.stop().map(|reason| reason.to_string());
        self.digest.text(&stop);
        let host = self.focus.stop_host(&page.host());
        self.digest.text(&host.map(|reason| reason.to_string()));
    }

    fn follow(&mut self, from: Page) {
        let mut new_links = Vec::new();
        for to in from.links(self.count) {
            let url = to.url();
            self.focus.observe_link(from.0, url.as_str());
            if self.seen[to.0 as usize] {
                continue;
            }
            let context: String = to.text().chars().take(90).collect();
            let place = LinkContext {
                parent: Some(from.0),
                url: url.as_str(),
                anchor: to.anchor(),
                context: &context,
                tag_path: ["html>body>ul>li>a", "html>body>p>a"][from.0 as usize % 2],
                in_main: from.dice(12).is_multiple_of(2),
            };
            let known = self
                .waiting
                .iter_mut()
                .find(|waiting| waiting.page.0 == to.0);
            if let Some(known) = known {
                let again = self.focus.features_for_merge(&place, &known.features);
                known.features.merge(&again);
                known.score = self.focus.score(&known.features);
            } else {
                let features = self.focus.features(&place);
                assert_eq!(features, self.focus.topic().features(&place));
                let bytes = features.to_bytes();
                self.digest.bytes(&bytes);
                let features = LinkFeatures::from_bytes(&bytes).expect("its own bytes");
                let score = self.focus.score(&features);
                let reasons = self.focus.explain_score(&features);
                self.digest
                    .text(&(reasons.score, reasons.relevant, reasons.hub));
                self.digest.text(&(reasons.explored, reasons.why));
                new_links.push(score);
                self.waiting.push(Waiting {
                    page: to,
                    features,
                    score,
                });
            }
        }
        self.focus.on_new_links(from.0, &new_links);
    }

    fn rescore(&mut self) {
        if self.focus.rescore_due(self.waiting.len() as u64) {
            let mut promises = Vec::new();
            for waiting in &mut self.waiting {
                let promise = self.focus.promise(&waiting.features);
                waiting.score = promise.score;
                self.digest.number(promise.score);
                promises.push(promise);
            }
            self.focus.on_rescored(&promises);
        }
    }
}

fn with_examples() -> FocusConfig {
    let keywords = [
        "railway^2",
        "steam locomotive",
        "signal",
        "铁路",
        "-dough",
        "stations",
    ];
    FocusConfig {
        topic: TopicConfig {
            keywords: keywords.map(str::to_owned).to_vec(),
            examples: vec![Page(3).example(), Page(5).example(), Page(1_000).example()],
            counter_examples: vec![Page(7).example()],
            languages: vec!["en".to_owned(), "zh-CN".to_owned()],
            ..TopicConfig::default()
        },
        ..FocusConfig::default()
    }
}

fn with_keywords_alone() -> FocusConfig {
    let mut config = with_examples();
    config.topic.examples.clear();
    config.topic.counter_examples.clear();
    config.topic.languages.clear();
    config
}

fn without_learning() -> FocusConfig {
    let mut config = with_examples();
    config.topic.adapt = false;
    config.links = LinkModelConfig {
        adapt: false,
        use_anchor: false,
        use_tag_path: false,
        ..LinkModelConfig::default()
    };
    config
}

#[track_caller]
fn check(name: &str, digest: impl Fn() -> u64) {
    let first = digest();
    println!("{name} {first:016x}");
    assert_eq!(first, digest(), "{name}: two runs differ");
}

#[test]
fn a_crawl_with_examples_gives_the_same_numbers_twice() {
    check("with examples", || {
        Crawl::new(&with_examples(), 1_250).run()
    });
}

#[test]
fn a_crawl_with_keywords_alone_gives_the_same_numbers_twice() {
    check("keywords alone", || {
        Crawl::new(&with_keywords_alone(), 450).run()
    });
}

#[test]
fn a_crawl_that_does_not_learn_gives_the_same_numbers_twice() {
    check("without learning", || {
        Crawl::new(&without_learning(), 300).run()
    });
}

#[test]
fn a_simulated_crawl_gives_the_same_order_twice() {
    check("simulation", || {
        let config = with_examples();
        let focus = Focus::new(&config).expect("a topic");
        let count = 400;
        let page = |number: u32| {
            let page = Page(number);
            let links = page.links(count).into_iter();
            let example = (number % 90 == 4).then(|| (page.example(), number.is_multiple_of(4)));
            SimulatedPage {
                url: page.url(),
                terms: (page.fate() != PageFate::Dead).then(|| page.terms(&focus, count)),
                fate: page.fate(),
                links: links
                    .map(|to| SimulatedLink {
                        to: to.0 as usize,
                        anchor: Arc::from(to.anchor()),
                    })
                    .collect(),
                example,
            }
        };
        let pages: Vec<SimulatedPage> = (0..count).map(page).collect();
        let roots = Roots {
            seeds: vec![4, 0],
            listed: vec![9, 30, 77],
        };
        let judged = prequential_relevance(&config, &pages, &roots).expect("a topic");
        let mut digest = Digest::default();
        digest.text(&judged);
        for strategy in [
            Strategy::BreadthFirst,
            Strategy::BestFirst,
            Strategy::Tamis,
            Strategy::Oracle,
        ] {
            let order = simulate(strategy, &config, &pages, &roots, &judged, 300);
            digest.text(&order.expect("a topic"));
        }
        digest.0
    });
}

#[test]
fn rules_learnt_from_duplicates_are_the_same_twice() {
    check("duplicate rules", || {
        let mut memory = UrlDedupRules::new(&UrlDedupConfig::default());
        memory.note_host("http://a.example/");
        let mut digest = Digest::default();
        for number in 0..200u32 {
            let die = Page(number).dice(77);
            let path = format!("p{}/item-{number}.html", die % 7);
            let original = format!("http://a.example/{path}");
            let copy = match die % 6 {
                0 => format!("http://m.example/{path}"),
                1 => format!("http://a.example/print/{path}"),
                2 => format!("http://a.example/{path}?utm=1&ref={number}"),
                3 => format!("https://b.example/amp/{path}"),
                4 => format!("http://a.example/garden/{path}"),
                _ => format!("http://a.example/own/{number}"),
            };
            let own = format!("http://a.example/new/{number}");
            let led_to = || (die % 29 == 3).then_some(own.as_str()).into_iter();
            if die % 6 == 5 {
                memory.observe_unique(&copy, |url| url.len() % 2 == 0);
                memory.observe_yield(&original, false);
            } else {
                memory.observe_pair(&copy, &original, led_to());
                memory.observe_canonical_pair(&copy, &original, led_to());
            }
            if die % 31 == 1 {
                memory.observe_declared_canonical(&copy, &copy);
            }
            digest.text(&memory.take_lifted());
            digest.number(memory.yield_of(&format!("http://a.example/p3/item-{number}.html")));
            for form in [
                "http://m.example/x",
                "http://a.example/print/x",
                "http://m.example/print/x",
                "https://b.example/amp/p",
                "http://a.example/garden/p",
            ] {
                if let Some(copy) = memory.predict(&format!("{form}/{number}.html")) {
                    digest.text(&(copy.kept_url, copy.rules, copy.confidence, copy.draw));
                }
            }
        }
        let rules = memory.rules();
        assert!(rules.len() > 2, "{rules:?}");
        digest.text(&rules);
        digest.0
    });
}
