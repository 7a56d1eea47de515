//! A history, written and read again: the next plan reads on where it was saved.
//!
//! ```text
//! parts = history, parts of its pages, an empty part, parts of URLs without one, an empty part,
//!         whether it holds what visits are compared with, parts of that, an empty part
//! ```
//!
//! What stands in it twice is written once. The same records give a history that is equal, whether they
//! were read at one go or partly before it was saved.

use std::collections::HashMap;
use std::io::{Read, Write};

use state::snapshot::{Parts, SnapshotError, read_part};

use super::{History, Holds, Known, Unread};

/// So many pages are one part, of half a megabyte, or with what their visits are compared with of some
/// megabytes.
const PAGES_PER_PART: usize = 4_096;

impl History {
    /// Writes it.
    ///
    /// # Errors
    /// When `to` cannot be written.
    pub(in crate::again) fn write<W: Write>(
        &self,
        to: &mut Parts<'_, W>,
    ) -> Result<(), SnapshotError> {
        to.write(self)?;
        for part in self.known.chunks(PAGES_PER_PART).chain([&[][..]]) {
            to.write(&part)?;
        }
        let mut unread: Vec<(u64, Unread)> =
            self.unread.iter().map(|(url, one)| (*url, *one)).collect();
        unread.sort_unstable_by_key(|(url, _)| *url);
        for part in unread.chunks(PAGES_PER_PART).chain([&[][..]]) {
            to.write(&part)?;
        }
        to.write(&(self.holds == Holds::All))?;
        let dues: Vec<(u64, Box<[u8]>)> = self.dues.saved().into_iter().collect();
        for part in dues.chunks(PAGES_PER_PART).chain([&[][..]]) {
            to.write(&part)?;
        }
        Ok(())
    }

    /// Reads it, with what visits are compared with or without.
    ///
    /// # Errors
    /// When `from` cannot be read, or is damaged.
    pub(in crate::again) fn read(
        from: &mut impl Read,
        with_dues: bool,
    ) -> Result<Self, SnapshotError> {
        let mut history: Self = read_part(from)?;
        loop {
            let known: Vec<Known> = read_part(from)?;
            if known.is_empty() {
                break;
            }
            history.known.extend(known);
        }
        loop {
            let unread: Vec<(u64, Unread)> = read_part(from)?;
            if unread.is_empty() {
                break;
            }
            history.unread.extend(unread);
        }
        let holds_dues: bool = read_part(from)?;
        history.holds = match holds_dues {
            true => Holds::All,
            false => Holds::Nothing,
        };
        loop {
            let dues: Vec<(u64, Box<[u8]>)> = read_part(from)?;
            if dues.is_empty() {
                break;
            }
            if with_dues {
                for (url, due) in dues {
                    history.dues.take_up(url, due)?;
                }
            }
        }
        if !with_dues {
            history.drop_dues();
        }
        let in_order = history
            .known
            .windows(2)
            .all(|two| two[0].first < two[1].first);
        if !in_order || u32::try_from(history.known.len()).is_err() {
            return Err(SnapshotError::Damaged("its pages are in no order".into()));
        }
        let pages = history.known.iter().zip(0..);
        let pages = pages.filter(|(known, _)| !known.is_void);
        history.urls = pages.map(|(known, at)| (known.url, at)).collect();
        let hosts = history.host_names.iter().cloned().zip(0..);
        history.host_numbers = hosts.collect::<HashMap<_, _>>();
        Ok(history)
    }
}
