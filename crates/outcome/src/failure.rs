//! Why a URL could not be had.

use crate::names::wire_string;

macro_rules! failures {
    ( $( $(#[$meta:meta])* $variant:ident = $wire:literal ),+ $(,)? ) => {
        /// Why a URL could not be had: what the network, the server or the answer did.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum FailureKind {
            $( $(#[$meta])* $variant, )+
            /// An HTTP status that gives no page and may pass: 408, 425, 429, 5xx. Its wire name
            /// is `http_503` and the like.
            Http(u16),
            /// A name that this version does not know, written by a newer one.
            Unknown(Box<str>),
        }

        impl FailureKind {
            /// All failures but those by HTTP status.
            pub const KNOWN: &'static [FailureKind] = &[$( FailureKind::$variant ),+];

            /// The wire name.
            pub fn name(&self) -> std::borrow::Cow<'_, str> {
                match self {
                    $( Self::$variant => $wire.into(), )+
                    Self::Http(status) => format!("http_{status}").into(),
                    Self::Unknown(name) => (&**name).into(),
                }
            }
        }

        impl From<&str> for FailureKind {
            fn from(name: &str) -> Self {
                match name {
                    $( $wire => Self::$variant, )+
                    other => match other.strip_prefix("http_").map(str::parse) {
                        // Only the spelling that `name` writes: `http_0503` stays as it is.
                        Some(Ok(status)) if other.len() == "http_".len() + 3 => Self::Http(status),
                        Some(_) | None => Self::Unknown(other.into()),
                    },
                }
            }
        }

        wire_string!(FailureKind);
    };
}

failures! {
    /// The host's name could not be resolved.
    Dns = "dns",
    /// The address guard refused the address. A URL that ends so is `refused`, not `failed`.
    Guard = "guard",
    /// No connection was made.
    Connect = "connect",
    /// TLS failed.
    Tls = "tls",
    /// A time limit was reached.
    Timeout = "timeout",
    /// The connection broke.
    Reset = "reset",
    /// The answer's headers were too large.
    TooLarge = "too_large",
    /// The server does not speak HTTP as we know it.
    Protocol = "protocol",
    /// The URL cannot be requested.
    BadUrl = "bad_url",
    /// The proxy refused or failed.
    Proxy = "proxy",
    /// The body ended before its announced end.
    Truncated = "truncated",
    /// The body's content coding could not be undone.
    Encoding = "encoding",
    /// Reading the page failed in an unexpected way: a fault of ours.
    Unreadable = "unreadable",
    /// A redirect to what is no URL.
    BadRedirect = "bad_redirect",
    /// A redirect to itself.
    RedirectLoop = "redirect_loop",
    /// More redirects than are followed.
    TooManyRedirects = "too_many_redirects",
}
