//! The kept pages: what verdicts on later pages are made from.
//!
//! Their prints are in the fingerprint tables, which are stored; what else is asked of them, some
//! 200 bytes a page, is in memory and follows from the journal. [`KeptPages::judge`] asks and
//! changes nothing, [`KeptPages::apply`] takes a record in: a crawl and a check do both with the
//! same functions.

mod judge;

use std::collections::{BTreeSet, HashMap};

use archive::{ElsewherePage, ElsewhereRecord, PageRecord, PageSummary, VisitRecord};
use serde::{Deserialize, Serialize};
use sieve::Member;
use simhash::{IndexError, TableIndex};

use crate::apply::Stored;
use crate::recorded;
pub(crate) use judge::MOVED_HERE;
pub use judge::{Judgement, Measured};

/// A kept page, as far as verdicts on later pages need it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPage {
    /// Canonical URL.
    pub url: Box<str>,
    /// SimHash of its tag paths.
    pub layout: u64,
    /// Words of its main text.
    pub words: u32,
    /// Published date, ISO 8601.
    pub published: Option<String>,
    /// The URL it names as canonical.
    pub canonical: Option<String>,
    /// Digest of its main text before the host's template was cut from it; 0 where nothing was.
    pub whole: u64,
}

impl KeptPage {
    /// Whether it is a page of this host.
    fn is_on(&self, host: &str) -> bool {
        weburl::host_of(&self.url) == host
    }

    fn member(&self) -> Member {
        Member {
            url: self.url.to_string(),
            words: self.words,
            published: self.published.clone(),
            canonical: self.canonical.clone(),
        }
    }

    /// What is remembered of a page that another node kept.
    fn elsewhere(page: &ElsewherePage) -> Self {
        Self {
            url: page.url.as_str().into(),
            layout: u64::from_str_radix(&page.layout, 16).unwrap_or(0),
            words: page.words,
            published: page.published.clone(),
            canonical: page.canonical.clone(),
            whole: 0,
        }
    }

    /// What is remembered of a recorded page.
    fn of(url: &str, page: &PageSummary) -> Self {
        Self {
            url: url.into(),
            layout: layout_of(page),
            words: compared_words(page),
            published: page.published.clone(),
            // Most pages name themselves: not worth the memory.
            canonical: page.canonical.clone().filter(|canonical| canonical != url),
            whole: (page.whole.as_ref()).map_or(0, |whole| {
                u64::from_str_radix(&whole.digest, 16).unwrap_or(0)
            }),
        }
    }
}

/// Words of a page's main text, with what was cut from it as its host's template: a short page is not thin for what
/// others of its host repeat.
fn words_of_whole(page: &PageSummary) -> u32 {
    page.whole.as_ref().map_or(page.words, |whole| whole.words)
}

/// Words of what a page is compared by, as other nodes are told.
fn compared_words(page: &PageSummary) -> u32 {
    page.compared_words.unwrap_or(page.words)
}

/// What a record changed in the index of kept pages.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KeptChange {
    /// URLs of pages that left for better representatives.
    pub removed: Vec<Box<str>>,
    /// The record's page was kept.
    pub added: bool,
    /// What is wrong with the record.
    pub problem: Option<String>,
}

/// The kept pages by record number, and their prints.
#[derive(Debug)]
pub struct KeptPages {
    pages: HashMap<u64, KeptPage>,
    /// The pages that lost their host's template: the digests of their texts before, with their numbers.
    wholes: BTreeSet<(u64, u64)>,
    prints: TableIndex,
}

impl KeptPages {
    /// No pages yet, beside prints that may be stored already.
    pub fn new(prints: TableIndex) -> Self {
        Self {
            pages: HashMap::new(),
            wholes: BTreeSet::new(),
            prints,
        }
    }

    /// A kept page.
    pub fn get(&self, seq: u64) -> Option<&KeptPage> {
        self.pages.get(&seq)
    }

    /// The numbers of all kept pages, in order.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.pages.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// Takes in pages that were kept before, beside their prints.
    pub(crate) fn resume(&mut self, pages: HashMap<u64, KeptPage>) {
        self.pages = pages;
        self.wholes.clear();
        for seq in self.numbers() {
            self.hold_whole(seq);
        }
    }

    fn hold_whole(&mut self, seq: u64) {
        let whole = self.pages.get(&seq).map_or(0, |page| page.whole);
        if whole != 0 {
            self.wholes.insert((whole, seq));
        }
    }

    /// The first of the pages that had this text before they lost their host's template.
    fn first_of_whole(&self, digest: u64) -> Option<u64> {
        let mut pages = self.wholes.range((digest, 0)..=(digest, u64::MAX));
        pages.next().map(|(_, seq)| *seq)
    }

    fn hold(&mut self, seq: u64, page: KeptPage) {
        self.pages.insert(seq, page);
        self.hold_whole(seq);
    }

    fn let_go(&mut self, seq: u64) {
        if let Some(page) = self.pages.remove(&seq) {
            self.wholes.remove(&(page.whole, seq));
        }
    }

    /// All kept pages, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &KeptPage)> {
        self.pages.iter().map(|(&seq, page)| (seq, page))
    }

    /// The prints.
    pub fn prints(&mut self) -> &mut TableIndex {
        &mut self.prints
    }

    /// Puts other tables in the place of the prints', with the same pages in them.
    ///
    /// # Errors
    /// When a table cannot be read or written.
    pub fn change_tables(&mut self, mut tables: TableIndex) -> Result<(), IndexError> {
        // In the order in which they were kept: of many alike the newest are found.
        let mut pages: Vec<u64> = self.pages.keys().copied().collect();
        pages.sort_unstable();
        for page in pages {
            if let Some(print) = self.prints.get(page)? {
                tables.insert(page, &print)?;
            }
        }
        self.prints = tables;
        Ok(())
    }

    /// Takes in the record of a visit, but for what is stored already: the page that was kept gives its
    /// place up where there is another version of it, or it is gone.
    ///
    /// # Errors
    /// When the tables cannot be read or written.
    pub fn apply_visit(
        &mut self,
        seq: u64,
        visit: &VisitRecord,
        stored: Stored,
    ) -> Result<KeptChange, IndexError> {
        if !visit.ends_version() {
            return Ok(KeptChange::default());
        }
        let was_kept = visit.was.is_indexed();
        if was_kept && !stored.prints {
            self.prints.remove(visit.of)?;
        }
        if was_kept && !stored.views {
            self.let_go(visit.of);
        }
        match visit.version() {
            Some(page) => self.apply(seq, page, stored),
            None => Ok(KeptChange::default()),
        }
    }

    /// Takes in the record of a finished URL, but for what is stored already.
    ///
    /// # Errors
    /// When the tables cannot be read or written.
    pub fn apply(
        &mut self,
        seq: u64,
        record: &PageRecord,
        stored: Stored,
    ) -> Result<KeptChange, IndexError> {
        let kept = record.page.as_ref().filter(|_| record.outcome.is_indexed());
        let Some(page) = kept else {
            return Ok(KeptChange::default());
        };
        let removed = record.replaces.and_then(|old| self.url_of(old, record));
        let mut problem = None;
        if !stored.prints {
            if let Some(old) = record.replaces {
                self.prints.remove(old)?;
            }
            match recorded::print_of(page) {
                Some(print) => self.prints.insert(seq, &print)?,
                None => problem = Some(format!("record {seq}: its fingerprint cannot be read")),
            }
        }
        if !stored.views {
            if let Some(old) = record.replaces {
                self.let_go(old);
            }
            self.hold(seq, KeptPage::of(&record.url, page));
        }
        Ok(KeptChange {
            removed: removed.into_iter().collect(),
            added: true,
            problem,
        })
    }

    /// Takes in what other nodes kept, but for what is stored already. Own pages whose place another
    /// one takes leave.
    ///
    /// # Errors
    /// When the tables cannot be read or written.
    pub fn apply_elsewhere(
        &mut self,
        seq: u64,
        elsewhere: &ElsewhereRecord,
        stored: Stored,
    ) -> Result<KeptChange, IndexError> {
        let mut change = KeptChange::default();
        for page in &elsewhere.kept {
            if let Some(old) = page.replaces {
                let known = self.pages.get(&old).map(|kept| kept.url.clone());
                // Where the record was taken in before, the page is gone, and the record has its URL.
                let url = known.or_else(|| page.replaced.as_deref().map(Into::into));
                change.removed.extend(url.filter(|_| is_own(old)));
                self.withdraw(old, stored)?;
            }
            if !stored.prints {
                match recorded::print_of_elsewhere(page) {
                    Some(print) => self.prints.insert(page.page, &print)?,
                    None => {
                        let words =
                            format!("record {seq}: the print of {} cannot be read", page.url);
                        change.problem = Some(words);
                    }
                }
            }
            if !stored.views {
                self.hold(page.page, KeptPage::elsewhere(page));
            }
        }
        for &page in &elsewhere.withdrawn {
            self.withdraw(page, stored)?;
        }
        Ok(change)
    }

    fn withdraw(&mut self, page: u64, stored: Stored) -> Result<(), IndexError> {
        if !stored.prints {
            self.prints.remove(page)?;
        }
        if !stored.views {
            self.let_go(page);
        }
        Ok(())
    }

    /// The URL of the page in whose place a recorded page came. Where the record was taken in before,
    /// that page is gone, and the record has its URL.
    fn url_of(&self, old: u64, record: &PageRecord) -> Option<Box<str>> {
        let near = record.nearest.as_ref().filter(|near| near.page == old);
        let known = self.pages.get(&old).map(|page| page.url.clone());
        known.or_else(|| near.map(|near| near.url.as_str().into()))
    }
}

/// Whether a page is one of this journal, and not another node's.
pub fn is_own(page: u64) -> bool {
    page < 1 << 40
}

fn layout_of(page: &PageSummary) -> u64 {
    u64::from_str_radix(&page.layout, 16).unwrap_or(0)
}

#[cfg(test)]
mod tests;
