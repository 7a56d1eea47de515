//! The pages of a crawl in memory: one short row for each that was read or could not be had.
//!
//! A row has what lists show and sort by. The rest of a page, its links, its text, its whole
//! evidence, is read from the journal at the row's place when somebody asks. What later records say
//! of a page (it gave its place to a better copy, was put back, was visited again) is applied to
//! its row, as the report does, so lists and figures agree.
//!
//! Cost: some 300 bytes a row, so 60 MB for [`ROWS_MAX`] rows. What comes after has no row and is
//! counted; exports have all.

use std::collections::{HashMap, HashSet};

use archive::{Event, PageRecord, Position, Record};
use outcome::{JunkReason, NeighbourDecision, Outcome, Verdict};
use xxhash_rust::xxh3::xxh3_64;

use crate::shown::line;

/// Rows at most.
pub(crate) const ROWS_MAX: usize = 200_000;

/// Records of pages beyond four for each row that are known by their numbers.
const VERSIONS_BEYOND: usize = 1_024;

/// Characters of a title that are kept.
const TITLE_CHARS_MAX: usize = 200;

/// Names that are told apart in one table.
const NAMES_MAX: usize = 60_000;

/// What was decided about a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    /// In the index.
    Kept,
    /// Read and dropped.
    Dropped,
    /// Not to be had.
    Failed,
}

impl Fate {
    /// Its name in answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Dropped => "dropped",
            Self::Failed => "failed",
        }
    }

    /// The fate of a name, or of the name that reports and exports have for it.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let name = match name {
            "indexed" => "kept",
            "junk" => "dropped",
            name => name,
        };
        [Self::Kept, Self::Dropped, Self::Failed]
            .into_iter()
            .find(|fate| fate.name() == name)
    }
}

/// The page that another one repeats.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Near {
    /// Its record number.
    pub(crate) page: u64,
    /// Bits in which the fingerprints differ; none where the two were not measured.
    pub(crate) distance: Option<u8>,
    /// Estimated overlap of the texts.
    pub(crate) overlap: f32,
    /// The kind of duplicate.
    pub(crate) kind: NameId,
}

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The number of its record.
    pub(crate) page: u64,
    /// Where its record begins.
    pub(crate) place: Position,
    pub(crate) url: Box<str>,
    pub(crate) title: Box<str>,
    pub(crate) host: NameId,
    pub(crate) lang: NameId,
    pub(crate) page_type: NameId,
    pub(crate) fate: Fate,
    /// Why it was dropped or failed.
    pub(crate) reason: NameId,
    pub(crate) published: NameId,
    pub(crate) relevance: Option<f32>,
    pub(crate) words: u32,
    pub(crate) at_ms: u64,
    /// The kept page that it repeats.
    pub(crate) near: Option<Near>,
}

/// A name in a [`Names`]; 0 is the empty one.
pub(crate) type NameId = u16;

/// Names that many rows share.
#[derive(Debug)]
pub(crate) struct Names {
    names: Vec<Box<str>>,
    ids: HashMap<Box<str>, NameId>,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Names {
            names: Vec::new(),
            ids: HashMap::new(),
        };
        names.id("");
        names
    }
}

impl Names {
    /// The number of a name; beyond the bound all share `(others)`.
    pub(crate) fn id(&mut self, name: &str) -> NameId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let name = match self.names.len() < NAMES_MAX {
            true => name,
            false => "(others)",
        };
        let next = self.names.len() as NameId;
        let id = *self.ids.entry(name.into()).or_insert(next);
        if id == next {
            self.names.push(name.into());
        }
        id
    }

    /// The number of a name that some row has.
    pub(crate) fn find(&self, name: &str) -> Option<NameId> {
        self.ids.get(name).copied()
    }

    /// The name of a number.
    pub(crate) fn get(&self, id: NameId) -> &str {
        self.names.get(usize::from(id)).map_or("", |name| name)
    }
}

/// The rows of a crawl.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    slots: Vec<Option<Row>>,
    by_url: HashMap<u64, u32>,
    by_page: HashMap<u64, u32>,
    /// Pages without a row, since there were too many.
    pub(crate) left_out: u64,
    pub(crate) names: Names,
    /// Times of publication, apart from the names: there may be as many as pages.
    pub(crate) times: Names,
}

impl Rows {
    /// All rows, in the order in which their URLs were finished first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Row> {
        self.slots.iter().flatten()
    }

    /// How many pages are kept by a record that begins at `place` or later.
    pub(crate) fn kept_since(&self, place: Position) -> u64 {
        let kept = self.iter().filter(|row| row.fate == Fate::Kept);
        kept.filter(|row| row.place >= place).count() as u64
    }

    /// The row of a page by its record number.
    pub(crate) fn page(&self, page: u64) -> Option<&Row> {
        let slot = self.by_page.get(&page)?;
        self.slots.get(*slot as usize)?.as_ref()
    }

    /// The row of a URL.
    pub(crate) fn url(&self, url: &str) -> Option<&Row> {
        let slot = self.by_url.get(&xxh3_64(url.as_bytes()))?;
        self.slots.get(*slot as usize)?.as_ref()
    }

    /// Takes in what a record says; it begins at `place`.
    pub(crate) fn apply(&mut self, place: Position, record: &Record) {
        match &record.event {
            Event::Page(page) => {
                self.put(place, record, page);
                if let Some(old) = page.replaces {
                    self.replace(old, record.seq, &page.url);
                }
            }
            Event::Retry(retry) => {
                for url in &retry.urls {
                    self.take_away(url);
                }
            }
            Event::Visit(visit) => {
                if let Some(page) = visit.as_page() {
                    self.put(place, record, &page);
                    if let (Some(slot), of) = (self.by_page.get(&record.seq).copied(), visit.of) {
                        self.by_page.insert(of, slot);
                    }
                }
                if let Some(old) = visit.page.as_ref().and_then(|page| page.replaces) {
                    self.replace(old, record.seq, &visit.url);
                }
            }
            Event::Elsewhere(elsewhere) => {
                for page in &elsewhere.kept {
                    if let Some(old) = page.replaces {
                        self.replace(old, page.page, &page.url);
                    }
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Again(_)
            | Event::Stop(_) => {}
        }
    }

    fn put(&mut self, place: Position, record: &Record, page: &PageRecord) {
        let fate = match &page.outcome {
            Outcome::Judged(Verdict::Index) => Fate::Kept,
            Outcome::Judged(Verdict::Junk(_)) => Fate::Dropped,
            Outcome::Failed(_) | Outcome::Unknown(_) => Fate::Failed,
            Outcome::Redirected | Outcome::NotModified | Outcome::Refused(_) => {
                self.take_away(&page.url);
                return;
            }
        };
        let hash = xxh3_64(page.url.as_bytes());
        let known = self.by_url.get(&hash).copied();
        if known.is_none() && self.slots.len() >= ROWS_MAX {
            // A later version of a page was counted with its first.
            self.left_out += u64::from(matches!(record.event, Event::Page(_)));
            return;
        }
        let slot = known.unwrap_or(self.slots.len() as u32);
        let row = self.row(place, record, page, fate);
        self.by_url.insert(hash, slot);
        self.by_page.insert(record.seq, slot);
        match known {
            Some(slot) => self.slots[slot as usize] = Some(row),
            None => self.slots.push(Some(row)),
        }
        self.forget_versions();
    }

    /// Forgets the versions of pages that nobody names, once they are more than the others: of each page its first
    /// and its last record are known, and those that copies repeat.
    fn forget_versions(&mut self) {
        if self.by_page.len() <= 4 * self.slots.len() + VERSIONS_BEYOND {
            return;
        }
        let mut first = vec![u64::MAX; self.slots.len()];
        for (page, slot) in &self.by_page {
            let first = &mut first[*slot as usize];
            *first = (*first).min(*page);
        }
        let rows = self.slots.iter().flatten();
        let named = rows.flat_map(|row| [Some(row.page), row.near.as_ref().map(|near| near.page)]);
        let named: HashSet<u64> = named.flatten().chain(first).collect();
        self.by_page.retain(|page, _| named.contains(page));
    }

    fn row(&mut self, place: Position, record: &Record, page: &PageRecord, fate: Fate) -> Row {
        let nothing = archive::PageSummary::default();
        let read = page.page.as_ref().unwrap_or(&nothing);
        let reason = page.outcome.reason().unwrap_or_default();
        let near = page
            .nearest
            .as_ref()
            .filter(|_| page.outcome.is_duplicate());
        let near = near.map(|near| Near {
            page: near.page,
            distance: (near.decision != NeighbourDecision::Replaced).then_some(near.distance),
            overlap: near.overlap,
            kind: near
                .kind
                .as_ref()
                .map_or(0, |kind| self.names.id(kind.name())),
        });
        let asked = page.fetch.as_ref().map_or(0, |fetch| fetch.started_ms);
        Row {
            page: record.seq,
            place,
            url: cut(&page.url).into(),
            title: line(&read.title, TITLE_CHARS_MAX).into(),
            host: self.names.id(&page.host),
            lang: self.names.id(&line(&read.lang, 20)),
            page_type: match page.page {
                Some(_) => self.names.id(read.page_type.name()),
                None => 0,
            },
            fate,
            reason: self.names.id(&reason),
            published: self
                .times
                .id(&line(read.published.as_deref().unwrap_or_default(), 40)),
            relevance: read.relevance,
            words: read.words,
            at_ms: if asked == 0 { record.at_ms } else { asked },
            near,
        }
    }

    fn take_away(&mut self, url: &str) {
        if let Some(slot) = self.by_url.get(&xxh3_64(url.as_bytes())) {
            self.slots[*slot as usize] = None;
        }
    }

    /// A kept page leaves the index for another one.
    fn replace(&mut self, old: u64, by: u64, by_url: &str) {
        let reason = self.names.id(JunkReason::NearDuplicate.name());
        let kind = self.names.id("replaced");
        let Some(slot) = self.by_page.get(&old) else {
            return;
        };
        let Some(row) = self.slots.get_mut(*slot as usize).and_then(Option::as_mut) else {
            return;
        };
        if row.fate != Fate::Kept || *row.url == *cut(by_url) {
            return;
        }
        (row.fate, row.reason) = (Fate::Dropped, reason);
        row.near = Some(Near {
            page: by,
            distance: None,
            overlap: 0.0,
            kind,
        });
    }

    /// The page that stands for this one now: itself, or what took its place.
    pub(crate) fn representative(&self, page: u64) -> u64 {
        let mut page = page;
        // Each step goes to a later record; the bound is for damaged journals.
        for _ in 0..1_000 {
            let near = self.page(page).and_then(|row| row.near.as_ref());
            match near {
                Some(near) if near.page != page => page = near.page,
                Some(_) | None => break,
            }
        }
        page
    }
}

/// The beginning of a URL.
fn cut(url: &str) -> &str {
    &url[..url.floor_char_boundary(frontier::URL_BYTES_MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use archive::{NeighbourRecord, PageSummary, RetryRecord};

    fn page(seq: u64, url: &str, outcome: Outcome) -> Record {
        Record {
            seq,
            at_ms: 1_000 * seq,
            event: Event::Page(Box::new(PageRecord {
                url: url.into(),
                host: "a.test".into(),
                outcome,
                page: Some(PageSummary::default()),
                ..PageRecord::default()
            })),
        }
    }

    fn shown(rows: &Rows) -> Vec<(String, &'static str)> {
        rows.iter()
            .map(|row| (row.url.to_string(), row.fate.name()))
            .collect()
    }

    #[test]
    fn versions_that_nobody_names_are_forgotten() {
        let kept = Outcome::Judged(Verdict::Index);
        let mut rows = Rows::default();
        for seq in 1..=20_000 {
            rows.apply(Position::START, &page(seq, "u:list", kept.clone()));
            if seq == 500 {
                let copy = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
                let mut copy = page(30_000, "u:copy", copy);
                if let Event::Page(page) = &mut copy.event {
                    page.nearest = Some(NeighbourRecord {
                        page: 400,
                        ..NeighbourRecord::default()
                    });
                }
                rows.apply(Position::START, &copy);
            }
        }
        assert!(rows.by_page.len() < 2_000);
        for named in [1, 400, 20_000] {
            let row = rows.page(named).expect("it is the list");
            assert_eq!((&*row.url, row.page), ("u:list", 20_000), "{named}");
        }
    }

    #[test]
    fn later_records_change_the_rows_of_earlier_ones() {
        let kept = Outcome::Judged(Verdict::Index);
        let mut rows = Rows::default();
        let mut apply = |record: &Record| rows.apply(Position::START, record);
        apply(&page(1, "u:a", kept.clone()));
        let mut better = page(2, "u:b", kept.clone());
        if let Event::Page(page) = &mut better.event {
            page.replaces = Some(1);
        }
        apply(&better);
        let mut copy = page(
            3,
            "u:c",
            Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
        );
        if let Event::Page(page) = &mut copy.event {
            page.nearest = Some(NeighbourRecord {
                page: 1,
                ..NeighbourRecord::default()
            });
        }
        apply(&copy);
        apply(&page(
            4,
            "u:d",
            Outcome::Failed(outcome::FailureKind::Http(503)),
        ));
        assert_eq!(
            shown(&rows),
            [
                ("u:a".into(), "dropped"),
                ("u:b".into(), "kept"),
                ("u:c".into(), "dropped"),
                ("u:d".into(), "failed")
            ]
        );
        assert_eq!(rows.representative(3), 2, "by way of what gave its place");
        let retry = RetryRecord {
            urls: vec!["u:d".into(), "u:unknown".into()],
            ..RetryRecord::default()
        };
        rows.apply(
            Position::START,
            &Record {
                seq: 5,
                at_ms: 0,
                event: Event::Retry(retry),
            },
        );
        assert_eq!(rows.iter().count(), 3, "it waits again");
        rows.apply(Position::START, &page(6, "u:d", kept));
        assert_eq!(rows.url("u:d").map(|row| row.page), Some(6));
        assert_eq!(rows.page(6).map(|row| row.fate), Some(Fate::Kept));
    }

    #[test]
    fn names_are_bounded() {
        let mut names = Names::default();
        for n in 0..NAMES_MAX + 10 {
            names.id(&n.to_string());
        }
        let others = names.id("one more");
        assert_eq!(names.get(others), "(others)");
        assert_eq!(names.find("one more"), None);
        assert_eq!(names.get(0), "");
    }
}
