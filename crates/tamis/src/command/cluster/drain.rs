//! `tamis cluster drain`: a planned farewell of one node.

use std::time::{Duration, Instant};

use anyhow::anyhow;
use ledger::{
    Fence, Ledger, LedgerError, NodePulse, NodeState, Overview, PostgresLedger, Settings,
};
use pipeline::drain_of;
use serde_json::json;

use super::{Place, failed};
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Between two looks at the node.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// Who, and where.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The node's name, as `tamis cluster status` shows it
    node: String,
    /// Where
    #[command(flatten)]
    place: Place,
    /// Wait so many seconds for it to leave; 0 asks and does not wait
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    wait: u64,
}

pub(super) fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let config = args.place.read()?;
    let settings = args.place.settings(&config)?;
    let mut ledger =
        PostgresLedger::connect(settings.clone()).map_err(|error| failed(error, &settings))?;
    let began = Instant::now();
    let mut asked: Option<Fence> = None;
    let mut parts = 0;
    loop {
        let overview = look(&mut ledger, &settings)?;
        let node = named(&overview, &args.node)?;
        parts = parts.max(node.parts);
        match (node.state, asked) {
            (NodeState::Live, asked_of) if asked_of != Some(node.fence) => {
                // It may have joined again since it was asked.
                match ledger.tell(node.fence, &drain_of(node.fence)) {
                    Ok(_) => asked = Some(node.fence),
                    Err(LedgerError::Fenced) => {}
                    Err(error) => return Err(failed(error, &settings)),
                }
            }
            (NodeState::Live, _) => {}
            (state @ (NodeState::Left | NodeState::Dead), None) => {
                return Err(usage(format!(
                    "node {} does not run: it {}; the others have its parts",
                    node.name,
                    past(state)
                )));
            }
            (state, Some(_)) => return told(output, node, state, &overview, (parts, began)),
        }
        if began.elapsed() >= Duration::from_secs(args.wait) {
            return late(args, output, node, asked);
        }
        std::thread::park_timeout(LOOK_EVERY);
    }
}

fn look(ledger: &mut PostgresLedger, settings: &Settings) -> anyhow::Result<Overview> {
    ledger
        .overview()
        .map_err(|error| anyhow!(failed(error, settings)))
}

fn named<'o>(overview: &'o Overview, name: &str) -> anyhow::Result<&'o NodePulse> {
    let node = overview.nodes.iter().find(|node| node.name == name);
    node.ok_or_else(|| {
        let mut names: Vec<&str> = overview
            .nodes
            .iter()
            .map(|node| node.name.as_str())
            .collect();
        names.sort_unstable();
        usage(format!(
            "the crawl has no node {name:?}; it has: {}",
            names.join(", ")
        ))
    })
}

fn past(state: NodeState) -> &'static str {
    match state {
        NodeState::Left => "has left",
        NodeState::Dead | NodeState::Live => "was taken for dead",
    }
}

/// Says how it went.
fn told(
    output: &Output,
    node: &NodePulse,
    state: NodeState,
    overview: &Overview,
    (parts, began): (u16, Instant),
) -> anyhow::Result<Exit> {
    let live = |node: &&NodePulse| node.state == NodeState::Live;
    let others = overview.nodes.iter().filter(live).count();
    let seconds = began.elapsed().as_secs_f64();
    if output.json {
        output.value(&json!({
            "node": node.fence.node, "name": node.name, "state": state.name(), "parts": parts,
            "live": others, "seconds": seconds, "pending": overview.pending(),
        }))?;
    } else {
        let then = match (others, overview.pending()) {
            (_, 0) => "nothing waits".to_owned(),
            (0, pending) => format!("{pending} URLs wait, and no other node runs"),
            (1, _) => "1 node goes on".to_owned(),
            (others, _) => format!("{others} nodes go on"),
        };
        output.line(format!(
            "node {} {} after {seconds:.1} s and has handed over {parts} parts; {then}",
            node.name,
            past(state)
        ))?;
    }
    Ok(match state {
        NodeState::Left => Exit::Done,
        NodeState::Dead | NodeState::Live => Exit::Problem,
    })
}

/// It has not left yet.
fn late(
    args: &Args,
    output: &Output,
    node: &NodePulse,
    asked: Option<Fence>,
) -> anyhow::Result<Exit> {
    let is_asked = asked == Some(node.fence);
    if output.json {
        output.value(&json!({
            "node": node.fence.node, "name": node.name, "state": node.state.name(), "asked": is_asked,
            "parts": node.parts,
        }))?;
    } else if !is_asked {
        output.line(format!(
            "node {} joins again at this moment and could not be asked: try once more",
            node.name
        ))?;
    } else if args.wait == 0 {
        output.line(format!("node {} is asked to hand over", node.name))?;
    } else {
        output.line(format!(
            "node {} was asked to hand over and has not left after {} s: a request may be under way; one that \
             runs an earlier version is stopped with Ctrl-C",
            node.name, args.wait
        ))?;
    }
    Ok(match is_asked && args.wait == 0 {
        true => Exit::Done,
        false => Exit::Problem,
    })
}
