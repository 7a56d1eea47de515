//! The words of anchors, of what stands around links, and of URLs, kept for a while.
//!
//! A site's links stand on page after page with the same anchors: cutting each into words again
//! costs more than all else that is done for a link. What words a text has depends on the text and
//! the keywords alone, so what is kept is never out of date.
//!
//! Kept are the last [`KEPT_MAX`] to twice as many texts, and as many URLs, found by a hash of 64
//! bits: up to 7 MB in all.

use hashbrown::HashMap;
use segment::{Segmenter, Words};
use smallvec::SmallVec;
use std::hash::BuildHasherDefault;
use xxhash_rust::xxh3::xxh3_64;

use crate::keywords::Keywords;
use crate::learn::Mix;
use crate::promise::{
    ANCHOR_WORDS_MAX, CONTEXT_WORDS_MAX, LinkContext, LinkFeatures, URL_WORDS_MAX, UrlParts, clip,
    path_template, url_id,
};
use crate::relevance::mix;
use crate::terms::{bucket, url_text};

/// Texts, and URLs, of one generation.
const KEPT_MAX: usize = 12_000;
/// Bytes of an anchor or of the text around a link that are looked at.
const TEXT_BYTES_MAX: usize = 240;
/// Words kept of a text: those around a link do without the anchor's.
const TEXT_WORDS_MAX: usize = ANCHOR_WORDS_MAX + CONTEXT_WORDS_MAX;

/// The first distinct words of a short text, and which keywords stand in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextWords {
    pub(crate) keys: u32,
    pub(crate) words: SmallVec<[u32; TEXT_WORDS_MAX]>,
}

impl TextWords {
    pub(crate) fn of(text: &str, keywords: &Keywords) -> TextWords {
        TextWords::in_words(
            &Segmenter::shared().words(clip(text, TEXT_BYTES_MAX)),
            TEXT_WORDS_MAX,
            keywords,
        )
    }

    fn in_words(words: &Words, max: usize, keywords: &Keywords) -> TextWords {
        let mut distinct = SmallVec::new();
        for &hash in words.hashes() {
            let word = bucket(hash);
            if distinct.len() == max {
                break;
            }
            if !distinct.contains(&word) {
                distinct.push(word);
            }
        }
        TextWords {
            keys: keywords.mask(words),
            words: distinct,
        }
    }
}

/// What a URL says by itself.
#[derive(Debug, Clone)]
pub(crate) struct LinkWords {
    pub(crate) id: u32,
    /// Hash of host and port.
    pub(crate) host: u64,
    /// Host and path template.
    pub(crate) template: u32,
    pub(crate) text: TextWords,
}

impl LinkWords {
    pub(crate) fn of(url: &str, keywords: &Keywords) -> LinkWords {
        let parts = UrlParts::of(url);
        let host = host_hash(&parts);
        let words = Segmenter::shared().words(&url_text(&parts));
        LinkWords {
            id: url_id(url),
            host,
            template: mix(host ^ path_template(&parts)) as u32,
            text: TextWords::in_words(&words, URL_WORDS_MAX, keywords),
        }
    }
}

/// What was met last, in two generations: when the younger is full, the older is forgotten.
#[derive(Debug, Clone)]
struct Lately<T> {
    young: HashMap<u64, T, BuildHasherDefault<Mix>>,
    old: HashMap<u64, T, BuildHasherDefault<Mix>>,
}

impl<T: Clone> Lately<T> {
    fn get(&mut self, key: u64, make: impl FnOnce() -> T) -> T {
        if let Some(kept) = self.young.get(&key) {
            return kept.clone();
        }
        let kept = self.old.remove(&key).unwrap_or_else(make);
        if self.young.len() >= KEPT_MAX {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        self.young.insert(key, kept.clone());
        kept
    }
}

impl<T> Default for Lately<T> {
    fn default() -> Self {
        Lately {
            young: HashMap::default(),
            old: HashMap::default(),
        }
    }
}

/// Makes features of links and remembers the words it has met.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkReader {
    texts: Lately<TextWords>,
    urls: Lately<LinkWords>,
}

impl LinkReader {
    /// The same as [`LinkFeatures::of`]; `keywords` are the same at every call.
    pub(crate) fn read(&mut self, link: &LinkContext<'_>, keywords: &Keywords) -> LinkFeatures {
        let anchor = self.text(link.anchor, keywords);
        let context = self.text(link.context, keywords);
        let url = self.urls.get(xxh3_64(link.url.as_bytes()), || {
            LinkWords::of(link.url, keywords)
        });
        LinkFeatures::put_together(link, anchor, url, context)
    }

    /// What a link adds to a URL of which `known` is known: all of it that [`LinkFeatures::merge`]
    /// takes in. Texts around links are seldom met twice, and a URL linked before has words from
    /// around it: then the keywords are looked for in the text, and it is seldom cut.
    pub(crate) fn read_again(
        &mut self,
        link: &LinkContext<'_>,
        known: &LinkFeatures,
        keywords: &Keywords,
    ) -> LinkFeatures {
        let context = if known.context.len() == CONTEXT_WORDS_MAX {
            TextWords {
                keys: keywords.mask_beside(known.keys[2], clip(link.context, TEXT_BYTES_MAX)),
                words: SmallVec::new(),
            }
        } else {
            self.text(link.context, keywords)
        };
        let url = LinkWords {
            id: known.id,
            host: host_hash(&UrlParts::of(link.url)),
            template: known.groups[1],
            text: TextWords::default(),
        };
        LinkFeatures::put_together(link, self.text(link.anchor, keywords), url, context)
    }

    fn text(&mut self, text: &str, keywords: &Keywords) -> TextWords {
        match clip(text, TEXT_BYTES_MAX) {
            "" => TextWords::default(),
            text => self
                .texts
                .get(xxh3_64(text.as_bytes()), || TextWords::of(text, keywords)),
        }
    }
}

fn host_hash(url: &UrlParts<'_>) -> u64 {
    xxh3_64(url.authority.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topic::TopicConfig;
    use proptest::prelude::*;

    #[test]
    fn what_is_remembered_changes_no_features_and_has_a_bound() {
        let mut reader = LinkReader::default();
        let keywords = Keywords::default();
        for round in 0..2 {
            for number in (0..3 * KEPT_MAX as u32).chain(0..50) {
                let url = format!(
                    "http://a.example:8080/{}/page{number}.html?q={round}",
                    number % 7
                );
                let link = LinkContext {
                    parent: Some(number),
                    url: &url,
                    anchor: &format!("anchor {} of {number}", number % 5),
                    context: "words around the anchor of a link, one two three four five six",
                    tag_path: "html>body>a",
                    in_main: false,
                };
                let read = reader.read(&link, &keywords);
                if number % 500 < 50 {
                    assert_eq!(read, LinkFeatures::of(&link, &keywords));
                    assert_eq!(read, reader.read(&link, &keywords));
                }
            }
        }
        assert!(reader.texts.young.len() + reader.texts.old.len() <= 2 * KEPT_MAX);
        assert!(reader.urls.young.len() + reader.urls.old.len() <= 2 * KEPT_MAX);
    }

    proptest! {
        #[test]
        fn another_link_adds_the_same_whether_its_text_was_cut_or_not(
            around in "([a-cS-U]{0,3}|tables|Table|[ ，,.]|SQL|表|數|数据|Ｓql){0,12}",
            known in "[a-z ]{0,60}",
        ) {
            let keywords = Keywords::parse(&TopicConfig {
                keywords: ["sql", "tables", "数据 表", "a b"].map(str::to_owned).to_vec(),
                ..TopicConfig::default()
            })
            .expect("keywords");
            let link = |parent, context| LinkContext {
                parent: Some(parent),
                url: "http://a.example:8080/one/two.html",
                anchor: "a table",
                context,
                tag_path: "html>body>a",
                in_main: parent > 0,
            };
            let known = LinkFeatures::of(&link(0, &known), &keywords);
            let (mut whole, mut spared) = (known.clone(), known.clone());
            whole.merge(&LinkFeatures::of(&link(1, &around), &keywords));
            let mut reader = LinkReader::default();
            spared.merge(&reader.read_again(&link(1, &around), &known, &keywords));
            prop_assert_eq!(whole, spared);
        }
    }
}
