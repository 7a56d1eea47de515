//! Following redirects, for callers who want that: robots.txt (RFC 9309 §2.3.1.2) and `tamis fetch`.
//!
//! A crawl follows none: to it a redirect is a link, and the target waits in the queue of its own host.
//! Here each hop is a fetch of its own, so URL, address guard and limits are checked every time. The
//! validators of the request belong to the first URL and are not sent to later ones.

use std::collections::HashSet;

use url::Url;

use crate::error::FetchError;
use crate::fetch::{Fetch, FetchRequest, Fetched};

/// The end of a chain of redirects, and the redirects on the way.
#[derive(Debug, Clone)]
pub struct Followed {
    /// The last answer, or why there was none.
    pub result: Result<Fetched, FetchError>,
    /// The redirects that were followed, in order.
    pub hops: Vec<Hop>,
    /// Why the last redirect was not followed: `too many redirects`, `redirect loop`, or `redirect to
    /// another scheme`. [`Self::result`] is then that redirect.
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
        fetcher.ready(&request).await;
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

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::Mutex;

    use super::*;
    use crate::fetch::FetchFuture;

    /// Redirects each path as told, and answers 200 to the rest.
    struct Web {
        redirect: fn(&str) -> Option<String>,
        asked: Mutex<Vec<String>>,
    }

    impl Fetch for Web {
        fn fetch<'a>(&'a self, request: FetchRequest) -> FetchFuture<'a> {
            self.asked.lock().unwrap().push(request.url.to_string());
            assert_eq!(request.if_none_match.is_some(), request.url.path() == "/0");
            let location = (self.redirect)(request.url.path());
            let status = if location.is_some() { 302 } else { 200 };
            let refused = request.url.host_str() == Some("127.0.0.1");
            let headers = location
                .map(|to| ("location".to_owned(), to.into_bytes()))
                .into_iter()
                .collect();
            let fetched = Fetched::new(request.url, status, headers, "");
            Box::pin(async move {
                if refused {
                    return Err(FetchError::Guard {
                        host: "127.0.0.1".to_owned(),
                        address: Some(IpAddr::from([127, 0, 0, 1])),
                        reason: "loopback",
                    });
                }
                Ok(fetched)
            })
        }
    }

    fn run(redirect: fn(&str) -> Option<String>) -> (Followed, usize) {
        let web = Web {
            redirect,
            asked: Mutex::new(Vec::new()),
        };
        let request = FetchRequest {
            if_none_match: Some("\"a\"".to_owned()),
            ..FetchRequest::page(Url::parse("http://a.example/0").unwrap())
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let followed = runtime.unwrap().block_on(follow(&web, request, 5));
        let asked = web.asked.lock().unwrap().len();
        (followed, asked)
    }

    fn next_number(path: &str) -> Option<String> {
        let number: u32 = path.trim_start_matches('/').parse().ok()?;
        Some(format!("/{}", number + 1))
    }

    #[test]
    fn redirects_are_followed_to_their_end_without_the_validators() {
        let (followed, asked) = run(|path| next_number(path).filter(|to| to != "/4"));
        assert_eq!(followed.result.unwrap().url.as_str(), "http://a.example/3");
        assert_eq!(followed.hops.len(), 3);
        assert_eq!(followed.hops[0].status, 302);
        assert_eq!((followed.stopped, asked), (None, 4));
    }

    #[test]
    fn an_endless_chain_costs_its_bound() {
        let (followed, asked) = run(next_number);
        assert_eq!(followed.stopped, Some("too many redirects"));
        assert_eq!(followed.result.unwrap().status, 302);
        assert_eq!(asked, 6);
    }

    #[test]
    fn a_loop_is_seen_at_once() {
        let (followed, asked) = run(|path| Some(if path == "/0" { "/1" } else { "/0#x" }.into()));
        assert_eq!((followed.stopped, asked), (Some("redirect loop"), 2));
    }

    #[test]
    fn another_scheme_is_not_followed_and_a_refused_hop_is_an_error() {
        let (followed, _) = run(|_| Some("file:///etc/passwd".to_owned()));
        assert_eq!(followed.stopped, Some("redirect to another scheme"));
        let (followed, _) = run(|path| (path == "/0").then(|| "http://127.0.0.1/".to_owned()));
        assert_eq!(followed.result.unwrap_err().name(), "guard");
        assert_eq!(followed.hops.len(), 1);
    }
}
