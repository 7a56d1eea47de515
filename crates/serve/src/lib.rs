//! A crawl in the browser: pages, a JSON API and metrics, read from what a crawl writes.
//!
//! ```text
//! journal ──► Follower: figures and rows in memory, following the tail ──┐
//! index ────► Searcher                                                  ├──► pages, API, metrics, events
//! control.sock ◄──► status, pause, resume, stop, retry                  ──┘
//! ```
//!
//! The server belongs to no crawl: it reads files that a crawl writes and asks it through its socket,
//! whether the crawl runs in another process, in this one, or not at all. It holds no lock that a crawl
//! waits for.
//!
//! Modules in reading order. What is known: `rows` and `follow` fold the journal, `live` asks a running
//! crawl, `crawls` holds one of each per directory, `audit` what people said. What is asked: `days`, `lists`,
//! `searching`, `story`, `changing`, `comparing`, `sampling`, `steering`. Who asks: `guard` is the door, `listen` bounds
//! connections, `jobs` the work that reads, `app` what requests share, `asking` what pages and API ask. What is answered: [`answers`],
//! [`api`], `metrics`, `pages` for people, and `assist` for assistants, which needs no door.

mod shown;

mod audit;
mod clock;
mod crawls;
mod follow;
mod live;
mod rows;

mod changing;
mod comparing;
mod days;
mod lists;
mod sampling;
mod searching;
mod steering;
mod story;

mod app;
mod asking;
mod guard;
mod jobs;
mod listen;

pub mod answers;
pub mod api;
mod metrics;
mod pages;
mod server;

mod assist;

pub use assist::assist;
pub use crawls::CRAWLS_MAX;
pub use guard::TOKEN_BYTES_MIN;
pub use live::{BrokenLinks, CurvePoint, Latest, Status, WaitingHost};
pub use server::{Options, ServeError, Server};
