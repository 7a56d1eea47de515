//! `tamis simulate cluster` held against crawls of real node processes.
//!
//! Each web begins with a gate that leads to all hosts once the nodes have had time to share them out.
//! What the simulation is told is how the web is made and what was measured of one node; what it says of
//! several is compared with what their ledger and the web's server saw.
//!
//! A small web and two nodes usually. `TAMIS_SIMULATED=1,2,4,8` asks for these numbers of nodes over four
//! shapes of web, or over those that `TAMIS_SHAPES` names, and prints what was seen and what is simulated;
//! `TAMIS_BINARY` names another build of the program to run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;
use simulate::cluster::{Costs, Crawl, HostClass, Plan, Web, simulate};
use testweb::TestWeb;

use crate::nodes_support::{Nodes, Plan as NodesPlan, lot, wait_for_requests};
use crate::postgres::Cluster;
use crate::support::{page, run, stdout, tamis};

const TTL_S: f64 = 5.0;
const GATE_S: f64 = 3.0;

/// Messages by kind; `held` is none, but how long groups had the order.
const KINDS: [&str; 13] = [
    "join", "overview", "beat", "follow", "standing", "pending", "roots", "ended", "begin", "open",
    "reopen", "close", "held",
];

/// A web as it is made.
#[derive(Clone)]
struct Shape {
    name: &'static str,
    /// Pages of each host, its front among them.
    hosts: Vec<u64>,
    /// Links of a page to pages of other hosts.
    cross: u64,
    /// Of ten texts so many stand on all hosts.
    copies: u64,
    answer_s: f64,
    delay_s: f64,
    connections: usize,
}

impl Shape {
    /// Sixty-four hosts alike, bound by their delays when there are connections enough.
    fn even() -> Shape {
        Shape {
            name: "even",
            hosts: vec![21; 64],
            cross: 0,
            copies: 0,
            answer_s: 0.2,
            delay_s: 1.0,
            connections: 8,
        }
    }

    /// A few hosts have most of the pages.
    fn skewed() -> Shape {
        Shape {
            name: "skewed",
            hosts: (1..=40).map(|rank| (60 / rank).max(2)).collect(),
            cross: 2,
            copies: 0,
            answer_s: 0.1,
            delay_s: 0.5,
            connections: 16,
        }
    }

    /// Many small hosts with copies of each other, which lead to each other.
    fn copies() -> Shape {
        Shape {
            name: "copies",
            hosts: vec![7; 120],
            cross: 3,
            copies: 5,
            answer_s: 0.3,
            delay_s: 1.0,
            connections: 8,
        }
    }

    /// Bound by the nodes' connections, with hosts enough for eight nodes.
    fn wide() -> Shape {
        Shape {
            name: "wide",
            hosts: vec![5; 160],
            cross: 0,
            copies: 0,
            answer_s: 1.6,
            delay_s: 1.0,
            connections: 8,
        }
    }

    /// Hosts enough for eight nodes at full speed: `even` with 64 hosts for each of eight nodes.
    fn room() -> Shape {
        Shape {
            name: "room",
            hosts: vec![12; 512],
            ..Shape::even()
        }
    }

    /// The same at a quarter of the speed, which two cores can serve.
    fn room_for_two() -> Shape {
        Shape {
            name: "room for two connections",
            hosts: vec![6; 256],
            connections: 2,
            ..Shape::even()
        }
    }

    /// Quickly crawled.
    fn small() -> Shape {
        Shape {
            name: "small",
            hosts: vec![9; 16],
            cross: 1,
            copies: 3,
            answer_s: 0.1,
            delay_s: 0.4,
            connections: 8,
        }
    }

    fn pages(&self) -> u64 {
        self.hosts.iter().sum()
    }

    /// The number of a page's text; the same for copies.
    fn text(&self, host: u64, n: u64) -> u64 {
        match n > 0 && n % 10 < self.copies {
            true => 1_000_000 + n,
            false => 1_000 * (host + 1) + n,
        }
    }

    fn texts(&self) -> usize {
        let mut texts = BTreeSet::new();
        for (host, pages) in self.hosts.iter().enumerate() {
            texts.extend((0..*pages).map(|n| self.text(host as u64, n)));
        }
        texts.len()
    }

    fn web(&self) -> TestWeb {
        let mut lots = 0x5eed_0003;
        let count = self.hosts.len() as u64;
        let url = |host: u64, n: u64| match n {
            0 => format!("http://m{host}.test/"),
            n => format!("http://m{host}.test/p{n}.html"),
        };
        let fronts: Vec<String> = (0..count).map(|host| url(host, 0)).collect();
        let mut web = TestWeb::new().page("http://gate.test/", &page("Gate", 1, &fronts));
        for (host, pages) in self.hosts.iter().enumerate() {
            let host = host as u64;
            for n in 0..*pages {
                let mut links: Vec<String> = match n {
                    0 => (1..*pages).map(|n| url(host, n)).collect(),
                    _ => Vec::new(),
                };
                for _ in 0..self.cross {
                    let other = lot(&mut lots) % count;
                    links.push(url(other, lot(&mut lots) % self.hosts[other as usize]));
                }
                let text = self.text(host, n);
                web = web.page(&url(host, n), &page(&format!("Text {text}"), text, &links));
            }
            let latency = Duration::from_secs_f64(self.answer_s);
            web = web.latency(&format!("m{host}.test"), latency);
        }
        web.latency("gate.test", Duration::from_secs_f64(GATE_S))
    }

    fn nodes_plan(&self) -> NodesPlan {
        let hosts = (0..self.hosts.len()).map(|host| format!("m{host}.test"));
        NodesPlan {
            hosts: hosts.chain(["gate.test".into()]).collect(),
            seed: "http://gate.test/".into(),
            more: String::new(),
            delay_ms: (self.delay_s * 1_000.0) as u64,
            concurrency: self.connections,
        }
    }

    /// What the simulation is told of it.
    fn plan(&self, nodes: u16, costs: &Costs) -> Plan {
        let pages = self.pages() as f64;
        let mut classes: Vec<HostClass> = Vec::new();
        for &pages in &self.hosts {
            let pages = pages as f64;
            match classes.iter_mut().find(|class| class.pages == pages) {
                Some(class) => class.hosts += 1.0,
                None => classes.push(HostClass { hosts: 1.0, pages }),
            }
        }
        let mut plan = Plan {
            web: Web {
                classes,
                on_front: 1.0,
                answer_s: self.answer_s,
                urls_per_page: 1.0,
                links_from_elsewhere: self.cross as f64,
                found_at_home: 1.0 - self.hosts.len() as f64 / pages,
                kept: self.texts() as f64 / pages,
                ..Web::default()
            },
            crawl: Crawl {
                nodes,
                delay_s: self.delay_s,
                connections: self.connections as f64,
                ttl_s: TTL_S,
                // The gate and its robots.txt.
                idle_s: 2.0 * GATE_S + self.delay_s,
                ..Crawl::default()
            },
            costs: costs.clone(),
            ..Plan::default()
        };
        plan.machine.cores = 2.0 / f64::from(nodes);
        plan
    }
}

/// What was seen of a crawl.
#[derive(Debug)]
struct Real {
    pages_per_s: f64,
    /// From the first tenth of the requests to six tenths of them, while all nodes have work.
    pages_per_s_midway: f64,
    calls: f64,
    groups: f64,
    rows: f64,
    bytes: f64,
    held_ms: f64,
    round_trips: f64,
    node_cpu_ms: f64,
    store_cpu_ms: f64,
    log_bytes: f64,
    pages_per_group: f64,
    /// Between two requests to a host, beyond its delay and its answer, the median.
    lag_s: f64,
    follow_ms: f64,
    beat_ms: f64,
    /// How long answers took, as the nodes saw it.
    answer_s: f64,
    admitted_bytes: f64,
    kept_bytes: f64,
    note_bytes: f64,
    join_bytes: f64,
}

impl Real {
    /// Costs as they were measured of this crawl.
    fn costs(&self) -> Costs {
        let usual = Costs::default();
        let by_pages = usual.group_page_ms * self.pages_per_group;
        Costs {
            lag_s: self.lag_s,
            group_ms: (self.held_ms - by_pages).max(1.0),
            message_ms: self.follow_ms,
            beat_ms: self.beat_ms,
            node_cpu_ms: self.node_cpu_ms,
            admitted_bytes: self.admitted_bytes,
            kept_bytes: self.kept_bytes,
            note_bytes: self.note_bytes,
            join_bytes: self.join_bytes,
            ..usual
        }
    }
}

/// Requests a second, from the first tenth of them to six tenths.
fn midway(times: impl Iterator<Item = Duration>) -> f64 {
    let mut times: Vec<f64> = times.map(|time| time.as_secs_f64()).collect();
    times.sort_by(f64::total_cmp);
    let at = |tenths: usize| times[times.len() * tenths / 10];
    times.len() as f64 / 2.0 / (at(6) - at(1)).max(1e-9)
}

/// The median of the gaps between requests to one host, from an answer's end.
fn gap_s(log: &[testweb::LogEntry]) -> f64 {
    let mut hosts: BTreeMap<&str, Vec<(Duration, Duration)>> = BTreeMap::new();
    for entry in log.iter().filter(|entry| entry.host != "gate.test") {
        let times = hosts.entry(&entry.host).or_default();
        times.push((entry.started, entry.ended));
    }
    let mut gaps: Vec<f64> = Vec::new();
    for times in hosts.values_mut() {
        times.sort();
        let pairs = times.windows(2);
        gaps.extend(pairs.map(|two| two[1].0.saturating_sub(two[0].1).as_secs_f64()));
    }
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).copied().unwrap_or_default()
}

/// CPU seconds of processes that were waited for.
fn children_cpu_s() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let fields = fields.split_whitespace().collect::<Vec<_>>();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    (ticks(13).unwrap_or(0.0) + ticks(14).unwrap_or(0.0)) / 100.0
}

/// CPU seconds of all processes of PostgreSQL here, those that have ended in their parents' sums.
fn store_cpu_s() -> f64 {
    let mut sum = 0.0;
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        if let Some((head, rest)) = text.rsplit_once(')')
            && head.ends_with("(postgres")
        {
            let fields = rest.split_whitespace().collect::<Vec<_>>();
            let ticks = (11..15).filter_map(|at| fields.get(at)?.parse::<f64>().ok());
            sum += ticks.sum::<f64>() / 100.0;
        }
    }
    sum
}

fn log_position(cluster: &Cluster) -> f64 {
    let text = "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint";
    cluster
        .primary
        .sql("postgres", text)
        .trim()
        .parse()
        .unwrap_or(0.0)
}

/// How long the hosts' answers took, as the nodes saw it, in the mean.
fn answer_s(nodes: &Nodes, names: &[&str]) -> f64 {
    let rows = names
        .iter()
        .flat_map(|name| nodes.bench.rows(name, "fetches"));
    let answers: Vec<f64> = rows
        .filter(|row| row["host"] != "gate.test")
        .filter_map(|row| row["ms"].as_f64())
        .collect();
    answers.iter().sum::<f64>() / 1_000.0 / answers.len().max(1) as f64
}

/// What all nodes said to the ledger.
struct Said(Value);

impl Said {
    fn of(nodes: &Nodes) -> Said {
        let status = ["cluster", "status", &nodes.config, "--json"];
        let status = stdout(&run(&mut tamis(&status)));
        Said(serde_json::from_str(&status).expect("JSON"))
    }

    /// A figure of messages of some kinds, or with none named of all.
    fn sum(&self, kinds: &[&str], figure: &str) -> f64 {
        let mut sum = 0.0;
        for node in self.0["nodes"].as_array().expect("nodes") {
            // An older build, whose times are measured, tells of no messages.
            let kinds_told = node["note"]["messages"].as_object();
            for (kind, messages) in kinds_told.into_iter().flatten() {
                if kinds.is_empty() && kind != "held" || kinds.contains(&kind.as_str()) {
                    sum += messages[figure].as_f64().unwrap_or(0.0);
                }
            }
        }
        sum
    }

    fn show(&self) {
        let kinds = |figures: &[&str]| -> BTreeMap<&str, f64> {
            let told = KINDS.iter().map(|&kind| {
                let each = figures.iter().map(|figure| self.sum(&[kind], figure));
                (kind, each.sum::<f64>())
            });
            told.filter(|(_, count)| *count > 0.0).collect()
        };
        println!(
            "calls {:?}; rows {:?}; bytes {:?}; ms {:?}",
            kinds(&["calls"]),
            kinds(&["rows_out", "rows_in"]),
            kinds(&["bytes_out", "bytes_in"]),
            kinds(&["ms"]),
        );
    }
}

fn crawl(cluster: &Cluster, shape: &Shape, count: u16) -> Real {
    let nodes = Nodes::on(cluster, shape.web(), &shape.nodes_plan());
    let names: Vec<String> = (1..=count).map(|number| format!("s{number}")).collect();
    let before = (children_cpu_s(), store_cpu_s(), log_position(cluster));
    let mut running: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), nodes.start(name)))
        .collect();
    nodes.end(&mut running);
    let after = (children_cpu_s(), store_cpu_s(), log_position(cluster));
    let refs: Vec<&str> = names.iter().map(String::as_str).collect();
    let pages = nodes.fates(&refs).len() as f64;
    assert_eq!(pages as u64, shape.pages() + 1);
    assert_eq!(nodes.texts(&refs).len(), shape.texts() + 1, "texts kept");
    nodes.is_polite();
    let log = nodes.bench.web.log();
    let of_hosts = || log.iter().filter(|entry| entry.host != "gate.test");
    let first = of_hosts()
        .map(|entry| entry.started)
        .min()
        .expect("a request");
    let last = of_hosts()
        .map(|entry| entry.started)
        .max()
        .expect("a request");
    let said = Said::of(&nodes);
    said.show();
    let sum = |kinds: &[&str], figure: &str| said.sum(kinds, figure);
    let groups = sum(&["held"], "calls").max(1.0);
    let ends = 38.0 * sum(&["held"], "rows_out");
    let each = |of: f64, count: f64| of / count.max(1.0);
    Real {
        pages_per_s: shape.pages() as f64 / ((last - first).as_secs_f64() + shape.answer_s),
        pages_per_s_midway: midway(of_hosts().map(|entry| entry.started)),
        calls: sum(&[], "calls"),
        groups,
        rows: sum(&[], "rows_out") + sum(&[], "rows_in"),
        bytes: sum(&[], "bytes_out") + sum(&[], "bytes_in"),
        held_ms: sum(&["held"], "ms") / groups,
        pages_per_group: pages / groups,
        lag_s: (gap_s(&log) - shape.delay_s).max(0.0),
        answer_s: answer_s(&nodes, &refs),
        follow_ms: each(sum(&["follow"], "ms"), sum(&["follow"], "calls")),
        beat_ms: each(sum(&["beat", "overview"], "ms"), sum(&["beat"], "calls")),
        admitted_bytes: each(sum(&["open"], "bytes_out"), sum(&["open"], "rows_out")),
        note_bytes: each(sum(&["beat"], "bytes_out"), sum(&["beat"], "calls")),
        join_bytes: each(sum(&["join"], "bytes_out"), sum(&["join"], "calls")),
        kept_bytes: each(sum(&["close"], "bytes_out") - ends, shape.texts() as f64),
        // A close is two flights: the group's end, and its commit.
        round_trips: (sum(&["begin", "open", "reopen"], "calls") + 2.0 * groups) / groups,
        node_cpu_ms: (after.0 - before.0) * 1_000.0 / pages,
        store_cpu_ms: (after.1 - before.1) * 1_000.0 / pages,
        log_bytes: (after.2 - before.2) / pages,
    }
}

/// Lots by which hosts fall to nodes, of which the mean is compared.
const LOTS: u64 = 9;

/// What is simulated of a plan, in the mean of several lots: pages a second, messages, groups, rows, bytes.
fn simulated_of(plan: &Plan) -> [f64; 5] {
    let mut sums = [0.0; 5];
    for lot in 1..=LOTS {
        let mut plan = plan.clone();
        plan.crawl.seed = lot;
        let one = simulate(&plan);
        let said = one.messages;
        let figures = [
            one.pages_per_s,
            said.calls,
            said.groups,
            said.rows,
            said.bytes,
        ];
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum += figure / LOTS as f64;
        }
    }
    sums
}

/// How far the simulation is from what was seen, as a share of that.
fn off(simulated: f64, real: f64) -> f64 {
    simulated / real - 1.0
}

/// The distances: pages a second, messages, groups, rows, bytes.
fn distances_of(simulated: [f64; 5], real: &Real) -> [(&'static str, f64); 5] {
    let [pages_per_s, calls, groups, rows, bytes] = simulated;
    [
        ("pages/s", off(pages_per_s, real.pages_per_s)),
        ("messages", off(calls, real.calls)),
        ("groups", off(groups, real.groups)),
        ("rows", off(rows, real.rows)),
        ("bytes", off(bytes, real.bytes)),
    ]
}

/// Crawls, and simulates the same with costs as they were measured of another crawl.
fn compare(
    cluster: &Cluster,
    (shape, count): (&Shape, u16),
    costs: &Costs,
) -> [(&'static str, f64); 5] {
    let real = crawl(cluster, shape, count);
    let mut plan = shape.plan(count, costs);
    let simulated = simulated_of(&plan);
    // The same, told how long answers, messages and groups took here: what is left is the model's own error.
    plan.costs = real.costs();
    plan.web.answer_s = real.answer_s;
    plan.costs.lag_s = costs.lag_s;
    let told = distances_of(simulated_of(&plan), &real);
    let distances = distances_of(simulated, &real);
    let show = |distances: [(&'static str, f64); 5]| {
        let shown = distances.map(|(name, off)| format!("{name} {:+.1} %", off * 100.0));
        shown.join(", ")
    };
    println!(
        "{} {count}: {:.1} pages/s ({:.1} simulated; {:.1} midway), {:.0} messages, {:.0} groups, {:.0} rows, {:.0} bytes; {}; told the \
         times of this run: {}; answers {:.2} s, \
         held {:.1} ms, {:.2} round trips a group, node CPU {:.1} ms a page, store CPU {:.2} ms, log {:.0} B",
        shape.name,
        real.pages_per_s,
        simulated[0],
        real.pages_per_s_midway,
        real.calls,
        real.groups,
        real.rows,
        real.bytes,
        show(distances),
        show(told),
        real.answer_s,
        real.held_ms,
        real.round_trips,
        real.node_cpu_ms,
        real.store_cpu_ms,
        real.log_bytes,
    );
    assert!(real.round_trips <= 4.0, "{} round trips", real.round_trips);
    distances
}

fn asked() -> Vec<u16> {
    let told = std::env::var("TAMIS_SIMULATED").unwrap_or_default();
    told.split(',')
        .filter_map(|text| text.parse().ok())
        .collect()
}

/// Rows follow from the web alone, and are held closely; what follows from the clock (bytes too, by the signs of
/// life) is held as loosely as a busy machine needs it here, and closely in the long run.
#[test]
fn a_simulated_crawl_is_near_the_real_one() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let counts = asked();
    if counts.is_empty() {
        let costs = crawl(cluster, &Shape::small(), 1).costs();
        for (what, off) in compare(cluster, (&Shape::small(), 2), &costs) {
            let is_near = match what {
                "rows" => off.abs() <= 0.15,
                // Other tests on the same cores make groups few and large: of three runs beside them two had a
                // quarter of what is simulated.
                "groups" => (0.3..=8.0).contains(&(1.0 + off)),
                _ => (0.3..=3.5).contains(&(1.0 + off)),
            };
            assert!(is_near, "{what} is {:+.0} % off", off * 100.0);
        }
        return;
    }
    // Costs are those of another web than the simulation is held against.
    let measured = crawl(cluster, &Shape::small(), 1);
    println!("measured of one node: {measured:?}");
    let costs = measured.costs();
    let mut missed = Vec::new();
    let named = std::env::var("TAMIS_SHAPES").unwrap_or("even,skewed,copies,wide".into());
    let is_named = |shape: &Shape| named.split(',').any(|name| name == shape.name);
    let shapes = [
        Shape::even(),
        Shape::skewed(),
        Shape::copies(),
        Shape::wide(),
        Shape::room(),
        Shape::room_for_two(),
    ];
    for shape in shapes.into_iter().filter(is_named) {
        for &count in &counts {
            for (what, off) in compare(cluster, (&shape, count), &costs) {
                let most = if what == "pages/s" { 0.15 } else { 0.05 };
                if off.abs() > most {
                    missed.push(format!(
                        "{} {count} {what} {:+.1} %",
                        shape.name,
                        off * 100.0
                    ));
                }
            }
        }
    }
    println!("beyond the bars: {}", missed.join("; "));
    // What is beyond a bar is shown, and told in the documents; far beyond it the model is wrong.
    let far: Vec<_> = missed
        .iter()
        .filter(|said| said.contains(" rows "))
        .collect();
    assert!(far.len() <= 2 * counts.len(), "{missed:?}");
}

/// From a node's end to the first request of another to one of its hosts.
#[test]
fn a_takeover_takes_about_as_long_as_it_is_simulated() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let mut shape = Shape::small();
    shape.hosts = vec![40; 16];
    let nodes = Nodes::on(cluster, shape.web(), &shape.nodes_plan());
    let names = ["o1", "o2"];
    let [mut first, mut second] = names.map(|name| nodes.start(name));
    wait_for_requests(&nodes, 120);
    let began = nodes.bench.web.log();
    first.kill().expect("kill -9");
    first.wait().expect("it ends");
    let killed = Instant::now();
    let at = nodes
        .bench
        .web
        .log()
        .iter()
        .map(|entry| entry.started)
        .max();
    let at = at.expect("requests were made");
    let own: BTreeSet<String> = (nodes.bench.pages(names[0]).iter())
        .filter_map(|(url, _)| Some(url.strip_prefix("http://")?.split('/').next()?.to_owned()))
        .filter(|host| host != "gate.test")
        .collect();
    assert!(!own.is_empty() && !began.is_empty(), "it had hosts");
    let simulated = simulate(&shape.plan(2, &Costs::default())).takeover_s;
    let seen = loop {
        let log = nodes.bench.web.log();
        // What was under way when it was killed began before.
        let again = log.iter().filter(|entry| {
            own.contains(&entry.host) && entry.started > at + Duration::from_millis(500)
        });
        if let Some(entry) = again.map(|entry| entry.started).min() {
            break (entry - at).as_secs_f64();
        }
        assert!(killed.elapsed() < Duration::from_secs(60), "no takeover");
        std::thread::sleep(Duration::from_millis(50));
    };
    println!(
        "takeover: {seen:.2} s, {simulated:.2} s simulated ({:+.0} %)",
        off(simulated, seen) * 100.0
    );
    // The bar of a lease, and the simulation as loosely as a busy machine needs it.
    assert!(seen < TTL_S + 10.0, "{seen}");
    assert!(off(simulated, seen).abs() < 0.5, "{seen} and {simulated}");
    second.kill().expect("kill -9");
    second.wait().expect("it ends");
}
