//! The web and the topics as their files have them.

use focus::ExampleText;
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct PageLine {
    pub(crate) id: u32,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) page_type: String,
    #[serde(default)]
    pub(crate) lang: String,
    pub(crate) links: Vec<LinkLine>,
}

#[derive(Deserialize)]
pub(crate) struct LinkLine {
    pub(crate) url: String,
    pub(crate) to: u32,
    pub(crate) anchor: String,
    pub(crate) context: String,
    pub(crate) tag_path: String,
    pub(crate) rel: String,
    pub(crate) chrome: bool,
}

#[derive(Deserialize)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) keywords: Vec<String>,
    pub(crate) hosts: Vec<String>,
    pub(crate) examples: Vec<u32>,
    pub(crate) seeds: Vec<u32>,
    pub(crate) relevant: Vec<u32>,
    pub(crate) nrel: usize,
    pub(crate) reachable: usize,
    pub(crate) oracle: f64,
    pub(crate) oracle_recall: f64,
    pub(crate) bfa: f64,
    #[serde(default)]
    pub(crate) bfs: f64,
    #[serde(default)]
    pub(crate) cls: String,
}

/// Numbers from here on are URLs without a page.
pub(crate) const DEAD: u32 = 1_000_000;
/// Pages with fewer words are thin.
pub(crate) const WORDS_MIN: usize = 20;

impl PageLine {
    pub(crate) fn is_list(&self) -> bool {
        matches!(
            self.page_type.as_str(),
            "listing" | "collection" | "front_page"
        )
    }

    pub(crate) fn labels(&self) -> Vec<String> {
        let is_tag = |link: &&LinkLine| link.rel.split_whitespace().any(|token| token == "tag");
        let tags = self.links.iter().filter(is_tag);
        tags.map(|link| link.anchor.clone()).collect()
    }

    pub(crate) fn example(&self) -> ExampleText {
        ExampleText {
            title: self.title.clone(),
            text: self.text.clone(),
            url: Some(self.url.clone()),
            links: self.links.iter().map(|link| link.url.clone()).collect(),
            labels: self.labels(),
            listing: self.is_list(),
            lang: Some(self.lang.clone()).filter(|lang| !lang.is_empty()),
        }
    }
}
