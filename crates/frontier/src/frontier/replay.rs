//! The journal's records, applied again: no rule is asked, no time is waited for.
//!
//! A crash can leave the store ahead of its position, so each step may find its work done already
//! and then changes nothing.

use super::Frontier;
use crate::config::FrontierError;
use crate::lease::FrontierUrl;
use crate::store::Change;
use crate::url::CanonicalUrl;
use crate::url_table::Entry;

impl Frontier {
    /// Replays an admission as recorded.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn replay_admitted(&mut self, url: FrontierUrl) -> Result<(), FrontierError> {
        let key = url.url.key();
        if self.has_seen(key)? {
            return Ok(());
        }
        let is_mine = self.share.as_mut().is_none_or(|share| share.admit(&url));
        match is_mine {
            true => self.admit_new(key, url)?,
            false => self.budgets.note_elsewhere(&url),
        }
        Ok(())
    }

    /// Replays that a URL met its fate.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn replay_finished(&mut self, url: &CanonicalUrl) -> Result<(), FrontierError> {
        let key = url.key();
        let Some(entry) = self.take_pending(key)? else {
            return Ok(());
        };
        self.counts.finished += 1;
        self.budgets.note_finished(entry.url.paying_seed());
        let finished = Change::Finished {
            seed: entry.url.paying_seed(),
            host: url.host(),
        };
        self.urls.write_later(key, finished);
        Ok(())
    }

    /// Replays a try that is to be repeated, not before a time (milliseconds since the Unix epoch).
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn replay_attempt(
        &mut self,
        url: &CanonicalUrl,
        attempt: u32,
        retry_at_ms: u64,
    ) -> Result<(), FrontierError> {
        let key = url.key();
        let Some(entry) = self.take_pending(key)? else {
            return Ok(());
        };
        let entry = Entry::new(entry.url, attempt + 1, entry.order);
        Ok(self.enqueue(key, entry, retry_at_ms)?)
    }

    /// Takes a pending URL out of its queue; none when it is being visited, finished, or was never
    /// admitted.
    fn take_pending(&mut self, key: u128) -> Result<Option<Entry>, FrontierError> {
        if self.is_leased(key) {
            return Ok(None);
        }
        let entry = self.urls.take(key)?;
        if let Some(entry) = &entry {
            self.remove_slot(key, entry)?;
        }
        Ok(entry)
    }

    /// Puts a finished URL back into the queue, now or on replay; false when it waits or is being
    /// visited already, or was never admitted.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn reopen(&mut self, url: FrontierUrl) -> Result<bool, FrontierError> {
        if !self.is_finished(&url.url)? {
            return Ok(false);
        }
        let is_mine = self.share.as_mut().is_none_or(|share| share.reopen(&url));
        let key = url.url.key();
        match (is_mine, self.urls.has_seen(key)?) {
            (true, true) => self.queue_again(url)?,
            // An earlier start finished it.
            (true, false) => self.admit_new(key, url)?,
            (false, _) => {}
        }
        Ok(is_mine)
    }

    /// A finished URL waits again.
    pub(super) fn queue_again(&mut self, url: FrontierUrl) -> Result<(), FrontierError> {
        let key = url.url.key();
        self.counts.finished -= 1;
        self.budgets.note_reopened(url.paying_seed());
        self.revive(&url.url.host());
        Ok(self.enqueue_new(key, url)?)
    }
}
