//! The real binary against webs on loopback.

mod architecture;
mod chinese;
mod commands;
mod copies;
mod crash;
mod damage;
mod manners;
mod mistakes;
mod parts;
mod support;
mod templates;
