//! Cuts Chinese into words by the rules that were used before word frequencies: the longest match from
//! the front, the longest match from the back, and the fewest words.
//!
//! The dictionary is that of `segment`. A character that begins no word of it is a word by itself.

use segment::Segmenter;

/// How a Chinese run is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Cut {
    /// By the frequencies of its words: the cut of `segment`.
    #[default]
    Jieba,
    /// The longest word from the front, then the longest of the rest.
    Forward,
    /// The longest word from the back.
    Reverse,
    /// The fewest words; of those, the longest first.
    Fewest,
}

/// Characters of the longest word that is looked for.
const WORD_CHARACTERS_MAX: usize = 8;

/// The words of a run of Chinese characters.
pub fn cut(run: &str, cut: Cut) -> Vec<&str> {
    let mut ends: Vec<usize> = run.char_indices().map(|(at, _)| at).collect();
    ends.push(run.len());
    let count = ends.len() - 1;
    let is_word = |from: usize, to: usize| {
        to == from + 1 || Segmenter::shared().is_word(&run[ends[from]..ends[to]])
    };
    let longest = |from: usize| (from + 1..=count.min(from + WORD_CHARACTERS_MAX)).rev();
    let mut bounds = Vec::new();
    match cut {
        Cut::Jieba | Cut::Forward => {
            let mut from = 0;
            while from < count {
                let to = longest(from)
                    .find(|&to| is_word(from, to))
                    .unwrap_or(from + 1);
                bounds.push((from, to));
                from = to;
            }
        }
        Cut::Reverse => {
            let mut to = count;
            while to > 0 {
                let least = to.saturating_sub(WORD_CHARACTERS_MAX);
                let from = (least..to)
                    .find(|&from| is_word(from, to))
                    .unwrap_or(to - 1);
                bounds.push((from, to));
                to = from;
            }
            bounds.reverse();
        }
        Cut::Fewest => {
            // (words from here to the end, the end of the first of them)
            let mut best = vec![(0u32, count); count + 1];
            for from in (0..count).rev() {
                let words = longest(from).filter(|&to| is_word(from, to));
                let counted = words.map(|to| (best[to].0 + 1, to));
                best[from] = counted
                    .min_by_key(|&(words, _)| words)
                    .unwrap_or((0, count));
            }
            let mut from = 0;
            while from < count {
                bounds.push((from, best[from].1));
                from = best[from].1;
            }
        }
    }
    let word = |(from, to): (usize, usize)| &run[ends[from]..ends[to]];
    bounds.into_iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(run: &str, by: Cut, words: &str) {
        assert_eq!(cut(run, by).join("|"), words, "{by:?}");
    }

    #[test]
    fn each_rule_cuts_the_textbook_sentence_in_its_way() {
        check("研究生命起源", Cut::Forward, "研究生|命|起源");
        check("研究生命起源", Cut::Reverse, "研究|生命|起源");
        check("有意见分歧", Cut::Forward, "有意|见|分歧");
        check("有意见分歧", Cut::Fewest, "有|意见分歧");
        check("", Cut::Fewest, "");
    }

    proptest! {
        #[test]
        fn the_words_are_the_run_and_never_more_than_by_another_rule(run in "[中国人民网页去重研究生命起源的是一]{0,24}") {
            let fewest = cut(&run, Cut::Fewest);
            prop_assert_eq!(fewest.concat(), run.as_str());
            for by in [Cut::Forward, Cut::Reverse] {
                let words = cut(&run, by);
                prop_assert_eq!(words.concat(), run.as_str());
                prop_assert!(fewest.len() <= words.len());
            }
        }
    }
}
