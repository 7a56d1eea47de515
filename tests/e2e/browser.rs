//! The pages in a real browser: nothing complains, nothing leaves the origin, and all of it works.

use serde_json::{Value, json};
use testweb::{Request, Response, TestWeb};

use crate::browser_support::{Browser, start};
use crate::serve_support::Serving;
use crate::support::{Bench, page, run, stdout, tamis};

#[track_caller]
fn is_quiet(browser: &mut Browser, server: &Serving) {
    // What is under way arrives before the answer to a question.
    browser.value("new Promise((done) => setTimeout(done, 200))");
    let complaints = browser.complaints(&[format!("http://{}/", server.address)]);
    assert!(complaints.is_empty(), "{complaints:#?}");
}

const WIDE: &str = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

#[test]
fn every_view_works_in_a_browser() {
    let temp = tempfile::tempdir().expect("a directory");
    let Some(mut browser) = start(temp.path()) else {
        return;
    };
    let dirs = ["demo", "again"].map(|name| temp.path().join(name).display().to_string());
    for dir in &dirs {
        run(tamis(&["demo", "--progress", "none", "--dir"]).arg(dir));
    }
    let server = Serving::start(&[&dirs[0], &dirs[1]]);
    server.ready();
    let at = |rest: &str| format!("http://{}{rest}", server.address);
    browser.shape(1280, 900, "light", false);
    browser.open(&at("/c/demo"));
    browser.until("document.querySelector('#state').textContent === 'stopped'");
    browser.until("document.querySelectorAll('ol.finds li').length === 8");
    browser.picture("overview");

    sorted_and_filtered(&mut browser, &server);
    found_and_told(&mut browser, &server);
    let near = pair_that_differs(&server);
    side_by_side(&mut browser, &server, &near);
    audited_by_keys(&mut browser, &server);
    shapes(&mut browser, &server, &near);
    browser.shape(1280, 900, "light", false);
    browser.call(
        "Network.setExtraHTTPHeaders",
        json!({"headers": {"Accept-Language": "zh-CN,zh;q=0.9"}}),
    );
    browser.open(&at("/c/demo"));
    assert_eq!(
        browser.value("document.documentElement.lang"),
        json!("zh-CN")
    );
    browser.until("document.querySelector('#state').textContent === '已停止'");
    browser.until("document.querySelector('#why-stopped').textContent.startsWith('停止原因：')");
    browser.picture("chinese");
    accessible(&mut browser, &at("/c/demo/pages"));
    is_quiet(&mut browser, &server);
}

/// Sort, filter, and the address that keeps up.
#[track_caller]
fn sorted_and_filtered(browser: &mut Browser, server: &Serving) {
    let at = |rest: &str| format!("http://{}{rest}", server.address);
    browser.open(&at("/c/demo/pages?verdict=kept"));
    let titles = "[...document.querySelectorAll('td.t a')].map((a) => a.textContent)";
    let before = browser.value(titles);
    browser.value("[...document.querySelectorAll('thead a')].find((a) => a.href.includes('sort=title')).click()");
    browser.until("document.querySelector('th[aria-sort=ascending]') !== null && location.search.includes('sort=title')");
    let sorted = browser.value(titles);
    assert_ne!(before, sorted);
    let count = "Number(document.querySelector('#count b').textContent.replace(',', ''))";
    let all = browser.value(count);
    browser.value("{ const s = document.querySelector('select[name=verdict]'); s.value = 'dropped'; s.dispatchEvent(new Event('change', { bubbles: true })); }");
    browser.until("location.search.includes('verdict=dropped') && document.querySelector('.v-dropped') !== null");
    let report = server.get("/api/v1/crawls/demo/report");
    assert_eq!(all.as_f64(), report["totals"]["indexed"].as_f64());
    assert_eq!(
        browser.value(count).as_f64(),
        report["totals"]["junk"].as_f64()
    );
    browser.picture("pages");
    browser.value("{ const q = document.querySelector('input[name=q]'); q.value = 'mirror'; q.dispatchEvent(new Event('input', { bubbles: true })); }");
    browser.until("location.search.includes('q=mirror')");
    assert!(browser.value(count).as_f64() < report["totals"]["junk"].as_f64());
}

/// Search with facets, a page's text, its story.
#[track_caller]
fn found_and_told(browser: &mut Browser, server: &Serving) {
    let at = |rest: &str| format!("http://{}{rest}", server.address);
    browser.open(&at("/c/demo/search?q=%E7%B4%A2%E5%BC%95"));
    browser.until("document.querySelectorAll('ol.hits mark').length > 3 && document.querySelectorAll('aside a').length > 2");
    browser.picture("search");
    browser.value("document.querySelector('ol.hits h2 a').click()");
    browser.until("document.querySelector('.text-view .text')?.textContent.length > 100");
    browser.picture("page");
    browser.value("document.querySelector('p.links a').click()");
    browser.until("document.querySelector('pre.told')?.textContent.length > 100");
    browser.picture("explain");
}

/// Two pages, two crawls, and the report.
#[track_caller]
fn side_by_side(browser: &mut Browser, server: &Serving, near: &str) {
    let at = |rest: &str| format!("http://{}{rest}", server.address);
    browser.open(&at("/c/demo/clusters"));
    browser.value("document.querySelector('ol.clusters h2 a').click()");
    browser.until("document.querySelector('ul.members a') !== null");
    browser.picture("cluster");
    browser.open(&at(near));
    browser.until("document.querySelectorAll('.pair del, .pair ins').length > 0");
    browser.until(
        "document.querySelector('.pair del, .pair ins').getBoundingClientRect().top < innerHeight",
    );
    browser.picture("pair");

    // Comparison and report.
    browser.open(&at("/c/demo/compare?with=again"));
    browser.until("document.querySelectorAll('.grid.three section').length === 3");
    browser.until(
        "['demo', 'again'].every((name) => document.querySelector('thead').textContent.includes(name))",
    );
    browser.picture("compare");
    browser.open(&at("/c/demo/report"));
    browser.until("document.querySelectorAll('section').length > 3");
    assert_ne!(
        browser.value("getComputedStyle(document.body).margin"),
        json!("8px"),
        "its own style is in force"
    );
}

/// The audit, by keys.
#[track_caller]
fn audited_by_keys(browser: &mut Browser, server: &Serving) {
    let at = |rest: &str| format!("http://{}{rest}", server.address);
    browser.open(&at("/c/demo/audit"));
    // Shift or the lock for capitals change nothing.
    for key in ["r", "W", "s"] {
        browser.until("document.querySelector('#audit-text').textContent.length > 0");
        let page = browser.value("document.querySelector('#audit').dataset.page");
        browser.press(key);
        browser.until(&format!(
            "document.querySelector('#audit').dataset.page !== {page}"
        ));
    }
    browser.until("document.querySelectorAll('#marked-wrong li').length === 1");
    browser.picture("audit");
    let audit = server.get("/api/v1/crawls/demo/audit");
    let sum = |side: &str| {
        ["right", "wrong", "skipped"]
            .iter()
            .filter_map(|key| audit[side][key].as_u64())
            .sum::<u64>()
    };
    assert_eq!(sum("kept") + sum("dropped"), 3, "{audit}");
}

/// Phones and the dark.
#[track_caller]
fn shapes(browser: &mut Browser, server: &Serving, near: &str) {
    let at = |rest: &str| format!("http://{}{rest}", server.address);
    for (name, width, scheme, is_phone) in [
        ("phone", 390, "light", true),
        ("phone-dark", 390, "dark", true),
        ("dark", 1280, "dark", false),
    ] {
        browser.shape(width, 844, scheme, is_phone);
        for view in [
            "",
            "/pages",
            "/search?q=%E7%B4%A2%E5%BC%95",
            "/audit",
            "/clusters",
            "/compare?with=again",
            "/changes",
        ] {
            browser.open(&at(&format!("/c/demo{view}")));
            assert_eq!(
                browser.value(WIDE),
                json!(false),
                "{name} {view} is wider than its window"
            );
            let file = view
                .trim_start_matches('/')
                .split('?')
                .next()
                .unwrap_or_default();
            browser.picture(&format!(
                "{name}-{}",
                if file.is_empty() { "overview" } else { file }
            ));
        }
        browser.open(&at(near));
        assert_eq!(browser.value(WIDE), json!(false));
        browser.picture(&format!("{name}-pair"));
    }
}

/// Two pages of a cluster whose texts are not the same.
fn pair_that_differs(server: &Serving) -> String {
    let pages =
        server.get("/api/v1/crawls/demo/pages?verdict=dropped&reason=near_duplicate&limit=200");
    let pages = pages["pages"].as_array().expect("pages").clone();
    for page in pages {
        let path = format!("clusters/{}/{}", page["repeats"]["page"], page["page"]);
        let pair = server.get(&format!("/api/v1/crawls/demo/{path}"));
        if pair["pieces"]
            .as_array()
            .is_some_and(|pieces| pieces.len() > 2)
        {
            return format!("/c/demo/{path}");
        }
    }
    panic!("the demo has near-duplicates that differ");
}

/// What screen readers and keys need.
#[track_caller]
fn accessible(browser: &mut Browser, url: &str) {
    browser.open(url);
    for (what, expression) in [
        (
            "one heading of the first rank",
            "document.querySelectorAll('h1').length === 1",
        ),
        (
            "landmarks",
            "['header', 'nav', 'main'].every((name) => document.querySelector(name))",
        ),
        (
            "each field has a label",
            "[...document.querySelectorAll('main input:not([type=hidden]), main select')].every((field) => field.labels.length > 0)",
        ),
        (
            "each button has words",
            "[...document.querySelectorAll('button')].every((button) => button.textContent.trim() !== '')",
        ),
        (
            "each link has words",
            "[...document.querySelectorAll('a')].every((a) => (a.textContent + (a.ariaLabel || '')).trim() !== '')",
        ),
        (
            "a way past the navigation",
            "document.querySelector('a.skip').getAttribute('href') === '#main'",
        ),
        (
            "names are given once",
            "[...document.querySelectorAll('[id]')].every((e, _, all) => all.filter((o) => o.id === e.id).length === 1)",
        ),
    ] {
        assert_eq!(browser.value(expression), Value::Bool(true), "{what}");
    }
}

#[test]
fn a_running_crawl_is_watched_without_reloading() {
    let temp = tempfile::tempdir().expect("a directory");
    let Some(mut browser) = start(temp.path()) else {
        return;
    };
    let endless = |request: &Request| {
        let number = request.path.trim_matches(|c: char| !c.is_ascii_digit());
        let number: u64 = number.parse().unwrap_or(0);
        let links = [
            format!("/p{}.html", number + 1),
            format!("/p{}.html", number + 7),
        ];
        Response::html(page(&format!("Page {number}"), number, &links))
    };
    let web = TestWeb::new()
        .host("endless.test", endless)
        .host("slow.test", endless);
    let bench = Bench::serve(web);
    let options = [
        "--seed",
        "http://endless.test/",
        "--seed",
        "http://slow.test/",
        "--delay",
        "300ms",
        "--serve",
        "127.0.0.1:0",
    ];
    let server = Serving::of(&mut bench.crawl_showing("plain", "live", &options));
    server.ready();
    browser.shape(1280, 900, "light", false);
    browser.open(&format!("http://{}/c/live", server.address));
    browser.value("window.loadedOnce = true");
    browser.until("document.querySelector('#state').textContent === 'running'");
    let kept = "Number(document.querySelector('[data-live=kept]').textContent)";
    let before = browser.value(kept);
    browser.until(&format!(
        "{kept} > {before} && document.querySelectorAll('#latest a').length > 3"
    ));
    browser.until("document.querySelectorAll('#hosts tbody th').length === 2");
    browser.picture("live");
    browser.value("document.querySelector('[data-do=pause]').click()");
    browser.until("document.querySelector('#state').textContent === 'paused' && document.querySelector('#hosts').textContent.includes('paused')");
    browser.until(&format!(
        "document.querySelectorAll('#best li').length >= Math.min(8, {kept})"
    ));
    browser.picture("paused");
    browser.value("document.querySelector('[data-do=resume]').click()");
    let before = browser.value(kept);
    browser.until(&format!(
        "document.querySelector('#state').textContent === 'running' && {kept} > {before}"
    ));
    // Seeds go in, and settings are read anew, where they stand.
    browser.value("document.querySelector('#steer').open = true; document.querySelector('#add-seeds textarea').value = 'http://late.test/'; document.querySelector('#add-seeds').requestSubmit()");
    browser.until("document.querySelector('#toast').textContent.startsWith('1 new in the queue')");
    browser.picture("steer");
    browser.value("document.querySelector('[data-do=reload]').click()");
    browser.until("document.querySelector('#toast').textContent.startsWith('Nothing has changed')");
    is_quiet(&mut browser, &server);
    // A bad seed is told with its place; the browser itself calls the refusal an error.
    browser.value("document.querySelector('#steer').open = true; document.querySelector('#add-seeds textarea').value = 'ftp://late.test/'; document.querySelector('#add-seeds').requestSubmit()");
    browser
        .until("document.querySelector('#toast').textContent.includes('neither http nor https')");
    browser.value("window.confirm = () => true; document.querySelector('[data-do=stop]').click()");
    assert_eq!(
        browser.value("window.loadedOnce"),
        json!(true),
        "the page was never loaded again"
    );
}

#[test]
fn a_crawl_that_ends_under_a_watcher_says_so_and_leaves_its_last_figures() {
    let temp = tempfile::tempdir().expect("a directory");
    let Some(mut browser) = start(temp.path()) else {
        return;
    };
    let names: Vec<String> = (0..9).map(|number| format!("/p{number}.html")).collect();
    let mut web = TestWeb::new().page("http://short.test/", &page("Start", 100, &names));
    for (number, name) in (0..).zip(&names) {
        // Every third text stands on two pages more.
        let url = format!("http://short.test{name}");
        web = web.page(
            &url,
            &page(&format!("Page {}", number / 3), number / 3, &[]),
        );
    }
    let bench = Bench::serve(web);
    let options = [
        "--seed",
        "http://short.test/",
        "--delay",
        "500ms",
        "--serve",
        "127.0.0.1:0",
    ];
    let mut server = Serving::of(&mut bench.crawl_showing("plain", "第一次", &options));
    server.ready();
    browser.shape(1280, 900, "light", false);
    // One crawl alone is led to, whatever letters its name has.
    let led = server.ask("GET /", &[], "");
    let name = "/c/%E7%AC%AC%E4%B8%80%E6%AC%A1";
    assert_eq!(led.header("location"), Some(name), "{}", led.status);
    browser.open(&format!("http://{}{name}", server.address));
    browser.until("document.querySelector('#state').textContent === 'running'");
    let figure =
        |name: &str| format!("Number(document.querySelector('[data-live={name}]').textContent)");
    let reasons = "[...document.querySelectorAll('#reasons .n')].reduce((sum, n) => sum + Number(n.textContent), 0)";
    browser.until(&format!(
        "{} > 0 && {reasons} === {}",
        figure("dropped"),
        figure("dropped")
    ));
    browser.until("document.querySelector('#state').textContent === 'stopped, connection lost'");
    browser.until("[...document.querySelectorAll('[data-do]')].every((button) => button.hidden)");
    browser.until("!document.querySelector('#why-stopped').hidden && document.querySelector('#why-stopped').textContent.includes('nothing was left to fetch')");
    server.child.wait().expect("it has ended");
    let mut report = tamis(&["report", "--json"]);
    let report = run(report.arg(bench.crawl_dir("第一次")));
    let report: serde_json::Value = serde_json::from_str(&stdout(&report)).expect("JSON");
    let total = |name: &str| report["totals"][name].as_f64().expect("a number");
    assert_eq!(
        browser.value(&figure("kept")).as_f64(),
        Some(total("indexed"))
    );
    assert_eq!(
        browser.value(&figure("dropped")).as_f64(),
        Some(total("junk"))
    );
    assert_eq!(browser.value(reasons).as_f64(), Some(total("junk")));
}
