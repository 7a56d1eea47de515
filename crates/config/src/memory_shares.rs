//! `limits.memory`, shared out among the parts of a crawl that can do with less.
//!
//! Some parts cannot shrink: the program, the dictionary (35 MB with its text), the tables of
//! extraction, stacks, and what the allocator holds back. What is left of the bound beside these is
//! dealt out in fixed shares. A share never exceeds the part's own bound, so a large bound changes
//! nothing, and none leaves each part as it is.
//!
//! ```text
//!   ├──────── fixed: 130 MB ────────┼─ index 4/12 ─┼ bodies 2/12 ┼ what was read 2/12 ┼─ queue 3/12 ─┼ seen 1/12 ┤
//! ```

use crate::crawl_config::CrawlConfig;

/// The least that is worth sharing out.
pub(crate) const MEMORY_LEAST: u64 = 160_000_000;
/// What does not shrink; `docs/limits.md` says what it is.
const FIXED_BYTES: u64 = 130_000_000;
/// The index's own bounds, which a test of `pipeline` holds to those of `index`.
const HEAP_BYTES: usize = 32 << 20;
const HEAP_BYTES_LEAST: usize = 15_000_000;
/// Parts into which the rest is cut.
const PARTS: u64 = 12;
/// A pending URL with what it carries, and with the places in queues that are kept for it.
const PENDING_BYTES: u64 = 600 + 60 * frontier::SLOTS_PER_URL as u64;
/// A seen URL, known by its hash.
const SEEN_BYTES: u64 = 16;

/// What the parts of a crawl may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryShares {
    /// Bytes of the indexing thread.
    pub index_heap: usize,
    /// Bytes of bodies that came and are not yet recorded.
    pub bytes_in_flight: u64,
    /// Bytes of what was read of them and is not yet written.
    pub bytes_read: u64,
    /// Pending URLs in memory.
    pub pending_in_memory: usize,
    /// URLs known to be seen without asking the disk.
    pub seen_in_memory: usize,
}

impl CrawlConfig {
    /// What the parts may hold, by `limits.memory` and their own bounds.
    pub fn memory_shares(&self) -> MemoryShares {
        let limits = &self.limits;
        let whole = MemoryShares {
            index_heap: HEAP_BYTES,
            bytes_in_flight: limits.bytes_in_flight.0,
            bytes_read: limits.bytes_in_flight.0,
            pending_in_memory: limits.pending_in_memory,
            seen_in_memory: frontier::SEEN_IN_MEMORY,
        };
        if limits.memory.0 == 0 {
            return whole;
        }
        let part = limits.memory.0.saturating_sub(FIXED_BYTES) / PARTS;
        let count = |bytes: u64, of: u64| usize::try_from(bytes / of).unwrap_or(usize::MAX);
        MemoryShares {
            index_heap: whole
                .index_heap
                .min(count(4 * part, 1))
                .max(HEAP_BYTES_LEAST),
            bytes_in_flight: whole.bytes_in_flight.min(2 * part),
            bytes_read: whole.bytes_read.min(2 * part),
            pending_in_memory: whole.pending_in_memory.min(count(3 * part, PENDING_BYTES)),
            seen_in_memory: whole.seen_in_memory.min(count(part, SEEN_BYTES)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Size;

    fn shares(memory: u64) -> MemoryShares {
        let mut config = CrawlConfig::default();
        config.limits.memory = Size(memory);
        config.memory_shares()
    }

    #[test]
    fn without_a_bound_and_with_a_large_one_every_part_has_its_own() {
        let whole = shares(0);
        assert_eq!(shares(1 << 40), whole);
        assert_eq!(whole.bytes_in_flight, 64_000_000);
        assert_eq!(whole.pending_in_memory, 200_000);
    }

    #[test]
    fn shares_grow_with_the_bound_and_fit_in_it_beside_what_is_fixed() {
        let mut before = shares(MEMORY_LEAST);
        for memory in (MEMORY_LEAST..2_000_000_000).step_by(7_000_000) {
            let now = shares(memory);
            assert!(now.index_heap >= before.index_heap.max(HEAP_BYTES_LEAST));
            assert!(now.bytes_in_flight >= before.bytes_in_flight.max(1_000_000));
            assert!(now.pending_in_memory >= before.pending_in_memory.max(1_000));
            assert!(now.seen_in_memory >= before.seen_in_memory);
            assert!(now.bytes_read >= before.bytes_read.max(1_000_000));
            let held = now.bytes_in_flight
                + now.bytes_read
                + now.pending_in_memory as u64 * PENDING_BYTES
                + now.seen_in_memory as u64 * SEEN_BYTES
                + now.index_heap.saturating_sub(HEAP_BYTES_LEAST) as u64;
            assert!(FIXED_BYTES + held <= memory, "{memory}: {now:?}");
            before = now;
        }
    }

    #[test]
    fn a_tighter_bound_of_a_part_stays() {
        let mut config = CrawlConfig::default();
        config.limits.memory = Size(1 << 40);
        config.limits.bytes_in_flight = Size(5);
        config.limits.pending_in_memory = 7;
        let shares = config.memory_shares();
        assert_eq!((shares.bytes_in_flight, shares.pending_in_memory), (5, 7));
        assert_eq!(config.fetch_limits().large_bodies_bytes_max, 5);
        assert_eq!(config.frontier_config().pending_in_memory, 7);
    }
}
