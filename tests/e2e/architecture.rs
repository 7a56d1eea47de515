//! The layers hold: a crate depends on lower layers only, and each outside engine stays in its crate.

use std::collections::BTreeMap;
use std::path::Path;

const DOCUMENT: &str = include_str!("../../ARCHITECTURE.md");

/// Where the crates are.
fn crates() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Layer of each crate, as the table of `ARCHITECTURE.md` has it.
fn layers() -> BTreeMap<String, u8> {
    let rows = DOCUMENT.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let layer = cells.next()?.parse().ok()?;
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((name.to_owned(), layer))
    });
    rows.collect()
}

/// Outside packages and the crates that may use them.
const HOMES: [(&str, &[&str]); 9] = [
    (
        "tokio",
        &[
            "fetcher", "ledger", "offsite", "pipeline", "serve", "tamis", "testweb",
        ],
    ),
    ("tokio-postgres", &["ledger"]),
    ("reqwest", &["fetcher", "offsite"]),
    ("object_store", &["offsite"]),
    ("governor", &["fetcher"]),
    ("sled", &["kv"]),
    ("tantivy", &["index"]),
    ("fst", &["resemblance"]),
    ("scraper", &["extractor"]),
];

/// Names under `[dependencies]` of a crate's manifest.
fn dependencies(name: &str) -> Vec<String> {
    let path = format!("{}/../{name}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    let lines = text
        .lines()
        .skip_while(|line| line.trim() != "[dependencies]")
        .skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .map(str::to_string)
        .collect()
}

#[test]
fn a_crate_depends_on_lower_layers_only() {
    let layers = layers();
    for (name, layer) in &layers {
        for dependency in dependencies(name) {
            if let Some(below) = layers.get(dependency.as_str()) {
                assert!(
                    below < layer,
                    "{name} (layer {layer}) depends on {dependency} (layer {below})"
                );
            }
        }
    }
}

#[test]
fn every_crate_has_its_row() {
    let folders = std::fs::read_dir(crates()).expect("the folder of the crates");
    let mut names: Vec<String> = folders
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.path().join("Cargo.toml").exists())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(layers().into_keys().collect::<Vec<_>>(), names);
}

#[test]
fn each_outside_engine_stays_in_its_crates() {
    for name in layers().keys() {
        let dependencies = dependencies(name);
        for (package, homes) in HOMES {
            let used = dependencies.iter().any(|dependency| dependency == package);
            assert!(
                !used || homes.contains(&name.as_str()),
                "{name} must not depend on {package}"
            );
        }
    }
}

/// Whether a folder, or one below it, holds a file.
fn holds(folder: &Path, file: &str) -> bool {
    folder.join(file).exists()
        || std::fs::read_dir(folder).is_ok_and(|entries| {
            entries
                .filter_map(|entry| entry.ok())
                .any(|entry| entry.path().is_dir() && holds(&entry.path(), file))
        })
}

#[test]
fn the_files_that_the_map_names_are_there() {
    let map = DOCUMENT.split("```text\ncrates/\n").nth(1);
    let map = map.and_then(|rest| rest.split("```").next());
    let mut folder = None;
    let mut named = 0;
    for line in map.expect("the map of files").lines() {
        if let Some((name, _)) = line.trim_start().split_once("/src/") {
            folder = Some(crates().join(name).join("src"));
        }
        let words = line.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
        for file in words.filter(|word| word.ends_with(".rs") && !word.contains('{')) {
            let folder = folder.as_ref().expect("a crate before its files");
            assert!(holds(folder, file), "{} has no {file}", folder.display());
            named += 1;
        }
    }
    assert!(named > 100, "{named} files are named");
}
