//! What never ends costs little, however often the crawl is started again.

use testweb::{Response, TestWeb};

use crate::support::{Bench, file, page, run, stdout, tamis};

/// Pages of the sites with login forms.
const PAGES: usize = 120;

/// A month of a calendar that goes on for ever, or one of its days.
fn calendar(path: &str) -> Response {
    let mut numbers = path.split('/').filter_map(|part| part.parse::<u32>().ok());
    let (year, month) = (numbers.next().unwrap_or(2026), numbers.next().unwrap_or(11));
    let at = |months: u32| format!("/calendar/{}/{:02}/", months / 12, months % 12 + 1);
    let months = year * 12 + month - 1;
    let days: String = (1..29)
        .map(|day| format!("<td><a href=\"/calendar/{year}/{month:02}/{day:02}\">{day}</a></td>"))
        .collect();
    Response::html(format!(
        "<title>Calendar</title><h1>{path}</h1><a href=\"{}\">previous</a><a href=\"{}\">next</a>\
         <table><tr>{days}</tr></table><p>No events.</p>",
        at(months - 1),
        at(months + 1)
    ))
}

#[test]
fn a_calendar_costs_less_than_a_hundred_fetches_over_many_starts_and_is_named() {
    let links = ["/calendar/2026/11/".to_string(), "/old".into()];
    let web = TestWeb::new()
        .host("a.test", |request| match request.path.as_str() {
            "/old" => Response::redirect(301, "/moved"),
            "/moved" => Response::html(page("Moved", 2, &[])),
            path => calendar(path),
        })
        .page("http://a.test/", &page("Front", 1, &links));
    let bench = Bench::serve(web);
    let options = ["--seed", "http://a.test/", "--delay", "0", "--max-pages"];
    for pages in ["10", "25", "40", "55", "70", "0"] {
        bench.crawl_to_end("calendar", &[options.as_slice(), &[pages]].concat());
    }
    bench.check("calendar");
    let log = bench.web.log();
    let fetched = log
        .iter()
        .filter(|entry| entry.target.starts_with("/calendar/"))
        .count();
    assert!((20..100).contains(&fetched), "{fetched}");
    assert!(log.iter().any(|entry| entry.target == "/moved"));
    let told = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("calendar"))));
    assert!(
        told.contains("left alone") && told.contains("calendar: "),
        "{told}"
    );
}

/// What a login form answers.
#[derive(Debug, Clone, Copy)]
enum Login {
    Thin,
    Same,
    Wall,
    Forbidden,
    Redirect,
}

const LOGINS: [Login; 5] = [
    Login::Thin,
    Login::Same,
    Login::Wall,
    Login::Forbidden,
    Login::Redirect,
];

/// A text as it stands in the value of a parameter.
fn escaped(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric();
    let bytes = text.bytes().map(|byte| match plain(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    bytes.collect()
}

/// A site of pages in a tree, each with a link to a login form that is to lead back; the form has one, too,
/// where it is `nested`.
fn with_login(kind: Login, nested: bool) -> TestWeb {
    TestWeb::new().host("a.test", move |request| {
        let back = format!("/login?next={}", escaped(&request.target()));
        if request.path == "/login" {
            let links: Vec<String> = nested.then_some(back).into_iter().collect();
            return match (kind, request.parameter("next")) {
                (Login::Same, _) | (Login::Redirect, None) => Response::html(page("Log in", 7, &links)),
                (Login::Redirect, Some(_)) => Response::redirect(302, "/login"),
                (Login::Forbidden, _) => Response::error(403),
                (Login::Thin, _) => {
                    let link: String = links.iter().map(|to| format!("<a href=\"{to}\">x</a>")).collect();
                    Response::html(format!("<title>Log in</title><p>Log in.{link}"))
                }
                (Login::Wall, _) => Response::html(
                    "<title>Log in</title><p>Please log in to continue.</p><form method=post><input name=user>\
                     <input type=password name=pw><button>Log in</button></form>",
                ),
            };
        }
        let number: Option<usize> = match request.path.as_str() {
            "/" => Some(0),
            path => path.strip_prefix("/a/").and_then(|number| number.parse().ok()),
        };
        let Some(number) = number.filter(|number| *number < PAGES) else {
            return Response::not_found();
        };
        let children = (2 * number + 1..2 * number + 3).filter(|child| *child < PAGES);
        let links: Vec<String> = children.map(|child| format!("/a/{child}")).chain([back]).collect();
        Response::html(page(&format!("Page {number}"), number as u64 + 100, &links))
    })
}

/// Requests of a crawl to its end that go to a path, and how many there were.
fn requests_to(bench: &Bench, name: &str, path: &str) -> (usize, usize) {
    bench.web.clear_log();
    bench.crawl_to_end(name, &["--seed", "http://a.test/", "--delay", "0"]);
    bench.check(name);
    let log = bench.web.log();
    let there = log.iter().filter(|entry| entry.target.starts_with(path));
    (there.count(), log.len())
}

#[test]
fn a_login_form_with_another_way_back_on_each_page_costs_few_requests() {
    for kind in LOGINS {
        // Every page had one of its own, and each was asked for.
        let bench = Bench::serve(with_login(kind, false));
        let (logins, all) = requests_to(&bench, "flat", "/login");
        assert!((12..40).contains(&logins), "{kind:?}: {logins} of {all}");
        let pages = bench.pages("flat");
        let read = pages.iter().filter(|(url, _)| url.contains("/a/")).count();
        assert_eq!(read, PAGES - 1, "{kind:?}");
        let (url, _) = pages
            .iter()
            .find(|(_, fate)| fate == "refused")
            .expect("a refusal");
        let told = stdout(&run(tamis(&["explain"])
            .arg(bench.crawl_dir("flat"))
            .arg(url)));
        assert!(
            told.contains("a.test/login?next=… leads nowhere new"),
            "{told}"
        );
        let told = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("flat"))));
        assert!(
            told.contains("a.test/login?next=… leads nowhere new"),
            "{told}"
        );
    }
}

#[test]
fn a_login_form_that_leads_back_to_itself_is_not_asked_for_within_itself() {
    for kind in [Login::Thin, Login::Same] {
        let bench = Bench::serve(with_login(kind, true));
        let (logins, all) = requests_to(&bench, "nested", "/login");
        assert!((12..40).contains(&logins), "{kind:?}: {logins} of {all}");
        let told = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("nested"))));
        assert!(told.contains("nested url: "), "{told}");
    }
}

/// A page of its own from the thirtieth value on; all values before have one page.
fn shown(number: usize) -> Response {
    let own = if number < 30 { 7 } else { 1_000 + number };
    Response::html(page(&format!("Item {own}"), own as u64, &[]))
}

/// A board of topics, each with links to reply to it and to report it, and to what is said of it, which every
/// `said` one has.
fn with_deeds(said: usize) -> TestWeb {
    TestWeb::new().host("a.test", move |request| {
        let number = request
            .parameter("t")
            .and_then(|number| number.parse::<usize>().ok());
        match (request.path.as_str(), number) {
            ("/", _) => {
                let topics: Vec<String> = (0..PAGES).map(|at| format!("/topic?t={at}")).collect();
                Response::html(page("Board", 1, &topics))
            }
            ("/topic", Some(at)) if at < PAGES => {
                let deeds = ["post?mode=reply&", "report?", "said?"];
                let links: Vec<String> = deeds.map(|deed| format!("/{deed}t={at}")).into();
                Response::html(page(&format!("Topic {at}"), at as u64 + 100, &links))
            }
            ("/post" | "/report", _) => Response::redirect(302, "/login"),
            ("/login", _) => Response::html(page("Log in", 7, &[])),
            ("/said", Some(at)) if at % said == said - 1 => {
                Response::html(page(&format!("Said of {at}"), at as u64 + 1_000, &[]))
            }
            ("/said", _) => Response::html("<p>Nothing was said.</p>"),
            _ => Response::not_found(),
        }
    })
}

#[test]
fn what_is_done_to_pages_that_were_read_costs_few_requests_and_what_is_said_of_them_is_read() {
    let bench = Bench::serve(with_deeds(30));
    let (posts, all) = requests_to(&bench, "deeds", "/post");
    assert!((12..40).contains(&posts), "{posts} of {all}");
    let log = bench.web.log();
    let reports = log
        .iter()
        .filter(|entry| entry.target.starts_with("/report"));
    assert!((12..40).contains(&reports.count()));
    let pages = bench.pages("deeds");
    let kept = |path: &str| {
        let kept = pages.iter().filter(|(_, fate)| fate == "indexed");
        kept.filter(|(url, _)| url.contains(path)).count()
    };
    assert_eq!((kept("/topic"), kept("/said")), (PAGES, PAGES / 30));
    let told = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("deeds"))));
    assert!(
        told.contains("a.test/post?mode=reply&t leads nowhere new"),
        "{told}"
    );
}

#[test]
fn values_of_one_path_that_are_pages_of_their_own_are_all_read_though_the_first_were_one() {
    for form in ["/show?id=", "/show?id=item-", "/show?at=%2Fitem%2F"] {
        let web = TestWeb::new().host("a.test", move |request| {
            let last = request.target();
            let number = last
                .rsplit(['=', '-', 'F'])
                .next()
                .and_then(|number| number.parse().ok());
            match (request.path.as_str(), number) {
                ("/show", Some(number)) => shown(number),
                ("/", _) => {
                    let links: Vec<String> =
                        (0..500).map(|number| format!("{form}{number}")).collect();
                    Response::html(page("Front", 1, &links))
                }
                _ => Response::not_found(),
            }
        });
        let bench = Bench::serve(web);
        requests_to(&bench, "items", "/show");
        let pages = bench.pages("items");
        let kept = pages
            .iter()
            .filter(|(url, fate)| url.contains("/show") && fate == "indexed");
        assert_eq!(kept.count(), 1 + 470, "{form}");
    }
}

#[test]
fn lists_by_page_that_are_thin_themselves_are_read_to_the_last() {
    let web = TestWeb::new().host("a.test", |request| {
        let of_list = request
            .parameter("from")
            .map(|from| from.replace("%2F", "/"));
        match (request.path.as_str(), of_list) {
            ("/", _) => Response::html(page("Front", 1, &["/list?from=%2F0".into()])),
            ("/list", Some(from)) => {
                let at: usize = from.trim_start_matches('/').parse().unwrap_or(0);
                let next =
                    (at < 99).then(|| format!("<a href=\"/list?from=%2F{}\">more</a>", at + 1));
                Response::html(format!(
                    "<a href=\"/text/{at}\">{at}</a> {}",
                    next.unwrap_or_default()
                ))
            }
            (path, _) => match path
                .strip_prefix("/text/")
                .and_then(|number| number.parse::<u64>().ok())
            {
                Some(number) => Response::html(page(&format!("Text {number}"), number + 9, &[])),
                None => Response::not_found(),
            },
        }
    });
    let bench = Bench::serve(web);
    let (lists, _) = requests_to(&bench, "lists", "/list");
    assert_eq!(lists, 100);
}

/// A date so many days after the first of January 2026, in a year of months of thirty days.
fn date(day: i64) -> String {
    let (year, of_year) = (2_026 + day.div_euclid(360), day.rem_euclid(360));
    format!("{year}-{:02}-{:02}", of_year / 30 + 1, of_year % 30 + 1)
}

/// The number of days after which a date is; `None` where it has no day or month.
fn day_of(date: &str) -> Option<i64> {
    let mut numbers = date.split('-').map(|number| number.parse::<i64>().ok());
    let (year, month) = (numbers.next()??, numbers.next()??);
    let day = numbers.next().unwrap_or(Some(1))?;
    Some((year - 2_026) * 360 + (month - 1) * 30 + day - 1)
}

/// Days and months that lead to each other, and say the same of each.
fn views(path: &str) -> Response {
    let day = path.rsplit('/').next().and_then(day_of).unwrap_or(0);
    let links: String = [-31, -1, 1, 31]
        .map(|days| {
            let at = date(day + days);
            let month = &at[..at.len() - 3];
            format!(
                "<a href=\"/events/day/{at}\">day</a> <a href=\"/events/month/{month}\">month</a> "
            )
        })
        .concat();
    let at = date(day);
    Response::html(format!(
        "<title>Events on {at}</title><h1>Events on {at}</h1><p>There are no events on {at}. Choose another day \
         in the calendar. You can subscribe to this calendar with your program, or print it. Events of clubs can \
         be sent to the office by mail at least two weeks before they take place; please name the place, the \
         time and whom to ask.</p><nav>{links}</nav>"
    ))
}

#[test]
fn days_and_months_that_say_the_same_of_each_end_together() {
    let links: Vec<String> = ["/events/day/2026-11-26".to_string()]
        .into_iter()
        .chain((0..20).map(|number| format!("/a/{number}")))
        .collect();
    let web = TestWeb::new()
        .host("a.test", |request| {
            let number = request
                .path
                .strip_prefix("/a/")
                .and_then(|number| number.parse().ok());
            match number {
                Some(number) => Response::html(page("An article", number, &[])),
                None => views(&request.path),
            }
        })
        .page("http://a.test/", &page("Front", 900, &links));
    let bench = Bench::serve(web);
    let (events, all) = requests_to(&bench, "views", "/events/");
    // They were 771, and kept; with a budget, all of it.
    assert!((60..260).contains(&events), "{events} of {all}");
}

#[test]
fn an_archive_by_days_is_read_to_its_end_though_lists_have_its_last_articles() {
    // The days of the last months led to nothing new: after sixty of them the archive was a trap, and of its
    // articles those alone were kept that stood on the lists.
    const DAYS: i64 = 200;
    const LISTED: i64 = 90;
    let article = |day: i64| format!("/news/{:x}k.html", day * 7_919 % 65_536);
    let day = |day: i64| format!("/archive/{}", date(-day).replace('-', "/"));
    let listed: Vec<String> = (0..LISTED).map(article).chain([day(0)]).collect();
    let mut web = TestWeb::new().page("http://a.test/", &page("Front", 900, &listed));
    for at in 0..DAYS {
        let text = page("An article", at as u64 + 1_000, &[]);
        web = web.page(&format!("http://a.test{}", article(at)), &text);
        let beside: String = [at - 1, at + 1]
            .into_iter()
            .filter(|at| (0..DAYS).contains(at))
            .map(|at| format!("<a href=\"{}\">another day</a>", day(at)))
            .collect();
        let list = format!(
            "<title>{0}</title><h1>{0}</h1><a href=\"{1}\">An article</a>{beside}",
            date(-at),
            article(at)
        );
        web = web.page(&format!("http://a.test{}", day(at)), &list);
    }
    let bench = Bench::serve(web);
    let config = "[crawl]\nmax_depth = 1000\n[politeness]\ndelay = \"0\"\n";
    let config = file(bench.dir.path(), "deep.toml", config);
    bench.crawl_to_end("archive", &[&config, "--seed", "http://a.test/"]);
    bench.check("archive");
    let pages = bench.pages("archive");
    let of_articles = pages.iter().filter(|(url, _)| url.contains("/news/"));
    assert_eq!(of_articles.count(), DAYS as usize);
}
