//! The harvest: how much of what was read was wanted, as the crawl went on.
//!
//! The curve has at most 400 points: when it is full, every second point goes and the
//! step doubles. So it costs the same for a thousand pages and for a hundred million.

use serde::{Deserialize, Serialize};

use crate::breadth::BreadthFirst;

/// Points of the curve at most.
const POINTS_MAX: usize = 400;

/// The first round number of pages.
const MARK_FIRST: u64 = 10;

/// Harvest over the whole crawl, and its curve.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Harvest {
    /// Pages read and judged.
    pub pages: u64,
    /// Of these, about the topic; all of them in a crawl without one.
    pub relevant: u64,
    /// Of these, about the topic and no duplicate of a page kept before.
    pub relevant_and_new: u64,
    /// Of these, kept.
    pub indexed: u64,
    /// A page is relevant from here on; absent in a crawl without a topic.
    pub threshold: Option<f64>,
    /// The same four counts as the crawl went on.
    pub curve: Vec<Point>,
    /// The same at round numbers of pages, and at the end.
    #[serde(default)]
    pub marks: Vec<Point>,
    /// What a crawl without the topic would have found; absent in a crawl without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breadth_first: Option<BreadthFirst>,
}

/// The counts after so many pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Point {
    /// Pages read and judged.
    pub pages: u64,
    /// Relevant among them.
    pub relevant: u64,
    /// Relevant and new among them.
    pub relevant_and_new: u64,
    /// Kept among them.
    pub indexed: u64,
}

/// The fold that makes a [`Harvest`].
#[derive(Debug)]
pub(crate) struct Harvester {
    now: Point,
    points: Vec<Point>,
    step: u64,
    marks: Vec<Point>,
    mark: u64,
    /// A mark of its own, beside the round ones.
    end: u64,
}

impl Default for Harvester {
    fn default() -> Harvester {
        Harvester {
            now: Point::default(),
            points: vec![Point::default()],
            step: 1,
            marks: Vec::new(),
            mark: MARK_FIRST,
            end: 0,
        }
    }
}

impl Harvester {
    /// With a mark after so many pages as well.
    pub(crate) fn ending_at(end: u64) -> Harvester {
        Harvester {
            end,
            ..Harvester::default()
        }
    }

    pub(crate) fn pages(&self) -> u64 {
        self.now.pages
    }

    /// Counts a judged page.
    pub(crate) fn add(&mut self, relevant: bool, new: bool, indexed: bool) {
        self.now.pages += 1;
        self.now.relevant += u64::from(relevant);
        self.now.relevant_and_new += u64::from(relevant && new);
        self.now.indexed += u64::from(indexed);
        if self.now.pages == self.mark || self.now.pages == self.end {
            self.marks.push(self.now);
        }
        if self.now.pages == self.mark {
            self.mark = next_mark(self.mark);
        }
        if !self.now.pages.is_multiple_of(self.step) {
            return;
        }
        self.points.push(self.now);
        if self.points.len() > POINTS_MAX {
            let mut at = 0;
            self.points.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.step *= 2;
        }
    }

    pub(crate) fn harvest(&self, threshold: Option<f64>) -> Harvest {
        let mut curve = self.points.clone();
        if curve.last() != Some(&self.now) {
            curve.push(self.now);
        }
        let mut marks = self.marks.clone();
        if self.end == 0 && self.now.pages > 0 && marks.last() != Some(&self.now) {
            marks.push(self.now);
        }
        Harvest {
            pages: self.now.pages,
            relevant: self.now.relevant,
            relevant_and_new: self.now.relevant_and_new,
            indexed: self.now.indexed,
            threshold,
            curve,
            marks,
            breadth_first: None,
        }
    }
}

/// 10, 25, 50, 100, 250, ...
fn next_mark(mark: u64) -> u64 {
    let power = 10u64.pow(mark.ilog10());
    match mark / power {
        1 => mark.saturating_mul(5) / 2,
        _ => mark.saturating_mul(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_short_even_and_ends_at_the_last_page() {
        let mut harvester = Harvester::default();
        for page in 0..100_003u32 {
            harvester.add(page % 2 == 0, page % 4 == 0, page % 4 == 0);
        }
        let harvest = harvester.harvest(Some(0.5));
        assert!(
            (200..=402).contains(&harvest.curve.len()),
            "{}",
            harvest.curve.len()
        );
        let last = harvest.curve.last().unwrap();
        assert_eq!((last.pages, last.relevant), (100_003, 50_002));
        assert!(harvest.curve.is_sorted_by_key(|point| point.pages));
        let marks: Vec<u64> = harvest.marks.iter().map(|point| point.pages).collect();
        assert_eq!(marks[..6], [10, 25, 50, 100, 250, 500]);
        assert_eq!(marks[marks.len() - 2..], [100_000, 100_003]);
        let step = harvest.curve[1].pages;
        assert_eq!(harvest.curve[2].pages, 2 * step);
    }
}
