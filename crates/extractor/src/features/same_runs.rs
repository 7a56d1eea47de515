//! Features of the runs that share this run's text, or its path of tags and class names.
//!
//! A text that stands on the page many times is a label; runs on one path come from one template.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::run_text::is_cut_short;
use super::table::{Row, log};
use crate::flat_dom::{ElementIndex, FlatDom};
use crate::prefix_sums::{is_prose, share};
use crate::survey::Survey;

/// Counts over runs that share a text or a path.
#[derive(Default, Clone, Copy)]
struct Counts {
    runs: u32,
    weight: u32,
    link_weight: u32,
    prose: u32,
    cut_short: u32,
}

/// For each run, the counts over the runs with its text and over those on its path.
pub(super) struct SameRuns {
    by_text: Vec<Counts>,
    by_path: Vec<Counts>,
    /// For each run, a hash of its path of tags and first classes.
    pub paths: Vec<u64>,
}

impl SameRuns {
    /// Counts the page's runs; `places` has the element that each run stands in.
    pub(super) fn of(flat: &FlatDom<'_>, survey: &Survey, places: &[ElementIndex]) -> SameRuns {
        let element_paths = element_paths(flat);
        let path_of = |place: &ElementIndex| element_paths[*place as usize];
        let paths: Vec<u64> = places.iter().map(path_of).collect();
        let hash_of = |text: &String| xxh3_64(text.as_bytes());
        let texts: Vec<u64> = survey.texts.iter().map(hash_of).collect();
        let mut by_text: FxHashMap<u64, Counts> = FxHashMap::default();
        let mut by_path: FxHashMap<u64, Counts> = FxHashMap::default();
        for (index, run) in flat.runs.iter().enumerate() {
            for (map, key) in [(&mut by_text, texts[index]), (&mut by_path, paths[index])] {
                let counts = map.entry(key).or_default();
                counts.runs += 1;
                counts.weight += run.counts.weight;
                counts.link_weight += run.link_weight;
                counts.prose += if is_prose(run) { run.counts.weight } else { 0 };
                counts.cut_short += u32::from(is_cut_short(&survey.texts[index]));
            }
        }
        SameRuns {
            by_text: texts.iter().map(|key| by_text[key]).collect(),
            by_path: paths.iter().map(|key| by_path[key]).collect(),
            paths,
        }
    }

    pub(super) fn put(&self, row: &mut Row<'_>, page_weight: u32, index: usize) {
        row.put("same_text", log(self.by_text[index].runs));
        let path = self.by_path[index];
        row.put("path_count", log(path.runs));
        row.put("path_share", share(path.weight, page_weight, 0.0));
        row.put("path_mean", log(path.weight / path.runs.max(1)));
        row.put("path_links", share(path.link_weight, path.weight, 1.0));
        row.put("path_prose", share(path.prose, path.weight, 0.0));
        row.put("path_ellipsis", share(path.cut_short, path.runs, 0.0));
    }
}

/// For each element, a hash of its own shape and those of all elements around it.
fn element_paths(flat: &FlatDom<'_>) -> Vec<u64> {
    let mut paths: Vec<u64> = Vec::with_capacity(flat.elements.len());
    for element in &flat.elements {
        let above = paths.get(element.parent as usize).copied().unwrap_or(0);
        paths.push((above ^ u64::from(element.shape)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }
    paths
}
