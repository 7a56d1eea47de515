//! The tables of an index, whichever layout: what is near this text?
//!
//! Of pages of one form, hundreds of thousands may be kept: alike in their words, and each with numbers or a name of its
//! own. Of these a lookup finds the newest, a bounded number, and of the others those with what makes a copy: the very
//! same text, the same numbers, or in short texts word pairs that few have.

use crate::bands::Bands;
use crate::chains::Chains;
use crate::layout::Layout;
use crate::links::Links;
use crate::rows::Rows;
use crate::segments::Segments;
use crate::{IndexConfig, Tables, TextPrint};

/// The number in [`crate::Neighbour::table`] of a page found by its bands.
pub(crate) const BAND_TABLE: u8 = u8::MAX;

/// Tables over the fingerprints, bands over the short texts, and chains by text and by numbers.
#[derive(Debug)]
pub(crate) struct TableSet {
    fingerprints: Fingerprints,
    bands: Bands,
    /// Slots by the digests of their texts.
    texts: Links,
    /// Slots of texts with numbers, by these.
    numbers: Links,
    radius: u32,
}

#[derive(Debug)]
enum Fingerprints {
    Segments(Segments),
    Chains(Chains),
}

impl TableSet {
    pub(crate) fn new(config: &IndexConfig) -> TableSet {
        let fingerprints = match config.tables {
            Tables::Three | Tables::Four => {
                Fingerprints::Segments(Segments::new(config.tables, config.radius()))
            }
            Tables::Ten | Tables::Sixteen => {
                Fingerprints::Chains(Chains::new(Layout::of(config.tables)))
            }
        };
        TableSet {
            fingerprints,
            bands: Bands::new(),
            texts: Links::new(),
            numbers: Links::new(),
            radius: u32::from(config.radius()),
        }
    }

    /// The tables of all that `rows` holds, as if the pages had come in the order of their numbers.
    pub(crate) fn of(config: &IndexConfig, rows: &Rows) -> TableSet {
        let mut tables = TableSet::new(config);
        let has_words = |slot: &u32| rows.is_live(*slot) && !rows.is_empty(*slot);
        let mut slots: Vec<u32> = (0..rows.slots()).filter(has_words).collect();
        slots.sort_by_key(|&slot| rows.page(slot));
        match &mut tables.fingerprints {
            Fingerprints::Segments(segments) => segments.fill(rows.fingerprints(), &slots),
            Fingerprints::Chains(chains) => {
                for &slot in &slots {
                    chains.insert(rows.fingerprints(), slot);
                }
            }
        }
        for slot in slots {
            tables.link(rows, slot);
        }
        tables
    }

    /// Enters a slot that `rows` holds already. A text without words is near nothing and stays out.
    pub(crate) fn insert(&mut self, rows: &Rows, slot: u32) {
        if rows.is_empty(slot) {
            return;
        }
        match &mut self.fingerprints {
            Fingerprints::Segments(segments) => segments.insert(rows.fingerprints(), slot),
            Fingerprints::Chains(chains) => chains.insert(rows.fingerprints(), slot),
        }
        self.link(rows, slot);
    }

    fn link(&mut self, rows: &Rows, slot: u32) {
        if let Some(bands) = rows.bands(slot) {
            self.bands.insert(slot, bands);
        }
        self.texts.link(slot, |slot| rows.digest(slot));
        if rows.numbers_key(slot).is_some() {
            let key = |slot| rows.numbers_key(slot).unwrap_or(0);
            self.numbers.link(slot, key);
        }
    }

    /// Strikes out a slot that `rows` still holds.
    pub(crate) fn remove(&mut self, rows: &Rows, slot: u32) {
        if rows.is_empty(slot) {
            return;
        }
        match &mut self.fingerprints {
            Fingerprints::Segments(segments) => segments.remove(rows.fingerprint(slot), slot),
            Fingerprints::Chains(chains) => chains.remove(rows.fingerprint(slot), slot),
        }
        self.bands.remove(slot);
        self.texts.unlink(slot, rows.digest(slot));
        if let Some(key) = rows.numbers_key(slot) {
            self.numbers.unlink(slot, key);
        }
    }

    /// Calls `found` with the slots of pages with the very same text.
    pub(crate) fn same_text(&self, rows: &Rows, print: &TextPrint, found: impl FnMut(u32)) {
        let newest = self.texts.newest(print.digest);
        newest
            .filter(|&slot| rows.digest(slot) == print.digest)
            .for_each(found);
    }

    /// Calls `found` with (slot, table) for every kept page that is a candidate, or where many are of one kind for
    /// the newest of these and for those with the same numbers, and the answer is false; for some more than once.
    pub(crate) fn candidates(
        &self,
        rows: &Rows,
        print: &TextPrint,
        mut found: impl FnMut(u32, u8),
    ) -> bool {
        let wanted = print.fingerprint.0;
        let mut all = match &self.fingerprints {
            Fingerprints::Segments(segments) => segments.candidates(wanted, |slot| {
                let is_near = self.is_near(rows, print, slot);
                if is_near {
                    let table = segments.first(rows.fingerprint(slot) ^ wanted);
                    found(slot, table.map_or(BAND_TABLE, |table| table as u8));
                }
                is_near
            }),
            Fingerprints::Chains(chains) => chains.candidates(wanted, |slot| {
                let table = chains.first(rows.fingerprint(slot), wanted);
                if let Some(table) = table.filter(|_| self.is_near(rows, print, slot)) {
                    found(slot, table as u8);
                }
            }),
        };
        let bands = print.sketch.bands();
        if let Some(bands) = bands {
            all &= self.bands.candidates(bands, |slot| found(slot, BAND_TABLE));
        }
        let Some(numbers) = print.sketch.numbers_key().filter(|_| !all) else {
            return all;
        };
        let share_a_band = |slot: u32| {
            let both = rows.bands(slot).zip(bands);
            both.is_some_and(|(a, b)| a.iter().zip(b).any(|(a, b)| a == b))
        };
        for slot in self.numbers.newest(numbers) {
            let is_candidate = self.is_near(rows, print, slot) || share_a_band(slot);
            if is_candidate && rows.numbers_key(slot) == Some(numbers) {
                found(slot, BAND_TABLE);
            }
        }
        all
    }

    fn is_near(&self, rows: &Rows, print: &TextPrint, slot: u32) -> bool {
        (rows.fingerprint(slot) ^ print.fingerprint.0).count_ones() <= self.radius
    }
}
