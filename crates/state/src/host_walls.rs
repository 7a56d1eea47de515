//! Hosts that answer with walls: each is left to rest, and in the end asked no more. Login walls and
//! placeholders stand in the place of one page and do not count: an open forum has one behind each
//! "reply".
//!
//! What is counted is [`outcome::WallWindow`]'s, and follows from records alone; how long a rest is,
//! is the user's choice and is asked for where it takes effect.

use std::collections::BTreeMap;
use std::time::Duration;

use archive::{FetchRecord, PageRecord, VisitRecord};
use frontier::ClockMove;
use outcome::{Change, Outcome, Refusal, WallRest, WallWindow, Walled};
use serde::{Deserialize, Serialize};

/// The hosts with walls among their last answers.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct HostWalls {
    hosts: BTreeMap<Box<str>, Host>,
    /// The first rest; each further one in a row is twice as long. Zero: no host rests.
    #[serde(skip)]
    rest: Duration,
}

#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Host {
    window: WallWindow,
    /// When its last rest began, milliseconds since the Unix epoch, and how many it had before.
    rests_since: Option<(u64, u8)>,
}

impl Host {
    /// The same by another clock.
    pub(crate) fn by_clock(mut self, clocks: ClockMove) -> Self {
        let moved = |(since_ms, before)| (clocks.moved(since_ms), before);
        self.rests_since = self.rests_since.map(moved);
        self
    }
}

impl HostWalls {
    /// Knows no host; the first rest of one takes so long.
    pub(crate) fn new(rest: Duration) -> Self {
        Self {
            rest,
            ..Self::default()
        }
    }

    /// Goes on with what was known before.
    pub(crate) fn resume(&mut self, saved: HostWalls) {
        self.hosts = saved.hosts;
    }

    /// Takes in a finished URL. Tells from when on and how long its host is to rest, if that follows.
    pub(crate) fn on_page(&mut self, page: &PageRecord) -> Option<(u64, Duration)> {
        let fetch = page.fetch.as_ref()?;
        let is_read = page.page.is_some() && matches!(page.outcome, Outcome::Judged(_));
        if !is_read {
            return None;
        }
        self.on_answer(&page.host, page.is_walled_off(), fetch)
    }

    /// The same of a URL that was visited again.
    pub(crate) fn on_visit(&mut self, visit: &VisitRecord) -> Option<(u64, Duration)> {
        let fetch = visit.fetch.as_ref()?;
        let is_seen = match &visit.change {
            Change::Unchanged | Change::Touched | Change::Changed | Change::Back => true,
            Change::New | Change::Moved | Change::Gone | Change::Unclear | Change::Unknown(_) => {
                false
            }
        };
        if !is_seen && !visit.is_blocked() {
            return None;
        }
        self.on_answer(&visit.host, visit.is_walled_off(), fetch)
    }

    fn on_answer(
        &mut self,
        name: &str,
        is_wall: bool,
        fetch: &FetchRecord,
    ) -> Option<(u64, Duration)> {
        if !is_wall && !self.hosts.contains_key(name) {
            return None;
        }
        let host = self.hosts.entry(name.into()).or_default();
        let follows = host.window.add(is_wall);
        if host.window.is_quiet() {
            self.hosts.remove(name);
            return None;
        }
        let Some(WallRest::Again(before)) = follows else {
            return None;
        };
        host.rests_since = Some((fetch.started_ms.saturating_add(fetch.ms), before));
        self.rest_of(name)
    }

    /// When a host began to rest, and for how long.
    pub(crate) fn rest_of(&self, host: &str) -> Option<(u64, Duration)> {
        let (since_ms, before) = self.hosts.get(host)?.rests_since?;
        let rest = self.rest.saturating_mul(1 << before.min(WallWindow::RESTS));
        (!rest.is_zero()).then_some((since_ms, rest))
    }

    /// The hosts that have rested.
    pub(crate) fn rested(&self) -> impl Iterator<Item = &str> {
        let rested = self.hosts.iter();
        rested.filter_map(|(name, host)| host.rests_since.map(|_| &**name))
    }

    /// What is known of a host, to be told to another node.
    pub(crate) fn owed(&self, host: &str) -> Option<Host> {
        self.hosts.get(host).cloned()
    }

    /// Goes on with what another node knew of a host, who had it last.
    pub(crate) fn take(&mut self, host: &str, owed: Option<Host>) {
        match owed {
            Some(owed) => self.hosts.insert(host.into(), owed),
            None => self.hosts.remove(host),
        };
    }

    /// Why a host is asked no more, if it is not.
    pub(crate) fn refusal(&self, host: &str) -> Option<Refusal> {
        let (walls, answers) = self.hosts.get(host)?.window.walled()?;
        let is_on = !self.rest.is_zero();
        is_on.then_some(Refusal::Walled(Walled { walls, answers }))
    }

    /// Whether no host has answered with a wall of late.
    pub(crate) fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Somebody asks for a host again: what it did is forgotten.
    pub(crate) fn reopen(&mut self, host: &str) {
        self.hosts.remove(host);
    }
}

#[cfg(test)]
mod tests {
    use archive::PageSummary;
    use outcome::{JunkReason, Verdict, Wall, WallKind};

    use super::*;

    const REST: Duration = Duration::from_secs(600);

    fn page(is_wall: bool, started_ms: u64) -> PageRecord {
        PageRecord {
            host: "a.example".into(),
            fetch: Some(FetchRecord {
                status: 200,
                started_ms,
                ms: 50,
                ..FetchRecord::default()
            }),
            page: Some(PageSummary::default()),
            outcome: Outcome::Judged(match is_wall {
                true => Verdict::Junk(JunkReason::Blocked),
                false => Verdict::Index,
            }),
            ..PageRecord::default()
        }
    }

    #[test]
    fn a_host_that_walls_off_its_pages_rests_longer_each_time_and_is_given_up() {
        let mut walls = HostWalls::new(REST);
        let rests: Vec<(u64, Duration)> = (0..60)
            .filter_map(|at| walls.on_page(&page(true, at * 1_000)))
            .collect();
        let expected = [(9_050, REST), (19_050, 2 * REST), (29_050, 4 * REST)];
        assert_eq!(rests, expected);
        let Some(Refusal::Walled(walled)) = walls.refusal("a.example") else {
            panic!("it is asked on");
        };
        assert_eq!((walled.walls, walled.answers), (10, 10));
        walls.reopen("a.example");
        assert_eq!(walls, HostWalls::new(REST));
    }

    #[test]
    fn walls_in_the_place_of_pages_that_are_visited_again_let_their_host_rest_as_well() {
        let mut walls = HostWalls::new(REST);
        let visit = |reason: Option<&str>, change, started_ms| VisitRecord {
            host: "a.example".into(),
            change,
            reason: reason.map(str::to_owned),
            fetch: page(true, started_ms).fetch,
            ..VisitRecord::default()
        };
        for at in 0..9 {
            let wall = visit(Some("blocked"), Change::Unclear, at * 1_000);
            assert_eq!(walls.on_visit(&wall), None);
            // A server's error is no wall, and no page either.
            let error = visit(Some("http_503"), Change::Unclear, at * 1_000);
            assert_eq!(walls.on_visit(&error), None);
        }
        let wall = visit(Some("blocked"), Change::Unclear, 9_000);
        assert_eq!(walls.on_visit(&wall), Some((9_050, REST)));
        for at in 0..100 {
            walls.on_visit(&visit(None, Change::Unchanged, at));
        }
        assert_eq!(walls, HostWalls::new(REST));
    }

    #[test]
    fn a_host_of_good_pages_and_one_with_few_walls_do_not_rest() {
        let mut walls = HostWalls::new(REST);
        for at in 0..100 {
            assert_eq!(walls.on_page(&page(false, at)), None);
        }
        assert_eq!(walls, HostWalls::new(REST));
        for at in 0..100 {
            assert_eq!(walls.on_page(&page(at % 5 == 0, at)), None, "{at}");
        }
    }

    #[test]
    fn a_forum_with_a_login_wall_behind_each_thread_is_read_to_its_end() {
        // Half of its answers were walls: it was given up with half of its threads read.
        for (kind, counts) in [
            (WallKind::Login, false),
            (WallKind::ComingSoon, false),
            (WallKind::Bot, true),
            (WallKind::Human, true),
            (WallKind::RateLimit, true),
        ] {
            let mut walls = HostWalls::new(REST);
            for at in 0..200 {
                let mut answer = page(at % 2 == 0, at);
                if let Some(page) = answer.page.as_mut().filter(|_| at % 2 == 0) {
                    page.wall = Some(Wall {
                        kind: kind.clone(),
                        ..Wall::default()
                    });
                }
                walls.on_page(&answer);
            }
            assert_eq!(walls.refusal("a.example").is_some(), counts, "{kind}");
            assert_eq!(walls.is_empty(), !counts, "{kind}");
            let mut visits = HostWalls::new(REST);
            for at in 0..200 {
                visits.on_visit(&VisitRecord {
                    host: "a.example".into(),
                    change: Change::Unclear,
                    reason: Some("blocked".into()),
                    wall: Some(kind.clone()),
                    fetch: page(true, at).fetch,
                    ..VisitRecord::default()
                });
            }
            assert_eq!(visits.is_empty(), !counts, "{kind}");
        }
    }

    #[test]
    fn without_a_rest_no_host_is_refused() {
        let mut walls = HostWalls::new(Duration::ZERO);
        for at in 0..60 {
            assert_eq!(walls.on_page(&page(true, at)), None);
        }
        assert_eq!(walls.refusal("a.example"), None);
    }
}
