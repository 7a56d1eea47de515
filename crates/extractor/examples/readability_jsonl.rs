//! Prints what a Readability port takes for the content of marked pages, to compare with.
//!
//! `cargo run --release -p extractor --example readability_jsonl -- DATA > OUT`: DATA holds
//! `truth.jsonl` and `pages/ID.html.gz`; each line of OUT is `{id, text}`.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

fn main() {
    let data = std::env::args().nth(1).expect("a directory");
    let data = Path::new(&data);
    let truth = std::fs::File::open(data.join("truth.jsonl")).expect("truth.jsonl");
    let mut out = std::io::stdout().lock();
    for line in BufReader::new(truth).lines() {
        let line: serde_json::Value =
            serde_json::from_str(&line.expect("a line")).expect("truth is JSON");
        let id = line["id"].as_str().expect("an id");
        let file = std::fs::File::open(data.join("pages").join(format!("{id}.html.gz")));
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(file.expect("a page"))
            .read_to_end(&mut bytes)
            .expect("a page in gzip");
        let header = line["charset"]
            .as_str()
            .map(|charset| format!("text/html; charset={charset}"));
        let decoded = extractor::decode(&bytes, header.as_deref(), None);
        let text = dom_smoothie::Readability::new(decoded.text.as_ref(), None, None)
            .and_then(|mut reader| reader.parse())
            .map(|article| article.text_content.to_string())
            .unwrap_or_default();
        writeln!(out, "{}", serde_json::json!({ "id": id, "text": text })).expect("written");
    }
}
