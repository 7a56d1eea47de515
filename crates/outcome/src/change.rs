//! What a visit says of the visit before.

use crate::names::names;

names! {
    /// What a visit to a URL says of the visit before.
    pub enum Change {
        /// It was read for the first time.
        New = "new",
        /// Not modified, or the same words.
        Unchanged = "unchanged",
        /// Nearly the same: another date, a counter, a few words.
        Touched = "touched",
        /// Another text.
        Changed = "changed",
        /// It points elsewhere now.
        Moved = "moved",
        /// Missing for long enough to be taken out.
        Gone = "gone",
        /// It was gone, and is there again.
        Back = "back",
        /// The visit says nothing: no answer, a server error, a refusal, or missing for the first time.
        Unclear = "unclear",
    }
}

impl Default for Change {
    fn default() -> Self {
        Self::Unknown("".into())
    }
}

impl Change {
    /// Whether a person who follows the page wants to hear of it.
    pub fn is_news(&self) -> bool {
        match self {
            Self::New | Self::Changed | Self::Moved | Self::Gone | Self::Back => true,
            Self::Unchanged | Self::Touched | Self::Unclear | Self::Unknown(_) => false,
        }
    }
}
