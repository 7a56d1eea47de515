//! Closed archive files, copied to an object store while the crawl goes on.
//!
//! An archive file is closed when the next one of its kind is begun; it never changes again. A thread of
//! its own copies closed files, one after the other, to a [`Place`]: `s3://bucket/prefix`, or a directory
//! as `file:///path`. The crawl never waits for it. What does not work is tried again for as long as the
//! crawl runs, with longer and longer pauses, and told: in the log, and in [`Told`], a small file in the
//! crawl's directory that whoever looks may read.
//!
//! ```text
//! writer ──note_closed──► Uploads (thread) ──part after part──► the store
//!                             │
//!                             └──► uploads.json: what is there, what waits, what is wrong
//! ```
//!
//! **Nothing is remembered that the store does not say.** At each start it is asked for what it has; a file
//! of the same name and length is there, and any other is copied from its beginning. So a kill costs the
//! file that was under way.
//!
//! Memory: one part of 8 MB (more only for files beyond 70 GB). Credentials come from the environment
//! alone (`AWS_ACCESS_KEY_ID` and the like), and stand in no file, message or log of ours.
//!
//! In reading order: [`place`] where to, `bucket` how one is reached, `copy` one file, [`uploads`] the thread, [`told`] what it says; [`fetch`]
//! brings copies back for whoever reads them.

#[cfg(feature = "s3")]
mod bucket;
mod copy;
pub mod fetch;
pub mod place;
pub mod told;
pub mod uploads;

pub use fetch::{Brought, Copies, FetchError, Source};
pub use place::{Place, PlaceError};
pub use told::{Told, safe_journals};
pub use uploads::{End, Handle, Uploads};
