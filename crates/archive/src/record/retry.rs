//! URLs that are put back into the queue.

use outcome::{JunkReason, OutcomeKind};
use serde::{Deserialize, Serialize};

use super::{is_false, is_zero};

/// URLs put back into the queue: by hand, or because what was refused was refused wrongly.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "RetryFields")]
pub struct RetryRecord {
    /// Canonical URLs.
    pub urls: Vec<String>,
    /// Where each of `urls` came from and how it had ended, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<RetryOrigin>,
    /// What was asked for, in words.
    pub filter: String,
    /// The rule that was found wrong, where that put the URLs back; none where somebody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_rule: Option<String>,
}

impl RetryRecord {
    /// The `filter` of URLs to which a redirect has led back.
    pub const LED_BACK: &str = "a redirect led back";
    /// The `filter` of URLs that come in since a smaller budget had left them out.
    pub const BUDGET_RAISED: &str = "a budget was raised";
    /// The `filter` of URLs that have shown no page yet and that a round asks for once more.
    pub const COMES_BACK: &str = "a round asks once more";
    /// The `filter` of URLs whose host limits how often it is asked, by answers that do not say so.
    pub const LIMITED: &str = "its host limits";
    /// Begins `filter` for a rule that was found wrong.
    const WRONG_RULE: &str = "a rule was wrong: ";

    /// Whether somebody asked for the URLs.
    pub fn is_by_hand(&self) -> bool {
        let of_the_crawl = [
            Self::LED_BACK,
            Self::BUDGET_RAISED,
            Self::COMES_BACK,
            Self::LIMITED,
        ];
        let is_of_the_crawl = of_the_crawl.contains(&self.filter.as_str());
        self.wrong_rule.is_none() && !is_of_the_crawl
    }

    /// A record of URLs that were refused for a rule that was found wrong.
    pub fn for_wrong_rule(rule: &str, urls: Vec<String>, origins: Vec<RetryOrigin>) -> Self {
        Self {
            urls,
            origins,
            filter: format!("{}{rule}", Self::WRONG_RULE),
            wrong_rule: Some(rule.to_owned()),
        }
    }
}

/// A [`RetryRecord`] as it is read. Older writers had no `wrong_rule`: the rule stood in `filter`.
#[derive(Deserialize)]
struct RetryFields {
    urls: Vec<String>,
    #[serde(default)]
    origins: Vec<RetryOrigin>,
    filter: String,
    #[serde(default)]
    wrong_rule: Option<String>,
}

impl From<RetryFields> for RetryRecord {
    fn from(fields: RetryFields) -> Self {
        let RetryFields {
            urls,
            origins,
            filter,
            wrong_rule,
        } = fields;
        let of_filter = || Some(filter.strip_prefix(Self::WRONG_RULE)?.to_owned());
        let wrong_rule = wrong_rule.or_else(of_filter);
        Self {
            urls,
            origins,
            filter,
            wrong_rule,
        }
    }
}

/// What the queue must know of a URL to take it back, and the counters to take back its fate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RetryOrigin {
    /// How it had ended: failed or refused, redirected, or judged to be none that is kept.
    pub outcome: OutcomeKind,
    /// Why it was not kept, where that was judged: an error page, where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub junk: Option<JunkReason>,
    /// A fetch was made for it, so it counts against the page budget no longer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fetched: bool,
    /// Links from a seed.
    #[serde(default)]
    pub depth: u32,
    /// Number of its seed.
    #[serde(default)]
    pub seed: u32,
    /// Redirects followed to get there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hops: u8,
    /// Record number of the page whose link brought it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<u64>,
    /// Priority it had, 0.0 to 1.0.
    #[serde(default)]
    pub priority: f32,
    /// Context of the link, for the focus model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// A redirect led back to it: that is followed once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub returned: bool,
    /// What to request in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// A budget had left it out where it was found: it was never admitted, and is now.
    #[serde(default, skip_serializing_if = "is_false")]
    pub left_out: bool,
    /// Redirects of a page that was visited again had led to it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub after_visit: bool,
    /// The learnt rules, in words, for which it had been refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// On many machines, the node that had finished it, where that was another one: the counters of this one know
    /// nothing of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u16>,
}
