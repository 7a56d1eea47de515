//! A checkpoint on its way to the disk, while the store goes on.
//!
//! All of it is made at one moment: its bytes, and which files belong to it. From then on those files are
//! only appended to, or not changed at all, and none of them is removed: what is of no more use is left
//! to the next checkpoint. So whenever the process ends, the checkpoint that is there has all its files,
//! synced before it came:
//!
//! ```text
//! log, index, slots ─► checkpoint.new ─► checkpoint ─► directory ─► files of the one before
//!      synced              synced          renamed       synced           removed
//! ```

use std::fs::File;
use std::sync::Arc;

use super::checkpoint::Made;
use super::fail_point;
use super::files::{Dir, Kind};
use crate::store::StoreError;

/// What is to be done.
#[derive(Debug)]
pub(super) struct Saving {
    pub(super) dir: Arc<Dir>,
    /// What the checkpoint names and may not be on the disk yet.
    pub(super) files: Vec<Arc<File>>,
    pub(super) checkpoint: Made,
    /// What the checkpoint before names, and this one does not.
    pub(super) useless: Vec<(Kind, u32)>,
}

impl Saving {
    /// Does it.
    pub(super) fn run(self) -> Result<(), StoreError> {
        fail_point("frontier:saving", &self.dir)?;
        for file in &self.files {
            let synced = file.sync_data();
            synced.map_err(|error| self.dir.error("write to", &error))?;
        }
        fail_point("frontier:synced", &self.dir)?;
        self.checkpoint.install(&self.dir)?;
        fail_point("frontier:saved", &self.dir)?;
        for (kind, number) in &self.useless {
            self.dir.remove(*kind, *number);
        }
        Ok(())
    }
}
