//! Several nodes of one crawl as real processes, their ledger, and what is asked of them.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Child;
use std::time::{Duration, Instant};

use testweb::TestWeb;

use crate::postgres::{Cluster, new_crawl};
use crate::support::{Bench, file, run, tamis};

/// A crawl that has not ended after so long does not end.
const PATIENCE: Duration = Duration::from_secs(600);

/// What a crawl is of.
pub struct Plan {
    pub hosts: Vec<String>,
    pub seed: String,
    /// More lines of the configuration, the first of them of `[crawl]`.
    pub more: String,
    pub delay_ms: u64,
    pub concurrency: usize,
}

/// A crawl of a web by several nodes.
pub struct Nodes {
    pub bench: Bench,
    pub config: String,
    delay: Duration,
    seed: String,
}

impl Nodes {
    /// A crawl of some hosts from a seed, with more of the configuration.
    pub fn on(cluster: &Cluster, web: TestWeb, plan: &Plan) -> Nodes {
        Nodes::of(cluster, Bench::serve(web), plan)
    }

    /// The same of a web that is served already.
    pub fn of(cluster: &Cluster, bench: Bench, plan: &Plan) -> Nodes {
        let port = cluster.primary.port;
        let name = new_crawl();
        let store = |role: &str| format!("postgres://{role}@127.0.0.1:{port}/postgres");
        let hosts: Vec<String> = plan
            .hosts
            .iter()
            .map(|host| format!("\"{host}\""))
            .collect();
        let text = format!(
            "[crawl]\nconcurrency = {}\n{}\n[politeness]\ndelay = \"{}ms\"\n\
             [scope]\nhosts = [{}]\n\
             [cluster]\nstore = \"{}\"\ncrawl = \"{}\"\nttl = \"5s\"\n",
            plan.concurrency,
            plan.more,
            plan.delay_ms,
            hosts.join(", "),
            store("tamis_node"),
            name.as_str()
        );
        let config = file(bench.dir.path(), "nodes.toml", &text);
        run(tamis(&["cluster", "init", &config, "--store", &store("postgres")]).arg("--quiet"));
        Nodes {
            bench,
            config,
            delay: Duration::from_millis(plan.delay_ms),
            seed: plan.seed.clone(),
        }
    }

    /// The store by its owner's role.
    pub fn owner(&self) -> String {
        let text = std::fs::read_to_string(&self.config).expect("a configuration");
        let line = text.lines().find(|line| line.starts_with("store"));
        let url = line.and_then(|line| line.split('"').nth(1));
        url.expect("a store").replace("tamis_node@", "postgres@")
    }

    /// The crawl's name in the store.
    pub fn crawl_name(&self) -> String {
        let text = std::fs::read_to_string(&self.config).expect("a configuration");
        let line = text.lines().find(|line| line.starts_with("crawl ="));
        let name = line.and_then(|line| line.split('"').nth(1));
        name.expect("it has one").to_owned()
    }

    pub fn start(&self, name: &str) -> Child {
        let node = format!("[cluster]\nnode = \"{name}\"\n");
        let text = std::fs::read_to_string(&self.config).expect("a configuration");
        let text = text.replace("[cluster]\n", &node);
        let own = file(self.bench.dir.path(), &format!("{name}.toml"), &text);
        let log = std::fs::File::create(self.bench.crawl_dir(&format!("{name}.log")));
        self.bench
            .crawl(name, &[own.as_str(), "--seed", &self.seed])
            .stderr(log.expect("a log"))
            .spawn()
            .expect("the binary starts")
    }

    pub fn log(&self, name: &str) -> String {
        let log = std::fs::read_to_string(self.bench.crawl_dir(&format!("{name}.log")));
        log.unwrap_or_default()
    }

    /// Each node ends by itself, and well.
    #[track_caller]
    pub fn end(&self, nodes: &mut [(&str, Child)]) {
        let until = Instant::now() + PATIENCE;
        for (name, node) in nodes {
            loop {
                if let Some(status) = node.try_wait().expect("the child is known") {
                    assert!(status.success(), "{name}: {}", self.log(name));
                    break;
                }
                if Instant::now() > until {
                    node.kill().expect("kill -9");
                    panic!("{name} does not end: {}", self.log(name));
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    /// What became of each URL, over all nodes; none is finished twice.
    #[track_caller]
    pub fn fates(&self, names: &[&str]) -> BTreeMap<String, String> {
        let mut fates = BTreeMap::new();
        for name in names {
            for (url, fate) in self.bench.pages(name) {
                let before = fates.insert(url.clone(), fate);
                assert_eq!(before, None, "{url} is finished by two nodes");
            }
        }
        fates
    }

    /// The texts that are kept, over all nodes; none is kept twice.
    #[track_caller]
    pub fn texts(&self, names: &[&str]) -> BTreeSet<String> {
        let mut texts = BTreeSet::new();
        for name in names {
            let rows = self.bench.rows(name, "pages");
            for row in rows.iter().filter(|row| row["verdict"] == "indexed") {
                let title = row["title"].as_str().unwrap_or_default().to_owned();
                assert!(texts.insert(title.clone()), "{title} is kept twice");
            }
        }
        texts
    }

    /// The journals of these nodes compared with the ledger: the exit code, and what was found.
    pub fn compare(&self, names: &[&str]) -> (Option<i32>, serde_json::Value) {
        let mut check = tamis(&["cluster", "check", "--json"]);
        for name in names {
            check.arg("--dir").arg(self.bench.crawl_dir(name));
        }
        let output = check.output().expect("runs");
        let found = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), found)
    }

    /// Journals and ledger tell of the same crawl, and each directory agrees in itself.
    #[track_caller]
    pub fn agree(&self, names: &[&str]) {
        for name in names {
            self.bench.check(name);
        }
        let (code, found) = self.compare(names);
        assert_eq!(code, Some(0), "{found}");
        assert_eq!(found["nodes"].as_array().map(Vec::len), Some(names.len()));
    }

    /// No host is asked before its delay, whoever asks.
    #[track_caller]
    pub fn is_polite(&self) {
        let mut asked: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
        for entry in self.bench.web.log() {
            asked
                .entry(entry.host.clone())
                .or_default()
                .push(entry.started);
        }
        for (host, mut times) in asked {
            times.sort();
            for pair in times.windows(2) {
                let gap = pair[1] - pair[0];
                // The server's clock is read a moment after the request was made.
                assert!(
                    gap + Duration::from_millis(10) >= self.delay,
                    "{host} was asked after {gap:?}"
                );
            }
        }
    }
}

/// Sends a signal to a process.
pub fn signal(child: &Child, name: &str) {
    let number = child.id().to_string();
    run(std::process::Command::new("kill").args([name, &number]));
}

#[track_caller]
pub fn wait_for_requests(nodes: &Nodes, count: usize) {
    let until = Instant::now() + Duration::from_secs(60);
    while nodes.bench.web.log().len() < count {
        assert!(Instant::now() < until, "the crawl does not get on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Numbers that look drawn by lot, the same in each run of a seed.
pub fn lot(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// What there is of a crawl in a store, table by table, but for times, epochs and numbers of
/// transactions.
pub fn dump(cluster: &Cluster, nodes: &Nodes) -> Vec<(&'static str, String)> {
    let schema = format!("tamis_{}", nodes.crawl_name());
    let tables = [
        ("meta", "crawl, scheme, encode(config, 'hex')", "1"),
        (
            "node",
            "id, name, state, admitted, finished, pages, kept, granted, seen, journal",
            "1",
        ),
        ("part", "id, node, wanted_by", "1"),
        (
            "admitted",
            "part, key, page, depth, seed, kind, priority, url, encode(context, 'hex')",
            "part, key",
        ),
        (
            "finished",
            "part, key, gen, page, dup_of, outcome",
            "part, key, gen",
        ),
        (
            "reopened",
            "part, key, gen, encode(context, 'hex')",
            "part, key, gen",
        ),
        (
            "kept",
            "pos, op, page, replaces, fp, bands, encode(print, 'hex'), layout, url, \
             encode(published, 'hex'), encode(canonical, 'hex')",
            "pos",
        ),
        ("seed_urls", "seed, urls", "1"),
        ("last_kept", "pos", "1"),
        ("shares", "pages_max, granted", "1"),
        ("address", "ip, node, slots", "1"),
        ("facts", "n, node, kind, encode(data, 'hex')", "1"),
    ];
    let rows = |(table, columns, order)| {
        let text = format!("select {columns} from {schema}.{table} order by {order}");
        (table, cluster.primary.sql("postgres", &text))
    };
    tables.into_iter().map(rows).collect()
}
