//! After a power cut, where only what was synced is left, no page is lost that was acknowledged.
//!
//! The cut is simulated by a library that copies each file at its syncs, which lies beside the
//! repository; without it, or without a C compiler, the test says so and passes.
//! `tests/scripts/survive.py` does the same at length, with faults.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use testweb::TestWeb;

use crate::support::{Bench, page, run, tamis};

const SEED: [&str; 4] = ["--seed", "http://a.test/p0.html", "--delay", "5ms"];

fn web() -> TestWeb {
    let mut web = TestWeb::new();
    for number in 0..400_u64 {
        let links = [2 * number + 1, 2 * number + 2].map(|next| format!("/p{next}.html"));
        web = web.page(
            &format!("http://a.test/p{number}.html"),
            &page(&format!("Page {number}"), number, &links),
        );
    }
    web
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// The library, built; none when it cannot be had.
fn library(dir: &Path) -> Option<String> {
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tools/powercut/powercut.c");
    let library = dir.join("powercut.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(&source)
        .arg("-ldl")
        .stderr(Stdio::null())
        .status();
    match built {
        Ok(status) if status.success() => Some(library.display().to_string()),
        _ => {
            println!("skipped: no C compiler, or nothing at {}", source.display());
            None
        }
    }
}

#[test]
fn no_acknowledged_page_is_lost_in_a_power_cut() {
    let bench = Bench::serve(web());
    let Some(library) = library(bench.dir.path()) else {
        return;
    };
    let (dir, durable) = (bench.crawl_dir("cut"), bench.dir.path().join("durable"));
    let mut pages = 0;
    for round in 1..=3 {
        let mut child = bench
            .crawl_showing("json", "cut", &SEED)
            .env("LD_PRELOAD", &library)
            .env("POWERCUT_ROOT", &dir)
            .env("POWERCUT_DIR", &durable)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        // The power goes as soon as pages are told to be safe that were not before.
        let said = BufReader::new(child.stderr.take().expect("a pipe"));
        let told = said
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(&line).ok())
            .filter_map(|shown| shown["pages"].as_u64())
            .find(|&shown| shown > pages);
        child.kill().expect("killed");
        child.wait().expect("ended");
        fs::remove_dir_all(&dir).expect("removed");
        copy(&durable, &dir);
        let Some(told) = told else { break };
        let left = bench.pages("cut").len() as u64;
        assert!(
            left >= told,
            "cut {round}: {told} pages were told, {left} are there"
        );
        pages = left;
        // What lies there now is what the next cut finds, synced or not.
        fs::remove_dir_all(&durable).expect("removed");
        copy(&dir, &durable);
    }
    assert!(pages > 0, "no page was ever told to be safe");
    run(&mut bench.crawl("cut", &SEED));
    assert_eq!(
        bench
            .pages("cut")
            .iter()
            .filter(|(_, fate)| fate == "indexed")
            .count(),
        400
    );
    bench.check("cut");
    run(tamis(&["check-dir"]).arg(&dir));
}
