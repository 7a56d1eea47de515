//! Endless parts of hosts: URLs that are refused by their shape, or by what the like of them gave.
//!
//! Shapes are refused outright: paths too long or deep, segments that repeat, queries that grow, URLs
//! within themselves ([`crate::inner_urls`]). Their bounds are far beyond what sound sites have.
//!
//! The rest is learnt, by host, from pages that were read, and only where three things come
//! together, since each alone is common on sound sites (a blog's archive by months has hundreds of
//! numbered pages, thin ones and repetitions among them):
//! - *numbers*: the URLs differ in numbers only (`/calendar/2026/11/30`, `/day-2026-11-30.html`); all URLs
//!   that do are one *part* of the host;
//! - *nothing*: next to none of many pages read had anything on it, or led to a new URL elsewhere;
//! - *breeding*: those useless pages themselves linked to ever more of their kind. A finite archive
//!   is listed from outside and does not breed.
//!
//! A calendar of events has given something, and goes on without an end all the same. So the pages since the last one
//! of use are judged by themselves, too: when they are more than all of use there were, and twice as many as ever lay
//! before one of use, nothing more is expected behind them. A gallery may have captions again after as many pictures,
//! so where the URLs do not go as dates do ([`part`]) it takes as many pages as where they have one number. That is a
//! guess about a part that has been of use: one in twenty of its further URLs is let through, and when a page of
//! these is of use the part is as before. After sixty that were not, less than one in twenty is, with a confidence of
//! 95 %, and it is closed.
//!
//! Days that lead to months, and months to days, are useless together ([`family`]): parts that lead to
//! others, each of which has given nothing itself, count as one. So the days of twelve named months are one
//! calendar, and what an archive by days leads to is of use to it until that has given nothing either.
//!
//! A page that only asks not to be indexed gave nothing, unless it led elsewhere, so a calendar of
//! such pages ends like any other. So it is with days that are kept and say the same of each: a page whose
//! text differs from that of another in nothing but what its URL says of it (*bare*) gave nothing.
//!
//! A copy of a page of another part whose URL has the same numbers says nothing of either: a mirror, or a print
//! version, has as many dates as what it repeats. Whether it is worth its fetches, others say.
//!
//! To *lead elsewhere* a link need not be new: the days of a newspaper's archive lead to articles that lists
//! had led to before, and each to others. So a link counts that no page of the part had so far. What stands on
//! all of them, such as a menu, is known from the first.
//!
//! What is learnt also holds for URLs that wait already: they are refused when their turn comes,
//! which costs no request. Memory is bounded: parts of which no page was read for longest are
//! forgotten.

mod family;
mod part;

use outcome::Trap;
use recent::{RecentMap, RecentSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::host::HostKey;
use crate::inner_urls::{inner_values, is_nested, unescape};
use crate::url::CanonicalUrl;
use family::{Bounds, Endless, News, Part, PartLinks};
use part::Numbered;

pub use part::UrlNumbers;

/// Longest path, in bytes; a Chinese character takes nine.
const PATH_BYTES_MAX: usize = 1_500;
/// Path segments in a URL at most.
const SEGMENTS_MAX: usize = 40;
/// Times one segment may stand in a path.
const SEGMENT_REPEATS_MAX: usize = 3;
/// Parameters in a query at most.
const PARAMETERS_MAX: usize = 20;
/// Useless pages after which a part with two numbers or more is endless; since the last page of use, one whose URLs
/// go as dates do.
const CALENDAR_MIN: u32 = 60;
/// The same for one number: blogs have hundreds of numbered pages.
const COUNTER_MIN: u32 = 200;
/// A part is endless only if not even one page in so many was useful.
const USELESS_PER_USEFUL: u32 = 50;
/// The same for two numbers or more. A day without events differs from another in a number or two,
/// and of so short a text every fiftieth passes for new.
const USELESS_PER_USEFUL_DAY: u32 = 20;
/// Of the URLs of a part that was of use and is so no longer, one in so many is let through,
const PROBE_EVERY: u64 = 20;
/// until so many pages of them were read in vain.
const PROBES_MAX: u32 = 60;
/// Parts that are remembered, in 64 to some 250 bytes each.
const PARTS_MAX: usize = 200_000;
/// Links of useless pages of parts that are remembered. One that is forgotten counts as one more page of use:
/// that costs requests, and loses nothing.
const LINKS_MAX: usize = 1 << 18;

/// What a page that was read is worth to a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageYield {
    /// It has content that is kept.
    Content,
    /// Nothing: it is thin, an error page, or repeats another.
    Nothing,
    /// Nothing that may be kept, since it asks not to be indexed; but its links count.
    LinksOnly,
}

/// What a page that was read is worth to the trap rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageWorth {
    /// What came of it.
    pub page_yield: PageYield,
    /// The digest of its bare text: equal for pages that differ in what their URLs say alone.
    pub bare: Option<u64>,
    /// The page that it repeats.
    pub original: Option<Original>,
}

/// A page that others repeat, as the trap rules know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Original {
    part: Option<u64>,
    /// The numbers in its URL, hashed.
    numbers: u64,
}

impl Original {
    /// That of a URL.
    pub fn of(url: &CanonicalUrl) -> Self {
        Self {
            part: Shape::of(url).part(&url.host()).map(|of| of.part),
            numbers: numbers_of(url),
        }
    }
}

impl From<PageYield> for PageWorth {
    fn from(page_yield: PageYield) -> Self {
        Self {
            page_yield,
            bare: None,
            original: None,
        }
    }
}

/// The trap rules and what they have seen.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Traps {
    parts: RecentMap<u64, Part>,
    /// Links that useless pages of a part had, by both.
    links: RecentSet<u64>,
    /// The page whose links are being admitted.
    reader: Option<Reader>,
}

/// A page that was judged and is not noted yet: what the rules will know of it when it is. Its
/// links are asked about with it in mind.
#[derive(Debug, Clone, Default)]
pub(crate) struct JudgedPage {
    /// The numbered part that the page belongs to, with the page and its links counted.
    part: Option<(u64, Part)>,
    links: PartLinks,
    /// Links of it that no page of the part had before.
    first: Vec<u64>,
    /// It is judged and not noted: the page noted last is another.
    is_ahead: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Reader {
    part: Option<u64>,
    /// Its record's number.
    seq: u64,
    links: PartLinks,
}

impl Default for Traps {
    fn default() -> Self {
        Self::with_max(PARTS_MAX)
    }
}

impl Traps {
    fn with_max(parts_max: usize) -> Self {
        Self {
            parts: RecentMap::with_max(parts_max),
            links: RecentSet::with_max(LINKS_MAX),
            reader: None,
        }
    }

    /// Refuses a URL that belongs to a trap.
    pub(crate) fn check(&self, host: &HostKey, url: &CanonicalUrl) -> Result<(), Trap> {
        self.check_link(host, url, &JudgedPage::default())
    }

    /// The same for a link of a page that is not noted yet.
    pub(crate) fn check_link(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        page: &JudgedPage,
    ) -> Result<(), Trap> {
        let shape = Shape::of(url);
        shape.check()?;
        let Some(of) = shape.part(host) else {
            return Ok(());
        };
        let is_date = self.goes_as_dates_do(of.part, page);
        let trap = match (self.endless(&of, page), is_date) {
            (None, _) => return Ok(()),
            (Some(Endless::OfLate { probes }), _) if probes < PROBES_MAX && is_probe(url) => {
                return Ok(());
            }
            (Some(Endless::OfLate { .. }), true) => Trap::Calendar,
            (Some(Endless::OfLate { .. }), false) => Trap::EndlessNumbers,
            (Some(Endless::FromTheFirst), _) if of.numbers > 1 => Trap::Calendar,
            (Some(Endless::FromTheFirst), _) => Trap::EndlessNumbers,
        };
        Err(trap)
    }

    /// What is known of a part with a page that is not noted yet.
    fn seen<'p>(&'p self, part: u64, page: &'p JudgedPage) -> Option<&'p Part> {
        match &page.part {
            Some((own, seen)) if *own == part => Some(seen),
            _ => self.parts.get(&part),
        }
    }

    fn goes_as_dates_do(&self, part: u64, page: &JudgedPage) -> bool {
        self.seen(part, page).is_none_or(Part::goes_as_dates_do)
    }

    /// Whether the part of a URL is endless, with a page that is not noted yet.
    fn endless(&self, of: &Numbered, page: &JudgedPage) -> Option<Endless> {
        let (useless_min, per_useful) = match of.numbers > 1 {
            true => (CALENDAR_MIN, USELESS_PER_USEFUL_DAY),
            false => (COUNTER_MIN, USELESS_PER_USEFUL),
        };
        let idle_min = match self.goes_as_dates_do(of.part, page) {
            true => useless_min,
            false => COUNTER_MIN,
        };
        let last = self.reader.as_ref().filter(|_| page.is_ahead);
        let last = last.and_then(|last| Some((last.part?, last.links.toward())));
        let sums = family::of(of.part, |part| self.seen(part, page), last);
        sums.endless(Bounds {
            useless_min,
            per_useful,
            idle_min,
        })
    }

    /// Whether a part was left, since it is of use no longer, before the page is counted.
    fn is_left(&self, of: &Numbered, is_ahead: bool) -> bool {
        let before = JudgedPage {
            is_ahead,
            ..JudgedPage::default()
        };
        matches!(self.endless(of, &before), Some(Endless::OfLate { .. }))
    }

    /// A page that was judged, as it will be noted.
    pub(crate) fn judged(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        worth: PageWorth,
    ) -> JudgedPage {
        let mut links = PartLinks::of(worth.page_yield != PageYield::Content);
        let part = Shape::of(url).part(host).map(|of| {
            let mut seen = self.parts.get(&of.part).cloned().unwrap_or_default();
            let is_left = self.is_left(&of, true);
            links = seen.take_in(&of, worth, (is_copy(of.part, url, worth), is_left));
            (of.part, seen)
        });
        JudgedPage {
            part,
            links,
            first: Vec::new(),
            is_ahead: true,
        }
    }

    /// Counts a URL that the judged page links to, and whether it is new, as [`Traps::linked`] will.
    pub(crate) fn judged_link(
        &self,
        page: &mut JudgedPage,
        host: &HostKey,
        url: &CanonicalUrl,
        is_new: bool,
    ) {
        let Some((part, seen)) = page.part.as_mut().filter(|_| page.links.count()) else {
            return;
        };
        if leads_back(host, *part, url) {
            return;
        }
        let key = link_key(*part, url);
        let is_first = !self.links.contains(&key) && !page.first.contains(&key);
        if is_first {
            page.first.push(key);
        }
        let to = Shape::of(url).part(host).map(|of| of.part);
        seen.count_link(*part, to, &mut page.links, news(is_new, is_first));
    }

    /// Notes a link of the page with record number `via`: to a URL that was admitted for it, or that was known.
    pub(crate) fn linked(
        &mut self,
        host: &HostKey,
        url: &CanonicalUrl,
        via: Option<u64>,
        is_new: bool,
    ) {
        // A redirect's target comes by the page that linked to the redirect, long ago: it says
        // nothing about the page that was read last.
        let links_of_reader =
            |reader: &&mut Reader| reader.links.count() && via == Some(reader.seq);
        let Some(reader) = self.reader.as_mut().filter(links_of_reader) else {
            return;
        };
        if let Some(part) = reader.part
            && let Some(seen) = self.parts.get_mut(&part)
            && !leads_back(host, part, url)
        {
            let is_first = self.links.insert(link_key(part, url));
            let to = Shape::of(url).part(host).map(|of| of.part);
            seen.count_link(part, to, &mut reader.links, news(is_new, is_first));
        }
    }

    /// Whether the links of the page with this record number matter.
    pub(crate) fn asks_for_links(&self, seq: u64) -> bool {
        let reader = self.reader.as_ref();
        reader.is_some_and(|reader| {
            reader.seq == seq && reader.part.is_some() && reader.links.count()
        })
    }

    /// Notes where the page that was read last led, at the other end.
    fn note_last(&mut self) {
        if let Some(last) = self.reader.take()
            && let Some(from) = last.part
        {
            for to in last.links.toward() {
                self.parts.entry(*to, |_, _| {}).note_from(from);
            }
        }
    }

    /// Notes what the page of record number `seq` gave. URLs admitted next, via that record, are
    /// its links.
    pub(crate) fn observe(
        &mut self,
        host: &HostKey,
        url: &CanonicalUrl,
        seq: u64,
        worth: PageWorth,
    ) {
        let of = Shape::of(url).part(host);
        self.note_last();
        let links = match &of {
            Some(of) => {
                let is_left = self.is_left(of, false);
                let seen = self.parts.entry(of.part, |_, _| {});
                seen.take_in(of, worth, (is_copy(of.part, url, worth), is_left))
            }
            None => PartLinks::of(worth.page_yield != PageYield::Content),
        };
        let part = of.map(|of| of.part);
        self.reader = Some(Reader { part, seq, links });
    }
}

/// Whether a URL is let through where its like are of use no longer: always the same for one URL.
fn is_probe(url: &CanonicalUrl) -> bool {
    xxh3_64(url.as_str().as_bytes()).is_multiple_of(PROBE_EVERY)
}

/// A link of pages of a part.
fn link_key(part: u64, url: &CanonicalUrl) -> u64 {
    let key = url.key().to_le_bytes();
    xxh3_64(&[&part.to_le_bytes()[..], &key[..]].concat())
}

/// Whether a page repeats one of another part with the same numbers in its URL.
fn is_copy(part: u64, url: &CanonicalUrl, worth: PageWorth) -> bool {
    let is_of =
        |original: Original| original.part != Some(part) && original.numbers == numbers_of(url);
    worth.original.is_some_and(is_of)
}

fn numbers_of(url: &CanonicalUrl) -> u64 {
    let path = url.path_and_query();
    let numbers = path.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<&str> = numbers.filter(|number| !number.is_empty()).collect();
    xxh3_64(numbers.join(" ").as_bytes())
}

/// Whether a URL only leads back to pages of a part, as that of a login form on each of them does.
fn leads_back(host: &HostKey, part: u64, url: &CanonicalUrl) -> bool {
    if !url.as_str().contains(['?', '%']) {
        return false;
    }
    let origin = url.as_str().strip_suffix(url.path_and_query());
    let is_of_part = |value: &str| {
        let value = unescape(value).unwrap_or_else(|| value.to_owned());
        let inner = match value.starts_with('/') {
            true => CanonicalUrl::parse(&format!("{}{value}", origin.unwrap_or_default())),
            false => CanonicalUrl::parse(&value),
        };
        let inner = inner.ok().and_then(|inner| Shape::of(&inner).part(host));
        inner.is_some_and(|inner| inner.part == part)
    };
    let values = inner_values(url);
    let mut of_site = values.iter().filter(|value| value.is_of_site);
    of_site.any(|value| is_of_part(value.value))
}

fn news(is_new: bool, is_first: bool) -> News {
    match (is_new, is_first) {
        (true, _) => News::New,
        (false, true) => News::First,
        (false, false) => News::None,
    }
}

/// A URL's path and query.
struct Shape<'u> {
    url: &'u CanonicalUrl,
    path: &'u str,
    query: &'u str,
}

impl<'u> Shape<'u> {
    fn of(url: &'u CanonicalUrl) -> Self {
        let text = url.path_and_query();
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        Self { url, path, query }
    }

    fn check(&self) -> Result<(), Trap> {
        if self.path.len() > PATH_BYTES_MAX {
            return Err(Trap::LongPath);
        }
        let segments: Vec<&str> = self.segments().collect();
        if segments.len() > SEGMENTS_MAX {
            return Err(Trap::DeepPath);
        }
        let repeats = |name: &&str| segments.iter().filter(|other| *other == name).count();
        if segments
            .iter()
            .any(|name| repeats(name) > SEGMENT_REPEATS_MAX)
        {
            return Err(Trap::RepeatedSegment);
        }
        if self.query.split('&').count() > PARAMETERS_MAX {
            return Err(Trap::LongQuery);
        }
        if is_nested(&self.url.host(), self.path, self.parameters()) {
            return Err(Trap::NestedUrl);
        }
        Ok(())
    }

    fn segments(&self) -> impl Iterator<Item = &'u str> + use<'u> {
        self.path.split('/').filter(|segment| !segment.is_empty())
    }

    fn parameters(&self) -> impl Iterator<Item = (&'u str, &'u str)> + use<'u> {
        let pieces = self.query.split('&').filter(|piece| !piece.is_empty());
        pieces.map(|piece| piece.split_once('=').unwrap_or((piece, "")))
    }

    /// The URL as one of a numbered part of its host; `None` without any number.
    fn part(&self, host: &HostKey) -> Option<Numbered> {
        part::of(host, self.segments(), self.parameters())
    }
}

#[cfg(test)]
mod tests;
