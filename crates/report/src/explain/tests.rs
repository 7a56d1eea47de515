use archive::Record;

use super::*;
use crate::journal;
use crate::look::Look;

fn story(records: &[Record], url: &str) -> Story {
    let mut explainer = Explainer::new(url);
    records.iter().for_each(|record| explainer.add(record));
    explainer.finish()
}

fn told(story: &Story) -> String {
    render(story, Look::plain(), &|_| None)
}

#[test]
fn a_kept_page_tells_where_it_was_found_how_often_it_was_tried_and_what_repeats_it() {
    let story = story(&journal::small(), "http://db.test/a");
    assert_eq!(story.state.name(), "indexed");
    assert_eq!(
        (story.found[0].from.as_str(), story.found[0].anchor.as_str()),
        ("http://db.test/", "B-trees")
    );
    assert_eq!(story.fetches.len(), 2);
    assert_eq!(story.fetches[0].error, Some(outcome::FailureKind::Timeout));
    assert_eq!(story.duplicates_count, 2);
    assert_eq!(
        story
            .robots
            .as_ref()
            .and_then(|robots| robots.crawl_delay_s),
        Some(1.0)
    );
    let text = told(&story);
    let order = [
        "Found",
        "\"B-trees\"",
        "Fetched",
        "attempt 1: no answer",
        "attempt 2: status 200",
        "Decided",
        "Measured",
        "Afterwards",
    ];
    let mut at = 0;
    for part in order {
        at += text[at..]
            .find(part)
            .unwrap_or_else(|| panic!("{part} in {text}"));
    }
}

#[test]
fn urls_are_told_in_letters_that_people_read() {
    let mut story = story(&journal::small(), "http://db.test/a");
    story.url = "http://db.test/%E7%B4%A2%E5%BC%95?q=%20".into();
    story.found[0].from = "http://db.test/%E8%A1%A8".into();
    story.sitemaps.push("http://db.test/%E5%9B%BE.xml".into());
    let text = told(&story);
    assert!(text.starts_with("http://db.test/索引?q=%20\n"), "{text}");
    assert!(
        text.contains("  on http://db.test/表  ")
            && text.contains("in the sitemap http://db.test/图.xml\n")
    );
}

#[test]
fn a_duplicate_shows_its_neighbour_and_the_text_that_differs() {
    let story = story(&journal::small(), "http://db.test/print/a");
    assert_eq!(story.state.name(), "junk");
    assert!(
        story.summary.contains("near duplicate of http://db.test/a"),
        "{}",
        story.summary
    );
    let nearest = story.decisions[0].nearest.as_ref().unwrap();
    let kept = nearest.page;
    let texts = move |page: u64| {
        Some(
            if page == kept {
                "数据库的索引很快"
            } else {
                "数据库的日志很快"
            }
            .to_owned(),
        )
    };
    let text = render(&story, Look::plain(), &texts);
    assert!(
        text.contains("distance 2 of 64 bits, overlap 0.95, found by table 3: duplicate"),
        "{text}"
    );
    assert!(text.contains("数据库的[-索引-][+日志+]很快"), "{text}");
    let colour = render(
        &story,
        Look {
            colour: true,
            ..Look::plain()
        },
        &texts,
    );
    assert!(
        colour.contains("\u{1b}[31m索引\u{1b}[0m\u{1b}[32m日志\u{1b}[0m"),
        "{colour}"
    );
}

#[test]
fn a_url_that_was_never_admitted_says_why() {
    let records = journal::small();
    let scope = story(&records, "http://other.test/x");
    assert_eq!(scope.state.name(), "left_out");
    assert!(
        scope.summary.contains("never admitted: scope"),
        "{}",
        scope.summary
    );
    let trap = story(&records, "http://db.test/calendar?month=2099-01");
    assert!(
        told(&trap).contains("left out: trap calendar"),
        "{}",
        told(&trap)
    );
    let unknown = story(&records, "http://nowhere.test/");
    assert_eq!((unknown.state.name(), unknown.found_count), ("unknown", 0));
}

#[test]
fn refused_failed_redirected_and_pending_urls_have_their_stories() {
    let records = journal::small();
    let state = |url: &str| {
        let story = story(&records, url);
        (story.state.clone(), story.summary)
    };
    assert_eq!(
        state("http://db.test/private"),
        ("refused".into(), "Not fetched: robots.".into())
    );
    assert_eq!(
        state("http://db.test/gone"),
        (
            "failed".into(),
            "Not found: the server answered 404 (Not Found), so there is no page to keep.".into()
        )
    );
    assert_eq!(
        state("http://example.test/"),
        (
            "redirected".into(),
            "It redirects to http://db.test/.".into()
        )
    );
    let late = story(&records, "http://db.test/late");
    assert_eq!((late.state.name(), late.sitemaps.len()), ("pending", 1));
    assert!(told(&late).contains("in the sitemap http://db.test/sitemap.xml"));
}

#[test]
fn what_came_later_is_part_of_the_story() {
    let records = journal::with_changes();
    let gone = story(&records, "http://db.test/gone");
    assert_eq!(
        (gone.state.name(), gone.decisions.len(), gone.put_back.len()),
        ("indexed", 2, 1)
    );
    let old = story(&records, "http://db.test/a");
    assert_eq!(old.state.name(), "junk");
    assert!(
        old.summary.contains("Left the index for page"),
        "{}",
        old.summary
    );
    let new = story(&records, "http://db.test/late");
    assert_eq!(new.state.name(), "indexed");
    let old = story(&journal::with_a_better_copy(), "http://db.test/a");
    assert_eq!(old.state.name(), "junk");
    assert!(
        told(&old).contains("takes the place of http://db.test/a: longer"),
        "{}",
        told(&old)
    );
}

#[test]
fn what_was_put_back_waits_whatever_came_of_it_before() {
    const GONE: &str = "http://db.test/gone";
    let mut records = journal::small();
    let came = |records: &[Record]| {
        let home = led(|| records.iter().cloned(), &[7], 0.5).remove(0);
        let link = home.best.iter().find(|link| link.url == GONE);
        link.map(|link| (link.state.clone(), link.reason.clone()))
    };
    assert_eq!(
        came(&records),
        Some(("failed".into(), Some("http_404".into())))
    );
    // As in a crawl that is stopped: the record that puts it back follows the one of the stop.
    assert!(matches!(records.last().unwrap().event, Event::Stop(_)));
    let back = journal::with_changes().into_iter().skip(records.len() + 1);
    records.extend(back.take(1));
    assert!(matches!(records.last().unwrap().event, Event::Retry(_)));
    assert_eq!(came(&records), Some(("pending".into(), None)));
    let gone = story(&records, GONE);
    assert_eq!(gone.state.name(), "pending");
    assert_eq!(
        gone.summary,
        "Put back into the queue, and waiting for its turn; before, it was failed: http 404."
    );
}

#[test]
fn a_story_survives_json() {
    let story = story(&journal::with_changes(), "http://db.test/a");
    let json = serde_json::to_string(&story).unwrap();
    assert_eq!(serde_json::from_str::<Story>(&json).unwrap(), story);
}

#[test]
fn the_link_that_admitted_the_url_is_among_those_remembered() {
    let mut journal = journal::Journal::default();
    for n in 0..40 {
        let mut page = journal::judged(&format!("http://a.test/{n}"), "", "", 0.9, "");
        page.links = vec![journal::link(
            "http://a.test/x",
            "",
            if n == 30 { "new" } else { "depth" },
        )];
        journal.page(page);
    }
    let story = story(&journal.records, "http://a.test/x");
    assert_eq!((story.found.len(), story.found_count), (20, 40));
    assert_eq!(
        story
            .found
            .iter()
            .filter(|found| found.fate == outcome::LinkFate::New)
            .count(),
        1
    );
    let said = told(&story);
    assert!(
        said.contains("admitted") && said.contains("and on 33 more pages"),
        "{said}"
    );
}

#[test]
fn pages_with_a_link_are_counted_once_however_often_they_are_visited() {
    let mut journal = journal::Journal::default();
    let linking = |name: &str, fate: &str| {
        let mut page = journal::judged(&format!("http://a.test/{name}"), "", "", 0.9, "");
        page.links = vec![journal::link("http://a.test/x", "", fate)];
        page
    };
    let visit = |page: PageRecord| {
        Event::Visit(Box::new(VisitRecord {
            url: page.url.clone(),
            change: Change::Changed,
            page: Some(Box::new(page)),
            ..VisitRecord::default()
        }))
    };
    journal.page(linking("a", "depth"));
    journal.page(linking("b", "depth"));
    journal.event(visit(linking("a", "depth")));
    journal.event(visit(linking("a", "nofollow")));
    let told_of = |story: &Story| -> Vec<(String, String)> {
        let found = story.found.iter();
        let told = found.map(|found| (found.from.clone(), found.fate.name().to_owned()));
        told.collect()
    };
    let left_out = story(&journal.records, "http://a.test/x");
    let of = |name: &str, fate: &str| (format!("http://a.test/{name}"), fate.to_owned());
    assert_eq!(left_out.found_count, 2);
    assert_eq!(told_of(&left_out), [of("a", "nofollow"), of("b", "depth")]);
    journal.event(visit(linking("b", "new")));
    journal.event(visit(linking("b", "seen")));
    let admitted = story(&journal.records, "http://a.test/x");
    assert_eq!(admitted.found_count, 2);
    assert_eq!(told_of(&admitted), [of("a", "nofollow"), of("b", "new")]);
    assert!(
        in_short(&admitted).contains("on http://a.test/b and on 1 more page\n"),
        "{}",
        in_short(&admitted)
    );
}

#[test]
fn the_short_story_in_chinese_has_chinese_signs() {
    let look = Look {
        tongue: crate::Tongue::Chinese,
        ..Look::plain()
    };
    let records = journal::small();
    for url in ["http://db.test/a", "http://db.test/b", "http://db.test/"] {
        let told = render_short(&story(&records, url), look);
        for line in told.lines().skip(1) {
            // What the web says stands between quotes.
            let line: String = line.split('"').step_by(2).collect();
            let signs: Vec<char> = line.chars().collect();
            let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
            for pair in signs.windows(2) {
                let is_half = is_han(pair[0]) && ",:;(".contains(pair[1]);
                assert!(!is_half, "{line}");
            }
            assert!(!line.contains(", ") && !line.contains(" ("), "{line}");
        }
    }
}

#[test]
fn a_duplicate_and_its_kept_page_name_the_original_of_their_cluster() {
    let mut journal = journal::Journal::default();
    let dated = |url: &str, date: &str, reason: &str| {
        let mut page = journal::judged(url, "t", "en", 0.9, reason);
        page.page.as_mut().unwrap().published = Some(date.into());
        page
    };
    let kept = journal.page(dated("http://a.test/", "2024-05-02", ""));
    for (url, date) in [
        ("http://b.test/", "2024-05-03"),
        ("http://c.test/", "2024-05-01"),
    ] {
        let copy = dated(url, date, "near_duplicate");
        journal.page(journal::duplicate(copy, kept, "http://a.test/", 1, 0.9));
    }
    journal.page(dated("http://d.test/", "2024-05-04", ""));
    let original = |url: &str| {
        let mut story = story(&journal.records, url);
        let records = || journal.records.iter().cloned();
        story.original = crate::original_of(records, story.cluster()?);
        let told = told(&story);
        assert!(told.contains("published first, 2024-05-01"), "{told}");
        story.original.map(|original| original.url)
    };
    for url in ["http://a.test/", "http://b.test/", "http://c.test/"] {
        assert_eq!(original(url).as_deref(), Some("http://c.test/"), "{url}");
    }
    assert_eq!(original("http://d.test/"), None);
}

#[test]
fn what_came_of_the_links_of_a_page_and_of_those_beside_a_url_is_told() {
    let records = journal::small();
    let mut story = story(&records, "http://db.test/a");
    assert_eq!(story.pages_with_links(), (None, Some(7)));
    let home = led(|| records.iter().cloned(), &[7, 999], 0.5)
        .pop()
        .unwrap();
    assert_eq!((home.links, home.new, home.read), (6, 6, 3));
    assert_eq!((home.indexed, home.relevant_and_new), (1, 1));
    let came = |url: &str| {
        home.best
            .iter()
            .find(|link| link.url.ends_with(url))
            .unwrap()
    };
    assert_eq!(came("/soup").reason.as_deref(), Some("off_topic"));
    assert_eq!(came("/gone").state.name(), "failed");
    story.siblings = Some(home.clone());
    let told = told(&story);
    assert!(
        told.contains("3 pages were read so far, 1 relevant and new")
            && told.contains("promised 0.40  failed: http 404  http://db.test/gone"),
        "{told}"
    );
    assert!(
        !told.contains("indexed, relevance 0.90  http://db.test/a "),
        "{told}"
    );
}

#[test]
fn links_promise_nothing_where_there_is_no_topic() {
    let mut journal = journal::Journal::default();
    let mut page = journal::judged("http://a.test/", "", "", 0.9, "");
    page.links = vec![journal::link("http://a.test/x", "x", "new")];
    journal.page(page);
    let told = told(&story(&journal.records, "http://a.test/x"));
    assert!(
        told.contains("(admitted)") && !told.contains("promise"),
        "{told}"
    );
}

#[test]
fn a_page_that_is_linked_twice_was_read_once() {
    let mut journal = journal::Journal::default();
    let mut home = journal::judged("http://a.test/", "", "", 0.9, "");
    home.links = ["new", "seen"]
        .map(|fate| journal::link("http://a.test/x", "x", fate))
        .into();
    let home = journal.page(home);
    journal.page(journal::judged("http://a.test/x", "", "", 0.9, ""));
    let led = &led(|| journal.records.iter().cloned(), &[home], 0.5)[0];
    assert_eq!((led.links, led.new, led.read, led.best.len()), (2, 1, 1, 1));
}

fn in_short(story: &Story) -> String {
    render_short(story, Look::plain())
}

/// A page that answers with a status, as a crawl records it.
fn error_page(url: &str, status: u16) -> archive::PageRecord {
    let mut page = journal::judged(url, "Oops", "en", 0.0, "error_page");
    page.fetch = Some(journal::fetch(status, 73, 1));
    page.detail = Some(format!("status {status}"));
    page
}

#[test]
fn the_short_story_of_any_url_is_short_and_says_what_became_of_it() {
    for records in [journal::small(), journal::with_changes()] {
        for (url, words) in [
            ("http://db.test/", "Kept: it is in the search index."),
            ("http://db.test/a", "2 pages were dropped as its duplicate"),
            ("http://db.test/soup", "Dropped: off topic."),
            ("http://db.test/private", "Not fetched: robots."),
            ("http://shut.test/", "closes the host for now"),
            ("http://example.test/", "It redirects to http://db.test/."),
            ("http://other.test/x", "never admitted: scope"),
            ("http://never.test/", "never saw a link to it"),
        ] {
            let told = in_short(&story(&records, url));
            assert!(told.contains(words), "{words:?} is not in: {told}");
            assert!(told.lines().count() <= 12, "{told}");
            assert_eq!(told.lines().next(), Some(url));
        }
    }
}

#[test]
fn the_short_story_of_a_duplicate_has_its_numbers_and_where_it_was_found() {
    let told = in_short(&story(&journal::small(), "http://db.test/print/a"));
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[1], "Dropped: near duplicate of http://db.test/a.");
    assert_eq!(
        lines[2],
        "  why         distance 2 of 64 bits, overlap 0.95; full content"
    );
    assert_eq!(
        lines[3],
        "  content     \"B-trees (print)\", 300 words, en, relevance 0.90"
    );
    assert_eq!(lines[4], "  found       on http://db.test/  \"print\"");
}

#[test]
fn the_short_story_counts_what_it_leaves_out() {
    let mut journal = journal::Journal::default();
    for n in 0..3 {
        let mut page = journal::judged(&format!("http://a.test/{n}"), "", "", 0.9, "");
        let fate = if n == 0 { "new" } else { "seen" };
        page.links = vec![journal::link("http://a.test/x", &"long ".repeat(40), fate)];
        journal.page(page);
    }
    let told = in_short(&story(&journal.records, "http://a.test/x"));
    assert!(told.contains("on http://a.test/0  \"long long"), "{told}");
    assert!(told.contains("…\" and on 2 more pages"), "{told}");
    let a = in_short(&story(&journal::small(), "http://db.test/a"));
    assert!(
        a.contains("attempt 2: status 200") && a.contains("(1 attempt before)"),
        "{a}"
    );
}

#[test]
fn an_answer_without_a_page_is_told_in_plain_words() {
    for (status, words) in [
        (404, "Not found: the server answered 404 (Not Found)"),
        (410, "Gone: the server answered 410 (Gone)"),
        (403, "Not shown to us: the server answered 403"),
        (
            418,
            "No page: the server answered with an error, status 418",
        ),
    ] {
        let mut journal = journal::Journal::default();
        journal.page(error_page("http://a.test/x", status));
        let story = story(&journal.records, "http://a.test/x");
        for told in [in_short(&story), told(&story)] {
            let head = told.lines().nth(1).unwrap();
            assert!(head.starts_with(words) && head.ends_with('.'), "{head}");
        }
    }
}

#[test]
fn a_reason_without_a_limit_says_what_was_seen_on_the_page() {
    for (reason, words) in [
        ("soft_404", "reads like an error page"),
        ("noindex", "asks not to be indexed"),
        ("listing", "0 % of its characters stand in links"),
    ] {
        let mut journal = journal::Journal::default();
        journal.page(journal::judged("http://a.test/x", "x", "en", 0.9, reason));
        let told = in_short(&story(&journal.records, "http://a.test/x"));
        assert!(told.lines().nth(2).unwrap().contains(words), "{told}");
    }
}

#[test]
fn a_budget_that_left_a_url_out_is_told_in_words() {
    let mut journal = journal::Journal::default();
    let mut page = journal::judged("http://a.test/x", "", "", 0.0, "");
    let fate = outcome::LinkFate::BudgetHost;
    page.detail = Some(fate.name().to_owned());
    page.outcome = outcome::Outcome::Refused(outcome::Refusal::LeftOut(fate));
    (page.page, page.fetch) = (None, None);
    journal.page(page);
    let story = story(&journal.records, "http://a.test/x");
    for told in [in_short(&story), told(&story)] {
        let words = "Not fetched: left out, by budget host.";
        assert!(told.contains(words) && !told.contains('_'), "{told}");
    }
}

#[test]
fn a_page_that_waits_again_after_a_404_is_not_told_as_missing() {
    let mut journal = journal::Journal::default();
    journal.page(error_page("http://a.test/x", 404));
    journal.event(Event::Retry(archive::RetryRecord {
        urls: vec!["http://a.test/x".into()],
        ..archive::RetryRecord::default()
    }));
    let waits = in_short(&story(&journal.records, "http://a.test/x"));
    assert!(waits.contains("waiting for its turn"), "{waits}");
    journal.page(journal::judged("http://a.test/x", "Back", "en", 0.9, ""));
    let back = in_short(&story(&journal.records, "http://a.test/x"));
    assert!(back.contains("Kept: it is in the search index."), "{back}");
}

#[test]
fn the_short_story_is_told_in_chinese_but_for_what_the_web_says() {
    let look = Look {
        tongue: crate::Tongue::Chinese,
        ..Look::plain()
    };
    let mut journal = journal::Journal::default();
    journal.page(error_page("http://a.test/kept", 404));
    let told = render_short(&story(&journal.records, "http://a.test/kept"), look);
    assert!(
        told.starts_with("http://a.test/kept\n找不到：服务器返回 404"),
        "{told}"
    );
    assert!(told.contains("  原因        状态码 404"), "{told}");
    assert!(told.contains("\"Oops\""), "{told}");
    for url in [
        "http://db.test/a",
        "http://db.test/print/a",
        "http://db.test/soup",
    ] {
        let told = render_short(&story(&journal::small(), url), look);
        for line in told.lines().skip(1) {
            let has_chinese = line.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            assert!(has_chinese, "{line:?} in {told}");
        }
        assert!(
            !told.contains(" words") && !told.contains("attempt"),
            "{told}"
        );
    }
}

#[test]
fn a_page_that_is_judged_by_a_part_of_its_body_says_so_in_short() {
    let mut journal = journal::Journal::default();
    let mut page = journal::judged("http://a.test/x", "Half", "en", 0.9, "");
    page.page.as_mut().unwrap().limits_hit = vec!["body: disconnect".into()];
    journal.page(page);
    let half = story(&journal.records, "http://a.test/x");
    let told = in_short(&half);
    assert!(
        told.contains("relevance 0.90; limits hit: body: disconnect\n"),
        "{told}"
    );
    assert!(render_short(&half, chinese()).contains("；触及限制：正文：没有收完"));
}

/// Chinese, else plain.
fn chinese() -> Look {
    Look {
        tongue: crate::Tongue::Chinese,
        ..Look::plain()
    }
}

#[test]
fn an_earlier_robots_txt_is_told_only_where_there_is_one() {
    // "An earlier copy holds until then" was told though there never was one.
    let mut journal = journal::Journal::default();
    let mut robots = |rules: &str, status: u16| {
        journal.event(Event::Robots(archive::RobotsRecord {
            host: "a.test".into(),
            fetch: journal::fetch(status, 0, 5),
            rules: rules.into(),
            ..archive::RobotsRecord::default()
        }));
        let story = story(&journal.records, "http://a.test/x");
        (told(&story), render_short(&story, chinese()))
    };
    for (rules, has_copy) in [
        ("outage", false),
        ("outage", false),
        ("parsed", true),
        ("outage", true),
        ("outage", true),
    ] {
        let (told, chinese) = robots(rules, 503);
        let is_outage = rules == "outage";
        assert_eq!(
            told.contains("an earlier copy holds"),
            is_outage && has_copy,
            "{told}"
        );
        assert_eq!(
            told.contains("the host waits until then"),
            is_outage && !has_copy,
            "{told}"
        );
        assert_eq!(
            chinese.contains("此前不访问该主机"),
            is_outage && !has_copy,
            "{chinese}"
        );
    }
}

#[test]
fn attempts_and_visits_are_told_in_chinese_part_by_part() {
    let tongue = crate::Tongue::Chinese;
    let fetch = FetchMade {
        at: "2026-01-01T00:00:00.000Z".into(),
        attempt: 3,
        error: Some(FailureKind::Timeout),
        error_text: Some("wait for first_byte: nothing within 13.0 s".into()),
        retry_at: Some("2026-01-01T00:01:00.000Z".into()),
        ..FetchMade::default()
    };
    assert_eq!(
        tell::fetched(&fetch, tongue),
        "2026-01-01T00:00:00.000Z  第 3 次：没有应答，0 B，0 毫秒，超时：等待首字节：13.0 秒内没有应答；2026-01-01T00:01:00.000Z 再试"
    );
    let visit = VisitTold {
        at: "2026-01-01".into(),
        round: 2,
        change: Change::Gone,
        status: 404,
        conditional: true,
        why: Some("status 404".into()),
        now: Some(UrlState::Junk),
        ..VisitTold::default()
    };
    assert_eq!(
        tell::visited(&visit, tongue),
        "2026-01-01  第 2 轮：已消失（状态码 404，带校验信息）；现在丢弃：状态码 404"
    );
    assert_eq!(
        tell::visited(&visit, crate::Tongue::English),
        "2026-01-01  round 2: gone (status 404, asked with validators); junk now: status 404"
    );
}
