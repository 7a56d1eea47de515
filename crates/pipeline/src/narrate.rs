//! What a crawl tells in its log: a line for each start, host, failure, rule and stop.
//!
//! One line per page would be a flood; what happened to each page stands in the journal.

use std::collections::HashSet;

use archive::{Event, Record};
use outcome::{Outcome, Refusal, RobotsAnswer};
use tracing::field::display;
use tracing::info;

/// Rules told of at most, in one start.
const RULES_MAX: usize = 10_000;

/// Tells of records, and remembers which rules it has told of.
#[derive(Debug, Default)]
pub(crate) struct Narrator {
    rules: HashSet<String>,
}

impl Narrator {
    /// Tells of a record, if it is one of those that an operator wants to hear of.
    pub(crate) fn tell(&mut self, record: &Record) {
        if let Event::Page(page) = &record.event
            && let Some(refusal) = page.outcome.refusal()
        {
            self.tell_of_rules(refusal, &page.host, &page.url);
        }
        tell(record);
    }

    /// A rule is told of when it refuses its first URL.
    fn tell_of_rules(&mut self, refusal: &Refusal, host: &str, url: &str) {
        let rules = match refusal {
            Refusal::Trap(trap) => vec![format!("{} on {host}", trap.name())],
            refusal => refusal.rules(),
        };
        for rule in rules {
            if self.rules.len() < RULES_MAX && self.rules.insert(rule.clone()) {
                info!(
                    rule,
                    url, "rule learnt: this URL is the first that it refuses"
                );
            }
        }
    }
}

fn tell(record: &Record) {
    match &record.event {
        Event::Start(start) => info!(tamis = start.tamis, "crawl started"),
        Event::Robots(robots) => match robots.rules {
            RobotsAnswer::DisallowAll | RobotsAnswer::Outage => {
                let (status, error) = (robots.fetch.status, robots.fetch.error.as_ref());
                let error = error.map(|error| display(error.name()));
                info!(
                    host = robots.host,
                    status, error, "robots.txt could not be had: the host waits, or is closed"
                );
            }
            RobotsAnswer::Parsed | RobotsAnswer::AllowAll | RobotsAnswer::Unknown(_) => {
                let (robots_txt, delay_s) = (robots.rules.name(), robots.crawl_delay_s);
                info!(host = robots.host, robots_txt, delay_s, "host opened");
            }
        },
        Event::Attempt(attempt) => {
            let error = attempt.fetch.error.as_ref();
            let error = error.map(|error| display(error.name()));
            let (status, attempt, url) = (attempt.fetch.status, attempt.attempt, &attempt.url);
            info!(
                url,
                status, error, attempt, "fetch failed, to be tried again"
            );
        }
        Event::Page(page) => {
            if let Outcome::Failed(failure) = &page.outcome {
                let detail = page.detail.as_deref().unwrap_or_default();
                info!(url = page.url, failure = %failure.name(), detail, "URL failed");
            }
        }
        Event::Retry(retry) => info!(urls = retry.urls.len(), "URLs put back into the queue"),
        Event::Again(again) => info!(
            round = again.round,
            urls = again.urls.len(),
            "URLs to be visited again"
        ),
        Event::Visit(visit) => {
            if visit.change.is_news() {
                info!(url = visit.url, change = %visit.change, "visited again");
            }
        }
        Event::Stop(stop) => {
            let detail = stop.detail.as_deref().unwrap_or_default();
            info!(reason = stop.reason.name(), detail, "crawl stopped");
        }
        Event::Seed(_) | Event::Sitemap(_) | Event::Elsewhere(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use outcome::Trap;

    use super::*;

    #[test]
    fn a_rule_is_told_of_once_for_each_host() {
        let mut narrator = Narrator::default();
        let trap = Refusal::Trap(Trap::Calendar);
        for host in ["a.test", "b.test", "a.test"] {
            narrator.tell_of_rules(&trap, host, "http://a.test/2031");
        }
        assert_eq!(narrator.rules.len(), 2);
    }
}
