//! `tamis topic check`: the topic as a crawl would see it, and what it says of pages.

use std::path::{Path, PathBuf};

use documents::text::nowhere;
use documents::{Text, is_page};
use extractor::title_of_text;
use focus::{ExampleText, PageTerms, PageView, Relevance, TermSource, Topic};
use pipeline::{config_file, setup};
use report::words::plural;
use serde_json::json;
use state::examples;
use url::Url;

use super::crawl_error;
use super::text::read_page;
use crate::exit::{Exit, several, usage};
use crate::output::Output;

/// Terms shown to people; all of them are in the JSON form.
const TERMS_SHOWN: usize = 30;

/// With so many links a page may be a list of links, which its address would tell.
const LINKS_OF_A_LIST: usize = 10;

/// Check a topic: its terms with their weights, and what it says of pages
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example pages that are URLs are read when a crawl begins. To check with them before, save \
        them and give the files with --example.\n\nExample:\n  \
        tamis topic check config/focused-topic.toml --example planner.html page.html notes.txt"
)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show the topic's terms and the scores of pages, with why
    #[command(
        after_help = "The exit code is 1 when one of the pages is off topic, and 0 when all are on topic or none is \
            given.\n\nExample:\n  tamis topic check config/focused-topic.toml page.html"
    )]
    Check {
        /// The configuration with the topic
        config: PathBuf,
        /// Pages to score: HTML (the main content counts) or plain text; - is standard input
        pages: Vec<PathBuf>,
        /// A saved example page, besides those of the configuration
        #[arg(long, value_name = "FILE")]
        example: Vec<PathBuf>,
    },
}

/// Checks the topic; exit 1 when a page is off topic.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let Action::Check {
        config,
        pages,
        example,
    } = &args.action;
    let file = config.display();
    // With the files that it names, as where a crawl begins.
    let config = config_file::read_all(config)
        .map_err(|problems| several("the configuration", &problems))?;
    let mut focus = setup::focus_config(&config)
        .map_err(crawl_error)?
        .ok_or_else(|| usage(format!("{file} has no [topic]")))?;
    let mut doubtful = setup::doubtful_examples(&config, &focus);
    for saved in example {
        let page = Page::read(saved)?;
        let doubt = examples::doubt(&page.title, &page.text);
        doubtful.extend(doubt.map(|why| (page.name.clone(), why)));
        focus.topic.examples.push(page.example());
    }
    let topic = Topic::new(&focus.topic).map_err(|error| usage(format!("[topic] {error}")))?;
    if !topic.has_subject() && !pages.is_empty() {
        return Err(usage(
            "nothing to judge pages by yet: the examples are URLs, which a crawl reads first; save such a page and \
             give it with --example FILE",
        ));
    }
    let section = config.topic.unwrap_or_default();
    let unread = section
        .examples
        .iter()
        .chain(&section.counter_examples)
        .filter(|example| example.contains("://"))
        .count();
    let doubts = Doubts {
        examples: doubtful,
        keywords: focus::keyword_doubts(&focus.topic.keywords),
    };
    show_topic(&topic, focus.topic.examples.len(), unread, &doubts, output)?;
    let mut all_on = true;
    for path in pages {
        let page = Page::read(path)?;
        all_on &= show_page(&topic, &page, output)?;
    }
    Ok(if all_on { Exit::Done } else { Exit::Problem })
}

/// Parts of a topic that may not do what is wanted, each with why.
struct Doubts {
    examples: Vec<(String, &'static str)>,
    keywords: Vec<(String, &'static str)>,
}

fn show_topic(
    topic: &Topic,
    examples: usize,
    unread: usize,
    doubts: &Doubts,
    output: &Output,
) -> anyhow::Result<()> {
    let terms = topic.terms();
    if output.json {
        let terms: Vec<_> = terms
            .iter()
            .map(|term| json!({"term": term.text, "weight": term.weight, "from": source(term.source)}))
            .collect();
        output.value(&json!({
            "threshold": topic.threshold(),
            "examples": examples,
            "examples_not_read": unread,
            "examples_doubtful": doubts.examples,
            "keywords_doubtful": doubts.keywords,
            "terms": terms,
        }))?;
        return Ok(());
    }
    output.line(format!(
        "{} read; a page is on topic from {:.2} on",
        plural(examples as u64, "example page", "example pages"),
        topic.threshold()
    ))?;
    if unread > 0 {
        output.say(format!(
            "{}, which a crawl reads first: save such a page and give it with --example to see what it adds",
            plural(unread as u64, "more is a URL", "more are URLs")
        ));
    }
    for (keyword, why) in &doubts.keywords {
        output.say(format!("the keyword {keyword:?} {why}"));
    }
    for (file, why) in &doubts.examples {
        output.say(format!(
            "the example {file} teaches the topic little: {why}"
        ));
    }
    output.line("\nTerms")?;
    for term in terms.iter().take(TERMS_SHOWN) {
        output.line(format!(
            "  {:>7.3}  {:9}  {}",
            term.weight,
            source(term.source),
            term.text
        ))?;
    }
    Ok(())
}

fn source(source: TermSource) -> &'static str {
    match source {
        TermSource::Keyword => "keyword",
        TermSource::Examples => "examples",
    }
}

/// What the score's log-odds hold beside the parts that have names.
fn constant_part(probability: f32, why: &[(String, f32)]) -> f32 {
    let named: f32 = why.iter().map(|(_, log_odds)| log_odds).sum();
    (probability / (1.0 - probability)).ln() - named
}

/// Shows a page's score with why; says whether it is on topic.
fn show_page(topic: &Topic, page: &Page, output: &Output) -> anyhow::Result<bool> {
    let terms = page.terms(topic);
    let Relevance { probability, why } = topic.judge(&terms);
    let on_topic = probability >= topic.threshold();
    let places = topic.keyword_places(&terms);
    let constant = constant_part(probability, &why);
    if output.json {
        let why: Vec<_> = why
            .iter()
            .map(|(what, log_odds)| json!({"what": what, "log_odds": log_odds}))
            .collect();
        let places: Vec<_> = places
            .iter()
            .map(|at| {
                json!({
                    "keyword": at.keyword, "title": at.title, "text": at.text,
                    "url": at.url, "labels": at.labels,
                })
            })
            .collect();
        output.value(&json!({
            "page": page.name,
            "title": page.title,
            "words": page.words.len(),
            "relevance": probability,
            "on_topic": on_topic,
            "why": why,
            "constant": constant,
            "keywords": places,
        }))?;
        return Ok(on_topic);
    }
    let verdict = if on_topic { "on topic" } else { "off topic" };
    output.line(format!(
        "\n{probability:.3}  {verdict}  {}  {}",
        page.name, page.title
    ))?;
    output.line(format!(
        "  {constant:>+6.2}  the constant part, the same for every page"
    ))?;
    for (what, log_odds) in &why {
        output.line(format!("  {log_odds:>+6.2}  {what}"))?;
    }
    if page.links.len() >= LINKS_OF_A_LIST && !page.listing && page.url == nowhere() {
        output.line(
            "          read without its address: if that is a front page's or a list's, a crawl rates it far lower",
        )?;
    }
    for at in &places {
        output.line(format!(
            "          {:?}: {} in the title, {} in the text",
            at.keyword, at.title, at.text
        ))?;
    }
    if places.is_empty() {
        output.line("          no keyword stands on it")?;
    }
    Ok(on_topic)
}

/// A page from a file.
struct Page {
    name: String,
    title: String,
    text: String,
    words: segment::Words,
    url: Url,
    links: Vec<String>,
    labels: Vec<String>,
    listing: bool,
    lang: Option<String>,
}

impl Page {
    fn read(file: &Path) -> anyhow::Result<Page> {
        let name = file.display().to_string();
        let bytes = read_page(file)?;
        let mut page = Page {
            name,
            title: String::new(),
            text: String::new(),
            words: segment::Segmenter::shared().words(""),
            url: nowhere(),
            links: Vec::new(),
            labels: Vec::new(),
            listing: false,
            lang: None,
        };
        if is_page(None, &bytes) {
            let read = extractor::page_of_bytes(&bytes, None, &page.url);
            // A saved page may still say where it is from, and a front page is known by its URL.
            page.url = read.canonical.unwrap_or(page.url);
            page.title = read.title.unwrap_or_default();
            page.text = read.text;
            page.listing = read.page_type.is_link_list();
            page.lang = read.lang;
            for link in read.links {
                if link.rel.split_whitespace().any(|token| token == "tag") {
                    page.labels.push(link.anchor);
                }
                page.links.push(link.url.into());
            }
        } else {
            let text = Text::of_bytes(&bytes, None, None).text;
            page.title = title_of_text(&text).unwrap_or_default();
            page.lang = segment::language(&text, None).map(|language| language.to_string());
            page.text = text;
        }
        page.words = segment::Segmenter::shared().words(&page.text);
        Ok(page)
    }

    /// What a crawl reads of it.
    fn terms(&self, topic: &Topic) -> PageTerms {
        let links: Vec<&str> = self.links.iter().map(String::as_str).collect();
        let labels: Vec<&str> = self.labels.iter().map(String::as_str).collect();
        topic.read(&PageView {
            title: &self.title,
            words: &self.words,
            url: &self.url,
            lang: self.lang.as_deref(),
            links: &links,
            labels: &labels,
            listing: self.listing,
        })
    }

    fn example(self) -> ExampleText {
        ExampleText {
            title: self.title,
            text: self.text,
            url: Some(self.url.into()),
            links: self.links,
            labels: self.labels,
            listing: self.listing,
            lang: self.lang,
        }
    }
}
