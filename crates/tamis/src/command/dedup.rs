//! `tamis dedup`: a stream of documents through the fingerprint, index and verdict of a crawl.

mod progress;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use ::dedup::{
    Answer, Counts, Decision, Deduplicator, Failure, KeptDocuments, KeptError, Settings,
    SettingsError, Unread, Verdict,
};
use clap::ValueEnum;
use documents::{Documents, OpenError, source};
use report::original::Original;
use report::words::{count, plural};
use serde::Serialize;
use serde_json::Value;
use sieve::Keep;
use simhash::{IndexConfig, Memory, Tables};

use self::progress::Progress;
use super::feature_options::FeatureOptions;
use super::in_full;
use crate::exit::{Exit, resource, usage};
use crate::output::Output;

/// Tell which documents of a stream repeat an earlier one
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads JSON lines {\"id\", \"text\"} or {\"id\", \"html\", \"url\"}, or WARC and WET \
    files (the id is then the URL), plain or gzipped. Writes a JSON line for each document, in order: \
    {id, verdict, dup_of, distance, overlap, kind, fingerprint}; \"dup_of\" is null for what is kept. \
    With --keep other than first a better document is kept in the place of the one that it \"replaces\". \
    A line that is no document has {id, error}, and the exit code is then 1.\n\nExamples:\n  \
    tamis dedup docs.jsonl.gz > verdicts.jsonl\n  \
    tamis dedup --index seen/ monday.warc.gz && tamis dedup --index seen/ tuesday.warc.gz\n  \
    tamis dedup --method shingles docs.jsonl > theirs.jsonl\n  \
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
    /// Least share that shingles (default 0.6) or spots (0.44) have in common, 0 to 1
    #[arg(long, value_name = "SHARE")]
    threshold: Option<f64>,
    /// Which document of a cluster is kept
    #[arg(long, value_enum, default_value_t = KeepName::First)]
    keep: KeepName,
    /// Tables of the index: 3, 4, 10 or 16
    #[arg(long, value_name = "N", default_value = "4", value_parser = tables)]
    tables: Tables,
    /// Where tables and kept documents are held; disk needs --index
    #[arg(long, value_enum, default_value_t = Place::Ram)]
    memory: Place,
    /// Keep the index in this directory, for the next run
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,
    #[command(flatten)]
    features: FeatureOptions,
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
    /// I-Match: equal hashes of the words that are neither common nor rare.
    Imatch,
    /// Shingling: enough runs of words in common, by MinHash.
    Shingles,
    /// SpotSigs: enough chains of words behind stop words in common.
    Spotsigs,
}

/// Which document of a cluster is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeepName {
    /// The first in the stream.
    First,
    /// The one with the most words.
    Longest,
    /// The one published first ("published" of a line, or by its page).
    Oldest,
    /// The one that another names as canonical ("canonical" of a line, or by its page).
    Canonical,
}

impl From<Method> for ::dedup::Method {
    fn from(method: Method) -> ::dedup::Method {
        match method {
            Method::Combined => ::dedup::Method::Combined,
            Method::Simhash => ::dedup::Method::Simhash,
            Method::Exact => ::dedup::Method::Exact,
            Method::Imatch => ::dedup::Method::IMatch,
            Method::Shingles => ::dedup::Method::Shingles,
            Method::Spotsigs => ::dedup::Method::SpotSigs,
        }
    }
}

impl From<KeepName> for Keep {
    fn from(name: KeepName) -> Keep {
        match name {
            KeepName::First => Keep::First,
            KeepName::Longest => Keep::Longest,
            KeepName::Oldest => Keep::Oldest,
            KeepName::Canonical => Keep::Canonical,
        }
    }
}

impl From<Place> for Memory {
    fn from(place: Place) -> Memory {
        match place {
            Place::Ram => Memory::Ram,
            Place::Disk => Memory::Disk,
        }
    }
}

/// Where tables and kept documents are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Place {
    /// In memory.
    Ram,
    /// On disk.
    Disk,
}

fn tables(number: &str) -> Result<Tables, String> {
    let count = number.parse().ok();
    count
        .and_then(Tables::of_count)
        .ok_or_else(|| "write 3, 4, 10 or 16".to_owned())
}

/// A line of the answer.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a Value,
    verdict: &'static str,
    dup_of: Option<&'a Value>,
    /// The nearest kept document, whether a duplicate or not.
    near: Option<&'a Value>,
    distance: Option<u8>,
    overlap: Option<f32>,
    containment: Option<f32>,
    kind: Option<&'a str>,
    reason: Option<&'static str>,
    /// Of a duplicate and the document that it repeats, the likelier source; and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<&'a Original>,
    /// The document whose place it took, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces_because: Option<&'static str>,
    fingerprint: String,
    words: u32,
}

impl<'a> From<&'a Decision> for Line<'a> {
    fn from(decision: &'a Decision) -> Line<'a> {
        let near = decision.near.as_ref();
        let near_id = near.map(|near| &near.id);
        let because = match decision.verdict {
            Verdict::Replaces { because } => Some(because),
            Verdict::Kept | Verdict::ExactDuplicate | Verdict::NearDuplicate => None,
        };
        Line {
            id: &decision.id,
            verdict: decision.verdict.name(),
            dup_of: near_id.filter(|_| !decision.verdict.is_kept()),
            near: near_id,
            distance: near.map(|near| near.distance),
            overlap: near.map(|near| near.overlap),
            containment: near.and_then(|near| near.containment),
            kind: decision.kind.as_ref().map(|kind| kind.name()),
            reason: near
                .and_then(|near| near.reason)
                .map(|reason| reason.name()),
            original: decision.original.as_ref(),
            replaces: near_id.filter(|_| because.is_some()),
            replaces_because: because,
            fingerprint: decision.fingerprint.to_string(),
            words: decision.words,
        }
    }
}

/// A line for what is no document.
#[derive(Serialize)]
struct FailedLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    error: String,
}

impl<'a> From<&'a Failure> for FailedLine<'a> {
    fn from(failure: &'a Failure) -> FailedLine<'a> {
        FailedLine {
            id: failure.id(),
            error: failure.to_string(),
        }
    }
}

/// Judges the files' documents.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let settings = settings(args);
    settings
        .check(args.index.is_some())
        .map_err(|error| usage(told_of_settings(error)))?;
    if let Some(note) = told_of_unread(args.method, &settings.unread())? {
        output.say(note);
    }
    let mut documents = Documents::open(files(args)?);
    let index = settings.index();
    let kept = match &args.index {
        Some(dir) => KeptDocuments::open(dir, &index),
        None => KeptDocuments::in_memory(&index),
    };
    let kept = kept.map_err(told_of_kept)?;
    if let Some(note) = kept.note() {
        output.say(format!("note: {note}"));
    }
    let before = kept.len();
    let sample = match settings.need_sample() {
        true => documents.sample().map_err(told_of_file)?,
        false => Vec::new(),
    };
    let mut dedup = Deduplicator::new(&settings, kept, &sample)?;
    let mut counts = Counts::default();
    let mut progress = Progress::new(output);
    while let Some(batch) = documents.next_batch().map_err(told_of_file)? {
        progress.read(&batch);
        for answer in dedup.answers(batch) {
            let answer = answer.map_err(told_of_kept)?;
            counts.add(&answer);
            match &answer {
                Answer::Decided(decision) => output.value(&Line::from(&**decision))?,
                Answer::Failed(failure) => output.value(&FailedLine::from(failure))?,
                Answer::Other => {}
            }
        }
        // Whoever pipes documents in may wait for the answers.
        output.flush()?;
    }
    progress.end();
    dedup.store().map_err(told_of_kept)?;
    summary(&counts, before, dedup.kept().len(), output);
    Ok(match counts.failed {
        0 => Exit::Done,
        _ => Exit::Problem,
    })
}

fn settings(args: &Args) -> Settings {
    Settings {
        method: args.method.into(),
        k: args.k,
        reach: args.reach,
        overlap: args.overlap,
        threshold: args.threshold,
        keep: args.keep.into(),
        tables: args.tables,
        memory: args.memory.into(),
        features: args.features.features(),
        shingle: args.features.shingle(),
    }
}

/// Choices that scripts may give with every method: passed over, and told.
const PASSED_OVER: [&str; 3] = ["k", "reach", "tables"];

/// A note on options that the method does not read.
///
/// # Errors
/// For those that tell what is a duplicate by another method, or what it is made of: the answer would be another
/// than was asked for.
fn told_of_unread(method: Method, unread: &[Unread]) -> anyhow::Result<Option<String>> {
    let name = |method: Method| {
        let value = method.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    };
    let is_wrong = |unread: &&Unread| !PASSED_OVER.contains(&unread.choice);
    if let Some(Unread { choice, methods }) = unread.iter().find(is_wrong) {
        let readers = Method::value_variants().iter();
        let readers = readers.filter(|reader| methods.contains(&(**reader).into()));
        let readers: Vec<String> = readers.map(|reader| name(*reader)).collect();
        return Err(usage(format!(
            "--{choice}: --method {} does not read it; leave it out, or use --method {}",
            name(method),
            readers.join(" or ")
        )));
    }
    let choices: Vec<String> = unread
        .iter()
        .map(|unread| format!("--{}", unread.choice))
        .collect();
    let note = || {
        format!(
            "note: --method {} does not read {}",
            name(method),
            choices.join(", ")
        )
    };
    Ok((!choices.is_empty()).then(note))
}

fn told_of_settings(error: SettingsError) -> String {
    match error {
        SettingsError::DiskWithoutDirectory => {
            "--memory disk: there is no directory; add --index DIR".to_owned()
        }
        SettingsError::NotStored => {
            "--index: only what a crawl does is kept between runs; leave --index out to compare \
             other methods and features"
                .to_owned()
        }
        SettingsError::KeepsFirst => {
            "--keep: this method keeps the first; use --method combined, simhash or exact"
                .to_owned()
        }
        SettingsError::Threshold(_) => "--threshold: write a share above 0 and up to 1".to_owned(),
        SettingsError::Overlap(overlap) => {
            format!("--overlap {overlap}: write a share from 0 to 1")
        }
    }
}

fn told_of_kept(error: KeptError) -> anyhow::Error {
    match error {
        KeptError::Reach(error) => usage(error.to_string()),
        KeptError::Directory { dir, source } => {
            resource(format!("--index {}: {source}", dir.display()))
        }
        KeptError::Index { dir, source } => {
            resource(format!("{}: {}", dir.display(), in_full(&source)))
        }
        KeptError::Damaged { dir, why } => resource(format!(
            "--index {}: the index cannot be used: {why}; \
             it holds nothing but fingerprints: remove the directory and run over all documents again",
            dir.display()
        )),
        KeptError::StoreNames(error) => resource(format!("store the kept ids: {error}")),
        KeptError::Store(error) | KeptError::StoreIndex(error) => {
            resource(format!("the index: {}", in_full(&error)))
        }
    }
}

fn told_of_file(error: OpenError) -> anyhow::Error {
    let cannot = |path: &Path, why| usage(format!("cannot read {}: {why}", path.display()));
    match error {
        OpenError::Read { path, source } => cannot(&path, source.to_string()),
        OpenError::Compressed { path, tool } => {
            let name = path.display();
            let why = format!("it is compressed by {tool}; run: {tool} -dc {name} | tamis dedup -");
            cannot(&path, why)
        }
    }
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
    source::check(&files).map_err(|error| {
        let told = told_of_file(error);
        usage(format!("{told}; check the path"))
    })?;
    Ok(files)
}

fn summary(counts: &Counts, before: usize, after: usize, output: &Output) {
    let parts: Vec<String> = counts
        .verdicts
        .iter()
        .map(|(verdict, count)| format!("{count} {}", verdict.replace('_', " ")))
        .collect();
    let documents = counts.documents();
    let documents = plural(documents, "document", "documents");
    output.say(format!("{documents}: {}", parts.join(", ")));
    if counts.replaced > 0 {
        output.say(format!(
            "{} of the kept took the place of an earlier document",
            counts.replaced
        ));
    }
    if before > 0 {
        output.say(format!("the index held {before} and holds {after}"));
    }
    if counts.other > 0 {
        let records = plural(
            counts.other,
            "record that is no page",
            "records that are no pages",
        );
        output.say(records);
    }
    if counts.failed > 0 {
        let told = match counts.failed {
            1 => "1 line is no document; it is".to_owned(),
            failed => format!("{} lines are no documents; they are", count(failed)),
        };
        output.say(format!("{told} in the answer with \"error\""));
    }
}
