//! The tables of an index, whichever layout: what is near this fingerprint?

use crate::bands::Bands;
use crate::chains::Chains;
use crate::layout::Layout;
use crate::rows::Rows;
use crate::segments::Segments;
use crate::{IndexConfig, Tables, TextPrint};

/// The number in [`crate::Neighbour::table`] of a page found by its bands.
pub(crate) const BAND_TABLE: u8 = u8::MAX;

/// Tables over the fingerprints, and bands over the short texts.
#[derive(Debug)]
pub(crate) struct TableSet {
    fingerprints: Fingerprints,
    bands: Bands,
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
            radius: u32::from(config.radius()),
        }
    }

    /// The tables of all that `rows` holds.
    pub(crate) fn of(config: &IndexConfig, rows: &Rows) -> TableSet {
        let mut tables = TableSet::new(config);
        let has_words = |slot: &u32| rows.is_live(*slot) && !rows.is_empty(*slot);
        let slots: Vec<u32> = (0..rows.slots()).filter(has_words).collect();
        match &mut tables.fingerprints {
            Fingerprints::Segments(segments) => segments.fill(rows.fingerprints(), &slots),
            Fingerprints::Chains(chains) => {
                for &slot in &slots {
                    chains.insert(rows.fingerprints(), slot);
                }
            }
        }
        for slot in slots {
            if let Some(bands) = rows.bands(slot) {
                tables.bands.insert(slot, bands);
            }
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
        if let Some(bands) = rows.bands(slot) {
            self.bands.insert(slot, bands);
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
        if let Some(bands) = rows.bands(slot) {
            self.bands.remove(slot, bands);
        }
    }

    /// Calls `found` once with (slot, table) for every kept page that is a candidate.
    pub(crate) fn candidates(
        &self,
        rows: &Rows,
        print: &TextPrint,
        mut found: impl FnMut(u32, u8),
    ) {
        let wanted = print.fingerprint.0;
        let near = |slot: u32| (rows.fingerprint(slot) ^ wanted).count_ones() <= self.radius;
        match &self.fingerprints {
            Fingerprints::Segments(segments) => segments.candidates(wanted, |slot, table| {
                if near(slot) && segments.is_first(table, rows.fingerprint(slot) ^ wanted) {
                    found(slot, table);
                }
            }),
            Fingerprints::Chains(chains) => chains.candidates(wanted, |slot, table| {
                if near(slot) && chains.is_first(table, rows.fingerprint(slot), wanted) {
                    found(slot, table);
                }
            }),
        }
        if let Some(bands) = print.sketch.bands() {
            self.bands.candidates(bands, |slot| {
                if !near(slot) {
                    found(slot, BAND_TABLE);
                }
            });
        }
    }
}
