//! Why a focused crawl fetched a URL when it did, and why it judged its page as it did.
//!
//! The model is a view over the journal: it is brought to where it was when the link was found, then
//! to where it was before the URL's record, and asked again. A URL that waits is asked about as
//! things stand now.

use archive::{BodyRef, ElsewhereRecord, Event, LinkRecord, PageRecord, Record, VisitRecord};
use focus::{FocusConfig, LinkFeatures, LinkScore, Relevance};
use frontier::{CanonicalUrl, FrontierError};
use outcome::{LinkFate, UrlState};
use report::Story;
use serde_json::json;
use state::context::{UrlContext, decode};
use state::focus_view::Waiting;
use state::{Examples, FocusView, Lent};

use crate::ExplainError;

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

/// Reads an archived text.
type Text<'t> = &'t dyn Fn(&BodyRef) -> Option<String>;

/// The crawl up to a record.
struct Rerun<'t> {
    text: Text<'t>,
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
        page.text.as_ref().and_then(self.text)
    }

    fn page(&mut self, seq: u64, page: &PageRecord) {
        let text = self.text(page);
        self.examples.follow(page);
        self.focus
            .apply(seq, page, &self.examples, Lent::default(), || text);
        self.examples.note_read(page);
    }

    fn elsewhere(&mut self, elsewhere: &ElsewhereRecord) {
        for target in &elsewhere.led_to {
            self.examples.add(&target.url, target.on_topic);
        }
        for example in &elsewhere.examples {
            if self.examples.note_elsewhere(&example.url) {
                self.focus.learn_from_elsewhere(example);
            }
        }
    }
}

impl Why {
    /// Asks the model of a crawl about the URL of a story; `None` for a URL that was never admitted.
    /// `records` are the crawl's, from the first on; `text` reads what they point to.
    ///
    /// # Errors
    /// When the topic is wrong.
    pub fn of(
        records: impl Iterator<Item = Record>,
        text: Text<'_>,
        topic: &FocusConfig,
        story: &Story,
    ) -> Result<Option<Why>, ExplainError> {
        // What was put back into the queue waits, whatever came of it before.
        let waits = story.state == UrlState::Pending;
        let last = story.decisions.last().map(|last| last.page);
        let turn = last.filter(|_| !waits);
        if turn.is_none() && !waits {
            return Ok(None);
        }
        let mut rerun = Rerun {
            text,
            focus: FocusView::new(topic)?,
            examples: Examples::default(),
            asked: Asked {
                url: story.url.clone(),
                context: None,
            },
        };
        let mut why = Why::default();
        for record in records {
            let page = match record.event {
                Event::Seed(seed) => {
                    if let Some(on_topic) = seed.example {
                        rerun.examples.add(&seed.url, on_topic);
                    }
                    continue;
                }
                Event::Page(page) => page,
                Event::Visit(visit) => {
                    if Some(record.seq) == turn {
                        why.at_its_visit(&mut rerun, &visit);
                        return Ok(Some(why));
                    }
                    // The crawl learns nothing from visits, but they bring URLs in.
                    why.found_on(&mut rerun, visit.page.as_deref(), &story.url);
                    continue;
                }
                Event::Start(_)
                | Event::Robots(_)
                | Event::Sitemap(_)
                | Event::Attempt(_)
                | Event::Retry(_)
                | Event::Again(_)
                | Event::Stop(_) => continue,
                Event::Elsewhere(elsewhere) => {
                    rerun.elsewhere(&elsewhere);
                    continue;
                }
            };
            if Some(record.seq) == turn {
                why.at_its_turn(&mut rerun, &page);
                return Ok(Some(why));
            }
            rerun.page(record.seq, &page);
            why.found_on(&mut rerun, Some(&page), &story.url);
            let asked = &mut rerun.asked;
            rerun.focus.learn_links(record.seq, &page);
            rerun.focus.amend_waiting(record.seq, &page, asked)?;
        }
        why.promise = rerun
            .asked
            .features()
            .map(|features| rerun.focus.promise_of(&features));
        Ok(Some(why))
    }

    /// Notes the link that brought the URL in, where it stands on this page.
    fn found_on(&mut self, rerun: &mut Rerun<'_>, page: Option<&PageRecord>, url: &str) {
        let Some(page) = page else { return };
        let new = |link: &&LinkRecord| link.fate == LinkFate::New && link.url == url;
        if let Some(link) = page.links.iter().find(new) {
            rerun.asked.come_in(link);
            self.found = rerun.asked.features().map(|features| Found {
                from: page.url.clone(),
                promised: link.promise,
                promise: rerun.focus.promise_of(&features),
            });
        }
    }

    /// A visit found another version: why that was judged so. What brought the URL in is as it was.
    fn at_its_visit(&mut self, rerun: &mut Rerun<'_>, visit: &VisitRecord) {
        if let Some(page) = visit.version() {
            let text = rerun.text(page).unwrap_or_default();
            self.relevance = rerun.focus.why(page, &text).1;
        }
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

    /// As lines for people; empty when there is nothing to tell.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(found) = &self.found {
            lines.push(format!(
                "\nWhy the link promised {:.2} when it was found, on {}",
                found.promised, found.from
            ));
            tell_promise(&found.promise, &mut lines);
        }
        self.tell_turn(&mut lines);
        if let Some(reward) = self.reward {
            lines.push(match &self.relevance {
                Some(relevance) => format!(
                    "\nWhat came of it: relevance {:.2}; the link model was told {reward:.2}",
                    relevance.probability
                ),
                None => {
                    format!("\nWhat came of it: no page; the link model was told {reward:.2}")
                }
            });
        }
        if let Some(relevance) = &self.relevance {
            let why = relevance
                .why
                .iter()
                .map(|(what, part)| (what.as_str(), *part));
            tell_reasons(why, relevance.probability, &mut lines);
        }
        if self.promise.is_some() || self.relevance.is_some() {
            lines.push(
                "\nNumbers with a sign are log-odds: above 0 speaks for it, below 0 against."
                    .into(),
            );
            lines.push(
                "The model is rebuilt from the journal, and may differ a little from the crawl's."
                    .into(),
            );
        }
        lines
    }

    /// Why its turn came, or why it waits.
    fn tell_turn(&self, lines: &mut Vec<String>) {
        match (&self.promise, self.priority) {
            (Some(promise), Some(priority)) => {
                lines.push(format!("\nWhy its turn came at priority {priority:.2}"));
                tell_promise(promise, lines);
            }
            (Some(promise), None) => {
                lines.push(format!(
                    "\nWhy it waits: by all that is known now its links promise {:.2}",
                    promise.score
                ));
                tell_promise(promise, lines);
            }
            (None, Some(priority)) => lines.push(format!(
                "\nNo link was weighed for it: its turn came at the priority it was given, {priority:.2}"
            )),
            (None, None) => {}
        }
    }
}

fn tell_promise(promise: &LinkScore, lines: &mut Vec<String>) {
    lines.push(format!(
        "  {:.2} by the model: {:.2} to be relevant and new, and a share of {:.2} to lead to such pages{}",
        promise.score,
        promise.relevant,
        promise.hub,
        match promise.explored {
            true => "; lifted, since little was known of its kind",
            false => "",
        }
    ));
    if promise.kept < 1.0 {
        lines.push(format!(
            "  of which {:.0} % is left: of links like it (same host, URL form, page) only {:.0} % led to a page of late",
            100.0 * promise.kept,
            100.0 * promise.answers
        ));
    }
    let experts = promise.experts.iter();
    let experts =
        experts.map(|(name, chance, weight)| format!("{name} {chance:.2} (weight {weight:.2})"));
    let experts: Vec<String> = experts.collect();
    lines.push(format!(
        "  relevant and new, by each expert: {}",
        experts.join(", ")
    ));
    lines.push("  what the learnt one says, in log-odds:".to_owned());
    tell_reasons(promise.why.iter().copied(), promise.learnt, lines);
}

/// The strongest reasons, what the others come to, and the sum.
fn tell_reasons<'w>(
    why: impl Iterator<Item = (&'w str, f32)>,
    chance: f32,
    lines: &mut Vec<String>,
) {
    let sum = (chance / (1.0 - chance)).ln();
    let mut shown = 0.0;
    for (what, log_odds) in why.take(REASONS_SHOWN) {
        lines.push(format!("  {log_odds:>+6.2}  {what}"));
        shown += log_odds;
    }
    if !sum.is_finite() {
        return;
    }
    if (sum - shown).abs() >= 0.01 {
        lines.push(format!("  {:>+6.2}  all else", sum - shown));
    }
    lines.push(format!("  {sum:>+6.2}  in all: a chance of {chance:.2}"));
}

fn promise_json(promise: &LinkScore) -> serde_json::Value {
    json!({
        "score": promise.score,
        "relevant": promise.relevant,
        "leads_on": promise.hub,
        "answers": promise.answers,
        "kept_for_answers": promise.kept,
        "explored": promise.explored,
        "learnt": promise.learnt,
        "experts": promise.experts.iter().map(|(name, chance, weight)| {
            json!({"name": name, "chance": chance, "weight": weight})
        }).collect::<Vec<_>>(),
        "why": reasons(promise.why.iter().copied()),
    })
}

fn reasons<'w>(why: impl Iterator<Item = (&'w str, f32)>) -> Vec<serde_json::Value> {
    why.map(|(what, log_odds)| json!({"what": what, "log_odds": log_odds}))
        .collect()
}
