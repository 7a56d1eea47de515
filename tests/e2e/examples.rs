//! Example pages of a topic that are URLs: read, followed where they lead, and told when they are
//! none.

use testweb::{Response, TestWeb};

use crate::support::{Bench, file, has, page, run, stderr, stdout, tamis};

#[test]
fn an_example_that_moved_is_followed_and_one_that_is_gone_is_told() {
    let about = "<p>The boiler of a steam locomotive feeds its pistons.</p>".repeat(12);
    let web = TestWeb::new()
        .page("http://a.test/", &page("Start", 1, &["/two.html".into()]))
        .page("http://a.test/two.html", &page("Two", 2, &[]))
        .page(
            "http://b.test/boiler.html",
            &format!("<title>Boilers</title><article>{about}</article>"),
        )
        .respond(
            "http://b.test/moved",
            Response::redirect(301, "/boiler.html"),
        );
    let bench = Bench::serve(web);
    let config = file(
        bench.dir.path(),
        "topic.toml",
        "[crawl]\nmax_pages = 20\n[politeness]\ndelay = \"0s\"\n[topic]\nkeywords = [\"railway\"]\n\
         examples = [\"http://b.test/moved\", \"http://b.test/gone.html\"]\n\
         counter_examples = [\"http://b.test/empty\"]\n",
    );
    let output = run(&mut bench.crawl("crawl", &[&config, "--seed", "http://a.test/"]));
    let told = stderr(&output);
    has(
        &told,
        &[
            "the example http://b.test/gone.html teaches the topic nothing: it answered with status 404",
            "the counter-example http://b.test/empty teaches the topic nothing",
        ],
    );
    assert!(!told.contains("example http://b.test/moved"), "{told}");
    let dir = bench.crawl_dir("crawl");
    let shown = stdout(&run(tamis(&["report"]).arg(&dir)));
    has(
        &shown,
        &[
            "2 of 3 example URLs taught the topic nothing",
            "no example: http://b.test/gone.html, it answered with status 404",
        ],
    );
    let html = stdout(&run(tamis(&["report", "--format", "html"]).arg(&dir)));
    has(&html, &["2 of 3 example URLs taught the topic nothing"]);
    let report = stdout(&run(tamis(&["report", "--format", "json"]).arg(&dir)));
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let seeds = report["seeds"].as_array().expect("seeds");
    let why: Vec<_> = seeds
        .iter()
        .map(|seed| seed["no_example"].as_str())
        .collect();
    assert_eq!(why[..2], [None, None], "the seed, and what moved: {report}");
    assert!(why[2..].iter().all(Option::is_some), "{report}");
    // What the example teaches is in the topic: a page with its words and no keyword is near it.
    let story = stdout(&run(tamis(&["explain", "--full"])
        .arg(&dir)
        .arg("http://b.test/boiler.html")));
    has(&story, &["likeness to the examples"]);
    let story = stdout(&run(tamis(&["explain"])
        .arg(&dir)
        .arg("http://b.test/empty")));
    has(&story, &["a counter-example of the topic"]);
    let replay = run(tamis(&["replay", "--strategy", "bfs"]).arg(&dir));
    has(
        &stderr(&replay),
        &["the example http://b.test/gone.html teaches nothing here: it answered with status 404"],
    );
    bench.check("crawl");
}

#[test]
fn a_saved_example_that_is_an_error_page_is_doubted() {
    let dir = tempfile::tempdir().expect("a directory");
    file(
        dir.path(),
        "gone.html",
        "<!doctype html><title>404 Not Found</title><p>The page is not here.</p>",
    );
    let config = file(
        dir.path(),
        "topic.toml",
        "[topic]\nkeywords = [\"railway\"]\nexamples = [\"gone.html\"]\n",
    );
    let output = run(&mut tamis(&["topic", "check", &config]));
    has(&stderr(&output), &["gone.html", "reads like an error page"]);
}
