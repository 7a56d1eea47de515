//! `[topic]`: what to look for.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use focus::{FocusConfig, LinkModelConfig, StopConfig, TopicConfig};
use frontier::CanonicalUrl;
use segment::Language;

use super::dedup::LearntRule;
use super::seeds::RELATIVE;
use crate::choice::choice;
use crate::crawl_config::CrawlConfig;
use crate::key::Fault;
use crate::rule::{CountsFor, any, at_least, between, each};
use crate::section::{Looked, Section, keys};
use crate::units::Span;

/// Bytes of an example page that are looked at.
const HEAD_BYTES: u64 = 64 << 10;

const A_SHARE: &str = "choose a share from 0.0 to 1.0";

choice! {
    /// What becomes of pages that are not about the topic.
    pub enum OffTopic {
        /// they are junk
        Drop = "drop",
        /// they are kept; the topic only orders the queue
        Keep = "keep",
    }
}

keys! {
    /// What to look for; leave it out for a crawl without focus.
    pub struct TopicSection {
        /// Words and phrases; `word^2` weighs more, `-word` rules a page out.
        keywords: Vec<String> = Vec::new(), each("words and phrases", keyword);

        /// Pages about the topic: URLs or files.
        examples: Vec<String> = Vec::new(), each("URLs and files", example);

        /// Pages not about it: URLs or files.
        counter_examples: Vec<String> = Vec::new(), each("URLs and files", example);

        /// Language codes; pages in other languages are junk. Empty for all.
        languages: Vec<String> = Vec::new(), each("ISO 639 codes", language)
            .counts_for(CountsFor::NewPages);

        /// Least probability at which a page is about the topic.
        threshold: f32 = TopicConfig::default().threshold, between(0.0, 1.0)
            .mend("choose a probability from 0.0 to 1.0")
            .counts_for(CountsFor::NewPages);

        /// What becomes of other pages.
        off_topic: OffTopic = OffTopic::Drop, any().counts_for(CountsFor::NewPages);

        /// What becomes of URLs of hosts, and of forms of URLs, that have yielded next to nothing. Of
        /// those held back none is refused, since a page of no worth may lead to others. With `auto`
        /// and `stop_harvest = 0`, and without a topic (of forms of URLs), they are fetched after all
        /// others, one in twenty in its turn.
        low_yield: LearntRule = LearntRule::Auto, any();

        /// Share of fetches spent on forms of URLs that are little known, to learn. As long as no
        /// link has led to a page on topic, doubtful links of all hosts take turns instead.
        exploration: f32 = LinkModelConfig::default().exploration, between(0.0, 1.0)
            .mend(A_SHARE)
            .zero("both off");

        /// How long a link that promises little waits for better ones: for pages under way, since nobody
        /// knows yet where they lead to, and for a host that is about to be free. One link that waits so
        /// goes for each such time, however many connections are idle.
        patience: Span = Span::seconds(1), any().zero("it does not wait");

        /// Stop when the harvest over the last `stop_window` pages is below this.
        stop_harvest: f32 = StopConfig::default().harvest_min, between(0.0, 1.0)
            .mend(A_SHARE)
            .zero("never, and the rule by what is left to find is off, too");

        /// Pages over which that harvest is taken; three quarters of all when that is more. The rule holds from
        /// 300 pages on, so that less than 300 is of no effect.
        stop_window: u64 = u64::from(StopConfig::default().window), at_least(1).unit("pages");
    }
}

impl Section for TopicSection {
    fn contradictions(&self) -> Vec<Fault> {
        let has_keywords = focus::count_keywords(&self.keywords).is_ok_and(|count| count > 0);
        if has_keywords || !self.examples.is_empty() {
            return Vec::new();
        }
        vec![Fault::new(
            &[],
            "[topic] has neither keywords nor examples (words with - only rule pages out)".into(),
            "give at least one keyword, or leave [topic] out for a crawl without focus",
        )]
    }

    fn paths(&mut self) -> Vec<&mut String> {
        let examples = self.examples.iter_mut().chain(&mut self.counter_examples);
        examples.filter(|example| !is_url(example)).collect()
    }

    fn look(&self, base: &Path) -> Looked {
        let lists = [
            ("examples", &self.examples),
            ("counter_examples", &self.counter_examples),
        ];
        let named = lists.into_iter().flat_map(|(key, list)| {
            list.iter()
                .enumerate()
                .map(move |(at, text)| (key, at, text))
        });
        let files = named.filter(|(_, _, example)| !is_url(example));
        // Only where somebody writes it: a crawl that began with such a keyword goes on.
        let keywords = self.keywords.iter().enumerate();
        let several = keywords.filter(|(_, keyword)| keyword.contains(LIST_SIGNS));
        let several = several.map(|(at, keyword)| {
            let message = format!("{keyword:?} is several keywords in one text");
            let mend = "write each in quotes of its own, with plain commas between them";
            Fault::of_entry("keywords", at, message, mend)
        });
        let faults = files.filter_map(|(key, entry, file)| {
            let path = base.join(file).display().to_string();
            let why = why_no_example(&path)?;
            let message = format!("cannot read the example page {path}: {why}");
            Some(Fault::of_entry(key, entry, message, RELATIVE))
        });
        Looked {
            faults: several.chain(faults).collect(),
            problems: Vec::new(),
        }
    }
}

impl CrawlConfig {
    /// The topic, if there is one, without its example pages: reading pages is not for this crate.
    pub fn focus_config(&self) -> Option<FocusConfig> {
        let topic = self.topic.as_ref()?;
        let seed = self.crawl.random_seed;
        Some(FocusConfig {
            topic: TopicConfig {
                keywords: topic.keywords.clone(),
                languages: topic.languages.clone(),
                threshold: topic.threshold,
                examples_follow: topic.examples.iter().any(|example| is_url(example)),
                seed,
                ..TopicConfig::default()
            },
            links: LinkModelConfig {
                exploration: topic.exploration,
                seed,
                ..LinkModelConfig::default()
            },
            stop: StopConfig {
                harvest_min: topic.stop_harvest,
                window: u32::try_from(topic.stop_window).unwrap_or(u32::MAX),
                ..StopConfig::default()
            },
        })
    }
}

/// Signs between the items of a list in Chinese.
const LIST_SIGNS: [char; 3] = ['，', '、', '；'];

fn is_url(example: &str) -> bool {
    example.contains("://")
}

fn keyword(keyword: &str) -> Result<(), (String, String)> {
    let Err(error) = focus::count_keywords(&[keyword.to_owned()]) else {
        return Ok(());
    };
    Err((
        format!("cannot be used: {error}"),
        "write it as a word or a phrase, with ^2 behind it to weigh twice, or with - in front to \
         rule pages out"
            .into(),
    ))
}

fn example(example: &str) -> Result<(), (String, String)> {
    if !is_url(example) {
        return Ok(());
    }
    match CanonicalUrl::parse_typed(example) {
        Ok(_) => Ok(()),
        Err(error) => Err((
            format!("is no page: {error}"),
            "write an absolute http or https URL, or the path of a file".into(),
        )),
    }
}

fn language(code: &str) -> Result<(), (String, String)> {
    let usual = Language::parse(code).filter(Language::is_known);
    let mend = match usual {
        Some(language) if code.eq_ignore_ascii_case(language.as_str()) => return Ok(()),
        Some(language) => format!("write {:?}", language.as_str()),
        None => match code.to_ascii_lowercase().as_str() {
            "cn" | "chinese" => "did you mean \"zh\"?".to_owned(),
            "jp" | "japanese" => "did you mean \"ja\"?".to_owned(),
            "english" => "did you mean \"en\"?".to_owned(),
            _ => "write ISO 639 codes, such as \"en\" or \"zh\"".to_owned(),
        },
    };
    Err(("is no language code that a page could have".into(), mend))
}

/// What is wrong with an example page, if anything.
fn why_no_example(path: &str) -> Option<String> {
    let head = || -> std::io::Result<Vec<u8>> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(std::io::Error::other("it is a directory"));
        }
        let mut head = Vec::new();
        file.take(HEAD_BYTES).read_to_end(&mut head)?;
        Ok(head)
    };
    match head() {
        Ok(head) => fetcher::binary_type(&head)
            .map(|found| format!("it is no page and no text, but {found}")),
        Err(error) => Some(error.to_string()),
    }
}
