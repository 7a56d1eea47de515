//! The field's test vectors through the real binary, where they lie beside the repository. The
//! crates run those of their own part with every test; this one runs all, the fingerprints too.

use std::path::Path;
use std::process::Command;

#[test]
fn every_counted_vector_holds_through_the_binary() {
    let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let (runner, vectors) = (
        shared.join("tools/run_conformance.py"),
        shared.join("data/conformance"),
    );
    if !runner.is_file() || !vectors.is_dir() {
        println!("skipped: no vectors at {}", vectors.display());
        return;
    }
    let dir = tempfile::tempdir().expect("a directory");
    let summary = dir.path().join("summary.json");
    let output = Command::new("python3")
        .arg(&runner)
        .args([
            "--failures",
            "5",
            "--bin",
            env!("CARGO_BIN_EXE_tamis"),
            "--vectors",
        ])
        .arg(&vectors)
        .arg("--json")
        .arg(&summary)
        .output();
    let Ok(output) = output else {
        println!("skipped: no python3");
        return;
    };
    let told = String::from_utf8_lossy(&output.stdout);
    let summary =
        std::fs::read_to_string(&summary).unwrap_or_else(|_| panic!("no summary: {told}"));
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    println!("{summary}");
    let areas = summary.as_object().expect("areas by name");
    assert!(areas.len() >= 7, "{summary}");
    for (area, result) in areas {
        let (passed, counted) = (result["pass"].as_u64(), result["counted"].as_u64());
        assert!(
            passed.is_some() && passed == counted,
            "{area}: {result}\n{told}"
        );
    }
}
