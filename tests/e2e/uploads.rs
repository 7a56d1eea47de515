//! Closed archive files are copied to an object store while the crawl goes on.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use testweb::TestWeb;

use crate::bucket::{Bucket, Mood};
use crate::nodes_support::lot;
use crate::support::{Bench, file, page, run, says, stderr, stdout, tamis};

const PAGES: u64 = 40;

/// Pages in a row, each with so many bytes that do not shrink.
fn web(bytes: usize) -> TestWeb {
    let mut web = TestWeb::new();
    let mut seed = 7;
    for n in 0..PAGES {
        let mut noise = String::new();
        while noise.len() < bytes {
            noise.push_str(&format!("{:016x}", lot(&mut seed)));
        }
        let links: Vec<String> = (1..4).map(|step| format!("/p{}.html", n + step)).collect();
        let html = page(&format!("Page {n}"), 100 + n, &links);
        let html = html.replace("</article>", &format!("</article><!-- {noise} -->"));
        web = web.page(&format!("http://a.test/p{n}.html"), &html);
    }
    web
}

fn config(bench: &Bench, upload: &str, file_size: &str) -> String {
    let text = format!(
        "[politeness]\ndelay = \"0\"\n[archive]\nfile_size = \"{file_size}\"\nupload = \"{upload}\"\n"
    );
    file(bench.dir.path(), "uploads.toml", &text)
}

fn crawl(bench: &Bench, bucket: &Bucket, config: &str) -> Command {
    let mut command = bench.crawl("c", &[config, "--seed", "http://a.test/p0.html"]);
    command.envs(bucket.environment());
    command
}

/// The archive's files, by their names there.
fn files(bench: &Bench, below: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(bench.crawl_dir("c").join("archive")).expect("an archive");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| {
        path.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    paths
        .filter(|path| name(path).ends_with(".warc.gz"))
        .map(|path| {
            let bytes = std::fs::read(&path).expect("is read");
            (format!("{below}{}", name(&path)), bytes)
        })
        .collect()
}

fn status(bench: &Bench) -> Value {
    let mut status = tamis(&["status", "--json"]);
    status.arg(bench.crawl_dir("c"));
    serde_json::from_str(&stdout(&run(&mut status))).expect("JSON")
}

#[track_caller]
fn all_is_there(bench: &Bench, bucket: &Bucket) {
    let (here, mut there) = (files(bench, "crawls/one/"), bucket.objects());
    let owner = there.remove("crawls/one/crawl-id");
    assert!(owner.is_some(), "whose they are is said");
    assert_eq!(
        here.keys().collect::<Vec<_>>(),
        there.keys().collect::<Vec<_>>()
    );
    assert!(here == there, "the bytes are the same");
    let told = &status(bench)["uploads"];
    assert_eq!(told["files"], here.len());
    assert_eq!(told["waiting"], 0);
    assert!(told["safe_journal"].as_u64() > Some(0), "{told}");
    assert!(told["failing"].is_null(), "{told}");
}

#[test]
fn what_is_closed_is_copied_as_the_crawl_goes_and_the_rest_at_its_end() {
    let bench = Bench::serve(web(1_200_000));
    let bucket = Bucket::start(Mood::Well);
    let config = config(&bench, "s3://bucket/crawls/one", "9 MB");
    let output = crawl(&bench, &bucket, &config).output().expect("runs");
    assert!(output.status.success(), "{}", stderr(&output));
    all_is_there(&bench, &bucket);
    let log = bucket.log();
    let parts = log.iter().filter(|line| line.contains("partNumber=2"));
    assert!(parts.count() >= 2, "files of more than 8 MB go in parts");
    // Signed with the key, and the secret is nowhere.
    assert!(bucket.keys().iter().all(|key| key == "the-key"));
    let secret = b"the-secret-of-the-key";
    let has_secret = |bytes: &[u8]| bytes.windows(secret.len()).any(|part| part == secret);
    assert!(!has_secret(&output.stderr));
    for name in ["crawl.toml", "uploads.json"] {
        let bytes = std::fs::read(bench.crawl_dir("c").join(name)).expect("is there");
        assert!(!has_secret(&bytes), "{name}");
    }
    let mut shown = tamis(&["status"]);
    let shown = stdout(&run(shown.arg(bench.crawl_dir("c"))));
    assert!(
        shown.contains("copied to s3://bucket/crawls/one"),
        "{shown}"
    );
    // Copied back they are the crawl, and a start with its configuration makes the rest of it.
    let back = bench.crawl_dir("back").join("archive");
    std::fs::create_dir_all(&back).expect("is made");
    for (key, bytes) in bucket.objects() {
        let name = key.rsplit('/').next().expect("a name");
        std::fs::write(back.join(name), bytes).expect("is written");
    }
    let kept = std::fs::read(bench.crawl_dir("c").join("crawl.toml")).expect("is there");
    std::fs::write(bench.crawl_dir("back").join("crawl.toml"), kept).expect("is written");
    let plain = file(
        bench.dir.path(),
        "plain.toml",
        "[politeness]\ndelay = \"0\"\n",
    );
    let asked = bench.web.log().len();
    bench.crawl_to_end("back", &[&plain, "--seed", "http://a.test/p0.html"]);
    assert_eq!(bench.web.log().len(), asked, "nothing is fetched again");
    bench.check("back");
    assert_eq!(bench.pages("back"), bench.pages("c"));
    // The next start finds all there, and sends nothing.
    let before = bucket.log().len();
    run(&mut crawl(&bench, &bucket, &config));
    let log = bucket.log();
    let sent = log[before..].iter().filter(|line| line.starts_with("PUT"));
    // But for the journal, to which the start is written.
    assert!(sent.count() <= 1);
}

#[test]
fn a_store_that_fails_breaks_off_or_dawdles_delays_nothing_and_has_all_in_the_end() {
    let bench = Bench::serve(web(20_000));
    let bucket = Bucket::start(Mood::Fails);
    let config = config(&bench, "s3://bucket/crawls/one", "100 KB");
    let output = crawl(&bench, &bucket, &config).output().expect("runs");
    // The crawl is whole all the same; the end says what is missing.
    assert!(output.status.success(), "{}", stderr(&output));
    // The last pages lead to three that are not there.
    assert_eq!(bench.pages("c").len() as u64, PAGES + 3);
    says(
        &output,
        0,
        &[
            "cannot be copied to s3://bucket/crawls/one",
            "are not copied",
        ],
    );
    assert_eq!(bucket.objects().len(), 0);
    let told = &status(&bench)["uploads"];
    assert!(
        told["failing"]
            .as_str()
            .is_some_and(|why| why.contains("500")),
        "{told}"
    );
    assert!(
        told["waiting"].as_u64() > Some(3) && told["tries"].as_u64() > Some(1),
        "{told}"
    );
    assert_eq!(told["safe_journal"], 0);
    let mut report = tamis(&["report"]);
    let report = stdout(&run(report.arg(bench.crawl_dir("c"))));
    assert!(report.contains("it fails"), "{report}");

    // Killed three times between slow answers.
    bucket.set(Mood::Slow(Duration::from_millis(150)));
    for _ in 0..3 {
        let before = bucket.objects().len();
        let mut child = crawl(&bench, &bucket, &config).spawn().expect("starts");
        let until = Instant::now() + Duration::from_secs(60);
        while bucket.objects().len() < before + 2 {
            assert!(Instant::now() < until, "nothing is copied");
            assert!(
                child.try_wait().expect("is known").is_none(),
                "it waits for the copies"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("kill -9");
        child.wait().expect("it ends");
    }
    bucket.set(Mood::Breaks);
    let mut last = crawl(&bench, &bucket, &config).spawn().expect("starts");
    let tries = bucket.log().len();
    let until = Instant::now() + Duration::from_secs(60);
    while bucket.log().len() < tries + 2 {
        assert!(Instant::now() < until, "nothing is tried");
        std::thread::sleep(Duration::from_millis(5));
    }
    bucket.set(Mood::Well);
    assert!(last.wait().expect("it ends").success());
    all_is_there(&bench, &bucket);
    bench.check("c");
}

#[test]
fn a_place_that_is_none_and_missing_credentials_are_told_before_the_crawl() {
    let bench = Bench::serve(web(10));
    let bucket = Bucket::start(Mood::Well);
    let wrong = config(&bench, "http://bucket.example/x", "1 MB");
    let output = crawl(&bench, &bucket, &wrong).output().expect("runs");
    says(&output, 2, &["archive.upload", "s3://BUCKET/PREFIX"]);
    let s3 = config(&bench, "s3://bucket/x", "1 MB");
    let mut without = bench.crawl("c", &[&s3, "--seed", "http://a.test/p0.html"]);
    let output = without
        .env_remove("AWS_ACCESS_KEY_ID")
        .output()
        .expect("runs");
    says(&output, 2, &["AWS_ACCESS_KEY_ID"]);
    assert_eq!(bench.web.log().len(), 0);
    // A directory needs none.
    let copies = bench.dir.path().join("copies");
    let here = config(&bench, &format!("file://{}", copies.display()), "20 KB");
    bench.crawl_to_end("c", &[&here, "--seed", "http://a.test/p0.html"]);
    for (name, bytes) in files(&bench, "") {
        let copied = std::fs::read(copies.join(&name)).expect(&name);
        assert!(copied == bytes, "{name}");
    }
}
