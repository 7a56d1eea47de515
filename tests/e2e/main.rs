//! The real binary against webs on loopback.

mod architecture;
mod bounds;
mod chinese;
mod commands;
mod conformance;
mod control;
mod copies;
mod crash;
mod damage;
mod dedup;
mod examples;
mod faults;
mod focus;
mod library;
mod manners;
mod mistakes;
mod parts;
mod power;
mod progress;
mod robots;
mod secrets;
mod support;
mod templates;
mod traps;
mod trouble;
mod vocabulary;
