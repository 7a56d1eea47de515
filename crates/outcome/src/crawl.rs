//! How robots.txt and sitemaps answered, why a body is not whole, why a crawl stopped.

use crate::names::names;

names! {
    /// What rules follow from the answer to robots.txt (RFC 9309 §2.3.1).
    pub enum RobotsAnswer {
        /// It was read.
        Parsed = "parsed",
        /// There is none (4xx): all is allowed.
        AllowAll = "allow_all",
        /// It could not be had for too long, or in a way that does not pass by itself: the host is
        /// closed. In records of earlier versions, after four tries.
        DisallowAll = "disallow_all",
        /// It could not be had for now (5xx, 429, no answer, cut off): the host waits and is asked
        /// again, or an earlier copy stays in use.
        Outage = "outage",
    }
}

impl Default for RobotsAnswer {
    fn default() -> Self {
        Self::Unknown("".into())
    }
}

names! {
    /// What kind of sitemap was read.
    pub enum SitemapKind {
        /// A list of pages.
        Urlset = "urlset",
        /// A list of sitemaps.
        Index = "index",
        /// Plain text, one URL a line.
        Text = "text",
        /// An RSS feed.
        Rss = "rss",
        /// An Atom feed.
        Atom = "atom",
        /// A JSON Feed.
        Json = "json",
        /// It could not be read.
        Unreadable = "",
    }
}

#[expect(
    clippy::derivable_impls,
    reason = "the macro that makes the enum has no default row"
)]
impl Default for SitemapKind {
    fn default() -> Self {
        Self::Unreadable
    }
}

names! {
    /// Why a body is not whole.
    pub enum Truncation {
        /// It was larger than the limit.
        Bytes = "bytes",
        /// It took longer than a limit.
        Time = "time",
        /// The server went away before its announced end.
        Disconnect = "disconnect",
    }
}

/// Words that complete the sentence "the crawl is …".
type Words = &'static str;

/// Never shown: an unknown reason is told by its name.
const NO_WORDS: Words = "";

names! {
    /// Why a crawl stopped.
    pub enum StopReason: Words or NO_WORDS {
        /// Nothing is pending.
        Drained = "drained" => "done, nothing is left in the queue",
        /// The page budget is used up.
        MaxPages = "max_pages" => "done, the page budget is used up",
        /// The time budget is used up.
        MaxTime = "max_time" => "done, the time budget is used up",
        /// A stop was asked for.
        Interrupted = "interrupted" => "interrupted",
        /// Its settings were to be read anew; it goes on with them at once.
        Reloaded = "reloaded" => "stopped for a moment, to go on with other settings",
        /// Little more was to be found for the topic.
        Harvest = "harvest" => "done, little more was to be found",
        /// The topic's example pages were all it had, and none of them could be read.
        NoTopic = "no_topic" => "stopped, none of the topic's example pages could be read",
        /// All that is left waits on hosts that give no answer, no page, or no robots.txt; it stays in the queue.
        HostsUnreachable = "hosts_unreachable" =>
            "stopped, the hosts that are left give no answer, no page, or no robots.txt; start it again later",
        /// On many machines: this node was asked to hand over what it has.
        HandedOver = "handed_over" => "handed over, other nodes go on with its hosts",
        /// The disk is about to be full.
        DiskFull = "disk_full" => "stopped, the disk is about to be full",
        /// A thread or the archive failed.
        Error = "error" => "ended by an error",
    }
}

impl StopReason {
    /// The reason as people say it.
    pub fn words(&self) -> &str {
        match self {
            Self::Unknown(name) => name,
            known => known.facts(),
        }
    }
}

impl Default for StopReason {
    fn default() -> Self {
        Self::Unknown("".into())
    }
}
