//! All that near-duplicate detection remembers of a text.

use xxhash_rust::xxh3::xxh3_64;

use crate::{Fingerprint, Sketch};

/// The number of this way to make prints. It changes when the print of any text could change;
/// prints of different schemes must not be compared.
pub const FINGERPRINT_SCHEME: u32 = segment::SEGMENT_SCHEME * 100 + 1;

/// A text's print: enough to find its copies and to confirm or refute them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TextPrint {
    /// Proposes candidates.
    pub fingerprint: Fingerprint,
    /// Decides between them.
    pub sketch: Sketch,
    /// The number of words in the text.
    pub word_count: u32,
    /// xxh3_64 over the words' hashes in order: equal for texts with the same words in the same
    /// order, whatever their spelling, spaces and punctuation.
    pub digest: u64,
}

/// The print of a text.
pub fn print(words: &segment::Words) -> TextPrint {
    print_hashes(words.hashes())
}

/// The print of a text given by its words' hashes in order.
pub fn print_hashes(hashes: &[u64]) -> TextPrint {
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    TextPrint {
        fingerprint: Fingerprint::of(hashes),
        sketch: Sketch::of(hashes),
        word_count: u32::try_from(hashes.len()).unwrap_or(u32::MAX),
        digest: xxh3_64(&bytes),
    }
}
