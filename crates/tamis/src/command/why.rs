//! Why a focused crawl fetched a URL when it did, and why it judged its page as it did.
//!
//! The model is a view over the journal: it is brought to where it was before the URL's record, and
//! asked again.

use std::collections::HashMap;

use focus::{Promise, Relevance};
use pipeline::focus_view::FocusView;
use pipeline::{CrawlConfig, CrawlDir, setup};
use serde_json::json;

use super::{crawl_error, journal};
use crate::output::Output;

/// Reasons of a promise that are told to people.
const REASONS_SHOWN: usize = 10;

/// What the model said of a URL when its turn came, and of its page.
pub struct Why {
    priority: f32,
    promise: Option<Promise>,
    relevance: Option<Relevance>,
}

impl Why {
    /// Asks the model as it was before a record; `None` for a crawl without a topic.
    ///
    /// # Errors
    /// When the journal or the topic cannot be read.
    pub fn of(dir: &CrawlDir, config: &CrawlConfig, seq: u64) -> anyhow::Result<Option<Why>> {
        let Some(topic) = setup::focus_config(config).map_err(crawl_error)? else {
            return Ok(None);
        };
        let mut focus = FocusView::new(&topic).map_err(crawl_error)?;
        let mut examples = HashMap::new();
        for record in journal::records(dir)? {
            match &record.event {
                archive::Event::Seed(seed) => {
                    examples.extend(seed.example.map(|on_topic| (seed.url.clone(), on_topic)));
                }
                archive::Event::Page(page) => {
                    let text = || page.text.as_ref().and_then(|at| journal::text(dir, at));
                    if record.seq == seq {
                        let (promise, relevance) = focus.why(page, &text().unwrap_or_default());
                        let priority = page.priority;
                        return Ok(Some(Why {
                            priority,
                            promise,
                            relevance,
                        }));
                    }
                    focus.replay(record.seq, page, &examples, text);
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// As JSON: `priority`, `promise` and `relevance`, each with its reasons in log-odds.
    pub fn json(&self) -> serde_json::Value {
        let promise = self.promise.as_ref().map(|promise| {
            let why = promise.why.iter().map(|(what, part)| (*what, *part));
            json!({
                "relevant": promise.relevant,
                "leads_on": promise.hub,
                "explored": promise.explored,
                "why": reasons(why),
            })
        });
        let relevance = self.relevance.as_ref().map(|relevance| {
            let why = relevance.why.iter();
            json!({
                "probability": relevance.probability,
                "why": reasons(why.map(|(what, part)| (what.as_str(), *part))),
            })
        });
        json!({"priority": self.priority, "promise": promise, "relevance": relevance})
    }

    /// As lines for people.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn tell(&self, output: &Output) -> std::io::Result<()> {
        if let Some(promise) = &self.promise {
            let explored = if promise.explored {
                "; tried since little was known of its kind"
            } else {
                ""
            };
            output.line(format!(
                "\nWhy its turn came at priority {:.2}: the chance to be relevant was {:.2}, to lead on {:.2}{explored}",
                self.priority, promise.relevant, promise.hub,
            ))?;
            for (what, log_odds) in promise.why.iter().take(REASONS_SHOWN) {
                output.line(format!("  {log_odds:>+6.2}  {what}"))?;
            }
        }
        if let Some(relevance) = &self.relevance {
            output.line(format!(
                "\nWhat came of it: relevance {:.2}",
                relevance.probability
            ))?;
            for (what, log_odds) in &relevance.why {
                output.line(format!("  {log_odds:>+6.2}  {what}"))?;
            }
        }
        Ok(())
    }
}

fn reasons<'w>(why: impl Iterator<Item = (&'w str, f32)>) -> Vec<serde_json::Value> {
    why.map(|(what, log_odds)| json!({"what": what, "log_odds": log_odds}))
        .collect()
}
