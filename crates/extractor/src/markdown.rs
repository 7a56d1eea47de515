//! Markdown to a [`Page`].
//!
//! Markdown is rendered as a browser's extension would (CommonMark with GitHub's tables, tasks and footnotes), and what
//! comes out is read like any page, so that its blocks and links are those of one. But nobody
//! writes a menu or a footer into it: all of it is content.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::extract::extract_whole;
use crate::metadata::short;
use crate::page::{Page, PageContext};
use crate::title_of_text;

/// Reads a text in Markdown.
///
/// The title is that of its front matter (`title:` between `---`), else its first heading, else its
/// first line.
///
/// ```
/// use extractor::{PageContext, extract_markdown};
/// let url = url::Url::parse("https://example.org/a.md").unwrap();
/// let page = extract_markdown("# On *eels*\n\n- [more](b.md)\n", &PageContext::new(&url));
/// assert_eq!(page.title.as_deref(), Some("On eels"));
/// assert_eq!(page.links[0].url.as_str(), "https://example.org/b.md");
/// ```
pub fn extract_markdown(text: &str, context: &PageContext<'_>) -> Page {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    // The parser's own metadata blocks may stand anywhere, as sections between two rules do.
    let (front_matter, text) = front_matter(text);
    let mut titles = Titles {
        front_matter: front_matter.and_then(title_in),
        ..Titles::default()
    };
    let events = Parser::new_ext(text, options).inspect(|event| titles.look(event));
    let mut html = String::with_capacity(text.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events);
    let mut page = extract_whole(&html, context);
    page.title = titles.best().or_else(|| title_of_text(&page.text));
    page
}

/// What stands between two lines of `---` at the very beginning of a text, and what follows.
fn front_matter(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.trim_start_matches('\u{feff}').strip_prefix("---") else {
        return (None, text);
    };
    let mut end = match rest.find('\n') {
        Some(end) if rest[..end].trim().is_empty() => end + 1,
        _ => return (None, text),
    };
    let begin = end;
    for line in rest[begin..].split_inclusive('\n') {
        let is_end = matches!(line.trim_end(), "---" | "...");
        if is_end {
            return (Some(&rest[begin..end]), &rest[end + line.len()..]);
        }
        end += line.len();
    }
    (None, text)
}

fn title_in(front_matter: &str) -> Option<String> {
    let title = front_matter
        .lines()
        .find_map(|line| line.strip_prefix("title:"))?;
    Some(title.trim().trim_matches(['"', '\'']).to_owned())
}

/// What a text may be called by.
#[derive(Default)]
struct Titles {
    front_matter: Option<String>,
    heading: String,
    place: Place,
    /// Pictures around the next event: what they show is no title.
    pictures: usize,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Place {
    #[default]
    Before,
    Heading,
    After,
}

impl Titles {
    fn look(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Image { .. }) => self.pictures += 1,
            Event::End(TagEnd::Image) => self.pictures = self.pictures.saturating_sub(1),
            _ => {}
        }
        match (event, self.place) {
            (Event::Start(Tag::Heading { .. }), Place::Before) => self.place = Place::Heading,
            (Event::Text(text) | Event::Code(text), Place::Heading) if self.pictures == 0 => {
                self.heading.push_str(text);
            }
            (Event::SoftBreak | Event::HardBreak, Place::Heading) => self.heading.push(' '),
            (Event::End(TagEnd::Heading(_)), Place::Heading) => {
                // A heading may be but a logo.
                self.place = match self.heading.trim().is_empty() {
                    true => Place::Before,
                    false => Place::After,
                };
            }
            _ => {}
        }
    }

    fn best(self) -> Option<String> {
        let titles = [self.front_matter, Some(self.heading)];
        let mut titles = titles.into_iter().flatten().map(|title| short(&title));
        titles.find(|title| !title.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Block;
    use url::Url;

    fn page(text: &str) -> Page {
        let url = Url::parse("https://a.example/notes/one.md").unwrap();
        extract_markdown(text, &PageContext::new(&url))
    }

    #[test]
    fn what_stands_between_rules_is_text_and_front_matter_stands_first() {
        let page_of =
            page("# Title\n\none\n\n---\n**Note**: two\nmore: text\n---\n\n## Second\n\nthree");
        assert_eq!(page_of.title.as_deref(), Some("Title"));
        for text in ["one", "Note", "more: text", "Second", "three"] {
            assert!(page_of.text.contains(text), "{text}: {}", page_of.text);
        }
        let headed = page("---\ndate: 2021-03-05\ntitle: 'On  eels'\n---\n# Eels\n\none");
        assert_eq!(headed.title.as_deref(), Some("On eels"));
        assert!(!headed.text.contains("2021"), "{}", headed.text);
        let open = page("---\ntitle: x\n\none");
        assert!(open.text.contains("one") && open.text.contains("title"));
        let long = page(&format!("# {}", "word ".repeat(100_000)));
        assert!(long.title.unwrap().chars().count() <= 500);
    }

    #[test]
    fn all_of_it_is_content_in_the_blocks_that_it_has() {
        let text = "Intro\n=====\n\nHome | About\n\nA short line.\n\n1. one\n2. two\n\n> quoted\n\n\
                    ```rust\nfn main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
                    <details><summary>More</summary>\n\nhidden words\n\n</details>\n\n\
                    <div hidden>unseen</div>\n\nCopyright 2020 A\n";
        let page = page(text);
        assert_eq!(
            page.text,
            "Intro\nHome | About\nA short line.\none\ntwo\nquoted\nfn main() {}\na | b\n1 | 2\nMore\n\
             hidden words\nCopyright 2020 A"
        );
        let code = |block: &Block| matches!(block, Block::Code { .. });
        assert!(page.blocks.iter().any(code), "{:?}", page.blocks);
    }

    #[test]
    fn its_title_is_of_its_front_matter_its_first_heading_or_its_first_line() {
        for (text, title) in [
            (
                "---\ntitle: \"Of eels\"\ntags: a\n---\n# Other\n",
                Some("Of eels"),
            ),
            ("---\ntitle:\n---\ntext\n\n## A `b` c\n", Some("A b c")),
            ("# ![logo](l.png)\n\n## Name\n", Some("Name")),
            (
                "\nJust a *line*.\nAnd one.\n",
                Some("Just a line. And one."),
            ),
            ("", None),
        ] {
            assert_eq!(page(text).title.as_deref(), title, "{text:?}");
        }
    }

    #[test]
    fn its_links_are_followed_and_stand_in_its_content() {
        let page = page(
            "See [two](two.md), <http://b.example/>, [ref][r] and <a href=/x>x</a>.\n\n[r]: ../up\n",
        );
        let links: Vec<&str> = page.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(
            links,
            [
                "https://a.example/notes/two.md",
                "http://b.example/",
                "https://a.example/up",
                "https://a.example/x"
            ]
        );
        assert!(page.links.iter().all(|link| link.in_main));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_page(text in "[-#>*`|\\[\\]()<a \n:0-9.]{0,80}") {
            page(&text);
        }
    }
}
