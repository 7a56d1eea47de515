//! Times that a page tells from now: "3 years ago", with the day in the `title` that a pointer shows.
//!
//! Trackers, wikis and forums write so: `Opened <a title="See timeline at Jan 5, 2024">3 years ago</a>`.

use crate::dates::{self, Usage};
use crate::flat_dom::FlatDom;
use crate::line_markers::{Marker, Markers};

/// The most weight of a line with such a time.
const WEIGHT_MAX: u32 = 120;

/// A line with the day in the place of the first relative time that has one.
pub(super) fn with_day(flat: &FlatDom<'_>, run: usize, text: &str, usage: Usage) -> Option<String> {
    let line = flat.runs.get(run)?;
    if line.counts.weight > WEIGHT_MAX || dates::written(text, usage).is_some() {
        return None;
    }
    let pieces = &flat.pieces[line.pieces.start as usize..line.pieces.end as usize];
    let mut lower = String::new();
    pieces.iter().find_map(|piece| {
        let relative = crate::whitespace::collapsed(piece.text);
        let relative = relative.trim();
        if !Markers::of(relative, &mut lower).has(Marker::Date) {
            return None;
        }
        let title = flat.elements[piece.element as usize]
            .element
            .attr("title")?;
        let day = dates::written(title, usage)?;
        Some(text.replacen(relative, &day, 1))
    })
}

#[cfg(test)]
mod tests {
    use crate::{PageContext, extract};

    #[track_caller]
    fn check(line: &str, published: Option<&str>) {
        let text = "<p>The river rose again on Thursday night, and took the old stone bridge with it, which had \
            stood there for two hundred years.</p>";
        let page = format!(
            "<html lang=en><title>The lock</title><body><article><h1>The lock</h1>{line}{text}{text}"
        );
        let url = url::Url::parse("https://canal.example/lock").unwrap();
        let found = extract(&page, &PageContext::new(&url)).published;
        assert_eq!(found.as_deref(), published, "{line}");
    }

    #[test]
    fn the_day_of_a_relative_time_is_in_its_title() {
        let time = |title: &str| format!("<a href=/t title='{title}'>3 years ago</a>");
        let day = "See timeline at Feb 14, 2024, 3:22:11 PM";
        check(&format!("<p>Opened {}</p>", time(day)), Some("2024-02-14"));
        check(
            &format!("<p>{}</p>", time("2024-02-14 15:22")),
            Some("2024-02-14"),
        );
        check(&format!("<p>Opened {}</p>", time("See timeline")), None);
        check(&format!("<p>Last updated {}</p>", time(day)), None);
        // The title of a link is that of the page it leads to.
        check(
            &format!("<p>See <a href=/r title='{day}'>the report</a></p>"),
            None,
        );
    }
}
