//! The focus model of a crawl: what it is asked about findings, and what it learns from records.
//!
//! Asking changes nothing. Learning is done by [`FocusView::apply`] and [`FocusView::learn_links`]
//! alone, from a record and the archived text of its page.

use archive::{ElsewhereExample, LinkRecord, PageRecord, PageSummary};
use focus::{
    ExampleText, Expected, Focus, FocusConfig, HarvestShare, LinkContext, LinkFeatures, LinkScore,
    PageAhead, PageFate, PageOutcome, PageTerms, PageView, Promise, Relevance, TopicError,
};
use frontier::{CanonicalUrl, Frontier, FrontierError};
use outcome::{ExpectedPages, JunkKind, JunkReason, LinkFate, Outcome, Outlook, Verdict};
use segment::Segmenter;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::context::{UrlContext, decode, encode, features_in, is_visit};
use crate::examples::Examples;
use crate::finding::{FoundLink, LinkPlace, PageReading};
use crate::queue::SharedQueue;

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

/// URLs scored again between two looks at the queue.
const RESCORED_AT_ONCE: usize = 1_000;

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

    /// Takes in an example page as it was read.
    pub fn learn_example(&mut self, url: &str, reading: &PageReading, on_topic: bool) {
        let links = reading
            .links
            .iter()
            .filter_map(|link| link.target.as_ref().ok());
        let example = ExampleText {
            title: reading.page.title.clone().unwrap_or_default(),
            text: reading.page.text.clone(),
            url: Some(url.to_string()),
            links: links.map(|link| link.as_str().to_string()).collect(),
            labels: tag_anchors(
                reading
                    .links
                    .iter()
                    .map(|link| (link.rel.as_str(), link.anchor())),
            ),
            listing: reading.page.page_type.is_link_list(),
            lang: reading.language.clone(),
        };
        self.focus.add_example(&example, on_topic);
    }

    /// Learns from the record of a finished URL. `examples` are the topic's example pages; what is
    /// not lent is computed from the record and the archived `text`.
    pub fn apply(
        &mut self,
        seq: u64,
        record: &PageRecord,
        examples: &Examples,
        lent: Lent<'_>,
        text: impl FnOnce() -> Option<String>,
    ) {
        // The words of a wall are no words of the site.
        let Some(summary) = record.page.as_ref().filter(|_| !record.is_blocked()) else {
            return self.on_no_page(seq, record);
        };
        let is_example = examples.get(&record.url).is_some();
        let archived = match lent.text {
            None if lent.terms.is_none() || is_example => text().unwrap_or_default(),
            _ => String::new(),
        };
        let text = lent.text.unwrap_or(&archived);
        self.apply_example(record, examples, text);
        let made;
        let terms = match lent.terms {
            Some(terms) => terms,
            None => match self.recorded_terms(record, summary, text) {
                Some(terms) => {
                    made = terms;
                    &made
                }
                None => return,
            },
        };
        let features = features_of(&context_of(record));
        let relevance = summary.relevance.unwrap_or(0.0);
        self.focus.on_page(&PageOutcome {
            page: page_number(seq),
            url: &record.url,
            terms: Some(terms),
            relevance,
            fate: fate_of(record),
            link: features.as_ref(),
        });
    }

    /// Learns from the links of a recorded page.
    pub fn learn_links(&mut self, seq: u64, page: &PageRecord) {
        let mut promises = Vec::new();
        for link in links_of(page) {
            match link.fate {
                LinkFate::New => promises.push(link.promise),
                LinkFate::Seen if link.url != page.url => {
                    if let Some(features) = example_link(seq, link) {
                        self.focus.observe_example_link(&features);
                    }
                    self.focus.observe_link(page_number(seq), &link.url);
                }
                _ => {}
            }
        }
        self.focus.on_new_links(page_number(seq), &promises);
    }

    /// Adds what the links of a recorded page say of URLs that wait.
    ///
    /// # Errors
    /// When the store of those URLs cannot be read or written.
    pub fn amend_waiting(
        &mut self,
        seq: u64,
        page: &PageRecord,
        queue: &mut impl Waiting,
    ) -> Result<(), FrontierError> {
        for link in links_of(page) {
            if link.fate == LinkFate::Seen && link.url != page.url {
                self.apply_again(seq, link, queue)?;
            }
        }
        Ok(())
    }

    /// A page links to a URL that waits: what its links say of it adds up. A link without a promise
    /// added nothing when its page was recorded.
    fn apply_again(
        &mut self,
        seq: u64,
        link: &LinkRecord,
        queue: &mut impl Waiting,
    ) -> Result<(), FrontierError> {
        let target = Some(&link.url).filter(|_| link.promise > 0.0);
        let Some(target) = target.and_then(|url| CanonicalUrl::parse(url).ok()) else {
            return Ok(());
        };
        let Some(pending) = queue.context_of(&target) else {
            return Ok(());
        };
        let known = LinkFeatures::from_bytes(features_in(&pending));
        let Some(known) = known.filter(|_| !is_visit(&pending)) else {
            return Ok(());
        };
        let again = self.recorded_features(seq, link, &target, &known);
        queue.amend(&target, merged(&pending, known, &again), link.promise)
    }

    /// What a recorded link adds to a URL of which `known` is known: as the record has it, else what
    /// follows from its anchor.
    fn recorded_features(
        &mut self,
        seq: u64,
        link: &LinkRecord,
        target: &CanonicalUrl,
        known: &LinkFeatures,
    ) -> LinkFeatures {
        match LinkFeatures::from_bytes(&decode(&link.context)) {
            Some(mut additions) => {
                additions.found_on(page_number(seq));
                additions
            }
            None => self.features_of_anchor(seq, &link.anchor, target, known),
        }
    }

    fn features_of_anchor(
        &mut self,
        seq: u64,
        anchor: &str,
        target: &CanonicalUrl,
        known: &LinkFeatures,
    ) -> LinkFeatures {
        let place = LinkPlace {
            anchor: anchor.to_owned(),
            ..LinkPlace::default()
        };
        let context = link_context(seq, target, &place);
        self.focus.features_for_merge(&context, known)
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

    /// What the link model is told that the link to a finished URL was worth; its text is that of the
    /// archive.
    pub fn reward(&self, record: &PageRecord, text: &str) -> f32 {
        let summary = record.page.as_ref().filter(|_| !record.is_blocked());
        let terms = summary.and_then(|summary| self.recorded_terms(record, summary, text));
        let features = features_of(&context_of(record));
        self.focus.reward(&PageOutcome {
            page: 0,
            url: &record.url,
            terms: terms.as_ref(),
            relevance: summary.and_then(|summary| summary.relevance).unwrap_or(0.0),
            fate: fate_of(record),
            link: features.as_ref(),
        })
    }

    /// Learns from the record of an example page, before its page is judged; from no other.
    pub fn apply_example(&mut self, record: &PageRecord, examples: &Examples, text: &str) {
        if let Some(example) = example_of(record, examples, text) {
            self.learn_from_elsewhere(&example);
        }
    }

    /// Learns from an example page that another node has read.
    pub fn learn_from_elsewhere(&mut self, example: &ElsewhereExample) {
        let text = ExampleText {
            title: example.title.clone(),
            text: example.text.clone(),
            url: Some(example.url.clone()),
            links: example.links.clone(),
            labels: example.labels.clone(),
            listing: example.listing,
            lang: Some(example.lang.clone()).filter(|lang| !lang.is_empty()),
        };
        self.focus.add_example(&text, example.on_topic);
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

    /// A URL without a page to read.
    fn on_no_page(&mut self, seq: u64, record: &PageRecord) {
        let features = features_of(&context_of(record));
        self.focus.on_page(&PageOutcome {
            page: page_number(seq),
            url: &record.url,
            terms: None,
            relevance: 0.0,
            fate: fate_of(record),
            link: features.as_ref(),
        });
    }

    fn recorded_terms(
        &self,
        record: &PageRecord,
        summary: &PageSummary,
        text: &str,
    ) -> Option<PageTerms> {
        let url = Url::parse(&record.url).ok()?;
        let words = Segmenter::shared().words(text);
        let links: Vec<&str> = targets(record).collect();
        let labels = tag_anchors(
            record
                .links
                .iter()
                .map(|link| (link.rel.as_str(), link.anchor.as_str())),
        );
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        Some(self.focus.topic().read(&PageView {
            title: &summary.title,
            words: &words,
            url: &url,
            lang: Some(summary.lang.as_str()).filter(|lang| !lang.is_empty()),
            links: &links,
            labels: &labels,
            listing: summary.page_type.is_link_list(),
        }))
    }

    /// A new link's features and promise; all its places on the page speak for it.
    pub fn promise(
        &mut self,
        seq: u64,
        link: &FoundLink,
        target: &CanonicalUrl,
        page: &PageAhead,
    ) -> (Vec<u8>, f32) {
        let features = places(seq, link, target, |place| self.focus.features(place));
        let score = self.focus.score_on(&features, page);
        (features.to_bytes(), score)
    }

    /// What a page's link adds to a URL that waits, as the record is to have it, and what the URL
    /// promises then; `None` when the bytes that it carries have no features. The record need not
    /// have what follows from its anchor.
    pub fn promise_again(
        &mut self,
        seq: u64,
        link: &FoundLink,
        target: &CanonicalUrl,
        pending: &[u8],
        page: &PageAhead,
    ) -> Option<(String, f32)> {
        let known = LinkFeatures::from_bytes(features_in(pending))?;
        let read = |place: &LinkContext<'_>| self.focus.features_for_merge(place, &known);
        let again = places(seq, link, target, read);
        let of_anchor = self.features_of_anchor(seq, link.anchor(), target, &known);
        let (mut whole, mut by_anchor) = (known.clone(), known.clone());
        whole.merge(&again);
        by_anchor.merge(&of_anchor);
        let recorded = match whole == by_anchor {
            true => String::new(),
            false => encode(&known.additions(&again).to_bytes()),
        };
        Some((recorded, self.focus.score_on(&whole, page)))
    }

    /// A page's link to an example that was read before, as the record is to have it.
    pub fn example_link(&mut self, seq: u64, link: &FoundLink, target: &CanonicalUrl) -> String {
        let features = places(seq, link, target, |place| self.focus.features(place));
        encode(&features.to_bytes())
    }

    /// Features and promise of a URL that no page links to: of a sitemap's entry.
    pub fn promise_of_url(&mut self, target: &CanonicalUrl) -> (Vec<u8>, f32) {
        let features = self.focus.features(&LinkContext {
            parent: None,
            url: target.as_str(),
            anchor: "",
            context: "",
            tag_path: "",
            in_main: false,
        });
        let score = self.focus.score(&features);
        (features.to_bytes(), score)
    }

    /// What a URL that carries these bytes promises now; its priority, if they say nothing.
    fn promise_of_waiting(&self, context: &[u8], priority: f32) -> Promise {
        match LinkFeatures::from_bytes(features_in(context)) {
            Some(features) => self.focus.promise(&features),
            None => Promise {
                score: priority,
                plain: 0.0,
            },
        }
    }

    /// Scores pending URLs again if the model has changed enough.
    ///
    /// # Errors
    /// When the frontier's store cannot be read or written.
    pub fn rescore_if_due(&mut self, queue: &SharedQueue) -> Result<(), FrontierError> {
        let pending = queue.lock().frontier.counts().pending;
        if self.focus.rescore_due(pending) {
            self.rescore(queue)?;
        }
        Ok(())
    }

    /// Scores all pending URLs again, some at a time, while the queue goes on.
    ///
    /// # Errors
    /// When the frontier's store cannot be read or written.
    pub fn rescore(&mut self, queue: &SharedQueue) -> Result<(), FrontierError> {
        let keys = queue.lock().frontier.pending_keys();
        let mut promises: Vec<Promise> = Vec::with_capacity(keys.len());
        for keys in keys.chunks(RESCORED_AT_ONCE) {
            let pending = queue.lock().frontier.pending(keys).into_iter();
            // A visit to a page that was read before has its worth from what was learnt of that page.
            let promised: Vec<(u128, Promise)> = pending
                .filter(|url| !is_visit(&url.context))
                .map(|url| (url.key, self.promise_of_waiting(&url.context, url.priority)))
                .collect();
            let scored: Vec<(u128, f32)> = promised
                .iter()
                .map(|(key, promise)| (*key, promise.score))
                .collect();
            promises.extend(promised.iter().map(|(_, promise)| *promise));
            queue.lock().frontier.set_priorities(&scored)?;
        }
        self.focus.on_rescored(&promises);
        Ok(())
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

/// What the topic learns from an example page, if this record is of one.
fn example_of(record: &PageRecord, examples: &Examples, text: &str) -> Option<ElsewhereExample> {
    as_example(record, examples.teaches(record)?, text)
}

/// What a topic learns from a page as an example.
pub(crate) fn as_example(
    record: &PageRecord,
    on_topic: bool,
    text: &str,
) -> Option<ElsewhereExample> {
    let summary = record.page.as_ref()?;
    let links = record.links.iter();
    Some(ElsewhereExample {
        url: record.url.clone(),
        on_topic,
        title: summary.title.clone(),
        text: text.to_owned(),
        links: targets(record).map(str::to_owned).collect(),
        labels: tag_anchors(links.map(|link| (link.rel.as_str(), link.anchor.as_str()))),
        listing: summary.page_type.is_link_list(),
        lang: summary.lang.clone(),
    })
}

/// The links of a recorded page; that of a redirect is none.
fn links_of(page: &PageRecord) -> impl Iterator<Item = &LinkRecord> {
    let links = page.links.iter();
    links.filter(|_| page.outcome != Outcome::Redirected)
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

/// The features of a recorded link to an example that was read before: such a link promises nothing,
/// and its record has them all the same.
fn example_link(seq: u64, link: &LinkRecord) -> Option<LinkFeatures> {
    if link.promise > 0.0 || link.context.is_empty() {
        return None;
    }
    let mut features = LinkFeatures::from_bytes(&decode(&link.context))?;
    features.found_on(page_number(seq));
    Some(features)
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

/// The bytes that a waiting URL carries once another link to it is taken in.
fn merged(pending: &[u8], mut known: LinkFeatures, again: &LinkFeatures) -> Vec<u8> {
    known.merge(again);
    let context = UrlContext {
        features: known.to_bytes(),
        ..UrlContext::from_bytes(pending)
    };
    context.to_bytes()
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

/// The targets of a recorded page's links that are URLs a crawl can ask for, as
/// [`FocusView::terms`] saw them.
fn targets(record: &PageRecord) -> impl Iterator<Item = &str> {
    let links = record.links.iter();
    links
        .filter(|link| !link.fate.is_bad_url())
        .map(|link| link.url.as_str())
}

/// What became of a page, as the link model is told.
pub fn fate_of(record: &PageRecord) -> PageFate {
    let reason = match &record.outcome {
        Outcome::Judged(Verdict::Index) => return PageFate::New,
        Outcome::Judged(Verdict::Junk(JunkReason::SoftNotFound)) | Outcome::Failed(_) => {
            return PageFate::Dead;
        }
        Outcome::Judged(Verdict::Junk(reason)) => reason,
        Outcome::Redirected | Outcome::NotModified | Outcome::Refused(_) | Outcome::Unknown(_) => {
            return PageFate::Unread;
        }
    };
    match reason.kind() {
        JunkKind::Unwanted => PageFate::New,
        JunkKind::Duplicate => PageFate::Duplicate,
        JunkKind::Error | JunkKind::NoPage => PageFate::Dead,
        JunkKind::Wall => PageFate::Unread,
        JunkKind::Empty | JunkKind::Withheld | JunkKind::LinkList => PageFate::Thin,
    }
}
