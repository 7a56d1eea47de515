//! The ledger on a real server: every law of the plain model, and what no model has: nodes that
//! stop, connections that are cut, servers that die.
//!
//! The tests start a primary and a synchronous standby of their own. Without PostgreSQL they say
//! so and pass, but not under CI.

mod cards;
mod costs;
mod failover;
mod fences;
mod grants;
mod laws;
mod order;
mod relay;
mod roles;
mod server;
