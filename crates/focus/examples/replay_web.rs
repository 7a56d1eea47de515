//! Replays focused crawls over a web held in a file, to judge the models without a network.
//!
//! ```text
//! replay_web WEB.jsonl TOPICS.json [--pages 1000] [--out DIR] [--topics a,b] [--no-examples]
//!            [--no-anchor] [--no-tag-path] [--no-learning] [--seed N] [--lag 4]
//! ```
//!
//! `WEB.jsonl` has a page per line: id, url, title, text, links (to, anchor, context, tag_path,
//! rel, in main or not). `TOPICS.json` has the tasks with their true labels: these are only used
//! to score the finished order, never shown to the models.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Instant;

use ::focus::{
    ExampleText, Focus, FocusConfig, LinkContext, LinkFeatures, LinkModelConfig, PageFate,
    PageOutcome, PageView, TopicConfig,
};
use segment::Segmenter;
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
}

struct Options {
    pages: usize,
    out: Option<String>,
    examples: bool,
    links: LinkModelConfig,
    adapt: bool,
    seed: u64,
    lag: usize,
    verbose: bool,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let number = |name: &str, default: f64| {
        value(name)
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    if arguments.len() < 2 {
        eprintln!("replay_web WEB.jsonl TOPICS.json [options]");
        std::process::exit(2);
    }
    let learn = !flag("--no-learning");
    let options = Options {
        pages: number("--pages", 1000.0) as usize,
        out: value("--out"),
        examples: !flag("--no-examples"),
        links: LinkModelConfig {
            adapt: learn,
            use_anchor: !flag("--no-anchor"),
            use_tag_path: !flag("--no-tag-path"),
            hub_worth: number("--hub", f64::from(LinkModelConfig::default().hub_worth)) as f32,
            exploration: number(
                "--explore",
                f64::from(LinkModelConfig::default().exploration),
            ) as f32,
            seed: number("--seed", 0.0) as u64,
        },
        adapt: learn,
        seed: number("--seed", 0.0) as u64,
        lag: number("--lag", 4.0) as usize,
        verbose: flag("--verbose"),
    };
    let wanted =
        value("--topics").map(|list| list.split(',').map(str::to_owned).collect::<Vec<_>>());
    let tasks: Vec<Task> =
        serde_json::from_str(&std::fs::read_to_string(&arguments[1]).expect("topics file"))
            .expect("topics");
    let started = Instant::now();
    let web: Vec<PageLine> = std::fs::read_to_string(&arguments[0])
        .expect("web file")
        .lines()
        .map(|line| serde_json::from_str(line).expect("page"))
        .collect();
    let words: HashMap<u32, segment::Words> = web
        .iter()
        .map(|page| (page.id, Segmenter::shared().words(&page.text)))
        .collect();
    eprintln!(
        "{} pages in {:.1} s",
        web.len(),
        started.elapsed().as_secs_f32()
    );
    let mut table = Vec::new();
    for task in tasks {
        if wanted.as_ref().is_some_and(|list| !list.contains(&task.id)) {
            continue;
        }
        table.push(run(&task, &web, &words, &options));
    }
    let mean =
        |get: fn(&Score) -> f64| table.iter().map(get).sum::<f64>() / table.len().max(1) as f64;
    println!(
        "{:24} {:6.3} worst {:.3}  recall/oracle {:.3}  F1 {:.3} until stop {:.3}  us/page judge {:.0} links {:.0}+{:.0}",
        "mean",
        mean(|row| row.score),
        table.iter().map(|row| row.score).fold(9.0, f64::min),
        mean(|row| row.recall),
        mean(|row| row.f1),
        mean(|row| row.stop_f1),
        mean(|row| row.judge_us),
        mean(|row| row.link_us),
        mean(|row| row.rescore_us),
    );
}

struct Score {
    score: f64,
    recall: f64,
    f1: f64,
    stop_f1: f64,
    judge_us: f64,
    link_us: f64,
    rescore_us: f64,
}

struct Pending {
    features: LinkFeatures,
    priority: f32,
}

fn run(
    task: &Task,
    web: &[PageLine],
    words: &HashMap<u32, segment::Words>,
    options: &Options,
) -> Score {
    let hosts: HashSet<&str> = task.hosts.iter().map(String::as_str).collect();
    let in_scope = |url: &str| {
        Url::parse(url)
            .ok()
            .is_some_and(|url| hosts.contains(url.authority()))
    };
    let lines: HashMap<u32, &PageLine> = web
        .iter()
        .filter(|page| in_scope(&page.url))
        .map(|page| (page.id, page))
        .collect();
    let example = |id: &u32| {
        let page = lines[id];
        ExampleText {
            title: page.title.clone(),
            text: page.text.clone(),
            url: Some(page.url.clone()),
            links: page.links.iter().map(|link| link.url.clone()).collect(),
            labels: labels(page),
            listing: is_list(page),
        }
    };
    let config = FocusConfig {
        topic: TopicConfig {
            keywords: task.keywords.clone(),
            examples: if options.examples {
                task.examples.iter().map(example).collect()
            } else {
                Vec::new()
            },
            seed: options.seed,
            adapt: options.adapt,
            ..TopicConfig::default()
        },
        links: options.links.clone(),
        ..FocusConfig::default()
    };
    let mut focus = Focus::new(&config).expect("a topic");
    let relevant: HashSet<u32> = task.relevant.iter().copied().collect();
    let examples: HashSet<u32> = task.examples.iter().copied().collect();

    let mut pending: HashMap<u32, Pending> = HashMap::new();
    let mut queue: BTreeSet<(std::cmp::Reverse<u32>, u64, u32)> = BTreeSet::new();
    let mut order_of: HashMap<u32, (std::cmp::Reverse<u32>, u64, u32)> = HashMap::new();
    let mut seen: HashSet<u32> = HashSet::new();
    let mut fetched: Vec<(u32, f32)> = Vec::new();
    let mut flying: VecDeque<(u32, Option<Pending>)> = VecDeque::new();
    let mut first: VecDeque<u32> = VecDeque::new();
    if options.examples {
        first.extend(&task.examples);
    }
    first.extend(&task.seeds);
    let mut discovered = 0u64;
    let mut stopped = None;
    let (mut judge_time, mut link_time, mut rescore_time) = (0.0, 0.0, 0.0);
    let limit = options.pages + options.pages / 10 + 50;
    let key = |priority: f32, discovered: u64, id: u32| {
        (std::cmp::Reverse((priority * 1e6) as u32), discovered, id)
    };
    loop {
        while flying.len() < options.lag && fetched.len() + flying.len() < limit {
            if let Some(id) = first.pop_front() {
                if seen.insert(id) {
                    flying.push_back((id, None));
                }
                continue;
            }
            let Some(entry) = queue.pop_first() else {
                break;
            };
            order_of.remove(&entry.2);
            let link = pending.remove(&entry.2);
            seen.insert(entry.2);
            flying.push_back((entry.2, link));
        }
        let Some((id, link)) = flying.pop_front() else {
            break;
        };
        let Some(line) = lines.get(&id) else { continue };
        let url = Url::parse(&line.url).expect("url");
        let targets: Vec<&str> = line.links.iter().map(|link| link.url.as_str()).collect();
        let labels = labels(line);
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let clock = cpu_seconds();
        let terms = focus.topic().read(&PageView {
            title: &line.title,
            words: &words[&id],
            url: &url,
            lang: None,
            links: &targets,
            labels: &labels,
            listing: is_list(line),
        });
        let relevance = focus.judge(&terms, link.as_ref().map(|link| &link.features));
        let number = id;
        focus.on_page(&PageOutcome {
            page: number,
            url: &line.url,
            terms: Some(&terms),
            relevance: relevance.probability,
            fate: PageFate::New,
            link: link.as_ref().map(|link| &link.features),
        });
        judge_time += cpu_seconds() - clock;
        fetched.push((id, relevance.probability));
        if stopped.is_none() && focus.stop().is_some() {
            stopped = Some(fetched.len());
        }
        if options.verbose {
            let priority = link.as_ref().map_or(1.0, |link| link.priority);
            let why = link
                .as_ref()
                .map(|link| focus.explain_score(&link.features).why)
                .unwrap_or_default();
            println!(
                "{:4} {} p={:.2} s={:.2} {} {:?} {:?}",
                fetched.len(),
                if relevant.contains(&id) { "+" } else { "-" },
                relevance.probability,
                priority,
                line.url,
                relevance
                    .why
                    .iter()
                    .map(|(_, x)| (x * 10.0).round() / 10.0)
                    .collect::<Vec<_>>(),
                why.iter()
                    .take(7)
                    .map(|(name, x)| format!("{name} {x:.1}"))
                    .collect::<Vec<_>>()
            );
        }
        let clock = cpu_seconds();
        let mut new_links = Vec::new();
        let mut on_page: HashMap<u32, LinkFeatures> = HashMap::new();
        let mut on_page_order = Vec::new();
        for link in &line.links {
            if link.to == id || !lines.contains_key(&link.to) {
                continue;
            }
            let features = focus.features(&LinkContext {
                parent: Some(number),
                url: &lines[&link.to].url,
                anchor: &link.anchor,
                context: &link.context,
                tag_path: &link.tag_path,
                in_main: !link.chrome,
            });
            if seen.contains(&link.to) {
                focus.observe_link(number, &lines[&link.to].url);
                continue;
            }
            match on_page.get_mut(&link.to) {
                Some(known) => known.merge(&features),
                None => {
                    on_page_order.push(link.to);
                    on_page.insert(link.to, features);
                }
            }
        }
        for to in on_page_order {
            let features = on_page.remove(&to).expect("a link of this page");
            let bytes = features.to_bytes();
            debug_assert!(bytes.len() <= 220);
            let waits = pending.entry(to).or_insert_with(|| Pending {
                features: LinkFeatures::default(),
                priority: -1.0,
            });
            let new = waits.priority < 0.0;
            if new {
                discovered += 1;
                waits.features = features;
            } else {
                waits.features.merge(&features);
            }
            waits.priority = focus.score(&waits.features);
            if new {
                new_links.push(waits.priority);
            }
            if let Some(old) = order_of.remove(&to) {
                queue.remove(&old);
            }
            let entry = key(waits.priority, discovered, to);
            order_of.insert(to, entry);
            queue.insert(entry);
        }
        focus.on_new_links(number, &new_links);
        link_time += cpu_seconds() - clock;
        let clock = cpu_seconds();
        if focus.rescore_due(pending.len() as u64) {
            let mut sorted: BTreeMap<u32, ()> = BTreeMap::new();
            sorted.extend(pending.keys().map(|id| (*id, ())));
            for (id, ()) in sorted {
                let waits = pending.get_mut(&id).expect("pending");
                waits.priority = focus.score(&waits.features);
                let old = order_of[&id];
                queue.remove(&old);
                let entry = key(waits.priority, old.1, id);
                order_of.insert(id, entry);
                queue.insert(entry);
            }
            focus.on_rescored(pending.values().map(|waits| waits.priority).collect());
        }
        rescore_time += cpu_seconds() - clock;
    }
    if let Some(dir) = &options.out {
        let lines: String = fetched
            .iter()
            .map(|(id, _)| {
                format!(
                    "{}\n",
                    serde_json::json!({"url": lines[id].url, "status": 200})
                )
            })
            .collect();
        std::fs::write(format!("{dir}/{}.jsonl", task.id), lines).expect("write");
    }
    if let Some(end) = stopped {
        let found: Vec<usize> = (0..end)
            .filter(|&at| relevant.contains(&fetched[at].0))
            .collect();
        let most = found.get(found.len() * 95 / 100).copied().unwrap_or(0) + 1;
        println!(
            "    stops at {end} with {} found, 95 % of them by {most}: {:.2}",
            found.len(),
            end as f64 / most as f64
        );
    }
    score(
        task,
        &fetched,
        &relevant,
        &examples,
        stopped,
        [judge_time, link_time, rescore_time],
    )
}

/// Seconds this thread has run: on a busy machine the wall clock says little. 0 where the system
/// does not tell.
fn cpu_seconds() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(0.0, |nanoseconds| nanoseconds / 1e9)
}

fn is_list(page: &PageLine) -> bool {
    matches!(
        page.page_type.as_str(),
        "listing" | "collection" | "front_page"
    )
}

fn labels(page: &PageLine) -> Vec<String> {
    page.links
        .iter()
        .filter(|link| link.rel.split_whitespace().any(|token| token == "tag"))
        .map(|link| link.anchor.clone())
        .collect()
}

fn score(
    task: &Task,
    fetched: &[(u32, f32)],
    relevant: &HashSet<u32>,
    examples: &HashSet<u32>,
    stopped: Option<usize>,
    times: [f64; 3],
) -> Score {
    let mut curve = Vec::new();
    let (mut got, mut tp, mut fp, mut miss) = (0usize, 0.0, 0.0, 0.0);
    for (id, probability) in fetched.iter().filter(|(id, _)| !examples.contains(id)) {
        let good = relevant.contains(id);
        got += usize::from(good);
        curve.push(got);
        match (good, *probability >= 0.5) {
            (true, true) => tp += 1.0,
            (false, true) => fp += 1.0,
            (true, false) => miss += 1.0,
            (false, false) => {}
        }
    }
    let depth = 1000.min((task.reachable - examples.len()).max(curve.len()));
    let last = curve.last().copied().unwrap_or(0);
    let mean = (0..depth)
        .map(|at| *curve.get(at).unwrap_or(&last) as f64 / (at + 1) as f64)
        .sum::<f64>()
        / depth as f64;
    let at = |n: usize| *curve.get(n - 1).unwrap_or(&last);
    let recall = at(1000) as f64 / task.nrel as f64;
    let (precision, found) = (tp / f64::max(1.0, tp + fp), tp / f64::max(1.0, tp + miss));
    let f1 = 2.0 * tp / f64::max(1.0, 2.0 * tp + fp + miss);
    let until = |end: usize| {
        let mut all = [0.0; 3];
        for (id, p) in fetched[..end]
            .iter()
            .filter(|(id, _)| !examples.contains(id))
        {
            let (good, said) = (relevant.contains(id), *p >= 0.5);
            all[0] += f64::from(u8::from(good && said));
            all[1] += f64::from(u8::from(good));
            all[2] += f64::from(u8::from(said));
        }
        (
            2.0 * all[0] / f64::max(1.0, all[1] + all[2]),
            all[0] / f64::max(1.0, all[2]),
            all[0] / f64::max(1.0, all[1]),
        )
    };
    let (stop_f1, stop_p, stop_r) = until(stopped.unwrap_or(fetched.len()));
    let mut ranked: Vec<(f32, bool)> = fetched
        .iter()
        .filter(|(id, _)| !examples.contains(id))
        .map(|(id, p)| (*p, relevant.contains(id)))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = ranked.iter().filter(|x| x.1).count() as f64;
    let (mut good, mut best, mut cut) = (0.0, 0.0, 1.0);
    for (at, (p, hit)) in ranked.iter().enumerate() {
        good += f64::from(u8::from(*hit));
        let f = 2.0 * good / (at as f64 + 1.0 + all);
        if f > best {
            (best, cut) = (f, *p);
        }
    }
    let n = fetched.len().max(1) as f64;
    println!(
        "{:24} {:6.3} (bfa {:.3})  @100 {:3} @250 {:3} @500 {:3} @1000 {:3} of {:3}  recall/oracle {:.3}  F1 {:.3} (p {:.2} r {:.2}) best {best:.2} at {cut:.2} stop F1 {stop_f1:.3} ({stop_p:.2} {stop_r:.2})  us judge {:.0} links {:.0}+{:.0}",
        task.id,
        mean / task.oracle,
        task.bfa / task.oracle,
        at(100),
        at(250),
        at(500),
        at(1000),
        task.nrel,
        recall / task.oracle_recall,
        f1,
        precision,
        found,
        times[0] / n * 1e6,
        times[1] / n * 1e6,
        times[2] / n * 1e6
    );
    Score {
        score: mean / task.oracle,
        recall: recall / task.oracle_recall,
        f1,
        stop_f1,
        judge_us: times[0] / n * 1e6,
        link_us: times[1] / n * 1e6,
        rescore_us: times[2] / n * 1e6,
    }
}
