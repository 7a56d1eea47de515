//! `tamis simulate cluster`: one crawl on many machines, as a flow of pages.

use std::path::PathBuf;

use serde_json::json;
use simulate::cluster::{Bound, Plan, Simulated, simulate};

use crate::exit::{Exit, usage};
use crate::output::Output;

/// Sizes of crawls that are shown without a plan: pages, and nodes for them.
const SIZES: [(f64, u16); 4] = [(1e7, 1), (1e8, 2), (1e9, 8), (8e9, 32)];

/// Pages of a host in those, in the mean.
const PAGES_PER_HOST: f64 = 100.0;

/// A larger plan is none.
const PLAN_BYTES_MAX: u64 = 1 << 20;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tamis simulate cluster\n  tamis simulate cluster plan.toml --nodes 1,2,4,8\n  \
                  tamis simulate cluster --pages 1e9 --nodes 8 --json\n\nA plan names what differs from the usual, which \
                  --show-plan prints: [web], [crawl], [machine], [costs], [prices]",
    long_about = "One crawl on many machines, as a flow of pages: pages a second and what bounds them, memory, disk, \
                  the store's size and log, how unevenly the nodes are laden, how long a takeover takes, what it \
                  costs. Figures of costs are measured (docs/many-machines.md); the web and the machines are the \
                  plan's"
)]
pub(super) struct Args {
    /// What is simulated, in TOML; without it four sizes of a usual web
    plan: Option<PathBuf>,
    /// Nodes; several, one simulation each
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=256))]
    nodes: Vec<u16>,
    /// Pages of the web, such as 1e9; several, one simulation each
    #[arg(long, value_delimiter = ',', value_parser = pages)]
    pages: Vec<f64>,
    /// Print the plan with all that it leaves out, as TOML, and simulate nothing
    #[arg(long)]
    show_plan: bool,
}

fn pages(text: &str) -> Result<f64, String> {
    let pages = text.parse().ok().filter(|x| (1.0..=1e11).contains(x));
    pages.ok_or_else(|| "it is no number of pages from 1 to 1e11".to_owned())
}

/// Runs the simulations.
pub(super) fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let plan = read(args)?;
    if args.show_plan {
        let text = plan.to_toml().map_err(|error| usage(error.to_string()))?;
        output.line(text.trim_end())?;
        return Ok(Exit::Done);
    }
    let all: Vec<Simulated> = plans(args, &plan).iter().map(simulate).collect();
    if output.json {
        output.value(&json!({ "plan": plan, "simulated": all }))?;
        return Ok(Exit::Done);
    }
    for line in lines(&all) {
        output.line(line)?;
    }
    Ok(Exit::Done)
}

fn read(args: &Args) -> anyhow::Result<Plan> {
    let Some(path) = &args.plan else {
        return Ok(Plan::default());
    };
    let wrong = |why: String| usage(format!("plan {}: {why}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if size.len() > PLAN_BYTES_MAX {
        return Err(wrong("it is larger than 1 MB".to_owned()));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    Plan::parse(&text).map_err(|error| wrong(error.to_string()))
}

/// The plans that are simulated: for each number of pages, with each number of nodes.
fn plans(args: &Args, plan: &Plan) -> Vec<Plan> {
    let with = |pages: Option<f64>, nodes: Option<u16>| {
        let mut plan = plan.clone();
        if let Some(pages) = pages {
            plan.web.hosts = (plan.web.hosts * pages / plan.web.pages).max(1.0);
            plan.web.pages = pages;
        }
        plan.crawl.nodes = nodes.unwrap_or(plan.crawl.nodes);
        plan
    };
    if args.plan.is_none() && args.nodes.is_empty() && args.pages.is_empty() {
        let sizes = SIZES.into_iter();
        return sizes
            .map(|(pages, nodes)| {
                let mut plan = with(Some(pages), Some(nodes));
                plan.web.hosts = pages / PAGES_PER_HOST;
                plan
            })
            .collect();
    }
    let or_as_planned = |count: usize| if count == 0 { 1 } else { count };
    let mut plans = Vec::new();
    for page in 0..or_as_planned(args.pages.len()) {
        for node in 0..or_as_planned(args.nodes.len()) {
            plans.push(with(
                args.pages.get(page).copied(),
                args.nodes.get(node).copied(),
            ));
        }
    }
    plans
}

fn lines(all: &[Simulated]) -> Vec<String> {
    let mut lines = vec![format!(
        "{:>9} {:>5} {:>8} {:>8} {:>7} {:>7} {:>8} {:>6} {:>8} {:>7} {:>6} {:>8} {:>9}  bounded by",
        "pages",
        "nodes",
        "days",
        "pages/s",
        "GB mem",
        "GB disk",
        "GB store",
        "cores",
        "GB log/d",
        "order %",
        "skew",
        "takeover",
        "cost/10^6"
    )];
    lines.extend(all.iter().map(|one| {
        let bounds = ordered(one).into_iter().filter(|(_, share)| *share >= 0.05);
        let bounds: Vec<String> = bounds
            .map(|(by, share)| format!("{} {:.0} %", by.words(), share * 100.0))
            .collect();
        format!(
            "{:>9} {:>5} {:>8.2} {:>8.1} {:>7.1} {:>7.0} {:>8.1} {:>6.2} {:>8.1} {:>7.1} {:>6.2} {:>7.0}s {:>9.2}  {}",
            format!("{:.2e}", one.pages),
            one.nodes,
            one.seconds / 86_400.0,
            one.pages_per_s,
            one.memory_gb,
            one.disk_gb,
            one.store_gb,
            one.cores,
            one.log_gb_day,
            one.order_used * 100.0,
            one.node_skew,
            one.takeover_s,
            one.cost_per_million,
            bounds.join(", ")
        )
    }));
    for one in all {
        let what = format!("{:.2e} pages by {} nodes", one.pages, one.nodes);
        if !one.is_done {
            lines.push(format!(
                "{what}: not all pages of the web in the days that were given"
            ));
        }
        lines.extend(one.too_small.iter().map(|said| format!("{what}: {said}")));
    }
    lines
}

/// What bounded it, most first.
fn ordered(one: &Simulated) -> Vec<(Bound, f64)> {
    let mut bounds: Vec<(Bound, f64)> = one.bounds.iter().map(|(by, s)| (*by, *s)).collect();
    bounds.sort_by(|a, b| b.1.total_cmp(&a.1));
    bounds
}
