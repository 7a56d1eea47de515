//! Times in records beside the clock of today.
//!
//! A machine whose clock was a year ahead for an hour writes records from next year. By them nothing would be
//! due until then; so a time that is still to come is not believed, and what has it is due as if it had been
//! asked for long enough ago. So it is where a clock is set back while a crawl runs.

/// A time may be so far ahead: clocks are set by less than that all the time.
const AHEAD_MS: u64 = 60_000;

/// Milliseconds of a day.
pub(crate) const DAY_MS: u64 = 86_400_000;

/// Milliseconds that have passed since a time; none where that is still to come.
pub fn passed_ms(at_ms: u64, now_ms: u64) -> Option<u64> {
    match at_ms > now_ms.saturating_add(AHEAD_MS) {
        true => None,
        false => Some(now_ms.saturating_sub(at_ms)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_still_to_come_has_not_passed_and_a_clock_may_be_some_seconds_ahead() {
        assert_eq!(passed_ms(1_000, 3_000), Some(2_000));
        assert_eq!(passed_ms(3_000, 1_000), Some(0));
        assert_eq!(passed_ms(100_000, 1_000), None);
    }
}
