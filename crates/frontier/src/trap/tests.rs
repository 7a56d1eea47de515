use std::collections::{HashSet, VecDeque};

use xxhash_rust::xxh3::xxh3_64;

use super::*;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect(text)
}

#[track_caller]
fn check(traps: &Traps, text: &str, trap: Option<Trap>) {
    let url = url(text);
    assert_eq!(traps.check(&url.host(), &url).err(), trap, "{text}");
}

/// Crawls a web given by its links, breadth first; gives what was fetched.
fn crawl(
    traps: &mut Traps,
    seed: &str,
    links: impl Fn(&str) -> Vec<String>,
    useful: impl Fn(&str) -> bool,
) -> HashSet<String> {
    let mut seen = HashSet::from([seed.to_string()]);
    let mut queue = VecDeque::from([seed.to_string()]);
    let mut fetched = HashSet::new();
    while let Some(page) = queue.pop_front() {
        let at = url(&page);
        if traps.check(&at.host(), &at).is_err() {
            continue;
        }
        assert!(fetched.len() < 3_000, "the crawl does not end: {page}");
        fetched.insert(page.clone());
        let seq = fetched.len() as u64;
        let page_yield = if useful(&page) {
            PageYield::Content
        } else {
            PageYield::Nothing
        };
        traps.observe(&at.host(), &at, seq, page_yield.into());
        // Between two pages some redirect leads to a page that another page had linked to.
        let moved = url("http://a.example/moved");
        traps.linked(&moved.host(), &moved, Some(seq / 2), true);
        for link in links(&page) {
            let to = url(&link);
            if seen.contains(&link) {
                traps.linked(&to.host(), &to, Some(seq), false);
            } else if traps.check(&to.host(), &to).is_ok() {
                traps.linked(&to.host(), &to, Some(seq), true);
                seen.insert(link.clone());
                queue.push_back(link);
            }
        }
    }
    fetched
}

/// Year and month of a page of the calendar.
fn month(page: &str) -> Option<(u32, u32)> {
    let (_, rest) = page.split_once("/calendar/")?;
    let mut numbers = rest.split('/').map_while(|number| number.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

fn calendar_links(page: &str) -> Vec<String> {
    let Some((year, month)) = month(page) else {
        let posts = (0..50).map(|n| format!("http://a.example/2025/{:02}/post-{n}", n % 12 + 1));
        return posts
            .chain(["http://a.example/calendar/2026/11/".into()])
            .collect();
    };
    let before = if month == 1 {
        (year - 1, 12)
    } else {
        (year, month - 1)
    };
    let after = if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    };
    let months = [before, after].map(|(y, m)| format!("http://a.example/calendar/{y:04}/{m:02}/"));
    let days =
        (1..29).map(|day| format!("http://a.example/calendar/{year:04}/{month:02}/{day:02}"));
    months
        .into_iter()
        .chain(days)
        .chain(["http://a.example/".into()])
        .collect()
}

#[test]
fn an_endless_calendar_costs_less_than_a_hundred_pages_and_nothing_else_is_lost() {
    let mut traps = Traps::default();
    let useful = |page: &str| month(page).is_none();
    let fetched = crawl(&mut traps, "http://a.example/", calendar_links, useful);
    let in_calendar = fetched.iter().filter(|page| month(page).is_some()).count();
    assert!((10..100).contains(&in_calendar), "{in_calendar}");
    assert_eq!(fetched.len() - in_calendar, 51);
    check(
        &traps,
        "http://a.example/calendar/2030/01/",
        Some(Trap::Calendar),
    );
    check(&traps, "http://b.example/calendar/2030/01/", None);
}

/// Days of a calendar in a form of its own, each with links to the days beside it and to that a week
/// later; gives how many of them were read.
fn days_read(form: impl Fn(u32) -> String) -> usize {
    // The days by their URL.
    let urls: Vec<String> = (0..20_000).map(&form).collect();
    let at = |page: &str| urls.iter().position(|url| url == page);
    let links = |page: &str| match at(page) {
        Some(day) => [day.saturating_sub(1), day + 1, day + 7]
            .map(|day| urls[day].clone())
            .to_vec(),
        None => vec![urls[9_000].clone()],
    };
    let mut traps = Traps::default();
    let fetched = crawl(&mut traps, "http://a.example/", links, |page| {
        page.len() < 20
    });
    fetched.len() - 1
}

#[test]
fn calendars_end_in_whichever_form_their_days_are_written() {
    let date = |day: u32| (2_000 + day / 360, day % 360 / 30 + 1, day % 30 + 1);
    let names = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let name = |month: u32| names[month as usize - 1];
    type Form<'f> = Box<dyn Fn(u32) -> String + 'f>;
    let dated = |form: fn(u32, u32, u32) -> String| -> Form<'_> {
        Box::new(move |day| {
            let (year, month, day) = date(day);
            format!("http://a.example/cal/{}", form(year, month, day))
        })
    };
    let forms = [
        dated(|y, m, d| format!("day-{y}-{m:02}-{d:02}")),
        dated(|y, m, d| format!("{y}-{m:02}-{d:02}.html")),
        dated(|y, m, d| format!("d{y}{m:02}{d:02}")),
        dated(|y, m, d| format!("{y}%E5%B9%B4{m}%E6%9C%88{d}%E6%97%A5")),
        dated(|y, m, d| format!("view?start={y}-{m:02}-{d:02}T00%3A00%3A00Z")),
        Box::new(|day| {
            format!(
                "http://a.example/cal/{}-w{}",
                1_850 + day / 52,
                day % 52 + 1
            )
        }),
    ];
    for form in forms {
        let read = days_read(&form);
        assert!(
            (CALENDAR_MIN as usize..100).contains(&read),
            "{read} {}",
            form(9_000)
        );
    }
    // Each named month is a part of its own, and they lead to each other.
    let read = days_read(|day| {
        let (year, month, day) = date(day);
        format!("http://a.example/cal/{year}/{}/{day}", name(month))
    });
    assert!(read < 500, "{read}");
}

#[test]
fn views_that_lead_to_each_other_end_together() {
    let links = |page: &str| -> Vec<String> {
        let day: i64 = page
            .rsplit('/')
            .next()
            .and_then(|day| day.parse().ok())
            .unwrap_or(9_000);
        let views = ["day", "month", "list"];
        let all = views.iter().flat_map(|view| {
            [-31, -1, 1, 31].map(|days| format!("http://a.example/{view}/2026/{}", day + days))
        });
        all.collect()
    };
    let mut traps = Traps::default();
    let fetched = crawl(&mut traps, "http://a.example/", links, |page| {
        page.len() < 20
    });
    assert!(fetched.len() < 250, "{}", fetched.len());
}

#[test]
fn an_archive_by_days_whose_articles_were_found_elsewhere_goes_on_to_those_that_were_not() {
    // Lists lead to the last 90 articles; each day has a title, and the days before and after it. A crawl found
    // nothing new in sixty days, and gave up the other 310.
    const DAYS: u32 = 400;
    let article = |day: u32| format!("http://a.example/news/{:x}k", day * 7_919 % 65_536);
    let day = |day: u32| {
        let (month, of_month) = (day % 360 / 30 + 1, day % 30 + 1);
        format!(
            "http://a.example/archive/{}/{month:02}/{of_month:02}",
            2_026 - day / 360
        )
    };
    let days: Vec<String> = (0..DAYS).map(day).collect();
    let menu = ["about", "contact", "sport"].map(|name| format!("http://a.example/{name}"));
    let links = |page: &str| -> Vec<String> {
        let own = match days.iter().position(|day| day == page) {
            Some(at) => {
                let beside = [at.saturating_sub(1), at + 1];
                let beside = beside.iter().filter_map(|at| days.get(*at)).cloned();
                beside.chain([article(at as u32)]).collect()
            }
            None if page == "http://a.example/" => {
                (0..90).map(article).chain([days[0].clone()]).collect()
            }
            None => Vec::new(),
        };
        menu.iter().cloned().chain(own).collect()
    };
    let mut traps = Traps::default();
    let is_day = |page: &str| page.contains("/archive/");
    let fetched = crawl(&mut traps, "http://a.example/", links, |page| !is_day(page));
    let articles = fetched
        .iter()
        .filter(|page| page.contains("/news/"))
        .count();
    assert_eq!(articles, DAYS as usize);
}

#[test]
fn a_calendar_whose_days_all_have_a_menu_and_a_login_ends_like_any() {
    let links = |page: &str| -> Vec<String> {
        let day: i64 = page
            .rsplit('/')
            .next()
            .and_then(|day| day.parse().ok())
            .unwrap_or(9_000);
        let own = [-1, 1, 7].map(|days| format!("http://a.example/cal/2026/{}", day + days));
        let login = format!("http://a.example/login?next=%2Fcal%2F2026%2F{day}");
        let menu = (0..30).map(|item| format!("http://a.example/topic-{}", (b'a' + item) as char));
        own.into_iter().chain([login]).chain(menu).collect()
    };
    let mut traps = Traps::default();
    // The login pages are refused by another rule, after a dozen.
    let fetched = crawl(&mut traps, "http://a.example/", links, |page| {
        !page.contains("/cal/")
    });
    let days = fetched.iter().filter(|page| page.contains("/cal/")).count();
    assert!((60..100).contains(&days), "{days}");
}

#[test]
fn days_that_are_kept_and_say_the_same_of_each_are_useless() {
    let read = |bare: fn(u32) -> u64| {
        let mut traps = Traps::default();
        (1..1_000)
            .take_while(|&day| {
                let page = url(&format!("http://a.example/day/2026/{day}"));
                let host = page.host();
                let worth = PageWorth {
                    bare: Some(bare(day)),
                    ..PageWorth::from(PageYield::Content)
                };
                traps.observe(&host, &page, u64::from(day), worth);
                let next = url(&format!("http://a.example/day/2026/{}", day + 1));
                traps.linked(&host, &next, Some(u64::from(day)), true);
                traps.check(&host, &next).is_ok()
            })
            .count()
    };
    assert_eq!(read(|_| 7), CALENDAR_MIN as usize - 1);
    // Three texts that take turns.
    assert_eq!(read(|day| u64::from(day % 3)), CALENDAR_MIN as usize - 1);
    // The weather of each day is its own.
    assert_eq!(read(u64::from), 999);
}

#[test]
fn an_archive_by_days_goes_on_as_long_as_its_articles_are_worth_it() {
    // Each day has a list and no text, and two articles; lists lead to lists, and articles to lists.
    let links = |page: &str| -> Vec<String> {
        let number = |page: &str| {
            page.rsplit(['/', '-'])
                .next()
                .and_then(|day| day.parse::<u32>().ok())
        };
        let day = number(page).unwrap_or(0) / 10;
        if day >= 400 {
            return Vec::new();
        }
        let articles =
            [1, 2].map(|article| format!("http://a.example/2026/article-{}", 10 * day + article));
        let days = [format!("http://a.example/archive/2026/{}", 10 * (day + 1))];
        articles.into_iter().chain(days).collect()
    };
    let mut traps = Traps::default();
    let useful = |page: &str| page.contains("article") || page.len() < 20;
    let fetched = crawl(&mut traps, "http://a.example/", links, useful);
    let articles = fetched
        .iter()
        .filter(|page| page.contains("article"))
        .count();
    assert_eq!(articles, 2 * 400);
}

#[test]
fn a_calendar_of_which_a_day_now_and_then_passes_for_new_ends_as_well() {
    let mut traps = Traps::default();
    let useful = |page: &str| month(page).is_none() || xxh3_64(page.as_bytes()).is_multiple_of(50);
    let fetched = crawl(&mut traps, "http://a.example/", calendar_links, useful);
    let in_calendar = fetched.iter().filter(|page| month(page).is_some()).count();
    assert!((10..100).contains(&in_calendar), "{in_calendar}");
}

/// A calendar by months from `begin` back, each with what `leads_to` says; gives how many months were read, and how many
/// of their pages were found.
fn months_back(leads_to: impl Fn(u32) -> Option<String>) -> (usize, usize) {
    const BEGIN: u32 = 12 * 2_026;
    let month = |at: u32| format!("http://a.example/time?from={}-{:02}", at / 12, at % 12 + 1);
    let links = |page: &str| -> Vec<String> {
        let at = (0..BEGIN + 1).rev().find(|at| month(*at) == page);
        match at {
            Some(at) => [month(at - 1), month(at + 1).clone()]
                .into_iter()
                .chain(leads_to(BEGIN - at.min(BEGIN)))
                .collect(),
            None => vec![month(BEGIN)],
        }
    };
    let mut traps = Traps::default();
    let is_month = |page: &str| page.contains("/time?");
    let fetched = crawl(&mut traps, "http://a.example/", links, |page| {
        !is_month(page)
    });
    let months = fetched.iter().filter(|page| is_month(page)).count();
    (months, fetched.len() - months - 1)
}

#[test]
fn a_calendar_ends_some_time_after_its_last_event_however_many_it_had() {
    let event = |at: u32| {
        format!(
            "http://a.example/event-{}",
            char::from_u32(0x4e00 + at).unwrap()
        )
    };
    for events in [5, 40, 200] {
        let (months, found) = months_back(|at| (at < events).then(|| event(at)));
        assert_eq!(found as u32, events);
        assert!(
            months as u32 <= events + events.max(60) + 5,
            "{months} {events}"
        );
    }
    // What came after a gap makes it worth to wait for longer.
    let (months, found) =
        months_back(|at| (at < 100 || (190..200).contains(&at)).then(|| event(at)));
    assert_eq!(found, 110);
    assert!(months < 200 + 185, "{months}");
}

/// Pages `0..pages` that lead to each other by links to the next; those for which `gives` says so are of use. How many of
/// those were read, and how many of the others.
fn chain(url: impl Fn(u32) -> String, pages: u32, gives: impl Fn(u32) -> bool) -> (usize, usize) {
    let urls: Vec<String> = (0..pages).map(&url).collect();
    let at = |page: &str| urls.iter().position(|url| url == page);
    let links = |page: &str| at(page).and_then(|at| urls.get(at + 1).cloned());
    let mut traps = Traps::default();
    let fetched = crawl(
        &mut traps,
        &urls[0],
        |page| links(page).into_iter().collect(),
        |page| at(page).is_some_and(|at| gives(at as u32)),
    );
    let read = fetched.iter().filter_map(|page| at(page));
    let (of_use, others): (Vec<_>, Vec<_>) = read.partition(|at| gives(*at as u32));
    (of_use.len(), others.len())
}

#[test]
fn pictures_without_captions_are_no_days_without_events() {
    // After 60 pictures without a caption the other 271 were refused as days of a calendar.
    let has_caption = |at: u32| !(40..129).contains(&at);
    let albums: [fn(u32) -> String; 4] = [
        |at| format!("http://a.example/album/7/photo/{}", at + 1),
        |at| format!("http://a.example/album/2026/photo/{}", at + 1),
        |at| format!("http://a.example/view?album=7&photo={}", at + 1),
        |at| format!("http://a.example/7/{}", 1_890 + at),
    ];
    for album in albums {
        assert_eq!(chain(album, 400, has_caption), (311, 89), "{}", album(0));
        // As pages of one number they end some time.
        let (of_use, others) = chain(album, 2_000, |at| at < 40);
        assert_eq!(of_use, 40);
        assert!((200..230).contains(&others), "{others} {}", album(0));
    }
    // A calendar whose days are told with its number.
    let day = |at: u32| {
        let (year, month, day) = (2_000 + at / 360, at % 360 / 30 + 1, at % 30 + 1);
        format!("http://a.example/view?cal=215&day={year}-{month:02}-{day:02}")
    };
    let (of_use, others) = chain(day, 2_000, |at| at < 40);
    assert_eq!(of_use, 40);
    assert!((60..90).contains(&others), "{others}");
}

/// Days in the order in which they are read after so many events: each is given to the rules, unless they refuse it,
/// and leads to ever new ones. How many were read.
fn days_after_events(events: u32, gives: impl Fn(u32) -> bool) -> u32 {
    let mut traps = Traps::default();
    let day = |at: u32| {
        let (year, month, day) = (1_950 + at / 336, at % 336 / 28 + 1, at % 28 + 1);
        url(&format!("http://a.example/cal/{year}/{month}/{day}"))
    };
    let mut read = 0;
    for at in 0..20_000 {
        let page = day(at);
        if traps.check(&page.host(), &page).is_err() {
            continue;
        }
        read += 1;
        let worth = match at < events || gives(at) {
            true => PageYield::Content,
            false => PageYield::Nothing,
        };
        let judged = traps.judged(&page.host(), &page, worth.into());
        traps.observe(&page.host(), &page, at.into(), worth.into());
        let part = judged.part.expect("it has numbers");
        assert_eq!(traps.parts.get(&part.0), Some(&part.1));
        for next in [day(20_000 + at), day(40_000 + at)] {
            traps.linked(&next.host(), &next, Some(at.into()), true);
        }
    }
    read
}

#[test]
fn a_calendar_that_was_left_is_probed_and_opens_when_a_probe_is_of_use() {
    let left = days_after_events(40, |_| false);
    assert_eq!(left, 40 + CALENDAR_MIN + PROBES_MAX);
    // Nothing at first, and then every day again.
    let again = days_after_events(40, |at| at > 800);
    assert!(again > 19_000, "{again}");
}

#[test]
fn an_archive_by_months_is_no_trap_though_all_its_pages_are_useless() {
    let months =
        || (2000..2026).flat_map(|y| (1..13).map(move |m| format!("http://a.example/{y}/{m:02}/")));
    // Every page lists all months, as blogs do; a month lists its days, and pages of posts.
    let links = |page: &str| -> Vec<String> {
        let is_month = page.len() == "http://a.example/2000/01/".len();
        let more = (is_month && page.contains("/20")).then(|| format!("{page}page/2/"));
        months().chain(more).collect()
    };
    let mut traps = Traps::default();
    let fetched = crawl(&mut traps, "http://a.example/", links, |page| {
        page.len() < 20
    });
    assert_eq!(fetched.len(), 1 + 2 * 26 * 12);
}

#[test]
fn pages_by_number_are_followed_as_long_as_they_lead_to_something() {
    let links = |page: &str| -> Vec<String> {
        let number: u32 = page
            .rsplit('/')
            .nth(1)
            .and_then(|n| n.parse().ok())
            .unwrap_or(1);
        if page.contains("/post-") || number >= 400 {
            return Vec::new();
        }
        vec![
            format!("http://a.example/page/{}/", number + 1),
            format!("http://a.example/post-{number}"),
        ]
    };
    let mut traps = Traps::default();
    let fetched = crawl(&mut traps, "http://a.example/page/1/", links, |page| {
        page.contains("post")
    });
    assert_eq!(fetched.len(), 400 + 399);
}

#[test]
fn pages_by_number_that_lead_to_nothing_end() {
    let links = |page: &str| {
        let number: u32 = page
            .rsplit('/')
            .nth(1)
            .and_then(|n| n.parse().ok())
            .unwrap_or(1);
        vec![format!("http://a.example/page/{}/", number + 1)]
    };
    let mut traps = Traps::default();
    let fetched = crawl(&mut traps, "http://a.example/page/1/", links, |_| false);
    assert_eq!(fetched.len() as u32, COUNTER_MIN);
}

#[test]
fn a_calendar_that_asks_not_to_be_indexed_ends_all_the_same() {
    let mut traps = Traps::default();
    for day in 1..=CALENDAR_MIN {
        let page = url(&format!("http://a.example/calendar/2026/{day}"));
        let worth = PageYield::LinksOnly.into();
        traps.observe(&page.host(), &page, u64::from(day), worth);
        let next = url(&format!("http://a.example/calendar/2027/{day}"));
        traps.linked(&next.host(), &next, Some(u64::from(day)), true);
    }
    check(
        &traps,
        "http://a.example/calendar/2028/1",
        Some(Trap::Calendar),
    );
}

#[test]
fn paths_and_queries_that_grow_by_themselves_are_refused() {
    let traps = Traps::default();
    let a = "http://a.example";
    check(
        &traps,
        &format!("{a}/a/b/a/b/a/b/a/b/"),
        Some(Trap::RepeatedSegment),
    );
    check(
        &traps,
        &format!("{a}/{}", "x/y/".repeat(25)),
        Some(Trap::DeepPath),
    );
    check(
        &traps,
        &format!("{a}/{}", "x".repeat(1_600)),
        Some(Trap::LongPath),
    );
    let query: String = (0..30).map(|n| format!("&p{n}=1")).collect();
    check(&traps, &format!("{a}/?{query}"), Some(Trap::LongQuery));
    let login = "/login?next=%2Flogin%3Fnext%3D%252Fa";
    check(&traps, &format!("{a}{login}"), Some(Trap::NestedUrl));
    check(&traps, &format!("{a}/login?next=%2Fa"), None);
    check(&traps, &format!("{a}/docs/a/a/index.html"), None);
    check(&traps, &format!("{a}/%E6%96%87%E7%AB%A0/2.4/x?y=1"), None);
}

#[test]
fn at_the_bound_the_parts_read_longest_ago_are_forgotten_and_new_ones_are_learnt() {
    let mut traps = Traps::with_max(8);
    let host = CanonicalUrl::parse("http://a.example/").unwrap().host();
    let url = |part: u32, number: u32| {
        let part = char::from_u32(u32::from('A') + part).unwrap();
        CanonicalUrl::parse(&format!("http://a.example/{part}/{number}/{number}")).unwrap()
    };
    // A table that is full of others' parts learns of one more that is endless.
    for part in 0..20 {
        for number in 0..2 {
            traps.observe(&host, &url(part, number), 1, PageYield::Content.into());
        }
    }
    for number in 0..CALENDAR_MIN {
        let seq = u64::from(number) + 2;
        let worth = PageYield::Nothing.into();
        traps.observe(&host, &url(25, number), seq, worth);
        traps.linked(&host, &url(25, number + 1), Some(seq), true);
    }
    assert!(traps.parts.len() <= 8);
    assert!(traps.check(&host, &url(25, 700)).is_err());
    // What was not read for longest is forgotten.
    for part in 0..20 {
        traps.observe(&host, &url(part, 1), 1, PageYield::Content.into());
    }
    assert!(traps.check(&host, &url(25, 700)).is_ok());
}

#[test]
fn a_mirror_with_dates_is_no_calendar_but_days_that_repeat_one_page_are() {
    let day =
        |host: &str, at: u32| format!("http://{host}/2024/{:02}/{:02}/x", at / 28 + 1, at % 28 + 1);
    let trap_of = |original: &dyn Fn(u32) -> String| {
        let mut traps = Traps::default();
        for at in 0..300 {
            let copy = url(&day("m.example", at));
            if traps.check(&copy.host(), &copy).is_err() {
                return Some(at);
            }
            let worth = PageWorth {
                original: Some(Original::of(&url(&original(at)))),
                ..PageWorth::from(PageYield::Nothing)
            };
            let judged = traps.judged(&copy.host(), &copy, worth);
            traps.observe(&copy.host(), &copy, at.into(), worth);
            let seen = Shape::of(&copy)
                .part(&copy.host())
                .and_then(|of| traps.parts.get(&of.part));
            assert_eq!(judged.part.map(|(_, part)| part).as_ref(), seen);
            let next = url(&day("m.example", at + 1));
            traps.linked(&next.host(), &next, Some(at.into()), true);
        }
        None
    };
    assert_eq!(trap_of(&|at| day("a.example", at)), None);
    let ends = trap_of(&|_| "http://m.example/".to_owned());
    assert!(ends.is_some_and(|at| at <= 61), "{ends:?}");
}
