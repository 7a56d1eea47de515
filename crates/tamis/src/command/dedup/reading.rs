//! Documents to what is judged: prints, and with a compared method the signatures.

use resemblance::detector::{Detector, Signature};
use resemblance::features::Features;
use resemblance::imatch::IMatch;
use resemblance::lexicon::Lexicon;
use resemblance::shingles::{Sampled, Shingles};
use resemblance::spotsigs::SpotSigs;
use simhash::TextPrint;

use super::source::{Document, Page};
use super::{Args, Method};
use crate::command::in_order;

/// How the documents of a run are read.
pub struct Reader {
    /// What the fingerprint is made of, where that is not what a crawl does.
    features: Option<Features>,
    lexicon: Lexicon,
    /// The compared method.
    pub detector: Option<Detector>,
}

/// A document that was read.
pub struct Reading {
    /// Its print.
    pub print: TextPrint,
    /// What else its page says.
    pub page: Page,
    /// What the compared method remembers of it.
    pub signature: Option<Signature>,
}

impl Reader {
    /// Whether the first documents must be seen before any is judged: rare words are told from
    /// common ones.
    pub fn needs_sample(args: &Args) -> bool {
        args.method == Method::Imatch || args.features.features().need_lexicon()
    }

    /// The reader that the options ask for, with what the sample says of words.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn new(args: &Args, sample: &[Document]) -> std::io::Result<Reader> {
        let features = args.features.features();
        let hashes = in_order::map(sample, |document| features.hashes(&document.words().0))?;
        let lexicon = Lexicon::of(hashes.into_iter().flatten());
        let shingles = Shingles::default();
        let detector = match args.method {
            Method::Combined | Method::Simhash | Method::Exact => None,
            Method::Imatch => Some(Detector::IMatch(IMatch::new(lexicon.clone()))),
            Method::Shingles => Some(Detector::Shingles(Shingles {
                words: args.features.shingle().unwrap_or(shingles.words),
                sampled: match features.modulus {
                    1 => Sampled::MinHash,
                    modulus => Sampled::Modulo(modulus),
                },
                overlap: args.threshold.unwrap_or(shingles.overlap),
            })),
            Method::Spotsigs => Some(Detector::SpotSigs(SpotSigs {
                overlap: args.threshold.unwrap_or(SpotSigs::default().overlap),
            })),
        };
        let usual = features == Features::default() || detector.is_some();
        Ok(Reader {
            features: (!usual).then_some(features),
            lexicon,
            detector,
        })
    }

    /// Reads a document.
    pub fn read(&self, document: &Document) -> Reading {
        let (words, page) = document.words();
        let mut print = simhash::print(&words);
        if let Some(features) = &self.features {
            print.fingerprint = features.fingerprint(&words, &self.lexicon);
        }
        Reading {
            print,
            page,
            signature: self.detector.as_ref().map(|detector| detector.sign(&words)),
        }
    }
}
