//! How strongly the keywords speak for a page or a link: where they stand and how densely.
//!
//! A keyword that stands on few pages of the crawl says more than one that stands on many.
//!
//! A long text is as dense as its beginning or as the whole of it, whichever is denser, or half as dense
//! as its densest part: a section may be about the topic, but any long text has a place where a common
//! word stands thrice. Measured by twenty one-word topics on the 2,850 pages of an encyclopedia that are
//! longer than a beginning, the area under the ROC curve is .913 by the beginning alone, .925 by the
//! densest part alone and .932 so; the best F1 .498, .454 and .514.

use serde::{Deserialize, Serialize};

use crate::keywords::{Field, Keywords};
use crate::page_terms::{BEGINNING_WORDS, PageTerms};

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
/// The densest part of a text counts as such a share of the text.
const DENSEST_SHARE: f32 = 0.5;
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
                + text_density(counts, terms.word_count);
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

/// How densely a keyword stands in a text of so many words, 0.0 to 1.0.
fn text_density(counts: &[u16; 6], words: u32) -> f32 {
    let part = words.min(BEGINNING_WORDS as u32);
    let dense = |field: Field, words| density(counts[field as usize], words);
    dense(Field::Beginning, part)
        .max(dense(Field::Text, words))
        .max(DENSEST_SHARE * dense(Field::Densest, part))
}

fn density(count: u16, words: u32) -> f32 {
    let count = f32::from(count);
    let length = (1.0 - LENGTH_SHARE) + LENGTH_SHARE * words as f32 / USUAL_WORDS;
    count / (count + HALF_DENSITY_COUNT * length)
}

/// Whether the counts of an excluded keyword rule a page out: it stands in the title, on a label,
/// or twice within a part of the text. Once may be by chance.
fn rules_out(counts: &[u16; 6]) -> bool {
    counts[Field::Title as usize] > 0
        || counts[Field::Label as usize] > 0
        || counts[Field::Densest as usize] > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_terms::PageView;
    use crate::topic_config::TopicConfig;
    use segment::Segmenter;

    /// The score of a page of `words` words in which "otter" stands at some places, and whether
    /// `-otter` rules it out.
    fn judge(words: usize, is_otter: impl Fn(usize) -> bool) -> (f32, bool) {
        let word = |at| if is_otter(at) { "otter " } else { "river " };
        let text: String = (0..words).map(word).collect();
        let scorer = |keyword: &str| {
            let config = TopicConfig {
                keywords: vec![keyword.into()],
                ..TopicConfig::default()
            };
            KeywordScorer::new(Keywords::parse(&config).unwrap())
        };
        let read = |scorer: &KeywordScorer| {
            let view = PageView {
                title: "Report",
                words: &Segmenter::shared().words(&text),
                url: &url::Url::parse("http://a.example/report").unwrap(),
                lang: None,
                links: &[],
                labels: &[],
                listing: false,
            };
            PageTerms::of(&view, &scorer.keywords)
        };
        let (wanted, excluded) = (scorer("otter"), scorer("-otter"));
        (
            wanted.score(&read(&wanted)),
            excluded.rules_out(&read(&excluded)),
        )
    }

    #[test]
    fn a_section_counts_wherever_on_a_long_page_it_stands() {
        for words in [2_600, 20_000, 120_000] {
            let score =
                |from: usize| judge(words, |at| at >= from && at < from + 60 && at % 2 == 0);
            let (beginning, middle, end) = (score(0), score(words / 2), score(words - 60));
            assert_eq!((middle.1, end.1), (true, true), "{words}");
            assert!(
                (middle.0 - end.0).abs() < 0.03,
                "{words} {middle:?} {end:?}"
            );
            assert!(
                beginning.0 >= middle.0 && middle.0 > 0.4,
                "{words} {middle:?}"
            );
        }
    }

    #[test]
    fn a_word_here_and_there_on_a_long_page_says_little() {
        let (score, ruled_out) = judge(40_000, |at| at % 2_000 == 1_999);
        assert!(score < 0.25, "{score}");
        assert!(!ruled_out);
        let (score, _) = judge(1_000, |at| at % 100 == 0);
        assert!(score > 0.5, "{score}");
    }
}
