//! Tables over blocks in RAM: segments of some 64 pages, read from end to end.
//!
//! Each table cuts the kept pages into segments by the lowest bits of its block: as many bits as
//! leave some 64 pages to a segment. A lookup asks for the segments whose bits differ from its own
//! in as many as the table allows. Whoever differs so in the whole block differs no more in some of
//! its bits, so nobody is missed; and with 17 bits of 22 two flips name 154 segments and not 254.
//!
//! ```text
//!   block 101101…0110 0 11 01     among 256 pages: 4 segments, the two lowest bits
//!                       ▔▔        among 512: 8, the three lowest. In between, the segments
//!                                 before `split` are split already and ask a bit more.
//! ```
//!
//! What a lookup reads of a page is 32 bits of its other blocks, packed side by side, so that a
//! segment streams through the cache and sixteen pages are compared at a time; one stranger in a
//! thousand gets past 7 bits of 32, and only for those is the whole fingerprint looked up. A
//! template that gives 100,000 pages the upper bits of a block fills no segment, since the lowest
//! bits choose; pages whose whole block is one share a segment, some 40 microseconds for 100,000.
//! Of those in a segment that are near, the newest are found, and fewest flips are asked for first.
//!
//! Cost: 8 bytes a page and table, and 48 for each segment. Segments are split one at a time, as
//! pages come (linear hashing; Litwin, VLDB 1980), so that no insertion waits for all of them.

use crate::Tables;
use crate::layout::{Layout, masks};

/// Pages compared at a time.
const STRIDE: usize = 16;
/// Segments fetched ahead of their scan.
const AHEAD: usize = 32;
/// Samples of a segment fetched ahead; the processor sees a longer stream coming by itself.
const AHEAD_SAMPLES_MAX: usize = 1024;
/// Pages to a segment, on average, from which one more is split. Half and double were measured in
/// `benches/README.md`.
const SEGMENT_PAGES: usize = 64;
/// So many near pages of one segment, the newest, are found: all of a form that has no more, and of one with a hundred
/// thousand as many as can be judged in half a millisecond.
pub(crate) const NEAR_MAX: usize = 512;
/// So many end a lookup, those that several tables find counted so often. Four tables find as many without a flip, as
/// what is within `k` is found; a page among those that is older than [`NEAR_MAX`] near ones of each of its segments is
/// not found.
pub(crate) const FOUND_MAX: usize = 4 * NEAR_MAX;

/// The tables of a layout of blocks, and the segments that a lookup asks for.
#[derive(Debug)]
pub(crate) struct Segments {
    tables: Vec<BlockTable>,
    radius: u32,
}

/// One table.
#[derive(Debug, PartialEq)]
struct BlockTable {
    /// The lowest bit of the table's block.
    low: u32,
    /// Bits of the block.
    bits: u32,
    /// Bits by which a lookup may differ in this block; none where the table is not asked.
    flips: Option<u32>,
    /// Lowest bits of the block that choose a segment, before the segment is split.
    level: u32,
    /// The segments before this one are split: for them one more bit chooses.
    split: usize,
    /// By the bits that choose.
    segments: Vec<Segment>,
    /// Entries of all segments.
    entries: usize,
    /// What a lookup flips in `level + 1` bits, those with fewer bits first.
    masks: Vec<u32>,
}

/// The pages whose block ends in the same bits: 32 more bits of each, and where it is kept.
#[derive(Clone, Debug, Default, PartialEq)]
struct Segment {
    samples: Vec<u32>,
    slots: Vec<u32>,
}

impl Segments {
    /// Empty tables for look-ups that are complete to `distance`.
    pub(crate) fn new(tables: Tables, distance: u8) -> Segments {
        let layout = Layout::of(tables);
        let table = |at: usize| {
            let (low, bits) = layout.tables[at].parts[0];
            BlockTable::new(low, bits, layout.flips(at, distance))
        };
        Segments {
            tables: (0..layout.tables.len()).map(table).collect(),
            radius: u32::from(distance),
        }
    }

    /// Keeps `slot`; `fingerprints` are those of all slots, this one included.
    pub(crate) fn insert(&mut self, fingerprints: &[u64], slot: u32) {
        for table in &mut self.tables {
            table.insert(fingerprints, slot);
        }
    }

    /// Empty tables keep these slots: the same as to insert one after the other, at a fraction of the cost.
    pub(crate) fn fill(&mut self, fingerprints: &[u64], slots: &[u32]) {
        for table in &mut self.tables {
            table.fill(fingerprints, slots);
        }
    }

    pub(crate) fn remove(&mut self, fingerprint: u64, slot: u32) {
        for table in &mut self.tables {
            table.remove(fingerprint, slot);
        }
    }

    /// Calls `found` with the slot of every page within the distance, and of a few that are farther, for which it
    /// says false; a page may be found by several tables. Where more are near than [`FOUND_MAX`], or than
    /// [`NEAR_MAX`] in one segment, some may be missing, and the answer is false.
    pub(crate) fn candidates(&self, fingerprint: u64, mut found: impl FnMut(u32) -> bool) -> bool {
        let flips_max = self.tables.iter().filter_map(|table| table.flips).max();
        let mut near = Near {
            radius: self.radius,
            room: FOUND_MAX,
            all: true,
        };
        for flips in 0..=flips_max.unwrap_or(0) {
            for table in &self.tables {
                table.candidates(fingerprint, flips, &mut near, &mut found);
            }
        }
        near.all
    }

    /// The first table that must find a page with this difference to the fingerprint asked for.
    pub(crate) fn first(&self, difference: u64) -> Option<usize> {
        self.tables.iter().position(|table| {
            let flips = table.block(difference).count_ones();
            table.flips.is_some_and(|flips_max| flips <= flips_max)
        })
    }
}

/// A lookup on its way through the segments.
struct Near {
    radius: u32,
    /// Pages that may still be found.
    room: usize,
    /// No page was left out.
    all: bool,
}

impl BlockTable {
    fn new(low: u32, bits: u32, flips: Option<u32>) -> BlockTable {
        let mut table = BlockTable {
            low,
            bits,
            flips,
            level: 0,
            split: 0,
            segments: vec![Segment::default()],
            entries: 0,
            masks: Vec::new(),
        };
        table.find_masks();
        table
    }

    /// The table's block of a fingerprint.
    #[inline]
    fn block(&self, fingerprint: u64) -> u32 {
        (fingerprint >> self.low) as u32 & ((1 << self.bits) - 1)
    }

    /// The 32 bits that follow the table's block, around the end.
    #[inline]
    fn sample(&self, fingerprint: u64) -> u32 {
        (fingerprint.rotate_right(self.low) >> 32) as u32
    }

    /// The segment of a block.
    #[inline]
    fn place(&self, block: u32) -> usize {
        let place = block as usize & ((1 << self.level) - 1);
        match place < self.split {
            true => block as usize & ((2 << self.level) - 1),
            false => place,
        }
    }

    fn insert(&mut self, fingerprints: &[u64], slot: u32) {
        let fingerprint = fingerprints[slot as usize];
        let (place, sample) = (
            self.place(self.block(fingerprint)),
            self.sample(fingerprint),
        );
        self.segments[place].push(sample, slot);
        self.entries += 1;
        if self.entries > self.segments.len() * SEGMENT_PAGES && self.level < self.bits {
            self.split_one(fingerprints);
        }
    }

    /// Deals all out at once, to the segments that they would have come to.
    fn fill(&mut self, fingerprints: &[u64], slots: &[u32]) {
        let count = slots.len().div_ceil(SEGMENT_PAGES);
        let count = count.clamp(1, 1 << self.bits);
        self.level = count.ilog2();
        self.split = count - (1 << self.level);
        self.entries = slots.len();
        let place = |slot: u32| self.place(self.block(fingerprints[slot as usize]));
        let mut sizes = vec![0; count];
        for &slot in slots {
            sizes[place(slot)] += 1;
        }
        let mut segments: Vec<Segment> = sizes.into_iter().map(Segment::with_room).collect();
        for &slot in slots {
            segments[place(slot)].push(self.sample(fingerprints[slot as usize]), slot);
        }
        self.segments = segments;
        self.find_masks();
    }

    fn remove(&mut self, fingerprint: u64, slot: u32) {
        let place = self.place(self.block(fingerprint));
        let segment = &mut self.segments[place];
        if let Some(at) = segment.slots.iter().position(|&kept| kept == slot) {
            // The order stays: the newest are found first.
            segment.slots.remove(at);
            segment.samples.remove(at);
            self.entries -= 1;
        }
    }

    /// Deals the pages of one more segment out by one more bit.
    fn split_one(&mut self, fingerprints: &[u64]) {
        let whole = std::mem::take(&mut self.segments[self.split]);
        let goes = |slot: u32| self.block(fingerprints[slot as usize]) >> self.level & 1 == 1;
        let going = whole.slots.iter().filter(|&&slot| goes(slot)).count();
        let mut stays = Segment::with_room(whole.slots.len() - going);
        let mut leaves = Segment::with_room(going);
        for (&sample, &slot) in whole.samples.iter().zip(&whole.slots) {
            match goes(slot) {
                true => leaves.push(sample, slot),
                false => stays.push(sample, slot),
            }
        }
        self.segments[self.split] = stays;
        if self.segments.len() == self.segments.capacity() {
            self.segments.reserve_exact(self.segments.len() / 8 + 16);
        }
        self.segments.push(leaves);
        self.split += 1;
        if self.split == 1 << self.level {
            (self.level, self.split) = (self.level + 1, 0);
            self.find_masks();
        }
    }

    fn find_masks(&mut self) {
        let bits = (self.level + 1).min(self.bits);
        self.masks = self.flips.map_or(Vec::new(), |flips| masks(bits, flips));
    }

    /// The pages whose lowest bits differ in so many.
    fn candidates(
        &self,
        fingerprint: u64,
        flips: u32,
        near: &mut Near,
        found: &mut impl FnMut(u32) -> bool,
    ) {
        let (block, wanted) = (self.block(fingerprint), self.sample(fingerprint));
        // A segment that is not split has no use for the bit by which it would be.
        let is_asked = |mask: u32| mask >> self.level == 0 || self.is_split(block ^ mask);
        let masks = self.masks.as_slice();
        let from = masks.partition_point(|mask| mask.count_ones() < flips);
        let to = masks.partition_point(|mask| mask.count_ones() <= flips);
        for masks in masks[from..to].chunks(AHEAD) {
            if near.room == 0 {
                near.all = false;
                return;
            }
            let asked = || masks.iter().copied().filter(|&mask| is_asked(mask));
            let segment = |mask: u32| &self.segments[self.place(block ^ mask)];
            fetch_ahead(asked().map(segment));
            for mask in asked() {
                let most = near.room.min(NEAR_MAX);
                let count = segment(mask).scan(wanted, near.radius - flips, most, found);
                near.room = near.room.saturating_sub(count);
                near.all &= count < most;
            }
        }
    }

    fn is_split(&self, block: u32) -> bool {
        (block as usize & ((1 << self.level) - 1)) < self.split
    }
}

impl Segment {
    fn with_room(pages: usize) -> Segment {
        let room = pages + pages / 4 + 4;
        Segment {
            samples: Vec::with_capacity(room),
            slots: Vec::with_capacity(room),
        }
    }

    fn push(&mut self, sample: u32, slot: u32) {
        if self.samples.len() == self.samples.capacity() {
            // A quarter more, not double: with many segments the slack is what costs.
            let more = self.samples.len() / 4 + 4;
            self.samples.reserve_exact(more);
            self.slots.reserve_exact(more);
        }
        self.samples.push(sample);
        self.slots.push(slot);
    }

    /// Reports the near pages from the newest on, until there are so many; and how many there were.
    #[inline]
    fn scan(
        &self,
        wanted: u32,
        flips_max: u32,
        most: usize,
        found: &mut impl FnMut(u32) -> bool,
    ) -> usize {
        let chunks = self.samples.rchunks_exact(STRIDE);
        let rest = chunks.remainder();
        let mut start = self.samples.len();
        let mut count = 0;
        for chunk in chunks {
            if count >= most {
                return count;
            }
            start -= STRIDE;
            // Written so that the compiler counts the bits of several samples in one register.
            let mut near = 0;
            for sample in chunk {
                near |= u32::from((sample ^ wanted).count_ones() <= flips_max);
            }
            if near != 0 {
                count += self.report(start, chunk, wanted, flips_max, found);
            }
        }
        match count < most {
            true => count + self.report(0, rest, wanted, flips_max, found),
            false => count,
        }
    }

    fn report(
        &self,
        start: usize,
        samples: &[u32],
        wanted: u32,
        flips_max: u32,
        found: &mut impl FnMut(u32) -> bool,
    ) -> usize {
        let near = samples.iter().enumerate();
        let near = near.filter(|(_, sample)| (*sample ^ wanted).count_ones() <= flips_max);
        near.map(|(at, _)| usize::from(found(self.slots[start + at])))
            .sum()
    }
}

/// Reads a word of every cache line of some segments, so that the processor waits for all of them
/// at once and not for one after the other. Only the memory's latency is saved, but that is most
/// of a lookup among many pages.
fn fetch_ahead<'b>(segments: impl Iterator<Item = &'b Segment>) {
    let mut slices: [&[u32]; AHEAD] = [&[]; AHEAD];
    for (slice, segment) in slices.iter_mut().zip(segments) {
        *slice = &segment.samples;
    }
    let mut sum = 0u32;
    for slice in slices {
        for sample in slice.iter().take(AHEAD_SAMPLES_MAX).step_by(STRIDE) {
            sum ^= sample;
        }
    }
    std::hint::black_box(sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_filled_at_once_are_those_filled_page_by_page() {
        // The lowest bits vary least, so that some segments are long and some are empty.
        let fingerprint = |at: u64| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !0x3f) ^ (at % 3);
        for pages in [0, 1, 64, 65, 128, 129, 1_000, 20_000] {
            let fingerprints: Vec<u64> = (0..pages).map(fingerprint).collect();
            let slots: Vec<u32> = (0..pages as u32).filter(|slot| slot % 7 != 3).collect();
            for layout in [Tables::Three, Tables::Four] {
                let mut one_by_one = Segments::new(layout, 8);
                for &slot in &slots {
                    one_by_one.insert(&fingerprints, slot);
                }
                let mut at_once = Segments::new(layout, 8);
                at_once.fill(&fingerprints, &slots);
                assert!(at_once.tables == one_by_one.tables, "{pages} pages");
            }
        }
    }
}
