//! Visit to finding: bytes become a page with its words, fingerprint and links.
//!
//! A plain function of its input, called on the CPU pool. It opens no file, asks no index and
//! decides nothing: what it cannot read is a reading too, with a name.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use extractor::{BlockKeys, DomLimits, LinkKind, Page, PageContext};
use fetcher::{FetchError, FetchLimits, Fetched, Purpose, Sitemap, SitemapUrl, Truncated};
use frontier::{CanonicalUrl, Canonicaliser, Lease};
use segment::{Segmenter, Words};
use simhash::TextPrint;
use xxhash_rust::xxh3::xxh3_64;

use crate::dispatch::UNREACHABLE;
use crate::foresight::{BARREN, FORESEEN};
use crate::visit::{Answer, Job, RobotsVisit, Visit};

/// Longest anchor text kept, in characters.
const ANCHOR_CHARS_MAX: usize = 120;

/// Bytes of `rel` tokens that the places of one link add up to, at most.
const REL_BYTES_MAX: usize = 200;

/// Places of one link on a page that are kept.
const LINK_PLACES_MAX: usize = 4;

/// Pages longer than this, unpacked, are read one at a time: reading ten megabytes of tags takes
/// some 170 MB, and a host may send them to every thread.
const LARGE_PAGE_BYTES: usize = 2 << 20;

/// A visit, read.
#[derive(Debug)]
pub enum Finding {
    /// A URL's.
    Url(Box<UrlFinding>),
    /// A host's robots.txt.
    Robots(Box<RobotsVisit>),
}

/// What was found at a URL.
#[derive(Debug)]
pub struct UrlFinding {
    /// The right to finish the URL.
    pub lease: Lease,
    /// What was found.
    pub reading: Reading,
    /// The answer it was found in; `None` when nothing was asked.
    pub answer: Option<Answer>,
    /// Content type as declared or sniffed, without parameters.
    pub content_type: String,
}

/// What an answer turned out to be.
#[derive(Debug)]
pub enum Reading {
    /// A page that was read.
    Page(Box<PageReading>),
    /// An answer without a page in it: an error status, or a type that is not read.
    NoPage {
        /// A hash of the body.
        payload: u64,
    },
    /// A sitemap; links are its URLs.
    Sitemap {
        /// `urlset`, `index`, `text`, `rss`, `atom`.
        kind: &'static str,
        /// Its URLs.
        urls: Vec<(CanonicalUrl, SitemapUrl)>,
        /// Why reading ended early.
        problem: Option<String>,
    },
    /// A redirect to another URL.
    Redirect(Result<CanonicalUrl, String>),
    /// Not changed since it was last read.
    NotModified,
    /// robots.txt or the address guard says no.
    Refused {
        /// The refusal's name.
        name: &'static str,
        /// The rule or the address.
        detail: String,
    },
    /// It could not be had; `transient` when trying again may help.
    Failed {
        /// The failure's name.
        name: String,
        /// What happened.
        detail: String,
        /// Whether to try again.
        transient: bool,
    },
}

/// A page, read.
#[derive(Debug)]
pub struct PageReading {
    /// The page; its links are in `links`.
    pub page: Page,
    /// Encoding it was decoded from.
    pub charset: &'static str,
    /// Keys of its blocks, from which the host's template is learnt.
    pub blocks: BlockKeys,
    /// The blocks that were cut as the host's template, and the print before that.
    pub whole: Option<(u32, TextPrint)>,
    /// The page it names as the source of its text.
    pub source: Option<url::Url>,
    /// Words of the main text.
    pub words: Words,
    /// Words of the title.
    pub title_words: Words,
    /// Fingerprint and sketch.
    pub print: TextPrint,
    /// Language code.
    pub language: Option<String>,
    /// A hash of the decoded body.
    pub payload: u64,
    /// Reads like an error page.
    pub soft_404: bool,
    /// Links, canonical, each URL once, in order.
    pub links: Vec<FoundLink>,
    /// Bounds that were hit.
    pub limits_hit: Vec<String>,
}

/// A link as found on a page.
#[derive(Debug)]
pub struct FoundLink {
    /// Canonical target, or why it is none that can be crawled.
    pub target: Result<CanonicalUrl, (String, &'static str)>,
    /// `rel` tokens of all its places.
    pub rel: String,
    /// The page asks not to follow it, wherever it stands.
    pub nofollow: bool,
    /// Where it stands on the page: at least one place, at most four.
    pub places: Vec<LinkPlace>,
}

impl FoundLink {
    /// The first anchor text that is not empty: a picture with a link often stands before its title.
    pub fn anchor(&self) -> &str {
        let mut anchors = self.places.iter().map(|place| place.anchor.as_str());
        anchors.find(|anchor| !anchor.is_empty()).unwrap_or("")
    }

    fn again(&mut self, rel: &str, nofollow: bool, place: LinkPlace) {
        self.nofollow &= nofollow;
        for token in rel.split_whitespace() {
            let fits = self.rel.len() + token.len() < REL_BYTES_MAX;
            if fits && !self.rel.split_whitespace().any(|known| known == token) {
                self.rel.push(' ');
                self.rel.push_str(token);
            }
        }
        if self.places.len() < LINK_PLACES_MAX && !self.places.contains(&place) {
            self.places.push(place);
        }
    }
}

/// One of the places at which a page has a link.
#[derive(Debug, PartialEq)]
pub struct LinkPlace {
    /// Anchor text, shortened.
    pub anchor: String,
    /// Text around it.
    pub context: String,
    /// Path of tags down to it.
    pub tag_path: String,
    /// It stands in the main content.
    pub in_main: bool,
}

/// Reads visits. Shared by the pool's threads.
#[derive(Debug)]
pub struct Reader {
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
}

impl Reader {
    /// A reader within limits; `agent` is our product token.
    pub fn new(
        limits: FetchLimits,
        canonicaliser: Canonicaliser,
        agent: &str,
        config: &crate::config::CrawlConfig,
    ) -> Arc<Self> {
        Arc::new(Self {
            segmenter: Segmenter::shared(),
            limits,
            dom_limits: crate::setup::dom_limits(config),
            canonicaliser,
            agent: agent.into(),
            large: Mutex::new(()),
            links_max: config.limits.links_per_page,
            sitemap_urls_max: config.limits.sitemap_urls,
            attempts_max: config.politeness.attempts,
            has_topic: config.topic.is_some(),
        })
    }

    /// Reads one job.
    pub fn read(&self, job: Job) -> Finding {
        match job {
            Job::Robots(visit) => Finding::Robots(visit),
            Job::Refused(lease, rule) => Finding::Url(Box::new(UrlFinding {
                lease: *lease,
                reading: refused(rule),
                answer: None,
                content_type: String::new(),
            })),
            Job::Visit(visit) => Finding::Url(Box::new(self.read_visit(*visit))),
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
                    name: "unreadable".into(),
                    detail: "reading the page failed in an unexpected way".into(),
                    transient: false,
                })
            }
        };
        UrlFinding {
            lease,
            reading,
            answer: Some(answer),
            content_type,
        }
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
            304 => return Reading::NotModified,
            408 | 425 | 429 | 500..=599 => {
                return Reading::Failed {
                    name: format!("http_{}", fetched.status),
                    detail: format!("the server answered {}", fetched.status),
                    transient: !matches!(fetched.status, 501 | 505),
                };
            }
            _ => {}
        }
        let cut = matches!(
            fetched.truncated,
            Some(Truncated::Disconnect | Truncated::Time)
        );
        if cut && !last_try {
            return Reading::Failed {
                name: "truncated".into(),
                detail: "the body ended before its announced end".into(),
                transient: true,
            };
        }
        let decoding = fetched.decoded(&self.limits.decoding_for(purpose));
        if let Some(why) = &decoding.stopped
            && decoding.bytes.is_empty()
            && fetched.status == 200
            && !fetched.body.is_empty()
        {
            return Reading::Failed {
                name: "encoding".into(),
                detail: why.clone(),
                transient: !last_try,
            };
        }
        let mut limits_hit: Vec<String> = decoding.stopped.into_iter().collect();
        limits_hit.extend(fetched.truncated.map(|cut| format!("body: {}", cut.name())));
        if purpose == Purpose::Sitemap && (200..300).contains(&fetched.status) {
            return self.read_sitemap(&decoding.bytes, lease, limits_hit.into_iter().next());
        }
        let sniffed =
            fetcher::sniff_content_type(fetched.content_type().as_deref(), &decoding.bytes);
        *content_type = sniffed
            .split(';')
            .next()
            .unwrap_or("")
            .trim()
            .to_ascii_lowercase();
        let payload = xxh3_64(&decoding.bytes);
        let is_success = (200..300).contains(&fetched.status);
        match content_type.as_str() {
            "text/html" | "application/xhtml+xml" => {
                self.read_html(lease, fetched, decoding.bytes, payload, limits_hit)
            }
            "text/plain" if is_success => {
                self.read_text(lease, fetched, decoding.bytes, payload, limits_hit)
            }
            _ => Reading::NoPage { payload },
        }
    }

    fn read_html(
        &self,
        lease: &Lease,
        fetched: &Fetched,
        bytes: Vec<u8>,
        payload: u64,
        limits_hit: Vec<String>,
    ) -> Reading {
        let is_large = bytes.len() > LARGE_PAGE_BYTES;
        // A page that panicked while it was read has left nothing behind the lock.
        let _alone = is_large.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner));
        let url = lease.url().url.to_url();
        let tld = url
            .host_str()
            .and_then(|host| host.rsplit('.').next())
            .map(str::to_owned);
        let decoded = extractor::decode(&bytes, fetched.content_type().as_deref(), tld.as_deref());
        // A large page is not held twice while its tree is built.
        drop(bytes);
        let context = PageContext {
            url: &url,
            encoding: decoded.encoding,
            headers: &fetched.headers,
            agent: &self.agent,
            limits: &self.dom_limits,
            link_places: self.has_topic,
        };
        let mut page = extractor::extract(&decoded.text, &context);
        let source = extractor::attribution(&page);
        let links = self.links(&mut page);
        self.finish(page, decoded.encoding, payload, links, source, limits_hit)
    }

    fn read_text(
        &self,
        lease: &Lease,
        fetched: &Fetched,
        bytes: Vec<u8>,
        payload: u64,
        limits_hit: Vec<String>,
    ) -> Reading {
        let url = lease.url().url.to_url();
        let decoded = extractor::decode(&bytes, fetched.content_type().as_deref(), None);
        drop(bytes);
        let mut page = Page::empty(&url);
        page.title = decoded
            .text
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map(|line| line.chars().take(ANCHOR_CHARS_MAX).collect());
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
        let title_words = self.segmenter.words(title);
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
            title_words,
            print,
            language,
            payload,
            soft_404,
            links,
            limits_hit,
        }))
    }

    /// The page's links, canonical, each URL once.
    fn links(&self, page: &mut Page) -> Vec<FoundLink> {
        let mut seen = std::collections::HashMap::new();
        let mut links: Vec<FoundLink> = Vec::with_capacity(page.links.len().min(self.links_max));
        for link in std::mem::take(&mut page.links) {
            if links.len() >= self.links_max {
                page.limits_hit.push("links_per_page");
                break;
            }
            if link.kind == LinkKind::Alternate {
                continue;
            }
            let canonical = self.canonicaliser.canonical(&link.url);
            let key = match &canonical {
                Ok(url) => url.key(),
                Err(_) => u128::from(xxh3_64(link.url.as_str().as_bytes())),
            };
            let place = LinkPlace {
                anchor: link.anchor.chars().take(ANCHOR_CHARS_MAX).collect(),
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
                    .map_err(|error| (link.url.as_str().chars().take(256).collect(), error.name())),
                rel: link.rel,
                nofollow: link.nofollow,
                places: vec![place],
            });
        }
        links
    }

    /// Reads a sitemap; `cut` is why its bytes are not all there were.
    fn read_sitemap(&self, bytes: &[u8], lease: &Lease, cut: Option<String>) -> Reading {
        match Sitemap::parse(bytes, Some(&lease.url().url.to_url())) {
            Ok(mut sitemap) => {
                if let Some(why) = cut {
                    sitemap.was_cut(why);
                }
                let kind = sitemap.kind.name();
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
                Reading::Sitemap {
                    kind,
                    urls,
                    problem,
                }
            }
            Err(error) => Reading::Sitemap {
                kind: "",
                urls: Vec::new(),
                problem: Some(error.to_string()),
            },
        }
    }
}

/// A URL that is finished without a visit: by a trap's name, by robots.txt, or because its host
/// could not be reached when robots.txt was asked for.
fn refused(rule: String) -> Reading {
    if let Some((name, words)) = rule
        .strip_prefix(UNREACHABLE)
        .and_then(|rest| rest.split_once(": "))
    {
        return match name {
            "guard" => Reading::Refused {
                name: "guard",
                detail: words.into(),
            },
            name => Reading::Failed {
                name: name.into(),
                detail: format!("robots.txt could not be had: {words}"),
                transient: false,
            },
        };
    }
    if let Some((name, words)) = rule.split_once(": ")
        && let Some(name) = [FORESEEN, BARREN].into_iter().find(|known| *known == name)
    {
        return Reading::Refused {
            name,
            detail: words.into(),
        };
    }
    let name = if rule.starts_with("trap_") {
        "trap"
    } else {
        "robots"
    };
    Reading::Refused { name, detail: rule }
}

fn failed(error: &FetchError) -> Reading {
    match error.name() {
        "guard" => Reading::Refused {
            name: "guard",
            detail: error.to_string(),
        },
        name => Reading::Failed {
            name: name.to_string(),
            detail: error.to_string(),
            transient: error.is_transient(),
        },
    }
}
