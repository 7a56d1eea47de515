//! Which page of a cluster is the source of its text? A guess, with its reason.
//!
//! The witnesses are heard in the order of how much they know. A page that others of the cluster
//! name as canonical, or as their source, is named by those who copied. A date of publication
//! is the page's own word. Links within the crawl say whom others read. A host that stands in many
//! clusters as the copy is a collector. Where none of them tells the pages apart, it is the page
//! that was seen first.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// What is known of a page of a cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    /// Its URL.
    pub url: String,
    /// The URL that it names as canonical.
    pub canonical: Option<String>,
    /// The URL that it names as the source of its text.
    pub source: Option<String>,
    /// Published date, ISO 8601.
    pub published: Option<String>,
    /// Links to it from pages of the crawl outside the cluster.
    pub links_in: u32,
    /// Duplicates among its host's pages.
    pub host_copies: u32,
}

/// A guess.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Original {
    /// The page's URL.
    pub url: String,
    /// Why it is thought so.
    pub because: String,
}

/// Guesses among pages in the order in which they were seen; none of no pages.
pub fn original(pages: &[Candidate]) -> Option<Original> {
    let first = pages.first()?;
    let found = named(pages, |page| page.canonical.as_deref())
        .map(|(url, count)| (url, format!("named as canonical by {}", others(count))))
        .or_else(|| {
            named(pages, |page| page.source.as_deref())
                .map(|(url, count)| (url, format!("named as the source by {}", others(count))))
        })
        .or_else(|| earliest(pages))
        .or_else(|| most_linked(pages))
        .or_else(|| fewest_copies(pages));
    let (url, because) = found.unwrap_or((&first.url, "seen first".to_owned()));
    Some(Original {
        url: url.to_owned(),
        because,
    })
}

fn others(count: u32) -> String {
    match count {
        1 => "another page".to_owned(),
        _ => format!("{count} other pages"),
    }
}

/// The page that most others name; none where two are named equally often.
fn named(pages: &[Candidate], name: impl Fn(&Candidate) -> Option<&str>) -> Option<(&str, u32)> {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for page in pages {
        if let Some(named) = name(page).filter(|named| *named != page.url) {
            *counts.entry(named).or_default() += 1;
        }
    }
    let of = |page: &Candidate| counts.get(page.url.as_str()).copied().unwrap_or(0);
    let page = single_most(pages, of)?;
    Some((&page.url, of(page)))
}

/// The page that was published first by its own word. On one day it is the one seen first.
fn earliest(pages: &[Candidate]) -> Option<(&str, String)> {
    let dated = || {
        let dated = pages.iter();
        dated.filter_map(|page| Some((page.published.as_deref()?, page)))
    };
    let (date, page) = dated().reduce(|a, b| {
        // Dates compare as text by the length that both have.
        let common = a.0.len().min(b.0.len());
        if b.0.as_bytes()[..common] < a.0.as_bytes()[..common] {
            b
        } else {
            a
        }
    })?;
    let because = match dated().nth(1) {
        Some(_) => format!("published first, {date}"),
        None => format!("the only one with a date, {date}"),
    };
    Some((&page.url, because))
}

/// The page with at least twice the links of the next.
fn most_linked(pages: &[Candidate]) -> Option<(&str, String)> {
    let page = single_most(pages, |page| page.links_in)?;
    let next = pages.iter().filter(|other| other.url != page.url);
    let next = next.map(|other| other.links_in).max().unwrap_or(0);
    (page.links_in >= 2 * next.max(1)).then(|| {
        (
            page.url.as_str(),
            format!("linked from {} pages", page.links_in),
        )
    })
}

/// The page whose host has the fewest copies.
fn fewest_copies(pages: &[Candidate]) -> Option<(&str, String)> {
    let page = single_most(pages, |page| u32::MAX - page.host_copies)?;
    let reason = match page.host_copies {
        0 => "its host copies no other page".to_owned(),
        count => format!("its host has the fewest copies, {count}"),
    };
    Some((&page.url, reason))
}

/// The page with the most, above 0; none where two have as many.
fn single_most(pages: &[Candidate], of: impl Fn(&Candidate) -> u32) -> Option<&Candidate> {
    let page = pages.iter().max_by_key(|page| of(page))?;
    let as_many = pages.iter().filter(|other| of(other) == of(page)).count();
    (of(page) > 0 && as_many == 1).then_some(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str) -> Candidate {
        Candidate {
            url: url.into(),
            ..Candidate::default()
        }
    }

    #[track_caller]
    fn check(pages: &[Candidate], url: &str, because: &str) {
        let found = original(pages).unwrap();
        assert_eq!((found.url.as_str(), found.because.as_str()), (url, because));
    }

    #[test]
    fn each_witness_is_heard_before_the_next() {
        let mut pages = [page("a"), page("b"), page("c")];
        check(&pages, "a", "seen first");
        (pages[0].host_copies, pages[1].host_copies) = (3, 2);
        check(&pages, "c", "its host copies no other page");
        (pages[1].links_in, pages[0].links_in) = (4, 2);
        check(&pages, "b", "linked from 4 pages");
        pages[2].published = Some("2024-05-01".into());
        check(&pages, "c", "the only one with a date, 2024-05-01");
        pages[0].published = Some("2024-05-02".into());
        check(&pages, "c", "published first, 2024-05-01");
        pages[0].source = Some("b".into());
        check(&pages, "b", "named as the source by another page");
        (pages[1].canonical, pages[2].canonical) = (Some("a".into()), Some("a".into()));
        check(&pages, "a", "named as canonical by 2 other pages");
    }

    #[test]
    fn witnesses_that_contradict_each_other_are_not_heard() {
        let mut pages = [page("a"), page("b")];
        (pages[0].source, pages[1].source) = (Some("b".into()), Some("a".into()));
        check(&pages, "a", "seen first");
        pages[0].canonical = Some("a".into());
        check(&pages, "a", "seen first");
        (pages[0].links_in, pages[1].links_in) = (3, 2);
        check(&pages, "a", "seen first");
        assert_eq!(original(&[]), None);
    }

    #[test]
    fn of_one_day_the_page_seen_first_is_the_original() {
        let mut pages = [page("a"), page("b")];
        pages[0].published = Some("2024-05-01T10:00:00Z".into());
        pages[1].published = Some("2024-05-01".into());
        check(&pages, "a", "published first, 2024-05-01T10:00:00Z");
        pages[1].published = Some("2024-04-30".into());
        check(&pages, "b", "published first, 2024-04-30");
    }
}
