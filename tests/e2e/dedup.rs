//! `tamis dedup`: every method, every form of input, representatives, and what a kill leaves.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::support::{file, run, stdout, tamis};

#[track_caller]
fn values(output: &std::process::Output) -> Vec<Value> {
    let lines = stdout(output);
    let value = |line: &str| serde_json::from_str(line).expect("a line is JSON");
    lines.lines().map(value).collect()
}

/// A hundred words of its own for each number, with some stop words between them. The words are
/// spelt in letters: what has a digit in it counts as a number.
fn text(number: u64) -> String {
    let spelt = |n: u64| -> String {
        let letters = n.to_string().into_bytes().into_iter();
        letters
            .map(|digit| char::from(digit - b'0' + b'b'))
            .collect()
    };
    let words = (0..100).map(|at| {
        let stop = ["the ", "of ", "is ", "a ", "and "][(number + at * at) as usize % 5];
        let stop = if at % 5 == 0 { stop } else { "" };
        format!("{stop}{}", spelt((number * 100 + at + 1) * 7_919))
    });
    words.collect::<Vec<_>>().join(" ")
}

fn document(id: u64, text: &str) -> String {
    json!({ "id": id, "text": text }).to_string() + "\n"
}

#[test]
fn every_method_finds_the_copy_and_all_but_one_keep_the_rest() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut lines: String = (0..30).map(|n| document(n, &text(n))).collect();
    lines += &document(100, &text(7));
    let docs = file(dir.path(), "docs.jsonl", &lines);
    for method in [
        "combined", "simhash", "exact", "imatch", "shingles", "spotsigs",
    ] {
        let rows = values(&run(&mut tamis(&["dedup", "--method", method, &docs])));
        let dropped: Vec<_> = rows.iter().filter(|row| !row["dup_of"].is_null()).collect();
        let copy = dropped.iter().find(|row| row["id"] == 100);
        let copy = copy.expect("the copy is found");
        // Fingerprints alone take other texts with the same frequent word for copies, too.
        if method != "simhash" {
            assert_eq!((dropped.len(), &copy["dup_of"]), (1, &json!(7)), "{method}");
        }
    }
    for options in [
        vec!["--words", "fewest", "--drop-stop-words", "--stem"],
        vec!["--weights", "tf-idf"],
        vec!["--weights", "levels", "--hash", "gb2312"],
        vec!["--method", "shingles", "--modulus", "4"],
    ] {
        let rows = values(&run(tamis(&["dedup"]).args(&options).arg(&docs)));
        assert_eq!(rows[30]["dup_of"], 7, "{options:?}");
    }
    // They were passed over without a word, and a reach that nobody asks for was refused.
    for (options, code, told) in [
        (
            vec!["--threshold", "0.9"],
            2,
            "use --method shingles or spotsigs",
        ),
        (vec!["--method", "imatch", "--stem"], 2, "--stem: "),
        (
            vec!["--method", "exact", "--reach", "5", "--k", "1"],
            0,
            "note: --method exact does not read --k, --reach",
        ),
        (
            vec!["--method", "shingles", "--k", "1", "--reach", "20"],
            0,
            "note: --method shingles does not read --k, --reach",
        ),
    ] {
        let output = tamis(&["dedup"]).args(&options).arg(&docs).output();
        let output = output.expect("runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{options:?}: {said}");
        assert!(said.contains(told), "{options:?}: {said}");
    }
    let wrong = ["dedup", "--method", "imatch", "--index", "seen", &docs];
    let wrong = tamis(&wrong)
        .current_dir(dir.path())
        .output()
        .expect("runs");
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn three_tables_decide_as_four_and_an_index_of_the_others_says_so() {
    let dir = tempfile::tempdir().expect("a directory");
    let texts: Vec<String> = (0..12).map(text).collect();
    let mut lines: String = (0..12).map(|n| document(n, &texts[n as usize])).collect();
    lines += &document(100, &texts[7].replacen("the", "that", 2));
    lines += &document(101, &texts[3]);
    let docs = file(dir.path(), "docs.jsonl", &lines);
    let answer = |options: &[&str]| {
        let said = run(tamis(&["dedup"]).args(options).arg(&docs));
        values(&said)
            .into_iter()
            .map(|row| (row["id"].clone(), row["dup_of"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(answer(&["--tables", "3"]), answer(&["--tables", "4"]));
    let index = dir.path().join("seen");
    let with = |tables: &str| {
        let index = index.to_str().expect("a path is text");
        run(&mut tamis(&[
            "dedup", "--tables", tables, "--index", index, &docs,
        ]))
    };
    let told = |said: &std::process::Output| String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(!told(&with("4")).contains("tables"));
    let said = with("3");
    let why = told(&said);
    assert!(why.contains("made with 4 tables, opened with 3"), "{why}");
    assert!(values(&said).iter().all(|row| !row["dup_of"].is_null()));
    let wrong = tamis(&["dedup", "--tables", "5", &docs]).output();
    let wrong = wrong.expect("runs");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(told(&wrong).contains("3, 4, 10 or 16"));
}

#[test]
fn lines_gzip_and_wet_give_the_same_verdicts() {
    let dir = tempfile::tempdir().expect("a directory");
    let texts = [text(1), text(2), text(1).replacen("h", "x", 3)];
    let lines: String = (0..3).map(|n| document(n, &texts[n as usize])).collect();
    let wet: String = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            format!(
                "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a.test/{at}\r\n\
                 Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
                text.len()
            )
        })
        .collect();
    let zipped = |name: &str, text: &str| {
        let path = dir.path().join(name);
        let file = std::fs::File::create(&path).expect("a file");
        let mut writer = GzEncoder::new(file, Compression::fast());
        writer.write_all(text.as_bytes()).expect("written");
        writer.finish().expect("written");
        path.display().to_string()
    };
    let inputs = [
        file(dir.path(), "docs.jsonl", &lines),
        zipped("docs.jsonl.gz", &lines),
        file(dir.path(), "docs.wet", &wet),
        zipped("docs.warc.wet.gz", &wet),
    ];
    for input in inputs {
        let rows = values(&run(&mut tamis(&["dedup", &input])));
        let verdicts: Vec<_> = rows.iter().map(|row| row["verdict"].as_str()).collect();
        let expected = ["kept", "kept", "near_duplicate"].map(Some);
        assert_eq!(verdicts, expected, "{input}");
        assert_eq!(rows[2]["dup_of"], rows[0]["id"], "{input}");
    }
}

#[test]
fn a_better_document_takes_the_place_and_is_what_later_ones_repeat() {
    let dir = tempfile::tempdir().expect("a directory");
    let (short, long) = (
        text(3),
        text(3) + " and some more words behind it " + &"of its own ".repeat(8),
    );
    let line = |id: &str, text: &str, more: Value| {
        let mut line = json!({ "id": id, "text": text });
        for (key, value) in more.as_object().into_iter().flatten() {
            line[key] = value.clone();
        }
        line.to_string() + "\n"
    };
    let by_length =
        line("a", &short, json!({})) + &line("b", &long, json!({})) + &line("c", &short, json!({}));
    let by_date = line("a", &short, json!({ "published": "2024-05-02" }))
        + &line("b", &short, json!({ "published": "2024-05-01" }))
        + &line("c", &short, json!({ "published": "2024-05-03" }));
    let by_name = line("a", &short, json!({ "canonical": "b" }))
        + &line("b", &short, json!({}))
        + &line("c", &short, json!({ "canonical": "b" }));
    for (keep, lines) in [
        ("longest", by_length),
        ("oldest", by_date),
        ("canonical", by_name),
    ] {
        let docs = file(dir.path(), keep, &lines);
        let index = dir
            .path()
            .join(format!("{keep}.index"))
            .display()
            .to_string();
        let rows = values(&run(&mut tamis(&[
            "dedup", "--keep", keep, "--index", &index, &docs,
        ])));
        assert_eq!(
            (&rows[1]["verdict"], &rows[1]["replaces"]),
            (&json!("kept"), &json!("a")),
            "{keep}"
        );
        assert_eq!(rows[2]["dup_of"], "b", "{keep}");
        let again = values(&run(&mut tamis(&[
            "dedup", "--keep", keep, "--index", &index, &docs,
        ])));
        assert_eq!(again[0]["dup_of"], "b", "{keep}");
        let first = values(&run(&mut tamis(&["dedup", &docs])));
        assert_eq!(first[1]["dup_of"], "a", "{keep}");
    }
    let rows = values(&run(&mut tamis(&[
        "dedup",
        dir.path().join("canonical").to_str().expect("UTF-8"),
    ])));
    assert_eq!(rows[1]["original"]["url"], "b");
    assert_eq!(
        rows[1]["original"]["because"],
        "named as canonical by another page"
    );
}

/// Kills (SIGKILL) a run in the middle, and runs again over all documents: each is then known.
#[test]
fn a_killed_run_misses_nothing_when_it_is_run_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let index = dir.path().join("seen").display().to_string();
    // More than are stored at a time, so that the index on disk is behind its ids when it dies.
    let count = 4_600;
    let mut lines: String = (0..count).map(|n| document(n, &text(n))).collect();
    for kept in [900, 4_300] {
        let mut child = tamis(&["dedup", "--index", &index, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        let fed = lines.clone();
        let feeder = std::thread::spawn(move || {
            // The reader dies in the middle.
            let _ = stdin.write_all(fed.as_bytes());
        });
        let answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        assert_eq!(answers.take(kept).filter(Result::is_ok).count(), kept);
        child.kill().expect("killed");
        child.wait().expect("dead");
        feeder.join().expect("ended");
    }
    lines += &document(count, &text(5));
    let docs = file(dir.path(), "docs.jsonl", &lines);
    let rows = values(&run(&mut tamis(&["dedup", "--index", &index, &docs])));
    assert_eq!(rows.len() as u64, count + 1);
    assert_eq!(rows[count as usize]["dup_of"], 5);
    // What was known was known under its own id, and the rest is new.
    for (at, row) in rows[..count as usize].iter().enumerate() {
        let known = row["dup_of"] == json!(at) && row["verdict"] == "exact_duplicate";
        assert!(known || row["verdict"] == "kept", "{row}");
    }
    let again = values(&run(&mut tamis(&["dedup", "--index", &index, &docs])));
    assert!(again.iter().all(|row| row["verdict"] == "exact_duplicate"));
}
