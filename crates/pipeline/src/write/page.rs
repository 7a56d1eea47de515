//! A page is judged: its nearest kept page, the verdict, its place in the tables and the index.

use archive::PageRecord;
use frontier::Lease;
use sieve::{Content, Evidence, Member, Outcome, Verdict};
use simhash::Decision;

use super::{LAYOUT_BITS_MAX, Writer, is_listing};
use crate::config::KeepPolicy;
use crate::context::UrlContext;
use crate::convert;
use crate::error::CrawlError;
use crate::kept::KeptPage;
use crate::publish::Publication;
use crate::read::PageReading;
use crate::visit::{Answer, unix_ms};

impl Writer {
    /// Judges a page and records it with the fates of its links.
    pub(super) fn commit_page(
        &mut self,
        lease: &Lease,
        mut record: PageRecord,
        mut reading: PageReading,
        answer: Option<Answer>,
    ) -> Result<(), CrawlError> {
        let seq = self.seq + 1;
        let url = lease.url().url.to_url();
        let status = record.fetch.as_ref().map_or(0, |fetch| fetch.status);
        let context = UrlContext::from_bytes(&lease.url().context);
        if self.config.dedup.host_templates {
            self.templates.trim(&record.host, &mut reading);
        }
        let example = self.examples.get(&record.url);
        if let Some((focus, on_topic)) = self.focus.as_mut().zip(example) {
            // The words of an error page are no example of anything.
            if (200..300).contains(&status) && !reading.soft_404 {
                focus.learn_example(&record.url, &reading, on_topic);
            }
        }
        let terms = self.focus.as_ref().map(|focus| focus.terms(&reading, &url));
        let relevance = self
            .focus
            .as_ref()
            .zip(terms.as_ref())
            .map(|(focus, terms)| focus.relevance(terms, &context));
        let summary = convert::page_summary(&reading, relevance);
        let neighbour = if reading.print.word_count == 0 || !(200..300).contains(&status) {
            None
        } else {
            let whole = reading.whole.as_ref().map(|(_, print)| print);
            let kept = &self.kept;
            let is_sibling = |page| kept.get(page).is_some_and(|kept| kept.is_on(&record.host));
            convert::nearest(
                &mut self.fingerprints,
                &reading.print,
                whole,
                &self.rules,
                is_sibling,
            )
        };
        let near = neighbour
            .as_ref()
            .and_then(|neighbour| self.kept.get(neighbour.page))
            .cloned();
        let evidence = Evidence {
            status,
            content: Content::Page,
            words: reading.print.word_count,
            may_index: summary.may_index,
            soft_404: reading.soft_404,
            listing: is_listing(&summary.page_type),
            language: reading.language.clone(),
            relevance,
            neighbour,
            same_layout: near.as_ref().is_some_and(|near| {
                (near.layout ^ reading.page.layout).count_ones() <= LAYOUT_BITS_MAX
            }),
        };
        let mut verdict = sieve::judge(&evidence, &self.rules);
        if let (Verdict::Junk(reason), Some(near)) = (verdict, &near)
            && let Some(why) = reason
                .duplicate_kind()
                .and(self.better(near, &record.url, &summary))
        {
            record.replaces = evidence.neighbour.as_ref().map(|neighbour| neighbour.page);
            record.detail = Some(format!("takes the place of {}: {why}", near.url));
            verdict = Verdict::Index;
        }
        let kind = match verdict {
            Verdict::Index => None,
            Verdict::Junk(reason) => reason.duplicate_kind().map(|kind| kind.name()),
        };
        record.nearest = evidence.neighbour.as_ref().map(|neighbour| {
            let url = near.as_ref().map_or("", |near| &near.url);
            convert::neighbour_record(neighbour, url, kind)
        });
        let outcome = Outcome::Judged(verdict);
        record.outcome = outcome.name().into();
        record.verdict = outcome.verdict().map(str::to_string);
        record.reason = outcome.reason();
        if record.detail.is_none() {
            record.detail = convert::detail(&evidence, &self.rules, verdict);
        }
        let is_duplicate = evidence
            .neighbour
            .as_ref()
            .is_some_and(|near| near.decision == Decision::Duplicate);
        if let Some(gave) = convert::gave(&record) {
            let original = convert::original_of(&record);
            self.lock_frontier()
                .observe(&lease.url().url, seq, gave, original.as_ref());
        }
        if let Some((focus, terms)) = self.focus.as_mut().zip(terms.as_ref()) {
            focus.on_page(seq, &record, terms, relevance.unwrap_or(0.0), &context);
        }
        record.links = self.offer_links(
            lease,
            seq,
            &reading,
            is_duplicate && verdict != Verdict::Index,
        );
        if let Some(focus) = &mut self.focus {
            let new = record.links.iter().filter(|link| link.fate == "new");
            focus.on_links(seq, &new.map(|link| link.promise).collect::<Vec<_>>());
        }
        record.page = Some(summary);
        if self.config.dedup.host_templates {
            self.templates.learn(&mut record, &reading.blocks);
        }
        self.keep(seq, &record, &reading);
        let text = reading.page.text;
        let keeps_text = verdict == Verdict::Index || self.focus.is_some();
        self.append_page(record, answer.as_ref(), keeps_text.then_some(text.as_str()))?;
        if verdict == Verdict::Index
            && let Some(Publication::Add(document)) = self.publications.last_mut()
        {
            document.text = text;
        }
        Ok(())
    }

    /// Why a page should take the place of the kept page it repeats, if it should.
    fn better(
        &self,
        near: &KeptPage,
        url: &str,
        page: &archive::PageSummary,
    ) -> Option<&'static str> {
        let keep = match self.config.dedup.keep {
            KeepPolicy::First => return None,
            KeepPolicy::Longest => sieve::Keep::Longest,
            KeepPolicy::Oldest => sieve::Keep::Oldest,
            KeepPolicy::Canonical => sieve::Keep::Canonical,
        };
        let old = Member {
            url: near.url.to_string(),
            words: near.words,
            published: near.published.clone(),
            canonical: near.canonical.clone(),
        };
        let new = Member {
            url: url.into(),
            words: page.words,
            published: page.published.clone(),
            canonical: page.canonical.clone(),
        };
        sieve::better_representative(&old, &new, keep)
    }

    /// Moves the fingerprint tables and the search index for a judged page.
    fn keep(&mut self, seq: u64, record: &PageRecord, reading: &PageReading) {
        if record.verdict.as_deref() != Some("indexed") {
            return;
        }
        if let Some(old) = record.replaces {
            if let Some(print) = self.fingerprints.get(old) {
                self.fingerprints.remove(old, &print);
            }
            if let Some(page) = self.kept.remove(old) {
                self.publications
                    .push(Publication::Remove(page.url.to_string()));
            }
        }
        self.fingerprints.insert(seq, &reading.print);
        if let Some(page) = &record.page {
            self.kept.insert(seq, KeptPage::of(&record.url, page));
        }
        self.publications.push(Publication::add(
            seq,
            unix_ms(),
            record,
            reading.words.clone(),
        ));
    }
}
