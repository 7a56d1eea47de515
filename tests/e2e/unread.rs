//! Archived texts that cannot be read: nothing is made anew without those that may be back, and what is lost is told.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use testweb::TestWeb;

use crate::support::{Bench, file, has, page, run, says, stderr, stdout, tamis};

const SEED: [&str; 4] = ["--seed", "http://a.test/p0.html", "--delay", "0"];

const PAGES: usize = 12;

/// A crawl with this configuration, to its end.
fn bench(config: &str) -> Bench {
    let mut web = TestWeb::new();
    for number in 0..PAGES as u64 {
        let links = [format!("/p{}.html", number + 1)];
        web = web.page(
            &format!("http://a.test/p{number}.html"),
            &page(&format!("Page {number}"), number, &links),
        );
    }
    let bench = Bench::serve(web);
    let config = file(bench.dir.path(), "config.toml", config);
    bench.crawl_to_end("crawl", &[&[&*config], &SEED[..]].concat());
    bench
}

fn bodies(bench: &Bench) -> PathBuf {
    bench.crawl_dir("crawl").join("archive/00001.warc.gz")
}

fn crawl(bench: &Bench) -> Output {
    bench.crawl("crawl", &SEED).output().expect("runs")
}

fn command(bench: &Bench, words: &[&str]) -> Output {
    let mut command = tamis(&words[..1]);
    command.arg(bench.crawl_dir("crawl")).args(&words[1..]);
    command.output().expect("runs")
}

/// Hits that show a piece of their text.
fn found(bench: &Bench) -> usize {
    let output = command(bench, &["search", "lantern", "--limit", "50", "--json"]);
    let lines = stdout(&output);
    let hits = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a hit"));
    hits.filter(|hit| hit["snippet"].as_str().is_some_and(|text| !text.is_empty()))
        .count()
}

/// Noise in the record of the text of one page.
fn damage_a_text(bench: &Bench) -> Vec<u8> {
    let journal = archive::replay(
        &bench.crawl_dir("crawl").join("archive"),
        archive::Position::START,
    );
    let texts = journal
        .expect("a journal")
        .filter_map(|replayed| match replayed.expect("read") {
            archive::Replayed::Record { record, .. } => record.event.page()?.text.clone(),
            archive::Replayed::Damage(_) => None,
        });
    let at = texts.last().expect("a text");
    let whole = fs::read(bodies(bench)).expect("read");
    let mut damaged = whole.clone();
    let from = at.offset as usize + 20;
    for byte in &mut damaged[from..from + 40] {
        *byte ^= 0x5a;
    }
    fs::write(bodies(bench), damaged).expect("written");
    whole
}

#[test]
fn nothing_is_made_anew_while_the_texts_are_not_there() {
    // The index was made of nothing, for good, and all was said to agree.
    let bench = bench("[topic]\nkeywords = [\"lantern\", \"harbour\"]\noff_topic = \"keep\"\n");
    let (dir, aside) = (bench.crawl_dir("crawl"), bench.dir.path().join("aside"));
    let whole = found(&bench);
    assert!(whole > 2, "{whole}");
    let told = ["00001.warc.gz", "put the file back", "nothing was changed"];
    for lost in ["index", "state/memory"] {
        let lost = dir.join(lost);
        match lost.is_dir() {
            true => fs::remove_dir_all(&lost).expect("removed"),
            false => fs::remove_file(&lost).expect("removed"),
        }
        fs::rename(bodies(&bench), &aside).expect("moved");
        for _ in 0..2 {
            says(&crawl(&bench), 3, &told);
        }
        fs::rename(&aside, bodies(&bench)).expect("moved back");
        says(&crawl(&bench), 0, &[]);
        bench.check("crawl");
        assert_eq!(found(&bench), whole);
    }
    // A repair throws nothing away then, and is not what a check advises.
    fs::rename(bodies(&bench), &aside).expect("moved");
    let check = command(&bench, &["check-dir"]);
    says(&check, 1, &[]);
    has(
        &stdout(&check),
        &["put 00001.warc.gz back into the archive"],
    );
    says(&command(&bench, &["check-dir", "--repair"]), 3, &told);
    assert_eq!(found(&bench), whole);
    fs::rename(&aside, bodies(&bench)).expect("moved back");
    bench.check("crawl");
}

#[test]
fn a_text_that_is_lost_is_told_at_the_start_that_misses_it() {
    let bench = bench("");
    let whole = found(&bench);
    damage_a_text(&bench);
    fs::remove_dir_all(bench.crawl_dir("crawl").join("index")).expect("removed");
    let output = crawl(&bench);
    let told = [
        "1 archived text or body could not be read",
        "00001.warc.gz",
        "by title alone",
    ];
    says(&output, 0, &told);
    assert!(found(&bench) + 1 >= whole);
    assert!(!stderr(&crawl(&bench)).contains("could not be read"));
}

#[test]
fn an_index_that_was_made_without_its_texts_is_found_and_mended() {
    let bench = bench("");
    let whole = found(&bench);
    let texts = fs::read(bodies(&bench)).expect("read");
    // An empty file says that its texts are lost.
    fs::write(bodies(&bench), "").expect("written");
    fs::remove_dir_all(bench.crawl_dir("crawl").join("index")).expect("removed");
    let told = [&*format!(
        "{PAGES} archived texts and bodies could not be read"
    )];
    says(&crawl(&bench), 0, &told);
    assert_eq!(found(&bench), 0);
    fs::write(bodies(&bench), texts).expect("written");
    let check = command(&bench, &["check-dir"]);
    says(&check, 1, &[]);
    let problem = format!("the search index has {PAGES} pages with other texts than the archive");
    has(&stdout(&check), &[&problem]);
    let repaired = command(&bench, &["check-dir", "--repair"]);
    says(&repaired, 0, &[]);
    has(&stdout(&repaired), &["everything agrees"]);
    assert_eq!(found(&bench), whole);
}

#[test]
fn an_export_says_what_it_could_not_read() {
    // Each ended with 0 and wrote nothing, or rows without texts.
    let bench = bench("");
    let out = bench.dir.path().join("out").display().to_string();
    let exports = |code: i32, told: &[&str]| {
        let whole: &[&[&str]] = &[
            &["export", "indexed"],
            &["export", "indexed", "--format", "wet"],
            &["export", "indexed", "--format", "markdown", "--out", &out],
            &["export", "dataset", "--out", &out],
            &["export", "pages", "--format", "cdxj"],
        ];
        for words in whole {
            says(&command(&bench, words), code, told);
            let _ = fs::remove_dir_all(&out);
        }
        // Who asks for no text misses none.
        for what in ["pages", "fetches", "links", "hosts"] {
            says(&command(&bench, &["export", what]), 0, &[]);
        }
    };
    exports(0, &[]);
    let whole = damage_a_text(&bench);
    let wet = command(&bench, &["export", "indexed", "--format", "wet"]);
    let one = "1 archived text or body could not be read: read the record at byte";
    says(&wet, 1, &[one, "tamis check-dir"]);
    let rows = command(&bench, &["export", "indexed"]);
    says(&rows, 1, &[one]);
    assert_eq!(stdout(&rows).lines().count(), PAGES);
    fs::write(bodies(&bench), whole).expect("written");
    fs::remove_file(bodies(&bench)).expect("removed");
    exports(
        3,
        &[
            "could not be read, the first: read",
            "00001.warc.gz",
            "put the file back",
        ],
    );
    run(tamis(&["report"]).arg(bench.crawl_dir("crawl")));
}
