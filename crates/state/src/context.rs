//! What a crawl keeps with a pending URL: opaque bytes to the frontier.
//!
//! ```text
//! byte 0   bit 0: a sitemap; bit 1: a redirect led back to it; bits 2 to 6: what follows byte 1;
//!          bit 7: redirects of a page that was visited again led to it
//! byte 1   redirects followed to get here, in the lower seven bits, and 1 for a sitemap that an index names; bit 7: a
//!          promise follows
//! [2, n]   with bit 2: what to request in its place; length in two bytes, little-endian, then UTF-8
//! [2, n]   with bit 3: where the redirects that led here began; the same
//! [2, n]   with bit 4: the visit before, where it is to be visited again; length in four bytes, then
//!          with bit 5 its fields (see `due`), without it JSON, as it was once written
//! [8]      with bit 6: the record of the kept page that has moved here, little-endian
//! [4]      with bit 7 of byte 1: the digest of what the link that led here promised, little-endian
//! rest     features of the link for the focus model, empty without a topic
//! ```

use archive::DueRecord;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use frontier::FrontierUrl;

pub mod due;

const SITEMAP: u8 = frontier::NO_PAGE;
const RETURNED: u8 = 1 << 1;
const ASK: u8 = 1 << 2;
const BEGAN: u8 = 1 << 3;
const DUE: u8 = 1 << 4;
const DUE_FIELDS: u8 = 1 << 5;
const SUCCEEDS: u8 = 1 << 6;
const AFTER_VISIT: u8 = 1 << 7;
/// In the second byte.
const PROMISED: u8 = 1 << 7;

/// What a pending URL is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A page to read and judge.
    Page,
    /// A sitemap to read for its URLs.
    Sitemap,
}

/// The crawl's part of a pending URL.
#[derive(Debug, Clone, PartialEq)]
pub struct UrlContext {
    /// What it is.
    pub kind: Kind,
    /// Redirects followed to get here; of a sitemap 1 where an index names it.
    pub hops: u8,
    /// A redirect led back to it, which is followed once.
    pub returned: bool,
    /// What to request in its place: a redirect back to it spelt it so.
    pub ask: Option<String>,
    /// Where the redirects began that led here.
    pub began: Option<String>,
    /// The visit before, where it is to be visited again.
    pub due: Option<Box<DueRecord>>,
    /// Number of the record of a kept page that has moved here for good.
    pub succeeds: Option<u64>,
    /// The redirects that led here began at a page that was visited again.
    pub after_visit: bool,
    /// The digest of what the link that led here called it, as `promised` makes it.
    pub promised: Option<u32>,
    /// Link features for the focus model.
    pub features: Vec<u8>,
}

impl UrlContext {
    /// The context of a page found by a plain link.
    pub fn page() -> Self {
        Self {
            kind: Kind::Page,
            hops: 0,
            returned: false,
            ask: None,
            began: None,
            due: None,
            succeeds: None,
            after_visit: false,
            promised: None,
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

    /// The context of what an index of sitemaps names.
    pub fn of_index() -> Self {
        Self {
            hops: 1,
            ..Self::sitemap()
        }
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_with(self.due.as_deref())
    }

    /// As bytes, with this visit before.
    pub(crate) fn to_bytes_with(&self, due: Option<&DueRecord>) -> Vec<u8> {
        let mut flags = match self.kind {
            Kind::Page => 0,
            Kind::Sitemap => SITEMAP,
        };
        if self.returned {
            flags |= RETURNED;
        }
        if self.after_visit {
            flags |= AFTER_VISIT;
        }
        let mut texts = Vec::new();
        for (flag, text) in [(ASK, &self.ask), (BEGAN, &self.began)] {
            // A URL is never so long.
            if let Some(text) = text
                && let Ok(length) = u16::try_from(text.len())
            {
                flags |= flag;
                texts.extend(length.to_le_bytes());
                texts.extend_from_slice(text.as_bytes());
            }
        }
        if let Some(due) = due.and_then(due::to_bytes)
            && let Ok(length) = u32::try_from(due.len())
        {
            flags |= DUE | DUE_FIELDS;
            texts.extend(length.to_le_bytes());
            texts.extend_from_slice(&due);
        }
        if let Some(record) = self.succeeds {
            flags |= SUCCEEDS;
            texts.extend(record.to_le_bytes());
        }
        let mut hops = self.hops.min(!PROMISED);
        if let Some(promised) = self.promised {
            hops |= PROMISED;
            texts.extend(promised.to_le_bytes());
        }
        let mut bytes = Vec::with_capacity(2 + texts.len() + self.features.len());
        bytes.extend([flags, hops]);
        bytes.extend(texts);
        bytes.extend_from_slice(&self.features);
        bytes
    }

    /// From bytes; what is missing is that of a plain page.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let flags = bytes.first().copied().unwrap_or(0);
        let mut rest = bytes.get(2..).unwrap_or_default();
        let mut text = |flag| (flags & flag > 0).then(|| take_text(&mut rest)).flatten();
        let (ask, began) = (text(ASK), text(BEGAN));
        let due = (flags & DUE > 0).then(|| take_due(&mut rest)).flatten();
        let succeeds = take_succeeds(flags, &mut rest);
        let hops = bytes.get(1).copied().unwrap_or(0);
        let promised = take_promised(hops, &mut rest);
        Self {
            kind: if flags & SITEMAP > 0 {
                Kind::Sitemap
            } else {
                Kind::Page
            },
            hops: hops & !PROMISED,
            returned: flags & RETURNED > 0,
            ask,
            began,
            due: due.and_then(|due| match flags & DUE_FIELDS > 0 {
                true => due::from_bytes(due).map(Box::new),
                false => serde_json::from_slice(due).ok(),
            }),
            succeeds,
            after_visit: flags & AFTER_VISIT > 0,
            promised,
            features: rest.to_vec(),
        }
    }
}

/// Takes a text with its length off the front; `None` for a damaged one.
fn take_text(rest: &mut &[u8]) -> Option<String> {
    let (length, after) = rest.split_first_chunk::<2>()?;
    let length = usize::from(u16::from_le_bytes(*length));
    let (text, after) = after.split_at_checked(length)?;
    *rest = after;
    String::from_utf8(text.to_vec()).ok()
}

/// Takes the visit before off the front; `None` for a damaged one.
fn take_due<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (due, after) = after.split_at_checked(length)?;
    *rest = after;
    Some(due)
}

/// Takes the record of the page that has moved here off the front, if there is one.
fn take_succeeds(flags: u8, rest: &mut &[u8]) -> Option<u64> {
    let (record, after) = rest
        .split_first_chunk::<8>()
        .filter(|_| flags & SUCCEEDS > 0)?;
    *rest = after;
    Some(u64::from_le_bytes(*record))
}

/// Takes what the link promised off the front, if it did.
fn take_promised(hops: u8, rest: &mut &[u8]) -> Option<u32> {
    let (promised, after) = rest
        .split_first_chunk::<4>()
        .filter(|_| hops & PROMISED > 0)?;
    *rest = after;
    Some(u32::from_le_bytes(*promised))
}

/// Link features as the journal has them.
pub fn encode(features: &[u8]) -> String {
    STANDARD_NO_PAD.encode(features)
}

/// Link features from the journal; none from what is damaged.
pub fn decode(text: &str) -> Vec<u8> {
    STANDARD_NO_PAD.decode(text).unwrap_or_default()
}

/// What a context's bytes are of, without reading the rest of them.
pub fn kind_in(bytes: &[u8]) -> Kind {
    match is_sitemap(bytes) {
        true => Kind::Sitemap,
        false => Kind::Page,
    }
}

/// Whether a context's bytes are those of a URL that is visited again.
pub fn is_visit(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|flags| flags & DUE > 0)
}

/// Whether a sitemap named a URL, as a page or as a further sitemap. What it is then is said by what comes back, where it
/// is read for the first time.
pub fn is_listed(url: &FrontierUrl) -> bool {
    let is_first = !is_visit(&url.context);
    is_first
        && match kind_in(&url.context) {
            Kind::Page => url.depth > 0 && url.via.is_none(),
            Kind::Sitemap => url.context.get(1).is_some_and(|hops| hops & !PROMISED > 0),
        }
}

/// Whether a context's bytes are those of a sitemap.
pub(crate) fn is_sitemap(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|flags| flags & SITEMAP > 0)
}

/// The link features in a context's bytes.
pub(crate) fn features_in(bytes: &[u8]) -> &[u8] {
    let flags = bytes.first().copied().unwrap_or(0);
    let mut rest = bytes.get(2..).unwrap_or_default();
    for flag in [ASK, BEGAN] {
        if flags & flag > 0 {
            take_text(&mut rest);
        }
    }
    if flags & DUE > 0 {
        take_due(&mut rest);
    }
    take_succeeds(flags, &mut rest);
    take_promised(bytes.get(1).copied().unwrap_or(0), &mut rest);
    rest
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
            ..UrlContext::page()
        };
        assert_eq!(context.to_bytes(), [1, 3, 7, 8], "as it always was");
        assert_eq!(UrlContext::from_bytes(&context.to_bytes()), context);
        let context = UrlContext {
            returned: true,
            after_visit: true,
            ask: Some("http://a.example/?x=1".into()),
            began: Some("http://a.example/".into()),
            promised: Some(7),
            ..context
        };
        let bytes = context.to_bytes();
        assert_eq!(UrlContext::from_bytes(&bytes), context);
        assert_eq!(features_in(&bytes), [7, 8]);
        for cut in 0..bytes.len() {
            UrlContext::from_bytes(&bytes[..cut]);
        }
        assert_eq!(UrlContext::from_bytes(&[]), UrlContext::page());
    }

    #[test]
    fn a_visit_before_survives_a_round_trip_and_its_older_form_is_read() {
        let due = DueRecord {
            url: "http://a.example/x".into(),
            of: 7,
            was: outcome::Outcome::Judged(outcome::Verdict::Index),
            etag: Some("\"1\"".into()),
            ..DueRecord::default()
        };
        let context = UrlContext {
            due: Some(Box::new(due.clone())),
            features: vec![7, 8],
            ..UrlContext::page()
        };
        let bytes = context.to_bytes();
        assert!(is_visit(&bytes));
        assert_eq!(UrlContext::from_bytes(&bytes), context);
        assert_eq!(features_in(&bytes), [7, 8]);
        for cut in 0..bytes.len() {
            UrlContext::from_bytes(&bytes[..cut]);
        }
        let json = serde_json::to_vec(&due).expect("plain data");
        let mut older = vec![DUE, 0];
        older.extend((json.len() as u32).to_le_bytes());
        older.extend(json);
        older.extend([7, 8]);
        assert_eq!(UrlContext::from_bytes(&older), context);
    }

    #[test]
    fn features_survive_the_journal_and_damaged_ones_are_none() {
        assert_eq!(decode(&encode(&[0, 255, 7])), [0, 255, 7]);
        assert!(decode("?").is_empty());
    }
}
