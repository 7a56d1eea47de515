//! Which difference between two URLs is a difference of languages.
//!
//! A site that is translated step by step serves the original where a translation is missing. So
//! `/zh-cn/` repeats `/` page after page, and the pages that do not repeat it are those that somebody
//! wrote for it. A rule learnt from the missing ones would refuse the written ones: a language in a
//! path, a host or a parameter is never part of a rule.

use super::rule::{Rewrite, Rule};

/// ISO 639-1, without gaps: two letters each.
const LANGUAGES: &str = "aaabaeafakamanarasavayazbabebgbhbibmbnbobrbscacechcocrcscucvcydadedvdzee\
    eleneoeseteufafffifjfofrfygagdglgngugvhahehihohrhthuhyhziaidieigiiikioisitiujajvkakgkikjkkklkmkn\
    kokrkskukvkwkylalblglilnloltlulvmgmhmimkmlmnmrmsmtmynanbndnengnlnnnonrnvnyocojomorospapiplpspt\
    qurmrnrorurwsascsdsesgsiskslsmsnsosqsrssstsusvswtatetgthtitktltntotrtstttwtyugukuruzvevivowawo\
    xhyiyozazhzu";

/// Names of languages as they stand in URLs.
const NAMES: [&str; 16] = [
    "english",
    "chinese",
    "cn",
    "deutsch",
    "german",
    "french",
    "francais",
    "espanol",
    "spanish",
    "italiano",
    "japanese",
    "jp",
    "korean",
    "russian",
    "portuguese",
    "arabic",
];

/// Parameters that choose a language.
const PARAMETERS: [&str; 9] = [
    "lang",
    "language",
    "locale",
    "hl",
    "lc",
    "lng",
    "setlang",
    "uselang",
    "translation",
];

impl Rule {
    /// Whether the rule takes a text in one language for the text in another.
    pub(super) fn crosses_languages(&self) -> bool {
        match self {
            Rule::Mirror { host, of } => hosts_differ_in_language(host, of),
            Rule::Path { from, to, .. } => names_language(from) || names_language(to),
            Rule::Canonical(rewrite) => rewrite.crosses_languages(),
        }
    }
}

impl Rewrite {
    fn crosses_languages(&self) -> bool {
        let [(_, host), (_, of)] = &self.origins;
        let mut pieces = self.prefixes.iter().chain(&self.suffixes);
        pieces.any(|piece| names_language(piece))
            || self.dropped.iter().any(|name| chooses_language(name))
            || hosts_differ_in_language(host, of)
    }
}

/// Whether a parameter chooses a language, by its name or its value.
pub fn is_of_language(name: &str, value: &str) -> bool {
    chooses_language(name) || is_language(value)
}

/// Whether the name of a parameter says that it chooses a language.
fn chooses_language(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PARAMETERS.contains(&name.as_str())
}

/// Whether two hosts differ in a label that names a language.
fn hosts_differ_in_language(host: &str, other: &str) -> bool {
    let is_own = |label: &&str, other: &str| other.split('.').all(|of_other| of_other != *label);
    let speaks = |host: &str, other: &str| {
        let mut own = host.split('.').filter(|label| is_own(label, other));
        own.any(is_language)
    };
    speaks(host, other) || speaks(other, host)
}

/// Whether a piece of a path has a segment that names a language.
fn names_language(piece: &str) -> bool {
    let segments = piece.split(['/', '.', ';', '=', '?']);
    segments
        .filter(|segment| !segment.is_empty())
        .any(is_language)
}

/// Whether a segment is the tag of a language, as `zh`, `zh-cn`, `pt_BR` or `english`.
fn is_language(segment: &str) -> bool {
    let segment = segment.to_ascii_lowercase();
    let mut parts = segment.split(['-', '_']);
    let first = parts.next().unwrap_or_default();
    if NAMES.contains(&first) {
        return true;
    }
    let is_part = |part: &str| {
        matches!(part.len(), 2..=4) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    is_code(first) && parts.all(is_part)
}

fn is_code(text: &str) -> bool {
    let mut codes = LANGUAGES.as_bytes().chunks_exact(2);
    codes.any(|code| code == text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_names_of_languages_are_told_from_other_segments() {
        for tag in [
            "zh", "zh-cn", "zh-Hans", "pt_BR", "es-419", "en", "fr", "English", "zu",
        ] {
            assert!(is_language(tag), "{tag}");
        }
        for other in [
            "print",
            "amp",
            "m",
            "www",
            "archive",
            "zh-chinese",
            "item-7",
            "ab3",
            "",
        ] {
            assert!(!is_language(other), "{other}");
        }
    }

    #[test]
    fn hosts_differ_in_language_by_a_label_that_only_one_has() {
        for (one, other) in [
            ("zh.a.example", "a.example"),
            ("fr.a.example", "de.a.example"),
            ("a.example", "www.en.a.example"),
        ] {
            assert!(hosts_differ_in_language(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("m.a.example", "a.example"),
            ("zh.a.example", "zh.b.example"),
        ] {
            assert!(!hosts_differ_in_language(one, other), "{one} {other}");
        }
    }
}
