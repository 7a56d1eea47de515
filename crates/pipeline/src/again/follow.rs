//! A planner that follows the crawl while it runs: the writer hands each record over as a value, so the next
//! plan reads none of those in the journal.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

use archive::Position;

use super::{Beside, Planner, read_on};
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::onlooker::Onlooker;

/// Records taken at once.
const STEP_RECORDS: usize = 256;

/// Bytes of journal that were not handed over and are read while the crawl runs: the records of a start,
/// and what was dropped once since it was too much to wait. With more, the next plan reads on.
const GAP_MAX: u64 = 4 << 20;

/// Bytes of what was saved that is taken up while the crawl runs: more are of too many pages.
const FILE_MAX: u64 = 64 << 20;

impl Planner {
    /// Runs a crawl and takes in its records meanwhile, on a thread of its own, until there are more pages
    /// than may be remembered while a crawl runs. What is not taken in, or cannot be read, is left to the
    /// next plan.
    pub fn follow_while<T>(
        &mut self,
        dir: &CrawlDir,
        onlooker: &Onlooker,
        beside: &mut (impl Beside + Send),
        run: impl FnOnce() -> T,
    ) -> T {
        if self.has_let_go {
            return run();
        }
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let follower = scope.spawn(|| {
                // Whatever is wrong here is nothing to the crawl.
                let follow = || self.follow_until(&is_over, dir, onlooker, beside);
                let followed = catch_unwind(AssertUnwindSafe(follow));
                onlooker.leave();
                if !matches!(followed, Ok(Ok(()))) {
                    tracing::info!("the next round reads the journal: {followed:?}");
                    self.begin_anew();
                }
            });
            onlooker.arrive(follower.thread().clone());
            let _end = End(&is_over, follower.thread().clone());
            run()
        })
    }

    /// Takes in records, as many as wait whenever it is woken, until the crawl is over or is followed no
    /// longer.
    fn follow_until(
        &mut self,
        is_over: &AtomicBool,
        dir: &CrawlDir,
        onlooker: &Onlooker,
        beside: &mut impl Beside,
    ) -> Result<(), CrawlError> {
        let mut is_last = false;
        while self.follow(dir, onlooker, beside)? && !is_last {
            thread::park();
            is_last = is_over.load(Ordering::SeqCst);
        }
        Ok(())
    }

    /// Takes in all records that wait; whether further ones are wanted.
    pub(super) fn follow(
        &mut self,
        dir: &CrawlDir,
        onlooker: &Onlooker,
        beside: &mut impl Beside,
    ) -> Result<bool, CrawlError> {
        loop {
            let taken = onlooker.take(STEP_RECORDS);
            if taken.is_empty() {
                return Ok(true);
            }
            if self.read == Position::START {
                if std::fs::metadata(dir.visits()).is_ok_and(|file| file.len() > FILE_MAX) {
                    return Ok(false);
                }
                self.begin(dir, beside)?;
            }
            for written in taken {
                if self.read < written.begin {
                    let bytes = self.read.bytes_until(written.begin);
                    if bytes.is_none_or(|bytes| bytes > GAP_MAX) {
                        return Ok(false);
                    }
                    let until = Some(written.begin);
                    self.read = read_on(dir, self.read, until, |record, place| {
                        self.take(record, place, beside);
                    })?;
                }
                if self.read == written.begin {
                    self.take(&written.record, written.begin, beside);
                    self.read = written.end;
                }
            }
            if self.is_too_large() {
                return Ok(false);
            }
        }
    }
}

/// Ends what follows, however the crawl ends.
struct End<'a>(&'a AtomicBool, Thread);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
        self.1.unpark();
    }
}
