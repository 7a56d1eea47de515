//! Answers without a page: which of them count for its being gone, and which are answers of its whole host.
//!
//! An outage, a login, a notice, a robot check stand at all URLs of a host, so an answer without the page says
//! something of the page only where a *witness* speaks for its host: another kept page of it that answered as
//! itself, in the same round or within the time between two answers that count. A front page is a witness only
//! where no other page is kept, since it is what stays when everything below is broken. A page that is alone on
//! its host goes by its own answers of 404 and 410. Where a host has no witness for longer than the longest time
//! between two visits, no more is asked for.
//!
//! A redirect says as much as its target, once that was found so for as long as a page takes to be gone:
//!
//! | target | what follows |
//! |---|---|
//! | missing itself (404, 410, reads like an error page, gone) | as if the page had answered so |
//! | asks to be left out | the same, where no other page points there, under its own name or for good |
//! | a front page | the same, where that answers as itself |
//! | another page | nothing; where no other page points there, it is for good once it has stayed for as many answers as make a page gone |
//! | anything else, a login, what has the page's own URL in its query | nothing |
//!
//! Held are pages whose last answer was none, and what URLs without a page have answered.

use std::collections::{HashMap, HashSet};

use again::clock::passed_ms;
use again::{Absence, GoneRule};
use archive::{AbsenceRecord, DueRecord, PageRecord, Record, VisitRecord};
use outcome::{Change, JunkReason};
use serde::{Deserialize, Serialize};
use state::site_move;

use super::super::known::{Known, Was, hash_of, host_of};
use super::History;
use crate::config::AgainSection;

/// A page that has changed is still itself where it has so much of its words in common with what it was: more
/// than with any other page. A notice in its place has next to none.
const ITSELF_MIN: f32 = 0.5;

/// What is known of absent pages, and of who could tell.
#[derive(Debug, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Absences {
    /// By the hashes of their URLs.
    #[serde(with = "state::saved::pairs")]
    pages: HashMap<u64, Absent>,
    /// When pages of a host answered as themselves last, by its number.
    #[serde(with = "state::saved::pairs")]
    witnesses: HashMap<u32, Witnesses>,
    /// Front pages, as hashes of their URLs.
    #[serde(with = "state::saved::hashes")]
    fronts: HashSet<u64>,
    /// What URLs have answered that have no page for the index, by hashes.
    #[serde(with = "state::saved::pairs")]
    ends: HashMap<u64, Ended>,
    /// Of pages that point there the version that did last, by the hashes of where they point.
    #[serde(with = "state::saved::pairs")]
    leads: HashMap<u64, u64>,
}

/// Why a URL has no page for the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum End {
    /// 404, 410, or a page that reads like an error page.
    Missing,
    /// `noindex`.
    LeftOut,
}

/// A URL that has no page for the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Ended {
    end: End,
    /// When it was found so first and last.
    first_ms: u64,
    last_ms: u64,
    /// It says so itself: 410.
    for_good: bool,
}

impl Ended {
    /// Whether it was found so for as long as it takes for a page to be gone. One answer may be of the hour in
    /// which a site moves.
    fn is_settled(&self, rule: GoneRule) -> bool {
        let least = rule
            .apart_ms
            .saturating_mul(u64::from(rule.answers.max(1) - 1));
        self.for_good || self.last_ms.saturating_sub(self.first_ms) >= least
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Witnesses {
    front: Seen,
    other: Seen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Seen {
    round: u32,
    at_ms: u64,
}

/// A page whose last answer was none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Absent {
    /// What counts.
    counted: Absence,
    /// The same with the last answer, of which it is open whether it counts, and when that was.
    with_last: Option<(Absence, Seen)>,
    /// When the first of these answers was given, also of those that did not count.
    since_ms: u64,
    host: u32,
    how: How,
}

/// How a page is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum How {
    /// 404 or 410.
    Missing,
    /// Something else stands in its place.
    Other,
    Points(Redirect),
}

/// Where a page points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Redirect {
    /// Hash of the URL.
    to: u64,
    host: u32,
    /// By 301 or 308.
    for_good: bool,
    /// To a page of the same name.
    keeps_name: bool,
    /// It leads by way of a login or a check.
    is_detour: bool,
}

/// What is to be seen at a redirect's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Missing,
    LeftOut,
    Front,
    Page,
    Unclear,
}

/// Kept pages of a host.
#[derive(Debug, Clone, Copy, Default)]
struct KeptOfHost {
    fronts: u32,
    others: u32,
}

/// What absent pages come to when a plan is made.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// What counts, by the hashes of the pages' URLs.
    counted: HashMap<u64, AbsenceRecord>,
    /// Pages that the next answer of the kind makes gone.
    settled: HashSet<u64>,
    /// Kept pages that point elsewhere by redirects that are not for good, to where nothing else points.
    pub(super) temporary: Vec<Temporary>,
}

/// A redirect that is not for good, by the hashes of its URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Temporary {
    pub(super) url: u64,
    pub(super) to: u64,
    /// It was there for as many answers as make a page gone.
    pub(super) has_stayed: bool,
}

impl Judged {
    /// What counts for a page's being gone.
    pub(super) fn absence(&self, url: u64) -> AbsenceRecord {
        self.counted.get(&url).copied().unwrap_or_default()
    }

    /// Whether the next answer without the page makes it gone.
    pub(super) fn is_settled(&self, url: u64) -> bool {
        self.settled.contains(&url)
    }
}

impl Absences {
    /// URLs of which something is held.
    pub(super) fn len(&self) -> usize {
        self.pages.len() + self.ends.len()
    }

    /// A URL was read for the first time.
    pub(super) fn read(&mut self, url: u64, page: &PageRecord, at_ms: u64) {
        self.pages.remove(&url);
        self.end_of(url, page, at_ms);
        // What stands between leads on.
        let next = page.links.first().filter(|_| page.page.is_none());
        if let (Some(by), Some(next)) = (self.leads_to(url), next) {
            self.leads.insert(hash_of(&next.url), by);
        }
        if is_front(&page.url) {
            self.fronts.insert(url);
        }
    }

    fn end_of(&mut self, url: u64, page: &PageRecord, at_ms: u64) {
        let reason = page.outcome.junk();
        let is_missing = reason.is_some() && matches!(page.status(), 404 | 410);
        let end = if is_missing || reason == Some(&JunkReason::SoftNotFound) {
            Some(End::Missing)
        } else {
            (reason == Some(&JunkReason::NoIndex)).then_some(End::LeftOut)
        };
        match end {
            Some(end) => {
                let before = self.ends.get(&url).filter(|before| before.end == end);
                let ended = Ended {
                    end,
                    first_ms: before.map_or(at_ms, |before| before.first_ms),
                    last_ms: at_ms,
                    for_good: page.status() == 410,
                };
                self.ends.insert(url, ended);
            }
            None => drop(self.ends.remove(&url)),
        }
    }

    /// The version of a page that points to a URL, if any did.
    pub(super) fn leads_to(&self, url: u64) -> Option<u64> {
        self.leads.get(&url).copied()
    }

    /// A visit is planned by what counts.
    pub(super) fn plan(&mut self, url: u64, due: &DueRecord) {
        if let Some(absent) = self.pages.get_mut(&url) {
            let AbsenceRecord {
                answers,
                last_ms,
                gone,
                ..
            } = due.absence;
            absent.counted = Absence::resume(answers, last_ms, gone);
            absent.with_last = None;
        }
    }

    /// A kept page answered as itself.
    fn note_witness(&mut self, host: u32, url: u64, seen: Seen) {
        let witnesses = self.witnesses.entry(host).or_default();
        match self.fronts.contains(&url) {
            true => witnesses.front = seen,
            false => witnesses.other = seen,
        }
    }

    /// Whether a page of a host answered as itself when this was seen, or not long before, or since.
    fn has_witness(&self, host: u32, by_front: bool, seen: Seen, rule: GoneRule) -> bool {
        let witnesses = self.witnesses.get(&host).copied().unwrap_or_default();
        let witness = match by_front {
            true => witnesses.front,
            false => witnesses.other,
        };
        let is_near = || witness.at_ms.saturating_add(rule.apart_ms) > seen.at_ms;
        witness.round > 0 && (witness.round >= seen.round || is_near())
    }
}

impl History {
    /// Takes in what a visit says of the absence of its page, and of others'.
    pub(super) fn see_absence(&mut self, record: &Record, visit: &VisitRecord) {
        let url = hash_of(&visit.url);
        let seen = Seen {
            round: visit.round,
            at_ms: record.at_ms,
        };
        let host = self.host_number(&visit.host);
        if visit.was.is_indexed() && is_itself(visit) {
            self.absent.note_witness(host, url, seen);
        }
        let is_as_before = matches!(visit.change, Change::Unchanged | Change::Touched)
            || visit.reason.as_deref() == Some(JunkReason::SoftNotFound.name());
        if let Some(page) = visit.version() {
            self.absent.end_of(url, page, record.at_ms);
        } else if let Some(ended) = self.absent.ends.get_mut(&url).filter(|_| is_as_before) {
            ended.last_ms = record.at_ms;
        }
        if let Some(target) = visit.target().filter(|_| visit.change == Change::Moved) {
            // It is looked at again for as long as the page points there.
            let target = hash_of(target);
            self.absent.leads.insert(target, visit.of);
            self.note_link(visit.of, target);
        }
        let AbsenceRecord {
            answers,
            last_ms,
            gone,
            ..
        } = visit.absence;
        let absence = Absence::resume(answers, last_ms, gone);
        if visit.absence.is_none() {
            // An answer that says nothing does not end a row of others.
            if visit.change != Change::Unclear {
                self.absent.pages.remove(&url);
            }
            return;
        }
        let how = self.how(visit);
        let fresh = Absent {
            counted: Absence::default(),
            with_last: None,
            since_ms: record.at_ms,
            host,
            how,
        };
        let absent = self.absent.pages.entry(url).or_insert(fresh);
        if gone {
            (absent.counted, absent.with_last) = (absence, None);
        } else if absence != absent.counted {
            if absent.points_to() != fresh.points_to() {
                *absent = fresh;
            }
            (absent.with_last, absent.how) = (Some((absence, seen)), how);
        }
    }

    fn how(&mut self, visit: &VisitRecord) -> How {
        match visit.target().filter(|_| visit.change == Change::Moved) {
            Some(target) => How::Points(Redirect {
                to: hash_of(target),
                host: self.host_number(&host_of(target)),
                for_good: visit.is_moved_for_good(),
                keeps_name: site_move::has_its_name(&visit.url, target),
                is_detour: site_move::is_detour(&visit.url, target),
            }),
            None => match visit.fetch.as_ref().map_or(0, |fetch| fetch.status) {
                404 | 410 => How::Missing,
                _ => How::Other,
            },
        }
    }

    /// What absent pages come to by now.
    pub(super) fn judge_absent(&self, settings: &AgainSection) -> Judged {
        let rule = settings.gone_rule();
        let mut judged = Judged::default();
        if self.absent.pages.is_empty() {
            return judged;
        }
        let kept = self.kept_of_hosts();
        let mut pointing: HashMap<u64, u32> = HashMap::new();
        for to in self.absent.pages.values().filter_map(Absent::points_to) {
            *pointing.entry(to).or_default() += 1;
        }
        for (url, absent) in &self.absent.pages {
            let is_sole = absent.points_to().is_some_and(|to| pointing[&to] == 1);
            let counts = absent.with_last.filter(|(_, seen)| {
                let is_front = self.absent.fronts.contains(url);
                let of_host = kept.get(&absent.host).copied().unwrap_or_default();
                let others = of_host.without(is_front);
                self.counts(absent, *seen, is_sole, others, settings)
            });
            let mut absence = counts.map_or(absent.counted, |(absence, _)| absence);
            let is_settled = absence.is_settled(rule);
            match absent.how {
                How::Points(redirect) if !self.is_end(&redirect, is_sole, rule) => {
                    // Its target is a page: it does not go, but it may give its place up.
                    if is_sole && !redirect.for_good && !redirect.is_detour {
                        judged.temporary.push(Temporary {
                            url: *url,
                            to: redirect.to,
                            has_stayed: is_settled,
                        });
                    }
                    let less = rule.answers.max(1) - 1;
                    let less = absence.answers().min(less);
                    absence = Absence::resume(less, absence.last_ms(), absence.is_gone());
                }
                How::Points(_) | How::Missing | How::Other if is_settled => {
                    judged.settled.insert(*url);
                }
                How::Points(_) | How::Missing | How::Other => {}
            }
            let record = absent.record(absence);
            judged.counted.insert(*url, record);
        }
        judged.temporary.sort_unstable();
        judged
    }

    /// Whether an answer without a page counts.
    fn counts(
        &self,
        absent: &Absent,
        seen: Seen,
        is_sole: bool,
        others: KeptOfHost,
        settings: &AgainSection,
    ) -> bool {
        let rule = settings.gone_rule();
        let lasts = || {
            let passed = passed_ms(absent.since_ms, seen.at_ms);
            passed.is_some_and(|passed| u128::from(passed) >= settings.max.0.as_millis())
        };
        let witness = |host, by_front| self.absent.has_witness(host, by_front, seen, rule);
        let by_own = witness(absent.host, others.others == 0);
        let redirect = match absent.how {
            How::Missing if others.others + others.fronts == 0 => return true,
            How::Missing | How::Other => return by_own || lasts(),
            How::Points(redirect) => redirect,
        };
        let by_target = witness(redirect.host, false);
        match self.target_of(redirect.to) {
            Target::Missing => by_own || by_target || lasts(),
            Target::LeftOut => is_sole && redirect.is_plain() && by_target,
            Target::Front => {
                witness(absent.host, false) && self.is_front_itself(&redirect, seen, rule)
            }
            Target::Page => is_sole && !redirect.for_good && !redirect.is_detour,
            Target::Unclear => false,
        }
    }

    /// Whether the target of a redirect makes the page gone that points there.
    fn is_end(&self, redirect: &Redirect, is_sole: bool, rule: GoneRule) -> bool {
        let ended = self.absent.ends.get(&self.end_of(redirect.to));
        let is_settled = ended.is_none_or(|ended| ended.is_settled(rule));
        match self.target_of(redirect.to) {
            Target::Front => true,
            Target::Missing => is_settled,
            Target::LeftOut => is_settled && is_sole && redirect.is_plain(),
            Target::Page | Target::Unclear => false,
        }
    }

    /// Whether a front page answers as itself; one that is not kept, or of another host, says nothing against it.
    fn is_front_itself(&self, redirect: &Redirect, seen: Seen, rule: GoneRule) -> bool {
        let at = self.urls.get(&redirect.to);
        let known = at.and_then(|at| self.known.get(*at as usize));
        let is_kept = known.is_some_and(|known| known.was == Was::Kept);
        !is_kept || self.absent.has_witness(redirect.host, true, seen, rule)
    }

    fn target_of(&self, to: u64) -> Target {
        let end = self.end_of(to);
        let is_front = self.absent.fronts.contains(&to) || self.absent.fronts.contains(&end);
        let known = self.urls.get(&end);
        let known = known.and_then(|at| self.known.get(*at as usize));
        let by_end = match self.absent.ends.get(&end).map(|ended| ended.end) {
            Some(End::Missing) => Target::Missing,
            Some(End::LeftOut) => Target::LeftOut,
            None => Target::Unclear,
        };
        match known.map(|known| (known.was, known.is_gone)) {
            Some((Was::Kept | Was::Copy | Was::Other, true)) => Target::Missing,
            Some((Was::Other, false)) | None if by_end != Target::Unclear => by_end,
            Some((Was::Kept | Was::Copy | Was::Other, false)) | None if is_front => Target::Front,
            Some((Was::Kept | Was::Copy, false)) => Target::Page,
            Some((Was::Other, false)) | None => Target::Unclear,
        }
    }

    fn kept_of_hosts(&self) -> HashMap<u32, KeptOfHost> {
        let mut hosts: HashMap<u32, KeptOfHost> = HashMap::new();
        let is_kept = |known: &&Known| !known.is_void && !known.is_gone && known.was == Was::Kept;
        for known in self.known.iter().filter(is_kept) {
            let of_host = hosts.entry(known.place.host).or_default();
            match self.absent.fronts.contains(&known.url) {
                true => of_host.fronts += 1,
                false => of_host.others += 1,
            }
        }
        hosts
    }
}

impl Absent {
    fn points_to(&self) -> Option<u64> {
        match self.how {
            How::Points(redirect) => Some(redirect.to),
            How::Missing | How::Other => None,
        }
    }

    fn record(&self, absence: Absence) -> AbsenceRecord {
        let is_noted = absence != Absence::default();
        AbsenceRecord {
            answers: absence.answers(),
            last_ms: absence.last_ms(),
            gone: absence.is_gone(),
            at: self.points_to().filter(|_| is_noted).unwrap_or(0),
        }
    }
}

impl Redirect {
    /// Whether it is the page that has moved there.
    fn is_plain(&self) -> bool {
        !self.is_detour && (self.for_good || self.keeps_name)
    }
}

impl KeptOfHost {
    /// Those beside one of them.
    fn without(self, is_front: bool) -> Self {
        match is_front {
            true => Self {
                fronts: self.fronts.saturating_sub(1),
                ..self
            },
            false => Self {
                others: self.others.saturating_sub(1),
                ..self
            },
        }
    }
}

/// Whether a page is itself by a visit.
fn is_itself(visit: &VisitRecord) -> bool {
    match visit.change {
        Change::Unchanged | Change::Touched => true,
        Change::Changed => visit.similarity.is_some_and(|share| share >= ITSELF_MIN),
        Change::New
        | Change::Moved
        | Change::Gone
        | Change::Back
        | Change::Unclear
        | Change::Unknown(_) => false,
    }
}

/// Whether a canonical URL is of a front page.
fn is_front(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').is_none_or(|at| rest.len() == at + 1)
}
