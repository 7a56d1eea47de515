//! Everything that can happen to a URL, a link and a crawl, by name.
//!
//! The journal, the exports, the reports and the command line speak of fates: a page is `junk`
//! because it is a `near_duplicate`, a URL is `refused` by `robots`, a link is left out for
//! `budget_host`. Here each of them is a value of an enum, with its *wire name*: the string that
//! stands in archives and in JSON. Code compares values; strings are made when a record is
//! written or shown, and read when a record is read.
//!
//! Wire names are a contract. Names may be added; none is ever changed or given a new meaning. A
//! name that this version does not know, written by a newer one, is kept as `Unknown` with its
//! text: it is shown and written again as it was, and is never taken for another.
//!
//! To add a reason, add one row to its enum. The row carries the facts that other crates ask for
//! (what kind of junk it is, the words for people in English and Chinese), so report, explain,
//! exports, focus and the tables of the handbook follow from it.
//!
//! ```
//! use outcome::{JunkReason, Outcome, Verdict};
//!
//! let outcome = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
//! assert_eq!((outcome.name(), outcome.verdict(), outcome.reason()),
//!            ("judged", Some("junk"), Some("near_duplicate".into())));
//! assert!(JunkReason::from("near_duplicate").is_duplicate());
//! assert_eq!(JunkReason::from("comet").name(), "comet"); // from a newer version
//! ```
//!
//! In reading order: `names` (the macro behind the enums), `junk`, `refusal`, `failure` and
//! `outcome` (what becomes of a URL), `learnt` (what refusals by learnt rules may have cost), `link`
//! (what becomes of a link), `page` (page types and duplicates), `wall` (pages that stand in the way),
//! `change` (what a visit says of the one before), `outlook` (what is left to find), `crawl` (robots.txt, sitemaps, the
//! end of a crawl).

mod change;
mod crawl;
mod failure;
mod junk;
mod learnt;
mod link;
mod names;
mod outcome;
mod outlook;
mod page;
mod refusal;
mod wall;

pub use change::Change;
pub use crawl::{RobotsAnswer, SitemapKind, StopReason, Truncation};
pub use failure::FailureKind;
pub use junk::{JunkKind, JunkReason};
pub use learnt::{LearntLosses, RuleLoss, of_compared, share_bound};
pub use link::LinkFate;
pub use outcome::{
    Outcome, OutcomeKind, OutcomeParts, RefusalEvidence, UnknownOutcome, UrlState, Verdict,
};
pub use outlook::{ExpectedPages, Outlook};
pub use page::{DuplicateKind, NeighbourDecision, PageType};
pub use refusal::{
    HostGone, LowYield, PredictedDuplicate, PredictionCause, Refusal, RobotsRefusal, Trap, Walled,
};
pub use wall::{Wall, WallKind, WallRest, WallWindow};

#[cfg(test)]
mod tests;
