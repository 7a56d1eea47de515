//! Where the texts and bodies of some pages stand in the archive.

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

/// The URLs and archived responses of these pages, by record number: for pages whose text was not
/// archived but can be extracted again. One pass over the records.
pub fn body_places(
    records: impl IntoIterator<Item = Record>,
    pages: &BTreeSet<u64>,
) -> BTreeMap<u64, (String, BodyRef)> {
    let wanted = records
        .into_iter()
        .filter(|record| pages.contains(&record.seq));
    wanted
        .filter_map(|record| match record.event {
            Event::Page(page) => {
                let body = page.body.clone()?;
                Some((record.seq, (page.url, body)))
            }
            _ => None,
        })
        .take(pages.len())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal;

    #[test]
    fn texts_and_bodies_are_found_by_page() {
        let mut records = journal::small();
        if let Event::Page(page) = &mut records[9].event {
            page.body = Some(BodyRef {
                file: 3,
                offset: 7,
                len: 9,
            });
        }
        let pages = BTreeSet::from([10, 11, 14]);
        let texts = text_places(records.clone(), &pages);
        assert_eq!(texts.keys().copied().collect::<Vec<_>>(), [10, 11]);
        let bodies = body_places(records, &pages);
        assert_eq!(bodies[&10].0, "http://db.test/a");
        assert_eq!(bodies[&10].1.file, 3);
        assert_eq!(bodies.len(), 1);
    }
}
