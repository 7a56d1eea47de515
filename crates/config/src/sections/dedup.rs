//! `[dedup]`: what counts as seen before.

use sieve::{Keep, Rules};
use simhash::{IndexConfig, Memory, Tables};

use crate::choice::choice;
use crate::crawl_config::CrawlConfig;
use crate::key::Fault;
use crate::rule::{CountsFor, among, any, between};
use crate::section::{Section, keys};

/// The widest distance that any table layout can find.
const REACH_MAX: u8 = 11;

const A_SHARE: &str = "choose a share from 0.0 to 1.0";

choice! {
    impl Keep {
        /// the first seen
        First = "first",
        /// the longest, by a tenth more words at least
        Longest = "longest",
        /// the one published first
        Oldest = "oldest",
        /// the one others name as canonical
        Canonical = "canonical",
    }
}

choice! {
    /// What becomes of the links of duplicates.
    pub enum DuplicateLinks {
        /// they are followed like any
        Follow = "follow",
        /// they are followed after all others: what only a duplicate links to is new, but unlikely
        /// to matter
        FollowNew = "follow-new",
        /// they are not followed
        Ignore = "ignore",
    }
}

choice! {
    /// What a rule learnt from pages decides about URLs that were not fetched.
    pub enum LearntRule {
        /// hold-back without a topic, refuse with one
        Auto = "auto",
        /// nothing: the URLs are fetched like any
        Off = "off",
        /// they are fetched after all others; up to a fifth of them is refused where that loses less
        /// than one page with a confidence of 95 %
        HoldBack = "hold-back",
        /// they are refused but for one in twenty, until one of those is a page of its own
        Refuse = "refuse",
    }
}

choice! {
    impl Memory {
        /// in memory; the disk has a copy
        Ram = "ram",
        /// on disk, where memory is short
        Disk = "disk",
    }
}

keys! {
    /// What counts as seen before.
    pub struct DedupSection {
        /// This near, a page is a duplicate unless the sketch refutes it.
        k: u8 = index().k, between(0, REACH_MAX).unit("bits").counts_for(CountsFor::NewPages);

        /// This near, a page is a duplicate only if the sketch confirms it; not set, as far as the tables find all.
        reach: u8 = index().reach, between(0, REACH_MAX).unit("bits")
            .counts_for(CountsFor::NewPages);

        /// Overlap of two texts from which they are the same.
        overlap: f32 = index().overlap, between(0.0, 1.0).mend(A_SHARE)
            .counts_for(CountsFor::NewPages);

        /// Overlap of two texts of one host from which they are the same.
        overlap_same_host: f32 = Rules::default().overlap_same_host, between(0.0, 1.0)
            .mend(A_SHARE)
            .zero("as any two")
            .counts_for(CountsFor::NewPages);

        /// Tables of the index.
        tables: u8 = 4, among(&[3, 4, 10, 16]).unit("tables");

        /// Where the tables are looked up.
        memory: Memory = index().memory, any();

        /// Which page of a cluster is kept.
        keep: Keep = Keep::First, any().counts_for(CountsFor::NewPages);

        /// What becomes of the links of duplicates.
        links_of_duplicates: DuplicateLinks = DuplicateLinks::FollowNew, any()
            .counts_for(CountsFor::NewLinks);

        /// What becomes of URLs that differ from a page that was read in parameters only that were
        /// found to change nothing, such as session ids, or in their order.
        idle_parameters: LearntRule = LearntRule::Auto, any();

        /// What becomes of URLs that a learnt rule calls copies: mirrors, print versions.
        predicted_duplicates: LearntRule = LearntRule::Auto, any();

        /// Cut text blocks that most pages of a host have, before pages are compared.
        host_templates: bool = true, any().counts_for(CountsFor::NewPages);
    }
}

/// The index's own defaults.
fn index() -> IndexConfig {
    IndexConfig::default()
}

impl Section for DedupSection {
    fn contradictions(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.k > self.reach {
            faults.push(Fault::new(
                &["reach", "k"],
                format!("dedup.reach ({}) is below dedup.k ({})", self.reach, self.k),
                "reach is the wider distance: choose reach >= k",
            ));
        }
        let complete_to = self.complete_to();
        let asked = [("k", self.k), ("reach", self.reach)];
        let wide = asked
            .into_iter()
            .find(|(name, bits)| *bits > complete_to && (*name, *bits) != ("reach", index().reach));
        if let Some((name, bits)) = wide {
            faults.push(Fault::new(
                &[name, "tables"],
                format!(
                    "dedup.{name} is {bits}, but {} tables find every neighbour up to {complete_to} only",
                    self.tables
                ),
                &format!("lower {name}, or use 4 tables (up to 11)"),
            ));
        }
        faults
    }
}

impl DedupSection {
    /// The layout of so many tables.
    fn tables(&self) -> Tables {
        Tables::of_count(self.tables).unwrap_or_default()
    }

    /// The distance up to which they find every neighbour.
    fn complete_to(&self) -> u8 {
        simhash::Layout::of(self.tables()).complete
    }
}

impl CrawlConfig {
    /// How the index of fingerprints works.
    pub fn index_config(&self) -> IndexConfig {
        IndexConfig {
            k: self.dedup.k,
            reach: self.dedup.reach.min(self.dedup.complete_to()),
            overlap: self.dedup.overlap,
            tables: self.dedup.tables(),
            memory: self.dedup.memory,
            ..IndexConfig::default()
        }
    }
}
