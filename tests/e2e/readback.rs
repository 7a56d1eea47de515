//! Exports as the programs of others read them, row by row; which of them are missing is said.

use std::process::Command;

use crate::exports::{crawled, export};
use crate::support::{Bench, run, stderr, stdout};

/// Python packages that read our exports. `readback.py` has a function for each.
const READERS: [&str; 5] = ["pyarrow", "duckdb", "yaml", "warcio", "pywb"];

/// What `readback.py` ends with where its reader is not installed.
const MISSING: i32 = 77;

/// Writes every form of the crawl's rows beside it.
fn export_all(bench: &Bench) {
    for arguments in [
        &["pages", "--out", "pages.jsonl"][..],
        &["indexed", "--out", "indexed.jsonl"],
        #[cfg(feature = "parquet")]
        &["pages", "--out", "pages.parquet"],
        #[cfg(feature = "parquet")]
        &["indexed", "--out", "indexed.parquet"],
        #[cfg(feature = "parquet")]
        &["dataset", "--out", "set"],
        &["indexed", "--format", "markdown", "--out", "texts"],
        &["indexed", "--format", "wet", "--out", "texts.warc.wet.gz"],
        &["pages", "--format", "cdxj", "--out", "index.cdxj"],
    ] {
        run(&mut export(bench, arguments));
    }
}

#[test]
fn other_programs_read_the_same_rows() {
    let bench = crawled();
    export_all(&bench);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/readback.py");
    let mut missing = Vec::new();
    for reader in READERS {
        let mut command = Command::new("python3");
        let asked = command
            .arg(script)
            .arg(reader)
            .arg(bench.dir.path())
            .output();
        let Ok(output) = asked else {
            missing.push(reader);
            continue;
        };
        match output.status.code() {
            Some(MISSING) => missing.push(reader),
            Some(0) => assert!(stdout(&output).contains("agrees")),
            _ => panic!("{reader}: {}{}", stdout(&output), stderr(&output)),
        }
    }
    if !missing.is_empty() {
        eprintln!("NOT TESTED, for Python has none of: {}", missing.join(", "));
    }
}
