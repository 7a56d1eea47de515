//! `tamis fingerprint`: a text's 64 bits, and Hamming work on lists of them.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use documents::{Text, without_mark};
use resemblance::features::parse_weighted;
use resemblance::lexicon::Lexicon;
use resemblance::lookup::{self, Lookup};
use serde_json::json;
use simhash::Fingerprint;
use simhash::layout::{Layout, Table};

use super::feature_options::FeatureOptions;
use super::text::{read, read_page, type_by_name};
use crate::exit::{Exit, usage};
use crate::output::Output;

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
    #[command(flatten)]
    options: FeatureOptions,
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
    after_help = "All methods give the same matches; what each looked at, and the tables that it \
        made, stand below them (or in the --json).\n\nExamples:\n  \
        tamis fingerprint near -k 3 --query 84adfe0ad03e12cb fingerprints.txt\n  \
        tamis fingerprint near -k 5 --method tables --query 84adfe0ad03e12cb fingerprints.txt"
)]
struct NearArgs {
    /// Bits in which a match may differ
    #[arg(short, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=64))]
    k: u8,
    /// The fingerprint to look for
    #[arg(long, value_name = "FINGERPRINT")]
    query: Fingerprint,
    /// How to look
    #[arg(long, value_enum, default_value_t = Method::Linear)]
    method: Method,
    /// How a key is found in a table
    #[arg(long, value_enum, default_value_t = Search::Binary)]
    search: Search,
    /// One fingerprint per line; - is standard input
    file: PathBuf,
}

/// How near fingerprints are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Compare with every one.
    Linear,
    /// Ask a sorted list for every value within K bits, K up to 5.
    Probing,
    /// Store every value within K bits of each fingerprint, and ask for one.
    Expanded,
    /// Four tables of 16 bits, K up to 11.
    Tables4,
    /// Ten tables of 25 bits, K up to 3.
    Tables10,
    /// Sixteen tables of 28 bits, K up to 3.
    Tables16,
    /// As many tables as K and the length of the list ask for.
    Tables,
    /// A finite automaton over the list.
    Automaton,
}

impl Method {
    fn lookup(self, search: Search) -> lookup::Method {
        match self {
            Method::Linear => lookup::Method::Linear,
            Method::Probing => lookup::Method::Probing,
            Method::Expanded => lookup::Method::Expanded,
            Method::Tables4 => lookup::Method::FourTables(search.into()),
            Method::Tables10 => lookup::Method::TenTables(search.into()),
            Method::Tables16 => lookup::Method::SixteenTables(search.into()),
            Method::Tables => lookup::Method::FittingTables(search.into()),
            Method::Automaton => lookup::Method::Automaton,
        }
    }
}

/// How a key is found in a sorted table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Search {
    /// By halving.
    Binary,
    /// By guessing its place from the key.
    Interpolation,
}

impl From<Search> for lookup::Search {
    fn from(search: Search) -> lookup::Search {
        match search {
            Search::Binary => lookup::Search::Binary,
            Search::Interpolation => lookup::Search::Interpolation,
        }
    }
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
                of_file(file, &args.options, output)?;
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

fn of_file(file: &Path, options: &FeatureOptions, output: &Output) -> anyhow::Result<()> {
    let text = Text::of_bytes(&read_page(file)?, type_by_name(file), None);
    let words = text.words();
    let features = options.features();
    let lexicon = Lexicon::of([features.hashes(&words)]);
    let fingerprint = features.fingerprint(&words, &lexicon);
    let name = file.display().to_string();
    if output.json {
        output.value(&json!({
            "file": name,
            "fingerprint": fingerprint.to_string(),
            "features": features.hashes(&words).len(),
            "type": text.form,
        }))?;
    } else {
        output.line(format!("{fingerprint}  {name}"))?;
    }
    Ok(())
}

fn combine(file: &Path, output: &Output) -> anyhow::Result<()> {
    let name = file.display().to_string();
    let features = parse_weighted(without_mark(&read(file)?))
        .map_err(|error| usage(format!("{name}:{}: {error}", error.line)))?;
    let fingerprint = resemblance::features::combine(features.iter().copied());
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
    let pairs = lookup::pairs(&list, args.k);
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
    let list = fingerprints(&args.file)?;
    let ready = Lookup::new(args.method.lookup(args.search), &list, args.k)
        .map_err(|error| usage(format!("cannot {error}")))?;
    let found = ready.near(args.query);
    let strangers = |layout: &Layout| layout.expected_candidates(list.len() as u64, args.k);
    if output.json {
        let matches: Vec<String> = found.matches.iter().map(Fingerprint::to_string).collect();
        let mut answer = json!({ "matches": matches, "looked_at": found.looked_at });
        if let Some(layout) = &ready.layout {
            let keys = |at: usize| layout.probes(at, args.k);
            let tables = layout.tables.iter().enumerate();
            let tables = tables.map(|(at, table)| {
                json!({ "bits": table.bits(), "parts": ranges(table), "keys": keys(at) })
            });
            answer["tables"] = tables.collect();
            answer["expected_candidates"] = json!(strangers(layout));
        }
        output.value(&answer)?;
        return Ok(());
    }
    for near in &found.matches {
        output.line(format!("{near}  {}", near.distance(args.query)))?;
    }
    output.say(format!(
        "{} of {} fingerprints; {} looked at",
        found.matches.len(),
        list.len(),
        found.looked_at
    ));
    if let Some(layout) = &ready.layout {
        for (at, table) in layout.tables.iter().enumerate() {
            output.say(format!(
                "table {:>2}: {} bits ({}), {} keys asked for",
                at + 1,
                table.bits(),
                ranges(table).join(", "),
                layout.probes(at, args.k)
            ));
        }
        output.say(format!(
            "{:.1} strangers expected for a query, were all bits even",
            strangers(layout)
        ));
    }
    Ok(())
}

/// The bits of a table's key, as ranges from the highest to the lowest.
fn ranges(table: &Table) -> Vec<String> {
    let parts = table.parts.iter();
    parts
        .map(|&(low, bits)| format!("{}-{low}", low + bits - 1))
        .collect()
}

fn probes(args: &ProbesArgs, output: &Output) -> anyhow::Result<()> {
    let probes = lookup::count(args.k, args.cumulative);
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

/// The fingerprints of a file.
fn fingerprints(file: &Path) -> anyhow::Result<Vec<Fingerprint>> {
    lookup::parse_list(without_mark(&read(file)?))
        .map_err(|error| usage(format!("{}:{}: {error}", file.display(), error.line)))
}
