//! What sitemaps, feeds and lists tell of their sites, and what visits of them bring.

use archive::{PageRecord, Record, SitemapRecord, VisitRecord};
use outcome::{Change, LinkFate};

use super::History;
use crate::again::DAY_MS;
use crate::again::known::{Source, hash_of, new_links};

impl History {
    pub(super) fn sitemap(&mut self, record: &Record, sitemap: &SitemapRecord) {
        self.waiting.remove(&hash_of(&sitemap.url));
        if let Some(source) = Source::of_sitemap(record, sitemap) {
            self.add_source(source);
            for url in &sitemap.urls {
                self.note_listed(url);
            }
        }
    }

    /// A URL is in a list of its site's.
    pub(super) fn note_listed(&mut self, url: &str) {
        match self.known_mut(url) {
            Some(known) => known.told.is_listed = true,
            None => {
                self.listed.insert(hash_of(url));
            }
        }
    }

    pub(super) fn add_source(&mut self, mut source: Source) {
        if let Some(leads) = self.heirs.remove(&source.due.url) {
            source.leads = leads;
        }
        self.sources.insert(source.due.url.clone(), source);
    }

    /// A source redirects. Its target is read as a source where it is new; where it was read before, as
    /// whatever it was taken for then, it is one from here on.
    pub(super) fn source_moved(&mut self, visit: &VisitRecord) {
        let target = visit.page.as_ref().and_then(|page| page.links.first());
        let (Some(target), Some(source)) = (target, self.sources.get(&visit.url)) else {
            return;
        };
        if self.sources.contains_key(&target.url) {
            return;
        }
        let hash = hash_of(&target.url);
        if self.urls.contains_key(&hash) || self.no_pages.contains(&hash) {
            let heir = source.moved_to(&target.url);
            self.sources.insert(target.url.clone(), heir);
        } else {
            self.heirs.insert(target.url.clone(), source.leads);
        }
    }

    /// The links of a source: what it brought in is in its list, and of what it dates it tells.
    pub(super) fn list(&mut self, record: &Record, page: &PageRecord) {
        for link in &page.links {
            let told_ms = Some(link.told_ms)
                .filter(|date| *date > 0 && again::told::is_possible(*date, record.at_ms));
            if link.fate == LinkFate::New {
                self.note_listed(&link.url);
                continue;
            }
            let Some(told_ms) = told_ms else { continue };
            if let Some(known) = self.known_mut(&link.url) {
                known.told.tell(told_ms, known.last_ms);
            } else if let Some(unread) = self.unread.get_mut(&hash_of(&link.url)) {
                unread.tell(told_ms);
            } else if let Some(source) = self.sources.get_mut(&link.url) {
                source.told.tell(told_ms, source.due.seen_ms);
            }
        }
    }

    pub(super) fn source_visit(&mut self, record: &Record, visit: &VisitRecord) {
        self.waiting.remove(&hash_of(&visit.url));
        if let Some(source) = self.sources.get_mut(&visit.url) {
            source.asked_ms = record.at_ms;
            if visit.change == Change::Unchanged {
                let days = record.at_ms.saturating_sub(source.due.seen_ms) as f64 / DAY_MS;
                let found = visit.page.as_ref().map_or(0, |page| new_links(page));
                source.leads.see(found, days);
                source.told.forget();
                source.failures = 0;
                let listed = visit.page.as_ref().map_or(0, |page| page.links.len());
                source.see(visit, listed, record.at_ms);
            } else {
                source.failures = source.failures.saturating_add(1);
            }
        }
        match &visit.page {
            Some(_) if visit.change == Change::Moved => self.source_moved(visit),
            Some(page) => self.list(record, page),
            None => {}
        }
    }
}
