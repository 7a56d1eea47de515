//! What is simulated: a web, machines, and what things cost.

use serde::{Deserialize, Serialize};

/// Everything that a simulation is told.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// The pages.
    pub web: Web,
    /// How they are crawled.
    pub crawl: Crawl,
    /// What each node's machine has.
    pub machine: Machine,
    /// What things cost, as measured.
    pub costs: Costs,
    /// What machines and storage cost.
    pub prices: Prices,
}

/// A web, by its hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Web {
    /// Pages that are fetched, over all hosts.
    pub pages: f64,
    /// Hosts that they are on.
    pub hosts: f64,
    /// How unlike the hosts are: the r-th largest has r^-skew times the pages of the largest. 0: all alike.
    pub skew: f64,
    /// Hosts by class, instead of the three figures above.
    pub classes: Vec<HostClass>,
    /// The share of a host's URLs that its first page leads to, 0 to 1: the others are found page by page.
    pub on_front: f64,
    /// From a request to the end of its answer, seconds.
    pub answer_s: f64,
    /// URLs that are admitted for each page that is fetched, that page among them.
    pub urls_per_page: f64,
    /// How many of a URL's links stand on other hosts, in the mean.
    pub links_from_elsewhere: f64,
    /// The share of URLs that are found on their own host first.
    pub found_at_home: f64,
    /// The share of pages whose text is kept.
    pub kept: f64,
    /// Bytes that a page takes on the wire.
    pub page_bytes: f64,
}

impl Default for Web {
    fn default() -> Web {
        Web {
            pages: 1e8,
            hosts: 1e6,
            skew: 1.0,
            classes: Vec::new(),
            on_front: 0.0,
            answer_s: 0.3,
            urls_per_page: 10.0,
            links_from_elsewhere: 1.0,
            found_at_home: 0.9,
            kept: 0.45,
            page_bytes: 30_000.0,
        }
    }
}

/// Hosts of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostClass {
    /// How many.
    pub hosts: f64,
    /// Pages of each.
    pub pages: f64,
}

/// How the web is crawled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Crawl {
    /// Nodes.
    pub nodes: u16,
    /// Between the end of an answer and the next request to the host, seconds.
    pub delay_s: f64,
    /// Connections of a node.
    pub connections: f64,
    /// The crawl ends after so many days, however much is left.
    pub days: f64,
    /// A node that is silent so long is taken for dead, seconds.
    pub ttl_s: f64,
    /// How long the nodes are there before pages are fetched, seconds: they beat all the same.
    pub idle_s: f64,
    /// Between the joins of two nodes, seconds, where they join one after the other.
    pub join_gap_s: f64,
    /// Which hosts fall to which node is drawn by lot, from this number.
    pub seed: u64,
}

impl Default for Crawl {
    fn default() -> Crawl {
        Crawl {
            nodes: 8,
            delay_s: 1.0,
            connections: 256.0,
            days: 30.0,
            ttl_s: 15.0,
            idle_s: 3.0,
            join_gap_s: 0.0,
            seed: 1,
        }
    }
}

/// What a machine has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Machine {
    /// Cores.
    pub cores: f64,
    /// Memory, GB.
    pub memory_gb: f64,
    /// Disk, GB.
    pub disk_gb: f64,
    /// Bandwidth, Mbit/s.
    pub mbit: f64,
    /// Cores of the store, primary and standby together.
    pub store_cores: f64,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            cores: 4.0,
            memory_gb: 32.0,
            disk_gb: 1_000.0,
            mbit: 1_000.0,
            store_cores: 8.0,
        }
    }
}

/// What things cost. See `docs/many-machines.md` for where each figure is from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Costs {
    /// A node's CPU for a page, milliseconds.
    pub node_cpu_ms: f64,
    /// More of it for a look-up among a million kept texts, microseconds.
    pub lookup_us_per_million: f64,
    /// A node's CPU to take in a text that another node kept, microseconds.
    pub foreign_us: f64,
    /// From the end of an answer to the next request, beyond the delay, seconds.
    pub lag_s: f64,
    /// How long a group has the order, milliseconds, and how much more of it for each page.
    pub group_ms: f64,
    /// See `group_ms`.
    pub group_page_ms: f64,
    /// A message that waits for nothing, milliseconds.
    pub message_ms: f64,
    /// A sign of life, which waits for a commit, and the look at the whole crawl behind it, milliseconds.
    pub beat_ms: f64,
    /// The store's CPU for a page, primary and standby together, milliseconds.
    pub store_cpu_ms: f64,
    /// The store's log for a page, bytes.
    pub log_bytes: f64,
    /// Bytes of an admitted URL, in messages.
    pub admitted_bytes: f64,
    /// The same of a finished one.
    pub finished_bytes: f64,
    /// The same of a kept text.
    pub kept_bytes: f64,
    /// Bytes of what a node says of itself with a sign of life.
    pub note_bytes: f64,
    /// Bytes with which a node joins: its configuration.
    pub join_bytes: f64,
    /// The same three on the store's disk, with their indexes.
    pub admitted_stored: f64,
    /// See `admitted_stored`.
    pub finished_stored: f64,
    /// See `admitted_stored`.
    pub kept_stored: f64,
    /// A node's memory without anything, bytes; for a URL that waits; for a text that anybody kept.
    pub memory_base: f64,
    /// See `memory_base`.
    pub memory_per_url: f64,
    /// See `memory_base`.
    pub memory_per_kept: f64,
    /// A node's disk for a page it fetched, bytes; for a text that another node kept.
    pub disk_per_page: f64,
    /// See `disk_per_page`.
    pub disk_per_foreign: f64,
}

impl Default for Costs {
    fn default() -> Costs {
        Costs {
            node_cpu_ms: 2.9,
            lookup_us_per_million: 5.4,
            foreign_us: 100.0,
            lag_s: 0.005,
            group_ms: 20.0,
            group_page_ms: 1.5,
            message_ms: 2.0,
            beat_ms: 10.0,
            store_cpu_ms: 0.35,
            log_bytes: 3_500.0,
            admitted_bytes: 130.0,
            finished_bytes: 38.0,
            kept_bytes: 250.0,
            note_bytes: 1_000.0,
            join_bytes: 10_000.0,
            admitted_stored: 218.0,
            finished_stored: 114.0,
            kept_stored: 315.0,
            memory_base: 100e6,
            memory_per_url: 8.0,
            memory_per_kept: 250.0,
            disk_per_page: 23_000.0,
            disk_per_foreign: 570.0,
        }
    }
}

/// Prices, in whatever money.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prices {
    /// A node for a month of 30 days.
    pub node_month: f64,
    /// The store, primary and standby, for a month.
    pub store_month: f64,
    /// A GB of object storage for a month.
    pub object_gb_month: f64,
}

impl Default for Prices {
    fn default() -> Prices {
        Prices {
            node_month: 60.0,
            store_month: 400.0,
            object_gb_month: 0.02,
        }
    }
}

/// Why a plan cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// It is not TOML, or names what is not there.
    #[error("{0}")]
    Syntax(String),
    /// A figure is out of its bounds.
    #[error("{name} is {value}, and must be from {least} to {most}")]
    Bound {
        /// Its key.
        name: &'static str,
        /// What it is.
        value: f64,
        /// The least it may be.
        least: f64,
        /// The most.
        most: f64,
    },
    /// More classes than are simulated in good time.
    #[error("there are {0} classes of hosts, and may be 1,000")]
    Classes(usize),
}

/// Classes of hosts that a plan may name.
const CLASSES_MAX: usize = 1_000;

impl Plan {
    /// The plan that a text in TOML says; what it leaves out is as usual.
    ///
    /// # Errors
    /// When it is no plan, or a figure of it is out of bounds.
    pub fn parse(text: &str) -> Result<Plan, PlanError> {
        let plan: Plan =
            toml::from_str(text).map_err(|error| PlanError::Syntax(error.to_string()))?;
        plan.check()?;
        Ok(plan)
    }

    /// The plan as a text, with all that it leaves out.
    ///
    /// # Errors
    /// When a figure cannot be written.
    pub fn to_toml(&self) -> Result<String, PlanError> {
        toml::to_string(self).map_err(|error| PlanError::Syntax(error.to_string()))
    }

    /// Checks that all figures are within bounds.
    ///
    /// # Errors
    /// With the first that is not.
    pub fn check(&self) -> Result<(), PlanError> {
        let (web, crawl, machine, costs) = (&self.web, &self.crawl, &self.machine, &self.costs);
        if web.classes.len() > CLASSES_MAX {
            return Err(PlanError::Classes(web.classes.len()));
        }
        let classes = web.classes.iter();
        let of_classes = classes.flat_map(|class| {
            [
                ("web.classes.hosts", class.hosts, 1.0, 1e10),
                ("web.classes.pages", class.pages, 1.0, 1e11),
            ]
        });
        let figures = [
            ("web.pages", web.pages, 1.0, 1e11),
            ("web.hosts", web.hosts, 1.0, 1e10),
            ("web.skew", web.skew, 0.0, 3.0),
            ("web.on_front", web.on_front, 0.0, 1.0),
            ("web.answer_s", web.answer_s, 0.001, 600.0),
            ("web.urls_per_page", web.urls_per_page, 1.0, 1e4),
            (
                "web.links_from_elsewhere",
                web.links_from_elsewhere,
                0.0,
                1e4,
            ),
            ("web.found_at_home", web.found_at_home, 0.0, 1.0),
            ("web.kept", web.kept, 0.0, 1.0),
            ("web.page_bytes", web.page_bytes, 1.0, 1e9),
            ("crawl.nodes", f64::from(crawl.nodes), 1.0, 256.0),
            ("crawl.delay_s", crawl.delay_s, 0.0, 3_600.0),
            ("crawl.connections", crawl.connections, 1.0, 1e5),
            ("crawl.days", crawl.days, 0.000_1, 3_650.0),
            ("crawl.ttl_s", crawl.ttl_s, 1.0, 3_600.0),
            ("crawl.idle_s", crawl.idle_s, 0.0, 1e6),
            ("crawl.join_gap_s", crawl.join_gap_s, 0.0, 3_600.0),
            ("machine.cores", machine.cores, 0.1, 1e4),
            ("machine.memory_gb", machine.memory_gb, 0.1, 1e6),
            ("machine.disk_gb", machine.disk_gb, 0.1, 1e8),
            ("machine.mbit", machine.mbit, 0.1, 1e7),
            ("machine.store_cores", machine.store_cores, 0.1, 1e4),
            ("costs.node_cpu_ms", costs.node_cpu_ms, 0.001, 1e5),
            ("costs.group_ms", costs.group_ms, 0.0, 1e5),
            ("costs.group_page_ms", costs.group_page_ms, 0.0, 1e5),
            ("costs.message_ms", costs.message_ms, 0.0, 1e5),
            ("costs.beat_ms", costs.beat_ms, 0.0, 1e5),
            ("costs.store_cpu_ms", costs.store_cpu_ms, 0.001, 1e5),
            ("costs.lag_s", costs.lag_s, 0.0, 60.0),
        ];
        let is_within = |&(_, value, least, most): &(&str, f64, f64, f64)| {
            value.is_finite() && (least..=most).contains(&value)
        };
        let all = figures.into_iter().chain(of_classes);
        match all.into_iter().find(|figure| !is_within(figure)) {
            None => Ok(()),
            Some((name, value, least, most)) => Err(PlanError::Bound {
                name,
                value,
                least,
                most,
            }),
        }
    }
}

/// Hosts of a class have sizes within this factor of each other.
const CLASS_RATIO: f64 = 1.3;

impl Web {
    /// The hosts by class: as they are named, or cut from the sizes that `skew` gives.
    pub fn host_classes(&self) -> Vec<HostClass> {
        if !self.classes.is_empty() {
            return self.classes.clone();
        }
        if self.skew == 0.0 {
            let (hosts, pages) = (self.hosts, self.pages / self.hosts);
            return vec![HostClass { hosts, pages }];
        }
        let mut classes = Vec::new();
        let mut rank = 1.0;
        while rank <= self.hosts {
            let next = (rank * CLASS_RATIO)
                .floor()
                .max(rank + 1.0)
                .min(self.hosts + 1.0);
            // The mean of r^-skew over the ranks of the class.
            let weight = self.weight(next - 0.5) - self.weight(rank - 0.5);
            let hosts = next - rank;
            classes.push(HostClass {
                hosts,
                pages: weight / hosts,
            });
            rank = next;
        }
        let sum: f64 = classes.iter().map(|class| class.hosts * class.pages).sum();
        for class in &mut classes {
            class.pages *= self.pages / sum;
        }
        classes
    }

    /// The integral of r^-skew up to a rank, but for a constant.
    fn weight(&self, rank: f64) -> f64 {
        match (self.skew - 1.0).abs() < 1e-9 {
            true => rank.ln(),
            false => rank.powf(1.0 - self.skew) / (1.0 - self.skew),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_all_hosts_and_all_pages_however_unlike_they_are() {
        for skew in [0.0, 0.5, 1.0, 1.5] {
            let web = Web {
                skew,
                ..Web::default()
            };
            let classes = web.host_classes();
            let hosts: f64 = classes.iter().map(|class| class.hosts).sum();
            let pages: f64 = classes.iter().map(|class| class.hosts * class.pages).sum();
            assert!((hosts / web.hosts - 1.0).abs() < 1e-9, "{skew}: {hosts}");
            assert!((pages / web.pages - 1.0).abs() < 1e-9, "{skew}: {pages}");
            let is_sorted = classes.windows(2).all(|two| two[0].pages >= two[1].pages);
            assert!(is_sorted, "{skew}");
        }
    }

    #[test]
    fn a_plan_names_what_is_wrong_with_it() {
        let said = |text: &str| Plan::parse(text).expect_err(text).to_string();
        assert!(said("[web]\npages = -1.0").contains("web.pages is -1"));
        assert!(said("[crawl]\nnodes = 0").contains("crawl.nodes"));
        assert!(said("[web]\npages = nan").contains("web.pages"));
        assert!(said("[web]\nsites = 3").contains("sites"));
        let plan = Plan::parse("[web]\npages = 1e7\n[crawl]\nnodes = 3").expect("a plan");
        assert_eq!((plan.web.pages, plan.crawl.nodes), (1e7, 3));
        assert_eq!(Plan::parse("").expect("as usual"), Plan::default());
    }
}
