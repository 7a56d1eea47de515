//! Undoing a body's content codings, under bounds.
use crate::limits::FetchLimits;
/// A decoded body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decoding {
    /// What could be decoded.
    pub bytes: Vec<u8>,
    /// Why it ended early: a bomb, corrupt, truncated. `None` when it is whole.
    pub stopped: Option<String>,
}
/// Decodes.
pub fn decode<'v>(body: &[u8], _c: impl Iterator<Item = &'v str>, _l: &FetchLimits) -> Decoding {
    Decoding {
        bytes: body.to_vec(),
        stopped: None,
    }
}
