//! `[keep]`: which pages are worth keeping.

use sieve::Rules;

use super::topic::OffTopic;
use crate::crawl_config::CrawlConfig;
use crate::rule::{CountsFor, any};
use crate::section::{Section, keys};

keys! {
    /// Which pages are worth keeping.
    pub struct KeepSection {
        /// Pages with fewer words of main content, what the host repeats apart, are thin.
        words_min: u32 = Rules::default().words_min, any().unit("words")
            .counts_for(CountsFor::NewPages);

        /// Keep walls (bot walls, captchas, requests for consent or a login, parked domains) as pages.
        walls: bool = Rules::default().keep_walls, any().counts_for(CountsFor::NewPages);

        /// Keep front pages, tag pages and other lists of links.
        listings: bool = Rules::default().keep_listings, any().counts_for(CountsFor::NewPages);

        /// Obey a page's wish not to be indexed (meta robots, X-Robots-Tag).
        obey_noindex: bool = Rules::default().obey_noindex, any().counts_for(CountsFor::NewPages);
    }
}

impl Section for KeepSection {}

impl CrawlConfig {
    /// The rules of the verdict.
    pub fn rules(&self) -> Rules {
        let topic = self.topic.as_ref();
        let drops = topic.filter(|topic| topic.off_topic == OffTopic::Drop);
        Rules {
            words_min: self.keep.words_min,
            keep_walls: self.keep.walls,
            keep_listings: self.keep.listings,
            obey_noindex: self.keep.obey_noindex,
            languages: topic.map_or(Vec::new(), |topic| topic.languages.clone()),
            overlap_same_host: self.dedup.overlap_same_host,
            relevance_min: drops.map(|topic| topic.threshold),
        }
    }
}
