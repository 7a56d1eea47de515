//! What the API answers: plain data, declared once for the answers and for the OpenAPI file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// An error.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Problem {
    /// What is wrong, in words.
    pub error: String,
}

/// The server, for its own pages and for programs.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Session {
    /// The version of the program.
    pub version: String,
    /// To be sent as `X-Tamis-Csrf` with every POST; not needed by who sends the token as a bearer.
    pub csrf: String,
}

/// The crawls of the server.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CrawlList {
    /// In the order in which they were named.
    pub crawls: Vec<CrawlItem>,
}

/// A crawl in the list.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CrawlItem {
    /// Its name in URLs.
    pub id: String,
    /// Its directory.
    pub directory: String,
    /// As in the status.
    pub state: String,
    /// Pages kept.
    pub kept: u64,
    /// Pages read and dropped.
    pub dropped: u64,
    /// URLs that wait.
    pub pending: u64,
}

/// Hosts of a crawl.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Hosts {
    /// The number of the last record of the journal that the figures hold.
    pub record: u64,
    /// Hosts in all.
    pub total: u64,
    /// Those with most URLs first.
    pub hosts: Vec<Host>,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Host {
    /// The host, with its port unless that is the scheme's own.
    pub host: String,
    /// URLs ever admitted.
    pub admitted: u64,
    /// URLs that wait.
    pub pending: u64,
    /// URLs finished.
    pub finished: u64,
    /// Pages kept.
    pub kept: u64,
    /// Pages read and dropped.
    pub dropped: u64,
    /// URLs that could not be had.
    pub failed: u64,
    /// Duplicates among the dropped.
    pub duplicates: u64,
    /// Fetches of its pages, repeated ones included.
    pub fetches: u64,
    /// Fetches without a usable answer.
    pub errors: u64,
    /// Bytes of bodies received, those of robots.txt and sitemaps included.
    pub received_bytes: u64,
    /// How robots.txt was answered; empty before.
    pub robots: String,
    /// Seconds between requests.
    pub delay_seconds: f64,
    /// `done`, `pending`, `failing`, `gone` or `closed`.
    pub state: String,
    /// Why it waits now; null where that is not known, or it does not wait.
    pub why: Option<String>,
    /// Seconds until its next request may go out; null where that is not known.
    pub next_in_seconds: Option<f64>,
}

/// A page as lists show it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct Page {
    /// The number of its record.
    pub page: u64,
    /// Its URL.
    pub url: String,
    /// Its host.
    pub host: String,
    /// Its title.
    pub title: String,
    /// `kept`, `dropped` or `failed`.
    pub verdict: String,
    /// Why it was dropped or failed; empty for a kept page.
    pub reason: String,
    /// Language code; empty where it is not known.
    pub lang: String,
    /// Type of the page; empty where none was read.
    pub page_type: String,
    /// When it was published, as it says; empty where it does not.
    pub published: String,
    /// When it was asked for, ISO 8601.
    pub fetched_at: String,
    /// Probability that it is about the topic; null without a topic.
    pub relevance: Option<f64>,
    /// Words of its main text.
    pub words: u32,
    /// The page that it repeats.
    pub repeats: Option<Repeats>,
}

/// The page that is kept, of those that a duplicate repeats.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct Repeats {
    /// The number of its record.
    pub page: u64,
    /// Its URL; empty where it has no row.
    pub url: String,
    /// Bits in which the fingerprints differ; null where they were not measured, as where this page has taken the place of
    /// the one that it was measured against.
    pub distance: Option<u8>,
    /// Estimated share of word pairs that both have.
    pub overlap: Option<f64>,
    /// Whole or in part, in the same layout or another; or `replaced`.
    pub kind: String,
}

/// A value and how many pages have it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Facet {
    /// The value.
    pub value: String,
    /// Pages.
    pub count: u64,
}

/// Which pages are asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PagesAsked {
    /// `kept`, `dropped` or `failed`; without it all. `indexed` and `junk` are understood as well.
    pub verdict: Option<String>,
    /// Only this reason.
    pub reason: Option<String>,
    /// Only this host.
    pub host: Option<String>,
    /// Only this language.
    pub lang: Option<String>,
    /// Only this type of page.
    #[serde(rename = "type")]
    pub page_type: Option<String>,
    /// Only pages published on this day or later; `YYYY-MM-DD`.
    pub since: Option<String>,
    /// Only pages published on this day or before; `YYYY-MM-DD`.
    pub until: Option<String>,
    /// Only pages with this in title or URL.
    pub q: Option<String>,
    /// `time` (as judged), `relevance`, `words`, `title`, `host` or `published`; without it what was kept first,
    /// by relevance with a topic, else the last judged first.
    pub sort: Option<String>,
    /// `asc` or `desc`.
    pub order: Option<String>,
    /// Pages to pass over.
    pub offset: Option<usize>,
    /// Pages at most; 50 without it, up to 200.
    pub limit: Option<usize>,
}

/// Pages of a crawl.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Pages {
    /// The number of the last record of the journal that the list holds.
    pub record: u64,
    /// Pages that fit.
    pub total: u64,
    /// Pages that have no row, since there are too many; `tamis export` has them.
    pub left_out: u64,
    /// Pages passed over.
    pub offset: usize,
    /// The pages.
    pub pages: Vec<Page>,
    /// How the pages that fit divide: `host`, `lang`, `type`, `reason`; the most frequent 30 of each.
    pub facets: BTreeMap<String, Vec<Facet>>,
}

/// A page with its text.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PageText {
    /// The page.
    pub page: Page,
    /// Its main text; null where the archive holds neither it nor the body.
    pub text: Option<String>,
    /// The text is longer than what is given.
    pub is_cut: bool,
    /// What somebody said of the decision: `right`, `wrong` or `skip`; null where nobody has.
    pub mark: Option<String>,
}

/// What is looked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SearchAsked {
    /// Words; "a phrase", -word, host:example.org and lang:zh are understood.
    pub q: Option<String>,
    /// Only this host and those below it.
    pub host: Option<String>,
    /// Only this language.
    pub lang: Option<String>,
    /// Only this type of page.
    #[serde(rename = "type")]
    pub page_type: Option<String>,
    /// Only pages published on this day or later; `YYYY-MM-DD`.
    pub since: Option<String>,
    /// Only pages published on this day or before; `YYYY-MM-DD`.
    pub until: Option<String>,
    /// Hits to pass over.
    pub offset: Option<usize>,
    /// Hits at most; 20 without it, up to 100.
    pub limit: Option<usize>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Found {
    /// Pages that match the words, host and language.
    pub total: u64,
    /// Of the best 300 of these, those that fit the other filters.
    pub fitting: u64,
    /// No page has all words; these have some.
    pub is_relaxed: bool,
    /// Kept pages that cannot be found yet: a running crawl makes them searchable in some seconds, else the next
    /// start does.
    pub not_searchable_yet: u64,
    /// What may be wrong with the query, and what else is to be known of the answer.
    pub hints: Vec<String>,
    /// The best pages, best first.
    pub hits: Vec<Hit>,
    /// How the best 300 divide: `host`, `lang`, `type`, `year`.
    pub facets: BTreeMap<String, Vec<Facet>>,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Hit {
    /// The page.
    pub page: Page,
    /// Its title, in parts.
    pub title: Vec<Part>,
    /// A piece of its text, in parts.
    pub snippet: Vec<Part>,
    /// Larger is better; only comparable within one search.
    pub score: f32,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Part {
    /// The text.
    pub text: String,
    /// It is one of the words that were looked for.
    pub is_match: bool,
}

/// The URL that is asked about.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExplainAsked {
    /// The URL, absolute.
    pub url: Option<String>,
    /// The language of `short`: `en` or `zh`; without it `en`.
    pub lang: Option<String>,
}

/// One URL's story.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Explained {
    /// The URL in its canonical form.
    pub url: String,
    /// The crawl knows it.
    pub is_known: bool,
    /// The story in a sentence.
    pub summary: String,
    /// The story as data, as `tamis explain --json` has it.
    #[schema(value_type = Object)]
    pub story: serde_json::Value,
    /// What the model of the topic says of it; null without a topic.
    #[schema(value_type = Option<Object>)]
    pub focus: Option<serde_json::Value>,
    /// The story in a few lines, as `tamis explain --short` tells it.
    pub short: String,
    /// The story in words.
    pub told: String,
}

/// Which part of a list is asked for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListAsked {
    /// Items to pass over.
    pub offset: Option<usize>,
    /// Items at most; 50 without it, up to 200.
    pub limit: Option<usize>,
}

/// Clusters of duplicates.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Clusters {
    /// The number of the last record of the journal that the list holds.
    pub record: u64,
    /// Kept pages that have duplicates.
    pub total: u64,
    /// Those with most duplicates first.
    pub clusters: Vec<Cluster>,
}

/// A kept page and its duplicates.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Cluster {
    /// The page that stands for all.
    pub kept: Page,
    /// Its duplicates.
    pub members: u64,
    /// Hosts on which they stand, that of the kept page included.
    pub hosts: u64,
}

/// One cluster.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ClusterPages {
    /// The page that stands for all.
    pub kept: Page,
    /// Its duplicates, at most 200.
    pub members: Vec<Page>,
}

/// Two pages side by side.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SideBySide {
    /// The page that was kept.
    pub kept: Page,
    /// Its duplicate.
    pub other: Page,
    /// The share of characters that both texts have in common; null where a text is missing.
    pub likeness: Option<f64>,
    /// Both texts in order; Chinese by character, other scripts by word.
    pub pieces: Vec<TextPiece>,
}

/// A piece of two texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TextPiece {
    /// `same`, `removed` (only in the kept page), `added` (only in the other) or `skipped`.
    pub is: String,
    /// The text; empty where it is skipped.
    pub text: String,
    /// Characters that are skipped.
    pub skipped: u64,
}

/// The crawl to compare with.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompareAsked {
    /// Its name in URLs.
    pub with: Option<String>,
}

/// Two crawls.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Compared {
    /// Figure by figure, host by host and, up to 200,000 pages, page by page, as
    /// `tamis report DIR --compare DIR2 --format json` has them.
    #[schema(value_type = Object)]
    pub figures: serde_json::Value,
    /// Pages kept in the second alone.
    pub gained: Differing,
    /// Pages kept in the first alone.
    pub lost: Differing,
    /// Pages dropped in both for different reasons.
    pub judged_otherwise: Differing,
}

/// Pages that differ.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct Differing {
    /// How many.
    pub total: u64,
    /// The first 200.
    pub pages: Vec<DifferingPage>,
}

/// A page that differs.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DifferingPage {
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its verdict and reason in the first crawl; empty where it is not there.
    pub first: String,
    /// The same in the second.
    pub second: String,
}

/// Which changes are wanted.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChangesAsked {
    /// `new`, `changed`, `touched`, `moved`, `gone`, `back` or `unclear`; all without it.
    pub change: Option<String>,
    /// Seen on this day (UTC) or later, as in `2026-05-31`; without it those of the last round.
    pub since: Option<String>,
    /// From which one on.
    pub offset: Option<usize>,
    /// How many; 50 without it, up to 200.
    pub limit: Option<usize>,
}

/// What the crawl found when it came back.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChangeList {
    /// What every round found, as `tamis report DIR --format json` has it under `rounds`; the first one first.
    #[schema(value_type = Vec<Object>)]
    pub rounds: Vec<report::changes::RoundCounts>,
    /// How many changes there are of each kind since the time that was asked for.
    pub counts: BTreeMap<String, u64>,
    /// Changes that fit.
    pub total: u64,
    /// From which one on they are given.
    pub offset: usize,
    /// The changes, the last seen first.
    pub changes: Vec<ChangedPage>,
}

/// A page that is not what it was.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChangedPage {
    /// Its URL.
    pub url: String,
    /// Its title; empty where it is in no list.
    pub title: String,
    /// Its number in the lists; null where it is in none.
    pub page: Option<u64>,
    /// What has changed: `new`, `changed`, `touched`, `moved`, `gone`, `back` or `unclear`.
    pub change: String,
    /// When it was seen.
    pub at: String,
    /// Whether the page was kept before.
    pub was_kept: bool,
    /// Whether it is kept now.
    pub is_kept: bool,
    /// Why, in words.
    pub why: Option<String>,
    /// Where its text differs from that of the visit before; empty where a text is not archived.
    pub pieces: Vec<TextPiece>,
}

/// How many pages are drawn.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SampleAsked {
    /// Pages at most; 10 without it, up to 50.
    pub n: Option<usize>,
}

/// Pages drawn at random, and what was said so far.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Sample {
    /// Pages without a mark, kept and dropped ones in turn.
    pub pages: Vec<Page>,
    /// What the marks say.
    #[schema(value_type = Object)]
    pub audit: report::audit::Audit,
}

/// A mark.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkAsked {
    /// The number of the page's record.
    pub page: u64,
    /// `right`, `wrong` or `skip`.
    pub mark: String,
    /// The page was drawn at random, by `audit/sample`. Of a page that this server has not drawn since its
    /// start it is refused with 409; without it the mark is kept as one of a page that somebody came upon.
    #[serde(default)]
    pub sampled: bool,
}

/// Which failed URLs are tried again.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetryAsked {
    /// Only what failed so: a code (503), a class (5xx), or a name such as `dns` or `timeout`.
    pub status: Option<String>,
    /// Only this host and those below it.
    pub host: Option<String>,
}

/// Further seeds for a crawl that runs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SeedsAsked {
    /// Lines of a seed list: a URL each, options after it.
    pub lines: String,
}

/// What became of seeds: the numbers add up to the lines that were given.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SeedsTold {
    /// The crawl's state now.
    pub state: String,
    /// New, and in the queue.
    pub queued: u64,
    /// Seeds now; the crawl had found their URLs already.
    pub seen: u64,
    /// Seeds before.
    pub known: u64,
    /// Left out by a budget of the crawl.
    pub left_out: u64,
}

/// What came of settings that were read anew.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Reloaded {
    /// The crawl's state now.
    pub state: String,
    /// How they differ from those in force, in words; none, and the crawl goes on as it is.
    pub changes: Vec<String>,
}

/// What came of something that a crawl was told.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ToldCrawl {
    /// The crawl's state now.
    pub state: String,
    /// URLs put back into the queue.
    pub urls: u64,
}
