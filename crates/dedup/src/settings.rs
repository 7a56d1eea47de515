//! What makes a duplicate, and which copy is kept.

use resemblance::detector::Detector;
use resemblance::features::Features;
use resemblance::imatch::IMatch;
use resemblance::lexicon::Lexicon;
use resemblance::shingles::{Sampled, Shingles};
use resemblance::spotsigs::SpotSigs;
use sieve::Keep;
use simhash::{IndexConfig, Layout, Memory, Tables};

/// An overlap that no two texts have: but for equal texts the nearest fingerprint decides.
const OVERLAP_NEVER: f32 = 2.0;

/// What makes a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Near fingerprints, confirmed or refuted by the sketch: what a crawl does.
    #[default]
    Combined,
    /// Fingerprints within k, whatever the sketch says.
    Simhash,
    /// The same words in the same order.
    Exact,
    /// I-Match: equal hashes of the words that are neither common nor rare.
    IMatch,
    /// Shingling: enough runs of words in common, by MinHash.
    Shingles,
    /// SpotSigs: enough chains of words behind stop words in common.
    SpotSigs,
}

impl Method {
    /// Whether it is another than a crawl's: it decides by its own signatures, which are held in
    /// memory alone.
    pub fn is_compared(self) -> bool {
        match self {
            Method::Combined | Method::Simhash | Method::Exact => false,
            Method::IMatch | Method::Shingles | Method::SpotSigs => true,
        }
    }
}

/// Every choice of a run. The default is what a crawl does by default.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// What makes a duplicate.
    pub method: Method,
    /// Fingerprints this near are those of duplicates, unless (combined) the sketch refutes it.
    pub k: u8,
    /// Fingerprints this near are looked at; by default 8, or what the tables can answer. Never
    /// less than `k`.
    pub reach: Option<u8>,
    /// Least share of word pairs in common, 0 to 1.
    pub overlap: f32,
    /// Least share of shingles or spots in common, above 0 to 1; each method has its own default.
    pub threshold: Option<f64>,
    /// Which document of a cluster is kept.
    pub keep: Keep,
    /// Tables of the index.
    pub tables: Tables,
    /// Where tables and kept documents are held.
    pub memory: Memory,
    /// What a fingerprint is made of.
    pub features: Features,
    /// Words in a shingle of [`Method::Shingles`]; 3 by default.
    pub shingle: Option<usize>,
}

impl Default for Settings {
    fn default() -> Settings {
        let index = IndexConfig::default();
        Settings {
            method: Method::default(),
            k: index.k,
            reach: None,
            overlap: index.overlap,
            threshold: None,
            keep: Keep::First,
            tables: index.tables,
            memory: index.memory,
            features: Features::default(),
            shingle: None,
        }
    }
}

/// A choice other than the usual one that the method of the settings does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    /// The choice, by the name of its option.
    pub choice: &'static str,
    /// The methods that read it.
    pub methods: &'static [Method],
}

/// The methods that decide by fingerprints, and so read what those are made of.
const BY_PRINT: &[Method] = &[Method::Combined, Method::Simhash, Method::Exact];
const BY_SKETCH: &[Method] = &[Method::Combined];
const BY_SHARE: &[Method] = &[Method::Shingles, Method::SpotSigs];
const BY_DISTANCE: &[Method] = &[Method::Combined, Method::Simhash];
const BY_RUNS: &[Method] = &[
    Method::Combined,
    Method::Simhash,
    Method::Exact,
    Method::Shingles,
];

/// Why settings do not go together.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// Tables on disk have no place without a directory.
    #[error("hold the tables on disk without a directory for them")]
    DiskWithoutDirectory,
    /// Signatures and fingerprints of other methods and features are not stored.
    #[error("keep the index of another method, or of other features, between runs")]
    NotStored,
    /// Compared methods know no better document.
    #[error("keep another than the first document by this method")]
    KeepsFirst,
    /// A share must be above 0 and at most 1.
    #[error("ask for a share of {0} in common")]
    Threshold(f64),
    /// An overlap must be from 0 to 1.
    #[error("ask for an overlap of {0}")]
    Overlap(f32),
}

impl Settings {
    /// Checks that the settings go together; `is_stored` where the index is kept in a directory.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self, is_stored: bool) -> Result<(), SettingsError> {
        let is_compared = self.method.is_compared();
        if self.memory == Memory::Disk && !is_stored {
            return Err(SettingsError::DiskWithoutDirectory);
        }
        if is_stored && (is_compared || self.features != Features::default()) {
            return Err(SettingsError::NotStored);
        }
        if is_compared && self.keep != Keep::First {
            return Err(SettingsError::KeepsFirst);
        }
        match self.threshold {
            Some(share) if !(share > 0.0 && share <= 1.0) => {
                return Err(SettingsError::Threshold(share));
            }
            Some(_) | None => {}
        }
        if !(0.0..=1.0).contains(&self.overlap) {
            return Err(SettingsError::Overlap(self.overlap));
        }
        Ok(())
    }

    /// The choices that were made in vain.
    pub fn unread(&self) -> Vec<Unread> {
        let usual = Settings::default();
        let (made, of) = (&self.features, &usual.features);
        let choices = [
            ("k", self.k != usual.k, BY_DISTANCE),
            ("reach", self.reach.is_some(), BY_SKETCH),
            ("overlap", self.overlap != usual.overlap, BY_SKETCH),
            ("threshold", self.threshold.is_some(), BY_SHARE),
            ("tables", self.tables != usual.tables, BY_PRINT),
            ("words", made.cut != of.cut, BY_PRINT),
            ("drop-stop-words", made.drop_stop_words, BY_PRINT),
            ("stem", made.stem, BY_PRINT),
            ("weights", made.weight != of.weight, BY_PRINT),
            ("hash", made.hash != of.hash, BY_PRINT),
            ("shingle", self.shingle.is_some(), BY_RUNS),
            ("modulus", made.modulus != of.modulus, BY_RUNS),
        ];
        let unread = choices
            .into_iter()
            .filter(|(_, is_made, methods)| *is_made && !methods.contains(&self.method));
        unread
            .map(|(choice, _, methods)| Unread { choice, methods })
            .collect()
    }

    /// The index that answers: what it looks for, and where it is held.
    pub fn index(&self) -> IndexConfig {
        let usual = IndexConfig::default();
        let complete = Layout::of(self.tables).complete;
        let reach = self.reach.unwrap_or(usual.reach.min(complete));
        let config = IndexConfig {
            k: self.k,
            reach: reach.max(self.k),
            overlap: self.overlap,
            tables: self.tables,
            memory: self.memory,
            ..usual
        };
        match self.method {
            Method::Combined => config,
            // It holds what is kept, and is not asked for what is near.
            Method::IMatch | Method::Shingles | Method::SpotSigs => IndexConfig {
                memory: self.memory,
                ..usual
            },
            Method::Simhash => IndexConfig {
                reach: self.k,
                overlap: OVERLAP_NEVER,
                ..config
            },
            Method::Exact => IndexConfig {
                k: 0,
                reach: 0,
                overlap: OVERLAP_NEVER,
                ..config
            },
        }
    }

    /// Whether the first documents must be seen before any is judged: rare words are told from
    /// common ones.
    pub fn need_sample(&self) -> bool {
        self.method == Method::IMatch || self.features.need_lexicon()
    }

    /// The compared method, with what the sample says of words; `None` for a crawl's own.
    pub(crate) fn detector(&self, lexicon: &Lexicon) -> Option<Detector> {
        let shingles = Shingles::default();
        match self.method {
            Method::Combined | Method::Simhash | Method::Exact => None,
            Method::IMatch => Some(Detector::IMatch(IMatch::new(lexicon.clone()))),
            Method::Shingles => Some(Detector::Shingles(Shingles {
                words: self.shingle.unwrap_or(shingles.words),
                sampled: match self.features.modulus {
                    1 => Sampled::MinHash,
                    modulus => Sampled::Modulo(modulus),
                },
                overlap: self.threshold.unwrap_or(shingles.overlap),
            })),
            Method::SpotSigs => Some(Detector::SpotSigs(SpotSigs {
                overlap: self.threshold.unwrap_or(SpotSigs::default().overlap),
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_do_not_go_together_are_told() {
        let usual = Settings::default;
        let imatch = || Settings {
            method: Method::IMatch,
            ..usual()
        };
        let disk = Settings {
            memory: Memory::Disk,
            ..usual()
        };
        let stemmed = Settings {
            features: Features {
                stem: true,
                ..Features::default()
            },
            ..usual()
        };
        let longest = Settings {
            keep: Keep::Longest,
            ..imatch()
        };
        let share = Settings {
            threshold: Some(0.0),
            ..usual()
        };
        let overlap = Settings {
            overlap: f32::NAN,
            ..usual()
        };
        assert_eq!(disk.check(true), Ok(()));
        assert_eq!(disk.check(false), Err(SettingsError::DiskWithoutDirectory));
        assert_eq!(stemmed.check(false), Ok(()));
        assert_eq!(stemmed.check(true), Err(SettingsError::NotStored));
        assert_eq!(imatch().check(true), Err(SettingsError::NotStored));
        assert_eq!(longest.check(false), Err(SettingsError::KeepsFirst));
        assert_eq!(share.check(false), Err(SettingsError::Threshold(0.0)));
        assert!(matches!(
            overlap.check(false),
            Err(SettingsError::Overlap(_))
        ));
    }

    #[test]
    fn what_a_method_does_not_read_is_told() {
        // It was passed over without a word.
        let unread = |settings: Settings| -> Vec<&str> {
            let unread = settings.unread();
            unread.iter().map(|unread| unread.choice).collect()
        };
        let all = |method| Settings {
            method,
            k: 1,
            reach: Some(5),
            overlap: 0.9,
            threshold: Some(0.9),
            tables: Tables::Sixteen,
            features: Features {
                stem: true,
                modulus: 4,
                ..Features::default()
            },
            shingle: Some(2),
            ..Settings::default()
        };
        assert_eq!(unread(all(Method::Combined)), ["threshold"]);
        assert_eq!(
            unread(all(Method::Simhash)),
            ["reach", "overlap", "threshold"]
        );
        assert_eq!(
            unread(all(Method::Exact)),
            ["k", "reach", "overlap", "threshold"]
        );
        let compared = ["k", "reach", "overlap", "tables", "stem"];
        assert_eq!(unread(all(Method::Shingles)), compared);
        let runs = ["shingle", "modulus"];
        assert_eq!(
            unread(all(Method::SpotSigs)),
            [&compared[..], &runs].concat()
        );
        assert!(unread(all(Method::IMatch)).contains(&"threshold"));
        for method in [Method::Combined, Method::IMatch] {
            let usual = Settings {
                method,
                ..Settings::default()
            };
            assert!(unread(usual).is_empty());
        }
        // A reach that four tables cannot answer, and that nobody asks for.
        let far = Settings {
            reach: Some(20),
            ..all(Method::Shingles)
        };
        assert_eq!(far.index(), IndexConfig::default());
    }

    #[test]
    fn the_reach_is_what_the_tables_can_answer_and_never_below_k() {
        let reach = |tables, k, reach| {
            let settings = Settings {
                tables,
                k,
                reach,
                ..Settings::default()
            };
            settings.index().reach
        };
        assert_eq!(reach(Tables::Four, 3, None), IndexConfig::default().reach);
        assert_eq!(reach(Tables::Ten, 3, None), 3);
        assert_eq!(reach(Tables::Three, 3, None), 8);
        assert_eq!(reach(Tables::Four, 5, Some(2)), 5);
    }

    #[test]
    fn simhash_and_exact_look_no_further_than_they_decide() {
        let index = |method| {
            let settings = Settings {
                method,
                ..Settings::default()
            };
            (settings.index().k, settings.index().reach)
        };
        assert_eq!(index(Method::Simhash), (3, 3));
        assert_eq!(index(Method::Exact), (0, 0));
    }
}
