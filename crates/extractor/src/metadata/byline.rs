//! By-lines: "By A. Writer" or "作者：某某", as a name behind words that announce one.
//!
//! Four forms are known, each read by a scan: a label with a colon anywhere in a line, in Chinese; a
//! word such as "by" that begins a line, with a name in capitals behind it; the same behind a date; and 记者
//! (reporter) with a name, which begins a line. Regular expressions for them take milliseconds to compile, since
//! their classes are capitals and letters of all scripts.

use super::name;

/// The name in a line's by-line.
pub(super) fn name_in(line: &str) -> Option<&str> {
    let named = named(line)?;
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
    let is_cell = named.is_bare_noun && (is_long || (!is_dated && !rest.is_empty()));
    let has_name = name.chars().any(|c| c.is_alphabetic() && !c.is_lowercase());
    (has_name && !is_sentence && !is_cell).then_some(name)
}

fn named(line: &str) -> Option<Named<'_>> {
    undated(line).or_else(|| dated(line))
}

fn undated(line: &str) -> Option<Named<'_>> {
    labelled(line)
        .or_else(|| written_by(line))
        .or_else(|| reported_by(line))
}

/// A name and what stands behind it in its line.
struct Named<'t> {
    name: &'t str,
    behind: &'t str,
    /// A noun without a colon announces it, as a cell of a table may stand before another.
    is_bare_noun: bool,
}

impl<'t> Named<'t> {
    /// The first bytes of a text as a name.
    fn first(text: &'t str, bytes: usize) -> Named<'t> {
        let (name, behind) = text.split_at(bytes);
        Named {
            name,
            behind,
            is_bare_noun: false,
        }
    }
}

/// Labels that a colon follows.
const LABELS: [&str; 8] = [
    "作者",
    "文",
    "记者",
    "编译",
    "通讯员",
    "供稿",
    "投稿",
    "楼主",
];

/// The name behind a label with a colon: "作者：张三 李四".
fn labelled(line: &str) -> Option<Named<'_>> {
    let is_colon = |c| matches!(c, ':' | '：' | '/' | '／' | '丨' | '|' | '｜');
    let mut colons = line.match_indices(is_colon);
    colons.find_map(|(at, colon)| {
        let before = line[..at].trim_end();
        if !LABELS.iter().any(|label| before.ends_with(label)) {
            return None;
        }
        let rest = line[at + colon.len()..].trim_start();
        let is_name =
            |c: char| is_han(c) || c.is_ascii_alphabetic() || matches!(c, '·' | '．' | '.');
        let first = taken(rest, 12, is_name);
        // One character is no name.
        first.chars().nth(1)?;
        let further = further_names(&rest[first.len()..], 4, |c| is_han(c) || c == '·');
        Some(Named::first(rest, first.len() + further))
    })
}

/// The name behind 记者 at the beginning of a line, with the agency's name before it or not.
fn reported_by(line: &str) -> Option<Named<'_>> {
    let rest = line.trim_start();
    let rest = rest.strip_prefix(['（', '(', '【']).unwrap_or(rest);
    let mut agencies = ["本报", "本网", "新华社", "中新社"].iter();
    let agency = agencies.find_map(|name| rest.strip_prefix(name));
    let rest = agency.unwrap_or(rest);
    let rest = rest.strip_prefix("记者")?.trim_start();
    let first = taken(rest, 4, is_han);
    first.chars().nth(1)?;
    let further = further_names(&rest[first.len()..], 3, is_han);
    Some(Named::first(rest, first.len() + further))
}

/// The bytes of at most `most` further Chinese names, each of two to four characters behind a comma or
/// blank.
fn further_names(text: &str, most: usize, is_name: impl Fn(char) -> bool) -> usize {
    let mut at = 0;
    for _ in 0..most {
        let rest = &text[at..];
        let Some(comma) = rest
            .chars()
            .next()
            .filter(|c| matches!(c, ' ' | '、' | '，' | ','))
        else {
            break;
        };
        let name = taken(&rest[comma.len_utf8()..], 4, &is_name);
        if name.chars().nth(1).is_none() {
            break;
        }
        at += comma.len_utf8() + name.len();
    }
    at
}

/// Words that announce a name at the beginning of a line, in lower case.
const ANNOUNCEMENTS: [&str; 19] = [
    "by",
    "written by",
    "posted by",
    "published by",
    "authored by",
    "started by",
    "words by",
    "story by",
    "author",
    "text",
    "von",
    "por",
    "par",
    "di",
    "door",
    "автор",
    "autor",
    "autore",
    "auteur",
];

/// Those of them that are nouns.
const NOUNS: [&str; 6] = ["author", "text", "автор", "autor", "autore", "auteur"];

/// The name behind "by" or the like at the beginning of a line: words that begin with a capital, and
/// particles of names between them.
fn written_by(line: &str) -> Option<Named<'_>> {
    let (rest, is_noun) = ANNOUNCEMENTS.iter().find_map(|&announcement| {
        let rest = without_prefix(line, announcement)?;
        let is_noun = NOUNS.contains(&announcement);
        (!rest.starts_with(in_word)).then_some((rest.trim_start(), is_noun))
    })?;
    let behind_colon = rest.strip_prefix(':');
    let rest = behind_colon.unwrap_or(rest).trim_start();
    Some(Named {
        is_bare_noun: is_noun && behind_colon.is_none(),
        ..Named::first(rest, words_of_name(rest)?)
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
    let rest = OF_DATES
        .iter()
        .find_map(|word| without_prefix(line, word))?;
    if rest.starts_with(in_word) {
        return None;
    }
    let (date, rest) = rest.split_once(" by ")?;
    let rest = rest.trim_start_matches(' ');
    let is_date = date.len() <= DATE_BYTES_MAX && date.contains(|c: char| c.is_ascii_digit());
    Some(Named::first(rest, words_of_name(rest).filter(|_| is_date)?))
}

/// The length of the words of a name that a text begins with.
fn words_of_name(rest: &str) -> Option<usize> {
    let mut end = word_of_name(rest)?;
    for _ in 0..8 {
        let after = &rest[end..];
        let blanks = after.strip_prefix(',').unwrap_or(after);
        let next = blanks.trim_start_matches(' ');
        if next.len() == blanks.len() {
            break;
        }
        let Some(length) = word_of_name(next) else {
            break;
        };
        end = rest.len() - next.len() + length;
    }
    Some(end)
}

/// Words that stand in names in lower case.
const PARTICLES: [&str; 14] = [
    "de", "van", "von", "der", "la", "di", "da", "del", "bin", "al", "and", "y", "und", "et",
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

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A text behind a prefix given in lower case; the text may be in capitals.
fn without_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
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
fn taken(text: &str, most: usize, fits: impl Fn(char) -> bool) -> &str {
    let mut characters = text.char_indices().enumerate();
    let end = characters.find(|&(count, (_, c))| count == most || !fits(c));
    &text[..end.map_or(text.len(), |(_, (at, _))| at)]
}

/// Whether a character is written by the Chinese script.
fn is_han(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fd5}' | '々' | '〇' | '〡'..='〩' | '〸'..='〻' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{fad9}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    /// The undated forms as regular expressions. Their particles end where a word does.
    const FORMS: [&str; 3] = [
        r"(?:作者|文|记者|撰文|编译|通讯员|来源作者|供稿|投稿|楼主)\s*[:：/／丨|｜]\s*([\p{Han}A-Za-z·．.]{2,12}(?:[ 、，,][\p{Han}·]{2,4}){0,4})",
        r"^(?i:by|written by|posted by|published by|authored by|started by|words by|story by|author|text|von|por|par|di|door|автор|autor|autore|auteur)\b\s*:?\s*((?:\p{Lu}[\p{L}'’.\-]*|(?:(?:de|van|von|der|la|di|da|del|bin|al|and|y|und|et)\b|&))(?:,? +(?:\p{Lu}[\p{L}'’.\-]*|(?:(?:de|van|von|der|la|di|da|del|bin|al|and|y|und|et)\b|&))){0,8})",
        r"^\s*(?:[（(【]?)(?:本报|本网|新华社|中新社)?记者\s*([\p{Han}]{2,4}(?:[ 、，,][\p{Han}]{2,4}){0,3})",
    ];

    fn by_regex<'t>(forms: &[Regex], line: &'t str) -> Option<&'t str> {
        let mut found = forms.iter().filter_map(|form| form.captures(line));
        Some(found.next()?.get(1)?.as_str().trim())
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
            (
                "Author: Lois Lane Illustrator",
                Some("Lois Lane Illustrator"),
            ),
            ("The river rose.", None),
            ("Bystanders saw it.", None),
            ("by the river", None),
            ("作者：", None),
        ] {
            assert_eq!(name_in(line), name, "{line}");
        }
    }

    proptest! {
        #[test]
        fn scans_and_patterns_agree(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "By", "BY", "written by", "von", "autore", "作者", "文", "本报", "记者", "撰文", "（",
                    "：", ":", "/", "丨", " ", " ", "  ", ",", "、", "张三", "李", "Lois", "O’Neil", "Éva",
                    "de", "der", "y", "&", "x", ".", "-", "·", "автор", "々", "1",
                ]),
                0..10,
            )
        ) {
            let line = parts.concat();
            let forms = FORMS.map(|form| Regex::new(form).unwrap());
            let name = undated(&line).map(|named| named.name.trim());
            prop_assert_eq!(name, by_regex(&forms, &line), "{:?}", line);
        }
    }
}
