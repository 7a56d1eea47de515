//! Who may ask what: the door every request goes through before anything is read.
//!
//! The server shows what a crawl found and can stop it, and a browser sends requests for any site
//! that asks it to. So:
//!
//! - the name in `Host` must be one of ours, else another site's name may have been pointed at our
//!   address (DNS rebinding), and its scripts would be of our origin;
//! - what another site makes a browser send is refused by `Sec-Fetch-Site` and `Origin`, and what
//!   changes something must carry the secret of this start, which only our own pages are told;
//! - on any address but loopback a token is asked for, as a bearer or once in the URL, and then kept
//!   as a cookie that scripts cannot read and other sites cannot send.

use std::net::{IpAddr, SocketAddr};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN,
};
use http::request::Parts;
use http::{Method, StatusCode};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Bytes of a path.
const PATH_BYTES_MAX: usize = 2_048;

/// Bytes of a query: the longest that is searched for, in Chinese, with the filters beside it. The head of a request
/// may have 16 KiB.
const QUERY_BYTES_MAX: usize = 13 << 10;

/// Bytes of a request's body.
pub(crate) const BODY_BYTES_MAX: usize = 16 << 10;

/// Bytes of a token at least.
pub const TOKEN_BYTES_MIN: usize = 16;

/// The cookie that stands for a token that was shown.
const SESSION: &str = "tamis_session";

/// The header with the secret of this start.
pub(crate) const CSRF: HeaderName = HeaderName::from_static("x-tamis-csrf");

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// What is asked at the door.
#[derive(Debug)]
pub(crate) struct Guard {
    listen: SocketAddr,
    /// Further names of this server, in lower case.
    hosts: Vec<String>,
    token: Option<String>,
    session: String,
    csrf: String,
}

/// A request that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// With this status.
    pub(crate) status: StatusCode,
    /// For this reason.
    pub(crate) why: &'static str,
}

/// A request that may go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pass {
    /// As it is.
    In,
    /// It brought the token in its URL: it is sent to the URL without it, with a cookie.
    Admit {
        /// Where to.
        to: String,
        /// The cookie.
        cookie: String,
    },
}

fn refused(status: StatusCode, why: &'static str) -> Refused {
    Refused { status, why }
}

/// A secret that nobody can guess.
///
/// # Errors
/// When the system gives no random bytes.
fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Whether two secrets are the same, in a time that does not tell where they differ.
fn is_same(given: &str, wanted: &str) -> bool {
    let hash = |text: &str| Sha256::digest(text.as_bytes());
    hash(given).ct_eq(&hash(wanted)).into()
}

impl Guard {
    /// A door for a server on an address.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub(crate) fn new(
        listen: SocketAddr,
        hosts: &[String],
        token: Option<String>,
    ) -> Result<Self, getrandom::Error> {
        Ok(Self {
            listen,
            hosts: hosts.iter().map(|host| host.to_lowercase()).collect(),
            token,
            session: secret()?,
            csrf: secret()?,
        })
    }

    /// The secret of this start, for our own pages.
    pub(crate) fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Whether a request may go on.
    pub(crate) fn check(&self, request: &Parts) -> Result<Pass, Refused> {
        let (path, query) = (request.uri.path(), request.uri.query().unwrap_or_default());
        if path.len() > PATH_BYTES_MAX || query.len() > QUERY_BYTES_MAX {
            return Err(refused(StatusCode::URI_TOO_LONG, "the URL is too long"));
        }
        if !matches!(request.method, Method::GET | Method::HEAD | Method::POST) {
            let why = "only GET, HEAD and POST are known here";
            return Err(refused(StatusCode::METHOD_NOT_ALLOWED, why));
        }
        let headers = &request.headers;
        let host = self.host(headers)?;
        if request
            .uri
            .authority()
            .is_some_and(|named| named.as_str() != host)
        {
            let why = "the URL names another host";
            return Err(refused(StatusCode::BAD_REQUEST, why));
        }
        from_here(headers)?;
        if matches!(path, "/healthz" | "/readyz") {
            return Ok(Pass::In);
        }
        let by_bearer = match self.identity(headers) {
            Identity::Bearer => true,
            Identity::Session | Identity::NotAsked => false,
            Identity::Stranger => return self.admit(request),
        };
        if request.method == Method::POST {
            self.may_change(headers, host, by_bearer)?;
        }
        Ok(Pass::In)
    }

    /// The one host that a request names, if it is one of ours.
    fn host<'h>(&self, headers: &'h HeaderMap) -> Result<&'h str, Refused> {
        let mut named = headers.get_all(HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else {
            return Err(refused(StatusCode::BAD_REQUEST, "one Host is needed"));
        };
        let host = host.to_str().unwrap_or_default();
        match self.is_ours(host) {
            true => Ok(host),
            false => Err(refused(
                StatusCode::FORBIDDEN,
                "this server does not go by that name; name it with --host",
            )),
        }
    }

    /// A number is no name that could be pointed elsewhere.
    fn is_ours(&self, host: &str) -> bool {
        let Some((name, port)) = split_port(host) else {
            return false;
        };
        let name = name.to_lowercase();
        if self.hosts.contains(&name) || self.hosts.contains(&host.to_lowercase()) {
            return true;
        }
        if port != Some(self.listen.port()) && !(port.is_none() && self.listen.port() == 80) {
            return false;
        }
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) if self.listen.ip().is_loopback() => address.is_loopback(),
            Ok(address) => self.listen.ip().is_unspecified() || address == self.listen.ip(),
            Err(_) => name == "localhost" && self.listen.ip().is_loopback(),
        }
    }

    fn identity(&self, headers: &HeaderMap) -> Identity {
        let Some(token) = &self.token else {
            return Identity::NotAsked;
        };
        let bearer = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        if let Some(given) = bearer {
            let given = given.strip_prefix("Bearer ").unwrap_or_default();
            return match is_same(given, token) {
                true => Identity::Bearer,
                false => Identity::Stranger,
            };
        }
        let cookies = headers.get_all(COOKIE).iter();
        let cookies = cookies.filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|line| line.split(';'));
        let session = pairs.find_map(|pair| pair.trim().strip_prefix(SESSION)?.strip_prefix('='));
        match session.is_some_and(|given| is_same(given, &self.session)) {
            true => Identity::Session,
            false => Identity::Stranger,
        }
    }

    /// Lets in who has the token in the URL.
    fn admit(&self, request: &Parts) -> Result<Pass, Refused> {
        let why = "a token is needed: open this server's URL with ?token=... once, or send it as a bearer";
        let stranger = || refused(StatusCode::UNAUTHORIZED, why);
        let (Some(token), &Method::GET) = (&self.token, &request.method) else {
            return Err(stranger());
        };
        let query = request.uri.query().unwrap_or_default();
        let pairs = || url::form_urlencoded::parse(query.as_bytes());
        let given = pairs()
            .find(|(name, _)| name == "token")
            .ok_or_else(stranger)?;
        if !is_same(&given.1, token) {
            return Err(stranger());
        }
        let mut rest = url::form_urlencoded::Serializer::new(String::new());
        rest.extend_pairs(pairs().filter(|(name, _)| name != "token"));
        let rest = rest.finish();
        // A path of two slashes would be another host's.
        let path = format!("/{}", request.uri.path().trim_start_matches(['/', '\\']));
        Ok(Pass::Admit {
            to: match rest.is_empty() {
                true => path,
                false => format!("{path}?{rest}"),
            },
            cookie: format!(
                "{SESSION}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800",
                self.session
            ),
        })
    }

    /// Whether a request may change something.
    fn may_change(&self, headers: &HeaderMap, host: &str, by_bearer: bool) -> Result<(), Refused> {
        if let Some(origin) = headers.get(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            let authority = origin
                .strip_prefix("http://")
                .or_else(|| origin.strip_prefix("https://"));
            if !authority.is_some_and(|named| named.eq_ignore_ascii_case(host)) {
                let why = "the request comes from another site";
                return Err(refused(StatusCode::FORBIDDEN, why));
            }
        }
        let kind = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let kind = kind
            .unwrap_or_default()
            .split(';')
            .next()
            .unwrap_or_default();
        if !kind.trim().eq_ignore_ascii_case("application/json") {
            let why = "the body must be application/json";
            return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
        let length = headers
            .get(CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok());
        let length = length.and_then(|value| value.parse::<u64>().ok());
        if length.is_some_and(|length| length > BODY_BYTES_MAX as u64) {
            let why = "the body is too long";
            return Err(refused(StatusCode::PAYLOAD_TOO_LARGE, why));
        }
        // No browser sends a bearer by itself.
        let given = headers.get(CSRF).and_then(|value| value.to_str().ok());
        match by_bearer || given.is_some_and(|given| is_same(given, &self.csrf)) {
            true => Ok(()),
            false => Err(refused(
                StatusCode::FORBIDDEN,
                "X-Tamis-Csrf is missing or of another start; GET /api/v1/session tells it",
            )),
        }
    }
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identity {
    /// The server has no token.
    NotAsked,
    /// Showed the token with this request.
    Bearer,
    /// Showed it before.
    Session,
    /// None of these.
    Stranger,
}

/// Whether a browser says that another site made it send this, or shows it inside another page.
fn from_here(headers: &HeaderMap) -> Result<(), Refused> {
    let told = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_foreign = !matches!(told(&FETCH_SITE), None | Some("same-origin" | "none"));
    let is_visit = told(&FETCH_MODE) == Some("navigate");
    let is_framed = matches!(
        told(&FETCH_DEST),
        Some("iframe" | "frame" | "embed" | "object" | "fencedframe")
    );
    match is_framed || (is_foreign && !is_visit) {
        true => Err(refused(
            StatusCode::FORBIDDEN,
            "another site made the browser send this",
        )),
        false => Ok(()),
    }
}

/// A host and its port, if it has the form of one.
fn split_port(host: &str) -> Option<(&str, Option<u16>)> {
    let is_plain = |name: &str| {
        let in_brackets = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        let (name, colon) = (in_brackets.unwrap_or(name), in_brackets.is_some());
        let fits =
            |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-' || (colon && c == ':');
        !name.is_empty() && name.chars().all(fits)
    };
    let end = host.rfind(']').map_or(0, |at| at + 1);
    match host[end..].find(':') {
        Some(at) => {
            let (name, port) = (&host[..end + at], &host[end + at + 1..]);
            let port = port.parse().ok()?;
            is_plain(name).then_some((name, Some(port)))
        }
        None => is_plain(host).then_some((host, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(listen: &str, token: Option<&str>) -> Guard {
        let listen = listen.parse().expect("an address");
        let hosts = ["Crawl.Example".to_owned()];
        Guard::new(listen, &hosts, token.map(str::to_owned)).expect("random bytes")
    }

    fn request(method: &str, uri: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = http::Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn hosts_are_ours_or_not() {
        let on_loopback = guard("127.0.0.1:7700", None);
        let on_all = guard("0.0.0.0:7700", Some("a token of some length"));
        for (host, loopback, all) in [
            ("127.0.0.1:7700", true, true),
            ("localhost:7700", true, false),
            ("LOCALHOST:7700", true, false),
            ("[::1]:7700", true, true),
            ("127.0.0.2:7700", true, true),
            ("crawl.example", true, true),
            ("crawl.example:443", true, true),
            ("192.0.2.1:7700", false, true),
            ("127.0.0.1", false, false),
            ("127.0.0.1:80", false, false),
            ("localhost.evil.test:7700", false, false),
            ("evil.test:7700", false, false),
            ("127.0.0.1.nip.test:7700", false, false),
            ("", false, false),
            ("127.0.0.1:7700@evil.test", false, false),
            ("127.0.0.1:7700/", false, false),
            ("[::1:7700", false, false),
        ] {
            assert_eq!(on_loopback.is_ours(host), loopback, "{host:?}");
            assert_eq!(on_all.is_ours(host), all, "{host:?}");
        }
    }

    #[test]
    fn a_token_lets_in_and_leaves_the_url() {
        let token = "0123456789abcdef";
        let guard = guard("127.0.0.1:7700", Some(token));
        let host = ("host", "127.0.0.1:7700");
        let uri = format!("//evil.test/x?a=1&token={token}&b=%26");
        let pass = guard.check(&request("GET", &uri, &[host]));
        let Ok(Pass::Admit { to, cookie }) = pass else {
            panic!("{pass:?}");
        };
        assert_eq!(to, "/evil.test/x?a=1&b=%26");
        assert!(
            cookie.contains("; HttpOnly; SameSite=Strict; Path=/"),
            "{cookie}"
        );
        assert!(!cookie.contains(token));
        let session = cookie.split(';').next().expect("its pair");
        let cookies = format!("other=1; {session}");
        let inside = guard.check(&request("GET", "/", &[host, ("cookie", &cookies)]));
        assert_eq!(inside, Ok(Pass::In));
        for stranger in [
            request("GET", "/", &[host]),
            request("GET", "/?token=0123456789abcdeF", &[host]),
            request("GET", "/", &[host, ("cookie", "tamis_session=x")]),
            request("GET", "/", &[host, ("authorization", "Bearer x")]),
            request("POST", &format!("/?token={token}"), &[host]),
        ] {
            let refused = guard.check(&stranger).expect_err("no token");
            assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
        }
        let bearer = format!("Bearer {token}");
        let post = [
            host,
            ("authorization", &bearer),
            ("content-type", "application/json"),
        ];
        assert_eq!(guard.check(&request("POST", "/x", &post)), Ok(Pass::In));
        assert_eq!(
            guard.check(&request("GET", "/healthz", &[host])),
            Ok(Pass::In)
        );
    }
}
