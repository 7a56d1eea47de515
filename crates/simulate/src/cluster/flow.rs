//! The flow itself: what each node does in each step.

use super::figures::{Bound, Messages, Simulated};
use super::groups::{self, Groups};
use super::keeping::{Sent, Times, standings};
use super::plan::{HostClass, Plan};
use super::requests::{self, Course, Did};

/// Steps in a simulation, about; and how long one may be, seconds.
const STEPS: f64 = 4_000.0;
const STEP_MIN_S: f64 = 0.02;
const STEP_MAX_S: f64 = 60.0;

/// Classes of few hosts are drawn host by host; of more, by the normal distribution.
const DRAWN_ONE_BY_ONE: f64 = 2_000.0;

pub(super) const DAY_S: f64 = 86_400.0;

/// Looks of keepers that are gone through one by one, some seconds of CPU: a crawl of few pages may be a slow one.
const LOOKS_MAX: f64 = 1e7;
const GB: f64 = 1e9;

/// Between two looks of a node at what others admitted, seconds; parts of the web: as in the crawl.
pub(super) const FOLLOW_S: f64 = 0.25;
pub(super) const PARTS: f64 = 1_024.0;

/// Simulates a plan.
pub fn simulate(plan: &Plan) -> Simulated {
    let mut flow = Flow::new(plan);
    let shares = flow.is_small().then(|| flow.shares());
    let mut steps: u64 = 0;
    while !flow.is_done() && flow.seconds < plan.crawl.days * DAY_S {
        flow.step();
        steps += 1;
        // What takes longer than was thought goes on in longer steps.
        if steps.is_multiple_of(STEPS as u64) {
            flow.step_s = (flow.step_s * 2.0).min(STEP_MAX_S);
        }
    }
    let shares = shares.filter(|_| requests::looks(plan, flow.seconds) <= LOOKS_MAX);
    let course = shares.map(|shares| requests::course(plan, &shares));
    if let Some(course) = course.filter(|course| course.seconds < plan.crawl.days * DAY_S) {
        flow.goes(course);
    }
    flow.figures()
}

/// The hosts of one class that one node has.
#[derive(Debug, Clone, Copy)]
struct Share {
    hosts: f64,
    /// Requests that each of them still takes: its pages and robots.txt.
    left: f64,
    /// The share of requests that are for pages.
    pages: f64,
}

/// One node.
#[derive(Debug)]
struct Node {
    shares: Vec<Share>,
    pages: f64,
    cpu_s: f64,
    /// What it did last, findings a second.
    findings_per_s: f64,
}

/// What a step lets a node do.
#[derive(Debug, Clone, Copy)]
struct Allowed {
    /// Requests a second that its hosts would take.
    wanted: f64,
    /// Requests a second.
    allowed: f64,
    by: Bound,
}

struct Flow<'p> {
    plan: &'p Plan,
    nodes: Vec<Node>,
    interval_s: f64,
    step_s: f64,
    seconds: f64,
    pages: f64,
    pages_all: f64,
    most: f64,
    /// Seconds of nodes, by what bounded them.
    bounds: std::collections::BTreeMap<Bound, f64>,
    groups: f64,
    groups_with_news: f64,
    /// Seconds that somebody had the order.
    held_s: f64,
    /// The share of the last step that somebody had it, and for how long each.
    used: f64,
    held_each_s: f64,
    peak_waiting: f64,
    /// What the keepers sent, where the crawl was simulated request by request.
    sent: Option<Sent>,
}

impl<'p> Flow<'p> {
    fn new(plan: &'p Plan) -> Flow<'p> {
        let classes = plan.web.host_classes();
        let count = usize::from(plan.crawl.nodes.max(1));
        let mut lot = Lot::of(plan.crawl.seed);
        let mut nodes: Vec<Node> = (0..count)
            .map(|_| Node {
                shares: Vec::with_capacity(classes.len()),
                pages: 0.0,
                cpu_s: 0.0,
                findings_per_s: 0.0,
            })
            .collect();
        for class in &classes {
            let shares = share_out(class, count, &mut lot);
            for (node, hosts) in nodes.iter_mut().zip(shares) {
                node.shares.push(Share {
                    hosts,
                    left: class.pages + 1.0,
                    pages: class.pages / (class.pages + 1.0),
                });
            }
        }
        let (web, crawl, costs) = (&plan.web, &plan.crawl, &plan.costs);
        let interval_s = crawl.delay_s + web.answer_s + costs.lag_s;
        let longest = classes.iter().map(|class| class.pages + 1.0);
        let longest = longest.fold(0.0, f64::max) * interval_s;
        let pages_all: f64 = classes.iter().map(|class| class.hosts * class.pages).sum();
        let by_connections = pages_all * web.answer_s / (crawl.connections * count as f64);
        let about = longest.max(by_connections).min(crawl.days * DAY_S);
        Flow {
            plan,
            nodes,
            interval_s,
            step_s: (about / STEPS).clamp(STEP_MIN_S, STEP_MAX_S),
            seconds: 0.0,
            pages: 0.0,
            pages_all,
            most: 0.0,
            bounds: std::collections::BTreeMap::new(),
            groups: 0.0,
            groups_with_news: 0.0,
            held_s: 0.0,
            used: 0.0,
            held_each_s: groups::held_s(costs, 1.0),
            peak_waiting: 0.0,
            sent: None,
        }
    }

    /// Whether it is simulated request by request.
    fn is_small(&self) -> bool {
        self.pages_all + self.hosts() <= requests::REQUESTS_MAX
    }

    fn hosts(&self) -> f64 {
        let shares = self.nodes.iter().flat_map(|node| &node.shares);
        shares.map(|share| share.hosts).sum()
    }

    /// Pages of each host, and how many hosts of them, for each node.
    fn shares(&self) -> Vec<Vec<(f64, f64)>> {
        let of = |node: &Node| {
            let shares = node.shares.iter();
            shares
                .map(|share| (share.left - 1.0, share.hosts))
                .collect()
        };
        self.nodes.iter().map(of).collect()
    }

    /// Takes in how the crawl went request by request: of the flow what bounded it is left.
    fn goes(&mut self, course: Course) {
        let sum = |of: fn(&Did) -> f64| course.nodes.iter().map(of).sum::<f64>();
        for (node, did) in self.nodes.iter_mut().zip(&course.nodes) {
            node.cpu_s *= did.pages / node.pages.max(1e-9);
            node.pages = did.pages;
        }
        (self.seconds, self.pages, self.most) = (course.seconds, self.pages_all, course.most);
        (self.groups, self.groups_with_news) =
            (sum(|did| did.groups), sum(|did| did.groups_with_news));
        self.held_s = sum(|did| did.held_s);
        self.held_each_s = self.held_s / self.groups.max(1.0);
        self.sent = Some(course.sent);
    }

    fn is_done(&self) -> bool {
        self.pages >= self.pages_all * (1.0 - 1e-9)
    }

    fn kept(&self) -> f64 {
        self.pages * self.plan.web.kept
    }

    /// CPU of a node for a page, seconds, as many texts are kept by now.
    fn cpu_of_page_s(&self) -> f64 {
        let costs = &self.plan.costs;
        let lookup_s = costs.lookup_us_per_million * self.kept() / 1e6 / 1e6;
        costs.node_cpu_ms / 1_000.0 + lookup_s
    }

    /// What a node may do, if it were alone.
    fn allowed(&self, node: &Node, foreign_cores: f64) -> Allowed {
        let (web, crawl, machine) = (&self.plan.web, &self.plan.crawl, &self.plan.machine);
        let has_left = node.shares.iter().filter(|share| share.left > 0.0);
        let wanted: f64 = has_left.map(|share| share.hosts).sum::<f64>() / self.interval_s;
        let cores = (machine.cores - foreign_cores).max(machine.cores * 0.05);
        let bounds = [
            (Bound::Connections, crawl.connections / web.answer_s),
            (Bound::Cores, cores / self.cpu_of_page_s()),
            (Bound::Bandwidth, machine.mbit * 1e6 / 8.0 / web.page_bytes),
        ];
        let none = (Bound::Hosts, wanted);
        let least = |a: (Bound, f64), b: (Bound, f64)| if b.1 < a.1 { b } else { a };
        let (by, allowed) = bounds.into_iter().fold(none, least);
        let by = if wanted > 0.0 { by } else { Bound::NothingLeft };
        Allowed {
            wanted,
            allowed,
            by,
        }
    }

    fn step(&mut self) {
        let (machine, costs) = (&self.plan.machine, &self.plan.costs);
        let count = self.nodes.len() as f64;
        let last: f64 = self.nodes.iter().map(|node| node.findings_per_s).sum();
        let foreign = last * self.plan.web.kept * (count - 1.0) / count;
        let foreign_cores = foreign * costs.foreign_us / 1e6;
        let mut allowed: Vec<Allowed> = (self.nodes.iter())
            .map(|node| self.allowed(node, foreign_cores))
            .collect();
        let all: f64 = allowed.iter().map(|one| one.allowed).sum();
        let by_store = machine.store_cores / (costs.store_cpu_ms / 1_000.0);
        let by_order = groups::order_max(costs);
        let (most, by) = match by_order < by_store {
            true => (by_order, Bound::Order),
            false => (by_store, Bound::Store),
        };
        if all > most {
            for one in allowed.iter_mut().filter(|one| one.wanted > 0.0) {
                one.allowed *= most / all;
                one.by = by;
            }
        }
        self.advance(&allowed, foreign_cores);
    }

    /// Lets the time of a step pass.
    fn advance(&mut self, allowed: &[Allowed], foreign_cores: f64) {
        let (step_s, interval_s, cpu_s) = (self.step_s, self.interval_s, self.cpu_of_page_s());
        let plan = self.plan;
        let pace_s = groups::pace_s(self.nodes.len() as f64);
        let (mut pages, mut used, mut held, mut groups_now) = (0.0, 0.0, 0.0, 0.0);
        for (node, one) in self.nodes.iter_mut().zip(allowed) {
            *self.bounds.entry(one.by).or_default() += step_s;
            if one.wanted <= 0.0 {
                node.findings_per_s = 0.0;
                continue;
            }
            let each = one.allowed / one.wanted * step_s / interval_s;
            let (mut done, mut asked) = (0.0, 0.0);
            for share in node.shares.iter_mut().filter(|share| share.left > 0.0) {
                let requests = share.hosts * each.min(share.left);
                asked += requests;
                done += requests * share.pages;
                share.left -= each;
            }
            node.pages += done;
            node.cpu_s += done * cpu_s + foreign_cores * step_s;
            node.findings_per_s = asked / step_s;
            pages += done;
            // A group waits for those of others alone.
            let others = self.used - node_used(node, pace_s, self.held_each_s);
            let wait_s = groups::wait_s(others.max(0.0), self.held_each_s);
            let Groups { per_s, held_s } =
                groups::groups(node.findings_per_s, pace_s, wait_s, &plan.costs);
            let count = per_s * step_s;
            self.groups += count;
            // URLs that are new come with pages: of a group without any, none is offered.
            let news = done * plan.web.urls_per_page / count.max(1e-12);
            self.groups_with_news += count * (1.0 - (-news).exp());
            used += per_s * held_s;
            held += count * held_s;
            groups_now += count;
        }
        self.held_s += held;
        self.held_each_s = match groups_now > 0.0 {
            true => held / groups_now,
            false => self.held_each_s,
        };
        self.used = (self.used + used.min(1.0)) / 2.0;
        self.pages += pages;
        self.most = self.most.max(pages / step_s);
        let known = self.pages_all.min(self.pages) * plan.web.urls_per_page;
        self.peak_waiting = self.peak_waiting.max(known - self.pages);
        self.seconds += step_s;
    }

    fn figures(self) -> Simulated {
        let plan = self.plan;
        let (web, crawl, machine, costs) = (&plan.web, &plan.crawl, &plan.machine, &plan.costs);
        let count = self.nodes.len() as f64;
        let seconds = self.seconds.max(1e-9);
        let (admitted, kept) = (self.pages * web.urls_per_page, self.kept());
        let largest = self.nodes.iter().map(|node| node.pages).fold(0.0, f64::max);
        let foreign = kept * (count - 1.0) / count;
        let waiting = self.peak_waiting.max(0.0) / count;
        let memory_gb =
            (costs.memory_base + waiting * costs.memory_per_url + kept * costs.memory_per_kept)
                / GB;
        let disk_gb = (largest * costs.disk_per_page + foreign * costs.disk_per_foreign) / GB;
        let store_gb = (admitted * costs.admitted_stored
            + self.pages * costs.finished_stored
            + kept * costs.kept_stored)
            / GB;
        let months = (seconds / DAY_S / 30.0).max(1.0 / 720.0);
        let prices = &plan.prices;
        let cost = months
            * (count * prices.node_month
                + prices.store_month * f64::from(u8::from(crawl.nodes > 1))
                + self.pages * costs.disk_per_page / GB * prices.object_gb_month);
        let total: f64 = self.bounds.values().sum();
        let bounds = self.bounds.iter().map(|(by, s)| (*by, s / total.max(1e-9)));
        let pages_per_s = self.pages / seconds;
        let mut too_small = Vec::new();
        let mut compare = |what: &str, needed: f64, has: f64| {
            if needed > has {
                too_small.push(format!(
                    "{what}: {needed:.0} GB are needed, {has:.0} are there"
                ));
            }
        };
        compare("memory of a node", memory_gb, machine.memory_gb);
        compare("disk of a node", disk_gb, machine.disk_gb);
        Simulated {
            nodes: crawl.nodes,
            pages: self.pages,
            is_done: self.is_done(),
            seconds,
            pages_per_s,
            pages_per_s_most: self.most,
            bounds: bounds.collect(),
            memory_gb,
            disk_gb,
            cores: self.nodes.iter().map(|node| node.cpu_s).sum::<f64>() / count / seconds,
            store_cores: pages_per_s * costs.store_cpu_ms / 1_000.0,
            store_gb,
            log_gb_day: pages_per_s * DAY_S * costs.log_bytes / GB,
            order_used: (self.held_s / seconds).min(1.0),
            node_skew: largest / (self.pages / count).max(1e-9),
            messages: self.messages(),
            takeover_s: takeover_s(plan),
            refetched: self.refetched(),
            cost,
            cost_per_million: cost / (self.pages / 1e6).max(1e-9),
            too_small,
        }
    }

    fn messages(&self) -> Messages {
        let (web, costs) = (&self.plan.web, &self.plan.costs);
        let count = self.nodes.len() as f64;
        let (admitted, kept) = (self.pages * web.urls_per_page, self.kept());
        let sent = self.sent.unwrap_or_else(|| self.sent());
        // Each node joins and looks at the crawl before it; a sign of life looks at it too.
        let calls = 2.0 * count
            + 2.0 * self.groups
            + self.groups_with_news
            + 2.0 * sent.beats
            + sent.farewells
            + sent.follows
            + sent.standings;
        // Of the nodes that do not have the host: how many come upon a URL, in the mean.
        let elsewhere = count - 1.0;
        let come = elsewhere * (1.0 - (1.0 - 1.0 / count).powf(web.links_from_elsewhere));
        let first = (1.0 - web.found_at_home) * elsewhere / count;
        let asked = admitted * (1.0 + (come - first).max(0.0));
        let followed = admitted * first;
        let foreign = kept * elsewhere;
        let late = self.hosts() * sent.came_late / PARTS;
        let rows = asked
            + admitted
            + self.pages
            + kept
            + foreign
            + followed
            + late
            // Beats: one row out, a row for each node in, and again with the overview.
            + sent.beats
            + 2.0 * sent.nodes_told;
        let bytes = 19.0 * asked
            + admitted * costs.admitted_bytes
            + self.pages * costs.finished_bytes
            + (kept + foreign) * costs.kept_bytes
            + followed * costs.admitted_bytes
            + 24.0 * sent.follows
            + costs.note_bytes * (sent.beats + sent.farewells)
            + 2.0 * sent.parts_named
            + 14.0 * late
            + count * costs.join_bytes;
        Messages {
            calls,
            groups: self.groups,
            rows,
            bytes,
        }
    }

    /// What the keepers of a long crawl send: all have joined and found their parts at once.
    fn sent(&self) -> Sent {
        let crawl = &self.plan.crawl;
        let count = self.nodes.len() as f64;
        let there_s = self.seconds + crawl.idle_s;
        let times = Times::of(self.plan);
        let beats = count * (there_s / (times.between_s + times.beats_s) + 2.0);
        let follows = count * there_s / (FOLLOW_S + times.message_s);
        Sent {
            beats,
            farewells: count,
            follows,
            standings: count * standings(PARTS / count),
            nodes_told: beats * count,
            parts_named: PARTS / count * (beats + follows) + PARTS,
            came_late: 0.0,
        }
    }

    /// Under way when a node is lost: answers that come, and findings that wait for their group.
    fn refetched(&self) -> f64 {
        let each = self.most / self.nodes.len() as f64;
        let pace_s = groups::pace_s(self.nodes.len() as f64);
        each * (self.plan.web.answer_s + pace_s + self.held_each_s)
    }
}

/// How much of the time a node has the order, roughly: what others do not wait for.
fn node_used(node: &Node, pace_s: f64, held_s: f64) -> f64 {
    let per_s = node.findings_per_s.min(1.0 / (pace_s + held_s));
    per_s * held_s
}

/// From a node's end to the first request by another. Its counter stands still for a lease and a fifth, as the
/// others see with their beats; when they saw it first and when it beat last are as far from its end in the
/// mean. They say so with the next beat, which gives them its parts; their writer gathers what else there is,
/// asks what stands in them, and lets each host wait its delay.
fn takeover_s(plan: &Plan) -> f64 {
    let (ttl_s, costs) = (plan.crawl.ttl_s, &plan.costs);
    let times = Times::of(plan);
    let beat_s = times.between_s + times.beats_s;
    let looks = (1.2 * ttl_s / beat_s).ceil();
    let writer_s = groups::pace_s(f64::from(plan.crawl.nodes)) + times.message_s;
    (looks + 1.0) * beat_s + times.beats_s + writer_s + plan.crawl.delay_s + costs.lag_s
}

/// How many hosts of a class fall to each node.
fn share_out(class: &HostClass, nodes: usize, lot: &mut Lot) -> Vec<f64> {
    let mut shares = vec![0.0; nodes];
    if class.hosts <= DRAWN_ONE_BY_ONE {
        for _ in 0..class.hosts.round() as u64 {
            shares[(lot.draw() % nodes as u64) as usize] += 1.0;
        }
        return shares;
    }
    let mut left = class.hosts;
    for (at, share) in shares.iter_mut().enumerate() {
        let part = 1.0 / (nodes - at) as f64;
        let deviation = (left * part * (1.0 - part)).sqrt();
        let hosts = (left * part + deviation * lot.normal()).clamp(0.0, left);
        *share = if at + 1 == nodes { left } else { hosts };
        left -= *share;
    }
    shares
}

/// Numbers that look drawn by lot, the same for a seed.
#[derive(Debug)]
pub(super) struct Lot(u64);

impl Lot {
    pub(super) fn of(seed: u64) -> Lot {
        Lot(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// From 0 to 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.draw() % (1 << 32)) as f64 / (1_u64 << 32) as f64
    }

    /// Of the normal distribution: a sum of twelve is near enough.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::plan::{Crawl, Web};

    fn plan(hosts: f64, pages: f64, nodes: u16) -> Plan {
        Plan {
            web: Web {
                classes: vec![HostClass { hosts, pages }],
                answer_s: 0.2,
                ..Web::default()
            },
            crawl: Crawl {
                nodes,
                connections: 1_000.0,
                ..Crawl::default()
            },
            ..Plan::default()
        }
    }

    #[test]
    fn hosts_bound_a_crawl_that_has_all_else() {
        let plan = plan(64.0, 99.0, 4);
        let simulated = simulate(&plan);
        assert!(simulated.is_done);
        assert!((simulated.pages / 6_336.0 - 1.0).abs() < 1e-6);
        // A hundred requests to each host, one after the other.
        let expected = 100.0 * (1.0 + 0.2 + plan.costs.lag_s);
        let off = simulated.seconds / expected - 1.0;
        assert!(off.abs() < 0.01, "{} against {expected}", simulated.seconds);
        assert!(simulated.bounds[&Bound::Hosts] > 0.9);
    }

    #[test]
    fn twice_the_connections_are_twice_as_fast_until_hosts_bound() {
        let speed = |connections: f64| {
            let mut plan = plan(1_000.0, 50.0, 1);
            plan.crawl.connections = connections;
            simulate(&plan).pages_per_s_most
        };
        let (one, two, more) = (speed(8.0), speed(16.0), speed(10_000.0));
        assert!((two / one - 2.0).abs() < 0.02, "{one} {two}");
        // Ten seconds have nine rounds of requests in step at most, where 8.3 are the mean.
        assert!(more < 1_000.0 * 0.9 + 1.0, "{more}");
    }

    #[test]
    fn the_order_bounds_what_all_nodes_do_together() {
        let mut plan = plan(1e6, 1_000.0, 64);
        plan.machine.cores = 64.0;
        plan.machine.store_cores = 1e4;
        plan.crawl.connections = 1e5;
        plan.crawl.days = 0.5;
        let simulated = simulate(&plan);
        let most = groups::order_max(&plan.costs);
        assert!((simulated.pages_per_s_most / most - 1.0).abs() < 0.01);
        assert!(simulated.bounds[&Bound::Order] > 0.9, "{simulated:?}");
        assert!(!simulated.is_done);
    }

    #[test]
    fn all_hosts_fall_to_somebody_and_the_same_for_the_same_lot() {
        for hosts in [7.0, 1_999.0, 50_000.0] {
            let class = HostClass { hosts, pages: 1.0 };
            let shares = share_out(&class, 8, &mut Lot::of(77));
            assert!((shares.iter().sum::<f64>() - hosts).abs() < 1e-6);
            assert_eq!(shares, share_out(&class, 8, &mut Lot::of(77)));
        }
        assert_eq!(simulate(&plan(64.0, 9.0, 3)), simulate(&plan(64.0, 9.0, 3)));
    }

    #[test]
    fn what_does_not_fit_a_machine_is_told() {
        let mut plan = plan(1e7, 100.0, 8);
        plan.crawl.days = 30.0;
        let simulated = simulate(&plan);
        assert!(
            simulated
                .too_small
                .iter()
                .any(|said| said.contains("memory"))
        );
        plan.machine.memory_gb = 1e5;
        plan.machine.disk_gb = 1e5;
        assert_eq!(simulate(&plan).too_small, Vec::<String>::new());
    }
}
