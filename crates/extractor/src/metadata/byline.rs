//! By-lines: "By A. Writer" or "作者：某某", as a name behind words that announce one.
//!
//! Five forms are known, each read by a scan: a label with a colon anywhere in a line, and 记者 (reporter) with a
//! name, in Chinese, Japanese and Korean (see [`labelled`](super::labelled)); a word such as "by" that begins a line, with a name
//! in capitals behind it; the same behind a date; and a name before an office (see [`office`](super::office)). Regular expressions for them take milliseconds to compile,
//! since their classes are capitals and letters of all scripts.

use crate::char_counts::is_cjk;
use crate::dates;

use super::announcements::{ANNOUNCEMENTS, NOUNS, is_of};
use super::labelled::{self, is_edge};
use super::{name, office, uncased};

/// The name in a line's by-line. The line may say where elements begin and end, and where it breaks.
/// On a page in the language `lang`, words of other languages are names: see [`is_of`].
pub(super) fn name_in(line: &str, lang: Option<&str>) -> Option<String> {
    let chinese = labelled::labelled(line).and_then(plausible);
    if let Some(name) = chinese {
        return Some(name.replace(is_edge, ""));
    }
    let plain = without_edges(line);
    let english = written_by(&plain, lang).or_else(|| dated(&plain));
    english
        .filter(|named| has_capital(named.name))
        .or_else(|| labelled::reported_by(line))
        .and_then(plausible)
        .map(|name| name.replace(is_edge, ""))
        .or_else(|| account(&plain, lang))
        .or_else(|| behind_date(line, lang))
        .or_else(|| uncased::name_in(line))
        .or_else(|| office::named(line))
}

/// The account that all of a line says beside a word that announces names: "By nadja81". An account is one word, with a
/// number or a line in it or in a script without capitals.
fn account(line: &str, lang: Option<&str>) -> Option<String> {
    const CHARS_MAX: usize = 24;
    let (rest, _) = behind_announcement(line, lang)?;
    let word = rest.trim_start_matches([':', ' ']).trim_end();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_marked = word.contains(|c: char| c.is_ascii_digit() || c == '_');
    let is_of_account = is_marked || word.chars().all(is_cjk);
    let is_word = word.starts_with(char::is_alphabetic) && word.chars().all(is_part);
    let is_short = (2..=CHARS_MAX).contains(&word.chars().count());
    (is_word && is_short && is_of_account).then(|| word.to_owned())
}

/// The name in a part of a short line behind the part with the date: "5 May 2021 | By Ann Lane".
fn behind_date(line: &str, lang: Option<&str>) -> Option<String> {
    const LINE_CHARS_MAX: usize = 120;
    let is_mark = |c: char| is_edge(c) || matches!(c, '|' | '｜' | '·' | '•' | '–' | '—' | '\n');
    if line.chars().nth(LINE_CHARS_MAX).is_some() {
        return None;
    }
    let (first, _) = line.split_once(is_mark)?;
    let dated = [first, line].into_iter().any(dates::stands_in);
    let parts = line.split(is_mark).map(str::trim).skip(1);
    let mut named = parts.filter_map(|part| {
        let named = written_by(part, lang).filter(|named| {
            let ends = named.behind.trim().is_empty() || named.behind.starts_with(',');
            has_capital(named.name) && ends
        });
        let name = named.and_then(plausible).map(str::to_owned);
        name.or_else(|| account(part, lang))
    });
    named.next().filter(|_| dated)
}

/// The name in a line that begins with a word for writing and says no more than the name.
pub(super) fn writer_of(line: &str) -> Option<String> {
    const OF_WRITING: [&str; 5] = ["written", "reported", "authored", "words", "story"];
    let plain = without_edges(line);
    let is_of_writing = OF_WRITING
        .iter()
        .any(|word| without_prefix(&plain, word).is_some_and(|rest| rest.starts_with(" by")));
    let named = written_by(&plain, None)
        .filter(|named| is_of_writing && named.behind.trim().is_empty() && has_capital(named.name));
    named.and_then(plausible).map(str::to_owned)
}

/// Whether a line only announces a name, which stands in the next line then.
pub(super) fn is_announcement(line: &str) -> bool {
    let plain = without_edges(line).to_lowercase();
    let word = plain.trim_end_matches([':', '：', ' ']);
    let is_by = ANNOUNCEMENTS.contains(&word) && word.ends_with("by");
    // "Published by" stands over the name of a company.
    (is_by && word != "published by") || plain == "作者：" || plain == "作者:"
}

/// A line without the marks of elements. A capital behind the end of an element, or directly behind a small letter
/// at an edge, begins another text, as an office behind a name does: it goes to a line of its own.
fn without_edges(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let [mut is_at_edge, mut is_behind_end] = [false; 2];
    for c in line.chars() {
        if is_edge(c) {
            is_at_edge = true;
            is_behind_end |= c == labelled::CLOSE;
            continue;
        }
        if c == ' ' {
            if !plain.is_empty() && !plain.ends_with([' ', '\n']) {
                plain.push(c);
            }
            continue;
        }
        let word = plain.trim_end_matches(' ').len();
        if c.is_uppercase()
            && plain[..word].ends_with(char::is_alphabetic)
            && (is_behind_end || (is_at_edge && plain.ends_with(char::is_lowercase)))
        {
            plain.truncate(word);
            plain.push('\n');
        }
        [is_at_edge, is_behind_end] = [false; 2];
        plain.push(c);
    }
    plain
}

/// A name in its line, if the line is a by-line.
fn plausible(named: Named<'_>) -> Option<&str> {
    let rest = named.behind.trim_start_matches(name::is_mark);
    let is_dated = rest.starts_with(|c: char| c.is_ascii_digit());
    let name = match is_dated {
        true => name::without_date(named.name),
        false => named.name.trim(),
    };
    // "By European standards …", and "Author Year Title" in the head of a table.
    let is_sentence = !name.contains(' ')
        && named.behind.starts_with(' ')
        && rest.starts_with(char::is_lowercase)
        && !rest.split(' ').next().is_some_and(name::is_of_date);
    let is_long = name.split(' ').count() > 4;
    // "Text Resize" is a button.
    let is_word = !name.contains(' ');
    let is_cell = named.is_bare_noun && (is_long || is_word || (!is_dated && !rest.is_empty()));
    (!name.is_empty() && !is_sentence && !is_cell).then_some(name)
}

/// Whether a name has more than small letters; behind a label in Chinese, Japanese or Korean it may be an account.
fn has_capital(name: &str) -> bool {
    name.chars().any(|c| c.is_alphabetic() && !c.is_lowercase())
}

/// A name and what stands behind it in its line.
pub(super) struct Named<'t> {
    pub name: &'t str,
    pub behind: &'t str,
    /// A noun without a colon announces it, as a cell of a table may stand before another.
    is_bare_noun: bool,
}

impl<'t> Named<'t> {
    /// The first bytes of a text as a name.
    pub(super) fn first(text: &'t str, bytes: usize) -> Named<'t> {
        let (name, behind) = text.split_at(bytes);
        Named {
            name,
            behind,
            is_bare_noun: false,
        }
    }
}

/// What stands behind a word that announces a name and a colon.
pub(super) fn behind_label(text: &str) -> Option<&str> {
    let mut found = ANNOUNCEMENTS.iter();
    let rest = found.find_map(|word| {
        let rest = without_prefix(text, word)?;
        rest.trim_start_matches(' ').strip_prefix([':', '：'])
    });
    rest.or_else(|| uncased::behind_label(text))
}

/// The name behind "by" or the like at the beginning of a line: words that begin with a capital, and
/// particles of names between them.
fn written_by<'t>(line: &'t str, lang: Option<&str>) -> Option<Named<'t>> {
    let (rest, is_noun) = behind_announcement(line, lang)?;
    let behind_colon = rest.strip_prefix(':');
    let rest = behind_colon.unwrap_or(rest).trim_start();
    Some(Named {
        is_bare_noun: is_noun && behind_colon.is_none(),
        ..Named::first(rest, words_of_name(rest)?)
    })
}

/// What stands behind a word that announces a name at the beginning of a line, and whether that is a noun.
fn behind_announcement<'t>(line: &'t str, lang: Option<&str>) -> Option<(&'t str, bool)> {
    ANNOUNCEMENTS.iter().find_map(|&announcement| {
        let rest = without_prefix(line, announcement)?;
        let is_noun = NOUNS.contains(&announcement);
        let is_word = rest.trim_start().starts_with(':') || is_of(announcement, lang);
        (is_word && !rest.starts_with(in_word)).then_some((rest.trim_start(), is_noun))
    })
}

/// Words that a date follows, and "by" behind it.
const OF_DATES: [&str; 6] = [
    "published",
    "posted",
    "updated",
    "last updated",
    "written",
    "created",
];

/// The name behind a date and "by": "Published August 7, 2023 by Lois Lane".
fn dated(line: &str) -> Option<Named<'_>> {
    /// Bytes between the word and "by".
    const DATE_BYTES_MAX: usize = 60;
    let of_word = OF_DATES.iter().find_map(|word| without_prefix(line, word));
    // "03/01/2017 by Lois Lane" has the date alone.
    let rest = of_word.or_else(|| dates::begins(line).then_some(line))?;
    if of_word.is_some() && rest.starts_with(in_word) {
        return None;
    }
    let (date, rest) = [" by ", "\nby ", " by\n"]
        .iter()
        .find_map(|by| rest.split_once(by))?;
    let rest = rest.trim_start();
    let is_date = date.len() <= DATE_BYTES_MAX && date.contains(|c: char| c.is_ascii_digit());
    Some(Named::first(rest, words_of_name(rest).filter(|_| is_date)?))
}

/// Letters of the longest word within a name that ends in a dot: an initial, "Dr.", "Jr.".
const INITIALS_MAX: usize = 2;

/// The length of the words of a name that a text begins with.
pub(super) fn words_of_name(rest: &str) -> Option<usize> {
    let mut end = word_of_name(rest)?;
    let mut begin = 0;
    for _ in 0..8 {
        // "Ann Lane. Reviewed by …": the sentence ends. Initials and what stands before a name have a dot of
        // their own.
        let word = rest[begin..end].trim_end_matches('.');
        let letters = word.chars().count();
        if begin > 0 && word.len() + 1 == end - begin && letters > INITIALS_MAX {
            return Some(end - 1);
        }
        let after = &rest[end..];
        let blanks = after.strip_prefix(',').unwrap_or(after);
        let next = blanks.trim_start_matches(' ');
        if next.len() == blanks.len() {
            break;
        }
        let Some(length) = word_of_name(next) else {
            break;
        };
        begin = rest.len() - next.len();
        end = begin + length;
    }
    Some(end)
}

/// Words that stand in names in lower case.
const PARTICLES: [&str; 19] = [
    "de", "van", "von", "der", "den", "ter", "ten", "du", "dos", "la", "di", "da", "del", "bin",
    "al", "and", "y", "und", "et",
];

/// The length of the word of a name that a text begins with.
fn word_of_name(text: &str) -> Option<usize> {
    if text.chars().next()?.is_uppercase() {
        let ends = text.find(|c: char| !(c.is_alphabetic() || matches!(c, '\'' | '’' | '.' | '-')));
        return Some(ends.unwrap_or(text.len()));
    }
    if text.starts_with('&') {
        return Some(1);
    }
    let end = text.find(|c: char| !c.is_alphabetic());
    let word = &text[..end.unwrap_or(text.len())];
    let ends = !text[word.len()..].starts_with(in_word);
    (ends && PARTICLES.contains(&word)).then_some(word.len())
}

pub(super) fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A text behind a prefix given in lower case; the text may be in capitals.
pub(super) fn without_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for wanted in prefix.chars() {
        let found = rest.next()?;
        if found != wanted && !found.to_lowercase().eq([wanted]) {
            return None;
        }
    }
    Some(rest.as_str())
}

/// The characters that a text begins with and that fit, at most so many.
pub(super) fn taken(text: &str, most: usize, fits: impl Fn(char) -> bool) -> &str {
    let mut characters = text.char_indices().enumerate();
    let end = characters.find(|&(count, (_, c))| count == most || !fits(c));
    &text[..end.map_or(text.len(), |(_, (at, _))| at)]
}

/// Whether a character is written by the Chinese script.
pub(super) fn is_han(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fd5}' | '々' | '〇' | '〡'..='〩' | '〸'..='〻' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{fad9}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    /// The form that begins with a word such as "by" as a regular expression. Its particles end where a word does.
    const FORM: &str = r"^(?i:by|written by|posted by|submitted by|contributed by|reported by|published by|authored by|started by|words by|story by|author|text|von|por|par|di|door|автор|autor|autore|auteur)\b\s*:?\s*((?:\p{Lu}[\p{L}'’.\-]*|(?:(?:de|van|von|der|la|di|da|del|bin|al|and|y|und|et)\b|&))(?:,? +(?:\p{Lu}[\p{L}'’.\-]*|(?:(?:de|van|von|der|la|di|da|del|bin|al|and|y|und|et)\b|&))){0,8})";

    fn by_regex<'t>(form: &Regex, line: &'t str) -> Option<&'t str> {
        Some(form.captures(line)?.get(1)?.as_str().trim())
    }

    #[test]
    fn names_are_read_in_chinese_and_english() {
        for (line, name) in [
            ("来源：某报 作者：张三 李四", Some("张三 李四")),
            (
                "By Lois Lane and Clark Kent | 5 min",
                Some("Lois Lane and Clark Kent"),
            ),
            ("by Ludwig van der Rohe", Some("Ludwig van der Rohe")),
            ("BY LOIS LANE yesterday", Some("LOIS LANE")),
            ("Von: Anna Müller, Bert", Some("Anna Müller, Bert")),
            ("（本报记者 张三、李四）", Some("张三、李四")),
            ("文 / 王小波", Some("王小波")),
            (
                "Published August 7, 2023 by Nicole Burke",
                Some("Nicole Burke"),
            ),
            ("By Lois Lane Sat, Dec 3", Some("Lois Lane")),
            ("By Lois Lane May", Some("Lois Lane May")),
            ("Updated 3 times by Friday", Some("Friday")),
            ("By European standards it is small.", None),
            ("by and large", None),
            ("Author Year of print", None),
            ("By David at December 16", Some("David")),
            ("Author C. S. Lewis Illustrator Pauline Baynes", None),
            ("Author Lois Lane", Some("Lois Lane")),
            ("Text Resize", None),
            (
                "Author: Lois Lane Illustrator",
                Some("Lois Lane Illustrator"),
            ),
            ("The river rose.", None),
            ("Bystanders saw it.", None),
            ("by the river", None),
            ("作者：", None),
            ("Автор статьи: Анна Кузнецова", Some("Анна Кузнецова")),
            ("Текст: Оксана Шевченко", Some("Оксана Шевченко")),
            ("Yazar: Ayşe Yılmaz", Some("Ayşe Yılmaz")),
            ("Συντάκτης: Μαρία Παπαδοπούλου", Some("Μαρία Παπαδοπούλου")),
            ("Verfasst von Anna Müller", Some("Anna Müller")),
            ("Tác giả: Nguyễn Thị Hồng", Some("Nguyễn Thị Hồng")),
            ("Ditulis oleh Budi Santoso", Some("Budi Santoso")),
            ("Napsal Jiří Novák", Some("Jiří Novák")),
            ("Autor článku: Jiří Novák", Some("Jiří Novák")),
            ("Текст Закона", None),
        ] {
            assert_eq!(name_in(line, None).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn a_by_line_stands_behind_the_date_in_its_line() {
        for (line, name) in [
            ("5 May 2021 | By Lois Lane", Some("Lois Lane")),
            ("May 5, 2021 · Written by Lois Lane", Some("Lois Lane")),
            (
                "\u{1}5 May 2021\u{2} \u{1}By Lois Lane\u{2}",
                Some("Lois Lane"),
            ),
            (
                "\u{1}05/03/2021\u{2} by Lois Lane, Keeper",
                Some("Lois Lane, Keeper"),
            ),
            ("5. Mai 2021 | Von Anna Müller", Some("Anna Müller")),
            ("2021. május 5. | Szerző: Nagy Péter", Some("Nagy Péter")),
            ("News | By Lois Lane", None),
            ("5 May 2021 | By the river", None),
        ] {
            assert_eq!(name_in(line, None).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn an_account_is_announced_as_a_name_is() {
        for (line, name) in [
            ("By nadja81", Some("nadja81")),
            ("by river_fan", Some("river_fan")),
            ("By 老王的猫", Some("老王的猫")),
            ("5 May 2021 | by nadja81", Some("nadja81")),
            ("by 2021", None),
            ("by river", None),
            ("by nadja81 and others", None),
        ] {
            assert_eq!(name_in(line, None).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn a_line_may_say_no_more_than_who_wrote() {
        for (line, name) in [
            ("Written by Lois Lane", Some("Lois Lane")),
            ("\u{1}Story by\u{2} \u{1}Lois Lane\u{2}", Some("Lois Lane")),
            ("Written by Lois Lane in one night", None),
            ("Posted by Lois Lane", None),
        ] {
            assert_eq!(writer_of(line).as_deref(), name, "{line:?}");
        }
    }

    #[test]
    fn a_sentence_a_line_and_an_element_end_a_name() {
        for (line, name) in [
            (
                "Written by Ann Keller. Medically reviewed by Bo",
                "Ann Keller",
            ),
            ("By Dr. Ann B. Keller Jr.", "Dr. Ann B. Keller Jr."),
            ("By Ann Keller\nStaff Writer", "Ann Keller"),
            ("By\nAnn Keller", "Ann Keller"),
            (
                "\u{1}By Ann Keller\u{2}\u{1}Staff Writer\u{2}",
                "Ann Keller",
            ),
            (
                "\u{1} By\u{2} \u{1}\u{1} Ann Keller\u{2} \u{2} \u{1}Updated on\u{2}",
                "Ann Keller",
            ),
            (
                "By \u{1}Ann Keller\u{2} and \u{1}Bo Lane\u{2}, \u{1}Cy Day\u{2}",
                "Ann Keller and Bo Lane, Cy Day",
            ),
            ("Submitted by Ann Keller on Fri, 06/02/2023", "Ann Keller"),
        ] {
            assert_eq!(name_in(line, None).as_deref(), Some(name), "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn scans_and_patterns_agree(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "By", "BY", "written by", "von", "autore", "：", ":", " ", " ", "  ", ",", "李",
                    "Lois", "O’Neil", "Éva", "de", "der", "y", "&", "x", "-", "автор", "1",
                ]),
                0..10,
            )
        ) {
            let line = parts.concat();
            let form = Regex::new(FORM).unwrap();
            let name = written_by(&line, None).map(|named| named.name.trim());
            prop_assert_eq!(name, by_regex(&form, &line), "{:?}", line);
        }
    }

    #[test]
    fn a_word_of_one_language_announces_nobody_in_others() {
        for (line, lang, name) in [
            ("Oleh Budi Santoso", "id", Some("Budi Santoso")),
            ("Oleh: Budi Santoso", "en", Some("Budi Santoso")),
            ("Oleh Sukhov", "uk", None),
            ("Door Jan Bakker", "nl", Some("Jan Bakker")),
            ("Door County News", "en", None),
            ("By Ann Lane", "de", Some("Ann Lane")),
        ] {
            assert_eq!(name_in(line, Some(lang)).as_deref(), name, "{line}");
        }
    }
}
