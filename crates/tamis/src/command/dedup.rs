//! `tamis dedup`: a stream of documents through the fingerprint, index and verdict of a crawl.
//!
//! Documents are read in batches of bounded size: printed on all cores, then judged one by one in
//! their order, since each verdict depends on what was kept before. Besides a batch only the kept
//! documents' prints and ids are held.

mod input;
mod kept;
mod progress;
mod reading;
mod source;
mod warc;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;

use clap::ValueEnum;
use outcome::{DuplicateKind, JunkReason, Verdict};
use report::original::{Candidate, Original, original};
use resemblance::detector::{KeptSignatures, Signature};
use serde::Serialize;
use serde_json::Value;
use sieve::{Content, Evidence, Keep, Member, Rules, duplicate_kind};
use simhash::{Decision, IndexConfig, Layout, Memory, Neighbour, Tables, TextPrint};

use self::input::Input;
use self::kept::{Kept, Name};
use self::progress::Progress;
use self::reading::{Reader, Reading};
use self::source::{Document, Item};
use super::document::LAYOUT_BITS_MAX;
use super::feature_options::FeatureOptions;
use super::in_order;
use crate::exit::{Exit, usage};
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
    /// Tables of the index: 4, 10 or 16
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

/// Where tables and kept documents are held.
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
    verdict: &'a str,
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
    original: Option<Original>,
    /// The document whose place it took, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces_because: Option<&'static str>,
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
    verdicts: BTreeMap<String, u64>,
    replaced: u64,
    bad: u64,
    other: u64,
}

/// Judges the files' documents.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let config = config(args)?;
    let mut input = Input::open(&files(args)?);
    let kept = match &args.index {
        Some(dir) => Kept::open(dir, &config)?,
        None => Kept::in_memory(&config)?,
    };
    let before = kept.len();
    let reader = match Reader::needs_sample(args) {
        true => input.with_sample(|sample| Reader::new(args, sample))??,
        false => Reader::new(args, &[])?,
    };
    let mut judge = Judge {
        args,
        output,
        kept,
        signatures: reader.detector.as_ref().map(|detector| detector.kept()),
        counts: Counts::default(),
    };
    let mut progress = Progress::new(output);
    while let Some(items) = input.batch()? {
        progress.read(&items);
        let documents = in_order::map(&items, |item| match item {
            Item::Document(document) => Some(reader.read(document)),
            Item::Bad(..) | Item::Other => None,
        })?;
        for (item, read) in items.into_iter().zip(documents) {
            match (item, read) {
                (Item::Document(document), Some(Some(reading))) => {
                    judge.answer(document, reading)?
                }
                (Item::Document(Document { id, .. }), Some(None) | None) => {
                    let error = "reading the document failed in an unexpected way";
                    judge.failure(Some(id), error.into())?;
                }
                (Item::Bad(id, error), _) => judge.failure(id, error)?,
                (Item::Other, _) => judge.counts.other += 1,
            }
        }
        // Whoever pipes documents in may wait for the answers.
        output.flush()?;
    }
    progress.end();
    judge.kept.store()?;
    tell(&judge.counts, before, &judge.kept, output);
    Ok(match judge.counts.bad {
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
    let usual = args.features.features() == Default::default();
    let compared = !matches!(
        args.method,
        Method::Combined | Method::Simhash | Method::Exact
    );
    if args.index.is_some() && (compared || !usual) {
        return Err(usage(
            "--index: only what a crawl does is kept between runs; leave --index out to compare \
             other methods and features",
        ));
    }
    if compared && args.keep != KeepName::First {
        return Err(usage(
            "--keep: this method keeps the first; use --method combined, simhash or exact",
        ));
    }
    if args
        .threshold
        .is_some_and(|share| !(share > 0.0 && share <= 1.0))
    {
        return Err(usage("--threshold: write a share above 0 and up to 1"));
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
        ..usual
    };
    // An overlap that no two texts have: but for equal texts the nearest fingerprint is the answer.
    match args.method {
        Method::Combined | Method::Imatch | Method::Shingles | Method::Spotsigs => {}
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

/// What judges, one document after the other.
struct Judge<'a> {
    args: &'a Args,
    output: &'a Output,
    kept: Kept,
    /// The kept documents as a compared method remembers them.
    signatures: Option<KeptSignatures>,
    counts: Counts,
}

impl Judge<'_> {
    /// Judges a document and writes its line.
    fn answer(&mut self, document: Document, reading: Reading) -> anyhow::Result<()> {
        let Reading {
            print,
            page,
            signature,
        } = reading;
        let found = self.nearest(&print, signature.as_ref())?;
        let (near, name) = found.unzip();
        let (mut repeats, kind) = judge(&print, near, name.as_ref(), page.layout);
        let new = Name {
            id: document.id,
            layout: page.layout,
            url: document.url.map(String::from),
            published: page.published,
            canonical: page.canonical,
            source: page.source,
        };
        let near_id = name.as_ref().map(|name| &name.id);
        let mut replaces = None;
        if let (Some(near), Some(old)) = (near.filter(|_| repeats.is_some()), &name) {
            let (old, new) = (member(old, near.word_count), member(&new, print.word_count));
            replaces = sieve::better_representative(&old, &new, self.args.keep.into());
        }
        let original = near_id
            .filter(|_| repeats.is_some())
            .and(name.as_ref())
            .and_then(|old| original(&[candidate(old), candidate(&new)]));
        if replaces.is_some() {
            repeats = None;
        }
        let verdict = match &repeats {
            Some(reason) => reason.to_string(),
            None => KEPT.to_owned(),
        };
        self.output.value(&Answer {
            id: &new.id,
            verdict: &verdict,
            dup_of: near_id.filter(|_| repeats.is_some()),
            near: near_id,
            distance: near.map(|near| near.distance),
            overlap: near.map(|near| near.overlap),
            containment: near.and_then(|near| near.containment),
            kind: kind.as_ref().map(DuplicateKind::name),
            reason: near
                .filter(|_| self.args.method == Method::Combined)
                .map(|near| near.reason.name()),
            original,
            replaces: near_id.filter(|_| replaces.is_some()),
            replaces_because: replaces,
            fingerprint: print.fingerprint.to_string(),
            words: print.word_count,
        })?;
        *self.counts.verdicts.entry(verdict).or_default() += 1;
        if let (Some(_), Some(near)) = (replaces, near) {
            self.counts.replaced += 1;
            return self.kept.replace(near.page, &print, new);
        }
        if repeats.is_none() {
            self.kept.insert(&print, new)?;
            if let (Some(kept), Some(signature)) = (&mut self.signatures, signature) {
                kept.insert(signature);
            }
        }
        Ok(())
    }

    /// The kept document that decides by the chosen method, and its name.
    fn nearest(
        &mut self,
        print: &TextPrint,
        signature: Option<&Signature>,
    ) -> anyhow::Result<Option<(Neighbour, Name)>> {
        if let (Some(kept), Some(signature)) = (&self.signatures, signature) {
            let Some(repeated) = kept.repeated(signature) else {
                return Ok(None);
            };
            let found = self.kept.neighbour(print, repeated)?;
            let decision = Decision::Duplicate;
            return Ok(found.map(|(near, name)| (Neighbour { decision, ..near }, name)));
        }
        let Some((near, name)) = self.kept.nearest(print)? else {
            return Ok(None);
        };
        let decision = match self.args.method {
            Method::Simhash if near.distance <= self.args.k => Decision::Duplicate,
            Method::Simhash => Decision::Unconfirmed,
            Method::Combined | Method::Exact => near.decision,
            Method::Imatch | Method::Shingles | Method::Spotsigs => near.decision,
        };
        Ok(Some((Neighbour { decision, ..near }, name)))
    }

    fn failure(&mut self, id: Option<Value>, error: String) -> anyhow::Result<()> {
        self.counts.bad += 1;
        Ok(self.output.value(&Failure { id, error })?)
    }
}

/// What tells a source from its copy.
fn candidate(name: &Name) -> Candidate {
    Candidate {
        url: address(name),
        canonical: name.canonical.clone(),
        source: name.source.clone(),
        published: name.published.clone(),
        ..Candidate::default()
    }
}

/// The address of a document, or its id.
fn address(name: &Name) -> String {
    let id = || name.id.as_str().map_or(name.id.to_string(), str::to_owned);
    name.url.clone().unwrap_or_else(id)
}

/// What matters of a document when two stand for the same text.
fn member(name: &Name, words: u32) -> Member {
    Member {
        url: address(name),
        words,
        published: name.published.clone(),
        canonical: name.canonical.clone(),
    }
}

/// The verdict on what repeats nothing.
const KEPT: &str = "kept";

/// Why the sieve would drop a document, asked about nothing but duplicates, and the duplicate's kind.
fn judge(
    print: &TextPrint,
    neighbour: Option<Neighbour>,
    name: Option<&Name>,
    layout: u64,
) -> (Option<JunkReason>, Option<DuplicateKind>) {
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
    let neighbour = evidence.neighbour.as_ref();
    let kind = neighbour.map(|near| duplicate_kind(near, evidence.same_layout));
    match sieve::judge(&evidence, &rules) {
        Verdict::Index => (None, None),
        Verdict::Junk(reason) => (Some(reason), kind),
    }
}

fn tell(counts: &Counts, before: usize, kept: &Kept, output: &Output) {
    let documents: u64 = counts.verdicts.values().sum();
    let parts: Vec<String> = counts
        .verdicts
        .iter()
        .map(|(verdict, count)| format!("{count} {}", verdict.replace('_', " ")))
        .collect();
    output.say(format!("{documents} documents: {}", parts.join(", ")));
    if counts.replaced > 0 {
        output.say(format!(
            "{} of the kept took the place of an earlier document",
            counts.replaced
        ));
    }
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
