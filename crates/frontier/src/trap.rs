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
//! In the same way a parameter is found to change nothing (session ids, tracking, print versions)
//! when pages that differ in it alone were useless time and again once the first of them was
//! useful. From then on each page is fetched under one of its spellings. Parameters that count
//! pages are left alone. A mirror's pages repeat the original's under parameters of their own, which
//! says the same of them.
//!
//! A page that only asks not to be indexed gave nothing, unless it led elsewhere, so a calendar of
//! such pages ends like any other. But it repeats nothing: of parameters it says nothing, and a list
//! of goods by `?category=` that is `noindex` is followed through all categories.
//!
//! What is learnt also holds for URLs that wait already: they are refused when their turn comes,
//! which costs no request. Memory is bounded, and a table that is full learns nothing further.

use outcome::Trap;
use xxhash_rust::xxh3::xxh3_64;

use crate::host::HostKey;
use crate::url::CanonicalUrl;
use crate::url_normalizer::{UrlNormalizer, parameter_key};

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
/// Pages that differed in one parameter only and were useless, before it is found to change
/// nothing.
const SAME_MIN: u32 = 20;
/// Such a parameter may have made a difference once in so many times.
const SAME_PER_DIFFERENT: u32 = 20;
/// Digits of a number that may count pages.
const COUNTER_DIGITS_MAX: usize = 5;
/// Parameters of one URL that are looked at.
const PARAMETERS_SEEN_MAX: usize = 8;
/// Entries of each table, some 16 bytes each.
const ENTRIES_MAX: usize = 400_000;

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
#[derive(Debug, Default)]
pub(crate) struct Traps {
    parts: hashbrown::HashMap<u64, Part>,
    /// Whether the first page read under a URL less one parameter was useful.
    firsts: hashbrown::HashMap<u64, bool>,
    parameters: hashbrown::HashMap<u64, Parameter>,
    /// The parameters among them that change nothing.
    normalizer: UrlNormalizer,
    /// The page whose links are being admitted.
    reader: Option<Reader>,
}

/// What pages of one numbered part gave.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    useful: u32,
    useless: u32,
    bred: u32,
}

/// What a parameter of a host changed.
#[derive(Debug, Clone, Copy, Default)]
struct Parameter {
    same: u32,
    different: u32,
    /// Some value is no small number.
    no_counter: bool,
    /// Its first value, and whether there were others.
    value: Option<u64>,
    varies: bool,
}

/// A page that was judged and is not noted yet: what the rules will know of it when it is. Its
/// links are asked about with it in mind.
#[derive(Debug, Clone, Default)]
pub(crate) struct JudgedPage {
    /// The numbered part that the page belongs to, with the page and its links counted.
    part: Option<(u64, Part)>,
    /// The keys under which the page will be noted as read.
    read_as: Vec<u64>,
    useless: bool,
}

#[derive(Debug, Clone, Copy)]
struct Reader {
    part: Option<u64>,
    /// Its record's number.
    seq: u64,
    useless: bool,
}

impl Traps {
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
        if self.repeats_a_page(host, &shape, &page.read_as) {
            return Err(Trap::SameContent);
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
        let has_room = |part: &u64| self.parts.len() < ENTRIES_MAX || self.parts.contains_key(part);
        let part = shape.part(host).map(|(part, _)| part).filter(has_room);
        let part = part.map(|part| {
            let mut seen = self.parts.get(&part).copied().unwrap_or_default();
            seen.count(useless);
            (part, seen)
        });
        JudgedPage {
            part,
            read_as: self.keys_of(host, &shape),
            useless,
        }
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

    /// What has been learnt of parameters that change nothing.
    pub(crate) fn url_normalizer(&self) -> &UrlNormalizer {
        &self.normalizer
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
        if let Some(seen) = part.and_then(|part| entry(&mut self.parts, part)) {
            seen.count(!useful);
        }
        self.observe_parameters(host, &shape, page_yield);
    }

    fn observe_parameters(&mut self, host: &HostKey, shape: &Shape<'_>, page_yield: PageYield) {
        let keys = self.keys_of(host, shape);
        for (name, value) in shape.parameters().take(PARAMETERS_SEEN_MAX) {
            let [without, first] = shape.firsts(host, name);
            let was_useful = [without, first].map(|key| self.firsts.get(&key).copied());
            let first_was_useful = was_useful.into_iter().flatten().reduce(|a, b| a | b);
            self.count_parameter(parameter_key(host, name), |seen| {
                seen.see(value);
                match (first_was_useful, page_yield) {
                    (Some(true), PageYield::Content) => {
                        seen.different = seen.different.saturating_add(1);
                    }
                    (Some(true), PageYield::Nothing) => seen.same = seen.same.saturating_add(1),
                    (Some(true), PageYield::LinksOnly) | (Some(false) | None, _) => {}
                }
            });
        }
        for key in keys {
            if let Some(first) = entry(&mut self.firsts, key) {
                *first |= page_yield == PageYield::Content;
            }
        }
    }

    /// The keys under which a page is noted as read: whole, without what changes nothing, and
    /// without each of its parameters.
    fn keys_of(&self, host: &HostKey, shape: &Shape<'_>) -> Vec<u64> {
        let own = shape.without(host, |_| false);
        let bare = shape.without(host, |name| self.normalizer.ignores(host, name));
        let names = shape.parameters().take(PARAMETERS_SEEN_MAX);
        let firsts = names.map(|(name, _)| shape.firsts(host, name)[1]);
        [own, bare].into_iter().chain(firsts).collect()
    }

    /// Notes that a page repeats a page of another host, before the page itself is noted. Where the
    /// URLs differ in one parameter alone, it changed nothing on either host once more. Pages of a
    /// mirror are seldom the first of their kind, so its parameters are hardly found otherwise.
    pub(crate) fn observe_copy(&mut self, copy: &CanonicalUrl, original: &CanonicalUrl) {
        if copy.host() == original.host() {
            return;
        }
        if let Some(differing) = copy.differs_in(original) {
            for url in [copy, original] {
                let values = url.parameters().filter(|(name, _)| *name == differing);
                for (name, value) in values.take(1) {
                    self.count_parameter(parameter_key(&url.host(), name), |seen| {
                        seen.see(value);
                        seen.same = seen.same.saturating_add(1);
                    });
                }
            }
        } else {
            // A mirror's lists by number: each repeats the one of its own number.
            let (host, shape) = (copy.host(), Shape::of(copy));
            for (name, _) in shape.parameters().take(PARAMETERS_SEEN_MAX) {
                let firsts = shape.firsts(&host, name);
                let key = parameter_key(&host, name);
                if firsts.iter().any(|first| self.firsts.contains_key(first))
                    && self.parameters.contains_key(&key)
                {
                    self.count_parameter(key, |seen| {
                        seen.different = seen.different.saturating_add(1);
                    });
                }
            }
        }
    }

    /// Counts what was seen of a parameter, and notes when that decides whether it changes nothing.
    fn count_parameter(&mut self, key: u64, count: impl FnOnce(&mut Parameter)) {
        let Some(seen) = entry(&mut self.parameters, key) else {
            return;
        };
        let before = seen.changes_nothing();
        count(seen);
        let after = seen.changes_nothing();
        if after != before {
            self.normalizer.set(key, after);
        }
    }

    /// Whether the page was read already under a URL that differs in nothing that matters.
    /// `read_as` are keys of a page that is not noted yet.
    fn repeats_a_page(&self, host: &HostKey, shape: &Shape<'_>, read_as: &[u64]) -> bool {
        if self.parameters.is_empty() || shape.query.is_empty() {
            return false;
        }
        let without = |name: &str| self.normalizer.ignores(host, name);
        let names = shape.parameters().map(|(name, _)| name);
        let mut idle = names.filter(|name| without(name)).peekable();
        if idle.peek().is_none() {
            return false;
        }
        let normalized = shape.without(host, without);
        let was_read = |key| self.firsts.contains_key(&key) || read_as.contains(&key);
        was_read(normalized) || idle.any(|name| was_read(less(normalized, name)))
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

impl Parameter {
    fn see(&mut self, value: &str) {
        let is_counter =
            value.len() <= COUNTER_DIGITS_MAX && value.bytes().all(|byte| byte.is_ascii_digit());
        self.no_counter |= !is_counter;
        let hash = xxh3_64(value.as_bytes());
        self.varies |= self.value.is_some_and(|first| first != hash);
        self.value.get_or_insert(hash);
    }

    fn changes_nothing(&self) -> bool {
        // One value of a small number is a switch (`print=1`), several may count pages.
        (self.no_counter || !self.varies)
            && self.same >= SAME_MIN
            && self.different.saturating_mul(SAME_PER_DIFFERENT) <= self.same
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

    /// The key of the URL less one parameter, and the key under which it is noted that it was read
    /// with this parameter: `list?page=2` does not stand for `list`, but `list?page=1` is compared
    /// with it.
    fn firsts(&self, host: &HostKey, parameter: &str) -> [u64; 2] {
        let without = self.without(host, |other| other == parameter);
        [without, less(without, parameter)]
    }

    /// A hash of host, path and the parameters that are not left out.
    fn without(&self, host: &HostKey, leave_out: impl Fn(&str) -> bool) -> u64 {
        let mut text = [host.as_str(), self.path].concat();
        for (name, value) in self.parameters().filter(|(name, _)| !leave_out(name)) {
            text.extend(["&", name, "=", value]);
        }
        xxh3_64(text.as_bytes())
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

/// The key of a page that was read with one parameter more than the URL whose key is `without`.
fn less(without: u64, parameter: &str) -> u64 {
    without.wrapping_add(xxh3_64(parameter.as_bytes()))
}

fn entry<V: Default>(table: &mut hashbrown::HashMap<u64, V>, key: u64) -> Option<&mut V> {
    if table.len() >= ENTRIES_MAX && !table.contains_key(&key) {
        return None;
    }
    Some(table.entry(key).or_default())
}

#[cfg(test)]
mod tests;
