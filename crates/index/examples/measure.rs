//! Indexes texts and tells what it takes: rate, size by field, time per search.
//!
//! Reads one JSON object per line with a `text` and perhaps a `title` from standard input;
//! arguments are the queries to time.
//!
//! ```text
//! zcat texts.jsonl.gz | cargo run --release -p index --example measure -- 数据库 '"near duplicate"'
//! ```

use std::io::BufRead;
use std::path::Path;
use std::time::{Duration, Instant};

use index::{Document, Filters, PageIndex, Searcher};
use segment::Segmenter;

#[derive(serde::Deserialize)]
struct Line {
    #[serde(default)]
    title: String,
    text: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::temp_dir().join(format!("tamis-measure-{}", std::process::id()));
    index_texts(&dir)?;
    tell_sizes(&dir)?;
    time_searches(&dir)?;
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

fn index_texts(dir: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let (mut pages, _) = PageIndex::open(dir)?;
    let (mut count, mut bytes) = (0, 0);
    let (mut segmenting, mut adding) = (Duration::ZERO, Duration::ZERO);
    let begin = Instant::now();
    for line in std::io::stdin().lock().lines() {
        let line: Line = serde_json::from_str(&line?)?;
        count += 1;
        bytes += line.text.len();
        let start = Instant::now();
        let words = Segmenter::shared().words(&line.text);
        segmenting += start.elapsed();
        let start = Instant::now();
        pages.add(&Document {
            seq: count,
            url: &format!("http://measure.example/{count}"),
            host: "measure.example",
            title: &line.title,
            text: &line.text,
            words: Some(&words),
            ..Document::default()
        })?;
        adding += start.elapsed();
        if count % 1000 == 0 {
            pages.commit(count)?;
        }
    }
    pages.commit(count)?;
    pages.close()?;
    println!(
        "{count} documents, {:.1} MB of text in {:.2} s: segmenting {:.2} s, handing over {:.2} s",
        bytes as f64 / 1e6,
        begin.elapsed().as_secs_f64(),
        segmenting.as_secs_f64(),
        adding.as_secs_f64(),
    );
    Ok(())
}

fn tell_sizes(dir: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let usage = tantivy::Index::open_in_dir(dir)?
        .reader()?
        .searcher()
        .space_usage()?;
    println!("{:.1} MB on disk", usage.total().get_bytes() as f64 / 1e6);
    let mut by_field = std::collections::BTreeMap::<String, u64>::new();
    for segment in usage.segments() {
        *by_field.entry("stored".to_owned()).or_default() += segment.store().total().get_bytes();
        for part in [segment.termdict(), segment.postings(), segment.positions()] {
            for field in part.fields() {
                *by_field.entry(field.field_name().to_owned()).or_default() +=
                    field.total().get_bytes();
            }
        }
    }
    for (field, bytes) in by_field {
        println!("  {field}: {:.2} MB", bytes as f64 / 1e6);
    }
    Ok(())
}

fn time_searches(dir: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    drop(PageIndex::open(dir)?);
    println!(
        "opened with all checksums in {:.0} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    let searcher = Searcher::open(dir)?;
    for query in std::env::args().skip(1) {
        let start = Instant::now();
        let found = searcher.find(&query, 10, &Filters::default())?;
        println!(
            "{query}: {} pages in {:.2} ms: {}",
            found.total,
            start.elapsed().as_secs_f64() * 1e3,
            found
                .hits
                .first()
                .map(|hit| hit.snippet.marked("[", "]"))
                .unwrap_or_default()
        );
    }
    Ok(())
}
