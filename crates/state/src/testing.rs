//! Small states, leases and pages for the tests beside the code.

use std::time::{Duration, Instant};

use archive::{Record, SeedRecord};
use extractor::{BlockKeys, PageContext};
use fetcher::Fetched;
use frontier::{CanonicalUrl, Frontier, FrontierConfig, HostAdvice, Lease, Next, ScopeConfig};
use segment::Segmenter;
use sieve::{Keep, Rules};
use simhash::{IndexConfig, TableIndex};

use crate::finding::{FoundLink, LinkPlace, PageReading, Reading, UrlFinding};
use crate::{Answer, DuplicateLinks, Finding, Lent, Policy, State, Stored};

pub(crate) const NOW_MS: u64 = 1_700_000_000_000;

/// A crawl of hosts under `.example`, without a topic.
pub(crate) fn policy() -> Policy {
    Policy {
        rules: Rules {
            words_min: 8,
            ..Rules::default()
        },
        keep: Keep::First,
        links_of_duplicates: DuplicateLinks::FollowNew,
        learnt: crate::LearntPolicy::usual(false),
        host_templates: true,
        scope: ScopeConfig {
            hosts: vec!["*.example".into()],
            depth_max: 9,
            ..ScopeConfig::default()
        },
        follow_nofollow: false,
        sitemaps: true,
        sitemaps_per_host: 2,
        redirects_max: 3,
        attempts_max: 2,
        retry_delay: Duration::from_secs(1),
        retry_after_max: Duration::from_secs(60),
        wall_rest: Duration::from_secs(60),
        cookies: true,
        obey_robots: false,
        robots_outage_max: Duration::from_secs(24 * 3_600),
        agent: "tamis".into(),
        gone: again::GoneRule::default(),
        comes_back: true,
        focus: None,
        examples: Vec::new(),
        random_seed: 7,
    }
}

/// A state in memory, with a seed, ready to be leased from.
pub(crate) fn state(policy: Policy, frontier: FrontierConfig, seed: &str) -> State {
    let frontier = Frontier::in_memory(frontier, Instant::now());
    let prints = TableIndex::in_memory(&IndexConfig::default()).unwrap();
    let mut state = State::new(policy, frontier, prints).unwrap();
    let event = state
        .decide_seed(SeedRecord {
            url: seed.into(),
            priority: 1.0,
            ..SeedRecord::default()
        })
        .unwrap();
    let record = state.record(event, NOW_MS);
    apply(&mut state, &record);
    state
}

pub(crate) fn apply(state: &mut State, record: &Record) {
    let applied = state.apply(record, Stored::default(), Lent::default(), |_| None);
    applied.unwrap();
}

/// Leases the URL whose turn it is, long after the last one.
pub(crate) fn lease(state: &State, turn: u64) -> Lease {
    let now = Instant::now() + Duration::from_secs(3_600 * (turn + 1));
    let mut queue = state.queue().lock();
    let Next::Lease(lease) = queue.next(now, NOW_MS).unwrap() else {
        panic!("nothing to lease");
    };
    let host = lease.url().url.host();
    let advice = HostAdvice::default();
    queue.frontier.body_done(&host, now, &advice);
    lease
}

/// What was found at a leased URL.
pub(crate) fn found(lease: Lease, reading: Reading, status: u16) -> Finding {
    let answer = answer(lease.url().url.to_url(), status);
    Finding::Url(Box::new(UrlFinding {
        lease,
        reading,
        answer: Some(answer),
        content_type: "text/html".into(),
        before: None,
    }))
}

pub(crate) fn answer(url: url::Url, status: u16) -> Answer {
    Answer {
        fetched: Ok(Fetched::new(url, status, Vec::new(), "")),
        started_ms: NOW_MS,
        took: Duration::ZERO,
    }
}

/// A page as a reader reads it.
pub(crate) fn read(html: &str, url: &url::Url) -> PageReading {
    let mut page = extractor::extract(html, &PageContext::new(url));
    let links = links(std::mem::take(&mut page.links));
    let words = Segmenter::shared().words(&page.text);
    PageReading {
        blocks: BlockKeys::of(&page),
        source: None,
        whole: None,
        own: None,
        charset: "utf-8",
        print: simhash::print(&words),
        words,
        language: page.lang.clone(),
        payload: 0,
        soft_404: false,
        links,
        limits_hit: Vec::new(),
        cut: None,
        page,
    }
}

/// Links, each URL once.
fn links(links: Vec<extractor::Link>) -> Vec<FoundLink> {
    let mut found: Vec<FoundLink> = Vec::new();
    for link in links {
        let url = CanonicalUrl::parse(link.url.as_str());
        let target = url.map_err(|error| (link.url.to_string(), error.fate()));
        if found.iter().any(|known| known.target == target) {
            continue;
        }
        found.push(FoundLink {
            target,
            rel: link.rel,
            nofollow: link.nofollow,
            places: vec![LinkPlace {
                anchor: link.anchor,
                context: link.context,
                tag_path: link.tag_path,
                in_main: link.in_main,
            }],
        });
    }
    found
}
