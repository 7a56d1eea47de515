//! The names of things in the ledger: parts, URLs, nodes, pages.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::bounds::PART_COUNT;

/// Pages of one node have this many numbers; a page's number over all nodes stays below 2^53, so
/// that every reader of JSON has it exactly.
const PAGES_OF_A_NODE: u64 = 1 << 40;

/// A share of the web: all hosts of some registrable domains. It is leased as a whole, so that
/// politeness, traps and templates of a site stay with one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part(u16);

impl Part {
    /// The part of a registrable domain, or of a host that has none.
    pub fn of_domain(domain: &str) -> Part {
        Part((xxh3_64(domain.as_bytes()) % u64::from(PART_COUNT)) as u16)
    }

    /// The part with this number; none from [`PART_COUNT`] on.
    pub fn new(number: u16) -> Option<Part> {
        (number < PART_COUNT).then_some(Part(number))
    }

    /// Its number.
    pub fn number(self) -> u16 {
        self.0
    }
}

/// A URL by its hash: 32 bits of its host's, so that the links of a page touch few leaves of the
/// store's index, then 96 of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlKey(pub [u8; 16]);

impl UrlKey {
    /// The key of a canonical URL on a host.
    pub fn of(host: &str, url: &str) -> UrlKey {
        let mut key = [0; 16];
        key[..4].copy_from_slice(&host_number(host).to_be_bytes());
        key[4..].copy_from_slice(&xxh3_128(url.as_bytes()).to_be_bytes()[..12]);
        UrlKey(key)
    }

    /// The [number](host_number) of its host.
    pub fn host(&self) -> u32 {
        let [a, b, c, d, ..] = self.0;
        u32::from_be_bytes([a, b, c, d])
    }
}

/// A host by the 32 bits of its hash that the keys of its URLs begin with. Two hosts of one part have
/// the same number once in some billions.
pub fn host_number(host: &str) -> u32 {
    (xxh3_64(host.as_bytes()) >> 32) as u32
}

/// Who writes, and since when. A node that was taken for dead has an older epoch than the ledger
/// and is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The node's number, from 1; 0 is a crawl on a single machine.
    pub node: u16,
    /// Raised by each join, and when the node is taken for dead.
    pub epoch: u64,
}

/// A page's number over all nodes.
///
/// # Panics
/// When the node has no such number: a journal of 2^40 records.
pub fn global_page(node: u16, own: u64) -> u64 {
    assert!(
        own < PAGES_OF_A_NODE,
        "record {own} has no number over all nodes"
    );
    u64::from(node) * PAGES_OF_A_NODE + own
}

/// The node of a page, and the page's number in that node's journal.
pub fn own_page(page: u64) -> (u16, u64) {
    ((page / PAGES_OF_A_NODE) as u16, page % PAGES_OF_A_NODE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_parts_are_the_same_for_ever() {
        let key = UrlKey::of("a.example", "http://a.example/x");
        let hex: String = key.0.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "9ec428c4809c720b9c8173854d14b3dc");
        assert_eq!(Part::of_domain("a.example").number(), 904);
    }

    #[test]
    fn a_host_has_one_beginning_and_a_url_its_own_end() {
        let a = UrlKey::of("a.example", "http://a.example/x");
        let b = UrlKey::of("a.example", "http://a.example/y");
        let c = UrlKey::of("b.example", "http://b.example/x");
        assert_eq!(a.0[..4], b.0[..4]);
        assert_eq!(a.0[..4], host_number("a.example").to_be_bytes());
        assert_ne!(a.0[..4], c.0[..4]);
        assert_ne!(a.0[4..], b.0[4..]);
    }

    #[test]
    fn the_pages_of_a_single_machine_keep_their_numbers() {
        assert_eq!(global_page(0, 17), 17);
        assert_eq!(own_page(global_page(8_191, 17)), (8_191, 17));
        assert!(global_page(8_191, (1 << 40) - 1) < 1 << 53);
    }
}
