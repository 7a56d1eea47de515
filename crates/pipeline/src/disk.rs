//! Whether the disk has room to go on.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use config::Size;

/// How often the disk is asked.
const INTERVAL: Duration = Duration::from_secs(1);

/// The reserve is at most one part in so many of the disk.
const SHARE: u64 = 20;

/// Watches the space that is left beside the crawl's directory.
#[derive(Debug)]
pub(crate) struct DiskReserve {
    dir: PathBuf,
    /// What is to stay free; 0 for nothing.
    reserve: u64,
    asked_at: Option<Instant>,
    is_short: Option<String>,
}

impl DiskReserve {
    pub(crate) fn new(dir: PathBuf, reserve: Size) -> Self {
        Self {
            dir,
            reserve: reserve.0,
            asked_at: None,
            is_short: None,
        }
    }

    /// What is to be said when less is free than the reserve. Space that was short once counts as
    /// short: a crawl that is ending does not begin again.
    pub(crate) fn shortage(&mut self, now: Instant) -> Option<&str> {
        let is_due = self.asked_at.is_none_or(|at| now >= at + INTERVAL);
        if is_due && self.is_short.is_none() && self.reserve > 0 {
            self.asked_at = Some(now);
            self.is_short = self.shortage_now();
        }
        self.is_short.as_deref()
    }

    fn shortage_now(&self) -> Option<String> {
        // A file system that does not tell has room.
        let free = fs4::available_space(&self.dir).ok()?;
        let share = fs4::total_space(&self.dir).ok()? / SHARE;
        let reserve = self.reserve.min(share);
        let dir = self.dir.display();
        (free < reserve).then(|| {
            format!(
                "{} are free at {dir}, and limits.disk_reserve keeps {}: free some space, then carry on \
                 with: tamis crawl --dir {}",
                megabytes(free),
                megabytes(reserve),
                config::for_shell(&self.dir),
            )
        })
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_below_the_reserve_is_told_and_stays_told() {
        let dir = tempfile::tempdir().expect("a directory");
        let now = Instant::now();
        let mut disk = DiskReserve::new(dir.path().into(), Size(1));
        assert_eq!(disk.shortage(now), None);
        disk.is_short = Some("short".into());
        assert_eq!(disk.shortage(now + 2 * INTERVAL), Some("short"));
        let mut unknown = DiskReserve::new(dir.path().join("nowhere"), Size(u64::MAX));
        assert_eq!(unknown.shortage(now), None);
    }
}
