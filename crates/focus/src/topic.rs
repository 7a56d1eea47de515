//! The topic of a crawl: it reads pages, judges them, and names the terms it is made of.

use segment::{Segmenter, Words};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::hashing::term_bucket;
use crate::keywords::{KEYWORDS_MAX, Keyword, Keywords};
use crate::link_features::{LinkContext, LinkFeatures};
use crate::page_classifier::{Linked, PageClassifier, Relevance};
use crate::page_terms::{KeywordPlaces, PageTerms, PageView};
use crate::topic_config::{ExampleText, TopicConfig, TopicError};

/// Example pages that are looked at, and as many counter-examples.
const EXAMPLES_MAX: usize = 64;
/// Words of one example that can be named in [`Topic::terms`].
const NAMED_WORDS_MAX: usize = 2_000;
/// Words of all examples that can be named.
const EXAMPLE_WORDS_MAX: usize = 20_000;
/// Words taken from the examples that are named.
const TERMS_SHOWN_MAX: usize = 40;

/// A topic: judges how relevant pages are.
///
/// ```
/// use focus::{Topic, TopicConfig};
/// use segment::Segmenter;
/// use url::Url;
///
/// let topic = Topic::new(&TopicConfig {
///     keywords: vec!["query planner".into(), "database".into(), "-car".into()],
///     ..TopicConfig::default()
/// })?;
/// let url = Url::parse("http://a.example/planner")?;
/// let words = Segmenter::shared().words("how the query planner of a database reads statistics");
/// let relevance = topic.relevance("The query planner", &words, &url);
/// assert!(relevance.probability > topic.threshold());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Topic {
    pub(crate) threshold: f32,
    /// Steers: what links learn from.
    pub(crate) classifier: PageClassifier,
    /// Tells: whose verdicts are told and recorded.
    pub(crate) teller: PageClassifier,
    /// The examples' words with their buckets, so that terms can be named.
    pub(crate) example_words: Vec<(u32, String)>,
}

/// A term of a topic.
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

/// The number of keywords, without those that rule pages out.
///
/// # Errors
/// [`TopicError`] names the keyword that cannot be used.
pub fn count_keywords(keywords: &[String]) -> Result<usize, TopicError> {
    let parsed = Keywords::parse(&TopicConfig {
        keywords: keywords.to_vec(),
        ..TopicConfig::default()
    })?;
    let wanted = parsed.list.iter().filter(|keyword| !keyword.excluded);
    Ok(wanted.count())
}

/// Keywords that may not do what is wanted, each with what should be known of it.
pub fn keyword_doubts(keywords: &[String]) -> Vec<(String, &'static str)> {
    let parsed = keywords
        .iter()
        .filter_map(|keyword| Keyword::parse(keyword).ok());
    let doubts = parsed.enumerate().filter_map(|(number, keyword)| {
        let doubt = match number < KEYWORDS_MAX {
            true => keyword.doubt()?,
            false => "is ignored: a topic has 64 keywords at most",
        };
        Some((doubt, keyword))
    });
    doubts
        .map(|(doubt, keyword)| (keyword.text, doubt))
        .collect()
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
        let has_examples = config.examples_follow || !config.examples.is_empty();
        if !has_examples && !keywords.has_wanted() {
            return Err(TopicError::Empty);
        }
        let classifier = PageClassifier::new(keywords, config.seed, config.adapt);
        let mut topic = Topic {
            threshold: config.threshold,
            teller: classifier.teller(),
            classifier,
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

    /// Whether there is a keyword to look for, or an example was read.
    pub fn has_subject(&self) -> bool {
        self.classifier.has_subject()
    }

    /// Adds an example page, or a counter-example, before the crawl or during it.
    pub fn add_example(&mut self, example: &ExampleText, on_topic: bool) {
        let words = Segmenter::shared().words(&example.text);
        let no_url = Url::parse("http://example.invalid/").expect("a constant URL");
        let url = example
            .url
            .as_deref()
            .and_then(|url| Url::parse(url).ok())
            .unwrap_or(no_url);
        let links: Vec<&str> = example.links.iter().map(String::as_str).collect();
        let labels: Vec<&str> = example.labels.iter().map(String::as_str).collect();
        let terms = self.read(&PageView {
            title: &example.title,
            words: &words,
            url: &url,
            lang: example.lang.as_deref(),
            links: &links,
            labels: &labels,
            listing: example.listing,
        });
        if on_topic {
            self.remember_words(&Segmenter::shared().words(&example.title), &words);
        }
        self.classifier.add_example(terms.clone(), on_topic);
        self.teller.add_example(terms, on_topic);
    }

    fn remember_words(&mut self, title: &Words, text: &Words) {
        for word in title.iter().chain(text.iter()).take(NAMED_WORDS_MAX) {
            if self.example_words.len() < EXAMPLE_WORDS_MAX {
                self.example_words
                    .push((term_bucket(word.hash), word.text.to_owned()));
            }
        }
        self.example_words.sort();
        self.example_words.dedup();
    }

    /// The terms the topic is made of: the keywords with their weights, then the words that the
    /// examples share and other pages lack, strongest first.
    pub fn terms(&self) -> Vec<TopicTerm> {
        let keywords = self.classifier.keywords().list.iter();
        let keywords = keywords.map(|keyword| TopicTerm {
            text: keyword.text.clone(),
            weight: if keyword.excluded {
                -keyword.weight
            } else {
                keyword.weight
            },
            source: TermSource::Keyword,
        });
        let mut from_examples: Vec<TopicTerm> = self
            .example_words
            .iter()
            .map(|(bucket, text)| TopicTerm {
                text: text.clone(),
                weight: self.classifier.weigh_words(&[*bucket]).centroid,
                source: TermSource::Examples,
            })
            .filter(|term| term.weight > 0.0)
            .collect();
        from_examples.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.text.cmp(&b.text)));
        from_examples.truncate(TERMS_SHOWN_MAX);
        keywords.chain(from_examples).collect()
    }

    /// The probability from which on a page is on topic.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// The terms of a page, as [`Topic::judge`] needs them. They depend on the keywords alone, so
    /// any clone of the topic gives the same.
    pub fn read(&self, page: &PageView<'_>) -> PageTerms {
        PageTerms::of(page, self.classifier.keywords())
    }

    /// Where the keywords stand on a page.
    pub fn keyword_places(&self, terms: &PageTerms) -> Vec<KeywordPlaces> {
        terms.keyword_places(self.classifier.keywords())
    }

    /// What is worth keeping of a link; like [`Topic::read`] it depends on the keywords alone.
    pub fn features(&self, link: &LinkContext<'_>) -> LinkFeatures {
        LinkFeatures::of(link, self.classifier.keywords())
    }

    /// How relevant a page is, from its terms; nothing is known of the pages linked with it.
    pub fn judge(&self, terms: &PageTerms) -> Relevance {
        self.teller.judge(terms, Linked::default())
    }

    /// How relevant a page is of which only title, text and URL are known.
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
}
