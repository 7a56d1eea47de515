//! Where two texts differ, in pieces that a person reads.
//!
//! Words of scripts with spaces are compared as words, Chinese and its neighbours by character:
//! there a word is a matter of opinion and a changed character is what the eye looks for. The
//! comparison is bounded in size and time; when time runs out the rest is one large difference.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use similar::{DiffTag, TextDiffConfig};

/// Bytes of each text that are compared.
pub const TEXT_BYTES_MAX: usize = 60_000;

/// Time for one comparison.
const TIME_MAX: Duration = Duration::from_millis(250);

/// A piece of the two texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", content = "text", rename_all = "snake_case")]
pub enum Piece {
    /// In both.
    Same(String),
    /// Only in the first.
    Removed(String),
    /// Only in the second.
    Added(String),
    /// This many characters of both, left out for brevity.
    Skipped(usize),
}

/// The pieces that make up both texts, in order.
pub fn difference(first: &str, second: &str) -> Vec<Piece> {
    let (first, second) = (bounded(first), bounded(second));
    let (left, right) = (tokens(first), tokens(second));
    let diff = TextDiffConfig::default()
        .timeout(TIME_MAX)
        .diff_slices(&left, &right);
    let mut pieces = Vec::new();
    for op in diff.ops() {
        let (tag, old, new) = op.as_tag_tuple();
        let old: String = left[old].concat();
        let new: String = right[new].concat();
        if tag == DiffTag::Equal {
            pieces.push(Piece::Same(old));
            continue;
        }
        if !old.is_empty() {
            pieces.push(Piece::Removed(old));
        }
        if !new.is_empty() {
            pieces.push(Piece::Added(new));
        }
    }
    tidy(pieces)
}

/// The pieces with long common passages cut down to `around` characters beside a difference.
pub fn shortened(pieces: &[Piece], around: usize) -> Vec<Piece> {
    let mut out = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Same(text) = piece else {
            out.push(piece.clone());
            continue;
        };
        let before = if at == 0 { 0 } else { around };
        let after = if at + 1 == pieces.len() { 0 } else { around };
        let length = text.chars().count();
        // A gap must be worth its mark.
        if length <= before + after + 20 {
            out.push(piece.clone());
            continue;
        }
        let head: String = text.chars().take(before).collect();
        let tail: String = text.chars().skip(length - after).collect();
        let (head, tail) = (up_to_word(&head), from_word(&tail));
        let shown = head.chars().count() + tail.chars().count();
        if !head.is_empty() {
            out.push(Piece::Same(head.to_owned()));
        }
        out.push(Piece::Skipped(length - shown));
        if !tail.is_empty() {
            out.push(Piece::Same(tail.to_owned()));
        }
    }
    out
}

/// The text without a word that is cut in its middle at the end; Chinese is cut anywhere.
fn up_to_word(text: &str) -> &str {
    match text.trim_end_matches(|c| class_of(c) == Class::Word) {
        "" => text,
        whole => whole,
    }
}

/// The same at the beginning.
fn from_word(text: &str) -> &str {
    match text.trim_start_matches(|c| class_of(c) == Class::Word) {
        "" => text,
        whole => whole,
    }
}

/// The share of characters that both texts have in common, 0.0 to 1.0.
pub fn likeness(pieces: &[Piece]) -> f64 {
    let (mut same, mut all) = (0, 0);
    for piece in pieces {
        match piece {
            Piece::Same(text) => {
                let length = text.chars().count();
                same += 2 * length;
                all += 2 * length;
            }
            Piece::Removed(text) | Piece::Added(text) => all += text.chars().count(),
            Piece::Skipped(length) => {
                same += 2 * length;
                all += 2 * length;
            }
        }
    }
    if all == 0 {
        1.0
    } else {
        same as f64 / all as f64
    }
}

/// Single spaces between two changes belong to the change: a rewritten sentence is one piece and
/// not twenty.
fn tidy(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut removed = String::new();
    let mut added = String::new();
    let flush = |out: &mut Vec<Piece>, removed: &mut String, added: &mut String| {
        if !removed.is_empty() {
            out.push(Piece::Removed(std::mem::take(removed)));
        }
        if !added.is_empty() {
            out.push(Piece::Added(std::mem::take(added)));
        }
    };
    let last = pieces.len();
    for (at, piece) in pieces.into_iter().enumerate() {
        match piece {
            Piece::Removed(text) => removed.push_str(&text),
            Piece::Added(text) => added.push_str(&text),
            Piece::Same(text) => {
                let inside = !(removed.is_empty() && added.is_empty()) && at + 1 < last;
                if inside && text.chars().all(char::is_whitespace) && !text.contains('\n') {
                    removed.push_str(&text);
                    added.push_str(&text);
                } else {
                    flush(&mut out, &mut removed, &mut added);
                    out.push(Piece::Same(text));
                }
            }
            Piece::Skipped(_) => {}
        }
    }
    flush(&mut out, &mut removed, &mut added);
    out
}

fn bounded(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

/// Words, runs of white space, and every other character alone.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = class_of(first);
        let end = match class {
            Class::Alone => first.len_utf8(),
            Class::Word | Class::Space => rest.find(|c| class_of(c) != class).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

#[derive(PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Alone,
}

fn class_of(c: char) -> Class {
    // From U+2E80 on stand the scripts without spaces; Hangul has spaces but changes by syllable.
    let wide = matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{2E80}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    if c.is_whitespace() {
        Class::Space
    } else if c.is_alphanumeric() && !wide {
        Class::Word
    } else {
        Class::Alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(pieces: &[Piece]) -> (String, String) {
        let mut sides = (String::new(), String::new());
        for piece in pieces {
            match piece {
                Piece::Same(text) => {
                    sides.0 += text;
                    sides.1 += text;
                }
                Piece::Removed(text) => sides.0 += text,
                Piece::Added(text) => sides.1 += text,
                Piece::Skipped(_) => panic!("nothing is left out"),
            }
        }
        sides
    }

    #[test]
    fn chinese_differs_by_character_and_english_by_word() {
        let pieces = difference("数据库的索引很快", "数据库的日志很快");
        assert_eq!(
            pieces,
            [
                Piece::Same("数据库的".into()),
                Piece::Removed("索引".into()),
                Piece::Added("日志".into()),
                Piece::Same("很快".into()),
            ]
        );
        let pieces = difference("an index is fast", "an indexer is fast");
        assert!(
            pieces.contains(&Piece::Removed("index".into())),
            "{pieces:?}"
        );
        assert!(
            pieces.contains(&Piece::Added("indexer".into())),
            "{pieces:?}"
        );
    }

    #[test]
    fn long_common_passages_are_cut_down() {
        let text = "word ".repeat(200);
        let pieces = difference(&format!("{text}a"), &format!("{text}b"));
        let short = shortened(&pieces, 30);
        assert!(
            matches!(short[0], Piece::Skipped(n) if n > 900),
            "{short:?}"
        );
        assert_eq!(short.len(), 4);
        assert_eq!(shortened(&difference("", ""), 5), []);
    }

    #[test]
    fn large_texts_without_anything_in_common_end_in_time() {
        let first: String = (0..60_000u32)
            .filter_map(|n| char::from_u32(0x4E00 + n * 7 % 20_000))
            .collect();
        let second: String = first.chars().rev().collect();
        assert!(!difference(&first, &second).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn the_pieces_make_up_both_texts(first in "[a-c 数据库\n.]{0,60}", second in "[a-c 数据库\n.]{0,60}") {
            let pieces = difference(&first, &second);
            proptest::prop_assert_eq!(both(&pieces), (first, second));
            proptest::prop_assert!((0.0..=1.0).contains(&likeness(&pieces)));
        }
    }
}
