//! One URL's whole story, told from the journal as `tamis explain` tells it.
//!
//! Links to a URL may stand in any record, so the journal is read from its beginning, some times
//! over. That is why only one story of a crawl is told at a time.

use std::collections::{BTreeMap, BTreeSet};

use archive::{BodyRef, Position, Record, Replayed, Texts};
use explain::{LeftOut, Why};
use frontier::CanonicalUrl;
use outcome::UrlState;
use pipeline::{CrawlConfig, CrawlDir, config_file, setup};
use report::{Explainer, Look, Story, Tongue};
use serde_json::Value;

use crate::crawls::Served;
use crate::jobs::alone;

/// Columns of the story as text.
const COLUMNS: usize = 96;

/// A story.
#[derive(Debug)]
pub(crate) struct Told {
    /// Whether the crawl knows the URL.
    pub(crate) is_known: bool,
    /// The URL in its canonical form.
    pub(crate) url: String,
    /// The story in a sentence.
    pub(crate) summary: String,
    /// The story as data.
    pub(crate) story: Value,
    /// What the topic's model says of it.
    pub(crate) focus: Option<Value>,
    /// The story in words.
    pub(crate) text: String,
    /// The same in a few lines, in the language that was asked for.
    pub(crate) short: String,
}

/// Why there is no story.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoStory {
    /// What was asked for is no URL of a crawl.
    #[error("{0}")]
    NotAUrl(String),
    /// The crawl cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// Another story is being told.
    #[error("another URL is being explained: ask again in a moment")]
    Busy,
}

fn unreadable(error: impl std::fmt::Display) -> NoStory {
    NoStory::Unreadable(error.to_string())
}

/// Every record that can be read; an archive that cannot be read gives none.
pub(crate) fn records(dir: &CrawlDir) -> impl Iterator<Item = Record> + use<> {
    let replay = archive::replay(&dir.archive(), Position::START).ok();
    let replayed = replay.into_iter().flatten().map_while(Result::ok);
    replayed.filter_map(|replayed| match replayed {
        Replayed::Record { record, .. } => Some(record),
        Replayed::Damage(_) => None,
    })
}

/// Tells the story of a URL.
pub(crate) fn tell(crawl: &Served, typed: &str, tongue: Tongue) -> Result<Told, NoStory> {
    let _alone = alone(&crawl.telling).ok_or(NoStory::Busy)?;
    let dir = crawl.follower.dir();
    let config = config_file::kept(&dir.config()).map_err(unreadable)?;
    let mut meant = meant(&config, typed)?;
    // Of a URL that nobody knows the scheme is that of its host's other pages.
    let view = crawl.follower.view();
    let has_host = |url: &CanonicalUrl| {
        let scheme = url.as_str().split("://").next().unwrap_or_default();
        let start = format!("{scheme}://{}/", url.host());
        view.rows.iter().any(|row| row.url.starts_with(&start))
    };
    if let [first, second] = meant.as_slice()
        && !has_host(first)
        && has_host(second)
    {
        meant.reverse();
    }
    drop(view);
    let (url, mut story) = as_known(dir, meant);
    if matches!(story.state, UrlState::NeverSeen | UrlState::LeftOut) {
        let rules = LeftOut::read(records(dir), &config).map_err(unreadable)?;
        let why = match story.state == UrlState::NeverSeen {
            true => rules.never_found(&url),
            false => rules.left_out(&url, story.found.iter()),
        };
        story.summary = format!("{} {why}", story.summary);
    }
    add_links(
        dir,
        &mut story,
        config.topic.as_ref().map_or(0.5, |topic| topic.threshold),
    );
    let archived = dir.texts();
    let text = |at: &BodyRef| archived.text(at);
    let focus = match setup::focus_config(&config).map_err(unreadable)? {
        Some(topic) => Why::of(records(dir), &text, &topic, &story).map_err(unreadable)?,
        None => None,
    };
    tell_unread(&archived);
    let texts = texts(crawl, &pages_of(&story));
    let text_of = |page: u64| texts.get(&page).cloned();
    let look = Look {
        columns: COLUMNS,
        ..Look::default()
    };
    let mut told = report::explain::render(&story, look, &text_of);
    for line in focus.iter().flat_map(Why::lines) {
        told.push_str(&line);
        told.push('\n');
    }
    Ok(Told {
        is_known: story.state != UrlState::NeverSeen,
        url: url.to_string(),
        summary: story.summary.clone(),
        story: serde_json::to_value(&story).map_err(unreadable)?,
        focus: focus.as_ref().map(Why::json),
        text: told,
        short: report::explain::render_short(&story, Look { tongue, ..look }),
    })
}

/// A URL that was typed, as the crawl writes it.
pub(crate) fn canonical(crawl: &Served, typed: &str) -> Result<String, NoStory> {
    let config = config_file::kept(&crawl.follower.dir().config()).map_err(unreadable)?;
    let meant = meant(&config, typed)?;
    let view = crawl.follower.view();
    let known = meant
        .iter()
        .find(|url| view.rows.url(url.as_str()).is_some());
    Ok(known.unwrap_or(&meant[0]).to_string())
}

/// What a typed URL may mean, as the crawl writes it; at least one.
fn meant(config: &CrawlConfig, typed: &str) -> Result<Vec<CanonicalUrl>, NoStory> {
    let canonicaliser = setup::canonicaliser(config);
    let read = |text: &str| {
        let url = url::Url::parse(text)
            .map_err(|error| NoStory::NotAUrl(format!("this is no absolute URL: {error}")))?;
        let url = canonicaliser.canonical(&url);
        url.map_err(|error| NoStory::NotAUrl(format!("{error}: such a URL is never crawled")))
    };
    let meanings = frontier::meanings_of_typed(typed);
    meanings.iter().map(|url| read(url)).collect()
}

/// The first of these URLs that the crawl knows, else the first, with its story.
fn as_known(dir: &CrawlDir, urls: Vec<CanonicalUrl>) -> (CanonicalUrl, Story) {
    let mut told: Vec<Explainer> = urls
        .iter()
        .map(|url| Explainer::new(url.as_str()))
        .collect();
    for record in records(dir) {
        for explainer in &mut told {
            explainer.add(&record);
        }
    }
    let mut stories: Vec<_> = urls
        .into_iter()
        .zip(told.into_iter().map(Explainer::finish))
        .collect();
    let known = stories
        .iter()
        .position(|(_, story)| story.state != UrlState::NeverSeen);
    stories.swap_remove(known.unwrap_or(0))
}

/// Adds what only other passes over the journal tell.
fn add_links(dir: &CrawlDir, story: &mut Story, threshold: f32) {
    if let Some(page) = story.cluster() {
        story.original = report::original_of(|| records(dir), page);
    }
    let (own, parent) = story.pages_with_links();
    let pages: Vec<u64> = own.into_iter().chain(parent).collect();
    for led in report::explain::led(|| records(dir), &pages, threshold) {
        match own == Some(led.page) {
            true => story.led = Some(led),
            false => story.siblings = Some(led),
        }
    }
}

/// The pages whose texts the story may compare.
fn pages_of(story: &Story) -> BTreeSet<u64> {
    let decisions = story.decisions.iter();
    let near =
        |decision: &report::explain::Decision| decision.nearest.as_ref().map(|near| near.page);
    decisions
        .flat_map(|decision| [Some(decision.page), near(decision)])
        .flatten()
        .collect()
}

fn texts(crawl: &Served, pages: &BTreeSet<u64>) -> BTreeMap<u64, String> {
    pages
        .iter()
        .filter_map(|page| Some((*page, text_of(crawl, *page)?)))
        .collect()
}

/// The main text of a page, as archived, else extracted again from its archived body.
pub(crate) fn text_of(crawl: &Served, page: u64) -> Option<String> {
    let (place, number) = {
        let view = crawl.follower.view();
        let row = view.rows.page(page)?;
        (row.place, row.page)
    };
    let record = crawl.follower.record(place, number)?;
    let page = match record.event {
        archive::Event::Page(page) => *page,
        archive::Event::Visit(visit) => visit.as_page()?,
        archive::Event::Start(_)
        | archive::Event::Seed(_)
        | archive::Event::Robots(_)
        | archive::Event::Sitemap(_)
        | archive::Event::Attempt(_)
        | archive::Event::Retry(_)
        | archive::Event::Again(_)
        | archive::Event::Elsewhere(_)
        | archive::Event::Stop(_) => return None,
    };
    let texts = crawl.follower.dir().texts();
    let text = page.text.as_ref().and_then(|at| texts.text(at));
    let text = text.or_else(|| documents::body_text(&texts, &page.url, page.body.as_ref()?));
    tell_unread(&texts);
    text
}

/// Tells the log what an answer was made without.
pub(crate) fn tell_unread(texts: &Texts) {
    if let Some(unread) = texts.take_unread() {
        tracing::warn!("{unread}");
    }
}
