//! What a crawl asks of [`cluster`](crate::command), in a build without the ledger.

use std::path::Path;

use config::CrawlConfig;

use crate::exit::usage;

/// Leaves the place among many machines as it is: there are none.
pub fn complete(_: &mut CrawlConfig, _: Option<&Path>, _: &Path) {}

/// No other nodes.
///
/// # Errors
/// When the configuration names a ledger.
pub fn reached(config: &CrawlConfig) -> anyhow::Result<Option<pipeline::Cluster>> {
    match &config.cluster {
        Some(cluster) if !cluster.store.is_empty() => Err(usage(
            "this build of tamis has no ledger, and the configuration names one, cluster.store: use a build with \
             the feature cluster, or leave [cluster] out",
        )),
        Some(_) | None => Ok(None),
    }
}
