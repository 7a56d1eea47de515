//! Commands read a crawl where its archive was copied to.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use testweb::TestWeb;

use crate::bucket::{Bucket, Mood};
use crate::nodes::{nodes_of, web};
use crate::support::{Bench, file, has, page, run, says, stderr, stdout, tamis};

const PLACE: &str = "s3://bucket/crawls/one";
const PAGES: u64 = 20;

fn row_of_pages() -> TestWeb {
    let mut web = TestWeb::new();
    for n in 0..PAGES {
        let links: Vec<String> = (1..4).map(|step| format!("/p{}.html", n + step)).collect();
        let html = page(&format!("Page {n}"), 100 + n, &links);
        web = web.page(&format!("http://a.test/p{n}.html"), &html);
    }
    web
}

/// A crawl whose archive is in the bucket.
fn copied() -> (Bench, Bucket) {
    let bench = Bench::serve(row_of_pages());
    let bucket = Bucket::start(Mood::Well);
    let text = format!(
        "[politeness]\ndelay = \"0\"\n[archive]\nfile_size = \"20 KB\"\nupload = \"{PLACE}\"\n"
    );
    let config = file(bench.dir.path(), "uploads.toml", &text);
    let mut crawl = bench.crawl("c", &[&config, "--seed", "http://a.test/p0.html"]);
    run(crawl.envs(bucket.environment()));
    (bench, bucket)
}

fn reading(bench: &Bench, bucket: &Bucket, command: &[&str]) -> Command {
    let mut tamis = tamis(command);
    tamis
        .envs(bucket.environment())
        .env("TAMIS_CACHE", bench.dir.path().join("cache"));
    tamis
}

/// Requests that brought something.
fn brought(bucket: &Bucket) -> usize {
    let log = bucket.log();
    log.iter()
        .filter(|line| line.starts_with("GET") && line.contains(".warc.gz"))
        .count()
}

/// A row without where it stands.
fn value(output: &Output) -> Value {
    serde_json::from_str(&stdout(output)).expect("JSON")
}

#[test]
fn what_is_said_of_copies_is_what_is_said_of_the_crawl() {
    let (bench, bucket) = copied();
    let dir = bench.crawl_dir("c").display().to_string();
    let files = bucket.objects().len() - 1;
    assert!(files >= 4, "{files} files");
    for command in [
        &["export", "DIR", "pages"][..],
        &["export", "DIR", "indexed"],
        &["export", "DIR", "fetches"],
        &["export", "DIR", "hosts"],
        &["explain", "DIR", "http://a.test/p3.html"],
        &["explain", "DIR", "http://a.test/p21.html", "--short"],
        &["explain", "DIR", "http://a.test/p3.html", "--json"],
        &["search", "DIR", "page", "--json"],
    ] {
        let of = |place: &str| -> Vec<String> {
            command
                .iter()
                .map(|word| word.replace("DIR", place))
                .collect()
        };
        let (here, there) = (of(&dir), of(PLACE));
        let words = |all: &[String]| all.join(" ");
        let here = stdout(&run(tamis(&[]).args(&here)));
        let told = stdout(&run(reading(&bench, &bucket, &[]).args(&there)));
        assert!(!here.is_empty(), "{}", words(&there));
        assert_eq!(here, told, "{}", words(&there));
    }
    // Each file was brought once.
    assert_eq!(brought(&bucket), files);
    let status = |place: &str| {
        let mut shown = value(&run(&mut reading(
            &bench,
            &bucket,
            &["status", place, "--json"],
        )));
        shown["uploads"] = Value::Null;
        shown
    };
    assert_eq!(status(&dir), status(PLACE));
    let report = |place: &str| {
        let mut told = value(&run(&mut reading(
            &bench,
            &bucket,
            &["report", place, "--format", "json"],
        )));
        assert_eq!(told["name"], place);
        for field in ["name", "copies"] {
            told[field] = Value::Null;
        }
        told
    };
    assert_eq!(report(&dir), report(PLACE));
    let checked = run(&mut reading(
        &bench,
        &bucket,
        &["check-dir", PLACE, "--rejudge"],
    ));
    has(&stdout(&checked), &["everything agrees"]);
    assert_eq!(brought(&bucket), files);
}

#[test]
fn copies_that_grow_are_brought_on_and_what_cannot_be_read_names_its_place_and_the_mend() {
    let (bench, bucket) = copied();
    let objects = bucket.objects();
    let status = || {
        reading(&bench, &bucket, &["status", PLACE, "--json"])
            .output()
            .expect("runs")
    };
    // A part of the crawl at first: the last bodies and the journal file that points at them are missing.
    let last = objects
        .keys()
        .rfind(|key| key.ends_with(".meta.warc.gz"))
        .cloned()
        .expect("a journal");
    bucket.change(|objects| {
        objects.remove(&last);
    });
    let part = status();
    assert!(part.status.success(), "{}", stderr(&part));
    assert_eq!(value(&part)["state"], "copied");
    let before = brought(&bucket);
    bucket.change(|all| {
        all.insert(last.clone(), objects[&last].clone());
    });
    let whole = status();
    assert_eq!(value(&whole)["state"], "stopped", "{}", stderr(&whole));
    assert_eq!(brought(&bucket), before + 1);
    // Bodies alone say nothing yet.
    bucket.change(|all| {
        for (key, bytes) in &objects {
            if !key.ends_with(".meta.warc.gz") {
                all.insert(key.replace("/one/", "/three/"), bytes.clone());
            }
        }
    });
    let mut bodies = reading(&bench, &bucket, &["status", "s3://bucket/crawls/three"]);
    says(
        &bodies.output().expect("runs"),
        3,
        &["s3://bucket/crawls/three", "no journal"],
    );
    // A store that fails, or is not there.
    bucket.set(Mood::Fails);
    says(&status(), 3, &[PLACE, "cannot be read", "500"]);
    bucket.set(Mood::Well);
    let mut without = reading(&bench, &bucket, &["status", PLACE]);
    says(
        &without
            .env_remove("AWS_ACCESS_KEY_ID")
            .output()
            .expect("runs"),
        2,
        &[PLACE, "AWS_ACCESS_KEY_ID"],
    );
    // What has no copies, and what has more of them than may be kept.
    let mut nothing = reading(&bench, &bucket, &["status", "s3://bucket/crawls/two"]);
    says(
        &nothing.output().expect("runs"),
        2,
        &[
            "s3://bucket/crawls/two",
            "no archive files",
            "archive.upload",
        ],
    );
    let mut small = reading(&bench, &bucket, &["status", PLACE]);
    small.env("TAMIS_CACHE_MAX", "10 KB");
    says(
        &small.output().expect("runs"),
        2,
        &[PLACE, "TAMIS_CACHE_MAX"],
    );
    // A command for which copies are not enough.
    let mut steer = reading(&bench, &bucket, &["pause", PLACE]);
    says(&steer.output().expect("runs"), 2, &[PLACE, "own directory"]);
}

#[test]
fn copies_of_another_place_make_room() {
    let (bench, bucket) = copied();
    let objects = bucket.objects();
    bucket.change(|all| {
        for (key, bytes) in &objects {
            all.insert(key.replace("/one/", "/two/"), bytes.clone());
        }
    });
    let bytes: usize = objects.values().map(Vec::len).sum();
    let read = |place: &str| {
        let mut status = reading(&bench, &bucket, &["status", place, "--json"]);
        // Room for one and a half.
        run(status.env("TAMIS_CACHE_MAX", format!("{}B", bytes * 3 / 2)));
        let cache = bench.dir.path().join("cache/copies");
        std::fs::read_dir(cache).expect("a cache").count()
    };
    assert_eq!(read(PLACE), 1);
    assert_eq!(read("s3://bucket/crawls/two"), 1);
    assert_eq!(read(PLACE), 1);
}

/// The place in the cache.
fn place_in_cache(bench: &Bench) -> PathBuf {
    let copies = std::fs::read_dir(bench.dir.path().join("cache/copies")).expect("a cache");
    let places: Vec<PathBuf> = copies.flatten().map(|entry| entry.path()).collect();
    assert_eq!(places.len(), 1);
    places[0].clone()
}

fn lock_in(place: &Path, name: &str) -> File {
    let file = File::options().write(true).open(place.join(name));
    file.expect("a lock")
}

#[test]
fn copies_stay_as_they_are_while_somebody_reads_them() {
    let (bench, bucket) = copied();
    let status = || reading(&bench, &bucket, &["status", PLACE, "--json"]);
    let objects = bucket.objects();
    let last = (objects.keys().rfind(|key| key.ends_with(".meta.warc.gz"))).expect("a journal");
    bucket.change(|all| {
        all.remove(last);
    });
    run(&mut status());
    let (place, before) = (place_in_cache(&bench), brought(&bucket));
    bucket.change(|all| {
        all.insert(last.clone(), objects[last].clone());
    });
    let reader = lock_in(&place, "in-use");
    reader.lock_shared().expect("it reads");
    let meanwhile = run(&mut status());
    assert_eq!(value(&meanwhile)["state"], "copied");
    has(&stderr(&meanwhile), &["as they were brought before"]);
    assert_eq!(brought(&bucket), before);
    drop(reader);
    assert_eq!(value(&run(&mut status()))["state"], "stopped");
    assert_eq!(brought(&bucket), before + 1);
    // Of what was there before another crawl took the place, nothing stays.
    std::fs::write(place.join("alone/node.json"), "{}").expect("is written");
    std::fs::write(place.join("alone/files"), "of others").expect("is written");
    std::fs::create_dir_all(place.join("node-7/archive")).expect("is made");
    run(&mut status());
    assert!(!place.join("alone/node.json").exists() && !place.join("node-7").exists());
}

#[test]
fn who_comes_while_another_command_brings_copies_waits_for_it() {
    let (bench, bucket) = copied();
    run(&mut reading(&bench, &bucket, &["status", PLACE]));
    let bringer = lock_in(&place_in_cache(&bench), "brings");
    bringer.lock().expect("it brings");
    let mut second = reading(&bench, &bucket, &["status", PLACE]);
    let second = second.stderr(Stdio::piped()).stdout(Stdio::piped());
    let mut second = second.spawn().expect("starts");
    std::thread::sleep(Duration::from_millis(500));
    assert!(second.try_wait().expect("is known").is_none(), "it waits");
    drop(bringer);
    let ended = second.wait_with_output().expect("it ends");
    assert!(ended.status.success());
    has(&stderr(&ended), &["waiting for another tamis command"]);
}

#[test]
fn state_and_index_of_copies_count_for_the_bound() {
    let (bench, bucket) = copied();
    let objects = bucket.objects();
    bucket.change(|all| {
        for (key, bytes) in &objects {
            all.insert(key.replace("/one/", "/two/"), bytes.clone());
        }
    });
    let cache = bench.dir.path().join("cache/copies");
    let read = |command: &[&str], max: u64| {
        let mut read = reading(&bench, &bucket, command);
        run(read.env("TAMIS_CACHE_MAX", format!("{max}B")));
        std::fs::read_dir(&cache).expect("a cache").count()
    };
    let plenty = 1_000_000_000;
    assert_eq!(read(&["status", "s3://bucket/crawls/two"], plenty), 1);
    assert_eq!(read(&["status", PLACE], plenty), 2);
    let just_enough = bytes_below(&cache) + 1_000;
    assert_eq!(read(&["status", PLACE], just_enough), 2);
    assert_eq!(read(&["search", PLACE, "page"], just_enough), 1);
}

fn bytes_below(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).expect("a directory").flatten();
    let bytes = entries.map(|entry| match entry.path().is_dir() {
        true => bytes_below(&entry.path()),
        false => entry.metadata().expect("a file").len(),
    });
    bytes.sum()
}

#[test]
fn the_copies_of_all_nodes_are_read_as_one() {
    let place = tempfile::tempdir().expect("a directory");
    let text = format!("file://{}", place.path().display());
    let more = format!("[archive]\nupload = \"{text}\"\n");
    let Some(nodes) = nodes_of(web(), &more) else {
        return;
    };
    let names = ["c1", "c2"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let cache = nodes.bench.dir.path().join("cache");
    let of = |dirs: &[String], command: &[&str]| {
        let mut all = tamis(&[command[0], &dirs[0]]);
        all.args(&command[1..]).env("TAMIS_CACHE", &cache);
        for dir in &dirs[1..] {
            all.args(["--with", dir]);
        }
        stdout(&run(&mut all))
    };
    let dirs = names.map(|name| nodes.bench.crawl_dir(name).display().to_string());
    let copies = [text.clone()];
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    for what in ["pages", "hosts"] {
        let (here, there) = (of(&dirs, &["export", what]), of(&copies, &["export", what]));
        assert_eq!(sorted(here), sorted(there), "{what}");
    }
    let finished = |dirs: &[String]| {
        let status: Value = serde_json::from_str(&of(dirs, &["status", "--json"])).expect("JSON");
        status["finished"].clone()
    };
    assert_eq!(finished(&copies), finished(&dirs));
    let mut check = tamis(&["check-dir", &text]);
    let checked = run(check.env("TAMIS_CACHE", &cache));
    has(
        &stdout(&checked),
        &["no URL was finished twice over all directories"],
    );
    let hits = |dirs: &[String]| sorted(of(dirs, &["search", "front", "--json"])).len();
    assert_eq!(hits(&copies), hits(&dirs));
    // One node alone by its part.
    let one = format!("{text}/node-1");
    assert!(!of(&[one], &["export", "pages"]).is_empty());
}
