//! Rows about links that lead nowhere: to URLs that failed, answered with an error, or redirect in a
//! circle.
//!
//! A circle shows in no record alone: each of its URLs redirects to one that is known. So it is looked
//! for from each URL that redirects, along the redirects noted so far; the last one closes it.
//!
//! Links to a URL stand on pages before and after the record that tells of its end. So a first pass
//! over the records notes which URLs are broken at the end, by 64 bits of hash; a second one gives the
//! links to them. Memory grows with the broken URLs, the redirects, and what was fetched again.

use std::collections::{HashMap, HashSet};

use archive::{Event, LinkRecord, PageRecord, Record};
use outcome::{FailureKind, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

mod known;

pub use known::KnownLinks;

use super::columns::columns;
use super::values::{iso, text_or_null};
use crate::words::plural;

/// Redirects that are followed in search of a circle: more than any crawl's `[limits] redirects`.
const CIRCLE_MAX: usize = 64;

/// Broken links that the HTML form lists.
pub const BROKEN_ROWS_MAX: usize = 200;

/// Which URLs are broken when the records end.
#[derive(Debug, Clone, Default)]
pub struct BrokenUrls {
    broken: HashMap<u64, Broken>,
    /// URLs that redirect, and where.
    redirects: HashMap<u64, Redirect>,
    /// Of a URL whose older records tell of it no longer, the record from which on they do.
    current: HashMap<u64, u64>,
    /// The last record.
    last_seq: u64,
}

/// Where a URL redirects.
#[derive(Debug, Clone, Copy)]
struct Redirect {
    to: u64,
    status: u16,
    at_ms: u64,
}

/// How a URL is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    status: u16,
    error: Option<String>,
    /// When it was first found so, and last.
    first_ms: u64,
    last_ms: u64,
}

impl Broken {
    fn is_circling(&self) -> bool {
        self.error.as_deref().is_some_and(is_circle)
    }
}

/// A link to a broken URL.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenLink<'r> {
    /// The page that it stands on.
    pub page: &'r str,
    /// The link.
    pub link: &'r LinkRecord,
    /// HTTP status of the last answer; 0 where there was none.
    pub status: u16,
    /// The error in a word, where there was no usable answer.
    pub error: Option<&'r str>,
    /// When its URL was first found to be broken, milliseconds since the Unix epoch.
    pub first_ms: u64,
    /// When it was asked for last.
    pub last_ms: u64,
}

impl BrokenLink<'_> {
    fn is_circling(&self) -> bool {
        self.error.is_some_and(is_circle)
    }
}

fn is_circle(error: &str) -> bool {
    FailureKind::from(error) == FailureKind::RedirectLoop
}

columns! {
    /// Links that lead nowhere: to URLs that failed, answered with a status of 400 and above, or redirect
    /// in a circle; page by page. A redirect counts as a link of its page, so one that ends nowhere is
    /// told, too.
    "broken": BROKEN, broken(row: &BrokenLink<'_>);
    /// Where it leads.
    link: Text = json!(row.link.url),
    /// Its text.
    anchor: Text = text_or_null(&row.link.anchor),
    /// The page that it stands on.
    page: Text = json!(row.page),
    /// The host of that page.
    host: Text = json!(weburl::host_of(row.page)),
    /// HTTP status of the last answer; 0 where there was none.
    status: Int = json!(row.status),
    /// What went wrong where there was no usable answer: `timeout`, `dns`, `http_503`, `redirect_loop`, …
    error: Text = json!(row.error),
    /// How the page names the relation: `nofollow`, `next`, `redirect`, …
    rel: Text = text_or_null(&row.link.rel),
    /// When its URL was first found to be broken.
    first_seen: Time = iso(row.first_ms),
    /// When its URL was asked for last.
    checked_at: Time = iso(row.last_ms),
}

impl BrokenUrls {
    /// Notes what the next record says.
    pub fn add(&mut self, record: &Record) {
        self.last_seq = record.seq;
        match &record.event {
            Event::Page(page) => self.ended(record, page),
            Event::Retry(retry) => {
                for url in &retry.urls {
                    let key = xxh3_64(url.as_bytes());
                    self.forget(key);
                    self.current.insert(key, record.seq);
                }
            }
            Event::Visit(visit) if visit.ends_version() => {
                let key = xxh3_64(visit.url.as_bytes());
                self.current.insert(key, record.seq);
                if let Some(page) = visit.as_page() {
                    self.ended(record, &page);
                }
            }
            Event::Visit(_)
            | Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => {}
        }
    }

    /// How many URLs are broken.
    pub fn urls(&self) -> u64 {
        self.broken.len() as u64
    }

    fn ended(&mut self, record: &Record, page: &PageRecord) {
        let key = xxh3_64(page.url.as_bytes());
        let asked = page.fetch.as_ref().map_or(0, |fetch| fetch.started_ms);
        let at_ms = if asked == 0 { record.at_ms } else { asked };
        let known = self.broken.get(&key).map(|known| known.first_ms);
        self.forget(key);
        if let Some(target) = redirect_of(page) {
            let redirect = Redirect {
                to: xxh3_64(target.as_bytes()),
                status: page.status(),
                at_ms,
            };
            self.redirects.insert(key, redirect);
            for (key, redirect) in self.circle(key) {
                let found = Broken {
                    status: redirect.status,
                    error: Some(FailureKind::RedirectLoop.to_string()),
                    first_ms: at_ms,
                    last_ms: redirect.at_ms,
                };
                self.broken.insert(key, found);
            }
        } else if let Some((status, error)) = broken_as(page) {
            let found = Broken {
                status,
                error,
                first_ms: known.unwrap_or(at_ms),
                last_ms: at_ms,
            };
            self.broken.insert(key, found);
        }
    }

    /// A URL is not, or no longer, what it was: a circle that it was part of is open.
    fn forget(&mut self, key: u64) {
        for (member, _) in self.circle(key) {
            self.broken.remove(&member);
        }
        self.redirects.remove(&key);
        self.broken.remove(&key);
    }

    /// The redirects of the circle that a URL is part of; none where it is in none.
    fn circle(&self, from: u64) -> Vec<(u64, Redirect)> {
        let mut members = Vec::new();
        let mut key = from;
        while let Some(redirect) = self.redirects.get(&key) {
            members.push((key, *redirect));
            key = redirect.to;
            if key == from {
                return members;
            }
            if members.len() >= CIRCLE_MAX {
                break;
            }
        }
        Vec::new()
    }

    /// Gives the links of a record that are broken, where there are any.
    pub fn each(&self, record: &Record, mut give: impl FnMut(&[BrokenLink<'_>])) {
        let mut tell = |page: &PageRecord| {
            let links = self.links(record, page);
            if !links.is_empty() {
                give(&links);
            }
        };
        match &record.event {
            Event::Page(page) => tell(page),
            Event::Visit(visit) => {
                if let Some(page) = visit.as_page() {
                    tell(&page);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => {}
        }
    }

    /// The links of a record that are broken; none of a page that has a later record, or was not
    /// there when the URLs were noted.
    pub fn links<'r>(&'r self, record: &Record, page: &'r PageRecord) -> Vec<BrokenLink<'r>> {
        let current = self.current.get(&xxh3_64(page.url.as_bytes()));
        let is_stale = current.is_some_and(|from| *from > record.seq);
        if is_stale || record.seq > self.last_seq || self.broken.is_empty() {
            return Vec::new();
        }
        let links = page.links.iter();
        let broken =
            links.filter_map(|link| Some((link, self.broken.get(&xxh3_64(link.url.as_bytes()))?)));
        broken
            .map(|(link, broken)| BrokenLink {
                page: &page.url,
                link,
                status: broken.status,
                error: broken.error.as_deref(),
                first_ms: broken.first_ms,
                last_ms: broken.last_ms,
            })
            .collect()
    }
}

/// Where a URL redirects by its end; none where the target is asked for once more.
fn redirect_of(page: &PageRecord) -> Option<&str> {
    let is_redirect = page.outcome == Outcome::Redirected && page.returns.is_none();
    page.redirect_target().filter(|_| is_redirect)
}

/// Status and error of a URL that is broken by its end; none for any other, also where it was refused
/// unread.
fn broken_as(page: &PageRecord) -> Option<(u16, Option<String>)> {
    let status = page.status();
    match &page.outcome {
        Outcome::Failed(kind) => Some((status, Some(kind.to_string()))),
        Outcome::Judged(_) if status >= 400 => Some((status, None)),
        Outcome::Judged(_)
        | Outcome::Redirected
        | Outcome::NotModified
        | Outcome::Refused(_)
        | Outcome::Unknown(_) => None,
    }
}

/// What a crawl says of broken links in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BrokenFigures {
    /// Links.
    pub links: u64,
    /// Pages that they stand on.
    pub pages: u64,
    /// URLs that they lead to.
    pub urls: u64,
    /// Those of them that redirect in a circle.
    #[serde(default)]
    pub circling: u64,
    /// The first links, up to a bound; the JSON form leaves them to the export.
    #[serde(skip)]
    pub rows: Vec<BrokenRow>,
    #[serde(skip)]
    targets: HashSet<u64>,
}

/// A broken link as the report shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokenRow {
    /// Where it leads.
    pub link: String,
    /// Its text.
    pub anchor: String,
    /// The page that it stands on.
    pub page: String,
    /// Status, or the error in a word.
    pub status: String,
    /// When it was first found so, RFC 3339.
    pub first_seen: String,
}

impl BrokenFigures {
    /// Counts the broken links among records, of which `urls` has noted the same; `rows_max` are kept.
    pub fn of<I: IntoIterator<Item = Record>>(
        urls: &BrokenUrls,
        records: impl FnOnce() -> I,
        rows_max: usize,
    ) -> Self {
        let mut figures = Self::default();
        if urls.urls() > 0 {
            for record in records() {
                urls.each(&record, |links| figures.add(links, rows_max));
            }
        }
        figures.targets = HashSet::new();
        figures
    }

    /// The figures in a sentence.
    pub fn line(&self) -> String {
        let circling = match self.circling {
            0 => String::new(),
            urls => format!(
                " Of these {} in a circle.",
                plural(urls, "URL redirects", "URLs redirect")
            ),
        };
        format!(
            "{} on {} to {} that failed or answered with an error.{circling}",
            plural(self.links, "link", "links"),
            plural(self.pages, "page", "pages"),
            plural(self.urls, "URL", "URLs"),
        )
    }

    /// Counts the broken links of a page; `rows_max` are kept.
    pub fn add(&mut self, links: &[BrokenLink<'_>], rows_max: usize) {
        self.pages += u64::from(!links.is_empty());
        self.links += links.len() as u64;
        for link in links {
            if self.targets.insert(xxh3_64(link.link.url.as_bytes())) {
                self.urls += 1;
                self.circling += u64::from(link.is_circling());
            }
            if self.rows.len() < rows_max {
                self.rows.push(BrokenRow {
                    link: link.link.url.clone(),
                    anchor: link.link.anchor.clone(),
                    page: link.page.to_owned(),
                    status: match (link.status, link.error) {
                        (0, Some(error)) => crate::words::name(error),
                        (_, Some(error)) if link.is_circling() => crate::words::name(error),
                        (status, _) => status.to_string(),
                    },
                    first_seen: crate::words::instant(link.first_ms),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Journal, judged, link, unread};
    use archive::RetryRecord;

    fn rows(records: &[Record]) -> Vec<(String, String, u16)> {
        let mut urls = BrokenUrls::default();
        records.iter().for_each(|record| urls.add(record));
        let mut found = Vec::new();
        for record in records {
            if let Event::Page(page) = &record.event {
                let links = urls.links(record, page);
                found.extend(
                    links
                        .iter()
                        .map(|l| (l.page.to_owned(), l.link.url.clone(), l.status)),
                );
            }
        }
        found
    }

    #[test]
    fn links_before_and_after_the_failure_are_told_and_no_others() {
        let mut journal = Journal::default();
        let with_links = |url: &str, to: &[&str]| {
            let mut page = judged(url, "t", "en", 0.9, "");
            page.links = to.iter().map(|to| link(to, "there", "new")).collect();
            page
        };
        journal.page(with_links(
            "http://a.test/",
            &["http://a.test/gone", "http://a.test/ok"],
        ));
        let mut gone = judged("http://a.test/gone", "t", "en", 0.1, "error_page");
        gone.fetch.as_mut().unwrap().status = 404;
        journal.page(gone);
        journal.page(with_links(
            "http://a.test/ok",
            &["http://a.test/gone", "http://b.test/"],
        ));
        journal.page(unread("http://b.test/", "failed", "timeout", None));
        let expected = [
            ("http://a.test/", "http://a.test/gone", 404),
            ("http://a.test/ok", "http://a.test/gone", 404),
            ("http://a.test/ok", "http://b.test/", 0),
        ];
        let expected = expected.map(|(page, to, status)| (page.to_owned(), to.to_owned(), status));
        assert_eq!(rows(&journal.records), expected);

        // Put back and read well: it is broken no longer.
        journal.event(Event::Retry(RetryRecord {
            urls: vec!["http://b.test/".into()],
            ..RetryRecord::default()
        }));
        assert_eq!(rows(&journal.records), expected[..2]);
        journal.page(judged("http://b.test/", "t", "en", 0.9, ""));
        assert_eq!(rows(&journal.records), expected[..2]);
    }

    #[test]
    fn urls_that_redirect_in_a_circle_are_broken() {
        // Each of them redirects, and nobody told that they lead nowhere.
        let mut journal = Journal::default();
        let redirect = |from: &str, to: &str| {
            let mut page = unread(
                from,
                "redirected",
                "",
                Some(crate::journal::fetch(302, 0, 5)),
            );
            page.links = vec![link(to, "", "seen")];
            page.links[0].rel = "redirect".into();
            page
        };
        let [home, one, two, into, fine] =
            ["", "1", "2", "into", "fine"].map(|path| format!("http://a.test/{path}"));
        let mut page = judged(&home, "t", "en", 0.9, "");
        page.links = [&one, &into, &fine]
            .map(|to| link(to, "there", "new"))
            .into();
        journal.page(page);
        journal.page(redirect(&into, &one));
        journal.page(redirect(&one, &two));
        assert_eq!(rows(&journal.records), []);
        journal.page(redirect(&two, &one));
        journal.page(redirect(&fine, &home));
        let expected = [(&home, &one), (&into, &one), (&one, &two), (&two, &one)];
        let expected = expected.map(|(page, to)| (page.clone(), to.clone(), 302));
        assert_eq!(rows(&journal.records), expected);

        let mut urls = BrokenUrls::default();
        journal.records.iter().for_each(|record| urls.add(record));
        let figures = BrokenFigures::of(&urls, || journal.records.clone(), 1);
        assert_eq!((figures.urls, figures.circling), (2, 2));
        assert_eq!(figures.rows[0].status, "redirect loop");
        assert!(
            figures
                .line()
                .ends_with("Of these 2 URLs redirect in a circle.")
        );
        let told = crate::Tongue::Chinese.say(&figures.line());
        assert!(told.ends_with("其中 2 个网址循环重定向。"), "{told}");

        // One of them gives a page at last: the circle is open.
        journal.page(judged(&two, "t", "en", 0.9, ""));
        assert_eq!(rows(&journal.records), []);
    }

    #[test]
    fn the_figures_count_links_pages_and_urls_and_keep_some_rows() {
        let page = judged("http://a.test/", "t", "en", 0.9, "");
        let to = link("http://a.test/gone", "x", "new");
        let one = BrokenLink {
            page: &page.url,
            link: &to,
            status: 0,
            error: Some("dns_failure"),
            first_ms: 1,
            last_ms: 2,
        };
        let mut figures = BrokenFigures::default();
        figures.add(&[one.clone(), one.clone()], 3);
        figures.add(&[one.clone(), one], 3);
        figures.add(&[], 3);
        assert_eq!((figures.links, figures.pages, figures.urls), (4, 2, 1));
        assert_eq!(figures.rows.len(), 3);
        assert_eq!(figures.rows[0].status, "dns failure");
    }
}
