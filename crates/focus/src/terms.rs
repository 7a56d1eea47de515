//! A page as the topic sees it: a bounded bag of hashed words, and where the keywords stand.
//!
//! Words come from the title, the main text and the URL. The targets of the page's links count as
//! words too, since pages that point at the same shelf of a site tend to be of one kind; so do the
//! labels a page files itself under. A field is told by a salt in the hash, so that "oracle" in a
//! text and on a label are two terms.
//!
//! A [`PageTerms`] depends on the page and the keywords alone, not on what was learnt: it is made
//! where the page is read, on any thread, and can be made again from the archived text.

use segment::{Segmenter, Words};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::keywords::{Field, Keywords, Matches};
use crate::promise::{UrlParts, url_id};

/// Words of the main text that are looked at; the rest of a longer page says nothing new.
const WORDS_MAX: usize = 1_500;
/// Distinct terms kept of a page, the most frequent first.
const TERMS_MAX: usize = 768;
/// Link targets that count as words.
const LINKS_MAX: usize = 256;
/// Link targets that are looked up among the known pages.
const TARGETS_MAX: usize = 64;
/// Labels that are looked at.
const LABELS_MAX: usize = 32;
/// A word of the title counts like this many in the text.
const TITLE_WEIGHT: f32 = 3.0;

/// Bits of a term number: 2^19 buckets hold the vocabulary of some 10^5 pages with few collisions
/// that matter, in 2 MB for each table over them.
const TERM_BITS: u32 = 19;
/// The number of term buckets.
pub(crate) const TERM_COUNT: usize = 1 << TERM_BITS;

const LINK_SALT: u64 = 0x9e37_79b9_7f4a_7c15;
const LABEL_SALT: u64 = 0xc2b2_ae3d_27d4_eb4f;
const TITLE_SALT: u64 = 0x1656_67b1_9e37_79f9;

/// The bucket of a word's hash.
pub(crate) fn bucket(hash: u64) -> u32 {
    (hash >> (64 - TERM_BITS)) as u32
}

/// What of a page is given to the topic.
#[derive(Debug, Clone, Copy)]
pub struct PageView<'a> {
    /// The title, as extracted.
    pub title: &'a str,
    /// The words of the main text.
    pub words: &'a Words,
    /// The page's URL.
    pub url: &'a Url,
    /// The language found, if any.
    pub lang: Option<&'a str>,
    /// The canonical URLs that the page links to.
    pub links: &'a [&'a str],
    /// What the page files itself under: anchors of `rel=tag` links, meta keywords, section names.
    pub labels: &'a [&'a str],
    /// Whether it is a list of links: an index, a tag page, a front page.
    pub listing: bool,
}

/// A bounded bag of hashed words, and where the keywords stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageTerms {
    /// Sorted by bucket.
    pub(crate) terms: Vec<Term>,
    pub(crate) matches: Matches,
    pub(crate) word_count: u32,
    pub(crate) foreign: bool,
    pub(crate) listing: bool,
    /// Numbers of the URLs it links to.
    pub(crate) targets: Vec<u32>,
}

/// One term and how often it stands on the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Term {
    pub(crate) bucket: u32,
    pub(crate) count: f32,
}

/// How often a keyword stands where on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordPlaces {
    /// The keyword.
    pub keyword: String,
    /// Times in the title.
    pub title: u16,
    /// Times in the main text.
    pub text: u16,
    /// Times in the URL.
    pub url: u16,
    /// Times among what the page files itself under.
    pub labels: u16,
}

impl PageTerms {
    pub(crate) fn of(view: &PageView<'_>, keywords: &Keywords) -> PageTerms {
        let segmenter = Segmenter::shared();
        let mut terms: Vec<Term> = Vec::with_capacity(view.words.len().min(WORDS_MAX) + 640);
        let mut add = |hash: u64, count| {
            terms.push(Term {
                bucket: bucket(hash),
                count,
            })
        };
        for &hash in view.words.hashes().iter().take(WORDS_MAX) {
            add(hash, 1.0);
        }
        let mut matches = keywords.none();
        keywords.find(view.words, WORDS_MAX, Field::Text, &mut matches);
        let title = segmenter.words(view.title);
        for &hash in title.hashes().iter().take(64) {
            add(hash, TITLE_WEIGHT);
            add(hash ^ TITLE_SALT, 1.0);
        }
        keywords.find(&title, 64, Field::Title, &mut matches);
        keywords.find(
            &segmenter.words(&url_text(&UrlParts::of(view.url.as_str()))),
            32,
            Field::Url,
            &mut matches,
        );
        for label in view.labels.iter().take(LABELS_MAX) {
            let label = segmenter.words(label);
            for &hash in label.hashes().iter().take(8) {
                add(hash ^ LABEL_SALT, 1.0);
            }
            keywords.find(&label, 8, Field::Label, &mut matches);
        }
        for target in view.links.iter().take(LINKS_MAX) {
            add(xxh3_64(target.as_bytes()) ^ LINK_SALT, 1.0);
        }
        PageTerms {
            terms: gather(terms),
            matches,
            word_count: view.words.len().min(WORDS_MAX) as u32,
            foreign: keywords.foreign(view.lang),
            listing: view.listing,
            targets: view
                .links
                .iter()
                .take(TARGETS_MAX)
                .map(|target| url_id(target))
                .collect(),
        }
    }

    /// All but the terms.
    pub(crate) fn without_terms(&self) -> PageTerms {
        PageTerms {
            terms: Vec::new(),
            matches: self.matches.clone(),
            targets: self.targets.clone(),
            ..*self
        }
    }

    pub(crate) fn keyword_places(&self, keywords: &Keywords) -> Vec<KeywordPlaces> {
        let found = keywords.list.iter().zip(&self.matches);
        found
            .filter(|(_, counts)| counts.iter().any(|&count| count > 0))
            .map(|(keyword, counts)| KeywordPlaces {
                keyword: keyword.text.clone(),
                title: counts[Field::Title as usize],
                text: counts[Field::Text as usize],
                url: counts[Field::Url as usize],
                labels: counts[Field::Label as usize],
            })
            .collect()
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

/// The words that stand in a URL's path and query, decoded, as text.
pub(crate) fn url_text(url: &UrlParts<'_>) -> String {
    let source = url.path.as_bytes();
    let query = url.query.as_bytes();
    let mut bytes = Vec::with_capacity(source.len() + query.len() + 1);
    for part in [source, b"?", query] {
        let mut at = 0;
        while at < part.len().min(512) {
            let hex = |byte: u8| (byte as char).to_digit(16);
            if part[at] == b'%'
                && at + 2 < part.len()
                && let (Some(high), Some(low)) = (hex(part[at + 1]), hex(part[at + 2]))
            {
                bytes.push((high * 16 + low) as u8);
                at += 3;
            } else {
                let byte = part[at];
                // Separators that UAX 29 would keep inside a word.
                bytes.push(if matches!(byte, b'_' | b'.' | b'+' | b'\'') {
                    b' '
                } else {
                    byte
                });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The terms, each once and sorted by bucket; of too many the most frequent.
fn gather(mut terms: Vec<Term>) -> Vec<Term> {
    sort_by_bucket(&mut terms);
    terms.dedup_by(|next, kept| {
        let same = next.bucket == kept.bucket;
        if same {
            kept.count += next.count;
        }
        same
    });
    if terms.len() > TERMS_MAX {
        let mut counts: Vec<f32> = terms.iter().map(|term| term.count).collect();
        let (_, &mut least, _) = counts.select_nth_unstable_by(TERMS_MAX, |a, b| b.total_cmp(a));
        let more = terms.iter().filter(|term| term.count > least).count();
        let mut as_many = TERMS_MAX - more;
        terms.retain(|term| {
            let fits = term.count == least && as_many > 0;
            as_many -= usize::from(fits);
            fits || term.count > least
        });
    }
    terms
}

/// Sorts by halves of the bucket's bits, the lower first: faster than by comparison for a page's
/// thousands of words.
fn sort_by_bucket(terms: &mut Vec<Term>) {
    const HALF_BITS: u32 = TERM_BITS.div_ceil(2);
    let mut sorted = terms.clone();
    for shift in [0, HALF_BITS] {
        let half = |term: &Term| (term.bucket >> shift) as usize & ((1 << HALF_BITS) - 1);
        let mut places = [0u32; 1 << HALF_BITS];
        for term in &*terms {
            places[half(term)] += 1;
        }
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        for term in &*terms {
            let place = &mut places[half(term)];
            sorted[*place as usize] = *term;
            *place += 1;
        }
        std::mem::swap(terms, &mut sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_most_frequent_terms_are_kept_in_the_order_of_their_buckets(
            buckets in prop::collection::vec(0u32..TERM_COUNT as u32, 0..3_000),
            range in 1u32..2_000,
        ) {
            let terms: Vec<Term> = buckets
                .iter()
                .map(|bucket| Term { bucket: bucket % range * 262, count: 1.0 })
                .collect();
            let mut counts = std::collections::BTreeMap::<u32, f32>::new();
            for term in &terms {
                *counts.entry(term.bucket).or_default() += 1.0;
            }
            let mut wanted: Vec<(u32, f32)> = counts.into_iter().collect();
            wanted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            wanted.truncate(TERMS_MAX);
            wanted.sort_by_key(|(bucket, _)| *bucket);
            let kept: Vec<(u32, f32)> = gather(terms)
                .iter()
                .map(|term| (term.bucket, term.count))
                .collect();
            prop_assert_eq!(kept, wanted);
        }
    }
}
