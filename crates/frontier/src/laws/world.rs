//! A simulated crawl: a web, what is under way, and what the dice say happens next.

use super::*;

/// A small generator, so that a failing case is its seed.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

pub(super) const HOSTS: u64 = 6;
pub(super) const PAGES: u64 = 40;
pub(super) const DELAY: Duration = Duration::from_millis(1_000);
pub(super) const UNIX_MS: u64 = 1_700_000_000_000;

pub(super) fn config() -> FrontierConfig {
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

pub(super) fn delay_of(host: u64, crawl_delay: bool) -> Duration {
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
pub(super) fn url(host: u64, page: u64) -> FrontierUrl {
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

pub(super) fn number(host: &HostKey) -> u64 {
    host.as_str()[1..2].parse().expect("a host's number")
}

/// What a simulated host has been asked, and when.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) running: usize,
    pub(super) crawl_delay: bool,
    /// The origins whose robots.txt is known.
    pub(super) knows_robots: BTreeSet<Origin>,
    /// When the robots.txt of one that could not be had may be asked for again.
    pub(super) robots_not_before: BTreeMap<Origin, Instant>,
    pub(super) last_start: Option<Instant>,
    pub(super) last_end: Option<Instant>,
    pub(super) not_before: Option<Instant>,
}

pub(super) enum Under {
    Page(Lease),
    /// The robots.txt of one URL's origin, at the origin of another.
    Robots(CanonicalUrl, Origin),
}

pub(super) struct World {
    pub(super) dice: Dice,
    pub(super) now: Instant,
    pub(super) hosts: BTreeMap<u64, Asked>,
    pub(super) running: Vec<(u64, Under)>,
    pub(super) unsettled: Vec<Lease>,
    pub(super) finished: BTreeSet<String>,
    pub(super) admitted: BTreeSet<String>,
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
    pub(super) fn new(seed: u64, now: Instant) -> Self {
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

    pub(super) fn admit_some(&mut self, frontier: &mut Frontier, most: u64) {
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
    pub(super) fn step(&mut self, frontier: &mut Frontier) -> bool {
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
        frontier.assert_sums(self.now);
        true
    }

    /// Now and then the queue is scored again, and a URL is linked again, whatever state it is in.
    pub(super) fn change_priorities(&mut self, frontier: &mut Frontier) {
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

    pub(super) fn begin(&mut self, lease: Lease) {
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
    pub(super) fn ask(&mut self, host: u64, robots_of: Option<Origin>) {
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

    pub(super) fn end_one(&mut self, frontier: &mut Frontier) {
        if self.running.is_empty() {
            return;
        }
        let at = self.dice.roll(self.running.len() as u64) as usize;
        let (host, under) = self.running.swap_remove(at);
        let asks_for_time = self.dice.roll(10) == 0;
        let retry_after = asks_for_time.then(|| Duration::from_secs(self.dice.roll(20)));
        let failed = !asks_for_time && self.dice.roll(8) == 0;
        let advice = HostAdvice {
            is_beside: false,
            good: None,
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
            ..HostAdvice::default()
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

    pub(super) fn settle_one(&mut self, frontier: &mut Frontier) {
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
pub(super) fn open(dir: &Path, now: Instant) -> (Frontier, Opened) {
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

/// A gate that lets everything pass.
pub(super) struct Open;

impl Gate for Open {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
}

/// The next lease, its body ended; none when nothing is pending.
pub(super) fn next_lease(frontier: &mut Frontier, now: &mut Instant) -> Option<Lease> {
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
