//! One table of policies over simulated pages: three shapes of change rates, two budgets, several seeds.

use super::{Importance, Policy, Shape, Sitemap, World, WorldSize, optimum, simulate};

/// Hosts of a simulated web.
const HOSTS: usize = 40;

/// What the names of policies that listen to signals begin with.
const TOLD: &str = "told";

/// What policies came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The shape and budget of each column.
    pub columns: Vec<String>,
    /// The optimum of each column: the weighted share of time for which copies can be right.
    pub optimum: Vec<f64>,
    /// The policies.
    pub rows: Vec<Row>,
}

/// What a policy came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name; `told: ...` with signals of a sitemap.
    pub policy: String,
    /// The share of the optimum in each column; with signals what they add to the learnt policy.
    pub shares: Vec<f64>,
    /// Over all columns and seeds.
    pub mean: f64,
    /// The least of them.
    pub least: f64,
    /// The share of the budget that was used.
    pub used: f64,
}

/// Worlds of one shape and budget, each with its optimum.
struct Column {
    name: String,
    worlds: Vec<(World, f64)>,
}

/// Simulates all policies whose name contains `wanted`, over webs of so many pages.
pub fn table((pages, importance): (usize, Importance), seeds: u64, wanted: &str) -> Table {
    let columns = columns(pages, importance, seeds);
    let mut blind = Vec::new();
    let mut rows = Vec::new();
    for policy in policies() {
        let is_wanted = name(policy).contains(wanted);
        // What signals add is told beside the learnt policy.
        let are_told_wanted = || {
            let mut told = names().into_iter().filter(|name| name.starts_with(TOLD));
            told.any(|name| name.contains(wanted))
        };
        if is_wanted || policy == Policy::Learnt && are_told_wanted() {
            let row = row(policy, &columns, &mut blind);
            rows.extend(is_wanted.then_some(row));
        }
    }
    Table {
        columns: columns.iter().map(|column| column.name.clone()).collect(),
        optimum: columns
            .iter()
            .map(|column| mean(column.worlds.iter().map(|(_, best)| *best)))
            .collect(),
        rows,
    }
}

/// The names of all policies.
pub fn names() -> Vec<String> {
    policies().into_iter().map(name).collect()
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
    policies.push(Policy::ToldKnown);
    policies
}

fn columns(pages: usize, importance: Importance, seeds: u64) -> Vec<Column> {
    let kinds = Shape::ALL
        .iter()
        .flat_map(|shape| [(*shape, 10.0), (*shape, 30.0)]);
    let column = |(shape, every_days): (Shape, f64)| {
        let size = WorldSize {
            pages,
            hosts: HOSTS,
            every_days,
            importance,
        };
        let worlds = (1..=seeds).map(|seed| {
            let world = World::new(size, shape, seed);
            let best = optimum(&world).0;
            (world, best)
        });
        Column {
            name: format!("{shape:?} {every_days}d").to_lowercase(),
            worlds: worlds.collect(),
        }
    };
    kinds.map(column).collect()
}

/// Runs a policy; `blind` is what came of the learnt rule in each world, for rows beside it.
fn row(policy: Policy, columns: &[Column], blind: &mut Vec<f64>) -> Row {
    let (mut all, mut used, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for column in columns {
        let before = all.len();
        for (world, best) in &column.worlds {
            let run = simulate(world, policy);
            used.push(run.used);
            if policy == Policy::Learnt {
                blind.push(run.seen);
            }
            all.push(match policy {
                Policy::Told(_) | Policy::ToldKnown => run.seen / blind[all.len()],
                Policy::Uniform
                | Policy::Proportional
                | Policy::StormCrawler
                | Policy::Nutch
                | Policy::Known
                | Policy::Learnt => run.expected / best,
            });
        }
        shares.push(mean(all[before..].iter().copied()));
    }
    Row {
        policy: name(policy),
        shares,
        least: all.iter().copied().fold(f64::INFINITY, f64::min),
        mean: mean(all.into_iter()),
        used: mean(used.into_iter()),
    }
}

fn name(policy: Policy) -> String {
    match policy {
        Policy::Told(sitemap) => format!("{TOLD}: {sitemap:?}").to_lowercase(),
        Policy::ToldKnown => format!("{TOLD}: good, known"),
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

impl Table {
    /// The table as lines of equal columns.
    pub fn lines(&self) -> Vec<String> {
        let cells = |values: &[f64]| -> String {
            values
                .iter()
                .map(|value| format!(" {value:>15.3}"))
                .collect()
        };
        let names: String = self
            .columns
            .iter()
            .map(|name| format!(" {name:>15}"))
            .collect();
        let mut lines = vec![
            format!(
                "{:<18}{names} {:>6} {:>6} {:>6}",
                "of the optimum", "mean", "least", "used"
            ),
            format!("{:<18}{}", "optimum itself", cells(&self.optimum)),
        ];
        lines.extend(self.rows.iter().map(|row| {
            let (policy, shares) = (&row.policy, cells(&row.shares));
            format!(
                "{policy:<18}{shares} {:>6.3} {:>6.3} {:>6.3}",
                row.mean, row.least, row.used
            )
        }));
        if self.rows.iter().any(|row| row.policy.starts_with(TOLD)) {
            lines.push("rows \"told\" are beside \"learnt\" on the same changes".to_owned());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wanted_policies_are_told_beside_each_other() {
        let table = |importance| table((40, importance), 1, "uniform");
        let equal = table(Importance::Equal);
        let table = table(Importance::Zipf);
        assert_ne!(equal.optimum, table.optimum);
        assert_eq!((table.columns.len(), table.rows.len()), (6, 1));
        assert!(table.optimum.iter().all(|best| (0.0..=1.0).contains(best)));
        assert_eq!(table.lines().len(), 3);
    }
}
