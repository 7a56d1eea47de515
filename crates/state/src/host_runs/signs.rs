//! What an answer is like that is without a page, and which answers are pages, by what is recorded of them.

use archive::PageRecord;
use frontier::Sign;
use outcome::{JunkKind, Outcome};

/// What a finished URL's answer is like, if it is without a page; of an answer that was read and not recorded yet
/// `decide` says the same.
pub(super) fn sign_of(page: &PageRecord) -> Option<Sign> {
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

/// Whether an outcome is that of a page of the host, wanted or not.
pub(super) fn is_page(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Judged(_) => outcome.junk().is_none_or(|reason| match reason.kind() {
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
