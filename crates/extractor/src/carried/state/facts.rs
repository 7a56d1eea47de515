//! What a state says of the text in it: the object that holds an article's text has its title, author and date beside
//! it, or one of those around that object does.

use serde_json::Value;

use super::walk::Holder;
use crate::bounded::byte_prefix;
use crate::dates;
use crate::dates::names::{self, Place, plain};
use crate::metadata::title_ends;

/// Objects around a text that are looked at, the innermost first.
const LEVELS: usize = 6;
/// Fields of an object that are looked at: one with more is a table.
const FIELDS_MAX: usize = 400;
const DATE_BYTES_MAX: usize = 100;
const TITLE_CHARS_MAX: usize = 200;
const NAME_CHARS_MAX: usize = 60;
const NAMES_MAX: usize = 5;

/// The keys of each fact in their plain form, the most trusted first; those of its dates stand in [`names`].
const TITLES: [&str; 6] = [
    "title",
    "headline",
    "articletitle",
    "newstitle",
    "subject",
    "posttitle",
];
const AUTHORS: [&str; 5] = ["author", "authorname", "authors", "writer", "creator"];
const NAMES: [&str; 5] = ["name", "nickname", "displayname", "username", "fullname"];

/// What is said of a text beside it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Facts {
    pub title: Option<String>,
    pub author: Option<String>,
    pub published: Option<String>,
    pub modified: Option<String>,
}

impl Facts {
    /// The facts of a text on a page of this title. Sections of an article may have titles of their own, and so has the
    /// site around it: the object whose title is the longest that the page repeats is the article, else the first that
    /// has one; without any only the text's own.
    pub(super) fn around(holder: &Holder<'_>, page_title: &str) -> Facts {
        let around = std::iter::successors(Some(holder), |holder| holder.above.as_deref());
        let levels: Vec<&Facts> = around.take(LEVELS).map(Holder::facts).collect();
        let titles = levels.iter().enumerate();
        let titles = titles.filter_map(|(at, facts)| Some((at, facts.title.as_deref()?)));
        let repeated = titles.clone();
        let repeated = repeated.filter(|(_, title)| title_ends::repeats(page_title, title));
        // Of two of the same length the inner one.
        let longest = repeated
            .rev()
            .max_by_key(|(_, title)| title_ends::letters(title).len());
        let article = longest.or_else(|| titles.clone().next());
        let article = article.map_or(0, |(at, _)| at);
        let mut found = levels.get(article).copied().cloned().unwrap_or_default();
        for part in levels[..article].iter().rev() {
            found.author = found.author.or_else(|| part.author.clone());
            found.published = found.published.or_else(|| part.published.clone());
            found.modified = found.modified.or_else(|| part.modified.clone());
        }
        found
    }

    /// The facts in the fields of one object.
    pub(super) fn of<'v>(fields: impl Iterator<Item = (&'v str, &'v Value)>) -> Facts {
        let fields = fields.take(FIELDS_MAX);
        let fields: Vec<(String, &Value)> =
            fields.map(|(key, value)| (plain(key), value)).collect();
        Facts {
            title: first(&fields, |key| place(key, &TITLES), title),
            author: first(&fields, |key| place(key, &AUTHORS), author),
            published: first(&fields, |key| names::published(key, Place::State), date),
            modified: first(&fields, |key| names::modified(key, Place::State), date),
        }
    }

    /// Whether an article is told by them: one has a title, and a writer or a day.
    pub(crate) fn are_of_an_article(&self) -> bool {
        self.title.is_some() && (self.author.is_some() || self.published.is_some())
    }
}

fn place(key: &str, keys: &[&str]) -> Option<usize> {
    keys.iter().position(|known| *known == key)
}

/// The first value, by the rank of its key, that says something.
fn first<T>(
    fields: &[(String, &Value)],
    rank: impl Fn(&str) -> Option<usize>,
    read: impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    let ranked = fields.iter();
    let ranked = ranked.filter_map(|(key, value)| Some((rank(key)?, *value)));
    let mut ranked: Vec<(usize, &Value)> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().find_map(|(_, value)| read(value))
}

/// A line of so many characters at most that is no address and has no markup.
fn line(value: &Value, chars_max: usize) -> Option<String> {
    let text = value.as_str().filter(|text| text.len() <= 4 * chars_max)?;
    let is_line = !text.contains('<') && !text.contains("://");
    let text = crate::whitespace::collapsed(text);
    let is_named = text.chars().any(char::is_alphanumeric) && text.chars().count() <= chars_max;
    (is_line && is_named).then_some(text)
}

fn title(value: &Value) -> Option<String> {
    // WordPress has it in an object.
    line(value.get("rendered").unwrap_or(value), TITLE_CHARS_MAX)
}

fn author(value: &Value) -> Option<String> {
    match value {
        Value::String(_) => line(value, NAME_CHARS_MAX),
        Value::Object(fields) => {
            let fields = fields.iter().take(FIELDS_MAX);
            let fields = fields.map(|(key, value)| (plain(key), value));
            let fields: Vec<(String, &Value)> = fields.collect();
            first(
                &fields,
                |key| place(key, &NAMES),
                |name| line(name, NAME_CHARS_MAX),
            )
        }
        Value::Array(items) => {
            let names: Vec<String> = items
                .iter()
                .take(NAMES_MAX)
                .filter(|item| !item.is_array())
                .filter_map(author)
                .collect();
            (!names.is_empty()).then(|| names.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn date(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let text = byte_prefix(text, DATE_BYTES_MAX);
            dates::machine(text).or_else(|| dates::written(text, false))
        }
        Value::Number(number) => dates::machine(&number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::Walk;
    use super::*;

    /// The facts around the string "text" of a state.
    fn facts(json: &str, page_title: &str) -> [Option<String>; 4] {
        let root: Value = serde_json::from_str(json).expect(json);
        let mut walk = Walk::new(&root, 10 * FIELDS_MAX);
        let (_, _, holder) = walk.find(|(value, _, _)| *value == "text").expect(json);
        let found = Facts::around(&holder.expect("an object"), page_title);
        [found.title, found.author, found.published, found.modified]
    }

    #[test]
    fn facts_stand_beside_the_text_or_around_it() {
        let some = |text: &str| Some(text.to_owned());
        for json in [
            r#"{"title":"The lock","author":"Ann Lee","publish_time":"2021-06-15 09:20:00","content":"text"}"#,
            r#"{"a":[{"Title":"The lock","authors":[{"name":"Ann Lee"}],"ctime":1623748800,"c":{"html":"text"}}],"title":"News"}"#,
            r#"{"title":"The lock","publishTime":"2021年6月15日","parts":[{"title":"One","author":{"nickName":"Ann Lee"},"body":"text"}]}"#,
        ] {
            let [title, author, published, _] = facts(json, "The lock - News of today");
            assert_eq!(title, some("The lock"), "{json}");
            assert_eq!(author, some("Ann Lee"), "{json}");
            assert!(
                published.is_some_and(|day| day.starts_with("2021-06-15")),
                "{json}"
            );
        }
    }

    #[test]
    fn an_object_tells_its_facts_once_and_by_some_fields() {
        // They were read anew for each text in the object.
        let json = r#"{"title":"The lock","a":"text","b":["text"]}"#;
        let root: Value = serde_json::from_str(json).expect(json);
        let texts = Walk::new(&root, 100).filter(|(value, _, _)| *value == "text");
        let holders: Vec<_> = texts.filter_map(|(_, _, holder)| holder).collect();
        let [first, second] = &*holders else {
            panic!("two texts");
        };
        assert!(std::ptr::eq(first.facts(), second.facts()));
        let with = |fields: usize| {
            let fields: Vec<String> = (0..fields).map(|at| format!("\"f{at}\":0")).collect();
            let json = format!(
                "{{{},\"title\":\"The lock\",\"z\":\"text\"}}",
                fields.join(",")
            );
            facts(&json, "")[0].clone()
        };
        assert_eq!(with(FIELDS_MAX - 2).as_deref(), Some("The lock"));
        assert_eq!(with(FIELDS_MAX), None);
    }

    #[test]
    fn of_the_titles_that_the_page_repeats_the_longest_is_the_articles() {
        for (json, page_title, title) in [
            (
                r#"{"title":"News","a":{"title":"The lock - built again","b":"text"}}"#,
                "The lock — built again | News",
                "The lock - built again",
            ),
            (
                r#"{"title":"The Lock is rebuilt","a":[{"title":"Lock","b":"text"}]}"#,
                "The Lock is rebuilt | News",
                "The Lock is rebuilt",
            ),
            (
                r#"{"title":"The lock","a":[{"title":"The Lock","b":"text"}]}"#,
                "The lock",
                "The Lock",
            ),
            (
                r#"{"title":"One","a":[{"title":"Two","b":"text"}]}"#,
                "Three",
                "Two",
            ),
        ] {
            let [found, ..] = facts(json, page_title);
            assert_eq!(found.as_deref(), Some(title), "{json}");
        }
    }

    #[test]
    fn what_is_around_a_text_without_a_title_is_not_its_own() {
        let json = r#"{"date":"2021-06-15","a":{"updated_at":"2021-06-16","body":"text"}}"#;
        let found = facts(json, "The lock");
        assert_eq!(found, [None, None, None, Some("2021-06-16".to_owned())]);
        let json =
            r#"{"author":"https://a.example/ann","title":"<b>x</b>","published":7,"t":"text"}"#;
        assert_eq!(facts(json, ""), [None, None, None, None]);
    }
}
