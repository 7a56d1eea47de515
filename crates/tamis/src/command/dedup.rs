//! `tamis dedup`: a stream of documents through the fingerprint, index and verdict of a crawl.
//!
//! Documents are read in batches of bounded size: printed on all cores, then judged one by one in
//! their order, since each verdict depends on what was kept before. Besides a batch only the kept
//! documents' prints and ids are held.

mod kept;
mod source;
mod warc;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;
use sieve::{Content, Evidence, Rules, Verdict};
use simhash::{Decision, IndexConfig, Layout, Memory, Neighbour, Tables, TextPrint};

use self::kept::{Kept, Name};
use self::source::{Document, Item, Source};
use super::in_order;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Documents in a batch at most.
const BATCH_MAX: usize = 512;
/// Bytes in a batch from which it is full.
const BATCH_BYTES: usize = 8 << 20;
/// Pages whose layouts differ in at most this many bits are of one layout, as in a crawl.
const LAYOUT_BITS_MAX: u32 = 6;

/// Tell which documents of a stream repeat an earlier one
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads JSON lines {\"id\", \"text\"} or {\"id\", \"html\", \"url\"}, or WARC and WET \
    files (the id is then the URL), plain or gzipped. Writes a JSON line for each document, in order: \
    {id, verdict, dup_of, distance, overlap, kind, fingerprint}; \"dup_of\" is null for what is kept. \
    A line that is no document has {id, error}, and the exit code is then 1.\n\nExamples:\n  \
    tamis dedup docs.jsonl.gz > verdicts.jsonl\n  \
    tamis dedup --index seen/ monday.warc.gz && tamis dedup --index seen/ tuesday.warc.gz\n  \
    zcat docs.jsonl.gz | tamis dedup - | grep -v '\"dup_of\":null'"
)]
pub struct Args {
    /// Files of documents; - is standard input, and so is no file
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What makes a duplicate
    #[arg(long, value_enum, default_value_t = Method::Combined)]
    method: Method,
    /// Fingerprints this near are those of duplicates, unless (combined) the sketch refutes it
    #[arg(long, value_name = "BITS", default_value_t = IndexConfig::default().k)]
    k: u8,
    /// Fingerprints this near are looked at; a duplicate only if the sketch confirms it [default:
    /// 8, or what the tables can answer]
    #[arg(long, value_name = "BITS")]
    reach: Option<u8>,
    /// Least share of word pairs in common, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = IndexConfig::default().overlap)]
    overlap: f32,
    /// Tables of the index: 4, 10 or 16
    #[arg(long, value_name = "N", default_value = "4", value_parser = tables)]
    tables: Tables,
    /// Where sketches are held; disk needs --index
    #[arg(long, value_enum, default_value_t = Place::Ram)]
    memory: Place,
    /// Keep the index in this directory, for the next run
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,
}

/// What makes a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Near fingerprints, confirmed or refuted by the sketch: what a crawl does.
    Combined,
    /// Fingerprints within k, whatever the sketch says.
    Simhash,
    /// The same words in the same order.
    Exact,
}

/// Where sketches are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Place {
    /// In memory.
    Ram,
    /// On disk.
    Disk,
}

fn tables(number: &str) -> Result<Tables, String> {
    match number {
        "4" => Ok(Tables::Four),
        "10" => Ok(Tables::Ten),
        "16" => Ok(Tables::Sixteen),
        _ => Err("write 4, 10 or 16".to_owned()),
    }
}

/// A line of the answer.
#[derive(Serialize)]
struct Answer<'a> {
    id: &'a Value,
    verdict: &'static str,
    dup_of: Option<&'a Value>,
    /// The nearest kept document, whether a duplicate or not.
    near: Option<&'a Value>,
    distance: Option<u8>,
    overlap: Option<f32>,
    containment: Option<f32>,
    kind: Option<&'static str>,
    reason: Option<&'static str>,
    fingerprint: String,
    words: u32,
}

/// A line for what is no document.
#[derive(Serialize)]
struct Failure {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    error: String,
}

/// What was seen.
#[derive(Default)]
struct Counts {
    verdicts: BTreeMap<&'static str, u64>,
    bad: u64,
    other: u64,
}

/// Judges the files' documents.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let config = config(args)?;
    let files = files(args)?;
    let mut kept = match &args.index {
        Some(dir) => Kept::open(dir, &config)?,
        None => Kept::in_memory(&config)?,
    };
    let before = kept.len();
    let mut counts = Counts::default();
    for file in &files {
        let mut source = Source::open(file)
            .map_err(|error| usage(format!("cannot read {}: {error}", file.display())))?;
        while let Some(items) = batch(&mut source) {
            let documents = in_order::map(&items, |item| match item {
                Item::Document(document) => Some(document.read()),
                Item::Bad(..) | Item::Other => None,
            })?;
            for (item, read) in items.into_iter().zip(documents) {
                match (item, read) {
                    (Item::Document(document), Some(Some((print, layout)))) => {
                        let verdict = answer(args, document.id, &print, layout, &mut kept, output)?;
                        *counts.verdicts.entry(verdict).or_default() += 1;
                    }
                    (Item::Document(Document { id, .. }), Some(None) | None) => {
                        let error = "reading the document failed in an unexpected way";
                        failure(Some(id), error.into(), &mut counts, output)?;
                    }
                    (Item::Bad(id, error), _) => failure(id, error, &mut counts, output)?,
                    (Item::Other, _) => counts.other += 1,
                }
            }
            // Whoever pipes documents in may wait for the answers.
            output.flush()?;
        }
    }
    kept.store()?;
    tell(&counts, before, &kept, output);
    Ok(match counts.bad {
        0 => Exit::Done,
        _ => Exit::Problem,
    })
}

fn config(args: &Args) -> anyhow::Result<IndexConfig> {
    if args.memory == Place::Disk && args.index.is_none() {
        return Err(usage(
            "--memory disk: there is no directory; add --index DIR",
        ));
    }
    if !(0.0..=1.0).contains(&args.overlap) {
        return Err(usage(format!(
            "--overlap {}: write a share from 0 to 1",
            args.overlap
        )));
    }
    let usual = IndexConfig::default();
    let complete = Layout::of(args.tables).complete;
    let mut config = IndexConfig {
        k: args.k,
        reach: args.reach.unwrap_or(usual.reach.min(complete)).max(args.k),
        overlap: args.overlap,
        tables: args.tables,
        memory: match args.memory {
            Place::Ram => Memory::Ram,
            Place::Disk => Memory::Disk,
        },
        sketch: usual.sketch,
    };
    // An overlap that no two texts have: but for equal texts the nearest fingerprint is the answer.
    match args.method {
        Method::Combined => {}
        Method::Simhash => (config.reach, config.overlap) = (args.k, 2.0),
        Method::Exact => (config.k, config.reach, config.overlap) = (0, 0, 2.0),
    }
    Ok(config)
}

fn files(args: &Args) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = args.files.clone();
    if files.is_empty() {
        if std::io::stdin().is_terminal() {
            return Err(usage(
                "no documents: name a file, or pipe JSON lines {\"id\", \"text\"} in",
            ));
        }
        files.push("-".into());
    }
    source::check(&files).map_err(|(file, error)| {
        usage(format!(
            "cannot read {}: {error}; check the path",
            file.display()
        ))
    })?;
    Ok(files)
}

/// The next items, as many as a batch holds or as are there without waiting; none at the end.
fn batch(source: &mut Source) -> Option<Vec<Item>> {
    let mut items = vec![source.next()?];
    let mut bytes = size(&items[0]);
    while items.len() < BATCH_MAX && bytes < BATCH_BYTES && source.is_ready() {
        let Some(item) = source.next() else { break };
        bytes += size(&item);
        items.push(item);
    }
    Some(items)
}

fn size(item: &Item) -> usize {
    match item {
        Item::Document(document) => document.size(),
        Item::Bad(..) | Item::Other => 0,
    }
}

/// Judges a document and writes its line; gives the verdict.
fn answer(
    args: &Args,
    id: Value,
    print: &TextPrint,
    layout: u64,
    kept: &mut Kept,
    output: &Output,
) -> anyhow::Result<&'static str> {
    let found = kept.nearest(print).map(|(near, name)| {
        let decision = match args.method {
            Method::Simhash if near.distance <= args.k => Decision::Duplicate,
            Method::Simhash => Decision::Unconfirmed,
            Method::Combined | Method::Exact => near.decision,
        };
        (Neighbour { decision, ..near }, name)
    });
    let (near, name) = found.unzip();
    let (verdict, kind) = judge(print, near, name.as_ref(), layout);
    let near_id = name.as_ref().map(|name| &name.id);
    output.value(&Answer {
        id: &id,
        verdict,
        dup_of: near_id.filter(|_| verdict != KEPT),
        near: near_id,
        distance: near.map(|near| near.distance),
        overlap: near.map(|near| near.overlap),
        containment: near.and_then(|near| near.containment),
        kind,
        reason: near
            .filter(|_| args.method == Method::Combined)
            .map(|near| near.reason.name()),
        fingerprint: print.fingerprint.to_string(),
        words: print.word_count,
    })?;
    if verdict == KEPT {
        kept.insert(print, Name { id, layout })?;
    }
    Ok(verdict)
}

/// The verdict on what repeats nothing.
const KEPT: &str = "kept";

/// The verdict of the sieve, asked about nothing but duplicates, and the duplicate's kind.
fn judge(
    print: &TextPrint,
    neighbour: Option<Neighbour>,
    name: Option<&Name>,
    layout: u64,
) -> (&'static str, Option<&'static str>) {
    let evidence = Evidence {
        status: 200,
        content: Content::Page,
        words: print.word_count,
        may_index: true,
        soft_404: false,
        listing: false,
        language: None,
        relevance: None,
        neighbour,
        same_layout: name
            .is_some_and(|name| (name.layout ^ layout).count_ones() <= LAYOUT_BITS_MAX),
    };
    let rules = Rules {
        words_min: 0,
        ..Rules::default()
    };
    match sieve::judge(&evidence, &rules) {
        Verdict::Index => (KEPT, None),
        Verdict::Junk(reason) => (
            reason.name(),
            reason.duplicate_kind().map(sieve::DuplicateKind::name),
        ),
    }
}

fn failure(
    id: Option<Value>,
    error: String,
    counts: &mut Counts,
    output: &Output,
) -> anyhow::Result<()> {
    counts.bad += 1;
    Ok(output.value(&Failure { id, error })?)
}

fn tell(counts: &Counts, before: usize, kept: &Kept, output: &Output) {
    let documents: u64 = counts.verdicts.values().sum();
    let parts: Vec<String> = counts
        .verdicts
        .iter()
        .map(|(verdict, count)| format!("{count} {}", verdict.replace('_', " ")))
        .collect();
    output.say(format!("{documents} documents: {}", parts.join(", ")));
    if before > 0 {
        output.say(format!("the index held {before} and holds {}", kept.len()));
    }
    if counts.other > 0 {
        output.say(format!("{} records that are no pages", counts.other));
    }
    if counts.bad > 0 {
        output.say(format!(
            "{} lines are no documents; they are in the answer with \"error\"",
            counts.bad
        ));
    }
}
