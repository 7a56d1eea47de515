//! `tamis simulate`: what orders come to over made-up pages, without a crawl or a network.

mod cluster;

use again::freshness::{Importance, Row, names, table};
use serde_json::json;

use crate::exit::{Exit, usage};
use crate::output::Output;

/// Simulate rules over made-up pages, and crawls on many machines
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tamis simulate freshness\n  tamis simulate cluster")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// When to come back to which page: rules of crawlers beside the optimum
    Freshness(FreshnessArgs),
    /// One crawl on many machines: how fast it is, what bounds it, and what it takes
    Cluster(cluster::Args),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tamis simulate freshness --pages 600 --seeds 2 --policy learnt --json"
)]
struct FreshnessArgs {
    /// Pages of each simulated web
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(40..=20_000))]
    pages: u32,
    /// Webs of each kind
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=50))]
    seeds: u64,
    /// Rules whose name has this in it; without it all
    #[arg(long, default_value = "", hide_default_value = true)]
    policy: String,
    /// All pages are worth the same; without it few are worth most (Zipf)
    #[arg(long)]
    equal: bool,
}

/// Runs the simulation.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.what {
        What::Freshness(args) => freshness(args, output),
        What::Cluster(args) => cluster::run(args, output),
    }
}

fn freshness(args: &FreshnessArgs, output: &Output) -> anyhow::Result<Exit> {
    if !names().iter().any(|name| name.contains(&args.policy)) {
        let known = names().join(", ");
        return Err(usage(format!(
            "no rule has {:?} in its name: {known}",
            args.policy
        )));
    }
    let importance = match args.equal {
        true => Importance::Equal,
        false => Importance::Zipf,
    };
    let pages = (args.pages as usize, importance);
    let table = table(pages, args.seeds, &args.policy);
    if !output.json {
        for line in table.lines() {
            output.line(line)?;
        }
        return Ok(Exit::Done);
    }
    let row = |row: &Row| {
        json!({
            "policy": row.policy,
            "shares": row.shares,
            "mean": row.mean,
            "least": row.least,
            "used": row.used,
        })
    };
    let rows: Vec<_> = table.rows.iter().map(row).collect();
    output.value(&json!({
        "columns": table.columns,
        "optimum": table.optimum,
        "rows": rows,
    }))?;
    Ok(Exit::Done)
}
