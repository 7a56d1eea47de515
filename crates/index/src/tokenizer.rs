//! How our words get into the search engine.
//!
//! The engine gives a string to a tokenizer, on a thread of its own. A page has been cut into words
//! before it gets here. So the string we give *is* the list of words, joined by a character that no
//! word contains, and the tokenizer only splits it again. Nothing is cut into words twice, and a word
//! costs no allocation unless it has a second form (see `forms`), which stands at the same place.
//!
//! Chinese and Japanese are indexed in a second way. How a run of characters is cut into words depends on
//! what stands around it, so a query may be cut otherwise than the text it looks for: 数据 is a word
//! by itself and part of the word 数据库. So each such character is also indexed with its place,
//! and a Chinese word or a phrase is also looked for as a row of characters, wherever the cuts are.
//! A place stays empty where the text has something else between two characters. Words of other scripts near
//! them have a place among them, so that `第3章` and `PostgreSQL数据库` are rows, too.
//!
//! Measured with `examples/measure.rs` on 2,500 Chinese documents, 7.0 MB of text: the characters
//! take 2.9 MB of an index of 10.6 MB (stored text 4.5 MB, words 3.2 MB). English costs 1.1 bytes
//! of index for each byte of text and next to nothing for characters. That was without second forms and without
//! the words among characters; both together add 8 % to the index of 2,004 generated pages, Chinese and others.

use segment::{Script, Word, Words};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::forms::{push_forms, push_parts};

/// Stands between two places. Two in a row leave a place empty.
pub(crate) const SEPARATOR: char = '\u{1f}';

/// Stands between the forms of a word, which share a place.
pub(crate) const ALSO: char = '\u{1e}';

/// Words of other scripts that have a place among the characters: so many before a character, and so many after
/// one. No phrase has more.
const NEAR_WORDS_MAX: usize = 64;

/// Adds the words of a text, each in all its forms and with its parts.
pub(crate) fn push_words(text: &str, words: &Words, out: &mut String) {
    for word in words.iter() {
        separate(out);
        push_forms(text, &word, out);
        push_parts(&word, out);
    }
}

/// Adds the Chinese and Japanese characters of a text with the words near them, which `push_word` writes;
/// nothing where there are no such characters.
pub(crate) fn push_characters(
    words: &Words,
    out: &mut String,
    mut push_word: impl FnMut(&Word<'_>, &mut String),
) {
    let is_row = |word: &Word<'_>| matches!(word.script, Script::Han | Script::Kana);
    if !words.iter().any(|word| is_row(&word)) {
        return;
    }
    let all = words.len();
    let mut words = words.iter().enumerate().peekable();
    // Where the word before ended, if it was of characters.
    let mut end = None;
    let mut others: Vec<Word<'_>> = Vec::new();
    let mut is_first = true;
    while let Some((number, word)) = words.next() {
        if is_row(&word) {
            push_row(&word, end, out);
            end = Some(word.end);
            is_first = false;
            continue;
        }
        end = None;
        others.push(word);
        let next = words.peek();
        if next.is_some_and(|(_, next)| !is_row(next)) {
            continue;
        }
        let after_row = if is_first { 0 } else { NEAR_WORDS_MAX };
        let before_row = if number + 1 < all { NEAR_WORDS_MAX } else { 0 };
        for (place, word) in others.iter().enumerate() {
            if place < after_row || others.len() - place <= before_row {
                separate(out);
                push_word(word, out);
            } else if place == after_row {
                out.push(SEPARATOR);
            }
        }
        others.clear();
    }
}

/// Adds the characters of a word, each at a place of its own. Of two pairs of kana that overlap, the second adds
/// its last alone.
fn push_row(word: &Word<'_>, end_before: Option<u32>, out: &mut String) {
    let overlaps = end_before.is_some_and(|end| word.start < end) && word.script == Script::Kana;
    let skipped = match overlaps {
        true => word.text.chars().count().saturating_sub(1),
        false => 0,
    };
    if end_before.is_some_and(|end| word.start > end) {
        out.push(SEPARATOR);
    }
    for character in word.text.chars().skip(skipped) {
        separate(out);
        out.push(character);
    }
}

fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push(SEPARATOR);
    }
}

/// Splits joined words.
#[derive(Debug, Clone, Default)]
pub(crate) struct JoinedWords;

#[derive(Debug)]
pub(crate) struct JoinedWordsStream<'t> {
    rest: Option<&'t str>,
    /// What stood before the rest begins a new place.
    is_next_place: bool,
    token: Token,
}

impl Tokenizer for JoinedWords {
    type TokenStream<'t> = JoinedWordsStream<'t>;

    fn token_stream<'t>(&'t mut self, text: &'t str) -> JoinedWordsStream<'t> {
        JoinedWordsStream {
            rest: Some(text),
            is_next_place: true,
            token: Token::default(),
        }
    }
}

impl TokenStream for JoinedWordsStream<'_> {
    fn advance(&mut self) -> bool {
        while let Some(rest) = self.rest {
            let ends = |byte: u8| matches!(char::from(byte), SEPARATOR | ALSO);
            let end = rest.bytes().position(ends);
            let word = &rest[..end.unwrap_or(rest.len())];
            if self.is_next_place {
                self.token.position = self.token.position.wrapping_add(1);
            }
            self.rest = end.map(|end| &rest[end + 1..]);
            self.is_next_place = end.is_some_and(|end| rest[end..].starts_with(SEPARATOR));
            if !word.is_empty() {
                self.token.text.clear();
                self.token.text.push_str(word);
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// The tokens of joined words, with their places.
pub(crate) fn placed(joined: &str) -> Vec<(usize, String)> {
    let mut placed = Vec::new();
    let mut tokenizer = JoinedWords;
    let mut stream = tokenizer.token_stream(joined);
    stream.process(&mut |token| placed.push((token.position, token.text.clone())));
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use segment::Segmenter;

    /// The tokens with their places: `0数 1据`.
    fn shown(joined: &str) -> String {
        let placed = placed(joined);
        let shown = placed.iter().map(|(place, text)| format!("{place}{text}"));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(text: &str, expected_words: &str, expected_row: &str) {
        let words = Segmenter::shared().words(text);
        let (mut joined, mut row) = (String::new(), String::new());
        push_words(text, &words, &mut joined);
        push_characters(&words, &mut row, |word, out| push_forms(text, word, out));
        assert_eq!(shown(&joined), expected_words, "{text}");
        assert_eq!(shown(&row), expected_row, "{text}");
    }

    #[test]
    fn words_keep_their_order_and_place_and_all_their_forms_share_it() {
        check("one, two", "0one 1two", "");
        check("", "", "");
        check(
            "in l'été.fr now",
            "0in 1l'été.fr 1l'ete.fr 1\u{1d}l 2\u{1d}été 2\u{1d}ete 3\u{1d}fr 4now",
            "",
        );
        check("a café in C++", "0a 1café 1cafe 2in 3c 3c++", "");
    }

    #[test]
    fn a_place_is_empty_where_something_else_stands_between_two_characters() {
        check("数据，库", "0数据 1库", "0数 1据 3库");
        check(
            "东京へ行きました",
            "0东京 1へ 2行 3きま 4まし 5した",
            "0东 1京 2へ 3行 4き 5ま 6し 7た",
        );
    }

    #[test]
    fn words_near_characters_have_their_places_among_them() {
        check(
            "用 C# 写第3章",
            "0用 1c 1c# 2写 3第 43 5章",
            "0用 1c 1c# 2写 3第 43 5章",
        );
        let far = "x ".repeat(NEAR_WORDS_MAX + 9);
        let text = format!("{far}数{far}{far}据{far}");
        let words = Segmenter::shared().words(&text);
        let mut row = String::new();
        push_characters(&words, &mut row, |word, out| out.push_str(word.text));
        let placed = placed(&row);
        assert_eq!(placed.len(), 4 * NEAR_WORDS_MAX + 2);
        let place = |wanted: &str| placed.iter().find(|(_, text)| text == wanted).unwrap().0;
        // The words left out leave one place.
        assert_eq!(place("据") - place("数"), 2 * NEAR_WORDS_MAX + 2);
    }
}
