//! Simulated crawls: what another order, or another topic, would have found among the pages of a
//! crawl, without a network.
//!
//! The pages of a crawl with their links are a small closed web. A strategy starts from the same seeds
//! and sees of each page what a crawl would see, once it has "fetched" it. So strategies and topics
//! can be compared in seconds, but only over the pages that the crawl has fetched: no strategy can
//! reach a page that the crawl never saw.
//!
//! Source: Menczer, Pant, Srinivasan, *Topical web crawlers: evaluating adaptive algorithms*, ACM TOIT
//! 2004 (comparing strategies over one set of pages).

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use url::Url;

use crate::focus::{Focus, FocusConfig, PageFate, PageOutcome};
use crate::link_features::{LinkContext, LinkFeatures};
use crate::page_terms::PageTerms;
use crate::topic_config::{ExampleText, TopicError};

/// In which order pages are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// First found, first fetched.
    BreadthFirst,
    /// The links of the most relevant page first: the classic focused crawl.
    BestFirst,
    /// The link of the highest score first, as a crawl of ours does it.
    Tamis,
    /// The page first that is nearest to a page on topic. It knows these beforehand, so it is what the
    /// others are measured by; not a bound, as another order may be ahead for a while.
    Oracle,
}

/// A fetched URL of a crawl.
#[derive(Debug, Clone)]
pub struct SimulatedPage {
    /// Its URL.
    pub url: Url,
    /// Its terms; `None` when nothing was read.
    pub terms: Option<PageTerms>,
    /// What became of it.
    pub fate: PageFate,
    /// Its links that lead to pages of the crawl.
    pub links: Vec<SimulatedLink>,
    /// The page as an example of the topic, if the user gave it as one, and of which kind.
    pub example: Option<(ExampleText, bool)>,
}

/// A link between two pages of a crawl.
#[derive(Debug, Clone)]
pub struct SimulatedLink {
    /// Where it leads: the place among the pages.
    pub to: usize,
    /// Its anchor text.
    pub anchor: Arc<str>,
}

/// Where a crawl begins, as places among the pages, in the order given.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// Examples of the topic, then seeds. They are fetched before all else.
    pub seeds: Vec<usize>,
    /// URLs that sitemaps name. They wait in the queue like links.
    pub listed: Vec<usize>,
}

/// How relevant each page is to the topic, in their order: what strategies are measured by. It is 0.0
/// for a URL without a page.
///
/// This is a prequential evaluation: each page is judged in its turn in a simulated crawl, before the
/// model learns from it. Pages that are left when the stop rules end that crawl are judged by what is
/// known then. A model that first read a whole archive in which the topic is rare would see the topic
/// everywhere.
///
/// # Errors
/// [`TopicError`] when the topic cannot be used.
pub fn prequential_relevance(
    config: &FocusConfig,
    pages: &[SimulatedPage],
    roots: &Roots,
) -> Result<Vec<f32>, TopicError> {
    let mut run = SimulatedCrawl::new(config, pages)?;
    let mut judged = vec![None; pages.len()];
    run.start(roots);
    while run.focus.stop().is_none()
        && let Some((at, relevance)) = run.step()
    {
        judged[at] = Some(relevance);
    }
    let at_the_end = |(page, judged): (&SimulatedPage, Option<f32>)| {
        judged.unwrap_or_else(|| judge(&run.focus, page, None))
    };
    Ok(pages.iter().zip(judged).map(at_the_end).collect())
}

/// The order in which a strategy fetches the pages that it can reach from `roots`, at most
/// `pages_max` of them. `relevance` is that of [`prequential_relevance`].
///
/// # Errors
/// [`TopicError`] when the topic cannot be used.
pub fn simulate(
    strategy: Strategy,
    config: &FocusConfig,
    pages: &[SimulatedPage],
    roots: &Roots,
    relevance: &[f32],
    pages_max: usize,
) -> Result<Vec<usize>, TopicError> {
    Ok(match strategy {
        Strategy::BreadthFirst => breadth_first(pages, roots, pages_max),
        Strategy::BestFirst => {
            let priority = |from: usize, _| relevance[from];
            by_priority(pages, roots, &|_| 0.0, &priority, pages_max)
        }
        Strategy::Tamis => {
            let mut run = SimulatedCrawl::new(config, pages)?;
            run.start(roots);
            let fetched = std::iter::from_fn(|| run.step());
            fetched.take(pages_max).map(|(at, _)| at).collect()
        }
        Strategy::Oracle => {
            let near = nearness(pages, relevance, config.topic.threshold);
            let priority = |_, to: usize| near[to];
            by_priority(pages, roots, &|at| near[at], &priority, pages_max)
        }
    })
}

fn breadth_first(pages: &[SimulatedPage], roots: &Roots, pages_max: usize) -> Vec<usize> {
    let mut found = vec![false; pages.len()];
    let mut queue = VecDeque::new();
    let mut find = |to: usize, queue: &mut VecDeque<usize>| {
        if !std::mem::replace(&mut found[to], true) {
            queue.push_back(to);
        }
    };
    for &root in roots.seeds.iter().chain(&roots.listed) {
        find(root, &mut queue);
    }
    let mut order = Vec::new();
    while order.len() < pages_max
        && let Some(at) = queue.pop_front()
    {
        order.push(at);
        for link in &pages[at].links {
            find(link.to, &mut queue);
        }
    }
    order
}

/// The order by priority, highest first. A URL has the highest priority of the links to it; one that a
/// sitemap names has that of `listed` at first.
fn by_priority(
    pages: &[SimulatedPage],
    roots: &Roots,
    listed: &dyn Fn(usize) -> f32,
    link_priority: &dyn Fn(usize, usize) -> f32,
    pages_max: usize,
) -> Vec<usize> {
    let mut queue = Queue::default();
    for &seed in &roots.seeds {
        queue.put(seed, 1.0);
    }
    for &at in &roots.listed {
        queue.raise(at, listed(at));
    }
    let mut order = Vec::new();
    while order.len() < pages_max
        && let Some(at) = queue.pop()
    {
        order.push(at);
        for link in &pages[at].links {
            queue.raise(link.to, link_priority(at, link.to));
        }
    }
    order
}

/// How near each page is to a page on topic: 1.0 for such a page itself, a half for a page that links
/// to one, and so on. Of equally near pages, those with more links to pages on topic are a little
/// nearer.
fn nearness(pages: &[SimulatedPage], relevance: &[f32], threshold: f32) -> Vec<f32> {
    let is_wanted = |at: usize| relevance[at] >= threshold && pages[at].fate == PageFate::New;
    let mut linked_from = vec![Vec::new(); pages.len()];
    for (from, page) in pages.iter().enumerate() {
        for link in &page.links {
            linked_from[link.to].push(from as u32);
        }
    }
    let mut near = vec![0.0f32; pages.len()];
    let mut queue: VecDeque<usize> = (0..pages.len()).filter(|&at| is_wanted(at)).collect();
    queue.iter().for_each(|&at| near[at] = 1.0);
    while let Some(at) = queue.pop_front() {
        for &from in &linked_from[at] {
            let from = from as usize;
            if near[from] == 0.0 {
                near[from] = 1.0 / (1.0 + 1.0 / near[at]);
                queue.push_back(from);
            }
        }
    }
    let wanted_links = |page: &SimulatedPage| {
        let links = page.links.iter().filter(|link| is_wanted(link.to));
        links.count().min(500) as f32
    };
    // Less than a step's difference.
    let with_links = near.iter().zip(pages).map(|(&near, page)| match near {
        0.0 => 0.0,
        near => near * 0.99 + wanted_links(page) * 2e-6,
    });
    with_links.collect()
}

/// Priority, order of discovery, place among the pages.
type Place = (Reverse<u32>, usize, usize);

/// The pending URLs, best first; of equals the one found first.
#[derive(Debug, Default)]
struct Queue {
    order: BTreeSet<Place>,
    waiting: HashMap<usize, Place>,
    seen: HashSet<usize>,
    found: usize,
}

impl Queue {
    /// Gives a URL this priority, whether it is new or pending; does nothing when it was fetched.
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

    /// Like `put`, but does not lower the priority of a pending URL.
    fn raise(&mut self, at: usize, priority: f32) {
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

/// A simulated crawl in the order of link scores.
struct SimulatedCrawl<'p> {
    focus: Focus,
    pages: &'p [SimulatedPage],
    queue: Queue,
    features: HashMap<usize, LinkFeatures>,
}

impl<'p> SimulatedCrawl<'p> {
    fn new(config: &FocusConfig, pages: &'p [SimulatedPage]) -> Result<Self, TopicError> {
        Ok(SimulatedCrawl {
            focus: Focus::new(config)?,
            pages,
            queue: Queue::default(),
            features: HashMap::new(),
        })
    }

    fn start(&mut self, roots: &Roots) {
        for &seed in &roots.seeds {
            self.queue.put(seed, 1.0);
        }
        for &at in &roots.listed {
            if self.queue.seen.contains(&at) {
                continue;
            }
            let features = self.focus.features(&LinkContext {
                parent: None,
                url: self.pages[at].url.as_str(),
                anchor: "",
                context: "",
                tag_path: "",
                in_main: false,
            });
            self.queue.put(at, self.focus.score(&features));
            self.features.insert(at, features);
        }
    }

    /// Fetches the next page; gives its place and its relevance.
    fn step(&mut self) -> Option<(usize, f32)> {
        let at = self.queue.pop()?;
        let relevance = self.fetch(at);
        if self.focus.rescore_due(self.queue.waiting.len() as u64) {
            self.rescore();
        }
        Some((at, relevance))
    }

    /// Judges the page, learns from it, and puts its links into the queue.
    fn fetch(&mut self, at: usize) -> f32 {
        let page = &self.pages[at];
        if let Some((example, on_topic)) = &page.example {
            self.focus.add_example(example, *on_topic);
        }
        let link = self.features.remove(&at);
        let relevance = judge(&self.focus, page, link.as_ref());
        self.focus.on_page(&PageOutcome {
            page: at as u32,
            url: page.url.as_str(),
            terms: page.terms.as_ref(),
            relevance,
            fate: page.fate,
            link: link.as_ref(),
        });
        let links = page.links.iter().filter(|link| link.to != at);
        let new_links: Vec<f32> = links.filter_map(|link| self.follow(at, link)).collect();
        self.focus.on_new_links(at as u32, &new_links);
        relevance
    }

    /// Puts a link's target into the queue, unless it was fetched; gives the score of a new one.
    fn follow(&mut self, from: usize, link: &SimulatedLink) -> Option<f32> {
        let target = self.pages[link.to].url.as_str();
        let is_new = !self.queue.seen.contains(&link.to);
        let place = LinkContext {
            parent: Some(from as u32),
            url: target,
            anchor: &link.anchor,
            context: "",
            tag_path: "",
            in_main: false,
        };
        if !is_new && !self.queue.waiting.contains_key(&link.to) {
            if let Some((_, true)) = self.pages[link.to].example {
                let features = self.focus.features(&place);
                self.focus.observe_example_link(&features);
            }
            self.focus.observe_link(from as u32, target);
            return None;
        }
        let features = self.focus.features(&place);
        let known = self.features.entry(link.to).or_default();
        if is_new {
            *known = features;
        } else {
            known.merge(&features);
        }
        let score = self.focus.score(known);
        self.queue.put(link.to, score);
        is_new.then_some(score)
    }

    fn rescore(&mut self) {
        let waiting: Vec<usize> = self.queue.order.iter().map(|place| place.2).collect();
        let mut promises = Vec::with_capacity(waiting.len());
        for at in waiting {
            if let Some(features) = self.features.get(&at) {
                let promise = self.focus.promise(features);
                self.queue.put(at, promise.score);
                promises.push(promise);
            }
        }
        self.focus.on_rescored(&promises);
    }
}

fn judge(focus: &Focus, page: &SimulatedPage, link: Option<&LinkFeatures>) -> f32 {
    let terms = page.terms.as_ref();
    terms.map_or(0.0, |terms| focus.judge(terms, link).probability)
}

#[cfg(test)]
mod tests {
    use segment::Segmenter;

    use super::*;
    use crate::page_terms::PageView;
    use crate::topic_config::TopicConfig;

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

    fn root() -> Roots {
        Roots {
            seeds: vec![0],
            listed: Vec::new(),
        }
    }

    /// Page 0 links to `hubs` pages, the first of which lead to pages on topic, the others not.
    fn web(hubs: usize, leaves: usize) -> Vec<SimulatedPage> {
        let focus = Focus::new(&config()).unwrap();
        let page = |at: usize, on: bool, links: Vec<SimulatedLink>| {
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
            SimulatedPage {
                url,
                terms: Some(terms),
                fate: PageFate::New,
                links,
                example: None,
            }
        };
        let link = |to: usize, on: bool| SimulatedLink {
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
        let relevance = prequential_relevance(&config(), &pages, &root()).unwrap();
        let order = simulate(strategy, &config(), &pages, &root(), &relevance, budget).unwrap();
        let mut once = order.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), order.len(), "no page is fetched twice");
        order.iter().filter(|&&at| relevance[at] >= 0.5).count()
    }

    #[test]
    fn link_scores_find_more_than_breadth_and_all_find_everything_in_the_end() {
        let all = gains(Strategy::BreadthFirst, usize::MAX);
        assert_eq!(all, 27);
        for strategy in [Strategy::BestFirst, Strategy::Tamis, Strategy::Oracle] {
            assert_eq!(gains(strategy, usize::MAX), all);
            assert!(gains(strategy, 20) > gains(Strategy::BreadthFirst, 20));
            assert!(gains(strategy, 20) <= gains(Strategy::Oracle, 20));
        }
        // All but the first page, which leads to the others.
        assert_eq!(gains(Strategy::Oracle, 20), 19);
    }

    #[test]
    fn urls_of_a_sitemap_wait_by_their_scores() {
        let pages = web(6, 8);
        let roots = Roots {
            seeds: vec![0],
            listed: (0..pages.len()).collect(),
        };
        let relevance = prequential_relevance(&config(), &pages, &roots).unwrap();
        let order = simulate(Strategy::Tamis, &config(), &pages, &roots, &relevance, 20).unwrap();
        let found = order.iter().filter(|&&at| relevance[at] >= 0.5).count();
        assert!(found >= 12, "{found}");
    }

    #[test]
    fn a_simulation_is_the_same_twice() {
        let pages = web(6, 8);
        let relevance = prequential_relevance(&config(), &pages, &root()).unwrap();
        let run = || simulate(Strategy::Tamis, &config(), &pages, &root(), &relevance, 40).unwrap();
        assert_eq!(run(), run());
    }
}
