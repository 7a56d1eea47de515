//! How many files and sockets the process may have open at once (`ulimit -n`).
//!
//! A process is held to its soft limit, which it may raise to the hard one by itself. Common systems give 1,024
//! and allow half a million or more.

/// Raises the limit as far as it may be raised; gives what it is then. None where that cannot be known.
#[cfg(target_os = "linux")]
pub fn raise() -> Option<u64> {
    let mut limits = limits()?;
    limits.rlim_cur = limits.rlim_max;
    // SAFETY: `setrlimit` reads the one struct that it is given.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limits) };
    max()
}

/// The limit as it is.
#[cfg(target_os = "linux")]
pub fn max() -> Option<u64> {
    limits().map(|limits| limits.rlim_cur)
}

#[cfg(target_os = "linux")]
fn limits() -> Option<libc::rlimit> {
    let mut limits = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `getrlimit` writes the one struct that it is given.
    let got = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limits) };
    (got == 0).then_some(limits)
}

/// Raises the limit as far as it may be raised; gives what it is then. None where that cannot be known.
#[cfg(not(target_os = "linux"))]
pub fn raise() -> Option<u64> {
    None
}

/// The limit as it is.
#[cfg(not(target_os = "linux"))]
pub fn max() -> Option<u64> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    #[test]
    fn the_limit_is_raised_to_the_hard_one() {
        let raised = super::raise().expect("a limit");
        let hard = super::limits().expect("limits").rlim_max;
        assert_eq!((raised, super::max()), (hard, Some(hard)));
    }
}
