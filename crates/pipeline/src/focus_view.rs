//! The focus model as a view over the archive: what the writer asks it, and how it learns.

use archive::{LinkRecord, PageRecord, PageSummary};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use focus::{
    ExampleText, Focus, FocusConfig, LinkContext, LinkFeatures, LinkScore, PageFate, PageOutcome,
    PageTerms, PageView, Relevance,
};
use frontier::{CanonicalUrl, Frontier, FrontierUrl};
/// Page types that are lists of links: they lead to pages about a topic.
pub use index::is_list_type as is_list;
use segment::Segmenter;
use url::Url;

use crate::context::{UrlContext, features_in};
use crate::error::CrawlError;
use crate::examples::Examples;
use crate::read::{FoundLink, PageReading};

/// Topic and link model of a focused crawl.
#[derive(Debug)]
pub struct FocusView {
    focus: Focus,
}

impl FocusView {
    /// Starts the model.
    ///
    /// # Errors
    /// When the topic cannot be used.
    pub fn new(config: &FocusConfig) -> Result<Self, CrawlError> {
        let focus =
            Focus::new(config).map_err(|error| CrawlError::Setup(format!("[topic] {error}")))?;
        Ok(Self { focus })
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
            listing: is_list(reading.page.page_type.as_str()),
        };
        self.focus.add_example(&example, on_topic);
    }

    /// Takes in the record of a finished URL as it was taken in when it was made; its text is that of
    /// the archive. `examples` are the topic's example pages.
    pub fn replay(
        &mut self,
        seq: u64,
        record: &PageRecord,
        examples: &Examples,
        text: impl FnOnce() -> Option<String>,
    ) {
        let Some(summary) = &record.page else {
            return self.on_no_page(seq, record, &context_of(record));
        };
        let text = text().unwrap_or_default();
        self.replay_example(record, examples, &text);
        self.replay_page(seq, record, summary, &text);
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
            .and_then(|summary| self.replay_terms(record, summary, text));
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
        let summary = record.page.as_ref();
        let terms = summary.and_then(|summary| self.replay_terms(record, summary, text));
        self.focus.reward(&PageOutcome {
            page: 0,
            url: &record.url,
            terms: terms.as_ref(),
            relevance: summary.and_then(|summary| summary.relevance).unwrap_or(0.0),
            fate: fate_of(record),
            link: None,
        })
    }

    /// Learns from the record of an example page, before its page is judged; from no other.
    pub fn replay_example(&mut self, record: &PageRecord, examples: &Examples, text: &str) {
        let example = examples.get(&record.url).zip(record.page.as_ref());
        let Some((on_topic, summary)) = example.filter(|_| record.no_page().is_none()) else {
            return;
        };
        let example = ExampleText {
            title: summary.title.clone(),
            text: text.to_string(),
            url: Some(record.url.clone()),
            links: targets(record).map(str::to_owned).collect(),
            labels: tag_anchors(
                record
                    .links
                    .iter()
                    .map(|link| (link.rel.as_str(), link.anchor.as_str())),
            ),
            listing: is_list(&summary.page_type),
        };
        self.focus.add_example(&example, on_topic);
    }

    /// Notes the promise of those links of a page that were new.
    pub fn on_links(&mut self, seq: u64, new_links: &[f32]) {
        self.focus.on_new_links(page_number(seq), new_links);
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
            listing: is_list(reading.page.page_type.as_str()),
        })
    }

    /// Probability that a page is about the topic.
    pub fn relevance(&self, terms: &PageTerms, context: &UrlContext) -> f32 {
        self.focus
            .judge(terms, features_of(context).as_ref())
            .probability
    }

    /// Learns from a judged page.
    pub fn on_page(
        &mut self,
        seq: u64,
        record: &PageRecord,
        terms: &PageTerms,
        relevance: f32,
        context: &UrlContext,
    ) {
        let features = features_of(context);
        self.focus.on_page(&PageOutcome {
            page: page_number(seq),
            url: &record.url,
            terms: Some(terms),
            relevance,
            fate: fate_of(record),
            link: features.as_ref(),
        });
    }

    /// Learns from a URL without a page.
    pub fn on_no_page(&mut self, seq: u64, record: &PageRecord, context: &UrlContext) {
        let features = features_of(context);
        self.focus.on_page(&PageOutcome {
            page: page_number(seq),
            url: &record.url,
            terms: None,
            relevance: 0.0,
            fate: PageFate::Failed,
            link: features.as_ref(),
        });
    }

    fn replay_page(&mut self, seq: u64, record: &PageRecord, summary: &PageSummary, text: &str) {
        let Some(terms) = self.replay_terms(record, summary, text) else {
            return;
        };
        let relevance = summary.relevance.unwrap_or(0.0);
        self.on_page(seq, record, &terms, relevance, &context_of(record));
    }

    fn replay_terms(
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
            listing: is_list(&summary.page_type),
        }))
    }

    /// Learns from a replayed page's link; gives its features. The journal has a link's anchor, not
    /// what stood around it.
    pub fn replay_link(
        &mut self,
        seq: u64,
        link: &LinkRecord,
        target: &CanonicalUrl,
    ) -> LinkFeatures {
        let features = self.focus.features(&LinkContext {
            parent: Some(page_number(seq)),
            url: target.as_str(),
            anchor: &link.anchor,
            context: "",
            tag_path: "",
            in_main: false,
        });
        self.observe_link(seq, target);
        features
    }

    /// Learns from a page's link to a page that may be known already.
    pub fn observe_link(&mut self, seq: u64, target: &CanonicalUrl) {
        self.focus.observe_link(page_number(seq), target.as_str());
    }

    /// A link's features and promise; all its places on the page speak for it.
    pub fn promise(&mut self, seq: u64, link: &FoundLink, target: &CanonicalUrl) -> (Vec<u8>, f32) {
        let features = places(seq, link, target, |place| self.focus.features(place));
        let score = self.focus.score(&features);
        (features.to_bytes(), score)
    }

    /// Takes in that a page has a link to a pending URL: what its links say of it adds up.
    pub fn linked_again(
        &mut self,
        seq: u64,
        link: &FoundLink,
        target: &CanonicalUrl,
        pending: &mut FrontierUrl,
    ) {
        let Some(known) = LinkFeatures::from_bytes(features_in(&pending.context)) else {
            return;
        };
        let again = |place: &LinkContext<'_>| self.focus.features_for_merge(place, &known);
        let again = places(seq, link, target, again);
        if let Some((context, promise)) = self.merged(&pending.context, &again) {
            pending.context = context;
            pending.priority = promise;
        }
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

    /// A pending URL's promise now.
    pub fn score(&self, url: &FrontierUrl) -> f32 {
        match LinkFeatures::from_bytes(features_in(&url.context)) {
            Some(features) => self.focus.score(&features),
            None => url.priority,
        }
    }

    /// A pending URL's context and promise after the same URL was linked again.
    pub fn merged(&self, pending: &[u8], again: &LinkFeatures) -> Option<(Vec<u8>, f32)> {
        let mut features = LinkFeatures::from_bytes(features_in(pending))?;
        features.merge(again);
        let context = UrlContext {
            features: features.to_bytes(),
            ..UrlContext::from_bytes(&pending[..2])
        };
        Some((context.to_bytes(), self.focus.score(&features)))
    }

    /// Scores pending URLs again if the model has changed enough.
    pub fn rescore_if_due(&mut self, frontier: &mut Frontier) {
        if self.focus.rescore_due(frontier.counts().pending) {
            self.rescore(frontier);
        }
    }

    /// Scores all pending URLs again.
    pub fn rescore(&mut self, frontier: &mut Frontier) {
        let mut promises = Vec::new();
        frontier.rescore(&mut |url| {
            let promise = self.score(url);
            promises.push(promise);
            promise
        });
        self.focus.on_rescored(promises);
    }

    /// Whether a host yields next to nothing, and what says so.
    pub fn stop_host(&self, host: &str) -> Option<String> {
        self.focus.stop_host(host).map(|reason| reason.to_string())
    }

    /// Takes note, from the journal, of why the crawl had stopped.
    pub fn on_stopped(&mut self, reason: &str) {
        self.focus.on_stopped(reason == "harvest");
    }

    /// Whether the harvest says to stop, and why.
    pub fn stop(&mut self) -> Option<String> {
        self.focus.stop().map(|reason| reason.to_string())
    }
}

/// The features of a link, of which each place on the page has its own.
fn places(
    seq: u64,
    link: &FoundLink,
    target: &CanonicalUrl,
    mut read: impl FnMut(&LinkContext<'_>) -> LinkFeatures,
) -> LinkFeatures {
    let mut places = link.places.iter().map(|place| {
        read(&LinkContext {
            parent: Some(page_number(seq)),
            url: target.as_str(),
            anchor: &place.anchor,
            context: &place.context,
            tag_path: &place.tag_path,
            in_main: place.in_main,
        })
    });
    let mut features = places.next().unwrap_or_default();
    places.for_each(|here| features.merge(&here));
    features
}

/// Link features as the journal has them.
pub fn encode(features: &[u8]) -> String {
    STANDARD_NO_PAD.encode(features)
}

/// Link features from the journal.
pub fn decode(text: &str) -> Vec<u8> {
    STANDARD_NO_PAD.decode(text).unwrap_or_default()
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
    let bad = ["scheme", "userinfo", "url_length", "bad_url"];
    record
        .links
        .iter()
        .filter(move |link| !bad.contains(&link.fate.as_str()))
        .map(|link| link.url.as_str())
}

/// What became of a page, as the link model is told.
pub fn fate_of(record: &PageRecord) -> PageFate {
    match (record.verdict.as_deref(), record.reason.as_deref()) {
        (Some("indexed"), _) => PageFate::New,
        (Some("junk"), Some("near_duplicate" | "exact_duplicate")) => PageFate::Duplicate,
        (Some("junk"), Some("off_topic" | "language")) => PageFate::New,
        (Some("junk"), Some("error_page")) => PageFate::Failed,
        (Some("junk"), _) => PageFate::Thin,
        _ => PageFate::Failed,
    }
}
