//! The worked examples of the lecture notes, if their test vectors are there.

use resemblance::feature_hash::{enumerated, gb2312, gb2312_code};
use serde_json::Value;

#[test]
fn the_feature_hashes_are_those_of_the_notes() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/conformance/simhash.jsonl"
    );
    let Ok(lines) = std::fs::read_to_string(path) else {
        eprintln!(
            "skipped: there are no vectors in ../shared/data/conformance beside the repository"
        );
        return;
    };
    let mut checked = 0;
    for line in lines.lines() {
        let vector: Value = serde_json::from_str(line).expect("a vector");
        let text = |key: &str| vector[key].as_str().unwrap_or_default().to_owned();
        let number = |key: &str| vector[key].as_u64().unwrap_or_default() as u32;
        let expected = &vector["expected"];
        match vector["kind"].as_str().unwrap_or_default() {
            "gb2312_code" => {
                let character = text("char").chars().next().expect("a character");
                assert_eq!(expected["code"], gb2312_code(character), "{line}");
            }
            "gb2312_hash" => {
                assert_eq!(
                    expected["hash"],
                    format!("{:016x}", gb2312(&text("string"))),
                    "{line}"
                );
            }
            "enum_hash" => {
                let hash = enumerated(number("ordinal"), number("size"));
                assert_eq!(expected["hash"], format!("{hash:016x}"), "{line}");
            }
            _ => continue,
        }
        checked += 1;
    }
    assert!(checked >= 40, "{checked} vectors");
}
