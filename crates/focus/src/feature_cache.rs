//! A cache of the words of anchors, of the text around links, and of URLs.
//!
//! A site's links stand on page after page with the same anchors. Cutting each anchor into words
//! again would cost more than everything else that is done for a link. The words depend on the text
//! and the keywords alone, so no entry is ever out of date.
//!
//! Each cache has two generations. A new entry goes into the young one; when the young one is full
//! it becomes the old one, and the old one is dropped. An old entry that is asked for moves into the
//! young one. So the last 12,000 to 24,000 texts and as many URLs stay, found by a hash of 64 bits,
//! in up to 7 MB.

use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64;

use crate::hashing::NumberMap;
use crate::keywords::Keywords;
use crate::link_features::{
    CONTEXT_WORDS_MAX, LinkContext, LinkFeatures, TextWords, UrlWords, clip_text, host_hash,
};
use crate::url_parts::UrlParts;

/// Entries of one generation.
const GENERATION_MAX: usize = 12_000;

/// Makes link features, and remembers the words of the texts and URLs it has met last.
#[derive(Debug, Clone, Default)]
pub(crate) struct FeatureCache {
    texts: TwoGenerations<TextWords>,
    urls: TwoGenerations<UrlWords>,
}

impl FeatureCache {
    /// The same as [`LinkFeatures::of`]. The keywords must be the same at every call.
    pub(crate) fn features(&mut self, link: &LinkContext<'_>, keywords: &Keywords) -> LinkFeatures {
        let anchor = self.text_words(link.anchor, keywords);
        let context = self.text_words(link.context, keywords);
        let url = self.urls.get(xxh3_64(link.url.as_bytes()), || {
            UrlWords::of(link.url, keywords)
        });
        LinkFeatures::assemble(link, anchor, url, context)
    }

    /// The features of one more link to a URL whose features are `known`. They hold all that
    /// [`LinkFeatures::merge`] takes, and nothing else.
    ///
    /// The text around a link is seldom met twice, so the cache does not help with it. Where
    /// `known` has its full number of context words, only the keywords are looked for in the text,
    /// and it is seldom cut into words.
    pub(crate) fn features_for_merge(
        &mut self,
        link: &LinkContext<'_>,
        known: &LinkFeatures,
        keywords: &Keywords,
    ) -> LinkFeatures {
        let context = if known.context_words.len() == CONTEXT_WORDS_MAX {
            let text = clip_text(link.context);
            TextWords {
                keywords: keywords.mask_with_more(known.keyword_masks[2], text),
                words: SmallVec::new(),
            }
        } else {
            self.text_words(link.context, keywords)
        };
        let url = UrlWords {
            id: known.url_id,
            host: host_hash(&UrlParts::of(link.url)),
            form: known.groups[1],
            text: TextWords::default(),
        };
        LinkFeatures::assemble(link, self.text_words(link.anchor, keywords), url, context)
    }

    fn text_words(&mut self, text: &str, keywords: &Keywords) -> TextWords {
        match clip_text(text) {
            "" => TextWords::default(),
            text => self
                .texts
                .get(xxh3_64(text.as_bytes()), || TextWords::of(text, keywords)),
        }
    }
}

/// The entries that were used last, in two generations.
#[derive(Debug, Clone)]
struct TwoGenerations<T> {
    young: NumberMap<u64, T>,
    old: NumberMap<u64, T>,
}

impl<T: Clone> TwoGenerations<T> {
    fn get(&mut self, key: u64, make: impl FnOnce() -> T) -> T {
        if let Some(entry) = self.young.get(&key) {
            return entry.clone();
        }
        let entry = self.old.remove(&key).unwrap_or_else(make);
        if self.young.len() >= GENERATION_MAX {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        self.young.insert(key, entry.clone());
        entry
    }
}

impl<T> Default for TwoGenerations<T> {
    fn default() -> Self {
        TwoGenerations {
            young: NumberMap::default(),
            old: NumberMap::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topic_config::TopicConfig;
    use proptest::prelude::*;

    #[test]
    fn the_cache_changes_no_features_and_is_bounded() {
        let mut cache = FeatureCache::default();
        let keywords = Keywords::default();
        for round in 0..2 {
            for number in (0..3 * GENERATION_MAX as u32).chain(0..50) {
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
                let read = cache.features(&link, &keywords);
                if number % 500 < 50 {
                    assert_eq!(read, LinkFeatures::of(&link, &keywords));
                    assert_eq!(read, cache.features(&link, &keywords));
                }
            }
        }
        assert!(cache.texts.young.len() + cache.texts.old.len() <= 2 * GENERATION_MAX);
        assert!(cache.urls.young.len() + cache.urls.old.len() <= 2 * GENERATION_MAX);
    }

    proptest! {
        #[test]
        fn features_for_a_merge_hold_all_that_the_merge_takes(
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
            let mut cache = FeatureCache::default();
            spared.merge(&cache.features_for_merge(&link(1, &around), &known, &keywords));
            prop_assert_eq!(whole, spared);
        }
    }
}
