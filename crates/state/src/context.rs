//! What a crawl keeps with a pending URL: opaque bytes to the frontier.
//!
//! ```text
//! byte 0   kind: 0 page, 1 sitemap
//! byte 1   redirects followed to get here
//! byte 2.. features of the link for the focus model, empty without a topic
//! ```

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// What a pending URL is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A page to read and judge.
    Page,
    /// A sitemap to read for its URLs.
    Sitemap,
}

/// The crawl's part of a pending URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlContext {
    /// What it is.
    pub kind: Kind,
    /// Redirects followed to get here.
    pub hops: u8,
    /// Link features for the focus model.
    pub features: Vec<u8>,
}

impl UrlContext {
    /// The context of a page found by a plain link.
    pub fn page() -> Self {
        Self {
            kind: Kind::Page,
            hops: 0,
            features: Vec::new(),
        }
    }

    /// The context of a sitemap.
    pub fn sitemap() -> Self {
        Self {
            kind: Kind::Sitemap,
            ..Self::page()
        }
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let kind = match self.kind {
            Kind::Page => 0,
            Kind::Sitemap => 1,
        };
        let mut bytes = Vec::with_capacity(2 + self.features.len());
        bytes.extend([kind, self.hops]);
        bytes.extend_from_slice(&self.features);
        bytes
    }

    /// From bytes; what is missing is that of a plain page.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            kind: if bytes.first() == Some(&1) {
                Kind::Sitemap
            } else {
                Kind::Page
            },
            hops: bytes.get(1).copied().unwrap_or(0),
            features: features_in(bytes).to_vec(),
        }
    }
}

/// Link features as the journal has them.
pub fn encode(features: &[u8]) -> String {
    STANDARD_NO_PAD.encode(features)
}

/// Link features from the journal; none from what is damaged.
pub fn decode(text: &str) -> Vec<u8> {
    STANDARD_NO_PAD.decode(text).unwrap_or_default()
}

/// The link features in a context's bytes.
pub(crate) fn features_in(bytes: &[u8]) -> &[u8] {
    bytes.get(2..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_survives_a_round_trip_and_short_bytes_are_a_page() {
        let context = UrlContext {
            kind: Kind::Sitemap,
            hops: 3,
            features: vec![7, 8],
        };
        assert_eq!(UrlContext::from_bytes(&context.to_bytes()), context);
        assert_eq!(UrlContext::from_bytes(&[]), UrlContext::page());
    }

    #[test]
    fn features_survive_the_journal_and_damaged_ones_are_none() {
        assert_eq!(decode(&encode(&[0, 255, 7])), [0, 255, 7]);
        assert!(decode("?").is_empty());
    }
}
