//! Coming back to a page: when it is worth a request, and what a visit says of the one before.
//!
//! ```text
//! visits of a URL ──► Evidence ─┐
//! rates of its like ─► Priors ──┴─► Rates ──marginal value──► which URLs a round visits
//! what its site tells ─► Signals ───┘
//!
//! text before, text now ──► Comparison ──► unchanged, touched, changed with its passages
//! answers of a URL ──► Absence ──► gone, after two of them a day apart
//! ```
//!
//! **When.** Changes of a page are a Poisson process with an unknown rate. A visit shows whether there
//! was a change since the visit before, so what is known of the rate is a distribution over a grid of
//! rates: a prior, which is what the pages of its like turned out to do, times the likelihood of its
//! visits. Of a distribution of rates follows how likely a page is still as it was, and what one more
//! visit adds to the time for which our copy is right. That marginal value, times the importance of the
//! page, is the order in which pages are visited. For known rates this order is optimal up to the
//! discreteness of visits (Azar, Horvitz, Lubetzky, Peres, Shahaf, *Tractable near-optimal policies for
//! crawling*, PNAS 115, 2018); what a site tells enters as effective time (Busa-Fekete et al., *Tractable
//! near-optimal crawling with noisy change signals*, 2025).
//!
//! **What.** A page is compared with itself: the same words, nearly the same (numbers, dates and a few
//! words), or another text.
//!
//! Everything here is pure: time is an argument, in days, and no input makes a function fail.
//!
//! In reading order: [`rates`] (a distribution of change rates, and what follows of it), [`evidence`]
//! (what visits showed), [`prior`] (what pages of its like do), [`signals`] (what a site tells, and whether
//! it is to be believed), [`told`] (the dates in its lists), [`validators`] (whether 304 is),
//! [`quiet`] (for how long a list's is), [`clock`] (times that are still to come), [`round`] (which URLs a round visits); [`change`] (two
//! texts of one page), [`absence`] (when a page is gone); [`freshness`] simulates all that and the rules
//! of other crawlers, [`random`] makes its numbers.

pub mod absence;
pub mod change;
pub mod clock;
pub mod evidence;
pub mod freshness;
pub mod prior;
pub mod quiet;
pub mod random;
pub mod rates;
pub mod round;
pub mod signals;
pub mod told;
pub mod validators;

pub use absence::{Absence, GoneRule};
pub use change::parts;
pub use change::{
    Comparison, Known, Part, Passage, Shown, compare, compare_knowing, compare_on_pages,
};
pub use evidence::Evidence;
pub use prior::{Place, Priors};
pub use quiet::Quiet;
pub use rates::Rates;
pub use round::{Candidate, RoundLimits, choose};
pub use signals::Signals;
pub use validators::Validators;
