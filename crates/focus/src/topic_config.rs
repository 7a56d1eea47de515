//! What a user says a crawl is about: keywords, example pages, counter-examples, languages.

/// The topic as the user gives it.
#[derive(Debug, Clone)]
pub struct TopicConfig {
    /// Words and phrases: `"mysql"`, `"query planner"`, `"oracle^2"` (weight), `"-java"` (exclusion).
    pub keywords: Vec<String>,
    /// Pages that are about the topic.
    pub examples: Vec<ExampleText>,
    /// Whether further examples come as pages: without any and without keywords, all is in doubt until then.
    pub examples_follow: bool,
    /// Pages that are not about it, though they may look as if they were.
    pub counter_examples: Vec<ExampleText>,
    /// Languages that are wanted, as codes; empty for any.
    pub languages: Vec<String>,
    /// The probability from which on a page is on topic, 0.0 to 1.0.
    pub threshold: f32,
    /// Seed of all pseudo-random choices.
    pub seed: u64,
    /// Whether words are learnt from the pages of the crawl. If not, keywords and examples decide.
    pub adapt: bool,
}

impl Default for TopicConfig {
    fn default() -> Self {
        TopicConfig {
            keywords: Vec::new(),
            examples: Vec::new(),
            examples_follow: false,
            counter_examples: Vec::new(),
            languages: Vec::new(),
            threshold: 0.5,
            seed: 0,
            adapt: true,
        }
    }
}

/// A page that the user gives as an example or counter-example.
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
    /// The labels under which it files itself, if known.
    pub labels: Vec<String>,
    /// Whether it is a list of links.
    pub listing: bool,
    /// Its language, as a code, if known.
    pub lang: Option<String>,
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
    /// Several keywords in one text.
    #[error(
        "several keywords in one text: {0:?}: write each in quotes of its own, with plain commas between them"
    )]
    List(String),
    /// A weight that is no positive number.
    #[error("weight of a keyword is not a number above 0 and up to 100: {0:?}")]
    Weight(String),
    /// A threshold outside 0 to 1.
    #[error("threshold is not between 0 and 1: {0}")]
    Threshold(f32),
}
