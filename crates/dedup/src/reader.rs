//! Documents to what is judged: prints, and with a compared method the signatures.

use documents::workers::NoThreads;
use documents::{Document, PageFacts, Workers};
use resemblance::detector::{Detector, Signature};
use resemblance::features::Features;
use resemblance::lexicon::Lexicon;
use simhash::TextPrint;

use crate::settings::Settings;

/// How the documents of a run are read, on all cores.
#[derive(Debug)]
pub struct Reader {
    workers: Workers,
    /// What the fingerprint is made of, where that is not what a crawl does.
    features: Option<Features>,
    lexicon: Lexicon,
    /// The compared method.
    detector: Option<Detector>,
}

/// A document that was read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Its print.
    pub print: TextPrint,
    /// What else its page says.
    pub facts: PageFacts,
    /// What the compared method remembers of it.
    pub signature: Option<Signature>,
}

impl Reader {
    /// The reader that the settings ask for, with what the sample says of words.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn new(settings: &Settings, sample: &[&Document]) -> Result<Reader, NoThreads> {
        let workers = Workers::new()?;
        let features = settings.features.clone();
        let hashes = workers.map(sample, |document| features.hashes(&document.read().0));
        let lexicon = Lexicon::of(hashes.into_iter().flatten());
        let detector = settings.detector(&lexicon);
        // A compared method decides by its signatures; the print is the one of a crawl.
        let is_usual = features == Features::default() || detector.is_some();
        Ok(Reader {
            workers,
            features: (!is_usual).then_some(features),
            lexicon,
            detector,
        })
    }

    /// Reads a document.
    pub fn read(&self, document: &Document) -> Reading {
        let (words, facts) = document.read();
        let mut print = simhash::print(&words);
        if let Some(features) = &self.features {
            print.fingerprint = features.fingerprint(&words, &self.lexicon);
        }
        Reading {
            print,
            facts,
            signature: self.detector.as_ref().map(|detector| detector.sign(&words)),
        }
    }

    /// Reads those of a batch that are documents; `None` where the reading panicked.
    pub(crate) fn read_batch<T: Sync>(
        &self,
        batch: &[T],
        document: impl Fn(&T) -> Option<&Document> + Sync,
    ) -> Vec<Option<Reading>> {
        let readings = self.workers.map(batch, |next| {
            document(next).map(|document| self.read(document))
        });
        readings.into_iter().map(Option::flatten).collect()
    }

    /// The compared method.
    pub(crate) fn detector(&self) -> Option<&Detector> {
        self.detector.as_ref()
    }
}
