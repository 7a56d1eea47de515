//! What is kept equals a walk over all hosts; `laws/sums.rs` asks so after any steps.

use std::cmp::Reverse;

use super::*;
use crate::frontier::Frontier;

impl Frontier {
    /// Compares what is kept of all hosts with what a walk over them finds.
    #[track_caller]
    pub(crate) fn assert_sums(&mut self, now: Instant) {
        let troubled = || {
            let queues = self.hosts.queues.iter();
            queues.filter(|host| host.politeness.in_trouble().next().is_some())
        };
        let with_urls = || troubled().filter(|host| host.len() > 0);
        let is_undecided = |host: &&HostQueue| {
            host.politeness.in_trouble().any(|(origin, own)| {
                let has_tries_left = own.silence.is_some_and(|own| own.failures < FAILURES_MIN);
                host.waiting(origin) > 0 && (own.gone.is_some() || has_tries_left)
            })
        };
        let walked = (
            troubled()
                .map(|host| host.len() as u64 - host.waiting_beside_trouble())
                .sum::<u64>(),
            troubled()
                .map(|host| host.politeness.in_flight_in_trouble())
                .sum::<usize>(),
            with_urls().count(),
            troubled().filter(is_undecided).count(),
            with_urls()
                .filter(|host| host.politeness.outage().is_some() || host.politeness.refuses_all())
                .count(),
        );
        let kept = &self.silent.troubled;
        let sums = (
            kept.waiting,
            kept.requests,
            kept.with_urls,
            kept.undecided,
            kept.out,
        );
        assert_eq!(sums, walked);
        let mut shown: Vec<u64> = self
            .hosts
            .queues
            .iter()
            .map(|host| host.len() as u64)
            .collect();
        shown.sort_unstable_by_key(|urls| Reverse(*urls));
        let hosts = self.hosts(3, now);
        assert!(
            hosts
                .iter()
                .map(|host| host.pending)
                .eq(shown.into_iter().take(hosts.len()))
        );
        for left in [Left::Others, Left::Trouble, Left::OneHost] {
            self.assert_due(left, now);
        }
    }

    /// Compares the silences whose time has come with those that a walk finds to last too long.
    #[track_caller]
    fn assert_due(&mut self, left: Left, now: Instant) {
        let mut due = self.silences_due(left, now);
        let all = (0..).zip(&self.hosts.queues).flat_map(|(id, host)| {
            let origins = host.politeness.in_trouble();
            origins.map(move |(origin, _)| (id, origin))
        });
        let mut walked: Vec<(usize, Origin)> = all.collect();
        for places in [&mut due, &mut walked] {
            places.retain(|&(id, origin)| self.too_long_silent(id, origin, left, now).is_some());
            places.sort_unstable();
        }
        assert_eq!(due, walked, "{left:?}");
    }

    /// Hosts that count as in trouble.
    pub(crate) fn troubled_hosts(&self) -> usize {
        self.silent.troubled.parts.len()
    }
}
