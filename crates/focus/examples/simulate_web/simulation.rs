//! One crawl over the web in memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use focus::{
    Focus, FocusConfig, HarvestOutlook, LinkContext, LinkFeatures, PageFate, PageOutcome, PageView,
    Relevance, StopConfig, TopicConfig,
};
use segment::Words;
use url::Url;

use crate::options::Options;
use crate::web::{DEAD, LinkLine, PageLine, Task, WORDS_MIN};

/// A link to a page that was not fetched yet.
pub(crate) struct Pending {
    features: LinkFeatures,
    priority: f32,
    /// Where it stands in the queue.
    place: Place,
}

/// Priority, order of discovery, page.
pub(crate) type Place = (Reverse<u32>, u64, u32);

fn place(priority: f32, discovered: u64, id: u32) -> Place {
    (Reverse((priority * 1e6) as u32), discovered, id)
}

/// CPU microseconds.
#[derive(Default, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) judge: f64,
    pub(crate) links: f64,
    pub(crate) rescore: f64,
}

pub(crate) struct Simulation<'s> {
    pub(crate) task: &'s Task,
    pub(crate) words: &'s HashMap<u32, Words>,
    pub(crate) options: &'s Options,
    /// The pages in scope.
    pub(crate) pages: HashMap<u32, &'s PageLine>,
    pub(crate) texts: HashSet<&'s str>,
    pub(crate) dead_seen: usize,
    pub(crate) relevant: HashSet<u32>,
    pub(crate) focus: Focus,
    /// Examples and seeds that are not fetched yet.
    pub(crate) first: VecDeque<u32>,
    pub(crate) pending: BTreeMap<u32, Pending>,
    pub(crate) queue: BTreeSet<Place>,
    pub(crate) discovered: u64,
    pub(crate) seen: HashSet<u32>,
    pub(crate) in_flight: VecDeque<(u32, Option<Pending>)>,
    pub(crate) fetched: Vec<(u32, f32)>,
    /// Pages fetched when the stop rules first fired.
    pub(crate) stopped: Option<usize>,
    pub(crate) stop_reason: String,
    /// What was left to find, with the number of pages fetched, at each scoring of the queue.
    pub(crate) outlooks: Vec<(usize, HarvestOutlook)>,
    pub(crate) times: Times,
}

impl<'s> Simulation<'s> {
    pub(crate) fn new(
        task: &'s Task,
        web: &'s [PageLine],
        words: &'s HashMap<u32, Words>,
        options: &'s Options,
    ) -> Simulation<'s> {
        let is_in_scope = |page: &&PageLine| {
            let url = Url::parse(&page.url).ok();
            url.is_some_and(|url| task.hosts.iter().any(|host| host == url.authority()))
        };
        let pages = web.iter().filter(is_in_scope);
        let pages: HashMap<u32, &PageLine> = pages.map(|page| (page.id, page)).collect();
        let examples = match options.examples {
            true => task.examples.clone(),
            false => Vec::new(),
        };
        let config = FocusConfig {
            topic: TopicConfig {
                keywords: task.keywords.clone(),
                examples: match options.examples_ahead {
                    true => examples.iter().map(|id| pages[id].example()).collect(),
                    false => Vec::new(),
                },
                seed: options.seed,
                adapt: options.adapt,
                ..TopicConfig::default()
            },
            links: options.links.clone(),
            stop: StopConfig {
                left_min: options.left_min,
                ..StopConfig::default()
            },
        };
        Simulation {
            task,
            words,
            options,
            pages,
            texts: HashSet::new(),
            dead_seen: 0,
            relevant: task.relevant.iter().copied().collect(),
            focus: Focus::new(&config).expect("a topic"),
            first: examples.iter().chain(&task.seeds).copied().collect(),
            pending: BTreeMap::new(),
            queue: BTreeSet::new(),
            discovered: 0,
            seen: HashSet::new(),
            in_flight: VecDeque::new(),
            fetched: Vec::new(),
            stopped: None,
            stop_reason: String::new(),
            outlooks: Vec::new(),
            times: Times::default(),
        }
    }

    pub(crate) fn run(&mut self) {
        while let Some((id, link)) = self.next_answer() {
            let Some(&page) = self.pages.get(&id) else {
                self.on_dead(id, link.as_ref());
                continue;
            };
            let clock = cpu_microseconds();
            if !self.options.examples_ahead && self.is_example(id) {
                self.focus.add_example(&page.example(), true);
            }
            let relevance = self.judge(page, link.as_ref());
            self.times.judge += cpu_microseconds() - clock;
            self.fetched.push((id, relevance.probability));
            if self.stopped.is_none()
                && let Some(reason) = self.focus.stop()
            {
                self.stopped = Some(self.fetched.len());
                self.stop_reason = reason.to_string();
            }
            if self.options.verbose {
                self.tell_page(page, link.as_ref(), &relevance);
            }
            let clock = cpu_microseconds();
            self.follow(page);
            self.times.links += cpu_microseconds() - clock;
            let clock = cpu_microseconds();
            if self.focus.rescore_due(self.pending.len() as u64) {
                self.rescore();
            }
            self.times.rescore += cpu_microseconds() - clock;
        }
    }

    fn is_example(&self, id: u32) -> bool {
        self.options.examples && self.task.examples.contains(&id)
    }

    /// Asks for as many pages as may be in flight; gives the first of them.
    fn next_answer(&mut self) -> Option<(u32, Option<Pending>)> {
        let limit = self.options.pages + self.options.pages * 3 / 10 + 50;
        while self.in_flight.len() < self.options.lag
            && self.fetched.len() + self.in_flight.len() < limit
        {
            if let Some(id) = self.first.pop_front() {
                if self.seen.insert(id) {
                    self.in_flight.push_back((id, None));
                }
                continue;
            }
            let Some((_, _, id)) = self.queue.pop_first() else {
                break;
            };
            self.seen.insert(id);
            self.in_flight.push_back((id, self.pending.remove(&id)));
        }
        self.in_flight.pop_front()
    }

    fn on_dead(&mut self, id: u32, link: Option<&Pending>) {
        self.dead_seen += 1;
        self.focus.on_page(&PageOutcome {
            page: id,
            url: &format!("http://dead.example/{id}"),
            terms: None,
            relevance: 0.0,
            fate: PageFate::Dead,
            link: link.map(|link| &link.features),
        });
        if self.focus.rescore_due(self.pending.len() as u64) {
            self.rescore();
        }
    }

    fn judge(&mut self, page: &'s PageLine, link: Option<&Pending>) -> Relevance {
        let targets: Vec<&str> = page.links.iter().map(|link| link.url.as_str()).collect();
        let labels = page.labels();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let terms = self.focus.topic().read(&PageView {
            title: &page.title,
            words: &self.words[&page.id],
            url: &Url::parse(&page.url).expect("url"),
            lang: Some(page.lang.as_str()).filter(|lang| !lang.is_empty()),
            links: &targets,
            labels: &labels,
            listing: page.is_list(),
        });
        let link = link.map(|link| &link.features);
        let relevance = self.focus.judge(&terms, link);
        self.focus.on_page(&PageOutcome {
            page: page.id,
            url: &page.url,
            terms: Some(&terms),
            relevance: relevance.probability,
            fate: match (self.words[&page.id].len(), self.texts.insert(&page.text)) {
                (..WORDS_MIN, _) => PageFate::Thin,
                (_, false) => PageFate::Duplicate,
                (_, true) => PageFate::New,
            },
            link,
        });
        relevance
    }

    /// Puts the links of a page into the queue.
    fn follow(&mut self, page: &'s PageLine) {
        let mut on_page: HashMap<u32, LinkFeatures> = HashMap::new();
        let mut order = Vec::new();
        for link in page.links.iter().filter(|link| link.to != page.id) {
            let url = match self.pages.get(&link.to) {
                Some(target) => &target.url,
                None if link.to >= DEAD
                    && self
                        .task
                        .hosts
                        .iter()
                        .any(|host| link.url[7..].starts_with(host.as_str())) =>
                {
                    &link.url
                }
                None => continue,
            };
            let features = self.focus.features(&LinkContext {
                parent: Some(page.id),
                url,
                anchor: &link.anchor,
                context: &link.context,
                tag_path: &link.tag_path,
                in_main: !link.chrome,
            });
            if self.seen.contains(&link.to) {
                if self.is_example(link.to) {
                    self.focus.observe_example_link(&features);
                }
                self.focus.observe_link(page.id, url);
            } else if let Some(known) = on_page.get_mut(&link.to) {
                known.merge(&features);
            } else {
                order.push(link.to);
                on_page.insert(link.to, features);
            }
            if self.options.dead > 0.0 {
                self.add_dead(page.id, url, link, &mut on_page, &mut order);
            }
        }
        let mut new_links = Vec::new();
        for to in order {
            let features = on_page.remove(&to).expect("a link of this page");
            new_links.extend(self.enqueue(to, features));
        }
        self.focus.on_new_links(page.id, &new_links);
    }

    /// Beside a share of the links stands a dead one of the same form, with the same anchor.
    fn add_dead(
        &mut self,
        page: u32,
        url: &str,
        link: &LinkLine,
        on_page: &mut HashMap<u32, LinkFeatures>,
        order: &mut Vec<u32>,
    ) {
        let dead = link.to.wrapping_mul(0x9e37_79b9) ^ page.wrapping_mul(0x85eb_ca6b);
        if f64::from(dead % 1000) >= 1000.0 * self.options.dead {
            return;
        }
        let dead = DEAD * 2 + dead % 0x7000_0000;
        let at = url.rfind('/').unwrap_or(0) + 1;
        let features = self.focus.features(&LinkContext {
            parent: Some(page),
            url: &format!("{}old{}{}", &url[..at], dead % 977, &url[at..]),
            anchor: &link.anchor,
            context: &link.context,
            tag_path: &link.tag_path,
            in_main: !link.chrome,
        });
        if !self.seen.contains(&dead) && on_page.insert(dead, features).is_none() {
            order.push(dead);
        }
    }

    /// Puts a URL into the queue, or moves it; gives the priority of a new one.
    fn enqueue(&mut self, to: u32, features: LinkFeatures) -> Option<f32> {
        let known = self.pending.remove(&to);
        let is_new = known.is_none();
        let features = match known {
            Some(known) => {
                self.queue.remove(&known.place);
                let mut merged = known.features;
                merged.merge(&features);
                merged
            }
            None => {
                self.discovered += 1;
                features
            }
        };
        let priority = self.focus.score(&features);
        let pending = Pending {
            features,
            priority,
            place: place(priority, self.discovered, to),
        };
        self.queue.insert(pending.place);
        self.pending.insert(to, pending);
        is_new.then_some(priority)
    }

    fn rescore(&mut self) {
        let mut promises = Vec::with_capacity(self.pending.len());
        for (id, pending) in &mut self.pending {
            let promise = self.focus.promise(&pending.features);
            pending.priority = promise.score;
            self.queue.remove(&pending.place);
            pending.place = place(pending.priority, pending.place.1, *id);
            self.queue.insert(pending.place);
            promises.push(promise);
        }
        self.focus.on_rescored(&promises);
        let outlook = self.focus.outlook().copied();
        self.outlooks
            .extend(outlook.map(|outlook| (self.fetched.len(), outlook)));
    }

    fn tell_page(&self, page: &PageLine, link: Option<&Pending>, relevance: &Relevance) {
        let why = link.map(|link| self.focus.explain_score(&link.features).why);
        let why = why.unwrap_or_default();
        let names = why.iter().take(7).map(|(name, x)| format!("{name} {x:.1}"));
        let parts = relevance.why.iter();
        println!(
            "{:4} {} p={:.2} s={:.2} {} {:?} {:?}",
            self.fetched.len(),
            if self.relevant.contains(&page.id) {
                "+"
            } else {
                "-"
            },
            relevance.probability,
            link.map_or(1.0, |link| link.priority),
            page.url,
            parts
                .map(|(_, x)| (x * 10.0).round() / 10.0)
                .collect::<Vec<_>>(),
            names.collect::<Vec<_>>()
        );
    }

    pub(crate) fn write(&self, dir: &str) {
        let line = |(id, _): &(u32, f32)| {
            let page = serde_json::json!({"url": self.pages[id].url, "status": 200});
            format!("{page}\n")
        };
        let lines: String = self.fetched.iter().map(line).collect();
        std::fs::write(format!("{dir}/{}.jsonl", self.task.id), lines).expect("write");
    }
}

/// Microseconds that this thread has run: on a busy machine the wall clock says little. 0 where the
/// system does not tell.
fn cpu_microseconds() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(0.0, |nanoseconds| nanoseconds / 1e3)
}
