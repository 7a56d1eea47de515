//! Everything a pipeline needs for a crawl with a topic, in the order in which it is called.
//!
//! ```text
//! on any thread, where a page is read (a clone of the topic will do, as only its keywords count):
//!   terms    = topic.read(&PageView)                  words of the page
//!
//! on the one thread that owns the model, in journal order:
//!   relevance = focus.judge(&terms, link)             link: features of the fetched URL
//!   ... verdict: off topic below topic.threshold(), near-duplicate, junk; journal ...
//!   ahead = focus.ahead(&PageOutcome)                 the page as its links will see it
//!   for each link in scope, once per URL:
//!     a new URL:      features = focus.features(&LinkContext)
//!     a pending URL:  features.merge(&focus.features_for_merge(&LinkContext, &features))
//!     priority = focus.score_on(&features, &ahead)
//!   ... the record is made; what it does:
//!   focus.on_page(&PageOutcome)                       once for each fetched URL, failures too
//!   focus.observe_example_link(&features)             for links to examples that were read
//!   focus.observe_link(page, target)                  for links to known pages
//!   focus.on_new_links(page, &priorities of the new ones)
//!   if focus.rescore_due(pending) {
//!     frontier.rescore(|url| focus.promise(..).score); focus.on_rescored(all these promises)
//!   }
//!   if let Some(why) = focus.stop() { end the crawl }; focus.stop_host(host) likewise
//! ```
//!
//! A replay of the journal makes the same calls with the recorded relevance and the words of the
//! archived text, without `judge`, and ends with the same model.

use serde::{Deserialize, Serialize};

use crate::calibration::summed;
use crate::feature_cache::FeatureCache;
use crate::link_features::{LinkContext, LinkFeatures};
use crate::link_model::{FetchOutcome, LinkModel, LinkModelConfig, LinkScore, PageAhead, Promise};
use crate::outlook::{HarvestOutlook, RECENT_SHARE};
use crate::page_classifier::{PageClassifier, Relevance};
use crate::page_terms::PageTerms;
use crate::stop::{HarvestMonitor, HarvestShare, HarvestStop, StopConfig};
use crate::topic::Topic;
use crate::topic_config::{ExampleText, TopicConfig, TopicError};
use crate::url_parts::{UrlParts, url_id};

/// The reward for a list of links about the topic, as a share of that for a page about it. A list is
/// no page about the topic, but a link that led to one was not a bad link.
const LISTING_REWARD: f32 = 0.5;
/// Scores of pending links are out of date after so many pages...
const RESCORE_INTERVAL_MIN: u64 = 10;
/// Stands for more pages than any queue waits for: it is scored again after the page at hand.
const RESCORE_AT_ONCE: u64 = u64::MAX / 2;
/// ... or after one page for so many pending links, if that is more.
const PENDING_PER_PAGE: u64 = 75;

/// Settings of a focused crawl.
#[derive(Debug, Clone, Default)]
pub struct FocusConfig {
    /// The topic.
    pub topic: TopicConfig,
    /// The link model.
    pub links: LinkModelConfig,
    /// When to stop.
    pub stop: StopConfig,
}

/// What became of a fetched URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFate {
    /// A page that was read and is new.
    New,
    /// A near-duplicate of a kept page.
    Duplicate,
    /// A page with too little on it, or refused as junk for another reason than its topic.
    Thin,
    /// Asked for, and no page came: an error, no answer, a file that is no page. It says that the
    /// URL is dead, and nothing of what stands on its page.
    Dead,
    /// Not read, for a reason that says nothing of its page: a redirect, a refusal.
    Unread,
}

/// A URL that was fetched, and its page as it was judged.
#[derive(Debug, Clone, Copy)]
pub struct PageOutcome<'a> {
    /// The page's number: its journal sequence number. Its links name it as their parent.
    pub page: u32,
    /// Its URL.
    pub url: &'a str,
    /// Its terms; `None` when nothing was read.
    pub terms: Option<&'a PageTerms>,
    /// The probability that was told and recorded for it. What links learn is judged anew.
    pub relevance: f32,
    /// What became of it.
    pub fate: PageFate,
    /// The features with which it waited in the frontier.
    pub link: Option<&'a LinkFeatures>,
}

/// Topic, link model and stop rules of one crawl.
///
/// ```
/// use focus::{Focus, FocusConfig, LinkContext, TopicConfig};
///
/// let mut focus = Focus::new(&FocusConfig {
///     topic: TopicConfig {
///         keywords: vec!["railway".into()],
///         ..TopicConfig::default()
///     },
///     ..FocusConfig::default()
/// })?;
/// let mut score = |anchor| {
///     let features = focus.features(&LinkContext {
///         parent: None,
///         url: "http://a.example/7",
///         anchor,
///         context: "",
///         tag_path: "html>body>a",
///         in_main: true,
///     });
///     focus.score(&features)
/// };
/// assert!(score("railway stations") > score("imprint"));
/// # Ok::<(), focus::TopicError>(())
/// ```
///
/// What was learnt can be saved (`serde`), and is taken up again by [`Focus::resume`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Focus {
    topic: Topic,
    links: LinkModel,
    harvest: HarvestMonitor,
    #[serde(skip)]
    features: FeatureCache,
    #[serde(skip)]
    pages_since_rescore: u64,
}

impl Focus {
    /// Starts a focused crawl.
    ///
    /// # Errors
    /// [`TopicError`] when the topic cannot be used.
    pub fn new(config: &FocusConfig) -> Result<Focus, TopicError> {
        Ok(Focus {
            topic: Topic::new(&config.topic)?,
            links: LinkModel::new(&config.links),
            harvest: HarvestMonitor::new(&config.stop),
            features: FeatureCache::default(),
            pages_since_rescore: 0,
        })
    }

    /// Goes on with what another process had learnt and saved, with the same settings. `false` where
    /// that contradicts itself, as damaged data does: then this is of no more use.
    #[must_use]
    pub fn resume(&mut self, saved: Focus) -> bool {
        self.topic.threshold = saved.topic.threshold;
        self.topic.example_words = saved.topic.example_words;
        self.links.resume(saved.links);
        self.harvest.resume(saved.harvest)
            && self.topic.classifier.resume(saved.topic.classifier)
            && self.topic.teller.resume(saved.topic.teller)
    }

    /// The topic.
    pub fn topic(&self) -> &Topic {
        &self.topic
    }

    /// Whether there is anything to judge pages by.
    pub fn has_subject(&self) -> bool {
        self.topic.has_subject()
    }

    /// Adds an example page (or a counter-example) while the crawl runs; what was learnt stays.
    ///
    /// What was judged, compared and promised by fewer examples is made anew: the first pages of a
    /// crawl are its examples, and what follows from them is decided when the last has come.
    pub fn add_example(&mut self, example: &ExampleText, on_topic: bool) {
        self.topic.add_example(example, on_topic);
        self.train();
        let classifier = &self.topic.classifier;
        self.links.compare_anew(classifier.examples_compared());
        self.pages_since_rescore = RESCORE_AT_ONCE;
    }

    /// How relevant a page is: the mean, in log-odds, of the judge that steers and the one that tells, and
    /// where there are examples a share of what speaks against it in the promise of its link. `link` are
    /// the features of its URL, `None` for a seed.
    pub fn judge(&self, terms: &PageTerms, link: Option<&LinkFeatures>) -> Relevance {
        let linked = self.links.linked_of_new(&terms.targets, link);
        let Topic {
            classifier, teller, ..
        } = &self.topic;
        let judged = classifier.judge(terms, linked);
        let told = judged.mean(teller.judge(terms, linked));
        match link.filter(|_| classifier.has_examples()) {
            Some(link) => told.of_link(self.score(link)),
            None => told,
        }
    }

    /// The reward that the link model learns for the link to a page, 0.0 to 1.0.
    pub fn reward(&self, outcome: &PageOutcome<'_>) -> f32 {
        self.reward_of(outcome, self.subject_relevance(outcome))
    }

    fn reward_of(&self, outcome: &PageOutcome<'_>, subject_relevance: f32) -> f32 {
        match outcome.fate {
            // A thin page is not kept, but its link led where it promised: a home page of a few words
            // is a home page.
            PageFate::New | PageFate::Thin => {
                let classifier = &self.topic.classifier;
                let share = outcome
                    .terms
                    .map_or(1.0, |terms| classifier.listing_share(terms));
                share.max(LISTING_REWARD) * subject_relevance
            }
            PageFate::Duplicate | PageFate::Dead | PageFate::Unread => 0.0,
        }
    }

    /// The chance that a page's subject is the topic, by the classifier that steers.
    fn subject_relevance(&self, outcome: &PageOutcome<'_>) -> f32 {
        let (classifier, links) = (&self.topic.classifier, &self.links);
        outcome.terms.map_or(0.0, |terms| {
            classifier.subject(terms, links.linked_of_new(&terms.targets, outcome.link))
        })
    }

    /// Learns from a URL that was fetched and judged. Call it once per journal record, in order,
    /// before `features` is asked for the page's links.
    pub fn on_page(&mut self, outcome: &PageOutcome<'_>) {
        match outcome.fate {
            PageFate::New | PageFate::Duplicate | PageFate::Thin => self.on_read(outcome),
            PageFate::Dead => {
                self.links.on_dead(outcome.link);
                self.pages_since_rescore += 1;
            }
            PageFate::Unread => {}
        }
    }

    fn on_read(&mut self, outcome: &PageOutcome<'_>) {
        let fetched = self.fetch_outcome(outcome);
        let promise = self.links.on_page(&self.topic, &fetched);
        let is_new = outcome.fate == PageFate::New;
        let found = is_new && outcome.relevance >= self.topic.threshold();
        let host = UrlParts::of(outcome.url).authority;
        self.harvest.observe(host, found);
        self.pages_since_rescore += 1;
        if let Some(terms) = outcome.terms {
            let Topic {
                classifier, teller, ..
            } = &mut self.topic;
            let told = teller.subject_told(terms, outcome.relevance);
            let add = |judge: &mut PageClassifier, relevance| {
                judge.add_page(outcome.page, terms, relevance, told, promise, is_new)
            };
            let is_due = add(teller, summed(told)) | add(classifier, fetched.relevance);
            if is_due {
                self.train();
            }
        }
    }

    fn train(&mut self) {
        let links = &mut self.links;
        let Topic {
            classifier, teller, ..
        } = &mut self.topic;
        for judge in [&mut *classifier, teller] {
            judge.train(&|page, terms| links.linked(page, terms.url_id, &terms.targets));
        }
        links.train(classifier.probabilities());
    }

    /// Learns from a link on a page to one that is known already. Call it for every link of a page
    /// that is in scope, after `on_page`; for targets that are not known it does nothing.
    pub fn observe_link(&mut self, page: u32, target: &str) {
        self.links.on_known_link(page, url_id(target));
    }

    /// Learns from a link on a page to an example of the topic that was read before. Call it before
    /// `observe_link`, with the link as it stands on that page.
    pub fn observe_example_link(&mut self, link: &LinkFeatures) {
        self.links.on_example_link(&self.topic, link);
    }

    /// Learns from the scores of those links of a page that were new to the frontier.
    pub fn on_new_links(&mut self, page: u32, scores: &[f32]) {
        self.links.on_new_links(page, scores);
    }

    /// What is worth keeping of a link. The same as [`Topic::features`], but faster, because the
    /// words of the anchors and URLs met last are cached.
    pub fn features(&mut self, link: &LinkContext<'_>) -> LinkFeatures {
        let keywords = self.topic.classifier.keywords();
        self.features.features(link, keywords)
    }

    /// The features of one more link to a URL whose features are `known`, for
    /// [`LinkFeatures::merge`] alone.
    pub fn features_for_merge(
        &mut self,
        link: &LinkContext<'_>,
        known: &LinkFeatures,
    ) -> LinkFeatures {
        let keywords = self.topic.classifier.keywords();
        self.features.features_for_merge(link, known, keywords)
    }

    /// The priority of a link, 0.0 to 1.0.
    pub fn score(&self, features: &LinkFeatures) -> f32 {
        self.links.score(&self.topic, features, None)
    }

    /// What a link that waits promises, for [`Focus::on_rescored`]; its score is that of
    /// [`Focus::score`].
    pub fn promise(&self, features: &LinkFeatures) -> Promise {
        self.links.promise(&self.topic, features)
    }

    /// A page that was judged, before [`Focus::on_page`] learns from it: what its links are scored
    /// by. Nothing is learnt.
    pub fn ahead(&self, outcome: &PageOutcome<'_>) -> PageAhead {
        self.links.ahead(&self.fetch_outcome(outcome))
    }

    /// The priority of a link on a page that is not learnt from yet.
    pub fn score_on(&self, features: &LinkFeatures, page: &PageAhead) -> f32 {
        self.links.score(&self.topic, features, Some(page))
    }

    fn fetch_outcome<'a>(&self, outcome: &PageOutcome<'a>) -> FetchOutcome<'a> {
        let classifier = &self.topic.classifier;
        let relevance = self.subject_relevance(outcome);
        FetchOutcome {
            page: outcome.page,
            url_id: url_id(outcome.url),
            link: outcome.link,
            relevance,
            keyword_score: outcome
                .terms
                .map_or(0.0, |terms| classifier.keyword_score(terms)),
            plain: outcome
                .terms
                .map_or(0.0, |terms| classifier.plain_score(terms)),
            reward: self.reward_of(outcome, relevance),
        }
    }

    /// The priority of a link, with reasons.
    pub fn explain_score(&self, features: &LinkFeatures) -> LinkScore {
        self.links.explain_score(&self.topic, features)
    }

    /// Whether the `pending` URLs of the frontier should be scored again, because the model has
    /// changed. The longer the queue, the rarer: the cost per page stays the same.
    pub fn rescore_due(&mut self, pending: u64) -> bool {
        let interval = RESCORE_INTERVAL_MIN.max(pending / PENDING_PER_PAGE);
        let due = self.pages_since_rescore >= interval;
        if due {
            self.pages_since_rescore = 0;
        }
        due
    }

    /// Takes note of what all pending URLs promise, after they were scored again: from that follows
    /// what is left to find.
    pub fn on_rescored(&mut self, promises: &[Promise]) {
        self.pages_since_rescore = 0;
        let teller = &self.topic.teller;
        let harvest = teller.estimate_harvest(self.topic.threshold(), RECENT_SHARE);
        self.harvest
            .on_rescored(HarvestOutlook::of(&harvest, promises));
    }

    /// What is left to find, as of when the queue was scored last; `None` before.
    pub fn outlook(&self) -> Option<&HarvestOutlook> {
        self.harvest.outlook()
    }

    /// Whether the crawl should stop, and why. Ask it after each page.
    pub fn stop(&self) -> Option<HarvestStop> {
        self.harvest.stop()
    }

    /// Where a crawl is spread over nodes: what the others, who have read so many pages in all with
    /// this one, are told for their stop rules.
    pub fn harvest_share(&self, pages_of_all: u64) -> HarvestShare {
        self.harvest.share(pages_of_all)
    }

    /// Whether the crawl of this node and the others should stop, and why.
    pub fn stop_together(&self, others: &[HarvestShare]) -> Option<HarvestStop> {
        self.harvest.stop_together(others)
    }

    /// Whether a host should stop, and why: its pending URLs are not worth a fetch.
    pub fn stop_host(&self, host: &str) -> Option<HarvestStop> {
        self.harvest.stop_host(host)
    }
}
