use std::collections::{HashSet, VecDeque};

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
        traps.observe(&at.host(), &at, seq, page_yield);
        // Between two pages some redirect leads to a page that another page had linked to.
        let moved = url("http://a.example/moved");
        traps.admitted(&moved.host(), &moved, Some(seq / 2));
        for link in links(&page) {
            let to = url(&link);
            if !seen.contains(&link) && traps.check(&to.host(), &to).is_ok() {
                traps.admitted(&to.host(), &to, Some(seq));
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

#[test]
fn a_calendar_of_which_a_day_now_and_then_passes_for_new_ends_as_well() {
    let mut traps = Traps::default();
    let useful = |page: &str| month(page).is_none() || xxh3_64(page.as_bytes()).is_multiple_of(50);
    let fetched = crawl(&mut traps, "http://a.example/", calendar_links, useful);
    let in_calendar = fetched.iter().filter(|page| month(page).is_some()).count();
    assert!((10..100).contains(&in_calendar), "{in_calendar}");
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
fn a_session_id_is_found_to_change_nothing() {
    // Each page that is asked for without an id gives out a new one.
    let links = |page: &str| -> Vec<String> {
        let id = match page.split_once("?sid=") {
            Some((_, id)) => id.to_string(),
            None => format!("{:x}", xxh3_64(page.as_bytes())),
        };
        (0..40)
            .map(|n| format!("http://a.example/p{n}?sid={id}"))
            .collect()
    };
    let with_plain = |page: &str| -> Vec<String> {
        if page.ends_with("/sitemap") {
            (0..40).map(|n| format!("http://a.example/p{n}")).collect()
        } else {
            links(page)
        }
    };
    let read = std::cell::RefCell::new(HashSet::new());
    let useful = |page: &str| {
        let bare = page.split('?').next().unwrap_or(page).to_string();
        read.borrow_mut().insert(bare)
    };
    let mut traps = Traps::default();
    let fetched = crawl(&mut traps, "http://a.example/sitemap", with_plain, useful);
    assert!(fetched.len() < 41 + 40, "{}", fetched.len());
    check(
        &traps,
        "http://a.example/p7?sid=ff00",
        Some(Trap::SameContent),
    );
    check(&traps, "http://a.example/new?sid=ff00", None);
}

#[test]
fn a_parameter_that_counts_pages_is_left_alone() {
    let mut traps = Traps::default();
    for list in 0..30 {
        for page in 0..4 {
            let url = url(&format!("http://a.example/list{list}?page={page}"));
            let page_yield = if page == 0 {
                PageYield::Content
            } else {
                PageYield::Nothing
            };
            traps.observe(&url.host(), &url, page, page_yield);
        }
    }
    check(&traps, "http://a.example/list1?page=9", None);
}

/// Reads a page of goods and its list by forty categories; gives what became of a further one.
fn further_category(page_yield: PageYield) -> Option<Trap> {
    let mut traps = Traps::default();
    let list = url("http://a.example/goods");
    traps.observe(&list.host(), &list, 0, PageYield::Content);
    for category in 1..=40 {
        let url = url(&format!("http://a.example/goods?category=c{category}"));
        traps.observe(&url.host(), &url, category, page_yield);
    }
    let next = url("http://a.example/goods?category=new");
    traps.check(&next.host(), &next).err()
}

#[test]
fn lists_that_ask_not_to_be_indexed_do_not_make_their_parameter_worthless() {
    assert_eq!(further_category(PageYield::LinksOnly), None);
    assert_eq!(
        further_category(PageYield::Nothing),
        Some(Trap::SameContent)
    );
}

#[test]
fn a_calendar_that_asks_not_to_be_indexed_ends_all_the_same() {
    let mut traps = Traps::default();
    for day in 1..=CALENDAR_MIN {
        let page = url(&format!("http://a.example/calendar/2026/{day}"));
        traps.observe(&page.host(), &page, u64::from(day), PageYield::LinksOnly);
        let next = url(&format!("http://a.example/calendar/2027/{day}"));
        traps.admitted(&next.host(), &next, Some(u64::from(day)));
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
    check(&traps, &format!("{a}/docs/a/a/index.html"), None);
    check(&traps, &format!("{a}/%E6%96%87%E7%AB%A0/2.4/x?y=1"), None);
}

/// Finds out that `sid` changes nothing on a host.
fn with_sessions(traps: &mut Traps) {
    for page in 0..30 {
        for (query, page_yield) in [("", PageYield::Content), ("?sid=f0", PageYield::Nothing)] {
            let url = url(&format!("http://a.example/p{page}{query}"));
            traps.observe(&url.host(), &url, page, page_yield);
        }
    }
}

#[test]
fn a_list_whose_second_page_was_read_is_not_taken_for_read() {
    let mut traps = Traps::default();
    let second = url("http://a.example/list?page=2");
    traps.observe(&second.host(), &second, 0, PageYield::Content);
    with_sessions(&mut traps);
    check(&traps, "http://a.example/list?sid=f0", None);
    let same = Some(Trap::SameContent);
    check(&traps, "http://a.example/list?page=2&sid=f0", same.clone());
    check(&traps, "http://a.example/p3?sid=f1", same);
}

/// Reads a mirror under one session, with its copies on another host under another; gives what
/// became of a page read before that is asked for in a third.
fn mirror_in_sessions(copy: impl Fn(u64) -> String) -> Option<Trap> {
    let mut traps = Traps::default();
    for page in 0..30 {
        let original = url(&format!("http://a.example/v?p={page}&sid=f0"));
        traps.observe(&original.host(), &original, page, PageYield::Content);
        let copy = url(&copy(page));
        traps.observe_copy(&copy, &original);
        traps.observe(&copy.host(), &copy, page, PageYield::Nothing);
    }
    let again = url("http://m.example/v?p=7&sid=f2");
    traps.check(&again.host(), &again).err()
}

#[test]
fn a_session_id_is_found_by_the_pairs_of_a_mirror() {
    let copy = |page| format!("http://m.example/v?p={page}&sid=f1");
    assert_eq!(mirror_in_sessions(copy), Some(Trap::SameContent));
}

#[test]
fn pairs_that_differ_in_more_than_one_parameter_or_in_none_find_nothing() {
    let other = |page| format!("http://m.example/v?p={}&sid=f1", page + 1);
    assert_eq!(mirror_in_sessions(other), None);
    let same = |page| format!("http://m.example/v?p={page}&sid=f0");
    assert_eq!(mirror_in_sessions(same), None);
}
