//! A small web for tests and the demo: in process, or on loopback.
//!
//! A crawler is tested against a web, but a test must not touch the internet. This crate is a web for
//! tests: hosts with pages or a handler each, the faults of real servers on request ([`Faults`]), and a
//! log of every request with its times, for tests of politeness.
//!
//! A [`TestWeb`] answers in two ways. As a [`fetcher::Fetch`] it is called in process: without a socket,
//! deterministic, and under tokio's paused clock a crawl with delays takes milliseconds. With
//! [`TestWeb::serve`] it listens on loopback, as an HTTP/1.1 server with virtual hosts and as a forward
//! proxy, so a crawler reaches all its hosts through `--proxy`.
//!
//! ```
//! use testweb::{Request, TestWeb};
//!
//! let web = TestWeb::new()
//!     .page("http://a.test/", "<a href=/x>x</a>")
//!     .robots("a.test", "User-agent: *\nDisallow: /x\n");
//! let answer = web.answer(&Request::get(&"http://a.test/".parse()?)).expect("a host");
//! assert_eq!(answer.status, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`demo`] is the web that `tamis demo` crawls: eleven hosts in English and Chinese with the usual
//! difficulties of the real web.
//!
//! [`random`] makes webs of mirrors, translations, session ids, dead links and calendars in random
//! mixtures, and knows which texts there are to be found.
//!
//! [`history`] is a site as it stood at a time that a test moves, with validators that are honest or not.
//!
//! [`bulk`] makes webs of many pages of real size, for measurements.
//!
//! Modules in reading order: [`message`], [`faults`], [`web`], then the two ways to reach it, `fetch` and
//! [`serve`], then [`demo`], [`random`], [`history`] and [`bulk`].

pub mod bulk;
pub mod demo;
pub mod faults;
mod fetch;
pub mod history;
pub mod message;
pub mod random;
pub mod serve;
pub mod web;

pub use faults::Faults;
pub use message::{Request, Response};
pub use serve::Served;
pub use web::{LogEntry, TestWeb};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
