//! One word of a keyword, and the words of a text that are it.
//!
//! Its forms are made once, where the keyword is read, so that a word of a text is looked up by its hash; other
//! words of its family are compared letter by letter ([`crate::inflections`]).
//!
//! One word may be written in several ways: `Node.js` and `NodeJS`, `e-mail` and `email`, `full text` and
//! `fulltext`. A keyword is cut at the signs within its words, and compared with what a text writes in one, with a hyphen or with a
//! blank.

use segment::{Script, Signs, Tongue, Word, Words, english_inflections, without_accents};
use xxhash_rust::xxh3::xxh3_64;

use crate::common_words::is_common;
use crate::inflections::{INFLECTION_PREFIX_BYTES, are_kin};
use crate::url_parts::clip;

/// Letters of a keyword in capitals that may be an abbreviation.
const ABBREVIATION_LETTERS_MAX: usize = 4;
/// Letters up to which an abbreviation is a word of some language in small letters: AI, UN, R.
const MISTAKABLE_LETTERS_MAX: usize = 2;
/// Letters of a word that a text may write in pieces.
const WHOLE_LETTERS_MIN: usize = 4;
/// Letters of a piece that stands by itself: `full text`, but `to day` is no `today`.
pub(crate) const PIECE_LETTERS_MIN: usize = 3;
/// Pieces that a text may cut a word into.
const PIECES_MAX: usize = 3;
/// Signs within words, of which what they join is one word also without them.
const SIGNS: [char; 3] = ['_', '.', ':'];

/// Whether a word counts in small letters as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capitals {
    /// It does.
    Any,
    /// Only in a text that has no capitals at all, such as a URL.
    WhereWritten,
    /// Never: it would be a common word.
    Always,
}

/// A word of a keyword, or what stands between the signs of one.
#[derive(Debug, Clone)]
pub(crate) struct KeywordWord {
    pub(crate) text: String,
    /// Hashes of it and its forms, in order.
    forms: Vec<u64>,
    beginnings: Vec<String>,
    /// Words of its family match as well.
    pub(crate) inflects: bool,
    pub(crate) script: Script,
    capitals: Capitals,
    /// Without its accents, if it has any.
    plain: Option<String>,
    /// The signs that make a name of it.
    signs: Signs,
}

impl KeywordWord {
    /// A word of a keyword, or what stands between the signs in one.
    pub(crate) fn new(text: &str, script: Script, capitals: Capitals) -> KeywordWord {
        let inflects = script == Script::Other && capitals == Capitals::Any;
        let mut forms = vec![text.to_owned()];
        if inflects {
            forms.extend(english_inflections(text));
        } else if script == Script::Other && !text.ends_with('s') {
            // The PCs.
            forms.push(format!("{text}s"));
        }
        if script == Script::Other && text.len() <= ABBREVIATION_LETTERS_MAX {
            let letters: Vec<String> = text.chars().map(String::from).collect();
            forms.push(letters.join("."));
        }
        let plain: Vec<String> = forms
            .iter()
            .filter_map(|form| without_accents(form))
            .collect();
        forms.extend(plain);
        KeywordWord {
            plain: without_accents(text),
            signs: Signs::default(),
            text: text.to_owned(),
            forms: hashes_of(&forms),
            beginnings: beginnings_of(&forms, inflects),
            inflects,
            script,
            capitals,
        }
    }

    /// A word that is a name with its signs: `C++`.
    pub(crate) fn of_name(text: &str, signs: Signs) -> KeywordWord {
        let forms = [text.to_owned()];
        KeywordWord {
            text: text.to_owned(),
            forms: hashes_of(&forms),
            beginnings: beginnings_of(&forms, false),
            inflects: false,
            script: Script::Other,
            capitals: Capitals::Any,
            plain: None,
            signs,
        }
    }

    /// How it is written, with accents and without.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &str> {
        [Some(self.text.as_str()), self.plain.as_deref()]
            .into_iter()
            .flatten()
    }

    /// The hashes of the words that are it by their spelling.
    pub(crate) fn forms(&self) -> &[u64] {
        &self.forms
    }

    /// Whether the word at a place of a text is it. `page` is the language of the text, where it is known and its forms are.
    pub(crate) fn matches(
        &self,
        word: &Word<'_>,
        words: &Words,
        at: usize,
        page: Option<Tongue>,
    ) -> bool {
        let is_it = self.forms.binary_search(&word.hash).is_ok()
            || (self.inflects
                && word.script == Script::Other
                && (are_kin(&self.text, word.text, page)
                    || is_without_signs(word.text, &self.text)))
            || self.is_plain(word, page);
        is_it && self.is_written_at(words, at) && self.has_signs_at(words, at)
    }

    /// Whether a word is it or one of its family once both are without accents.
    fn is_plain(&self, word: &Word<'_>, page: Option<Tongue>) -> bool {
        if word.script != Script::Other || (word.text.is_ascii() && self.plain.is_none()) {
            return false;
        }
        let plain = without_accents(word.text);
        let word = plain.as_deref().unwrap_or(word.text);
        let text = self.plain.as_deref().unwrap_or(&self.text);
        self.forms.binary_search(&xxh3_64(word.as_bytes())).is_ok()
            || (self.inflects && are_kin(text, word, page))
    }

    fn has_signs_at(&self, words: &Words, at: usize) -> bool {
        if self.signs.is_empty() {
            return true;
        }
        let signs = words.signs(at);
        (signs.before, signs.behind) == (self.signs.before, self.signs.behind)
    }

    fn is_written_at(&self, words: &Words, at: usize) -> bool {
        match self.capitals {
            Capitals::Any => true,
            Capitals::WhereWritten => !words.has_capitals() || words.is_in_capitals(at),
            Capitals::Always => words.is_in_capitals(at),
        }
    }

    /// Whether a text may write it in one with the next: it is in letters and digits, of a script with blanks
    /// between its words, and no name with signs.
    pub(crate) fn may_be_joined(&self) -> bool {
        matches!(self.script, Script::Other | Script::Number) && self.signs.is_empty()
    }

    /// Whether it counts in capitals alone.
    pub(crate) fn is_in_capitals_only(&self) -> bool {
        self.capitals == Capitals::Always
    }

    /// How the words that are it may begin; none of them is the beginning of another.
    pub(crate) fn beginnings(&self) -> &[String] {
        &self.beginnings
    }

    /// Whether a text may write it in pieces.
    pub(crate) fn has_pieces(&self) -> bool {
        self.inflects && self.text.len() >= WHOLE_LETTERS_MIN
    }

    /// How many words from a place on are its pieces: two of `e-mail` for `email`. `first` is the word there.
    pub(crate) fn pieces_at(&self, first: &Word<'_>, words: &Words, at: usize) -> Option<usize> {
        if !self.has_pieces() || !is_beginning(first.text, &self.text) {
            return None;
        }
        let mut end = first.text.len();
        let mut before = *first;
        for count in 1..PIECES_MAX {
            let piece = words.get(at + count)?;
            if !are_pieces(before.text, words.text_behind(at + count - 1), piece.text) {
                return None;
            }
            let whole = [&self.text[..end], piece.text].concat();
            if self.forms.binary_search(&xxh3_64(whole.as_bytes())).is_ok() {
                return Some(count + 1);
            }
            if !is_beginning(&whole, &self.text) {
                return None;
            }
            end = whole.len();
            before = piece;
        }
        None
    }
}

/// Whether a text is the beginning of a longer one.
fn is_beginning(text: &str, whole: &str) -> bool {
    text.len() < whole.len() && whole.starts_with(text)
}

/// Whether two words may be pieces of one: bound by a hyphen, or of some letters each and no common words.
fn are_pieces(word: &str, between: &str, next: &str) -> bool {
    let rest = between.strip_prefix(['-', '\u{2010}', '–']);
    if let Some(rest) = rest {
        return rest.starts_with(next);
    }
    let is_piece = |word: &str| word.len() >= PIECE_LETTERS_MIN && !is_common(word);
    let is_next = between
        .strip_prefix(' ')
        .is_some_and(|rest| rest.starts_with(next));
    is_next && is_piece(word) && is_piece(next)
}

/// How some words begin once what joins words is left out, without those that begin with others of them: by the
/// letters that their families share, or whole.
fn beginnings_of(words: &[String], inflect: bool) -> Vec<String> {
    let mut all: Vec<String> = words.to_vec();
    for word in &mut all {
        leave_joins_out(word);
        if inflect {
            word.truncate(clip(word, INFLECTION_PREFIX_BYTES).len());
        }
    }
    all.sort_unstable();
    all.dedup_by(|next, kept| next.starts_with(kept.as_str()));
    all
}

/// Leaves out what may stand between the pieces of one word.
pub(crate) fn leave_joins_out(text: &mut String) {
    text.retain(|character| {
        !matches!(character, ' ' | '-' | '\u{2010}' | '–') && !SIGNS.contains(&character)
    });
}

/// Hashes of texts in order, each once.
pub(crate) fn hashes_of(texts: &[String]) -> Vec<u64> {
    let mut hashes: Vec<u64> = texts.iter().map(|text| xxh3_64(text.as_bytes())).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// What stands between the signs of a word: `node`, `js`. Initials (`u.s`) and numbers (`v2.0`) are one.
pub(crate) fn parts_of(word: &str) -> Vec<String> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = word.as_bytes();
    let mut parts = vec![String::new()];
    for (at, character) in word.char_indices() {
        let in_number = is_digit(bytes.get(at + 1)) && at > 0 && is_digit(bytes.get(at - 1));
        match SIGNS.contains(&character) && !(character == '.' && in_number) {
            true => parts.push(String::new()),
            false => parts.last_mut().expect("there is a part").push(character),
        }
    }
    parts.retain(|part| !part.is_empty());
    let are_initials = parts.iter().all(|part| part.chars().nth(1).is_none());
    match are_initials {
        true => vec![parts.concat()],
        false => parts,
    }
}

/// Whether a word is a text once its signs are left out.
pub(crate) fn is_without_signs(word: &str, text: &str) -> bool {
    let letters = word.chars().filter(|character| !SIGNS.contains(character));
    letters.eq(text.chars())
}

/// Whether a word of a keyword that is written in capitals is asked for in capitals.
pub(crate) fn capitals_of(text: &str) -> Capitals {
    let letters = text.chars().count();
    let are_letters = text.chars().all(char::is_alphabetic);
    match letters <= ABBREVIATION_LETTERS_MAX && are_letters {
        true if is_common(text) => Capitals::Always,
        true if letters <= MISTAKABLE_LETTERS_MAX => Capitals::WhereWritten,
        _ => Capitals::Any,
    }
}
