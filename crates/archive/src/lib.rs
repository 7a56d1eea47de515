//! Bodies and journal of a crawl as WARC files: the truth that every view is rebuilt from.

pub mod record;

pub use record::{
    AttemptRecord, BodyRef, Event, FetchRecord, JOURNAL_VERSION, LinkRecord, NeighbourRecord,
    PageRecord, PageSummary, Record, ReplacedRecord, RetryRecord, RobotsRecord, SeedRecord,
    SitemapRecord, StartRecord, StopRecord,
};
