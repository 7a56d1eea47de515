//! URLs that get another chance: what failed, when the user asks for it, and predicted duplicates
//! when the rule behind them is found wrong.
//!
//! Which URLs may be tried again follows from the journal alone, and that they are is a record in
//! it: so a crawl that is stopped and one that runs do the same, and replay agrees with both. What
//! may be tried again is what was never had: failures of the network and of servers, URLs whose
//! host was given up or had no usable robots.txt, and URLs that the scope or a budget of an earlier
//! start left out. A page that was read keeps its verdict; one that was answered with an error, such as 404, is
//! asked for once more where its status is named. A URL to which a redirect has led back,
//! with a cookie say, is asked for once more. A round of a crawl that comes back asks for what has shown no
//! page yet, whatever was answered (`pipeline::again`).

use std::collections::{HashMap, HashSet};

use archive::{Event, PageRecord, Record, RetryOrigin, RetryRecord, ReturnRecord};
use frontier::{CanonicalUrl, FrontierUrl, typed_host};
use outcome::{FailureKind, JunkReason, Outcome, OutcomeKind, Refusal, RobotsRefusal};
use serde::{Deserialize, Serialize};

use crate::context::{UrlContext, decode};

/// URLs put back by one record: some 300 kB of journal.
const URLS_PER_RECORD: usize = 1_000;

/// URLs put back at once; the rest when asked again. Some 300 bytes of memory each.
const URLS_MAX: usize = 500_000;

/// Which failed URLs to try again; empty for all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryFilter {
    /// `503`, `5xx`, the name of a failure such as `dns` or `timeout`, `guard` for what the address
    /// guard refused, or `learnt` for what rules refused unread.
    pub status: Option<String>,
    /// This host and those below it.
    pub host: Option<String>,
}

/// Failures that a filter may ask for by name, beside `http_503` and the like.
const FAILURES: [FailureKind; 12] = [
    FailureKind::Dns,
    FailureKind::Connect,
    FailureKind::Tls,
    FailureKind::Timeout,
    FailureKind::Reset,
    FailureKind::TooLarge,
    FailureKind::Protocol,
    FailureKind::BadUrl,
    FailureKind::Proxy,
    FailureKind::Truncated,
    FailureKind::Encoding,
    FailureKind::Unreadable,
];

/// What asks for URLs whose host had no usable robots.txt.
const NO_ROBOTS: &str = Refusal::ROBOTS;

/// What asks for URLs whose host was given up.
const HOST_GONE: &str = Refusal::HOST_GONE;

/// What asks for URLs that the address guard refused, which is no failure: a crawl of the public web
/// finds many of them, and none is let through until the configuration is another one.
const GUARD: &str = Refusal::GUARD;

/// What asks for URLs whose host answers with walls.
const WALLED: &str = Refusal::WALLED;

/// What asks for URLs that the scope or a budget of an earlier start left out.
const LEFT_OUT: &str = Refusal::LEFT_OUT;

/// What asks for URLs that were refused unread because of a learnt rule; the name of such a refusal
/// asks for these alone.
const LEARNT: &str = "learnt";

/// What the `status` of a filter asks for.
#[derive(Debug, PartialEq, Eq)]
enum Ending {
    Status(u16),
    /// The first digit of the status.
    Class(u16),
    Failure(FailureKind),
    NoRobots,
    LeftOut,
    HostGone,
    Walled,
    Guarded,
    /// Refused for a learnt rule, by this name of a refusal if there is one.
    Learnt(Option<&'static str>),
}

impl Ending {
    fn of(status: &str) -> Self {
        let class = status
            .strip_suffix("xx")
            .and_then(|digit| digit.parse().ok());
        if status == LEARNT {
            return Self::Learnt(None);
        }
        if let Some(name) = Refusal::LEARNT_NAMES.iter().find(|name| **name == status) {
            return Self::Learnt(Some(name));
        }
        match (class, status.parse(), status) {
            (Some(class), ..) => Self::Class(class),
            (None, Ok(status), _) => Self::Status(status),
            (None, Err(_), NO_ROBOTS) => Self::NoRobots,
            (None, Err(_), LEFT_OUT) => Self::LeftOut,
            (None, Err(_), HOST_GONE) => Self::HostGone,
            (None, Err(_), WALLED) => Self::Walled,
            (None, Err(_), GUARD) => Self::Guarded,
            (None, Err(_), name) => Self::Failure(name.into()),
        }
    }

    fn is_of(&self, page: &PageRecord) -> bool {
        match self {
            Self::Status(status) => page.status() == *status,
            Self::Class(class) => page.status() / 100 == *class,
            Self::Failure(kind) => page.outcome == Outcome::Failed(kind.clone()),
            Self::NoRobots => has_no_robots(page),
            Self::LeftOut => matches!(page.outcome.refusal(), Some(Refusal::LeftOut(_))),
            Self::HostGone => matches!(page.outcome.refusal(), Some(Refusal::HostGone(_))),
            Self::Walled => matches!(page.outcome.refusal(), Some(Refusal::Walled(_))),
            Self::Guarded => matches!(page.outcome.refusal(), Some(Refusal::Guard(_))),
            Self::Learnt(name) => {
                let refusal = page.outcome.refusal().filter(|refusal| refusal.is_learnt());
                refusal.is_some_and(|refusal| name.is_none_or(|name| name == refusal.name()))
            }
        }
    }

    /// Whether URLs are asked for that are no failures, and are put back by this name alone: a learnt
    /// rule refused them, or the address guard.
    fn is_by_name(&self) -> bool {
        match self {
            Self::Learnt(_) | Self::Guarded => true,
            Self::Status(_)
            | Self::Class(_)
            | Self::Failure(_)
            | Self::NoRobots
            | Self::LeftOut
            | Self::HostGone
            | Self::Walled => false,
        }
    }
}

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
        let wanted = self.status.as_deref().map(Ending::of);
        let may_be_retried = match &wanted {
            Some(wanted) if wanted.is_by_name() => true,
            Some(Ending::Status(_)) => may_be_retried(page) || is_error_page(page),
            Some(_) | None => may_be_retried(page),
        };
        may_be_retried
            && wanted.is_none_or(|wanted| wanted.is_of(page))
            && self.takes_host(&page.host)
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
    let names: Vec<_> = FAILURES.iter().map(FailureKind::name).collect();
    let names: Vec<&str> = names
        .iter()
        .map(|name| &**name)
        .chain([NO_ROBOTS, LEFT_OUT, HOST_GONE, WALLED, GUARD, LEARNT])
        .chain(Refusal::LEARNT_NAMES)
        .collect();
    if names.contains(&status.as_str()) {
        return Ok(status);
    }
    let near = names
        .iter()
        .min_by_key(|name| strsim::osa_distance(&status, name));
    let hint = near
        .filter(|name| strsim::osa_distance(&status, name) <= 2)
        .map_or(String::new(), |name| format!("did you mean {name}? "));
    Err(format!(
        "--status {text:?} is no status: {hint}write a code (404), a class (4xx), or one of {}",
        names.join(", ")
    ))
}

fn parse_host(text: &str) -> Result<String, String> {
    let host = text.trim().to_lowercase();
    let bare = host.split_once("://").map_or(&*host, |(_, rest)| rest);
    let bare = bare.split('/').next().unwrap_or_default();
    match (bare == host, bare) {
        (_, "") => Err("--host is empty: write a host, such as example.org".into()),
        (true, _) => Ok(typed_host(host.strip_prefix("*.").unwrap_or(&host))),
        (false, _) => Err(format!("--host {text:?} is no host: write {bare:?}")),
    }
}

/// A URL that may be tried again, with where it came from and how it had ended.
pub type Candidate = (String, RetryOrigin);

/// Finds in the journal the URLs that ended in one of several ways and were not put back since.
pub struct Candidates<F> {
    way: F,
    ended: HashMap<String, (u64, usize, RetryOrigin)>,
}

impl<F: Fn(&PageRecord) -> Option<usize>> Candidates<F> {
    /// Looks for URLs whose record has a `way`.
    pub fn new(way: F) -> Self {
        Self {
            way,
            ended: HashMap::new(),
        }
    }

    /// Takes in the next record of the journal.
    pub fn add(&mut self, record: Record) {
        match record.event {
            Event::Page(page) => {
                if let Some(way) = (self.way)(&page)
                    && self.ended.len() < URLS_MAX
                {
                    let origin = origin(&page);
                    self.ended.insert(page.url, (record.seq, way, origin));
                }
            }
            Event::Retry(retry) => {
                for url in &retry.urls {
                    self.ended.remove(url);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Visit(_)
            | Event::Stop(_) => {}
        }
    }

    /// The URLs of each of `ways` ways, in the order of their records.
    pub fn finish(self, ways: usize) -> Vec<Vec<Candidate>> {
        let mut ended: Vec<_> = self.ended.into_iter().collect();
        ended.sort_unstable_by_key(|(_, (seq, ..))| *seq);
        let mut by_way = vec![Vec::new(); ways];
        for (url, (_, way, origin)) in ended {
            by_way[way].push((url, origin));
        }
        by_way
    }
}

/// The way of URLs that a filter takes.
pub fn way_of_filter(filter: &RetryFilter) -> impl Fn(&PageRecord) -> Option<usize> + '_ {
    |page| filter.takes(page).then_some(0)
}

/// The way of URLs that were refused for one of these rules: the rule's place among them.
pub fn way_of_rules(rules: &[String]) -> impl Fn(&PageRecord) -> Option<usize> + '_ {
    |page| {
        let refusal = page.outcome.refusal();
        let refused_for = refusal.map(Refusal::rules).unwrap_or_default();
        rules.iter().position(|rule| refused_for.contains(rule))
    }
}

/// The way of URLs that were refused at their turn because a budget left them out.
pub fn way_of_budgets(page: &PageRecord) -> Option<usize> {
    match page.outcome.refusal() {
        Some(Refusal::LeftOut(fate)) => fate.is_budget().then_some(0),
        Some(_) | None => None,
    }
}

/// Finds in the journal the URLs that a budget left out where they were found.
pub struct LeftOutLinks {
    found: Vec<Candidate>,
    /// Each once for each seed, since the seeds' budgets differ.
    urls: HashSet<(u128, u32)>,
    urls_max: usize,
}

impl Default for LeftOutLinks {
    fn default() -> Self {
        Self {
            found: Vec::new(),
            urls: HashSet::new(),
            urls_max: URLS_MAX,
        }
    }
}

impl LeftOutLinks {
    /// Takes in the next record of the journal. `is_unknown` says of a URL that it did not come in since: others
    /// take no room.
    ///
    /// # Errors
    /// Those of `is_unknown`.
    pub fn add<E>(
        &mut self,
        record: &Record,
        is_unknown: impl Fn(&CanonicalUrl) -> Result<bool, E>,
    ) -> Result<(), E> {
        let page = match &record.event {
            Event::Page(page) => Some(page),
            Event::Visit(visit) => visit.page.as_ref(),
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => None,
        };
        let links = page.into_iter().flat_map(|page| {
            let links = page.links.iter();
            let left_out = links.filter(|link| link.fate.is_budget());
            left_out.map(|link| (&**page, link))
        });
        for (page, link) in links {
            if let Ok(url) = CanonicalUrl::parse(&link.url)
                && self.found.len() < self.urls_max
                && !self.urls.contains(&(url.key(), page.seed))
                && is_unknown(&url)?
            {
                self.urls.insert((url.key(), page.seed));
                self.found
                    .push((link.url.clone(), left_out_origin(record.seq, page)));
            }
        }
        Ok(())
    }

    /// The URLs, in the order in which they were found.
    pub fn finish(self) -> Vec<Candidate> {
        self.found
    }
}

/// What the queue must know of a URL that a page links to.
fn left_out_origin(seq: u64, page: &PageRecord) -> RetryOrigin {
    let is_redirect = page.outcome == Outcome::Redirected;
    RetryOrigin {
        outcome: OutcomeKind::Refused,
        depth: page.depth + u32::from(!is_redirect),
        seed: page.seed,
        hops: if is_redirect { page.hops + 1 } else { 0 },
        via: if is_redirect { page.via } else { Some(seq) },
        priority: page.priority,
        left_out: true,
        ..RetryOrigin::default()
    }
}

fn may_be_retried(page: &PageRecord) -> bool {
    let refusal = page.outcome.refusal();
    matches!(page.outcome, Outcome::Failed(_)) || refusal.is_some_and(Refusal::may_pass)
}

/// Whether the server answered with an error: that there is no page, or none for us.
fn is_error_page(page: &PageRecord) -> bool {
    page.status() >= 400 && page.junk() == Some(&JunkReason::ErrorPage)
}

fn has_no_robots(page: &PageRecord) -> bool {
    let refusal = page.outcome.refusal();
    matches!(
        refusal,
        Some(Refusal::Robots(RobotsRefusal::Unavailable { .. }))
    )
}

/// What the queue must know of a finished URL to take it back.
pub fn origin(page: &PageRecord) -> RetryOrigin {
    RetryOrigin {
        outcome: page.outcome.kind(),
        junk: page
            .junk()
            .filter(|junk| **junk != JunkReason::ErrorPage)
            .cloned(),
        fetched: page.fetch.is_some(),
        depth: page.depth,
        seed: page.seed,
        hops: page.hops,
        via: page.via,
        priority: page.priority,
        context: page.context.clone(),
        rules: page
            .outcome
            .refusal()
            .map(Refusal::rules)
            .unwrap_or_default(),
        returned: false,
        ask: None,
        left_out: false,
        after_visit: page.after_visit,
    }
}

/// The same of a URL to which the redirect of a page leads back: it redirected, and is where the page
/// is.
pub(crate) fn return_origin(page: &PageRecord, back: &ReturnRecord) -> RetryOrigin {
    RetryOrigin {
        outcome: OutcomeKind::Redirected,
        hops: page.hops.saturating_add(1),
        returned: true,
        ask: back.ask.clone(),
        ..origin(page)
    }
}

/// The URLs of a record as the frontier takes them, each with whether it was left out before, and is new.
pub fn queued(retry: &RetryRecord) -> impl Iterator<Item = (FrontierUrl, bool)> + '_ {
    let pairs = retry.urls.iter().zip(&retry.origins);
    pairs.filter_map(|(url, origin)| Some((waiting(url, origin)?, origin.left_out)))
}

fn waiting(url: &str, origin: &RetryOrigin) -> Option<FrontierUrl> {
    let context = UrlContext {
        hops: origin.hops,
        returned: origin.returned,
        ask: origin.ask.clone(),
        after_visit: origin.after_visit,
        features: decode(origin.context.as_deref().unwrap_or_default()),
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

/// Records that put URLs back, because a user asked for what `filter` takes.
pub fn records_for_filter(candidates: Vec<Candidate>, filter: &RetryFilter) -> Vec<Event> {
    let words = filter.words();
    records(candidates, |urls, origins| RetryRecord {
        urls,
        origins,
        filter: words.clone(),
        ..RetryRecord::default()
    })
}

/// Records that put URLs back to which redirects have led back.
pub(crate) fn records_for_returns(candidates: Vec<Candidate>) -> Vec<Event> {
    records(candidates, |urls, origins| RetryRecord {
        urls,
        origins,
        filter: RetryRecord::LED_BACK.into(),
        ..RetryRecord::default()
    })
}

/// Records that put URLs back which have shown no page, since a round asks for them once more.
pub fn records_for_round(candidates: Vec<Candidate>) -> Vec<Event> {
    records(candidates, |urls, origins| RetryRecord {
        urls,
        origins,
        filter: RetryRecord::COMES_BACK.into(),
        ..RetryRecord::default()
    })
}

/// Records that bring in URLs that a smaller budget left out.
pub(crate) fn records_for_budgets(candidates: Vec<Candidate>) -> Vec<Event> {
    records(candidates, |urls, origins| RetryRecord {
        urls,
        origins,
        filter: RetryRecord::BUDGET_RAISED.into(),
        ..RetryRecord::default()
    })
}

/// Records that put URLs back which were refused for a rule that was found wrong.
pub(crate) fn records_for_rule(candidates: Vec<Candidate>, rule: &str) -> Vec<Event> {
    records(candidates, |urls, origins| {
        RetryRecord::for_wrong_rule(rule, urls, origins)
    })
}

fn records(
    candidates: Vec<Candidate>,
    record: impl Fn(Vec<String>, Vec<RetryOrigin>) -> RetryRecord,
) -> Vec<Event> {
    let some = candidates.chunks(URLS_PER_RECORD);
    some.map(|some| {
        let (urls, origins) = some.iter().cloned().unzip();
        Event::Retry(record(urls, origins))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use outcome::LinkFate;

    use super::*;

    fn failed(host: &str, status: u16, kind: FailureKind) -> PageRecord {
        PageRecord {
            url: format!("http://{host}/"),
            host: host.into(),
            outcome: Outcome::Failed(kind),
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
        let busy = failed("a.example", 503, FailureKind::Http(503));
        let lost = failed("a.example", 0, FailureKind::Dns);
        check(None, None, &busy, true);
        check(Some("5xx"), None, &busy, true);
        check(Some("503"), None, &busy, true);
        check(Some("4xx"), None, &busy, false);
        check(Some("5xx"), None, &lost, false);
        check(Some("dns"), None, &lost, true);
        check(Some("robots"), None, &lost, false);
        let closed = RobotsRefusal::Unavailable {
            answered: "nothing".into(),
        };
        let closed = PageRecord {
            outcome: Outcome::Refused(Refusal::Robots(closed)),
            ..PageRecord::default()
        };
        check(Some("robots"), None, &closed, true);
        check(Some("learnt"), None, &closed, false);
    }

    #[test]
    fn what_learnt_rules_refused_is_taken_when_it_is_asked_for_and_only_then() {
        let barren = outcome::LowYield::UrlForm {
            host: "a.example".into(),
        };
        let barren = PageRecord {
            outcome: Outcome::Refused(Refusal::LowYield(barren)),
            ..PageRecord::default()
        };
        for (status, takes) in [
            (None, false),
            (Some("5xx"), false),
            (Some("learnt"), true),
            (Some("barren"), true),
            (Some("trap"), false),
        ] {
            check(status, None, &barren, takes);
        }
        assert_eq!(origin(&barren).rules.len(), 1);
    }

    #[test]
    fn what_the_address_guard_refused_is_taken_by_its_name_alone() {
        let guarded = PageRecord {
            outcome: Outcome::Refused(Refusal::Guard("127.0.0.1 is a loopback address".into())),
            ..PageRecord::default()
        };
        for (status, takes) in [
            (None, false),
            (Some("learnt"), false),
            (Some("guard"), true),
        ] {
            check(status, None, &guarded, takes);
        }
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
        let page = failed("www.a.example:8080", 503, FailureKind::Http(503));
        check(None, Some("www.a.example:8080"), &page, true);
        check(None, Some("a.example"), &page, true);
        check(None, Some("www.a.example"), &page, true);
        check(None, Some("ww.a.example"), &page, false);
        check(None, Some("example.a"), &page, false);
        for typed in ["例子.测试", "*.例子.测试"] {
            let filter = RetryFilter::parse(None, Some(typed)).expect("is a host");
            assert!(filter.takes_host("www.xn--fsqu00a.xn--0zwm56d"), "{typed}");
        }
    }

    #[test]
    fn links_that_came_in_since_take_no_room_from_those_that_a_budget_left_out() {
        // Half a million that had come in filled the table, and none was left to bring in.
        let mut links = LeftOutLinks {
            urls_max: 2,
            ..LeftOutLinks::default()
        };
        let link = |name: &str| archive::LinkRecord {
            url: format!("http://a.example/{name}"),
            fate: LinkFate::BudgetHost,
            ..archive::LinkRecord::default()
        };
        let page = PageRecord {
            links: ["in/1", "in/2", "in/3", "1", "1", "2", "3"]
                .map(link)
                .into(),
            ..PageRecord::default()
        };
        let record = Record {
            seq: 1,
            at_ms: 0,
            event: Event::Page(Box::new(page)),
        };
        let is_unknown = |url: &CanonicalUrl| Ok::<_, ()>(!url.as_str().contains("/in/"));
        links.add(&record, is_unknown).unwrap();
        let found: Vec<String> = links.finish().into_iter().map(|(url, _)| url).collect();
        assert_eq!(found, ["http://a.example/1", "http://a.example/2"]);
    }

    #[test]
    fn what_was_put_back_is_no_candidate_until_it_fails_again() {
        let filter = RetryFilter::default();
        let mut candidates = Candidates::new(way_of_filter(&filter));
        let mut seq = 0;
        let mut add = |candidates: &mut Candidates<_>, event| {
            seq += 1;
            candidates.add(Record {
                seq,
                at_ms: 0,
                event,
            });
        };
        let page = |host| Event::Page(Box::new(failed(host, 0, FailureKind::Dns)));
        for host in ["a.example", "b.example", "c.example"] {
            add(&mut candidates, page(host));
        }
        let back = |hosts: [&str; 2]| RetryRecord {
            urls: hosts.map(|host| format!("http://{host}/")).into(),
            ..RetryRecord::default()
        };
        add(
            &mut candidates,
            Event::Retry(back(["a.example", "b.example"])),
        );
        add(&mut candidates, page("a.example"));
        let found = candidates.finish(1).remove(0);
        let urls: Vec<&str> = found.iter().map(|(url, _)| url.as_str()).collect();
        assert_eq!(urls, ["http://c.example/", "http://a.example/"]);
        let records = records_for_filter(found, &filter);
        assert!(matches!(&records[..], [Event::Retry(retry)] if queued(retry).count() == 2));
    }
}
