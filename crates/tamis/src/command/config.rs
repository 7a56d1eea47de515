//! `tamis config`: check a configuration, show the one in force, print its schema.

use std::path::PathBuf;

use pipeline::CrawlConfig;
use pipeline::config_file;
use pipeline::settings::settings;
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
    let mut unread = Vec::new();
    for file in files {
        if let Err(error) = std::fs::read(file) {
            let name = file.display();
            unread.push(format!("cannot read {name}: {error}; check the path"));
            continue;
        }
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
    if !unread.is_empty() {
        return Err(usage(unread.join("\n")));
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
    let defaults = settings(&CrawlConfig::default());
    for (key, value) in settings(&config) {
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
