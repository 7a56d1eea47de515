//! The kept pages: what verdicts on later pages are made from.
//!
//! Their prints are in the fingerprint tables, which are stored; what else is asked of them, some
//! 200 bytes a page, is in memory and follows from the journal. [`KeptPages::judge`] asks and
//! changes nothing, [`KeptPages::apply`] takes a record in: a crawl and a check do both with the
//! same functions.

use std::collections::HashMap;

use archive::{ElsewherePage, ElsewhereRecord, PageRecord, PageSummary, VisitRecord};
use outcome::{PageType, Verdict};
use serde::{Deserialize, Serialize};
use sieve::{Content, Evidence, Keep, Member, Rules};
use simhash::{Decision, IndexError, Neighbour, Reason, TableIndex, TextPrint};

use crate::apply::Stored;
use crate::recorded;

/// Layouts that differ in no more bits than this are the same: pages of one template differ by a
/// menu entry or a missing picture.
const LAYOUT_BITS_MAX: u32 = 6;

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
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        rest.strip_prefix(host)
            .is_some_and(|path| path.starts_with('/'))
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
            words: page.words,
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

/// A page that was measured, to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// Canonical URL.
    pub url: &'a str,
    /// Host key.
    pub host: &'a str,
    /// HTTP status.
    pub status: u16,
    /// What was measured on it.
    pub page: &'a PageSummary,
    /// Its print.
    pub print: &'a TextPrint,
    /// Its print before the host's template was cut from it, if any was.
    pub whole: Option<&'a TextPrint>,
    /// The record of the same URL as it was read before: no page is a duplicate of itself.
    pub own: Option<u64>,
    /// The record of a kept page that has moved here for good.
    pub succeeds: Option<u64>,
}

/// Why a page takes the place of one that has moved here.
pub(crate) const MOVED_HERE: &str = "it has moved here for good";

/// A verdict and what it follows from.
#[derive(Debug)]
pub struct Judgement {
    /// The page's own measures, and its nearest kept neighbour.
    pub evidence: Evidence,
    /// What is known of that neighbour.
    pub near: Option<KeptPage>,
    /// The decision.
    pub verdict: Verdict,
    /// The page takes the place of its neighbour, for this reason.
    pub takes_place: Option<&'static str>,
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
    /// The pages that lost their host's template, by the digests of their texts before.
    wholes: HashMap<u64, u64>,
    prints: TableIndex,
}

impl KeptPages {
    /// No pages yet, beside prints that may be stored already.
    pub fn new(prints: TableIndex) -> Self {
        Self {
            pages: HashMap::new(),
            wholes: HashMap::new(),
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

    /// Of several pages with one text before, the first is found.
    fn hold_whole(&mut self, seq: u64) {
        let whole = self.pages.get(&seq).map_or(0, |page| page.whole);
        if whole != 0 {
            self.wholes.entry(whole).or_insert(seq);
        }
    }

    fn hold(&mut self, seq: u64, page: KeptPage) {
        self.pages.insert(seq, page);
        self.hold_whole(seq);
    }

    fn let_go(&mut self, seq: u64) {
        if let Some(page) = self.pages.remove(&seq)
            && self.wholes.get(&page.whole) == Some(&seq)
        {
            self.wholes.remove(&page.whole);
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
        for &page in self.pages.keys() {
            if let Some(print) = self.prints.get(page)? {
                tables.insert(page, &print)?;
            }
        }
        self.prints = tables;
        Ok(())
    }

    /// Judges a page. Nothing is kept by that: the tables are asked through `&mut` for the caches
    /// they have.
    ///
    /// # Errors
    /// When the tables cannot be read.
    pub fn judge(
        &mut self,
        page: &Measured<'_>,
        rules: &Rules,
        keep: Keep,
    ) -> Result<Judgement, IndexError> {
        // What a wall says is no text of the site's: it resembles nothing.
        let neighbour = match page.page.wall.is_some() && !rules.keep_walls {
            true => None,
            false => self.nearest(page, rules)?,
        };
        let near = neighbour.as_ref().and_then(|near| self.get(near.page));
        let layout = layout_of(page.page);
        let lang = &page.page.lang;
        let evidence = Evidence {
            status: page.status,
            content: Content::Page,
            is_wall: page.page.wall.is_some(),
            words: words_of_whole(page.page),
            may_index: page.page.may_index,
            soft_404: page.page.soft_404,
            listing: is_listing(&page.page.page_type),
            language: Some(lang.clone()).filter(|lang| !lang.is_empty()),
            relevance: page.page.relevance,
            same_layout: near
                .is_some_and(|near| (near.layout ^ layout).count_ones() <= LAYOUT_BITS_MAX),
            neighbour,
        };
        let mut verdict = sieve::judge(&evidence, rules);
        let is_duplicate = match &verdict {
            Verdict::Junk(reason) => reason.is_duplicate(),
            Verdict::Index => false,
        };
        let near = near.cloned();
        let takes_place = near.as_ref().filter(|_| is_duplicate).and_then(|near| {
            let new = Member {
                url: page.url.into(),
                words: page.page.words,
                published: page.page.published.clone(),
                canonical: page.page.canonical.clone(),
            };
            let has_moved = page.succeeds == evidence.neighbour.as_ref().map(|near| near.page);
            let better = || sieve::better_representative(&near.member(), &new, keep);
            has_moved.then_some(MOVED_HERE).or_else(better)
        });
        if takes_place.is_some() {
            verdict = Verdict::Index;
        }
        Ok(Judgement {
            evidence,
            near,
            verdict,
            takes_place,
        })
    }

    /// The nearest kept page: one with the very text that the page had before its host's template
    /// was cut, else the nearest to what was left. Pages that were kept before the template was
    /// known have it in their prints; of those that lost it the digest of the whole text is known. Pages of the same host are doubted one by one, so that a copy
    /// elsewhere is found behind a sibling that is none.
    fn nearest(
        &mut self,
        page: &Measured<'_>,
        rules: &Rules,
    ) -> Result<Option<Neighbour>, IndexError> {
        if page.print.word_count == 0 || !(200..300).contains(&page.status) {
            return Ok(None);
        }
        if let Some(near) = self.same_whole(page)? {
            return Ok(Some(near));
        }
        if let Some(whole) = page.whole
            && let Some(near) = self
                .prints
                .nearest_by(whole, |near| not_own(near, page.own))?
            && near.exact
            && near.decision == Decision::Duplicate
        {
            return Ok(Some(near));
        }
        let kept = &self.pages;
        let is_sibling = |seq| {
            let kept = kept.get(&seq);
            kept.is_some_and(|kept: &KeptPage| kept.is_on(page.host))
        };
        let near = self.prints.nearest_by(page.print, |near| {
            let near = not_own(near, page.own);
            // Most candidates are no duplicates, sibling or not: their host is not looked up.
            let doubted = sieve::between_siblings(near, rules);
            match doubted != near && is_sibling(near.page) {
                true => doubted,
                false => near,
            }
        })?;
        Ok(near.filter(|near| Some(near.page) != page.own))
    }

    /// A kept page that lost its host's template, and had the very text before that the page has.
    fn same_whole(&mut self, page: &Measured<'_>) -> Result<Option<Neighbour>, IndexError> {
        let print = page.whole.unwrap_or(page.print);
        let known = self.wholes.get(&print.digest).copied();
        let Some(seq) = known.filter(|&seq| Some(seq) != page.own) else {
            return Ok(None);
        };
        let kept = self.prints.get(seq)?;
        Ok(kept.map(|kept| Neighbour {
            page: seq,
            fingerprint: kept.fingerprint,
            // That of the whole texts, which are the same.
            distance: 0,
            overlap: 1.0,
            containment: Some(1.0),
            table: u8::MAX,
            word_count: kept.word_count,
            exact: true,
            decision: Decision::Duplicate,
            reason: Reason::SameText,
        }))
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

/// A neighbour as it was judged; the page's own earlier version is nobody's duplicate.
fn not_own(near: Neighbour, own: Option<u64>) -> Neighbour {
    match Some(near.page) == own {
        true => Neighbour {
            decision: Decision::Unconfirmed,
            ..near
        },
        false => near,
    }
}

fn layout_of(page: &PageSummary) -> u64 {
    u64::from_str_radix(&page.layout, 16).unwrap_or(0)
}

/// Page types that the verdict drops where lists of links are not wanted. A collection of goods
/// is a list for the focus model only: it has prices and names that are searched for.
fn is_listing(page_type: &PageType) -> bool {
    match page_type {
        PageType::Listing | PageType::FrontPage => true,
        PageType::Collection
        | PageType::Article
        | PageType::Forum
        | PageType::Product
        | PageType::Documentation
        | PageType::Service
        | PageType::Other
        | PageType::Wall
        | PageType::Unknown(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use outcome::Outcome;
    use segment::Segmenter;
    use simhash::IndexConfig;

    use super::*;
    use crate::recorded::write_print;

    const TEXT: &str = "A planner chooses between an index scan and a sequential scan by what it \
        knows of the table: how many rows it has, how they are spread, and which of them the query \
        wants. Where its numbers are old it chooses badly, and a vacuum mends that for a while.";

    fn page(words: &str) -> (PageSummary, TextPrint) {
        let print = simhash::print(&Segmenter::shared().words(words));
        let mut page = PageSummary {
            words: print.word_count,
            lang: "en".into(),
            may_index: true,
            ..PageSummary::default()
        };
        write_print(&mut page, &print);
        (page, print)
    }

    fn judge(kept: &mut KeptPages, url: &str, text: &str, keep: Keep) -> Judgement {
        let (page, print) = page(text);
        let rules = Rules {
            words_min: 5,
            ..Rules::default()
        };
        let measured = Measured {
            url,
            host: "a.example",
            status: 200,
            page: &page,
            print: &print,
            whole: None,
            own: None,
            succeeds: None,
        };
        kept.judge(&measured, &rules, keep).unwrap()
    }

    fn record(url: &str, text: &str, replaces: Option<u64>) -> PageRecord {
        PageRecord {
            url: url.into(),
            host: "a.example".into(),
            outcome: Outcome::Judged(Verdict::Index),
            replaces,
            page: Some(page(text).0),
            ..PageRecord::default()
        }
    }

    #[test]
    fn judging_keeps_nothing_and_applying_does() {
        let mut kept = KeptPages::new(TableIndex::in_memory(&IndexConfig::default()).unwrap());
        let (one, two) = ("http://a.example/1", "http://a.example/2");
        for _ in 0..2 {
            let judged = judge(&mut kept, one, TEXT, Keep::First);
            assert_eq!(judged.verdict, Verdict::Index);
        }
        assert!(
            kept.apply(1, &record(one, TEXT, None), Stored::default())
                .unwrap()
                .added
        );
        let judged = judge(&mut kept, two, TEXT, Keep::First);
        assert!(matches!(judged.verdict, Verdict::Junk(reason) if reason.is_duplicate()));
        assert_eq!(judged.near.map(|near| near.url), Some(one.into()));
    }

    #[test]
    fn a_better_representative_takes_the_place_of_a_page_and_its_print() {
        let mut kept = KeptPages::new(TableIndex::in_memory(&IndexConfig::default()).unwrap());
        let (one, two) = ("http://a.example/1", "http://a.example/2");
        let words = |from: usize, to: usize| -> String {
            let words = (from..to).map(|word| format!("word{} ", word * word % 9_973));
            words.collect()
        };
        let text = words(0, 400);
        kept.apply(1, &record(one, &text, None), Stored::default())
            .unwrap();
        let longer = text + &words(400, 445);
        let judged = judge(&mut kept, two, &longer, Keep::Longest);
        assert_eq!(
            (judged.verdict, judged.takes_place),
            (Verdict::Index, Some("longer"))
        );
        let change = kept.apply(2, &record(two, &longer, Some(1)), Stored::default());
        let change = change.unwrap();
        assert_eq!(change.removed, [one.into()]);
        assert!(kept.get(1).is_none() && kept.prints().get(1).unwrap().is_none());
        assert!(kept.prints().get(2).unwrap().is_some());
    }

    #[test]
    fn a_text_whose_template_was_cut_is_known_again_with_and_without_it() {
        let mut kept = KeptPages::new(TableIndex::in_memory(&IndexConfig::default()).unwrap());
        let template = "Read more about planners every week in our letter, or write to us.";
        let whole = format!("{TEXT} {template}");
        let cut = |words: &str, whole: &str| {
            let (mut page, print) = page(words);
            let whole = self::page(whole).1;
            page.whole = Some(archive::WholeText {
                blocks_cut: 1,
                words: whole.word_count,
                fingerprint: whole.fingerprint.to_string(),
                digest: format!("{:016x}", whole.digest),
            });
            (page, print, whole)
        };
        let first = PageRecord {
            page: Some(cut(TEXT, &whole).0),
            ..record("http://a.example/1", TEXT, None)
        };
        kept.apply(1, &first, Stored::default()).unwrap();
        let nearest = |kept: &mut KeptPages, text: &str, whole: Option<&str>, own| {
            let (page, print, whole) = match whole {
                Some(whole) => {
                    let (page, print, whole) = cut(text, whole);
                    (page, print, Some(whole))
                }
                None => {
                    let (page, print) = page(text);
                    (page, print, None)
                }
            };
            let measured = Measured {
                url: "http://b.example/1",
                host: "b.example",
                status: 200,
                page: &page,
                print: &print,
                whole: whole.as_ref(),
                own,
                succeeds: None,
            };
            let near = kept.nearest(&measured, &Rules::default()).unwrap();
            near.is_some_and(|near| near.exact && near.page == 1)
        };
        // Elsewhere, where no template is known; and where more of the page is taken for one.
        assert!(nearest(&mut kept, &whole, None, None));
        let less = &TEXT[..TEXT.len() / 2];
        assert!(nearest(&mut kept, less, Some(&whole), None));
        assert!(!nearest(&mut kept, less, Some(less), None));
        assert!(
            !nearest(&mut kept, &whole, None, Some(1)),
            "its own version"
        );
        // It is known after a restart, and no longer when the page has left.
        let pages = kept.pages.clone();
        kept.resume(pages);
        assert!(nearest(&mut kept, &whole, None, None));
        kept.let_go(1);
        assert!(!nearest(&mut kept, less, Some(&whole), None));
    }

    #[test]
    fn a_page_is_thin_by_its_whole_main_text() {
        let mut kept = KeptPages::new(TableIndex::in_memory(&IndexConfig::default()).unwrap());
        let rules = Rules {
            words_min: 20,
            ..Rules::default()
        };
        let rates = "March 3 euro 7.8512 dollar 7.2410 yen 0.0481";
        let standing = "Middle rates of the day as fixed by the clearing banks at nine, for information alone.";
        for (whole, expected) in [
            (format!("{rates} {standing}"), Verdict::Index),
            (rates.to_owned(), Verdict::Junk(outcome::JunkReason::Thin)),
        ] {
            let (mut page, print) = page(rates);
            let whole = self::page(&whole).1;
            page.whole = Some(archive::WholeText {
                words: whole.word_count,
                ..archive::WholeText::default()
            });
            let measured = Measured {
                url: "http://a.example/1",
                host: "a.example",
                status: 200,
                page: &page,
                print: &print,
                whole: Some(&whole),
                own: None,
                succeeds: None,
            };
            let judged = kept.judge(&measured, &rules, Keep::First).unwrap();
            assert_eq!(judged.verdict, expected);
        }
    }

    #[test]
    fn a_page_is_on_its_host_and_on_no_longer_one() {
        let page = KeptPage::of("http://a.example/x", &PageSummary::default());
        assert!(page.is_on("a.example"));
        assert!(!page.is_on("a.exam") && !page.is_on("a.example:81"));
    }
}
