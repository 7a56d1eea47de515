//! What the crawl is about, as the user says it: keywords, examples, counter-examples.

use segment::{Segmenter, Words};
use url::Url;

use crate::keywords::Keywords;
use crate::promise::{LinkContext, LinkFeatures};
use crate::relevance::{Judge, Relevance};
use crate::terms::{KeywordPlaces, PageTerms, PageView, bucket};

/// Example pages, and counter-examples, that are looked at.
const EXAMPLES_MAX: usize = 64;
/// Words of the examples that can be named.
const EXAMPLE_WORDS_MAX: usize = 20_000;
/// Words taken from the examples that are shown.
const TERMS_SHOWN_MAX: usize = 40;

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
    /// Learn words from the pages of the crawl. Off: keywords and examples alone decide.
    pub adapt: bool,
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
            adapt: true,
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
    /// What it files itself under, if known.
    pub labels: Vec<String>,
    /// Whether it is a list of links.
    pub listing: bool,
}

/// Why a topic cannot be built.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum TopicError {
    /// Neither a keyword nor an example.
    #[error("no keyword to look for and no example")]
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

/// A term the topic is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicTerm {
    /// The word or phrase.
    pub text: String,
    /// How much it counts; below 0.0 for an exclusion.
    pub weight: f32,
    /// Where it is from.
    pub source: TermSource,
}

/// Where a term of a topic is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermSource {
    /// The user's keyword.
    Keyword,
    /// Taken from the example pages.
    Examples,
}

/// The topic: judges pages, and learns from the pages it has judged.
#[derive(Debug, Clone)]
pub struct Topic {
    threshold: f32,
    pub(crate) judge: Judge,
    example_words: Vec<(u32, String)>,
}

/// How many keywords a topic has beside those that rule pages out.
///
/// # Errors
/// [`TopicError`] names the keyword that cannot be used.
pub fn count_keywords(keywords: &[String]) -> Result<usize, TopicError> {
    let parsed = Keywords::parse(&TopicConfig {
        keywords: keywords.to_vec(),
        ..TopicConfig::default()
    })?;
    Ok(parsed
        .list
        .iter()
        .filter(|keyword| !keyword.excluded)
        .count())
}

impl Topic {
    /// Builds the topic.
    ///
    /// # Errors
    /// [`TopicError`] names the keyword or value that cannot be used.
    pub fn new(config: &TopicConfig) -> Result<Topic, TopicError> {
        if !(0.0..=1.0).contains(&config.threshold) {
            return Err(TopicError::Threshold(config.threshold));
        }
        let keywords = Keywords::parse(config)?;
        if config.examples.is_empty() && !keywords.list.iter().any(|keyword| !keyword.excluded) {
            return Err(TopicError::Empty);
        }
        let mut topic = Topic {
            threshold: config.threshold,
            judge: Judge::new(keywords, config.seed, config.adapt),
            example_words: Vec::new(),
        };
        for example in config.examples.iter().take(EXAMPLES_MAX) {
            topic.add_example(example, true);
        }
        for example in config.counter_examples.iter().take(EXAMPLES_MAX) {
            topic.add_example(example, false);
        }
        Ok(topic)
    }

    /// Adds an example (or counter-example) page, also while the crawl runs.
    pub fn add_example(&mut self, example: &ExampleText, on_topic: bool) {
        let words = Segmenter::shared().words(&example.text);
        let title = Segmenter::shared().words(&example.title);
        let nowhere = Url::parse("http://example.invalid/").expect("a constant URL");
        let url = example
            .url
            .as_deref()
            .and_then(|url| Url::parse(url).ok())
            .unwrap_or(nowhere);
        let links: Vec<&str> = example.links.iter().map(String::as_str).collect();
        let labels: Vec<&str> = example.labels.iter().map(String::as_str).collect();
        let terms = self.read(&PageView {
            title: &example.title,
            words: &words,
            url: &url,
            lang: None,
            links: &links,
            labels: &labels,
            listing: example.listing,
        });
        if on_topic {
            for word in title.iter().chain(words.iter()).take(2_000) {
                if self.example_words.len() < EXAMPLE_WORDS_MAX {
                    self.example_words
                        .push((bucket(word.hash), word.text.to_owned()));
                }
            }
            self.example_words.sort();
            self.example_words.dedup();
        }
        self.judge.add_example(terms, on_topic);
    }

    /// The terms the topic is made of: the keywords with their weights, then the words that the
    /// examples share and other pages do not, strongest first.
    pub fn terms(&self) -> Vec<TopicTerm> {
        let keywords = self.judge.keywords().list.iter().map(|keyword| TopicTerm {
            text: keyword.text.clone(),
            weight: if keyword.excluded {
                -keyword.weight
            } else {
                keyword.weight
            },
            source: TermSource::Keyword,
        });
        let mut learnt: Vec<TopicTerm> = self
            .example_words
            .iter()
            .map(|(bucket, text)| TopicTerm {
                text: text.clone(),
                weight: self.judge.words_say(&[*bucket]).1,
                source: TermSource::Examples,
            })
            .filter(|term| term.weight > 0.0)
            .collect();
        learnt.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.text.cmp(&b.text)));
        learnt.truncate(TERMS_SHOWN_MAX);
        keywords.chain(learnt).collect()
    }

    /// Where the keywords stand on a page.
    pub fn keyword_places(&self, terms: &PageTerms) -> Vec<KeywordPlaces> {
        terms.keyword_places(self.judge.keywords())
    }

    /// From this probability on a page is on topic.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// The terms of a page: what [`Topic::judge`] needs of it. Depends on the
    /// keywords alone, so that any clone of the topic gives the same.
    pub fn read(&self, page: &PageView<'_>) -> PageTerms {
        PageTerms::of(page, self.judge.keywords())
    }

    /// What is worth keeping of a link; like [`Topic::read`] it depends on the keywords alone.
    pub fn features(&self, link: &LinkContext<'_>) -> LinkFeatures {
        LinkFeatures::of(link, self.judge.keywords())
    }

    /// How relevant a page is, with reasons.
    pub fn relevance(&self, title: &str, words: &Words, url: &Url) -> Relevance {
        let view = PageView {
            title,
            words,
            url,
            lang: None,
            links: &[],
            labels: &[],
            listing: false,
        };
        self.judge(&self.read(&view))
    }

    /// How relevant a page is, from its terms.
    pub fn judge(&self, terms: &PageTerms) -> Relevance {
        self.judge.judge(terms, 0.0)
    }
}
