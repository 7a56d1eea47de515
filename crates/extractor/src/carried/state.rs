//! The state that a page holds for its script: `__NEXT_DATA__`, `__NUXT__`, `__INITIAL_STATE__`, and any JSON that a
//! script is or assigns, or a text field or an attribute holds, whatever its name.
//!
//! A state holds the text of the page among menus, translations and other pages' teasers. Its prose
//! is grouped by where it stands: strings at the same path but for the numbers of list items belong
//! together, as the paragraphs of an article do. The group with most text wins, weighed by its name.
//!
//! JSON without a framework's name may as well be a catalogue of messages or a configuration. So there the group must be
//! named as a text or stand beside a title, under no name of another part, and hold a good share of all prose: each of a
//! hundred messages has a name of its own.

mod facts;
mod flight;
mod literal;
mod script;
mod walk;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use ego_tree::NodeRef;
use html5ever::local_name;
use scraper::Node;
use scraper::node::Element;
use serde_json::Value;

use super::Found;
use crate::char_counts::CharCounts;
use crate::dom::Attributes;
use crate::page::TextSource;
pub(crate) use facts::Facts;
use flight::Rows;
use literal::{end_of_literal, key_before, unescaped};
use walk::Walk;

/// Bytes of one state, and of all states of a page, that are read.
const BYTES_MAX: usize = 2 << 20;
const ALL_BYTES_MAX: usize = 4 << 20;
/// Values that are visited, lists and objects of a script that are read, and strings that are kept.
const VALUES_MAX: usize = 50_000;
const STRINGS_MAX: usize = 4_000;
/// A string of less weight is no prose, unless it stands beside longer ones.
const PROSE_MIN: u32 = 40;

/// The least share of an unnamed state's prose that its text has, as one in so many.
const SHARE_MIN: usize = 4;
/// A value of an attribute with fewer bytes holds no text.
const ATTRIBUTE_BYTES_MIN: usize = 400;

/// The states of a page.
#[derive(Default)]
pub(super) struct States<'t> {
    /// What `<title>` says.
    page_title: &'t str,
    bytes: usize,
    /// Bytes of strings that were read: a list may name the same string thousands of times.
    string_bytes: usize,
    values: usize,
    strings: usize,
    /// The texts by source and by the keys down to them; list items have no number.
    groups: BTreeMap<(TextSource, String), Group>,
    /// Characters of prose in each state.
    prose: Vec<usize>,
    /// The parts of Next.js' stream.
    stream: String,
}

/// Pieces of prose at the same path.
#[derive(Default)]
struct Group {
    texts: Vec<String>,
    chars: usize,
    /// The number of the state.
    state: usize,
    is_named: bool,
    facts: Facts,
}

/// What is known of a state before it is read.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    source: TextSource,
    /// A framework's name or its type says that it is one.
    is_named: bool,
}

impl<'t> States<'t> {
    pub(super) fn of_page(page_title: &'t str) -> States<'t> {
        States {
            page_title,
            ..States::default()
        }
    }

    /// Reads a script, if it is a state.
    pub(super) fn script(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        let Some(text) = text_of(node).filter(|text| self.admits(text)) else {
            return;
        };
        if let Some(part) = flight::part(text) {
            self.stream.push_str(&part);
            return;
        }
        let Some(kind) = kind_of(element, text) else {
            return;
        };
        let values = script::values(text, &mut self.values_left());
        if values.is_empty() && kind.is_named {
            self.prose.push(0);
            self.literals(kind, text);
        }
        for value in values {
            self.read(kind, &value);
        }
    }

    /// Reads the JSON that a field of a form holds.
    pub(super) fn field(&mut self, node: NodeRef<'_, Node>) {
        self.json(text_of(node).unwrap_or(""));
    }

    /// Reads the JSON that attributes hold.
    pub(super) fn attributes(&mut self, element: &Element) {
        let values = element.attrs().map(|(_, value)| value);
        for value in values.filter(|value| value.len() >= ATTRIBUTE_BYTES_MIN) {
            self.json(value);
        }
    }

    fn json(&mut self, text: &str) {
        let kind = Kind {
            source: TextSource::InitialState,
            is_named: false,
        };
        let text = text.trim_start();
        if text.starts_with(['{', '[']) && self.admits(text) {
            for value in script::values(text, &mut self.values_left()) {
                self.read(kind, &value);
            }
        }
    }

    /// Whether so much more is read.
    fn admits(&mut self, text: &str) -> bool {
        let admits = text.len() <= BYTES_MAX && self.bytes + text.len() <= ALL_BYTES_MAX;
        self.bytes += if admits { text.len() } else { 0 };
        admits
    }

    fn read(&mut self, kind: Kind, value: &Value) {
        self.prose.push(0);
        match value {
            Value::Array(items) if kind.source == TextSource::NuxtData && is_flattened(items) => {
                self.flattened(kind, items);
            }
            value => self.visit(kind, value, &Rows::default()),
        }
    }

    /// The texts, one for each source that has any.
    pub(super) fn texts(mut self) -> Vec<Found> {
        let stream = std::mem::take(&mut self.stream);
        let rows = Rows::of(&stream, &mut self.values_left());
        let kind = Kind {
            source: TextSource::NextData,
            is_named: true,
        };
        self.prose.push(0);
        for value in &rows.values {
            self.visit(kind, value, &rows);
        }
        let mut best: BTreeMap<TextSource, (f32, Found)> = BTreeMap::new();
        for ((source, path), group) in self.groups {
            let (text, chars) = joined(&group.texts);
            let worth = chars as f32 * weight_of(&path);
            let is_text = group.is_named || is_text(&path, &group, self.prose[group.state]);
            if is_text && best.get(&source).is_none_or(|(most, _)| worth > *most) {
                let facts = group.facts;
                let found = Found {
                    source,
                    text,
                    facts,
                };
                best.insert(source, (worth, found));
            }
        }
        best.into_values().map(|(_, found)| found).collect()
    }

    fn visit(&mut self, kind: Kind, root: &Value, rows: &Rows<'_>) {
        let title = self.page_title;
        for (value, path, holder) in Walk::new(root, self.values_left()) {
            if self.is_full() {
                return;
            }
            self.values += 1;
            if let Value::String(text) = value {
                self.string(kind, &path, rows.said(text), || {
                    let facts = holder.map(|holder| Facts::around(&holder, title));
                    facts.unwrap_or_default()
                });
            }
        }
    }

    /// A list of all values, in which objects name their fields' places.
    fn flattened(&mut self, kind: Kind, items: &[Value]) {
        let value = |at: &Value| {
            let at = at.as_u64().and_then(|at| usize::try_from(at).ok());
            at.and_then(|at| items.get(at))
        };
        for item in items {
            let Value::Object(fields) = item else {
                continue;
            };
            let facts = OnceCell::new();
            for (key, at) in fields {
                if self.is_full() {
                    return;
                }
                self.values += 1;
                if let Some(Value::String(text)) = value(at) {
                    let of_item = || {
                        let fields = fields.iter();
                        Facts::of(fields.filter_map(|(key, at)| Some((&**key, value(at)?))))
                    };
                    self.string(kind, &format!(".{key}"), text, || {
                        facts.get_or_init(of_item).clone()
                    });
                }
            }
        }
    }

    /// The string literals of a state that is a program.
    fn literals(&mut self, kind: Kind, script: &str) {
        let bytes = script.as_bytes();
        let mut at = 0;
        while let Some(found) = memchr::memchr2(b'"', b'\'', &bytes[at..]) {
            let open = at + found;
            let Some(end) = end_of_literal(bytes, open) else {
                return;
            };
            if self.is_full() {
                return;
            }
            self.values += 1;
            at = end + 1;
            if end - open > PROSE_MIN as usize {
                let text = unescaped(&script[open + 1..end]);
                let path = format!(".{}", key_before(&script[..open]));
                self.string(kind, &path, &text, Facts::default);
            }
        }
    }

    /// How many values are still visited: no more lists and objects are read.
    fn values_left(&self) -> usize {
        VALUES_MAX.saturating_sub(self.values)
    }

    fn is_full(&self) -> bool {
        self.values >= VALUES_MAX
            || self.strings >= STRINGS_MAX
            || self.string_bytes >= ALL_BYTES_MAX
    }

    /// Takes a string into its group, if it is prose; `facts` are those of a group that begins with it.
    fn string(&mut self, kind: Kind, path: &str, text: &str, facts: impl FnOnce() -> Facts) {
        self.string_bytes = self.string_bytes.saturating_add(text.len());
        if self.string_bytes > ALL_BYTES_MAX || !is_prose(text) {
            return;
        }
        self.strings += 1;
        let chars = text.chars().count();
        let state = self.prose.len() - 1;
        self.prose[state] += chars;
        let group = self.groups.entry((kind.source, path.to_owned()));
        let group = group.or_insert_with(|| Group {
            state,
            is_named: kind.is_named,
            facts: facts(),
            ..Group::default()
        });
        group.chars += chars;
        group.texts.push(text.to_owned());
    }
}

/// Texts as one, each once, and their characters.
fn joined(texts: &[String]) -> (String, usize) {
    let mut seen = HashSet::new();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.retain(|text| seen.insert(*text));
    let chars = texts.iter().map(|text| text.chars().count()).sum();
    (texts.join("\n"), chars)
}

/// Whether a group of a state that no framework names is the text of the page.
fn is_text(path: &str, group: &Group, prose: usize) -> bool {
    let is_named = is_body(path) || group.facts.title.is_some();
    is_named && !is_of_other_part(path) && group.chars * SHARE_MIN >= prose
}

fn text_of(node: NodeRef<'_, Node>) -> Option<&str> {
    node.first_child().and_then(|child| match child.value() {
        Node::Text(text) => Some(&**text),
        _ => None,
    })
}

/// Which state a script may be.
fn kind_of(element: &Element, text: &str) -> Option<Kind> {
    let id = element.attribute(&local_name!("id")).unwrap_or("");
    let kind = element.attribute(&local_name!("type")).unwrap_or("").trim();
    let head = crate::bounded::byte_prefix(text, 400);
    let named = |source| Kind {
        source,
        is_named: true,
    };
    if id == "__NEXT_DATA__" || head.contains("__NEXT_DATA__") {
        return Some(named(TextSource::NextData));
    }
    if id == "__NUXT_DATA__" || head.contains("__NUXT__") {
        return Some(named(TextSource::NuxtData));
    }
    // The names of those that may be programs: then their strings are read.
    const NAMES: [&str; 9] = [
        "__INITIAL_STATE__",
        "__PRELOADED_STATE__",
        "__APOLLO_STATE__",
        "__INITIAL_DATA__",
        "__INITIAL_PROPS__",
        "__SSR_DATA__",
        "__STATE__",
        "__data",
        "_ROUTER_DATA",
    ];
    let is_state = NAMES.iter().any(|name| head.contains(name));
    let is_json = kind.eq_ignore_ascii_case("application/json");
    // What is linked data is read as such.
    let is_linked = kind.eq_ignore_ascii_case("application/ld+json");
    (!is_linked).then_some(Kind {
        source: TextSource::InitialState,
        is_named: is_state || is_json,
    })
}

/// Whether a list is a state whose objects hold places in the list.
fn is_flattened(items: &[Value]) -> bool {
    let objects = items.iter().filter_map(Value::as_object);
    let mut fields = objects
        .flat_map(|fields| fields.values())
        .take(50)
        .peekable();
    fields.peek().is_some() && fields.all(Value::is_i64)
}

/// Whether a string is read by people: it has some length, words and the signs of sentences, and is
/// no address and no program.
fn is_prose(text: &str) -> bool {
    let is_name = text.starts_with("http") || text.starts_with("data:") || text.starts_with('/');
    if text.len() < PROSE_MIN as usize / 2 || is_name {
        return false;
    }
    let text = &without_tags(text);
    let counts = CharCounts::of(text);
    let is_program = text.contains("function(") || text.contains("=>") || text.contains("{{");
    let has_words = counts.words >= 6 || text.chars().filter(|c| *c > '\u{2e80}').count() >= 16;
    counts.weight >= PROSE_MIN
        && counts.sentence_ends + counts.commas > 0
        && has_words
        && !is_program
}

/// A text without its tags: the addresses in them have letters and signs as well.
fn without_tags(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        out.push_str(before);
        out.push(' ');
        rest = tag;
        if tag.starts_with(|char: char| char == '/' || char.is_ascii_alphabetic()) {
            let Some((_, behind)) = tag.split_once('>') else {
                break;
            };
            rest = behind;
        }
    }
    out.push_str(rest);
    out.into()
}

/// How far a path is trusted to lead to the page's own text.
fn weight_of(path: &str) -> f32 {
    (if is_body(path) { 1.0 } else { 0.3 }) * (if is_of_other_part(path) { 0.1 } else { 1.0 })
}

/// Whether the last key of a path is one that texts have.
fn is_body(path: &str) -> bool {
    const BODIES: [&str; 14] = [
        "body",
        "content",
        "articlebody",
        "html",
        "text",
        "description",
        "markdown",
        "paragraph",
        "story",
        "summary",
        "detail",
        "rendered",
        "children",
        "value",
    ];
    let last = path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    BODIES.iter().any(|body| last.contains(body))
}

/// Whether a key of a path is one that menus, messages and other pages have.
fn is_of_other_part(path: &str) -> bool {
    const OTHERS: [&str; 22] = [
        "related",
        "recommend",
        "comment",
        "review",
        "menu",
        "nav",
        "footer",
        "header",
        "translation",
        "i18n",
        "locale",
        "messages",
        "config",
        "settings",
        "sidebar",
        "teaser",
        "latest",
        "popular",
        "promo",
        "cookie",
        "consent",
        "seo",
    ];
    let path = path.to_ascii_lowercase();
    OTHERS.iter().any(|other| path.contains(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_no_prose_however_much_stands_in_them() {
        let picture = "<img src=\"/themes/faces, small/smile one. two. three four five six\">";
        assert!(!is_prose(&picture.repeat(4)));
        let text = "The lock was built in May, when the river was low, and it has held since.";
        assert!(is_prose(&format!("{picture}<p>{text}</p>")));
        assert_eq!(without_tags("1 < 2 <b>x</b><"), "1   2  x  ");
    }

    #[test]
    fn a_string_that_a_list_names_a_thousand_times_costs_its_bound() {
        let fields: Vec<String> = (0..3_000).map(|at| format!("\"a{at}\":1")).collect();
        let prose = "One sentence, as a page may have it. ".repeat(10_000);
        let text = format!("[{{{}}},\"{prose}\"]", fields.join(","));
        let items: Vec<Value> = serde_json::from_str(&text).expect("a list");
        let kind = Kind {
            source: TextSource::NuxtData,
            is_named: true,
        };
        let mut states = States::default();
        states.prose.push(0);
        states.flattened(kind, &items);
        let texts = states.groups.values().flat_map(|group| &group.texts);
        let kept: usize = texts.map(String::len).sum();
        assert!(kept > 0 && kept <= ALL_BYTES_MAX, "{kept} bytes");
    }
}
