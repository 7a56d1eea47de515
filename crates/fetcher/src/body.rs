//! Reading a body as it arrives, until it ends or a limit is met.
//!
//! A body ends at its end, at too many bytes, after a silence, by slowness, or with the connection. Only
//! the first gives a whole body. In the other cases the bytes received are kept with the reason, since
//! half a page is still worth archiving.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use governor::DefaultDirectRateLimiter;
use governor::{Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::body_type::{TYPE_BYTES, is_file};
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
/// A body reserves room as it grows and releases it when its last copy is dropped. Without this, as many
/// bodies as there are connections could each reach their own bound. A server that sends slowly holds room
/// for what it has sent, and not for what it may send: a few of them would keep everybody else waiting.
///
/// Bodies that hold room and wait for more could wait for each other for ever. So a part of the memory is
/// set aside for one body at a time, the first that finds the rest taken: it can grow to its end.
pub(crate) struct BodyMemory {
    shared: Arc<Semaphore>,
    /// Has one permit: for what is set aside.
    aside: Arc<Semaphore>,
}

impl BodyMemory {
    /// Memory for so many bytes. For one body of at most `body_bytes_max` as much is set aside, but no more
    /// than half: a body that needs more than that exceeds the memory while it is there.
    pub(crate) fn new(bytes: u64, body_bytes_max: u64) -> Self {
        let shared = (bytes - body_bytes_max.min(bytes / 2)) / PERMIT_BYTES;
        let shared = usize::try_from(shared).unwrap_or(usize::MAX);
        Self {
            shared: Arc::new(Semaphore::new(shared.min(Semaphore::MAX_PERMITS))),
            aside: Arc::new(Semaphore::new(1)),
        }
    }

    /// Makes a room as large as so many bytes; `false` if there was no memory for `longest`.
    async fn grow(&self, room: &mut Room, bytes: usize, longest: Duration) -> bool {
        let more = bytes.saturating_sub(room.bytes) as u64 / PERMIT_BYTES + 1;
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let shared = Arc::clone(&self.shared);
        if room.aside.is_some() {
            room.add(shared.try_acquire_many_owned(more).ok());
        } else {
            tokio::select! {
                biased;
                permits = shared.acquire_many_owned(more) => room.add(permits.ok()),
                permit = Arc::clone(&self.aside).acquire_owned() => room.aside = permit.ok(),
                () = tokio::time::sleep(longest) => return false,
            }
        }
        room.bytes = bytes;
        true
    }
}

/// The memory that one body has reserved.
#[derive(Default)]
struct Room {
    bytes: usize,
    shared: Option<OwnedSemaphorePermit>,
    /// Held by the one body that need not wait: see [`BodyMemory`].
    aside: Option<OwnedSemaphorePermit>,
}

impl Room {
    fn add(&mut self, permits: Option<OwnedSemaphorePermit>) {
        match (&mut self.shared, permits) {
            (Some(shared), Some(permits)) => shared.merge(permits),
            (None, permits) => self.shared = permits,
            (Some(_), None) => {}
        }
    }
}

/// A large body with its reserved memory.
struct Large {
    body: Bytes,
    _room: Room,
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
    /// How long it waited for the bandwidth limit and for memory.
    pub(crate) waited: Duration,
}

/// Reads the body of one response.
pub(crate) struct BodyReader<'f> {
    pub(crate) limits: &'f FetchLimits,
    /// The most bytes of this body.
    pub(crate) bytes_max: u64,
    /// Which bodies are not read on, if any.
    pub(crate) files: Option<Files>,
    /// When the request was sent.
    pub(crate) started: Instant,
    pub(crate) bandwidth: Option<&'f Bandwidth>,
    pub(crate) memory: &'f BodyMemory,
    pub(crate) proxied: bool,
}

/// Bodies that are no pages are not read on, once their first bytes tell: see [`is_file`].
pub(crate) struct Files {
    pub(crate) content_type: Option<String>,
    /// Whether it has content codings.
    pub(crate) is_coded: bool,
    /// The most bytes that are read of one.
    pub(crate) bytes_max: u64,
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
        let mut bytes_max = usize::try_from(self.bytes_max).unwrap_or(usize::MAX);
        let mut files = self.files.as_ref();
        let announced = usize::try_from(response.content_length().unwrap_or(0));
        let announced = announced.unwrap_or(usize::MAX).min(bytes_max);
        let mut room = Room::default();
        let mut body = Vec::with_capacity(announced.min(SMALL_BYTES));
        let mut clock = BodyClock::new(self.limits, self.started);
        let mut memory_patience = self.limits.total_timeout;
        let truncated = loop {
            let patience = clock.patience(body.len());
            let chunk = match self.next(&mut response, patience, body.len()).await? {
                Next::Chunk(chunk) => chunk,
                Next::End(truncated) => break truncated,
            };
            let needed = (body.len() + chunk.len()).min(bytes_max);
            if needed > room.bytes.max(SMALL_BYTES) {
                let bytes = room_for(needed, announced, bytes_max);
                let began = Instant::now();
                let has_room = self.memory.grow(&mut room, bytes, memory_patience).await;
                clock.excuse(began.elapsed());
                memory_patience = memory_patience.saturating_sub(began.elapsed());
                if !has_room {
                    // Other bodies held all memory for the whole time; a retry may find some free.
                    break Some(Truncated::Time);
                }
                body.reserve_exact(bytes - body.len());
            }
            if body.len() + chunk.len() > bytes_max {
                body.extend_from_slice(&chunk[..bytes_max - body.len()]);
                break Some(Truncated::Bytes);
            }
            body.extend_from_slice(&chunk);
            if let Some(bandwidth) = self.bandwidth {
                clock.excuse(bandwidth.take(chunk.len()).await);
            }
            if let Some(files) = files.take_if(|_| body.len() >= TYPE_BYTES)
                && is_file(files.content_type.as_deref(), files.is_coded, &body)
            {
                let of_file = usize::try_from(files.bytes_max).unwrap_or(usize::MAX);
                bytes_max = bytes_max.min(of_file);
                if body.len() > bytes_max {
                    body.truncate(bytes_max);
                    break Some(Truncated::Bytes);
                }
            }
            if clock.is_too_slow(body.len()) {
                break Some(Truncated::Time);
            }
        };
        let body = Bytes::from(body);
        let body = match room.bytes {
            0 => body,
            _ => Bytes::from_owner(Large { body, _room: room }),
        };
        Ok(Received {
            body,
            truncated,
            waited: clock.excused,
        })
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

    fn timeout(&self) -> FetchError {
        FetchError::Timeout {
            phase: TimeoutPhase::Body,
            after: self.started.elapsed(),
        }
    }
}

/// The room for a body of which so much is needed by now: half as much again, but no more than was
/// announced, and no more than is read.
fn room_for(needed: usize, announced: usize, bytes_max: usize) -> usize {
    let most = if needed <= announced {
        announced
    } else {
        bytes_max
    };
    (needed + needed / 2).min(most)
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

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1024;
    const SOON: Duration = Duration::from_secs(1);

    /// A room of so many KiB, if there is memory for it within a second.
    async fn room(memory: &BodyMemory, kib: usize) -> Option<Room> {
        let mut room = Room::default();
        let has_room = memory.grow(&mut room, kib * KIB, SOON).await;
        has_room.then_some(room)
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_holds_what_it_has_grown_to_and_gives_it_back() {
        let memory = BodyMemory::new(1_000 * KIB as u64, 100 * KIB as u64);
        let rooms: Vec<_> = [room(&memory, 400).await, room(&memory, 400).await].into();
        assert!(rooms.iter().flatten().all(|room| room.aside.is_none()));
        drop(rooms);
        let mut all = room(&memory, 10).await.unwrap();
        for kib in [20, 300, 890] {
            assert!(memory.grow(&mut all, kib * KIB, SOON).await);
            assert!(all.aside.is_none(), "{kib}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_body_at_a_time_grows_to_its_end_when_all_memory_is_taken() {
        // Two bodies that hold all and wait for more would wait for each other.
        let memory = BodyMemory::new(1_000 * KIB as u64, 500 * KIB as u64);
        let mut first = room(&memory, 249).await.unwrap();
        let mut second = room(&memory, 249).await.unwrap();
        assert!(memory.grow(&mut first, 500 * KIB, SOON).await);
        assert!(memory.grow(&mut first, 700 * KIB, SOON).await);
        let began = tokio::time::Instant::now();
        assert!(!memory.grow(&mut second, 500 * KIB, SOON).await);
        assert_eq!(began.elapsed(), SOON);
        drop(first);
        assert!(memory.grow(&mut second, 740 * KIB, SOON).await);
    }

    #[tokio::test(start_paused = true)]
    async fn there_is_memory_for_one_body_however_little_there_is() {
        let memory = BodyMemory::new(5, 10_000_000);
        let mut one = room(&memory, 300).await.unwrap();
        assert!(memory.grow(&mut one, 10_000_000, SOON).await);
        assert!(room(&memory, 300).await.is_none());
        drop(one);
        assert!(room(&memory, 300).await.is_some());
    }

    #[test]
    fn a_room_is_half_as_large_again_within_what_is_announced_and_read() {
        assert_eq!(room_for(300, 0, 1_000), 450);
        assert_eq!(room_for(900, 0, 1_000), 1_000);
        assert_eq!(room_for(300, 310, 1_000), 310);
        assert_eq!(room_for(320, 310, 1_000), 480);
        assert_eq!(room_for(1_000, 1_000, 1_000), 1_000);
    }
}
