//! What was asked of the network beside pages, and what it said.

use outcome::{FailureKind, RobotsAnswer, SitemapKind, Truncation};
use serde::{Deserialize, Serialize};

use super::{is_false, is_no_count};

/// How robots.txt was answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RobotsRecord {
    /// Host key.
    pub host: String,
    /// The fetch; `fetch.redirect_to` where robots.txt was redirected.
    pub fetch: FetchRecord,
    /// What follows from the answer.
    pub rules: RobotsAnswer,
    /// Whose robots.txt it is: scheme and authority, `https://a.example`. Absent in records of earlier
    /// versions, from which no rules follow when the crawl is started again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The host that gave the last answer, where redirects led to another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// The scheme and authority that did, where redirects led to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// The rules for our agent, each with its line in the file: `3 Disallow: /x`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// Crawl-delay for our agent, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawl_delay_s: Option<f64>,
    /// What it says the host's texts may be used for: `content-usage: train-ai=n`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<String>,
    /// Sitemaps it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sitemaps: Vec<String>,
    /// Those of them that came into the queue by this record, canonical. Absent where none is
    /// named, and in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<Vec<String>>,
}

/// A sitemap that was fetched.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SitemapRecord {
    /// Its URL.
    pub url: String,
    /// Host key.
    pub host: String,
    /// Seed number it belongs to.
    pub seed: u32,
    /// The fetch.
    pub fetch: FetchRecord,
    /// Another sitemap named it, not robots.txt or the user.
    #[serde(default, skip_serializing_if = "is_false")]
    pub listed: bool,
    /// What kind of sitemap it is.
    pub kind: SitemapKind,
    /// Why reading ended early or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// URLs it gave that were admitted to the frontier, canonical: pages, or for an index
    /// sitemaps. Pages count as admitted URLs, sitemaps do not.
    #[serde(default)]
    pub urls: Vec<String>,
    /// Entries that were left out since they are older than the `since=` of their seed.
    #[serde(default, skip_serializing_if = "is_no_count")]
    pub old: u32,
}

impl SitemapRecord {
    /// Why it brought no URL in; `None` where it did.
    pub fn why_nothing(&self) -> Option<&str> {
        let known = || match self.old {
            0 => "it names no URL that is new and belongs to the crawl",
            _ => {
                "it names no URL that is new, belongs to the crawl and is not older than since= of the seed"
            }
        };
        let is_empty = self.urls.is_empty();
        is_empty.then(|| self.problem.as_deref().unwrap_or_else(known))
    }
}

/// A fetch that will be repeated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// Canonical URL.
    pub url: String,
    /// Host key.
    pub host: String,
    /// The fetch.
    pub fetch: FetchRecord,
    /// Which attempt this was, 1 for the first.
    pub attempt: u32,
    /// Not again before this time, milliseconds since the Unix epoch.
    pub retry_at_ms: u64,
    /// It is a sitemap, which is not counted among the URLs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sitemap: bool,
    /// By such an answer its host limits how often it is asked, or seems to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<LimitedRecord>,
}

/// An answer without a page that may mean "not now".
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LimitedRecord {
    /// What the answer is like: a status, `later`, `empty`, the hash of a body, or where a redirect leads.
    pub like: String,
    /// For how long its host is left alone, seconds.
    pub rest_s: f64,
    /// Pages that the host gave before were answered so as well.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_sure: bool,
}

/// What the network said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FetchRecord {
    /// HTTP status, 0 when there was no answer.
    pub status: u16,
    /// Bytes of body received, still content-encoded.
    pub bytes: u64,
    /// Milliseconds from the request to the end of the body.
    pub ms: u64,
    /// `Content-Type` as sent or sniffed, without parameters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content_type: String,
    /// The error when there was no usable answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<FailureKind>,
    /// The error in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_text: Option<String>,
    /// Where a redirect points, canonical.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_to: Option<String>,
    /// Why the body is not whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncation>,
    /// `HTTP/1.1` or `HTTP/2`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub http_version: String,
    /// Peer address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// `Retry-After`, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<f64>,
    /// `ETag` of the answer, where the crawl comes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified` of the answer, where the crawl comes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// When the request was sent, milliseconds since the Unix epoch.
    #[serde(default)]
    pub started_ms: u64,
}

impl FetchRecord {
    /// Whether an answer of this status may ask for time for its whole host, by `Retry-After`: it limits the rate,
    /// refuses us, or is out of order.
    pub fn may_ask_for_time(status: u16) -> bool {
        matches!(status, 403 | 420 | 429 | 500..=599)
    }

    /// Whether anything was asked for: not where robots.txt or the guard forbade it.
    pub fn was_asked(&self) -> bool {
        self.status != 0 || self.error.is_some()
    }
}
