//! The page as it was when it was read before, to compare it with, and whether an answer may refer to that.

use again::Shown;
use archive::BodyRef;
use fetcher::{Decoding, Fetched};
use frontier::Lease;
use state::context::UrlContext;
use state::finding::{Before, Reading};

use super::Reader;
use super::page::tld_of;

/// Pages longer than this, unpacked, are compared by their main texts alone when they are visited again.
const COMPARED_BYTES_MAX: usize = 1 << 20;

impl Reader {
    /// The page as it was when it was read before, to compare it with. What cannot be read is not
    /// compared, which is told once.
    pub(super) fn before(
        &self,
        lease: &Lease,
        reading: &Reading,
        fetched: Option<&Fetched>,
        content_type: &str,
    ) -> Option<Before> {
        let (Reading::Page(now), Some(fetched)) = (reading, fetched) else {
            return None;
        };
        let due = UrlContext::from_bytes(&lease.url().context).due?;
        let text = self.texts.text(due.text.as_ref()?);
        self.tell_unread();
        let text = text?;
        // The host's template was perhaps cut off then, and is not yet now.
        let digest = format!("{:016x}", now.print.digest);
        let is_same = digest == due.digest || Some(digest) == due.whole;
        let shown = match due.body {
            Some(body) if is_html(content_type) && !is_same => self.shown(&body, fetched, lease),
            _ => None,
        };
        Some(Before { text, shown })
    }

    fn tell_unread(&self) {
        if let Some(unread) = self.texts.take_unread() {
            self.told_unread.call_once(|| {
                tracing::warn!("visits are compared without what cannot be read: {unread}");
            });
        }
    }

    /// All text of a page then and now; `None` of large ones, and where the one before is not there.
    fn shown(&self, before: &BodyRef, fetched: &Fetched, lease: &Lease) -> Option<Shown> {
        let before = self.texts.body(before);
        self.tell_unread();
        let before = before?;
        let field = |name: &str| std::str::from_utf8(before.header(name)?).ok();
        let codings = field("content-encoding").into_iter();
        let then = fetcher::decode_content(&before.body, codings, &self.limits);
        let now = fetched.decoded(&self.limits);
        let tld = tld_of(&lease.url().url.to_url());
        let all_text = |decoding: Decoding, content_type: Option<&str>| {
            let is_small = decoding.bytes.len() <= COMPARED_BYTES_MAX;
            is_small.then(|| {
                let decoded = extractor::decode(&decoding.bytes, content_type, tld.as_deref());
                extractor::all_text(&decoded.text, &self.dom_limits)
            })
        };
        let then = all_text(then, field("content-type"))?;
        let now = all_text(now, fetched.content_type().as_deref())?;
        Some(Shown::of(&then, &now))
    }
}

/// Whether a content type is that of a page.
fn is_html(content_type: &str) -> bool {
    matches!(content_type, "text/html" | "application/xhtml+xml")
}

/// Whether an answer of 304 was asked for: the request said what was known of the page.
pub(super) fn has_condition(lease: &Lease) -> bool {
    let due = UrlContext::from_bytes(&lease.url().context).due;
    due.is_some_and(|due| !due.unconditional && (due.etag.is_some() || due.last_modified.is_some()))
}
