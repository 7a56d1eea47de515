//! URLs get another chance: failed ones because somebody asks for it, and those that were refused
//! as duplicates foreseen when the rule is found wrong.
//!
//! Which URLs may be tried again follows from the journal alone, and that they are is a record in
//! it: so a crawl that is stopped and one that runs do the same, and replay agrees with both. What
//! may be tried again is what was never had: failures of the network and of servers, and URLs
//! whose host had no usable robots.txt. A page that was read keeps its verdict.

use std::collections::HashMap;

use archive::{Archive, Entry, Event, PageRecord, Position, Record, RetryOrigin, RetryRecord};
use archive::{ArchiveConfig, Replayed};
use frontier::{CanonicalUrl, FrontierUrl};
use serde::{Deserialize, Serialize};

use crate::context::UrlContext;
use crate::dir::CrawlDir;
use crate::dispatch::{NO_ROBOTS, ToDispatcher};
use crate::error::CrawlError;
use crate::foresight;
use crate::visit::unix_ms;
use crate::write::Writer;

/// URLs put back by one record: some 300 kB of journal.
const URLS_PER_RECORD: usize = 1_000;

/// URLs put back at once; the rest when asked again. Some 300 bytes of memory each.
const URLS_MAX: usize = 500_000;

/// Which failed URLs to try again; empty for all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryFilter {
    /// `503`, `5xx`, or the name of a failure such as `dns` or `timeout`.
    pub status: Option<String>,
    /// This host and those below it.
    pub host: Option<String>,
}

/// Failures by name that a filter may ask for, beside `http_503` and the like.
const NAMES: [&str; 13] = [
    "dns",
    "connect",
    "tls",
    "timeout",
    "reset",
    "too_large",
    "protocol",
    "bad_url",
    "proxy",
    "truncated",
    "encoding",
    "unreadable",
    "robots",
];

impl RetryFilter {
    /// The filter that a user wrote.
    ///
    /// # Errors
    /// What is wrong with it and how to mend it.
    pub fn parse(status: Option<&str>, host: Option<&str>) -> Result<Self, String> {
        Ok(Self {
            status: status.map(parse_status).transpose()?,
            host: host.map(parse_host).transpose()?,
        })
    }

    fn takes(&self, page: &PageRecord) -> bool {
        let status = page.fetch.as_ref().map_or(0, |fetch| fetch.status);
        let by_status = self.status.as_deref().is_none_or(|wanted| {
            let class = wanted
                .strip_suffix("xx")
                .and_then(|digit| digit.parse().ok());
            class == Some(status / 100)
                || wanted.parse() == Ok(status)
                || page.reason.as_deref() == Some(wanted)
        });
        by_status && self.takes_host(&page.host)
    }

    /// Whether it takes URLs of a host.
    pub fn takes_host(&self, host: &str) -> bool {
        self.host.as_deref().is_none_or(|wanted| {
            let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
            let below = name
                .strip_suffix(wanted)
                .is_some_and(|rest| rest.ends_with('.'));
            host == wanted || name == wanted || below
        })
    }

    /// In words, for the journal.
    fn words(&self) -> String {
        let status = self
            .status
            .as_ref()
            .map(|status| format!("status {status}"));
        let host = self.host.as_ref().map(|host| format!("host {host}"));
        let parts: Vec<String> = status.into_iter().chain(host).collect();
        if parts.is_empty() {
            "all that failed".into()
        } else {
            parts.join(", ")
        }
    }
}

/// `503`, `5xx`, or a name as the journal has it.
fn parse_status(text: &str) -> Result<String, String> {
    let status = text.trim().to_lowercase().replace([' ', '-'], "_");
    let digits = status.strip_prefix("http_").unwrap_or(&status);
    let is_code = |code: &str| code.len() == 3 && matches!(code.parse(), Ok(100..600_u16));
    let is_class = matches!(digits.as_bytes(), [b'1'..=b'5', b'x', b'x']);
    if is_class || is_code(digits) {
        return Ok(digits.to_owned());
    }
    if NAMES.contains(&status.as_str()) {
        return Ok(status);
    }
    let near = NAMES
        .iter()
        .min_by_key(|name| strsim::osa_distance(&status, name));
    let hint = near
        .filter(|name| strsim::osa_distance(&status, name) <= 2)
        .map_or(String::new(), |name| format!("did you mean {name}? "));
    Err(format!(
        "--status {text:?} is no status: {hint}write a code (404), a class (4xx), or one of {}",
        NAMES.join(", ")
    ))
}

fn parse_host(text: &str) -> Result<String, String> {
    let host = text.trim().to_lowercase();
    let bare = host.split_once("://").map_or(&*host, |(_, rest)| rest);
    let bare = bare.split('/').next().unwrap_or_default();
    match (bare == host, bare) {
        (_, "") => Err("--host is empty: write a host, such as example.org".into()),
        (true, _) => Ok(host),
        (false, _) => Err(format!("--host {text:?} is no host: write {bare:?}")),
    }
}

/// A URL that may be tried again.
pub(crate) type Candidate = (String, RetryOrigin);

/// The URLs that failed and were not put back since, in the order of their failures.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) fn candidates(
    dir: &CrawlDir,
    filter: &RetryFilter,
) -> Result<Vec<Candidate>, CrawlError> {
    let takes = |page: &PageRecord| (may_be_retried(page) && filter.takes(page)).then_some(0);
    Ok(ended(dir, 1, takes)?.remove(0))
}

/// The URLs that ended in one of so many ways and were not put back since, by the way and in the
/// order of their records; `way` gives a page's, if it has one.
fn ended(
    dir: &CrawlDir,
    ways: usize,
    way: impl Fn(&PageRecord) -> Option<usize>,
) -> Result<Vec<Vec<Candidate>>, CrawlError> {
    let mut failed: HashMap<String, (u64, usize, RetryOrigin)> = HashMap::new();
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        let Replayed::Record { record, .. } = replayed? else {
            continue;
        };
        match record.event {
            Event::Page(page) => {
                if let Some(way) = way(&page)
                    && failed.len() < URLS_MAX
                {
                    let origin = origin(&page);
                    failed.insert(page.url, (record.seq, way, origin));
                }
            }
            Event::Retry(retry) => {
                for url in &retry.urls {
                    failed.remove(url);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Stop(_) => {}
        }
    }
    let mut failed: Vec<_> = failed.into_iter().collect();
    failed.sort_unstable_by_key(|(_, (seq, ..))| *seq);
    let mut by_way = vec![Vec::new(); ways];
    for (url, (_, way, origin)) in failed {
        by_way[way].push((url, origin));
    }
    Ok(by_way)
}

fn may_be_retried(page: &PageRecord) -> bool {
    let no_robots = page
        .detail
        .as_deref()
        .is_some_and(|detail| detail.starts_with(NO_ROBOTS));
    page.outcome == "failed" || (page.outcome == "refused" && no_robots)
}

fn origin(page: &PageRecord) -> RetryOrigin {
    RetryOrigin {
        outcome: page.outcome.clone(),
        fetched: page.fetch.is_some(),
        depth: page.depth,
        seed: page.seed,
        hops: page.hops,
        via: page.via,
        priority: page.priority,
        context: page.context.clone(),
    }
}

/// The URLs of a record as the frontier takes them.
pub(crate) fn queued(retry: &RetryRecord) -> impl Iterator<Item = FrontierUrl> {
    let pairs = retry.urls.iter().zip(&retry.origins);
    pairs.filter_map(|(url, origin)| waiting(url, origin))
}

fn waiting(url: &str, origin: &RetryOrigin) -> Option<FrontierUrl> {
    let context = UrlContext {
        hops: origin.hops,
        features: crate::focus_view::decode(origin.context.as_deref().unwrap_or_default()),
        ..UrlContext::page()
    };
    Some(FrontierUrl {
        url: CanonicalUrl::parse(url).ok()?,
        depth: origin.depth,
        seed: origin.seed,
        via: origin.via,
        priority: origin.priority,
        context: context.to_bytes(),
    })
}

fn record(candidates: Vec<Candidate>, filter: &str) -> Event {
    let (urls, origins) = candidates.into_iter().unzip();
    Event::Retry(RetryRecord {
        urls,
        origins,
        filter: filter.into(),
    })
}

/// Puts failed URLs of a crawl that is not running back into its queue; gives how many.
///
/// # Errors
/// When another process has the directory, or its archive cannot be read or written.
pub fn retry_stopped(dir: &CrawlDir, filter: &RetryFilter) -> Result<usize, CrawlError> {
    let _lock = dir.lock()?;
    let found = candidates(dir, filter)?;
    let count = found.len();
    if count == 0 {
        return Ok(0);
    }
    let (mut archive, _) = Archive::open(&dir.archive(), ArchiveConfig::default())?;
    let mut seq = archive.last_seq();
    let mut rest = found.into_iter();
    loop {
        let some: Vec<Candidate> = rest.by_ref().take(URLS_PER_RECORD).collect();
        if some.is_empty() {
            break;
        }
        seq += 1;
        archive.append(&Entry::of(&Record {
            seq,
            at_ms: unix_ms(),
            event: record(some, &filter.words()),
        }))?;
    }
    archive.sync()?;
    Ok(count)
}

impl Writer {
    /// Puts failed URLs back while the crawl runs; gives how many. A URL that waits already is
    /// left out, so that two who ask at once are told the truth.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) fn reopen(
        &mut self,
        candidates: Vec<Candidate>,
        filter: &RetryFilter,
    ) -> Result<usize, CrawlError> {
        self.put_back(candidates, &filter.words())
    }

    /// Puts back what was refused for rules found wrong, and syncs it; gives the position if there was
    /// any.
    ///
    /// # Errors
    /// When the archive or the frontier cannot be read or written.
    pub(crate) fn repaired(&mut self) -> Result<Option<Position>, CrawlError> {
        let lifted = self.lock_foresight().take_lifted();
        if lifted.is_empty() || self.repair(&lifted)? == 0 {
            return Ok(None);
        }
        let position = self.archive.sync()?;
        self.lock_frontier().apply(position.0)?;
        Ok(Some(position))
    }

    /// Puts back what was refused for rules that were found wrong; gives how many URLs.
    ///
    /// # Errors
    /// When the archive cannot be read or written.
    fn repair(&mut self, rules: &[String]) -> Result<usize, CrawlError> {
        let rule_of = |page: &PageRecord| {
            rules
                .iter()
                .position(|rule| foresight::was_refused_for(page, rule))
        };
        let refused = ended(&self.dir, rules.len(), rule_of)?;
        let mut count = 0;
        for (rule, refused) in rules.iter().zip(refused) {
            count += self.put_back(refused, &foresight::words_of_lift(rule))?;
        }
        Ok(count)
    }

    fn put_back(&mut self, candidates: Vec<Candidate>, words: &str) -> Result<usize, CrawlError> {
        let (mut reopened, mut hosts) = (Vec::new(), Vec::new());
        for (url, origin) in candidates {
            let Some(waiting) = waiting(&url, &origin) else {
                continue;
            };
            let host = waiting.url.host();
            if self.lock_frontier().reopen(waiting) {
                self.counts.take_back(&origin);
                hosts.push(host);
                reopened.push((url, origin));
            }
        }
        let count = reopened.len();
        let mut rest = reopened.into_iter();
        loop {
            let some: Vec<Candidate> = rest.by_ref().take(URLS_PER_RECORD).collect();
            if some.is_empty() {
                break;
            }
            self.append(record(some, words))?;
        }
        // Nobody listens any more when the dispatcher has ended.
        let _ = self.to_dispatcher.send(ToDispatcher::Reopened { hosts });
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(host: &str, status: u16, reason: &str) -> PageRecord {
        PageRecord {
            host: host.into(),
            outcome: "failed".into(),
            reason: Some(reason.into()),
            fetch: Some(archive::FetchRecord {
                status,
                ..archive::FetchRecord::default()
            }),
            ..PageRecord::default()
        }
    }

    #[track_caller]
    fn check(status: Option<&str>, host: Option<&str>, page: &PageRecord, takes: bool) {
        let filter = RetryFilter {
            status: status.map(str::to_string),
            host: host.map(str::to_string),
        };
        assert_eq!(filter.takes(page), takes, "{filter:?}");
    }

    #[test]
    fn a_filter_takes_a_status_a_class_or_the_name_of_a_failure() {
        let busy = failed("a.example", 503, "http_503");
        let lost = failed("a.example", 0, "dns");
        check(None, None, &busy, true);
        check(Some("5xx"), None, &busy, true);
        check(Some("503"), None, &busy, true);
        check(Some("4xx"), None, &busy, false);
        check(Some("5xx"), None, &lost, false);
        check(Some("dns"), None, &lost, true);
    }

    #[test]
    fn what_is_no_status_or_no_host_is_refused_with_its_mend() {
        let status = |text| RetryFilter::parse(Some(text), None).map(|filter| filter.status);
        for (text, is) in [
            ("404", "404"),
            ("4XX", "4xx"),
            ("http 503", "503"),
            ("Too large", "too_large"),
        ] {
            assert_eq!(status(text), Ok(Some(is.to_string())));
        }
        for text in [
            "44", "4040", "099", "600", "6xx", "0xx", "x", "", "nonsense",
        ] {
            let error = status(text).expect_err(text);
            assert!(error.contains("4xx"), "{error}");
        }
        assert!(
            status("timout")
                .expect_err("a typo")
                .contains("did you mean timeout?")
        );
        let host = |text| RetryFilter::parse(None, Some(text)).map(|filter| filter.host);
        assert_eq!(host("A.example:81"), Ok(Some("a.example:81".to_string())));
        let error = host("https://a.example/x").expect_err("a URL");
        assert!(error.contains("write \"a.example\""), "{error}");
        assert!(host(" ").is_err());
    }

    #[test]
    fn a_filter_takes_a_host_and_those_below_it() {
        let page = failed("www.a.example:8080", 503, "http_503");
        check(None, Some("www.a.example:8080"), &page, true);
        check(None, Some("a.example"), &page, true);
        check(None, Some("www.a.example"), &page, true);
        check(None, Some("ww.a.example"), &page, false);
        check(None, Some("example.a"), &page, false);
    }
}
