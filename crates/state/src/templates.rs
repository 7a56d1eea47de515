//! What hosts repeat on their pages, as a view over the journal.
//!
//! A page is trimmed by what is known of its host when it is judged, then fingerprinted: blocks
//! that stand on most pages of a host make pages neither alike nor different; nor do those on most pages of a part
//! of it (the first segment of the path), since each department, collection or language may have its own. Kept pages and near
//! duplicates teach: pages of a heavy template are near duplicates until it is known. Exact
//! duplicates do not, since a page under many URLs would make its text look like template. The
//! keys stand in the records, so that a replay learns the same.

use std::collections::{BTreeMap, VecDeque};

use archive::PageRecord;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use extractor::{BlockKeys, HostTemplates, Page, WallDoubt};
use outcome::JunkReason;
use serde::{Deserialize, Serialize};

use crate::finding::PageReading;

/// Lines of short pages that are remembered of a host.
const SAID_MAX: usize = 256;

/// Pages of a host before it is known how much they say: as many as its template is learnt from.
const SAYING_MIN: u32 = 8;

/// The template blocks of every host.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Templates {
    templates: HostTemplates,
    parts: HostTemplates,
    /// How much the pages of each host say themselves, once its margins are known.
    #[serde(default)]
    sayings: BTreeMap<Box<str>, Saying>,
}

/// Pages of one host without what stands in its margins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Saying {
    pages: u32,
    /// Those of them with too few words.
    few: u32,
    /// Lines of these, the newest last.
    lines: VecDeque<u32>,
}

impl Templates {
    /// Cuts the host's template from a page; its words and fingerprint are made anew if there
    /// was any.
    pub fn trim(&self, host: &str, url: &str, reading: &mut PageReading) {
        let part = part_of(host, url).unwrap_or_default();
        let known = [(&self.templates, host), (&self.parts, &part)];
        let cut = HostTemplates::trim_by(&known, &reading.blocks, &mut reading.page);
        if let Some(cut) = cut {
            let words = std::mem::take(&mut reading.words);
            reading.words = words.of_lines(&cut.text, &reading.page.text);
            let whole = std::mem::replace(&mut reading.print, simhash::print(&reading.words));
            reading.whole = Some((cut.blocks as u32, whole));
        }
    }

    /// What a short page says itself, beside what stands in the margins of its host's pages; `None` where nothing
    /// does.
    pub fn own_text(&self, host: &str, url: &str, page: &Page) -> Option<String> {
        let part = part_of(host, url).unwrap_or_default();
        let known = [(&self.templates, host), (&self.parts, &part)];
        HostTemplates::own_text(&known, page)
    }

    /// Whether all that a page says as walls do stands on most pages of its host.
    pub fn say_of_most(&self, host: &str, url: &str, doubt: &WallDoubt) -> bool {
        let part = part_of(host, url).unwrap_or_default();
        HostTemplates::say_of_most(&[(&self.templates, host), (&self.parts, &part)], doubt)
    }

    /// Kept pages of a host, and their near-duplicates.
    pub fn pages_of(&self, host: &str) -> u64 {
        self.templates.pages_of(host)
    }

    /// Whether most pages of a host have words enough without what stands in its margins, so that one that has not is
    /// thin. A host of poems or of entries is short throughout.
    pub fn say_enough(&self, host: &str) -> bool {
        let saying = self.sayings.get(host);
        saying.is_some_and(|saying| saying.pages >= SAYING_MIN && saying.few * 2 < saying.pages)
    }

    /// Whether at least half of these lines (each with its length) stood on short pages of the host before.
    pub fn has_said(&self, host: &str, lines: &[(u32, usize)]) -> bool {
        let known = self.sayings.get(host).map(|saying| &saying.lines);
        let is_known = |key| known.is_some_and(|known| known.contains(key));
        let all: usize = lines.iter().map(|(_, length)| length).sum();
        let said = lines.iter().filter(|(key, _)| is_known(key));
        let said: usize = said.map(|(_, length)| length).sum();
        said > 0 && said * 2 >= all
    }

    /// Learns from a finished URL.
    pub fn apply(&mut self, record: &PageRecord) {
        self.note_saying(record);
        if teaches(record)
            && let Some(page) = &record.page
            && let Ok(bytes) = STANDARD_NO_PAD.decode(&page.blocks)
        {
            let keys = BlockKeys::from_bytes(&bytes);
            self.templates.observe(&record.host, &keys);
            if let Some(part) = part_of(&record.host, &record.url) {
                self.parts.observe(&part, &keys);
            }
        }
    }
}

impl Templates {
    fn note_saying(&mut self, record: &PageRecord) {
        let own = record.page.as_ref().and_then(|page| page.own.as_ref());
        let is_known = self.templates.has_learnt(&record.host);
        if !is_known || !(teaches(record) || own.is_some_and(|own| own.few)) {
            return;
        }
        if self.sayings.len() >= HostTemplates::HOSTS_MAX
            && !self.sayings.contains_key(&*record.host)
        {
            let least = self.sayings.iter().min_by_key(|(_, saying)| saying.pages);
            if let Some(least) = least.map(|(host, _)| host.clone()) {
                self.sayings.remove(&least);
            }
        }
        let saying = self.sayings.entry(record.host.as_str().into()).or_default();
        saying.pages = saying.pages.saturating_add(1);
        let Some(own) = own.filter(|own| own.few) else {
            return;
        };
        saying.few += 1;
        for line in &own.lines {
            if !saying.lines.contains(line) {
                saying.lines.push_back(*line);
            }
        }
        let beyond = saying.lines.len().saturating_sub(SAID_MAX);
        saying.lines.drain(..beyond);
    }
}

/// The part of its host that a page is in: the first segment of its path, if another one follows.
fn part_of(host: &str, url: &str) -> Option<String> {
    let path = url.split_once("://")?.1.split(['?', '#']).next()?;
    let mut segments = path.split('/').skip(1);
    let (first, second) = (segments.next()?, segments.next()?);
    let is_part = !first.is_empty() && !second.is_empty();
    is_part.then(|| format!("{host}/{first}"))
}

/// Notes in the record of a judged page what its host's template is learnt from.
pub(crate) fn write_blocks(record: &mut PageRecord, blocks: &BlockKeys) {
    if teaches(record)
        && let Some(page) = &mut record.page
    {
        page.blocks = STANDARD_NO_PAD.encode(blocks.to_bytes());
    }
}

fn teaches(record: &PageRecord) -> bool {
    record.outcome.is_indexed() || record.junk() == Some(&JunkReason::NearDuplicate)
}

#[cfg(test)]
mod tests {
    use archive::{OwnWords, PageSummary};
    use outcome::{Outcome, Verdict};

    use super::*;

    #[test]
    fn a_part_of_a_host_is_its_first_folder() {
        let part = |url| part_of("a.example", url);
        assert_eq!(part("http://a.example/b/c/d"), Some("a.example/b".into()));
        for url in [
            "http://a.example/",
            "http://a.example/b",
            "http://a.example/b/",
            "http://a.example/b?c=/d/e",
            "",
        ] {
            assert_eq!(part(url), None, "{url}");
        }
    }

    #[test]
    fn kept_pages_and_near_duplicates_teach_and_exact_ones_do_not() {
        let page = |verdict: Verdict| PageRecord {
            host: "a.example".into(),
            outcome: Outcome::Judged(verdict),
            page: Some(PageSummary::default()),
            ..PageRecord::default()
        };
        let blocks = || {
            let url = url::Url::parse("http://a.example/").expect("a URL");
            let html = "<body><nav><ul><li>Home<li>About us<li>Contact</ul></nav><p>One text of \
                some length, as there is on any page of a site that is worth to be read.</body>";
            BlockKeys::of(&extractor::extract(
                html,
                &extractor::PageContext::new(&url),
            ))
        };
        for (verdict, teaches) in [
            (Verdict::Index, true),
            (Verdict::Junk(JunkReason::NearDuplicate), true),
            (Verdict::Junk(JunkReason::ExactDuplicate), false),
            (Verdict::Junk(JunkReason::Thin), false),
        ] {
            let mut record = page(verdict.clone());
            write_blocks(&mut record, &blocks());
            let mut templates = Templates::default();
            templates.apply(&record);
            assert_eq!(templates != Templates::default(), teaches, "{verdict:?}");
        }
    }

    #[test]
    fn a_host_says_enough_once_most_of_its_pages_do_beside_their_margins() {
        let url = url::Url::parse("http://a.example/").expect("a URL");
        let html = "<body><p>Read us on paper, too, says the line below each of our texts.</body>";
        let page = extractor::extract(html, &extractor::PageContext::new(&url));
        let blocks = BlockKeys::of(&page);
        let mut templates = Templates::default();
        let mut read = |few: Option<bool>, times: usize| {
            for _ in 0..times {
                let own = few.map(|few| OwnWords {
                    words: 7,
                    few,
                    lines: vec![3],
                    ..OwnWords::default()
                });
                let mut record = PageRecord {
                    host: "a.example".into(),
                    outcome: Outcome::Judged(Verdict::Index),
                    page: Some(PageSummary {
                        own,
                        ..PageSummary::default()
                    }),
                    ..PageRecord::default()
                };
                write_blocks(&mut record, &blocks);
                templates.apply(&record);
            }
            templates.say_enough("a.example")
        };
        // Eight teach the template, and nothing is known of what they say beside it.
        assert!(!read(None, 8));
        assert!(!read(None, 7));
        assert!(read(Some(false), 1));
        assert!(read(Some(true), 7));
        // As many have few words as have enough.
        assert!(!read(Some(true), 1));
        let said = |lines: &[(u32, usize)]| templates.has_said("a.example", lines);
        assert!(said(&[(3, 10), (4, 10)]) && !said(&[(3, 10), (4, 11)]) && !said(&[]));
    }
}
