//! `tamis replay`: other strategies, or another topic, over the pages of a crawl.

use std::collections::HashMap;
use std::path::PathBuf;

use ::report::words::{count, plural};
use focus::replay::{ReplayLink, ReplayPage, Strategy, relevance, replay};
use focus::{ExampleText, Fate, Focus, FocusConfig, PageView, Topic};
use frontier::CanonicalUrl;
use pipeline::{CrawlDir, config_file, focus_view, setup};
use serde_json::json;
use url::Url;

use crate::command::{crawl_error, journal, report};
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Where the curve is told.
const MARKS: [usize; 9] = [50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 50_000];

/// Replay another order or another topic over the pages of a crawl, without a network
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What counts as relevant is what the topic says of a page once it has read them all; new is \
        what the crawl did not find to repeat another page. Links are known by anchor and URL here, a crawl \
        knows their surroundings too.\n\nExample:\n  \
        tamis replay crawls/db --strategy tamis --strategy bfs --topic config/other-topic.toml"
)]
pub struct Args {
    /// The crawl's directory
    dir: PathBuf,
    /// In which order to fetch; may be given several times
    #[arg(long, required = true, value_enum)]
    strategy: Vec<Order>,
    /// A configuration whose topic counts instead of the crawl's
    #[arg(long, value_name = "CONFIG")]
    topic: Option<PathBuf>,
    /// Fetch so many pages at most; 0 for all
    #[arg(long, default_value_t = 0)]
    max_pages: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    /// Breadth first
    Bfs,
    /// By the relevance of the page with the link
    BestFirst,
    /// By the promise of the link, as a crawl does it
    Tamis,
}

/// Replays the strategies.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    let file = args.topic.clone().unwrap_or_else(|| dir.config());
    let config = config_file::read(&file).map_err(|problem| usage(problem.to_string()))?;
    let focus = setup::focus_config(&config)
        .map_err(crawl_error)?
        .ok_or_else(|| {
            usage(format!(
                "{} has no [topic]; give one with --topic",
                file.display()
            ))
        })?;
    let section = config.topic.as_ref();
    let examples = |of: fn(&pipeline::config::TopicSection) -> &Vec<String>, on_topic| {
        let urls = section.into_iter().flat_map(of);
        urls.filter_map(|url| {
            Some((
                CanonicalUrl::parse(url).ok()?.as_str().to_string(),
                on_topic,
            ))
        })
        .collect::<Vec<_>>()
    };
    let mut wanted: HashMap<String, bool> = HashMap::new();
    wanted.extend(examples(|topic| &topic.examples, true));
    wanted.extend(examples(|topic| &topic.counter_examples, false));
    let graph = Graph::read(&dir, &focus, &wanted)?;
    if graph.pages.is_empty() {
        return Err(usage(format!("{} holds no page yet", args.dir.display())));
    }
    let topic_error = |error: focus::TopicError| usage(format!("[topic] {error}"));
    let relevance = relevance(&focus, &graph.pages).map_err(topic_error)?;
    let pages_max = match args.max_pages {
        0 => usize::MAX,
        max => max,
    };
    for &order in &args.strategy {
        let strategy = match order {
            Order::Bfs => Strategy::BreadthFirst,
            Order::BestFirst => Strategy::BestFirst,
            Order::Tamis => Strategy::Tamis,
        };
        let fetched = replay(
            strategy,
            &focus,
            &graph.pages,
            &graph.seeds,
            &relevance,
            pages_max,
        )
        .map_err(topic_error)?;
        let threshold = focus.topic.threshold;
        let curve = Curve::of(&graph.pages, &relevance, threshold, &fetched);
        curve.show(order, output)?;
    }
    if args.topic.is_none() {
        output.flush()?;
        output.say(beside_the_report(&dir)?);
    }
    Ok(Exit::Done)
}

/// Why the report has other figures for the same crawl.
fn beside_the_report(dir: &CrawlDir) -> anyhow::Result<String> {
    let harvest = report::of(dir)?.harvest;
    Ok(format!(
        "the crawl's report counts {} relevant, {} of them new, among {}: there each page counts as \
         it was judged in its turn, here as the topic sees it once all are read, and every fetch \
         counts as a page",
        count(harvest.relevant),
        count(harvest.relevant_and_new),
        plural(harvest.pages, "page read", "pages read"),
    ))
}

/// The crawl as a closed web.
struct Graph {
    pages: Vec<ReplayPage>,
    seeds: Vec<usize>,
}

impl Graph {
    fn read(
        dir: &CrawlDir,
        config: &FocusConfig,
        examples: &HashMap<String, bool>,
    ) -> anyhow::Result<Graph> {
        let focus = Focus::new(config).map_err(|error| usage(format!("[topic] {error}")))?;
        let mut graph = Graph {
            pages: Vec::new(),
            seeds: Vec::new(),
        };
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut links: Vec<Vec<(String, String)>> = Vec::new();
        let mut seeds = Vec::new();
        for record in journal::records(dir)? {
            match record.event {
                archive::Event::Seed(seed) => seeds.push(seed.url),
                archive::Event::Sitemap(sitemap) => seeds.extend(sitemap.urls),
                archive::Event::Page(page) => {
                    let Ok(url) = Url::parse(&page.url) else {
                        continue;
                    };
                    if page.fetch.is_none() || places.contains_key(&page.url) {
                        continue;
                    }
                    places.insert(page.url.clone(), graph.pages.len());
                    let text = page.text.as_ref().and_then(|at| journal::text(dir, at));
                    let on_topic = examples.get(&page.url).copied();
                    graph.pages.push(page_of(
                        focus.topic(),
                        &page,
                        url,
                        text.unwrap_or_default(),
                        on_topic,
                    ));
                    let found = page.links.into_iter();
                    links.push(found.map(|link| (link.url, link.anchor)).collect());
                }
                _ => {}
            }
        }
        for (page, links) in graph.pages.iter_mut().zip(links) {
            let known = links.into_iter().filter_map(|(url, anchor)| {
                let to = *places.get(&url)?;
                Some(ReplayLink { to, anchor })
            });
            page.links = known.collect();
        }
        let of_examples = examples.keys();
        let all = seeds.iter().chain(of_examples);
        graph.seeds = all.filter_map(|url| places.get(url).copied()).collect();
        graph.seeds.sort_unstable();
        graph.seeds.dedup();
        Ok(graph)
    }
}

fn page_of(
    topic: &Topic,
    record: &archive::PageRecord,
    url: Url,
    text: String,
    example: Option<bool>,
) -> ReplayPage {
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
            listing: focus_view::is_list(&summary.page_type),
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
                listing: focus_view::is_list(&summary.page_type),
            };
            (example, on_topic)
        });
    ReplayPage {
        url,
        terms,
        fate: focus_view::fate_of(record),
        links: Vec::new(),
        example,
    }
}

/// What an order found, page by page.
struct Curve {
    /// Relevant pages, and relevant and new ones, after each page.
    found: Vec<(usize, usize)>,
    all: (usize, usize),
}

impl Curve {
    fn of(pages: &[ReplayPage], relevance: &[f32], threshold: f32, fetched: &[usize]) -> Curve {
        let counts = |at: usize| {
            let relevant = relevance[at] >= threshold;
            (
                usize::from(relevant),
                usize::from(relevant && pages[at].fate == Fate::New),
            )
        };
        let sum = |a: (usize, usize), b: (usize, usize)| (a.0 + b.0, a.1 + b.1);
        let mut so_far = (0, 0);
        let found = fetched.iter().map(|&at| {
            so_far = sum(so_far, counts(at));
            so_far
        });
        Curve {
            found: found.collect(),
            all: (0..pages.len()).map(counts).fold((0, 0), sum),
        }
    }

    /// The mean over all pages of the share of relevant and new ones so far.
    fn mean_harvest(&self) -> f64 {
        let shares = self.found.iter().enumerate();
        let sum: f64 = shares
            .map(|(at, found)| found.1 as f64 / (at + 1) as f64)
            .sum();
        sum / self.found.len().max(1) as f64
    }

    fn show(&self, order: Order, output: &Output) -> anyhow::Result<()> {
        let name = match order {
            Order::Bfs => "bfs",
            Order::BestFirst => "best-first",
            Order::Tamis => "tamis",
        };
        let last = self.found.len();
        let marks: Vec<usize> = MARKS
            .into_iter()
            .filter(|&mark| mark < last)
            .chain((last > 0).then_some(last))
            .collect();
        if output.json {
            let curve: Vec<_> = marks
                .iter()
                .map(|&mark| {
                    let (relevant, new) = self.found[mark - 1];
                    json!({
                        "pages": mark, "relevant": relevant, "relevant_new": new,
                        "harvest": new as f64 / mark as f64,
                        "recall": new as f64 / self.all.1.max(1) as f64,
                    })
                })
                .collect();
            output.value(&json!({
                "strategy": name,
                "pages": last,
                "relevant": self.all.0,
                "relevant_new": self.all.1,
                "mean_harvest": self.mean_harvest(),
                "curve": curve,
            }))?;
            return Ok(());
        }
        output.line(format!(
            "{name}: {last} pages, {} relevant in all, {} of them new; mean harvest {:.3}",
            self.all.0,
            self.all.1,
            self.mean_harvest()
        ))?;
        output.line("   pages  relevant   and new   harvest    recall")?;
        for mark in marks {
            let (relevant, new) = self.found[mark - 1];
            output.line(format!(
                "  {mark:>6}  {relevant:>8}  {new:>8}  {:>8.3}  {:>8.3}",
                new as f64 / mark as f64,
                new as f64 / self.all.1.max(1) as f64
            ))?;
        }
        Ok(())
    }
}
