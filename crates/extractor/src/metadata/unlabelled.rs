//! Writers whom no word announces: a name beside the date, "March 5, 2021 · 4 min · Ann Lane".
//!
//! Sections, towns and series have capitals as well and stand at the same place. So a name counts only with a second
//! witness: an office behind it ("Science reporter"), a label of its own ("Authors"), a class that names users, a portrait
//! with the name, or a note on the writer at the end.

use html5ever::local_name;

use crate::class_hints::Hint;
use crate::dom::Attributes;
use crate::flat_dom::FlatDom;
use crate::survey::Survey;

use super::affiliation::is_office;
use super::byline_zone::BylineZone;
use super::labelled::is_edge;
use super::name;

/// Lines between a name and a label or a picture,
const LINES_NEAR: usize = 2;
/// and between a name and a date: the title and labels may stand there.
const LINES_TO_DATE: usize = 4;

/// The name beside a date near the title that something else on the page says as well. `with_edges` reads a line with the
/// marks of its elements.
pub(super) fn find(
    flat: &FlatDom<'_>,
    survey: &Survey,
    zone: &BylineZone<'_, '_>,
    with_edges: impl Fn(usize) -> Option<String>,
) -> Option<String> {
    const LINE_CHARS_MAX: usize = 100;
    const LINES_ABOVE: usize = 4;
    let below = zone.below_title();
    let lines = below.start.saturating_sub(1 + LINES_ABOVE)..below.end;
    let is_dated = |line: usize| {
        let near = line.saturating_sub(LINES_TO_DATE)..=line + LINES_TO_DATE;
        near.into_iter().any(|run| survey.has_date(run))
    };
    let dated = lines.filter(|&line| zone.may_hold(line) && is_dated(line));
    dated.into_iter().find_map(|line| {
        let text = with_edges(line).filter(|text| text.chars().count() <= LINE_CHARS_MAX)?;
        let parts: Vec<&str> = text
            .split(|c| is_edge(c) || matches!(c, '·' | '•' | '|' | '\n'))
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        let mut names = parts.iter().enumerate();
        let (_, found) = names.find(|&(at, part)| {
            let witness = Witness {
                flat,
                survey,
                name: part,
                line,
            };
            is_full_name(part)
                && (parts.get(at + 1).is_some_and(|next| is_office(next)) || witness.is_there(zone))
        })?;
        name::clean(found)
    })
}

/// Whether a text is two to four words with capitals and nothing else.
pub(super) fn is_full_name(text: &str) -> bool {
    const NAME_BYTES_MAX: usize = 50;
    let is_word = |word: &str| {
        let mut chars = word.chars();
        let is_capital = chars.next().is_some_and(char::is_uppercase);
        is_capital
            && chars.all(|c| {
                c.is_lowercase() || matches!(c, '-' | '\'' | '’' | '.') || c.is_uppercase()
            })
            && (word.chars().any(char::is_lowercase) || word.ends_with('.'))
    };
    let words = text.split(' ');
    text.len() <= NAME_BYTES_MAX
        && (2..=4).contains(&words.clone().count())
        && words.into_iter().all(is_word)
}

/// What else on the page may say that a text is a writer's name.
struct Witness<'w, 'd> {
    flat: &'w FlatDom<'d>,
    survey: &'w Survey,
    name: &'w str,
    line: usize,
}

impl Witness<'_, '_> {
    fn is_there(&self, zone: &BylineZone<'_, '_>) -> bool {
        self.has_office()
            || self.has_label()
            || self.is_of_user()
            || self.has_portrait()
            || self.has_note(zone)
    }

    /// Whether the next line is an office.
    fn has_office(&self) -> bool {
        let next = self.survey.texts.get(self.line + 1);
        next.is_some_and(|next| is_office(next))
    }

    /// Whether a line above is a label of writers and no more.
    fn has_label(&self) -> bool {
        const LABELS: [&str; 6] = ["author", "authors", "written by", "writer", "writers", "by"];
        let above = self.line.saturating_sub(LINES_NEAR)..self.line;
        above.into_iter().any(|run| {
            let label = self.survey.texts[run].trim_end_matches(':').to_lowercase();
            LABELS.contains(&label.as_str())
        })
    }

    /// Whether the line stands in an element that is named after users.
    fn is_of_user(&self) -> bool {
        const LEVELS: usize = 3;
        let run = &self.flat.runs[self.line];
        let pieces = &self.flat.pieces[run.pieces.start as usize..run.pieces.end as usize];
        let mut own = pieces.iter().filter(|piece| piece.text.trim() == self.name);
        own.any(|piece| {
            let mut around = self.flat.ancestors(piece.element).take(LEVELS);
            around.any(|at| self.flat.elements[at as usize].hints.has(Hint::User))
        })
    }

    /// Whether a picture near the line says the name in place of itself.
    fn has_portrait(&self) -> bool {
        let near = self.line.saturating_sub(LINES_NEAR)..=self.line + LINES_NEAR;
        let pictures = self.flat.elements.iter().filter(|element| {
            near.contains(&(element.first_run as usize))
                && element.element.name.local == local_name!("img")
        });
        let mut told =
            pictures.filter_map(|picture| picture.element.attribute(&local_name!("alt")));
        told.any(|told| told.len() <= 2 * self.name.len() + 16 && told.contains(self.name))
    }

    /// Whether a line at the end of the content begins with the name, or is told to be about it.
    fn has_note(&self, zone: &BylineZone<'_, '_>) -> bool {
        let begins = |text: &str| {
            let text = text.strip_prefix("About ").unwrap_or(text);
            let rest = text.strip_prefix(self.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
        };
        let mut tail = zone.tail.clone().filter(|&run| run > zone.text);
        tail.any(|run| begins(&self.survey.texts[run]))
    }
}

#[cfg(test)]
mod tests {
    fn author(head: &str, end: &str) -> Option<String> {
        let text = "<p>The river rose again on Thursday night, and took the old stone bridge with it, which had stood \
            there for two hundred years.</p>"
            .repeat(4);
        let html = format!(
            "<html lang=en><title>The lock | Canal Post</title><main><article>{head}{text}{end}</article></main>"
        );
        let url = url::Url::parse("https://canal.example/lock").unwrap();
        crate::extract(&html, &crate::PageContext::new(&url)).author
    }

    #[test]
    fn a_name_beside_the_date_is_the_writers_where_something_else_says_so() {
        let row = "<h1>The lock</h1><p>March 5, 2021 · 4 min · Ann Lane</p>";
        let lines = "<h1>The lock</h1><div><time>March 5, 2021</time></div>";
        let own = Some("Ann Lane");
        assert_eq!(
            author(row, "<p>Ann Lane writes about canals.</p>").as_deref(),
            own
        );
        let office =
            format!("{lines}<div><span>Ann Lane</span><span>Science reporter</span></div>");
        assert_eq!(author(&office, "").as_deref(), own);
        let label = format!("{lines}<dl><dt>Authors</dt><dd>Ann Lane</dd></dl>");
        assert_eq!(author(&label, "").as_deref(), own);
        let user = "<ul><li><span class=user-name>Ann Lane</span></li><li>March 5, 2021</li></ul><h1>The lock</h1>";
        assert_eq!(author(user, "").as_deref(), own);
        let portrait = format!("{lines}<p><img alt='Photo of Ann Lane'>Ann Lane</p>");
        assert_eq!(author(&portrait, "").as_deref(), own);
    }

    #[test]
    fn two_words_with_capitals_alone_name_nobody() {
        for row in [
            "March 5, 2021 · Climate Change",
            "March 5, 2021 · 4 min · Ann Lane",
        ] {
            let head = format!("<h1>The lock</h1><p>{row}</p>");
            assert_eq!(author(&head, "<p>The end of it all.</p>"), None, "{row}");
        }
    }
}
