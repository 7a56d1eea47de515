//! What a text in Markdown says of itself before it begins, for the programs that make pages of it:
//!
//! - YAML between lines of `---` (Jekyll, Hexo, Hugo, Pandoc), which `...` may end;
//! - TOML between lines of `+++` (Hugo, Zola);
//! - up to three lines behind `%`: title, authors, date (Pandoc);
//! - lines of `Key: value` up to the first empty one, with a title among them (Pelican, MultiMarkdown).
//!
//! Of all this only title, authors and dates are read, which are a word and a value, or a list of values, in each.

use crate::dates;
use crate::metadata::short;

/// Authors that are told.
const AUTHORS_MAX: usize = 8;

/// What a text says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) published: Option<String>,
    pub(crate) modified: Option<String>,
}

impl FrontMatter {
    /// The front matter of a text, and the text behind it.
    pub(crate) fn of(text: &str) -> (FrontMatter, &str) {
        let text = text.trim_start_matches('\u{feff}');
        let (fields, rest) = fenced(text, "---", ':')
            .or_else(|| fenced(text, "+++", '='))
            .or_else(|| behind_percent(text))
            .or_else(|| headers(text))
            .unwrap_or((Vec::new(), text));
        (FrontMatter::said_in(&fields), rest)
    }

    fn said_in(fields: &[Field<'_>]) -> FrontMatter {
        let values = |names: &[&str]| {
            let named = |field: &&Field<'_>| names.iter().any(|name| *name == field.name);
            let field = fields.iter().find(named);
            field.map(|field| field.values.as_slice())
        };
        let date = |names: &[&str]| {
            let value = values(names)?.first()?;
            dates::machine(value).or_else(|| dates::written(value, true))
        };
        let is_name = |name: &&&str| !matches!(**name, "~" | "null") && !name.contains("://");
        let author = values(&["author", "authors"]).map(|names| {
            let names: Vec<&str> = names.iter().filter(is_name).copied().collect();
            short(&names[..names.len().min(AUTHORS_MAX)].join(", "))
        });
        let title = values(&["title"]).map(|lines| short(&lines.join(" ")));
        let is_said = |said: &String| !said.is_empty();
        FrontMatter {
            title: title.filter(is_said),
            author: author.filter(is_said),
            published: date(&["date", "published", "publishdate", "created"]),
            modified: date(&["lastmod", "updated", "modified", "last_modified_at"]),
        }
    }
}

/// A word with what stands behind it.
struct Field<'t> {
    /// In lower case.
    name: String,
    values: Vec<&'t str>,
}

impl<'t> Field<'t> {
    /// A field with what is said in its line: a value, or a list of values in brackets.
    fn of(name: &str, said: &'t str) -> Field<'t> {
        let mut field = Field {
            name: name.trim().to_ascii_lowercase(),
            values: Vec::new(),
        };
        let said = said.trim();
        // The value stands in the lines below.
        if matches!(said, ">" | ">-" | "|" | "|-" | "[") {
            return field;
        }
        let listed = said
            .strip_prefix('[')
            .and_then(|said| said.strip_suffix(']'));
        field.values = match listed.filter(|_| field.is_of_names()) {
            Some(listed) => listed
                .split(',')
                .filter_map(|one| field.item(one))
                .collect(),
            None => field.item(said).into_iter().collect(),
        };
        field
    }

    fn is_of_names(&self) -> bool {
        matches!(self.name.as_str(), "author" | "authors")
    }

    /// A value in a line of its own or in a list; of an author with fields the name.
    fn item(&self, said: &'t str) -> Option<&'t str> {
        let said = match self.is_of_names() {
            true => name_in(said)?,
            false => said.trim(),
        };
        let quoted = |quote: char| said.strip_prefix(quote)?.strip_suffix(quote);
        let said = quoted('"').or_else(|| quoted('\'')).unwrap_or(said).trim();
        (!said.is_empty()).then_some(said)
    }
}

/// The name in an item of a list of authors.
fn name_in(said: &str) -> Option<&str> {
    let said = said
        .trim_start_matches("- ")
        .trim_matches([' ', ',', '[', ']', '{', '}']);
    match said.split_once(": ") {
        Some((name, value)) if is_word(name) && !name.contains(' ') => {
            name.eq_ignore_ascii_case("name").then_some(value.trim())
        }
        _ => Some(said),
    }
}

/// What stands between two lines of `fence` at the very beginning of a text, in fields of which `sign` ends the names.
fn fenced<'t>(text: &'t str, fence: &str, sign: char) -> Option<(Vec<Field<'t>>, &'t str)> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == fence)?;
    let mut fields: Vec<Field<'t>> = Vec::new();
    // Tables of TOML speak of something else.
    let mut is_own = true;
    let mut at = first.len();
    for line in lines {
        at += line.len();
        let said = line.trim();
        if said == fence || (sign == ':' && said == "...") {
            return (!fields.is_empty()).then(|| (fields, &text[at..]));
        }
        let is_table = sign == '=' && line.starts_with('[');
        is_own &= !is_table;
        let goes_on = line.starts_with([' ', '\t', '-', ']']);
        if said.is_empty() || said.starts_with('#') || !is_own {
            continue;
        }
        if goes_on && let Some(field) = fields.last_mut() {
            field.values.extend(field.item(said));
        } else if let Some((name, value)) = said.split_once(sign)
            && is_word(name)
        {
            fields.push(Field::of(name, value));
        } else if fields.is_empty() {
            // A rule, and text below it.
            return None;
        }
    }
    None
}

/// Pandoc's lines behind `%`: what is no line of it is left empty (`%`).
fn behind_percent(text: &str) -> Option<(Vec<Field<'_>>, &str)> {
    let mut fields = Vec::new();
    let mut rest = text;
    for name in ["title", "author", "date"] {
        let Some((line, behind)) = rest
            .strip_prefix('%')
            .and_then(|rest| rest.split_once('\n'))
        else {
            break;
        };
        // `%` begins a command in some texts about TeX or Erlang, where it has no blank behind it.
        if !line.trim_end().is_empty() && !line.starts_with(' ') {
            break;
        }
        let values = line.split(';').map(str::trim);
        fields.push(Field {
            name: name.to_owned(),
            values: match name {
                "author" => values.filter(|value| !value.is_empty()).collect(),
                _ => vec![line.trim()],
            },
        });
        rest = behind;
    }
    (!fields.is_empty()).then_some((fields, rest))
}

/// Lines of `Key: value`, two at least, with a title among them, up to an empty one. They are all of those that are written
/// for programs: "Notes: …" is text.
fn headers(text: &str) -> Option<(Vec<Field<'_>>, &str)> {
    let mut fields: Vec<Field<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.trim().is_empty() {
            let is_titled = fields.iter().any(|field| field.name == "title");
            return (is_titled && fields.len() > 1).then(|| (fields, &text[at..]));
        }
        match line.split_once(':') {
            Some((name, value)) if is_known(name) => fields.push(Field {
                name: name.to_ascii_lowercase(),
                values: vec![value.trim()],
            }),
            _ if line.starts_with([' ', '\t']) => fields.last_mut()?.values.push(line.trim()),
            _ => return None,
        }
    }
    None
}

/// Whether a word is one of the headers of Pelican and MultiMarkdown.
fn is_known(name: &str) -> bool {
    const HEADERS: [&str; 22] = [
        "title",
        "subtitle",
        "author",
        "authors",
        "date",
        "modified",
        "updated",
        "published",
        "category",
        "tags",
        "tag",
        "keywords",
        "slug",
        "status",
        "lang",
        "language",
        "url",
        "save_as",
        "template",
        "image",
        "copyright",
        "css",
    ];
    HEADERS
        .iter()
        .any(|header| name.trim().eq_ignore_ascii_case(header))
}

/// Whether it may be the name of a field.
fn is_word(name: &str) -> bool {
    let name = name.trim_end();
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_-. ".contains(&byte);
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.len() <= 40
        && name.bytes().all(is_of_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, title: &str, author: &str, published: &str, rest: &str) {
        let (found, behind) = FrontMatter::of(text);
        let said = |said: Option<String>| said.unwrap_or_default();
        let found = (said(found.title), said(found.author), said(found.published));
        let expected = (title.to_owned(), author.to_owned(), published.to_owned());
        assert_eq!((found, behind), (expected, rest), "{text}");
    }

    #[test]
    fn title_author_and_date_are_read_in_each_form() {
        check(
            "---\ntitle: \"Bread: a start\"\nauthor: Ann Lane\ndate: 2021-03-05 10:00:00\ntags: [a, b]\n---\ntext\n",
            "Bread: a start",
            "Ann Lane",
            "2021-03-05T10:00:00",
            "text\n",
        );
        check(
            "---\n# made by hand\ntitle: >-\n  A title\n  in two lines\nauthors:\n  - name: Ann Lane\n    url: https://a.example\n  - Bo Li\n...\ntext",
            "A title in two lines",
            "Ann Lane, Bo Li",
            "",
            "text",
        );
        check(
            "+++\ntitle = 'Of eels'\nauthors = [\"Ann Lane\", \"Bo Li\"]\ndate = 2021-03-05T08:00:00Z\n[extra]\ntitle = 'other'\n+++\ntext",
            "Of eels",
            "Ann Lane, Bo Li",
            "2021-03-05T08:00:00Z",
            "text",
        );
        check(
            "% Of eels\n% Ann Lane; Bo Li\n% March 5, 2021\n\ntext",
            "Of eels",
            "Ann Lane, Bo Li",
            "2021-03-05",
            "\ntext",
        );
        check(
            "Title: 鳗鱼：一篇笔记\nDate: 2021-03-05\nAuthor: 王小明\n\ntext",
            "鳗鱼：一篇笔记",
            "王小明",
            "2021-03-05",
            "text",
        );
    }

    #[test]
    fn text_is_no_front_matter() {
        for text in [
            "---\n\nA rule, and a text.\n\n---\n",
            "---\ntitle: never ended\n",
            "+++ a list\n",
            "Note: this is a text.\nIt goes on.\n\nMore.\n",
            "Warning: one\nNote: two\n\nMore.\n",
            "Title: alone\n\ntext",
            "Title: Eels\nSummary: A long paragraph that is text.\n\nMore.\n",
            "%macro x\n",
            "",
        ] {
            check(text, "", "", "", text);
        }
        check(
            "---\ntitle: Rust: a tour of it\n---\n",
            "Rust: a tour of it",
            "",
            "",
            "",
        );
        check(
            "---\ntitle: >\n  Rust: a tour\n---\n",
            "Rust: a tour",
            "",
            "",
            "",
        );
        check(
            "---\ntitle: [WIP] The bridge\n---\n",
            "[WIP] The bridge",
            "",
            "",
            "",
        );
        check("---\nauthor: null\ntitle: ~\n---\n", "~", "", "", "");
    }

    proptest::proptest! {
        #[test]
        fn any_text_ends_as_it_did(text in "[-+%a:=\\[ \n\"']{0,60}") {
            let (_, rest) = FrontMatter::of(&text);
            proptest::prop_assert!(text.ends_with(rest));
        }
    }
}
