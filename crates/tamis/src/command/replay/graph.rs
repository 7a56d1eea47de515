//! A crawl's archive as a closed web.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use archive::{Event, PageRecord};
use focus::simulate::{Roots, SimulatedLink, SimulatedPage};
use focus::{ExampleText, Focus, FocusConfig, PageView, Topic};
use outcome::{NeighbourDecision, SitemapKind};
use pipeline::CrawlDir;
use state::{Examples, focus_view};
use url::Url;

use crate::command::journal;
use crate::exit::usage;

/// The pages of a crawl, and the links between them.
pub(super) struct Graph {
    pub pages: Vec<SimulatedPage>,
    pub roots: Roots,
    /// For each page the first of those that repeat each other.
    pub clusters: Vec<usize>,
    /// URLs that links lead to and the crawl did not fetch.
    pub not_archived: u64,
    /// Pages of which neither text nor body is there.
    pub without_text: u64,
    /// Examples that are URLs and teach nothing, with why.
    pub examples_lost: Vec<(String, String)>,
}

/// URLs by number, so that each is held once.
#[derive(Default)]
struct Numbers {
    of: HashMap<String, u32>,
}

impl Numbers {
    fn of(&mut self, url: &str) -> u32 {
        if let Some(&number) = self.of.get(url) {
            return number;
        }
        let next = self.of.len() as u32;
        self.of.insert(url.to_owned(), next);
        next
    }
}

/// A graph as it is read.
#[derive(Default)]
struct Reading {
    pages: Vec<SimulatedPage>,
    clusters: Vec<usize>,
    numbers: Numbers,
    /// Places of pages by number of their URL.
    places: HashMap<u32, usize>,
    /// Places of pages by number of their record.
    by_seq: HashMap<u64, usize>,
    links: Vec<Vec<(u32, Arc<str>)>>,
    anchors: HashSet<Arc<str>>,
    without_text: u64,
    examples: Examples,
    /// Examples that were asked for and are no page, with why.
    lost: BTreeMap<String, String>,
}

impl Graph {
    /// Reads the archive.
    pub fn read(
        dir: &CrawlDir,
        config: &FocusConfig,
        examples: &Examples,
    ) -> anyhow::Result<Graph> {
        let focus = Focus::new(config).map_err(|error| usage(format!("[topic] {error}")))?;
        let mut reading = Reading {
            examples: examples.clone(),
            ..Reading::default()
        };
        let (mut seeds, mut listed) = (Vec::new(), Vec::new());
        for record in journal::records(dir)? {
            match record.event {
                Event::Seed(seed) => seeds.push(seed.url),
                Event::Sitemap(sitemap) if sitemap.kind != SitemapKind::Index => {
                    listed.extend(sitemap.urls)
                }
                Event::Page(page) => reading.page(record.seq, &page, dir, focus.topic()),
                Event::Start(_)
                | Event::Robots(_)
                | Event::Sitemap(_)
                | Event::Attempt(_)
                | Event::Retry(_)
                | Event::Stop(_) => {}
            }
        }
        let place = |url: &String| reading.places.get(reading.numbers.of.get(url)?).copied();
        let unread = reading.examples.urls().filter(|url| place(url).is_none());
        let mut lost = reading.lost.clone();
        for url in unread {
            let why = || "it is not among the pages of this crawl".to_owned();
            lost.entry(url.clone()).or_insert_with(why);
        }
        let mut given: Vec<usize> = reading.examples.urls().filter_map(place).collect();
        // A crawl reads examples before all else; among themselves their order is the crawl's.
        given.sort_unstable();
        given.extend(seeds.iter().filter_map(place));
        let roots = Roots {
            seeds: given,
            listed: listed.iter().filter_map(place).collect(),
        };
        Ok(reading.graph(roots, lost.into_iter().collect()))
    }
}

impl Reading {
    fn page(&mut self, seq: u64, page: &PageRecord, dir: &CrawlDir, topic: &Topic) {
        let Ok(url) = Url::parse(&page.url) else {
            return;
        };
        self.examples.follow(page);
        let on_topic = self.examples.get(&page.url);
        match page.no_page().filter(|_| on_topic.is_some()) {
            Some(why) => drop(self.lost.insert(page.url.clone(), why)),
            None => drop(self.lost.remove(&page.url)),
        }
        let number = self.numbers.of(&page.url);
        // What failed and was put back counts as it ended: as the page that was read.
        let known = self.places.get(&number).copied();
        let is_settled = |at: usize| self.pages[at].terms.is_some() || page.page.is_none();
        if page.fetch.is_none() || known.is_some_and(is_settled) {
            return;
        }
        let place = known.unwrap_or(self.pages.len());
        self.places.insert(number, place);
        self.by_seq.insert(seq, place);
        let repeats = page
            .nearest
            .as_ref()
            .filter(|near| near.decision == NeighbourDecision::Duplicate);
        let first = repeats.and_then(|near| self.by_seq.get(&near.page));
        let cluster = first.map_or(place, |&first| self.clusters[first]);
        let text = page.text.as_ref().and_then(|at| journal::text(dir, at));
        // Without a topic the texts of dropped pages are not archived.
        let text = text.or_else(|| {
            let body = page.body.as_ref().filter(|_| page.page.is_some())?;
            journal::text_of_body(dir, &page.url, body)
        });
        let words = page.page.as_ref().map_or(0, |page| page.words);
        self.without_text += u64::from(words > 0 && text.is_none());
        let on_topic = on_topic.filter(|_| page.no_page().is_none());
        let read = page_of(topic, page, url, text.unwrap_or_default(), on_topic);
        let followed = page.links.iter();
        let followed = followed.filter(|link| link.fate.is_known());
        let links = followed
            .map(|link| {
                (
                    self.numbers.of(&link.url),
                    shared(&mut self.anchors, &link.anchor),
                )
            })
            .collect();
        put(&mut self.clusters, place, cluster);
        put(&mut self.pages, place, read);
        put(&mut self.links, place, links);
    }

    fn graph(mut self, roots: Roots, examples_lost: Vec<(String, String)>) -> Graph {
        let mut not_archived: HashSet<u32> = HashSet::new();
        for (page, links) in self.pages.iter_mut().zip(self.links) {
            page.links.reserve_exact(links.len());
            for (number, anchor) in links {
                match self.places.get(&number) {
                    Some(&to) => page.links.push(SimulatedLink { to, anchor }),
                    None => {
                        not_archived.insert(number);
                    }
                }
            }
        }
        Graph {
            pages: self.pages,
            roots,
            clusters: self.clusters,
            not_archived: not_archived.len() as u64,
            without_text: self.without_text,
            examples_lost,
        }
    }
}

/// Sets what stands at a place, which may be the next one.
fn put<T>(places: &mut Vec<T>, place: usize, what: T) {
    match places.get_mut(place) {
        Some(old) => *old = what,
        None => places.push(what),
    }
}

/// A menu's anchors stand on every page of a site.
fn shared(known: &mut HashSet<Arc<str>>, anchor: &str) -> Arc<str> {
    if let Some(anchor) = known.get(anchor) {
        return Arc::clone(anchor);
    }
    let anchor: Arc<str> = anchor.into();
    known.insert(Arc::clone(&anchor));
    anchor
}

fn page_of(
    topic: &Topic,
    record: &archive::PageRecord,
    url: Url,
    text: String,
    example: Option<bool>,
) -> SimulatedPage {
    let urls: Vec<&str> = record.links.iter().map(|link| link.url.as_str()).collect();
    let labels = focus_view::tag_anchors(
        record
            .links
            .iter()
            .map(|link| (link.rel.as_str(), link.anchor.as_str())),
    );
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let terms = record.page.as_ref().map(|summary| {
        let words = segment::Segmenter::shared().words(&text);
        topic.read(&PageView {
            title: &summary.title,
            words: &words,
            url: &url,
            lang: Some(summary.lang.as_str()).filter(|lang| !lang.is_empty()),
            links: &urls,
            labels: &labels,
            listing: summary.page_type.is_link_list(),
        })
    });
    let example = example
        .zip(record.page.as_ref())
        .map(|(on_topic, summary)| {
            let example = ExampleText {
                title: summary.title.clone(),
                url: Some(record.url.clone()),
                links: urls.iter().map(|url| (*url).to_string()).collect(),
                labels: labels.iter().map(|label| (*label).to_string()).collect(),
                text,
                listing: summary.page_type.is_link_list(),
            };
            (example, on_topic)
        });
    SimulatedPage {
        url,
        terms,
        fate: focus_view::fate_of(record),
        links: Vec::new(),
        example,
    }
}
