//! Mutated inputs through every door by which foreign bytes come in: none panics, none hangs.
//!
//! The inputs are those of `fuzz/corpus`, and pages of a directory if one is named. The mutations
//! follow from a seed, so a failure repeats. A few run with every test; many on request:
//!
//! ```text
//! TAMIS_MUTATIONS=100000 TAMIS_PAGES=some/pages cargo test --release --test mutate -- --nocapture
//! ```

mod entries;
mod mutator;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mutator::Mutator;

/// Mutations for each entry where nothing else is asked for.
const MUTATIONS: usize = 600;

/// One input that takes longer hangs, on the slowest machine.
const HANGS: Duration = Duration::from_secs(60);

/// The files below a directory; none when it is not there.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What an entry is fed with.
fn corpus(entry: &str) -> Vec<Vec<u8>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut paths = files(&root.join("fuzz/corpus").join(entry));
    assert!(!paths.is_empty(), "fuzz/corpus/{entry} is empty");
    if entry == "page" {
        paths.extend(files(&root.join("crates/extractor/tests/golden")));
        if let Some(dir) = std::env::var_os("TAMIS_PAGES") {
            paths.extend(files(Path::new(&dir)));
        }
    }
    let read = |path: &PathBuf| std::fs::read(path).expect("readable");
    paths.iter().map(read).collect()
}

/// Runs the mutations of one entry on every core; gives the slowest input's time and length.
fn run(entry: &str, door: entries::Door, count: usize) -> (Duration, usize) {
    let corpus = corpus(entry);
    let next = AtomicUsize::new(0);
    let slowest = Mutex::new((Duration::ZERO, 0));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let input = Mutator::new(entry, number as u64).mutate(&corpus);
            let began = Instant::now();
            let ended = catch_unwind(AssertUnwindSafe(|| door(&input)));
            let took = began.elapsed();
            if ended.is_err() || took > HANGS {
                let path = std::env::temp_dir().join(format!("tamis-{entry}-{number}"));
                std::fs::write(&path, &input).expect("written");
                panic!(
                    "{entry}: mutation {number} took {took:?}; it is in {}",
                    path.display()
                );
            }
            let mut slowest = slowest.lock().expect("not poisoned");
            *slowest = (*slowest).max((took, input.len()));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().expect("no mutation panics or hangs");
        }
    });
    slowest.into_inner().expect("not poisoned")
}

fn mutate(entry: &str) {
    let count = match std::env::var("TAMIS_MUTATIONS") {
        Ok(count) => count.parse().expect("TAMIS_MUTATIONS is a number"),
        Err(_) => MUTATIONS,
    };
    let doors = entries::ENTRIES;
    let (_, door) = doors
        .iter()
        .find(|(name, _)| *name == entry)
        .expect("an entry");
    let (slowest, bytes) = run(entry, *door, count);
    println!("{entry}: {count} mutations, the slowest took {slowest:?} for {bytes} bytes");
}

#[test]
fn every_entry_has_a_fuzz_target() {
    let fuzz = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz"));
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).expect("readable");
    assert_eq!(manifest.matches("[[bin]]").count(), entries::ENTRIES.len());
    for (entry, _) in entries::ENTRIES {
        let target = format!("name = \"{entry}\"\npath = \"fuzz_targets/{entry}.rs\"");
        assert!(manifest.contains(&target), "{entry} is not in Cargo.toml");
        let source = fuzz.join(format!("fuzz_targets/{entry}.rs"));
        let source = std::fs::read_to_string(source).expect(entry);
        assert!(source.contains(&format!("entries::{entry}(bytes)")));
    }
}

#[test]
fn no_input_of_the_corpus_trips_its_entry() {
    for (entry, door) in entries::ENTRIES {
        for input in corpus(entry) {
            door(&input);
        }
    }
}

#[test]
fn mutated_urls_are_parsed() {
    mutate("url");
}

#[test]
fn mutated_robots_txt_is_read() {
    mutate("robots");
}

#[test]
fn mutated_sitemaps_are_read() {
    mutate("sitemap");
}

#[test]
fn mutated_pages_are_extracted() {
    mutate("page");
}

#[test]
fn mutated_bodies_are_unpacked() {
    mutate("coding");
}

#[test]
fn mutated_archives_are_replayed() {
    mutate("warc");
}

#[test]
fn mutated_seed_lists_are_read() {
    mutate("seeds");
}

#[test]
fn mutated_configurations_are_read() {
    mutate("config");
}
