//! Following redirects, for the few who want that: robots.txt (RFC 9309 §2.3.1.2) and
//! `tamis fetch`.
//!
//! A crawl does not: for it a redirect is a link, and the next hop waits its turn at its own host.
//! Each hop here is a fetch of its own, so URL, address guard and limits are asked every time.
//! Validators belong to the first URL and are not sent on.

use std::collections::HashSet;

use url::Url;

use crate::error::FetchError;
use crate::fetch::{Fetch, FetchRequest, Fetched};

/// Where a chain of redirects ended, and the way there.
#[derive(Debug, Clone)]
pub struct Followed {
    /// The last answer, or why there was none.
    pub result: Result<Fetched, FetchError>,
    /// The redirects that were followed, in order.
    pub hops: Vec<Hop>,
    /// Why a redirect was not followed: `too many redirects`, `redirect loop`, or `redirect to
    /// another scheme`. [`Self::result`] is then that redirect itself.
    pub stopped: Option<&'static str>,
}

/// One redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The URL that redirected.
    pub url: Url,
    /// With this status.
    pub status: u16,
}

impl Followed {
    /// The URL of the last answer, or of the last attempt.
    pub fn final_url<'s>(&'s self, asked: &'s Url) -> &'s Url {
        match &self.result {
            Ok(fetched) => &fetched.url,
            Err(_) => asked,
        }
    }
}

/// Fetches and follows up to `redirects_max` redirects.
pub async fn follow(fetcher: &dyn Fetch, request: FetchRequest, redirects_max: u32) -> Followed {
    let purpose = request.purpose;
    let mut seen: HashSet<Url> = HashSet::new();
    let mut hops = Vec::new();
    let mut request = request;
    loop {
        seen.insert(without_fragment(&request.url));
        let fetched = match fetcher.fetch(request).await {
            Ok(fetched) => fetched,
            Err(error) => {
                return Followed {
                    result: Err(error),
                    hops,
                    stopped: None,
                };
            }
        };
        let next = fetched.location();
        let stopped = match &next {
            None => None,
            Some(url) if !matches!(url.scheme(), "http" | "https") => {
                Some("redirect to another scheme")
            }
            Some(url) if seen.contains(&without_fragment(url)) => Some("redirect loop"),
            Some(_) if hops.len() >= redirects_max as usize => Some("too many redirects"),
            Some(_) => None,
        };
        match next {
            Some(url) if stopped.is_none() => {
                hops.push(Hop {
                    url: fetched.url,
                    status: fetched.status,
                });
                request = FetchRequest::new(url, purpose);
            }
            _ => {
                return Followed {
                    result: Ok(fetched),
                    hops,
                    stopped,
                };
            }
        }
    }
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}
