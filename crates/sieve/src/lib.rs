//! The decision: is this page kept, and if not, why not?
//!
//! [`judge()`] takes a page's [`Evidence`] and the crawl's [`Rules`] and answers with a
//! [`Verdict`](outcome::Verdict). Whether a duplicate then takes the place of the page that it repeats
//! is a matter of [`representative`].
//! It has every `if` of the decision, in order of precedence, and nothing else: no clock, no
//! index, no page. So a verdict follows again from its recorded inputs, at any time.
//!
//! In reading order: [`evidence`] is what is known of a page when it is judged, [`rules`] what the
//! user wants, [`mod@judge`] the decision, [`resemblance`] how a duplicate resembles the page it
//! repeats, [`siblings`] the doubt that pages of one host deserve, [`soft_404`] one measure that
//! needs only words, and [`representative`] who stands for a cluster. The names of verdicts and
//! reasons are those of crate `outcome`.

pub mod evidence;
pub mod judge;
pub mod representative;
pub mod resemblance;
pub mod rules;
pub mod siblings;
pub mod soft_404;

pub use evidence::{Content, Evidence};
pub use judge::judge;
pub use representative::{Keep, Member, better_representative};
pub use resemblance::{LAYOUT_BITS_MAX, duplicate_kind};
pub use rules::Rules;
pub use siblings::between_siblings;
