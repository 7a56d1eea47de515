//! What a state says of the text in it: the object that holds an article's text has its title, author and date beside
//! it, or one of those around that object does.

use serde_json::Value;

use super::walk::Holder;
use crate::dates;

/// Objects around a text that are looked at, the innermost first.
const LEVELS: usize = 6;
const TITLE_CHARS_MAX: usize = 200;
const NAME_CHARS_MAX: usize = 60;
const NAMES_MAX: usize = 5;

/// The keys of each fact, without `_` and `-` and in lower case, the most trusted first.
const TITLES: [&str; 6] = [
    "title",
    "headline",
    "articletitle",
    "newstitle",
    "subject",
    "posttitle",
];
const PUBLISHED: [&str; 19] = [
    "publishtime",
    "publishdate",
    "publishedat",
    "published",
    "datepublished",
    "publicationdate",
    "firstpublished",
    "firstpublishedat",
    "pubtime",
    "pubdate",
    "releasetime",
    "displaytime",
    "posttime",
    "date",
    "createtime",
    "createdtime",
    "createdat",
    "created",
    "ctime",
];
const MODIFIED: [&str; 7] = [
    "updatetime",
    "updatedtime",
    "updatedat",
    "updated",
    "datemodified",
    "modified",
    "lastmodified",
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
    /// The facts of a text on a page of this title. Sections of an article may have titles of their own: the object
    /// whose title the page repeats is the article, else the first that has one; without any only the text's own.
    pub(super) fn around(holder: &Holder<'_>, page_title: &str) -> Facts {
        let around = std::iter::successors(Some(holder), |holder| holder.above.as_deref());
        let mut levels: Vec<Facts> = around
            .take(LEVELS)
            .map(|holder| Facts::of(holder.fields.iter().map(|(key, value)| (&**key, value))))
            .collect();
        let is_repeated = |facts: &Facts| {
            let title = facts.title.as_deref();
            title.is_some_and(|title| page_title.contains(title))
        };
        let article = levels.iter().position(is_repeated);
        let article = article.or_else(|| levels.iter().position(|facts| facts.title.is_some()));
        levels.truncate(article.unwrap_or(0) + 1);
        let mut found = levels.pop().unwrap_or_default();
        for part in levels.into_iter().rev() {
            found.author = found.author.or(part.author);
            found.published = found.published.or(part.published);
            found.modified = found.modified.or(part.modified);
        }
        found
    }

    /// The facts in the fields of one object.
    pub(super) fn of<'v>(fields: impl Iterator<Item = (&'v str, &'v Value)>) -> Facts {
        let fields: Vec<(String, &Value)> =
            fields.map(|(key, value)| (plain(key), value)).collect();
        Facts {
            title: first(&fields, &TITLES, title),
            author: first(&fields, &AUTHORS, author),
            published: first(&fields, &PUBLISHED, date),
            modified: first(&fields, &MODIFIED, date),
        }
    }

    /// Whether an article is told by them: one has a title, and a writer or a day.
    pub(crate) fn are_of_an_article(&self) -> bool {
        self.title.is_some() && (self.author.is_some() || self.published.is_some())
    }
}

fn plain(key: &str) -> String {
    let letters = key.chars().filter(|char| !matches!(char, '_' | '-'));
    letters.take(40).flat_map(char::to_lowercase).collect()
}

/// The first value by the order of keys that says something.
fn first<T>(
    fields: &[(String, &Value)],
    keys: &[&str],
    read: impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    let values = |key: &&str| {
        let key = *key;
        let mut fields = fields.iter().filter(move |field| field.0 == key);
        fields.find_map(|(_, value)| read(value))
    };
    keys.iter().find_map(values)
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
            let fields = fields.iter().map(|(key, value)| (plain(key), value));
            let fields: Vec<(String, &Value)> = fields.collect();
            first(&fields, &NAMES, |name| line(name, NAME_CHARS_MAX))
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
        Value::String(text) => dates::machine(text).or_else(|| dates::written(text, false)),
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
        let mut walk = Walk::new(&root, 100);
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
    fn what_is_around_a_text_without_a_title_is_not_its_own() {
        let json = r#"{"date":"2021-06-15","a":{"updated_at":"2021-06-16","body":"text"}}"#;
        let found = facts(json, "The lock");
        assert_eq!(found, [None, None, None, Some("2021-06-16".to_owned())]);
        let json =
            r#"{"author":"https://a.example/ann","title":"<b>x</b>","published":7,"t":"text"}"#;
        assert_eq!(facts(json, ""), [None, None, None, None]);
    }
}
