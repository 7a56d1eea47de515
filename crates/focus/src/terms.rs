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
        let mut terms = count_words(view.words.hashes());
        let mut add = |hash: u64, count| {
            terms.push(Term {
                bucket: bucket(hash),
                count,
            })
        };
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

    pub(crate) fn places(&self, keywords: &Keywords) -> Vec<KeywordPlaces> {
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

/// The words of the text, each once: sorting bare numbers is what makes this cheap.
fn count_words(hashes: &[u64]) -> Vec<Term> {
    let mut buckets: Vec<u32> = hashes
        .iter()
        .take(WORDS_MAX)
        .map(|&hash| bucket(hash))
        .collect();
    buckets.sort_unstable();
    let mut terms: Vec<Term> = Vec::with_capacity(buckets.len() / 2 + 64);
    for bucket in buckets {
        match terms.last_mut() {
            Some(last) if last.bucket == bucket => last.count += 1.0,
            _ => terms.push(Term { bucket, count: 1.0 }),
        }
    }
    terms
}

fn gather(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort_by_key(|term| term.bucket);
    terms.dedup_by(|next, kept| {
        let same = next.bucket == kept.bucket;
        if same {
            kept.count += next.count;
        }
        same
    });
    if terms.len() > TERMS_MAX {
        terms.sort_by(|a, b| b.count.total_cmp(&a.count).then(a.bucket.cmp(&b.bucket)));
        terms.truncate(TERMS_MAX);
        terms.sort_by_key(|term| term.bucket);
    }
    terms
}
