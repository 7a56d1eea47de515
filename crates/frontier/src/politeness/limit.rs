//! How a host limits by answers that do not say so, as far as it is known when an answer has ended.
//!
//! Whether it does, and for how long it is to be left alone then, is the caller's to find out: by what comes when
//! a page is asked for again. Here the host is held as soon as such an answer has ended, before anything is read.
//! A `Retry-After` under an answer whose status does not speak for the host (200, 404) is but a hint. Some caches
//! write it under each dead link, so it holds a host that is not known to limit for a moment only.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{BACK_OFF_FIRST, HostAdvice};

/// Pages of a host that were good before and must be answered as a run is, for the host to limit: one may have been
/// good but once.
pub(crate) const GOOD_PAGES: usize = 2;

/// What an answer without a page is like; equal for those that a limit would give alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sign(Box<str>);

impl Sign {
    /// An error for which a page is not tried again by itself.
    pub fn error(status: u16) -> Option<Self> {
        let is_error = matches!(status, 400..=499) && !matches!(status, 408 | 425 | 429);
        is_error.then(|| Self(status.to_string().into()))
    }

    /// A success without a page that says when to come back.
    pub fn later() -> Self {
        Self("later".into())
    }

    /// A success without a word.
    pub fn empty() -> Self {
        Self("empty".into())
    }

    /// A body that says nothing, by its hash.
    pub fn body(payload: &str) -> Self {
        Self(payload.into())
    }

    /// A redirect.
    pub fn elsewhere(target: &str) -> Self {
        Self(target.into())
    }

    /// As it is recorded.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether an answer says that there is no such page.
    pub fn is_absence(&self) -> bool {
        matches!(self.as_str(), "404" | "410")
    }

    /// Whether an answer is without a page whatever the next one is, and not only where that is the same.
    pub fn is_by_itself(&self) -> bool {
        matches!(self.as_str(), "empty" | "later") || self.0.len() == 3
    }
}

impl From<&str> for Sign {
    fn from(recorded: &str) -> Self {
        Self(recorded.into())
    }
}

/// A host gives the page again after this rest that gave such an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// The answer.
    pub sign: Sign,
    /// The rest.
    pub rest: Duration,
}

/// What pages say that a host has given, asked for once more since a run of its answers without a page began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GoodPages {
    /// Nothing yet, or no page is known.
    #[default]
    Unknown,
    /// They are answered as the run is.
    Refused,
    /// The last one came.
    Come,
}

/// A run of answers without a page that is looked into.
#[derive(Debug)]
pub(crate) struct LookedInto {
    sign: Sign,
    /// The host refuses even what it gave before.
    pub(crate) is_sure: bool,
    /// Pages that were good and are answered so by now, in a row.
    refused: usize,
    /// So many are known.
    known: usize,
    /// How often it was looked into.
    pub(crate) looks: u32,
    /// Such a page is asked for.
    pub(crate) is_asked: bool,
    /// One came since the run's page was asked for last.
    came: bool,
}

impl LookedInto {
    pub(crate) fn new(sign: Sign) -> Self {
        Self {
            sign,
            is_sure: false,
            refused: 0,
            known: 0,
            looks: 0,
            is_asked: false,
            came: false,
        }
    }

    /// The run's page is to be asked for once more. Gives which of so many pages that were good is to be asked for
    /// besides.
    pub(crate) fn begin(&mut self, sign: &Sign, is_sure: bool, known: usize) -> Option<usize> {
        if self.sign != *sign {
            *self = Self::new(sign.clone());
        }
        (self.is_sure, self.known) = (is_sure, known);
        self.looks = self.looks.wrapping_add(1);
        // Once is enough, as long as no other has spoken against it.
        self.came &= !is_sure;
        if known == 0 || self.came || std::mem::replace(&mut self.is_asked, true) {
            return None;
        }
        Some(self.refused % known)
    }

    /// A page that was good has answered.
    pub(super) fn on_good_page(&mut self, advice: &HostAdvice) {
        self.is_asked = false;
        let is_refused = advice.sign.as_ref() == Some(&self.sign);
        self.came = advice.status == 200 && advice.sign.is_none();
        match is_refused {
            true => self.refused += 1,
            false => self.refused = 0,
        }
    }

    pub(crate) fn good_pages(&self, sign: &Sign) -> GoodPages {
        match self.sign == *sign {
            true if self.came => GoodPages::Come,
            true if self.known >= GOOD_PAGES && self.refused >= self.known => GoodPages::Refused,
            true | false => GoodPages::Unknown,
        }
    }
}

/// For how long a host is left alone after an answer whose status does not ask for that.
pub(super) fn rest_after(limit: Option<&Limit>, advice: &HostAdvice) -> Option<Duration> {
    if advice.is_doubt {
        return None;
    }
    let known = limit.filter(|limit| advice.sign.as_ref() == Some(&limit.sign));
    let rest = match known {
        Some(limit) => limit.rest,
        None => BACK_OFF_FIRST.min(advice.hint?),
    };
    Some(advice.hint.map_or(rest, |asked| asked.min(rest)))
}
