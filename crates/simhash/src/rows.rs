//! The kept pages themselves, in columns: what a lookup reads when a table has named a slot.
//!
//! A slot is a page's place for as long as it is kept; removed pages leave their slots to later
//! ones. Columns grow by an eighth, not by double, because their slack counts in bytes a page.

use hashbrown::HashTable;

use crate::hash::mix;
use crate::sketch::{BANDS, numbers_key};
use crate::{Fingerprint, Sketch, SketchSize, TextPrint};

/// The columns.
#[derive(Debug)]
pub(crate) struct Rows {
    size: SketchSize,
    fingerprints: Vec<u64>,
    pages: Vec<u64>,
    words: Vec<u32>,
    digests: Vec<u64>,
    number_counts: Vec<u8>,
    live: Vec<bool>,
    /// The lanes of each sketch and then its numbers' lane.
    lanes: Vec<u64>,
    /// Bands of the short texts among them, by slot.
    bands: hashbrown::HashMap<u32, [u32; BANDS]>,
    free: Vec<u32>,
    by_page: HashTable<u32>,
}

impl Rows {
    /// No rows.
    pub(crate) fn new(size: SketchSize) -> Rows {
        Rows {
            size,
            fingerprints: Vec::new(),
            pages: Vec::new(),
            words: Vec::new(),
            digests: Vec::new(),
            number_counts: Vec::new(),
            live: Vec::new(),
            lanes: Vec::new(),
            bands: hashbrown::HashMap::new(),
            free: Vec::new(),
            by_page: HashTable::new(),
        }
    }

    /// Makes room for so many slots.
    pub(crate) fn reserve(&mut self, slots: usize) {
        self.fingerprints.reserve_exact(slots);
        self.pages.reserve_exact(slots);
        self.words.reserve_exact(slots);
        self.digests.reserve_exact(slots);
        self.number_counts.reserve_exact(slots);
        self.live.reserve_exact(slots);
        self.lanes.reserve_exact(slots * (self.size.lanes() + 1));
        let pages = &self.pages;
        self.by_page
            .reserve(slots, |&kept| mix(pages[kept as usize]));
    }

    /// The number of kept pages.
    pub(crate) fn len(&self) -> usize {
        self.by_page.len()
    }

    /// The number of slots, free ones included.
    pub(crate) fn slots(&self) -> u32 {
        self.pages.len() as u32
    }

    /// The slot of a kept page.
    pub(crate) fn slot(&self, page: u64) -> Option<u32> {
        self.by_page
            .find(mix(page), |&slot| self.pages[slot as usize] == page)
            .copied()
    }

    /// Keeps a page that is not kept yet, in a free slot or a new one.
    pub(crate) fn insert(&mut self, page: u64, print: &TextPrint) -> u32 {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => self.push_empty(),
        };
        self.fill(slot, page, print);
        slot
    }

    /// Keeps a page that is not kept yet, in a new slot.
    pub(crate) fn append(&mut self, page: u64, print: &TextPrint) -> u32 {
        let slot = self.push_empty();
        self.fill(slot, page, print);
        slot
    }

    /// Adds a slot without a page.
    pub(crate) fn push_free(&mut self) {
        let slot = self.push_empty();
        self.free.push(slot);
    }

    /// Forgets the page in a slot.
    pub(crate) fn remove(&mut self, slot: u32) {
        let page = self.pages[slot as usize];
        if let Ok(entry) = self.by_page.find_entry(mix(page), |&kept| kept == slot) {
            entry.remove();
        }
        self.live[slot as usize] = false;
        self.bands.remove(&slot);
        self.free.push(slot);
    }

    #[inline]
    pub(crate) fn fingerprint(&self, slot: u32) -> u64 {
        self.fingerprints[slot as usize]
    }

    pub(crate) fn fingerprints(&self) -> &[u64] {
        &self.fingerprints
    }

    pub(crate) fn page(&self, slot: u32) -> u64 {
        self.pages[slot as usize]
    }

    /// Whether the slot's text has no words.
    pub(crate) fn is_empty(&self, slot: u32) -> bool {
        self.words[slot as usize] == 0
    }

    pub(crate) fn is_live(&self, slot: u32) -> bool {
        self.live[slot as usize]
    }

    pub(crate) fn bands(&self, slot: u32) -> Option<&[u32; BANDS]> {
        self.bands.get(&slot)
    }

    pub(crate) fn digest(&self, slot: u32) -> u64 {
        self.digests[slot as usize]
    }

    /// The key of the slot's numbers; none for a text without.
    pub(crate) fn numbers_key(&self, slot: u32) -> Option<u64> {
        let at = slot as usize;
        let lanes = self.size.lanes();
        numbers_key(self.lanes[at * (lanes + 1) + lanes], self.number_counts[at])
    }

    /// The print in a slot.
    pub(crate) fn print(&self, slot: u32) -> TextPrint {
        let at = slot as usize;
        let lanes = self.size.lanes();
        let (pairs, numbers) = self.lanes[at * (lanes + 1)..][..=lanes].split_at(lanes);
        TextPrint {
            fingerprint: Fingerprint(self.fingerprints[at]),
            sketch: Sketch::from_parts(
                pairs,
                numbers[0],
                self.number_counts[at],
                self.bands(slot).copied(),
            ),
            word_count: self.words[at],
            digest: self.digests[at],
        }
    }

    /// Whether a slot's text shares less than `overlap` of the word pairs, and is not the very same one.
    pub(crate) fn is_below(&self, slot: u32, print: &TextPrint, overlap: f32) -> bool {
        let lanes = self.size.lanes();
        let at = slot as usize;
        let kept = &self.lanes[at * (lanes + 1)..][..lanes];
        print.sketch.overlap_with(kept) < overlap
            && (self.digests[at], self.words[at]) != (print.digest, print.word_count)
    }

    /// Has the sketch in a slot brought from memory.
    #[inline]
    pub(crate) fn fetch_ahead(&self, slot: u32) {
        let lanes = self.size.lanes() + 1;
        let at = slot as usize * lanes;
        std::hint::black_box(self.lanes[at] ^ self.lanes[at + lanes / 2]);
    }

    fn push_empty(&mut self) -> u32 {
        let slot = self.slots();
        push(&mut self.fingerprints, 0);
        push(&mut self.pages, 0);
        push(&mut self.words, 0);
        push(&mut self.digests, 0);
        push(&mut self.number_counts, 0);
        push(&mut self.live, false);
        for _ in 0..=self.size.lanes() {
            push(&mut self.lanes, 0);
        }
        slot
    }

    fn fill(&mut self, slot: u32, page: u64, print: &TextPrint) {
        let at = slot as usize;
        self.fingerprints[at] = print.fingerprint.0;
        self.pages[at] = page;
        self.words[at] = print.word_count;
        self.digests[at] = print.digest;
        self.number_counts[at] = print.sketch.number_count();
        self.live[at] = true;
        let lanes = self.size.lanes();
        let row = &mut self.lanes[at * (lanes + 1)..][..=lanes];
        row[..lanes].copy_from_slice(print.sketch.truncated(self.size).lanes());
        row[lanes] = print.sketch.numbers();
        if let Some(bands) = print.sketch.bands() {
            self.bands.insert(slot, *bands);
        }
        let pages = &self.pages;
        self.by_page
            .insert_unique(mix(page), slot, |&kept| mix(pages[kept as usize]));
    }
}

/// Pushes to a column that grows by an eighth.
fn push<T>(column: &mut Vec<T>, value: T) {
    if column.len() == column.capacity() {
        column.reserve_exact(column.len() / 8 + 1024);
    }
    column.push(value);
}
