//! `tamis url`: the canonical form of URLs, and references resolved.

use std::io::{BufRead, stdin};

use frontier::{Canonicaliser, resolve};
use serde_json::json;

use crate::exit::{Exit, usage};
use crate::output::Output;

/// Longest line that is read from standard input, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;

/// Normalise or resolve URLs from standard input
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    echo 'HTTP://Example.org:80/%7euser#top' | tamis url normalize\n  \
    echo '../b' | tamis url resolve --base https://example.org/a/c")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// The key under which each URL is known
    Normalize {
        /// Sort the parameters of queries
        #[arg(long)]
        sort_query: bool,
        /// Drop a query parameter; may be repeated, may end in *
        #[arg(long, value_name = "P")]
        drop_param: Vec<String>,
        /// Each line is a JSON string
        #[arg(long)]
        json_input: bool,
    },
    /// Each reference against a base, as browsers do it (WHATWG URL)
    Resolve {
        /// The base URL
        #[arg(long, value_name = "B")]
        base: String,
        /// Each line is a JSON string
        #[arg(long)]
        json_input: bool,
    },
}

/// Answers line by line; exit 1 when a line could not be parsed.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Normalize {
            sort_query,
            drop_param,
            json_input,
        } => {
            let canonicaliser = Canonicaliser {
                sort_query: *sort_query,
                drop_params: drop_param.clone(),
                ..Canonicaliser::default()
            };
            each_line(output, *json_input, |line| {
                let url = ::url::Url::parse(line).map_err(|error| error.to_string())?;
                Ok(canonicaliser.normalise(&url))
            })
        }
        Action::Resolve { base, json_input } => {
            let base = ::url::Url::parse(base)
                .map_err(|error| usage(format!("--base {base:?} is no absolute URL: {error}")))?;
            each_line(output, *json_input, |line| {
                resolve(&base, line)
                    .map(String::from)
                    .ok_or_else(|| "does not parse".to_string())
            })
        }
    }
}

fn each_line(
    output: &Output,
    json_input: bool,
    answer: impl Fn(&str) -> Result<String, String>,
) -> anyhow::Result<Exit> {
    let mut clean = true;
    let mut input = stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line)
            .trim_end_matches(['\n', '\r'])
            .to_string();
        line.clear();
        let text = match json_input {
            true => serde_json::from_str(&text)
                .map_err(|error| usage(format!("{text:?} is no JSON string: {error}")))?,
            false => text,
        };
        let result = if text.len() > LINE_BYTES_MAX {
            Err("too long".into())
        } else {
            answer(&text)
        };
        clean &= result.is_ok();
        match (output.json, result) {
            (true, Ok(url)) => output.value(&json!({ "input": text, "url": url }))?,
            (true, Err(error)) => output.value(&json!({ "input": text, "error": error }))?,
            (false, Ok(url)) => output.line(url)?,
            (false, Err(error)) => output.line(format!("error: {error}: {text}"))?,
        }
    }
    Ok(if clean { Exit::Done } else { Exit::Problem })
}
