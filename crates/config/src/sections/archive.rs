//! `[archive]`: what is stored of bodies.

use archive::{ArchiveConfig, Bodies};
use url::Url;

use crate::choice::choice;
use crate::crawl_config::CrawlConfig;
use crate::key::Fault;
use crate::rule::{CountsFor, any, at_least, tested};
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
        /// `AWS_ENDPOINT_URL`), or a directory as `file:///PATH`.
        upload: String = String::new(), tested("s3://BUCKET/PREFIX or file:///PATH", place)
            .zero("nowhere");
    }
}

impl Section for ArchiveSection {
    fn contradictions(&self) -> Vec<Fault> {
        let fault = || {
            // It points at the section: the line itself is not to be shown.
            Fault::new(
                &[],
                "archive.upload names a user or a password".into(),
                "take them out, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            )
        };
        let has_secret = Url::parse(&self.upload).is_ok_and(|url| names_user(&url));
        has_secret.then(fault).into_iter().collect()
    }
}

fn names_user(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

fn place(text: &str) -> Result<(), (String, String)> {
    let is_place = Url::parse(text).is_ok_and(|url| {
        let is_bare = url.port().is_none() && url.query().is_none() && url.fragment().is_none();
        let is_meant = match url.scheme() {
            "s3" => url.has_host(),
            "file" => url.to_file_path().is_ok(),
            _ => false,
        };
        names_user(&url) || is_bare && is_meant
    });
    if text.is_empty() || is_place {
        return Ok(());
    }
    Err((
        "is no place for archive files".into(),
        "write it as s3://BUCKET/PREFIX or file:///DIRECTORY".into(),
    ))
}

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
