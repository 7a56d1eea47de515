//! What the topic's models learn from the record of a page, of an example, and of links.

use archive::{ElsewhereExample, LinkRecord, PageRecord, PageSummary};
use focus::{ExampleText, LinkFeatures, PageFate, PageOutcome, PageTerms, PageView};
use frontier::{CanonicalUrl, FrontierError};
use outcome::{JunkKind, JunkReason, LinkFate, Outcome, Verdict};
use segment::Segmenter;
use url::Url;

use super::promising::merged;
use super::{
    FocusView, Lent, Waiting, context_of, features_of, link_context, page_number, places,
    tag_anchors,
};
use crate::context::{decode, encode, features_in, is_visit};
use crate::examples::Examples;
use crate::finding::{FoundLink, LinkPlace, PageReading};

impl FocusView {
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

    /// A page links to a URL that waits: what its links say of it adds up. A link without a promise
    /// added nothing when its page was recorded.
    pub(super) fn apply_again(
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

    pub(super) fn features_of_anchor(
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

    pub(super) fn recorded_terms(
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

    /// A page's link to an example that was read before, as the record is to have it.
    pub fn example_link(&mut self, seq: u64, link: &FoundLink, target: &CanonicalUrl) -> String {
        let features = places(seq, link, target, |place| self.focus.features(place));
        encode(&features.to_bytes())
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
pub(super) fn links_of(page: &PageRecord) -> impl Iterator<Item = &LinkRecord> {
    let links = page.links.iter();
    links.filter(|_| page.outcome != Outcome::Redirected)
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
