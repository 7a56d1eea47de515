//! Whether a page is kept, by its measures and by the kept pages that are near it.

use archive::PageSummary;
use outcome::{PageType, Verdict};
use sieve::{Content, Evidence, Keep, Member, Rules};
use simhash::{Decision, IndexError, Neighbour, Reason, TextPrint};

use super::{KeptPage, KeptPages, compared_words, layout_of, words_of_whole};

/// A page that was measured, to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// Canonical URL.
    pub url: &'a str,
    /// Host key.
    pub host: &'a str,
    /// HTTP status.
    pub status: u16,
    /// What was measured on it.
    pub page: &'a PageSummary,
    /// Its print.
    pub print: &'a TextPrint,
    /// Its print before the host's template was cut from it, if any was.
    pub whole: Option<&'a TextPrint>,
    /// The record of the same URL as it was read before: no page is a duplicate of itself.
    pub own: Option<u64>,
    /// The record of a kept page that has moved here for good.
    pub succeeds: Option<u64>,
}

/// Why a page takes the place of one that has moved here.
pub(crate) const MOVED_HERE: &str = "it has moved here for good";

/// A verdict and what it follows from.
#[derive(Debug)]
pub struct Judgement {
    /// The page's own measures, and its nearest kept neighbour.
    pub evidence: Evidence,
    /// What is known of that neighbour.
    pub near: Option<KeptPage>,
    /// The decision.
    pub verdict: Verdict,
    /// The page takes the place of its neighbour, for this reason.
    pub takes_place: Option<&'static str>,
}

impl KeptPages {
    /// Judges a page. Nothing is kept by that: the tables are asked through `&mut` for the caches
    /// they have.
    ///
    /// # Errors
    /// When the tables cannot be read.
    pub fn judge(
        &mut self,
        page: &Measured<'_>,
        rules: &Rules,
        keep: Keep,
    ) -> Result<Judgement, IndexError> {
        // What a wall says is no text of the site's: it resembles nothing.
        let neighbour = match page.page.wall.is_some() && !rules.keep_walls {
            true => None,
            false => self.nearest(page, rules)?,
        };
        let near = neighbour.as_ref().and_then(|near| self.get(near.page));
        let layout = layout_of(page.page);
        let lang = &page.page.lang;
        let evidence = Evidence {
            status: page.status,
            content: Content::Page,
            is_wall: page.page.wall.is_some(),
            words: words_of_whole(page.page),
            may_index: page.page.may_index,
            soft_404: page.page.soft_404,
            listing: is_listing(&page.page.page_type),
            language: Some(lang.clone()).filter(|lang| !lang.is_empty()),
            relevance: page.page.relevance,
            same_layout: near
                .is_some_and(|near| (near.layout ^ layout).count_ones() <= sieve::LAYOUT_BITS_MAX),
            neighbour,
        };
        let mut verdict = sieve::judge(&evidence, rules);
        let is_duplicate = match &verdict {
            Verdict::Junk(reason) => reason.is_duplicate(),
            Verdict::Index => false,
        };
        let near = near.cloned();
        let takes_place = near.as_ref().filter(|_| is_duplicate).and_then(|near| {
            let new = Member {
                url: page.url.into(),
                words: compared_words(page.page),
                published: page.page.published.clone(),
                canonical: page.page.canonical.clone(),
            };
            let has_moved = page.succeeds == evidence.neighbour.as_ref().map(|near| near.page);
            let better = || sieve::better_representative(&near.member(), &new, keep);
            has_moved.then_some(MOVED_HERE).or_else(better)
        });
        if takes_place.is_some() {
            verdict = Verdict::Index;
        }
        Ok(Judgement {
            evidence,
            near,
            verdict,
            takes_place,
        })
    }

    /// The nearest kept page: one with the very text that the page had before its host's template
    /// was cut, else the nearest to what was left. Pages that were kept before the template was
    /// known have it in their prints; of those that lost it the digest of the whole text is known. Pages of the same host are doubted one by one, so that a copy
    /// elsewhere is found behind a sibling that is none.
    pub(super) fn nearest(
        &mut self,
        page: &Measured<'_>,
        rules: &Rules,
    ) -> Result<Option<Neighbour>, IndexError> {
        if page.print.word_count == 0 || !(200..300).contains(&page.status) {
            return Ok(None);
        }
        if let Some(near) = self.same_whole(page)? {
            return Ok(Some(near));
        }
        if let Some(whole) = page.whole
            && let Some(near) = self
                .prints
                .nearest_by(whole, |near| not_own(near, page.own))?
            && near.exact
            && near.decision == Decision::Duplicate
        {
            return Ok(Some(near));
        }
        let kept = &self.pages;
        let is_sibling = |seq| {
            let kept = kept.get(&seq);
            kept.is_some_and(|kept: &KeptPage| kept.is_on(page.host))
        };
        let near = self.prints.nearest_by(page.print, |near| {
            let near = not_own(near, page.own);
            // Most candidates are no duplicates, sibling or not: their host is not looked up.
            let doubted = sieve::between_siblings(near, rules);
            match doubted != near && is_sibling(near.page) {
                true => doubted,
                false => near,
            }
        })?;
        Ok(near.filter(|near| Some(near.page) != page.own))
    }

    /// A kept page that lost its host's template, and had the very text before that the page has.
    fn same_whole(&mut self, page: &Measured<'_>) -> Result<Option<Neighbour>, IndexError> {
        let print = page.whole.unwrap_or(page.print);
        let known = self.first_of_whole(print.digest);
        let Some(seq) = known.filter(|&seq| Some(seq) != page.own) else {
            return Ok(None);
        };
        let kept = self.prints.get(seq)?;
        Ok(kept.map(|kept| Neighbour {
            page: seq,
            fingerprint: kept.fingerprint,
            // That of the whole texts, which are the same.
            distance: 0,
            overlap: 1.0,
            containment: Some(1.0),
            table: u8::MAX,
            word_count: kept.word_count,
            exact: true,
            decision: Decision::Duplicate,
            reason: Reason::SameText,
        }))
    }
}

/// A neighbour as it was judged; the page's own earlier version is nobody's duplicate.
fn not_own(near: Neighbour, own: Option<u64>) -> Neighbour {
    match Some(near.page) == own {
        true => Neighbour {
            decision: Decision::Unconfirmed,
            ..near
        },
        false => near,
    }
}

/// Page types that the verdict drops where lists of links are not wanted. A collection of goods
/// is a list for the focus model only: it has prices and names that are searched for.
fn is_listing(page_type: &PageType) -> bool {
    match page_type {
        PageType::Listing | PageType::FrontPage => true,
        PageType::Collection
        | PageType::Article
        | PageType::Forum
        | PageType::Product
        | PageType::Documentation
        | PageType::Service
        | PageType::Other
        | PageType::Wall
        | PageType::Unknown(_) => false,
    }
}
