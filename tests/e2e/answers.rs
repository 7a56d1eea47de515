//! Answers that are not what they say: files called pages, pages called files, halves called whole.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use testweb::{Request, Response, TestWeb};

use crate::support::{Bench, file, has, page, run, stdout, tamis};

const CONFIG: &str = "[politeness]\nretry_delay = \"20ms\"\n";

fn listed(paths: &[&str]) -> String {
    let links: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    page("Front page", 1, &links)
}

/// A crawl of a host, by a configuration, to its end.
fn crawl(web: TestWeb, config: &str) -> Bench {
    let bench = Bench::serve(web);
    file(bench.dir.path(), "answers.toml", config);
    crawl_on(&bench, &[]);
    bench
}

fn crawl_on(bench: &Bench, options: &[&str]) {
    let config = bench.dir.path().join("answers.toml").display().to_string();
    let usual = [&*config, "--seed", "http://a.test/", "--delay", "1ms"];
    bench.crawl_to_end("one", &[&usual[..], options].concat());
}

/// Outcome or reason of each path, and the words that were kept.
fn fates(bench: &Bench) -> BTreeMap<String, (String, u64)> {
    let rows = bench.rows("one", "pages").into_iter();
    rows.map(|row| {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let path = text("url").trim_start_matches("http://a.test").to_owned();
        let fate = match text("reason") {
            reason if reason.is_empty() => text("outcome"),
            reason => reason,
        };
        (path, (fate, row["words"].as_u64().unwrap_or_default()))
    })
    .collect()
}

#[test]
fn files_are_no_pages_and_xhtml_is_one_whatever_their_servers_call_them() {
    const FILES: [(&str, &str, &[u8]); 4] = [
        (
            "/pdf",
            "text/html",
            b"%PDF-1.4\n1 0 obj\n<< /Length 4 >>\nstream\n",
        ),
        (
            "/png",
            "text/html; charset=utf-8",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        ),
        (
            "/zip",
            "text/plain; charset=utf-8",
            b"PK\x03\x04\x14\0\0\0 words of a file",
        ),
        ("/gzip", "text/html", b"\x1f\x8b\x08\0\0\0\0\0\0\x03words"),
    ];
    let xhtml = |number| {
        let html = page("A page in XML", number, &[]).replace("<!DOCTYPE html>", "");
        format!("<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n{html}")
    };
    let utf16: Vec<u8> = format!("\u{feff}{}", page("In UTF-16", 4, &[]))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let pages = [
        ("/xml", "application/xml", xhtml(2).into_bytes()),
        ("/text", "text/xml; charset=utf-8", xhtml(3).into_bytes()),
        ("/utf16", "text/html", utf16),
    ];
    let names: Vec<&str> = FILES.iter().map(|file| file.0).collect();
    let kept: Vec<&str> = pages.iter().map(|page| page.0).collect();
    let front = listed(&[&names[..], &kept[..]].concat());
    let mut web = TestWeb::new().page("http://a.test/", &front);
    for (path, content_type, body) in FILES {
        let url = format!("http://a.test{path}");
        web = web.respond(&url, Response::new(200, content_type, body));
    }
    for (path, content_type, body) in pages {
        let url = format!("http://a.test{path}");
        web = web.respond(&url, Response::new(200, content_type, body));
    }
    let fates = fates(&crawl(web, CONFIG));
    for path in names {
        assert_eq!(fates[path].0, "unsupported_type", "{path}: {fates:?}");
    }
    for path in kept {
        assert_eq!(fates[path].0, "judged", "{path}: {fates:?}");
    }
}

#[test]
fn what_came_in_part_or_not_at_all_is_asked_for_once_more() {
    let asked: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let whole = |path: &str| page(path, path.len() as u64, &[]);
    let web = TestWeb::new().host("a.test", move |request: &Request| {
        let path = request.target();
        let mut asked = asked.lock().expect("counts");
        let count = asked.entry(path.clone()).or_default();
        *count += 1;
        let (html, is_first) = (whole(&path), *count == 1);
        let half = html[..html.len() / 2].to_owned();
        match path.as_str() {
            "/" => Response::html(listed(&["/304", "/part", "/whole"])),
            "/304" if is_first => Response::new(304, "text/html", ""),
            "/part" if is_first => {
                let range = format!("bytes 0-{}/{}", half.len() - 1, html.len());
                Response::new(206, "text/html", half).with_header("Content-Range", &range)
            }
            "/whole" => {
                let range = format!("bytes 0-{}/{}", html.len() - 1, html.len());
                Response::new(206, "text/html", html).with_header("Content-Range", &range)
            }
            "/304" | "/part" => Response::html(html),
            _ => Response::not_found(),
        }
    });
    let bench = crawl(web, CONFIG);
    let fates = fates(&bench);
    for (path, times) in [("/304", 2), ("/part", 2), ("/whole", 1)] {
        assert_eq!(fates[path].0, "judged", "{path}: {fates:?}");
        let told = run(tamis(&["explain"])
            .arg(bench.crawl_dir("one"))
            .arg(format!("http://a.test{path}")));
        let log = bench.web.log().into_iter();
        let asked = log.filter(|entry| entry.target == path).count();
        assert_eq!(asked, times, "{path}: {}", stdout(&told));
    }
    assert_eq!(fates["/part"].1, fates["/304"].1);
}

#[test]
fn a_visit_that_got_half_of_a_page_says_so() {
    // It was told with the page's content type for a reason.
    let is_later = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&is_later);
    let html = page("Front page", 1, &[]);
    let web = TestWeb::new().host("a.test", move |request: &Request| {
        match (request.target().as_str(), later.load(Ordering::SeqCst)) {
            ("/", false) => Response::html(html.clone()),
            ("/", true) => {
                let half = html[..html.len() / 2].to_owned();
                let range = format!("bytes 0-{}/{}", half.len() - 1, html.len());
                Response::new(206, "text/html", half).with_header("Content-Range", &range)
            }
            _ => Response::not_found(),
        }
    });
    let bench = crawl(web, &format!("{CONFIG}[again]\nmin = \"0s\"\n"));
    is_later.store(true, Ordering::SeqCst);
    crawl_on(&bench, &["--again"]);
    for command in ["changes", "explain"] {
        let mut told = tamis(&[command]);
        told.arg(bench.crawl_dir("one"));
        if command == "explain" {
            told.arg("http://a.test/");
        }
        let told = stdout(&run(&mut told));
        has(&told, &["a part of the body"]);
        assert!(!told.contains("content type \"text/html\":"), "{told}");
    }
}
