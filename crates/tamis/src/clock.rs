//! The wall clock of the command line.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now.
#[expect(clippy::disallowed_methods, reason = "the one clock of this crate")]
pub fn now() -> SystemTime {
    SystemTime::now()
}

/// Now, in seconds since the Unix epoch; a clock that stands before 1970 is taken for 1970.
pub fn unix_seconds() -> i64 {
    let since = now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}
