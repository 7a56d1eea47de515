//! What the crawl has taught about links.

use crate::promise::{LinkContext, LinkFeatures};
use crate::topic::Topic;

/// Settings of the link model.
#[derive(Debug, Clone)]
pub struct LinkModelConfig {
    /// Share of fetches spent on link groups that are little known, 0.0 to 1.0.
    pub exploration: f32,
    /// Seed of all pseudo-random choices.
    pub seed: u64,
}

impl Default for LinkModelConfig {
    fn default() -> Self {
        LinkModelConfig {
            exploration: 0.03,
            seed: 0,
        }
    }
}

/// How promising a link is, with reasons.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Promise {
    /// Expected reward, 0.0 to 1.0: the priority in the frontier.
    pub score: f32,
    /// Whether the score was lifted to try a little known group.
    pub explored: bool,
    /// What made the score, by name.
    pub why: Vec<(&'static str, f32)>,
}

/// The online model of links.
#[derive(Debug, Clone)]
pub struct LinkModel {
    config: LinkModelConfig,
}

impl LinkModel {
    /// A model that has seen nothing yet.
    pub fn new(config: &LinkModelConfig) -> LinkModel {
        LinkModel {
            config: config.clone(),
        }
    }

    /// What is worth keeping of a link.
    pub fn features(&self, link: &LinkContext<'_>) -> LinkFeatures {
        LinkFeatures {
            parents: link.parent.into_iter().collect(),
            parent_count: 1,
            anchor: Vec::new(),
        }
    }

    /// The priority of a link.
    pub fn score(&self, _topic: &Topic, features: &LinkFeatures) -> f32 {
        1.0 - 1.0 / (1.0 + features.parent_count as f32)
    }

    /// The priority of a link, with reasons.
    pub fn promise(&self, topic: &Topic, features: &LinkFeatures) -> Promise {
        Promise {
            score: self.score(topic, features),
            explored: self.config.exploration > 1.0,
            why: Vec::new(),
        }
    }
}
