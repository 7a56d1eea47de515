//! What the crawl has taught about links.
//!
//! The promise of a link is the chance that its page is relevant *and* not a near-duplicate, plus
//! a share of the chance that its page leads to such pages: a list of good pages is no good page,
//! but worth a fetch as long as nothing better waits.
//!
//! Both chances come from logistic models over two dozen numbers (see `newton.rs`). Their weights
//! start from sensible beliefs and are pulled towards what the crawl sees: every fetched link is
//! a row with its outcome, and the weights are the most probable ones given beliefs and rows
//! (Newton's method, a few steps). With no rows the beliefs decide; with a thousand the site does.
//!
//! Sources: Meusel, Mika, Blanco, *Focused crawling for structured data*, CIKM 2014 (online
//! classifier and bandit over links); Chakrabarti et al., *Accelerated focused crawling*, WWW 2002
//! (learning from the neighbourhood of links).

use std::hash::{BuildHasherDefault, Hasher};

use hashbrown::HashMap;

use crate::newton::{self, SIGNAL_COUNT, Signals};
use crate::pages::{PageRow, Pages};
use crate::promise::LinkFeatures;
use crate::relevance::{mix, probability};
use crate::topic::Topic;

/// Groups whose outcomes are remembered.
const GROUPS_MAX: usize = 1 << 18;
/// Fetched links that are remembered to learn from.
const ROWS_MAX: usize = 1_500;
/// An arm with this many outcomes needs no exploration.
const ARM_KNOWN: f32 = 3.0;
/// The priority of a link that is explored: above doubtful ones, below good ones.
const CURIOSITY: f32 = 0.2;
/// Average outcomes that a group's own are mixed with: the first few say little.
const GROUP_FIRMNESS: f32 = 5.0;
/// How fast the words of links learn from an outcome.
const WORD_STEP: f32 = 0.6;
/// Buckets of words of anchors, URLs and surroundings.
const WORD_BITS: u32 = 16;

/// Settings of the link model.
#[derive(Debug, Clone)]
pub struct LinkModelConfig {
    /// Share of fetches spent on link groups that are little known, 0.0 to 1.0.
    pub exploration: f32,
    /// What a page that leads to relevant pages is worth, a relevant page being worth 1.0.
    pub hub_worth: f32,
    /// Seed of all pseudo-random choices.
    pub seed: u64,
    /// Learn from outcomes. Off: the beliefs decide.
    pub adapt: bool,
    /// Look at anchors and what stands around them.
    pub use_anchor: bool,
    /// Look at tag paths.
    pub use_tag_path: bool,
}

impl Default for LinkModelConfig {
    fn default() -> Self {
        LinkModelConfig {
            exploration: 0.02,
            hub_worth: 0.4,
            seed: 0,
            adapt: true,
            use_anchor: true,
            use_tag_path: true,
        }
    }
}

/// How promising a link is, with reasons.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkScore {
    /// The priority in the frontier, 0.0 to 1.0.
    pub score: f32,
    /// The chance that the page is relevant and new.
    pub relevant: f32,
    /// The chance that the page leads to such pages.
    pub hub: f32,
    /// Whether the score was lifted to try a little known group.
    pub explored: bool,
    /// What each signal adds to the log-odds of being relevant, by name, strongest first.
    pub why: Vec<(&'static str, f32)>,
}

/// A fetched page, as the link model needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival<'a> {
    pub(crate) page: u32,
    /// The number of its URL.
    pub(crate) url: u32,
    pub(crate) link: Option<&'a LinkFeatures>,
    pub(crate) relevance: f32,
    /// Where the keywords stand on it, 0.0 to 1.0.
    pub(crate) evidence: f32,
    /// Its relevance, or 0.0 for a page that is not new, not whole or not there.
    pub(crate) reward: f32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Group {
    count: f32,
    reward: f32,
}

#[derive(Debug, Clone)]
struct Row {
    page: u32,
    signals: Signals,
    reward: f32,
    hub: f32,
}

/// What outcomes say of links with a word.
#[derive(Debug, Clone, Copy, Default)]
struct WordWeight {
    weight: f32,
    count: f32,
}

/// The online model of links.
#[derive(Debug, Clone)]
pub struct LinkModel {
    config: LinkModelConfig,
    pages: Pages,
    groups: HashMap<u64, Group, BuildHasherDefault<Mix>>,
    words: Vec<WordWeight>,
    words_seen: f32,
    rows: Vec<Row>,
    row_next: usize,
    relevant_weights: Signals,
    hub_weights: Signals,
    overall: Group,
    explored: u64,
    /// Hosts with outcomes.
    hosts: u32,
    /// A link has led to a page on topic.
    found: bool,
}

impl LinkModel {
    /// A model that has seen nothing yet.
    pub fn new(config: &LinkModelConfig) -> LinkModel {
        LinkModel {
            config: config.clone(),
            pages: Pages::default(),
            groups: HashMap::default(),
            words: vec![WordWeight::default(); 1 << WORD_BITS],
            words_seen: 0.0,
            rows: Vec::new(),
            row_next: 0,
            relevant_weights: newton::RELEVANT_BELIEFS,
            hub_weights: newton::HUB_BELIEFS,
            overall: Group {
                count: 4.0,
                reward: 1.0,
            },
            explored: 0,
            hosts: 0,
            found: false,
        }
    }

    /// Learns from a fetched link, and notes the page it led to.
    pub(crate) fn on_page(&mut self, topic: &Topic, arrival: &Arrival<'_>) {
        let Arrival {
            page,
            url,
            link,
            relevance,
            evidence,
            reward,
        } = *arrival;
        let depth = match link {
            _ if relevance >= 0.5 => 0,
            Some(link) => self.depth(link).saturating_add(1),
            None => 0,
        };
        if let Some(link) = link {
            let signals = self.signals(topic, link);
            let (.., explored) = self.weigh(&signals, link);
            self.explored += u64::from(explored && self.found);
            self.found |= reward > 0.0 && relevance >= topic.threshold();
            self.count(link, reward);
            if self.config.adapt {
                self.learn_words(link, &signals, reward);
            }
            let row = Row {
                page,
                signals,
                reward,
                hub: 0.0,
            };
            if self.rows.len() < ROWS_MAX {
                self.rows.push(row);
            } else {
                self.rows[self.row_next % ROWS_MAX] = row;
            }
            self.row_next += 1;
        }
        let (linked_sum, linked_count) = link.map_or((0.0, 0.0), |link| self.parents(link));
        let mut row = PageRow {
            relevance,
            evidence,
            depth,
            ..PageRow::default()
        };
        row.add_linked(linked_sum, linked_count);
        self.pages.insert(page, url, row);
    }

    /// Notes the promise of the links of a page that were new: how good a hub the page was.
    pub(crate) fn on_new_links(&mut self, page: u32, new_links: &[f32]) {
        let mut best = [0.0f32; 8];
        for &promise in new_links {
            if let Some(least) = best.iter_mut().min_by(|a, b| a.total_cmp(b))
                && promise > *least
            {
                *least = promise;
            }
        }
        let hub = best.iter().sum::<f32>() / best.len() as f32;
        // The rows are a ring: the newest is not the last.
        if let Some(newest) = self.row_next.checked_sub(1)
            && let Some(row) = self.rows.get_mut(newest % ROWS_MAX)
            && row.page == page
        {
            row.hub = hub;
        }
    }

    /// Takes the probabilities of known pages as judged anew, and sets the weights.
    pub(crate) fn train(&mut self, probabilities: impl Iterator<Item = (u32, f32)>) {
        for (page, relevance) in probabilities {
            if let Some(row) = self.pages.get_mut(page) {
                row.relevance = relevance;
            }
        }
        if !self.config.adapt {
            return;
        }
        let rows = |hub: bool| {
            let outcome = move |row: &Row| if hub { row.hub } else { row.reward };
            self.rows
                .iter()
                .map(move |row| (&row.signals, outcome(row)))
        };
        self.relevant_weights = newton::fit(
            &newton::RELEVANT_BELIEFS,
            &self.relevant_weights,
            rows(false),
        );
        self.hub_weights = newton::fit(&newton::HUB_BELIEFS, &self.hub_weights, rows(true));
    }

    /// The priority of a link.
    pub fn score(&self, topic: &Topic, features: &LinkFeatures) -> f32 {
        self.weigh(&self.signals(topic, features), features).0
    }

    /// The priority of a link, with reasons.
    pub fn explain_score(&self, topic: &Topic, features: &LinkFeatures) -> LinkScore {
        let signals = self.signals(topic, features);
        let (score, relevant, hub, explored) = self.weigh(&signals, features);
        let mut why: Vec<(&'static str, f32)> = newton::SIGNAL_NAMES
            .iter()
            .zip(signals.iter().zip(&self.relevant_weights))
            .map(|(name, (signal, weight))| (*name, signal * weight))
            .filter(|(_, part)| part.abs() >= 0.01)
            .collect();
        why.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        LinkScore {
            score,
            relevant,
            hub,
            explored,
            why,
        }
    }

    /// The company a known page keeps: how relevant the pages are that it links to and that link
    /// to it, against the average page, as a logarithm. Pages that everybody links to count little.
    pub(crate) fn company(&self, page: u32, targets: &[u32]) -> f32 {
        let (mut sum, mut weight) = self.targets(targets);
        if let Some(row) = self.pages.get(page) {
            sum += row.linked_sum;
            weight += row.linked_count;
        }
        self.company_in(sum, weight)
    }

    /// The company of a page that is not known yet.
    pub(crate) fn company_of(&self, targets: &[u32], link: Option<&LinkFeatures>) -> f32 {
        let (mut sum, mut weight) = self.targets(targets);
        if let Some(link) = link {
            let (linked, count) = self.parents(link);
            sum += linked;
            weight += count;
        }
        self.company_in(sum, weight)
    }

    fn company_in(&self, sum: f32, weight: f32) -> f32 {
        let base = (self.overall.reward / self.overall.count).clamp(0.02, 0.9);
        ((sum + 2.0 * base) / (weight + 2.0) / base)
            .ln()
            .clamp(-3.0, 3.0)
    }

    fn targets(&self, targets: &[u32]) -> (f32, f32) {
        let (mut sum, mut weight) = (0.0, 0.0);
        for target in targets {
            if let Some(row) = self.pages.of_url(*target) {
                sum += row.tells * row.relevance;
                weight += row.tells;
            }
        }
        (sum, weight)
    }

    fn parents(&self, link: &LinkFeatures) -> (f32, f32) {
        let (mut sum, mut count) = (0.0, 0.0);
        for parent in &link.parents {
            if let Some(row) = self.pages.get(*parent) {
                sum += row.relevance;
                count += 1.0;
            }
        }
        (sum, count)
    }

    fn weigh(&self, signals: &Signals, link: &LinkFeatures) -> (f32, f32, f32, bool) {
        let relevant = probability(newton::sum(signals, &self.relevant_weights));
        let hub = probability(newton::sum(signals, &self.hub_weights));
        let score = relevant + self.config.hub_worth * hub * (1.0 - relevant);
        let explored = self.explores(link);
        let score = if explored {
            score.max(CURIOSITY)
        } else {
            score
        };
        (score.clamp(0.0, 1.0), relevant, hub, explored)
    }

    /// Whether this link is one of the few that are tried because little is known of their kind.
    ///
    /// The bandit's arms are the URL forms of the hosts. An arm with few outcomes is pulled as if
    /// it were good, by a die for each link, as long as such fetches stay within their share. A crawl
    /// that has found nothing yet has nothing to go by: doubtful links are then as good as each other
    /// on all hosts that were asked no more than the average one, or it would read the first host to
    /// its end.
    fn explores(&self, link: &LinkFeatures) -> bool {
        if self.config.exploration <= 0.0 {
            return false;
        }
        let outcomes = |key| self.groups.get(&key).map_or(0.0, |group| group.count);
        let [host, form, _] = self.group_keys(link);
        if !self.found {
            return outcomes(host) * (self.hosts as f32) < self.overall.count;
        }
        (self.explored as f32) < self.config.exploration * self.overall.count
            && outcomes(form) < ARM_KNOWN
            && mix(self.config.seed ^ u64::from(link.id)).is_multiple_of(8)
    }

    fn depth(&self, link: &LinkFeatures) -> u8 {
        link.parents
            .iter()
            .filter_map(|&parent| self.pages.get(parent))
            .map(|row| row.depth)
            .min()
            .unwrap_or(0)
    }

    fn group_keys(&self, link: &LinkFeatures) -> [u64; 3] {
        let [host, template, path] = link.groups;
        [
            u64::from(host) | 1 << 40,
            u64::from(template) | 2 << 40,
            u64::from(path) | 3 << 40,
        ]
    }

    fn sibling_key(parent: u32, link: &LinkFeatures) -> u64 {
        mix(u64::from(parent) << 32 | u64::from(link.groups[2]))
    }

    fn count(&mut self, link: &LinkFeatures, reward: f32) {
        self.overall.count += 1.0;
        self.overall.reward += reward;
        let keys = self.group_keys(link);
        self.hosts += u32::from(!self.groups.contains_key(&keys[0]));
        let siblings = link
            .parents
            .iter()
            .map(|&parent| Self::sibling_key(parent, link));
        for key in keys.into_iter().chain(siblings) {
            if self.groups.len() < GROUPS_MAX || self.groups.contains_key(&key) {
                let group = self.groups.entry(key).or_default();
                group.count += 1.0;
                group.reward += reward;
            }
        }
        for &parent in &link.parents {
            if let Some(row) = self.pages.get_mut(parent) {
                row.children += 1.0;
                row.children_reward += reward;
            }
        }
    }

    fn word_slot(bucket: u32, field: u64) -> usize {
        (mix(u64::from(bucket) << 2 | field) >> (64 - WORD_BITS)) as usize
    }

    fn word_slots(link: &LinkFeatures) -> impl Iterator<Item = usize> + '_ {
        let fields: [&[u32]; 3] = [&link.anchor, &link.url, &link.context];
        fields.into_iter().enumerate().flat_map(|(field, words)| {
            words
                .iter()
                .map(move |&word| Self::word_slot(word, field as u64))
        })
    }

    fn learn_words(&mut self, link: &LinkFeatures, signals: &Signals, reward: f32) {
        let slots: Vec<usize> = Self::word_slots(link).collect();
        let expected = probability(newton::sum(signals, &self.relevant_weights));
        let step = WORD_STEP * (reward - expected) / (slots.len().max(1) as f32).sqrt();
        self.words_seen += 1.0;
        for slot in slots {
            let word = &mut self.words[slot];
            word.count += 1.0;
            word.weight = (word.weight + step / word.count.sqrt().min(5.0)).clamp(-3.0, 3.0);
        }
    }

    /// What the words of a link say; a word that stands on every link says nothing.
    fn words_say(&self, link: &LinkFeatures) -> f32 {
        let seen = self.words_seen + 2.0;
        Self::word_slots(link)
            .map(|slot| {
                let word = &self.words[slot];
                word.weight * (1.0 - word.count / seen)
            })
            .sum::<f32>()
            .clamp(-4.0, 4.0)
    }

    /// Notes a link to a page that is known already: part of that page's company.
    pub(crate) fn observe(&mut self, parent: u32, url: u32) {
        let Some(relevance) = self.pages.get(parent).map(|row| row.relevance) else {
            return;
        };
        if let Some(row) = self.pages.of_url_mut(url) {
            row.add_linked(relevance, 1.0);
        }
    }

    /// The group that all links are.
    fn average(&self) -> Average {
        let rate = (self.overall.reward / self.overall.count).clamp(0.01, 0.99);
        Average {
            rate,
            log_odds: log_odds(rate),
        }
    }

    fn group(&self, average: &Average, key: u64) -> f32 {
        self.groups
            .get(&key)
            .map_or(0.0, |group| average.standing(group))
    }

    /// What is known of a link, as numbers.
    fn signals(&self, topic: &Topic, link: &LinkFeatures) -> Signals {
        let judge = &topic.judge;
        let mut signals: Signals = [0.0; SIGNAL_COUNT];
        signals[0] = 1.0;
        signals[2] = judge.keys_say(link.keys[1]);
        signals[6] = judge.words_say(&link.url).0.clamp(-3.0, 3.0);
        if self.config.use_anchor {
            let (anchor, anchor_alike) = judge.words_say(&link.anchor);
            let (context, context_alike) = judge.words_say(&link.context);
            signals[1] = judge.keys_say(link.keys[0]);
            signals[3] = judge.keys_say(link.keys[2]);
            signals[4] = anchor.clamp(-3.0, 3.0);
            signals[5] = (10.0 * anchor_alike).clamp(0.0, 3.0);
            signals[7] = context.clamp(-3.0, 3.0);
            signals[8] = (10.0 * context_alike).clamp(0.0, 3.0);
        }
        let (mut count, mut sum, mut best, mut evidence) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
        let average = self.average();
        let (mut children, mut siblings) = (Group::default(), Group::default());
        let mut depth = u8::MAX;
        for &parent in &link.parents {
            let Some(row) = self.pages.get(parent) else {
                continue;
            };
            count += 1.0;
            sum += row.relevance;
            best = best.max(row.relevance);
            evidence = evidence.max(row.evidence);
            depth = depth.min(row.depth);
            children.count += row.children;
            children.reward += row.children_reward;
            // Without a link of its own that was followed, a page has no group of them.
            if self.config.use_tag_path
                && row.children > 0.0
                && let Some(group) = self.groups.get(&Self::sibling_key(parent, link))
            {
                siblings.count += group.count;
                siblings.reward += group.reward;
            }
        }
        if count > 0.0 {
            let mean = sum / count;
            let all = link.parent_count.max(1) as f32;
            let base = (self.overall.reward / self.overall.count).clamp(0.02, 0.9);
            signals[22] = ((sum / count * all + 2.0 * base) / (all + 2.0) / base)
                .ln()
                .clamp(-4.0, 4.0);
            signals[9] = mean - 0.5;
            signals[10] = best - 0.5;
            signals[11] = (1.0 + mean * all).ln();
            signals[12] = all.ln();
            signals[13] = average.standing(&children);
            signals[14] = average.standing(&siblings);
            signals[19] = f32::from(depth.min(8)) / 4.0;
            signals[20] = evidence;
        }
        let keys = self.group_keys(link);
        signals[15] = self.group(&average, keys[0]);
        signals[16] = self.group(&average, keys[1]);
        if self.config.use_tag_path {
            signals[17] = self.group(&average, keys[2]);
            signals[18] = f32::from(u8::from(link.in_main));
        }
        if self.config.use_anchor {
            signals[21] = self.words_say(link);
        }
        signals
    }
}

/// How all links together did.
#[derive(Debug, Clone, Copy)]
struct Average {
    rate: f32,
    log_odds: f32,
}

impl Average {
    /// How much better or worse than all links those of a group did, in log-odds.
    fn standing(&self, group: &Group) -> f32 {
        let rate = ((group.reward + GROUP_FIRMNESS * self.rate) / (group.count + GROUP_FIRMNESS))
            .clamp(0.01, 0.99);
        (log_odds(rate) - self.log_odds).clamp(-4.0, 4.0)
    }
}

fn log_odds(rate: f32) -> f32 {
    (rate / (1.0 - rate)).ln()
}

/// A hasher for keys that are numbers: the standard one is seeded and slow.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0 ^ u64::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = mix(self.0 ^ u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0 ^ number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_outcome_of_a_group_says_little_and_twenty_say_much() {
        let average = LinkModel::new(&LinkModelConfig::default()).average();
        let standing = |count, reward| average.standing(&Group { count, reward });
        assert!(standing(1.0, 1.0) < 0.7);
        assert!(standing(20.0, 20.0) > 2.0);
        assert_eq!(standing(0.0, 0.0), 0.0);
    }

    fn link(id: u32, host: u32) -> LinkFeatures {
        LinkFeatures {
            id,
            groups: [host, host, 0],
            ..LinkFeatures::default()
        }
    }

    fn model(exploration: f32) -> LinkModel {
        LinkModel::new(&LinkModelConfig {
            exploration,
            ..LinkModelConfig::default()
        })
    }

    #[test]
    fn a_crawl_that_has_found_nothing_asks_all_hosts_in_turn() {
        let mut model = model(0.02);
        for id in 0..30 {
            model.count(&link(id, 1), 0.0);
        }
        model.count(&link(30, 2), 0.0);
        let explores = |model: &LinkModel| [1, 2, 3].map(|host| model.explores(&link(99, host)));
        assert_eq!(explores(&model), [false, true, true]);
        model.config.exploration = 0.0;
        assert_eq!(explores(&model), [false; 3]);
    }

    #[test]
    fn a_crawl_that_has_found_something_explores_within_its_share() {
        let explored = |exploration: f32| {
            let mut model = model(exploration);
            model.found = true;
            model.overall.count = 100.0;
            model.explored = 10;
            (0..100).filter(|&id| model.explores(&link(id, 1))).count()
        };
        assert!((5..25).contains(&explored(0.2)));
        // Ten of a hundred fetches are more than its share.
        assert_eq!(explored(0.02), 0);
    }

    #[test]
    fn how_good_a_hub_a_page_was_is_noted_however_many_came_before() {
        let config = crate::topic::TopicConfig {
            keywords: vec!["bird".to_owned()],
            ..Default::default()
        };
        let topic = Topic::new(&config).unwrap();
        let mut model = model(0.02);
        for page in 0..2 * ROWS_MAX as u32 {
            let link = link(page, 1);
            model.on_page(
                &topic,
                &Arrival {
                    page,
                    url: page,
                    link: Some(&link),
                    relevance: 0.1,
                    evidence: 0.0,
                    reward: 0.1,
                },
            );
            model.on_new_links(page, &[0.9; 8]);
        }
        assert!(model.rows.iter().all(|row| row.hub > 0.8));
    }
}
