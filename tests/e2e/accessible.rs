//! axe-core looks for what shuts people out of the pages and of the report, in a real browser.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::browser_support::{Browser, start};
use crate::serve_support::Serving;
use crate::support::{run, tamis};

/// axe-core; `axe/README.md` says which and from where.
const AXE: &[u8] = include_bytes!("axe/axe.min.js.gz");

/// What it is asked: the rules of WCAG 2.0 to 2.2, A and AA, and those that it thinks good practice.
const ASKED: &str = "axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', \
     'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then((found) => found.violations.map((fault) => \
     [fault.impact, fault.id, fault.help, fault.nodes.slice(0, 4).map((node) => node.html.slice(0, 300) + ' ' + \
     node.any.concat(node.all).map((why) => why.message).join(' ').slice(0, 300))]))";

/// The faults of a page, `serious` and `critical` ones, each with some places.
#[track_caller]
fn faults(browser: &mut Browser, axe: &str, page: &str) -> Vec<String> {
    browser.value(&format!("{axe}; true"));
    let found = browser.value(ASKED);
    let found = found.as_array().expect("a list").iter();
    let is_grave = |fault: &&Value| matches!(fault[0].as_str(), Some("serious" | "critical"));
    found
        .filter(is_grave)
        .map(|fault| {
            format!(
                "{page}: {}",
                serde_json::to_string_pretty(fault).expect("JSON")
            )
        })
        .collect()
}

fn axe() -> String {
    let mut script = String::new();
    let read = GzDecoder::new(AXE).read_to_string(&mut script);
    read.expect("it is whole");
    script
}

/// Windows: name, width, light or dark, and whether it is a phone.
const SHAPES: [(&str, u32, &str, bool); 3] = [
    ("wide", 1280, "light", false),
    ("dark", 1280, "dark", false),
    ("phone", 390, "dark", true),
];

#[test]
fn no_page_and_no_report_shuts_anybody_out() {
    let temp = tempfile::tempdir().expect("a directory");
    let Some(mut browser) = start(temp.path()) else {
        return;
    };
    let axe = axe();
    // The rules work at all: a page that is wrong is found to be.
    let wrong = temp.path().join("wrong.html");
    std::fs::write(
        &wrong,
        "<!DOCTYPE html><html><body><img src=x><p style='color:#ccc;background:#fff'>pale",
    )
    .expect("written");
    browser.open(&format!("file://{}", wrong.display()));
    let found = faults(&mut browser, &axe, "wrong").join("\n");
    for rule in ["image-alt", "color-contrast", "html-has-lang"] {
        assert!(found.contains(rule), "{rule} is not in: {found}");
    }

    let dirs = ["demo", "again"].map(|name| temp.path().join(name).display().to_string());
    for dir in &dirs {
        run(tamis(&["demo", "--progress", "none", "--dir"]).arg(dir));
    }
    let mut found = reports(&mut browser, &axe, &dirs[0], temp.path());
    let server = Serving::start(&[&dirs[0], &dirs[1]]);
    server.ready();
    found.extend(pages(&mut browser, &axe, &server));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The faults of the report, in both languages.
fn reports(browser: &mut Browser, axe: &str, dir: &str, temp: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for lang in ["en", "zh"] {
        let file = temp.join(format!("report-{lang}.html"));
        let mut command = tamis(&["report", "--format", "html", "--lang", lang, "--out"]);
        run(command.arg(&file).arg(dir));
        for (name, width, scheme, is_phone) in SHAPES {
            browser.shape(width, 844, scheme, is_phone);
            browser.open(&format!("file://{}", file.display()));
            browser.value(
                "document.querySelectorAll('details').forEach((all) => { all.open = true; })",
            );
            found.extend(faults(browser, axe, &format!("report {lang} {name}")));
            browser.picture(&format!("report-{lang}-{name}"));
        }
    }
    found
}

/// The faults of every view of the server.
fn pages(browser: &mut Browser, axe: &str, server: &Serving) -> Vec<String> {
    let pages =
        server.get("/api/v1/crawls/demo/pages?verdict=dropped&reason=near_duplicate&limit=1");
    let near = &pages["pages"][0];
    let (kept, page) = (&near["repeats"]["page"], &near["page"]);
    let views = [
        "/".to_owned(),
        "/c/demo".to_owned(),
        "/c/demo/pages".to_owned(),
        "/c/demo/pages?verdict=dropped".to_owned(),
        format!("/c/demo/pages/{page}"),
        "/c/demo/search?q=%E7%B4%A2%E5%BC%95".to_owned(),
        format!(
            "/c/demo/explain?url={}",
            near["url"].as_str().expect("a URL")
        ),
        "/c/demo/clusters".to_owned(),
        format!("/c/demo/clusters/{kept}"),
        format!("/c/demo/clusters/{kept}/{page}"),
        "/c/demo/compare?with=again".to_owned(),
        "/c/demo/changes".to_owned(),
        "/c/demo/audit".to_owned(),
        "/c/demo/report".to_owned(),
        "/c/nothing".to_owned(),
    ];
    let mut found = Vec::new();
    // Colours and widths do not hang on the language.
    let languages = [("en", &SHAPES[..]), ("zh-CN", &SHAPES[..1])];
    for (language, shapes) in languages {
        let headers = json!({"headers": {"Accept-Language": language}});
        browser.call("Network.setExtraHTTPHeaders", headers);
        for (name, width, scheme, is_phone) in shapes {
            browser.shape(*width, 844, scheme, *is_phone);
            for view in &views {
                browser.open(&format!("http://{}{view}", server.address));
                found.extend(faults(browser, axe, &format!("{view} {language} {name}")));
            }
        }
    }
    found
}
