//! Hosts: whose turn it is, and whose delay counts.

use std::fmt;
use std::sync::Arc;

/// A host and its port, `example.org` or `example.org:8080`. http and https of one host share a
/// key: politeness is owed to the machine, not to the scheme.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostKey {
    text: Arc<str>,
}

impl HostKey {
    /// The host of a canonical URL's text.
    pub(crate) fn of(url: &str) -> Self {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        Self {
            text: rest[..end].into(),
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
