//! Hosts that give no answer: when one is given up, and whether nothing else is left.
//!
//! What is said of a host here holds for each of its origins by itself, since http may be dead where
//! https answers: a silent origin is given up, and the URLs of the other one go on.
//!
//! A silence begins with a request that no answer comes to (no address, no connection, time-out,
//! reset) and ends with any answer, of whatever status. A silent host is asked ever more seldom. It
//! is given up after [`FrontierConfig::dead_host_after`](crate::FrontierConfig), and its URLs end
//! without a request. It is given up sooner when all that is left waits on hosts in trouble: after
//! [`PATIENCE_PER_URL`] for each URL that waits there, since little is lost with few, and at least
//! [`PATIENCE_MIN`]; a host that has never answered then at once. Never after fewer than
//! [`FAILURES_MIN`] failures in a row.
//!
//! Where all hosts fall silent together the fault may be our own network's. So a host is given up
//! only if another one has answered since its silence began, if it is the only one left with URLs, or,
//! for one that never answered, if nobody has ever answered in this crawl.
//!
//! A host whose pages give nothing but server errors for some minutes is out. It is never given up: it may
//! only limit how often it is asked, or be mended. One URL after another asks for it, from all over its queue,
//! and those that failed wait for those that were not tried: where some of its pages alone are broken, one of
//! the others is soon among them, and it is out no more.
//!
//! At the end of a crawl there may be no others: what is left are the broken pages. So before the crawl ends
//! for them, a page is asked for that was good before: once when nothing else is left, and once more before the end
//! ([`Frontier::doubt_outages`]). Where it is good still, the host is not out, and the broken pages fail by
//! themselves. No robots.txt can say that: a server may have one though what makes its pages is down.
//!
//! A host that refuses even pages which it gave before, by whatever answer, limits us ([`Frontier::look_into`]). It
//! is in trouble as one that is out is, and is not given up either.
//!
//! When all that is left has waited on hosts in trouble for that long, by the URLs that wait
//! altogether, and where one is out or refuses all for [`FrontierConfig::dead_host_after`](crate::FrontierConfig), the crawl
//! may stop and leave them in its queue: nothing is lost by that.
//!
//! What is asked of all hosts is kept as they change ([`Troubled`](super::troubled)): a look walks over none, but for the
//! hosts in trouble where nothing else is left and one of them is out.

use std::time::{Duration, Instant};

use outcome::{HostGone, Refusal};
use recent::RecentMap;

use super::{Frontier, troubled};
use crate::host::HostKey;
use crate::host_queue::HostQueue;
use crate::lease::Refused;
use crate::origin::Origin;
use crate::politeness::{GOOD_PAGES, GoodPages, LookedInto, OriginManners, Sign, Silence};
use crate::url::CanonicalUrl;

/// A page that was good before is asked for so often in one outage: at the beginning and before the end.
const DOUBTS_MAX: u32 = 2;
/// Hosts of which good pages are known, some 400 bytes each. Of more, those that answered longest ago are
/// forgotten, and count as out by their errors alone.
const GOOD_PAGES_MAX: usize = 10_000;

/// Failures in a row before a host is given up, at least.
pub(super) const FAILURES_MIN: u32 = 4;
/// When nothing else is left: for each URL that waits on the host.
const PATIENCE_PER_URL: Duration = Duration::from_secs(5);
/// The same, at least.
const PATIENCE_MIN: Duration = Duration::from_secs(15);

/// What there is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// URLs of hosts that answer, or something is under way that may bring some.
    Others,
    /// Nothing but hosts in trouble.
    Trouble,
    /// Nothing but one host in trouble.
    OneHost,
}

/// A host in trouble that is to be asked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Troubled {
    /// The host.
    pub host: HostKey,
    /// Until then.
    pub next_in: Duration,
    /// What is wrong with it.
    pub trouble: Trouble,
}

/// What is wrong with a host in trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It gives no answer.
    NoAnswer,
    /// It answers with nothing but server errors.
    ServerErrors,
    /// It refuses even what it gave before.
    RefusesAll,
    /// It answers, and its robots.txt cannot be had.
    NoRobots,
}

/// What is known of hosts in trouble.
#[derive(Debug)]
pub(super) struct SilentHosts {
    /// The hosts in trouble: silent, out, or without a robots.txt.
    pub(super) troubled: troubled::Troubled,
    /// When a host answered last.
    pub(super) last_answer: Option<Instant>,
    /// A host has answered in an earlier process.
    pub(super) has_answered_before: bool,
    /// Since when nothing is left but hosts in trouble.
    alone_since: Option<Instant>,
    /// Of each host the first page that was good, and the last one.
    good: RecentMap<HostKey, Vec<CanonicalUrl>>,
    /// Such pages that are to be asked for, each by an errand of its host.
    doubted: Vec<CanonicalUrl>,
}

impl Default for SilentHosts {
    fn default() -> Self {
        Self {
            troubled: troubled::Troubled::default(),
            last_answer: None,
            has_answered_before: false,
            alone_since: None,
            good: RecentMap::with_max(GOOD_PAGES_MAX),
            doubted: Vec::new(),
        }
    }
}

impl SilentHosts {
    /// Notes a page that was good.
    pub(super) fn note_good(&mut self, url: &CanonicalUrl) {
        let pages = self.good.entry(url.host(), |_, _| {});
        if pages.first() != Some(url) {
            pages.truncate(GOOD_PAGES - 1);
            pages.push(url.clone());
        }
    }

    /// The pages of a host that are known to have been good.
    pub(super) fn good_pages(&self, host: &HostKey) -> &[CanonicalUrl] {
        self.good.get(host).map_or(&[], Vec::as_slice)
    }

    fn good_page(&self, host: &HostKey) -> Option<&CanonicalUrl> {
        self.good.get(host)?.last()
    }
}

impl Frontier {
    /// Gives up hosts that have been silent for too long: their URLs are refused from here on. True
    /// when nothing has been left for too long but URLs of hosts in trouble that are not given up.
    pub fn give_up_silent_hosts(&mut self, now: Instant) -> bool {
        let now = self.clock.moved_to(now);
        let is_alone = self.only_trouble_is_left();
        let since = self.silent.alone_since.unwrap_or(now);
        self.silent.alone_since = is_alone.then_some(since);
        // A page that is being recorded may bring new links.
        let is_alone = is_alone && self.leased.len() <= self.requests && self.asking_robots == 0;
        let left = match (is_alone, self.silent.troubled.with_urls) {
            (false, _) => Left::Others,
            (true, 0 | 1) => Left::OneHost,
            (true, _) => Left::Trouble,
        };
        for (id, origin) in self.silences_due(left, now) {
            if let Some(silence) = self.too_long_silent(id, origin, left, now) {
                self.give_up(id, origin, silence, now);
            }
        }
        let is_undecided = self.silent.troubled.undecided > 0;
        let longest = self.config.dead_host_after;
        let is_out = self.silent.troubled.out > 0;
        let patience = match is_alone && is_out {
            true => longest,
            false => patience(true, self.counts.pending).min(longest),
        };
        let lasted = now.saturating_duration_since(since);
        is_alone && !is_undecided && !longest.is_zero() && lasted >= patience
    }

    /// Has a page that was good before asked for of each origin that is out, where nothing is left but hosts
    /// in trouble: [`Next::Errand`](crate::Next) with this number then says so, and
    /// [`Frontier::take_doubted`] which. It must be one that `may_be_asked`. True while one is asked for: before it has
    /// answered, with [`HostAdvice::is_doubt`](crate::HostAdvice), the crawl does not end. Call it after
    /// [`Frontier::give_up_silent_hosts`], with what that said.
    pub fn doubt_outages(
        &mut self,
        would_end: bool,
        number: u64,
        may_be_asked: impl Fn(&CanonicalUrl) -> bool,
    ) -> bool {
        if self.silent.alone_since.is_none() || self.silent.troubled.out == 0 {
            return false;
        }
        let mut is_in_doubt = false;
        for (id, origin) in self.origins_in_trouble() {
            let host = &mut self.hosts[id];
            let good = self.silent.good_page(&host.host);
            let good = good.filter(|url| url.origin() == origin && may_be_asked(url));
            let is_waited_for = host.waiting(origin) > 0;
            let Some(own) = host.politeness.of_origin_out(origin) else {
                continue;
            };
            let is_due = own.doubts == 0 || would_end && own.doubts < DOUBTS_MAX;
            if is_due
                && is_waited_for
                && !own.is_in_doubt
                && let Some(good) = good.cloned()
            {
                own.doubts += 1;
                own.is_in_doubt = true;
                let host = host.host.clone();
                self.silent.doubted.push(good);
                self.ask_for(&host, origin, number);
            }
            let own = self.hosts[id].politeness.of_origin_out(origin);
            is_in_doubt |= own.is_some_and(|own| own.is_in_doubt);
        }
        is_in_doubt
    }

    fn origins_in_trouble(&self) -> Vec<(usize, Origin)> {
        let of_host = |id: usize| {
            let origins = self.hosts[id].politeness.in_trouble();
            origins.map(move |(origin, _)| (id, origin))
        };
        self.silent
            .troubled
            .hosts_with_urls()
            .flat_map(of_host)
            .collect()
    }

    /// A URL that is being visited was answered without a page, and is to be asked for once more, before all others of
    /// its host, to find out whether the host limits by such answers. Where that `is_sure`, one of its URLs after another
    /// finds out for how long, from all over its queue: the first may be a dead link. So does a page that
    /// was good before, by an errand of that number ([`Frontier::take_doubted`]): another one each time.
    pub fn look_into(
        &mut self,
        url: &CanonicalUrl,
        (sign, is_sure): (&Sign, bool),
        number: u64,
        may_be_asked: impl Fn(&CanonicalUrl) -> bool,
    ) {
        if !is_sure {
            self.ask_first(url);
        }
        let (host, origin) = (url.host(), url.origin());
        let id = self.host_id(&host);
        let good = self.silent.good.get(&host).into_iter().flatten().rev();
        let good = good.filter(|good| good.origin() == origin && may_be_asked(good));
        let good: Vec<_> = good.filter(|good| *good != url).collect();
        let look = self.hosts[id].politeness.looked_into(origin);
        let look = look.get_or_insert_with(|| LookedInto::new(sign.clone()));
        if let Some(which) = look.begin(sign, is_sure, good.len()) {
            let good = good[which].clone();
            self.silent.doubted.push(good);
            self.ask_for(&host, origin, number);
        }
        self.note_host(id);
    }

    /// What pages say, since a run of such answers of a host is looked into, that were good before.
    pub fn good_pages(&self, host: &HostKey, sign: &Sign) -> GoodPages {
        let id = self.hosts.find(host);
        id.map_or(GoodPages::Unknown, |id| {
            self.hosts[id].politeness.good_pages(sign)
        })
    }

    /// Nothing is looked into any more with a host.
    pub fn end_looks(&mut self, host: &HostKey) {
        if let Some(id) = self.hosts.find(host) {
            self.hosts[id].politeness.end_looks();
            self.note_host(id);
        }
    }

    /// The page of a host that an errand is to ask for, since its host may be out or limit.
    pub fn take_doubted(&mut self, host: &HostKey) -> Option<CanonicalUrl> {
        let doubted = &mut self.silent.doubted;
        let at = doubted.iter().position(|url| url.host() == *host)?;
        Some(doubted.remove(at))
    }

    /// Of the hosts in trouble with URLs the one that is asked again first.
    pub fn first_in_trouble(&self, now: Instant) -> Option<Troubled> {
        let first = self
            .troubled_with_urls()
            .min_by_key(|host| host.next_at())?;
        let at = first.next_at();
        let is_silent = |(_, own): (_, &OriginManners)| own.silence.is_some();
        let trouble = match first.politeness.outage() {
            _ if first.politeness.in_trouble().any(is_silent) => Trouble::NoAnswer,
            Some(_) => Trouble::ServerErrors,
            None if first.politeness.refuses_all() => Trouble::RefusesAll,
            None => Trouble::NoRobots,
        };
        Some(Troubled {
            host: first.host.clone(),
            next_in: at.map_or(Duration::ZERO, |at| at.saturating_duration_since(now)),
            trouble,
        })
    }

    /// A host gets another chance.
    pub(super) fn revive(&mut self, host: &HostKey) {
        if let Some(id) = self.hosts.find(host) {
            self.hosts[id].politeness.revive();
            self.note_host(id);
        }
    }

    fn troubled_with_urls(&self) -> impl Iterator<Item = &HostQueue> {
        let ids = self.silent.troubled.hosts_with_urls();
        ids.map(|id| &self.hosts[id])
    }

    /// The silent origins that may be too long silent, all of them among these.
    pub(super) fn silences_due(&mut self, left: Left, now: Instant) -> Vec<(usize, Origin)> {
        let blames_all = left == Left::OneHost || self.has_nobody_ever_answered();
        let last_answer = self.silent.last_answer;
        let troubled = &mut self.silent.troubled;
        troubled.due(left, blames_all, last_answer, now)
    }

    fn has_nobody_ever_answered(&self) -> bool {
        self.silent.last_answer.is_none() && !self.silent.has_answered_before
    }

    /// Keeps what is asked of all hosts after something has changed with one.
    pub(super) fn note_host(&mut self, id: usize) {
        let (host, dead_after) = (&self.hosts[id], self.config.dead_host_after);
        let last_answer = self.silent.last_answer;
        let troubled = &mut self.silent.troubled;
        troubled.note(id, host, dead_after, last_answer);
        self.most_waiting.note(id, host);
    }

    /// Whether every URL that waits and every request under way is of an origin in trouble.
    fn only_trouble_is_left(&self) -> bool {
        let troubled = &self.silent.troubled;
        let is_all = troubled.waiting == self.counts.pending && troubled.requests == self.requests;
        troubled.waiting > 0 && is_all
    }

    /// The silence of an origin that is to be given up.
    pub(super) fn too_long_silent(
        &self,
        id: usize,
        origin: Origin,
        left: Left,
        now: Instant,
    ) -> Option<Silence> {
        let host = &self.hosts[id];
        let politeness = &host.politeness;
        let longest = self.config.dead_host_after;
        let (_, own) = politeness.in_trouble().find(|(of, _)| *of == origin)?;
        let silence = own.silence?;
        let waiting = host.waiting(origin);
        if longest.is_zero() || own.gone.is_some() || waiting == 0 {
            return None;
        }
        let others_answer = self
            .silent
            .last_answer
            .is_some_and(|at| at >= silence.since);
        let has_answered = politeness.has_answered(origin);
        let nobody_ever = !has_answered && self.has_nobody_ever_answered();
        let is_the_hosts_fault = others_answer || nobody_ever || left == Left::OneHost;
        let shortened = patience(has_answered, waiting);
        let patience = match left {
            Left::Others => longest,
            Left::Trouble | Left::OneHost => shortened.min(longest),
        };
        let lasted = now.saturating_duration_since(silence.since);
        let is_too_long = silence.failures >= FAILURES_MIN && lasted >= patience;
        (is_the_hosts_fault && is_too_long).then_some(silence)
    }

    fn give_up(&mut self, id: usize, origin: Origin, silence: Silence, now: Instant) {
        let politeness = &mut self.hosts[id].politeness;
        let mut in_trouble = politeness.in_trouble();
        let own = in_trouble.find(|(of, _)| *of == origin);
        let last_failure = own.and_then(|(_, own)| own.last_failure.clone());
        drop(in_trouble);
        let gone = Refused::Refusal(Refusal::HostGone(HostGone {
            failures: silence.failures,
            seconds: now.saturating_duration_since(silence.since).as_secs(),
        }));
        let ends = match last_failure {
            Some((failure, detail)) if !politeness.has_answered(origin) => {
                Refused::Unreachable { failure, detail }
            }
            _ => gone,
        };
        politeness.give_up(origin, ends);
        self.update(id);
    }
}

/// How long to wait for so many URLs when nothing else is left, and whoever has them has answered before.
pub(super) fn patience(has_answered: bool, urls: u64) -> Duration {
    if !has_answered {
        return Duration::ZERO;
    }
    let urls = u32::try_from(urls).unwrap_or(u32::MAX);
    PATIENCE_PER_URL.saturating_mul(urls).max(PATIENCE_MIN)
}

#[cfg(test)]
mod tests;
