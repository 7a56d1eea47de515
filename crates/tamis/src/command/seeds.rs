//! `tamis seeds check`: each bad line with its mend.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fetcher::AddressGuard;
use frontier::{SeedDuplicate, SeedList, SeedProblem, SeedUrl, parse_seed_list};
use report::words::plural;
use serde_json::{Value, json};

use crate::exit::{Exit, usage};
use crate::output::Output;

/// Check seed lists
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis seeds check seeds/*.txt")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Name each bad line with its column and mend; count hosts and duplicates
    #[command(after_help = "Examples:\n  tamis seeds check seeds/*.txt\n  \
        tamis seeds check my-seeds.txt --json")]
    Check {
        /// Seed lists
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// Checks; exit 1 when a line is bad.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let Action::Check { files } = &args.action;
    let mut clean = true;
    let mut unread = Vec::new();
    for file in files {
        let name = file.display().to_string();
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) => {
                unread.push(format!(
                    "cannot read seed list {name}: {error}; check the path"
                ));
                continue;
            }
        };
        let list = parse_seed_list(&name, &bytes);
        clean &= list.problems.is_empty();
        let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
        for seed in &list.seeds {
            *hosts.entry(seed.url.host().to_string()).or_default() += 1;
        }
        if output.json {
            output.value(&report(&name, &list, &hosts))?;
            continue;
        }
        for problem in &list.problems {
            output.line(problem.to_string())?;
        }
        for duplicate in &list.duplicates {
            output.line(format!(
                "{name}:{}: {} is on line {} already, which counts",
                duplicate.line, duplicate.url, duplicate.first_line
            ))?;
        }
        let count = |n: usize, one: &str, many: &str| plural(n as u64, one, many);
        for (url, why) in guarded(&list) {
            output.line(format!(
                "{name}: note: {url} is on this machine or a private network ({why}); a crawl asks it only with --allow-private"
            ))?;
        }
        output.line(format!(
            "{name}: {} on {}, {} given twice, {}",
            count(list.seeds.len(), "seed", "seeds"),
            count(hosts.len(), "host", "hosts"),
            list.duplicates.len(),
            count(list.problems.len(), "problem", "problems"),
        ))?;
    }
    if !unread.is_empty() {
        return Err(usage(unread.join("\n")));
    }
    Ok(if clean { Exit::Done } else { Exit::Problem })
}

/// Seeds that a crawl refuses to ask without `--allow-private`, as far as their hosts tell: names are
/// not looked up.
fn guarded(list: &SeedList) -> Vec<(&str, &'static str)> {
    let guard = AddressGuard::public_only();
    let refused = |seed: &'_ SeedUrl| guard.check_proxied(&seed.url.to_url()).err();
    let seeds = list.seeds.iter();
    seeds
        .filter_map(|seed| Some((seed.url.as_str(), refused(seed)?.reason)))
        .collect()
}

fn report(name: &str, list: &SeedList, hosts: &BTreeMap<String, u64>) -> Value {
    let problem = |problem: &SeedProblem| {
        json!({
            "file": problem.file, "line": problem.line, "column": problem.column,
            "text": problem.text, "message": problem.message, "mend": problem.mend,
        })
    };
    let duplicate = |duplicate: &SeedDuplicate| {
        json!({
            "line": duplicate.line, "first_line": duplicate.first_line,
            "url": duplicate.url.as_str(),
        })
    };
    json!({
        "file": name,
        "seeds": list.seeds.len(),
        "duplicates": list.duplicates.len(),
        "hosts": hosts,
        "problems": list.problems.iter().map(problem).collect::<Vec<_>>(),
        "private": guarded(list)
            .iter()
            .map(|(url, why)| json!({ "url": url, "why": why }))
            .collect::<Vec<_>>(),
        "repeated": list.duplicates.iter().map(duplicate).collect::<Vec<_>>(),
    })
}
