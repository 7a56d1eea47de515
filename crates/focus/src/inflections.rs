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
/// Letters of a word in another script than ASCII that all its forms share: вода, воды.
const SHARED_LETTERS_MIN: usize = 3;

/// Endings that stand for each other after the same letters, and the letters that must go before them. Where
/// one of them makes another word of a word, four letters are too few: a signal is no signing, a corner no corn.
const FAMILIES: [(usize, &[&str]); 9] = [
    // railway, railways; plant, planting
    (4, &["", "s", "es", "ed", "ing", "ings"]),
    // region, regional; planet, planetary; music, musician; football, footballer; invest, investment
    (
        5,
        &[
            "", "s", "es", "ed", "ing", "ings", "er", "ers", "or", "ors", "al", "als", "ally",
            "ial", "ially", "ary", "ly", "ism", "ist", "ists", "en", "ian", "ians", "ese", "ment",
            "ments",
        ],
    ),
    // parse, parsing
    (4, &["e", "es", "ed", "ing", "ings", "ely"]),
    // Europe, European; nature, natural; finance, financial; translate, translation
    (
        5,
        &[
            "e", "es", "ed", "ing", "ings", "er", "ers", "or", "ors", "al", "als", "ally", "ial",
            "ially", "ic", "ical", "ean", "eans", "ion", "ions", "ation", "ations", "ive",
        ],
    ),
    // biology, biological, biologist; industry, industrial
    (
        5,
        &[
            "y", "ies", "ied", "ying", "ic", "ics", "ical", "ically", "ist", "ists", "ian", "ians",
            "er", "ers", "ial", "ially",
        ],
    ),
    // city, cities
    (4, &["y", "ies", "ied", "ying"]),
    // mathematics, mathematical, mathematician
    (
        4,
        &[
            "ics", "ic", "ical", "ically", "ician", "icians", "icist", "icists",
        ],
    ),
    // Africa, African; Canada, Canadian; China, Chinese; Mexico, Mexican
    (
        4,
        &[
            "a", "as", "o", "os", "an", "ans", "ian", "ians", "ae", "ese",
        ],
    ),
    // crisis, crises
    (4, &["is", "es"]),
];

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
    shared >= SHARED_LETTERS_MIN && shared + 2 >= letters && shared * 5 >= letters.max(others) * 3
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
        let fits = |(shortest, family): &(usize, &[&str])| {
            stem >= *shortest && family.contains(&a) && family.contains(&b)
        };
        FAMILIES.iter().any(fits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_are_known() {
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
            ("finance", "financial"),
            ("agriculture", "agricultural"),
            ("nature", "natural"),
            ("industry", "industrial"),
            ("climate", "climatic"),
            ("translate", "translators"),
            ("generator", "generate"),
            ("invest", "investment"),
            ("colony", "colonial"),
            ("вода", "воды"),
            ("χώρα", "χώρες"),
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
    }

    #[test]
    fn other_words_that_begin_alike_are_no_forms() {
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
            ("signal", "signing"),
            ("summer", "summary"),
            ("center", "cents"),
            ("listen", "lists"),
            ("corner", "corns"),
            ("former", "formal"),
            ("formal", "forms"),
            ("rabbit", "rabbi"),
            ("communism", "community"),
        ] {
            assert!(!are_inflections(a, b), "{a} {b}");
        }
    }
}
