//! Another WARC library reads what we write.

use std::process::Command;

use archive::{Entry, Response};

use crate::{append, bodies, journals, open, page};

/// The Python with warcio, or why there is none.
fn python() -> Result<&'static str, String> {
    let output = Command::new("python3")
        .args(["-c", "import warcio"])
        .output();
    match output {
        Ok(output) if output.status.success() => Ok("python3"),
        Ok(_) => Err("python3 has no warcio (pip install warcio)".to_owned()),
        Err(error) => Err(format!("no python3: {error}")),
    }
}

#[test]
fn warcio_reads_every_record_and_agrees_with_every_digest() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => {
            eprintln!("skipped: {why}");
            return;
        }
    };
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    for seq in 1..=40 {
        append(&mut archive, seq);
    }
    // A content-encoded body, stored; then the same once more.
    let packed = [0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3].repeat(80);
    let headers = [
        ("content-encoding".to_owned(), b"br".to_vec()),
        ("transfer-encoding".to_owned(), b"chunked".to_vec()),
        ("x-latin".to_owned(), b"caf\xe9".to_vec()),
    ];
    for seq in 41..=42 {
        let entry = Entry {
            record: &page(seq),
            response: Some(Response {
                url: "http://b.example/",
                status: 200,
                http_version: "HTTP/2",
                headers: &headers,
                body: &packed,
                ip: Some("192.0.2.1".parse().unwrap()),
                ..Response::default()
            }),
            text: Some("主要内容"),
        };
        archive.append(&entry).unwrap();
    }
    archive.sync().unwrap();

    let output = Command::new(python)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/it/read_warc.py"
        ))
        .args(bodies(dir.path()))
        .args(journals(dir.path()))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{errors}");
    let pages = 42 - 8;
    for expected in [
        format!("conversion {pages}"),
        "metadata 42".to_owned(),
        "request 32".to_owned(),
        format!("response {}", pages - 1),
        "revisit 1".to_owned(),
    ] {
        assert!(
            told.lines().any(|line| line == expected),
            "{expected}:\n{told}"
        );
    }
}
