//! A crawl on many machines: this frontier has the hosts of some *parts* of the web, and other nodes
//! have the others.
//!
//! URLs of its own parts wait here. Those of others are only offered, to whoever shares them out. A
//! part that comes brings the URLs that wait in it, and its hosts first wait their delay, since
//! nobody knows when they were last asked; of a part that goes nothing waits any longer.
//!
//! **Budgets** are those of the whole crawl. A host is of one part, so whoever takes the part is told how
//! many URLs of each host have met their end, and counts on from there. What a seed has brought in is
//! told anew before each group of decisions, while nobody else decides.

use std::time::Instant;

use hashbrown::{HashMap, HashSet};

use super::Frontier;
use crate::config::FrontierError;
use crate::host::HostKey;
use crate::hosts::domain_of;
use crate::lease::FrontierUrl;
use crate::url::CanonicalUrl;

/// URLs that are known to be admitted somewhere, so that they need not be asked about again: some
/// 40 MB.
const KNOWN_MAX: usize = 1 << 20;

/// What a node has of a crawl.
#[derive(Debug)]
pub struct Share {
    part_of: fn(&str) -> u16,
    host_number: fn(&str) -> u32,
    mine: HashSet<u16>,
    /// URLs that had met their end when a host's part came, by the host's number; no host is left out
    /// of which one had.
    ended: HashMap<u16, HashMap<u32, u64>>,
    /// Parts that came, with the URLs of each host that wait for the first time, and whose hosts are not
    /// counted yet.
    uncounted: HashMap<u16, HashMap<HostKey, u64>>,
    /// Parts that go: nothing of them is leased any more.
    going: HashSet<u16>,
    /// Their hosts for which URLs waited.
    waited: HashSet<HostKey>,
    /// URLs that others know of, the newer half and the older one; they turn over between groups.
    known: [HashSet<u128>; 2],
    offered: Vec<FrontierUrl>,
    reopened: Vec<FrontierUrl>,
    /// Into so many shares the connections to an address are divided.
    nodes: usize,
}

impl Share {
    /// A node that has nothing yet; `part_of` gives the part of a registrable domain, `host_number` the
    /// number by which it is told of a host.
    pub fn new(part_of: fn(&str) -> u16, host_number: fn(&str) -> u32) -> Share {
        Share {
            part_of,
            host_number,
            mine: HashSet::new(),
            ended: HashMap::new(),
            uncounted: HashMap::new(),
            going: HashSet::new(),
            waited: HashSet::new(),
            known: Default::default(),
            offered: Vec::new(),
            reopened: Vec::new(),
            nodes: 1,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    fn part(&self, host: &HostKey) -> u16 {
        (self.part_of)(domain_of(host))
    }

    /// How many URLs of a host had met their end when its part came.
    pub(super) fn ended(&self, host: &HostKey) -> u64 {
        let hosts = self.ended.get(&self.part(host));
        let urls = hosts.and_then(|hosts| hosts.get(&(self.host_number)(host.as_str())));
        urls.copied().unwrap_or(0)
    }

    fn knows(&self, key: u128) -> bool {
        self.known.iter().any(|known| known.contains(&key))
    }

    fn note(&mut self, key: u128) {
        self.known[0].insert(key);
    }

    fn turn_over(&mut self) {
        if self.known[0].len() >= KNOWN_MAX / 2 {
            self.known.swap(0, 1);
            self.known[0].clear();
        }
    }

    pub(super) fn is_mine(&self, host: &HostKey) -> bool {
        self.mine.contains(&self.part(host))
    }

    /// A URL is new to the whole crawl; whether it is to wait here.
    pub(super) fn admit(&mut self, url: &FrontierUrl) -> bool {
        self.note(url.url.key());
        self.offered.push(url.clone());
        self.is_mine(&url.url.host())
    }

    /// A finished URL waits again; whether here.
    pub(super) fn reopen(&mut self, url: &FrontierUrl) -> bool {
        let is_mine = self.is_mine(&url.url.host());
        if is_mine {
            self.reopened.push(url.clone());
        }
        is_mine
    }
}

impl Frontier {
    /// From now on this frontier has a share of the crawl: what it offers is to be taken from it
    /// with [`Frontier::take_offered`].
    pub fn set_share(&mut self, share: Share) {
        self.share = Some(share);
    }

    /// Into so many shares the connections to an address are divided.
    pub fn set_nodes(&mut self, nodes: usize) {
        if let Some(share) = &mut self.share {
            share.nodes = nodes.max(1);
        }
    }

    /// What the best URL promises of all hosts that are free within the time of patience.
    pub fn promise(&self, now: Instant) -> Option<f32> {
        self.schedule.promise(&self.hosts.queues, now)
    }

    /// What the best next page of other nodes promises: with patience, URLs that promise much less wait,
    /// as they do for a better host; of them one goes for each time of patience.
    pub fn set_elsewhere(&mut self, promise: Option<f32>) {
        self.schedule.set_elsewhere(promise);
    }

    /// Whether even the best URL here waits for other nodes.
    pub fn gives_way(&self, now: Instant) -> bool {
        self.schedule.gives_way(&self.hosts.queues, now)
    }

    /// Whether a URL was admitted, here or elsewhere, as far as is known here.
    pub(super) fn has_seen(&self, key: u128) -> Result<bool, FrontierError> {
        let elsewhere = self.share.as_ref().is_some_and(|share| share.knows(key));
        Ok(elsewhere || self.urls.has_seen(key)?)
    }

    /// Whether nothing is known here of a URL: another node may have admitted it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_unknown(&self, url: &CanonicalUrl) -> Result<bool, FrontierError> {
        Ok(!self.has_seen(url.key())?)
    }

    /// Notes that a URL was admitted elsewhere.
    pub fn note_known(&mut self, url: &CanonicalUrl) {
        if let Some(share) = &mut self.share {
            share.note(url.key());
        }
    }

    /// URLs that were admitted, and those that were put back, since this was called last. The URLs
    /// of other nodes' parts are among the first.
    pub fn take_offered(&mut self) -> (Vec<FrontierUrl>, Vec<FrontierUrl>) {
        let Some(share) = &mut self.share else {
            return Default::default();
        };
        share.turn_over();
        let offered = std::mem::take(&mut share.offered);
        (offered, std::mem::take(&mut share.reopened))
    }

    /// The parts that this frontier has.
    pub fn parts(&self) -> Vec<u16> {
        let share = self.share.iter();
        let mut parts: Vec<u16> = share.flat_map(|share| share.mine.iter().copied()).collect();
        parts.sort_unstable();
        parts
    }

    /// The same, with those that go and are not given back yet.
    pub fn parts_and_going(&self) -> Vec<u16> {
        let share = self.share.iter();
        let parts = share.flat_map(|share| share.mine.union(&share.going).copied());
        let mut parts: Vec<u16> = parts.collect();
        parts.sort_unstable();
        parts
    }

    /// A part comes, with all URLs that wait in it and whether each had met its end before, and with how
    /// many URLs of each host have, by the host's number. URLs that wait here already stay as they are.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn take_part(
        &mut self,
        part: u16,
        waiting: Vec<(FrontierUrl, bool)>,
        ended: impl IntoIterator<Item = (u32, u64)>,
    ) -> Result<(), FrontierError> {
        if let Some(share) = &mut self.share {
            share.mine.insert(part);
            share.going.remove(&part);
            share.ended.insert(part, ended.into_iter().collect());
        }
        let mut admitted: HashMap<HostKey, u64> = HashMap::new();
        for (url, had_ended) in waiting {
            let counts = url.is_page() && !had_ended;
            *admitted.entry(url.url.host()).or_default() += u64::from(counts);
            self.take_url(url, true)?;
        }
        if let Some(share) = &mut self.share {
            share.uncounted.insert(part, admitted);
        }
        Ok(())
    }

    /// Counts how many URLs each host of the parts that came has brought in, over all nodes: those that met
    /// their end, and those that wait for the first time. To be called once for all parts that come
    /// together, since it looks at every host.
    pub fn count_taken(&mut self) {
        let Some(share) = &mut self.share else {
            return;
        };
        let taken = std::mem::take(&mut share.uncounted);
        if taken.is_empty() {
            return;
        }
        for queue in &mut self.hosts.queues {
            if let Some(waiting) = taken.get(&share.part(&queue.host)) {
                let waiting = waiting.get(&queue.host).copied().unwrap_or(0);
                queue.admitted = share.ended(&queue.host) + waiting;
            }
        }
    }

    /// How many URLs seeds have brought in, over all nodes.
    pub fn note_spent(&mut self, seeds: impl IntoIterator<Item = (u32, u64)>) {
        for (seed, urls) in seeds {
            self.budgets.set_used(seed, urls);
        }
    }

    /// How many URLs a seed may bring in; none for any number.
    pub fn seed_budget(&self, seed: u32) -> Option<u64> {
        self.budgets.max(seed)
    }

    /// Parts have come: their hosts first wait their delay, since others asked them up to now.
    pub fn rest_hosts_of(&mut self, parts: &[u16]) {
        let now = self.clock.now();
        self.hosts.come_at(now);
        let Some(share) = &self.share else {
            return;
        };
        let came: HashSet<u16> = parts.iter().copied().collect();
        let hosts =
            (0..self.hosts.len()).filter(|id| came.contains(&share.part(&self.hosts[*id].host)));
        let hosts: Vec<usize> = hosts.collect();
        for id in hosts {
            self.hosts[id].politeness.rest(now);
            self.update(id);
        }
    }

    /// A URL of one of this frontier's parts was admitted by another node. One that was finished
    /// here stays so, unless it was put back.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn take_admitted(
        &mut self,
        url: FrontierUrl,
        was_put_back: bool,
    ) -> Result<(), FrontierError> {
        let share = self.share.as_ref();
        match share.is_some_and(|share| share.is_mine(&url.url.host())) {
            true => self.take_url(url, was_put_back),
            false => Ok(()),
        }
    }

    fn take_url(&mut self, url: FrontierUrl, was_put_back: bool) -> Result<(), FrontierError> {
        let key = url.url.key();
        if !self.urls.has_seen(key)? {
            let host = (was_put_back && url.is_page()).then(|| url.url.host());
            self.admit_new(key, url)?;
            // It has counted already: another node finished it before its part came.
            if let Some(id) = host.and_then(|host| self.hosts.find(&host)) {
                self.hosts[id].admitted = self.hosts[id].admitted.saturating_sub(1);
            }
        } else if was_put_back && self.is_finished(&url.url)? {
            self.queue_again(url)?;
        }
        Ok(())
    }

    /// Parts go to another node: what waits in them waits here no longer.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn release_parts(&mut self, parts: &[u16]) -> Result<(), FrontierError> {
        if let Some(share) = &mut self.share {
            let go: HashSet<u16> = parts.iter().copied().collect();
            let waiting = self.hosts.queues.iter().filter(|queue| queue.len() > 0);
            let waiting = waiting.filter(|queue| go.contains(&share.part(&queue.host)));
            let waiting: Vec<HostKey> = waiting.map(|queue| queue.host.clone()).collect();
            share.waited.extend(waiting);
            for part in parts {
                share.mine.remove(part);
                share.ended.remove(part);
                share.going.insert(*part);
            }
        }
        self.drop_released()
    }

    /// Drops what waits in parts that go: a try of a URL that was under way may have put it back.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn drop_released(&mut self) -> Result<(), FrontierError> {
        let Some(share) = self.share.as_ref().filter(|share| !share.going.is_empty()) else {
            return Ok(());
        };
        let goes = |id: &usize| share.going.contains(&share.part(&self.hosts[*id].host));
        let hosts: Vec<usize> = (0..self.hosts.len()).filter(goes).collect();
        let held: Vec<u128> = self.held_new.keys().copied().collect();
        for key in held {
            let host = self.urls.entry(key).map(|entry| entry.url.url.host());
            let id = host.and_then(|host| self.hosts.find(&host));
            if id.is_some_and(|id| hosts.contains(&id)) {
                self.end_waiting(key)?;
            }
        }
        for id in hosts {
            self.unspill_all(id)?;
            let host = &self.hosts[id];
            let ready = host.ready().into_iter().map(|slot| slot.key);
            let retries = host.retries().map(|(_, slot)| slot.key);
            let keys: Vec<u128> = ready.chain(retries).collect();
            for key in keys {
                self.end_waiting(key)?;
            }
        }
        Ok(())
    }

    fn end_waiting(&mut self, key: u128) -> Result<(), FrontierError> {
        if let Some(entry) = self.urls.entry(key) {
            let url = entry.url.url.clone();
            return self.replay_finished(&url);
        }
        match self.urls.stored(key)? {
            Some(crate::store::StoredUrl::Pending(waiting)) => {
                self.replay_finished(&waiting.url.url)
            }
            Some(crate::store::StoredUrl::Finished) | None => Ok(()),
        }
    }

    fn unspill_all(&mut self, id: usize) -> Result<(), FrontierError> {
        while self.hosts[id].spilled() > 0 {
            let returned = self.urls.store.take_spilled(id as u32)?;
            if returned.slots.is_empty() {
                break;
            }
            self.slots_in_memory += returned.slots.len();
            self.hosts[id].note_returned(&returned.slots, returned.rest_from);
        }
        Ok(())
    }

    /// Those of the parts that go of which nothing is under way: they may be given back.
    pub fn idle_parts(&self) -> Vec<u16> {
        let Some(share) = self.share.as_ref().filter(|share| !share.going.is_empty()) else {
            return Vec::new();
        };
        let mut busy: HashSet<u16> = HashSet::new();
        for host in &self.hosts.queues {
            let asks = host.politeness.in_flight() > 0 || host.politeness.asking_robots;
            if asks || host.len() > 0 || !host.errands.is_empty() {
                busy.insert(share.part(&host.host));
            }
        }
        busy.extend((self.leased.values()).map(|entry| share.part(&entry.url.url.host())));
        let mut idle: Vec<u16> = share.going.difference(&busy).copied().collect();
        idle.sort_unstable();
        idle
    }

    /// The hosts of these parts that are known here, each with its part and whether URLs wait for it, or did
    /// when its part was to go.
    pub fn hosts_of_parts(&self, parts: &[u16]) -> Vec<(u16, HostKey, bool)> {
        let Some(share) = &self.share else {
            return Vec::new();
        };
        let parts: HashSet<u16> = parts.iter().copied().collect();
        let hosts = self.hosts.queues.iter();
        let of_parts = hosts.filter_map(|queue| {
            let part = share.part(&queue.host);
            let waits = || queue.len() > 0 || share.waited.contains(&queue.host);
            let is_one = parts.contains(&part);
            is_one.then(|| (part, queue.host.clone(), waits()))
        });
        of_parts.collect()
    }

    /// The part of a host; none without a share.
    pub fn part_of(&self, host: &HostKey) -> Option<u16> {
        self.share.as_ref().map(|share| share.part(host))
    }

    /// Parts were given back.
    pub fn note_given_back(&mut self, parts: &[u16]) {
        if let Some(share) = &mut self.share {
            for part in parts {
                share.going.remove(part);
            }
            let (waited, part_of, going) = (&mut share.waited, share.part_of, &share.going);
            waited.retain(|host| going.contains(&part_of(domain_of(host))));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use outcome::LinkFate;

    use super::*;
    use crate::config::FrontierConfig;
    use crate::lease::Admission;

    fn url(path: &str) -> FrontierUrl {
        FrontierUrl {
            url: CanonicalUrl::parse(&format!("http://a.example/{path}")).expect("a URL"),
            depth: 1,
            seed: 3,
            via: None,
            priority: 0.0,
            context: Vec::new(),
        }
    }

    /// A node whose hosts may bring in five URLs each; every host is of part 0 and has the number 7.
    fn node() -> Frontier {
        let config = FrontierConfig {
            urls_per_host: 5,
            ..FrontierConfig::default()
        };
        let mut frontier = Frontier::in_memory(config, Instant::now());
        frontier.set_share(Share::new(|_| 0, |_| 7));
        frontier
    }

    #[track_caller]
    fn admits(frontier: &mut Frontier, path: &str, expected: Admission) {
        let offered = frontier.offers(None).offer(&url(path).url, 1, 3);
        assert_eq!(offered.expect("answers"), expected, "{path}");
        if expected == Admission::New {
            frontier.replay_admitted(url(path)).expect("is taken in");
        }
    }

    #[test]
    fn a_hosts_budget_goes_on_from_what_its_part_comes_with() {
        let full = Admission::Refused(LinkFate::BudgetHost);
        // Four ended, of which one waits again; one waits for the first time.
        let waiting = || vec![(url("again"), true), (url("waits"), false)];
        let mut frontier = node();
        frontier.take_part(0, waiting(), [(7, 4)]).expect("comes");
        frontier.count_taken();
        admits(&mut frontier, "new", full.clone());
        // As it goes and comes back, what others did meanwhile counts.
        frontier.release_parts(&[0]).expect("goes");
        frontier.take_part(0, Vec::new(), [(7, 4)]).expect("comes");
        frontier.count_taken();
        admits(&mut frontier, "new", Admission::New);
        admits(&mut frontier, "more", full.clone());
        // A host of which nothing waits is not known here, and still has ended.
        let mut frontier = node();
        frontier.take_part(0, Vec::new(), [(7, 5)]).expect("comes");
        frontier.count_taken();
        admits(&mut frontier, "new", full);
        // What another node finished before waits again, and counts once.
        let mut frontier = node();
        frontier.take_part(0, Vec::new(), [(7, 4)]).expect("comes");
        frontier.count_taken();
        frontier.take_admitted(url("back"), true).expect("comes");
        admits(&mut frontier, "new", Admission::New);
    }

    #[test]
    fn what_a_seed_has_spent_elsewhere_counts_here() {
        let mut frontier = node();
        frontier.set_seed_budget(3, Some(10));
        frontier.note_spent([(3, 8)]);
        // Of the part of another node, and so only offered.
        admits(&mut frontier, "one", Admission::New);
        admits(&mut frontier, "two", Admission::New);
        let full = Admission::Refused(LinkFate::BudgetSeed);
        admits(&mut frontier, "three", full);
        assert_eq!(frontier.take_offered().0.len(), 2);
    }
}
