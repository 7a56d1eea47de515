//! The sections of the file: each file declares one section's keys and makes of them what the
//! stages want.

mod again;
mod agent;
mod archive;
mod cluster;
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

pub use again::{AgainMode, AgainSection};
pub use agent::AgentSection;
pub use archive::ArchiveSection;
pub use cluster::ClusterSection;
pub use crawl::CrawlSection;
pub use dedup::{DedupSection, DuplicateLinks, LearntRule};
pub use host::HostSection;
pub use keep::KeepSection;
pub use limits::LimitsSection;
pub use network::NetworkSection;
pub use politeness::PolitenessSection;
pub use scope::{FileLinks, ScopeSection};
pub use seeds::SeedsSection;
pub use topic::{OffTopic, TopicSection};
pub use url::UrlSection;

#[cfg(test)]
mod tests {
    use extractor::DomLimits;
    use fetcher::FetchLimits;
    use focus::FocusConfig;
    use frontier::{Canonicaliser, FrontierConfig, URL_BYTES_MAX};
    use sieve::Rules;
    use simhash::IndexConfig;

    use super::*;
    use crate::CrawlConfig;

    #[test]
    fn by_default_each_stage_gets_its_own_defaults() {
        let config = CrawlConfig::default();
        assert_eq!(config.rules(), Rules::default());
        assert_eq!(config.index_config(), IndexConfig::default());
        assert_eq!(config.dom_limits(), DomLimits::DEFAULT);
        let frontier = FrontierConfig {
            // Who crawls by the crate alone need not answer where a host is.
            looks_up: true,
            ..FrontierConfig::default()
        };
        assert_eq!(config.frontier_config(), frontier);
        assert_eq!(config.canonicaliser(), Canonicaliser::default());
        let fetch = FetchLimits {
            // A fetch that is asked for by hand may have a longer URL than a crawl's.
            url_bytes_max: URL_BYTES_MAX,
            ..FetchLimits::default()
        };
        assert_eq!(config.fetch_limits(), fetch);
        let (ours, theirs) = (config.archive_config(), ::archive::ArchiveConfig::default());
        assert_eq!(ours.bodies, theirs.bodies);
        assert_eq!(ours.file_bytes_max, theirs.file_bytes_max);
        assert!(config.focus_config().is_none());
    }

    #[test]
    fn a_topic_without_settings_has_the_focus_defaults() {
        let config = CrawlConfig {
            topic: Some(TopicSection::default()),
            ..CrawlConfig::default()
        };
        let (ours, theirs) = (config.focus_config(), FocusConfig::default());
        let ours = ours.expect("has a topic");
        assert_eq!(ours.topic.threshold, theirs.topic.threshold);
        assert_eq!(ours.links.exploration, theirs.links.exploration);
        assert_eq!(ours.stop.harvest_min, theirs.stop.harvest_min);
        assert_eq!(ours.stop.window, theirs.stop.window);
        assert_eq!(ours.topic.seed, config.crawl.random_seed);
        assert_eq!(config.rules().relevance_min, Some(theirs.topic.threshold));
    }

    #[test]
    fn a_page_off_topic_is_kept_where_the_topic_only_orders_the_queue() {
        let mut config = CrawlConfig {
            topic: Some(TopicSection::default()),
            ..CrawlConfig::default()
        };
        if let Some(topic) = &mut config.topic {
            topic.off_topic = OffTopic::Keep;
        }
        assert_eq!(config.rules().relevance_min, None);
    }

    #[test]
    fn the_network_client_is_told_who_asks_and_how_fast() {
        let mut config = CrawlConfig::default();
        config.agent.contact = "me@example.org".into();
        config.network.resolve = vec!["A.example:443:[::1]".into()];
        config.politeness.requests_per_second = 2.5;
        let http = config.http_config().expect("is checked");
        assert_eq!(http.contact.as_deref(), Some("me@example.org"));
        assert_eq!(http.requests_per_second, Some(2.5));
        assert_eq!(http.bandwidth, None);
        assert_eq!(http.resolve[0].0, "a.example");
        let fields = config.request_fields();
        assert!(fields.contains(&("from".into(), "me@example.org".into())));
        config.network.proxy = "::".into();
        assert!(config.http_config().is_err());
    }
}
