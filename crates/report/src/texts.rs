//! Where the texts of some pages stand in the archive.

use std::collections::{BTreeMap, BTreeSet};

use archive::{BodyRef, Event, Record};

/// The places of the archived texts of these pages, by record number. One pass over the records;
/// pages without an archived text have no entry.
pub fn text_places(
    records: impl IntoIterator<Item = Record>,
    pages: &BTreeSet<u64>,
) -> BTreeMap<u64, BodyRef> {
    let wanted = records
        .into_iter()
        .filter(|record| pages.contains(&record.seq));
    wanted
        .filter_map(|record| match record.event {
            Event::Page(page) => page.text.map(|text| (record.seq, text)),
            _ => None,
        })
        .take(pages.len())
        .collect()
}
