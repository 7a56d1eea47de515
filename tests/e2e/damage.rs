//! Damaged state is rebuilt from the archive; damage in the archive costs its record alone.

use std::fs;
use std::path::{Path, PathBuf};

use testweb::TestWeb;

use crate::support::{Bench, has, page, run, says, stderr, stdout, tamis};

fn bench() -> Bench {
    let mut web = TestWeb::new();
    for number in 0..30_u64 {
        let links = [format!("/p{}.html", number + 1)];
        web = web.page(
            &format!("http://a.test/p{number}.html"),
            &page(&format!("Page {number}"), number, &links),
        );
    }
    let bench = Bench::serve(web);
    bench.crawl_to_end("crawl", &SEED);
    bench
}

const SEED: [&str; 4] = ["--seed", "http://a.test/p0.html", "--delay", "0"];

/// Every file below a directory.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path)
            } else {
                found.push(path)
            }
        }
    }
    found.sort();
    found
}

/// Starts again after the damage; the crawl says what it rebuilt and everything agrees.
#[track_caller]
fn mends(bench: &Bench, view: &str) {
    let before = bench.pages("crawl");
    let output = run(&mut bench.crawl("crawl", &SEED));
    let said = stderr(&output);
    assert!(said.contains(view) && said.contains("rebuilt"), "{said}");
    assert_eq!(bench.pages("crawl"), before);
    bench.check("crawl");
    let found = stdout(&run(tamis(&["search"])
        .arg(bench.crawl_dir("crawl"))
        .arg("lantern")
        .arg("--json")));
    assert!(!found.is_empty(), "the search index is there again");
}

#[test]
fn removed_state_and_index_are_rebuilt() {
    let bench = bench();
    fs::remove_dir_all(bench.crawl_dir("crawl").join("state")).expect("removed");
    mends(&bench, "frontier");
    fs::remove_dir_all(bench.crawl_dir("crawl").join("index")).expect("removed");
    let refused = || {
        let mut search = tamis(&["search"]);
        let search = search.arg(bench.crawl_dir("crawl")).arg("lantern");
        let output = search.output().expect("the binary runs");
        let said = stderr(&output);
        assert!(
            !output.status.success() && said.contains("check-dir --repair"),
            "{said}"
        );
    };
    refused();
    // Nor is one of use that is there and has none of the pages.
    let nothing = ["--seed", "http://nowhere.test/", "--delay", "1ms"];
    bench
        .crawl("empty", &nothing)
        .output()
        .expect("the binary runs");
    let of_nothing = bench.crawl_dir("empty").join("index");
    fs::rename(of_nothing, bench.crawl_dir("crawl").join("index")).expect("moved");
    refused();
    fs::remove_dir_all(bench.crawl_dir("crawl").join("index")).expect("removed");
    mends(&bench, "search index");
}

/// Writes noise over all files of state and index.
fn write_noise(bench: &Bench) {
    for view in ["state/frontier", "state/fingerprints", "index"] {
        for path in files(&bench.crawl_dir("crawl").join(view)) {
            let len = fs::metadata(&path).expect("a file").len() as usize;
            let noise: Vec<u8> = (0..len)
                .map(|at| (at.wrapping_mul(2_654_435_761) >> 7) as u8)
                .collect();
            fs::write(&path, noise).expect("written");
        }
    }
}

#[test]
fn state_and_index_full_of_noise_are_rebuilt() {
    let bench = bench();
    write_noise(&bench);
    mends(&bench, "frontier");
}

#[test]
fn a_check_tells_damage_each_time_and_moves_nothing() {
    // The first one set aside what it found damaged and began it anew, and the second said that all agrees.
    let bench = bench();
    let dir = bench.crawl_dir("crawl");
    write_noise(&bench);
    // Noise at the end of the frontier's log is cut as what a kill left. This is what a crawl notes for the next start.
    fs::write(dir.join("state/frontier/damaged"), "a row is none").expect("written");
    for _ in 0..2 {
        let check = tamis(&["check-dir"]).arg(&dir).output().expect("runs");
        says(&check, 1, &[]);
        let damaged = [
            "the frontier is damaged: a row is none",
            "the fingerprint tables are damaged",
            "the search index is damaged",
        ];
        has(&stdout(&check), &damaged);
    }
    let is_aside = |path: &PathBuf| path.to_string_lossy().contains("set-aside");
    assert_eq!(files(&dir).iter().find(|path| is_aside(path)), None);
    mends(&bench, "frontier");
    assert!(files(&dir).iter().any(is_aside));
}

#[test]
fn truncated_state_and_index_are_rebuilt() {
    let bench = bench();
    for view in ["state/frontier", "state/fingerprints", "index"] {
        for path in files(&bench.crawl_dir("crawl").join(view)) {
            let file = fs::OpenOptions::new()
                .write(true)
                .open(&path)
                .expect("opened");
            let len = file.metadata().expect("a file").len();
            file.set_len(len / 3).expect("cut");
        }
    }
    mends(&bench, "search index");
}

#[test]
fn a_torn_tail_of_the_archive_is_cut_and_fetched_again() {
    let bench = bench();
    let before: Vec<String> = bench
        .pages("crawl")
        .into_iter()
        .map(|(url, _)| url)
        .collect();
    let journal = files(&bench.crawl_dir("crawl").join("archive"))
        .into_iter()
        .rfind(|path| path.to_string_lossy().ends_with(".meta.warc.gz"))
        .expect("a journal");
    let file = fs::OpenOptions::new()
        .write(true)
        .open(&journal)
        .expect("opened");
    let len = file.metadata().expect("a file").len();
    file.set_len(len - len / 4).expect("cut");
    drop(file);
    // Views that are ahead of a shortened archive are of no use.
    let said = stderr(&run(&mut bench.crawl("crawl", &SEED)));
    assert!(said.contains("it was ahead of it"), "{said}");
    let after: Vec<String> = bench
        .pages("crawl")
        .into_iter()
        .map(|(url, _)| url)
        .collect();
    assert_eq!(after, before);
    bench.check("crawl");
}

#[test]
fn a_flipped_bit_costs_its_record_alone_and_is_told() {
    let bench = bench();
    let before = bench.pages("crawl").len();
    let journal = files(&bench.crawl_dir("crawl").join("archive"))
        .into_iter()
        .find(|path| path.to_string_lossy().ends_with(".meta.warc.gz"))
        .expect("a journal");
    let mut bytes = fs::read(&journal).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&journal, bytes).expect("written");
    assert_eq!(bench.pages("crawl").len(), before - 1);
    // Nobody has put its URL back.
    for command in ["status", "report"] {
        let told = stdout(&run(tamis(&[command]).arg(bench.crawl_dir("crawl"))));
        assert!(!told.contains("put back"), "{told}");
    }
    let output = tamis(&["check-dir"])
        .arg(bench.crawl_dir("crawl"))
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("damage"), "{}", stdout(&output));

    // A start says what to do, though its views have taken all of the journal in. Nothing was said of it.
    let said = stderr(&run(&mut bench.crawl("crawl", &SEED)));
    has(&said, &["1 damaged place is lost", "--repair"]);

    // So does one that reads the journal. What was admitted by the lost record was fetched a second time, as a
    // duplicate of itself.
    fs::remove_dir_all(bench.crawl_dir("crawl").join("state")).expect("removed");
    let said = stderr(&run(&mut bench.crawl("crawl", &SEED)));
    assert!(said.contains("--repair"), "{said}");
    let mut repair = tamis(&["check-dir", "--repair"]);
    let repaired = run(repair.arg(bench.crawl_dir("crawl")));
    assert!(
        stdout(&repaired).contains("lost for good"),
        "{}",
        stdout(&repaired)
    );
    run(&mut bench.crawl("crawl", &SEED));
    let pages = bench.rows("crawl", "pages");
    let urls: std::collections::BTreeSet<_> =
        pages.iter().map(|page| page["url"].to_string()).collect();
    assert_eq!((pages.len(), urls.len()), (before, before));
    assert!(
        pages.iter().all(|page| page["reason"] != "exact_duplicate"),
        "{pages:?}"
    );
    run(tamis(&["check-dir", "--rejudge"]).arg(bench.crawl_dir("crawl")));
    // It is told no more.
    let said = stderr(&run(&mut bench.crawl("crawl", &SEED)));
    assert!(!said.contains("damaged"), "{said}");
}

#[test]
fn bodies_that_are_lost_are_told_and_cost_no_record() {
    let bench = bench();
    let before = bench.pages("crawl");
    let asked = bench.web.log().len();
    let archive = bench.crawl_dir("crawl").join("archive");
    let bodies = archive.join("00001.warc.gz");
    let whole = fs::read(&bodies).expect("read");
    let check = |more: &[&str]| {
        let mut check = tamis(&["check-dir"]);
        let output = check.args(more).arg(bench.crawl_dir("crawl")).output();
        output.expect("runs")
    };
    for kept in [0, whole.len() / 3] {
        fs::write(&bodies, &whole[..kept]).expect("written");
        says(&check(&[]), 1, &[]);
        let said = stdout(&check(&[]));
        has(&said, &["damage: 00001.warc.gz", "cannot be read"]);
        assert!(!said.contains("problem:"), "{said}");
    }
    // A start goes on with all that the journal tells, and asks for nothing again.
    run(&mut bench.crawl("crawl", &SEED));
    assert_eq!(bench.pages("crawl"), before);
    assert_eq!(bench.web.log().len(), asked);
    let repaired = check(&["--repair"]);
    says(&repaired, 0, &[]);
    has(&stdout(&repaired), &["lost for good: 00001.warc.gz"]);
    assert_eq!(bench.pages("crawl"), before);
    fs::remove_file(&bodies).expect("removed");
    says(&check(&[]), 1, &[]);
    has(&stdout(&check(&[])), &["damage: 00001.warc.gz"]);
    // What is read later does not come in the place of what was lost.
    let files = || {
        files(&archive)
            .into_iter()
            .filter(|path| path.ends_with("00001.warc.gz"))
    };
    run(&mut bench.crawl("crawl", &["--seed", "http://a.test/none.html"]));
    assert_eq!(files().count(), 0);
    has(&stdout(&check(&[])), &["damage: 00001.warc.gz"]);
}
