//! Which text is known: on which kept pages of its host each passage stands.
//!
//! A forum, a shop or a wiki shows one text under many URLs: a print view, an archive for readers of text alone, what one author
//! said, lists of beginnings by date, by tag, by author. Such a *view* is no near-duplicate, since it shows a part of a page,
//! or parts of many. But each of its passages ([`crate::passages`]) is known, from pages of other forms of URLs
//! ([`frontier::UrlForm`]).
//!
//! All passages known is not enough. An article stands as a whole on a list that was read before it. So a page is a view
//! where, besides,
//!
//! - one kept page has all that the view has, and the view repeats it *as a whole*; or
//! - that page names the very same things in its URL (`/t/12?view=old` and `/t/12`), or is a thread of which the view names
//!   more (`/thread?t=12` and `/thread?t=12&author=5`); or
//! - the view is put together of pages none of which has more than seven tenths of it, so that none of them can be the list
//!   on which it stood.
//!
//! What is known from pages of its own form says neither: laws, notices and goods have passages in common.
//!
//! ```text
//! passages of the page             notes: names, dates          long ones: what it says
//! known from another form          pass                         60 % of all, at least
//! known from its own form alone    pass                         pass
//! not known                        15 % of all, at most         then the page has text of its own
//! ```
//!
//! So many short passages a near-duplicate of the host may have as well.
//!
//! Whether a view is dropped is asked of its form ([`crate::views`]); a lone page never is.
//!
//! Cost: some 40 bytes a passage, at most [`PASSAGES_MAX`]; those that were met for the last time longest ago are
//! forgotten, and views of them are kept as if nothing were known. All of it follows from records alone, in their
//! order: of kept pages, and of near-duplicates, whose passages make none known, but show what pages of one form have in common.

use std::collections::BTreeMap;

use archive::{PageRecord, Shows};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use frontier::{CanonicalUrl, UrlForm};
use outcome::{JunkReason, PageType};
use recent::RecentMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::passages::Passage;

/// Passages that are remembered.
const PASSAGES_MAX: usize = 600_000;
/// Pages of which it is remembered how much text they have, some 40 bytes each.
const PAGES_MAX: usize = 100_000;
/// Passages of one page, with their beginnings. What stands behind them is not known later.
const OF_PAGE_MAX: usize = 256;
/// A page with less text shows nothing.
const WEIGHT_MIN: u32 = 60;
/// The percentage of a view that short passages may be that are not known.
const OWN_PERCENT_MAX: u32 = 15;

/// Which text is known.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KnownText {
    passages: RecentMap<u64, Places>,
    pages: RecentMap<u32, Extent>,
}

/// Where a passage stands: on the first page, and on the first one of another form.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Places([Place; 2]);

/// A page that has a passage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Place {
    /// The number of its record; 0 for one that was not kept, and for none.
    page: u32,
    /// The hash of its URL's form; 0 for none.
    form: u32,
}

/// A kept page, as a whole.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Extent {
    /// The things that its URL names, together; 0 for none.
    things: u64,
    /// The weight of its long passages.
    weight: u32,
    /// Of a thread, the things that its URL names, one by one.
    of_thread: Box<[u64]>,
}

/// A URL by what it says.
struct Named {
    host: u64,
    form: u32,
    things: Vec<u64>,
}

impl Named {
    fn of(url: &CanonicalUrl) -> Self {
        let mut form = UrlForm::of(url);
        form.things.sort_unstable();
        Self {
            host: xxh3_64(url.host().as_str().as_bytes()),
            form: (xxh3_64(form.text.as_bytes()) as u32).max(1),
            things: form.things,
        }
    }

    /// The things together; 0 for none.
    fn together(&self) -> u64 {
        let bytes = self.things.iter().flat_map(|thing| thing.to_le_bytes());
        match self.things.is_empty() {
            true => 0,
            false => xxh3_64(&bytes.collect::<Vec<u8>>()).max(1),
        }
    }

    fn key(&self, passage: u32) -> u64 {
        // Multiples of an odd number keep the passages of a host apart.
        self.host ^ u64::from(passage).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

impl Default for KnownText {
    fn default() -> Self {
        Self {
            passages: RecentMap::with_max(PASSAGES_MAX),
            pages: RecentMap::with_max(PAGES_MAX),
        }
    }
}

/// What is known of a page's passages.
#[derive(Debug, Default)]
struct Known {
    /// The weight of all, and of what is on no kept page.
    all: u32,
    own: u32,
    /// A long passage is on none.
    has_own: bool,
    /// The long passages that kept pages of other forms have: their weight, and those pages.
    foreign: Vec<(u32, Places)>,
}

impl KnownText {
    /// What a page shows, by its URL and its passages.
    pub(crate) fn shows(&self, url: &CanonicalUrl, passages: &[Passage]) -> Shows {
        let named = Named::of(url);
        let known = self.known(&named, passages);
        if known.has_own
            || known.own.saturating_mul(100) > known.all.saturating_mul(OWN_PERCENT_MAX)
        {
            return Shows::Own;
        }
        let foreign: u32 = known.foreign.iter().map(|(weight, _)| weight).sum();
        if known.all < WEIGHT_MIN || foreign.saturating_mul(10) < known.all.saturating_mul(6) {
            return Shows::Unclear;
        }
        match self.is_view(&named, &known.foreign, foreign) {
            true => Shows::Known,
            false => Shows::Part,
        }
    }

    fn known(&self, named: &Named, passages: &[Passage]) -> Known {
        let mut known = Known::default();
        for passage in passages {
            let is_short_of = passage.is_cut && passage.beginning.is_none();
            let beginning = passage.beginning.filter(|_| passage.is_cut);
            let hashes = [Some(passage.hash), beginning];
            let places = hashes
                .iter()
                .flatten()
                .filter_map(|hash| self.passages.get(&named.key(*hash)));
            let mut places = places.filter(|places| places.make_known(named.form));
            match places.next() {
                // How it goes on is not told.
                None if is_short_of => continue,
                None => {
                    known.own += passage.weight;
                    known.has_own |= !passage.is_note();
                }
                Some(places) if passage.is_long() => {
                    let foreign = places.but_of(named.form);
                    if foreign.iter().next().is_some() {
                        known.foreign.push((passage.weight, foreign));
                    }
                }
                Some(_) => {}
            }
            known.all += passage.weight;
        }
        known
    }

    /// Whether long passages that other forms have, of this weight in all, are those of a view.
    fn is_view(&self, named: &Named, foreign: &[(u32, Places)], all: u32) -> bool {
        let mut covers: BTreeMap<u32, u32> = BTreeMap::new();
        for (weight, places) in foreign {
            for place in places.iter() {
                *covers.entry(place.page).or_default() += weight;
            }
        }
        let is_most = |part: u32, of: u32| part.saturating_mul(10) >= of.saturating_mul(9);
        let things = named.together();
        let repeats = covers.iter().any(|(page, cover)| {
            let extent = self.pages.get(page).filter(|_| is_most(*cover, all));
            extent.is_some_and(|extent| {
                is_most(*cover, extent.weight) || extent.is_named_by(named, things)
            })
        });
        if repeats {
            return true;
        }
        let is_part = |page: u32| covers[&page].saturating_mul(10) <= all.saturating_mul(7);
        let mut parts: BTreeMap<u32, u32> = BTreeMap::new();
        for (weight, places) in foreign {
            let least = places
                .iter()
                .min_by_key(|place| (covers[&place.page], place.page));
            if let Some(place) = least.filter(|place| is_part(place.page)) {
                *parts.entry(place.page).or_default() += weight;
            }
        }
        is_most(parts.values().sum(), all)
    }

    /// Takes in a finished URL, the record of that number.
    pub(crate) fn apply(&mut self, seq: u64, record: &PageRecord) {
        let Some(page) = record.page.as_ref().filter(|_| teaches(record)) else {
            return;
        };
        let (Ok(url), Ok(seq)) = (CanonicalUrl::parse(&record.url), u32::try_from(seq)) else {
            return;
        };
        let Ok(bytes) = STANDARD_NO_PAD.decode(&page.passages) else {
            return;
        };
        let (numbers, _) = bytes.as_chunks();
        let mut numbers = numbers.iter().map(|number| u32::from_le_bytes(*number));
        let Some(weight) = numbers.next() else {
            return;
        };
        let named = Named::of(&url);
        let is_kept = record.outcome.is_indexed();
        let place = Place {
            page: if is_kept { seq } else { 0 },
            form: named.form,
        };
        for passage in numbers {
            self.passages
                .entry(named.key(passage), |_, _| {})
                .note(place);
        }
        if is_kept {
            *self.pages.entry(seq, |_, _| {}) = Extent {
                things: named.together(),
                weight,
                of_thread: match page.page_type == PageType::Forum {
                    true => named.things.into(),
                    false => Box::default(),
                },
            };
        }
    }
}

impl Extent {
    /// Whether a URL with these things names the page.
    fn is_named_by(&self, named: &Named, together: u64) -> bool {
        let is_of_thread = || {
            self.of_thread
                .iter()
                .all(|thing| named.things.contains(thing))
        };
        together != 0 && self.things == together || !self.of_thread.is_empty() && is_of_thread()
    }
}

impl Places {
    fn note(&mut self, place: Place) {
        let mut known = self.0.iter_mut();
        let free = known.find(|known| known.form == 0 || known.form == place.form);
        if let Some(free) = free.filter(|free| free.page == 0) {
            *free = place;
        }
    }

    /// Whether the passage is known to pages of a form: it is on a kept page, or on another one of the form.
    fn make_known(&self, form: u32) -> bool {
        self.0
            .iter()
            .any(|place| place.page != 0 || place.form == form)
    }

    /// The kept pages among them that are of other forms.
    fn but_of(&self, form: u32) -> Self {
        Self(self.0.map(|place| match place.form == form {
            true => Place::default(),
            false => place,
        }))
    }

    fn iter(&self) -> impl Iterator<Item = Place> {
        self.0.into_iter().filter(|place| place.page != 0)
    }
}

fn teaches(record: &PageRecord) -> bool {
    record.outcome.is_indexed() || record.junk() == Some(&JunkReason::NearDuplicate)
}

/// Notes in the record of a judged page what is known from it later.
pub(crate) fn write_passages(record: &mut PageRecord, passages: &[Passage]) {
    if !teaches(record) {
        return;
    }
    let Some(page) = &mut record.page else {
        return;
    };
    let long = passages.iter().filter(|passage| passage.is_long());
    let weight: u32 = long.map(|passage| passage.weight).sum();
    let hashes = passages
        .iter()
        .flat_map(|passage| [Some(passage.hash), passage.beginning]);
    let mut known = std::collections::BTreeSet::new();
    let hashes = hashes
        .flatten()
        .filter(|hash| known.insert(*hash))
        .take(OF_PAGE_MAX);
    let numbers = std::iter::once(weight).chain(hashes);
    let bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    page.passages = STANDARD_NO_PAD.encode(bytes);
}

#[cfg(test)]
mod tests {
    use archive::PageSummary;
    use outcome::{Outcome, Verdict};

    use super::*;
    use crate::passages::passages;

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example{path}")).expect(path)
    }

    /// A sentence of its own for each number.
    fn say(number: u32) -> String {
        format!("The ship number {number} came late and left with the tide of the morning.")
    }

    fn say_all(numbers: impl IntoIterator<Item = u32>) -> String {
        let lines: Vec<String> = numbers.into_iter().map(say).collect();
        lines.join("\n")
    }

    struct Host {
        known: KnownText,
        seq: u64,
    }

    impl Host {
        fn new() -> Self {
            Self {
                known: KnownText::default(),
                seq: 0,
            }
        }

        fn keep(&mut self, path: &str, text: &str) {
            self.read(path, text, Verdict::Index);
        }

        fn read(&mut self, path: &str, text: &str, verdict: Verdict) {
            self.seq += 1;
            let mut record = PageRecord {
                url: url(path).as_str().into(),
                outcome: Outcome::Judged(verdict),
                page: Some(PageSummary::default()),
                ..PageRecord::default()
            };
            write_passages(&mut record, &passages(text));
            self.known.apply(self.seq, &record);
        }

        #[track_caller]
        fn check(&self, path: &str, text: &str, expected: Shows) {
            let shows = self.known.shows(&url(path), &passages(text));
            assert_eq!(shows, expected, "{path}");
        }
    }

    #[test]
    fn a_view_repeats_one_page_as_a_whole_or_names_what_it_names() {
        let mut host = Host::new();
        host.keep("/thread.php?t=1", &say_all(0..6));
        // With the frame of all pages of its form.
        host.keep(
            "/print.php?t=9",
            &format!("Printed from the board\n{}", say(99)),
        );
        host.check(
            "/print.php?t=1",
            &format!("Printed from the board\n{}", say_all(0..6)),
            Shows::Known,
        );
        host.check("/print.php?t=1", &say_all(0..7), Shows::Own);
        // A part of a page: of the same thing, or of what may be a list.
        host.check("/thread.php?t=1&view=short", &say_all(0..2), Shows::Known);
        host.check("/post.php?p=7", &say_all(0..2), Shows::Part);
        host.check("/thread.php?t=2", &say_all(0..6), Shows::Unclear);
        // Other hosts say nothing.
        let elsewhere = CanonicalUrl::parse("http://b.example/print.php?t=1").expect("a URL");
        assert_eq!(
            host.known.shows(&elsewhere, &passages(&say_all(0..6))),
            Shows::Own
        );
    }

    #[test]
    fn an_article_that_stood_on_a_list_before_is_no_view_and_a_list_of_known_articles_is_one() {
        let mut host = Host::new();
        host.keep("/page/1", &say_all(0..30));
        host.keep("/page/2", &say_all(30..60));
        for article in 0..7 {
            let text = say_all(article * 4..article * 4 + 4);
            host.check(&format!("/story-{article}.html"), &text, Shows::Part);
            host.keep(&format!("/story-{article}.html"), &text);
        }
        // By tag: the first sentences of some of them, on the first list as well.
        let beginnings = say_all([0, 4, 8, 12]);
        host.check("/tag/harbour", &beginnings, Shows::Known);
        host.check("/tag/harbour", &say_all([0, 1]), Shows::Part);
        host.check(
            "/tag/harbour",
            &format!("{beginnings}\n{}", say(99)),
            Shows::Own,
        );
        // A list over both.
        host.check("/2024/05", &say_all([0, 4, 40, 45]), Shows::Known);
    }

    #[test]
    fn what_pages_of_one_form_have_in_common_makes_none_of_them_a_view() {
        let mut host = Host::new();
        for law in 0..9 {
            host.keep(
                &format!("/law/{law}"),
                &say_all([law % 4, 4 + law % 5, 100 + law]),
            );
        }
        host.check("/law/10", &say_all([0, 5, 2, 7]), Shows::Unclear);
        host.check("/law/11", &say_all([0, 5, 2, 7, 200]), Shows::Own);
        // Most of what a page says is on pages of other forms, and the rest on its siblings.
        host.keep("/order/1", &say_all(300..310));
        host.check("/law/12", &say_all([0, 300]), Shows::Unclear);
    }

    #[test]
    fn what_was_on_a_dropped_page_alone_is_not_known() {
        let mut host = Host::new();
        host.keep("/thread.php?t=1", &say_all(0..6));
        let copy = Verdict::Junk(JunkReason::NearDuplicate);
        host.read(
            "/print.php?t=1",
            &format!("{}\nThis page was printed for readers", say_all(0..6)),
            copy,
        );
        host.keep("/thread.php?t=2", &say_all(10..16));
        let view = format!("{}\nThis page was printed for readers", say_all(10..16));
        host.check("/print.php?t=2", &view, Shows::Known);
        host.check("/lofi.php?t=2", &view, Shows::Own);
    }

    #[test]
    fn beginnings_and_short_passages_are_known_by_what_they_begin() {
        let mut host = Host::new();
        for article in 0..4 {
            host.keep(
                &format!("/story-{article}.html"),
                &say_all(article * 4..article * 4 + 4),
            );
        }
        let begin = |number| format!("{}...", &say(number)[..64]);
        let list: Vec<String> = [0, 4, 8, 12].map(begin).into();
        host.check("/tag/harbour", &list.join("\n"), Shows::Known);
        // The name of the tag is short; a long heading would be text of its own.
        host.check(
            "/tag/harbour",
            &format!("Tides\n{}", list.join("\n")),
            Shows::Known,
        );
        let heading = "All that we have ever said of tides";
        host.check(
            "/tag/harbour",
            &format!("{heading}\n{}", list.join("\n")),
            Shows::Own,
        );
        let other = "The ship number 4000 of another line was never seen at our harbour...";
        host.check(
            "/tag/harbour",
            &format!("{other}\n{}", list.join("\n")),
            Shows::Own,
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut host = Host::new();
        host.keep("/thread.php?t=1", &say_all(0..6));
        let bytes = postcard::to_allocvec(&host.known).expect("written");
        let again: KnownText = postcard::from_bytes(&bytes).expect("read");
        assert_eq!(
            again.shows(&url("/print.php?t=1"), &passages(&say_all(0..6))),
            Shows::Known
        );
    }
}
