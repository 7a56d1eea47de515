//! What was found at a URL, before anything is decided about it.
//!
//! A finding is the fetcher's answer and the reader's page put together. It is a value: whoever
//! makes it asks no index and changes nothing.

use std::sync::Arc;
use std::time::Duration;

use again::Shown;
use extractor::{BlockKeys, Page};
use fetcher::{FetchError, Fetched, Robots, SitemapUrl};
use frontier::{CanonicalUrl, HostKey, Lease};
use outcome::{FailureKind, LinkFate, Refusal, RobotsAnswer, SitemapKind};
use segment::Words;
use simhash::TextPrint;

/// Bytes of `rel` tokens that the places of one link add up to, at most.
const REL_BYTES_MAX: usize = 200;

/// Places of one link on a page that are kept.
const LINK_PLACES_MAX: usize = 4;

/// An answer and when it was asked for. Clones share the body.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What came back.
    pub fetched: Result<Fetched, FetchError>,
    /// When the request was made, milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// From the request to the end of the body.
    pub took: Duration,
}

impl Answer {
    /// Bytes of body that it holds in memory.
    pub fn body_bytes(&self) -> u64 {
        let fetched = self.fetched.as_ref();
        fetched.map_or(0, |fetched| fetched.body.len() as u64)
    }
}

/// A visit, read.
#[derive(Debug)]
pub enum Finding {
    /// A URL's.
    Url(Box<UrlFinding>),
    /// A host's robots.txt.
    Robots(Box<RobotsFinding>),
}

impl Finding {
    /// Bytes of body that it holds in memory and that count against the bound of those.
    pub fn body_bytes(&self) -> u64 {
        match self {
            Self::Url(finding) => finding.answer.as_ref().map_or(0, Answer::body_bytes),
            Self::Robots(_) => 0,
        }
    }
}

/// A host's robots.txt, asked for.
#[derive(Debug)]
pub struct RobotsFinding {
    /// The host.
    pub host: HostKey,
    /// Scheme and authority whose robots.txt it is.
    pub origin: String,
    /// The host that gave the last answer.
    pub answered_by: HostKey,
    /// The scheme and authority that did.
    pub answered_at: String,
    /// What came back, after redirects.
    pub answer: Answer,
    /// What it says; of an answer that broke off, its whole lines.
    pub robots: Arc<Robots>,
    /// What follows from the answer by itself.
    pub rules: RobotsAnswer,
}

/// What was found at a URL.
#[derive(Debug)]
pub struct UrlFinding {
    /// The right to finish the URL.
    pub lease: Lease,
    /// What was found.
    pub reading: Reading,
    /// The answer it was found in; `None` when nothing was asked.
    pub answer: Option<Answer>,
    /// Content type as declared or sniffed, without parameters.
    pub content_type: String,
    /// The page as it was at the visit before, where it is visited again.
    pub before: Option<Before>,
}

/// What a page is compared with that was read before.
#[derive(Debug, Default)]
pub struct Before {
    /// Its main text, as it was archived.
    pub text: String,
    /// All text of the page then and now, where its main text differs and both are at hand.
    pub shown: Option<Shown>,
}

/// What an answer turned out to be.
#[derive(Debug)]
pub enum Reading {
    /// A page that was read.
    Page(Box<PageReading>),
    /// An answer without a page in it: an error status, or a type that is not read.
    NoPage {
        /// A hash of the body.
        payload: u64,
    },
    /// A sitemap; links are its URLs.
    Sitemap(SitemapReading),
    /// A redirect to another URL.
    Redirect(Result<CanonicalUrl, String>),
    /// Not changed since it was last read.
    NotModified,
    /// It was not asked for: by robots.txt, the address guard, a trap rule, the scope or a budget, a
    /// learnt rule, or since its host was given up.
    Refused(Refusal),
    /// It could not be had; `transient` when trying again may help.
    Failed {
        /// Why not.
        kind: FailureKind,
        /// What happened.
        detail: String,
        /// Whether to try again.
        transient: bool,
    },
}

/// A sitemap, read.
#[derive(Debug, Default)]
pub struct SitemapReading {
    /// What kind of sitemap it is.
    pub kind: SitemapKind,
    /// Its URLs.
    pub urls: Vec<(CanonicalUrl, SitemapUrl)>,
    /// Why reading ended early.
    pub problem: Option<String>,
}

/// A page, read.
#[derive(Debug)]
pub struct PageReading {
    /// The page; its links are in `links`.
    pub page: Page,
    /// Encoding it was decoded from.
    pub charset: &'static str,
    /// Keys of its blocks, from which the host's template is learnt.
    pub blocks: BlockKeys,
    /// The blocks that were cut as the host's template, and the print before that.
    pub whole: Option<(u32, TextPrint)>,
    /// What it says itself, beside what stands in the margins of its host's pages; `None` where nothing does.
    pub own: Option<String>,
    /// The page it names as the source of its text.
    pub source: Option<url::Url>,
    /// Words of the main text.
    pub words: Words,
    /// Fingerprint and sketch.
    pub print: TextPrint,
    /// Language code.
    pub language: Option<String>,
    /// A hash of the decoded body.
    pub payload: u64,
    /// Reads like an error page.
    pub soft_404: bool,
    /// Links, canonical, each URL once, in order.
    pub links: Vec<FoundLink>,
    /// Bounds that were hit.
    pub limits_hit: Vec<String>,
    /// Why this is the beginning of the page alone, in words; `None` for a whole page.
    pub cut: Option<&'static str>,
}

/// A link as found on a page.
#[derive(Debug)]
pub struct FoundLink {
    /// Canonical target, or why it is none that can be crawled.
    pub target: Result<CanonicalUrl, (String, LinkFate)>,
    /// `rel` tokens of all its places.
    pub rel: String,
    /// The page asks not to follow it, wherever it stands.
    pub nofollow: bool,
    /// Where it stands on the page: at least one place, at most four.
    pub places: Vec<LinkPlace>,
}

impl FoundLink {
    /// The first anchor text that is not empty: a picture with a link often stands before its title.
    pub fn anchor(&self) -> &str {
        let mut anchors = self.places.iter().map(|place| place.anchor.as_str());
        anchors.find(|anchor| !anchor.is_empty()).unwrap_or("")
    }

    /// Takes in that the page has the link at one more place.
    pub fn again(&mut self, rel: &str, nofollow: bool, place: LinkPlace) {
        self.nofollow &= nofollow;
        for token in rel.split_whitespace() {
            let fits = self.rel.len() + token.len() < REL_BYTES_MAX;
            if fits && !self.rel.split_whitespace().any(|known| known == token) {
                self.rel.push(' ');
                self.rel.push_str(token);
            }
        }
        if self.places.len() < LINK_PLACES_MAX && !self.places.contains(&place) {
            self.places.push(place);
        }
    }
}

/// One of the places at which a page has a link.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkPlace {
    /// Anchor text, shortened.
    pub anchor: String,
    /// Text around it.
    pub context: String,
    /// Path of tags down to it.
    pub tag_path: String,
    /// It stands in the main content.
    pub in_main: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_nofollow_only_if_all_its_places_are_and_its_rels_add_up() {
        let place = |anchor: &str| LinkPlace {
            anchor: anchor.into(),
            ..LinkPlace::default()
        };
        let mut link = FoundLink {
            target: Err(("mailto:a@b".into(), LinkFate::Scheme)),
            rel: "nofollow".into(),
            nofollow: true,
            places: vec![place("")],
        };
        link.again("tag nofollow", false, place("planner"));
        for number in 0..9 {
            link.again("tag", true, place(&number.to_string()));
        }
        assert_eq!((link.rel.as_str(), link.nofollow), ("nofollow tag", false));
        assert_eq!(link.anchor(), "planner");
        assert_eq!(link.places.len(), LINK_PLACES_MAX);
    }
}
