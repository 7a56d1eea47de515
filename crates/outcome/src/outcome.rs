//! What happened to a URL in the end, and how that stands in a record.
//!
//! In the journal an outcome is up to five fields beside each other: `outcome`, `verdict`,
//! `reason`, `detail` (words for people) and, for refusals, `evidence` (the same for code).
//! [`Outcome::parts`] and [`Outcome::of_parts`] are the only places that know this.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::failure::FailureKind;
use crate::junk::JunkReason;
use crate::names::names;
use crate::refusal::{Evidence, Refusal};

names! {
    /// The outcome without its reasons.
    pub enum OutcomeKind {
        /// The URL was read and judged.
        Judged = "judged",
        /// It pointed elsewhere.
        Redirected = "redirected",
        /// It has not changed since it was last read.
        NotModified = "not_modified",
        /// We did not ask for it.
        Refused = "refused",
        /// It could not be had.
        Failed = "failed",
    }
}

impl Default for OutcomeKind {
    fn default() -> Self {
        Self::Unknown("".into())
    }
}

names! {
    /// Where a URL of a crawl is: waiting, finished in some way, or never admitted.
    pub enum UrlState {
        /// Admitted, not finished.
        Pending = "pending",
        /// Kept.
        Indexed = "indexed",
        /// Read and dropped.
        Junk = "junk",
        /// It pointed elsewhere.
        Redirected = "redirected",
        /// Unchanged since an earlier visit.
        NotModified = "not_modified",
        /// Not asked for.
        Refused = "refused",
        /// Not to be had.
        Failed = "failed",
        /// Read for the URLs in it: a sitemap, which is no page.
        Sitemap = "sitemap",
        /// Found on a page, never admitted.
        LeftOut = "left_out",
        /// Neither found nor given.
        NeverSeen = "unknown",
    }
}

impl UrlState {
    /// Where a URL is that met this fate.
    pub fn of(outcome: &Outcome) -> UrlState {
        UrlState::from(outcome.verdict().unwrap_or(outcome.name()))
    }
}

#[expect(
    clippy::derivable_impls,
    reason = "the macro that makes the enum has no default row"
)]
impl Default for UrlState {
    fn default() -> Self {
        Self::NeverSeen
    }
}

/// What happened to a URL in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was read and judged.
    Judged(Verdict),
    /// It pointed elsewhere; the target is a link like any other.
    Redirected,
    /// It has not changed since it was last read.
    NotModified,
    /// We did not ask for it.
    Refused(Refusal),
    /// It could not be had.
    Failed(FailureKind),
    /// An outcome that this version does not know, written by a newer one.
    Unknown(Box<UnknownOutcome>),
}

/// The decision about a page that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is kept and can be searched.
    Index,
    /// It is dropped, for a reason.
    Junk(JunkReason),
}

/// The wire names of an outcome that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnknownOutcome {
    /// Its `outcome`.
    pub outcome: String,
    /// Its `verdict`, if it has one.
    pub verdict: Option<String>,
    /// Its `reason`, if it has one.
    pub reason: Option<String>,
}

impl Outcome {
    /// The wire name.
    pub fn name(&self) -> &str {
        match self {
            Self::Judged(_) => "judged",
            Self::Redirected => "redirected",
            Self::NotModified => "not_modified",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
            Self::Unknown(unknown) => &unknown.outcome,
        }
    }

    /// The outcome without its reasons.
    pub fn kind(&self) -> OutcomeKind {
        OutcomeKind::from(self.name())
    }

    /// The verdict's wire name, for judged pages.
    pub fn verdict(&self) -> Option<&str> {
        match self {
            Self::Judged(Verdict::Index) => Some("indexed"),
            Self::Judged(Verdict::Junk(_)) => Some("junk"),
            Self::Redirected | Self::NotModified | Self::Refused(_) | Self::Failed(_) => None,
            Self::Unknown(unknown) => unknown.verdict.as_deref(),
        }
    }

    /// The reason's wire name: of junk, refusal or failure.
    pub fn reason(&self) -> Option<std::borrow::Cow<'_, str>> {
        match self {
            Self::Judged(Verdict::Index) | Self::Redirected | Self::NotModified => None,
            Self::Judged(Verdict::Junk(reason)) => Some(reason.name().into()),
            Self::Refused(refusal) => Some(refusal.name().into()),
            Self::Failed(failure) => Some(failure.name()),
            Self::Unknown(unknown) => unknown.reason.as_deref().map(Into::into),
        }
    }

    /// Whether the page is kept.
    pub fn is_indexed(&self) -> bool {
        matches!(self, Self::Judged(Verdict::Index))
    }

    /// Why the page was dropped, if it was.
    pub fn junk(&self) -> Option<&JunkReason> {
        match self {
            Self::Judged(Verdict::Junk(reason)) => Some(reason),
            Self::Judged(Verdict::Index)
            | Self::Redirected
            | Self::NotModified
            | Self::Refused(_)
            | Self::Failed(_)
            | Self::Unknown(_) => None,
        }
    }

    /// Whether the page repeats a kept page.
    pub fn is_duplicate(&self) -> bool {
        self.junk().is_some_and(JunkReason::is_duplicate)
    }

    /// Why the URL was not fetched, if it was refused.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Judged(_)
            | Self::Redirected
            | Self::NotModified
            | Self::Failed(_)
            | Self::Unknown(_) => None,
        }
    }

    /// An outcome from the fields of a record. What fits no known outcome is kept as it is.
    /// `detail` is what the record says to people.
    pub fn of_parts(parts: OutcomeParts, detail: &str) -> Outcome {
        let OutcomeParts {
            outcome,
            verdict,
            reason,
            evidence,
        } = parts;
        let name = reason.as_deref().unwrap_or_default();
        match (outcome.as_str(), verdict.as_deref()) {
            ("judged", Some("indexed")) => Self::Judged(Verdict::Index),
            ("judged", Some("junk")) => Self::Judged(Verdict::Junk(name.into())),
            ("redirected", None) => Self::Redirected,
            ("not_modified", None) => Self::NotModified,
            ("refused", None) => {
                Self::Refused(Refusal::read(name, detail, evidence.map(|read| read.0)))
            }
            ("failed", None) => Self::Failed(name.into()),
            _ => Self::Unknown(Box::new(UnknownOutcome {
                outcome,
                verdict,
                reason,
            })),
        }
    }
}

impl Default for Outcome {
    /// An outcome without a name: of a record that says nothing.
    fn default() -> Self {
        Self::Unknown(Box::default())
    }
}

/// The fields of a record that make an outcome, as they were read.
#[derive(Debug, Default, serde::Deserialize)]
pub struct OutcomeParts {
    /// `judged`, `redirected`, `not_modified`, `refused` or `failed`.
    pub outcome: String,
    /// `indexed` or `junk`, for judged pages.
    #[serde(default)]
    pub verdict: Option<String>,
    /// Reason of junk, or the name of the refusal or failure.
    #[serde(default)]
    pub reason: Option<String>,
    /// What the words of a refusal say, for code.
    #[serde(default)]
    pub evidence: Option<RefusalEvidence>,
}

/// What the journal has of a refusal beside its name and its words.
#[derive(Debug, serde::Deserialize)]
#[serde(transparent)]
pub struct RefusalEvidence(Evidence);

impl<'de> serde::Deserialize<'de> for Outcome {
    /// From the fields that [`Serialize`] writes. Records, whose older forms have no `evidence`, are
    /// read by [`Outcome::of_parts`] with their words.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OutcomeParts::deserialize(deserializer).map(|parts| Outcome::of_parts(parts, ""))
    }
}

impl Serialize for Outcome {
    /// As fields of the record that flattens it: `outcome`, `verdict`, `reason`, `evidence`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("outcome", self.name())?;
        if let Some(verdict) = self.verdict() {
            fields.serialize_entry("verdict", verdict)?;
        }
        if let Some(reason) = self.reason() {
            fields.serialize_entry("reason", &reason)?;
        }
        if let Some(evidence) = self.refusal().and_then(Refusal::evidence) {
            fields.serialize_entry("evidence", &evidence)?;
        }
        fields.end()
    }
}
