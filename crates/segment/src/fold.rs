//! Folding: one spelling for texts that a reader takes as equal (NFKC, lower case, simplified
//! characters).
//!
//! Two copies of a text often differ in full-width letters, ligatures, soft hyphens, `’` for `'`,
//! capitals or traditional characters. Folding removes these differences. It also remembers the source
//! range of every folded byte, so that a search result can mark a word in the text as it was written.
//!
//! Most text folds to the same number of bytes, so the source ranges are stored as *pieces*. In a
//! verbatim piece, byte n comes from byte n of its source; in any other piece, one group of source
//! characters became other text. ASCII text is one piece.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::digits;
use crate::simplified::simplify;

/// Text beyond this many bytes is ignored. Offsets have 32 bits, and folding can make a text eleven
/// times as long (U+FDFA). The largest page body has a quarter of this.
const SOURCE_BYTES_MAX: usize = 256 << 20;

/// The full-width forms of ASCII from `!` to `~`; Chinese text uses them for punctuation.
const FULL_WIDTH_FIRST: char = '\u{FF01}';
const FULL_WIDTH_LAST: char = '\u{FF5E}';

/// The text as it is compared: NFKC, lower case, traditional characters simplified, invisible format
/// characters removed. Folding a folded text changes nothing.
///
/// ```
/// assert_eq!(segment::fold("Ｔａｍｉｓ ﬁne 開放"), "tamis fine 开放");
/// ```
pub fn fold(text: &str) -> String {
    Folded::new(text).text
}

/// Folded text with the source range of each of its bytes.
pub(crate) struct Folded {
    pub(crate) text: String,
    pieces: Vec<Piece>,
}

/// A stretch of folded text and the stretch of source that it came from.
#[derive(Clone, Copy)]
struct Piece {
    folded: u32,
    source: u32,
    /// 0 for a verbatim piece; for any other the length of its source.
    group: u32,
}

impl Folded {
    pub(crate) fn new(text: &str) -> Folded {
        let text = &text[..text.floor_char_boundary(SOURCE_BYTES_MAX)];
        if text.is_ascii() {
            let pieces = vec![Piece {
                folded: 0,
                source: 0,
                group: 0,
            }];
            return Folded {
                text: text.to_ascii_lowercase(),
                pieces,
            };
        }
        Folding::new(text).run()
    }

    /// The source range of the folded bytes `start..end`, which are not empty. `hint` is the piece in
    /// which the range of the last call began; words come in order, so the search starts there.
    pub(crate) fn source(&self, hint: &mut usize, start: usize, end: usize) -> (u32, u32) {
        let (start, end) = (start as u32, end as u32);
        *hint = self.piece_at(*hint, start);
        let first = self.pieces[*hint];
        let last = self.pieces[self.piece_at(*hint, end - 1)];
        let from = if first.group == 0 {
            first.source + (start - first.folded)
        } else {
            first.source
        };
        let to = if last.group == 0 {
            last.source + (end - last.folded)
        } else {
            last.source + last.group
        };
        (from, to)
    }

    /// The piece of a folded byte, which must not be before piece `at`.
    fn piece_at(&self, mut at: usize, folded: u32) -> usize {
        while let Some(next) = self.pieces.get(at + 1)
            && next.folded <= folded
        {
            at += 1;
        }
        at
    }
}

/// The folding of a text that is not all ASCII.
struct Folding<'t> {
    source: &'t str,
    folded: Folded,
}

impl<'t> Folding<'t> {
    fn new(source: &'t str) -> Self {
        let text = String::with_capacity(source.len());
        Folding {
            source,
            folded: Folded {
                text,
                pieces: Vec::new(),
            },
        }
    }

    fn run(mut self) -> Folded {
        let mut at = 0;
        while at < self.source.len() {
            let rest = &self.source[at..];
            let ascii = ascii_bytes(rest.as_bytes());
            // A combining mark may follow the last ASCII letter, so that one is folded below.
            let plain = if ascii == rest.len() {
                ascii
            } else {
                ascii.saturating_sub(1)
            };
            if plain > 0 {
                self.verbatim(at);
                let text = &mut self.folded.text;
                let begin = text.len();
                text.push_str(&rest[..plain]);
                text[begin..].make_ascii_lowercase();
                at += plain;
                continue;
            }
            let han = self.han(at);
            at += if han > 0 { han } else { self.group(at) };
        }
        self.folded
    }

    /// Folds the Chinese characters from `at` on that no mark follows: they have no case and no other
    /// normal form. Returns their length in the source.
    fn han(&mut self, at: usize) -> usize {
        let mut done = 0;
        let mut characters = self.source[at..].chars().peekable();
        while let Some(character) = characters.next_if(|&c| matches!(c as u32, 0x4E00..0xA000)) {
            if characters
                .peek()
                .is_some_and(|&c| joins_the_character_before(c))
            {
                break;
            }
            self.push_single(at + done, character, fold_one(character));
            done += character.len_utf8();
        }
        done
    }

    /// Folds the character at `at` with the marks that combine with it. Returns their length in the
    /// source.
    fn group(&mut self, at: usize) -> usize {
        let mut characters = self.source[at..].chars();
        let first = characters
            .next()
            .expect("a group starts before the end of the text");
        let marks: usize = characters
            .take_while(|&c| joins_the_character_before(c))
            .map(char::len_utf8)
            .sum();
        let length = first.len_utf8() + marks;
        if marks == 0 && matches!(first, FULL_WIDTH_FIRST..=FULL_WIDTH_LAST) {
            let ascii = b'!' + (first as u32 - FULL_WIDTH_FIRST as u32) as u8;
            self.push_single(at, first, ascii.to_ascii_lowercase().into());
            return length;
        }
        if marks == 0 && stays_under_nfkc(first) {
            if is_invisible(first) {
                return length;
            }
            let mut lower = first.to_lowercase();
            if let (Some(one), None) = (lower.next(), lower.next()) {
                self.push_single(at, first, fold_one(one));
                return length;
            }
        }
        self.push_group(at, length);
        length
    }

    fn push_single(&mut self, at: usize, from: char, to: char) {
        if from.len_utf8() == to.len_utf8() {
            self.verbatim(at);
        } else {
            self.piece(at, from.len_utf8());
        }
        self.folded.text.push(to);
    }

    fn push_group(&mut self, at: usize, length: usize) {
        // Lower-casing can undo normalisation, and normalisation can undo lower-casing. Two rounds are
        // enough, as a property test checks.
        let mut folded: String = self.source[at..at + length].to_owned();
        for _ in 0..2 {
            folded = folded.nfkc().flat_map(char::to_lowercase).collect();
        }
        folded = folded
            .nfkc()
            .filter(|&c| !is_invisible(c))
            .map(fold_one)
            .collect();
        put_tones_first(&mut folded);
        if !folded.is_empty() {
            self.piece(at, length);
            self.folded.text.push_str(&folded);
        }
    }

    /// Begins a verbatim piece: the text pushed next is that at `source`, byte for byte.
    fn verbatim(&mut self, source: usize) {
        let (folded, source) = (self.folded.text.len() as u32, source as u32);
        if let Some(last) = self.folded.pieces.last()
            && last.group == 0
            && source.wrapping_sub(last.source) == folded - last.folded
        {
            return;
        }
        self.folded.pieces.push(Piece {
            folded,
            source,
            group: 0,
        });
    }

    /// Begins a piece of other text: the text pushed next comes from `length` bytes at `source`.
    fn piece(&mut self, source: usize, length: usize) {
        let folded = self.folded.text.len() as u32;
        self.folded.pieces.push(Piece {
            folded,
            source: source as u32,
            group: length as u32,
        });
    }
}

/// How many bytes at the beginning are ASCII.
fn ascii_bytes(bytes: &[u8]) -> usize {
    const AT_ONCE: usize = 32;
    let parts = bytes.chunks(AT_ONCE).take_while(|part| part.is_ascii());
    let whole: usize = parts.map(<[u8]>::len).sum();
    let rest = bytes[whole..].iter().take(AT_ONCE);
    whole + rest.take_while(|byte| byte.is_ascii()).count()
}

fn stays_under_nfkc(character: char) -> bool {
    // The usual cases first, here and below: Latin, Cyrillic, dashes and quotes, Chinese punctuation, kana,
    // Chinese characters, hangul. The tables take ten times as long.
    matches!(
        character as u32,
        0..0xA0
            | 0xC0..0x132
            | 0x400..0x480
            | 0x2012..=0x2016
            | 0x2018..=0x2023
            | 0x3001..0x3020
            | 0x3041..0x3097
            | 0x30A1..0x30FB
            | 0x4E00..0xA000
            | 0xAC00..0xD7A4
    ) || is_nfkc_quick(std::iter::once(character)) == IsNormalized::Yes
}

/// Whether normalisation may merge or reorder `character` with the one before it.
fn joins_the_character_before(character: char) -> bool {
    if matches!(
        character as u32,
        0..0x300
            | 0x400..0x480
            | 0x2010..0x2070
            | 0x3000..0x3020
            | 0x3041..0x3097
            | 0x30A1..0x30FB
            | 0x3400..0xA000
            | 0xAC00..0xD7A4
            | 0xFF01..=0xFF5E
    ) {
        return false;
    }
    // Half-width voicing marks and jamo combine if the characters that they decompose to do.
    let first = match is_nfkc_quick(std::iter::once(character)) {
        IsNormalized::No => std::iter::once(character)
            .nfkc()
            .next()
            .unwrap_or(character),
        IsNormalized::Yes | IsNormalized::Maybe => character,
    };
    is_nfkc_quick(std::iter::once(first)) == IsNormalized::Maybe
        || unicode_normalization::char::canonical_combining_class(first) != 0
}

/// Puts the tone before the ring of Thai and Lao, as normalisation leaves both of a vowel that has the ring in it: `นํ้า` is
/// written `น้ำ`, too.
fn put_tones_first(text: &mut String) {
    const ORDERS: [(char, std::ops::RangeInclusive<char>); 2] = [
        ('\u{e4d}', '\u{e48}'..='\u{e4b}'),
        ('\u{ecd}', '\u{ec8}'..='\u{ecb}'),
    ];
    for (ring, tones) in ORDERS {
        if !text.contains(ring) {
            continue;
        }
        let mut characters: Vec<char> = text.chars().collect();
        for at in 1..characters.len() {
            if characters[at - 1] == ring && tones.contains(&characters[at]) {
                characters.swap(at - 1, at);
            }
        }
        *text = characters.into_iter().collect();
    }
}

/// Soft hyphen, zero-width characters, word joiner, byte-order mark, variation selectors.
fn is_invisible(character: char) -> bool {
    matches!(character as u32, 0xAD | 0x200B..=0x200F | 0x2060..=0x2064 | 0xFE00..=0xFE0F | 0xFEFF)
}

fn fold_one(character: char) -> char {
    match character {
        'ς' => 'σ',
        '’' | 'ʼ' | '\u{5f3}' => '\'',
        '\u{5f4}' => '"',
        other => digits::in_ascii(other).unwrap_or_else(|| simplify(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, folded: &str) {
        assert_eq!(fold(text), folded);
    }

    #[test]
    fn width_case_ligatures_and_script_are_folded() {
        check("Ｔａｍｉｓ　ﬁne ΣΟΦΟΣ", "tamis fine σοφοσ");
        check("Don’t co\u{AD}operate", "don't cooperate");
        check("開放中國", "开放中国");
        check("e\u{301}tude É", "étude é");
        check("ﾊﾟﾋﾟ", "パピ");
        check("\u{1112}\u{1161}\u{11AB}", "한");
    }

    #[test]
    fn one_word_in_two_orders_or_signs_is_one() {
        check(
            "\u{e19}\u{e4d}\u{e49}\u{e32}",
            &fold("\u{e19}\u{e49}\u{e33}"),
        );
        check(
            "\u{e99}\u{ecd}\u{ec9}\u{eb2}",
            &fold("\u{e99}\u{ec9}\u{eb3}"),
        );
        check("צה״ל ג׳ורג׳", "צה\"ל ג'ורג'");
        check(
            "٢٠٢٤ ۱۴۰۲ २०२४ ๒๕๖๗ ២០២៤ ١٬٢٣٤٫٥",
            "2024 1402 2024 2567 2024 1,234.5",
        );
    }

    #[test]
    fn full_width_forms_are_folded_as_by_nfkc_and_nothing_combines_with_what_is_before() {
        for form in FULL_WIDTH_FIRST..=FULL_WIDTH_LAST {
            let ascii = std::iter::once(form).nfkc().flat_map(char::to_lowercase);
            check(&form.to_string(), &ascii.collect::<String>());
        }
        for character in ('\u{3000}'..'\u{3020}').chain(FULL_WIDTH_FIRST..=FULL_WIDTH_LAST) {
            let first = std::iter::once(character).nfkc().next().unwrap();
            assert_eq!(is_nfkc_quick([first].into_iter()), IsNormalized::Yes);
            assert_eq!(
                unicode_normalization::char::canonical_combining_class(first),
                0
            );
        }
    }

    #[test]
    fn a_folded_word_knows_its_bytes_in_the_source() {
        let source = "Ａ①e\u{301}x 國";
        let folded = Folded::new(source);
        assert_eq!(folded.text, "a1éx 国");
        let mut hint = 0;
        let mut source = |start, end| folded.source(&mut hint, start, end);
        assert_eq!(source(0, 1), (0, 3));
        assert_eq!(source(1, 2), (3, 6));
        assert_eq!(source(2, 4), (6, 9));
        assert_eq!(source(2, 5), (6, 10));
        assert_eq!(source(4, 5), (9, 10));
        assert_eq!(source(6, 9), (11, 14));
    }

    #[test]
    fn the_usual_cases_are_as_the_tables_say() {
        for c in '\0'..=char::MAX {
            let quick = is_nfkc_quick(std::iter::once(c));
            assert_eq!(stays_under_nfkc(c), quick == IsNormalized::Yes, "{c:?}");
            let class = unicode_normalization::char::canonical_combining_class(c);
            let is_mark = class != 0 || quick == IsNormalized::Maybe;
            assert!(!is_mark || joins_the_character_before(c), "{c:?}");
        }
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,40}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn places_are_character_boundaries_of_the_source(text in "\\PC{0,40}") {
            let folded = Folded::new(&text);
            let mut at = 0;
            let mut hint = 0;
            for character in folded.text.chars() {
                let (start, end) = folded.source(&mut hint, at, at + character.len_utf8());
                prop_assert!(start < end && text.get(start as usize..end as usize).is_some());
                at += character.len_utf8();
            }
        }
    }
}
