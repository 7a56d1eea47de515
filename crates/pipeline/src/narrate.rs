//! What a crawl tells in its log: a line for each start, host, failure and stop.
//!
//! One line per page would be a flood; what happened to each page stands in the journal.

use archive::{Event, Record};
use outcome::{Outcome, RobotsAnswer};
use tracing::info;

/// Tells of a record, if it is one of those that an operator wants to hear of.
pub(crate) fn tell(record: &Record) {
    match &record.event {
        Event::Start(start) => info!(tamis = start.tamis, "crawl started"),
        Event::Robots(robots) => match robots.rules {
            RobotsAnswer::DisallowAll | RobotsAnswer::Outage => {
                let (status, error) = (robots.fetch.status, robots.fetch.error.as_ref());
                let error = error.map(|error| error.name());
                info!(
                    host = robots.host,
                    status,
                    ?error,
                    "robots.txt could not be had: the host waits, or is closed"
                );
            }
            RobotsAnswer::Parsed | RobotsAnswer::AllowAll | RobotsAnswer::Unknown(_) => {
                let (robots_txt, delay_s) = (robots.rules.name(), robots.crawl_delay_s);
                info!(host = robots.host, robots_txt, ?delay_s, "host opened");
            }
        },
        Event::Attempt(attempt) => {
            let error = attempt.fetch.error.as_ref().map(|error| error.name());
            let (status, attempt, url) = (attempt.fetch.status, attempt.attempt, &attempt.url);
            info!(
                url,
                status,
                ?error,
                attempt,
                "fetch failed, to be tried again"
            );
        }
        Event::Page(page) => {
            if let Outcome::Failed(failure) = &page.outcome {
                let detail = page.detail.as_deref().unwrap_or_default();
                info!(url = page.url, failure = %failure.name(), detail, "URL failed");
            }
        }
        Event::Retry(retry) => info!(urls = retry.urls.len(), "URLs put back into the queue"),
        Event::Stop(stop) => {
            let detail = stop.detail.as_deref().unwrap_or_default();
            info!(reason = stop.reason.name(), detail, "crawl stopped");
        }
        Event::Seed(_) | Event::Sitemap(_) => {}
    }
}
