//! The forms of a word in other languages than English, told by their stems.
//!
//! Two words are forms of one if what is left of them without their endings is the same. For most languages that is what
//! Snowball's stemmers give; for those that it has none for, a table of the endings of nouns does ([`endings`]). Arabic and
//! Hebrew write articles, conjunctions and prepositions in one with a word; these are taken off the word of a text, never off
//! the one that is looked for.
//!
//! A stem by itself is shown to nobody and kept nowhere.

mod endings;

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use crate::without_accents;
use endings::{Letters, endings_of};

/// A language whose words have forms that are known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tongue(&'static str);

/// Languages by their tags and the letters that they are written in, the usual one of its letters first.
const TONGUES: [(&str, Writing); 26] = [
    ("cs", Writing::Latin),
    ("da", Writing::Latin),
    ("de", Writing::Latin),
    ("es", Writing::Latin),
    ("fi", Writing::Latin),
    ("fr", Writing::Latin),
    ("hu", Writing::Latin),
    ("id", Writing::Latin),
    ("it", Writing::Latin),
    ("ms", Writing::Latin),
    ("nb", Writing::Latin),
    ("nl", Writing::Latin),
    ("nn", Writing::Latin),
    ("no", Writing::Latin),
    ("pl", Writing::Latin),
    ("pt", Writing::Latin),
    ("ro", Writing::Latin),
    ("sk", Writing::Latin),
    ("sv", Writing::Latin),
    ("tr", Writing::Latin),
    ("ru", Writing::Cyrillic),
    ("uk", Writing::Cyrillic),
    ("el", Writing::Greek),
    ("he", Writing::Hebrew),
    ("ar", Writing::Arabic),
    ("hi", Writing::Devanagari),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Devanagari,
}

impl Tongue {
    /// The language of a tag such as `de-AT`; `None` for English and for those of which nothing is known here.
    pub fn of_tag(tag: &str) -> Option<Tongue> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        if primary.eq_ignore_ascii_case("fa") {
            return Some(Tongue("fa"));
        }
        let mut tongues = TONGUES.iter();
        let found = tongues.find(|(tag, _)| tag.eq_ignore_ascii_case(primary));
        found.map(|(tag, _)| Tongue(tag))
    }

    /// The language of a word: that of its page if this is written in the word's letters, else the one that its letters
    /// tell. Latin letters tell none.
    pub fn of_word(word: &str, page: Option<Tongue>) -> Option<Tongue> {
        let writing = writing_of(word)?;
        let of_page = page.filter(|page| page.writing() == writing);
        of_page.or_else(|| match writing {
            Writing::Latin => None,
            Writing::Cyrillic if word.contains(['і', 'ї', 'є', 'ґ', '\'']) => {
                Some(Tongue("uk"))
            }
            Writing::Cyrillic => Some(Tongue("ru")),
            Writing::Greek => Some(Tongue("el")),
            Writing::Hebrew => Some(Tongue("he")),
            Writing::Arabic if word.contains(['پ', 'چ', 'ژ', 'گ', 'ک', 'ی']) => {
                Some(Tongue("fa"))
            }
            Writing::Arabic => Some(Tongue("ar")),
            Writing::Devanagari => Some(Tongue("hi")),
        })
    }

    /// What may be left of a word in the languages that are written in its letters.
    ///
    /// ```
    /// let stems: Vec<String> = segment::Tongue::stems_in_all("häuser").collect();
    /// assert!(stems.iter().any(|stem| stem == "haus"));
    /// ```
    pub fn stems_in_all(word: &str) -> impl Iterator<Item = String> + '_ {
        let writing = writing_of(word);
        let tongues = TONGUES.iter().filter(move |(_, its)| Some(*its) == writing);
        let persian = (writing == Some(Writing::Arabic)).then_some(Tongue("fa"));
        tongues
            .map(|(tag, _)| Tongue(tag))
            .chain(persian)
            .flat_map(|tongue| tongue.stems(word))
    }

    /// Whether a word of a text is a form of a word that is looked for, both folded.
    ///
    /// ```
    /// use segment::Tongue;
    /// let german = Tongue::of_tag("de").unwrap();
    /// assert!(german.are_forms("haus", "häusern") && !german.are_forms("haus", "hauptstadt"));
    /// ```
    pub fn are_forms(self, sought: &str, word: &str) -> bool {
        // A stemmer may take the end of the word itself for an ending: of Turkish `aşı` it leaves `aş`, of `aşılar` `aşı`.
        let whole = without_accents(sought).unwrap_or_else(|| sought.to_owned());
        let sought = self.stems(sought);
        let is_it = |stem: &String| sought.contains(stem) || *stem == whole;
        rests_of(word).any(|rest| self.stems(rest).iter().any(is_it))
    }

    fn writing(self) -> Writing {
        let mut tongues = TONGUES.iter();
        let found = tongues.find(|(tag, _)| *tag == self.0);
        found.map_or(Writing::Arabic, |(_, writing)| *writing)
    }

    /// What may be left of a word without its ending.
    fn stems(self, word: &str) -> Vec<String> {
        let Some(algorithm) = self.algorithm() else {
            return Letters::of(self.0, word).stems(endings_of(self.0));
        };
        let word = match self.0 {
            // The case of a name stands behind an apostrophe.
            "tr" => Cow::from(word.split('\'').next().unwrap_or_default()),
            "ru" => word.replace('ё', "е").into(),
            _ => Cow::from(word),
        };
        let stem = Stemmer::create(algorithm).stem(&word).into_owned();
        vec![without_accents(&stem).unwrap_or(stem)]
    }

    fn algorithm(self) -> Option<Algorithm> {
        Some(match self.0 {
            "da" => Algorithm::Danish,
            "de" => Algorithm::German,
            "es" => Algorithm::Spanish,
            "fi" => Algorithm::Finnish,
            "fr" => Algorithm::French,
            "hu" => Algorithm::Hungarian,
            "it" => Algorithm::Italian,
            "nb" | "nn" | "no" => Algorithm::Norwegian,
            "nl" => Algorithm::Dutch,
            "pt" => Algorithm::Portuguese,
            "ro" => Algorithm::Romanian,
            "ru" => Algorithm::Russian,
            "sv" => Algorithm::Swedish,
            "tr" => Algorithm::Turkish,
            _ => return None,
        })
    }
}

/// The letters that a word is written in, by its first one.
fn writing_of(word: &str) -> Option<Writing> {
    Some(match word.chars().find(|c| c.is_alphabetic())? {
        'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Writing::Latin,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Writing::Greek,
        '\u{400}'..='\u{52f}' => Writing::Cyrillic,
        '\u{5d0}'..='\u{5ea}' => Writing::Hebrew,
        '\u{620}'..='\u{6ff}' => Writing::Arabic,
        '\u{900}'..='\u{97f}' => Writing::Devanagari,
        _ => return None,
    })
}

/// A word, and what is left of it without the words that Arabic, Hebrew and French write in one with it.
///
/// ```
/// let rests: Vec<&str> = segment::rests_of("والمتحف").collect();
/// assert_eq!(rests, ["والمتحف", "المتحف", "متحف"]);
/// ```
pub fn rests_of<'w>(word: &'w str) -> impl Iterator<Item = &'w str> {
    const PREFIXES_MAX: usize = 3;
    let writing = writing_of(word);
    let next = move |word: &&'w str| without_prefix(word, writing?);
    std::iter::successors(Some(word), next).take(1 + PREFIXES_MAX)
}

fn without_prefix(word: &str, writing: Writing) -> Option<&str> {
    const LETTERS_MIN: usize = 2;
    let rest = match writing {
        Writing::Hebrew => word.strip_prefix(['ו', 'ש', 'כ', 'ב', 'ל', 'מ', 'ה'])?,
        Writing::Arabic => match word.strip_prefix("لل").or_else(|| word.strip_prefix("ال")) {
            Some(rest) => rest,
            None => word.strip_prefix(['و', 'ف', 'ب', 'ك', 'ل'])?,
        },
        Writing::Latin => word.split_once('\'')?.1,
        Writing::Cyrillic | Writing::Greek | Writing::Devanagari => return None,
    };
    (rest.chars().count() >= LETTERS_MIN).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tag: &str, pairs: &str, expected: bool) {
        let page = Tongue::of_tag(tag);
        for pair in pairs.split(", ") {
            let (a, b) = pair.split_once(' ').unwrap();
            let tongue = Tongue::of_word(a, page).unwrap();
            assert_eq!(tongue.are_forms(a, b), expected, "{tag} {a} {b} {tongue:?}");
        }
    }

    #[test]
    fn forms_of_one_word_are_known() {
        for (tag, pairs) in [
            (
                "de",
                "haus häuser, bank banken, wald wälder, fluss flüsse, brücke brücken",
            ),
            (
                "fr",
                "école l'école, maison maisons, église églises, journal journaux",
            ),
            ("es", "casa casas, museo museos, profesor profesores"),
            (
                "it",
                "casa case, banca banche, bosco boschi, ponte ponti, fiume fiumi",
            ),
            (
                "pl",
                "dom domy, las lasów, rzeka rzeki, most mosty, miód miodu, muzeum muzeów",
            ),
            (
                "cs",
                "dům domy, banka banky, les lesů, muzeum muzea, úl úly",
            ),
            ("ru", "вода воды, дом домов, железная железной, музей музеи"),
            ("uk", "банк банків, міст мости, музей музеї, церква церкви"),
            (
                "el",
                "χώρα χώρεσ, τράπεζα τράπεζεσ, εκκλησία εκκλησίεσ, εμβόλιο εμβόλια, πόλη πόλεισ, νησί νησιά, δάσοσ δάση",
            ),
            (
                "tr",
                "ev evler, ankara ankara'da, banka bankalar, aşı aşılar, nehir nehirler",
            ),
            (
                "ar",
                "متحف المتحف, متحف وبالمتحف, معلم المعلمين, مكتبة المكتبات, بيت للبيت",
            ),
            ("fa", "پل پلها, خانه خانههای, معلم معلمان"),
            (
                "he",
                "בנק הבנקים, מורה המורים, כנסייה הכנסיות, כוורן והכוורנים, בית שבבית",
            ),
            ("hi", "घर घरों, नदी नदियाँ, टीका टीके"),
            ("id", "rumah rumahnya, guru gurunya"),
        ] {
            check(tag, pairs, true);
        }
    }

    #[test]
    fn other_words_that_begin_alike_are_no_forms() {
        for (tag, pairs) in [
            ("de", "bär bärte, körper kürbis, köln körner"),
            ("pl", "bank bankiet, rok rokowanie, kot kotlet"),
            ("cs", "les lest, most mostar, med medaile"),
            (
                "ru",
                "море мороз, мёд медик, банк банан, вода водка, рыба рыбак, карта картон",
            ),
            ("uk", "море мороз, мед медик, порт портал, карта картон"),
            ("ar", "علم علاج, بحر بحث, كتاب كتابة, شمس شمال"),
            ("fa", "شیر شیراز, کتاب کتان, سنگ سنگر, راه راهن"),
            ("he", "ספר ספרד, דבש דבר, בנק בננה"),
            ("hi", "पानी पान, शहद शहर"),
            ("tr", "at atlas, ev evren"),
            ("id", "guru gurun, bank bankir"),
        ] {
            check(tag, pairs, false);
        }
    }

    #[test]
    fn the_language_is_that_of_the_page_where_its_letters_are_the_words() {
        let (german, english) = (Tongue::of_tag("de-AT"), Tongue::of_tag("en"));
        assert_eq!((english, Tongue::of_word("haus", None)), (None, None));
        assert_eq!(Tongue::of_word("haus", german), german);
        assert_eq!(Tongue::of_word("вода", german), Tongue::of_tag("ru"));
        assert_eq!(Tongue::of_word("ліс", None), Tongue::of_tag("uk"));
        assert_eq!(
            Tongue::of_word("گل", Tongue::of_tag("ar")),
            Tongue::of_tag("ar")
        );
        assert_eq!(Tongue::of_word("گل", None), Tongue::of_tag("fa"));
        assert_eq!(Tongue::of_word("2024", german), None);
    }
}
