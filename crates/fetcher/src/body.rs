//! Reading a body as it streams in, until it ends or a bound is met.
//!
//! Five things end a body: its end, too many bytes, silence, slowness, and the server going away.
//! Only the first is whole. The others keep what had arrived and say why it is not all: half a
//! page is still worth archiving, and a mirror of an endless stream still costs its bound.

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

/// A cap on bytes per second over all bodies of one fetcher.
pub(crate) struct Bandwidth {
    limiter: DefaultDirectRateLimiter,
    burst: NonZeroU32,
}

impl Bandwidth {
    /// A cap of so many bytes per second; `None` for zero.
    pub(crate) fn new(bytes_per_second: u64) -> Option<Self> {
        let burst = NonZeroU32::new(u32::try_from(bytes_per_second).unwrap_or(u32::MAX))?;
        Some(Self {
            limiter: RateLimiter::direct(Quota::per_second(burst)),
            burst,
        })
    }

    /// Waits until so many bytes may have been read, and says how long it waited.
    async fn take(&self, bytes: usize) -> Duration {
        let started = Instant::now();
        let mut left = bytes;
        while left > 0 {
            let piece = u32::try_from(left).unwrap_or(u32::MAX);
            let Some(piece) = NonZeroU32::new(piece.min(self.burst.get())) else {
                break;
            };
            // A piece is never above the burst, so this cannot be refused.
            let _ = self.limiter.until_n_ready(piece).await;
            left -= piece.get() as usize;
        }
        started.elapsed()
    }
}

/// Bytes of a body that are read at once. Most bodies are smaller, so they never wait.
const SMALL_BYTES: usize = 256 * 1024;
/// Bytes for each permit of [`Room`].
const PERMIT_BYTES: u64 = 1024;

/// Memory for large bodies, over all bodies of one fetcher: what one may need it takes before it
/// grows large, and gives back when its last copy is dropped. Without it as many bodies as there
/// are connections could each come to their own bound.
pub(crate) struct Room {
    permits: Arc<Semaphore>,
    most: u32,
}

impl Room {
    /// Room for so many bytes; there is always room for one body.
    pub(crate) fn new(bytes: u64) -> Self {
        let most = u32::try_from(bytes / PERMIT_BYTES)
            .unwrap_or(u32::MAX)
            .max(1);
        Self {
            permits: Arc::new(Semaphore::new(most as usize)),
            most,
        }
    }

    /// Waits until a body of so many bytes has room, `longest` at most. One that does not announce
    /// its length takes a quarter of all: it may need more, but seldom does.
    async fn take(&self, bytes: Option<usize>, longest: Duration) -> Option<OwnedSemaphorePermit> {
        let permits = match bytes {
            Some(bytes) => u32::try_from(bytes as u64 / PERMIT_BYTES + 1).unwrap_or(u32::MAX),
            None => self.most / 4 + 1,
        };
        let taken = Arc::clone(&self.permits).acquire_many_owned(permits.min(self.most));
        let taken = tokio::time::timeout(longest, taken).await.ok()?;
        Some(taken.expect("nobody closes this semaphore"))
    }
}

/// A large body with its room.
struct Large {
    body: Bytes,
    _room: OwnedSemaphorePermit,
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

/// Reads the body of a response whose request began at `started`.
pub(crate) async fn receive(
    mut response: reqwest::Response,
    limits: &FetchLimits,
    bytes_max: u64,
    started: Instant,
    bandwidth: Option<&Bandwidth>,
    room: &Room,
    proxied: bool,
) -> Result<Received, FetchError> {
    let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    let announced = response.content_length().unwrap_or(0);
    let mut held = None;
    let mut body = BytesMut::with_capacity(
        usize::try_from(announced)
            .unwrap_or(usize::MAX)
            .min(bytes_max)
            .min(SMALL_BYTES),
    );
    let mut clock = Clock::new(limits, started);
    let truncated = loop {
        let chunk = match tokio::time::timeout(clock.patience(body.len()), response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => break None,
            Ok(Err(error)) => {
                if !body.is_empty() {
                    tracing::debug!(%error, bytes = body.len(), "body cut short");
                    break Some(Truncated::Disconnect);
                }
                let seen = Seen {
                    proxied,
                    phase: TimeoutPhase::Body,
                    elapsed: started.elapsed(),
                    header_count_max: limits.header_count_max,
                };
                return Err(FetchError::classify(&error, &seen));
            }
            Err(_) if body.is_empty() => {
                return Err(FetchError::Timeout {
                    phase: TimeoutPhase::Body,
                    after: started.elapsed(),
                });
            }
            Err(_) => break Some(Truncated::Time),
        };
        if body.len() + chunk.len() > SMALL_BYTES && held.is_none() {
            let began = Instant::now();
            let most = match usize::try_from(announced) {
                Ok(announced @ 1..) => Some(announced.min(bytes_max)),
                Ok(0) | Err(_) => None,
            };
            held = room.take(most, limits.total_timeout).await;
            if held.is_none() {
                // Slow servers hold all of it. Later there may be room.
                return Err(FetchError::Timeout {
                    phase: TimeoutPhase::Body,
                    after: started.elapsed(),
                });
            }
            clock.excuse(began.elapsed());
        }
        if body.len() + chunk.len() > bytes_max {
            body.extend_from_slice(&chunk[..bytes_max - body.len()]);
            break Some(Truncated::Bytes);
        }
        body.extend_from_slice(&chunk);
        if let Some(bandwidth) = bandwidth {
            clock.excuse(bandwidth.take(chunk.len()).await);
        }
        if clock.is_too_slow(body.len()) {
            break Some(Truncated::Time);
        }
    };
    let body = body.freeze();
    let body = match held {
        Some(room) => Bytes::from_owner(Large { body, _room: room }),
        None => body,
    };
    Ok(Received { body, truncated })
}

/// The time bounds of one body. Waiting for our own bandwidth cap or for room is not the server's
/// fault and is taken out.
struct Clock<'l> {
    limits: &'l FetchLimits,
    request_started: Instant,
    body_started: Instant,
    excused: Duration,
}

impl<'l> Clock<'l> {
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

    /// How long the next chunk may take: the idle time, the rest of the total time, or until the
    /// moment at which the body would be too slow, whichever is least.
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
