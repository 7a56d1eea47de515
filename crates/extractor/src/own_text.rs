//! What a short page says itself, beside what its host has in the margins of all its pages.
//!
//! A page with next to no text stands in its site's frame like any other, and the titles and counters of
//! its sidebar are then taken for its content: nothing else is there. One page does not tell which they are;
//! its siblings do. So each page tells its *margins* to [`crate::HostTemplates`]: the places of links from which
//! nothing was taken for content (an element's path of tags and classes), and the lines of such text without their
//! numbers. What is in the margin of most pages of a host is in the margin of a short page as well, whatever
//! titles stand there today.
//!
//! Cost: [`KEYS_MAX`] keys for a page at most, and the lines of pages that are short.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64;

use crate::flat_dom::{FlatDom, Run};
use crate::host_templates::key_of_text;

/// Keys of each kind that a page tells: of the places, and of the lines, with most text.
const KEYS_MAX: usize = 12;
/// The lines of a page with more main content (in weight) are not looked at: some five hundred words.
const WEIGHT_MAX: u32 = 3_000;

/// What a page tells of its margins, and its lines that may be theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// Keys of places and lines in the margins.
    pub margins: Vec<u32>,
    /// The lines of the main content, of a short page.
    pub lines: Vec<Line>,
}

/// A line of the main content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its words.
    pub text: String,
    /// The key of its place, where it is a link.
    pub place: Option<u32>,
    /// The key of the line without its numbers.
    pub frame: Option<u32>,
}

impl Surroundings {
    /// Those of a page whose runs have these texts and paths, and are main content or not.
    pub(crate) fn of(
        flat: &FlatDom<'_>,
        texts: &[String],
        paths: &[u64],
        main: &[bool],
    ) -> Surroundings {
        let runs = || flat.runs.iter().zip(texts).zip(paths.iter().zip(main));
        let chosen: BTreeSet<u64> = runs()
            .filter_map(|(_, (&path, &main))| main.then_some(path))
            .collect();
        let (mut places, mut frames) = (BTreeMap::new(), BTreeMap::new());
        for ((run, text), (&path, &main)) in runs() {
            let (weights, key) = match is_link(run) {
                _ if main => continue,
                true if chosen.contains(&path) => continue,
                true => (&mut places, Some(key_of_place(path))),
                false => (&mut frames, key_of_frame(text)),
            };
            if let Some(key) = key {
                *weights.entry(key).or_insert(0) += run.counts.weight;
            }
        }
        let weight: u32 = runs()
            .filter_map(|((run, _), (_, &main))| main.then_some(run.counts.weight))
            .sum();
        let lines = runs().filter(|(_, (_, main))| **main && weight <= WEIGHT_MAX);
        Surroundings {
            margins: heaviest(places).chain(heaviest(frames)).collect(),
            lines: lines
                .map(|((run, text), (&path, _))| Line {
                    text: text.clone(),
                    place: is_link(run).then(|| key_of_place(path)),
                    frame: key_of_frame(text),
                })
                .collect(),
        }
    }
}

fn is_link(run: &Run) -> bool {
    run.link_weight * 2 > run.counts.weight
}

fn heaviest(weights: BTreeMap<u32, u32>) -> impl Iterator<Item = u32> {
    let mut keys: Vec<(u32, u32)> = weights.into_iter().collect();
    keys.sort_by_key(|&(key, weight)| (std::cmp::Reverse(weight), key));
    keys.into_iter().take(KEYS_MAX).map(|(key, _)| key)
}

/// The key of a place; that of no text is the same.
fn key_of_place(path: u64) -> u32 {
    let mut bytes = *b"\x01\0\0\0\0\0\0\0\0";
    bytes[1..].copy_from_slice(&path.to_le_bytes());
    xxh3_64(&bytes) as u32
}

/// All keys by which a line may be known.
pub(crate) fn keys_of_line(text: &str) -> Vec<u32> {
    let keys = [key_of_text(text), key_of_frame(text)];
    keys.into_iter().flatten().collect()
}

/// The key of a line without its numbers, if it has a word.
fn key_of_frame(text: &str) -> Option<u32> {
    let frame = text.chars().filter(|c| c.is_alphabetic());
    let frame: String = std::iter::once('\u{2}').chain(frame).collect();
    (frame.len() > 1).then(|| xxh3_64(frame.as_bytes()) as u32)
}

#[cfg(test)]
mod tests {
    use crate::{BlockKeys, HostTemplates, Page, PageContext, extract};

    const HOST: &str = "a.example";

    /// A page in its site's frame: `titles` in the sidebar, and a counter.
    fn framed(number: usize, text: &str) -> Page {
        let title = |at: usize| format!("<li><a href=/{at}>Story {at} of the harbour</a></li>");
        let titles: String = (number..number + 8).map(title).collect();
        let html = format!(
            "<title>Page {number}</title><div class=main><div class=text><h1>Page {number}</h1>{text}</div>\
             <div class=side><h3>Most read</h3><ul>{titles}</ul>\
             <div class=online>Users online: {number}. Views today: {number}00</div></div></div>"
        );
        let url = url::Url::parse("http://a.example/").expect("a URL");
        extract(&html, &PageContext::new(&url))
    }

    fn long(number: usize) -> String {
        format!(
            "<p>{}",
            format!("The ship of story {number} came late, and left with the tide. ").repeat(9)
        )
    }

    fn known() -> HostTemplates {
        let mut templates = HostTemplates::new();
        for number in 0..10 {
            templates.observe(HOST, &BlockKeys::of(&framed(number * 9, &long(number))));
        }
        templates
    }

    #[test]
    fn titles_and_counters_of_a_sidebar_are_no_text_of_a_page_without_any() {
        let page = framed(500, "<p>Nothing was found.");
        assert!(page.text.contains("of the harbour"), "{}", page.text);
        let own = HostTemplates::own_text(&[(&known(), HOST)], &page).expect("some is not its own");
        assert!(own.contains("Nothing was found."), "{own}");
        assert!(!own.contains("harbour") && !own.contains("online"), "{own}");
        assert_eq!(
            HostTemplates::own_text(&[(&known(), "b.example")], &page),
            None
        );
    }

    #[test]
    fn a_list_has_its_own_place_for_its_titles() {
        let title = |at: usize| format!("<li><a href=/{at}>Story {at} of the harbour</a></li>");
        let titles: String = (0..20).map(title).collect();
        let html = format!(
            "<title>All</title><div class=main><div class=list><ul>{titles}</ul></div></div>"
        );
        let url = url::Url::parse("http://a.example/").expect("a URL");
        let page = extract(&html, &PageContext::new(&url));
        let own = HostTemplates::own_text(&[(&known(), HOST)], &page);
        assert_eq!(own, None, "{}", page.text);
    }
}
