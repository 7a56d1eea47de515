//! `[archive]`: what is stored of bodies.

use archive::{ArchiveConfig, Bodies};

use crate::choice::choice;
use crate::crawl_config::CrawlConfig;
use crate::rule::{CountsFor, any, at_least};
use crate::section::{Section, keys};
use crate::units::Size;

choice! {
    impl Bodies {
        /// all that were read
        All = "all",
        /// those of kept pages
        Kept = "kept",
        /// nothing; the journal and the texts of kept pages are always written
        None = "none",
    }
}

keys! {
    /// What is stored of bodies.
    pub struct ArchiveSection {
        /// Which bodies are archived.
        bodies: Bodies = Bodies::All, any().counts_for(CountsFor::NewPages);

        /// A new file is begun beyond this size.
        file_size: Size = Size(ArchiveConfig::default().file_bytes_max), at_least(Size(1_000));

        /// Closed files are copied there while the crawl goes on: `s3://BUCKET/PREFIX`, with credentials
        /// from the environment alone (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`,
        /// `AWS_ENDPOINT_URL`), or a directory as `file:///PATH`. Empty: nowhere.
        upload: String = String::new(), any();
    }
}

impl Section for ArchiveSection {}

impl CrawlConfig {
    /// How the archive is written.
    pub fn archive_config(&self) -> ArchiveConfig {
        ArchiveConfig {
            bodies: self.archive.bodies,
            file_bytes_max: self.archive.file_size.0,
            ..ArchiveConfig::default()
        }
    }
}
