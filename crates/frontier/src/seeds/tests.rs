use super::options::is_date;
use super::*;

#[test]
fn a_list_with_comments_options_and_crlf_is_read() {
    let list = "\u{feff}# seeds\r\nhttps://postgres.fun/\r\n\r\nhttps://b.example/x   depth=3 pages=500 # why\r\nsitemap:https://c.example/s.xml since=2025-01-01\r\n";
    let (seeds, problems) = parse_seeds("s.txt", list.as_bytes());
    assert_eq!(problems, []);
    assert_eq!(seeds.len(), 3);
    assert_eq!((seeds[1].depth, seeds[1].pages), (Some(3), Some(500)));
    assert!(seeds[2].sitemap && seeds[2].since.is_some());
    assert_eq!(seeds[2].source, "s.txt:5");
}

#[track_caller]
fn problem(line: &str, column: usize, words: &str) {
    let (seeds, problems) = parse_seeds("s.txt", line.as_bytes());
    assert_eq!((seeds.len(), problems.len()), (0, 1), "{line}");
    assert_eq!(problems[0].column, column, "{line}");
    assert!(problems[0].to_string().contains(words), "{}", problems[0]);
}

#[test]
fn every_bad_line_is_told_with_its_column_and_mend() {
    problem("example.org", 1, "https://example.org");
    problem("https://a.example/ dept=3", 20, "did you mean depth?");
    problem("https://a.example/ depth=x", 20, "such as depth=3");
    problem(
        "https://a.example/ scope=hots",
        20,
        "host, domain, prefix or any",
    );
    problem("https://a.example/ priority=7", 20, "0.0 to 1.0");
    problem("ftp://a.example/", 1, "neither http nor https");
    problem(
        "https://a.example/数据库，",
        22,
        "take it away, or write %EF%BC%8C",
    );
    problem("https://a.example/ depth＝2", 20, "write depth=2");
}

#[test]
fn the_same_url_twice_is_one_seed() {
    let (seeds, problems) = parse_seeds("s.txt", b"http://A.example:80/#x\nhttp://a.example/\n");
    assert_eq!((seeds.len(), problems.len()), (1, 0));
}

#[test]
fn a_duplicate_is_told_with_the_line_that_counts() {
    let list = parse_seed_list(
        "s.txt",
        b"http://a.example/\n\nHTTP://A.example:80 depth=2\n",
    );
    assert_eq!((list.seeds.len(), list.problems.len()), (1, 0));
    assert_eq!(
        (list.duplicates[0].line, list.duplicates[0].first_line),
        (3, 1)
    );
}

#[test]
fn every_problem_of_a_line_is_told_at_once() {
    let (_, problems) = parse_seeds(
        "s.txt",
        "例子.中国 depth=x depth=1 since=2025-13".as_bytes(),
    );
    let columns: Vec<usize> = problems.iter().map(|problem| problem.column).collect();
    assert_eq!(columns, [1, 7, 15, 23]);
}

#[test]
fn blanks_around_the_sign_are_told_once_and_a_missing_host_as_that() {
    for line in ["scope = host", "scope =host", "scope= host"] {
        let list = format!("https://a.example/ {line} depth=2\n");
        let (_, problems) = parse_seeds("s.txt", list.as_bytes());
        assert_eq!(problems.len(), 1, "{line}: {problems:?}");
        assert_eq!(
            (problems[0].column, problems[0].mend.as_str()),
            (20, "write scope=host")
        );
    }
    problem("https://a.example/ scope", 20, "keys:");
    problem("http://", 1, "the host is missing: write http://HOST/");
    problem("htps://", 1, "the host is missing: write https://HOST/");
    problem("http//x.org/", 1, "did you mean http://x.org/?");
    problem("http：／／x.org/", 1, "did you mean http://x.org/?");
    problem(
        "127.0.0.1:80",
        1,
        "write it with its scheme: http://127.0.0.1:80",
    );
}

#[test]
fn what_was_meant_is_guessed() {
    problem("htp://a.example/x", 1, "did you mean http://a.example/x?");
    problem("https://a.example/ Scope=host", 20, "did you mean scope?");
    problem("https://user:word@a.example/", 1, "remove user name");
    problem("sitemap: ", 9, "right after the colon");
    problem("https://a.example/\u{3000}depth=1", 19, "U+3000");
    problem("https://a.example/ https://b.example/", 20, "key");
}

#[test]
fn a_hint_never_repeats_the_mistake() {
    for (line, mend) in [
        ("http://localhost:99999/", "a port is a number up to 65535"),
        ("http://a.example:80x/", "a port is a number up to 65535"),
        ("http://256.1.1.1/", "four numbers up to 255"),
        ("http://[::1/", "stands in brackets"),
        ("mailto:a@b", "write an absolute http or https URL"),
        ("javascript:void(0)", "write an absolute http or https URL"),
        (
            "\"https://a.example/\"",
            "take the quotes away: write https://a.example/",
        ),
        (
            "“https://a.example/”",
            "take the quotes away: write https://a.example/",
        ),
        (
            "<https://a.example/x>",
            "take the quotes away: write https://a.example/x",
        ),
        (
            "localhost:8080/x",
            "write it with its scheme: http://localhost:8080/x",
        ),
    ] {
        problem(line, 1, mend);
        let (_, problems) = parse_seeds("s.txt", line.as_bytes());
        assert!(
            !problems[0].mend.contains(line) || line.starts_with("localhost"),
            "{}",
            problems[0]
        );
    }
}

#[test]
fn full_width_signs_that_join_are_told() {
    // Each was one URL with a long path.
    problem(
        "http://a.example/，http://b.example/",
        18,
        "write one URL a line",
    );
    problem(
        "https://a.example/q、HTTPS://b.example/",
        20,
        "joins two URLs",
    );
    problem(
        "https://a.example/q，depth=2",
        20,
        "write a blank between them: https://a.example/q depth=2",
    );
    problem(
        "https://a.example/q；since＝2025",
        20,
        "https://a.example/q since=2025",
    );
    let (seeds, problems) = parse_seeds("s.txt", "https://a.example/你好，世界=1".as_bytes());
    assert_eq!((seeds.len(), problems), (1, Vec::new()));
}

#[test]
fn days_are_those_of_the_calendar() {
    for day in [
        "2025",
        "2025-02",
        "2025-02-28",
        "2024-02-29",
        "2000-02-29",
        "2025-12-31",
    ] {
        assert!(is_date(day), "{day}");
    }
    for day in [
        "2025-02-30",
        "2025-02-29",
        "1900-02-29",
        "2025-04-31",
        "2025-13",
        "2025-00",
        "2025-1-01",
        "2025-01-00",
    ] {
        assert!(!is_date(day), "{day}");
    }
    problem(
        "https://a.example/ since=2025-02-30",
        20,
        "a date of the calendar",
    );
}

#[test]
fn lists_that_are_no_lists_cost_little() {
    assert_eq!(parse_seeds("s.txt", b"\xff\xfeh\0t\0").1.len(), 1);
    assert_eq!(
        parse_seeds("s.txt", &b"\xff\n".repeat(5_000)).1.len(),
        PROBLEMS_MAX + 1
    );
    assert_eq!(parse_seeds("s.txt", &[b'a'; 100_000]).1.len(), 1);
}

#[test]
fn internationalised_hosts_are_read() {
    let (seeds, _) = parse_seeds("s.txt", "https://例子.中国/数据库#top # 中文".as_bytes());
    assert_eq!(seeds[0].url.host().as_str(), "xn--fsqu00a.xn--fiqs8s");
}

proptest::proptest! {
    #[test]
    fn no_list_panics_and_no_line_is_lost(lines in proptest::collection::vec("(https?://a.example/\\PC{0,3}|#)?\\PC{0,12}( depth=\\PC?)?", 0..6)) {
        let text = lines.join("\n");
        let list = parse_seed_list("s.txt", text.as_bytes());
        let used = text.lines().filter(|line| words(without_comment(line)).next().is_some()).count();
        let mut told: Vec<usize> = list.problems.iter().map(|problem| problem.line).collect();
        told.dedup();
        proptest::prop_assert_eq!(used, list.seeds.len() + list.duplicates.len() + told.len());
        for problem in &list.problems {
            let _ = problem.to_string();
        }
    }
}

#[test]
fn bytes_that_are_not_utf8_are_told() {
    let (_, problems) = parse_seeds("s.txt", b"http://a.example/\xff\n");
    assert_eq!((problems[0].line, problems[0].column), (1, 18));
}

#[test]
fn a_packed_list_is_told_once_by_its_form() {
    // Each line of it was told as no UTF-8.
    for (bytes, form) in [
        (&b"\x1F\x8B\x08\x00\xFF\n\xFE\n\xFF"[..], "gzip"),
        (b"PK\x03\x04\xFF\n\xFF", "a zip file"),
        (b"BZh91AY&SY\xFF\n\xFF", "bzip2"),
    ] {
        let (seeds, problems) = parse_seeds("list", bytes);
        assert!(seeds.is_empty());
        assert_eq!(problems.len(), 1, "{form}");
        assert_eq!(problems[0].message, format!("the list is {form}"));
    }
    let (_, problems) = parse_seeds("list", b"BZh.example/");
    assert!(!problems[0].message.contains("bzip2"));
}
