//! `tamis explain`: one URL's whole story.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use ::explain::{LeftOut, Why};
use archive::{BodyRef, Event};
use outcome::UrlState;
use pipeline::{CrawlDir, config_file, setup};
use report::{Explainer, Look, Story};

use crate::command::{crawl_error, journal, together};
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Tell one URL's whole story: where it was found, each fetch, the verdict and its evidence
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis explain crawls/db https://www.example.org/print/42")]
pub struct Args {
    /// The crawl's directory
    dir: PathBuf,
    /// The URL, absolute
    url: String,
    /// A further node's directory of the same crawl; several, one --with each
    #[arg(long, value_name = "DIR")]
    with: Vec<PathBuf>,
}

/// Tells the story; exit 1 when the crawl knows nothing of the URL.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dirs = together::open(&args.dir, &args.with)?;
    let config =
        config_file::kept(&dirs[0].config()).map_err(|problem| usage(problem.to_string()))?;
    let url = absolute(&args.url)?;
    let url = setup::canonicaliser(&config)
        .canonical(&url)
        .map_err(|error| usage(format!("{error}: such a URL is never crawled")))?;
    let (dir, mut story) = best_told(&dirs, url.as_str())?;
    if dirs.len() > 1 && story.state != UrlState::NeverSeen {
        output.say(format!("as {} tells it", dir.root().display()));
    }
    if matches!(story.state, UrlState::NeverSeen | UrlState::LeftOut) {
        let rules = LeftOut::read(journal::records(&dir)?, &config)
            .map_err(|error| usage(error.to_string()))?;
        let why = match story.state {
            UrlState::NeverSeen => rules.never_found(&url),
            _ => rules.left_out(&url, story.found.iter().map(|found| &found.fate)),
        };
        story.summary = format!("{} {why}", story.summary);
    }
    let records = || journal::records(&dir).into_iter().flatten();
    if let Some(page) = story.cluster() {
        story.original = report::original_of(records, page);
    }
    let known = story.state != UrlState::NeverSeen;
    let (own, parent) = story.pages_with_links();
    let threshold = config.topic.as_ref().map_or(0.5, |topic| topic.threshold);
    let pages: Vec<u64> = own.into_iter().chain(parent).collect();
    for led in report::explain::led(records, &pages, threshold) {
        match own == Some(led.page) {
            true => story.led = Some(led),
            false => story.siblings = Some(led),
        }
    }
    let text = |at: &BodyRef| journal::text(&dir, at);
    let focus = match setup::focus_config(&config).map_err(crawl_error)? {
        Some(topic) => Why::of(journal::records(&dir)?, &text, &topic, &story)
            .map_err(|error| usage(error.to_string()))?,
        None => None,
    };
    if output.json {
        let mut story = serde_json::to_value(&story)?;
        if let (Some(focus), Some(fields)) = (&focus, story.as_object_mut()) {
            fields.insert("focus".into(), focus.json());
        }
        output.value(&story)?;
    } else {
        let pages: BTreeSet<u64> = pages_of(&story);
        let texts = journal::texts(&dir, &pages)?;
        let text = |page: u64| texts.get(&page).cloned();
        let look = Look {
            columns: output.width,
            colour: output.color,
            ..Look::default()
        };
        let told = report::explain::render(&story, look, &text);
        output.stream().write_all(told.as_bytes())?;
        if let Some(focus) = &focus {
            for line in focus.lines() {
                output.line(line)?;
            }
        }
    }
    Ok(if known { Exit::Done } else { Exit::Problem })
}

/// The story in the directory that knows most of the URL: where it ended, and there last.
fn best_told(dirs: &[CrawlDir], url: &str) -> anyhow::Result<(CrawlDir, Story)> {
    let mut best: Option<((u8, u64), &CrawlDir, Story)> = None;
    for dir in dirs {
        let mut explainer = Explainer::new(url);
        let mut last_ms = 0;
        for record in journal::records(dir)? {
            if matches!(&record.event, Event::Page(page) if page.url == url) {
                last_ms = record.at_ms;
            }
            explainer.add(&record);
        }
        let story = explainer.finish();
        let known = match story.state {
            UrlState::NeverSeen => 0,
            UrlState::LeftOut => 1,
            _ => 2,
        };
        // Where it has an end, that is later than none.
        let rank = (known, last_ms);
        if best.as_ref().is_none_or(|(before, ..)| rank > *before) {
            best = Some((rank, dir, story));
        }
    }
    let (_, dir, story) = best.expect("there is a directory");
    Ok((dir.clone(), story))
}

/// The URL that was typed.
fn absolute(typed: &str) -> anyhow::Result<::url::Url> {
    ::url::Url::parse(typed).map_err(|error| {
        let mend = match typed.split(['/', ':']).next().unwrap_or_default() {
            host if host.contains('.') => format!("write it with its scheme: http://{typed}"),
            _ => "write it as in the crawl, such as https://example.org/page".to_owned(),
        };
        usage(format!("{typed:?} is no absolute URL: {error}; {mend}"))
    })
}

/// The pages whose texts the story may compare.
fn pages_of(story: &Story) -> BTreeSet<u64> {
    let decisions = story.decisions.iter();
    decisions
        .flat_map(|decision| {
            [
                Some(decision.page),
                decision.nearest.as_ref().map(|near| near.page),
            ]
        })
        .flatten()
        .collect()
}
