//! What people say of decisions: kept, estimated from, told in every form.

use serde_json::Value;

use crate::serve_support::{Serving, crawled};
use crate::support::{has, run, stdout, tamis};

#[test]
fn marks_are_kept_and_become_an_estimate() {
    let bench = crawled("audit");
    let dir = bench.crawl_dir("audit").display().to_string();
    let server = Serving::start(&[&dir]);
    server.ready();
    let at = "/api/v1/crawls/audit/audit";
    let sample = server.get(&format!("{at}/sample?n=6"));
    let pages = sample["pages"].as_array().expect("pages").clone();
    assert_eq!(pages.len(), 6);
    for (page, mark) in pages
        .iter()
        .zip(["right", "right", "wrong", "right", "skip", "right"])
    {
        let body = format!(
            "{{\"page\":{},\"mark\":\"{mark}\",\"sampled\":true}}",
            page["page"]
        );
        let answer = server.post(&format!("{at}/marks"), &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let next = server.get(&format!("{at}/sample?n=50"));
    let drawn = next["pages"].as_array().expect("pages");
    assert!(
        drawn.iter().all(|page| !pages.contains(page)),
        "nothing is drawn twice"
    );
    // Dropped and kept ones in turn: 1, 3 and 5 were dropped.
    let audit = server.get(at);
    assert_eq!(
        (
            &audit["dropped"]["right"],
            &audit["dropped"]["wrong"],
            &audit["dropped"]["skipped"]
        ),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!(
        (&audit["kept"]["right"], &audit["kept"]["precision"]),
        (&3.into(), &1.0.into())
    );
    drop(server);
    let server = Serving::start(&[&dir]);
    server.ready();
    assert_eq!(server.get(at), audit, "it is as it was after a start");
    let file =
        std::fs::read_to_string(bench.crawl_dir("audit").join("audit.jsonl")).expect("there");
    assert_eq!(file.lines().count(), 6);
    let told = run(tamis(&["report", "--audit"])
        .arg(bench.crawl_dir("audit").join("audit.jsonl"))
        .arg(&dir));
    assert!(
        stdout(&told).contains("Of 3 kept pages drawn at random 3 were rightly kept"),
        "{}",
        stdout(&told)
    );
    marks_are_told_in_every_form(&server, &dir, &drawn[0]);
}

/// A page that somebody came upon counts in no share, and is told as well; so it is in every form.
#[track_caller]
fn marks_are_told_in_every_form(server: &Serving, dir: &str, drawn: &Value) {
    let at = "/api/v1/crawls/audit/audit";
    let other = &drawn["page"];
    let body = format!("{{\"page\":{other},\"mark\":\"wrong\"}}");
    assert_eq!(server.post(&format!("{at}/marks"), &body).status, 200);
    let page = server.get(&format!("/api/v1/crawls/audit/pages/{other}"));
    assert_eq!(page["mark"], "wrong");
    let report = |options: &[&str]| stdout(&run(tamis(&["report"]).arg(dir).args(options)));
    let json: Value = serde_json::from_str(&report(&["--format", "json"])).expect("JSON");
    assert_eq!(json["audit"], server.get(at));
    assert_eq!(
        json["audit"],
        server.get("/api/v1/crawls/audit/report")["audit"]
    );
    assert_eq!(json["audit"]["wrong"].as_array().map(Vec::len), Some(2));
    let besides = "1 page was marked besides that nobody drew at random";
    let url = drawn["url"].as_str().expect("a URL");
    for form in ["text", "html"] {
        has(
            &report(&["--format", form]),
            &[besides, "marked wrong", url],
        );
    }
    has(
        &report(&["--lang", "zh"]),
        &["人工抽查", "1 个页面被人标记", "标记为错误"],
    );
}

#[test]
fn a_mark_on_a_page_that_was_not_drawn_says_nothing_of_the_whole() {
    let bench = crawled("undrawn");
    let server = Serving::start(&[&bench.crawl_dir("undrawn").display().to_string()]);
    server.ready();
    let at = "/api/v1/crawls/undrawn";
    let pages = server.get(&format!("{at}/pages?verdict=kept&limit=5"));
    let mark = |page: &Value, sampled: bool, status: u16| {
        let body = format!("{{\"page\":{page},\"mark\":\"wrong\",\"sampled\":{sampled}}}");
        let answer = server.post(&format!("{at}/audit/marks"), &body);
        assert_eq!(answer.status, status, "{}", answer.text());
        answer.text()
    };
    // It says that it was drawn, and nobody drew it: nothing of it is kept.
    let page = &pages["pages"][0]["page"];
    has(
        &mark(page, true, 409),
        &["was not drawn", "without sampled"],
    );
    let audit = server.get(&format!("{at}/audit"));
    assert_eq!(audit["unsampled"], 0, "{audit}");
    mark(page, false, 200);
    let audit = server.get(&format!("{at}/audit"));
    assert_eq!(
        (&audit["kept"]["wrong"], &audit["unsampled"]),
        (&0.into(), &1.into())
    );
    let drawn = server.get(&format!("{at}/audit/sample?n=2"));
    let kept = drawn["pages"].as_array().expect("pages").iter();
    let kept: Vec<&Value> = kept.filter(|page| page["verdict"] == "kept").collect();
    mark(&kept[0]["page"], true, 200);
    let audit = server.get(&format!("{at}/audit"));
    assert_eq!(audit["kept"]["wrong"], 1, "{audit}");
}
