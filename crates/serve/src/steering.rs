//! Words to a crawl: pause, go on, stop, try again, take seeds, read your settings.

use http::StatusCode;
use pipeline::control::{Reply, Request, SeedsTaken, ask, requests_for_lines};
use pipeline::retry::{RetryFilter, retry_stopped};

use crate::answers::{Reloaded, RetryAsked, SeedsAsked, SeedsTold, ToldCrawl};
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
    answered(crawl, request).map(ToldCrawl::from)
}

/// What a running crawl answers; that none runs is a conflict.
fn answered(crawl: &Served, request: &Request) -> Result<Reply, Failed> {
    told(crawl, request)?.ok_or_else(|| conflict("no crawl runs in that directory"))
}

/// What a running crawl answers; `None` where none runs.
fn told(crawl: &Served, request: &Request) -> Result<Option<Reply>, Failed> {
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
            None => Ok(Some(reply)),
        },
    }
}

impl From<Reply> for ToldCrawl {
    fn from(reply: Reply) -> Self {
        Self {
            state: reply.snapshot.state,
            urls: reply.urls,
        }
    }
}

/// Has the crawl read its settings anew.
pub(crate) fn reload(crawl: &Served) -> Result<Reloaded, Failed> {
    let reply = answered(crawl, &Request::Reload)?;
    match reply.mistakes {
        Some(mistakes) => Err(conflict(mistakes)),
        None => Ok(Reloaded {
            state: reply.snapshot.state,
            changes: reply.changes,
        }),
    }
}

/// Gives the crawl further seeds: with a bad line among them, none.
pub(crate) fn add_seeds(crawl: &Served, asked: &SeedsAsked) -> Result<SeedsTold, Failed> {
    let bad = |why: String| Failed(StatusCode::BAD_REQUEST, why);
    let requests = requests_for_lines("the added seeds", &asked.lines).map_err(bad)?;
    if requests.is_empty() {
        return Err(bad("no seeds: give a URL a line".to_owned()));
    }
    let mut taken = SeedsTaken::default();
    let mut state = String::new();
    for request in requests {
        let reply = answered(crawl, &request)?;
        taken.add(reply.seeds);
        state = reply.snapshot.state;
    }
    Ok(SeedsTold {
        state,
        queued: taken.queued,
        seen: taken.seen,
        known: taken.known,
        left_out: taken.left_out,
    })
}

/// Puts failed URLs back.
pub(crate) fn retry(crawl: &Served, asked: &RetryAsked) -> Result<ToldCrawl, Failed> {
    let filter = RetryFilter::parse(asked.status.as_deref(), asked.host.as_deref());
    let filter = filter.map_err(|why| Failed(StatusCode::BAD_REQUEST, why))?;
    if let Some(told) = told(crawl, &Request::Retry(filter.clone()))? {
        return Ok(told.into());
    }
    let urls = retry_stopped(crawl.follower.dir(), &filter);
    Ok(ToldCrawl {
        state: "stopped".to_owned(),
        urls: urls.map_err(|error| conflict(error.to_string()))? as u64,
    })
}
