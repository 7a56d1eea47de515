//! What only the user may know stays in the user's configuration.

use std::fs;
use std::io::Read;
use std::path::Path;

use testweb::{Response, TestWeb};

use crate::support::{Bench, file, page, stderr, stdout, tamis};

const SECRET: &str = "opensesame7";

/// Names of files below a directory that hold the secret, gzip undone.
fn holding(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(holding(&path));
            continue;
        }
        let mut bytes = fs::read(&path).expect("readable");
        if path.extension().is_some_and(|ending| ending == "gz") {
            let mut plain = Vec::new();
            flate2::read::MultiGzDecoder::new(bytes.as_slice())
                .read_to_end(&mut plain)
                .expect("gzip");
            bytes = plain;
        }
        if bytes
            .windows(SECRET.len())
            .any(|window| window == SECRET.as_bytes())
        {
            found.push(
                path.file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned(),
            );
        }
    }
    found
}

#[test]
fn a_proxys_password_is_neither_logged_nor_archived() {
    let bench =
        Bench::serve(TestWeb::new().page("http://a.test/", &page("Front", 1, &["/gone".into()])));
    let closed = "127.0.0.1:1".to_string();
    let open = bench
        .proxy
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .to_string();
    for (name, address) in [("open", open), ("closed", closed)] {
        let config = format!(
            "[network]\nproxy = \"http://user:{SECRET}@{address}\"\nallow_private = true\n[politeness]\nattempts = 1\nretry_delay = \"1ms\"\n"
        );
        let config = file(bench.dir.path(), &format!("{name}.toml"), &config);
        let dir = bench.crawl_dir(name);
        // Behind a proxy that is closed no page can be read, and the exit code says so.
        let output = tamis(&[
            "crawl",
            "-vv",
            &config,
            "--seed",
            "http://a.test/",
            "--delay",
            "0",
            "--max-time",
            "5s",
        ])
        .env("RUST_LOG", "trace")
        .arg("--dir")
        .arg(&dir)
        .output()
        .expect("runs");
        assert_eq!(output.status.success(), name == "open", "{name}");
        assert!(
            !stderr(&output).contains(SECRET),
            "{name}: {}",
            stderr(&output)
        );
        // The configuration in force is kept as it was written, so that the next start has it.
        assert_eq!(holding(&dir), ["crawl.toml"], "{name}");
        for command in ["report", "check-dir"] {
            let output = tamis(&[command]).arg(&dir).output().expect("runs");
            assert!(!stdout(&output).contains(SECRET), "{name}: {command}");
        }
    }
}

#[test]
fn a_password_in_a_link_is_masked_for_people() {
    let link = format!("http://bob:{SECRET}@a.test/x");
    let front = page("Front", 1, &["/away".to_owned(), link.clone()]);
    let away = Response::new(302, "text/html", "").with_header("Location", &link);
    let web = TestWeb::new().page("http://a.test/", &front);
    let bench = Bench::serve(web.respond("http://a.test/away", away));
    let dir = bench.crawl_dir("masked");
    let mut crawl = bench.crawl("masked", &["-vv", "--seed", "http://a.test/"]);
    let output = crawl.output().expect("runs");
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("URL failed") && said.contains("bob:***@a.test"),
        "{said}"
    );
    assert!(!said.contains(SECRET), "{said}");
    for options in [&["--short"][..], &[]] {
        let mut explain = tamis(&["explain"]);
        let output = explain
            .arg(&dir)
            .arg("http://a.test/away")
            .args(options)
            .output()
            .expect("runs");
        let told = stdout(&output);
        assert!(
            told.contains("a.test/away") && !told.contains(SECRET),
            "{told}"
        );
    }
}
