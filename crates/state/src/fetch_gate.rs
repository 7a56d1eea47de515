//! The fetch gate: is a URL that may be fetched worth the request?
//!
//! The gate is asked before a URL is fetched. What it answers follows from rules learnt from pages,
//! and a rule is a guess. How much a guess may decide is the user's choice, for each kind of rule
//! ([`Learnt`]):
//!
//! - *off*: the rule decides nothing;
//! - *hold back*: its URLs wait until all else is done, and are fetched then while the budget lasts.
//!   Four in five, drawn by their URL, are fetched in any case: they are the sample that tells how
//!   often the rule errs. The fifth is refused only if not one of the sample was a page of its own,
//!   and if by its size less than one page is lost with a confidence of 95 % ([`outcome::RuleLoss`]).
//!   A copy of a page that led to new pages, other than its own copies, is never refused: what a mirror has
//!   of its own may be found through its lists alone. So whatever was found through a page is found through its copy;
//! - *last*: its URLs wait in the same way, but for one in twenty, and all are fetched then. So it is with
//!   what yields next to nothing, or much less than its host does, in a crawl that never stops for want of
//!   harvest: since nothing is lost by it, a dozen answers are enough;
//! - *refuse*: its URLs are refused, those of duplicates once the original was read, and one in
//!   twenty is fetched all the same.
//!
//! In whichever way: when a URL that a rule would have refused turns out to be a page of its own, all
//! that was refused for this rule is put back into the queue (a `retry` record in the journal says
//! so), and from then on the rule only holds back.
//!
//! URLs are compared by their normalized form, without the parameters that the frontier has found to
//! change nothing: copies on a mirror often differ in a session id as well. Where such a parameter has
//! opaque values, a page is fetched under two of them; if the texts are equal, its further spellings
//! are refused, whatever becomes of other pages. Else session ids would make a site endless. So it is with the
//! order of parameters, of which a set of filters has many: in a second order a page is never refused
//! unread, only held back, and once order has mattered for any page, no order is refused.
//!
//! The same holds for values that are URLs of the site and lead nowhere, such as that of a login form
//! for the way back (`idle_values`): without it half of a budget went to one form. And for what is done to a page that
//! another URL shows, as reports and replies are (`deeds`).
//!
//! A link to a file, by its ending, is a guess of this kind as well (`files`): while links to files
//! of its host led to no pages it waits until all else is done, and once it is sure that hardly any does, it
//! is refused, but for one in twenty (*sample*).
//!
//! In a crawl with a topic, hosts and parts of hosts that have yielded next to nothing for it are
//! rules of the same kind.
//!
//! All of it follows from records alone, in their order.

use std::collections::{HashMap, HashSet};

use archive::RetryRecord;
use focus::{UrlDedupConfig, UrlDedupRules};
use frontier::{CanonicalUrl, HeldBack, HostKey, ORDER, Permission, Refused, UrlNormalizer};
use outcome::{LearntLosses, LowYield, PredictionCause, Refusal, of_compared};
use recent::{RecentMap, RecentSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::deeds::Deeds;
use crate::files::FileLinks;
use crate::idle_values::IdleValues;
use crate::policy::{Learnt, LearntPolicy};
use crate::read_urls::ReadUrls;
use crate::refused::{Refused as RefusedFor, RefusedUrls};
use crate::saved::{hashes, json};

/// Hosts that are stopped at most; of more, those of which no page was read for longest are forgotten.
const STOPPED_MAX: usize = 100_000;

/// Pages that are known to be the same under two values. Of more, those compared longest ago are
/// forgotten, and each spelling is fetched.
const COMPARED_MAX: usize = 4_000_000;

/// Pages of which it is not known yet what they led to, some 150 bytes each. Of more, the oldest count neither way.
const WAYS_MAX: usize = 50_000;

/// URLs that a page led to, after which it is said that none of them is kept.
const LED_MAX: usize = 3;

/// New URLs of a page that are looked at.
const NEW_SEEN_MAX: usize = 200;

/// Pages that gave nothing under one value of an opaque parameter. Of more, those read longest ago are forgotten, and asked
/// for under two more.
const NOTHING_MAX: usize = 400_000;

/// The share of what a rule refuses that is fetched all the same.
const PROBED_SHARE: f32 = 0.05;

/// Where so many values that lead nowhere were refused without a probe, one is due: then so large a share of
/// them is fetched, until one is read.
const PROBE_DUE: u64 = 20;
const FIRST_PROBED_SHARE: f32 = 0.25;

/// The share of what is held back that may be refused. At a fifth, a sample without a page of its
/// own bounds the loss at 0.75 pages; at a quarter the bound is one page and nothing is refused. Of
/// one page of its own under a rule, a fifth of all crawls lose it, of two pages one in 25 loses both.
const REFUSABLE_SHARE: f32 = 0.2;

/// The bound on the pages that a rule may lose, below which it refuses what it holds back.
const LOSS_MAX: f64 = 1.0;

/// A rule that one name stands for another refuses from this confidence on: after some 53 pairs without a page
/// of its own. Where one in twenty is, fifty pairs in a row happen once in thirteen crawls, and probes go on.
const NAMES_CONFIDENCE_MIN: f32 = 0.97;

/// What the pages so far say of URLs not fetched yet.
#[derive(Debug, Serialize, Deserialize)]
pub struct FetchGate {
    rules: UrlDedupRules,
    #[serde(skip, default = "LearntPolicy::none")]
    learnt: LearntPolicy,
    /// For the draws.
    seed: u64,
    /// URLs that the user gave or asked for again: they are fetched.
    #[serde(with = "hashes")]
    given: HashSet<u64>,
    /// What was read.
    read: ReadUrls,
    /// The pages among them that led to new URLs.
    leading: ReadUrls,
    /// Values that lead nowhere.
    values: IdleValues,
    /// Deeds that lead nowhere.
    deeds: Deeds,
    /// Pages that were the same under two values of an opaque parameter, by their URLs without such ones.
    compared: RecentSet<u64>,
    /// What gave nothing under one value of such a parameter, in the same way, with the URL.
    nothing: RecentMap<u64, u64>,
    /// Pages that are not kept and brought in URLs none of which was kept so far, by the numbers of their records.
    ways: RecentMap<u64, Way>,
    /// What links to files led to.
    files: FileLinks,
    /// Hosts that yield nothing, and why that is said.
    stopped: RecentMap<String, String>,
    /// What rules refused, and what probes found.
    #[serde(with = "json")]
    losses: LearntLosses,
    /// URLs that were refused for rules and not put back since.
    refused: RefusedUrls,
    /// Rules found wrong whose URLs were not put back yet.
    wrong: Vec<String>,
}

/// A page that is not kept, and what it led to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Way {
    url: Box<str>,
    /// URLs that it led to whose end it waits for, before it passes for one that led to nothing.
    open: u8,
}

/// What the rules say of a URL.
#[derive(Debug)]
struct Foreseen {
    refusal: Refusal,
    mode: Learnt,
    /// From 0.0 to below 1.0, drawn for the page that the URL leads to.
    draw: f32,
    /// Of what is refused whatever the mode: whether this URL is a probe.
    is_probe: Option<bool>,
    /// Whether the original was read; true where there is none.
    original_is_read: bool,
    /// Whether enough is known to refuse it; asked of what is sampled alone.
    is_sure: bool,
}

/// By which rules a URL would have been refused.
#[derive(Debug, Default)]
pub(crate) struct ForeseenBy {
    /// The page that it was predicted to repeat.
    pub(crate) original: Option<String>,
    pub(crate) rules: Vec<String>,
    pub(crate) compared: bool,
    pub(crate) nothing: bool,
}

impl FetchGate {
    /// Knows nothing yet.
    pub fn new(seed: u64, learnt: LearntPolicy) -> Self {
        Self {
            rules: UrlDedupRules::new(&UrlDedupConfig {
                seed,
                ..UrlDedupConfig::default()
            }),
            learnt,
            seed,
            given: HashSet::new(),
            read: ReadUrls::default(),
            leading: ReadUrls::default(),
            values: IdleValues::default(),
            deeds: Deeds::default(),
            compared: RecentSet::with_max(COMPARED_MAX),
            nothing: RecentMap::with_max(NOTHING_MAX),
            ways: RecentMap::with_max(WAYS_MAX),
            files: FileLinks::default(),
            stopped: RecentMap::with_max(STOPPED_MAX),
            losses: LearntLosses::default(),
            refused: RefusedUrls::default(),
            wrong: Vec::new(),
        }
    }

    /// Goes on with what was learnt before, with the same settings.
    pub(crate) fn resume(&mut self, saved: FetchGate) {
        let FetchGate {
            rules,
            learnt: _,
            seed: _,
            given,
            read,
            leading,
            values,
            deeds,
            compared,
            nothing,
            ways,
            files,
            stopped,
            losses,
            refused,
            wrong,
        } = saved;
        self.rules.resume(rules);
        self.refused.resume(refused);
        self.given = given;
        self.read = read;
        self.leading = leading;
        self.values = values;
        self.deeds = deeds;
        self.compared = compared;
        self.nothing = nothing;
        self.ways = ways;
        self.files = files;
        self.stopped = stopped;
        self.losses = losses;
        self.wrong = wrong;
    }

    /// The rules found wrong, with the URLs that were refused for them and not put back yet.
    pub(crate) fn wrong_rules(&self) -> impl Iterator<Item = (&str, &RefusedFor)> {
        let rules = self.wrong.iter().map(String::as_str);
        rules.filter_map(|rule| Some((rule, self.refused.of(rule)?)))
    }

    /// What rules refused, and what probes found.
    #[cfg(test)]
    pub(crate) fn losses(&self) -> &LearntLosses {
        &self.losses
    }

    /// Takes in that URLs were put back. Those that a user asked for are fetched whatever the rules
    /// say.
    pub(crate) fn on_put_back(&mut self, retry: &RetryRecord) {
        let mut urls_of: HashMap<&str, Vec<&str>> = HashMap::new();
        for (at, url) in retry.urls.iter().enumerate() {
            let origin = retry.origins.get(at);
            let rules = origin.map_or(&[][..], |origin| &origin.rules);
            // An older record names the one rule that was found wrong.
            let rules = match (rules, &retry.wrong_rule) {
                ([], Some(wrong)) => std::slice::from_ref(wrong),
                (rules, _) => rules,
            };
            self.losses.put_back(rules);
            for rule in rules {
                urls_of.entry(rule).or_default().push(url);
            }
            let is_new = origin.is_some_and(|origin| origin.left_out);
            let is_asked_for =
                retry.wrong_rule.is_none() && retry.filter != RetryRecord::BUDGET_RAISED;
            if is_asked_for && !is_new {
                self.given.insert(xxh3_64(url.as_bytes()));
            }
        }
        for (rule, urls) in urls_of {
            self.refused.put_back(rule, &urls);
            if !self.refused.has(rule) {
                self.wrong.retain(|wrong| wrong != rule);
            }
        }
    }

    /// Takes in that a URL is to be visited again: it is fetched whatever the rules say.
    pub(crate) fn on_again(&mut self, url: &str) {
        self.given.insert(xxh3_64(url.as_bytes()));
    }

    /// Takes in a seed: it is fetched whatever the rules say, and its host is no mirror of one that
    /// comes later.
    pub fn on_seed(&mut self, url: &str) {
        self.given.insert(xxh3_64(url.as_bytes()));
        self.rules.note_host(url);
    }

    /// By which rules a URL that was fetched would have been refused.
    pub(crate) fn foreseen_by(&self, url: &CanonicalUrl, normalizer: &UrlNormalizer) -> ForeseenBy {
        let Some(foreseen) = self.foresee(&url.host(), url, normalizer) else {
            return ForeseenBy::default();
        };
        if !foreseen.original_is_read {
            return ForeseenBy::default();
        }
        ForeseenBy {
            rules: foreseen.refusal.rules(),
            compared: foreseen.refusal.is_compared(),
            nothing: foreseen.refusal.foresees_nothing(),
            original: match foreseen.refusal {
                Refusal::PredictedDuplicate(prediction) => Some(prediction.original),
                Refusal::Robots(_)
                | Refusal::Guard(_)
                | Refusal::Trap(_)
                | Refusal::LowYield(_)
                | Refusal::LeftOut(_)
                | Refusal::HostGone(_)
                | Refusal::Walled(_)
                | Refusal::Unknown(_) => None,
            },
        }
    }

    /// May this URL be fetched now?
    pub fn check(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Permission {
        if self.given.contains(&xxh3_64(url.as_str().as_bytes())) {
            return Permission::Allowed;
        }
        let Some(foreseen) = self.foresee(host, url, normalizer) else {
            return Permission::Allowed;
        };
        let is_doubtful = self.is_doubtful(&foreseen.refusal);
        match foreseen.mode {
            Learnt::Off => Permission::Allowed,
            _ if foreseen.is_probe.is_some() && !is_doubtful => match foreseen.is_probe {
                Some(false) => refuse(foreseen.refusal),
                Some(true) | None => Permission::Allowed,
            },
            Learnt::Last if foreseen.draw < PROBED_SHARE => Permission::Allowed,
            Learnt::HoldBack | Learnt::Last | Learnt::Sample => {
                Permission::HoldBack(HeldBack::UntilOthersAreDone)
            }
            Learnt::Refuse if is_doubtful => Permission::HoldBack(HeldBack::UntilOthersAreDone),
            Learnt::Refuse if foreseen.draw < PROBED_SHARE => Permission::Allowed,
            Learnt::Refuse if !foreseen.original_is_read => Permission::Defer,
            Learnt::Refuse => refuse(foreseen.refusal),
        }
    }

    /// The same for a URL that was held back, when nothing is left but URLs held back for as long as
    /// `reached`. `under_way` are the refusals by a rule that are not recorded yet.
    pub fn check_at_last(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
        reached: HeldBack,
        under_way: impl Fn(&str) -> u64,
    ) -> Permission {
        let Some(foreseen) = self.foresee(host, url, normalizer) else {
            return Permission::Allowed;
        };
        if foreseen.mode == Learnt::Sample {
            let is_doubtful = self.is_doubtful(&foreseen.refusal);
            let is_refused = foreseen.is_sure && !is_doubtful && foreseen.draw >= PROBED_SHARE;
            return match is_refused {
                true => refuse(foreseen.refusal),
                false => Permission::Allowed,
            };
        }
        let may_refuse = foreseen.mode == Learnt::HoldBack
            && foreseen.draw < REFUSABLE_SHARE
            && foreseen.original_is_read
            && !self.leads_on(&foreseen.refusal, normalizer)
            && !self.is_doubtful(&foreseen.refusal);
        match (may_refuse, reached) {
            (false, _) => Permission::Allowed,
            (true, HeldBack::UntilOthersAreDone) => Permission::HoldBack(HeldBack::ToTheLast),
            (true, HeldBack::ToTheLast) => {
                match self.costs_less_than_a_page(&foreseen.refusal, under_way) {
                    true => refuse(foreseen.refusal),
                    false => Permission::Allowed,
                }
            }
        }
    }

    /// Whether the page that a URL is predicted to repeat led to new URLs, and the URL may lead to
    /// others of its own: its links are not those of the page, but copies of them. A page that yields
    /// nothing may be a list that does.
    fn leads_on(&self, refusal: &Refusal, normalizer: &UrlNormalizer) -> bool {
        match refusal {
            Refusal::PredictedDuplicate(prediction) => match &prediction.cause {
                PredictionCause::IgnoredParameters { .. } | PredictionCause::IdleValues { .. } => {
                    false
                }
                PredictionCause::Rules { .. } => {
                    self.leading.forgot() || self.leading.contains(&prediction.original, normalizer)
                }
            },
            Refusal::LowYield(_) => true,
            Refusal::Robots(_)
            | Refusal::Guard(_)
            | Refusal::Trap(_)
            | Refusal::LeftOut(_)
            | Refusal::HostGone(_)
            | Refusal::Walled(_)
            | Refusal::Unknown(_) => false,
        }
    }

    /// Whether a probe of one of the rules was a page of its own.
    fn is_doubtful(&self, refusal: &Refusal) -> bool {
        let was_wrong = |rule: &str| self.losses.of(rule).unique > 0;
        let rules = refusal.rules();
        let mut rules = rules.iter().map(String::as_str);
        rules.any(|rule| was_wrong(rule) || order_of_compared(rule).is_some_and(was_wrong))
    }

    fn costs_less_than_a_page(&self, refusal: &Refusal, under_way: impl Fn(&str) -> u64) -> bool {
        let bound = |rule: &String| self.losses.of(rule).with_more(1 + under_way(rule)).bound();
        refusal.rules().iter().all(|rule| bound(rule) < LOSS_MAX)
    }

    /// One URL in twenty of what is refused whatever the mode, and no more than the square root of those
    /// refused: each probe of a site with session ids brings in as many new spellings as it has
    /// links.
    fn is_sparse_probe(&self, url: &CanonicalUrl, rules: &[String], probed: Option<u64>) -> bool {
        let has_room = |rule: &String| {
            let loss = self.losses.of(rule);
            let probed = probed.unwrap_or(loss.probed);
            probed.saturating_mul(probed) <= loss.refused
        };
        // By chance alone the first one may come after hundreds.
        let is_due = |rule: &String| probed == Some(0) && self.losses.of(rule).refused >= PROBE_DUE;
        let share = match rules.iter().any(is_due) {
            true => FIRST_PROBED_SHARE,
            false => PROBED_SHARE,
        };
        let is_drawn = self.draw(url.as_str()) < share;
        is_drawn && rules.iter().all(has_room)
    }

    /// Notes that a host yields nothing for the topic, or again something.
    pub fn set_stopped(&mut self, host: &str, why: Option<String>) {
        match why {
            Some(why) => *self.stopped.entry(host.to_string(), |_, _| {}) = why,
            None => {
                if let Some(why) = self.stopped.remove(host) {
                    let host = host.to_owned();
                    self.find_wrong(&LowYield::Host { host, why }.rule());
                }
            }
        }
    }
}

/// The rule of orders behind that of pages that were compared in two: where order matters at times, a third
/// may still be a page of its own.
fn order_of_compared(rule: &str) -> Option<&str> {
    let order = rule.strip_suffix(&of_compared(""))?;
    order.starts_with(ORDER).then_some(order)
}

fn refuse(refusal: Refusal) -> Permission {
    Permission::Refused(Refused::Refusal(refusal))
}

mod foresee;
mod learn;
#[cfg(test)]
mod tests;
