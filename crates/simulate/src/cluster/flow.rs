//! The flow itself: what each node does in each step.

use super::figures::{Bound, Messages, Simulated};
use super::groups::{self, Groups};
use super::plan::{HostClass, Plan};

/// Steps in a simulation, about; and how long one may be, seconds.
const STEPS: f64 = 4_000.0;
const STEP_MIN_S: f64 = 0.02;
const STEP_MAX_S: f64 = 60.0;

/// Classes of few hosts are drawn host by host; of more, by the normal distribution.
const DRAWN_ONE_BY_ONE: f64 = 2_000.0;

const DAY_S: f64 = 86_400.0;
const GB: f64 = 1e9;

/// Between two looks of a node at what others admitted, seconds; parts of the web: as in the crawl.
const FOLLOW_S: f64 = 0.25;
const PARTS: f64 = 1_024.0;

/// Simulates a plan.
pub fn simulate(plan: &Plan) -> Simulated {
    let mut flow = Flow::new(plan);
    let mut steps: u64 = 0;
    while !flow.is_done() && flow.seconds < plan.crawl.days * DAY_S {
        flow.step();
        steps += 1;
        // What takes longer than was thought goes on in longer steps.
        if steps.is_multiple_of(STEPS as u64) {
            flow.step_s = (flow.step_s * 2.0).min(STEP_MAX_S);
        }
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
    waited_s: f64,
    peak_waiting: f64,
}

impl<'p> Flow<'p> {
    fn new(plan: &'p Plan) -> Flow<'p> {
        let classes = plan.web.host_classes();
        let count = usize::from(plan.crawl.nodes.max(1));
        let mut lot = Lot(plan.crawl.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
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
            waited_s: 0.0,
            peak_waiting: 0.0,
        }
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
            let per_s = match one.by {
                Bound::Hosts => {
                    let full = (node.findings_per_s * interval_s / groups::GROUP_MAX).ceil();
                    let in_step = (full / interval_s).min(node.findings_per_s);
                    per_s + plan.web.in_step * (in_step - per_s).min(0.0)
                }
                Bound::Connections
                | Bound::Cores
                | Bound::Bandwidth
                | Bound::Order
                | Bound::Store
                | Bound::NothingLeft => per_s,
            };
            let count = per_s * step_s;
            self.groups += count;
            self.waited_s += count * wait_s;
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
        let (web, crawl, costs) = (&self.plan.web, &self.plan.crawl, &self.plan.costs);
        let count = self.nodes.len() as f64;
        let (admitted, kept) = (self.pages * web.urls_per_page, self.kept());
        let message_s = costs.message_ms / 1_000.0;
        let there_s = self.seconds + crawl.idle_s;
        let beats = count * (there_s / (crawl.ttl_s / 5.0 + 2.0 * message_s) + 2.0);
        let follows = count * there_s / (FOLLOW_S + message_s);
        // Each part is taken once, by two messages: its seeds, and what waits in it.
        let calls = count + 2.0 * (self.groups + beats + PARTS) + self.groups_with_news + follows;
        // Of the nodes that do not have the host: how many come upon a URL, in the mean.
        let elsewhere = count - 1.0;
        let come = elsewhere * (1.0 - (1.0 - 1.0 / count).powf(web.links_from_elsewhere));
        let first = (1.0 - web.found_at_home) * elsewhere / count;
        let asked = admitted * (1.0 + (come - first).max(0.0));
        let followed = admitted * first;
        let foreign = kept * elsewhere;
        let rows = asked
            + admitted
            + self.pages
            + kept
            + foreign
            + followed
            // Beats: one row out, a row for each node in, and again with the overview.
            + beats * (1.0 + 2.0 * count);
        let bytes = 19.0 * asked
            + admitted * costs.admitted_bytes
            + self.pages * costs.finished_bytes
            + (kept + foreign) * costs.kept_bytes
            + followed * costs.admitted_bytes
            + follows * (24.0 + 2.0 * PARTS / count)
            + beats * (costs.note_bytes + 2.0 * PARTS / count)
            + count * costs.join_bytes
            + 20.0 * PARTS;
        Messages {
            calls,
            groups: self.groups,
            rows,
            bytes,
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

/// From a node's end to the first request by another: its counter stands still for a lease and a fifth, as
/// the others see with their beats (every fifth of a lease, so half of that later in the mean); they say so
/// with the next beat, have its parts with it or the one behind, and let each host wait its delay.
fn takeover_s(plan: &Plan) -> f64 {
    let beat_s = plan.crawl.ttl_s / 5.0;
    let last_beat = -0.5 * beat_s;
    let seen = 0.5 * beat_s;
    last_beat + seen + plan.crawl.ttl_s + beat_s + beat_s + plan.crawl.delay_s
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
struct Lot(u64);

impl Lot {
    fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
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
        assert!((two / one - 2.0).abs() < 0.01, "{one} {two}");
        assert!(more < 1_000.0 / 1.2 + 1.0, "{more}");
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
            let shares = share_out(&class, 8, &mut Lot(77));
            assert!((shares.iter().sum::<f64>() - hosts).abs() < 1e-6);
            assert_eq!(shares, share_out(&class, 8, &mut Lot(77)));
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
