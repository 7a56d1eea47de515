//! Decides over a stream of documents which are near-duplicates of documents before them.
//!
//! ```text
//! zcat docs.jsonl.gz | cargo run --release -p simhash --example dedup_stream > decisions.jsonl
//! zcat docs.jsonl.gz | cargo run --release -p simhash --example dedup_stream -- \
//!     [--overlap 0.635] [--reach 8] [--k 3] [--sketch 64] [--pairs pairs.jsonl]
//! ```
//!
//! Reads lines {"id", "text"} and writes a line {"id", "verdict", "dup_of", "distance",
//! "overlap", "reason", "fingerprint"} for each. With `--pairs` it judges the pairs {"a", "b"}
//! of that file by themselves and writes lines {"a", "b", "dup", "reason", "distance", "overlap",
//! "words"} instead.

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, BufWriter, Write};

use segment::Segmenter;
use serde_json::{Value, json};
use simhash::{Decision, IndexConfig, SketchSize, TableIndex, TextPrint, rule};

struct Arguments {
    config: IndexConfig,
    pairs: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    let mut documents = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let document: Value = serde_json::from_str(&line?)?;
        let text = document["text"]
            .as_str()
            .ok_or("a document without a text")?;
        let id = document["id"]
            .as_str()
            .ok_or("a document without an id")?
            .to_owned();
        documents.push((id, simhash::print(&Segmenter::shared().words(text))));
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    match &arguments.pairs {
        Some(pairs) => judge_pairs(&arguments.config, &documents, pairs, &mut out)?,
        None => stream(&arguments.config, &documents, &mut out)?,
    }
    Ok(out.flush()?)
}

fn stream(
    config: &IndexConfig,
    documents: &[(String, TextPrint)],
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut index = TableIndex::in_memory(config)?;
    for (number, (id, print)) in documents.iter().enumerate() {
        let near = index.nearest(print)?;
        let duplicate = near.filter(|near| near.decision == Decision::Duplicate);
        if duplicate.is_none() {
            index.insert(number as u64, print)?;
        }
        let decision = json!({
            "id": id,
            "verdict": if duplicate.is_some() { "near_duplicate" } else { "kept" },
            "dup_of": duplicate.map(|near| documents[near.page as usize].0.clone()),
            "near": near.map(|near| documents[near.page as usize].0.clone()),
            "distance": near.map(|near| near.distance),
            "overlap": near.map(|near| near.overlap),
            "containment": near.and_then(|near| near.containment),
            "reason": near.map(|near| near.reason.name()),
            "fingerprint": print.fingerprint.to_string(),
        });
        writeln!(out, "{decision}")?;
    }
    Ok(())
}

fn judge_pairs(
    config: &IndexConfig,
    documents: &[(String, TextPrint)],
    pairs: &str,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let prints: HashMap<&str, &TextPrint> = documents
        .iter()
        .map(|(id, print)| (id.as_str(), print))
        .collect();
    for line in std::fs::read_to_string(pairs)?.lines() {
        let pair: Value = serde_json::from_str(line)?;
        let find = |side: &str| pair[side].as_str().and_then(|id| prints.get(id)).copied();
        let (Some(a), Some(b)) = (find("a"), find("b")) else {
            return Err(format!("a pair of unknown documents: {line}").into());
        };
        let kept = TextPrint {
            sketch: b.sketch.truncated(config.sketch),
            ..*b
        };
        let found =
            rule::is_candidate(config, a, &kept).then(|| rule::judge(config, a, 0, &kept, 0));
        let duplicate = found.is_some_and(|near| near.decision == Decision::Duplicate);
        let reason = found.map(|near| near.reason.name());
        writeln!(
            out,
            "{}",
            json!({
                "a": pair["a"],
                "b": pair["b"],
                "dup": duplicate,
                "reason": reason,
                "distance": a.fingerprint.distance(b.fingerprint),
                "overlap": a.sketch.overlap(&kept.sketch),
                "words": [a.word_count, b.word_count],
            })
        )?;
    }
    Ok(())
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut arguments = Arguments {
        config: IndexConfig::default(),
        pairs: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(flag) = words.next() {
        let value = words
            .next()
            .ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--overlap" => arguments.config.overlap = value.parse()?,
            "--reach" => arguments.config.reach = value.parse()?,
            "--k" => arguments.config.k = value.parse()?,
            "--sketch" if value == "64" => arguments.config.sketch = SketchSize::Bytes64,
            "--sketch" if value == "128" => arguments.config.sketch = SketchSize::Bytes128,
            "--pairs" => arguments.pairs = Some(value),
            _ => return Err(format!("unknown flag {flag} {value}").into()),
        }
    }
    Ok(arguments)
}
