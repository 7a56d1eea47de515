//! What is kept of all hosts as they change equals a walk over them.

use std::collections::HashSet;

use super::*;

/// Origins of hosts whose robots.txt is known.
struct Known(HashSet<(HostKey, Origin)>);

impl Gate for Known {
    fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission {
        match self.0.contains(&(host.clone(), url.origin())) {
            true => Permission::Allowed,
            false => Permission::Unknown,
        }
    }
}

enum Under {
    Page(Lease),
    Robots(HostKey, Origin),
}

/// What comes of a request: hosts 0 and 1 rarely answer, the others often do.
fn advice(host: &HostKey, origin: Origin, roll: u64) -> HostAdvice {
    let status = match (world::number(host), roll % 8) {
        (0 | 1, 1..) | (2 | 3, 0) => 0,
        (4, 1..) | (2, 1) => 500,
        _ => 200,
    };
    HostAdvice {
        origin,
        failed: status == 0,
        status,
        took: Duration::from_millis(roll * 100),
        ..HostAdvice::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_kept_of_all_hosts_is_what_a_walk_over_them_finds(
        steps in prop::collection::vec((0u8..16, 0..HOSTS, 0..PAGES), 1..500),
    ) {
        let dir = tempfile::tempdir().expect("a directory");
        let mut now = Instant::now();
        let (mut frontier, _) = open(dir.path(), now);
        let mut gate = Known(HashSet::new());
        let (mut running, mut unsettled) = (Vec::new(), Vec::new());
        for (position, (what, host, page)) in (1..).zip(steps) {
            match what {
                0 | 1 => drop(frontier.admit(url(host, page)).expect("admits")),
                2..=7 => match frontier.next(now, &mut gate).expect("a turn") {
                    Next::Lease(lease) => running.push(Under::Page(lease)),
                    Next::Robots(host, url) => running.push(Under::Robots(host, url.origin())),
                    Next::Refused(lease, _) => unsettled.push(lease),
                    Next::WaitUntil(at) => now = at.max(now),
                    _ => {}
                },
                8..=11 if !running.is_empty() => {
                    match running.swap_remove(page as usize % running.len()) {
                        Under::Page(lease) => {
                            let (host, origin) = (lease.url().url.host(), lease.url().url.origin());
                            frontier.body_done(&host, now, &advice(&host, origin, page));
                            unsettled.push(lease);
                        }
                        Under::Robots(host, origin) => {
                            let advice = advice(&host, origin, page);
                            frontier.body_done(&host, now, &advice);
                            let wait = (page % 5 == 0).then_some(Duration::from_secs(page));
                            frontier.robots_known(&host, origin, None, wait);
                            gate.0.insert((host, origin));
                        }
                    }
                }
                12 if !unsettled.is_empty() => {
                    let lease = unsettled.swap_remove(page as usize % unsettled.len());
                    let settled = match page % 3 {
                        0 => lease.finished(),
                        _ => lease.retry_at(UNIX_MS + 1_000 * page),
                    };
                    frontier.settle(settled).expect("settles");
                }
                13 => {
                    now += Duration::from_secs(page * page);
                    frontier.give_up_silent_hosts(now);
                }
                14 => drop(frontier.reopen(url(host, page)).expect("reopens")),
                15 if page < 8 => {
                    frontier.apply(position).expect("applies");
                    if page < 2 {
                        // A start: what was under way is lost.
                        (running, unsettled) = (Vec::new(), Vec::new());
                        drop(frontier);
                        frontier = open(dir.path(), now).0;
                        let past = HostPast { has_answered: page == 1, failures: 2, ..HostPast::default() };
                        frontier.resume_host(&url(host, 0).url.host(), &past);
                        frontier.set_answered_before(page == 1);
                    }
                }
                _ => {}
            }
            frontier.assert_sums(now);
        }
    }
}

#[test]
fn a_dead_host_with_nothing_left_to_do_is_not_looked_at() {
    // Each look walked over all hosts that had ever fallen silent: with 60,000 of them whose URLs had long
    // met their end a tenth of a core.
    let mut now = Instant::now();
    let mut frontier = Frontier::in_memory(config(), now);
    for host in 0..6 {
        frontier.admit(url(host, 0)).expect("admits");
    }
    let dead = |host: &HostKey| world::number(host) < 5;
    loop {
        let lease = match frontier.next(now, &mut world::Open).expect("a turn") {
            Next::Lease(lease) => lease,
            Next::WaitUntil(at) => {
                now = at;
                continue;
            }
            _ => break,
        };
        let (host, origin) = (lease.url().url.host(), lease.url().url.origin());
        let advice = HostAdvice {
            origin,
            failed: dead(&host),
            status: if dead(&host) { 0 } else { 200 },
            ..HostAdvice::default()
        };
        frontier.body_done(&host, now, &advice);
        frontier.settle(lease.finished()).expect("settles");
        frontier.assert_sums(now);
    }
    assert_eq!(frontier.counts().finished, 6);
    assert_eq!(frontier.troubled_hosts(), 0);
    // It is in trouble yet, which its next URL says.
    frontier.admit(url(0, 1)).expect("admits");
    assert_eq!(frontier.troubled_hosts(), 1);
}
