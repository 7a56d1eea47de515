//! Pages as the report lists them: kept ones and dropped ones, some thousand of each.
//!
//! A report over a million pages cannot hold a row for each. Of the kept pages those stay that are most
//! relevant, of the dropped ones the first of each reason; the export has all. What became of a page
//! may change by a later record, so more candidates are held than shown, and those that are no longer
//! what they were are left out at the end.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use archive::PageRecord;
use outcome::PageType;

use crate::export::repeated;
use crate::fates::{SlotId, State};

/// Kept pages that are listed.
pub const KEPT_MAX: usize = 2_500;

/// Dropped pages that are listed.
pub const DROPPED_MAX: usize = 1_500;

/// Bytes of their texts at most: pages with long addresses are fewer.
const KEPT_BYTES_MAX: usize = 900_000;
const DROPPED_BYTES_MAX: usize = 700_000;

/// Candidates for each kind of row.
const CANDIDATES_MAX: usize = 2 * KEPT_MAX;

/// Dropped pages that are held of each reason.
const OF_REASON_MAX: usize = 400;

/// Reasons of which rows are held.
const REASONS_MAX: usize = 50;

/// Characters of a title, and bytes of a URL: one that is longer is cut and no link.
const TITLE_CHARS_MAX: usize = 160;
const URL_BYTES_MAX: usize = 600;

/// Spans of a host's timeline.
pub const SPANS: usize = 24;

/// Pages as the report lists them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Kept pages, the most relevant first, of pages as relevant to a tenth those first that are a text;
    /// else as they were found.
    pub kept: Vec<FoundRow>,
    /// Dropped pages, reason by reason.
    pub dropped: Vec<FoundRow>,
    /// When each host's pages were finished: counts over equal spans of the crawl.
    pub timelines: BTreeMap<String, [u32; SPANS]>,
}

/// A page in a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FoundRow {
    /// Its URL, cut where it is very long.
    pub url: String,
    /// Its title, cut where it is very long; empty where it has none.
    pub title: String,
    /// Its host.
    pub host: String,
    /// When it was published, RFC 3339; empty where it does not say.
    pub published: String,
    /// Its relevance, in a crawl with a topic.
    pub relevance: Option<f32>,
    /// Why it was dropped; empty for a kept page.
    pub reason: String,
    /// More about the reason: the page that it repeats, or words.
    pub because: String,
}

/// A kept page's place in the list: relevance to a tenth, whether it is more than a text, relevance, and record.
type Rank = (Reverse<u32>, bool, Reverse<u32>, u64);

/// Candidates so far.
#[derive(Debug, Default)]
pub(crate) struct FoundTally {
    kept: BTreeMap<Rank, (SlotId, FoundRow)>,
    of_slot: HashMap<SlotId, Rank>,
    dropped: BTreeMap<String, Vec<Dropped>>,
    timelines: Timelines,
}

/// A dropped page.
#[derive(Debug)]
struct Dropped {
    slot: SlotId,
    /// The number of the record that dropped it.
    seq: u64,
    /// The page that it repeats, as judged.
    repeats: Option<u64>,
    row: FoundRow,
}

impl FoundTally {
    /// Notes a page that was judged.
    pub(crate) fn judged(&mut self, slot: SlotId, seq: u64, page: &PageRecord) {
        let before = self.of_slot.remove(&slot);
        let before = before.and_then(|old| self.kept.remove(&old));
        match page.junk() {
            None => {
                let kind = page.page.as_ref().map(|summary| &summary.page_type);
                self.keep(slot, seq, row(page), kind.is_some_and(is_text));
            }
            Some(reason) => {
                let is_known = self.dropped.contains_key(reason.name());
                if !is_known && self.dropped.len() >= REASONS_MAX {
                    return;
                }
                let rows = self.dropped.entry(reason.name().to_owned()).or_default();
                if rows.len() < OF_REASON_MAX {
                    let mut row = row(page);
                    // A page that is gone has no title: it is known by the one that it had.
                    if let Some((_, before)) = before.filter(|_| row.title.is_empty()) {
                        row.title = before.title;
                    }
                    let repeats = repeated(page).map(|nearest| nearest.page);
                    rows.push(Dropped {
                        slot,
                        seq,
                        repeats,
                        row,
                    });
                }
            }
        }
    }

    fn keep(&mut self, slot: SlotId, seq: u64, row: FoundRow, is_text: bool) {
        let relevance = row.relevance.unwrap_or(0.0);
        let [tenths, fine] =
            [10.0, 10_000.0].map(|parts| Reverse((relevance * parts).round() as u32));
        let key = (tenths, !is_text, fine, seq);
        self.kept.insert(key, (slot, row));
        self.of_slot.insert(slot, key);
        if self.kept.len() > CANDIDATES_MAX
            && let Some((_, (slot, _))) = self.kept.pop_last()
        {
            self.of_slot.remove(&slot);
        }
    }

    /// Notes when a URL of a host was finished.
    pub(crate) fn finished(&mut self, host: u16, at_ms: u64) {
        self.timelines.add(host, at_ms);
    }

    /// The rows that are still what they were; `stands_for` gives the URL of the page that took another's place.
    pub(crate) fn report<'n>(
        &self,
        state: impl Fn(SlotId) -> State,
        stands_for: impl Fn(u64) -> Option<&'n str>,
        names: &[&str],
    ) -> Found {
        let is = |wanted| move |(slot, _): &&(SlotId, FoundRow)| (wanted, *slot);
        let kept = self.kept.values().filter(|row| {
            let (wanted, slot) = is(State::Indexed)(row);
            state(slot) == wanted
        });
        // A page that came back and was dropped again is a row once, by its last verdict.
        let mut last: HashMap<SlotId, u64> = HashMap::new();
        for page in self.dropped.values().flatten() {
            let known = last.entry(page.slot).or_default();
            *known = (*known).max(page.seq);
        }
        let dropped = self.dropped.values().flatten();
        let dropped = dropped.filter(|page| {
            state(page.slot) == State::Junk && last.get(&page.slot) == Some(&page.seq)
        });
        let kept = kept.take(KEPT_MAX).map(|(_, row)| row.clone());
        let dropped = dropped.take(DROPPED_MAX).map(|page| {
            let mut row = page.row.clone();
            if let Some(url) = page.repeats.and_then(&stands_for) {
                row.because = short_url(url);
            }
            row
        });
        Found {
            kept: within(kept, KEPT_BYTES_MAX),
            dropped: within(dropped, DROPPED_BYTES_MAX),
            timelines: self.timelines.report(names),
        }
    }
}

/// Whether pages of this type are texts, and not lists or fronts of something.
fn is_text(page_type: &PageType) -> bool {
    match page_type {
        PageType::Article | PageType::Forum | PageType::Product | PageType::Documentation => true,
        PageType::Collection
        | PageType::Listing
        | PageType::Service
        | PageType::FrontPage
        | PageType::Other
        | PageType::Wall
        | PageType::Unknown(_) => false,
    }
}

fn row(page: &PageRecord) -> FoundRow {
    let summary = page.page.as_ref();
    let repeated = repeated(page);
    let published = summary.and_then(|page| page.published.as_deref());
    let published = published.and_then(crate::export::published);
    let because = match repeated {
        Some(nearest) => nearest.url.clone(),
        None => page.detail.clone().unwrap_or_default(),
    };
    FoundRow {
        title: cut(summary.map_or("", |page| &page.title), TITLE_CHARS_MAX),
        host: cut(weburl::host_of(&page.url), TITLE_CHARS_MAX),
        published: published.unwrap_or_default(),
        relevance: summary.and_then(|page| page.relevance),
        reason: page
            .junk()
            .map_or(String::new(), |reason| reason.name().to_owned()),
        because: short_url(&because),
        url: short_url(&page.url),
    }
}

/// The first rows, as many as fit.
fn within(rows: impl Iterator<Item = FoundRow>, bytes_max: usize) -> Vec<FoundRow> {
    let mut bytes = 0;
    rows.take_while(|row| {
        bytes += row.url.len() + row.title.len() + row.host.len() + 2 * row.because.len();
        bytes <= bytes_max
    })
    .collect()
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn short_url(url: &str) -> String {
    match url.len() > URL_BYTES_MAX {
        true => cut(url, TITLE_CHARS_MAX),
        false => url.to_owned(),
    }
}

/// Counts over equal spans of time for each host; the spans double when the time goes beyond the
/// last one.
#[derive(Debug, Default)]
struct Timelines {
    begin_ms: u64,
    span_ms: u64,
    rows: Vec<[u32; SPANS]>,
}

impl Timelines {
    fn add(&mut self, host: u16, at_ms: u64) {
        if self.span_ms == 0 {
            (self.begin_ms, self.span_ms) = (at_ms, 1_000);
        }
        let since = at_ms.saturating_sub(self.begin_ms);
        while since / self.span_ms >= SPANS as u64 {
            self.rows.iter_mut().for_each(halve);
            self.span_ms *= 2;
        }
        let host = usize::from(host);
        if self.rows.len() <= host {
            self.rows.resize(host + 1, [0; SPANS]);
        }
        self.rows[host][(since / self.span_ms) as usize] += 1;
    }

    fn report(&self, names: &[&str]) -> BTreeMap<String, [u32; SPANS]> {
        let named = names.iter().zip(&self.rows);
        let some = named.filter(|(_, spans)| spans.iter().any(|n| *n > 0));
        some.map(|(name, spans)| ((*name).to_owned(), *spans))
            .collect()
    }
}

/// Each two spans become one.
fn halve(spans: &mut [u32; SPANS]) {
    for at in 0..SPANS {
        let pair = spans.get(2 * at..2 * at + 2);
        spans[at] = pair.map_or(0, |pair| pair.iter().sum());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{T0, judged};

    #[test]
    fn the_most_relevant_pages_stay_and_memory_is_bounded() {
        let mut tally = FoundTally::default();
        for n in 0..20_000_u32 {
            let relevance = (n % 1_000) as f32 / 1_000.0;
            let title = "t".repeat(1_000_000 / 20_000 * (n as usize % 20));
            let page = judged(&format!("http://a.test/{n}"), &title, "en", relevance, "");
            tally.judged(n, u64::from(n), &page);
            let junk = judged(&format!("http://a.test/j{n}"), "", "en", 0.1, "thin");
            tally.judged(100_000 + n, u64::from(n), &junk);
        }
        assert!(tally.kept.len() <= CANDIDATES_MAX && tally.of_slot.len() == tally.kept.len());
        let state = |slot| match slot {
            100_000.. => State::Junk,
            999 => State::Junk,
            _ => State::Indexed,
        };
        let found = tally.report(state, |_| None, &[]);
        assert_eq!(
            (found.kept.len(), found.dropped.len()),
            (KEPT_MAX, OF_REASON_MAX)
        );
        let tenths = |row: &FoundRow| (row.relevance.unwrap_or(0.0) * 10.0).round();
        assert!(found.kept.is_sorted_by(|a, b| tenths(a) >= tenths(b)));
        assert!(found.kept.iter().all(|row| row.url != "http://a.test/999"));
        assert!(
            found
                .kept
                .iter()
                .all(|row| row.title.chars().count() <= TITLE_CHARS_MAX + 1)
        );
    }

    #[test]
    fn a_page_that_is_dropped_again_is_a_row_once() {
        let mut tally = FoundTally::default();
        let dropped = |reason| judged("http://a.test/", "", "en", 0.1, reason);
        tally.judged(0, 1, &dropped("thin"));
        tally.judged(0, 2, &dropped("off_topic"));
        tally.judged(0, 3, &dropped("off_topic"));
        tally.judged(1, 4, &dropped("thin"));
        let found = tally.report(|_| State::Junk, |_| None, &[]);
        let reasons: Vec<&str> = found
            .dropped
            .iter()
            .map(|row| row.reason.as_str())
            .collect();
        assert_eq!(reasons, ["off_topic", "thin"]);
    }

    #[test]
    fn a_text_comes_before_a_list_that_is_as_relevant() {
        let mut tally = FoundTally::default();
        let kinds = [PageType::Other, PageType::Article, PageType::Article];
        for (at, (kind, relevance)) in kinds.into_iter().zip([0.99, 0.96, 0.8]).enumerate() {
            let mut page = judged(&format!("http://a.test/{at}"), "t", "en", relevance, "");
            page.page.as_mut().expect("a page").page_type = kind;
            tally.judged(at as u32, at as u64, &page);
        }
        let found = tally.report(|_| State::Indexed, |_| None, &[]);
        let order: Vec<_> = found.kept.iter().map(|row| row.relevance).collect();
        assert_eq!(order, [Some(0.96), Some(0.99), Some(0.8)]);
    }

    #[test]
    fn a_page_that_was_read_again_is_listed_once() {
        let mut tally = FoundTally::default();
        let page = |relevance| judged("http://a.test/", "t", "en", relevance, "");
        tally.judged(7, 1, &page(0.9));
        tally.judged(7, 5, &page(0.6));
        let found = tally.report(|_| State::Indexed, |_| None, &[]);
        assert_eq!(found.kept.len(), 1);
        assert_eq!(found.kept[0].relevance, Some(0.6));
    }

    #[test]
    fn a_page_that_is_gone_is_listed_by_the_title_that_it_had() {
        let mut tally = FoundTally::default();
        tally.judged(7, 1, &judged("http://a.test/", "Trees", "en", 0.9, ""));
        let mut gone = judged("http://a.test/", "", "", 0.0, "error_page");
        gone.page = None;
        tally.judged(7, 5, &gone);
        let found = tally.report(|_| State::Junk, |_| None, &[]);
        let [row] = found.dropped.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(
            (row.title.as_str(), row.reason.as_str()),
            ("Trees", "error_page")
        );
        assert!(found.kept.is_empty());
    }

    #[test]
    fn timelines_keep_their_sums_when_spans_double() {
        let mut timelines = Timelines::default();
        for n in 0..10_000_u64 {
            timelines.add((n % 3) as u16, T0 + n * 977);
        }
        let report = timelines.report(&["a", "b", "c"]);
        let all: u32 = report.values().flatten().sum();
        assert_eq!(all, 10_000);
        assert!(report["a"].iter().filter(|n| **n > 0).count() > SPANS / 2 - 1);
    }
}
