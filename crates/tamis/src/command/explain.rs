//! `tamis explain`: what became of one URL, in short or in full.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use ::explain::{LeftOut, Why};
use archive::{BodyRef, Event};
use frontier::CanonicalUrl;
use outcome::UrlState;
use pipeline::{CrawlConfig, CrawlDir, config_file, setup};
use report::{Explainer, Look, Story};

use crate::command::report::Lang;
use crate::command::{crawl_error, journal, together};
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Tell what became of one URL and why, in a few lines; with --full, its whole story
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis explain crawls/db https://www.example.org/print/42\n  \
    tamis explain crawls/db https://www.example.org/print/42 --full\n  \
    tamis explain crawls/db https://www.example.org/print/42 --lang zh")]
pub struct Args {
    /// The crawl's directory
    dir: PathBuf,
    /// The URL, absolute
    url: String,
    /// A further node's directory of the same crawl; several, one --with each
    #[arg(long, value_name = "DIR")]
    with: Vec<PathBuf>,
    /// Everything: all links to it, each fetch, what was measured, the text that differs, and what the topic's model
    /// made of it. `--json` always holds everything
    #[arg(long)]
    full: bool,
    /// Language of the short form's words; --full is told in English
    #[arg(long, value_enum, default_value_t = Lang::En, conflicts_with = "full")]
    lang: Lang,
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
    let dir = telling(&dirs, url.as_str(), output)?;
    let story = story_of(dir, &config, &url)?;
    let exit = match story.state {
        UrlState::NeverSeen => Exit::Problem,
        _ => Exit::Done,
    };
    if args.full || output.json {
        tell_all(dir, &config, story, output)?;
        return Ok(exit);
    }
    let look = Look {
        tongue: args.lang.into(),
        ..look(output)
    };
    let told = report::explain::render_short(&story, look);
    output.stream().write_all(told.as_bytes())?;
    if exit == Exit::Done {
        output.say(match args.lang {
            Lang::En => "Everything that is known of it: --full",
            Lang::Zh => "全部细节（英文）：--full",
        });
    }
    Ok(exit)
}

/// The directory that knows most of a URL: where it ended, and there last.
fn telling<'d>(dirs: &'d [CrawlDir], url: &str, output: &Output) -> anyhow::Result<&'d CrawlDir> {
    let [first, more @ ..] = dirs else {
        return Err(usage("name a directory"));
    };
    if more.is_empty() {
        return Ok(first);
    }
    let (mut best, mut known) = (first, known_of(first, url)?);
    for dir in more {
        let here = known_of(dir, url)?;
        if here > known {
            (best, known) = (dir, here);
        }
    }
    output.say(format!("as {} tells it", best.root().display()));
    Ok(best)
}

/// When a URL ended, the later the more; then whether it was admitted, then whether it was found.
fn known_of(dir: &CrawlDir, url: &str) -> anyhow::Result<(u64, u8)> {
    let mut explainer = Explainer::new(url);
    let mut ended_ms = 0;
    for record in journal::records(dir)? {
        if matches!(&record.event, Event::Page(page) if page.url == url) {
            ended_ms = record.at_ms;
        }
        explainer.add(&record);
    }
    let known = match explainer.finish().state {
        UrlState::NeverSeen => 0,
        UrlState::LeftOut => 1,
        _ => 2,
    };
    Ok((ended_ms, known))
}

/// The story of a URL as the records tell it, with the rule that left it out where one did.
fn story_of(dir: &CrawlDir, config: &CrawlConfig, url: &CanonicalUrl) -> anyhow::Result<Story> {
    let mut explainer = Explainer::new(url.as_str());
    for record in journal::records(dir)? {
        explainer.add(&record);
    }
    let mut story = explainer.finish();
    if matches!(story.state, UrlState::NeverSeen | UrlState::LeftOut) {
        let rules = LeftOut::read(journal::records(dir)?, config)
            .map_err(|error| usage(error.to_string()))?;
        let why = match story.state {
            UrlState::NeverSeen => rules.never_found(url),
            _ => rules.left_out(url, story.found.iter().map(|found| &found.fate)),
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
    let text = |at: &BodyRef| journal::text(dir, at);
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
