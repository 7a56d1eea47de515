//! The topic's example pages that are URLs, and what becomes of them.
//!
//! An example that redirects is the page that it leads to. One that answers with an error is none,
//! and whoever named it should hear of it: a topic without its examples is another topic.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use archive::PageRecord;
use serde::{Deserialize, Serialize};

use crate::saved::pairs;

/// Why a saved page is no example, if it is none.
pub fn doubt(title: &str, text: &str) -> Option<&'static str> {
    match segment::Segmenter::shared().words(text).len() as u32 {
        0 => Some("it holds no words"),
        words if sieve::soft_404::is_soft_404(title, text, words) => {
            Some("it reads like an error page")
        }
        _ => None,
    }
}

/// Example pages by URL.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Examples {
    #[serde(with = "pairs")]
    on_topic: HashMap<String, bool>,
    /// Those that another node has read, and the topic has learnt from here.
    elsewhere: BTreeSet<String>,
    /// Those that were read here, and the topic has learnt from.
    read: BTreeSet<String>,
    /// Those to which a redirect led that was recorded here.
    led_to: BTreeMap<String, bool>,
}

impl Examples {
    /// Adds an example, or with `false` a counter-example, by its canonical URL. The first word on a
    /// URL counts.
    pub fn add(&mut self, url: &str, on_topic: bool) {
        self.on_topic.entry(url.to_owned()).or_insert(on_topic);
    }

    /// Whether the page is an example (`true`), a counter-example (`false`), or neither.
    pub fn get(&self, url: &str) -> Option<bool> {
        self.on_topic.get(url).copied()
    }

    /// Notes that the topic learns from an example that another node has read; `false` where it has learnt
    /// from it before.
    pub fn note_elsewhere(&mut self, url: &str) -> bool {
        !self.read.contains(url) && self.elsewhere.insert(url.to_owned())
    }

    /// Whether the topic has learnt from an example, whoever has read it.
    pub(crate) fn is_learnt(&self, url: &str) -> bool {
        self.elsewhere.contains(url) || self.read.contains(url)
    }

    /// Notes the record of a page from which the topic learns as an example, if it is one.
    pub fn note_read(&mut self, record: &PageRecord) {
        if self.teaches(record).is_some() {
            self.read.insert(record.url.clone());
        }
    }

    /// Those from which the topic has learnt, whoever has read them.
    pub(crate) fn learnt(&self) -> impl Iterator<Item = (&String, bool)> {
        let learnt = self.read.union(&self.elsewhere);
        learnt.filter_map(|url| Some((url, self.get(url)?)))
    }

    /// Those to which a redirect led that was recorded here.
    pub(crate) fn led_to_here(&self) -> &BTreeMap<String, bool> {
        &self.led_to
    }

    /// Whether the topic learns from a page that is read here as an example (`true`), a counter-example
    /// (`false`), or neither: what another node has read teaches once.
    pub(crate) fn to_learn(&self, url: &str) -> Option<bool> {
        self.get(url).filter(|_| !self.elsewhere.contains(url))
    }

    /// The same of a record: a page that is none teaches nothing.
    pub(crate) fn teaches(&self, record: &PageRecord) -> Option<bool> {
        self.to_learn(&record.url).filter(|_| is_lesson(record))
    }

    /// Their URLs, in no order.
    pub fn urls(&self) -> impl Iterator<Item = &String> {
        self.on_topic.keys()
    }

    /// The same, each with whether it is an example or a counter-example.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, bool)> {
        self.on_topic.iter().map(|(url, on_topic)| (url, *on_topic))
    }

    /// Follows an example that redirects.
    pub fn follow(&mut self, record: &PageRecord) {
        if let Some(on_topic) = self.get(&record.url)
            && let Some(target) = record.redirect_target()
        {
            self.add(target, on_topic);
            self.led_to.entry(target.to_owned()).or_insert(on_topic);
        }
    }

    /// What to say of an example that turned out to be none.
    pub fn loss(&self, record: &PageRecord) -> Option<String> {
        let on_topic = self.get(&record.url)?;
        let why = record.no_page()?;
        let kind = if on_topic {
            "example"
        } else {
            "counter-example"
        };
        let url = &record.url;
        Some(format!(
            "the {kind} {url} teaches the topic nothing: {why}; name another page, or save this one and name the file"
        ))
    }
}

/// Whether a page can teach something.
pub(crate) fn is_lesson(record: &PageRecord) -> bool {
    record.page.is_some() && record.no_page().is_none()
}

#[cfg(test)]
mod tests {
    use archive::{FetchRecord, LinkRecord, PageSummary};

    use outcome::{LinkFate, Outcome, Refusal, RobotsRefusal, Verdict};

    use super::*;

    const KEPT: Outcome = Outcome::Judged(Verdict::Index);

    fn record(url: &str, status: u16, outcome: Outcome) -> PageRecord {
        PageRecord {
            url: url.into(),
            fetch: Some(FetchRecord {
                status,
                ..FetchRecord::default()
            }),
            page: Some(PageSummary::default()).filter(|_| outcome == KEPT),
            outcome,
            ..PageRecord::default()
        }
    }

    #[test]
    fn an_example_that_redirects_is_the_page_it_leads_to() {
        let mut examples = Examples::default();
        examples.add("http://a.example/", true);
        examples.add("http://c.example/", false);
        let mut moved = record("http://a.example/", 301, Outcome::Redirected);
        moved.links.push(LinkRecord {
            url: "https://a.example/".into(),
            rel: "redirect".into(),
            fate: LinkFate::New,
            ..LinkRecord::default()
        });
        assert_eq!(examples.loss(&moved), None);
        examples.follow(&moved);
        assert_eq!(examples.get("https://a.example/"), Some(true));
        moved.links[0].fate = LinkFate::BudgetHost;
        assert!(
            examples
                .loss(&moved)
                .is_some_and(|why| why.contains("budget host"))
        );
        // A counter-example stays one whatever leads to it.
        moved.links[0].url = "http://c.example/".into();
        examples.follow(&moved);
        assert_eq!(examples.get("http://c.example/"), Some(false));
        // The page of another URL leads nowhere that matters.
        moved.url = "http://b.example/".into();
        moved.links[0].url = "http://d.example/".into();
        examples.follow(&moved);
        assert_eq!(examples.get("http://d.example/"), None);
    }

    #[test]
    fn an_example_teaches_once_whoever_reads_it_and_however_often() {
        let mut examples = Examples::default();
        let (here, there) = ("http://a.example/", "http://b.example/");
        examples.add(here, true);
        examples.add(there, false);
        let page = |url: &str| record(url, 200, KEPT);
        examples.note_read(&record(here, 404, KEPT));
        assert!(!examples.is_learnt(here), "an error page teaches nothing");
        examples.note_read(&page(here));
        // Another node reads what was read here, and this one what another has read.
        assert!(!examples.note_elsewhere(here) && examples.note_elsewhere(there));
        assert!(!examples.note_elsewhere(there));
        assert_eq!(examples.teaches(&page(here)), Some(true));
        assert_eq!(examples.teaches(&page(there)), None);
        assert_eq!(examples.to_learn(there), None);
        let learnt: Vec<_> = examples.learnt().collect();
        assert_eq!(
            learnt,
            [(&here.to_owned(), true), (&there.to_owned(), false)]
        );
    }

    #[test]
    fn a_saved_error_page_is_doubted() {
        let text = "A planner chooses between an index scan and a sequential scan.";
        assert_eq!(doubt("The planner", text), None);
        assert_eq!(
            doubt("404 Not Found", text),
            Some("it reads like an error page")
        );
        assert_eq!(doubt("The planner", " -- "), Some("it holds no words"));
    }

    #[test]
    fn an_error_is_no_example_and_that_is_said() {
        let mut examples = Examples::default();
        examples.add("http://a.example/", true);
        let loss = |record: &PageRecord| examples.loss(record);
        assert_eq!(loss(&record("http://a.example/", 200, KEPT)), None);
        assert_eq!(loss(&record("http://b.example/", 404, KEPT)), None);
        let gone = loss(&record("http://a.example/", 404, KEPT)).expect("is lost");
        assert!(
            gone.contains("http://a.example/") && gone.contains("status 404"),
            "{gone}"
        );
        let mut soft = record("http://a.example/", 200, KEPT);
        soft.page = Some(PageSummary {
            soft_404: true,
            ..PageSummary::default()
        });
        assert!(loss(&soft).is_some_and(|why| why.contains("error page")));
        let robots = RobotsRefusal::Unavailable {
            answered: "nothing".into(),
        };
        let robots = Outcome::Refused(Refusal::Robots(robots));
        let refused = record("http://a.example/", 0, robots);
        assert!(loss(&refused).is_some_and(|why| why.contains("robots")));
    }
}
