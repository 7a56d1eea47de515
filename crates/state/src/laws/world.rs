//! Simulated crawls of a small web, with crashes, retries and visits that come again.

use super::*;

/// A small generator, so that a failing case is its seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// What differs from crawl to crawl.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kinds {
    pub(super) has_topic: bool,
    pub(super) keep: u64,
    pub(super) links_of_duplicates: u64,
    pub(super) urls_per_host: u64,
    /// Learnt rules refuse without a topic, and hold back with one.
    pub(super) is_swapped: bool,
    /// Memory has room for a few URLs: the others wait on disk.
    pub(super) spills: bool,
}

pub(super) const USUAL: Kinds = Kinds {
    has_topic: true,
    keep: 0,
    links_of_duplicates: 0,
    urls_per_host: 0,
    is_swapped: false,
    spills: false,
};

pub(super) fn policy(kinds: Kinds) -> Policy {
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

pub(super) fn frontier_config(kinds: Kinds) -> FrontierConfig {
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
pub(super) struct Reached {
    frontier: u64,
    links: u64,
    prints: u64,
    pub(super) views: u64,
}

/// Opens a state with what its stores hold, and the journal positions of those.
pub(super) fn open(dir: &Path, kinds: Kinds, now: Instant) -> (State, Reached) {
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
pub(super) struct Journal {
    pub(super) records: Vec<(String, Option<String>)>,
    synced: usize,
    /// Which URLs wait in memory, and which on disk, is not the same in two processes.
    pub(super) spills: bool,
}

impl Journal {
    fn append(&mut self, record: &Record, text: Option<&str>) {
        let mut record = record.clone();
        if let Some(page) = record.event.page_mut() {
            let file = self.records.len() as u32;
            page.text = text.map(|_| BodyRef {
                file,
                ..BodyRef::default()
            });
        }
        let json = serde_json::to_string(&record).unwrap();
        self.records.push((json, text.map(str::to_owned)));
    }

    pub(super) fn read(&self) -> impl Iterator<Item = Record> + '_ {
        let records = self.records.iter();
        records.map(|(json, _)| serde_json::from_str(json).unwrap())
    }

    pub(super) fn text(&self, at: &BodyRef) -> Option<String> {
        self.records[at.file as usize].1.clone()
    }

    /// Applies the journal to a state whose stores hold what came before two positions.
    pub(super) fn replay(&self, state: &mut State, reached: Reached) {
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

pub(super) struct World {
    pub(super) dice: Dice,
    pub(super) kinds: Kinds,
    dir: tempfile::TempDir,
    pub(super) now: Instant,
    pub(super) now_ms: u64,
    pub(super) state: State,
    pub(super) journal: Journal,
    pub(super) running: Vec<Lease>,
    settled: Vec<(Lease, Record)>,
    /// The last snapshot, and its journal position.
    snapshot: Option<(Vec<u8>, u64)>,
}

impl World {
    pub(super) fn new(seed: u64, kinds: Kinds) -> Self {
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

    pub(super) fn commit_event(&mut self, event: Event) {
        let record = self.state.record(event, self.now_ms);
        self.journal.append(&record, None);
        let applied = self
            .state
            .apply(&record, Stored::default(), Lent::default(), |_| None);
        applied.unwrap();
    }

    pub(super) fn commit(&mut self, finding: Finding) {
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

    pub(super) fn end_group(&mut self) {
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
    pub(super) fn crash(&mut self) {
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

    pub(super) fn step(&mut self) {
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
            origin: weburl::origin_of(url.as_str()).to_owned(),
            answered_at: weburl::origin_of(url.as_str()).to_owned(),
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

    pub(super) fn finish_one(&mut self) {
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

    pub(super) fn reading(&mut self, lease: &Lease, url: &url::Url) -> (Reading, u16) {
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
        // A sitemap may have named it as what it is not.
        let is_misnamed = is_listed(lease.url()) && self.dice.roll(3) == 0;
        if (context.kind == Kind::Sitemap) != is_misnamed {
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
        let is_index = url.path() == "/more.xml" || page_number(url) % 4 == 1;
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
pub(super) fn due_of(seq: u64, page: &PageRecord) -> Option<(String, DueRecord)> {
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

pub(super) fn page_number(url: &url::Url) -> u64 {
    let last = url.path().rsplit('/').next().unwrap_or_default();
    last.parse().unwrap_or(0)
}

/// The page of a URL: hosts 0 and 1 are mirrors, some pages repeat others, some are about the topic,
/// and a calendar never ends.
pub(super) fn page(url: &url::Url) -> PageReading {
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

pub(super) fn words(host: u64, number: u64) -> String {
    let mut dice = Dice(host * 1_000 + number * 7 + 1);
    let words: Vec<String> = (0..40)
        .map(|_| format!("term{}", dice.roll(5_000)))
        .collect();
    words.join(" ")
}
