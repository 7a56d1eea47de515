//! Runs every method and every choice of features over one stream of documents. Makes the figures of
//! `docs/near-duplicates.md`.
//!
//! ```text
//! zcat docs.jsonl.gz | cargo run --release -p resemblance --example methods -- DIR [pairs.jsonl]
//! ```
//!
//! Reads lines {"id", "text"}; writes DIR/NAME.jsonl for each method, with a line {"id", "dup_of"}
//! for each document in order, and with a file of pairs {"a", "b"} DIR/pairs-NAME.jsonl with lines
//! {"a", "b", "dup"} for a few values of the overlap that is asked for.

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use resemblance::detector::Detector;
use resemblance::features::{Features, Hash, Weight};
use resemblance::han::Cut;
use resemblance::imatch::IMatch;
use resemblance::lexicon::Lexicon;
use resemblance::shingles::{Sampled, Shingles};
use resemblance::spotsigs::SpotSigs;
use segment::{Segmenter, Words};
use serde_json::{Value, json};
use simhash::{Decision, IndexConfig, TableIndex, TextPrint, rule};

/// Documents from which the lexicon learns, as in `tamis dedup`.
const SAMPLE: usize = 2_000;

struct Document {
    id: String,
    words: Words,
    print: TextPrint,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().ok_or("usage: methods DIR [pairs.jsonl]")?;
    let dir = Path::new(&dir);
    std::fs::create_dir_all(dir)?;
    let documents = documents()?;
    cost(&documents)?;
    for (name, config) in configs() {
        write(dir, &name, &documents, &stream(&config, &documents)?)?;
    }
    for (name, detector) in detectors(&documents) {
        write(dir, &name, &documents, &detected(&detector, &documents))?;
    }
    for (name, features) in choices() {
        let start = Instant::now();
        let sample = documents.iter().take(SAMPLE);
        let lexicon = Lexicon::of(sample.map(|document| features.hashes(&document.words)));
        let print = |document: &Document| TextPrint {
            fingerprint: features.fingerprint(&document.words, &lexicon),
            ..document.print
        };
        let prints: Vec<TextPrint> = documents.iter().map(print).collect();
        eprintln!("{name}: {:.1} s", start.elapsed().as_secs_f64());
        for (method, config) in [
            ("simhash", simhash(3)),
            ("combined", IndexConfig::default()),
        ] {
            let kept = judged(&config, &prints)?;
            write(dir, &format!("{method}-{name}"), &documents, &kept)?;
        }
    }
    match arguments.next() {
        Some(pairs) => judge_pairs(dir, &pairs, &documents),
        None => Ok(()),
    }
}

/// Tells the CPU time that a crawl spends on a document after it was cut into words.
fn cost(documents: &[Document]) -> Result<(), Box<dyn Error>> {
    let microseconds = |ns: u64| ns as f64 / 1e3 / documents.len() as f64;
    let start = cpu_ns()?;
    let prints: Vec<_> = documents
        .iter()
        .map(|document| simhash::print(&document.words))
        .collect();
    let printed = cpu_ns()?;
    let kept = judged(&IndexConfig::default(), &prints)?;
    let words: usize = documents.iter().map(|document| document.words.len()).sum();
    eprintln!(
        "{} documents of {} words: print {:.1}, lookup and insert {:.1} CPU microseconds; {} dropped",
        documents.len(),
        words / documents.len(),
        microseconds(printed - start),
        microseconds(cpu_ns()? - printed),
        kept.iter().flatten().count()
    );
    Ok(())
}

/// CPU time of this thread, in nanoseconds; Linux only.
fn cpu_ns() -> Result<u64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = text.split_whitespace().next().ok_or("no CPU time")?;
    Ok(first.parse()?)
}

fn documents() -> Result<Vec<Document>, Box<dyn Error>> {
    let mut documents = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| line[key].as_str().ok_or("a line without id or text");
        let words = Segmenter::shared().words(text("text")?);
        documents.push(Document {
            id: text("id")?.to_owned(),
            print: simhash::print(&words),
            words,
        });
    }
    Ok(documents)
}

/// Fingerprints alone: no overlap is ever refuted or confirmed.
fn simhash(k: u8) -> IndexConfig {
    IndexConfig {
        k,
        reach: k,
        overlap: 2.0,
        ..IndexConfig::default()
    }
}

fn configs() -> Vec<(String, IndexConfig)> {
    let mut configs = vec![("exact".to_owned(), simhash(0))];
    configs.extend([3, 6].map(|k| (format!("simhash-k{k}"), simhash(k))));
    let overlaps = [0.595, 0.615, 0.635, 0.655, 0.675, 0.695];
    configs.extend(overlaps.map(|overlap| {
        let config = IndexConfig {
            overlap,
            ..IndexConfig::default()
        };
        (format!("combined-{overlap}"), config)
    }));
    configs
}

fn detectors(documents: &[Document]) -> Vec<(String, Detector)> {
    let sample = documents.iter().take(SAMPLE);
    let lexicon = Lexicon::of(sample.map(|document| document.words.hashes()));
    let mut detectors = vec![("imatch".to_owned(), Detector::IMatch(IMatch::new(lexicon)))];
    for overlap in [0.5, 0.6, 0.7] {
        for (name, sampled) in [("least", Sampled::MinHash), ("mod8", Sampled::Modulo(8))] {
            let shingles = Shingles {
                overlap,
                sampled,
                ..Shingles::default()
            };
            let name = format!("shingles-{name}-{overlap}");
            detectors.push((name, Detector::Shingles(shingles)));
        }
    }
    for overlap in [0.44, 0.6, 0.7] {
        let name = format!("spotsigs-{overlap}");
        detectors.push((name, Detector::SpotSigs(SpotSigs { overlap })));
    }
    detectors
}

/// The usual features, and each other choice by itself.
fn choices() -> Vec<(&'static str, Features)> {
    let other = |change: fn(&mut Features)| {
        let mut features = Features::default();
        change(&mut features);
        features
    };
    vec![
        ("usual", Features::default()),
        ("forward", other(|features| features.cut = Cut::Forward)),
        ("reverse", other(|features| features.cut = Cut::Reverse)),
        ("fewest", other(|features| features.cut = Cut::Fewest)),
        (
            "no-stop-words",
            other(|features| features.drop_stop_words = true),
        ),
        ("stems", other(|features| features.stem = true)),
        ("levels", other(|features| features.weight = Weight::Levels)),
        (
            "tf-idf",
            other(|features| features.weight = Weight::CountIdf),
        ),
        ("gb2312", other(|features| features.hash = Hash::Gb2312)),
        (
            "enumerated",
            other(|features| features.hash = Hash::Enumerated),
        ),
        ("pairs", other(|features| features.shingle = 2)),
        ("triples", other(|features| features.shingle = 3)),
        ("mod4", other(|features| features.modulus = 4)),
    ]
}

/// For each document the number of the one that it repeats, if any.
type Decisions = Vec<Option<usize>>;

fn stream(config: &IndexConfig, documents: &[Document]) -> Result<Decisions, Box<dyn Error>> {
    let prints: Vec<TextPrint> = documents.iter().map(|document| document.print).collect();
    judged(config, &prints)
}

fn judged(config: &IndexConfig, prints: &[TextPrint]) -> Result<Decisions, Box<dyn Error>> {
    let mut index = TableIndex::in_memory(config)?;
    let alone = config.overlap > 1.0;
    let judge = |(number, print): (usize, &TextPrint)| {
        let near = index.nearest(print)?;
        let near = near.filter(|near| match near.decision {
            Decision::Duplicate => true,
            Decision::Refuted | Decision::Unconfirmed => {
                alone && config.k > 0 && near.distance <= config.k
            }
        });
        if near.is_none() {
            index.insert(number as u64, print)?;
        }
        Ok(near.map(|near| near.page as usize))
    };
    prints.iter().enumerate().map(judge).collect()
}

fn detected(detector: &Detector, documents: &[Document]) -> Decisions {
    let (mut kept, mut numbers) = (detector.kept(), Vec::new());
    let judge = |(number, document): (usize, &Document)| {
        let signature = detector.sign(&document.words);
        let found = kept.repeated(&signature);
        if found.is_none() {
            kept.insert(signature);
            numbers.push(number);
        }
        found.map(|at| numbers[at])
    };
    documents.iter().enumerate().map(judge).collect()
}

fn write(
    dir: &Path,
    name: &str,
    documents: &[Document],
    kept: &Decisions,
) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::fs::File::create(dir.join(format!("{name}.jsonl")))?);
    for (document, of) in documents.iter().zip(kept) {
        let of = of.map(|of| &documents[of].id);
        writeln!(out, "{}", json!({ "id": document.id, "dup_of": of }))?;
    }
    eprintln!("{name}");
    Ok(out.flush()?)
}

fn judge_pairs(dir: &Path, pairs: &str, documents: &[Document]) -> Result<(), Box<dyn Error>> {
    let prints = documents
        .iter()
        .map(|document| (document.id.as_str(), &document.print));
    let prints: HashMap<&str, &TextPrint> = prints.collect();
    let pairs = std::fs::read_to_string(pairs)?;
    for (name, config) in configs() {
        let mut out = BufWriter::new(std::fs::File::create(
            dir.join(format!("pairs-{name}.jsonl")),
        )?);
        for line in pairs.lines() {
            let pair: Value = serde_json::from_str(line)?;
            let find = |side: &str| pair[side].as_str().and_then(|id| prints.get(id)).copied();
            let (a, b) = find("a")
                .zip(find("b"))
                .ok_or("a pair of unknown documents")?;
            let dup = rule::is_candidate(&config, b, a)
                && rule::judge(&config, b, 0, a, 0).decision == Decision::Duplicate;
            writeln!(
                out,
                "{}",
                json!({ "a": pair["a"], "b": pair["b"], "dup": dup })
            )?;
        }
        out.flush()?;
    }
    Ok(())
}
