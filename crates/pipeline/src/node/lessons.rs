//! What nodes learn from each other's example pages.
//!
//! An example is a URL, and one node has its host. What the topic learns from its page is little and says
//! much, so that node tells it to the whole crawl, as a fact of the ledger. The others write it into their
//! own journals before they learn from it, so what follows from it can be made again from the journal
//! alone. A fact is bounded: of a long page the beginning counts.
//!
//! It is told after its group is committed. A node that ends between the two finds out at its next start
//! which of the examples in its journal are no facts yet, and tells those.

use std::collections::BTreeSet;

use archive::{ElsewhereExample, Event, Position, Replayed};
use ledger::{Fact, Told};
use state::State;

use crate::dir::CrawlDir;
use crate::error::CrawlError;

/// The kind of such facts.
const EXAMPLE: &str = "example";

/// Bytes of a fact, which the ledger bounds at 64 KB.
const FACT_MAX: usize = 60_000;
/// Bytes of the text and of the title.
const TEXT_MAX: usize = 32_768;
const TITLE_MAX: usize = 1_024;
/// Links and labels, and bytes of one.
const LINKS_MAX: usize = 256;
const LINK_MAX: usize = 512;

/// What the whole crawl is told of an example page.
pub(crate) fn fact_of(example: &ElsewhereExample) -> Option<Fact> {
    let few = |texts: &[String]| {
        let short = texts.iter().filter(|text| text.len() <= LINK_MAX);
        short.take(LINKS_MAX).cloned().collect()
    };
    let mut told = ElsewhereExample {
        title: begin_of(&example.title, TITLE_MAX),
        text: begin_of(&example.text, TEXT_MAX),
        links: few(&example.links),
        labels: few(&example.labels),
        ..example.clone()
    };
    loop {
        let data = serde_json::to_vec(&told).ok()?;
        if data.len() <= FACT_MAX {
            return Some(Fact {
                kind: EXAMPLE.into(),
                data,
            });
        }
        told.text = begin_of(&told.text, told.text.len() / 2);
        told.links.truncate(told.links.len() / 2);
        told.labels.truncate(told.labels.len() / 2);
        if told.text.is_empty() && told.links.is_empty() {
            return None;
        }
    }
}

/// The examples among what others have told.
pub(crate) fn examples_in(told: &[Told], me: u16) -> Vec<ElsewhereExample> {
    let others = told
        .iter()
        .filter(|told| told.node != me && told.fact.kind == EXAMPLE);
    others
        .filter_map(|told| serde_json::from_slice(&told.fact.data).ok())
        .collect()
}

/// Takes the examples out of `urls` that were told to the whole crawl, by whomever.
pub(crate) fn strike_told(urls: &mut BTreeSet<String>, told: &[Told]) {
    let facts = told.iter().filter(|told| told.fact.kind == EXAMPLE);
    for fact in facts {
        if let Ok(example) = serde_json::from_slice::<ElsewhereExample>(&fact.fact.data) {
            urls.remove(&example.url);
        }
    }
}

/// These example pages as the journal has them.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read_again(
    dir: &CrawlDir,
    state: &State,
    urls: &BTreeSet<String>,
) -> Result<Vec<ElsewhereExample>, CrawlError> {
    let archive = dir.archive();
    let mut found = Vec::new();
    for replayed in archive::replay(&archive, Position::START)? {
        if let Replayed::Record { record, .. } = replayed? {
            let is_meant = matches!(&record.event, Event::Page(page) if urls.contains(&page.url));
            let read = |at: &archive::BodyRef| archive::read_text(&archive, at).ok();
            found.extend(is_meant.then(|| state.example_in(&record, read)).flatten());
        }
    }
    Ok(found)
}

fn begin_of(text: &str, bytes_max: usize) -> String {
    let mut ends = (0..=bytes_max.min(text.len())).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or_default()].to_owned()
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
        let drain = Fact {
            kind: "drain".into(),
            data: Vec::new(),
        };
        let all = [told(fact.clone(), 1), told(fact, 2), told(drain, 1)];
        assert_eq!(examples_in(&all, 2), std::slice::from_ref(&example));
        let long = ElsewhereExample {
            text: "\u{1}库".repeat(100_000),
            links: vec!["x".repeat(500); 5_000],
            ..example
        };
        let fact = fact_of(&long).expect("it is told");
        assert!(fact.data.len() <= FACT_MAX);
        let read = &examples_in(&[told(fact, 1)], 2)[0];
        assert!(read.text.len() > 4_000 && long.text.starts_with(&read.text));
    }
}
