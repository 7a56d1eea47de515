//! Archived bodies and texts: can all be read of which the journal tells?

use std::collections::BTreeMap;

use archive::{BodyCheck, BodyRef, Record};

use crate::dir::CrawlDir;
use crate::error::CrawlError;

/// The body files, and what the journal says of them.
pub(super) struct Bodies {
    found: BodyCheck,
    /// Files beyond this one are not expected: of a crawl that goes on, the last ones are not copied yet.
    last: u32,
    /// Bodies and texts that cannot be read, by their file, with the URL of the first.
    lost: BTreeMap<String, (u64, String)>,
    /// Of each file with texts that is not there at all, the first of these.
    without_file: BTreeMap<u32, BodyRef>,
}

impl Bodies {
    pub(super) fn check(dir: &CrawlDir) -> Result<Self, CrawlError> {
        let found = archive::check_bodies(&dir.archive())?;
        let last = match dir.is_copy() {
            true => found.last_file(),
            false => u32::MAX,
        };
        Ok(Self {
            found,
            last,
            lost: BTreeMap::new(),
            without_file: BTreeMap::new(),
        })
    }

    /// Notes what a record tells of that cannot be read.
    pub(super) fn look(&mut self, record: &Record) {
        let Some(page) = record.event.page() else {
            return;
        };
        let places = [page.body.as_ref(), page.text.as_ref()];
        let is_lost = |place: &&BodyRef| place.file <= self.last && !self.found.holds(place);
        for place in places.into_iter().flatten().filter(is_lost) {
            let first = || (0, page.url.clone());
            self.lost.entry(place.file_name()).or_insert_with(first).0 += 1;
        }
        let is_expected = |at: &&BodyRef| at.file <= self.last && !self.found.has_file(at.file);
        if let Some(text) = page.text.as_ref().filter(is_expected) {
            let known = self.without_file.entry(text.file);
            known.or_insert_with(|| text.clone());
        }
    }

    /// A text whose file is not there at all, if there is one: it may be put back.
    pub(super) fn text_without_file(&self) -> Option<&BodyRef> {
        self.without_file.values().next()
    }

    /// The names of the files with texts that are not there at all.
    pub(super) fn absent_files(&self) -> Vec<String> {
        self.without_file.values().map(BodyRef::file_name).collect()
    }

    /// Whether all that the journal tells of can be read.
    pub(super) fn are_whole(&self) -> bool {
        self.lost.is_empty()
    }

    /// The damage of each file, and how much of what the journal tells of is lost by it.
    pub(super) fn damage(&self) -> impl Iterator<Item = String> + '_ {
        let places = self.found.damaged.iter();
        let places = places.map(|damage| damage.to_string().replace('\n', " "));
        let lost = self.lost.iter().map(|(file, (count, url))| {
            format!(
                "{file}: {count} archived bodies and texts of which the journal tells cannot be read, that of {url} first"
            )
        });
        places.chain(lost)
    }
}
