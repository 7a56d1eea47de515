//! What a simulation gives.

use std::collections::BTreeMap;

use serde::Serialize;

/// What bounds how fast a node gets on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The delays of its hosts.
    Hosts,
    /// Its connections.
    Connections,
    /// Its cores.
    Cores,
    /// Its bandwidth.
    Bandwidth,
    /// The order of kept texts.
    Order,
    /// The store's cores.
    Store,
    /// Nothing: it has no pages left, while others have.
    NothingLeft,
}

impl Bound {
    /// Its words.
    pub fn words(self) -> &'static str {
        match self {
            Bound::Hosts => "delays of hosts",
            Bound::Connections => "connections",
            Bound::Cores => "cores",
            Bound::Bandwidth => "bandwidth",
            Bound::Order => "the order of kept texts",
            Bound::Store => "the store's cores",
            Bound::NothingLeft => "nothing left to do",
        }
    }
}

/// Messages to the store, with their rows and bytes, over all nodes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Messages {
    /// Messages of all kinds.
    pub calls: f64,
    /// Of these, groups: each one `begin` and one `close`.
    pub groups: f64,
    /// Rows sent and received.
    pub rows: f64,
    /// Their bytes.
    pub bytes: f64,
}

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simulated {
    /// Nodes.
    pub nodes: u16,
    /// Pages fetched.
    pub pages: f64,
    /// Whether those are all.
    pub is_done: bool,
    /// How long it took, seconds.
    pub seconds: f64,
    /// Pages a second, in the mean over all of it.
    pub pages_per_s: f64,
    /// Pages a second at the best time.
    pub pages_per_s_most: f64,
    /// The share of the nodes' time that each bound held.
    pub bounds: BTreeMap<Bound, f64>,
    /// Memory of a node, GB.
    pub memory_gb: f64,
    /// Disk of the node that has most, GB.
    pub disk_gb: f64,
    /// Cores that a node uses, in the mean.
    pub cores: f64,
    /// Cores that the store uses, in the mean.
    pub store_cores: f64,
    /// The store's disk at the end, GB.
    pub store_gb: f64,
    /// The store's log a day, GB.
    pub log_gb_day: f64,
    /// The share of time that somebody has the order.
    pub order_used: f64,
    /// Pages of the node that has most, beside the mean.
    pub node_skew: f64,
    /// Messages to the store.
    pub messages: Messages,
    /// From a node's end to the first request to one of its hosts by another, seconds.
    pub takeover_s: f64,
    /// Pages that are fetched again when a node is lost.
    pub refetched: f64,
    /// What it costs, machines, store and storage, in the plan's money.
    pub cost: f64,
    /// What a million pages cost.
    pub cost_per_million: f64,
    /// What does not fit the machines, in words.
    pub too_small: Vec<String>,
}
