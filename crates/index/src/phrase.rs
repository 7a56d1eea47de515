//! Where a phrase in quotes stands in a text: the place that a snippet shows and marks.
//!
//! A text is a row of atoms: words, and in Chinese and Japanese single characters, since a phrase may be cut into other
//! words than the text around it. A phrase stands where its atoms do, one after the other, whatever signs are between
//! them; its first and its last word may be the end and the beginning of longer ones, as in the index (see `forms`).
//!
//! Cost: each atom of the text is compared with the first of the phrase, and what begins like the phrase with its up to
//! 64 words.

use std::ops::Range;

use segment::{Script, Word, Words, without_accents, without_article};

use crate::forms::{name_with_signs, parts_in_query, parts_in_text};
use crate::snippet::{Needle, source_range};

/// A word of a text, or a character of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Atom {
    /// Its forms, the one that stands there first.
    forms: Vec<String>,
    range: Range<usize>,
    /// It is of the same word as the one before.
    is_inner: bool,
    is_character: bool,
}

/// A phrase to highlight: several words that stand side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    atoms: Vec<Atom>,
    /// Its words, for a text that has them alone.
    pub(crate) words: Vec<Needle>,
}

impl Phrase {
    pub(crate) fn new(atoms: Vec<Atom>, words: Vec<Needle>) -> Phrase {
        Phrase { atoms, words }
    }

    /// Where it stands in a text; no two of the places overlap.
    pub(crate) fn places(&self, text: &str, atoms: &[Atom]) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        let mut from = 0;
        while from + self.atoms.len() <= atoms.len() {
            match self.at(text, &atoms[from..from + self.atoms.len()]) {
                Some(place) => {
                    places.push(place);
                    from += self.atoms.len();
                }
                None => from += 1,
            }
        }
        places
    }

    /// The range of these atoms if they are the phrase.
    fn at(&self, text: &str, atoms: &[Atom]) -> Option<Range<usize>> {
        let last = self.atoms.len().checked_sub(1)?;
        let mut range = atoms.first()?.range.start..atoms.last()?.range.end;
        for (number, (atom, wanted)) in atoms.iter().zip(&self.atoms).enumerate() {
            let before = number.checked_sub(1).map(|before| &atoms[before]);
            let is_beside = before.is_none_or(|before| before.range.end >= atom.range.start);
            if wanted.is_inner && !is_beside {
                return None;
            }
            if atom.is(wanted) {
                continue;
            }
            let is_end = number == 0 || number == last;
            if !is_end {
                return None;
            }
            let part = atom.part(text, wanted, number == 0)?;
            match number {
                0 => range.start = part.start,
                _ => range.end = part.end,
            }
        }
        Some(range)
    }
}

impl Atom {
    fn word(text: &str, word: &Word<'_>) -> Atom {
        let name = name_with_signs(text, word);
        let range = match &name {
            Some((_, range)) => range.clone(),
            None => word.start as usize..word.end as usize,
        };
        let plain = without_accents(word.text).into_iter();
        let others = plain.chain(without_article(word.text));
        let others = others.chain(name.map(|(name, _)| name));
        Atom {
            forms: std::iter::once(word.text.to_owned())
                .chain(others)
                .collect(),
            range,
            is_inner: false,
            is_character: false,
        }
    }

    /// What is looked for where the atom is of a phrase: the name with its signs, or the word.
    fn wanted(&self) -> &str {
        let has_signs = |form: &&String| form.starts_with('.') || form.ends_with(['+', '#']);
        let name = self.forms.last().filter(has_signs);
        name.or(self.forms.first()).map_or("", String::as_str)
    }

    fn is(&self, wanted: &Atom) -> bool {
        self.is_character == wanted.is_character
            && self.forms.iter().any(|form| form == wanted.wanted())
    }

    /// Where the wanted word is the last part of this one, or the first.
    fn part(&self, text: &str, wanted: &Atom, is_last: bool) -> Option<Range<usize>> {
        if self.is_character || wanted.is_character {
            return None;
        }
        let word = self.forms.first()?;
        let parts: Vec<&str> = parts_in_text(word).collect();
        if parts.is_empty() {
            return None;
        }
        let wanted: Vec<&str> = parts_in_query(wanted.wanted()).collect();
        let at = match is_last {
            true => parts.len().checked_sub(wanted.len())?,
            false => 0,
        };
        let found = parts.get(at..at + wanted.len())?;
        let is_part = |(part, wanted): (&&str, &&str)| {
            part == wanted || without_accents(part).is_some_and(|plain| plain == **wanted)
        };
        if wanted.is_empty() || !found.iter().zip(&wanted).all(is_part) {
            return None;
        }
        let offset = |part: &str| part.as_ptr() as usize - word.as_ptr() as usize;
        let (first, last) = (found.first()?, found.last()?);
        let folded = offset(first)..offset(last) + last.len();
        let range = source_range(&text[self.range.clone()], word, folded);
        let start = self.range.start;
        let within = |at: Range<usize>| start + at.start..start + at.end;
        Some(range.map_or(self.range.clone(), within))
    }
}

/// The atoms of a text, in order.
pub(crate) fn atoms(text: &str, words: &Words) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    for word in words.iter() {
        if !matches!(word.script, Script::Han | Script::Kana) {
            atoms.push(Atom::word(text, &word));
            continue;
        }
        let whole = word.start as usize..word.end as usize;
        let source = &text[whole.clone()];
        let is_alike = source.chars().count() == word.text.chars().count();
        let mut places = source.char_indices();
        let mut is_inner = false;
        for character in word.text.chars() {
            let place = places.next().filter(|_| is_alike);
            let range = place.map_or(whole.clone(), |(at, source)| {
                let start = whole.start + at;
                start..start + source.len_utf8()
            });
            // Pairs of kana overlap.
            let before = atoms.last().filter(|before| before.is_character);
            let is_known = is_alike && before.is_some_and(|before| before.range.end >= range.end);
            if !is_known {
                atoms.push(Atom {
                    forms: vec![character.to_string()],
                    range,
                    is_inner,
                    is_character: true,
                });
            }
            is_inner = true;
        }
    }
    atoms
}

#[cfg(test)]
mod tests {
    use segment::Segmenter;

    use super::*;

    fn places<'t>(phrase: &str, text: &'t str) -> Vec<&'t str> {
        let of = |text: &str| atoms(text, &Segmenter::shared().words(text));
        let phrase = Phrase::new(of(phrase), Vec::new());
        let places = phrase.places(text, &of(text)).into_iter();
        places.map(|place| &text[place]).collect()
    }

    #[test]
    fn a_phrase_stands_where_its_words_do_in_order() {
        for (phrase, text, expected) in [
            (
                "the river near",
                "The river, near it. Near the river near.",
                "The river, near|the river near",
            ),
            ("a b", "a a b b a", "a b"),
            ("hba.conf file", "the pg_hba.conf file", "hba.conf file"),
            ("the pg_hba", "edit the pg_hba.conf", "the pg_hba"),
            ("pg hba conf", "pg_hba.conf", ""),
            ("c++ file", "a C++ file, a c file", "C++ file"),
            ("c file", "a C++ file, a c file", "C++ file|c file"),
            ("lodz x", "Łódź x", "Łódź x"),
            (
                "数据库的索引",
                "索引的数据库；数据库的索引。",
                "数据库的索引",
            ),
            (
                "PostgreSQL数据库",
                "用 PostgreSQL 数据库",
                "PostgreSQL 数据库",
            ),
            ("第3章", "见第3章", "第3章"),
            ("すもも の", "すもものうち", "すももの"),
            ("very long phrase", "a very long", ""),
        ] {
            assert_eq!(places(phrase, text).join("|"), expected, "{phrase}");
        }
    }
}
