//! `[url]`: how URLs are written before they are compared.

use frontier::Canonicaliser;

use crate::crawl_config::CrawlConfig;
use crate::rule::{CountsFor, any, each};
use crate::section::{Section, keys};

keys! {
    /// How URLs are written before they are compared. Off by default: each of these can join two
    /// different pages.
    pub struct UrlSection {
        /// Sort query parameters.
        sort_query: bool = false, any().counts_for(CountsFor::NewLinks);

        /// Query parameters to drop; `utm_*` drops all that begin so.
        drop_params: Vec<String> = Vec::new(), each("names", parameter).counts_for(CountsFor::NewLinks);

        /// Drop well-known tracking parameters (`utm_*`, `fbclid`, ...).
        drop_tracking: bool = false, any().counts_for(CountsFor::NewLinks);

        /// Drop well-known session ids, in the query and in the path.
        drop_sessions: bool = false, any().counts_for(CountsFor::NewLinks);

        /// Take `/index.html` and the like for `/`.
        drop_index_pages: bool = false, any().counts_for(CountsFor::NewLinks);
    }
}

impl Section for UrlSection {}

impl CrawlConfig {
    /// How URLs are made canonical.
    pub fn canonicaliser(&self) -> Canonicaliser {
        Canonicaliser {
            sort_query: self.url.sort_query,
            drop_params: self.url.drop_params.clone(),
            drop_tracking: self.url.drop_tracking,
            drop_sessions: self.url.drop_sessions,
            drop_index_pages: self.url.drop_index_pages,
        }
    }
}

fn parameter(name: &str) -> Result<(), (String, String)> {
    match name {
        "" => Err((
            "is the name of no parameter".into(),
            "leave it out, or write a name, such as \"ref\"".into(),
        )),
        _ => Ok(()),
    }
}
