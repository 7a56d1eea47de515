//! Focused crawls over a generated web: what the models learn, and that they learn it twice alike.

use focus::{
    ExampleText, Focus, FocusConfig, LinkContext, LinkFeatures, PageFate, PageOutcome, PageTerms,
    PageView, TermSource, Topic, TopicConfig, TopicError,
};
use proptest::prelude::*;
use segment::Segmenter;
use url::Url;

const ON: &str = "steam locomotive track station signal carriage boiler railway line and the driver of the train";
const OFF: &str =
    "flour sugar butter oven recipe dough yeast bread and the cook in the kitchen of the house";

fn keywords(words: &[&str]) -> TopicConfig {
    TopicConfig {
        keywords: words.iter().map(|word| (*word).to_owned()).collect(),
        ..TopicConfig::default()
    }
}

fn probability(topic: &Topic, title: &str, text: &str) -> f32 {
    let words = Segmenter::shared().words(text);
    let url = Url::parse("http://a.example/page").unwrap();
    topic.relevance(title, &words, &url).probability
}

/// The relevance of a page about nothing that links to this shelf.
fn on_shelf(topic: &Topic, shelf: &str) -> f32 {
    let words = Segmenter::shared().words("a day in the life of somebody who writes it down");
    let terms = topic.read(&PageView {
        title: "A day",
        words: &words,
        url: &Url::parse("http://a.example/2011/05/a-day/").unwrap(),
        lang: None,
        links: &[shelf],
        labels: &[],
        listing: false,
    });
    let focus = Focus::new(&FocusConfig {
        topic: keywords(&["railway", "-cooking"]),
        ..FocusConfig::default()
    });
    focus.unwrap().judge(&terms, None).probability
}

#[test]
fn the_shelf_that_a_page_stands_on_speaks_for_it_and_rules_none_out() {
    let topic = Topic::new(&keywords(&["railway", "-cooking"])).unwrap();
    let [railway, travel, cooking] = ["railway", "travel", "cooking"]
        .map(|name| on_shelf(&topic, &format!("http://a.example/categories/{name}/")));
    assert!(railway > travel + 0.1, "{railway} {travel}");
    assert_eq!(cooking, travel);
    let elsewhere = on_shelf(&topic, "http://b.example/categories/railway/");
    assert_eq!(elsewhere, travel);
}

/// A page about `subject` that links to the index of such a part of the site.
fn page_of(subject: &str, number: usize, part: &str) -> ExampleText {
    ExampleText {
        title: format!("{subject} {number}"),
        text: format!("{subject}{number} and some {subject} words of page{number} and no{number}"),
        url: Some(format!("http://a.example/{number}.html")),
        links: vec![format!("http://a.example/index/{part}")],
        ..ExampleText::default()
    }
}

fn river_focus(part: impl Fn(usize) -> String) -> Focus {
    let examples = (0..4).map(|number| page_of("river", number, &part(number)));
    Focus::new(&FocusConfig {
        topic: TopicConfig {
            examples: examples.collect(),
            ..TopicConfig::default()
        },
        ..FocusConfig::default()
    })
    .unwrap()
}

fn read(focus: &Focus, page: &ExampleText) -> PageTerms {
    let links: Vec<&str> = page.links.iter().map(String::as_str).collect();
    focus.topic().read(&PageView {
        title: &page.title,
        words: &Segmenter::shared().words(&page.text),
        url: &Url::parse(page.url.as_deref().unwrap()).unwrap(),
        lang: None,
        links: &links,
        labels: &[],
        listing: false,
    })
}

fn outcome(number: usize, relevance: f32) -> PageOutcome<'static> {
    PageOutcome {
        page: number as u32,
        url: "http://a.example/x",
        terms: None,
        relevance,
        fate: PageFate::New,
        link: None,
    }
}

/// What of a page's relevance comes of this opinion.
fn part(focus: &Focus, terms: &PageTerms, link: Option<&LinkFeatures>, opinion: &str) -> f32 {
    let why = focus.judge(terms, link).why;
    let part = why.iter().find(|(name, _)| name == opinion);
    part.map_or(0.0, |(_, part)| *part)
}

#[test]
fn a_mark_of_the_examples_changes_what_is_told_and_not_what_links_learn() {
    let mut focus = river_focus(|_| "rivers".to_owned());
    for number in 10..120 {
        let subject = ["river", "stone", "cloud"][number % 3];
        let part = if number % 3 == 0 { "rivers" } else { "others" };
        let terms = read(&focus, &page_of(subject, number, part));
        let relevance = focus.judge(&terms, None).probability;
        let terms = Some(&terms);
        focus.on_page(&PageOutcome {
            terms,
            ..outcome(number, relevance)
        });
    }
    let marked = read(&focus, &page_of("river", 200, "rivers"));
    let bare = read(&focus, &page_of("fish", 200, "others"));
    let by_marks = |terms| part(&focus, terms, None, "marks of the examples");
    // What is told is the mean of both judges, and one knows of marks.
    assert!(by_marks(&marked) > 0.5 && by_marks(&bare) < -0.5);
    // Whatever was told, the link is worth what the judge that steers says.
    let reward = |relevance| {
        let terms = Some(&marked);
        focus.reward(&PageOutcome {
            terms,
            ..outcome(200, relevance)
        })
    };
    assert_eq!(reward(0.0), reward(1.0));
}

#[test]
fn what_a_list_links_to_beside_examples_is_told_to_be_like_them() {
    let mut focus = river_focus(|number| number.to_string());
    let link = |focus: &mut Focus, number: usize, list: u32| {
        focus.features(&LinkContext {
            parent: Some(list),
            url: &format!("http://a.example/{number}.html"),
            anchor: "",
            context: "",
            tag_path: "html>body>ul>li>a",
            in_main: true,
        })
    };
    // The list of rivers is page 200, that of all else page 201.
    for number in 0..4 {
        let url = format!("http://a.example/{number}.html");
        let terms = read(&focus, &page_of("river", number, &number.to_string()));
        focus.on_page(&PageOutcome {
            url: &url,
            terms: Some(&terms),
            ..outcome(number, 1.0)
        });
        let on_list = link(&mut focus, number, 200);
        focus.observe_example_link(&on_list);
    }
    for number in 10..120 {
        let is_river = number % 3 == 0;
        let subject = ["river", "stone", "cloud"][number % 3];
        let followed = link(&mut focus, number, if is_river { 200 } else { 201 });
        let terms = read(&focus, &page_of(subject, number, &number.to_string()));
        let relevance = focus.judge(&terms, Some(&followed)).probability;
        focus.on_page(&PageOutcome {
            url: &format!("http://a.example/{number}.html"),
            terms: Some(&terms),
            link: Some(&followed),
            ..outcome(number, relevance)
        });
    }
    let doubtful = read(&focus, &page_of("lake", 300, "300"));
    let [beside, elsewhere] = [200, 201].map(|list| link(&mut focus, 300, list));
    let by_list = |link| part(&focus, &doubtful, Some(link), "linked beside an example");
    // Of both judges one knows of lists.
    assert!(by_list(&beside) > 0.5 && by_list(&elsewhere) < 0.0);
}

/// Pages 0..count; every third is on topic, pages link to the next ones of both kinds.
struct Web {
    count: u32,
}

impl Web {
    fn on_topic(page: u32) -> bool {
        page.is_multiple_of(3)
    }

    fn url(page: u32) -> Url {
        Url::parse(&format!("http://a.example/p/{page}.html")).unwrap()
    }

    fn links(&self, page: u32) -> Vec<u32> {
        (1..8)
            .map(|step| (page * 5 + step * 7) % self.count)
            .collect()
    }

    fn terms(focus: &Focus, page: u32) -> PageTerms {
        let (title, text) = if Self::on_topic(page) {
            ("trains", ON)
        } else {
            ("bread", OFF)
        };
        focus.topic().read(&PageView {
            title,
            words: &Segmenter::shared().words(text),
            url: &Self::url(page),
            lang: None,
            links: &[],
            labels: &[],
            listing: false,
        })
    }

    fn features(focus: &mut Focus, from: u32, to: u32) -> LinkFeatures {
        focus.features(&LinkContext {
            parent: Some(from),
            url: Self::url(to).as_str(),
            anchor: if Self::on_topic(to) {
                "an engine"
            } else {
                "a cake"
            },
            context: "",
            tag_path: "html>body>p>a",
            in_main: true,
        })
    }

    /// Crawls `budget` pages best first; gives the order with the recorded probabilities.
    fn crawl(&self, config: &FocusConfig, budget: usize) -> Vec<(u32, f32)> {
        let mut focus = Focus::new(config).unwrap();
        let mut pending: Vec<(u32, LinkFeatures, f32)> = Vec::new();
        let mut seen = vec![false; self.count as usize];
        let mut order = Vec::new();
        let mut next = Some((0, None));
        while let Some((page, link)) = next.take() {
            seen[page as usize] = true;
            let url = Self::url(page);
            let terms = Self::terms(&focus, page);
            let relevance = focus.judge(&terms, link.as_ref()).probability;
            order.push((page, relevance));
            focus.on_page(&PageOutcome {
                page,
                url: url.as_str(),
                terms: Some(&terms),
                relevance,
                fate: PageFate::New,
                link: link.as_ref(),
            });
            let mut new = Vec::new();
            for to in self.links(page) {
                let features = Self::features(&mut focus, page, to);
                if seen[to as usize] {
                    focus.observe_link(page, Self::url(to).as_str());
                } else if let Some(known) = pending.iter_mut().find(|known| known.0 == to) {
                    known.1.merge(&features);
                    known.2 = focus.score(&known.1);
                } else {
                    let score = focus.score(&features);
                    new.push(score);
                    pending.push((to, features, score));
                }
            }
            focus.on_new_links(page, &new);
            if focus.rescore_due(pending.len() as u64) {
                for waiting in &mut pending {
                    waiting.2 = focus.score(&waiting.1);
                }
            }
            assert!(pending.iter().all(|link| (0.0..=1.0).contains(&link.2)));
            if order.len() < budget {
                pending.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
                next = (!pending.is_empty())
                    .then(|| pending.remove(0))
                    .map(|(to, features, _)| (to, Some(features)));
            }
        }
        order
    }
}

fn trains() -> FocusConfig {
    FocusConfig {
        topic: TopicConfig {
            examples: vec![ExampleText {
                title: "trains".into(),
                text: ON.into(),
                ..ExampleText::default()
            }],
            ..keywords(&["railway"])
        },
        ..FocusConfig::default()
    }
}

#[test]
fn a_crawl_learns_which_anchors_lead_to_the_topic() {
    let order = Web { count: 600 }.crawl(&trains(), 150);
    let late = &order[50..];
    let found = late.iter().filter(|(page, _)| Web::on_topic(*page)).count();
    // One page in three is on topic, so a crawl in any order finds a third.
    assert!(found * 3 > late.len() * 2, "{found} of {}", late.len());
}

#[test]
fn pages_of_the_topic_are_told_from_others() {
    for (page, relevance) in (Web { count: 600 }).crawl(&trains(), 150) {
        assert_eq!(
            Web::on_topic(page),
            relevance >= 0.5,
            "page {page}: {relevance}"
        );
    }
}

/// What the plain rule says of a link on the first of two example pages, both of which were read.
fn plain_promise_with_examples(ahead: bool) -> f32 {
    let example = |at: usize, text: &str| ExampleText {
        title: format!("example {at}"),
        text: text.into(),
        url: Some(format!("http://a.example/example-{at}")),
        ..ExampleText::default()
    };
    let examples = [example(0, ON), example(1, OFF)];
    let mut focus = Focus::new(&FocusConfig {
        topic: TopicConfig {
            examples: examples[..if ahead { 2 } else { 0 }].to_vec(),
            ..keywords(&["railway"])
        },
        ..FocusConfig::default()
    })
    .unwrap();
    for (at, example) in examples.iter().enumerate() {
        if !ahead {
            focus.add_example(example, true);
            assert!(focus.rescore_due(1_000_000), "before example {at} is told");
            focus.on_rescored(&[]);
        }
        let url = Url::parse(example.url.as_deref().unwrap()).unwrap();
        let terms = focus.topic().read(&PageView {
            title: &example.title,
            words: &Segmenter::shared().words(&example.text),
            url: &url,
            lang: None,
            links: &[],
            labels: &[],
            listing: false,
        });
        focus.on_page(&PageOutcome {
            page: at as u32,
            url: url.as_str(),
            terms: Some(&terms),
            relevance: 0.8,
            fate: PageFate::New,
            link: None,
        });
    }
    let link = focus.features(&LinkContext {
        parent: Some(0),
        url: "http://a.example/more",
        anchor: "more",
        context: "",
        tag_path: "",
        in_main: true,
    });
    let experts = focus.explain_score(&link).experts;
    experts
        .iter()
        .find(|(name, _, _)| *name == "plain")
        .unwrap()
        .1
}

#[test]
fn examples_that_come_one_by_one_promise_what_they_do_when_all_are_known() {
    let [ahead, late] = [true, false].map(plain_promise_with_examples);
    assert!((ahead - late).abs() < 0.02, "{ahead} {late}");
}

#[test]
fn the_same_pages_make_the_same_crawl() {
    let web = Web { count: 400 };
    assert_eq!(web.crawl(&trains(), 120), web.crawl(&trains(), 120));
}

#[test]
fn one_keyword_is_enough_to_tell_pages() {
    let topic = Topic::new(&keywords(&["mysql"])).unwrap();
    let on = probability(
        &topic,
        "MySQL replication",
        "how mysql copies its log to another mysql server",
    );
    let off = probability(&topic, "Bread", OFF);
    assert!(on > 0.7 && off < 0.3, "{on} {off}");
}

#[test]
fn a_chinese_keyword_and_a_phrase_are_found() {
    let topic = Topic::new(&keywords(&["数据库", "query planner"])).unwrap();
    assert!(probability(&topic, "数据库备份", "这篇文章介绍数据库的备份与恢复") > 0.7);
    assert!(probability(&topic, "The query planner", "how the query planner works") > 0.7);
    assert!(
        probability(
            &topic,
            "A planner",
            "the planner of a query is here, not together"
        ) < 0.5
    );
}

#[test]
fn until_the_first_example_comes_all_is_in_doubt_but_what_a_keyword_rules_out() {
    let config = TopicConfig {
        examples_follow: true,
        ..keywords(&["-cooking"])
    };
    let mut topic = Topic::new(&config).unwrap();
    assert!(!topic.has_subject());
    assert_eq!(probability(&topic, "trains", ON), 0.5);
    assert_eq!(probability(&topic, "A letter", "we write letters"), 0.5);
    assert!(probability(&topic, "Cooking", "cooking with gas") < 0.1);
    let example = ExampleText {
        title: "trains".into(),
        text: ON.into(),
        ..ExampleText::default()
    };
    topic.add_example(&example, true);
    assert!(topic.has_subject());
    assert!(probability(&topic, "trains", ON) > 0.5);
    assert!(probability(&topic, "A letter", "we write letters") < 0.5);
}

#[test]
fn a_list_of_links_about_the_topic_is_a_page_about_it_only_where_an_example_is_one() {
    let relevance = |example_is_listing: bool| {
        let topic = Topic::new(&TopicConfig {
            examples: vec![ExampleText {
                title: "trains".into(),
                text: ON.into(),
                listing: example_is_listing,
                ..ExampleText::default()
            }],
            ..keywords(&["railway"])
        })
        .unwrap();
        let (words, url) = (Segmenter::shared().words(ON), Web::url(0));
        let page = topic.read(&PageView {
            title: "railway",
            words: &words,
            url: &url,
            lang: None,
            links: &[],
            labels: &[],
            listing: true,
        });
        topic.judge(&page).probability
    };
    assert!(relevance(true) > 0.8 && relevance(false) < 0.2);
}

#[test]
fn an_excluded_word_takes_a_page_off_the_topic() {
    let topic = Topic::new(&keywords(&["python", "-snake"])).unwrap();
    assert!(probability(&topic, "Python", "python is a language with a python shell") > 0.5);
    assert!(
        probability(
            &topic,
            "Python, the snake",
            "python is a snake of a python kind"
        ) < 0.1
    );
}

#[test]
fn terms_are_taken_from_the_examples() {
    let topic = Topic::new(&trains().topic).unwrap();
    let terms = topic.terms();
    assert_eq!((terms[0].text.as_str(), terms[0].weight), ("railway", 1.0));
    let learnt = terms
        .iter()
        .filter(|term| term.source == TermSource::Examples);
    assert!(learnt.clone().any(|term| term.text == "locomotive"));
    assert!(!learnt.take(10).any(|term| term.text == "the"));
}

#[test]
fn a_topic_of_nothing_is_refused_with_its_reason() {
    assert_eq!(
        Topic::new(&TopicConfig::default()).unwrap_err(),
        TopicError::Empty
    );
    assert_eq!(
        Topic::new(&keywords(&["-java"])).unwrap_err(),
        TopicError::Empty
    );
    let config = TopicConfig {
        threshold: f32::NAN,
        ..keywords(&["a"])
    };
    assert!(matches!(
        Topic::new(&config).unwrap_err(),
        TopicError::Threshold(_)
    ));
}

#[test]
fn keywords_that_are_too_many_are_named_as_ignored() {
    let mut words: Vec<String> = (0..64).map(|number| format!("otter{number}")).collect();
    assert_eq!(focus::keyword_doubts(&words), []);
    words.push("heron".into());
    let doubts = focus::keyword_doubts(&words);
    assert_eq!(doubts.len(), 1);
    assert!(doubts[0].0 == "heron" && doubts[0].1.contains("ignored"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_text_makes_a_probability_that_is_none(texts in prop::collection::vec(".{0,200}", 1..30), title in ".{0,40}") {
        let mut focus = Focus::new(&trains()).unwrap();
        for (page, text) in (0u32..).zip(&texts) {
            let words = Segmenter::shared().words(text);
            let url = Web::url(page);
            let view = PageView { title: &title, words: &words, url: &url, lang: None, links: &[text], labels: &[&title], listing: page % 5 == 0 };
            let terms = focus.topic().read(&view);
            let relevance = focus.judge(&terms, None).probability;
            prop_assert!(relevance > 0.0 && relevance < 1.0);
            focus.on_page(&PageOutcome {
                page, url: url.as_str(), terms: Some(&terms), relevance, fate: PageFate::New, link: None,
            });
        }
    }
}

#[test]
fn dead_links_and_refusals_teach_nothing_about_the_topic_and_sink_their_like() {
    let web = Web { count: 60 };
    let learn = |dead: u32| {
        let mut focus = Focus::new(&trains()).unwrap();
        for page in 0..60 {
            let link = Web::features(&mut focus, page.max(1) - 1, page);
            let (url, terms) = (Web::url(page), Web::terms(&focus, page));
            let relevance = focus.judge(&terms, Some(&link)).probability;
            let outcome = PageOutcome {
                page,
                url: url.as_str(),
                terms: Some(&terms),
                relevance,
                fate: PageFate::New,
                link: Some(&link),
            };
            focus.on_page(&outcome);
            for number in 0..dead {
                let gone = focus.features(&LinkContext {
                    parent: Some(page),
                    url: &format!("http://a.example/gone/{page}/{number}.html"),
                    anchor: "an engine",
                    context: "",
                    tag_path: "html>body>p>a",
                    in_main: true,
                });
                // The words of an error page, if it has any, are no words of the crawl's pages.
                for fate in [PageFate::Dead, PageFate::Unread] {
                    focus.on_page(&PageOutcome {
                        page: 1_000 + page,
                        url: "http://a.example/gone",
                        fate,
                        link: Some(&gone),
                        ..outcome
                    });
                }
            }
        }
        focus
    };
    let (without, mut with) = (learn(0), learn(2));
    for page in 0..web.count {
        let terms = Web::terms(&without, page);
        assert_eq!(without.judge(&terms, None), with.judge(&terms, None));
        let link = Web::features(&mut with, page, page + 1);
        let [alone, beside] = [&without, &with].map(|focus| focus.explain_score(&link));
        assert_eq!((alone.relevant, alone.hub), (beside.relevant, beside.hub));
        assert_eq!(alone.answers, 1.0);
    }
    let gone = with.features(&LinkContext {
        parent: None,
        url: "http://a.example/gone/9/9.html",
        anchor: "an engine",
        context: "",
        tag_path: "html>body>p>a",
        in_main: true,
    });
    let answers = with.explain_score(&gone).answers;
    assert!(answers < 0.1, "{answers}");
}
