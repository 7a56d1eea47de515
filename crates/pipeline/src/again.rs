//! A round: which finished URLs are to be visited again, from the journal.
//!
//! The journal tells of every visit, so what is learnt from visits (change rates, which pages are alike,
//! whether a host's validators are honest) is made of it when a round is planned, and stored nowhere. That
//! reads the whole journal: rounds are hours or days apart, and what is chosen is the best of all. The choice is recorded, one
//! record for up to 200 URLs, and synced; from there on it is a crawl like any other, which can be killed and carried on.
//!
//! Pages that repeated a page which has changed since, or is gone, are judged anew: they come first, and
//! without a condition, since a 304 has no page to be judged.

use std::collections::{BTreeMap, HashMap, HashSet};

use again::validators::Shown;
use again::{Candidate, Evidence, Place, Priors, RoundLimits, Validators};
use archive::{
    AbsenceRecord, AgainRecord, Archive, ArchiveConfig, BodyRef, DueRecord, Entry, Event,
    PageRecord, Position, Record, Replayed, VisitRecord,
};
use outcome::{Change, JunkReason, Outcome, PageType, Verdict};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::clock::unix_ms;
use crate::config::{AgainSection, CrawlConfig};
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::units::Span;

/// URLs in one record.
const URLS_PER_RECORD: usize = 200;

const DAY_MS: f64 = 86_400_000.0;

/// More than any visit is worth by its rate.
const OVERDUE: f64 = 1e12;

/// What was planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Planned {
    /// The round's number.
    pub round: u32,
    /// URLs that it visits.
    pub urls: usize,
    /// URLs that could be visited again.
    pub known: usize,
    /// Of those visited: judged anew, because what they repeated has changed or is gone.
    pub rejudged: usize,
    /// For so long at least a page is left alone after it was read.
    pub pause: Span,
    /// Visits of an earlier round that are still to be made; none is planned beside them.
    pub unfinished: usize,
}

/// Which URLs a plan takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The most valuable.
    Round,
    /// Only those that are to be judged anew.
    Orphans,
}

/// How stale the kept pages are believed to be.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Staleness {
    /// Kept pages.
    pub kept: u64,
    /// Those of them that are expected to have changed since they were read last, by what visits have
    /// shown of their change rates, and of those of pages like them.
    pub expected_changed: f64,
    /// Rounds made.
    pub rounds: u32,
    /// Visits still to be made.
    pub due: u64,
}

/// Reads a journal for how stale the kept pages are.
#[derive(Debug, Default)]
pub struct StalenessReader(History);

impl StalenessReader {
    /// Reads the next record.
    pub fn add(&mut self, record: &Record) {
        self.0.add(record);
    }

    /// What is believed now; none for a crawl that has never come back.
    pub fn finish(&self) -> Option<Staleness> {
        let history = &self.0;
        (history.round > 0).then(|| history.staleness(unix_ms()))
    }
}

/// Plans a round of a crawl that is not running: chooses URLs and records them. They are visited when the
/// crawl starts.
///
/// # Errors
/// When another process has the directory, or its archive cannot be read or written.
pub fn plan(dir: &CrawlDir, config: &CrawlConfig, wanted: Wanted) -> Result<Planned, CrawlError> {
    let _lock = dir.lock()?;
    let usual = AgainSection::default();
    let settings = config.again.as_ref().unwrap_or(&usual);
    let now_ms = unix_ms();
    let mut history = History::default();
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        if let Replayed::Record { record, .. } = replayed? {
            history.add(&record);
        }
    }
    let mut planned = Planned {
        round: history.round + u32::from(wanted == Wanted::Round),
        known: history
            .urls
            .values()
            .filter(|known| known.weight() > 0.0)
            .count(),
        pause: settings.min.max(settings.every),
        unfinished: history.waiting.len(),
        ..Planned::default()
    };
    if planned.unfinished > 0 {
        return Ok(planned);
    }
    let mut due = history.choose(settings, wanted, planned.round, now_ms);
    history.add_validators(dir, &mut due);
    planned.urls = due.len();
    planned.rejudged = due.iter().filter(|due| due.rejudge).count();
    if !due.is_empty() || history.copies_wait {
        record(dir, planned.round, due, now_ms)?;
    }
    Ok(planned)
}

fn record(dir: &CrawlDir, round: u32, due: Vec<DueRecord>, at_ms: u64) -> Result<(), CrawlError> {
    let (mut archive, _) = Archive::open(&dir.archive(), ArchiveConfig::default())?;
    let numbers = archive.last_seq() + 1..;
    // One record also where there is nothing to visit: the copies of pages that have changed were
    // looked for, and there are none.
    let chunks = due.chunks(URLS_PER_RECORD).map(<[DueRecord]>::to_vec);
    let chunks: Vec<Vec<DueRecord>> = match due.is_empty() {
        true => vec![Vec::new()],
        false => chunks.collect(),
    };
    for (seq, urls) in numbers.zip(chunks) {
        let event = Event::Again(AgainRecord {
            round,
            urls,
            rejudges: true,
        });
        archive.append(&Entry::of(&Record { seq, at_ms, event }))?;
    }
    archive.sync()?;
    Ok(())
}

/// A finished URL, as its records tell of it.
#[derive(Debug, Clone)]
struct Known {
    /// What is known of it, for its next visit.
    due: DueRecord,
    place: Place,
    relevance: f32,
    page_type: PageType,
    /// Its archived answer, whose validators are sent at the first visit.
    body: Option<BodyRef>,
    /// The kept page that it repeats.
    repeats: Option<u64>,
    /// When it was seen last.
    last_ms: u64,
    /// When it was asked for last, whatever was answered.
    asked_ms: u64,
    evidence: Evidence,
}

/// What the journal tells of all visits.
#[derive(Debug, Default)]
struct History {
    round: u32,
    urls: HashMap<String, Known>,
    /// URLs of kept pages by their record.
    kept: HashMap<u64, String>,
    /// Where a page is now that was kept by this record.
    followed_by: HashMap<u64, u64>,
    /// Records of kept pages whose text is no longer what it was.
    lost: HashSet<u64>,
    waiting: HashSet<String>,
    /// The text of a kept page is there no longer, and its copies were not looked for since.
    copies_wait: bool,
    hosts: BTreeMap<String, Validators>,
}

impl History {
    fn add(&mut self, record: &Record) {
        match &record.event {
            Event::Page(page) => self.page(record, page),
            Event::Again(again) => {
                self.round = self.round.max(again.round);
                self.copies_wait &= !again.rejudges;
                for due in &again.urls {
                    self.waiting.insert(due.url.clone());
                    if let Some(known) = self.urls.get_mut(&due.url) {
                        (known.due.etag, known.due.last_modified) =
                            (due.etag.clone(), due.last_modified.clone());
                    }
                }
            }
            Event::Visit(visit) => self.visit(record, visit),
            Event::Retry(retry) => {
                for url in &retry.urls {
                    self.urls.remove(url);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Stop(_) => {}
        }
    }

    fn page(&mut self, record: &Record, page: &PageRecord) {
        self.give_place(record.seq, page);
        if let Some(known) = Known::of(record, page) {
            if page.outcome.is_indexed() {
                self.kept.insert(record.seq, page.url.clone());
            }
            self.urls.insert(page.url.clone(), known);
        }
    }

    /// The page whose place another one takes is its duplicate from here on.
    fn give_place(&mut self, seq: u64, page: &PageRecord) {
        let Some(old) = page.replaces else { return };
        let url = self.kept.remove(&old);
        if let Some(known) = url.and_then(|url| self.urls.get_mut(&url)) {
            known.due.was = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
            known.repeats = Some(seq);
            self.followed_by.insert(old, seq);
        }
    }

    fn visit(&mut self, record: &Record, visit: &VisitRecord) {
        self.waiting.remove(&visit.url);
        self.copies_wait |= visit.frees_copies();
        self.see_validators(visit);
        if let Some(page) = visit.version() {
            self.give_place(record.seq, page);
        }
        let Some(known) = self.urls.get_mut(&visit.url) else {
            return;
        };
        known.asked_ms = record.at_ms;
        let days = (record.at_ms.saturating_sub(known.last_ms)) as f64 / DAY_MS;
        let is_seen = match &visit.change {
            Change::Unchanged | Change::Touched => {
                known.evidence.unchanged(days);
                true
            }
            Change::Changed | Change::Back => {
                known.evidence.changed(days);
                true
            }
            Change::New | Change::Moved | Change::Gone | Change::Unclear | Change::Unknown(_) => {
                false
            }
        };
        if is_seen {
            known.last_ms = record.at_ms;
            (known.due.etag, known.due.last_modified) =
                (visit.etag.clone(), visit.last_modified.clone());
            known.body = None;
        }
        known.due.absence = visit.absence;
        if !visit.ends_version() {
            return;
        }
        if visit.was.is_indexed() {
            self.kept.remove(&visit.of);
            match visit.change {
                Change::Changed | Change::Gone => {
                    self.lost.insert(visit.of);
                }
                _ => {
                    self.followed_by.insert(visit.of, record.seq);
                }
            }
        }
        if let Some(outcome) = visit.outcome() {
            known.due.was = outcome;
        }
        let Some(page) = visit.version() else { return };
        if page.outcome.is_indexed() {
            self.kept.insert(record.seq, visit.url.clone());
        }
        if let Some(mut now) = Known::of(record, page) {
            std::mem::swap(&mut now.evidence, &mut known.evidence);
            now.due.absence = visit.absence;
            (now.due.etag, now.due.last_modified) =
                (visit.etag.clone(), visit.last_modified.clone());
            *known = now;
        }
    }

    fn see_validators(&mut self, visit: &VisitRecord) {
        let Some(known) = self.urls.get(&visit.url) else {
            return;
        };
        let before = (&known.due.etag, &known.due.last_modified);
        let is_known = before.0.is_some() || before.1.is_some();
        let status = visit.fetch.as_ref().map_or(0, |fetch| fetch.status);
        let same_text = visit.change == Change::Unchanged;
        let shown = match status {
            304 => Shown::NotModified,
            200 if is_known && visit.change != Change::Unclear => Shown::Page {
                same_validator: before == (&visit.etag, &visit.last_modified),
                same_text,
            },
            _ => return,
        };
        let host = self.hosts.entry(visit.host.clone()).or_default();
        host.see(shown);
    }

    /// Whether the text that a page repeated is there no longer.
    fn is_orphan(&self, known: &Known) -> bool {
        let Some(mut of) = known.repeats.filter(|_| known.due.was.is_duplicate()) else {
            return false;
        };
        // A chain has no circle: each record follows an earlier one.
        while let Some(next) = self.followed_by.get(&of) {
            of = *next;
        }
        self.lost.contains(&of)
    }

    fn staleness(&self, now_ms: u64) -> Staleness {
        let known = || self.urls.values();
        let priors = Priors::learn(known().map(|known| (&known.place, &known.evidence)));
        let kept = known().filter(|known| known.due.was.is_indexed());
        let mut staleness = Staleness {
            rounds: self.round,
            due: self.waiting.len() as u64,
            ..Staleness::default()
        };
        for known in kept {
            let rates = known.evidence.rates(&priors.of(&known.place));
            let days = now_ms.saturating_sub(known.last_ms) as f64 / DAY_MS;
            staleness.kept += 1;
            staleness.expected_changed += 1.0 - rates.fresh(days);
        }
        staleness
    }

    fn choose(
        &self,
        settings: &AgainSection,
        wanted: Wanted,
        round: u32,
        now_ms: u64,
    ) -> Vec<DueRecord> {
        let mut all: Vec<&Known> = self.urls.values().collect();
        all.sort_by(|a, b| a.due.url.cmp(&b.due.url));
        let priors = Priors::learn(all.iter().map(|known| (&known.place, &known.evidence)));
        let orphans: Vec<bool> = all.iter().map(|known| self.is_orphan(known)).collect();
        let value = |(known, is_orphan): (&&Known, &bool)| match (is_orphan, wanted) {
            (true, _) => f64::MAX,
            (false, Wanted::Orphans) => 0.0,
            (false, Wanted::Round) => known.value(&priors, settings, now_ms),
        };
        let values = all.iter().zip(&orphans).map(value);
        let candidates: Vec<Candidate<'_>> = all
            .iter()
            .zip(values)
            .map(|(known, value)| Candidate {
                host: &known.place.host,
                value,
            })
            .collect();
        let budget = usize::try_from(settings.budget).unwrap_or(usize::MAX);
        let limits = RoundLimits {
            requests: if budget == 0 { usize::MAX } else { budget },
            per_host: usize::MAX,
        };
        let chosen = again::choose(&candidates, limits);
        let count = chosen.len().max(1) as f32;
        let due = |(rank, at): (usize, usize)| DueRecord {
            round,
            rejudge: orphans[at],
            // Before URLs that are new, the most valuable first.
            priority: 1.0 - 0.1 * rank as f32 / count,
            ..all[at].due.clone()
        };
        chosen.into_iter().enumerate().map(due).collect()
    }

    /// Gives each URL the validators to be sent with its request.
    fn add_validators(&self, dir: &CrawlDir, due: &mut [DueRecord]) {
        for due in due {
            let Some(known) = self.urls.get(&due.url) else {
                continue;
            };
            let is_probe = Validators::is_probe(xxh3_64(due.url.as_bytes()), due.round);
            let host = self.hosts.get(&known.place.host);
            let are_sent = host.is_none_or(Validators::are_sent);
            due.unconditional = due.rejudge || due.absence.gone || is_probe || !are_sent;
            if due.etag.is_none()
                && due.last_modified.is_none()
                && let Some(body) = &known.body
                && let Ok(payload) = archive::read_body(&dir.archive(), body)
            {
                let field = |name: &str| {
                    let value = payload.header(name)?;
                    String::from_utf8(value.to_vec()).ok()
                };
                (due.etag, due.last_modified) = (field("etag"), field("last-modified"));
            }
        }
    }
}

impl Known {
    /// A URL that was read; none for one without a page.
    fn of(record: &Record, page: &PageRecord) -> Option<Self> {
        let summary = page.page.as_ref()?;
        let is_judged = matches!(page.outcome, Outcome::Judged(_));
        if !is_judged || !(200..300).contains(&page.status()) {
            return None;
        }
        let repeats = page
            .nearest
            .as_ref()
            .filter(|_| page.outcome.is_duplicate());
        Some(Self {
            due: DueRecord {
                url: page.url.clone(),
                of: record.seq,
                was: page.outcome.clone(),
                depth: page.depth,
                seed: page.seed,
                hops: page.hops,
                via: page.via,
                context: page.context.clone(),
                digest: summary.digest.clone(),
                whole: summary.whole.as_ref().map(|whole| whole.digest.clone()),
                fingerprint: summary.fingerprint.clone(),
                text: page.text.clone(),
                absence: AbsenceRecord::default(),
                ..DueRecord::default()
            },
            place: Place {
                host: page.host.clone(),
                form: form_of(&page.url),
                page_type: summary.page_type.name().to_owned(),
            },
            relevance: summary.relevance.unwrap_or(1.0),
            page_type: summary.page_type.clone(),
            body: page.body.clone(),
            repeats: repeats.map(|near| near.page),
            last_ms: record.at_ms,
            asked_ms: record.at_ms,
            evidence: Evidence::default(),
        })
    }

    /// What it is worth that our copy of it is right: its relevance; for a list what it leads to, which
    /// is visited for links that are new; little for what is not kept.
    fn weight(&self) -> f64 {
        let leads_on = match &self.page_type {
            PageType::FrontPage => 1.0,
            PageType::Listing | PageType::Collection => 0.5,
            PageType::Article
            | PageType::Forum
            | PageType::Product
            | PageType::Documentation
            | PageType::Service
            | PageType::Wall
            | PageType::Other
            | PageType::Unknown(_) => 0.05,
        };
        let own = match self.due.was.is_indexed() {
            true => f64::from(self.relevance).max(0.1),
            false => 0.05,
        };
        let of_seed = if self.due.depth == 0 { 2.0 } else { 1.0 };
        of_seed * own.max(leads_on)
    }

    /// What a visit is worth now.
    fn value(&self, priors: &Priors, settings: &AgainSection, now_ms: u64) -> f64 {
        let asked = u128::from(now_ms.saturating_sub(self.asked_ms));
        let passed = |span: Span| asked >= span.0.as_millis();
        let is_overdue = passed(settings.max);
        if !passed(settings.min) || !(passed(settings.every) || is_overdue) {
            return 0.0;
        }
        if is_overdue {
            // Before all others, those first that wait for longest.
            let longest = settings.max.0.as_millis().max(1);
            return OVERDUE * asked as f64 / longest as f64;
        }
        let ms = now_ms.saturating_sub(self.last_ms);
        let rates = self.evidence.rates(&priors.of(&self.place));
        // A visit at once after the one before is worth little, but is what was asked for.
        (self.weight() * rates.marginal(ms as f64 / DAY_MS)).max(f64::MIN_POSITIVE)
    }
}

/// The form of a URL: its folders, with `#` for numbers, and `*` for the last part of the path.
fn form_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let path = path.split('?').next().unwrap_or_default();
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let form = |folder: &str| match folder.bytes().any(|byte| byte.is_ascii_digit()) {
        true => "#".to_owned(),
        false => folder.to_owned(),
    };
    let forms: Vec<String> = folders.split('/').take(3).map(form).collect();
    format!("/{}/*", forms.join("/"))
}

#[cfg(test)]
mod tests {
    use archive::{FetchRecord, NeighbourRecord, PageSummary};

    use super::*;

    fn page(url: &str, outcome: Outcome) -> PageRecord {
        PageRecord {
            url: url.into(),
            host: "a.example".into(),
            depth: 1,
            outcome,
            fetch: Some(FetchRecord {
                status: 200,
                ..FetchRecord::default()
            }),
            page: Some(PageSummary::default()),
            ..PageRecord::default()
        }
    }

    fn history(events: Vec<Event>) -> History {
        let mut history = History::default();
        for (at, event) in events.into_iter().enumerate() {
            let seq = at as u64 + 1;
            history.add(&Record {
                seq,
                at_ms: seq * 3_600_000,
                event,
            });
        }
        history
    }

    const INDEXED: Outcome = Outcome::Judged(Verdict::Index);

    fn read(url: &str) -> Event {
        Event::Page(Box::new(page(url, INDEXED)))
    }

    fn visit(url: &str, of: u64, change: Change) -> Event {
        let version = (change == Change::Changed).then(|| Box::new(page(url, INDEXED)));
        Event::Visit(Box::new(VisitRecord {
            url: url.into(),
            host: "a.example".into(),
            of,
            was: INDEXED,
            change,
            page: version,
            ..VisitRecord::default()
        }))
    }

    fn chosen(history: &History, settings: &AgainSection, wanted: Wanted) -> Vec<String> {
        let due = history.choose(settings, wanted, 1, 100 * 86_400_000);
        due.into_iter().map(|due| due.url).collect()
    }

    #[test]
    fn what_changes_is_visited_before_what_does_not() {
        let (fast, slow) = ("http://a.example/x/1", "http://a.example/y/2");
        let mut events = vec![read(slow), read(fast)];
        let mut of = 2;
        for _ in 0..8 {
            events.push(visit(slow, 1, Change::Unchanged));
            events.push(visit(fast, of, Change::Changed));
            of = events.len() as u64;
        }
        let history = history(events);
        let settings = AgainSection {
            budget: 1,
            ..AgainSection::default()
        };
        assert_eq!(
            history.choose(&settings, Wanted::Round, 1, 20 * 3_600_000)[0].url,
            fast
        );
    }

    #[test]
    fn pages_are_believed_staler_the_longer_ago_they_were_read() {
        let history = history(vec![
            read("http://a.example/1"),
            read("http://a.example/2"),
            visit("http://a.example/1", 1, Change::Unchanged),
        ]);
        let at = |days: u64| history.staleness(days * 86_400_000);
        let stale = [1, 10, 1_000].map(|days| at(days).expected_changed);
        assert!(stale[0] < stale[1] && stale[1] < stale[2], "{stale:?}");
        assert!(stale[2] <= 2.0 && at(1).kept == 2);
    }

    #[test]
    fn what_repeated_a_page_that_has_changed_is_judged_anew() {
        let (first, copy) = ("http://a.example/1", "http://a.example/2");
        let repeats = PageRecord {
            nearest: Some(NeighbourRecord {
                page: 1,
                url: first.into(),
                ..NeighbourRecord::default()
            }),
            ..page(
                copy,
                Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
            )
        };
        let known = |change| {
            history(vec![
                read(first),
                Event::Page(Box::new(repeats.clone())),
                visit(first, 1, change),
            ])
        };
        let settings = AgainSection::default();
        let none: [String; 0] = [];
        assert_eq!(
            chosen(&known(Change::Touched), &settings, Wanted::Orphans),
            none
        );
        for change in [Change::Changed, Change::Gone] {
            let known = known(change);
            assert_eq!(chosen(&known, &settings, Wanted::Orphans), [copy]);
            let round = known.choose(&settings, Wanted::Round, 1, u64::MAX / 2);
            assert!(round[0].rejudge && round[0].url == copy);
        }
    }

    #[test]
    fn a_page_is_left_alone_for_the_shortest_pause_and_visited_after_the_longest() {
        let history = history(vec![read("http://a.example/1")]);
        let hours = |hours: u64| crate::units::Span::seconds(hours * 3_600);
        let settings = AgainSection {
            min: hours(10),
            every: hours(1_000),
            max: hours(50),
            ..AgainSection::default()
        };
        let count = |hours: u64| {
            let now = (1 + hours) * 3_600_000;
            history.choose(&settings, Wanted::Round, 1, now).len()
        };
        assert_eq!([count(9), count(49), count(50)], [0, 0, 1]);
    }

    #[test]
    fn what_was_not_asked_for_longer_than_the_longest_time_comes_first() {
        let (seed, old) = ("http://a.example/", "http://a.example/y/2");
        // A seed counts double.
        let valuable = PageRecord {
            depth: 0,
            ..page(seed, INDEXED)
        };
        let history = history(vec![read(old), Event::Page(Box::new(valuable))]);
        let first = |max: u64| {
            let settings = AgainSection {
                budget: 1,
                max: crate::units::Span::seconds(max * 3_600),
                ..AgainSection::default()
            };
            let due = history.choose(&settings, Wanted::Round, 1, 60 * 3_600_000);
            due[0].url.clone()
        };
        assert_eq!([first(50), first(1_000)], [old, seed]);
    }

    #[test]
    fn urls_of_one_form_differ_in_numbers_and_in_their_last_part() {
        assert_eq!(
            form_of("http://a.example/blog/2024/05/x.html?p=1"),
            "/blog/#/#/*"
        );
        assert_eq!(form_of("http://a.example/"), "//*");
        assert_eq!(form_of("http://a.example/about"), "//*");
    }
}
