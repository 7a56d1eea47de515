//! Priorities that change while URLs wait.
//!
//! Scoring is the caller's and may be slow, so it is done on a snapshot, in pieces, while the
//! frontier goes on:
//!
//! ```text
//! for keys in frontier.pending_keys().chunks(1_000) {
//!     let pending = frontier.pending(keys);                  // a short look
//!     let scored = pending.map(|url| (url.key, score(url))); // without the frontier
//!     frontier.set_priorities(&scored)?;                     // a short change
//! }
//! ```
//!
//! URLs that were leased or finished in between are left alone.

use super::Frontier;
use crate::config::FrontierError;
use crate::lease::PendingUrl;
use crate::url::CanonicalUrl;

impl Frontier {
    /// The keys of all pending URLs in memory, in no order that means anything.
    pub fn pending_keys(&self) -> Vec<u128> {
        self.urls.keys_in_memory()
    }

    /// Those of these URLs that wait to be asked for now, as they are. URLs that are in the store
    /// alone, or wait for a time to be tried again, are left out.
    pub fn pending(&self, keys: &[u128]) -> Vec<PendingUrl> {
        let pending = |key: &u128| {
            let entry = self.urls.entry(*key)?;
            let id = self.hosts.find(&entry.url.url.host())?;
            self.hosts[id]
                .is_ready(&entry.slot(*key))
                .then(|| PendingUrl {
                    key: *key,
                    priority: entry.url.priority,
                    context: entry.url.context.clone(),
                })
        };
        keys.iter().filter_map(pending).collect()
    }

    /// Gives URLs other priorities; those that no longer wait in memory are left alone. A deferred
    /// URL whose priority changes is asked about again.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn set_priorities(&mut self, priorities: &[(u128, f32)]) -> Result<(), FrontierError> {
        for (key, priority) in priorities {
            self.change(*key, *priority, None)?;
        }
        Ok(())
    }

    /// Takes in what a further link says of a pending URL, or of one under way: for that one it
    /// counts if it is tried again. Only URLs in memory are changed; false when this one does not
    /// wait there.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn reprioritise(
        &mut self,
        url: &CanonicalUrl,
        priority: f32,
        context: Vec<u8>,
    ) -> Result<bool, FrontierError> {
        let key = url.key();
        if let Some(leased) = self.leased.get_mut(&key) {
            leased.set_context(context);
            leased.set_priority(priority);
            return Ok(false);
        }
        self.change(key, priority, Some(context))
    }

    fn change(
        &mut self,
        key: u128,
        priority: f32,
        context: Option<Vec<u8>>,
    ) -> Result<bool, FrontierError> {
        let Some(entry) = self.urls.entry_mut(key) else {
            return Ok(false);
        };
        let before = entry.slot(key);
        entry.set_priority(priority);
        if let Some(context) = context {
            entry.set_context(context);
        }
        let after = entry.slot(key);
        if after != before {
            let host = entry.url.url.host();
            let id = self.host_id(&host);
            if !self.held_new.contains_key(&key) {
                self.move_slot(id, &before, after)?;
            }
        }
        Ok(true)
    }
}
