//! `tamis config`: check a configuration, show the one in force, print its schema.

use std::path::PathBuf;

use pipeline::CrawlConfig;
use pipeline::config_file;
use serde_json::json;

use crate::exit::{Exit, usage};
use crate::output::Output;

/// Check a configuration, show the effective one, or print its JSON Schema
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis config check config/chinese-databases.toml\n  \
    tamis config show config/chinese-databases.toml\n  \
    tamis config schema > tamis.schema.json")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Check configuration files
    Check {
        /// Configuration files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Show the effective configuration, each value with where it came from
    Show {
        /// Configuration file; none shows the defaults
        file: Option<PathBuf>,
    },
    /// Print the JSON Schema of a configuration
    Schema,
}

/// Runs the chosen action.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Check { files } => check(files, output),
        Action::Show { file } => show(file.as_ref(), output),
        Action::Schema => {
            let schema = schemars::schema_for!(CrawlConfig);
            output.line(serde_json::to_string_pretty(&schema)?)?;
            Ok(Exit::Done)
        }
    }
}

fn check(files: &[PathBuf], output: &Output) -> anyhow::Result<Exit> {
    let mut clean = true;
    for file in files {
        match config_file::read(file) {
            Ok(_) if output.json => output.value(&json!({ "file": file, "ok": true }))?,
            Ok(_) => output.line(format!("{}: in order", file.display()))?,
            Err(problem) => {
                clean = false;
                if output.json {
                    output.value(&json!({
                        "file": problem.file, "ok": false, "line": problem.line,
                        "column": problem.column, "message": problem.message, "mend": problem.mend,
                    }))?;
                } else {
                    output.line(problem.to_string())?;
                }
            }
        }
    }
    Ok(if clean { Exit::Done } else { Exit::Problem })
}

fn show(file: Option<&PathBuf>, output: &Output) -> anyhow::Result<Exit> {
    let (config, name) = match file {
        Some(file) => {
            let config = config_file::read(file).map_err(|problem| usage(problem.to_string()))?;
            (config, file.display().to_string())
        }
        None => (CrawlConfig::default(), String::new()),
    };
    let defaults = flatten(&serde_json::to_value(CrawlConfig::default())?);
    for (key, value) in flatten(&serde_json::to_value(&config)?) {
        let is_default = defaults
            .iter()
            .any(|(known, default)| *known == key && *default == value);
        let source = if is_default { "default" } else { name.as_str() };
        if output.json {
            output.value(&json!({ "key": key, "value": value, "source": source }))?;
        } else {
            output.line(format!("{:<44} # {source}", format!("{key} = {value}")))?;
        }
    }
    Ok(Exit::Done)
}

/// `section.key` and value, in order.
fn flatten(value: &serde_json::Value) -> Vec<(String, serde_json::Value)> {
    let mut found = Vec::new();
    let mut stack = vec![(String::new(), value)];
    while let Some((path, value)) = stack.pop() {
        match value {
            serde_json::Value::Object(entries) => {
                let mut entries: Vec<_> = entries.iter().collect();
                entries.reverse();
                for (key, value) in entries {
                    let path = if path.is_empty() {
                        key.clone()
                    } else {
                        format!("{path}.{key}")
                    };
                    stack.push((path, value));
                }
            }
            value => found.push((path, value.clone())),
        }
    }
    found
}
