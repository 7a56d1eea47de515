//! Files and sockets that may be open at once (`ulimit -n`), and what a crawl makes of few of them.
//!
//! What the process has open of its own (archive, frontier, tables, index, threads) comes first: none of these
//! can do without, so a start with less room than they need is refused. What is left is for connections: two
//! handles for each, since a name is asked for over a socket as well. Where that is less than the configuration
//! asks for, fewer connections are made. Those that wait for a further request of their host are as many as hosts
//! were asked in some seconds; with a small limit none is kept.

use crate::config::CrawlConfig;
use crate::error::CrawlError;

/// Handles of the crawl's own. 30 are open in a crawl with one connection (23 files and pipes, 7 sockets), and
/// some 40 more while the index joins its parts: with 64 for both a crawl of 900 pages ended at that. The rest is
/// for archive files that are closed, the control socket, and whoever asks it.
const OWN: u64 = 128;

/// Handles that a connection takes at most.
const PER_CONNECTION: u64 = 2;

/// From so many handles on, connections are kept for a further request of their host.
const MANY: u64 = 4_096;

/// Connections that the limit has room for, of those that are asked for.
pub(crate) fn connections(config: &CrawlConfig) -> usize {
    of(config.crawl.concurrency, heap::files::max())
}

fn of(asked: usize, max: Option<u64>) -> usize {
    let room = max.map_or(u64::MAX, |max| max.saturating_sub(OWN) / PER_CONNECTION);
    asked
        .min(usize::try_from(room).unwrap_or(usize::MAX))
        .max(1)
}

/// Whether connections are kept for a further request of their host.
pub(crate) fn are_many() -> bool {
    heap::files::max().is_none_or(|max| max >= MANY)
}

/// What to say of the limit, where it holds the crawl down.
///
/// # Errors
/// When it leaves no room for a crawl.
pub(crate) fn check(config: &CrawlConfig) -> Result<Option<String>, CrawlError> {
    check_of(config.crawl.concurrency, heap::files::max())
}

fn check_of(asked: usize, max: Option<u64>) -> Result<Option<String>, CrawlError> {
    let Some(max) = max else { return Ok(None) };
    let wanted = asked as u64 * PER_CONNECTION + OWN;
    let least = OWN + PER_CONNECTION;
    if max < least {
        return Err(CrawlError::Setup(format!(
            "only {max} files and sockets may be open at once (ulimit -n), and a crawl needs {least}, with {asked} \
             connections {wanted}: raise the limit (ulimit -n {wanted}, LimitNOFILE= of a systemd unit, --ulimit \
             nofile={wanted} of a container)"
        )));
    }
    let made = of(asked, Some(max));
    Ok((made < asked).then(|| {
        format!(
            "only {max} files and sockets may be open at once (ulimit -n): {made} connections instead of {asked}, \
             which need a limit of {wanted}"
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_held_down_to_what_the_limit_allows() {
        assert_eq!(of(64, None), 64);
        assert_eq!(of(64, Some(1_024)), 64);
        assert_eq!(of(64, Some(164)), 18);
        assert_eq!(of(64, Some(10)), 1);
    }

    #[test]
    fn a_limit_that_is_too_small_is_told_with_what_is_needed() {
        assert_eq!(check_of(64, Some(256)).expect("room"), None);
        let note = check_of(64, Some(200)).expect("room").expect("a note");
        assert!(note.contains("ulimit -n") && note.contains("256"), "{note}");
        let error = check_of(64, Some(100)).expect_err("no room").to_string();
        assert!(error.contains("needs 130"), "{error}");
    }
}
