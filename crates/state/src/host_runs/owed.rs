//! What is told of a host's runs to the node that has the host next.
//!
//! A run that is looked into hangs on one URL. Where that has met its end meanwhile and nobody said what it told,
//! the look is over: it would keep the host from being looked into for ever.

use std::time::Duration;

use archive::RetryOrigin;
use frontier::ClockMove;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::host::{Asked, Host, Run, Stage};
use super::known::Known;
use super::{HostRuns, PAGES_MAX, SURE_REST_MAX};

/// What is known of one host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OwedRuns {
    /// Pages that it has given.
    pages: u32,
    host: Option<Host>,
    known: Option<Known>,
}

impl HostRuns {
    /// What is known of a host.
    pub(crate) fn owed(&self, name: &str) -> OwedRuns {
        let key = xxh3_64(name.as_bytes());
        OwedRuns {
            pages: self.pages.get(&key).copied().unwrap_or(0),
            host: self.hosts.get(&key).cloned(),
            known: self.known.get(name).cloned(),
        }
    }

    /// Goes on with what another node knew of a host, who had it last.
    pub(crate) fn take(&mut self, name: &str, owed: OwedRuns) {
        let key = xxh3_64(name.as_bytes());
        let OwedRuns { pages, host, known } = owed;
        if pages > 0 {
            let own = self.pages.entry(key).or_default();
            *own = pages.max(*own);
        }
        match host {
            Some(host) => self.hosts.insert(key, host),
            None => self.hosts.remove(&key),
        };
        match known {
            Some(known) => self.known.insert(name.into(), known),
            None => self.known.remove(name),
        };
        self.remember(key);
    }

    /// Whether one URL is to tell what a host does.
    pub(crate) fn is_in_doubt(&self, name: &str) -> bool {
        let host = self.hosts.get(&xxh3_64(name.as_bytes()));
        host.is_some_and(Host::is_looked_into)
    }
}

impl OwedRuns {
    /// Whether there is nothing to tell but how many pages it has given.
    pub(crate) fn is_plain(&self) -> bool {
        self.host.is_none() && self.known.is_none()
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.is_plain() && self.pages == 0
    }

    /// Without the URLs that are remembered.
    pub(crate) fn without_urls(mut self) -> Self {
        self.host.iter_mut().for_each(Host::forget_urls);
        self.known.iter_mut().for_each(Known::forget_urls);
        self
    }

    /// The URLs that are remembered.
    pub(crate) fn origins(&mut self) -> impl Iterator<Item = &mut RetryOrigin> {
        let of_host = self.host.iter_mut().flat_map(Host::candidates);
        let of_known = self.known.iter_mut().flat_map(Known::candidates);
        of_host.chain(of_known).map(|(_, origin)| origin)
    }

    /// The same by another clock, and within the bounds that hold here.
    pub(crate) fn by_clock(mut self, clocks: ClockMove) -> Self {
        self.pages = self.pages.min(PAGES_MAX);
        self.host.iter_mut().for_each(Host::bound);
        if let Some(run) = self.host.as_mut().and_then(|host| host.run.as_mut()) {
            run.since_ms = clocks.moved(run.since_ms);
        }
        if let Some(known) = &mut self.known {
            known.by_clock(clocks);
        }
        self
    }

    /// Ends what hangs on a URL that waits no longer.
    pub(crate) fn end_looks(&mut self, mut is_open: impl FnMut(&str) -> bool) {
        let Some(host) = &mut self.host else {
            return;
        };
        if let Some(run) = &mut host.run {
            run.end_look(&mut is_open);
        }
        if let Some(missed) = &mut host.missed {
            missed.is_answered |= !is_open(&missed.url);
        }
    }
}

impl Run {
    /// Where the URL that was to tell waits no longer, another one is to.
    fn end_look(&mut self, mut is_open: impl FnMut(&str) -> bool) {
        let is_over = |asked: &Asked| !asked.is_sure && !is_open(&asked.url);
        if self.asked().is_some_and(is_over) {
            self.stage = Stage::Watched;
        }
    }
}

/// No rest is longer.
pub(super) fn bounded(rest: &mut Duration) {
    *rest = (*rest).min(SURE_REST_MAX);
}
