//! Walls: how many pages were none, by kind and by host, and what to do about them.

use std::collections::{BTreeMap, HashMap};

use archive::{PageRecord, PageSummary};
use outcome::{Outcome, Refusal, WallKind, WallRest, WallWindow};

use crate::figures::{WalledHost, Walls};

/// Hosts that are counted apart, and hosts in the report.
const HOSTS_MAX: usize = 10_000;
const ROWS_MAX: usize = 50;

/// What was counted of walls so far.
#[derive(Debug, Default)]
pub(crate) struct WallTally {
    pages: u64,
    kinds: BTreeMap<String, u64>,
    hosts: HashMap<String, Host>,
}

#[derive(Debug, Default)]
struct Host {
    /// Pages judged from the first wall on.
    judged: u64,
    walls: u64,
    kinds: BTreeMap<WallKind, u64>,
    vendor: Option<String>,
    window: WallWindow,
    rests: u64,
    /// URLs refused since it was asked no more.
    refused: u64,
}

impl WallTally {
    /// Counts a finished URL.
    pub(crate) fn page(&mut self, page: &PageRecord) {
        if let Some(Refusal::Walled(_)) = page.outcome.refusal() {
            if let Some(host) = self.hosts.get_mut(&page.host) {
                host.refused += 1;
            }
            return;
        }
        let (Outcome::Judged(_), Some(summary)) = (&page.outcome, &page.page) else {
            return;
        };
        let is_wall = page.is_blocked();
        let is_known = self.hosts.contains_key(&page.host);
        if is_wall {
            self.pages += 1;
            *self.kinds.entry(kind_of(summary).to_string()).or_default() += 1;
        }
        if !is_known && (!is_wall || self.hosts.len() >= HOSTS_MAX) {
            return;
        }
        let host = self.hosts.entry(page.host.clone()).or_default();
        host.judged += 1;
        if is_wall {
            host.walls += 1;
            *host.kinds.entry(kind_of(summary)).or_default() += 1;
            let vendor = summary.wall.as_ref().and_then(|wall| wall.vendor.as_ref());
            if host.vendor.is_none() {
                host.vendor = vendor.cloned();
            }
        }
        let follows = host.window.add(page.is_walled_off());
        host.rests += u64::from(matches!(follows, Some(WallRest::Again(_))));
    }

    /// The figures so far.
    pub(crate) fn report(&self) -> Walls {
        let mut hosts: Vec<WalledHost> = self
            .hosts
            .iter()
            .map(|(name, host)| host.row(name))
            .collect();
        hosts.sort_by(|a, b| b.walls.cmp(&a.walls).then_with(|| a.host.cmp(&b.host)));
        hosts.truncate(ROWS_MAX);
        Walls {
            pages: self.pages,
            kinds: self.kinds.clone(),
            hosts,
        }
    }
}

fn kind_of(summary: &PageSummary) -> WallKind {
    let wall = summary.wall.as_ref();
    wall.map(|wall| wall.kind.clone()).unwrap_or_default()
}

impl Host {
    fn row(&self, name: &str) -> WalledHost {
        let kind = self.kinds.iter().max_by_key(|(_, n)| **n);
        let kind = kind.map(|(kind, _)| kind.clone()).unwrap_or_default();
        WalledHost {
            host: name.to_owned(),
            walls: self.walls,
            kinds: self
                .kinds
                .iter()
                .map(|(kind, n)| (kind.to_string(), *n))
                .collect(),
            judged: self.judged,
            mend: kind.mend().to_owned(),
            kind,
            vendor: self.vendor.clone(),
            rests: self.rests,
            refused: self.refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use archive::FetchRecord;
    use outcome::{JunkReason, Verdict, Wall, Walled};

    use super::*;

    fn page(host: &str, wall: Option<WallKind>) -> PageRecord {
        PageRecord {
            host: host.into(),
            fetch: Some(FetchRecord::default()),
            outcome: Outcome::Judged(match wall {
                Some(_) => Verdict::Junk(JunkReason::Blocked),
                None => Verdict::Index,
            }),
            page: Some(PageSummary {
                wall: wall.map(|kind| Wall {
                    kind,
                    vendor: Some("datadome".into()),
                    ..Wall::default()
                }),
                ..PageSummary::default()
            }),
            ..PageRecord::default()
        }
    }

    #[test]
    fn walls_are_counted_by_kind_and_host_with_the_mend_of_the_most_frequent() {
        let mut tally = WallTally::default();
        tally.page(&page("good.example", None));
        for _ in 0..12 {
            tally.page(&page("a.example", Some(WallKind::Bot)));
        }
        tally.page(&page("a.example", Some(WallKind::Human)));
        tally.page(&page("a.example", None));
        tally.page(&page("b.example", Some(WallKind::Parked)));
        tally.page(&PageRecord {
            host: "a.example".into(),
            outcome: Outcome::Refused(Refusal::Walled(Walled::default())),
            ..PageRecord::default()
        });
        let walls = tally.report();
        let kinds: Vec<_> = walls
            .kinds
            .iter()
            .map(|(kind, n)| (kind.as_str(), *n))
            .collect();
        assert_eq!(
            (walls.pages, kinds),
            (14, vec![("bot", 12), ("human", 1), ("parked", 1)])
        );
        let [a, b] = walls.hosts.as_slice() else {
            panic!("{walls:?}");
        };
        assert_eq!(
            (a.host.as_str(), a.walls, a.judged, a.rests, a.refused),
            ("a.example", 13, 14, 1, 1)
        );
        let of_a: Vec<_> = a
            .kinds
            .iter()
            .map(|(kind, n)| (kind.as_str(), *n))
            .collect();
        assert_eq!(
            of_a,
            [("bot", 12), ("human", 1)],
            "each kind is told, not the first alone"
        );
        assert!(a.mend.contains("[agent] contact") && a.vendor.as_deref() == Some("datadome"));
        assert_eq!((b.kind.clone(), b.rests), (WallKind::Parked, 0));
    }
}
