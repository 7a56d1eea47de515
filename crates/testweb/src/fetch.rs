//! The web in process: a [`fetcher::Fetch`] without a socket.
//!
//! Times are on tokio's clock. So under a paused clock a slow host takes no time, and the order of
//! answers is always the same. As in the real fetcher, a redirect is not followed.

use std::time::Duration;

use fetcher::{Fetch, FetchError, FetchFuture, FetchRequest, Fetched, Truncated};

use crate::faults::Ending;
use crate::message::Request;
use crate::web::TestWeb;

impl Fetch for TestWeb {
    fn fetch<'a>(&'a self, request: FetchRequest) -> FetchFuture<'a> {
        Box::pin(self.fetch_in_process(request))
    }
}

impl TestWeb {
    async fn fetch_in_process(&self, wanted: FetchRequest) -> Result<Fetched, FetchError> {
        let mut request = Request::get(&wanted.url);
        if let Some(etag) = wanted.if_none_match {
            request.headers.push(("if-none-match".into(), etag));
        }
        let started = self.now();
        let Some(plan) = self.plan(&request) else {
            self.note(&request, started, None);
            return Err(FetchError::Dns {
                message: "no such host in the test web".into(),
                host: request.host,
            });
        };
        if !plan.wait.is_zero() {
            tokio::time::sleep(plan.wait).await;
        }
        let first_byte = self.now() - started;
        let mut body = plan.response.body.clone();
        let cut = match plan.ending {
            Ending::Whole => None,
            Ending::Reset(at) | Ending::Truncate(at) => Some(at),
            Ending::Drip(bytes_per_s) => {
                let seconds = body.len() as f64 / f64::from(bytes_per_s.max(1));
                tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
                None
            }
        };
        self.note(&request, started, Some(&plan));
        if let Some(at) = cut {
            body.truncate(at);
        }
        // As in the real fetcher: a connection that breaks before any body is an error.
        if cut.is_some() && body.is_empty() {
            return Err(FetchError::Reset {
                message: "the test web broke the connection".into(),
            });
        }
        Ok(Fetched {
            remote: plan.address,
            truncated: cut.map(|_| Truncated::Disconnect),
            first_byte,
            total: self.now() - started,
            ..Fetched::new(
                wanted.url,
                plan.response.status,
                plan.response.headers,
                body,
            )
        })
    }
}
