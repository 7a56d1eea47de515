//! The real binary against webs on loopback.

#![allow(
    clippy::disallowed_methods,
    reason = "tests wait for other processes, and servers of tests are slow"
)]

mod accessible;
mod again;
mod again_moves;
mod again_new;
mod again_rounds;
mod again_support;
mod again_trouble;
mod agree;
mod answers;
mod architecture;
mod bounds;
mod browser;
mod browser_support;
mod bucket;
mod chinese;
mod commands;
mod conformance;
mod control;
mod copies;
mod copies_read;
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
mod mcp;
mod mistakes;
mod mistakes_configuration;
mod mistakes_directories;
mod nodes;
mod nodes_addresses;
mod nodes_budgets;
mod nodes_directories;
mod nodes_ending;
mod nodes_exact;
mod nodes_focus;
mod nodes_manners;
mod nodes_rebuilt;
mod nodes_simulated;
mod nodes_support;
mod nodes_together;
mod nodes_trouble;
mod outages;
mod parts;
#[allow(dead_code, reason = "the ledger's own tests use more of it")]
#[path = "../../crates/ledger/tests/cluster/server.rs"]
mod postgres;
mod power;
mod progress;
mod promises;
mod readback;
mod robots;
mod scope;
mod secrets;
mod serve;
mod serve_declared;
mod serve_filters;
mod serve_marks;
mod serve_security;
mod serve_support;
mod sitemaps;
mod support;
mod templates;
mod tongues;
mod traps;
mod trouble;
mod unread;
mod uploads;
mod vocabulary;
