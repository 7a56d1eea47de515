//! What goes out of the frontier and what comes back: leases, permissions, endings.

use std::time::Instant;

use outcome::{FailureKind, LinkFate, Refusal};

use crate::host::HostKey;
use crate::url::CanonicalUrl;
use crate::url_normalizer::UrlNormalizer;

/// A URL that waits, or is being visited.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontierUrl {
    /// The URL.
    pub url: CanonicalUrl,
    /// Links from a seed.
    pub depth: u32,
    /// Number of the seed.
    pub seed: u32,
    /// Record number of the page that led here.
    pub via: Option<u64>,
    /// 0.0 to 1.0, larger first.
    pub priority: f32,
    /// The caller's own bytes, kept with the URL; the frontier reads [`NO_PAGE`] in the first.
    pub context: Vec<u8>,
}

/// The bit in the first byte of a URL's context by which it is no page: a sitemap.
pub const NO_PAGE: u8 = 1;

impl FrontierUrl {
    /// Whether it counts for the budgets of pages: those of its host and its seed.
    pub fn is_page(&self) -> bool {
        self.context
            .first()
            .is_none_or(|flags| flags & NO_PAGE == 0)
    }

    /// The seed whose budget it uses up; none if it is no page.
    pub(crate) fn paying_seed(&self) -> Option<u32> {
        self.is_page().then_some(self.seed)
    }

    /// A seed of this number, of the highest priority.
    pub fn seed(url: CanonicalUrl, seed: u32) -> FrontierUrl {
        FrontierUrl {
            url,
            depth: 0,
            seed,
            via: None,
            priority: 1.0,
            context: Vec::new(),
        }
    }
}

/// The right to finish a URL. Not `Clone`: a URL is finished once.
#[derive(Debug)]
#[must_use = "a lease that is never settled leaves its URL pending"]
pub struct Lease {
    pub(crate) url: FrontierUrl,
    pub(crate) attempt: u32,
    pub(crate) order: u64,
}

impl Lease {
    /// The URL.
    pub fn url(&self) -> &FrontierUrl {
        &self.url
    }

    /// Which try this is, 1 for the first.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The URL met its fate, and its record is synced.
    pub fn finished(self) -> Settled {
        Settled::Finished(self)
    }

    /// The URL is to be tried again, not before a time (milliseconds since the Unix epoch).
    pub fn retry_at(self, unix_ms: u64) -> Settled {
        Settled::RetryAt(self, unix_ms)
    }
}

/// How a lease ends.
#[derive(Debug)]
pub enum Settled {
    /// The URL is finished.
    Finished(Lease),
    /// It is to be tried again.
    RetryAt(Lease, u64),
}

/// What `next` answers.
#[derive(Debug)]
pub enum Next {
    /// Visit this URL now.
    Lease(Lease),
    /// Fetch this host's robots.txt now; the URL is one that waits for it.
    Robots(HostKey, CanonicalUrl),
    /// Make the request now that [`Frontier::ask_for`](crate::Frontier::ask_for) named by this
    /// number; it goes to this host.
    Errand(HostKey, u64),
    /// Look this host's address up, and say it with
    /// [`Frontier::note_address`](crate::Frontier::note_address): connections to an address are counted,
    /// and it was not met before.
    Address(HostKey),
    /// Finish this URL without a visit; it costs the host no delay.
    Refused(Lease, Refused),
    /// Nothing before this time.
    WaitUntil(Instant),
    /// Nothing before something under way has ended.
    InFlight,
    /// Nothing is pending.
    Drained,
}

/// How a URL ends that is not visited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It is not asked for.
    Refusal(Refusal),
    /// Its host has never answered: it failed as the host's last request did.
    Unreachable {
        /// How that failed.
        failure: FailureKind,
        /// The failure in words.
        detail: String,
    },
}

/// What is said to a URL whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// Go on.
    Allowed,
    /// No.
    Refused(Refused),
    /// robots.txt is not known yet, or too old to go by.
    Unknown,
    /// Not now: another URL has to be finished first. The URL waits behind all others of its host
    /// and is asked about again when something was finished; when nothing else is left, it may go.
    Defer,
    /// Not before all that is not held back is done, or not before all that is held back less: the
    /// gate is asked again then, by [`Gate::worth_at_last`].
    HoldBack(HeldBack),
}

/// How long a URL is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HeldBack {
    /// Until nothing is left but what is held back.
    UntilOthersAreDone,
    /// Until nothing is left but what is held back for as long as this.
    ToTheLast,
}

/// Asks robots.txt, and whatever else may hold a URL back.
pub trait Gate {
    /// Does this URL, which was admitted by an earlier start perhaps, belong to the crawl as it is
    /// now?
    ///
    /// # Errors
    /// The fate that a link to it has now.
    fn belongs(&mut self, _url: &FrontierUrl) -> Result<(), LinkFate> {
        Ok(())
    }

    /// Was this URL read before, and is it to be read once more, or is it no page but a list that the site
    /// offers? Then neither budgets nor trap rules nor [`Gate::worth`] are asked: it is worth a request, and
    /// costs no new URL.
    fn is_known(&self, _url: &FrontierUrl) -> bool {
        false
    }

    /// May this URL be fetched?
    fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission;

    /// Is this URL, which may be fetched, worth a request now? `normalizer` knows which of its
    /// parameters matter.
    fn worth(
        &mut self,
        _host: &HostKey,
        _url: &CanonicalUrl,
        _normalizer: &UrlNormalizer,
    ) -> Permission {
        Permission::Allowed
    }

    /// The same for a URL that was held back, when nothing is left but URLs held back for as long as
    /// `reached`, or for longer. It may be held back longer itself.
    fn worth_at_last(
        &mut self,
        _host: &HostKey,
        _url: &CanonicalUrl,
        _normalizer: &UrlNormalizer,
        _reached: HeldBack,
    ) -> Permission {
        Permission::Allowed
    }
}

/// What is known of the URL that a link leads to, without asking the store.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkTarget {
    /// It was not admitted yet.
    New,
    /// It waits, in memory, as given. What the link says of it may change its priority.
    Pending(FrontierUrl),
    /// It is being visited, finished, or waits where only the store knows what it carries.
    Closed,
}

/// A pending URL as far as its priority follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingUrl {
    /// Its key.
    pub key: u128,
    /// Its priority now.
    pub priority: f32,
    /// The caller's own bytes.
    pub context: Vec<u8>,
}

/// What became of an offered URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It is new and waits now.
    New,
    /// It was admitted before.
    Seen,
    /// It is left out: for a budget, or as a trap.
    Refused(LinkFate),
}

/// How many URLs are where. `admitted = pending + in_flight + finished`, always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Ever admitted.
    pub admitted: u64,
    /// Waiting.
    pub pending: u64,
    /// Leased.
    pub in_flight: u64,
    /// Finished.
    pub finished: u64,
}
