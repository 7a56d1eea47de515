//! Visit to finding: bytes become a page with its words, fingerprint and links.
//!
//! A plain function of its input, called on the CPU pool. It asks no index and decides nothing,
//! and opens no file but for the archived page of a URL that was read before: what it cannot read is a reading
//! too, with a name.

mod before;
mod cut;
mod links;
mod lists;
mod page;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, Once};

use archive::Texts;
use extractor::DomLimits;
use fetcher::{FetchError, FetchLimits, Fetched, Purpose, TextForm};
use frontier::{Canonicaliser, Lease, Refused};
use outcome::{FailureKind, Refusal};
use segment::Segmenter;
use state::Finding;
use state::context::is_listed;
use state::finding::{Reading, UrlFinding};
use xxhash_rust::xxh3::xxh3_64;

use crate::config::CrawlConfig;
use crate::held::{self, Held, ReadMemory};
use crate::messages::{ToReader, Visit};
use crate::setup;
use before::has_condition;
use cut::{Cut, unusable};
use lists::{is_list, may_be_feed};

/// What is noted of a page whose body ended before the announced length, and is whole by its own end.
const WHOLE_BY_ITS_END: &str = "body: shorter than announced, whole by its end";

/// Held from before a large page is read until there is memory for what was read.
type Alone<'r> = Option<MutexGuard<'r, ()>>;

/// A body that is a text, with its content codings undone.
struct Body {
    bytes: Vec<u8>,
    /// Its type as declared, with its charset.
    content_type: Option<String>,
    /// The hash of all that came.
    payload: u64,
    limits_hit: Vec<String>,
}

/// Reads visits. Shared by the pool's threads.
#[derive(Debug)]
pub(crate) struct Reader {
    segmenter: &'static Segmenter,
    limits: FetchLimits,
    dom_limits: DomLimits,
    canonicaliser: Canonicaliser,
    agent: String,
    /// Held while a page is read that takes much memory: see [`page::ALONE_BYTES`].
    large: Mutex<()>,
    links_max: usize,
    sitemap_urls_max: usize,
    attempts_max: u32,
    has_topic: bool,
    has_feeds: bool,
    /// The texts of earlier visits, and whether it was told that some cannot be read.
    texts: Texts,
    told_unread: Once,
}

impl Reader {
    /// A reader within the configuration's limits.
    pub(crate) fn new(config: &CrawlConfig, texts: Texts) -> Arc<Self> {
        Arc::new(Self {
            segmenter: Segmenter::shared(),
            limits: setup::fetch_limits(config),
            dom_limits: setup::dom_limits(config),
            canonicaliser: setup::canonicaliser(config),
            agent: config.agent.name.clone(),
            large: Mutex::new(()),
            links_max: config.limits.links_per_page,
            sitemap_urls_max: config.limits.sitemap_urls,
            attempts_max: config.politeness.attempts,
            has_topic: config.topic.is_some(),
            has_feeds: config.again.as_ref().is_some_and(|again| again.feeds),
            texts,
            told_unread: Once::new(),
        })
    }

    /// Reads one job, and takes the memory that holds what was read; waits while there is none. Large pages wait
    /// for it before the next large one is read.
    pub(crate) fn read(&self, job: ToReader, memory: &ReadMemory) -> (Finding, Held) {
        let mut alone = None;
        let finding = self.read_job(job, &mut alone);
        let held = memory.hold(held::bytes_of(&finding));
        (finding, held)
    }

    /// Reads one job that waits for nothing.
    pub(crate) fn read_at_once(&self, job: ToReader) -> Finding {
        self.read_job(job, &mut None)
    }

    fn read_job<'r>(&'r self, job: ToReader, alone: &mut Alone<'r>) -> Finding {
        match job {
            ToReader::Finding(finding) => finding,
            ToReader::Robots(visit) => Finding::Robots(Box::new(visit.read(&self.limits))),
            ToReader::Refused(lease, why) => Finding::Url(Box::new(UrlFinding {
                lease: *lease,
                reading: refused(why),
                answer: None,
                content_type: String::new(),
                before: None,
            })),
            ToReader::Visit(visit) => Finding::Url(Box::new(self.read_visit(*visit, alone))),
        }
    }

    fn read_visit<'r>(&'r self, visit: Visit, alone: &mut Alone<'r>) -> UrlFinding {
        let Visit {
            lease,
            purpose,
            answer,
        } = visit;
        let last_try = lease.attempt() >= self.attempts_max;
        let mut content_type = String::new();
        let reading = match &answer.fetched {
            Err(error) => failed(error),
            Ok(fetched) => {
                content_type = fetched
                    .content_type()
                    .map(|full| {
                        full.split(';')
                            .next()
                            .unwrap_or("")
                            .trim()
                            .to_ascii_lowercase()
                    })
                    .unwrap_or_default();
                // One page costs one page, even if it finds a fault in a parser.
                let of = (&lease, purpose, last_try);
                let read =
                    AssertUnwindSafe(|| self.read_answer(of, fetched, &mut content_type, alone));
                catch_unwind(read).unwrap_or_else(|_| Reading::Failed {
                    kind: FailureKind::Unreadable,
                    detail: "reading the page failed in an unexpected way".into(),
                    transient: false,
                })
            }
        };
        let fetched = answer.fetched.as_ref().ok();
        let before = AssertUnwindSafe(|| self.before(&lease, &reading, fetched, &content_type));
        let before = catch_unwind(before).unwrap_or_default();
        UrlFinding {
            lease,
            reading,
            answer: Some(answer),
            content_type,
            before,
        }
    }

    /// What an answer says whatever its body is, if that.
    fn without_body(&self, lease: &Lease, fetched: &Fetched) -> Option<Reading> {
        if let Some(target) = fetched.location() {
            let canonical = self.canonicaliser.canonical(&target);
            return Some(Reading::Redirect(
                canonical.map_err(|error| error.to_string()),
            ));
        }
        match fetched.status {
            304 if has_condition(lease) => Some(Reading::NotModified),
            // Some caches answer so to everybody. What has never been read must be asked for again.
            304 | 408 | 425 | 429 | 500..=599 => Some(Reading::Failed {
                kind: FailureKind::Http(fetched.status),
                detail: format!("the server answered {}", fetched.status),
                transient: !matches!(fetched.status, 501 | 505),
            }),
            _ => None,
        }
    }

    fn read_answer<'r>(
        &'r self,
        (lease, purpose, last_try): (&Lease, Purpose, bool),
        fetched: &Fetched,
        content_type: &mut String,
        alone: &mut Alone<'r>,
    ) -> Reading {
        if let Some(reading) = self.without_body(lease, fetched) {
            return reading;
        }
        let decoding = fetched.decoded(&self.limits.decoding_for(purpose));
        let (cut, is_whole) = match Cut::of(fetched, &decoding) {
            // The last part of a body ends as the whole does.
            Some(Cut::Part) => (Some(Cut::Part), false),
            Some(Cut::Received(_) | Cut::Stream) if fetched.is_whole_by_its_end(&decoding) => {
                (None, true)
            }
            cut => (cut, false),
        };
        if let Some(unusable) = unusable(fetched, &decoding, cut, last_try) {
            return unusable;
        }
        let mut limits_hit: Vec<String> = decoding.stopped.into_iter().collect();
        limits_hit.extend(cut.and_then(Cut::noted).map(|name| format!("body: {name}")));
        if purpose == Purpose::Sitemap && (200..300).contains(&fetched.status) {
            let list = self.read_sitemap(&decoding.bytes, lease, limits_hit.into_iter().next());
            if !is_listed(lease.url()) || is_list(&list) {
                return list;
            }
            // An index may name pages, by mistake.
            let of = (lease, Purpose::Page, last_try);
            let page = self.read_answer(of, fetched, content_type, alone);
            let is_page = matches!(page, Reading::Page(_));
            return if is_page { page } else { list };
        }
        let dom_limits = DomLimits {
            is_part: !limits_hit.is_empty(),
            ..self.dom_limits.clone()
        };
        limits_hit.extend(is_whole.then(|| WHOLE_BY_ITS_END.to_owned()));
        *content_type = fetched.body_type(&decoding.bytes);
        let payload = xxh3_64(&decoding.bytes);
        let is_success = (200..300).contains(&fetched.status);
        if is_success
            && is_listed(lease.url())
            && let cut = limits_hit.first().cloned()
            && let Some(sitemap) = self.read_listed(&decoding.bytes, lease, cut)
        {
            return sitemap;
        }
        let form = TextForm::of(content_type, lease.url().url.path());
        let mut reading = match form {
            Some(form) if form == TextForm::Html || is_success => {
                let body = Body {
                    bytes: decoding.bytes,
                    content_type: fetched.content_type(),
                    payload,
                    limits_hit,
                };
                self.read_body((lease, fetched), body, form, &dom_limits, alone)
            }
            _ if is_success && self.has_feeds && may_be_feed(content_type) => {
                let cut = limits_hit.into_iter().next();
                self.read_feed(&decoding.bytes, lease, cut)
                    .unwrap_or(Reading::NoPage { payload })
            }
            _ => Reading::NoPage { payload },
        };
        if let Reading::Page(page) = &mut reading {
            page.cut = cut.map(Cut::words);
        }
        reading
    }
}

/// A URL that is finished without a visit.
fn refused(why: Refused) -> Reading {
    match why {
        Refused::Refusal(refusal) => Reading::Refused(refusal),
        Refused::Unreachable { failure, detail } => Reading::Failed {
            kind: failure,
            detail: format!("the host could not be reached: {detail}"),
            transient: false,
        },
    }
}

fn failed(error: &FetchError) -> Reading {
    match FailureKind::from(error.name()) {
        FailureKind::Guard => Reading::Refused(Refusal::Guard(error.to_string())),
        kind => Reading::Failed {
            kind,
            detail: error.to_string(),
            transient: error.is_transient(),
        },
    }
}

#[cfg(test)]
mod tests;
