//! How a host limits by answers that do not say so, as far as it is known when an answer has ended.
//!
//! Whether it does, and for how long it is to be left alone then, is the caller's to find out: by what comes when
//! a page is asked for again. Here the host is held as soon as such an answer has ended, before anything is read.
//! A `Retry-After` under an answer whose status does not speak for the host (200, 404) is but a hint. Some caches
//! write it under each dead link, so it holds a host that is not known to limit for a moment only.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{BACK_OFF_FIRST, HostAdvice};

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

/// For how long a host is left alone after an answer whose status does not ask for that.
pub(super) fn rest_after(limit: Option<&Limit>, advice: &HostAdvice) -> Option<Duration> {
    let known = limit.filter(|limit| advice.sign.as_ref() == Some(&limit.sign));
    let rest = match known {
        Some(limit) => limit.rest,
        None => BACK_OFF_FIRST.min(advice.hint?),
    };
    Some(advice.hint.map_or(rest, |asked| asked.min(rest)))
}
