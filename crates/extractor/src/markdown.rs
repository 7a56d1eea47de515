//! Markdown to a [`Page`].
//!
//! Markdown is rendered as a browser's extension would (CommonMark with GitHub's tables, tasks and footnotes), and what
//! comes out is read like any page, so that its blocks and links are those of one. But nobody
//! writes a menu or a footer into it: all of it is content.

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::extract::extract_whole;
use crate::front_matter::FrontMatter;
use crate::metadata::short;
use crate::page::{Page, PageContext};
use crate::plain_text::title_of_text;

/// Reads a text in Markdown.
///
/// Title, author and dates are those of its front matter: YAML between lines of `---`, TOML between lines of `+++`, Pandoc's lines
/// behind `%`, or lines of `Title: …` up to the first empty one. Else the title is its first heading, or its first line.
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
    let (front_matter, text) = FrontMatter::of(text);
    let text = &*shallow(text);
    let mut titles = Titles {
        front_matter: front_matter.title,
        ..Titles::default()
    };
    let events = Parser::new_ext(text, options).inspect(|event| titles.look(event));
    let mut html = String::with_capacity(text.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events);
    let mut page = extract_whole(&html, context);
    page.title = titles.best().or_else(|| title_of_text(&page.text));
    page.author = front_matter.author.or(page.author);
    page.published = front_matter.published.or(page.published);
    page.modified = front_matter.modified.or(page.modified);
    page
}

/// Quotes and lists within each other at most. Each line that follows costs the parser a look at all that are open.
const DEPTH_MAX: usize = 32;
/// Columns of blanks at the beginning of a line at most, by which lists may stand within each other, too.
const INDENT_MAX: usize = 4 * DEPTH_MAX;

/// A text without the quotes and lists that stand deeper in others than [`DEPTH_MAX`]: their signs are text.
fn shallow(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut begin, mut copied) = (0, 0);
    for line in text.split_inclusive('\n') {
        let at = begin;
        begin += line.len();
        let Some((keep, skip)) = too_deep(line) else {
            continue;
        };
        out.push_str(&text[copied..at + keep]);
        if skip == 0 {
            out.push('\\');
        }
        copied = at + keep + skip;
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(out + &text[copied..]),
    }
}

/// Where a line goes deeper than [`DEPTH_MAX`], and how many bytes of blanks are too many there; none at a sign.
fn too_deep(line: &str) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let (mut at, mut depth, mut blanks) = (0, 0, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_apart = |len: usize| rest.get(len).is_none_or(u8::is_ascii_whitespace);
        let sign = match rest[0] {
            b' ' | b'\t' => {
                blanks += if rest[0] == b'\t' { 4 } else { 1 };
                if blanks > INDENT_MAX {
                    let more = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
                    return Some((at, more.count()));
                }
                at += 1;
                continue;
            }
            b'>' => 1,
            b'-' | b'+' | b'*' if is_apart(1) => 1,
            _ if (1..=9).contains(&digits)
                && matches!(rest.get(digits), Some(b'.' | b')'))
                && is_apart(digits + 1) =>
            {
                digits + 1
            }
            _ => return None,
        };
        depth += 1;
        if depth > DEPTH_MAX {
            // A rule is written of signs between blanks, too.
            let is_rule =
                |byte: &u8| *byte == rest[0] && *byte != b'>' || byte.is_ascii_whitespace();
            return (!rest.iter().all(is_rule)).then_some((at + sign - 1, 0));
        }
        at += sign;
    }
    None
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
    fn signs_of_quotes_and_lists_are_text_beyond_a_depth() {
        for text in [
            "> > > mail\n> > > of old\nlazy\n",
            "- a\n  - b\n    1. c\n",
            "> > ~~~\n> > code\n> > ~~~\n",
            &"- ".repeat(100),
            &format!("{}\n", "* ".repeat(60)),
            &format!("{}x > y - z", "> ".repeat(DEPTH_MAX)),
        ] {
            assert!(matches!(shallow(text), Cow::Borrowed(_)), "{text:?}");
        }
        let deep =
            |sign: &str| shallow(&format!("{}x\ny\n", sign.repeat(DEPTH_MAX + 2))).into_owned();
        let kept = |sign: &str| sign.repeat(DEPTH_MAX);
        assert_eq!(deep("> "), format!("{}\\> > x\ny\n", kept("> ")));
        assert_eq!(deep("- "), format!("{}\\- - x\ny\n", kept("- ")));
        assert_eq!(deep("12. "), format!("{}12\\. 12. x\ny\n", kept("12. ")));
        let far = format!("{}far\n", " ".repeat(INDENT_MAX + 9));
        assert_eq!(shallow(&far), format!("{}far\n", " ".repeat(INDENT_MAX)));
        let page = page(&format!("{}\n{}", "> ".repeat(20_000), "eels\n".repeat(99)));
        assert_eq!(page.text.matches("eels").count(), 99);
    }

    /// The most quotes and items that are open at once in a text as it is parsed. Each line costs the parser a look at
    /// all of them.
    fn open_at_once(text: &str) -> usize {
        let (mut open, mut most) = (0, 0);
        for event in Parser::new_ext(&shallow(text), Options::empty()) {
            match event {
                Event::Start(Tag::BlockQuote(_) | Tag::Item) => open += 1,
                Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => open -= 1,
                _ => {}
            }
            most = most.max(open);
        }
        most
    }

    /// By their signs, and by blanks before them, two for each at least.
    const OPEN_MAX: usize = DEPTH_MAX + INDENT_MAX / 2;

    #[test]
    fn no_text_opens_more_quotes_and_lists_than_its_depth_allows() {
        let indented = |at: usize| format!("{}- eel\n", "  ".repeat(at));
        let quoted = |at: usize| format!("{}eel\n", "> - ".repeat(at));
        let stairs: String = (0..1_000).map(indented).collect();
        let quotes: String = (0..1_000).map(quoted).collect();
        for text in [
            &"> ".repeat(20_000),
            &"> - 1. ".repeat(20_000),
            &stairs,
            &quotes,
            &format!("{stairs}{quotes}"),
        ] {
            let open = open_at_once(text);
            assert!((DEPTH_MAX - 1..=OPEN_MAX).contains(&open), "{open}");
        }
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

        #[test]
        fn any_marks_of_blocks_open_no_more(text in "([->*1.) \t]{1,90}a?\n){0,9}") {
            proptest::prop_assert!(open_at_once(&text) <= OPEN_MAX);
        }
    }
}
