//! Parses a query as it was typed. Every text is a query: what fits no syntax is words.
//!
//! ```text
//! word word        both, if there are pages with both, else any; AND may stand between them
//! a OR b, a | b    one of them is enough
//! how to a         words of a question, left aside where other words are left
//! "a phrase"       in this order, side by side; 「」 “” work too
//! -word -"phrase"  not these; also NOT word
//! c++ c# .net      these names, not the words in them
//! host:a.example   this host and its subdomains; also site:
//! lang:zh          this language; zh-Hant and zh-Hans (zh-TW, zh-CN) are told apart
//! ```
//!
//! Operators are written in capitals, and where they join nothing they are words. Brackets group nothing.

use frontier::typed_host;
use segment::{ChineseScript, Language, Script, Segmenter, Words};

use crate::forms::name_with_signs;
use crate::stop_words::is_stop_word;
use crate::tokenizer::{placed, push_characters};

/// Parts of a query; further ones are ignored.
const PARTS_MAX: usize = 64;

/// Bytes of a query; the rest is ignored. In a URL, where a Chinese character takes nine for its three, they come to
/// 12 KiB.
const QUERY_BYTES_MAX: usize = 4 << 10;

/// Words of one part; further ones are ignored.
const PART_WORDS_MAX: usize = 64;

/// Places in a row of characters; further ones are ignored.
const PLACES_MAX: usize = 256;

/// A query in its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Query {
    /// Each is wanted; of the parts of one, one is enough.
    pub(crate) wanted: Vec<Vec<Part>>,
    pub(crate) unwanted: Vec<Part>,
    pub(crate) hosts: Vec<String>,
    pub(crate) langs: Vec<String>,
    pub(crate) not_hosts: Vec<String>,
    pub(crate) not_langs: Vec<String>,
    /// Languages with a region or script of which only the primary code counts, as typed.
    pub(crate) regions: Vec<(String, String)>,
    /// Operators that join nothing, as typed.
    pub(crate) lone_operators: Vec<String>,
    /// A quote was not closed; its phrase reaches to the end.
    pub(crate) open_quote: bool,
    /// The word behind which not all is looked for, where the query is too long.
    pub(crate) cut_behind: Option<String>,
}

/// A word or a phrase to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) text: String,
    /// The words must stand side by side.
    pub(crate) phrase: bool,
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryWord {
    pub(crate) text: String,
    pub(crate) script: Script,
    /// It tells nothing of what is looked for.
    pub(crate) is_stop: bool,
}

/// A part before its place in the query is known.
struct Typed {
    part: Part,
    /// A hyphen stands before it.
    is_negative: bool,
}

/// What a part is beside the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Wanted,
    Unwanted,
    Host,
    Language,
    And,
    Or,
    Not,
}

impl Part {
    /// Words side by side.
    pub(crate) fn phrase(text: &str) -> Part {
        Part {
            text: text.to_owned(),
            phrase: true,
        }
    }

    /// The words of the part, or their names with signs.
    pub(crate) fn words(&self) -> Vec<QueryWord> {
        let words = Segmenter::shared().words(&self.text);
        let words = words.iter().take(PART_WORDS_MAX).map(|word| QueryWord {
            text: name_with_signs(&self.text, &word).map_or(word.text.to_owned(), |(name, _)| name),
            is_stop: is_stop_word(&self.text[word.start as usize..word.end as usize], &word),
            script: word.script,
        });
        words.collect()
    }

    /// The last word that is looked for, where the part has more.
    fn cut_behind(&self) -> Option<String> {
        // A word has a byte at least.
        let may_be_long = self.text.len() > PART_WORDS_MAX;
        let is_long = || Segmenter::shared().words(&self.text).len() > PART_WORDS_MAX;
        (may_be_long && is_long()).then(|| self.last_word())
    }

    /// Whether it is written as other programs have it, to find words like it or that begin so, or to weigh it: `word~2`,
    /// `word^2`, `begin*`. Nothing of that is known here.
    pub(crate) fn is_of_other_syntax(&self) -> bool {
        if self.phrase {
            return false;
        }
        let text = self
            .text
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_begun = |text: &str| text.ends_with(char::is_alphanumeric);
        let weighed = text.strip_suffix(['~', '^']);
        // `"a phrase"~3` leaves the sign by itself.
        let is_weighed = weighed.is_some_and(|word| word.is_empty() || is_begun(word));
        let begun = self.text.strip_suffix('*');
        is_weighed || begun.is_some_and(is_begun)
    }

    fn last_word(&self) -> String {
        let last = self.words().pop();
        last.map_or_else(|| self.text.clone(), |word| word.text)
    }

    /// The part as a row of characters and the words between them, each with its place; nothing where it has no
    /// such characters. Where the part has gaps, the row without them is second.
    pub(crate) fn rows(&self) -> Vec<Vec<(usize, String)>> {
        let words: Words = Segmenter::shared().words(&self.text);
        let mut joined = String::new();
        push_characters(&words, &mut joined, |word, out| {
            let name = name_with_signs(&self.text, word);
            out.push_str(name.as_ref().map_or(word.text, |(name, _)| name));
        });
        let mut row = placed(&joined);
        row.truncate(PLACES_MAX);
        if row.is_empty() {
            return Vec::new();
        }
        let closed: Vec<(usize, String)> = row
            .iter()
            .enumerate()
            .map(|(place, (_, text))| (place, text.clone()))
            .collect();
        let first = row[0].0;
        let has_gap = row.iter().zip(&closed).any(|(a, b)| a.0 - first != b.0);
        match has_gap {
            true => vec![row, closed],
            false => vec![closed],
        }
    }

    /// The name and the value of a filter.
    fn filter(&self) -> Option<(Role, &str)> {
        let (name, value) = self.text.split_once([':', '：'])?;
        let role = match name.to_ascii_lowercase().as_str() {
            "host" | "site" => Role::Host,
            "lang" | "language" => Role::Language,
            _ => return None,
        };
        (!self.phrase && !value.is_empty()).then_some((role, value))
    }
}

impl Typed {
    fn role(&self) -> Role {
        match (
            self.part.text.as_str(),
            self.is_negative || self.part.phrase,
        ) {
            ("AND", false) => return Role::And,
            ("OR" | "|" | "｜", false) => return Role::Or,
            ("NOT", false) => return Role::Not,
            _ => {}
        }
        match (self.part.filter(), self.is_negative) {
            (Some((role, _)), _) => role,
            (None, false) => Role::Wanted,
            (None, true) => Role::Unwanted,
        }
    }

    fn is_operator(&self) -> bool {
        matches!(self.role(), Role::And | Role::Or | Role::Not)
    }
}

impl Query {
    pub(crate) fn parse(text: &str) -> Query {
        let whole = text.trim();
        let text = beginning(whole);
        let (mut typed, rest, open_quote) = typed_parts(text);
        let is_cut = text.len() < whole.len() || !rest.is_empty();
        while is_cut && typed.last().is_some_and(Typed::is_operator) {
            typed.pop();
        }
        let behind = typed.last().filter(|_| is_cut);
        let behind = behind.map(|last| last.part.last_word());
        let mut query = Query {
            // The quote may be closed in what is not read.
            open_quote: open_quote && !is_cut,
            cut_behind: (typed.iter().find_map(|typed| typed.part.cut_behind())).or(behind),
            ..Query::default()
        };
        // Of the part before; operators join it to the next.
        let mut before = None;
        let mut typed = typed.into_iter().peekable();
        while let Some(mut this) = typed.next() {
            let next = typed.peek().map(Typed::role);
            let mut role = this.role();
            match (role, next) {
                (Role::And, Some(_)) if before.is_some() => continue,
                // Filters of one kind are alternatives as they are.
                (Role::Or, Some(next @ (Role::Host | Role::Language))) if before == Some(next) => {
                    continue;
                }
                (Role::Or, Some(Role::Wanted)) if before == Some(Role::Wanted) => {
                    let choice = query.wanted.last_mut();
                    choice
                        .expect("the part before is wanted")
                        .extend(typed.next().map(|next| next.part));
                    continue;
                }
                (Role::Not, Some(Role::Wanted | Role::Host | Role::Language)) => {
                    let Some(next) = typed.next() else { break };
                    this = Typed {
                        is_negative: true,
                        ..next
                    };
                    role = this.role();
                }
                (Role::And | Role::Or | Role::Not, _) => {
                    query.lone_operators.push(this.part.text.clone());
                    role = Role::Wanted;
                }
                (Role::Wanted | Role::Unwanted | Role::Host | Role::Language, _) => {}
            }
            before = Some(role);
            query.add(this, role);
        }
        query
    }

    /// Adds a part to the list it belongs to.
    fn add(&mut self, typed: Typed, role: Role) {
        let Typed { part, is_negative } = typed;
        match (part.filter(), is_negative) {
            (Some((Role::Host, host)), false) => self.add_host(host),
            (Some((Role::Host, host)), true) => self.not_hosts.push(host_below(host)),
            (Some((Role::Language, lang)), false) => self.add_language(lang),
            (Some((Role::Language, lang)), true) => {
                let primary = self.primary(lang);
                self.not_langs.push(primary);
            }
            _ if role == Role::Unwanted => self.unwanted.push(part),
            _ => self.wanted.push(vec![part]),
        }
    }

    /// Only pages of this host and those below it.
    pub(crate) fn add_host(&mut self, host: &str) {
        self.hosts.push(host_below(host));
    }

    /// Only pages in this language.
    pub(crate) fn add_language(&mut self, lang: &str) {
        let primary = self.primary(lang);
        self.langs.push(primary);
    }

    /// The language without its region: the index has primary codes alone, `en` for `en-US`. Of Chinese it
    /// has the script as well: `zh-hant` for `zh-TW`.
    fn primary(&mut self, typed: &str) -> String {
        let typed = typed.to_lowercase();
        if let Some(script) = ChineseScript::of_tag(&typed) {
            return script.tag().to_owned();
        }
        let Some(primary) = Language::parse(&typed) else {
            return typed;
        };
        if primary.as_str() != typed {
            self.regions.push((typed, primary.as_str().to_owned()));
        }
        primary.as_str().to_owned()
    }
}

/// The host of a filter, which holds for those below it with and without a `*.`.
fn host_below(typed: &str) -> String {
    let host = typed_host(typed);
    host.strip_prefix("*.").map_or(host.clone(), str::to_owned)
}

/// As much of a query as is read. It ends between words, unless one word is longer than all of it.
fn beginning(query: &str) -> &str {
    if query.len() <= QUERY_BYTES_MAX {
        return query;
    }
    let beginning = &query[..query.floor_char_boundary(QUERY_BYTES_MAX)];
    let words = Segmenter::shared().words(beginning);
    // The last one may go on.
    let last = words.iter().skip(1).last();
    last.map_or(beginning, |word| &beginning[..word.start as usize])
}

/// The parts of a query, what is left behind the last that is read, and whether a quote was not closed.
fn typed_parts(mut rest: &str) -> (Vec<Typed>, &str, bool) {
    let mut parts = Vec::new();
    let mut open_quote = false;
    while let Some(first) = rest.chars().next()
        && parts.len() < PARTS_MAX
    {
        let is_negative = matches!(first, '-' | '－')
            && rest[first.len_utf8()..]
                .chars()
                .next()
                .is_some_and(|next| !next.is_whitespace() && next != first);
        if is_negative {
            rest = &rest[first.len_utf8()..];
        }
        let (part, after, open) = next_part(rest);
        rest = after.trim_start();
        open_quote |= open;
        parts.push(Typed { part, is_negative });
    }
    (parts, rest, open_quote)
}

/// The first part of a text, the rest, and whether the part is a quote that is not closed.
fn next_part(text: &str) -> (Part, &str, bool) {
    let mut characters = text.chars();
    let close = match characters.next() {
        Some('"') => Some('"'),
        Some('“') => Some('”'),
        Some('「') => Some('」'),
        Some('『') => Some('』'),
        Some(_) | None => None,
    };
    if let Some(close) = close {
        let inside = characters.as_str();
        // A quote that is not closed reaches to the end.
        let closed = inside.split_once(close);
        let (phrase, rest) = closed.unwrap_or((inside, ""));
        let part = Part {
            text: phrase.to_owned(),
            phrase: true,
        };
        return (part, rest, closed.is_none());
    }
    let ends = |&(at, character): &(usize, char)| match character {
        '"' => !is_within_hebrew(text, at),
        '“' | '「' | '『' => true,
        _ => character.is_whitespace(),
    };
    let end = text
        .char_indices()
        .find(ends)
        .map_or(text.len(), |(at, _)| at);
    let part = Part {
        text: text[..end].to_owned(),
        phrase: false,
    };
    (part, &text[end..], false)
}

/// Whether a quote is the sign within a Hebrew abbreviation: `צה"ל`.
fn is_within_hebrew(text: &str, at: usize) -> bool {
    let is_letter = |c: char| matches!(c, '\u{5d0}'..='\u{5ea}');
    text[..at].ends_with(is_letter) && text[at + 1..].starts_with(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts<'p>(parts: impl IntoIterator<Item = &'p Part>) -> Vec<(&'p str, bool)> {
        let parts = parts.into_iter();
        parts
            .map(|part| (part.text.as_str(), part.phrase))
            .collect()
    }

    /// The query with its operators: `(a | b) c -d`.
    fn shown(text: &str) -> String {
        let query = Query::parse(text);
        let choice = |choice: &Vec<Part>| match &choice[..] {
            [part] => part.text.clone(),
            parts => {
                let texts: Vec<&str> = parts.iter().map(|part| &*part.text).collect();
                format!("({})", texts.join(" | "))
            }
        };
        let wanted = query.wanted.iter().map(choice);
        let unwanted = query.unwanted.iter().map(|part| format!("-{}", part.text));
        let hosts = query.hosts.iter().map(|host| format!("host:{host}"));
        let lone = query
            .lone_operators
            .iter()
            .map(|word| format!("lone:{word}"));
        let all: Vec<String> = wanted.chain(unwanted).chain(hosts).chain(lone).collect();
        all.join(" ")
    }

    #[test]
    fn operators_join_what_stands_beside_them() {
        for (typed, parsed) in [
            ("a AND b", "a b"),
            ("a OR b c", "(a | b) c"),
            ("a | \"b c\" OR d", "(a | b c | d)"),
            ("a NOT b", "a -b"),
            ("NOT \"a b\"", "-a b"),
            ("a AND NOT b", "a -b"),
            ("host:a.test OR host:b.test x", "x host:a.test host:b.test"),
            ("a or b and not c", "a or b and not c"),
            ("\"OR\" \"NOT\" a", "OR NOT a"),
            ("OR a", "OR a lone:OR"),
            ("a OR", "a OR lone:OR"),
            ("a OR -b", "a OR -b lone:OR"),
            ("a NOT", "a NOT lone:NOT"),
        ] {
            assert_eq!(shown(typed), parsed, "{typed}");
        }
    }

    #[test]
    fn a_filter_has_the_form_of_the_index() {
        let query = Query::parse("site:*.例子.测试 -host:B.Example lang:zh-TW lang:pt-BR");
        assert_eq!(query.hosts, ["xn--fsqu00a.xn--0zwm56d"]);
        assert_eq!(query.not_hosts, ["b.example"]);
        assert_eq!(query.langs, ["zh-hant", "pt"]);
        assert_eq!(query.regions, [("pt-br".to_owned(), "pt".to_owned())]);
    }

    #[test]
    fn a_part_with_gaps_is_a_row_with_and_without_them() {
        let rows = |text: &str| -> Vec<String> {
            let part = Part {
                text: text.to_owned(),
                phrase: true,
            };
            let shown = |row: &Vec<(usize, String)>| {
                let places = row.iter().map(|(place, text)| format!("{place}{text}"));
                places.collect::<Vec<_>>().join(" ")
            };
            part.rows().iter().map(shown).collect()
        };
        assert_eq!(rows("C++入门"), ["0c++ 1入 2门"]);
        assert_eq!(rows("很快 数据"), ["0很 1快 3数 4据", "0很 1快 2数 3据"]);
        assert_eq!(rows("x y"), [""; 0]);
    }

    #[test]
    fn words_phrases_exclusions_and_filters_are_told_apart() {
        let query = Query::parse(
            r#"rust "near duplicate" -spam -"bad phrase" host:A.example lang:zh -site:b.example"#,
        );
        assert_eq!(
            texts(query.wanted.iter().flatten()),
            [("rust", false), ("near duplicate", true)]
        );
        assert_eq!(
            texts(&query.unwanted),
            [("spam", false), ("bad phrase", true)]
        );
        assert_eq!(query.hosts, ["a.example"]);
        assert_eq!(query.langs, ["zh"]);
        assert_eq!(query.not_hosts, ["b.example"]);
    }

    #[test]
    fn the_quote_in_a_hebrew_abbreviation_is_none() {
        let query = Query::parse("צה\"ל \"בית ספר\"");
        assert_eq!(
            texts(query.wanted.iter().flatten()),
            [("צה\"ל", false), ("בית ספר", true)]
        );
    }

    #[test]
    fn chinese_quotes_are_quotes() {
        let query = Query::parse("“数据库系统” 「性能」 测试");
        assert_eq!(
            texts(query.wanted.iter().flatten()),
            [("数据库系统", true), ("性能", true), ("测试", false)]
        );
    }

    #[test]
    fn what_fits_no_syntax_is_words() {
        assert_eq!(
            texts(Query::parse("\"open").wanted.iter().flatten()),
            [("open", true)]
        );
        assert!(Query::parse("a \"open").open_quote && !Query::parse("\"a\"").open_quote);
        assert_eq!(
            texts(Query::parse("a - b").wanted.iter().flatten()).len(),
            3
        );
        assert_eq!(
            texts(Query::parse("host:").wanted.iter().flatten()),
            [("host:", false)]
        );
        assert_eq!(
            texts(Query::parse("--x").wanted.iter().flatten()),
            [("--x", false)]
        );
        assert_eq!(
            texts(
                Query::parse("c++ AND (OR http://x/?a=b")
                    .wanted
                    .iter()
                    .flatten()
            )
            .len(),
            3
        );
        assert_eq!(Query::parse("  "), Query::default());
    }

    #[test]
    fn what_other_programs_understand_is_known_as_such() {
        let of_others = |text: &str| {
            Part {
                text: text.into(),
                phrase: false,
            }
            .is_of_other_syntax()
        };
        for text in ["river~2", "river~", "river^2.5", "~3", "riv*", "河流*"] {
            assert!(of_others(text), "{text}");
        }
        for text in [
            "river",
            "river~bed",
            "2^n",
            "c++",
            "a*b",
            "*",
            "~/bin",
            "3.14",
            "",
        ] {
            assert!(!of_others(text), "{text}");
        }
        assert!(!Part::phrase("riv*").is_of_other_syntax());
    }

    #[test]
    fn a_query_that_is_too_long_ends_between_words_and_says_where() {
        // The rest was looked for as if it were not there, and the quote that it closes was called open.
        let cut = |query: &str| Query::parse(query).cut_behind;
        let many = |count: usize| (0..count).map(|n| format!("w{n}")).collect::<Vec<_>>();
        assert_eq!(cut(&many(64).join(" ")), None);
        assert_eq!(cut(&format!("{} ", many(64).join(" "))), None);
        assert_eq!(cut(&many(65).join(" ")).as_deref(), Some("w63"));
        assert_eq!(
            cut(&format!("\"{}\" x", many(65).join(" "))).as_deref(),
            Some("w63")
        );
        assert_eq!(
            cut(&format!("{} OR x", many(63).join(" "))).as_deref(),
            Some("w62")
        );
        // 40 names of 128 bytes and one blank each.
        let long = vec!["x".repeat(128); 40].join(" ");
        let query = Query::parse(&format!("\"{long}\""));
        assert_eq!(query.cut_behind.as_deref(), Some(&*"x".repeat(128)));
        assert!(!query.open_quote);
        let parts: Vec<&Part> = query.wanted.iter().flatten().collect();
        assert!(
            parts
                .iter()
                .flat_map(|part| part.words())
                .all(|word| word.text.len() == 128)
        );
        let chinese = "数据库".repeat(1_000);
        let query = Query::parse(&chinese);
        assert_eq!(query.cut_behind.as_deref(), Some("数据库"));
        assert!(query.wanted[0][0].text.ends_with("数据库"));
        let one = Query::parse(&"x".repeat(9_000));
        assert!((1..=QUERY_BYTES_MAX).contains(&one.wanted[0][0].text.len()));
        assert!(one.cut_behind.is_some());
        let in_quotes = Query::parse(&format!("\"{}", "x".repeat(9_000)));
        assert_eq!(in_quotes.wanted.len(), 1, "nothing was left of it");
    }

    proptest! {
        #[test]
        fn any_text_is_a_query(text: String) {
            let _ = Query::parse(&text);
        }
    }
}
