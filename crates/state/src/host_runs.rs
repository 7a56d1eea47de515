//! Hosts that limit by answers that do not say so: runs of answers without a page.
//!
//! A host that has given pages, and then answers one URL after the other with 403, 404, nothing, or one and the same
//! place to go, either limits us or has a part where no pages are. What it has done before tells how likely a run of
//! such answers is by itself, with two rates of its own, that of runs and that of going on with one:
//!
//! ```text
//!   chance of n = (runs + 1) / (pages + 2)  *  ((further + 1) / (further + runs + 2)) ^ (n - 1)
//! ```
//!
//! Dead links stand together, so a run that has begun goes on with a half before anything is known of it: after forty
//! pages six in a row are less likely than one in a thousand, after five pages nine. A `Retry-After` under such an
//! answer speaks for a limit as much as a run does, once: some caches write it under each dead link.
//!
//! Such a run is looked into. The host rests for a second, no longer than it asked for, and is asked for the last page
//! of the run before all others, and again after twice as long each time. Where that page comes, the host limits: the
//! run's other pages are asked for once more, and each that is answered so from then on ([`Known`]). Where it does not
//! come, the pages are not there. The run counts as one of the host's own, and makes the next one likelier. All is
//! counted less the longer ago it was, so that a host that begins to limit later is found out as well.
//!
//! With it a page is asked for that the host gave before: the last one, then the first. Where these, too, are answered
//! as the run is, the host limits for sure. It rests for ever longer then, each of its URLs is asked for again that is
//! answered so, and it counts as in trouble until a page comes (`frontier`'s part on silent hosts).
//!
//! A limit may last for longer than that and not be known for sure. So when the host gives pages again, one of the run's is asked for once more:
//! if it comes, it was a limit after all ([`Missed`]).
//!
//! Cost: five requests and 31 s for a run that the host's past does not explain, three and 7 s where each answer says
//! that there is no page (404, 410), two and 3 s of these where a page comes that was there before; one for such a page,
//! and one when it is over; 12 bytes for each host that has given a page, and up to
//! [`URLS_MAX`] URLs of one whose last answers were none.

use std::collections::BTreeMap;
use std::time::Duration;

use archive::{AttemptRecord, Event, FetchRecord, LimitedRecord, VisitRecord};
use frontier::{GoodPages, Limit, Origin, Sign};
use outcome::Change;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::retry::{self, Candidate};

mod host;
mod known;
mod owed;
mod signs;

use host::{Asked, Found, Host, Run, Stage, sure_rest};
use known::{Known, REST_MAX, Reply};
pub(crate) use owed::OwedRuns;
pub(crate) use signs::sign_of_success;
use signs::{is_page, sign_of};

/// A run that is less likely by itself is looked into.
const CHANCE_MIN: f64 = 0.001;

/// The first rest of a host whose run is looked into; each further one is twice as long.
const REST: Duration = Duration::from_secs(1);

/// The longest rest of a host that refuses even what it gave before.
const SURE_REST_MAX: Duration = Duration::from_secs(600);

/// Pages of a run that are remembered.
const URLS_MAX: usize = 256;

/// URLs that are remembered of all hosts, some 300 bytes each. Those of hosts that were met longest ago are forgotten.
const REMEMBERED_MAX: usize = 65_536;

/// Of so many of these one is sought that is not being looked into.
const LOOKS_MAX: usize = 256;

/// After so many pages of a host all that was counted of it is halved.
const PAGES_MAX: u32 = 512;

/// How often a page of a run is asked for once more, at most.
fn tries(sign: &Sign) -> u8 {
    if sign.is_absence() { 3 } else { 5 }
}

/// When something was asked for, milliseconds since the Unix epoch.
fn asked_at(fetch: Option<&FetchRecord>) -> u64 {
    fetch.map_or(0, |fetch| fetch.started_ms)
}

/// A URL's answer without a page.
pub(crate) struct Unread<'a> {
    pub(crate) host: &'a str,
    pub(crate) url: &'a str,
    pub(crate) sign: &'a Sign,
    /// Its `Retry-After`.
    pub(crate) asked: Option<Duration>,
    /// Which try it was, 1 for the first.
    pub(crate) attempt: u32,
    /// What pages say of it that its host gave before.
    pub(crate) good_pages: GoodPages,
}

/// A URL by which a host is looked into.
#[derive(Debug, PartialEq)]
pub(crate) struct Look {
    pub(crate) url: String,
    pub(crate) sign: Sign,
    /// The host refuses all.
    pub(crate) is_sure: bool,
}

/// What follows from an answer.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Step {
    /// URLs that are to be asked for once more.
    pub(crate) back: Vec<Candidate>,
    /// A host is looked into.
    pub(crate) look: Option<Look>,
    /// It is not any more.
    pub(crate) ends_look: bool,
    /// How the host limits has changed.
    pub(crate) limit: Option<Option<Limit>>,
    /// This one of `back` is to be asked for before all others of its host.
    pub(crate) first: Option<String>,
    /// A page came that the host had not given while it limited.
    pub(crate) slows: bool,
}

/// The runs of all hosts.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct HostRuns {
    /// Pages that hosts have given.
    pages: BTreeMap<u64, u32>,
    /// Those that have answered without one since.
    hosts: BTreeMap<u64, Host>,
    /// Those of which URLs are remembered: when each was met last, by the count of such answers, and how many there are.
    remembered: BTreeMap<u64, (u64, usize)>,
    /// The same by when.
    order: BTreeMap<u64, u64>,
    turn: u64,
    /// How many there are of all.
    urls: usize,
    /// Those that limit.
    known: BTreeMap<Box<str>, Known>,
}

impl HostRuns {
    /// Whether a URL is to be asked for once more that was answered without a page, and after which rest. A run of the
    /// host is looked into only with a URL that `may_look`.
    pub(crate) fn limited_by(&self, answer: &Unread<'_>, may_look: bool) -> Option<LimitedRecord> {
        let (rest, is_sure) = self.rest_after(answer, may_look)?;
        // What is sure has been refused after such a wait.
        let asked = answer.asked.filter(|_| !is_sure);
        let rest = asked.map_or(rest, |asked| asked.min(rest));
        Some(LimitedRecord {
            like: answer.sign.as_str().into(),
            rest_s: rest.as_secs_f64(),
            is_sure,
        })
    }

    /// The rest, and whether the host limits for sure.
    fn rest_after(&self, answer: &Unread<'_>, may_look: bool) -> Option<(Duration, bool)> {
        let is_later = *answer.sign == Sign::later();
        if let Some(known) = self.known_by(answer.host, answer.sign) {
            return known
                .goes_on(answer.attempt)
                .then_some((known.limit.rest, false));
        }
        let key = xxh3_64(answer.host.as_bytes());
        let host = self.hosts.get(&key);
        let run = host.and_then(|host| host.run.as_ref());
        let asked = run.and_then(Run::asked);
        if run.is_some_and(|run| asked.is_some() && !run.takes(answer.sign)) {
            return None;
        }
        let run = run.filter(|run| run.takes(answer.sign));
        let before = match (asked, run.map(|run| &run.stage)) {
            (Some(asked), _) if asked.is_sure => {
                let goes_on = answer.good_pages != GoodPages::Come;
                return goes_on.then(|| (sure_rest(asked.before.saturating_add(1)), true));
            }
            (Some(asked), _) if asked.url == answer.url => asked.before + 1,
            (Some(_), _) | (None, Some(Stage::Own)) => return None,
            (None, _) => {
                let answers = run.map_or(0, |run| run.answers) + 1;
                let unknown = Host::default();
                let host = host.unwrap_or(&unknown);
                let pages = self.pages.get(&key);
                let is_unlikely = pages.is_some_and(|pages| host.is_unlikely(answers, *pages));
                let is_told = answer.asked.is_some() && host.in_vain == 0;
                if !may_look || !(is_unlikely || is_told) {
                    return None;
                }
                0
            }
        };
        if before > 0 && answer.good_pages == GoodPages::Refused {
            return Some((sure_rest(before), true));
        }
        let tries = match answer.good_pages {
            // What is not there is not, where others are.
            GoodPages::Come if answer.sign.is_absence() => tries(answer.sign) - 1,
            GoodPages::Come | GoodPages::Refused | GoodPages::Unknown => tries(answer.sign),
        };
        let rest = match before + 1 == tries && is_later {
            // It is no dead link that says when to come.
            true => REST_MAX,
            false => REST * (1 << before.min(tries)),
        };
        (before < tries).then_some((rest, false))
    }

    /// Takes an event of a host in, and says what follows from it.
    pub(crate) fn note(&mut self, host: &str, event: &Event) -> Step {
        let was_looked_into = self.is_looked_into(host);
        let mut step = self.step(event);
        step.ends_look = was_looked_into && !self.is_looked_into(host);
        step
    }

    fn is_looked_into(&self, host: &str) -> bool {
        self.run_of(host).and_then(Run::asked).is_some()
    }

    fn run_of(&self, host: &str) -> Option<&Run> {
        self.hosts.get(&xxh3_64(host.as_bytes()))?.run.as_ref()
    }

    fn step(&mut self, event: &Event) -> Step {
        match event {
            Event::Attempt(attempt) => match &attempt.limited {
                Some(limited) => self.on_attempt(attempt, limited),
                None => Step::default(),
            },
            Event::Page(page) if page.fetch.is_none() => self.on_unasked(&page.host, &page.url),
            Event::Visit(visit) if visit.fetch.is_none() => {
                self.on_unasked(&visit.host, &visit.url)
            }
            Event::Page(page) => {
                let sign = sign_of(page);
                let is_page = sign.is_none() && is_page(&page.outcome);
                let back = || Some((page.url.clone(), retry::origin(page)));
                let asked_ms = asked_at(page.fetch.as_ref());
                self.on_end((&page.host, &page.url), asked_ms, sign, is_page, back)
            }
            Event::Visit(visit) => self.on_visit(visit),
            // It is no page, and may have been asked for again.
            Event::Sitemap(list) => self.on_end((&list.host, &list.url), 0, None, false, || None),
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => Step::default(),
        }
    }

    /// How a host limits.
    pub(crate) fn limit_of(&self, host: &str) -> Option<Limit> {
        let known = self.known.get(host).map(|known| known.limit.clone());
        known.or_else(|| self.run_of(host)?.sure_limit())
    }

    /// The origin of a host that refuses even what it gave before.
    pub(crate) fn refuses_all(&self, host: &str) -> Option<Origin> {
        let asked = self.run_of(host)?.asked()?;
        asked.is_sure.then(|| Origin::of(&asked.url))
    }

    /// The hosts that limit.
    pub(crate) fn limited(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(|host| &**host)
    }

    fn known_by(&self, host: &str, sign: &Sign) -> Option<&Known> {
        self.known
            .get(host)
            .filter(|known| known.limit.sign == *sign)
    }

    /// A URL is to be asked for once more: since its host limits, or to find out whether it does.
    fn on_attempt(&mut self, attempt: &AttemptRecord, limited: &LimitedRecord) -> Step {
        let sign = Sign::from(limited.like.as_str());
        let rest = Duration::try_from_secs_f64(limited.rest_s).unwrap_or_default();
        if let Some(known) = self.known.get_mut(&*attempt.host)
            && known.limit.sign == sign
        {
            known.on_limited(&attempt.url, &attempt.fetch, rest);
            return Step::limit(Some(known.limit.clone()));
        }
        let host = self
            .hosts
            .entry(xxh3_64(attempt.host.as_bytes()))
            .or_default();
        let Some(run) = host.run_of(&sign, attempt.fetch.started_ms) else {
            // Another one is looked into.
            return Step::default();
        };
        let before = run
            .asked()
            .filter(|asked| asked.is_sure || asked.url == attempt.url);
        let (before, rested) = match before {
            Some(asked) => (asked.before.saturating_add(1), asked.rested),
            None => {
                run.answers = run.answers.saturating_add(1);
                (0, Duration::ZERO)
            }
        };
        run.sign = sign.clone();
        run.stage = Stage::Asked(Asked {
            url: attempt.url.clone(),
            before,
            rest,
            rested: rested.saturating_add(rest),
            is_sure: limited.is_sure,
        });
        let limit = run.sure_limit();
        Step {
            look: Some(Look {
                url: attempt.url.clone(),
                sign,
                is_sure: limited.is_sure,
            }),
            limit: limit.map(Some),
            ..Step::default()
        }
    }

    /// A URL is finished without a request: what it was to tell another one will.
    fn on_unasked(&mut self, name: &str, url: &str) -> Step {
        if let Some(known) = self.known.get_mut(name) {
            known.on_unasked(url);
        }
        if let Some(host) = self.hosts.get_mut(&xxh3_64(name.as_bytes())) {
            if let Some(run) = host.run.as_mut().filter(|run| run.asks_for(url)) {
                run.stage = Stage::Watched;
            }
            if let Some(missed) = host.missed.as_mut().filter(|missed| missed.url == url) {
                missed.is_answered = true;
            }
        }
        Step::default()
    }

    /// A page was visited again.
    fn on_visit(&mut self, visit: &VisitRecord) -> Step {
        let is_page = match visit.change {
            // What was no page and is as it was is none.
            Change::Unchanged | Change::Touched => is_page(&visit.was),
            Change::Changed | Change::Back => true,
            Change::New | Change::Moved | Change::Gone | Change::Unclear | Change::Unknown(_) => {
                false
            }
        };
        let status = visit.fetch.as_ref().map_or(0, |fetch| fetch.status);
        let redirect = visit
            .page
            .as_ref()
            .filter(|_| visit.change == Change::Moved);
        let sign = redirect.and_then(|page| sign_of(page));
        let sign = sign
            .or_else(|| Sign::error(status))
            .filter(|_| !visit.is_blocked());
        let is_page = is_page && sign.is_none();
        let url = (&*visit.host, &*visit.url);
        // It is not put back: it is due in the next round.
        self.on_end(url, asked_at(visit.fetch.as_ref()), sign, is_page, || None)
    }

    /// A URL is finished, by an answer without a page of this `sign`, by a page, or by neither.
    fn on_end(
        &mut self,
        (name, url): (&str, &str),
        asked_ms: u64,
        sign: Option<Sign>,
        is_page: bool,
        back: impl FnOnce() -> Option<Candidate>,
    ) -> Step {
        let key = xxh3_64(name.as_bytes());
        let mut step = Step::default();
        if let Some(known) = self.known.get_mut(name) {
            let reply = known.on_end(url, sign.as_ref(), is_page);
            step.slows = reply == Reply::Slows;
            match reply {
                Reply::Limits | Reply::Slows => {
                    step.limit = Some(Some(known.limit.clone()));
                    step.back = known.take_back();
                }
                // A dead link among pages that the host limits.
                Reply::Dead => {
                    known.remember(back());
                    return step;
                }
                Reply::LimitsNoMore => {
                    known.remember(back());
                    self.limits_no_more(name, key);
                    return Step::limit(None);
                }
                Reply::Nothing => {}
            }
        }
        if is_page {
            let pages = self.pages.entry(key).or_default();
            *pages += 1;
            if *pages > PAGES_MAX {
                *pages /= 2;
                self.hosts.entry(key).or_default().fade();
            }
        }
        if !self.pages.contains_key(&key) && !self.hosts.contains_key(&key) {
            return step;
        }
        let host = match sign {
            Some(_) => self.hosts.entry(key).or_default(),
            None => match self.hosts.get_mut(&key) {
                Some(host) => host,
                None => return step,
            },
        };
        if let Some(found) = host.on_asked(url, sign.as_ref(), is_page) {
            match found {
                Found::Own => host.remember_in_run(back()),
                Found::Nothing => {}
                Found::Limits(sign, rest, urls) => {
                    let known = Known::new(sign, rest);
                    self.limits(name, known, back().filter(|_| !is_page), &mut step);
                    step.back.extend(urls);
                }
            }
            self.remember(key);
            return step;
        }
        match sign {
            Some(sign) => {
                host.on_answer(&sign, asked_ms, back);
                self.remember(key);
            }
            None if is_page => {
                let again = host.look_back(asked_ms);
                step.first = again.as_ref().map(|(url, _)| url.clone());
                step.back.extend(again);
                self.remember(key);
            }
            None => {}
        }
        step
    }

    /// A host limits, and has ended a URL by that.
    fn limits(&mut self, name: &str, mut known: Known, url: Option<Candidate>, step: &mut Step) {
        known.remember(url);
        step.limit = Some(Some(known.limit.clone()));
        let before = self.known.insert(name.into(), known);
        let ended = before.into_iter().flat_map(|mut known| known.take_back());
        step.back.extend(ended);
    }

    /// What its answers were taken for is a run of the host's own, if none is looked into.
    fn limits_no_more(&mut self, name: &str, key: u64) {
        if let Some(known) = self.known.remove(name) {
            let host = self.hosts.entry(key).or_default();
            host.runs += 1;
            host.join(known.into_run());
            self.remember(key);
        }
    }

    /// What a host remembers has changed. Those that were met longest ago are forgotten where all remember too much, but
    /// for what is being looked into.
    fn remember(&mut self, key: u64) {
        let urls = self.hosts.get(&key).map_or(0, Host::urls);
        if let Some((turn, before)) = self.remembered.remove(&key) {
            self.order.remove(&turn);
            self.urls -= before;
        }
        if urls == 0 {
            return;
        }
        self.turn += 1;
        self.urls += urls;
        self.order.insert(self.turn, key);
        self.remembered.insert(key, (self.turn, urls));
        if self.urls <= REMEMBERED_MAX {
            return;
        }
        let hosts = &self.hosts;
        let is_idle = |key: &u64| hosts.get(key).is_none_or(|host| !host.is_looked_into());
        let oldest = self.order.values().take(LOOKS_MAX).find(|key| is_idle(key));
        if let Some(oldest) = oldest.copied() {
            if let Some(host) = self.hosts.get_mut(&oldest) {
                host.forget_urls();
            }
            self.remember(oldest);
        }
    }
}

impl Step {
    fn limit(limit: Option<Limit>) -> Self {
        Self {
            limit: Some(limit),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
