//! A small crawl, request by request: how its first and last pages go, which answers come together, and what
//! the nodes say to the store meanwhile.
//!
//! ```text
//!  host is ready ─► connection ─► answer ─► read ─► group: pace, order, commit ─► its URLs are known
//!       ▲                            │                                                  │
//!       └────────── delay ───────────┴── a host's first page leads to its others ───────┘
//! ```
//!
//! A crawl of a few thousand pages is over before it is even; then the means of a flow say little. Here each
//! host has its next request, each connection its answer, each node its findings. Answers all take the same
//! time; what makes them drift apart is the lag between an answer's end and the next request, whose
//! mean is measured, drawn by the exponential law.
//!
//! Costs: some microseconds for each request, and less for each look of a keeper.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::flow::{DAY_S, FOLLOW_S, Lot};
use super::groups;
use super::keeping::{Keeping, Sent, Times};
use super::plan::Plan;

/// Requests of a crawl that is simulated so, at most.
pub(super) const REQUESTS_MAX: f64 = 200_000.0;

/// Leases that may wait for their record beyond the connections, as in the crawl.
const LEASES_AHEAD: usize = 256;

/// The best time is as long, seconds: hosts that are asked in step are silent between.
const BEST_S: f64 = 10.0;

/// A node that does not end is given up, seconds after the last page.
const END_MAX_S: f64 = 600.0;

/// What a node did.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Did {
    pub(super) pages: f64,
    pub(super) groups: f64,
    /// Groups that offer URLs.
    pub(super) groups_with_news: f64,
    /// How long its groups had the order, seconds.
    pub(super) held_s: f64,
}

/// How it went.
#[derive(Debug, Clone)]
pub(super) struct Course {
    /// From the first request to the last answer.
    pub(super) seconds: f64,
    /// Pages a second at the best time.
    pub(super) most: f64,
    pub(super) nodes: Vec<Did>,
    pub(super) sent: Sent,
}

/// A host's requests: robots.txt, its first page, the others.
#[derive(Debug, Clone, Copy)]
struct Host {
    node: usize,
    asked: u64,
    pages: u64,
    ready: f64,
}

/// What was read of a host: its first answer, robots.txt, its second, its first page, or another.
#[derive(Debug, Clone, Copy)]
struct Finding {
    host: usize,
    answer: u64,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// A host of the node may be asked.
    Ready(usize),
    /// The answer of a host has ended, or its page was read.
    Answered(usize),
    Read(Finding),
    /// A node's findings were gathered, or are committed.
    Gathered(usize),
    Committed(usize),
    /// It has joined; its keeper wakes.
    Joined(usize),
    Keeps(usize),
    /// It has recorded its end, and leaves.
    Leaves(usize),
}

/// A time, in the order of the events; of two at one time the one that was put first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct At(u64, u64);

#[derive(Debug, Default)]
struct Node {
    /// Hosts by when they may be asked, microseconds.
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    /// When it asks next, if not before.
    wakes: Option<u64>,
    busy: usize,
    leases: usize,
    inbox: VecDeque<Finding>,
    /// The group that is gathered or closed.
    is_writing: bool,
    closing: Vec<Finding>,
    reads_until: f64,
    is_ending: bool,
    did: Did,
}

struct Requests<'p> {
    plan: &'p Plan,
    hosts: Vec<Host>,
    nodes: Vec<Node>,
    keeping: Keeping,
    events: BinaryHeap<Reverse<(At, usize)>>,
    /// Events that wait, and their places that are free again.
    told: Vec<Event>,
    free: Vec<usize>,
    put: u64,
    lot: Lot,
    order_free: f64,
    left: u64,
    under_way: u64,
    began: Option<f64>,
    ended: f64,
    /// Pages in each [`BEST_S`].
    by_time: Vec<f64>,
}

/// How often keepers look in a crawl that takes so long.
pub(super) fn looks(plan: &Plan, seconds: f64) -> f64 {
    f64::from(plan.crawl.nodes) * seconds / FOLLOW_S
}

/// Simulates a crawl of which each node has so many hosts of each class: pages of each host, and how many
/// hosts of them.
pub(super) fn course(plan: &Plan, shares: &[Vec<(f64, f64)>]) -> Course {
    let mut requests = Requests::new(plan, shares);
    while let Some(Reverse((At(at, _), number))) = requests.events.pop() {
        let now = at as f64 / 1e6;
        if now > plan.crawl.days * DAY_S {
            requests.ended = now;
            break;
        }
        requests.free.push(number);
        requests.take(requests.told[number], now);
        if requests.left == 0 && now > requests.ended + END_MAX_S {
            break;
        }
    }
    let seconds = requests.ended - requests.began.unwrap_or_default();
    let best = requests.by_time.iter().copied().fold(0.0, f64::max);
    Course {
        seconds,
        most: best / BEST_S.min(seconds).max(1e-9),
        nodes: requests.nodes.iter().map(|node| node.did).collect(),
        sent: requests.keeping.sent,
    }
}

impl<'p> Requests<'p> {
    fn new(plan: &'p Plan, shares: &[Vec<(f64, f64)>]) -> Requests<'p> {
        let crawl = &plan.crawl;
        let pace_s = groups::pace_s(shares.len() as f64);
        let times = Times::of(plan);
        let mut requests = Requests {
            plan,
            hosts: Vec::new(),
            nodes: shares.iter().map(|_| Node::default()).collect(),
            keeping: Keeping::new(shares.len(), times, pace_s),
            events: BinaryHeap::new(),
            told: Vec::new(),
            free: Vec::new(),
            put: 0,
            lot: Lot::of(crawl.seed),
            order_free: 0.0,
            left: 0,
            under_way: 0,
            began: None,
            ended: 0.0,
            by_time: Vec::new(),
        };
        for (node, classes) in shares.iter().enumerate() {
            // What others admitted comes with the next look, and waits for the writer.
            let known = crawl.idle_s + f64::from(u8::from(node > 0)) * pace_s;
            let hosts = classes.iter().flat_map(|&(pages, hosts)| {
                std::iter::repeat_n(pages.round().max(1.0) as u64, hosts.round() as usize)
            });
            for pages in hosts {
                requests.left += pages + 1;
                let host = Host {
                    node,
                    asked: 0,
                    pages,
                    ready: known,
                };
                requests.hosts.push(host);
                let number = requests.hosts.len() - 1;
                requests.nodes[node]
                    .ready
                    .push(Reverse((micros(known), number)));
            }
            requests.wake(node, micros(known));
            let joined = node as f64 * crawl.join_gap_s;
            requests.put(joined, Event::Joined(node));
            // The overview before, and the join.
            requests.put(joined + 2.0 * times.message_s, Event::Keeps(node));
            // A start is a group of its own.
            requests.nodes[node].did.groups += 1.0;
        }
        requests
    }

    fn put(&mut self, at: f64, event: Event) {
        self.put += 1;
        let number = match self.free.pop() {
            Some(number) => {
                self.told[number] = event;
                number
            }
            None => {
                self.told.push(event);
                self.told.len() - 1
            }
        };
        self.events
            .push(Reverse((At(micros(at), self.put), number)));
    }

    fn take(&mut self, event: Event, now: f64) {
        match event {
            Event::Ready(node) => {
                let wakes = &mut self.nodes[node].wakes;
                *wakes = wakes.filter(|at| *at > micros(now));
                self.ask(node, now);
            }
            Event::Answered(host) => self.answered(host, now),
            Event::Read(finding) => self.read(finding, now),
            Event::Gathered(node) => self.close(node, now),
            Event::Committed(node) => self.committed(node, now),
            Event::Joined(node) => self.keeping.join(node, now),
            Event::Keeps(node) => self.keep(node, now),
            Event::Leaves(node) => self.keeping.leave(node),
        }
    }

    /// Has the node ask at a time, unless it does before.
    fn wake(&mut self, node: usize, at: u64) {
        let wakes = &mut self.nodes[node].wakes;
        if wakes.is_none_or(|wakes| at < wakes) {
            *wakes = Some(at);
            self.put(at as f64 / 1e6, Event::Ready(node));
        }
    }

    /// Asks hosts as long as there are connections.
    fn ask(&mut self, node: usize, now: f64) {
        let connections = self.plan.crawl.connections.max(1.0) as usize;
        loop {
            let one = &mut self.nodes[node];
            if one.busy >= connections || one.leases >= connections + LEASES_AHEAD {
                return;
            }
            let Some(&Reverse((ready, host))) = one.ready.peek() else {
                return;
            };
            if ready > micros(now) {
                self.wake(node, ready);
                return;
            }
            one.ready.pop();
            one.busy += 1;
            one.leases += usize::from(self.hosts[host].asked > 0);
            let lag_s = self.lag_s();
            self.under_way += 1;
            self.began.get_or_insert(now);
            self.put(now + lag_s + self.plan.web.answer_s, Event::Answered(host));
        }
    }

    fn lag_s(&mut self) -> f64 {
        let share = self.lot.share().max(1e-9);
        -share.ln() * self.plan.costs.lag_s
    }

    fn answered(&mut self, number: usize, now: f64) {
        let (plan, node) = (self.plan, self.hosts[number].node);
        let host = &mut self.hosts[number];
        host.asked += 1;
        host.ready = now + plan.crawl.delay_s;
        let finding = Finding {
            host: number,
            answer: host.asked,
        };
        let is_page = host.asked > 1;
        // The others are known once the first page is committed.
        let waits = host.asked == 2;
        let next = (host.asked <= host.pages && !waits).then_some(host.ready);
        self.left -= 1;
        self.ended = now;
        let one = &mut self.nodes[node];
        one.busy -= 1;
        if is_page {
            one.did.pages += 1.0;
            let at = ((now - self.began.unwrap_or(now)) / BEST_S) as usize;
            if self.by_time.len() <= at {
                self.by_time.resize(at + 1, 0.0);
            }
            self.by_time[at] += 1.0;
        }
        one.reads_until =
            one.reads_until.max(now) + plan.costs.node_cpu_ms / 1_000.0 / plan.machine.cores;
        let read = one.reads_until;
        self.put(read, Event::Read(finding));
        if let Some(ready) = next {
            self.is_ready(number, ready);
        }
        self.ask(node, now);
    }

    fn is_ready(&mut self, host: usize, at: f64) {
        let node = self.hosts[host].node;
        self.nodes[node].ready.push(Reverse((micros(at), host)));
        self.wake(node, micros(at));
    }

    fn read(&mut self, finding: Finding, now: f64) {
        let node = self.hosts[finding.host].node;
        let one = &mut self.nodes[node];
        one.inbox.push_back(finding);
        match (one.is_writing, one.closing.is_empty()) {
            (false, _) => self.gather(node, now),
            (true, true) if one.inbox.len() as f64 >= groups::GROUP_MAX => self.close(node, now),
            (true, _) => {}
        }
    }

    fn gather(&mut self, node: usize, now: f64) {
        self.nodes[node].is_writing = true;
        self.put(
            now + groups::pace_s(self.nodes.len() as f64),
            Event::Gathered(node),
        );
    }

    /// Takes the order for what was gathered.
    fn close(&mut self, node: usize, now: f64) {
        let costs = &self.plan.costs;
        let one = &mut self.nodes[node];
        if !one.closing.is_empty() || one.inbox.is_empty() {
            // It was full before its time.
            return;
        }
        let count = one.inbox.len().min(groups::GROUP_MAX as usize);
        one.closing.extend(one.inbox.drain(..count));
        let begins = self.order_free.max(now + costs.message_ms / 1_000.0);
        let held_s = groups::held_s(costs, count as f64);
        self.order_free = begins + held_s;
        one.did.groups += 1.0;
        one.did.held_s += held_s;
        let other_news = self.plan.web.urls_per_page * (1.0 - self.plan.web.on_front);
        let answers = one.closing.iter().map(|finding| finding.answer);
        let has_front = answers.clone().any(|answer| answer == 2);
        let others = answers.filter(|&answer| answer > 2).count() as f64;
        let by_others = 1.0 - (-other_news * others).exp();
        one.did.groups_with_news += if has_front { 1.0 } else { by_others };
        self.put(begins + held_s, Event::Committed(node));
    }

    fn committed(&mut self, node: usize, now: f64) {
        let closing = std::mem::take(&mut self.nodes[node].closing);
        for finding in closing {
            self.under_way -= 1;
            let host = self.hosts[finding.host];
            self.nodes[node].leases -= usize::from(finding.answer > 1);
            if finding.answer == 2 && host.pages > 1 {
                self.is_ready(finding.host, host.ready.max(now));
            }
        }
        self.nodes[node].is_writing = false;
        if !self.nodes[node].inbox.is_empty() {
            self.gather(node, now);
        }
        self.ask(node, now);
    }

    fn keep(&mut self, node: usize, now: f64) {
        if self.nodes[node].is_ending {
            return;
        }
        let is_drained = self.left == 0 && self.under_way == 0;
        let (next, has_beaten) = self.keeping.step(node, now, is_drained);
        if has_beaten && is_drained {
            // It records its end in a group of its own, and leaves.
            let one = &mut self.nodes[node];
            one.is_ending = true;
            one.did.groups += 1.0;
            let pace_s = groups::pace_s(self.nodes.len() as f64);
            let held_s = groups::held_s(&self.plan.costs, 1.0);
            self.put(now + pace_s + held_s, Event::Leaves(node));
            return;
        }
        self.put(next, Event::Keeps(node));
    }
}

fn micros(seconds: f64) -> u64 {
    (seconds * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::plan::{Crawl, Web};

    fn plan() -> Plan {
        let mut plan = Plan {
            web: Web {
                answer_s: 0.2,
                on_front: 1.0,
                ..Web::default()
            },
            crawl: Crawl {
                connections: 8.0,
                ..Crawl::default()
            },
            ..Plan::default()
        };
        plan.costs.lag_s = 0.0;
        plan.costs.node_cpu_ms = 0.001;
        plan
    }

    #[test]
    fn all_pages_are_fetched_and_each_host_waits_its_delay() {
        let plan = plan();
        let course = course(&plan, &[vec![(9.0, 4.0)], vec![(5.0, 2.0)]]);
        let pages: f64 = course.nodes.iter().map(|did| did.pages).sum();
        assert!((pages - 46.0).abs() < 1e-9);
        // Ten requests to a host, one after the other; the first page's commit is within a delay.
        assert!(
            (course.seconds - (10.0 * 0.2 + 9.0)).abs() < 0.01,
            "{course:?}"
        );
    }

    #[test]
    fn connections_bound_what_hosts_would_allow() {
        let plan = plan();
        let course = course(&plan, &[vec![(9.0, 400.0)]]);
        let requests = 400.0 * 10.0;
        assert!(
            (course.seconds / (requests * 0.2 / 8.0) - 1.0).abs() < 0.02,
            "{course:?}"
        );
    }

    #[test]
    fn answers_that_come_together_are_one_group() {
        let mut plan = plan();
        let shares = [vec![(9.0, 8.0)]];
        let in_step = course(&plan, &shares).nodes[0].groups;
        // The start, the end, and each of ten requests to all hosts.
        assert!((in_step - 12.0).abs() < 1e-9, "{in_step}");
        plan.costs.lag_s = 0.2;
        let apart = course(&plan, &shares).nodes[0].groups;
        assert!(apart > 2.0 * in_step, "{apart}");
    }

    #[test]
    fn a_course_is_the_same_for_the_same_lot() {
        let mut plan = plan();
        plan.costs.lag_s = 0.05;
        let shares = [vec![(9.0, 40.0)], vec![(5.0, 2.0)]];
        let two = [course(&plan, &shares), course(&plan, &shares)];
        assert_eq!(two[0].sent, two[1].sent);
        assert!((two[0].seconds - two[1].seconds).abs() < 1e-12);
    }
}
