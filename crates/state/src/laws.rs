//! The law of the state, held against simulated crawls: for any sequence of findings, of crashes and
//! of new starts, the journal applied afresh gives the state that the crawl has.
//!
//! What is compared is every answer that a state can give about a small web: what waits and with
//! what, what a link would become, what the gate says, how near a page is, how relevant it is judged.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use archive::{AgainRecord, BodyRef, DueRecord, Event, PageRecord, Record, SeedRecord};
use fetcher::{Robots, SitemapUrl};
use focus::FocusConfig;
use frontier::{
    CanonicalUrl, Frontier, FrontierConfig, HeldBack, HostAdvice, HostKey, Lease, LinkTarget, Next,
    Refused,
};
use outcome::{FailureKind, Outcome, RobotsAnswer, SitemapKind};
use proptest::prelude::*;
use sieve::Keep;
use simhash::{IndexConfig, TableIndex};

use crate::context::{Kind, UrlContext, is_listed};
use crate::finding::{PageReading, Reading, RobotsFinding, SitemapReading, UrlFinding};
use crate::retry::{Candidates, RetryFilter, way_of_filter};
use crate::testing::{self, answer, read};
use crate::{Decided, DuplicateLinks, Finding, LearntPolicy, Lent, Policy, State, Stored};

mod world;

use world::{Journal, Kinds, Reached, USUAL, World, frontier_config, open, policy};

const HOSTS: u64 = 4;
const PAGES: u64 = 14;
const BEGAN_MS: u64 = 1_700_000_000_000;

/// All URLs that a journal speaks of.
fn urls(journal: &Journal) -> BTreeSet<CanonicalUrl> {
    let mut urls = BTreeSet::new();
    for record in journal.read() {
        let texts: Vec<String> = match record.event {
            Event::Seed(seed) => vec![seed.url],
            Event::Page(page) => page.links.into_iter().map(|link| link.url).collect(),
            Event::Sitemap(sitemap) => sitemap.urls,
            Event::Robots(robots) => robots.sitemaps,
            Event::Visit(visit) => {
                let links = visit.page.into_iter().flat_map(|page| page.links);
                links.map(|link| link.url).collect()
            }
            Event::Start(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => Vec::new(),
        };
        urls.extend(texts.iter().filter_map(|url| CanonicalUrl::parse(url).ok()));
    }
    urls
}

/// Every answer that a state gives about the web of a journal, by the question.
fn answers(state: &mut State, journal: &Journal) -> BTreeMap<String, String> {
    let mut answers = BTreeMap::new();
    let mut answer = |question: String, answer: String| {
        answers.insert(question, answer);
    };
    // Priorities are what the model says of features: they are compared as it says it now.
    state.rescore().unwrap();
    answer("counts".into(), format!("{:?}", state.counts));
    answer("seq".into(), format!("{}", state.seq));
    answer("pasts".into(), format!("{:?}", state.pasts));
    answer("returns".into(), format!("{:?}", state.returns));
    let robots = format!("{:?}", state.queue.lock().robots.tell());
    answer("robots".into(), robots);
    answer("seeds".into(), format!("{:?}", state.reach.seeds()));
    let mut kept: Vec<_> = state
        .kept
        .iter()
        .map(|(seq, page)| (seq, page.clone()))
        .collect();
    kept.sort_by_key(|(seq, _)| *seq);
    for (seq, page) in kept {
        let print = state.kept.prints().get(seq).unwrap();
        answer(format!("kept {seq}"), format!("{page:?} {print:?}"));
    }
    answer("prints".into(), format!("{}", state.kept.prints().len()));
    answer_queue(state, journal, &mut answer);
    for (url, wrong) in state.wrong_rules() {
        answer(format!("wrong {url}"), format!("{wrong:?}"));
    }
    for record in journal.read() {
        if let Event::Page(page) = record.event {
            answer(
                format!("page {}", record.seq),
                answer_page(state, &page, journal),
            );
        }
    }
    answers
}

fn answer_queue(state: &State, journal: &Journal, answer: &mut impl FnMut(String, String)) {
    let queue = state.queue.lock();
    answer("frontier".into(), format!("{:?}", queue.frontier.counts()));
    for (rule, loss) in queue.gate.losses().rules() {
        answer(format!("rule {rule}"), format!("{loss:?}"));
    }
    for url in urls(journal) {
        let waiting = queue.frontier.link_target(&url);
        let waiting = match waiting {
            LinkTarget::Pending(_) if journal.spills => LinkTarget::Closed,
            waiting => waiting,
        };
        let finished = queue.frontier.is_finished(&url).unwrap();
        let fate = queue.frontier.offers(None).offer(&url, 3, 0).unwrap();
        let normalizer = queue.frontier.url_normalizer();
        let gate = [
            queue.gate.check(&url.host(), &url, &normalizer),
            queue
                .gate
                .check_at_last(&url.host(), &url, &normalizer, HeldBack::ToTheLast, |_| 0),
        ];
        let plain = normalizer.normalized(&url);
        let scope: Vec<_> = (0..3)
            .map(|seed| state.reach.check(&url, 2, seed).is_ok())
            .collect();
        let sitemaps = state.reach.sitemaps_of_host(&url.host());
        let of_seed = state.reach.seed_of_host(&url.host());
        let example = state.examples.get(url.as_str());
        answer(
            format!("url {url}"),
            format!(
                "{waiting:?} {finished} {fate:?} {gate:?} {plain} {scope:?} {sitemaps} {of_seed:?} \
                 {example:?}"
            ),
        );
    }
}

fn answer_page(state: &mut State, page: &PageRecord, journal: &Journal) -> String {
    let text = page.text.as_ref().and_then(|at| journal.text(at));
    let focus = state.focus.as_ref().map(|focus| {
        let (promise, relevance) = focus.why(page, text.as_deref().unwrap_or_default());
        let stop = focus.stop_host(&page.host);
        format!(
            "{promise:?} {:?} {stop:?}",
            relevance.map(|found| found.probability)
        )
    });
    let near = page.page.as_ref().and_then(|summary| {
        let print = crate::recorded::print_of(summary)?;
        let near = state.kept.prints().nearest(&print).unwrap();
        near.map(|near| near.page)
    });
    format!("{focus:?} {near:?}")
}

/// What a state writes of itself.
fn bytes(state: &State) -> Vec<u8> {
    let mut bytes = Vec::new();
    state.write_snapshot(&mut bytes).unwrap();
    bytes
}

/// That two states write the same of themselves, part by part.
#[track_caller]
fn assert_same_bytes(one: &State, other: &State) {
    const PARTS: [&str; 10] = [
        "small",
        "pasts",
        "reach",
        "examples",
        "templates",
        "robots",
        "gate",
        "learnt",
        "focus",
        "kept",
    ];
    let (one, other) = (bytes(one), bytes(other));
    let (mut one, mut other) = (&one[..], &other[..]);
    let take = |from: &mut &[u8]| {
        let (length, rest) = from.split_first_chunk::<4>()?;
        let (part, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        *from = rest;
        Some(part.to_vec())
    };
    for at in 0.. {
        let (one, other) = (take(&mut one), take(&mut other));
        assert!(one == other, "{}", PARTS[at.min(PARTS.len() - 1)]);
        if one.is_none() {
            return;
        }
    }
}

fn assert_same(live: &BTreeMap<String, String>, fresh: &BTreeMap<String, String>) {
    let questions: BTreeSet<&String> = live.keys().chain(fresh.keys()).collect();
    for question in questions {
        assert_eq!(live.get(question), fresh.get(question), "{question}");
    }
}

fn crawl(seed: u64, steps: usize, kinds: Kinds) {
    let mut world = World::new(seed, kinds);
    for step in 0..steps {
        if step % 23 == 22 {
            let before = answers(&mut world.state, &world.journal);
            let (lease, records) = (world.running.pop(), world.journal.records.len());
            if let Some(lease) = lease {
                let url = lease.url().url.to_url();
                let (reading, status) = world.reading(&lease, &url);
                let finding = UrlFinding {
                    lease,
                    reading,
                    answer: Some(answer(url, status)),
                    content_type: String::new(),
                    before: None,
                };
                let decided = world
                    .state
                    .decide(Finding::Url(Box::new(finding)), world.now_ms)
                    .unwrap();
                assert_same(&answers(&mut world.state, &world.journal), &before);
                assert_eq!(world.journal.records.len(), records);
                world.running.extend(decided.lease);
            }
        }
        world.step();
    }
    while !world.running.is_empty() {
        world.finish_one();
    }
    world.end_group();
    let dir = tempfile::tempdir().unwrap();
    let (mut fresh, ..) = open(dir.path(), kinds, world.now);
    world.journal.replay(&mut fresh, Reached::default());
    assert_same_bytes(&world.state, &fresh);
    let live = answers(&mut world.state, &world.journal);
    assert_same(&live, &answers(&mut fresh, &world.journal));
    resume_anywhere(&mut world, &live);
}

/// A state that is read from a snapshot of any position, beside stores that hold less, as much or more,
/// and then fed the records after it, is the state of all records.
fn resume_anywhere(world: &mut World, live: &BTreeMap<String, String>) {
    let end = world.journal.records.len() as u64;
    let position = world.dice.roll(end + 1);
    let taken = {
        let dir = tempfile::tempdir().unwrap();
        let (mut state, ..) = open(dir.path(), world.kinds, world.now);
        let records: Vec<_> = world.journal.read().take(position as usize).collect();
        for record in records {
            let read = |at: &BodyRef| world.journal.text(at);
            let applied = state.apply(&record, Stored::default(), Lent::default(), read);
            applied.unwrap();
        }
        bytes(&state)
    };
    let dir = tempfile::tempdir().unwrap();
    if world.dice.roll(2) == 0 {
        // Stores that another process has left at some other position.
        let stored = world.dice.roll(end + 1);
        let (mut state, ..) = open(dir.path(), world.kinds, world.now);
        let records: Vec<_> = world.journal.read().take(stored as usize).collect();
        for record in records {
            let read = |at: &BodyRef| world.journal.text(at);
            let applied = state.apply(&record, Stored::default(), Lent::default(), read);
            applied.unwrap();
        }
        state.store(stored, stored).unwrap();
        if world.dice.roll(2) == 0 {
            state.queue().lock().frontier.save().unwrap();
        }
    }
    let (mut state, mut reached) = open(dir.path(), world.kinds, world.now);
    state.read_snapshot(&mut &taken[..]).unwrap();
    reached.views = position;
    world.journal.replay(&mut state, reached);
    assert_same_bytes(&world.state, &state);
    assert_same(live, &answers(&mut state, &world.journal));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_journal_applied_afresh_gives_the_state_of_the_crawl(
        seed in any::<u64>(), steps in 20usize..220, has_topic in any::<bool>(),
        keep in 0u64..3, links_of_duplicates in 0u64..3, is_tight in any::<bool>(),
        is_swapped in any::<bool>(), spills in any::<bool>(),
    ) {
        crawl(seed, steps, Kinds {
            has_topic,
            keep,
            links_of_duplicates,
            urls_per_host: if is_tight { 9 } else { 0 },
            is_swapped,
            spills,
        });
    }
}

#[test]
fn a_snapshot_is_of_its_settings_and_others_change_no_byte_of_it() {
    let kinds = USUAL;
    let mut world = World::new(11, kinds);
    for _ in 0..120 {
        world.step();
    }
    world.end_group();
    let folded = |policy: Policy| {
        let frontier = Frontier::in_memory(frontier_config(kinds), world.now);
        let prints = TableIndex::in_memory(&IndexConfig::default()).unwrap();
        let mut state = State::new(policy, frontier, prints).unwrap();
        world.journal.replay(&mut state, Reached::default());
        state
    };
    let plain = folded(policy(kinds));
    type Change = fn(&mut Policy);
    let shaping: [Change; 7] = [
        |policy| policy.host_templates = false,
        |policy| policy.learnt = LearntPolicy::usual(false),
        |policy| policy.scope.depth_max += 1,
        |policy| policy.sitemaps = false,
        |policy| policy.sitemaps_per_host += 1,
        |policy| policy.random_seed += 1,
        |policy| {
            if let Some(focus) = &mut policy.focus {
                focus.topic.keywords.push("table".into());
            }
        },
    ];
    for (at, change) in shaping.into_iter().enumerate() {
        let mut other = policy(kinds);
        change(&mut other);
        assert_ne!(folded(other).settings(), plain.settings(), "{at}");
    }
    let others: [Change; 12] = [
        |policy| policy.rules.words_min += 50,
        |policy| policy.keep = Keep::Longest,
        |policy| policy.links_of_duplicates = DuplicateLinks::Ignore,
        |policy| policy.follow_nofollow = true,
        |policy| policy.redirects_max = 0,
        |policy| policy.attempts_max = 1,
        |policy| policy.retry_delay = Duration::from_secs(77),
        |policy| policy.retry_after_max = Duration::ZERO,
        |policy| policy.cookies = false,
        |policy| policy.obey_robots = false,
        |policy| policy.robots_outage_max = Duration::ZERO,
        |policy| policy.agent = "other".into(),
    ];
    for change in others {
        let mut other = policy(kinds);
        change(&mut other);
        let other = folded(other);
        assert_eq!(other.settings(), plain.settings());
        assert_same_bytes(&other, &plain);
    }
}

/// A crawl of one host whose pages answer 429 and ask for two minutes, after one page and a robots.txt
/// that asks for five seconds; then the process is killed and begun again.
fn busy_crawl() -> World {
    let kinds = Kinds {
        has_topic: false,
        ..USUAL
    };
    let mut world = World::new(7, kinds);
    // Decades ahead of the real clock, as if that had been set back since.
    world.now_ms = 4_102_444_800_000;
    let host = HostKey::from_record("h0.example");
    let text = "User-agent: *\nCrawl-delay: 5\nDisallow: /1\n";
    let url = url::Url::parse("http://h0.example/robots.txt").unwrap();
    let mut found = answer(url.clone(), 200);
    found.started_ms = world.now_ms;
    world.commit(Finding::Robots(Box::new(RobotsFinding {
        origin: "http://h0.example".into(),
        answered_at: "http://h0.example".into(),
        answered_by: host.clone(),
        host,
        answer: found,
        robots: Arc::new(Robots::parse(text.as_bytes())),
        rules: RobotsAnswer::Parsed,
    })));
    let lease = loop {
        world.now += Duration::from_secs(1);
        world.now_ms += 1_000;
        let next = world.state.queue().lock().next(world.now, world.now_ms);
        match next.unwrap() {
            Next::Lease(lease) if lease.url().url.as_str().contains("//h0.") => break lease,
            Next::Lease(_) | Next::Robots(..) => {}
            other => panic!("{other:?}"),
        }
    };
    let mut busy = answer(lease.url().url.to_url(), 429);
    busy.started_ms = world.now_ms;
    if let Ok(fetched) = &mut busy.fetched {
        let field = ("retry-after".to_owned(), b"60".to_vec());
        fetched.headers.push(field);
    }
    world.commit(Finding::Url(Box::new(UrlFinding {
        lease,
        reading: Reading::Failed {
            kind: FailureKind::Http(429),
            detail: "busy".into(),
            transient: true,
        },
        answer: Some(busy),
        content_type: String::new(),
        before: None,
    })));
    let another = SeedRecord {
        seed: 3,
        url: "http://h0.example/2".into(),
        ..SeedRecord::default()
    };
    let event = world.state.decide_seed(another).unwrap();
    world.commit_event(event);
    world.end_group();
    world.crash();
    world
}

#[test]
fn what_a_host_asked_for_holds_after_a_crash() {
    // It was asked again as soon as the next process began.
    let world = busy_crawl();
    let began = world.now;
    let host = HostKey::from_record("h0.example");
    {
        let queue = world.state.queue().lock();
        let mut status = queue.frontier.hosts(9, began).into_iter();
        let status = status.find(|shown| shown.host == host).unwrap();
        assert_eq!(status.why, "retry-after");
        // Though the wall clock was set back it is as long as the host asked for, and no longer.
        assert_eq!(status.next_in.as_secs(), 60);
    }
    // robots.txt is known still: a rule refuses at once, without a request.
    let url = CanonicalUrl::parse("http://h0.example/1").unwrap();
    let queue = world.state.queue().lock();
    let permission = queue.robots.check(&url, world.now_ms);
    assert!(matches!(permission, frontier::Permission::Refused(_)));
}

#[test]
fn what_is_lent_is_what_would_be_computed() {
    let kinds = USUAL;
    let mut world = World::new(5, kinds);
    let dir = tempfile::tempdir().unwrap();
    let (mut fresh, ..) = open(dir.path(), kinds, world.now);
    for _ in 0..200 {
        world.step();
    }
    world.end_group();
    // The journal has the same texts, and nothing else is lent to the fresh state.
    world.journal.replay(&mut fresh, Reached::default());
    let pages = world.journal.read().filter(|record| match &record.event {
        Event::Page(page) => page.page.is_some() && page.text.is_some(),
        _ => false,
    });
    assert!(pages.count() > 10);
    for lease in world.running.drain(..) {
        world
            .state
            .queue()
            .lock()
            .frontier
            .settle(lease.retry_at(0))
            .unwrap();
    }
    let (live, fresh) = (
        answers(&mut world.state, &world.journal),
        answers(&mut fresh, &world.journal),
    );
    let pages = |answers: &BTreeMap<String, String>| {
        let pages = answers
            .iter()
            .filter(|(question, _)| question.starts_with("page"));
        pages.map(|(_, answer)| answer.clone()).collect::<Vec<_>>()
    };
    assert_eq!(pages(&live), pages(&fresh));
}

#[test]
fn what_links_said_of_a_waiting_url_is_not_said_again_to_memory_that_was_saved_with_it() {
    let kinds = USUAL;
    let dir = tempfile::tempdir().unwrap();
    let (mut state, _) = open(dir.path(), kinds, Instant::now());
    let target = "http://h9.example/planner";
    let mut records = Vec::new();
    // More pages than features name.
    for number in 0..40u32 {
        let link = archive::LinkRecord {
            url: target.into(),
            anchor: format!("word{number}"),
            promise: 0.5,
            fate: match number {
                0 => outcome::LinkFate::New,
                _ => outcome::LinkFate::Seen,
            },
            context: match number {
                0 => crate::context::encode(&focus_features(target)),
                _ => String::new(),
            },
            ..archive::LinkRecord::default()
        };
        let page = PageRecord {
            url: format!("http://h9.example/{number}"),
            host: "h9.example".into(),
            links: vec![link],
            ..PageRecord::default()
        };
        let record = state.record(Event::Page(Box::new(page)), BEGAN_MS);
        testing::apply(&mut state, &record);
        records.push(record);
    }
    let mut again = |links| {
        let stored = Stored {
            frontier: true,
            links,
            prints: true,
            views: false,
        };
        for record in &records {
            let applied = state.apply(record, stored, Lent::default(), |_| None);
            applied.unwrap();
        }
        let target = CanonicalUrl::parse(target).unwrap();
        let frontier = &state.queue().lock().frontier;
        frontier.context_of(&target).map(<[u8]>::to_vec)
    };
    let said = again(true);
    assert!(said.is_some());
    assert_eq!(again(true), said);
    assert_ne!(again(false), said, "it would have been said twice");
}

/// Features of a link, as a record has them.
fn focus_features(url: &str) -> Vec<u8> {
    let mut focus = focus::Focus::new(policy(USUAL).focus.as_ref().unwrap()).unwrap();
    let link = focus::LinkContext {
        parent: Some(1),
        url,
        anchor: "planner",
        context: "",
        tag_path: "",
        in_main: true,
    };
    focus.features(&link).to_bytes()
}
