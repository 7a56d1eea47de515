//! The journal's records: everything that ever happened to a crawl, as plain data.
//!
//! A record is written once, synced, and never changed; frontier, fingerprints, search index and
//! report are folds over the records in their order. So a record holds what a fold needs and
//! nothing that must be computed again: verdicts and scores are written down, not derived.
//!
//! Types here are the on-disk form. The stages have their own types in memory and `pipeline`
//! converts between them in one place. Fates are the types of crate [`outcome`], strings on disk,
//! so an older reader can show a newer crawl; unknown fields are ignored.

use outcome::{
    Change, DuplicateKind, FailureKind, JunkKind, JunkReason, LinkFate, NeighbourDecision, Outcome,
    OutcomeKind, OutcomeParts, Outlook, PageType, RefusalEvidence, RobotsAnswer, SitemapKind,
    StopReason, Truncation, Verdict, Wall,
};
use serde::{Deserialize, Serialize};

/// The version of the journal's form. A journal with a larger number is refused: it was written
/// by a newer Tamis.
pub const JOURNAL_VERSION: u32 = 2;

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The record's number, 1 for the first; without gaps in a healthy archive. A page's number
    /// is its name in the fingerprint tables and in `via`.
    pub seq: u64,
    /// When it was written, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What a record tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A process began to work on the crawl.
    Start(StartRecord),
    /// A seed was given. Its number is its order among seeds, 0 for the first.
    Seed(SeedRecord),
    /// A host's robots.txt was asked for.
    Robots(RobotsRecord),
    /// A sitemap was read; its URLs were offered to the frontier.
    Sitemap(SitemapRecord),
    /// A fetch that did not finish its URL: it will be tried again.
    Attempt(AttemptRecord),
    /// A URL met its fate. Boxed: by far the largest.
    Page(Box<PageRecord>),
    /// Finished URLs were put back into the queue.
    Retry(RetryRecord),
    /// Finished URLs are to be visited again.
    Again(AgainRecord),
    /// A URL was visited again. Boxed: it may hold a page.
    Visit(Box<VisitRecord>),
    /// What other nodes of the crawl kept.
    Elsewhere(ElsewhereRecord),
    /// The process ended in order.
    Stop(StopRecord),
}

/// Texts that other nodes of the crawl kept, in the one order that all nodes have: verdicts after
/// this record are made with them in sight.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ElsewhereRecord {
    /// The position in that order up to which this node has seen.
    pub seen: u64,
    /// The texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<ElsewherePage>,
    /// Pages that are kept no more, by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<u64>,
    /// Example pages of the topic that others read; the topic learns from them here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ElsewhereExample>,
    /// Pages to which redirects of examples have led on other nodes: they are examples here as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub led_to: Vec<ExampleTarget>,
}

/// A page to which the redirect of an example leads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExampleTarget {
    /// Canonical URL.
    pub url: String,
    /// An example, or with `false` a counter-example.
    pub on_topic: bool,
}

/// An example page of the topic that another node read, as far as the topic learns from it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ElsewhereExample {
    /// Canonical URL.
    pub url: String,
    /// An example, or with `false` a counter-example.
    pub on_topic: bool,
    /// Its title.
    pub title: String,
    /// Its main text, shortened.
    pub text: String,
    /// The canonical URLs that it links to, the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// What it files itself under.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// It is a list of links.
    #[serde(default, skip_serializing_if = "is_false")]
    pub listing: bool,
    /// Its language, as a code; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lang: String,
}

/// A page that another node kept, as far as verdicts need it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ElsewherePage {
    /// Its number: this node's own pages have those of their records, a page of node *n* has
    /// *n* x 2^40 and the number of its record there.
    pub page: u64,
    /// Canonical URL.
    pub url: String,
    /// Fingerprint of the main text, sixteen hexadecimal digits.
    pub fingerprint: String,
    /// Sketch of the main text, base64.
    pub sketch: String,
    /// Digest of the main text, sixteen hexadecimal digits.
    pub digest: String,
    /// Words of the main text.
    pub words: u32,
    /// Fingerprint of its layout, sixteen hexadecimal digits.
    pub layout: String,
    /// Published date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The URL it names as canonical.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The page whose place it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<u64>,
    /// Its URL, where it is one of this node's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
}

/// A start of the crawl, with what was in force.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StartRecord {
    /// [`JOURNAL_VERSION`] of the writer.
    pub journal: u32,
    /// The program's version.
    pub tamis: String,
    /// `segment::SEGMENT_SCHEME` of the writer.
    pub segment: u32,
    /// `simhash::FINGERPRINT_SCHEME` of the writer.
    pub fingerprint: u32,
    /// The whole configuration in force, without secrets.
    pub config: serde_json::Value,
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
    /// What kind of sitemap it is.
    pub kind: SitemapKind,
    /// Why reading ended early or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// URLs it gave that were admitted to the frontier, canonical: pages, or for an index
    /// sitemaps. Pages count as admitted URLs, sitemaps do not.
    #[serde(default)]
    pub urls: Vec<String>,
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

/// A finished URL.
///
/// Written as it stands here, with the outcome's fields among the others; read by way of
/// `PageFields`, which has them one by one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "PageFields")]
pub struct PageRecord {
    /// Canonical URL.
    pub url: String,
    /// Host key.
    pub host: String,
    /// Links from a seed, 0 for a seed itself.
    pub depth: u32,
    /// Number of the seed it came from.
    pub seed: u32,
    /// Redirects followed to get here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hops: u8,
    /// Record number of the page whose link brought it here first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<u64>,
    /// Priority when it was leased, 0.0 to 1.0.
    #[serde(default)]
    pub priority: f32,
    /// Attempts made, this one included; 0 where none was (robots refused).
    #[serde(default)]
    pub attempt: u32,
    /// What happened to it.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The reason in words, for people: the rule, the pattern, the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The fetch, if one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetch: Option<FetchRecord>,
    /// What was read on the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageSummary>,
    /// Record number of the kept page whose place this one takes in the index: a better
    /// representative of the same text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<u64>,
    /// The nearest kept page, whether or not it made this one a duplicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NeighbourRecord>,
    /// The page's links in order, each URL once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkRecord>,
    /// The archived response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyRef>,
    /// The archived main text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<BodyRef>,
    /// URL of the page that this one was foreseen to repeat, though it was fetched: as a probe, or
    /// because the rule was learnt while it was under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreseen: Option<String>,
    /// The learnt rules, in words, for which it would have been refused, though it was fetched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreseen_by: Vec<String>,
    /// What was foreseen rests on a comparison of this very page under other values.
    #[serde(default, skip_serializing_if = "is_false")]
    pub foreseen_compared: bool,
    /// Context of the link that brought it here, for the focus model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The URL at which the redirects began that led here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<String>,
    /// A URL that is to be asked for once more because of this answer, a redirect back to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<ReturnRecord>,
}

/// A finished URL to which a redirect leads back, with something changed: a cookie was set, or
/// parameters differ that our canonical form drops.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReturnRecord {
    /// The URL, canonical.
    pub url: String,
    /// What to request in its place, where the redirect spells it in another way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
}

impl PageRecord {
    /// The HTTP status of the answer; 0 where there was none.
    pub fn status(&self) -> u16 {
        self.fetch.as_ref().map_or(0, |fetch| fetch.status)
    }

    /// Why there is no page to learn from: an error, or what reads like one, or nothing at all.
    /// `None` for a page that was read, and for what pointed elsewhere, where the crawl went.
    pub fn no_page(&self) -> Option<String> {
        let status = self.status();
        let is_answer = (200..300).contains(&status);
        match (&self.outcome, &self.page) {
            (Outcome::Redirected, _) => {
                let target = self.redirect().filter(|link| !link.fate.is_known())?;
                let (url, fate) = (&target.url, target.fate.name().replace('_', " "));
                Some(format!("it redirects to {url}, which was left out: {fate}"))
            }
            (Outcome::NotModified, _) => None,
            (Outcome::Judged(Verdict::Junk(JunkReason::Blocked)), Some(page)) => {
                let wall = page.wall.clone().unwrap_or_default();
                Some(format!("it is {}", wall.kind.english()))
            }
            (Outcome::Judged(_), Some(page)) if is_answer && page.soft_404 => {
                Some("it reads like an error page".to_owned())
            }
            (Outcome::Judged(_), Some(_)) if is_answer => None,
            (Outcome::Judged(_), _) if !is_answer => {
                Some(format!("it answered with status {status}"))
            }
            (
                outcome @ (Outcome::Judged(Verdict::Index | Verdict::Junk(_))
                | Outcome::Refused(_)
                | Outcome::Failed(_)
                | Outcome::Unknown(_)),
                _,
            ) => {
                let reason = outcome.reason();
                let parts = [
                    Some(outcome.name()),
                    reason.as_deref(),
                    self.detail.as_deref(),
                ];
                let parts: Vec<&str> = parts.into_iter().flatten().collect();
                Some(parts.join(", ").replace('_', " "))
            }
        }
    }

    /// The URL of the page that this page repeats as a whole, as the journal has it.
    pub fn whole_original(&self) -> Option<&str> {
        let near = self
            .nearest
            .as_ref()
            .filter(|_| self.outcome.is_duplicate())?;
        let is_whole = near.kind.as_ref().is_some_and(DuplicateKind::is_whole);
        (is_whole && near.decision == NeighbourDecision::Duplicate).then_some(near.url.as_str())
    }

    /// Whether a page that learnt rules would have refused is lost without its fetch: it is no copy,
    /// and wanted. None where the record does not tell: it was not foreseen, or it is an error or so
    /// thin that it says nothing.
    pub fn is_probe_unique(&self) -> Option<bool> {
        let is_whole = self.page.is_some() && (200..300).contains(&self.status());
        if self.foreseen_by.is_empty() || !is_whole {
            return None;
        }
        match &self.outcome {
            Outcome::Judged(Verdict::Index) => Some(self.replaces.is_none()),
            Outcome::Judged(Verdict::Junk(reason)) => match reason.kind() {
                JunkKind::Duplicate => Some(false),
                JunkKind::Empty | JunkKind::Error | JunkKind::NoPage | JunkKind::Wall => None,
                // A page of its own, but not one to keep: it speaks against a rule of duplicates.
                JunkKind::Unwanted | JunkKind::Withheld | JunkKind::LinkList => {
                    let near = self.nearest.as_ref();
                    let is_copy = near.is_some_and(|n| n.decision == NeighbourDecision::Duplicate);
                    Some(self.foreseen.is_some() && !is_copy)
                }
            },
            Outcome::Redirected
            | Outcome::NotModified
            | Outcome::Refused(_)
            | Outcome::Failed(_)
            | Outcome::Unknown(_) => None,
        }
    }

    /// Whether a wall was judged to stand in the page's place.
    pub fn is_blocked(&self) -> bool {
        self.junk() == Some(&JunkReason::Blocked)
    }

    /// The reason why the page was dropped, if it was.
    pub fn junk(&self) -> Option<&JunkReason> {
        self.outcome.junk()
    }

    /// Where it redirects, canonical, if it does.
    pub fn redirect_target(&self) -> Option<&str> {
        self.redirect().map(|link| link.url.as_str())
    }

    fn redirect(&self) -> Option<&LinkRecord> {
        self.links.iter().find(|link| link.rel == "redirect")
    }
}

/// A [`PageRecord`] as it is read.
#[derive(Deserialize)]
struct PageFields {
    url: String,
    host: String,
    depth: u32,
    seed: u32,
    #[serde(default)]
    hops: u8,
    via: Option<u64>,
    #[serde(default)]
    priority: f32,
    #[serde(default)]
    attempt: u32,
    outcome: String,
    verdict: Option<String>,
    reason: Option<String>,
    detail: Option<String>,
    evidence: Option<RefusalEvidence>,
    fetch: Option<FetchRecord>,
    page: Option<PageSummary>,
    replaces: Option<u64>,
    nearest: Option<NeighbourRecord>,
    #[serde(default, deserialize_with = "crate::json::links")]
    links: Vec<LinkRecord>,
    body: Option<BodyRef>,
    text: Option<BodyRef>,
    foreseen: Option<String>,
    #[serde(default)]
    foreseen_by: Vec<String>,
    #[serde(default)]
    foreseen_compared: bool,
    context: Option<String>,
    began: Option<String>,
    returns: Option<ReturnRecord>,
}

impl From<PageFields> for PageRecord {
    fn from(fields: PageFields) -> Self {
        let outcome = Outcome::of_parts(
            OutcomeParts {
                outcome: fields.outcome,
                verdict: fields.verdict,
                reason: fields.reason,
                evidence: fields.evidence,
            },
            fields.detail.as_deref().unwrap_or_default(),
        );
        Self {
            url: fields.url,
            host: fields.host,
            depth: fields.depth,
            seed: fields.seed,
            hops: fields.hops,
            via: fields.via,
            priority: fields.priority,
            attempt: fields.attempt,
            outcome,
            detail: fields.detail,
            fetch: fields.fetch,
            page: fields.page,
            replaces: fields.replaces,
            nearest: fields.nearest,
            links: fields.links,
            body: fields.body,
            text: fields.text,
            foreseen: fields.foreseen,
            foreseen_by: fields.foreseen_by,
            foreseen_compared: fields.foreseen_compared,
            context: fields.context,
            began: fields.began,
            returns: fields.returns,
        }
    }
}

/// What the stages measured on a page: the recorded inputs of its verdict.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PageSummary {
    /// Title, cleaned.
    #[serde(default)]
    pub title: String,
    /// Language code, empty when unknown.
    #[serde(default)]
    pub lang: String,
    /// WHATWG encoding name.
    #[serde(default)]
    pub charset: String,
    /// Words of the main text, as `segment` counts them.
    pub words: u32,
    /// Author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Published date, ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Modified date, ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// `rel=canonical`, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The page that it names as the source of its text, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Page type.
    #[serde(default)]
    pub page_type: PageType,
    /// Relevance, 0.0 to 1.0; absent for a crawl without a topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f32>,
    /// The fingerprint, 16 hex digits.
    pub fingerprint: String,
    /// The sketch, base64.
    #[serde(default)]
    pub sketch: String,
    /// Hash of the folded word sequence, 16 hex digits: equal for equal texts.
    #[serde(default)]
    pub digest: String,
    /// SimHash of the DOM's tag paths, 16 hex digits.
    #[serde(default)]
    pub layout: String,
    /// Hash of the decoded body, 16 hex digits: equal for byte-equal pages.
    #[serde(default)]
    pub payload: String,
    /// Share of the page's characters inside links.
    #[serde(default)]
    pub link_density: f32,
    /// The text as it was before the host's template was cut from it, if any was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<WholeText>,
    /// Keys of the page's blocks, base64, where the host's template is learnt from them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blocks: String,
    /// Robots directives: false when the page asks not to be indexed.
    #[serde(default = "yes")]
    pub may_index: bool,
    /// Robots directives: false when the page asks not to follow its links.
    #[serde(default = "yes")]
    pub may_follow: bool,
    /// Where its main text is from, if not from the visible page: `json_ld`, `next_data`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_source: Option<String>,
    /// What says that the page is empty without its scripts; empty for one that is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs_scripts: Vec<String>,
    /// The licence that it links to, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// What it says of the use of its text, in its own words: `noai`, `content-usage: train-ai=n`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<String>,
    /// What stands in the page's place, where it is a wall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<Wall>,
    /// The page looks like an error page served with status 200.
    #[serde(default, skip_serializing_if = "is_false")]
    pub soft_404: bool,
    /// Bounds that were hit while reading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits_hit: Vec<String>,
}

/// A text that is known by its measures alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WholeText {
    /// Blocks that were cut from it.
    pub blocks_cut: u32,
    /// Its words.
    pub words: u32,
    /// Its fingerprint, 16 hex digits.
    pub fingerprint: String,
    /// Hash of its folded word sequence, 16 hex digits.
    pub digest: String,
}

/// The nearest kept page and how near it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NeighbourRecord {
    /// Its record number.
    pub page: u64,
    /// Its URL.
    pub url: String,
    /// Hamming distance of the fingerprints.
    pub distance: u8,
    /// Estimated overlap of the texts, 0.0 to 1.0.
    pub overlap: f32,
    /// Which table found it, 0 for the first; 255 for the short-text or exact lookup.
    pub table: u8,
    /// How this page resembles it, where this page is its duplicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<DuplicateKind>,
    /// What was decided about the two.
    pub decision: NeighbourDecision,
}

/// The relation of a link to a source: a sitemap names further ones, and a source that has moved its target.
pub const SOURCE_REL: &str = "sitemap";

impl PageRecord {
    /// The links by which URLs came into the crawl. Sources that another one names are none of these: they are
    /// read for their links, and no page record finishes them.
    pub fn admitting_links(&self) -> impl Iterator<Item = &LinkRecord> {
        let new = self.links.iter().filter(|link| link.fate == LinkFate::New);
        new.filter(|link| !self.names_source(link))
    }

    /// Whether a link of this record leads to a source.
    pub fn names_source(&self, link: &LinkRecord) -> bool {
        self.page.is_none() && link.rel == SOURCE_REL
    }
}

/// A link as found and what was decided about it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LinkRecord {
    /// Canonical URL it points to.
    #[serde(rename = "u")]
    pub url: String,
    /// Anchor text, shortened.
    #[serde(rename = "a", default, skip_serializing_if = "String::is_empty")]
    pub anchor: String,
    /// `rel` tokens.
    #[serde(rename = "r", default, skip_serializing_if = "String::is_empty")]
    pub rel: String,
    /// What the URL was promised at the time the link was found, 0.0 to 1.0, by all links to it up
    /// to then; 0.0 where nothing came of the link: the URL had been asked for, or is left out.
    #[serde(rename = "p", default)]
    pub promise: f32,
    /// Whether its URL is new, was seen, or why it is left out.
    #[serde(rename = "f", default, skip_serializing_if = "LinkFate::is_none")]
    pub fate: LinkFate,
    /// Link features for the focus model, base64, in a focused crawl: of a new URL all, of one that
    /// waited already what this link adds beside its anchor's words and its page.
    #[serde(rename = "x", default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// When its URL changed last, as a feed or sitemap has it, milliseconds since the Unix epoch; 0 where
    /// none says so.
    #[serde(rename = "d", default, skip_serializing_if = "is_no_time")]
    pub told_ms: u64,
}

/// Where a body or text stands in the archive.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BodyRef {
    /// Number of the body file.
    #[serde(rename = "n")]
    pub file: u32,
    /// Offset of the gzip member in bytes.
    #[serde(rename = "o")]
    pub offset: u64,
    /// Length of the gzip member in bytes.
    #[serde(rename = "l")]
    pub len: u64,
}

/// URLs put back into the queue: by hand, or because what was refused was refused wrongly.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "RetryFields")]
pub struct RetryRecord {
    /// Canonical URLs.
    pub urls: Vec<String>,
    /// Where each of `urls` came from and how it had ended, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<RetryOrigin>,
    /// What was asked for, in words.
    pub filter: String,
    /// The rule that was found wrong, where that put the URLs back; none where somebody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_rule: Option<String>,
}

impl RetryRecord {
    /// Begins `filter` for a rule that was found wrong.
    const WRONG_RULE: &str = "a rule was wrong: ";

    /// A record of URLs that were refused for a rule that was found wrong.
    pub fn for_wrong_rule(rule: &str, urls: Vec<String>, origins: Vec<RetryOrigin>) -> Self {
        Self {
            urls,
            origins,
            filter: format!("{}{rule}", Self::WRONG_RULE),
            wrong_rule: Some(rule.to_owned()),
        }
    }
}

/// A [`RetryRecord`] as it is read. Older writers had no `wrong_rule`: the rule stood in `filter`.
#[derive(Deserialize)]
struct RetryFields {
    urls: Vec<String>,
    #[serde(default)]
    origins: Vec<RetryOrigin>,
    filter: String,
    #[serde(default)]
    wrong_rule: Option<String>,
}

impl From<RetryFields> for RetryRecord {
    fn from(fields: RetryFields) -> Self {
        let RetryFields {
            urls,
            origins,
            filter,
            wrong_rule,
        } = fields;
        let of_filter = || Some(filter.strip_prefix(Self::WRONG_RULE)?.to_owned());
        let wrong_rule = wrong_rule.or_else(of_filter);
        Self {
            urls,
            origins,
            filter,
            wrong_rule,
        }
    }
}

/// What the queue must know of a URL to take it back, and the counters to take back its fate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RetryOrigin {
    /// How it had ended: failed or refused, redirected where a redirect led back, or judged to be an error page.
    pub outcome: OutcomeKind,
    /// A fetch was made for it, so it counts against the page budget no longer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fetched: bool,
    /// Links from a seed.
    #[serde(default)]
    pub depth: u32,
    /// Number of its seed.
    #[serde(default)]
    pub seed: u32,
    /// Redirects followed to get there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hops: u8,
    /// Record number of the page whose link brought it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<u64>,
    /// Priority it had, 0.0 to 1.0.
    #[serde(default)]
    pub priority: f32,
    /// Context of the link, for the focus model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// A redirect led back to it: that is followed once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub returned: bool,
    /// What to request in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// The learnt rules, in words, for which it had been refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// URLs of a round: each is to be visited once more.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AgainRecord {
    /// The round's number, 1 for the first.
    pub round: u32,
    /// The URLs, the most valuable first.
    pub urls: Vec<DueRecord>,
    /// The URLs are the feeds and sitemaps of a round; its pages are planned when those have been visited.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sources: bool,
    /// All pages were looked for that repeat a page which has changed or is gone: what is found of
    /// them stands in this record, and those before it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rejudges: bool,
    /// Further records of the same plan of pages follow. Where this is the last one, the plan was broken
    /// off, and what it left open is planned once more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub more: bool,
    /// Where no page is due, when the first one will be, milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub next_ms: u64,
}

/// A finished URL that is to be visited again, with what its visit is compared with.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DueRecord {
    /// Canonical URL.
    pub url: String,
    /// The round.
    pub round: u32,
    /// Number of the record of the page as it was read last.
    pub of: u64,
    /// What had become of it.
    pub was: Outcome,
    /// Links from a seed.
    #[serde(default)]
    pub depth: u32,
    /// Number of its seed.
    #[serde(default)]
    pub seed: u32,
    /// Redirects followed to get there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hops: u8,
    /// Record number of the page whose link brought it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<u64>,
    /// Its place among the URLs that wait: above 1.0 before all that are new.
    #[serde(default)]
    pub priority: f32,
    /// Context of the link, for the focus model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Hash of the folded word sequence of its main text, 16 hex digits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The same before the host's template was cut, if any was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
    /// Its fingerprint, 16 hex digits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The digest of its main text at the visit before, where that was nearly the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched: Option<String>,
    /// Its archived main text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<BodyRef>,
    /// `ETag` to be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified` to be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// They are not sent this time: what they are worth is found out so, or the page is wanted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unconditional: bool,
    /// Answers of 404 or 410 so far.
    #[serde(default, skip_serializing_if = "AbsenceRecord::is_none")]
    pub absence: AbsenceRecord,
    /// It is judged anew, also where its text is the same: the page that it repeated has changed or
    /// is gone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rejudge: bool,
    /// It is a feed or a sitemap: it is read for its links.
    #[serde(default, skip_serializing_if = "is_false")]
    pub source: bool,
    /// When a feed or sitemap was read last, milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub seen_ms: u64,
    /// Its archived response, to which the answer to a visit may refer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyRef>,
    /// A visit had the same text in another body, which is not archived: a 304 is of that one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub body_is_older: bool,
}

/// What the answers of a URL say of its absence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AbsenceRecord {
    /// Answers of 404 or 410 that counted.
    #[serde(default)]
    pub answers: u32,
    /// When the last of them was given, milliseconds since the Unix epoch.
    #[serde(default)]
    pub last_ms: u64,
    /// The page is gone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gone: bool,
}

impl AbsenceRecord {
    /// Whether there was no such answer.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A URL was visited again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "VisitFields")]
pub struct VisitRecord {
    /// Canonical URL.
    pub url: String,
    /// Host key.
    pub host: String,
    /// The round.
    pub round: u32,
    /// Number of the record of the page that it is compared with.
    pub of: u64,
    /// What had become of the URL before.
    pub was: Outcome,
    /// What the visit says of the one before.
    pub change: Change,
    /// The reason in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Why the visit says nothing, by name: of a failure, a refusal, or why such a page is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The share of words that both texts have, 0.0 to 1.0; none where they were not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f32>,
    /// The digest of the main text, where that is nearly the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touched: Option<String>,
    /// The fetch, if one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetch: Option<FetchRecord>,
    /// It is a feed or a sitemap, read for its links.
    #[serde(skip_serializing_if = "is_false")]
    pub source: bool,
    /// The request was conditional.
    #[serde(skip_serializing_if = "is_false")]
    pub conditional: bool,
    /// `ETag` of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified` of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Answers of 404 or 410, this one included.
    #[serde(skip_serializing_if = "AbsenceRecord::is_none")]
    pub absence: AbsenceRecord,
    /// The page as it is now, where it takes the place of the one before, or leads to URLs that are
    /// new. Its body and text stand beside it in the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Box<PageRecord>>,
}

impl VisitRecord {
    /// Whether the page that was read before gives its place up: to the page as it is now, or to
    /// nothing.
    pub fn ends_version(&self) -> bool {
        self.is_gone() || self.version().is_some()
    }

    /// Whether a wall stood in the page's place.
    pub fn is_blocked(&self) -> bool {
        self.reason.as_deref() == Some(JunkReason::Blocked.name())
    }

    /// Whether what kept pages repeat is to be looked at: the text of a kept page is there no longer.
    pub fn frees_copies(&self) -> bool {
        let is_other = matches!(self.change, Change::Changed | Change::Gone);
        is_other && self.ends_version() && self.was.is_indexed()
    }

    /// Whether the page is gone by this visit.
    pub fn is_gone(&self) -> bool {
        self.change == Change::Gone
    }

    /// The page as it is now, where it was read and takes the place of the one before.
    pub fn version(&self) -> Option<&PageRecord> {
        self.page.as_deref().filter(|page| page.page.is_some())
    }

    /// What has become of the URL by this visit; none where that is what it was.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.version() {
            Some(page) => Some(page.outcome.clone()),
            None if self.is_gone() => Some(Outcome::Judged(Verdict::Junk(JunkReason::ErrorPage))),
            None => None,
        }
    }

    /// The finished URL as it stands after this visit; none where that is as before.
    pub fn as_page(&self) -> Option<PageRecord> {
        let gone = || PageRecord {
            url: self.url.clone(),
            host: self.host.clone(),
            outcome: self.outcome().unwrap_or_default(),
            detail: self.detail.clone(),
            fetch: self.fetch.clone(),
            ..PageRecord::default()
        };
        self.version()
            .cloned()
            .or_else(|| self.is_gone().then(gone))
    }
}

/// A [`VisitRecord`] as it is read: the places of body and text stand beside the page.
#[derive(Deserialize)]
struct VisitFields {
    url: String,
    host: String,
    round: u32,
    of: u64,
    was: Outcome,
    change: Change,
    #[serde(default)]
    detail: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    similarity: Option<f32>,
    #[serde(default)]
    touched: Option<String>,
    #[serde(default)]
    fetch: Option<FetchRecord>,
    #[serde(default)]
    source: bool,
    #[serde(default)]
    conditional: bool,
    #[serde(default)]
    etag: Option<String>,
    #[serde(default)]
    last_modified: Option<String>,
    #[serde(default)]
    absence: AbsenceRecord,
    #[serde(default)]
    page: Option<Box<PageRecord>>,
    #[serde(default)]
    body: Option<BodyRef>,
    #[serde(default)]
    text: Option<BodyRef>,
}

impl From<VisitFields> for VisitRecord {
    fn from(fields: VisitFields) -> Self {
        let mut page = fields.page;
        if let Some(page) = &mut page {
            page.body = page.body.take().or(fields.body);
            page.text = page.text.take().or(fields.text);
        }
        Self {
            url: fields.url,
            host: fields.host,
            round: fields.round,
            of: fields.of,
            was: fields.was,
            change: fields.change,
            detail: fields.detail,
            reason: fields.reason,
            similarity: fields.similarity,
            touched: fields.touched,
            fetch: fields.fetch,
            source: fields.source,
            conditional: fields.conditional,
            etag: fields.etag,
            last_modified: fields.last_modified,
            absence: fields.absence,
            page,
        }
    }
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

fn is_false(value: &bool) -> bool {
    !*value
}

fn is_no_time(value: &u64) -> bool {
    *value == 0
}

fn is_zero(value: &u8) -> bool {
    *value == 0
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_record_survives_a_round_trip_through_json() {
        let record = Record {
            seq: 7,
            at_ms: 1_700_000_000_000,
            event: Event::Page(Box::new(PageRecord {
                url: "http://a.example/".into(),
                host: "a.example".into(),
                outcome: Outcome::Judged(Verdict::Index),
                links: vec![LinkRecord {
                    url: "http://a.example/b".into(),
                    ..Default::default()
                }],
                ..Default::default()
            })),
        };
        let json = serde_json::to_string(&record).expect("plain data serialises");
        assert!(json.contains(r#""type":"page""#), "{json}");
        assert_eq!(
            serde_json::from_str::<Record>(&json).expect("reads back"),
            record
        );
    }

    #[test]
    fn unknown_fields_of_a_newer_writer_are_ignored() {
        let json =
            r#"{"seq":1,"at_ms":2,"type":"stop","reason":"drained","ran_ms":5,"new_field":[1]}"#;
        let record: Record = serde_json::from_str(json).expect("reads");
        assert!(matches!(record.event, Event::Stop(stop) if stop.reason == StopReason::Drained));
    }

    /// Every form of a record that stands in archives of earlier versions reads as what it meant.
    #[test]
    fn records_of_earlier_versions_are_read_as_the_fates_they_meant() {
        let page = |fields: &str| -> PageRecord {
            let json = format!(r#"{{"url":"u","host":"h","depth":0,"seed":0,{fields}}}"#);
            serde_json::from_str(&json).expect(fields)
        };
        let kept = page(r#""outcome":"judged","verdict":"indexed""#);
        assert_eq!(kept.outcome, Outcome::Judged(Verdict::Index));
        let thin =
            page(r#""outcome":"judged","verdict":"junk","reason":"thin","detail":"3 words""#);
        assert_eq!(
            thin.outcome,
            Outcome::Judged(Verdict::Junk(JunkReason::Thin))
        );
        let refused = page(
            r#""outcome":"refused","reason":"duplicate_foreseen",
               "detail":"http://a/1, since a mirror; a print version (sure to 91 %)""#,
        );
        let rules = refused.outcome.refusal().expect("a refusal").rules();
        assert_eq!(rules, ["a mirror", "a print version"]);
        let failed = page(r#""outcome":"failed","reason":"http_503""#);
        assert_eq!(failed.outcome, Outcome::Failed(FailureKind::Http(503)));
    }

    #[test]
    fn the_outcome_stands_in_the_fields_that_older_readers_know() {
        let record = PageRecord {
            outcome: Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
            detail: Some("why".into()),
            ..PageRecord::default()
        };
        let json: serde_json::Value = serde_json::to_value(&record).expect("plain data");
        assert_eq!(json["outcome"], "judged");
        assert_eq!(json["verdict"], "junk");
        assert_eq!(json["reason"], "near_duplicate");
        assert_eq!(json["detail"], "why");
    }

    #[test]
    fn an_outcome_of_a_newer_version_is_written_as_it_was_read() {
        for fields in [
            r#""outcome":"melted""#,
            r#""outcome":"judged","verdict":"limbo","reason":"why""#,
            r#""outcome":"judged","verdict":"junk","reason":"comet""#,
            r#""outcome":"refused","reason":"comet""#,
            r#""outcome":"failed","reason":"http_0503""#,
        ] {
            let json = format!(
                r#"{{"url":"u","host":"h","depth":0,"seed":0,"priority":0.0,"attempt":0,{fields}}}"#
            );
            let record: PageRecord = serde_json::from_str(&json).expect("reads");
            assert_eq!(serde_json::to_string(&record).expect("plain data"), json);
        }
    }

    #[test]
    fn a_rule_found_wrong_is_read_from_the_words_of_earlier_versions() {
        let json = r#"{"urls":["u"],"filter":"a rule was wrong: its mirror"}"#;
        let retry: RetryRecord = serde_json::from_str(json).expect("reads");
        assert_eq!(retry.wrong_rule.as_deref(), Some("its mirror"));
        let asked: RetryRecord =
            serde_json::from_str(r#"{"urls":[],"filter":"all that failed"}"#).expect("reads");
        assert_eq!(asked.wrong_rule, None);
    }
}
