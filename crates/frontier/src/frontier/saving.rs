//! What is in memory goes to the store now and then, and comes back when the frontier is opened.
//!
//! It is saved right after the URLs were stored, so that both are of one moment; the crawl goes on while
//! it is written to the disk. A start loads it,
//! and then takes in each change that was stored since: it reads no URL that has only waited.

use std::time::Duration;

use super::Frontier;
use crate::config::{FrontierConfig, FrontierError};
use crate::host_queue::HostQueue;
use crate::store::{
    Applied, Change, FrontierStore, QueueSlot, Saved, SavedHost, SavedTotals, StoreError,
    StoredUrl, Waiting,
};
use crate::url_table::Entry;

impl Frontier {
    /// Takes in what a store holds.
    pub(super) fn load_from(
        &mut self,
        mut store: Box<dyn FrontierStore>,
    ) -> Result<(), StoreError> {
        store.load(&mut |saved| {
            self.take_saved(saved);
            Ok(())
        })?;
        self.urls.store = store;
        self.urls.load_seen(self.counts.admitted)?;
        loop {
            let tail = self.urls.store.tail()?;
            if tail.is_empty() {
                break;
            }
            for applied in tail {
                self.take_applied(applied)?;
            }
        }
        for id in 0..self.hosts.len() {
            self.update(id);
        }
        if self.counts.admitted > 0 {
            self.resume();
        }
        Ok(())
    }

    fn take_saved(&mut self, saved: Saved) {
        match saved {
            Saved::Totals(totals) => {
                self.counts.admitted = totals.admitted;
                self.counts.finished = totals.finished;
                self.counts.pending = totals.admitted - totals.finished;
                self.next_order = totals.next_order;
                self.budgets.take_saved(&totals.of_seeds);
            }
            Saved::Host(host) => self.take_saved_host(host),
            Saved::Url(url) => self.urls.take_saved(*url),
        }
    }

    fn take_saved_host(&mut self, saved: SavedHost) {
        let id = self.host_id(&saved.host);
        self.slots_in_memory += saved.ready.len() + saved.retries.len();
        let longest = longest_wait(&self.config);
        let clock = &self.clock;
        let retries = saved.retries.into_iter().map(|(at_ms, slot)| {
            let at = clock.instant_of(at_ms, longest);
            (at.unwrap_or(clock.now()), slot)
        });
        let spilled = (saved.spilled, saved.spilled_from);
        let host = &mut self.hosts[id];
        host.admitted = saved.admitted;
        host.take_saved(saved.ready, retries, spilled);
    }

    /// Takes in a change that was stored after memory was saved.
    fn take_applied(&mut self, applied: Applied) -> Result<(), StoreError> {
        let Applied {
            key,
            before,
            change,
        } = applied;
        match before {
            None => {
                self.urls.note_seen(key);
                self.counts.admitted += 1;
                let host = match &change {
                    Change::Pending(waiting) => waiting.url.url.host(),
                    Change::Finished { host, .. } => host.clone(),
                };
                self.count_admission(&host, change.seed());
            }
            Some(StoredUrl::Pending(waiting)) => self.drop_pending(key, waiting)?,
            Some(StoredUrl::Finished) => {
                self.counts.finished -= 1;
                self.budgets.note_reopened(change.seed());
            }
        }
        match change {
            Change::Finished { seed, .. } => {
                self.counts.finished += 1;
                self.budgets.note_finished(seed);
            }
            Change::Pending(waiting) => {
                self.next_order = self.next_order.max(waiting.order + 1);
                self.counts.pending += 1;
                let not_before_ms = waiting.not_before_ms;
                let entry = Entry::of(waiting);
                self.add_slot(key, &entry, not_before_ms)?;
                self.urls.put_back(key, entry);
            }
        }
        Ok(())
    }

    /// Takes a URL out of its queue that has waited as `waiting` says, or as its entry does.
    fn drop_pending(&mut self, key: u128, waiting: Waiting) -> Result<(), StoreError> {
        let entry = self.urls.forget_entry(key);
        let entry = entry.unwrap_or_else(|| Entry::of(waiting));
        match self.remove_slot(key, &entry) {
            Ok(()) => Ok(()),
            Err(FrontierError::Store(error)) => Err(error),
            Err(error @ (FrontierError::LostUrl { .. } | FrontierError::LostSlots { .. })) => {
                let place = "the frontier's store";
                Err(StoreError::damaged(place, error.to_string()))
            }
        }
    }

    /// Saves what is in memory, if enough was stored since the last time.
    pub(super) fn save_if_due(&mut self) -> Result<(), FrontierError> {
        match self.urls.store.wants_save(false) {
            true => self.begin_save(),
            false => Ok(()),
        }
    }

    /// The last call of a process that ends in order: the next start has less to do. All that was
    /// admitted and settled is stored: [`Frontier::apply`] was called last.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn close(mut self) -> Result<(), FrontierError> {
        self.save_at_end()
    }

    /// The same for a frontier that is shared.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn save_at_end(&mut self) -> Result<(), FrontierError> {
        match self.urls.store.wants_save(true) {
            true => self.save(),
            false => Ok(self.urls.store.finish_save()?),
        }
    }

    /// Saves what is in memory, so that the next start has the least to do. All that was admitted
    /// and settled is stored: [`Frontier::apply`] was called last.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn save(&mut self) -> Result<(), FrontierError> {
        self.begin_save()?;
        Ok(self.urls.store.finish_save()?)
    }

    fn begin_save(&mut self) -> Result<(), FrontierError> {
        // What is under way is pending for the next process.
        let mut leased = hashbrown::HashMap::<usize, Vec<(u64, QueueSlot)>>::new();
        for (key, entry) in &self.leased {
            if let Some(id) = self.hosts.find(&entry.url.url.host()) {
                leased.entry(id).or_default().push((0, entry.slot(*key)));
            }
        }
        let totals = SavedTotals {
            admitted: self.counts.admitted,
            finished: self.counts.finished,
            next_order: self.next_order,
            of_seeds: self.budgets.saved(),
        };
        // The store is asked to save what the frontier has beside it.
        let none = Box::new(crate::MemoryStore::default());
        let mut store = std::mem::replace(&mut self.urls.store, none);
        let hosts = self.hosts.queues.iter().enumerate();
        let hosts = hosts.map(|(id, host)| {
            Saved::Host(self.saved_host(host, leased.remove(&id).unwrap_or_default()))
        });
        let urls = self.urls.saved();
        let under_way = self.leased.iter().map(|(key, entry)| entry.saved(*key));
        let urls = urls.chain(under_way).map(|url| Saved::Url(Box::new(url)));
        let mut memory = [Saved::Totals(totals)].into_iter().chain(hosts).chain(urls);
        let saved = store.begin_save(&mut memory);
        drop(memory);
        self.urls.store = store;
        Ok(saved?)
    }

    fn saved_host(&self, host: &HostQueue, leased: Vec<(u64, QueueSlot)>) -> SavedHost {
        let retries = host.retries();
        let retries = retries.map(|(at, slot)| (self.clock.unix_ms_of(*at), *slot));
        SavedHost {
            host: host.host.clone(),
            admitted: host.admitted,
            ready: host.ready(),
            retries: retries.chain(leased).collect(),
            spilled: host.spilled(),
            spilled_from: host.spilled_from(),
        }
    }
}

/// The longest time that a URL waits to be tried again.
pub(super) fn longest_wait(config: &FrontierConfig) -> Duration {
    config.retry_after_max.max(Duration::from_secs(3_600))
}
