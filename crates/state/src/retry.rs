//! URLs that get another chance: what failed, when the user asks for it, and predicted duplicates
//! when the rule behind them is found wrong.
//!
//! Which URLs may be tried again follows from the journal alone, and that they are is a record in
//! it: so a crawl that is stopped and one that runs do the same, and replay agrees with both. What
//! may be tried again is what was never had: failures of the network and of servers, URLs whose
//! host was given up or had no usable robots.txt, and URLs that the scope or a budget of an earlier
//! start left out. A page that was read keeps its verdict; one that was answered with an error, such as 404, is
//! asked for once more where its status is named. A URL to which a redirect has led back,
//! with a cookie say, is asked for once more, and so are those of a host that limits. A round of a crawl that comes back asks for what has shown no
//! page yet, whatever was answered (`pipeline::again`).

mod candidates;
mod filter;

use archive::{Event, PageRecord, RetryOrigin, RetryRecord, ReturnRecord};
use frontier::{CanonicalUrl, FrontierUrl};
use outcome::{JunkReason, Outcome, OutcomeKind, Refusal, RobotsRefusal};

use crate::context::{UrlContext, decode};
pub use candidates::{
    Candidate, Candidates, LeftOutLinks, way_of_budgets, way_of_filter, way_of_rules,
};
pub use filter::RetryFilter;

/// URLs put back by one record: some 300 kB of journal.
const URLS_PER_RECORD: usize = 1_000;

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
        node: None,
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

/// Records that put URLs back to which redirects have led back, and those whose host limits.
pub(crate) fn records_for_returns(candidates: Vec<Candidate>) -> Vec<Event> {
    let (led_back, limited) = candidates
        .into_iter()
        .partition(|(_, origin): &Candidate| origin.returned);
    let with = |candidates, filter: &str| {
        records(candidates, |urls, origins| RetryRecord {
            urls,
            origins,
            filter: filter.into(),
            ..RetryRecord::default()
        })
    };
    let mut events = with(led_back, RetryRecord::LED_BACK);
    events.extend(with(limited, RetryRecord::LIMITED));
    events
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
    use archive::Record;
    use outcome::{FailureKind, LinkFate};

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
