//! A small web for tests and the demo: in process, or on loopback.
//!
//! A crawler is tested against a web, and a test must not touch the internet. So here is a web of
//! our own: hosts with a handler each, the misbehaviour of real servers on request ([`Faults`]),
//! and a log of who asked for what and when, for tests of politeness.
//!
//! The same [`TestWeb`] answers in two ways. As a [`fetcher::Fetch`] it is called in process:
//! no socket, deterministic, and under tokio's paused clock a crawl with delays takes
//! milliseconds. By [`TestWeb::serve`] it listens on loopback as an HTTP/1.1 server by virtual
//! host and as a forward proxy, so a crawler reaches all its hosts through `--proxy`.
//!
//! [`demo`] is the web that `tamis demo` crawls: some ten hosts in English and Chinese with the
//! usual troubles of the real one.
//!
//! Modules in reading order: [`message`], [`faults`], [`web`], then the two ways to be asked,
//! `fetch` and [`serve`], then [`demo`].

pub mod demo;
pub mod faults;
mod fetch;
pub mod message;
pub mod serve;
pub mod web;

pub use faults::Faults;
pub use message::{Request, Response};
pub use serve::Served;
pub use web::{LogEntry, TestWeb};
