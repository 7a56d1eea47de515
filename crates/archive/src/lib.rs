//! Bodies and journal of a crawl as WARC files: the truth that every view is rebuilt from.
//!
//! There are two series of files, with one gzip member per record, readable by any WARC tool:
//!
//! ```text
//! archive/00001.meta.warc.gz   journal   metadata records: our JSON, one per event   the commit
//! archive/00001.warc.gz        bodies    response, revisit, request, conversion      what it points at
//! ```
//!
//! A record is appended, then synced together with others: bodies first, then the journal. After
//! [`Archive::sync`] it survives `kill -9` and a power cut. What a crash leaves half written is cut by
//! the next [`Archive::open`]. A bit that flips later costs the record it stands in; [`replay`] skips and
//! reports it.
//!
//! Costs, by `benches/archive.rs` on one busy core of a small machine: a page of 30 KB markup,
//! 6 KB text and 10 KB JSON is appended in 0.1 ms when its body came content-encoded and in
//! 0.2 ms when we compress it; the journal is read at 1 GB/s of JSON unread, 0.26 GB/s as whole
//! records; opening takes a millisecond or two.
//!
//! ```
//! use archive::{Archive, ArchiveConfig, Entry, Event, Position, Record, Replayed, StopRecord};
//!
//! let dir = tempfile::tempdir()?;
//! let (mut archive, _) = Archive::open(dir.path(), ArchiveConfig::default())?;
//! let event = Event::Stop(StopRecord { reason: outcome::StopReason::Drained, ..StopRecord::default() });
//! let record = Record { seq: archive.last_seq() + 1, at_ms: 1_700_000_000_000, event };
//! archive.append(&Entry::of(&record))?;
//! archive.sync()?;
//!
//! for replayed in archive::replay(dir.path(), Position::START)? {
//!     match replayed? {
//!         Replayed::Record { record, .. } => assert_eq!(record.seq, 1),
//!         Replayed::Damage(damage) => eprintln!("{damage}"),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// What the journal says.
mod json;
mod position;
pub mod record;

// The form on disk: one gzip member per record, WARC heads, HTTP messages, files.
mod http;
mod layout;
mod member;
mod record_id;
mod response;
mod warc;

// Writing.
mod append;
mod revisit;
mod sync_hint;
mod volume;

// Reading, and recovery after a crash.
mod body;
mod capture;
mod recover;
mod replay;
mod scan;
mod texts;
mod verify;

// WARC files of other writers.
mod reader;

mod error;

pub use append::{Appended, Archive, ArchiveConfig, Bodies, Entry};
pub use body::{HeadReader, Payload, read_body, read_text};
pub use capture::{Capture, TextOfPage, WetWriter, read_capture};
pub use error::{ArchiveError, Damage};
pub use http::HttpAnswer;
pub use json::Head;
pub use position::Position;
pub use reader::{WarcError, WarcHead, WarcReader, WarcRecord};
pub use record::{
    AbsenceRecord, AgainRecord, AttemptRecord, BodyRef, DueRecord, ElsewhereExample,
    ElsewhereManners, ElsewherePage, ElsewhereRecord, Event, ExampleTarget, FetchRecord,
    JOURNAL_VERSION, LimitedRecord, LinkRecord, NeighbourRecord, NodeRecord, PageRecord,
    PageSummary, Record, RetryOrigin, RetryRecord, ReturnRecord, RobotsRecord, SOURCE_REL,
    SeedRecord, SitemapRecord, StartRecord, StopRecord, VisitRecord, WholeText,
};
pub use recover::{Cut, Recovery, cut_to};
pub use replay::{RawReplay, RawReplayed, Replay, Replayed, end, make_durable, replay, replay_raw};
pub use response::Response;
pub use texts::{Texts, Unread};
pub use verify::{BodyCheck, check_bodies};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
