//! The same numbers in every form of a report, and what the web says breaks none of them.

use archive::{Event, Record};
use report::{CrawlReport, Look, Tally, html, table, text};

use super::report_of;
use crate::journal::{self, Journal, duplicate, judged, unread};

#[test]
fn text_json_and_html_have_the_same_numbers() {
    let report = report_of(&journal::with_changes());
    let json: CrawlReport = serde_json::from_str(&report.to_json()).expect("reads back");
    // The JSON form leaves the lists of the HTML form to the exports.
    let plain = CrawlReport {
        found: report::found::Found::default(),
        settings: serde_json::Value::Null,
        ..report.clone()
    };
    assert_eq!(json, plain);
    let value: serde_json::Value = serde_json::from_str(&report.to_json()).expect("JSON");
    let text = text::render(&report, Look::plain());
    let html = html::render(&report, &|_| None);
    for key in [
        "admitted",
        "pending",
        "finished",
        "indexed",
        "junk",
        "failed",
        "refused",
        "redirected",
        "not_modified",
    ] {
        let n = value["totals"][key].as_u64().expect(key);
        let name = report::words::name(key);
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(&name))
            .expect(key);
        let shown: Vec<&str> = line[line.find(&name).expect(key) + name.len()..]
            .split_whitespace()
            .collect();
        assert_eq!(shown[0], report::words::count(n), "{line}");
    }
    for (reason, n) in &report.reasons.junk {
        let row = format!(
            "<th scope=\"row\">{0}</th><td class=\"n\"><a href=\"#dropped\" data-filter=\"{0}\">{n}</a></td>",
            report::words::name(reason)
        );
        assert!(html.contains(&row), "{reason}");
        let found = text.lines().any(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            line.contains(&report::words::name(reason)) && words.contains(&n.to_string().as_str())
        });
        assert!(found, "{reason} in {text}");
    }
    let card =
        |name: &str, to: &str, n: u64| format!("<dt>{name}</dt><dd><a href=\"#{to}\">{n}</a></dd>");
    assert!(html.contains(&card("kept", "kept", report.totals.indexed)));
    assert!(html.contains(&card("duplicates", "duplicates", report.duplicates.count)));
    let kept = report.found.kept.len() as u64;
    assert_eq!(kept, report.totals.indexed);
    assert!(html.contains("data-for=\"kept-rows\""));
}

#[test]
fn the_html_is_one_file_and_what_the_web_says_cannot_break_it() {
    let mut journal = Journal::default();
    journal.start();
    let evil = "</script><img src=x onerror='alert(1)'>\"&\u{1b}[31m\u{202e}";
    journal.seed(0, "javascript:alert(1)//");
    let kept = journal.page(judged("http://a.test/", evil, evil, 0.9, ""));
    let copy = judged(
        &format!("http://a.test/{evil}"),
        evil,
        evil,
        0.9,
        "near_duplicate",
    );
    journal.page(duplicate(copy, kept, &format!("javascript:{evil}"), 1, 0.9));
    journal.page(unread("http://a.test/x", "failed", evil, None));
    let html = html::render(&report_of(&journal.records), &|page| {
        Some(format!("{evil} {page}"))
    });
    assert!(!html.contains("<img") && !html.contains('\u{1b}') && !html.contains('\u{202e}'));
    assert_eq!(html.matches("</script>").count(), 1, "its own");
    let policy = "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';";
    assert!(html.contains(policy) && html.matches("http-equiv").count() == 1);
    assert!(
        !html.contains("href=\"javascript"),
        "only web addresses are links"
    );
    let sources = ["src=", "<link", "@import", "url(", "<script ", "fetch("];
    assert!(
        sources
            .iter()
            .all(|source| !html.replace("img src=x", "").contains(source))
    );
    assert!(
        html.contains("<ins>") || html.contains("<del>"),
        "the difference is marked"
    );
    for tag in ["section", "table", "svg", "div", "details", "main", "ul"] {
        let open =
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        assert_eq!(open, html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn tables_with_chinese_titles_line_up_and_fit_the_screen() {
    let mut journal = Journal {
        records: journal::small(),
    };
    for n in 0..30 {
        let url = format!("http://主机{n}.示例/很长的路径/{}", "长".repeat(n));
        journal.page(judged(&url, "标题", "zh", 0.9, ""));
    }
    let report = report_of(&journal.records);
    for columns in [50, 80, 100, 160] {
        let look = Look {
            columns,
            tongue: report::Tongue::English,
            colour: false,
            rows_max: 15,
        };
        let text = text::render(&report, look);
        let widest = text.lines().map(table::width).max().unwrap_or(0);
        assert!(widest <= columns, "{columns}: {widest}\n{text}");
    }
    let text = text::render(&report, Look::default());
    let rows: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Hosts"))
        .skip(1)
        .take(10)
        .collect();
    let column = table::width(&rows[0][..rows[0].find("finished").expect("a heading") + 8]);
    for row in &rows[1..] {
        let mut wide = 0;
        let upto: String = row
            .chars()
            .take_while(|c| {
                wide += table::width(&c.to_string());
                wide <= column
            })
            .collect();
        assert!(
            upto.ends_with(|c: char| c.is_ascii_digit()),
            "{row:?} at {column}"
        );
    }
    let colour = text::render(
        &report,
        Look {
            colour: true,
            ..Look::default()
        },
    );
    assert!(colour.contains("\u{1b}[1m") && !text.contains('\u{1b}'));
}

/// What of a text is neither of the web nor a number: words of English that stand together.
fn english(text: &str) -> Vec<String> {
    let texts = text.lines().filter(|line| !line.contains("://"));
    let words = texts.flat_map(|line| line.split(|c: char| !c.is_ascii_alphabetic() && c != ' '));
    let phrases = words
        .map(str::trim)
        .filter(|phrase| phrase.split(' ').count() > 2);
    phrases.map(str::to_owned).collect()
}

#[test]
fn the_report_speaks_chinese_and_leaves_the_web_its_words() {
    let report = report_of(&journal::small());
    let look = Look {
        tongue: report::Tongue::Chinese,
        ..Look::plain()
    };
    let said = text::render(&report, look);
    assert!(said.contains("读了 6 个页面：保留 3 个"), "{said}");
    assert_eq!(english(&said), Vec::<String>::new(), "{said}");
    let page = html::render_in(report::Tongue::Chinese, &report, &|_| None);
    assert!(page.contains("<html lang=\"zh-CN\">") && page.contains(">B-trees, 数据库<"));
    assert!(page.contains("<span>读了 6 个页面：保留 3 个"), "{page}");
    assert!(page.contains("<li>读过 6 个页面</li><li>相关 5"), "{page}");
    assert!(
        page.contains("<h2 id=\"kept-title\">保留 3 个页面</h2>"),
        "{page}"
    );
}

#[test]
fn dead_forms_and_guarded_urls_are_told_in_every_form() {
    let mut journal = Journal::default();
    journal.start();
    journal.seed(0, "http://a.test/");
    for n in 0..7 {
        let url = format!("http://a.test/news/{n}/story-{n}.html");
        let reason = if n == 3 { "" } else { "error_page" };
        journal.page(judged(&url, "t", "en", 0.5, reason));
    }
    journal.page(unread("http://127.0.0.1/x", "refused", "guard", None));
    let report = report_of(&journal.records);
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).expect("JSON");
    let form = "a.test/news/{n}/*.html";
    assert_eq!(
        json["dead_forms"],
        serde_json::json!([{"form": form, "asked": 7, "dead": 6, "example": "http://a.test/news/0/story-0.html"}])
    );
    let heading = "Forms of URLs that are mostly dead";
    let retry = "tamis retry DIR --status guard";
    for said in [
        text::render(&report, Look::plain()),
        html::render(&report, &|_| None),
    ] {
        for part in [heading, form, "6 (85.7 %)", "/news/0/story-0.html", retry] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    let chinese = Look {
        tongue: report::Tongue::Chinese,
        ..Look::plain()
    };
    for said in [
        text::render(&report, chinese),
        html::render_in(report::Tongue::Chinese, &report, &|_| None),
    ] {
        for part in ["多半失效的网址形式", form, "地址防护拒绝了1 个网址", retry]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains(heading), "{said}");
    }
    assert!(!html::render(&report_of(&journal::small()), &|_| None).contains(heading));
}

#[test]
fn the_html_of_many_hostile_pages_stays_small() {
    let mut tally = Tally::new();
    let mut journal = Journal::default();
    journal.start();
    journal.seed(0, "http://a.test/");
    journal.records.iter().for_each(|record| tally.add(record));
    let title = "数据库<&\u{202e}".repeat(4_000);
    for n in 0..12_000_u64 {
        let url = format!("http://h{}.test/{n}/{}", n % 900, "%E6".repeat(180));
        let reason = ["", "thin", "off_topic", "near_duplicate"][n as usize % 4];
        let mut page = judged(&url, &title, "zh", 0.5, reason);
        page.depth = 1;
        let event = Event::Page(Box::new(page));
        tally.add(&Record {
            seq: n + 10,
            at_ms: journal::T0 + n,
            event,
        });
    }
    let page = html::render(&tally.report("many"), &|_| Some("正文".repeat(50_000)));
    assert!(page.len() < 3_000_000, "{}", page.len());
    assert!(page.contains("tamis export DIR indexed") && !page.contains('\u{202e}'));
}
