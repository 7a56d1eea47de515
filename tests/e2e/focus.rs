//! A crawl with a topic: the same way twice, on after a stop, and told why.

use testweb::TestWeb;

use crate::support::{Bench, file, has, page, run, says, stderr, stdout, tamis};

const PAGES: u64 = 120;

fn is_on_topic(number: u64) -> bool {
    number.is_multiple_of(4)
}

fn path(number: u64) -> String {
    let kind = if is_on_topic(number) {
        "railway"
    } else {
        "garden"
    };
    format!("/{kind}-{number}.html")
}

fn title(number: u64) -> String {
    if is_on_topic(number) {
        format!("Railway line {number}: the railway and its trains")
    } else {
        format!("Note {number}")
    }
}

/// Pages about railways among others. A page links to two further ones, and each page to some
/// nearby; anchors are URLs, so that only a URL's words tell.
fn web(hosts: &[&str]) -> TestWeb {
    let mut web = TestWeb::new();
    for host in hosts {
        for number in 0..PAGES {
            let links: Vec<String> = [2 * number + 1, 2 * number + 2, (number * 7 + 4) % PAGES]
                .into_iter()
                .filter(|&next| next < PAGES)
                .map(path)
                .collect();
            web = web.page(
                &format!("http://{host}{}", path(number)),
                &page(&title(number), number + 1, &links),
            );
        }
    }
    web
}

const OPTIONS: [&str; 8] = [
    "--seed",
    "http://a.test/railway-0.html",
    "--topic",
    "railway, trains",
    "--delay",
    "0s",
    "--concurrency",
    "1",
];

fn fetched(bench: &Bench, name: &str) -> Vec<String> {
    let rows = bench.rows(name, "fetches");
    rows.iter()
        .filter_map(|row| row["url"].as_str().map(str::to_owned))
        .collect()
}

fn relevant(urls: &[String]) -> usize {
    urls.iter().filter(|url| url.contains("railway")).count()
}

#[test]
fn a_crawl_on_one_connection_goes_the_same_way_twice() {
    let bench = Bench::serve(web(&["a.test"]));
    let options = [&OPTIONS[..], &["--max-pages", "60"]].concat();
    bench.crawl_to_end("once", &options);
    bench.crawl_to_end("again", &options);
    let once = fetched(&bench, "once");
    assert_eq!(once, fetched(&bench, "again"));
    // A third of the pages at random would bring 15 of the 30 relevant ones.
    assert!(relevant(&once) >= 22, "{once:?}");
}

#[test]
fn a_crawl_that_was_stopped_halfway_finds_as_much() {
    let bench = Bench::serve(web(&["a.test"]));
    let with = |pages: &'static str| [&OPTIONS[..], &["--max-pages", pages]].concat();
    bench.crawl_to_end("whole", &with("50"));
    bench.crawl_to_end("halved", &with("25"));
    bench.crawl_to_end("halved", &with("50"));
    let (whole, halved) = (fetched(&bench, "whole"), fetched(&bench, "halved"));
    assert_eq!(whole.len(), halved.len());
    assert_eq!(whole[..20], halved[..20]);
    assert!(
        relevant(&whole).abs_diff(relevant(&halved)) <= 2,
        "{whole:?}\n{halved:?}"
    );
    bench.check("halved");
}

#[test]
fn a_crawl_ends_soon_after_a_small_topic_was_found() {
    let mut web = TestWeb::new();
    let railway = |number: u64| format!("/railway-{number}.html");
    let garden = |number: u64| format!("/garden-{number}.html");
    for number in 0..90 {
        let mut links: Vec<String> = (1..4).map(|step| railway((number + step) % 90)).collect();
        links.push(garden(number));
        let title = format!("Railway line {number}: the railway and its trains");
        let url = format!("http://a.test{}", railway(number));
        web = web.page(&url, &page(&title, number, &links));
    }
    for number in 0..300 {
        let links: Vec<String> = (1..4)
            .map(|step| garden((number * 3 + step) % 300))
            .collect();
        let title = format!("Note {number}");
        let url = format!("http://a.test{}", garden(number));
        web = web.page(&url, &page(&title, 100 + number, &links));
    }
    let bench = Bench::serve(web);
    let crawl = |name: &str, stop: &str| {
        let config = file(
            bench.dir.path(),
            &format!("{name}.toml"),
            &format!(
                "[seeds]\nurls = [\"http://a.test/railway-0.html\"]\n[topic]\n\
                 keywords = [\"railway\", \"trains\"]\n\
                 examples = [\"http://a.test/railway-7.html\", \"http://a.test/railway-19.html\"]\n\
                 {stop}[politeness]\ndelay = \"0s\"\n[crawl]\nconcurrency = 1\n"
            ),
        );
        bench.crawl_to_end(name, &[&config]);
        fetched(&bench, name)
    };
    let urls = crawl("ends", "");
    assert_eq!(relevant(&urls), 90);
    assert!(urls.len() < 240, "{}", urls.len());
    let report = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("ends"))));
    assert!(report.contains("little is left to find: about"), "{report}");
    // Carried on as it is, it soon ends again.
    let more = crawl("ends", "");
    assert!(more.len() < urls.len() + 5, "{}", more.len());
    assert_eq!(crawl("goes-on", "stop_harvest = 0.0\n").len(), 390);
}

/// A site on railways and gardens whose pages have the words of their subjects.
fn site_of_subjects() -> TestWeb {
    let of_subject = |number: u64| {
        let words = match is_on_topic(number) {
            true => {
                "railway locomotive station boiler signal platform carriage driver whistle timetable"
            }
            false => "garden tulip border compost seedling orchard hedge trowel blossom greenhouse",
        };
        let words: Vec<&str> = words.split(' ').collect();
        let text = (0..60).map(|at| words[(at * at + at / 7 + number as usize) % words.len()]);
        let text = text.map(|word| format!("{word} of {number} "));
        let next = [2 * number + 1, 2 * number + 2, (number * 7 + 4) % PAGES];
        let links = next.into_iter().filter(|&next| next < PAGES).map(path);
        let links = links.map(|path| format!("<a href=\"{path}\">{path}</a> "));
        format!(
            "<title>{}</title><p>{}.</p>{}",
            title(number),
            text.collect::<String>(),
            links.collect::<String>()
        )
    };
    (0..PAGES).fold(TestWeb::new(), |site, number| {
        site.page(
            &format!("http://a.test{}", path(number)),
            &of_subject(number),
        )
    })
}

#[test]
fn a_topic_of_examples_that_are_urls_is_crawled() {
    let bench = Bench::serve(site_of_subjects());
    let config = |name: &str, topic: &str| {
        let text = format!(
            "[seeds]\nurls = [\"http://a.test/railway-0.html\"]\n[topic]\n{topic}\n\
             [politeness]\ndelay = \"0s\"\n[crawl]\nconcurrency = 1\nmax_pages = 60\n"
        );
        file(bench.dir.path(), &format!("{name}.toml"), &text)
    };
    let examples =
        "examples = [\"http://a.test/railway-8.html\", \"http://a.test/railway-20.html\"]";
    for (name, topic) in [
        ("alone", examples.to_owned()),
        ("without", format!("keywords = [\"-tulip\"]\n{examples}")),
    ] {
        let config = config(name, &topic);
        run(&mut tamis(&["config", "check", &config]));
        run(&mut tamis(&["topic", "check", &config]));
        bench.crawl_to_end(name, &[&config]);
        let kept = bench.rows(name, "indexed");
        let urls = kept.iter().filter_map(|row| row["url"].as_str());
        let (on, off): (Vec<_>, Vec<_>) = urls.partition(|url| url.contains("railway"));
        assert!(on.len() > 2 * off.len(), "{on:?} {off:?}");
        bench.check(name);
    }
    let config = config("gone", "examples = [\"http://a.test/nowhere.html\"]");
    let words = [
        "none of the topic's example pages could be read",
        "http://a.test/nowhere.html",
        "name other example pages",
    ];
    let ended = bench.crawl("gone", &[&config]).output().expect("runs");
    says(&ended, 1, &words);
    let report = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("gone"))));
    has(&report, &words[..2]);
    let report = run(tamis(&["report", "--lang", "zh"]).arg(bench.crawl_dir("gone")));
    has(&stdout(&report), &["主题的示例网页一个也没能读到"]);
    let page = file(bench.dir.path(), "page.txt", "A page of some words.");
    let check = tamis(&["topic", "check", &config, &page]).output();
    says(&check.expect("runs"), 2, &["--example"]);
    bench.check("gone");
}

#[test]
fn examples_alone_teach_a_crawl_that_has_read_them_already() {
    let bench = Bench::serve(site_of_subjects());
    let crawl = |topic: &str, max: u64| {
        let text = format!(
            "[seeds]\nurls = [\"http://a.test/railway-0.html\"]\n{topic}[politeness]\ndelay = \"0s\"\n[crawl]\n\
             concurrency = 1\nmax_pages = {max}\n"
        );
        let config = file(bench.dir.path(), &format!("{max}.toml"), &text);
        bench.crawl_to_end("known", &[&config, "--yes"]);
        fetched(&bench, "known")
    };
    let before = crawl("", 40);
    let read = [
        "http://a.test/railway-8.html",
        "http://a.test/railway-20.html",
    ];
    assert!(
        read.iter()
            .all(|example| before.iter().any(|url| url == example)),
        "{before:?}"
    );
    let topic = format!("[topic]\nexamples = {read:?}\n");
    let after = crawl(&topic, 70);
    assert_eq!(after[..40], before[..]);
    assert_eq!(after.len(), 70);
    for page in &bench.rows("known", "pages")[40..] {
        let url = page["url"].as_str().expect("a URL");
        let relevance = page["relevance"].as_f64().expect("it was judged");
        assert_eq!(relevance > 0.5, url.contains("railway"), "{page}");
    }
    bench.check("known");
}

#[test]
fn a_mirror_is_left_alone_once_it_is_known_for_one_and_no_page_is_lost() {
    let bench = Bench::serve(web(&["a.test", "mirror.test"]));
    let seeds = [
        "--seed",
        "http://a.test/railway-0.html",
        "--seed",
        "http://mirror.test/railway-0.html",
        "--delay",
        "0s",
    ];
    bench.crawl_to_end("both", &seeds);
    let urls = fetched(&bench, "both");
    let of = |host: &str| {
        let urls = urls.iter().filter(|url| url.contains(host));
        urls.filter(|url| url.ends_with(".html")).count()
    };
    assert_eq!(of("//a.test/"), PAGES as usize);
    // How soon the mirror is known, and so how much is saved, depends on which host answers first.
    assert!(
        of("//mirror.test/") < PAGES as usize,
        "{}",
        of("//mirror.test/")
    );
    bench.check("both");
    let report = run(tamis(&["report", "--format", "json"]).arg(bench.crawl_dir("both")));
    let report: serde_json::Value = serde_json::from_str(&stdout(&report)).expect("JSON");
    let foreseen = &report["duplicates"]["foreseen"];
    assert!(foreseen["saved"].as_u64() >= Some(1), "{foreseen}");
    assert_eq!(foreseen["probe_errors"], 0);
}

/// A configuration for a site that links to its mirror.
fn with_a_mirror(bench: &Bench) -> String {
    file(
        bench.dir.path(),
        "mirror.toml",
        "[seeds]\nurls = [\"http://a.test/railway-0.html\"]\n[scope]\nhosts = [\"a.test\", \"mirror.test\"]\n\
         [politeness]\ndelay = \"0s\"\n[crawl]\nconcurrency = 1\n\
         [dedup]\npredicted_duplicates = \"refuse\"\n",
    )
}

/// Nobody names this mirror: the pages of the site link to it.
#[test]
fn a_mirror_that_is_linked_is_found_out_and_a_stop_halfway_loses_no_page() {
    let mut web = web(&["mirror.test"]);
    for number in 0..PAGES {
        let next = [2 * number + 1, 2 * number + 2];
        let here = next.iter().filter(|&&next| next < PAGES);
        let mut links: Vec<String> = here.map(|&next| path(next)).collect();
        links.push(format!("http://mirror.test{}", path(number)));
        let url = format!("http://a.test{}", path(number));
        web = web.page(&url, &page(&title(number), number + 1, &links));
    }
    let bench = Bench::serve(web);
    let config = with_a_mirror(&bench);
    bench.crawl_to_end("linked", &[&config, "--max-pages", "90"]);
    bench.crawl_to_end("linked", &[&config, "--max-pages", "0"]);
    let urls = fetched(&bench, "linked");
    let of = |host: &str| urls.iter().filter(|url| url.contains(host)).count();
    assert_eq!(of("//a.test/"), PAGES as usize);
    assert!(of("//mirror.test/") * 5 <= 4 * PAGES as usize, "{urls:?}");
    bench.check("linked");
}

/// A host that repeats another one, page by page, up to a page; from there on its pages are its own.
#[test]
fn a_rule_found_wrong_is_lifted_and_what_was_held_back_or_refused_for_it_is_fetched() {
    const PAGES: u64 = 240;
    const COPIES: u64 = 120;
    let mut web = TestWeb::new();
    for number in 0..PAGES {
        let next = [2 * number + 1, 2 * number + 2];
        let here = next.iter().filter(|&&next| next < PAGES);
        // Only the site's pages lead to the other host.
        let mut links: Vec<String> = here.map(|&next| path(next)).collect();
        let url = format!("http://mirror.test{}", path(number));
        let own = number + 1 + if number < COPIES { 0 } else { 1_000 };
        web = web.page(&url, &page(&title(own - 1), own, &[]));
        links.push(url);
        let url = format!("http://a.test{}", path(number));
        web = web.page(&url, &page(&title(number), number + 1, &links));
    }
    let bench = Bench::serve(web);
    let config = with_a_mirror(&bench);
    bench.crawl_to_end("half", &[&config]);
    let urls = fetched(&bench, "half");
    let fetched = |number| urls.contains(&format!("http://mirror.test{}", path(number)));
    let lost: Vec<u64> = (COPIES..PAGES).filter(|&number| !fetched(number)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let report = run(tamis(&["report", "--format", "json"]).arg(bench.crawl_dir("half")));
    let report: serde_json::Value = serde_json::from_str(&stdout(&report)).expect("JSON");
    let foreseen = &report["duplicates"]["foreseen"];
    assert!(foreseen["put_back"].as_u64() > Some(0), "{foreseen}");
    assert_eq!(report["totals"]["pending"], 0);
    bench.check("half");
    // A start later, all of it is known from the journal: nothing is put back twice.
    bench.crawl_to_end("half", &[&config]);
    assert_eq!(self::fetched(&bench, "half"), urls);
    bench.check("half");
}

/// Items stand under their categories and in one list of products, which they name.
#[test]
fn copies_that_name_their_original_are_skipped_and_no_original_is_lost() {
    let mut web = TestWeb::new();
    for number in 0..PAGES {
        let next = [2 * number + 1, 2 * number + 2];
        let here = next.iter().filter(|&&next| next < PAGES);
        let links: Vec<String> = here
            .flat_map(|next| {
                [
                    format!("/products{}", path(*next)),
                    format!("/garden{}", path(*next)),
                ]
            })
            .collect();
        let original = format!("http://a.test/products{}", path(number));
        let head = format!("<head><link rel=\"canonical\" href=\"{original}\">");
        let html = page(&title(number), number + 1, &links).replace("<head>", &head);
        web = web.page(&original, &html);
        web = web.page(&format!("http://a.test/garden{}", path(number)), &html);
    }
    let bench = Bench::serve(web);
    let seed = [
        "--seed",
        "http://a.test/products/railway-0.html",
        "--delay",
        "0s",
    ];
    let refuse = "[dedup]\npredicted_duplicates = \"refuse\"\n";
    let config = file(bench.dir.path(), "refuse.toml", refuse);
    let options = [&[&*config], &seed[..], &["--concurrency", "1"]].concat();
    bench.crawl_to_end("named", &options);
    let urls = fetched(&bench, "named");
    let of = |form: &str| urls.iter().filter(|url| url.contains(form)).count();
    assert_eq!(of("/products/"), PAGES as usize);
    assert!(of("/garden/") * 2 < PAGES as usize, "{urls:?}");
    let told = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("named"))));
    has(&told, &["names http://a.test/products/… as canonical"]);
    bench.check("named");
}

/// Site and mirror each under a session of its own: no URL of the one is one of the other's, and
/// none of either is read twice.
#[test]
fn a_mirror_with_session_ids_of_its_own_is_left_alone_too() {
    const PAGES: u64 = 400;
    let mut web = TestWeb::new();
    for (host, session) in [("a.test", "5fa1"), ("mirror.test", "9c0e")] {
        for number in 0..PAGES {
            let next = [2 * number + 1, 2 * number + 2];
            let here = next.iter().filter(|&&next| next < PAGES);
            let links: Vec<String> = here
                .map(|&n| format!("{}?sid={session}", path(n)))
                .collect();
            let url = format!("http://{host}{}?sid={session}", path(number));
            web = web.page(&url, &page(&title(number), number + 1, &links));
        }
    }
    let bench = Bench::serve(web);
    let seeds = [
        "--seed",
        "http://a.test/railway-0.html?sid=5fa1",
        "--seed",
        "http://mirror.test/railway-0.html?sid=9c0e",
        "--delay",
        "0s",
        "--concurrency",
        "1",
    ];
    let refuse = "[dedup]\npredicted_duplicates = \"refuse\"\nidle_parameters = \"refuse\"\n";
    let config = file(bench.dir.path(), "refuse.toml", refuse);
    bench.crawl_to_end("sessions", &[&[&*config], &seeds[..]].concat());
    let urls = fetched(&bench, "sessions");
    let of = |host: &str| {
        let urls = urls.iter().filter(|url| url.contains(host));
        urls.filter(|url| url.contains(".html")).count()
    };
    assert_eq!(of("//a.test/"), PAGES as usize);
    assert!(
        of("//mirror.test/") * 2 <= PAGES as usize,
        "{}",
        of("//mirror.test/")
    );
    bench.check("sessions");
}

#[test]
fn a_check_tells_of_keywords_that_say_little() {
    let dir = tempfile::tempdir().expect("a directory");
    let topic = "[topic]\nkeywords = [\"it\", \"IT\", \"茶\", \"railway\"]\n";
    let config = file(dir.path(), "topic.toml", topic);
    let words = [
        "\"it\" is among the",
        "\"IT\" counts in capitals",
        "\"茶\" has one character",
    ];
    let check = tamis(&["topic", "check", &config]).output().expect("runs");
    says(&check, 0, &words);
    let json = stdout(&run(&mut tamis(&["topic", "check", "--json", &config])));
    let row: serde_json::Value = serde_json::from_str(json.trim()).expect("JSON");
    assert_eq!(row["keywords_doubtful"].as_array().map(Vec::len), Some(3));
    let check = run(&mut tamis(&["config", "check", &config]));
    has(&stdout(&check), &words);
}

#[test]
fn a_topic_check_shows_terms_scores_and_why() {
    let dir = tempfile::tempdir().expect("a directory");
    let config = file(
        dir.path(),
        "topic.toml",
        "[topic]\nkeywords = [\"railway^2\"]\nexamples = [\"example.txt\"]\n",
    );
    let about = "Steam locomotive and railway: the boiler, the track, the signal and the station. ";
    file(dir.path(), "example.txt", &about.repeat(8));
    let good = file(dir.path(), "good.txt", &format!("Railway track\n{about}"));
    let bad = file(dir.path(), "bad.txt", "Bread is made of flour and water.");
    let output = run(&mut tamis(&["topic", "check", "--json", &config, &good]));
    let rows: Vec<serde_json::Value> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(rows[0]["terms"][0]["from"], "keyword");
    let terms = rows[0]["terms"].as_array().expect("terms");
    assert!(
        terms
            .iter()
            .any(|term| term["term"] == "boiler" && term["from"] == "examples")
    );
    assert_eq!(rows[1]["on_topic"], true);
    let why = rows[1]["why"].as_array().expect("parts");
    let named: f64 = why
        .iter()
        .filter_map(|part| part["log_odds"].as_f64())
        .sum();
    let all = named + rows[1]["constant"].as_f64().expect("a constant part");
    let relevance = rows[1]["relevance"].as_f64().expect("a probability");
    assert!(
        !why.is_empty() && (1.0 / (1.0 + (-all).exp()) - relevance).abs() < 1e-3,
        "{}",
        rows[1]
    );
    let output = tamis(&["topic", "check", &config, &bad])
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(1), "a page is off topic");
    assert!(stdout(&output).contains("off topic"));
}

#[test]
fn a_replay_compares_orders_and_explain_says_why_a_link_went_first() {
    let bench = Bench::serve(web(&["a.test"]));
    bench.crawl_to_end("crawl", &OPTIONS);
    let output = run(tamis(&["replay", "--json", "--max-pages", "40"])
        .args([
            "--strategy",
            "bfs",
            "--strategy",
            "best-first",
            "--strategy",
            "tamis",
        ])
        .arg(bench.crawl_dir("crawl")));
    let rows: Vec<serde_json::Value> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let mean = |at: usize| rows[at]["mean_harvest"].as_f64().expect("a number");
    assert_eq!(rows[2]["strategy"], "tamis");
    assert_eq!(rows[2]["pages"], 40);
    assert!(mean(2) > mean(0) + 0.1, "{rows:?}");
    let of_oracle = |at: usize| rows[at]["of_oracle"].as_f64().expect("a number");
    assert!(
        of_oracle(2) > of_oracle(0) && of_oracle(2) <= 1.0,
        "{rows:?}"
    );
    assert_eq!(rows[2]["not_archived"], 0);
    let said = stderr(&output);
    assert!(said.contains("the crawl's report counts"), "{said}");
    let last = fetched(&bench, "crawl").pop().expect("a page");
    let output = run(tamis(&["explain", "--json"])
        .arg(bench.crawl_dir("crawl"))
        .arg(last));
    let story: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let focus = &story["focus"];
    for promise in [&focus["promise"], &focus["found"]["promise"]] {
        let why = promise["why"].as_array();
        assert!(why.is_some_and(|why| !why.is_empty()), "{story}");
    }
    // One connection: the model is where it was.
    let asked_again = focus["promise"]["score"].as_f64().expect("a number");
    let said = focus["priority"].as_f64().expect("a number");
    assert!((asked_again - said).abs() < 0.1, "{focus}");
    assert!(focus["reward"].as_f64().is_some() && story["siblings"]["read"].as_u64() > Some(0));
}

#[test]
fn a_topic_is_tried_out_on_a_crawl_that_had_none() {
    let bench = Bench::serve(web(&["a.test"]));
    let seed = ["--seed", "http://a.test/railway-0.html", "--delay", "0s"];
    bench.crawl_to_end("plain", &[&seed[..], &["--max-pages", "100"]].concat());
    let replay = |more: &[&str]| {
        let mut command = tamis(&["replay", "--strategy", "tamis", "--strategy", "bfs"]);
        command.args(more).arg(bench.crawl_dir("plain"));
        command.output().expect("runs")
    };
    says(&replay(&[]), 2, &["without a topic", "--topic CONFIG"]);
    let topic = file(
        bench.dir.path(),
        "topic.toml",
        "[topic]\nkeywords = [\"railway\", \"trains\"]\nexamples = [\"http://a.test/nowhere.html\"]\n",
    );
    let output = replay(&["--topic", &topic]);
    let (told, notes) = (stdout(&output), stderr(&output));
    has(
        &told,
        &["100 pages of the crawl, ", "of the oracle's", "oracle"],
    );
    has(
        &notes,
        &[
            "the example http://a.test/nowhere.html teaches nothing here: it is not among the pages",
            "URLs that the crawl may follow were not fetched",
        ],
    );
}

#[test]
fn a_link_that_waits_is_explained_by_what_is_known_now() {
    let bench = Bench::serve(web(&["a.test"]));
    bench.crawl_to_end("short", &[&OPTIONS[..], &["--max-pages", "20"]].concat());
    let read: Vec<String> = fetched(&bench, "short");
    let links = bench.rows("short", "links");
    let mut waits = links.iter().rev().filter_map(|link| link["to"].as_str());
    let waits = waits.find(|url| !read.iter().any(|read| read == url));
    let output = run(tamis(&["explain"])
        .arg(bench.crawl_dir("short"))
        .arg(waits.expect("a link that waits")));
    let told = stdout(&output);
    for words in [
        "waiting for its turn",
        "Why the link promised",
        "Why it waits",
        "relevant and new",
    ] {
        assert!(told.contains(words), "{told}");
    }
}
