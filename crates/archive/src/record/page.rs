//! A finished URL: where it came from, what was measured, what it links to.

use outcome::{
    DuplicateKind, JunkKind, JunkReason, LinkFate, NeighbourDecision, Outcome, OutcomeParts,
    PageType, RefusalEvidence, Verdict, Wall,
};
use serde::{Deserialize, Serialize};

use super::{FetchRecord, is_false, is_no_time, is_zero, yes};

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
    /// That page points here for good: it has moved.
    #[serde(default, skip_serializing_if = "is_false")]
    pub moved_here: bool,
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
    /// Nothing of worth was foreseen: an answer that is none bears that out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub foreseen_nothing: bool,
    /// Context of the link that brought it here, for the focus model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// It is a sitemap, which another one named as a page: what it names is as far from the seed as itself.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sitemap: bool,
    /// It is a page that an index of sitemaps named: it was admitted with this record.
    #[serde(default, skip_serializing_if = "is_false")]
    pub named_sitemap: bool,
    /// The URL at which the redirects began that led here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<String>,
    /// They began at a page that was visited again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub after_visit: bool,
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
    /// and wanted. What is no page is no loss. None where the record does not tell: it was not foreseen, or
    /// it is an error or so thin that it says nothing.
    pub fn is_probe_unique(&self) -> Option<bool> {
        if self.foreseen_by.is_empty() {
            return None;
        }
        let is_success = (200..300).contains(&self.status());
        let is_no_page = self.junk() == Some(&JunkReason::UnsupportedType);
        if is_success && self.page.is_none() && is_no_page {
            // Without its fetch no page is lost where there is none.
            return Some(false);
        }
        let nothing = || self.foreseen_nothing.then(|| self.leads_elsewhere());
        let is_whole = self.page.is_some() && is_success;
        match &self.outcome {
            Outcome::Judged(_) if !is_whole => nothing(),
            Outcome::Judged(Verdict::Index) => Some(self.replaces.is_none()),
            Outcome::Judged(Verdict::Junk(reason)) => match reason.kind() {
                JunkKind::Duplicate => Some(false),
                JunkKind::Empty | JunkKind::Error | JunkKind::NoPage | JunkKind::Wall => nothing(),
                JunkKind::Unwanted | JunkKind::Withheld | JunkKind::LinkList
                    if self.foreseen_nothing =>
                {
                    nothing()
                }
                // A page of its own, but not one to keep: it speaks against a rule of duplicates.
                JunkKind::Unwanted | JunkKind::Withheld | JunkKind::LinkList => {
                    let near = self.nearest.as_ref();
                    let is_copy = near.is_some_and(|n| n.decision == NeighbourDecision::Duplicate);
                    Some(self.foreseen.is_some() && !is_copy)
                }
            },
            Outcome::Redirected => nothing(),
            Outcome::NotModified
            | Outcome::Refused(_)
            | Outcome::Failed(_)
            | Outcome::Unknown(_) => None,
        }
    }

    /// Whether it brought in a URL that is no other value in its own: `/login?next=…` that links to
    /// another `/login?next=…` leads nowhere.
    pub fn leads_elsewhere(&self) -> bool {
        self.new_elsewhere().next().is_some()
    }

    /// The URLs that it brought in and that are no other value in its own.
    pub fn new_elsewhere(&self) -> impl Iterator<Item = &str> {
        let own = trunk(&self.url);
        let new = self.links.iter().filter(|link| link.fate == LinkFate::New);
        let urls = new.map(|link| link.url.as_str());
        urls.filter(move |url| trunk(url) != own)
    }

    /// Whether a wall was judged to stand in the page's place.
    pub fn is_blocked(&self) -> bool {
        self.junk() == Some(&JunkReason::Blocked)
    }

    /// Whether a wall stood in the page's place that its host has before all of them.
    pub fn is_walled_off(&self) -> bool {
        let wall = self.page.as_ref().and_then(|page| page.wall.as_ref());
        self.is_blocked() && wall.is_none_or(|wall| !wall.kind.is_of_one_page())
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
        self.links.iter().find(|link| link.rel == REDIRECT_REL)
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
    #[serde(default)]
    moved_here: bool,
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
    #[serde(default)]
    foreseen_nothing: bool,
    context: Option<String>,
    #[serde(default)]
    sitemap: bool,
    #[serde(default)]
    named_sitemap: bool,
    began: Option<String>,
    #[serde(default)]
    after_visit: bool,
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
            moved_here: fields.moved_here,
            nearest: fields.nearest,
            links: fields.links,
            body: fields.body,
            text: fields.text,
            foreseen: fields.foreseen,
            foreseen_by: fields.foreseen_by,
            foreseen_compared: fields.foreseen_compared,
            foreseen_nothing: fields.foreseen_nothing,
            context: fields.context,
            sitemap: fields.sitemap,
            named_sitemap: fields.named_sitemap,
            began: fields.began,
            after_visit: fields.after_visit,
            returns: fields.returns,
        }
    }
}

/// A URL up to its query, or to an escaped slash in its path.
fn trunk(url: &str) -> &str {
    let path = url.split('?').next().unwrap_or(url);
    let is_slash = |at: &usize| {
        let escape = path.as_bytes().get(*at..*at + 3);
        escape.is_some_and(|escape| escape.eq_ignore_ascii_case(b"%2f"))
    };
    let escapes = path.match_indices('%').map(|(at, _)| at);
    let end = escapes.into_iter().find(is_slash);
    end.map_or(path, |at| &path[..at])
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
    /// Words of the text that pages are compared by, where that is less: lines that nearly all pages of the host
    /// have amid their own are in the main text alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_words: Option<u32>,
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
    /// The same without the numbers of its URL, of a page that was kept whose URL has any: equal for days of a
    /// calendar that say the same of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bare: Option<String>,
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

/// The relation of a URL to the one that it redirects to.
const REDIRECT_REL: &str = "redirect";

/// The relations that this module asks for: links that are read without their words keep these.
pub(crate) const NAMED_RELS: [&str; 2] = [SOURCE_REL, REDIRECT_REL];

impl PageRecord {
    /// The links by which URLs came into the crawl. Sources that another one names are none of these: they are
    /// read for their links, and no page record finishes them.
    pub fn admitting_links(&self) -> impl Iterator<Item = &LinkRecord> {
        let new = self.links.iter().filter(|link| link.fate == LinkFate::New);
        new.filter(|link| !self.names_source(link))
    }

    /// How far from the seed its links lead.
    pub fn depth_of_links(&self) -> u32 {
        let stays = self.sitemap || self.outcome == Outcome::Redirected;
        self.depth.saturating_add(u32::from(!stays))
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
    /// waited already what this link adds beside its anchor's words and its page, and all of one to an
    /// example of the topic that had been read.
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
