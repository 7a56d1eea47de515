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
    /// Check configuration files: every mistake with its line, column and mend
    #[command(after_help = "Example:\n  tamis config check config/*.toml")]
    Check {
        /// Configuration files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Show the effective configuration, each value with where it came from
    #[command(
        after_help = "Examples:\n  tamis config show config/news-watch.toml\n  \
        tamis config show crawls/db/crawl.toml | grep politeness"
    )]
    Show {
        /// Configuration file; none shows the defaults
        file: Option<PathBuf>,
    },
    /// Print the JSON Schema of a configuration
    #[command(after_help = "Example:\n  tamis config schema > tamis.schema.json")]
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
        let problems = config_file::problems(file);
        clean &= problems.is_empty();
        if problems.is_empty() {
            match output.json {
                true => output.value(&json!({ "file": file, "ok": true }))?,
                false => output.line(format!("{}: in order", file.display()))?,
            }
        }
        for problem in problems {
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
            value => found.push((path, as_written(value))),
        }
    }
    found
}

/// A number as people write it: single precision, widened, has digits that nobody meant.
fn as_written(value: &serde_json::Value) -> serde_json::Value {
    let Some(wide) = value.as_f64().filter(|_| value.is_f64()) else {
        return value.clone();
    };
    let single = wide as f32;
    match single.to_string().parse::<f64>() {
        Ok(short) if f64::from(single) == wide => json!(short),
        _ => value.clone(),
    }
}
