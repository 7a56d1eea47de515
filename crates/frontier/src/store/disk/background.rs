//! Work on files that goes on while the store is in use.

use std::thread::{Builder, JoinHandle};

use super::files::Dir;
use crate::store::StoreError;

/// Work under way. Who lets go of it waits until it has ended: whoever opens the store next must not
/// meet it.
#[derive(Debug)]
pub(super) struct Background<T>(Option<JoinHandle<Result<T, StoreError>>>);

impl<T: Send + 'static> Background<T> {
    /// Begins it.
    pub(super) fn begin(
        dir: &Dir,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let thread = Builder::new().name("frontier-store".into()).spawn(work);
        let thread = thread.map_err(|error| dir.error("write to", &error))?;
        Ok(Self(Some(thread)))
    }
}

impl<T> Background<T> {
    pub(super) fn has_ended(&self) -> bool {
        self.0.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for it, and gives what came of it.
    pub(super) fn end(mut self, dir: &Dir) -> Result<T, StoreError> {
        let ended = self.0.take().and_then(|thread| thread.join().ok());
        ended.unwrap_or_else(|| {
            Err(StoreError::Refused {
                doing: format!("write to {}", dir.place()),
                cause: "the thread that writes has panicked".to_owned(),
                kind: std::io::ErrorKind::Other,
            })
        })
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // The process ends by another error, which is told.
            let _ = thread.join();
        }
    }
}
