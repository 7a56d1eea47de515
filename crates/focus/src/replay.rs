//! Another order for the same pages: what a strategy would have found, page by page.
//!
//! The pages of a crawl with their links are a small closed web. A strategy starts from the same
//! seeds and sees of each page what a crawl would see, only once it has "fetched" it. So strategies
//! and topics can be compared without a network, in seconds; but only over pages that the crawl
//! has fetched: what it never saw is in nobody's reach.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

use hashbrown::{HashMap, HashSet};
use url::Url;

use crate::focus::{Fate, Focus, FocusConfig, PageOutcome};
use crate::promise::{LinkContext, LinkFeatures};
use crate::terms::PageTerms;
use crate::topic::{ExampleText, TopicError};

/// In which order pages are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// First found, first fetched.
    BreadthFirst,
    /// The link on the most relevant page first: the classic focused crawl.
    BestFirst,
    /// The link of the highest promise first, as a crawl does it.
    Tamis,
}

/// A fetched URL of a crawl.
#[derive(Debug, Clone)]
pub struct ReplayPage {
    /// Its URL.
    pub url: Url,
    /// Its terms; `None` when nothing was read.
    pub terms: Option<PageTerms>,
    /// What became of it.
    pub fate: Fate,
    /// Its links that lead to pages of the crawl.
    pub links: Vec<ReplayLink>,
    /// The page as an example of the topic, if the user gave it as one, and of which kind.
    pub example: Option<(ExampleText, bool)>,
}

/// A link between two pages of a crawl.
#[derive(Debug, Clone)]
pub struct ReplayLink {
    /// Where it leads: the place among the pages.
    pub to: usize,
    /// Its anchor text.
    pub anchor: String,
}

/// How relevant each page is to the topic once all pages have been read, in their order: what a
/// strategy is measured by. 0.0 for a URL without a page.
///
/// # Errors
/// [`TopicError`] when the topic cannot be used.
pub fn relevance(config: &FocusConfig, pages: &[ReplayPage]) -> Result<Vec<f32>, TopicError> {
    let mut focus = Focus::new(config)?;
    for (example, on_topic) in pages.iter().filter_map(|page| page.example.as_ref()) {
        focus.add_example(example, *on_topic);
    }
    for (number, page) in pages.iter().enumerate() {
        let relevance = judge(&focus, page, None);
        learn(&mut focus, number, page, relevance, None);
    }
    Ok(pages.iter().map(|page| judge(&focus, page, None)).collect())
}

/// The order in which a strategy fetches the pages that it can reach from `seeds`, `pages_max` at
/// most. `relevance` is that of [`relevance`].
///
/// # Errors
/// [`TopicError`] when the topic cannot be used.
pub fn replay(
    strategy: Strategy,
    config: &FocusConfig,
    pages: &[ReplayPage],
    seeds: &[usize],
    relevance: &[f32],
    pages_max: usize,
) -> Result<Vec<usize>, TopicError> {
    Ok(match strategy {
        Strategy::BreadthFirst => breadth_first(pages, seeds, pages_max),
        Strategy::BestFirst => best_first(pages, seeds, relevance, pages_max),
        Strategy::Tamis => Run::new(config, pages)?.run(seeds, pages_max),
    })
}

fn breadth_first(pages: &[ReplayPage], seeds: &[usize], pages_max: usize) -> Vec<usize> {
    let mut queue: VecDeque<usize> = seeds.iter().copied().collect();
    let mut found: HashSet<usize> = queue.iter().copied().collect();
    let mut order = Vec::new();
    while order.len() < pages_max
        && let Some(at) = queue.pop_front()
    {
        order.push(at);
        let links = pages[at].links.iter().map(|link| link.to);
        queue.extend(links.filter(|&to| found.insert(to)));
    }
    order
}

fn best_first(
    pages: &[ReplayPage],
    seeds: &[usize],
    relevance: &[f32],
    pages_max: usize,
) -> Vec<usize> {
    let mut queue = Queue::default();
    for &seed in seeds {
        queue.put(seed, 1.0);
    }
    let mut order = Vec::new();
    while order.len() < pages_max
        && let Some(at) = queue.pop()
    {
        order.push(at);
        for link in &pages[at].links {
            queue.lift(link.to, relevance[at]);
        }
    }
    order
}

/// URLs that wait, best first, of equals the one found first.
#[derive(Debug, Default)]
struct Queue {
    order: BTreeSet<(Reverse<u32>, usize, usize)>,
    waiting: HashMap<usize, (Reverse<u32>, usize, usize)>,
    seen: HashSet<usize>,
    found: usize,
}

impl Queue {
    /// A URL waits with this priority from now on; nothing for one that was fetched.
    fn put(&mut self, at: usize, priority: f32) {
        let found = match self.waiting.remove(&at) {
            Some(old) => {
                self.order.remove(&old);
                old.1
            }
            None if !self.seen.insert(at) => return,
            None => {
                self.found += 1;
                self.found
            }
        };
        let place = (Reverse((priority.clamp(0.0, 1.0) * 1e6) as u32), found, at);
        self.order.insert(place);
        self.waiting.insert(at, place);
    }

    /// As `put`, unless it waits with a higher priority.
    fn lift(&mut self, at: usize, priority: f32) {
        let known = self.waiting.get(&at).map(|place| place.0.0);
        if known.is_none_or(|known| known < (priority.clamp(0.0, 1.0) * 1e6) as u32) {
            self.put(at, priority);
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let (_, _, at) = self.order.pop_first()?;
        self.waiting.remove(&at);
        Some(at)
    }
}

/// A crawl by promise, replayed.
struct Run<'p> {
    focus: Focus,
    pages: &'p [ReplayPage],
    queue: Queue,
    features: HashMap<usize, LinkFeatures>,
}

impl<'p> Run<'p> {
    fn new(config: &FocusConfig, pages: &'p [ReplayPage]) -> Result<Self, TopicError> {
        Ok(Run {
            focus: Focus::new(config)?,
            pages,
            queue: Queue::default(),
            features: HashMap::new(),
        })
    }

    fn run(mut self, seeds: &[usize], pages_max: usize) -> Vec<usize> {
        for &seed in seeds {
            self.queue.put(seed, 1.0);
        }
        let mut order = Vec::new();
        while order.len() < pages_max
            && let Some(at) = self.queue.pop()
        {
            order.push(at);
            self.fetch(at);
            if self.focus.rescore_due(self.queue.waiting.len() as u64) {
                self.rescore();
            }
        }
        order
    }

    fn fetch(&mut self, at: usize) {
        let page = &self.pages[at];
        if let Some((example, on_topic)) = &page.example {
            self.focus.add_example(example, *on_topic);
        }
        let link = self.features.remove(&at);
        let relevance = judge(&self.focus, page, link.as_ref());
        learn(&mut self.focus, at, page, relevance, link.as_ref());
        let mut new_links = Vec::new();
        for link in page.links.iter().filter(|link| link.to != at) {
            let features = self.focus.features(&LinkContext {
                parent: Some(at as u32),
                url: &self.pages[link.to].url,
                anchor: &link.anchor,
                context: "",
                tag_path: "",
                in_main: false,
            });
            if self.queue.seen.contains(&link.to) && !self.queue.waiting.contains_key(&link.to) {
                self.focus.observe_link(&features);
                continue;
            }
            let is_new = !self.queue.seen.contains(&link.to);
            let known = self.features.entry(link.to).or_default();
            if is_new {
                *known = features;
            } else {
                known.merge(&features);
            }
            let promise = self.focus.score(known);
            self.queue.put(link.to, promise);
            if is_new {
                new_links.push(promise);
            }
        }
        self.focus.on_links(at as u32, &new_links);
    }

    fn rescore(&mut self) {
        let waiting: Vec<usize> = self.queue.order.iter().map(|place| place.2).collect();
        for at in waiting {
            if let Some(features) = self.features.get(&at) {
                let promise = self.focus.score(features);
                self.queue.put(at, promise);
            }
        }
    }
}

fn judge(focus: &Focus, page: &ReplayPage, link: Option<&LinkFeatures>) -> f32 {
    let terms = page.terms.as_ref();
    terms.map_or(0.0, |terms| focus.judge(terms, link).probability)
}

fn learn(
    focus: &mut Focus,
    number: usize,
    page: &ReplayPage,
    relevance: f32,
    link: Option<&LinkFeatures>,
) {
    focus.on_page(&PageOutcome {
        page: number as u32,
        url: page.url.as_str(),
        terms: page.terms.as_ref(),
        relevance,
        fate: page.fate,
        link,
    });
}

#[cfg(test)]
mod tests {
    use segment::Segmenter;

    use super::*;
    use crate::terms::PageView;
    use crate::topic::TopicConfig;

    const ON: &str = "steam locomotive track station signal carriage boiler railway line and train";
    const OFF: &str =
        "flour sugar butter oven recipe dough yeast bread and the cook in the kitchen";

    fn config() -> FocusConfig {
        FocusConfig {
            topic: TopicConfig {
                keywords: vec!["railway".into()],
                ..TopicConfig::default()
            },
            ..FocusConfig::default()
        }
    }

    /// Page 0 links to `hubs` pages, the first of which lead to pages on topic, the others not.
    fn web(hubs: usize, leaves: usize) -> Vec<ReplayPage> {
        let focus = Focus::new(&config()).unwrap();
        let page = |at: usize, on: bool, links: Vec<ReplayLink>| {
            let url = Url::parse(&format!("http://a.example/{at}")).unwrap();
            let words = Segmenter::shared().words(if on { ON } else { OFF });
            let terms = focus.topic().read(&PageView {
                title: if on { "railway" } else { "bread" },
                words: &words,
                url: &url,
                lang: None,
                links: &[],
                labels: &[],
                listing: false,
            });
            ReplayPage {
                url,
                terms: Some(terms),
                fate: Fate::New,
                links,
                example: None,
            }
        };
        let link = |to: usize, on: bool| ReplayLink {
            to,
            anchor: if on { "railway lines" } else { "bread" }.into(),
        };
        let on = |hub: usize| hub >= hubs / 2;
        let mut pages = vec![page(
            0,
            false,
            (0..hubs).map(|hub| link(1 + hub, on(hub))).collect(),
        )];
        for hub in 0..hubs {
            let first = 1 + hubs + hub * leaves;
            let links = (first..first + leaves).map(|to| link(to, on(hub)));
            pages.push(page(1 + hub, on(hub), links.collect()));
        }
        for leaf in 0..hubs * leaves {
            pages.push(page(1 + hubs + leaf, on(leaf / leaves), Vec::new()));
        }
        pages
    }

    fn gains(strategy: Strategy, budget: usize) -> usize {
        let pages = web(6, 8);
        let relevance = relevance(&config(), &pages).unwrap();
        let order = replay(strategy, &config(), &pages, &[0], &relevance, budget).unwrap();
        let mut once = order.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), order.len(), "no page is fetched twice");
        order.iter().filter(|&&at| relevance[at] >= 0.5).count()
    }

    #[test]
    fn promise_finds_more_than_breadth_and_all_find_everything_in_the_end() {
        let all = gains(Strategy::BreadthFirst, usize::MAX);
        assert_eq!(all, 27);
        for strategy in [Strategy::BestFirst, Strategy::Tamis] {
            assert_eq!(gains(strategy, usize::MAX), all);
            assert!(gains(strategy, 20) > gains(Strategy::BreadthFirst, 20));
        }
    }

    #[test]
    fn a_replay_is_the_same_twice() {
        let pages = web(6, 8);
        let relevance = relevance(&config(), &pages).unwrap();
        let run = || replay(Strategy::Tamis, &config(), &pages, &[0], &relevance, 40).unwrap();
        assert_eq!(run(), run());
    }
}
