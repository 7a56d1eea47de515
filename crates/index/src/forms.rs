//! The forms under which a word is found: its own, without accents, and with the signs that make a name
//! of it.
//!
//! A sign is no word, so `C`, `C++` and `C#` are one word `c`. Where such signs stand at a word, their name is a
//! second form of it. Who looks for the word finds all of them, who looks for the name that alone.

use std::ops::Range;

use segment::{Script, Word, without_accents};

use crate::tokenizer::ALSO;

/// Signs behind a word that make a name with it.
const SIGNS_BEHIND: [(&str, &str); 4] = [("++", "++"), ("＋＋", "++"), ("#", "#"), ("＃", "#")];

/// Adds all forms of a word of a text.
pub(crate) fn push_forms(text: &str, word: &Word<'_>, out: &mut String) {
    out.push_str(word.text);
    let name = name_with_signs(text, word).map(|(name, _)| name);
    for form in without_accents(word.text).into_iter().chain(name) {
        out.push(ALSO);
        out.push_str(&form);
    }
}

/// The name that a word and the signs at it make, and where it stands: `c++`, `f#`, `.net`.
pub(crate) fn name_with_signs(text: &str, word: &Word<'_>) -> Option<(String, Range<usize>)> {
    if word.script != Script::Other {
        return None;
    }
    let (start, end) = (word.start as usize, word.end as usize);
    let (before, behind) = (&text[..start], &text[end..]);
    let dot = before
        .strip_suffix('.')
        .filter(|before| !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.'))
        .map_or("", |_| ".");
    let mut signs = SIGNS_BEHIND.iter();
    let (sign, usual) = signs
        .find(|(sign, _)| behind.starts_with(sign))
        // `page#top` is a place in a page.
        .filter(|(sign, usual)| {
            let rest = &behind[sign.len()..];
            *usual != "#" || !rest.starts_with(|c: char| c.is_ascii_alphabetic())
        })
        .unwrap_or(&("", ""));
    let has_signs = !dot.is_empty() || !sign.is_empty();
    has_signs.then(|| {
        let name = [dot, word.text, usual].concat();
        (name, start - dot.len()..end + sign.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use segment::Segmenter;

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
