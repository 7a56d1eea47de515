//! The sections of the file: each file declares one section's keys and makes of them what the
//! stages want.

mod agent;
mod archive;
mod crawl;
mod dedup;
mod host;
mod keep;
mod limits;
mod network;
mod politeness;
mod scope;
mod seeds;
mod topic;
mod url;

pub use agent::AgentSection;
pub use archive::ArchiveSection;
pub use crawl::CrawlSection;
pub use dedup::{DedupSection, DuplicateLinks};
pub use host::HostSection;
pub use keep::KeepSection;
pub use limits::LimitsSection;
pub use network::NetworkSection;
pub use politeness::PolitenessSection;
pub use scope::ScopeSection;
pub use seeds::SeedsSection;
pub use topic::{OffTopic, TopicSection};
pub use url::UrlSection;
