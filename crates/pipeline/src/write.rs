//! Finding to record: the one place where a page is judged.
//!
//! The writer is a thread with one inbox. It takes what is queued (never waiting for more), judges
//! each finding in turn, appends its record, syncs the archive once, and only then settles leases
//! and moves the views. Since it alone asks the fingerprint index and adds to it, of two copies in
//! flight exactly one is kept.
//!
//! Links are offered to the frontier while the record is made, so that each link's fate stands in
//! the record. They may be leased before the record is synced; that is safe, since whatever comes
//! of such a link is journalled after this record, and a crash between the two forgets both.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};

use archive::{
    Archive, AttemptRecord, Entry, Event, LinkRecord, PageRecord, Record, SeedRecord, StopRecord,
};
use frontier::{Admission, CanonicalUrl, Frontier, FrontierUrl, Lease, Scope};
use sieve::{Failure, JunkReason, Outcome, Refusal, Rules, Verdict};
use simhash::TableIndex;

use crate::config::CrawlConfig;
use crate::context::{Kind, UrlContext};
use crate::convert;
use crate::counts::Counts;
use crate::dir::CrawlDir;
use crate::dispatch::ToDispatcher;
use crate::error::CrawlError;
use crate::examples::Examples;
use crate::focus_view::FocusView;
use crate::foresight::{BARREN, FORESEEN, Foresight};
use crate::kept::KeptPages;
use crate::progress::Progress;
use crate::publish::{Publication, ToPublisher};
use crate::read::{Finding, Reading, UrlFinding};
use crate::retry::RetryFilter;
use crate::template_view::TemplateView;
use crate::visit::{Answer, unix_ms};

mod page;

/// Findings judged between two syncs at most.
const GROUP_MAX: usize = 256;

/// Layouts that differ in no more bits than this are the same: pages of one template differ by a
/// menu entry or a missing picture.
pub(crate) const LAYOUT_BITS_MAX: u32 = 6;

/// What comes into the writer's inbox.
#[derive(Debug)]
pub enum ToWriter {
    /// A visit that was read.
    Finding(Finding),
    /// Failed URLs are to be tried again.
    Reopen {
        /// The URLs, with where they came from.
        found: Vec<crate::retry::Candidate>,
        /// What was asked for.
        filter: RetryFilter,
        /// Told how many were put back, once that is recorded.
        answer: SyncSender<usize>,
    },
    /// The crawl ends; the reason is recorded.
    Stop(StopRecord),
}

/// How a lease ends once its record is synced.
enum Ending {
    Finished(Lease),
    Retry(Lease, u64),
}

/// The writer's state: the archive and every view that the decision needs.
pub struct Writer {
    pub(crate) config: Arc<CrawlConfig>,
    pub(crate) rules: Rules,
    pub(crate) archive: Archive,
    pub(crate) frontier: Arc<Mutex<Frontier>>,
    pub(crate) scope: Scope,
    pub(crate) fingerprints: TableIndex,
    pub(crate) kept: KeptPages,
    pub(crate) templates: TemplateView,
    pub(crate) focus: Option<FocusView>,
    pub(crate) counts: Counts,
    pub(crate) seq: u64,
    pub(crate) seeds: Vec<SeedRecord>,
    pub(crate) to_dispatcher: Sender<ToDispatcher>,
    pub(crate) to_publisher: SyncSender<ToPublisher>,
    pub(crate) progress: Progress,
    pub(crate) bytes_in_flight: Arc<AtomicU64>,
    pub(crate) publications: Vec<Publication>,
    pub(crate) examples: Examples,
    pub(crate) request: Vec<(String, String)>,
    pub(crate) harvest_stop: Arc<Mutex<Option<String>>>,
    pub(crate) foresight: Arc<Mutex<Foresight>>,
    pub(crate) dir: CrawlDir,
}

impl Writer {
    /// Works until the inbox closes or a stop is recorded.
    ///
    /// # Errors
    /// When the archive or a view cannot be written. What was synced before is safe.
    pub fn run(&mut self, inbox: &Receiver<ToWriter>) -> Result<(), CrawlError> {
        while let Ok(first) = inbox.recv() {
            let mut endings = Vec::new();
            let mut next = Some(first);
            let mut taken = 0;
            let mut stopped = false;
            let mut answers = Vec::new();
            while let Some(message) = next {
                match message {
                    ToWriter::Finding(finding) => endings.extend(self.commit(finding)?),
                    ToWriter::Reopen {
                        found,
                        filter,
                        answer,
                    } => answers.push((answer, self.reopen(found, &filter)?)),
                    ToWriter::Stop(stop) => {
                        self.append(Event::Stop(stop))?;
                        stopped = true;
                    }
                }
                taken += 1;
                next = if taken < GROUP_MAX && !stopped {
                    inbox.try_recv().ok()
                } else {
                    None
                };
            }
            self.sync(endings)?;
            for (answer, reopened) in answers {
                // Who asked may have gone.
                let _ = answer.send(reopened);
            }
            if stopped {
                break;
            }
        }
        Ok(())
    }

    /// Offers seeds that are not known yet, and records them.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub fn admit_seed(&mut self, mut seed: SeedRecord) -> Result<(), CrawlError> {
        let number = seed.seed;
        let url = CanonicalUrl::parse(&seed.url)
            .map_err(|error| CrawlError::Setup(format!("seed {}: {error}", seed.url)))?;
        let context = if seed.sitemap {
            UrlContext::sitemap()
        } else {
            UrlContext::page()
        };
        self.lock_foresight().on_seed(&seed.url);
        match seed.example {
            Some(on_topic) => {
                self.scope.add_example();
                self.examples.add(&seed.url, on_topic);
            }
            None => self.scope.add_seed(&crate::setup::seed_url(&seed)?),
        }
        self.kept.note_host(&url.host(), number);
        if let Some(pages) = seed.pages {
            self.lock_frontier().set_seed_budget(number, pages);
        }
        let admitted = self.lock_frontier().admit(FrontierUrl {
            url,
            depth: 0,
            seed: number,
            via: None,
            priority: seed.priority,
            context: context.to_bytes(),
        });
        seed.fate = match admitted {
            Admission::New => {
                self.counts.admitted += u64::from(!seed.sitemap);
                String::new()
            }
            Admission::Seen => "seen".into(),
            Admission::Refused(refusal) => refusal.name().into(),
        };
        self.append(Event::Seed(seed.clone()))?;
        self.seeds.push(seed);
        Ok(())
    }

    /// Syncs the archive, then lets go of what it holds: leases are settled, views move, watchers
    /// are told.
    fn sync(&mut self, endings: Vec<Ending>) -> Result<(), CrawlError> {
        let position = self.archive.sync()?;
        let ended = endings.len();
        {
            let mut frontier = self.lock_frontier();
            for ending in endings {
                match ending {
                    Ending::Finished(lease) => frontier.settle(lease.finished()),
                    Ending::Retry(lease, at_ms) => frontier.settle(lease.retry_at(at_ms)),
                }
            }
            frontier.apply(position.0)?;
        }
        // Before the dispatcher hears that the leases have ended, and finds nothing left to do.
        let position = self.repaired()?.unwrap_or(position);
        self.fingerprints.apply(position.0)?;
        self.refocus();
        let changes = self.publications.drain(..).map(ToPublisher::Change);
        for message in changes.chain([ToPublisher::Reached(position.0)]) {
            if self.to_publisher.send(message).is_err() {
                return Err(CrawlError::Panicked("search index"));
            }
        }
        self.counts.show(&self.progress);
        // Nobody listens any more when the dispatcher has ended.
        let _ = self
            .to_dispatcher
            .send(ToDispatcher::Committed { leases: ended });
        Ok(())
    }

    fn commit(&mut self, finding: Finding) -> Result<Option<Ending>, CrawlError> {
        match finding {
            Finding::Robots(visit) => {
                self.commit_robots(*visit)?;
                Ok(None)
            }
            Finding::Url(finding) => {
                let bytes = body_len(finding.answer.as_ref());
                let ending = self.commit_url(*finding)?;
                self.bytes_in_flight.fetch_sub(bytes, Ordering::Relaxed);
                self.counts.bytes += bytes;
                Ok(Some(ending))
            }
        }
    }

    fn commit_url(&mut self, finding: UrlFinding) -> Result<Ending, CrawlError> {
        let UrlFinding {
            lease,
            reading,
            answer,
            content_type,
        } = finding;
        let fetch = answer
            .as_ref()
            .map(|answer| convert::fetch_record(answer, &content_type));
        if let Reading::Failed {
            transient: true, ..
        } = &reading
            && lease.attempt() < self.config.politeness.attempts
        {
            return self.commit_attempt(lease, fetch.unwrap_or_default());
        }
        let url = lease.url();
        let mut record = PageRecord {
            url: url.url.as_str().into(),
            host: url.url.host().to_string(),
            depth: url.depth,
            seed: url.seed,
            hops: UrlContext::from_bytes(&url.context).hops,
            via: url.via,
            priority: url.priority,
            attempt: if answer.is_some() { lease.attempt() } else { 0 },
            fetch,
            context: self
                .focus
                .is_some()
                .then(|| crate::focus_view::encode(&UrlContext::from_bytes(&url.context).features)),
            foreseen: answer.as_ref().and_then(|_| self.original_of(&url.url)),
            ..PageRecord::default()
        };
        let is_sitemap = UrlContext::from_bytes(&url.context).kind == Kind::Sitemap;
        if is_sitemap && !matches!(reading, Reading::Sitemap { .. }) {
            self.commit_no_sitemap(&lease, record, reading)?;
            return Ok(Ending::Finished(lease));
        }
        match reading {
            Reading::Sitemap {
                kind,
                urls,
                problem,
            } => {
                self.commit_sitemap(&lease, record, kind, urls, problem)?;
                return Ok(Ending::Finished(lease));
            }
            Reading::Page(reading) => self.commit_page(&lease, record, *reading, answer)?,
            Reading::NoPage { payload: _ } => {
                let status = record.fetch.as_ref().map_or(0, |fetch| fetch.status);
                let reason = if (200..300).contains(&status) {
                    JunkReason::UnsupportedType
                } else {
                    JunkReason::ErrorPage
                };
                record.detail = Some(match reason {
                    JunkReason::UnsupportedType => format!("content type {content_type:?}"),
                    _ => format!("status {status}"),
                });
                self.commit_plain(
                    &lease,
                    record,
                    Outcome::Judged(Verdict::Junk(reason)),
                    answer,
                )?;
            }
            Reading::Redirect(target) => self.commit_redirect(&lease, record, target, answer)?,
            Reading::NotModified => {
                self.commit_plain(&lease, record, Outcome::NotModified, answer)?;
            }
            Reading::Refused { name, detail } => {
                let refusal = match name {
                    "guard" => Refusal::Guard,
                    "trap" => Refusal::Trap,
                    FORESEEN => Refusal::Foreseen,
                    BARREN => Refusal::Barren,
                    _ => Refusal::Robots,
                };
                record.detail = Some(detail);
                self.commit_plain(&lease, record, Outcome::Refused(refusal), answer)?;
            }
            Reading::Failed { name, detail, .. } => {
                record.detail = Some(detail.clone());
                let outcome = Outcome::Failed(Failure { name, detail });
                self.commit_plain(&lease, record, outcome, answer)?;
            }
        }
        Ok(Ending::Finished(lease))
    }

    /// A fetch that will be repeated.
    fn commit_attempt(
        &mut self,
        lease: Lease,
        fetch: archive::FetchRecord,
    ) -> Result<Ending, CrawlError> {
        let politeness = &self.config.politeness;
        let doublings = (lease.attempt() - 1).min(16);
        let back_off_ms = politeness.retry_delay.0.as_millis() as u64 * (1 << doublings);
        let asked_ms = (fetch.retry_after_s.unwrap_or(0.0) * 1_000.0)
            .min(politeness.max_retry_after.0.as_millis() as f64) as u64;
        let retry_at_ms = unix_ms() + back_off_ms.max(asked_ms);
        self.append(Event::Attempt(AttemptRecord {
            url: lease.url().url.as_str().into(),
            host: lease.url().url.host().to_string(),
            fetch,
            attempt: lease.attempt(),
            retry_at_ms,
            sitemap: UrlContext::from_bytes(&lease.url().context).kind == Kind::Sitemap,
        }))?;
        self.counts.attempts += 1;
        Ok(Ending::Retry(lease, retry_at_ms))
    }

    /// A URL without a page: no neighbour to ask for, no links but those already in the record.
    fn commit_plain(
        &mut self,
        lease: &Lease,
        mut record: PageRecord,
        outcome: Outcome,
        answer: Option<Answer>,
    ) -> Result<(), CrawlError> {
        record.outcome = outcome.name().into();
        record.verdict = outcome.verdict().map(str::to_string);
        record.reason = outcome.reason();
        if let Some(focus) = &mut self.focus {
            focus.on_no_page(
                self.seq + 1,
                &record,
                &UrlContext::from_bytes(&lease.url().context),
            );
        }
        self.append_page(record, answer.as_ref(), None)?;
        Ok(())
    }

    fn commit_redirect(
        &mut self,
        lease: &Lease,
        mut record: PageRecord,
        target: Result<CanonicalUrl, String>,
        answer: Option<Answer>,
    ) -> Result<(), CrawlError> {
        let context = UrlContext::from_bytes(&lease.url().context);
        let fail = |name: &str, detail: String| {
            Outcome::Failed(Failure {
                name: name.into(),
                detail,
            })
        };
        let outcome = match target {
            Err(error) => fail("bad_redirect", error),
            Ok(target) if target == lease.url().url => {
                fail("redirect_loop", "the URL redirects to itself".into())
            }
            Ok(target) if u32::from(context.hops) >= self.config.limits.redirects => fail(
                "too_many_redirects",
                format!("after {} redirects to {target}", context.hops),
            ),
            Ok(target) => {
                if lease.url().depth == 0 {
                    self.scope.extend(lease.url().seed, &target);
                }
                if let Some(on_topic) = self.examples.get(&record.url) {
                    self.examples.add(target.as_str(), on_topic);
                }
                let next = UrlContext {
                    hops: context.hops + 1,
                    ..context
                };
                let url = lease.url();
                let fate = self.offer(&target, url.depth, lease, next, url.via, url.priority);
                record.links.push(LinkRecord {
                    url: target.as_str().into(),
                    rel: "redirect".into(),
                    promise: lease.url().priority,
                    fate,
                    ..LinkRecord::default()
                });
                Outcome::Redirected
            }
        };
        if let Outcome::Failed(failure) = &outcome {
            record.detail = Some(failure.detail.clone());
        }
        self.commit_plain(lease, record, outcome, answer)
    }

    /// Appends a finished URL's record with its bodies.
    fn append_page(
        &mut self,
        record: PageRecord,
        answer: Option<&Answer>,
        text: Option<&str>,
    ) -> Result<(), CrawlError> {
        self.foresee(&record);
        if let Some(loss) = self.examples.loss(&record) {
            tracing::warn!("{loss}");
        }
        self.counts.admitted += record
            .links
            .iter()
            .filter(|link| link.fate == "new")
            .count() as u64;
        self.counts.add(&record);
        let response = answer.and_then(|answer| answer.fetched.as_ref().ok());
        self.seq += 1;
        let record = Record {
            seq: self.seq,
            at_ms: unix_ms(),
            event: Event::Page(Box::new(record)),
        };
        let response = response.map(|fetched| archive::Response {
            url: fetched.url.as_str(),
            started_ms: answer.map_or(0, |answer| answer.started_ms),
            request: &self.request,
            http_version: fetched.http_version,
            status: fetched.status,
            headers: &fetched.headers,
            body: &fetched.body,
            ip: fetched.remote.map(|remote| remote.ip()),
            truncated: fetched.truncated.map(fetcher::Truncated::name),
        });
        self.archive.append(&Entry {
            record: &record,
            response,
            text,
        })?;
        Ok(())
    }

    /// Learns from a finished URL what is not worth a request.
    fn foresee(&self, record: &PageRecord) {
        // The frontier first: the dispatcher locks in this order.
        let frontier = self.lock_frontier();
        let mut foresight = self.lock_foresight();
        foresight.on_page(record, &frontier.spelling());
        if let Some(focus) = &self.focus {
            foresight.set_stopped(&record.host, focus.stop_host(&record.host));
        }
    }

    /// Appends a record without bodies.
    pub(crate) fn append(&mut self, event: Event) -> Result<(), CrawlError> {
        self.seq += 1;
        let record = Record {
            seq: self.seq,
            at_ms: unix_ms(),
            event,
        };
        self.archive.append(&Entry::of(&record))?;
        Ok(())
    }

    /// Syncs what the setup appended.
    ///
    /// # Errors
    /// When the archive or a view cannot be written.
    pub fn sync_setup(&mut self) -> Result<(), CrawlError> {
        self.sync(Vec::new())
    }

    fn original_of(&self, url: &CanonicalUrl) -> Option<String> {
        let frontier = self.lock_frontier();
        self.lock_foresight().original_of(url, &frontier.spelling())
    }

    pub(crate) fn lock_foresight(&self) -> std::sync::MutexGuard<'_, Foresight> {
        self.foresight
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lock_frontier(&self) -> std::sync::MutexGuard<'_, Frontier> {
        self.frontier.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Page types that are lists of links.
pub(crate) fn is_listing(page_type: &str) -> bool {
    matches!(page_type, "listing" | "front_page")
}

fn body_len(answer: Option<&Answer>) -> u64 {
    answer
        .and_then(|answer| answer.fetched.as_ref().ok())
        .map_or(0, |fetched| fetched.body.len() as u64)
}
