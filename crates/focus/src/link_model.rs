//! The link model: how worthwhile is it to fetch the target of a link?
//!
//! The score of a link is the chance that its page is relevant *and* new, plus a share of the chance
//! that its page is a hub, one that leads to such pages: a list of good pages is no good page itself,
//! but worth a fetch as long as nothing better waits.
//!
//! Both chances come from logistic models over two dozen signals (`signals.rs`); the first is mixed with
//! what simpler experts say (`experts.rs`), and the score falls where links like it were
//! mostly dead (`answers.rs`). The models are fitted
//! anew from time to time (`logistic_newton.rs`): every fetched link is a row with its outcome, and the
//! weights are the most probable ones given the rows and the priors. With no rows the priors decide;
//! with a thousand the site does. Outcomes of groups of links (`link_groups.rs`) and of links' words
//! (`link_words.rs`) are learnt at once, and are signals themselves.
//!
//! Sources: Meusel, Mika, Blanco, *Focused crawling for structured data*, CIKM 2014 (online
//! classifier and bandit over links); Chakrabarti, Punera, Subramanyam, *Accelerated focused crawling
//! through online relevance feedback*, WWW 2002 (learning from the surroundings of links).

mod link_signals;

use serde::{Deserialize, Serialize};

use crate::answers::AnswerModel;
use crate::calibration::told;
use crate::example_places::ExamplePlaces;
use crate::experts::{Experts, PLAIN};
use crate::fetched_pages::{FetchedPage, FetchedPages};
use crate::hashing::split_mix;
use crate::link_features::{LinkFeatures, PARENTS_MAX};
use crate::link_groups::{GroupKeys, LinkGroups};
use crate::link_words::LinkWordModel;
use crate::logistic::probability;
use crate::logistic_newton::{fit, weighted_sum};
use crate::page_classifier::Linked;
use crate::signals::{HUB_PRIOR, RELEVANT_PRIOR, Signals, signal_names};
use crate::topic::Topic;

/// Fetched links that are kept as rows to learn from.
const ROWS_MAX: usize = 1_500;
/// A URL form with this many outcomes is known, and needs no exploration.
const KNOWN_OUTCOMES: f32 = 3.0;
/// Of the links of little known forms, one in so many is explored.
const EXPLORED_ONE_IN: u64 = 8;
/// The score of a link that is explored: above doubtful links, below good ones.
const EXPLORED_SCORE: f32 = 0.2;
/// The best new links of a page, whose mean score says how good a hub it is.
const HUB_LINKS: usize = 8;
/// From this relevance of its subject on, a page is where distances are counted from.
const DISTANCE_RELEVANCE_MIN: f32 = 0.5;
/// Average pages that the relevance of linked pages is mixed with.
const PRIOR_PAGES: f32 = 2.0;

/// Settings of the link model.
#[derive(Debug, Clone)]
pub struct LinkModelConfig {
    /// Share of fetches spent on groups of links that are little known, 0.0 to 1.0.
    pub exploration: f32,
    /// What a page that leads to relevant pages is worth, a relevant page being worth 1.0.
    pub hub_worth: f32,
    /// Seed of all pseudo-random choices.
    pub seed: u64,
    /// Whether the weights are learnt from outcomes. If not, the priors decide.
    pub adapt: bool,
    /// Whether anchors and the text around them are looked at.
    pub use_anchor: bool,
    /// Whether tag paths are looked at.
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

/// The score of a link, with reasons.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkScore {
    /// The priority in the frontier, 0.0 to 1.0.
    pub score: f32,
    /// The chance that the page is relevant and new.
    pub relevant: f32,
    /// The chance that the page leads to such pages.
    pub hub: f32,
    /// The chance that there is a page at all.
    pub answers: f32,
    /// The share of the score that is left for that: 1.0 unless the chance is far below the average.
    pub kept: f32,
    /// Whether the score was raised to try a little known group.
    pub explored: bool,
    /// What each signal adds to the log-odds of being relevant by the learnt model, by name, strongest
    /// first.
    pub why: Vec<(&'static str, f32)>,
    /// By the learnt model alone, the chance that the page is relevant and new.
    pub learnt: f32,
    /// What each expert says of that chance, by name, with its weight in `relevant`.
    pub experts: Vec<(&'static str, f32, f32)>,
}

/// The outcome of a fetch, as the link model learns from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FetchOutcome<'a> {
    /// The page's number.
    pub(crate) page: u32,
    pub(crate) url_id: u32,
    /// The features of the link that was followed; `None` for a seed.
    pub(crate) link: Option<&'a LinkFeatures>,
    /// The probability that the page's subject is the topic.
    pub(crate) relevance: f32,
    /// The keywords' score of the page.
    pub(crate) keyword_score: f32,
    /// How like the user's own words the page is.
    pub(crate) plain: f32,
    /// What the fetch was worth: the relevance, or 0.0 for a page that is not new or not there.
    pub(crate) reward: f32,
}

/// A page that was judged and is not learnt from yet, as its own links will see it.
#[derive(Debug, Clone)]
pub struct PageAhead {
    number: u32,
    page: FetchedPage,
}

/// A fetched link with its outcome.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Row {
    page: u32,
    signals: Signals,
    reward: f32,
    /// How good a hub the page was, 0.0 to 1.0.
    hub: f32,
}

/// What a link that waits promises.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Promise {
    /// The priority in the frontier, 0.0 to 1.0.
    pub score: f32,
    /// By the plain rule alone, the chance that the page is relevant and new.
    pub plain: f32,
}

/// A link's score and what it is made of.
#[derive(Debug, Clone, Copy)]
struct Estimate {
    score: f32,
    plain: f32,
    relevant: f32,
    hub: f32,
    answers: f32,
    kept: f32,
    explored: bool,
}

/// The online model of links.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LinkModel {
    #[serde(skip)]
    config: LinkModelConfig,
    pages: FetchedPages,
    groups: LinkGroups,
    answers: AnswerModel,
    example_places: ExamplePlaces,
    words: LinkWordModel,
    experts: Experts,
    /// The newest page that was read.
    newest_page: u32,
    /// The last fetched links, in a ring.
    rows: Vec<Row>,
    /// Rows added so far.
    row_count: usize,
    relevant_weights: Signals,
    hub_weights: Signals,
    /// Links that were explored.
    explored: u64,
    /// Whether a link has led to a page on topic.
    has_found: bool,
}

impl LinkModel {
    /// A model that has seen no outcome.
    pub(crate) fn new(config: &LinkModelConfig) -> LinkModel {
        LinkModel {
            config: config.clone(),
            pages: FetchedPages::default(),
            groups: LinkGroups::new(),
            answers: AnswerModel::default(),
            example_places: ExamplePlaces::default(),
            words: LinkWordModel::new(),
            experts: Experts::default(),
            newest_page: 0,
            rows: Vec::new(),
            row_count: 0,
            relevant_weights: RELEVANT_PRIOR,
            hub_weights: HUB_PRIOR,
            explored: 0,
            has_found: false,
        }
    }

    /// Goes on with what another of these settings has learnt.
    pub(crate) fn resume(&mut self, mut saved: LinkModel) {
        saved.config = std::mem::take(&mut self.config);
        *self = saved;
    }

    /// Learns from a fetch; gives the score that the link had until then.
    pub(crate) fn on_page(&mut self, topic: &Topic, outcome: &FetchOutcome<'_>) -> Option<f32> {
        let page = self.page_of(outcome);
        let score = outcome
            .link
            .map(|link| self.on_followed_link(topic, link, outcome));
        self.newest_page = self.newest_page.max(outcome.page);
        self.pages.insert(outcome.page, outcome.url_id, page);
        score
    }

    /// Takes in how like the user's own words some pages are, by the numbers of their URLs.
    pub(crate) fn compare_anew(&mut self, plain: impl Iterator<Item = (u32, f32)>) {
        for (url_id, plain) in plain {
            if let Some(page) = self.pages.of_url_mut(url_id) {
                page.plain = plain;
            }
        }
    }

    /// Learns that a link led to no page. That says nothing of the topic.
    pub(crate) fn on_dead(&mut self, link: Option<&LinkFeatures>) {
        if let Some(link) = link {
            self.answers.observe(link, false);
        }
    }

    /// A page before it is learnt from, for [`LinkModel::score`] of its links.
    pub(crate) fn ahead(&self, outcome: &FetchOutcome<'_>) -> PageAhead {
        PageAhead {
            number: outcome.page,
            page: self.page_of(outcome),
        }
    }

    /// What will be remembered of a page.
    fn page_of(&self, outcome: &FetchOutcome<'_>) -> FetchedPage {
        let distance = match outcome.link {
            _ if outcome.relevance >= DISTANCE_RELEVANCE_MIN => 0,
            Some(link) => self.distance(link).saturating_add(1),
            None => 0,
        };
        let mut page = FetchedPage {
            relevance: outcome.relevance,
            keyword_score: outcome.keyword_score,
            plain: outcome.plain,
            distance,
            beside_example: self.is_beside_example(outcome.link),
            ..FetchedPage::default()
        };
        let (relevance, count) = outcome
            .link
            .map_or((0.0, 0.0), |link| self.parent_relevance(link));
        page.add_parents(relevance, count);
        page
    }

    fn on_followed_link(
        &mut self,
        topic: &Topic,
        link: &LinkFeatures,
        outcome: &FetchOutcome<'_>,
    ) -> f32 {
        let reward = outcome.reward;
        let signals = self.signals(topic, link, None);
        let estimate = self.estimate(&signals, link);
        self.explored += u64::from(estimate.explored && self.has_found);
        self.has_found |= reward > 0.0 && told(outcome.relevance) >= topic.threshold();
        self.count_outcome(link, reward);
        self.answers.observe(link, true);
        if self.config.adapt {
            let expected = probability(weighted_sum(&signals, &self.relevant_weights));
            let chances = self.experts.chances(&signals, expected);
            self.experts.observe(&chances, reward);
            self.words.learn(link, reward - expected);
        }
        let row = Row {
            page: outcome.page,
            signals,
            reward,
            hub: 0.0,
        };
        if self.rows.len() < ROWS_MAX {
            self.rows.push(row);
        } else {
            self.rows[self.row_count % ROWS_MAX] = row;
        }
        self.row_count += 1;
        estimate.score
    }

    /// Counts an outcome for the link's groups and for the pages that have the link.
    fn count_outcome(&mut self, link: &LinkFeatures, reward: f32) {
        self.groups.observe(link, reward);
        for &parent in &link.parents {
            if let Some(page) = self.pages.get_mut(parent) {
                page.fetched_links += 1.0;
                page.fetched_reward += reward;
            }
        }
    }

    /// Takes in the scores of those links of a page that were new: they say how good a hub it is.
    pub(crate) fn on_new_links(&mut self, page: u32, scores: &[f32]) {
        let mut best = [0.0f32; HUB_LINKS];
        for &score in scores {
            if let Some(least) = best.iter_mut().min_by(|a, b| a.total_cmp(b))
                && score > *least
            {
                *least = score;
            }
        }
        let hub = best.iter().sum::<f32>() / best.len() as f32;
        // In a full ring the newest row is not the last.
        if let Some(newest) = self.row_count.checked_sub(1)
            && let Some(row) = self.rows.get_mut(newest % ROWS_MAX)
            && row.page == page
        {
            row.hub = hub;
        }
    }

    /// Learns from a link to an example that was read before: it leads to a page on topic, and nobody
    /// had to ask for it. Of many such links the first count, or a menu would drown all else.
    pub(crate) fn on_example_link(&mut self, topic: &Topic, link: &LinkFeatures) {
        let example = self.pages.of_url(link.url_id);
        if example.is_none_or(|page| page.parent_count >= PARENTS_MAX as f32) {
            return;
        }
        self.example_places.add(link);
        let signals = self.signals(topic, link, None);
        let expected = probability(weighted_sum(&signals, &self.relevant_weights));
        self.count_outcome(link, 1.0);
        if self.config.adapt {
            self.words.learn(link, 1.0 - expected);
        }
    }

    /// Takes in a link to a page that is known: its relevance depends on the pages linked with it.
    pub(crate) fn on_known_link(&mut self, parent: u32, url_id: u32) {
        let Some(relevance) = self.pages.get(parent).map(|page| page.relevance) else {
            return;
        };
        if let Some(page) = self.pages.of_url_mut(url_id) {
            page.add_parents(relevance, 1.0);
        }
    }

    /// Takes in the relevance of known pages as judged anew, and fits the weights.
    pub(crate) fn train(&mut self, relevance: impl Iterator<Item = (u32, f32)>) {
        for (number, relevance) in relevance {
            if let Some(page) = self.pages.get_mut(number) {
                page.relevance = relevance;
            }
        }
        if !self.config.adapt {
            return;
        }
        let rows = self.rows.iter();
        let rewards = rows.clone().map(|row| (&row.signals, row.reward));
        self.relevant_weights = fit(&RELEVANT_PRIOR, &self.relevant_weights, rewards);
        let rewards = rows.clone().map(|row| (&row.signals, row.reward));
        self.experts.train(rewards);
        let hubs = rows.map(|row| (&row.signals, row.hub));
        self.hub_weights = fit(&HUB_PRIOR, &self.hub_weights, hubs);
    }

    /// The priority of a link; where it stands on a page that is not learnt from yet, with that
    /// page in mind.
    pub(crate) fn score(
        &self,
        topic: &Topic,
        link: &LinkFeatures,
        page: Option<&PageAhead>,
    ) -> f32 {
        self.estimate(&self.signals(topic, link, page), link).score
    }

    /// What a link that waits promises, by all experts and by the plain rule alone.
    pub(crate) fn promise(&self, topic: &Topic, link: &LinkFeatures) -> Promise {
        let Estimate { score, plain, .. } = self.estimate(&self.signals(topic, link, None), link);
        Promise { score, plain }
    }

    /// The priority of a link, with reasons.
    pub(crate) fn explain_score(&self, topic: &Topic, link: &LinkFeatures) -> LinkScore {
        let signals = self.signals(topic, link, None);
        let estimate = self.estimate(&signals, link);
        let mut why: Vec<(&'static str, f32)> = signal_names()
            .zip(signals.iter().zip(&self.relevant_weights))
            .map(|(name, (signal, weight))| (name, signal * weight))
            .filter(|(_, part)| part.abs() >= 0.01)
            .collect();
        why.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let learnt = probability(weighted_sum(&signals, &self.relevant_weights));
        let chances = self.experts.chances(&signals, learnt);
        let experts = self.experts.weights().zip(chances);
        let experts = experts.map(|((name, weight), chance)| (name, chance, weight));
        LinkScore {
            score: estimate.score,
            relevant: estimate.relevant,
            hub: estimate.hub,
            answers: estimate.answers,
            kept: estimate.kept,
            explored: estimate.explored,
            why,
            learnt,
            experts: experts.collect(),
        }
    }

    fn estimate(&self, signals: &Signals, link: &LinkFeatures) -> Estimate {
        let learnt = probability(weighted_sum(signals, &self.relevant_weights));
        let chances = self.experts.chances(signals, learnt);
        let relevant = self.experts.mixed(&chances);
        let hub = probability(weighted_sum(signals, &self.hub_weights));
        let score = relevant + self.config.hub_worth * hub * (1.0 - relevant);
        let explored = self.is_explored(link);
        let score = if explored {
            score.max(EXPLORED_SCORE)
        } else {
            score
        };
        let (kept, answers) = self.answers.share_kept(link);
        Estimate {
            score: (kept * score).clamp(0.0, 1.0),
            plain: kept * chances[PLAIN],
            relevant,
            hub,
            answers,
            kept,
            explored,
        }
    }

    /// Whether this link is one of the few that are tried because little is known of their group.
    ///
    /// This is a bandit whose arms are the URL forms of the hosts. A link of a form with few outcomes
    /// is tried with a fixed chance, as long as such fetches stay within their share of all. A crawl
    /// that has found nothing yet has nothing to go by. There doubtful links are as good as each
    /// other, on all hosts with fewer fetches than the average one; or the crawl would read the
    /// first host to its end.
    fn is_explored(&self, link: &LinkFeatures) -> bool {
        if self.config.exploration <= 0.0 {
            return false;
        }
        let keys = GroupKeys::of(link);
        if !self.has_found {
            return self.groups.is_below_average(keys.host);
        }
        (self.explored as f32) < self.config.exploration * self.groups.all().count
            && self.groups.of(keys.url_form).count < KNOWN_OUTCOMES
            && split_mix(self.config.seed ^ u64::from(link.url_id)).is_multiple_of(EXPLORED_ONE_IN)
    }

    /// What links say of a page of the training: of a known page, or of an example, which has no number.
    /// The pages that it links to and that link to it count by how relevant they are against the average
    /// reward, as a logarithm; a target that many pages link to counts little.
    pub(crate) fn linked(&self, page: u32, url_id: u32, targets: &[u32]) -> Linked {
        let (mut relevance, mut weight) = self.target_relevance(targets);
        let known = self.pages.get(page);
        if let Some(page) = known {
            relevance += page.parent_relevance;
            weight += page.parent_count;
        }
        Linked {
            pages: self.against_average(relevance, weight),
            beside_example: known.map_or_else(
                || self.example_places.has_another(url_id),
                |page| page.beside_example,
            ),
        }
    }

    /// The same of a page that is not known yet and was found through `link`.
    pub(crate) fn linked_of_new(&self, targets: &[u32], link: Option<&LinkFeatures>) -> Linked {
        let (mut relevance, mut weight) = self.target_relevance(targets);
        if let Some(link) = link {
            let (parents, count) = self.parent_relevance(link);
            relevance += parents;
            weight += count;
        }
        Linked {
            pages: self.against_average(relevance, weight),
            beside_example: self.is_beside_example(link),
        }
    }

    fn is_beside_example(&self, link: Option<&LinkFeatures>) -> bool {
        link.is_some_and(|link| self.example_places.has(link))
    }

    fn against_average(&self, relevance: f32, weight: f32) -> f32 {
        let base = self.groups.base_rate();
        ((relevance + PRIOR_PAGES * base) / (weight + PRIOR_PAGES) / base)
            .ln()
            .clamp(-3.0, 3.0)
    }
}

#[cfg(test)]
mod tests;
