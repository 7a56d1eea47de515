//! Reading a body as it arrives, until it ends or a limit is met.
//!
//! A body ends at its end, at too many bytes, after a silence, by slowness, or with the connection. Only
//! the first gives a whole body. In the other cases the bytes received are kept with the reason, since
//! half a page is still worth archiving.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use governor::DefaultDirectRateLimiter;
use governor::{Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{FetchError, Seen, TimeoutPhase};
use crate::fetch::Truncated;
use crate::limits::FetchLimits;

/// A limit on bytes per second, over all bodies of one fetcher together.
pub(crate) struct Bandwidth {
    limiter: DefaultDirectRateLimiter,
    burst: NonZeroU32,
}

impl Bandwidth {
    /// A limit of so many bytes per second; `None` for zero.
    pub(crate) fn new(bytes_per_second: u64) -> Option<Self> {
        let burst = NonZeroU32::new(u32::try_from(bytes_per_second).unwrap_or(u32::MAX))?;
        Some(Self {
            limiter: RateLimiter::direct(Quota::per_second(burst)),
            burst,
        })
    }

    /// Waits until so many bytes are allowed, and returns how long it waited.
    async fn take(&self, bytes: usize) -> Duration {
        let started = Instant::now();
        let mut left = bytes;
        while left > 0 {
            let piece = u32::try_from(left).unwrap_or(u32::MAX);
            let Some(piece) = NonZeroU32::new(piece.min(self.burst.get())) else {
                break;
            };
            // A piece is never larger than the burst, so the limiter does not refuse it.
            let _ = self.limiter.until_n_ready(piece).await;
            left -= piece.get() as usize;
        }
        started.elapsed()
    }
}

/// Bodies up to this size need no reserved memory. Most bodies are smaller, so they never wait.
const SMALL_BYTES: usize = 256 * 1024;
/// Bytes for each permit of [`BodyMemory`].
const PERMIT_BYTES: u64 = 1024;

/// The memory for large bodies, shared by all fetches of one fetcher.
///
/// A body reserves what it may need before it grows large, and releases it when its last copy is
/// dropped. Without this, as many bodies as there are connections could each reach their own bound.
pub(crate) struct BodyMemory {
    permits: Arc<Semaphore>,
    most: u32,
}

impl BodyMemory {
    /// Memory for so many bytes; there is always enough for one body.
    pub(crate) fn new(bytes: u64) -> Self {
        let most = u32::try_from(bytes / PERMIT_BYTES)
            .unwrap_or(u32::MAX)
            .max(1);
        Self {
            permits: Arc::new(Semaphore::new(most as usize)),
            most,
        }
    }

    /// Waits until so many bytes are free, for `longest` at most. A body of unknown length reserves a
    /// quarter of all: it may need more, but seldom does.
    async fn reserve(
        &self,
        bytes: Option<usize>,
        longest: Duration,
    ) -> Option<OwnedSemaphorePermit> {
        let permits = match bytes {
            Some(bytes) => u32::try_from(bytes as u64 / PERMIT_BYTES + 1).unwrap_or(u32::MAX),
            None => self.most / 4 + 1,
        };
        let reserved = Arc::clone(&self.permits).acquire_many_owned(permits.min(self.most));
        let reserved = tokio::time::timeout(longest, reserved).await.ok()?;
        Some(reserved.expect("nobody closes this semaphore"))
    }
}

/// A large body with its reserved memory.
struct Large {
    body: Bytes,
    _reserved: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Large {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// What was read of a body.
pub(crate) struct Received {
    pub(crate) body: Bytes,
    pub(crate) truncated: Option<Truncated>,
}

/// Reads the body of one response.
pub(crate) struct BodyReader<'f> {
    pub(crate) limits: &'f FetchLimits,
    /// The most bytes of this body.
    pub(crate) bytes_max: u64,
    /// When the request was sent.
    pub(crate) started: Instant,
    pub(crate) bandwidth: Option<&'f Bandwidth>,
    pub(crate) memory: &'f BodyMemory,
    pub(crate) proxied: bool,
}

/// What comes next of a body.
enum Next {
    Chunk(Bytes),
    /// The body ends here, whole or truncated.
    End(Option<Truncated>),
}

impl BodyReader<'_> {
    pub(crate) async fn read(
        &self,
        mut response: reqwest::Response,
    ) -> Result<Received, FetchError> {
        let bytes_max = usize::try_from(self.bytes_max).unwrap_or(usize::MAX);
        let announced = usize::try_from(response.content_length().unwrap_or(0));
        let announced = announced.unwrap_or(usize::MAX).min(bytes_max);
        let mut reserved = None;
        let mut body = BytesMut::with_capacity(announced.min(SMALL_BYTES));
        let mut clock = BodyClock::new(self.limits, self.started);
        let truncated = loop {
            let patience = clock.patience(body.len());
            let chunk = match self.next(&mut response, patience, body.len()).await? {
                Next::Chunk(chunk) => chunk,
                Next::End(truncated) => break truncated,
            };
            if body.len() + chunk.len() > SMALL_BYTES && reserved.is_none() {
                reserved = Some(self.reserve(announced, &mut clock).await?);
            }
            if body.len() + chunk.len() > bytes_max {
                body.extend_from_slice(&chunk[..bytes_max - body.len()]);
                break Some(Truncated::Bytes);
            }
            body.extend_from_slice(&chunk);
            if let Some(bandwidth) = self.bandwidth {
                clock.excuse(bandwidth.take(chunk.len()).await);
            }
            if clock.is_too_slow(body.len()) {
                break Some(Truncated::Time);
            }
        };
        let body = body.freeze();
        let body = match reserved {
            Some(reserved) => Bytes::from_owner(Large {
                body,
                _reserved: reserved,
            }),
            None => body,
        };
        Ok(Received { body, truncated })
    }

    /// Waits for the next chunk. A failure ends a body of which `received` bytes have arrived; before
    /// any byte it is an error.
    async fn next(
        &self,
        response: &mut reqwest::Response,
        patience: Duration,
        received: usize,
    ) -> Result<Next, FetchError> {
        match tokio::time::timeout(patience, response.chunk()).await {
            Ok(Ok(Some(chunk))) => Ok(Next::Chunk(chunk)),
            Ok(Ok(None)) => Ok(Next::End(None)),
            Ok(Err(error)) if received > 0 => {
                tracing::debug!(%error, bytes = received, "body cut short");
                Ok(Next::End(Some(Truncated::Disconnect)))
            }
            Ok(Err(error)) => {
                let seen = Seen {
                    proxied: self.proxied,
                    phase: TimeoutPhase::Body,
                    elapsed: self.started.elapsed(),
                    header_count_max: self.limits.header_count_max,
                };
                Err(FetchError::classify(&error, &seen))
            }
            Err(_) if received > 0 => Ok(Next::End(Some(Truncated::Time))),
            Err(_) => Err(self.timeout()),
        }
    }

    /// Reserves memory for a large body of the announced length, 0 for an unknown one. The wait is
    /// not counted as the server's.
    async fn reserve(
        &self,
        announced: usize,
        clock: &mut BodyClock<'_>,
    ) -> Result<OwnedSemaphorePermit, FetchError> {
        let began = Instant::now();
        let bytes = (announced > 0).then_some(announced);
        let reserved = self.memory.reserve(bytes, self.limits.total_timeout).await;
        clock.excuse(began.elapsed());
        // Other bodies held all memory for the whole time; a retry may find some free.
        reserved.ok_or_else(|| self.timeout())
    }

    fn timeout(&self) -> FetchError {
        FetchError::Timeout {
            phase: TimeoutPhase::Body,
            after: self.started.elapsed(),
        }
    }
}

/// The time limits of one body. Time spent waiting for the bandwidth limit or for memory is not the
/// server's fault and does not count.
struct BodyClock<'l> {
    limits: &'l FetchLimits,
    request_started: Instant,
    body_started: Instant,
    excused: Duration,
}

impl<'l> BodyClock<'l> {
    fn new(limits: &'l FetchLimits, request_started: Instant) -> Self {
        Self {
            limits,
            request_started,
            body_started: Instant::now(),
            excused: Duration::ZERO,
        }
    }

    fn excuse(&mut self, waited: Duration) {
        self.excused += waited;
    }

    fn body_time(&self) -> Duration {
        self.body_started.elapsed().saturating_sub(self.excused)
    }

    /// How long the next chunk may take: the least of the idle time, the rest of the total time, and the
    /// time until the body would be too slow.
    fn patience(&self, bytes: usize) -> Duration {
        let used = self.request_started.elapsed().saturating_sub(self.excused);
        let total_left = self.limits.total_timeout.saturating_sub(used);
        let mut patience = self.limits.idle_timeout.min(total_left);
        if self.limits.body_rate_min > 0 {
            let due = Duration::from_secs_f64(bytes as f64 / self.limits.body_rate_min as f64)
                .max(self.limits.body_rate_grace);
            patience = patience.min(due.saturating_sub(self.body_time()));
        }
        patience
    }

    fn is_too_slow(&self, bytes: usize) -> bool {
        let time = self.body_time();
        time > self.limits.body_rate_grace
            && (bytes as f64) < self.limits.body_rate_min as f64 * time.as_secs_f64()
    }
}
