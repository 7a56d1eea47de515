//! Laws of the whole frontier, held against simulated crawls: any web, any order of events, any
//! moment of a crash.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::{Duration, Instant};

use outcome::{Refusal, RobotsRefusal};
use proptest::prelude::*;

use crate::host_queue::HostQueue;
use crate::*;

/// A small generator, so that a failing case is its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

const HOSTS: u64 = 6;
const PAGES: u64 = 40;
const DELAY: Duration = Duration::from_millis(1_000);
const UNIX_MS: u64 = 1_700_000_000_000;

fn config() -> FrontierConfig {
    let slow = HostLimits {
        delay: Some(Duration::from_secs(3)),
        ..HostLimits::default()
    };
    let wide = HostLimits {
        connections: Some(2),
        ..HostLimits::default()
    };
    FrontierConfig {
        delay: DELAY,
        connections_per_address: 2,
        hosts: HashMap::from([("h1.example".into(), slow), ("h2.example".into(), wide)]),
        // So few that queues spill.
        pending_in_memory: 4,
        slots_in_memory: 12,
        ..FrontierConfig::default()
    }
}

fn delay_of(host: u64, crawl_delay: bool) -> Duration {
    let own = if host == 1 {
        Duration::from_secs(3)
    } else {
        DELAY
    };
    if crawl_delay {
        own.max(Duration::from_secs(5))
    } else {
        own
    }
}

/// Hosts 3 and 4 have http and https.
fn url(host: u64, page: u64) -> FrontierUrl {
    let scheme = if (3..5).contains(&host) && page % 2 == 1 {
        "https"
    } else {
        "http"
    };
    FrontierUrl {
        url: CanonicalUrl::parse(&format!("{scheme}://h{host}.example/{page}")).expect("a URL"),
        depth: (page % 5) as u32,
        seed: 0,
        via: Some(page),
        priority: (page % 7) as f32 / 7.0,
        context: vec![page as u8; 3],
    }
}

fn number(host: &HostKey) -> u64 {
    host.as_str()[1..2].parse().expect("a host's number")
}

/// What a simulated host has been asked, and when.
#[derive(Default)]
struct Asked {
    running: usize,
    crawl_delay: bool,
    /// The origins whose robots.txt is known.
    knows_robots: BTreeSet<Origin>,
    /// When the robots.txt of one that could not be had may be asked for again.
    robots_not_before: BTreeMap<Origin, Instant>,
    last_start: Option<Instant>,
    last_end: Option<Instant>,
    not_before: Option<Instant>,
}

enum Under {
    Page(Lease),
    /// The robots.txt of one URL's origin, at the origin of another.
    Robots(CanonicalUrl, Origin),
}

struct World {
    dice: Dice,
    now: Instant,
    hosts: BTreeMap<u64, Asked>,
    running: Vec<(u64, Under)>,
    unsettled: Vec<Lease>,
    finished: BTreeSet<String>,
    admitted: BTreeSet<String>,
}

impl Gate for World {
    /// Some URLs have to wait for others, one does not know how long.
    fn worth(&mut self, _: &HostKey, url: &CanonicalUrl, _: &UrlNormalizer) -> Permission {
        match url.as_str().as_bytes().last() {
            Some(b'3') if self.dice.roll(8) > 0 => Permission::Defer,
            Some(b'4' | b'5') if self.dice.roll(8) > 0 => {
                Permission::HoldBack(HeldBack::UntilOthersAreDone)
            }
            Some(b'6') => Permission::HoldBack(HeldBack::ToTheLast),
            _ => Permission::Allowed,
        }
    }

    fn worth_at_last(
        &mut self,
        _: &HostKey,
        url: &CanonicalUrl,
        _: &UrlNormalizer,
        _: HeldBack,
    ) -> Permission {
        match url.as_str().ends_with('5') {
            true => Permission::HoldBack(HeldBack::ToTheLast),
            false => Permission::Allowed,
        }
    }

    fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission {
        let seen = self.hosts.entry(number(host)).or_default();
        if !seen.knows_robots.contains(&url.origin()) {
            Permission::Unknown
        } else if url.as_str().ends_with('7') {
            Permission::Refused(Refused::Refusal(Refusal::Robots(RobotsRefusal::Rule {
                rule: "Disallow: /*7$".into(),
                line: 1,
            })))
        } else {
            Permission::Allowed
        }
    }
}

impl World {
    fn new(seed: u64, now: Instant) -> Self {
        Self {
            dice: Dice(seed | 1),
            now,
            hosts: BTreeMap::new(),
            running: Vec::new(),
            unsettled: Vec::new(),
            finished: BTreeSet::new(),
            admitted: BTreeSet::new(),
        }
    }

    fn admit_some(&mut self, frontier: &mut Frontier, most: u64) {
        for _ in 0..self.dice.roll(most) {
            let offered = url(self.dice.roll(HOSTS), self.dice.roll(PAGES));
            let text = offered.url.to_string();
            let is_new = self.admitted.insert(text.clone());
            let admission = frontier.admit(offered).expect("admits");
            assert_eq!(
                admission,
                if is_new {
                    Admission::New
                } else {
                    Admission::Seen
                },
                "{text}"
            );
        }
    }

    /// One event of a crawl; false when all is done.
    fn step(&mut self, frontier: &mut Frontier) -> bool {
        let mut wait = None;
        match frontier.next(self.now, self).expect("reads") {
            Next::Lease(lease) => self.begin(lease),
            Next::Robots(host, url) => {
                let running = self.hosts.entry(number(&host)).or_default().running;
                assert_eq!(
                    running, 0,
                    "robots.txt of {host} is asked for beside another"
                );
                self.ask(number(&host), Some(url.origin()));
                let origin = url.origin();
                self.running
                    .push((number(&host), Under::Robots(url, origin)));
            }
            Next::Errand(host, owner) => {
                self.ask(number(&host), None);
                let owner = url(owner / 2, owner % 2).url;
                let under = Under::Robots(owner, Origin::default());
                self.running.push((number(&host), under));
            }
            Next::Address(host) => panic!("{host} is shared with nobody"),
            Next::Refused(lease, _) => self.unsettled.push(lease),
            Next::WaitUntil(at) => {
                assert!(at > self.now);
                wait = Some(at);
            }
            Next::InFlight => {
                let under_way = self.running.len() + self.unsettled.len();
                assert!(under_way > 0, "it waits for nothing");
            }
            Next::Drained => return !self.running.is_empty() || !self.unsettled.is_empty(),
        }
        self.now += Duration::from_millis(self.dice.roll(300));
        self.change_priorities(frontier);
        match self.dice.roll(4) {
            0 => self.end_one(frontier),
            1 => self.settle_one(frontier),
            2 => self.now = wait.unwrap_or(self.now).max(self.now),
            _ => {
                self.end_one(frontier);
                self.settle_one(frontier);
            }
        }
        let counts = frontier.counts();
        assert_eq!(
            counts.admitted,
            counts.pending + counts.in_flight + counts.finished
        );
        assert_eq!(counts.admitted, self.admitted.len() as u64);
        assert_eq!(counts.finished, self.finished.len() as u64);
        let mut queues = frontier.hosts.queues.iter();
        assert!(queues.all(HostQueue::counts_origins));
        true
    }

    /// Now and then the queue is scored again, and a URL is linked again, whatever state it is in.
    fn change_priorities(&mut self, frontier: &mut Frontier) {
        if self.dice.roll(20) == 0 {
            for keys in frontier.pending_keys().chunks(3) {
                let pending = frontier.pending(keys);
                let score = |url: PendingUrl| (url.key, self.dice.roll(50) as f32 / 50.0);
                let scored: Vec<(u128, f32)> = pending.into_iter().map(score).collect();
                frontier.set_priorities(&scored).expect("scored");
            }
        }
        if self.dice.roll(3) == 0 {
            let linked = url(self.dice.roll(HOSTS), self.dice.roll(PAGES)).url;
            let priority = self.dice.roll(50) as f32 / 50.0;
            let known = frontier.link_target(&linked);
            let changed = frontier.reprioritise(&linked, priority, vec![7]);
            let is_pending = matches!(known, LinkTarget::Pending(_));
            assert_eq!(changed.expect("linked again"), is_pending);
        }
    }

    fn begin(&mut self, lease: Lease) {
        let text = lease.url().url.to_string();
        assert!(!self.finished.contains(&text), "{text} is leased again");
        let is_other = |(_, under): &(u64, Under)| match under {
            Under::Page(other) => other.url().url != lease.url().url,
            Under::Robots(..) => true,
        };
        assert!(self.running.iter().all(is_other), "{text} is leased twice");
        let host = number(&lease.url().url.host());
        let seen = self.hosts.entry(host).or_default();
        let origin = lease.url().url.origin();
        assert!(seen.knows_robots.contains(&origin));
        self.ask(host, None);
        self.running.push((host, Under::Page(lease)));
    }

    /// A request goes out, for the robots.txt of an origin perhaps: the host's delay, its connections and
    /// what it asked for are kept.
    fn ask(&mut self, host: u64, robots_of: Option<Origin>) {
        let seen = self.hosts.entry(host).or_default();
        let delay = delay_of(host, seen.crawl_delay);
        seen.running += 1;
        assert!(
            seen.running <= if host == 2 { 2 } else { 1 },
            "h{host} is asked beside another"
        );
        for earlier in [seen.last_start, seen.last_end].into_iter().flatten() {
            assert!(
                self.now >= earlier + delay,
                "h{host} is asked within its delay"
            );
        }
        assert!(
            seen.not_before.is_none_or(|at| self.now >= at),
            "h{host} asked to be left alone"
        );
        let robots = robots_of.and_then(|origin| seen.robots_not_before.get(&origin));
        assert!(robots.is_none_or(|at| self.now >= *at));
        seen.last_start = Some(self.now);
    }

    fn end_one(&mut self, frontier: &mut Frontier) {
        if self.running.is_empty() {
            return;
        }
        let at = self.dice.roll(self.running.len() as u64) as usize;
        let (host, under) = self.running.swap_remove(at);
        let asks_for_time = self.dice.roll(10) == 0;
        let retry_after = asks_for_time.then(|| Duration::from_secs(self.dice.roll(20)));
        let failed = !asks_for_time && self.dice.roll(8) == 0;
        let advice = HostAdvice {
            origin: match &under {
                Under::Page(lease) => lease.url().url.origin(),
                Under::Robots(_, asked) => *asked,
            },
            retry_after,
            failed,
            failure: None,
            status: match (asks_for_time, failed) {
                (true, _) => 429,
                (false, true) => 0,
                (false, false) => 200,
            },
            took: Duration::from_millis(self.dice.roll(20_000)),
            address: Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, (host % 3) as u8))),
        };
        let seen = self.hosts.entry(host).or_default();
        seen.running -= 1;
        seen.not_before = seen
            .not_before
            .max(retry_after.map(|asked| self.now + asked));
        seen.last_end = Some(self.now);
        match under {
            Under::Page(lease) => {
                frontier.body_done(&lease.url().url.host(), self.now, &advice);
                self.unsettled.push(lease);
            }
            Under::Robots(owner, _) => {
                let asked = url(host, 0).url.host();
                frontier.body_done(&asked, self.now, &advice);
                let (owner, origin) = (owner.host(), owner.origin());
                match self.dice.roll(6) {
                    // It moved, as often as not to another host.
                    0 => {
                        let target = url(self.dice.roll(HOSTS), 0).url;
                        let by_page = 2 * number(&owner) + u64::from(origin != Origin::default());
                        frontier.ask_for(&target.host(), target.origin(), by_page);
                    }
                    1 => {
                        let wait = Duration::from_secs(self.dice.roll(30));
                        frontier.robots_known(&owner, origin, None, Some(wait));
                        let seen = self.hosts.entry(number(&owner)).or_default();
                        let at = seen.robots_not_before.entry(origin).or_insert(self.now);
                        *at = self.now + wait;
                    }
                    _ => {
                        let seen = self.hosts.entry(number(&owner)).or_default();
                        seen.knows_robots.insert(origin);
                        // That of the other origin asks for nothing.
                        let asks = number(&owner) == 3 && origin != Origin::default();
                        seen.crawl_delay |= asks;
                        let delay = asks.then_some(Duration::from_secs(5));
                        frontier.robots_known(&owner, origin, delay, None);
                    }
                }
            }
        }
    }

    fn settle_one(&mut self, frontier: &mut Frontier) {
        if self.unsettled.is_empty() {
            return;
        }
        let at = self.dice.roll(self.unsettled.len() as u64) as usize;
        let lease = self.unsettled.swap_remove(at);
        if lease.attempt() < 3 && self.dice.roll(5) == 0 {
            let at_ms = UNIX_MS + 1_000 * self.dice.roll(60);
            frontier.settle(lease.retry_at(at_ms)).expect("settles");
        } else {
            self.admit_some(frontier, 4);
            assert!(
                self.finished.insert(lease.url().url.to_string()),
                "finished twice"
            );
            frontier.settle(lease.finished()).expect("settles");
        }
    }
}

/// Opens a frontier whose bounds are so small that queues spill, memory is saved and files are
/// merged and rewritten all the time.
fn open(dir: &Path, now: Instant) -> (Frontier, Opened) {
    let (mut frontier, opened) = DiskStore::open_with(dir, |mut store| {
        store.set_small_bounds();
        Frontier::load(Box::new(store), config(), now)
    })
    .expect("opens");
    frontier.clock.wall = Some((now, UNIX_MS));
    // So few that the store is asked which URLs were seen.
    frontier.urls.seen_max = 30;
    (frontier, opened)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_crawl_is_polite_closes_its_sums_and_ends(seed in any::<u64>()) {
        let dir = tempfile::tempdir().expect("a directory");
        let now = Instant::now();
        let (mut frontier, _) = open(dir.path(), now);
        let mut world = World::new(seed, now);
        world.admitted.insert(url(0, 0).url.to_string());
        frontier.admit(url(0, 0)).expect("admits");
        world.admit_some(&mut frontier, 2_000);
        let mut position = 0;
        while world.step(&mut frontier) {
            if world.dice.roll(10) == 0 {
                position += 1;
                frontier.apply(position).expect("applies");
            }
        }
        prop_assert_eq!(frontier.counts().pending, 0);
        prop_assert_eq!(&world.finished, &world.admitted);
    }

    #[test]
    fn what_was_applied_is_there_after_a_crash_and_the_rest_is_pending_again(seed in any::<u64>()) {
        let dir = tempfile::tempdir().expect("a directory");
        let now = Instant::now();
        let mut world = World::new(seed, now);
        let (mut frontier, _) = open(dir.path(), now);
        for start in 1..4u64 {
            world.admit_some(&mut frontier, 200);
            for _ in 0..world.dice.roll(200) {
                world.step(&mut frontier);
            }
            frontier.apply(start).expect("applies");
            let before = frontier.counts();
            // The process ends: what it had under way is lost.
            drop(frontier);
            world.running.clear();
            world.unsettled.clear();
            world.hosts.clear();
            let (reopened, opened) = open(dir.path(), world.now);
            prop_assert_eq!((opened.position, opened.rebuilt_because), (start, None));
            prop_assert!(opened.memory_position <= start);
            let after = reopened.counts();
            prop_assert_eq!(after.admitted, before.admitted);
            prop_assert_eq!(after.finished, before.finished);
            prop_assert_eq!(after.pending, before.pending + before.in_flight);
            frontier = reopened;
            for host in (0..HOSTS).filter(|_| after.admitted > 0) {
                let seen = world.hosts.entry(host).or_default();
                seen.last_end = Some(world.now);
            }
        }
        while world.step(&mut frontier) {}
        prop_assert_eq!(&world.finished, &world.admitted);
    }

    #[test]
    fn replaying_what_is_there_already_changes_nothing(seed in any::<u64>()) {
        let dir = tempfile::tempdir().expect("a directory");
        let now = Instant::now();
        let (mut frontier, _) = open(dir.path(), now);
        let mut dice = Dice(seed | 1);
        let (mut steps, mut admitted) = (Vec::new(), Vec::new());
        for _ in 0..60 {
            let url = url(dice.roll(HOSTS), dice.roll(PAGES));
            match dice.roll(3) {
                0 if !admitted.is_empty() => {
                    let at = dice.roll(admitted.len() as u64) as usize;
                    steps.push((dice.roll(2) + 1, admitted.swap_remove(at)));
                }
                _ => {
                    admitted.push(url.clone());
                    steps.push((0, url));
                }
            }
        }
        let replay = |frontier: &mut Frontier| {
            for (what, url) in &steps {
                match what {
                    0 => frontier.replay_admitted(url.clone()),
                    1 => frontier.replay_finished(&url.url),
                    _ => frontier.replay_attempt(&url.url, 1, UNIX_MS + 5_000),
                }
                .expect("replays");
                let counts = frontier.counts();
                assert_eq!(counts.admitted, counts.pending + counts.finished);
            }
        };
        replay(&mut frontier);
        let once = frontier.counts();
        // The rows are there, the position is not.
        frontier.apply(0).expect("applies");
        drop(frontier);
        let (mut frontier, _) = open(dir.path(), now);
        prop_assert_eq!(frontier.counts(), once);
        replay(&mut frontier);
        prop_assert_eq!(frontier.counts(), once);
    }
}

/// What the journal says of a URL.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Replayed {
    /// It waits; so many tries have failed.
    Pending(u32),
    Finished,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn after_any_replay_each_pending_url_is_leased_once_wherever_its_slot_was(
        steps in prop::collection::vec((0u8..9, 0..2u64, 0..60u64, 0..50u8), 1..300),
    ) {
        let dir = tempfile::tempdir().expect("a directory");
        let mut now = Instant::now();
        let (mut frontier, _) = open(dir.path(), now);
        let mut model: BTreeMap<String, Replayed> = BTreeMap::new();
        for (position, (what, host, page, score)) in (1..).zip(steps) {
            let url = url(host, page);
            let known = model.get(url.url.as_str()).copied();
            let priority = f32::from(score) / 50.0;
            let next = match (what, known) {
                (0..=3, _) => {
                    frontier.replay_admitted(FrontierUrl { priority, ..url.clone() }).expect("replays");
                    known.or(Some(Replayed::Pending(0)))
                }
                (4, _) => {
                    frontier.reprioritise(&url.url, priority, vec![1]).expect("linked again");
                    known
                }
                (5, _) => {
                    let attempt = if let Some(Replayed::Pending(failed)) = known { failed + 1 } else { 1 };
                    frontier.replay_attempt(&url.url, attempt, UNIX_MS + 1_000).expect("replays");
                    if let Some(Replayed::Pending(_)) = known { Some(Replayed::Pending(attempt)) } else { known }
                }
                (6, _) => {
                    frontier.replay_finished(&url.url).expect("replays");
                    known.map(|_| Replayed::Finished)
                }
                (7, _) => {
                    let reopened = frontier.reopen(url.clone()).expect("reopens");
                    prop_assert_eq!(reopened, known == Some(Replayed::Finished));
                    if reopened { Some(Replayed::Pending(0)) } else { known }
                }
                _ => {
                    frontier.apply(position).expect("applies");
                    if score < 10 {
                        drop(frontier);
                        frontier = open(dir.path(), now).0;
                    }
                    known
                }
            };
            if let Some(next) = next {
                model.insert(url.url.to_string(), next);
            }
            let finished = model.values().filter(|url| **url == Replayed::Finished).count() as u64;
            let counts = frontier.counts();
            prop_assert_eq!((counts.admitted, counts.finished), (model.len() as u64, finished));
            prop_assert_eq!(counts.pending, counts.admitted - counts.finished);
        }
        let mut leased = BTreeMap::new();
        while let Some(lease) = next_lease(&mut frontier, &mut now) {
            let again = leased.insert(lease.url().url.to_string(), Replayed::Pending(lease.attempt() - 1));
            prop_assert_eq!(again, None, "{} is leased twice", lease.url().url);
            frontier.settle(lease.finished()).expect("settles");
        }
        model.retain(|_, url| *url != Replayed::Finished);
        prop_assert_eq!(leased, model);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn urls_go_in_the_same_order_whether_their_slots_were_spilled_and_saved_or_not(
        steps in prop::collection::vec((0u8..12, 0..3u64, 0..400u64, 0..50u8), 1..400),
    ) {
        let dir = tempfile::tempdir().expect("a directory");
        let now = Instant::now();
        let (mut spilling, _) = open(dir.path(), now);
        let wide = FrontierConfig { pending_in_memory: 9_999, slots_in_memory: 9_999, ..config() };
        let mut plain = Frontier::in_memory(wide, now);
        let mut times = [now; 2];
        for (position, (what, host, page, score)) in (1..).zip(steps) {
            let url = FrontierUrl { priority: f32::from(score) / 50.0, ..url(host, page) };
            if what == 0 {
                spilling.apply(position).expect("applies");
                spilling.save().expect("saves");
                drop(spilling);
                spilling = open(dir.path(), times[0]).0;
            }
            let mut leased = [&mut spilling, &mut plain].into_iter().zip(&mut times).map(|(frontier, now)| {
                match what {
                    1 => frontier.replay_finished(&url.url).expect("replays"),
                    2 => drop(frontier.reopen(url.clone()).expect("reopens")),
                    3 | 4 => {
                        let lease = next_lease(frontier, now)?;
                        let url = lease.url().clone();
                        frontier.settle(lease.finished()).expect("settles");
                        frontier.apply(position).expect("applies");
                        return Some(url);
                    }
                    _ => frontier.replay_admitted(url.clone()).expect("replays"),
                }
                frontier.apply(position).expect("applies");
                None
            });
            let pair = (leased.next(), leased.next());
            drop(leased);
            // A host that nobody knows whether it was asked just now waits: the turn of hosts may differ.
            if pair.0 != pair.1 {
                let host = |url: &Option<Option<FrontierUrl>>| url.clone().flatten().map(|url| url.url.host());
                prop_assert_ne!(host(&pair.0), host(&pair.1));
                return Ok(());
            }
        }
        while let Some(lease) = next_lease(&mut plain, &mut times[1]) {
            let same = next_lease(&mut spilling, &mut times[0]).expect("as many");
            if same.url().url.host() != lease.url().url.host() {
                return Ok(());
            }
            prop_assert_eq!(lease.url(), same.url());
            plain.settle(lease.finished()).expect("settles");
            spilling.settle(same.finished()).expect("settles");
        }
    }
}

/// The next lease, its body ended; none when nothing is pending.
fn next_lease(frontier: &mut Frontier, now: &mut Instant) -> Option<Lease> {
    loop {
        match frontier.next(*now, &mut Open).expect("reads") {
            Next::Lease(lease) => {
                frontier.body_done(&lease.url().url.host(), *now, &HostAdvice::default());
                return Some(lease);
            }
            Next::WaitUntil(at) => *now = at,
            Next::Drained => return None,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_spilled_url_whose_priority_changes_is_leased_once() {
    // Its slot was found neither in memory nor, by its new priority, in the store; so it got a
    // second one when a failed try was replayed.
    let mut now = Instant::now();
    let mut frontier = Frontier::in_memory(config(), now);
    for page in 0..200 {
        frontier.replay_admitted(url(0, page)).expect("replays");
    }
    let worst = url(0, 7).url;
    assert!(
        frontier
            .reprioritise(&worst, 0.9, Vec::new())
            .expect("linked again")
    );
    frontier.replay_attempt(&worst, 1, 1).expect("replays");
    let mut leased = BTreeSet::new();
    while let Some(lease) = next_lease(&mut frontier, &mut now) {
        assert!(leased.insert(lease.url().url.to_string()), "leased twice");
        frontier.settle(lease.finished()).expect("settles");
    }
    assert_eq!((leased.len(), frontier.counts().finished), (200, 200));
}

struct Open;

impl Gate for Open {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
}

fn leased(next: Next) -> Lease {
    match next {
        Next::Lease(lease) => lease,
        other => panic!("no lease: {other:?}"),
    }
}

#[test]
fn the_best_url_of_all_due_hosts_goes_first() {
    let dir = tempfile::tempdir().expect("a directory");
    let now = Instant::now();
    let (mut frontier, _) = open(dir.path(), now);
    for (host, priority) in [(0, 0.1), (4, 0.9), (5, 0.5)] {
        let offered = FrontierUrl {
            priority,
            ..url(host, 1)
        };
        frontier.admit(offered).expect("admits");
    }
    let order: Vec<u64> = (0..3)
        .map(|_| {
            number(
                &leased(frontier.next(now, &mut Open).expect("reads"))
                    .url()
                    .url
                    .host(),
            )
        })
        .collect();
    assert_eq!(order, [4, 5, 0]);
}

#[test]
fn a_deferred_url_goes_when_nothing_else_is_left() {
    struct DeferSix;
    impl Gate for DeferSix {
        fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
            Permission::Allowed
        }
        fn worth(&mut self, _: &HostKey, url: &CanonicalUrl, _: &UrlNormalizer) -> Permission {
            if url.as_str().ends_with("/6") {
                Permission::Defer
            } else {
                Permission::Allowed
            }
        }
    }
    let (dir, now) = (tempfile::tempdir().expect("a directory"), Instant::now());
    let (mut frontier, _) = open(dir.path(), now);
    for page in [6, 1, 2] {
        frontier.admit(url(0, page)).expect("admits");
    }
    let mut order = Vec::new();
    let mut at = now;
    loop {
        at += Duration::from_secs(60);
        let lease = match frontier.next(at, &mut DeferSix).expect("reads") {
            Next::Lease(lease) => lease,
            Next::Drained => break,
            other => panic!("{other:?}"),
        };
        order.push(lease.url().url.path_and_query().to_owned());
        let host = lease.url().url.host();
        let next = frontier.next(at, &mut DeferSix).expect("reads");
        assert!(!matches!(next, Next::Drained));
        frontier.body_done(&host, at, &HostAdvice::default());
        frontier.settle(lease.finished()).expect("settles");
    }
    assert_eq!(order, ["/2", "/1", "/6"]);
}

/// A gate that holds back pages from 4 on, those from 8 on to the last.
struct HoldsBack;

impl Gate for HoldsBack {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
    fn worth(&mut self, _: &HostKey, url: &CanonicalUrl, _: &UrlNormalizer) -> Permission {
        match page_of(url) {
            0..4 => Permission::Allowed,
            _ => Permission::HoldBack(HeldBack::UntilOthersAreDone),
        }
    }
    fn worth_at_last(
        &mut self,
        _: &HostKey,
        url: &CanonicalUrl,
        _: &UrlNormalizer,
        _: HeldBack,
    ) -> Permission {
        match page_of(url) {
            0..8 => Permission::Allowed,
            _ => Permission::HoldBack(HeldBack::ToTheLast),
        }
    }
}

fn page_of(url: &CanonicalUrl) -> u64 {
    let page = url.path_and_query().trim_start_matches('/');
    page.parse().expect("a page is a number")
}

/// Leases all that may go at once, with the page of each.
fn lease_all(frontier: &mut Frontier, at: Instant) -> Vec<(u64, Lease)> {
    let mut leases = Vec::new();
    while let Next::Lease(lease) = frontier.next(at, &mut HoldsBack).expect("reads") {
        leases.push((page_of(&lease.url().url), lease));
    }
    leases
}

#[test]
fn what_is_held_back_goes_when_all_else_is_done_on_all_hosts_at_once() {
    let (dir, now) = (tempfile::tempdir().expect("a directory"), Instant::now());
    let (mut frontier, _) = open(dir.path(), now);
    for host in [0, 1] {
        for page in [8, 4, 5, 1 + host, 9] {
            frontier.admit(url(host, page)).expect("admits");
        }
    }
    let mut order = Vec::new();
    let mut at = now;
    loop {
        at += Duration::from_secs(60);
        let leases = lease_all(&mut frontier, at);
        if leases.is_empty() {
            break;
        }
        order.push(leases.iter().map(|(page, _)| *page).collect::<Vec<_>>());
        let pages: Vec<u64> = order.concat();
        for (_, lease) in leases {
            let host = lease.url().url.host();
            frontier.body_done(&host, at, &HostAdvice::default());
            frontier.settle(lease.finished()).expect("settles");
        }
        if pages.len() == 6 {
            // What comes in now goes before the rest of what is held back.
            frontier.admit(url(1, 3)).expect("admits");
        }
    }
    let sorted = |mut pages: Vec<u64>| {
        pages.sort_unstable();
        pages
    };
    let order: Vec<Vec<u64>> = order.into_iter().map(sorted).collect();
    assert_eq!(
        order,
        [
            vec![1, 2],
            vec![4, 4],
            vec![5, 5],
            vec![3],
            vec![8, 8],
            vec![9, 9]
        ],
    );
    assert!(matches!(
        frontier.next(at, &mut HoldsBack),
        Ok(Next::Drained)
    ));
}

#[test]
fn rescoring_changes_who_goes_first() {
    let dir = tempfile::tempdir().expect("a directory");
    let now = Instant::now();
    let (mut frontier, _) = open(dir.path(), now);
    for host in [0, 4, 5] {
        let offered = FrontierUrl {
            priority: 0.5,
            ..url(host, 1)
        };
        frontier.admit(offered).expect("admits");
    }
    let fifth = url(5, 1).url.key();
    for keys in frontier.pending_keys().chunks(2) {
        let pending = frontier.pending(keys);
        assert_eq!(pending.len(), keys.len());
        let scored = |url: &PendingUrl| (url.key, if url.key == fifth { 0.9 } else { 0.1 });
        let scored: Vec<(u128, f32)> = pending.iter().map(scored).collect();
        frontier.set_priorities(&scored).expect("scored");
    }
    assert_eq!(
        number(
            &leased(frontier.next(now, &mut Open).expect("reads"))
                .url()
                .url
                .host()
        ),
        5
    );
}

#[test]
fn a_crawl_without_topic_is_breadth_first_and_takes_hosts_in_turn() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut now = Instant::now();
    let (mut frontier, _) = open(dir.path(), now);
    for page in [11, 5, 2] {
        for host in [0, 4] {
            let offered = FrontierUrl {
                priority: 1.0,
                depth: page as u32,
                ..url(host, page)
            };
            frontier.admit(offered).expect("admits");
        }
    }
    let mut order = Vec::new();
    for _ in 0..6 {
        let lease = match frontier.next(now, &mut Open).expect("reads") {
            Next::Lease(lease) => lease,
            Next::WaitUntil(at) => {
                now = at;
                leased(frontier.next(now, &mut Open).expect("reads"))
            }
            other => panic!("{other:?}"),
        };
        let host = lease.url().url.host();
        order.push((number(&host), lease.url().depth));
        frontier.body_done(&host, now, &HostAdvice::default());
        frontier.settle(lease.finished()).expect("settles");
    }
    assert_eq!(order, [(0, 2), (4, 2), (0, 5), (4, 5), (0, 11), (4, 11)]);
}

#[test]
fn budgets_and_host_pools_refuse_by_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let config = FrontierConfig {
        urls_per_host: 2,
        hosts_per_domain: 3,
        ..FrontierConfig::default()
    };
    let (mut frontier, _) = Frontier::open(dir.path(), config, Instant::now()).expect("opens");
    frontier.set_seed_budget(9, Some(1));
    let mut offer = |text: &str, seed| {
        let url = CanonicalUrl::parse(text).expect(text);
        let offered = FrontierUrl {
            depth: 1,
            ..FrontierUrl::seed(url, seed)
        };
        match frontier.admit(offered).expect("admits") {
            Admission::Refused(fate) => fate.name().to_owned(),
            Admission::New => "new".to_owned(),
            Admission::Seen => "seen".to_owned(),
        }
    };
    assert_eq!(offer("http://a.example/1", 0), "new");
    assert_eq!(offer("http://a.example/1", 0), "seen");
    assert_eq!(offer("http://a.example/2", 9), "new");
    assert_eq!(offer("http://a.example/3", 0), "budget_host");
    assert_eq!(offer("http://b.example/3", 9), "budget_seed");
    for n in 1..=3 {
        assert_eq!(offer(&format!("http://n{n}.pool.example/"), 0), "new");
    }
    assert_eq!(offer("http://n4.pool.example/", 0), "trap_host_pool");
}

#[test]
fn a_damaged_store_is_set_aside_and_an_empty_one_begun() {
    let noise: Vec<u8> = {
        let mut dice = Dice(7);
        (0..100_000).map(|_| dice.roll(256) as u8).collect()
    };
    for damage in ["cut", "noise"] {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path().join("frontier");
        let now = Instant::now();
        let (mut frontier, _) = open(&dir, now);
        for page in 0..2_000 {
            frontier.admit(url(page % HOSTS, page)).expect("admits");
        }
        frontier.apply(7).expect("applies");
        frontier.save().expect("saves");
        drop(frontier);
        for file in std::fs::read_dir(&dir).expect("files").flatten() {
            match damage {
                "cut" => std::fs::write(file.path(), &noise[..3]).expect("is cut"),
                _ => std::fs::write(file.path(), &noise).expect("writes"),
            }
        }
        let (mut frontier, opened) = open(&dir, now);
        assert_eq!(opened.position, 0, "{damage}");
        assert!(opened.rebuilt_because.is_some(), "{damage}");
        assert!(dir.with_extension("set-aside-1").exists(), "{damage}");
        assert_eq!(frontier.counts(), Counts::default());
        let admission = frontier.admit(url(0, 0)).expect("admits");
        assert_eq!(admission, Admission::New);
    }
}

#[test]
fn a_store_in_use_is_not_set_aside() {
    let dir = tempfile::tempdir().expect("a directory");
    let now = Instant::now();
    let (mut frontier, _) = open(dir.path(), now);
    frontier.admit(url(0, 0)).expect("admits");
    frontier.apply(7).expect("applies");
    let second = Frontier::open(dir.path(), config(), now);
    assert!(second.is_err());
    drop(frontier);
    assert_eq!(open(dir.path(), now).1.position, 7);
}
