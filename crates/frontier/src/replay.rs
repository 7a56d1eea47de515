//! The journal's records, applied again: no rule is asked, no time is waited for.
//!
//! A crash can leave the store ahead of its position, so each step may find its work done already
//! and then changes nothing.

use crate::frontier::{Frontier, Waiting};
use crate::lease::FrontierUrl;
use crate::store::RowBytes;
use crate::url::CanonicalUrl;

impl Frontier {
    /// Replays an admission as recorded.
    pub fn replay_admitted(&mut self, url: FrontierUrl) {
        self.resume();
        let key = url.url.key();
        if !self.has_seen(key) {
            self.admit_new(key, url);
        }
    }

    /// Replays that a URL met its fate.
    pub fn replay_finished(&mut self, url: &CanonicalUrl) {
        let key = url.key();
        if self.is_leased(key) {
            return;
        }
        let Some(waiting) = self.body(key) else {
            return;
        };
        if self.forget(&waiting, key) {
            self.counts.pending -= 1;
            self.counts.finished += 1;
        }
        self.write_later(key, RowBytes::finished(waiting.url.seed, &url.host()));
    }

    /// Replays a try that is to be repeated, not before a time.
    pub fn replay_attempt(&mut self, url: &CanonicalUrl, attempt: u32, retry_at_ms: u64) {
        let key = url.key();
        if self.is_leased(key) {
            return;
        }
        let Some(waiting) = self.body(key) else {
            return;
        };
        if self.forget(&waiting, key) {
            self.counts.pending -= 1;
        }
        self.wait(
            key,
            Waiting {
                attempt: attempt + 1,
                ..waiting
            },
            retry_at_ms,
        );
    }

    /// Puts a finished URL back into the queue, now or on replay; false when it waits or is being
    /// visited already, or was never admitted.
    pub fn reopen(&mut self, url: FrontierUrl) -> bool {
        let key = url.url.key();
        if !self.is_finished(&url.url) {
            return false;
        }
        self.counts.finished -= 1;
        self.wait_first(key, url);
        true
    }
}
