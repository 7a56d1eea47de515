//! `tamis cluster status`: the nodes of a crawl, how they stand, and what they told last.

use std::collections::HashMap;
use std::time::Duration;

use ledger::postgres::Server;
use ledger::{
    Ledger, LedgerError, NodePulse, NodeState, Overview, PART_COUNT, PostgresLedger, Settings,
};
use pipeline::NodeNote;
use serde_json::json;

use super::{Place, failed};
use crate::exit::Exit;
use crate::output::Output;

/// What there is to see of a ledger.
struct Seen {
    overview: Overview,
    server: Server,
    /// Nodes that count as live and are silent, and for how long.
    silent: HashMap<u16, Duration>,
    /// A node that is silent for so long is taken for dead.
    dead_after: Duration,
}

impl Seen {
    /// `ttl` is the lease of the configuration, for a crawl that no node has joined.
    fn look(settings: &Settings, ttl: Duration) -> Result<Seen, LedgerError> {
        let mut ledger = PostgresLedger::connect(settings.clone())?;
        let mut silent = ledger.stillness()?;
        let overview = ledger.overview()?;
        let ttl = overview.ttl.unwrap_or(ttl);
        // A node that beats every fifth of a lease has missed one beat, and half of another.
        silent.retain(|_, stood| *stood > ttl / 2);
        Ok(Seen {
            overview,
            server: ledger.server()?,
            silent,
            dead_after: ttl + ttl / 5,
        })
    }

    fn state(&self, node: &NodePulse) -> &'static str {
        match self.silent.contains_key(&node.fence.node) && node.state == NodeState::Live {
            true => "silent",
            false => node.state.name(),
        }
    }

    /// A line for each node that is silent.
    fn silences(&self) -> impl Iterator<Item = String> {
        let nodes = self.overview.nodes.iter();
        nodes
            .filter(|node| self.state(node) == "silent")
            .filter_map(|node| {
                let stood = self.silent.get(&node.fence.node)?;
                Some(format!(
                    "node {} is silent for {} s; another node that runs takes it for dead after {} s, and has its \
                     parts then",
                    node.name,
                    stood.as_secs(),
                    self.dead_after.as_secs()
                ))
            })
    }
}

pub(super) fn status(place: &Place, output: &Output) -> anyhow::Result<Exit> {
    let config = place.read()?;
    let settings = place.settings(&config)?;
    let seen = Seen::look(&settings, config.cluster.unwrap_or_default().ttl.0)
        .map_err(|error| failed(error, &settings))?;
    if output.json {
        output.value(&status_json(&seen))?;
        return Ok(Exit::Done);
    }
    for line in status_lines(&seen) {
        output.line(line)?;
    }
    Ok(Exit::Done)
}

fn status_json(seen: &Seen) -> serde_json::Value {
    let (overview, server) = (&seen.overview, &seen.server);
    let nodes: Vec<_> = overview
        .nodes
        .iter()
        .map(|node| {
            json!({
                "node": node.fence.node, "name": node.name, "state": seen.state(node),
                "silent_s": seen.silent.get(&node.fence.node).map(Duration::as_secs),
                "epoch": node.fence.epoch, "beat": node.beat, "parts": node.parts,
                "admitted": node.admitted, "finished": node.finished, "pages": node.pages,
                "kept": node.kept, "behind": overview.position.saturating_sub(node.seen),
                "journal": node.journal, "note": NodeNote::read(&node.note),
            })
        })
        .collect();
    json!({
        "server": server.version, "standbys": server.standbys, "nodes": nodes,
        "parts": PART_COUNT, "parts_free": overview.parts_free, "pending": overview.pending(),
        "kept_position": overview.position, "facts": overview.facts,
        "pages_max": overview.pages_max, "pages_granted": overview.granted,
        "ttl_s": overview.ttl.map(|ttl| ttl.as_secs_f64()),
    })
}

fn status_lines(seen: &Seen) -> Vec<String> {
    let (overview, server) = (&seen.overview, &seen.server);
    let standbys = match server.standbys.as_str() {
        "" => "none: a commit is lost with the primary's disk".to_owned(),
        names => names.to_owned(),
    };
    let live = |node: &&NodePulse| node.state == NodeState::Live;
    let mut lines = vec![
        format!(
            "store      PostgreSQL {}; commits wait for: {standbys}",
            server.version
        ),
        format!(
            "parts      {} of {PART_COUNT} with {} live nodes",
            PART_COUNT - overview.parts_free,
            overview.nodes.iter().filter(live).count()
        ),
        format!(
            "URLs       {} wait; {} texts are kept or withdrawn, {} facts told",
            overview.pending(),
            overview.position,
            overview.facts
        ),
    ];
    if let Some(pages_max) = overview.pages_max {
        lines.push(format!(
            "budget     {} of {pages_max} pages granted",
            overview.granted
        ));
    }
    if !overview.nodes.is_empty() {
        lines.push(format!(
            "{:>4}  {:<20} {:<6} {:>5} {:>10} {:>10} {:>9} {:>9} {:>7}",
            "node", "name", "state", "parts", "admitted", "finished", "pages", "kept", "behind"
        ));
    }
    lines.extend(overview.nodes.iter().map(|node| {
        format!(
            "{:>4}  {:<20} {:<6} {:>5} {:>10} {:>10} {:>9} {:>9} {:>7}",
            node.fence.node,
            node.name,
            seen.state(node),
            node.parts,
            node.admitted,
            node.finished,
            node.pages,
            node.kept,
            overview.position.saturating_sub(node.seen),
        )
    }));
    let notes: Vec<_> = (overview.nodes.iter())
        .map(|node| (node.name.as_str(), NodeNote::read(&node.note)))
        .filter(|(_, note)| !note.messages.is_empty())
        .collect();
    lines.extend(message_lines(&notes));
    lines.extend(seen.silences());
    lines
}

/// A node that waits for the order for so much of its time is slow for that.
const ORDER_SHARE_TOLD: f64 = 0.3;

/// What each node asked of the store, and how long it waited for the answers.
fn message_lines(notes: &[(&str, NodeNote)]) -> Vec<String> {
    let mut lines = Vec::new();
    if notes.is_empty() {
        return lines;
    }
    lines.push(format!(
        "{:<26} {:>9} {:>7} {:>10} {:>9} {:>9} {:>8} {:>8}",
        "messages of", "calls", "failed", "rows", "KB out", "KB in", "mean ms", "max ms"
    ));
    for (name, note) in notes {
        let all = note.all();
        let mean = all.ms as f64 / all.calls.max(1) as f64;
        lines.push(format!(
            "{name:<26} {:>9} {:>7} {:>10} {:>9} {:>9} {mean:>8.1} {:>8}",
            all.calls,
            all.errors,
            all.rows_out + all.rows_in,
            all.bytes_out / 1_024,
            all.bytes_in / 1_024,
            all.ms_max,
        ));
    }
    let slow = (notes.iter()).filter(|(_, note)| note.order_share() > ORDER_SHARE_TOLD);
    lines.extend(slow.map(|(name, note)| {
        format!(
            "node {name} waits for the order of kept texts for {:.0} % of its time: more nodes will not make \
             the crawl faster",
            100.0 * note.order_share()
        )
    }));
    lines
}
