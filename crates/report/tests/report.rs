//! The report of a journal: its numbers, and that its three forms agree.

#[path = "report/forms.rs"]
mod forms;
mod journal;

use archive::{Event, Record};
use journal::{Journal, duplicate, judged, link, unread};
use outcome::{Outcome, PredictedDuplicate, PredictionCause, Refusal};
use proptest::prelude::*;
use report::{Comparison, CrawlReport, Look, Tally, html, text};

fn report_of(records: &[Record]) -> CrawlReport {
    let mut tally = Tally::new();
    records.iter().for_each(|record| tally.add(record));
    tally.report("demo")
}

#[track_caller]
fn sums_hold(report: &CrawlReport) {
    let totals = report.totals;
    assert!(totals.add_up(), "{totals:?}");
    let sum = |counts: &std::collections::BTreeMap<String, u64>| counts.values().sum::<u64>();
    assert_eq!(sum(&report.reasons.junk), totals.junk);
    assert_eq!(sum(&report.reasons.refused), totals.refused);
    assert_eq!(sum(&report.reasons.failed), totals.failed);
    assert_eq!(sum(&report.statuses), report.fetches.pages);
    assert_eq!(report.sizes.count, report.fetches.pages);
    assert_eq!(report.response_times.count, report.fetches.pages);
    assert_eq!(
        report.duplicates.count,
        report.duplicates.near + report.duplicates.exact
    );
    let links = &report.links;
    assert_eq!(links.found, links.new + links.seen + sum(&links.refused));
    for (rows, what) in [
        (
            report
                .hosts
                .iter()
                .map(|row| row.counts)
                .collect::<Vec<_>>(),
            "hosts",
        ),
        (
            report
                .seeds
                .iter()
                .map(|row| row.counts)
                .collect::<Vec<_>>(),
            "seeds",
        ),
    ] {
        assert!(rows.iter().all(|counts| counts.add_up()), "{what}");
        let all = |part: fn(&report::fates::Counts) -> u64| rows.iter().map(part).sum::<u64>();
        assert_eq!(all(|c| c.admitted), totals.admitted, "{what}");
        assert_eq!(all(|c| c.pending), totals.pending, "{what}");
        assert_eq!(all(|c| c.indexed), totals.indexed, "{what}");
        assert_eq!(all(|c| c.junk), totals.junk, "{what}");
    }
    let duplicates: u64 = report.hosts.iter().map(|host| host.duplicates).sum();
    assert_eq!(duplicates, report.duplicates.count);
}

#[test]
fn the_harvest_stands_beside_that_of_breadth_first() {
    let mut journal = Journal::default();
    journal.start();
    journal.seed(0, "http://a.test/");
    // The crawl takes the third link first; breadth-first would take the first one, which was
    // foreseen to be a copy, then the second, which still waits.
    let mut home = judged("http://a.test/", "Home", "en", 0.1, "off_topic");
    let to = ["copy", "waits", "good", "poor"];
    home.links = to
        .map(|to| link(&format!("http://a.test/{to}"), to, "new"))
        .into();
    journal.page(home);
    let mut good = judged("http://a.test/good", "Good", "en", 0.9, "");
    good.links = vec![
        link("http://a.test/best", "best", "new"),
        link("http://a.test/poor", "poor", "seen"),
        link("http://other.test/", "elsewhere", "scope"),
    ];
    let kept = journal.page(good);
    journal.page(judged("http://a.test/best", "Best", "en", 0.9, ""));
    let poor = judged("http://a.test/poor", "Again", "en", 0.9, "near_duplicate");
    journal.page(duplicate(poor, kept, "http://a.test/good", 2, 0.9));
    let mut copy = unread("http://a.test/copy", "refused", "duplicate_foreseen", None);
    let prediction = PredictedDuplicate {
        original: "http://a.test/good".into(),
        cause: PredictionCause::Rules {
            rules: vec!["a rule, learnt".into()],
            percent: 91,
        },
    };
    copy.outcome = Outcome::Refused(Refusal::PredictedDuplicate(Box::new(prediction)));
    journal.page(copy);
    let report = report_of(&journal.records);
    let breadth = report.harvest.breadth_first.clone().unwrap();
    assert_eq!(
        (breadth.pages, breadth.unread, breadth.left_out),
        (4, 2, None)
    );
    let new = |curve: &[report::harvest::Point]| {
        curve
            .iter()
            .map(|point| point.relevant_and_new)
            .collect::<Vec<_>>()
    };
    assert_eq!(new(&report.harvest.curve), [0, 0, 1, 2, 2]);
    assert_eq!(new(&breadth.curve), [0, 0, 1, 1, 2]);
    assert_eq!(new(&breadth.harsh_curve), [0, 0, 0, 0, 1]);
    assert_eq!(report.duplicates.foreseen.rules["a rule, learnt"], 1);
    let text = text::render(&report, Look::default());
    assert!(text.contains("the crawl did not read 2"), "{text}");
    assert!(text.contains("1: a rule, learnt"), "{text}");
    let page = html::render(&report, &|_| None);
    assert!(
        page.contains("Harvest against breadth-first")
            && page.contains("curve l-all beside\" d=\"M")
    );
}

#[test]
fn without_a_topic_there_is_no_breadth_first_and_a_late_topic_says_why() {
    let mut journal = Journal::default();
    journal.event(Event::Start(archive::StartRecord::default()));
    journal.seed(0, "http://a.test/");
    let mut page = judged("http://a.test/", "Home", "en", 0.1, "");
    page.page.as_mut().unwrap().relevance = None;
    journal.page(page);
    let report = report_of(&journal.records);
    assert_eq!(report.harvest.breadth_first, None);
    assert!(!text::render(&report, Look::default()).contains("breadth"));
    journal.start();
    journal.page(judged("http://a.test/b", "More", "en", 0.9, ""));
    let report = report_of(&journal.records);
    let why = report
        .harvest
        .breadth_first
        .clone()
        .unwrap()
        .left_out
        .unwrap();
    assert!(html::render(&report, &|_| None).contains(&why));
}

#[test]
fn a_small_crawl_is_counted_as_it_was() {
    let report = report_of(&journal::small());
    sums_hold(&report);
    let totals = report.totals;
    assert_eq!(
        (totals.admitted, totals.pending, totals.finished),
        (11, 1, 10)
    );
    assert_eq!((totals.indexed, totals.junk, totals.redirected), (3, 3, 1));
    assert_eq!(
        (totals.refused, totals.failed, totals.not_modified),
        (2, 1, 0)
    );
    assert_eq!(report.reasons.junk["near_duplicate"], 1);
    assert_eq!(report.fetches.pages, 9);
    assert_eq!(report.statuses["200"], 6);
    assert_eq!(report.statuses["0"], 1);
    assert_eq!(
        (report.links.found, report.links.new, report.links.seen),
        (10, 7, 1)
    );
    assert_eq!(report.traps.count, 1);
    assert_eq!(report.duplicates.clusters, 1);
    assert_eq!(report.duplicates.largest[0].members, 2);
    assert_eq!(report.stop_reason, Some(outcome::StopReason::Drained));
    assert_eq!(report.duration_s, 2.0);
    let seed = &report.seeds[0];
    assert_eq!(seed.redirected_to.as_deref(), Some("http://db.test/"));
    assert_eq!(
        (seed.fate.as_str(), report.seeds[1].fate.as_str()),
        ("redirected", "indexed")
    );
    let db = report
        .hosts
        .iter()
        .find(|row| row.host == "db.test")
        .expect("a row");
    assert_eq!(
        (db.counts.indexed, db.duplicates, db.off_topic, db.errors),
        (2, 2, 1, 2)
    );
    assert_eq!((db.delay_s, db.state.as_str()), (1.0, "pending"));
    let shut = report
        .hosts
        .iter()
        .find(|row| row.host == "shut.test")
        .expect("a row");
    assert_eq!(shut.state, "closed");
    assert_eq!((report.harvest.pages, report.harvest.relevant), (6, 5));
    assert_eq!(report.harvest.relevant_and_new, 3);
    assert!(
        report
            .why_slow
            .iter()
            .any(|wait| wait.cause == "crawl_delay"),
        "{:?}",
        report.why_slow
    );
}

#[test]
fn urls_that_were_put_back_or_replaced_have_their_last_fate() {
    let report = report_of(&journal::with_changes());
    sums_hold(&report);
    let totals = report.totals;
    assert_eq!(
        (totals.admitted, totals.pending, totals.finished),
        (11, 0, 11)
    );
    assert_eq!((totals.indexed, totals.junk, totals.failed), (4, 4, 0));
    assert_eq!((report.retried, report.duplicates.replaced), (1, 1));
    assert_eq!(report.duplicates.count, 3);
    assert_eq!((report.starts, report.stop_reason.as_ref()), (2, None));
    let db = report
        .hosts
        .iter()
        .find(|row| row.host == "db.test")
        .expect("a row");
    assert_eq!(db.counts.failed, 0);
}

#[test]
fn a_better_copy_takes_the_place_of_a_kept_page() {
    let report = report_of(&journal::with_a_better_copy());
    sums_hold(&report);
    let before = report_of(&journal::small()).totals;
    assert_eq!(report.totals.indexed, before.indexed);
    assert_eq!(report.totals.junk, before.junk + 1);
    assert_eq!(
        (report.duplicates.count, report.duplicates.replaced),
        (3, 1)
    );
    assert_eq!(report.duplicates.clusters, 1);
    assert_eq!(report.duplicates.by_kind["replaced"], 1);
    // Pages that were dropped before name the page that is kept now.
    let (late, samples) = ("http://db.test/late", &report.duplicates.samples);
    assert!(!samples.is_empty() && samples.iter().all(|sample| sample.dup_of == late));
    let near = report.found.dropped.iter();
    let near: Vec<&str> = near
        .filter(|row| row.reason.ends_with("_duplicate"))
        .map(|row| row.because.as_str())
        .collect();
    assert!(
        !near.is_empty() && near.iter().all(|because| *because == late),
        "{near:?}"
    );
    let mut explainer = report::explain::Explainer::new("http://db.test/print/a");
    journal::with_a_better_copy()
        .iter()
        .for_each(|record| explainer.add(record));
    let summary = explainer.finish().summary;
    assert!(
        summary.ends_with("of http://db.test/a. In place of that http://db.test/late is kept now."),
        "{summary}"
    );
}

#[test]
fn the_numbers_above_lead_to_sections_that_are_there() {
    // Of a crawl that read nothing five led nowhere.
    let mut begun = Journal::default();
    begun.start();
    begun.seed(0, "http://a.test/");
    for records in [begun.records, journal::small()] {
        let page = report::html::render(&report_of(&records), &|_| None);
        let links = page.match_indices("href=\"#").map(|(at, found)| {
            let rest = &page[at + found.len()..];
            rest.split('"').next().unwrap_or_default()
        });
        let links: Vec<&str> = links.collect();
        assert!(!links.is_empty());
        for link in links {
            assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
        }
    }
}

#[test]
fn an_empty_journal_has_a_report() {
    let report = report_of(&[]);
    sums_hold(&report);
    assert!(text::render(&report, Look::default()).contains("nothing has happened yet"));
    assert!(html::render(&report, &|_| None).ends_with("</html>\n"));
}

#[test]
fn ten_thousand_hosts_have_rows_and_the_rest_share_one() {
    let mut journal = Journal::default();
    for n in 0..10_050 {
        journal.page(judged(&format!("http://h{n}.test/"), "", "", 0.9, ""));
    }
    let report = report_of(&journal.records);
    sums_hold(&report);
    assert_eq!(report.hosts.len(), 10_001);
    let others = report.hosts.last().expect("rows");
    assert_eq!(
        (others.host.as_str(), others.counts.indexed),
        ("(others)", 50)
    );
}

#[test]
fn a_killed_process_counts_until_its_last_record() {
    let mut journal = Journal::default();
    journal.start();
    journal.seed(0, "http://a.test/");
    journal.page(judged("http://a.test/", "", "", 0.9, ""));
    journal.start();
    journal.page(judged("http://a.test/2", "", "", 0.9, ""));
    let report = report_of(&journal.records);
    assert_eq!((report.starts, report.stop_reason), (2, None));
    assert!(
        (report.duration_s - 0.3).abs() < 1e-9,
        "{}",
        report.duration_s
    );
}

#[test]
fn a_comparison_shows_what_changed() {
    let (first, second) = (
        report_of(&journal::small()),
        report_of(&journal::with_changes()),
    );
    let comparison = Comparison::of(&first, &second);
    let delta = |name: &str| {
        let found = comparison.figures.iter().find(|delta| delta.figure == name);
        found.map(|delta| (delta.first, delta.second, delta.change))
    };
    assert_eq!(delta("totals.indexed"), Some((3.0, 4.0, 1.0)));
    assert_eq!(delta("totals.failed"), Some((1.0, 0.0, -1.0)));
    assert_eq!(delta("reasons.failed.http_404"), Some((1.0, 0.0, -1.0)));
    assert_eq!(comparison.hosts[0].host, "db.test");
    let text = comparison.render(Look::default());
    assert!(
        text.contains("totals › indexed") && text.contains("+33.3 %"),
        "{text}"
    );
    let same = Comparison::of(&first, &first);
    assert!(same.hosts.is_empty() && same.figures.iter().all(|delta| delta.change == 0.0));
}

#[test]
fn a_large_crawl_adds_up_too() {
    let mut tally = Tally::new();
    journal::large(5_000).for_each(|record| tally.add(&record));
    let report = tally.report("large");
    sums_hold(&report);
    assert!(report.totals.pending > 0 && report.duplicates.samples.len() > 10);
}

/// Any record about one of few URLs, in any order.
#[expect(clippy::too_many_lines, reason = "a table: each kind of event")]
fn any_event() -> impl Strategy<Value = Event> {
    let url = (0..12u8).prop_map(|n| format!("http://h{}.test/{n}", n % 3));
    let outcome = prop::sample::select(vec![
        "judged",
        "redirected",
        "not_modified",
        "refused",
        "failed",
        "melted",
    ]);
    let reason = prop::sample::select(vec![
        "",
        "near_duplicate",
        "exact_duplicate",
        "off_topic",
        "robots",
        "trap",
        "timeout",
    ]);
    let page = (
        url.clone(),
        outcome,
        reason,
        any::<bool>(),
        0..40u64,
        0..4u32,
        prop::collection::vec((url.clone(), 0..4u8), 0..4),
    );
    let page = page.prop_map(|(url, outcome, reason, fetched, near, seed, links)| {
        let mut page = match outcome {
            "judged" => duplicate(
                judged(&url, "t", "en", 0.5, reason),
                near,
                "http://h0.test/0",
                3,
                0.9,
            ),
            _ => unread(
                &url,
                outcome,
                reason,
                fetched.then(|| journal::fetch(200, 5, 5)),
            ),
        };
        page.seed = seed;
        page.replaces = (near % 5 == 0).then_some(near);
        let fates = ["new", "seen", "scope", "trap_calendar"];
        page.links = links
            .iter()
            .map(|(to, fate)| link(to, "", fates[usize::from(*fate)]))
            .collect();
        Event::Page(Box::new(page))
    });
    let retry = prop::collection::vec(url.clone(), 0..3).prop_map(|urls| {
        Event::Retry(archive::RetryRecord {
            urls,
            origins: Vec::new(),
            filter: String::new(),
            wrong_rule: None,
        })
    });
    let seed = (url.clone(), any::<u32>(), any::<bool>()).prop_map(|(url, seed, sitemap)| {
        Event::Seed(archive::SeedRecord {
            url,
            seed,
            sitemap,
            ..Default::default()
        })
    });
    let sitemap = prop::collection::vec(url.clone(), 0..3).prop_map(|urls| {
        Event::Sitemap(archive::SitemapRecord {
            urls,
            kind: "urlset".into(),
            ..Default::default()
        })
    });
    let attempt = url.prop_map(|url| {
        let host = journal::host(&url);
        let fetch = journal::fetch(503, 0, 1);
        Event::Attempt(archive::AttemptRecord {
            url,
            host,
            fetch,
            attempt: 1,
            retry_at_ms: 0,
            sitemap: false,
            limited: None,
        })
    });
    let stop = Just(Event::Stop(archive::StopRecord::default()));
    let start = Just(Event::Start(archive::StartRecord::default()));
    prop_oneof![6 => page, 1 => retry, 1 => seed, 1 => sitemap, 1 => attempt, 1 => stop, 1 => start]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn totals_add_up_for_any_sequence_of_records(events in prop::collection::vec(any_event(), 0..40)) {
        let mut journal = Journal::default();
        for event in events {
            journal.event(event);
        }
        let report = report_of(&journal.records);
        sums_hold(&report);
        text::render(&report, Look::default());
    }
}

#[test]
fn a_page_that_is_gone_is_in_the_table_of_dropped_pages() {
    // It was counted there, and not listed.
    let mut journal = Journal {
        records: journal::small(),
    };
    journal.event(Event::Visit(Box::new(archive::VisitRecord {
        url: "http://db.test/a".into(),
        host: "db.test".into(),
        round: 1,
        of: 10,
        change: outcome::Change::Gone,
        detail: Some("status 404".into()),
        ..archive::VisitRecord::default()
    })));
    let report = report_of(&journal.records);
    assert_eq!(report.found.dropped.len() as u64, report.totals.junk);
    let gone = report
        .found
        .dropped
        .iter()
        .find(|row| row.url == "http://db.test/a");
    let gone = gone.expect("it is listed");
    assert_eq!(
        (gone.reason.as_str(), gone.title.as_str()),
        ("error_page", "B-trees, 数据库")
    );
}

#[test]
fn an_error_of_robots_txt_names_its_whole_url() {
    let mut journal = Journal::default();
    journal.event(Event::Robots(archive::RobotsRecord {
        host: "a.test".into(),
        origin: Some("https://a.test".into()),
        fetch: journal::fetch(503, 0, 5),
        rules: "outage".into(),
        ..archive::RobotsRecord::default()
    }));
    let report = report_of(&journal.records);
    assert_eq!(report.errors[0].url, "https://a.test/robots.txt");
}
