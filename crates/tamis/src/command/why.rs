//! Why a focused crawl fetched a URL when it did, and why it judged its page as it did.
//!
//! The model is a view over the journal: it is brought to where it was when the link was found, then
//! to where it was before the URL's record, and asked again. A URL that waits is asked about as
//! things stand now.

use archive::{Event, LinkRecord, PageRecord};
use focus::{LinkFeatures, LinkScore, Relevance};
use frontier::{CanonicalUrl, FrontierError};
use outcome::{LinkFate, UrlState};
use pipeline::{CrawlConfig, CrawlDir, setup};
use report::Story;
use serde_json::json;
use state::context::{UrlContext, decode};
use state::focus_view::Waiting;
use state::{Examples, FocusView, Lent};

use super::{crawl_error, journal};
use crate::exit::usage;
use crate::output::Output;

/// Reasons of a promise that are told to people.
const REASONS_SHOWN: usize = 10;

/// What the model says of a URL and of its page.
#[derive(Default)]
pub struct Why {
    found: Option<Found>,
    /// The priority in the journal when its turn came; absent for a URL that waits.
    priority: Option<f32>,
    promise: Option<LinkScore>,
    relevance: Option<Relevance>,
    /// What the link model was told that the link was worth.
    reward: Option<f32>,
}

/// The link that brought the URL in.
struct Found {
    from: String,
    promised: f32,
    promise: LinkScore,
}

/// The crawl up to a record.
struct Rerun<'d> {
    dir: &'d CrawlDir,
    focus: FocusView,
    examples: Examples,
    /// The URL that is asked about, once a link brought it in.
    asked: Asked,
}

/// The URL that is asked about, as it waits.
struct Asked {
    url: String,
    context: Option<Vec<u8>>,
}

impl Waiting for Asked {
    fn context_of(&self, url: &CanonicalUrl) -> Option<Vec<u8>> {
        self.context.clone().filter(|_| url.as_str() == self.url)
    }

    fn amend(&mut self, _: &CanonicalUrl, context: Vec<u8>, _: f32) -> Result<(), FrontierError> {
        self.context = Some(context);
        Ok(())
    }
}

impl Asked {
    fn features(&self) -> Option<LinkFeatures> {
        let context = UrlContext::from_bytes(self.context.as_deref()?);
        LinkFeatures::from_bytes(&context.features)
    }

    /// Notes the link that brought the URL in.
    fn come_in(&mut self, link: &LinkRecord) {
        let context = UrlContext {
            features: decode(&link.context),
            ..UrlContext::page()
        };
        self.context = Some(context.to_bytes());
    }
}

impl Rerun<'_> {
    fn text(&self, page: &PageRecord) -> Option<String> {
        let at = page.text.as_ref()?;
        journal::text(self.dir, at)
    }

    fn page(&mut self, seq: u64, page: &PageRecord) {
        let text = self.text(page);
        self.examples.follow(page);
        self.focus
            .apply(seq, page, &self.examples, Lent::default(), || text);
    }
}

impl Why {
    /// Asks the model about the URL of a story; `None` for a crawl without a topic, and for a URL
    /// that was never admitted.
    ///
    /// # Errors
    /// When the journal or the topic cannot be read.
    pub fn of(dir: &CrawlDir, config: &CrawlConfig, story: &Story) -> anyhow::Result<Option<Why>> {
        let Some(topic) = setup::focus_config(config).map_err(crawl_error)? else {
            return Ok(None);
        };
        // What was put back into the queue waits, whatever came of it before.
        let waits = story.state == UrlState::Pending;
        let last = story.decisions.last().map(|last| last.page);
        let turn = last.filter(|_| !waits);
        if turn.is_none() && !waits {
            return Ok(None);
        }
        let mut rerun = Rerun {
            dir,
            focus: FocusView::new(&topic).map_err(|error| usage(format!("[topic] {error}")))?,
            examples: Examples::default(),
            asked: Asked {
                url: story.url.clone(),
                context: None,
            },
        };
        let mut why = Why::default();
        for record in journal::records(dir)? {
            let page = match record.event {
                Event::Seed(seed) => {
                    if let Some(on_topic) = seed.example {
                        rerun.examples.add(&seed.url, on_topic);
                    }
                    continue;
                }
                Event::Page(page) => page,
                Event::Start(_)
                | Event::Robots(_)
                | Event::Sitemap(_)
                | Event::Attempt(_)
                | Event::Retry(_)
                | Event::Stop(_) => continue,
            };
            if Some(record.seq) == turn {
                why.at_its_turn(&mut rerun, &page);
                return Ok(Some(why));
            }
            rerun.page(record.seq, &page);
            let new = |link: &&LinkRecord| link.fate == LinkFate::New && link.url == story.url;
            if let Some(link) = page.links.iter().find(new) {
                rerun.asked.come_in(link);
                why.found = rerun.asked.features().map(|features| Found {
                    from: page.url.clone(),
                    promised: link.promise,
                    promise: rerun.focus.promise_of(&features),
                });
            }
            let asked = &mut rerun.asked;
            rerun.focus.apply_links(record.seq, &page, asked)?;
        }
        why.promise = rerun
            .asked
            .features()
            .map(|features| rerun.focus.promise_of(&features));
        Ok(Some(why))
    }

    fn at_its_turn(&mut self, rerun: &mut Rerun<'_>, page: &PageRecord) {
        let text = rerun.text(page).unwrap_or_default();
        // An example is judged when it has been learnt from.
        rerun.focus.apply_example(page, &rerun.examples, &text);
        (self.promise, self.relevance) = rerun.focus.why(page, &text);
        self.priority = Some(page.priority);
        if page.fetch.is_some() {
            self.reward = Some(rerun.focus.reward(page, &text));
        }
    }

    /// As JSON: `priority`, `promise` and `relevance`, each with its reasons in log-odds, what the
    /// link promised when it was `found`, and the `reward` that came of it.
    pub fn json(&self) -> serde_json::Value {
        let relevance = self.relevance.as_ref().map(|relevance| {
            let why = relevance.why.iter();
            json!({
                "probability": relevance.probability,
                "why": reasons(why.map(|(what, part)| (what.as_str(), *part))),
            })
        });
        let found = self.found.as_ref().map(|found| {
            json!({
                "from": found.from,
                "promised": found.promised,
                "promise": promise_json(&found.promise),
            })
        });
        json!({
            "found": found,
            "priority": self.priority,
            "promise": self.promise.as_ref().map(promise_json),
            "relevance": relevance,
            "reward": self.reward,
        })
    }

    /// As lines for people.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn tell(&self, output: &Output) -> std::io::Result<()> {
        if let Some(found) = &self.found {
            output.line(format!(
                "\nWhy the link promised {:.2} when it was found, on {}",
                found.promised, found.from
            ))?;
            tell_promise(&found.promise, output)?;
        }
        match (&self.promise, self.priority) {
            (Some(promise), Some(priority)) => {
                output.line(format!("\nWhy its turn came at priority {priority:.2}"))?;
                tell_promise(promise, output)?;
            }
            (Some(promise), None) => {
                output.line(format!(
                    "\nWhy it waits: by all that is known now its links promise {:.2}",
                    promise.score
                ))?;
                tell_promise(promise, output)?;
            }
            (None, Some(priority)) => output.line(format!(
                "\nNo link was weighed for it: its turn came at the priority it was given, {priority:.2}"
            ))?,
            (None, None) => {}
        }
        if let Some(reward) = self.reward {
            output.line(match &self.relevance {
                Some(relevance) => format!(
                    "\nWhat came of it: relevance {:.2}; the link model was told {reward:.2}",
                    relevance.probability
                ),
                None => {
                    format!("\nWhat came of it: no page; the link model was told {reward:.2}")
                }
            })?;
        }
        if let Some(relevance) = &self.relevance {
            let why = relevance
                .why
                .iter()
                .map(|(what, part)| (what.as_str(), *part));
            tell_reasons(why, relevance.probability, output)?;
        }
        if self.promise.is_some() || self.relevance.is_some() {
            output.line(
                "\nNumbers with a sign are log-odds: above 0 speaks for it, below 0 against.",
            )?;
            output.line(
                "The model is rebuilt from the journal, and may differ a little from the crawl's.",
            )?;
        }
        Ok(())
    }
}

fn tell_promise(promise: &LinkScore, output: &Output) -> std::io::Result<()> {
    output.line(format!(
        "  {:.2} by the model: {:.2} to be relevant and new, and a share of {:.2} to lead to such pages{}",
        promise.score,
        promise.relevant,
        promise.hub,
        match promise.explored {
            true => "; lifted, since little was known of its kind",
            false => "",
        }
    ))?;
    tell_reasons(promise.why.iter().copied(), promise.relevant, output)
}

/// The strongest reasons, what the others come to, and the sum.
fn tell_reasons<'w>(
    why: impl Iterator<Item = (&'w str, f32)>,
    chance: f32,
    output: &Output,
) -> std::io::Result<()> {
    let sum = (chance / (1.0 - chance)).ln();
    let mut shown = 0.0;
    for (what, log_odds) in why.take(REASONS_SHOWN) {
        output.line(format!("  {log_odds:>+6.2}  {what}"))?;
        shown += log_odds;
    }
    if !sum.is_finite() {
        return Ok(());
    }
    if (sum - shown).abs() >= 0.01 {
        output.line(format!("  {:>+6.2}  all else", sum - shown))?;
    }
    output.line(format!("  {sum:>+6.2}  in all: a chance of {chance:.2}"))
}

fn promise_json(promise: &LinkScore) -> serde_json::Value {
    json!({
        "score": promise.score,
        "relevant": promise.relevant,
        "leads_on": promise.hub,
        "explored": promise.explored,
        "why": reasons(promise.why.iter().copied()),
    })
}

fn reasons<'w>(why: impl Iterator<Item = (&'w str, f32)>) -> Vec<serde_json::Value> {
    why.map(|(what, log_odds)| json!({"what": what, "log_odds": log_odds}))
        .collect()
}
