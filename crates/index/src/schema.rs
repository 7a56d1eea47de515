//! The fields of the index.
//!
//! ```text
//! field        searched            stored   holds
//! url          whole               yes      canonical URL: one document each
//! host         whole, and parents  no       host and parent domains: host:example.org finds www.example.org
//! host_key     -                   yes      as shown
//! lang         whole               yes      language code; of Chinese also its script, zh-hans or zh-hant
//! title        -                   yes      as shown
//! text         -                   yes      as shown; the snippet is cut from it
//! title_words  words + places      no       our words
//! text_words   words + places      no       our words
//! author       -                   yes      as shown
//! author_words words + places      no       our words
//! characters   rows + places       no       single Chinese and Japanese characters of title and text, and
//!                                           the words near them, see tokenizer.rs
//! lists        ranking              fast     1 for a page that lists others: see [`is_list`]
//! published, fetched_at, seq, fingerprint, relevance: stored, to show
//! ```

use outcome::PageType;
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::TokenizerManager;

use crate::tokenizer::JoinedWords;

/// The version of the index's contents. It changes whenever what is indexed changes; an index of
/// another version is set aside and built again.
pub(crate) const INDEX_SCHEME: u32 = 4;

const WORDS: &str = "tamis_words";

#[derive(Debug, Clone)]
pub(crate) struct Fields {
    pub(crate) schema: Schema,
    pub(crate) url: Field,
    pub(crate) host: Field,
    pub(crate) host_key: Field,
    pub(crate) lang: Field,
    pub(crate) title: Field,
    pub(crate) text: Field,
    pub(crate) title_words: Field,
    pub(crate) text_words: Field,
    pub(crate) author: Field,
    pub(crate) author_words: Field,
    pub(crate) characters: Field,
    pub(crate) published: Field,
    pub(crate) fetched_at: Field,
    pub(crate) seq: Field,
    pub(crate) fingerprint: Field,
    pub(crate) relevance: Field,
    pub(crate) lists: Field,
}

/// Name of the field that says whether a page is a list.
pub(crate) const LISTS: &str = "lists";

/// Whether a page is a list: it shows the titles and beginnings of other pages. The page of a tag may
/// be too short for its type to be told; then its URL tells.
///
/// A list's title names in a word or two what it lists, and would outrank every article about it. So
/// the words of its title are indexed as words of its text.
pub(crate) fn is_list(page_type: &PageType, url: &str) -> bool {
    const FOLDERS: [&str; 6] = [
        "tag",
        "tags",
        "category",
        "categories",
        "archive",
        "archives",
    ];
    let path = url.split(['?', '#']).next().unwrap_or_default();
    // After the scheme, an empty part and the host.
    let mut folders = path.split('/').skip(3);
    page_type.is_link_list()
        || (*page_type == PageType::Other && folders.any(|folder| FOLDERS.contains(&folder)))
}

impl Fields {
    pub(crate) fn new() -> Fields {
        let mut schema = Schema::builder();
        let words = || {
            TextOptions::default().set_indexing_options(
                TextFieldIndexing::default()
                    .set_tokenizer(WORDS)
                    .set_index_option(IndexRecordOption::WithFreqsAndPositions),
            )
        };
        let url = schema.add_text_field("url", STRING | STORED);
        let host = schema.add_text_field("host", STRING);
        let host_key = schema.add_text_field("host_key", STORED);
        let lang = schema.add_text_field("lang", STRING | STORED);
        let title = schema.add_text_field("title", STORED);
        let text = schema.add_text_field("text", STORED);
        let title_words = schema.add_text_field("title_words", words());
        let text_words = schema.add_text_field("text_words", words());
        let author = schema.add_text_field("author", STORED);
        let author_words = schema.add_text_field("author_words", words());
        let characters = schema.add_text_field("characters", words());
        let published = schema.add_text_field("published", STORED);
        let fetched_at = schema.add_u64_field("fetched_at", STORED);
        let seq = schema.add_u64_field("seq", STORED);
        let fingerprint = schema.add_u64_field("fingerprint", STORED);
        let relevance = schema.add_f64_field("relevance", STORED);
        let lists = schema.add_u64_field(LISTS, FAST);
        Fields {
            schema: schema.build(),
            url,
            host,
            host_key,
            lang,
            title,
            text,
            title_words,
            text_words,
            author,
            author_words,
            characters,
            published,
            fetched_at,
            seq,
            fingerprint,
            relevance,
            lists,
        }
    }
}

pub(crate) fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(WORDS, JoinedWords);
    tokenizers
}

/// A host and its parent domains: `www.example.org:81` gives itself, `www.example.org`,
/// `example.org` and `org`, so that a filter for any of them finds it.
pub(crate) fn host_terms(host: &str) -> Vec<&str> {
    let mut terms = vec![host];
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) | None => host,
    };
    if name.starts_with('[') || name.parse::<std::net::Ipv4Addr>().is_ok() {
        return if name == host {
            terms
        } else {
            vec![host, name]
        };
    }
    let mut rest = Some(name);
    while let Some(name) = rest {
        if terms.last() != Some(&name) {
            terms.push(name);
        }
        rest = name.split_once('.').map(|(_, parent)| parent);
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_found_under_its_parents() {
        assert_eq!(
            host_terms("www.a.example:81"),
            ["www.a.example:81", "www.a.example", "a.example", "example"]
        );
        assert_eq!(host_terms("127.0.0.1:80"), ["127.0.0.1:80", "127.0.0.1"]);
        assert_eq!(host_terms("localhost"), ["localhost"]);
    }
}
