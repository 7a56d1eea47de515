//! One crawl on many machines, as a flow: how fast it gets on, and what bounds it.
//!
//! No URL is a thing of its own here. Hosts of one size make a class; what a node has of a class is a
//! number, and so is how many pages of each host are left. Time goes on in steps of a minute at most:
//!
//! ```text
//! hosts that have pages left ─► what they allow (a delay and an answer for each request)
//!         ▼ no more than what the node has: connections, cores, bandwidth
//!         ▼ no more than the order of kept texts lets through: groups, and how long each has it
//!         ▼ no more than the store's cores
//! pages of this step ─► messages, rows, bytes, log, disk, memory
//! ```
//!
//! What a page, a group and a row cost is measured, and stands in the plan ([`Costs`]); what follows from it
//! for 10^9 pages is arithmetic. So it is wrong where the web is not as the plan says, and where something
//! matters that is not in it: hosts that fail, a network between the machines that is slow at times.
//!
//! A crawl of few pages is over before it is even. It is simulated request by request besides (`requests`),
//! and what its nodes say to stay in the crawl beat by beat (`keeping`).
//!
//! Costs: steps x classes x nodes; a crawl of 30 days by 32 nodes takes about a second.

mod figures;
mod flow;
mod groups;
mod keeping;
mod plan;
mod requests;

pub use figures::{Bound, Messages, Simulated};
pub use flow::simulate;
pub use plan::{Costs, Crawl, HostClass, Machine, Plan, PlanError, Prices, Web};
