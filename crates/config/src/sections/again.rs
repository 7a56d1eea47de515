//! `[again]`: coming back to what was read.

use again::GoneRule;

use crate::choice::choice;
use crate::crawl_config::CrawlConfig;
use crate::key::Fault;
use crate::rule::{any, at_least, between};
use crate::section::{Section, keys};
use crate::units::Span;

choice! {
    /// When a crawl comes back.
    pub enum AgainMode {
        /// when it is started with --again
        Once = "once",
        /// at each start
        Round = "round",
        /// all the time: rounds follow each other for as long as the crawl runs
        Continuous = "continuous",
    }
}

keys! {
    /// Coming back to what was read: what is new, what changed, what is gone.
    pub struct AgainSection {
        /// When a round is made.
        mode: AgainMode = AgainMode::Once, any();

        /// A page is visited again no sooner than this after its last visit.
        min: Span = Span::seconds(3_600), any();

        /// A page is visited again no sooner than this either, unless `max` has passed.
        every: Span = Span::seconds(0), any().zero("as soon as it is worth it");

        /// A page is visited again no later than this after it was asked for last, whatever it is worth: such
        /// pages come first, as far as `budget` and the crawl's starts allow.
        max: Span = Span::seconds(90 * 86_400), at_least(Span::seconds(1));

        /// In continuous mode a round is planned so often, at most.
        replan: Span = Span::seconds(600), at_least(Span::seconds(1));

        /// Feeds (RSS, Atom, JSON Feed) that seeds and front pages name are read for their links.
        feeds: bool = true, any();

        /// Visits of one round at most, the most valuable first.
        budget: u64 = 0, any().unit("visits").zero("no limit");

        /// Answers without a page after which the next one makes it gone.
        gone_answers: u32 = GoneRule::default().answers, between(1, 100).unit("answers");

        /// The time between two such answers that count.
        gone_apart: Span = Span::seconds(86_400), any();
    }
}

impl Section for AgainSection {
    fn contradictions(&self) -> Vec<Fault> {
        // A `max` below the usual `min` says of itself what is wanted.
        let is_own = self.min != Self::default().min;
        let fault = || {
            Fault::new(
                &["max", "min"],
                format!("again.max ({}) is below again.min ({})", self.max, self.min),
                "a page is visited no sooner than min and no later than max: choose min <= max",
            )
        };
        (is_own && self.max < self.min)
            .then(fault)
            .into_iter()
            .collect()
    }
}

impl AgainSection {
    /// When a page is gone.
    pub fn gone_rule(&self) -> GoneRule {
        GoneRule {
            answers: self.gone_answers,
            apart_ms: u64::try_from(self.gone_apart.0.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl CrawlConfig {
    /// When a page is gone.
    pub fn gone_rule(&self) -> GoneRule {
        let usual = AgainSection::default();
        self.again.as_ref().unwrap_or(&usual).gone_rule()
    }
}
