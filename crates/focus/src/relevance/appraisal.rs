//! What the pages read come to as they are judged now, which is not the sum of the verdicts that
//! were given when they came: the model has learnt since.

use super::{Judge, Kind};

/// What the pages read come to as the topic's model judges them now.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Appraisal {
    /// Pages that were read.
    pub(crate) pages: u64,
    /// How many of them are relevant and new.
    pub(crate) found: f32,
    /// The last pages looked at.
    pub(crate) window: u64,
    /// How many of these are relevant and new.
    pub(crate) lately: f32,
}

impl Judge {
    /// What all pages seen come to as they are judged now, and the last of them, a share of all.
    pub(crate) fn appraise(&self, threshold: f32, lately: f32) -> Appraisal {
        let window = ((self.seen as f64 * f64::from(lately)) as u64).min(self.seen);
        let mut appraisal = Appraisal {
            pages: self.seen,
            window,
            ..Appraisal::default()
        };
        let mut count = 0u32;
        for kept in self.kept.iter().filter(|kept| kept.kind == Kind::Seen) {
            count += 1;
            let relevance = kept.probability * self.listing_share(&kept.keywords);
            if kept.counts && relevance >= threshold {
                appraisal.found += 1.0;
                appraisal.lately += f32::from(u8::from(kept.turn > self.seen - window));
            }
        }
        // Each page kept stands for so many.
        let each = self.seen as f32 / count.max(1) as f32;
        appraisal.found *= each;
        appraisal.lately *= each;
        appraisal
    }
}
