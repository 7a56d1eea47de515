//! A start of the crawl, its seeds, and its end.

use outcome::{LinkFate, Outlook, StopReason};
use serde::{Deserialize, Serialize};

use super::is_false;

/// A start of the crawl, with what was in force.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StartRecord {
    /// [`super::JOURNAL_VERSION`] of the writer.
    pub journal: u32,
    /// The program's version.
    pub tamis: String,
    /// `segment::SEGMENT_SCHEME` of the writer.
    pub segment: u32,
    /// `simhash::FINGERPRINT_SCHEME` of the writer.
    pub fingerprint: u32,
    /// The whole configuration in force, without secrets.
    pub config: serde_json::Value,
    /// It goes on with what the start before it began, in the same process: a round takes several.
    #[serde(default, skip_serializing_if = "is_false")]
    pub goes_on: bool,
    /// On many machines, which node of which crawl this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeRecord>,
}

/// A node of a crawl on many machines.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeRecord {
    /// The crawl's own number, in hexadecimal.
    pub crawl: String,
    /// The node's number in it, from 1.
    pub number: u16,
}

/// A seed as given by the user.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SeedRecord {
    /// The seed's number.
    pub seed: u32,
    /// Canonical URL.
    pub url: String,
    /// The URL is a sitemap to be read, not a page.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sitemap: bool,
    /// Depth limit of this seed, if it has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Page budget of this seed, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
    /// Scope mode of this seed, if it has its own: `host`, `domain`, `prefix` or `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Priority, 0.0 to 1.0.
    #[serde(default)]
    pub priority: f32,
    /// Sitemap entries older than this date are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// An example of the topic (`true`) or a counter-example (`false`): read first, and no reason
    /// to crawl its host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<bool>,
    /// Where it was given: `file:line`, `config` or `flag`.
    #[serde(default)]
    pub source: String,
    /// Why it was not admitted: [`LinkFate::Seen`] where its URL had been before, else the budget;
    /// none for an admitted one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<LinkFate>,
}

/// An orderly end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StopRecord {
    /// Why.
    pub reason: StopReason,
    /// The reason in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Milliseconds since this start.
    pub ran_ms: u64,
    /// With a topic, what was left to find when the queue was last scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
}
