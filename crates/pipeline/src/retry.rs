//! URLs that may be tried again, looked up in the journal.

use archive::{Archive, ArchiveConfig, Entry, PageRecord, Position, Record, Replayed};
use state::retry::{Candidate, Candidates, records_for_filter, way_of_filter, way_of_rules};

pub use state::retry::RetryFilter;

use crate::clock::unix_ms;
use crate::dir::CrawlDir;
use crate::error::CrawlError;

/// The URLs that failed and were not put back since, in the order of their failures.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) fn candidates(
    dir: &CrawlDir,
    filter: &RetryFilter,
) -> Result<Vec<Candidate>, CrawlError> {
    ended(dir, way_of_filter(filter))
}

/// The URLs that were refused for a rule and not put back since.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) fn refused_for(dir: &CrawlDir, rule: &str) -> Result<Vec<Candidate>, CrawlError> {
    ended(dir, way_of_rules(&[rule.to_owned()]))
}

fn ended(
    dir: &CrawlDir,
    way: impl Fn(&PageRecord) -> Option<usize>,
) -> Result<Vec<Candidate>, CrawlError> {
    let mut candidates = Candidates::new(way);
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        if let Replayed::Record { record, .. } = replayed? {
            candidates.add(record);
        }
    }
    Ok(candidates.finish(1).remove(0))
}

/// Puts failed URLs of a crawl that is not running back into its queue; gives how many. Their
/// records are appended, and applied when the crawl starts.
///
/// # Errors
/// When another process has the directory, or its archive cannot be read or written.
pub fn retry_stopped(dir: &CrawlDir, filter: &RetryFilter) -> Result<usize, CrawlError> {
    if crate::node::is_node(dir) {
        return Err(CrawlError::Setup(
            "the directory is a node's of a crawl on many machines: start the node, then retry"
                .into(),
        ));
    }
    let _lock = dir.lock()?;
    let found = candidates(dir, filter)?;
    let count = found.len();
    if count == 0 {
        return Ok(0);
    }
    let (mut archive, _) = Archive::open(&dir.archive(), ArchiveConfig::default())?;
    let numbers = archive.last_seq() + 1..;
    for (seq, event) in numbers.zip(records_for_filter(found, filter)) {
        archive.append(&Entry::of(&Record {
            seq,
            at_ms: unix_ms(),
            event,
        }))?;
    }
    archive.sync()?;
    Ok(count)
}
