//! An index among many pages: rate per CPU-second, percentiles, bytes a page in RAM and on disk,
//! and the time to reopen. Generated fingerprints, hot blocks included (see `benches/generated`).
//!
//! ```text
//! cargo run --release -p simhash --example index_at_scale -- PAGES REACH DIR [ram|disk|unstored] [64|128] [three]
//! ```
//!
//! DIR is made and must not exist. Linux only: CPU time and memory are read from /proc.

#[path = "../benches/generated/mod.rs"]
mod generated;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use simhash::{IndexConfig, Memory, SketchSize, TableIndex, Tables, TextPrint};

/// Pages in one group of the writer.
const GROUP: usize = 256;

/// What is asked for.
struct Arguments {
    pages: usize,
    dir: PathBuf,
    config: IndexConfig,
    stored: bool,
}

/// Prints of generated fingerprints: those that are kept, and others that come later.
struct Prints {
    texts: Vec<TextPrint>,
    kept: Vec<u64>,
    fresh: Vec<u64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked = arguments()?;
    let prints = Prints {
        texts: generated::texts(),
        kept: generated::fingerprints(asked.pages, 1),
        fresh: generated::fingerprints(100_000.min(asked.pages), 99),
    };
    let resident_before = resident()?;
    let mut index = if asked.stored {
        TableIndex::open(&asked.dir, &asked.config)?.0
    } else {
        TableIndex::in_memory(&asked.config)?
    };
    fill(&mut index, &prints)?;
    print_sizes(&asked, resident()?.saturating_sub(resident_before))?;
    look_up(&mut index, &prints)?;
    look_up_and_store(&mut index, &prints)?;
    if asked.stored {
        reopen(index, &asked, &prints)?;
    }
    Ok(())
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pages, reach, dir, rest @ ..] = arguments.as_slice() else {
        return Err(
            "usage: index_at_scale PAGES REACH DIR [ram|disk|unstored] [64|128] [three]".into(),
        );
    };
    let is_said = |word: &str| rest.iter().any(|said| said == word);
    let reach: u8 = reach.parse()?;
    let dir = PathBuf::from(dir);
    if dir.exists() {
        return Err("DIR exists already".into());
    }
    let (memory, sketch) = match (is_said("disk"), is_said("128")) {
        (true, true) => (Memory::Disk, SketchSize::Bytes128),
        (true, false) => (Memory::Disk, SketchSize::Bytes64),
        (false, true) => (Memory::Ram, SketchSize::Bytes128),
        (false, false) => (Memory::Ram, SketchSize::Bytes64),
    };
    Ok(Arguments {
        pages: pages.parse()?,
        dir,
        config: IndexConfig {
            reach,
            k: reach.min(3),
            memory,
            sketch,
            tables: match is_said("three") {
                true => Tables::Three,
                false => Tables::Four,
            },
            ..IndexConfig::default()
        },
        stored: !is_said("unstored"),
    })
}

fn fill(index: &mut TableIndex, prints: &Prints) -> Result<(), Box<dyn Error>> {
    let cpu_before = cpu_seconds()?;
    for (page, &bits) in prints.kept.iter().enumerate() {
        index.insert(page as u64, &generated::print(&prints.texts, bits))?;
        if page % GROUP == GROUP - 1 {
            index.apply(page as u64)?;
        }
    }
    let pages = prints.kept.len();
    index.apply(pages as u64)?;
    index.flush()?;
    println!(
        "insert and store          {:>10.0} a CPU-second",
        pages as f64 / (cpu_seconds()? - cpu_before)
    );
    Ok(())
}

/// Bytes a page: in RAM, of which the process has grown by `grown` bytes, and on disk.
fn print_sizes(asked: &Arguments, grown: usize) -> Result<(), Box<dyn Error>> {
    let pages = asked.pages;
    let sketches = if asked.config.memory == Memory::Ram {
        (asked.config.sketch.bytes() + 8) * pages
    } else {
        0
    };
    println!(
        "RAM                       {:>10.1} bytes a page",
        grown as f64 / pages as f64
    );
    println!(
        "RAM without sketches      {:>10.1} bytes a page",
        (grown - sketches.min(grown)) as f64 / pages as f64
    );
    if asked.stored {
        let bytes = disk(&asked.dir)? as f64 / pages as f64;
        println!("disk                      {bytes:>10.1} bytes a page");
    }
    Ok(())
}

fn look_up(index: &mut TableIndex, prints: &Prints) -> Result<(), Box<dyn Error>> {
    let mut latencies = Vec::with_capacity(prints.fresh.len());
    let (cpu_before, mut near) = (cpu_seconds()?, 0);
    for (at, &bits) in prints.fresh.iter().enumerate() {
        let print = generated::print(&prints.texts, bits);
        let start = Instant::now();
        near += u32::from(index.nearest(&print)?.is_some());
        index.insert((prints.kept.len() + at) as u64, &print)?;
        latencies.push(start.elapsed());
    }
    let rate = prints.fresh.len() as f64 / (cpu_seconds()? - cpu_before);
    println!(
        "lookup + insert           {rate:>10.0} a CPU-second ({near} of {} had a neighbour)",
        prints.fresh.len()
    );
    latencies.sort_unstable();
    let percentile = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
    print_latency("p50", percentile(0.5));
    print_latency("p99", percentile(0.99));
    print_latency("p99.9", percentile(0.999));
    Ok(())
}

fn look_up_and_store(index: &mut TableIndex, prints: &Prints) -> Result<(), Box<dyn Error>> {
    let cpu_before = cpu_seconds()?;
    for group in prints.fresh.chunks(GROUP) {
        let first = index.len() as u64;
        for (at, &bits) in group.iter().enumerate() {
            let print = generated::print(&prints.texts, bits.rotate_left(7));
            index.nearest(&print)?;
            index.insert(10 * prints.kept.len() as u64 + first + at as u64, &print)?;
        }
        index.apply(first)?;
    }
    let rate = prints.fresh.len() as f64 / (cpu_seconds()? - cpu_before);
    println!("lookup + insert + store   {rate:>10.0} a CPU-second");
    Ok(())
}

fn reopen(mut index: TableIndex, asked: &Arguments, prints: &Prints) -> Result<(), Box<dyn Error>> {
    index.flush()?;
    let length = index.len();
    drop(index);
    let (start, cpu_before) = (Instant::now(), cpu_seconds()?);
    let (mut index, opened) = TableIndex::open(&asked.dir, &asked.config)?;
    println!(
        "reopen                    {:>10.1} s ({:.1} CPU-seconds)",
        start.elapsed().as_secs_f64(),
        cpu_seconds()? - cpu_before
    );
    assert_eq!((index.len(), opened.rebuilt_because), (length, None));
    for &bits in prints.kept.iter().step_by(1 + asked.pages / 10_000) {
        let near = index.nearest(&generated::print(&prints.texts, bits))?;
        let is_found = near.is_some_and(|near| near.distance == 0);
        assert!(is_found, "a kept page was missed after reopening");
    }
    println!(
        "disk after reopening      {:>10.1} bytes a page",
        disk(&asked.dir)? as f64 / length as f64
    );
    Ok(())
}

fn print_latency(name: &str, latency: Duration) {
    println!(
        "{name:<25} {:>10.1} microseconds",
        latency.as_secs_f64() * 1e6
    );
}

/// User and system time of this process.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks = |at: usize| fields.get(at).map_or(Ok(0.0), |field| field.parse::<f64>());
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}

/// Resident memory in bytes.
fn resident() -> Result<usize, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .ok_or("no VmRSS")?;
    Ok(line
        .split_whitespace()
        .nth(1)
        .ok_or("no number")?
        .parse::<usize>()?
        * 1024)
}

fn disk(dir: &Path) -> Result<u64, Box<dyn Error>> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() {
            disk(&entry.path())?
        } else {
            blocks(&entry.metadata()?)
        };
    }
    Ok(bytes)
}

/// Bytes that the file takes on disk; a store's files have holes.
#[cfg(unix)]
fn blocks(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(metadata) * 512
}

#[cfg(not(unix))]
fn blocks(metadata: &std::fs::Metadata) -> u64 {
    metadata.len()
}
