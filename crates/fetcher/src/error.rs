//! Errors of a fetch, by what the caller can do about them.
//!
//! reqwest reports "error sending request" for nearly everything; the cause is in the chain of sources.
//! `FetchError::classify` walks this chain by type (address guard, resolver, rustls, h2, hyper, the
//! operating system) and gives each cause one stable name, since the name is stored and reported.

use std::error::Error as StdError;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use crate::guard::Refused;
use crate::resolve::LookupFailed;

/// Why a fetch has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The host's name has no address, or the name server did not answer.
    #[error("look up {host}: {message}")]
    Dns {
        /// The name.
        host: String,
        /// What the system said.
        message: String,
    },
    /// The address guard refused to connect: see [`AddressGuard`](crate::AddressGuard).
    #[error("connect to {host}: refused by the address guard: {reason}")]
    Guard {
        /// The host as asked for.
        host: String,
        /// The address that was refused; `None` when a name was.
        address: Option<IpAddr>,
        /// The kind of address, e.g. `loopback`.
        reason: &'static str,
    },
    /// No TCP connection: refused, unreachable, no route.
    #[error("connect: {message}")]
    Connect {
        /// What the system said.
        message: String,
    },
    /// The TLS handshake failed, most often over the certificate.
    #[error("set up TLS: {message}")]
    Tls {
        /// What rustls said.
        message: String,
    },
    /// A time limit ran out before anything of the body had arrived.
    #[error("wait for {}: nothing within {:.1} s", phase.name(), after.as_secs_f64())]
    Timeout {
        /// What was waited for.
        phase: TimeoutPhase,
        /// How long.
        after: Duration,
    },
    /// The connection broke before the headers were whole, or before any of the body.
    #[error("read the answer: connection lost: {message}")]
    Reset {
        /// What was seen.
        message: String,
    },
    /// The headers are larger or more than the limits allow.
    #[error("read the answer: {what} over the limit of {limit}")]
    TooLarge {
        /// What was too large.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The bytes received are not HTTP.
    #[error("read the answer: {message}")]
    Protocol {
        /// What was wrong.
        message: String,
    },
    /// The URL cannot be fetched: another scheme, no host, credentials, too long.
    #[error("fetch this URL: {message}")]
    BadUrl {
        /// What is wrong with it.
        message: String,
    },
    /// The proxy could not be reached or refused to connect.
    #[error("use the proxy: {message}")]
    Proxy {
        /// What was seen.
        message: String,
    },
}

/// What a fetch was waiting for when its time ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeoutPhase {
    /// Name look-up, TCP and TLS.
    Connect,
    /// The response's headers.
    FirstByte,
    /// The body.
    Body,
}

impl TimeoutPhase {
    /// The stable name: `connect`, `first_byte`, `body`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::FirstByte => "first_byte",
            Self::Body => "body",
        }
    }
}

/// Why a fetcher could not be made from its configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchSetupError {
    /// A proxy URL that cannot be used.
    #[error("use proxy {url:?}: {message}")]
    Proxy {
        /// The URL, without its password.
        url: String,
        /// What is wrong with it.
        message: String,
    },
    /// A user agent or contact that cannot stand in a header.
    #[error("send the header {name}: {value:?} is not a header value")]
    Header {
        /// The header.
        name: &'static str,
        /// The value.
        value: String,
    },
    /// A rate that is zero, negative or not a number.
    #[error("limit {what}: {value} is not a positive number")]
    Rate {
        /// Which rate.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// The HTTP client could not be built; a system without CA certificates is the usual cause.
    #[error("set up the HTTP client: {message} (are CA certificates installed?)")]
    Client {
        /// What was said.
        message: String,
    },
}

impl From<Refused> for FetchError {
    fn from(refused: Refused) -> Self {
        Self::Guard {
            host: refused.host,
            address: refused.address,
            reason: refused.reason,
        }
    }
}

impl FetchError {
    /// The stable name, in snake case: what the journal and the report say.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dns { .. } => "dns",
            Self::Guard { .. } => "guard",
            Self::Connect { .. } => "connect",
            Self::Tls { .. } => "tls",
            Self::Timeout { .. } => "timeout",
            Self::Reset { .. } => "reset",
            Self::TooLarge { .. } => "too_large",
            Self::Protocol { .. } => "protocol",
            Self::BadUrl { .. } => "bad_url",
            Self::Proxy { .. } => "proxy",
        }
    }

    /// Whether the same request may succeed later. Errors in the configuration of the server
    /// (certificate, protocol, oversized headers) will not go away by themselves.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Dns { .. }
            | Self::Connect { .. }
            | Self::Timeout { .. }
            | Self::Reset { .. }
            | Self::Proxy { .. } => true,
            Self::Guard { .. }
            | Self::Tls { .. }
            | Self::TooLarge { .. }
            | Self::Protocol { .. }
            | Self::BadUrl { .. } => false,
        }
    }

    /// The error for a client error, by the chain of its sources.
    pub(crate) fn classify(error: &reqwest::Error, seen: &Seen) -> Self {
        let mut found = None;
        let mut next: Option<&(dyn StdError + 'static)> = Some(error);
        let mut message = String::new();
        // The deepest known cause counts; the outer ones only wrap it. The count bounds a chain with a
        // cycle.
        for _ in 0..32 {
            let Some(cause) = next else { break };
            message = cause.to_string();
            found = Self::of_cause(cause, seen).or(found);
            next = inner_source(cause);
        }
        let connecting = error.is_connect();
        match found {
            Some(Self::Reset { message } | Self::Connect { message }) if connecting => {
                if seen.proxied {
                    Self::Proxy { message }
                } else {
                    Self::Connect { message }
                }
            }
            Some(Self::Dns { message, .. }) if seen.proxied => Self::Proxy { message },
            Some(error) => error,
            None if error.is_timeout() && connecting => Self::Timeout {
                phase: TimeoutPhase::Connect,
                after: seen.elapsed,
            },
            None if error.is_timeout() => Self::Timeout {
                phase: TimeoutPhase::FirstByte,
                after: seen.elapsed,
            },
            None if connecting && seen.proxied => Self::Proxy { message },
            None if connecting => Self::Connect { message },
            None if error.is_builder() => Self::BadUrl { message },
            None => Self::Protocol { message },
        }
    }

    fn of_cause(cause: &(dyn StdError + 'static), seen: &Seen) -> Option<Self> {
        if let Some(refused) = cause.downcast_ref::<Refused>() {
            return Some(refused.clone().into());
        }
        if let Some(failed) = cause.downcast_ref::<LookupFailed>() {
            return Some(Self::Dns {
                host: failed.host.clone(),
                message: failed.message.clone(),
            });
        }
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return Some(Self::Tls {
                message: tls.to_string(),
            });
        }
        if let Some(h2) = cause.downcast_ref::<h2::Error>() {
            return Some(Self::of_h2(h2));
        }
        if let Some(http) = cause.downcast_ref::<hyper::Error>() {
            return Self::of_hyper(http, seen);
        }
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            return Self::of_io(io, seen);
        }
        None
    }

    fn of_h2(error: &h2::Error) -> Self {
        let message = error.to_string();
        if error.is_io() || (error.is_remote() && (error.is_go_away() || error.is_reset())) {
            Self::Reset { message }
        } else {
            Self::Protocol { message }
        }
    }

    fn of_hyper(error: &hyper::Error, seen: &Seen) -> Option<Self> {
        let message = error.to_string();
        // hyper has a type for this error for servers only, so its message is compared; a loopback test
        // fails if the wording changes.
        if error.is_parse() && message.contains("too large") {
            return Some(Self::TooLarge {
                what: "the number or size of headers",
                limit: seen.header_count_max as u64,
            });
        }
        if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
            return Some(Self::Reset { message });
        }
        error.is_parse().then_some(Self::Protocol { message })
    }

    fn of_io(error: &io::Error, seen: &Seen) -> Option<Self> {
        let message = error.to_string();
        match error.kind() {
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof => Some(Self::Reset { message }),
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::PermissionDenied => Some(Self::Connect { message }),
            io::ErrorKind::TimedOut => Some(Self::Timeout {
                phase: seen.phase,
                after: seen.elapsed,
            }),
            _ => None,
        }
    }
}

/// What is known of the fetch when the error occurs.
pub(crate) struct Seen {
    /// The request went to a proxy.
    pub proxied: bool,
    /// What was being waited for.
    pub phase: TimeoutPhase,
    /// Since the start of the request.
    pub elapsed: Duration,
    /// The limit on the number of headers.
    pub header_count_max: usize,
}

/// The next cause. An `io::Error` made from another error hides it from `source()`, which gives
/// the inner error's own source instead.
fn inner_source<'e>(cause: &'e (dyn StdError + 'static)) -> Option<&'e (dyn StdError + 'static)> {
    match cause.downcast_ref::<io::Error>() {
        Some(io) => io
            .get_ref()
            .map(|inner| inner as &(dyn StdError + 'static))
            .or_else(|| io.source()),
        None => cause.source(),
    }
}
