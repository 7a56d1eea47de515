//! The address guard: the crawler connects to public addresses only.
//!
//! A link, a redirect or a DNS answer can name an address inside the crawler's own network: a metadata
//! service, a router, a database. So every address is checked where it is used: the resolver returns
//! only addresses that passed, and the client connects to no others. A name that resolves differently
//! the second time (DNS rebinding) gains nothing. A URL with a literal address does not reach the
//! resolver and is checked before the request. Crate `url` has already normalised decimal, octal,
//! hexadecimal and short forms (`http://2130706433/`, `http://0x7f.1/`).
//!
//! An IPv6 address with an IPv4 address in it (mapped, NAT64, 6to4, …) is checked by that.
//!
//! Source: the IANA IPv4 and IPv6 special-purpose address registries (RFC 6890 and updates).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Decides which addresses and local names are refused.
///
/// ```
/// use fetcher::AddressGuard;
/// let guard = AddressGuard::public_only();
/// assert_eq!(guard.refuses("169.254.169.254".parse().unwrap()), Some("link-local"));
/// assert_eq!(guard.refuses("93.184.216.34".parse().unwrap()), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddressGuard {
    allow_private: bool,
}

/// A refusal, as it travels through the HTTP client's error chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("refused by the address guard: {reason}")]
pub struct Refused {
    /// The host as asked for.
    pub host: String,
    /// The address, when it was an address that was refused.
    pub address: Option<IpAddr>,
    /// The kind of address, e.g. `loopback`.
    pub reason: &'static str,
}

impl AddressGuard {
    /// The default: public addresses only.
    pub fn public_only() -> Self {
        Self {
            allow_private: false,
        }
    }

    /// A guard that refuses nothing, for crawls of a private network.
    pub fn allow_all() -> Self {
        Self {
            allow_private: true,
        }
    }

    /// Why this address is refused; `None` when it may be used.
    pub fn refuses(&self, address: IpAddr) -> Option<&'static str> {
        if self.allow_private {
            return None;
        }
        match address {
            IpAddr::V4(v4) => special_v4(v4),
            IpAddr::V6(v6) => special_v6(v6),
        }
    }

    /// Checks a URL's host if it is a literal address. Names pass, since the resolver checks their
    /// addresses.
    ///
    /// # Errors
    /// [`Refused`] for a literal address that is not public.
    pub fn check_literal(&self, url: &Url) -> Result<(), Refused> {
        let address = match url.host() {
            Some(Host::Ipv4(v4)) => IpAddr::V4(v4),
            Some(Host::Ipv6(v6)) => IpAddr::V6(v6),
            Some(Host::Domain(_)) | None => return Ok(()),
        };
        match self.refuses(address) {
            Some(reason) => Err(Refused {
                host: url.host_str().unwrap_or_default().to_owned(),
                address: Some(address),
                reason,
            }),
            None => Ok(()),
        }
    }

    /// Checks a URL that a proxy will resolve, where the resolver cannot: literal addresses, and
    /// names that are by definition not on the public internet.
    ///
    /// # Errors
    /// [`Refused`] for a literal address that is not public, or a local name.
    pub fn check_proxied(&self, url: &Url) -> Result<(), Refused> {
        self.check_literal(url)?;
        match url.host() {
            Some(Host::Domain(name)) if !self.allow_private && is_local_name(name) => {
                Err(Refused {
                    host: name.to_owned(),
                    address: None,
                    reason: "local name",
                })
            }
            _ => Ok(()),
        }
    }
}

/// Names of RFC 6761, RFC 6762, RFC 8375 and ICANN's `internal`, which mean the local network,
/// and names without a dot, which a resolver completes with its own search list.
fn is_local_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let last = name.rsplit('.').next().unwrap_or_default();
    matches!(
        last,
        "localhost" | "local" | "internal" | "intranet" | "lan" | "home" | "corp" | "localdomain"
    ) || name.ends_with(".home.arpa")
        || name == "home.arpa"
        || !name.contains('.')
}

/// The IPv4 blocks that are not public, with their kind. The first match counts.
const SPECIAL_V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "carrier-grade NAT"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(255, 255, 255, 255), 32, "broadcast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    SPECIAL_V4
        .iter()
        .find(|(net, prefix, _)| {
            let mask = u32::MAX << (32 - prefix);
            address.to_bits() & mask == net.to_bits()
        })
        .map(|(_, _, what)| *what)
}

/// The IPv6 blocks inside 2000::/3 that are not public.
const SPECIAL_V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "Teredo"),
    (
        Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0),
        23,
        "protocol assignments",
    ),
    (
        Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0),
        32,
        "documentation",
    ),
    (
        Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0),
        20,
        "documentation",
    ),
];

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    if address.is_unspecified() {
        return Some("unspecified");
    }
    if address.is_loopback() {
        return Some("loopback");
    }
    let s = address.segments();
    let low_v4 = || embedded(s[6], s[7]);
    match s {
        // ::ffff:a.b.c.d, mapped, and ::ffff:0:a.b.c.d, translated (RFC 2765).
        [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => return special_v4(low_v4()),
        // ::a.b.c.d: IPv4-compatible, deprecated by RFC 4291; no public host has such an address.
        [0, 0, 0, 0, 0, 0, ..] => return Some("IPv4-compatible"),
        // NAT64 (RFC 6052): the way to the public IPv4 web from an IPv6-only network.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => return special_v4(low_v4()),
        [0x64, 0xff9b, 1, ..] => return Some("local NAT64"),
        // 6to4 (RFC 3056): the IPv4 address follows the prefix.
        [0x2002, high, low, ..] => return special_v4(embedded(high, low)),
        _ => {}
    }
    match s[0] {
        first if first & 0xfe00 == 0xfc00 => return Some("unique local"),
        first if first & 0xffc0 == 0xfe80 => return Some("link-local"),
        first if first & 0xffc0 == 0xfec0 => return Some("site-local"),
        first if first & 0xff00 == 0xff00 => return Some("multicast"),
        // IANA assigns global unicast addresses from 2000::/3 only.
        first if first & 0xe000 != 0x2000 => return Some("reserved"),
        _ => {}
    }
    // ISATAP (RFC 5214): an interface identifier of 0:5efe or 200:5efe and an IPv4 address.
    if s[5] == 0x5efe
        && s[4] & !0x200 == 0
        && let Some(reason) = special_v4(low_v4())
    {
        return Some(reason);
    }
    SPECIAL_V6
        .iter()
        .find(|(net, prefix, _)| {
            let mask = u128::MAX << (128 - prefix);
            address.to_bits() & mask == net.to_bits()
        })
        .map(|(_, _, what)| *what)
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low))
}

#[cfg(test)]
mod tests;
