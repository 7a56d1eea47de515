//! What never ends costs little, however often the crawl is started again.

use testweb::{Response, TestWeb};

use crate::support::{Bench, page, run, stdout, tamis};

/// A month of a calendar that goes on for ever, or one of its days.
fn calendar(path: &str) -> Response {
    let mut numbers = path.split('/').filter_map(|part| part.parse::<u32>().ok());
    let (year, month) = (numbers.next().unwrap_or(2026), numbers.next().unwrap_or(11));
    let at = |months: u32| format!("/calendar/{}/{:02}/", months / 12, months % 12 + 1);
    let months = year * 12 + month - 1;
    let days: String = (1..29)
        .map(|day| format!("<td><a href=\"/calendar/{year}/{month:02}/{day:02}\">{day}</a></td>"))
        .collect();
    Response::html(format!(
        "<title>Calendar</title><h1>{path}</h1><a href=\"{}\">previous</a><a href=\"{}\">next</a>\
         <table><tr>{days}</tr></table><p>No events.</p>",
        at(months - 1),
        at(months + 1)
    ))
}

#[test]
fn a_calendar_costs_less_than_a_hundred_fetches_over_many_starts_and_is_named() {
    let links = ["/calendar/2026/11/".to_string(), "/old".into()];
    let web = TestWeb::new()
        .host("a.test", |request| match request.path.as_str() {
            "/old" => Response::redirect(301, "/moved"),
            "/moved" => Response::html(page("Moved", 2, &[])),
            path => calendar(path),
        })
        .page("http://a.test/", &page("Front", 1, &links));
    let bench = Bench::serve(web);
    let options = ["--seed", "http://a.test/", "--delay", "0", "--max-pages"];
    for pages in ["10", "25", "40", "55", "70", "0"] {
        bench.crawl_to_end("calendar", &[options.as_slice(), &[pages]].concat());
    }
    bench.check("calendar");
    let log = bench.web.log();
    let fetched = log
        .iter()
        .filter(|entry| entry.target.starts_with("/calendar/"))
        .count();
    assert!((20..100).contains(&fetched), "{fetched}");
    assert!(log.iter().any(|entry| entry.target == "/moved"));
    let told = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("calendar"))));
    assert!(
        told.contains("left alone") && told.contains("calendar: "),
        "{told}"
    );
}
