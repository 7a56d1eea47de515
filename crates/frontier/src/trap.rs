//! Endless parts of hosts: URLs that are refused by their shape, or by what the like of them gave.
//!
//! Shapes are refused outright: paths too long or deep, segments that repeat, queries that grow.
//! Their bounds are far beyond what sound sites have.
//!
//! The rest is learnt, by host, from pages that were read, and only where three things come
//! together, since each alone is common on sound sites (a blog's archive by months has hundreds of
//! numbered pages, thin ones and repetitions among them):
//! - *numbers*: the URLs differ in numbers only (`/calendar/2026/11/30`);
//! - *nothing*: next to none of many pages read had anything on it, or led to a new URL elsewhere;
//! - *breeding*: those useless pages themselves linked to ever more of their kind. A finite archive
//!   is listed from outside and does not breed.
//!
//! A page that only asks not to be indexed gave nothing, unless it led elsewhere, so a calendar of
//! such pages ends like any other.
//!
//! What is learnt also holds for URLs that wait already: they are refused when their turn comes,
//! which costs no request. Memory is bounded: parts of which no page was read for longest are
//! forgotten.

use outcome::Trap;
use recent::RecentMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::host::HostKey;
use crate::url::CanonicalUrl;

/// Longest path, in bytes; a Chinese character takes nine.
const PATH_BYTES_MAX: usize = 1_500;
/// Path segments in a URL at most.
const SEGMENTS_MAX: usize = 40;
/// Times one segment may stand in a path.
const SEGMENT_REPEATS_MAX: usize = 3;
/// Parameters in a query at most.
const PARAMETERS_MAX: usize = 20;
/// Useless pages after which a part with two numbers or more is endless.
const CALENDAR_MIN: u32 = 60;
/// The same for one number: blogs have hundreds of numbered pages.
const COUNTER_MIN: u32 = 200;
/// A part is endless only if not even one page in so many was useful.
const USELESS_PER_USEFUL: u32 = 50;
/// The same for two numbers or more. A day without events differs from another in a number or two,
/// and of so short a text every fiftieth passes for new.
const USELESS_PER_USEFUL_DAY: u32 = 20;
/// Parts that are remembered, some 24 bytes each.
const PARTS_MAX: usize = 400_000;

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

/// The trap rules and what they have seen.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Traps {
    parts: RecentMap<u64, Part>,
    /// The page whose links are being admitted.
    reader: Option<Reader>,
}

/// What pages of one numbered part gave.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Part {
    useful: u32,
    useless: u32,
    bred: u32,
}

/// A page that was judged and is not noted yet: what the rules will know of it when it is. Its
/// links are asked about with it in mind.
#[derive(Debug, Clone, Default)]
pub(crate) struct JudgedPage {
    /// The numbered part that the page belongs to, with the page and its links counted.
    part: Option<(u64, Part)>,
    useless: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Reader {
    part: Option<u64>,
    /// Its record's number.
    seq: u64,
    useless: bool,
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
        if let Some((part, numbers)) = shape.part(host) {
            let own = page.part.filter(|(own, _)| *own == part);
            let noted = || self.parts.get(&part).copied().unwrap_or_default();
            let seen = own.map_or_else(noted, |(_, seen)| seen);
            let (trap, useless_min, per_useful) = if numbers > 1 {
                (Trap::Calendar, CALENDAR_MIN, USELESS_PER_USEFUL_DAY)
            } else {
                (Trap::EndlessNumbers, COUNTER_MIN, USELESS_PER_USEFUL)
            };
            if seen.is_endless(useless_min, per_useful) {
                return Err(trap);
            }
        }
        Ok(())
    }

    /// A page that was judged, as it will be noted.
    pub(crate) fn judged(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        page_yield: PageYield,
    ) -> JudgedPage {
        let shape = Shape::of(url);
        let useless = page_yield != PageYield::Content;
        let part = shape.part(host).map(|(part, _)| {
            let mut seen = self.parts.get(&part).copied().unwrap_or_default();
            seen.count(useless);
            (part, seen)
        });
        JudgedPage { part, useless }
    }

    /// Counts a new URL that the judged page links to, as [`Traps::admitted`] will.
    pub(crate) fn admitted_link(&self, page: &mut JudgedPage, host: &HostKey, url: &CanonicalUrl) {
        let Some((part, seen)) = page.part.as_mut().filter(|_| page.useless) else {
            return;
        };
        let is_its_kind = Shape::of(url)
            .part(host)
            .is_some_and(|(own, _)| own == *part);
        page.useless = is_its_kind;
        seen.count_link(is_its_kind);
    }

    /// Notes that a URL was admitted that the page with record number `via` linked to.
    pub(crate) fn admitted(&mut self, host: &HostKey, url: &CanonicalUrl, via: Option<u64>) {
        // A redirect's target comes by the page that linked to the redirect, long ago: it says
        // nothing about the page that was read last.
        let links_of_reader = |reader: &&mut Reader| reader.useless && via == Some(reader.seq);
        let Some(reader) = self.reader.as_mut().filter(links_of_reader) else {
            return;
        };
        let Some(part) = reader.part else { return };
        let is_its_kind = Shape::of(url)
            .part(host)
            .is_some_and(|(own, _)| own == part);
        let Some(seen) = self.parts.get_mut(&part) else {
            return;
        };
        reader.useless = is_its_kind;
        seen.count_link(is_its_kind);
    }

    /// Notes what the page of record number `seq` gave. URLs admitted next, via that record, are
    /// its links.
    pub(crate) fn observe(
        &mut self,
        host: &HostKey,
        url: &CanonicalUrl,
        seq: u64,
        page_yield: PageYield,
    ) {
        let shape = Shape::of(url);
        let part = shape.part(host).map(|(part, _)| part);
        let useful = page_yield == PageYield::Content;
        self.reader = Some(Reader {
            part,
            seq,
            useless: !useful,
        });
        if let Some(part) = part {
            self.parts.entry(part, |_, _| {}).count(!useful);
        }
    }
}

impl Part {
    fn count(&mut self, useless: bool) {
        let count = if useless {
            &mut self.useless
        } else {
            &mut self.useful
        };
        *count = count.saturating_add(1);
    }

    /// A useless page of this part links to a new URL.
    fn count_link(&mut self, is_its_kind: bool) {
        if is_its_kind {
            self.bred = self.bred.saturating_add(1);
        } else {
            // It led elsewhere: it was of use after all.
            self.useless = self.useless.saturating_sub(1);
            self.useful = self.useful.saturating_add(1);
        }
    }

    fn is_endless(&self, useless_min: u32, per_useful: u32) -> bool {
        self.useless >= useless_min
            && self.bred >= self.useless
            && self.useful.saturating_mul(per_useful) <= self.useless
    }
}

/// A URL's path and query.
struct Shape<'u> {
    path: &'u str,
    query: &'u str,
}

impl<'u> Shape<'u> {
    fn of(url: &'u CanonicalUrl) -> Self {
        let text = url.path_and_query();
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        Self { path, query }
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
        Ok(())
    }

    fn segments(&self) -> impl Iterator<Item = &'u str> + use<'u> {
        self.path.split('/').filter(|segment| !segment.is_empty())
    }

    fn parameters(&self) -> impl Iterator<Item = (&'u str, &'u str)> + use<'u> {
        let pieces = self.query.split('&').filter(|piece| !piece.is_empty());
        pieces.map(|piece| piece.split_once('=').unwrap_or((piece, "")))
    }

    /// The numbered part of its host that the URL belongs to, with how many numbers it has; `None`
    /// without any. Two URLs are of one part when they differ in numbers only, and in how many of
    /// them follow each other.
    fn part(&self, host: &HostKey) -> Option<(u64, usize)> {
        let mut part = host.as_str().to_owned();
        let mut numbers = 0;
        let mut after_number = false;
        for segment in self.segments() {
            let in_segment = numbers_of(segment);
            if in_segment == 0 {
                part.push('/');
                part.push_str(segment);
            } else if !after_number {
                part.push_str("/#");
            }
            after_number = in_segment > 0;
            numbers += in_segment;
        }
        for (name, value) in self.parameters() {
            let in_value = numbers_of(value);
            part.push('&');
            part.push_str(name);
            if in_value == 0 {
                part.push('=');
                part.push_str(value);
            }
            numbers += in_value;
        }
        (numbers > 0).then(|| (xxh3_64(part.as_bytes()), numbers))
    }
}

/// How many numbers a text has that consists of numbers: `2026` has one, `2026-11-30` three,
/// `post-7` none.
fn numbers_of(text: &str) -> usize {
    let is_numeric = |byte: u8| byte.is_ascii_digit() || b"-_.:".contains(&byte);
    if !text.bytes().all(is_numeric) {
        return 0;
    }
    let runs = text.split(|c: char| !c.is_ascii_digit());
    runs.filter(|run| !run.is_empty()).count()
}

#[cfg(test)]
mod tests;
