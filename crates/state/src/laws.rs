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

use crate::context::{Kind, UrlContext};
use crate::finding::{PageReading, Reading, RobotsFinding, SitemapReading, UrlFinding};
use crate::retry::{Candidates, RetryFilter, way_of_filter};
use crate::testing::{self, answer, read};
use crate::{Decided, DuplicateLinks, Finding, LearntPolicy, Lent, Policy, State, Stored};

const HOSTS: u64 = 4;
const PAGES: u64 = 14;
const BEGAN_MS: u64 = 1_700_000_000_000;

/// A small generator, so that a failing case is its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// What differs from crawl to crawl.
#[derive(Debug, Clone, Copy)]
struct Kinds {
    has_topic: bool,
    keep: u64,
    links_of_duplicates: u64,
    urls_per_host: u64,
    /// Learnt rules refuse without a topic, and hold back with one.
    is_swapped: bool,
    /// Memory has room for a few URLs: the others wait on disk.
    spills: bool,
}

const USUAL: Kinds = Kinds {
    has_topic: true,
    keep: 0,
    links_of_duplicates: 0,
    urls_per_host: 0,
    is_swapped: false,
    spills: false,
};

fn policy(kinds: Kinds) -> Policy {
    let mut focus = FocusConfig::default();
    focus.topic.keywords = vec!["planner".into(), "index".into()];
    Policy {
        keep: [Keep::First, Keep::Longest, Keep::Canonical][kinds.keep as usize % 3],
        links_of_duplicates: [
            DuplicateLinks::Follow,
            DuplicateLinks::FollowNew,
            DuplicateLinks::Ignore,
        ][kinds.links_of_duplicates as usize % 3],
        learnt: LearntPolicy::usual(kinds.has_topic ^ kinds.is_swapped),
        focus: kinds.has_topic.then_some(focus),
        obey_robots: true,
        ..testing::policy()
    }
}

fn frontier_config(kinds: Kinds) -> FrontierConfig {
    FrontierConfig {
        delay: Duration::from_millis(1),
        urls_per_host: kinds.urls_per_host,
        pending_in_memory: if kinds.spills { 3 } else { 1_000 },
        slots_in_memory: if kinds.spills { 9 } else { 1_000 },
        ..FrontierConfig::default()
    }
}

/// How far in the journal the stores of a state have come.
#[derive(Debug, Clone, Copy, Default)]
struct Reached {
    frontier: u64,
    links: u64,
    prints: u64,
    views: u64,
}

/// Opens a state with what its stores hold, and the journal positions of those.
fn open(dir: &Path, kinds: Kinds, now: Instant) -> (State, Reached) {
    let (frontier, opened) =
        Frontier::open(&dir.join("frontier"), frontier_config(kinds), now).unwrap();
    let (prints, prints_opened) =
        TableIndex::open(&dir.join("prints"), &IndexConfig::default()).unwrap();
    let state = State::new(policy(kinds), frontier, prints).unwrap();
    let reached = Reached {
        frontier: opened.position,
        links: opened.memory_position,
        prints: prints_opened.position,
        views: 0,
    };
    (state, reached)
}

/// A journal: each record as it is written, with its text.
#[derive(Default)]
struct Journal {
    records: Vec<(String, Option<String>)>,
    synced: usize,
    /// Which URLs wait in memory, and which on disk, is not the same in two processes.
    spills: bool,
}

impl Journal {
    fn append(&mut self, record: &Record, text: Option<&str>) {
        let mut record = record.clone();
        let page = match &mut record.event {
            Event::Page(page) => Some(page),
            Event::Visit(visit) => visit.page.as_mut(),
            _ => None,
        };
        if let Some(page) = page {
            let file = self.records.len() as u32;
            page.text = text.map(|_| BodyRef {
                file,
                ..BodyRef::default()
            });
        }
        let json = serde_json::to_string(&record).unwrap();
        self.records.push((json, text.map(str::to_owned)));
    }

    fn read(&self) -> impl Iterator<Item = Record> + '_ {
        let records = self.records.iter();
        records.map(|(json, _)| serde_json::from_str(json).unwrap())
    }

    fn text(&self, at: &BodyRef) -> Option<String> {
        self.records[at.file as usize].1.clone()
    }

    /// Applies the journal to a state whose stores hold what came before two positions.
    fn replay(&self, state: &mut State, reached: Reached) {
        for (position, record) in self.read().enumerate() {
            let position = position as u64 + 1;
            let stored = Stored {
                frontier: position <= reached.frontier,
                links: position <= reached.links,
                prints: position <= reached.prints,
                views: position <= reached.views,
            };
            let read = |at: &BodyRef| self.text(at);
            let applied = state.apply(&record, stored, Lent::default(), read);
            applied.unwrap();
        }
        let end = self.records.len() as u64;
        state.store(end, end).unwrap();
    }
}

struct World {
    dice: Dice,
    kinds: Kinds,
    dir: tempfile::TempDir,
    now: Instant,
    now_ms: u64,
    state: State,
    journal: Journal,
    running: Vec<Lease>,
    settled: Vec<(Lease, Record)>,
    /// The last snapshot, and its journal position.
    snapshot: Option<(Vec<u8>, u64)>,
}

impl World {
    fn new(seed: u64, kinds: Kinds) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let now = Instant::now();
        let (mut state, ..) = open(dir.path(), kinds, now);
        state.go_live().unwrap();
        let mut world = Self {
            dice: Dice(seed | 1),
            kinds,
            dir,
            now,
            now_ms: BEGAN_MS,
            state,
            journal: Journal {
                spills: kinds.spills,
                ..Journal::default()
            },
            running: Vec::new(),
            settled: Vec::new(),
            snapshot: None,
        };
        for number in 0..3 {
            world.give_seed(number);
        }
        world.end_group();
        world
    }

    fn give_seed(&mut self, number: u32) {
        let seed = SeedRecord {
            seed: number,
            url: match number {
                0 => "http://h0.example/0".into(),
                1 => "http://h1.example/map.xml".into(),
                _ => "http://h2.example/1".into(),
            },
            sitemap: number == 1,
            pages: (number == 2).then_some(20),
            priority: 1.0,
            example: (number == 2 && self.kinds.has_topic).then_some(true),
            ..SeedRecord::default()
        };
        let event = self.state.decide_seed(seed).unwrap();
        self.commit_event(event);
    }

    fn commit_event(&mut self, event: Event) {
        let record = self.state.record(event, self.now_ms);
        self.journal.append(&record, None);
        let applied = self
            .state
            .apply(&record, Stored::default(), Lent::default(), |_| None);
        applied.unwrap();
    }

    fn commit(&mut self, finding: Finding) {
        let decided = self.state.decide(finding, self.now_ms).unwrap();
        self.journal
            .append(&decided.record, decided.archived_text());
        let lent = decided.lent();
        let applied = self
            .state
            .apply(&decided.record, Stored::default(), lent, |_| None);
        applied.unwrap();
        let Decided { record, lease, .. } = decided;
        self.settled.extend(lease.map(|lease| (lease, record)));
    }

    fn end_group(&mut self) {
        self.journal.synced = self.journal.records.len();
        for (lease, record) in self.settled.drain(..) {
            let settled = Decided::settled(lease, &record);
            self.state.queue().lock().frontier.settle(settled).unwrap();
        }
        let end = self.journal.records.len() as u64;
        self.state.store(end, end).unwrap();
        for (rule, refused) in self.state.wrong_rules() {
            for event in self.state.decide_rule_wrong(&rule, refused.urls).unwrap() {
                self.commit_event(event);
            }
        }
        for event in self.state.decide_returns().unwrap() {
            self.commit_event(event);
        }
        self.journal.synced = self.journal.records.len();
        let end = self.journal.records.len() as u64;
        self.state.store(end, end).unwrap();
        if self.dice.roll(4) == 0 {
            self.state.queue().lock().frontier.save().unwrap();
        }
        if self.dice.roll(6) == 0 {
            self.snapshot = Some((bytes(&self.state), end));
        }
        self.state.rescore_if_due().unwrap();
    }

    /// What was not synced is lost, and the crawl is started again.
    fn crash(&mut self) {
        self.journal.records.truncate(self.journal.synced);
        self.running.clear();
        self.settled.clear();
        let nowhere = tempfile::tempdir().unwrap();
        // sled lets go of a directory when the old state is gone.
        self.state = open(nowhere.path(), self.kinds, self.now).0;
        let (mut state, mut reached) = open(self.dir.path(), self.kinds, self.now);
        if let Some((snapshot, position)) = &self.snapshot {
            state.read_snapshot(&mut &snapshot[..]).unwrap();
            reached.views = *position;
        }
        self.journal.replay(&mut state, reached);
        state.go_live().unwrap();
        self.state = state;
    }

    fn step(&mut self) {
        self.now += Duration::from_secs(2);
        self.now_ms += 2_000;
        match self.dice.roll(40) {
            0 => return self.crash(),
            1 => return self.retry(),
            2 => return self.come_back(),
            3..=9 => self.end_group(),
            10..=19 if !self.running.is_empty() => return self.finish_one(),
            _ => {}
        }
        let next = {
            let mut queue = self.state.queue().lock();
            queue.next(self.now, self.now_ms).unwrap()
        };
        match next {
            Next::Lease(lease) => self.running.push(lease),
            Next::Robots(host, url) => self.read_robots(host, &url),
            Next::Errand(host, _) => panic!("{host} was not asked for"),
            Next::Address(host) => panic!("{host} is shared with nobody"),
            Next::Refused(lease, refused) => {
                let reading = match refused {
                    Refused::Refusal(refusal) => Reading::Refused(refusal),
                    Refused::Unreachable { failure, detail } => Reading::Failed {
                        kind: failure,
                        detail,
                        transient: false,
                    },
                };
                self.commit(Finding::Url(Box::new(UrlFinding {
                    lease,
                    reading,
                    answer: None,
                    content_type: String::new(),
                    before: None,
                })));
            }
            Next::WaitUntil(_) | Next::InFlight | Next::Drained if !self.running.is_empty() => {
                self.finish_one();
            }
            Next::WaitUntil(_) | Next::InFlight | Next::Drained => self.end_group(),
        }
    }

    fn retry(&mut self) {
        let filter = RetryFilter::default();
        let mut candidates = Candidates::new(way_of_filter(&filter));
        self.journal
            .read()
            .for_each(|record| candidates.add(record));
        let found = candidates.finish(1).remove(0);
        for event in self.state.decide_retry(found, &filter).unwrap() {
            self.commit_event(event);
        }
    }

    /// Some of what was read is to be visited again.
    fn come_back(&mut self) {
        self.end_group();
        let mut known: BTreeMap<String, DueRecord> = BTreeMap::new();
        let mut round = 0;
        for record in self.journal.read() {
            match &record.event {
                Event::Page(page) => {
                    known.remove(&page.url);
                    known.extend(due_of(record.seq, page));
                }
                Event::Sitemap(map) if map.kind != SitemapKind::Unreadable => {
                    let due = DueRecord {
                        url: map.url.clone(),
                        of: record.seq,
                        was: Outcome::NotModified,
                        seed: map.seed,
                        source: true,
                        seen_ms: record.at_ms,
                        ..DueRecord::default()
                    };
                    known.insert(map.url.clone(), due);
                }
                Event::Visit(visit) => {
                    let version = visit.version().and_then(|page| due_of(record.seq, page));
                    if let Some(due) = known.get_mut(&visit.url) {
                        if let Some((_, now)) = version {
                            *due = now;
                        }
                        due.absence = visit.absence;
                        due.was = visit.outcome().unwrap_or_else(|| due.was.clone());
                    }
                }
                Event::Again(again) => round = again.round,
                _ => {}
            }
        }
        let is_finished = |url: &str| {
            let url = CanonicalUrl::parse(url).unwrap();
            self.state.queue.lock().frontier.is_finished(&url).unwrap()
        };
        let all: Vec<DueRecord> = known
            .into_values()
            .filter(|due| is_finished(&due.url))
            .collect();
        let first = self.dice.roll(1 + all.len() as u64) as usize;
        let urls = all.into_iter().skip(first).take(3);
        let event = Event::Again(AgainRecord {
            round: round + 1,
            urls: urls
                .map(|due| DueRecord {
                    round: round + 1,
                    ..due
                })
                .collect(),
            sources: self.dice.roll(2) == 0,
            rejudges: self.dice.roll(2) == 0,
            more: self.dice.roll(4) == 0,
            ..AgainRecord::default()
        });
        self.commit_event(event);
    }

    fn read_robots(&mut self, host: HostKey, url: &CanonicalUrl) {
        let text = format!(
            "User-agent: *\nDisallow: /*13\nSitemap: http://{host}/map.xml\nSitemap: \
             http://{host}/more.xml\n"
        );
        let (status, rules) = match self.dice.roll(4) {
            0 => (503, RobotsAnswer::Outage),
            1 => (404, RobotsAnswer::AllowAll),
            _ => (200, RobotsAnswer::Parsed),
        };
        let text = match rules {
            RobotsAnswer::Parsed => text.as_str(),
            _ => "",
        };
        let mut answer = answer(url.to_url().join("/robots.txt").unwrap(), status);
        self.date(&mut answer, status);
        let advice = HostAdvice {
            status,
            ..HostAdvice::default()
        };
        let mut queue = self.state.queue().lock();
        queue.frontier.body_done(&host, self.now, &advice);
        drop(queue);
        self.commit(Finding::Robots(Box::new(RobotsFinding {
            origin: crate::robots_book::origin_of(url.as_str()).to_owned(),
            answered_at: crate::robots_book::origin_of(url.as_str()).to_owned(),
            answered_by: host.clone(),
            host,
            answer,
            robots: Arc::new(Robots::parse(text.as_bytes())),
            rules,
        })));
    }

    /// Gives an answer the time of the crawl; one that fails may ask for time.
    fn date(&mut self, answer: &mut crate::Answer, status: u16) {
        answer.started_ms = self.now_ms;
        if let Ok(fetched) = &mut answer.fetched
            && status == 503
            && self.dice.roll(2) == 0
        {
            let seconds = self.dice.roll(100).to_string();
            let field = ("retry-after".to_owned(), seconds.into_bytes());
            fetched.headers.push(field);
        }
    }

    fn finish_one(&mut self) {
        let which = self.dice.roll(self.running.len() as u64) as usize;
        let lease = self.running.swap_remove(which);
        let host = lease.url().url.host();
        let advice = HostAdvice::default();
        let mut queue = self.state.queue().lock();
        queue.frontier.body_done(&host, self.now, &advice);
        drop(queue);
        let url = lease.url().url.to_url();
        let (reading, status) = self.reading(&lease, &url);
        let mut answer = answer(url, status);
        self.date(&mut answer, status);
        if let (Reading::Redirect(Ok(target)), Ok(fetched)) = (&reading, &mut answer.fetched) {
            let to = ("location".to_owned(), target.as_str().as_bytes().to_vec());
            let cookie = ("set-cookie".to_owned(), b"c=1".to_vec());
            fetched.headers.extend([to, cookie]);
        }
        self.commit(Finding::Url(Box::new(UrlFinding {
            lease,
            reading,
            answer: Some(answer),
            content_type: "text/html".into(),
            before: None,
        })));
    }

    fn reading(&mut self, lease: &Lease, url: &url::Url) -> (Reading, u16) {
        let failed = |kind, transient| Reading::Failed {
            kind,
            detail: "it is so".into(),
            transient,
        };
        if self.dice.roll(8) == 0 {
            return (failed(FailureKind::Http(503), true), 503);
        }
        let context = UrlContext::from_bytes(&lease.url().context);
        let visit = context.due.map(|_| self.dice.roll(6));
        if visit == Some(0) {
            return (Reading::NotModified, 304);
        }
        if context.kind == Kind::Sitemap {
            return (self.sitemap(url), 200);
        }
        match visit {
            Some(1) => return (Reading::NoPage { payload: 1 }, 404),
            // Another page stands there now.
            Some(2 | 3) => {
                let number = self.dice.roll(PAGES);
                let other = url.join(&format!("/{number}")).unwrap();
                return (Reading::Page(Box::new(page(&other))), 200);
            }
            Some(_) | None => {}
        }
        match page_number(url) % 14 {
            9 => (failed(FailureKind::Tls, false), 0),
            10 => (Reading::NoPage { payload: 1 }, 404),
            11 => {
                let to = format!(
                    "http://{}/{}",
                    url.host_str().unwrap(),
                    self.dice.roll(PAGES)
                );
                (
                    Reading::Redirect(Ok(CanonicalUrl::parse(&to).unwrap())),
                    301,
                )
            }
            _ => (Reading::Page(Box::new(page(url))), 200),
        }
    }

    fn sitemap(&mut self, url: &url::Url) -> Reading {
        let host = url.host_str().unwrap();
        let is_index = url.path() == "/more.xml";
        let urls = (0..4).map(|number| {
            let page = self.dice.roll(PAGES);
            let text = match is_index {
                true => format!("http://{host}/part{number}.xml"),
                false => format!("http://{host}/{page}"),
            };
            (CanonicalUrl::parse(&text).unwrap(), SitemapUrl::default())
        });
        Reading::Sitemap(SitemapReading {
            urls: urls.collect(),
            kind: match is_index {
                true => SitemapKind::Index,
                false => SitemapKind::Urlset,
            },
            problem: None,
        })
    }
}

/// What is known of a page for its next visit; none for one that was not read.
fn due_of(seq: u64, page: &PageRecord) -> Option<(String, DueRecord)> {
    let summary = page.page.as_ref()?;
    let due = DueRecord {
        url: page.url.clone(),
        of: seq,
        was: page.outcome.clone(),
        depth: page.depth,
        seed: page.seed,
        via: page.via,
        context: page.context.clone(),
        digest: summary.digest.clone(),
        fingerprint: summary.fingerprint.clone(),
        ..DueRecord::default()
    };
    Some((page.url.clone(), due))
}

fn page_number(url: &url::Url) -> u64 {
    let last = url.path().rsplit('/').next().unwrap_or_default();
    last.parse().unwrap_or(0)
}

/// The page of a URL: hosts 0 and 1 are mirrors, some pages repeat others, some are about the topic,
/// and a calendar never ends.
fn page(url: &url::Url) -> PageReading {
    let host: u64 = url.host_str().unwrap()[1..2].parse().unwrap();
    let number = page_number(url);
    let text = match (url.path().starts_with("/calendar"), number) {
        (true, _) | (_, 7) => "Nothing here.".to_owned(),
        (false, 8) => words(host % 2, 3),
        _ => words(host.max(1), number),
    };
    let about = match number % 3 {
        0 => "The planner reads the index.",
        _ => "",
    };
    let calendar = format!("/calendar/2026/{}/{}", number % 12, number + 1);
    let links: String = [number + 1, number * 3 + 2, number / 2, 8, 11]
        .iter()
        .map(|to| {
            let (host, to) = ((host + to) % HOSTS, to % PAGES);
            format!("<p>word{to} around <a href='http://h{host}.example/{to}'>page {to}</a> of it.")
        })
        .collect();
    let robots = match number {
        6 => "<meta name=robots content=noindex>",
        _ => "",
    };
    let html = format!(
        "<html><head><title>Page {number}</title>{robots}</head><body><nav><ul><li><a href='/0'>Home of \
         all</a><li><a href='{calendar}'>Calendar</a><li><a href='mailto:a@b.example'>mail</a><li><a href='/{number}?sid={host}{number}'>print\
         </a></ul></nav><main><h1>Page {number}</h1><p>{text} {about}{links}</main></body></html>"
    );
    read(&html, url)
}

fn words(host: u64, number: u64) -> String {
    let mut dice = Dice(host * 1_000 + number * 7 + 1);
    let words: Vec<String> = (0..40)
        .map(|_| format!("term{}", dice.roll(5_000)))
        .collect();
    words.join(" ")
}

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
    for _ in 0..120 {
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
