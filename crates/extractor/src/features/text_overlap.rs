//! Features of what a run's text shares with other texts: the title, the first heading, the
//! article body and description of the structured data, and the other runs.

use super::table::Row;
use crate::flat_dom::{FlatDom, NO_ELEMENT};
use crate::shingles::ShingleSet;
use crate::structured::Structured;
use crate::survey::Survey;

/// Texts of `articleBody` that are compared.
const BODIES_MAX: usize = 100;

/// The shingles that each run's text is compared with.
pub(super) struct TextOverlap {
    title: ShingleSet,
    h1: ShingleSet,
    bodies: ShingleSet,
    descriptions: ShingleSet,
    /// For each run, the share of its shingles in any other run, and in an earlier one.
    duplicate_shares: Vec<(f32, f32)>,
}

impl TextOverlap {
    pub(super) fn of(flat: &FlatDom<'_>, survey: &Survey, structured: &Structured) -> TextOverlap {
        let bodies = structured.bodies.iter().take(BODIES_MAX);
        let metas = flat.metas.iter().filter(|(name, _)| {
            matches!(
                *name,
                "description" | "og:description" | "twitter:description"
            )
        });
        let metas = metas.map(|(_, content)| *content);
        let described = structured.descriptions.iter().map(String::as_str);
        let h1 = first_heading_run(flat, survey).and_then(|run| survey.texts.get(run));
        TextOverlap {
            title: shingles_of([flat.title.as_str()]),
            h1: shingles_of(h1.map(String::as_str)),
            bodies: shingles_of(bodies.map(String::as_str)),
            descriptions: shingles_of(described.chain(metas)),
            duplicate_shares: survey.shingles.duplicate_shares(),
        }
    }

    pub(super) fn put(&self, row: &mut Row<'_>, survey: &Survey, index: usize) {
        let text = survey.shingles.at(index);
        let (any, earlier) = self.duplicate_shares[index];
        row.put("echo", any);
        row.put("echo_before", earlier);
        row.put("title_share", self.title.share(text));
        row.put("h1_share", self.h1.share(text));
        // A page without structured text differs from one whose text the run is not in.
        let in_bodies = match self.bodies.is_empty() {
            true => -1.0,
            false => self.bodies.share(text),
        };
        row.put("body_share", in_bodies);
        row.put("description_share", self.descriptions.share(text));
    }
}

/// The first run of the first `<h1>`.
pub(super) fn first_heading_run(flat: &FlatDom<'_>, survey: &Survey) -> Option<usize> {
    match survey.semantic.h1 {
        NO_ELEMENT => None,
        h1 => Some(flat.elements[h1 as usize].first_run as usize),
    }
}

fn shingles_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> ShingleSet {
    let mut shingles = ShingleSet::default();
    for text in texts {
        shingles.add(text);
    }
    shingles
}
