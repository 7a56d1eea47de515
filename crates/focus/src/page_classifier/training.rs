//! How the classifier learns: which pages it is trained on, their labels, and the training.
//!
//! The pages of a crawl have no labels. So the classifier labels them itself (self-training): the
//! pages it ranks first count as on topic, most others as off topic, and those between as hardly
//! anything. Four bounds keep it from drifting away from what the user asked for: at most a share of
//! the pages counts as on topic, and no more than were told to be so as they came; the user's own
//! keywords and examples weigh more in the ranking than what was learnt; and what was learnt counts as
//! far as it recognises the examples. These are
//! the only pages whose label is known. Each is scored by the model that was trained without it, and
//! a model that takes it for off topic has learnt something else than the topic.

use serde::{Deserialize, Serialize};

use super::beside::{Beside, Counts};
use super::marks::Marks;
use super::plain::PlainQuery;
use super::{
    BESIDE, FORM, KEYWORDS, LEARNT_WORDS, LIKENESS, LINKED_PAGES, Linked, MARKS, PageClassifier,
    Scores,
};
use crate::calibration::{Calibration, Moments};
use crate::hashing::{split_mix, term_bucket};
use crate::logistic::{log_odds, probability};
use crate::page_form::FormModel;
use crate::page_terms::PageTerms;
use crate::sgd::{Models, Row};
use crate::sparse_vectors::{NumberedTerm, UnitVectors, dot};

/// Pages of the crawl that are kept to train on.
const TRAINING_PAGES_MAX: usize = 1_000;
/// Terms kept of each, those of the largest tf-idf.
const TRAINING_TERMS_MAX: usize = 256;
/// Pages between two trainings at first; later a tenth of the pages seen, so that the cost for each
/// page stays the same.
const TRAINING_INTERVAL_MIN: u32 = 10;
/// How often labels and calibrations are set in turn, each from the other.
const ROUNDS: usize = 2;

/// The share of the pages that can count as on topic.
const POSITIVE_SHARE: f32 = 0.15;
/// The same share among pages that the user's keywords and examples do not speak against. Of a broad
/// topic, with examples as unlike as a bird and a herb, these say little of any page. Then what is
/// learnt must reach further, or the model learns that most of the topic is something else.
const POSITIVE_SHARE_UNOPPOSED: f32 = 0.25;
/// Pages that can count as on topic beside the share: some, and some for each example.
const POSITIVES_MIN: f32 = 3.0;
const POSITIVES_PER_EXAMPLE: f32 = 2.0;
/// Below these log-odds by keywords and likeness, the user's words speak against a page.
const USER_AGAINST: f32 = -0.4;
/// From these log-odds on they speak for it so clearly that it counts as on topic beyond the shares.
const USER_CLEARLY_FOR: f32 = 1.0;
/// How often the log-odds by keywords and likeness are added once more when pages are ranked.
const USER_WEIGHT: f32 = 3.0;
/// Below these log-odds no page counts as on topic. They are well below 0: a model that has come to
/// doubt all pages would else find none to learn from, and doubt them the more.
const POSITIVE_MIN: f32 = -1.5;
/// The same where the user gave keywords alone. With no example to go by, what is learnt from a
/// doubtful page can lead anywhere.
const POSITIVE_MIN_KEYWORDS: f32 = -1.0;
/// The least label of a page that counts as on topic.
const POSITIVE_LABEL_MIN: f32 = 0.1;
/// The label of a page that is neither. Of one that is on topic by all opinions together and yet beyond
/// the shares it is less, in proportion to the doubt: on a site where nearly every page is on topic such
/// pages are most of those that are not labelled so, and the model would learn against the topic.
const BETWEEN_LABEL: f32 = -0.05;

/// The weight of an example in the training of the words, a page of label 1.0 having weight 1.0.
const EXAMPLE_WEIGHT: f32 = 3.0;
/// The weight of an example in the calibration.
const EXAMPLE_CALIBRATION_WEIGHT: f32 = 2.0;
/// Pages of each kind at which the trust in the learnt words is half of what that kind allows.
const HALF_TRUST_PAGES: f32 = 4.0;
/// The log-odds of an example, by learnt words that were learnt without it, from which on these recognise
/// it.
const RECOGNISED_LOG_ODDS: f32 = 2.0;
/// The least weight of the learnt words: a broad topic's examples say little of each other.
const RECOGNITION_MIN: f32 = 0.1;
/// How much heavier pages on topic can be made where they are few.
const BALANCE_MAX: f32 = 8.0;
/// The likeness of an only example to the centroid, which is itself.
const LONE_EXAMPLE_LIKENESS: f32 = 0.25;
/// Examples are scored by the marks of the others one by one, or where there are more than these, in so
/// many parts.
const MARK_FOLDS_MAX: usize = 16;
/// The least variance of each score's calibration.
const VARIANCE_MIN: [f32; BESIDE] = [0.02, 0.0015, 0.1, 0.3, 1.0, 1.0];

/// A page to train on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TrainingPage {
    /// The page's number in the journal.
    pub(super) page: u32,
    /// How many pages had been seen, this one included.
    pub(super) seen_at: u64,
    /// The score of the link that led to it; `None` for a seed.
    pub(super) promise: Option<f32>,
    /// It is new, and nothing rules it out: it counts as found when it is relevant.
    pub(super) counts: bool,
    pub(super) kind: Kind,
    pub(super) terms: Vec<NumberedTerm>,
    /// Which terms it has that examples share, where marks count; none of an example.
    pub(super) shared_terms: Vec<u32>,
    /// The page's terms without the terms: keyword counts and links.
    pub(super) rest: PageTerms,
    pub(super) probability: f32,
    /// The chance that its subject is the topic, as it was told when the page came.
    pub(super) told: f32,
    /// How surely it is on topic (above 0.0) or not (below), -1.0 to 1.0.
    pub(super) label: f32,
    /// Its log-odds by keywords and likeness alone, which are the user's own.
    pub(super) user_log_odds: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Example,
    CounterExample,
    Crawled,
}

impl PageClassifier {
    /// How like the user's own words each example is, all examples taken together, by the number of its
    /// URL.
    pub(crate) fn examples_compared(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        let examples = self.training_pages.iter();
        let examples = examples.filter(|page| page.kind == Kind::Example);
        examples.map(|page| (page.rest.url_id, self.plain_score(&page.rest)))
    }

    pub(crate) fn add_example(&mut self, terms: PageTerms, on_topic: bool) {
        // An example counts whole in the document frequencies: a few examples share words by chance,
        // and these would else pass for words of the topic.
        self.term_table.count_page(&terms, 0.0);
        self.keywords.set_rarities(self.pages_seen);
        self.example_count += usize::from(on_topic);
        self.wants_listings |= on_topic && terms.listing;
        if on_topic {
            self.languages.name(terms.language);
        }
        let numbered = self
            .term_numbers
            .number_terms(&self.term_table, terms.terms.iter());
        self.training_pages.insert(
            0,
            TrainingPage {
                page: u32::MAX,
                seen_at: 0,
                promise: None,
                counts: false,
                kind: match on_topic {
                    true => Kind::Example,
                    false => Kind::CounterExample,
                },
                terms: numbered,
                shared_terms: Vec::new(),
                rest: PageTerms {
                    terms: Vec::new(),
                    ..terms
                },
                probability: f32::from(u8::from(on_topic)),
                told: 0.0,
                label: 0.0,
                user_log_odds: 0.0,
            },
        );
        self.train(&|_, _| Linked::default());
    }

    /// Takes in a page of the crawl: the chance that its subject is the topic by the sum of the opinions,
    /// the same as it was told, and the score of the link that led to it. True when
    /// [`PageClassifier::train`] is due.
    pub(crate) fn add_page(
        &mut self,
        page: u32,
        terms: &PageTerms,
        relevance: f32,
        told: f32,
        promise: Option<f32>,
        is_new: bool,
    ) -> bool {
        self.term_table.count_page(terms, relevance);
        self.pages_seen += 1;
        self.keywords.count_page(terms, self.pages_seen);
        let training_page = TrainingPage {
            page,
            seen_at: self.pages_seen,
            promise,
            counts: is_new && self.ruled_out_by(terms).is_none(),
            kind: Kind::Crawled,
            terms: Vec::new(),
            shared_terms: Vec::new(),
            rest: PageTerms::default(),
            probability: relevance,
            told,
            label: 0.0,
            user_log_odds: 0.0,
        };
        self.sample(training_page, terms);
        self.pages_since_training += 1;
        self.pages_since_training >= TRAINING_INTERVAL_MIN.max((self.pages_seen / 10) as u32)
    }

    /// Keeps a page to train on, or not: reservoir sampling, so that every page of the crawl is kept
    /// with the same probability.
    fn sample(&mut self, mut page: TrainingPage, terms: &PageTerms) {
        let is_full = self.training_pages.len() >= TRAINING_PAGES_MAX + self.example_count;
        let slot = is_full.then(|| {
            let examples = self.training_pages.iter();
            let examples = examples.take_while(|page| page.kind != Kind::Crawled);
            examples.count() + (split_mix(self.seed ^ self.pages_seen) % self.pages_seen) as usize
        });
        if slot.is_some_and(|slot| slot >= self.training_pages.len()) {
            return;
        }
        page.terms = self.top_terms(terms);
        page.rest = terms.without_terms();
        page.shared_terms = self.marks.shared_terms(&terms.terms);
        match slot {
            Some(slot) => self.training_pages[slot] = page,
            None => self.training_pages.push(page),
        }
    }

    /// The terms of a page with the largest tf-idf, in the page's order.
    fn top_terms(&mut self, terms: &PageTerms) -> Vec<NumberedTerm> {
        let mut order: Vec<(f32, usize)> = terms
            .terms
            .iter()
            .enumerate()
            .map(|(at, term)| (self.term_table.tf_idf(term), at))
            .collect();
        if order.len() > TRAINING_TERMS_MAX {
            order.select_nth_unstable_by(TRAINING_TERMS_MAX, |a, b| {
                b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
            });
            order.truncate(TRAINING_TERMS_MAX);
            order.sort_unstable_by_key(|(_, at)| *at);
        }
        let top = order.into_iter().map(|(_, at)| &terms.terms[at]);
        self.term_numbers.number_terms(&self.term_table, top)
    }

    /// Trains the model of words, sets the calibrations, and judges the training pages anew.
    /// `linked` gives what links say of a page, by its number and its terms; that of an example is
    /// `u32::MAX`.
    pub(crate) fn train(&mut self, linked: &dyn Fn(u32, &PageTerms) -> Linked) {
        self.pages_since_training = 0;
        let pages = self.training_pages.iter().map(|page| &*page.terms);
        let vectors = UnitVectors::new(&self.term_table, &self.term_numbers, pages);
        let centroid = self.set_centroid(&vectors);
        self.set_forms();
        if !self.tells {
            // Only what links learn from is compared with it.
            self.set_plain_query();
        }
        let mut of_examples = self.set_marks().into_iter();
        let learnt = match self.adapt {
            true => self.train_words(&vectors),
            false => vec![0.0; vectors.len()],
        };
        let pages = self.training_pages.iter().zip(vectors.iter()).zip(&learnt);
        let mut scores: Vec<Scores> = pages
            .map(|((page, vector), &learnt)| {
                let likeness = self.likeness(page, vector, &centroid);
                let linked = linked(page.page, &page.rest);
                [
                    self.keywords.score(&page.rest),
                    likeness,
                    learnt,
                    linked.pages,
                    self.forms
                        .score(&page.rest.form, page.kind == Kind::Example),
                    match page.kind {
                        Kind::Example => of_examples.next().unwrap_or(0.0),
                        Kind::CounterExample | Kind::Crawled => {
                            self.marks.score(page.shared_terms.iter().copied())
                        }
                    },
                    f32::from(u8::from(linked.beside_example)),
                ]
            })
            .collect();
        let read = self.training_pages.iter().zip(&scores);
        let read = read.filter(|(page, _)| page.kind == Kind::Crawled);
        self.languages
            .set(read.map(|(page, scores)| (page.rest.language, scores)));
        for (page, scores) in self.training_pages.iter().zip(&mut scores) {
            *scores = self.in_its_language(&page.rest, *scores);
        }
        for _ in 0..ROUNDS {
            self.set_labels();
            self.calibrate(&scores);
            self.judge_again(&scores);
        }
    }

    fn judge_again(&mut self, scores: &[Scores]) {
        for (at, scores) in scores.iter().enumerate() {
            if self.training_pages[at].kind == Kind::Crawled {
                let parts = self.log_odds_of(*scores);
                let sum = parts.iter().sum::<f32>() + self.prior();
                let page = &mut self.training_pages[at];
                page.user_log_odds = parts[KEYWORDS] + parts[LIKENESS];
                page.probability = probability(sum);
            }
        }
    }

    /// Labels the pages of the crawl by their rank. At most a share of them counts as on topic
    /// however many are judged so. The next ones count as hardly anything, and so do all others that
    /// are judged so: the model can neither run away with the topic nor learn against it.
    ///
    /// Nor do more count than were told to be on topic as they came, which is to be expected of each by
    /// its probability. A crawl finds the topic first. When little of it is left, a share of all pages is
    /// more than there are, and the model would learn the topic anew from pages beside it. With keywords
    /// alone, which say nothing of most pages, fewer are told to be on topic than are.
    pub(super) fn set_labels(&mut self) {
        let crawled = |at: &usize| self.training_pages[*at].kind == Kind::Crawled;
        let mut order: Vec<usize> = (0..self.training_pages.len()).filter(crawled).collect();
        let keys: Vec<f32> = self
            .training_pages
            .iter()
            .map(|page| log_odds(page.probability) + USER_WEIGHT * page.user_log_odds)
            .collect();
        order.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]).then(a.cmp(&b)));
        let clear = |at: &&usize| self.training_pages[**at].user_log_odds >= USER_CLEARLY_FOR;
        let some = POSITIVES_PER_EXAMPLE * self.example_count as f32 + POSITIVES_MIN;
        let told = order.iter().map(|&at| self.training_pages[at].told);
        let told_max = match self.has_examples() {
            true => some + told.sum::<f32>(),
            false => f32::INFINITY,
        };
        let share =
            some + POSITIVE_SHARE * order.len() as f32 + order.iter().filter(clear).count() as f32;
        let positives_max = share.min(told_max);
        let (unopposed_share, positive_min) = if self.has_examples() {
            (POSITIVE_SHARE_UNOPPOSED, POSITIVE_MIN)
        } else {
            (0.0, POSITIVE_MIN_KEYWORDS)
        };
        let unopposed_max = (unopposed_share * order.len() as f32).min(told_max);
        let positive_min = probability(positive_min);
        for (rank, at) in order.into_iter().enumerate() {
            let page = &mut self.training_pages[at];
            let place = rank as f32 / positives_max;
            let is_unopposed = page.user_log_odds >= USER_AGAINST && (rank as f32) < unopposed_max;
            page.label = if (place < 1.0 || is_unopposed) && page.probability >= positive_min {
                (1.0 - place)
                    .max(2.0 * page.probability - 1.0)
                    .clamp(POSITIVE_LABEL_MIN, 1.0)
            } else if page.probability >= 0.5 {
                BETWEEN_LABEL * 2.0 * (1.0 - page.probability)
            } else if place > 2.0 || page.probability < 0.5 * positive_min {
                -1.0
            } else {
                BETWEEN_LABEL
            };
        }
    }

    /// Sets what the plain rule compares pages with: how common words are has changed.
    fn set_plain_query(&mut self) {
        let examples = self.training_pages.iter();
        let examples = examples.filter(|page| page.kind == Kind::Example);
        let keywords = self.keywords().wanted_words().map(term_bucket);
        self.plain = PlainQuery::of(
            &self.term_table,
            examples.map(|page| &*page.rest.words),
            keywords,
        );
    }

    /// Compares the forms of the examples with those of the pages read.
    fn set_forms(&mut self) {
        let of = |kind: Kind| {
            let pages = self.training_pages.iter();
            pages
                .filter(move |page| page.kind == kind)
                .map(|page| &page.rest.form)
        };
        self.forms = FormModel::of(of(Kind::Example), of(Kind::Crawled));
    }

    /// Looks for the marks of the examples; gives the score of each by the marks of the others.
    fn set_marks(&mut self) -> Vec<f32> {
        if !self.tells {
            return Vec::new();
        }
        let buckets = self.term_numbers.buckets();
        let examples = self.training_pages.iter();
        let examples = examples.filter(|page| page.kind == Kind::Example);
        let terms: Vec<Vec<u32>> = examples
            .map(|page| {
                page.terms
                    .iter()
                    .map(|term| buckets[term.0 as usize])
                    .collect()
            })
            .collect();
        let all: Vec<&[u32]> = terms.iter().map(Vec::as_slice).collect();
        self.marks = Marks::of(&self.term_table, &all);
        let folds = all.len().min(MARK_FOLDS_MAX);
        let by_others: Vec<Marks> = (0..folds)
            .map(|fold| {
                let others = all.iter().enumerate();
                let others = others.filter(|(at, _)| at % folds != fold);
                let others: Vec<&[u32]> = others.map(|(_, terms)| *terms).collect();
                Marks::of(&self.term_table, &others)
            })
            .collect();
        let scored = all.iter().enumerate();
        scored
            .map(|(at, own)| by_others[at % folds].score(own.iter().copied()))
            .collect()
    }

    /// How like the examples a training page is.
    fn likeness(&self, page: &TrainingPage, vector: &[NumberedTerm], centroid: &[f32]) -> f32 {
        let likeness = dot(vector, centroid);
        match page.kind {
            // An example's own share of the centroid is left out: it would be like itself.
            Kind::Example if self.example_count > 1 => {
                let count = self.example_count as f32;
                let own = vector.iter().map(|(_, x)| x * x).sum::<f32>();
                ((likeness * count - own) / (count - 1.0)).max(0.0)
            }
            Kind::Example => LONE_EXAMPLE_LIKENESS,
            Kind::CounterExample | Kind::Crawled => likeness,
        }
    }

    /// Sets the examples' centroid in the term table; gives it by the terms' numbers.
    fn set_centroid(&mut self, vectors: &UnitVectors) -> Vec<f32> {
        let mut centroid = vec![0.0; self.term_numbers.len()];
        let share = 1.0 / self.example_count.max(1) as f32;
        let is_example = |page: &&TrainingPage| page.kind == Kind::Example;
        let pages = self.training_pages.iter().zip(vectors.iter());
        for (_, vector) in pages.filter(|(page, _)| is_example(page)) {
            for &(number, x) in vector {
                centroid[number as usize] += share * x;
            }
        }
        for page in self.training_pages.iter().filter(is_example) {
            for &(number, _) in &page.terms {
                let bucket = self.term_numbers.buckets()[number as usize];
                self.term_table.entry_mut(bucket).centroid = centroid[number as usize];
            }
        }
        centroid
    }

    /// Sets the calibrations from the scores of pages on topic and of other pages, each page by its
    /// label.
    fn calibrate(&mut self, scores: &[Scores]) {
        let mut on_topic = [Moments::default(); BESIDE];
        let mut off_topic = [Moments::default(); BESIDE];
        let (mut listed_on, mut listed_off) = (Counts::default(), Counts::default());
        // Priors, worth a few pages.
        on_topic[KEYWORDS].add(0.6, 2.0);
        off_topic[KEYWORDS].add(0.1, 4.0);
        off_topic[LIKENESS].add(0.03, 4.0);
        for (page, scores) in self.training_pages.iter().zip(scores) {
            let (on, off) = match page.kind {
                Kind::Example => (EXAMPLE_CALIBRATION_WEIGHT, 0.0),
                Kind::CounterExample => (0.0, EXAMPLE_CALIBRATION_WEIGHT),
                Kind::Crawled => (page.label.max(0.0), (-page.label).max(0.0)),
            };
            listed_on.add(scores[BESIDE], on);
            listed_off.add(scores[BESIDE], off);
            for (at, &score) in scores.iter().take(BESIDE).enumerate() {
                on_topic[at].add(score, on);
                off_topic[at].add(score, off);
            }
        }
        for at in [KEYWORDS, LIKENESS, LEARNT_WORDS, LINKED_PAGES, FORM, MARKS] {
            self.calibrations[at] =
                Calibration::of(&on_topic[at], &off_topic[at], VARIANCE_MIN[at]);
        }
        if self.tells && self.has_examples() {
            self.beside = Beside::of(&listed_on, &listed_off);
        }
        self.recognition = self.recognition_of_examples(scores);
        self.form_evidence = self.evidence_for_form(scores);
    }

    /// How well the learnt words recognise the examples, each by the model that was trained without
    /// it. None says more than that it is recognised or that it is not: what all but one say clearly does
    /// not make up for a part of the topic that is taken to be another.
    pub(super) fn recognition_of_examples(&self, scores: &[Scores]) -> f32 {
        if !self.has_examples() {
            return 1.0;
        }
        let examples = self.training_pages.iter().zip(scores);
        let examples = examples.filter(|(page, _)| page.kind == Kind::Example);
        let calibration = &self.calibrations[LEARNT_WORDS];
        let sum: f32 = examples
            .map(|(_, scores)| calibration.log_odds(scores[LEARNT_WORDS]) / RECOGNISED_LOG_ODDS)
            .map(|recognised| recognised.clamp(-1.0, 1.0))
            .sum();
        (sum / self.example_count as f32).max(RECOGNITION_MIN)
    }

    /// How far the form tells the examples from other pages: none where they are no likelier by the
    /// forms of the other examples than by those of all pages, and all the likelier they are.
    fn evidence_for_form(&self, scores: &[Scores]) -> f32 {
        if self.example_count < 2 {
            return 0.0;
        }
        let examples = self.training_pages.iter().zip(scores);
        let examples = examples.filter(|(page, _)| page.kind == Kind::Example);
        let sum: f32 = examples.map(|(_, scores)| scores[FORM]).sum();
        let mean = sum / self.example_count as f32;
        1.0 - (-mean.max(0.0)).exp()
    }

    /// Trains the model of words on the training pages by their labels; gives each page's score.
    ///
    /// A page is scored by the model that was trained on the other half of the pages. Under a model
    /// trained on it, every page would confirm the label it was given.
    fn train_words(&mut self, vectors: &UnitVectors) -> Vec<f32> {
        self.set_labels();
        let (mut rows, [on, off]) = self.rows();
        self.learnt_trust = (on / (on + HALF_TRUST_PAGES)) * (off / (off + HALF_TRUST_PAGES));
        if on < 0.5 || off < 0.5 {
            self.learnt_trust = 0.0;
            return vec![0.0; vectors.len()];
        }
        for row in &mut rows {
            row.weight *= if row.label > 0.5 {
                (off / on).sqrt().min(BALANCE_MAX)
            } else {
                (on / off).sqrt().min(1.0)
            };
        }
        let term_count = self.term_numbers.len();
        let models = Models::train(&mut rows, vectors, term_count, self.seed);
        self.learnt_bias = models.bias();
        for (&bucket, weight) in self.term_numbers.buckets().iter().zip(models.weights()) {
            self.term_table.entry_mut(bucket).learnt = weight;
        }
        (0..vectors.len())
            .map(|at| models.held_out_score(at, vectors.get(at)))
            .collect()
    }

    /// The training pages as rows, and the weights of those on topic and of the others.
    fn rows(&self) -> (Vec<Row>, [f32; 2]) {
        let (mut on, mut off) = (0.0, 0.0);
        let pages = self.training_pages.iter().enumerate();
        let rows = pages.map(|(at, page)| {
            let (label, weight) = match page.kind {
                Kind::Example => (1.0, EXAMPLE_WEIGHT),
                Kind::CounterExample => (0.0, EXAMPLE_WEIGHT),
                Kind::Crawled if page.label > 0.0 => (1.0, page.label),
                Kind::Crawled => (0.0, -page.label),
            };
            *(if label > 0.5 { &mut on } else { &mut off }) += weight;
            Row { at, label, weight }
        });
        (rows.collect(), [on, off])
    }

    /// The crawled training pages by number, with their probabilities as judged at the last
    /// training.
    pub(crate) fn probabilities(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.training_pages
            .iter()
            .filter(|page| page.kind == Kind::Crawled)
            .map(|page| (page.page, page.probability))
    }
}
