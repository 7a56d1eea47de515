//! Hosts that change nodes: what a restart owes a host, a hand-over owes too.
//!
//! A node that gives parts back says what it knows of their hosts: failures in a row, a wait that was asked for,
//! the pace, the delays of robots.txt, how a host limits and what its runs of answers without a page were, rests
//! for walls, and good pages by which a limit is found out. Whoever takes a part writes that into its own journal,
//! and with it to its state, before it asks a host of it for anything. So it is there after a restart as well.
//!
//! No wall clock is compared with another machine's: what was said is as old as the ledger's clock says, and each
//! time in it is as long before that as it was by the clock of who said it. The waits themselves are bounded where
//! they take effect, as after a restart.
//!
//! What is said of one part is bounded. Hosts for which URLs wait come first, each with what it is owed; URLs that
//! are to be asked for once more if the host turns out to limit take the room that is left. Of hosts with nothing
//! to tell but that they have answered, and how many pages they gave, only those are told for which URLs wait.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use archive::ElsewhereManners;
use frontier::{CanonicalUrl, ClockMove, FrontierError, HostKey, HostPast, OriginPast};
use serde::{Deserialize, Serialize};

use crate::host_runs::OwedRuns;
use crate::host_walls;
use crate::queue::Queue;
use crate::state::State;

/// A robots.txt that could not be had is asked for again after this time at most, whoever said so.
const OUTAGE_WAIT_MAX: Duration = Duration::from_secs(3_600);

/// A wait beyond a year is none that anybody keeps in mind.
const WAIT_MAX: Duration = Duration::from_secs(365 * 24 * 3_600);

/// What a node said of the hosts of a part that it gave back.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// The part.
    pub part: u16,
    /// The number of the saying.
    pub number: u64,
    /// The node.
    pub node: u16,
    /// How long ago.
    pub age: Duration,
    /// What it said.
    pub data: &'a [u8],
}

/// What one host is owed.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Owed {
    host: Box<str>,
    /// It has answered, with whatever status.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    answered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    past: Option<HostPast>,
    #[serde(skip_serializing_if = "OwedRuns::is_nothing")]
    runs: OwedRuns,
    #[serde(skip_serializing_if = "Option::is_none")]
    walls: Option<host_walls::Host>,
    /// Pages that were good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    good: Vec<String>,
}

/// All that is said of a part.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Saying {
    /// The clock of who says it, milliseconds since the Unix epoch.
    at_ms: u64,
    hosts: Vec<Owed>,
}

impl Owed {
    /// Whether there is nothing to tell but that it has answered.
    fn is_plain(&self) -> bool {
        self.past.is_none() && self.walls.is_none() && self.runs.is_plain()
    }

    fn is_nothing(&self) -> bool {
        self.is_plain() && !self.answered && self.runs.is_nothing()
    }

    /// Without URLs.
    fn brief(&self) -> Owed {
        Owed {
            runs: self.runs.clone().without_urls(),
            good: Vec::new(),
            ..self.clone()
        }
    }

    /// As this node is to know it: by its clock, with what `me` has finished as its own.
    fn heard(self, clocks: ClockMove, me: u16) -> Owed {
        let mut runs = self.runs.by_clock(clocks);
        for origin in runs.origins() {
            origin.node = origin.node.filter(|node| *node != me);
            origin.via = None;
        }
        let mut past = self.past.map(|past| past.by_clock(clocks));
        for own in past.iter_mut().flat_map(|past| &mut past.origins) {
            let bounded = |(at_ms, wait): (u64, Duration)| (at_ms, wait.min(OUTAGE_WAIT_MAX));
            own.robots_outage = own.robots_outage.map(bounded);
        }
        if let Some((_, wait)) = past.as_mut().and_then(|past| past.retry_after.as_mut()) {
            *wait = (*wait).min(WAIT_MAX);
        }
        Owed {
            runs,
            past,
            walls: self.walls.map(|walls| walls.by_clock(clocks)),
            ..self
        }
    }
}

impl State {
    /// What the hosts of these parts are owed by whoever has them next, for each part in at most so many bytes;
    /// nothing where there is nothing to tell. `me` is this node's number, and `now_ms` the time since the Unix epoch.
    pub fn manners_of(
        &self,
        parts: &[u16],
        (me, now_ms): (u16, u64),
        bytes_max: usize,
    ) -> Vec<(u16, Vec<u8>)> {
        let queue = self.queue.lock();
        let mut of_parts: BTreeMap<u16, Vec<(bool, Owed)>> =
            parts.iter().map(|part| (*part, Vec::new())).collect();
        let origins = origins_of(&queue);
        for (part, host, waits) in queue.frontier.hosts_of_parts(parts) {
            let mut owed = self.owed(&queue, &host, me);
            if let Some(origins) = origins.get(&host) {
                let past = owed.past.get_or_insert_default();
                origins.iter().for_each(|origin| add_origin(past, origin));
            }
            if !owed.is_nothing() && (waits || !owed.is_plain()) {
                of_parts.entry(part).or_default().push((!waits, owed));
            }
        }
        let of_parts = of_parts.into_iter();
        of_parts
            .map(|(part, hosts)| (part, saying(hosts, now_ms, bytes_max)))
            .collect()
    }

    /// What a host is owed, but for what its robots.txt say.
    fn owed(&self, queue: &Queue, host: &HostKey, me: u16) -> Owed {
        let name = host.as_str();
        let (answered, past) = self.pasts.owed(name);
        let mut owed = Owed {
            host: name.into(),
            answered,
            past,
            runs: self.pasts.runs.owed(name),
            walls: queue.walls.owed(name),
            good: Vec::new(),
        };
        for origin in owed.runs.origins() {
            origin.node = origin.node.or(Some(me));
        }
        if !owed.is_plain() {
            let good = queue.frontier.good_pages_of(host).iter();
            owed.good = good.map(|url| url.as_str().to_owned()).collect();
        }
        owed
    }

    /// Parts have come: what their hosts are owed, for the journal. That is what other nodes said of them who had
    /// them last, if it was not heard before; and of the others that a URL hangs on them no longer which waits
    /// nowhere. To be called when all that waits in the parts is known.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn manners_heard(
        &self,
        parts: &[u16],
        said: &[Said<'_>],
        (me, now_ms): (u16, u64),
    ) -> Result<Vec<ElsewhereManners>, FrontierError> {
        let queue = self.queue.lock();
        let mut heard = Vec::new();
        let mut new: BTreeSet<HostKey> = BTreeSet::new();
        for said in said {
            let is_heard = self.pasts.heard.get(&said.part) == Some(&said.number);
            if said.node == me || is_heard {
                continue;
            }
            let saying: Saying = serde_json::from_slice(said.data).unwrap_or_default();
            let age_ms = u64::try_from(said.age.as_millis()).unwrap_or(u64::MAX);
            let clocks = ClockMove {
                from_ms: saying.at_ms,
                to_ms: now_ms.saturating_sub(age_ms),
            };
            let mut hosts = Vec::new();
            for owed in saying.hosts {
                let host = HostKey::from_record(&owed.host);
                if queue.frontier.part_of(&host) == Some(said.part) {
                    let mut owed = owed.heard(clocks, me);
                    end_looks(&queue, &mut owed)?;
                    hosts.push(owed);
                    new.insert(host);
                }
            }
            heard.push(record(said.part, said.number, &hosts));
        }
        let mut own: BTreeMap<u16, Vec<Owed>> = BTreeMap::new();
        for (part, host, _) in queue.frontier.hosts_of_parts(parts) {
            if new.contains(&host) || !self.pasts.runs.is_in_doubt(host.as_str()) {
                continue;
            }
            let was = self.owed(&queue, &host, me);
            let mut is = was.clone();
            end_looks(&queue, &mut is)?;
            if is != was {
                let here = ClockMove {
                    from_ms: now_ms,
                    to_ms: now_ms,
                };
                own.entry(part).or_default().push(is.heard(here, me));
            }
        }
        heard.extend(own.into_iter().map(|(part, hosts)| record(part, 0, &hosts)));
        Ok(heard)
    }

    /// Takes in what hosts are owed.
    pub(crate) fn hear_manners(&mut self, said: &ElsewhereManners) {
        if said.number > 0 {
            self.pasts.heard.insert(said.part, said.number);
        }
        // What another version of the program wrote is not known any more.
        let hosts = Vec::<Owed>::deserialize(&said.hosts).unwrap_or_default();
        for owed in hosts {
            let name = &*owed.host;
            self.pasts.take(name, (owed.answered, owed.past));
            self.pasts.runs.take(name, owed.runs);
            let mut queue = self.queue.lock();
            queue.walls.take(name, owed.walls);
            if !self.is_live {
                continue;
            }
            let host = HostKey::from_record(name);
            let rest = queue.walls.rest_of(name);
            let frontier = &mut queue.frontier;
            frontier.end_looks(&host);
            frontier.resume_host(&host, &self.pasts.of(name));
            if let Some((since_ms, rest)) = rest {
                frontier.rest_host(&host, since_ms, rest);
            }
            let good = owed
                .good
                .iter()
                .filter_map(|url| CanonicalUrl::parse(url).ok());
            for url in good.filter(|url| url.host() == host) {
                frontier.note_good_page(&url);
            }
        }
    }
}

/// What robots.txt say of the hosts of which they say anything.
fn origins_of(queue: &Queue) -> BTreeMap<HostKey, Vec<OriginPast>> {
    let mut origins: BTreeMap<HostKey, Vec<OriginPast>> = BTreeMap::new();
    for (host, origin) in queue.robots.owed() {
        origins.entry(host).or_default().push(origin);
    }
    origins
}

/// Adds what a robots.txt says of an origin.
fn add_origin(past: &mut HostPast, says: &OriginPast) {
    let own = past
        .origins
        .iter()
        .position(|own| own.origin == says.origin);
    let at = own.unwrap_or_else(|| {
        past.origins.push(OriginPast {
            origin: says.origin,
            ..OriginPast::default()
        });
        past.origins.len() - 1
    });
    past.origins[at].crawl_delay = says.crawl_delay;
    past.origins[at].robots_outage = says.robots_outage;
}

/// Ends what hangs on a URL that waits no longer.
fn end_looks(queue: &Queue, owed: &mut Owed) -> Result<(), FrontierError> {
    let mut failed = None;
    owed.runs.end_looks(|url| {
        let Ok(url) = CanonicalUrl::parse(url) else {
            return false;
        };
        let is_open = queue.frontier.is_open(&url);
        is_open.unwrap_or_else(|error| {
            failed = Some(error);
            true
        })
    });
    failed.map_or(Ok(()), Err)
}

fn record(part: u16, number: u64, hosts: &[Owed]) -> ElsewhereManners {
    ElsewhereManners {
        part,
        number,
        hosts: serde_json::to_value(hosts).unwrap_or_default(),
    }
}

/// What is said of hosts, those first for which URLs wait (`false`), in at most so many bytes.
fn saying(mut hosts: Vec<(bool, Owed)>, at_ms: u64, bytes_max: usize) -> Vec<u8> {
    hosts.sort_by(|a, b| (a.0, a.1.is_plain(), &a.1.host).cmp(&(b.0, b.1.is_plain(), &b.1.host)));
    let words = |owed: &Owed| serde_json::to_string(owed).unwrap_or_default();
    let frame = format!("{{\"at_ms\":{at_ms},\"hosts\":[");
    // The brackets at the end, and a comma less than hosts.
    let mut room = bytes_max.saturating_sub(frame.len() + 1);
    let mut told: Vec<(Owed, String)> = Vec::new();
    for (_, owed) in hosts {
        let brief = words(&owed.brief());
        if let Some(left) = room.checked_sub(brief.len() + 1) {
            room = left;
            told.push((owed, brief));
        }
    }
    for (owed, brief) in &mut told {
        let full = words(owed);
        let more = full.len().saturating_sub(brief.len());
        if let Some(left) = room.checked_sub(more) {
            room = left;
            *brief = full;
        }
    }
    if told.is_empty() {
        return Vec::new();
    }
    let told: Vec<String> = told.into_iter().map(|(_, words)| words).collect();
    format!("{frame}{}]}}", told.join(",")).into_bytes()
}

#[cfg(test)]
mod tests;
