//! `tamis compare`: two pages side by side, with the decision a crawl would make and why.

use std::path::{Path, PathBuf};

use outcome::{DuplicateKind, JunkReason};
use report::Look;
use report::difference::{difference, shortened};
use resemblance::measures::{Measures, Relation};
use segment::Words;
use serde_json::json;
use sieve::duplicate_kind;
use simhash::{Decision, IndexConfig, Neighbour, Reason, TextPrint, rule};

use super::document::{LAYOUT_BITS_MAX, Text, read_page, text_of_bytes, words};
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
    let reason = match near.exact {
        true => JunkReason::ExactDuplicate,
        false => JunkReason::NearDuplicate,
    };
    let verdict = if duplicate {
        reason.name()
    } else {
        "different"
    };
    let why = why(&config, &near, found);
    let error = config.sketch.overlap_error(near.overlap);
    let measures = Measures::of(a.words.hashes(), b.words.hashes());
    let relation = measures.relation();
    let kind = duplicate.then(|| kind(&near, &a, &b));
    let kind = kind.as_ref().map(DuplicateKind::name);
    if output.json {
        output.value(&json!({
            "a": a.json(),
            "b": b.json(),
            "distance": near.distance,
            "overlap": near.overlap,
            "overlap_error": error,
            "jaccard": measures.jaccard,
            "of_a_in_b": measures.of_a_in_b,
            "of_b_in_a": measures.of_b_in_a,
            "cosine": measures.cosine,
            "euclidean": measures.euclidean,
            "edit_distance": measures.edit_distance,
            "edit_similarity": measures.edit_similarity,
            "relation": relation.name(),
            "containment": near.containment,
            "verdict": verdict,
            "kind": kind,
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
        "overlap   {:.3} by the sketches (standard error {error:.3}), {:.3} exact (Jaccard: word pairs in both / in either)",
        near.overlap, measures.jaccard
    ))?;
    output.line(format!(
        "parts     {:.3} of A's word pairs are in B, {:.3} of B's in A",
        measures.of_a_in_b, measures.of_b_in_a
    ))?;
    output.line(format!(
        "counts    cosine {:.3}, Euclidean distance {:.1}",
        measures.cosine, measures.euclidean
    ))?;
    output.line(match (measures.edit_distance, measures.edit_similarity) {
        (Some(words), Some(similarity)) => {
            format!(
                "edits     {words} words to insert, delete or replace (similarity {similarity:.3})"
            )
        }
        (None, _) | (_, None) => "edits     not counted: the texts are too long".to_owned(),
    })?;
    output.line(format!("relation  {}", told(relation)))?;
    let kind = kind.map_or(String::new(), |kind| {
        format!(" ({})", kind.replace('_', " "))
    });
    output.line(format!(
        "verdict   {}{kind}: {why}",
        verdict.replace('_', " ")
    ))?;
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
        let text = text_of_bytes(&read_page(file)?, None, None);
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

/// What the one text is to the other, in a sentence.
fn told(relation: Relation) -> &'static str {
    match relation {
        Relation::Same => "the same text",
        Relation::Copy => "one text with edits",
        Relation::Reordered => "the same passages in another order",
        Relation::AInB => "A stands inside B",
        Relation::BInA => "B stands inside A",
        Relation::Mixed => "they share passages, and each has others",
        Relation::Different => "two texts",
    }
}

/// The kind of a duplicate, as a crawl tells it.
fn kind(near: &Neighbour, a: &Side, b: &Side) -> DuplicateKind {
    let differ = (a.text.layout ^ b.text.layout).count_ones();
    duplicate_kind(near, differ <= LAYOUT_BITS_MAX)
}
