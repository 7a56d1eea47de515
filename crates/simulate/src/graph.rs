//! A crawl's records as a closed web.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use archive::{Event, PageRecord, Record};
use focus::simulate::{Roots, SimulatedLink, SimulatedPage};
use focus::{ExampleText, PageView, Topic};
use outcome::{NeighbourDecision, SitemapKind};
use state::{Examples, focus_view};
use url::Url;

/// The pages of a crawl, and the links between them.
#[derive(Debug, Clone, Default)]
pub struct CrawlGraph {
    /// Every URL that was fetched, in the order in which they were first.
    pub pages: Vec<SimulatedPage>,
    /// Where a crawl begins.
    pub roots: Roots,
    /// For each page the first of those that repeat each other.
    pub clusters: Vec<usize>,
    /// URLs that links lead to and the crawl did not fetch.
    pub not_archived: u64,
    /// Pages with words of which no text is there.
    pub without_text: u64,
    /// Examples that are URLs and teach nothing.
    pub examples_lost: Vec<LostExample>,
}

/// An example page that teaches the topic nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostExample {
    /// Its URL.
    pub url: String,
    /// Why.
    pub why: String,
}

impl CrawlGraph {
    /// Reads a journal. `examples` are the topic's example pages that are URLs; `text` gives the main
    /// text of a page, where there is one.
    pub fn read(
        records: impl Iterator<Item = Record>,
        topic: &Topic,
        examples: &Examples,
        text: &dyn Fn(&PageRecord) -> Option<String>,
    ) -> CrawlGraph {
        let mut reading = Reading {
            examples: examples.clone(),
            ..Reading::default()
        };
        for record in records {
            match record.event {
                Event::Seed(seed) => reading.seeds.push(seed.url),
                Event::Sitemap(sitemap) if sitemap.kind != SitemapKind::Index => {
                    reading.listed.extend(sitemap.urls);
                }
                Event::Page(page) => reading.page(record.seq, &page, topic, text),
                Event::Start(_)
                | Event::Robots(_)
                | Event::Sitemap(_)
                | Event::Attempt(_)
                | Event::Retry(_)
                | Event::Again(_)
                | Event::Elsewhere(_)
                | Event::Visit(_)
                | Event::Stop(_) => {}
            }
        }
        reading.end()
    }
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

/// A link before its target is known to be a page: the number of the target's URL, and the anchor.
type Target = (u32, Arc<str>);

/// A graph as it is read.
#[derive(Default)]
struct Reading {
    pages: Vec<SimulatedPage>,
    clusters: Vec<usize>,
    links: Vec<Vec<Target>>,
    numbers: Numbers,
    /// Places of pages by number of their URL.
    places: HashMap<u32, usize>,
    /// Places of pages by number of their record.
    by_seq: HashMap<u64, usize>,
    anchors: HashSet<Arc<str>>,
    without_text: u64,
    seeds: Vec<String>,
    /// URLs of sitemaps.
    listed: Vec<String>,
    examples: Examples,
    /// Examples that were asked for and are no page, with why.
    lost: BTreeMap<String, String>,
}

impl Reading {
    fn page(
        &mut self,
        seq: u64,
        page: &PageRecord,
        topic: &Topic,
        text: &dyn Fn(&PageRecord) -> Option<String>,
    ) {
        let Ok(url) = Url::parse(&page.url) else {
            return;
        };
        let example = self.example(page);
        let number = self.numbers.of(&page.url);
        // What failed and was put back counts as it ended: as the page that was read.
        let known = self.places.get(&number).copied();
        let is_settled = |at: usize| self.pages[at].terms.is_some() || page.page.is_none();
        if page.fetch.is_none() || known.is_some_and(is_settled) {
            return;
        }
        let place = known.unwrap_or(self.pages.len());
        let earlier = self.cluster(page).filter(|first| *first < place);
        let cluster = earlier.unwrap_or(place);
        self.places.insert(number, place);
        self.by_seq.insert(seq, place);
        let text = text(page);
        let words = page.page.as_ref().map_or(0, |page| page.words);
        self.without_text += u64::from(words > 0 && text.is_none());
        let read = page_of(topic, page, url, text.unwrap_or_default(), example);
        let links = self.links_of(page);
        put(&mut self.clusters, place, cluster);
        put(&mut self.pages, place, read);
        put(&mut self.links, place, links);
    }

    /// Whether a page is an example that teaches something, and of which kind. One that redirects
    /// hands that on to its target.
    fn example(&mut self, page: &PageRecord) -> Option<bool> {
        self.examples.follow(page);
        let on_topic = self.examples.get(&page.url)?;
        match page.no_page() {
            Some(why) => {
                self.lost.insert(page.url.clone(), why);
                None
            }
            None => {
                self.lost.remove(&page.url);
                Some(on_topic)
            }
        }
    }

    /// The first of the pages that a page repeats.
    fn cluster(&self, page: &PageRecord) -> Option<usize> {
        let nearest = page.nearest.as_ref();
        let repeated = nearest.filter(|near| near.decision == NeighbourDecision::Duplicate)?;
        let at = self.by_seq.get(&repeated.page)?;
        Some(self.clusters[*at])
    }

    /// The links that the crawl followed, or would have.
    fn links_of(&mut self, page: &PageRecord) -> Vec<Target> {
        let followed = page.links.iter().filter(|link| link.fate.is_known());
        let links = followed.map(|link| {
            let anchor = shared(&mut self.anchors, &link.anchor);
            (self.numbers.of(&link.url), anchor)
        });
        links.collect()
    }

    fn end(mut self) -> CrawlGraph {
        let place = |url: &String| self.places.get(self.numbers.of.get(url)?).copied();
        for url in self.examples.urls().filter(|url| place(url).is_none()) {
            let why = || "it is not among the pages of this crawl".to_owned();
            self.lost.entry(url.clone()).or_insert_with(why);
        }
        let mut seeds: Vec<usize> = self.examples.urls().filter_map(place).collect();
        // A crawl reads examples before all else; among themselves their order is the crawl's.
        seeds.sort_unstable();
        seeds.extend(self.seeds.iter().filter_map(place));
        let listed = self.listed.iter().filter_map(place).collect();
        let mut not_archived: HashSet<u32> = HashSet::new();
        for (page, links) in self.pages.iter_mut().zip(self.links) {
            page.links.reserve_exact(links.len());
            for (number, anchor) in links {
                match self.places.get(&number) {
                    Some(&to) => page.links.push(SimulatedLink { to, anchor }),
                    None => drop(not_archived.insert(number)),
                }
            }
        }
        let lost = self.lost.into_iter();
        CrawlGraph {
            pages: self.pages,
            roots: Roots { seeds, listed },
            clusters: self.clusters,
            not_archived: not_archived.len() as u64,
            without_text: self.without_text,
            examples_lost: lost.map(|(url, why)| LostExample { url, why }).collect(),
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

/// The anchor text, held once however many links have it: a menu's stand on every page of a site.
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
    record: &PageRecord,
    url: Url,
    text: String,
    example: Option<bool>,
) -> SimulatedPage {
    let targets: Vec<&str> = record.links.iter().map(|link| link.url.as_str()).collect();
    let anchors = record.links.iter();
    let anchors = anchors.map(|link| (link.rel.as_str(), link.anchor.as_str()));
    let labels = focus_view::tag_anchors(anchors);
    let summary = record.page.as_ref();
    let terms = summary.map(|summary| {
        let words = segment::Segmenter::shared().words(&text);
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        topic.read(&PageView {
            title: &summary.title,
            words: &words,
            url: &url,
            lang: Some(summary.lang.as_str()).filter(|lang| !lang.is_empty()),
            links: &targets,
            labels: &labels,
            listing: summary.page_type.is_link_list(),
        })
    });
    let example = example.zip(summary).map(|(on_topic, summary)| {
        let example = ExampleText {
            title: summary.title.clone(),
            url: Some(record.url.clone()),
            links: targets.iter().map(|url| (*url).to_owned()).collect(),
            labels,
            text,
            listing: summary.page_type.is_link_list(),
            lang: Some(summary.lang.clone()).filter(|lang| !lang.is_empty()),
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

#[cfg(test)]
mod tests;
