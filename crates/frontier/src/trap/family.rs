//! Numbered parts that lead to each other, and what they gave together.
//!
//! A useless page that leads to a new URL of another numbered part may have led to something, or to more of
//! the same: that depends on what this part gives. So it is noted where it led, and asked later. The *family*
//! of a part are the parts that it leads to, or that lead to it, by one or several steps, as far as each of
//! them gave next to nothing: of ten pages of each that were read, where each leads to the other by some way,
//! else of sixty. The last so many are enough, since the first pages of a host have its menu in their texts; all
//! that they gave counts for the family.
//!
//! ```text
//!   day ⇄ month → list        one family: what leads from one to the other led nowhere
//!   day → article             articles have content, or few were read so far: the day was of use
//! ```

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::part::{Dates, Numbered};
use super::{PageWorth, PageYield};

/// Parts that pages of one part led to; a page that leads to others as well is of use.
const TOWARD_MAX: usize = 8;
/// Parts of a family that are looked at.
const FAMILY_MAX: usize = 24;
/// Pages of two parts that lead to each other that were read before they may belong together.
const READ_MIN: u32 = 10;
/// The same where one alone leads to the other. Of sixty pages less than one in twenty is of use then, with a
/// confidence of 95 %.
const READ_MIN_ONE_WAY: u32 = 60;
/// Such a part has given next to nothing: not one page in so many.
const USELESS_PER_USEFUL: u32 = 20;
/// Bare texts of a part that are remembered, those met last.
const TEXTS_MAX: usize = 4;

/// What pages of one numbered part gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    useful: u32,
    useless: u32,
    /// Useless pages that led to other numbered parts, and to nothing else.
    passing: u32,
    toward: Vec<Toward>,
    /// Parts whose pages led here.
    from: Vec<u64>,
    /// New URLs of its own that useless pages linked to.
    bred: u32,
    /// Pages read since the last of use.
    idle: u32,
    /// New numbered URLs that these linked to, and the other parts of those.
    idle_bred: u32,
    idle_toward: Vec<u64>,
    /// Pages read after these since it was left, of which none was of use.
    probes: u32,
    /// The most such pages before one of use.
    longest_idle: u32,
    dates: Dates,
    /// Bare texts of its pages that were kept, and whether several had each.
    texts: Vec<(u64, bool)>,
}

/// Where passing pages of a part led.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Toward {
    part: u64,
    pages: u32,
    /// New URLs that they linked to.
    links: u32,
}

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// A URL that nobody knew.
    New,
    /// One that was known, and that no page of the part had led to.
    First,
    /// One that pages of the part had led to.
    None,
}

/// What the links of a page have said of it so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PartLinks {
    /// It gave nothing itself: its links matter.
    is_asked: bool,
    /// It is useless, and led to nothing but numbered parts.
    useless: bool,
    /// It is the first of its part that gave nothing: what it has in common with all is not known.
    is_first: bool,
    /// Those that it led to beside its own.
    toward: Vec<u64>,
}

/// What the parts of a family gave together.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sums {
    useful: u32,
    useless: u32,
    bred: u32,
    /// Of the pages since the last of use of each, as far as they led to the family alone.
    idle: u32,
    idle_bred: u32,
    probes: u32,
    longest_idle: u32,
}

/// After how many useless pages a part has no end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) useless_min: u32,
    /// Not even one page in so many was of use.
    pub(super) per_useful: u32,
    /// Useless pages since the last of use.
    pub(super) idle_min: u32,
}

/// How a part has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endless {
    /// It gave next to nothing.
    FromTheFirst,
    /// It gave something, and nothing of late: with how many pages that were read since that was found.
    OfLate {
        /// Pages read since that was found.
        probes: u32,
    },
}

impl PartLinks {
    /// A page without a link so far.
    pub(super) fn of(useless: bool) -> Self {
        Self {
            is_asked: useless,
            useless,
            is_first: false,
            toward: Vec::new(),
        }
    }

    /// The parts that it led to, where it led to nothing else.
    pub(super) fn toward(&self) -> &[u64] {
        &self.toward
    }

    /// Whether further links matter.
    pub(super) fn count(&self) -> bool {
        self.is_asked
    }
}

impl Part {
    /// Takes in a page that was read; `is_left` says that the part is endless of late. A page that `says_nothing` of
    /// the part is none of its own.
    pub(super) fn take_in(
        &mut self,
        url: &Numbered,
        worth: PageWorth,
        (says_nothing, is_left): (bool, bool),
    ) -> PartLinks {
        self.dates.note(url.beside_date);
        if says_nothing {
            return PartLinks::of(false);
        }
        let idle = self.idle;
        let links = self.count(worth);
        if is_left && self.idle > idle {
            (self.idle, self.probes) = (idle, self.probes.saturating_add(1));
        }
        links
    }

    /// Whether the URLs of all its pages go as dates do.
    pub(super) fn goes_as_dates_do(&self) -> bool {
        self.dates.are_all()
    }

    /// Counts a page that was read; its links are to follow.
    pub(super) fn count(&mut self, worth: PageWorth) -> PartLinks {
        let repeats = worth.bare.is_some_and(|bare| self.repeats(bare));
        let useless = worth.page_yield != PageYield::Content || repeats;
        let is_first = useless && self.useless + self.passing == u32::from(repeats);
        let count = if useless {
            &mut self.useless
        } else {
            &mut self.useful
        };
        *count = count.saturating_add(1);
        match useless {
            true => self.idle = self.idle.saturating_add(1),
            false => self.end_idle(self.waited()),
        }
        PartLinks {
            is_first,
            ..PartLinks::of(useless)
        }
    }

    /// Pages read since the last of use.
    fn waited(&self) -> u32 {
        self.idle.saturating_add(self.probes)
    }

    /// A page of use came after so many that were none.
    fn end_idle(&mut self, pages: u32) {
        self.longest_idle = self.longest_idle.max(pages);
        (self.idle, self.idle_bred, self.probes) = (0, 0, 0);
        self.idle_toward.clear();
    }

    /// Notes a bare text; whether a page had it. Then that page said nothing either, and led to its like.
    fn repeats(&mut self, bare: u64) -> bool {
        if let Some((_, is_repeated)) = self.texts.iter_mut().find(|(text, _)| *text == bare) {
            if !std::mem::replace(is_repeated, true) {
                self.useful = self.useful.saturating_sub(1);
                self.useless = self.useless.saturating_add(1);
                self.bred = self.bred.saturating_add(1);
            }
            return true;
        }
        if self.texts.len() >= TEXTS_MAX {
            self.texts.remove(0);
        }
        self.texts.push((bare, false));
        false
    }

    /// A useless page of this part, `own`, links to a URL, of the numbered part `to` if it is of any.
    pub(super) fn count_link(
        &mut self,
        own: u64,
        to: Option<u64>,
        links: &mut PartLinks,
        news: News,
    ) {
        let is_known = match news {
            News::New => false,
            News::First => links.is_first,
            News::None => true,
        };
        if is_known || !links.useless {
            return;
        }
        let bred = u32::from(to.is_some() && news == News::New);
        self.idle_bred = self.idle_bred.saturating_add(bred);
        let other = to.filter(|to| *to != own && !self.idle_toward.contains(to));
        self.idle_toward.extend(other);
        match to {
            Some(to) if to == own => self.bred = self.bred.saturating_add(bred),
            Some(to) if self.note_toward(to, !links.toward.contains(&to), news) => {
                if links.toward.is_empty() {
                    self.useless = self.useless.saturating_sub(1);
                    self.passing = self.passing.saturating_add(1);
                }
                if !links.toward.contains(&to) {
                    links.toward.push(to);
                }
            }
            Some(_) | None => self.led_elsewhere(links),
        }
    }

    /// It led elsewhere: it was of use after all.
    fn led_elsewhere(&mut self, links: &mut PartLinks) {
        links.useless = false;
        self.end_idle(self.waited().saturating_sub(1));
        let count = match links.toward.is_empty() {
            true => &mut self.useless,
            false => &mut self.passing,
        };
        *count = count.saturating_sub(1);
        self.useful = self.useful.saturating_add(1);
        for to in links.toward.drain(..) {
            if let Some(toward) = self.toward.iter_mut().find(|toward| toward.part == to) {
                toward.pages = toward.pages.saturating_sub(1);
            }
        }
    }

    /// Notes that a page led to a part, for the first time or once more; false where there is no room for
    /// one more part.
    fn note_toward(&mut self, to: u64, is_first: bool, news: News) -> bool {
        if self.toward.iter().all(|toward| toward.part != to) {
            self.toward.retain(|toward| toward.pages > 0);
            if self.toward.len() >= TOWARD_MAX {
                return false;
            }
            self.toward.push(Toward {
                part: to,
                pages: 0,
                links: 0,
            });
        }
        if let Some(toward) = self.toward.iter_mut().find(|toward| toward.part == to) {
            toward.pages = toward.pages.saturating_add(u32::from(is_first));
            toward.links = toward.links.saturating_add(u32::from(news == News::New));
        }
        true
    }

    /// Notes that pages of another part lead here.
    pub(super) fn note_from(&mut self, part: u64) {
        if self.from.len() < TOWARD_MAX && !self.from.contains(&part) {
            self.from.push(part);
        }
    }

    fn leads_to(&self) -> impl Iterator<Item = &Toward> {
        self.toward.iter().filter(|toward| toward.pages > 0)
    }

    fn gave_nothing(&self, read_min: u32) -> bool {
        let useless = self.useless.saturating_add(self.passing);
        let is_rare = self.useful.saturating_mul(USELESS_PER_USEFUL) <= useless;
        self.idle >= read_min || useless >= read_min && is_rare
    }
}

/// What the family of a part gave; `last` is a part with those that its page of late led to, which is not
/// noted there yet.
pub(super) fn of<'p>(
    part: u64,
    seen: impl Fn(u64) -> Option<&'p Part>,
    last: Option<(u64, &[u64])>,
) -> Sums {
    let members = members(part, &seen, last);
    let mut sums = Sums::default();
    for own in members.iter().filter_map(|member| seen(*member)) {
        // A page that led to two parts outside counts twice, as if two had been of use.
        let (mut inside, mut outside) = (0u32, 0u32);
        for toward in own.leads_to() {
            match members.contains(&toward.part) {
                true => inside = inside.saturating_add(toward.links),
                false => outside = outside.saturating_add(toward.pages),
            }
        }
        let passing = own.passing.saturating_sub(outside);
        sums.useless = sums
            .useless
            .saturating_add(own.useless)
            .saturating_add(passing);
        sums.useful = sums
            .useful
            .saturating_add(own.useful)
            .saturating_add(outside);
        sums.bred = sums.bred.saturating_add(own.bred).saturating_add(inside);
        if own.idle_toward.iter().all(|part| members.contains(part)) {
            sums.idle = sums.idle.saturating_add(own.idle);
            sums.idle_bred = sums.idle_bred.saturating_add(own.idle_bred);
            sums.probes = sums.probes.saturating_add(own.probes);
        }
        sums.longest_idle = sums.longest_idle.saturating_add(own.longest_idle);
    }
    sums
}

/// The parts of a part's family, itself among them.
fn members<'p>(
    part: u64,
    seen: &impl Fn(u64) -> Option<&'p Part>,
    last: Option<(u64, &[u64])>,
) -> BTreeSet<u64> {
    let toward = |own: &Part, _: u64| own.leads_to().map(|toward| toward.part).collect();
    let from = |own: &Part, at: u64| {
        let late = last.filter(|(_, toward)| toward.contains(&at));
        let late = late.map(|(from, _)| from);
        own.from.iter().copied().chain(late).collect()
    };
    let either = |own: &Part, at: u64| -> Vec<u64> {
        let toward: Vec<u64> = toward(own, at);
        let from: Vec<u64> = from(own, at);
        [toward, from].concat()
    };
    let start = BTreeSet::from([part]);
    let reached = closure(&start, READ_MIN, seen, toward);
    let mutual = match reached.len() {
        1 => start,
        _ => &reached & &closure(&start, READ_MIN, seen, from),
    };
    closure(&mutual, READ_MIN_ONE_WAY, seen, either)
}

/// Parts, and those that are next to them by one or several steps, as far as each gave next to nothing.
fn closure<'p>(
    parts: &BTreeSet<u64>,
    read_min: u32,
    seen: &impl Fn(u64) -> Option<&'p Part>,
    next: impl Fn(&Part, u64) -> Vec<u64>,
) -> BTreeSet<u64> {
    let mut reached = parts.clone();
    let mut open: Vec<u64> = parts.iter().copied().collect();
    while let Some(at) = open.pop() {
        let Some(own) = seen(at).filter(|own| own.gave_nothing(read_min)) else {
            continue;
        };
        for other in next(own, at) {
            let gave_nothing = seen(other).is_some_and(|other| other.gave_nothing(read_min));
            if gave_nothing && reached.len() < FAMILY_MAX && reached.insert(other) {
                open.push(other);
            }
        }
    }
    reached
}

impl Sums {
    /// Whether so many useless pages bred ever more, with next to none of use among them; or those since the last of
    /// use did, which are more than any of use has come after, twice over, and more than were ever of use.
    pub(super) fn endless(&self, bounds: Bounds) -> Option<Endless> {
        let from_the_first = self.useless >= bounds.useless_min
            && self.bred >= self.useless
            && self.useful.saturating_mul(bounds.per_useful) <= self.useless;
        let worth_waiting = self.longest_idle.saturating_mul(2).max(self.useful);
        let of_late = self.idle >= bounds.idle_min.max(worth_waiting)
            && u64::from(self.idle_bred) * 20 >= u64::from(self.idle) * 19;
        match (from_the_first, of_late) {
            (true, _) => Some(Endless::FromTheFirst),
            (false, true) => Some(Endless::OfLate {
                probes: self.probes,
            }),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Parts by number, each with useless pages that led to others, and pages of use.
    fn parts(of: &[(u64, u32, &[u64], u32)]) -> BTreeMap<u64, Part> {
        let mut parts: BTreeMap<u64, Part> = BTreeMap::new();
        for &(own, useless, toward, useful) in of {
            for _ in 0..useless {
                let part = parts.entry(own).or_default();
                let mut links = part.count(PageYield::Nothing.into());
                for &to in toward {
                    part.count_link(own, Some(to), &mut links, News::New);
                }
                for to in links.toward() {
                    parts.entry(*to).or_default().note_from(own);
                }
            }
            for _ in 0..useful {
                parts
                    .entry(own)
                    .or_default()
                    .count(PageYield::Content.into());
            }
        }
        parts
    }

    #[track_caller]
    fn check(of: &[(u64, u32, &[u64], u32)], part: u64, useful: u32, useless: u32) {
        let parts = parts(of);
        let sums = super::of(part, |part| parts.get(&part), None);
        assert_eq!((sums.useful, sums.useless), (useful, useless), "{of:?}");
    }

    #[test]
    fn parts_that_lead_to_each_other_and_to_nothing_else_are_useless_together() {
        let (day, month, list) = (1, 2, 3);
        let views: &[(u64, u32, &[u64], u32)] = &[
            (day, 30, &[day, month], 0),
            (month, 20, &[day, list], 1),
            (list, 20, &[month], 0),
        ];
        for part in [day, month, list] {
            check(views, part, 1, 70);
        }
        // Whichever of them was read first has brought in the others.
        let views: &[(u64, u32, &[u64], u32)] = &[
            (day, 60, &[day, month, list], 0),
            (month, 60, &[], 1),
            (list, 60, &[], 0),
        ];
        for part in [day, month, list] {
            check(views, part, 1, 180);
        }
    }

    #[test]
    fn a_part_whose_last_pages_gave_nothing_belongs_to_the_family_with_what_it_gave_before() {
        let (day, month) = (1, 2);
        let mut read = parts(&[(day, 30, &[month], 0), (month, 0, &[], 3)]);
        let mut sums = Vec::new();
        for _ in 0..10 {
            let part = read.entry(month).or_default();
            let mut links = part.count(PageYield::Nothing.into());
            part.count_link(month, Some(day), &mut links, News::New);
            read.entry(day).or_default().note_from(month);
            sums.push(super::of(day, |part| read.get(&part), None));
        }
        let told = |sums: &Sums| (sums.useful, sums.useless);
        assert_eq!((told(&sums[8]), told(&sums[9])), ((30, 0), (3, 40)));
    }

    #[test]
    fn what_leads_to_a_part_that_may_give_something_is_of_use() {
        const DAY: u64 = 1;
        const ARTICLE: u64 = 2;
        check(&[(DAY, 90, &[DAY, ARTICLE], 0)], DAY, 90, 0);
        let mutual: &[(u64, u32, &[u64], u32)] =
            &[(DAY, 90, &[ARTICLE], 0), (ARTICLE, 15, &[DAY], 15)];
        check(mutual, DAY, 90, 0);
        check(mutual, ARTICLE, 30, 0);
        for (useless, useful, of_day) in [(59, 0, (90, 0)), (60, 4, (90, 0)), (60, 3, (3, 150))] {
            let one_way: &[(u64, u32, &[u64], u32)] =
                &[(DAY, 90, &[ARTICLE], 0), (ARTICLE, useless, &[], useful)];
            check(one_way, DAY, of_day.0, of_day.1);
            // Nor are articles refused for their days.
            let of_article = if of_day.1 > 0 {
                of_day
            } else {
                (useful, useless)
            };
            check(one_way, ARTICLE, of_article.0, of_article.1);
        }
    }

    #[test]
    fn a_page_that_leads_to_more_than_numbered_parts_is_of_use_once() {
        let mut part = Part::default();
        let mut links = part.count(PageYield::Nothing.into());
        for to in [Some(2), Some(1), None, None, Some(3)] {
            part.count_link(1, to, &mut links, News::New);
        }
        assert_eq!((part.useful, part.useless, part.passing), (1, 0, 0));
        assert_eq!(part.leads_to().count(), 0);
    }

    #[test]
    fn articles_without_a_common_form_are_more_than_there_is_room_for() {
        let many: Vec<u64> = (2..20).collect();
        check(&[(1, 30, &many, 0)], 1, 30, 0);
    }
}
