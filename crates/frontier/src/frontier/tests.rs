//! What the frontier keeps in memory; its other laws are in `laws.rs`.

use super::*;
use crate::host::HostKey;
use crate::lease::{FrontierUrl, Gate, Next, Permission};
use crate::origin::Origin;
use crate::politeness::HostAdvice;
use crate::store::{Applied, Change, QueueSlot, Returned, Saved};

mod limits;
mod origins;
mod patience;

struct Open;

impl Gate for Open {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
}

fn url(page: usize) -> FrontierUrl {
    FrontierUrl {
        url: CanonicalUrl::parse(&format!("http://a.example/{page}")).expect("a URL"),
        depth: 0,
        seed: 0,
        via: None,
        priority: 0.5,
        context: Vec::new(),
    }
}

#[test]
fn as_many_urls_stay_in_memory_as_the_bound_says_and_the_rest_waits_on_disk() {
    const BOUND: usize = 100;
    let config = FrontierConfig {
        pending_in_memory: BOUND,
        slots_in_memory: 4 * BOUND,
        ..FrontierConfig::default()
    };
    let dir = tempfile::tempdir().expect("a directory");
    let open = || Frontier::open(dir.path(), config.clone(), Instant::now());
    let (mut frontier, _) = open().expect("opens");
    for page in 0..BOUND {
        frontier.admit(url(page)).expect("admits");
    }
    frontier.apply(1).expect("written");
    assert_eq!(frontier.urls.entries_in_memory(), BOUND);
    frontier.admit(url(BOUND)).expect("admits");
    frontier.apply(2).expect("written");
    assert_eq!(frontier.urls.entries_in_memory(), BOUND);
    for page in BOUND..2_000 {
        frontier.admit(url(page)).expect("admits");
        assert!(frontier.slots_in_memory <= 4 * BOUND);
    }
    frontier.apply(3).expect("written");
    assert_eq!(frontier.urls.entries_in_memory(), BOUND);
    assert_eq!(frontier.counts().pending, 2_000);
    drop(frontier);
    let (frontier, _) = open().expect("opens again");
    assert_eq!(frontier.urls.entries_in_memory(), BOUND);
    assert!(frontier.slots_in_memory <= 4 * BOUND);
    assert_eq!(frontier.counts().pending, 2_000);
}

#[test]
fn deferred_urls_stay_within_the_bound_and_all_go_at_last() {
    struct DeferAll;
    impl Gate for DeferAll {
        fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
            Permission::Allowed
        }
        fn worth(&mut self, _: &HostKey, _: &CanonicalUrl, _: &UrlNormalizer) -> Permission {
            Permission::Defer
        }
    }
    const BOUND: usize = 100;
    const PAGES: usize = 1_500;
    let config = FrontierConfig {
        pending_in_memory: BOUND,
        slots_in_memory: 4 * BOUND,
        ..FrontierConfig::default()
    };
    let dir = tempfile::tempdir().expect("a directory");
    let mut now = Instant::now();
    let (mut frontier, _) = Frontier::open(dir.path(), config, now).expect("opens");
    for page in 0..PAGES {
        frontier.admit(url(page)).expect("admits");
    }
    frontier.apply(1).expect("written");
    let mut leased = std::collections::HashSet::new();
    loop {
        now += Duration::from_secs(60);
        let lease = match frontier.next(now, &mut DeferAll).expect("reads") {
            Next::Lease(lease) => lease,
            Next::Drained => break,
            other => panic!("{other:?}"),
        };
        assert!(frontier.urls.entries_in_memory() <= BOUND);
        assert_eq!(lease.url().priority, 0.5);
        assert!(leased.insert(lease.url().url.key()), "a URL went twice");
        let host = lease.url().url.host();
        frontier.body_done(&host, now, &HostAdvice::default());
        frontier.settle(lease.finished()).expect("settles");
        frontier.apply(2).expect("written");
    }
    assert_eq!(leased.len(), PAGES);
}

#[test]
fn which_urls_stay_in_memory_is_the_same_whenever_a_crawl_is_repeated() {
    // It followed from the order of a map whose hashes are others in each process.
    let in_memory = || {
        let config = FrontierConfig {
            pending_in_memory: 50,
            slots_in_memory: 100,
            ..FrontierConfig::default()
        };
        let mut frontier = Frontier::in_memory(config, Instant::now());
        frontier.hold_new_until_applied();
        for number in 0..400 {
            let url = CanonicalUrl::parse(&format!("http://h{}.example/{number}", number % 7));
            let url = FrontierUrl::seed(url.expect("a URL"), 0);
            frontier.admit(url).expect("admits");
        }
        frontier.apply(1).expect("applies");
        let mut keys = frontier.pending_keys();
        keys.sort_unstable();
        let queues = frontier.hosts.queues.iter();
        let slots: Vec<QueueSlot> = queues.flat_map(HostQueue::ready).collect();
        (keys, slots)
    };
    let first = in_memory();
    assert_eq!(first.0.len(), 50);
    assert!(first.1.len() < 400);
    for _ in 0..5 {
        assert_eq!(in_memory(), first);
    }
}

#[test]
fn a_url_that_memory_has_no_room_for_keeps_what_a_later_link_said_of_it() {
    let config = FrontierConfig {
        pending_in_memory: 0,
        ..FrontierConfig::default()
    };
    let mut frontier = Frontier::in_memory(config, Instant::now());
    let url = CanonicalUrl::parse("http://a.example/").expect("a URL");
    frontier
        .admit(FrontierUrl::seed(url.clone(), 0))
        .expect("admits");
    assert!(
        frontier
            .reprioritise(&url, 0.9, vec![7])
            .expect("linked again")
    );
    frontier.apply(1).expect("applies");
    let stored = frontier.urls.stored(url.key()).expect("is read");
    let Some(StoredUrl::Pending(waiting)) = stored else {
        panic!("{stored:?}");
    };
    assert_eq!((waiting.url.priority, waiting.url.context), (0.9, vec![7]));
}

#[test]
fn what_links_say_of_a_url_under_way_counts_if_it_is_tried_again() {
    let now = Instant::now();
    let mut frontier = Frontier::in_memory(FrontierConfig::default(), now);
    let url = url(1);
    frontier.admit(url.clone()).expect("admits");
    let Next::Lease(lease) = frontier.next(now, &mut Open).expect("a turn") else {
        panic!("nothing to fetch");
    };
    let waits = frontier.reprioritise(&url.url, 0.9, vec![9]);
    assert!(!waits.expect("is taken in"));
    assert_eq!(frontier.context_of(&url.url), Some([9].as_slice()));
    frontier.settle(lease.retry_at(0)).expect("settles");
    assert_eq!(frontier.context_of(&url.url), Some([9].as_slice()));
}

#[test]
fn what_is_no_page_counts_for_no_budget_whatever_became_of_it_and_however_often_it_is_opened() {
    let sitemap = |page: usize| FrontierUrl {
        context: vec![crate::lease::NO_PAGE],
        ..url(page)
    };
    let dir = tempfile::tempdir().expect("a directory");
    let open = || Frontier::open(dir.path(), FrontierConfig::default(), Instant::now());
    let (mut frontier, _) = open().expect("opens");
    frontier.admit(url(0)).expect("admits");
    frontier.admit(sitemap(1)).expect("admits");
    frontier.apply(1).expect("written");
    // Some end in the step after their own, and some in their own.
    for (page, is_sitemap) in [(2, false), (3, true)] {
        let new = if is_sitemap { sitemap(page) } else { url(page) };
        frontier.replay_admitted(new).expect("is applied");
    }
    for page in 0..4 {
        frontier.replay_finished(&url(page).url).expect("ends");
    }
    frontier.reopen(sitemap(1)).expect("waits again");
    frontier.apply(2).expect("written");
    for _ in 0..2 {
        let of_seed = crate::store::SavedSeed {
            seed: 0,
            admitted: 2,
            finished: 2,
        };
        assert_eq!(frontier.budgets.saved(), [of_seed]);
        let id = frontier.hosts.find(&url(0).url.host()).expect("a host");
        assert_eq!(frontier.hosts[id].admitted, 2);
        assert_eq!(frontier.counts().admitted, 4);
        drop(frontier);
        (frontier, _) = open().expect("opens again");
    }
}

#[test]
fn hosts_of_a_crawl_that_begins_are_asked_at_once_and_of_one_that_goes_on_after_their_delay() {
    // Each crawl waited a delay before its first request: its seeds, applied as all records are, passed
    // for what another process had done.
    let now = Instant::now();
    let mut begun = Frontier::in_memory(FrontierConfig::default(), now);
    begun.replay_admitted(url(1)).expect("is applied");
    let next = begun.next(now, &mut Open).expect("a turn");
    assert!(matches!(next, Next::Lease(_)), "{next:?}");

    let mut resumed = Frontier::in_memory(FrontierConfig::default(), now);
    resumed.replay_admitted(url(1)).expect("is applied");
    resumed.resume();
    let next = resumed.next(now, &mut Open).expect("a turn");
    let delay = FrontierConfig::default().delay;
    assert!(
        matches!(next, Next::WaitUntil(at) if at == now + delay),
        "{next:?}"
    );
}

#[test]
fn a_url_that_is_held_until_applied_goes_once_its_record_is_synced() {
    let now = Instant::now();
    let mut frontier = Frontier::in_memory(FrontierConfig::default(), now);
    frontier.hold_new_until_applied();
    let admission = frontier.admit(url(1)).expect("admits");
    assert_eq!(admission, crate::Admission::New);
    let next = frontier.next(now, &mut Open).expect("a turn");
    assert!(matches!(next, Next::InFlight));
    assert_eq!(frontier.counts().pending, 1);
    // It can be added to at once.
    let changed = frontier.reprioritise(&url(1).url, 0.9, vec![1]);
    assert!(changed.expect("is changed"));
    frontier.apply(1).expect("written");
    let Next::Lease(lease) = frontier.next(now, &mut Open).expect("a turn") else {
        panic!("its record is synced");
    };
    assert_eq!(
        (lease.url().priority, &*lease.url().context),
        (0.9, [1].as_slice())
    );
    frontier.settle(lease.finished()).expect("settles");
    assert!(frontier.is_finished(&url(1).url).expect("is read"));
}

#[test]
fn what_is_known_of_a_url_follows_its_life() {
    let now = Instant::now();
    let mut frontier = Frontier::in_memory(FrontierConfig::default(), now);
    let url = url(1);
    assert_eq!(frontier.link_target(&url.url), LinkTarget::New);
    frontier.admit(url.clone()).expect("admits");
    assert_eq!(
        frontier.link_target(&url.url),
        LinkTarget::Pending(url.clone())
    );
    let Next::Lease(lease) = frontier.next(now, &mut Open).expect("reads") else {
        panic!("nothing to fetch");
    };
    assert_eq!(frontier.link_target(&url.url), LinkTarget::Closed);
    frontier.settle(lease.finished()).expect("settles");
    assert_eq!(frontier.link_target(&url.url), LinkTarget::Closed);
}

/// A store that fails to read the URLs it has, or has lost them.
#[derive(Debug)]
struct Failing {
    store: MemoryStore,
    /// It gives no error, it has no such URL.
    forgets: bool,
}

impl FrontierStore for Failing {
    fn url(&self, _: u128) -> Result<Option<StoredUrl>, StoreError> {
        if self.forgets {
            return Ok(None);
        }
        Err(StoreError::Refused {
            doing: "read from the store".into(),
            cause: "input/output error".into(),
            kind: std::io::ErrorKind::Other,
        })
    }
    fn has_url(&self, key: u128) -> Result<bool, StoreError> {
        self.url(key).map(|url| url.is_some())
    }
    fn position(&self) -> u64 {
        self.store.position()
    }
    fn memory_position(&self) -> u64 {
        self.store.memory_position()
    }
    fn keys(&self, take: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError> {
        self.store.keys(take)
    }
    fn apply(&mut self, changes: &[(u128, Change)], position: u64) -> Result<(), StoreError> {
        self.store.apply(changes, position)
    }
    fn spill(
        &mut self,
        queues: &mut dyn Iterator<Item = (u32, Vec<QueueSlot>)>,
    ) -> Result<(), StoreError> {
        self.store.spill(queues)
    }
    fn take_spilled(&mut self, host: u32) -> Result<Returned, StoreError> {
        if self.forgets {
            return Ok(Returned::default());
        }
        self.store.take_spilled(host)
    }
    fn forget_spilled(&mut self, host: u32, slot: &QueueSlot) -> bool {
        self.store.forget_spilled(host, slot)
    }
    fn wants_save(&self, at_end: bool) -> bool {
        self.store.wants_save(at_end)
    }
    fn save(&mut self, memory: &mut dyn Iterator<Item = Saved>) -> Result<(), StoreError> {
        self.store.save(memory)
    }
    fn load(
        &mut self,
        take: &mut dyn FnMut(Saved) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.store.load(take)
    }
    fn tail(&mut self) -> Result<Vec<Applied>, StoreError> {
        self.store.tail()
    }
}

#[test]
fn a_url_that_cannot_be_read_is_an_error_and_is_not_counted_as_finished() {
    for forgets in [false, true] {
        let now = Instant::now();
        let config = FrontierConfig {
            delay: Duration::ZERO,
            pending_in_memory: 4,
            slots_in_memory: 16,
            ..FrontierConfig::default()
        };
        let store = Failing {
            store: MemoryStore::default(),
            forgets,
        };
        let (mut frontier, _) =
            Frontier::with_store(Box::new(store), config, now).expect("an empty store");
        for page in 0..40 {
            frontier.admit(url(page)).expect("admits");
        }
        frontier.apply(1).expect("written");
        let mut leased = 0;
        let error = loop {
            match frontier.next(now, &mut Open) {
                Ok(Next::Lease(lease)) => {
                    let host = lease.url().url.host();
                    frontier.body_done(&host, now, &HostAdvice::default());
                    frontier.settle(lease.finished()).expect("settles");
                    leased += 1;
                }
                Ok(other) => panic!("{other:?}"),
                Err(error) => break error,
            }
        };
        let words = error.to_string();
        let told = if forgets {
            "cannot find"
        } else {
            "cannot read"
        };
        assert!(words.starts_with(told), "{words}");
        assert_eq!(frontier.counts().finished, leased);
        assert!(leased < 40);
    }
}

/// Leases over so many seconds of a crawl with a rich host, whose URLs promise .9, and a poor one, whose
/// URLs promise .1; answers take 100 ms, and connections are many. Gives the times of the poor host's.
fn leases_of_the_poor(
    patience: Duration,
    delay: Duration,
    rich: usize,
    seconds: u64,
) -> Vec<Duration> {
    let begin = Instant::now();
    let config = FrontierConfig {
        delay,
        patience,
        ..FrontierConfig::default()
    };
    let mut frontier = Frontier::in_memory(config, begin);
    let admitted = |host: &str, page: usize, priority: f32| FrontierUrl {
        url: CanonicalUrl::parse(&format!("http://{host}.example/{page}")).expect("a URL"),
        priority,
        ..url(page)
    };
    for page in 0..rich {
        frontier.admit(admitted("rich", page, 0.9)).expect("admits");
    }
    for page in 0..200 {
        frontier.admit(admitted("poor", page, 0.1)).expect("admits");
    }
    let mut poor = Vec::new();
    let mut under_way = Vec::new();
    for tick in 0..seconds * 20 {
        let now = begin + Duration::from_millis(50 * tick);
        under_way.retain(|(until, host): &(Instant, HostKey)| {
            let is_done = *until <= now;
            if is_done {
                frontier.body_done(host, now, &HostAdvice::default());
            }
            !is_done
        });
        loop {
            match frontier.next(now, &mut Open).expect("reads") {
                Next::Lease(lease) => {
                    let host = lease.url().url.host();
                    if host.as_str().starts_with("poor") {
                        poor.push(now - begin);
                    }
                    under_way.push((now + Duration::from_millis(100), host));
                    frontier.settle(lease.finished()).expect("settles");
                }
                Next::WaitUntil(at) => {
                    assert!(at > now, "it would be asked again at once, for ever");
                    break;
                }
                Next::InFlight | Next::Drained => break,
                other => panic!("{other:?}"),
            }
        }
    }
    poor
}

#[test]
fn a_poor_host_waits_for_a_better_one_and_is_not_forgotten() {
    let (none, second) = (Duration::ZERO, Duration::from_secs(1));
    let half = second / 2;
    // Without patience it goes whenever its own delay lets it.
    assert!(leases_of_the_poor(none, half, 1_000, 10).len() >= 15);
    // With it, once a second, for as long as the better host has URLs.
    let times = leases_of_the_poor(second, half, 1_000, 10);
    assert!((8..=10).contains(&times.len()), "{times:?}");
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps.min() >= Some(second), "{times:?}");
    // Then as fast as before.
    let times = leases_of_the_poor(second, half, 8, 10);
    let late = times.iter().filter(|at| at.as_secs() >= 5).count();
    assert!(late >= 8, "{times:?}");
    // A better host that is not free within the time is not waited for.
    let times = leases_of_the_poor(second, 3 * second, 1_000, 30);
    let waits = leases_of_the_poor(none, 3 * second, 1_000, 30).len() - times.len();
    assert!(waits <= 3, "{times:?}");
}

#[test]
fn a_link_that_promises_little_waits_for_what_a_better_page_leads_to() {
    let begin = Instant::now();
    let patience = Duration::from_secs(1);
    for (waits, is_known) in [(Duration::ZERO, true), (patience, false)] {
        let config = FrontierConfig {
            delay: Duration::ZERO,
            connections_per_host: 64,
            patience,
            ..FrontierConfig::default()
        };
        let mut frontier = Frontier::in_memory(config, begin);
        for (page, priority) in [0.9, 0.85, 0.85, 0.85, 0.84, 0.1, 0.1]
            .into_iter()
            .enumerate()
        {
            let admitted = FrontierUrl {
                priority,
                ..url(page)
            };
            frontier.admit(admitted).expect("admits");
        }
        let mut leases = Vec::new();
        // What promises as much goes at once.
        while let Next::Lease(lease) = frontier.next(begin, &mut Open).expect("reads") {
            leases.push(lease);
        }
        assert_eq!(leases.len(), 5);
        let held = frontier.next(begin, &mut Open).expect("reads");
        let until = begin + patience;
        assert!(
            matches!(held, Next::WaitUntil(at) if at == until),
            "{held:?}"
        );
        // The rest waits until it is known what those lead to, and no longer than the patience lasts.
        if is_known {
            for lease in leases {
                frontier.settle(lease.finished()).expect("settles");
            }
        }
        let next = frontier.next(begin + waits, &mut Open).expect("reads");
        assert!(matches!(next, Next::Lease(_)), "{next:?}");
    }
}

#[test]
fn a_request_that_a_better_host_waits_for_is_not_kept_waiting_for_it() {
    struct RichIsUnknown;
    impl Gate for RichIsUnknown {
        fn check(&mut self, host: &HostKey, _: &CanonicalUrl) -> Permission {
            match host.as_str() {
                "rich.example" => Permission::Unknown,
                _ => Permission::Allowed,
            }
        }
    }
    let now = Instant::now();
    let config = FrontierConfig {
        patience: Duration::from_secs(1),
        ..FrontierConfig::default()
    };
    let mut frontier = Frontier::in_memory(config, now);
    for (host, priority) in [("rich", 0.9), ("middling", 0.2), ("poor", 0.1)] {
        let admitted = FrontierUrl {
            url: CanonicalUrl::parse(&format!("http://{host}.example/")).expect("a URL"),
            priority,
            ..url(1)
        };
        frontier.admit(admitted).expect("admits");
    }
    let next = frontier.next(now, &mut RichIsUnknown).expect("reads");
    assert!(matches!(next, Next::Robots(..)), "{next:?}");
    let next = frontier.next(now, &mut RichIsUnknown).expect("reads");
    assert!(matches!(next, Next::WaitUntil(_)), "{next:?}");
    // Its robots.txt is found at the poor host.
    let poor = CanonicalUrl::parse("http://poor.example/")
        .expect("a URL")
        .host();
    frontier.ask_for(&poor, Origin::default(), 7);
    let next = frontier.next(now, &mut RichIsUnknown).expect("reads");
    assert!(matches!(next, Next::Errand(_, 7)), "{next:?}");
}
