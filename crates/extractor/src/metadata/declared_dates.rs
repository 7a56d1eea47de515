//! The dates that a page declares in `<meta>`.
//!
//! Many names are in use, and one page may have several of them. The name that is trusted most counts. But programs declare
//! when they built a page as a publication as well, with the day on which its text was published under another name.

use crate::dates;
use crate::dates::names::{self, Place};
use crate::flat_dom::FlatDom;

/// When the page was published, read by `read`: of several publications that are told the earliest, if that is another day
/// in all time zones.
pub(super) fn published(
    flat: &FlatDom<'_>,
    read: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let mut dates = ranked(flat, names::published, read);
    let (rank, first) = dates.next()?;
    // The first of January is what many programs say where they know none.
    let is_earlier = |date: &String| {
        !date.contains("-01-01") && dates::days_from(&first, date).is_some_and(|days| days < -1)
    };
    let others =
        dates.take_while(|(other, _)| names::says_published(rank) && names::says_published(*other));
    let earlier = others.map(|(_, date)| date).filter(is_earlier);
    // Both forms begin with the day.
    Some(earlier.min().unwrap_or(first))
}

/// When the page was changed last.
pub(super) fn modified(flat: &FlatDom<'_>) -> Option<String> {
    let mut dates = ranked(flat, names::modified, dates::machine);
    dates.next().map(|(_, date)| date)
}

/// The dates under some names, with how far each name is trusted; the most trusted first.
fn ranked(
    flat: &FlatDom<'_>,
    rank: fn(&str, Place) -> Option<usize>,
    read: impl Fn(&str) -> Option<String>,
) -> impl Iterator<Item = (usize, String)> {
    let metas = flat.metas.iter();
    let ranked = metas.filter_map(|(name, content)| Some((rank(name, Place::Meta)?, *content)));
    let mut ranked: Vec<(usize, &str)> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut ranked = ranked.into_iter();
    std::iter::from_fn(move || {
        ranked.find_map(|(rank, content)| Some((rank, read(content.trim())?)))
    })
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(metas: &[(&str, &str)], published: &str) {
        let head = metas
            .iter()
            .map(|(name, content)| format!("<meta name={name} content={content}>"));
        let html = format!(
            "{}<h1>The lock</h1><p>The river rose again.",
            head.collect::<String>()
        );
        let url = url::Url::parse("https://canal.example/lock").unwrap();
        let page = crate::extract(&html, &crate::PageContext::new(&url));
        assert_eq!(page.published.as_deref(), Some(published), "{metas:?}");
    }

    #[test]
    fn of_several_publications_the_earliest_counts() {
        let (built, text) = ("2026-03-09T10:00:00Z", "2021-02-16");
        check(&[("published-time", built), ("published-date", text)], text);
        check(&[("published-date", text), ("published-time", built)], text);
        check(
            &[("article:published_time", built), ("pubdate", text)],
            text,
        );
        // The day before is the same one in another time zone.
        check(
            &[
                ("article:published_time", "2021-02-17T01:00:00Z"),
                ("pubdate", text),
            ],
            "2021-02-17T01:00:00Z",
        );
        // What was made or dated may be something else than the text.
        check(
            &[("published-time", built), ("date", text)],
            "2026-03-09T10:00:00Z",
        );
        check(&[("date", built), ("pubdate", text)], text);
    }
}
