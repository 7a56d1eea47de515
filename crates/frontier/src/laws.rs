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

mod order;
mod sums;
mod world;

use world::{Dice, HOSTS, PAGES, UNIX_MS, World, config, next_lease, open, url};

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
