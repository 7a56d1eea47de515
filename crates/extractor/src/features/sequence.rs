//! Features of order: the runs before and after, lines passed on the way, landmarks.

use super::{PageFacts, Row, log, own_tag};
use crate::features::Survey;
use crate::flat_dom::FlatDom;
use crate::line_markers::{Marker, Markers};
use crate::prefix_sums::share;

/// The runs before and after.
pub(super) fn neighbours(row: &mut Row<'_>, flat: &FlatDom<'_>, survey: &Survey, index: usize) {
    let near = |offset: isize| -> Option<usize> {
        index
            .checked_add_signed(offset)
            .filter(|&near| near < flat.runs.len())
    };
    for (offset, weight, links, sign, tag) in [
        (-2, "p2_weight", "p2_links", "p2_signs", "p2_tag"),
        (-1, "p1_weight", "p1_links", "p1_signs", "p1_tag"),
        (1, "n1_weight", "n1_links", "n1_signs", "n1_tag"),
        (2, "n2_weight", "n2_links", "n2_signs", "n2_tag"),
    ] {
        match near(offset) {
            Some(near) => {
                let run = &flat.runs[near];
                row.put(weight, log(run.counts.weight));
                row.put(links, share(run.link_weight, run.counts.weight, 0.0));
                row.flag(sign, survey.markers[near].0 != 0);
                row.put(tag, own_tag(flat.elements[run.owner as usize].tag));
            }
            None => {
                row.put(weight, -1.0);
                row.put(links, -1.0);
                row.put(sign, -1.0);
                row.put(tag, -1.0);
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

/// How long ago certain lines were: after "Related articles" come related articles.
#[derive(Default)]
pub(super) struct Since {
    last: [Option<usize>; 6],
    heading: Option<usize>,
    /// First-level headings so far, and headings that are links.
    tops: u32,
    linked: u32,
}

impl Since {
    pub(super) fn put(
        &mut self,
        row: &mut Row<'_>,
        flat: &FlatDom<'_>,
        survey: &Survey,
        index: usize,
    ) {
        const WATCHED: [(Marker, &str); 6] = [
            (Marker::Related, "since_related"),
            (Marker::Comment, "since_comment"),
            (Marker::Share, "since_share"),
            (Marker::Credit, "since_credit"),
            (Marker::Wall, "since_wall"),
            (Marker::Copyright, "since_copyright"),
        ];
        let far = |last: Option<usize>| match last {
            Some(last) => log((index - last) as u32),
            None => 10.0,
        };
        for (slot, (_, name)) in WATCHED.iter().enumerate() {
            row.put(name, far(self.last[slot]));
        }
        row.put("since_heading", far(self.heading));
        let heading_signs = self.heading.map_or(Markers(0), |at| survey.markers[at]);
        row.flag("under_related", heading_signs.has(Marker::Related));
        row.flag("under_comment", heading_signs.has(Marker::Comment));
        row.flag(
            "under_furniture",
            heading_signs.has(Marker::Share)
                || heading_signs.has(Marker::Wall)
                || heading_signs.has(Marker::More),
        );
        let level = self.heading.and_then(|at| {
            flat.elements[flat.runs[at].owner as usize]
                .tag
                .heading_level()
        });
        row.put("under_level", level.map_or(0.0, f32::from));
        let linked = |at: usize| flat.runs[at].link_weight * 5 > flat.runs[at].counts.weight * 4;
        row.flag("under_linked", self.heading.is_some_and(linked));
        row.put("tops_before", log(self.tops));
        row.put("linked_before", log(self.linked));
        let run = &flat.runs[index];
        let markers = survey.markers[index];
        if run.counts.weight <= 80 {
            for (slot, (sign, _)) in WATCHED.iter().enumerate() {
                if markers.has(*sign) {
                    self.last[slot] = Some(index);
                }
            }
        }
        if flat.elements[run.owner as usize]
            .tag
            .heading_level()
            .is_some()
        {
            self.heading = Some(index);
        }
    }
}

/// Where on the page the run stands.
#[expect(
    clippy::too_many_arguments,
    reason = "landmarks of the page, found once"
)]
pub(super) fn position(
    row: &mut Row<'_>,
    flat: &FlatDom<'_>,
    survey: &Survey,
    facts: &PageFacts,
    index: usize,
    first_prose: Option<usize>,
    last_prose: Option<usize>,
    h1: Option<usize>,
) {
    let before = survey.sums.range(0, index);
    let after = survey.sums.range(index + 1, usize::MAX);
    row.put("at", index as f32 / flat.runs.len() as f32);
    row.put("at_weight", share(before.weight, facts.page.weight, 0.0));
    row.put("prose_before", share(before.prose, facts.page.prose, 0.0));
    row.put("prose_after", share(after.prose, facts.page.prose, 0.0));
    let signed = |other: Option<usize>| match other {
        Some(other) => {
            let distance = index as f32 - other as f32;
            distance.signum() * (1.0 + distance.abs()).ln()
        }
        None => 20.0,
    };
    row.put("from_first_prose", signed(first_prose));
    row.put("from_last_prose", signed(last_prose));
    row.put("from_h1", signed(h1));
}
