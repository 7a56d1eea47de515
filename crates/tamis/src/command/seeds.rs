//! `tamis seeds check`: each bad line with its mend.

use std::collections::BTreeMap;
use std::path::PathBuf;

use frontier::parse_seeds;
use serde_json::json;

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
    for file in files {
        let name = file.display().to_string();
        let bytes = std::fs::read(file).map_err(|error| {
            usage(format!(
                "cannot read seed list {name}: {error}; check the path"
            ))
        })?;
        let list = parse_seeds(&name, &bytes);
        clean &= list.1.is_empty();
        let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
        for seed in &list.0 {
            *hosts.entry(seed.url.host().to_string()).or_default() += 1;
        }
        let lines = bytes
            .split(|&byte| byte == b'\n')
            .map(|line| {
                String::from_utf8_lossy(line)
                    .trim()
                    .trim_start_matches('\u{feff}')
                    .to_string()
            })
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .count();
        let duplicates = lines.saturating_sub(list.0.len() + list.1.len());
        if output.json {
            let problems: Vec<_> = list
                .1
                .iter()
                .map(|problem| {
                    json!({
                        "file": problem.file, "line": problem.line, "column": problem.column,
                        "text": problem.text, "message": problem.message, "mend": problem.mend,
                    })
                })
                .collect();
            output.value(&json!({
                "file": name, "seeds": list.0.len(), "duplicates": duplicates,
                "hosts": hosts, "problems": problems,
            }))?;
            continue;
        }
        for problem in &list.1 {
            output.line(problem.to_string())?;
        }
        output.line(format!(
            "{name}: {} seeds on {} hosts, {duplicates} given twice, {} bad lines",
            list.0.len(),
            hosts.len(),
            list.1.len()
        ))?;
    }
    Ok(if clean { Exit::Done } else { Exit::Problem })
}
