//! The forms of English words: singular, plural, possessive.

/// Bytes of a word that has other forms.
const BYTES_MIN: usize = 3;

/// Words whose plural no rule makes.
const IRREGULAR: [(&str, &str); 40] = [
    ("analysis", "analyses"),
    ("appendix", "appendices"),
    ("axis", "axes"),
    ("bacterium", "bacteria"),
    ("basis", "bases"),
    ("calf", "calves"),
    ("child", "children"),
    ("crisis", "crises"),
    ("criterion", "criteria"),
    ("datum", "data"),
    ("diagnosis", "diagnoses"),
    ("elf", "elves"),
    ("foot", "feet"),
    ("goose", "geese"),
    ("half", "halves"),
    ("hypothesis", "hypotheses"),
    ("index", "indices"),
    ("knife", "knives"),
    ("leaf", "leaves"),
    ("life", "lives"),
    ("loaf", "loaves"),
    ("man", "men"),
    ("matrix", "matrices"),
    ("medium", "media"),
    ("mouse", "mice"),
    ("parenthesis", "parentheses"),
    ("person", "people"),
    ("phenomenon", "phenomena"),
    ("self", "selves"),
    ("shelf", "shelves"),
    ("synthesis", "syntheses"),
    ("thesis", "theses"),
    ("thief", "thieves"),
    ("tooth", "teeth"),
    ("vertex", "vertices"),
    ("wife", "wives"),
    ("wolf", "wolves"),
    ("woman", "women"),
    ("stimulus", "stimuli"),
    ("nucleus", "nuclei"),
];

/// Words that end with s and are no plurals.
const NO_PLURALS: [&str; 14] = [
    "always",
    "does",
    "economics",
    "has",
    "its",
    "mathematics",
    "news",
    "perhaps",
    "physics",
    "politics",
    "series",
    "species",
    "was",
    "statistics",
];

/// The other number of an English word and its possessive, or the word that it is the possessive of; nothing for
/// other words.
pub fn english_forms(text: &str) -> Vec<String> {
    if let Some(owner) = text.strip_suffix("'s") {
        return Vec::from_iter(is_english(owner).then(|| owner.to_owned()));
    }
    if !is_english(text) {
        return Vec::new();
    }
    let mut forms = other_number(text);
    forms.push(format!("{text}'s"));
    forms
}

fn is_english(text: &str) -> bool {
    text.len() >= BYTES_MIN && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The plural of a word, or what it may be the plural of.
fn other_number(text: &str) -> Vec<String> {
    if NO_PLURALS.contains(&text) {
        return Vec::new();
    }
    let mut others = by_rule(text);
    for (one, many) in IRREGULAR {
        match text {
            _ if text == one => others.push(many.to_owned()),
            _ if text == many => others.push(one.to_owned()),
            _ => {}
        }
    }
    others
}

fn by_rule(text: &str) -> Vec<String> {
    let ends = |text: &str, all: &[&str]| all.iter().any(|end| text.ends_with(end));
    let hisses = |stem: &str| ends(stem, &["s", "x", "z", "ch", "sh"]);
    let without = |bytes: usize| &text[..text.len() - bytes];
    match text {
        _ if ends(text, &["ss", "us", "is"]) => vec![format!("{text}es")],
        // Of queries or of cookies.
        _ if text.ends_with("ies") => vec![format!("{}y", without(3)), without(1).to_owned()],
        // Of boxes or of databases.
        _ if text.ends_with("es") && (hisses(without(2)) || text.ends_with("oes")) => {
            vec![without(2).to_owned(), without(1).to_owned()]
        }
        _ if text.ends_with('s') => vec![without(1).to_owned()],
        _ if text.ends_with('y') && !ends(without(1), &["a", "e", "o", "u"]) => {
            vec![format!("{}ies", without(1))]
        }
        _ if hisses(text) => vec![format!("{text}es")],
        _ if text.ends_with('o') => vec![format!("{text}s"), format!("{text}es")],
        _ => vec![format!("{text}s")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_words_have_another_number_and_no_others() {
        for (one, many) in [
            ("fingerprint", "fingerprints"),
            ("query", "queries"),
            ("index", "indexes"),
            ("index", "indices"),
            ("branch", "branches"),
            ("key", "keys"),
            ("class", "classes"),
            ("cache", "caches"),
            ("database", "databases"),
            ("cookie", "cookies"),
            ("hero", "heroes"),
            ("child", "children"),
            ("analysis", "analyses"),
            ("wolf", "wolves"),
        ] {
            let has = |word: &str, other: &str| other_number(word).iter().any(|form| form == other);
            assert!(has(one, many) && has(many, one), "{one} {many}");
        }
        for text in ["数据库", "42", "go", "größe", "x86", "c++", ".net"] {
            assert_eq!(english_forms(text), [""; 0], "{text}");
        }
        assert_eq!(english_forms("news"), ["news's"]);
    }

    #[test]
    fn a_possessive_and_its_owner_find_each_other() {
        assert_eq!(english_forms("quark's"), ["quark"]);
        assert_eq!(english_forms("quark"), ["quarks", "quark's"]);
        assert_eq!(english_forms("it's"), [""; 0]);
    }
}
