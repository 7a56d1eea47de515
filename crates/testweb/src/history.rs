//! A site as it stood at a given time: pages with versions, and validators that are honest or not.
//!
//! Time is a number that a test moves. Each path has versions, each from a time on; before the first of
//! them it answers 404. What the site says of its pages in `ETag` and `Last-Modified` is as
//! [`Validators`] has it. It may have a sitemap of all pages and a feed of the newest ones, whose dates are
//! those at which the test moved on ([`Dates`]).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use xxhash_rust::xxh3::xxh3_64;

use crate::message::{Request, Response};
use crate::web::TestWeb;

/// What a path answers from a time on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// A page.
    Page(String),
    /// An answer without a page: 404, 410, 503, ...
    Status(u16),
    /// A redirect.
    Moved(String),
    /// An answer that comes after so long, longer than a crawl waits.
    Late(Duration),
}

/// What a site says of whether a page has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validators {
    /// An `ETag` that changes with the page, and 304 where it has not changed.
    #[default]
    Honest,
    /// Nothing.
    Missing,
    /// Another `ETag` in every answer.
    AlwaysNew,
    /// The same `ETag` whatever the page is, and so 304 to whoever has it.
    Stuck,
}

/// What a sitemap and a feed say of when pages changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dates {
    /// When they did.
    #[default]
    Honest,
    /// All of them just now.
    Today,
    /// Nothing.
    Missing,
}

/// The time of a history, moved by a test.
#[derive(Debug, Clone, Default)]
pub struct Moment(Arc<Mutex<Times>>);

#[derive(Debug, Default)]
struct Times {
    at: u64,
    /// When the history came to a time, milliseconds since the Unix epoch.
    reached: BTreeMap<u64, u64>,
}

impl Moment {
    /// Goes to a time.
    pub fn set(&self, at: u64) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.at = at;
        times.reached.entry(at).or_insert_with(now_ms);
    }

    fn get(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).at
    }

    /// When the history came to a time or beyond, by the clock; 0 for what was there from the beginning.
    fn clock_ms(&self, at: u64) -> u64 {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = times.reached.range(at..).next();
        reached.filter(|_| at > 0).map_or(0, |(_, ms)| *ms)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "what a site dates, a crawl compares with its own clock"
)]
fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

/// Milliseconds since the Unix epoch as a W3C date.
fn date(ms: u64) -> String {
    let (days, of_day) = ((ms / 86_400_000) as i64, ms % 86_400_000);
    // Howard Hinnant, chrono-compatible low-level date algorithms.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1_000 % 60, of_day % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// A site with its past.
#[derive(Debug, Clone, Default)]
pub struct History {
    versions: BTreeMap<String, Vec<(u64, Version)>>,
    validators: Validators,
    sitemap: Option<(String, Dates)>,
    feed: Option<(String, usize)>,
    lists_move: Option<u64>,
}

impl History {
    /// A site without pages.
    pub fn new(validators: Validators) -> History {
        History {
            validators,
            ..History::default()
        }
    }

    /// There is a sitemap of all pages at a path.
    pub fn sitemap(mut self, path: &str, dates: Dates) -> History {
        self.sitemap = Some((path.to_owned(), dates));
        self
    }

    /// There is an Atom feed of so many of the newest pages at a path.
    pub fn feed(mut self, path: &str, pages: usize) -> History {
        self.feed = Some((path.to_owned(), pages));
        self
    }

    /// From a time on the sitemap and the feed are elsewhere, at their path with a `2` behind it, where
    /// the old paths redirect.
    pub fn lists_move(mut self, from: u64) -> History {
        self.lists_move = Some(from);
        self
    }

    /// From a time on a path answers so.
    pub fn version(mut self, path: &str, from: u64, version: Version) -> History {
        let versions = self.versions.entry(path.to_owned()).or_default();
        versions.push((from, version));
        versions.sort_by_key(|(from, _)| *from);
        self
    }

    /// From a time on a path has this page.
    pub fn page(self, path: &str, from: u64, html: impl Into<String>) -> History {
        self.version(path, from, Version::Page(html.into()))
    }

    /// Puts the site into a web, at a time that can be moved.
    pub fn on(self, web: TestWeb, host: &str, moment: &Moment) -> TestWeb {
        let moment = moment.clone();
        let asked = AtomicU64::new(0);
        web.host(host, move |request| {
            let number = asked.fetch_add(1, Ordering::SeqCst);
            self.answer(request, &moment, number)
        })
    }

    /// Pages as they stand: path, when it was first there, and when it changed last.
    fn pages(&self, at: u64) -> impl Iterator<Item = (&str, u64, u64)> {
        self.versions.iter().filter_map(move |(path, versions)| {
            let first = versions.first()?.0;
            let (last, version) = versions.iter().rev().find(|(from, _)| *from <= at)?;
            matches!(version, Version::Page(_)).then_some((path.as_str(), first, *last))
        })
    }

    fn list(&self, request: &Request, moment: &Moment) -> Option<Response> {
        let host = request.header("host").unwrap_or("a.test");
        let at = moment.get();
        let have_moved = self.lists_move.is_some_and(|from| from <= at);
        let asked = match have_moved {
            true => request.path.strip_suffix('2'),
            false => Some(request.path.as_str()),
        };
        let is_list = |path: &String| {
            let sitemap = self.sitemap.as_ref().map(|(path, _)| path);
            sitemap == Some(path) || self.feed.as_ref().is_some_and(|(feed, _)| feed == path)
        };
        if have_moved && is_list(&request.path) {
            return Some(Response::redirect(301, &format!("{}2", request.path)));
        }
        let asked = asked.unwrap_or_default();
        if let Some((_, dates)) = self.sitemap.as_ref().filter(|(path, _)| path == asked) {
            let entries: String = self
                .pages(at)
                .map(|(path, _, last)| {
                    let told = match dates {
                        Dates::Honest => date(moment.clock_ms(last)),
                        Dates::Today => date(now_ms()),
                        Dates::Missing => {
                            return format!("<url><loc>http://{host}{path}</loc></url>");
                        }
                    };
                    format!("<url><loc>http://{host}{path}</loc><lastmod>{told}</lastmod></url>")
                })
                .collect();
            return Some(Response::xml(format!("<urlset>{entries}</urlset>")));
        }
        let (_, count) = self.feed.as_ref().filter(|(path, _)| path == asked)?;
        let mut newest: Vec<_> = self.pages(at).collect();
        newest.sort_by_key(|(path, first, _)| (std::cmp::Reverse(*first), *path));
        let entries: String = newest
            .into_iter()
            .take(*count)
            .map(|(path, _, last)| {
                let told = date(moment.clock_ms(last));
                format!(
                    "<entry><link href=\"http://{host}{path}\"/><updated>{told}</updated></entry>"
                )
            })
            .collect();
        let atom = format!("<feed xmlns=\"http://www.w3.org/2005/Atom\">{entries}</feed>");
        Some(Response::new(200, "application/atom+xml", atom))
    }

    fn answer(&self, request: &Request, moment: &Moment, number: u64) -> Response {
        let at = moment.get();
        if let Some(list) = self.list(request, moment) {
            return list;
        }
        if let (Some((sitemap, _)), "/robots.txt") = (&self.sitemap, request.path.as_str()) {
            let host = request.header("host").unwrap_or("a.test");
            return Response::text(format!("Sitemap: http://{host}{sitemap}\n"));
        }
        let versions = self
            .versions
            .get(&request.path)
            .map_or(&[][..], Vec::as_slice);
        let version = versions.iter().rev().find(|(from, _)| *from <= at);
        let html = match version {
            None => return Response::not_found(),
            Some((_, Version::Status(status))) => return Response::error(*status),
            Some((_, Version::Moved(to))) => return Response::redirect(301, to),
            Some((_, Version::Late(wait))) => return Response::html("late").after(*wait),
            Some((_, Version::Page(html))) => html,
        };
        let tag = match self.validators {
            Validators::Missing => {
                let page = Response::html(html.clone());
                return page.with_header("cache-control", "no-store");
            }
            Validators::Honest => format!("\"{:016x}\"", xxh3_64(html.as_bytes())),
            Validators::AlwaysNew => format!("\"{number}\""),
            Validators::Stuck => "\"1\"".to_owned(),
        };
        let is_honest = self.validators == Validators::Honest;
        if is_honest && request.header("if-none-match") == Some(tag.as_str()) {
            return Response::new(304, "text/html", "").with_header("etag", &tag);
        }
        Response::html(html.clone()).with_header("etag", &tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(web: &TestWeb, path: &str, tag: Option<&str>) -> Response {
        let url = format!("http://a.test{path}").parse().expect("a URL");
        let mut request = Request::get(&url);
        let tag = tag.map(|tag| ("if-none-match".to_owned(), tag.to_owned()));
        request.headers.extend(tag);
        web.answer(&request).expect("a host")
    }

    #[test]
    fn a_path_answers_as_it_stood_at_the_time() {
        let moment = Moment::default();
        let history = History::new(Validators::Honest)
            .page("/", 1, "one")
            .page("/", 3, "two")
            .version("/", 5, Version::Status(410));
        let web = history.on(TestWeb::new(), "a.test", &moment);
        let status = |at| {
            moment.set(at);
            let answer = get(&web, "/", None);
            (
                answer.status,
                String::from_utf8_lossy(&answer.body).into_owned(),
            )
        };
        assert_eq!(status(0).0, 404);
        assert_eq!([status(1).1, status(4).1], ["one", "two"]);
        assert_eq!(status(5).0, 410);
    }

    #[test]
    fn an_honest_site_answers_304_until_the_page_changes() {
        let moment = Moment::default();
        let history = History::new(Validators::Honest)
            .page("/", 0, "one")
            .page("/", 1, "two");
        let web = history.on(TestWeb::new(), "a.test", &moment);
        let first = get(&web, "/", None);
        let tag = first.header("etag").expect("a validator");
        assert_eq!(get(&web, "/", Some(tag)).status, 304);
        moment.set(1);
        assert_eq!(get(&web, "/", Some(tag)).status, 200);
    }

    #[test]
    fn a_sitemap_and_a_feed_name_the_pages_as_they_stand() {
        let moment = Moment::default();
        let history = History::new(Validators::Missing)
            .page("/old", 0, "old")
            .page("/new", 1, "new")
            .version("/old", 2, Version::Status(404))
            .sitemap("/map.xml", Dates::Honest)
            .feed("/feed", 1);
        let web = history.on(TestWeb::new(), "a.test", &moment);
        let lists = |at| {
            moment.set(at);
            let body = |path| String::from_utf8_lossy(&get(&web, path, None).body).into_owned();
            let (map, feed) = (body("/map.xml"), body("/feed"));
            let has = |list: &str, path: &str| list.contains(path);
            (has(&map, "/old"), has(&map, "/new"), has(&feed, "/old"))
        };
        assert_eq!(lists(0), (true, false, true));
        assert_eq!(lists(1), (true, true, false));
        assert_eq!(lists(2), (false, true, false));
        let moved = History::new(Validators::Missing)
            .page("/old", 0, "old")
            .sitemap("/map.xml", Dates::Missing)
            .lists_move(1);
        let web = moved.on(TestWeb::new(), "a.test", &moment);
        let statuses = |at| {
            moment.set(at);
            ["/map.xml", "/map.xml2"].map(|path| get(&web, path, None).status)
        };
        assert_eq!([statuses(0), statuses(1)], [[200, 404], [301, 200]]);
        assert_eq!(date(1_777_622_400_250), "2026-05-01T08:00:00.250Z");
        assert_eq!(date(1_709_164_800_000), "2024-02-29T00:00:00.000Z");
    }

    #[test]
    fn other_sites_tell_nothing_of_use() {
        let moment = Moment::default();
        let tags = |validators| {
            let history = History::new(validators).page("/", 0, "one");
            let web = history.on(TestWeb::new(), "a.test", &moment);
            [0, 1].map(|_| get(&web, "/", None).header("etag").map(str::to_owned))
        };
        assert_eq!(tags(Validators::Missing), [None, None]);
        let [one, two] = tags(Validators::AlwaysNew);
        assert_ne!(one, two);
        let [one, two] = tags(Validators::Stuck);
        assert_eq!(one, two);
    }
}
