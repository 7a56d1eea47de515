//! What nodes learn from each other's example pages.
//!
//! An example is a URL, and one node has its host. What the topic learns from its page is little and says
//! much, so that node tells it to the whole crawl, as a fact of the ledger. The others write it into their
//! own journals before they learn from it, so what follows from it can be made again from the journal
//! alone. A fact is bounded: of a long page the beginning counts.
//!
//! It is told after its group is committed. A node that ends between the two finds out at its next start
//! which of the examples in its journal are no facts yet, and tells those.
//!
//! An example that redirects is the page that it leads to, and that may be on another node's host. So where
//! it leads is told too. Whoever has read that page before it heard of it reads it once more, in its journal.

use std::collections::BTreeMap;

use archive::{ElsewhereExample, Event, ExampleTarget, PageRecord, Position, Record, Replayed};
use ledger::{Fact, Told};
use serde::Serialize;
use serde::de::DeserializeOwned;
use state::State;

use crate::dir::CrawlDir;
use crate::error::CrawlError;

/// The kinds of such facts: an example page, and a page to which an example leads.
const EXAMPLE: &str = "example";
const LED_TO: &str = "example-led-to";

/// Bytes of a fact, which the ledger bounds at 64 KB.
const FACT_MAX: usize = 60_000;
/// Bytes of the text and of the title.
const TEXT_MAX: usize = 32_768;
const TITLE_MAX: usize = 1_024;
/// Links and labels, and bytes of one.
const LINKS_MAX: usize = 256;
const LINK_MAX: usize = 512;

/// What other nodes have told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Lessons {
    /// Example pages.
    pub(crate) pages: Vec<ElsewhereExample>,
    /// Pages to which examples lead.
    pub(crate) led_to: Vec<ExampleTarget>,
}

impl Lessons {
    /// Those among what was told to the whole crawl.
    pub(crate) fn among(told: &[Told], me: u16) -> Lessons {
        let others = || told.iter().filter(|told| told.node != me);
        Lessons {
            pages: others()
                .filter_map(|told| read(&told.fact, EXAMPLE))
                .collect(),
            led_to: others()
                .filter_map(|told| read(&told.fact, LED_TO))
                .collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.led_to.is_empty()
    }

    pub(crate) fn append(&mut self, mut more: Lessons) {
        self.pages.append(&mut more.pages);
        self.led_to.append(&mut more.led_to);
    }
}

/// Lessons of this node's journal of which the whole crawl may not have been told: URLs, and whether each is
/// on the topic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Untold {
    /// Example pages that were learnt from. Those that others have read are struck, or not in the journal.
    pub(crate) read: BTreeMap<String, bool>,
    /// Pages to which examples led.
    pub(crate) led_to: BTreeMap<String, bool>,
}

impl Untold {
    pub(crate) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.led_to.is_empty()
    }

    /// Takes out what was told, by whomever.
    pub(crate) fn strike(&mut self, told: &[Told]) {
        for told in told {
            if let Some(example) = read::<ElsewhereExample>(&told.fact, EXAMPLE) {
                self.read.remove(&example.url);
            }
            if let Some(target) = read::<ExampleTarget>(&told.fact, LED_TO) {
                self.led_to.remove(&target.url);
            }
        }
    }

    /// What is to be told, as facts.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(crate) fn facts(self, dir: &CrawlDir) -> Result<Vec<Fact>, CrawlError> {
        let pages = read_again(dir, &self.read)?;
        let led_to = self.led_to.into_iter();
        let led_to = led_to.map(|(url, on_topic)| ExampleTarget { url, on_topic });
        let led_to = led_to.filter_map(|target| fact(LED_TO, &target));
        Ok(led_to.chain(pages.iter().filter_map(fact_of)).collect())
    }
}

/// What the whole crawl is told of a record that is about to be applied; `text` reads its page's main text.
pub(crate) fn facts_of(
    state: &State,
    record: &Record,
    text: impl FnOnce(&PageRecord) -> Option<String>,
) -> Vec<Fact> {
    let target = state.example_led_to(record);
    let target = target.and_then(|target| fact(LED_TO, &target));
    let page = state.example_for_others(record, text);
    let page = page.and_then(|example| fact_of(&shortened(example)?));
    target.into_iter().chain(page).collect()
}

/// What others told of examples, of which this record tells.
pub(crate) fn facts_heard(record: &Record) -> Vec<Fact> {
    let Event::Elsewhere(elsewhere) = &record.event else {
        return Vec::new();
    };
    let targets = elsewhere.led_to.iter();
    let targets = targets.filter_map(|target| fact(LED_TO, target));
    let pages = elsewhere.examples.iter().filter_map(fact_of);
    targets.chain(pages).collect()
}

/// These pages as the journal has them, as examples or counter-examples.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read_again(
    dir: &CrawlDir,
    urls: &BTreeMap<String, bool>,
) -> Result<Vec<ElsewhereExample>, CrawlError> {
    let (texts, mut found) = (dir.texts(), BTreeMap::new());
    if urls.is_empty() {
        return Ok(Vec::new());
    }
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        if let Replayed::Record { record, .. } = replayed?
            && let Event::Page(page) = record.event
            && let Some(&on_topic) = urls.get(&page.url)
        {
            let text = page.text.as_ref();
            let text = text.and_then(|at| texts.text(at));
            texts.all_there().map_err(CrawlError::Texts)?;
            let example = State::as_example(&page, on_topic, &text.unwrap_or_default());
            found.extend(
                example
                    .and_then(shortened)
                    .map(|example| (page.url, example)),
            );
        }
    }
    Ok(found.into_values().collect())
}

/// As much of an example as a fact has room for.
fn shortened(example: ElsewhereExample) -> Option<ElsewhereExample> {
    let few = |texts: Vec<String>| {
        let short = texts.into_iter().filter(|text| text.len() <= LINK_MAX);
        short.take(LINKS_MAX).collect()
    };
    let mut told = ElsewhereExample {
        title: begin_of(&example.title, TITLE_MAX),
        text: begin_of(&example.text, TEXT_MAX),
        links: few(example.links),
        labels: few(example.labels),
        ..example
    };
    while serde_json::to_vec(&told).ok()?.len() > FACT_MAX {
        told.text = begin_of(&told.text, told.text.len() / 2);
        told.links.truncate(told.links.len() / 2);
        told.labels.truncate(told.labels.len() / 2);
        if told.text.is_empty() && told.links.is_empty() {
            return None;
        }
    }
    Some(told)
}

/// What the whole crawl is told of an example page, which is short enough.
pub(crate) fn fact_of(example: &ElsewhereExample) -> Option<Fact> {
    fact(EXAMPLE, example)
}

fn fact(kind: &str, told: &impl Serialize) -> Option<Fact> {
    Some(Fact {
        kind: kind.into(),
        data: serde_json::to_vec(told).ok()?,
    })
}

fn read<T: DeserializeOwned>(fact: &Fact, kind: &str) -> Option<T> {
    let data = Some(&fact.data).filter(|_| fact.kind == kind)?;
    serde_json::from_slice(data).ok()
}

fn begin_of(text: &str, bytes_max: usize) -> String {
    text[..text.floor_char_boundary(bytes_max)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_comes_to_the_others_as_it_was_and_a_long_one_shortened() {
        let example = ElsewhereExample {
            url: "http://a.example/".into(),
            on_topic: true,
            title: "数据库".into(),
            text: "备份与恢复".into(),
            links: vec!["http://a.example/2".into()],
            lang: "zh".into(),
            ..ElsewhereExample::default()
        };
        let told = |fact, node| Told {
            number: 1,
            node,
            fact,
        };
        let fact = fact_of(&example).expect("it is told");
        let target = ExampleTarget {
            url: "http://b.example/".into(),
            on_topic: false,
        };
        let led_to = super::fact(LED_TO, &target).expect("it is told");
        let drain = Fact {
            kind: "drain".into(),
            data: Vec::new(),
        };
        let all = [
            told(fact.clone(), 1),
            told(fact, 2),
            told(drain, 1),
            told(led_to, 1),
        ];
        let lessons = Lessons::among(&all, 2);
        assert_eq!(lessons.pages, std::slice::from_ref(&example));
        assert_eq!(lessons.led_to, std::slice::from_ref(&target));
        let urls = |names: [&str; 2]| names.map(|name| (name.to_owned(), true)).into();
        let mut untold = Untold {
            read: urls(["http://a.example/", "http://c.example/"]),
            led_to: urls(["http://a.example/", "http://b.example/"]),
        };
        untold.strike(&all);
        assert_eq!(
            untold.read.keys().collect::<Vec<_>>(),
            ["http://c.example/"]
        );
        assert_eq!(
            untold.led_to.keys().collect::<Vec<_>>(),
            ["http://a.example/"]
        );
        let long = ElsewhereExample {
            text: "\u{1}库".repeat(100_000),
            links: vec!["x".repeat(500); 5_000],
            ..example
        };
        let fact = fact_of(&shortened(long.clone()).expect("something is left"));
        let fact = fact.expect("it is told");
        assert!(fact.data.len() <= FACT_MAX);
        let read = &Lessons::among(&[told(fact, 1)], 2).pages[0];
        assert!(read.text.len() > 4_000 && long.text.starts_with(&read.text));
    }
}
