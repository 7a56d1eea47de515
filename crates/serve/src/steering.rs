//! Words to a crawl: pause, go on, stop, try again.

use http::StatusCode;
use pipeline::control::{Request, ask};
use pipeline::retry::{RetryFilter, retry_stopped};

use crate::answers::{RetryAsked, ToldCrawl};
use crate::app::Failed;
use crate::crawls::Served;

/// Lets the crawl begin no new fetch.
pub(crate) fn pause(crawl: &Served) -> Result<ToldCrawl, Failed> {
    tell(crawl, &Request::Pause)
}

/// Lets it go on.
pub(crate) fn resume(crawl: &Served) -> Result<ToldCrawl, Failed> {
    tell(crawl, &Request::Resume)
}

/// Stops it cleanly.
pub(crate) fn stop(crawl: &Served) -> Result<ToldCrawl, Failed> {
    tell(crawl, &Request::Stop)
}

fn conflict(why: impl Into<String>) -> Failed {
    Failed(StatusCode::CONFLICT, why.into())
}

fn tell(crawl: &Served, request: &Request) -> Result<ToldCrawl, Failed> {
    told(crawl, request)?.ok_or_else(|| conflict("no crawl runs in that directory"))
}

/// What a running crawl answers; `None` where none runs.
fn told(crawl: &Served, request: &Request) -> Result<Option<ToldCrawl>, Failed> {
    let reply = ask(crawl.follower.dir(), request);
    crawl.was_told();
    let reply = reply.map_err(|error| {
        let why = format!("cannot talk to the running crawl: {error}");
        Failed(StatusCode::SERVICE_UNAVAILABLE, why)
    })?;
    match reply {
        None => Ok(None),
        Some(reply) => match reply.error {
            Some(why) => Err(conflict(why)),
            None => Ok(Some(ToldCrawl {
                state: reply.snapshot.state,
                urls: reply.urls,
            })),
        },
    }
}

/// Puts failed URLs back.
pub(crate) fn retry(crawl: &Served, asked: &RetryAsked) -> Result<ToldCrawl, Failed> {
    let filter = RetryFilter::parse(asked.status.as_deref(), asked.host.as_deref());
    let filter = filter.map_err(|why| Failed(StatusCode::BAD_REQUEST, why))?;
    if let Some(told) = told(crawl, &Request::Retry(filter.clone()))? {
        return Ok(told);
    }
    let urls = retry_stopped(crawl.follower.dir(), &filter);
    Ok(ToldCrawl {
        state: "stopped".to_owned(),
        urls: urls.map_err(|error| conflict(error.to_string()))? as u64,
    })
}
