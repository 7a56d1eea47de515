//! Which URLs follow from what the journal tells of all visits.

use std::collections::{BTreeMap, HashMap, HashSet};

use again::clock::passed_ms;
use again::{Candidate, Priors, RoundLimits, Signals, Validators};
use archive::{AbsenceRecord, DueRecord, HeadReader};

use super::super::known::{Known, Source, Was};
use super::super::unread::{Fate, Unread};
use super::super::{Staleness, Wanted};
use super::absent::Judged;
use super::{History, is_version};
use crate::config::AgainSection;
use crate::dir::CrawlDir;

/// Places among the URLs that wait, of which those that are new have 1.0 at most: of feeds and sitemaps,
/// and of the most valuable page.
const SOURCES_FIRST: f32 = 2.0;
const PAGES_FIRST: f32 = 1.9;

/// The part of a round's budget that goes to URLs that have shown no page: one in so many. A round without
/// a budget may ask for one in so many of the pages that are known, and for so many at least.
const UNREAD_SHARE: usize = 4;
const UNREAD_MIN: usize = 100;

/// What is chosen of a plan.
#[derive(Debug, Default)]
pub(in crate::again) struct Choice {
    /// Feeds and sitemaps.
    pub(in crate::again) sources: Vec<DueRecord>,
    /// Pages, the most valuable first.
    pub(in crate::again) pages: Vec<Chosen>,
    /// URLs that have shown no page, in the order of their records.
    pub(in crate::again) unread: Vec<(u64, Unread)>,
    /// All that are to be judged anew are among them.
    pub(in crate::again) rejudges: bool,
}

/// A page that is chosen.
#[derive(Debug, Clone, Copy)]
pub(in crate::again) struct Chosen {
    /// Hash of its URL.
    pub(in crate::again) url: u64,
    pub(in crate::again) priority: f32,
    pub(in crate::again) rejudge: bool,
    /// It is asked for without a condition.
    unconditional: bool,
    /// The record of a kept page that has moved here, and whose copy this one was.
    succeeds: Option<u64>,
    /// Hash of the URL to which it has moved, where there is a page; 0 for none.
    moved_to: u64,
    /// Where it pointed for good at the visit before, as a hash; 0 for nowhere.
    points_to: u64,
    /// The host to which another page of its host has moved, as a hash; 0 for none.
    site_at: u64,
    /// What counts for its being gone.
    absence: AbsenceRecord,
}

/// Redirects from a page to where it is now, at most.
const STEPS_MAX: usize = 10;

/// Pages that have moved for good, each alone, to where there is a page.
#[derive(Debug, Default)]
struct Moves {
    /// Kept pages whose copies they have moved to, by the hashes of the copies' URLs.
    succeed: HashMap<u64, u64>,
    /// Where pages have moved that are not wanted any more, by the hashes of their URLs.
    left: HashMap<u64, u64>,
}

impl History {
    /// Which pages have moved. Several that have moved to one place have not: that is a login, or the front
    /// page of a site that is no more. A page that moves on from where it moved to is no other one.
    fn moves(&self, judged: &Judged) -> Moves {
        let mut moves = Moves::default();
        let found = self.moved.iter().filter(|(_, one)| one.visits > 0);
        let found = found.map(|(url, one)| (self.next_of(one.to), *url, one.to));
        let mut found: Vec<(u64, u64, u64)> = found.collect();
        found.sort_unstable();
        // Redirects that are not for good count for so much once they have stayed, and where nothing else
        // points to what they lead to.
        let is_taken = |next| found.binary_search_by_key(&next, |one| one.0).is_ok();
        let others = judged.temporary.iter();
        let others = others.map(|one| (self.next_of(one.to), one));
        let others: Vec<_> = others.filter(|(next, _)| !is_taken(*next)).collect();
        let versions = self.versions.iter().map(|(record, at)| (*at, *record));
        let versions: HashMap<u32, u64> = match found.is_empty() && others.is_empty() {
            true => HashMap::new(),
            false => versions.collect(),
        };
        for to_one in found.chunk_by(|one, other| one.0 == other.0) {
            if let [(next, url, direct)] = to_one {
                self.note_move(&mut moves, (*url, *direct), *next, &versions);
            }
        }
        // A login that is at another URL for each page is one place: its text is the same.
        let text_at = |next| self.text_at(next, &versions);
        let mut texts: HashMap<u64, u32> = HashMap::new();
        for text in others.iter().filter_map(|(next, _)| text_at(*next)) {
            *texts.entry(text).or_default() += 1;
        }
        for (next, one) in others.iter().filter(|(_, one)| one.has_stayed) {
            if text_at(*next).is_some_and(|text| texts[&text] == 1) {
                self.note_move(&mut moves, (one.url, one.to), *next, &versions);
            }
        }
        moves
    }

    /// A page with the record of its version as it was recorded last.
    fn version_of(&self, url: u64, versions: &HashMap<u32, u64>) -> Option<(&Known, u64)> {
        let at = self.urls.get(&url)?;
        let known = self.known.get(*at as usize)?;
        Some((known, versions.get(at).copied().unwrap_or(known.first)))
    }

    /// The record of the kept text at the end of redirects, where there is one.
    fn text_at(&self, next: u64, versions: &HashMap<u32, u64>) -> Option<u64> {
        let (target, own) = self.version_of(self.end_of(next), versions)?;
        let text = match target.was {
            Was::Kept => own,
            Was::Copy => self.stands_for(target.repeats),
            Was::Other => return None,
        };
        (!target.is_gone && !self.lost.contains(&text)).then_some(text)
    }

    /// Notes that a page alone has moved, by way of where it points.
    fn note_move(
        &self,
        moves: &mut Moves,
        (url, direct): (u64, u64),
        next: u64,
        versions: &HashMap<u32, u64>,
    ) {
        let text = self.text_at(next, versions);
        let (Some((from, version)), Some(text)) = (self.version_of(url, versions), text) else {
            return;
        };
        match from.was {
            Was::Kept if text == version => {
                moves.succeed.insert(self.end_of(next), version);
            }
            Was::Kept => drop(moves.left.insert(url, direct)),
            // It was taken for a copy of what has taken its place.
            Was::Copy if self.stands_for(from.repeats) == text => {
                moves.left.insert(url, direct);
            }
            Was::Copy | Was::Other => {}
        }
    }

    /// The next page on the way to where redirects for good lead, which may have moved on itself.
    fn next_of(&self, url: u64) -> u64 {
        let mut next = url;
        for _ in 0..STEPS_MAX {
            match self.moved.get(&next) {
                Some(one) if one.visits == 0 => next = one.to,
                Some(_) | None => break,
            }
        }
        next
    }

    /// Where redirects for good lead to in the end.
    pub(super) fn end_of(&self, url: u64) -> u64 {
        let mut end = url;
        for _ in 0..STEPS_MAX {
            match self.moved.get(&end) {
                Some(one) => end = one.to,
                None => break,
            }
        }
        end
    }

    /// Whether the text that a page repeated is there no longer.
    fn is_orphan(&self, known: &Known) -> bool {
        if known.repeats == 0 || known.was != Was::Copy {
            return false;
        }
        self.lost.contains(&self.stands_for(known.repeats))
    }

    /// The round that a plan is of: what follows its sources belongs to the same round.
    pub(in crate::again) fn round_of(&self, wanted: Wanted) -> u32 {
        match wanted {
            Wanted::Orphans => self.round,
            Wanted::Round if self.planned.1 => self.round,
            Wanted::Sources | Wanted::Round | Wanted::All => self.round + 1,
        }
    }

    pub(in crate::again) fn staleness(&self, now_ms: u64) -> Staleness {
        let known = || self.all_known();
        let priors = Priors::learn(known().map(|known| (&known.place, &known.evidence)));
        let kept = known().filter(|known| known.was == Was::Kept);
        let mut staleness = Staleness {
            rounds: self.round,
            due: self.waiting.len() as u64,
            ..Staleness::default()
        };
        for known in kept {
            let rates = known.evidence.rates(&priors.of(&known.place));
            let since = known.told.since(known.last_ms, now_ms);
            let signals = self.signals_of(known);
            staleness.kept += 1;
            staleness.expected_changed += (1.0 - signals.fresh(&rates, since)).max(0.0);
        }
        staleness
    }

    fn signals_of(&self, known: &Known) -> Signals {
        let signals = self.signals.get(self.host_of(known));
        signals.copied().unwrap_or_default()
    }

    fn all_known(&self) -> impl Iterator<Item = &Known> + Clone {
        self.known.iter().filter(|known| !known.is_void)
    }

    /// When the first page or source is due, of those that are not; 0 where there is none.
    pub(in crate::again) fn next_ms(&self, settings: &AgainSection) -> u64 {
        let pages = self.all_known().map(|known| known.due_ms(settings));
        let sources = self.sources.values().map(|source| source.due_ms(settings));
        let with_sources = self.hosts_with_sources();
        let unread = self.unread.values();
        let unread = unread.filter(|unread| self.may_be_asked(unread, &with_sources));
        let unread = unread.map(|unread| unread.due_ms(settings));
        pages.chain(sources).chain(unread).min().unwrap_or(0)
    }

    fn was_asked_in(&self, wanted: Wanted, known: &Known, now_ms: u64) -> bool {
        let began_ms = self.broken_off_ms.filter(|_| wanted == Wanted::Round);
        let is_past = passed_ms(known.asked_ms, now_ms).is_some();
        is_past && began_ms.is_some_and(|began_ms| known.asked_ms >= began_ms)
    }

    /// Pages and sources that were asked for last at a time that is still to come.
    pub(in crate::again) fn ahead(&self, now_ms: u64) -> usize {
        let pages = self.all_known().map(|known| known.asked_ms);
        let sources = self.sources.values().map(|source| source.asked_ms);
        let all = pages.chain(sources);
        all.filter(|at_ms| passed_ms(*at_ms, now_ms).is_none())
            .count()
    }

    /// Chooses the URLs of a plan.
    pub(in crate::again) fn choose(
        &self,
        settings: &AgainSection,
        wanted: Wanted,
        round: u32,
        now_ms: u64,
    ) -> Choice {
        let budget = match (
            usize::try_from(settings.budget).unwrap_or(usize::MAX),
            wanted,
        ) {
            (0, _) | (_, Wanted::Orphans) => usize::MAX,
            (budget, Wanted::Sources) => budget.div_ceil(2),
            (budget, Wanted::Round) if self.planned.1 => {
                budget.saturating_sub(usize::try_from(self.planned.0).unwrap_or(usize::MAX))
            }
            (budget, Wanted::Round | Wanted::All) => budget,
        };
        let sources = match wanted {
            Wanted::Sources | Wanted::All => self.choose_sources(settings, budget, round, now_ms),
            Wanted::Round | Wanted::Orphans => Vec::new(),
        };
        if wanted == Wanted::Sources {
            return Choice {
                sources,
                ..Choice::default()
            };
        }
        let unread = self.choose_unread(settings, wanted, now_ms);
        let left = budget.saturating_sub(sources.len() + unread.len());
        Choice {
            sources,
            unread,
            ..self.choose_pages(settings, (wanted, left), round, now_ms)
        }
    }

    fn choose_sources(
        &self,
        settings: &AgainSection,
        budget: usize,
        round: u32,
        now_ms: u64,
    ) -> Vec<DueRecord> {
        let all: Vec<&Source> = self.sources.values().collect();
        let candidates: Vec<Candidate<'_>> = all
            .iter()
            .map(|source| Candidate {
                host: &source.host,
                value: source.value(settings, now_ms),
            })
            .collect();
        let chosen = chosen(&candidates, budget);
        let due = |at: usize| DueRecord {
            round,
            priority: SOURCES_FIRST,
            unconditional: all[at].is_asked_in_full(now_ms),
            ..all[at].due.clone()
        };
        chosen.into_iter().map(due).collect()
    }

    fn choose_pages(
        &self,
        settings: &AgainSection,
        (wanted, budget): (Wanted, usize),
        round: u32,
        now_ms: u64,
    ) -> Choice {
        // Where copies alone are wanted, nothing is weighed.
        let priors = match wanted {
            Wanted::Orphans => Priors::default(),
            Wanted::Sources | Wanted::Round | Wanted::All => {
                let known = self.all_known();
                Priors::learn(known.map(|known| (&known.place, &known.evidence)))
            }
        };
        let judged = self.judge_absent(settings);
        let moves = self.moves(&judged);
        let is_judged_anew =
            |known: &Known| self.is_orphan(known) || moves.succeed.contains_key(&known.url);
        let mut orphans = 0;
        // The most valuable first; those that are worth the same in the order in which they were read.
        let mut values: Vec<(f64, u32)> = Vec::new();
        for (known, at) in self.known.iter().zip(0..) {
            let is_orphan = !known.is_void && is_judged_anew(known);
            orphans += usize::from(is_orphan);
            let value = match (is_orphan, wanted) {
                _ if known.is_void => 0.0,
                // It was visited by what was planned before the plan was broken off.
                _ if self.was_asked_in(wanted, known, now_ms) => 0.0,
                // One that did not answer is left alone for as long as any other page.
                (true, _) if known.is_unanswered() && !known.may_be_asked(settings, now_ms) => 0.0,
                (true, _) => f64::MAX,
                // Others have answered since, which says that it is gone.
                (false, Wanted::Orphans) if judged.is_settled(known.url) => f64::MAX,
                (false, Wanted::Orphans) => 0.0,
                (false, Wanted::Sources | Wanted::Round | Wanted::All) => {
                    let priority = self.priority_of(known);
                    known.value(priority, &priors, &self.signals_of(known), settings, now_ms)
                }
            };
            if value > 0.0 {
                values.push((value, at));
            }
        }
        values.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        values.truncate(budget);
        let count = values.len().max(1) as f32;
        let place = |rank: usize, known: &Known| match wanted {
            // First and further visits stand in one queue, in the order of what a request is expected to
            // bring.
            Wanted::All => {
                let signals = self.signals_of(known);
                let priority = self.priority_of(known);
                known.place_among_new(priority, &priors, &signals, &self.reads, settings, now_ms)
            }
            // A round was asked for: before URLs that are new, the most valuable first.
            Wanted::Sources | Wanted::Round | Wanted::Orphans => {
                PAGES_FIRST - 0.5 * rank as f32 / count
            }
        };
        let choose = |(rank, (_, at)): (usize, (f64, u32))| {
            let known = &self.known[at as usize];
            let rejudge = is_judged_anew(known);
            let (points_to, site_at) = self.elsewhere(known);
            Chosen {
                url: known.url,
                priority: place(rank, known),
                rejudge,
                unconditional: rejudge || self.is_asked_in_full(known, round, now_ms),
                succeeds: moves.succeed.get(&known.url).copied(),
                moved_to: moves.left.get(&known.url).copied().unwrap_or(0),
                points_to,
                site_at,
                absence: judged.absence(known.url),
            }
        };
        let pages: Vec<Chosen> = values.into_iter().enumerate().map(choose).collect();
        let rejudged = pages.iter().filter(|page| page.rejudge).count();
        Choice {
            rejudges: rejudged == orphans,
            pages,
            ..Choice::default()
        }
    }

    /// Whether a page is asked for without a condition: it is gone, or its 304 would be in doubt.
    fn is_asked_in_full(&self, known: &Known, round: u32, now_ms: u64) -> bool {
        let host = self.hosts.get(self.host_of(known));
        let is_probe = host.is_some_and(|host| host.is_probe(known.url, round));
        let are_sent = host.is_none_or(Validators::are_sent);
        let list = self.lists.get(&known.url);
        let is_in_doubt = list.is_some_and(|list| list.is_in_doubt(now_ms));
        known.is_gone || is_probe || !are_sent || is_in_doubt
    }

    /// Where a page pointed for good at the visit before, and the host to which another page of its host has
    /// moved, as hashes; 0 for nowhere. Of several hosts it is the one to which the page points itself.
    fn elsewhere(&self, known: &Known) -> (u64, u64) {
        let pointed = self.moved.get(&known.url).filter(|one| one.visits > 0);
        let sites = self.sites_at.get(&known.place.host);
        let sites = sites.filter(|_| known.is_seed || pointed.is_some());
        let sites = sites.map(Vec::as_slice).unwrap_or_default();
        let own = pointed.and_then(|one| sites.iter().find(|site| **site as u32 == one.host));
        let site_at = own.or(sites.first()).copied();
        (pointed.map_or(0, |one| one.to), site_at.unwrap_or(0))
    }

    /// The URLs without a page that are asked for once more: host by host in turn, of each those first that
    /// are the most likely to be there.
    fn choose_unread(
        &self,
        settings: &AgainSection,
        wanted: Wanted,
        now_ms: u64,
    ) -> Vec<(u64, Unread)> {
        let share = match usize::try_from(settings.budget).unwrap_or(usize::MAX) {
            0 => (self.urls.len() / UNREAD_SHARE).max(UNREAD_MIN),
            budget => budget.div_ceil(UNREAD_SHARE),
        };
        let asked = match wanted {
            Wanted::All => 0,
            Wanted::Sources | Wanted::Round | Wanted::Orphans => self.asked_anew,
        };
        let left = share.saturating_sub(usize::try_from(asked).unwrap_or(usize::MAX));
        let mut by_origin: BTreeMap<u32, Vec<(f64, u64, &Unread)>> = BTreeMap::new();
        let with_sources = self.hosts_with_sources();
        for (url, unread) in &self.unread {
            let chance = self.chance_of(unread, settings, now_ms);
            if chance > 0.0 && self.may_be_asked(unread, &with_sources) {
                let priority = self.priority_of_seed(unread.seed);
                let of_origin = by_origin.entry(unread.origin).or_default();
                of_origin.push((priority * chance, *url, unread));
            }
        }
        let mut chosen: Vec<(usize, u64, &Unread)> = Vec::new();
        for (origin, mut urls) in by_origin {
            urls.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.2.record.cmp(&b.2.record)));
            let mut has_scout = false;
            // One sees whether robots.txt is the same.
            urls.retain(|(_, _, unread)| {
                let goes_blind =
                    unread.fate == Fate::Robots && !self.has_other_robots(origin, unread);
                !goes_blind || !std::mem::replace(&mut has_scout, true)
            });
            let ranked = urls.into_iter().enumerate();
            chosen.extend(ranked.map(|(rank, (_, url, unread))| (rank, url, unread)));
        }
        chosen.sort_unstable_by_key(|(rank, _, unread)| (*rank, unread.record));
        chosen.truncate(left);
        chosen.sort_unstable_by_key(|(_, _, unread)| unread.record);
        let chosen = chosen.into_iter();
        chosen.map(|(_, url, unread)| (url, *unread)).collect()
    }

    /// The chance that a URL without a page is there by now; 0 before its turn.
    fn chance_of(&self, unread: &Unread, settings: &AgainSection, now_ms: u64) -> f64 {
        match unread.fate == Fate::Robots && self.has_other_robots(unread.origin, unread) {
            true => 1.0,
            false => unread.chance(settings, now_ms),
        }
    }

    /// Whether robots.txt has other rules than when it refused a URL.
    fn has_other_robots(&self, origin: u32, unread: &Unread) -> bool {
        let robots = self.robots.get(&origin);
        robots.is_some_and(|(_, since)| *since > unread.record)
    }

    /// Hosts of which a feed or sitemap answers.
    fn hosts_with_sources(&self) -> HashSet<&str> {
        let answer = self.sources.values().filter(|source| source.failures == 0);
        answer.map(|source| source.host.as_str()).collect()
    }

    /// Whether anything leads to a URL without a page, and it does not wait already.
    fn may_be_asked(&self, unread: &Unread, with_sources: &HashSet<&str>) -> bool {
        let is_there = |by| is_version(&self.known, &self.versions, by);
        let origin = self.host_names.get(unread.origin as usize);
        let host = origin.and_then(|origin| origin.split_once("://"));
        let answers = host.is_some_and(|(_, host)| with_sources.contains(host));
        !unread.is_waiting && unread.is_linked(is_there, answers)
    }

    /// What the visits of these pages are compared with, and which validators they send; those of which
    /// that is held.
    pub(in crate::again) fn due(
        &self,
        chosen: &[Chosen],
        round: u32,
        dir: &CrawlDir,
    ) -> Vec<DueRecord> {
        let (archive, mut heads) = (dir.archive(), HeadReader::default());
        let due = |chosen: &Chosen| {
            let mut due = self.dues.get(chosen.url)?;
            (due.round, due.priority) = (round, chosen.priority);
            due.rejudge = chosen.rejudge;
            // Where parts of a page are watched, an answer of 304 would leave the index with what they were.
            let is_watched = due.touched.is_some() && !due.parts.is_empty();
            due.unconditional = chosen.unconditional || is_watched;
            (due.succeeds, due.moved_to) = (chosen.succeeds, chosen.moved_to);
            (due.points_to, due.site_at) = (chosen.points_to, chosen.site_at);
            due.absence = chosen.absence;
            if due.etag.is_none()
                && due.last_modified.is_none()
                && let Some(body) = self.bodies.get(&chosen.url)
                && let Ok(answer) = heads.read_answer(&archive, body)
            {
                let field = |name: &str| {
                    let value = answer.header(name)?;
                    String::from_utf8(value.to_vec()).ok()
                };
                (due.etag, due.last_modified) = (field("etag"), field("last-modified"));
            }
            Some(due)
        };
        chosen.iter().filter_map(due).collect()
    }
}

fn chosen(candidates: &[Candidate<'_>], budget: usize) -> Vec<usize> {
    let limits = RoundLimits {
        requests: budget,
        per_host: usize::MAX,
    };
    again::choose(candidates, limits)
}
