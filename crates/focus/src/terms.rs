//! A page as the topic sees it: a bounded bag of hashed words.
//!
//! Words come from the title, the main text and the URL; the targets of the page's links count as
//! words too, since pages that point at the same shelf of a site tend to be of one kind. A field
//! is told by a salt in the hash, so that "oracle" in a title and in a URL are two terms.
//!
//! A `PageTerms` depends on the page alone, not on the model: it is made where the page is read,
//! on any thread, and can be made again from the archived text.

use segment::{Segmenter, Words};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Words of the main text that are looked at; the rest of a longer page says nothing new.
const WORDS_MAX: usize = 4_000;
/// Distinct terms kept of a page, the most frequent first.
const TERMS_MAX: usize = 1_024;
/// Link targets that count as words.
const LINKS_MAX: usize = 256;
/// Weight of a title word in occurrences.
const TITLE_WEIGHT: f32 = 3.0;

/// Salt of terms that are link targets.
const LINK_SALT: u64 = 0x9e37_79b9_7f4a_7c15;

/// What of a page is given to the topic.
#[derive(Debug, Clone, Copy)]
pub struct PageView<'a> {
    /// The title, as extracted.
    pub title: &'a str,
    /// The words of the main text.
    pub words: &'a Words,
    /// The page's URL.
    pub url: &'a Url,
    /// The canonical URLs that the page links to.
    pub links: &'a [&'a str],
}

/// A bounded bag of hashed words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageTerms {
    pub(crate) terms: Vec<Term>,
}

/// One term and how often it stands on the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Term {
    pub(crate) hash: u64,
    pub(crate) count: f32,
}

impl PageTerms {
    /// The terms of a page.
    pub fn of(view: &PageView<'_>) -> PageTerms {
        let title = Segmenter::shared().words(view.title);
        let mut terms: Vec<Term> = Vec::with_capacity(view.words.len().min(WORDS_MAX) + 64);
        let mut add = |hash, count| terms.push(Term { hash, count });
        for &hash in view.words.hashes().iter().take(WORDS_MAX) {
            add(hash, 1.0);
        }
        for &hash in title.hashes().iter().take(64) {
            add(hash, TITLE_WEIGHT);
        }
        for target in view.links.iter().take(LINKS_MAX) {
            add(xxh3_64(target.as_bytes()) ^ LINK_SALT, 1.0);
        }
        terms.sort_unstable_by_key(|term| term.hash);
        terms.dedup_by(|next, kept| {
            let same = next.hash == kept.hash;
            if same {
                kept.count += next.count;
            }
            same
        });
        if terms.len() > TERMS_MAX {
            terms.sort_by(|a, b| b.count.total_cmp(&a.count).then(a.hash.cmp(&b.hash)));
            terms.truncate(TERMS_MAX);
            terms.sort_unstable_by_key(|term| term.hash);
        }
        PageTerms { terms }
    }

    /// The number of distinct terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether the page has no words at all.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}
