//! How relevant a page is: the classifier of the focused crawl.
//!
//! Seven scores of a page are calibrated to log-odds, bounded, and added up:
//!
//! * **Keywords**: where they stand and how densely.
//! * **Likeness**: the cosine with the centroid of the example pages.
//! * **Learnt words**: a logistic model over words, trained on the examples and on pages of the crawl
//!   that the classifier itself is sure about (self-training).
//! * **Linked pages**: how relevant the pages are that it links to, and those that link to it.
//! * **Form**: what it looks like (length, links, URL, the ends of its title) beside the examples. It
//!   counts as far as the form of the examples tells each from other pages by the other examples.
//! * **Marks**: single terms that the examples share and other pages lack (`marks.rs`). They count where
//!   a verdict is told, and not where a crawl is steered: see [`PageClassifier::teller`].
//! * **Lists**: whether it is linked from a place that links to an example, too (`beside.rs`). It counts
//!   where marks do.
//!
//! Calibration uses the scores of the examples and of the pages read so far, so a score that does not
//! tell pages on topic from others has no weight, and a probability of 0.5 means the same in every
//! crawl. The learnt words have no weight at first, and more with each page trained on. They are learnt
//! from labels that the classifier gave itself, so they can lead away from the topic and confirm
//! themselves. The examples alone are known to be on topic, so the learnt words count as far as they
//! recognise examples that they were not learnt from (`training.rs`). As each
//! score's log-odds are bounded, what was learnt can overrule the user's keywords and examples only
//! where these leave a page in doubt.
//!
//! The probability that is told is nearer to even odds than the sum of the opinions, since these repeat
//! each other (`calibration.rs`). The models learn from the sum.
//!
//! All this is about a page's subject. A list of links (an index, a tag page) about the topic leads
//! to pages about it, and is seldom one itself. So its relevance is a tenth of its subject's, while its
//! links inherit that of its subject; unless an example is such a list.

mod beside;
mod harvest_estimate;
mod languages;
mod marks;
mod plain;
mod training;

use serde::{Deserialize, Serialize};

use crate::calibration::{Calibration, LOG_ODDS_MAX, told_log_odds};
use crate::hashing::term_bucket;
use crate::keyword_score::KeywordScorer;
use crate::keywords::Keywords;
use crate::logistic::{log_odds, probability};
use crate::page_form::FormModel;
use crate::page_terms::PageTerms;
use crate::sparse_vectors::TermNumbers;
use crate::term_table::{TermScores, TermTable};

use beside::Beside;
pub(crate) use harvest_estimate::HarvestEstimate;
use languages::Languages;
use marks::Marks;
use plain::PlainQuery;
use training::TrainingPage;

/// The places of the seven scores in arrays.
const KEYWORDS: usize = 0;
const LIKENESS: usize = 1;
const LEARNT_WORDS: usize = 2;
const LINKED_PAGES: usize = 3;
const FORM: usize = 4;
const MARKS: usize = 5;
const BESIDE: usize = 6;

/// A number for each of the seven scores.
type Scores = [f32; 7];

/// What the scores are called in the reasons for a page's relevance.
const SCORE_NAMES: [&str; 7] = [
    "keywords",
    "likeness to the examples",
    "words learnt",
    "pages linked with it",
    "form of the page",
    "marks of the examples",
    "linked beside an example",
];

/// Weight of the likeness while nothing is learnt: five pages that the user chose say more than a
/// keyword. The learnt words take over up to half of it.
const LIKENESS_WEIGHT: f32 = 2.0;
/// The largest log-odds that linked pages can give. Links say less than words, and pages that link to
/// each other could confirm each other's mistakes.
const LINKED_PAGES_LOG_ODDS_MAX: f32 = 2.0;
/// The largest log-odds that a page's form can give.
const FORM_LOG_ODDS_MAX: f32 = 2.0;
/// The largest log-odds that marks can give.
const MARKS_LOG_ODDS_MAX: f32 = 2.0;
/// The largest log-odds that being linked beside an example, or not, can give.
const BESIDE_LOG_ODDS_MAX: f32 = 2.0;
/// The largest log-odds that learnt words can give where the user gave keywords alone.
const LEARNT_LOG_ODDS_MAX_KEYWORDS: f32 = 2.0;
/// Log-odds in favour of every page: a crawl in order of link scores does not come to a page by
/// chance.
const PRIOR_LOG_ODDS: f32 = 0.2;
/// How much of what a page's link promised is told of the page, where it speaks against it.
const PROMISE_AGAINST: f32 = 0.33;
/// No promise counts as less than this.
const PROMISE_MIN: f32 = 0.02;
/// The relevance of a list of links, as a share of its subject's.
const LISTING_SHARE: f32 = 0.1;
/// The relevance of a page that an excluded keyword or its language rules out.
const RULED_OUT_PROBABILITY: f32 = 0.02;

/// What the links to a page, and those on it, say of it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Linked {
    /// The score of the pages linked with it, 0.0 where none is known.
    pub(crate) pages: f32,
    /// A place that links to an example links to it.
    pub(crate) beside_example: bool,
}

/// How relevant a page is to the topic.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Relevance {
    /// The probability that the page is about the topic, 0.0 to 1.0.
    pub probability: f32,
    /// What spoke for it (positive) and against it, in log-odds.
    pub why: Vec<(String, f32)>,
}

impl Relevance {
    /// The mean of two judgements in log-odds, and so of what speaks for it.
    pub(crate) fn mean(self, other: Relevance) -> Relevance {
        let sum = log_odds(self.probability) + log_odds(other.probability);
        let mut why: Vec<(String, f32)> = Vec::new();
        for (name, part) in other.why.into_iter().chain(self.why) {
            match why.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known += 0.5 * part,
                None => why.push((name, 0.5 * part)),
            }
        }
        Relevance {
            probability: probability(0.5 * sum),
            why,
        }
    }

    /// The same of a page whose link promised so much: a promise below even odds speaks against it.
    pub(crate) fn of_link(mut self, promise: f32) -> Relevance {
        let against = PROMISE_AGAINST * log_odds(promise.max(PROMISE_MIN)).min(0.0);
        if against < 0.0 {
            self.probability = probability(log_odds(self.probability) + against);
            self.why
                .push(("what its link promised".to_owned(), against));
        }
        self
    }
}

/// Judges pages, and learns from the pages it is shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PageClassifier {
    keywords: KeywordScorer,
    term_table: TermTable,
    term_numbers: TermNumbers,
    /// Examples and counter-examples first, then a sample of the pages of the crawl.
    training_pages: Vec<TrainingPage>,
    example_count: usize,
    languages: Languages,
    /// An example is a list of links: such lists count as any page.
    wants_listings: bool,
    pages_seen: u64,
    pages_since_training: u32,
    /// The bias of the learnt words' model; its weights stand in the term table.
    learnt_bias: f32,
    /// The weight of the learnt words: 0.0 when nothing was learnt, towards 1.0 with more pages.
    learnt_trust: f32,
    /// How well the learnt words recognise examples that they were not learnt from, up to 1.0.
    recognition: f32,
    /// What the examples look like beside other pages.
    forms: FormModel,
    /// How far the form tells the examples from other pages, up to 1.0.
    form_evidence: f32,
    /// What the examples share and other pages lack; none where marks do not count.
    marks: Marks,
    /// What it says to be linked beside an example; nothing where marks do not count.
    beside: Beside,
    /// Whether marks count, and being linked beside an example.
    tells: bool,
    /// Of all scores but the last, which is no quantity.
    calibrations: [Calibration; BESIDE],
    /// What the plain rule compares pages and links with.
    plain: PlainQuery,
    seed: u64,
    /// Whether words are learnt from the pages of the crawl.
    adapt: bool,
}

impl PageClassifier {
    pub(crate) fn new(keywords: Keywords, seed: u64, adapt: bool) -> PageClassifier {
        let calibration = |on_topic, off_topic, variance| Calibration {
            on_topic,
            off_topic,
            variance,
        };
        let term_table = TermTable::new();
        let words = keywords.wanted_words().map(term_bucket);
        let plain = PlainQuery::of(&term_table, std::iter::empty(), words);
        PageClassifier {
            keywords: KeywordScorer::new(keywords),
            term_table,
            term_numbers: TermNumbers::new(),
            training_pages: Vec::new(),
            example_count: 0,
            languages: Languages::default(),
            wants_listings: false,
            pages_seen: 0,
            pages_since_training: 0,
            learnt_bias: 0.0,
            learnt_trust: 0.0,
            recognition: 1.0,
            forms: FormModel::default(),
            form_evidence: 0.0,
            marks: Marks::default(),
            beside: Beside::default(),
            tells: false,
            calibrations: [
                calibration(0.6, 0.1, 0.05),
                calibration(0.2, 0.03, 0.005),
                calibration(1.0, -1.0, 1.0),
                calibration(0.0, 0.0, 1.0),
                calibration(0.0, 0.0, 1.0),
                calibration(0.0, 0.0, 1.0),
            ],
            plain,
            seed,
            adapt,
        }
    }

    /// The same with marks and lists: for verdicts that are told.
    ///
    /// With these a verdict is right more often, and stricter. What links learn from strict verdicts finds
    /// less, as a page that is taken to be off topic teaches that links like the one to it lead nowhere.
    /// So a crawl has two classifiers that learn side by side, each from its own labels.
    pub(crate) fn teller(&self) -> PageClassifier {
        PageClassifier {
            tells: true,
            ..self.clone()
        }
    }

    pub(crate) fn keywords(&self) -> &Keywords {
        &self.keywords.keywords
    }

    /// Goes on with what another of these keywords has learnt; `false` where that contradicts itself.
    pub(crate) fn resume(&mut self, mut saved: PageClassifier) -> bool {
        let terms = saved.term_numbers.len();
        let is_known = |term: &(u32, f32)| (term.0 as usize) < terms;
        let mut pages = saved.training_pages.iter();
        if !pages.all(|page| page.terms.iter().all(is_known)) {
            return false;
        }
        saved.keywords.keywords = std::mem::take(&mut self.keywords.keywords);
        *self = saved;
        true
    }

    pub(crate) fn has_examples(&self) -> bool {
        self.example_count > 0
    }

    /// Whether there is anything to judge pages by.
    pub(crate) fn has_subject(&self) -> bool {
        self.has_examples() || self.keywords().has_wanted()
    }

    /// How relevant a page is.
    pub(crate) fn judge(&self, terms: &PageTerms, linked: Linked) -> Relevance {
        let parts = self.opinions(terms, linked);
        let sum = parts.iter().sum::<f32>() + self.prior();
        let ruled_out = self.ruled_out_by(terms);
        let subject = match ruled_out {
            Some(_) => RULED_OUT_PROBABILITY,
            None => probability(told_log_odds(sum)),
        };
        let relevance = subject * self.listing_share(terms);
        let named = SCORE_NAMES.into_iter().zip(parts);
        let veto = ruled_out.map(|name| (name, log_odds(subject) - sum));
        let repeated = (
            "what the opinions repeat",
            match ruled_out {
                Some(_) => 0.0,
                None => told_log_odds(sum) - sum,
            },
        );
        let listing = ("a list of links", log_odds(relevance) - log_odds(subject));
        Relevance {
            probability: relevance,
            why: named
                .chain(veto)
                .chain([repeated])
                .chain([listing])
                .filter(|(_, part)| *part != 0.0)
                .map(|(name, part)| (name.to_owned(), part))
                .collect(),
        }
    }

    /// The probability that a page's subject is the topic, by the sum of the opinions. Its links inherit
    /// it.
    pub(crate) fn subject(&self, terms: &PageTerms, linked: Linked) -> f32 {
        if self.ruled_out_by(terms).is_some() {
            return RULED_OUT_PROBABILITY;
        }
        let parts = self.opinions(terms, linked);
        probability(parts.iter().sum::<f32>() + self.prior())
    }

    /// What each opinion says of a page, in log-odds.
    fn opinions(&self, terms: &PageTerms, linked: Linked) -> Scores {
        let words = self.term_table.score_page(&terms.terms);
        self.log_odds_of(self.in_its_language(
            terms,
            [
                self.keywords.score(terms),
                words.centroid,
                self.learnt_bias + words.learnt,
                linked.pages,
                self.forms.score(&terms.form, false),
                self.marks.score(terms.terms.iter().map(|term| term.bucket)),
                f32::from(u8::from(linked.beside_example)),
            ],
        ))
    }

    /// The scores of a page as they are compared with those of pages in other languages.
    fn in_its_language(&self, terms: &PageTerms, mut scores: Scores) -> Scores {
        let shift = self.languages.shift(terms.language);
        for (score, shift) in scores.iter_mut().zip(shift) {
            *score += shift;
        }
        scores
    }

    /// The log-odds in favour of every page.
    fn prior(&self) -> f32 {
        match self.has_subject() {
            true => PRIOR_LOG_ODDS,
            false => 0.0,
        }
    }

    /// The log-odds that each score of a page gives; without a subject none says anything.
    fn log_odds_of(&self, scores: Scores) -> Scores {
        let calibrated = |score: usize| self.calibrations[score].log_odds(scores[score]);
        let mut parts = [0.0; 7];
        if !self.has_subject() {
            return parts;
        }
        if self.keywords().has_wanted() {
            parts[KEYWORDS] = calibrated(KEYWORDS);
        }
        if self.has_examples() {
            parts[LIKENESS] = ((LIKENESS_WEIGHT - self.learnt_trust) * calibrated(LIKENESS))
                .clamp(-LOG_ODDS_MAX, LOG_ODDS_MAX);
        }
        if self.learnt_trust > 0.0 {
            let max = if self.has_examples() {
                LOG_ODDS_MAX
            } else {
                LEARNT_LOG_ODDS_MAX_KEYWORDS
            };
            let trust = self.learnt_trust * self.recognition;
            parts[LEARNT_WORDS] = (trust * calibrated(LEARNT_WORDS)).clamp(-max, max);
        }
        parts[LINKED_PAGES] =
            calibrated(LINKED_PAGES).clamp(-LINKED_PAGES_LOG_ODDS_MAX, LINKED_PAGES_LOG_ODDS_MAX);
        parts[FORM] =
            (self.form_evidence * calibrated(FORM)).clamp(-FORM_LOG_ODDS_MAX, FORM_LOG_ODDS_MAX);
        parts[MARKS] = calibrated(MARKS).clamp(-MARKS_LOG_ODDS_MAX, MARKS_LOG_ODDS_MAX);
        let beside = self.beside.log_odds(scores[BESIDE]);
        parts[BESIDE] = beside.clamp(-BESIDE_LOG_ODDS_MAX, BESIDE_LOG_ODDS_MAX);
        parts
    }

    /// What rules a page out whatever its words say, in the words of [`Relevance::why`].
    fn ruled_out_by(&self, terms: &PageTerms) -> Option<&'static str> {
        if terms.unwanted_language {
            Some("its language is not wanted")
        } else if self.keywords.rules_out(terms) {
            Some("a keyword with -")
        } else {
            None
        }
    }

    /// The relevance of a page as a share of its subject's.
    pub(crate) fn listing_share(&self, terms: &PageTerms) -> f32 {
        if terms.listing && !self.wants_listings {
            LISTING_SHARE
        } else {
            1.0
        }
    }

    /// The probability that a page's subject is the topic, from the relevance that was told.
    pub(crate) fn subject_told(&self, terms: &PageTerms, relevance: f32) -> f32 {
        (relevance / self.listing_share(terms)).min(1.0)
    }

    /// The keywords' score of a page, 0.0 to 1.0.
    pub(crate) fn keyword_score(&self, terms: &PageTerms) -> f32 {
        self.keywords.score(terms)
    }

    /// How like the user's own words a page is, by examples and keywords alone: nothing that was learnt
    /// from the crawl can lead it astray. About 1.0 for a page about the topic.
    pub(crate) fn plain_score(&self, terms: &PageTerms) -> f32 {
        self.plain.likeness_of_page(&self.term_table, &terms.words)
    }

    /// The same of a link's words.
    pub(crate) fn plain_link_score(&self, words: &[u32]) -> f32 {
        self.plain.likeness_of_words(&self.term_table, words)
    }

    /// The keywords' score of a link's text, -1.0 to 1.0; see [`KeywordScorer::score_mask`].
    pub(crate) fn keyword_mask_score(&self, mask: u32) -> f32 {
        self.keywords.score_mask(mask)
    }

    /// What the words of a short text say of the topic.
    pub(crate) fn weigh_words(&self, buckets: &[u32]) -> TermScores {
        self.term_table.score_words(buckets)
    }
}

#[cfg(test)]
mod tests;
