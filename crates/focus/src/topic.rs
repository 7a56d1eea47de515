//! What the crawl is about, as the user says it: keywords, examples, counter-examples.

use segment::Words;
use url::Url;

use crate::relevance::Relevance;
use crate::terms::{PageTerms, PageView};

/// The topic as the user gives it.
#[derive(Debug, Clone)]
pub struct TopicConfig {
    /// Words and phrases: `"mysql"`, `"query planner"`, `"oracle^2"` (weight), `"-java"` (exclusion).
    pub keywords: Vec<String>,
    /// Pages that are about the topic.
    pub examples: Vec<ExampleText>,
    /// Pages that are not, though they may look so.
    pub counter_examples: Vec<ExampleText>,
    /// Language codes that are wanted; empty: any.
    pub languages: Vec<String>,
    /// A page is on topic from this probability on.
    pub threshold: f32,
    /// Seed of all pseudo-random choices.
    pub seed: u64,
}

impl Default for TopicConfig {
    fn default() -> Self {
        TopicConfig {
            keywords: Vec::new(),
            examples: Vec::new(),
            counter_examples: Vec::new(),
            languages: Vec::new(),
            threshold: 0.5,
            seed: 0,
        }
    }
}

/// An example page.
#[derive(Debug, Clone, Default)]
pub struct ExampleText {
    /// Its title.
    pub title: String,
    /// Its main text.
    pub text: String,
    /// Its URL, if it has one.
    pub url: Option<String>,
    /// The canonical URLs that it links to, if known.
    pub links: Vec<String>,
}

/// Why a topic cannot be built.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum TopicError {
    /// Neither a keyword nor an example.
    #[error("topic has neither keywords nor examples")]
    Empty,
    /// A keyword without a word in it.
    #[error("keyword has no word in it: {0:?}")]
    NoWord(String),
    /// A weight that is no positive number.
    #[error("weight of a keyword is not a number above 0 and up to 100: {0:?}")]
    Weight(String),
    /// A threshold outside 0 to 1.
    #[error("threshold is not between 0 and 1: {0}")]
    Threshold(f32),
}

/// The topic: judges pages, and learns from the pages it has judged.
#[derive(Debug, Clone)]
pub struct Topic {
    threshold: f32,
    words: Vec<(u64, String, f32)>,
}

impl Topic {
    /// Builds the topic.
    ///
    /// # Errors
    /// [`TopicError`] names the keyword or value that cannot be used.
    pub fn new(config: &TopicConfig) -> Result<Topic, TopicError> {
        if config.keywords.is_empty() && config.examples.is_empty() {
            return Err(TopicError::Empty);
        }
        let words = config
            .keywords
            .iter()
            .flat_map(|keyword| {
                let words = segment::Segmenter::shared().words(keyword);
                words
                    .iter()
                    .map(|word| (word.hash, word.text.to_owned(), 1.0))
                    .collect::<Vec<_>>()
            })
            .collect();
        Ok(Topic {
            threshold: config.threshold,
            words,
        })
    }

    /// The terms the topic is made of, strongest first.
    pub fn terms(&self) -> Vec<(String, f32)> {
        self.words
            .iter()
            .map(|(_, text, weight)| (text.clone(), *weight))
            .collect()
    }

    /// From this probability on a page is on topic.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// How relevant a page is, with reasons.
    pub fn relevance(&self, title: &str, words: &Words, url: &Url) -> Relevance {
        self.judge(&PageTerms::of(&PageView {
            title,
            words,
            url,
            links: &[],
        }))
    }

    /// How relevant a page is, from its terms.
    pub fn judge(&self, terms: &PageTerms) -> Relevance {
        let found: f32 = terms
            .terms
            .iter()
            .filter(|term| self.words.iter().any(|word| word.0 == term.hash))
            .map(|term| 1.0 + term.count.ln())
            .sum();
        Relevance {
            probability: 1.0 - (-0.4 * found).exp(),
            why: Vec::new(),
        }
    }

    /// Learns from a page that was judged.
    pub fn learn(&mut self, _page: u32, _terms: &PageTerms, _relevance: f32) {}
}
