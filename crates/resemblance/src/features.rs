//! What a fingerprint is made of, with the choices that the literature makes differently.
//!
//! A crawl's fingerprint takes the first choice of each: words cut by jieba, all of them, not stemmed,
//! each weighted by its count, with a pinned hash. `docs/near-duplicates.md` compares them.

mod weighted;

use std::borrow::Cow;
use std::collections::BTreeMap;

use rust_stemmers::{Algorithm, Stemmer};
use segment::{Script, Words};
use simhash::Fingerprint;
use xxhash_rust::xxh3::xxh3_64;

use crate::feature_hash;
use crate::han::{self, Cut};
use crate::lexicon::Lexicon;
use crate::shingles::runs;
use crate::stop_words::is_stop_word;

pub use weighted::{WeightedError, WeightedProblem, parse_weighted};

/// The choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// How Chinese is cut.
    pub cut: Cut,
    /// Leave out stop words.
    pub drop_stop_words: bool,
    /// Replace English words by their stems.
    pub stem: bool,
    /// What a feature weighs.
    pub weight: Weight,
    /// How a word is hashed.
    pub hash: Hash,
    /// Words in a feature; above 1 features are runs of words, and the hash is the pinned one.
    pub shingle: usize,
    /// Only features whose hash is 0 modulo this count.
    pub modulus: u64,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            cut: Cut::Jieba,
            drop_stop_words: false,
            stem: false,
            weight: Weight::Count,
            hash: Hash::Pinned,
            shingle: 1,
            modulus: 1,
        }
    }
}

/// What a feature weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Weight {
    /// Its count in the text.
    #[default]
    Count,
    /// 1 to 5: the text's features are sorted by count times idf and divided into fifths.
    Levels,
    /// Its count times its idf.
    CountIdf,
}

/// How a word is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Hash {
    /// `xxh3_64`, whose definition is frozen.
    #[default]
    Pinned,
    /// By the GB2312 numbers of its characters.
    Gb2312,
    /// By its number in the lexicon.
    Enumerated,
}

/// Weights are rounded to multiples of one over this, so that their sums do not depend on the order of
/// the features.
const WEIGHT_UNIT: f64 = 1e6;

impl Features {
    /// Whether a lexicon is needed.
    pub fn need_lexicon(&self) -> bool {
        self.weight != Weight::Count || self.hash == Hash::Enumerated
    }

    /// The pinned hashes of a text's features, in order. A lexicon is made from these.
    pub fn hashes(&self, words: &Words) -> Vec<u64> {
        let tokens = self.tokens(words);
        self.feature_hashes(&tokens)
            .into_iter()
            .map(|(key, _)| key)
            .collect()
    }

    /// The fingerprint of a text. Without the lexicon that is needed every word is unknown.
    pub fn fingerprint(&self, words: &Words, lexicon: &Lexicon) -> Fingerprint {
        let tokens = self.tokens(words);
        let mut counts: BTreeMap<u64, (u64, u32)> = BTreeMap::new();
        for (key, token) in self.feature_hashes(&tokens) {
            let hash = match (self.hash, token) {
                (Hash::Gb2312, Some(token)) => feature_hash::gb2312(token),
                (Hash::Enumerated, Some(_)) => {
                    let size = u32::try_from(lexicon.len())
                        .unwrap_or(u32::MAX)
                        .saturating_add(1);
                    feature_hash::enumerated(lexicon.place(key), size)
                }
                (Hash::Pinned, _) | (_, None) => key,
            };
            counts.entry(key).or_insert((hash, 0)).1 += 1;
        }
        let weight = |key: u64, count: u32| match self.weight {
            Weight::Count => f64::from(count),
            Weight::Levels | Weight::CountIdf => f64::from(count) * lexicon.idf(key),
        };
        let mut weighted: Vec<(u64, f64)> = counts
            .iter()
            .map(|(&key, &(hash, count))| (hash, weight(key, count)))
            .collect();
        if self.weight == Weight::Levels {
            weighted.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            let count = weighted.len();
            for (at, (_, weight)) in weighted.iter_mut().enumerate() {
                *weight = 1.0 + (5 * at / count) as f64;
            }
        }
        let whole = weighted
            .into_iter()
            .map(|(hash, weight)| (hash, i128::from((weight * WEIGHT_UNIT) as i64)));
        combine(whole)
    }

    /// The words of the features.
    fn tokens<'w>(&self, words: &'w Words) -> Vec<Cow<'w, str>> {
        let mut tokens: Vec<Cow<'w, str>> = Vec::with_capacity(words.len());
        if self.cut == Cut::Jieba {
            tokens.extend(words.iter().map(|word| Cow::Borrowed(word.text)));
        } else {
            self.cut_han_runs(words, &mut tokens);
        }
        if self.drop_stop_words {
            tokens.retain(|token| !is_stop_word(token));
        }
        if self.stem {
            let stemmer = Stemmer::create(Algorithm::English);
            for token in &mut tokens {
                if token.bytes().all(|byte| byte.is_ascii_lowercase()) {
                    *token = Cow::Owned(stemmer.stem(token).into_owned());
                }
            }
        }
        tokens
    }

    /// Joins the Chinese words that stand side by side, and cuts them by the chosen rule.
    fn cut_han_runs<'w>(&self, words: &'w Words, tokens: &mut Vec<Cow<'w, str>>) {
        let mut run = String::new();
        let mut end = None;
        for word in words.iter() {
            let goes_on = word.script == Script::Han && end == Some(word.start);
            if !goes_on {
                self.cut_run(&mut run, tokens);
            }
            if word.script == Script::Han {
                run.push_str(word.text);
                end = Some(word.end);
            } else {
                tokens.push(Cow::Borrowed(word.text));
                end = None;
            }
        }
        self.cut_run(&mut run, tokens);
    }

    fn cut_run(&self, run: &mut String, tokens: &mut Vec<Cow<'_, str>>) {
        let words = han::cut(run, self.cut);
        tokens.extend(words.into_iter().map(|word| Cow::Owned(word.to_owned())));
        run.clear();
    }

    /// Each feature's pinned hash, and its word if it is a single word.
    fn feature_hashes<'t>(&self, tokens: &'t [Cow<'_, str>]) -> Vec<(u64, Option<&'t str>)> {
        let pinned = tokens.iter().map(|token| xxh3_64(token.as_bytes()));
        let mut features: Vec<(u64, Option<&str>)> = if self.shingle > 1 {
            let words: Vec<u64> = pinned.collect();
            let runs = runs(&words, self.shingle).into_iter();
            runs.map(|run| (run, None)).collect()
        } else {
            let words = tokens.iter().map(|token| Some(token.as_ref()));
            pinned.zip(words).collect()
        };
        features.retain(|(key, _)| key % self.modulus.max(1) == 0);
        features
    }
}

/// The textbook simhash: a bit is 1 where the hashes with that bit weigh more than those without it.
pub fn combine(features: impl IntoIterator<Item = (u64, i128)>) -> Fingerprint {
    let mut sums = [0i128; 64];
    for (hash, weight) in features {
        for (bit, sum) in sums.iter_mut().enumerate() {
            let vote = if hash >> bit & 1 == 1 {
                weight
            } else {
                -weight
            };
            *sum = sum.saturating_add(vote);
        }
    }
    let bits = sums.iter().enumerate();
    Fingerprint(bits.fold(0, |all, (bit, &sum)| all | u64::from(sum > 0) << bit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use segment::Segmenter;

    const TEXT: &str =
        "The crawlers were crawling the pages, 网页去重的研究生命起源 and the pages again.";

    fn words(text: &str) -> Words {
        Segmenter::shared().words(text)
    }

    #[test]
    fn the_first_of_every_choice_is_the_fingerprint_of_a_crawl() {
        let words = words(TEXT);
        let ours = simhash::print(&words).fingerprint;
        assert_eq!(
            Features::default().fingerprint(&words, &Lexicon::default()),
            ours
        );
        assert_eq!(combine([]), Fingerprint(0));
    }

    #[test]
    fn every_other_choice_changes_the_fingerprint() {
        let text = words(TEXT);
        let lexicon = Lexicon::of([text.hashes(), words("the and of 的 是").hashes()]);
        let usual = Features::default();
        let changed = [
            Features {
                cut: Cut::Forward,
                ..usual.clone()
            },
            Features {
                drop_stop_words: true,
                ..usual.clone()
            },
            Features {
                stem: true,
                ..usual.clone()
            },
            Features {
                weight: Weight::Levels,
                ..usual.clone()
            },
            Features {
                weight: Weight::CountIdf,
                ..usual.clone()
            },
            Features {
                hash: Hash::Gb2312,
                ..usual.clone()
            },
            Features {
                hash: Hash::Enumerated,
                ..usual.clone()
            },
            Features {
                shingle: 2,
                ..usual.clone()
            },
            Features {
                modulus: 2,
                ..usual.clone()
            },
        ];
        let ours = usual.fingerprint(&text, &lexicon);
        for features in changed {
            assert_ne!(features.fingerprint(&text, &lexicon), ours, "{features:?}");
        }
    }

    #[test]
    fn the_cut_is_of_whole_runs() {
        let features = Features {
            cut: Cut::Fewest,
            stem: true,
            ..Features::default()
        };
        let words = words("crawled 有意见分歧, 研究");
        assert_eq!(features.tokens(&words), ["crawl", "有", "意见分歧", "研究"]);
    }
}
