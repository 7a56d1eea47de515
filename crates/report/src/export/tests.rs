use archive::{Event, FetchRecord, Record};
use serde_json::Value;

use super::*;
use crate::journal;

fn rows(what: What, records: &[Record]) -> Vec<Value> {
    let mut out = Vec::new();
    let text = |_: &BodyRef| Some("正文, \"quoted\"\nsecond line".to_owned());
    let count = export(
        what,
        Format::Jsonl,
        || records.iter().cloned(),
        &text,
        &mut out,
    )
    .unwrap();
    let text = String::from_utf8(out).unwrap();
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(count, rows.len() as u64);
    for row in &rows {
        let row = row.as_object().unwrap();
        let columns = what.table().columns;
        assert_eq!(row.len(), columns.len());
        assert!(columns.iter().all(|column| row.contains_key(column.name)));
    }
    rows
}

fn urls(rows: &[Value]) -> Vec<&str> {
    rows.iter()
        .map(|row| row["url"].as_str().unwrap())
        .collect()
}

#[test]
fn every_finished_url_is_a_row_of_pages_and_the_numbers_are_those_of_the_report() {
    for records in [
        journal::small(),
        journal::with_changes(),
        journal::with_a_better_copy(),
    ] {
        let mut tally = crate::Tally::new();
        records.iter().for_each(|record| tally.add(record));
        let totals = tally.totals();
        let pages = rows(What::Pages, &records);
        assert_eq!(pages.len() as u64, totals.finished);
        assert_eq!(rows(What::Indexed, &records).len() as u64, totals.indexed);
        assert_eq!(rows(What::Junk, &records).len() as u64, totals.junk);
        assert_eq!(
            rows(What::Fetches, &records).len() as u64,
            tally.report("").fetches.pages
        );
        assert_eq!(
            rows(What::Links, &records).len() as u64,
            tally.report("").links.found
        );
        assert_eq!(
            rows(What::Hosts, &records).len(),
            tally.report("").hosts.len()
        );
        let mut seen = urls(&pages);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), pages.len(), "no URL is there twice");
    }
}

#[test]
fn a_page_row_has_what_the_page_record_says() {
    let pages = rows(What::Pages, &journal::small());
    let page = pages
        .iter()
        .find(|row| row["url"] == "http://db.test/a")
        .unwrap();
    assert_eq!(page["verdict"], "indexed");
    assert_eq!(page["via"], "http://db.test/");
    assert_eq!(
        (&page["relevance"], &page["words"]),
        (&Value::from(0.9), &Value::from(300))
    );
    let refused = pages
        .iter()
        .find(|row| row["url"] == "http://db.test/private")
        .unwrap();
    assert_eq!(
        (&refused["outcome"], &refused["reason"]),
        (&"refused".into(), &"robots".into())
    );
    assert_eq!(
        (&refused["status"], &refused["fetched_at"]),
        (&0.into(), &Value::Null)
    );
}

#[test]
fn fetches_are_in_the_order_in_which_they_were_made() {
    let mut journal = journal::Journal::default();
    let mut fetched = |url: &str, started_ms: u64| {
        let fetch = FetchRecord {
            started_ms,
            ..journal::fetch(200, 1, 1)
        };
        journal.page(journal::unread(url, "failed", "x", Some(fetch)));
    };
    for n in 0..10_000u64 {
        // The later record of each pair was asked for first.
        fetched(&format!("http://a.test/{n}"), journal::T0 + 10 * (n ^ 1));
    }
    let rows = rows(What::Fetches, &journal.records);
    assert!(rows.is_sorted_by_key(|row| row["at"].as_str().unwrap().to_owned()));
    assert_eq!(rows[0]["url"], "http://a.test/1");
    assert!(rows.iter().zip(1..).all(|(row, seq)| row["seq"] == seq));
    assert_eq!(rows.len(), 10_000);
}

#[test]
fn a_repeated_attempt_is_a_row_with_its_error_and_robots_txt_is_none() {
    let fetches = rows(What::Fetches, &journal::small());
    let mine: Vec<&Value> = fetches
        .iter()
        .filter(|row| row["url"] == "http://db.test/a")
        .collect();
    assert_eq!(
        (&mine[0]["attempt"], &mine[0]["error"]),
        (&1.into(), &"timeout".into())
    );
    assert_eq!(
        (&mine[1]["attempt"], &mine[1]["error"]),
        (&2.into(), &Value::Null)
    );
    assert!(
        urls(&fetches)
            .iter()
            .all(|url| !url.ends_with("robots.txt") && !url.ends_with(".xml"))
    );
    let apex = fetches.iter().find(|row| row["status"] == 301).unwrap();
    assert_eq!(apex["redirect_to"], "http://db.test/");
}

#[test]
fn a_replaced_page_is_junk_and_its_cluster_goes_to_the_page_in_its_place() {
    for records in [journal::with_changes(), journal::with_a_better_copy()] {
        replaced_by_late(&records);
    }
}

#[track_caller]
fn replaced_by_late(records: &[Record]) {
    let junk = rows(What::Junk, records);
    let old = junk
        .iter()
        .find(|row| row["url"] == "http://db.test/a")
        .unwrap();
    assert_eq!(
        (&old["dup_of"], &old["distance"]),
        (&"http://db.test/late".into(), &Value::Null)
    );
    let clusters = rows(What::Clusters, records);
    assert_eq!(clusters.len(), 1);
    assert_eq!(clusters[0]["representative"], "http://db.test/late");
    // A page that was dropped before named the page that was kept then.
    let print = junk
        .iter()
        .find(|row| row["url"] == "http://db.test/print/a");
    let print = print.unwrap();
    assert_eq!(
        (&print["dup_of"], &print["nearest"], &print["distance"]),
        (
            &"http://db.test/late".into(),
            &"http://db.test/a".into(),
            &2.into()
        )
    );
    let measured = &clusters[0]["members"][1]["nearest"];
    assert_eq!(measured, "http://db.test/a");
    let members: Vec<&str> = clusters[0]["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["url"].as_str().unwrap())
        .collect();
    assert_eq!(
        members,
        [
            "http://db.test/a",
            "http://db.test/print/a",
            "http://db.test/hidden"
        ]
    );
}

#[test]
fn the_original_of_a_cluster_is_the_page_that_was_published_first() {
    let mut journal = journal::Journal::default();
    let dated = |url: &str, date: &str, reason: &str| {
        let mut page = journal::judged(url, "t", "en", 0.9, reason);
        page.page.as_mut().unwrap().published = Some(date.into());
        page
    };
    let kept = journal.page(dated("http://a.test/", "2024-05-01T10:00:00Z", ""));
    let same_day = dated("http://b.test/", "2024-05-01", "near_duplicate");
    journal.page(journal::duplicate(same_day, kept, "http://a.test/", 1, 0.9));
    let original = |records: &[Record]| rows(What::Clusters, records)[0]["original"].clone();
    assert_eq!(original(&journal.records), "http://a.test/");
    assert_eq!(
        rows(What::Clusters, &journal.records)[0]["original_because"],
        "published first, 2024-05-01T10:00:00Z"
    );
    let earlier = dated("http://c.test/", "2024-04-30", "near_duplicate");
    journal.page(journal::duplicate(earlier, kept, "http://a.test/", 1, 0.9));
    assert_eq!(original(&journal.records), "http://c.test/");
}

#[test]
fn csv_is_quoted_where_it_must_be() {
    let records = journal::small();
    let text = |_: &BodyRef| Some("正文, \"quoted\"\nsecond line".to_owned());
    let mut out = Vec::new();
    export(
        What::Indexed,
        Format::Csv,
        || records.iter().cloned(),
        &text,
        &mut out,
    )
    .unwrap();
    let csv = String::from_utf8(out).unwrap();
    assert!(csv.starts_with("url,title,text,lang,"), "{csv}");
    assert!(
        csv.contains("\"正文, \"\"quoted\"\"\nsecond line\",en"),
        "{csv}"
    );
    assert!(csv.contains("\"B-trees, 数据库\""), "{csv}");
    assert_eq!(csv.matches("\r\n").count(), 4);
}

#[test]
fn records_that_come_while_the_export_runs_are_left_for_the_next_one() {
    let all = journal::small();
    let mut passes = 0;
    let records = || {
        passes += 1;
        let seen = if passes == 1 { 7 } else { all.len() };
        all[..seen].iter().cloned()
    };
    let mut out = Vec::new();
    let rows = export(What::Pages, Format::Jsonl, records, &|_| None, &mut out).unwrap();
    let finished = all[..7]
        .iter()
        .filter(|r| matches!(r.event, Event::Page(_)))
        .count();
    assert_eq!(rows, finished as u64);
}

#[test]
fn an_unknown_name_lists_those_there_are() {
    let error = "page".parse::<What>().unwrap_err().to_string();
    assert!(
        error.contains("\"page\" is none of fetches, pages,"),
        "{error}"
    );
    assert!("xml".parse::<Format>().is_err());
    assert_eq!("md".parse::<Format>().ok(), Some(Format::Markdown));
}

/// Run with `WRITE_DOCS=1` to write the file anew.
#[test]
fn the_documentation_is_that_of_the_columns() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/exports.md");
    if std::env::var_os("WRITE_DOCS").is_some() {
        std::fs::write(path, documentation()).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(
        written,
        documentation(),
        "write it with: WRITE_DOCS=1 cargo test -p report"
    );
}
