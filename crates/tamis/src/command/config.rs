//! `tamis config`: check a configuration, show the one in force, print its schema and its
//! reference.

use std::path::{Path, PathBuf};

use config::settings::settings;
use config::{CrawlConfig, file};
use serde_json::json;

use crate::exit::{Exit, usage};
use crate::output::Output;

/// Check a configuration, show the effective one, or describe all keys
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis config check config/chinese-databases.toml\n  \
    tamis config show config/chinese-databases.toml\n  \
    tamis config schema > tamis.schema.json\n  \
    tamis config reference | less")]
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
    /// Print all keys as Markdown: default, allowed values, meaning
    #[command(after_help = "Example:\n  tamis config reference | less")]
    Reference,
}

/// Runs the chosen action.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Check { files } => check(files, output),
        Action::Show { file } => show(file.as_ref(), output),
        Action::Schema => {
            output.line(serde_json::to_string_pretty(&config::schema())?)?;
            Ok(Exit::Done)
        }
        Action::Reference => {
            output.line(config::reference().trim_end())?;
            Ok(Exit::Done)
        }
    }
}

fn check(files: &[PathBuf], output: &Output) -> anyhow::Result<Exit> {
    let mut clean = true;
    let mut unread = Vec::new();
    for path in files {
        if let Err(error) = std::fs::read(path) {
            let name = path.display();
            unread.push(format!("cannot read {name}: {error}; check the path"));
            continue;
        }
        let problems = file::problems(path);
        clean &= problems.is_empty();
        if problems.is_empty() {
            let note = note_of(path);
            match output.json {
                true => output.value(&json!({ "file": path, "ok": true, "note": note }))?,
                false => output.line(format!("{}: in order", path.display()))?,
            }
            if let Some(note) = note.filter(|_| !output.json) {
                output.line(format!("{}: note: {note}", path.display()))?;
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

/// What is no mistake, but will stop most crawls.
fn note_of(path: &Path) -> Option<&'static str> {
    let config = file::read(path).ok()?;
    config.agent.contact.is_empty().then_some(
        "agent.contact is not set; a crawl beyond loopback needs a URL or mail address there, or \
         --contact, which servers see in the user agent",
    )
}

fn show(path: Option<&PathBuf>, output: &Output) -> anyhow::Result<Exit> {
    let wrong = |problem: config::ConfigProblem| usage(problem.to_string());
    let (config, document) = match path {
        Some(path) => {
            let config = file::read(path).map_err(wrong)?;
            (config, Some(file::open(path).map_err(wrong)?))
        }
        None => (CrawlConfig::default(), None),
    };
    let name = path.map_or(String::new(), |path| path.display().to_string());
    for (key, value) in settings(&config) {
        let line = document.as_ref().and_then(|file| file.line_of(&key));
        let source = if line.is_some() { &name } else { "default" };
        if output.json {
            output.value(&json!({ "key": key, "value": value, "source": source, "line": line }))?;
        } else {
            let setting = format!("{key} = {value}");
            let place = line.map_or(String::new(), |line| format!(":{line}"));
            output.line(format!("{setting:<44} # {source}{place}"))?;
        }
    }
    Ok(Exit::Done)
}
