//! A site as it stood at a given time: pages with versions, and validators that are honest or not.
//!
//! Time is a number that a test moves. Each path has versions, each from a time on; before the first of
//! them it answers 404. What the site says of its pages in `ETag` and `Last-Modified` is as
//! [`Validators`] has it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// The time of a history, moved by a test.
#[derive(Debug, Clone, Default)]
pub struct Moment(Arc<AtomicU64>);

impl Moment {
    /// Goes to a time.
    pub fn set(&self, at: u64) {
        self.0.store(at, Ordering::SeqCst);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A site with its past.
#[derive(Debug, Clone, Default)]
pub struct History {
    versions: BTreeMap<String, Vec<(u64, Version)>>,
    validators: Validators,
}

impl History {
    /// A site without pages.
    pub fn new(validators: Validators) -> History {
        History {
            versions: BTreeMap::new(),
            validators,
        }
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
            self.answer(request, moment.get(), number)
        })
    }

    fn answer(&self, request: &Request, at: u64, number: u64) -> Response {
        let versions = self
            .versions
            .get(&request.path)
            .map_or(&[][..], Vec::as_slice);
        let version = versions.iter().rev().find(|(from, _)| *from <= at);
        let html = match version {
            None => return Response::not_found(),
            Some((_, Version::Status(status))) => return Response::error(*status),
            Some((_, Version::Moved(to))) => return Response::redirect(301, to),
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
