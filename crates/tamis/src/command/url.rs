//! `tamis url`: the canonical form of URLs, and references resolved.

use std::io::{BufRead, stdin};

use documents::without_mark;
use frontier::{Canonicaliser, parse_url};
use report::words::flat;
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
    #[command(after_help = "Example:\n  \
        echo 'HTTP://Example.org:80/%7euser?utm_source=x#top' | tamis url normalize --drop-tracking")]
    Normalize {
        /// Sort the parameters of queries
        #[arg(long)]
        sort_query: bool,
        /// Drop a query parameter; may be repeated, may end in *
        #[arg(long, value_name = "P")]
        drop_param: Vec<String>,
        /// Drop well-known tracking parameters, such as utm_source
        #[arg(long)]
        drop_tracking: bool,
        /// Drop well-known session ids, such as PHPSESSID, ;jsessionid= and /(S(…))/
        #[arg(long)]
        drop_sessions: bool,
        /// Drop index.html and its like from the end of the path
        #[arg(long)]
        drop_index_pages: bool,
        /// Each line is a JSON string
        #[arg(long)]
        json_input: bool,
    },
    /// Each reference against a base, as browsers do it (WHATWG URL)
    #[command(after_help = "Example:\n  \
        echo '../b' | tamis url resolve --base https://example.org/a/c")]
    Resolve {
        /// The base URL; without one, references must be absolute
        #[arg(long, value_name = "B")]
        base: Option<String>,
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
            drop_tracking,
            drop_sessions,
            drop_index_pages,
            json_input,
        } => {
            let canonicaliser = Canonicaliser {
                sort_query: *sort_query,
                drop_params: drop_param.clone(),
                drop_tracking: *drop_tracking,
                drop_sessions: *drop_sessions,
                drop_index_pages: *drop_index_pages,
            };
            each_line(output, *json_input, |line| {
                let url = parse_url(line).map_err(|error| error.to_string())?;
                Ok(canonicaliser.normalise(&url))
            })
        }
        Action::Resolve { base, json_input } => {
            // A base that does not parse is an answer too: no reference resolves against it.
            let base = base.as_deref().map(parse_url);
            each_line(output, *json_input, |line| match &base {
                None => parse_url(line)
                    .map(String::from)
                    .map_err(|error| error.to_string()),
                Some(Err(error)) => Err(format!("the base does not parse: {error}")),
                Some(Ok(base)) => weburl::resolve(base, line)
                    .map(String::from)
                    .ok_or_else(|| "the reference does not parse".to_string()),
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
        let text = String::from_utf8_lossy(without_mark(&line))
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
            (false, Err(error)) => output.line(format!("error: {error}: {}", flat(&text)))?,
        }
    }
    Ok(if clean { Exit::Done } else { Exit::Problem })
}
