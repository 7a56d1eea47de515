//! Rounds of visits: what is due, and what each visit found.

use outcome::{Change, JunkReason, Outcome, Verdict, WallKind};
use serde::{Deserialize, Serialize};

use super::{BodyRef, FetchRecord, PageRecord, is_false, is_no_count, is_no_time, is_zero};

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
    /// Words of its main text; 0 where that is not known.
    #[serde(default, skip_serializing_if = "is_no_count")]
    pub words: u32,
    /// Its title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The digest of its main text at the visit before, where that was nearly the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched: Option<String>,
    /// What is known of parts that were other ones at visits before: numbers of `again::Part`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<[u32; 6]>,
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
    /// Answers without the page that count so far.
    #[serde(default, skip_serializing_if = "AbsenceRecord::is_none")]
    pub absence: AbsenceRecord,
    /// It is judged anew, also where its text is the same: the page that it repeated has changed or
    /// is gone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rejudge: bool,
    /// Number of the record of a kept page that has moved here, whose copy this one is: if it still is, it
    /// takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub succeeds: Option<u64>,
    /// Hash of the URL to which it has pointed for good, and where there is a page: if it still does, it
    /// gives its place up. 0 for none.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub moved_to: u64,
    /// Hash of the URL to which it pointed for good at the visit before; 0 for none.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub points_to: u64,
    /// Hash of the host to which other pages of its host have moved, each under its name; 0 for none.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub site_at: u64,
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
    /// Answers without the page that counted; in a visit, the one that it had may count or not.
    #[serde(default)]
    pub answers: u32,
    /// When the last of them was given, milliseconds since the Unix epoch.
    #[serde(default)]
    pub last_ms: u64,
    /// The page is gone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gone: bool,
    /// Hash of the URL to which these answers redirected; 0 where they were no redirects.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub at: u64,
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
    /// What kind of wall stood in the page's place; absent in records of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<WallKind>,
    /// The share of words that both texts have, 0.0 to 1.0; none where they were not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f32>,
    /// The digest of the main text, where that is nearly the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touched: Option<String>,
    /// What is known of parts that were other ones at this visit or before: numbers of `again::Part`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<[u32; 6]>,
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
    /// Answers without the page, this one included.
    #[serde(skip_serializing_if = "AbsenceRecord::is_none")]
    pub absence: AbsenceRecord,
    /// These are as many as make it gone, if this one counts: see what other pages of its host answered.
    #[serde(skip_serializing_if = "is_false")]
    pub awaits: bool,
    /// It points for good to where it did before, and there is a page: it is a redirect from here on.
    #[serde(skip_serializing_if = "is_false")]
    pub gives_way: bool,
    /// Its site has moved: the host to which it points belongs to its seed from here on.
    #[serde(skip_serializing_if = "is_false")]
    pub opens: bool,
    /// The page as it is now, where it takes the place of the one before, or leads to URLs that are
    /// new. Its body and text stand beside it in the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Box<PageRecord>>,
}

impl VisitRecord {
    /// Whether the page that was read before gives its place up: to the page as it is now, or to
    /// nothing.
    pub fn ends_version(&self) -> bool {
        self.is_gone() || self.gives_way || self.version().is_some()
    }

    /// Whether a wall stood in the page's place.
    pub fn is_blocked(&self) -> bool {
        self.reason.as_deref() == Some(JunkReason::Blocked.name())
    }

    /// Whether a wall stood in the page's place that its host has before all of them.
    pub fn is_walled_off(&self) -> bool {
        let wall = self.wall.as_ref();
        self.is_blocked() && wall.is_none_or(|kind| !kind.is_of_one_page())
    }

    /// Whether the URL points elsewhere for good by this visit.
    pub fn is_moved_for_good(&self) -> bool {
        let status = self.fetch.as_ref().map_or(0, |fetch| fetch.status);
        self.change == Change::Moved && matches!(status, 301 | 308)
    }

    /// Whether what kept pages repeat is to be looked at: the text of a kept page is there no longer.
    pub fn frees_copies(&self) -> bool {
        let is_other = matches!(self.change, Change::Changed | Change::Gone | Change::Moved);
        is_other && self.ends_version() && self.was.is_indexed()
    }

    /// Whether there is something to be looked at when the other visits of the round have been made: copies, or
    /// whether the page is gone.
    pub fn leaves_work(&self) -> bool {
        self.frees_copies() || self.awaits
    }

    /// The URL to which the page redirects by this visit.
    pub fn target(&self) -> Option<&str> {
        let page = self.page.as_ref()?;
        let target = page.links.first().filter(|_| page.page.is_none());
        target.map(|link| &*link.url)
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
            None if self.gives_way => Some(Outcome::Redirected),
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
        match &self.page {
            Some(page) if page.page.is_some() || self.gives_way => Some((**page).clone()),
            Some(_) | None => self.is_gone().then(gone),
        }
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
    wall: Option<WallKind>,
    #[serde(default)]
    similarity: Option<f32>,
    #[serde(default)]
    touched: Option<String>,
    #[serde(default)]
    parts: Vec<[u32; 6]>,
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
    awaits: bool,
    #[serde(default)]
    gives_way: bool,
    #[serde(default)]
    opens: bool,
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
            wall: fields.wall,
            similarity: fields.similarity,
            touched: fields.touched,
            parts: fields.parts,
            fetch: fields.fetch,
            source: fields.source,
            conditional: fields.conditional,
            etag: fields.etag,
            last_modified: fields.last_modified,
            absence: fields.absence,
            awaits: fields.awaits,
            gives_way: fields.gives_way,
            opens: fields.opens,
            page,
        }
    }
}
