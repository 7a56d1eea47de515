//! Crawls of made-up sites: what deeds are for is refused, and no page is lost.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use frontier::{Frontier, FrontierConfig, HostAdvice, Next, Refused};
use simhash::{IndexConfig, TableIndex};

use super::*;
use crate::finding::{Reading, UrlFinding};
use crate::testing::{NOW_MS, apply, found, policy, read};
use crate::{Decided, Finding, Learnt, LearntPolicy, Policy, State};

const SITE: &str = "http://a.example";

/// What a site answers.
enum Served {
    /// The title, what is told by that number, and links.
    Text(String, u32, Vec<String>),
    /// The same words for all.
    Same(&'static str, Vec<String>),
    To(String),
}

/// What came of a crawl.
#[derive(Default)]
struct Crawled {
    kept: BTreeSet<String>,
    asked: Vec<String>,
    refused: usize,
}

impl Crawled {
    fn kept(&self, part: &str) -> usize {
        self.kept.iter().filter(|url| url.contains(part)).count()
    }

    fn asked(&self, part: &str) -> usize {
        self.asked.iter().filter(|url| url.contains(part)).count()
    }
}

/// Words that no other number has.
fn words(number: u32, count: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wu",
        "za",
    ];
    let word = |at: u64| -> String {
        let hash = xxh3_64(&[u64::from(number).to_le_bytes(), at.to_le_bytes()].concat());
        let syllable = |digit: u32| SYLLABLES[(hash >> (digit * 4) & 15) as usize];
        (0..4).map(syllable).collect()
    };
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

fn html(title: &str, text: &str, links: &[String]) -> String {
    let mut html = format!("<html lang=en><title>{title}</title><h1>{title}</h1><p>{text}</p><ul>");
    for link in links {
        write!(
            html,
            "<li><a href=\"{}\">{link}</a>",
            link.replace('&', "&amp;")
        )
        .unwrap();
    }
    html
}

fn reading(served: Served, url: &url::Url) -> Reading {
    let page = |html: &str| Reading::Page(Box::new(read(html, url)));
    match served {
        Served::Text(title, number, links) => page(&html(&title, &words(number, 60), &links)),
        Served::Same(text, links) => page(&html("Notice", text, &links)),
        Served::To(to) => {
            Reading::Redirect(Ok(CanonicalUrl::parse(&format!("{SITE}{to}")).unwrap()))
        }
    }
}

/// Crawls a site from its front page, one page at a time.
fn crawl(policy: Policy, mut site: impl FnMut(&str) -> Served) -> Crawled {
    let mut now = Instant::now();
    let frontier = Frontier::in_memory(FrontierConfig::default(), now);
    let prints = TableIndex::in_memory(&IndexConfig::default()).unwrap();
    let mut state = State::new(policy, frontier, prints).unwrap();
    let seed = archive::SeedRecord {
        url: format!("{SITE}/"),
        priority: 1.0,
        ..archive::SeedRecord::default()
    };
    let event = state.decide_seed(seed).unwrap();
    let record = state.record(event, NOW_MS);
    apply(&mut state, &record);
    let mut crawled = Crawled::default();
    for _ in 0..20_000 {
        now += Duration::from_secs(600);
        let next = state.queue().lock().next(now, NOW_MS).unwrap();
        match next {
            Next::Lease(lease) => {
                let url = lease.url().url.clone();
                let host = url.host();
                let advice = HostAdvice::default();
                state.queue().lock().frontier.body_done(&host, now, &advice);
                crawled.asked.push(url.path_and_query().to_owned());
                let reading = reading(site(url.path_and_query()), &url.to_url());
                let is_redirect = matches!(reading, Reading::Redirect(_));
                let status = if is_redirect { 302 } else { 200 };
                commit(&mut state, found(lease, reading, status), &mut crawled);
            }
            Next::Refused(lease, Refused::Refusal(refusal)) => {
                crawled.refused += 1;
                let finding = UrlFinding {
                    lease,
                    reading: Reading::Refused(refusal),
                    answer: None,
                    content_type: String::new(),
                    before: None,
                };
                commit(&mut state, Finding::Url(Box::new(finding)), &mut crawled);
            }
            Next::Drained => return crawled,
            Next::WaitUntil(_) => {}
            _ => panic!("nothing else is asked for"),
        }
    }
    panic!("it never ends");
}

fn commit(state: &mut State, finding: Finding, crawled: &mut Crawled) {
    let Decided { record, lease, .. } = state.decide(finding, NOW_MS).unwrap();
    apply(state, &record);
    if let archive::Event::Page(page) = &record.event
        && page.outcome.is_indexed()
    {
        crawled.kept.insert(page.url.replace(SITE, ""));
    }
    if let Some(lease) = lease {
        let settled = Decided::settled(lease, &record);
        state.queue().lock().frontier.settle(settled).unwrap();
    }
    for (rule, refused) in state.wrong_rules() {
        for event in state.decide_rule_wrong(&rule, refused.urls).unwrap() {
            let record = state.record(event, NOW_MS);
            apply(state, &record);
        }
    }
}

/// Deeds that lead nowhere are refused as soon as that is allowed; no other rule is.
fn refusing() -> Policy {
    Policy {
        learnt: LearntPolicy {
            parameters: Learnt::Refuse,
            duplicates: Learnt::Off,
            low_yield: Learnt::Off,
            files: Learnt::Off,
        },
        ..policy()
    }
}

/// The same without a topic.
fn holding() -> Policy {
    let mut policy = refusing();
    policy.learnt.parameters = Learnt::HoldBack;
    policy
}

fn number(path: &str, before: &str) -> Option<u32> {
    let digits: String = path
        .strip_prefix(before)?
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

fn lists(all: u32, of_one: impl Fn(u32) -> Vec<String>) -> Served {
    Served::Text("Home".into(), 1, (1..=all).flat_map(of_one).collect())
}

fn text(number: u32, links: Vec<String>) -> Served {
    Served::Text(format!("Text {number}"), number, links)
}

const CAPTCHA: &str = "Verify you are human. Please complete the captcha to continue. \
    <script src='https://ct.captcha-delivery.com/c.js'></script>";
const LOGIN: &str = "You must log in to view this page. <form action='/login'>Username \
    <input name=user> Password <input type=password name=password> <input type=submit value='Log in'></form>";
/// A login page that is not known for one.
const MEMBERS: &str = "The garden club keeps its letters for those who pay a fee each spring, as the meeting wanted \
    it in the year of the great storm. Whoever joins gets the key to the shed, three bags of seed, the almanac with all \
    dates of the moon, and a voice in what is planted along the river. Write to the treasurer or come to the gate on a \
    Sunday morning before the bells.";

/// Goods, each with reviews, of which the first answers are something else.
fn reviewed(all: u32, first: usize, in_their_place: &'static str) -> Crawled {
    let mut asked = 0;
    crawl(holding(), |path| {
        if path == "/" {
            return lists(all, |number| vec![format!("/goods/{number}")]);
        }
        let number = number(path, "/goods/").unwrap();
        if !path.ends_with("/reviews") {
            return text(number, vec![format!("/goods/{number}/reviews")]);
        }
        asked += 1;
        match asked <= first {
            true => Served::Same(in_their_place, Vec::new()),
            false => text(5_000 + number, Vec::new()),
        }
    })
}

#[test]
fn a_wall_before_the_whole_host_is_no_answer_and_one_before_a_page_is() {
    let crawled = reviewed(60, 18, CAPTCHA);
    assert_eq!((crawled.kept("/reviews"), crawled.refused), (42, 0));
    let crawled = reviewed(60, 60, LOGIN);
    assert_eq!(crawled.kept("/reviews"), 0);
    assert!(crawled.asked("/reviews") < 24, "{:?}", crawled.asked.len());
}

/// Goods whose reviews have moved; the front page links to the new URLs of some.
fn moved(policy: Policy, all: u32, known: u32) -> Crawled {
    crawl(policy, |path| {
        if path == "/" {
            let new = |number: u32| (number <= known).then(|| format!("/reviews/all-of-{number}"));
            return lists(all, |number| {
                new(number)
                    .into_iter()
                    .chain([format!("/goods.php?id={number}")])
                    .collect()
            });
        }
        if let Some(number) = number(path, "/goods.php?id=") {
            return text(number, vec![format!("/reviews.php?id={number}")]);
        }
        if let Some(number) = number(path, "/reviews.php?id=") {
            return Served::To(format!("/reviews/all-of-{number}"));
        }
        text(
            5_000 + number(path, "/reviews/all-of-").unwrap(),
            Vec::new(),
        )
    })
}

#[test]
fn redirects_to_pages_of_their_own_are_no_evidence_and_what_they_led_to_ends_the_rule() {
    for (all, known) in [(60, 20), (120, 70)] {
        for policy in [holding(), refusing()] {
            let crawled = moved(policy, all, known);
            let kept = crawled.kept("/reviews/");
            assert_eq!(kept, all as usize, "{known} {}", crawled.refused);
        }
    }
}

/// Goods with a link that a guest cannot use, on their pages or in lists alone.
fn bought(all: u32, is_listed: bool) -> Crawled {
    let buy = |number: u32| format!("/index.php?action=buy&id={number}");
    crawl(holding(), |path| {
        if path == "/" {
            let of_one = |number: u32| {
                let buy = is_listed.then(|| buy(number));
                [format!("/goods.php?id={number}")]
                    .into_iter()
                    .chain(buy)
                    .collect()
            };
            return lists(all, of_one);
        }
        match number(path, "/goods.php?id=") {
            Some(number) if is_listed => text(number, Vec::new()),
            Some(number) => text(number, vec![buy(number)]),
            None if path == "/login" => Served::Same(LOGIN, Vec::new()),
            None => Served::To("/login".into()),
        }
    })
}

#[test]
fn what_is_done_to_goods_is_refused_whether_they_or_lists_lead_there() {
    for is_listed in [false, true] {
        let crawled = bought(60, is_listed);
        assert_eq!(crawled.kept("/goods.php"), 60);
        assert!(crawled.asked("action=buy") < 30, "{is_listed}");
    }
}

#[test]
fn numbers_of_other_things_show_nothing() {
    // Some news are for members alone, and pictures have the same numbers.
    let crawled = crawl(holding(), |path| {
        if path == "/" {
            let news = (1..=60).map(|number| format!("/news.php?id={number}"));
            let pictures = (1..=60).map(|number| format!("/gallery.php?id={number}"));
            return Served::Text("Home".into(), 1, pictures.chain(news).collect());
        }
        match (
            number(path, "/gallery.php?id="),
            number(path, "/news.php?id="),
        ) {
            (Some(number), _) => text(number, vec!["/news.php?id=7".into()]),
            (_, Some(number)) if number <= 30 => Served::Same(LOGIN, Vec::new()),
            (_, Some(number)) => text(5_000 + number, Vec::new()),
            _ => panic!("{path}"),
        }
    });
    assert_eq!((crawled.kept("/news.php"), crawled.refused), (30, 0));
}

#[test]
fn one_page_that_all_deeds_of_its_form_repeat_is_none_of_worth() {
    let forum = |own: u32| {
        crawl(refusing(), move |path| {
            if path == "/" {
                return lists(150, |number| vec![format!("/topic.php?t={number}")]);
            }
            if let Some(number) = number(path, "/topic.php?t=") {
                return text(number, vec![format!("/reply.php?t={number}")]);
            }
            match number(path, "/reply.php?t=").unwrap() {
                number if number > 150 - own => text(5_000 + number, Vec::new()),
                _ => Served::Same(MEMBERS, Vec::new()),
            }
        })
    };
    let crawled = forum(0);
    assert_eq!((crawled.kept("/topic"), crawled.kept("/reply")), (150, 1));
    let asked = crawled.asked("/reply");
    assert!((61..85).contains(&asked), "{asked}");
    // The first further page of its own, and all are asked for.
    let crawled = forum(40);
    assert_eq!((crawled.kept("/reply"), crawled.asked("/reply")), (41, 150));
}
