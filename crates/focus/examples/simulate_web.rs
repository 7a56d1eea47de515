//! Simulates focused crawls over a web held in a file, to judge the models without a network.
//!
//! ```text
//! simulate_web WEB.jsonl TOPICS.json [--pages 1000] [--out DIR] [--topics a,b] [--no-examples]
//!              [--no-anchor] [--no-tag-path] [--no-learning] [--hub X] [--explore X] [--seed N]
//!              [--lag 4] [--dead X] [--verbose]
//! ```
//!
//! `WEB.jsonl` has a page per line: id, url, title, text, links (to, anchor, context, tag_path,
//! rel, in main or not). `TOPICS.json` has the tasks with their true labels: these are only used
//! to score the finished order, never shown to the models. `--lag` is the number of pages in flight,
//! `--dead` the dead links beside each link. Links to pages from a million on are dead too. Of a
//! topic, `cls` names the class whose mean is told, `bfs` is breadth-first's harvest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Instant;

use ::focus::{
    ExampleText, Focus, FocusConfig, LinkContext, LinkFeatures, LinkModelConfig, PageFate,
    PageOutcome, PageView, Relevance, TopicConfig,
};
use segment::{Segmenter, Words};
use serde::Deserialize;
use url::Url;

#[derive(Deserialize)]
struct PageLine {
    id: u32,
    url: String,
    title: String,
    text: String,
    #[serde(default)]
    page_type: String,
    #[serde(default)]
    lang: String,
    links: Vec<LinkLine>,
}

#[derive(Deserialize)]
struct LinkLine {
    url: String,
    to: u32,
    anchor: String,
    context: String,
    tag_path: String,
    rel: String,
    chrome: bool,
}

#[derive(Deserialize)]
struct Task {
    id: String,
    keywords: Vec<String>,
    hosts: Vec<String>,
    examples: Vec<u32>,
    seeds: Vec<u32>,
    relevant: Vec<u32>,
    nrel: usize,
    reachable: usize,
    oracle: f64,
    oracle_recall: f64,
    bfa: f64,
    #[serde(default)]
    bfs: f64,
    #[serde(default)]
    cls: String,
}

/// Numbers from here on are URLs without a page.
const DEAD: u32 = 1_000_000;
/// Pages with fewer words are thin.
const WORDS_MIN: usize = 20;

impl PageLine {
    fn is_list(&self) -> bool {
        matches!(
            self.page_type.as_str(),
            "listing" | "collection" | "front_page"
        )
    }

    fn labels(&self) -> Vec<String> {
        let is_tag = |link: &&LinkLine| link.rel.split_whitespace().any(|token| token == "tag");
        let tags = self.links.iter().filter(is_tag);
        tags.map(|link| link.anchor.clone()).collect()
    }

    fn example(&self) -> ExampleText {
        ExampleText {
            title: self.title.clone(),
            text: self.text.clone(),
            url: Some(self.url.clone()),
            links: self.links.iter().map(|link| link.url.clone()).collect(),
            labels: self.labels(),
            listing: self.is_list(),
            lang: Some(self.lang.clone()).filter(|lang| !lang.is_empty()),
        }
    }
}

struct Options {
    pages: usize,
    out: Option<String>,
    topics: Option<Vec<String>>,
    examples: bool,
    links: LinkModelConfig,
    adapt: bool,
    seed: u64,
    lag: usize,
    verbose: bool,
    /// Dead links for each link.
    dead: f64,
}

impl Options {
    fn read(arguments: &[String]) -> Options {
        let flag = |name: &str| arguments.iter().any(|argument| argument == name);
        let value = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            arguments.get(at + 1).cloned()
        };
        let number = |name: &str, default: f64| {
            let given = value(name).and_then(|text| text.parse().ok());
            given.unwrap_or(default)
        };
        let usual = LinkModelConfig::default();
        let seed = number("--seed", 0.0) as u64;
        let adapt = !flag("--no-learning");
        Options {
            pages: number("--pages", 1000.0) as usize,
            out: value("--out"),
            topics: value("--topics").map(|list| list.split(',').map(str::to_owned).collect()),
            examples: !flag("--no-examples"),
            links: LinkModelConfig {
                adapt,
                use_anchor: !flag("--no-anchor"),
                use_tag_path: !flag("--no-tag-path"),
                hub_worth: number("--hub", f64::from(usual.hub_worth)) as f32,
                exploration: number("--explore", f64::from(usual.exploration)) as f32,
                seed,
            },
            adapt,
            seed,
            lag: number("--lag", 4.0) as usize,
            verbose: flag("--verbose"),
            dead: number("--dead", 0.0),
        }
    }

    fn wants(&self, task: &Task) -> bool {
        let topics = self.topics.as_ref();
        topics.is_none_or(|topics| topics.contains(&task.id))
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [web, topics, ..] = &arguments[..] else {
        eprintln!("simulate_web WEB.jsonl TOPICS.json [options]");
        std::process::exit(2);
    };
    let options = Options::read(&arguments);
    let tasks = std::fs::read_to_string(topics).expect("topics file");
    let tasks: Vec<Task> = serde_json::from_str(&tasks).expect("topics");
    let started = Instant::now();
    let web: Vec<PageLine> = std::fs::read_to_string(web)
        .expect("web file")
        .lines()
        .map(|line| serde_json::from_str(line).expect("page"))
        .collect();
    let words: HashMap<u32, Words> = web
        .iter()
        .map(|page| (page.id, Segmenter::shared().words(&page.text)))
        .collect();
    let seconds = started.elapsed().as_secs_f32();
    eprintln!("{} pages in {seconds:.1} s", web.len());
    let tasks = tasks.iter().filter(|task| options.wants(task));
    let table: Vec<Score> = tasks
        .map(|task| run(task, &web, &words, &options))
        .collect();
    let mean =
        |get: fn(&Score) -> f64| table.iter().map(get).sum::<f64>() / table.len().max(1) as f64;
    for class in ["web", "kind", "multilingual", "broad", "narrow", "more"] {
        let rows: Vec<&Score> = table.iter().filter(|row| row.class == class).collect();
        if rows.is_empty() {
            continue;
        }
        let mean = |get: fn(&Score) -> f64| {
            rows.iter().map(|row| get(row)).sum::<f64>() / rows.len() as f64
        };
        let below = rows.iter().filter(|row| row.score < row.plain - 0.01);
        println!(
            "== {class:14} {:.3} worst {:.3} F1 {:.3} under best-first {}",
            mean(|row| row.score),
            rows.iter().map(|row| row.score).fold(9.0, f64::min),
            mean(|row| row.f1),
            below.count()
        );
    }
    println!(
        "{:24} {:6.3} worst {:.3}  recall/oracle {:.3}  F1 {:.3} until stop {:.3}  us/page judge {:.0} links {:.0}+{:.0}",
        "mean",
        mean(|row| row.score),
        table.iter().map(|row| row.score).fold(9.0, f64::min),
        mean(|row| row.recall),
        mean(|row| row.f1),
        mean(|row| row.stop_f1),
        mean(|row| row.times.judge),
        mean(|row| row.times.links),
        mean(|row| row.times.rescore),
    );
}

fn run(task: &Task, web: &[PageLine], words: &HashMap<u32, Words>, options: &Options) -> Score {
    let mut simulation = Simulation::new(task, web, words, options);
    simulation.run();
    if let Some(dir) = &options.out {
        simulation.write(dir);
    }
    simulation.tell_stop();
    let score = simulation.score();
    score.tell(task);
    score
}

/// A link to a page that was not fetched yet.
struct Pending {
    features: LinkFeatures,
    priority: f32,
    /// Where it stands in the queue.
    place: Place,
}

/// Priority, order of discovery, page.
type Place = (Reverse<u32>, u64, u32);

fn place(priority: f32, discovered: u64, id: u32) -> Place {
    (Reverse((priority * 1e6) as u32), discovered, id)
}

/// CPU microseconds.
#[derive(Default, Clone, Copy)]
struct Times {
    judge: f64,
    links: f64,
    rescore: f64,
}

struct Simulation<'s> {
    task: &'s Task,
    words: &'s HashMap<u32, Words>,
    options: &'s Options,
    /// The pages in scope.
    pages: HashMap<u32, &'s PageLine>,
    texts: HashSet<&'s str>,
    dead_seen: usize,
    relevant: HashSet<u32>,
    focus: Focus,
    /// Examples and seeds that are not fetched yet.
    first: VecDeque<u32>,
    pending: BTreeMap<u32, Pending>,
    queue: BTreeSet<Place>,
    discovered: u64,
    seen: HashSet<u32>,
    in_flight: VecDeque<(u32, Option<Pending>)>,
    fetched: Vec<(u32, f32)>,
    /// Pages fetched when the stop rules first fired.
    stopped: Option<usize>,
    times: Times,
}

impl<'s> Simulation<'s> {
    fn new(
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
                examples: examples.iter().map(|id| pages[id].example()).collect(),
                seed: options.seed,
                adapt: options.adapt,
                ..TopicConfig::default()
            },
            links: options.links.clone(),
            ..FocusConfig::default()
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
            times: Times::default(),
        }
    }

    fn run(&mut self) {
        while let Some((id, link)) = self.next_answer() {
            let Some(&page) = self.pages.get(&id) else {
                self.on_dead(id, link.as_ref());
                continue;
            };
            let clock = cpu_microseconds();
            let relevance = self.judge(page, link.as_ref());
            self.times.judge += cpu_microseconds() - clock;
            self.fetched.push((id, relevance.probability));
            if self.stopped.is_none() && self.focus.stop().is_some() {
                self.stopped = Some(self.fetched.len());
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
        let mut scores = Vec::with_capacity(self.pending.len());
        for (id, pending) in &mut self.pending {
            pending.priority = self.focus.score(&pending.features);
            self.queue.remove(&pending.place);
            pending.place = place(pending.priority, pending.place.1, *id);
            self.queue.insert(pending.place);
            scores.push(pending.priority);
        }
        self.focus.on_rescored(scores);
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

    fn write(&self, dir: &str) {
        let line = |(id, _): &(u32, f32)| {
            let page = serde_json::json!({"url": self.pages[id].url, "status": 200});
            format!("{page}\n")
        };
        let lines: String = self.fetched.iter().map(line).collect();
        std::fs::write(format!("{dir}/{}.jsonl", self.task.id), lines).expect("write");
    }

    fn tell_stop(&self) {
        let Some(end) = self.stopped else { return };
        let found: Vec<usize> = (0..end)
            .filter(|&at| self.relevant.contains(&self.fetched[at].0))
            .collect();
        let most = found.get(found.len() * 95 / 100).copied().unwrap_or(0) + 1;
        println!(
            "    stops at {end} with {} found, 95 % of them by {most}: {:.2}",
            found.len(),
            end as f64 / most as f64
        );
    }

    fn score(&self) -> Score {
        let examples: HashSet<u32> = self.task.examples.iter().copied().collect();
        let verdicts = |pages: &[(u32, f32)]| -> Vec<(bool, f32)> {
            let judged = pages.iter().filter(|(id, _)| !examples.contains(id));
            judged
                .map(|(id, probability)| (self.relevant.contains(id), *probability))
                .collect()
        };
        let all = verdicts(&self.fetched);
        let until_stop = verdicts(&self.fetched[..self.stopped.unwrap_or(self.fetched.len())]);
        let mut found = 0;
        let curve: Vec<usize> = all
            .iter()
            .map(|(is_relevant, _)| {
                found += usize::from(*is_relevant);
                found
            })
            .collect();
        let last = curve.last().copied().unwrap_or(0);
        let depth = 1000.min((self.task.reachable - examples.len()).max(curve.len()));
        let harvest = (0..depth)
            .map(|at| *curve.get(at).unwrap_or(&last) as f64 / (at + 1) as f64)
            .sum::<f64>()
            / depth as f64;
        let at = |n: usize| *curve.get(n - 1).unwrap_or(&last);
        let recall = at(1000) as f64 / self.task.nrel as f64;
        let pages = self.fetched.len().max(1) as f64;
        let (precision, verdict_recall, all_f1) = f1(&all);
        let (stop_precision, stop_recall, stop_f1) = f1(&until_stop);
        Score {
            class: self.task.cls.clone(),
            plain: self.task.bfa / self.task.oracle,
            dead: self.dead_seen,
            score: harvest / self.task.oracle,
            recall: recall / self.task.oracle_recall,
            found: [at(100), at(250), at(500), at(1000)],
            f1: all_f1,
            verdicts: [precision, verdict_recall],
            best: best_f1(all),
            stop_f1,
            stop_verdicts: [stop_precision, stop_recall],
            times: Times {
                judge: self.times.judge / pages,
                links: self.times.links / pages,
                rescore: self.times.rescore / pages,
            },
        }
    }
}

struct Score {
    class: String,
    /// That of best-first with anchors.
    plain: f64,
    dead: usize,
    /// Mean harvest against the oracle's.
    score: f64,
    recall: f64,
    found: [usize; 4],
    f1: f64,
    /// Precision and recall of the verdicts.
    verdicts: [f64; 2],
    /// The best F1 of any threshold, and that threshold.
    best: (f64, f32),
    stop_f1: f64,
    stop_verdicts: [f64; 2],
    /// For each page.
    times: Times,
}

impl Score {
    fn tell(&self, task: &Task) {
        let [at_100, at_250, at_500, at_1000] = self.found;
        let ([precision, recall], (best, cut)) = (self.verdicts, self.best);
        let [stop_precision, stop_recall] = self.stop_verdicts;
        println!(
            "{:22} {:6.3} (bfa {:.3} bfs {:.3}) dead {:3} @100 {at_100:3} @250 {at_250:3} @500 {at_500:3} @1000 {at_1000:3} of {:3}  \
             recall/oracle {:.3}  F1 {:.3} (p {precision:.2} r {recall:.2}) best {best:.2} at {cut:.2} \
             stop F1 {:.3} ({stop_precision:.2} {stop_recall:.2}) us {:.0} {:.0}+{:.0}",
            task.id,
            self.score,
            task.bfa / task.oracle,
            task.bfs / task.oracle,
            self.dead,
            task.nrel,
            self.recall,
            self.f1,
            self.stop_f1,
            self.times.judge,
            self.times.links,
            self.times.rescore
        );
    }
}

/// Precision, recall and F1 of verdicts, from pairs of truth and probability.
fn f1(verdicts: &[(bool, f32)]) -> (f64, f64, f64) {
    let count = |which: fn(bool, bool) -> bool| {
        let chosen = verdicts
            .iter()
            .filter(|(truth, p)| which(*truth, *p >= 0.5));
        chosen.count() as f64
    };
    let right = count(|truth, said| truth && said);
    let (truths, said) = (count(|truth, _| truth), count(|_, said| said));
    (
        right / said.max(1.0),
        right / truths.max(1.0),
        2.0 * right / (truths + said).max(1.0),
    )
}

/// The best F1 of any threshold, and that threshold.
fn best_f1(mut verdicts: Vec<(bool, f32)>) -> (f64, f32) {
    verdicts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let truths = verdicts.iter().filter(|(truth, _)| *truth).count() as f64;
    let (mut right, mut best) = (0.0, (0.0, 1.0));
    for (at, (truth, probability)) in verdicts.iter().enumerate() {
        right += f64::from(u8::from(*truth));
        let f1 = 2.0 * right / (at as f64 + 1.0 + truths);
        if f1 > best.0 {
            best = (f1, *probability);
        }
    }
    best
}

/// Microseconds that this thread has run: on a busy machine the wall clock says little. 0 where the
/// system does not tell.
fn cpu_microseconds() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(0.0, |nanoseconds| nanoseconds / 1e3)
}
