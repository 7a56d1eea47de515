//! How a duplicate resembles the page it repeats.

use outcome::DuplicateKind;
use simhash::Neighbour;

/// Overlap from which a copy counts as whole. A copy with a changed date, byline or advert keeps
/// over nine tenths of its word pairs.
const FULL_OVERLAP: f32 = 0.9;

/// Layouts that differ in no more bits than this are the same: pages of one template differ by a
/// menu entry or a missing picture.
pub const LAYOUT_BITS_MAX: u32 = 6;

/// The kind of a duplicate of `neighbour`: whole or in part, in the same page layout or another.
pub fn duplicate_kind(neighbour: &Neighbour, same_layout: bool) -> DuplicateKind {
    let full = neighbour.exact || neighbour.overlap >= FULL_OVERLAP;
    match (full, same_layout) {
        (true, true) => DuplicateKind::FullLayout,
        (true, false) => DuplicateKind::FullContent,
        (false, true) => DuplicateKind::PartialLayout,
        (false, false) => DuplicateKind::PartialContent,
    }
}
