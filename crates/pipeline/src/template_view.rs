//! What hosts repeat on their pages, as a view over the journal.
//!
//! A page is trimmed by what is known of its host when it is judged, then fingerprinted: blocks
//! that stand on most pages of a host make pages neither alike nor different. Kept pages and near
//! duplicates teach: pages of a heavy template are near duplicates until it is known. Exact
//! duplicates do not, since a page under many URLs would make its text look like template. The
//! keys stand in the records, so that a replay learns the same.

use archive::PageRecord;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use extractor::{BlockKeys, HostTemplates};
use segment::Segmenter;

use crate::read::PageReading;

/// The template blocks of every host.
#[derive(Debug, Default)]
pub struct TemplateView {
    templates: HostTemplates,
}

impl TemplateView {
    /// Cuts the host's template from a page; its words and fingerprint are made anew if there
    /// was any.
    pub fn trim(&self, host: &str, reading: &mut PageReading) {
        let cut = self
            .templates
            .trim(host, &reading.blocks, &mut reading.page);
        if cut > 0 {
            reading.words = Segmenter::shared().words(&reading.page.text);
            let whole = std::mem::replace(&mut reading.print, simhash::print(&reading.words));
            reading.whole = Some((cut as u32, whole));
        }
    }

    /// Learns from a judged page, and notes in its record what was learnt.
    pub fn learn(&mut self, record: &mut PageRecord, blocks: &BlockKeys) {
        if teaches(record)
            && let Some(page) = &mut record.page
        {
            page.blocks = STANDARD_NO_PAD.encode(blocks.to_bytes());
            self.templates.observe(&record.host, blocks);
        }
    }

    /// Learns from a replayed record.
    pub fn replay(&mut self, record: &PageRecord) {
        if teaches(record)
            && let Some(page) = &record.page
            && let Ok(bytes) = STANDARD_NO_PAD.decode(&page.blocks)
        {
            self.templates
                .observe(&record.host, &BlockKeys::from_bytes(&bytes));
        }
    }
}

fn teaches(record: &PageRecord) -> bool {
    record.verdict.as_deref() == Some("indexed")
        || record.reason.as_deref() == Some("near_duplicate")
}
