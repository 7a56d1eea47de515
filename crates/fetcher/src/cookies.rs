//! Cookies, within bounds: what hosts set, and what is sent back to them.
//!
//! Which cookie goes where is RFC 6265's, by the crate that reqwest uses itself. It keeps all that is
//! set, and a host may set one more on each page (a counter, a basket, a test that never ended): after
//! some eighty the request is longer than servers take, and every page behind is an error. Browsers keep
//! some fifty to two hundred cookies of a domain, and forget those first that were set longest ago.
//!
//! One jar serves all clients of a fetcher. Nothing is written to disk.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use cookie_store::{Cookie, CookieDomain};
use http::HeaderValue;
use reqwest::cookie::CookieStore;
use url::Url;

/// The most cookies of one domain: what RFC 6265bis §6.1 asks for at least.
const PER_DOMAIN_MAX: usize = 50;
/// The most bytes of a cookie's name and value (RFC 6265bis §5.6); a longer one is not kept.
const COOKIE_BYTES_MAX: usize = 4_096;
/// The most bytes of a Set-Cookie header with all its attributes.
const SET_COOKIE_BYTES_MAX: usize = 8_192;
/// The most bytes of a Cookie header. nginx and Apache take 8 KB of one header, Tomcat of all headers
/// together.
const HEADER_BYTES_MAX: usize = 6_000;
/// The most bytes of all cookies of a fetcher; the domain that set none for longest is forgotten first.
const ALL_BYTES_MAX: usize = 16_000_000;
/// What a cookie takes beside its text.
const OVERHEAD_BYTES: usize = 300;

/// The cookies of a fetcher.
#[derive(Default)]
pub(crate) struct CookieJar {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    domains: HashMap<String, Domain>,
    /// Domains by the turn in which they set a cookie last.
    by_turn: BTreeMap<u64, String>,
    turn: u64,
    bytes: usize,
}

/// The cookies of one domain, in the order of their setting.
#[derive(Default)]
struct Domain {
    cookies: Vec<Set>,
    turn: u64,
}

/// A cookie that was set.
struct Set {
    cookie: Cookie<'static>,
    turn: u64,
    bytes: usize,
}

impl Set {
    /// Whether both are one cookie, of which the later counts (RFC 6265 §5.3 step 11).
    fn is(&self, other: &Cookie<'_>) -> bool {
        self.cookie.name() == other.name()
            && self.cookie.domain == other.domain
            && self.cookie.path == other.path
    }

    /// Its bytes in a Cookie header, with what parts it from the next.
    fn sent_bytes(&self) -> usize {
        self.cookie.name().len() + self.cookie.value().len() + "=; ".len()
    }
}

impl Kept {
    fn set(&mut self, header: &HeaderValue, url: &Url) {
        let Some((cookie, bytes)) = read(header, url) else {
            return;
        };
        let Some(name) = cookie.domain.as_cow().map(String::from) else {
            return;
        };
        self.turn += 1;
        let turn = self.turn;
        let domain = self.domains.entry(name.clone()).or_default();
        let before: usize = domain.cookies.iter().map(|set| set.bytes).sum();
        domain
            .cookies
            .retain(|set| !set.is(&cookie) && !set.cookie.is_expired());
        // A cookie is taken back by setting one that has expired.
        if !cookie.is_expired() {
            let too_many = (domain.cookies.len() + 1).saturating_sub(PER_DOMAIN_MAX);
            domain.cookies.drain(..too_many);
            domain.cookies.push(Set {
                cookie,
                turn,
                bytes,
            });
        }
        let after: usize = domain.cookies.iter().map(|set| set.bytes).sum();
        self.by_turn.remove(&domain.turn);
        domain.turn = turn;
        if domain.cookies.is_empty() {
            self.domains.remove(&name);
        } else {
            self.by_turn.insert(turn, name);
        }
        self.bytes = self.bytes + after - before;
        self.forget();
    }

    /// Forgets the domains that set none for longest, as long as there is too much.
    fn forget(&mut self) {
        while self.bytes > ALL_BYTES_MAX
            && let Some((_, name)) = self.by_turn.pop_first()
        {
            let forgotten = self.domains.remove(&name);
            let cookies = forgotten.into_iter().flat_map(|domain| domain.cookies);
            self.bytes -= cookies.map(|set| set.bytes).sum::<usize>();
        }
    }

    /// The Cookie header for a URL: the cookies that were set last, as far as they fit. Those of longer
    /// paths stand first (RFC 6265 §5.4).
    fn header(&self, url: &Url) -> Option<HeaderValue> {
        let domains = suffixes(url.host_str()?);
        let mut sent: Vec<&Set> = domains
            .filter_map(|name| self.domains.get(name))
            .flat_map(|domain| &domain.cookies)
            .filter(|set| set.cookie.matches(url) && !set.cookie.is_expired())
            .collect();
        sent.sort_by_key(|set| std::cmp::Reverse(set.turn));
        let mut left = HEADER_BYTES_MAX;
        sent.retain(|set| {
            let fits = set.sent_bytes() <= left;
            left -= if fits { set.sent_bytes() } else { 0 };
            fits
        });
        sent.sort_by_key(|set| (std::cmp::Reverse(set.cookie.path.len()), set.turn));
        let pairs: Vec<String> = sent
            .iter()
            .map(|set| format!("{}={}", set.cookie.name(), set.cookie.value()))
            .collect();
        let header = Some(pairs.join("; ")).filter(|header| !header.is_empty());
        HeaderValue::try_from(header?).ok()
    }
}

/// A cookie that may be kept, and what it takes in memory.
fn read(header: &HeaderValue, url: &Url) -> Option<(Cookie<'static>, usize)> {
    let text = std::str::from_utf8(header.as_bytes()).ok()?;
    if text.len() > SET_COOKIE_BYTES_MAX {
        return None;
    }
    let mut cookie = Cookie::parse(text.to_owned(), url).ok()?;
    if cookie.name().len() + cookie.value().len() > COOKIE_BYTES_MAX {
        return None;
    }
    if let CookieDomain::Suffix(suffix) = &cookie.domain
        && psl::domain_str(suffix).is_none()
    {
        // Nobody sets cookies for all of `co.uk` (RFC 6265 §5.3 step 5).
        if !cookie.domain.host_is_identical(url) {
            return None;
        }
        cookie.domain = CookieDomain::host_only(url).ok()?;
    }
    Some((cookie, text.len() + OVERHEAD_BYTES))
}

/// A host and the domains above it: `www.a.example`, `a.example`, `example`.
fn suffixes(host: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(host), |name| Some(name.split_once('.')?.1))
}

impl CookieStore for CookieJar {
    fn set_cookies(&self, headers: &mut dyn Iterator<Item = &HeaderValue>, url: &Url) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        headers.for_each(|header| kept.set(header, url));
    }

    fn cookies(&self, url: &Url) -> Option<HeaderValue> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.header(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(jar: &CookieJar, url: &str, cookie: &str) {
        let header = HeaderValue::from_str(cookie).unwrap();
        jar.set_cookies(&mut std::iter::once(&header), &url.parse().unwrap());
    }

    #[track_caller]
    fn check(jar: &CookieJar, url: &str, header: &str) {
        let sent = jar.cookies(&url.parse().unwrap());
        let sent = sent.map_or_else(String::new, |sent| sent.to_str().unwrap().to_owned());
        assert_eq!(sent, header, "{url}");
    }

    #[test]
    fn a_cookie_goes_where_it_was_set_for() {
        let jar = CookieJar::default();
        set(&jar, "http://www.a.example/x/y", "host=1; Path=/");
        set(
            &jar,
            "http://www.a.example/x/y",
            "all=2; Domain=a.example; Path=/",
        );
        set(&jar, "http://www.a.example/x/y", "path=3");
        set(&jar, "https://www.a.example/", "safe=4; Secure");
        set(&jar, "http://www.a.example/", "other=5; Domain=b.example");
        check(&jar, "http://www.a.example/", "host=1; all=2");
        check(&jar, "http://www.a.example/x/z", "path=3; host=1; all=2");
        check(&jar, "https://www.a.example/", "host=1; all=2; safe=4");
        check(&jar, "http://a.example/", "all=2");
        check(&jar, "http://b.example/", "");
        check(&jar, "http://notwww.a.example.org/", "");
    }

    #[test]
    fn a_cookie_is_set_anew_and_taken_back() {
        let jar = CookieJar::default();
        let url = "http://a.example/";
        set(&jar, url, "a=1");
        set(&jar, url, "b=1");
        set(&jar, url, "a=2");
        check(&jar, url, "b=1; a=2");
        set(&jar, url, "b=; Max-Age=0");
        set(&jar, url, "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT");
        check(&jar, url, "");
        let kept = jar.kept.lock().unwrap();
        assert_eq!(
            (kept.bytes, kept.domains.len(), kept.by_turn.len()),
            (0, 0, 0)
        );
    }

    #[test]
    fn nobody_sets_cookies_for_a_public_suffix_but_itself() {
        let jar = CookieJar::default();
        set(&jar, "http://a.co.uk/", "a=1; Domain=co.uk");
        check(&jar, "http://b.co.uk/", "");
        set(&jar, "http://localhost/", "a=1; Domain=localhost");
        check(&jar, "http://localhost/", "a=1");
        check(&jar, "http://x.localhost/", "");
    }

    #[test]
    fn a_domain_has_so_many_cookies_and_the_oldest_go_first() {
        // A host that set one more on each page was answered with 400 after some eighty.
        let jar = CookieJar::default();
        let url = "http://a.example/";
        set(&jar, url, "session=1");
        for n in 0..500 {
            set(&jar, url, &format!("v{n}={}", "x".repeat(100)));
            set(&jar, url, "session=1");
            let header = jar.cookies(&url.parse().unwrap()).unwrap();
            assert!(header.len() <= HEADER_BYTES_MAX);
            assert!(header.to_str().unwrap().contains("session=1"));
        }
        let header = jar.cookies(&url.parse().unwrap()).unwrap();
        let names: Vec<_> = header.to_str().unwrap().split("; ").collect();
        assert_eq!(names.len(), PER_DOMAIN_MAX);
        assert!(names[0].starts_with("v451="), "{}", names[0]);
    }

    #[test]
    fn a_header_is_no_longer_than_servers_take() {
        let jar = CookieJar::default();
        let url = "http://a.example/";
        for name in ["a", "b", "c"] {
            set(&jar, url, &format!("{name}={}", "x".repeat(2_500)));
        }
        set(&jar, url, &format!("d={}", "x".repeat(COOKIE_BYTES_MAX)));
        let header = jar.cookies(&url.parse().unwrap()).unwrap();
        let names = header.to_str().unwrap().split("; ");
        assert_eq!(names.map(|pair| &pair[..1]).collect::<String>(), "bc");
    }

    #[test]
    fn all_hosts_together_have_a_bound() {
        let jar = CookieJar::default();
        for n in 0..6_000 {
            set(
                &jar,
                &format!("http://h{n}.example/"),
                &format!("a={}", "x".repeat(4_000)),
            );
        }
        check(&jar, "http://h0.example/", "");
        assert!(
            jar.cookies(&"http://h5999.example/".parse().unwrap())
                .is_some()
        );
        let kept = jar.kept.lock().unwrap();
        assert!(kept.bytes <= ALL_BYTES_MAX);
        assert_eq!(kept.domains.len(), kept.by_turn.len());
        let held = kept.domains.values().flat_map(|domain| &domain.cookies);
        assert_eq!(held.map(|set| set.bytes).sum::<usize>(), kept.bytes);
    }
}
