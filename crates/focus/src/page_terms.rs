//! A page as the topic sees it: a bounded bag of hashed words, and the counts of the keywords.
//!
//! Terms are the words of the title and of the main text. The targets of the page's links are terms
//! as well, because pages that link to the same part of a site tend to be of one kind; so are the
//! words of the labels and shelves (`shelves.rs`) under which the page files itself. A salt in the hash tells the fields apart,
//! so "oracle" in a text and "oracle" on a label are two terms.
//!
//! The bag is of the beginning of the main text, which says what a page is about. A keyword may have
//! a section of its own farther down, so keywords are looked for in all of the text.
//!
//! A [`PageTerms`] depends on the page and the keywords alone, not on what was learnt. So it is made
//! where the page is read, on any thread, and can be made again from the archived text.

use segment::{Segmenter, Tongue, Words};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::hashing::{TERM_BITS, term_bucket};
use crate::keywords::{Field, KeywordCounts, Keywords};
use crate::page_form::{PageForm, form_of};
use crate::shelves::shelves_of;
use crate::url_parts::{UrlParts, url_id, url_text};

/// Words of the main text that are terms. What follows on a longer page hardly changes the bag.
pub(crate) const BEGINNING_WORDS: usize = 1_500;
/// Words of the main text that are looked through for keywords.
const KEYWORD_WORDS_MAX: usize = 200_000;
/// Words of the title that are looked at.
const TITLE_WORDS_MAX: usize = 64;
/// Words of the URL that are looked through for keywords.
const URL_WORDS_MAX: usize = 32;
/// Labels that are looked at.
const LABELS_MAX: usize = 32;
/// Words of a label that are looked at.
const LABEL_WORDS_MAX: usize = 8;
/// Link targets that count as terms.
const LINKS_MAX: usize = 256;
/// Link targets whose relevance is looked up when the page is judged.
const TARGETS_MAX: usize = 64;
/// Distinct terms kept of a page, the most frequent ones.
const TERMS_MAX: usize = 768;
/// A word of the title counts like this many in the text.
const TITLE_WEIGHT: f32 = 3.0;

const LINK_SALT: u64 = 0x9e37_79b9_7f4a_7c15;
const LABEL_SALT: u64 = 0xc2b2_ae3d_27d4_eb4f;
const TITLE_SALT: u64 = 0x1656_67b1_9e37_79f9;

/// What the topic is shown of a page.
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
    /// What the page files itself under: the anchors of its `rel=tag` links.
    pub labels: &'a [&'a str],
    /// Whether it is a list of links: an index, a tag page, a front page.
    pub listing: bool,
}

/// A page's terms, and the counts of the keywords; made by [`Topic::read`](crate::Topic::read).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageTerms {
    /// Each term once, sorted by bucket.
    pub(crate) terms: Vec<Term>,
    /// The words of text, title, labels and shelves alone, sorted by bucket. Kept of examples only.
    pub(crate) words: Vec<Term>,
    pub(crate) keyword_counts: KeywordCounts,
    /// Words of the main text, as far as it was looked through for keywords.
    pub(crate) word_count: u32,
    /// The number of its URL.
    pub(crate) url_id: u32,
    pub(crate) unwanted_language: bool,
    /// A number for its language; 0 where that is not known.
    pub(crate) language: u32,
    pub(crate) listing: bool,
    /// What it looks like, whatever it says.
    pub(crate) form: PageForm,
    /// Numbers of the URLs that the page links to.
    pub(crate) targets: Vec<u32>,
}

/// One term, and how often it stands on the page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Term {
    pub(crate) bucket: u32,
    pub(crate) count: f32,
}

/// How often a keyword stands in each field of a page.
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
        let mut keyword_counts = keywords.no_counts();
        let links = view.links.iter();
        let mut words = words_of(view, keywords, &mut keyword_counts);
        let (others, labels) = other_terms_of(view, keywords, &mut keyword_counts);
        let terms = words.iter().copied().chain(others).collect();
        words.extend(labels.into_iter().map(|hash| Term {
            bucket: term_bucket(hash),
            count: 1.0,
        }));
        PageTerms {
            terms: merge_terms(terms),
            words: merge_terms(words),
            keyword_counts,
            url_id: url_id(view.url.as_str()),
            word_count: view.words.len().min(KEYWORD_WORDS_MAX) as u32,
            unwanted_language: keywords.is_unwanted_language(view.lang),
            language: view.lang.map_or(0, language_number),
            listing: view.listing,
            form: form_of(
                &UrlParts::of(view.url.as_str()),
                view.title,
                view.words.len(),
                view.links.len(),
                view.listing,
            ),
            targets: links.take(TARGETS_MAX).map(|link| url_id(link)).collect(),
        }
    }

    /// A copy without the terms.
    pub(crate) fn without_terms(&self) -> PageTerms {
        PageTerms {
            terms: Vec::new(),
            words: Vec::new(),
            keyword_counts: self.keyword_counts.clone(),
            targets: self.targets.clone(),
            ..*self
        }
    }

    /// The keywords that stand on the page, and where.
    pub(crate) fn keyword_places(&self, keywords: &Keywords) -> Vec<KeywordPlaces> {
        let found = keywords.list.iter().zip(&self.keyword_counts);
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

/// Languages are told apart with their regions and scripts: of `zh-CN` and `zh-TW` each has pages of
/// its own.
fn language_number(code: &str) -> u32 {
    let code = code.trim().to_ascii_lowercase();
    match code.is_empty() {
        true => 0,
        false => url_id(&code).max(1),
    }
}

/// The words of a page's text and title, and the counts of the keywords there.
fn words_of(view: &PageView<'_>, keywords: &Keywords, counts: &mut KeywordCounts) -> Vec<Term> {
    let text = view.words.hashes().iter().take(BEGINNING_WORDS);
    let title = Segmenter::shared().words(view.title);
    let page = view.lang.and_then(Tongue::of_tag);
    keywords.count_text(view.words, KEYWORD_WORDS_MAX, BEGINNING_WORDS, page, counts);
    keywords.count(&title, TITLE_WORDS_MAX, Field::Title, page, counts);
    let of = |weight: f32| {
        move |hash: &u64| Term {
            bucket: term_bucket(*hash),
            count: weight,
        }
    };
    let title = title.hashes().iter().take(TITLE_WORDS_MAX);
    text.map(of(1.0))
        .chain(title.map(of(TITLE_WEIGHT)))
        .collect()
}

/// All other terms of a page in the order of its fields; the words of its labels and shelves; and the
/// counts of the keywords there.
fn other_terms_of(
    view: &PageView<'_>,
    keywords: &Keywords,
    counts: &mut KeywordCounts,
) -> (Vec<Term>, Vec<u64>) {
    let segmenter = Segmenter::shared();
    let page = view.lang.and_then(Tongue::of_tag);
    let mut terms: Vec<Term> = Vec::with_capacity(640);
    let mut add = |hash: u64| {
        let bucket = term_bucket(hash);
        terms.push(Term { bucket, count: 1.0 });
    };
    for &hash in segmenter
        .words(view.title)
        .hashes()
        .iter()
        .take(TITLE_WORDS_MAX)
    {
        add(hash ^ TITLE_SALT);
    }
    let url = segmenter.words(&url_text(&UrlParts::of(view.url.as_str())));
    keywords.count(&url, URL_WORDS_MAX, Field::Url, page, counts);
    let mut labelled: Vec<u64> = Vec::new();
    for label in view.labels.iter().take(LABELS_MAX) {
        let label = segmenter.words(label);
        for &hash in label.hashes().iter().take(LABEL_WORDS_MAX) {
            add(hash ^ LABEL_SALT);
            labelled.push(hash);
        }
        keywords.count(&label, LABEL_WORDS_MAX, Field::Label, page, counts);
    }
    let links = &view.links[..view.links.len().min(LINKS_MAX)];
    for shelf in shelves_of(view.url, links) {
        let shelf = segmenter.words(&shelf);
        let words = shelf.hashes().iter().take(LABEL_WORDS_MAX);
        let new: Vec<u64> = words
            .copied()
            .filter(|word| !labelled.contains(word))
            .collect();
        if new.is_empty() {
            continue;
        }
        new.iter().for_each(|word| add(word ^ LABEL_SALT));
        labelled.extend(new);
        // A shelf in a menu is not the page's own, so it rules no page out.
        keywords.count_wanted(&shelf, LABEL_WORDS_MAX, Field::Label, page, counts);
    }
    for target in view.links.iter().take(LINKS_MAX) {
        add(xxh3_64(target.as_bytes()) ^ LINK_SALT);
    }
    (terms, labelled)
}

/// Each term once with the sum of its counts, sorted by bucket; of more than [`TERMS_MAX`] the most
/// frequent, and of equally frequent ones those of the lower buckets.
fn merge_terms(mut terms: Vec<Term>) -> Vec<Term> {
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
        let mut ties_left = TERMS_MAX - more;
        terms.retain(|term| {
            let fits = term.count == least && ties_left > 0;
            ties_left -= usize::from(fits);
            fits || term.count > least
        });
    }
    terms
}

/// Radix sort by the two halves of the bucket's bits: faster than sorting by comparison for a page's
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
    use crate::hashing::TERM_COUNT;
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
            let kept: Vec<(u32, f32)> = merge_terms(terms)
                .iter()
                .map(|term| (term.bucket, term.count))
                .collect();
            prop_assert_eq!(kept, wanted);
        }
    }
}
