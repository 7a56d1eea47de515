//! `tamis explain`: one URL's whole story.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use frontier::{CanonicalUrl, Scope};
use pipeline::{CrawlDir, config_file, setup};
use report::{Explainer, Look, Story, text_places};

use crate::command::journal;
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
}

/// Tells the story; exit 1 when the crawl knows nothing of the URL.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    let config = config_file::read(&dir.config()).map_err(|problem| usage(problem.to_string()))?;
    let url = ::url::Url::parse(&args.url)
        .map_err(|error| usage(format!("{:?} is no absolute URL: {error}", args.url)))?;
    let url = setup::canonicaliser(&config)
        .canonical(&url)
        .map_err(|error| usage(format!("{error}: such a URL is never crawled")))?;
    let mut explainer = Explainer::new(url.as_str());
    for record in journal::records(&dir)? {
        explainer.add(&record);
    }
    let mut story = explainer.finish();
    if story.state == "unknown" {
        story.summary = format!(
            "{} {}",
            story.summary,
            never_found(&dir, &Arc::new(config), &url)?
        );
    }
    let known = story.state != "unknown";
    if output.json {
        output.value(&story)?;
    } else {
        let pages: BTreeSet<u64> = pages_of(&story);
        let places = text_places(journal::records(&dir)?, &pages);
        let text = |page: u64| places.get(&page).and_then(|at| journal::text(&dir, at));
        let own = story
            .decisions
            .last()
            .and_then(|decision| decision.text.clone());
        let text = |page: u64| match (&own, story.decisions.last()) {
            (Some(at), Some(decision)) if decision.page == page => journal::text(&dir, at),
            _ => text(page),
        };
        let look = Look {
            columns: output.width,
            colour: output.color,
            ..Look::default()
        };
        let told = report::explain::render(&story, look, &text);
        output.stream().write_all(told.as_bytes())?;
    }
    Ok(if known { Exit::Done } else { Exit::Problem })
}

/// What the rules say to a URL that no page linked to.
fn never_found(
    dir: &CrawlDir,
    config: &Arc<pipeline::CrawlConfig>,
    url: &CanonicalUrl,
) -> anyhow::Result<String> {
    let mut scope =
        Scope::new(&setup::scope_config(config)).map_err(|error| usage(error.to_string()))?;
    let mut seeds = 0;
    for record in journal::records(dir)? {
        if let archive::Event::Seed(seed) = &record.event {
            scope.add_seed(&setup::seed_url(seed).map_err(|error| usage(error.to_string()))?);
            seeds += 1;
        }
    }
    let refusals: Vec<_> = (0..seeds).map(|seed| scope.check(url, 0, seed)).collect();
    Ok(match refusals.into_iter().find_map(Result::err) {
        Some(refusal) if (0..seeds).all(|seed| scope.check(url, 0, seed).is_err()) => {
            format!("It would be refused: {refusal}.")
        }
        Some(_) | None => {
            "It is in scope, but no page or sitemap that was read so far links to it.".into()
        }
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
