//! A crawl as a value: what a program that uses the library gets.

use std::sync::{Arc, Mutex};

use tamis::{Crawl, CrawlConfig, Span, StopReason};
use testweb::TestWeb;

fn web() -> TestWeb {
    let text = |topic: &str| {
        let words: Vec<String> = (0..60).map(|n| format!("{topic}{n}")).collect();
        format!(
            "<title>{topic}</title><article><p>{}</p></article><a href=/b>b</a><a href=/c>c</a>",
            words.join(" ")
        )
    };
    TestWeb::new()
        .page("http://a.test/", &text("alpha"))
        .page("http://a.test/b", &text("beta"))
        .page("http://a.test/c", &text("beta"))
}

fn crawl(dir: &std::path::Path) -> Crawl {
    let mut config = CrawlConfig::default();
    config.network.allow_private = true;
    config.agent.contact = "https://example.org/about".into();
    config.politeness.delay = Span::parse("1ms").expect("a duration");
    Crawl::new(config)
        .dir(dir)
        .fetch(Arc::new(web()))
        .seed("http://a.test/")
        .expect("a seed")
}

#[test]
fn each_kept_page_is_told_once_and_the_report_agrees() {
    let dir = tempfile::tempdir().expect("a directory");
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let crawl = crawl(dir.path()).on_page(move |page| {
        let mut told = tell.lock().expect("not poisoned");
        told.push((page.url.clone(), page.summary.title.clone()));
    });
    let finished = crawl.run().expect("the crawl runs");
    assert_eq!(finished.reason, StopReason::Drained);
    let told = told.lock().expect("not poisoned").clone();
    let first = ("http://a.test/".to_owned(), "alpha".to_owned());
    assert_eq!((told.len(), &told[0]), (2, &first), "{told:?}");
    let totals = finished.report().expect("reads").totals;
    assert_eq!((totals.indexed, totals.finished), (2, 3));
    assert_eq!(
        finished
            .records()
            .expect("opens")
            .filter(Result::is_err)
            .count(),
        0
    );
}

#[test]
fn a_crawl_runs_inside_an_async_runtime() {
    // It once panicked at its end: a runtime must not be dropped where blocking is not allowed.
    let dir = tempfile::tempdir().expect("a directory");
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let crawl = crawl(dir.path());
    let finished = runtime
        .expect("a runtime")
        .block_on(async move { crawl.run() });
    assert_eq!(finished.expect("the crawl runs").snapshot.indexed, 2);
}

#[test]
fn a_seed_that_is_none_is_refused_with_its_mend() {
    let config = CrawlConfig::default();
    let error = Crawl::new(config)
        .seed("ftp://a.test/")
        .err()
        .expect("no seed");
    assert!(error.to_string().contains("http"), "{error}");
}
