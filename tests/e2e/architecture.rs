//! The layers hold: a crate depends on lower layers only, and each outside engine stays in its crate.

use std::collections::BTreeMap;

/// Layer of each crate, as in ARCHITECTURE.md.
const LAYERS: [(&str, u8); 21] = [
    ("outcome", 0),
    ("segment", 0),
    ("fetcher", 0),
    ("archive", 1),
    ("kv", 0),
    ("extractor", 1),
    ("frontier", 1),
    ("simhash", 1),
    ("focus", 1),
    ("testweb", 1),
    ("sieve", 2),
    ("index", 2),
    ("resemblance", 2),
    ("documents", 2),
    ("dedup", 5),
    ("simulate", 5),
    ("config", 3),
    ("state", 4),
    ("report", 4),
    ("pipeline", 5),
    ("tamis", 6),
];

/// Outside packages and the crates that may use them.
const HOMES: [(&str, &[&str]); 7] = [
    ("tokio", &["fetcher", "pipeline", "tamis", "testweb"]),
    ("reqwest", &["fetcher"]),
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
    let layers: BTreeMap<_, _> = LAYERS.into_iter().collect();
    for (name, layer) in LAYERS {
        for dependency in dependencies(name) {
            if let Some(below) = layers.get(dependency.as_str()) {
                assert!(
                    *below < layer,
                    "{name} (layer {layer}) depends on {dependency} (layer {below})"
                );
            }
        }
    }
}

#[test]
fn each_outside_engine_stays_in_its_crates() {
    for (name, _) in LAYERS {
        let dependencies = dependencies(name);
        for (package, homes) in HOMES {
            let used = dependencies.iter().any(|dependency| dependency == package);
            assert!(
                !used || homes.contains(&name),
                "{name} must not depend on {package}"
            );
        }
    }
}
