//! The four tables in RAM: 65,536 buckets each, read from end to end.
//!
//! A bucket holds the pages whose fingerprints have one block in common. What a lookup reads of a
//! page is 32 of its other 48 bits, packed side by side, so that a bucket streams through the
//! cache and sixteen pages are compared at a time; one stranger in a thousand gets past 7 bits of
//! 32, and only for those is the whole fingerprint looked up. So a bucket that a site's template
//! fills with 100,000 pages costs some 40 microseconds and not a cache miss for each.
//!
//! Cost: 32 bytes a page in four tables, and 1 MB that says where each bucket is. A bucket takes
//! memory of its own, 48 bytes, once a page is in it: 12 MB when all of them are.

use crate::layout::{BLOCKS, block, masks, radius};

/// Pages compared at a time.
const STRIDE: usize = 16;
/// Buckets fetched ahead of their scan.
const AHEAD: usize = 32;
/// Samples of a bucket fetched ahead; the processor sees a longer stream coming by itself.
const AHEAD_SAMPLES_MAX: usize = 1024;
/// Buckets of a table.
const BUCKETS: usize = 1 << 16;

/// The pages with one block in common: 32 more bits of each, and where it is kept.
#[derive(Clone, Debug, Default)]
struct Bucket {
    samples: Vec<u32>,
    slots: Vec<u32>,
}

/// The four tables, and the keys that a lookup asks for.
#[derive(Debug)]
pub(crate) struct Buckets {
    /// For each bucket its place in `buckets`; 0 for one that no page was ever in.
    places: Vec<u32>,
    /// The first one is always empty.
    buckets: Vec<Bucket>,
    /// Block masks by number of bits, as far as some table is probed.
    masks: Vec<u16>,
    /// How many of `masks` each table is probed with.
    probes: [usize; BLOCKS],
    radius: u32,
}

impl Buckets {
    /// Empty tables for look-ups that are complete to `distance` (at most 11).
    pub(crate) fn new(distance: u8) -> Buckets {
        let masks = masks(u32::from(distance) / BLOCKS as u32);
        let probes = std::array::from_fn(|at| match radius(at, distance) {
            Some(flips) => masks.partition_point(|mask| mask.count_ones() <= flips),
            None => 0,
        });
        Buckets {
            places: vec![0; BLOCKS * BUCKETS],
            buckets: vec![Bucket::default()],
            masks,
            probes,
            radius: u32::from(distance),
        }
    }

    pub(crate) fn insert(&mut self, fingerprint: u64, slot: u32) {
        for table in 0..BLOCKS {
            let place = &mut self.places[place(table, block(fingerprint, table))];
            if *place == 0 {
                *place = self.buckets.len() as u32;
                self.buckets.push(Bucket::default());
            }
            let bucket = &mut self.buckets[*place as usize];
            if bucket.samples.len() == bucket.samples.capacity() {
                // A quarter more, not double: with 65,536 buckets the slack is what costs.
                let more = bucket.samples.len() / 4 + 4;
                bucket.samples.reserve_exact(more);
                bucket.slots.reserve_exact(more);
            }
            bucket.samples.push(sample(fingerprint, table));
            bucket.slots.push(slot);
        }
    }

    pub(crate) fn remove(&mut self, fingerprint: u64, slot: u32) {
        for table in 0..BLOCKS {
            let place = self.places[place(table, block(fingerprint, table))];
            let bucket = &mut self.buckets[place as usize];
            if let Some(at) = bucket.slots.iter().position(|&kept| kept == slot) {
                bucket.slots.swap_remove(at);
                bucket.samples.swap_remove(at);
            }
        }
    }

    /// Calls `found` with (slot, table) for every page within the distance, and for a few that
    /// are farther; a page may be found by several tables.
    pub(crate) fn candidates(&self, fingerprint: u64, mut found: impl FnMut(u32, u8)) {
        for table in 0..BLOCKS {
            let (key, wanted) = (block(fingerprint, table), sample(fingerprint, table));
            for masks in self.masks[..self.probes[table]].chunks(AHEAD) {
                let bucket = |mask| {
                    let place = self.places[place(table, key ^ mask)];
                    &self.buckets[place as usize]
                };
                fetch_ahead(masks.iter().map(|&mask| bucket(mask)));
                for &mask in masks {
                    bucket(mask).scan(wanted, self.radius - mask.count_ones(), |slot| {
                        found(slot, table as u8)
                    });
                }
            }
        }
    }

    /// Whether `table` is the first to find a page with this difference to the fingerprint asked
    /// for.
    pub(crate) fn is_first(&self, table: u8, difference: u64) -> bool {
        (0..usize::from(table)).all(|earlier| {
            let flips = block(difference, earlier).count_ones();
            let probes = self.probes[earlier];
            probes == 0 || flips > self.masks[probes - 1].count_ones()
        })
    }
}

impl Bucket {
    #[inline]
    fn scan(&self, wanted: u32, flips_max: u32, mut found: impl FnMut(u32)) {
        let chunks = self.samples.chunks_exact(STRIDE);
        let rest = chunks.remainder();
        for (number, chunk) in chunks.enumerate() {
            // Written so that the compiler counts the bits of several samples in one register.
            let mut near = 0;
            for sample in chunk {
                near |= u32::from((sample ^ wanted).count_ones() <= flips_max);
            }
            if near != 0 {
                self.report(number * STRIDE, chunk, wanted, flips_max, &mut found);
            }
        }
        self.report(
            self.samples.len() - rest.len(),
            rest,
            wanted,
            flips_max,
            &mut found,
        );
    }

    fn report(
        &self,
        start: usize,
        samples: &[u32],
        wanted: u32,
        flips_max: u32,
        found: &mut impl FnMut(u32),
    ) {
        for (at, sample) in samples.iter().enumerate() {
            if (sample ^ wanted).count_ones() <= flips_max {
                found(self.slots[start + at]);
            }
        }
    }
}

/// Reads a word of every cache line of some buckets, so that the processor waits for all of them
/// at once and not for one after the other. Only the memory's latency is saved, but that is most
/// of a lookup among many pages.
fn fetch_ahead<'b>(buckets: impl Iterator<Item = &'b Bucket>) {
    let mut slices: [&[u32]; AHEAD] = [&[]; AHEAD];
    for (slice, bucket) in slices.iter_mut().zip(buckets) {
        *slice = &bucket.samples;
    }
    let mut sum = 0u32;
    for slice in slices {
        for sample in slice.iter().take(AHEAD_SAMPLES_MAX).step_by(STRIDE) {
            sum ^= sample;
        }
    }
    std::hint::black_box(sum);
}

/// The place of a bucket among those of all tables.
fn place(table: usize, key: u16) -> usize {
    table * BUCKETS + usize::from(key)
}

/// The 32 bits that follow the table's block, around the end.
#[inline]
fn sample(fingerprint: u64, table: usize) -> u32 {
    (fingerprint.rotate_left(16 * table as u32) >> 16) as u32
}
