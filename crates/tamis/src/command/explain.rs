//! `tamis explain`: what became of one URL, in full or in short.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use ::explain::{LeftOut, Why};
use archive::{BodyRef, Event};
use frontier::{CanonicalUrl, UrlError};
use outcome::UrlState;
use pipeline::{CrawlConfig, CrawlDir, config_file, setup};
use report::{Explainer, Look, Story};

use crate::command::report::Lang;
use crate::command::{crawl_error, journal, together};
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Tell one URL's whole story: where it was found, each fetch, the verdict and its evidence
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis explain crawls/db https://www.example.org/print/42\n  \
    tamis explain crawls/db https://www.example.org/print/42 --short\n  \
    tamis explain crawls/db https://www.example.org/print/42 --short --lang zh")]
pub struct Args {
    /// The crawl's directory, or where its archive was copied to: s3://BUCKET/PREFIX, file:///DIRECTORY
    dir: PathBuf,
    /// The URL, absolute
    url: String,
    /// What became of it and why, in twelve lines at most; `--json` always holds everything
    #[arg(long)]
    short: bool,
    /// Language of the words of --short; the whole story is told in English alone, so that another one
    /// means --short
    #[arg(long, value_enum, default_value_t = Lang::En)]
    lang: Lang,
    /// A further node's directory of the same crawl; several, one --with each
    #[arg(long, value_name = "DIR")]
    with: Vec<PathBuf>,
}

/// Tells the story; exit 1 when the crawl knows nothing of the URL.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dirs = together::open(&args.dir, &args.with, output)?;
    let config =
        config_file::kept(&dirs[0].config()).map_err(|problem| usage(problem.to_string()))?;
    let mut told = None;
    for typed in frontier::meanings_of_typed(&args.url) {
        let url = absolute(&typed)?;
        let url = setup::canonicaliser(&config)
            .canonical(&url)
            .map_err(|error| usage(format!("{error}: such a URL is never crawled")))?;
        let (dir, story) = best_told(&dirs, url.as_str())?;
        let is_known = story.state != UrlState::NeverSeen;
        if is_known || told.is_none() {
            told = Some((url, dir, story));
        }
        if is_known {
            break;
        }
    }
    let (url, dir, story) = told.expect("a URL means one at least");
    if dirs.len() > 1 && story.state != UrlState::NeverSeen {
        output.say(format!("as {} tells it", dir.shown()));
    }
    let story = story_of(dir, &config, &url, story)?;
    let exit = match story.state {
        UrlState::NeverSeen => Exit::Problem,
        _ => Exit::Done,
    };
    let is_short = args.short || args.lang != Lang::En;
    if !is_short || output.json {
        tell_all(dir, &config, story, output)?;
        return Ok(exit);
    }
    let look = Look {
        tongue: args.lang.into(),
        ..look(output)
    };
    let told = report::explain::render_short(&story, look);
    output.stream().write_all(told.as_bytes())?;
    Ok(exit)
}

/// The story with the rule that left the URL out where one did, and the source of its cluster.
fn story_of(
    dir: &CrawlDir,
    config: &CrawlConfig,
    url: &CanonicalUrl,
    mut story: Story,
) -> anyhow::Result<Story> {
    if matches!(story.state, UrlState::NeverSeen | UrlState::LeftOut) {
        let rules = LeftOut::read(journal::records(dir)?, config)
            .map_err(|error| usage(error.to_string()))?;
        let why = match story.state {
            UrlState::NeverSeen => rules.never_found(url),
            _ => rules.left_out(url, story.found.iter()),
        };
        story.summary = format!("{} {why}", story.summary);
    }
    if let Some(page) = story.cluster() {
        let records = || journal::records(dir).into_iter().flatten();
        story.original = report::original_of(records, page);
    }
    Ok(story)
}

/// Tells everything, as JSON or as text.
fn tell_all(
    dir: &CrawlDir,
    config: &CrawlConfig,
    mut story: Story,
    output: &Output,
) -> anyhow::Result<()> {
    add_links(dir, config, &mut story);
    let archived = journal::archived(dir);
    let text = |at: &BodyRef| archived.text(at);
    let focus = match setup::focus_config(config).map_err(crawl_error)? {
        Some(topic) => Why::of(journal::records(dir)?, &text, &topic, &story)
            .map_err(|error| usage(error.to_string()))?,
        None => None,
    };
    if output.json {
        let mut story = serde_json::to_value(&story)?;
        if let (Some(focus), Some(fields)) = (&focus, story.as_object_mut()) {
            fields.insert("focus".into(), focus.json());
        }
        return Ok(output.value(&story)?);
    }
    let texts = journal::texts(dir, &pages_of(&story))?;
    let text = |page: u64| texts.get(&page).cloned();
    let told = report::explain::render(&story, look(output), &text);
    output.stream().write_all(told.as_bytes())?;
    for line in focus.iter().flat_map(Why::lines) {
        output.line(line)?;
    }
    Ok(())
}

/// Adds what came of its links, and of those beside the one that brought it in.
fn add_links(dir: &CrawlDir, config: &CrawlConfig, story: &mut Story) {
    let (own, parent) = story.pages_with_links();
    let threshold = config.topic.as_ref().map_or(0.5, |topic| topic.threshold);
    let pages: Vec<u64> = own.into_iter().chain(parent).collect();
    let records = || journal::records(dir).into_iter().flatten();
    for led in report::explain::led(records, &pages, threshold) {
        match own == Some(led.page) {
            true => story.led = Some(led),
            false => story.siblings = Some(led),
        }
    }
}

fn look(output: &Output) -> Look {
    Look {
        columns: output.width,
        colour: output.color,
        ..Look::default()
    }
}

/// The story in the directory that knows most of the URL: where it ended, and there last.
fn best_told<'d>(dirs: &'d [CrawlDir], url: &str) -> anyhow::Result<(&'d CrawlDir, Story)> {
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
    Ok((dir, story))
}

/// The URL that was typed.
fn absolute(typed: &str) -> anyhow::Result<::url::Url> {
    frontier::parse_typed(typed).map_err(|error| {
        let UrlError::Parse(_, error) = error else {
            return usage(format!(
                "{error}; write it as in the crawl, such as https://example.org/page"
            ));
        };
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
