//! Duplicates foreseen: which URLs are another name of a page we have?
//!
//! Every confirmed duplicate is a pair of URLs, and most pairs are an instance of something the
//! site does all over: a print version, an `index.html`, a mirror under another name. From each
//! pair a candidate rule is read off. A rule is a function from a URL to the URL of the original;
//! it gains with each pair it explains and loses with each page that it would have skipped but
//! that turned out to be unique, to be a copy of something else, or to lead to new pages of its
//! own. (Parameters that change nothing are the frontier's: it reads each page under one spelling.)
//!
//! ```text
//! http://m.a.example/print/x/7   →   http://a.example/x/7
//!        └─ host ─┘└path┘
//! ```
//!
//! A rule is believed when the lower end of what its record allows (a Wilson bound) is above a
//! stated confidence, which takes some ten pairs without a miss. A believed rule still lets
//! [`UrlDedupConfig::probe_share`] of its URLs be fetched; when these probes turn out unique the
//! rule falls below the bar and its URLs are fetched again.
//!
//! Where a copy names its original as canonical, the pair shows more: which of the two is the original,
//! and that the site means it. Then a rule may also put one beginning or end of a path in place of
//! another, move to another host at the same time, or leave parameters away. What a page says of
//! itself is never enough: each pair is confirmed by the texts first. A page that was read and names
//! another canonical than the rule foretells speaks against it.
//!
//! Of two names of a host the one known first is the original, whichever copy was fetched first:
//! a pair says that both have the same page, and with one direction the two can never be skipped
//! for each other.
//!
//! Groups of URLs that yield duplicates, thin pages or traps without any rewrite have a prior of
//! their own: see [`UrlDedupRules::yield_of`].

mod rule;

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::learn::Mix;
use crate::promise::{UrlParts, path_template};
use crate::relevance::mix;
use rule::{Record, Rewrite, Rule, path_difference, url_host};

/// Rules that are remembered.
const RULES_MAX: usize = 10_000;
/// Rules of one host. Each page of the host asks them all, and where titles change every pair of
/// names makes a rule of its own.
const RULES_OF_HOST_MAX: usize = 1_000;
/// Groups that are remembered.
const GROUPS_MAX: usize = 1 << 17;
/// Times that a rule may be lifted and tell of it.
const LIFTS_MAX: u8 = 3;
/// URLs longer than this are not looked at.
const URL_BYTES_MAX: usize = 2_048;

/// Settings of the duplicate forecast.
#[derive(Debug, Clone)]
pub struct UrlDedupConfig {
    /// A URL is skipped when the forecast is at least this sure.
    pub confidence_min: f32,
    /// Believe a rule only while no page has spoken against it.
    pub strict: bool,
    /// Share of the skipped that are fetched all the same, to find out whether the rule errs.
    pub probe_share: f32,
    /// A group of URLs sinks in proportion to what it yields, and stops when that is sure to be
    /// below this.
    pub yield_min: f32,
    /// Seed of the probes' choice.
    pub seed: u64,
}

impl Default for UrlDedupConfig {
    fn default() -> Self {
        UrlDedupConfig {
            confidence_min: 0.85,
            strict: false,
            probe_share: 0.05,
            yield_min: 0.03,
            seed: 0,
        }
    }
}

/// A duplicate foreseen.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictedDuplicate {
    /// The URL that has the same page. Skip only when it was read.
    pub kept_url: String,
    /// The rule that says so, in words.
    pub rule: String,
    /// How sure the rule is at least, 0.0 to 1.0.
    pub confidence: f32,
    /// Fetch it all the same: this one is a probe of the rule.
    pub probe: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Yield {
    pages: u32,
    barren: u32,
}

/// The memory of duplicates.
#[derive(Debug, Clone)]
pub struct UrlDedupRules {
    config: UrlDedupConfig,
    rules: HashMap<u64, Record, BuildHasherDefault<Mix>>,
    /// Rules by host, in the order in which they were first seen.
    by_host: HashMap<u64, Vec<u64>, BuildHasherDefault<Mix>>,
    groups: HashMap<u64, Yield, BuildHasherDefault<Mix>>,
    /// Hosts in the order in which they became known.
    hosts: HashMap<u64, u32, BuildHasherDefault<Mix>>,
    /// Rules that were believed and are no longer, in words.
    lifted: Vec<String>,
}

impl UrlDedupRules {
    /// A memory that has seen nothing.
    pub fn new(config: &UrlDedupConfig) -> UrlDedupRules {
        UrlDedupRules {
            config: config.clone(),
            rules: HashMap::default(),
            by_host: HashMap::default(),
            groups: HashMap::default(),
            hosts: HashMap::default(),
            lifted: Vec::new(),
        }
    }

    /// The rules that were believed when this was last asked, or after, and are no longer, in the
    /// words of [`PredictedDuplicate::rule`]: what was skipped for them should be fetched after all.
    pub fn take_lifted(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lifted)
    }

    /// Notes that a host is known, in the order of seeds and finds: of two mirrors the one known
    /// first is the original.
    pub fn note_host(&mut self, url: &str) {
        if let Some(url) = parse(url) {
            self.rank(&url_host(&url));
        }
    }

    /// A confirmed pair: both URLs have the same page. `led_to` are the URLs that only the copy has
    /// led to: a rule that does not know them would lose them. Call it in journal order.
    pub fn observe_pair<'u>(
        &mut self,
        url_dup: &str,
        url_kept: &str,
        led_to: impl Iterator<Item = &'u str>,
    ) {
        let (Some(dup), Some(kept)) = (parse(url_dup), parse(url_kept)) else {
            return;
        };
        self.note(&dup, true);
        let Some(rule) = self.read_off(&dup, &kept) else {
            return;
        };
        let is_copy = rule.apply(&dup).as_ref() == Some(&kept);
        if !is_copy && rule.apply(&kept).as_ref() != Some(&dup) {
            return;
        }
        let knows = |link: Url| rule.covers(&link);
        let loses = is_copy && !led_to.filter_map(parse).all(knows);
        self.count(rule, loses);
    }

    /// A confirmed pair whose copy names the original as canonical. To be called after
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
        // What needs no naming is known already; one rule for a pair, or they would lead in circles.
        if self.read_off(&dup, &kept).is_some() {
            return;
        }
        let Some(rule) = Rewrite::of(&dup, &kept).map(Rule::Named) else {
            return;
        };
        let loses = led_to.any(|link| !parse(link).is_some_and(|link| rule.covers(&link)));
        self.count(rule, loses);
    }

    /// A page that was read and names this URL as canonical: it speaks against rules that foretell
    /// another one.
    pub fn observe_declared_canonical(&mut self, url: &str, canonical: &str) {
        let (Some(url), Some(canonical)) = (parse(url), parse(canonical)) else {
            return;
        };
        let host = xxh3_64(url_host(&url).as_bytes());
        for key in self.by_host.get(&host).into_iter().flatten() {
            if let Some(record) = self.rules.get_mut(key)
                && let Some(rule @ Rule::Named(_)) = &record.rule
                && rule
                    .apply(&url)
                    .is_some_and(|original| original != canonical)
            {
                self.lifted.extend(contradict(record, &self.config));
            }
        }
    }

    /// A pair that a rule explains, and whether pages are lost if it is followed.
    fn count(&mut self, rule: Rule, loses: bool) {
        let key = rule.key();
        if !self.rules.contains_key(&key) {
            let host = xxh3_64(rule.host().as_bytes());
            if !self.has_room_on(host) || !self.has_room() {
                return;
            }
            self.by_host.entry(host).or_default().push(key);
        }
        let record = self.rules.entry(key).or_default();
        record.rule = Some(rule);
        if loses {
            self.lifted.extend(contradict(record, &self.config));
        } else {
            record.right = record.right.saturating_add(1);
        }
    }

    /// Whether a host may have one more rule. If not, what one pair alone has shown is forgotten,
    /// most often two names of one page.
    fn has_room_on(&mut self, host: u64) -> bool {
        let Some(keys) = self.by_host.get_mut(&host) else {
            return true;
        };
        if keys.len() >= RULES_OF_HOST_MAX {
            let rules = &mut self.rules;
            keys.retain(|key| {
                let is_shown = rules.get(key).is_some_and(|record| record.right > 1);
                if !is_shown {
                    rules.remove(key);
                }
                is_shown
            });
        }
        keys.len() < RULES_OF_HOST_MAX
    }

    /// Whether there may be one more rule; the same of all hosts together.
    fn has_room(&mut self) -> bool {
        if self.rules.len() < RULES_MAX {
            return true;
        }
        self.rules.retain(|_, record| record.right > 1);
        let rules = &self.rules;
        self.by_host.retain(|_, keys| {
            keys.retain(|key| rules.contains_key(key));
            !keys.is_empty()
        });
        self.rules.len() < RULES_MAX
    }

    /// A page that was kept as new: evidence against rules that would have skipped it for a page
    /// that was read before, as `is_read` says.
    pub fn observe_unique(&mut self, url: &str, is_read: impl Fn(&str) -> bool) {
        let Some(url) = parse(url) else { return };
        self.note(&url, false);
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

    /// A page with nothing on it, or a trap: its group yields less.
    pub fn observe_low_yield(&mut self, url: &str) {
        if let Some(url) = parse(url) {
            self.note(&url, true);
        }
    }

    /// Whether this URL is going to be a duplicate, and of what.
    pub fn predict(&self, url: &str) -> Option<PredictedDuplicate> {
        let original = parse(url)?;
        let mut at = original.clone();
        let mut best: Option<(f32, String)> = None;
        // Rules follow each other: a print version on a mirror takes two.
        for _ in 0..4 {
            let mut step: Option<(f32, &Rule, Url)> = None;
            for record in self.rules_of(&at) {
                let Some(rule) = &record.rule else { continue };
                let confidence = record.confidence();
                if !is_believed(record, &self.config)
                    || step.as_ref().is_some_and(|step| step.0 >= confidence)
                {
                    continue;
                }
                if let Some(next) = rule.apply(&at) {
                    step = Some((confidence, rule, next));
                }
            }
            let Some((confidence, rule, next)) = step else {
                break;
            };
            let (sure, words) = best.take().unwrap_or((1.0, String::new()));
            let words = if words.is_empty() {
                rule.words()
            } else {
                format!("{words}; {}", rule.words())
            };
            best = Some((sure.min(confidence), words));
            at = next;
        }
        let (confidence, rule) = best?;
        if at == original {
            return None;
        }
        let die = mix(self.config.seed ^ xxh3_64(original.as_str().as_bytes()));
        Some(PredictedDuplicate {
            kept_url: at.into(),
            rule,
            confidence,
            probe: die_is_below(die, self.config.probe_share),
        })
    }

    /// The share of a URL's group (host and path template) that was worth the fetch, 0.0 to 1.0,
    /// seen with hope: multiply it into the priority. 0.0 means the group has stopped and this
    /// URL is none of its probes.
    pub fn yield_of(&self, url: &str) -> f32 {
        let Some(url) = parse(url) else {
            return 1.0;
        };
        let Some(group) = self.groups.get(&group_key(&url)) else {
            return 1.0;
        };
        let (pages, good) = (group.pages as f32, (group.pages - group.barren) as f32);
        // The upper end of what the record allows: a group sinks only as fast as it is known.
        let hopeful = ((good + 1.5) / (pages + 1.5)).min(1.0);
        if hopeful >= self.config.yield_min {
            return hopeful;
        }
        let die = mix(self.config.seed ^ 1 ^ xxh3_64(url.as_str().as_bytes()));
        if die_is_below(die, self.config.probe_share) {
            self.config.yield_min
        } else {
            0.0
        }
    }

    /// The rules that are believed now, in words, with their confidence, surest first.
    pub fn rules(&self) -> Vec<(String, f32)> {
        let mut rules: Vec<(String, f32)> = self
            .rules
            .values()
            .filter_map(|record| Some((record.rule.as_ref()?.words(), record.confidence())))
            .filter(|(_, confidence)| *confidence >= self.config.confidence_min)
            .collect();
        rules.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        rules
    }

    fn rules_of(&self, url: &Url) -> impl Iterator<Item = &Record> {
        self.by_host
            .get(&xxh3_64(url_host(url).as_bytes()))
            .into_iter()
            .flatten()
            .filter_map(|key| self.rules.get(key))
    }

    /// The place of a host among those known.
    fn rank(&mut self, host: &str) -> u32 {
        let next = self.hosts.len() as u32;
        let key = xxh3_64(host.as_bytes());
        if self.hosts.len() >= GROUPS_MAX && !self.hosts.contains_key(&key) {
            return u32::MAX;
        }
        *self.hosts.entry(key).or_insert(next)
    }

    /// The rule that would explain a pair. One difference only, so that a pair that differs in
    /// host and path at once teaches nothing wrong.
    fn read_off(&mut self, one: &Url, other: &Url) -> Option<Rule> {
        if one.query() != other.query() {
            return None;
        }
        let (host, other_host) = (url_host(one), url_host(other));
        if host == other_host {
            let (from, to) = path_difference(one.path(), other.path())
                .or_else(|| path_difference(other.path(), one.path()))?;
            return Some(Rule::Path { host, from, to });
        }
        if one.path() != other.path() || one.scheme() != other.scheme() {
            return None;
        }
        // The page that was kept was read first, so its host is the one known longer.
        let of = self.rank(&other_host);
        let (host, of) = if self.rank(&host) > of {
            (host, other_host)
        } else {
            (other_host, host)
        };
        Some(Rule::Mirror { host, of })
    }

    fn note(&mut self, url: &Url, barren: bool) {
        let key = group_key(url);
        if self.groups.len() < GROUPS_MAX || self.groups.contains_key(&key) {
            let group = self.groups.entry(key).or_default();
            if group.pages >= 10_000 {
                group.pages /= 2;
                group.barren /= 2;
            }
            group.pages += 1;
            group.barren += u32::from(barren);
        }
    }
}

fn is_believed(record: &Record, config: &UrlDedupConfig) -> bool {
    record.confidence() >= config.confidence_min && !(config.strict && record.wrong > 0)
}

/// Something speaks against a rule; gives it if that ends the belief in it.
fn contradict(record: &mut Record, config: &UrlDedupConfig) -> Option<String> {
    let was_believed = is_believed(record, config);
    record.wrong = record.wrong.saturating_add(1);
    let is_lifted = was_believed && !is_believed(record, config) && record.lifted < LIFTS_MAX;
    record.lifted += u8::from(is_lifted);
    let rule = record.rule.as_ref().filter(|_| is_lifted);
    rule.map(Rule::words)
}

fn die_is_below(die: u64, share: f32) -> bool {
    ((die >> 40) as f32) < share * (1u64 << 24) as f32
}

fn parse(url: &str) -> Option<Url> {
    (url.len() <= URL_BYTES_MAX)
        .then(|| Url::parse(url).ok())?
        .filter(|url| url.has_host())
}

fn group_key(url: &Url) -> u64 {
    mix(xxh3_64(url_host(url).as_bytes()) ^ path_template(&UrlParts::of(url.as_str())))
}

#[cfg(test)]
mod tests;
