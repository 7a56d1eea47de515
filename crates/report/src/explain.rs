//! One URL's whole story, from the records in their order.
//!
//! An [`Explainer`] reads the journal once and keeps what concerns its URL: where links to it were
//! found and what was decided about each, every fetch, the verdict with its evidence, and what
//! came later. A URL that was never admitted has a story too: the links that name it say why they
//! were left out.

use std::collections::{BTreeMap, HashMap, HashSet};

use archive::{
    BodyRef, Event, FetchRecord, NeighbourRecord, PageRecord, PageSummary, Record, SeedRecord,
    VisitRecord,
};
use config::CrawlConfig;
use outcome::{Change, FailureKind, LinkFate, Outcome, RobotsAnswer, UrlState};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::export::repeated;
use crate::original::Original;
use crate::words;

mod led;
mod short;
mod tell;

pub use led::{Led, LedTo, led};
pub use short::render_short;
pub use tell::{compare_texts, render};

/// Links remembered; the first that brought the URL in is always among them.
const FOUND_MAX: usize = 20;

/// Duplicates of the page remembered.
const DUPLICATES_MAX: usize = 20;

/// A visit after the first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VisitTold {
    /// When.
    pub at: String,
    /// The round.
    pub round: u32,
    /// What it says of the visit before.
    pub change: Change,
    /// The status of the answer; 0 where there was none.
    pub status: u16,
    /// Whether validators were sent.
    pub conditional: bool,
    /// The share of words that both texts have, 0 to 1.
    pub similarity: Option<f32>,
    /// The reason in words.
    pub why: Option<String>,
    /// Where the URL is since, where the visit changed that.
    pub now: Option<UrlState>,
}

/// What happened to one URL.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Story {
    /// The URL, canonical.
    pub url: String,
    /// Where the URL is.
    pub state: UrlState,
    /// The story in a sentence.
    pub summary: String,
    /// It was given as a seed.
    pub seed: Option<SeedMention>,
    /// Links to it, in the order found, at most 20.
    pub found: Vec<Mention>,
    /// Pages with a link to it, each counted once.
    pub found_count: u64,
    /// Sitemaps that name it.
    pub sitemaps: Vec<String>,
    /// How it was read as a sitemap itself, at last.
    pub as_sitemap: Option<ReadAsSitemap>,
    /// How its host's robots.txt was answered, at last.
    pub robots: Option<RobotsAnswered>,
    /// Every fetch of it.
    pub fetches: Vec<FetchMade>,
    /// What was decided, in order; more than one when it was put back into the queue, or a visit found
    /// another version.
    pub decisions: Vec<Decision>,
    /// Pages that were dropped as its duplicates, at most 20.
    pub duplicates: Vec<DuplicateOf>,
    /// All pages that were dropped as its duplicates.
    pub duplicates_count: u64,
    /// The page of its cluster that is thought to be the source, if it is in one; the caller fills
    /// it in, with [`crate::original_of`] on [`Story::cluster`].
    pub original: Option<Original>,
    /// The crawl has a topic.
    pub focused: bool,
    /// What came of its links; the caller fills it in, with [`led`] on [`Story::pages_with_links`].
    pub led: Option<Led>,
    /// What came of all links of the page whose link brought it in; as `led`.
    pub siblings: Option<Led>,
    /// The page that took its place in the index, by record number, and why.
    pub replaced_by: Option<(u64, String)>,
    /// The page that took the place of the one that it repeats: its record's number and its URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_instead: Option<(u64, String)>,
    /// Times when it was put back into the queue, ISO 8601.
    pub put_back: Vec<String>,
    /// The visits after the first, and what each says of the one before.
    pub visits: Vec<VisitTold>,
    /// What for, each time: what was asked for by hand, or the rule that was wrong.
    pub put_back_for: Vec<String>,
    /// Whether it was put back because a rule was wrong, each time; else by hand.
    pub put_back_by_rule: Vec<bool>,
}

impl Story {
    /// Its own page, if it was read, and the page whose link brought it in, by record number.
    pub fn pages_with_links(&self) -> (Option<u64>, Option<u64>) {
        let own = self.decisions.last().filter(|last| last.links.0 > 0);
        let found = self.found.iter().find(|found| found.fate == LinkFate::New);
        (own.map(|own| own.page), found.map(|found| found.page))
    }

    /// A page of the cluster of duplicates that the URL is in, by record number: the one that it
    /// repeats, or itself; none where it is in no cluster.
    pub fn cluster(&self) -> Option<u64> {
        let last = self.decisions.last()?;
        let repeats = last.outcome.is_duplicate();
        let nearest = last.nearest.as_ref().filter(|_| repeats);
        let own = self.duplicates_count > 0 || self.replaced_by.is_some();
        nearest
            .map(|nearest| nearest.page)
            .or(own.then_some(last.page))
    }
}

/// A sitemap that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadAsSitemap {
    /// When.
    pub at: String,
    /// The status of the answer; 0 where there was none.
    pub status: u16,
    /// URLs that it brought in.
    pub urls: u64,
    /// Why it could not be read, or not to its end.
    pub problem: Option<String>,
}

/// It was given as a seed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeedMention {
    /// Its number.
    pub seed: u32,
    /// `file:line`, `config` or `flag`.
    pub source: String,
    /// It is an example of the topic (`true`) or a counter-example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<bool>,
    /// It was given as a sitemap (`sitemap:URL`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sitemap: bool,
}

/// A link to it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Mention {
    /// When, ISO 8601.
    pub at: String,
    /// The page with the link, by record number.
    pub page: u64,
    /// The page with the link.
    pub from: String,
    /// Anchor text.
    pub anchor: String,
    /// `rel` tokens.
    pub rel: String,
    /// What the link promised, 0.0 to 1.0.
    pub promise: f32,
    /// New, seen, or why it was left out.
    pub fate: LinkFate,
    /// Links from a seed to where it leads.
    #[serde(default)]
    pub depth: u32,
    /// That seed's number.
    #[serde(default)]
    pub of_seed: u32,
}

/// How robots.txt was answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RobotsAnswered {
    /// What followed from the answer.
    pub rules: RobotsAnswer,
    /// HTTP status, 0 for no answer.
    pub status: u16,
    /// Why there was no answer, in words.
    pub error_text: Option<String>,
    /// Crawl-delay, seconds.
    pub crawl_delay_s: Option<f64>,
    /// Whether an earlier answer is in use while this one could not be had.
    #[serde(default)]
    pub has_copy: bool,
}

/// A fetch of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FetchMade {
    /// When, ISO 8601.
    pub at: String,
    /// Which attempt.
    pub attempt: u32,
    /// HTTP status, 0 for none.
    pub status: u16,
    /// Content type.
    pub content_type: String,
    /// Bytes of body.
    pub bytes: u64,
    /// Milliseconds.
    pub ms: u64,
    /// What went wrong.
    pub error: Option<FailureKind>,
    /// The same in words.
    pub error_text: Option<String>,
    /// Where it redirects.
    pub redirect_to: Option<String>,
    /// When it is to be tried again, ISO 8601.
    pub retry_at: Option<String>,
}

/// What was decided about it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Decision {
    /// When, ISO 8601.
    pub at: String,
    /// The record's number, which is the page's name elsewhere.
    pub page: u64,
    /// Links from a seed.
    pub depth: u32,
    /// Priority when its turn came.
    pub priority: f32,
    /// The outcome, with verdict and reason.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The reason in words.
    pub detail: Option<String>,
    /// What was measured on the page.
    pub measured: Option<PageSummary>,
    /// The nearest kept page.
    pub nearest: Option<NeighbourRecord>,
    /// The page that it was foreseen to repeat, though it was fetched.
    #[serde(default)]
    pub foreseen: Option<String>,
    /// Links on it, and how many of them were new.
    pub links: (u64, u64),
    /// Of these, those that were left out, by reason.
    #[serde(default)]
    pub left_out: BTreeMap<String, u64>,
    /// Where its text stands in the archive.
    pub text: Option<BodyRef>,
}

/// A page that was dropped as its duplicate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DuplicateOf {
    /// Its URL.
    pub url: String,
    /// Hamming distance.
    pub distance: u8,
    /// Estimated overlap.
    pub overlap: f32,
}

/// The fold that finds a [`Story`].
#[derive(Debug)]
pub struct Explainer {
    story: Story,
    host: String,
    admitted: bool,
    finished: bool,
    /// Numbers of the records of its page.
    versions: Vec<u64>,
    /// Pages with a link to it, their URLs as hashes.
    linking: HashSet<u64>,
    /// Pages that repeat it, by URL, with the number of the record that says so.
    repeating: HashMap<String, (u64, DuplicateOf)>,
    /// The record of the page that it repeats, or of what stands in that page's place.
    repeats: Option<u64>,
}

impl Explainer {
    /// Looks for a URL; it must be canonical, as the journal has it.
    pub fn new(url: &str) -> Explainer {
        Explainer {
            story: Story {
                url: url.to_owned(),
                ..Story::default()
            },
            host: weburl::host_of(url).to_owned(),
            admitted: false,
            finished: false,
            versions: Vec::new(),
            linking: HashSet::new(),
            repeating: HashMap::new(),
            repeats: None,
        }
    }

    /// Reads the next record.
    pub fn add(&mut self, record: &Record) {
        match &record.event {
            Event::Seed(seed) => self.seed(seed),
            Event::Robots(robots) if robots.host == self.host => {
                let queued = robots.queued.iter().flatten();
                self.admitted |= queued.into_iter().any(|url| *url == self.story.url);
                self.story.robots = Some(RobotsAnswered {
                    rules: robots.rules.clone(),
                    status: robots.fetch.status,
                    error_text: robots.fetch.error_text.clone(),
                    crawl_delay_s: robots.crawl_delay_s,
                    has_copy: self.has_robots_copy(),
                });
            }
            Event::Sitemap(sitemap) if sitemap.urls.contains(&self.story.url) => {
                self.admitted = true;
                if self.story.sitemaps.len() < FOUND_MAX {
                    self.story.sitemaps.push(sitemap.url.clone());
                }
            }
            Event::Sitemap(sitemap) if sitemap.url == self.story.url => {
                let fetch = &sitemap.fetch;
                (self.admitted, self.finished) = (true, true);
                if fetch.was_asked() {
                    self.story.fetches.push(fetch_made(record.at_ms, 1, fetch));
                }
                self.story.as_sitemap = Some(ReadAsSitemap {
                    at: words::instant(record.at_ms),
                    status: fetch.status,
                    urls: sitemap.urls.len() as u64,
                    problem: sitemap.problem.clone(),
                });
            }
            Event::Attempt(attempt) if attempt.url == self.story.url => {
                self.admitted = true;
                let mut fetch = fetch_made(record.at_ms, attempt.attempt, &attempt.fetch);
                fetch.retry_at = Some(words::instant(attempt.retry_at_ms));
                self.story.fetches.push(fetch);
            }
            Event::Page(page) => self.page(record, page),
            Event::Retry(retry) if retry.urls.contains(&self.story.url) => {
                (self.admitted, self.finished) = (true, false);
                self.story.put_back.push(words::instant(record.at_ms));
                self.story.put_back_for.push(retry.filter.clone());
                self.story.put_back_by_rule.push(!retry.is_by_hand());
            }
            Event::Visit(visit) => self.visit(record, visit),
            Event::Start(start) => {
                let recorded = CrawlConfig::recorded(&start.config);
                self.story.focused |= recorded.config.topic.is_some();
            }
            Event::Stop(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Again(_) => {}
            Event::Elsewhere(elsewhere) => {
                for page in &elsewhere.kept {
                    self.follow_repeated(page.page, page.replaces, &page.url);
                }
                let mut kept = elsewhere.kept.iter();
                let by = kept.find(|page| page.replaces.is_some_and(|old| self.is_me(old)));
                if let Some(by) = by {
                    let why = format!("another node kept the better copy {}", by.url);
                    self.story.replaced_by = Some((by.page, why));
                }
            }
        }
    }

    /// A URL was visited again: it may have another version now, and its links may have brought in
    /// the URL.
    fn visit(&mut self, record: &Record, visit: &VisitRecord) {
        if visit.url == self.story.url {
            self.story.visits.push(VisitTold {
                at: words::instant(record.at_ms),
                round: visit.round,
                change: visit.change.clone(),
                status: visit.fetch.as_ref().map_or(0, |fetch| fetch.status),
                conditional: visit.conditional,
                similarity: visit.similarity,
                why: visit.detail.clone(),
                now: visit.outcome().map(|outcome| UrlState::of(&outcome)),
            });
        }
        // A URL that points elsewhere now has links, and no version.
        if let (Some(page), false) = (&visit.page, visit.ends_version()) {
            self.mentions(record, page);
        }
        if visit.version().is_some() && self.repeats == Some(visit.of) {
            self.repeats = Some(record.seq);
            if let Some((kept, _)) = &mut self.story.kept_instead {
                *kept = record.seq;
            }
        }
        if let Some(page) = visit.as_page() {
            self.repeating.remove(&page.url);
            self.page(record, &page);
        }
    }

    /// The story, when all records have been read.
    pub fn finish(mut self) -> Story {
        let last = self.story.decisions.last();
        let state = match last {
            Some(_) if self.story.replaced_by.is_some() => UrlState::Junk,
            Some(last) if self.finished => UrlState::of(&last.outcome),
            None if self.finished && self.story.as_sitemap.is_some() => UrlState::Sitemap,
            _ if self.admitted => UrlState::Pending,
            _ if self.story.found_count > 0 => UrlState::LeftOut,
            _ => UrlState::NeverSeen,
        };
        self.story.state = state;
        self.tell_duplicates();
        self.story.summary = tell::summary(&self.story);
        self.story
    }

    /// Whether robots.txt of its host was had before.
    fn has_robots_copy(&self) -> bool {
        let known = self.story.robots.as_ref();
        known.is_some_and(|known| match &known.rules {
            RobotsAnswer::AllowAll | RobotsAnswer::Parsed => true,
            RobotsAnswer::DisallowAll | RobotsAnswer::Outage | RobotsAnswer::Unknown(_) => {
                known.has_copy
            }
        })
    }

    /// Whether a record is of the page, as it is or as it was before a visit.
    fn is_me(&self, page: u64) -> bool {
        self.versions.contains(&page)
    }

    /// The duplicates that are left when all was read, in the order in which they were found.
    fn tell_duplicates(&mut self) {
        let mut found: Vec<(u64, DuplicateOf)> =
            std::mem::take(&mut self.repeating).into_values().collect();
        found.sort_by_key(|(seq, _)| *seq);
        self.story.duplicates_count = found.len() as u64;
        let shown = found.into_iter().take(DUPLICATES_MAX);
        self.story.duplicates = shown.map(|(_, duplicate)| duplicate).collect();
    }

    fn seed(&mut self, seed: &SeedRecord) {
        // A page given as a seed says more than the same URL given as a sitemap.
        if seed.url == self.story.url && !(seed.sitemap && self.story.seed.is_some()) {
            self.admitted |= seed.fate.is_none();
            self.story.seed = Some(SeedMention {
                seed: seed.seed,
                source: seed.source.clone(),
                example: seed.example,
                sitemap: seed.sitemap,
            });
        }
    }

    fn mentions(&mut self, record: &Record, page: &PageRecord) {
        for link in page.links.iter().filter(|link| link.url == self.story.url) {
            let new = link.fate == LinkFate::New;
            self.admitted |= new;
            let is_first = self.linking.insert(xxh3_64(page.url.as_bytes()));
            self.story.found_count += u64::from(is_first);
            let mention = Mention {
                at: words::instant(record.at_ms),
                page: record.seq,
                from: page.url.clone(),
                anchor: link.anchor.clone(),
                rel: link.rel.clone(),
                promise: link.promise,
                fate: link.fate.clone(),
                depth: page.depth + u32::from(page.outcome != Outcome::Redirected),
                of_seed: page.seed,
            };
            let found = &mut self.story.found;
            if !is_first {
                // Another visit to the page, or another link on it: told anew where it is what admitted the URL.
                let known = found.iter_mut().find(|known| known.from == mention.from);
                if let Some(known) = known.filter(|known| known.fate != LinkFate::New) {
                    if mention.fate != known.fate {
                        *known = mention;
                    }
                    continue;
                }
                if !new {
                    continue;
                }
            }
            if found.len() == FOUND_MAX && new {
                found.pop();
            }
            if found.len() < FOUND_MAX {
                found.push(mention);
            }
        }
    }

    fn page(&mut self, record: &Record, page: &PageRecord) {
        self.mentions(record, page);
        if page.url == self.story.url {
            self.decision(record, page);
            return;
        }
        self.follow_repeated(record.seq, page.replaces, &page.url);
        if page.replaces.is_some_and(|old| self.is_me(old)) {
            let why = page
                .detail
                .clone()
                .unwrap_or_else(|| "it is the better copy".to_owned());
            self.story.replaced_by = Some((record.seq, why));
        }
        let duplicate = page.outcome.is_duplicate();
        let nearest = page.nearest.as_ref();
        if let Some(nearest) = nearest.filter(|nearest| duplicate && self.is_me(nearest.page)) {
            let duplicate = DuplicateOf {
                url: page.url.clone(),
                distance: nearest.distance,
                overlap: nearest.overlap,
            };
            self.repeating
                .insert(page.url.clone(), (record.seq, duplicate));
        }
    }

    /// Notes that a page takes the place of the one that it repeats.
    fn follow_repeated(&mut self, by: u64, replaces: Option<u64>, url: &str) {
        if replaces.is_some() && replaces == self.repeats {
            self.repeats = Some(by);
            self.story.kept_instead = Some((by, url.to_owned()));
        }
    }

    fn decision(&mut self, record: &Record, page: &PageRecord) {
        self.repeats = repeated(page).map(|nearest| nearest.page);
        self.story.kept_instead = None;
        (self.admitted, self.finished) = (true, true);
        self.versions.push(record.seq);
        self.story.replaced_by = None;
        // Visits after the first are told apart.
        let is_visit = matches!(record.event, Event::Visit(_));
        if let Some(fetch) = page.fetch.as_ref().filter(|_| !is_visit) {
            let fetch = fetch_made(record.at_ms, page.attempt, fetch);
            self.story.fetches.push(fetch);
        }
        let mut new = 0;
        let mut left_out = BTreeMap::new();
        for link in &page.links {
            match &link.fate {
                LinkFate::New => new += 1,
                LinkFate::Seen => {}
                fate => *left_out.entry(fate.name().to_owned()).or_default() += 1,
            }
        }
        let depth = self
            .story
            .decisions
            .last()
            .map_or(page.depth, |last| last.depth);
        self.story.decisions.push(Decision {
            at: words::instant(record.at_ms),
            page: record.seq,
            depth: if is_visit { depth } else { page.depth },
            priority: page.priority,
            outcome: page.outcome.clone(),
            detail: page.detail.clone(),
            measured: page.page.clone(),
            nearest: page.nearest.clone(),
            foreseen: page.foreseen.clone(),
            links: (page.links.len() as u64, new),
            left_out,
            text: page.text.clone(),
        });
    }
}

fn fetch_made(at_ms: u64, attempt: u32, fetch: &FetchRecord) -> FetchMade {
    let started = if fetch.started_ms == 0 {
        at_ms
    } else {
        fetch.started_ms
    };
    FetchMade {
        at: words::instant(started),
        attempt,
        status: fetch.status,
        content_type: fetch.content_type.clone(),
        bytes: fetch.bytes,
        ms: fetch.ms,
        error: fetch.error.clone(),
        error_text: fetch.error_text.clone(),
        redirect_to: fetch.redirect_to.clone(),
        retry_at: None,
    }
}

#[cfg(test)]
mod tests;
