//! The endings of nouns in languages without a Snowball stemmer, and of Greek, where it takes `εκκλησία` and `εκκλησίες` for two.
//!
//! An ending stands with what may stand instead of it in the form that a dictionary has: Hindi's `नदियाँ` is of `नदी`, not
//! of `नद`. Of several endings the longest counts.

use crate::without_accents;

/// An ending, and what the word may end in without it.
type Ending = (&'static str, &'static [&'static str]);

const CUT: &[&str] = &[""];

macro_rules! cut {
    ($($ending:literal)*) => { &[$(($ending, CUT)),*] };
}

const CZECH: &[Ending] = cut!(
    "ech" "ich" "ích" "ách" "ami" "emi" "ové" "ovi" "ými" "ého" "ému" "ých" "ům" "ám" "ím" "ým" "em" "um" "ou" "mi"
    "ů" "y" "i" "e" "ě" "a" "o" "u" "í" "á" "é" "ý"
);
const POLISH: &[Ending] = cut!(
    "iami" "iach" "ami" "ach" "owie" "owi" "iego" "ego" "iemu" "emu" "ymi" "imi" "ych" "ich" "iów" "ów" "iom" "om" "iem" "em" "um"
    "ie" "ia" "iu" "ią" "ię" "ym" "im" "ej" "a" "ą" "e" "ę" "i" "o" "u" "y"
);
const UKRAINIAN: &[Ending] = cut!(
    "ами" "ями" "ові" "еві" "єві" "ого" "ому" "ими" "ах" "ях" "ів" "їв" "ам" "ям" "ою" "ею" "єю" "ом" "ем" "єм" "их" "ий"
    "а" "я" "о" "е" "є" "и" "і" "ї" "у" "ю" "ь" "й"
);
const GREEK: &[Ending] =
    cut!("εισ" "εων" "ουσ" "εωσ" "ων" "οσ" "ου" "οι" "ασ" "εσ" "ησ" "ο" "α" "η" "ε");
const PERSIAN: &[Ending] = cut!("هايي" "هاي" "ها" "ان" "ات" "اي" "يي" "ي");
const INDONESIAN: &[Ending] = cut!("nya" "lah" "kah" "pun");
const HEBREW: &[Ending] = cut!("ייה" "יות" "יימ" "ימ" "ות" "יה" "ה" "ת" "י");
const ARABIC: &[Ending] = &[
    ("اتها", &["", "ة"]),
    ("ات", &["", "ة"]),
    ("تها", &["ة"]),
    ("تهم", &["ة"]),
    ("ها", CUT),
    ("هم", CUT),
    ("ان", CUT),
    ("ون", CUT),
    ("ين", CUT),
];
const HINDI: &[Ending] = &[
    ("ियों", &["ी", "ि"]),
    ("ियां", &["ी", "ि"]),
    ("ाओं", &["ा"]),
    ("ाएं", &["ा"]),
    ("ुओं", &["ु", "ू"]),
    ("ों", &["", "ा"]),
    ("ें", CUT),
    ("े", &["ा"]),
];

/// The endings of a language by its tag.
pub(super) fn endings_of(tag: &str) -> &'static [Ending] {
    match tag {
        "cs" | "sk" => CZECH,
        "pl" => POLISH,
        "uk" => UKRAINIAN,
        "el" => GREEK,
        "fa" => PERSIAN,
        "id" | "ms" => INDONESIAN,
        "he" => HEBREW,
        "ar" => ARABIC,
        "hi" => HINDI,
        _ => &[],
    }
}

/// A word in the letters that stems are compared in.
pub(super) struct Letters {
    tag: &'static str,
    word: String,
}

impl Letters {
    pub(super) fn of(tag: &'static str, word: &str) -> Letters {
        let word = match tag {
            "el" | "fa" | "hi" => without_accents(word).unwrap_or_else(|| word.to_owned()),
            "he" => word.chars().map(not_final).collect(),
            // Hamza and vowels, but the last letter tells.
            "ar" => {
                let plain = without_accents(word).unwrap_or_else(|| word.to_owned());
                match (word.ends_with('ة'), plain.strip_suffix('ه')) {
                    (true, Some(rest)) => [rest, "ة"].concat(),
                    _ => plain,
                }
            }
            _ => word.to_owned(),
        };
        Letters { tag, word }
    }

    /// The word without its longest ending, with what stands instead.
    pub(super) fn stems(&self, endings: &[Ending]) -> Vec<String> {
        let fits = |(ending, _): &&Ending| {
            let rest = self.word.strip_suffix(ending);
            rest.is_some_and(|rest| rest.chars().count() >= self.letters_min(ending))
        };
        let longest = endings
            .iter()
            .filter(fits)
            .max_by_key(|(ending, _)| ending.len());
        let Some((ending, instead)) = longest else {
            return vec![self.with_open_vowel(self.word.clone())];
        };
        let rest = &self.word[..self.word.len() - ending.len()];
        let stems = instead.iter().map(|end| [rest, end].concat());
        stems.map(|stem| self.with_open_vowel(stem)).collect()
    }

    /// Letters that an ending leaves: where a last letter is often no ending, one more.
    fn letters_min(&self, ending: &str) -> usize {
        let is_one_letter = ending.chars().nth(1).is_none();
        match self.tag {
            "he" if is_one_letter => 3,
            "id" | "ms" => 3,
            _ => 2,
        }
    }

    /// The last vowel as it is where a vowel follows: `miód`, `miodu`; `dům`, `domu`; `міст`, `мости`.
    fn with_open_vowel(&self, stem: String) -> String {
        let (closed, open) = match self.tag {
            "pl" => ('ó', "o"),
            "cs" => ('ů', "o"),
            "uk" => ('і', "о"),
            _ => return stem,
        };
        let is_vowel = |c: char| "aąeęioóuyáéěíúůýаеєиіїоуюя".contains(c);
        match stem.rfind(is_vowel) {
            Some(at) if stem[at..].starts_with(closed) => {
                let behind = &stem[at + closed.len_utf8()..];
                match behind.is_empty() {
                    true => stem,
                    false => [&stem[..at], open, behind].concat(),
                }
            }
            _ => stem,
        }
    }
}

/// A letter of Hebrew as it is within a word.
fn not_final(letter: char) -> char {
    match letter {
        'ך' => 'כ',
        'ם' => 'מ',
        'ן' => 'נ',
        'ף' => 'פ',
        'ץ' => 'צ',
        _ => letter,
    }
}
