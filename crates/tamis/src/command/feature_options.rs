//! What a fingerprint is made of, as options: the field's other choices beside a crawl's.

use clap::ValueEnum;
use resemblance::features::{Features, Hash, Weight};
use resemblance::han::Cut;

/// The options; none given is what a crawl does.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "What the fingerprint is made of (to compare with the default)")]
pub struct FeatureOptions {
    /// How Chinese is cut into words
    #[arg(long, value_enum, default_value_t = Words::Jieba)]
    words: Words,
    /// Leave out the words that every text has
    #[arg(long)]
    drop_stop_words: bool,
    /// Cut English words down to their stems
    #[arg(long)]
    stem: bool,
    /// What a word weighs
    #[arg(long, value_enum, default_value_t = Weights::Tf)]
    weights: Weights,
    /// How a word is hashed
    #[arg(long, value_enum, default_value_t = HashName::Pinned)]
    hash: HashName,
    /// Words in a feature: runs of them instead of single ones [default: 1; for --method
    /// shingles 3]
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u8).range(1..=32))]
    shingle: Option<u8>,
    /// Only the features whose hash is 0 modulo this; with --method shingles instead of MinHash
    #[arg(long, value_name = "M", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    modulus: u64,
}

/// How Chinese is cut into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Words {
    /// By the frequencies of its words.
    Jieba,
    /// The longest match from the front.
    Forward,
    /// The longest match from the back.
    Reverse,
    /// The fewest words.
    Fewest,
}

/// What a word weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Weights {
    /// As often as it stands.
    Tf,
    /// 1 to 5, by fifths of tf times idf.
    Levels,
    /// As often as it stands, times its idf.
    TfIdf,
}

/// How a word is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HashName {
    /// xxh3, 64 bits.
    Pinned,
    /// The GB2312 numbers of its characters, repeated.
    Gb2312,
    /// Its number among the words of the first documents, repeated.
    Enumerated,
}

impl FeatureOptions {
    /// The choices.
    pub fn features(&self) -> Features {
        Features {
            cut: match self.words {
                Words::Jieba => Cut::Jieba,
                Words::Forward => Cut::Forward,
                Words::Reverse => Cut::Reverse,
                Words::Fewest => Cut::Fewest,
            },
            drop_stop_words: self.drop_stop_words,
            stem: self.stem,
            weight: match self.weights {
                Weights::Tf => Weight::Count,
                Weights::Levels => Weight::Levels,
                Weights::TfIdf => Weight::CountIdf,
            },
            hash: match self.hash {
                HashName::Pinned => Hash::Pinned,
                HashName::Gb2312 => Hash::Gb2312,
                HashName::Enumerated => Hash::Enumerated,
            },
            shingle: usize::from(self.shingle.unwrap_or(1)),
            modulus: self.modulus,
        }
    }

    /// Words in a run, where it was said.
    pub fn shingle(&self) -> Option<usize> {
        self.shingle.map(usize::from)
    }
}
