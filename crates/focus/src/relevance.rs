//! How relevant a page is: a probability and its reasons.
//!
//! Four opinions are added up as log-odds, each bounded:
//!
//! * **Keywords**: where they stand and how densely, rare ones weighing more.
//! * **Likeness**: the cosine with the mean of the examples.
//! * **What was learnt**: a logistic model over words, trained on the examples and on pages the
//!   crawl is sure about, against the pages it is sure are something else.
//! * **Company**: how relevant the pages are that it links to, and those with a link to it.
//!
//! The first two are put on one scale by what they say of the examples and of the pages in
//! general: an opinion that cannot tell these apart has no weight. That scale is what makes the
//! threshold mean something. The third starts silent and grows with the pages it was trained on;
//! since each opinion is bounded, what was learnt can overrule the user's words only where these
//! are unsure.
//!
//! All this is about a page's subject. A list of links (an index, a tag page) on the subject leads to
//! pages about it and is seldom one itself: its relevance is a tenth of what its words say, while
//! its links inherit the whole. Unless an example is such a list.

mod appraisal;

use crate::background::Background;
use crate::descent::{Models, Row};
use crate::keywords::{Field, Keywords};
use crate::lexicon::{KeptTerm, Lexicon, Vectors, dot};
use crate::scale::{Moments, OPINION_MAX, Scale};
use crate::terms::PageTerms;

pub(crate) use appraisal::Appraisal;

/// Share of likeness as long as nothing was learnt: five pages that the user chose say more than a
/// keyword. What is learnt from the crawl takes half of it over.
const LIKENESS_SHARE: f32 = 2.0;
/// Log-odds that the pages linked with a page can reach: links are a weaker witness than words,
/// and one that would else confirm itself.
const COMPANY_MAX: f32 = 2.0;
/// Log-odds in favour of every page: a crawl by promise does not come to a page by chance.
const LEAN: f32 = 0.2;
/// Chance that a list of links about the topic counts as a page about it: it leads to such pages,
/// but has little of its own.
const LISTING_SHARE: f32 = 0.1;
/// Chance of a page that a keyword with `-` or its language rules out.
const RULED_OUT: f32 = 0.02;
/// Terms kept of a page that is trained on: those that tell most.
const KEPT_TERMS_MAX: usize = 256;
/// Pages kept to train on.
const KEPT_PAGES_MAX: usize = 1_000;
/// Share of the kept pages that can count as on topic by what was learnt.
const GROWTH: f32 = 0.15;
/// The same share among pages that the user's words do not speak against. Of a broad topic, with
/// examples as unlike as a bird and a herb, these words say little of any page; what is learnt must
/// then carry further, or it learns that most of the topic is something else.
const GROWTH_UNOPPOSED: f32 = 0.25;
/// Log-odds by the user's words alone below which they speak against a page.
const SAID_AGAINST: f32 = -0.4;
/// Log-odds by the user's words alone from which a page counts as on topic beyond these shares.
const SAID_CLEARLY: f32 = 1.0;
/// Weight of the user's own words in the order in which pages count as on topic.
const ANCHOR: f32 = 3.0;
/// Log-odds below which no page counts as on topic. Not too near: a model that has come to doubt all
/// pages would find none to learn from, and doubt the more.
const LABEL_LEAST: f32 = -1.5;
/// The same where keywords are all that the user gave: with no example to go by, what is learnt from
/// a doubtful page leads anywhere.
const LABEL_LEAST_KEYWORDS: f32 = -1.0;
/// Log-odds that what was learnt can reach there.
const LEARNT_MAX_KEYWORDS: f32 = 2.0;
/// Pages between two trainings at first; later a tenth of the pages seen, so that the cost for
/// each page does not grow.
const PAGES_BETWEEN: u32 = 10;
/// Rounds in which scales and probabilities settle on each other.
const ROUNDS: usize = 2;

/// How relevant a page is to the topic.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Relevance {
    /// The probability that the page is about the topic, 0.0 to 1.0.
    pub probability: f32,
    /// What spoke for it (positive) and against it, in log-odds.
    pub why: Vec<(String, f32)>,
}

/// A page kept to train on.
#[derive(Debug, Clone)]
struct Kept {
    page: u32,
    /// How many pages had been seen, this one included.
    turn: u64,
    /// It is new, and nothing rules it out.
    counts: bool,
    kind: Kind,
    terms: Vec<KeptTerm>,
    keywords: PageTerms,
    probability: f32,
    /// How surely it is on topic (above 0.0) or not (below), -1.0 to 1.0.
    label: f32,
    /// Log-odds by keywords and likeness alone.
    said: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Example,
    CounterExample,
    Seen,
}

/// The three opinions and what they were learnt from.
#[derive(Debug, Clone)]
pub(crate) struct Judge {
    keywords: Keywords,
    background: Background,
    lexicon: Lexicon,
    kept: Vec<Kept>,
    example_count: usize,
    /// Lists of links count as any page: one was given as an example.
    wants_listings: bool,
    seen: u64,
    /// Pages on which each keyword stands.
    keyword_pages: Vec<u32>,
    /// How rare each keyword is, by these.
    keyword_rarities: Vec<f32>,
    bias: f32,
    /// 0.0 when nothing was learnt, towards 1.0 with pages on topic.
    trust: f32,
    keyword_scale: Scale,
    likeness_scale: Scale,
    learnt_scale: Scale,
    company_scale: Scale,
    since_training: u32,
    seed: u64,
    adapt: bool,
}

impl Judge {
    pub(crate) fn new(keywords: Keywords, seed: u64, adapt: bool) -> Judge {
        let count = keywords.list.len();
        Judge {
            keywords,
            background: Background::new(),
            lexicon: Lexicon::new(),
            kept: Vec::new(),
            example_count: 0,
            wants_listings: false,
            seen: 0,
            keyword_pages: vec![0; count],
            keyword_rarities: vec![1.0; count],
            bias: 0.0,
            trust: 0.0,
            keyword_scale: Scale {
                on: 0.6,
                off: 0.1,
                variance: 0.05,
            },
            likeness_scale: Scale {
                on: 0.2,
                off: 0.03,
                variance: 0.005,
            },
            learnt_scale: Scale {
                on: 1.0,
                off: -1.0,
                variance: 1.0,
            },
            company_scale: Scale {
                on: 0.0,
                off: 0.0,
                variance: 1.0,
            },
            since_training: 0,
            seed,
            adapt,
        }
    }

    pub(crate) fn keywords(&self) -> &Keywords {
        &self.keywords
    }

    pub(crate) fn has_examples(&self) -> bool {
        self.example_count > 0
    }

    pub(crate) fn add_example(&mut self, terms: PageTerms, on_topic: bool) {
        // Counted whole: a few examples share words by chance, which would else pass for telling.
        self.background.observe(&terms, 0.0);
        self.set_keyword_rarities();
        let kind = if on_topic {
            Kind::Example
        } else {
            Kind::CounterExample
        };
        self.example_count += usize::from(on_topic);
        self.wants_listings |= on_topic && terms.listing;
        self.kept.insert(
            0,
            Kept {
                page: u32::MAX,
                turn: 0,
                counts: false,
                kind,
                terms: self.lexicon.keep(&self.background, terms.terms.iter()),
                probability: f32::from(u8::from(on_topic)),
                label: 0.0,
                said: 0.0,
                keywords: terms.without_terms(),
            },
        );
        self.train(&|_, _| 0.0);
    }

    fn set_keyword_rarities(&mut self) {
        let pages = self.seen as f32 + 16.0;
        let rarity = |&on_pages: &u32| (pages / (on_pages as f32 + 1.0)).ln() / pages.ln();
        let rarities = self.keyword_pages.iter().map(rarity);
        self.keyword_rarities = rarities.map(|rarity| rarity.max(0.2)).collect();
    }

    /// Where and how densely the keywords stand, 0.0 to 1.0.
    pub(crate) fn evidence(&self, terms: &PageTerms) -> f32 {
        let mut sum = 0.0;
        for ((keyword, counts), rarity) in self
            .keywords
            .list
            .iter()
            .zip(&terms.matches)
            .zip(&self.keyword_rarities)
        {
            let stands = |field: Field| counts[field as usize] > 0;
            if keyword.excluded {
                if stands(Field::Title) || stands(Field::Label) || counts[Field::Text as usize] > 1
                {
                    return 0.0;
                }
                continue;
            }
            if counts.iter().all(|&count| count == 0) {
                continue;
            }
            let times = counts[Field::Text as usize] as f32;
            let dense = times / (times + 1.2 * (0.25 + 0.75 * terms.word_count as f32 / 400.0));
            let stand = 1.2 * f32::from(u8::from(stands(Field::Title)))
                + 0.6 * f32::from(u8::from(stands(Field::Url)))
                + 1.0 * f32::from(u8::from(stands(Field::Label)))
                + dense;
            sum += keyword.weight * rarity * stand;
        }
        sum / (sum + 0.6)
    }

    fn excluded(&self, terms: &PageTerms) -> bool {
        self.keywords
            .list
            .iter()
            .zip(&terms.matches)
            .any(|(keyword, counts)| {
                keyword.excluded
                    && (counts[Field::Title as usize] > 0
                        || counts[Field::Label as usize] > 0
                        || counts[Field::Text as usize] > 1)
            })
    }

    /// Log-odds of keywords, likeness, and what was learnt.
    fn opinions(&self, [evidence, alike, learnt, company]: [f32; 4]) -> [f32; 4] {
        let mut opinions = [0.0; 4];
        if !self.keywords.list.is_empty() {
            opinions[0] = self.keyword_scale.log_odds(evidence);
        }
        if self.example_count > 0 {
            opinions[1] = ((LIKENESS_SHARE - self.trust) * self.likeness_scale.log_odds(alike))
                .clamp(-OPINION_MAX, OPINION_MAX);
        }
        if self.trust > 0.0 {
            let most = if self.has_examples() {
                OPINION_MAX
            } else {
                LEARNT_MAX_KEYWORDS
            };
            opinions[2] = (self.trust * self.learnt_scale.log_odds(learnt)).clamp(-most, most);
        }
        opinions[3] = self
            .company_scale
            .log_odds(company)
            .clamp(-COMPANY_MAX, COMPANY_MAX);
        opinions
    }

    pub(crate) fn judge(&self, terms: &PageTerms, company: f32) -> Relevance {
        let (learnt, alike) = self.background.says(&terms.terms);
        let opinions = self.opinions([self.evidence(terms), alike, self.bias + learnt, company]);
        let said = opinions.iter().sum::<f32>() + LEAN;
        let (topical, veto) = if terms.foreign {
            (RULED_OUT, "its language is not wanted")
        } else if self.excluded(terms) {
            (RULED_OUT, "a keyword with -")
        } else {
            (probability(said), "")
        };
        let vetoed = match veto {
            "" => 0.0,
            _ => log_odds(topical) - said,
        };
        let probability = topical * self.listing_share(terms);
        let names = [
            "keywords",
            "likeness to the examples",
            "words learnt",
            "pages linked with it",
        ];
        Relevance {
            probability,
            why: names
                .iter()
                .zip(opinions)
                .chain([
                    (&veto, vetoed),
                    (
                        &"a list of links",
                        log_odds(probability) - log_odds(topical),
                    ),
                ])
                .filter(|(_, x)| *x != 0.0)
                .map(|(name, x)| ((*name).to_owned(), x))
                .collect(),
        }
    }

    /// The chance that what is said of a page's subject counts for the page itself.
    fn listing_share(&self, terms: &PageTerms) -> f32 {
        if terms.listing && !self.wants_listings {
            LISTING_SHARE
        } else {
            1.0
        }
    }

    /// The chance that a page's subject is the topic, from its relevance: what its links inherit.
    pub(crate) fn subject(&self, terms: &PageTerms, relevance: f32) -> f32 {
        (relevance / self.listing_share(terms)).min(1.0)
    }

    /// Learns from a page; true when the model was trained anew.
    pub(crate) fn learn(
        &mut self,
        page: u32,
        terms: &PageTerms,
        relevance: f32,
        is_new: bool,
    ) -> bool {
        self.background.observe(terms, relevance);
        self.seen += 1;
        for (pages, counts) in self.keyword_pages.iter_mut().zip(&terms.matches) {
            *pages += u32::from(counts.iter().any(|&count| count > 0));
        }
        self.set_keyword_rarities();
        self.keep(page, terms, relevance, is_new);
        self.since_training += 1;
        if self.since_training < PAGES_BETWEEN.max((self.seen / 10) as u32) {
            return false;
        }
        true
    }

    fn keep(&mut self, page: u32, terms: &PageTerms, relevance: f32, is_new: bool) {
        let slot = (self.kept.len() >= KEPT_PAGES_MAX + self.example_count).then(|| {
            // Reservoir sampling with a hash for a die: every page is kept with the same chance.
            let fixed = self.kept.iter().take_while(|kept| kept.kind != Kind::Seen);
            fixed.count() + (mix(self.seed ^ self.seen) % self.seen) as usize
        });
        if slot.is_some_and(|slot| slot >= self.kept.len()) {
            return;
        }
        let kept = Kept {
            page,
            turn: self.seen,
            counts: is_new && !terms.foreign && !self.excluded(terms),
            kind: Kind::Seen,
            terms: self.telling_terms(terms),
            keywords: terms.without_terms(),
            probability: relevance,
            label: 0.0,
            said: 0.0,
        };
        match slot {
            Some(slot) => self.kept[slot] = kept,
            None => self.kept.push(kept),
        }
    }

    /// The terms of a page that tell most.
    fn telling_terms(&mut self, terms: &PageTerms) -> Vec<KeptTerm> {
        let mut order: Vec<(f32, usize)> = terms
            .terms
            .iter()
            .enumerate()
            .map(|(at, term)| (self.background.weight(term), at))
            .collect();
        if order.len() > KEPT_TERMS_MAX {
            order.select_nth_unstable_by(KEPT_TERMS_MAX, |a, b| {
                b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
            });
            order.truncate(KEPT_TERMS_MAX);
            order.sort_unstable_by_key(|(_, at)| *at);
        }
        let kept = order.into_iter().map(|(_, at)| &terms.terms[at]);
        self.lexicon.keep(&self.background, kept)
    }

    /// Trains the logistic model, sets the scales, and judges the kept pages anew.
    pub(crate) fn train(&mut self, company: &dyn Fn(u32, &[u32]) -> f32) {
        self.since_training = 0;
        let pages = self.kept.iter().map(|kept| &*kept.terms);
        let vectors = Vectors::new(&self.background, &self.lexicon, pages);
        let centre = self.set_centre(&vectors);
        let mut learnt = vec![0.0; vectors.len()];
        if self.adapt {
            learnt = self.fit(&vectors);
        }
        let values: Vec<[f32; 4]> = self
            .kept
            .iter()
            .zip(vectors.iter())
            .zip(&learnt)
            .map(|((kept, vector), &learnt)| {
                let alike = self.alike(kept, vector, &centre);
                let company = company(kept.page, &kept.keywords.targets);
                [self.evidence(&kept.keywords), alike, learnt, company]
            })
            .collect();
        for _ in 0..ROUNDS {
            self.set_labels();
            self.set_scales(&values);
            for (at, values) in values.iter().enumerate() {
                if self.kept[at].kind == Kind::Seen {
                    let opinions = self.opinions(*values);
                    self.kept[at].said = opinions[0] + opinions[1];
                    self.kept[at].probability = probability(opinions.iter().sum::<f32>() + LEAN);
                }
            }
        }
    }

    /// Says which kept pages to learn from. At most a share of them counts as on topic however
    /// many are judged so, and those next to them count as nothing: the model can neither run
    /// away with the topic nor learn against it.
    fn set_labels(&mut self) {
        let mut order: Vec<usize> = (0..self.kept.len())
            .filter(|&at| self.kept[at].kind == Kind::Seen)
            .collect();
        // What the user's own words say counts once more: it is the anchor of what is learnt.
        let keys: Vec<f32> = self
            .kept
            .iter()
            .map(|kept| log_odds(kept.probability) + ANCHOR * kept.said)
            .collect();
        order.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]).then(a.cmp(&b)));
        let most = 2.0 * self.example_count as f32
            + 3.0
            + GROWTH * order.len() as f32
            + order
                .iter()
                .filter(|&&at| self.kept[at].said >= SAID_CLEARLY)
                .count() as f32;
        let (growth, least) = if self.has_examples() {
            (GROWTH_UNOPPOSED, LABEL_LEAST)
        } else {
            (0.0, LABEL_LEAST_KEYWORDS)
        };
        let unopposed = growth * order.len() as f32;
        let least = probability(least);
        for (rank, at) in order.into_iter().enumerate() {
            let kept = &mut self.kept[at];
            let place = rank as f32 / most;
            let counts = place < 1.0 || (kept.said >= SAID_AGAINST && (rank as f32) < unopposed);
            kept.label = if counts && kept.probability >= least {
                (1.0 - place)
                    .max(2.0 * kept.probability - 1.0)
                    .clamp(0.1, 1.0)
            } else if place > 2.0 || kept.probability < 0.5 * least {
                -1.0
            } else {
                -0.05
            };
        }
    }

    /// How like the examples a kept page is.
    fn alike(&self, kept: &Kept, vector: &[KeptTerm], centre: &[f32]) -> f32 {
        let alike = dot(vector, centre);
        match kept.kind {
            // Its own share of the centre is no evidence: leave it out.
            Kind::Example if self.example_count > 1 => {
                let count = self.example_count as f32;
                let own = vector.iter().map(|(_, x)| x * x).sum::<f32>();
                ((alike * count - own) / (count - 1.0)).max(0.0)
            }
            Kind::Example => 0.25,
            Kind::CounterExample | Kind::Seen => alike,
        }
    }

    /// The mean of the examples' vectors, by the terms' numbers; the background has it by bucket.
    fn set_centre(&mut self, vectors: &Vectors) -> Vec<f32> {
        let mut centre = vec![0.0; self.lexicon.len()];
        let share = 1.0 / self.example_count.max(1) as f32;
        let is_example = |kept: &&Kept| kept.kind == Kind::Example;
        let pages = self.kept.iter().zip(vectors.iter());
        for (_, vector) in pages.filter(|(kept, _)| is_example(kept)) {
            for &(number, x) in vector {
                centre[number as usize] += share * x;
            }
        }
        for kept in self.kept.iter().filter(is_example) {
            for &(number, _) in &kept.terms {
                let bucket = self.lexicon.buckets()[number as usize];
                self.background.term_mut(bucket).alike = centre[number as usize];
            }
        }
        centre
    }

    /// Puts the opinions on one scale by what they say of pages on topic and of other pages.
    fn set_scales(&mut self, values: &[[f32; 4]]) {
        let mut moments = [[Moments::default(); 2]; 4];
        // Beliefs to begin with, worth a few pages.
        moments[0][1].add(0.6, 2.0);
        moments[0][0].add(0.1, 4.0);
        moments[1][0].add(0.03, 4.0);
        for (kept, values) in self.kept.iter().zip(values) {
            let (on, off) = match kept.kind {
                Kind::Example => (2.0, 0.0),
                Kind::CounterExample => (0.0, 2.0),
                Kind::Seen => (kept.label.max(0.0), (-kept.label).max(0.0)),
            };
            for (moments, &value) in moments.iter_mut().zip(values) {
                moments[1].add(value, on);
                moments[0].add(value, off);
            }
        }
        let [evidence, likeness, learnt, company] = moments;
        self.company_scale = Moments::scale(&company[1], &company[0], 0.3);
        self.keyword_scale = Moments::scale(&evidence[1], &evidence[0], 0.02);
        self.likeness_scale = Moments::scale(&likeness[1], &likeness[0], 0.0015);
        self.learnt_scale = Moments::scale(&learnt[1], &learnt[0], 0.1);
    }

    /// Trains the logistic model on the kept pages with their present probabilities as labels.
    ///
    /// Its scale comes from pages it was not trained on: each half of the pages is scored by a
    /// model of the other half. Otherwise every page would confirm the label it was given.
    fn fit(&mut self, vectors: &Vectors) -> Vec<f32> {
        let mut scores = vec![0.0; vectors.len()];
        self.set_labels();
        let mut rows: Vec<Row> = Vec::with_capacity(self.kept.len());
        let (mut on, mut off) = (0.0, 0.0);
        for (at, kept) in self.kept.iter().enumerate() {
            let (wanted, weight) = match kept.kind {
                Kind::Example => (1.0, 3.0),
                Kind::CounterExample => (0.0, 3.0),
                Kind::Seen if kept.label > 0.0 => (1.0, kept.label),
                Kind::Seen => (0.0, -kept.label),
            };
            *(if wanted > 0.5 { &mut on } else { &mut off }) += weight;
            rows.push(Row { at, wanted, weight });
        }
        self.trust = (on / (on + 4.0)) * (off / (off + 4.0));
        if on < 0.5 || off < 0.5 {
            self.trust = 0.0;
            return scores;
        }
        for row in &mut rows {
            row.weight *= if row.wanted > 0.5 {
                (off / on).sqrt().min(8.0)
            } else {
                (on / off).sqrt().min(1.0)
            };
        }
        let models = Models::learn(&mut rows, vectors, self.lexicon.len(), self.seed);
        for (at, score) in scores.iter_mut().enumerate() {
            *score = models.unseen(at, vectors.get(at));
        }
        self.bias = models.bias();
        for (&bucket, weight) in self.lexicon.buckets().iter().zip(models.weights()) {
            self.background.term_mut(bucket).learnt = weight;
        }
        scores
    }

    /// The kept pages and their probabilities as judged at the last training.
    pub(crate) fn probabilities(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.kept
            .iter()
            .filter(|kept| kept.kind == Kind::Seen)
            .map(|kept| (kept.page, kept.probability))
    }

    /// What the keywords of a mask say, 0.0 to 1.0.
    pub(crate) fn keys_say(&self, mask: u32) -> f32 {
        if mask == 0 {
            return 0.0;
        }
        let mut sum = 0.0;
        for (number, (keyword, rarity)) in self
            .keywords
            .list
            .iter()
            .take(32)
            .zip(&self.keyword_rarities)
            .enumerate()
        {
            if mask & (1 << number) != 0 {
                sum += if keyword.excluded {
                    -2.0
                } else {
                    keyword.weight * rarity
                };
            }
        }
        if sum > 0.0 {
            sum / (sum + 0.4)
        } else {
            sum.max(-1.0)
        }
    }

    /// What a few words say: the learnt weight and the likeness of each, by how much it tells.
    pub(crate) fn words_say(&self, buckets: &[u32]) -> (f32, f32) {
        let (mut learnt, mut alike, mut length) = (0.0f32, 0.0f32, 0.0f32);
        for &bucket in buckets {
            let known = self.background.term(bucket);
            let rarity = self.background.rarity_of(known);
            learnt += rarity * known.learnt;
            alike += rarity * known.alike;
            length += rarity * rarity;
        }
        let length = length.sqrt().max(1e-6);
        (learnt / length, alike / length)
    }
}

/// The probability that goes with log-odds, never quite 0 or 1.
pub(crate) fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds.clamp(-15.0, 15.0)).exp())
}

fn log_odds(probability: f32) -> f32 {
    let p = probability.clamp(1e-4, 1.0 - 1e-4);
    (p / (1.0 - p)).ln()
}

/// A die: 64 bits that look random and are the same every time (SplitMix64's finaliser).
pub(crate) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests;
