//! Which node a directory is: the file that says so, and the checks that no two directories are one node and no
//! directory two.

use std::path::Path;

use archive::{NodeRecord, Position};
use ledger::NodePulse;
use serde::{Deserialize, Serialize};

use crate::dir::{CrawlDir, sync_dir};
use crate::error::CrawlError;

/// Who this directory is in which crawl; kept in `node.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    /// The crawl's own number, in hexadecimal.
    pub(super) crawl: String,
    /// The node's number in it.
    pub(super) number: u16,
    /// The node's name.
    pub(super) name: String,
    /// The seeds that it was begun with, as a hash: all nodes have the same, in the same order.
    #[serde(default)]
    pub(super) seeds: String,
}

/// A crawl's own number as directories have it.
pub(super) fn hexadecimal(crawl: &[u8; 16]) -> String {
    crawl.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn identity_path(dir: &CrawlDir) -> std::path::PathBuf {
    dir.root().join("node.json")
}

/// Whether a directory is a node's.
pub fn is_node(dir: &CrawlDir) -> bool {
    identity_path(dir).is_file()
}

/// Which node of which crawl a directory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeName {
    /// The crawl's own number, in hexadecimal.
    pub crawl: String,
    /// The node's number in it.
    pub number: u16,
}

/// Which node a directory is; none for a crawl of one machine.
///
/// # Errors
/// When what says so cannot be read.
pub fn node_name(dir: &CrawlDir) -> Result<Option<NodeName>, CrawlError> {
    let identity = read_identity(dir)?;
    Ok(identity.map(|Identity { crawl, number, .. }| NodeName { crawl, number }))
}

/// Makes a directory of copies that of the node whose journal it holds.
///
/// # Errors
/// When it cannot be written.
pub fn name_copy(dir: &CrawlDir, node: &NodeRecord) -> Result<(), CrawlError> {
    let identity = Identity {
        crawl: node.crawl.clone(),
        number: node.number,
        name: format!("node-{}", node.number),
        seeds: String::new(),
    };
    write_identity(dir, &identity)
}

/// Makes a directory of copies that of a crawl of one machine.
///
/// # Errors
/// When it cannot be written.
pub fn unname_copy(dir: &CrawlDir) -> Result<(), CrawlError> {
    let path = identity_path(dir);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(cannot("remove", &path)(error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

fn cannot(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> CrawlError {
    let what = format!("{what} {}", path.display());
    move |source| CrawlError::Directory { what, source }
}

pub(super) fn read_identity(dir: &CrawlDir) -> Result<Option<Identity>, CrawlError> {
    let path = identity_path(dir);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot("read", &path)(error)),
    };
    let identity = serde_json::from_str(&text).map_err(|error| {
        CrawlError::Setup(format!(
            "{} cannot be read: {error}; it says which node of which crawl the directory is",
            path.display()
        ))
    });
    identity.map(Some)
}

pub(super) fn write_identity(dir: &CrawlDir, identity: &Identity) -> Result<(), CrawlError> {
    let path = identity_path(dir);
    let partial = path.with_extension("json.part");
    let text = serde_json::to_string_pretty(identity).unwrap_or_default();
    let write = || {
        std::fs::create_dir_all(dir.root())?;
        std::fs::write(&partial, text + "\n")?;
        std::fs::File::open(&partial)?.sync_all()?;
        std::fs::rename(&partial, &path)?;
        sync_dir(dir.root())
    };
    write().map_err(cannot("write", &path))
}

/// Refuses a directory that has less than the ledger has of a node of its name, before that node, which
/// may run elsewhere, is thrown out by a join.
pub(super) fn check_namesake(
    known: Option<&Identity>,
    namesake: Option<&NodePulse>,
    end: Position,
    dir: &CrawlDir,
) -> Result<(), CrawlError> {
    let Some(node) = namesake else {
        return known.map_or(Ok(()), |known| {
            Err(CrawlError::Setup(format!(
                "the crawl has no node {:?} any more: it was forgotten, and what it held was put back; \
                 begin anew in another --dir than {}",
                known.name,
                dir.root().display()
            )))
        });
    };
    let acknowledged = Position(node.journal);
    let is_other = known.is_some_and(|known| known.number != node.fence.node);
    if is_other || known.is_none() && acknowledged > Position::START {
        return Err(CrawlError::Setup(format!(
            "{} is not the directory of node {:?}, number {} of the crawl: use the directory that is, set \
             another name with cluster.node, or, if its disk is lost, `tamis cluster forget`",
            dir.root().display(),
            node.name,
            node.fence.node
        )));
    }
    if acknowledged > end {
        return Err(CrawlError::Setup(format!(
            "the journal in {} ends at {end}, but the ledger has acknowledged node {:?} up to \
             {acknowledged}: part of the directory is lost; use the directory that has it, or give the \
             node up with `tamis cluster forget`",
            dir.root().display(),
            node.name
        )));
    }
    Ok(())
}

/// Refuses a directory that is another node's.
pub(super) fn check_identity(
    known: Option<&Identity>,
    now: &Identity,
    dir: &CrawlDir,
) -> Result<(), CrawlError> {
    let root = dir.root().display();
    let same = |known: &&Identity| {
        (&known.crawl, known.number, &known.name) == (&now.crawl, now.number, &now.name)
    };
    if let Some(known) = known.filter(|known| !same(known)) {
        return Err(CrawlError::Setup(format!(
            "{root} is node {:?}, number {} of the crawl {}, and cannot be {:?}, number {} of {}: \
             choose another --dir, or set cluster.node",
            known.name, known.number, known.crawl, now.name, now.number, now.crawl
        )));
    }
    Ok(())
}
