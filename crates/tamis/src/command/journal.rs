//! Reading a crawl's journal, whether it runs or not.

use std::path::Path;

use archive::{BodyRef, Position, Record, Replayed};
use pipeline::CrawlDir;

use crate::command::crawl_error;
use crate::exit::resource;

/// A crawl that must exist.
pub fn open(dir: &Path) -> anyhow::Result<CrawlDir> {
    CrawlDir::existing(dir).map_err(crawl_error)
}

/// Every record that can be read, in order. Damaged places are left out; `check-dir` names them.
pub fn records(dir: &CrawlDir) -> anyhow::Result<impl Iterator<Item = Record> + use<>> {
    let replay = archive::replay(&dir.archive(), Position::START)
        .map_err(|error| resource(format!("cannot read the archive: {error}")))?;
    Ok(replay
        .map_while(Result::ok)
        .filter_map(|replayed| match replayed {
            Replayed::Record { record, .. } => Some(record),
            Replayed::Damage(_) => None,
        }))
}

/// An archived text.
pub fn text(dir: &CrawlDir, at: &BodyRef) -> Option<String> {
    archive::read_text(&dir.archive(), at).ok()
}
