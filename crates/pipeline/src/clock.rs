//! The wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now.
#[expect(clippy::disallowed_methods, reason = "the one clock of this crate")]
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

/// Now, in milliseconds since the Unix epoch.
pub(crate) fn unix_ms() -> u64 {
    now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}
