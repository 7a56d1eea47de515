//! `tamis replay`: other strategies, or another topic, over the pages of a crawl.

use std::path::PathBuf;

use ::report::words::{count, plural};
use archive::PageRecord;
use focus::simulate::Strategy;
use focus::{Focus, FocusConfig};
use frontier::CanonicalUrl;
use pipeline::config::TopicSection;
use pipeline::{CrawlDir, config_file, setup};
use simulate::{CrawlGraph, Simulation};
use state::Examples;

use crate::command::{crawl_error, journal, report};
use crate::exit::{Exit, usage};
use crate::output::Output;

mod curves;

/// Replay another order or another topic over the pages of a crawl, without a network
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What counts as relevant is what the topic says of a page in its turn in a crawl by promise, and \
        of pages that such a crawl would not read before its stop rules end it, what it says then. New is the \
        first of pages that the crawl found to repeat each other. The oracle knows all that beforehand and always \
        fetches what lies nearest to a relevant page: it is a measure, and no bound, as an order may have found \
        more for a while. Links are known by anchor and URL here, a crawl knows their surroundings too. Links to pages that the crawl \
        did not fetch lead nowhere.\n\nExamples:\n  \
        tamis replay crawls/db --strategy bfs --strategy best-first --strategy tamis\n  \
        tamis replay crawls/db --strategy tamis --topic config/other-topic.toml"
)]
pub struct Args {
    /// The crawl's directory
    dir: PathBuf,
    /// In which order to fetch; may be given several times
    #[arg(long, required = true, value_enum)]
    strategy: Vec<Order>,
    /// A configuration whose topic counts instead of the crawl's; the rest of it is not looked at
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

impl From<Order> for Strategy {
    fn from(order: Order) -> Strategy {
        match order {
            Order::Bfs => Strategy::BreadthFirst,
            Order::BestFirst => Strategy::BestFirst,
            Order::Tamis => Strategy::Tamis,
        }
    }
}

/// Replays the strategies.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    let config = match &args.topic {
        Some(file) => config_file::read(file),
        None => config_file::kept(&dir.config()),
    };
    let config = config.map_err(|problem| usage(problem.to_string()))?;
    let no_topic = || match &args.topic {
        Some(file) => usage(format!("{} has no [topic]", file.display())),
        None => usage(format!(
            "{} was crawled without a topic; give one with --topic CONFIG",
            args.dir.display()
        )),
    };
    let focus = setup::focus_config(&config)
        .map_err(crawl_error)?
        .ok_or_else(no_topic)?;
    let examples = config.topic.as_ref().map(examples_of).unwrap_or_default();
    let topic_error = |error: focus::TopicError| usage(format!("[topic] {error}"));
    let topic = Focus::new(&focus).map_err(topic_error)?;
    let texts = journal::archived(&dir);
    let text = |page: &PageRecord| documents::page_text(&texts, page);
    let records = journal::records(&dir)?;
    let graph = CrawlGraph::read(records, topic.topic(), &examples, &text);
    if graph.pages.is_empty() {
        return Err(usage(format!("{} holds no page yet", args.dir.display())));
    }
    let pages_max = match args.max_pages {
        0 => usize::MAX,
        max => max,
    };
    let strategies: Vec<Strategy> = args.strategy.iter().copied().map(Strategy::from).collect();
    let run = Simulation::run(&graph, &focus, &strategies, pages_max).map_err(topic_error)?;
    let threshold = focus.topic.threshold;
    if output.json {
        for curve in &run.curves {
            output.value(&curves::json(curve, &run, &graph, threshold))?;
        }
    } else {
        curves::show(&run, threshold, output)?;
    }
    output.flush()?;
    for note in notes(&dir, args, &graph, &focus)? {
        output.say(note);
    }
    Ok(Exit::Done)
}

/// The topic's example pages that are URLs.
fn examples_of(topic: &TopicSection) -> Examples {
    let mut examples = Examples::default();
    for (urls, on_topic) in [(&topic.examples, true), (&topic.counter_examples, false)] {
        for url in urls.iter().filter_map(|url| CanonicalUrl::parse(url).ok()) {
            examples.add(url.as_str(), on_topic);
        }
    }
    examples
}

/// What a reader of the figures should know.
fn notes(
    dir: &CrawlDir,
    args: &Args,
    graph: &CrawlGraph,
    focus: &FocusConfig,
) -> anyhow::Result<Vec<String>> {
    let mut notes = Vec::new();
    for lost in &graph.examples_lost {
        let (url, why) = (&lost.url, &lost.why);
        notes.push(format!("the example {url} teaches nothing here: {why}"));
    }
    if graph.without_text > 0 {
        notes.push(format!(
            "{} neither text nor body in the archive and {} judged by title and URL alone",
            plural(graph.without_text, "page has", "pages have"),
            if graph.without_text == 1 { "is" } else { "are" },
        ));
    }
    if graph.not_archived > 0 {
        notes.push(format!(
            "{} that the crawl may follow {} not fetched by it: what is there is in nobody's reach here, and \
             breadth-first, which would fetch them, looks better for it",
            plural(graph.not_archived, "URL", "URLs"),
            if graph.not_archived == 1 { "was" } else { "were" },
        ));
    }
    if args.topic.is_none() {
        let harvest = report::of(dir)?.harvest;
        notes.push(format!(
            "the crawl's report counts {} relevant, {} of them new, among {}: there each page counts as \
             it was judged by the crawl, from {} on, here as it is judged in this replay, and every fetch counts \
             as a page",
            count(harvest.relevant),
            count(harvest.relevant_and_new),
            plural(harvest.pages, "page read", "pages read"),
            focus.topic.threshold,
        ));
    }
    Ok(notes)
}
