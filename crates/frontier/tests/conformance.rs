//! The URL vectors of public test suites, where they lie beside the workspace.

use frontier::{Canonicaliser, parse_url};
use serde_json::Value;
use weburl::resolve;

/// The vectors' place, seen from this crate.
const VECTORS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/data/conformance/url.jsonl"
);

#[test]
fn url_vectors_hold() {
    let Ok(text) = std::fs::read_to_string(VECTORS) else {
        println!("skipped: no vectors at {VECTORS}");
        return;
    };
    let (mut counted, mut failed) = (0, Vec::new());
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a vector is JSON");
        // Where peers and the standard differ, or for forms nobody must have, nothing counts.
        if vector.get("dispute").is_some() || vector.get("optional").is_some() {
            continue;
        }
        counted += 1;
        if !holds(&vector) {
            failed.push(vector["id"].as_str().unwrap_or("?").to_owned());
        }
    }
    println!("url: {} of {counted} hold", counted - failed.len());
    assert!(
        failed.is_empty(),
        "{} of {counted} fail: {failed:?}",
        failed.len()
    );
}

fn holds(vector: &Value) -> bool {
    let input = vector["input"].as_str().expect("an input");
    let expected = &vector["expected"];
    if vector["kind"] == "resolve" {
        let resolved = match vector["base"].as_str() {
            Some(base) => parse_url(base).ok().and_then(|base| resolve(&base, input)),
            None => parse_url(input).ok(),
        };
        return resolved.as_ref().map(url::Url::as_str) == expected["href"].as_str();
    }
    let options = options(vector);
    let normal = |text: &str| parse_url(text).ok().map(|url| options.normalise(&url));
    let got = normal(input);
    if expected["failure"] == true {
        return got.is_none();
    }
    let Some(got) = got else { return false };
    if let Some(same) = expected["same_as"].as_str() {
        return Some(got) == normal(same);
    }
    if let Some(other) = expected["not_same_as"].as_str() {
        return Some(got) != normal(other);
    }
    let url = expected["url"].as_str().expect("a URL");
    got == url || vector["compare"] == "equivalent" && Some(got) == normal(url)
}

fn options(vector: &Value) -> Canonicaliser {
    let mut options = Canonicaliser::default();
    for option in vector["options"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        match option.split_once('=') {
            Some(("drop-param", name)) => options.drop_params.push(name.to_owned()),
            None if option == "sort-query" => options.sort_query = true,
            Some(_) | None => panic!("unknown option {option}"),
        }
    }
    options
}
