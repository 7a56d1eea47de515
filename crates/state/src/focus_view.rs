//! The focus model of a crawl: what it is asked about findings, and what it learns from records.
//!
//! Asking changes nothing. Learning is done by [`FocusView::apply`] and [`FocusView::learn_links`]
//! alone, from a record and the archived text of its page.

mod learning;
mod promising;

use archive::PageRecord;
use focus::{
    Expected, Focus, FocusConfig, HarvestShare, LinkContext, LinkFeatures, LinkScore, PageAhead,
    PageOutcome, PageTerms, PageView, Relevance, TopicError,
};
use frontier::{CanonicalUrl, Frontier, FrontierError};
use outcome::{ExpectedPages, Outlook};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::context::{UrlContext, decode};
use crate::finding::{FoundLink, LinkPlace, PageReading};
pub(crate) use learning::as_example;
pub use learning::fate_of;

/// URLs that wait, as far as links to them add to what they carry.
pub trait Waiting {
    /// The bytes that a waiting URL carries; `None` for any other.
    fn context_of(&self, url: &CanonicalUrl) -> Option<Vec<u8>>;

    /// Sets what a waiting URL carries, and its priority.
    ///
    /// # Errors
    /// When its store cannot be read or written.
    fn amend(
        &mut self,
        url: &CanonicalUrl,
        context: Vec<u8>,
        priority: f32,
    ) -> Result<(), FrontierError>;
}

impl Waiting for Frontier {
    fn context_of(&self, url: &CanonicalUrl) -> Option<Vec<u8>> {
        Frontier::context_of(self, url).map(<[u8]>::to_vec)
    }

    fn amend(
        &mut self,
        url: &CanonicalUrl,
        context: Vec<u8>,
        priority: f32,
    ) -> Result<(), FrontierError> {
        self.reprioritise(url, priority, context).map(drop)
    }
}

/// What whoever decided about a page knows of it already, so that it is not computed again.
#[derive(Debug, Default)]
pub struct Lent<'a> {
    /// The page's main text.
    pub text: Option<&'a str>,
    /// The page as the model sees it.
    pub terms: Option<&'a PageTerms>,
}

/// Topic and link model of a focused crawl.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FocusView {
    focus: Focus,
}

impl FocusView {
    /// Starts the model.
    ///
    /// # Errors
    /// When the topic cannot be used.
    pub fn new(config: &FocusConfig) -> Result<Self, TopicError> {
        Ok(Self {
            focus: Focus::new(config)?,
        })
    }

    /// Goes on with what was learnt before, with the same settings. `false` where that contradicts
    /// itself: then this is of no more use.
    pub(crate) fn resume(&mut self, saved: FocusView) -> bool {
        self.focus.resume(saved.focus)
    }

    /// Whether there is anything to judge pages by.
    pub fn has_subject(&self) -> bool {
        self.focus.has_subject()
    }

    /// Why a URL was fetched when it was, and why its page was judged as it was: what the model says
    /// that has seen all that came before it. `None` where no link brought it, as with a seed.
    pub fn why(&self, record: &PageRecord, text: &str) -> (Option<LinkScore>, Option<Relevance>) {
        let features = features_of(&context_of(record));
        let promise = features
            .as_ref()
            .map(|features| self.focus.explain_score(features));
        let terms = record
            .page
            .as_ref()
            .and_then(|summary| self.recorded_terms(record, summary, text));
        let relevance = terms.map(|terms| self.focus.judge(&terms, features.as_ref()));
        (promise, relevance)
    }

    /// The promise of a link, with reasons.
    pub fn promise_of(&self, features: &LinkFeatures) -> LinkScore {
        self.focus.explain_score(features)
    }

    /// The page as the model sees it.
    pub fn terms(&self, reading: &PageReading, url: &Url) -> PageTerms {
        let links: Vec<&str> = reading
            .links
            .iter()
            .filter_map(|link| link.target.as_ref().ok().map(CanonicalUrl::as_str))
            .collect();
        let labels = tag_anchors(
            reading
                .links
                .iter()
                .map(|link| (link.rel.as_str(), link.anchor())),
        );
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        self.focus.topic().read(&PageView {
            title: reading.page.title.as_deref().unwrap_or(""),
            words: &reading.words,
            url,
            lang: reading.language.as_deref(),
            links: &links,
            labels: &labels,
            listing: reading.page.page_type.is_link_list(),
        })
    }

    /// Probability that a page is about the topic.
    pub fn relevance(&self, terms: &PageTerms, context: &UrlContext) -> f32 {
        self.focus
            .judge(terms, features_of(context).as_ref())
            .probability
    }

    /// A judged page, as its links will see it once it is learnt from.
    pub fn ahead(
        &self,
        seq: u64,
        record: &PageRecord,
        terms: &PageTerms,
        relevance: f32,
        context: &UrlContext,
    ) -> PageAhead {
        let features = features_of(context);
        self.focus.ahead(&PageOutcome {
            page: page_number(seq),
            url: &record.url,
            terms: Some(terms),
            relevance,
            fate: fate_of(record),
            link: features.as_ref(),
        })
    }

    /// Whether a host yields next to nothing, and what says so.
    pub fn stop_host(&self, host: &str) -> Option<String> {
        self.focus.stop_host(host).map(|reason| reason.to_string())
    }

    /// What is left to find, as of when the queue was scored last.
    pub fn outlook(&self) -> Option<Outlook> {
        let outlook = self.focus.outlook()?;
        let pages = |expected: Expected| ExpectedPages {
            mean: expected.mean,
            low: expected.low,
            high: expected.high,
        };
        Some(Outlook {
            found: outlook.found,
            waiting: outlook.waiting,
            left: pages(outlook.left),
            soon_fetches: outlook.soon_fetches,
            soon: pages(outlook.soon),
        })
    }

    /// Whether the harvest says to stop, and why.
    pub fn stop(&self) -> Option<String> {
        self.focus.stop().map(|reason| reason.to_string())
    }

    /// On many machines: what the others, who have read so many pages in all with this node, are told.
    pub fn harvest_share(&self, pages_of_all: u64) -> HarvestShare {
        self.focus.harvest_share(pages_of_all)
    }

    /// Whether the harvest of this node and the others says to stop, and why.
    pub fn stop_together(&self, others: &[HarvestShare]) -> Option<String> {
        let stop = self.focus.stop_together(others);
        stop.map(|reason| reason.to_string())
    }
}

/// The features of a link, of which each place on the page has its own.
fn places(
    seq: u64,
    link: &FoundLink,
    target: &CanonicalUrl,
    mut read: impl FnMut(&LinkContext<'_>) -> LinkFeatures,
) -> LinkFeatures {
    let mut places = link
        .places
        .iter()
        .map(|place| read(&link_context(seq, target, place)));
    let mut features = places.next().unwrap_or_default();
    places.for_each(|here| features.merge(&here));
    features
}

fn link_context<'a>(seq: u64, target: &'a CanonicalUrl, place: &'a LinkPlace) -> LinkContext<'a> {
    LinkContext {
        parent: Some(page_number(seq)),
        url: target.as_str(),
        anchor: &place.anchor,
        context: &place.context,
        tag_path: &place.tag_path,
        in_main: place.in_main,
    }
}

/// Anchors of `rel=tag` links: what a page files itself under.
pub fn tag_anchors<'a>(links: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    links
        .filter(|(rel, _)| rel.split_whitespace().any(|rel| rel == "tag"))
        .map(|(_, anchor)| anchor.to_string())
        .collect()
}

fn context_of(record: &PageRecord) -> UrlContext {
    let features = record.context.as_deref().map(decode).unwrap_or_default();
    UrlContext {
        features,
        ..UrlContext::page()
    }
}

fn features_of(context: &UrlContext) -> Option<LinkFeatures> {
    if context.features.is_empty() {
        None
    } else {
        LinkFeatures::from_bytes(&context.features)
    }
}

fn page_number(seq: u64) -> u32 {
    u32::try_from(seq).unwrap_or(u32::MAX)
}
