//! Parses a query as it was typed. Every text is a query: what fits no syntax is words.
//!
//! ```text
//! word word        both, if there are pages with both, else any
//! "a phrase"       in this order; 「」 “” work too
//! -word -"phrase"  not these
//! host:a.example   this host and its subdomains; also site:
//! lang:zh          this language
//! ```

use segment::{Script, Segmenter};

/// Parts of a query; further ones are ignored.
const PARTS_MAX: usize = 64;

/// Bytes of a query; the rest is ignored.
const QUERY_BYTES_MAX: usize = 8 << 10;

/// Words of one part; further ones are ignored.
const PART_WORDS_MAX: usize = 64;

/// A query in its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Query {
    pub(crate) wanted: Vec<Part>,
    pub(crate) unwanted: Vec<Part>,
    pub(crate) hosts: Vec<String>,
    pub(crate) langs: Vec<String>,
    pub(crate) not_hosts: Vec<String>,
    pub(crate) not_langs: Vec<String>,
    /// A quote was not closed; its phrase reaches to the end.
    pub(crate) open_quote: bool,
}

/// A word or a phrase to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) text: String,
    /// The words must stand side by side.
    pub(crate) phrase: bool,
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryWord {
    pub(crate) text: String,
    pub(crate) script: Script,
    /// Nothing stands between it and the word before it.
    pub(crate) joined: bool,
}

impl Part {
    /// The words of the part.
    pub(crate) fn words(&self) -> Vec<QueryWord> {
        let words = Segmenter::shared().words(&self.text);
        let mut end = None;
        let words = words.iter().take(PART_WORDS_MAX).map(|word| {
            let joined = end == Some(word.start);
            end = Some(word.end);
            QueryWord {
                text: word.text.to_owned(),
                script: word.script,
                joined,
            }
        });
        words.collect()
    }
}

impl Query {
    pub(crate) fn parse(text: &str) -> Query {
        let mut end = text.len().min(QUERY_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut rest = text[..end].trim_start();
        let mut query = Query::default();
        for _ in 0..PARTS_MAX {
            let Some(first) = rest.chars().next() else {
                break;
            };
            let negative = matches!(first, '-' | '－')
                && rest[first.len_utf8()..]
                    .chars()
                    .next()
                    .is_some_and(|next| !next.is_whitespace() && next != first);
            if negative {
                rest = &rest[first.len_utf8()..];
            }
            let (part, after, open) = next_part(rest);
            rest = after.trim_start();
            query.open_quote |= open;
            query.add(part, negative);
        }
        query
    }

    /// Adds a part to the list it belongs to.
    fn add(&mut self, part: Part, negative: bool) {
        if !part.phrase
            && let Some((name, value)) = part.text.split_once([':', '：'])
            && !value.is_empty()
        {
            let value = value.to_lowercase();
            let list = match (name.to_ascii_lowercase().as_str(), negative) {
                ("host" | "site", false) => Some(&mut self.hosts),
                ("host" | "site", true) => Some(&mut self.not_hosts),
                ("lang" | "language", false) => Some(&mut self.langs),
                ("lang" | "language", true) => Some(&mut self.not_langs),
                _ => None,
            };
            if let Some(list) = list {
                list.push(value);
                return;
            }
        }
        match negative {
            false => self.wanted.push(part),
            true => self.unwanted.push(part),
        }
    }
}

/// The first part of a text, the rest, and whether the part is a quote that is not closed.
fn next_part(text: &str) -> (Part, &str, bool) {
    let mut characters = text.chars();
    let close = match characters.next() {
        Some('"') => Some('"'),
        Some('“') => Some('”'),
        Some('「') => Some('」'),
        Some('『') => Some('』'),
        Some(_) | None => None,
    };
    if let Some(close) = close {
        let inside = characters.as_str();
        // A quote that is not closed reaches to the end.
        let closed = inside.split_once(close);
        let (phrase, rest) = closed.unwrap_or((inside, ""));
        let part = Part {
            text: phrase.to_owned(),
            phrase: true,
        };
        return (part, rest, closed.is_none());
    }
    let end = text
        .find(|character: char| {
            character.is_whitespace() || matches!(character, '"' | '“' | '「' | '『')
        })
        .unwrap_or(text.len());
    let part = Part {
        text: text[..end].to_owned(),
        phrase: false,
    };
    (part, &text[end..], false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(parts: &[Part]) -> Vec<(&str, bool)> {
        parts
            .iter()
            .map(|part| (part.text.as_str(), part.phrase))
            .collect()
    }

    #[test]
    fn words_phrases_exclusions_and_filters_are_told_apart() {
        let query = Query::parse(
            r#"rust "near duplicate" -spam -"bad phrase" host:A.example lang:zh -site:b.example"#,
        );
        assert_eq!(
            texts(&query.wanted),
            [("rust", false), ("near duplicate", true)]
        );
        assert_eq!(
            texts(&query.unwanted),
            [("spam", false), ("bad phrase", true)]
        );
        assert_eq!(query.hosts, ["a.example"]);
        assert_eq!(query.langs, ["zh"]);
        assert_eq!(query.not_hosts, ["b.example"]);
    }

    #[test]
    fn chinese_quotes_are_quotes() {
        let query = Query::parse("“数据库系统” 「性能」 测试");
        assert_eq!(
            texts(&query.wanted),
            [("数据库系统", true), ("性能", true), ("测试", false)]
        );
    }

    #[test]
    fn what_fits_no_syntax_is_words() {
        assert_eq!(texts(&Query::parse("\"open").wanted), [("open", true)]);
        assert!(Query::parse("a \"open").open_quote && !Query::parse("\"a\"").open_quote);
        assert_eq!(texts(&Query::parse("a - b").wanted).len(), 3);
        assert_eq!(texts(&Query::parse("host:").wanted), [("host:", false)]);
        assert_eq!(texts(&Query::parse("--x").wanted), [("--x", false)]);
        assert_eq!(
            texts(&Query::parse("c++ AND (OR http://x/?a=b").wanted).len(),
            4
        );
        assert_eq!(Query::parse("  "), Query::default());
    }

    proptest! {
        #[test]
        fn any_text_is_a_query(text: String) {
            let _ = Query::parse(&text);
        }
    }
}
