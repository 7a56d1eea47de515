//! A simhash of the page's layout: pages of one template differ in few of its 64 bits.
//!
//! A template is a set of tag paths ("html>body>div>ul>li>a"). Each distinct path is a feature of
//! the simhash, weighted by the logarithm of how often it occurs, so that a list of fifty items
//! weighs little more than one of forty. Text and class names are no features: two articles of one
//! site agree, an article and a page of search results do not.
//!
//! Paths are hashed by XXH3, whose values are frozen, so layouts may be stored.

use xxhash_rust::xxh3::xxh3_64;

use crate::flat_dom::FlatDom;
use rustc_hash::FxHashMap;

/// The most levels of a path. Deeper elements have the path of their ancestor at this depth.
const DEPTH_MAX: u16 = 24;

/// The layout of a page; 0 for one without elements.
pub(crate) fn of(flat: &FlatDom<'_>) -> u64 {
    let mut paths: Vec<u64> = Vec::with_capacity(flat.elements.len());
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    let mut buffer: Vec<u8> = Vec::with_capacity(64);
    for element in &flat.elements {
        let above = paths.get(element.parent as usize).copied().unwrap_or(0);
        let path = if element.depth < DEPTH_MAX {
            buffer.clear();
            buffer.extend_from_slice(&above.to_le_bytes());
            buffer.extend_from_slice(element.element.name().as_bytes());
            xxh3_64(&buffer)
        } else {
            above
        };
        paths.push(path);
        *counts.entry(path).or_default() += 1;
    }
    // The sums are integers, so they do not depend on the map's order.
    let mut sums = [0i64; 64];
    for (path, count) in counts {
        let weight = i64::from(1 + count.ilog2());
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if path >> bit & 1 == 1 {
                weight
            } else {
                -weight
            };
        }
    }
    sums.iter()
        .enumerate()
        .filter(|(_, sum)| **sum > 0)
        .fold(0, |bits, (bit, _)| bits | 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(html: &str) -> u64 {
        of(&FlatDom::of(&scraper::Html::parse_document(html)))
    }

    #[test]
    fn texts_do_not_matter_and_tags_do() {
        let one = layout("<div><h1>a</h1><p>b<p>c</div>");
        let two = layout("<div><h1>other</h1><p>words<p>here</div>");
        let three = layout("<table><tr><td><ul><li><a href=x>y</a></ul></table>");
        assert_eq!(one, two);
        assert!((one ^ three).count_ones() > 8);
    }

    #[test]
    fn a_layout_never_changes() {
        // Stored in archives: a change of this value is a change of format.
        assert_eq!(layout("<p>a"), layout("<p>b"));
    }
}
