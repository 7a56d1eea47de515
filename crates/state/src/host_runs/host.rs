//! What a host has answered without a page of late, and how often it has done so before.

use std::time::Duration;

use frontier::{Limit, Sign};
use serde::{Deserialize, Serialize};

use super::owed::bounded;
use super::{CHANCE_MIN, PAGES_MAX, REST, SURE_REST_MAX, URLS_MAX, tries};
use crate::retry::Candidate;
use crate::saved::json;

#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Host {
    /// Runs of its own, and answers after the first one of each.
    pub(super) runs: u32,
    pub(super) further: u32,
    /// Runs that were looked into in vain.
    pub(super) in_vain: u32,
    pub(super) run: Option<Run>,
    pub(super) missed: Option<Missed>,
}

/// A run that was looked into in vain and is over: one of its URLs is asked for once more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Missed {
    pub(super) sign: Sign,
    pub(super) url: String,
    /// That has had an answer, which was no page.
    pub(super) is_answered: bool,
    #[serde(with = "json")]
    pub(super) others: Vec<Candidate>,
}

/// Answers without a page since the last page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    /// What the last of them was like, or that of the page that is asked for.
    pub(super) sign: Sign,
    pub(super) answers: u32,
    /// When the first of them was asked for, milliseconds since the Unix epoch; 0 where that is not known.
    pub(super) since_ms: u64,
    #[serde(with = "json")]
    pub(super) urls: Vec<Candidate>,
    pub(super) stage: Stage,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// It is as likely as not.
    Watched,
    /// One of its URLs is asked for once more.
    Asked(Asked),
    /// The host's own.
    Own,
}

/// A URL that is asked for once more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) url: String,
    /// Tries before.
    pub(super) before: u8,
    /// The rest before the next one, and all rests so far.
    pub(super) rest: Duration,
    pub(super) rested: Duration,
    /// Pages that the host gave before are answered so as well: any of its URLs is asked for again.
    pub(super) is_sure: bool,
}

impl Run {
    fn of(sign: &Sign, since_ms: u64) -> Self {
        Self {
            sign: sign.clone(),
            answers: 0,
            since_ms,
            urls: Vec::new(),
            stage: Stage::Watched,
        }
    }

    pub(super) fn asked(&self) -> Option<&Asked> {
        match &self.stage {
            Stage::Asked(asked) => Some(asked),
            Stage::Watched | Stage::Own => None,
        }
    }

    /// Whether it hangs on this URL whether the host limits.
    pub(super) fn asks_for(&self, url: &str) -> bool {
        self.asked()
            .is_some_and(|asked| asked.url == url && !asked.is_sure)
    }

    /// Whether an answer is one of it. Those without a page by themselves go together. One that is so only where the
    /// next is the same, such as a redirect, is of a run of its kind alone, and may be of none.
    pub(super) fn takes(&self, sign: &Sign) -> bool {
        self.sign == *sign || sign.is_by_itself() && self.is_one()
    }

    /// Whether it began after something was asked for. What was asked for first may be read last.
    pub(super) fn began_after(&self, asked_ms: u64) -> bool {
        asked_ms > 0 && asked_ms < self.since_ms
    }

    /// Whether it is one by now.
    fn is_one(&self) -> bool {
        self.sign.is_by_itself() || self.answers > 1
    }

    /// How the host limits, if it refuses even what it gave before.
    pub(super) fn sure_limit(&self) -> Option<Limit> {
        let asked = self.asked().filter(|asked| asked.is_sure)?;
        Some(Limit {
            sign: self.sign.clone(),
            rest: sure_rest(asked.before.saturating_add(1)),
        })
    }

    /// Remembers a URL of it.
    pub(super) fn remember(&mut self, urls: impl IntoIterator<Item = Candidate>) {
        let room = URLS_MAX.saturating_sub(self.urls.len());
        self.urls.extend(urls.into_iter().take(room));
    }
}

/// What a URL says of its host that was asked for once more.
#[derive(Debug)]
pub(super) enum Found {
    /// The pages of the run are not there, as far as was waited.
    Own,
    /// Nothing.
    Nothing,
    /// It limits by such answers, gives pages again after this rest, and these URLs are to be asked for.
    Limits(Sign, Duration, Vec<Candidate>),
}

impl Host {
    /// A URL is finished. What that says of the host, if it was to say something.
    pub(super) fn on_asked(
        &mut self,
        url: &str,
        sign: Option<&Sign>,
        is_page: bool,
    ) -> Option<Found> {
        if let Some(run) = &mut self.run
            && let Stage::Asked(asked) = &run.stage
        {
            let is_like_it = sign.is_some_and(|sign| run.takes(sign));
            if asked.is_sure && (is_page || is_like_it) || asked.url == url && is_page {
                let rest = if asked.is_sure {
                    asked.rested
                } else {
                    asked.rest
                };
                let run = self.run.take()?;
                return Some(Found::Limits(run.sign, rest, run.urls));
            }
            if asked.url == url && !asked.is_sure {
                if !is_like_it {
                    // Another one is to tell.
                    run.stage = Stage::Watched;
                    return Some(Found::Nothing);
                }
                run.stage = Stage::Own;
                self.in_vain += 1;
                return Some(Found::Own);
            }
        }
        let missed = self.missed.as_mut().filter(|missed| missed.url == url)?;
        if !is_page {
            missed.is_answered = true;
            return None;
        }
        let missed = self.missed.take()?;
        // It lasts for longer than was waited.
        let rest = REST * (1 << tries(&missed.sign));
        Some(Found::Limits(missed.sign, rest, missed.others))
    }

    /// Remembers a URL of its run.
    pub(super) fn remember_in_run(&mut self, url: Option<Candidate>) {
        if let Some(run) = &mut self.run {
            run.remember(url);
        }
    }

    /// The run that an answer belongs to, if to any.
    pub(super) fn run_of(&mut self, sign: &Sign, asked_ms: u64) -> Option<&mut Run> {
        if let Some(run) = &self.run
            && !run.takes(sign)
        {
            if run.is_one() || run.asked().is_some() {
                return None;
            }
            self.run = None;
        }
        let run = self.run.get_or_insert_with(|| Run::of(sign, asked_ms));
        if run.asked().is_none() {
            run.sign = sign.clone();
        }
        Some(run)
    }

    /// Takes in an answer without a page.
    pub(super) fn on_answer(
        &mut self,
        sign: &Sign,
        asked_ms: u64,
        back: impl FnOnce() -> Option<Candidate>,
    ) {
        if let Some(run) = self.run_of(sign, asked_ms) {
            run.answers = run.answers.saturating_add(1);
            if run.urls.len() < URLS_MAX {
                run.urls.extend(back());
            }
        }
    }

    /// Ends a run since a page came that was asked for after it had begun. Of one that was looked into in vain a URL is
    /// asked for once more. An answer to that which is one of several in a row says nothing.
    pub(super) fn look_back(&mut self, asked_ms: u64) -> Option<Candidate> {
        if self
            .run
            .as_ref()
            .is_some_and(|run| run.began_after(asked_ms))
        {
            return None;
        }
        let run = self.end_run();
        let was_in_a_row = run.as_ref().is_none_or(|run| run.answers > 1);
        let mut run = run.filter(|run| run.stage == Stage::Own);
        let mut urls = run
            .as_mut()
            .map_or_else(Vec::new, |run| std::mem::take(&mut run.urls));
        let sign = match self.missed.take() {
            Some(missed) if missed.is_answered && !was_in_a_row => return None,
            Some(mut missed) => {
                // Those that have waited longest are asked for first.
                missed.others.splice(0..0, urls);
                missed.others.truncate(URLS_MAX);
                if !missed.is_answered {
                    self.missed = Some(missed);
                    return None;
                }
                urls = missed.others;
                missed.sign
            }
            None => run?.sign,
        };
        let first = urls.pop()?;
        self.missed = Some(Missed {
            sign,
            url: first.0.clone(),
            is_answered: false,
            others: urls,
        });
        Some(first)
    }

    /// Counts a run as the host's own, unless one of its pages is asked for.
    fn end_run(&mut self) -> Option<Run> {
        let run = self.run.take_if(|run| run.asked().is_none())?;
        if run.is_one() {
            self.runs += 1;
            self.further = self.further.saturating_add(run.answers.saturating_sub(1));
        }
        Some(run)
    }

    /// What is known of it counts half.
    pub(super) fn fade(&mut self) {
        for count in [&mut self.runs, &mut self.further, &mut self.in_vain] {
            *count /= 2;
        }
    }

    /// URLs that it remembers.
    pub(super) fn urls(&self) -> usize {
        let of_run = self.run.as_ref().map_or(0, |run| run.urls.len());
        of_run + self.missed.as_ref().map_or(0, |missed| missed.others.len())
    }

    /// Whether a URL is asked for that is to tell of others.
    pub(super) fn is_looked_into(&self) -> bool {
        let asked = self.run.as_ref().and_then(Run::asked);
        asked.is_some() || self.missed.is_some()
    }

    /// A run of its own has come to light. One that is looked into goes on.
    pub(super) fn join(&mut self, mut own: Run) {
        match self.run.take() {
            Some(mut run) if run.asked().is_some() => {
                run.remember(own.urls);
                self.run = Some(run);
            }
            before => {
                own.remember(before.into_iter().flat_map(|run| run.urls));
                self.run = Some(own);
            }
        }
    }

    /// Lets the URLs go that it remembers.
    pub(super) fn forget_urls(&mut self) {
        if let Some(run) = &mut self.run {
            run.urls = Vec::new();
        }
        if let Some(missed) = &mut self.missed {
            missed.others = Vec::new();
        }
    }

    /// The URLs that it remembers.
    pub(super) fn candidates(&mut self) -> impl Iterator<Item = &mut Candidate> {
        let of_run = self.run.iter_mut().flat_map(|run| &mut run.urls);
        of_run.chain(self.missed.iter_mut().flat_map(|missed| &mut missed.others))
    }

    /// Keeps what another node has told of it within bounds.
    pub(super) fn bound(&mut self) {
        for count in [&mut self.runs, &mut self.further, &mut self.in_vain] {
            *count = (*count).min(PAGES_MAX);
        }
        if let Some(run) = &mut self.run {
            run.urls.truncate(URLS_MAX);
            if let Stage::Asked(asked) = &mut run.stage {
                bounded(&mut asked.rest);
                bounded(&mut asked.rested);
            }
        }
        if let Some(missed) = &mut self.missed {
            missed.others.truncate(URLS_MAX);
        }
    }

    /// Whether so many answers in a row are less likely by its past than is believed.
    pub(super) fn is_unlikely(&self, answers: u32, pages: u32) -> bool {
        let [runs, further] = [self.runs, self.further].map(f64::from);
        let begins = (runs + 1.0) / (f64::from(pages) + 2.0);
        let goes_on = (further + 1.0) / (further + runs + 2.0);
        begins * goes_on.powf(f64::from(answers) - 1.0) < CHANCE_MIN
    }
}

/// The rest of a host that refuses even what it gave before, after so many tries.
pub(super) fn sure_rest(before: u8) -> Duration {
    REST.saturating_mul(1 << before.min(16)).min(SURE_REST_MAX)
}
