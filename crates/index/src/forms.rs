//! The forms under which a word is found: its own, without accents or article, with the signs that make a name
//! of it, and its parts.
//!
//! A sign is no word, so `C`, `C++` and `C#` are one word `c`. Where such signs stand at a word, their name is a
//! second form of it. Who looks for the word finds all of them, who looks for the name that alone.
//!
//! `pg_hba.conf` is one word, and so is `l'homme`. What stands between their signs is a part, and it is marked as such in
//! the index: a page that has `conf` by itself ranks before one that has it in a longer word. The first part stands
//! at the place of the whole, each further one at the next, so that `hba.conf` is found as a row of parts, and
//! a phrase that has the whole word counts its places alike.

use std::ops::Range;

use segment::{Script, Signs, Word, without_accents, without_article};

use crate::tokenizer::{ALSO, SEPARATOR};

/// Stands before the parts of a word in the index.
pub(crate) const PART: char = '\u{1d}';

/// Signs that join parts to a word, as UAX 29 has it; `'` joins some, see [`parts`].
const JOINS: [char; 3] = ['.', '_', ':'];

/// What stands behind an apostrophe in English and is no word (`don't`, `we've`). What else does is a word of its own, as in
/// `l'homme`, or the case of a name: `Ankara'da`.
const ENGLISH_ENDINGS: [&str; 7] = ["s", "t", "d", "m", "ve", "ll", "re"];

/// Adds all forms of a word of a text.
pub(crate) fn push_forms(text: &str, word: &Word<'_>, out: &mut String) {
    out.push_str(word.text);
    let name = name_with_signs(text, word).map(|(name, _)| name);
    let plain = without_accents(word.text).into_iter();
    for form in plain.chain(without_article(word.text)).chain(name) {
        out.push(ALSO);
        out.push_str(&form);
    }
}

/// Adds the parts of a word of a text, each at a place of its own, the first at that of the word.
pub(crate) fn push_parts(word: &Word<'_>, out: &mut String) {
    for (place, part) in parts_in_text(word.text).enumerate() {
        out.push(if place == 0 { ALSO } else { SEPARATOR });
        out.push(PART);
        out.push_str(part);
        if let Some(plain) = without_accents(part) {
            out.push(ALSO);
            out.push(PART);
            out.push_str(&plain);
        }
    }
}

/// How many places a word of a text takes.
pub(crate) fn place_count(word: &str) -> usize {
    parts_in_text(word).count().max(1)
}

/// The parts under which a word of a text is found; none where the word is its only part. A number with one point
/// (`3.14`) is one number.
pub(crate) fn parts_in_text(word: &str) -> impl Iterator<Item = &str> {
    let is_number = |word: &str| {
        word.matches('.').count() == 1 && !word.contains(|c: char| c.is_alphabetic() || c == '_')
    };
    let is_whole = !word.contains(['.', '_', ':', '\'']) || is_number(word);
    let parts = (!is_whole).then(|| parts(word)).into_iter().flatten();
    parts.filter(move |part| part.len() < word.len())
}

/// What stands between the signs that join a word, or the word itself: of `pg_hba.conf` `pg`, `hba` and `conf`.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let joined = word.split(JOINS).flat_map(|joined| {
        let elision = joined.split_once('\'');
        match elision.filter(|(_, rest)| !ENGLISH_ENDINGS.contains(rest)) {
            Some((elided, rest)) => [elided, rest],
            None => [joined, ""],
        }
    });
    joined.filter(|part| !part.is_empty())
}

/// The parts that a word of a query may be of a longer word; none for a name with signs (`.net`).
pub(crate) fn parts_in_query(word: &str) -> impl Iterator<Item = &str> {
    let is_name = word.starts_with('.') || word.ends_with(['+', '#']);
    (!is_name).then(|| parts(word)).into_iter().flatten()
}

/// The name that a word and the signs at it make, and where it stands: `c++`, `f#`, `.net`.
pub(crate) fn name_with_signs(text: &str, word: &Word<'_>) -> Option<(String, Range<usize>)> {
    if word.script != Script::Other {
        return None;
    }
    let range = word.start as usize..word.end as usize;
    let signs = Signs::between(&text[..range.start], &text[range.end..]);
    (!signs.is_empty()).then(|| {
        let name = [signs.before, word.text, signs.behind].concat();
        (
            name,
            range.start - signs.before.len()..range.end + signs.behind_bytes,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use segment::Segmenter;

    #[test]
    fn a_word_has_the_parts_between_its_signs() {
        for (word, expected) in [
            ("pg_hba.conf", "pg hba conf"),
            ("192.168.0.1", "192 168 0 1"),
            ("__init__", "init"),
            ("l'homme", "l homme"),
            ("ankara'da", "ankara da"),
            ("iğdır'ı", "iğdır ı"),
            ("d'or", "d or"),
            ("we'll", ""),
            ("std:io", "std io"),
            ("1_000.5", "1 000 5"),
            ("o'neill's", "o neill's"),
            ("3.14", ""),
            ("1,234.5", ""),
            ("don't", ""),
            ("conf", ""),
            ("", ""),
        ] {
            let parts: Vec<&str> = parts_in_text(word).collect();
            assert_eq!(parts.join(" "), expected, "{word}");
            assert_eq!(place_count(word), parts.len().max(1), "{word}");
        }
        let asked = |word| parts_in_query(word).collect::<Vec<_>>().join(" ");
        assert_eq!(asked("192.168"), "192 168");
        assert_eq!(asked("hba"), "hba");
        assert_eq!([".net", "c++", "c#"].map(asked), [""; 3]);
    }

    #[test]
    fn signs_make_names_where_they_stand_at_a_word() {
        let names = |text: &str| -> Vec<String> {
            let words = Segmenter::shared().words(text);
            let names = words.iter().filter_map(|word| name_with_signs(text, &word));
            names
                .map(|(name, range)| format!("{name}={}", &text[range]))
                .collect()
        };
        assert_eq!(names("C++17, C# and (F#)"), ["c++=C++", "c#=C#", "f#=F#"]);
        assert_eq!(names("用Ｃ＋＋写.NET程序"), ["c++=Ｃ＋＋", ".net=.NET"]);
        for text in [
            "An end. Net. ASP.NET ...net",
            "a + b +1",
            "x.html#top",
            "数#",
        ] {
            assert_eq!(names(text), [""; 0], "{text}");
        }
    }
}
