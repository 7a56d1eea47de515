//! `[crawl]`: budgets of the whole crawl.

use crate::rule::{any, between};
use crate::section::{Section, keys};
use crate::units::Span;

keys! {
    /// Budgets of the whole crawl.
    pub struct CrawlSection {
        /// Finished pages over all starts.
        max_pages: u64 = 0, any().unit("pages").zero("no limit");

        /// Running time of one start.
        max_time: Span = Span::seconds(0), any().zero("no limit");

        /// Links from a seed.
        max_depth: u32 = 100, any().unit("links");

        /// Connections over all hosts at once.
        concurrency: usize = 64, between(1, 4_096).unit("connections");

        /// Threads for parsing.
        threads: usize = 0, between(0, 1_024).unit("threads").zero("one per core");

        /// Seed of every random choice, so that a crawl can be repeated.
        random_seed: u64 = 1, any();
    }
}

impl Section for CrawlSection {}
