//! The real binary against webs on loopback.

#![allow(
    clippy::disallowed_methods,
    reason = "tests wait for other processes, and servers of tests are slow"
)]

mod again;
mod architecture;
mod bounds;
mod browser;
mod browser_support;
mod chinese;
mod commands;
mod conformance;
mod control;
mod copies;
mod crash;
mod damage;
mod dedup;
mod examples;
mod exports;
mod faults;
mod focus;
mod learnt;
mod library;
mod manners;
mod mistakes;
mod outages;
mod parts;
mod power;
mod progress;
mod robots;
mod scope;
mod secrets;
mod serve;
mod serve_security;
mod serve_support;
mod support;
mod templates;
mod traps;
mod trouble;
mod vocabulary;
