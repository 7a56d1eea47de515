//! The real binary against webs on loopback.

mod architecture;
mod chinese;
mod commands;
mod control;
mod copies;
mod crash;
mod damage;
mod manners;
mod mistakes;
mod parts;
mod progress;
mod support;
mod templates;
mod trouble;
