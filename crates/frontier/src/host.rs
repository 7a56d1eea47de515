//! Hosts: whose turn it is, and whose delay counts.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::url::CanonicalUrl;

/// A host and its port, `example.org` or `example.org:8080`. http and https of one host share a
/// key, and so do `example.org.` and `example.org`: politeness is owed to the machine, not to its
/// spelling.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostKey {
    text: Arc<str>,
}

impl HostKey {
    /// The host of a canonical URL's text.
    pub fn of(url: &str) -> Self {
        let host = weburl::host_of(url);
        // The other scheme's default port is written out.
        let host = host
            .strip_suffix(":80")
            .or(host.strip_suffix(":443"))
            .unwrap_or(host);
        match host
            .find(".:")
            .or(host.ends_with('.').then(|| host.len() - 1))
        {
            Some(dot) => Self {
                text: [&host[..dot], &host[dot + 1..]].concat().into(),
            },
            None => Self { text: host.into() },
        }
    }

    /// A host key as written in a record.
    pub fn from_record(text: &str) -> Self {
        Self { text: text.into() }
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name without the port.
    pub fn name(&self) -> &str {
        match self.text.rfind(':') {
            Some(at) if !self.text.ends_with(']') => &self.text[..at],
            Some(_) | None => &self.text,
        }
    }

    /// The registrable domain by the public suffix list; `None` for addresses and bare suffixes.
    pub fn registrable(&self) -> Option<&str> {
        let name = self.name();
        if name.starts_with('[') || name.parse::<std::net::Ipv4Addr>().is_ok() {
            return None;
        }
        psl::domain_str(name)
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for HostKey {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for HostKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::from_record(&String::deserialize(from)?))
    }
}

/// A host that somebody typed, in the form that keys have: lower case, and ASCII, as `xn--fsqu00a.xn--0zwm56d` for
/// `例子.测试`. A `*.` before it stays; what is no host is put in lower case.
pub fn typed_host(text: &str) -> String {
    let text = text.trim();
    let (below, name) = match text.strip_prefix("*.") {
        Some(name) => ("*.", name),
        None => ("", text),
    };
    let is_host = !name.contains(['/', '\\', '?', '#', '@']);
    let url = CanonicalUrl::parse(&format!("http://{name}/"));
    match url.ok().filter(|_| is_host) {
        Some(url) => format!("{below}{}", url.host()),
        None => text.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {

    #[track_caller]
    fn check(url: &str, host: &str, registrable: Option<&str>) {
        let key = crate::CanonicalUrl::parse(url).expect(url).host();
        assert_eq!((key.as_str(), key.registrable()), (host, registrable));
    }

    #[test]
    fn a_host_has_one_key_however_it_is_spelt() {
        check(
            "http://A.example.org/x",
            "a.example.org",
            Some("example.org"),
        );
        check(
            "https://a.example.org./",
            "a.example.org",
            Some("example.org"),
        );
        check(
            "https://a.example.org:80/",
            "a.example.org",
            Some("example.org"),
        );
        check(
            "http://a.example.org.:8080/",
            "a.example.org:8080",
            Some("example.org"),
        );
        check("http://[::1]:8080/", "[::1]:8080", None);
        check("http://2130706433/", "127.0.0.1", None);
        check(
            "http://b.example.co.uk/",
            "b.example.co.uk",
            Some("example.co.uk"),
        );
        check(
            "http://user.github.io/",
            "user.github.io",
            Some("user.github.io"),
        );
    }

    #[test]
    fn a_typed_host_is_the_key_in_any_spelling() {
        for (typed, host) in [
            ("例子.测试", "xn--fsqu00a.xn--0zwm56d"),
            (" *.例子.测试", "*.xn--fsqu00a.xn--0zwm56d"),
            ("Bücher.example:8080", "xn--bcher-kva.example:8080"),
            ("A.Example.", "a.example"),
            ("[::1]:81", "[::1]:81"),
            ("a.example/X", "a.example/x"),
            ("", ""),
        ] {
            assert_eq!(super::typed_host(typed), host);
        }
    }
}
