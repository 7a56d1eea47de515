//! Whether two words in letters are of one family.
//!
//! The forms of English nouns and verbs are made by their rules (`segment::english_inflections`). Beyond these
//! words of ASCII letters are of one family if what follows the letters that they share is, in both, an ending of one
//! kind: "biology" and "biological", "planet" and "planetary"; but neither "planet" and "plants" nor "police" and
//! "policy". A shared prefix alone took such pairs for one word. On a page in another language whose endings
//! are known, and in letters that tell their language, words are of one family if their stems are the same
//! ([`segment::Tongue`]). For words with other letters the shared prefix must cover most of both.

use segment::{Tongue, are_english_look_alikes};

/// Bytes at the beginning of a word that all of its family share.
pub(crate) const INFLECTION_PREFIX_BYTES: usize = 4;
/// Letters of a word of which another one may have one, or two, more: "german" and "germany", "postgres" and
/// "postgresql".
const CUT_SHORT_BYTES: [usize; 2] = [6, 8];
/// Letters of a word in another script than ASCII that all its forms share.
const SHARED_LETTERS_MIN: usize = 3;

/// Endings of nouns and verbs that the rules of English put to a word.
const BY_RULE: [&str; 11] = [
    "", "s", "es", "ed", "ing", "ings", "e", "y", "ies", "ied", "ying",
];

/// Endings that stand for each other after the same letters, and the letters that must go before them. Where
/// one of them makes another word of a word, four letters are too few: a signal is no signing, a corner no corn.
const FAMILIES: [(usize, &[&str]); 6] = [
    // region, regional; planet, planetary; music, musician; football, footballer; invest, investment
    (
        5,
        &[
            "", "s", "es", "ed", "ing", "ings", "er", "ers", "or", "ors", "al", "als", "ally",
            "ial", "ially", "ary", "ly", "ism", "ist", "ists", "en", "ian", "ians", "ese", "ment",
            "ments",
        ],
    ),
    // Europe, European; nature, natural; finance, financial; translate, translation
    (
        5,
        &[
            "e", "es", "ed", "ing", "ings", "ely", "er", "ers", "or", "ors", "al", "als", "ally",
            "ial", "ially", "ic", "ical", "ean", "eans", "ion", "ions", "ation", "ations", "ive",
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
    // mathematics, mathematical, mathematician
    (
        4,
        &[
            "ics", "ic", "ical", "ically", "ician", "icians", "icist", "icists",
        ],
    ),
    // chemistry, chemical, chemist; dentistry
    (4, &["istry", "ist", "ists", "ical", "ically", "icals"]),
    // Africa, African; Canada, Canadian; China, Chinese; Mexico, Mexican
    (
        4,
        &[
            "a", "as", "o", "os", "an", "ans", "ian", "ians", "ae", "ese",
        ],
    ),
];

/// Whether a word of a page in some language, where that is known, is of the family of a keyword's word, beside the
/// forms that the rules of English give.
pub(crate) fn are_kin(keyword: &str, word: &str, page: Option<Tongue>) -> bool {
    let are_ascii = keyword.is_ascii() && word.is_ascii();
    let by_english = are_ascii && are_english_kin(keyword, word);
    match Tongue::of_word(keyword, page) {
        Some(tongue) => by_english || tongue.are_forms(keyword, word),
        None if are_ascii => by_english,
        None => share_most(keyword, word),
    }
}

fn are_english_kin(a: &str, b: &str) -> bool {
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    shared >= INFLECTION_PREFIX_BYTES
        && share_a_stem(a, b, shared)
        && !are_english_look_alikes(a, b)
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
        !(BY_RULE.contains(&a) && BY_RULE.contains(&b)) && FAMILIES.iter().any(fits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use segment::english_inflections;

    /// Whether one word is a form of another or of its family, as keywords ask it.
    fn are_inflections(a: &str, b: &str) -> bool {
        english_inflections(a).iter().any(|form| form == b) || are_kin(a, b, None)
    }

    #[test]
    fn forms_of_one_word_are_known() {
        for (a, b) in [
            ("mathematics", "mathematical"),
            ("mathematics", "mathematic"),
            ("chemistry", "chemical"),
            ("chemist", "chemicals"),
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
            ("χώρα", "χώρεσ"),
            ("géométrie", "géométries"),
            ("ჩაი", "ჩაის"),
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
            ("вода", "водка"),
            ("море", "мороз"),
            ("physics", "physicians"),
            ("container", "contains"),
        ] {
            assert!(!are_inflections(a, b), "{a} {b}");
        }
    }

    #[test]
    fn on_a_page_in_another_language_words_have_the_forms_of_that_too() {
        let (italian, turkish) = (Tongue::of_tag("it"), Tongue::of_tag("tr"));
        for (keyword, word, page) in [
            ("banca", "banche", italian),
            ("casa", "case", italian),
            ("region", "regional", italian),
            ("ev", "evler", turkish),
        ] {
            assert!(are_kin(keyword, word, page), "{keyword} {word}");
        }
        for (keyword, word, page) in [
            ("banca", "banche", None),
            ("banca", "bancarella", italian),
            ("ev", "evler", italian),
        ] {
            assert!(!are_kin(keyword, word, page), "{keyword} {word}");
        }
    }

    /// Words and forms of them.
    const FORMS: &str = "bus buses, tax taxes, oil oils, city cities, navy navies, sky skies, fox foxes, lens lenses, hero heroes, \
        key keys, boy boys, gun guns, cow cows, owl owls, nut nuts, bed beds, cup cups, bike biker, bake baking, \
        dive divers, vote voting, vote voted, dance dancers, smoke smoking, fish fishing, ski skis, \
        swim swimming, plan planning, knit knitting, cook cooks, bird birds, hunt hunters, bank banking, \
        sing singing, play players, teach teaching, man men, goose geese, leaf leaves, wife wives, half halves, \
        matrix matrices, axis axes, analysis analyses, nucleus nuclei, bacterium bacteria, fireman firemen, \
        grandchild grandchildren, werewolf werewolves, travel traveled, model modelling, study studies, \
        party parties, child children's, photo photos, panic panicking, bridge bridges, house housing, \
        glass glasses, virus viruses, wharf wharves, game gaming, mine miners, cheese cheeses, drive drivers, \
        snow snowing, row rowing, garden gardens, visit visitors, blog bloggers, hack hackers, weld welders";

    #[test]
    fn short_words_have_forms_both_ways() {
        for pair in FORMS.split(", ") {
            let (a, b) = pair.split_once(' ').unwrap();
            assert!(are_inflections(a, b) && are_inflections(b, a), "{a} {b}");
        }
    }

    /// Words that are no forms of each other.
    const STRANGERS: &str = "car caring, car card, bus bust, tax taxis, war warm, art arty, bee beef, cat cater, map maple, bat bath, \
        cow coward, ant anti, pie pier, bed bedlam, hat hated, pen penal, pin pining, fin finger, win wines, \
        rat rated, rob robe, tub tuber, star stare, plan plane, can cane, cap cape, mat matter, bit biting, \
        sit site, not note, cod coding, cut cute, moth mother, numb number, show shower, corn corner, lay layer, \
        lad ladder, pot potter, sum summer, cop copper, lit liter, pow power, eve ever, nee need, unit united, \
        her herring, wick wicked, thing thin, bring bride, seed see, new news, tex texas, len leg, man manual, \
        women wombat, mice mick, leaf leak, index indian, child chill, mouse mousse, horse hoarse, body bode, \
        baby babel, sky skiing, party part, story stores, pony pond, cherry chest, cook cookies, vote votive, \
        bake bacon, ride ridge, code codex, surf surfaces, run rune, knit knife, hunt hungry, rock rocket, \
        sing singe, work worm, teach teak, snow snob, game gamma, wine winds, tree treat, film filter, \
        model modern, photo photon, potato pot, hero herons, zoo zoom, toy toyota, drum drug, bridge bride, \
        glass glad, study studs, carry car, market mark, planet plane, pasta past";

    #[test]
    fn short_words_that_look_alike_are_no_forms() {
        for pair in STRANGERS.split(", ") {
            let (a, b) = pair.split_once(' ').unwrap();
            assert!(!are_inflections(a, b) && !are_inflections(b, a), "{a} {b}");
        }
    }
}
