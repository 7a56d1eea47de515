//! A query for what a page must not hold.
//!
//! The engine asks an excluded query about each candidate page with `seek_danger`, even when the
//! query stands beyond the candidate or has ended. A phrase query then answers correctly, but asserts
//! in debug builds that it is never asked so. This wrapper uses the default of `seek_danger`, which
//! looks at [`DocSet::doc`] first and seeks forward only.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, Term};

/// A query whose pages are excluded.
#[derive(Debug)]
pub(crate) struct Exclusion(pub Box<dyn Query>);

impl Clone for Exclusion {
    fn clone(&self) -> Exclusion {
        Exclusion(self.0.box_clone())
    }
}

struct ExclusionWeight(Box<dyn Weight>);

struct ExclusionScorer(Box<dyn Scorer>);

impl Query for Exclusion {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(ExclusionWeight(self.0.weight(scoring)?)))
    }

    fn query_terms<'a>(&'a self, visitor: &mut dyn FnMut(&'a Term, bool)) {
        self.0.query_terms(visitor);
    }
}

impl Weight for ExclusionWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(ExclusionScorer(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, doc)
    }
}

impl DocSet for ExclusionScorer {
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

impl Scorer for ExclusionScorer {
    fn score(&mut self) -> Score {
        0.0
    }
}
