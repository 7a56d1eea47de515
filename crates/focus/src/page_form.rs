//! What a page looks like, whatever it says: its length, its links, its URL and its title's ends.
//!
//! A kind of page (a home page, a reference page, release notes) is told by its form better than by
//! its words. So some features of the form are compared between the examples and the pages of the
//! crawl, each by how many times likelier it is among the examples:
//!
//! ```text
//!                 examples with it + K * share of pages with it
//!   ln  ------------------------------------------------------------ ,  the ratio of a feature
//!             (examples + K) * share of pages with it
//! ```
//!
//! `K` pages like those of the crawl stand in for what few examples cannot show. Which features
//! matter is for the examples to say: each is foretold by the other examples and by all pages, and
//! the chance that the former do better, by Bayes from even odds, is how much of the ratio counts:
//!
//! ```text
//!   score = sum over features of ln(differs * ratio + 1 - differs)
//!   differs = 1 / (1 + exp(-sum over examples of ln(ratio by the other examples)))
//! ```
//!
//! So a feature in which the examples are as unlike each other as they are unlike all pages says
//! nothing, neither for a page nor against it. The sum is calibrated like any other score of a page.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::hashing::{NumberMap, split_mix};
use crate::logistic::probability;
use crate::saved::pairs;
use crate::url_parts::{UrlParts, clip, url_form};

/// Features of a page's form.
pub(crate) const FORM_FEATURES: usize = 9;
/// Pages like those of the crawl that are added to the examples.
const AVERAGE_PAGES: f32 = 2.0;
/// Bytes of a word or a segment of a path that are looked at.
const BYTES_MAX: usize = 48;

/// A page's form: a number for what each feature is.
pub(crate) type PageForm = [u32; FORM_FEATURES];

/// The form of a page with so many words and links.
pub(crate) fn form_of(
    url: &UrlParts<'_>,
    title: &str,
    words: usize,
    links: usize,
    is_list: bool,
) -> PageForm {
    let mut segments = url.path.split('/').filter(|segment| !segment.is_empty());
    let depth = segments.clone().count().min(8);
    let is_folder = url.path.ends_with('/');
    let mut title = title.split_whitespace();
    let first = title.next().unwrap_or_default();
    let last = title.next_back().unwrap_or_default();
    let features: [u64; FORM_FEATURES] = [
        u64::from(is_list),
        u64::from((words + 1).ilog2()),
        u64::from((links + 1).ilog2()),
        u64::from((64 * (links + 1) / (words + 1) + 1).ilog2()),
        url_form(url),
        2 * depth as u64 + u64::from(is_folder),
        word_hash(first),
        word_hash(last),
        segments.next_back().map_or(0, beginning),
    ];
    std::array::from_fn(|at| split_mix(features[at] ^ ((at as u64 + 1) << 56)) as u32)
}

fn word_hash(word: &str) -> u64 {
    xxh3_64(clip(word, BYTES_MAX).to_lowercase().as_bytes()) >> 8
}

/// What a name begins with, up to where its first sign or digit stands: `sql` of `sql-abort.html`.
fn beginning(segment: &str) -> u64 {
    let mut signs = segment.char_indices().skip(1);
    let end = signs.find(|(_, sign)| !sign.is_alphabetic());
    word_hash(&segment[..end.map_or(segment.len(), |(at, _)| at)])
}

/// How much likelier the features of the examples are than those of the pages read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct FormModel {
    examples: f32,
    /// By feature: examples with it, and the share of the pages read with it.
    #[serde(with = "pairs")]
    known: NumberMap<u32, (f32, f32)>,
    /// The chance that the examples differ from other pages in each feature.
    differs: [f32; FORM_FEATURES],
}

impl FormModel {
    /// The model from the forms of the examples and of pages of the crawl.
    pub(crate) fn of<'p>(
        examples: impl Iterator<Item = &'p PageForm> + Clone,
        pages: impl Iterator<Item = &'p PageForm>,
    ) -> FormModel {
        let mut model = FormModel::default();
        for form in examples.clone() {
            model.examples += 1.0;
            for feature in form {
                model.known.entry(*feature).or_default().0 += 1.0;
            }
        }
        let mut read = 1.0f32;
        for form in pages {
            read += 1.0;
            for feature in form {
                // What no example has needs no share: it comes out the same.
                if let Some(known) = model.known.get_mut(feature) {
                    known.1 += 1.0;
                }
            }
        }
        for (_, share) in model.known.values_mut() {
            *share = (*share + 0.5) / read;
        }
        let mut evidence = [0.0; FORM_FEATURES];
        for form in examples {
            for (sum, feature) in evidence.iter_mut().zip(form) {
                *sum += model.ratio(*feature, 1.0).ln();
            }
        }
        model.differs = evidence.map(probability);
        model
    }

    /// How much a form is like the examples'. Of an example, by the others.
    pub(crate) fn score(&self, form: &PageForm, is_example: bool) -> f32 {
        let own = f32::from(u8::from(is_example));
        let features = form.iter().zip(&self.differs);
        let mixed = |(feature, differs): (&u32, &f32)| {
            (differs * self.ratio(*feature, own) + 1.0 - differs).ln()
        };
        features.map(mixed).sum()
    }

    /// How many times likelier a feature is among the examples, `own` of which is left out.
    fn ratio(&self, feature: u32, own: f32) -> f32 {
        let examples = self.examples - own;
        if examples < 1.0 {
            return 1.0;
        }
        let (count, share) = self.known.get(&feature).copied().unwrap_or((0.0, 1.0));
        let count = (count - own).max(0.0);
        (count + AVERAGE_PAGES * share) / ((examples + AVERAGE_PAGES) * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(url: &str, title: &str, words: usize, links: usize) -> PageForm {
        form_of(&UrlParts::of(url), title, words, links, false)
    }

    #[test]
    fn a_page_of_the_examples_kind_is_told_by_its_form_and_so_is_an_example_left_out() {
        let home = |number: usize| {
            let url = format!("http://a.example/people/name{number}/");
            form(&url, "Somebody's Home Page", 90 + number, 12)
        };
        let other = |number: usize| {
            let url = format!("http://a.example/papers/2026/paper-{number}.html");
            form(&url, "On something", 2_000 + number, 3)
        };
        let examples: Vec<PageForm> = (0..5).map(home).collect();
        let pages: Vec<PageForm> = (5..15).map(home).chain((0..90).map(other)).collect();
        let model = FormModel::of(examples.iter(), pages.iter());
        assert!(model.score(&home(99), false) > 5.0);
        assert!(model.score(&other(99), false) < -5.0);
        assert!(model.score(&examples[0], true) > 5.0);
    }

    #[test]
    fn forms_that_all_pages_share_and_a_lone_example_say_nothing() {
        let page = form("http://a.example/x", "A page", 100, 5);
        let pages = [page; 50];
        let model = FormModel::of(pages[..5].iter(), pages.iter());
        assert!(model.score(&page, false).abs() < 0.2);
        let lone = FormModel::of(pages[..1].iter(), pages.iter());
        assert_eq!(lone.score(&page, true), 0.0);
        assert_eq!(FormModel::default().score(&page, false), 0.0);
    }
}
