//! Rules learnt from duplicates: which URLs are another name of a page that was read?
//!
//! Every confirmed duplicate is a pair of URLs, and most pairs are an instance of something that the
//! site does throughout: a print version, an `index.html`, a mirror on another host. Each pair shows
//! a candidate rule, which is a function from the URL of a copy to the URL of its original. The rule
//! gains with each pair that it explains. It loses with each page for which it would have been wrong:
//! the page was unique, or a copy of something else, or it led to new pages of its own.
//!
//! ```text
//! http://m.a.example/print/x/7   →   http://a.example/x/7
//!        └─ host ─┘└path┘
//! ```
//!
//! A rule is believed when the lower bound of its success rate (Wilson's) is above a stated
//! confidence, which takes some ten pairs without a miss. What follows from a prediction is the
//! caller's matter: a URL may be fetched later, or not at all. [`PredictedDuplicate::draw`] is a
//! number drawn for the URL, by which the caller chooses a sample that is fetched all the same. When
//! such probes turn out unique, the rule falls below the bar.
//!
//! One name may also stand in the place of another, where the rest of the two URLs names the page:
//! `/print/7` and `/article/7`. The name of which the page was read first is that of the original, as
//! it mostly turns out. A number names a page less surely than words do, so the caller is told
//! ([`PredictedDuplicate::is_by_name`]).
//!
//! A language is no form of a page: where two URLs differ in one, no rule is learnt from them
//! (`language`).
//!
//! Where a copy names its original as canonical, the pair shows more: which of the two is the
//! original, and that the site means it. Then a rule may also replace the beginning or end of a path,
//! move to another host at the same time, or leave out parameters. What a page says of itself is never
//! enough: the texts must first have confirmed each pair. And a page that was read and names another
//! canonical URL than the rule predicts speaks against the rule.
//!
//! Of two hosts with the same pages the one known first is the original, whichever copy was fetched
//! first. With one fixed direction the two can never be skipped in favour of each other.
//!
//! Parameters that change nothing are the frontier's matter; URLs come here without them. Groups of
//! URLs that yield duplicates or thin pages without any rule have an estimate of their own: see
//! [`UrlDedupRules::yield_of`].
//!
//! Source: Dasgupta, Kumar, Sasturkar, *De-duping URLs via rewrite rules*, KDD 2008 (learning rules from
//! duplicate pairs).

mod group_yield;
pub(crate) mod language;
mod rule;

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::hashing::{NumberMap, split_mix};
use crate::saved::pairs;
use group_yield::GroupYields;
use rule::{Rewrite, Rule, RuleRecord, path_difference, url_host};

/// Rules that are remembered.
const RULES_MAX: usize = 10_000;
/// Rules of one host. Each page of the host is tried against all of them, and on a site that renames
/// its pages every pair shows a rule of its own.
const RULES_OF_HOST_MAX: usize = 1_000;
/// Hosts whose order is remembered. None is forgotten: then two mirrors could each be taken for the
/// other's copy. Of two further ones, that of the page read first is the original.
const HOSTS_MAX: usize = 1 << 17;
/// A rule that was lifted so often is not believed again: what it refused would be put back time
/// and again.
const LIFTS_MAX: u8 = 3;
/// Rules that are applied one after the other: a print version on a mirror takes two.
const STEPS_MAX: usize = 4;

/// Settings of the rules.
#[derive(Debug, Clone)]
pub struct UrlDedupConfig {
    /// A rule is believed from this confidence on, 0.0 to 1.0.
    pub confidence_min: f32,
    /// Share of the URLs of a group that is skipped that are fetched all the same, to find out
    /// whether it yields something again.
    pub probe_share: f32,
    /// A group of URLs that surely yields less than this is skipped, but for probes.
    pub yield_min: f32,
    /// Seed of the choice of probes.
    pub seed: u64,
}

impl Default for UrlDedupConfig {
    fn default() -> Self {
        UrlDedupConfig {
            confidence_min: 0.85,
            probe_share: 0.05,
            yield_min: 0.03,
            seed: 0,
        }
    }
}

/// A URL that the rules predict to be a duplicate.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictedDuplicate {
    /// The URL that has the same page. Skip the duplicate only when this one was read.
    pub kept_url: String,
    /// The rules that say so together, in words.
    pub rules: Vec<String>,
    /// How sure the rule is at least, 0.0 to 1.0.
    pub confidence: f32,
    /// One of the rules replaces a name by another one: `/print/7` by `/article/7`. What two names have in
    /// common may be a number alone, so it takes more pairs to refuse pages for it.
    pub is_by_name: bool,
    /// A number from 0.0 to below 1.0, drawn for the URL: always the same for one seed.
    pub draw: f32,
}

/// The rules learnt from duplicates, and the yields of groups of URLs.
///
/// ```
/// use focus::{UrlDedupConfig, UrlDedupRules};
///
/// let mut rules = UrlDedupRules::new(&UrlDedupConfig::default());
/// for number in 0..12 {
///     let (copy, original) = (
///         format!("http://a.example/print/{number}"),
///         format!("http://a.example/{number}"),
///     );
///     rules.observe_pair(&copy, &original, std::iter::empty());
/// }
/// let duplicate = rules.predict("http://a.example/print/about").expect("a rule");
/// assert_eq!(duplicate.kept_url, "http://a.example/about");
/// ```
///
/// What was learnt can be saved (`serde`), and is taken up again by [`UrlDedupRules::resume`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UrlDedupRules {
    #[serde(skip)]
    config: UrlDedupConfig,
    #[serde(with = "pairs")]
    rules: NumberMap<u64, RuleRecord>,
    /// Keys of the rules by host, in the order in which the rules were first shown.
    #[serde(with = "pairs")]
    by_host: NumberMap<u64, Vec<u64>>,
    yields: GroupYields,
    /// Hosts in the order in which they became known.
    #[serde(with = "pairs")]
    hosts: NumberMap<u64, u32>,
    /// Rules that were believed and are no longer, in words.
    lifted: Vec<String>,
    #[serde(skip, default = "rules_max")]
    rules_max: usize,
    #[serde(skip, default = "rules_of_host_max")]
    rules_of_host_max: usize,
}

fn rules_max() -> usize {
    RULES_MAX
}

fn rules_of_host_max() -> usize {
    RULES_OF_HOST_MAX
}

impl UrlDedupRules {
    /// No rules yet.
    pub fn new(config: &UrlDedupConfig) -> UrlDedupRules {
        UrlDedupRules {
            config: config.clone(),
            rules: NumberMap::default(),
            by_host: NumberMap::default(),
            yields: GroupYields::default(),
            hosts: NumberMap::default(),
            lifted: Vec::new(),
            rules_max: RULES_MAX,
            rules_of_host_max: RULES_OF_HOST_MAX,
        }
    }

    /// Goes on with what another process had learnt and saved, with the same settings.
    pub fn resume(&mut self, mut saved: UrlDedupRules) {
        saved.config = self.config.clone();
        *self = saved;
    }

    /// Takes note that a host is known. Call it in the order of seeds and finds: of two mirrors the
    /// one known first is the original.
    pub fn note_host(&mut self, url: &str) {
        if let Some(url) = parse(url) {
            self.host_order(&url_host(&url));
        }
    }

    /// Learns from a confirmed pair: both URLs have the same page. `led_to` are the URLs that only
    /// the copy has led to; a rule that does not cover them would lose them. Call it in journal order.
    pub fn observe_pair<'u>(
        &mut self,
        url_dup: &str,
        url_kept: &str,
        led_to: impl Iterator<Item = &'u str>,
    ) {
        let (Some(dup), Some(kept)) = (parse(url_dup), parse(url_kept)) else {
            return;
        };
        self.yields.observe(&dup, false);
        let rule = self.rule_of_pair(&dup, &kept);
        let Some(rule) = rule.filter(|rule| !rule.crosses_languages()) else {
            return;
        };
        let is_copy = rule.apply(&dup).as_ref() == Some(&kept);
        if !is_copy && rule.apply(&kept).as_ref() != Some(&dup) {
            return;
        }
        let covered = |link: Url| rule.covers(&link);
        let loses_pages = is_copy && !led_to.filter_map(parse).all(covered);
        self.record_pair(rule, loses_pages);
    }

    /// Learns from a confirmed pair whose copy names the original as canonical. Call it after
    /// [`UrlDedupRules::observe_pair`] with the same pair.
    pub fn observe_canonical_pair<'u>(
        &mut self,
        url_dup: &str,
        url_kept: &str,
        mut led_to: impl Iterator<Item = &'u str>,
    ) {
        let (Some(dup), Some(kept)) = (parse(url_dup), parse(url_kept)) else {
            return;
        };
        // One rule for a pair: two could lead in a circle. Of two names pages say more than a pair.
        let rule = self.rule_of_pair(&dup, &kept);
        if rule.is_some_and(|rule| rule.reversed().is_none()) {
            return;
        }
        let rule = Rewrite::of(&dup, &kept).map(Rule::Canonical);
        let Some(rule) = rule.filter(|rule| !rule.crosses_languages()) else {
            return;
        };
        let loses_pages = led_to.any(|link| !parse(link).is_some_and(|link| rule.covers(&link)));
        self.record_pair(rule, loses_pages);
    }

    /// Learns from a page that was read and names a canonical URL: it speaks against rules that
    /// predict another one.
    pub fn observe_declared_canonical(&mut self, url: &str, canonical: &str) {
        let (Some(url), Some(canonical)) = (parse(url), parse(canonical)) else {
            return;
        };
        let host = xxh3_64(url_host(&url).as_bytes());
        for key in self.by_host.get(&host).into_iter().flatten() {
            if let Some(record) = self.rules.get_mut(key)
                && let Some(rule) = &record.rule
                && (matches!(rule, Rule::Canonical(_)) || rule.reversed().is_some())
                && rule
                    .apply(&url)
                    .is_some_and(|original| original != canonical)
            {
                self.lifted.extend(contradict(record, &self.config));
            }
        }
    }

    /// Learns from a page that is no copy: it speaks against rules that would have skipped it
    /// in favour of a page that was read before. `is_read` says whether a URL was.
    pub fn observe_unique(&mut self, url: &str, is_read: impl Fn(&str) -> bool) {
        let Some(url) = parse(url) else { return };
        let host = xxh3_64(url_host(&url).as_bytes());
        for key in self.by_host.get(&host).into_iter().flatten() {
            if let Some(record) = self.rules.get_mut(key)
                && let Some(original) = record.rule.as_ref().and_then(|rule| rule.apply(&url))
                && is_read(original.as_str())
            {
                self.lifted.extend(contradict(record, &self.config));
            }
        }
    }

    /// Learns from a URL whether it was worth its fetch; a thin page or a trap is not: its group yields less.
    pub fn observe_yield(&mut self, url: &str, was_worth_it: bool) {
        if let Some(url) = parse(url) {
            self.yields.observe(&url, was_worth_it);
        }
    }

    /// Takes back that a URL was not worth its fetch: it led to one that was.
    pub fn redeem(&mut self, url: &str) {
        if let Some(url) = parse(url) {
            self.yields.redeem(&url);
        }
    }

    /// Whether this URL is predicted to be a duplicate, and of what.
    pub fn predict(&self, url: &str) -> Option<PredictedDuplicate> {
        let url = parse(url)?;
        let mut at = url.clone();
        let mut confidence = 1.0f32;
        let mut rules: Vec<String> = Vec::new();
        let mut is_by_name = false;
        for _ in 0..STEPS_MAX {
            let Some((sure, rule, next)) = self.best_rule(&at) else {
                break;
            };
            confidence = confidence.min(sure);
            rules.push(rule.description());
            is_by_name |= rule.reversed().is_some();
            at = next;
        }
        if rules.is_empty() || at == url {
            return None;
        }
        let random = split_mix(self.config.seed ^ xxh3_64(url.as_str().as_bytes()));
        Some(PredictedDuplicate {
            kept_url: at.into(),
            rules,
            confidence,
            is_by_name,
            draw: draw(random),
        })
    }

    /// The surest believed rule for a URL, the first of equals, and the URL that it gives.
    fn best_rule(&self, url: &Url) -> Option<(f32, &Rule, Url)> {
        let mut best: Option<(f32, &Rule, Url)> = None;
        let host = xxh3_64(url_host(url).as_bytes());
        for key in self.by_host.get(&host).into_iter().flatten() {
            let Some(record) = self.rules.get(key) else {
                continue;
            };
            let Some(rule) = &record.rule else { continue };
            let confidence = record.confidence();
            // Of two that are as sure, what pages name goes before one name for another.
            let is_worse = |(sure, rule, _): &(f32, &Rule, Url)| {
                *sure > confidence || *sure == confidence && rule.reversed().is_none()
            };
            if !is_believed(record, &self.config)
                || best.as_ref().is_some_and(is_worse)
                || self.leads_back(rule, record)
            {
                continue;
            }
            if let Some(original) = rule.apply(url) {
                best = Some((confidence, rule, original));
            }
        }
        best
    }

    /// Whether more pairs show the rule the other way round: of two names the one that is mostly read first is
    /// that of the originals.
    fn leads_back(&self, rule: &Rule, record: &RuleRecord) -> bool {
        let back = rule.reversed().map(|back| back.key());
        let back = back.and_then(|back| self.rules.get(&back));
        back.is_some_and(|back| back.right > record.right)
    }

    /// The share of the fetches of a URL's group (host and URL form) that were worth it, 0.0 to 1.0,
    /// as an optimist sees it: multiply it into the priority. 0.0 means that the group is skipped
    /// and this URL is none of its probes.
    pub fn yield_of(&self, url: &str) -> f32 {
        let Some(url) = parse(url) else {
            return 1.0;
        };
        let optimistic = self.yields.optimistic_yield(&url);
        if optimistic >= self.config.yield_min {
            return optimistic;
        }
        let random = split_mix(self.config.seed ^ 1 ^ xxh3_64(url.as_str().as_bytes()));
        if draw(random) < self.config.probe_share {
            self.config.yield_min
        } else {
            0.0
        }
    }

    /// Whether a URL's group yields so little that it is skipped, but for probes.
    pub fn is_low_yield(&self, url: &str) -> bool {
        parse(url).is_some_and(|url| self.yields.optimistic_yield(&url) < self.config.yield_min)
    }

    /// Whether a URL's group yields much less than its host: other URLs go first where all are fetched in the end.
    pub fn is_below_host(&self, url: &str) -> bool {
        parse(url).is_some_and(|url| self.yields.is_below_host(&url))
    }

    /// Whether a URL's group is known to yield what its host does, or more.
    pub fn is_good(&self, url: &str) -> bool {
        parse(url).is_some_and(|url| self.yields.is_good(&url))
    }

    /// The rules that are believed now, in words, with their confidence, surest first.
    pub fn rules(&self) -> Vec<(String, f32)> {
        let mut rules: Vec<(String, f32)> = self
            .rules
            .values()
            .filter(|record| is_believed(record, &self.config))
            .filter_map(|record| Some((record.rule.as_ref()?.description(), record.confidence())))
            .collect();
        rules.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        rules
    }

    /// The rules that were lifted since this was last asked: they were believed and are no longer.
    /// They are named as in [`PredictedDuplicate::rules`]. What was skipped for them should be fetched
    /// after all.
    pub fn take_lifted(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lifted)
    }

    /// Records that a pair shows a rule, and whether pages are lost if the rule is followed.
    fn record_pair(&mut self, rule: Rule, loses_pages: bool) {
        let key = rule.key();
        if !self.rules.contains_key(&key) {
            let host = xxh3_64(rule.host().as_bytes());
            self.make_room_on(host);
            self.make_room();
            self.by_host.entry(host).or_default().push(key);
        }
        let record = self.rules.entry(key).or_default();
        record.rule = Some(rule);
        if loses_pages {
            self.lifted.extend(contradict(record, &self.config));
        } else {
            record.right = record.right.saturating_add(1);
        }
    }

    /// Makes room for one more rule of a host. When it is full, the rules that only one pair has shown
    /// are forgotten: most of them are two names of one page. If all were shown by more, those that two
    /// have shown, and so on.
    fn make_room_on(&mut self, host: u64) {
        let Some(keys) = self.by_host.get_mut(&host) else {
            return;
        };
        let rules = &mut self.rules;
        let mut shown_by = 1;
        while keys.len() >= self.rules_of_host_max {
            keys.retain(|key| {
                let is_shown = rules.get(key).is_some_and(|record| record.right > shown_by);
                if !is_shown {
                    rules.remove(key);
                }
                is_shown
            });
            shown_by = shown_by.saturating_mul(2);
        }
    }

    /// The same for all hosts together.
    fn make_room(&mut self) {
        if self.rules.len() < self.rules_max {
            return;
        }
        let mut shown_by = 1;
        while self.rules.len() >= self.rules_max {
            self.rules.retain(|_, record| record.right > shown_by);
            shown_by = shown_by.saturating_mul(2);
        }
        let rules = &self.rules;
        self.by_host.retain(|_, keys| {
            keys.retain(|key| rules.contains_key(key));
            !keys.is_empty()
        });
    }

    /// The place of a host in the order in which hosts became known; it becomes known now if it was
    /// not.
    fn host_order(&mut self, host: &str) -> u32 {
        let next = self.hosts.len() as u32;
        let key = xxh3_64(host.as_bytes());
        if self.hosts.len() >= HOSTS_MAX && !self.hosts.contains_key(&key) {
            return u32::MAX;
        }
        *self.hosts.entry(key).or_insert(next)
    }

    /// The rule that a pair shows. The URLs must differ in host or in path alone: a pair that differs
    /// in both at once does not say which difference matters.
    fn rule_of_pair(&mut self, one: &Url, other: &Url) -> Option<Rule> {
        if one.query() != other.query() {
            return None;
        }
        let (host, other_host) = (url_host(one), url_host(other));
        if host == other_host {
            let has_query = one.query().is_some_and(|query| !query.is_empty());
            let (from, to) = path_difference(one.path(), other.path(), has_query)
                .or_else(|| path_difference(other.path(), one.path(), has_query))?;
            return Some(Rule::Path { host, from, to });
        }
        if one.path() != other.path() || one.scheme() != other.scheme() {
            return None;
        }
        // The kept page was read first: if neither host is known yet, its host comes first.
        let other_order = self.host_order(&other_host);
        let (host, of) = if self.host_order(&host) > other_order {
            (host, other_host)
        } else {
            (other_host, host)
        };
        Some(Rule::Mirror { host, of })
    }
}

fn is_believed(record: &RuleRecord, config: &UrlDedupConfig) -> bool {
    record.confidence() >= config.confidence_min && record.lifts < LIFTS_MAX
}

/// Counts something that speaks against a rule. Gives the rule, in words, if that lifts it.
fn contradict(record: &mut RuleRecord, config: &UrlDedupConfig) -> Option<String> {
    let was_believed = is_believed(record, config);
    record.wrong = record.wrong.saturating_add(1);
    let is_lifted = was_believed && !is_believed(record, config);
    record.lifts += u8::from(is_lifted);
    let rule = record.rule.as_ref().filter(|_| is_lifted);
    rule.map(Rule::description)
}

/// A number from 0.0 to below 1.0.
fn draw(random: u64) -> f32 {
    (random >> 40) as f32 / (1u64 << 24) as f32
}

fn parse(url: &str) -> Option<Url> {
    (url.len() <= weburl::URL_BYTES_MAX)
        .then(|| Url::parse(url).ok())?
        .filter(|url| url.has_host())
}

#[cfg(test)]
mod tests;
