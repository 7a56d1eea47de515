//! Copies of closed archive files in an object store: `[archive] upload`.

use offsite::{End, Place, Told, Uploads};
use outcome::StopReason;

use crate::config::CrawlConfig;
use crate::dir::CrawlDir;
use crate::error::CrawlError;

/// Begins to copy, if the configuration says where to; a node's files below its number.
///
/// # Errors
/// [`CrawlError::Setup`] when the place cannot be used.
pub(crate) fn start(
    config: &CrawlConfig,
    dir: &CrawlDir,
    node: Option<u16>,
) -> Result<Option<Uploads>, CrawlError> {
    let place = config.archive.upload.as_str();
    if place.is_empty() {
        // What was said of copies is of an earlier start's.
        let _ = std::fs::remove_file(dir.uploads());
        return Ok(None);
    }
    let wrong = |error| CrawlError::Setup(format!("archive.upload: {error}"));
    let place = Place::open(place).map_err(wrong)?;
    let place = match node {
        Some(number) => place.below(&format!("node-{number}")),
        None => place,
    };
    tracing::info!(place = place.as_str(), "closed archive files are copied");
    let uploads = Uploads::start(place, dir.archive(), dir.uploads());
    uploads.map(Some).map_err(|source| CrawlError::Directory {
        what: "start the thread that copies archive files".into(),
        source,
    })
}

/// Whether the place can be used, credentials included: told before a journal is read or a ledger joined.
///
/// # Errors
/// As [`start`].
pub(crate) fn check(config: &CrawlConfig) -> Result<(), CrawlError> {
    match config.archive.upload.as_str() {
        "" => Ok(()),
        place => Place::open(place)
            .map(drop)
            .map_err(|error| CrawlError::Setup(format!("archive.upload: {error}"))),
    }
}

/// Ends the copies. The last files, which the next start goes on with, are copied where the crawl is at its
/// end. Gives a note where something is not there.
pub(crate) fn end(
    uploads: Uploads,
    config: &CrawlConfig,
    reason: Option<&StopReason>,
) -> Option<String> {
    let goes_on = |reason: &StopReason| {
        matches!(
            reason,
            StopReason::Interrupted | StopReason::Reloaded | StopReason::Error
        )
    };
    let is_over = reason.is_some_and(|reason| !goes_on(reason)) && config.again.is_none();
    let told = uploads.end(if is_over { End::Finish } else { End::Stop });
    let failing = told.failing.as_ref().map(|why| format!(": {why}"));
    (told.waiting > 0 || told.failing.is_some()).then(|| {
        format!(
            "archive: {} of {} files are not copied to {} yet; the next start goes on{}",
            told.waiting,
            told.waiting + told.files,
            told.place,
            failing.unwrap_or_default()
        )
    })
}

/// How the copies of a crawl stand, by what it said last; none where it has none.
pub fn told(dir: &CrawlDir) -> Option<Told> {
    Told::read(&dir.uploads())
}
