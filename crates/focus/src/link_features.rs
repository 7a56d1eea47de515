//! What is known of a link before its target is fetched, small enough to wait in a queue of millions.
//!
//! A priority that was right when a link was found is wrong a thousand pages later, when the model
//! has learnt more. So the queue keeps what the priority was made from: page numbers of some pages
//! with the link, hashed words of its anchor, its URL and the text around it, and the groups of
//! links it belongs to. From these the link model makes a new priority at any time, without looking
//! at the pages again.
//!
//! A URL that many pages link to keeps a sample of them (the twelve whose numbers have the smallest
//! hashes, so that the order of discovery does not matter) and their count.

use segment::{Segmenter, Words};
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64;

use crate::hashing::{TERM_COUNT, split_mix, term_bucket};
use crate::keywords::Keywords;
use crate::url_parts::{UrlParts, clip, url_form, url_id, url_text};

/// Pages with the link that are kept by number.
pub(crate) const PARENTS_MAX: usize = 12;
/// Words of the anchor that are kept.
pub(crate) const ANCHOR_WORDS_MAX: usize = 8;
/// Words of the URL that are kept.
pub(crate) const URL_WORDS_MAX: usize = 6;
/// Words around the link that are kept, on all pages with it; the anchor's are not among them.
pub(crate) const CONTEXT_WORDS_MAX: usize = 32;
/// Bytes of an anchor, or of the text around a link, that are looked at.
const TEXT_BYTES_MAX: usize = 240;
/// Words read from one text: of a context about twice as many as an anchor has, since these are taken
/// out of it.
const TEXT_WORDS_MAX: usize = 16;
/// Numbers in the stored form.
const NUMBERS_MAX: usize = 8 + PARENTS_MAX + ANCHOR_WORDS_MAX + URL_WORDS_MAX + CONTEXT_WORDS_MAX;
/// The first byte of the stored form.
const VERSION: u8 = 1;

/// A link as it stands on a page.
#[derive(Debug, Clone, Copy)]
pub struct LinkContext<'a> {
    /// Number of the page it stands on: the one given to [`Focus::on_page`](crate::Focus::on_page).
    /// `None` when no page has the link, as with a sitemap's URL.
    pub parent: Option<u32>,
    /// Where it points to, canonical.
    pub url: &'a str,
    /// Anchor text.
    pub anchor: &'a str,
    /// The text around it, with or without the anchor.
    pub context: &'a str,
    /// Tag path, as in `html>body>ul.menu>li>a`.
    pub tag_path: &'a str,
    /// Whether it stands in the main content.
    pub in_main: bool,
}

/// What is kept of a pending link, in at most some 300 bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkFeatures {
    /// Hash of the URL. The choice of links to explore is drawn from it.
    pub(crate) url_id: u32,
    /// A sample of the pages with this link, by number.
    pub(crate) parents: SmallVec<[u32; PARENTS_MAX]>,
    /// How many pages have this link.
    pub(crate) parent_count: u32,
    pub(crate) anchor_words: SmallVec<[u32; ANCHOR_WORDS_MAX]>,
    pub(crate) url_words: SmallVec<[u32; URL_WORDS_MAX]>,
    pub(crate) context_words: SmallVec<[u32; CONTEXT_WORDS_MAX]>,
    /// Which keywords stand in anchor, URL and context, one bit each.
    pub(crate) keyword_masks: [u32; 3],
    /// The groups of links it belongs to: host; host and URL form; host and tag path.
    pub(crate) groups: [u32; 3],
    pub(crate) in_main: bool,
}

impl LinkFeatures {
    pub(crate) fn of(link: &LinkContext<'_>, keywords: &Keywords) -> LinkFeatures {
        LinkFeatures::assemble(
            link,
            TextWords::of(link.anchor, keywords),
            UrlWords::of(link.url, keywords),
            TextWords::of(link.context, keywords),
        )
    }

    /// The features of a link whose texts and URL have been cut into words.
    pub(crate) fn assemble(
        link: &LinkContext<'_>,
        anchor: TextWords,
        url: UrlWords,
        context: TextWords,
    ) -> LinkFeatures {
        let keyword_masks = [anchor.keywords, url.text.keywords, context.keywords];
        let anchor_words: SmallVec<_> = anchor.words.into_iter().take(ANCHOR_WORDS_MAX).collect();
        let around = context.words.into_iter();
        let around = around.filter(|word| !anchor_words.contains(word));
        LinkFeatures {
            url_id: url.id,
            parents: link.parent.into_iter().collect(),
            parent_count: u32::from(link.parent.is_some()),
            context_words: around.take(CONTEXT_WORDS_MAX).collect(),
            url_words: url.text.words.into_iter().take(URL_WORDS_MAX).collect(),
            anchor_words,
            keyword_masks,
            groups: [
                url.host as u32,
                url.form,
                split_mix(url.host ^ xxh3_64(link.tag_path.as_bytes())) as u32,
            ],
            in_main: link.in_main,
        }
    }

    /// Adds what another link to the same URL says.
    pub fn merge(&mut self, other: &LinkFeatures) {
        if self.parents.is_empty() {
            // A sitemap named it: the first page that links to it gives the tag path.
            self.groups[2] = other.groups[2];
        }
        for &parent in &other.parents {
            if !self.parents.contains(&parent) {
                self.parents.push(parent);
                self.parent_count = self.parent_count.saturating_add(1);
            }
        }
        self.parents
            .sort_by_key(|&parent| split_mix(u64::from(parent)));
        self.parents.truncate(PARENTS_MAX);
        add_words(&mut self.anchor_words, &other.anchor_words);
        add_words(&mut self.context_words, &other.context_words);
        for (mask, more) in self.keyword_masks.iter_mut().zip(other.keyword_masks) {
            *mask |= more;
        }
        if other.in_main && !self.in_main {
            self.in_main = true;
            self.groups[2] = other.groups[2];
        }
    }

    /// What `other` would add if it were merged: as much of it as there is room for and that is not
    /// known. Merging it does what merging `other` does, given the pages with the link.
    pub fn additions(&self, other: &LinkFeatures) -> LinkFeatures {
        let takes_path = self.parents.is_empty() || (other.in_main && !self.in_main);
        let mut keyword_masks = other.keyword_masks;
        for (theirs, mine) in keyword_masks.iter_mut().zip(self.keyword_masks) {
            *theirs &= !mine;
        }
        LinkFeatures {
            anchor_words: added_words(&self.anchor_words, &other.anchor_words),
            context_words: added_words(&self.context_words, &other.context_words),
            keyword_masks,
            groups: [0, 0, if takes_path { other.groups[2] } else { 0 }],
            in_main: other.in_main && !self.in_main,
            ..LinkFeatures::default()
        }
    }

    /// Says on which page the link stands.
    pub fn found_on(&mut self, page: u32) {
        self.parents = [page].into_iter().collect();
        self.parent_count = 1;
    }

    /// The features as bytes, for the frontier and the journal.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(300);
        bytes.push(VERSION);
        bytes.push(u8::from(self.in_main));
        let lists: [&[u32]; 4] = [
            &self.parents,
            &self.anchor_words,
            &self.url_words,
            &self.context_words,
        ];
        for list in lists {
            bytes.push(list.len() as u8);
        }
        let numbers = [self.url_id, self.parent_count];
        let all = numbers
            .iter()
            .chain(&self.keyword_masks)
            .chain(&self.groups)
            .chain(lists.into_iter().flatten());
        for number in all {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// The features from bytes; `None` when the bytes are not of this version or not whole.
    pub fn from_bytes(bytes: &[u8]) -> Option<LinkFeatures> {
        let (head, body) = bytes.split_at_checked(6)?;
        if head[0] != VERSION || !body.len().is_multiple_of(4) {
            return None;
        }
        let lengths = [head[2], head[3], head[4], head[5]].map(usize::from);
        let limits = [
            PARENTS_MAX,
            ANCHOR_WORDS_MAX,
            URL_WORDS_MAX,
            CONTEXT_WORDS_MAX,
        ];
        let too_long = lengths
            .iter()
            .zip(limits)
            .any(|(length, limit)| *length > limit);
        if too_long || body.len() / 4 != 8 + lengths.iter().sum::<usize>() {
            return None;
        }
        let mut numbers = [0u32; NUMBERS_MAX];
        for (number, four) in numbers.iter_mut().zip(body.chunks_exact(4)) {
            *number = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        }
        let [id, count, a, u, c, host, form, path, lists @ ..] = &mut numbers;
        let (parents, words) = lists.split_at_mut(lengths[0]);
        for word in &mut *words {
            *word &= TERM_COUNT as u32 - 1;
        }
        let (anchor, words) = words.split_at(lengths[1]);
        let (url, words) = words.split_at(lengths[2]);
        Some(LinkFeatures {
            url_id: *id,
            parent_count: *count,
            keyword_masks: [*a, *u, *c],
            groups: [*host, *form, *path],
            in_main: head[1] != 0,
            parents: SmallVec::from_slice(parents),
            anchor_words: SmallVec::from_slice(anchor),
            url_words: SmallVec::from_slice(url),
            context_words: SmallVec::from_slice(&words[..lengths[3]]),
        })
    }
}

/// Adds the words that are not there yet, as long as there is room.
/// The words that [`add_words`] would add.
fn added_words<const MAX: usize>(words: &SmallVec<[u32; MAX]>, more: &[u32]) -> SmallVec<[u32; MAX]>
where
    [u32; MAX]: smallvec::Array<Item = u32>,
{
    let mut all = words.clone();
    add_words(&mut all, more);
    SmallVec::from_slice(&all[words.len()..])
}

fn add_words<const MAX: usize>(words: &mut SmallVec<[u32; MAX]>, more: &[u32])
where
    [u32; MAX]: smallvec::Array<Item = u32>,
{
    for &word in more {
        if words.len() < MAX && !words.contains(&word) {
            words.push(word);
        }
    }
}

/// The first distinct words of a short text, and which keywords stand in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextWords {
    /// One bit for each of the first 32 keywords.
    pub(crate) keywords: u32,
    /// Term buckets.
    pub(crate) words: SmallVec<[u32; TEXT_WORDS_MAX]>,
}

impl TextWords {
    pub(crate) fn of(text: &str, keywords: &Keywords) -> TextWords {
        let words = Segmenter::shared().words(clip_text(text));
        TextWords::of_words(&words, TEXT_WORDS_MAX, keywords)
    }

    fn of_words(words: &Words, words_max: usize, keywords: &Keywords) -> TextWords {
        let mut distinct = SmallVec::new();
        for &hash in words.hashes() {
            let word = term_bucket(hash);
            if distinct.len() == words_max {
                break;
            }
            if !distinct.contains(&word) {
                distinct.push(word);
            }
        }
        TextWords {
            keywords: keywords.mask(words),
            words: distinct,
        }
    }
}

/// What a URL says by its text alone.
#[derive(Debug, Clone)]
pub(crate) struct UrlWords {
    pub(crate) id: u32,
    /// Hash of host and port.
    pub(crate) host: u64,
    /// Hash of host and URL form.
    pub(crate) form: u32,
    pub(crate) text: TextWords,
}

impl UrlWords {
    pub(crate) fn of(url: &str, keywords: &Keywords) -> UrlWords {
        let parts = UrlParts::of(url);
        let host = host_hash(&parts);
        let words = Segmenter::shared().words(&url_text(&parts));
        UrlWords {
            id: url_id(url),
            host,
            form: split_mix(host ^ url_form(&parts)) as u32,
            text: TextWords::of_words(&words, URL_WORDS_MAX, keywords),
        }
    }
}

pub(crate) fn host_hash(url: &UrlParts<'_>) -> u64 {
    xxh3_64(url.authority.as_bytes())
}

/// The beginning of an anchor or context that is looked at.
pub(crate) fn clip_text(text: &str) -> &str {
    clip(text, TEXT_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn link(parent: u32, anchor: &str) -> LinkFeatures {
        LinkFeatures::of(
            &LinkContext {
                parent: Some(parent),
                url: "http://a.example/posts/2014/a_page.html?x=1",
                anchor,
                context: "around the link",
                tag_path: "html>body>a",
                in_main: true,
            },
            &Keywords::default(),
        )
    }

    #[test]
    fn features_fit_in_200_bytes_however_many_pages_have_the_link() {
        let mut features = link(0, "one two three four five six seven eight nine ten eleven");
        for parent in 1..500 {
            features.merge(&link(
                parent,
                "other words for the same page and more of them",
            ));
        }
        assert_eq!(features.parent_count, 500);
        assert!(
            features.to_bytes().len() <= 200,
            "{}",
            features.to_bytes().len()
        );
    }

    #[test]
    fn the_sample_of_pages_does_not_depend_on_the_order_of_discovery() {
        let merged = |order: &mut dyn Iterator<Item = u32>| {
            let mut features = link(order.next().unwrap(), "a");
            order.for_each(|parent| features.merge(&link(parent, "a")));
            features.parents
        };
        assert_eq!(merged(&mut (0..100)), merged(&mut (0..100).rev()));
    }

    proptest! {
        #[test]
        fn features_survive_their_bytes(parents in prop::collection::vec(any::<u32>(), 1..40), anchor in ".{0,60}") {
            let mut features = link(parents[0], &anchor);
            for parent in &parents[1..] {
                features.merge(&link(*parent, &anchor));
            }
            prop_assert_eq!(LinkFeatures::from_bytes(&features.to_bytes()), Some(features));
        }

        #[test]
        fn what_a_link_adds_is_all_that_matters_of_it(
            known in ".{0,40}", again in ".{0,60}", around in ".{0,80}",
            parents in prop::collection::vec(1u32..9, 0..4), in_main in any::<bool>(),
        ) {
            let features = |parent: Option<u32>, anchor: &str, context: &str, in_main| {
                let link = LinkContext {
                    parent, url: "http://a.example/x", anchor, context, tag_path: "html>body>p>a", in_main,
                };
                LinkFeatures::of(&link, &Keywords::default())
            };
            let mut old = features(None, &known, "", false);
            for parent in parents {
                old.merge(&features(Some(parent), &known, "words around", false));
            }
            let again = features(Some(9), &again, &around, in_main);
            let mut additions = old.additions(&again);
            additions.found_on(9);
            let (mut whole, mut sparse) = (old.clone(), old);
            whole.merge(&again);
            sparse.merge(&additions);
            prop_assert_eq!(whole, sparse);
        }

        #[test]
        fn foreign_bytes_are_refused_or_read_but_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = LinkFeatures::from_bytes(&bytes);
        }
    }
}
