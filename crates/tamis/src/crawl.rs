//! A crawl: built, run, and what came of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use archive::{Position, Record, Replayed};
use config::CrawlConfig;
use fetcher::Fetch;
use frontier::{SeedUrl, parse_seeds};
use outcome::StopReason;
use pipeline::{Change, CrawlDir, CrawlError, KeptPage, Progress, Snapshot, StopHandle};
use report::{CrawlReport, Tally};

/// Where a crawl lives unless it is told otherwise.
const DIR: &str = "crawl";

/// Why a crawl cannot be made, begun or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A seed that is no URL that can be crawled, with what to do.
    #[error("cannot take the seed: {0}")]
    Seed(String),
    /// The crawl cannot begin or cannot go on. What was recorded is safe.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] archive::ArchiveError),
}

/// A crawl that is to be run.
pub struct Crawl {
    inner: pipeline::Crawl,
}

impl Crawl {
    /// A crawl by this configuration, in the directory `crawl`, of the seeds that the
    /// configuration names and those given to [`Crawl::seed`].
    pub fn new(config: CrawlConfig) -> Self {
        Self {
            inner: pipeline::Crawl {
                dir: CrawlDir::new(Path::new(DIR)),
                config,
                seeds: Vec::new(),
                fetch: None,
                stop: StopHandle::default(),
                progress: Progress::default(),
                on_change: None,
                cluster: None,
            },
        }
    }

    /// The directory where the crawl lives. One that holds a crawl is carried on.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.inner.dir = CrawlDir::new(dir.into());
        self
    }

    /// Adds a seed: a line of a seed list, which is a URL and options after it, such as
    /// `https://example.org/blog/ scope=prefix pages=500`.
    ///
    /// # Errors
    /// [`Error::Seed`] when it is none.
    pub fn seed(mut self, line: &str) -> Result<Self, Error> {
        let (seeds, problems) = parse_seeds("seed", line.as_bytes());
        if let Some(problem) = problems.first() {
            return Err(Error::Seed(problem.to_string()));
        }
        if seeds.is_empty() {
            return Err(Error::Seed(format!("{line:?} names no URL")));
        }
        self.inner.seeds.extend::<Vec<SeedUrl>>(seeds);
        Ok(self)
    }

    /// Calls a function with each kept page, after its record is safe on disk, in the order of the
    /// records. The function is called on the thread that feeds the search index: while it works,
    /// the crawl goes on until its queues are full. A page that was kept in an earlier run of the
    /// same directory is not told again.
    #[must_use]
    pub fn on_page(self, mut tell: impl FnMut(&KeptPage) + Send + 'static) -> Self {
        self.on_change(move |change| {
            if let Change::Kept(page) = change {
                tell(page);
            }
        })
    }

    /// The same for all changes: pages that are kept, and kept pages that give their place to a
    /// better copy. A later call takes the place of an earlier one.
    #[must_use]
    pub fn on_change(mut self, tell: impl FnMut(&Change) + Send + 'static) -> Self {
        self.inner.on_change = Some(Box::new(tell));
        self
    }

    /// Fetches by other means than the network: a cache, a browser, a web in memory for tests.
    #[must_use]
    pub fn fetch(mut self, fetch: Arc<dyn Fetch>) -> Self {
        self.inner.fetch = Some(fetch);
        self
    }

    /// A handle by which another thread stops, pauses and resumes the crawl.
    pub fn stop_handle(&self) -> StopHandle {
        self.inner.stop.clone()
    }

    /// Shows what the crawl is doing, for another thread: each call of the closure gives the
    /// counters of that moment.
    pub fn watch(&self) -> impl Fn() -> Snapshot + Send + Sync + 'static {
        let progress = self.inner.progress.clone();
        move || progress.snapshot()
    }

    /// Runs the crawl to its end: until nothing is left, a budget is used up, or it is stopped.
    ///
    /// It blocks, and has a network runtime of its own. It works on a thread of its own, so that
    /// it may be called from async code too; there `tokio::task::spawn_blocking` keeps the caller's
    /// runtime free.
    ///
    /// # Errors
    /// [`Error::Crawl`] when it cannot begin (no contact, a directory in use) or cannot go on (a
    /// full disk). What was recorded is safe, and a later run carries on.
    pub fn run(self) -> Result<Finished, Error> {
        let dir = self.inner.dir.clone();
        let crawl = self.inner;
        let thread = std::thread::Builder::new().name("crawl".into());
        let running = thread.spawn(move || crawl.run());
        let running = running.map_err(|source| CrawlError::Directory {
            what: "start the crawl's thread".into(),
            source,
        })?;
        let summary = running
            .join()
            .map_err(|_| CrawlError::Panicked("crawl"))??;
        Ok(Finished {
            dir,
            reason: summary.reason,
            snapshot: summary.snapshot,
            notes: summary.notes,
        })
    }
}

/// A crawl that has ended.
#[derive(Debug)]
pub struct Finished {
    dir: CrawlDir,
    /// Why it ended.
    pub reason: StopReason,
    /// The counters at the end.
    pub snapshot: Snapshot,
    /// What its user should know: views that were rebuilt, seeds that led nowhere.
    pub notes: Vec<String>,
}

impl Finished {
    /// The report over all runs of the directory.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn report(&self) -> Result<CrawlReport, Error> {
        let mut tally = Tally::new();
        for record in self.records()? {
            tally.add(&record?);
        }
        let root = self.dir.root();
        let name = root.file_name().unwrap_or(root.as_os_str());
        Ok(tally.report(&name.to_string_lossy()))
    }

    /// The journal's records, in order: every fetch, verdict and link. Damaged ones are left out.
    ///
    /// # Errors
    /// When the journal cannot be opened; each record, when it cannot be read.
    pub fn records(&self) -> Result<impl Iterator<Item = Result<Record, Error>>, Error> {
        let replay = archive::replay(&self.dir.archive(), Position::START)?;
        Ok(replay.filter_map(|replayed| match replayed {
            Ok(Replayed::Record { record, .. }) => Some(Ok(record)),
            Ok(Replayed::Damage(_)) => None,
            Err(error) => Some(Err(error.into())),
        }))
    }
}
