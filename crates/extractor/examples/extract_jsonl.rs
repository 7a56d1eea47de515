//! Extracts the pages of a JSONL list on all cores, as `tamis extract --jsonl` does.
//!
//! `cargo run --release -p extractor --example extract_jsonl -- LIST > OUT`: each line of LIST is
//! `{id, path|html, url?, content_type?}`; a path ending in `.gz` is unpacked.

use std::io::{BufWriter, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() {
    let list = std::env::args().nth(1).expect("a list of pages");
    let list = std::fs::read_to_string(&list).expect("a readable list");
    let lines: Vec<&str> = list
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut answers: Vec<(usize, String)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut done = Vec::new();
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(line) = lines.get(at) else {
                            return done;
                        };
                        done.push((at, extractor::extract_json_line(line, &read)));
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("extraction does not panic"))
            .collect()
    });
    answers.sort_unstable_by_key(|(at, _)| *at);
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (_, answer) in answers {
        writeln!(out, "{answer}").expect("standard output takes it");
    }
}

fn read(path: &str) -> std::io::Result<Vec<u8>> {
    let bytes = std::fs::read(path)?;
    if !path.ends_with(".gz") {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut plain)?;
    Ok(plain)
}
