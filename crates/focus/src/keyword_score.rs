//! How strongly the keywords speak for a page or a link: where they stand and how densely.
//!
//! A keyword that stands on few pages of the crawl says more than one that stands on many.

use serde::{Deserialize, Serialize};

use crate::keywords::{Field, Keywords};
use crate::page_terms::PageTerms;

/// What a keyword is worth in each field; in the text it is worth its density, 0.0 to 1.0.
const TITLE_WORTH: f32 = 1.2;
const URL_WORTH: f32 = 0.6;
const LABEL_WORTH: f32 = 1.0;
/// On a page of [`USUAL_WORDS`] words, a keyword that stands so often in the text has a density of
/// one half.
const HALF_DENSITY_COUNT: f32 = 1.2;
/// The length of a text, in words, to which densities are normalised...
const USUAL_WORDS: f32 = 400.0;
/// ... and the share of the count above that grows with a text's length.
const LENGTH_SHARE: f32 = 0.75;
/// The sum over the keywords at which the score of a page is one half.
const HALF_SCORE_SUM: f32 = 0.6;
/// The same for a link's text.
const HALF_LINK_SCORE_SUM: f32 = 0.4;
/// What an excluded keyword adds to a link's sum.
const EXCLUDED_IN_LINK: f32 = -2.0;
/// No keyword counts for less than this, however many pages have it.
const RARITY_MIN: f32 = 0.2;
/// Pages added to those seen, so that the first few do not make a keyword common.
const RARITY_PRIOR_PAGES: f32 = 16.0;

/// The keywords, and how rare each is among the pages of the crawl.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeywordScorer {
    #[serde(skip)]
    pub(crate) keywords: Keywords,
    /// Pages on which each keyword stands.
    pages_with: Vec<u32>,
    /// 1.0 for a keyword on no page, less for a common one.
    rarities: Vec<f32>,
}

impl KeywordScorer {
    pub(crate) fn new(keywords: Keywords) -> KeywordScorer {
        let count = keywords.list.len();
        KeywordScorer {
            keywords,
            pages_with: vec![0; count],
            rarities: vec![1.0; count],
        }
    }

    /// Counts on how many pages each keyword stands. `pages_seen` includes this one.
    pub(crate) fn count_page(&mut self, terms: &PageTerms, pages_seen: u64) {
        for (pages, counts) in self.pages_with.iter_mut().zip(&terms.keyword_counts) {
            *pages += u32::from(counts.iter().any(|&count| count > 0));
        }
        self.set_rarities(pages_seen);
    }

    /// Sets how rare each keyword is among so many pages.
    pub(crate) fn set_rarities(&mut self, pages_seen: u64) {
        let pages = pages_seen as f32 + RARITY_PRIOR_PAGES;
        let rarity = |&with: &u32| (pages / (with as f32 + 1.0)).ln() / pages.ln();
        let rarities = self.pages_with.iter().map(rarity);
        self.rarities = rarities.map(|rarity| rarity.max(RARITY_MIN)).collect();
    }

    /// The score of a page, 0.0 to 1.0.
    pub(crate) fn score(&self, terms: &PageTerms) -> f32 {
        let mut sum = 0.0;
        let keywords = self.keywords.list.iter().zip(&terms.keyword_counts);
        for ((keyword, counts), rarity) in keywords.zip(&self.rarities) {
            if keyword.excluded {
                if rules_out(counts) {
                    return 0.0;
                }
                continue;
            }
            if counts.iter().all(|&count| count == 0) {
                continue;
            }
            let stands = |field: Field| f32::from(u8::from(counts[field as usize] > 0));
            let worth = TITLE_WORTH * stands(Field::Title)
                + URL_WORTH * stands(Field::Url)
                + LABEL_WORTH * stands(Field::Label)
                + density(counts[Field::Text as usize], terms.word_count);
            sum += keyword.weight * rarity * worth;
        }
        sum / (sum + HALF_SCORE_SUM)
    }

    /// Whether an excluded keyword rules the page out.
    pub(crate) fn rules_out(&self, terms: &PageTerms) -> bool {
        let keywords = self.keywords.list.iter().zip(&terms.keyword_counts);
        keywords
            .filter(|(keyword, _)| keyword.excluded)
            .any(|(_, counts)| rules_out(counts))
    }

    /// The score of a link's text in which the keywords of a mask stand, -1.0 to 1.0.
    pub(crate) fn score_mask(&self, mask: u32) -> f32 {
        if mask == 0 {
            return 0.0;
        }
        let mut sum = 0.0;
        let keywords = self.keywords.link_keywords().zip(&self.rarities);
        for ((number, keyword), rarity) in keywords {
            if mask & (1 << number) != 0 {
                sum += if keyword.excluded {
                    EXCLUDED_IN_LINK
                } else {
                    keyword.weight * rarity
                };
            }
        }
        if sum > 0.0 {
            sum / (sum + HALF_LINK_SCORE_SUM)
        } else {
            sum.max(-1.0)
        }
    }
}

/// How densely a keyword stands in a text, 0.0 to 1.0.
fn density(count: u16, words: u32) -> f32 {
    let count = f32::from(count);
    let length = (1.0 - LENGTH_SHARE) + LENGTH_SHARE * words as f32 / USUAL_WORDS;
    count / (count + HALF_DENSITY_COUNT * length)
}

/// Whether the counts of an excluded keyword rule a page out: it stands in the title, on a label,
/// or twice in the text. Once in the text may be by chance.
fn rules_out(counts: &[u16; 4]) -> bool {
    counts[Field::Title as usize] > 0
        || counts[Field::Label as usize] > 0
        || counts[Field::Text as usize] > 1
}
