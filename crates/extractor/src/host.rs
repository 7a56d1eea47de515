//! What a host repeats on its pages: template, learnt while crawling.
//!
//! One page cannot tell a slogan from a sentence; twenty pages can. Each page of a host adds the
//! hashes of its main content's blocks, once each; a short block that stood on most of the pages
//! seen is template and is cut from later pages.
//!
//! Counting is all there is, so the order of pages matters little and a crawl that is replayed in
//! its order agrees with itself exactly. Memory is bounded: so many hosts, so many blocks a host;
//! when a host is full its rarest blocks are forgotten (and the counts of all are halved, so that
//! a redesign is learnt), when there are too many hosts the one seen least is.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::blocks;
use crate::page::{Block, Page};

/// Hosts remembered.
const HOSTS_MAX: usize = 4096;
/// Blocks remembered for a host.
const BLOCKS_MAX: usize = 2048;
/// Pages of a host before anything is cut: with fewer, two articles in a series look like one
/// template.
const PAGES_MIN: u32 = 8;
/// Blocks longer than this are content even where they repeat (a licence, a poem).
const BYTES_MAX: usize = 600;

/// The memory of all hosts.
#[derive(Debug, Default)]
pub struct HostTemplates {
    hosts: HashMap<String, Host>,
}

#[derive(Debug, Default)]
struct Host {
    pages: u32,
    blocks: HashMap<u64, u32>,
}

impl HostTemplates {
    /// An empty memory.
    pub fn new() -> HostTemplates {
        HostTemplates::default()
    }

    /// Counts a page's blocks. Observe each page once, before or after [`HostTemplates::trim`],
    /// but always with the blocks it had before trimming.
    pub fn observe(&mut self, host: &str, page: &Page) {
        if !self.hosts.contains_key(host) && self.hosts.len() >= HOSTS_MAX {
            // The name breaks ties, so that a replay forgets the same host.
            let least = self
                .hosts
                .iter()
                .min_by(|(name, one), (other, two)| one.pages.cmp(&two.pages).then(name.cmp(other)))
                .map(|(name, _)| name.clone());
            if let Some(least) = least {
                self.hosts.remove(&least);
            }
        }
        let memory = self.hosts.entry(host.to_owned()).or_default();
        memory.pages += 1;
        let mut keys: Vec<u64> = page.blocks.iter().filter_map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            *memory.blocks.entry(key).or_default() += 1;
        }
        if memory.blocks.len() > BLOCKS_MAX {
            memory.pages = memory.pages.div_ceil(2);
            memory.blocks.retain(|_, count| {
                *count /= 2;
                *count > 0
            });
        }
    }

    /// Cuts blocks that most of the host's pages have, and writes the text anew. Returns how many
    /// were cut; a page is never cut to nothing.
    pub fn trim(&self, host: &str, page: &mut Page) -> usize {
        let Some(memory) = self.hosts.get(host) else {
            return 0;
        };
        if memory.pages < PAGES_MIN {
            return 0;
        }
        let is_template = |block: &Block| {
            key(block)
                .and_then(|key| memory.blocks.get(&key))
                .is_some_and(|&count| count * 2 > memory.pages)
        };
        let cut = page
            .blocks
            .iter()
            .filter(|block| is_template(block))
            .count();
        if cut == 0 || cut == page.blocks.len() {
            return 0;
        }
        page.blocks.retain(|block| !is_template(block));
        page.text = blocks::plain(&page.blocks);
        cut
    }
}

/// A block's hash, if it is short enough to be template.
fn key(block: &Block) -> Option<u64> {
    let text = blocks::plain(std::slice::from_ref(block));
    (!text.is_empty() && text.len() <= BYTES_MAX).then(|| xxh3_64(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(lines: &[&str]) -> Page {
        let url = url::Url::parse("http://a.example/").unwrap();
        let mut page = Page::empty(&url);
        page.blocks = lines
            .iter()
            .map(|line| Block::Paragraph {
                text: (*line).to_owned(),
            })
            .collect();
        page.text = blocks::plain(&page.blocks);
        page
    }

    #[test]
    fn a_line_that_most_pages_have_is_cut() {
        let mut templates = HostTemplates::new();
        for number in 0..10 {
            let own = format!("The story of page {number}.");
            templates.observe("a.example", &page(&[&own, "Read us on paper, too!"]));
        }
        let mut next = page(&["A new story.", "Read us on paper, too!"]);
        assert_eq!(templates.trim("a.example", &mut next), 1);
        assert_eq!(next.text, "A new story.");
        let mut elsewhere = page(&["A new story.", "Read us on paper, too!"]);
        assert_eq!(templates.trim("b.example", &mut elsewhere), 0);
    }

    #[test]
    fn few_pages_prove_nothing_and_no_page_is_emptied() {
        let mut templates = HostTemplates::new();
        for _ in 0..3 {
            templates.observe("a.example", &page(&["Same.", "Other."]));
        }
        let mut next = page(&["Same.", "New."]);
        assert_eq!(templates.trim("a.example", &mut next), 0);
        for _ in 0..20 {
            templates.observe("a.example", &page(&["Same."]));
        }
        let mut only = page(&["Same."]);
        assert_eq!(templates.trim("a.example", &mut only), 0);
    }

    #[test]
    fn memory_is_bounded() {
        let mut templates = HostTemplates::new();
        for number in 0..3000 {
            let own = format!("Line {number}");
            templates.observe("a.example", &page(&[&own, "Always."]));
        }
        assert!(templates.hosts["a.example"].blocks.len() <= BLOCKS_MAX + 2);
        for number in 0..HOSTS_MAX + 10 {
            templates.observe(&format!("{number}.example"), &page(&["x"]));
        }
        assert!(templates.hosts.len() <= HOSTS_MAX);
        assert!(templates.hosts.contains_key("a.example"));
    }
}
