//! What hosts and pages ask of robots, over whole crawls.

use testweb::{Response, TestWeb};

use crate::support::{Bench, page};

/// A host whose robots.txt, which closes `/shut`, lies behind so many redirects.
fn behind_redirects(mut web: TestWeb, host: &str, redirects: usize) -> TestWeb {
    let hop = |number: usize| match number {
        0 => format!("http://{host}/robots.txt"),
        number => format!("http://{host}/hop{number}"),
    };
    for number in 0..redirects {
        web = web.respond(&hop(number), Response::redirect(301, &hop(number + 1)));
    }
    web.respond(
        &hop(redirects),
        Response::text("User-agent: *\nDisallow: /shut\n"),
    )
    .page(
        &format!("http://{host}/shut"),
        &page(host, redirects as u64, &[]),
    )
}

#[test]
fn a_robots_txt_is_followed_through_five_redirects_and_counts_as_missing_after_six() {
    let web = behind_redirects(TestWeb::new(), "five.test", 5);
    let bench = Bench::serve(behind_redirects(web, "six.test", 6));
    let seeds = ["http://five.test/shut", "http://six.test/shut"];
    let options = ["--seed", seeds[0], "--seed", seeds[1], "--delay", "0"];
    bench.crawl_to_end("crawl", &options);
    let pages = bench.pages("crawl");
    assert!(
        pages.contains(&(seeds[0].into(), "refused".into())),
        "{pages:?}"
    );
    assert!(
        pages.contains(&(seeds[1].into(), "indexed".into())),
        "{pages:?}"
    );
}

#[test]
fn headers_and_meta_tags_say_what_is_indexed_and_what_is_followed() {
    let with_header = |seed: u64, value: &str| {
        Response::html(page("Page", seed, &[])).with_header("x-robots-tag", value)
    };
    let with_meta = |seed: u64, meta: &str, link: &str| {
        let html = page("Page", seed, &[link.into()]);
        Response::html(html.replace("<head>", &format!("<head>{meta}")))
    };
    // What is asked, and whether the page is indexed.
    let pages = [
        ("/plain", with_header(1, "all"), true),
        ("/header", with_header(2, "noindex"), false),
        (
            "/past",
            with_header(3, "unavailable_after: 1 Jan 2020 00:00:00 GMT"),
            false,
        ),
        (
            "/future",
            with_header(4, "unavailable_after: 1 Jan 2999 00:00:00 GMT"),
            true,
        ),
        ("/ours", with_header(5, "tamis: noindex"), false),
        ("/others", with_header(6, "otherbot: noindex"), true),
        (
            "/none",
            with_meta(7, "<meta name=robots content=none>", "/behind-none"),
            false,
        ),
        (
            "/nofollow",
            with_meta(8, "<meta name=robots content=nofollow>", "/behind-nofollow"),
            true,
        ),
        (
            "/noindex",
            with_meta(9, "<meta name=tamis content=noindex>", "/behind-noindex"),
            false,
        ),
    ];
    let mut web = TestWeb::new();
    for (number, hidden) in ["none", "nofollow", "noindex"].iter().enumerate() {
        let url = format!("http://a.test/behind-{hidden}");
        web = web.page(&url, &page(hidden, 20 + number as u64, &[]));
    }
    let links: Vec<String> = pages.iter().map(|(path, ..)| (*path).to_string()).collect();
    web = web.page("http://a.test/", &page("Front", 10, &links));
    for (path, response, _) in &pages {
        web = web.respond(&format!("http://a.test{path}"), response.clone());
    }
    let bench = Bench::serve(web);
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/", "--delay", "0"]);
    let found = bench.pages("crawl");
    for (path, _, indexed) in &pages {
        let fate = if *indexed { "indexed" } else { "junk" };
        let expected = (format!("http://a.test{path}"), fate.to_string());
        assert!(found.contains(&expected), "{path}: {found:?}");
    }
    let asked = |path: &str| bench.web.log().iter().any(|entry| entry.target == path);
    assert!(asked("/behind-noindex"));
    assert!(!asked("/behind-none") && !asked("/behind-nofollow"));
    bench.check("crawl");
}
