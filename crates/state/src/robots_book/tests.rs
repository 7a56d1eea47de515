use super::*;

const DAY_MS: u64 = 24 * 3_600_000;
const NOON_MS: u64 = 1_700_000_000_000;
const ORIGIN: &str = "http://a.example";

fn book() -> RobotsBook {
    RobotsBook::new(RobotsPolicy {
        obey: true,
        retry_delay: Duration::from_secs(2),
        retry_after_max: Duration::from_secs(3_600),
        outage_max: Duration::from_millis(DAY_MS),
    })
}

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn check(book: &RobotsBook, path: &str, at_ms: u64) -> Permission {
    book.check(&url(&format!("{ORIGIN}{path}")), at_ms)
}

fn fetch(status: u16, at_ms: u64) -> FetchRecord {
    FetchRecord {
        status,
        started_ms: at_ms,
        ..FetchRecord::default()
    }
}

/// Decides about an answer and takes its record in.
fn tell(
    book: &mut RobotsBook,
    said: RobotsAnswer,
    lines: &[&str],
    fetch: FetchRecord,
) -> (RobotsAnswer, RobotsNews) {
    let at_ms = fetch.started_ms;
    let rules = book.decide(ORIGIN, &said, &fetch, at_ms);
    let news = book.apply(&RobotsRecord {
        host: "a.example".into(),
        origin: Some(ORIGIN.into()),
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        rules: rules.clone(),
        fetch,
        ..RobotsRecord::default()
    });
    (rules, news)
}

fn read(book: &mut RobotsBook, lines: &[&str], at_ms: u64) {
    tell(book, RobotsAnswer::Parsed, lines, fetch(200, at_ms));
}

fn fail(book: &mut RobotsBook, status: u16, at_ms: u64) -> (RobotsAnswer, RobotsNews) {
    tell(book, RobotsAnswer::Outage, &[], fetch(status, at_ms))
}

fn words(permission: Permission) -> String {
    match permission {
        Permission::Refused(Refused::Refusal(refusal)) => refusal.detail().unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_copy_holds_for_a_day_and_is_then_asked_for_again() {
    let mut book = book();
    assert_eq!(check(&book, "/news", NOON_MS), Permission::Unknown);
    read(&mut book, &["2 Disallow: /other"], NOON_MS);
    assert_eq!(check(&book, "/news", NOON_MS + DAY_MS), Permission::Allowed);
    let later = NOON_MS + DAY_MS + 1;
    assert_eq!(check(&book, "/news", later), Permission::Unknown);
    // The host has changed its mind: what counts is the new file.
    read(&mut book, &["7 Disallow: /news"], later);
    let told = "Disallow: /news (robots.txt line 7)";
    assert_eq!(words(check(&book, "/news", later)), told);
}

#[test]
fn http_and_https_of_a_host_and_each_port_have_a_robots_txt_of_their_own() {
    let mut book = book();
    read(&mut book, &["2 Disallow: /"], NOON_MS);
    for other in ["https://a.example/x", "http://a.example:8080/x"] {
        assert_eq!(book.check(&url(other), NOON_MS), Permission::Unknown);
    }
}

#[test]
fn in_an_outage_a_host_waits_longer_each_time_and_nothing_is_refused_for_a_day() {
    // After four tries within seconds the whole queue was refused.
    let mut book = book();
    let mut now_ms = NOON_MS;
    let mut waits = Vec::new();
    loop {
        let (rules, news) = fail(&mut book, 503, now_ms);
        if rules == RobotsAnswer::DisallowAll {
            break;
        }
        assert_eq!(check(&book, "/news", now_ms), Permission::Unknown);
        let wait = news.wait.expect("it waits");
        waits.push(wait.as_secs());
        now_ms += wait.as_millis() as u64;
    }
    assert_eq!(waits[..4], [2, 4, 8, 16]);
    assert_eq!(waits.last(), Some(&OUTAGE_WAIT_MAX.as_secs()));
    assert!(now_ms - NOON_MS >= DAY_MS && now_ms - NOON_MS < DAY_MS + 600_000);
    let told = format!(
        "robots.txt could not be had: the server answered 503, at {} tries within 24 h",
        waits.len() + 1
    );
    assert_eq!(words(check(&book, "/news", now_ms)), told);
    assert_eq!(
        check(&book, "/news", now_ms + DAY_MS + 1),
        Permission::Unknown
    );
    // Somebody asks for its URLs once more.
    book.reopen("http://a.example/other");
    assert_eq!(check(&book, "/news", now_ms), Permission::Unknown);
    let (rules, _) = fail(&mut book, 503, now_ms);
    assert_eq!(rules, RobotsAnswer::Outage, "its day begins anew");
}

#[test]
fn where_no_answer_comes_the_hosts_failures_say_how_long_it_is_left_alone() {
    let mut book = book();
    let silent = FetchRecord {
        error: Some(FailureKind::Timeout),
        ..fetch(0, NOON_MS)
    };
    let (rules, news) = tell(&mut book, RobotsAnswer::Outage, &[], silent);
    assert_eq!(
        (rules, news.wait),
        (RobotsAnswer::Outage, Some(Duration::ZERO))
    );
}

#[test]
fn a_good_copy_stays_in_use_during_an_outage_also_beyond_its_day() {
    let mut book = book();
    read(&mut book, &["2 Disallow: /other"], NOON_MS);
    let mut now_ms = NOON_MS + DAY_MS + 1;
    for _ in 0..20 {
        assert_eq!(check(&book, "/news", now_ms), Permission::Unknown);
        let (rules, news) = fail(&mut book, 500, now_ms);
        assert_eq!((rules, news.wait), (RobotsAnswer::Outage, None));
        assert_eq!(check(&book, "/news", now_ms + 1_000), Permission::Allowed);
        assert!(words(check(&book, "/other", now_ms + 1_000)).contains("/other"));
        let wait = book.known.0[ORIGIN].outage.as_ref().unwrap();
        let wait = wait.wait(Duration::from_secs(2));
        now_ms += wait.as_millis() as u64 + 1;
    }
    // A day of it closes the host all the same.
    let mut fails = || {
        now_ms += OUTAGE_WAIT_MAX.as_millis() as u64;
        fail(&mut book, 500, now_ms).0
    };
    assert!((0..144).any(|_| fails() == RobotsAnswer::DisallowAll));
}

#[test]
fn a_time_in_which_nobody_asked_is_no_part_of_an_outage() {
    // Three tries, a pause of three days, and the first answer after it closed the host.
    let mut book = book();
    let mut now_ms = NOON_MS;
    for pause in [0, 2_000, 4_000, 8_000, 3 * DAY_MS, 30_000, 60_000] {
        now_ms += pause;
        let (rules, _) = fail(&mut book, 503, now_ms);
        assert_eq!(rules, RobotsAnswer::Outage, "after {pause} ms");
    }
    // A clock that is set back by a day, and put right.
    for at_ms in [now_ms - DAY_MS, now_ms + 120_000] {
        let (rules, _) = fail(&mut book, 503, at_ms);
        assert_eq!(rules, RobotsAnswer::Outage);
    }
}

#[test]
fn what_does_not_pass_by_itself_closes_the_host_at_once_unless_there_is_a_copy() {
    let untrusted = |at_ms| FetchRecord {
        error: Some(FailureKind::Tls),
        error_text: Some("it has expired".into()),
        ..fetch(0, at_ms)
    };
    let mut none = book();
    let (rules, _) = tell(
        &mut none,
        RobotsAnswer::DisallowAll,
        &[],
        untrusted(NOON_MS),
    );
    assert_eq!(rules, RobotsAnswer::DisallowAll);
    let unreachable = Refused::Unreachable {
        failure: FailureKind::Tls,
        detail: "it has expired".into(),
    };
    assert_eq!(check(&none, "/", NOON_MS), Permission::Refused(unreachable));
    let mut copied = book();
    read(&mut copied, &[], NOON_MS);
    let late = NOON_MS + DAY_MS + 1;
    let (rules, _) = tell(&mut copied, RobotsAnswer::DisallowAll, &[], untrusted(late));
    assert_eq!(rules, RobotsAnswer::Outage);
}

#[test]
fn a_file_that_breaks_off_twice_at_the_same_byte_is_as_long_as_that() {
    let cut = |bytes, at_ms| FetchRecord {
        bytes,
        truncated: Some(Truncation::Disconnect),
        ..fetch(200, at_ms)
    };
    let mut book = book();
    for (bytes, expected) in [
        (40, RobotsAnswer::Outage),
        (30, RobotsAnswer::Outage),
        (30, RobotsAnswer::Parsed),
    ] {
        let (rules, _) = tell(&mut book, RobotsAnswer::Outage, &[], cut(bytes, NOON_MS));
        assert_eq!(rules, expected);
    }
    assert_eq!(check(&book, "/", NOON_MS), Permission::Allowed);
}

#[test]
fn a_wall_clock_that_jumps_costs_a_request_and_no_more() {
    let mut book = book();
    read(&mut book, &[], NOON_MS);
    let years = 3_650 * DAY_MS;
    for jumped in [NOON_MS + years, NOON_MS - years] {
        assert_eq!(check(&book, "/", jumped), Permission::Unknown);
    }
    assert_eq!(check(&book, "/", NOON_MS - 3_000), Permission::Allowed);
}

#[test]
fn retry_after_of_robots_txt_is_waited_for() {
    let mut book = book();
    let busy = FetchRecord {
        retry_after_s: Some(90.0),
        ..fetch(429, NOON_MS)
    };
    let (rules, news) = tell(&mut book, RobotsAnswer::Outage, &[], busy);
    assert_eq!(rules, RobotsAnswer::Outage);
    assert_eq!(news.wait, Some(Duration::from_secs(90)));
    // A wait of two hours was waited for, whatever the user's bound.
    let closed = FetchRecord {
        retry_after_s: Some(7_200.0),
        ..fetch(503, NOON_MS)
    };
    let (_, news) = tell(&mut book, RobotsAnswer::Outage, &[], closed);
    assert_eq!(news.wait, Some(Duration::from_secs(3_600)));
}

#[test]
fn beyond_the_bound_of_memory_hosts_without_waiting_urls_are_forgotten_first() {
    // A crawl of 21,500 hosts in turn asked each of them three times.
    let mut book = book();
    let origin = |n: usize| format!("http://h{n}.example");
    let tell = |book: &mut RobotsBook, n: usize, lines: &[String]| {
        book.apply(&RobotsRecord {
            origin: Some(origin(n)),
            rules: RobotsAnswer::Parsed,
            lines: lines.to_vec(),
            fetch: fetch(200, NOON_MS + n as u64),
            ..RobotsRecord::default()
        });
    };
    let rule = ["2 Disallow: /no".to_owned()];
    for n in 0..30_000 {
        tell(&mut book, n, &rule);
        book.make_room(|_| true);
    }
    assert_eq!(book.known.0.len(), 30_000);
    let long = vec![format!("3 Disallow: /{}", "x".repeat(2_000)); 100];
    for n in 30_000..30_100 {
        tell(&mut book, n, &long);
        book.make_room(|host| !host.as_str().starts_with("h300"));
    }
    assert!(book.bytes <= BYTES_MAX);
    let is_known = |n| book.known.0.contains_key(&*origin(n));
    assert!(!is_known(30_000) && is_known(30_099));
    assert!((0..300).chain(3_010..30_000).all(is_known));
    let counted: usize = book.known.0.values().map(Known::bytes).sum();
    assert_eq!(book.bytes, counted);
}

#[test]
fn a_record_of_an_earlier_version_says_nothing_of_a_scheme() {
    let mut book = book();
    let old = RobotsRecord {
        host: "a.example".into(),
        rules: RobotsAnswer::DisallowAll,
        ..RobotsRecord::default()
    };
    assert_eq!(book.apply(&old), RobotsNews::default());
    assert_eq!(check(&book, "/", NOON_MS), Permission::Unknown);
}

#[test]
fn with_robots_txt_not_obeyed_everything_is_allowed() {
    let book = RobotsBook::new(RobotsPolicy {
        obey: false,
        retry_after_max: Duration::ZERO,
        retry_delay: Duration::ZERO,
        outage_max: Duration::ZERO,
    });
    assert_eq!(check(&book, "/", NOON_MS), Permission::Allowed);
}

#[test]
fn rules_that_were_read_are_gone_once_they_are_missing_for_a_while_and_not_at_once() {
    // A host that limits how often it is asked by 403 opened itself up for a day.
    let mut known = book();
    read(&mut known, &["2 Disallow: /news"], NOON_MS);
    let mut now_ms = NOON_MS + DAY_MS + 1;
    let began_ms = now_ms;
    let mut tries = 0;
    loop {
        let (rules, news) = tell(&mut known, RobotsAnswer::AllowAll, &[], fetch(403, now_ms));
        tries += 1;
        if rules == RobotsAnswer::AllowAll {
            break;
        }
        // Nothing waits for it.
        assert_eq!((rules, news.wait), (RobotsAnswer::Outage, None));
        assert_eq!(check(&known, "/other", now_ms), Permission::Allowed);
        words(check(&known, "/news", now_ms));
        while check(&known, "/other", now_ms) != Permission::Unknown {
            now_ms += 1_000;
        }
    }
    assert_eq!(check(&known, "/news", now_ms), Permission::Allowed);
    let took = (now_ms - began_ms) / 1_000;
    assert!((600..1_200).contains(&took) && tries < 12, "{took} {tries}");
    // A file that comes back in between holds at once.
    let later = now_ms + DAY_MS;
    read(&mut known, &["2 Disallow: /x"], later);
    tell(
        &mut known,
        RobotsAnswer::AllowAll,
        &[],
        fetch(404, later + 1),
    );
    read(&mut known, &["2 Disallow: /y"], later + 3_000);
    assert_eq!(check(&known, "/x", later + 3_000), Permission::Allowed);
    words(check(&known, "/y", later + 3_000));
    // Where there never were rules there is nothing to believe in.
    let mut other = book();
    let said = tell(&mut other, RobotsAnswer::AllowAll, &[], fetch(403, NOON_MS));
    assert_eq!(said.0, RobotsAnswer::AllowAll);
    let again = tell(
        &mut other,
        RobotsAnswer::AllowAll,
        &[],
        fetch(404, NOON_MS + DAY_MS),
    );
    assert_eq!(again.0, RobotsAnswer::AllowAll);
}

#[test]
fn a_robots_txt_that_only_asks_for_a_delay_is_not_gone_at_once_either() {
    let mut known = book();
    known.apply(&RobotsRecord {
        origin: Some(ORIGIN.into()),
        rules: RobotsAnswer::Parsed,
        crawl_delay_s: Some(10.0),
        fetch: fetch(200, NOON_MS),
        ..RobotsRecord::default()
    });
    let later = NOON_MS + DAY_MS + 1;
    let (rules, news) = tell(&mut known, RobotsAnswer::AllowAll, &[], fetch(403, later));
    assert_eq!(rules, RobotsAnswer::Outage);
    assert_eq!(news.crawl_delay, Some(Duration::from_secs(10)));
    assert_eq!(check(&known, "/x", later), Permission::Allowed);
}
