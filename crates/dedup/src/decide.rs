//! The decisions, one document after the other.

use std::collections::BTreeMap;

use documents::batches::Batch;
use documents::workers::NoThreads;
use documents::{Document, DocumentError, Entry};
use outcome::{DuplicateKind, JunkReason};
use report::original::{Candidate, Original, original};
use resemblance::detector::{KeptSignatures, Signature};
use serde_json::Value;
use sieve::{Content, Evidence, Member, Rules};
use simhash::{Decision as NeighbourDecision, Fingerprint, Neighbour, Reason, TextPrint};

use crate::kept::{KeptDocuments, KeptError, Name};
use crate::reader::{Reader, Reading};
use crate::settings::{Method, Settings};

/// What is decided about a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The document's id.
    pub id: Value,
    /// Kept or not.
    pub verdict: Verdict,
    /// The kind of the duplicate that it is, also where it takes the place of what it repeats.
    pub kind: Option<DuplicateKind>,
    /// The nearest kept document, whether a duplicate or not.
    pub near: Option<Near>,
    /// Of a duplicate and the document that it repeats, the likelier source; and why.
    pub original: Option<Original>,
    /// The document's fingerprint.
    pub fingerprint: Fingerprint,
    /// The document's words.
    pub words: u32,
}

/// Whether a document is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It repeats nothing.
    Kept,
    /// It repeats a kept document and takes its place.
    Replaces {
        /// Why it is the better one.
        because: &'static str,
    },
    /// The words of a kept document in the same order.
    ExactDuplicate,
    /// It repeats a kept document with changes.
    NearDuplicate,
}

impl Verdict {
    /// Whether the document is among the kept ones now.
    pub fn is_kept(self) -> bool {
        match self {
            Verdict::Kept | Verdict::Replaces { .. } => true,
            Verdict::ExactDuplicate | Verdict::NearDuplicate => false,
        }
    }

    /// The stable name; one that takes a place is kept.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Kept | Verdict::Replaces { .. } => "kept",
            Verdict::ExactDuplicate => JunkReason::ExactDuplicate.name(),
            Verdict::NearDuplicate => JunkReason::NearDuplicate.name(),
        }
    }
}

/// The kept document that decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// Its id.
    pub id: Value,
    /// Bits in which the fingerprints differ.
    pub distance: u8,
    /// Estimated share of word pairs in common, 0 to 1.
    pub overlap: f32,
    /// Estimated share of the smaller text's word pairs that the larger one has too.
    pub containment: Option<f32>,
    /// Why it was decided so, where a crawl's rule did; none with other methods.
    pub reason: Option<Reason>,
}

/// The answer to what stands next in a file.
#[derive(Debug)]
pub enum Answer {
    /// A document was judged.
    Decided(Box<Decision>),
    /// There is nothing to judge.
    Failed(Failure),
    /// A record that is no page.
    Other,
}

/// Why nothing is decided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A line is no document, or the rest of a file cannot be read.
    #[error(transparent)]
    NoDocument(#[from] DocumentError),
    /// A fault of ours.
    #[error("reading the document failed in an unexpected way")]
    Panicked {
        /// The document's id.
        id: Value,
    },
}

impl Failure {
    /// The id that the document has all the same.
    pub fn id(&self) -> Option<&Value> {
        match self {
            Failure::NoDocument(error) => error.id.as_ref(),
            Failure::Panicked { id } => Some(id),
        }
    }
}

/// What a run has seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Documents by the name of their verdict.
    pub verdicts: BTreeMap<&'static str, u64>,
    /// Documents that took the place of an earlier one; they are among the kept.
    pub replaced: u64,
    /// Lines that are no documents.
    pub failed: u64,
    /// Records that are no pages.
    pub other: u64,
}

impl Counts {
    /// Counts an answer.
    pub fn add(&mut self, answer: &Answer) {
        match answer {
            Answer::Decided(decision) => {
                *self.verdicts.entry(decision.verdict.name()).or_default() += 1;
                let replaces = matches!(decision.verdict, Verdict::Replaces { .. });
                self.replaced += u64::from(replaces);
            }
            Answer::Failed(_) => self.failed += 1,
            Answer::Other => self.other += 1,
        }
    }

    /// All documents that were judged.
    pub fn documents(&self) -> u64 {
        self.verdicts.values().sum()
    }
}

/// Judges documents in their order.
#[derive(Debug)]
pub struct Deduplicator {
    settings: Settings,
    reader: Reader,
    kept: KeptDocuments,
    /// The kept documents as a compared method remembers them.
    signatures: Option<KeptSignatures>,
}

impl Deduplicator {
    /// Goes on from what is kept. `sample` is the first documents, where the settings
    /// [need them](Settings::need_sample).
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn new(
        settings: &Settings,
        kept: KeptDocuments,
        sample: &[&Document],
    ) -> Result<Deduplicator, NoThreads> {
        let reader = Reader::new(settings, sample)?;
        Ok(Deduplicator {
            settings: settings.clone(),
            signatures: reader.detector().map(|detector| detector.kept()),
            reader,
            kept,
        })
    }

    /// The kept documents.
    pub fn kept(&self) -> &KeptDocuments {
        &self.kept
    }

    /// Stores what was kept since the last time; see [`KeptDocuments::store`].
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn store(&mut self) -> Result<(), KeptError> {
        self.kept.store()
    }

    /// Answers a batch: all of it is read at once on all cores, and each document judged when the
    /// iterator comes to it.
    ///
    /// # Errors
    /// An answer is an error when the kept documents cannot be stored; there is no going on.
    pub fn answers(
        &mut self,
        batch: Batch,
    ) -> impl Iterator<Item = Result<Answer, KeptError>> + '_ {
        let readings = self.reader.read_batch(&batch, |next| match next {
            Ok(Entry::Document(document)) => Some(document),
            Ok(Entry::Other) | Err(_) => None,
        });
        let batch = batch.into_iter().zip(readings);
        batch.map(|(next, reading)| match next {
            Ok(Entry::Document(document)) => match reading {
                Some(reading) => {
                    let decision = self.judge(document, reading)?;
                    Ok(Answer::Decided(Box::new(decision)))
                }
                None => Ok(Answer::Failed(Failure::Panicked { id: document.id })),
            },
            Ok(Entry::Other) => Ok(Answer::Other),
            Err(error) => Ok(Answer::Failed(error.into())),
        })
    }

    /// Reads one document and judges it.
    ///
    /// # Errors
    /// The kept documents cannot be stored.
    pub fn decide(&mut self, document: Document) -> Result<Decision, KeptError> {
        let reading = self.reader.read(&document);
        self.judge(document, reading)
    }

    /// Judges a document, and keeps it if it is worth it.
    fn judge(&mut self, document: Document, reading: Reading) -> Result<Decision, KeptError> {
        let Reading {
            print,
            facts,
            signature,
        } = reading;
        let new = Name {
            id: document.id,
            layout: facts.layout,
            url: document.url.map(String::from),
            published: facts.published,
            canonical: facts.canonical,
            source: facts.source,
        };
        let found = self.nearest(&print, signature.as_ref())?;
        let decision = self.decision(&print, &new, found.as_ref());
        match (decision.verdict, found) {
            (Verdict::ExactDuplicate | Verdict::NearDuplicate, _) => {}
            (Verdict::Replaces { .. }, Some((near, _))) => {
                self.kept.replace(near.page, &print, new)?;
            }
            (Verdict::Kept | Verdict::Replaces { .. }, _) => {
                self.kept.insert(&print, new)?;
                if let (Some(kept), Some(signature)) = (&mut self.signatures, signature) {
                    kept.insert(signature);
                }
            }
        }
        Ok(decision)
    }

    /// The kept document that decides by the chosen method, and its name.
    fn nearest(
        &mut self,
        print: &TextPrint,
        signature: Option<&Signature>,
    ) -> Result<Option<(Neighbour, Name)>, KeptError> {
        if let (Some(kept), Some(signature)) = (&self.signatures, signature) {
            let Some(repeated) = kept.repeated(signature) else {
                return Ok(None);
            };
            let found = self.kept.neighbour(print, repeated)?;
            let decision = NeighbourDecision::Duplicate;
            return Ok(found.map(|(near, name)| (Neighbour { decision, ..near }, name)));
        }
        let Some((near, name)) = self.kept.nearest(print)? else {
            return Ok(None);
        };
        let decision = match self.settings.method {
            Method::Simhash if near.distance <= self.settings.k => NeighbourDecision::Duplicate,
            Method::Simhash => NeighbourDecision::Unconfirmed,
            Method::Combined | Method::Exact => near.decision,
            Method::IMatch | Method::Shingles | Method::SpotSigs => near.decision,
        };
        Ok(Some((Neighbour { decision, ..near }, name)))
    }

    /// What follows for a document from the kept one nearest to it.
    fn decision(
        &self,
        print: &TextPrint,
        new: &Name,
        found: Option<&(Neighbour, Name)>,
    ) -> Decision {
        let repeated = found.filter(|(near, _)| is_duplicate(near, print));
        let verdict = match repeated {
            None => Verdict::Kept,
            Some((near, old)) => {
                let (old, new) = (member(old, near.word_count), member(new, print.word_count));
                match sieve::better_representative(&old, &new, self.settings.keep) {
                    Some(because) => Verdict::Replaces { because },
                    None if near.exact => Verdict::ExactDuplicate,
                    None => Verdict::NearDuplicate,
                }
            }
        };
        let by_rule = self.settings.method == Method::Combined;
        Decision {
            id: new.id.clone(),
            verdict,
            kind: repeated.map(|(near, old)| duplicate_kind(near, old.layout, new.layout)),
            near: found.map(|(near, old)| Near {
                id: old.id.clone(),
                distance: near.distance,
                overlap: near.overlap,
                containment: near.containment,
                reason: by_rule.then_some(near.reason),
            }),
            original: repeated.and_then(|(_, old)| original(&[candidate(old), candidate(new)])),
            fingerprint: print.fingerprint,
            words: print.word_count,
        }
    }
}

/// Whether a text repeats the neighbour by the verdict of a crawl, which is asked about nothing
/// but duplicates.
fn is_duplicate(near: &Neighbour, print: &TextPrint) -> bool {
    let evidence = Evidence {
        status: 200,
        content: Content::Page,
        is_wall: false,
        words: print.word_count,
        may_index: true,
        soft_404: false,
        listing: false,
        language: None,
        relevance: None,
        neighbour: Some(*near),
        same_layout: false,
    };
    let rules = Rules {
        words_min: 0,
        ..Rules::default()
    };
    sieve::judge(&evidence, &rules) != outcome::Verdict::Index
}

/// The kind of a duplicate, by its page's layout and that of the kept page.
pub(crate) fn duplicate_kind(near: &Neighbour, kept_layout: u64, layout: u64) -> DuplicateKind {
    let differ = (kept_layout ^ layout).count_ones();
    sieve::duplicate_kind(near, differ <= sieve::LAYOUT_BITS_MAX)
}

/// What tells a source from its copy.
fn candidate(name: &Name) -> Candidate {
    Candidate {
        url: name.address(),
        canonical: name.canonical.clone(),
        source: name.source.clone(),
        published: name.published.clone(),
        ..Candidate::default()
    }
}

/// What matters of a document when two stand for the same text.
fn member(name: &Name, words: u32) -> Member {
    Member {
        url: name.address(),
        words,
        published: name.published.clone(),
        canonical: name.canonical.clone(),
    }
}

#[cfg(test)]
mod tests;
