//! The forms of English words: singular, plural, possessive; and those of verbs.
//!
//! Forms are made by the rules of spelling rather than cut off: a final consonant is doubled (swim,
//! swimming), an e is dropped (vote, voting), a y becomes ie (city, cities). So short words have forms as
//! well, and few other words look like one: `car` has `cars` but not `caring`, which is of `care`.

/// Bytes of a word that has other forms.
const BYTES_MIN: usize = 3;
/// Bytes that an ending of a verb leaves at least: `seed` is no form of a word `se`.
const STEM_BYTES_MIN: usize = 3;

/// Words whose plural no rule makes. Of four letters and more they end longer words as well: `grandchild`.
const IRREGULAR: [(&str, &str); 65] = [
    ("alga", "algae"),
    ("alumnus", "alumni"),
    ("antenna", "antennae"),
    ("apex", "apices"),
    ("appendix", "appendices"),
    ("axis", "axes"),
    ("bacillus", "bacilli"),
    ("bacterium", "bacteria"),
    ("cactus", "cacti"),
    ("calf", "calves"),
    ("child", "children"),
    ("corpus", "corpora"),
    ("criterion", "criteria"),
    ("curriculum", "curricula"),
    ("datum", "data"),
    ("dwarf", "dwarves"),
    ("elf", "elves"),
    ("focus", "foci"),
    ("foot", "feet"),
    ("formula", "formulae"),
    ("fungus", "fungi"),
    ("genus", "genera"),
    ("goose", "geese"),
    ("half", "halves"),
    ("hoof", "hooves"),
    ("index", "indices"),
    ("knife", "knives"),
    ("larva", "larvae"),
    ("leaf", "leaves"),
    ("life", "lives"),
    ("loaf", "loaves"),
    ("locus", "loci"),
    ("louse", "lice"),
    ("man", "men"),
    ("matrix", "matrices"),
    ("medium", "media"),
    ("memorandum", "memoranda"),
    ("mouse", "mice"),
    ("nebula", "nebulae"),
    ("nucleus", "nuclei"),
    ("ovum", "ova"),
    ("person", "people"),
    ("phenomenon", "phenomena"),
    ("quiz", "quizzes"),
    ("radius", "radii"),
    ("scarf", "scarves"),
    ("self", "selves"),
    ("sheaf", "sheaves"),
    ("shelf", "shelves"),
    ("spectrum", "spectra"),
    ("stimulus", "stimuli"),
    ("stratum", "strata"),
    ("supernova", "supernovae"),
    ("symposium", "symposia"),
    ("syllabus", "syllabi"),
    ("terminus", "termini"),
    ("thief", "thieves"),
    ("tooth", "teeth"),
    ("torus", "tori"),
    ("vertebra", "vertebrae"),
    ("vertex", "vertices"),
    ("wharf", "wharves"),
    ("wife", "wives"),
    ("wolf", "wolves"),
    ("woman", "women"),
];

/// Irregular words that end others of which they are no part: a `taxis` has nothing to do with an axis.
const NO_ENDINGS: [&str; 3] = ["axis", "half", "genus"];

/// Words that end with s and are no plurals.
const NO_PLURALS: [&str; 23] = [
    "always",
    "athens",
    "does",
    "economics",
    "electronics",
    "has",
    "its",
    "james",
    "mars",
    "mathematics",
    "news",
    "ours",
    "perhaps",
    "physics",
    "politics",
    "series",
    "species",
    "statistics",
    "texas",
    "thus",
    "wales",
    "was",
    "yes",
];

/// Words in the singular that end with s, but for those in -ss, -us and -is.
const SINGULARS: [&str; 10] = [
    "alias",
    "atlas",
    "bias",
    "canvas",
    "chaos",
    "christmas",
    "cosmos",
    "gas",
    "lens",
    "pancreas",
];

/// Those who do what a short word says. By rule a moth would have a mother, and din a dinner.
const AGENTS: [&str; 51] = [
    "baker", "banker", "biker", "blogger", "boxer", "brewer", "buyer", "camper", "coder", "dancer",
    "diver", "driver", "drummer", "eater", "farmer", "fisher", "gamer", "golfer", "hacker",
    "healer", "hiker", "hunter", "jogger", "killer", "lender", "maker", "miner", "owner", "player",
    "racer", "rapper", "reader", "rider", "robber", "rower", "runner", "seller", "shopper",
    "singer", "skater", "skier", "smoker", "surfer", "swimmer", "tester", "voter", "walker",
    "welder", "winner", "worker", "writer",
];

/// Words that look like forms of each other and are none.
const NO_FORMS: [(&str, &str); 17] = [
    ("bear", "bearing"),
    ("broth", "brother"),
    ("chart", "charter"),
    ("contain", "container"),
    ("count", "counter"),
    ("custom", "customer"),
    ("even", "evening"),
    ("her", "herring"),
    ("inn", "inning"),
    ("out", "outing"),
    ("physic", "physician"),
    ("physics", "physician"),
    ("quart", "quarter"),
    ("should", "shoulder"),
    ("stock", "stocking"),
    ("unit", "united"),
    ("wick", "wicked"),
];

/// The other number of an English word and its possessive, or the word that it is the possessive of; nothing for
/// other words.
///
/// ```
/// assert_eq!(segment::english_forms("leaf"), ["leafs", "leaves", "leaf's"]);
/// ```
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

/// All forms of an English word, itself aside, as a noun and as a verb: those of [`english_forms`], and what is done
/// (`swimming`, `voted`) and who does it (`swimmers`).
///
/// ```
/// assert!(segment::english_inflections("swim").contains(&"swimming".to_owned()));
/// ```
pub fn english_inflections(text: &str) -> Vec<String> {
    let owner = text.strip_suffix("'s").unwrap_or(text);
    if !is_english(owner) {
        return Vec::new();
    }
    let mut forms: Vec<String> = Vec::new();
    for base in bases(owner) {
        forms.extend(verb_forms(&base));
        forms.extend(agents(&base));
        forms.extend(other_number(&base));
        forms.push(base);
    }
    let possessives: Vec<String> = forms.iter().map(|form| format!("{form}'s")).collect();
    forms.extend(possessives);
    forms.retain(|form| form != text && !are_english_look_alikes(owner, form));
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Whether two words look like forms of each other and are none: even, evening.
pub fn are_english_look_alikes(a: &str, b: &str) -> bool {
    let bare = |word: &str, other: &str| word == other || word.strip_suffix('s') == Some(other);
    let is = |(one, other)| (bare(a, one) && bare(b, other)) || (bare(b, one) && bare(a, other));
    NO_FORMS.into_iter().any(is)
}

fn is_english(text: &str) -> bool {
    text.len() >= BYTES_MIN && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The words that a word may be a form of, itself first.
fn bases(text: &str) -> Vec<String> {
    let mut bases = vec![text.to_owned()];
    bases.extend(singulars(text));
    for at in 0..bases.len() {
        let form = bases[at].clone();
        let verbs = verbs_of(&form);
        bases.extend(verbs);
    }
    bases.sort_unstable();
    bases.dedup();
    bases
}

/// What a word may be the plural of.
fn singulars(text: &str) -> Vec<String> {
    let mut others = other_number(text);
    let is_irregular = |other: &String| {
        IRREGULAR
            .iter()
            .any(|(one, many)| text.ends_with(many) && other.ends_with(one))
    };
    let is_shorter = |other: &String| text.ends_with('s') && other.len() < text.len();
    others.retain(|other| is_shorter(other) || other.ends_with("sis") || is_irregular(other));
    others
}

/// The verbs of which a word is the -ing, the -ed or the -er.
fn verbs_of(form: &str) -> Vec<String> {
    let stem = ["ing", "ed", "er"]
        .into_iter()
        .find_map(|end| form.strip_suffix(end))
        .filter(|stem| stem.len() >= STEM_BYTES_MIN);
    let Some(stem) = stem else {
        return Vec::new();
    };
    let mut verbs = vec![
        stem.to_owned(),
        format!("{stem}e"),
        stem[..stem.len() - 1].to_owned(),
    ];
    if let Some(stem) = stem.strip_suffix('i') {
        verbs.push(format!("{stem}y"));
    }
    let has_form = |verb: &String| {
        let mut forms = verb_forms(verb).into_iter().chain(agents(verb));
        forms.any(|made| made == form)
    };
    verbs.retain(has_form);
    verbs
}

/// The -ing and the -ed of a word.
fn verb_forms(verb: &str) -> Vec<String> {
    let stems = stems(verb);
    let mut forms: Vec<String> = Vec::new();
    for Stem { text, before_i } in &stems {
        forms.push(format!("{}ing", before_i.as_deref().unwrap_or(text)));
        forms.push(format!("{text}ed"));
    }
    if verb.ends_with("ee") {
        forms.push(format!("{verb}ing"));
    }
    let ings = forms.iter().filter(|form| form.ends_with("ing"));
    let ings: Vec<String> = ings.map(|form| format!("{form}s")).collect();
    forms.extend(ings);
    forms
}

/// Who does what a word says.
fn agents(verb: &str) -> Vec<String> {
    let is_long = verb.trim_end_matches('e').len() > 4;
    let agents = stems(verb)
        .into_iter()
        .map(|stem| format!("{}er", stem.text));
    agents
        .filter(|agent| is_long || AGENTS.contains(&agent.as_str()))
        .flat_map(|agent| [format!("{agent}s"), agent])
        .collect()
}

/// What the endings of a verb are put to.
struct Stem {
    text: String,
    /// The same before -ing, where that differs: carry, carried, carrying.
    before_i: Option<String>,
}

/// The stems of a word; none where it is too short, or ends like a plural.
fn stems(verb: &str) -> Vec<Stem> {
    let plain = |text: &str| Stem {
        text: text.to_owned(),
        before_i: None,
    };
    if verb.len() < BYTES_MIN || (verb.ends_with('s') && !verb.ends_with("ss")) || !has_vowel(verb)
    {
        return Vec::new();
    }
    let shorter = &verb[..verb.len() - 1];
    let last = verb.as_bytes()[verb.len() - 1];
    let stems = match last {
        // Freed, but no feed of a fee.
        b'e' if verb.len() > BYTES_MIN || !shorter.ends_with('e') => vec![plain(shorter)],
        b'e' => Vec::new(),
        b'y' if !shorter.ends_with(VOWELS) => vec![Stem {
            text: format!("{shorter}i"),
            before_i: Some(verb.to_owned()),
        }],
        // Panicking.
        b'c' if has_vowel(&verb[..verb.len() - 2]) => vec![plain(&format!("{verb}k"))],
        _ if ends_short(verb) => {
            let doubled = plain(&format!("{verb}{}", char::from(last)));
            match has_vowel(&verb[..verb.len() - 2]) {
                true => vec![doubled, plain(verb)],
                false => vec![doubled],
            }
        }
        _ => vec![plain(verb)],
    };
    let is_long = |stem: &Stem| stem.text.len() >= STEM_BYTES_MIN;
    stems.into_iter().filter(is_long).collect()
}

const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];

fn has_vowel(text: &str) -> bool {
    text.contains(VOWELS) || text.get(1..).is_some_and(|rest| rest.contains('y'))
}

/// Whether a word ends with one vowel between consonants, of which the last is doubled: swim, quiz; not rain, snow.
fn ends_short(text: &str) -> bool {
    let mut letters = text.chars().rev();
    let (last, vowel, before) = (letters.next(), letters.next(), letters.next());
    let is_vowel = |letter: Option<char>| letter.is_some_and(|letter| VOWELS.contains(&letter));
    let is_after_q = before == Some('u') && letters.next() == Some('q');
    let is_consonant = before.is_some_and(|letter| !VOWELS.contains(&letter));
    is_vowel(vowel)
        && (is_consonant || is_after_q)
        && !is_vowel(last)
        && !matches!(last, Some('w' | 'x' | 'y'))
}

/// The plural of a word, or what it may be the plural of.
fn other_number(text: &str) -> Vec<String> {
    if NO_PLURALS.contains(&text) {
        return Vec::new();
    }
    let mut others = by_rule(text);
    others.extend(irregular(text));
    others.retain(|other| !NO_PLURALS.contains(&other.as_str()));
    others
}

/// The other number of a word whose plural no rule makes.
fn irregular(text: &str) -> Option<String> {
    let pairs = IRREGULAR
        .into_iter()
        .flat_map(|(one, many)| [(one, many), (many, one)]);
    // The longest, so that a woman is no wo-man.
    let fits = pairs.filter_map(|(from, to)| {
        let before = text.strip_suffix(from)?;
        let is_end = from.len() >= 4 && before.len() >= 2 && !NO_ENDINGS.contains(&from);
        (before.is_empty() || is_end).then(|| (from.len(), format!("{before}{to}")))
    });
    fits.max().map(|(_, other)| other)
}

fn by_rule(text: &str) -> Vec<String> {
    let ends = |text: &str, all: &[&str]| all.iter().any(|end| text.ends_with(end));
    let hisses = |stem: &str| ends(stem, &["s", "x", "z", "ch", "sh"]);
    let without = |bytes: usize| &text[..text.len() - bytes];
    match text {
        // Analysis, crisis, thesis.
        _ if text.len() > 4 && text.ends_with("sis") => vec![format!("{}es", without(2))],
        _ if text.ends_with("ss") || SINGULARS.contains(&text) => vec![format!("{text}es")],
        // Of a bus, or of menus and taxis.
        _ if ends(text, &["us", "is"]) => vec![format!("{text}es"), without(1).to_owned()],
        // Fishermen, women; but omens.
        _ if text.len() > 4 && text.ends_with("men") => {
            vec![format!("{}an", without(2)), format!("{text}s")]
        }
        _ if text.len() > 4 && text.ends_with("man") => {
            vec![format!("{}en", without(2)), format!("{text}s")]
        }
        // Of queries or of cookies.
        _ if text.ends_with("ies") => vec![format!("{}y", without(3)), without(1).to_owned()],
        // Of theses or of databases.
        _ if text.len() > 4 && text.ends_with("ses") => {
            let others = [format!("{}is", without(2)), without(2).to_owned()];
            others.into_iter().chain([without(1).to_owned()]).collect()
        }
        // Of boxes or of axes.
        _ if text.ends_with("es") && (hisses(without(2)) || text.ends_with("oes")) => {
            vec![without(2).to_owned(), without(1).to_owned()]
        }
        _ if text.ends_with('s') => vec![without(1).to_owned()],
        _ if text.ends_with('y') && !without(1).ends_with(VOWELS) => {
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
            ("bus", "buses"),
            ("gas", "gases"),
            ("taxi", "taxis"),
            ("thesis", "theses"),
            ("fisherman", "fishermen"),
            ("grandchild", "grandchildren"),
            ("mouse", "mice"),
            ("leaf", "leaves"),
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
        assert_eq!(english_forms("new"), ["new's"]);
        let taxes = english_forms("taxes");
        assert!(!taxes.contains(&"taxis".to_owned()), "{taxes:?}");
    }

    #[test]
    fn a_possessive_and_its_owner_find_each_other() {
        assert_eq!(english_forms("quark's"), ["quark"]);
        assert_eq!(english_forms("quark"), ["quarks", "quark's"]);
        assert_eq!(english_forms("it's"), [""; 0]);
    }
}
