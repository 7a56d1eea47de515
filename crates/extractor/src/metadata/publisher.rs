//! Declared authors that are the publisher.
//!
//! Newspapers declare themselves as the author of all they print (`<meta name=author content="The Harbour Times">`)
//! and name the writer in the by-line. Often neither the site's name nor its host tells: "harbourtimes.example" is the
//! one, "ht.example" the other. The page does, where it says who holds the copyright, where JSON-LD has a
//! publisher, and where the by-line says for whom somebody writes: "By Ann Lane, The Harbour Times".

use crate::classifier::Classified;
use crate::line_markers::Marker;
use crate::survey::Survey;

use super::title::letters;

/// The writer whom a page names beside a declared author that is its publisher.
pub(super) fn gives_way(
    page: &Classified<'_, '_>,
    declared: &str,
    writer: impl FnOnce() -> Option<String>,
) -> Option<String> {
    let name = letters(declared);
    let publisher = page.structured.site_name.as_deref().map(letters);
    let is_publisher = publisher.is_some_and(|publisher| publisher == name);
    let is_holder = || holds_copyright(page.survey, &name);
    let writer = writer().filter(|writer| is_of_person(writer))?;
    let is_affiliation = writer
        .strip_suffix(declared)
        .is_some_and(|head| head.ends_with(", "));
    (is_affiliation || is_publisher || is_holder()).then_some(writer)
}

/// Whether a text is somebody's name: words in capitals, two or more.
fn is_of_person(name: &str) -> bool {
    let first = name.split(',').next().unwrap_or("");
    let words = || first.split(' ').filter(|word| !word.is_empty());
    words().count() >= 2 && words().all(|word| !word.starts_with(char::is_lowercase))
}

/// Whether a line says that the copyright is of that name, before or behind the sign, with the year between.
fn holds_copyright(survey: &Survey, name: &str) -> bool {
    const LINE_BYTES_MAX: usize = 400;
    let mut lines = survey.texts.iter().zip(&survey.markers);
    lines.any(|(line, markers)| {
        let is_copyright = markers.has(Marker::Copyright) && line.len() <= LINE_BYTES_MAX;
        is_copyright && holder_is(line, name)
    })
}

fn holder_is(line: &str, name: &str) -> bool {
    let lower = line.to_lowercase();
    let signs = ["©", "(c)", "copyright"];
    let mut found = signs.iter().flat_map(|sign| lower.match_indices(sign));
    found.any(|(at, sign)| {
        let behind = lower[at + sign.len()..].trim_start_matches(|c: char| !c.is_alphabetic());
        let behind = behind.strip_prefix("by ").unwrap_or(behind);
        let behind = letters(behind);
        let behind = behind
            .strip_prefix("the")
            .filter(|_| !name.starts_with("the"))
            .unwrap_or(&behind);
        behind.starts_with(name) || letters(&lower[..at]).ends_with(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_who_holds_the_copyright() {
        for line in [
            "Copyright © 2013, The Harbour Times. All rights reserved.",
            "(c) Harbour Times, 2013",
            "Harbour Times © 2013",
            "© 1999-2013 by Harbour Times",
        ] {
            assert!(holder_is(line, "harbourtimes"), "{line}");
        }
        for line in [
            "© 2013 Ann Lane for Harbour Times",
            "Copyright 2013",
            "Harbour Times",
        ] {
            assert!(!holder_is(line, "harbourtimes"), "{line}");
        }
    }

    #[track_caller]
    fn check(head: &str, byline: &str, end: &str, author: &str) {
        let text =
            "<p>The river rose again on Thursday night, and took the old stone bridge with it.</p>";
        let html = format!(
            "<title>The eel fisher</title><meta name=author content='Harbour Times'>{head}<main>\
             <h1>The eel fisher</h1>{byline}{}</main>{end}",
            text.repeat(4)
        );
        let url = url::Url::parse("https://ht.example/eel").unwrap();
        let page = crate::extract(&html, &crate::PageContext::new(&url));
        assert_eq!(page.author.as_deref(), Some(author), "{head}{byline}{end}");
    }

    #[test]
    fn a_publisher_gives_way_to_the_writer() {
        let byline = "<p>By Ann Lane</p>";
        let end = "<footer><p>Copyright 2013, Harbour Times</p></footer>";
        let publisher = "<script type='application/ld+json'>{\"@type\": \"NewsArticle\", \"publisher\": \
             {\"@type\": \"Organization\", \"name\": \"Harbour Times\"}}</script>";
        check("", byline, "", "Harbour Times");
        check("", byline, end, "Ann Lane");
        check(publisher, byline, "", "Ann Lane");
        check(
            "",
            "<p>By Ann Lane, Harbour Times</p>",
            "",
            "Ann Lane, Harbour Times",
        );
        check("", "", end, "Harbour Times");
    }
}
