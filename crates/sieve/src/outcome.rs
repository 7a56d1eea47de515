//! Every fate a URL can meet, by name.
//!
//! The names returned by the `name` functions are what users, reports and archives see. They are a
//! contract: add to them, never change one.

use std::fmt;

use simhash::Neighbour;

/// What happened to a URL in the end.
#[derive(Debug, Clone, PartialEq)]
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
    Failed(Failure),
}

impl Outcome {
    /// The stable name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Judged(_) => "judged",
            Self::Redirected => "redirected",
            Self::NotModified => "not_modified",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
        }
    }

    /// The verdict's name, for judged pages.
    pub fn verdict(&self) -> Option<&'static str> {
        match self {
            Self::Judged(Verdict::Index) => Some("indexed"),
            Self::Judged(Verdict::Junk(_)) => Some("junk"),
            Self::Redirected | Self::NotModified | Self::Refused(_) | Self::Failed(_) => None,
        }
    }

    /// The reason's name: of junk, refusal or failure.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Judged(Verdict::Index) | Self::Redirected | Self::NotModified => None,
            Self::Judged(Verdict::Junk(reason)) => Some(reason.name().to_string()),
            Self::Refused(refusal) => Some(refusal.name().to_string()),
            Self::Failed(failure) => Some(failure.name.clone()),
        }
    }
}

/// The decision about a page that was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// It is kept and can be searched.
    Index,
    /// It is dropped, for a reason.
    Junk(JunkReason),
}

/// Why a page is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JunkReason {
    /// Its words are those of a kept page.
    ExactDuplicate(DuplicateKind),
    /// Its words are nearly those of a kept page.
    NearDuplicate(DuplicateKind),
    /// It is not about the topic.
    OffTopic,
    /// It has hardly any words.
    Thin,
    /// The server said so (4xx).
    ErrorPage,
    /// It says so, though the server said 200.
    SoftNotFound,
    /// It is a list of links.
    Listing,
    /// It asks not to be indexed.
    NoIndex,
    /// It is in a language that is not wanted.
    Language,
    /// It is no page: an image, an archive, a program.
    UnsupportedType,
    /// It belongs to an endless part of its host.
    Trap,
}

impl JunkReason {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExactDuplicate(_) => "exact_duplicate",
            Self::NearDuplicate(_) => "near_duplicate",
            Self::OffTopic => "off_topic",
            Self::Thin => "thin",
            Self::ErrorPage => "error_page",
            Self::SoftNotFound => "soft_404",
            Self::Listing => "listing",
            Self::NoIndex => "noindex",
            Self::Language => "language",
            Self::UnsupportedType => "unsupported_type",
            Self::Trap => "trap",
        }
    }

    /// The duplicate's kind, if it is one.
    pub fn duplicate_kind(self) -> Option<DuplicateKind> {
        match self {
            Self::ExactDuplicate(kind) | Self::NearDuplicate(kind) => Some(kind),
            Self::OffTopic
            | Self::Thin
            | Self::ErrorPage
            | Self::SoftNotFound
            | Self::Listing
            | Self::NoIndex
            | Self::Language
            | Self::UnsupportedType
            | Self::Trap => None,
        }
    }
}

/// Overlap from which a copy counts as whole. A copy with a changed date, byline or advert keeps
/// over nine tenths of its word pairs.
const FULL_OVERLAP: f32 = 0.9;

/// How a duplicate resembles the page it repeats: whole or in part, in the same page layout or
/// another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DuplicateKind {
    /// The whole text, in the same layout.
    FullLayout,
    /// The whole text, in another layout.
    FullContent,
    /// Most of the text, in the same layout.
    PartialLayout,
    /// Most of the text, in another layout.
    PartialContent,
}

impl DuplicateKind {
    /// The kind of a duplicate of `neighbour`.
    pub fn of(neighbour: &Neighbour, same_layout: bool) -> DuplicateKind {
        let full = neighbour.exact || neighbour.overlap >= FULL_OVERLAP;
        match (full, same_layout) {
            (true, true) => Self::FullLayout,
            (true, false) => Self::FullContent,
            (false, true) => Self::PartialLayout,
            (false, false) => Self::PartialContent,
        }
    }

    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::FullLayout => "full_layout",
            Self::FullContent => "full_content",
            Self::PartialLayout => "partial_layout",
            Self::PartialContent => "partial_content",
        }
    }
}

/// Why we did not ask for a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// robots.txt disallows it.
    Robots,
    /// Its address is private, loopback or link-local.
    Guard,
    /// It is out of scope.
    Scope,
    /// It belongs to an endless part of its host.
    Trap,
    /// It is another name of a page that was read, as a rule learnt from confirmed pairs has it.
    Foreseen,
    /// Its host, or its part of the host, has yielded next to nothing for the topic.
    Barren,
}

impl Refusal {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Robots => "robots",
            Self::Guard => "guard",
            Self::Scope => "scope",
            Self::Trap => "trap",
            Self::Foreseen => "duplicate_foreseen",
            Self::Barren => "barren",
        }
    }
}

/// Why a URL could not be had: a name (`dns`, `connect`, `timeout`, `http_503`, …) and words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The stable name.
    pub name: String,
    /// What happened, in words.
    pub detail: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_page_has_a_verdict_and_no_reason() {
        let kept = Outcome::Judged(Verdict::Index);
        assert_eq!(
            (kept.name(), kept.verdict(), kept.reason()),
            ("judged", Some("indexed"), None)
        );
    }

    #[test]
    fn a_failed_url_has_a_reason_and_no_verdict() {
        let failed = Outcome::Failed(Failure {
            name: "dns".into(),
            detail: "no such host".into(),
        });
        assert_eq!((failed.name(), failed.verdict()), ("failed", None));
        assert_eq!(failed.reason().as_deref(), Some("dns"));
    }
}
