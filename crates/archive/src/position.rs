//! A place in the journal, in one ordered number: what a view remembers.

use serde::{Deserialize, Serialize};

/// Bits of a position that hold the byte offset: files up to 1 TiB.
const OFFSET_BITS: u32 = 40;

/// A place in the journal: file number and byte offset, ordered as records were written.
///
/// ```text
///  63            40 39                            0
/// ┌────────────────┬──────────────────────────────┐
/// │ journal file   │ byte offset of a gzip member │
/// └────────────────┴──────────────────────────────┘
/// ```
///
/// Views store it as a plain `u64` next to their data. 0 is before the first record.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Position(pub u64);

impl Position {
    /// Before the first record.
    pub const START: Position = Position(0);

    /// The place `offset` bytes into journal file number `file`.
    ///
    /// # Panics
    /// When the offset is 1 TiB or more; files roll over long before.
    pub fn new(file: u32, offset: u64) -> Position {
        assert!(offset >> OFFSET_BITS == 0, "journal files stay below 1 TiB");
        Position(u64::from(file) << OFFSET_BITS | offset)
    }

    /// The journal file's number.
    pub fn file(self) -> u32 {
        (self.0 >> OFFSET_BITS) as u32
    }

    /// The byte offset in it.
    pub fn offset(self) -> u64 {
        self.0 & ((1 << OFFSET_BITS) - 1)
    }

    /// Bytes of the journal from here to a later place; only those of the last file where that is the next
    /// one, and `None` with a whole file in between.
    pub fn bytes_until(self, later: Position) -> Option<u64> {
        match later.file().saturating_sub(self.file()) {
            0 => Some(later.offset().saturating_sub(self.offset())),
            1 => Some(later.offset()),
            _ => None,
        }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file(), self.offset())
    }
}

impl std::str::FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> Result<Position, ()> {
        let (file, offset) = text.split_once(':').ok_or(())?;
        let file = file.parse().map_err(|_| ())?;
        let offset: u64 = offset.parse().map_err(|_| ())?;
        if offset >> OFFSET_BITS != 0 {
            return Err(());
        }
        Ok(Position::new(file, offset))
    }
}

impl From<u64> for Position {
    fn from(position: u64) -> Position {
        Position(position)
    }
}

impl From<Position> for u64 {
    fn from(position: Position) -> u64 {
        position.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_ordered_as_records_are_written() {
        assert!(Position::START < Position::new(1, 0));
        assert!(Position::new(1, 9_999_999) < Position::new(2, 0));
        assert!(Position::new(2, 5) < Position::new(2, 6));
    }

    #[test]
    fn a_position_survives_its_text_form() {
        let position = Position::new(12, 34_567);
        assert_eq!(position.to_string(), "12:34567");
        assert_eq!("12:34567".parse(), Ok(position));
        assert_eq!("12".parse::<Position>(), Err(()));
        assert_eq!("1:99999999999999".parse::<Position>(), Err(()));
    }
}
