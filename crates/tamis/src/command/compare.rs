//! `tamis compare`: two pages side by side, with the decision a crawl would make and why.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use report::Look;
use report::difference::{difference, shortened};
use segment::Words;
use serde_json::json;
use simhash::{Decision, IndexConfig, Neighbour, Reason, TextPrint, hash, rule};

use super::document::{Text, text_of_bytes, words};
use super::text::read;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Characters of common text beside a difference in the JSON form.
const AROUND: usize = 40;

/// Tell whether two pages are duplicates, why, and where they differ
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A is the page that was kept, B the one that is judged. Overlap is what the sketches \
        estimate and the decision rests on; the exact share of word pairs stands beside it.\n\nExample:\n  \
        tamis compare article.html reprint.html"
)]
pub struct Args {
    /// The kept page: HTML (its main content counts) or plain text; - is standard input
    a: PathBuf,
    /// The page to judge
    b: PathBuf,
}

/// Compares the two.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    if args.a == Path::new("-") && args.b == Path::new("-") {
        return Err(usage("only one of the two can be standard input"));
    }
    let (a, b) = (Side::read(&args.a)?, Side::read(&args.b)?);
    let config = IndexConfig::default();
    let near = rule::judge(&config, &b.print, 0, &a.print, u8::MAX);
    let found = rule::is_candidate(&config, &b.print, &a.print);
    let duplicate = found && near.decision == Decision::Duplicate;
    let verdict = match (duplicate, near.exact) {
        (false, _) => "different",
        (true, true) => "exact_duplicate",
        (true, false) => "near_duplicate",
    };
    let why = why(&config, &near, found);
    let jaccard = jaccard(&a.words, &b.words);
    if output.json {
        output.value(&json!({
            "a": a.json(),
            "b": b.json(),
            "distance": near.distance,
            "overlap": near.overlap,
            "jaccard": jaccard,
            "containment": near.containment,
            "verdict": verdict,
            "found": found,
            "reason": found.then(|| near.reason.name()),
            "why": why,
            "differences": shortened(&difference(&a.text.text, &b.text.text), AROUND),
        }))?;
        return Ok(Exit::Done);
    }
    for (name, side) in [("A", &a), ("B", &b)] {
        let title = side.text.title.as_deref().unwrap_or("");
        let count = side.print.word_count;
        let file = &side.name;
        let fingerprint = side.print.fingerprint;
        output.line(format!(
            "{name}  {fingerprint}  {count:>6} words  {file}  {title}"
        ))?;
    }
    output.line(format!("distance  {} bits", near.distance))?;
    output.line(format!(
        "overlap   {:.3} by the sketches, {jaccard:.3} exact (word pairs in both / in either)",
        near.overlap
    ))?;
    output.line(format!("verdict   {}: {why}", verdict.replace('_', " ")))?;
    output.line("\nWhat differs (- A, + B)")?;
    let look = Look {
        columns: output.width,
        colour: output.color,
        ..Look::default()
    };
    for line in report::explain::compare_texts(&a.text.text, &b.text.text, look) {
        output.line(format!("  {line}"))?;
    }
    Ok(Exit::Done)
}

/// One of the two.
struct Side {
    name: String,
    text: Text,
    words: Words,
    print: TextPrint,
}

impl Side {
    fn read(file: &Path) -> anyhow::Result<Side> {
        let name = file.display().to_string();
        if name.starts_with("http://") || name.starts_with("https://") {
            return Err(usage(format!(
                "{name} is a URL; save the page first, as with: curl -sLo page.html {name}"
            )));
        }
        let text = text_of_bytes(&read(file)?, None, None);
        let words = words(&text.text);
        let print = simhash::print(&words);
        Ok(Side {
            name,
            text,
            words,
            print,
        })
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "file": self.name,
            "type": self.text.form,
            "title": self.text.title,
            "words": self.print.word_count,
            "fingerprint": self.print.fingerprint.to_string(),
        })
    }
}

/// The decision in a sentence.
fn why(config: &IndexConfig, near: &Neighbour, found: bool) -> String {
    if !found {
        return format!(
            "the fingerprints differ in {} bits and no more than {} are looked at, so a crawl would not compare the two",
            near.distance, config.reach
        );
    }
    let overlap = f64::from(near.overlap);
    match near.reason {
        Reason::SameText => "the same words in the same order".to_owned(),
        Reason::OverlapEnough => {
            format!(
                "they share {overlap:.3} of their word pairs, which is enough at this distance and length"
            )
        }
        Reason::OverlapLow => {
            format!(
                "they share only {overlap:.3} of their word pairs, too few at this distance and length"
            )
        }
        Reason::PartialCopy => "one holds the other and much else besides".to_owned(),
        Reason::NumbersDiffer => {
            "the words are alike and the numbers are not: two texts of one form".to_owned()
        }
    }
}

/// The share of word pairs that both texts have of those that either has: Jaccard, exact.
fn jaccard(a: &Words, b: &Words) -> f64 {
    let (a, b) = (pairs(a), pairs(b));
    let both = a.intersection(&b).count();
    let either = a.len() + b.len() - both;
    if either == 0 {
        return 1.0;
    }
    both as f64 / either as f64
}

/// The pairs of neighbouring words; of a text of one word, the word.
fn pairs(words: &Words) -> HashSet<u64> {
    match words.hashes() {
        [one] => HashSet::from([*one]),
        hashes => hashes
            .windows(2)
            .map(|two| hash::pair(two[0], two[1]))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: &str, b: &str, expected: f64) {
        let found = jaccard(&words(a), &words(b));
        assert!((found - expected).abs() < 1e-9, "{a:?} {b:?}: {found}");
    }

    #[test]
    fn the_exact_overlap_counts_pairs_of_words() {
        check("a b c d", "a b c d", 1.0);
        check("a b c d", "a b c x", 0.5);
        check("a b c", "c b a", 0.0);
        check("a b a b", "a b", 0.5);
        check("", "", 1.0);
        check("a", "", 0.0);
        check("a", "A", 1.0);
    }
}
