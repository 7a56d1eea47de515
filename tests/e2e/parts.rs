//! The stages on their own: files in, answers out, no crawl.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use testweb::TestWeb;

use crate::support::{Bench, file, page, run, says, stderr, stdout, tamis};

/// The answer's lines.
#[track_caller]
fn values(output: &std::process::Output) -> Vec<Value> {
    stdout(output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

/// Sentences of their own for each number.
fn text(seed: u64) -> String {
    page("", seed, &[])
        .replace("<p>", " ")
        .replace("</p>", " ")
        .split_once("</h1>")
        .map_or(String::new(), |(_, text)| {
            text.split("</article>").next().unwrap_or("").to_owned()
        })
}

#[test]
fn fingerprints_are_compared_by_their_bits() {
    let (a, b) = ("84adfe0ad03e12cb", "84ad7e0ad13e128b");
    let distance = run(&mut tamis(&["fingerprint", "distance", "--json", a, b]));
    assert_eq!(values(&distance), [json!({ "distance": 3 })]);
    let dir = tempfile::tempdir().expect("a directory");
    let list = file(
        dir.path(),
        "list.txt",
        &format!("{a}\n{b}\nffffffffffffffff\n"),
    );
    let pairs = run(&mut tamis(&[
        "fingerprint",
        "pairs",
        "--json",
        "-k",
        "3",
        &list,
    ]));
    assert_eq!(values(&pairs)[0]["pairs"], json!([[b, a]]));
    for method in [
        "linear",
        "probing",
        "expanded",
        "tables4",
        "tables10",
        "tables16",
        "tables",
        "automaton",
    ] {
        let near = [
            "fingerprint",
            "near",
            "--json",
            "-k",
            "3",
            "--method",
            method,
        ];
        let near = run(tamis(&near).args(["--query", a, &list]));
        assert_eq!(values(&near)[0]["matches"], json!([b, a]), "{method}");
    }
    let probes = run(&mut tamis(&["fingerprint", "probes", "--json", "-k", "3"]));
    assert_eq!(values(&probes), [json!({ "probes": 41_664 })]);
    let features = file(dir.path(), "features.tsv", "8\t2\nc\t1\n1\t0.5\n");
    let combined = run(&mut tamis(&[
        "fingerprint",
        "--json",
        "--features",
        &features,
    ]));
    assert_eq!(values(&combined)[0]["fingerprint"], "0000000000000008");
    let wrong = tamis(&["fingerprint", "distance", a, "xyz"])
        .output()
        .expect("runs");
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_stream_of_documents_is_judged_in_order() {
    let dir = tempfile::tempdir().expect("a directory");
    let (one, two) = (text(1), text(2));
    let edited = one.replacen("river", "brook", 1);
    let lines = [
        json!({ "id": "a", "text": one }).to_string(),
        json!({ "id": 2, "text": two }).to_string(),
        "{ broken".to_owned(),
        json!({ "id": "c", "text": one.to_uppercase() }).to_string(),
        json!({ "id": "d", "text": edited }).to_string(),
        json!({ "id": "e", "html": page("One", 1, &[]), "url": "http://a.test/" }).to_string(),
        json!({ "id": "f" }).to_string(),
    ]
    .join("\n");
    let docs = file(dir.path(), "docs.jsonl", &lines);
    let output = tamis(&["dedup", &docs]).output().expect("runs");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("5 documents: "),
        "{}",
        stderr(&output)
    );
    let rows = values(&output);
    assert_eq!(rows.len(), 7);
    let verdict = |row: &Value| (row["verdict"].clone(), row["dup_of"].clone());
    assert_eq!(verdict(&rows[0]), (json!("kept"), json!(null)));
    assert_eq!(verdict(&rows[1]), (json!("kept"), json!(null)));
    assert!(
        rows[2]["error"]
            .as_str()
            .is_some_and(|told| told.contains("docs.jsonl:3"))
    );
    assert_eq!(verdict(&rows[3]), (json!("exact_duplicate"), json!("a")));
    assert_eq!(verdict(&rows[4]), (json!("near_duplicate"), json!("a")));
    assert!(
        rows[4]["overlap"]
            .as_f64()
            .is_some_and(|overlap| overlap > 0.8)
    );
    assert_eq!(rows[5]["dup_of"], "a");
    assert_eq!(rows[6]["id"], "f");

    let exact = tamis(&["dedup", "--method", "exact", &docs])
        .output()
        .expect("runs");
    assert_eq!(verdict(&values(&exact)[4]), (json!("kept"), json!(null)));
}

#[test]
fn an_index_on_disk_remembers_earlier_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    let index = dir.path().join("seen").display().to_string();
    let docs = |name: &str, id: &str, seed| {
        let line = json!({ "id": id, "text": text(seed) });
        file(dir.path(), name, &line.to_string())
    };
    let monday = docs("monday.jsonl", "monday", 7);
    let tuesday = docs("tuesday.jsonl", "tuesday", 7);
    let first = run(&mut tamis(&["dedup", "--index", &index, &monday]));
    assert_eq!(values(&first)[0]["verdict"], "kept");
    for memory in ["ram", "disk"] {
        let next = ["dedup", "--memory", memory, "--index", &index, &tuesday];
        let next = run(&mut tamis(&next));
        assert_eq!(values(&next)[0]["dup_of"], "monday", "{memory}");
    }
}

#[test]
fn archives_and_pipes_are_read_like_files_of_lines() {
    let record = |kind: &str, url: &str, content_type: &str, block: &str| {
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nContent-Type: {content_type}\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    let body = page("Chunks", 5, &[]);
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    let http = "application/http; msgtype=response";
    let warc = [
        record("warcinfo", "", "application/warc-fields", "software: none"),
        record("response", "http://a.test/1", http, &chunked),
        record("conversion", "http://a.test/2", "text/plain", &text(5)),
        record(
            "response",
            "http://a.test/3",
            http,
            "HTTP/1.1 404 Not Found\r\n\r\ngone",
        ),
    ];
    let mut child = tamis(&["dedup", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(warc.concat().as_bytes()).expect("written");
    drop(stdin);
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = values(&output);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0]["id"], "http://a.test/1");
    assert_eq!(rows[1]["dup_of"], "http://a.test/1");
    assert!(
        stderr(&output).contains("2 records that are no pages"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn pages_are_extracted_in_order_and_a_missing_one_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let at = file(dir.path(), "a.html", &page("First", 3, &["/next".into()]));
    let lines: Vec<String> = (0..40)
        .map(|n| match n % 4 {
            3 => json!({ "id": n, "path": dir.path().join("gone.html") }).to_string(),
            _ => json!({ "id": n, "path": at, "url": "http://a.test/" }).to_string(),
        })
        .collect();
    let list = file(dir.path(), "pages.jsonl", &lines.join("\n"));
    let output = tamis(&["extract", "--jsonl", &list])
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(1));
    let rows = values(&output);
    let ids: Vec<u64> = rows.iter().filter_map(|row| row["id"].as_u64()).collect();
    assert_eq!(ids, (0..40).collect::<Vec<u64>>());
    assert_eq!(rows[0]["title"], "First");
    assert_eq!(rows[0]["links"][0]["url"], "http://a.test/next");
    assert!(
        rows[3]["error"]
            .as_str()
            .is_some_and(|told| told.contains("gone.html"))
    );

    let shown = stdout(&run(&mut tamis(&["extract", &at])));
    assert!(shown.starts_with("First\n\n"), "{shown}");
    let missing = tamis(&["extract", "/nonexistent.html"])
        .output()
        .expect("runs");
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        stderr(&missing).contains("check the path"),
        "{}",
        stderr(&missing)
    );
}

#[test]
fn a_page_of_the_web_is_compared_as_politely_as_it_is_fetched() {
    let original = page("Report", 9, &[]);
    let reprint = original.replacen("lantern", "torchlight", 1);
    let web = TestWeb::new()
        .robots("a.test", "User-agent: *\nDisallow: /closed")
        .page("http://a.test/report", &original)
        .page("http://a.test/closed", &reprint)
        .page("http://a.test/reprint", &reprint);
    let bench = Bench::serve(web);
    let dir = tempfile::tempdir().expect("a directory");
    let a = file(dir.path(), "a.html", &original);
    let compare = |a: &str, b: &str| {
        let mut command = tamis(&["compare", "--json", "--proxy", &bench.proxy, a, b]);
        command.output().expect("runs")
    };
    let reprint = "http://a.test/reprint";
    let answer = values(&compare(&a, reprint)).remove(0);
    assert_eq!(answer["verdict"], "near_duplicate");
    let of_two = values(&compare("http://a.test/report", reprint)).remove(0);
    assert_eq!(of_two["distance"], answer["distance"]);
    says(&compare(&a, "http://a.test/closed"), 1, &["robots: line 2"]);
    says(&compare(&a, "http://a.test/none"), 1, &["status 404"]);
    says(&compare("gone.html", reprint), 2, &["gone.html"]);
    let mut unproxied = tamis(&["compare", &a, "http://127.0.0.1:1/"]);
    says(&unproxied.output().expect("runs"), 1, &["--allow-private"]);
}

#[test]
fn two_pages_are_compared_with_the_reason_and_the_words_that_differ() {
    let dir = tempfile::tempdir().expect("a directory");
    let original = page("Report", 9, &[]);
    let a = file(dir.path(), "a.html", &original);
    let b = file(
        dir.path(),
        "b.html",
        &original.replacen("lantern", "torchlight", 1),
    );
    let other = file(dir.path(), "c.html", &page("Other", 10, &[]));
    let answer = &values(&run(&mut tamis(&["compare", "--json", &a, &b])))[0];
    assert_eq!(answer["verdict"], "near_duplicate");
    assert_eq!(answer["reason"], "overlap_enough");
    let jaccard = answer["jaccard"].as_f64().expect("a number");
    assert!(jaccard > 0.9 && jaccard < 1.0, "{jaccard}");
    let shown = stdout(&run(&mut tamis(&["compare", &a, &b])));
    assert!(shown.contains("torchlight"), "{shown}");
    assert!(shown.contains("near duplicate ("), "{shown}");
    let different = &values(&run(&mut tamis(&["compare", "--json", &a, &other])))[0];
    assert_eq!(different["verdict"], "different");
}
