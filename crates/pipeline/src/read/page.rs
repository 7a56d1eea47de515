//! A body becomes a page: decoded, extracted, with its words, its fingerprint and its language.

use std::borrow::Cow;
use std::sync::PoisonError;

use extractor::{BlockKeys, Decoded, DomLimits, Page, PageContext, Refresh};
use fetcher::{Fetched, TextForm};
use frontier::{CanonicalUrl, Lease};
use state::context::is_listed;
use state::finding::{FoundLink, PageReading, Reading};

use super::{Alone, Body, Reader};

/// Feeds that are followed of those that a page names.
const FEEDS_MAX: usize = 4;

/// Characters of such a seed: "You will be forwarded; click here if your browser does not."
const FORWARD_CHARS_MAX: usize = 200;

/// Pages whose reading takes more than this, in bytes, are read one at a time: a host may send such to every
/// thread. Usual pages come here at 2 MB.
const ALONE_BYTES: usize = 64 << 20;

/// What a byte of a page takes while it is read: its text is held decoded, in the tree, in blocks and in words.
/// Of 1 MB of text in few tags 8 (letters) to 20 (Chinese, JSON-LD).
const BYTES_OF_BYTE: usize = 16;

/// What a tag takes beside its bytes: a node of the tree and what is known of it. Of 34 constructs that make
/// 1 MB of tags half take 0.6 kB or more for each `<`, and few more than 0.9 (cells that span columns 1.5).
const BYTES_OF_TAG: usize = 700;

/// Whether reading the page may take so much that no other such page should be read beside it.
fn is_read_alone(bytes: &[u8], form: TextForm) -> bool {
    // What becomes a tag: in Markdown each line, and each sign of what stands in it.
    let begins_tag = |byte: u8| match form {
        TextForm::Markdown => b"\n<|[*`".contains(&byte),
        TextForm::Html | TextForm::Plain | TextForm::Marked => byte == b'<',
        TextForm::Rich | TextForm::Archive => false,
    };
    let tags = bytes.iter().filter(|byte| begins_tag(**byte)).count();
    bytes.len() * BYTES_OF_BYTE + tags * BYTES_OF_TAG > ALONE_BYTES
}

/// What is read of a body, and how: of an archive the page in it, of a text all but the files that stand in it. `None`
/// for an archive without a page.
fn unpacked(form: TextForm, mut body: Body) -> Option<(TextForm, Body)> {
    match form {
        TextForm::Archive => {
            let page = fetcher::archived_page(body.content_type.as_deref(), &body.bytes)?;
            (body.bytes, body.content_type) = (page.bytes, Some(page.content_type));
            Some((TextForm::Html, body))
        }
        TextForm::Plain | TextForm::Marked => {
            let rest = match fetcher::without_encoded_files(&body.bytes) {
                Cow::Owned(rest) => Some(rest),
                Cow::Borrowed(_) => None,
            };
            if let Some(rest) = rest {
                body.bytes = rest;
            }
            Some((form, body))
        }
        TextForm::Html | TextForm::Markdown | TextForm::Rich => Some((form, body)),
    }
}

impl Reader {
    /// Reads a body in this form. A large one waits in `alone` for those before it.
    pub(super) fn read_body<'r>(
        &'r self,
        (lease, fetched): (&Lease, &Fetched),
        body: Body,
        form: TextForm,
        dom_limits: &DomLimits,
        alone: &mut Alone<'r>,
    ) -> Reading {
        let payload = body.payload;
        let Some((form, body)) = unpacked(form, body) else {
            return Reading::NoPage { payload };
        };
        if is_read_alone(&body.bytes, form) {
            // A page that panicked while it was read has left nothing behind the lock.
            *alone = Some(self.large.lock().unwrap_or_else(PoisonError::into_inner));
        }
        match form {
            TextForm::Html | TextForm::Markdown => {
                self.read_page(lease, fetched, body, form, dom_limits)
            }
            TextForm::Plain | TextForm::Marked | TextForm::Rich | TextForm::Archive => {
                self.read_text(lease, fetched, body, form, dom_limits)
            }
        }
    }

    fn read_page(
        &self,
        lease: &Lease,
        fetched: &Fetched,
        body: Body,
        form: TextForm,
        dom_limits: &DomLimits,
    ) -> Reading {
        let Body {
            bytes,
            content_type,
            payload,
            mut limits_hit,
        } = body;
        let url = lease.url().url.to_url();
        let tld = tld_of(&url);
        let decoded = extractor::decode(&bytes, content_type.as_deref(), tld.as_deref());
        // A large page is not held twice while its tree is built.
        drop(bytes);
        limits_hit.extend(overruled(&decoded));
        let context = PageContext {
            url: &url,
            encoding: decoded.encoding,
            headers: &fetched.headers,
            agent: &self.agent,
            limits: dom_limits,
            link_places: self.has_topic,
        };
        let mut page = match form {
            TextForm::Markdown => extractor::extract_markdown(&decoded.text, &context),
            TextForm::Html
            | TextForm::Plain
            | TextForm::Marked
            | TextForm::Rich
            | TextForm::Archive => extractor::extract(&decoded.text, &context),
        };
        let is_success = (200..300).contains(&fetched.status);
        if let Some(target) = is_success.then(|| self.forwarded(lease, &page)).flatten() {
            return Reading::Redirect(Ok(target));
        }
        let source = extractor::attribution(&page);
        // Sites name the same feeds on each page, and some a feed of its own for each.
        let names_feeds = self.has_feeds && (lease.url().depth == 0 || url.path() == "/");
        let feeds = if names_feeds { FEEDS_MAX } else { 0 };
        let links = self.links(&mut page, feeds);
        self.finish(page, decoded.encoding, payload, links, source, limits_hit)
    }

    /// Where a seed forwards its readers without a page of its own, by `<meta http-equiv=refresh>`, the
    /// header, or scripts that do nothing else. It is taken for a redirect, so that the crawl goes where the seed leads.
    fn forwarded(&self, lease: &Lease, page: &Page) -> Option<CanonicalUrl> {
        let refresh = page.refresh.as_ref()?;
        let is_at_once = refresh.delay <= Refresh::AT_ONCE_SECONDS_MAX;
        let is_empty = page.visible_text_chars <= FORWARD_CHARS_MAX;
        let is_seed = lease.url().depth == 0 && !is_listed(lease.url());
        if !is_seed || !is_at_once || !is_empty || !page.directives.follow {
            return None;
        }
        let target = self.canonicaliser.canonical(&refresh.url).ok()?;
        (target != lease.url().url).then_some(target)
    }

    fn read_text(
        &self,
        lease: &Lease,
        fetched: &Fetched,
        body: Body,
        form: TextForm,
        dom_limits: &DomLimits,
    ) -> Reading {
        let Body {
            bytes,
            content_type,
            payload,
            mut limits_hit,
        } = body;
        let url = lease.url().url.to_url();
        let tld = tld_of(&url);
        let decoded = match form {
            TextForm::Rich => extractor::decode_rich(&bytes),
            TextForm::Html
            | TextForm::Markdown
            | TextForm::Marked
            | TextForm::Plain
            | TextForm::Archive => {
                extractor::decode(&bytes, content_type.as_deref(), tld.as_deref())
            }
        };
        drop(bytes);
        limits_hit.extend(overruled(&decoded));
        let context = PageContext {
            url: &url,
            encoding: decoded.encoding,
            headers: &fetched.headers,
            agent: &self.agent,
            limits: dom_limits,
            link_places: false,
        };
        let is_marked = form == TextForm::Marked;
        let page = extractor::extract_text(decoded.text, is_marked, &context);
        let source = extractor::attribution(&page);
        self.finish(
            page,
            decoded.encoding,
            payload,
            Vec::new(),
            source,
            limits_hit,
        )
    }

    fn finish(
        &self,
        page: Page,
        charset: &'static str,
        payload: u64,
        links: Vec<FoundLink>,
        source: Option<url::Url>,
        mut limits_hit: Vec<String>,
    ) -> Reading {
        let words = self.segmenter.words(&page.text);
        let title = page.title.as_deref().unwrap_or("");
        let print = simhash::print(&words);
        // The extractor has looked at the language already; plain text has not been there.
        let language = page.lang.clone().or_else(|| {
            segment::language(&page.text, None).map(|language| language.as_str().to_string())
        });
        let soft_404 = sieve::soft_404::is_soft_404(title, &page.text, words.len() as u32);
        limits_hit.extend(page.limits_hit.iter().map(|&limit| limit.to_string()));
        Reading::Page(Box::new(PageReading {
            blocks: BlockKeys::of(&page),
            source,
            whole: None,
            own: None,
            page,
            charset,
            words,
            print,
            language,
            payload,
            soft_404,
            links,
            limits_hit,
            cut: None,
        }))
    }
}

/// What is noted of a page that is in another encoding than it declares.
fn overruled(decoded: &Decoded) -> Option<String> {
    let declared = decoded.overruled?;
    Some(format!(
        "charset: {declared} declared, {} found",
        decoded.encoding
    ))
}

/// The last label of a URL's host.
pub(super) fn tld_of(url: &url::Url) -> Option<String> {
    let last = url.host_str()?.rsplit('.').next();
    last.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_alone_for_what_it_takes_and_not_for_its_length() {
        let alone = |unit: &str, bytes: usize, form| {
            is_read_alone(unit.repeat(bytes / unit.len()).as_bytes(), form)
        };
        let prose = format!("<p>{}</p>", "Some words of a page. ".repeat(20));
        assert!(!alone(&prose, 2 << 20, TextForm::Html));
        assert!(alone(&prose, 5 << 20, TextForm::Html));
        assert!(alone("<p>x", 400_000, TextForm::Html));
        assert!(!alone("<p>x", 300_000, TextForm::Html));
        assert!(alone("- a\n", 400_000, TextForm::Markdown));
        assert!(alone("|a|b|\n", 200_000, TextForm::Markdown));
        let lines = "A line of a text in Markdown that is as long as lines are.\n";
        assert!(!alone(lines, 2 << 20, TextForm::Markdown));
    }
}
