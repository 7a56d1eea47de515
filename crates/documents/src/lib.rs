//! Files to documents: pages, texts, JSON lines, WARC and WET, in bounded batches.
//!
//! A crawl reads pages from the network; everything else that asks about pages reads them from
//! files, and must read them in the same way, or a fingerprint made from a file would not be the
//! one that the crawl made. So what a file holds is decided here, once: whether it is a page or a
//! text, whether it is a list of documents, and which records of an archive are documents.
//!
//! ```text
//! files ─► Documents ─batch─► Document | DocumentError ─Workers─► words, PageFacts
//!          gzip, JSON lines,  one line or record each   all cores
//!          WARC, WET
//! ```
//!
//! Nothing is read whole but a single document: lines and records are bounded, and so is a batch. A
//! line that is no document is an error with its file and line, and the next line is read.
//!
//! Modules in reading order: [`text`] (bytes to a text), [`file`](mod@file) (a file to bytes),
//! [`document`] with `json_line` and `warc` (what a line or record holds), [`source`] (one file),
//! [`batches`] (many files), [`workers`] (a batch over all cores), [`extraction`] (pages to JSON
//! lines).
//!
//! ```
//! use documents::{Documents, Entry};
//!
//! let dir = tempfile::tempdir()?;
//! let file = dir.path().join("docs.jsonl");
//! std::fs::write(&file, "{\"id\": 1, \"text\": \"two words\"}\nno document\n")?;
//!
//! let mut documents = Documents::open([file]);
//! let batch = documents.next_batch()?.expect("there is one");
//! let Ok(Entry::Document(first)) = &batch[0] else { panic!("{batch:?}") };
//! assert_eq!(first.read().0.len(), 2);
//! assert_eq!(batch[1].as_ref().unwrap_err().line, Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod batches;
pub mod document;
pub mod extraction;
pub mod file;
mod json_line;
pub mod source;
pub mod text;
mod warc;
pub mod workers;

pub use batches::{BatchLimits, Documents};
pub use document::{Document, DocumentError, DocumentProblem, Entry, Form, PageFacts};
pub use file::FileError;
pub use source::{OpenError, Source};
pub use text::{Text, body_markdown, body_text, is_page, page_text, without_mark};
pub use workers::Workers;
