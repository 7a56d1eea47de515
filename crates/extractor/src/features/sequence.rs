//! Features of reading order: the runs before and after this one, the headings and marker lines
//! passed on the way, the distance to landmarks of the page.

use super::PageInputs;
use super::run_text::block_kind;
use super::table::{Row, log, signed_log_distance};
use crate::flat_dom::FlatDom;
use crate::line_markers::{Marker, Markers};
use crate::prefix_sums::{is_prose, share};

/// The two runs before this one and the two after it, and what the stretches there hold.
pub(super) fn put_neighbours(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    let (flat, survey) = (page.flat, page.survey);
    let at_offset = |offset: isize| -> Option<usize> {
        index
            .checked_add_signed(offset)
            .filter(|&near| near < flat.runs.len())
    };
    for (offset, weight, links, markers, tag) in [
        (-2, "p2_weight", "p2_links", "p2_signs", "p2_tag"),
        (-1, "p1_weight", "p1_links", "p1_signs", "p1_tag"),
        (1, "n1_weight", "n1_links", "n1_signs", "n1_tag"),
        (2, "n2_weight", "n2_links", "n2_signs", "n2_tag"),
    ] {
        match at_offset(offset) {
            Some(near) => {
                let run = &flat.runs[near];
                row.put(weight, log(run.counts.weight));
                row.put(links, share(run.link_weight, run.counts.weight, 0.0));
                row.flag(markers, survey.markers[near].0 != 0);
                row.put(tag, block_kind(flat.elements[run.owner as usize].tag));
            }
            None => {
                for name in [weight, links, markers, tag] {
                    row.put(name, -1.0);
                }
            }
        }
    }
    for (span, before_prose, before_links, after_prose, after_links) in [
        (4, "b4_prose", "b4_links", "a4_prose", "a4_links"),
        (12, "b12_prose", "b12_links", "a12_prose", "a12_links"),
    ] {
        let before = survey.sums.range(index.saturating_sub(span), index);
        let after = survey.sums.range(index + 1, index + 1 + span);
        row.put(before_prose, log(before.prose));
        row.put(before_links, before.link_density());
        row.put(after_prose, log(after.prose));
        row.put(after_links, after.link_density());
    }
}

/// How many runs ago certain lines were: after "Related articles" come related articles.
///
/// It is filled run by run, so the runs must be taken in order.
#[derive(Default)]
pub(super) struct PassedLines {
    /// The last line with each of the watched markers.
    last: [Option<usize>; 6],
    heading: Option<usize>,
}

/// The markers whose last line is remembered, and the feature that tells the distance to it.
const WATCHED: [(Marker, &str); 6] = [
    (Marker::Related, "since_related"),
    (Marker::Comment, "since_comment"),
    (Marker::Share, "since_share"),
    (Marker::Credit, "since_credit"),
    (Marker::Wall, "since_wall"),
    (Marker::Copyright, "since_copyright"),
];

/// A longer line is a paragraph that mentions the subject, not a heading over what follows.
const MARKER_LINE_WEIGHT_MAX: u32 = 80;

impl PassedLines {
    /// The distances seen from this run; then remembers the run itself.
    pub(super) fn put(&mut self, row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
        let (flat, survey) = (page.flat, page.survey);
        let distance = |last: Option<usize>| match last {
            Some(last) => log((index - last) as u32),
            None => 10.0,
        };
        for (slot, (_, name)) in WATCHED.iter().enumerate() {
            row.put(name, distance(self.last[slot]));
        }
        row.put("since_heading", distance(self.heading));
        let heading = self.heading.map_or(Markers(0), |at| survey.markers[at]);
        row.flag("under_related", heading.has(Marker::Related));
        row.flag("under_comment", heading.has(Marker::Comment));
        let is_boilerplate =
            heading.has(Marker::Share) || heading.has(Marker::Wall) || heading.has(Marker::More);
        row.flag("under_furniture", is_boilerplate);
        let level = self.heading.and_then(|at| heading_level(flat, at));
        row.put("under_level", level.map_or(0.0, f32::from));
        let is_link = |at: usize| flat.runs[at].link_weight * 5 > flat.runs[at].counts.weight * 4;
        row.flag("under_linked", self.heading.is_some_and(is_link));
        // Two features of the trained forests that are always zero.
        row.put("tops_before", 0.0);
        row.put("linked_before", 0.0);
        self.remember(flat, survey.markers[index], index);
    }

    fn remember(&mut self, flat: &FlatDom<'_>, markers: Markers, index: usize) {
        if flat.runs[index].counts.weight <= MARKER_LINE_WEIGHT_MAX {
            for (slot, (marker, _)) in WATCHED.iter().enumerate() {
                if markers.has(*marker) {
                    self.last[slot] = Some(index);
                }
            }
        }
        if heading_level(flat, index).is_some() {
            self.heading = Some(index);
        }
    }
}

fn heading_level(flat: &FlatDom<'_>, index: usize) -> Option<u8> {
    flat.elements[flat.runs[index].owner as usize]
        .tag
        .heading_level()
}

/// Runs that mark the beginning or the end of the content on many pages.
pub(super) struct Landmarks {
    first_prose: Option<usize>,
    last_prose: Option<usize>,
    first_heading: Option<usize>,
}

impl Landmarks {
    pub(super) fn of(flat: &FlatDom<'_>, first_heading: Option<usize>) -> Landmarks {
        Landmarks {
            first_prose: flat.runs.iter().position(is_prose),
            last_prose: flat.runs.iter().rposition(is_prose),
            first_heading,
        }
    }

    /// Where on the page the run stands.
    pub(super) fn put(&self, row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
        let (sums, total) = (&page.survey.sums, page.facts.page);
        let before = sums.range(0, index);
        let after = sums.range(index + 1, usize::MAX);
        row.put("at", index as f32 / page.flat.runs.len() as f32);
        row.put("at_weight", share(before.weight, total.weight, 0.0));
        row.put("prose_before", share(before.prose, total.prose, 0.0));
        row.put("prose_after", share(after.prose, total.prose, 0.0));
        for (name, landmark) in [
            ("from_first_prose", self.first_prose),
            ("from_last_prose", self.last_prose),
            ("from_h1", self.first_heading),
        ] {
            row.put(name, signed_log_distance(index, landmark));
        }
    }
}
