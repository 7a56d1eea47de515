//! Origins of a host: each has a robots.txt and a server of its own.
//!
//! http and https of one host share its delay, and so do `example.org.` and `example.org`; but one of
//! them may be dead, or without a robots.txt to be had, while another answers.

use serde::{Deserialize, Serialize};

/// Which of its host's origins a URL is of: by the scheme, by the dot behind the name, and by
/// whether its port is the one that the other scheme has by default.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(from = "u8")]
pub struct Origin(u8);

/// A number that none of them has is one of theirs all the same: it may be read from a damaged file.
impl From<u8> for Origin {
    fn from(number: u8) -> Origin {
        Origin(number % COUNT as u8)
    }
}

const HTTPS: u8 = 1;
const DOT: u8 = 2;
const OTHER_PORT: u8 = 4;
const COUNT: usize = 8;

impl Origin {
    /// The origin of a canonical URL's text.
    pub fn of(url: &str) -> Origin {
        let authority = weburl::host_of(url);
        // A port that is the scheme's own is not written out.
        let of_other_port = authority
            .strip_suffix(":80")
            .or(authority.strip_suffix(":443"));
        let has_dot = authority.contains(".:") || authority.ends_with('.');
        let bits = [
            (HTTPS, url.starts_with("https://")),
            (DOT, has_dot),
            (OTHER_PORT, of_other_port.is_some()),
        ];
        Origin(bits.iter().filter(|(_, is)| *is).map(|(bit, _)| bit).sum())
    }

    fn all() -> impl Iterator<Item = Origin> {
        (0..COUNT as u8).map(Origin)
    }
}

/// Some of a host's origins.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Origins(u8);

impl Origins {
    /// All of them.
    pub(crate) const ALL: Origins = Origins(u8::MAX);

    pub(crate) fn insert(&mut self, origin: Origin) {
        self.0 |= 1 << origin.0;
    }

    pub(crate) fn contains(self, origin: Origin) -> bool {
        self.0 & 1 << origin.0 != 0
    }
}

/// How many URLs wait of each of a host's origins.
#[derive(Debug, Default)]
pub(crate) struct UrlsByOrigin {
    of: [u32; COUNT],
    /// Of places in the queue that an earlier process stored nobody knows it before their URLs are
    /// looked at.
    unknown: u64,
}

impl UrlsByOrigin {
    /// So many, of nobody knows which origins.
    pub(crate) fn unknown(urls: u64) -> UrlsByOrigin {
        UrlsByOrigin {
            unknown: urls,
            ..UrlsByOrigin::default()
        }
    }

    pub(crate) fn add(&mut self, origin: Origin, urls: usize) {
        self.of[origin.0 as usize] += urls as u32;
    }

    pub(crate) fn remove(&mut self, origin: Origin) {
        match &mut self.of[origin.0 as usize] {
            0 => self.unknown = self.unknown.saturating_sub(1),
            urls => *urls -= 1,
        }
    }

    /// How many may be of unknown origins.
    pub(crate) fn of_unknown(&self) -> u64 {
        self.unknown
    }

    /// How many are known to be of this origin.
    pub(crate) fn of(&self, origin: Origin) -> u64 {
        u64::from(self.of[origin.0 as usize])
    }

    /// The origins of which URLs are known to wait.
    pub(crate) fn known(&self) -> impl Iterator<Item = Origin> + '_ {
        Origin::all().filter(|origin| self.of(*origin) > 0)
    }

    /// All URLs.
    #[cfg(test)]
    pub(crate) fn total(&self) -> u64 {
        self.of.iter().map(|urls| u64::from(*urls)).sum::<u64>() + self.unknown
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::CanonicalUrl;

    #[test]
    fn what_has_a_robots_txt_of_its_own_is_an_origin_of_its_own() {
        let urls = [
            "http://a.example/",
            "https://a.example/",
            "http://a.example./",
            "https://a.example./",
            "http://a.example:443/",
            "https://a.example:80/",
            "http://a.example.:443/",
            "https://a.example.:80/",
        ];
        let parsed = urls.map(|url| CanonicalUrl::parse(url).expect(url));
        let hosts: BTreeSet<_> = parsed.iter().map(CanonicalUrl::host).collect();
        let origins: BTreeSet<_> = parsed.iter().map(CanonicalUrl::origin).collect();
        assert_eq!((hosts.len(), origins.len()), (1, urls.len()));
        let same = |a: &str, b: &str| {
            let of = |url| CanonicalUrl::parse(url).expect("a URL").origin();
            assert_eq!(of(a), of(b), "{a} {b}");
        };
        same("http://a.example/", "http://a.example:80/x");
        same(
            "https://a.example/?q=http://b.example.:80/",
            "https://a.example:443/y",
        );
        same("http://[::1]:8080/", "http://[::1]:8080/x");
    }
}
