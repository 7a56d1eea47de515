//! What a crawl tells in its log: a line for each start, host, failure, rule and stop.
//!
//! One line per page would be a flood; what happened to each page stands in the journal.

use std::collections::HashSet;

use archive::{Event, Record, SeedRecord};
use outcome::{LinkFate, Outcome, Refusal, RobotsAnswer};
use tracing::field::display;
use tracing::info;
use weburl::without_password;

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
            let (status, url) = (attempt.fetch.status, without_password(&attempt.url));
            let attempt = attempt.attempt;
            info!(
                %url,
                status, error, attempt, "fetch failed, to be tried again"
            );
        }
        Event::Page(page) => {
            if let Outcome::Failed(failure) = &page.outcome {
                let detail = page.detail.as_deref().unwrap_or_default();
                let url = without_password(&page.url);
                info!(%url, failure = %failure.name(), detail, "URL failed");
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

/// Whether a URL was refused for its address.
pub(crate) fn is_guarded(record: &Record) -> bool {
    matches!(&record.event, Event::Page(page) if matches!(page.outcome, Outcome::Refused(Refusal::Guard(_))))
}

/// A sitemap among the seeds that gave no URL, and why.
pub(crate) fn useless_sitemap<'r>(
    record: &'r Record,
    seeds: &[SeedRecord],
) -> Option<(&'r str, &'r str)> {
    let Event::Sitemap(sitemap) = &record.event else {
        return None;
    };
    let seed = seeds.get(sitemap.seed as usize)?;
    let is_given = seed.sitemap && seed.url == sitemap.url;
    let why = is_given.then(|| sitemap.why_nothing()).flatten()?;
    Some((&sitemap.url, why))
}

/// What is to be said of a seed whose page is on another host by now.
pub(crate) fn seed_elsewhere(record: &Record, seeds: &[SeedRecord]) -> Option<String> {
    let Event::Visit(visit) = &record.event else {
        return None;
    };
    let page = visit
        .page
        .as_ref()
        .filter(|_| visit.change == outcome::Change::Moved)?;
    let (url, target) = (&visit.url, page.links.first()?);
    if visit.opens {
        let target = &target.url;
        return Some(format!(
            "the site of {url} has moved to {target}: that belongs to the crawl from here on"
        ));
    }
    let is_seed = seeds
        .get(page.seed as usize)
        .is_some_and(|seed| seed.url == *url);
    let is_out = is_seed && target.fate == LinkFate::Scope;
    is_out.then(|| {
        let target = &target.url;
        format!("the seed {url} redirects to {target} by now, out of scope: if its site is there, add that as a seed")
    })
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
