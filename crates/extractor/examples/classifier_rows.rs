//! Writes the text and features of each run of pages, to train the classifier on.
//!
//! `cargo run --release -p extractor --example classifier_rows -- DATA OUT [ODDS]`: DATA holds
//! `truth.jsonl` and `pages/ID.html.gz`; OUT gets `names.json`, `rows.jsonl` (id and texts) and
//! `rows.f32`. With ODDS, the log odds of all runs of all pages, `rows.jsonl` also has the text of each
//! page by these odds and the runs that it is made of.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (data, out) = (Path::new(&arguments[1]), Path::new(&arguments[2]));
    std::fs::create_dir_all(out).expect("the output directory can be made");
    let mut texts = BufWriter::new(File::create(out.join("rows.jsonl")).expect("rows.jsonl"));
    let mut values = BufWriter::new(File::create(out.join("rows.f32")).expect("rows.f32"));
    let odds: Option<Vec<f32>> = arguments.get(3).map(|file| {
        let bytes = std::fs::read(file).expect("readable odds");
        let number = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        bytes.chunks_exact(4).map(number).collect()
    });
    let mut names = Vec::new();
    let mut at = 0;
    let truth = BufReader::new(File::open(data.join("truth.jsonl")).expect("truth.jsonl"));
    for line in truth.lines() {
        let line: serde_json::Value =
            serde_json::from_str(&line.expect("a line")).expect("truth is JSON");
        let id = line["id"].as_str().expect("an id");
        let url = line["url"].as_str().unwrap_or("");
        let url = url::Url::parse(url)
            .unwrap_or_else(|_| url::Url::parse("http://unknown.example/").expect("a URL"));
        let file = File::open(data.join("pages").join(format!("{id}.html.gz"))).expect("a page");
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(file)
            .read_to_end(&mut bytes)
            .expect("a page in gzip");
        // Pages saved by a browser may declare a charset they are no longer in.
        let header = line["charset"]
            .as_str()
            .map(|charset| format!("text/html; charset={charset}"));
        let decoded = extractor::decode(&bytes, header.as_deref(), None);
        let rows = extractor::training::training_rows(
            &decoded.text,
            &url,
            odds.as_ref().map(|odds| &odds[at..]),
        );
        at += rows.texts.len();
        if names.is_empty() {
            names = rows.names;
        }
        writeln!(
            texts,
            "{}",
            serde_json::json!({
                "id": id,
                "texts": rows.texts,
                "text": rows.text,
                "main": rows.main,
                "page_type": rows.page_type,
            })
        )
        .expect("written");
        for value in &rows.values {
            values.write_all(&value.to_le_bytes()).expect("written");
        }
    }
    std::fs::write(
        out.join("names.json"),
        serde_json::to_string(&names).expect("names are JSON"),
    )
    .expect("written");
}
