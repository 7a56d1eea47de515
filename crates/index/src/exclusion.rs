//! What a page must not hold, as a query that may be asked about any page at any time.
//!
//! The engine asks what it leaves out about each candidate with `seek_danger`, also when that
//! stands behind the candidate already or has ended. A phrase answers rightly, but asserts in debug
//! builds that it is never asked so. Here it is not: the question ends where the answer is known.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, Term};

/// A query whose pages are left out.
#[derive(Debug)]
pub(crate) struct Unwanted(pub Box<dyn Query>);

impl Clone for Unwanted {
    fn clone(&self) -> Unwanted {
        Unwanted(self.0.box_clone())
    }
}

struct UnwantedWeight(Box<dyn Weight>);

struct UnwantedScorer(Box<dyn Scorer>);

impl Query for Unwanted {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(UnwantedWeight(self.0.weight(scoring)?)))
    }

    fn query_terms<'a>(&'a self, visitor: &mut dyn FnMut(&'a Term, bool)) {
        self.0.query_terms(visitor);
    }
}

impl Weight for UnwantedWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(UnwantedScorer(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, doc)
    }
}

/// The default of `seek_danger` asks for [`DocSet::doc`] first, and seeks forward only.
impl DocSet for UnwantedScorer {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }
}

impl Scorer for UnwantedScorer {
    fn score(&mut self) -> Score {
        0.0
    }
}
