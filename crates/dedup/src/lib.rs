//! A stream of documents through the fingerprint, index and verdict of a crawl.
//!
//! ```text
//! documents ──Workers──► Reading ──in order──► Decision { verdict, nearest kept document, original }
//!             print,                nearest, sieve::judge,
//!             signature             better_representative
//! ```
//!
//! A document is read by itself, on any core; it is judged after all before it, since each verdict
//! depends on what was kept. So decisions do not depend on how the stream is cut into batches, and
//! besides a batch only the kept documents' prints and names are held: in memory, or in a directory
//! that the next run goes on from.
//!
//! Beside a crawl's own method stand the field's others (crate `resemblance`), so that a user sees
//! on their own documents what each finds.
//!
//! Modules in reading order: [`settings`] (what makes a duplicate), [`reader`] (a document to what
//! is judged), [`kept`] (the kept documents, also on disk), [`decide`] (the decisions), [`pair`]
//! (two documents compared in full).
//!
//! ```
//! use dedup::{Deduplicator, KeptDocuments, Settings, Verdict};
//! use documents::{Document, Form, PageFacts};
//!
//! let settings = Settings::default();
//! let kept = KeptDocuments::in_memory(&settings.index())?;
//! let mut dedup = Deduplicator::new(&settings, kept, &[])?;
//! let text = "the index keeps one copy of each page that it has seen before";
//! let document = |id: u64| Document {
//!     id: id.into(),
//!     url: None,
//!     form: Form::Text(text.into()),
//!     facts: PageFacts::default(),
//! };
//! assert_eq!(dedup.decide(document(1))?.verdict, Verdict::Kept);
//! let copy = dedup.decide(document(2))?;
//! assert_eq!(copy.verdict.name(), "exact_duplicate");
//! assert_eq!(copy.near.map(|near| near.id), Some(1.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod decide;
pub mod kept;
pub mod pair;
pub mod reader;
pub mod settings;

pub use decide::{Answer, Counts, Decision, Deduplicator, Failure, Near, Verdict};
pub use kept::{KeptDocuments, KeptError, Name};
pub use pair::{Pair, Side};
pub use reader::{Reader, Reading};
pub use settings::{Method, Settings, SettingsError, Unread};
