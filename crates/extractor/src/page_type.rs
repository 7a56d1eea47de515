//! The kind of page: article, forum, product, collection, listing, documentation, service or front
//! page, guessed from several kinds of evidence.
//!
//! Each piece of evidence adds points to one or more types. What the publisher declares weighs most,
//! then what the page looks like, then its URL. The type with the most points wins if it has at
//! least two; otherwise the type is [`PageType::Other`].

mod evidence;
mod points;

use outcome::PageType;
use url::Url;

use crate::flat_dom::FlatDom;
use crate::structured::Structured;
use crate::survey::Survey;

use evidence::Evidence;

/// Points below which a page is [`PageType::Other`].
const POINTS_MIN: f32 = 2.0;

/// Guesses the type of a page; `main` tells which runs are its content.
pub(crate) fn guess(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    main: &[bool],
    url: &Url,
) -> PageType {
    let evidence = Evidence::gather(flat, survey, structured, main, url);
    let mut best = (POINTS_MIN, PageType::Other);
    for (page_type, points) in points::of_each_type(&evidence) {
        if points > best.0 {
            best = (points, page_type);
        }
    }
    best.1
}
