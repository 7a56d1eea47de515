//! Which URLs follow from what the journal tells of all visits.

use again::{Candidate, Priors, RoundLimits, Signals, Validators};
use archive::{DueRecord, HeadReader};

use super::super::known::{Known, Source, Was};
use super::super::{Staleness, Wanted};
use super::History;
use crate::config::AgainSection;
use crate::dir::CrawlDir;

/// Places among the URLs that wait, of which those that are new have 1.0 at most: of feeds and sitemaps,
/// and of the most valuable page.
const SOURCES_FIRST: f32 = 2.0;
const PAGES_FIRST: f32 = 1.9;

/// What is chosen of a plan.
#[derive(Debug, Default)]
pub(in crate::again) struct Choice {
    /// Feeds and sitemaps.
    pub(in crate::again) sources: Vec<DueRecord>,
    /// Pages, the most valuable first.
    pub(in crate::again) pages: Vec<Chosen>,
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
}

impl History {
    /// Whether the text that a page repeated is there no longer.
    fn is_orphan(&self, known: &Known) -> bool {
        if known.repeats == 0 || known.was != Was::Copy {
            return false;
        }
        let mut of = known.repeats;
        // A chain has no circle: each record follows an earlier one.
        while let Some(next) = self.followed_by.get(&of) {
            of = *next;
        }
        self.lost.contains(&of)
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
            staleness.expected_changed += 1.0 - signals.fresh(&rates, since);
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
        pages.chain(sources).min().unwrap_or(0)
    }

    fn was_asked_in(&self, wanted: Wanted, known: &Known) -> bool {
        let began_ms = self.broken_off_ms.filter(|_| wanted == Wanted::Round);
        began_ms.is_some_and(|began_ms| known.asked_ms >= began_ms)
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
        let left = budget.saturating_sub(sources.len());
        Choice {
            sources,
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
        let mut orphans = 0;
        // The most valuable first; those that are worth the same in the order in which they were read.
        let mut values: Vec<(f64, u32)> = Vec::new();
        for (known, at) in self.known.iter().zip(0..) {
            let is_orphan = !known.is_void && self.is_orphan(known);
            orphans += usize::from(is_orphan);
            let value = match (is_orphan, wanted) {
                _ if known.is_void => 0.0,
                // It was visited by what was planned before the plan was broken off.
                _ if self.was_asked_in(wanted, known) => 0.0,
                // One that did not answer is left alone for as long as any other page.
                (true, _) if known.is_unanswered() && !known.may_be_asked(settings, now_ms) => 0.0,
                (true, _) => f64::MAX,
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
            let rejudge = self.is_orphan(known);
            let host = self.hosts.get(self.host_of(known));
            let is_probe = host.is_some_and(|host| host.is_probe(known.url, round));
            let are_sent = host.is_none_or(Validators::are_sent);
            Chosen {
                url: known.url,
                priority: place(rank, known),
                rejudge,
                unconditional: rejudge || known.is_gone || is_probe || !are_sent,
            }
        };
        let pages: Vec<Chosen> = values.into_iter().enumerate().map(choose).collect();
        let rejudged = pages.iter().filter(|page| page.rejudge).count();
        Choice {
            sources: Vec::new(),
            rejudges: rejudged == orphans,
            pages,
        }
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
