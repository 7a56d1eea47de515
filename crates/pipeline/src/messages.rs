//! What the crawl's threads tell each other: the type of each inbox.
//!
//! ```text
//!               ┌──────────────── ToDispatcher ────────────────┐
//!               ▼                                              │
//!   Dispatcher ─► Visitor ─ToReader─► Readers ─ToWriter─► Writer ─ToPublisher─► Publisher
//!                                                 ▲
//!                                   control socket, end of the crawl
//! ```
//!
//! The way down is bounded channels; the way back up is not, but holds no more messages than there
//! are leases, which are bounded. So nobody ever waits in a circle.

use std::net::IpAddr;
use std::sync::mpsc::{Sender, SyncSender};
use std::time::Instant;

use archive::{PageSummary, StopRecord};
use fetcher::Purpose;
use frontier::{CanonicalUrl, FrontierUrl, HostAdvice, HostKey, Lease, Refused, SeedUrl};
use index::Document;
use ledger::Part;
use segment::Words;
use state::retry::{Candidate, RetryFilter};
use state::{Answer, Finding};
use url::Url;

use crate::control::SeedsTaken;
use crate::held::Held;
use crate::node::lessons::Lessons;
use crate::robots_visit::RobotsVisit;

/// What comes into the dispatcher's inbox.
#[derive(Debug)]
pub(crate) enum ToDispatcher {
    /// A body ended: the host's slot is free.
    BodyEnded {
        /// The host.
        host: HostKey,
        /// When.
        at: Instant,
        /// What it tells about the host.
        advice: HostAdvice,
        /// Bytes of body that are in memory from now on.
        bytes: u64,
    },
    /// A robots.txt has moved: it is to be asked for where it is now.
    RobotsMoved {
        /// The host that said so; its slot is free.
        host: HostKey,
        /// When.
        at: Instant,
        /// What it tells about that host.
        advice: HostAdvice,
        /// Where it is now, as it was written and as it can be crawled.
        target: (Url, CanonicalUrl),
        /// Whose it is.
        owners: Vec<RobotsOwner>,
    },
    /// Records were synced and their leases given back.
    Committed {
        /// How many leases.
        leases: usize,
        /// How many of them were of URLs that are visited again.
        visits: usize,
        /// How many answers to robots.txt.
        robots: usize,
        /// Bytes of body that are no longer in memory.
        bytes: u64,
        /// Finished URLs for which a fetch was made, over all starts.
        pages: u64,
    },
    /// A host's address was looked up; none where it could not be found.
    Address {
        /// The host.
        host: HostKey,
        /// Its address.
        address: Option<IpAddr>,
    },
    /// The topic has nothing to judge pages by, for this reason.
    NoTopic(String),
    /// The harvest says to stop, for this reason.
    HarvestEnds(String),
    /// Something ended that the crawl cannot do without, named here: nothing more can be recorded.
    ThreadEnded(&'static str),
}

/// Whose robots.txt is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RobotsOwner {
    /// The host.
    pub(crate) host: HostKey,
    /// Scheme and authority.
    pub(crate) origin: String,
    /// Redirects that were followed so far.
    pub(crate) hops: usize,
}

impl RobotsOwner {
    /// After one more redirect.
    pub(crate) fn moved(self) -> Self {
        Self {
            hops: self.hops + 1,
            ..self
        }
    }
}

/// A visited URL.
#[derive(Debug)]
pub(crate) struct Visit {
    /// The right to finish the URL.
    pub(crate) lease: Lease,
    /// What it is: a page or a sitemap.
    pub(crate) purpose: Purpose,
    /// What came back.
    pub(crate) answer: Answer,
}

/// What comes into the readers' inbox.
#[derive(Debug)]
pub(crate) enum ToReader {
    /// Read a page or a sitemap.
    Visit(Box<Visit>),
    /// Read a robots.txt.
    Robots(Box<RobotsVisit>),
    /// A URL that is not asked for: nothing to read.
    Refused(Box<Lease>, Refused),
    /// What needed no reading, while the writer had no room for it.
    Finding(Finding),
}

impl ToReader {
    /// Whether nothing is to be read: an answer says that the page has not changed.
    pub(crate) fn needs_no_reading(&self) -> bool {
        match self {
            ToReader::Visit(visit) => visit
                .answer
                .fetched
                .as_ref()
                .is_ok_and(|fetched| fetched.status == 304),
            ToReader::Robots(_) | ToReader::Refused(..) | ToReader::Finding(_) => false,
        }
    }
}

/// What comes into the writer's inbox.
#[derive(Debug)]
pub(crate) enum ToWriter {
    /// A visit that was read, with the memory that it takes.
    Finding(Finding, Held),
    /// Failed URLs are to be tried again.
    Reopen {
        /// The URLs, with where they came from.
        found: Vec<Candidate>,
        /// What was asked for.
        filter: RetryFilter,
        /// Told how many were put back, once that is recorded.
        answer: SyncSender<usize>,
    },
    /// Further seeds.
    AddSeeds {
        /// The seeds.
        seeds: Vec<SeedUrl>,
        /// Told what became of them, once that is recorded.
        answer: SyncSender<SeedsTaken>,
    },
    /// On many machines, the ledger has something for the writer.
    Mail,
    /// The crawl ends; the reason is recorded.
    Stop(StopRecord),
}

/// What the ledger has for the writer.
#[derive(Debug)]
pub(crate) enum Mail {
    /// Parts come and go.
    Parts(PartsMove),
    /// Other nodes have admitted URLs of this node's parts, or they wait again (`true`).
    Admitted(Vec<(FrontierUrl, bool)>),
    /// Other nodes have read examples of the topic.
    Lessons(Lessons),
}

/// Parts of the web that come to this node, and others that are to go.
#[derive(Debug, Default)]
pub(crate) struct PartsMove {
    /// They come.
    pub(crate) take: Vec<Part>,
    /// Another node waits for them.
    pub(crate) release: Vec<Part>,
}

/// A kept page, as the search index and whoever watches the crawl are told of it.
#[derive(Debug)]
pub struct KeptPage {
    /// What was measured on it: title, language, dates, relevance.
    pub summary: PageSummary,
    /// The record's number.
    pub seq: u64,
    /// Canonical URL.
    pub url: String,
    /// Host key.
    pub host: String,
    /// Main text.
    pub text: String,
    /// When it was fetched, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The text's words.
    pub words: Words,
}

impl KeptPage {
    /// As the index wants it.
    pub(crate) fn document(&self) -> Document<'_> {
        Document {
            seq: self.seq,
            url: &self.url,
            host: &self.host,
            title: &self.summary.title,
            text: &self.text,
            lang: &self.summary.lang,
            author: self.summary.author.as_deref(),
            published: self.summary.published.as_deref(),
            fetched_at_ms: self.at_ms,
            fingerprint: u64::from_str_radix(&self.summary.fingerprint, 16).unwrap_or(0),
            relevance: self.summary.relevance,
            page_type: self.summary.page_type.clone(),
            words: Some(&self.words),
        }
    }
}

/// A change of the kept pages.
#[derive(Debug)]
pub enum Change {
    /// A page was kept.
    Kept(Box<KeptPage>),
    /// A page left for a better representative.
    Withdrawn(String),
}

/// What comes into the publisher's inbox.
#[derive(Debug)]
pub(crate) enum ToPublisher {
    /// A change of the kept pages, with the memory that it takes.
    Change(Change, Held),
    /// Every change of the records before this journal position was sent.
    Reached(u64),
}

/// Tells the dispatcher when a thread or task ends that the crawl cannot do without: also by a
/// panic.
pub(crate) struct EndTold {
    to_dispatcher: Sender<ToDispatcher>,
    name: &'static str,
    /// Only a panic is told.
    panics_only: bool,
}

impl EndTold {
    /// Tells any end.
    pub(crate) fn always(name: &'static str, to_dispatcher: Sender<ToDispatcher>) -> Self {
        Self {
            to_dispatcher,
            name,
            panics_only: false,
        }
    }

    /// Tells an end by a panic.
    pub(crate) fn on_panic(name: &'static str, to_dispatcher: Sender<ToDispatcher>) -> Self {
        Self {
            to_dispatcher,
            name,
            panics_only: true,
        }
    }
}

impl Drop for EndTold {
    fn drop(&mut self) {
        if !self.panics_only || std::thread::panicking() {
            // Nobody listens any more when the dispatcher has ended: the crawl is stopping.
            let _ = self
                .to_dispatcher
                .send(ToDispatcher::ThreadEnded(self.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_thread_that_panics_is_told_and_one_that_ends_is_not_unless_it_must_be() {
        let (sender, inbox) = channel();
        drop(EndTold::on_panic("reader", sender.clone()));
        assert!(inbox.try_recv().is_err());
        let told = EndTold::on_panic("reader", sender.clone());
        let thread = std::thread::spawn(move || {
            let _told = told;
            std::panic::resume_unwind(Box::new("as a test does"));
        });
        assert!(thread.join().is_err());
        let told = |name| matches!(inbox.try_recv(), Ok(ToDispatcher::ThreadEnded(ended)) if ended == name);
        assert!(told("reader"));
        drop(EndTold::always("writer", sender));
        assert!(told("writer"));
    }
}
