//! One table of policies over simulated pages: see `again::freshness`.
//!
//! ```text
//! cargo run --release -p again --example freshness [PAGES] [SEEDS] [PART OF A POLICY'S NAME]
//! ```

use again::freshness::{Policy, Shape, Sitemap, World, WorldSize, optimum, simulate};

const HOSTS: usize = 40;

/// Worlds of one shape and budget, each with its optimum.
struct Column {
    name: String,
    worlds: Vec<(World, f64)>,
}

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse::<u64>().ok());
    let pages = args.next().unwrap_or(2_000) as usize;
    let seeds = args.next().unwrap_or(5);
    let wanted = std::env::args().nth(3).unwrap_or_default();
    let columns = columns(pages, seeds);
    head(&columns);
    let mut blind = Vec::new();
    for policy in policies() {
        let is_wanted = name(policy).contains(&wanted);
        if is_wanted || policy == Policy::Learnt {
            row(policy, &columns, &mut blind);
        }
    }
    println!("rows \"told\" are beside \"learnt\" on the same changes");
}

fn policies() -> Vec<Policy> {
    let mut policies = vec![
        Policy::Uniform,
        Policy::Proportional,
        Policy::StormCrawler,
        Policy::Nutch,
        Policy::Known,
        Policy::Learnt,
    ];
    policies.extend(Sitemap::ALL.map(Policy::Told));
    policies
}

fn columns(pages: usize, seeds: u64) -> Vec<Column> {
    let kinds = Shape::ALL
        .iter()
        .flat_map(|shape| [(*shape, 10.0), (*shape, 30.0)]);
    let column = |(shape, every_days): (Shape, f64)| {
        let size = WorldSize {
            pages,
            hosts: HOSTS,
            every_days,
        };
        let worlds = (1..=seeds).map(|seed| {
            let world = World::new(size, shape, seed);
            let best = optimum(&world).0;
            (world, best)
        });
        Column {
            name: format!("{shape:?} {every_days}d"),
            worlds: worlds.collect(),
        }
    };
    kinds.map(column).collect()
}

fn head(columns: &[Column]) {
    print!("{:<18}", "of the optimum");
    columns
        .iter()
        .for_each(|column| print!(" {:>13}", column.name));
    println!(" {:>6} {:>6} {:>6}", "mean", "least", "used");
    print!("{:<18}", "optimum itself");
    for column in columns {
        print!(
            " {:>13.3}",
            mean(column.worlds.iter().map(|(_, best)| *best))
        );
    }
    let worlds = columns.iter().flat_map(|column| &column.worlds);
    let limited = mean(worlds.map(|(world, _)| optimum(world).1 as f64));
    println!("  ({limited:.1} of {HOSTS} hosts at their limit)");
}

/// Runs a policy; `blind` is what came of the learnt rule in each world, for rows beside it.
fn row(policy: Policy, columns: &[Column], blind: &mut Vec<f64>) {
    print!("{:<18}", name(policy));
    let (mut all, mut used) = (Vec::new(), Vec::new());
    for column in columns {
        let before = all.len();
        for (world, best) in &column.worlds {
            let run = simulate(world, policy);
            used.push(run.used);
            if policy == Policy::Learnt {
                blind.push(run.seen);
            }
            all.push(match policy {
                Policy::Told(_) => run.seen / blind[all.len()],
                Policy::Uniform
                | Policy::Proportional
                | Policy::StormCrawler
                | Policy::Nutch
                | Policy::Known
                | Policy::Learnt => run.expected / best,
            });
        }
        print!(" {:>13.3}", mean(all[before..].iter().copied()));
    }
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        " {:>6.3} {least:>6.3} {:>6.3}",
        mean(all.into_iter()),
        mean(used.into_iter())
    );
}

fn name(policy: Policy) -> String {
    match policy {
        Policy::Told(sitemap) => format!("told: {sitemap:?}").to_lowercase(),
        Policy::Uniform
        | Policy::Proportional
        | Policy::StormCrawler
        | Policy::Nutch
        | Policy::Known
        | Policy::Learnt => format!("{policy:?}").to_lowercase(),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
