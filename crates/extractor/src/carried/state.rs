//! The state that a framework leaves in a page for its script: `__NEXT_DATA__`, `__NUXT__`,
//! `__INITIAL_STATE__` and the like.
//!
//! A state holds the text of the page among menus, translations and other pages' teasers. Its prose
//! is grouped by where it stands: strings at the same path but for the numbers of list items belong
//! together, as the paragraphs of an article do. The group with most text wins, weighed by its name.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use ego_tree::NodeRef;
use html5ever::local_name;
use scraper::Node;
use scraper::node::Element;
use serde_json::Value;

use super::Found;
use crate::char_counts::CharCounts;
use crate::dom::Attributes;
use crate::page::TextSource;

/// Bytes of one state, and of all states of a page, that are read.
const BYTES_MAX: usize = 2 << 20;
const ALL_BYTES_MAX: usize = 4 << 20;
/// Values that are visited, and strings that are kept.
const VALUES_MAX: usize = 50_000;
const STRINGS_MAX: usize = 4_000;
/// A string of less weight is no prose, unless it stands beside longer ones.
const PROSE_MIN: u32 = 40;

/// The states of a page.
#[derive(Default)]
pub(super) struct States {
    bytes: usize,
    /// Bytes of strings that were read: a list may name the same string thousands of times.
    string_bytes: usize,
    strings: Vec<Text>,
    values: usize,
}

/// A piece of prose in a state.
struct Text {
    source: TextSource,
    /// Keys down to it; list items have no number.
    path: String,
    text: String,
}

impl States {
    /// Reads a script, if it is a state.
    pub(super) fn script(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        let text = node.first_child().and_then(|child| match child.value() {
            Node::Text(text) => Some(&**text),
            _ => None,
        });
        let Some(text) = text.filter(|text| text.len() <= BYTES_MAX) else {
            return;
        };
        let Some(source) = source_of(element, text) else {
            return;
        };
        if self.bytes + text.len() > ALL_BYTES_MAX {
            return;
        }
        self.bytes += text.len();
        match value_of(text) {
            Some(Value::Array(items)) if source == TextSource::NuxtData && is_flattened(&items) => {
                self.flattened(source, &items);
            }
            Some(value) => self.visit(source, &value),
            None => self.literals(source, text),
        }
    }

    /// The texts, one for each source that has any.
    pub(super) fn texts(self) -> Vec<Found> {
        let mut groups: BTreeMap<(TextSource, &str), Vec<&str>> = BTreeMap::new();
        let mut seen: HashSet<(TextSource, &str, &str)> = HashSet::new();
        for string in &self.strings {
            let (source, path) = (string.source, string.path.as_str());
            if seen.insert((source, path, &string.text)) {
                groups.entry((source, path)).or_default().push(&string.text);
            }
        }
        let mut best: BTreeMap<TextSource, (f32, String)> = BTreeMap::new();
        for ((source, path), texts) in groups {
            let chars: usize = texts.iter().map(|text| text.chars().count()).sum();
            let worth = chars as f32 * weight_of(path);
            if best.get(&source).is_none_or(|(most, _)| worth > *most) {
                best.insert(source, (worth, texts.join("\n")));
            }
        }
        let best = best.into_iter();
        best.map(|(source, (_, text))| Found { source, text })
            .collect()
    }

    fn visit(&mut self, source: TextSource, root: &Value) {
        for (value, path) in Walk::new(root, VALUES_MAX - self.values.min(VALUES_MAX)) {
            if self.is_full() {
                return;
            }
            self.values += 1;
            if let Value::String(text) = value {
                self.string(source, &path, text);
            }
        }
    }

    /// A list of all values, in which objects name their fields' places.
    fn flattened(&mut self, source: TextSource, items: &[Value]) {
        for item in items {
            let Value::Object(fields) = item else {
                continue;
            };
            for (key, at) in fields {
                if self.is_full() {
                    return;
                }
                self.values += 1;
                let at = at.as_u64().and_then(|at| usize::try_from(at).ok());
                if let Some(Value::String(text)) = at.and_then(|at| items.get(at)) {
                    self.string(source, &format!(".{key}"), text);
                }
            }
        }
    }

    /// The string literals of a state that is a program.
    fn literals(&mut self, source: TextSource, script: &str) {
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
                self.string(source, &path, &text);
            }
        }
    }

    fn is_full(&self) -> bool {
        self.values >= VALUES_MAX
            || self.strings.len() >= STRINGS_MAX
            || self.string_bytes >= ALL_BYTES_MAX
    }

    fn string(&mut self, source: TextSource, path: &str, text: &str) {
        self.string_bytes = self.string_bytes.saturating_add(text.len());
        if self.string_bytes <= ALL_BYTES_MAX && is_prose(text) {
            self.strings.push(Text {
                source,
                path: path.to_owned(),
                text: text.to_owned(),
            });
        }
    }
}

/// The first values of a state in their order, each with its path. It keeps its own stack, since the page decides
/// how deep they are nested; and there no more than can still be visited, since it decides how many there are.
struct Walk<'v> {
    /// What is to come, the next one last, with the path of what holds it and its key there.
    open: Vec<(&'v Value, Rc<str>, Option<&'v str>)>,
    /// How many are still visited.
    left: usize,
}

impl<'v> Walk<'v> {
    fn new(root: &'v Value, left: usize) -> Self {
        let open = vec![(root, "".into(), None)];
        Self { open, left }
    }
}

impl<'v> Iterator for Walk<'v> {
    type Item = (&'v Value, Rc<str>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (value, above, key) = self.open.pop()?;
        let path = match key {
            Some(key) => below(above, key),
            None => above,
        };
        match value {
            Value::Array(items) => {
                let items = items.iter().take(self.left).rev();
                self.open
                    .extend(items.map(|item| (item, path.clone(), None)));
            }
            Value::Object(fields) => {
                let fields = fields.iter().take(self.left).rev();
                self.open
                    .extend(fields.map(|(key, inner)| (inner, path.clone(), Some(key.as_str()))));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        // Not after each value: that would move all of it each time.
        if self.open.len() > 2 * VALUES_MAX {
            self.open.drain(..self.open.len() - self.left);
        }
        Some((value, path))
    }
}

/// The path of a field.
fn below(path: Rc<str>, key: &str) -> Rc<str> {
    if path.len() >= 200 {
        return path;
    }
    // Keys that are ids say nothing.
    let is_name = key.len() <= 40 && !key.bytes().any(|byte| byte.is_ascii_digit());
    let key = if is_name { key } else { "*" };
    format!("{path}.{key}").into()
}

/// Which state a script is, if it is one.
fn source_of(element: &Element, text: &str) -> Option<TextSource> {
    let id = element.attribute(&local_name!("id")).unwrap_or("");
    let kind = element.attribute(&local_name!("type")).unwrap_or("");
    let head = crate::bounded::byte_prefix(text, 400);
    if id == "__NEXT_DATA__" || head.contains("__NEXT_DATA__") {
        return Some(TextSource::NextData);
    }
    if id == "__NUXT_DATA__" || head.contains("__NUXT__") {
        return Some(TextSource::NuxtData);
    }
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
    let is_json = kind.trim().eq_ignore_ascii_case("application/json");
    (is_state || is_json).then_some(TextSource::InitialState)
}

/// The value of a state: JSON, or JSON that a script assigns, as it is or inside a string.
fn value_of(script: &str) -> Option<Value> {
    let script = script.trim();
    let json = match script.starts_with(['{', '[']) {
        true => script,
        false => script[script.find('=')? + 1..].trim_start(),
    };
    if let Some(quoted) = json.strip_prefix("JSON.parse(") {
        let quoted = quoted.trim_start();
        let end = end_of_literal(quoted.as_bytes(), 0)?;
        return serde_json::from_str(&unescaped(&quoted[1..end])).ok();
    }
    let first = |json: &str| {
        let mut values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
        values
            .next()?
            .ok()
            .filter(|value| value.is_object() || value.is_array())
    };
    first(json).or_else(|| {
        let is_mended = json.contains("undefined");
        is_mended.then(|| first(&json.replace(":undefined", ":null")))?
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

/// The end of a string literal that begins at `open`.
fn end_of_literal(bytes: &[u8], open: usize) -> Option<usize> {
    let quote = *bytes.get(open)?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let mut at = open + 1;
    loop {
        at += memchr::memchr3(quote, b'\\', b'\n', bytes.get(at..)?)?;
        match bytes[at] {
            b'\\' => at += 2,
            // A literal ends on its line; what looked like one was an apostrophe.
            _ => return Some(at),
        }
    }
}

/// The text of a string literal.
fn unescaped(literal: &str) -> String {
    let mut out = String::with_capacity(literal.len());
    let mut chars = literal.chars();
    let mut high: Option<u32> = None;
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r' | 'b' | 'f') => {}
            Some('t') => out.push(' '),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let unit = u32::from_str_radix(&digits, 16).unwrap_or(0xFFFD);
                match (high.take(), unit) {
                    (_, 0xD800..0xDC00) => high = Some(unit),
                    (Some(high), 0xDC00..0xE000) => {
                        let code = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
                        out.extend(char::from_u32(code));
                    }
                    (_, unit) => out.extend(char::from_u32(unit)),
                }
            }
            Some('x') => {
                let digits: String = chars.by_ref().take(2).collect();
                out.extend(
                    u32::from_str_radix(&digits, 16)
                        .ok()
                        .and_then(char::from_u32),
                );
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// The name of the field whose value begins where this text ends.
fn key_before(text: &str) -> &str {
    let Some(text) = text.trim_end().strip_suffix(':') else {
        return "";
    };
    let text = text.trim_end().trim_end_matches(['"', '\'']);
    let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$');
    let start = text
        .rfind(|char: char| !is_part(char))
        .map_or(0, |at| at + 1);
    text.get(start..).unwrap_or("")
}

/// Whether a string is read by people: it has some length, words and the signs of sentences, and is
/// no address and no program.
fn is_prose(text: &str) -> bool {
    let is_name = text.starts_with("http") || text.starts_with("data:") || text.starts_with('/');
    if text.len() < PROSE_MIN as usize / 2 || is_name {
        return false;
    }
    let counts = CharCounts::of(text);
    let is_program = text.contains("function(") || text.contains("=>") || text.contains("{{");
    let has_words = counts.words >= 6 || text.chars().filter(|c| *c > '\u{2e80}').count() >= 16;
    counts.weight >= PROSE_MIN
        && counts.sentence_ends + counts.commas > 0
        && has_words
        && !is_program
}

/// How far a path is trusted to lead to the page's own text.
fn weight_of(path: &str) -> f32 {
    let path = path.to_ascii_lowercase();
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
    let last = path.rsplit('.').next().unwrap_or("");
    let is_body = BODIES.iter().any(|body| last.contains(body));
    let is_other = OTHERS.iter().any(|other| path.contains(other));
    (if is_body { 1.0 } else { 0.3 }) * (if is_other { 0.1 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_read_with_its_escapes_and_its_key() {
        let script = r#"window.x={a:1,"content" : "one \u4e2d\ud83d\ude00 \"two\"\n\x41"}"#;
        let open = script.find("\"one").expect("it is there");
        let end = end_of_literal(script.as_bytes(), open).expect("it ends");
        assert_eq!(unescaped(&script[open + 1..end]), "one 中😀 \"two\"\nA");
        assert_eq!(key_before(&script[..open]), "content");
        assert_eq!(end_of_literal(b"\"never", 0), None);
        assert_eq!(unescaped("\\ud83d\\u"), "\u{FFFD}");
    }

    #[test]
    fn a_walk_holds_no_more_than_it_may_still_visit_and_no_path_twice() {
        // Each item that waited had a path of its own, 200 bytes long: 270 MB for 1.9 MB.
        let key = "a".repeat(40);
        let mut text = "0,".repeat(20_000);
        for _ in 0..20 {
            text = format!("{{\"{key}\":[{text}0]}},{}", "0,".repeat(20_000));
        }
        let root: Value = serde_json::from_str(&format!("[{text}0]")).expect("a list");
        let mut walk = Walk::new(&root, VALUES_MAX);
        let mut visited = 0;
        let mut paths = HashSet::new();
        while let Some((_, path)) = walk.next() {
            visited += 1;
            assert!(walk.open.len() <= 2 * VALUES_MAX);
            paths.insert(path.as_ptr());
        }
        assert_eq!(visited, VALUES_MAX);
        assert!(paths.len() <= 21, "{} paths", paths.len());
    }

    #[test]
    fn a_walk_gives_values_in_their_order_with_their_paths() {
        let json = r#"{"a":[{"x1":1},2],"b":{"c":{"d":3}}}"#;
        let root: Value = serde_json::from_str(json).expect("an object");
        let of = |left| -> Vec<String> {
            let walk = Walk::new(&root, left).filter(|(value, _)| value.is_number());
            walk.map(|(value, path)| format!("{path}={value}"))
                .collect()
        };
        assert_eq!(of(VALUES_MAX), [".a.*=1", ".a=2", ".b.c.d=3"]);
        assert_eq!(of(5), [".a.*=1", ".a=2"]);
    }

    #[test]
    fn a_string_that_a_list_names_a_thousand_times_costs_its_bound() {
        let fields: Vec<String> = (0..3_000).map(|at| format!("\"a{at}\":1")).collect();
        let prose = "One sentence, as a page may have it. ".repeat(10_000);
        let text = format!("[{{{}}},\"{prose}\"]", fields.join(","));
        let Some(Value::Array(items)) = value_of(&text) else {
            panic!("a list");
        };
        let mut states = States::default();
        states.flattened(TextSource::NuxtData, &items);
        let kept: usize = states.strings.iter().map(|string| string.text.len()).sum();
        assert!(kept > 0 && kept <= ALL_BYTES_MAX, "{kept} bytes");
    }

    #[test]
    fn a_state_is_json_an_assignment_or_json_in_a_string() {
        for script in [
            r#"{"a":"b"}"#,
            r#"window.__INITIAL_STATE__ = {"a":"b"};(function(){})()"#,
            r#"window.__INITIAL_STATE__={"a":"b","c":undefined};"#,
            r#"window.__INITIAL_STATE__ = JSON.parse("{\"a\":\"b\"}")"#,
        ] {
            let value = value_of(script).expect(script);
            assert_eq!(value["a"], "b", "{script}");
        }
        assert_eq!(
            value_of("window.__NUXT__=(function(a){return {}}(1))"),
            None
        );
    }
}
