//! Whether two words in letters are forms of one word.
//!
//! Words of ASCII letters are if what follows the letters that they share is, in both, an ending of one family:
//! "biology" and "biological", "parse" and "parsing", "planet" and "planetary"; but neither "planet" and
//! "plants" nor "police" and "policy". A shared prefix alone took such pairs for one word. For words with other
//! letters, of whose endings nothing is known here, the shared prefix must cover most of both.

/// Bytes at the beginning of a word that all its inflections share.
pub(crate) const INFLECTION_PREFIX_BYTES: usize = 4;
/// Letters of a word of which another one may have one, or two, more: "german" and "germany", "postgres" and
/// "postgresql".
const CUT_SHORT_BYTES: [usize; 2] = [6, 8];
/// Letters of a word that somebody who does it is named after: a crawler crawls, but a poker is no poke.
const AGENT_STEM_BYTES: usize = 5;

/// Endings that stand for each other after the same letters. The first of each is the one of the plain word.
const FAMILIES: [&[&str]; 8] = [
    // railway, railways; plant, planting; region, regional; planet, planetary; music, musician
    &[
        "", "s", "es", "ed", "ing", "ings", "er", "ers", "al", "als", "ally", "ary", "ly", "ism",
        "ist", "ists", "en", "ian", "ians", "ese",
    ],
    // parse, parsing, parser; Europe, European
    &[
        "e", "es", "ed", "ing", "ings", "er", "ers", "ely", "ean", "eans",
    ],
    // colonise, colonisation
    &["e", "es", "ed", "ing", "ion", "ions", "ation", "ations"],
    // biology, biological, biologist
    &[
        "y", "ies", "ied", "ying", "ic", "ics", "ical", "ically", "ist", "ists", "ian", "ians",
        "er", "ers",
    ],
    // mathematics, mathematical, mathematician
    &["ics", "ic", "ical", "ically", "ician", "icians"],
    // Africa, African; Canada, Canadian; China, Chinese
    &["a", "as", "an", "ans", "ian", "ians", "ae", "ese"],
    // Mexico, Mexican
    &["o", "os", "an", "ans"],
    // crisis, crises
    &["is", "es"],
];
const AGENTS: [&str; 2] = ["er", "ers"];

/// Whether two words are forms of one word.
pub(crate) fn are_inflections(a: &str, b: &str) -> bool {
    if !(a.is_ascii() && b.is_ascii()) {
        return share_most(a, b);
    }
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    if shared < INFLECTION_PREFIX_BYTES {
        return false;
    }
    match a.len() == INFLECTION_PREFIX_BYTES {
        true => matches!(&b[shared..], "" | "s"),
        false => share_a_stem(a, b, shared),
    }
}

/// Whether words share all but two of the first one's letters, and most of the longer one's.
fn share_most(a: &str, b: &str) -> bool {
    let (letters, others) = (a.chars().count(), b.chars().count());
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    shared >= INFLECTION_PREFIX_BYTES
        && shared + 2 >= letters
        && shared * 5 >= letters.max(others) * 3
}

fn share_a_stem(a: &str, b: &str, shared: usize) -> bool {
    let shorter = a.len().min(b.len());
    let more = a.len().max(b.len()) - shorter;
    let is_cut_short = |(short, by): (usize, usize)| more <= by && shorter >= short;
    if shared == shorter && CUT_SHORT_BYTES.into_iter().zip(1..).any(is_cut_short) {
        return true;
    }
    // The stem may end before the letters that they share do: "mathemat" for "mathematics" and "mathematical".
    let least = shared.saturating_sub(2).max(INFLECTION_PREFIX_BYTES);
    (least..=shared).any(|stem| {
        let (a, b) = (&a[stem..], &b[stem..]);
        let is_name = AGENTS.contains(&a) != AGENTS.contains(&b);
        let both = |family: &&&[&str]| family.contains(&a) && family.contains(&b);
        (!is_name || shorter >= AGENT_STEM_BYTES) && FAMILIES.iter().any(|family| both(&family))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_are_known_and_other_words_that_begin_alike_are_not() {
        for (a, b) in [
            ("mathematics", "mathematical"),
            ("mathematics", "mathematic"),
            ("biology", "biological"),
            ("biology", "biologists"),
            ("african", "africa"),
            ("railway", "railways"),
            ("postgresql", "postgres"),
            ("food", "foods"),
            ("planet", "planets"),
            ("planet", "planetary"),
            ("parser", "parsing"),
            ("parse", "parsing"),
            ("region", "regional"),
            ("country", "countries"),
            ("crisis", "crises"),
            ("germany", "german"),
            ("football", "footballer"),
            ("astronomy", "astronomers"),
            ("canada", "canadian"),
            ("europe", "european"),
            ("music", "musicians"),
            ("железная", "железной"),
            ("sculpture", "sculptures"),
        ] {
            assert!(are_inflections(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("geography", "geology"),
            ("cell", "cello"),
            ("oracle", "orange"),
            ("music", "muse"),
            ("planet", "plants"),
            ("planet", "plans"),
            ("cancer", "canceled"),
            ("police", "policy"),
            ("coffee", "coffin"),
            ("butter", "butterfly"),
            ("chess", "chest"),
            ("bread", "breath"),
            ("salad", "salary"),
            ("country", "county"),
            ("camera", "came"),
            ("camera", "camel"),
            ("castle", "cast"),
            ("monkey", "money"),
            ("monkey", "monk"),
            ("organ", "organic"),
            ("universe", "university"),
            ("hospital", "hospitality"),
            ("poker", "poke"),
            ("rabbit", "rabbi"),
            ("communism", "community"),
        ] {
            assert!(!are_inflections(a, b), "{a} {b}");
        }
    }
}
