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
//! are refused, whatever becomes of other pages. Else session ids would make a site endless.
//!
//! The same holds for values that are URLs of the site and lead nowhere, such as that of a login form
//! for the way back (`idle_values`): without it half of a budget went to one form.
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

use archive::{LinkRecord, PageRecord, RetryRecord};
use focus::{UrlDedupConfig, UrlDedupRules};
use frontier::{CanonicalUrl, HeldBack, HostKey, Permission, Refused, UrlNormalizer};
use outcome::{
    JunkKind, JunkReason, LearntLosses, LinkFate, LowYield, Outcome, PredictedDuplicate,
    PredictionCause, Refusal, of_compared,
};
use recent::{RecentMap, RecentSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::files::{FileLink, FileLinks};
use crate::idle_values::{Idle, IdleValues};
use crate::policy::{Learnt, LearntPolicy};
use crate::read_urls::ReadUrls;
use crate::recorded::original_of;
use crate::refused::{Refused as RefusedFor, RefusedUrls};
use crate::retry;
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
        let rules = refusal.rules();
        rules.iter().any(|rule| self.losses.of(rule).unique > 0)
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

    /// What the rules say of a URL, whoever gave it.
    fn foresee(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Option<Foreseen> {
        let file = || self.file(host, url);
        let form = || self.barren_form(host, url);
        let duplicate = || self.duplicate(host, url, normalizer);
        let barren = || self.barren_host(host, url);
        match self.learnt.low_yield {
            // What waits for its host or form is fetched in the end; a file or a copy need not be.
            Learnt::HoldBack | Learnt::Last => {
                let known = file().or_else(barren);
                known.or_else(duplicate).or_else(form)
            }
            Learnt::Off | Learnt::Refuse | Learnt::Sample => {
                let known = barren().or_else(file);
                known.or_else(form).or_else(duplicate)
            }
        }
    }

    fn file(&self, host: &HostKey, url: &CanonicalUrl) -> Option<Foreseen> {
        if self.learnt.files == Learnt::Off {
            return None;
        }
        let draw = self.draw(url.as_str());
        let is_sure = match self.files.of(url)? {
            FileLink::Unknown | FileLink::Page => return None,
            // One in twenty is tried in its turn, or a wiki would not be known for one.
            FileLink::File {
                by_others: true, ..
            } if draw < PROBED_SHARE => return None,
            FileLink::File { is_sure, .. } => is_sure,
        };
        Some(Foreseen {
            refusal: Refusal::LowYield(LowYield::Files {
                host: host.to_string(),
            }),
            mode: self.learnt.files,
            draw,
            is_probe: None,
            original_is_read: true,
            is_sure,
        })
    }

    fn barren_host(&self, host: &HostKey, url: &CanonicalUrl) -> Option<Foreseen> {
        let why = self.stopped.get(host.as_str())?;
        self.low_yield(
            url,
            LowYield::Host {
                host: host.to_string(),
                why: why.clone(),
            },
        )
    }

    fn barren_form(&self, host: &HostKey, url: &CanonicalUrl) -> Option<Foreseen> {
        let host = host.to_string();
        let is_low = match self.learnt.low_yield {
            Learnt::Off => false,
            Learnt::Last => {
                self.rules.is_low_yield(url.as_str()) || self.rules.is_below_host(url.as_str())
            }
            Learnt::HoldBack | Learnt::Sample | Learnt::Refuse => {
                self.rules.is_low_yield(url.as_str())
            }
        };
        is_low.then(|| self.low_yield(url, LowYield::UrlForm { host }))?
    }

    fn low_yield(&self, url: &CanonicalUrl, low_yield: LowYield) -> Option<Foreseen> {
        let mode = self.learnt.low_yield;
        let draw = self.draw(url.as_str());
        (mode != Learnt::Off).then_some(Foreseen {
            refusal: Refusal::LowYield(low_yield),
            mode,
            draw,
            is_probe: None,
            original_is_read: true,
            is_sure: true,
        })
    }

    fn duplicate(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Option<Foreseen> {
        let plain = normalizer.normalized(url);
        let mut names = normalizer.ignored_in(url);
        let foreseen = |original: String, cause, mode, draw, original_is_read| {
            let prediction = PredictedDuplicate { original, cause };
            let refusal = Refusal::PredictedDuplicate(Box::new(prediction));
            let is_probe = || self.is_sparse_probe(url, &refusal.rules(), None);
            Some(Foreseen {
                is_probe: refusal.is_compared().then(is_probe),
                refusal,
                mode,
                draw,
                original_is_read,
                is_sure: true,
            })
        };
        let spelt = normalizer.without_opaque(url);
        let spelt = spelt.as_deref().unwrap_or(url.as_str());
        let is_compared = || self.compared.contains(&xxh3_64(spelt.as_bytes()));
        let read = self.read.find(&plain, normalizer);
        if let Some(left_out) = read.or_else(|| is_compared().then(Vec::new))
            && !(names.is_empty() && left_out.is_empty())
        {
            for name in left_out {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let is_opaque = |name: &&str| normalizer.is_opaque(host, name);
            let is_chosen = !names.iter().all(is_opaque);
            let compared = names.iter().any(is_opaque) && is_compared();
            if compared {
                names.retain(is_opaque);
            }
            // All spellings of a page are one page, unless a parameter lets the reader choose.
            let draw = self.draw(match (compared, is_chosen) {
                (true, _) => spelt,
                (false, true) => url.as_str(),
                (false, false) => &plain,
            });
            let rules = parameter_rules(host, &names, compared);
            let cause = PredictionCause::IgnoredParameters { rules, compared };
            return foreseen(plain, cause, self.learnt.parameters, draw, true);
        }
        if let Some(idle) = self.idle_values(url) {
            return Some(idle);
        }
        if self.learnt.duplicates == Learnt::Off {
            return None;
        }
        let prediction = self.rules.predict(&plain)?;
        let mut rules = prediction.rules;
        rules.extend(parameter_rules(host, &names, false));
        let is_doubtful = prediction.is_by_name && prediction.confidence < NAMES_CONFIDENCE_MIN;
        let mode = match (self.learnt.duplicates, self.learnt.parameters) {
            (_, Learnt::HoldBack) if !names.is_empty() => Learnt::HoldBack,
            (Learnt::Refuse, _) if is_doubtful => Learnt::HoldBack,
            (of_duplicates, _) => of_duplicates,
        };
        let is_read = self.read.contains(&prediction.kept_url, normalizer);
        let cause = PredictionCause::Rules {
            rules,
            percent: (100.0 * prediction.confidence).round() as u32,
        };
        foreseen(prediction.kept_url, cause, mode, prediction.draw, is_read)
    }

    /// A URL with a value that leads nowhere.
    fn idle_values(&self, url: &CanonicalUrl) -> Option<Foreseen> {
        if self.learnt.parameters == Learnt::Off {
            return None;
        }
        let Idle {
            original,
            rule,
            is_of_site,
            probes,
        } = self
            .values
            .find(url)
            .filter(|idle| idle.original != url.as_str())?;
        let rules = vec![rule];
        let is_probe = is_of_site.then(|| self.is_sparse_probe(url, &rules, Some(probes)));
        let cause = PredictionCause::IdleValues { rules };
        let prediction = PredictedDuplicate { original, cause };
        Some(Foreseen {
            refusal: Refusal::PredictedDuplicate(Box::new(prediction)),
            mode: self.learnt.parameters,
            draw: self.draw(url.as_str()),
            is_probe,
            original_is_read: true,
            is_sure: true,
        })
    }

    /// A number from 0.0 to below 1.0 for a text, always the same in one crawl.
    fn draw(&self, text: &str) -> f32 {
        let hash = xxh3_64(&[&self.seed.to_le_bytes(), text.as_bytes()].concat());
        (hash >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Learns from a finished URL, the record of that number.
    pub fn on_page(&mut self, seq: u64, record: &PageRecord, normalizer: &UrlNormalizer) {
        let Ok(url) = CanonicalUrl::parse(&record.url) else {
            return;
        };
        self.note_refusal(record, &url, normalizer);
        self.note_probe(record, &url, normalizer);
        self.note_nothing(record, &url, normalizer);
        let guessed = self.files.of(&url);
        self.files.observe(&url, record);
        if let Some(FileLink::File {
            by_others: true, ..
        }) = guessed
            && record.page.is_some()
            && (200..300).contains(&record.status())
        {
            // Such a one goes in its turn, by no rule: but it bears out or refutes the one for others.
            let host = url.host().to_string();
            self.find_wrong(&LowYield::Files { host }.rule());
        }
        let is_whole = record.page.is_some() && (200..300).contains(&record.status());
        if is_whole && record.junk() != Some(&JunkReason::SoftNotFound) && !record.is_blocked() {
            self.read.note(&url, normalizer);
            if self.leads_to_others(record, &url, normalizer) {
                self.leading.note(&url, normalizer);
            }
        }
        for rule in self.values.observe(&url, record) {
            self.find_wrong(&rule);
        }
        let canonical = canonical_of(record).map(|canonical| normalizer.normalized(&canonical));
        if let Some(canonical) = &canonical {
            let plain = normalizer.normalized(&url);
            self.rules.observe_declared_canonical(&plain, canonical);
        }
        let was_low = self.rules.is_low_yield(url.as_str());
        match original_of(record) {
            Some(original) => {
                self.on_copy(record, &url, &original, canonical, normalizer);
                self.note_copy(seq, record);
            }
            None => self.on_no_copy(seq, record, &url, is_whole, normalizer),
        }
        if was_low && !self.rules.is_low_yield(url.as_str()) {
            let host = url.host().to_string();
            self.find_wrong(&LowYield::UrlForm { host }.rule());
        }
        for rule in self.rules.take_lifted() {
            self.find_wrong(&rule);
        }
    }

    /// Notes whether a URL was worth its fetch: a page that is not kept is, if one is that it led to. Where it led to URLs of
    /// good forms they are waited for.
    fn note_yield(&mut self, seq: u64, record: &PageRecord, is_kept: bool) {
        if let Some(via) = record.via {
            self.note_found(via, is_kept);
        }
        if is_kept {
            self.rules.observe_yield(&record.url, true);
            return;
        }
        let is_new = |link: &&LinkRecord| link.fate == LinkFate::New;
        let new = record.links.iter().filter(is_new).take(NEW_SEEN_MAX);
        let good = new.filter(|link| self.rules.is_good(&link.url));
        let open = good.take(LED_MAX).count();
        if open == 0 {
            self.rules.observe_yield(&record.url, false);
        }
        self.note_way(seq, record, open);
    }

    fn note_way(&mut self, seq: u64, record: &PageRecord, open: usize) {
        if record.links.iter().any(|link| link.fate == LinkFate::New) {
            *self.ways.entry(seq, |_, _| {}) = Way {
                url: record.url.as_str().into(),
                open: open as u8,
            };
        }
    }

    /// The same of a copy, whose yield its pair has told.
    fn note_copy(&mut self, seq: u64, record: &PageRecord) {
        if let Some(via) = record.via {
            self.note_found(via, false);
        }
        self.note_way(seq, record, 0);
    }

    /// Notes what became of a URL that a page led to, where that one is not kept itself.
    fn note_found(&mut self, via: u64, is_kept: bool) {
        let Some(way) = self.ways.get_mut(&via) else {
            return;
        };
        let was_open = way.open > 0;
        way.open = way.open.saturating_sub(1);
        if !is_kept {
            if was_open && way.open == 0 {
                self.rules.observe_yield(&way.url, false);
            }
            return;
        }
        let Some(Way { url, .. }) = self.ways.remove(&via) else {
            return;
        };
        let was_low = self.rules.is_low_yield(&url);
        match was_open {
            true => self.rules.observe_yield(&url, true),
            false => self.rules.redeem(&url),
        }
        // What was refused for its form comes back, as after a page of the form itself.
        if was_low
            && !self.rules.is_low_yield(&url)
            && let Ok(url) = CanonicalUrl::parse(&url)
        {
            let host = url.host().to_string();
            self.find_wrong(&LowYield::UrlForm { host }.rule());
        }
    }

    /// Whether a page led to new URLs beside those that are foreseen to be copies of it: each article leads to
    /// its print version.
    fn leads_to_others(
        &self,
        record: &PageRecord,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> bool {
        let mut new = record
            .links
            .iter()
            .filter(|link| link.fate == LinkFate::New);
        new.any(|link| {
            let copied = self.rules.predict(&link.url);
            copied.is_none_or(|copied| copied.kept_url != normalizer.normalized(url))
        })
    }

    /// Notes that a rule was wrong. What is refused once a rule is believed again is refused for
    /// good reason, though nobody has asked by then, as on a replay: so a rule that has refused
    /// nothing is not noted.
    fn find_wrong(&mut self, rule: &str) {
        if self.refused.has(rule) && !self.wrong.iter().any(|wrong| wrong == rule) {
            self.wrong.push(rule.to_owned());
        }
    }

    fn note_refusal(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) {
        let Some(refusal) = record.outcome.refusal() else {
            return;
        };
        let rules = refusal.rules();
        self.losses.refused(&rules, refusal.is_compared());
        for rule in &rules {
            let candidate = || (record.url.clone(), retry::origin(record));
            self.refused.note(rule, candidate);
        }
        // The rule may have been found wrong while the refusal was on its way here.
        let is_foreseen = self.foresee(&url.host(), url, normalizer).is_some();
        for rule in &rules {
            if !is_foreseen || self.losses.of(rule).unique > 0 {
                self.find_wrong(rule);
            }
        }
    }

    /// Notes what became of a page that was fetched though rules would have refused it.
    fn note_probe(&mut self, record: &PageRecord, url: &CanonicalUrl, normalizer: &UrlNormalizer) {
        let Some(is_unique) = record.is_probe_unique() else {
            return;
        };
        let compared = record.foreseen_compared;
        self.losses.probed(&record.foreseen_by, compared, is_unique);
        let host = url.host().to_string();
        let of_files = LowYield::Files { host }.rule();
        if is_unique && record.foreseen_by.contains(&of_files) {
            self.find_wrong(&of_files);
        }
        let Some(original) = &record.foreseen else {
            // That a host yields a page now and then is no news: it is stopped for yielding few.
            return;
        };
        if is_unique {
            for rule in &record.foreseen_by {
                self.find_wrong(rule);
            }
        } else if record.page.is_some()
            && normalizer.normalized(url) == *original
            && let Some(spelt) = normalizer.without_opaque(url)
        {
            self.compared.insert(xxh3_64(spelt.as_bytes()));
        }
    }

    fn on_copy(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        original: &CanonicalUrl,
        canonical: Option<String>,
        normalizer: &UrlNormalizer,
    ) {
        let Some((copy, original)) = pair(url, original, normalizer) else {
            return;
        };
        let led_to = || {
            let new = record
                .links
                .iter()
                .filter(|link| link.fate == LinkFate::New);
            new.map(|link| link.url.as_str())
        };
        self.rules.observe_pair(&copy, &original, led_to());
        if canonical.as_deref() == Some(original.as_str()) {
            self.rules
                .observe_canonical_pair(&copy, &original, led_to());
        }
    }

    fn on_no_copy(
        &mut self,
        seq: u64,
        record: &PageRecord,
        url: &CanonicalUrl,
        is_whole: bool,
        normalizer: &UrlNormalizer,
    ) {
        let kind = record.junk().map(JunkReason::kind);
        let is_unique = match kind {
            Some(JunkKind::Empty | JunkKind::Error | JunkKind::Wall) => false,
            // A copy of a part only, or of a page that cannot be named.
            Some(JunkKind::Duplicate)
            | Some(
                JunkKind::Unwanted | JunkKind::Withheld | JunkKind::LinkList | JunkKind::NoPage,
            )
            | None => true,
        };
        if is_whole && is_unique {
            let read = &self.read;
            let was_read = |url: &str| read.contains(url, normalizer);
            self.rules
                .observe_unique(&normalizer.normalized(url), was_read);
            let was_worth_it = kind != Some(JunkKind::Withheld);
            self.note_yield(seq, record, was_worth_it);
        } else if matches!(
            kind,
            Some(JunkKind::Duplicate | JunkKind::Empty | JunkKind::Error | JunkKind::NoPage)
        ) {
            self.note_yield(seq, record, false);
        } else if record.outcome == Outcome::Redirected {
            // Where it leads may be known already, or not belong to the crawl.
            let is_new = |link: &LinkRecord| link.fate == LinkFate::New;
            let was_worth_it = record.links.iter().any(is_new);
            self.rules.observe_yield(&record.url, was_worth_it);
        }
    }

    /// Whether a page brought in the URL of a page that was not read under another spelling.
    fn leads_elsewhere(&self, record: &PageRecord, normalizer: &UrlNormalizer) -> bool {
        let is_new = |url: &str| !self.read.contains(url, normalizer);
        record.new_elsewhere().any(is_new)
    }

    /// Notes a URL that gave nothing under an opaque value: no page that is kept, and no way to another.
    /// Under two values it is the same, as a page with content is that repeats itself.
    fn note_nothing(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) {
        let kind = record.junk().map(JunkReason::kind);
        let is_nothing = record.outcome == Outcome::Redirected
            || matches!(
                kind,
                Some(JunkKind::Empty | JunkKind::Error | JunkKind::NoPage | JunkKind::Wall)
            );
        if !is_nothing || self.leads_elsewhere(record, normalizer) {
            return;
        }
        if let Some(plain) = normalizer.without_opaque(url) {
            let plain = xxh3_64(plain.as_bytes());
            let spelt = xxh3_64(record.url.as_bytes());
            match self.nothing.get(&plain) {
                Some(other) if *other != spelt => {
                    self.compared.insert(plain);
                }
                // The same URL, asked for once more.
                Some(_) => {}
                None => *self.nothing.entry(plain, |_, _| {}) = spelt,
            }
        }
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

/// The rules of parameters that change nothing, in words.
fn parameter_rules(host: &HostKey, names: &[&str], compared: bool) -> Vec<String> {
    let rules = names
        .iter()
        .map(|name| format!("{name} changes nothing on {host}"));
    match compared {
        true => rules.map(|rule| of_compared(&rule)).collect(),
        false => rules.collect(),
    }
}

fn refuse(refusal: Refusal) -> Permission {
    Permission::Refused(Refused::Refusal(refusal))
}

/// The URL that a page names as canonical.
fn canonical_of(record: &PageRecord) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(record.page.as_ref()?.canonical.as_deref()?).ok()
}

/// The plain URLs of a copy and its original. What changes nothing on one of two hosts changes
/// nothing on the other, which may not have been found out yet: then that one's normalized form counts. So
/// it is with a parameter that alone keeps them apart.
fn pair(
    copy: &CanonicalUrl,
    original: &CanonicalUrl,
    normalizer: &UrlNormalizer,
) -> Option<(String, String)> {
    let (mut plain_copy, mut plain_original) =
        (normalizer.normalized(copy), normalizer.normalized(original));
    if copy.host() != original.host() {
        let twin = |url, other, plain: &str| {
            on_host_of(url, other).is_some_and(|twin| normalizer.normalized(&twin) == plain)
        };
        if twin(copy, original, &plain_original) || copy.differs_in(original).is_some() {
            plain_copy = rehosted(&plain_original, copy)?;
        } else if twin(original, copy, &plain_copy) {
            plain_original = rehosted(&plain_copy, original)?;
        }
    }
    Some((plain_copy, plain_original))
}

/// The URL as it would be on the other one's host.
fn on_host_of(url: &CanonicalUrl, other: &CanonicalUrl) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(&rehosted(url.as_str(), other)?).ok()
}

fn rehosted(url: &str, other: &CanonicalUrl) -> Option<String> {
    let mut url = url::Url::parse(url).ok()?;
    let other = other.to_url();
    url.set_host(other.host_str()).ok()?;
    url.set_port(other.port()).ok()?;
    Some(url.into())
}

#[cfg(test)]
mod tests;
