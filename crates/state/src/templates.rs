//! What hosts repeat on their pages, as a view over the journal.
//!
//! A page is trimmed by what is known of its host when it is judged, then fingerprinted: blocks
//! that stand on most pages of a host make pages neither alike nor different; nor do those on most pages of a part
//! of it (the first segment of the path), since each department, collection or language may have its own. Kept pages and near
//! duplicates teach: pages of a heavy template are near duplicates until it is known. Exact
//! duplicates do not, since a page under many URLs would make its text look like template. The
//! keys stand in the records, so that a replay learns the same.

use archive::PageRecord;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use extractor::{BlockKeys, HostTemplates, Page, WallDoubt};
use outcome::JunkReason;
use serde::{Deserialize, Serialize};

use crate::finding::PageReading;

/// The template blocks of every host.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Templates {
    templates: HostTemplates,
    parts: HostTemplates,
}

impl Templates {
    /// Cuts the host's template from a page; its words and fingerprint are made anew if there
    /// was any. The fingerprint is that of the text that pages are compared by, which may be less than the page's.
    pub fn trim(&self, host: &str, url: &str, reading: &mut PageReading) {
        let part = part_of(host, url).unwrap_or_default();
        let known = [(&self.templates, host), (&self.parts, &part)];
        let cut = HostTemplates::trim_by(&known, &reading.blocks, &mut reading.page);
        if let Some(cut) = cut {
            let words = std::mem::take(&mut reading.words);
            reading.words = words.of_lines(&cut.text, &reading.page.text);
            let print = match cut.compared == reading.page.text {
                true => simhash::print(&reading.words),
                false => {
                    let words = reading.words.clone();
                    simhash::print(&words.of_lines(&reading.page.text, &cut.compared))
                }
            };
            let whole = std::mem::replace(&mut reading.print, print);
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

    /// Whether most pages of a host bear this title.
    pub fn is_title_of_most(&self, host: &str, url: &str, title: &str) -> bool {
        let part = part_of(host, url).unwrap_or_default();
        HostTemplates::is_title_of_most(&[(&self.templates, host), (&self.parts, &part)], title)
    }

    /// Kept pages of a host, and their near-duplicates.
    pub fn pages_of(&self, host: &str) -> u64 {
        self.templates.pages_of(host)
    }

    /// Learns from a finished URL.
    pub fn apply(&mut self, record: &PageRecord) {
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
    use archive::PageSummary;
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

    /// Was: the heads of a notice were gone from the ninth page of a host on, in what is stored, too.
    #[test]
    fn a_line_that_all_pages_have_amid_their_own_is_stored_and_not_compared() {
        let url = url::Url::parse("http://a.example/x").expect("a URL");
        let page = |number: u32| {
            let own = |part: u32| {
                format!(
                    "<p>Part {part} of report {number} was read, discussed and adopted by the \
                     harbour board, whose members met at the old mill."
                )
            };
            let (first, second) = (own(1), own(2));
            let html = format!(
                "<title>Report {number}</title><article>{first}<p>Decision of the board:{second}</article>"
            );
            crate::testing::read(&html, &url)
        };
        let mut templates = Templates::default();
        for number in 0..16 {
            let mut record = PageRecord {
                host: "a.example".into(),
                outcome: Outcome::Judged(Verdict::Index),
                page: Some(PageSummary::default()),
                ..PageRecord::default()
            };
            write_blocks(&mut record, &page(number).blocks);
            templates.apply(&record);
        }
        let mut reading = page(16);
        let words = reading.words.len() as u32;
        templates.trim("a.example", url.as_str(), &mut reading);
        assert!(reading.page.text.contains("Decision of the board:"));
        let summary = crate::recorded::page_summary(&reading, None, 0);
        assert_eq!(
            (summary.words, summary.compared_words),
            (words, Some(words - 4))
        );
        assert_eq!(crate::recorded::print_of(&summary), Some(reading.print));
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
}
