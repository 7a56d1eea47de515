//! All limits on one fetch.
//!
//! A server chooses how much it sends and how slowly; each limit bounds the cost of one such choice. A
//! fetch that meets a limit ends, reports which one, and keeps what had arrived.

use std::time::Duration;

use crate::fetch::Purpose;

/// The limits on one fetch and on decoding its body.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchLimits {
    /// The most bytes of a body that are read, as sent (before decompression). The rest is not
    /// read and the connection is closed. 10 MB holds all but some 0.01 % of HTML pages. All
    /// bodies together have a bound of their own: [`Self::large_bodies_bytes_max`].
    pub body_bytes_max: u64,
    /// The most bytes of a body that are read of what is no page by its type and its first bytes: an
    /// image, a PDF, an archive. They tell what it is, and all of most icons and style sheets, whose
    /// connections then stay open. Asked for pages only; no more than [`Self::body_bytes_max`].
    pub file_bytes_max: u64,
    /// The most bytes of a robots.txt that are read, as sent. RFC 9309 asks for at least 500 KiB, and
    /// the parser reads exactly that much. A little more is fetched, so that the parser notices the cut
    /// and ignores the incomplete line.
    pub robots_bytes_max: u64,
    /// The most bytes of a sitemap that are read, as sent. sitemaps.org allows 50 MB.
    pub sitemap_bytes_max: u64,
    /// The most bytes of a decoded body; the rest is cut.
    pub decoded_bytes_max: u64,
    /// The most decoded bytes per received byte. Text compresses 3 to 20 times, the most repetitive real
    /// pages some 100 times, decompression bombs 1,000 times and more. The ratio is not checked below
    /// 1 MiB of decoded bytes.
    pub ratio_max: u32,
    /// The most content codings applied to one body. Normal servers apply one.
    pub codings_max: usize,
    /// The most bytes of a response's headers, names and values together.
    pub header_bytes_max: usize,
    /// The most headers of a response.
    pub header_count_max: usize,
    /// The longest time for name look-up, TCP and TLS together.
    pub connect_timeout: Duration,
    /// The longest wait for the response's headers once connected. Slow dynamic pages take
    /// seconds; beyond 30 s a browser's user has left.
    pub first_byte_timeout: Duration,
    /// The longest silence inside a body.
    pub idle_timeout: Duration,
    /// The longest time for the whole fetch with its body. It bounds a server that sends a byte now and
    /// then.
    pub total_timeout: Duration,
    /// The least bytes per second of a body, averaged since its start and checked after
    /// [`Self::body_rate_grace`]. 0 turns it off. Half a kilobyte a second is slower than any modem; a
    /// server that sends less only occupies a connection.
    pub body_rate_min: u64,
    /// How long after the start of a body its rate is first checked.
    pub body_rate_grace: Duration,
    /// The most bytes of all bodies over 256 KiB of one fetcher together, including those of answers that
    /// are still held. A body reserves room as it grows; one that finds none waits, for `total_timeout` at
    /// most, and is then cut. One body at a time always fits, also one that alone is larger than this.
    pub large_bodies_bytes_max: u64,
    /// The longest URL that is requested, in bytes. Servers answer 414 at about 8,000; normal links stay
    /// under 2,000.
    pub url_bytes_max: usize,
    /// The most redirects that a caller should follow in a row. Browsers stop at 20; RFC 9309
    /// asks for at least 5 for robots.txt.
    pub redirects_max: u32,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            body_bytes_max: 10_000_000,
            file_bytes_max: 16_000,
            robots_bytes_max: 600_000,
            sitemap_bytes_max: 52_428_800,
            decoded_bytes_max: 20_000_000,
            ratio_max: 200,
            codings_max: 3,
            header_bytes_max: 64 * 1024,
            header_count_max: 200,
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_secs(120),
            body_rate_min: 500,
            body_rate_grace: Duration::from_secs(20),
            large_bodies_bytes_max: 64_000_000,
            url_bytes_max: 8_000,
            redirects_max: 10,
        }
    }
}

impl FetchLimits {
    /// The most body bytes read for a purpose.
    pub fn bytes_max(&self, purpose: Purpose) -> u64 {
        match purpose {
            Purpose::Page => self.body_bytes_max,
            Purpose::Robots => self.robots_bytes_max,
            Purpose::Sitemap => self.sitemap_bytes_max,
        }
    }

    /// The same limits with `decoded_bytes_max` for a purpose: a decoded sitemap may have the protocol's
    /// 50 MB, a decoded robots.txt no more than is read of it.
    pub fn decoding_for(&self, purpose: Purpose) -> Self {
        let decoded_bytes_max = match purpose {
            Purpose::Page => self.decoded_bytes_max,
            Purpose::Robots => self.robots_bytes_max,
            Purpose::Sitemap => self.sitemap_bytes_max,
        };
        Self {
            decoded_bytes_max,
            ..self.clone()
        }
    }
}
