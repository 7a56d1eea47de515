//! What stands in a configuration before any key is looked at: values with their places.
//!
//! A configuration is read from two sources, a TOML file and the JSON of the journal. Both become
//! the same tree of [`Node`]s, so that each type of value is read in one place. The places are the
//! byte ranges that the `toml` parser gives; JSON has none.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::problem::{Mistake, PROBLEMS_MAX};

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Written,
    pub(crate) place: Range<usize>,
}

/// A value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Written {
    Text(String),
    Whole(i128),
    Real(f64),
    Flag(bool),
    Date(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// JSON's null: not set.
    Nothing,
    /// The parser has told what is wrong with it already.
    Broken,
}

/// One line of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_place: Range<usize>,
    pub(crate) node: Node,
}

/// What a TOML text holds.
pub(crate) struct Parsed {
    pub(crate) root: Node,
    /// What is wrong with the text itself, in its order.
    pub(crate) mistakes: Vec<Mistake>,
    /// Up to this byte the tree is what the text says. Behind it a bracket or a quote is missing.
    pub(crate) sound_to: usize,
}

/// What the parser says of a key that is set twice; it goes on with the first value.
const DUPLICATE: &str = "duplicate key";

const TOML_IN_SHORT: &str = "TOML is written as key = value below a [section], with texts in \"quotes\" and lists in [brackets]";

/// Reads a TOML text as far as possible. After a mistake inside one value, such as a text without
/// quotes, the rest still counts; after a missing bracket it does not.
pub(crate) fn from_toml(text: &str) -> Parsed {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut errors: Vec<Wrong> = errors.iter().map(Wrong::of).collect();
    errors.sort_by_key(|wrong| wrong.place.start);
    let mut tree = Tree { wrong: errors };
    let root = Node {
        place: table.span(),
        value: Written::Table(tree.entries(table.get_ref())),
    };
    let wrong = tree.wrong;
    let broken_at = wrong.iter().position(|wrong| !wrong.is_local);
    let told = wrong.iter();
    // What follows a missing bracket is mostly its consequence. Each mistake costs a look at what is before it.
    let told = told.take(broken_at.map_or(usize::MAX, |at| at + 1).min(PROBLEMS_MAX));
    let mistakes: Vec<Mistake> = told.map(|wrong| mistake(text, wrong)).collect();
    let sound_to = match broken_at {
        Some(at) => {
            let seen = mistakes
                .get(at)
                .map_or(wrong[at].place.start, |mistake| mistake.at);
            line_start(text, seen)
        }
        None => usize::MAX,
    };
    Parsed {
        root,
        mistakes,
        sound_to,
    }
}

fn line_start(text: &str, byte: usize) -> usize {
    let before = &text[..text.floor_char_boundary(byte)];
    before.rfind('\n').map_or(0, |at| at + 1)
}

fn mistake(text: &str, wrong: &Wrong) -> Mistake {
    let Wrong { place, message, .. } = wrong;
    let message = message.lines().next().unwrap_or_default();
    let found = text.get(place.clone()).unwrap_or_default();
    let is_bare_word = message.starts_with("string values must be quoted")
        && !found.is_empty()
        && !found.contains(['\n', '"', '\'']);
    let curly = found
        .strip_prefix(['“', '”', '„'])
        .map(|rest| rest.trim_end_matches(['”', '“']))
        .filter(|inner| !inner.contains(['”', '“']));
    if curly.is_none()
        && message != DUPLICATE
        && let Some(mistake) = full_width(text, place.start)
    {
        return mistake;
    }
    let mend = match is_bare_word {
        true if curly.is_some() => {
            let inner = curly.unwrap_or_default();
            format!("these quotes are no plain ones: write \"{inner}\"")
        }
        _ if message == DUPLICATE => "it is set above already: remove one of the two".to_owned(),
        true => format!("write \"{found}\", in quotes"),
        false => TOML_IN_SHORT.to_owned(),
    };
    Mistake::new(place.start, message.to_owned(), mend)
}

/// Signs that a Chinese keyboard writes where TOML has its own.
const FULL_WIDTH: [(char, char); 15] = [
    ('＝', '='),
    ('，', ','),
    ('、', ','),
    ('【', '['),
    ('】', ']'),
    ('［', '['),
    ('］', ']'),
    ('｛', '{'),
    ('｝', '}'),
    ('“', '"'),
    ('”', '"'),
    ('＂', '"'),
    ('．', '.'),
    ('＃', '#'),
    ('\u{3000}', ' '),
];

/// The first full-width sign outside of texts in the line of this byte, if there is one.
fn full_width(text: &str, byte: usize) -> Option<Mistake> {
    let start = line_start(text, byte);
    let line = text[start..].lines().next().unwrap_or_default();
    // Inside of a text of several lines all signs are the text's.
    let is_open = |quotes: &str| !text[..start].matches(quotes).count().is_multiple_of(2);
    if is_open("\"\"\"") || is_open("'''") {
        return None;
    }
    let mut first = None;
    let mut meant = String::new();
    let mut quote = None;
    let mut is_escaped = false;
    for (at, sign) in line.char_indices() {
        if std::mem::take(&mut is_escaped) {
            meant.push(sign);
            continue;
        }
        is_escaped = quote == Some('"') && sign == '\\';
        let plain = FULL_WIDTH.iter().find(|(wide, _)| *wide == sign);
        match (quote, plain) {
            (None, Some((_, plain))) => {
                first = first.or(Some((at, sign)));
                meant.push(*plain);
                continue;
            }
            (None, None) if sign == '#' => {
                meant.push_str(&line[at..]);
                break;
            }
            (None, None) if sign == '"' || sign == '\'' => quote = Some(sign),
            (Some(open), _) if sign == open => quote = None,
            (_, _) => {}
        }
        meant.push(sign);
    }
    let (at, sign) = first?;
    let message = format!("the full-width sign {sign} stands outside of a text");
    Some(Mistake::new(
        start + at,
        message,
        format!("write {}", meant.trim()),
    ))
}

/// What the parser found wrong.
struct Wrong {
    place: Range<usize>,
    message: String,
    /// Whether it lies inside one value, so that what follows still counts.
    is_local: bool,
}

impl Wrong {
    fn of(error: &toml::de::Error) -> Self {
        Self {
            place: error.span().unwrap_or(0..0),
            message: error.message().to_owned(),
            is_local: error.message() == DUPLICATE,
        }
    }
}

/// Turns the parser's tree into ours.
struct Tree {
    /// What the parser found wrong, in the order of the text.
    wrong: Vec<Wrong>,
}

impl Tree {
    fn entries(&mut self, table: &DeTable<'_>) -> Vec<Entry> {
        let mut entries: Vec<Entry> = table
            .iter()
            .map(|(key, value)| Entry {
                key: key.get_ref().to_string(),
                key_place: key.span(),
                node: self.node(value.get_ref(), value.span()),
            })
            .collect();
        entries.sort_by_key(|entry| entry.key_place.start);
        entries
    }

    fn node(&mut self, value: &DeValue<'_>, place: Range<usize>) -> Node {
        let value = match value {
            DeValue::Table(table) => Written::Table(self.entries(table)),
            DeValue::Array(list) => {
                let nodes = list.iter().map(|one| self.node(one.get_ref(), one.span()));
                Written::List(nodes.collect())
            }
            _ if self.is_wrong(&place) => Written::Broken,
            DeValue::String(text) => Written::Text(text.to_string()),
            DeValue::Integer(number) => {
                match i128::from_str_radix(number.as_str(), number.radix()) {
                    Ok(number) => Written::Whole(number),
                    Err(_) => Written::Real(f64::MAX),
                }
            }
            DeValue::Float(number) => Written::Real(number.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(flag) => Written::Flag(*flag),
            DeValue::Datetime(date) => Written::Date(date.to_string()),
        };
        Node { value, place }
    }

    /// Whether the parser found a mistake inside a scalar.
    fn is_wrong(&mut self, place: &Range<usize>) -> bool {
        let first = self
            .wrong
            .partition_point(|wrong| wrong.place.start < place.start);
        let mut found = false;
        for wrong in &mut self.wrong[first..] {
            if wrong.place.start > place.end {
                break;
            }
            // Where something is missing the parser names a place without length.
            if wrong.place.end <= place.end && !wrong.place.is_empty() {
                (wrong.is_local, found) = (true, true);
            }
        }
        found
    }
}

/// The same tree of a JSON value.
pub(crate) fn from_json(value: &serde_json::Value) -> Node {
    use serde_json::Value;
    let value = match value {
        Value::Null => Written::Nothing,
        Value::Bool(flag) => Written::Flag(*flag),
        Value::Number(number) => match number.as_i128() {
            Some(number) => Written::Whole(number),
            None => Written::Real(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Written::Text(text.clone()),
        Value::Array(list) => Written::List(list.iter().map(from_json).collect()),
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| Entry {
                key: key.clone(),
                key_place: 0..0,
                node: from_json(value),
            };
            Written::Table(entries.iter().map(entry).collect())
        }
    };
    Node { value, place: 0..0 }
}

impl Node {
    /// The value as TOML, where it is a scalar.
    pub(crate) fn as_toml(&self) -> Option<Cow<'_, str>> {
        match &self.value {
            Written::Text(text) => Some(quoted(text).into()),
            Written::Whole(number) => Some(number.to_string().into()),
            Written::Real(number) => Some(number.to_string().into()),
            Written::Flag(flag) => Some(flag.to_string().into()),
            Written::Date(date) => Some(date.into()),
            Written::List(_) | Written::Table(_) | Written::Nothing | Written::Broken => None,
        }
    }
}

/// What kind of thing it is, in words for a message.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Written::Text(text) => write!(f, "the text {text:?}"),
            Written::Whole(number) => write!(f, "the number {number}"),
            Written::Real(number) => write!(f, "the number {number}"),
            Written::Flag(flag) => write!(f, "{flag}"),
            Written::Date(date) => write!(f, "the date {date}"),
            Written::List(_) => write!(f, "a list"),
            Written::Table(_) => write!(f, "a table"),
            Written::Nothing => write!(f, "not set"),
            Written::Broken => write!(f, "not readable"),
        }
    }
}

/// A text as TOML writes it.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let parsed = from_toml(text);
        let line = |mistake: &Mistake| text[..mistake.at].matches('\n').count() + 1;
        parsed.mistakes.iter().map(line).collect()
    }

    #[test]
    fn a_mistake_inside_a_value_leaves_the_rest_sound() {
        let text = "[a]\nmode = host\nn = 5\n[b]\nx = other words\n";
        assert_eq!(lines(text), [2, 5]);
        let parsed = from_toml(text);
        assert_eq!(parsed.sound_to, usize::MAX);
        assert_eq!(parsed.mistakes[0].mend, "write \"host\", in quotes");
        let Written::Table(sections) = parsed.root.value else {
            panic!("is a table")
        };
        let Written::Table(keys) = &sections[0].node.value else {
            panic!("is a table")
        };
        assert_eq!(keys[0].node.value, Written::Broken);
        assert_eq!(keys[1].node.value, Written::Whole(5));
    }

    #[test]
    fn behind_a_missing_bracket_nothing_is_sound() {
        let text = "[a]\nx = 1\nlist = [1,\n 2\ny = 3\n[b]\nz = 1\n";
        let parsed = from_toml(text);
        assert!(parsed.sound_to <= text.find("y =").expect("is there"));
        assert!(parsed.sound_to > text.find("x =").expect("is there"));
        assert_eq!(lines(text), [5]);
    }

    #[test]
    fn both_sources_give_the_same_values() {
        let toml = from_toml("a = 1\nb = [\"x\", true]\nc = 0.5\n").root;
        let json = from_json(&serde_json::json!({"a": 1, "b": ["x", true], "c": 0.5}));
        let values = |node: &Node| match &node.value {
            Written::Table(entries) => {
                let values = entries.iter().map(|entry| entry.node.to_string());
                values.collect::<Vec<String>>()
            }
            _ => Vec::new(),
        };
        assert_eq!(values(&toml), values(&json));
        assert_eq!(values(&toml).len(), 3);
    }
}
