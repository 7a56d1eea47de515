//! Which URLs a user asks to be tried again: by status, class, name of a failure or of a refusal, and host.

use archive::PageRecord;
use frontier::typed_host;
use outcome::{FailureKind, Outcome, Refusal};
use serde::{Deserialize, Serialize};

use super::{has_no_robots, is_error_page, may_be_retried};

/// Which failed URLs to try again; empty for all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryFilter {
    /// `503`, `5xx`, the name of a failure such as `dns` or `timeout`, `guard` for what the address
    /// guard refused, or `learnt` for what rules refused unread.
    pub status: Option<String>,
    /// This host and those below it.
    pub host: Option<String>,
}

/// Failures that a filter may ask for by name, beside `http_503` and the like.
const FAILURES: [FailureKind; 12] = [
    FailureKind::Dns,
    FailureKind::Connect,
    FailureKind::Tls,
    FailureKind::Timeout,
    FailureKind::Reset,
    FailureKind::TooLarge,
    FailureKind::Protocol,
    FailureKind::BadUrl,
    FailureKind::Proxy,
    FailureKind::Truncated,
    FailureKind::Encoding,
    FailureKind::Unreadable,
];

/// What asks for URLs whose host had no usable robots.txt.
const NO_ROBOTS: &str = Refusal::ROBOTS;

/// What asks for URLs whose host was given up.
const HOST_GONE: &str = Refusal::HOST_GONE;

/// What asks for URLs that the address guard refused, which is no failure: a crawl of the public web
/// finds many of them, and none is let through until the configuration is another one.
const GUARD: &str = Refusal::GUARD;

/// What asks for URLs whose host answers with walls.
const WALLED: &str = Refusal::WALLED;

/// What asks for URLs that the scope or a budget of an earlier start left out.
const LEFT_OUT: &str = Refusal::LEFT_OUT;

/// What asks for URLs that were refused unread because of a learnt rule; the name of such a refusal
/// asks for these alone.
const LEARNT: &str = "learnt";

/// What the `status` of a filter asks for.
#[derive(Debug, PartialEq, Eq)]
enum Ending {
    Status(u16),
    /// The first digit of the status.
    Class(u16),
    Failure(FailureKind),
    NoRobots,
    LeftOut,
    HostGone,
    Walled,
    Guarded,
    /// Refused for a learnt rule, by this name of a refusal if there is one.
    Learnt(Option<&'static str>),
}

impl Ending {
    fn of(status: &str) -> Self {
        let class = status
            .strip_suffix("xx")
            .and_then(|digit| digit.parse().ok());
        if status == LEARNT {
            return Self::Learnt(None);
        }
        if let Some(name) = Refusal::LEARNT_NAMES.iter().find(|name| **name == status) {
            return Self::Learnt(Some(name));
        }
        match (class, status.parse(), status) {
            (Some(class), ..) => Self::Class(class),
            (None, Ok(status), _) => Self::Status(status),
            (None, Err(_), NO_ROBOTS) => Self::NoRobots,
            (None, Err(_), LEFT_OUT) => Self::LeftOut,
            (None, Err(_), HOST_GONE) => Self::HostGone,
            (None, Err(_), WALLED) => Self::Walled,
            (None, Err(_), GUARD) => Self::Guarded,
            (None, Err(_), name) => Self::Failure(name.into()),
        }
    }

    fn is_of(&self, page: &PageRecord) -> bool {
        match self {
            Self::Status(status) => page.status() == *status,
            Self::Class(class) => page.status() / 100 == *class,
            Self::Failure(kind) => page.outcome == Outcome::Failed(kind.clone()),
            Self::NoRobots => has_no_robots(page),
            Self::LeftOut => matches!(page.outcome.refusal(), Some(Refusal::LeftOut(_))),
            Self::HostGone => matches!(page.outcome.refusal(), Some(Refusal::HostGone(_))),
            Self::Walled => matches!(page.outcome.refusal(), Some(Refusal::Walled(_))),
            Self::Guarded => matches!(page.outcome.refusal(), Some(Refusal::Guard(_))),
            Self::Learnt(name) => {
                let refusal = page.outcome.refusal().filter(|refusal| refusal.is_learnt());
                refusal.is_some_and(|refusal| name.is_none_or(|name| name == refusal.name()))
            }
        }
    }

    /// Whether URLs are asked for that are no failures, and are put back by this name alone: a learnt
    /// rule refused them, or the address guard.
    fn is_by_name(&self) -> bool {
        match self {
            Self::Learnt(_) | Self::Guarded => true,
            Self::Status(_)
            | Self::Class(_)
            | Self::Failure(_)
            | Self::NoRobots
            | Self::LeftOut
            | Self::HostGone
            | Self::Walled => false,
        }
    }
}

impl RetryFilter {
    /// The filter that a user wrote.
    ///
    /// # Errors
    /// What is wrong with it and how to mend it.
    pub fn parse(status: Option<&str>, host: Option<&str>) -> Result<Self, String> {
        Ok(Self {
            status: status.map(parse_status).transpose()?,
            host: host.map(parse_host).transpose()?,
        })
    }

    pub(super) fn takes(&self, page: &PageRecord) -> bool {
        let wanted = self.status.as_deref().map(Ending::of);
        let may_be_retried = match &wanted {
            Some(wanted) if wanted.is_by_name() => true,
            Some(Ending::Status(_)) => may_be_retried(page) || is_error_page(page),
            Some(_) | None => may_be_retried(page),
        };
        may_be_retried
            && wanted.is_none_or(|wanted| wanted.is_of(page))
            && self.takes_host(&page.host)
    }

    /// Whether it takes URLs of a host.
    pub fn takes_host(&self, host: &str) -> bool {
        self.host.as_deref().is_none_or(|wanted| {
            let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
            let below = name
                .strip_suffix(wanted)
                .is_some_and(|rest| rest.ends_with('.'));
            host == wanted || name == wanted || below
        })
    }

    /// In words, for the journal.
    pub(super) fn words(&self) -> String {
        let status = self
            .status
            .as_ref()
            .map(|status| format!("status {status}"));
        let host = self.host.as_ref().map(|host| format!("host {host}"));
        let parts: Vec<String> = status.into_iter().chain(host).collect();
        if parts.is_empty() {
            "all that failed".into()
        } else {
            parts.join(", ")
        }
    }
}

/// `503`, `5xx`, or a name as the journal has it.
fn parse_status(text: &str) -> Result<String, String> {
    let status = text.trim().to_lowercase().replace([' ', '-'], "_");
    let digits = status.strip_prefix("http_").unwrap_or(&status);
    let is_code = |code: &str| code.len() == 3 && matches!(code.parse(), Ok(100..600_u16));
    let is_class = matches!(digits.as_bytes(), [b'1'..=b'5', b'x', b'x']);
    if is_class || is_code(digits) {
        return Ok(digits.to_owned());
    }
    let names: Vec<_> = FAILURES.iter().map(FailureKind::name).collect();
    let names: Vec<&str> = names
        .iter()
        .map(|name| &**name)
        .chain([NO_ROBOTS, LEFT_OUT, HOST_GONE, WALLED, GUARD, LEARNT])
        .chain(Refusal::LEARNT_NAMES)
        .collect();
    if names.contains(&status.as_str()) {
        return Ok(status);
    }
    let near = names
        .iter()
        .min_by_key(|name| strsim::osa_distance(&status, name));
    let hint = near
        .filter(|name| strsim::osa_distance(&status, name) <= 2)
        .map_or(String::new(), |name| format!("did you mean {name}? "));
    Err(format!(
        "--status {text:?} is no status: {hint}write a code (404), a class (4xx), or one of {}",
        names.join(", ")
    ))
}

fn parse_host(text: &str) -> Result<String, String> {
    let host = text.trim().to_lowercase();
    let bare = host.split_once("://").map_or(&*host, |(_, rest)| rest);
    let bare = bare.split('/').next().unwrap_or_default();
    match (bare == host, bare) {
        (_, "") => Err("--host is empty: write a host, such as example.org".into()),
        (true, _) => Ok(typed_host(host.strip_prefix("*.").unwrap_or(&host))),
        (false, _) => Err(format!("--host {text:?} is no host: write {bare:?}")),
    }
}
