//! Visit to finding: bytes become a page with its words, fingerprint and links.
//!
//! A plain function of its input, called on the CPU pool. It asks no index and decides nothing,
//! and opens no file but for the archived page of a URL that was read before: what it cannot read is a reading
//! too, with a name.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use again::Shown;
use archive::BodyRef;
use extractor::{BlockKeys, Decoded, DomLimits, LinkKind, Page, PageContext};
use fetcher::{Decoding, FetchError, FetchLimits, Fetched, Purpose, Sitemap, TextForm, Truncated};
use frontier::{CanonicalUrl, Canonicaliser, Lease, Refused};
use outcome::{FailureKind, Refusal, SitemapKind};
use segment::Segmenter;
use state::Finding;
use state::context::UrlContext;
use state::finding::{
    Before, FoundLink, LinkPlace, PageReading, Reading, SitemapReading, UrlFinding,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::config::CrawlConfig;
use crate::messages::{ToReader, Visit};
use crate::setup;

/// Feeds that are followed of those that a page names.
const FEEDS_MAX: usize = 4;

/// Longest anchor text kept, in characters.
const ANCHOR_CHARS_MAX: usize = 120;

/// Seconds after which a seed without a page of its own still forwards at once: nobody reads on it.
const FORWARD_SECONDS_MAX: f64 = 5.0;

/// Characters of such a seed: "You will be forwarded; click here if your browser does not."
const FORWARD_CHARS_MAX: usize = 200;

/// Pages longer than this, unpacked, are read one at a time: reading ten megabytes of tags takes
/// some 170 MB, and a host may send them to every thread.
const LARGE_PAGE_BYTES: usize = 2 << 20;

/// Pages longer than this, unpacked, are compared by their main texts alone when they are visited again.
const COMPARED_BYTES_MAX: usize = 1 << 20;

/// What is noted of a page whose body ended before the announced length, and is whole by its own end.
const WHOLE_BY_ITS_END: &str = "body: shorter than announced, whole by its end";

/// A body that is a text, with its content codings undone.
struct Body {
    bytes: Vec<u8>,
    /// Its hash.
    payload: u64,
    limits_hit: Vec<String>,
}

/// Reads visits. Shared by the pool's threads.
#[derive(Debug)]
pub(crate) struct Reader {
    segmenter: &'static Segmenter,
    limits: FetchLimits,
    dom_limits: DomLimits,
    canonicaliser: Canonicaliser,
    agent: String,
    /// Held while a large page is read: see [`LARGE_PAGE_BYTES`].
    large: Mutex<()>,
    links_max: usize,
    sitemap_urls_max: usize,
    attempts_max: u32,
    has_topic: bool,
    has_feeds: bool,
    /// Where the texts of earlier visits are.
    archive: PathBuf,
}

impl Reader {
    /// A reader within the configuration's limits.
    pub(crate) fn new(config: &CrawlConfig, archive: PathBuf) -> Arc<Self> {
        Arc::new(Self {
            segmenter: Segmenter::shared(),
            limits: setup::fetch_limits(config),
            dom_limits: setup::dom_limits(config),
            canonicaliser: setup::canonicaliser(config),
            agent: config.agent.name.clone(),
            large: Mutex::new(()),
            links_max: config.limits.links_per_page,
            sitemap_urls_max: config.limits.sitemap_urls,
            attempts_max: config.politeness.attempts,
            has_topic: config.topic.is_some(),
            has_feeds: config.again.as_ref().is_some_and(|again| again.feeds),
            archive,
        })
    }

    /// Reads one job.
    pub(crate) fn read(&self, job: ToReader) -> Finding {
        match job {
            ToReader::Finding(finding) => finding,
            ToReader::Robots(visit) => Finding::Robots(visit),
            ToReader::Refused(lease, why) => Finding::Url(Box::new(UrlFinding {
                lease: *lease,
                reading: refused(why),
                answer: None,
                content_type: String::new(),
                before: None,
            })),
            ToReader::Visit(visit) => Finding::Url(Box::new(self.read_visit(*visit))),
        }
    }

    fn read_visit(&self, visit: Visit) -> UrlFinding {
        let Visit {
            lease,
            purpose,
            answer,
        } = visit;
        let last_try = lease.attempt() >= self.attempts_max;
        let mut content_type = String::new();
        let reading = match &answer.fetched {
            Err(error) => failed(error),
            Ok(fetched) => {
                content_type = fetched
                    .content_type()
                    .map(|full| {
                        full.split(';')
                            .next()
                            .unwrap_or("")
                            .trim()
                            .to_ascii_lowercase()
                    })
                    .unwrap_or_default();
                // One page costs one page, even if it finds a fault in a parser.
                let read = AssertUnwindSafe(|| {
                    self.read_answer(&lease, purpose, fetched, last_try, &mut content_type)
                });
                catch_unwind(read).unwrap_or_else(|_| Reading::Failed {
                    kind: FailureKind::Unreadable,
                    detail: "reading the page failed in an unexpected way".into(),
                    transient: false,
                })
            }
        };
        let fetched = answer.fetched.as_ref().ok();
        let before = AssertUnwindSafe(|| self.before(&lease, &reading, fetched, &content_type));
        let before = catch_unwind(before).unwrap_or_default();
        UrlFinding {
            lease,
            reading,
            answer: Some(answer),
            content_type,
            before,
        }
    }

    /// The page as it was when it was read before, to compare it with. What cannot be read is not
    /// compared.
    fn before(
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
        let text = archive::read_text(&self.archive, due.text.as_ref()?).ok()?;
        // The host's template was perhaps cut off then, and is not yet now.
        let digest = format!("{:016x}", now.print.digest);
        let is_same = digest == due.digest || Some(digest) == due.whole;
        let shown = match due.body {
            Some(body) if is_html(content_type) && !is_same => self.shown(&body, fetched, lease),
            _ => None,
        };
        Some(Before { text, shown })
    }

    /// All text of a page then and now; `None` of large ones, and where the one before is not there.
    fn shown(&self, before: &BodyRef, fetched: &Fetched, lease: &Lease) -> Option<Shown> {
        let before = archive::read_body(&self.archive, before).ok()?;
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

    fn read_answer(
        &self,
        lease: &Lease,
        purpose: Purpose,
        fetched: &Fetched,
        last_try: bool,
        content_type: &mut String,
    ) -> Reading {
        if let Some(target) = fetched.location() {
            let canonical = self.canonicaliser.canonical(&target);
            return Reading::Redirect(canonical.map_err(|error| error.to_string()));
        }
        match fetched.status {
            304 if has_condition(lease) => return Reading::NotModified,
            // Some caches answer so to everybody. What has never been read must be asked for again.
            304 | 408 | 425 | 429 | 500..=599 => {
                return Reading::Failed {
                    kind: FailureKind::Http(fetched.status),
                    detail: format!("the server answered {}", fetched.status),
                    transient: !matches!(fetched.status, 501 | 505),
                };
            }
            _ => {}
        }
        let decoding = fetched.decoded(&self.limits.decoding_for(purpose));
        let (cut, is_whole) = match Cut::of(fetched, &decoding) {
            // The last part of a body ends as the whole does.
            Some(Cut::Part) => (Some(Cut::Part), false),
            Some(Cut::Received(_) | Cut::Stream) if fetched.is_whole_by_its_end(&decoding) => {
                (None, true)
            }
            cut => (cut, false),
        };
        if let Some(unusable) = unusable(fetched, &decoding, cut, last_try) {
            return unusable;
        }
        let mut limits_hit: Vec<String> = decoding.stopped.into_iter().collect();
        limits_hit.extend(cut.and_then(Cut::noted).map(|name| format!("body: {name}")));
        if purpose == Purpose::Sitemap && (200..300).contains(&fetched.status) {
            return self.read_sitemap(&decoding.bytes, lease, limits_hit.into_iter().next());
        }
        let dom_limits = DomLimits {
            is_part: !limits_hit.is_empty(),
            ..self.dom_limits.clone()
        };
        limits_hit.extend(is_whole.then(|| WHOLE_BY_ITS_END.to_owned()));
        *content_type = fetcher::body_type(fetched.content_type().as_deref(), &decoding.bytes);
        let payload = xxh3_64(&decoding.bytes);
        let is_success = (200..300).contains(&fetched.status);
        let form = TextForm::of(content_type, lease.url().url.path());
        let mut reading = match form {
            Some(form) if form == TextForm::Html || is_success => {
                let body = Body {
                    bytes: decoding.bytes,
                    payload,
                    limits_hit,
                };
                match form {
                    TextForm::Html | TextForm::Markdown => {
                        self.read_page(lease, fetched, body, form, &dom_limits)
                    }
                    TextForm::Plain | TextForm::Marked => {
                        self.read_text(lease, fetched, body, form)
                    }
                }
            }
            _ if is_success && self.has_feeds && is_xml(content_type) => {
                let cut = limits_hit.into_iter().next();
                self.read_feed(&decoding.bytes, lease, cut)
                    .unwrap_or(Reading::NoPage { payload })
            }
            _ => Reading::NoPage { payload },
        };
        if let Reading::Page(page) = &mut reading {
            page.cut = cut.map(Cut::words);
        }
        reading
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
            payload,
            mut limits_hit,
        } = body;
        let is_large = bytes.len() > LARGE_PAGE_BYTES;
        // A page that panicked while it was read has left nothing behind the lock.
        let _alone = is_large.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner));
        let url = lease.url().url.to_url();
        let tld = tld_of(&url);
        let decoded = extractor::decode(&bytes, fetched.content_type().as_deref(), tld.as_deref());
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
            TextForm::Html | TextForm::Plain | TextForm::Marked => {
                extractor::extract(&decoded.text, &context)
            }
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
    /// header, or a script that does nothing else. It is taken for a redirect, so that the crawl goes where the seed leads.
    fn forwarded(&self, lease: &Lease, page: &Page) -> Option<CanonicalUrl> {
        let refresh = page.refresh.as_ref()?;
        let is_at_once = refresh.delay <= FORWARD_SECONDS_MAX;
        let is_empty = page.visible_text_chars <= FORWARD_CHARS_MAX;
        if lease.url().depth > 0 || !is_at_once || !is_empty || !page.directives.follow {
            return None;
        }
        let target = self.canonicaliser.canonical(&refresh.url).ok()?;
        (target != lease.url().url).then_some(target)
    }

    fn read_text(&self, lease: &Lease, fetched: &Fetched, body: Body, form: TextForm) -> Reading {
        let Body {
            bytes,
            payload,
            mut limits_hit,
        } = body;
        let url = lease.url().url.to_url();
        let decoded = extractor::decode(&bytes, fetched.content_type().as_deref(), None);
        drop(bytes);
        limits_hit.extend(overruled(&decoded));
        let mut page = Page::empty(&url);
        page.title = match form {
            TextForm::Marked => extractor::title_of_marked_text(&decoded.text),
            TextForm::Plain | TextForm::Html | TextForm::Markdown => {
                extractor::title_of_text(&decoded.text)
            }
        };
        page.link_density = 0.0;
        page.visible_text_chars = decoded.text.chars().count();
        page.text = decoded.text;
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

    /// The page's links, canonical, each URL once; so many feeds that it names are among them.
    fn links(&self, page: &mut Page, mut feeds_left: usize) -> Vec<FoundLink> {
        let count = page.links.len().min(self.links_max);
        let mut seen = std::collections::HashMap::with_capacity(count);
        let mut links: Vec<FoundLink> = Vec::with_capacity(count);
        for link in std::mem::take(&mut page.links) {
            if links.len() >= self.links_max {
                page.limits_hit.push("links_per_page");
                break;
            }
            let is_left_out = match link.kind {
                LinkKind::Alternate => true,
                LinkKind::Feed => feeds_left == 0,
                LinkKind::A
                | LinkKind::Area
                | LinkKind::Frame
                | LinkKind::Iframe
                | LinkKind::Refresh
                | LinkKind::Canonical
                | LinkKind::Series
                | LinkKind::Language => false,
            };
            if is_left_out {
                continue;
            }
            feeds_left -= usize::from(link.kind == LinkKind::Feed);
            let canonical = self.canonicaliser.canonical(&link.url);
            let key = match &canonical {
                Ok(url) => url.key(),
                Err(_) => u128::from(xxh3_64(link.url.as_str().as_bytes())),
            };
            let place = LinkPlace {
                anchor: cut(link.anchor),
                context: link.context,
                tag_path: link.tag_path,
                in_main: link.in_main,
            };
            if let Some(&at) = seen.get(&key) {
                let known: &mut FoundLink = &mut links[at];
                known.again(&link.rel, link.nofollow, place);
                continue;
            }
            seen.insert(key, links.len());
            links.push(FoundLink {
                target: canonical
                    .map_err(|error| (link.url.as_str().chars().take(256).collect(), error.fate())),
                rel: link.rel,
                nofollow: link.nofollow,
                places: vec![place],
            });
        }
        links
    }

    /// Reads a feed; none for what is no feed, or names nothing.
    fn read_feed(&self, bytes: &[u8], lease: &Lease, cut: Option<String>) -> Option<Reading> {
        let Reading::Sitemap(feed) = self.read_sitemap(bytes, lease, cut) else {
            return None;
        };
        let is_feed = matches!(feed.kind, SitemapKind::Rss | SitemapKind::Atom);
        (is_feed && !feed.urls.is_empty()).then_some(Reading::Sitemap(feed))
    }

    /// Reads a sitemap; `cut` is why its bytes are not all there were.
    fn read_sitemap(&self, bytes: &[u8], lease: &Lease, cut: Option<String>) -> Reading {
        match Sitemap::parse(bytes, Some(&lease.url().url.to_url())) {
            Ok(mut sitemap) => {
                if let Some(why) = cut {
                    sitemap.was_cut(why);
                }
                let kind = sitemap.kind.name().into();
                let mut problem = sitemap.stopped;
                let mut urls = Vec::new();
                for entry in sitemap.urls {
                    if urls.len() >= self.sitemap_urls_max {
                        problem.get_or_insert_with(|| {
                            format!(
                                "more than {} URLs: the rest is left out",
                                self.sitemap_urls_max
                            )
                        });
                        break;
                    }
                    let parsed = url::Url::parse(&entry.loc).ok();
                    if let Some(url) =
                        parsed.and_then(|url| self.canonicaliser.canonical(&url).ok())
                    {
                        urls.push((url, entry));
                    }
                }
                Reading::Sitemap(SitemapReading {
                    kind,
                    urls,
                    problem,
                })
            }
            Err(error) => Reading::Sitemap(SitemapReading {
                problem: Some(error.to_string()),
                ..SitemapReading::default()
            }),
        }
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

/// Whether a content type is that of a page.
fn is_html(content_type: &str) -> bool {
    matches!(content_type, "text/html" | "application/xhtml+xml")
}

/// The last label of a URL's host.
fn tld_of(url: &url::Url) -> Option<String> {
    let last = url.host_str()?.rsplit('.').next();
    last.map(str::to_owned)
}

/// An anchor text, cut to what is kept of it.
fn cut(mut anchor: String) -> String {
    if let Some((end, _)) = anchor.char_indices().nth(ANCHOR_CHARS_MAX) {
        anchor.truncate(end);
    }
    anchor
}

/// Whether a content type is one that feeds come with.
fn is_xml(content_type: &str) -> bool {
    content_type.ends_with("/xml") || content_type.ends_with("+xml")
}

/// Whether an answer of 304 was asked for: the request said what was known of the page.
fn has_condition(lease: &Lease) -> bool {
    let due = UrlContext::from_bytes(&lease.url().context).due;
    due.is_some_and(|due| !due.unconditional && (due.etag.is_some() || due.last_modified.is_some()))
}

/// How a body ended before its end.
#[derive(Debug, Clone, Copy)]
enum Cut {
    /// While it was received.
    Received(Truncated),
    /// The server sent a part of it.
    Part,
    /// Its compressed stream has no end, though as many bytes came as were announced.
    Stream,
}

impl Cut {
    fn of(fetched: &Fetched, decoding: &Decoding) -> Option<Self> {
        match fetched.truncated {
            Some(truncated) => Some(Self::Received(truncated)),
            None if fetched.is_part() => Some(Self::Part),
            None => decoding.is_cut.then_some(Self::Stream),
        }
    }

    /// Whether it may come whole when it is asked for again.
    fn is_mishap(self) -> bool {
        match self {
            Self::Received(Truncated::Bytes) => false,
            Self::Received(Truncated::Time | Truncated::Disconnect) | Self::Part | Self::Stream => {
                true
            }
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Received(Truncated::Bytes) => "the body is longer than what is read of one",
            Self::Received(Truncated::Time | Truncated::Disconnect) => {
                "the body ended before its announced end"
            }
            Self::Part => "the server sent a part of the body unasked",
            Self::Stream => "the body's compressed stream ended before its end",
        }
    }

    /// What is noted of a page that is kept all the same; of a stream its decoding says it.
    fn noted(self) -> Option<&'static str> {
        match self {
            Self::Received(truncated) => Some(truncated.name()),
            Self::Part => Some("part"),
            Self::Stream => None,
        }
    }
}

/// Why a body cannot be used as it came, if it cannot.
fn unusable(
    fetched: &Fetched,
    decoding: &Decoding,
    cut: Option<Cut>,
    last_try: bool,
) -> Option<Reading> {
    if let Some(cut) = cut.filter(|cut| cut.is_mishap() && !last_try) {
        return Some(Reading::Failed {
            kind: FailureKind::Truncated,
            detail: cut.words().into(),
            transient: true,
        });
    }
    let why = decoding.stopped.as_ref()?;
    let is_lost = decoding.bytes.is_empty() && fetched.status == 200 && !fetched.body.is_empty();
    is_lost.then(|| Reading::Failed {
        kind: FailureKind::Encoding,
        detail: why.clone(),
        transient: !last_try,
    })
}

/// A URL that is finished without a visit.
fn refused(why: Refused) -> Reading {
    match why {
        Refused::Refusal(refusal) => Reading::Refused(refusal),
        Refused::Unreachable { failure, detail } => Reading::Failed {
            kind: failure,
            detail: format!("the host could not be reached: {detail}"),
            transient: false,
        },
    }
}

fn failed(error: &FetchError) -> Reading {
    match FailureKind::from(error.name()) {
        FailureKind::Guard => Reading::Refused(Refusal::Guard(error.to_string())),
        kind => Reading::Failed {
            kind,
            detail: error.to_string(),
            transient: error.is_transient(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use frontier::{
        CanonicalUrl, Frontier, FrontierConfig, FrontierUrl, Gate, HostKey, Next, Permission,
    };
    use outcome::{LowYield, SitemapKind};
    use state::Answer;

    use super::*;

    struct Open;

    impl Gate for Open {
        fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
            Permission::Allowed
        }
    }

    fn lease() -> Lease {
        let now = Instant::now();
        let mut frontier = Frontier::in_memory(FrontierConfig::default(), now);
        let url = CanonicalUrl::parse("http://a.example/x").expect("a URL");
        frontier.admit(FrontierUrl::seed(url, 0)).expect("admits");
        match frontier.next(now, &mut Open).expect("a turn") {
            Next::Lease(lease) => lease,
            other => panic!("{other:?}"),
        }
    }

    fn read(status: u16, content_type: &str, body: &str, purpose: Purpose) -> Reading {
        read_cut(status, content_type, body, purpose, None)
    }

    fn read_cut(
        status: u16,
        content_type: &str,
        body: &str,
        purpose: Purpose,
        truncated: Option<Truncated>,
    ) -> Reading {
        let fetched = Fetched {
            url: url::Url::parse("http://a.example/x").expect("a URL"),
            status,
            http_version: "HTTP/1.1",
            headers: vec![
                ("content-type".into(), content_type.as_bytes().to_vec()),
                ("location".into(), b"/y".to_vec()),
            ],
            body: bytes::Bytes::copy_from_slice(body.as_bytes()),
            remote: None,
            truncated,
            first_byte: Duration::ZERO,
            total: Duration::ZERO,
            waited: Duration::ZERO,
            via: fetcher::Via::Wire,
        };
        read_fetched(fetched, purpose)
    }

    fn read_fetched(fetched: Fetched, purpose: Purpose) -> Reading {
        let visit = Visit {
            lease: lease(),
            purpose,
            answer: Answer {
                fetched: Ok(fetched),
                started_ms: 0,
                took: Duration::ZERO,
            },
        };
        let reader = Reader::new(&CrawlConfig::default(), PathBuf::new());
        match reader.read(ToReader::Visit(Box::new(visit))) {
            Finding::Url(found) => found.reading,
            Finding::Robots(_) => panic!("a page was asked for"),
        }
    }

    #[test]
    fn an_answer_is_what_its_status_says_before_its_type_is_looked_at() {
        let page = |status| read(status, "text/html", "<p>words", Purpose::Page);
        assert!(matches!(page(200), Reading::Page(_)));
        assert!(matches!(page(404), Reading::Page(_)));
        assert!(matches!(page(301), Reading::Redirect(Ok(to)) if to.as_str().ends_with("/y")));
        let kind = |status| match page(status) {
            Reading::Failed {
                kind, transient, ..
            } => (kind, transient),
            other => panic!("{other:?}"),
        };
        assert_eq!(kind(503), (FailureKind::Http(503), true));
        assert_eq!(kind(501), (FailureKind::Http(501), false));
        // Nothing was known of it, so it cannot be as it was: the URL was finished with that, unread.
        assert_eq!(kind(304), (FailureKind::Http(304), true));
    }

    #[test]
    fn a_seed_that_only_forwards_its_readers_redirects() {
        // Its target was out of scope, and the crawl was empty.
        let read_seed = |body: &str| read(200, "text/html", body, Purpose::Page);
        let to = |delay: u32| {
            format!("<meta http-equiv=refresh content='{delay};url=//www.b.example/'>")
        };
        let forwarded = read_seed(&format!("{}<p>One moment.", to(3)));
        assert!(
            matches!(forwarded, Reading::Redirect(Ok(to)) if to.as_str() == "http://www.b.example/")
        );
        let script = "<script>location.replace('//www.b.example/')</script>";
        let by_script = read_seed(&format!("{script}<p>One moment."));
        assert!(
            matches!(by_script, Reading::Redirect(Ok(to)) if to.as_str() == "http://www.b.example/")
        );
        for page in [
            format!("{script}<p>{}", "A page of its own. ".repeat(20)),
            to(30),
            format!("{}<p>{}", to(0), "A page of its own. ".repeat(20)),
            "<meta http-equiv=refresh content=0>".to_owned(),
            "<meta http-equiv=refresh content='0;url=/x'>".to_owned(),
            format!("{}<meta name=robots content=nofollow>", to(0)),
        ] {
            assert!(matches!(read_seed(&page), Reading::Page(_)), "{page}");
        }
    }

    #[test]
    fn a_page_that_is_in_another_encoding_than_declared_says_so() {
        let page = format!("<meta charset=gb2312><p>{}", "汉字".repeat(200));
        let Reading::Page(page) = read(200, "text/html", &page, Purpose::Page) else {
            panic!("a page");
        };
        assert_eq!(page.charset, "UTF-8");
        assert_eq!(page.limits_hit, ["charset: GBK declared, UTF-8 found"]);
    }

    #[test]
    fn the_next_of_a_series_and_other_languages_are_links_and_print_forms_are_none() {
        let page = "<link rel=next href=/2><link rel=alternate hreflang=de href=/de>\
                    <link rel=alternate media=print href=/print><p>words";
        let Reading::Page(page) = read(200, "text/html", page, Purpose::Page) else {
            panic!("a page");
        };
        let target = |link: &FoundLink| link.target.as_ref().unwrap().path().to_owned();
        let links: Vec<_> = page
            .links
            .iter()
            .map(|link| (target(link), link.rel.as_str()))
            .collect();
        assert_eq!(
            links,
            [("/2".to_owned(), "next"), ("/de".to_owned(), "alternate")]
        );
    }

    #[test]
    fn a_body_shorter_than_announced_is_read_at_once_if_it_is_whole_by_its_own_end() {
        // Each page of a server that announces a wrong length was fetched four times.
        let cut = |body| {
            let cut = Some(Truncated::Disconnect);
            read_cut(200, "text/html", body, Purpose::Page, cut)
        };
        let Reading::Page(page) = cut("<html><p>words</p></html>\n") else {
            panic!("a page");
        };
        assert_eq!(page.limits_hit, [WHOLE_BY_ITS_END]);
        let Reading::Failed {
            kind, transient, ..
        } = cut("<html><p>words")
        else {
            panic!("it is cut");
        };
        assert_eq!((kind, transient), (FailureKind::Truncated, true));
        let map = "<urlset><url><loc>http://a.example/1</loc></url></urlset>";
        let late = Some(Truncated::Time);
        let read = read_cut(200, "text/xml", map, Purpose::Sitemap, late);
        assert!(matches!(read, Reading::Sitemap(map) if map.problem.is_none()));
    }

    /// A page that came with these headers.
    fn read_with(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Reading {
        let headers = headers.iter();
        let fetched = Fetched {
            url: url::Url::parse("http://a.example/x").expect("a URL"),
            status,
            http_version: "HTTP/1.1",
            headers: headers
                .map(|(name, value)| ((*name).into(), value.as_bytes().to_vec()))
                .collect(),
            body: bytes::Bytes::copy_from_slice(body),
            remote: None,
            truncated: None,
            first_byte: Duration::ZERO,
            total: Duration::ZERO,
            waited: Duration::ZERO,
            via: fetcher::Via::Wire,
        };
        read_fetched(fetched, Purpose::Page)
    }

    #[track_caller]
    fn is_asked_again(reading: &Reading, because: &str) {
        let Reading::Failed {
            kind: FailureKind::Truncated,
            detail,
            transient: true,
        } = reading
        else {
            panic!("{reading:?}");
        };
        assert!(detail.contains(because), "{detail}");
    }

    #[test]
    fn a_compressed_stream_without_its_end_is_asked_for_again_whatever_its_coding() {
        // Half of a page was kept of gzip and deflate, and zstd was asked for again.
        const HALF_GZIP: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xb3)\xb0\xcbH\xcd\xc9\xc9";
        const HALF_ZLIB: &[u8] = b"x\x9c\xb3)\xb0\xcbH\xcd\xc9\xc9";
        for (coding, half) in [("gzip", HALF_GZIP), ("deflate", HALF_ZLIB)] {
            let read = read_with(200, &[("content-encoding", coding)], half);
            is_asked_again(&read, "compressed stream");
        }
        // A page that is there to its last tag lacks a checksum alone.
        let whole = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\0\x15\0\xea\xff<html><p>words</html>";
        let read = read_with(200, &[("content-encoding", "gzip")], whole);
        let Reading::Page(page) = read else {
            panic!("{read:?}");
        };
        assert_eq!(page.page.text, "words");
        assert!(page.cut.is_none());
    }

    #[test]
    fn a_part_that_nobody_asked_for_is_no_page() {
        let html = [("content-type", "text/html")];
        for part in [&b"<p>words"[..], b"words</p></html>"] {
            is_asked_again(&read_with(206, &html, part), "a part of the body");
        }
        let all = [html[0], ("content-range", "bytes 0-7/8")];
        let read = read_with(206, &all, b"<p>words");
        assert!(matches!(read, Reading::Page(page) if page.cut.is_none()));
    }

    #[test]
    fn a_binary_file_is_no_page_and_named_by_what_it_is() {
        // It was read as a page in windows-1252, and kept.
        for content_type in ["text/html", "text/plain; charset=utf-8"] {
            let read = read(200, content_type, "%PDF-1.4\n1 0 obj", Purpose::Page);
            assert!(matches!(read, Reading::NoPage { .. }), "{read:?}");
        }
        let page = "\u{feff}<p>words".encode_utf16();
        let page: Vec<u8> = page.flat_map(u16::to_le_bytes).collect();
        let read = read_with(200, &[("content-type", "text/html")], &page);
        assert!(matches!(read, Reading::Page(page) if page.page.text == "words"));
    }

    #[test]
    fn what_is_no_text_is_no_page_and_a_sitemap_is_read_as_one() {
        let binary = read(200, "image/png", "\u{89}PNG", Purpose::Page);
        assert!(matches!(binary, Reading::NoPage { .. }));
        let map = "<urlset><url><loc>http://a.example/1</loc></url></urlset>";
        let Reading::Sitemap(map) = read(200, "text/xml", map, Purpose::Sitemap) else {
            panic!("a sitemap");
        };
        assert_eq!((map.kind, map.urls.len()), (SitemapKind::Urlset, 1));
        let Reading::Sitemap(map) = read(200, "text/html", "<p>no", Purpose::Sitemap) else {
            panic!("a sitemap was asked for");
        };
        assert!(map.problem.is_some());
    }

    #[test]
    fn a_url_that_is_not_asked_for_is_refused_or_failed_as_its_host_was() {
        let refusal = Refusal::LowYield(LowYield::UrlForm {
            host: "a.test".into(),
        });
        let reading = refused(Refused::Refusal(refusal.clone()));
        assert!(matches!(reading, Reading::Refused(why) if why == refusal));
        let reading = refused(Refused::Unreachable {
            failure: FailureKind::Dns,
            detail: "no such host".into(),
        });
        assert!(matches!(
            reading,
            Reading::Failed {
                kind: FailureKind::Dns,
                transient: false,
                ..
            }
        ));
    }

    #[test]
    fn a_link_that_stands_twice_is_one_link_with_two_places() {
        let html = "<a href='/a#top'><img src=x></a> <a href='/a'>again</a> <a href='/b'>b</a>";
        let Reading::Page(page) = read(200, "text/html", html, Purpose::Page) else {
            panic!("a page");
        };
        assert_eq!(page.links.len(), 2);
        assert_eq!(
            (page.links[0].places.len(), page.links[0].anchor()),
            (2, "again")
        );
        assert_eq!(page.links[1].places.len(), 1);
    }

    #[test]
    fn a_text_in_markdown_is_a_page_with_its_title_and_links() {
        let text = "# A report\n\nSee [more](/more.md).\n";
        for content_type in ["text/markdown; charset=utf-8", "text/x-markdown"] {
            let Reading::Page(page) = read(200, content_type, text, Purpose::Page) else {
                panic!("a page");
            };
            assert_eq!(page.page.title.as_deref(), Some("A report"));
            assert_eq!(page.page.text, "A report\nSee more.");
            assert_eq!(page.links[0].target.as_ref().unwrap().path(), "/more.md");
        }
        let read = read(404, "text/markdown", text, Purpose::Page);
        assert!(matches!(read, Reading::NoPage { .. }), "{read:?}");
    }

    #[test]
    fn a_text_is_called_by_its_first_line_and_a_marked_one_by_its_title() {
        for (content_type, text) in [
            ("text/plain", " A report \n\nIts text.\n"),
            (
                "text/x-rst",
                ".. _a:\n\n====\nA report\n====\n\nIts text.\n",
            ),
            ("text/asciidoc", "= A report\n\nIts text.\n"),
        ] {
            let Reading::Page(page) = read(200, content_type, text, Purpose::Page) else {
                panic!("a page");
            };
            assert_eq!(page.page.title.as_deref(), Some("A report"), "{text:?}");
            assert_eq!(page.page.text, text);
        }
    }
}
