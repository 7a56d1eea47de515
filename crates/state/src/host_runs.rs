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
//! A limit may last for longer than that. So when the host gives pages again, one of the run's is asked for once more:
//! if it comes, it was a limit after all ([`Missed`]).
//!
//! Cost: five requests and 31 s for a run that the host's past does not explain, three and 7 s where each answer says
//! that there is no page (404, 410), and one when it is over; 12 bytes for each host that has given a page, and up to
//! [`URLS_MAX`] URLs of one whose last answers were none.

use std::collections::BTreeMap;
use std::time::Duration;

use archive::{AttemptRecord, Event, LimitedRecord, PageRecord, VisitRecord};
use frontier::{Limit, Sign};
use outcome::{Change, JunkKind, Outcome};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::retry::{self, Candidate};
use crate::saved::json;

mod known;

use known::{Known, REST_MAX, Reply};

/// A run that is less likely by itself is looked into.
const CHANCE_MIN: f64 = 0.001;

/// The first rest of a host whose run is looked into; each further one is twice as long.
const REST: Duration = Duration::from_secs(1);

/// Pages of a run that are remembered.
const URLS_MAX: usize = 64;

/// After so many pages of a host all that was counted of it is halved.
const PAGES_MAX: u32 = 512;

/// How often a page of a run is asked for once more, at most.
fn tries(sign: &Sign) -> u8 {
    if sign.is_absence() { 3 } else { 5 }
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
}

/// What follows from an answer.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Step {
    /// URLs that are to be asked for once more.
    pub(crate) back: Vec<Candidate>,
    /// The URL that its host is asked for before all others.
    pub(crate) first: Option<String>,
    /// How the host limits has changed.
    pub(crate) limit: Option<Option<Limit>>,
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
    /// Those that limit.
    known: BTreeMap<Box<str>, Known>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Host {
    /// Runs of its own, and answers after the first one of each.
    runs: u32,
    further: u32,
    /// Runs that were looked into in vain.
    in_vain: u32,
    run: Option<Run>,
    missed: Option<Missed>,
}

/// A run that was looked into in vain and is over: one of its URLs is asked for once more.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Missed {
    sign: Sign,
    url: String,
    #[serde(with = "json")]
    others: Vec<Candidate>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Run {
    sign: Sign,
    answers: u32,
    #[serde(with = "json")]
    urls: Vec<Candidate>,
    stage: Stage,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Stage {
    /// It is as likely as not.
    Watched,
    /// One of its URLs is asked for once more, after so many tries before and this rest.
    Asked {
        url: String,
        before: u8,
        rest: Duration,
    },
    /// The host's own.
    Own,
}

impl HostRuns {
    /// The rest after which a URL is to be asked for once more that was answered without a page; none where that is
    /// not worth a request. A run of the host is looked into only with a URL that `may_look`.
    pub(crate) fn rest_after(&self, answer: &Unread<'_>, may_look: bool) -> Option<Duration> {
        let within = |rest: Duration| answer.asked.map_or(rest, |asked| asked.min(rest));
        let is_later = *answer.sign == Sign::later();
        if let Some(known) = self.known_by(answer.host, answer.sign) {
            return known
                .goes_on(answer.attempt)
                .then(|| within(known.limit.rest));
        }
        let key = xxh3_64(answer.host.as_bytes());
        let host = self.hosts.get(&key);
        let run = host.and_then(|host| host.run.as_ref());
        if run.is_some_and(|run| run.sign != *answer.sign && run.is_asked()) {
            return None;
        }
        let run = run.filter(|run| run.sign == *answer.sign);
        let before = match run.map(|run| &run.stage) {
            Some(Stage::Asked { url, before, .. }) if url == answer.url => before + 1,
            Some(Stage::Asked { .. } | Stage::Own) => return None,
            Some(Stage::Watched) | None => {
                let answers = run.map_or(0, |run| run.answers) + 1;
                let counted = host.map_or([0; 3], |host| [host.runs, host.further, host.in_vain]);
                let pages = self.pages.get(&key).copied();
                let is_unlikely = pages.is_some_and(|pages| is_unlikely(answers, pages, counted));
                let is_told = answer.asked.is_some() && counted[2] == 0;
                if !may_look || !(is_unlikely || is_told) {
                    return None;
                }
                0
            }
        };
        let tries = tries(answer.sign);
        let rest = match before + 1 == tries && is_later {
            // It is no dead link that says when to come.
            true => REST_MAX,
            false => REST * (1 << before.min(tries)),
        };
        (before < tries).then(|| within(rest))
    }

    /// Takes an event in, and says what follows from it.
    pub(crate) fn note(&mut self, event: &Event) -> Step {
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
                let is_page = sign.is_none() && is_page(page);
                let back = || Some((page.url.clone(), retry::origin(page)));
                self.on_end((&page.host, &page.url), sign, is_page, back)
            }
            Event::Visit(visit) => self.on_visit(visit),
            // It is no page, and may have been asked for again.
            Event::Sitemap(list) => self.on_end((&list.host, &list.url), None, false, || None),
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
        self.known.get(host).map(|known| known.limit.clone())
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
        let run = host.run_of(&sign);
        if run.sign != sign {
            // Another one is looked into.
            return Step::default();
        }
        let before = match &run.stage {
            Stage::Asked { url, before, .. } if *url == attempt.url => before + 1,
            Stage::Asked { .. } | Stage::Watched | Stage::Own => {
                run.answers = run.answers.saturating_add(1);
                0
            }
        };
        run.stage = Stage::Asked {
            url: attempt.url.clone(),
            before,
            rest,
        };
        Step {
            first: Some(attempt.url.clone()),
            ..Step::default()
        }
    }

    /// A URL is finished without a request: what it was to tell another one will.
    fn on_unasked(&mut self, host: &str, url: &str) -> Step {
        let host = self.hosts.get_mut(&xxh3_64(host.as_bytes()));
        let run = host.and_then(|host| host.run.as_mut());
        if let Some(run) = run.filter(|run| run.asks_for(url)) {
            run.stage = Stage::Watched;
        }
        Step::default()
    }

    /// A page was visited again.
    fn on_visit(&mut self, visit: &VisitRecord) -> Step {
        let is_page = match visit.change {
            Change::Unchanged | Change::Touched | Change::Changed | Change::Back => true,
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
        let url = (&*visit.host, &*visit.url);
        // It is not put back: it is due in the next round.
        self.on_end(url, sign, is_page, || None)
    }

    /// A URL is finished, by an answer without a page of this `sign`, by a page, or by neither.
    fn on_end(
        &mut self,
        (name, url): (&str, &str),
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
                Reply::Limits | Reply::Slows => step.limit = Some(Some(known.limit.clone())),
                Reply::LimitsNoMore => {
                    self.known.remove(name);
                    self.hosts.entry(key).or_default().runs += 1;
                    return Step::limit(None);
                }
                // A dead link among pages that the host limits.
                Reply::Dead => return step,
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
        if let Some(run) = host.run.as_mut()
            && let Stage::Asked {
                url: asked, rest, ..
            } = &run.stage
            && asked == url
        {
            if !is_page {
                run.stage = Stage::Own;
                run.urls.extend(back());
                host.in_vain += 1;
                return step;
            }
            let known = Known::new(run.sign.clone(), *rest);
            step.back = std::mem::take(&mut run.urls);
            host.run = None;
            step.limit = Some(Some(known.limit.clone()));
            self.known.insert(name.into(), known);
            return step;
        }
        if let Some(missed) = host.missed.take_if(|missed| missed.url == url)
            && is_page
        {
            // It lasts for longer than was waited.
            let rest = REST * (1 << tries(&missed.sign));
            let known = Known::new(missed.sign, rest);
            step.back = missed.others;
            step.limit = Some(Some(known.limit.clone()));
            self.known.insert(name.into(), known);
            return step;
        }
        match sign {
            Some(sign) => host.on_answer(&sign, back),
            None if is_page => step.back.extend(host.look_back()),
            None => {}
        }
        step
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

impl Run {
    fn is_asked(&self) -> bool {
        matches!(self.stage, Stage::Asked { .. })
    }

    fn asks_for(&self, of: &str) -> bool {
        matches!(&self.stage, Stage::Asked { url, .. } if url == of)
    }
}

impl Host {
    /// The run that an answer belongs to.
    fn run_of(&mut self, sign: &Sign) -> &mut Run {
        if self.run.as_ref().is_some_and(|run| run.sign != *sign) {
            self.end_run();
        }
        self.run.get_or_insert_with(|| Run {
            sign: sign.clone(),
            answers: 0,
            urls: Vec::new(),
            stage: Stage::Watched,
        })
    }

    /// Takes in an answer without a page.
    fn on_answer(&mut self, sign: &Sign, back: impl FnOnce() -> Option<Candidate>) {
        let run = self.run_of(sign);
        if run.sign != *sign {
            // Another one is looked into.
            return;
        }
        run.answers = run.answers.saturating_add(1);
        if run.urls.len() < URLS_MAX {
            run.urls.extend(back());
        }
    }

    /// Ends a run since a page came. Of one that was looked into in vain a URL is asked for once more.
    fn look_back(&mut self) -> Option<Candidate> {
        let mut run = self.end_run().filter(|run| run.stage == Stage::Own)?;
        let first = run.urls.pop()?;
        self.missed = Some(Missed {
            sign: run.sign,
            url: first.0.clone(),
            others: run.urls,
        });
        Some(first)
    }

    /// Counts a run as the host's own, unless one of its pages is asked for.
    fn end_run(&mut self) -> Option<Run> {
        let run = self.run.take_if(|run| !run.is_asked())?;
        if run.sign.is_by_itself() || run.answers > 1 {
            self.runs += 1;
            self.further = self.further.saturating_add(run.answers - 1);
        }
        Some(run)
    }

    fn fade(&mut self) {
        for count in [&mut self.runs, &mut self.further, &mut self.in_vain] {
            *count /= 2;
        }
    }
}

fn is_unlikely(answers: u32, pages: u32, counted: [u32; 3]) -> bool {
    let [runs, further, _] = counted.map(f64::from);
    let begins = (runs + 1.0) / (f64::from(pages) + 2.0);
    let goes_on = (further + 1.0) / (further + runs + 2.0);
    begins * goes_on.powf(f64::from(answers) - 1.0) < CHANCE_MIN
}

/// What a finished URL's answer is like, if it is without a page; of an answer that was read and not recorded yet
/// `decide` says the same.
fn sign_of(page: &PageRecord) -> Option<Sign> {
    let fetch = page.fetch.as_ref()?;
    let is_success = (200..300).contains(&fetch.status);
    match &page.outcome {
        Outcome::Redirected if page.returns.is_none() => {
            Some(Sign::elsewhere(page.redirect_target()?))
        }
        // Walls are counted for themselves (`host_walls`).
        Outcome::Judged(_) if page.is_blocked() => None,
        Outcome::Judged(_) if !is_success => Sign::error(fetch.status),
        Outcome::Judged(_) => match page.junk()?.kind() {
            JunkKind::Empty | JunkKind::Error => {
                let page = page.page.as_ref()?;
                Some(sign_of_success(
                    fetch.retry_after_s,
                    page.words,
                    &page.payload,
                ))
            }
            JunkKind::Wall
            | JunkKind::NoPage
            | JunkKind::Unwanted
            | JunkKind::Withheld
            | JunkKind::Duplicate
            | JunkKind::LinkList => None,
        },
        Outcome::Redirected
        | Outcome::NotModified
        | Outcome::Refused(_)
        | Outcome::Failed(_)
        | Outcome::Unknown(_) => None,
    }
}

/// What a success is like that has too few words to be a page, or reads like an error.
pub(crate) fn sign_of_success(retry_after_s: Option<f64>, words: u32, payload: &str) -> Sign {
    match (retry_after_s, words) {
        (Some(seconds), _) if seconds > 0.0 => Sign::later(),
        (_, 0) => Sign::empty(),
        _ => Sign::body(payload),
    }
}

/// Whether an answer is a page of the host, wanted or not.
fn is_page(page: &PageRecord) -> bool {
    match &page.outcome {
        Outcome::Judged(_) => page.junk().is_none_or(|reason| match reason.kind() {
            JunkKind::NoPage | JunkKind::Unwanted | JunkKind::Withheld | JunkKind::LinkList => true,
            // A notice with words enough is kept once.
            JunkKind::Duplicate | JunkKind::Empty | JunkKind::Error | JunkKind::Wall => false,
        }),
        Outcome::Redirected
        | Outcome::NotModified
        | Outcome::Refused(_)
        | Outcome::Failed(_)
        | Outcome::Unknown(_) => false,
    }
}

#[cfg(test)]
mod tests;
