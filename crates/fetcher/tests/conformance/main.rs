//! Public test suites for robots.txt, sitemaps and HTTP answers, as vectors.
//!
//! The vectors are in `../shared/data/conformance` beside the checkout, one JSON object a line; without
//! them the tests print a message and pass. A vector with `dispute` is one on which suites or standards
//! differ: it is run and printed, but does not count.

mod http;
mod robots;
mod server;
mod sitemap;

use std::path::Path;

use base64::Engine as _;
use serde_json::Value;

/// The vectors of one area; `None`, with a message, when they are not there.
fn vectors(area: &str) -> Option<Vec<Value>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/conformance")
        .join(format!("{area}.jsonl"));
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: no vectors at {}", file.display());
        return None;
    };
    let parse = |line| serde_json::from_str(line).expect("a vector is a JSON object");
    Some(text.lines().map(parse).collect())
}

/// The bytes under a key, plain or base64.
fn bytes(vector: &Value, key: &str) -> Vec<u8> {
    match vector[key].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => {
            let encoded = vector[format!("{key}_b64")].as_str().expect("bytes");
            base64::engine::general_purpose::STANDARD
                .decode(encoded)
                .expect("base64")
        }
    }
}

/// Judges every vector and fails with the counted ones that do not hold.
#[track_caller]
fn run(area: &str, judge: impl Fn(&Value) -> bool) {
    let Some(vectors) = vectors(area) else { return };
    let (mut counted, mut disputed, mut disputed_passed) = (0, 0, 0);
    let mut failed = Vec::new();
    for vector in &vectors {
        if vector.get("optional").is_some() {
            continue;
        }
        let passed = judge(vector);
        if vector.get("dispute").is_some() {
            disputed += 1;
            disputed_passed += usize::from(passed);
            continue;
        }
        counted += 1;
        if !passed {
            let id = vector["id"].as_str().unwrap_or_default();
            failed.push(format!("{id} {}", vector["expected"]));
        }
    }
    println!(
        "{area}: {} of {counted} counted, {disputed_passed} of {disputed} disputed",
        counted - failed.len()
    );
    assert!(failed.is_empty(), "{area}:\n{}", failed.join("\n"));
}
