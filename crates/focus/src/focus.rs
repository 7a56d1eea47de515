//! Everything a pipeline needs for a crawl with a topic, in the order in which it is called.
//!
//! ```text
//! on any thread, where a page is read (a clone of the topic will do, it only needs the keywords):
//!   terms    = topic.read(&PageView)                  words of the page
//!   features = topic.features(&LinkContext)           for each link in scope, parent: None
//!
//! on the one thread that owns the model, in journal order:
//!   relevance = focus.judge(&terms, came_by)          came_by: features of the fetched URL
//!   ... verdict: off topic below topic.threshold(), near-duplicate, junk; journal ...
//!   focus.on_page(&PageOutcome)                       once for each fetched URL, failures too
//!   for each link in scope, once per URL:
//!     focus.observe_link(page, target)                does nothing unless the target is known
//!     a pending URL:  old.merge(&features), priority = focus.score(&old)
//!     a new URL:      priority = focus.score(&features)
//!   focus.on_new_links(page, &priorities of the new ones)
//!   if focus.rescore_due(pending) {
//!     frontier.rescore(|url| focus.score(..)); focus.on_rescored(all these scores)
//!   }
//!   if let Some(why) = focus.stop() { end the crawl }; focus.stop_host(host) likewise
//! ```
//!
//! Replay does the same with the recorded relevance and the words of the archived text, without
//! `judge`, and ends with the same model.

use crate::lately::LinkReader;
use crate::learn::{Arrival, LinkModel, LinkModelConfig, LinkScore};
use crate::promise::{LinkContext, LinkFeatures, url_id};
use crate::relevance::Relevance;
use crate::stop::{HarvestMonitor, HarvestStop, StopConfig};
use crate::terms::PageTerms;
use crate::topic::{ExampleText, Topic, TopicConfig, TopicError};

/// What the link model is told of a list of links about the topic: less than of a page about it, more
/// than of a stray page. A link that led to a list was not a bad one.
const LISTING_REWARD: f32 = 0.5;

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
    /// No page: an error, a redirect.
    Failed,
}

/// A page that was fetched and judged.
#[derive(Debug, Clone, Copy)]
pub struct PageOutcome<'a> {
    /// The page's number: its journal sequence number. Its links name it as their parent.
    pub page: u32,
    /// Its URL.
    pub url: &'a str,
    /// Its terms; `None` when nothing was read.
    pub terms: Option<&'a PageTerms>,
    /// The probability that was recorded for it.
    pub relevance: f32,
    /// What became of it.
    pub fate: PageFate,
    /// The features with which it waited in the frontier.
    pub link: Option<&'a LinkFeatures>,
}

/// Topic, link model and stop rule of one crawl.
#[derive(Debug, Clone)]
pub struct Focus {
    topic: Topic,
    links: LinkModel,
    harvest: HarvestMonitor,
    reader: LinkReader,
    since_rescore: u32,
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
            reader: LinkReader::default(),
            since_rescore: 0,
        })
    }

    /// Adds an example (or counter-example) page while the crawl runs; what was learnt stays.
    pub fn add_example(&mut self, example: &ExampleText, on_topic: bool) {
        self.topic.add_example(example, on_topic);
    }

    /// The topic.
    pub fn topic(&self) -> &Topic {
        &self.topic
    }

    /// How relevant a page is.
    pub fn judge(&self, terms: &PageTerms, link: Option<&LinkFeatures>) -> Relevance {
        self.topic
            .judge
            .judge(terms, self.links.company_of(&terms.targets, link))
    }

    /// What the link model is told that the link to a page was worth, 0.0 to 1.0.
    pub fn reward(&self, outcome: &PageOutcome<'_>) -> f32 {
        match outcome.fate {
            PageFate::New => outcome
                .relevance
                .max(LISTING_REWARD * self.subject(outcome)),
            PageFate::Duplicate | PageFate::Thin | PageFate::Failed => 0.0,
        }
    }

    fn subject(&self, outcome: &PageOutcome<'_>) -> f32 {
        outcome.terms.map_or(0.0, |terms| {
            self.topic.judge.subject(terms, outcome.relevance)
        })
    }

    /// Learns from a page that was fetched and judged. Call it once per journal record, in order,
    /// before `features` is asked for its links.
    pub fn on_page(&mut self, outcome: &PageOutcome<'_>) {
        let subject = self.subject(outcome);
        let reward = self.reward(outcome);
        let evidence = outcome
            .terms
            .map_or(0.0, |terms| self.topic.judge.evidence(terms));
        self.links.on_page(
            &self.topic,
            &Arrival {
                page: outcome.page,
                url: url_id(outcome.url),
                link: outcome.link,
                relevance: subject,
                evidence,
                reward,
            },
        );
        let is_new = outcome.fate == PageFate::New;
        let gain = is_new && outcome.relevance >= self.topic.threshold();
        self.harvest.observe(host_of(outcome.url), gain);
        self.since_rescore += 1;
        if let Some(terms) = outcome.terms
            && self.topic.judge.learn(outcome.page, terms, subject, is_new)
        {
            let links = &self.links;
            self.topic
                .judge
                .train(&|page, targets| links.company(page, targets));
            self.links.train(self.topic.judge.probabilities());
        }
    }

    /// Learns from a link on a page to one that is known already. Call it for every link of a page
    /// that is in scope, after `on_page`; for targets that are not known it does nothing.
    pub fn observe_link(&mut self, page: u32, target: &str) {
        self.links.observe(page, url_id(target));
    }

    /// Notes the promise of those links of a page that were new to the frontier.
    pub fn on_new_links(&mut self, page: u32, new_links: &[f32]) {
        self.links.on_new_links(page, new_links);
    }

    /// What is worth keeping of a link: what [`Topic::features`] gives, and faster, since words of
    /// anchors and URLs that were met lately are remembered.
    pub fn features(&mut self, link: &LinkContext<'_>) -> LinkFeatures {
        self.reader.read(link, self.topic.judge.keywords())
    }

    /// What another link to a URL adds to what is known of it, for [`LinkFeatures::merge`] alone.
    pub fn features_for_merge(
        &mut self,
        link: &LinkContext<'_>,
        known: &LinkFeatures,
    ) -> LinkFeatures {
        self.reader
            .read_again(link, known, self.topic.judge.keywords())
    }

    /// The priority of a link.
    pub fn score(&self, features: &LinkFeatures) -> f32 {
        self.links.score(&self.topic, features)
    }

    /// The priority of a link, with reasons.
    pub fn explain_score(&self, features: &LinkFeatures) -> LinkScore {
        self.links.explain_score(&self.topic, features)
    }

    /// Whether the frontier's `pending` URLs should be scored again now: the model has changed
    /// enough for it. The cost per page stays the same however long the queue is.
    pub fn rescore_due(&mut self, pending: u64) -> bool {
        let due = u64::from(self.since_rescore) >= 10.max(pending / 75);
        if due {
            self.since_rescore = 0;
        }
        due
    }

    /// Takes note of the priorities of all that waits, after it was scored again.
    pub fn on_rescored(&mut self, promises: Vec<f32>) {
        self.harvest.on_rescored(promises);
    }

    /// Whether the crawl should stop, and why. Ask it after each page.
    pub fn stop(&mut self) -> Option<HarvestStop> {
        let judge = &self.topic.judge;
        let appraisal = judge.appraise(self.topic.threshold(), self.harvest.lately());
        self.harvest.stop(&appraisal, judge.has_examples())
    }

    /// Takes note, from the journal, that the crawl had stopped: by its harvest, or not.
    pub fn on_stopped(&mut self, by_harvest: bool) {
        self.harvest.on_stopped(by_harvest);
    }

    /// Whether a host should stop, and why: its pending URLs are not worth a fetch.
    pub fn stop_host(&self, host: &str) -> Option<HarvestStop> {
        self.harvest.stop_host(host)
    }
}

fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}
