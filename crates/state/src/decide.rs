//! Finding to record: every decision of a crawl, and nothing that it changes.
//!
//! Whatever becomes of a URL, of its page and of each of its links stands in the record. What later
//! decisions follow from is changed by [`State::apply`] alone, once the record is appended. A
//! decision is made on the state as it is before its record; where the record itself matters, that
//! is spelled out: the links of a page use up budgets one after the other
//! ([`frontier::Offers`]), are scored with their page in mind ([`focus::PageAhead`]), and an example
//! page is judged by a copy of the model that has learnt from it.
//!
//! In this file what every URL has in common, and what has no page; `page` is a page, `links` what
//! becomes of its links, `sitemaps` what robots.txt and sitemaps bring, `seeds` what a user gives.

use archive::{AttemptRecord, Event, FetchRecord, LinkRecord, PageRecord, Record};
use focus::PageTerms;
use frontier::{Admission, CanonicalUrl, Lease, Settled};
use outcome::{FailureKind, LinkFate, Outcome};
use segment::Words;
use sieve::{Content, Evidence};

use crate::context::{Kind, UrlContext};
use crate::finding::{Answer, Finding, Reading, UrlFinding};
use crate::focus_view::{Lent, encode};
use crate::recorded;
use crate::state::{State, StoreError};

mod links;
mod page;
mod seeds;
mod sitemaps;

pub use seeds::SeedError;

/// A record, and what comes with it.
#[derive(Debug)]
pub struct Decided {
    /// What happened.
    pub record: Record,
    /// The answer it follows from, for the archive.
    pub answer: Option<Answer>,
    /// The lease that ends with the record.
    pub lease: Option<Lease>,
    /// What was read, for a page.
    pub page: Option<ReadText>,
}

/// A page's text, and what was computed of it.
#[derive(Debug)]
pub struct ReadText {
    /// Main text, without the host's template.
    pub text: String,
    /// Its words.
    pub words: Words,
    /// The page as the focus model sees it.
    pub terms: Option<PageTerms>,
    /// Whether the text belongs into the archive: that of a kept page, and in a crawl with a topic
    /// any, since the model learns from it again at each start.
    pub is_archived: bool,
}

impl Decided {
    fn of(record: Record) -> Self {
        Self {
            record,
            answer: None,
            lease: None,
            page: None,
        }
    }

    /// Whether the record is that of a finished URL, whose answer is archived with it.
    pub fn is_page(&self) -> bool {
        matches!(self.record.event, Event::Page(_))
    }

    /// The text to be archived with the record.
    pub fn archived_text(&self) -> Option<&str> {
        let page = self.page.as_ref().filter(|page| page.is_archived)?;
        Some(&page.text)
    }

    /// What [`State::apply`] need not compute again.
    pub fn lent(&self) -> Lent<'_> {
        let page = self.page.as_ref();
        Lent {
            text: page.map(|page| page.text.as_str()),
            terms: page.and_then(|page| page.terms.as_ref()),
        }
    }

    /// How the lease ends, once the record is synced.
    pub fn settled(lease: Lease, record: &Record) -> Settled {
        match &record.event {
            Event::Attempt(attempt) => lease.retry_at(attempt.retry_at_ms),
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Page(_)
            | Event::Retry(_)
            | Event::Stop(_) => lease.finished(),
        }
    }
}

impl State {
    /// Makes the record of a finding; `now_ms` is the time since the Unix epoch. Nothing is changed
    /// but caches: the tables and the focus model are asked through `&mut` for those.
    ///
    /// # Errors
    /// When a store cannot be read.
    pub fn decide(&mut self, finding: Finding, now_ms: u64) -> Result<Decided, StoreError> {
        match finding {
            Finding::Robots(found) => {
                let event = Event::Robots(self.robots_record(&found, now_ms)?);
                Ok(Decided::of(self.record(event, now_ms)))
            }
            Finding::Url(found) => self.decide_url(*found, now_ms),
        }
    }

    /// The next record.
    pub fn record(&self, event: Event, now_ms: u64) -> Record {
        Record {
            seq: self.seq + 1,
            at_ms: now_ms,
            event,
        }
    }

    fn decide_url(&mut self, found: UrlFinding, now_ms: u64) -> Result<Decided, StoreError> {
        let UrlFinding {
            lease,
            reading,
            answer,
            content_type,
        } = found;
        let fetch = answer
            .as_ref()
            .map(|answer| recorded::fetch_record(answer, &content_type, now_ms));
        let mut read = None;
        let event = if self.is_tried_again(&lease, &reading) {
            let fetch = fetch.unwrap_or_default();
            Event::Attempt(self.attempt_record(&lease, fetch, now_ms))
        } else if kind_of(&lease) == Kind::Sitemap {
            Event::Sitemap(self.sitemap_record(&lease, fetch.unwrap_or_default(), reading)?)
        } else {
            let head = self.head(&lease, fetch);
            let record = match reading {
                Reading::Page(reading) => {
                    let (record, text) = self.decide_page(&lease, head, *reading, now_ms)?;
                    read = Some(text);
                    record
                }
                other => self.decide_other(&lease, head, other, &content_type)?,
            };
            Event::Page(Box::new(record))
        };
        Ok(Decided {
            record: self.record(event, now_ms),
            answer,
            lease: Some(lease),
            page: read,
        })
    }

    fn is_tried_again(&self, lease: &Lease, reading: &Reading) -> bool {
        let is_transient = matches!(
            reading,
            Reading::Failed {
                transient: true,
                ..
            }
        );
        is_transient && lease.attempt() < self.policy.attempts_max
    }

    /// A fetch that will be repeated.
    fn attempt_record(&self, lease: &Lease, fetch: FetchRecord, now_ms: u64) -> AttemptRecord {
        let doublings = (lease.attempt() - 1).min(16);
        let back_off_ms = self.policy.retry_delay.as_millis() as u64 * (1 << doublings);
        let asked_ms = (fetch.retry_after_s.unwrap_or(0.0) * 1_000.0)
            .min(self.policy.retry_after_max.as_millis() as f64) as u64;
        AttemptRecord {
            url: lease.url().url.as_str().into(),
            host: lease.url().url.host().to_string(),
            fetch,
            attempt: lease.attempt(),
            retry_at_ms: now_ms + back_off_ms.max(asked_ms),
            sitemap: kind_of(lease) == Kind::Sitemap,
        }
    }

    /// What the record of a finished URL has whatever became of it.
    fn head(&self, lease: &Lease, fetch: Option<FetchRecord>) -> PageRecord {
        let url = lease.url();
        let context = UrlContext::from_bytes(&url.context);
        let original = || self.queue.lock().original_of(&url.url);
        PageRecord {
            url: url.url.as_str().into(),
            host: url.url.host().to_string(),
            depth: url.depth,
            seed: url.seed,
            hops: context.hops,
            via: url.via,
            priority: url.priority,
            attempt: fetch.as_ref().map_or(0, |_| lease.attempt()),
            foreseen: fetch.as_ref().and_then(|_| original()),
            fetch,
            context: self.focus.as_ref().map(|_| encode(&context.features)),
            ..PageRecord::default()
        }
    }

    /// A URL without a page.
    fn decide_other(
        &self,
        lease: &Lease,
        mut record: PageRecord,
        reading: Reading,
        content_type: &str,
    ) -> Result<PageRecord, StoreError> {
        match reading {
            Reading::Redirect(Ok(target)) => self.decide_redirect(lease, &mut record, &target)?,
            Reading::Redirect(Err(error)) => {
                record.outcome = Outcome::Failed(FailureKind::BadRedirect);
                record.detail = Some(error);
            }
            Reading::NotModified => record.outcome = Outcome::NotModified,
            Reading::Refused(refusal) => {
                record.detail = refusal.detail();
                record.outcome = Outcome::Refused(refusal);
            }
            Reading::Failed { kind, detail, .. } => {
                record.detail = Some(detail);
                record.outcome = Outcome::Failed(kind);
            }
            Reading::NoPage { .. } | Reading::Page(_) | Reading::Sitemap(_) => {
                let evidence = no_page(record.status());
                let verdict = sieve::judge(&evidence, &self.policy.rules);
                record.detail =
                    recorded::detail(&evidence, &self.policy.rules, &verdict, content_type);
                record.outcome = Outcome::Judged(verdict);
            }
        }
        Ok(record)
    }

    fn decide_redirect(
        &self,
        lease: &Lease,
        record: &mut PageRecord,
        target: &CanonicalUrl,
    ) -> Result<(), StoreError> {
        let url = lease.url();
        let failed = if *target == url.url {
            let words = "the URL redirects to itself".to_owned();
            Some((FailureKind::RedirectLoop, words))
        } else if u32::from(record.hops) >= self.policy.redirects_max {
            let words = format!("after {} redirects to {target}", record.hops);
            Some((FailureKind::TooManyRedirects, words))
        } else {
            None
        };
        if let Some((kind, words)) = failed {
            record.outcome = Outcome::Failed(kind);
            record.detail = Some(words);
            return Ok(());
        }
        // Like an example itself, the page that it leads to is asked for wherever it is.
        let examples = [record.url.as_str(), target.as_str()];
        let is_example = examples.iter().any(|url| self.examples.get(url).is_some());
        let in_scope = self.reach.check_redirect(target, url.depth, url.seed);
        let fate = match in_scope {
            Err(refusal) if !is_example => refusal.fate(),
            Ok(()) | Err(_) => {
                let queue = self.queue.lock();
                let mut offers = queue.frontier.offers(None);
                fate_of(offers.offer(target, url.depth, url.seed)?)
            }
        };
        record.links.push(LinkRecord {
            url: target.as_str().into(),
            rel: "redirect".into(),
            promise: url.priority,
            fate,
            ..LinkRecord::default()
        });
        record.outcome = Outcome::Redirected;
        Ok(())
    }
}

/// What is known of an answer without a page.
fn no_page(status: u16) -> Evidence {
    Evidence {
        status,
        content: Content::Other,
        words: 0,
        may_index: true,
        soft_404: false,
        listing: false,
        language: None,
        relevance: None,
        neighbour: None,
        same_layout: false,
    }
}

fn kind_of(lease: &Lease) -> Kind {
    UrlContext::from_bytes(&lease.url().context).kind
}

/// The fate of a link whose URL was offered.
fn fate_of(admission: Admission) -> LinkFate {
    match admission {
        Admission::New => LinkFate::New,
        Admission::Seen => LinkFate::Seen,
        Admission::Refused(fate) => fate,
    }
}
