//! `tamis fingerprint`: a text's 64 bits, and Hamming work on lists of them.

mod features;
mod hamming;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;
use simhash::Fingerprint;

use super::document::{text_of_bytes, words};
use super::text::read;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Most bits flipped by `near --method probing`: six would ask for 83 million keys.
const PROBED_K_MAX: u32 = 5;

/// Print the fingerprint of texts, or compare fingerprints
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  \
        tamis fingerprint page.html notes.txt\n  \
        tamis fingerprint --features features.tsv\n  \
        tamis fingerprint distance 84adfe0ad03e12cb 84ad7e0ad13e128b\n  \
        tamis fingerprint near -k 3 --query 84adfe0ad03e12cb fingerprints.txt"
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Combine given features instead: lines of HASH, a tab, WEIGHT, the hash in up to 16 hex digits; a
    /// bit is 1 only where its weights sum up to more than 0
    #[arg(long, value_name = "TSV")]
    features: Option<PathBuf>,
    /// Pages (their main content is printed) or plain texts; - is standard input
    #[arg(value_name = "FILE", required_unless_present = "features")]
    files: Vec<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Distance(DistanceArgs),
    Pairs(PairsArgs),
    Near(NearArgs),
    Probes(ProbesArgs),
}

/// Count the bits in which two fingerprints differ
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    tamis fingerprint distance 84adfe0ad03e12cb 84ad7e0ad13e128b")]
struct DistanceArgs {
    /// The first, 16 hex digits
    a: Fingerprint,
    /// The second
    b: Fingerprint,
}

/// List all pairs of fingerprints that differ in at most K bits
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A fingerprint that is in the file twice counts once.\n\nExample:\n  \
        tamis fingerprint pairs -k 3 fingerprints.txt"
)]
struct PairsArgs {
    /// Bits in which a pair may differ
    #[arg(short, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=64))]
    k: u32,
    /// One fingerprint per line; - is standard input
    file: PathBuf,
}

/// List the fingerprints that differ from one in at most K bits
#[derive(Debug, clap::Args)]
#[command(
    after_help = "All methods give the same matches; --json tells how many keys or fingerprints \
        each looked at.\n\nExample:\n  \
        tamis fingerprint near -k 3 --query 84adfe0ad03e12cb fingerprints.txt"
)]
struct NearArgs {
    /// Bits in which a match may differ
    #[arg(short, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=64))]
    k: u32,
    /// The fingerprint to look for
    #[arg(long, value_name = "FINGERPRINT")]
    query: Fingerprint,
    /// How to look
    #[arg(long, value_enum, default_value_t = Method::Linear)]
    method: Method,
    /// One fingerprint per line; - is standard input
    file: PathBuf,
}

/// How near fingerprints are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Compare with every one.
    Linear,
    /// Ask for every fingerprint within K bits, K up to 5.
    Probing,
    /// Compare with those that have one of K + 1 blocks of bits in common.
    Tables,
}

/// Count the fingerprints that differ from any one in exactly K bits
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis fingerprint probes -k 3 --cumulative")]
struct ProbesArgs {
    /// Bits that differ
    #[arg(short, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=64))]
    k: u32,
    /// Count those that differ in fewer bits too
    #[arg(long)]
    cumulative: bool,
}

/// Runs the sub-command, or prints the files' fingerprints.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.command {
        None => {
            if let Some(file) = &args.features {
                combine(file, output)?;
            }
            for file in &args.files {
                of_file(file, output)?;
            }
        }
        Some(Command::Distance(args)) => {
            let distance = args.a.distance(args.b);
            if output.json {
                output.value(&json!({ "distance": distance }))?;
            } else {
                output.line(distance.to_string())?;
            }
        }
        Some(Command::Pairs(args)) => pairs(args, output)?,
        Some(Command::Near(args)) => near(args, output)?,
        Some(Command::Probes(args)) => probes(args, output)?,
    }
    Ok(Exit::Done)
}

fn of_file(file: &Path, output: &Output) -> anyhow::Result<()> {
    let text = text_of_bytes(&read(file)?, None, None);
    let print = simhash::print(&words(&text.text));
    let name = file.display().to_string();
    if output.json {
        output.value(&json!({
            "file": name,
            "fingerprint": print.fingerprint.to_string(),
            "features": print.word_count,
            "type": text.form,
        }))?;
    } else {
        output.line(format!("{}  {name}", print.fingerprint))?;
    }
    Ok(())
}

fn combine(file: &Path, output: &Output) -> anyhow::Result<()> {
    let name = file.display().to_string();
    let features = features::parse(&read(file)?)
        .map_err(|(line, told)| usage(format!("{name}:{line}: {told}")))?;
    let fingerprint = features::combine(&features);
    if output.json {
        output.value(&json!({
            "file": name,
            "fingerprint": fingerprint.to_string(),
            "features": features.len(),
        }))?;
    } else {
        output.line(format!("{fingerprint}  {name}"))?;
    }
    Ok(())
}

fn pairs(args: &PairsArgs, output: &Output) -> anyhow::Result<()> {
    let list = fingerprints(&args.file)?;
    let pairs = hamming::pairs(&list, args.k);
    if output.json {
        let pairs: Vec<[String; 2]> = pairs
            .iter()
            .map(|(a, b)| [a.to_string(), b.to_string()])
            .collect();
        output.value(&json!({ "pairs": pairs }))?;
    } else {
        for (a, b) in &pairs {
            output.line(format!("{a}  {b}  {}", a.distance(*b)))?;
        }
        output.say(format!(
            "{} pairs among {} fingerprints",
            pairs.len(),
            list.len()
        ));
    }
    Ok(())
}

fn near(args: &NearArgs, output: &Output) -> anyhow::Result<()> {
    if args.method == Method::Probing && args.k > PROBED_K_MAX {
        return Err(usage(format!(
            "-k {}: probing asks for every fingerprint within K bits, {} of them; \
             use at most -k {PROBED_K_MAX}, or --method tables",
            args.k,
            hamming::probes(args.k, true)
        )));
    }
    let list = fingerprints(&args.file)?;
    let found = match args.method {
        Method::Linear => hamming::linear(&list, args.query, args.k),
        Method::Probing => hamming::probing(&list, args.query, args.k),
        Method::Tables => hamming::tables(&list, args.query, args.k),
    };
    if output.json {
        let matches: Vec<String> = found.matches.iter().map(Fingerprint::to_string).collect();
        output.value(&json!({ "matches": matches, "looked_at": found.looked_at }))?;
    } else {
        for near in &found.matches {
            output.line(format!("{near}  {}", near.distance(args.query)))?;
        }
        let (matches, all) = (found.matches.len(), list.len());
        output.say(format!("{matches} of {all} fingerprints"));
    }
    Ok(())
}

fn probes(args: &ProbesArgs, output: &Output) -> anyhow::Result<()> {
    let probes = hamming::probes(args.k, args.cumulative);
    if output.json {
        // Beyond 64 bits a JSON number loses its last digits with most readers.
        let number = u64::try_from(probes)
            .map_or_else(|_| json!(probes.to_string()), |probes| json!(probes));
        output.value(&json!({ "probes": number }))?;
    } else {
        output.line(probes.to_string())?;
    }
    Ok(())
}

/// The fingerprints of a file, one per line; empty lines and comments (`#`) are skipped.
fn fingerprints(file: &Path) -> anyhow::Result<Vec<Fingerprint>> {
    let bytes = read(file)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut list = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fingerprint = line.parse().map_err(|error| {
            let file = file.display();
            usage(format!(
                "{file}:{}: {error}; write one fingerprint per line",
                at + 1
            ))
        })?;
        list.push(fingerprint);
    }
    Ok(list)
}
