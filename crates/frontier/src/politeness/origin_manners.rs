//! What holds for one origin of a host alone: the delay that its robots.txt asks for, and its troubles.
//!
//! An origin that gives no answer, or whose robots.txt cannot be had, is held: its own URLs wait, and
//! those of the host's other origins go on. Of most hosts nothing is kept here.

use std::time::{Duration, Instant};

use outcome::FailureKind;

use super::limit::LookedInto;
use super::{HostAdvice, Politeness, Silence, WaitReason};
use crate::lease::Refused;
use crate::origin::Origin;

/// Server errors in a row after which an origin counts as out: by their back-off they take four minutes, and
/// three broken pages alone, each tried four times, are no more.
const OUT_AFTER: u32 = 13;

/// So many server errors in a row one broken page gives by itself.
const ONE_PAGE: u32 = 4;

/// After so many sound answers in a row an origin that was unwell is well again.
const WELL_AFTER: u32 = 16;

/// What holds for one origin.
#[derive(Debug, Default)]
pub(crate) struct OriginManners {
    /// Its robots.txt asks for this delay.
    pub(crate) crawl_delay: Option<Duration>,
    /// Requests in a row that got no answer.
    pub(crate) failures: u32,
    pub(crate) silence: Option<Silence>,
    /// Its pages answered so often in a row with a server error.
    pub(crate) server_errors: u32,
    /// More came in a row than one broken page gives, and not yet [`WELL_AFTER`] pages after them.
    pub(crate) is_unwell: bool,
    /// Pages in a row that answered otherwise.
    sound: u32,
    /// How often a page that was good before was asked for, since it is out.
    pub(crate) doubts: u32,
    /// Such a page is asked for, and has not answered.
    pub(crate) is_in_doubt: bool,
    /// Such a page was good while others gave nothing but server errors: it has broken pages, and is out sooner.
    has_broken_pages: bool,
    /// A run of its answers without a page is looked into.
    pub(crate) looked_into: Option<LookedInto>,
    /// How its last request failed.
    pub(crate) last_failure: Option<(FailureKind, String)>,
    /// How its URLs end, once it is given up.
    pub(crate) gone: Option<Refused>,
    /// Its robots.txt cannot be had, and no earlier copy is in use.
    pub(crate) robots_outage: bool,
    /// Until when its silence holds it: an answer ends that.
    held_silent: Option<(Instant, WaitReason)>,
    /// Until when its robots.txt is not asked for, whatever else is answered.
    held_for_robots: Option<Instant>,
}

impl OriginManners {
    /// Whether it gives no answer, no robots.txt, nothing but server errors, or refuses all.
    pub(crate) fn is_troubled(&self) -> bool {
        self.silence.is_some() || self.robots_outage || self.is_out() || self.refuses_all()
    }

    /// Whether it refuses even what it gave before.
    pub(crate) fn refuses_all(&self) -> bool {
        self.looked_into.as_ref().is_some_and(|own| own.is_sure)
    }

    /// Whether it gives nothing but server errors.
    pub(crate) fn is_out(&self) -> bool {
        let after = match self.has_broken_pages {
            true => ONE_PAGE + 1,
            false => OUT_AFTER,
        };
        self.server_errors >= after
    }

    /// A page that was good has answered: where it is good still, and the host was out, it has broken pages.
    fn end_doubt(&mut self, advice: &HostAdvice) {
        self.has_broken_pages |= advice.status == 200 && self.is_out();
        self.is_in_doubt = false;
        if let Some(looked_into) = &mut self.looked_into {
            looked_into.on_good_page(advice);
        }
    }

    /// A page of it answered with a status.
    pub(crate) fn note_status(&mut self, status: u16) {
        if status >= 500 {
            self.server_errors = self.server_errors.saturating_add(1);
            self.sound = 0;
            self.is_unwell |= self.server_errors > ONE_PAGE;
        } else {
            self.server_errors = 0;
            self.doubts = 0;
            self.sound = self.sound.saturating_add(1);
            self.is_unwell &= self.sound < WELL_AFTER;
        }
    }

    /// It gives no answer: it is not asked before then.
    pub(crate) fn hold_silent(&mut self, at: Instant, why: WaitReason) {
        if self.held_silent.is_none_or(|(until, _)| at > until) {
            self.held_silent = Some((at, why));
        }
    }

    /// Its robots.txt cannot be had: it is not asked before then.
    pub(crate) fn hold_for_robots(&mut self, at: Instant) {
        self.robots_outage = true;
        self.held_for_robots = self.held_for_robots.max(Some(at));
    }

    /// Until when it is not asked; what is given up waits for nothing.
    pub(crate) fn held(&self) -> Option<(Instant, WaitReason)> {
        let for_robots = self
            .held_for_robots
            .map(|at| (at, WaitReason::RobotsOutage));
        let holds = [self.held_silent, for_robots].into_iter().flatten();
        holds
            .max_by_key(|(at, _)| *at)
            .filter(|_| self.gone.is_none())
    }

    /// It gets another chance.
    pub(crate) fn revive(&mut self) {
        self.gone = None;
        self.silence = None;
        self.held_silent = None;
    }
}

impl Politeness {
    /// An origin, if it is out.
    pub(crate) fn of_origin_out(&mut self, origin: Origin) -> Option<&mut OriginManners> {
        self.origins.get_mut(origin).filter(|own| own.is_out())
    }
}

/// What holds for the origins of a host of which there is anything to tell.
#[derive(Debug, Default)]
pub(crate) struct ManyManners(Vec<(Origin, OriginManners)>);

impl ManyManners {
    pub(crate) fn get(&self, origin: Origin) -> Option<&OriginManners> {
        let found = self.0.iter().find(|(of, _)| *of == origin);
        found.map(|(_, manners)| manners)
    }

    pub(crate) fn get_mut(&mut self, origin: Origin) -> Option<&mut OriginManners> {
        let found = self.0.iter_mut().find(|(of, _)| *of == origin);
        found.map(|(_, manners)| manners)
    }

    /// An answer came of one of them, which ends a doubt.
    pub(crate) fn end_doubt(&mut self, advice: &HostAdvice) {
        if advice.is_doubt
            && let Some(own) = self.get_mut(advice.origin)
        {
            own.end_doubt(advice);
        }
    }

    pub(crate) fn entry(&mut self, origin: Origin) -> &mut OriginManners {
        let found = self.0.iter().position(|(of, _)| *of == origin);
        let at = found.unwrap_or_else(|| {
            self.0.push((origin, OriginManners::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Origin, &OriginManners)> {
        self.0.iter().map(|(origin, manners)| (*origin, manners))
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut OriginManners> {
        self.0.iter_mut().map(|(_, manners)| manners)
    }

    /// The longest delay that one of them asks for.
    pub(crate) fn crawl_delay(&self) -> Option<Duration> {
        self.0
            .iter()
            .filter_map(|(_, manners)| manners.crawl_delay)
            .max()
    }
}
