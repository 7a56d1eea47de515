//! `tamis compare`: two pages side by side, with the decision a crawl would make and why.

use std::path::{Path, PathBuf};

use ::dedup::{Pair, Side, Verdict};
use anyhow::Context;
use documents::Text;
use fetcher::FetchLimits;
use report::Look;
use report::difference::{difference, shortened};
use report::words::flat;
use resemblance::measures::Relation;
use serde_json::json;
use simhash::{IndexConfig, Reason};
use url::Url;

use super::fetch::{Asker, Manner};
use super::text::{read_page, type_by_name};
use super::{is_web_url, typed_url};
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Characters of common text beside a difference in the JSON form.
const AROUND: usize = 40;

/// Tell whether two pages are duplicates, why, and where they differ
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A is the page that was kept, B the one that is judged. Overlap is what the sketches \
        estimate and the decision rests on; the exact share of word pairs stands beside it. A URL is asked for as \
        by `tamis fetch`: robots.txt holds.\n\nExamples:\n  \
        tamis compare article.html reprint.html\n  \
        tamis compare article.html https://example.org/reprint"
)]
pub struct Args {
    #[command(flatten)]
    manner: Manner,
    /// The kept page, a file or a URL: HTML (its main content counts) or plain text; - is standard input
    a: PathBuf,
    /// The page to judge
    b: PathBuf,
}

/// Compares the two.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    if args.a == Path::new("-") && args.b == Path::new("-") {
        return Err(usage("only one of the two can be standard input"));
    }
    // What is at hand is read before the web is asked.
    let at_hand = |place: &Path| (!is_web_url(place)).then(|| Page::read(place)).transpose();
    let (a, b) = (at_hand(&args.a)?, at_hand(&args.b)?);
    let mut asker = None;
    let mut asked = |place: &Path| {
        let url = typed_url(&place.to_string_lossy());
        let url = url.map_err(|error| usage(format!("{}: {error}", place.display())))?;
        let asker = match &mut asker {
            Some(asker) => asker,
            none => none.insert(Asker::new(&args.manner, FetchLimits::default())?),
        };
        Page::fetch(&url, asker, output)
    };
    let a = a.map_or_else(|| asked(&args.a), Ok)?;
    let b = b.map_or_else(|| asked(&args.b), Ok)?;
    let config = IndexConfig::default();
    let pair = Pair::of(&config, &a.side, &b.side);
    let why = why(&config, &pair);
    match output.json {
        true => output.value(&json(&a, &b, &pair, &why))?,
        false => print(&a, &b, &pair, &why, output)?,
    }
    Ok(Exit::Done)
}

/// One of the two.
struct Page {
    name: String,
    side: Side,
}

impl Page {
    fn read(file: &Path) -> anyhow::Result<Page> {
        let side = Side::from(Text::of_bytes(&read_page(file)?, type_by_name(file), None));
        let name = file.display().to_string();
        Ok(Page { name, side })
    }

    /// Asks for the page; what is no page or no answer of success is an error.
    fn fetch(url: &Url, asker: &mut Asker, output: &Output) -> anyhow::Result<Page> {
        let outcome = asker.ask(url);
        if let Some(error) = outcome.error {
            anyhow::bail!("cannot fetch {url}: {error}");
        }
        let fetched = outcome.last.context("an answer without an error")?;
        if !(200..300).contains(&fetched.status) {
            anyhow::bail!("{url} is no page: status {}", fetched.status);
        }
        let body = fetched.decoded(&asker.limits);
        if let Some(binary) = fetcher::binary_type(&body.bytes) {
            anyhow::bail!("{url} is no page and no text, but {binary}");
        }
        if fetched.truncated.is_some() || body.stopped.is_some() {
            output.say(format!("the body of {url} is not whole"));
        }
        let declared = fetched.content_type();
        let text = Text::of_bytes(&body.bytes, declared.as_deref(), Some(&outcome.final_url));
        Ok(Page {
            name: url.to_string(),
            side: Side::from(text),
        })
    }
    fn json(&self) -> serde_json::Value {
        json!({
            "file": self.name,
            "type": self.side.text.form,
            "title": self.side.text.title,
            "words": self.side.print.word_count,
            "fingerprint": self.side.print.fingerprint.to_string(),
        })
    }
}

/// The name of what a crawl would make of the second page.
fn verdict(pair: &Pair) -> &'static str {
    match pair.verdict() {
        Verdict::Kept => "different",
        verdict => verdict.name(),
    }
}

fn json(a: &Page, b: &Page, pair: &Pair, why: &str) -> serde_json::Value {
    let Pair { near, measures, .. } = pair;
    json!({
        "a": a.json(),
        "b": b.json(),
        "distance": near.distance,
        "overlap": near.overlap,
        "overlap_error": pair.overlap_error,
        "jaccard": measures.jaccard,
        "of_a_in_b": measures.of_a_in_b,
        "of_b_in_a": measures.of_b_in_a,
        "cosine": measures.cosine,
        "euclidean": measures.euclidean,
        "edit_distance": measures.edit_distance,
        "edit_similarity": measures.edit_similarity,
        "relation": pair.relation.name(),
        "containment": near.containment,
        "verdict": verdict(pair),
        "kind": pair.kind,
        "found": pair.is_found,
        "reason": pair.is_found.then(|| near.reason.name()),
        "why": why,
        "differences": shortened(&difference(&a.side.text.text, &b.side.text.text), AROUND),
    })
}

fn print(a: &Page, b: &Page, pair: &Pair, why: &str, output: &Output) -> anyhow::Result<()> {
    for (name, Page { name: file, side }) in [("A", a), ("B", b)] {
        let title = flat(side.text.title.as_deref().unwrap_or(""));
        let file = flat(file);
        let count = side.print.word_count;
        let fingerprint = side.print.fingerprint;
        output.line(format!(
            "{name}  {fingerprint}  {count:>6} words  {file}  {title}"
        ))?;
    }
    print_measures(pair, output)?;
    let kind = pair.kind.as_ref().map_or(String::new(), |kind| {
        format!(" ({})", kind.name().replace('_', " "))
    });
    let verdict = verdict(pair).replace('_', " ");
    output.line(format!("verdict   {verdict}{kind}: {why}"))?;
    output.line("\nWhat differs (- A, + B)")?;
    let look = Look {
        columns: output.width,
        colour: output.color,
        ..Look::default()
    };
    let (a, b) = (&a.side.text.text, &b.side.text.text);
    for line in report::explain::compare_texts(a, b, look) {
        output.line(format!("  {line}"))?;
    }
    Ok(())
}

fn print_measures(pair: &Pair, output: &Output) -> anyhow::Result<()> {
    let Pair { near, measures, .. } = pair;
    output.line(format!("distance  {} bits", near.distance))?;
    output.line(format!(
        "overlap   {:.3} by the sketches (standard error {:.3}), {:.3} exact (Jaccard: word pairs in both / in either)",
        near.overlap, pair.overlap_error, measures.jaccard
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
    output.line(format!("relation  {}", told(pair.relation)))?;
    Ok(())
}

/// The decision in a sentence.
fn why(config: &IndexConfig, pair: &Pair) -> String {
    let near = &pair.near;
    if !pair.is_found {
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
